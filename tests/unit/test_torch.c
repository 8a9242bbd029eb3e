/* The LibTorch plug-in itself. Skipped, with the reason, where it was not built. */
#include "cdmpp/core/alloc.h"
#include "cdmpp/core/rng.h"
#include "models/plugin.h"
#include "models/predictor.h"
#include "models/train.h"
#include "tests/unit/near.h"
#include "tests/unit/place.h"
#include "tests/unit/reference_net.h"
#include "tests/unit/samples.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
/* cmocka.h needs the headers above. */
#include <cmocka.h>

/* Single precision through a few layers, on numbers of about 1. */
static const double single = 2e-5;

static const struct cdm_net_config small = {
    .n_features = 5,
    .n_summary = 4,
    .n_device = 3,
    .width = 16,
    .layers = 2,
    .heads = 4,
    .ffn = 24,
    .summary_width = 6,
    .device_width = 7,
    .head_width = 10,
    .head_layers = 2,
};

/* A batch of made-up numbers. */
struct made {
    struct cdm_torch_batch batch;
    float *leaves;
    int32_t *n_leaves;
    float *positions;
    float *summary;
    int32_t *pair_program;
    float *devices;
    float *labels;
    float *weights;
};

static const struct cdm_torch_api *api;

static void open_plugin(void **state)
{
    (void)state;
    char path[4096];
    struct cdm_error err;
    if (api)
        return;
    test_built("../libcdmpp_torch.so", path, sizeof path);
    if (access(path, F_OK) != 0) {
        print_message("# no %s: LibTorch was not found when this was built\n", path);
        skip();
    }
    if (cdm_plugin_open(path, 1, &api, &err) != CDM_OK) {
        print_error("%s\n", err.message);
        fail();
    }
}

static void make_batch(struct made *m, int32_t n_programs, int32_t max_leaves, int32_t n_pairs)
{
    struct cdm_rng rng;
    cdm_rng_seed(&rng, 5, 0);
    size_t programs = (size_t)n_programs;
    size_t rows = programs * (size_t)max_leaves;
    size_t pairs = (size_t)n_pairs;
    m->leaves = cdm_alloc(rows * 5, sizeof(float));
    m->n_leaves = cdm_alloc(programs, sizeof(int32_t));
    m->positions = cdm_alloc(rows, sizeof(float));
    m->summary = cdm_alloc(programs * 4, sizeof(float));
    m->pair_program = cdm_alloc(pairs, sizeof(int32_t));
    m->devices = cdm_alloc(pairs * 3, sizeof(float));
    m->labels = cdm_alloc(pairs, sizeof(float));
    m->weights = cdm_alloc(pairs, sizeof(float));
    for (size_t i = 0; i < rows * 5; i++)
        m->leaves[i] = (float)cdm_rng_normal(&rng);
    for (size_t i = 0; i < rows; i++)
        m->positions[i] = (float)cdm_rng_below(&rng, 60);
    for (size_t i = 0; i < programs; i++)
        m->n_leaves[i] = 1 + (int32_t)(i % (size_t)max_leaves);
    for (size_t i = 0; i < programs * 4; i++)
        m->summary[i] = (float)cdm_rng_normal(&rng);
    for (size_t i = 0; i < pairs; i++) {
        m->pair_program[i] = (int32_t)cdm_rng_below(&rng, programs);
        m->labels[i] = (float)cdm_rng_normal(&rng);
        m->weights[i] = 0.5F + (float)cdm_rng_uniform(&rng);
    }
    for (size_t i = 0; i < pairs * 3; i++)
        m->devices[i] = (float)cdm_rng_normal(&rng);
    m->batch = (struct cdm_torch_batch){n_programs,  max_leaves,      5, m->leaves,
                                        m->n_leaves, m->positions,    4, m->summary,
                                        n_pairs,     m->pair_program, 3, m->devices};
}

static void free_batch(struct made *m)
{
    free(m->leaves);
    free(m->n_leaves);
    free(m->positions);
    free(m->summary);
    free(m->pair_program);
    free(m->devices);
    free(m->labels);
    free(m->weights);
}

