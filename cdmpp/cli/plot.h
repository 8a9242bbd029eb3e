/* Plots, drawn by gnuplot. */
#ifndef CDMPP_CLI_PLOT_H
#define CDMPP_CLI_PLOT_H

#include "cdmpp/cli/samples.h"

/* Whether `path` can be drawn: CDM_UNAVAILABLE without gnuplot, CDM_USAGE for a name that does not
 * end in .svg or .png. */
enum cdm_status cdm_plot_check(const char *path, struct cdm_error *err) CDM_MUST_CHECK;

/* Draws predicted against measured latency, a panel for each device, into `path`, atomically.
 * predicted: [n_measurements] seconds, NaN where there is none. Checks as cdm_plot_check() does. */
enum cdm_status cdm_plot_predictions(const char *path, const struct cdm_samples *samples,
                                     const double *predicted, struct cdm_error *err) CDM_MUST_CHECK;

#endif
