/* The error table of a model: its predictions against measurements, by device and kind of test.
 *
 * Every table has two halves: all programs, and the good ones, whose latency is within four times
 * the best of their task on that device. A last row is the mean over the devices. */
#ifndef CDMPP_MODELS_EVALUATE_H
#define CDMPP_MODELS_EVALUATE_H

#include "cdmpp/core/error.h"
#include "cdmpp/core/str.h"
#include "models/metric.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Measurements with their predictions. All arrays are [n] and borrowed. */
struct cdm_predictions {
    size_t n;
    const int32_t *device;
    const int32_t *task;
    const double *measured;  /* seconds */
    const double *predicted; /* seconds; NaN: the model gave none */
    const bool *unseen;      /* the whole task was outside the training set */
    const bool *good;
};

struct cdm_error_row {
    int32_t device; /* -1: the mean over the devices */
    bool unseen;    /* test of unseen tasks; else of seen tasks */
    bool good;      /* good programs alone */
    struct cdm_metric metric;
};

/* good[i] for each measurement, from all measurements of the dataset. */
void cdm_mark_good(const int32_t *device, const int32_t *task, const double *seconds, size_t n,
                   int32_t n_devices, bool *good);

/* Computes the rows: for seen and unseen tasks, for all and for good programs, each device that has
 * measurements and then the mean over these. *rows is allocated; the caller frees it. CDM_BAD_INPUT
 * when a prediction is missing. */
enum cdm_status cdm_evaluate(const struct cdm_predictions *predictions, int32_t n_devices,
                             struct cdm_error_row **rows, size_t *n_rows,
                             struct cdm_error *err) CDM_MUST_CHECK;

/* Appends the rows as JSON: [{"tasks": "seen", "programs": "all", "device": ..., "n": ...}, ...].
 * The mean has the device "mean". */
void cdm_error_rows_json(const struct cdm_error_row *rows, size_t n_rows,
                         const char *const *device_names, struct cdm_str *json);

#endif
