#include "data/dataset.h"
#include "features/device_vector.h"
#include "features/leaf.h"
#include "tests/unit/place.h"
#include "tests/unit/programs.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>
/* cmocka.h needs the headers above. */
#include <cmocka.h>

struct state {
    char folder[128];
    struct cdm_device_set set;
    struct cdm_dataset dataset;
    struct cdm_str problems; /* a line for each */
    struct cdm_error err;
};

static int set_up(void **state)
{
    struct state *s = calloc(1, sizeof *s);

    test_folder_make(s->folder, sizeof s->folder);
    cdm_str_puts(&s->problems, "");
    *state = s;
    return 0;
}

static int tear_down(void **state)
{
    struct state *s = *state;

    cdm_dataset_release(&s->dataset);
    cdm_device_set_release(&s->set);
    cdm_str_release(&s->problems);
    test_folder_remove(s->folder);
    free(s);
    return 0;
}

static void write_file(const struct state *s, const char *name, const char *text)
{
    char path[256];

    snprintf(path, sizeof path, "%s/%s", s->folder, name);
    if (strstr(name, ".gz")) {
        gzFile file = gzopen(path, "wb");
        assert_non_null(file);
        gzwrite(file, text, (unsigned)strlen(text));
        assert_int_equal(gzclose(file), Z_OK);
        return;
    }
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    fputs(text, file);
    assert_int_equal(fclose(file), 0);
}

static void note_problem(void *context, const char *file, const struct cdm_error *error)
{
    struct state *s = context;
    const char *name = strrchr(file, '/');

    cdm_str_printf(&s->problems, "%s:%d: %s\n", name ? name + 1 : file, (int)error->line,
                   error->message);
}

static enum cdm_status read_dataset(struct state *s)
{
    const struct cdm_dataset_watch watch = {NULL, note_problem, s};

    cdm_dataset_release(&s->dataset);
    s->err = (struct cdm_error){0};
    return cdm_dataset_read(&s->dataset, s->folder, &s->set, &watch, &s->err);
}

/* The message of a reading that fails, without the folder's name. */
static const char *failure(struct state *s, enum cdm_status expected)
{
    assert_int_equal(read_dataset(s), expected);
    const char *found = strstr(s->err.message, s->folder);
    return found ? found + strlen(s->folder) : s->err.message;
}

/* A program line with n stores in a loop of `extent`. */
#define PROGRAM(id, more, stores)                                                                  \
    "{\"id\":\"" id "\"" more ",\"tir\":\"@T.prim_func\\ndef f(A: T.Buffer((64,), "                \
    "\\\"float32\\\")):\\n    for i in T.serial(8):\\n" stores "\"}\n"
#define STORE "        A[i] = T.float32(0)\\n"
#define HEAD "program\tdevice\tseconds\n"

static void two_programs(struct state *s)
{
    write_file(s, "programs.ndjson",
               PROGRAM("p", ",\"task\":\"t\"", STORE) PROGRAM("q", "", STORE STORE));
    write_file(s, "measurements.tsv", HEAD "p\tt4\t1e-5\nq\tv100\t2e-5\nq\tt4\t0.5\n");
}

static void programs_devices_and_latencies_are_read(void **state)
{
    struct state *s = *state;
    const struct cdm_dataset *d = &s->dataset;
    float vector[CDM_DEVICE_VECTOR_SIZE];

    two_programs(s);
    assert_int_equal(read_dataset(s), CDM_OK);
    assert_string_equal(s->problems.data, "");
    assert_int_equal(d->n_programs, 2);
    assert_true(cdm_view_is(d->ids[0], "p") && cdm_view_is(d->ids[1], "q"));
    /* A program without a task is a task of its own. */
    assert_int_equal(d->n_tasks, 2);
    assert_true(cdm_view_is(d->task_names[d->tasks[0]], "t"));
    assert_true(cdm_view_is(d->task_names[d->tasks[1]], "q"));
    assert_int_equal(d->offsets[0], 0);
    assert_int_equal(d->offsets[1], 1);
    assert_int_equal(d->offsets[2], 3);
    assert_int_equal(d->positions[0], 2);
    assert_int_equal(d->positions[2], 4);
    /* outer_prod 8, as log2(8 + 1). */
    assert_true(d->leaves[161] > 3.16F && d->leaves[161] < 3.18F);

    assert_int_equal(d->n_devices, 2);
    assert_string_equal(d->devices[0]->name, "t4");
    assert_string_equal(d->devices[1]->name, "v100");
    cdm_device_vector(d->devices[1], vector);
    assert_memory_equal(d->device_vectors + CDM_DEVICE_VECTOR_SIZE, vector, sizeof vector);

    assert_int_equal(d->n_measurements, 3);
    static const int32_t programs[] = {0, 1, 1}, devices[] = {0, 1, 0};
    static const double seconds[] = {1e-5, 2e-5, 0.5};
    for (int i = 0; i < 3; i++) {
        assert_int_equal(d->programs[i], programs[i]);
        assert_int_equal(d->measured_on[i], devices[i]);
        assert_true(d->seconds[i] == seconds[i]);
    }
    assert_int_equal(d->n_unknown, 0);
    assert_int_equal(strlen(d->hash), 64);
}

