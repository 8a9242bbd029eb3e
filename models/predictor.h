/* Latencies from a trained model. */
#ifndef CDMPP_MODELS_PREDICTOR_H
#define CDMPP_MODELS_PREDICTOR_H

#include "cdmpp/core/error.h"
#include "models/inputs.h"
#include "models/model_file.h"
#include "models/torch/torch_shim.h"

#include <stddef.h>
#include <stdint.h>

/* What the caller computes its inputs by; a model that was trained on others is refused. */
struct cdm_input_versions {
    int32_t feature_set;
    int32_t n_features;
    int32_t device_vector;
    int32_t n_device_entries;
};

struct cdm_predictor;

/* Reads the model file and brings it into the engine. `run_on` is "cpu", "cuda" or "cuda:N". On
 * success *predictor is the caller's; `api` must outlive it. CDM_BAD_INPUT for a model that is
 * damaged or has other inputs (both versions are named), CDM_UNAVAILABLE for a device that is not
 * there. Errors do not name the file: the caller knows it. */
enum cdm_status cdm_predictor_open(const char *path, const struct cdm_torch_api *api,
                                   const char *run_on, const struct cdm_input_versions *versions,
                                   struct cdm_predictor **predictor,
                                   struct cdm_error *err) CDM_MUST_CHECK;

/* NULL is fine. */
void cdm_predictor_free(struct cdm_predictor *predictor);

/* What the file says; belongs to the predictor. Its weights are gone: the engine has them. */
const struct cdm_model *cdm_predictor_model(const struct cdm_predictor *predictor);

/* Predicts n pairs of programs and devices of the inputs, in any order; batches are formed inside.
 * seconds: [n]. A pair for which the model gives no number is NaN there, and the caller must report
 * it as an error of that program. The result of a pair depends a little (some 1e-6 of it) on the
 * pairs beside it, by rounding. */
enum cdm_status cdm_predictor_run(struct cdm_predictor *predictor, const struct cdm_inputs *inputs,
                                  const struct cdm_pair *pairs, size_t n, double *seconds,
                                  struct cdm_error *err) CDM_MUST_CHECK;

/* The common part of prediction and validation: labels [n] of the pairs, by any network. `batch` is
 * working memory. The inputs must have passed cdm_inputs_check(). */
enum cdm_status cdm_predict_labels(const struct cdm_torch_api *api, struct cdm_torch_model *net,
                                   const struct cdm_scaling *scaling,
                                   const struct cdm_inputs *inputs, const struct cdm_pair *pairs,
                                   size_t n, struct cdm_batch *batch, float *labels,
                                   struct cdm_error *err) CDM_MUST_CHECK;

#endif
