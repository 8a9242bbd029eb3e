/* The training loop with the linear model of fake_torch.c. */
#include "cdmpp/core/text.h"
#include "models/plan.h"
#include "models/plugin.h"
#include "models/train.h"
#include "tests/unit/near.h"
#include "tests/unit/place.h"
#include "tests/unit/samples.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
/* cmocka.h needs the headers above. */
#include <cmocka.h>

struct fixture {
    const struct cdm_torch_api *api;
    struct samples samples;
    struct cdm_train_options options;
    char folder[256];
    char checkpoint[300];
    volatile sig_atomic_t stop;
    int64_t stop_at; /* step; 0: never */
    int n_epochs_told;
    int n_checkpoints_told;
    int n_resumed_told;
    int64_t steps_told;
    double scores[64];
};

static void listen(void *context, const struct cdm_train_event *event)
{
    struct fixture *f = context;
    f->n_epochs_told += event->kind == CDM_TRAIN_EPOCH;
    f->n_checkpoints_told += event->kind == CDM_TRAIN_CHECKPOINT;
    f->n_resumed_told += event->kind == CDM_TRAIN_RESUMED;
    f->steps_told = event->step;
    if (event->kind == CDM_TRAIN_EPOCH && event->epoch <= 64)
        f->scores[event->epoch - 1] = event->score;
    if (f->stop_at && event->step == f->stop_at)
        f->stop = SIGINT;
}

static int set_up(void **state)
{
    struct cdm_error err;
    char path[4096];
    struct fixture *f = calloc(1, sizeof *f);
    if (cdm_plugin_open(test_built("fake/libcdmpp_torch.so", path, sizeof path), 1, &f->api,
                        &err)) {
        print_error("%s\n", err.message);
        return 1;
    }
    samples_make(&f->samples, 200, 1);
    test_folder_make(f->folder, sizeof f->folder);
    snprintf(f->checkpoint, sizeof f->checkpoint, "%s/run", f->folder);
    cdm_train_defaults(&f->options);
    f->options.net.width = 8;
    f->options.net.heads = 2;
    f->options.net.ffn = 8;
    f->options.net.layers = 1;
    f->options.net.summary_width = 4;
    f->options.net.device_width = 4;
    f->options.net.head_width = 8;
    f->options.net.head_layers = 1;
    f->options.trainer.average = 0.5F;
    f->options.batch = 16;
    f->options.epochs = 12;
    f->options.rate = 0.02;
    f->options.checkpoint = f->checkpoint;
    f->options.progress = listen;
    f->options.context = f;
    f->options.stop = &f->stop;
    *state = f;
    return 0;
}

static int tear_down(void **state)
{
    struct fixture *f = *state;
    samples_release(&f->samples);
    test_folder_remove(f->folder);
    free(f);
    return 0;
}

static void assert_same_weights(const struct cdm_model *left, const struct cdm_model *right)
{
    assert_int_equal(left->n_weights, right->n_weights);
    for (int32_t i = 0; i < left->n_weights; i++) {
        assert_string_equal(left->weights[i].name, right->weights[i].name);
        assert_int_equal(left->weights[i].n_values, right->weights[i].n_values);
        assert_memory_equal(left->weights[i].values, right->weights[i].values,
                            (size_t)left->weights[i].n_values * sizeof(float));
    }
}

/* ---- The loop ---- */

static void a_linear_law_is_learned(void **state)
{
    struct fixture *f = *state;
    struct cdm_error err;
    struct cdm_model model;
    struct cdm_train_report report;
    f->options.epochs = 40;
    assert_int_equal(cdm_train(f->api, &f->samples.set, &f->options, &model, &report, &err),
                     CDM_OK);
    assert_int_equal(report.epochs, 40);
    assert_int_equal(report.steps, 40 * 8); /* 120 programs in batches of 16 */
    assert_int_equal(f->n_epochs_told, 40);
    assert_int_equal(f->n_checkpoints_told, 40);
    assert_true(f->scores[0] > 0.3);
    assert_true(report.best_score < 0.02);
    assert_int_equal(model.net.n_features, SAMPLE_FEATURES);
    assert_int_equal(model.net.n_device, SAMPLE_DEVICE_ENTRIES);
    assert_int_equal(model.net.n_summary, 2 * SAMPLE_FEATURES + 1);
    cdm_model_release(&model);
}

