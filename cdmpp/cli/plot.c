#include "cdmpp/cli/plot.h"

#include "cdmpp/core/str.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { MAX_POINTS = 2000, PANEL_COLUMNS = 4, PANEL_SIZE = 280 };

/* In gnuplot's single quotes only the quote itself is special. */
static void put_quoted(FILE *out, const char *text)
{
    fputc('\'', out);
    for (; *text; text++) {
        if (*text == '\'')
            fputc('\'', out);
        fputc(*text, out);
    }
    fputc('\'', out);
}

static bool has_point(const struct cdm_samples *s, const double *predicted, size_t i,
                      int32_t device)
{
    return s->dataset.measured_on[i] == device && !isnan(predicted[i]);
}

/* The points of one device and kind of task as inline data; not more than a plot can show. */
static void put_points(FILE *out, const struct cdm_samples *s, const double *predicted,
                       int32_t device, bool unseen)
{
    size_t n = 0, step, k = 0;

    for (size_t i = 0; i < s->dataset.n_measurements; i++)
        n += has_point(s, predicted, i, device) && s->unseen[i] == unseen;
    step = n / MAX_POINTS + 1;
    fprintf(out, "$%s%d << EOD\n", unseen ? "unseen" : "seen", device);
    for (size_t i = 0; i < s->dataset.n_measurements; i++)
        if (has_point(s, predicted, i, device) && s->unseen[i] == unseen && k++ % step == 0)
            fprintf(out, "%.9g %.9g\n", s->dataset.seconds[i], predicted[i]);
    if (!n) /* gnuplot does not take a block without points */
        fputs("NaN NaN\n", out);
    fputs("EOD\n", out);
}

static void put_script(FILE *out, const struct cdm_samples *s, const double *predicted, bool svg,
                       const char *file)
{
    int32_t n = (int32_t)s->dataset.n_devices, panels = 0;
    bool *shown = calloc((size_t)n + 1, sizeof *shown);

    for (size_t i = 0; shown && i < s->dataset.n_measurements; i++)
        shown[s->dataset.measured_on[i]] |= !isnan(predicted[i]);
    for (int32_t d = 0; shown && d < n; d++)
        panels += shown[d];
    int columns = panels < PANEL_COLUMNS ? panels : PANEL_COLUMNS;
    int rows = columns ? (panels + columns - 1) / columns : 1;
    fprintf(out, "set terminal %s size %d,%d\nset output ",
            svg ? "svg background 'white'" : "pngcairo", columns * PANEL_SIZE, rows * PANEL_SIZE);
    put_quoted(out, file);
    fprintf(
        out,
        "\nset multiplot layout %d,%d\nset logscale xy\nset format x '10^{%%T}'\nset format y "
        "'10^{%%T}'\n"
        "set xlabel 'measured, s'\nset ylabel 'predicted, s'\nset key top left\nset size square\n",
        rows, columns);
    for (int32_t d = 0; shown && d < n; d++) {
        if (!shown[d])
            continue;
        put_points(out, s, predicted, d, false);
        put_points(out, s, predicted, d, true);
        fputs("set title ", out);
        put_quoted(out, s->device_names[d]);
        fprintf(out,
                "\nplot $seen%d with points pt 7 ps 0.2 lc rgb '#4477aa' title 'seen task', "
                "$unseen%d with points pt 7 ps 0.2 lc rgb '#cc6677' title 'unseen task', "
                "x with lines lc rgb 'black' notitle\n",
                d, d);
    }
    fputs("unset multiplot\n", out);
    free(shown);
}

enum cdm_status cdm_plot_check(const char *path, struct cdm_error *err)
{
    /* A name that is nothing but the ending is none. */
    if (strlen(path) <= strlen(".svg") ||
        !(cdm_text_ends(path, ".svg") || cdm_text_ends(path, ".png")))
        return cdm_fail(err, CDM_USAGE, "--plot draws .svg and .png files, not \"%s\"", path);
    if (system("command -v gnuplot >/dev/null 2>&1") != 0)
        return cdm_fail(err, CDM_UNAVAILABLE, "--plot needs gnuplot, which is not on PATH");
    return CDM_OK;
}

enum cdm_status cdm_plot_predictions(const char *path, const struct cdm_samples *samples,
                                     const double *predicted, struct cdm_error *err)
{
    bool svg = cdm_text_ends(path, ".svg");
    struct cdm_str temporary = {0};
    enum cdm_status status = cdm_plot_check(path, err);

    if (status)
        return status;
    cdm_str_printf(&temporary, "%s.%ld.tmp", path, (long)getpid());
    FILE *out = popen("gnuplot", "w");
    if (!out) {
        status = cdm_fail(err, CDM_UNAVAILABLE, "cannot start gnuplot");
    } else {
        put_script(out, samples, predicted, svg, temporary.data);
        if (pclose(out) != 0)
            status = cdm_fail(err, CDM_IO, "gnuplot could not draw %s", path);
        else if (rename(temporary.data, path))
            status = cdm_fail(err, CDM_IO, "cannot put the plot in its place: %s", path);
    }
    if (status)
        unlink(temporary.data);
    cdm_str_release(&temporary);
    return status;
}
