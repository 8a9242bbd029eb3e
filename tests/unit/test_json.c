#include "cdmpp/core/alloc.h"
#include "cdmpp/core/json.h"
#include "cdmpp/core/json_scan.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
/* cmocka.h needs the headers above. */
#include <cmocka.h>

#ifdef CDM_HAVE_JANSSON
#include <jansson.h>
#endif

enum { MAX_BYTES = 1 << 20 };

/* A string literal as text, NUL bytes inside included. */
#define TEXT(literal) ((struct cdm_view){(literal), sizeof(literal) - 1})

struct accepted {
    struct cdm_view text;
    bool jansson_differs; /* Jansson refuses it; see the reason beside */
};

static const struct accepted accepted[] = {
    {TEXT("null"), false},
    {TEXT("true"), false},
    {TEXT("false"), false},
    {TEXT("0"), false},
    {TEXT("-0"), false},
    {TEXT("-0.0"), false},
    {TEXT("1e5"), false},
    {TEXT("1E+5"), false},
    {TEXT("1.25e-3"), false},
    {TEXT("1e-400"), false},
    {TEXT("1.7976931348623157e308"), false},
    {TEXT("123456789012345678901234567890.5"), false},
    {TEXT("9223372036854775807"), false},
    {TEXT("-9223372036854775808"), false},
    {TEXT("9223372036854775808"), true},  /* beyond Jansson's integers */
    {TEXT("18446744073709551615"), true}, /* the same */
    {TEXT("\"\""), false},
    {TEXT("\"a\\\"\\\\\\/\\b\\f\\n\\r\\t\""), false},
    {TEXT("\"\\u00e9\\u20AC\""), false},
    {TEXT("\"\\ud83d\\ude00\""), false},
    {TEXT("\"\\u0000\""), true}, /* Jansson's strings end at a NUL */
    {TEXT("\"\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80\x7f\""), false},
    {TEXT("\"\xf4\x8f\xbf\xbf\""), false},
    {TEXT("[]"), false},
    {TEXT("[ ]"), false},
    {TEXT("{}"), false},
    {TEXT("{ }"), false},
    {TEXT(" \t\r\n[1 , 2\n, 3]\r\n "), false},
    {TEXT("{\"a\":1,\"b\":[{},[]]}"), false},
    {TEXT("{\"\":0}"), false},
    {TEXT("{\"a\":1,\"a\":2}"), false},
    {TEXT("\xef\xbb\xbf[1]"), true}, /* a byte order mark, which Jansson does not skip */
};

struct refused {
    struct cdm_view text;
    int line;
    int column;
    const char *message;
};

