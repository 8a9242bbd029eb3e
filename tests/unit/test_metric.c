#include "models/metric.h"
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

static void relative_errors_by_hand(void **state)
{
    (void)state;
    struct cdm_error err;
    struct cdm_metric metric;
    const double truth[] = {1, 2, 4, 8, 10};
    const double predicted[] = {1.0625, 1.5, 6, 8, 30};
    /* Errors: 0.0625, 0.25, 0.5, 0, 2. */
    assert_int_equal(cdm_metric_compute(predicted, truth, NULL, 5, &metric, &err), CDM_OK);
    assert_int_equal(metric.n, 5);
    assert_near(metric.mape, 0.5625, rounding);
    assert_near(metric.median, 0.25, rounding);
    /* Place 0.9 * 4 = 3.6 between 0.5 and 2. */
    assert_near(metric.p90, 0.5 + 0.6 * 1.5, rounding);
    assert_near(metric.within10, 0.4, rounding);
    assert_near(metric.within20, 0.4, rounding);
    assert_true(isnan(metric.spearman));
}

static void logarithmic_errors_by_hand(void **state)
{
    (void)state;
    struct cdm_error err;
    struct cdm_metric metric;
    const double truth[] = {1e-6, 1e-6, 1e-6};
    const double predicted[] = {exp(1) * 1e-6, exp(-2) * 1e-6, 1e-6};
    assert_int_equal(cdm_metric_compute(predicted, truth, NULL, 3, &metric, &err), CDM_OK);
    assert_near(metric.rmse_log, sqrt(5.0 / 3), rounding);
    assert_near(metric.median_log, 1, rounding);
}

static void an_error_of_exactly_a_tenth_is_within_ten_percent(void **state)
{
    (void)state;
    struct cdm_error err;
    struct cdm_metric metric;
    const double truth[] = {10, 10};
    const double predicted[] = {11, 8};
    assert_int_equal(cdm_metric_compute(predicted, truth, NULL, 2, &metric, &err), CDM_OK);
    assert_near(metric.within10, 0.5, 0);
    assert_near(metric.within20, 1, 0);
}

static void median_of_an_even_number_lies_between(void **state)
{
    (void)state;
    double values[] = {4, 1, 3, 2};
    assert_near(cdm_quantile(values, 4, 0.5), 2.5, 0);
    assert_near(cdm_quantile(values, 4, 0), 1, 0);
    assert_near(cdm_quantile(values, 4, 1), 4, 0);
    assert_near(cdm_quantile(values, 1, 0.9), 1, 0);
}

static void spearman_sees_order_only(void **state)
{
    (void)state;
    const double left[] = {1, 2, 3, 4, 5};
    const double same[] = {-7, 0, 1e-3, 1e9, 1e10};
    const double reverse[] = {5, 4, 3, 2, 1};
    assert_near(cdm_spearman(left, same, 5), 1, rounding);
    assert_near(cdm_spearman(left, reverse, 5), -1, rounding);
}

static void spearman_by_hand(void **state)
{
    (void)state;
    /* Rank differences 0, 1, -1, 1, -1: 1 - 6 * 4 / (5 * 24) = 0.8. */
    const double left[] = {1, 2, 3, 4, 5};
    const double right[] = {1, 3, 2, 5, 4};
    assert_near(cdm_spearman(left, right, 5), 0.8, rounding);
}

static void spearman_shares_ranks_among_ties(void **state)
{
    (void)state;
    /* Ranks 0.5 0.5 2 3 against 0 1 2 3: covariance 4.5, variances 4.5 and 5. */
    const double left[] = {1, 1, 2, 3};
    const double right[] = {1, 2, 3, 4};
    assert_near(cdm_spearman(left, right, 4), 4.5 / sqrt(4.5 * 5), rounding);
}

static void spearman_of_equal_values_is_undefined(void **state)
{
    (void)state;
    const double left[] = {1, 1, 1};
    const double right[] = {1, 2, 3};
    assert_true(isnan(cdm_spearman(left, right, 3)));
    assert_true(isnan(cdm_spearman(right, left, 3)));
}

static void spearman_is_the_mean_over_tasks_that_are_large_enough(void **state)
{
    (void)state;
    struct cdm_error err;
    struct cdm_metric metric;
    double truth[32];
    double predicted[32];
    int32_t task[32];
    /* Tasks 7 (ten pairs, in order), 3 (ten, reversed), 5 (nine: too few), 9 (three equal: too
     * few). */
    for (int i = 0; i < 32; i++) {
        task[i] = i >= 29 ? 9 : i % 3 == 0 ? 7 : i % 3 == 1 ? 3 : 5;
        truth[i] = 1 + i;
        predicted[i] = task[i] == 3 ? 100 - i : 1 + i;
    }
    assert_int_equal(cdm_metric_compute(predicted, truth, task, 32, &metric, &err), CDM_OK);
    assert_int_equal(metric.n_tasks, 2);
    assert_near(metric.spearman, 0, rounding);
}

static void a_task_with_equal_predictions_does_not_enter(void **state)
{
    (void)state;
    struct cdm_error err;
    struct cdm_metric metric;
    double truth[20];
    double predicted[20];
    int32_t task[20];
    for (int i = 0; i < 20; i++) {
        task[i] = i / 10;
        truth[i] = 1 + i;
        predicted[i] = task[i] ? 1 + i : 5;
    }
    assert_int_equal(cdm_metric_compute(predicted, truth, task, 20, &metric, &err), CDM_OK);
    assert_int_equal(metric.n_tasks, 1);
    assert_near(metric.spearman, 1, rounding);
}

static void a_prediction_that_is_no_latency_is_refused(void **state)
{
    (void)state;
    struct cdm_error err;
    struct cdm_metric metric;
    const double truth[] = {1, 2};
    const double predicted[] = {1, NAN};
    assert_int_equal(cdm_metric_compute(predicted, truth, NULL, 2, &metric, &err), CDM_BAD_INPUT);
    assert_string_equal(err.message, "prediction 1 is not a positive finite number: nan");
    assert_int_equal(cdm_metric_compute(truth, predicted, NULL, 0, &metric, &err), CDM_BAD_INPUT);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(relative_errors_by_hand),
        cmocka_unit_test(logarithmic_errors_by_hand),
        cmocka_unit_test(an_error_of_exactly_a_tenth_is_within_ten_percent),
        cmocka_unit_test(median_of_an_even_number_lies_between),
        cmocka_unit_test(spearman_sees_order_only),
        cmocka_unit_test(spearman_by_hand),
        cmocka_unit_test(spearman_shares_ranks_among_ties),
        cmocka_unit_test(spearman_of_equal_values_is_undefined),
        cmocka_unit_test(spearman_is_the_mean_over_tasks_that_are_large_enough),
        cmocka_unit_test(a_task_with_equal_predictions_does_not_enter),
        cmocka_unit_test(a_prediction_that_is_no_latency_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
