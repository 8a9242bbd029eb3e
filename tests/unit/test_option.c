#include "cdmpp/cli/inputs.h"
#include "cdmpp/cli/option.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

/* What a command would have as locals. */
struct values {
    struct cdm_names devices;
    const char *output;
    int format;
    int64_t k;
    double rate;
    bool dry;
    struct cdm_operands operands;
    struct cdm_error err;
    char *argv[16];
};

/* Parses the words, NULL at the end. argv is kept in *values, since operands point into it. */
static enum cdm_status parse(struct values *values, const char *const *words)
{
    const struct cdm_option options[] = {
        OPTION_DEVICE(&values->devices),
        OPTION_OUTPUT(&values->output),
        OPTION_FORMAT(&values->format),
        {'k', "tasks", "N", OPT_INT, &values->k, "choose N tasks", 1, 100},
        {0, "rate", "X", OPT_DOUBLE, &values->rate, "learning rate", 0, 0},
        {0, "dry-run", NULL, OPT_FLAG, &values->dry, "do nothing", 0, 0},
        OPTION_END};
    const struct cdm_usage usage = {"test", "[FILE...]", "Tests.", options, 0, 2};
    int argc = 0;

    *values = (struct values){.format = CDM_FORMAT_AUTO, .k = -1};
    for (values->argv[argc++] = (char *)(uintptr_t) "test"; *words; words++)
        values->argv[argc++] = (char *)(uintptr_t)*words;
    return cdm_options_parse(&usage, argc, values->argv, &values->operands, &values->err);
}

#define PARSE(values, ...) parse(values, (const char *const[]){__VA_ARGS__, NULL})

static void every_kind_of_value_is_read(void **state)
{
    (void)state;
    struct values v;

    assert_int_equal(PARSE(&v, "-dt4,v100", "--device=a100", "-o", "out", "--format", "json", "-k",
                           "20", "--rate=1e-3", "--dry-run"),
                     CDM_OK);
    assert_int_equal(v.devices.n, 3);
    assert_string_equal(v.devices.items[0], "t4");
    assert_string_equal(v.devices.items[1], "v100");
    assert_string_equal(v.devices.items[2], "a100");
    assert_string_equal(v.output, "out");
    assert_int_equal(v.format, CDM_FORMAT_JSON);
    assert_int_equal(v.k, 20);
    assert_true(v.rate == 1e-3);
    assert_true(v.dry);
    assert_int_equal(v.operands.n, 0);
    cdm_names_release(&v.devices);
}

static void options_stand_after_operands_too(void **state)
{
    (void)state;
    struct values v;

    assert_int_equal(PARSE(&v, "a", "--dry-run", "-"), CDM_OK);
    assert_true(v.dry);
    assert_int_equal(v.operands.n, 2);
    assert_string_equal(v.operands.items[0], "a");
    assert_string_equal(v.operands.items[1], "-");
}

static void two_hyphens_end_the_options(void **state)
{
    (void)state;
    struct values v;

    assert_int_equal(PARSE(&v, "--", "--dry-run"), CDM_OK);
    assert_false(v.dry);
    assert_string_equal(v.operands.items[0], "--dry-run");
}

static void assert_refused(struct values *v, enum cdm_status status, const char *message)
{
    assert_int_equal(status, CDM_USAGE);
    assert_string_equal(v->err.message, message);
    cdm_names_release(&v->devices);
}

static void wrong_numbers_are_refused(void **state)
{
    (void)state;
    struct values v;

    assert_refused(&v, PARSE(&v, "-k", "2x"), "option --tasks must be a whole number, not \"2x\"");
    assert_refused(&v, PARSE(&v, "-k", "1.0"),
                   "option --tasks must be a whole number, not \"1.0\"");
    assert_refused(&v, PARSE(&v, "-k", ""), "option --tasks must be a whole number, not \"\"");
    assert_refused(&v, PARSE(&v, "-k", "0"), "option --tasks must be from 1 to 100, not 0");
    assert_refused(&v, PARSE(&v, "-k", "101"), "option --tasks must be from 1 to 100, not 101");
    assert_refused(&v, PARSE(&v, "--rate", "nan"), "option --rate must be a number, not \"nan\"");
    assert_int_equal(v.k, -1);
}

static void a_choice_is_one_of_its_words(void **state)
{
    (void)state;
    struct values v;

    assert_refused(&v, PARSE(&v, "--format", "xml"),
                   "option --format must be one of table|tsv|json, not \"xml\"");
    assert_refused(&v, PARSE(&v, "--format", "js"),
                   "option --format must be one of table|tsv|json, not \"js\"");
    assert_refused(&v, PARSE(&v, "--format", ""),
                   "option --format must be one of table|tsv|json, not \"\"");
}

static void an_empty_name_is_refused(void **state)
{
    (void)state;
    struct values v;

    assert_refused(&v, PARSE(&v, "-d", "t4,,v100"), "option --device has an empty name");
    assert_refused(&v, PARSE(&v, "-d", "t4,"), "option --device has an empty name");
}

static void unknown_options_are_named_with_a_suggestion(void **state)
{
    (void)state;
    struct values v;

    assert_refused(&v, PARSE(&v, "--fromat", "json"),
                   "unknown option --fromat: did you mean --format?");
    assert_refused(&v, PARSE(&v, "--fromat=json"),
                   "unknown option --fromat: did you mean --format?");
    assert_refused(&v, PARSE(&v, "--zzzzzzzz"), "unknown option --zzzzzzzz");
    assert_refused(&v, PARSE(&v, "-x"), "unknown option -x");
    assert_refused(&v, PARSE(&v, "-vx"), "unknown option -x");
}

