#include "models/inputs.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
/* cmocka.h needs the headers above. */
#include <cmocka.h>

/* Two programs with 1 and 3 leaves of 2 features, two devices of 2 entries. */
static const float leaves[] = {10, 5, 1, 5, 2, 5, 6, 5};
static const int64_t offsets[] = {0, 1, 4};
static const int32_t positions[] = {4, 3, 7, 9};
static const float devices[] = {1, 0, 3, 0};

static struct cdm_inputs sample(void)
{
    return (struct cdm_inputs){
        .n_programs = 2,
        .n_features = 2,
        .leaves = leaves,
        .offsets = offsets,
        .positions = positions,
        .n_devices = 2,
        .n_device_entries = 2,
        .devices = devices,
    };
}

static void normaliser_has_mean_and_deviation(void **state)
{
    (void)state;
    struct cdm_normaliser_fit fit;
    struct cdm_normaliser normaliser;
    const float rows[] = {1, -4, 3, -4, 5, 8, 7, 8};
    cdm_normaliser_fit_begin(&fit, 2);
    cdm_normaliser_fit_add(&fit, rows, 1);
    cdm_normaliser_fit_add(&fit, rows + 2, 3);
    cdm_normaliser_fit_end(&fit, 2, &normaliser);
    assert_float_equal(normaliser.mean[0], 4, 1e-6);
    assert_float_equal(normaliser.scale[0], sqrt(5), 1e-6);
    assert_float_equal(normaliser.mean[1], 2, 1e-6);
    assert_float_equal(normaliser.scale[1], 6, 1e-6);
    cdm_normaliser_release(&normaliser);
}

static void deviation_of_values_far_from_zero_is_kept(void **state)
{
    (void)state;
    struct cdm_normaliser_fit fit;
    struct cdm_normaliser normaliser;
    /* A sum of squares in single precision would lose the difference. */
    const float rows[] = {100000, 100001, 100002};
    cdm_normaliser_fit_begin(&fit, 1);
    cdm_normaliser_fit_add(&fit, rows, 3);
    cdm_normaliser_fit_end(&fit, 5, &normaliser);
    assert_float_equal(normaliser.scale[0], sqrt(2.0 / 3), 1e-6);
    cdm_normaliser_release(&normaliser);
}

static void values_are_cut_to_the_clip(void **state)
{
    (void)state;
    struct cdm_normaliser normaliser;
    const float rows[] = {9, 2, -100, 2};
    float out[4];
    cdm_normaliser_init(&normaliser, 2, 3);
    normaliser.mean[0] = 1;
    normaliser.scale[0] = 4;
    normaliser.mean[1] = 1;
    normaliser.scale[1] = 0.5F;
    cdm_normalise(&normaliser, rows, 2, out);
    assert_float_equal(out[0], 2, 0);
    assert_float_equal(out[1], 2, 0);
    assert_float_equal(out[2], -3, 0);
    assert_float_equal(out[3], 2, 0);
    cdm_normaliser_release(&normaliser);
}

static void constant_entry_reads_as_zero_whatever_comes(void **state)
{
    (void)state;
    struct cdm_normaliser_fit fit;
    struct cdm_normaliser normaliser;
    const float rows[] = {7, 7, 7};
    const float other[] = {7, 123};
    float out[2];
    cdm_normaliser_fit_begin(&fit, 1);
    cdm_normaliser_fit_add(&fit, rows, 3);
    cdm_normaliser_fit_end(&fit, 5, &normaliser);
    assert_float_equal(normaliser.scale[0], 0, 0);
    cdm_normalise(&normaliser, other, 2, out);
    assert_float_equal(out[0], 0, 0);
    assert_float_equal(out[1], 0, 0);
    cdm_normaliser_release(&normaliser);
}

static void negative_scale_is_refused(void **state)
{
    (void)state;
    struct cdm_error err;
    struct cdm_normaliser normaliser;
    cdm_normaliser_init(&normaliser, 2, 3);
    assert_int_equal(cdm_normaliser_check(&normaliser, "leaf", &err), CDM_OK);
    normaliser.scale[1] = -1;
    assert_int_equal(cdm_normaliser_check(&normaliser, "leaf", &err), CDM_BAD_INPUT);
    assert_string_equal(err.message, "leaf: entry 1 has mean 0 and scale -1");
    normaliser.scale[1] = 1;
    normaliser.mean[0] = NAN;
    assert_int_equal(cdm_normaliser_check(&normaliser, "leaf", &err), CDM_BAD_INPUT);
    cdm_normaliser_release(&normaliser);
}

static void summary_has_sums_maxima_and_count(void **state)
{
    (void)state;
    const float rows[] = {1, -5, 3, -6, -2, -7};
    float summary[5];
    assert_int_equal(cdm_summary_size(2), 5);
    cdm_summarise(rows, 3, 2, summary);
    assert_float_equal(summary[0], 2, 0);
    assert_float_equal(summary[1], -18, 0);
    assert_float_equal(summary[2], 3, 0);
    assert_float_equal(summary[3], -5, 0);
    assert_float_equal(summary[4], logf(3), 1e-7);
}

static void scaling_is_fitted_to_the_chosen_programs_alone(void **state)
{
    (void)state;
    struct cdm_scaling scaling;
    struct cdm_inputs inputs = sample();
    cdm_scaling_fit(&scaling, &inputs, (const uint8_t[]){0, 1}, (const uint8_t[]){1, 1}, 1, 5);
    assert_float_equal(scaling.leaf.mean[0], 3, 1e-6);
    assert_float_equal(scaling.leaf.scale[0], sqrt(14.0 / 3), 1e-6);
    assert_float_equal(scaling.leaf.scale[1], 0, 0);
    assert_int_equal(scaling.summary.n, 5);
    assert_float_equal(scaling.summary.mean[0], 9, 1e-6);
    assert_float_equal(scaling.device.mean[0], 2, 1e-6);
    assert_float_equal(scaling.device.scale[0], 1, 1e-6);
    cdm_scaling_release(&scaling);
}

