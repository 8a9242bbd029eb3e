#include "cdmpp/core/error.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static void clean(char *text)
{
    for (unsigned char *c = (unsigned char *)text; *c; c++)
        if (*c < 0x20 || *c == 0x7f)
            *c = '?';
}

CDM_PRINTF(5, 0)
static void fill(struct cdm_error *err, enum cdm_status status, int64_t line, int64_t column,
                 const char *format, va_list args)
{
    if (!err)
        return;
    err->status = status;
    err->line = line;
    err->column = column;
    vsnprintf(err->message, sizeof err->message, format, args);
    clean(err->message);
}

enum cdm_status cdm_fail(struct cdm_error *err, enum cdm_status status, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    fill(err, status, 0, 0, format, args);
    va_end(args);
    return status;
}

enum cdm_status cdm_fail_at(struct cdm_error *err, enum cdm_status status, int64_t line,
                            int64_t column, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    fill(err, status, line, column, format, args);
    va_end(args);
    return status;
}

enum cdm_status cdm_fail_in(struct cdm_error *err, const char *format, ...)
{
    char context[sizeof err->message];
    va_list args;

    if (!err)
        return CDM_BUG;
    va_start(args, format);
    vsnprintf(context, sizeof context, format, args);
    va_end(args);
    clean(context);
    size_t used = strlen(context);
    size_t old = strlen(err->message);
    if (used + 2 >= sizeof err->message)
        used = sizeof err->message - 3;
    size_t room = sizeof err->message - used - 3;
    if (old > room)
        old = room;
    memmove(err->message + used + 2, err->message, old);
    memcpy(err->message, context, used);
    memcpy(err->message + used, ": ", 2);
    err->message[used + 2 + old] = '\0';
    return err->status;
}

char *cdm_error_text(const struct cdm_error *err, const char *file, char *text, int size)
{
    char place[64] = "";

    if (err->line > 0 && err->column > 0)
        snprintf(place, sizeof place, "%lld:%lld: ", (long long)err->line, (long long)err->column);
    else if (err->line > 0)
        snprintf(place, sizeof place, "%lld: ", (long long)err->line);
    if (file && *place)
        snprintf(text, (size_t)size, "%s:%s%s", file, place, err->message);
    else if (file)
        snprintf(text, (size_t)size, "%s: %s", file, err->message);
    else
        snprintf(text, (size_t)size, "%s%s", place, err->message);
    return text;
}

int cdm_exit_status(enum cdm_status status)
{
    switch (status) {
    case CDM_OK:
        return 0;
    case CDM_BAD_INPUT:
    case CDM_NO_MEMORY:
        return 1;
    case CDM_USAGE:
        return 2;
    case CDM_UNAVAILABLE:
        return 3;
    case CDM_IO:
        return 4;
    case CDM_STOPPED:
        return 130;
    case CDM_BUG:
        return 70;
    }
    return 70;
}
