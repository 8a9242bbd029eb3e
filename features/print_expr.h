/* Parts of the canonical printer that features/print.c and features/print_expr.c share. */
#ifndef CDMPP_FEATURES_PRINT_EXPR_H
#define CDMPP_FEATURES_PRINT_EXPR_H

#include "features/print.h"

/* Appends the text in double quotes, with escapes. */
void cdm_print_string(const char *text, struct cdm_str *out);

/* Appends "BUFFER[indices, predicate=p]"; predicate NULL: none. */
void cdm_print_access(const struct cdm_namer *namer, const struct cdm_buffer *buffer,
                      struct cdm_expr *const *indices, int32_t n, const struct cdm_expr *predicate,
                      struct cdm_str *out);

/* Appends "a + b", grouped as the reader of a range a:a+b expects it. */
void cdm_print_sum(const struct cdm_namer *namer, const struct cdm_expr *a,
                   const struct cdm_expr *b, struct cdm_str *out);

/* Appends "min<between>end" of a range that is given by its extent. */
void cdm_print_range(const struct cdm_namer *namer, const struct cdm_expr *min,
                     const struct cdm_expr *extent, const char *between, struct cdm_str *out);

/* The spelling of the type where it must be a Python name, as in "x: T.TYPE"; "handle" when it
 * cannot be. Uses `text` of `size` bytes. */
const char *cdm_type_word(struct cdm_type type, char *text, size_t size);

/* Appends a name with only the characters that Python allows, without a numeric suffix when `stem`.
 */
void cdm_print_name(const char *name, bool stem, struct cdm_str *out);

#endif
