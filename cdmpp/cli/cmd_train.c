/* cdmpp train: a profiled dataset -> a model file. */
#include "cdmpp/cli/command.h"
#include "cdmpp/cli/engine.h"
#include "cdmpp/cli/error_table.h"
#include "cdmpp/cli/option.h"
#include "cdmpp/cli/samples.h"
#include "cdmpp/cli/stop.h"
#include "cdmpp/core/alloc.h"
#include "cdmpp/core/log.h"
#include "cdmpp/core/progress.h"
#include "cdmpp/core/text.h"
#include "data/split.h"
#include "features/device_vector.h"
#include "features/leaf.h"
#include "models/train.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum label_choice { LABEL_LOG, LABEL_BOX_COX, LABEL_AUTO };

struct train_command {
    const char *output, *run_on, *checkpoint;
    struct cdm_train_options options;
    int64_t threads, seed, epochs, batch, patience, layers, width;
    double rate, dropout;
    int label;
    bool resume;
    struct cdm_progress progress;
    const struct cdm_torch_api *api;
};

/* Watching a run */

static void show_event(void *context, const struct cdm_train_event *event)
{
    struct train_command *train = context;
    char note[64];

    if (event->kind == CDM_TRAIN_RESUMED) {
        cdm_log(CDM_LOG_INFO, "goes on from step %lld of %lld", (long long)event->step,
                (long long)event->n_steps);
    } else if (event->kind == CDM_TRAIN_EPOCH) {
        cdm_log(CDM_LOG_INFO,
                "epoch %d of %d: loss %.4f, validation %.4f%s, %lld pairs learned from",
                event->epoch, event->n_epochs, event->loss, event->score,
                event->is_best ? " (best)" : "", (long long)event->pairs);
    } else {
        snprintf(note, sizeof note, "epoch %d/%d loss %.4f best %.4f", event->epoch,
                 event->n_epochs, event->loss, event->best_score);
        cdm_progress_note(&train->progress, note);
        cdm_progress_update(&train->progress, event->pairs);
        train->progress.total = event->n_pairs;
    }
}

static enum cdm_status run(struct train_command *train, const struct cdm_train_set *set,
                           const struct cdm_train_options *options, const char *what,
                           struct cdm_model *model, struct cdm_train_report *report,
                           struct cdm_error *err)
{
    cdm_progress_start(&train->progress, what, "pairs", 0);
    enum cdm_status status = cdm_train(train->api, set, options, model, report, err);
    cdm_progress_finish(&train->progress);
    return status;
}

/* Chooses the label transform by one short epoch with each: the better score on validation wins. */
static enum cdm_status choose_label(struct train_command *train, const struct cdm_train_set *set,
                                    struct cdm_error *err)
{
    double best = INFINITY;

    for (int kind = 0; kind < CDM_N_LABEL_KINDS; kind++) {
        struct cdm_train_options options = train->options;
        struct cdm_train_report report;
        struct cdm_model model;
        options.label = (enum cdm_label_kind)kind;
        options.epochs = 1;
        options.checkpoint = NULL;
        options.resume = false;
        enum cdm_status status =
            run(train, set, &options, "choosing the label", &model, &report, err);
        if (status)
            return status;
        cdm_model_release(&model);
        cdm_log(CDM_LOG_INFO, "label %s: validation %.4f after one epoch",
                cdm_label_name(options.label), report.best_score);
        if (report.best_score < best) {
            best = report.best_score;
            train->options.label = options.label;
        }
    }
    return CDM_OK;
}

/* What the model file says about itself */

static void describe(struct cdm_model *model, const struct cdm_samples *samples,
                     const struct train_command *train, const struct cdm_train_report *report)
{
    struct cdm_str devices = {0};
    size_t counts[CDM_SPLIT_NONE + 1] = {0};
    char date[32];
    time_t now = time(NULL);
    struct tm utc;

    for (size_t i = 0; i < samples->dataset.n_devices; i++)
        cdm_str_printf(&devices, "%s%s", i ? "," : "", samples->device_names[i]);
    for (size_t i = 0; i < samples->dataset.n_measurements; i++)
        counts[samples->split[i]]++;
    gmtime_r(&now, &utc);
    strftime(date, sizeof date, "%Y-%m-%d", &utc);
    model->feature_set = CDM_FEATURE_SET;
    model->device_vector = CDM_DEVICE_VECTOR_VERSION;
    cdm_meta_set(&model->about, "devices", devices.data);
    cdm_meta_set(&model->about, "dataset", samples->dataset.hash);
    cdm_meta_set_int(&model->about, "dataset.programs", (int64_t)samples->dataset.n_programs);
    cdm_meta_set_int(&model->about, "dataset.train", (int64_t)counts[CDM_SPLIT_TRAIN]);
    cdm_meta_set_int(&model->about, "dataset.validation", (int64_t)counts[CDM_SPLIT_VALIDATION]);
    cdm_meta_set_int(&model->about, "dataset.test", (int64_t)counts[CDM_SPLIT_TEST]);
    cdm_meta_set_int(&model->about, "train.seed", train->seed);
    cdm_meta_set_int(&model->about, "train.epochs", report->epochs);
    cdm_meta_set_int(&model->about, "train.best_epoch", report->best_epoch);
    cdm_meta_set_double(&model->about, "train.validation", report->best_score);
    cdm_meta_set(&model->about, "train.engine", train->api->version);
    cdm_meta_set(&model->about, "date", date);
    cdm_str_release(&devices);
}