static const struct refused refused[] = {
    {TEXT(""), 1, 1, "JSON: expected a value"},
    {TEXT(" \n "), 2, 2, "JSON: expected a value"},
    {TEXT("\xef\xbb\xbf"), 1, 4, "JSON: expected a value"},
    {TEXT("nul"), 1, 1, "JSON: expected a value"},
    {TEXT("nulll"), 1, 5, "JSON: there is more after the end of the document"},
    {TEXT("True"), 1, 1, "JSON: expected a value"},
    {TEXT("NaN"), 1, 1, "JSON: expected a value"},
    {TEXT("-Infinity"), 1, 2, "JSON: a number needs a digit here"},
    {TEXT("'a'"), 1, 1, "JSON: expected a value"},
    {TEXT("// a\n1"), 1, 1, "JSON: expected a value"},
    {TEXT("01"), 1, 1, "JSON: a number may not begin with 0"},
    {TEXT("-01"), 1, 1, "JSON: a number may not begin with 0"},
    {TEXT("+1"), 1, 1, "JSON: expected a value"},
    {TEXT(".5"), 1, 1, "JSON: expected a value"},
    {TEXT("5."), 1, 3, "JSON: a number needs a digit here"},
    {TEXT("5.e1"), 1, 3, "JSON: a number needs a digit here"},
    {TEXT("5e"), 1, 3, "JSON: a number needs a digit here"},
    {TEXT("5e+"), 1, 4, "JSON: a number needs a digit here"},
    {TEXT("-"), 1, 2, "JSON: a number needs a digit here"},
    {TEXT("0x10"), 1, 2, "JSON: there is more after the end of the document"},
    {TEXT("1 2"), 1, 3, "JSON: there is more after the end of the document"},
    {TEXT("[] []"), 1, 4, "JSON: there is more after the end of the document"},
    {TEXT("18446744073709551616"), 1, 1, "JSON: the integer does not fit in 64 bits"},
    {TEXT("[1, -9223372036854775809]"), 1, 5, "JSON: the integer does not fit in 64 bits"},
    {TEXT("99999999999999999999999999999"), 1, 1, "JSON: the integer does not fit in 64 bits"},
    {TEXT("1e309"), 1, 1, "JSON: the number is too large"},
    {TEXT("-1e99999"), 1, 1, "JSON: the number is too large"},
    {TEXT("\"a"), 1, 1, "JSON: the string has no end"},
    {TEXT("\"a\\\""), 1, 1, "JSON: the string has no end"},
    {TEXT("\"a\nb\""), 1, 3, "JSON: control character in a string"},
    {TEXT("\"a\0b\""), 1, 3, "JSON: control character in a string"},
    {TEXT("\"\\x41\""), 1, 2, "JSON: unknown escape in a string"},
    {TEXT("\"\\u12g4\""), 1, 2, "JSON: \\u needs four hexadecimal digits"},
    {TEXT("\"\\ud800\""), 1, 2, "JSON: first half of a surrogate pair without the second"},
    {TEXT("\"\\ud800\\u0041\""), 1, 2, "JSON: first half of a surrogate pair without the second"},
    {TEXT("\"\\ude00\""), 1, 2, "JSON: second half of a surrogate pair without the first"},
    {TEXT("\"\x80\""), 1, 2, "JSON: not valid UTF-8"},
    {TEXT("\"\xc0\x80\""), 1, 2, "JSON: not valid UTF-8"},
    {TEXT("\"\xe0\x80\x80\""), 1, 2, "JSON: not valid UTF-8"},
    {TEXT("\"\xed\xa0\x80\""), 1, 2, "JSON: not valid UTF-8"},
    {TEXT("\"\xf4\x90\x80\x80\""), 1, 2, "JSON: not valid UTF-8"},
    {TEXT("\"\xe2\x82\""), 1, 2, "JSON: not valid UTF-8"},
    {TEXT("[1,\xff]"), 1, 4, "JSON: expected a value"},
    {TEXT("["), 1, 2, "JSON: the text ends in the middle of the document"},
    {TEXT("[1"), 1, 3, "JSON: the text ends in the middle of the document"},
    {TEXT("[1,"), 1, 4, "JSON: the text ends in the middle of the document"},
    {TEXT("[1,]"), 1, 4, "JSON: expected a value"},
    {TEXT("[,1]"), 1, 2, "JSON: expected a value"},
    {TEXT("[1 2]"), 1, 4, "JSON: expected ',' or ']'"},
    {TEXT("[1}"), 1, 3, "JSON: expected ',' or ']'"},
    {TEXT("]"), 1, 1, "JSON: expected a value"},
    {TEXT("{\"a\" 1}"), 1, 6, "JSON: expected ':'"},
    {TEXT("{\"a\":}"), 1, 6, "JSON: expected a value"},
    {TEXT("{\"a\":1,}"), 1, 8, "JSON: expected a name in double quotes"},
    {TEXT("{a:1}"), 1, 2, "JSON: expected a name in double quotes"},
    {TEXT("{1:1}"), 1, 2, "JSON: expected a name in double quotes"},
    {TEXT("{\"a\":1]"), 1, 7, "JSON: expected ',' or '}'"},
    {TEXT("{\n  \"a\": 1,\n  \"b\": x\n}"), 3, 8, "JSON: expected a value"},
    {TEXT("{\"a\":1}\0"), 1, 8, "JSON: there is more after the end of the document"},
};

static int set_up(void **state)
{
    *state = cdm_json_parser_new(MAX_BYTES);
    return 0;
}

