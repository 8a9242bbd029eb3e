/* Model files and prediction, with the linear model of fake_torch.c. */
#include "cdmpp/core/str.h"
#include "cdmpp/core/text.h"
#include "models/plugin.h"
#include "models/predictor.h"
#include "models/safetensors.h"
#include "models/train.h"
#include "tests/unit/near.h"
#include "tests/unit/place.h"
#include "tests/unit/samples.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
/* cmocka.h needs the headers above. */
#include <cmocka.h>

struct fixture {
    const struct cdm_torch_api *api;
    struct samples samples;
    struct cdm_model model;
    char folder[256];
    char path[300];
};

static const struct cdm_input_versions versions = {1, SAMPLE_FEATURES, 4, SAMPLE_DEVICE_ENTRIES};

static int set_up(void **state)
{
    struct cdm_error err = {0};
    char plugin[4096];
    struct cdm_train_options options;
    struct cdm_train_report report;
    struct fixture *f = calloc(1, sizeof *f);
    samples_make(&f->samples, 100, 1);
    test_folder_make(f->folder, sizeof f->folder);
    snprintf(f->path, sizeof f->path, "%s/model", f->folder);
    cdm_train_defaults(&options);
    options.net.layers = 3; /* whatever the default is: tensors are named by layer below */
    options.net.width = 8;
    options.net.heads = 2;
    options.net.ffn = 8;
    options.net.head_width = 8;
    options.epochs = 60;
    options.batch = 16;
    options.rate = 0.02;
    options.trainer.average = 0;
    enum cdm_status status = cdm_plugin_open(
        test_built("fake/libcdmpp_torch.so", plugin, sizeof plugin), 1, &f->api, &err);
    if (status == CDM_OK)
        status = cdm_train(f->api, &f->samples.set, &options, &f->model, &report, &err);
    f->model.feature_set = 1;
    f->model.device_vector = 4;
    cdm_meta_set(&f->model.about, "devices", "a,b,c");
    if (status == CDM_OK)
        status = cdm_model_write(f->path, &f->model, &err);
    if (status != CDM_OK)
        print_error("%s\n", err.message);
    *state = f;
    return status != CDM_OK;
}

static int tear_down(void **state)
{
    struct fixture *f = *state;
    cdm_model_release(&f->model);
    samples_release(&f->samples);
    test_folder_remove(f->folder);
    free(f);
    return 0;
}

/* ---- Model files ---- */

static void a_model_comes_back_from_its_file(void **state)
{
    struct fixture *f = *state;
    struct cdm_error err;
    struct cdm_model read;
    assert_int_equal(cdm_model_read(f->path, &read, &err), CDM_OK);
    assert_int_equal(read.feature_set, 1);
    assert_int_equal(read.device_vector, 4);
    assert_int_equal(read.net.width, 8);
    assert_int_equal(read.net.n_summary, 2 * SAMPLE_FEATURES + 1);
    assert_int_equal(read.label.kind, CDM_LABEL_LOG);
    assert_near(read.label.mean, f->model.label.mean, 0);
    assert_near(read.label.scale, f->model.label.scale, 0);
    assert_memory_equal(read.scaling.leaf.mean, f->model.scaling.leaf.mean,
                        SAMPLE_FEATURES * sizeof(float));
    assert_float_equal(read.scaling.device.clip, 5, 0);
    assert_int_equal(read.n_weights, f->model.n_weights);
    assert_string_equal(cdm_meta_find(&read.about, "devices"), "a,b,c");
    cdm_model_release(&read);
}

static void a_model_that_was_read_is_written_to_the_same_bytes(void **state)
{
    struct fixture *f = *state;
    struct cdm_error err;
    struct cdm_model read;
    struct cdm_str first = {0};
    struct cdm_str second = {0};
    assert_int_equal(cdm_read_file(f->path, 1 << 24, &first, &err), CDM_OK);
    assert_int_equal(cdm_model_read(f->path, &read, &err), CDM_OK);
    assert_int_equal(cdm_model_write(f->path, &read, &err), CDM_OK);
    assert_int_equal(cdm_read_file(f->path, 1 << 24, &second, &err), CDM_OK);
    assert_int_equal(first.length, second.length);
    assert_memory_equal(first.data, second.data, first.length);
    cdm_model_release(&read);
    cdm_str_release(&first);
    cdm_str_release(&second);
}

