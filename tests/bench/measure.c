/* Runs a command and says what it took: measure COMMAND ARGUMENT...
 * Prints exit status, processor seconds, seconds and peak memory in KiB, with tabs between them.
 * The command's output is thrown away, its messages are not. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static double now(void)
{
    struct timespec time;

    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

int main(int argc, char **argv)
{
    int status;
    struct rusage usage;
    double start = now();

    if (argc < 2)
        return 2;
    pid_t child = fork();
    if (child == 0) {
        int null = open("/dev/null", O_WRONLY);
        if (null < 0 || dup2(null, STDOUT_FILENO) < 0)
            _exit(126);
        execvp(argv[1], argv + 1);
        perror(argv[1]);
        _exit(127);
    }
    if (child < 0 || wait4(child, &status, 0, &usage) != child) {
        perror("measure");
        return 1;
    }
    double seconds = (double)usage.ru_utime.tv_sec + (double)usage.ru_stime.tv_sec +
                     1e-6 * (double)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec);
    printf("%d\t%.4f\t%.4f\t%ld\n",
           WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status), seconds, now() - start,
           usage.ru_maxrss);
    return 0;
}
