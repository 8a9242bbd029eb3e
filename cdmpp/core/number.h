/* Numbers from text and back: strict, fast, and the same in every locale. */
#ifndef CDMPP_CORE_NUMBER_H
#define CDMPP_CORE_NUMBER_H

#include "cdmpp/core/str.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Each reads the whole of `text` or returns false and leaves *value alone. No spaces, no "+", no
 * hexadecimal. A number that does not fit is refused. */
bool cdm_parse_int64(struct cdm_view text, int64_t *value);
bool cdm_parse_uint64(struct cdm_view text, uint64_t *value);

/* Decimal with optional fraction and exponent ("12", "-0.5", ".5", "1.", "1e-3"), correctly
 * rounded. A number too large for a double is refused, as are "inf" and "nan"; one too small
 * becomes 0 or a denormal. */
bool cdm_parse_double(struct cdm_view text, double *value);

/* Bytes that the longest number needs, with its NUL. */
enum { CDM_NUMBER_SIZE = 32 };

/* The shortest decimal that reads back as the same value ("0.1", "1e-07", "12345"). The value must
 * be finite. Writes a NUL after it and returns the length. */
size_t cdm_format_double(char text[CDM_NUMBER_SIZE], double value);
size_t cdm_format_float(char text[CDM_NUMBER_SIZE], float value);
size_t cdm_format_int64(char text[CDM_NUMBER_SIZE], int64_t value);

void cdm_str_add_double(struct cdm_str *str, double value);
void cdm_str_add_float(struct cdm_str *str, float value);
void cdm_str_add_int64(struct cdm_str *str, int64_t value);

#endif
