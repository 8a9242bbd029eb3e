/* The devices that are known by name: the descriptions shipped inside the program, those of a
 * folder of the user's, and single files. */
#ifndef CDMPP_FEATURES_DEVICE_SET_H
#define CDMPP_FEATURES_DEVICE_SET_H

#include "features/device.h"

/* Zero-initialise, or set `folder`. Descriptions are read when they are first needed and stay valid
 * until the release. The members but `folder` are private. */
struct cdm_device_set {
    const char *folder; /* of more descriptions (*.yaml), borrowed; NULL or "" = none. The command
                           line passes $CDMPP_DEVICES */
    struct cdm_arena arena;
    struct cdm_device **devices; /* [n_devices], those of the folder first */
    size_t n_devices;
    size_t capacity;
    bool has_folder;  /* the folder has been read */
    bool has_shipped; /* all shipped ones have been read */
};

/* Finds a device by name or alias (case, spaces, - and _ do not count), or reads the file when
 * `name` has a '/' or ends in .yaml or .yml. A description in the folder comes before a shipped one
 * of the same name. The device belongs to the set. An unknown name is CDM_USAGE, with a suggestion
 * when one is close. Errors in a file name it in the message, with line and column, and have no
 * place of their own. */
enum cdm_status cdm_device_find(struct cdm_device_set *set, const char *name,
                                const struct cdm_device **device,
                                struct cdm_error *err) CDM_MUST_CHECK;

/* Whether cdm_device_find() would take the name for a path. Names from a file that may come from a
 * stranger are not given to it then. */
bool cdm_device_is_path(const char *name);

/* All devices of the folder and the shipped ones that these do not hide, ordered by name.
 * `*devices`
 * [*n] is allocated; the caller frees it, and the devices belong to the set. */
enum cdm_status cdm_device_list(struct cdm_device_set *set, const struct cdm_device ***devices,
                                size_t *n, struct cdm_error *err) CDM_MUST_CHECK;

void cdm_device_set_release(struct cdm_device_set *set);

/* The YAML text of shipped description number i, from 0; NULL after the last. *name is its name. */
const char *cdm_device_shipped(size_t i, const char **name);

#endif
