#include "cdmpp/cli/option.h"

#include "cdmpp/core/alloc.h"
#include "cdmpp/core/log.h"
#include "cdmpp/core/number.h"
#include "cdmpp/core/str.h"
#include "cdmpp/core/suggest.h"

#include <assert.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Values that getopt_long() returns for a long option: the table's index on top of all letters. */
enum { FIRST_VALUE = 256, MAX_OPTIONS = 48, LINE_WIDTH = 79 };

/* The options that every command has. */
struct common {
    bool help;
    bool list;
    int quiet;
    int verbose;
};

enum { N_COMMON = 4 };

/* All options of one command. */
struct table {
    const struct cdm_option *options[MAX_OPTIONS]; /* the command's own, then the common ones */
    double defaults[MAX_OPTIONS];                  /* of those that are numbers with a range */
    int n;
};

static void fill_common(struct common *common, struct cdm_option options[N_COMMON])
{
    const struct cdm_option list[N_COMMON] = {
        {'q', "quiet", NULL, OPT_COUNT, &common->quiet, "no warnings, no progress", 0, 0},
        {'v', "verbose", NULL, OPT_COUNT, &common->verbose, "say more; -vv for debugging", 0, 0},
        {'h', "help", NULL, OPT_FLAG, &common->help, "show this help", 0, 0},
        {0, "list-options", NULL, OPT_FLAG, &common->list, "list the options, for programs", 0, 0},
    };
    memcpy(options, list, sizeof list);
}

/* What a number is before the command line is read. */
static double default_of(const struct cdm_option *option)
{
    if (option->kind == OPT_INT)
        return (double)*(int64_t *)option->target;
    return option->kind == OPT_DOUBLE ? *(double *)option->target : 0;
}

static void fill_table(struct table *table, const struct cdm_option *own,
                       const struct cdm_option common[N_COMMON])
{
    table->n = 0;
    for (; own->name && table->n < MAX_OPTIONS - N_COMMON; own++) {
        table->defaults[table->n] = default_of(own);
        table->options[table->n++] = own;
    }
    for (int i = 0; i < N_COMMON; i++)
        table->options[table->n++] = common + i;
}

void cdm_names_release(struct cdm_names *names)
{
    for (size_t i = 0; i < names->n; i++)
        free(names->items[i]);
    free(names->items);
    *names = (struct cdm_names){0};
}

/* ---- Help ---- */

/* Prints `text`, broken between words, in a column that starts at `indent`. */
static void print_wrapped(const char *text, int indent)
{
    int room = LINE_WIDTH - indent;

    while ((int)strlen(text) > room) {
        int length = room;
        while (length > 0 && text[length] != ' ')
            length--;
        if (length == 0)
            length = (int)strcspn(text, " ");
        printf("%.*s\n%*s", length, text, indent, "");
        text += length + (text[length] == ' ');
    }
    printf("%s\n", text);
}

/* The option's text; a number's default is added unless it is out of range, which means none, or
 * the text says it. */
static void help_text(const struct cdm_option *option, double number, char *text, size_t size)
{
    bool has_range = option->min < option->max; /* only numbers have one */

    if (has_range && number >= option->min && number <= option->max &&
        !strstr(option->help, "default"))
        snprintf(text, size, "%s; default: %.10g", option->help, number);
    else
        snprintf(text, size, "%s", option->help);
}

static void print_option(const struct cdm_option *option, double number)
{
    enum { INDENT = 28 };
    char left[80];
    char letter[8] = "    ";
    char text[400];

    if (option->letter)
        snprintf(letter, sizeof letter, "-%c, ", option->letter);
    int used = snprintf(left, sizeof left, "  %s--%s%s%s", letter, option->name,
                        option->arg ? " " : "", option->arg ? option->arg : "");
    if (used >= INDENT - 1)
        printf("%s\n%*s", left, INDENT, "");
    else
        printf("%-*s", INDENT, left);
    help_text(option, number, text, sizeof text);
    print_wrapped(text, INDENT);
}

