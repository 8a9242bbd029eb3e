#include "tests/unit/place.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

const char *test_built(const char *name, char *path, size_t size)
{
    char program[4000];
    ssize_t length = readlink("/proc/self/exe", program, sizeof program - 1);
    program[length > 0 ? length : 0] = 0;
    char *slash = strrchr(program, '/');
    snprintf(path, size, "%.*s/%s", slash ? (int)(slash - program) : 0, program, name);
    return path;
}

const char *test_folder_make(char *path, size_t size)
{
    const char *parent = getenv("TMPDIR");
    snprintf(path, size, "%s/cdmpp-test-XXXXXX", parent ? parent : "/tmp");
    if (!mkdtemp(path)) {
        perror(path);
        abort();
    }
    return path;
}

void test_folder_remove(const char *path)
{
    DIR *folder = opendir(path);
    struct dirent *entry;
    while (folder && (entry = readdir(folder))) {
        char name[4096];
        snprintf(name, sizeof name, "%s/%s", path, entry->d_name);
        if (entry->d_name[0] != '.')
            unlink(name);
    }
    if (folder)
        closedir(folder);
    rmdir(path);
}
