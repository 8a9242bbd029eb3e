/* One leaf's features as named numbers, before they are laid out as a vector. Private to
 * features/leaf*.c. */
#ifndef CDMPP_FEATURES_LEAF_ROW_H
#define CDMPP_FEATURES_LEAF_ROW_H

#include "features/access.h"
#include "features/leaf.h"

enum cdm_reuse { REUSE_LOOP, REUSE_SERIAL, REUSE_NONE };

struct cdm_slot {
    enum cdm_access_type type;
    enum cdm_reuse reuse;
    float bytes, unique_bytes, lines, unique_lines;
    float reuse_dis_iter, reuse_dis_bytes, reuse_ct;
    float stride;
};

/* Loops of one annotation around a store. */
struct cdm_annotated {
    float num, prod, len;
};

enum { CDM_N_OPS = 16, CDM_N_AXES = 6, CDM_N_CURVE = 10 };

struct cdm_leaf_row {
    float ops[CDM_N_OPS]; /* entries 0-15 */
    struct cdm_annotated vec, unroll, parallel;
    float is_gpu;
    float axes[CDM_N_AXES]; /* blockIdx.x/y/z, threadIdx.x/y/z */
    float vthread;
    struct cdm_slot slots[CDM_N_SLOTS]; /* in the order of the vector */
    int32_t n_slots;
    float curve[CDM_N_CURVE];
    float alloc_size, alloc_prod, alloc_outer_prod, alloc_inner_prod;
    float outer_prod, num_loops, auto_unroll_max_step;
    int32_t buffer; /* base id: identity in the TVM view */
};

/* Writes the CDM_N_FEATURES values of `row`; finite whatever the row holds. */
void cdm_leaf_write(const struct cdm_leaf_row *row, bool raw, float *out);

#endif
