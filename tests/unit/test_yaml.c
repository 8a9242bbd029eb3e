#include "cdmpp/core/yaml.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
/* cmocka.h needs the headers above. */
#include <cmocka.h>

/* A kind of file with every type of field. */
struct point {
    const char *label;
    double x;
};

struct inner {
    int64_t depth;
    struct point point;
};

struct sample {
    const char *name;
    int64_t count;
    double rate;
    struct cdm_quantity size;
    struct cdm_quantity clock;
    bool is_fast;
    int colour;
    struct cdm_texts words;
    struct cdm_numbers weights;
    struct inner inner;
    struct cdm_maps points; /* of struct point */
};

static const char *const colours[] = {"red", "green", "blue", NULL};

static const struct cdm_field point_fields[] = {
    {.key = "label",
     .type = FIELD_TEXT,
     .flags = FIELD_REQUIRED,
     .offset = offsetof(struct point, label)},
    {.key = "x", .type = FIELD_NUMBER, .offset = offsetof(struct point, x)},
    {.key = NULL},
};

static const struct cdm_field inner_fields[] = {
    {.key = "depth", .type = FIELD_WHOLE, .offset = offsetof(struct inner, depth)},
    {.key = "point",
     .type = FIELD_MAP,
     .offset = offsetof(struct inner, point),
     .fields = point_fields},
    {.key = NULL},
};

static const struct cdm_field sample_fields[] = {
    {.key = "name",
     .type = FIELD_TEXT,
     .flags = FIELD_REQUIRED,
     .offset = offsetof(struct sample, name)},
    {.key = "count",
     .type = FIELD_WHOLE,
     .offset = offsetof(struct sample, count),
     .min = 1,
     .max = 1000},
    {.key = "rate", .type = FIELD_NUMBER, .offset = offsetof(struct sample, rate)},
    {.key = "size",
     .type = FIELD_QUANTITY,
     .flags = FIELD_INTEGRAL,
     .offset = offsetof(struct sample, size),
     .unit = "B",
     .min = 1,
     .max = 1e12},
    {.key = "clock",
     .type = FIELD_QUANTITY,
     .offset = offsetof(struct sample, clock),
     .unit = "Hz"},
    {.key = "is_fast", .type = FIELD_BOOL, .offset = offsetof(struct sample, is_fast)},
    {.key = "colour",
     .type = FIELD_CHOICE,
     .offset = offsetof(struct sample, colour),
     .choices = colours},
    {.key = "words", .type = FIELD_TEXTS, .offset = offsetof(struct sample, words)},
    {.key = "weights",
     .type = FIELD_NUMBERS,
     .offset = offsetof(struct sample, weights),
     .min = 0,
     .max = 1},
    {.key = "inner",
     .type = FIELD_MAP,
     .offset = offsetof(struct sample, inner),
     .fields = inner_fields},
    {.key = "points",
     .type = FIELD_MAPS,
     .offset = offsetof(struct sample, points),
     .fields = point_fields,
     .size = sizeof(struct point)},
    {.key = NULL},
};

static enum cdm_status read_sample(const char *text, size_t length, struct sample *sample,
                                   struct cdm_arena *arena, struct cdm_error *err)
{
    memset(sample, 0, sizeof *sample);
    return cdm_yaml_read(text, length, sample_fields, sample, arena, err);
}

