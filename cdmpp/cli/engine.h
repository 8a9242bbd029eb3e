/* The engine that computes: opening the LibTorch plug-in the way every command does. */
#ifndef CDMPP_CLI_ENGINE_H
#define CDMPP_CLI_ENGINE_H

#include "cdmpp/core/error.h"
#include "models/predictor.h"
#include "models/torch/torch_shim.h"

#include <stdint.h>

/* Opens the plug-in with n_threads threads (0 = all processors) and checks that `run_on` (NULL =
 * "cpu") is there. CDM_UNAVAILABLE says what is missing. */
enum cdm_status cdm_engine_open(int64_t n_threads, const char *run_on,
                                const struct cdm_torch_api **api,
                                struct cdm_error *err) CDM_MUST_CHECK;

/* What this program computes a model's inputs by. */
extern const struct cdm_input_versions cdm_engine_versions;

/* Opens the model that -m names (NULL: see cdm_place_model()) in the engine. *path is the model's
 * file and the caller's to free, also after a failure (then it may be NULL). */
enum cdm_status cdm_engine_predictor(const char *model, int64_t n_threads, const char *run_on,
                                     struct cdm_predictor **predictor, char **path,
                                     struct cdm_error *err) CDM_MUST_CHECK;

#endif
