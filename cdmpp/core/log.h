/* Messages to standard error. The level, the name before each message and whether a progress bar
 * stands on the terminal are the only state of the process as a whole; main() sets the first two
 * before any thread starts. */
#ifndef CDMPP_CORE_LOG_H
#define CDMPP_CORE_LOG_H

#include "cdmpp/core/error.h"

#include <stdbool.h>

enum cdm_log_level {
    CDM_LOG_ERROR,   /* always shown */
    CDM_LOG_WARNING, /* not with -q */
    CDM_LOG_INFO,    /* what is being done; with -v */
    CDM_LOG_DEBUG,   /* with -vv */
};

/* `name` comes before each message ("cdmpp predict") and must outlive the process; NULL keeps the
 * old one. */
void cdm_log_setup(enum cdm_log_level level, const char *name);

/* Whether messages of `level` are shown. */
bool cdm_log_shows(enum cdm_log_level level);

/* Writes "NAME: message" and a line end in one call. Control characters are replaced by '?'. */
void cdm_log(enum cdm_log_level level, const char *format, ...) CDM_PRINTF(2, 3);

/* Shows an error that travelled up: "NAME: message" or, where the file is known, "FILE:LINE:COLUMN:
 * message". */
void cdm_log_error(const struct cdm_error *err, const char *file);

/* Draws `text` as the progress bar, over the one before; NULL takes it away. For progress.c. */
void cdm_log_bar(const char *text);

#endif