static void the_best_epoch_is_what_is_kept(void **state)
{
    struct fixture *f = *state;
    struct cdm_error err;
    struct cdm_model longer;
    struct cdm_model shorter;
    struct cdm_train_report report;
    /* A rate far too high at the end of its rise makes later epochs worse. */
    f->options.trainer.average = 0;
    f->options.rate = 0.6;
    f->options.warmup = 0.9;
    f->options.floor = 1;
    assert_int_equal(cdm_train(f->api, &f->samples.set, &f->options, &longer, &report, &err),
                     CDM_OK);
    int32_t best = report.best_epoch;
    assert_true(best < report.epochs);
    for (int32_t i = 0; i < report.epochs; i++)
        assert_true(f->scores[i] >= report.best_score);
    assert_near(f->scores[best - 1], report.best_score, 0);
    /* The same run that ends two epochs later has the same weights. */
    f->options.checkpoint = NULL;
    f->options.patience = 2;
    assert_int_equal(cdm_train(f->api, &f->samples.set, &f->options, &shorter, &report, &err),
                     CDM_OK);
    assert_true(report.ended_early);
    assert_int_equal(report.best_epoch, best);
    assert_same_weights(&longer, &shorter);
    assert_int_equal(report.epochs, report.best_epoch + 2);
    cdm_model_release(&longer);
    cdm_model_release(&shorter);
}

static void the_same_seed_gives_the_same_weights(void **state)
{
    struct fixture *f = *state;
    struct cdm_error err;
    struct cdm_model models[3];
    struct cdm_train_report report;
    for (int i = 0; i < 3; i++) {
        f->options.seed = i < 2 ? 7 : 8;
        assert_int_equal(cdm_train(f->api, &f->samples.set, &f->options, &models[i], &report, &err),
                         CDM_OK);
    }
    assert_same_weights(&models[0], &models[1]);
    assert_memory_not_equal(models[0].weights[0].values, models[2].weights[0].values,
                            SAMPLE_FEATURES * sizeof(float));
    for (int i = 0; i < 3; i++)
        cdm_model_release(&models[i]);
}

/* Stops after the step and goes on from the checkpoint. */
static void check_resume(struct fixture *f, int64_t step)
{
    struct cdm_error err;
    struct cdm_model through;
    struct cdm_model resumed;
    struct cdm_train_report whole;
    struct cdm_train_report report;
    assert_int_equal(cdm_train(f->api, &f->samples.set, &f->options, &through, &whole, &err),
                     CDM_OK);
    f->stop_at = step;
    assert_int_equal(cdm_train(f->api, &f->samples.set, &f->options, &resumed, &report, &err),
                     CDM_STOPPED);
    assert_null(resumed.weights);
    f->stop = 0;
    f->stop_at = 0;
    f->options.resume = true;
    assert_int_equal(cdm_train(f->api, &f->samples.set, &f->options, &resumed, &report, &err),
                     CDM_OK);
    assert_int_equal(f->n_resumed_told, 1);
    assert_int_equal(report.steps, whole.steps);
    assert_int_equal(report.best_epoch, whole.best_epoch);
    assert_near(report.best_score, whole.best_score, 0);
    assert_same_weights(&through, &resumed);
    cdm_model_release(&through);
    cdm_model_release(&resumed);
}

static void a_run_stopped_within_an_epoch_resumes_to_the_same_weights(void **state)
{
    check_resume(*state, 8 * 5 + 3);
}

static void a_run_stopped_in_its_first_epoch_resumes_to_the_same_weights(void **state)
{
    check_resume(*state, 2);
}

static void a_run_stopped_at_the_end_of_an_epoch_resumes_to_the_same_weights(void **state)
{
    check_resume(*state, 8 * 5);
}

static void a_run_without_average_resumes_to_the_same_weights(void **state)
{
    struct fixture *f = *state;
    f->options.trainer.average = 0;
    check_resume(f, 8 * 5 + 3);
}