static void columns_may_stand_in_any_order(void **state)
{
    struct state *s = *state;

    two_programs(s);
    write_file(s, "measurements.tsv",
               "cv\tseconds\tother\tprogram\trepeats\tdevice\n\n0.1\t3e-6\t\tq\t\tt4\r\n");
    assert_int_equal(read_dataset(s), CDM_OK);
    assert_int_equal(s->dataset.n_measurements, 1);
    assert_int_equal(s->dataset.programs[0], 1);
    assert_true(s->dataset.seconds[0] == 3e-6);
}

static void all_files_of_the_folder_count_in_the_order_of_their_names(void **state)
{
    struct state *s = *state;

    write_file(s, "programs.01.ndjson.gz", PROGRAM("b", "", STORE));
    write_file(s, "programs.00.ndjson", PROGRAM("a", "", STORE));
    write_file(s, "programs", "not read");
    write_file(s, "programs.txt", "not read");
    write_file(s, "other.ndjson", "not read");
    write_file(s, "measurements.v100.tsv.gz", HEAD "b\tv100\t1\n");
    write_file(s, "measurements.t4.tsv", HEAD "a\tt4\t2\nb\tt4\t3\n");
    assert_int_equal(read_dataset(s), CDM_OK);
    assert_int_equal(s->dataset.n_programs, 2);
    assert_true(cdm_view_is(s->dataset.ids[0], "a"));
    assert_int_equal(s->dataset.n_measurements, 3);
    assert_true(s->dataset.seconds[0] == 2 && s->dataset.seconds[2] == 1);
    assert_string_equal(s->problems.data, "");
}

static void what_cannot_be_used_is_told_and_left_out(void **state)
{
    struct state *s = *state;

    write_file(s, "programs.ndjson",
               PROGRAM("a", "", STORE) "{\"id\":\"bad\",\"tir\":\"no program\"}\n"
                                       "not json\n"
                                       "{\"id\":\n" PROGRAM("a", "", STORE STORE)
                                           PROGRAM("none", "", "        T.evaluate(0)\\n")
                                               PROGRAM("b", ",\"task\":\"t\"", STORE));
    write_file(s, "measurements.tsv", HEAD "a\tt4\t1\nbad\tt4\t2\nb\tt4\t3\nnone\tt4\t1\n");
    assert_int_equal(read_dataset(s), CDM_OK);
    assert_int_equal(s->dataset.n_programs, 2);
    assert_true(cdm_view_is(s->dataset.ids[1], "b"));
    assert_int_equal(s->dataset.n_measurements, 2);
    assert_int_equal(s->dataset.n_unknown, 2);
    assert_string_equal(s->problems.data,
                        "programs.ndjson:2: \"tir\": this is no dump in a format that cdmpp reads "
                        "(TVMScript or TVM's JSON)\n"
                        "programs.ndjson:4: JSON: the text ends in the middle of the document\n"
                        "programs.ndjson:5: the program a was there before\n"
                        "programs.ndjson:6: the program stores nothing\n");
}

