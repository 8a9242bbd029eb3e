#include "models/plugin.h"

#include "cdmpp/core/dl.h"

#include <inttypes.h>
#include <stddef.h>

enum cdm_status cdm_plugin_open(const char *path, int32_t n_threads,
                                const struct cdm_torch_api **api, struct cdm_error *err)
{
    const char *const names[] = {path, NULL};
    __typeof__(&cdm_torch_get_api) get_api = NULL;
    const struct cdm_dl_symbol symbols[] = {{"cdm_torch_get_api", (void *)&get_api, false},
                                            {NULL, NULL, false}};
    enum cdm_status status = cdm_dl_open(names, symbols, NULL, err);
    if (status != CDM_OK)
        return cdm_fail_in(err, "the torch engine");
    const struct cdm_torch_api *found = get_api();
    if (found->abi != CDM_TORCH_ABI)
        return cdm_fail(err, CDM_UNAVAILABLE,
                        "the torch engine: %s has ABI %" PRId32
                        ", this program needs %d; build both from the same sources",
                        path, found->abi, CDM_TORCH_ABI);
    status = found->setup(n_threads, err);
    if (status == CDM_OK)
        *api = found;
    return status;
}