static struct cdm_torch_model *new_model(const struct cdm_net_config *config, uint64_t seed)
{
    struct cdm_error err;
    struct cdm_torch_model *model = NULL;
    assert_int_equal(api->model_new(config, "cpu", seed, &model, &err), CDM_OK);
    return model;
}

/* Every weight becomes a random one: those that start as 0 would hide mistakes. */
static void randomise(struct cdm_torch_model *model)
{
    struct cdm_error err;
    struct cdm_rng rng;
    cdm_rng_seed(&rng, 9, 0);
    for (int32_t i = 0; i < api->model_n_tensors(model); i++) {
        struct cdm_torch_tensor tensor;
        assert_int_equal(api->model_tensor(model, i, &tensor, &err), CDM_OK);
        float *values = cdm_alloc((size_t)tensor.n_values, sizeof *values);
        for (int64_t k = 0; k < tensor.n_values; k++)
            values[k] = 0.3F * (float)cdm_rng_normal(&rng);
        assert_int_equal(api->model_write(model, i, values, tensor.n_values, &err), CDM_OK);
        free(values);
    }
}

static struct cdm_model weights_of(const struct cdm_torch_model *model)
{
    struct cdm_error err;
    struct cdm_model copy = {.net = small};
    assert_int_equal(cdm_model_take_weights(&copy, api, model, &err), CDM_OK);
    return copy;
}

static void assert_same_weights(const struct cdm_model *left, const struct cdm_model *right)
{
    assert_int_equal(left->n_weights, right->n_weights);
    for (int32_t i = 0; i < left->n_weights; i++)
        assert_memory_equal(left->weights[i].values, right->weights[i].values,
                            (size_t)left->weights[i].n_values * sizeof(float));
}

static struct cdm_torch_trainer *new_trainer(struct cdm_torch_model *model, float average)
{
    struct cdm_error err;
    struct cdm_torch_trainer *trainer = NULL;
    const struct cdm_trainer_options options = {.beta1 = 0.9F,
                                                .beta2 = 0.999F,
                                                .epsilon = 1e-8F,
                                                .clip_norm = 1,
                                                .average = average,
                                                .seed = 3};
    assert_int_equal(api->trainer_new(model, &options, &trainer, &err), CDM_OK);
    api->trainer_set_rate(trainer, 0.01F);
    return trainer;
}

static struct cdm_step_result step(struct cdm_torch_trainer *trainer, const struct made *m)
{
    struct cdm_error err = {0};
    struct cdm_step_result result = {0};
    const struct cdm_loss_options loss = {CDM_LOSS_SQUARED, 0};
    assert_int_equal(
        api->trainer_step(trainer, &m->batch, m->labels, m->weights, &loss, &result, &err), CDM_OK);
    return result;
}

/* ---- The network ---- */

static void the_network_computes_what_the_reference_does(void **state)
{
    open_plugin(state);
    struct cdm_error err;
    struct made m;
    float out[9];
    make_batch(&m, 6, 5, 9);
    struct cdm_torch_model *model = new_model(&small, 1);
    randomise(model);
    struct cdm_model weights = weights_of(model);
    assert_int_equal(api->predict(model, &m.batch, out, &err), CDM_OK);
    for (int32_t i = 0; i < 9; i++)
        assert_near(out[i], reference_predict(&weights, &m.batch, i), single);
    cdm_model_release(&weights);
    api->model_free(model);
    free_batch(&m);
}

static void the_network_without_summary_and_layers_does_too(void **state)
{
    open_plugin(state);
    struct cdm_error err;
    struct made m;
    float out[4];
    struct cdm_net_config config = small;
    config.n_summary = 0;
    config.summary_width = 0;
    config.layers = 0;
    config.head_layers = 0;
    make_batch(&m, 3, 1, 4);
    m.batch.n_summary = 0;
    m.batch.summary = NULL;
    struct cdm_torch_model *model = new_model(&config, 1);
    randomise(model);
    struct cdm_model weights = weights_of(model);
    weights.net = config;
    assert_int_equal(api->predict(model, &m.batch, out, &err), CDM_OK);
    for (int32_t i = 0; i < 4; i++)
        assert_near(out[i], reference_predict(&weights, &m.batch, i), single);
    cdm_model_release(&weights);
    api->model_free(model);
    free_batch(&m);
}

