#include "cdmpp/core/dl.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

static double (*p_cos)(double);
static double (*p_none)(double);

static void a_library_is_opened_and_its_functions_found(void **state)
{
    (void)state;
    static const char *const names[] = {"libcdm-nonsuch.so.1", "libm.so.6", NULL};
    const struct cdm_dl_symbol symbols[] = {
        {"cos", &p_cos, false}, {"cdm_nonsuch", &p_none, true}, {NULL, NULL, false}};
    struct cdm_error err = {0};
    void *handle;

    assert_int_equal(cdm_dl_open(names, symbols, &handle, &err), CDM_OK);
    assert_non_null(handle);
    assert_true(p_cos(0) == 1);
    assert_true(p_none == NULL);
    cdm_dl_close(handle, symbols);
    assert_true(p_cos == NULL);
}

static void a_missing_function_empties_all_slots_and_is_named(void **state)
{
    (void)state;
    static const char *const names[] = {"libm.so.6", NULL};
    const struct cdm_dl_symbol symbols[] = {
        {"cos", &p_cos, false}, {"cdm_nonsuch", &p_none, false}, {NULL, NULL, false}};
    struct cdm_error err = {0};
    void *handle;

    assert_int_equal(cdm_dl_open(names, symbols, &handle, &err), CDM_UNAVAILABLE);
    assert_null(handle);
    assert_true(p_cos == NULL);
    assert_string_equal(err.message, "library libm.so.6 has no function cdm_nonsuch");
}

static void a_missing_library_is_named(void **state)
{
    (void)state;
    static const char *const names[] = {"libcdm-nonsuch.so.2", "libcdm-nonsuch.so.1", NULL};
    const struct cdm_dl_symbol symbols[] = {{NULL, NULL, false}};
    struct cdm_error err = {0};

    assert_int_equal(cdm_dl_open(names, symbols, NULL, &err), CDM_UNAVAILABLE);
    assert_non_null(strstr(err.message, "libcdm-nonsuch.so.1: cannot open shared object file"));
}

static void the_reason_is_that_of_the_file_which_is_there(void **state)
{
    (void)state;
    static const char *const names[] = {"/proc/self/status", "libcdm-nonsuch.so.1", NULL};
    const struct cdm_dl_symbol symbols[] = {{NULL, NULL, false}};
    struct cdm_error err = {0};

    assert_int_equal(cdm_dl_open(names, symbols, NULL, &err), CDM_UNAVAILABLE);
    assert_non_null(strstr(err.message, "/proc/self/status"));
}

static void closing_nothing_is_fine(void **state)
{
    (void)state;
    cdm_dl_close(NULL, NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_library_is_opened_and_its_functions_found),
        cmocka_unit_test(a_missing_function_empties_all_slots_and_is_named),
        cmocka_unit_test(a_missing_library_is_named),
        cmocka_unit_test(the_reason_is_that_of_the_file_which_is_there),
        cmocka_unit_test(closing_nothing_is_fine),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
