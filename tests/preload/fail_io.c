/* An LD_PRELOAD library that makes system calls fail on demand, to see what the program does then.
 * The environment says which:
 *
 *   FAIL_READ=EIO:N     the N-th read() (from 1) of a regular file or pipe and all later ones fail
 * with EIO FAIL_WRITE=ENOSPC:N  the same for write() FAIL_FSYNC=EIO:N, FAIL_CLOSE=EIO:N,
 * FAIL_RENAME=EACCES:N FAIL_PATH=text      only for files whose name (in /proc/self/fd) holds the
 * text; rename: the new name
 *
 * Standard error never fails: a test wants to read it. stdio's own writes go through write() only
 * when they are made by calls that can be replaced; glibc's are not, so the stdio functions that
 * end in one are replaced as well. */
#include <dlfcn.h>
#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int error_number(const char *name, size_t length)
{
    static const struct {
        const char *name;
        int number;
    } errors[] = {
        {"EIO", EIO}, {"ENOSPC", ENOSPC}, {"EACCES", EACCES}, {"EINTR", EINTR}, {"EDQUOT", EDQUOT}};

    for (size_t i = 0; i < sizeof errors / sizeof *errors; i++)
        if (strlen(errors[i].name) == length && !memcmp(errors[i].name, name, length))
            return errors[i].number;
    return EIO;
}

static bool path_matches(const char *path)
{
    const char *wanted = getenv("FAIL_PATH");
    return !wanted || (path && strstr(path, wanted));
}

static bool fd_matches(int fd)
{
    char link[64];
    char path[PATH_MAX];

    if (fd == STDERR_FILENO)
        return false;
    if (!getenv("FAIL_PATH"))
        return true;
    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    ssize_t length = readlink(link, path, sizeof path - 1);
    if (length < 0)
        return false;
    path[length] = '\0';
    return path_matches(path);
}

/* Whether this call, the *count-th, fails; sets errno then. */
static bool fails(const char *variable, int *count)
{
    const char *rule = getenv(variable);

    if (!rule)
        return false;
    const char *colon = strchr(rule, ':');
    int first = colon ? (int)strtol(colon + 1, NULL, 10) : 1;
    if (++*count < first)
        return false;
    errno = error_number(rule, colon ? (size_t)(colon - rule) : strlen(rule));
    return true;
}

/* A function pointer has no portable conversion from void *; its bytes have. */
#define REAL(name)                                                                                 \
    static __typeof__(&(name)) real;                                                               \
    if (!real) {                                                                                   \
        void *address = dlsym(RTLD_NEXT, #name);                                                   \
        memcpy(&real, &address, sizeof real);                                                      \
    }

ssize_t read(int fd, void *data, size_t size)
{
    static int count;
    REAL(read)
    return fd_matches(fd) && fails("FAIL_READ", &count) ? -1 : real(fd, data, size);
}

static int write_count;

ssize_t write(int fd, const void *data, size_t size)
{
    REAL(write)
    return fd_matches(fd) && fails("FAIL_WRITE", &write_count) ? -1 : real(fd, data, size);
}

int fflush(FILE *file)
{
    REAL(fflush)
    if (file && fd_matches(fileno(file)) && fails("FAIL_WRITE", &write_count))
        return EOF;
    return real(file);
}

int fsync(int fd)
{
    static int count;
    REAL(fsync)
    return fd_matches(fd) && fails("FAIL_FSYNC", &count) ? -1 : real(fd);
}

int fclose(FILE *file)
{
    static int count;
    REAL(fclose)
    bool failed = fd_matches(fileno(file)) && fails("FAIL_CLOSE", &count);
    int number = errno;
    int result = real(file);
    if (!failed)
        return result;
    errno = number;
    return EOF;
}

int rename(const char *from, const char *to)
{
    static int count;
    REAL(rename)
    return path_matches(to) && fails("FAIL_RENAME", &count) ? -1 : real(from, to);
}
