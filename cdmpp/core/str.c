#include "cdmpp/core/str.h"

#include "cdmpp/core/alloc.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct cdm_view cdm_view_of(const char *text)
{
    return (struct cdm_view){text, strlen(text)};
}

bool cdm_view_is(struct cdm_view view, const char *text)
{
    /* An empty view may be NULL, which memcmp() must not be given. */
    return view.length == strlen(text) && (!view.length || !memcmp(view.data, text, view.length));
}

bool cdm_view_starts(struct cdm_view view, const char *prefix)
{
    size_t length = strlen(prefix);
    return view.length >= length && (!length || !memcmp(view.data, prefix, length));
}

bool cdm_text_ends(const char *text, const char *end)
{
    size_t length = strlen(text), wanted = strlen(end);
    return length >= wanted && !strcmp(text + length - wanted, end);
}

void cdm_str_add(struct cdm_str *str, const char *text, size_t length)
{
    str->data = cdm_grow(str->data, &str->capacity, str->length + length + 1, 1);
    if (length)
        memcpy(str->data + str->length, text, length);
    str->length += length;
    str->data[str->length] = '\0';
}

void cdm_str_puts(struct cdm_str *str, const char *text)
{
    cdm_str_add(str, text, strlen(text));
}

void cdm_str_putc(struct cdm_str *str, char c)
{
    cdm_str_add(str, &c, 1);
}

void cdm_str_printf(struct cdm_str *str, const char *format, ...)
{
    va_list args;
    va_list again;

    va_start(args, format);
    va_copy(again, args);
    int length = vsnprintf(NULL, 0, format, args);
    va_end(args);
    if (length > 0) {
        size_t size = (size_t)length;
        str->data = cdm_grow(str->data, &str->capacity, str->length + size + 1, 1);
        vsnprintf(str->data + str->length, size + 1, format, again);
        str->length += size;
    }
    va_end(again);
}

void cdm_str_reset(struct cdm_str *str)
{
    str->length = 0;
    if (str->data)
        str->data[0] = '\0';
}

void cdm_str_release(struct cdm_str *str)
{
    free(str->data);
    *str = (struct cdm_str){0};
}