/* Writes the model, measures it on the test set, and writes it again with the error table. */
static enum cdm_status finish(struct train_command *train, struct cdm_model *model,
                              const struct cdm_samples *samples, struct cdm_error *err)
{
    struct cdm_predictor *predictor = NULL;
    struct cdm_error_row *rows = NULL;
    size_t n_rows = 0;
    struct cdm_str json = {0};

    enum cdm_status status = cdm_model_write(train->output, model, err);
    if (status)
        return status;
    bool has_test = false;
    for (size_t i = 0; i < samples->dataset.n_measurements; i++)
        has_test |= samples->split[i] == CDM_SPLIT_TEST;
    if (!has_test) {
        cdm_log(CDM_LOG_WARNING,
                "no program falls into the test set: the model has no error table");
        return CDM_OK;
    }
    double *predicted = cdm_alloc(samples->dataset.n_measurements, sizeof *predicted);
    status = cdm_predictor_open(train->output, train->api, train->options.run_on,
                                &cdm_engine_versions, &predictor, err);
    if (!status)
        status = cdm_samples_evaluate(samples, predictor, CDM_SPLIT_TEST, NULL, predicted, &rows,
                                      &n_rows, err);
    if (!status) {
        cdm_error_rows_json(rows, n_rows, samples->device_names, &json);
        cdm_meta_set(&model->about, "errors", json.data);
        status = cdm_model_write(train->output, model, err);
    }
    if (!status)
        cdm_print_error_rows(rows, n_rows, samples->device_names,
                             isatty(STDOUT_FILENO) ? CDM_FORMAT_TABLE : CDM_FORMAT_TSV, stdout);
    cdm_str_release(&json);
    free(predicted);
    free(rows);
    cdm_predictor_free(predictor);
    return status;
}

static void take_options(struct train_command *train, struct cdm_str *checkpoint)
{
    struct cdm_train_options *options = &train->options;

    options->seed = (uint64_t)train->seed;
    options->epochs = (int32_t)train->epochs;
    options->batch = (int32_t)train->batch;
    options->patience = (int32_t)train->patience;
    options->net.layers = (int32_t)train->layers;
    options->net.width = (int32_t)train->width;
    options->net.dropout = (float)train->dropout;
    options->rate = train->rate;
    options->run_on = train->run_on ? train->run_on : "cpu";
    if (!train->checkpoint) {
        cdm_str_printf(checkpoint, "%s.checkpoint", train->output);
        train->checkpoint = checkpoint->data;
    }
    options->checkpoint = train->checkpoint;
    options->checkpoint_seconds = 60;
    options->resume = train->resume;
    options->progress = show_event;
    options->context = train;
    options->stop = cdm_stop_flag();
}

/* Each device counts more evenly than by its number of measurements: the error table is a mean over
 * devices. */
static float *device_weights(const struct cdm_samples *samples)
{
    const struct cdm_dataset *d = &samples->dataset;
    double *counts = cdm_alloc(d->n_devices, sizeof *counts), mean = 0;
    float *weights = cdm_alloc(d->n_measurements, sizeof *weights);

    for (size_t i = 0; i < d->n_measurements; i++)
        counts[d->measured_on[i]] += samples->split[i] == CDM_SPLIT_TRAIN;
    for (size_t i = 0; i < d->n_devices; i++)
        mean += counts[i] / (double)d->n_devices;
    for (size_t i = 0; i < d->n_measurements; i++)
        weights[i] =
            counts[d->measured_on[i]] > 0 ? (float)sqrt(mean / counts[d->measured_on[i]]) : 1;
    free(counts);
    return weights;
}

