/* Latencies as the model sees them: a transform that makes them nearly normal, and back.
 *
 *   log:     label = (ln seconds - mean) / scale
 *   box-cox: label = (b(seconds) - mean) / scale with b(y) = (y^lambda - 1) / lambda, which is ln y
 *            where lambda is 0
 *
 * mean and scale are those of the training set, lambda is the one that makes it most likely. */
#ifndef CDMPP_DATA_LABEL_H
#define CDMPP_DATA_LABEL_H

#include "cdmpp/core/error.h"

#include <stddef.h>

enum cdm_label_kind { CDM_LABEL_LOG, CDM_LABEL_BOX_COX, CDM_N_LABEL_KINDS };

struct cdm_label {
    enum cdm_label_kind kind;
    double lambda; /* 0 for log */
    double mean;
    double scale; /* positive */
};

/* "log", "box-cox"; the other way CDM_BAD_INPUT for an unknown name. */
const char *cdm_label_name(enum cdm_label_kind kind);
enum cdm_status cdm_label_kind_of(const char *name, enum cdm_label_kind *kind,
                                  struct cdm_error *err) CDM_MUST_CHECK;

/* Fits the transform to n latencies. CDM_BAD_INPUT when there are fewer than 2, when one is not a
 * positive finite number (its index is named), or when all are equal. */
enum cdm_status cdm_label_fit(struct cdm_label *label, enum cdm_label_kind kind,
                              const double *seconds, size_t n,
                              struct cdm_error *err) CDM_MUST_CHECK;

/* The label of a positive latency. */
double cdm_label_of(const struct cdm_label *label, double seconds);

/* The latency of a label. NaN when there is none: a Box-Cox transform does not reach every number,
 * and a label may be so large that its latency is no double. The caller must treat it as an error.
 */
double cdm_label_seconds(const struct cdm_label *label, double value);

/* Logarithm of the likelihood of lambda (up to a constant) for latencies whose natural logarithms
 * are given. Here for the tests. */
double cdm_box_cox_likelihood(double lambda, const double *logs, size_t n);

#endif