static int tear_down(void **state)
{
    cdm_json_parser_free(*state);
    return 0;
}

/* The value of a text that must be good. */
static struct cdm_json parse(struct cdm_json_parser *parser, const char *text)
{
    struct cdm_json root = {{0}};
    struct cdm_error err = {0};

    if (cdm_json_parse(parser, cdm_view_of(text), 1, &root, &err))
        fail_msg("%s: %s", text, err.message);
    return root;
}

static void good_documents_are_accepted(void **state)
{
    for (size_t i = 0; i < sizeof accepted / sizeof *accepted; i++) {
        struct cdm_json root;
        struct cdm_error err = {0};
        if (cdm_json_parse(*state, accepted[i].text, 1, &root, &err))
            fail_msg("%s: %s", accepted[i].text.data, err.message);
    }
}

static void bad_documents_are_refused_with_place_and_reason(void **state)
{
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++) {
        struct cdm_json root;
        struct cdm_error err = {0};
        if (!cdm_json_parse(*state, refused[i].text, 1, &root, &err))
            fail_msg("accepted: %s", refused[i].text.data);
        assert_int_equal(err.status, CDM_BAD_INPUT);
        if (strcmp(err.message, refused[i].message) || err.line != refused[i].line ||
            err.column != refused[i].column)
            fail_msg("%s: got %d:%d: %s, wanted %d:%d: %s", refused[i].text.data, (int)err.line,
                     (int)err.column, err.message, refused[i].line, refused[i].column,
                     refused[i].message);
    }
}

/* The scanner that finds places has its own grammar: it must be the same as simdjson's. */
static void scanner_agrees_with_the_parser(struct cdm_json_parser *parser, const char *text,
                                           size_t length)
{
    struct cdm_json root;
    size_t offset;
    bool refuses =
        cdm_json_parse(parser, (struct cdm_view){text, length}, 1, &root, NULL) != CDM_OK;
    bool has_fault = cdm_json_scan_fault(text, length, &offset) != NULL;

    if (refuses != has_fault)
        fail_msg("parser %s, scanner %s: %s", refuses ? "refuses" : "accepts",
                 has_fault ? "refuses" : "accepts", text);
}

#ifdef CDM_HAVE_JANSSON
static bool jansson_accepts(struct cdm_view text)
{
    json_t *value = json_loadb(text.data, text.length, JSON_DECODE_ANY, NULL);

    json_decref(value);
    return value != NULL;
}

static void jansson_agrees_on_the_tables(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof accepted / sizeof *accepted; i++)
        if (jansson_accepts(accepted[i].text) == accepted[i].jansson_differs)
            fail_msg("Jansson on %s", accepted[i].text.data);
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++)
        /* Jansson reads a NUL after the document as its end. */
        if (jansson_accepts(refused[i].text) &&
            refused[i].text.data[refused[i].text.length - 1] != '\0')
            fail_msg("Jansson accepts %s", refused[i].text.data);
}
#else
static bool jansson_accepts(struct cdm_view text)
{
    (void)text;
    return false;
}

static void jansson_agrees_on_the_tables(void **state)
{
    (void)state;
    skip();
}
#endif

static const char sample[] =
    "{\"a\": [1, -2.5e+3, \"x\\u00e9\\n\", true, null], \"b\":{\"\":{}},\n\"c\":\"\xe2\x82\xac\"}";

/* Each byte of the sample replaced by each of many others. */
static void each_changed_byte_is_judged_alike_by_parser_scanner_and_jansson(void **state)
{
    static const char bytes[] = "\"\\{}[]:,.-+eE01un tfl\n\t\x01/\x80\xc3\xe2\xed\xf4\xff";
    char text[sizeof sample];

    for (size_t i = 0; i + 1 < sizeof sample; i++) {
        memcpy(text, sample, sizeof sample);
        for (const char *byte = bytes; *byte; byte++) {
            struct cdm_json root;
            text[i] = *byte;
            struct cdm_view view = {text, sizeof text - 1};
            scanner_agrees_with_the_parser(*state, view.data, view.length);
#ifdef CDM_HAVE_JANSSON
            if (jansson_accepts(view) != !cdm_json_parse(*state, view, 1, &root, NULL))
                fail_msg("Jansson differs on %s", text);
#else
            (void)root;
            (void)jansson_accepts;
#endif
        }
    }
}

