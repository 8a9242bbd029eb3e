#include "models/evaluate.h"
#include "tests/unit/near.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
/* cmocka.h needs the headers above. */
#include <cmocka.h>

static const double rounding = 1e-12;

static void good_is_within_four_times_the_best_of_task_and_device(void **state)
{
    static const int32_t device[] = {0, 0, 0, 0, 1, 1, 0, 1};
    static const int32_t task[] = {0, 0, 0, 2, 0, 0, 1, 1};
    static const double seconds[] = {2, 8, 8.1, 100, 1, 4.1, 7, 3};
    static const bool expected[] = {true, true, false, true, true, false, true, true};
    bool good[8];

    (void)state;
    cdm_mark_good(device, task, seconds, 8, 2, good);
    for (int i = 0; i < 8; i++)
        assert_int_equal(good[i], expected[i]);
    cdm_mark_good(device, task, seconds, 0, 2, good); /* nothing is fine, too */
}

/* Two devices; on device 0 seen tasks, on device 1 both kinds. */
static const int32_t devices[] = {0, 0, 0, 1, 1, 1};
static const int32_t tasks[] = {0, 0, 1, 0, 1, 2};
static const double measured[] = {1, 2, 4, 1, 2, 10};
static const double predicted[] = {1.5, 2, 1, 2, 2, 15};
static const bool unseen[] = {false, false, false, false, false, true};
static const bool good[] = {true, true, false, true, true, true};
static const struct cdm_predictions six = {6, devices, tasks, measured, predicted, unseen, good};

static const struct cdm_error_row *row_of(const struct cdm_error_row *rows, size_t n,
                                          int32_t device, bool is_unseen, bool is_good)
{
    for (size_t i = 0; i < n; i++)
        if (rows[i].device == device && rows[i].unseen == is_unseen && rows[i].good == is_good)
            return &rows[i];
    return NULL;
}

static void each_device_and_kind_of_test_has_a_row_and_then_the_mean(void **state)
{
    struct cdm_error_row *rows;
    struct cdm_error err;
    size_t n;
    static const struct {
        int32_t device;
        bool unseen, good;
    } order[] = {{0, false, false}, {1, false, false}, {-1, false, false}, {0, false, true},
                 {1, false, true},  {-1, false, true}, {1, true, false},   {-1, true, false},
                 {1, true, true},   {-1, true, true}};

    (void)state;
    assert_int_equal(cdm_evaluate(&six, 2, &rows, &n, &err), CDM_OK);
    assert_int_equal(n, 10);
    for (size_t i = 0; i < n; i++) {
        assert_int_equal(rows[i].device, order[i].device);
        assert_int_equal(rows[i].unseen, order[i].unseen);
        assert_int_equal(rows[i].good, order[i].good);
    }
    /* Relative errors of device 0: 0.5, 0, 0.75; of device 1, seen: 1, 0; unseen: 0.5. */
    const struct cdm_error_row *row = row_of(rows, n, 0, false, false);
    assert_int_equal(row->metric.n, 3);
    assert_near(row->metric.mape, 1.25 / 3, rounding);
    assert_near(row->metric.median, 0.5, rounding);
    row = row_of(rows, n, 0, false, true);
    assert_int_equal(row->metric.n, 2);
    assert_near(row->metric.mape, 0.25, rounding);
    row = row_of(rows, n, 1, true, true);
    assert_int_equal(row->metric.n, 1);
    assert_near(row->metric.mape, 0.5, rounding);
    /* The mean counts each device the same, however many measurements it has. */
    row = row_of(rows, n, -1, false, false);
    assert_int_equal(row->metric.n, 5);
    assert_near(row->metric.mape, (1.25 / 3 + 0.5) / 2, rounding);
    assert_near(row->metric.median, 0.5, rounding);
    assert_near(row->metric.within10, (1.0 / 3 + 0.5) / 2, rounding);
    assert_true(isnan(row->metric.spearman));
    free(rows);
}

static void a_missing_prediction_is_an_error(void **state)
{
    double values[6];
    struct cdm_predictions with_hole = six;
    struct cdm_error_row *rows = (struct cdm_error_row *)&values;
    struct cdm_error err;
    size_t n = 7;

    (void)state;
    memcpy(values, predicted, sizeof values);
    values[3] = NAN;
    with_hole.predicted = values;
    assert_int_equal(cdm_evaluate(&with_hole, 2, &rows, &n, &err), CDM_BAD_INPUT);
    assert_null(rows);
    assert_int_equal(n, 0);
}

static void the_mean_of_the_rank_correlation_is_over_those_that_have_one(void **state)
{
    /* Device 0 has a task of ten in perfect order; device 1 one of two, which has no correlation.
     */
    int32_t device[12] = {0}, task[12] = {0};
    double truth[12], guess[12];
    bool seen[12] = {false}, any[12] = {false};
    struct cdm_error_row *rows;
    struct cdm_error err;
    size_t n;

    (void)state;
    for (int i = 0; i < 12; i++) {
        device[i] = i >= 10;
        truth[i] = guess[i] = i + 1;
    }
    const struct cdm_predictions predictions = {12, device, task, truth, guess, seen, any};
    assert_int_equal(cdm_evaluate(&predictions, 2, &rows, &n, &err), CDM_OK);
    assert_int_equal(n, 3); /* no program is good: no rows of that half */
    assert_near(rows[0].metric.spearman, 1, rounding);
    assert_true(isnan(rows[1].metric.spearman));
    assert_near(rows[2].metric.spearman, 1, rounding);
    free(rows);
}

static void rows_as_json(void **state)
{
    static const char *const names[] = {"cpu \"x\"", "gpu"};
    struct cdm_error_row rows[2] = {
        {.device = 0, .unseen = true, .metric = {.n = 3, .mape = 0.25, .median = 0.5, .p90 = 1}},
        {.device = -1, .good = true, .metric = {.n = 4, .spearman = NAN}}};
    struct cdm_str json = {0};

    (void)state;
    cdm_error_rows_json(rows, 2, names, &json);
    assert_string_equal(
        json.data,
        "[{\"tasks\":\"unseen\",\"programs\":\"all\",\"device\":\"cpu \\\"x\\\"\",\"n\":3,"
        "\"mape\":0.25,\"median_ape\":0.5,\"p90\":1,\"within10\":0,\"within20\":0,"
        "\"rmse_log\":0,\"spearman\":0},"
        "{\"tasks\":\"seen\",\"programs\":\"good\",\"device\":\"mean\",\"n\":4,\"mape\":0,"
        "\"median_ape\":0,\"p90\":0,\"within10\":0,\"within20\":0,\"rmse_log\":0,"
        "\"spearman\":null}]");
    cdm_str_release(&json);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(good_is_within_four_times_the_best_of_task_and_device),
        cmocka_unit_test(each_device_and_kind_of_test_has_a_row_and_then_the_mean),
        cmocka_unit_test(a_missing_prediction_is_an_error),
        cmocka_unit_test(the_mean_of_the_rank_correlation_is_over_those_that_have_one),
        cmocka_unit_test(rows_as_json),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