static enum cdm_status train_on(struct train_command *train, const struct cdm_samples *samples,
                                struct cdm_error *err)
{
    struct cdm_model model = {0};
    struct cdm_train_report report;
    float *weights = device_weights(samples);
    const struct cdm_train_set set = {.inputs = samples->inputs,
                                      .n_pairs = samples->dataset.n_measurements,
                                      .pairs = samples->pairs,
                                      .seconds = samples->dataset.seconds,
                                      .weights = weights,
                                      .split = samples->split,
                                      .hash = samples->dataset.hash};
    enum cdm_status status = CDM_OK;

    if (train->label != LABEL_AUTO)
        train->options.label = train->label == LABEL_LOG ? CDM_LABEL_LOG : CDM_LABEL_BOX_COX;
    else
        status = choose_label(train, &set, err);
    if (!status)
        status = run(train, &set, &train->options, "training", &model, &report, err);
    if (!status) {
        describe(&model, samples, train, &report);
        cdm_log(CDM_LOG_INFO, "best epoch %d of %d, validation %.4f", report.best_epoch,
                report.epochs, report.best_score);
        status = finish(train, &model, samples, err);
    }
    if (!status)
        unlink(train->options.checkpoint);
    cdm_model_release(&model);
    free(weights);
    return status;
}

/* A model that cannot be written is better known before the training than after it. */
static enum cdm_status check_output(const char *path, struct cdm_error *err)
{
    struct cdm_writer writer = {0};
    enum cdm_status status = cdm_writer_open(&writer, path, err);

    cdm_writer_abandon(&writer);
    return status ? cdm_fail_in(err, "%s", path) : CDM_OK;
}

enum cdm_status cmd_train(int argc, char **argv, struct cdm_error *err)
{
    struct train_command train = {.label = LABEL_AUTO};
    cdm_train_defaults(&train.options);
    train.epochs = train.options.epochs;
    train.batch = train.options.batch;
    train.patience = train.options.patience;
    train.layers = train.options.net.layers;
    train.width = train.options.net.width;
    train.rate = train.options.rate;
    train.dropout = (double)train.options.net.dropout;
    const struct cdm_option options[] = {
        OPTION_OUTPUT(&train.output),
        {0, "resume", NULL, OPT_FLAG, &train.resume, "go on from the checkpoint", 0, 0},
        {0, "checkpoint", "FILE", OPT_STRING, &train.checkpoint,
         "where the state is kept while it runs; default: OUTPUT.checkpoint", 0, 0},
        {0, "epochs", "N", OPT_INT, &train.epochs, "passes over the training set", 1, 100000},
        {0, "patience", "N", OPT_INT, &train.patience,
         "stop after N epochs without a better validation; 0: never", 0, 100000},
        {0, "batch", "N", OPT_INT, &train.batch, "programs in a step", 1, 65536},
        {0, "rate", "X", OPT_DOUBLE, &train.rate, "highest learning rate", 1e-8, 1},
        {0, "label", "log|box-cox|auto", OPT_CHOICE, &train.label,
         "transform of the latencies; auto tries both for an epoch", 0, 0},
        {0, "width", "N", OPT_INT, &train.width, "width of the encoder", 8, 1024},
        {0, "layers", "N", OPT_INT, &train.layers, "layers of the encoder", 0, 64},
        {0, "dropout", "X", OPT_DOUBLE, &train.dropout, "dropout while training", 0, 0.9},
        OPTION_RUN_ON(&train.run_on),
        OPTION_THREADS(&train.threads),
        OPTION_SEED(&train.seed),
        OPTION_END};
    const struct cdm_usage usage = {
        "train",
        "DATASET -o MODEL",
        "Trains a predictor on a profiled dataset (a folder with programs*.ndjson and\n"
        "measurements*.tsv), measures it on the test set and prints the error table.",
        options,
        1,
        1};
    struct cdm_operands operands;
    struct cdm_samples samples = {0};
    struct cdm_str checkpoint = {0};

    enum cdm_status status = cdm_options_parse(&usage, argc, argv, &operands, err);
    if (status || operands.done)
        return status;
    if (!train.output || !strcmp(train.output, "-"))
        return cdm_fail(err, CDM_USAGE, "-o FILE is needed: where the model goes");
    cdm_stop_catch();
    take_options(&train, &checkpoint);
    status = check_output(train.output, err);
    if (!status)
        status = cdm_engine_open(train.threads, train.run_on, &train.api, err);
    if (!status)
        status = cdm_samples_read(&samples, operands.items[0], err);
    if (!status)
        status = train_on(&train, &samples, err);
    cdm_samples_release(&samples);
    cdm_str_release(&checkpoint);
    return status;
}
