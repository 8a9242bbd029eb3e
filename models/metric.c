#include "models/metric.h"

#include "cdmpp/core/alloc.h"

#include <math.h>
#include <stdlib.h>

static int compare_doubles(const void *left, const void *right)
{
    double a = *(const double *)left;
    double b = *(const double *)right;
    return (a > b) - (a < b);
}

static double quantile_of_sorted(const double *values, size_t n, double q)
{
    double place = q * (double)(n - 1);
    size_t below = (size_t)place;
    if (below + 1 >= n)
        return values[n - 1];
    return values[below] + (place - (double)below) * (values[below + 1] - values[below]);
}

double cdm_quantile(double *values, size_t n, double q)
{
    qsort(values, n, sizeof *values, compare_doubles);
    return quantile_of_sorted(values, n, q);
}

struct ranked {
    double value;
    size_t index;
};

static int compare_ranked(const void *left, const void *right)
{
    const struct ranked *a = left;
    const struct ranked *b = right;
    if (a->value != b->value)
        return a->value < b->value ? -1 : 1;
    return (a->index > b->index) - (a->index < b->index);
}

/* Ranks from 0; equal values share the mean of theirs. */
static void rank(const double *values, size_t n, struct ranked *work, double *ranks)
{
    for (size_t i = 0; i < n; i++)
        work[i] = (struct ranked){values[i], i};
    qsort(work, n, sizeof *work, compare_ranked);
    for (size_t first = 0, last; first < n; first = last) {
        for (last = first; last < n && work[last].value == work[first].value;)
            last++;
        double shared = (double)(first + last - 1) / 2;
        for (size_t i = first; i < last; i++)
            ranks[work[i].index] = shared;
    }
}

double cdm_spearman(const double *left, const double *right, size_t n)
{
    if (n < 2)
        return NAN;
    struct ranked *work = cdm_alloc(n, sizeof *work);
    double *ranks = cdm_alloc(2 * n, sizeof *ranks);
    rank(left, n, work, ranks);
    rank(right, n, work, ranks + n);
    double mean = (double)(n - 1) / 2;
    double both = 0;
    double squares_left = 0;
    double squares_right = 0;
    for (size_t i = 0; i < n; i++) {
        double a = ranks[i] - mean;
        double b = ranks[n + i] - mean;
        both += a * b;
        squares_left += a * a;
        squares_right += b * b;
    }
    free(work);
    free(ranks);
    if (squares_left == 0 || squares_right == 0)
        return NAN;
    return both / sqrt(squares_left * squares_right);
}

struct tasked {
    int32_t task;
    size_t index;
};

static int compare_tasked(const void *left, const void *right)
{
    const struct tasked *a = left;
    const struct tasked *b = right;
    if (a->task != b->task)
        return a->task < b->task ? -1 : 1;
    return (a->index > b->index) - (a->index < b->index);
}

static void rank_within_tasks(const double *predicted, const double *truth, const int32_t *task,
                              size_t n, struct cdm_metric *metric)
{
    struct tasked *order = cdm_alloc(n, sizeof *order);
    double *left = cdm_alloc(2 * n, sizeof *left);
    double *right = left + n;
    for (size_t i = 0; i < n; i++)
        order[i] = (struct tasked){task[i], i};
    qsort(order, n, sizeof *order, compare_tasked);
    double sum = 0;
    for (size_t first = 0, last; first < n; first = last) {
        for (last = first; last < n && order[last].task == order[first].task; last++) {
            left[last - first] = predicted[order[last].index];
            right[last - first] = truth[order[last].index];
        }
        double correlation =
            last - first < CDM_METRIC_MIN_TASK ? NAN : cdm_spearman(left, right, last - first);
        if (!isnan(correlation)) {
            sum += correlation;
            metric->n_tasks++;
        }
    }
    if (metric->n_tasks)
        metric->spearman = sum / (double)metric->n_tasks;
    free(order);
    free(left);
}

static enum cdm_status check_values(const double *values, size_t n, const char *what,
                                    struct cdm_error *err)
{
    for (size_t i = 0; i < n; i++)
        if (!(values[i] > 0 && isfinite(values[i])))
            return cdm_fail(err, CDM_BAD_INPUT, "%s %zu is not a positive finite number: %g", what,
                            i, values[i]);
    return CDM_OK;
}

enum cdm_status cdm_metric_compute(const double *predicted, const double *truth,
                                   const int32_t *task, size_t n, struct cdm_metric *metric,
                                   struct cdm_error *err)
{
    if (n == 0)
        return cdm_fail(err, CDM_BAD_INPUT, "there is nothing to measure the predictions on");
    enum cdm_status status = check_values(predicted, n, "prediction", err);
    if (status == CDM_OK)
        status = check_values(truth, n, "latency", err);
    if (status != CDM_OK)
        return status;
    *metric = (struct cdm_metric){.n = n, .spearman = NAN};
    double *errors = cdm_alloc(2 * n, sizeof *errors);
    double *logs = errors + n;
    size_t in10 = 0;
    size_t in20 = 0;
    double sum = 0;
    double squares = 0;
    for (size_t i = 0; i < n; i++) {
        errors[i] = fabs(predicted[i] - truth[i]) / truth[i];
        logs[i] = fabs(log(predicted[i]) - log(truth[i]));
        sum += errors[i];
        squares += logs[i] * logs[i];
        in10 += errors[i] <= 0.1;
        in20 += errors[i] <= 0.2;
    }
    metric->mape = sum / (double)n;
    metric->rmse_log = sqrt(squares / (double)n);
    metric->within10 = (double)in10 / (double)n;
    metric->within20 = (double)in20 / (double)n;
    metric->median = cdm_quantile(errors, n, 0.5);
    metric->p90 = quantile_of_sorted(errors, n, 0.9);
    metric->median_log = cdm_quantile(logs, n, 0.5);
    free(errors);
    if (task)
        rank_within_tasks(predicted, truth, task, n, metric);
    return CDM_OK;
}
