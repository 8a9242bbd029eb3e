/* The command table, and what surrounds every command: streams, exit status. */
#include "cdmpp/cli/command.h"
#include "cdmpp/cli/stop.h"
#include "cdmpp/core/log.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static const struct cdm_command commands[] = {
#define COMMAND(name, summary) {#name, cmd_##name, summary},
#include "cdmpp/cli/commands.def"
#undef COMMAND
    {NULL, NULL, NULL},
};

static void print_help(void)
{
    fputs("usage: cdmpp COMMAND [options] [FILE...]\n"
          "\n"
          "Predicts how long tensor programs run on devices that are not at hand.\n"
          "\n",
          stdout);
    cdm_print_commands(commands);
    fputs("\n"
          "  cdmpp help COMMAND    what a command takes\n"
          "  cdmpp --version       version and what this build has\n"
          "\n"
          "Exit status: 0 good, 1 bad input, 2 wrong usage, 3 something needed is not there,\n"
          "4 I/O failed, 70 a bug, 128+n ended by signal n.\n",
          stdout);
}

#ifdef __clang__
#define COMPILER __VERSION__
#else
#define COMPILER "gcc " __VERSION__
#endif

static void print_version(void)
{
    printf("cdmpp %s\n"
           "compiler: %s\n"
           "LibTorch at build time: %s\n",
           CDM_VERSION, COMPILER, CDM_TORCH_VERSION);
}

/* A file that we open must not become standard output because the caller closed that. What is
 * missing is opened the wrong way round, so that its use fails as it would have. */
static void keep_standard_streams(void)
{
    for (int fd = 0; fd <= 2; fd++)
        if (fcntl(fd, F_GETFD) < 0 && errno == EBADF &&
            open("/dev/null", fd == 0 ? O_WRONLY : O_RDONLY) != fd)
            _exit(cdm_exit_status(CDM_IO));
}

static enum cdm_status run_command(int argc, char **argv, struct cdm_error *err)
{
    static char name[64];
    const struct cdm_command *command = cdm_find_command(commands, "", argv[0], err);

    if (!command)
        return CDM_USAGE;
    snprintf(name, sizeof name, "cdmpp %s", command->name);
    cdm_log_setup(CDM_LOG_WARNING, name);
    return command->run(argc, argv, err);
}

/* `help COMMAND...` is `COMMAND... --help`. Turns argv, which starts with "help", into that. */
static enum cdm_status run_help(int argc, char **argv, struct cdm_error *err)
{
    static char option[] = "--help";

    if (argc == 1) {
        print_help();
        return CDM_OK;
    }
    for (int i = 0; i + 1 < argc; i++)
        argv[i] = argv[i + 1];
    argv[argc - 1] = option;
    return run_command(argc, argv, err);
}

static enum cdm_status run(int argc, char **argv, struct cdm_error *err)
{
    if (argc < 2)
        return cdm_fail(err, CDM_USAGE, "which command? See cdmpp --help");
    const char *word = argv[1];
    bool is_version = !strcmp(word, "--version") || !strcmp(word, "-V");
    bool is_help = !strcmp(word, "--help") || !strcmp(word, "-h");
    if ((is_version || is_help) && argc > 2)
        return cdm_fail(err, CDM_USAGE, "unexpected argument \"%s\" after %s", argv[2], word);
    if (is_version) {
        print_version();
        return CDM_OK;
    }
    if (is_help) {
        print_help();
        return CDM_OK;
    }
    if (!strcmp(word, "--list-options")) {
        for (const struct cdm_command *command = commands; command->name; command++)
            printf("command\t%s\t\n", command->name);
        return CDM_OK;
    }
    if (*word == '-')
        return cdm_fail(err, CDM_USAGE,
                        "unknown option %s; options of a command stand after its name", word);
    if (!strcmp(word, "help"))
        return run_help(argc - 1, argv + 1, err);
    return run_command(argc - 1, argv + 1, err);
}

/* Output that was only buffered may fail now. A reader that went away (a closed pipe while SIGPIPE
 * is ignored) is no news to the user; the exit status tells the caller. */
static enum cdm_status close_output(enum cdm_status status)
{
    struct cdm_error err = {0};

    errno = 0;
    bool failed = ferror(stdout) != 0;
    if (!fclose(stdout) && !failed)
        return status;
    /* A command that ended with CDM_IO has said so. */
    if (errno != EPIPE && status != CDM_IO) {
        cdm_fail(&err, CDM_IO, "cannot write standard output%s%s", errno ? ": " : "",
                 errno ? strerror(errno) : "");
        cdm_log_error(&err, NULL);
    }
    return status == CDM_OK || status == CDM_BAD_INPUT ? CDM_IO : status;
}

int main(int argc, char **argv)
{
    struct cdm_error err = {0};

    keep_standard_streams();
    enum cdm_status status = run(argc, argv, &err);
    if (status != CDM_OK && *err.message)
        cdm_log_error(&err, NULL);
    status = close_output(status);
    if (status == CDM_STOPPED && *cdm_stop_flag())
        return 128 + *cdm_stop_flag();
    return cdm_exit_status(status);
}
