/* What one store statement touches: operation counts of its value and all buffer accesses.
 * Private to features/leaf.c. */
#ifndef CDMPP_FEATURES_ACCESS_H
#define CDMPP_FEATURES_ACCESS_H

#include "features/program.h"

/* How often each kind of operation occurs in the stored value. */
struct cdm_op_counts {
    int64_t float_addsub, float_mul, float_divmod, float_cmp, float_math, float_other;
    int64_t int_addsub, int_mul, int_divmod, int_cmp, int_math, int_other;
    int64_t bool_op, select_op;
};

enum cdm_access_type { ACCESS_READ, ACCESS_WRITE, ACCESS_READ_WRITE };

/* All accesses of the statement to one buffer. Indices are stored one access after another,
 * `n_dims` each. */
struct cdm_access {
    struct cdm_buffer *buffer; /* as it was first accessed; buffer->base is the identity */
    enum cdm_access_type type;
    int32_t n_dims;
    int32_t n;                  /* number of accesses */
    struct cdm_expr ***indices; /* [n] arrays of n_dims expressions, borrowed from the program */
    int32_t max;                /* room in indices */
};

/* Where the accesses to a buffer are, if `statement` is that of the present one. */
struct cdm_access_place {
    int32_t statement;
    int32_t item;
};

struct cdm_accesses {
    struct cdm_access *items; /* [n]; the stored buffer is the first */
    int32_t n, max;
    struct cdm_op_counts ops;
    struct cdm_access_place *places; /* [max_places] by base id */
    size_t max_places;
    int32_t statement; /* number of the present one */
};

/* Collects from `store` into `accesses`, whose memory is used again. */
void cdm_accesses_collect(struct cdm_accesses *accesses, const struct cdm_stmt *store);
void cdm_accesses_release(struct cdm_accesses *accesses);

/* TVM's approximation of the coefficient of `var` in an index expression, 0 when it does not occur.
 */
int64_t cdm_coefficient(const struct cdm_expr *index, const struct cdm_var *var);

/* Whether `var` occurs in the expression. */
bool cdm_expr_has_var(const struct cdm_expr *expr, const struct cdm_var *var);

#endif