static void print_help(const struct cdm_usage *usage, const struct table *table)
{
    printf("usage: cdmpp %s [options]%s%s\n\n%s\n\n", usage->name, *usage->operands ? " " : "",
           usage->operands, usage->what);
    for (int i = 0; i < table->n; i++)
        if (strcmp(table->options[i]->name, "list-options") != 0)
            print_option(table->options[i], table->defaults[i]);
}

/* For check-man.sh and for completion: letter, name and value, with tabs between them. */
static void print_list(const struct table *table)
{
    for (int i = 0; i < table->n; i++) {
        const struct cdm_option *option = table->options[i];
        char letter[4] = "";
        if (option->letter)
            snprintf(letter, sizeof letter, "-%c", option->letter);
        printf("%s\t--%s\t%s\n", letter, option->name, option->arg ? option->arg : "");
    }
}

/* ---- Values ---- */

static enum cdm_status add_names(const struct cdm_option *option, const char *value,
                                 struct cdm_error *err)
{
    struct cdm_names *names = option->target;

    assert(value); /* an option with names takes a value */
    for (;;) {
        size_t length = strcspn(value, ",");
        if (length == 0)
            return cdm_fail(err, CDM_USAGE, "option --%s has an empty name", option->name);
        char *name = cdm_alloc(length + 1, 1);
        memcpy(name, value, length);
        names->items = cdm_grow(names->items, &names->capacity, names->n + 1, sizeof *names->items);
        names->items[names->n++] = name;
        if (!value[length])
            return CDM_OK;
        value += length + 1;
    }
}

static enum cdm_status set_choice(const struct cdm_option *option, const char *value,
                                  struct cdm_error *err)
{
    const char *word = option->arg;

    for (int i = 0;; i++) {
        size_t length = strcspn(word, "|");
        if (length == strlen(value) && !memcmp(word, value, length)) {
            *(int *)option->target = i;
            return CDM_OK;
        }
        if (!word[length])
            return cdm_fail(err, CDM_USAGE, "option --%s must be one of %s, not \"%s\"",
                            option->name, option->arg, value);
        word += length + 1;
    }
}

static enum cdm_status set_number(const struct cdm_option *option, const char *value,
                                  struct cdm_error *err)
{
    struct cdm_view text = cdm_view_of(value);
    int64_t integer = 0;
    double number = 0;
    bool is_int = option->kind == OPT_INT;

    if (is_int ? !cdm_parse_int64(text, &integer) : !cdm_parse_double(text, &number))
        return cdm_fail(err, CDM_USAGE, "option --%s must be a %snumber, not \"%s\"", option->name,
                        is_int ? "whole " : "", value);
    if (is_int)
        number = (double)integer;
    if (option->min < option->max && (number < option->min || number > option->max))
        return cdm_fail(err, CDM_USAGE, "option --%s must be from %.16g to %.16g, not %s",
                        option->name, option->min, option->max, value);
    if (is_int)
        *(int64_t *)option->target = integer;
    else
        *(double *)option->target = number;
    return CDM_OK;
}

static enum cdm_status set_value(const struct cdm_option *option, const char *value,
                                 struct cdm_error *err)
{
    switch (option->kind) {
    case OPT_FLAG:
        *(bool *)option->target = true;
        return CDM_OK;
    case OPT_COUNT:
        ++*(int *)option->target;
        return CDM_OK;
    case OPT_STRING:
        *(const char **)option->target = value;
        return CDM_OK;
    case OPT_NAMES:
        return add_names(option, value, err);
    case OPT_INT:
    case OPT_DOUBLE:
        return set_number(option, value, err);
    case OPT_CHOICE:
        return set_choice(option, value, err);
    }
    return cdm_fail(err, CDM_BUG, "option --%s has no kind", option->name);
}

/* ---- Parsing ---- */

static const struct cdm_option *find_option(const struct table *table, int value)
{
    if (value >= FIRST_VALUE)
        return value - FIRST_VALUE < table->n ? table->options[value - FIRST_VALUE] : NULL;
    for (int i = 0; i < table->n; i++)
        if (value && table->options[i]->letter == value)
            return table->options[i];
    return NULL;
}

