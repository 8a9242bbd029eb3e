/* cdmpp eval: a model and a dataset -> the error table. */
#include "cdmpp/cli/command.h"
#include "cdmpp/cli/devices.h"
#include "cdmpp/cli/engine.h"
#include "cdmpp/cli/error_table.h"
#include "cdmpp/cli/option.h"
#include "cdmpp/cli/plot.h"
#include "cdmpp/cli/samples.h"
#include "cdmpp/core/alloc.h"
#include "cdmpp/core/text.h"
#include "data/split.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct eval_command {
    struct cdm_names devices;
    const char *model, *output, *run_on, *plot;
    int64_t threads;
    int format, split;
};

/* Which devices of the dataset -d names; NULL: all. */
static enum cdm_status wanted_devices(struct eval_command *eval, struct cdm_samples *samples,
                                      bool **wanted, struct cdm_error *err)
{
    const struct cdm_device **devices = NULL;
    size_t n = 0;

    *wanted = NULL;
    if (!eval->devices.n)
        return CDM_OK;
    enum cdm_status status =
        cdm_devices_named(&samples->devices, &eval->devices, &devices, &n, err);
    if (status)
        return status;
    *wanted = cdm_alloc(samples->dataset.n_devices, sizeof **wanted);
    for (size_t i = 0; i < n && !status; i++) {
        bool found = false;
        for (size_t k = 0; k < samples->dataset.n_devices; k++) {
            if (samples->dataset.devices[k] == devices[i])
                (*wanted)[k] = found = true;
        }
        if (!found)
            status = cdm_fail(err, CDM_BAD_INPUT, "the dataset has no measurement on %s",
                              devices[i]->name);
    }
    free(devices);
    return status;
}

static enum cdm_status evaluate(struct eval_command *eval, struct cdm_samples *samples,
                                struct cdm_predictor *predictor, struct cdm_error *err)
{
    static const int splits[] = {CDM_SPLIT_TEST, CDM_SPLIT_VALIDATION, CDM_SPLIT_TRAIN,
                                 CDM_SPLIT_NONE};
    double *predicted = cdm_alloc(samples->dataset.n_measurements, sizeof *predicted);
    struct cdm_error_row *rows = NULL;
    struct cdm_writer writer = {0};
    size_t n_rows = 0;
    bool *wanted = NULL;

    enum cdm_status status = wanted_devices(eval, samples, &wanted, err);
    if (!status)
        status = cdm_samples_evaluate(samples, predictor, splits[eval->split], wanted, predicted,
                                      &rows, &n_rows, err);
    if (!status)
        status = cdm_writer_open(&writer, eval->output, err);
    if (!status) {
        bool terminal = !eval->output && isatty(STDOUT_FILENO);
        if (eval->format == CDM_FORMAT_AUTO)
            eval->format = terminal ? CDM_FORMAT_TABLE : CDM_FORMAT_TSV;
        cdm_print_error_rows(rows, n_rows, samples->device_names, (enum cdm_format)eval->format,
                             writer.file);
        status = cdm_writer_close(&writer, err);
    }
    if (!status && eval->plot)
        status = cdm_plot_predictions(eval->plot, samples, predicted, err);
    cdm_writer_abandon(&writer);
    free(predicted);
    free(wanted);
    free(rows);
    return status;
}

enum cdm_status cmd_eval(int argc, char **argv, struct cdm_error *err)
{
    struct eval_command eval = {.format = CDM_FORMAT_AUTO};
    const struct cdm_option options[] = {
        OPTION_MODEL(&eval.model),
        OPTION_DEVICE(&eval.devices),
        {0, "split", "test|validation|train|all", OPT_CHOICE, &eval.split,
         "which programs; default: test", 0, 0},
        {0, "plot", "FILE", OPT_STRING, &eval.plot,
         "draw predicted against measured latencies (.svg, .png; needs gnuplot)", 0, 0},
        OPTION_FORMAT(&eval.format),
        OPTION_OUTPUT(&eval.output),
        OPTION_RUN_ON(&eval.run_on),
        OPTION_THREADS(&eval.threads),
        OPTION_END};
    const struct cdm_usage usage = {
        "eval",
        "DATASET",
        "Compares a model's predictions with the measurements of a dataset: errors by device,\n"
        "for seen and unseen tasks, for all programs and for the good ones (within four times\n"
        "the best of their task on the device).",
        options,
        1,
        1};
    struct cdm_operands operands;
    struct cdm_samples samples = {0};
    struct cdm_predictor *predictor = NULL;
    char *model = NULL;

    enum cdm_status status = cdm_options_parse(&usage, argc, argv, &operands, err);
    if (status || operands.done)
        goto done;
    /* Before the work, not after it. */
    if (eval.plot)
        status = cdm_plot_check(eval.plot, err);
    if (!status)
        status =
            cdm_engine_predictor(eval.model, eval.threads, eval.run_on, &predictor, &model, err);
    if (!status)
        status = cdm_samples_read(&samples, operands.items[0], err);
    if (!status)
        status = evaluate(&eval, &samples, predictor, err);
done:
    cdm_predictor_free(predictor);
    cdm_samples_release(&samples);
    cdm_names_release(&eval.devices);
    free(model);
    return status;
}