static void every_type_of_field_is_read(void **state)
{
    static const char text[] = "# a comment\n"
                               "name: three words here\n"
                               "count: 12\n"
                               "rate: -2.5e-3\n"
                               "size: 6 MiB\n"
                               "clock: 1.53 GHz\n"
                               "is_fast: true\n"
                               "colour: blue\n"
                               "words: [one, \"two\", 'three: 3']\n"
                               "weights:\n"
                               "  - 0.25\n"
                               "  - 1\n"
                               "inner:\n"
                               "  depth: 7\n"
                               "  point: {label: deep, x: 2}\n"
                               "points:\n"
                               "  - label: a\n"
                               "    x: 1.5\n"
                               "  - {label: b}\n";
    struct cdm_arena arena = {0};
    struct cdm_error err = {0};
    struct sample sample;

    (void)state;
    assert_int_equal(read_sample(text, sizeof text - 1, &sample, &arena, &err), CDM_OK);
    assert_string_equal(sample.name, "three words here");
    assert_int_equal(sample.count, 12);
    assert_true(sample.rate == -2.5e-3);
    assert_true(sample.size.known && sample.size.value == 6291456);
    assert_int_equal(sample.size.line, 5);
    assert_int_equal(sample.size.column, 7);
    /* The same double as 1.53e9 gives, not 1.53 * 1e9 with its rounding. */
    assert_true(sample.clock.known && sample.clock.value == 1.53e9);
    assert_true(sample.is_fast);
    assert_int_equal(sample.colour, 2);
    assert_int_equal(sample.words.n, 3);
    assert_string_equal(sample.words.items[1], "two");
    assert_string_equal(sample.words.items[2], "three: 3");
    assert_int_equal(sample.weights.n, 2);
    assert_true(sample.weights.items[0] == 0.25 && sample.weights.items[1] == 1);
    assert_int_equal(sample.inner.depth, 7);
    assert_string_equal(sample.inner.point.label, "deep");
    assert_true(sample.inner.point.x == 2);
    const struct point *points = sample.points.items;
    assert_int_equal(sample.points.n, 2);
    assert_string_equal(points[0].label, "a");
    assert_true(points[0].x == 1.5);
    assert_string_equal(points[1].label, "b");
    assert_true(points[1].x == 0);
    cdm_arena_release(&arena);
}

static void what_the_text_does_not_have_stays_as_it_was(void **state)
{
    static const char text[] = "name: a\n";
    struct cdm_arena arena = {0};
    struct cdm_error err = {0};
    struct sample sample = {.count = 42, .rate = 0.5, .colour = 1};

    (void)state;
    assert_int_equal(cdm_yaml_read(text, sizeof text - 1, sample_fields, &sample, &arena, &err),
                     CDM_OK);
    assert_int_equal(sample.count, 42);
    assert_true(sample.rate == 0.5);
    assert_int_equal(sample.colour, 1);
    assert_false(sample.size.known);
    assert_int_equal(sample.words.n, 0);
    cdm_arena_release(&arena);
}

static const char *const accepted[] = {
    "name: a",
    "name: a\r\ncount: 3\r\n",
    "---\nname: a\n...\n",
    "%YAML 1.1\n---\nname: a\n",
    "{name: a, count: 3}",
    "\"name\": a",
    "\xef\xbb\xbfname: a",
    "name: gr\xc3\xbc\xc3\x9f",
    "name: 12",
    "name: true",
    "name: ''",
    "name: |\n  two\n  lines\n",
    "name: a\nwords: []",
    "name: a\npoints: []",
    "name: a\ninner: {}",
    "name: a\ncount: 1e2",
    "name: a\ncount: 1.5e1",
    "name: a\nsize: 4096",
    "name: a\nsize: 4096 B",
    "name: a\nsize: 4KiB",
    "name: a\nsize: 1.5 KiB",
    "name: a\nclock: 1e-320 Hz",
    "name: a\nrate: -0",
};

static void these_files_are_accepted(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof accepted / sizeof *accepted; i++) {
        struct cdm_arena arena = {0};
        struct cdm_error err = {0};
        struct sample sample;
        if (read_sample(accepted[i], strlen(accepted[i]), &sample, &arena, &err) != CDM_OK)
            fail_msg("refused: %s\n%s", accepted[i], err.message);
        cdm_arena_release(&arena);
    }
}

