/* Small exact rewrites of index expressions, enough to read what printers took apart. */
#ifndef CDMPP_FEATURES_SIMPLIFY_H
#define CDMPP_FEATURES_SIMPLIFY_H

#include "features/build.h"

/* Whether two expressions are the same tree (same variables, buffers, values and types of nodes).
 */
bool cdm_expr_equal(const struct cdm_expr *a, const struct cdm_expr *b);

/* end - min, without what both have in common: the extent of a printed range `min:end`. A
 * difference that is a number becomes an EXPR_INT. */
struct cdm_expr *cdm_expr_difference(struct cdm_builder *builder, struct cdm_expr *end,
                                     struct cdm_expr *min);

#endif
