#include "data/label.h"

#include "cdmpp/core/alloc.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* Beyond these the transform bends far more than latencies ever need. */
static const double least_lambda = -2;
static const double most_lambda = 2;

static const char *const names[CDM_N_LABEL_KINDS] = {
    [CDM_LABEL_LOG] = "log",
    [CDM_LABEL_BOX_COX] = "box-cox",
};

const char *cdm_label_name(enum cdm_label_kind kind)
{
    return names[kind];
}

enum cdm_status cdm_label_kind_of(const char *name, enum cdm_label_kind *kind,
                                  struct cdm_error *err)
{
    for (int i = 0; i < CDM_N_LABEL_KINDS; i++)
        if (!strcmp(name, names[i])) {
            *kind = (enum cdm_label_kind)i;
            return CDM_OK;
        }
    return cdm_fail(err, CDM_BAD_INPUT, "no such label transform: \"%.40s\"", name);
}

/* b(y) from ln y. expm1 keeps its digits where lambda is near 0. */
static double bend(double lambda, double log_seconds)
{
    return lambda == 0 ? log_seconds : expm1(lambda * log_seconds) / lambda;
}

/* Mean and population variance of b(y). */
static void moments(double lambda, const double *logs, size_t n, double *mean, double *variance)
{
    double sum = 0;
    for (size_t i = 0; i < n; i++)
        sum += bend(lambda, logs[i]);
    *mean = sum / (double)n;
    double squares = 0;
    for (size_t i = 0; i < n; i++) {
        double off = bend(lambda, logs[i]) - *mean;
        squares += off * off;
    }
    *variance = squares / (double)n;
}

double cdm_box_cox_likelihood(double lambda, const double *logs, size_t n)
{
    double mean;
    double variance;
    double sum = 0;
    moments(lambda, logs, n, &mean, &variance);
    for (size_t i = 0; i < n; i++)
        sum += logs[i];
    return (lambda - 1) * sum - (double)n / 2 * log(variance);
}

/* Golden section search. The likelihood of Box-Cox has one maximum. */
static double best_lambda(const double *logs, size_t n)
{
    const double ratio = 0.6180339887498949;
    double low = least_lambda;
    double high = most_lambda;
    double a = high - ratio * (high - low);
    double b = low + ratio * (high - low);
    double at_a = cdm_box_cox_likelihood(a, logs, n);
    double at_b = cdm_box_cox_likelihood(b, logs, n);
    while (high - low > 1e-6) {
        if (at_a > at_b) {
            high = b;
            b = a;
            at_b = at_a;
            a = high - ratio * (high - low);
            at_a = cdm_box_cox_likelihood(a, logs, n);
        } else {
            low = a;
            a = b;
            at_a = at_b;
            b = low + ratio * (high - low);
            at_b = cdm_box_cox_likelihood(b, logs, n);
        }
    }
    return (low + high) / 2;
}

enum cdm_status cdm_label_fit(struct cdm_label *label, enum cdm_label_kind kind,
                              const double *seconds, size_t n, struct cdm_error *err)
{
    if (n < 2)
        return cdm_fail(err, CDM_BAD_INPUT, "a label transform needs at least 2 latencies, not %zu",
                        n);
    double *logs = cdm_alloc(n, sizeof *logs);
    bool differ = false;
    for (size_t i = 0; i < n; i++) {
        if (!(seconds[i] > 0 && isfinite(seconds[i]))) {
            free(logs);
            return cdm_fail(err, CDM_BAD_INPUT, "latency %zu is not a positive finite number: %g",
                            i, seconds[i]);
        }
        logs[i] = log(seconds[i]);
        differ = differ || seconds[i] != seconds[0];
    }
    if (!differ) {
        free(logs);
        return cdm_fail(err, CDM_BAD_INPUT, "all latencies are equal: there is nothing to learn");
    }
    double lambda = kind == CDM_LABEL_BOX_COX ? best_lambda(logs, n) : 0;
    double mean;
    double variance;
    moments(lambda, logs, n, &mean, &variance);
    free(logs);
    if (!(variance > 0 && isfinite(variance)))
        return cdm_fail(err, CDM_BAD_INPUT, "the labels have no finite spread: %g", variance);
    *label = (struct cdm_label){kind, lambda, mean, sqrt(variance)};
    return CDM_OK;
}

double cdm_label_of(const struct cdm_label *label, double seconds)
{
    return (bend(label->lambda, log(seconds)) - label->mean) / label->scale;
}

double cdm_label_seconds(const struct cdm_label *label, double value)
{
    double bent = value * label->scale + label->mean;
    double log_seconds = bent;
    if (label->lambda != 0) {
        if (!(label->lambda * bent > -1))
            return NAN;
        log_seconds = log1p(label->lambda * bent) / label->lambda;
    }
    double seconds = exp(log_seconds);
    return seconds > 0 && isfinite(seconds) ? seconds : NAN;
}
