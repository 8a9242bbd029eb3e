#include "models/predictor.h"

#include "cdmpp/core/alloc.h"

#include <inttypes.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

struct cdm_predictor {
    struct cdm_model model;
    const struct cdm_torch_api *api;
    struct cdm_torch_model *net;
    struct cdm_batch batch;
};

/* Limits of one batch. Larger ones are not faster, and memory stays small. The attention needs
 * leaves^2 numbers for each program and head. */
enum { MOST_ROWS = 8192, MOST_SQUARES = 1 << 22, MOST_PAIRS = 8192 };

static enum cdm_status check_versions(const struct cdm_model *model,
                                      const struct cdm_input_versions *versions,
                                      struct cdm_error *err)
{
    const struct {
        const char *what;
        int32_t model;
        int32_t program;
    } all[] = {
        {"feature set", model->feature_set, versions->feature_set},
        {"device vector", model->device_vector, versions->device_vector},
        {"number of features", model->net.n_features, versions->n_features},
        {"size of the device vector", model->net.n_device, versions->n_device_entries},
    };
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        if (all[i].model != all[i].program)
            return cdm_fail(err, CDM_BAD_INPUT,
                            "the model was trained with %s %" PRId32
                            ", but this program computes %" PRId32,
                            all[i].what, all[i].model, all[i].program);
    return CDM_OK;
}

enum cdm_status cdm_predictor_open(const char *path, const struct cdm_torch_api *api,
                                   const char *run_on, const struct cdm_input_versions *versions,
                                   struct cdm_predictor **predictor, struct cdm_error *err)
{
    *predictor = NULL;
    struct cdm_predictor *made = cdm_alloc(1, sizeof *made);
    made->api = api;
    enum cdm_status status = cdm_model_read(path, &made->model, err);
    if (status == CDM_OK)
        status = check_versions(&made->model, versions, err);
    if (status == CDM_OK)
        status = api->has_device(run_on, err);
    if (status == CDM_OK)
        status = api->model_new(&made->model.net, run_on, 0, &made->net, err);
    if (status == CDM_OK)
        status = cdm_model_give_weights(&made->model, api, made->net, err);
    if (status != CDM_OK) {
        cdm_predictor_free(made);
        return status;
    }
    cdm_model_drop_weights(&made->model);
    *predictor = made;
    return CDM_OK;
}

void cdm_predictor_free(struct cdm_predictor *predictor)
{
    if (!predictor)
        return;
    if (predictor->net)
        predictor->api->model_free(predictor->net);
    cdm_batch_release(&predictor->batch);
    cdm_model_release(&predictor->model);
    free(predictor);
}

const struct cdm_model *cdm_predictor_model(const struct cdm_predictor *predictor)
{
    return &predictor->model;
}

/* A pair with what batches are formed by. */
struct sorted_pair {
    int64_t n_leaves;
    struct cdm_pair pair;
    size_t place; /* in the caller's array */
};

static int compare_pairs(const void *left, const void *right)
{
    const struct sorted_pair *a = left;
    const struct sorted_pair *b = right;
    if (a->n_leaves != b->n_leaves)
        return a->n_leaves < b->n_leaves ? -1 : 1;
    if (a->pair.program != b->pair.program)
        return a->pair.program < b->pair.program ? -1 : 1;
    return (a->place > b->place) - (a->place < b->place);
}

static bool batch_is_full(int64_t n_programs, int64_t n_leaves)
{
    return n_programs > 0 && ((n_programs + 1) * n_leaves > MOST_ROWS ||
                              (n_programs + 1) * n_leaves * n_leaves > MOST_SQUARES);
}

/* Takes the sorted pairs from `first` on that make one batch; returns the end. */
static size_t take_batch(const struct sorted_pair *sorted, size_t first, size_t n,
                         int32_t *programs, int32_t *n_programs, struct cdm_pair *pairs)
{
    *n_programs = 0;
    size_t i = first;
    for (; i < n && i - first < MOST_PAIRS; i++) {
        bool is_new = i == first || sorted[i].pair.program != sorted[i - 1].pair.program;
        if (is_new && batch_is_full(*n_programs, sorted[i].n_leaves))
            break;
        if (is_new)
            programs[(*n_programs)++] = sorted[i].pair.program;
        pairs[i - first] = (struct cdm_pair){*n_programs - 1, sorted[i].pair.device};
    }
    return i;
}

enum cdm_status cdm_predict_labels(const struct cdm_torch_api *api, struct cdm_torch_model *net,
                                   const struct cdm_scaling *scaling,
                                   const struct cdm_inputs *inputs, const struct cdm_pair *pairs,
                                   size_t n, struct cdm_batch *batch, float *labels,
                                   struct cdm_error *err)
{
    struct sorted_pair *sorted = cdm_alloc(n + 1, sizeof *sorted);
    size_t most = n < MOST_PAIRS ? n + 1 : MOST_PAIRS;
    struct cdm_pair *chosen = cdm_alloc(most, sizeof *chosen);
    int32_t *programs = cdm_alloc(most, sizeof *programs);
    float *out = cdm_alloc(most, sizeof *out);
    for (size_t i = 0; i < n; i++) {
        int32_t program = pairs[i].program;
        sorted[i] = (struct sorted_pair){inputs->offsets[program + 1] - inputs->offsets[program],
                                         pairs[i], i};
    }
    qsort(sorted, n, sizeof *sorted, compare_pairs);
    enum cdm_status status = CDM_OK;
    for (size_t first = 0, end; first < n && status == CDM_OK; first = end) {
        int32_t n_programs;
        end = take_batch(sorted, first, n, programs, &n_programs, chosen);
        cdm_batch_fill(batch, inputs, scaling, programs, n_programs, chosen,
                       (int32_t)(end - first));
        status = api->predict(net, &batch->view, out, err);
        for (size_t i = first; i < end && status == CDM_OK; i++)
            labels[sorted[i].place] = out[i - first];
    }
    free(sorted);
    free(chosen);
    free(programs);
    free(out);
    return status;
}

enum cdm_status cdm_predictor_run(struct cdm_predictor *predictor, const struct cdm_inputs *inputs,
                                  const struct cdm_pair *pairs, size_t n, double *seconds,
                                  struct cdm_error *err)
{
    const struct cdm_model *model = &predictor->model;
    if (inputs->n_features != model->net.n_features ||
        inputs->n_device_entries != model->net.n_device)
        return cdm_fail(err, CDM_BUG, "inputs of another size than the model's");
    enum cdm_status status = cdm_inputs_check(inputs, err);
    if (status != CDM_OK)
        return status;
    float *labels = cdm_alloc(n + 1, sizeof *labels);
    status = cdm_predict_labels(predictor->api, predictor->net, &model->scaling, inputs, pairs, n,
                                &predictor->batch, labels, err);
    for (size_t i = 0; i < n && status == CDM_OK; i++)
        seconds[i] =
            isfinite(labels[i]) ? cdm_label_seconds(&model->label, (double)labels[i]) : NAN;
    free(labels);
    return status;
}
