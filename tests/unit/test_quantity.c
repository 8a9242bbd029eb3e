#include "cdmpp/core/quantity.h"
#include "cdmpp/core/suggest.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
/* cmocka.h needs the headers above. */
#include <cmocka.h>

static void numbers_with_units_are_read_exactly(void **state)
{
    static const struct {
        const char *text;
        const char *unit;
        double value;
    } cases[] = {
        {"0", NULL, 0},
        {"-12.5e3", NULL, -12.5e3},
        {"1530 MHz", "Hz", 1.53e9},
        {"1.53GHz", "Hz", 1.53e9},
        {"0.1 GHz", "Hz", 1e8},
        {"900 GB/s", "B/s", 9e11},
        {"2 GiB/s", "B/s", 2147483648.0},
        {"6 MiB", "B", 6291456},
        {"24.75 MiB", "B", 25952256},
        {"16 kB", "B", 16000},
        {"5 us", "s", 5e-6},
        {"5 \xc2\xb5s", "s", 5e-6},
        {"3 ms", "s", 3e-3},
        {"1e3 MHz", "Hz", 1e9},
        {"15.7 TFLOP/s", "FLOP/s", 15.7e12},
        {"1e-400", NULL, 0},
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        double value = -1;
        if (!cdm_quantity_parse(cases[i].text, cases[i].unit, &value) || value != cases[i].value)
            fail_msg("%s gave %.17g", cases[i].text, value);
    }
    double value = 0;
    assert_true(cdm_quantity_parse("1e999999999999 Hz", "Hz", &value) && isinf(value));
}

static void other_texts_are_no_numbers(void **state)
{
    static const struct {
        const char *text;
        const char *unit;
    } cases[] = {
        {"", NULL},       {"-", NULL},     {".5", NULL},     {"5.", NULL},   {"00", NULL},
        {"1e", NULL},     {"1 2", NULL},   {"inf", NULL},    {"nan", NULL},  {"0x1", NULL},
        {" 1", NULL},     {"1 Hz", NULL},  {"1 Hz", "B"},    {"1 hz", "Hz"}, {"1 MH", "Hz"},
        {"1 KiHz", "Hz"}, {"1 EHz", "Hz"}, {"1 MiB/s", "B"}, {"1 B/s", "B"}, {"1 MMHz", "Hz"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        double value = 0;
        if (cdm_quantity_parse(cases[i].text, cases[i].unit, &value))
            fail_msg("\"%s\" was read as %.17g", cases[i].text, value);
    }
}

static void values_are_written_with_the_usual_prefix(void **state)
{
    static const struct {
        double value;
        const char *unit;
        const char *text;
    } cases[] = {
        {1.53e9, "Hz", "1.53 GHz"},
        {897e9, "B/s", "897 GB/s"},
        {6291456, "B", "6 MiB"},
        {1572864, "B", "1.5 MiB"},
        {4096, "B", "4 KiB"},
        {64, "B", "64 B"},
        {5000, "B", "5 kB"},
        {17179869184.0, "B", "16 GiB"},
        {5e-6, "s", "5 \xc2\xb5s"},
        {0, "s", "0 s"},
        {1.41e13, "FLOP/s", "14.1 TFLOP/s"},
        {80, NULL, "80"},
        {1e-12, "s", "0.001 ns"},
    };
    char text[64];

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        assert_string_equal(cdm_quantity_text(cases[i].value, cases[i].unit, text, sizeof text),
                            cases[i].text);
}

static const char *nearest(const char *word)
{
    static const char *const known[] = {"predict", "train", "eval", "rtx3080", "gtx1650", "v100"};
    struct cdm_suggestion suggestion = {.word = word};

    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        cdm_suggest(&suggestion, known[i]);
    return suggestion.best ? suggestion.best : "none";
}

static void the_nearest_word_is_suggested(void **state)
{
    (void)state;
    assert_string_equal(nearest("pedict"), "predict");
    assert_string_equal(nearest("PREDICT"), "predict");
    assert_string_equal(nearest("rpedict"), "predict");
    assert_string_equal(nearest("predictt"), "predict");
    assert_string_equal(nearest("tarin"), "train");
    assert_string_equal(nearest("rtx3090"), "rtx3080");
    assert_string_equal(nearest("pre"), "predict");
    assert_string_equal(nearest("v10"), "v100");
}

static void nothing_is_suggested_for_a_strange_word(void **state)
{
    char longest[100];

    (void)state;
    assert_string_equal(nearest("xyz"), "none");
    assert_string_equal(nearest("pr"), "none");
    assert_string_equal(nearest(""), "none");
    memset(longest, 'v', sizeof longest - 1);
    longest[sizeof longest - 1] = '\0';
    assert_string_equal(nearest(longest), "none");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(numbers_with_units_are_read_exactly),
        cmocka_unit_test(other_texts_are_no_numbers),
        cmocka_unit_test(values_are_written_with_the_usual_prefix),
        cmocka_unit_test(the_nearest_word_is_suggested),
        cmocka_unit_test(nothing_is_suggested_for_a_strange_word),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
