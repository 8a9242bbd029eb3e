/* Options: one table per command gives the parser, --help and the check against the manual page.
 *
 *     struct cdm_names devices = {0};
 *     const char *output = NULL;
 *     int64_t tasks = 20;
 *     const struct cdm_option options[] = {
 *         OPTION_DEVICE(&devices), OPTION_OUTPUT(&output),
 *         {'k', "tasks", "N", OPT_INT, &tasks, "choose N tasks", .min = 1, .max = 100000},
 *         OPTION_END};
 *     const struct cdm_usage usage = {"sample", "DATASET", "Chooses ...", options, 1, 1};
 *     struct cdm_operands operands;
 *     enum cdm_status status = cdm_options_parse(&usage, argc, argv, &operands, err);
 *     if (status || operands.done)
 *         return status;
 *
 * Every command also has -h/--help, -q/--quiet, -v/--verbose (these two set the level of the log)
 * and --list-options. */
#ifndef CDMPP_CLI_OPTION_H
#define CDMPP_CLI_OPTION_H

#include "cdmpp/core/error.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What an option takes and what its target points to. */
enum cdm_option_kind {
    OPT_FLAG,   /* nothing: bool, becomes true */
    OPT_COUNT,  /* nothing: int, one more each time */
    OPT_STRING, /* text: const char *, the last one counts */
    OPT_NAMES,  /* names with commas between them: struct cdm_names, all are kept */
    OPT_INT,    /* whole number: int64_t; with min < max, in that range */
    OPT_DOUBLE, /* number: double; with min < max, in that range */
    OPT_CHOICE, /* one word of `arg` ("table|tsv|json"): int, its place in the list from 0 */
};

struct cdm_option {
    char letter;      /* 0 = none */
    const char *name; /* without "--"; NULL ends the table */
    const char *arg;  /* how --help writes the value, NULL for OPT_FLAG and OPT_COUNT */
    enum cdm_option_kind kind;
    void *target;
    const char *help; /* without a full stop; wrapped when it is long. A number's default, the value
                         of its target, is added */
    double min;
    double max;
};

#define OPTION_END                                                                                 \
    {                                                                                              \
        0, NULL, NULL, OPT_FLAG, NULL, NULL, 0, 0                                                  \
    }

/* A list of names. Zero-initialise; give back with cdm_names_release(). */
struct cdm_names {
    char **items;
    size_t n;
    size_t capacity;
};

void cdm_names_release(struct cdm_names *names);

/* Any number of operands, as max_operands. */
enum { CDM_MANY = -1 };

struct cdm_usage {
    const char *name;     /* "predict", "device list" */
    const char *operands; /* "[FILE...]" */
    const char *what;     /* a sentence or two; lines are broken as written */
    const struct cdm_option *options;
    int min_operands;
    int max_operands;
};

struct cdm_operands {
    char **items; /* in argv */
    int n;
    bool done; /* --help or --list-options was answered: the command has nothing left to do */
};

/* Reads the options into their targets. Options may stand after operands; "--" ends them. What is
 * wrong is CDM_USAGE with the option's name and a suggestion. Reorders argv. */
enum cdm_status cdm_options_parse(const struct cdm_usage *usage, int argc, char **argv,
                                  struct cdm_operands *operands,
                                  struct cdm_error *err) CDM_MUST_CHECK;

/* Options that mean the same everywhere (cli.md). Each takes the address of its target. */
#define OPTION_DEVICE(target)                                                                      \
    {                                                                                              \
        'd', "device", "NAME[,NAME...]", OPT_NAMES, (target),                                      \
            "target devices (see cdmpp device list), or paths of YAML descriptions", 0, 0          \
    }
#define OPTION_MODEL(target)                                                                       \
    {                                                                                              \
        'm', "model", "FILE", OPT_STRING, (target),                                                \
            "model file; else $CDMPP_MODEL, else the shipped one", 0, 0                            \
    }
#define OPTION_OUTPUT(target)                                                                      \
    {                                                                                              \
        'o', "output", "FILE", OPT_STRING, (target), "write to FILE, not to standard output", 0, 0 \
    }
enum cdm_format { CDM_FORMAT_TABLE, CDM_FORMAT_TSV, CDM_FORMAT_JSON, CDM_FORMAT_AUTO };
#define OPTION_FORMAT(target)                                                                      \
    {                                                                                              \
        0, "format", "table|tsv|json", OPT_CHOICE, (target),                                       \
            "form of the output; default: table on a terminal, else tsv", 0, 0                     \
    }
#define OPTION_RUN_ON(target)                                                                      \
    {                                                                                              \
        0, "run-on", "cpu|cuda[:N]", OPT_STRING, (target),                                         \
            "where the predictor itself runs; default: cpu", 0, 0                                  \
    }
enum cdm_engine_choice { CDM_ENGINE_NATIVE, CDM_ENGINE_TORCH };
#define OPTION_ENGINE(target)                                                                      \
    {                                                                                              \
        0, "engine", "native|torch", OPT_CHOICE, (target),                                         \
            "what computes; default: native to predict, torch to train", 0, 0                      \
    }
/* 0 = all processors. */
#define OPTION_THREADS(target)                                                                     \
    {                                                                                              \
        'j', "threads", "N", OPT_INT, (target), "use N threads; default: all processors", 1, 4096  \
    }
#define OPTION_SEED(target)                                                                        \
    {                                                                                              \
        0, "seed", "N", OPT_INT, (target), "seed of all that is random; default 0", 0, 9e15        \
    }
#define OPTION_FILES_FROM(target)                                                                  \
    {                                                                                              \
        0, "files-from", "FILE", OPT_STRING, (target), "read names of files, one a line", 0, 0     \
    }

#endif
