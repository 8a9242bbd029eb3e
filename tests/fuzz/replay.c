/* Runs a fuzz target over files, with any compiler: fuzz_NAME FILE-OR-FOLDER... Each file is named
 * before it runs, so that after a crash the last name is the culprit. */
#include <dirent.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static int by_bytes(const struct dirent **a, const struct dirent **b)
{
    return strcmp((*a)->d_name, (*b)->d_name);
}

static int replay_file(const char *path, size_t size)
{
    FILE *file = fopen(path, "rb");
    /* A block of exactly this size, so that the sanitizer sees one byte too many being read. */
    uint8_t *data = malloc(size ? size : 1);

    if (!file || !data || fread(data, 1, size, file) != size) {
        fprintf(stderr, "%s: cannot read\n", path);
        if (file)
            fclose(file);
        free(data);
        return 1;
    }
    fclose(file);
    printf("%s\n", path);
    fflush(stdout);
    LLVMFuzzerTestOneInput(data, size);
    free(data);
    return 0;
}

static int replay(const char *path)
{
    struct stat info;
    struct dirent **entries;
    int failed = 0;

    if (stat(path, &info)) {
        perror(path);
        return 1;
    }
    if (!S_ISDIR(info.st_mode))
        return replay_file(path, (size_t)info.st_size);
    int n = scandir(path, &entries, NULL, by_bytes);
    for (int i = 0; i < n; i++) {
        char name[4096];
        snprintf(name, sizeof name, "%s/%s", path, entries[i]->d_name);
        if (entries[i]->d_name[0] != '.')
            failed |= replay(name);
        free(entries[i]);
    }
    if (n >= 0)
        free(entries);
    return failed;
}

int main(int argc, char **argv)
{
    int failed = 0;

    for (int i = 1; i < argc; i++)
        failed |= replay(argv[i]);
    return failed;
}
