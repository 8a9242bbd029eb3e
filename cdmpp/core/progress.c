#include "cdmpp/core/progress.h"

#include "cdmpp/core/log.h"

#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

static const double redraw_seconds = 0.2;

static double now_seconds(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

void cdm_progress_start(struct cdm_progress *progress, const char *what, const char *unit,
                        int64_t total)
{
    *progress = (struct cdm_progress){.what = what, .unit = unit, .total = total};
    progress->shown = isatty(STDERR_FILENO) && cdm_log_shows(CDM_LOG_WARNING);
    if (progress->shown)
        progress->started = progress->drawn = now_seconds();
}

/* "1.2k" style, at most five characters. */
static void format_count(double count, char *text, size_t size)
{
    static const char suffixes[] = " kMGT";
    int i = 0;

    while (count >= 9999.5 && suffixes[i + 1]) {
        count /= 1000;
        i++;
    }
    if (i > 0)
        snprintf(text, size, "%.*f%c", count < 100 ? 1 : 0, count, suffixes[i]);
    else
        snprintf(text, size, "%.*f", count < 10 && count > 0 ? 1 : 0, count);
}

static void format_time(double seconds, char *text, size_t size)
{
    if (!(seconds < 359999))
        snprintf(text, size, "--:--");
    else if (seconds >= 3600)
        snprintf(text, size, "%d:%02d:%02d", (int)seconds / 3600, (int)seconds / 60 % 60,
                 (int)seconds % 60);
    else
        snprintf(text, size, "%02d:%02d", (int)seconds / 60, (int)seconds % 60);
}

void cdm_progress_text(const struct cdm_progress *progress, double now, int columns, char *text,
                       size_t size)
{
    enum { BAR = 24 };
    char rate_text[16];
    char left_text[16];
    char bar[BAR + 1] = "";
    double passed = now - progress->started;
    double rate = passed > 0 ? (double)progress->done / passed : 0;

    format_count(rate, rate_text, sizeof rate_text);
    if (progress->total > 0) {
        double share = (double)progress->done / (double)progress->total;
        share = share > 1 ? 1 : share;
        double left = rate > 0 ? (double)(progress->total - progress->done) / rate : 1e30;
        format_time(left > 0 ? left : 0, left_text, sizeof left_text);
        int filled = (int)(share * BAR);
        memset(bar, '#', (size_t)filled);
        memset(bar + filled, '.', (size_t)(BAR - filled));
        snprintf(text, size, "%s [%s] %3d%% %s %s/s, %s left%s%s", progress->what, bar,
                 (int)(share * 100), rate_text, progress->unit, left_text,
                 *progress->note ? ", " : "", progress->note);
    } else {
        char done_text[16];
        format_count((double)progress->done, done_text, sizeof done_text);
        snprintf(text, size, "%s: %s %s, %s/s%s%s", progress->what, done_text, progress->unit,
                 rate_text, *progress->note ? ", " : "", progress->note);
    }
    /* A bar that is wider than the terminal would wrap, and the next one could not be drawn over
     * it. */
    if (columns > 1 && strlen(text) >= (size_t)columns)
        text[columns - 1] = '\0';
}

static void draw(struct cdm_progress *progress, double now)
{
    char text[256];
    struct winsize window = {0};

    if (ioctl(STDERR_FILENO, TIOCGWINSZ, &window) || window.ws_col == 0)
        window.ws_col = 80;
    cdm_progress_text(progress, now, window.ws_col, text, sizeof text);
    cdm_log_bar(text);
    progress->drawn = now;
}

void cdm_progress_update(struct cdm_progress *progress, int64_t done)
{
    progress->done = done;
    if (!progress->shown || done < progress->look)
        return;
    double now = now_seconds();
    double passed = now - progress->started;
    /* Look again after about a tenth of the time between two drawings. */
    double step = passed > 0 ? (double)done / passed * redraw_seconds / 10 : 0;
    progress->look = done + (step < 1 ? 1 : step > 1e9 ? (int64_t)1e9 : (int64_t)step);
    if (now - progress->drawn >= redraw_seconds)
        draw(progress, now);
}

void cdm_progress_note(struct cdm_progress *progress, const char *note)
{
    snprintf(progress->note, sizeof progress->note, "%s", note);
}

void cdm_progress_finish(struct cdm_progress *progress)
{
    if (progress->shown)
        cdm_log_bar(NULL);
    progress->shown = false;
}