static const struct {
    const char *text;
    const char *error; /* LINE:COLUMN: MESSAGE */
} refused[] = {
    {"", "1:1: nothing in it"},
    {"# only a comment\n", "2:1: nothing in it"},
    {"a", "1:1: expected \"key: value\" lines"},
    {"- name: a", "1:1: expected \"key: value\" lines"},
    {"count: 3", "1:1: the key \"name\" is missing"},
    {"name: a\npoints:\n  - x: 1\n", "3:5: the key \"label\" is missing"},
    {"name: a\ncount: 3\nname: b", "3:1: \"name\" is given twice"},
    {"name: a\ninner: {depth: 1, depth: 2}", "2:19: \"depth\" is given twice"},
    {"name: a\ncolor: red", "2:1: unknown key \"color\"; did you mean \"colour\"?"},
    {"name: a\nquestion: 4", "2:1: unknown key \"question\""},
    {"name: a\n\xc3\xa4\xc3\xb6: 4", "2:1: unknown key \"\xc3\xa4\xc3\xb6\""},
    {"name: a\n<<: {count: 2}", "2:1: unknown key \"<<\""},
    {"name: a\n? [b]\n: 3", "2:3: a key must be a single word"},
    {"name: &x a", "1:7: an anchor (&) is not allowed"},
    {"name: a\nwords: &x [a]", "2:8: an anchor (&) is not allowed"},
    {"name: a\ninner: &x {depth: 1}", "2:8: an anchor (&) is not allowed"},
    {"name: *x", "1:7: an alias (*) is not allowed: write the value out"},
    {"name: !!str a", "1:7: a tag (!) is not allowed"},
    {"name: ! a", "1:7: a tag (!) is not allowed"},
    {"name: a\ninner: !map {}", "2:8: a tag (!) is not allowed"},
    {"%TAG ! tag:x,2000:\n---\nname: a", "1:1: %TAG is not allowed"},
    {"name: a\n---\nname: b", "2:1: more than one document"},
    {"name: [a]", "1:7: \"name\" must be a single value, not a list"},
    {"name: {a: b}", "1:7: \"name\" must be a single value, not a mapping"},
    {"name:", "1:6: \"name\" has no value: leave it out when it is not known"},
    {"name: ~", "1:7: \"name\" has no value: leave it out when it is not known"},
    {"name: a\ncount: null", "2:8: \"count\" has no value: leave it out when it is not known"},
    {"name: a\ncount: x", "2:8: \"count\" must be a number, not \"x\""},
    {"name: a\ncount: \"3\"", "2:8: \"count\" must be a number, not the quoted \"3\""},
    {"name: a\ncount: 0x10", "2:8: \"count\" must be a number, not \"0x10\""},
    {"name: a\ncount: 010", "2:8: \"count\" must be a number, not \"010\""},
    {"name: a\ncount: +3", "2:8: \"count\" must be a number, not \"+3\""},
    {"name: a\ncount: 1_000", "2:8: \"count\" must be a number, not \"1_000\""},
    {"name: a\ncount: 3.", "2:8: \"count\" must be a number, not \"3.\""},
    {"name: a\ncount: 3 B", "2:8: \"count\" must be a number, not \"3 B\""},
    {"name: a\nrate: .inf", "2:7: \"rate\" must be a number, not \".inf\""},
    {"name: a\nrate: nan", "2:7: \"rate\" must be a number, not \"nan\""},
    {"name: a\nrate: 1e999", "2:7: \"rate\" is too large: 1e999"},
    {"name: a\ncount: 0", "2:8: \"count\" must be between 1 and 1000, not 0"},
    {"name: a\ncount: 1001", "2:8: \"count\" must be between 1 and 1000, not 1001"},
    {"name: a\ncount: 2.5", "2:8: \"count\" must be a whole number, not 2.5"},
    {"name: a\nsize: 1.0001 KiB", "2:7: \"size\" must be a whole number of B, not 1.0001 KiB"},
    {"name: a\nsize: 2 TB", "2:7: \"size\" must be between 1 and 1000000000000 B, not 2 TB"},
    {"name: a\nsize: 2 GHz", "2:7: \"size\" must be a number in B, not \"2 GHz\""},
    {"name: a\nsize: 2 gB", "2:7: \"size\" must be a number in B, not \"2 gB\""},
    {"name: a\nclock: 2 GiHz", "2:8: \"clock\" must be a number in Hz, not \"2 GiHz\""},
    {"name: a\nis_fast: yes", "2:10: \"is_fast\" must be true or false, not \"yes\""},
    {"name: a\nis_fast: \"true\"",
     "2:10: \"is_fast\" must be true or false, not the quoted \"true\""},
    {"name: a\ncolour: pink", "2:9: \"colour\" must be red, green or blue, not \"pink\""},
    {"name: a\nwords: one", "2:8: \"words\" must be a list"},
    {"name: a\nwords: {a: b}", "2:8: \"words\" must be a list"},
    {"name: a\nwords: [a, [b]]", "2:12: each item of \"words\" must be a single value, not a list"},
    {"name: a\nwords: [a, ~]",
     "2:12: each item of \"words\" has no value: leave it out when it is not known"},
    {"name: a\nweights: [0.5, 2]", "2:16: each item of \"weights\" must be between 0 and 1, not 2"},
    {"name: a\ninner: 3", "2:8: \"inner\" must be a mapping"},
    {"name: a\npoints: [3]", "2:10: each item of \"points\" must be a mapping"},
    {"name: a\npoints:\n  - {label: b, y: 1}", "3:16: unknown key \"y\""},
    /* Columns are bytes: the two letters before are four bytes long. */
    {"{name: \xc3\xa4\xc3\xb6, x: 1}", "1:14: unknown key \"x\""},
    {"name: a\n\tcount: 3", "2:1: not valid YAML: found a tab character that violates indentation"},
    {"name: a: b", "1:8: not valid YAML: mapping values are not allowed in this context"},
    {"name: a\nwords: [a", "2:10: not valid YAML: did not find expected ',' or ']'"},
    {"name: \"a", "1:9: not valid YAML: found unexpected end of stream"},
    {"name: a\nwords: [\xff]", "2:9: not valid text: invalid leading UTF-8 octet"},
    {"name: a\ncount: \x01", "2:8: not valid text: control characters are not allowed"},
    {"name: \"a\\0b\"", "1:7: a text must not contain the NUL character"},
    {"name: \"a\\x1b[31m\"", "1:7: a text must not contain control characters"},
    {"name: \"a\\x9b31m\"", "1:7: a text must not contain control characters"},
};

