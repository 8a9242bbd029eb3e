/* Reading JSON: text to a document of values, by simdjson.
 *
 * One parser holds one document at a time and reuses its memory for the next, so that reading a
 * file of NDJSON lines allocates nothing per line or per value. Values are small handles into the
 * parser's document: they, and all text they give out, stay valid until the parser reads again or
 * is freed.
 *
 * What is accepted is RFC 8259 and nothing else:
 *   - the whole text must be valid UTF-8; a byte order mark at its start is skipped;
 *   - exactly one value, with only white space around it;
 *   - nesting of arrays and objects is at most CDM_JSON_MAX_DEPTH;
 *   - an integer (no fraction, no exponent) must fit in int64 or uint64; any other number must be
 *     finite as a double. "-0" is the integer 0;
 *   - an escaped surrogate must be one half of a pair;
 *   - an object may repeat a name: lookups find the first one, iteration gives them all. */
#ifndef CDMPP_CORE_JSON_H
#define CDMPP_CORE_JSON_H

#include "cdmpp/core/error.h"
#include "cdmpp/core/str.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { CDM_JSON_MAX_DEPTH = 512 };

enum cdm_json_kind {
    CDM_JSON_NULL,
    CDM_JSON_BOOL,
    CDM_JSON_INT,    /* fits in int64 */
    CDM_JSON_UINT,   /* above the largest int64, fits in uint64 */
    CDM_JSON_DOUBLE, /* written with a fraction or an exponent */
    CDM_JSON_STRING,
    CDM_JSON_ARRAY,
    CDM_JSON_OBJECT,
};

struct cdm_json_parser;

/* One value of the document. Copy it freely. */
struct cdm_json {
    uint64_t inside[2]; /* private */
};

/* Walks the elements of an array or the members of an object. */
struct cdm_json_iter {
    uint64_t inside[4]; /* private */
};

/* A parser for texts of at most `max_bytes` (at most 4 GiB - 1). Never NULL. Memory is taken as
 * texts need it: up to about 15 times the longest text, of which the system backs only what is
 * written. */
struct cdm_json_parser *cdm_json_parser_new(size_t max_bytes);
void cdm_json_parser_free(struct cdm_json_parser *parser);

/* Reads a whole document. The text is copied; it need not be padded or terminated. `first_line` is
 * the number of the text's first line in the file it comes from: the lines in errors count from it.
 * On failure *root is not changed and values of an earlier document are gone. */
enum cdm_status cdm_json_parse(struct cdm_json_parser *parser, struct cdm_view text,
                               int64_t first_line, struct cdm_json *root,
                               struct cdm_error *err) CDM_MUST_CHECK;

enum cdm_json_kind cdm_json_kind(struct cdm_json value);

/* Where the value starts in the text. Walks the text up to there: for messages, not for every
 * value. */
void cdm_json_place(const struct cdm_json_parser *parser, struct cdm_json value, int64_t *line,
                    int64_t *column);

/* The text of the value as it was written, in the parser's copy of the text. As slow as the above.
 */
struct cdm_view cdm_json_text(const struct cdm_json_parser *parser, struct cdm_json value);

/* Fills *err with CDM_BAD_INPUT, the place of the value and the message. */
enum cdm_status cdm_json_fail(const struct cdm_json_parser *parser, struct cdm_json value,
                              struct cdm_error *err, const char *format, ...) CDM_PRINTF(4, 5);

/* Typed values. Another kind is CDM_BAD_INPUT with the place of the value. `double` takes every
 * number, `int` every integer that fits. Strings are unescaped UTF-8 and may hold NUL bytes. */
enum cdm_status cdm_json_string(const struct cdm_json_parser *parser, struct cdm_json value,
                                struct cdm_view *string, struct cdm_error *err) CDM_MUST_CHECK;
enum cdm_status cdm_json_int(const struct cdm_json_parser *parser, struct cdm_json value,
                             int64_t *integer, struct cdm_error *err) CDM_MUST_CHECK;
enum cdm_status cdm_json_double(const struct cdm_json_parser *parser, struct cdm_json value,
                                double *number, struct cdm_error *err) CDM_MUST_CHECK;
enum cdm_status cdm_json_bool(const struct cdm_json_parser *parser, struct cdm_json value,
                              bool *truth, struct cdm_error *err) CDM_MUST_CHECK;

/* The same without an error, for inner loops: false, and nothing changed, for another kind. */
bool cdm_json_is_string(struct cdm_json value, struct cdm_view *string);
bool cdm_json_is_int(struct cdm_json value, int64_t *integer);
bool cdm_json_is_double(struct cdm_json value, double *number);
bool cdm_json_is_bool(struct cdm_json value, bool *truth);

/* The member `name` of an object; false when there is none or `object` is something else. */
bool cdm_json_find(struct cdm_json object, const char *name, struct cdm_json *value);

/* A member that must be there, of one kind (cdm_json_field: of any). The error names the member. */
enum cdm_status cdm_json_field(const struct cdm_json_parser *parser, struct cdm_json object,
                               const char *name, struct cdm_json *value,
                               struct cdm_error *err) CDM_MUST_CHECK;
enum cdm_status cdm_json_field_object(const struct cdm_json_parser *parser, struct cdm_json object,
                                      const char *name, struct cdm_json *value,
                                      struct cdm_error *err) CDM_MUST_CHECK;
enum cdm_status cdm_json_field_array(const struct cdm_json_parser *parser, struct cdm_json object,
                                     const char *name, struct cdm_json *value,
                                     struct cdm_error *err) CDM_MUST_CHECK;
enum cdm_status cdm_json_field_string(const struct cdm_json_parser *parser, struct cdm_json object,
                                      const char *name, struct cdm_view *string,
                                      struct cdm_error *err) CDM_MUST_CHECK;
enum cdm_status cdm_json_field_int(const struct cdm_json_parser *parser, struct cdm_json object,
                                   const char *name, int64_t *integer,
                                   struct cdm_error *err) CDM_MUST_CHECK;
enum cdm_status cdm_json_field_double(const struct cdm_json_parser *parser, struct cdm_json object,
                                      const char *name, double *number,
                                      struct cdm_error *err) CDM_MUST_CHECK;
enum cdm_status cdm_json_field_bool(const struct cdm_json_parser *parser, struct cdm_json object,
                                    const char *name, bool *truth,
                                    struct cdm_error *err) CDM_MUST_CHECK;

/* Elements of an array or members of an object; 0 for other kinds. */
size_t cdm_json_count(struct cdm_json value);

/* `struct cdm_json_iter iter = cdm_json_elements(array);`
 * `while (cdm_json_next(&iter, &value)) ...`. Another kind than an array has no elements. */
struct cdm_json_iter cdm_json_elements(struct cdm_json array);
bool cdm_json_next(struct cdm_json_iter *iter, struct cdm_json *value);

/* The same for the members of an object, in the order of the text. */
struct cdm_json_iter cdm_json_members(struct cdm_json object);
bool cdm_json_next_member(struct cdm_json_iter *iter, struct cdm_view *name,
                          struct cdm_json *value);

#ifdef __cplusplus
}
#endif

#endif
