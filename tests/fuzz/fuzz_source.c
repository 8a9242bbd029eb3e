/* Streams to programs: any bytes give programs and errors, and an end. */
#include "cdmpp/core/json_write.h"
#include "features/ast.h"
#include "features/leaf.h"
#include "features/print.h"
#include "features/source.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* What the commands do with a program. */
static void use_program(struct cdm_extractor *extractor, const struct cdm_source_item *item)
{
    struct cdm_arena arena = {0};
    struct cdm_leaf_matrix matrix;
    struct cdm_error err;
    struct cdm_str text = {0};

    for (int view = CDM_VIEW_LEAF; view <= CDM_VIEW_TVM; view++) {
        if (cdm_extract(extractor, item->program, (enum cdm_leaf_view)view, false, &matrix, &err))
            continue;
        for (int32_t i = 0; i < matrix.n_rows * CDM_N_FEATURES; i++)
            if (!isfinite(matrix.values[i]))
                abort();
    }
    cdm_ast_print(cdm_ast_build(item->program, &arena), item->program, &text);
    cdm_print_program(item->program, &text);
    cdm_json_put_string(&text, item->id);
    cdm_json_put_string(&text, item->task);
    cdm_str_release(&text);
    cdm_arena_release(&arena);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    int fd = memfd_create("stream", 0);
    char path[64];
    struct cdm_source *source;
    struct cdm_source_item item;
    struct cdm_error err = {0};
    struct cdm_extractor *extractor = cdm_extractor_new();
    size_t steps = 0;

    if (fd < 0 || write(fd, data, size) != (ssize_t)size)
        abort();
    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    enum cdm_status status = cdm_source_open(&source, path, &err);
    while (!status || status == CDM_BAD_INPUT) {
        if (!source)
            break;
        status = cdm_source_next(source, &item, &err);
        if (!status && !item.program)
            break;
        if (!status)
            use_program(extractor, &item);
        /* No more results than bytes (gzip may hold more text than it has bytes). */
        if (++steps > 2000 * (size + 1))
            abort();
    }
    cdm_source_close(source);
    cdm_extractor_free(extractor);
    close(fd);
    return 0;
}