static void each_mistake_is_told_with_its_place(void **state)
{
    int n_wrong = 0;

    (void)state;
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++) {
        struct cdm_arena arena = {0};
        struct cdm_error err = {0};
        struct sample sample;
        char text[600];
        enum cdm_status status =
            read_sample(refused[i].text, strlen(refused[i].text), &sample, &arena, &err);
        cdm_arena_release(&arena);
        if (status != CDM_OK)
            cdm_error_text(&err, NULL, text, sizeof text);
        if (status == CDM_BAD_INPUT && err.status == status && !strcmp(text, refused[i].error))
            continue;
        print_error("%s\n  wanted: %s\n  got:    %s\n", refused[i].text, refused[i].error,
                    status == CDM_OK ? "accepted" : text);
        n_wrong++;
    }
    assert_int_equal(n_wrong, 0);
}

/* ---- Limits ---- */

static enum cdm_status read_built(const char *text, struct cdm_error *err)
{
    struct cdm_arena arena = {0};
    struct sample sample;
    enum cdm_status status = read_sample(text, strlen(text), &sample, &arena, err);

    cdm_arena_release(&arena);
    return status;
}

static void deep_nesting_is_refused_and_costs_nothing(void **state)
{
    enum { N = 500000 };
    char *text = malloc(N + 16);
    struct cdm_error err = {0};

    (void)state;
    memcpy(text, "name: ", 6);
    memset(text + 6, '[', N);
    text[6 + N] = '\0';
    assert_int_equal(read_built(text, &err), CDM_BAD_INPUT);
    assert_string_equal(err.message, "\"name\" must be a single value, not a list");
    free(text);
}

/* A table that refers to itself, to reach the limit of the reader and not that of the table. */
struct chain {
    int64_t end;
};
static const struct cdm_field chain_fields[] = {
    {.key = "end", .type = FIELD_WHOLE, .offset = offsetof(struct chain, end)},
    {.key = "next", .type = FIELD_MAP, .offset = 0, .fields = chain_fields},
    {.key = NULL},
};

static enum cdm_status read_chain(int depth, struct chain *chain, struct cdm_error *err)
{
    struct cdm_arena arena = {0};
    char text[512] = "";
    size_t length = 0;

    for (int i = 0; i + 1 < depth; i++)
        length += (size_t)snprintf(text + length, sizeof text - length, "{next: ");
    length += (size_t)snprintf(text + length, sizeof text - length, "{end: 9}");
    for (int i = 0; i + 1 < depth; i++)
        text[length++] = '}';
    enum cdm_status status = cdm_yaml_read(text, length, chain_fields, chain, &arena, err);
    cdm_arena_release(&arena);
    return status;
}