static void values_that_lack_or_are_too_many_are_refused(void **state)
{
    (void)state;
    struct values v;

    assert_refused(&v, PARSE(&v, "a", "-o"), "option --output needs a value: FILE");
    assert_refused(&v, PARSE(&v, "--output"), "option --output needs a value: FILE");
    assert_refused(&v, PARSE(&v, "--dry-run=yes"), "option --dry-run takes no value");
    assert_refused(&v, PARSE(&v, "--d"), "option --d could mean more than one");
}

static void too_many_operands_are_refused(void **state)
{
    (void)state;
    struct values v;

    assert_refused(&v, PARSE(&v, "a", "b", "c"), "unexpected argument \"c\"");
}

/* ---- Inputs ---- */

static char folder[] = "/tmp/cdm-test-option-XXXXXX";

static void touch(const char *name)
{
    FILE *file = fopen(name, "w");
    assert_non_null(file);
    fclose(file);
}

static int make_files(void **state)
{
    FILE *list;

    (void)state;
    if (!mkdtemp(folder) || chdir(folder) || mkdir("d", 0777) || mkdir("d/sub", 0777) ||
        mkdir("d/.git", 0777))
        return -1;
    touch("d/b");
    touch("d/a");
    touch("d/sub/c");
    touch("d/.hidden");
    touch("d/.git/x");
    touch("d/z");
    if (symlink("..", "d/circle") || symlink("a", "d/link"))
        return -1;
    list = fopen("list", "w");
    if (!list)
        return -1;
    fputs("one\n\nd\nlast", list);
    return fclose(list);
}

static int remove_files(void **state)
{
    (void)state;
    static const char *const names[] = {"d/b",       "d/a",      "d/sub/c", "d/sub",
                                        "d/.hidden", "d/.git/x", "d/.git",  "d/circle",
                                        "d/link",    "d/z",      "d",       "list"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        remove(names[i]);
    return rmdir(folder);
}

static void assert_inputs(int n, const char *const *operands, const char *files_from,
                          const char *const *expected)
{
    char *items[8] = {0};
    struct cdm_input_files inputs;
    struct cdm_error err = {0};
    const char *path;

    for (int i = 0; i < n; i++)
        items[i] = (char *)(uintptr_t)operands[i];
    struct cdm_operands given = {items, n, false};
    assert_int_equal(cdm_input_files_open(&inputs, &given, files_from, &err), CDM_OK);
    for (; *expected; expected++) {
        assert_int_equal(cdm_input_files_next(&inputs, &path, &err), CDM_OK);
        assert_non_null(path);
        assert_string_equal(path, *expected);
    }
    assert_int_equal(cdm_input_files_next(&inputs, &path, &err), CDM_OK);
    assert_null(path);
    cdm_input_files_close(&inputs);
}

static void no_operand_means_standard_input(void **state)
{
    (void)state;
    assert_inputs(0, NULL, NULL, (const char *const[]){"-", NULL});
    assert_string_equal(cdm_input_name("-"), "<stdin>");
}

static void a_folder_gives_its_files_in_order_without_circles(void **state)
{
    (void)state;
    assert_inputs(2, (const char *const[]){"d", "nonsuch"}, NULL,
                  (const char *const[]){"d/a", "d/b", "d/link", "d/sub/c", "d/z", "nonsuch", NULL});
}

static void names_of_a_list_come_after_the_operands(void **state)
{
    (void)state;
    assert_inputs(
        1, (const char *const[]){"x"}, "list",
        (const char *const[]){"x", "one", "d/a", "d/b", "d/link", "d/sub/c", "d/z", "last", NULL});
}

static void an_empty_list_means_no_input(void **state)
{
    (void)state;
    assert_inputs(0, NULL, "/dev/null", (const char *const[]){NULL});
}

static void a_missing_list_is_an_io_error(void **state)
{
    (void)state;
    struct cdm_input_files inputs;
    struct cdm_operands none = {0};
    struct cdm_error err = {0};

    assert_int_equal(cdm_input_files_open(&inputs, &none, "nonsuch", &err), CDM_IO);
    assert_string_equal(err.message, "nonsuch: cannot open: No such file or directory");
    cdm_input_files_close(&inputs);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_kind_of_value_is_read),
        cmocka_unit_test(options_stand_after_operands_too),
        cmocka_unit_test(two_hyphens_end_the_options),
        cmocka_unit_test(wrong_numbers_are_refused),
        cmocka_unit_test(a_choice_is_one_of_its_words),
        cmocka_unit_test(an_empty_name_is_refused),
        cmocka_unit_test(unknown_options_are_named_with_a_suggestion),
        cmocka_unit_test(values_that_lack_or_are_too_many_are_refused),
        cmocka_unit_test(too_many_operands_are_refused),
        cmocka_unit_test(no_operand_means_standard_input),
        cmocka_unit_test(a_folder_gives_its_files_in_order_without_circles),
        cmocka_unit_test(names_of_a_list_come_after_the_operands),
        cmocka_unit_test(an_empty_list_means_no_input),
        cmocka_unit_test(a_missing_list_is_an_io_error),
    };
    return cmocka_run_group_tests(tests, make_files, remove_files);
}