static void each_cut_of_a_document_is_refused(void **state)
{
    for (size_t length = 0; length + 1 < sizeof sample; length++) {
        char *cut = cdm_alloc(length + 1, 1); /* on the heap: an overrun is seen */
        memcpy(cut, sample, length);
        scanner_agrees_with_the_parser(*state, cut, length);
        struct cdm_json root;
        assert_int_equal(cdm_json_parse(*state, (struct cdm_view){cut, length}, 1, &root, NULL),
                         CDM_BAD_INPUT);
        free(cut);
    }
}

static void nesting_is_limited(void **state)
{
    char text[2 * (CDM_JSON_MAX_DEPTH + 1)];
    struct cdm_json root;
    struct cdm_error err = {0};

    memset(text, '[', CDM_JSON_MAX_DEPTH);
    memset(text + CDM_JSON_MAX_DEPTH, ']', CDM_JSON_MAX_DEPTH);
    assert_int_equal(
        cdm_json_parse(*state, (struct cdm_view){text, 2 * CDM_JSON_MAX_DEPTH}, 1, &root, &err),
        CDM_OK);
    memset(text, '[', CDM_JSON_MAX_DEPTH + 1);
    memset(text + CDM_JSON_MAX_DEPTH + 1, ']', CDM_JSON_MAX_DEPTH + 1);
    assert_int_equal(cdm_json_parse(*state, (struct cdm_view){text, sizeof text}, 1, &root, &err),
                     CDM_BAD_INPUT);
    assert_string_equal(err.message, "JSON: arrays and objects are nested too deeply");
    assert_int_equal(err.column, CDM_JSON_MAX_DEPTH + 1);
}

static void text_over_the_limit_is_refused_and_text_at_the_limit_is_read(void **state)
{
    (void)state;
    struct cdm_json_parser *parser = cdm_json_parser_new(10);
    struct cdm_json root;
    struct cdm_error err = {0};

    assert_int_equal(cdm_json_parse(parser, TEXT("[1,2,3,45]"), 1, &root, &err), CDM_OK);
    assert_int_equal(cdm_json_parse(parser, TEXT("[1,2,3,456]"), 7, &root, &err), CDM_NO_MEMORY);
    assert_string_equal(err.message, "JSON: 11 bytes of text are more than the 10 that are read");
    assert_int_equal(err.line, 7);
    cdm_json_parser_free(parser);
}

static void parser_is_reused_for_longer_and_shorter_texts(void **state)
{
    static const size_t sizes[] = {1, 10000, 3, 100000, 9, 100001};

    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        struct cdm_str text = {0};
        struct cdm_view string;
        cdm_str_putc(&text, '"');
        for (size_t n = 0; n < sizes[i]; n++)
            cdm_str_putc(&text, 'x');
        cdm_str_putc(&text, '"');
        assert_true(cdm_json_is_string(parse(*state, text.data), &string));
        assert_int_equal(string.length, sizes[i]);
        cdm_str_release(&text);
    }
}

static void values_have_their_kinds(void **state)
{
    static const enum cdm_json_kind kinds[] = {CDM_JSON_NULL,  CDM_JSON_BOOL,   CDM_JSON_INT,
                                               CDM_JSON_UINT,  CDM_JSON_DOUBLE, CDM_JSON_STRING,
                                               CDM_JSON_ARRAY, CDM_JSON_OBJECT};
    struct cdm_json root =
        parse(*state, "[null, false, -5, 9223372036854775808, 5.0, \"\", [1], {\"a\":1}]");
    struct cdm_json_iter iter = cdm_json_elements(root);
    struct cdm_json value;

    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        assert_true(cdm_json_next(&iter, &value));
        assert_int_equal(cdm_json_kind(value), kinds[i]);
    }
    assert_false(cdm_json_next(&iter, &value));
}

