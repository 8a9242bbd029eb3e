/* A plain scanner over JSON text, for what simdjson's documents do not tell: where the first fault
 * stands and what it is, and where a value begins and ends. Used by json.cpp on the way to a
 * message. */
#ifndef CDMPP_CORE_JSON_SCAN_H
#define CDMPP_CORE_JSON_SCAN_H

#include <stdbool.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Finds the first fault in `length` bytes of text that are followed by a NUL byte. The rules are
 * those of json.h, a byte order mark excepted. Returns what is wrong (static text) and sets
 * *offset, or NULL when the text is good. */
const char *cdm_json_scan_fault(const char *text, size_t length, size_t *offset);

/* Finds value number `n`, counted from 0 in the order in which values begin (the whole document is
 * 0; names of members do not count), in a text that has no fault. Returns false when there are
 * fewer. */
bool cdm_json_scan_value(const char *text, size_t length, size_t n, size_t *begin, size_t *end);

/* Bytes of the UTF-8 sequence that begins at text[at]; 0 when it is not valid. */
size_t cdm_json_utf8_length(const char *text, size_t length, size_t at);

#ifdef __cplusplus
}
#endif

#endif
