#include "cdmpp/core/log.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { LONGEST = 4096 };

static struct {
    enum cdm_log_level level;
    const char *name;
    bool has_bar;
} logging = {CDM_LOG_WARNING, "cdmpp", false};

void cdm_log_setup(enum cdm_log_level level, const char *name)
{
    logging.level = level;
    if (name)
        logging.name = name;
}

bool cdm_log_shows(enum cdm_log_level level)
{
    return level <= logging.level;
}

/* The text comes from a file or from the command line and must not steer the terminal. */
static void clean(char *text)
{
    for (unsigned char *c = (unsigned char *)text; *c; c++)
        if (*c < 0x20 || *c == 0x7f)
            *c = '?';
}

static void write_line(char *line)
{
    clean(line);
    /* Results that were printed before the message stand before it when both go to one place. */
    fflush(stdout);
    fprintf(stderr, "%s%s\n", logging.has_bar ? "\r\033[K" : "", line);
    logging.has_bar = false;
}

void cdm_log(enum cdm_log_level level, const char *format, ...)
{
    char line[LONGEST];
    va_list args;

    if (!cdm_log_shows(level))
        return;
    int used = snprintf(line, sizeof line, "%s: ", logging.name);
    if (used < 0 || used >= LONGEST)
        used = 0;
    va_start(args, format);
    vsnprintf(line + used, sizeof line - (size_t)used, format, args);
    va_end(args);
    write_line(line);
}

void cdm_log_error(const struct cdm_error *err, const char *file)
{
    char line[LONGEST];

    if (file)
        cdm_error_text(err, file, line, LONGEST);
    else
        snprintf(line, sizeof line, "%s: %s", logging.name, err->message);
    write_line(line);
}

void cdm_log_bar(const char *text)
{
    if (text)
        fprintf(stderr, "\r\033[K%s", text);
    else if (logging.has_bar)
        fputs("\r\033[K", stderr);
    logging.has_bar = text != NULL;
    fflush(stderr);
}
