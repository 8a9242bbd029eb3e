/* Feature set 1: the 164 numbers that describe one store ("leaf"), by the rules of TVM v0.10's
 * auto_scheduler.
 *
 * Two views of the same computation:
 *  - leaf view, the model's: one row for each store statement in program order. Each row counts its
 * own statement alone. Entries 157-160 (allocation) describe the innermost realize or allocation of
 * the stored buffer around the store, 0 without one.
 *  - TVM view, for comparison: one row for each buffer. Operation counts add up over the stores to
 * a buffer, all else comes from the last store; a buffer that is only allocated has a row too.
 *
 * Where TVM leaves an order to a hash table we fix one: buffer slots with equal (lines, bytes)
 * stand in reverse order of first access (the store is the first); unique_lines looks at the region
 * of the stored buffer. */
#ifndef CDMPP_FEATURES_LEAF_H
#define CDMPP_FEATURES_LEAF_H

#include "features/ast.h"
#include "features/program.h"

enum {
    CDM_FEATURE_SET = 1,
    CDM_N_SLOTS = 5,
    CDM_SLOT_ENTRIES = 18,
    CDM_N_FEATURES = 164,
    CDM_FIRST_SLOT = 57,                                               /* index of B0 */
    CDM_FIRST_CURVE = CDM_FIRST_SLOT + CDM_N_SLOTS * CDM_SLOT_ENTRIES, /* 147 */
};

enum cdm_leaf_view { CDM_VIEW_LEAF, CDM_VIEW_TVM };

struct cdm_leaf_matrix {
    float *values;      /* [n_rows][CDM_N_FEATURES] */
    int32_t *positions; /* [n_rows] leaf view: cdm_ast_position(); TVM view: 0 */
    int32_t n_rows;
};

/* Working memory that can be used again for the next program. */
struct cdm_extractor;
struct cdm_extractor *cdm_extractor_new(void);
void cdm_extractor_free(struct cdm_extractor *extractor);

/* Computes the matrix of `program`. The result belongs to the extractor and is valid until its next
 * use. Every value is finite. `raw` leaves out sign(x) * log2(|x| + 1). CDM_BAD_INPUT: more than
 * 2^20 rows, or too many loops around too many stores. */
enum cdm_status cdm_extract(struct cdm_extractor *extractor, const struct cdm_program *program,
                            enum cdm_leaf_view view, bool raw, struct cdm_leaf_matrix *matrix,
                            struct cdm_error *err) CDM_MUST_CHECK;

/* The name of entry i, such as "float_mul" or "B0.stride". */
const char *cdm_feature_name(int i);

#endif
