#include "cdmpp/core/json.h"
#include "cdmpp/core/json_write.h"

#include <float.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
/* cmocka.h needs the headers above. */
#include <cmocka.h>

static void expect(struct cdm_str *out, const char *wanted)
{
    assert_string_equal(out->data, wanted);
    cdm_str_release(out);
}

static void nested_containers_get_their_commas(void **state)
{
    struct cdm_str out = {0};

    (void)state;
    cdm_json_begin(&out, '{');
    cdm_json_name(&out, "a");
    cdm_json_begin(&out, '[');
    cdm_json_put_int(&out, INT64_MIN);
    cdm_json_put_bool(&out, true);
    cdm_json_put_null(&out);
    cdm_json_begin(&out, '[');
    cdm_json_end(&out, ']');
    cdm_json_begin(&out, '{');
    cdm_json_end(&out, '}');
    cdm_json_end(&out, ']');
    cdm_json_name(&out, "b");
    cdm_json_put_text(&out, "ends with {");
    cdm_json_name(&out, "c");
    cdm_json_put_raw(&out, cdm_view_of("[1]"));
    cdm_json_end(&out, '}');
    cdm_str_putc(&out, '\n');
    cdm_json_begin(&out, '[');
    cdm_json_end(&out, ']');
    expect(&out,
           "{\"a\":[-9223372036854775808,true,null,[],{}],\"b\":\"ends with {\",\"c\":[1]}\n[]");
}

static void special_characters_are_escaped_and_others_are_not(void **state)
{
    static const char text[] = "\"\\/\b\f\n\r\t\x01\x1f\x7f\0é€😀";
    struct cdm_str out = {0};

    (void)state;
    cdm_json_put_string(&out, (struct cdm_view){text, sizeof text - 1});
    expect(&out, "\"\\\"\\\\/\\b\\f\\n\\r\\t\\u0001\\u001f\\u007f\\u0000é€😀\"");
}

static void each_byte_of_invalid_utf8_is_replaced(void **state)
{
    struct cdm_str out = {0};

    (void)state;
    cdm_json_put_text(&out, "a\xff"
                            "b\xe2\x82z\xed\xa0\x80\xc3");
    expect(&out, "\"a\uFFFDb\uFFFD\uFFFDz\uFFFD\uFFFD\uFFFD\uFFFD\"");
}

static void numbers_are_the_shortest_that_read_back(void **state)
{
    struct cdm_str out = {0};

    (void)state;
    cdm_json_begin(&out, '[');
    cdm_json_put_double(&out, 0.1);
    cdm_json_put_double(&out, 1e-6);
    cdm_json_put_double(&out, 42);
    cdm_json_put_double(&out, 1.0 / 3);
    cdm_json_put_double(&out, DBL_MAX);
    cdm_json_put_double(&out, -0.0);
    cdm_json_put_double(&out, 18446744073709551616.0);
    cdm_json_put_double(&out, 1e15);
    cdm_json_put_float(&out, 0.1F);
    cdm_json_put_float(&out, FLT_MAX);
    cdm_json_end(&out, ']');
    expect(&out, "[0.1,1e-06,42,0.3333333333333333,1.7976931348623157e+308,-0.0,"
                 "18446744073709551616.0,1e+15,0.1,3.4028235e+38]");
}

static void numbers_that_json_has_not_become_null(void **state)
{
    struct cdm_str out = {0};

    (void)state;
    cdm_json_begin(&out, '[');
    cdm_json_put_double(&out, NAN);
    cdm_json_put_double(&out, INFINITY);
    cdm_json_put_float(&out, NAN);
    cdm_json_put_float(&out, -INFINITY);
    cdm_json_end(&out, ']');
    expect(&out, "[null,null,null,null]");
}

/* Every byte, and every pair of a lead byte with another, must come out as JSON that the parser
 * takes. */
static void whatever_is_written_can_be_read(void **state)
{
    struct cdm_json_parser *parser = cdm_json_parser_new(1 << 16);
    struct cdm_str out = {0};
    struct cdm_json root;
    struct cdm_view string;
    char text[3] = "";

    (void)state;
    for (int first = 0; first < 256; first++) {
        for (int second = 0; second < 256; second++) {
            text[0] = (char)first;
            text[1] = (char)second;
            cdm_str_reset(&out);
            cdm_json_put_string(&out, (struct cdm_view){text, 2});
            struct cdm_view json = {out.data, out.length};
            assert_int_equal(cdm_json_parse(parser, json, 1, &root, NULL), CDM_OK);
            assert_true(cdm_json_is_string(root, &string));
            if (first < 0x80 && second < 0x80) {
                assert_int_equal(string.length, 2);
                assert_memory_equal(string.data, text, 2);
            }
        }
    }
    cdm_str_release(&out);
    cdm_json_parser_free(parser);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nested_containers_get_their_commas),
        cmocka_unit_test(special_characters_are_escaped_and_others_are_not),
        cmocka_unit_test(each_byte_of_invalid_utf8_is_replaced),
        cmocka_unit_test(numbers_are_the_shortest_that_read_back),
        cmocka_unit_test(numbers_that_json_has_not_become_null),
        cmocka_unit_test(whatever_is_written_can_be_read),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
