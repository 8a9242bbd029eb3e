/* Leaf matrices of small programs, and expected rows built by names. */
#ifndef CDMPP_TESTS_UNIT_LEAVES_H
#define CDMPP_TESTS_UNIT_LEAVES_H

#include "features/leaf.h"

#include <stdbool.h>

/* cmocka's state of these tests. */
struct leaves {
    struct cdm_arena arena;
    struct cdm_extractor *extractor;
};
int leaves_set_up(void **state);
int leaves_tear_down(void **state);

/* The matrix of a TVMScript text, valid until the next call. */
struct cdm_leaf_matrix leaves_extract(struct leaves *leaves, const char *text,
                                      enum cdm_leaf_view view, bool raw);

/* Entries by name, such as "B0.lines"; an unknown name fails the test. */
int leaves_index(const char *name);
double leaves_get(const float *row, const char *name);
void leaves_set(float *row, const char *name, double value);

/* Fills a row with what a store has that no vectorized, unrolled or parallel loop and no GPU axis
 * is around; the rest is 0. */
void leaves_plain(float *row);

enum leaf_access { READ, WRITE, READ_WRITE };
enum leaf_reuse { LOOP, SERIAL, NO_REUSE };

/* A buffer slot; the four quotients follow from these. */
struct leaf_slot {
    enum leaf_access access;
    double bytes, unique_bytes, lines, unique_lines;
    enum leaf_reuse reuse;
    double dis_iter, dis_bytes, count;
    double stride;
};
void leaves_set_slot(float *row, int k, struct leaf_slot slot);

/* The last entries: the realize around the store (alloc_outer = P there; 0 for none), then P of the
 * store, its loops and its pragma. */
void leaves_set_tail(float *row, double alloc_size, double alloc_prod, double alloc_outer,
                     double prod, double n_loops, double unroll);

/* Compares all entries of row i; the test fails after naming those that differ. */
void leaves_assert_row(const struct cdm_leaf_matrix *matrix, int32_t i, const float *expected);

#endif
