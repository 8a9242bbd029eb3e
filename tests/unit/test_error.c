#include "cdmpp/core/error.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static void fail_fills_the_error_and_returns_the_status(void **state)
{
    (void)state;
    struct cdm_error err = {.line = 7, .column = 8};

    assert_int_equal(cdm_fail(&err, CDM_IO, "cannot read %s", "x"), CDM_IO);
    assert_int_equal(err.status, CDM_IO);
    assert_string_equal(err.message, "cannot read x");
    assert_int_equal(err.line, 0);
    assert_int_equal(err.column, 0);
}

static void fail_without_an_error_only_returns_the_status(void **state)
{
    (void)state;
    assert_int_equal(cdm_fail(NULL, CDM_BUG, "nobody reads this"), CDM_BUG);
    assert_int_equal(cdm_fail_in(NULL, "nor this"), CDM_BUG);
}

static void control_characters_are_replaced(void **state)
{
    (void)state;
    struct cdm_error err = {0};

    (void)cdm_fail(&err, CDM_BAD_INPUT, "%s", "a\033[2Jb\n\x7f\xc3\xa4");
    assert_string_equal(err.message, "a?[2Jb??\xc3\xa4");
    (void)cdm_fail_in(&err, "x\ty");
    assert_string_equal(err.message, "x?y: a?[2Jb??\xc3\xa4");
}

static void a_long_message_is_cut(void **state)
{
    (void)state;
    struct cdm_error err = {0};
    char text[2000];

    memset(text, 'm', sizeof text - 1);
    text[sizeof text - 1] = '\0';
    (void)cdm_fail(&err, CDM_BAD_INPUT, "%s", text);
    assert_int_equal(strlen(err.message), sizeof err.message - 1);
}

static void context_goes_before_the_message(void **state)
{
    (void)state;
    struct cdm_error err = {0};

    (void)cdm_fail_at(&err, CDM_BAD_INPUT, 3, 4, "not a number");
    assert_int_equal(cdm_fail_in(&err, "device %s", "t4"), CDM_BAD_INPUT);
    assert_string_equal(err.message, "device t4: not a number");
    assert_int_equal(err.line, 3);
    assert_int_equal(err.column, 4);
}

static void context_and_message_that_are_too_long_stay_inside(void **state)
{
    (void)state;
    struct cdm_error err = {0};
    char text[2000];

    memset(text, 'c', sizeof text - 1);
    text[sizeof text - 1] = '\0';
    (void)cdm_fail(&err, CDM_BAD_INPUT, "%s", text);
    (void)cdm_fail_in(&err, "%s", text);
    assert_true(strlen(err.message) < sizeof err.message);
    assert_int_equal(err.message[0], 'c');

    (void)cdm_fail(&err, CDM_BAD_INPUT, "%s", text);
    (void)cdm_fail_in(&err, "x");
    assert_int_equal(strlen(err.message), sizeof err.message - 1);
    assert_memory_equal(err.message, "x: ccc", 6);
}

static void error_text_leaves_out_what_is_unknown(void **state)
{
    (void)state;
    struct cdm_error err = {0};
    char text[64];

    (void)cdm_fail_at(&err, CDM_BAD_INPUT, 12, 7, "wrong");
    assert_string_equal(cdm_error_text(&err, "a.py", text, 64), "a.py:12:7: wrong");
    assert_string_equal(cdm_error_text(&err, NULL, text, 64), "12:7: wrong");
    err.column = 0;
    assert_string_equal(cdm_error_text(&err, "a.py", text, 64), "a.py:12: wrong");
    err.line = 0;
    assert_string_equal(cdm_error_text(&err, "a.py", text, 64), "a.py: wrong");
    assert_string_equal(cdm_error_text(&err, NULL, text, 64), "wrong");
    assert_string_equal(cdm_error_text(&err, "a.py", text, 8), "a.py: w");
}

static void exit_statuses_are_those_of_the_contract(void **state)
{
    (void)state;
    assert_int_equal(cdm_exit_status(CDM_OK), 0);
    assert_int_equal(cdm_exit_status(CDM_BAD_INPUT), 1);
    assert_int_equal(cdm_exit_status(CDM_NO_MEMORY), 1);
    assert_int_equal(cdm_exit_status(CDM_USAGE), 2);
    assert_int_equal(cdm_exit_status(CDM_UNAVAILABLE), 3);
    assert_int_equal(cdm_exit_status(CDM_IO), 4);
    assert_int_equal(cdm_exit_status(CDM_BUG), 70);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(fail_fills_the_error_and_returns_the_status),
        cmocka_unit_test(fail_without_an_error_only_returns_the_status),
        cmocka_unit_test(control_characters_are_replaced),
        cmocka_unit_test(a_long_message_is_cut),
        cmocka_unit_test(context_goes_before_the_message),
        cmocka_unit_test(context_and_message_that_are_too_long_stay_inside),
        cmocka_unit_test(error_text_leaves_out_what_is_unknown),
        cmocka_unit_test(exit_statuses_are_those_of_the_contract),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
