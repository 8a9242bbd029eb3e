#include "cdmpp/cli/engine.h"

#include "cdmpp/cli/place.h"
#include "features/device_vector.h"
#include "features/leaf.h"
#include "models/plugin.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum cdm_status cdm_engine_open(int64_t n_threads, const char *run_on,
                                const struct cdm_torch_api **api, struct cdm_error *err)
{
    char *path = NULL;

    if (n_threads <= 0)
        n_threads = sysconf(_SC_NPROCESSORS_ONLN);
    enum cdm_status status = cdm_place_plugin(CDM_PLUGIN_NAME, &path, err);
    if (status)
        cdm_fail_in(err, "this command needs the LibTorch plug-in");
    if (!status)
        status = cdm_plugin_open(path, (int32_t)(n_threads > 0 ? n_threads : 1), api, err);
    free(path);
    if (!status && run_on && strcmp(run_on, "cpu") != 0)
        status = (*api)->has_device(run_on, err);
    return status;
}

const struct cdm_input_versions cdm_engine_versions = {
    .feature_set = CDM_FEATURE_SET,
    .n_features = CDM_N_FEATURES,
    .device_vector = CDM_DEVICE_VECTOR_VERSION,
    .n_device_entries = CDM_DEVICE_VECTOR_SIZE,
};

enum cdm_status cdm_engine_predictor(const char *model, int64_t n_threads, const char *run_on,
                                     struct cdm_predictor **predictor, char **path,
                                     struct cdm_error *err)
{
    const struct cdm_torch_api *api;

    enum cdm_status status = cdm_place_model(model, CDM_SHIPPED_MODEL, path, err);
    if (!status)
        status = cdm_engine_open(n_threads, run_on, &api, err);
    if (status)
        return status;
    status = cdm_predictor_open(*path, api, run_on ? run_on : "cpu", &cdm_engine_versions,
                                predictor, err);
    return status ? cdm_fail_in(err, "%s", *path) : CDM_OK;
}