static void a_checkpoint_comes_every_so_many_steps(void **state)
{
    struct fixture *f = *state;
    struct cdm_error err;
    struct cdm_model model;
    struct cdm_train_report report;
    f->options.epochs = 2;
    f->options.checkpoint_steps = 3;
    assert_int_equal(cdm_train(f->api, &f->samples.set, &f->options, &model, &report, &err),
                     CDM_OK);
    /* Steps 3, 6, 9, 12, 15 and the ends of both epochs, 8 and 16. */
    assert_int_equal(f->n_checkpoints_told, 7);
    assert_int_equal(access(f->checkpoint, F_OK), 0);
    cdm_model_release(&model);
}

static void a_checkpoint_of_another_run_is_refused(void **state)
{
    struct fixture *f = *state;
    struct cdm_error err;
    struct cdm_model model;
    struct cdm_train_report report;
    f->options.epochs = 2;
    assert_int_equal(cdm_train(f->api, &f->samples.set, &f->options, &model, &report, &err),
                     CDM_OK);
    cdm_model_release(&model);
    f->options.resume = true;
    f->options.seed = 3;
    assert_int_equal(cdm_train(f->api, &f->samples.set, &f->options, &model, &report, &err),
                     CDM_BAD_INPUT);
    assert_non_null(strstr(err.message,
                           "the checkpoint is of another run: it has seed=0 where this one has "
                           "seed=3"));
}

static void a_damaged_checkpoint_is_refused(void **state)
{
    struct fixture *f = *state;
    struct cdm_error err;
    struct cdm_model model;
    struct cdm_train_report report;
    f->options.epochs = 2;
    assert_int_equal(cdm_train(f->api, &f->samples.set, &f->options, &model, &report, &err),
                     CDM_OK);
    cdm_model_release(&model);
    assert_int_equal(truncate(f->checkpoint, 900), 0);
    f->options.resume = true;
    assert_int_equal(cdm_train(f->api, &f->samples.set, &f->options, &model, &report, &err),
                     CDM_BAD_INPUT);
    assert_int_equal(unlink(f->checkpoint), 0);
    assert_int_equal(cdm_train(f->api, &f->samples.set, &f->options, &model, &report, &err),
                     CDM_IO);
}

static void a_run_that_diverges_is_an_error(void **state)
{
    struct fixture *f = *state;
    struct cdm_error err;
    struct cdm_model model;
    struct cdm_train_report report;
    f->options.rate = 0.999;
    f->options.trainer.beta1 = 0.9999F;
    f->options.epochs = 2000;
    f->options.checkpoint = NULL;
    assert_int_equal(cdm_train(f->api, &f->samples.set, &f->options, &model, &report, &err),
                     CDM_BAD_INPUT);
    assert_non_null(strstr(err.message, "training diverged"));
    assert_null(model.weights);
}

static void a_checkpoint_that_cannot_be_written_is_an_error(void **state)
{
    struct fixture *f = *state;
    struct cdm_error err;
    struct cdm_model model;
    struct cdm_train_report report;
    f->options.checkpoint = "/nowhere/at/all";
    assert_int_equal(cdm_train(f->api, &f->samples.set, &f->options, &model, &report, &err),
                     CDM_IO);
    assert_non_null(strstr(err.message, "checkpoint /nowhere/at/all"));
}

/* ---- What is refused ---- */

static void a_program_in_two_sets_is_refused(void **state)
{
    struct fixture *f = *state;
    struct cdm_error err;
    struct cdm_model model;
    struct cdm_train_report report;
    size_t i = 0;
    while (f->samples.pairs[i].program != f->samples.pairs[i + 1].program)
        i++;
    f->samples.split[i] = CDM_SPLIT_TRAIN;
    f->samples.split[i + 1] = CDM_SPLIT_VALIDATION;
    assert_int_equal(cdm_train(f->api, &f->samples.set, &f->options, &model, &report, &err),
                     CDM_BAD_INPUT);
    assert_non_null(strstr(err.message, "is in more than one set"));
}