static void what_is_in_the_padding_does_not_matter(void **state)
{
    open_plugin(state);
    struct cdm_error err;
    struct made m;
    float before[9];
    float after[9];
    make_batch(&m, 6, 5, 9);
    struct cdm_torch_model *model = new_model(&small, 1);
    assert_int_equal(api->predict(model, &m.batch, before, &err), CDM_OK);
    for (int32_t program = 0; program < 6; program++)
        for (int32_t leaf = m.n_leaves[program]; leaf < 5; leaf++) {
            m.positions[program * 5 + leaf] = 1000;
            for (int32_t i = 0; i < 5; i++)
                m.leaves[(program * 5 + leaf) * 5 + i] = 50;
        }
    assert_int_equal(api->predict(model, &m.batch, after, &err), CDM_OK);
    assert_memory_equal(before, after, sizeof before);
    api->model_free(model);
    free_batch(&m);
}

static void embeddings_have_the_width_of_the_head(void **state)
{
    open_plugin(state);
    struct cdm_error err;
    struct made m;
    float out[6 * 10 + 1];
    make_batch(&m, 6, 5, 9);
    out[60] = 77;
    struct cdm_torch_model *model = new_model(&small, 1);
    assert_int_equal(api->embed(model, &m.batch, out, &err), CDM_OK);
    assert_float_equal(out[60], 77, 0);
    assert_true(out[0] != out[10]);
    m.batch.n_pairs = 0;
    m.batch.devices = NULL;
    m.batch.pair_program = NULL;
    assert_int_equal(api->embed(model, &m.batch, out, &err), CDM_OK);
    api->model_free(model);
    free_batch(&m);
}

static void weights_have_names_of_their_own_and_are_read_as_written(void **state)
{
    open_plugin(state);
    struct cdm_error err;
    struct cdm_torch_model *model = new_model(&small, 1);
    randomise(model);
    struct cdm_model first = weights_of(model);
    assert_int_equal(cdm_model_give_weights(&first, api, model, &err), CDM_OK);
    struct cdm_model second = weights_of(model);
    assert_same_weights(&first, &second);
    for (int32_t i = 0; i < first.n_weights; i++)
        for (int32_t k = 0; k < i; k++)
            assert_string_not_equal(first.weights[i].name, first.weights[k].name);
    assert_string_equal(first.weights[0].name, "input.weight");
    assert_int_equal(first.weights[0].shape[0], 16);
    assert_int_equal(first.weights[0].shape[1], 5);
    cdm_model_release(&first);
    cdm_model_release(&second);
    api->model_free(model);
}

static void the_seed_decides_the_first_weights(void **state)
{
    open_plugin(state);
    struct cdm_torch_model *models[] = {new_model(&small, 1), new_model(&small, 1),
                                        new_model(&small, 2)};
    struct cdm_model first = weights_of(models[0]);
    struct cdm_model second = weights_of(models[1]);
    struct cdm_model third = weights_of(models[2]);
    assert_same_weights(&first, &second);
    assert_memory_not_equal(first.weights[0].values, third.weights[0].values, 16 * 5 * 4);
    cdm_model_release(&first);
    cdm_model_release(&second);
    cdm_model_release(&third);
    for (int i = 0; i < 3; i++)
        api->model_free(models[i]);
}

/* ---- What goes wrong ---- */

static void sizes_out_of_range_are_refused(void **state)
{
    open_plugin(state);
    struct cdm_error err;
    struct cdm_torch_model *model = NULL;
    struct cdm_net_config config = small;
    config.width = 20;
    assert_int_equal(api->model_new(&config, "cpu", 0, &model, &err), CDM_BAD_INPUT);
    assert_string_equal(err.message,
                        "network: width 20 is not a multiple of 2 * heads, with 4 heads");
    config = small;
    config.layers = 1000000;
    assert_int_equal(api->model_new(&config, "cpu", 0, &model, &err), CDM_BAD_INPUT);
    assert_string_equal(err.message, "network: layers must be from 0 to 64, not 1000000");
    config = small;
    config.ffn = 16384;
    config.width = 4096;
    config.layers = 64;
    assert_int_equal(api->model_new(&config, "cpu", 0, &model, &err), CDM_BAD_INPUT);
    assert_string_equal(err.message, "network: more than 268435456 weights");
    assert_null(model);
}

