#include "cdmpp/core/number.h"
#include "cdmpp/core/rng.h"

#include <float.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static bool refuses_int64(const char *text)
{
    int64_t value = 77;
    return !cdm_parse_int64(cdm_view_of(text), &value) && value == 77;
}

static int64_t int64_of(const char *text)
{
    int64_t value = 0;
    assert_true(cdm_parse_int64(cdm_view_of(text), &value));
    return value;
}

static bool refuses_double(const char *text)
{
    double value = 77;
    return !cdm_parse_double(cdm_view_of(text), &value) && value == 77;
}

static double double_of(const char *text)
{
    double value = 77;
    assert_true(cdm_parse_double(cdm_view_of(text), &value));
    return value;
}

/* The same bits; cmocka compares floats with a tolerance. */
static void assert_same(double a, double b)
{
    assert_memory_equal(&a, &b, sizeof a);
}

static void integers_are_read_to_their_limits(void **state)
{
    (void)state;
    assert_int_equal(int64_of("0"), 0);
    assert_int_equal(int64_of("-0"), 0);
    assert_int_equal(int64_of("007"), 7);
    assert_true(int64_of("9223372036854775807") == INT64_MAX);
    assert_true(int64_of("-9223372036854775808") == INT64_MIN);
    assert_true(refuses_int64("9223372036854775808"));
    assert_true(refuses_int64("-9223372036854775809"));
    assert_true(refuses_int64("99999999999999999999999"));
}

static void what_is_no_integer_is_refused(void **state)
{
    (void)state;
    assert_true(refuses_int64(""));
    assert_true(refuses_int64("-"));
    assert_true(refuses_int64("+1"));
    assert_true(refuses_int64(" 1"));
    assert_true(refuses_int64("1 "));
    assert_true(refuses_int64("1.0"));
    assert_true(refuses_int64("0x10"));
    assert_true(refuses_int64("--1"));
}

static void an_integer_is_read_from_a_view_without_an_end(void **state)
{
    (void)state;
    int64_t value = 0;
    const char text[] = {'1', '2', '3'};

    assert_true(cdm_parse_int64((struct cdm_view){text, 2}, &value));
    assert_int_equal(value, 12);
}

static void unsigned_integers_have_their_own_limit(void **state)
{
    (void)state;
    uint64_t value = 5;

    assert_true(cdm_parse_uint64(cdm_view_of("18446744073709551615"), &value));
    assert_true(value == UINT64_MAX);
    value = 5;
    assert_false(cdm_parse_uint64(cdm_view_of("18446744073709551616"), &value));
    assert_false(cdm_parse_uint64(cdm_view_of("-1"), &value));
    assert_true(value == 5);
}

static void doubles_are_read_in_every_form(void **state)
{
    (void)state;
    assert_same(double_of("0"), 0.0);
    assert_same(double_of("-0"), -0.0);
    assert_same(double_of("1.5"), 1.5);
    assert_same(double_of(".5"), 0.5);
    assert_same(double_of("5."), 5.0);
    assert_same(double_of("1e3"), 1000.0);
    assert_same(double_of("1E+3"), 1000.0);
    assert_same(double_of("-2.5e-3"), -0.0025);
    assert_same(double_of("0.1"), 0.1);
    assert_same(double_of("1.7976931348623157e308"), DBL_MAX);
    assert_same(double_of("4.9406564584124654e-324"), 0x1p-1074);
    assert_same(double_of("1e-400"), 0.0);
    assert_same(double_of("9007199254740993"), 9007199254740992.0);
    assert_same(
        double_of("0.000000000000000000000000000000000000000000000000000000000000000000000000000"
                  "000000000000000000000000000000000000000000000000000000000000001e137"),
        0.1);
}

