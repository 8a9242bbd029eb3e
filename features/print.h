/* The canonical text of a program: what `cdmpp show` prints.
 *
 * It is TVMScript that our own reader takes back to the same program. Names are made regular so
 * that the same program from two formats gives the same text: characters that Python's names cannot
 * have become '_', numeric suffixes are dropped and given anew in order of first appearance.
 * Statements whose scope is the rest of a block stand without `with` when they are the last in
 * theirs. */
#ifndef CDMPP_FEATURES_PRINT_H
#define CDMPP_FEATURES_PRINT_H

#include "cdmpp/core/str.h"
#include "features/program.h"

/* Appends the program, several lines, with a newline at the end. */
void cdm_print_program(const struct cdm_program *program, struct cdm_str *out);

/* The canonical names of one program's variables and buffers. */
struct cdm_namer;
struct cdm_namer *cdm_namer_new(const struct cdm_program *program);
void cdm_namer_free(struct cdm_namer *namer);
/* Both belong to the namer. */
const char *cdm_namer_var(const struct cdm_namer *namer, const struct cdm_var *var);
const char *cdm_namer_buffer(const struct cdm_namer *namer, const struct cdm_buffer *buffer);

/* The name for the handle of a parameter that has a buffer, where the handle stands by itself. */
const char *cdm_namer_handle(const struct cdm_namer *namer, int32_t param);

/* Whether the program mentions the variable at all. */
bool cdm_namer_has(const struct cdm_namer *namer, const struct cdm_var *var);

/* Appends one expression. */
void cdm_print_expr(const struct cdm_namer *namer, const struct cdm_expr *expr,
                    struct cdm_str *out);

/* Appends the statement without its body and without a colon or newline: "for i in T.parallel(4)",
 * "C[i, j] = ...". */
void cdm_print_head(const struct cdm_namer *namer, const struct cdm_stmt *stmt,
                    struct cdm_str *out);

#endif
