/* Opening the LibTorch plug-in. */
#ifndef CDMPP_MODELS_PLUGIN_H
#define CDMPP_MODELS_PLUGIN_H

#include "cdmpp/core/error.h"
#include "models/torch/torch_shim.h"

#include <stdint.h>

/* The file name; cdmpp/cli/place.h knows the folders. */
#define CDM_PLUGIN_NAME "libcdmpp_torch.so"

/* Opens the plug-in at `path`, which stays open until the process ends, and sets the number of
 * threads. CDM_UNAVAILABLE with the reason when it is not there, does not load, or has another ABI
 * than this program. */
enum cdm_status cdm_plugin_open(const char *path, int32_t n_threads,
                                const struct cdm_torch_api **api,
                                struct cdm_error *err) CDM_MUST_CHECK;

#endif