static void a_batch_of_another_size_is_a_bug_not_a_crash(void **state)
{
    open_plugin(state);
    struct cdm_error err;
    struct made m;
    float out[9];
    make_batch(&m, 6, 5, 9);
    struct cdm_torch_model *model = new_model(&small, 1);
    m.batch.n_features = 6;
    assert_int_equal(api->predict(model, &m.batch, out, &err), CDM_BUG);
    assert_string_equal(err.message,
                        "call of the LibTorch plug-in: n_features is not the network's");
    m.batch.n_features = 5;
    m.n_leaves[2] = 0;
    assert_int_equal(api->predict(model, &m.batch, out, &err), CDM_BUG);
    m.n_leaves[2] = 1;
    m.pair_program[8] = 6;
    assert_int_equal(api->predict(model, &m.batch, out, &err), CDM_BUG);
    assert_int_equal(api->model_read(model, 0, out, 9, &err), CDM_BUG);
    assert_int_equal(api->model_read(model, 10000, out, 9, &err), CDM_BUG);
    api->model_free(model);
    free_batch(&m);
}

static void devices_are_known_or_unavailable_with_the_reason(void **state)
{
    open_plugin(state);
    struct cdm_error err = {0};
    assert_int_equal(api->has_device("cpu", &err), CDM_OK);
    assert_int_equal(api->has_device("gpu", &err), CDM_USAGE);
    assert_int_equal(api->has_device("cuda:x", &err), CDM_USAGE);
    enum cdm_status status = api->has_device("cuda:0", &err);
    if (status != CDM_OK) {
        assert_int_equal(status, CDM_UNAVAILABLE);
        assert_true(strlen(err.message) > 20);
        print_message("# %s\n", err.message);
    }
}

static void a_label_that_is_not_finite_stops_the_step_and_changes_nothing(void **state)
{
    open_plugin(state);
    struct cdm_error err;
    struct made m;
    struct cdm_step_result result;
    const struct cdm_loss_options loss = {CDM_LOSS_HUBER, 1};
    make_batch(&m, 6, 5, 9);
    struct cdm_torch_model *model = new_model(&small, 1);
    struct cdm_torch_trainer *trainer = new_trainer(model, 0);
    struct cdm_model before = weights_of(model);
    m.labels[4] = NAN;
    assert_int_equal(
        api->trainer_step(trainer, &m.batch, m.labels, m.weights, &loss, &result, &err),
        CDM_BAD_INPUT);
    assert_non_null(strstr(err.message, "training diverged at step 0: the loss is nan"));
    assert_int_equal(api->trainer_steps(trainer), 0);
    struct cdm_model after = weights_of(model);
    assert_same_weights(&before, &after);
    cdm_model_release(&before);
    cdm_model_release(&after);
    api->trainer_free(trainer);
    api->model_free(model);
    free_batch(&m);
}

static void a_model_has_one_trainer_at_a_time(void **state)
{
    open_plugin(state);
    struct cdm_error err;
    struct cdm_torch_trainer *second = NULL;
    const struct cdm_trainer_options options = {.beta1 = 0.9F};
    struct cdm_torch_model *model = new_model(&small, 1);
    struct cdm_torch_trainer *first = new_trainer(model, 0);
    assert_int_equal(api->trainer_new(model, &options, &second, &err), CDM_BUG);
    api->trainer_free(first);
    assert_int_equal(api->trainer_new(model, &options, &second, &err), CDM_OK);
    api->trainer_free(second);
    api->model_free(model);
}

/* ---- Training ---- */

static void the_loss_is_the_weighted_mean_of_squares(void **state)
{
    open_plugin(state);
    struct cdm_error err;
    struct made m;
    float out[9];
    make_batch(&m, 6, 5, 9);
    struct cdm_torch_model *model = new_model(&small, 1);
    struct cdm_torch_trainer *trainer = new_trainer(model, 0);
    assert_int_equal(api->predict(model, &m.batch, out, &err), CDM_OK);
    double sum = 0;
    double share = 0;
    for (int i = 0; i < 9; i++) {
        sum += (double)m.weights[i] * (double)((out[i] - m.labels[i]) * (out[i] - m.labels[i]));
        share += (double)m.weights[i];
    }
    assert_near(step(trainer, &m).loss, sum / share, single);
    api->trainer_free(trainer);
    api->model_free(model);
    free_batch(&m);
}

