#include "tests/unit/leaves.h"

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

int leaves_set_up(void **state)
{
    struct leaves *s = calloc(1, sizeof *s);

    s->extractor = cdm_extractor_new();
    *state = s;
    return 0;
}

int leaves_tear_down(void **state)
{
    struct leaves *s = *state;

    cdm_extractor_free(s->extractor);
    cdm_arena_release(&s->arena);
    free(s);
    return 0;
}

struct cdm_leaf_matrix leaves_extract(struct leaves *s, const char *text, enum cdm_leaf_view view,
                                      bool raw)
{
    struct cdm_leaf_matrix matrix;
    struct cdm_error err = {0};
    const struct cdm_program *program = test_program(text, &s->arena);

    if (cdm_extract(s->extractor, program, view, raw, &matrix, &err))
        fail_msg("%s", err.message);
    return matrix;
}

int leaves_index(const char *name)
{
    for (int i = 0; i < CDM_N_FEATURES; i++)
        if (!strcmp(cdm_feature_name(i), name))
            return i;
    fail_msg("there is no feature %s", name);
    return 0;
}

void leaves_set(float *row, const char *name, double value)
{
    row[leaves_index(name)] = (float)value;
}

double leaves_get(const float *row, const char *name)
{
    return (double)row[leaves_index(name)];
}

void leaves_plain(float *row)
{
    static const char *const ones[] = {
        "vec_type.kPosNone", "unroll_type.kPosNone", "parallel_type.kPosNone", "blockIdx_x_len",
        "blockIdx_y_len",    "blockIdx_z_len",       "threadIdx_x_len",        "threadIdx_y_len",
        "threadIdx_z_len",   "vthread_len"};

    memset(row, 0, CDM_N_FEATURES * sizeof *row);
    for (size_t i = 0; i < sizeof ones / sizeof *ones; i++)
        leaves_set(row, ones[i], 1);
}

void leaves_set_slot(float *row, int k, struct leaf_slot s)
{
    float *at = row + CDM_FIRST_SLOT + k * CDM_SLOT_ENTRIES;
    /* "twice the bytes without reuse" */
    double by = s.reuse == NO_REUSE ? 2 : 1 / s.count;
    const double values[CDM_SLOT_ENTRIES] = {s.access == READ,
                                             s.access == WRITE,
                                             s.access == READ_WRITE,
                                             s.bytes,
                                             s.unique_bytes,
                                             s.lines,
                                             s.unique_lines,
                                             s.reuse == LOOP,
                                             s.reuse == SERIAL,
                                             s.reuse == NO_REUSE,
                                             s.dis_iter,
                                             s.dis_bytes,
                                             s.count,
                                             s.bytes * by,
                                             s.unique_bytes * by,
                                             s.lines * by,
                                             s.unique_lines * by,
                                             s.stride};
    for (int i = 0; i < CDM_SLOT_ENTRIES; i++)
        at[i] = (float)values[i];
}

void leaves_set_tail(float *row, double alloc_size, double alloc_prod, double alloc_outer,
                     double prod, double n_loops, double unroll)
{
    leaves_set(row, "alloc_size", alloc_size);
    leaves_set(row, "alloc_prod", alloc_prod);
    leaves_set(row, "alloc_outer_prod", alloc_outer);
    leaves_set(row, "alloc_inner_prod", alloc_outer > 0 ? prod / alloc_outer : 0);
    leaves_set(row, "outer_prod", prod);
    leaves_set(row, "num_loops", n_loops);
    leaves_set(row, "auto_unroll_max_step", unroll);
}

void leaves_assert_row(const struct cdm_leaf_matrix *matrix, int32_t i, const float *expected)
{
    const float *row = matrix->values + i * CDM_N_FEATURES;
    int n_wrong = 0;

    assert_true(i < matrix->n_rows);
    for (int k = 0; k < CDM_N_FEATURES; k++) {
        /* Sums of a few float products: 1e-6 leaves room for their rounding. */
        if (fabsf(row[k] - expected[k]) <= 1e-6F * fabsf(expected[k]))
            continue;
        print_error("row %d, %s: %.9g, expected %.9g\n", (int)i, cdm_feature_name(k),
                    (double)row[k], (double)expected[k]);
        n_wrong++;
    }
    assert_int_equal(n_wrong, 0);
}
