/* Error tables for people and programs. */
#ifndef CDMPP_CLI_ERROR_TABLE_H
#define CDMPP_CLI_ERROR_TABLE_H

#include "cdmpp/cli/option.h"
#include "cdmpp/cli/samples.h"
#include "models/evaluate.h"
#include "models/predictor.h"

#include <stdio.h>

/* Predicts the measurements of the samples that are in `split` (enum cdm_split; CDM_SPLIT_NONE:
 * all) and, when `devices` is not NULL, whose device's flag is set there, and makes the error rows.
 * predicted: [n_measurements], NaN where nothing was predicted. *rows is the caller's to free. */
enum cdm_status cdm_samples_evaluate(const struct cdm_samples *samples,
                                     struct cdm_predictor *predictor, int split,
                                     const bool *devices, double *predicted,
                                     struct cdm_error_row **rows, size_t *n_rows,
                                     struct cdm_error *err) CDM_MUST_CHECK;

/* Prints the rows in the form `format` (not CDM_FORMAT_AUTO). */
void cdm_print_error_rows(const struct cdm_error_row *rows, size_t n_rows,
                          const char *const *device_names, enum cdm_format format, FILE *out);

#endif
