/* Features against values that TVM itself computed: see tests/golden/README.md. */
#include "cdmpp/core/json.h"
#include "cdmpp/core/text.h"
#include "features/leaf.h"
#include "tests/unit/programs.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
/* cmocka.h needs the headers above. */
#include <cmocka.h>

enum { N_PROGRAMS = 38, N_ROWS = 142, MAX_ROWS = 64, MAX_LINE = 1 << 20 };
enum { SLOT_BYTES = 3, SLOT_LINES = 5 };

/* One line of the file. */
struct golden {
    char id[32];
    float rows[MAX_ROWS][CDM_N_FEATURES]; /* TVM's values before its logarithm */
    int32_t n_rows;
    struct cdm_str tir;
};

static void read_rows(const struct cdm_json_parser *parser, struct cdm_json raw,
                      struct golden *golden)
{
    struct cdm_json_iter rows = cdm_json_elements(raw);
    struct cdm_json row, value;
    struct cdm_error err;
    double number;

    golden->n_rows = 0;
    while (cdm_json_next(&rows, &row)) {
        struct cdm_json_iter values = cdm_json_elements(row);
        assert_true(golden->n_rows < MAX_ROWS);
        assert_int_equal(cdm_json_count(row), CDM_N_FEATURES);
        for (int i = 0; cdm_json_next(&values, &value); i++) {
            assert_int_equal(cdm_json_double(parser, value, &number, &err), CDM_OK);
            golden->rows[golden->n_rows][i] = (float)number;
        }
        golden->n_rows++;
    }
}

/* Calls `check` for each program of the file. */
static void each_program(void (*check)(const struct golden *golden, struct cdm_extractor *x))
{
    struct cdm_json_parser *parser = cdm_json_parser_new(MAX_LINE);
    struct cdm_extractor *x = cdm_extractor_new();
    struct golden *golden = calloc(1, sizeof *golden);
    struct cdm_reader *reader;
    struct cdm_error err = {0};
    struct cdm_view line, text;
    struct cdm_json root, raw;
    int n_programs = 0, n_rows = 0;

    if (cdm_reader_open(&reader, "tests/golden/features.ndjson.gz", &err))
        fail_msg("%s (tests run in the root of the checkout)", err.message);
    while (cdm_reader_line(reader, MAX_LINE, &line, &err) == CDM_OK && line.data) {
        assert_int_equal(cdm_json_parse(parser, line, 1, &root, &err), CDM_OK);
        assert_int_equal(cdm_json_field_string(parser, root, "id", &text, &err), CDM_OK);
        assert_true(text.length < sizeof golden->id);
        memcpy(golden->id, text.data, text.length);
        golden->id[text.length] = '\0';
        assert_int_equal(cdm_json_field_array(parser, root, "raw", &raw, &err), CDM_OK);
        read_rows(parser, raw, golden);
        assert_int_equal(cdm_json_field_string(parser, root, "tir", &text, &err), CDM_OK);
        cdm_str_reset(&golden->tir);
        cdm_str_add(&golden->tir, text.data, text.length);
        check(golden, x);
        n_programs++;
        n_rows += golden->n_rows;
    }
    assert_int_equal(n_programs, N_PROGRAMS);
    assert_int_equal(n_rows, N_ROWS);
    cdm_reader_close(reader);
    cdm_json_parser_free(parser);
    cdm_extractor_free(x);
    cdm_str_release(&golden->tir);
    free(golden);
}

/* TVM computes in float, and prints 9 digits. */
static bool agree(float a, float b)
{
    float larger = fmaxf(fabsf(a), fabsf(b));
    return fabsf(a - b) <= fmaxf(1e-5F, 1e-4F * larger);
}

static int differing_outside_slots(const float *ours, const float *theirs)
{
    int n = 0;

    for (int i = 0; i < CDM_N_FEATURES; i++)
        if ((i < CDM_FIRST_SLOT || i >= CDM_FIRST_CURVE) && !agree(ours[i], theirs[i]))
            n++;
    return n;
}

