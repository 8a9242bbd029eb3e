#include "data/label.h"
#include "tests/unit/near.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
/* cmocka.h needs the headers above. */
#include <cmocka.h>

/* Double arithmetic with a few operations. */
static const double rounding = 1e-12;

static void log_label_has_mean_and_spread_of_the_logarithms(void **state)
{
    (void)state;
    struct cdm_error err;
    struct cdm_label label;
    const double seconds[] = {exp(-10), exp(-12), exp(-14), exp(-16)};
    assert_int_equal(cdm_label_fit(&label, CDM_LABEL_LOG, seconds, 4, &err), CDM_OK);
    assert_near(label.lambda, 0, 0);
    assert_near(label.mean, -13, rounding);
    assert_near(label.scale, sqrt(5), rounding); /* (9 + 1 + 1 + 9) / 4 */
    assert_near(cdm_label_of(&label, exp(-13)), 0, rounding);
    assert_near(cdm_label_of(&label, exp(-13 + 2 * sqrt(5))), 2, rounding);
}

static void log_label_comes_back(void **state)
{
    (void)state;
    const struct cdm_label label = {CDM_LABEL_LOG, 0, -9.5, 2.25};
    assert_near(cdm_label_seconds(&label, cdm_label_of(&label, 3.7e-5)), 3.7e-5, 1e-17);
}

static void box_cox_label_comes_back(void **state)
{
    (void)state;
    const struct cdm_label label = {CDM_LABEL_BOX_COX, -0.125, -20, 4};
    assert_near(cdm_label_seconds(&label, cdm_label_of(&label, 3.7e-5)), 3.7e-5, 1e-17);
}

static void box_cox_of_lambda_one_half_by_hand(void **state)
{
    (void)state;
    /* (sqrt(y) - 1) / 0.5 of 0.25 is -1; less mean 3, by scale 2: -2. */
    const struct cdm_label label = {CDM_LABEL_BOX_COX, 0.5, 3, 2};
    assert_near(cdm_label_of(&label, 0.25), -2, rounding);
    assert_near(cdm_label_seconds(&label, -2), 0.25, rounding);
}

static void box_cox_finds_lambda_zero_for_log_symmetric_latencies(void **state)
{
    (void)state;
    struct cdm_error err;
    struct cdm_label label;
    double seconds[101];
    for (int i = 0; i <= 100; i++)
        seconds[i] = exp(0.05 * (i - 50));
    assert_int_equal(cdm_label_fit(&label, CDM_LABEL_BOX_COX, seconds, 101, &err), CDM_OK);
    /* The search ends within 1e-6. */
    assert_near(label.lambda, 0, 2e-6);
    assert_near(label.mean, 0, 2e-6);
}

static void box_cox_lambda_is_the_most_likely_one(void **state)
{
    (void)state;
    struct cdm_error err;
    struct cdm_label label;
    const double seconds[] = {1e-6, 2e-6, 2.5e-6, 4e-6, 1e-5, 1.2e-5, 3e-5, 5e-5, 7e-4, 2e-2};
    double logs[10];
    for (int i = 0; i < 10; i++)
        logs[i] = log(seconds[i]);
    assert_int_equal(cdm_label_fit(&label, CDM_LABEL_BOX_COX, seconds, 10, &err), CDM_OK);
    double best = cdm_box_cox_likelihood(label.lambda, logs, 10);
    assert_true(best > cdm_box_cox_likelihood(label.lambda - 1e-3, logs, 10));
    assert_true(best > cdm_box_cox_likelihood(label.lambda + 1e-3, logs, 10));
    /* Found by trying all multiples of 1e-5 from -1 to 1, in Python. */
    assert_near(label.lambda, -0.21665, 1e-5);
}

static void likelihood_of_lambda_one_is_that_of_the_plain_values(void **state)
{
    (void)state;
    /* y = 1, e: y - 1 has variance (e - 1)^2 / 4. */
    const double logs[] = {0, 1};
    double variance = (exp(1) - 1) * (exp(1) - 1) / 4;
    assert_near(cdm_box_cox_likelihood(1, logs, 2), -log(variance), rounding);
}

static void label_beyond_the_reach_of_box_cox_has_no_latency(void **state)
{
    (void)state;
    /* b(y) < -1 / lambda = 10 for lambda = -0.1. */
    const struct cdm_label label = {CDM_LABEL_BOX_COX, -0.1, 0, 1};
    assert_true(cdm_label_seconds(&label, 9.9) > 0);
    assert_true(isnan(cdm_label_seconds(&label, 10)));
    assert_true(isnan(cdm_label_seconds(&label, 11)));
}

static void label_too_large_for_a_double_has_no_latency(void **state)
{
    (void)state;
    const struct cdm_label label = {CDM_LABEL_LOG, 0, 0, 1};
    assert_true(isnan(cdm_label_seconds(&label, 1000)));
    assert_true(isnan(cdm_label_seconds(&label, -1000)));
    assert_true(isnan(cdm_label_seconds(&label, NAN)));
}

static void latency_of_zero_is_refused_with_its_index(void **state)
{
    (void)state;
    struct cdm_error err;
    struct cdm_label label;
    const double seconds[] = {1e-3, 0, 2e-3};
    assert_int_equal(cdm_label_fit(&label, CDM_LABEL_LOG, seconds, 3, &err), CDM_BAD_INPUT);
    assert_string_equal(err.message, "latency 1 is not a positive finite number: 0");
}

static void equal_latencies_are_refused(void **state)
{
    (void)state;
    struct cdm_error err;
    struct cdm_label label;
    const double seconds[] = {1e-3, 1e-3, 1e-3, 1e-3, 1e-3};
    assert_int_equal(cdm_label_fit(&label, CDM_LABEL_LOG, seconds, 5, &err), CDM_BAD_INPUT);
    assert_int_equal(cdm_label_fit(&label, CDM_LABEL_BOX_COX, seconds, 5, &err), CDM_BAD_INPUT);
    assert_int_equal(cdm_label_fit(&label, CDM_LABEL_LOG, seconds, 1, &err), CDM_BAD_INPUT);
}

static void kinds_have_names(void **state)
{
    (void)state;
    struct cdm_error err;
    enum cdm_label_kind kind = CDM_LABEL_LOG;
    assert_int_equal(cdm_label_kind_of("box-cox", &kind, &err), CDM_OK);
    assert_int_equal(kind, CDM_LABEL_BOX_COX);
    assert_string_equal(cdm_label_name(CDM_LABEL_LOG), "log");
    assert_int_equal(cdm_label_kind_of("boxcox", &kind, &err), CDM_BAD_INPUT);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(log_label_has_mean_and_spread_of_the_logarithms),
        cmocka_unit_test(log_label_comes_back),
        cmocka_unit_test(box_cox_label_comes_back),
        cmocka_unit_test(box_cox_of_lambda_one_half_by_hand),
        cmocka_unit_test(box_cox_finds_lambda_zero_for_log_symmetric_latencies),
        cmocka_unit_test(box_cox_lambda_is_the_most_likely_one),
        cmocka_unit_test(likelihood_of_lambda_one_is_that_of_the_plain_values),
        cmocka_unit_test(label_beyond_the_reach_of_box_cox_has_no_latency),
        cmocka_unit_test(label_too_large_for_a_double_has_no_latency),
        cmocka_unit_test(latency_of_zero_is_refused_with_its_index),
        cmocka_unit_test(equal_latencies_are_refused),
        cmocka_unit_test(kinds_have_names),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
