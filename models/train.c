#include "models/train.h"

#include "cdmpp/core/alloc.h"
#include "cdmpp/core/str.h"
#include "models/checkpoint.h"
#include "models/metric.h"
#include "models/plan.h"
#include "models/predictor.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* Everything that a run needs while it runs. */
struct training {
    const struct cdm_torch_api *api;
    const struct cdm_train_set *set;
    const struct cdm_train_options *options;
    struct cdm_model *model; /* the result */
    struct cdm_run run;
    struct cdm_run_state state;
    struct cdm_str identity;
    struct cdm_plan plan;
    struct cdm_batch batch;
    double rate;
    double saved; /* when the last checkpoint was written, monotonic seconds */
    /* Of one batch. */
    int32_t *programs;
    uint32_t *indices;
    struct cdm_pair *pairs;
    float *labels;
    float *weights;
    /* The validation pairs, by device. */
    struct cdm_pair *checks; /* [n_checks] */
    size_t n_checks;
    double *truths; /* [n_checks] ln seconds */
    float *answers; /* [n_checks] */
    double *errors; /* [n_checks] working memory */
};

void cdm_train_defaults(struct cdm_train_options *options)
{
    *options = (struct cdm_train_options){
        .net = {.width = 128,
                .layers = 2,
                .heads = 4,
                .ffn = 256,
                .summary_width = 256,
                .device_width = 64,
                .head_width = 256,
                .head_layers = 3,
                .dropout = 0.05F},
        .summary = true,
        .label = CDM_LABEL_LOG,
        .clip = 5,
        .loss = {CDM_LOSS_HUBER, 0.03F},
        .trainer = {.beta1 = 0.9F,
                    .beta2 = 0.99F,
                    .epsilon = 1e-8F,
                    .weight_decay = 0.02F,
                    .clip_norm = 1,
                    .average = 0.999F},
        .epochs = 60,
        .batch = 128,
        .window = 16,
        .rate = 1.5e-3,
        .warmup = 0.03,
        .floor = 0.01,
        .run_on = "cpu",
    };
}

double cdm_train_rate(const struct cdm_train_options *options, int64_t step, int64_t n_steps)
{
    const double pi = 3.14159265358979323846;
    double rising = options->warmup * (double)n_steps;
    if ((double)step + 1 < rising)
        return options->rate * ((double)step + 1) / rising;
    double done = ((double)step + 1 - rising) / ((double)n_steps - rising);
    double share = (1 + cos(pi * done)) / 2;
    return options->rate * (options->floor + (1 - options->floor) * share);
}

/* ---- What is checked before ---- */

static enum cdm_status check_pair(const struct cdm_train_set *set, size_t i, uint8_t *sets,
                                  struct cdm_error *err)
{
    const struct cdm_pair *pair = &set->pairs[i];
    if (pair->program < 0 || pair->program >= set->inputs.n_programs || pair->device < 0 ||
        pair->device >= set->inputs.n_devices)
        return cdm_fail(err, CDM_BUG, "pair %zu names a program or device that is not there", i);
    if (!(set->seconds[i] > 0 && isfinite(set->seconds[i])))
        return cdm_fail(err, CDM_BAD_INPUT,
                        "the latency of pair %zu is not a positive finite number: %g", i,
                        set->seconds[i]);
    if (set->weights && !(set->weights[i] > 0 && isfinite(set->weights[i])))
        return cdm_fail(err, CDM_BAD_INPUT,
                        "the weight of pair %zu is not a positive finite number: %g", i,
                        (double)set->weights[i]);
    if (set->split[i] >= CDM_SPLIT_NONE)
        return CDM_OK;
    sets[pair->program] |= (uint8_t)(1 << set->split[i]);
    uint8_t in = sets[pair->program];
    if (in & (in - 1))
        return cdm_fail(err, CDM_BAD_INPUT, "program %" PRId32 " is in more than one set",
                        pair->program);
    return CDM_OK;
}

