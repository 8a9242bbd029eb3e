/* Commands: what main() calls, and the one table that lists them (commands.def).
 *
 * A command reads: option table, cdm_options_parse(), checks, work by library calls, print. It
 * returns a status; main() shows err->message when there is one and turns the status into the exit
 * status. A command that has shown its errors already (cdm_log_error() for each bad program of a
 * batch) returns the status with the message left empty. */
#ifndef CDMPP_CLI_COMMAND_H
#define CDMPP_CLI_COMMAND_H

#include "cdmpp/core/error.h"

struct cdm_command {
    const char *name;
    /* argv[0] is the name of the command, argv[argc] is NULL. *err comes zeroed. */
    enum cdm_status (*run)(int argc, char **argv, struct cdm_error *err);
    const char *summary; /* for --help: a few words, without a full stop */
};

#define COMMAND(name, summary)                                                                     \
    enum cdm_status cmd_##name(int argc, char **argv, struct cdm_error *err);
#include "cdmpp/cli/commands.def"
#undef COMMAND

/* For a command that has commands of its own ("device list"): runs the one that argv[1] names, with
 * argv + 1, and answers
 * --help with the list. `commands` ends with a NULL name; `name` is "device". */
enum cdm_status cdm_run_subcommand(const char *name, const struct cdm_command *commands, int argc,
                                   char **argv, struct cdm_error *err);

/* The command of that name; else NULL with a CDM_USAGE error that suggests the nearest. `name`
 * comes before "command" in the message: "device" or "". */
const struct cdm_command *cdm_find_command(const struct cdm_command *commands, const char *name,
                                           const char *wanted, struct cdm_error *err);

/* Prints the names and summaries to standard output. */
void cdm_print_commands(const struct cdm_command *commands);

#endif
