#include "models/model_file.h"

#include "cdmpp/core/alloc.h"

#include <inttypes.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The sizes of the network in the metadata: name and place. */
static const struct {
    const char *key;
    size_t offset;
    int64_t least;
} sizes[] = {
    {"net.features", offsetof(struct cdm_net_config, n_features), 1},
    {"net.summary", offsetof(struct cdm_net_config, n_summary), 0},
    {"net.device", offsetof(struct cdm_net_config, n_device), 1},
    {"net.width", offsetof(struct cdm_net_config, width), 2},
    {"net.layers", offsetof(struct cdm_net_config, layers), 0},
    {"net.heads", offsetof(struct cdm_net_config, heads), 1},
    {"net.ffn", offsetof(struct cdm_net_config, ffn), 1},
    {"net.summary_width", offsetof(struct cdm_net_config, summary_width), 0},
    {"net.device_width", offsetof(struct cdm_net_config, device_width), 1},
    {"net.head_width", offsetof(struct cdm_net_config, head_width), 1},
    {"net.head_layers", offsetof(struct cdm_net_config, head_layers), 0},
};
enum { N_SIZES = sizeof sizes / sizeof *sizes, MOST_SIZE = 65536 };

/* The normalisers and the tensors that hold them. */
static const struct {
    const char *mean;
    const char *scale;
    size_t offset;
} scalings[] = {
    {"scaling.leaf.mean", "scaling.leaf.scale", offsetof(struct cdm_scaling, leaf)},
    {"scaling.summary.mean", "scaling.summary.scale", offsetof(struct cdm_scaling, summary)},
    {"scaling.device.mean", "scaling.device.scale", offsetof(struct cdm_scaling, device)},
};
enum { N_SCALINGS = sizeof scalings / sizeof *scalings };

static const char scaling_prefix[] = "scaling.";

static int32_t *size_of_net(struct cdm_net_config *net, size_t i)
{
    return (int32_t *)(void *)((char *)net + sizes[i].offset);
}

static struct cdm_normaliser *normaliser_of(struct cdm_scaling *scaling, size_t i)
{
    return (struct cdm_normaliser *)(void *)((char *)scaling + scalings[i].offset);
}

/* ---- Reading ---- */

static enum cdm_status read_version(const struct cdm_meta *meta, struct cdm_error *err)
{
    int64_t version;
    if (!cdm_meta_find(meta, "model"))
        return cdm_fail(err, CDM_BAD_INPUT, "not a model of cdmpp: metadata lacks \"model\"");
    enum cdm_status status = cdm_meta_int(meta, "model", 0, INT32_MAX, &version, err);
    if (status != CDM_OK)
        return status;
    if (version != CDM_MODEL_VERSION)
        return cdm_fail(err, CDM_BAD_INPUT,
                        "the model file has version %" PRId64 "; this program reads version %d",
                        version, CDM_MODEL_VERSION);
    return CDM_OK;
}

static enum cdm_status read_int(const struct cdm_meta *meta, const char *key, int64_t least,
                                int64_t most, int32_t *value, struct cdm_error *err)
{
    int64_t wide = 0;
    enum cdm_status status = cdm_meta_int(meta, key, least, most, &wide, err);
    *value = (int32_t)wide;
    return status;
}

static enum cdm_status read_label(const struct cdm_meta *meta, struct cdm_label *label,
                                  struct cdm_error *err)
{
    const char *kind;
    enum cdm_status status = cdm_meta_text(meta, "label.kind", &kind, err);
    if (status == CDM_OK)
        status = cdm_label_kind_of(kind, &label->kind, err);
    if (status == CDM_OK)
        status = cdm_meta_double(meta, "label.lambda", &label->lambda, err);
    if (status == CDM_OK)
        status = cdm_meta_double(meta, "label.mean", &label->mean, err);
    if (status == CDM_OK)
        status = cdm_meta_double(meta, "label.scale", &label->scale, err);
    if (status == CDM_OK && !(label->scale > 0))
        status = cdm_fail(err, CDM_BAD_INPUT, "metadata \"label.scale\" must be positive");
    if (status == CDM_OK && label->kind == CDM_LABEL_LOG && label->lambda != 0)
        status = cdm_fail(err, CDM_BAD_INPUT, "metadata \"label.lambda\" must be 0 for log");
    return status;
}