static enum cdm_status check_set(const struct cdm_train_set *set, struct cdm_error *err)
{
    enum cdm_status status = cdm_inputs_check(&set->inputs, err);
    if (status != CDM_OK)
        return status;
    uint8_t *sets = cdm_alloc((size_t)set->inputs.n_programs + 1, 1);
    size_t n[CDM_SPLIT_NONE + 1] = {0};
    for (size_t i = 0; i < set->n_pairs && status == CDM_OK; i++) {
        status = check_pair(set, i, sets, err);
        n[set->split[i] < CDM_SPLIT_NONE ? set->split[i] : CDM_SPLIT_NONE]++;
    }
    free(sets);
    if (status != CDM_OK)
        return status;
    if (n[CDM_SPLIT_TRAIN] < 2 || n[CDM_SPLIT_VALIDATION] < 1)
        return cdm_fail(err, CDM_BAD_INPUT,
                        "training needs at least 2 latencies to learn from and 1 to validate "
                        "with; there are %zu and %zu",
                        n[CDM_SPLIT_TRAIN], n[CDM_SPLIT_VALIDATION]);
    return CDM_OK;
}

static enum cdm_status check_options(const struct cdm_train_options *o, struct cdm_error *err)
{
    const struct {
        bool holds;
        const char *what;
    } rules[] = {
        {o->epochs >= 1, "the number of epochs must be at least 1"},
        {o->batch >= 1 && o->batch <= 65536, "the batch must be from 1 to 65536 programs"},
        {o->window >= 1 && o->window <= 65536, "the window must be from 1 to 65536 batches"},
        {o->rate > 0 && o->rate < 1, "the rate must lie between 0 and 1"},
        {o->warmup >= 0 && o->warmup <= 0.9, "the warm-up must be from 0 to 0.9 of the steps"},
        {o->floor >= 0 && o->floor <= 1, "the floor of the rate must be from 0 to 1 of it"},
        {o->patience >= 0, "the patience must not be negative"},
        {o->clip > 0 && isfinite(o->clip), "the clip of the inputs must be positive"},
        {!o->resume || o->checkpoint, "to resume, a checkpoint must be named"},
    };
    for (size_t i = 0; i < sizeof rules / sizeof *rules; i++)
        if (!rules[i].holds)
            return cdm_fail(err, CDM_USAGE, "%s", rules[i].what);
    return CDM_OK;
}

/* ---- Set-up ---- */

/* Whatever decides the weights, as a text. Not where, how often or by how many threads. */
static void describe_run(struct training *t)
{
    const struct cdm_train_options *o = t->options;
    const struct cdm_net_config *net = &t->model->net;
    const struct cdm_trainer_options *a = &o->trainer;
    struct cdm_str *text = &t->identity;
    cdm_str_printf(text, "dataset=%s;programs=%" PRId32 ";pairs=%zu;validation=%zu;",
                   t->set->hash ? t->set->hash : "unknown", t->plan.n, (size_t)t->plan.n_pairs,
                   t->n_checks);
    cdm_str_printf(text,
                   "features=%" PRId32 ";summary=%" PRId32 ";device=%" PRId32 ";width=%" PRId32
                   ";layers=%" PRId32 ";heads=%" PRId32 ";ffn=%" PRId32 ";",
                   net->n_features, net->n_summary, net->n_device, net->width, net->layers,
                   net->heads, net->ffn);
    cdm_str_printf(text,
                   "summary_width=%" PRId32 ";device_width=%" PRId32 ";head_width=%" PRId32
                   ";head_layers=%" PRId32 ";dropout=%.9g;",
                   net->summary_width, net->device_width, net->head_width, net->head_layers,
                   (double)net->dropout);
    cdm_str_printf(text, "label=%s;clip=%.9g;loss=%" PRId32 ";delta=%.9g;",
                   cdm_label_name(o->label), (double)o->clip, o->loss.kind, (double)o->loss.delta);
    cdm_str_printf(text,
                   "beta1=%.9g;beta2=%.9g;epsilon=%.9g;weight_decay=%.9g;clip_norm=%.9g;"
                   "average=%.9g;",
                   (double)a->beta1, (double)a->beta2, (double)a->epsilon, (double)a->weight_decay,
                   (double)a->clip_norm, (double)a->average);
    cdm_str_printf(text,
                   "epochs=%" PRId32 ";batch=%" PRId32 ";window=%" PRId32
                   ";rate=%.17g;warmup=%.17g;floor=%.17g;patience=%" PRId32 ";seed=%" PRIu64,
                   o->epochs, o->batch, o->window, o->rate, o->warmup, o->floor, o->patience,
                   o->seed);
    t->run.identity = text->data;
}