static void sixteen_levels_are_read_and_seventeen_refused(void **state)
{
    struct chain chain = {0};
    struct cdm_error err = {0};

    (void)state;
    assert_int_equal(read_chain(16, &chain, &err), CDM_OK);
    assert_int_equal(chain.end, 9);
    assert_int_equal(read_chain(17, &chain, &err), CDM_BAD_INPUT);
    assert_string_equal(err.message, "more than 16 levels of mappings and lists");
    assert_int_equal(err.column, 16 * 7 + 1);
}

static void a_list_has_at_most_4096_items(void **state)
{
    char *text = malloc(32 + 3 * 4097);
    struct cdm_error err = {0};

    (void)state;
    for (int n = 4096; n <= 4097; n++) {
        size_t length = (size_t)sprintf(text, "name: a\nwords: [");
        for (int i = 0; i < n; i++) {
            memcpy(text + length, "w,", 2);
            length += 2;
        }
        memcpy(text + length, "]", 2);
        assert_int_equal(read_built(text, &err), n == 4096 ? CDM_OK : CDM_BAD_INPUT);
    }
    assert_string_equal(err.message, "\"words\" has more than 4096 items");
    free(text);
}

static void a_text_has_at_most_4096_bytes(void **state)
{
    char text[4200];
    struct cdm_error err = {0};

    (void)state;
    for (size_t n = 4096; n <= 4097; n++) {
        memcpy(text, "name: ", 6);
        memset(text + 6, 'a', n);
        text[6 + n] = '\0';
        assert_int_equal(read_built(text, &err), n == 4096 ? CDM_OK : CDM_BAD_INPUT);
    }
    assert_string_equal(err.message, "this text is longer than 4096 bytes");
}

static void a_file_has_at_most_a_megabyte(void **state)
{
    size_t size = CDM_YAML_MAX_BYTES;
    char *text = malloc(size + 2);
    struct cdm_error err = {0};

    (void)state;
    memset(text, '\n', size + 1);
    memcpy(text, "name: a", 7);
    text[size] = '\0';
    assert_int_equal(read_built(text, &err), CDM_OK);
    text[size] = '\n';
    text[size + 1] = '\0';
    assert_int_equal(read_built(text, &err), CDM_BAD_INPUT);
    assert_string_equal(err.message, "larger than 1048576 bytes");
    free(text);
}

static void a_text_cut_at_any_byte_is_read_or_refused_with_a_place(void **state)
{
    static const char text[] = "name: \"x\xc3\xa4\"\nsize: 6 MiB\nwords: [a, 'b']\n"
                               "points:\n  - {label: b, x: 1}\n";
    (void)state;
    for (size_t length = 0; length < sizeof text - 1; length++) {
        struct cdm_arena arena = {0};
        struct cdm_error err = {0};
        struct sample sample;
        /* A copy of exactly this size, so that a read past the end is seen. */
        char *cut = malloc(length + 1);
        memcpy(cut, text, length);
        if (read_sample(length ? cut : "", length, &sample, &arena, &err) != CDM_OK) {
            assert_int_equal(err.status, CDM_BAD_INPUT);
            assert_true(err.line >= 1 && err.column >= 1);
        }
        free(cut);
        cdm_arena_release(&arena);
    }
}

static void a_file_that_is_not_there_is_an_io_error(void **state)
{
    struct cdm_arena arena = {0};
    struct cdm_error err = {0};
    struct sample sample = {0};

    (void)state;
    assert_int_equal(cdm_yaml_read_file("/no/such/file.yaml", sample_fields, &sample, &arena, &err),
                     CDM_IO);
    cdm_arena_release(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_type_of_field_is_read),
        cmocka_unit_test(what_the_text_does_not_have_stays_as_it_was),
        cmocka_unit_test(these_files_are_accepted),
        cmocka_unit_test(each_mistake_is_told_with_its_place),
        cmocka_unit_test(deep_nesting_is_refused_and_costs_nothing),
        cmocka_unit_test(sixteen_levels_are_read_and_seventeen_refused),
        cmocka_unit_test(a_list_has_at_most_4096_items),
        cmocka_unit_test(a_text_has_at_most_4096_bytes),
        cmocka_unit_test(a_file_has_at_most_a_megabyte),
        cmocka_unit_test(a_text_cut_at_any_byte_is_read_or_refused_with_a_place),
        cmocka_unit_test(a_file_that_is_not_there_is_an_io_error),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
