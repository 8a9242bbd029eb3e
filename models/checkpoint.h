/* A training run in a file (safetensors layout), so that it can go on after an interruption.
 *
 * Tensors: "model.NAME" the weights, "trainer.NAME" the optimiser's state, "best.NAME" the best
 * weights so far, where there are any. Metadata: the fields of struct cdm_run_state, the number of
 * steps, and a text that says which run it is. Such a file is as harmless as a model file. */
#ifndef CDMPP_MODELS_CHECKPOINT_H
#define CDMPP_MODELS_CHECKPOINT_H

#include "cdmpp/core/error.h"
#include "models/model_file.h"
#include "models/torch/torch_shim.h"

#include <stdint.h>

enum { CDM_CHECKPOINT_VERSION = 1 };

/* Where a run stands. */
struct cdm_run_state {
    int32_t epoch;      /* the one being made, from 0 */
    int32_t batch;      /* of it, the next one */
    int32_t best_epoch; /* -1: none yet */
    double best_score;  /* infinite before the first */
    int64_t pairs;      /* learned from so far */
    double loss_sum;    /* of the epoch's steps so far */
};

/* The run that the state belongs to. */
struct cdm_run {
    const struct cdm_torch_api *api;
    struct cdm_torch_model *net;
    struct cdm_torch_trainer *trainer;
    struct cdm_model *best; /* its weights are the best so far */
    const char *identity;   /* samples and options as a text; a checkpoint of another is refused */
};

enum cdm_status cdm_checkpoint_save(const char *path, const struct cdm_run *run,
                                    const struct cdm_run_state *state,
                                    struct cdm_error *err) CDM_MUST_CHECK;

/* Everything must fit: each tensor and state of the run must be there with its size. */
enum cdm_status cdm_checkpoint_load(const char *path, const struct cdm_run *run,
                                    struct cdm_run_state *state,
                                    struct cdm_error *err) CDM_MUST_CHECK;

#endif
