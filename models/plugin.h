/* Finding and opening the LibTorch plug-in, libcdmpp_torch.so. */
#ifndef CDMPP_MODELS_PLUGIN_H
#define CDMPP_MODELS_PLUGIN_H

#include "cdmpp/core/error.h"
#include "models/torch/torch_shim.h"

#include <stdint.h>

/* Where it may be, in the order of the search. Each may be NULL. */
struct cdm_plugin_places {
    const char *chosen;  /* folder that the user names ($CDMPP_PLUGIN_DIR); if set, the only one */
    const char *program; /* folder of the running program */
    const char *installed; /* folder that `make install` puts it in */
};

/* Opens the plug-in, which then stays open, and sets the number of threads. CDM_UNAVAILABLE, with
 * what was tried and the reason, when it is not there, does not load, or has another ABI. */
enum cdm_status cdm_plugin_open(const struct cdm_plugin_places *places, int32_t n_threads,
                                const struct cdm_torch_api **api,
                                struct cdm_error *err) CDM_MUST_CHECK;

#endif