static void a_program_with_too_many_stores_is_left_out(void **state)
{
    struct state *s = *state;
    struct cdm_str text = {0};

    cdm_str_puts(&text,
                 PROGRAM("a", "", STORE) "{\"id\":\"long\",\"tir\":\"@T.prim_func\\ndef f(A: "
                                         "T.Buffer((64,), \\\"float32\\\")):\\n");
    for (int i = 0; i <= CDM_DATASET_MAX_LEAVES; i++)
        cdm_str_puts(&text, "    A[0] = T.float32(0)\\n");
    cdm_str_puts(&text, "\"}\n");
    write_file(s, "programs.ndjson", text.data);
    cdm_str_release(&text);
    write_file(s, "measurements.tsv", HEAD "a\tt4\t1\n");
    assert_int_equal(read_dataset(s), CDM_OK);
    assert_int_equal(s->dataset.n_programs, 1);
    assert_string_equal(s->problems.data,
                        "programs.ndjson:2: the program has 2049 stores; a model takes 2048\n");
}

static void the_hash_tells_of_every_change(void **state)
{
    struct state *s = *state;
    char hash[5][CDM_DATASET_HASH];
    static const char *const measurements[] = {
        HEAD "p\tt4\t1e-5\nq\tt4\t2e-5\n", HEAD "p\tt4\t1e-5\nq\tt4\t3e-5\n", /* a latency */
        HEAD "p\tt4\t1e-5\nq\tv100\t2e-5\n",                                  /* a device */
    };

    two_programs(s);
    for (int i = 0; i < 3; i++) {
        write_file(s, "measurements.tsv", measurements[i]);
        assert_int_equal(read_dataset(s), CDM_OK);
        strcpy(hash[i], s->dataset.hash);
    }
    write_file(s, "measurements.tsv", measurements[0]);
    /* A program. */
    write_file(s, "programs.ndjson",
               PROGRAM("p", ",\"task\":\"t\"", STORE) PROGRAM("q", "", STORE));
    assert_int_equal(read_dataset(s), CDM_OK);
    strcpy(hash[3], s->dataset.hash);
    /* A task. */
    write_file(s, "programs.ndjson",
               PROGRAM("p", ",\"task\":\"u\"", STORE) PROGRAM("q", "", STORE STORE));
    assert_int_equal(read_dataset(s), CDM_OK);
    strcpy(hash[4], s->dataset.hash);
    for (int i = 0; i < 5; i++)
        for (int j = i + 1; j < 5; j++)
            assert_string_not_equal(hash[i], hash[j]);
    /* And of nothing else: the same again, in other files, with other members. */
    write_file(s, "programs.ndjson", PROGRAM("p", ",\"op\":\"x\",\"task\":\"t\"", STORE) "\n");
    write_file(s, "programs2.ndjson.gz", PROGRAM("q", "", STORE STORE));
    assert_int_equal(read_dataset(s), CDM_OK);
    assert_string_equal(s->dataset.hash, hash[0]);
}

static void faults_in_measurements_end_the_reading_with_their_place(void **state)
{
    struct state *s = *state;
    static const struct {
        const char *text, *message;
    } cases[] = {
        {"program\tdevice\n", "/measurements.tsv:1: the header has no column \"seconds\""},
        {"device\tseconds\n", "/measurements.tsv:1: the header has no column \"program\""},
        {HEAD "p\tt4\n", "/measurements.tsv:2: the line has too few fields"},
        {HEAD "p\tt4\t1\np\tt4\t0\n",
         "/measurements.tsv:3: the seconds are no positive number: \"0\""},
        {HEAD "p\tt4\t-1\n", "/measurements.tsv:2: the seconds are no positive number: \"-1\""},
        {HEAD "p\tt4\tnan\n", "/measurements.tsv:2: the seconds are no positive number: \"nan\""},
        {HEAD "p\tt4\tinf\n", "/measurements.tsv:2: the seconds are no positive number: \"inf\""},
        {HEAD "p\tt4\t\n", "/measurements.tsv:2: the seconds are no positive number: \"\""},
        {HEAD "p\tt4\t1 s\n", "/measurements.tsv:2: the seconds are no positive number: \"1 s\""},
        {HEAD "p\tv1000\t1\n", "/measurements.tsv:2: unknown device \"v1000\"; did you mean "
                               "\"v100\"? \"cdmpp device list\" names those that are known"},
        {"", ": the dataset has no measurement of its programs"},
        {HEAD, ": the dataset has no measurement of its programs"},
        {HEAD "x\tt4\t1\n", ": the dataset has no measurement of its programs"},
    };

    two_programs(s);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        write_file(s, "measurements.tsv", cases[i].text);
        assert_string_equal(failure(s, CDM_BAD_INPUT), cases[i].message);
    }
}

