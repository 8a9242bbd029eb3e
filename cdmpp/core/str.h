/* A view of text that somebody else owns, and a builder that owns its text. */
#ifndef CDMPP_CORE_STR_H
#define CDMPP_CORE_STR_H

#include "cdmpp/core/error.h"

#include <stdbool.h>
#include <stddef.h>

/* Not NUL-terminated; may hold any bytes. */
struct cdm_view {
    const char *data;
    size_t length;
};

/* The view of a NUL-terminated string. */
struct cdm_view cdm_view_of(const char *text);

bool cdm_view_is(struct cdm_view view, const char *text);
bool cdm_view_starts(struct cdm_view view, const char *prefix);

/* Whether the string `text` ends in `end`. */
bool cdm_text_ends(const char *text, const char *end);

/* Zero-initialise. `data` is NUL-terminated as soon as something was added; NULL before. */
struct cdm_str {
    char *data;
    size_t length;
    size_t capacity;
};

void cdm_str_add(struct cdm_str *str, const char *text, size_t length);
void cdm_str_puts(struct cdm_str *str, const char *text);
void cdm_str_putc(struct cdm_str *str, char c);
void cdm_str_printf(struct cdm_str *str, const char *format, ...) CDM_PRINTF(2, 3);
/* Empties it and keeps the memory. */
void cdm_str_reset(struct cdm_str *str);
void cdm_str_release(struct cdm_str *str);

#endif
