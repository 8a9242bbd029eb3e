#include "cdmpp/cli/inputs.h"

#include "cdmpp/core/alloc.h"
#include "cdmpp/core/log.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { DEEPEST_FOLDER = 64 };

struct cdm_folder_level {
    struct cdm_folder_level *outer;
    struct dirent **entries; /* [n], sorted */
    int n;
    int next;
    int depth;
    size_t path_length; /* of the folder, in inputs->path */
};

enum cdm_status cdm_input_files_open(struct cdm_input_files *inputs,
                                     const struct cdm_operands *operands, const char *files_from,
                                     struct cdm_error *err)
{
    *inputs = (struct cdm_input_files){.operands = *operands};
    if (!files_from)
        return CDM_OK;
    inputs->list_name = cdm_input_name(files_from);
    enum cdm_status status = cdm_reader_open(&inputs->list, files_from, err);
    if (status != CDM_OK)
        cdm_fail_in(err, "%s", inputs->list_name);
    return status;
}

static int is_visible(const struct dirent *entry)
{
    return entry->d_name[0] != '.';
}

/* scandir() would sort by the locale. */
static int by_bytes(const struct dirent **a, const struct dirent **b)
{
    return strcmp((*a)->d_name, (*b)->d_name);
}

static enum cdm_status enter_folder(struct cdm_input_files *inputs, struct cdm_error *err)
{
    int depth = inputs->folder ? inputs->folder->depth + 1 : 1;

    if (depth > DEEPEST_FOLDER)
        return cdm_fail(err, CDM_BAD_INPUT, "folders are nested deeper than %d", DEEPEST_FOLDER);
    struct cdm_folder_level *level = cdm_alloc(1, sizeof *level);
    level->n = scandir(inputs->path.data, &level->entries, is_visible, by_bytes);
    if (level->n < 0) {
        enum cdm_status status = cdm_fail(err, CDM_IO, "cannot read folder: %s", strerror(errno));
        free(level);
        return status;
    }
    level->outer = inputs->folder;
    level->depth = depth;
    level->path_length = inputs->path.length;
    inputs->folder = level;
    return CDM_OK;
}

static void leave_folder(struct cdm_input_files *inputs)
{
    struct cdm_folder_level *level = inputs->folder;

    inputs->folder = level->outer;
    for (int i = 0; i < level->n; i++)
        free(level->entries[i]);
    free(level->entries);
    free(level);
}

static void set_path(struct cdm_input_files *inputs, const char *text, size_t length)
{
    cdm_str_reset(&inputs->path);
    cdm_str_add(&inputs->path, text, length);
}

/* The next name of the list into inputs->path; *got is false at its end. */
static enum cdm_status next_in_list(struct cdm_input_files *inputs, bool *got,
                                    struct cdm_error *err)
{
    struct cdm_view line;

    *got = false;
    do {
        enum cdm_status status = cdm_reader_line(inputs->list, PATH_MAX, &line, err);
        if (status == CDM_OK && line.data && memchr(line.data, '\0', line.length))
            status = cdm_fail_at(err, CDM_BAD_INPUT, cdm_reader_line_number(inputs->list), 0,
                                 "a zero byte in the name of a file");
        if (status != CDM_OK) {
            set_path(inputs, inputs->list_name, strlen(inputs->list_name));
            *got = true;
            /* After bad data there is nothing more to read; after a line that is only bad there is.
             */
            if (err->line == 0) {
                cdm_reader_close(inputs->list);
                inputs->list = NULL;
            }
            return status;
        }
    } while (line.data && line.length == 0);
    if (line.data) {
        set_path(inputs, line.data, line.length);
        *got = true;
    } else {
        cdm_reader_close(inputs->list);
        inputs->list = NULL;
    }
    return CDM_OK;
}

/* The next name, be it a file or a folder, into inputs->path; *got is false at the end of all. */
static enum cdm_status next_name(struct cdm_input_files *inputs, bool *got, struct cdm_error *err)
{
    *got = true;
    while (inputs->folder) {
        struct cdm_folder_level *level = inputs->folder;
        if (level->next < level->n) {
            const char *name = level->entries[level->next++]->d_name;
            inputs->path.length = level->path_length;
            if (level->path_length == 0 || inputs->path.data[level->path_length - 1] != '/')
                cdm_str_putc(&inputs->path, '/');
            cdm_str_puts(&inputs->path, name);
            return CDM_OK;
        }
        leave_folder(inputs);
    }
    if (inputs->next < inputs->operands.n) {
        const char *name = inputs->operands.items[inputs->next++];
        set_path(inputs, name, strlen(name));
        return CDM_OK;
    }
    if (inputs->list)
        return next_in_list(inputs, got, err);
    if (inputs->operands.n == 0 && !inputs->list_name && inputs->next == 0) {
        inputs->next = 1;
        set_path(inputs, "-", 1);
        return CDM_OK;
    }
    *got = false;
    return CDM_OK;
}

enum cdm_status cdm_input_files_next(struct cdm_input_files *inputs, const char **path,
                                     struct cdm_error *err)
{
    for (;;) {
        bool got;
        struct stat info;
        enum cdm_status status = next_name(inputs, &got, err);
        *path = got ? inputs->path.data : NULL;
        if (status != CDM_OK || !got)
            return status;
        /* What cannot be looked at is left to the one who opens it. */
        if (!strcmp(*path, "-") || stat(*path, &info) || !S_ISDIR(info.st_mode))
            return CDM_OK;
        /* Links between folders could go in circles. */
        if (inputs->folder && lstat(*path, &info) == 0 && S_ISLNK(info.st_mode)) {
            cdm_log(CDM_LOG_WARNING, "%s: is a link to a folder: not followed", *path);
            continue;
        }
        status = enter_folder(inputs, err);
        if (status != CDM_OK)
            return status;
    }
}

void cdm_input_files_close(struct cdm_input_files *inputs)
{
    while (inputs->folder)
        leave_folder(inputs);
    cdm_reader_close(inputs->list);
    cdm_str_release(&inputs->path);
    *inputs = (struct cdm_input_files){0};
}

const char *cdm_input_name(const char *path)
{
    return strcmp(path, "-") ? path : "<stdin>";
}