static void scalars_are_read_exactly(void **state)
{
    struct cdm_json root = parse(*state, "{\"i\":-9223372036854775808,\"d\":0.1,\"whole\":3,"
                                         "\"b\":true,\"s\":\"a\\u0000\\ud83d\\ude00\"}");
    int64_t integer;
    double number;
    bool truth;
    struct cdm_view string;

    assert_int_equal(cdm_json_field_int(*state, root, "i", &integer, NULL), CDM_OK);
    assert_true(integer == INT64_MIN);
    assert_int_equal(cdm_json_field_double(*state, root, "d", &number, NULL), CDM_OK);
    assert_true(number == 0.1);
    assert_int_equal(cdm_json_field_double(*state, root, "whole", &number, NULL), CDM_OK);
    assert_true(number == 3);
    assert_int_equal(cdm_json_field_bool(*state, root, "b", &truth, NULL), CDM_OK);
    assert_true(truth);
    assert_int_equal(cdm_json_field_string(*state, root, "s", &string, NULL), CDM_OK);
    assert_int_equal(string.length, 6);
    assert_memory_equal(string.data, "a\0\xf0\x9f\x98\x80", 6);
}

static void first_of_equal_names_is_found_and_all_are_walked(void **state)
{
    struct cdm_json root = parse(*state, "{\"a\":1,\"b\":2,\"a\":3}");
    struct cdm_json_iter iter = cdm_json_members(root);
    struct cdm_json value;
    struct cdm_view name;
    int64_t integer;
    char seen[16] = "";

    assert_int_equal(cdm_json_field_int(*state, root, "a", &integer, NULL), CDM_OK);
    assert_int_equal(integer, 1);
    while (cdm_json_next_member(&iter, &name, &value)) {
        assert_true(cdm_json_is_int(value, &integer));
        strncat(seen, name.data, 1);
        seen[strlen(seen)] = (char)('0' + integer);
    }
    assert_string_equal(seen, "a1b2a3");
}

static void wrong_kinds_and_missing_members_are_named_with_their_place(void **state)
{
    struct cdm_json root =
        parse(*state, "{\"s\": \"x\",\n \"n\":\n  12, \"big\": 9223372036854775808, \"f\": 1.5}");
    struct cdm_json value;
    struct cdm_view string;
    int64_t integer;
    struct cdm_error err = {0};

    assert_int_equal(cdm_json_field_string(*state, root, "n", &string, &err), CDM_BAD_INPUT);
    assert_string_equal(err.message, "\"n\": expected a string, found an integer");
    assert_int_equal(err.line, 3);
    assert_int_equal(err.column, 3);
    assert_int_equal(cdm_json_field_int(*state, root, "f", &integer, &err), CDM_BAD_INPUT);
    assert_string_equal(err.message, "\"f\": expected an integer, found a number");
    assert_int_equal(cdm_json_field_int(*state, root, "big", &integer, &err), CDM_BAD_INPUT);
    assert_string_equal(err.message,
                        "\"big\": expected an integer, found one that does not fit in int64");
    assert_int_equal(cdm_json_field_array(*state, root, "s", &value, &err), CDM_BAD_INPUT);
    assert_string_equal(err.message, "\"s\": expected an array, found a string");
    assert_int_equal(err.line, 1);
    assert_int_equal(err.column, 7);
    assert_int_equal(cdm_json_field_object(*state, root, "t", &value, &err), CDM_BAD_INPUT);
    assert_string_equal(err.message, "there is no \"t\"");
    assert_int_equal(err.column, 1);
    assert_true(cdm_json_find(root, "s", &value));
    assert_int_equal(cdm_json_field(*state, value, "t", &value, &err), CDM_BAD_INPUT);
    assert_string_equal(err.message, "expected an object, found a string");
}

static void errors_count_lines_from_the_first_line_of_the_text(void **state)
{
    struct cdm_json root;
    struct cdm_error err = {0};

    assert_int_equal(cdm_json_parse(*state, TEXT("[1,\n2,\n!]"), 100, &root, &err), CDM_BAD_INPUT);
    assert_int_equal(err.line, 102);
    assert_int_equal(err.column, 1);
}