static void samples_without_validation_are_refused(void **state)
{
    struct fixture *f = *state;
    struct cdm_error err;
    struct cdm_model model;
    struct cdm_train_report report;
    for (size_t i = 0; i < f->samples.set.n_pairs; i++)
        if (f->samples.split[i] == CDM_SPLIT_VALIDATION)
            f->samples.split[i] = CDM_SPLIT_NONE;
    assert_int_equal(cdm_train(f->api, &f->samples.set, &f->options, &model, &report, &err),
                     CDM_BAD_INPUT);
}

static void a_latency_that_is_no_number_is_refused(void **state)
{
    struct fixture *f = *state;
    struct cdm_error err;
    struct cdm_model model;
    struct cdm_train_report report;
    f->samples.seconds[5] = NAN;
    assert_int_equal(cdm_train(f->api, &f->samples.set, &f->options, &model, &report, &err),
                     CDM_BAD_INPUT);
    assert_string_equal(err.message, "the latency of pair 5 is not a positive finite number: nan");
}

static void test_pairs_change_nothing(void **state)
{
    struct fixture *f = *state;
    struct cdm_error err;
    struct cdm_model with;
    struct cdm_model without;
    struct cdm_train_report report;
    assert_int_equal(cdm_train(f->api, &f->samples.set, &f->options, &with, &report, &err), CDM_OK);
    for (size_t i = 0; i < f->samples.set.n_pairs; i++)
        if (f->samples.split[i] == CDM_SPLIT_TEST) {
            f->samples.seconds[i] = 1e6;
            f->samples.leaves[f->samples.offsets[f->samples.pairs[i].program] * SAMPLE_FEATURES] =
                1e6F;
        }
    assert_int_equal(cdm_train(f->api, &f->samples.set, &f->options, &without, &report, &err),
                     CDM_OK);
    assert_same_weights(&with, &without);
    assert_near(with.label.mean, without.label.mean, 0);
    assert_float_equal(with.scaling.leaf.mean[0], without.scaling.leaf.mean[0], 0);
    cdm_model_release(&with);
    cdm_model_release(&without);
}

static void a_device_that_is_not_there_is_unavailable(void **state)
{
    struct fixture *f = *state;
    struct cdm_error err;
    struct cdm_model model;
    struct cdm_train_report report;
    f->options.run_on = "cuda:0";
    assert_int_equal(cdm_train(f->api, &f->samples.set, &f->options, &model, &report, &err),
                     CDM_UNAVAILABLE);
}

static void senseless_options_are_refused(void **state)
{
    struct fixture *f = *state;
    struct cdm_error err;
    struct cdm_model model;
    struct cdm_train_report report;
    f->options.epochs = 0;
    assert_int_equal(cdm_train(f->api, &f->samples.set, &f->options, &model, &report, &err),
                     CDM_USAGE);
    f->options.epochs = 1;
    f->options.rate = NAN;
    assert_int_equal(cdm_train(f->api, &f->samples.set, &f->options, &model, &report, &err),
                     CDM_USAGE);
}

/* ---- Parts ---- */

static void the_rate_rises_and_falls(void **state)
{
    (void)state;
    struct cdm_train_options options;
    cdm_train_defaults(&options);
    options.rate = 0.01;
    options.warmup = 0.1;
    options.floor = 0.2;
    assert_near(cdm_train_rate(&options, 0, 100), 0.001, 1e-15);
    assert_near(cdm_train_rate(&options, 4, 100), 0.005, 1e-15);
    assert_near(cdm_train_rate(&options, 9, 100), 0.01, 1e-15);
    /* Half-way down: (1 + 0.2) / 2. */
    assert_near(cdm_train_rate(&options, 54, 100), 0.006, 1e-15);
    assert_near(cdm_train_rate(&options, 99, 100), 0.002, 1e-15);
    options.warmup = 0;
    options.floor = 0;
    assert_near(cdm_train_rate(&options, 99, 100), 0, 1e-15);
}