/* Writes the model's file again with one key of the metadata changed (or, with NULL, left out), and
 * reads it. */
static void assert_changed_file_is_refused(struct fixture *f, const char *key, const char *value,
                                           const char *message)
{
    struct cdm_error err = {0};
    struct cdm_tensors *tensors;
    struct cdm_model read;
    assert_int_equal(cdm_model_write(f->path, &f->model, &err), CDM_OK);
    assert_int_equal(cdm_tensors_open(f->path, &tensors, &err), CDM_OK);
    const struct cdm_meta *old = cdm_tensors_meta(tensors);
    struct cdm_meta meta = {0};
    for (size_t i = 0; i < old->n; i++)
        if (strcmp(old->items[i].key, key) != 0)
            cdm_meta_set(&meta, old->items[i].key, old->items[i].value);
    if (value)
        cdm_meta_set(&meta, key, value);
    size_t n = cdm_tensors_count(tensors);
    assert_int_equal(cdm_tensors_write(f->path, cdm_tensors_at(tensors, 0), n, &meta, &err),
                     CDM_OK);
    cdm_tensors_free(tensors);
    cdm_meta_release(&meta);
    assert_int_equal(cdm_model_read(f->path, &read, &err), CDM_BAD_INPUT);
    assert_string_equal(err.message, message);
    assert_null(read.weights);
}

static void a_model_of_another_file_version_is_refused(void **state)
{
    assert_changed_file_is_refused(*state, "model", "2",
                                   "the model file has version 2; this program reads version 1");
    assert_changed_file_is_refused(*state, "model", NULL,
                                   "not a model of cdmpp: metadata lacks \"model\"");
}

static void sizes_that_the_tensors_do_not_have_are_refused(void **state)
{
    assert_changed_file_is_refused(
        *state, "net.width", "4096",
        "tensor \"input.weight\" is F32 [8, 6], where F32 [4096, 6] is needed");
    assert_changed_file_is_refused(*state, "net.layers", "60000",
                                   "tensor \"encoder.3.ffn.in.weight\" is missing");
    assert_changed_file_is_refused(
        *state, "net.head_width", "9",
        "tensor \"join.weight\" is F32 [8, 8], where F32 [9, ?] is needed");
    assert_changed_file_is_refused(*state, "net.features", "7",
                                   "metadata \"net.summary\" is 13, where 15 is needed");
    assert_changed_file_is_refused(*state, "net.ffn", "-1",
                                   "metadata \"net.ffn\" must be from 1 to 65536, not -1");
}

static void senseless_labels_are_refused(void **state)
{
    assert_changed_file_is_refused(*state, "label.scale", "0",
                                   "metadata \"label.scale\" must be positive");
    assert_changed_file_is_refused(*state, "label.mean", "nan",
                                   "metadata \"label.mean\" is not a finite number: \"nan\"");
    assert_changed_file_is_refused(*state, "label.kind", "sqrt",
                                   "no such label transform: \"sqrt\"");
}

static void a_model_with_other_inputs_is_refused_naming_both(void **state)
{
    struct fixture *f = *state;
    struct cdm_error err;
    struct cdm_predictor *predictor;
    struct cdm_input_versions other = versions;
    other.feature_set = 2;
    assert_int_equal(cdm_predictor_open(f->path, f->api, "cpu", &other, &predictor, &err),
                     CDM_BAD_INPUT);
    assert_null(predictor);
    assert_string_equal(err.message,
                        "the model was trained with feature set 1, but this program computes 2");
    other = versions;
    other.n_device_entries = 24;
    assert_int_equal(cdm_predictor_open(f->path, f->api, "cpu", &other, &predictor, &err),
                     CDM_BAD_INPUT);
    assert_string_equal(err.message, "the model was trained with size of the device vector 3, but "
                                     "this program computes 24");
}