static enum cdm_status fit(struct training *t, struct cdm_error *err)
{
    const struct cdm_train_set *set = t->set;
    const struct cdm_inputs *inputs = &set->inputs;
    struct cdm_model *model = t->model;
    uint8_t *uses_program = cdm_alloc((size_t)inputs->n_programs + 1, 1);
    uint8_t *uses_device = cdm_alloc((size_t)inputs->n_devices + 1, 1);
    double *seconds = cdm_alloc(set->n_pairs, sizeof *seconds);
    size_t n = 0;
    for (size_t i = 0; i < set->n_pairs; i++) {
        if (set->split[i] != CDM_SPLIT_TRAIN)
            continue;
        uses_program[set->pairs[i].program] = 1;
        uses_device[set->pairs[i].device] = 1;
        seconds[n++] = set->seconds[i];
    }
    cdm_scaling_fit(&model->scaling, inputs, uses_program, uses_device, t->options->summary,
                    t->options->clip);
    enum cdm_status status = cdm_label_fit(&model->label, t->options->label, seconds, n, err);
    free(uses_program);
    free(uses_device);
    free(seconds);
    model->net = t->options->net;
    model->net.n_features = inputs->n_features;
    model->net.n_summary = model->scaling.summary.n;
    model->net.n_device = inputs->n_device_entries;
    if (!model->net.n_summary)
        model->net.summary_width = 0;
    return status;
}

/* Validation pairs in the order of their devices, so that each device's errors lie together. */
static void gather_checks(struct training *t)
{
    const struct cdm_train_set *set = t->set;
    t->checks = cdm_alloc(set->n_pairs, sizeof *t->checks);
    t->truths = cdm_alloc(set->n_pairs, sizeof *t->truths);
    for (int32_t device = 0; device < set->inputs.n_devices; device++)
        for (size_t i = 0; i < set->n_pairs; i++)
            if (set->split[i] == CDM_SPLIT_VALIDATION && set->pairs[i].device == device) {
                t->checks[t->n_checks] = set->pairs[i];
                t->truths[t->n_checks++] = log(set->seconds[i]);
            }
    t->answers = cdm_alloc(t->n_checks, sizeof *t->answers);
    t->errors = cdm_alloc(t->n_checks, sizeof *t->errors);
}

static enum cdm_status prepare(struct training *t, struct cdm_error *err)
{
    const struct cdm_train_options *o = t->options;
    enum cdm_status status = fit(t, err);
    if (status != CDM_OK)
        return status;
    gather_checks(t);
    cdm_plan_init(&t->plan, t->set, o->batch, o->window);
    size_t most = (size_t)t->plan.most_pairs;
    t->programs = cdm_alloc((size_t)o->batch, sizeof *t->programs);
    t->indices = cdm_alloc(most, sizeof *t->indices);
    t->pairs = cdm_alloc(most, sizeof *t->pairs);
    t->labels = cdm_alloc(most, sizeof *t->labels);
    t->weights = cdm_alloc(most, sizeof *t->weights);
    struct cdm_trainer_options trainer = o->trainer;
    trainer.seed = o->seed;
    t->run.api = t->api;
    t->run.best = t->model;
    describe_run(t);
    status = t->api->has_device(o->run_on, err);
    if (status == CDM_OK)
        status = t->api->model_new(&t->model->net, o->run_on, o->seed, &t->run.net, err);
    if (status == CDM_OK)
        status = t->api->trainer_new(t->run.net, &trainer, &t->run.trainer, err);
    return status;
}

static void release(struct training *t)
{
    if (t->run.trainer)
        t->api->trainer_free(t->run.trainer);
    if (t->run.net)
        t->api->model_free(t->run.net);
    cdm_str_release(&t->identity);
    cdm_plan_release(&t->plan);
    cdm_batch_release(&t->batch);
    free(t->programs);
    free(t->indices);
    free(t->pairs);
    free(t->labels);
    free(t->weights);
    free(t->checks);
    free(t->truths);
    free(t->answers);
    free(t->errors);
}

/* ---- The run ---- */