static void the_name_of_a_device_is_no_path(void **state)
{
    struct state *s = *state;

    two_programs(s);
    write_file(s, "mine.yaml", "schema: 1\n");
    write_file(s, "measurements.tsv", HEAD "p\t./mine.yaml\t1\n");
    assert_string_equal(
        failure(s, CDM_BAD_INPUT),
        "/measurements.tsv:2: a path stands where the name of a device should: ./mine.yaml");
}

static void a_long_line_of_measurements_is_refused(void **state)
{
    struct state *s = *state;
    struct cdm_str text = {0};

    two_programs(s);
    cdm_str_puts(&text, HEAD "p\tt4\t1\t");
    for (int i = 0; i < 1 << 16; i++)
        cdm_str_putc(&text, 'x');
    write_file(s, "measurements.tsv", text.data);
    cdm_str_release(&text);
    assert_string_equal(failure(s, CDM_BAD_INPUT),
                        "/measurements.tsv:2: line is longer than 65536 bytes");
}

static void a_folder_that_is_no_dataset_says_what_is_missing(void **state)
{
    struct state *s = *state;
    char file[256];

    assert_string_equal(failure(s, CDM_BAD_INPUT),
                        ": there is no file programs*.ndjson or programs*.ndjson.gz");
    write_file(s, "programs.ndjson", PROGRAM("p", "", STORE));
    assert_string_equal(failure(s, CDM_BAD_INPUT),
                        ": there is no file measurements*.tsv or measurements*.tsv.gz");
    write_file(s, "programs.ndjson", "{\"tir\":3}\n");
    write_file(s, "measurements.tsv", HEAD);
    assert_string_equal(failure(s, CDM_BAD_INPUT), ": the dataset has no program");

    const struct cdm_dataset_watch watch = {0};
    cdm_dataset_release(&s->dataset);
    snprintf(file, sizeof file, "%s/programs.ndjson", s->folder);
    assert_int_equal(cdm_dataset_read(&s->dataset, file, &s->set, &watch, &s->err), CDM_BAD_INPUT);
    assert_non_null(strstr(s->err.message, "programs.ndjson: a dataset is a folder"));
    cdm_dataset_release(&s->dataset);
    snprintf(file, sizeof file, "%s/missing", s->folder);
    assert_int_equal(cdm_dataset_read(&s->dataset, file, &s->set, &watch, &s->err), CDM_IO);
    assert_non_null(strstr(s->err.message, "missing: No such file or directory"));
}

static void damaged_files_are_told_by_name(void **state)
{
    struct state *s = *state;

    two_programs(s);
    write_file(s, "measurements.tsv", "\x1f\x8b\x08 this is no gzip data");
    assert_non_null(strstr(failure(s, CDM_BAD_INPUT), "/measurements.tsv: bad gzip data"));
    two_programs(s);
    cdm_str_reset(&s->problems);
    write_file(s, "programs.ndjson", "\x1f\x8b\x08 this is no gzip data");
    assert_string_equal(failure(s, CDM_BAD_INPUT), ": the dataset has no program");
    assert_non_null(strstr(s->problems.data, "programs.ndjson:0: bad gzip data"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(programs_devices_and_latencies_are_read, set_up, tear_down),
        cmocka_unit_test_setup_teardown(columns_may_stand_in_any_order, set_up, tear_down),
        cmocka_unit_test_setup_teardown(all_files_of_the_folder_count_in_the_order_of_their_names,
                                        set_up, tear_down),
        cmocka_unit_test_setup_teardown(what_cannot_be_used_is_told_and_left_out, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(a_program_with_too_many_stores_is_left_out, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(the_hash_tells_of_every_change, set_up, tear_down),
        cmocka_unit_test_setup_teardown(faults_in_measurements_end_the_reading_with_their_place,
                                        set_up, tear_down),
        cmocka_unit_test_setup_teardown(the_name_of_a_device_is_no_path, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_long_line_of_measurements_is_refused, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_folder_that_is_no_dataset_says_what_is_missing, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(damaged_files_are_told_by_name, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
