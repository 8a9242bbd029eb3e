#include "models/plugin.h"

#include "cdmpp/core/dl.h"
#include "cdmpp/core/str.h"

#include <inttypes.h>
#include <unistd.h>

static const char file_name[] = "libcdmpp_torch.so";

/* Why nothing was opened: a user without the file needs another advice than one whose file does not
 * load. */
static enum cdm_status explain(const struct cdm_str *paths, int n, struct cdm_error *err)
{
    for (int i = 0; i < n; i++)
        if (access(paths[i].data, F_OK) == 0)
            return cdm_fail_in(err, "the torch engine");
    return cdm_fail(err, CDM_UNAVAILABLE,
                    "the torch engine is not there: no %s in %s%s%s (it is built where LibTorch "
                    "is: 'make deps all')",
                    file_name, n ? paths[0].data : "any known folder", n > 1 ? " or " : "",
                    n > 1 ? paths[1].data : "");
}

enum cdm_status cdm_plugin_open(const struct cdm_plugin_places *places, int32_t n_threads,
                                const struct cdm_torch_api **api, struct cdm_error *err)
{
    const char *const folders[] = {places->chosen, places->chosen ? NULL : places->program,
                                   places->chosen ? NULL : places->installed};
    struct cdm_str paths[3] = {0};
    const char *names[4] = {0};
    int n = 0;
    for (size_t i = 0; i < sizeof folders / sizeof *folders; i++) {
        if (!folders[i])
            continue;
        cdm_str_printf(&paths[n], "%s/%s", folders[i], file_name);
        names[n] = paths[n].data;
        n++;
    }
    __typeof__(&cdm_torch_get_api) get_api = NULL;
    const struct cdm_dl_symbol symbols[] = {{"cdm_torch_get_api", &get_api, false},
                                            {NULL, NULL, false}};
    enum cdm_status status = cdm_dl_open(names, symbols, NULL, err);
    if (status != CDM_OK)
        status = explain(paths, n, err);
    for (int i = 0; i < n; i++)
        cdm_str_release(&paths[i]);
    if (status != CDM_OK)
        return status;
    const struct cdm_torch_api *found = get_api();
    if (found->abi != CDM_TORCH_ABI)
        return cdm_fail(err, CDM_UNAVAILABLE,
                        "the torch engine: %s has ABI %" PRId32
                        ", this program needs %d: build both "
                        "from the same sources",
                        file_name, found->abi, CDM_TORCH_ABI);
    status = found->setup(n_threads, err);
    if (status == CDM_OK)
        *api = found;
    return status;
}