static void a_model_with_a_weight_too_many_is_refused(void **state)
{
    struct fixture *f = *state;
    struct cdm_error err;
    struct cdm_predictor *predictor;
    free(f->model.weights[1].name);
    f->model.weights[1].name = strdup("strange");
    assert_int_equal(cdm_model_write(f->path, &f->model, &err), CDM_OK);
    assert_int_equal(cdm_predictor_open(f->path, f->api, "cpu", &versions, &predictor, &err),
                     CDM_BAD_INPUT);
    assert_string_equal(err.message, "the model lacks the tensor \"device.weight\"");
}

static void a_weight_that_is_not_finite_is_refused(void **state)
{
    struct fixture *f = *state;
    struct cdm_error err;
    struct cdm_model read;
    f->model.weights[0].values[3] = NAN;
    assert_int_equal(cdm_model_write(f->path, &f->model, &err), CDM_OK);
    assert_int_equal(cdm_model_read(f->path, &read, &err), CDM_BAD_INPUT);
    assert_string_equal(err.message, "tensor \"input.weight\" holds NaN at index 3");
}

/* ---- Prediction ---- */

static void latencies_come_back_in_the_order_of_the_pairs(void **state)
{
    struct fixture *f = *state;
    struct cdm_error err;
    struct cdm_predictor *predictor;
    const struct cdm_train_set *set = &f->samples.set;
    double *seconds = calloc(set->n_pairs, sizeof *seconds);
    assert_int_equal(cdm_predictor_open(f->path, f->api, "cpu", &versions, &predictor, &err),
                     CDM_OK);
    assert_string_equal(cdm_meta_find(&cdm_predictor_model(predictor)->about, "devices"), "a,b,c");
    assert_int_equal(
        cdm_predictor_run(predictor, &set->inputs, set->pairs, set->n_pairs, seconds, &err),
        CDM_OK);
    /* The law is linear, so the fake learns it to about a percent, on test programs too. */
    for (size_t i = 0; i < set->n_pairs; i++)
        assert_near(log(seconds[i]), log(set->seconds[i]), 0.2);
    cdm_predictor_free(predictor);
    free(seconds);
}

static void one_pair_is_predicted_as_among_many(void **state)
{
    struct fixture *f = *state;
    struct cdm_error err;
    struct cdm_predictor *predictor;
    const struct cdm_train_set *set = &f->samples.set;
    double *seconds = calloc(set->n_pairs, sizeof *seconds);
    double alone = 0;
    assert_int_equal(cdm_predictor_open(f->path, f->api, "cpu", &versions, &predictor, &err),
                     CDM_OK);
    assert_int_equal(
        cdm_predictor_run(predictor, &set->inputs, set->pairs, set->n_pairs, seconds, &err),
        CDM_OK);
    assert_int_equal(cdm_predictor_run(predictor, &set->inputs, &set->pairs[17], 1, &alone, &err),
                     CDM_OK);
    assert_near(alone, seconds[17], 0); /* the fake has no rounding by neighbours */
    cdm_predictor_free(predictor);
    free(seconds);
}

static void no_pairs_is_no_work(void **state)
{
    struct fixture *f = *state;
    struct cdm_error err;
    struct cdm_predictor *predictor;
    assert_int_equal(cdm_predictor_open(f->path, f->api, "cpu", &versions, &predictor, &err),
                     CDM_OK);
    assert_int_equal(cdm_predictor_run(predictor, &f->samples.set.inputs, NULL, 0, NULL, &err),
                     CDM_OK);
    cdm_predictor_free(predictor);
}

static void many_programs_make_several_batches(void **state)
{
    struct fixture *f = *state;
    struct cdm_error err;
    struct cdm_predictor *predictor;
    struct samples many;
    /* 20,000 programs have some 80,000 leaves, ten times what one batch may have. */
    samples_make(&many, 20000, 2);
    double *seconds = calloc(many.set.n_pairs, sizeof *seconds);
    assert_int_equal(cdm_predictor_open(f->path, f->api, "cpu", &versions, &predictor, &err),
                     CDM_OK);
    assert_int_equal(cdm_predictor_run(predictor, &many.set.inputs, many.set.pairs,
                                       many.set.n_pairs, seconds, &err),
                     CDM_OK);
    for (size_t i = 0; i < many.set.n_pairs; i++)
        assert_near(log(seconds[i]), log(many.set.seconds[i]), 0.4);
    cdm_predictor_free(predictor);
    samples_release(&many);
    free(seconds);
}

