#include "cdmpp/cli/command.h"

#include "cdmpp/core/suggest.h"

#include <stdio.h>
#include <string.h>

const struct cdm_command *cdm_find_command(const struct cdm_command *commands, const char *name,
                                           const char *wanted, struct cdm_error *err)
{
    struct cdm_suggestion nearest = {.word = wanted};

    for (const struct cdm_command *command = commands; command->name; command++) {
        if (!strcmp(command->name, wanted))
            return command;
        cdm_suggest(&nearest, command->name);
    }
    const char *space = *name ? " " : "";
    if (nearest.best)
        cdm_fail(err, CDM_USAGE, "unknown %s%scommand \"%s\": did you mean \"%s\"?", name, space,
                 wanted, nearest.best);
    else
        cdm_fail(err, CDM_USAGE, "unknown %s%scommand \"%s\": see cdmpp%s%s --help", name, space,
                 wanted, space, name);
    return NULL;
}

void cdm_print_commands(const struct cdm_command *commands)
{
    for (const struct cdm_command *command = commands; command->name; command++)
        printf("  %-10s %s\n", command->name, command->summary);
}

enum cdm_status cdm_run_subcommand(const char *name, const struct cdm_command *commands, int argc,
                                   char **argv, struct cdm_error *err)
{
    if (argc < 2)
        return cdm_fail(err, CDM_USAGE, "which %s command? See cdmpp %s --help", name, name);
    if (!strcmp(argv[1], "--help") || !strcmp(argv[1], "-h")) {
        printf("usage: cdmpp %s COMMAND [options] ...\n\n", name);
        cdm_print_commands(commands);
        return CDM_OK;
    }
    if (!strcmp(argv[1], "--list-options")) {
        for (const struct cdm_command *command = commands; command->name; command++)
            printf("command\t%s\t\n", command->name);
        return CDM_OK;
    }
    const struct cdm_command *command = cdm_find_command(commands, name, argv[1], err);
    return command ? command->run(argc - 1, argv + 1, err) : CDM_USAGE;
}
