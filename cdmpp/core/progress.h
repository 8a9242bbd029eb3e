/* A progress bar with rate and time left on standard error, drawn only when that is a terminal and
 * messages are not turned off. It costs a comparison and a look at the clock now and then. */
#ifndef CDMPP_CORE_PROGRESS_H
#define CDMPP_CORE_PROGRESS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct cdm_progress {
    const char *what; /* "reading", "epoch 3" */
    const char *unit; /* "programs" */
    int64_t total;    /* 0 = unknown: count and rate only */
    int64_t done;
    bool shown;
    double started; /* seconds of the monotonic clock */
    double drawn;   /* when it was drawn last */
    int64_t look;   /* the clock is looked at when `done` has come so far */
    char note[64];
};

/* Strings must outlive the bar. */
void cdm_progress_start(struct cdm_progress *progress, const char *what, const char *unit,
                        int64_t total);

/* `done` units are done in all. Draws a few times a second at most. */
void cdm_progress_update(struct cdm_progress *progress, int64_t done);

/* A short text at the end of the bar, such as the loss; cut to what fits. */
void cdm_progress_note(struct cdm_progress *progress, const char *note);

/* Takes the bar away. */
void cdm_progress_finish(struct cdm_progress *progress);

/* The text of the bar as it would be drawn at `now` (same clock as `started`) on a terminal of
 * `columns`, for drawing and for tests. Cut to `size` bytes. */
void cdm_progress_text(const struct cdm_progress *progress, double now, int columns, char *text,
                       size_t size);

#endif