static double seconds_now(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static int64_t n_steps(const struct training *t)
{
    return (int64_t)t->options->epochs * t->plan.n_batches;
}

static void tell(const struct training *t, enum cdm_train_event_kind kind, double score,
                 bool is_best)
{
    if (!t->options->progress)
        return;
    const struct cdm_run_state *state = &t->state;
    struct cdm_train_event event = {
        .kind = kind,
        .epoch = state->epoch + 1,
        .n_epochs = t->options->epochs,
        .step = t->api->trainer_steps(t->run.trainer),
        .n_steps = n_steps(t),
        .pairs = state->pairs,
        .n_pairs = t->plan.n_pairs * t->options->epochs,
        .loss = state->batch ? state->loss_sum / state->batch : 0,
        .rate = t->rate,
        .score = score,
        .best_score = state->best_score,
        .is_best = is_best,
    };
    t->options->progress(t->options->context, &event);
}

static enum cdm_status make_step(struct training *t, struct cdm_error *err)
{
    const struct cdm_train_set *set = t->set;
    int32_t n_programs;
    int32_t n;
    cdm_plan_batch(&t->plan, t->state.batch, t->programs, &n_programs, t->indices, &n);
    int32_t program = 0;
    for (int32_t i = 0; i < n; i++) {
        uint32_t index = t->indices[i];
        /* Pairs come in the order of the programs, and each program has one at least. */
        while (t->programs[program] != set->pairs[index].program)
            program++;
        t->pairs[i] = (struct cdm_pair){program, set->pairs[index].device};
        t->labels[i] = (float)cdm_label_of(&t->model->label, set->seconds[index]);
        t->weights[i] = set->weights ? set->weights[index] : 1;
    }
    cdm_batch_fill(&t->batch, &set->inputs, &t->model->scaling, t->programs, n_programs, t->pairs,
                   n);
    t->rate = cdm_train_rate(t->options, t->api->trainer_steps(t->run.trainer), n_steps(t));
    t->api->trainer_set_rate(t->run.trainer, (float)t->rate);
    /* Adaptation to another domain (CMD between the embeddings of two batches) will be one more
     * term of this step's loss: a second batch is formed here and goes along. */
    struct cdm_step_result result;
    enum cdm_status status = t->api->trainer_step(t->run.trainer, &t->batch.view, t->labels,
                                                  t->weights, &t->options->loss, &result, err);
    if (status != CDM_OK)
        return status;
    t->state.loss_sum += (double)result.loss;
    t->state.pairs += n;
    t->state.batch++;
    return CDM_OK;
}

/* Mean over the devices of the median |ln predicted - ln measured|. */
static double mean_of_medians(struct training *t)
{
    const struct cdm_label *label = &t->model->label;
    double sum = 0;
    int n_devices = 0;
    for (size_t first = 0, last; first < t->n_checks; first = last) {
        for (last = first; last < t->n_checks && t->checks[last].device == t->checks[first].device;
             last++) {
            double seconds = cdm_label_seconds(label, (double)t->answers[last]);
            /* A label without a latency is as wrong as can be. */
            t->errors[last] = isnan(seconds) ? INFINITY : fabs(log(seconds) - t->truths[last]);
        }
        sum += cdm_quantile(t->errors + first, last - first, 0.5);
        n_devices++;
    }
    return sum / n_devices;
}

static enum cdm_status validate(struct training *t, double *score, struct cdm_error *err)
{
    enum cdm_status status =
        cdm_predict_labels(t->api, t->run.net, &t->model->scaling, &t->set->inputs, t->checks,
                           t->n_checks, &t->batch, t->answers, err);
    if (status != CDM_OK)
        return status;
    for (size_t i = 0; i < t->n_checks; i++)
        if (!isfinite(t->answers[i]))
            return cdm_fail(err, CDM_BAD_INPUT,
                            "training diverged in epoch %" PRId32
                            ": a validation program is predicted as %g",
                            t->state.epoch + 1, (double)t->answers[i]);
    *score = mean_of_medians(t);
    return CDM_OK;
}

/* Validates what would be kept: the average of the weights where there is one. */
static enum cdm_status end_epoch(struct training *t, struct cdm_error *err)
{
    double score = INFINITY;
    enum cdm_status status = t->api->trainer_swap_average(t->run.trainer, err);
    if (status == CDM_OK)
        status = validate(t, &score, err);
    bool is_best = status == CDM_OK && (score < t->state.best_score || t->state.best_epoch < 0);
    if (is_best) {
        status = cdm_model_take_weights(t->model, t->api, t->run.net, err);
        t->state.best_score = score;
        t->state.best_epoch = t->state.epoch;
    }
    if (status == CDM_OK)
        status = t->api->trainer_swap_average(t->run.trainer, err);
    if (status != CDM_OK)
        return status;
    tell(t, CDM_TRAIN_EPOCH, score, is_best);
    t->state.epoch++;
    t->state.batch = 0;
    t->state.loss_sum = 0;
    return CDM_OK;
}

static enum cdm_status save(struct training *t, struct cdm_error *err)
{
    if (!t->options->checkpoint)
        return CDM_OK;
    enum cdm_status status = cdm_checkpoint_save(t->options->checkpoint, &t->run, &t->state, err);
    if (status != CDM_OK)
        return cdm_fail_in(err, "checkpoint %s", t->options->checkpoint);
    t->saved = seconds_now();
    tell(t, CDM_TRAIN_CHECKPOINT, INFINITY, false);
    return CDM_OK;
}

static bool checkpoint_is_due(const struct training *t)
{
    const struct cdm_train_options *o = t->options;
    if (o->checkpoint_steps && t->api->trainer_steps(t->run.trainer) % o->checkpoint_steps == 0)
        return true;
    return o->checkpoint_seconds > 0 && seconds_now() - t->saved >= o->checkpoint_seconds;
}

static bool is_patient(const struct training *t)
{
    return t->options->patience == 0 || t->state.best_epoch < 0 ||
           t->state.epoch - 1 - t->state.best_epoch < t->options->patience;
}

static enum cdm_status resume(struct training *t, struct cdm_error *err)
{
    enum cdm_status status = cdm_checkpoint_load(t->options->checkpoint, &t->run, &t->state, err);
    if (status != CDM_OK)
        return status;
    const struct cdm_run_state *state = &t->state;
    if (state->epoch > t->options->epochs || state->batch > t->plan.n_batches ||
        t->api->trainer_steps(t->run.trainer) !=
            (int64_t)state->epoch * t->plan.n_batches + state->batch ||
        (state->best_epoch < 0) != (state->epoch == 0) || state->best_epoch >= state->epoch)
        return cdm_fail(err, CDM_BAD_INPUT, "checkpoint %s: its step and epoch do not fit",
                        t->options->checkpoint);
    tell(t, CDM_TRAIN_RESUMED, INFINITY, false);
    return CDM_OK;
}

static bool must_stop(const struct training *t)
{
    return t->options->stop && *t->options->stop;
}

/* Makes the steps of the epoch that are left. An epoch that is complete is saved by the caller,
 * after its validation. */
static enum cdm_status run_steps(struct training *t, struct cdm_error *err)
{
    cdm_plan_epoch(&t->plan, t->options->seed, t->state.epoch);
    while (t->state.batch < t->plan.n_batches) {
        enum cdm_status status = make_step(t, err);
        if (status != CDM_OK)
            return status;
        tell(t, CDM_TRAIN_STEP, INFINITY, false);
        bool stop = must_stop(t);
        if (t->state.batch == t->plan.n_batches || !(stop || checkpoint_is_due(t)))
            continue;
        status = save(t, err);
        if (status != CDM_OK || stop)
            return status;
    }
    return CDM_OK;
}

static enum cdm_status run_epochs(struct training *t, struct cdm_error *err)
{
    t->saved = seconds_now();
    while (t->state.epoch < t->options->epochs && is_patient(t)) {
        enum cdm_status status = run_steps(t, err);
        if (status == CDM_OK && t->state.batch == t->plan.n_batches) {
            status = end_epoch(t, err);
            if (status == CDM_OK)
                status = save(t, err);
        }
        if (status != CDM_OK)
            return status;
        if (must_stop(t))
            return cdm_fail(err, CDM_STOPPED, "stopped after step %" PRId64 " of %" PRId64,
                            t->api->trainer_steps(t->run.trainer), n_steps(t));
    }
    return CDM_OK;
}

enum cdm_status cdm_train(const struct cdm_torch_api *api, const struct cdm_train_set *set,
                          const struct cdm_train_options *options, struct cdm_model *model,
                          struct cdm_train_report *report, struct cdm_error *err)
{
    struct training t = {.api = api, .set = set, .options = options, .model = model};
    t.state = (struct cdm_run_state){.best_epoch = -1, .best_score = INFINITY};
    *model = (struct cdm_model){0};
    enum cdm_status status = check_options(options, err);
    if (status == CDM_OK)
        status = check_set(set, err);
    if (status == CDM_OK)
        status = prepare(&t, err);
    if (status == CDM_OK && options->resume)
        status = resume(&t, err);
    if (status == CDM_OK)
        status = run_epochs(&t, err);
    if (status == CDM_OK)
        *report = (struct cdm_train_report){
            .epochs = t.state.epoch,
            .best_epoch = t.state.best_epoch + 1,
            .steps = api->trainer_steps(t.run.trainer),
            .best_score = t.state.best_score,
            .ended_early = t.state.epoch < options->epochs,
        };
    release(&t);
    if (status != CDM_OK)
        cdm_model_release(model);
    return status;
}
