/* Constant bounds of integer expressions: the smallest interval rule set that TVM 0.10's
 * ConstIntBound analysis applies, so that touched regions (features/leaf.c) come out as TVM's. */
#ifndef CDMPP_FEATURES_BOUND_H
#define CDMPP_FEATURES_BOUND_H

#include "features/program.h"

/* Inclusive. CDM_BOUND_INF and its negative stand for unknown. */
struct cdm_bound {
    int64_t min;
    int64_t max;
};

#define CDM_BOUND_INF INT64_MAX

/* The bound of `expr`, given `vars[id]` for every variable of the program (cdm_bound_of_type() for
 * one that nothing is known about). */
struct cdm_bound cdm_bound_of(const struct cdm_expr *expr, const struct cdm_bound *vars);

/* All values of the type. */
struct cdm_bound cdm_bound_of_type(struct cdm_type type);

/* The bound of a loop variable: min .. min + extent - 1. */
struct cdm_bound cdm_bound_of_loop(const struct cdm_expr *min, const struct cdm_expr *extent,
                                   const struct cdm_bound *vars);

/* The largest trip count of a loop, 1 when none can be told. */
int64_t cdm_loop_extent(const struct cdm_expr *extent, const struct cdm_bound *vars);

#endif