static enum cdm_status read_sizes(const struct cdm_meta *meta, struct cdm_model *model,
                                  struct cdm_error *err)
{
    for (size_t i = 0; i < N_SIZES; i++) {
        enum cdm_status status = read_int(meta, sizes[i].key, sizes[i].least, MOST_SIZE,
                                          size_of_net(&model->net, i), err);
        if (status != CDM_OK)
            return status;
    }
    int32_t summary;
    enum cdm_status status = read_int(meta, "summary", 0, INT32_MAX, &summary, err);
    if (status != CDM_OK)
        return status;
    if (summary != 0 && summary != CDM_SUMMARY_VERSION)
        return cdm_fail(err, CDM_BAD_INPUT,
                        "the model takes program summary %" PRId32 "; this program computes %d",
                        summary, CDM_SUMMARY_VERSION);
    int32_t wanted = summary ? cdm_summary_size(model->net.n_features) : 0;
    if (model->net.n_summary != wanted)
        return cdm_fail(err, CDM_BAD_INPUT,
                        "metadata \"net.summary\" is %" PRId32 ", where %" PRId32 " is needed",
                        model->net.n_summary, wanted);
    return CDM_OK;
}

/* Each size must show in a tensor, so that a small file cannot ask for a huge network. */
static enum cdm_status check_sizes(const struct cdm_tensors *tensors,
                                   const struct cdm_net_config *net, struct cdm_error *err)
{
    const struct cdm_tensor *tensor;
    char name[64];
    enum cdm_status status =
        cdm_tensors_get(tensors, "input.weight", CDM_DTYPE_F32, 2,
                        (const int64_t[]){net->width, net->n_features}, &tensor, err);
    for (int32_t i = 0; i < net->layers && status == CDM_OK; i++) {
        snprintf(name, sizeof name, "encoder.%" PRId32 ".ffn.in.weight", i);
        status = cdm_tensors_get(tensors, name, CDM_DTYPE_F32, 2,
                                 (const int64_t[]){net->ffn, net->width}, &tensor, err);
    }
    if (status == CDM_OK && net->n_summary)
        status =
            cdm_tensors_get(tensors, "summary.in.weight", CDM_DTYPE_F32, 2,
                            (const int64_t[]){net->summary_width, net->n_summary}, &tensor, err);
    if (status == CDM_OK)
        status =
            cdm_tensors_get(tensors, "device.out.weight", CDM_DTYPE_F32, 2,
                            (const int64_t[]){net->device_width, net->device_width}, &tensor, err);
    if (status == CDM_OK)
        status = cdm_tensors_get(tensors, "join.weight", CDM_DTYPE_F32, 2,
                                 (const int64_t[]){net->head_width, -1}, &tensor, err);
    for (int32_t i = 0; i < net->head_layers && status == CDM_OK; i++) {
        snprintf(name, sizeof name, "head.%" PRId32 ".in.weight", i);
        status = cdm_tensors_get(tensors, name, CDM_DTYPE_F32, 2,
                                 (const int64_t[]){net->head_width, net->head_width}, &tensor, err);
    }
    return status;
}

static enum cdm_status read_scaling(const struct cdm_tensors *tensors, struct cdm_model *model,
                                    struct cdm_error *err)
{
    double clip;
    enum cdm_status status = cdm_meta_double(cdm_tensors_meta(tensors), "scaling.clip", &clip, err);
    if (status != CDM_OK)
        return status;
    const int32_t n[N_SCALINGS] = {model->net.n_features, model->net.n_summary,
                                   model->net.n_device};
    for (size_t i = 0; i < N_SCALINGS; i++) {
        const struct cdm_tensor *mean;
        const struct cdm_tensor *scale;
        int64_t shape[] = {n[i]};
        struct cdm_normaliser *normaliser = normaliser_of(&model->scaling, i);
        status = cdm_tensors_get(tensors, scalings[i].mean, CDM_DTYPE_F32, 1, shape, &mean, err);
        if (status == CDM_OK)
            status =
                cdm_tensors_get(tensors, scalings[i].scale, CDM_DTYPE_F32, 1, shape, &scale, err);
        if (status != CDM_OK)
            return status;
        cdm_normaliser_init(normaliser, n[i], (float)clip);
        memcpy(normaliser->mean, mean->data, mean->n_bytes);
        memcpy(normaliser->scale, scale->data, scale->n_bytes);
        status = cdm_normaliser_check(normaliser, scalings[i].mean, err);
        if (status != CDM_OK)
            return status;
    }
    return CDM_OK;
}

