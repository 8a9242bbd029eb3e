/* How good predictions are. */
#ifndef CDMPP_MODELS_METRIC_H
#define CDMPP_MODELS_METRIC_H

#include "cdmpp/core/error.h"

#include <stddef.h>
#include <stdint.h>

/* Relative errors |prediction - truth| / truth are shares: 0.1 is 10 %. */
struct cdm_metric {
    size_t n;      /* pairs */
    double mape;   /* mean of the relative errors */
    double median; /* their median */
    double p90; /* and 90th percentile; between two values, quantiles are interpolated linearly */
    double within10;   /* share of pairs with a relative error of at most 0.1 */
    double within20;   /* and 0.2 */
    double rmse_log;   /* root of the mean of (ln prediction - ln truth)^2 */
    double median_log; /* median of |ln prediction - ln truth| */
    double spearman;   /* mean rank correlation within a task; NaN without such a task */
    size_t n_tasks;    /* tasks that entered it */
};

/* Tasks with fewer pairs than this have no rank correlation worth the name. */
enum { CDM_METRIC_MIN_TASK = 10 };

/* predicted, truth: [n] seconds; task: [n] any numbers, or NULL: no Spearman. A task whose truths
 * or predictions are all equal has no rank correlation and does not enter. CDM_BAD_INPUT when n is
 * 0 or a value is not positive and finite. */
enum cdm_status cdm_metric_compute(const double *predicted, const double *truth,
                                   const int32_t *task, size_t n, struct cdm_metric *metric,
                                   struct cdm_error *err) CDM_MUST_CHECK;

/* The q quantile, 0 <= q <= 1, of n > 0 values, interpolated linearly between neighbours. Sorts
 * them. */
double cdm_quantile(double *values, size_t n, double q);

/* Spearman's rank correlation of n pairs, ties sharing the mean of their ranks. NaN when all of one
 * side are equal. */
double cdm_spearman(const double *left, const double *right, size_t n);

#endif