static void an_epoch_has_every_training_pair_once(void **state)
{
    struct fixture *f = *state;
    const struct cdm_train_set *set = &f->samples.set;
    struct cdm_plan plan;
    cdm_plan_init(&plan, set, 16, 3);
    int32_t programs[16];
    uint32_t *pairs = calloc((size_t)plan.most_pairs, sizeof *pairs);
    int *seen = calloc(set->n_pairs, sizeof *seen);
    int32_t total = 0;
    cdm_plan_epoch(&plan, 0, 4);
    assert_int_equal(plan.n_batches, 8);
    for (int32_t i = 0; i < plan.n_batches; i++) {
        int32_t n_programs;
        int32_t n_pairs;
        cdm_plan_batch(&plan, i, programs, &n_programs, pairs, &n_pairs);
        assert_true(n_programs >= 1 && n_programs <= 16);
        assert_true(n_pairs <= plan.most_pairs);
        total += n_programs;
        for (int32_t k = 0; k < n_pairs; k++)
            seen[pairs[k]]++;
    }
    assert_int_equal(total, 120);
    for (size_t i = 0; i < set->n_pairs; i++)
        assert_int_equal(seen[i], set->split[i] == CDM_SPLIT_TRAIN);
    free(pairs);
    free(seen);
    cdm_plan_release(&plan);
}

static void batches_of_a_window_are_of_like_leaf_counts(void **state)
{
    struct fixture *f = *state;
    struct cdm_plan plan;
    /* All programs are in one window: a batch ends where the next begins. */
    cdm_plan_init(&plan, &f->samples.set, 16, 100);
    cdm_plan_epoch(&plan, 0, 0);
    for (int32_t i = 1; i < plan.n; i++) {
        const int64_t *offsets = f->samples.offsets;
        uint32_t before = plan.order[i - 1];
        uint32_t after = plan.order[i];
        assert_true(offsets[before + 1] - offsets[before] <= offsets[after + 1] - offsets[after]);
    }
    cdm_plan_release(&plan);
}

static void epochs_have_different_orders(void **state)
{
    struct fixture *f = *state;
    struct cdm_plan first;
    struct cdm_plan second;
    cdm_plan_init(&first, &f->samples.set, 16, 2);
    cdm_plan_init(&second, &f->samples.set, 16, 2);
    size_t bytes = (size_t)first.n * sizeof *first.order;
    cdm_plan_epoch(&first, 0, 0);
    cdm_plan_epoch(&second, 0, 0);
    assert_memory_equal(first.order, second.order, bytes);
    cdm_plan_epoch(&second, 0, 1);
    assert_memory_not_equal(first.order, second.order, bytes);
    cdm_plan_epoch(&second, 1, 0);
    assert_memory_not_equal(first.order, second.order, bytes);
    cdm_plan_release(&first);
    cdm_plan_release(&second);
}

#define with_samples(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        with_samples(a_linear_law_is_learned),
        with_samples(the_best_epoch_is_what_is_kept),
        with_samples(the_same_seed_gives_the_same_weights),
        with_samples(a_run_stopped_within_an_epoch_resumes_to_the_same_weights),
        with_samples(a_run_stopped_in_its_first_epoch_resumes_to_the_same_weights),
        with_samples(a_run_stopped_at_the_end_of_an_epoch_resumes_to_the_same_weights),
        with_samples(a_run_without_average_resumes_to_the_same_weights),
        with_samples(a_checkpoint_comes_every_so_many_steps),
        with_samples(a_checkpoint_of_another_run_is_refused),
        with_samples(a_damaged_checkpoint_is_refused),
        with_samples(a_run_that_diverges_is_an_error),
        with_samples(a_checkpoint_that_cannot_be_written_is_an_error),
        with_samples(a_program_in_two_sets_is_refused),
        with_samples(samples_without_validation_are_refused),
        with_samples(a_latency_that_is_no_number_is_refused),
        with_samples(test_pairs_change_nothing),
        with_samples(a_device_that_is_not_there_is_unavailable),
        with_samples(senseless_options_are_refused),
        cmocka_unit_test(the_rate_rises_and_falls),
        with_samples(an_epoch_has_every_training_pair_once),
        with_samples(batches_of_a_window_are_of_like_leaf_counts),
        with_samples(epochs_have_different_orders),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
