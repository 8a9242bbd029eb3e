#include "features/device_set.h"

#include "cdmpp/core/alloc.h"
#include "cdmpp/core/str.h"
#include "cdmpp/core/suggest.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* ---- Names ---- */

/* Compares names as people write them: "RTX 3080" is "rtx-3080". */
static bool same_name(const char *a, const char *b)
{
    for (;;) {
        a += strspn(a, " -_");
        b += strspn(b, " -_");
        if (tolower((unsigned char)*a) != tolower((unsigned char)*b))
            return false;
        if (!*a)
            return true;
        a++;
        b++;
    }
}

static bool is_called(const struct cdm_device *device, const char *name)
{
    if (same_name(device->name, name))
        return true;
    for (size_t i = 0; i < device->aliases.n; i++)
        if (same_name(device->aliases.items[i], name))
            return true;
    return false;
}

bool cdm_device_is_path(const char *name)
{
    return strchr(name, '/') || cdm_text_ends(name, ".yaml") || cdm_text_ends(name, ".yml");
}

/* ---- Reading ---- */

static struct cdm_device *add_device(struct cdm_device_set *set)
{
    set->devices =
        cdm_grow(set->devices, &set->capacity, set->n_devices + 1, sizeof(struct cdm_device *));
    struct cdm_device *device = cdm_arena_alloc(&set->arena, sizeof *device);
    set->devices[set->n_devices++] = device;
    return device;
}

/* Moves the place of the error into its message, behind the file's name. */
static enum cdm_status fail_in_file(struct cdm_error *err, const char *file, enum cdm_status status)
{
    char text[sizeof err->message];

    if (!err)
        return status;
    cdm_error_text(err, file, text, (int)sizeof text);
    return cdm_fail(err, status, "%s", text);
}

static enum cdm_status read_file(struct cdm_device_set *set, const char *path,
                                 struct cdm_error *err)
{
    enum cdm_status status = cdm_device_read_file(path, add_device(set), &set->arena, err);

    if (status == CDM_OK)
        return CDM_OK;
    set->n_devices--;
    return fail_in_file(err, path, status);
}

static enum cdm_status read_shipped(struct cdm_device_set *set, size_t i, struct cdm_error *err)
{
    const char *name;
    const char *text = cdm_device_shipped(i, &name);
    enum cdm_status status = cdm_device_read(text, strlen(text), add_device(set), &set->arena, err);

    if (status == CDM_OK)
        return CDM_OK;
    set->n_devices--;
    return fail_in_file(err, name, status);
}

