#include "cdmpp/cli/devices.h"

#include "cdmpp/core/alloc.h"

#include <stdlib.h>
#include <string.h>

struct cdm_device_set cdm_devices_known(void)
{
    return (struct cdm_device_set){.folder = getenv("CDMPP_DEVICES")};
}

/* A device read from a path is another object each time. */
static bool is_same(const struct cdm_device *a, const struct cdm_device *b)
{
    return a == b || (a->file && b->file && !strcmp(a->file, b->file));
}

enum cdm_status cdm_devices_named(struct cdm_device_set *set, const struct cdm_names *names,
                                  const struct cdm_device ***devices, size_t *n,
                                  struct cdm_error *err)
{
    const struct cdm_device **found = cdm_alloc(names->n, sizeof(const struct cdm_device *));

    *devices = NULL;
    *n = 0;
    for (size_t i = 0; i < names->n; i++) {
        enum cdm_status status = cdm_device_find(set, names->items[i], &found[*n], err);
        if (status != CDM_OK) {
            free(found);
            return status;
        }
        bool is_new = true;
        for (size_t j = 0; j < *n; j++)
            is_new = is_new && !is_same(found[j], found[*n]);
        *n += is_new;
    }
    *devices = found;
    return CDM_OK;
}
