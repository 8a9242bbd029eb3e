/* Streams to programs: any bytes give programs and errors, and an end. */
#include "features/leaf.h"
#include "features/source.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    int fd = memfd_create("stream", 0);
    char path[64];
    struct cdm_source *source;
    struct cdm_source_item item;
    struct cdm_leaf_matrix matrix;
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
            status = cdm_extract(extractor, item.program, CDM_VIEW_LEAF, false, &matrix, &err);
        /* No more results than bytes (gzip may hold more text than it has bytes). */
        if (++steps > 2000 * (size + 1))
            abort();
    }
    cdm_source_close(source);
    cdm_extractor_free(extractor);
    close(fd);
    return 0;
}
