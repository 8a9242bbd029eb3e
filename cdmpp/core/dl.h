/* Libraries that are opened at run time, so that the program runs without them. */
#ifndef CDMPP_CORE_DL_H
#define CDMPP_CORE_DL_H

#include "cdmpp/core/error.h"

#include <stdbool.h>

/* One function wanted from a library. Declare the slot with the vendor's own type:
 * `static __typeof__(&cuInit) p_cuInit;` and give &p_cuInit here. */
struct cdm_dl_symbol {
    const char *name;
    void *slot;    /* address of a function pointer */
    bool optional; /* the slot stays NULL when the library has no such function */
};

/* Opens the first library of `names` (NULL at the end) that can be opened, with RTLD_NOW |
 * RTLD_LOCAL, and fills the slots of `symbols` (name NULL at the end). All or nothing: after a
 * failure every slot is NULL and the library is closed. Fails with CDM_UNAVAILABLE; the message
 * says which library or function, and the system's reason for the first name that is there but
 * cannot be opened, else for the last. *handle may be NULL when the library is never closed. */
enum cdm_status cdm_dl_open(const char *const *names, const struct cdm_dl_symbol *symbols,
                            void **handle, struct cdm_error *err) CDM_MUST_CHECK;

/* Closes the library and empties the slots. NULL is fine. */
void cdm_dl_close(void *handle, const struct cdm_dl_symbol *symbols);

#endif