/* Says why getopt_long() did not take `word`; `value` is its optopt. */
static enum cdm_status refuse(const struct table *table, const char *word, int value,
                              struct cdm_error *err)
{
    const struct cdm_option *option = find_option(table, value);

    if (option && value >= FIRST_VALUE)
        return cdm_fail(err, CDM_USAGE, "option --%s takes no value", option->name);
    if (value)
        return cdm_fail(err, CDM_USAGE, "unknown option -%c", value);

    char name[64];
    int n_starting = 0;
    snprintf(name, sizeof name, "%.*s", (int)strcspn(word + 2, "="), word + 2);
    struct cdm_suggestion nearest = {.word = name};
    for (int i = 0; i < table->n; i++) {
        n_starting += !strncmp(table->options[i]->name, name, strlen(name));
        cdm_suggest(&nearest, table->options[i]->name);
    }
    if (n_starting > 1)
        return cdm_fail(err, CDM_USAGE, "option --%s could mean more than one", name);
    if (nearest.best)
        return cdm_fail(err, CDM_USAGE, "unknown option --%s: did you mean --%s?", name,
                        nearest.best);
    return cdm_fail(err, CDM_USAGE, "unknown option --%s", name);
}

static enum cdm_status parse(const struct table *table, int argc, char **argv,
                             struct cdm_error *err)
{
    struct option longs[MAX_OPTIONS + 1] = {{0}};
    char shorts[2 * MAX_OPTIONS + 2] = ":";
    size_t n_shorts = 1;

    for (int i = 0; i < table->n; i++) {
        const struct cdm_option *option = table->options[i];
        longs[i] = (struct option){option->name, option->arg ? required_argument : no_argument,
                                   NULL, FIRST_VALUE + i};
        if (option->letter)
            shorts[n_shorts++] = option->letter;
        if (option->letter && option->arg)
            shorts[n_shorts++] = ':';
    }
    opterr = 0;
    optind = 0; /* makes GNU getopt start anew */
    int value;
    while ((value = getopt_long(argc, argv, shorts, longs, NULL)) != -1) {
        if (value == '?')
            return refuse(table, argv[optind - 1], optopt, err);
        const struct cdm_option *option = find_option(table, value == ':' ? optopt : value);
        if (!option)
            return cdm_fail(err, CDM_BUG, "option %d is not in the table", value);
        if (value == ':')
            return cdm_fail(err, CDM_USAGE, "option --%s needs a value: %s", option->name,
                            option->arg);
        enum cdm_status status = set_value(option, optarg, err);
        if (status != CDM_OK)
            return status;
    }
    return CDM_OK;
}

enum cdm_status cdm_options_parse(const struct cdm_usage *usage, int argc, char **argv,
                                  struct cdm_operands *operands, struct cdm_error *err)
{
    struct common common = {0};
    struct cdm_option common_options[N_COMMON];
    struct table table;

    *operands = (struct cdm_operands){0};
    fill_common(&common, common_options);
    fill_table(&table, usage->options, common_options);
    enum cdm_status status = parse(&table, argc, argv, err);
    if (status != CDM_OK)
        return status;
    if (common.help || common.list) {
        if (common.help)
            print_help(usage, &table);
        else
            print_list(&table);
        operands->done = true;
        return CDM_OK;
    }
    if (common.quiet || common.verbose) {
        int level = (int)CDM_LOG_WARNING + common.verbose - common.quiet;
        level = level < 0 ? 0 : level > (int)CDM_LOG_DEBUG ? (int)CDM_LOG_DEBUG : level;
        cdm_log_setup((enum cdm_log_level)level, NULL);
    }
    operands->items = argv + optind;
    operands->n = argc - optind;
    if (operands->n < usage->min_operands)
        return cdm_fail(err, CDM_USAGE, "too few arguments; usage: cdmpp %s [options] %s",
                        usage->name, usage->operands);
    if (usage->max_operands != CDM_MANY && operands->n > usage->max_operands)
        return cdm_fail(err, CDM_USAGE, "unexpected argument \"%s\"",
                        operands->items[usage->max_operands]);
    return CDM_OK;
}
