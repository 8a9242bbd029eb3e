/* Fills the table of models/torch/torch_shim.h with a linear model in C, so that the training loop,
 * checkpoints and commands are tested in milliseconds and without LibTorch.
 *
 *   prediction = input.weight[0] . mean of the leaves + device.weight . device + output.bias
 *
 * The other arrays are there because a model file must have them; they stay 0. The optimiser has a
 * moment and a running average, so that a resume that loses either shows. */
#include "models/torch/torch_shim.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_TENSORS = 256, NAME_SIZE = 48 };

struct array {
    char name[NAME_SIZE];
    int32_t n_dims;
    int64_t shape[2];
    int64_t n;
    float *values;
};

struct cdm_torch_model {
    struct cdm_net_config config;
    struct array arrays[MOST_TENSORS];
    int32_t n_arrays;
    /* The three that are used. */
    float *leaf;   /* [n_features] */
    float *device; /* [n_device] */
    float *bias;   /* [1] */
    int has_trainer;
};

struct cdm_torch_trainer {
    struct cdm_torch_model *model;
    struct cdm_trainer_options options;
    float rate;
    int64_t steps;
    struct array states[2]; /* moment and average of leaf, device, bias, in this order */
    int32_t n_states;
};

static struct array *add(struct cdm_torch_model *m, const char *name, int32_t n_dims, int64_t rows,
                         int64_t columns)
{
    struct array *a = &m->arrays[m->n_arrays++];
    snprintf(a->name, sizeof a->name, "%s", name);
    a->n_dims = n_dims;
    a->shape[0] = rows;
    a->shape[1] = n_dims == 2 ? columns : 0;
    a->n = n_dims == 2 ? rows * columns : rows;
    a->values = calloc((size_t)a->n, sizeof(float));
    return a;
}

static enum cdm_status fake_setup(int32_t n_threads, struct cdm_error *err)
{
    return n_threads >= 1 ? CDM_OK : cdm_fail(err, CDM_BUG, "at least one thread is needed");
}

static enum cdm_status fake_has_device(const char *device, struct cdm_error *err)
{
    if (!strcmp(device, "cpu"))
        return CDM_OK;
    return cdm_fail(err, CDM_UNAVAILABLE, "%s cannot be used: this is not LibTorch", device);
}

static enum cdm_status fake_model_new(const struct cdm_net_config *config, const char *device,
                                      uint64_t seed, struct cdm_torch_model **model,
                                      struct cdm_error *err)
{
    (void)device;
    if (config->layers + config->head_layers > MOST_TENSORS - 8)
        return cdm_fail(err, CDM_BAD_INPUT, "network: too many layers");
    struct cdm_torch_model *m = calloc(1, sizeof *m);
    m->config = *config;
    char name[NAME_SIZE];
    m->leaf = add(m, "input.weight", 2, config->width, config->n_features)->values;
    m->device = add(m, "device.weight", 1, config->n_device, 0)->values;
    m->bias = add(m, "output.bias", 1, 1, 0)->values;
    add(m, "device.out.weight", 2, config->device_width, config->device_width);
    add(m, "join.weight", 2, config->head_width, config->width);
    if (config->n_summary)
        add(m, "summary.in.weight", 2, config->summary_width, config->n_summary);
    for (int32_t i = 0; i < config->layers; i++) {
        snprintf(name, sizeof name, "encoder.%d.ffn.in.weight", (int)i);
        add(m, name, 2, config->ffn, config->width);
    }
    for (int32_t i = 0; i < config->head_layers; i++) {
        snprintf(name, sizeof name, "head.%d.in.weight", (int)i);
        add(m, name, 2, config->head_width, config->head_width);
    }
    for (int32_t i = 0; i < config->n_features; i++)
        m->leaf[i] = 0.01F * (float)((seed + (uint64_t)i * 7) % 5);
    *model = m;
    return CDM_OK;
}

static void fake_model_free(struct cdm_torch_model *model)
{
    for (int32_t i = 0; model && i < model->n_arrays; i++)
        free(model->arrays[i].values);
    free(model);
}

static int32_t fake_model_n_tensors(const struct cdm_torch_model *model)
{
    return model->n_arrays;
}

static enum cdm_status describe(const struct array *arrays, int32_t n_arrays, int32_t i,
                                struct cdm_torch_tensor *tensor, struct cdm_error *err)
{
    if (i < 0 || i >= n_arrays)
        return cdm_fail(err, CDM_BUG, "no such array");
    *tensor = (struct cdm_torch_tensor){.name = arrays[i].name,
                                        .n_dims = arrays[i].n_dims,
                                        .shape = {arrays[i].shape[0], arrays[i].shape[1]},
                                        .n_values = arrays[i].n};
    return CDM_OK;
}

static enum cdm_status copy(const struct array *arrays, int32_t n_arrays, int32_t i, int64_t n,
                            float *to, const float *from, struct cdm_error *err)
{
    if (i < 0 || i >= n_arrays || arrays[i].n != n)
        return cdm_fail(err, CDM_BUG, "no such array, or another size");
    memcpy(to ? to : arrays[i].values, from ? from : arrays[i].values, (size_t)n * sizeof(float));
    return CDM_OK;
}

