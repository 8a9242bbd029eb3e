#include "models/evaluate.h"

#include "cdmpp/core/alloc.h"
#include "cdmpp/core/json_write.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A program is good when it is within this factor of the best. */
static const double good_factor = 4;

void cdm_mark_good(const int32_t *device, const int32_t *task, const double *seconds, size_t n,
                   int32_t n_devices, bool *good)
{
    int32_t n_tasks = 0;

    for (size_t i = 0; i < n; i++)
        n_tasks = task[i] >= n_tasks ? task[i] + 1 : n_tasks;
    double *best = cdm_alloc((size_t)n_tasks * (size_t)n_devices, sizeof *best);
    for (size_t i = 0; i < n; i++) {
        double *cell = &best[(size_t)task[i] * (size_t)n_devices + (size_t)device[i]];
        if (*cell == 0 || seconds[i] < *cell)
            *cell = seconds[i];
    }
    for (size_t i = 0; i < n; i++)
        good[i] = seconds[i] <=
                  good_factor * best[(size_t)task[i] * (size_t)n_devices + (size_t)device[i]];
    free(best);
}

/* Working memory: the predictions of one row. */
struct part {
    double *predicted, *measured;
    int32_t *task;
    size_t n;
};

static void select_part(const struct cdm_predictions *p, const struct cdm_error_row *row,
                        struct part *part)
{
    part->n = 0;
    for (size_t i = 0; i < p->n; i++) {
        if (p->device[i] != row->device || p->unseen[i] != row->unseen ||
            (row->good && !p->good[i]))
            continue;
        part->predicted[part->n] = p->predicted[i];
        part->measured[part->n] = p->measured[i];
        part->task[part->n++] = p->task[i];
    }
}

/* The mean over the rows [first, n): each device counts the same. */
static struct cdm_error_row mean_row(const struct cdm_error_row *rows, size_t first, size_t n)
{
    struct cdm_error_row mean = rows[first];
    struct cdm_metric *m = &mean.metric;
    double count = (double)(n - first), n_spearman = 0, spearman = 0;

    mean.device = -1;
    *m = (struct cdm_metric){0};
    for (size_t i = first; i < n; i++) {
        const struct cdm_metric *row = &rows[i].metric;
        m->n += row->n;
        m->n_tasks += row->n_tasks;
        m->mape += row->mape / count;
        m->median += row->median / count;
        m->p90 += row->p90 / count;
        m->within10 += row->within10 / count;
        m->within20 += row->within20 / count;
        m->rmse_log += row->rmse_log / count;
        m->median_log += row->median_log / count;
        if (!isnan(row->spearman)) {
            spearman += row->spearman;
            n_spearman++;
        }
    }
    m->spearman = n_spearman > 0 ? spearman / n_spearman : NAN;
    return mean;
}

enum cdm_status cdm_evaluate(const struct cdm_predictions *predictions, int32_t n_devices,
                             struct cdm_error_row **rows, size_t *n_rows, struct cdm_error *err)
{
    size_t n = predictions->n;
    struct part part = {.predicted = cdm_alloc(n, sizeof *part.predicted),
                        .measured = cdm_alloc(n, sizeof *part.measured),
                        .task = cdm_alloc(n, sizeof *part.task)};
    enum cdm_status status = CDM_OK;

    *rows = cdm_alloc(4 * ((size_t)n_devices + 1), sizeof **rows);
    *n_rows = 0;
    for (int half = 0; half < 4 && !status; half++) {
        size_t first = *n_rows;
        for (int32_t device = 0; device < n_devices && !status; device++) {
            struct cdm_error_row row = {.device = device, .unseen = half / 2, .good = half % 2};
            select_part(predictions, &row, &part);
            if (!part.n)
                continue;
            status = cdm_metric_compute(part.predicted, part.measured, part.task, part.n,
                                        &row.metric, err);
            (*rows)[(*n_rows)++] = row;
        }
        if (!status && *n_rows > first) {
            struct cdm_error_row mean = mean_row(*rows, first, *n_rows);
            (*rows)[(*n_rows)++] = mean;
        }
    }
    free(part.predicted);
    free(part.measured);
    free(part.task);
    if (status) {
        free(*rows);
        *rows = NULL;
        *n_rows = 0;
    }
    return status;
}

static void put(struct cdm_str *json, const char *name, double value)
{
    cdm_json_name(json, name);
    cdm_json_put_double(json, value);
}

void cdm_error_rows_json(const struct cdm_error_row *rows, size_t n_rows,
                         const char *const *device_names, struct cdm_str *json)
{
    cdm_json_begin(json, '[');
    for (size_t i = 0; i < n_rows; i++) {
        const struct cdm_metric *m = &rows[i].metric;
        cdm_json_begin(json, '{');
        cdm_json_name(json, "tasks");
        cdm_json_put_text(json, rows[i].unseen ? "unseen" : "seen");
        cdm_json_name(json, "programs");
        cdm_json_put_text(json, rows[i].good ? "good" : "all");
        cdm_json_name(json, "device");
        cdm_json_put_text(json, rows[i].device < 0 ? "mean" : device_names[rows[i].device]);
        cdm_json_name(json, "n");
        cdm_json_put_int(json, (int64_t)m->n);
        put(json, "mape", m->mape);
        put(json, "median_ape", m->median);
        put(json, "p90", m->p90);
        put(json, "within10", m->within10);
        put(json, "within20", m->within20);
        put(json, "rmse_log", m->rmse_log);
        put(json, "spearman", m->spearman);
        cdm_json_end(json, '}');
    }
    cdm_json_end(json, ']');
}