static void the_first_step_of_adam_moves_weights_by_the_rate(void **state)
{
    open_plugin(state);
    struct made m;
    make_batch(&m, 6, 5, 9);
    struct cdm_torch_model *model = new_model(&small, 1);
    randomise(model);
    struct cdm_torch_trainer *trainer = new_trainer(model, 0);
    struct cdm_model before = weights_of(model);
    step(trainer, &m);
    struct cdm_model after = weights_of(model);
    /* The output's bias has a gradient for certain; with mean / sqrt(square) = 1 it moves by the
     * rate. */
    int32_t last = before.n_weights - 1;
    assert_string_equal(before.weights[last].name, "output.bias");
    assert_near(fabsf(after.weights[last].values[0] - before.weights[last].values[0]), 0.01, 1e-5);
    cdm_model_release(&before);
    cdm_model_release(&after);
    api->trainer_free(trainer);
    api->model_free(model);
    free_batch(&m);
}

static void the_average_follows_the_weights(void **state)
{
    open_plugin(state);
    struct cdm_error err;
    struct made m;
    make_batch(&m, 6, 5, 9);
    struct cdm_torch_model *model = new_model(&small, 1);
    struct cdm_torch_trainer *trainer = new_trainer(model, 0.999F);
    struct cdm_model before = weights_of(model);
    step(trainer, &m);
    struct cdm_model after = weights_of(model);
    assert_int_equal(api->trainer_swap_average(trainer, &err), CDM_OK);
    struct cdm_model average = weights_of(model);
    assert_int_equal(api->trainer_swap_average(trainer, &err), CDM_OK);
    struct cdm_model again = weights_of(model);
    assert_same_weights(&after, &again);
    /* The first step keeps 2 / 11 of the old weights. */
    for (int i = 0; i < 16 * 5; i++)
        assert_near(
            average.weights[0].values[i],
            (2 * (double)before.weights[0].values[i] + 9 * (double)after.weights[0].values[i]) / 11,
            1e-7);
    cdm_model_release(&before);
    cdm_model_release(&after);
    cdm_model_release(&average);
    cdm_model_release(&again);
    api->trainer_free(trainer);
    api->model_free(model);
    free_batch(&m);
}

static void steps_lower_the_loss(void **state)
{
    open_plugin(state);
    struct made m;
    make_batch(&m, 6, 5, 9);
    struct cdm_torch_model *model = new_model(&small, 1);
    struct cdm_torch_trainer *trainer = new_trainer(model, 0);
    float first = step(trainer, &m).loss;
    for (int i = 0; i < 200; i++)
        step(trainer, &m);
    /* Nine pairs and some 3,000 weights: it can learn them by heart. */
    assert_true(step(trainer, &m).loss < 0.01F * first);
    api->trainer_free(trainer);
    api->model_free(model);
    free_batch(&m);
}

/* ---- With the loop ---- */

static struct cdm_train_options small_run(const char *checkpoint)
{
    struct cdm_train_options options;
    cdm_train_defaults(&options);
    options.net.width = 16;
    options.net.layers = 1;
    options.net.heads = 2;
    options.net.ffn = 16;
    options.net.summary_width = 8;
    options.net.device_width = 8;
    options.net.head_width = 16;
    options.net.head_layers = 1;
    options.net.dropout = 0.1F;
    options.epochs = 3;
    options.batch = 16;
    options.rate = 3e-3;
    options.checkpoint = checkpoint;
    return options;
}

static volatile sig_atomic_t stop_flag;

static void stop_at_20(void *context, const struct cdm_train_event *event)
{
    (void)context;
    if (event->step == 20)
        stop_flag = 1;
}