static enum cdm_status read_weights(const struct cdm_tensors *tensors, struct cdm_model *model,
                                    struct cdm_error *err)
{
    size_t n = cdm_tensors_count(tensors);
    model->weights = cdm_alloc(n + 1, sizeof *model->weights);
    for (size_t i = 0; i < n; i++) {
        const struct cdm_tensor *tensor = cdm_tensors_at(tensors, i);
        if (cdm_view_starts(cdm_view_of(tensor->name), scaling_prefix))
            continue;
        if (tensor->dtype != CDM_DTYPE_F32 || tensor->n_dims > CDM_TORCH_MAX_DIMS)
            return cdm_fail(err, CDM_BAD_INPUT,
                            "tensor \"%.100s\" is %s with %" PRId32
                            " dimensions; weights are F32 with at most %d",
                            tensor->name, cdm_dtype_name(tensor->dtype), tensor->n_dims,
                            CDM_TORCH_MAX_DIMS);
        enum cdm_status status = cdm_tensor_check_finite(tensor, err);
        if (status != CDM_OK)
            return status;
        struct cdm_weights *weights = &model->weights[model->n_weights++];
        weights->name = cdm_strdup(tensor->name);
        weights->n_dims = tensor->n_dims;
        memcpy(weights->shape, tensor->shape, sizeof weights->shape);
        weights->n_values = tensor->n_values;
        weights->values = cdm_alloc((size_t)tensor->n_values + 1, sizeof(float));
        memcpy(weights->values, tensor->data, tensor->n_bytes);
    }
    return CDM_OK;
}

static enum cdm_status read_model(const struct cdm_tensors *tensors, struct cdm_model *model,
                                  struct cdm_error *err)
{
    const struct cdm_meta *meta = cdm_tensors_meta(tensors);
    enum cdm_status status = read_version(meta, err);
    if (status == CDM_OK)
        status = read_int(meta, "feature_set", 1, INT32_MAX, &model->feature_set, err);
    if (status == CDM_OK)
        status = read_int(meta, "device_vector", 1, INT32_MAX, &model->device_vector, err);
    if (status == CDM_OK)
        status = read_sizes(meta, model, err);
    if (status == CDM_OK)
        status = read_label(meta, &model->label, err);
    if (status == CDM_OK)
        status = check_sizes(tensors, &model->net, err);
    if (status == CDM_OK)
        status = read_scaling(tensors, model, err);
    if (status == CDM_OK)
        status = read_weights(tensors, model, err);
    if (status != CDM_OK)
        return status;
    for (size_t i = 0; i < meta->n; i++)
        cdm_meta_set(&model->about, meta->items[i].key, meta->items[i].value);
    return CDM_OK;
}

enum cdm_status cdm_model_from_tensors(const struct cdm_tensors *tensors, struct cdm_model *model,
                                       struct cdm_error *err)
{
    *model = (struct cdm_model){0};
    enum cdm_status status = read_model(tensors, model, err);
    if (status != CDM_OK)
        cdm_model_release(model);
    return status;
}

enum cdm_status cdm_model_read(const char *path, struct cdm_model *model, struct cdm_error *err)
{
    *model = (struct cdm_model){0};
    struct cdm_tensors *tensors;
    enum cdm_status status = cdm_tensors_open(path, &tensors, err);
    if (status != CDM_OK)
        return status;
    status = cdm_model_from_tensors(tensors, model, err);
    cdm_tensors_free(tensors);
    return status;
}

/* ---- Writing ---- */

static void put_meta(const struct cdm_model *model, struct cdm_meta *meta)
{
    struct cdm_net_config net = model->net;
    cdm_meta_set_int(meta, "model", CDM_MODEL_VERSION);
    cdm_meta_set_int(meta, "feature_set", model->feature_set);
    cdm_meta_set_int(meta, "device_vector", model->device_vector);
    cdm_meta_set_int(meta, "summary", net.n_summary ? CDM_SUMMARY_VERSION : 0);
    for (size_t i = 0; i < N_SIZES; i++)
        cdm_meta_set_int(meta, sizes[i].key, *size_of_net(&net, i));
    cdm_meta_set(meta, "label.kind", cdm_label_name(model->label.kind));
    cdm_meta_set_double(meta, "label.lambda", model->label.lambda);
    cdm_meta_set_double(meta, "label.mean", model->label.mean);
    cdm_meta_set_double(meta, "label.scale", model->label.scale);
    cdm_meta_set_double(meta, "scaling.clip", (double)model->scaling.leaf.clip);
    /* Last, and only what is not said above: about may come from the file that the model was read
     * from. */
    for (size_t i = 0; i < model->about.n; i++)
        if (!cdm_meta_find(meta, model->about.items[i].key))
            cdm_meta_set(meta, model->about.items[i].key, model->about.items[i].value);
}

static struct cdm_tensor vector(const char *name, const float *values, int32_t n)
{
    return (struct cdm_tensor){
        .name = name, .dtype = CDM_DTYPE_F32, .n_dims = 1, .shape = {n}, .data = values};
}

