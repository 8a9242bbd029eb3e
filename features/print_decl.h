/* What the canonical text of a program declares, and where: parameters, free variables, buffers.
 * Private to the printer.
 *
 * A buffer is declared where everything that its declaration mentions is known: at the top of the
 * function, or in the scope of the loop, let or allocation that makes it known. */
#ifndef CDMPP_FEATURES_PRINT_DECL_H
#define CDMPP_FEATURES_PRINT_DECL_H

#include "features/print.h"

struct cdm_declarations;

struct cdm_declarations *cdm_declarations_new(const struct cdm_program *program,
                                              const struct cdm_namer *namer);
void cdm_declarations_free(struct cdm_declarations *declarations);

/* Appends the parameters, with commas between. */
void cdm_print_params(const struct cdm_declarations *declarations, struct cdm_str *out);

/* Appends the lines at the top of the function, `indent` spaces deep. */
void cdm_print_top(struct cdm_declarations *declarations, int indent, struct cdm_str *out);

/* Appends the lines that belong to the scope which `stmt` opens. The statements of the program must
 * come in their order. */
void cdm_print_inside(struct cdm_declarations *declarations, const struct cdm_stmt *stmt,
                      int indent, struct cdm_str *out);

#endif
