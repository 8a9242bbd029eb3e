/* Writing JSON onto a text builder.
 *
 *     cdm_json_begin(&out, '{');
 *     cdm_json_name(&out, "seconds");
 *     cdm_json_put_double(&out, 1.5e-6);
 *     cdm_json_end(&out, '}');
 *
 * Commas are set by looking at the last byte written: a value or a name that follows another value
 * gets one before it. Nothing else is checked; the caller nests begin and end properly. No white
 * space is written; the caller ends an NDJSON line with '\n'. */
#ifndef CDMPP_CORE_JSON_WRITE_H
#define CDMPP_CORE_JSON_WRITE_H

#include "cdmpp/core/str.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* '{' or '['. */
void cdm_json_begin(struct cdm_str *out, char bracket);
/* '}' or ']'. */
void cdm_json_end(struct cdm_str *out, char bracket);
/* The name of the member that the next value is. */
void cdm_json_name(struct cdm_str *out, const char *name);

/* Quotes, backslashes and control characters are escaped, other characters stay as they are. Every
 * byte that is no part of valid UTF-8 is replaced by U+FFFD, so that the result is always good
 * JSON. */
void cdm_json_put_string(struct cdm_str *out, struct cdm_view text);
void cdm_json_put_text(struct cdm_str *out, const char *text);
void cdm_json_put_int(struct cdm_str *out, int64_t integer);
/* The shortest decimal that reads back as the same number; infinities and NaN are null. */
void cdm_json_put_double(struct cdm_str *out, double number);
/* The same for numbers that are read back as float. */
void cdm_json_put_float(struct cdm_str *out, float number);
void cdm_json_put_bool(struct cdm_str *out, bool truth);
void cdm_json_put_null(struct cdm_str *out);
/* JSON that was made elsewhere. */
void cdm_json_put_raw(struct cdm_str *out, struct cdm_view json);

#endif