static void a_resumed_run_has_the_weights_of_one_that_ran_through(void **state)
{
    open_plugin(state);
    struct cdm_error err;
    struct samples samples;
    struct cdm_model through;
    struct cdm_model resumed;
    struct cdm_train_report report;
    char folder[256];
    char path[300];
    samples_make(&samples, 200, 1);
    test_folder_make(folder, sizeof folder);
    snprintf(path, sizeof path, "%s/run", folder);
    struct cdm_train_options options = small_run(path);
    assert_int_equal(cdm_train(api, &samples.set, &options, &through, &report, &err), CDM_OK);
    options.progress = stop_at_20;
    options.stop = &stop_flag;
    assert_int_equal(cdm_train(api, &samples.set, &options, &resumed, &report, &err), CDM_STOPPED);
    stop_flag = 0;
    options.progress = NULL;
    options.resume = true;
    assert_int_equal(cdm_train(api, &samples.set, &options, &resumed, &report, &err), CDM_OK);
    assert_int_equal(report.steps, 24);
    assert_same_weights(&through, &resumed);
    cdm_model_release(&through);
    cdm_model_release(&resumed);
    samples_release(&samples);
    test_folder_remove(folder);
}

static void a_trained_model_predicts_from_its_file(void **state)
{
    open_plugin(state);
    struct cdm_error err;
    struct samples samples;
    struct cdm_model model;
    struct cdm_train_report report;
    struct cdm_predictor *predictor;
    const struct cdm_input_versions versions = {1, SAMPLE_FEATURES, 1, SAMPLE_DEVICE_ENTRIES};
    char folder[256];
    char path[300];
    samples_make(&samples, 600, 1);
    test_folder_make(folder, sizeof folder);
    snprintf(path, sizeof path, "%s/model", folder);
    struct cdm_train_options options = small_run(NULL);
    options.net.dropout = 0;
    options.epochs = 30;
    assert_int_equal(cdm_train(api, &samples.set, &options, &model, &report, &err), CDM_OK);
    assert_true(report.best_score < 0.1);
    model.feature_set = 1;
    model.device_vector = 1;
    assert_int_equal(cdm_model_write(path, &model, &err), CDM_OK);
    assert_int_equal(cdm_predictor_open(path, api, "cpu", &versions, &predictor, &err), CDM_OK);
    size_t n = samples.set.n_pairs;
    double *seconds = cdm_alloc(n, sizeof *seconds);
    assert_int_equal(
        cdm_predictor_run(predictor, &samples.set.inputs, samples.pairs, n, seconds, &err), CDM_OK);
    size_t close = 0;
    size_t tests = 0;
    for (size_t i = 0; i < n; i++) {
        if (samples.split[i] != CDM_SPLIT_TEST)
            continue;
        tests++;
        close += fabs(log(seconds[i] / samples.seconds[i])) < 0.25;
    }
    assert_true(close > tests * 8 / 10);
    free(seconds);
    cdm_predictor_free(predictor);
    cdm_model_release(&model);
    samples_release(&samples);
    test_folder_remove(folder);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_network_computes_what_the_reference_does),
        cmocka_unit_test(the_network_without_summary_and_layers_does_too),
        cmocka_unit_test(what_is_in_the_padding_does_not_matter),
        cmocka_unit_test(embeddings_have_the_width_of_the_head),
        cmocka_unit_test(weights_have_names_of_their_own_and_are_read_as_written),
        cmocka_unit_test(the_seed_decides_the_first_weights),
        cmocka_unit_test(sizes_out_of_range_are_refused),
        cmocka_unit_test(a_batch_of_another_size_is_a_bug_not_a_crash),
        cmocka_unit_test(devices_are_known_or_unavailable_with_the_reason),
        cmocka_unit_test(a_label_that_is_not_finite_stops_the_step_and_changes_nothing),
        cmocka_unit_test(a_model_has_one_trainer_at_a_time),
        cmocka_unit_test(the_loss_is_the_weighted_mean_of_squares),
        cmocka_unit_test(the_first_step_of_adam_moves_weights_by_the_rate),
        cmocka_unit_test(the_average_follows_the_weights),
        cmocka_unit_test(steps_lower_the_loss),
        cmocka_unit_test(a_resumed_run_has_the_weights_of_one_that_ran_through),
        cmocka_unit_test(a_trained_model_predicts_from_its_file),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