static enum cdm_status fake_model_tensor(const struct cdm_torch_model *model, int32_t i,
                                         struct cdm_torch_tensor *tensor, struct cdm_error *err)
{
    return describe(model->arrays, model->n_arrays, i, tensor, err);
}

static enum cdm_status fake_model_read(const struct cdm_torch_model *model, int32_t i,
                                       float *values, int64_t n, struct cdm_error *err)
{
    return copy(model->arrays, model->n_arrays, i, n, values, NULL, err);
}

static enum cdm_status fake_model_write(struct cdm_torch_model *model, int32_t i,
                                        const float *values, int64_t n, struct cdm_error *err)
{
    return copy(model->arrays, model->n_arrays, i, n, NULL, values, err);
}

/* Mean of the leaves of one program. */
static void mean_of(const struct cdm_torch_batch *b, int32_t program, float *mean)
{
    memset(mean, 0, (size_t)b->n_features * sizeof *mean);
    for (int32_t leaf = 0; leaf < b->n_leaves[program]; leaf++)
        for (int32_t i = 0; i < b->n_features; i++)
            mean[i] += b->leaves[((size_t)program * (size_t)b->max_leaves + (size_t)leaf) *
                                     (size_t)b->n_features +
                                 (size_t)i] /
                       (float)b->n_leaves[program];
}

static float predict_pair(const struct cdm_torch_model *m, const struct cdm_torch_batch *b,
                          int32_t pair, float *mean)
{
    mean_of(b, b->pair_program[pair], mean);
    float out = m->bias[0];
    for (int32_t i = 0; i < b->n_features; i++)
        out += m->leaf[i] * mean[i];
    for (int32_t i = 0; i < b->n_device; i++)
        out += m->device[i] * b->devices[(size_t)pair * (size_t)b->n_device + (size_t)i];
    return out;
}

static enum cdm_status fake_predict(struct cdm_torch_model *model,
                                    const struct cdm_torch_batch *batch, float *out,
                                    struct cdm_error *err)
{
    if (batch->n_features != model->config.n_features || batch->n_device != model->config.n_device)
        return cdm_fail(err, CDM_BUG, "a batch of another size than the network's");
    float *mean = calloc((size_t)batch->n_features, sizeof *mean);
    for (int32_t i = 0; i < batch->n_pairs; i++)
        out[i] = predict_pair(model, batch, i, mean);
    free(mean);
    return CDM_OK;
}

static enum cdm_status fake_embed(struct cdm_torch_model *model,
                                  const struct cdm_torch_batch *batch, float *out,
                                  struct cdm_error *err)
{
    (void)err;
    size_t width = (size_t)model->config.head_width;
    float *mean = calloc((size_t)batch->n_features, sizeof *mean);
    for (int32_t p = 0; p < batch->n_programs; p++) {
        mean_of(batch, p, mean);
        for (size_t i = 0; i < width; i++)
            out[(size_t)p * width + i] = i < (size_t)batch->n_features ? mean[i] : 0;
    }
    free(mean);
    return CDM_OK;
}

static enum cdm_status fake_trainer_new(struct cdm_torch_model *model,
                                        const struct cdm_trainer_options *options,
                                        struct cdm_torch_trainer **trainer, struct cdm_error *err)
{
    if (model->has_trainer)
        return cdm_fail(err, CDM_BUG, "the model has a trainer already");
    struct cdm_torch_trainer *t = calloc(1, sizeof *t);
    t->model = model;
    t->options = *options;
    t->n_states = options->average > 0 ? 2 : 1;
    int64_t n = (int64_t)model->config.n_features + model->config.n_device + 1;
    for (int32_t i = 0; i < t->n_states; i++) {
        snprintf(t->states[i].name, NAME_SIZE, "%s", i ? "average" : "moment");
        t->states[i].n_dims = 1;
        t->states[i].shape[0] = n;
        t->states[i].n = n;
        t->states[i].values = calloc((size_t)n, sizeof(float));
    }
    if (t->n_states == 2)
        memcpy(t->states[1].values, model->leaf, (size_t)model->config.n_features * sizeof(float));
    model->has_trainer = 1;
    *trainer = t;
    return CDM_OK;
}

static void fake_trainer_free(struct cdm_torch_trainer *trainer)
{
    if (!trainer)
        return;
    trainer->model->has_trainer = 0;
    free(trainer->states[0].values);
    free(trainer->states[1].values);
    free(trainer);
}

static void fake_trainer_set_rate(struct cdm_torch_trainer *trainer, float rate)
{
    trainer->rate = rate;
}

/* Weight i of all that are trained. */
static float *weight(struct cdm_torch_model *m, int64_t i)
{
    if (i < m->config.n_features)
        return &m->leaf[i];
    i -= m->config.n_features;
    return i < m->config.n_device ? &m->device[i] : m->bias;
}