enum cdm_status cdm_model_write(const char *path, const struct cdm_model *model,
                                struct cdm_error *err)
{
    struct cdm_scaling scaling = model->scaling;
    struct cdm_meta meta = {0};
    size_t n = 0;
    struct cdm_tensor *tensors =
        cdm_alloc((size_t)model->n_weights + 2 * N_SCALINGS, sizeof *tensors);
    for (size_t i = 0; i < N_SCALINGS; i++) {
        const struct cdm_normaliser *normaliser = normaliser_of(&scaling, i);
        tensors[n++] = vector(scalings[i].mean, normaliser->mean, normaliser->n);
        tensors[n++] = vector(scalings[i].scale, normaliser->scale, normaliser->n);
    }
    for (int32_t i = 0; i < model->n_weights; i++) {
        const struct cdm_weights *weights = &model->weights[i];
        struct cdm_tensor *tensor = &tensors[n++];
        tensor->name = weights->name;
        tensor->dtype = CDM_DTYPE_F32;
        tensor->n_dims = weights->n_dims;
        memcpy(tensor->shape, weights->shape, sizeof weights->shape);
        tensor->data = weights->values;
    }
    put_meta(model, &meta);
    enum cdm_status status = cdm_tensors_write(path, tensors, n, &meta, err);
    cdm_meta_release(&meta);
    free(tensors);
    return status;
}

/* ---- Weights ---- */

static void free_weights(struct cdm_weights *weights, int32_t n)
{
    for (int32_t i = 0; i < n; i++) {
        free(weights[i].name);
        free(weights[i].values);
    }
    free(weights);
}

void cdm_model_drop_weights(struct cdm_model *model)
{
    free_weights(model->weights, model->n_weights);
    model->weights = NULL;
    model->n_weights = 0;
}

void cdm_model_release(struct cdm_model *model)
{
    cdm_scaling_release(&model->scaling);
    cdm_model_drop_weights(model);
    cdm_meta_release(&model->about);
    *model = (struct cdm_model){0};
}

enum cdm_status cdm_model_take_weights(struct cdm_model *model, const struct cdm_torch_api *api,
                                       const struct cdm_torch_model *net, struct cdm_error *err)
{
    int32_t n = api->model_n_tensors(net);
    struct cdm_weights *taken = cdm_alloc((size_t)n + 1, sizeof *taken);
    enum cdm_status status = CDM_OK;
    for (int32_t i = 0; i < n && status == CDM_OK; i++) {
        struct cdm_torch_tensor tensor;
        status = api->model_tensor(net, i, &tensor, err);
        if (status != CDM_OK)
            break;
        taken[i].name = cdm_strdup(tensor.name);
        taken[i].n_dims = tensor.n_dims;
        memcpy(taken[i].shape, tensor.shape, sizeof tensor.shape);
        taken[i].n_values = tensor.n_values;
        taken[i].values = cdm_alloc((size_t)tensor.n_values + 1, sizeof(float));
        status = api->model_read(net, i, taken[i].values, tensor.n_values, err);
    }
    if (status != CDM_OK) {
        free_weights(taken, n);
        return status;
    }
    cdm_model_drop_weights(model);
    model->weights = taken;
    model->n_weights = n;
    return CDM_OK;
}

static const struct cdm_weights *find_weights(const struct cdm_model *model, const char *name)
{
    for (int32_t i = 0; i < model->n_weights; i++)
        if (!strcmp(model->weights[i].name, name))
            return &model->weights[i];
    return NULL;
}

enum cdm_status cdm_model_give_weights(const struct cdm_model *model,
                                       const struct cdm_torch_api *api, struct cdm_torch_model *net,
                                       struct cdm_error *err)
{
    int32_t n = api->model_n_tensors(net);
    for (int32_t i = 0; i < n; i++) {
        struct cdm_torch_tensor tensor;
        enum cdm_status status = api->model_tensor(net, i, &tensor, err);
        if (status != CDM_OK)
            return status;
        const struct cdm_weights *weights = find_weights(model, tensor.name);
        if (!weights)
            return cdm_fail(err, CDM_BAD_INPUT, "the model lacks the tensor \"%s\"", tensor.name);
        if (weights->n_dims != tensor.n_dims ||
            memcmp(weights->shape, tensor.shape, sizeof tensor.shape) != 0)
            return cdm_fail(err, CDM_BAD_INPUT,
                            "tensor \"%s\" has another shape than the network's", tensor.name);
        status = api->model_write(net, i, weights->values, tensor.n_values, err);
        if (status != CDM_OK)
            return status;
    }
    if (n != model->n_weights)
        return cdm_fail(err, CDM_BAD_INPUT,
                        "the model has %" PRId32
                        " tensors of weights where the network has %" PRId32,
                        model->n_weights, n);
    return CDM_OK;
}
