#include "models/checkpoint.h"

#include "cdmpp/core/alloc.h"
#include "cdmpp/core/str.h"
#include "models/safetensors.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Copies of the arrays on their way to the file. */
struct parts {
    struct cdm_tensor *tensors; /* [n] */
    size_t n;
    size_t capacity;
    struct cdm_arena arena; /* names and values */
};

/* The arrays of the model and of the trainer are reached by functions of the same shape. */
enum kind { MODEL, TRAINER };
static const char *const prefixes[] = {[MODEL] = "model.", [TRAINER] = "trainer."};

static int32_t count(const struct cdm_run *run, enum kind kind)
{
    return kind == MODEL ? run->api->model_n_tensors(run->net)
                         : run->api->trainer_n_states(run->trainer);
}

static enum cdm_status describe(const struct cdm_run *run, enum kind kind, int32_t i,
                                struct cdm_torch_tensor *tensor, struct cdm_error *err)
{
    return kind == MODEL ? run->api->model_tensor(run->net, i, tensor, err)
                         : run->api->trainer_state(run->trainer, i, tensor, err);
}

static char *join(struct cdm_arena *arena, const char *prefix, const char *name)
{
    struct cdm_str text = {0};
    cdm_str_puts(&text, prefix);
    cdm_str_puts(&text, name);
    char *joined = cdm_arena_text(arena, text.data, text.length);
    cdm_str_release(&text);
    return joined;
}

static void add(struct parts *parts, const char *prefix, const char *name, int32_t n_dims,
                const int64_t *shape, const float *values)
{
    parts->tensors =
        cdm_grow(parts->tensors, &parts->capacity, parts->n + 1, sizeof *parts->tensors);
    struct cdm_tensor *tensor = &parts->tensors[parts->n++];
    *tensor = (struct cdm_tensor){.name = join(&parts->arena, prefix, name),
                                  .dtype = CDM_DTYPE_F32,
                                  .n_dims = n_dims,
                                  .data = values};
    memcpy(tensor->shape, shape, (size_t)n_dims * sizeof *shape);
}

static enum cdm_status collect(const struct cdm_run *run, enum kind kind, struct parts *parts,
                               struct cdm_error *err)
{
    for (int32_t i = 0; i < count(run, kind); i++) {
        struct cdm_torch_tensor tensor;
        enum cdm_status status = describe(run, kind, i, &tensor, err);
        if (status != CDM_OK)
            return status;
        float *values = cdm_arena_array(&parts->arena, (size_t)tensor.n_values, sizeof *values);
        status = kind == MODEL
                     ? run->api->model_read(run->net, i, values, tensor.n_values, err)
                     : run->api->trainer_read(run->trainer, i, values, tensor.n_values, err);
        if (status != CDM_OK)
            return status;
        add(parts, prefixes[kind], tensor.name, tensor.n_dims, tensor.shape, values);
    }
    return CDM_OK;
}

enum cdm_status cdm_checkpoint_save(const char *path, const struct cdm_run *run,
                                    const struct cdm_run_state *state, struct cdm_error *err)
{
    struct parts parts = {0};
    struct cdm_meta meta = {0};
    enum cdm_status status = collect(run, MODEL, &parts, err);
    if (status == CDM_OK)
        status = collect(run, TRAINER, &parts, err);
    for (int32_t i = 0; i < run->best->n_weights; i++) {
        const struct cdm_weights *weights = &run->best->weights[i];
        add(&parts, "best.", weights->name, weights->n_dims, weights->shape, weights->values);
    }
    cdm_meta_set_int(&meta, "checkpoint", CDM_CHECKPOINT_VERSION);
    cdm_meta_set(&meta, "run", run->identity);
    cdm_meta_set_int(&meta, "steps", run->api->trainer_steps(run->trainer));
    cdm_meta_set_int(&meta, "epoch", state->epoch);
    cdm_meta_set_int(&meta, "batch", state->batch);
    cdm_meta_set_int(&meta, "pairs", state->pairs);
    cdm_meta_set_double(&meta, "loss_sum", state->loss_sum);
    cdm_meta_set_int(&meta, "best_epoch", state->best_epoch);
    if (isfinite(state->best_score))
        cdm_meta_set_double(&meta, "best_score", state->best_score);
    if (status == CDM_OK)
        status = cdm_tensors_write(path, parts.tensors, parts.n, &meta, err);
    free(parts.tensors);
    cdm_arena_release(&parts.arena);
    cdm_meta_release(&meta);
    return status;
}