static enum cdm_status fake_trainer_step(struct cdm_torch_trainer *trainer,
                                         const struct cdm_torch_batch *batch, const float *labels,
                                         const float *weights, const struct cdm_loss_options *loss,
                                         struct cdm_step_result *result, struct cdm_error *err)
{
    (void)loss;
    struct cdm_torch_model *m = trainer->model;
    int64_t n = trainer->states[0].n;
    float *gradient = calloc((size_t)n, sizeof *gradient);
    float *mean = calloc((size_t)batch->n_features, sizeof *mean);
    float total = 0;
    float share = 0;
    for (int32_t p = 0; p < batch->n_pairs; p++)
        share += weights[p];
    for (int32_t p = 0; p < batch->n_pairs; p++) {
        float error = predict_pair(m, batch, p, mean) - labels[p];
        total += weights[p] * error * error / share;
        float slope = 2 * weights[p] * error / share;
        for (int64_t i = 0; i < n; i++) {
            int64_t d = i - batch->n_features;
            float x = d < 0 ? mean[i] : 1;
            if (d >= 0 && d < batch->n_device)
                x = batch->devices[(int64_t)p * batch->n_device + d];
            gradient[i] += slope * x;
        }
    }
    free(mean);
    float norm = 0;
    for (int64_t i = 0; i < n; i++)
        norm += gradient[i] * gradient[i];
    *result = (struct cdm_step_result){total, sqrtf(norm)};
    enum cdm_status status = CDM_OK;
    if (!isfinite(total) || !isfinite(norm))
        status = cdm_fail(err, CDM_BAD_INPUT, "training diverged at step %lld: the loss is %g",
                          (long long)trainer->steps, (double)total);
    for (int64_t i = 0; i < n && status == CDM_OK; i++) {
        float *moment = &trainer->states[0].values[i];
        *moment = trainer->options.beta1 * *moment + gradient[i];
        *weight(m, i) -= trainer->rate * *moment;
        if (trainer->n_states == 2) {
            float *average = &trainer->states[1].values[i];
            *average += (1 - trainer->options.average) * (*weight(m, i) - *average);
        }
    }
    free(gradient);
    trainer->steps += status == CDM_OK;
    return status;
}

static enum cdm_status fake_trainer_swap_average(struct cdm_torch_trainer *trainer,
                                                 struct cdm_error *err)
{
    (void)err;
    for (int64_t i = 0; trainer->n_states == 2 && i < trainer->states[1].n; i++) {
        float *average = &trainer->states[1].values[i];
        float kept = *weight(trainer->model, i);
        *weight(trainer->model, i) = *average;
        *average = kept;
    }
    return CDM_OK;
}

static int64_t fake_trainer_steps(const struct cdm_torch_trainer *trainer)
{
    return trainer->steps;
}

static void fake_trainer_set_steps(struct cdm_torch_trainer *trainer, int64_t steps)
{
    trainer->steps = steps;
}

static int32_t fake_trainer_n_states(const struct cdm_torch_trainer *trainer)
{
    return trainer->n_states;
}

static enum cdm_status fake_trainer_state(const struct cdm_torch_trainer *trainer, int32_t i,
                                          struct cdm_torch_tensor *tensor, struct cdm_error *err)
{
    return describe(trainer->states, trainer->n_states, i, tensor, err);
}

static enum cdm_status fake_trainer_read(const struct cdm_torch_trainer *trainer, int32_t i,
                                         float *values, int64_t n, struct cdm_error *err)
{
    return copy(trainer->states, trainer->n_states, i, n, values, NULL, err);
}

static enum cdm_status fake_trainer_write(struct cdm_torch_trainer *trainer, int32_t i,
                                          const float *values, int64_t n, struct cdm_error *err)
{
    return copy(trainer->states, trainer->n_states, i, n, NULL, values, err);
}

static const struct cdm_torch_api api = {
    .abi = CDM_TORCH_ABI,
    .version = "fake",
    .setup = fake_setup,
    .has_device = fake_has_device,
    .model_new = fake_model_new,
    .model_free = fake_model_free,
    .model_n_tensors = fake_model_n_tensors,
    .model_tensor = fake_model_tensor,
    .model_read = fake_model_read,
    .model_write = fake_model_write,
    .predict = fake_predict,
    .embed = fake_embed,
    .trainer_new = fake_trainer_new,
    .trainer_free = fake_trainer_free,
    .trainer_set_rate = fake_trainer_set_rate,
    .trainer_step = fake_trainer_step,
    .trainer_swap_average = fake_trainer_swap_average,
    .trainer_steps = fake_trainer_steps,
    .trainer_set_steps = fake_trainer_set_steps,
    .trainer_n_states = fake_trainer_n_states,
    .trainer_state = fake_trainer_state,
    .trainer_read = fake_trainer_read,
    .trainer_write = fake_trainer_write,
};

__attribute__((visibility("default"))) const struct cdm_torch_api *cdm_torch_get_api(void)
{
    return &api;
}
