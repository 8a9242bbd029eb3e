/* TVMScript to programs. What is accepted has finite features in both views, and its canonical text
 * reads back to the same text. */
#include "features/dump.h"
#include "features/leaf.h"
#include "features/print.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check(bool holds, const char *what)
{
    if (holds)
        return;
    fprintf(stderr, "does not hold: %s\n", what);
    abort();
}

static void check_features(struct cdm_extractor *extractor, const struct cdm_program *program)
{
    struct cdm_leaf_matrix matrix;
    struct cdm_error err;

    for (int view = CDM_VIEW_LEAF; view <= CDM_VIEW_TVM; view++) {
        if (cdm_extract(extractor, program, (enum cdm_leaf_view)view, false, &matrix, &err))
            continue;
        for (int32_t i = 0; i < matrix.n_rows * CDM_N_FEATURES; i++)
            check(isfinite(matrix.values[i]), "every feature is finite");
    }
}

/* The canonical text is made and read again. What the fuzzer makes may hold types and names that no
 * program has, and its text need not be readable; that the text of real programs is, other tests
 * show. */
static void check_text(const struct cdm_program *program)
{
    struct cdm_arena arena = {0};
    struct cdm_programs again = {0}, third = {0};
    struct cdm_error err = {0};
    struct cdm_str texts[2] = {{0}, {0}};

    cdm_print_program(program, &texts[0]);
    struct cdm_view text = {texts[0].data, texts[0].length};
    if (!cdm_tvmscript_read(text, 1, &arena, &again, &err) && again.n == 1) {
        cdm_print_program(again.items[0], &texts[1]);
        text = (struct cdm_view){texts[1].data, texts[1].length};
        check(!cdm_tvmscript_read(text, 1, &arena, &third, &err) || err.message[0],
              "an error says why");
    }
    cdm_str_release(&texts[0]);
    cdm_str_release(&texts[1]);
    cdm_arena_release(&arena);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct cdm_arena arena = {0};
    struct cdm_programs programs = {0};
    struct cdm_error err = {0};
    struct cdm_extractor *extractor = cdm_extractor_new();

    enum cdm_status status =
        cdm_tvmscript_read((struct cdm_view){(const char *)data, size}, 1, &arena, &programs, &err);
    check(status == CDM_OK || (status == CDM_BAD_INPUT && err.message[0]), "an error says why");
    for (int32_t i = 0; i < programs.n; i++) {
        check_features(extractor, programs.items[i]);
        check_text(programs.items[i]);
    }
    cdm_extractor_free(extractor);
    cdm_arena_release(&arena);
    return 0;
}
