#include "cdmpp/cli/engine.h"

#include "cdmpp/cli/place.h"
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