static void what_is_no_finite_decimal_is_refused(void **state)
{
    (void)state;
    static const char *const wrong[] = {
        "",    "-",        ".",   "e5",  "1e",    "1e+",   "+1",
        "1,5", "0x1p3",    "inf", "nan", "NaN",   "1e309", " 1",
        "1 ",  "Infinity", "1f",  "--1", "1.2.3", "1e5.0", "1e99999999999999999999"};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        if (!refuses_double(wrong[i]))
            fail_msg("\"%s\" was read", wrong[i]);
}

static void doubles_agree_with_strtod(void **state)
{
    (void)state;
    struct cdm_rng rng;

    cdm_rng_seed(&rng, 1, 0);
    for (int i = 0; i < 100000; i++) {
        char text[64];
        uint64_t bits = cdm_rng_next(&rng);
        snprintf(text, sizeof text, "%llu.%llue%d", (unsigned long long)(bits % 1000000),
                 (unsigned long long)(bits >> 40), (int)(bits >> 20) % 40);
        assert_same(double_of(text), strtod(text, NULL));
    }
}

static void assert_prints(double value, const char *expected)
{
    char text[CDM_NUMBER_SIZE];

    assert_int_equal(cdm_format_double(text, value), strlen(expected));
    assert_string_equal(text, expected);
}

static void doubles_are_printed_in_the_shortest_way(void **state)
{
    (void)state;
    assert_prints(0, "0");
    assert_prints(-0.0, "-0");
    assert_prints(0.1, "0.1");
    assert_prints(1.0 / 3, "0.3333333333333333");
    assert_prints(100000, "100000");
    assert_prints(-123456789012345, "-123456789012345");
    assert_prints(1e22, "1e+22");
    assert_prints(2.5e-7, "2.5e-07");
    assert_prints(5e-324, "5e-324");
    assert_prints(-DBL_MAX, "-1.7976931348623157e+308");
    assert_prints(0.30000000000000004, "0.30000000000000004");
}

static void printed_doubles_read_back_the_same(void **state)
{
    (void)state;
    struct cdm_rng rng;

    cdm_rng_seed(&rng, 2, 0);
    for (int i = 0; i < 100000; i++) {
        char text[CDM_NUMBER_SIZE];
        uint64_t bits = cdm_rng_next(&rng);
        double value;
        memcpy(&value, &bits, sizeof value);
        if (!isfinite(value))
            continue;
        size_t length = cdm_format_double(text, value);
        assert_true(length == strlen(text) && length < CDM_NUMBER_SIZE);
        assert_same(double_of(text), value);
    }
}

static void floats_are_printed_as_floats(void **state)
{
    (void)state;
    char text[CDM_NUMBER_SIZE];

    cdm_format_float(text, 0.1F);
    assert_string_equal(text, "0.1");
    cdm_format_float(text, 16777216.0F);
    assert_string_equal(text, "16777216");
    cdm_format_float(text, -FLT_MAX);
    assert_string_equal(text, "-3.4028235e+38");
}

static void strings_take_numbers(void **state)
{
    (void)state;
    struct cdm_str str = {0};

    cdm_str_add_int64(&str, INT64_MIN);
    cdm_str_putc(&str, ' ');
    cdm_str_add_double(&str, 1.25e-6);
    cdm_str_putc(&str, ' ');
    cdm_str_add_float(&str, 0.2F);
    assert_string_equal(str.data, "-9223372036854775808 1.25e-06 0.2");
    cdm_str_release(&str);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(integers_are_read_to_their_limits),
        cmocka_unit_test(what_is_no_integer_is_refused),
        cmocka_unit_test(an_integer_is_read_from_a_view_without_an_end),
        cmocka_unit_test(unsigned_integers_have_their_own_limit),
        cmocka_unit_test(doubles_are_read_in_every_form),
        cmocka_unit_test(what_is_no_finite_decimal_is_refused),
        cmocka_unit_test(doubles_agree_with_strtod),
        cmocka_unit_test(doubles_are_printed_in_the_shortest_way),
        cmocka_unit_test(printed_doubles_read_back_the_same),
        cmocka_unit_test(floats_are_printed_as_floats),
        cmocka_unit_test(strings_take_numbers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