static void text_of_a_value_is_what_was_written(void **state)
{
    struct cdm_json root =
        parse(*state, " {\"a\" : [ 1.50, {\"b\":\"\\u0041\"} ], \"a\" : \"]\" , \"c\":-1e2}");
    struct cdm_json_iter iter = cdm_json_members(root);
    struct cdm_json value;
    struct cdm_view name;
    static const char *const texts[] = {"[ 1.50, {\"b\":\"\\u0041\"} ]", "\"]\"", "-1e2"};

    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        assert_true(cdm_json_next_member(&iter, &name, &value));
        struct cdm_view text = cdm_json_text(*state, value);
        assert_int_equal(text.length, strlen(texts[i]));
        assert_memory_equal(text.data, texts[i], text.length);
    }
    struct cdm_view whole = cdm_json_text(*state, root);
    assert_int_equal(whole.data[0], '{');
    assert_int_equal(whole.data[whole.length - 1], '}');
}

static void place_of_a_value_skips_a_byte_order_mark(void **state)
{
    struct cdm_json root = parse(*state, "\xef\xbb\xbf[1,\n 2]");
    struct cdm_json_iter iter = cdm_json_elements(root);
    struct cdm_json value;
    int64_t line;
    int64_t column;

    assert_true(cdm_json_next(&iter, &value));
    cdm_json_place(*state, value, &line, &column);
    assert_int_equal(line, 1);
    assert_int_equal(column, 5);
    assert_true(cdm_json_next(&iter, &value));
    cdm_json_place(*state, value, &line, &column);
    assert_int_equal(line, 2);
    assert_int_equal(column, 2);
}

static void counts_and_walks_of_other_kinds_are_empty(void **state)
{
    struct cdm_json root = parse(*state, "[[], {}, 5, \"ab\", [1,[2,3]], {\"a\":1,\"b\":{}}]");
    static const size_t counts[] = {0, 0, 0, 0, 2, 2};
    struct cdm_json_iter iter = cdm_json_elements(root);
    struct cdm_json value;

    assert_int_equal(cdm_json_count(root), 6);
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
        struct cdm_json child;
        struct cdm_view name;
        size_t n = 0;
        assert_true(cdm_json_next(&iter, &value));
        assert_int_equal(cdm_json_count(value), counts[i]);
        struct cdm_json_iter elements = cdm_json_elements(value);
        while (cdm_json_next(&elements, &child))
            n++;
        struct cdm_json_iter members = cdm_json_members(value);
        while (cdm_json_next_member(&members, &name, &child))
            n++;
        assert_int_equal(n, counts[i]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(good_documents_are_accepted, set_up, tear_down),
        cmocka_unit_test_setup_teardown(bad_documents_are_refused_with_place_and_reason, set_up,
                                        tear_down),
        cmocka_unit_test(jansson_agrees_on_the_tables),
        cmocka_unit_test_setup_teardown(
            each_changed_byte_is_judged_alike_by_parser_scanner_and_jansson, set_up, tear_down),
        cmocka_unit_test_setup_teardown(each_cut_of_a_document_is_refused, set_up, tear_down),
        cmocka_unit_test_setup_teardown(nesting_is_limited, set_up, tear_down),
        cmocka_unit_test(text_over_the_limit_is_refused_and_text_at_the_limit_is_read),
        cmocka_unit_test_setup_teardown(parser_is_reused_for_longer_and_shorter_texts, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(values_have_their_kinds, set_up, tear_down),
        cmocka_unit_test_setup_teardown(scalars_are_read_exactly, set_up, tear_down),
        cmocka_unit_test_setup_teardown(first_of_equal_names_is_found_and_all_are_walked, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(wrong_kinds_and_missing_members_are_named_with_their_place,
                                        set_up, tear_down),
        cmocka_unit_test_setup_teardown(errors_count_lines_from_the_first_line_of_the_text, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(text_of_a_value_is_what_was_written, set_up, tear_down),
        cmocka_unit_test_setup_teardown(place_of_a_value_skips_a_byte_order_mark, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(counts_and_walks_of_other_kinds_are_empty, set_up,
                                        tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
