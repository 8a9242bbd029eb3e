#include "cdmpp/core/alloc.h"
#include "cdmpp/core/text.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* The folder of `path` with its last "/", or "" for the present one. */
static size_t folder_length(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? (size_t)(slash + 1 - path) : 0;
}

static enum cdm_status cannot(const char *what, struct cdm_error *err)
{
    return cdm_fail(err, CDM_IO, "cannot %s: %s", what, strerror(errno));
}

/* The rights that the file will have: those of the old file, else what the user's mask leaves. */
static mode_t wanted_mode(const struct stat *old)
{
    if (old)
        return old->st_mode & 0777;
    mode_t mask = umask(0);
    umask(mask);
    return 0666 & ~mask;
}

static enum cdm_status open_temporary(struct cdm_writer *writer, mode_t mode, struct cdm_error *err)
{
    size_t folder = folder_length(writer->path);
    struct cdm_str name = {0};

    cdm_str_add(&name, writer->path, folder);
    cdm_str_printf(&name, ".%.200s.XXXXXX", writer->path + folder);
    writer->temporary = name.data;
    int fd = mkostemp(writer->temporary, O_CLOEXEC);
    if (fd < 0) {
        enum cdm_status status = cannot("create a file in its folder", err);
        free(writer->temporary);
        writer->temporary = NULL;
        return status;
    }
    if (fchmod(fd, mode) || !(writer->file = fdopen(fd, "w"))) {
        enum cdm_status status = cannot("create", err);
        close(fd);
        unlink(writer->temporary);
        free(writer->temporary);
        writer->temporary = NULL;
        return status;
    }
    return CDM_OK;
}

enum cdm_status cdm_writer_open(struct cdm_writer *writer, const char *path, struct cdm_error *err)
{
    struct stat old;
    enum cdm_status status = CDM_OK;

    *writer = (struct cdm_writer){0};
    if (!path || !strcmp(path, "-")) {
        writer->file = stdout;
        return CDM_OK;
    }
    bool exists = stat(path, &old) == 0;
    if (!exists && errno != ENOENT)
        return cannot("open", err);
    if (exists && S_ISDIR(old.st_mode))
        return cdm_fail(err, CDM_IO, "cannot write: is a folder");
    if (exists && !S_ISREG(old.st_mode)) {
        writer->path = cdm_strdup(path);
        writer->file = fopen(path, "we");
        if (!writer->file)
            status = cannot("open", err);
    } else {
        if (exists)
            writer->path = realpath(path, NULL);
        if (!writer->path)
            writer->path = cdm_strdup(path);
        if (exists && access(path, W_OK))
            status = cannot("write", err);
        else
            status = open_temporary(writer, wanted_mode(exists ? &old : NULL), err);
    }
    if (status != CDM_OK)
        cdm_writer_abandon(writer);
    return status;
}

/* The new name must survive a crash as well. Some file systems cannot do this: no error then. */
static void sync_folder(const char *path)
{
    size_t length = folder_length(path);
    char *folder = length ? cdm_strdup(path) : cdm_strdup(".");

    if (length)
        folder[length] = '\0';
    int fd = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd >= 0) {
        fsync(fd);
        close(fd);
    }
    free(folder);
}

enum cdm_status cdm_writer_put(struct cdm_writer *writer, const struct cdm_str *text,
                               struct cdm_error *err)
{
    if (text->length && fwrite(text->data, 1, text->length, writer->file) != text->length)
        return cdm_fail(err, CDM_IO, "cannot write the output");
    return CDM_OK;
}

enum cdm_status cdm_writer_close(struct cdm_writer *writer, struct cdm_error *err)
{
    enum cdm_status status = CDM_OK;
    FILE *file = writer->file;

    if (!file)
        return CDM_OK;
    errno = 0;
    /* A write that failed earlier leaves only the flag of the stream, its errno is lost. */
    if (fflush(file) || ferror(file))
        status = cdm_fail(err, CDM_IO, "cannot write: %s", errno ? strerror(errno) : "write error");
    else if (writer->temporary && fsync(fileno(file)))
        status = cannot("write", err);
    if (file != stdout && fclose(file) && status == CDM_OK)
        status = cannot("write", err);
    writer->file = NULL;
    if (status == CDM_OK && writer->temporary) {
        if (rename(writer->temporary, writer->path)) {
            status = cannot("put the new file in its place", err);
        } else {
            sync_folder(writer->path);
            free(writer->temporary);
            writer->temporary = NULL;
        }
    }
    cdm_writer_abandon(writer);
    return status;
}

void cdm_writer_abandon(struct cdm_writer *writer)
{
    if (writer->file && writer->file != stdout)
        fclose(writer->file);
    if (writer->temporary)
        unlink(writer->temporary);
    free(writer->temporary);
    free(writer->path);
    *writer = (struct cdm_writer){0};
}