static enum cdm_status check_identity(const struct cdm_meta *meta, const struct cdm_run *run,
                                      struct cdm_error *err)
{
    int64_t version;
    const char *identity;
    if (!cdm_meta_find(meta, "checkpoint"))
        return cdm_fail(err, CDM_BAD_INPUT, "not a checkpoint of a training run");
    enum cdm_status status = cdm_meta_int(meta, "checkpoint", CDM_CHECKPOINT_VERSION,
                                          CDM_CHECKPOINT_VERSION, &version, err);
    if (status == CDM_OK)
        status = cdm_meta_text(meta, "run", &identity, err);
    if (status != CDM_OK || !strcmp(identity, run->identity))
        return status;
    /* Both are lists "key=value;...": the first difference tells the user most. */
    size_t start = 0;
    for (size_t i = 0; identity[i] && identity[i] == run->identity[i]; i++)
        if (identity[i] == ';')
            start = i + 1;
    return cdm_fail(err, CDM_BAD_INPUT,
                    "the checkpoint is of another run: it has %.*s where this one has %.*s",
                    (int)strcspn(identity + start, ";"), identity + start,
                    (int)strcspn(run->identity + start, ";"), run->identity + start);
}

static enum cdm_status load_state(const struct cdm_meta *meta, const struct cdm_run *run,
                                  struct cdm_run_state *state, struct cdm_error *err)
{
    int64_t steps = 0;
    int64_t epoch = 0;
    int64_t batch = 0;
    int64_t best_epoch = -1;
    enum cdm_status status = cdm_meta_int(meta, "steps", 0, INT64_MAX, &steps, err);
    if (status == CDM_OK)
        status = cdm_meta_int(meta, "epoch", 0, INT32_MAX, &epoch, err);
    if (status == CDM_OK)
        status = cdm_meta_int(meta, "batch", 0, INT32_MAX, &batch, err);
    if (status == CDM_OK)
        status = cdm_meta_int(meta, "pairs", 0, INT64_MAX, &state->pairs, err);
    if (status == CDM_OK)
        status = cdm_meta_double(meta, "loss_sum", &state->loss_sum, err);
    if (status == CDM_OK)
        status = cdm_meta_int(meta, "best_epoch", -1, INT32_MAX, &best_epoch, err);
    state->best_score = INFINITY;
    if (status == CDM_OK && cdm_meta_find(meta, "best_score"))
        status = cdm_meta_double(meta, "best_score", &state->best_score, err);
    if (status != CDM_OK)
        return status;
    state->epoch = (int32_t)epoch;
    state->batch = (int32_t)batch;
    state->best_epoch = (int32_t)best_epoch;
    run->api->trainer_set_steps(run->trainer, steps);
    return CDM_OK;
}

static enum cdm_status find(const struct cdm_tensors *tensors, const char *prefix,
                            const struct cdm_torch_tensor *wanted, const float **values,
                            struct cdm_error *err)
{
    struct cdm_arena arena = {0};
    const struct cdm_tensor *found;
    enum cdm_status status =
        cdm_tensors_get(tensors, join(&arena, prefix, wanted->name), CDM_DTYPE_F32, wanted->n_dims,
                        wanted->shape, &found, err);
    if (status == CDM_OK)
        status = cdm_tensor_check_finite(found, err);
    if (status == CDM_OK)
        *values = found->data;
    cdm_arena_release(&arena);
    return status;
}

static enum cdm_status load_arrays(const struct cdm_tensors *tensors, const struct cdm_run *run,
                                   enum kind kind, const char *prefix, struct cdm_error *err)
{
    for (int32_t i = 0; i < count(run, kind); i++) {
        struct cdm_torch_tensor tensor;
        const float *values = NULL;
        enum cdm_status status = describe(run, kind, i, &tensor, err);
        if (status == CDM_OK)
            status = find(tensors, prefix, &tensor, &values, err);
        if (status == CDM_OK)
            status = kind == MODEL
                         ? run->api->model_write(run->net, i, values, tensor.n_values, err)
                         : run->api->trainer_write(run->trainer, i, values, tensor.n_values, err);
        if (status != CDM_OK)
            return status;
    }
    return CDM_OK;
}

/* The best weights take the way through the network, which knows their names and shapes. */
static enum cdm_status load_weights(const struct cdm_tensors *tensors, const struct cdm_run *run,
                                    const struct cdm_run_state *state, struct cdm_error *err)
{
    enum cdm_status status = CDM_OK;
    if (state->best_epoch >= 0) {
        status = load_arrays(tensors, run, MODEL, "best.", err);
        if (status == CDM_OK)
            status = cdm_model_take_weights(run->best, run->api, run->net, err);
    }
    if (status == CDM_OK)
        status = load_arrays(tensors, run, MODEL, prefixes[MODEL], err);
    if (status == CDM_OK)
        status = load_arrays(tensors, run, TRAINER, prefixes[TRAINER], err);
    return status;
}

enum cdm_status cdm_checkpoint_load(const char *path, const struct cdm_run *run,
                                    struct cdm_run_state *state, struct cdm_error *err)
{
    struct cdm_tensors *tensors;
    enum cdm_status status = cdm_tensors_open(path, &tensors, err);
    if (status != CDM_OK)
        return cdm_fail_in(err, "checkpoint %s", path);
    status = check_identity(cdm_tensors_meta(tensors), run, err);
    if (status == CDM_OK)
        status = load_state(cdm_tensors_meta(tensors), run, state, err);
    if (status == CDM_OK)
        status = load_weights(tensors, run, state, err);
    cdm_tensors_free(tensors);
    return status == CDM_OK ? status : cdm_fail_in(err, "checkpoint %s", path);
}
