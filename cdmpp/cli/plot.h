/* Plots, drawn by gnuplot. */
#ifndef CDMPP_CLI_PLOT_H
#define CDMPP_CLI_PLOT_H

#include "cdmpp/cli/samples.h"

/* Draws predicted against measured latency, a panel for each device, into `path` (.svg or .png),
 * atomically. predicted: [n_measurements] seconds, NaN where there is none. CDM_UNAVAILABLE without
 * gnuplot, CDM_USAGE for another ending of the name. */
enum cdm_status cdm_plot_predictions(const char *path, const struct cdm_samples *samples,
                                     const double *predicted, struct cdm_error *err) CDM_MUST_CHECK;

#endif
