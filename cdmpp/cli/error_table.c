#include "cdmpp/cli/error_table.h"

#include "cdmpp/cli/table.h"
#include "cdmpp/core/alloc.h"
#include "cdmpp/core/json_write.h"
#include "cdmpp/core/number.h"
#include "data/split.h"

#include <math.h>
#include <stdlib.h>

/* The chosen measurements, as arrays of their own. */
struct chosen {
    size_t *at; /* [n] index in the samples */
    struct cdm_pair *pairs;
    int32_t *device, *task;
    double *measured, *predicted;
    bool *unseen, *good;
    size_t n;
};

static void choose(struct chosen *c, const struct cdm_samples *s, int split, const bool *devices)
{
    size_t n = s->dataset.n_measurements;

    *c = (struct chosen){.at = cdm_alloc(n, sizeof *c->at),
                         .pairs = cdm_alloc(n, sizeof *c->pairs),
                         .device = cdm_alloc(n, sizeof *c->device),
                         .task = cdm_alloc(n, sizeof *c->task),
                         .measured = cdm_alloc(n, sizeof *c->measured),
                         .predicted = cdm_alloc(n, sizeof *c->predicted),
                         .unseen = cdm_alloc(n, sizeof *c->unseen),
                         .good = cdm_alloc(n, sizeof *c->good)};
    for (size_t i = 0; i < n; i++) {
        int32_t device = s->dataset.measured_on[i];
        if ((split != CDM_SPLIT_NONE && s->split[i] != split) || (devices && !devices[device]))
            continue;
        size_t k = c->n++;
        c->at[k] = i;
        c->pairs[k] = s->pairs[i];
        c->device[k] = device;
        c->task[k] = s->tasks[i];
        c->measured[k] = s->dataset.seconds[i];
        c->unseen[k] = s->unseen[i];
        c->good[k] = s->good[i];
    }
}

static void chosen_release(struct chosen *c)
{
    free(c->at);
    free(c->pairs);
    free(c->device);
    free(c->task);
    free(c->measured);
    free(c->predicted);
    free(c->unseen);
    free(c->good);
}

enum cdm_status cdm_samples_evaluate(const struct cdm_samples *samples,
                                     struct cdm_predictor *predictor, int split,
                                     const bool *devices, double *predicted,
                                     struct cdm_error_row **rows, size_t *n_rows,
                                     struct cdm_error *err)
{
    struct chosen c;
    enum cdm_status status = CDM_OK;

    *rows = NULL;
    *n_rows = 0;
    choose(&c, samples, split, devices);
    if (!c.n)
        status = cdm_fail(err, CDM_BAD_INPUT, "the dataset has no measurement to compare with");
    if (!status)
        status = cdm_predictor_run(predictor, &samples->inputs, c.pairs, c.n, c.predicted, err);
    if (!status) {
        struct cdm_predictions predictions = {.n = c.n,
                                              .device = c.device,
                                              .task = c.task,
                                              .measured = c.measured,
                                              .predicted = c.predicted,
                                              .unseen = c.unseen,
                                              .good = c.good};
        status = cdm_evaluate(&predictions, (int32_t)samples->dataset.n_devices, rows, n_rows, err);
    }
    for (size_t i = 0; i < samples->dataset.n_measurements; i++)
        predicted[i] = NAN;
    for (size_t k = 0; k < c.n && !status; k++)
        predicted[c.at[k]] = c.predicted[k];
    chosen_release(&c);
    return status;
}

/* Printing */

static void add_share(struct cdm_table *table, double share, bool percent)
{
    char text[64];

    if (isnan(share))
        cdm_table_add(table, NULL);
    else if (percent)
        snprintf(text, sizeof text, "%.1f", share * 100), cdm_table_add(table, text);
    else
        cdm_format_double(text, share), cdm_table_add(table, text);
}

static void add_number(struct cdm_table *table, double number, bool people)
{
    char text[64];

    if (isnan(number)) {
        cdm_table_add(table, NULL);
        return;
    }
    if (people)
        snprintf(text, sizeof text, "%.3f", number);
    else
        cdm_format_double(text, number);
    cdm_table_add(table, text);
}

void cdm_print_error_rows(const struct cdm_error_row *rows, size_t n_rows,
                          const char *const *device_names, enum cdm_format format, FILE *out)
{
    static const struct cdm_column people[] = {
        {"tasks", false},   {"programs", false},    {"device", false},  {"n", true},
        {"MAPE %", true},   {"median APE %", true}, {"p90 %", true},    {"<=10 % %", true},
        {"<=20 % %", true}, {"RMSE log", true},     {"Spearman", true}, {NULL, false}};
    static const struct cdm_column programs[] = {
        {"tasks", false},   {"programs", false},  {"device", false},  {"n", true},
        {"mape", true},     {"median_ape", true}, {"p90", true},      {"within10", true},
        {"within20", true}, {"rmse_log", true},   {"spearman", true}, {NULL, false}};
    bool is_table = format == CDM_FORMAT_TABLE;
    struct cdm_table table = {.columns = is_table ? people : programs};
    struct cdm_str json = {0};
    char text[32];

    if (format == CDM_FORMAT_JSON) {
        for (size_t i = 0; i < n_rows; i++) {
            cdm_str_reset(&json);
            cdm_error_rows_json(rows + i, 1, device_names, &json);
            /* One object a line: without the brackets of the list. */
            fprintf(out, "%.*s\n", (int)json.length - 2, json.data + 1);
        }
        cdm_str_release(&json);
        return;
    }
    for (size_t i = 0; i < n_rows; i++) {
        const struct cdm_metric *m = &rows[i].metric;
        cdm_table_add(&table, rows[i].unseen ? "unseen" : "seen");
        cdm_table_add(&table, rows[i].good ? "good" : "all");
        cdm_table_add(&table, rows[i].device < 0 ? "mean" : device_names[rows[i].device]);
        snprintf(text, sizeof text, "%zu", m->n);
        cdm_table_add(&table, text);
        add_share(&table, m->mape, is_table);
        add_share(&table, m->median, is_table);
        add_share(&table, m->p90, is_table);
        add_share(&table, m->within10, is_table);
        add_share(&table, m->within20, is_table);
        add_number(&table, m->rmse_log, is_table);
        add_number(&table, m->spearman, is_table);
    }
    if (is_table)
        cdm_table_print(&table, out);
    else
        cdm_table_print_tsv(&table, out);
    cdm_table_release(&table);
}