static void a_number_the_model_cannot_give_is_nan(void **state)
{
    struct fixture *f = *state;
    struct cdm_error err;
    struct cdm_predictor *predictor;
    double seconds = 0;
    f->model.label = (struct cdm_label){CDM_LABEL_BOX_COX, -0.5, 100, 1};
    assert_int_equal(cdm_model_write(f->path, &f->model, &err), CDM_OK);
    assert_int_equal(cdm_predictor_open(f->path, f->api, "cpu", &versions, &predictor, &err),
                     CDM_OK);
    assert_int_equal(
        cdm_predictor_run(predictor, &f->samples.set.inputs, f->samples.pairs, 1, &seconds, &err),
        CDM_OK);
    assert_true(isnan(seconds));
    cdm_predictor_free(predictor);
}

static void a_feature_that_is_not_finite_is_refused(void **state)
{
    struct fixture *f = *state;
    struct cdm_error err;
    struct cdm_predictor *predictor;
    double seconds;
    assert_int_equal(cdm_predictor_open(f->path, f->api, "cpu", &versions, &predictor, &err),
                     CDM_OK);
    f->samples.leaves[0] = NAN;
    assert_int_equal(
        cdm_predictor_run(predictor, &f->samples.set.inputs, f->samples.pairs, 1, &seconds, &err),
        CDM_BAD_INPUT);
    assert_string_equal(err.message, "program 0 has a feature that is not finite");
    cdm_predictor_free(predictor);
}

static void a_device_that_is_not_there_is_unavailable(void **state)
{
    struct fixture *f = *state;
    struct cdm_error err;
    struct cdm_predictor *predictor;
    assert_int_equal(cdm_predictor_open(f->path, f->api, "cuda:1", &versions, &predictor, &err),
                     CDM_UNAVAILABLE);
    assert_string_equal(err.message, "cuda:1 cannot be used: this is not LibTorch");
}

/* ---- The plug-in ---- */

static void a_missing_plugin_is_unavailable_with_its_path(void **state)
{
    (void)state;
    struct cdm_error err;
    const struct cdm_torch_api *api;
    assert_int_equal(cdm_plugin_open("/nowhere/libcdmpp_torch.so", 1, &api, &err), CDM_UNAVAILABLE);
    assert_non_null(strstr(err.message, "/nowhere/libcdmpp_torch.so"));
}

static void a_file_that_is_no_library_is_unavailable(void **state)
{
    struct fixture *f = *state;
    struct cdm_error err;
    const struct cdm_torch_api *api;
    assert_int_equal(cdm_plugin_open(f->path, 1, &api, &err), CDM_UNAVAILABLE);
}

#define with_model(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        with_model(a_model_comes_back_from_its_file),
        with_model(a_model_that_was_read_is_written_to_the_same_bytes),
        with_model(a_model_of_another_file_version_is_refused),
        with_model(sizes_that_the_tensors_do_not_have_are_refused),
        with_model(senseless_labels_are_refused),
        with_model(a_model_with_other_inputs_is_refused_naming_both),
        with_model(a_model_with_a_weight_too_many_is_refused),
        with_model(a_weight_that_is_not_finite_is_refused),
        with_model(latencies_come_back_in_the_order_of_the_pairs),
        with_model(one_pair_is_predicted_as_among_many),
        with_model(no_pairs_is_no_work),
        with_model(many_programs_make_several_batches),
        with_model(a_number_the_model_cannot_give_is_nan),
        with_model(a_feature_that_is_not_finite_is_refused),
        with_model(a_device_that_is_not_there_is_unavailable),
        cmocka_unit_test(a_missing_plugin_is_unavailable_with_its_path),
        with_model(a_file_that_is_no_library_is_unavailable),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
