#include "cdmpp/cli/place.h"

#include "cdmpp/core/alloc.h"
#include "cdmpp/core/str.h"

#include <limits.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The folder of the running program without the last "/"; false where /proc does not say. */
static bool program_folder(char folder[PATH_MAX])
{
    ssize_t length = readlink("/proc/self/exe", folder, PATH_MAX - 1);

    if (length <= 0)
        return false;
    folder[length] = '\0';
    char *slash = strrchr(folder, '/');
    if (!slash)
        return false;
    *slash = '\0';
    return true;
}

/* True, with the path that the caller frees, when FOLDER/NAME is there. */
static bool look(const char *folder, const char *name, char **path)
{
    struct cdm_str text = {0};

    cdm_str_printf(&text, "%s/%s", folder, name);
    if (access(text.data, F_OK) == 0) {
        *path = text.data;
        return true;
    }
    cdm_str_release(&text);
    return false;
}

/* `beside` are folders seen from the program's, NULL at the end. */
static enum cdm_status find(const char *variable, const char *const *beside, const char *installed,
                            const char *name, char **path, struct cdm_error *err)
{
    char program[PATH_MAX];
    const char *chosen = getenv(variable);

    *path = NULL;
    if (chosen && *chosen) {
        if (look(chosen, name, path))
            return CDM_OK;
        return cdm_fail(err, CDM_UNAVAILABLE, "no %s in %s ($%s)", name, chosen, variable);
    }
    if (program_folder(program)) {
        for (; *beside; beside++) {
            struct cdm_str folder = {0};
            cdm_str_printf(&folder, "%s/%s", program, *beside);
            bool found = look(folder.data, name, path);
            cdm_str_release(&folder);
            if (found)
                return CDM_OK;
        }
    }
    if (look(installed, name, path))
        return CDM_OK;
    return cdm_fail(err, CDM_UNAVAILABLE, "no %s beside the program or in %s; set $%s", name,
                    installed, variable);
}

enum cdm_status cdm_place_data(const char *name, char **path, struct cdm_error *err)
{
    static const char *const beside[] = {"../share/cdmpp", "../models", "../data", NULL};

    return find("CDMPP_DATA_DIR", beside, CDM_DATADIR, name, path, err);
}

enum cdm_status cdm_place_plugin(const char *name, char **path, struct cdm_error *err)
{
    static const char *const beside[] = {".", "../lib/cdmpp", NULL};

    return find("CDMPP_PLUGIN_DIR", beside, CDM_LIBDIR, name, path, err);
}

enum cdm_status cdm_place_model(const char *named, const char *shipped, char **path,
                                struct cdm_error *err)
{
    if (!named)
        named = getenv("CDMPP_MODEL");
    if (named && *named) {
        *path = cdm_strdup(named);
        return CDM_OK;
    }
    enum cdm_status status = cdm_place_data(shipped, path, err);
    if (status)
        cdm_fail_in(err, "no model is named by -m or $CDMPP_MODEL");
    return status;
}