/* Slots with equal (lines, bytes) stand in any order in TVM. */
static int differing_slots(const float *ours, const float *theirs)
{
    bool used[CDM_N_SLOTS] = {false};
    int n = 0;

    for (int k = 0; k < CDM_N_SLOTS; k++) {
        const float *wanted = theirs + CDM_FIRST_SLOT + k * CDM_SLOT_ENTRIES;
        const float *here = ours + CDM_FIRST_SLOT + k * CDM_SLOT_ENTRIES;
        bool found = false;
        for (int j = 0; j < CDM_N_SLOTS && !found; j++) {
            const float *slot = ours + CDM_FIRST_SLOT + j * CDM_SLOT_ENTRIES;
            bool same = !used[j] && agree(slot[SLOT_LINES], here[SLOT_LINES]) &&
                        agree(slot[SLOT_BYTES], here[SLOT_BYTES]);
            for (int i = 0; i < CDM_SLOT_ENTRIES && same; i++)
                same = agree(slot[i], wanted[i]);
            if (same)
                used[j] = found = true;
        }
        n += !found;
    }
    return n;
}

/* The rows of TVM have no order: each must have one of ours for itself. */
static void check_rows(const struct golden *golden, struct cdm_extractor *x)
{
    struct cdm_arena arena = {0};
    struct cdm_leaf_matrix matrix;
    struct cdm_error err = {0};
    bool used[MAX_ROWS] = {false};
    const struct cdm_program *program = test_program(golden->tir.data, &arena);

    assert_int_equal(cdm_extract(x, program, CDM_VIEW_TVM, true, &matrix, &err), CDM_OK);
    if (matrix.n_rows != golden->n_rows)
        fail_msg("%s: %d rows, TVM has %d", golden->id, (int)matrix.n_rows, (int)golden->n_rows);
    for (int32_t i = 0; i < golden->n_rows; i++) {
        int32_t j = 0;
        while (j < matrix.n_rows &&
               (used[j] ||
                differing_outside_slots(matrix.values + j * CDM_N_FEATURES, golden->rows[i]) ||
                differing_slots(matrix.values + j * CDM_N_FEATURES, golden->rows[i])))
            j++;
        if (j == matrix.n_rows)
            fail_msg("%s: row %d of TVM is not among ours; scripts/compare-golden.py shows more",
                     golden->id, (int)i);
        used[j] = true;
    }
    cdm_arena_release(&arena);
}

static void every_row_of_tvm_is_reproduced(void **state)
{
    (void)state;
    each_program(check_rows);
}

static void check_copy(const struct golden *golden, struct cdm_extractor *x)
{
    for (int view = CDM_VIEW_LEAF; view <= CDM_VIEW_TVM; view++) {
        struct cdm_arena arena = {0};
        struct cdm_leaf_matrix matrix;
        struct cdm_error err = {0};
        const struct cdm_program *program = test_program(golden->tir.data, &arena);
        assert_int_equal(cdm_extract(x, program, (enum cdm_leaf_view)view, true, &matrix, &err),
                         CDM_OK);
        size_t n = (size_t)matrix.n_rows, size = n * CDM_N_FEATURES * sizeof(float);
        float *values = malloc(size);
        int32_t *positions = malloc(n * sizeof *positions);
        memcpy(values, matrix.values, size);
        memcpy(positions, matrix.positions, n * sizeof *positions);

        struct cdm_str text = test_canonical(program);
        const struct cdm_program *copy = test_program(text.data, &arena);
        assert_int_equal(cdm_extract(x, copy, (enum cdm_leaf_view)view, true, &matrix, &err),
                         CDM_OK);
        assert_int_equal(matrix.n_rows, n);
        assert_memory_equal(matrix.values, values, size);
        assert_memory_equal(matrix.positions, positions, n * sizeof *positions);
        struct cdm_str again = test_canonical(copy);
        assert_string_equal(again.data, text.data);
        cdm_str_release(&text);
        cdm_str_release(&again);
        free(values);
        free(positions);
        cdm_arena_release(&arena);
    }
}

static void the_canonical_text_has_the_same_features_and_is_its_own_canonical_text(void **state)
{
    (void)state;
    each_program(check_copy);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_row_of_tvm_is_reproduced),
        cmocka_unit_test(the_canonical_text_has_the_same_features_and_is_its_own_canonical_text),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