static void batch_is_scaled_and_padded(void **state)
{
    (void)state;
    struct cdm_scaling scaling;
    struct cdm_batch batch = {0};
    struct cdm_inputs inputs = sample();
    const int32_t programs[] = {1, 0};
    const struct cdm_pair pairs[] = {{0, 1}, {1, 0}, {1, 1}};
    cdm_scaling_fit(&scaling, &inputs, (const uint8_t[]){1, 1}, (const uint8_t[]){1, 1}, 0, 5);
    scaling.leaf.mean[0] = 2;
    scaling.leaf.scale[0] = 2;
    cdm_batch_fill(&batch, &inputs, &scaling, programs, 2, pairs, 3);
    const struct cdm_torch_batch *view = &batch.view;
    assert_int_equal(view->n_programs, 2);
    assert_int_equal(view->max_leaves, 3);
    assert_int_equal(view->n_features, 2);
    assert_int_equal(view->n_leaves[0], 3);
    assert_int_equal(view->n_leaves[1], 1);
    /* Feature 1 is constant; the rows of padding are 0. */
    const float wanted[] = {-0.5F, 0, 0, 0, 2, 0, 4, 0, 0, 0, 0, 0};
    for (size_t i = 0; i < 12; i++)
        assert_float_equal(view->leaves[i], wanted[i], 0);
    const float places[] = {3, 7, 9, 4, 0, 0};
    for (size_t i = 0; i < 6; i++)
        assert_float_equal(view->positions[i], places[i], 0);
    assert_int_equal(view->n_summary, 0);
    assert_int_equal(view->n_pairs, 3);
    assert_int_equal(view->pair_program[0], 0);
    assert_int_equal(view->pair_program[2], 1);
    assert_float_equal(view->devices[0], 1, 0);
    assert_float_equal(view->devices[2], -1, 0);
    assert_float_equal(view->devices[4], 1, 0);
    cdm_batch_release(&batch);
    cdm_scaling_release(&scaling);
}

static void refill_leaves_nothing_of_the_batch_before(void **state)
{
    (void)state;
    struct cdm_scaling scaling;
    struct cdm_batch batch = {0};
    struct cdm_inputs inputs = sample();
    cdm_scaling_fit(&scaling, &inputs, (const uint8_t[]){1, 1}, (const uint8_t[]){1, 1}, 1, 5);
    cdm_batch_fill(&batch, &inputs, &scaling, (const int32_t[]){1, 0}, 2,
                   (const struct cdm_pair[]){{0, 0}, {1, 1}}, 2);
    cdm_batch_fill(&batch, &inputs, &scaling, (const int32_t[]){0, 1}, 2,
                   (const struct cdm_pair[]){{0, 0}}, 1);
    assert_int_equal(batch.view.n_pairs, 1);
    assert_int_equal(batch.view.n_leaves[0], 1);
    for (size_t i = 2; i < 6; i++)
        assert_float_equal(batch.view.leaves[i], 0, 0);
    cdm_batch_release(&batch);
    cdm_scaling_release(&scaling);
}

static void feature_that_is_not_finite_is_refused(void **state)
{
    (void)state;
    struct cdm_error err;
    struct cdm_inputs inputs = sample();
    float bad[8];
    memcpy(bad, leaves, sizeof bad);
    bad[5] = INFINITY;
    assert_int_equal(cdm_inputs_check(&inputs, &err), CDM_OK);
    inputs.leaves = bad;
    assert_int_equal(cdm_inputs_check(&inputs, &err), CDM_BAD_INPUT);
    assert_string_equal(err.message, "program 1 has a feature that is not finite");
}

static void program_without_a_leaf_is_refused(void **state)
{
    (void)state;
    struct cdm_error err;
    struct cdm_inputs inputs = sample();
    inputs.offsets = (const int64_t[]){0, 0, 4};
    assert_int_equal(cdm_inputs_check(&inputs, &err), CDM_BAD_INPUT);
    assert_string_equal(err.message, "program 0 has no leaf");
    inputs.offsets = (const int64_t[]){0, 4, 1};
    assert_int_equal(cdm_inputs_check(&inputs, &err), CDM_BAD_INPUT);
}

static void program_with_too_many_leaves_is_refused(void **state)
{
    (void)state;
    struct cdm_error err;
    struct cdm_inputs inputs = sample();
    inputs.offsets = (const int64_t[]){0, 1, 2 + CDM_MAX_LEAVES};
    assert_int_equal(cdm_inputs_check(&inputs, &err), CDM_BAD_INPUT);
    assert_string_equal(err.message, "program 1 has 2049 leaves; at most 2048 are possible");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(normaliser_has_mean_and_deviation),
        cmocka_unit_test(deviation_of_values_far_from_zero_is_kept),
        cmocka_unit_test(values_are_cut_to_the_clip),
        cmocka_unit_test(constant_entry_reads_as_zero_whatever_comes),
        cmocka_unit_test(negative_scale_is_refused),
        cmocka_unit_test(summary_has_sums_maxima_and_count),
        cmocka_unit_test(scaling_is_fitted_to_the_chosen_programs_alone),
        cmocka_unit_test(batch_is_scaled_and_padded),
        cmocka_unit_test(refill_leaves_nothing_of_the_batch_before),
        cmocka_unit_test(feature_that_is_not_finite_is_refused),
        cmocka_unit_test(program_without_a_leaf_is_refused),
        cmocka_unit_test(program_with_too_many_leaves_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
