#include "cdmpp/core/dl.h"

#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

/* A function pointer has no portable conversion from void *; its bytes have (POSIX). */
static void set_slot(void *slot, void *address)
{
    memcpy(slot, &address, sizeof address);
}

static void clear_slots(const struct cdm_dl_symbol *symbols)
{
    for (; symbols->name; symbols++)
        set_slot(symbols->slot, NULL);
}

enum cdm_status cdm_dl_open(const char *const *names, const struct cdm_dl_symbol *symbols,
                            void **handle, struct cdm_error *err)
{
    char reason[400] = "no library named";
    bool is_there = false;
    void *library = NULL;
    const char *name = NULL;

    clear_slots(symbols);
    if (handle)
        *handle = NULL;
    for (; *names && !library; names++) {
        name = *names;
        library = dlopen(name, RTLD_NOW | RTLD_LOCAL);
        if (library)
            break;
        const char *why = dlerror();
        if (is_there || !why)
            continue;
        snprintf(reason, sizeof reason, "%s", why);
        /* "No such file" of the library itself is expected; a missing dependency or a wrong kind of
         * file is what the user must hear about. */
        is_there = strncmp(why, name, strlen(name)) != 0 || !strstr(why, "No such file");
    }
    if (!library)
        return cdm_fail(err, CDM_UNAVAILABLE, "cannot open library: %s", reason);
    for (const struct cdm_dl_symbol *symbol = symbols; symbol->name; symbol++) {
        void *address = dlsym(library, symbol->name);
        if (!address && !symbol->optional) {
            clear_slots(symbols);
            dlclose(library);
            return cdm_fail(err, CDM_UNAVAILABLE, "library %s has no function %s", name,
                            symbol->name);
        }
        set_slot(symbol->slot, address);
    }
    if (handle)
        *handle = library;
    return CDM_OK;
}

void cdm_dl_close(void *handle, const struct cdm_dl_symbol *symbols)
{
    if (!handle)
        return;
    clear_slots(symbols);
    dlclose(handle);
}
