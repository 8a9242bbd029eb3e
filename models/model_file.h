/* A trained predictor: everything that a prediction needs, and what is known about it.
 *
 * In a file (safetensors layout, models/safetensors.h) the tensors are
 *   - the network's, by the names that net.cpp gives them ("encoder.0.attention.query.weight");
 *   - "scaling.leaf.mean", "scaling.leaf.scale" and the same of summary and device;
 * and the metadata, all texts,
 *   - "model": CDM_MODEL_VERSION; "feature_set", "device_vector": versions of the inputs;
 *   - "summary": CDM_SUMMARY_VERSION, or 0 when the network takes none;
 *   - "net.width" and so on: struct cdm_net_config;
 *   - "label.kind", "label.lambda", "label.mean", "label.scale"; "scaling.clip";
 *   - anything else that the trainer wants to say: "devices", "dataset", "errors", ... (`about`).
 */
#ifndef CDMPP_MODELS_MODEL_FILE_H
#define CDMPP_MODELS_MODEL_FILE_H

#include "cdmpp/core/error.h"
#include "data/label.h"
#include "models/inputs.h"
#include "models/meta.h"
#include "models/safetensors.h"
#include "models/torch/torch_shim.h"

#include <stdint.h>

enum { CDM_MODEL_VERSION = 1, CDM_SUMMARY_VERSION = 1 };

/* One array of weights. */
struct cdm_weights {
    char *name;
    int32_t n_dims;
    int64_t shape[CDM_TORCH_MAX_DIMS];
    int64_t n_values;
    float *values; /* [n_values] */
};

struct cdm_model {
    int32_t feature_set;
    int32_t device_vector;
    struct cdm_net_config net;
    struct cdm_label label;
    struct cdm_scaling scaling;
    struct cdm_weights *weights; /* [n_weights] */
    int32_t n_weights;
    struct cdm_meta about;
};

/* Reads a model. Whatever the file says is checked: versions, sizes against the tensors, finite
 * numbers. On failure *model is empty. The caller releases it. */
enum cdm_status cdm_model_read(const char *path, struct cdm_model *model,
                               struct cdm_error *err) CDM_MUST_CHECK;

/* The same from an open file, which may be closed afterwards. */
enum cdm_status cdm_model_from_tensors(const struct cdm_tensors *tensors, struct cdm_model *model,
                                       struct cdm_error *err) CDM_MUST_CHECK;

/* Writes a model, atomically. */
enum cdm_status cdm_model_write(const char *path, const struct cdm_model *model,
                                struct cdm_error *err) CDM_MUST_CHECK;

void cdm_model_release(struct cdm_model *model);
/* Frees the weights alone. */
void cdm_model_drop_weights(struct cdm_model *model);

/* Copies of the plug-in's weights, which take the place of model->weights, and the other way. The
 * second refuses (CDM_BAD_INPUT) weights that lack one of the network's, have one more or differ in
 * shape. */
enum cdm_status cdm_model_take_weights(struct cdm_model *model, const struct cdm_torch_api *api,
                                       const struct cdm_torch_model *net,
                                       struct cdm_error *err) CDM_MUST_CHECK;
enum cdm_status cdm_model_give_weights(const struct cdm_model *model,
                                       const struct cdm_torch_api *api, struct cdm_torch_model *net,
                                       struct cdm_error *err) CDM_MUST_CHECK;

#endif