static int compare_text(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

/* The paths of the descriptions in the folder, ordered. */
static enum cdm_status list_folder(const char *folder, char ***paths, size_t *n,
                                   struct cdm_error *err)
{
    size_t capacity = 0;
    DIR *open_folder = opendir(folder);

    *paths = NULL;
    *n = 0;
    if (!open_folder)
        return cdm_fail(err, CDM_IO, "%s: cannot read the folder of devices: %s", folder,
                        strerror(errno));
    for (struct dirent *entry = readdir(open_folder); entry; entry = readdir(open_folder)) {
        if (entry->d_name[0] == '.' ||
            !(cdm_text_ends(entry->d_name, ".yaml") || cdm_text_ends(entry->d_name, ".yml")))
            continue;
        struct cdm_str path = {0};
        cdm_str_printf(&path, "%s/%s", folder, entry->d_name);
        *paths = cdm_grow(*paths, &capacity, *n + 1, sizeof **paths);
        (*paths)[(*n)++] = path.data;
    }
    closedir(open_folder);
    if (*n)
        qsort(*paths, *n, sizeof **paths, compare_text);
    return CDM_OK;
}

/* The device that was read last must not share its name with another of the folder. */
static enum cdm_status check_last(const struct cdm_device_set *set, struct cdm_error *err)
{
    const struct cdm_device *last = set->devices[set->n_devices - 1];

    for (size_t i = 0; i + 1 < set->n_devices; i++)
        if (set->devices[i]->file && same_name(set->devices[i]->name, last->name))
            return cdm_fail(err, CDM_BAD_INPUT, "%s: the name \"%s\" is also that of %s",
                            last->file, last->name, set->devices[i]->file);
    return CDM_OK;
}

static enum cdm_status read_folder(struct cdm_device_set *set, struct cdm_error *err)
{
    char **paths;
    size_t n;

    if (set->has_folder || !set->folder || !*set->folder)
        return CDM_OK;
    enum cdm_status status = list_folder(set->folder, &paths, &n, err);
    for (size_t i = 0; i < n; i++) {
        if (status == CDM_OK)
            status = read_file(set, paths[i], err);
        if (status == CDM_OK)
            status = check_last(set, err);
        free(paths[i]);
    }
    free(paths);
    set->has_folder = status == CDM_OK;
    return status;
}

static const struct cdm_device *find_loaded(const struct cdm_device_set *set, const char *name)
{
    for (size_t i = 0; i < set->n_devices; i++)
        if (is_called(set->devices[i], name))
            return set->devices[i];
    return NULL;
}

static enum cdm_status read_all_shipped(struct cdm_device_set *set, struct cdm_error *err)
{
    const char *name;

    for (size_t i = 0; !set->has_shipped && cdm_device_shipped(i, &name); i++) {
        bool is_loaded = false;
        for (size_t j = 0; j < set->n_devices; j++)
            is_loaded = is_loaded || !strcmp(set->devices[j]->name, name);
        if (is_loaded)
            continue;
        enum cdm_status status = read_shipped(set, i, err);
        if (status != CDM_OK)
            return status;
    }
    set->has_shipped = true;
    return CDM_OK;
}

/* ---- Looking up ---- */

static enum cdm_status fail_unknown(const struct cdm_device_set *set, const char *name,
                                    struct cdm_error *err)
{
    struct cdm_suggestion suggestion = {.word = name};

    for (size_t i = 0; i < set->n_devices; i++) {
        cdm_suggest(&suggestion, set->devices[i]->name);
        for (size_t j = 0; j < set->devices[i]->aliases.n; j++)
            cdm_suggest(&suggestion, set->devices[i]->aliases.items[j]);
    }
    if (suggestion.best)
        return cdm_fail(err, CDM_USAGE,
                        "unknown device \"%s\"; did you mean \"%s\"? \"cdmpp device list\" names "
                        "those that are known",
                        name, suggestion.best);
    return cdm_fail(err, CDM_USAGE,
                    "unknown device \"%s\"; \"cdmpp device list\" names those that are known, and "
                    "a path to a YAML file works too",
                    name);
}

/* The device among all that are known; NULL = there is none of that name. */
static enum cdm_status find_by_name(struct cdm_device_set *set, const char *name,
                                    const struct cdm_device **device, struct cdm_error *err)
{
    const char *shipped_name;
    enum cdm_status status = read_folder(set, err);

    if (status != CDM_OK)
        return status;
    *device = find_loaded(set, name);
    /* One shipped file is read when it has that name, all only for an alias: it saves milliseconds.
     */
    for (size_t i = 0; !*device && cdm_device_shipped(i, &shipped_name); i++) {
        if (!same_name(shipped_name, name))
            continue;
        status = read_shipped(set, i, err);
        if (status != CDM_OK)
            return status;
        *device = set->devices[set->n_devices - 1];
    }
    if (*device)
        return CDM_OK;
    status = read_all_shipped(set, err);
    if (status == CDM_OK)
        *device = find_loaded(set, name);
    return status;
}

enum cdm_status cdm_device_find(struct cdm_device_set *set, const char *name,
                                const struct cdm_device **device, struct cdm_error *err)
{
    enum cdm_status status;

    *device = NULL;
    if (cdm_device_is_path(name)) {
        status = read_file(set, name, err);
        if (status == CDM_OK)
            *device = set->devices[--set->n_devices];
        return status;
    }
    status = find_by_name(set, name, device, err);
    if (status == CDM_OK && !*device)
        status = fail_unknown(set, name, err);
    return status;
}

static int compare_devices(const void *a, const void *b)
{
    const struct cdm_device *const *left = a;
    const struct cdm_device *const *right = b;

    return strcmp((*left)->name, (*right)->name);
}

enum cdm_status cdm_device_list(struct cdm_device_set *set, const struct cdm_device ***devices,
                                size_t *n, struct cdm_error *err)
{
    *devices = NULL;
    *n = 0;
    enum cdm_status status = read_folder(set, err);
    if (status == CDM_OK)
        status = read_all_shipped(set, err);
    if (status != CDM_OK)
        return status;
    *devices = cdm_alloc(set->n_devices, sizeof(const struct cdm_device *));
    for (size_t i = 0; i < set->n_devices; i++)
        (*devices)[i] = set->devices[i];
    *n = set->n_devices;
    qsort(*devices, *n, sizeof(const struct cdm_device *), compare_devices);
    return CDM_OK;
}

void cdm_device_set_release(struct cdm_device_set *set)
{
    free(set->devices);
    cdm_arena_release(&set->arena);
    *set = (struct cdm_device_set){.folder = set->folder};
}
