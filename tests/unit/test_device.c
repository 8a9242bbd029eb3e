#include "cdmpp/core/str.h"
#include "features/device_set.h"
#include "features/device_vector.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
/* cmocka.h needs the headers above. */
#include <cmocka.h>

static enum cdm_status read_device(const char *text, struct cdm_device *device,
                                   struct cdm_arena *arena, struct cdm_error *err)
{
    return cdm_device_read(text, strlen(text), device, arena, err);
}

static void name_and_kind_are_enough(void **state)
{
    struct cdm_arena arena = {0};
    struct cdm_error err = {0};
    struct cdm_device device;

    (void)state;
    assert_int_equal(read_device("name: x\nkind: gpu\n", &device, &arena, &err), CDM_OK);
    assert_string_equal(device.name, "x");
    assert_int_equal(device.kind, DEVICE_GPU);
    assert_null(device.title);
    for (size_t i = 0; i < DEVICE_N_NUMBERS; i++)
        assert_false(device.numbers[i].known);
    assert_false(cdm_device_units(&device).known);
    assert_false(cdm_device_clock(&device).known);
    assert_false(cdm_device_unit_rate(&device).known);
    assert_false(cdm_device_peak_fp32(&device).known);
    assert_false(cdm_device_vector_lanes(&device).known);
    assert_false(cdm_device_l1_per_unit(&device).known);
    assert_false(cdm_device_unit_memory(&device).known);
    assert_false(cdm_device_last_cache(&device).known);
    assert_false(cdm_device_unit_threads(&device).known);
    cdm_arena_release(&arena);
}

static void numbers_stand_under_their_names(void **state)
{
    struct cdm_arena arena = {0};
    struct cdm_error err = {0};
    struct cdm_device device;

    (void)state;
    assert_int_equal(read_device("name: x\nkind: cpu\nyear: 2019\ncores: 8\nthreads: 16\n"
                                 "aliases: [y, z 1]\nl1_bytes: 32 KiB\n",
                                 &device, &arena, &err),
                     CDM_OK);
    assert_true(device.cores.known && device.cores.value == 8);
    assert_true(device.numbers[DEVICE_cores].value == 8);
    assert_true(device.threads.value == 16);
    assert_true(device.l1_bytes.value == 32768);
    assert_true(device.year.value == 2019);
    assert_int_equal(device.aliases.n, 2);
    assert_string_equal(device.aliases.items[1], "z 1");
    assert_string_equal(cdm_device_numbers[DEVICE_l1_bytes].key, "l1_bytes");
    assert_string_equal(cdm_device_numbers[DEVICE_l1_bytes].unit, "B");
    assert_null(cdm_device_numbers[DEVICE_cores].unit);
    cdm_arena_release(&arena);
}

static const struct {
    const char *text;
    const char *error;
} refused[] = {
    {"kind: gpu", "1:1: the key \"name\" is missing"},
    {"name: x", "1:1: the key \"kind\" is missing"},
    {"name: x\nkind: tpu", "2:7: \"kind\" must be cpu or gpu, not \"tpu\""},
    {"name: X\nkind: gpu", "the name \"X\" must be lower case letters, digits, '-', '.' and '_', "
                           "at most 63"},
    {"name: ../x\nkind: gpu", "the name \"../x\" must be lower case letters, digits, '-', '.' and "
                              "'_', at most 63"},
    {"name: ''\nkind: gpu",
     "the name \"\" must be lower case letters, digits, '-', '.' and '_', at most 63"},
    {"name: x\nkind: gpu\ntitle: |\n  a\n  b\n", "\"title\" must be one line"},
    {"name: x\nkind: gpu\ncores: 4", "3:8: \"cores\" is for a cpu, and this is a gpu"},
    {"name: x\nkind: cpu\nsms: 4", "3:6: \"sms\" is for a gpu, and this is a cpu"},
    {"name: x\nkind: cpu\ncores: 0", "3:8: \"cores\" must be between 1 and 65536, not 0"},
    {"name: x\nkind: cpu\ncores: 2.5", "3:8: \"cores\" must be a whole number, not 2.5"},
    {"name: x\nkind: cpu\nclock_hz: 1e9", "3:1: unknown key \"clock_hz\""},
    {"name: x\nkind: cpu\nclock_boost_hz: 3400",
     "3:17: \"clock_boost_hz\" must be between 1000000 and 100000000000 Hz, not 3400"},
    {"name: x\nkind: cpu\nclock_base_hz: 3 GHz\nclock_boost_hz: 2 GHz",
     "3:16: \"clock_base_hz\" is 3000000000, more than \"clock_boost_hz\", which is 2000000000"},
    {"name: x\nkind: cpu\ncores: 8\nthreads: 4",
     "3:8: \"cores\" is 8, more than \"threads\", which is 4"},
    {"name: x\nkind: gpu\nshared_bytes_per_sm: 64 KiB\nshared_bytes_per_block: 96 KiB",
     "4:25: \"shared_bytes_per_block\" is 98304, more than \"shared_bytes_per_sm\", which is "
     "65536"},
    {"name: x\nkind: gpu\nl1_holds_shared: true\nl1_bytes: 32 KiB\nshared_bytes_per_sm: 64 KiB",
     "5:22: \"shared_bytes_per_sm\" is more than \"l1_bytes\", which holds it"},
    {"name: x\nkind: gpu\nsms: 80\nfp32_lanes_per_sm: 64\nclock_boost_hz: 1.38 GHz\n"
     "peak_fp32_flops: 141 TFLOP/s",
     "6:18: \"peak_fp32_flops\" is 1.41e+14, but units x operations x clock is 1.413e+13"},
    {"name: x\nkind: gpu\nsms: 80\nsources:\n  - {title: a, gives: [sms, cores]}",
     "source \"a\" gives \"cores\", which is not a number of this file"},
    {"name: x\nkind: gpu\nsms: 80\nsources:\n  - {title: a, gives: []}",
     "5:23: \"gives\" must not be empty"},
};

static void each_mistake_is_told(void **state)
{
    int n_wrong = 0;

    (void)state;
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++) {
        struct cdm_arena arena = {0};
        struct cdm_error err = {0};
        struct cdm_device device;
        char text[600] = "accepted";
        if (read_device(refused[i].text, &device, &arena, &err) != CDM_OK)
            cdm_error_text(&err, NULL, text, sizeof text);
        cdm_arena_release(&arena);
        if (err.status == CDM_BAD_INPUT && !strcmp(text, refused[i].error))
            continue;
        print_error("%s\n  wanted: %s\n  got:    %s\n", refused[i].text, refused[i].error, text);
        n_wrong++;
    }
    assert_int_equal(n_wrong, 0);
}

static struct cdm_device device_of(const char *text, struct cdm_arena *arena)
{
    struct cdm_error err = {0};
    struct cdm_device device;

    if (read_device(text, &device, arena, &err) != CDM_OK)
        fail_msg("%s: %s", text, err.message);
    return device;
}

static void the_peak_follows_from_units_rate_and_clock(void **state)
{
    struct cdm_arena arena = {0};

    (void)state;
    struct cdm_device cpu = device_of("name: x\nkind: cpu\ncores: 8\nclock_base_hz: 3 GHz\n"
                                      "clock_boost_hz: 4 GHz\nsimd_bits: 256\n"
                                      "fma_units_per_core: 2\n",
                                      &arena);
    assert_true(cdm_device_unit_rate(&cpu).value == 32);
    assert_true(cdm_device_peak_fp32(&cpu).value == 8 * 32 * 4e9);
    /* No boost clock: the base clock counts. No FMA units: nothing follows from the SIMD width. */
    cpu = device_of("name: x\nkind: cpu\ncores: 8\nclock_base_hz: 3 GHz\nsimd_bits: 256\n"
                    "fma_units_per_core: 0\n",
                    &arena);
    assert_true(cdm_device_clock(&cpu).value == 3e9);
    assert_false(cdm_device_unit_rate(&cpu).known);
    assert_false(cdm_device_peak_fp32(&cpu).known);
    struct cdm_device gpu = device_of("name: x\nkind: gpu\nsms: 10\nclock_boost_hz: 2 GHz\n"
                                      "peak_fp32_flops: 2.56 TFLOP/s\n",
                                      &arena);
    assert_true(cdm_device_unit_rate(&gpu).value == 128);
    cdm_arena_release(&arena);
}

static void caches_are_divided_by_who_shares_them(void **state)
{
    struct cdm_arena arena = {0};

    (void)state;
    /* Two groups of four cores with an L3 each. */
    struct cdm_device device = device_of("name: x\nkind: cpu\ncores: 8\nl2_bytes: 512 KiB\n"
                                         "l3_bytes: 16 MiB\nl3_shared_by: 4\n",
                                         &arena);
    assert_true(cdm_device_unit_memory(&device).value == 512 * 1024);
    assert_true(cdm_device_last_cache(&device).value == 32 * 1048576.0);
    /* One core of 64. */
    device =
        device_of("name: x\nkind: cpu\ncores: 1\nl3_bytes: 320 MiB\nl3_shared_by: 64\n", &arena);
    assert_true(cdm_device_last_cache(&device).value == 5 * 1048576.0);
    /* No L3: the L2 is the last. */
    device = device_of("name: x\nkind: cpu\ncores: 4\nl2_bytes: 1 MiB\nl2_shared_by: 4\n", &arena);
    assert_true(cdm_device_unit_memory(&device).value == 256 * 1024);
    assert_true(cdm_device_last_cache(&device).value == 1048576.0);
    device = device_of("name: x\nkind: cpu\ncores: 4\nl2_bytes: 1 MiB\n", &arena);
    assert_true(cdm_device_last_cache(&device).value == 4 * 1048576.0);
    device = device_of("name: x\nkind: gpu\nsms: 4\nl2_bytes: 1 MiB\n", &arena);
    assert_true(cdm_device_last_cache(&device).value == 1048576.0);
    cdm_arena_release(&arena);
}

/* ---- The vector ---- */

struct expected {
    const char *name;
    double value;
};

static void assert_vector(const char *name, const struct expected *expected)
{
    struct cdm_device_set set = {0};
    struct cdm_error err = {0};
    const struct cdm_device *device;
    float vector[CDM_DEVICE_VECTOR_SIZE];

    assert_int_equal(cdm_device_find(&set, name, &device, &err), CDM_OK);
    cdm_device_vector(device, vector);
    for (size_t i = 0; i < CDM_DEVICE_VECTOR_SIZE; i++) {
        assert_string_equal(cdm_device_vector_name(i), expected[i].name);
        /* float32 has 24 bits; the hand-computed values have six decimals. */
        if (!(fabs((double)vector[i] - expected[i].value) < 2e-6))
            fail_msg("%s %s: %.7f, not %.7f", name, expected[i].name, (double)vector[i],
                     expected[i].value);
    }
    cdm_device_set_release(&set);
}

static void the_vector_of_a_gpu_is_as_computed_by_hand(void **state)
{
    static const struct expected expected[CDM_DEVICE_VECTOR_SIZE] = {
        {"is_cpu", 0},
        {"is_gpu", 1},
        {"peak_fp32", 1.226920}, /* (log2(14.1e12) - 40) / 3 */
        {"peak_fp32_known", 1},
        {"memory_bandwidth", 0.902106}, /* (log2(897e9) - 37) / 3 */
        {"memory_bandwidth_known", 1},
        {"clock", -0.137979}, /* log2(1.38e9) - 30.5 */
        {"clock_known", 1},
        {"units", 1.160964}, /* (log2(80) - 4) / 2 */
        {"units_known", 1},
        {"unit_rate", 0.5}, /* (log2(2 * 64) - 6) / 2 */
        {"unit_rate_known", 1},
        {"vector_lanes", 1}, /* log2(32) - 4 */
        {"vector_lanes_known", 1},
        {"l1", 0.666667}, /* (log2(131072) - 16) / 1.5 */
        {"l1_known", 1},
        {"unit_memory", -0.207519}, /* (log2(98304) - 17) / 2 */
        {"unit_memory_known", 1},
        {"last_cache", -0.207519}, /* (log2(6291456) - 23) / 2 */
        {"last_cache_known", 1},
        {"unit_threads", 1.666667}, /* (log2(2048) - 6) / 3 */
        {"unit_threads_known", 1},
        {"year", 0}, /* (2017 - 2017) / 4 */
        {"year_known", 1},
    };

    (void)state;
    assert_vector("v100", expected);
}

static void the_vector_of_a_cpu_is_as_computed_by_hand(void **state)
{
    static const struct expected expected[CDM_DEVICE_VECTOR_SIZE] = {
        {"is_cpu", 1},
        {"is_gpu", 0},
        {"peak_fp32", 0.011619}, /* (log2(8 * 32 * 4.4e9) - 40) / 3 */
        {"peak_fp32_known", 1},
        {"memory_bandwidth", -0.474858}, /* (log2(51.2e9) - 37) / 3 */
        {"memory_bandwidth_known", 1},
        {"clock", 1.534856}, /* log2(4.4e9) - 30.5 */
        {"clock_known", 1},
        {"units", -0.5}, /* (log2(8) - 4) / 2 */
        {"units_known", 1},
        {"unit_rate", -0.5}, /* (log2(32) - 6) / 2 */
        {"unit_rate_known", 1},
        {"vector_lanes", -1}, /* log2(256 / 32) - 4 */
        {"vector_lanes_known", 1},
        {"l1", -0.666667}, /* (log2(32768) - 16) / 1.5 */
        {"l1_known", 1},
        {"unit_memory", 1}, /* (log2(524288) - 17) / 2 */
        {"unit_memory_known", 1},
        {"last_cache", 1}, /* (log2(2 * 16777216) - 23) / 2 */
        {"last_cache_known", 1},
        {"unit_threads", -1.666667}, /* (log2(2) - 6) / 3 */
        {"unit_threads_known", 1},
        {"year", 0.5}, /* (2019 - 2017) / 4 */
        {"year_known", 1},
    };

    (void)state;
    assert_vector("ryzen-3700x", expected);
}

static void an_empty_description_gives_zeros_and_its_kind(void **state)
{
    struct cdm_arena arena = {0};
    float vector[CDM_DEVICE_VECTOR_SIZE];

    (void)state;
    struct cdm_device device = device_of("name: x\nkind: gpu\n", &arena);
    cdm_device_vector(&device, vector);
    for (size_t i = 0; i < CDM_DEVICE_VECTOR_SIZE; i++)
        assert_true(vector[i] == (i == 1 ? 1.0F : 0.0F));
    cdm_arena_release(&arena);
}

static void a_strange_description_stays_within_four(void **state)
{
    struct cdm_arena arena = {0};
    float vector[CDM_DEVICE_VECTOR_SIZE];

    (void)state;
    struct cdm_device device =
        device_of("name: x\nkind: cpu\nclock_base_hz: 1e6\ncores: 65536\nthreads: 65536\n"
                  "memory_bandwidth_bytes_per_s: 1e15\nl1_bytes: 256\nl1_shared_by: 65536\n"
                  "l2_bytes: 1e12\nyear: 1980\n",
                  &arena);
    cdm_device_vector(&device, vector);
    for (size_t i = 0; i < CDM_DEVICE_VECTOR_SIZE; i++)
        assert_true(vector[i] >= -4 && vector[i] <= 4);
    assert_true(vector[6] == -4); /* the clock, log2(1e6) - 30.5 = -10.6 */
    cdm_arena_release(&arena);
}

/* ---- Shipped descriptions ---- */

static void every_number_of_every_shipped_device_has_its_source(void **state)
{
    struct cdm_device_set set = {0};
    struct cdm_error err = {0};
    const struct cdm_device **devices;
    size_t n;

    (void)state;
    if (cdm_device_list(&set, &devices, &n, &err) != CDM_OK)
        fail_msg("%s", err.message);
    assert_true(n >= 13);
    for (size_t i = 0; i < n; i++) {
        const struct cdm_device *device = devices[i];
        assert_null(device->file);
        assert_true(device->title && device->vendor && device->architecture && device->isa);
        assert_true(device->year.known && device->assumptions.n > 0);
        for (int j = 0; j < DEVICE_N_NUMBERS; j++)
            if (device->numbers[j].known !=
                (cdm_device_source_of(device, (enum cdm_device_number)j) >= 0))
                fail_msg("%s: %s has no source", device->name, cdm_device_numbers[j].key);
    }
    free(devices);
    cdm_device_set_release(&set);
}

static void every_shipped_device_has_a_full_vector(void **state)
{
    struct cdm_device_set set = {0};
    struct cdm_error err = {0};
    const struct cdm_device **devices;
    size_t n;

    (void)state;
    assert_int_equal(cdm_device_list(&set, &devices, &n, &err), CDM_OK);
    for (size_t i = 0; i < n; i++) {
        float vector[CDM_DEVICE_VECTOR_SIZE];
        cdm_device_vector(devices[i], vector);
        for (size_t j = 3; j < CDM_DEVICE_VECTOR_SIZE; j += 2)
            if (vector[j] != 1)
                fail_msg("%s: %s", devices[i]->name, cdm_device_vector_name(j));
        for (size_t j = 0; j < CDM_DEVICE_VECTOR_SIZE; j++)
            if (!(vector[j] >= -3 && vector[j] <= 3))
                fail_msg("%s: %s is %g", devices[i]->name, cdm_device_vector_name(j),
                         (double)vector[j]);
    }
    free(devices);
    cdm_device_set_release(&set);
}

static void every_name_and_alias_leads_to_one_device(void **state)
{
    struct cdm_device_set set = {0};
    struct cdm_error err = {0};
    const struct cdm_device **devices;
    const struct cdm_device *found;
    size_t n;

    (void)state;
    assert_int_equal(cdm_device_list(&set, &devices, &n, &err), CDM_OK);
    for (size_t i = 0; i < n; i++) {
        for (size_t j = 0; j < devices[i]->aliases.n; j++) {
            const char *alias = devices[i]->aliases.items[j];
            assert_int_equal(cdm_device_find(&set, alias, &found, &err), CDM_OK);
            assert_string_equal(found->name, devices[i]->name);
        }
        struct cdm_device_set fresh = {0};
        assert_int_equal(cdm_device_find(&fresh, devices[i]->name, &found, &err), CDM_OK);
        assert_string_equal(found->name, devices[i]->name);
        cdm_device_set_release(&fresh);
    }
    free(devices);
    cdm_device_set_release(&set);
}

static void shipped_files_are_named_after_their_device(void **state)
{
    const char *name;
    const char *text;

    (void)state;
    for (size_t i = 0; (text = cdm_device_shipped(i, &name)); i++) {
        struct cdm_arena arena = {0};
        struct cdm_device device = device_of(text, &arena);
        assert_string_equal(device.name, name);
        cdm_arena_release(&arena);
    }
}

static void the_devices_of_the_data_are_shipped(void **state)
{
    static const char *const names[] = {
        "a100",    "cortex-a72",  "gtx1650", "i5-1035g1", "i7-3770",    "k80",        "mi50",
        "rtx3080", "ryzen-3700x", "t4",      "v100",      "xeon-8124m", "xeon-emr-1t"};

    (void)state;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        struct cdm_device_set set = {0};
        struct cdm_error err = {0};
        const struct cdm_device *device;
        assert_int_equal(cdm_device_find(&set, names[i], &device, &err), CDM_OK);
        assert_string_equal(device->name, names[i]);
        /* By its own name only its own file is read. */
        assert_int_equal(set.n_devices, 1);
        cdm_device_set_release(&set);
    }
}

/* ---- Names ---- */

static void case_spaces_and_dashes_do_not_count(void **state)
{
    static const char *const spellings[] = {"rtx3080", "RTX 3080", "rtx-3080", "GeForce RTX 3080",
                                            "NVIDIA_GeForce_RTX_3080"};
    struct cdm_device_set set = {0};
    struct cdm_error err = {0};
    const struct cdm_device *device;

    (void)state;
    for (size_t i = 0; i < sizeof spellings / sizeof *spellings; i++) {
        assert_int_equal(cdm_device_find(&set, spellings[i], &device, &err), CDM_OK);
        assert_string_equal(device->name, "rtx3080");
    }
    cdm_device_set_release(&set);
}

static void an_unknown_name_is_a_usage_error_with_a_suggestion(void **state)
{
    struct cdm_device_set set = {0};
    struct cdm_error err = {0};
    const struct cdm_device *device;

    (void)state;
    assert_int_equal(cdm_device_find(&set, "v10", &device, &err), CDM_USAGE);
    assert_null(device);
    assert_string_equal(
        err.message, "unknown device \"v10\"; did you mean \"v100\"? \"cdmpp device list\" names "
                     "those that are known");
    assert_int_equal(cdm_device_find(&set, "", &device, &err), CDM_USAGE);
    assert_string_equal(
        err.message, "unknown device \"\"; \"cdmpp device list\" names those that are known, and "
                     "a path to a YAML file works too");
    cdm_device_set_release(&set);
}

/* ---- Folders and files ---- */

static char folder[] = "/tmp/cdmpp-test-device-XXXXXX";

static void write_file(const char *name, const char *text)
{
    char path[200];

    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs(text, file);
    assert_int_equal(fclose(file), 0);
}

static int make_folder(void **state)
{
    (void)state;
    strcpy(folder, "/tmp/cdmpp-test-device-XXXXXX");
    return mkdtemp(folder) ? 0 : -1;
}

static int remove_folder(void **state)
{
    static const char *const names[] = {"a.yaml", "b.yml", "c.txt", "bad.yaml"};
    char path[200];

    (void)state;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        snprintf(path, sizeof path, "%s/%s", folder, names[i]);
        unlink(path);
    }
    return rmdir(folder);
}

static void a_folder_adds_devices_and_hides_shipped_ones(void **state)
{
    struct cdm_device_set set = {.folder = folder};
    struct cdm_error err = {0};
    const struct cdm_device *device;
    const struct cdm_device **devices;
    size_t n;
    size_t n_shipped = 0;
    const char *name;

    (void)state;
    while (cdm_device_shipped(n_shipped, &name))
        n_shipped++;
    write_file("a.yaml", "name: mine\nkind: cpu\naliases: [my box]\n");
    write_file("b.yml", "name: v100\nkind: gpu\ntitle: another\n");
    write_file("c.txt", "not a description");
    assert_int_equal(cdm_device_find(&set, "My Box", &device, &err), CDM_OK);
    assert_string_equal(device->name, "mine");
    assert_int_equal(cdm_device_find(&set, "v100", &device, &err), CDM_OK);
    assert_string_equal(device->title, "another");
    assert_int_equal(cdm_device_find(&set, "t4", &device, &err), CDM_OK);
    assert_null(device->file);
    assert_int_equal(cdm_device_list(&set, &devices, &n, &err), CDM_OK);
    assert_int_equal(n, n_shipped + 1);
    for (size_t i = 1; i < n; i++)
        assert_true(strcmp(devices[i - 1]->name, devices[i]->name) < 0);
    free(devices);
    cdm_device_set_release(&set);
}

static void a_path_is_read_as_a_file(void **state)
{
    struct cdm_device_set set = {0};
    struct cdm_error err = {0};
    const struct cdm_device *device;
    char path[200];

    (void)state;
    write_file("a.yaml", "name: mine\nkind: cpu\ncores: 3\n");
    snprintf(path, sizeof path, "%s/a.yaml", folder);
    assert_int_equal(cdm_device_find(&set, path, &device, &err), CDM_OK);
    assert_true(device->cores.value == 3);
    assert_string_equal(device->file, path);
    /* It is not known by its name from now on. */
    assert_int_equal(cdm_device_find(&set, "mine", &device, &err), CDM_USAGE);
    cdm_device_set_release(&set);
}

static void an_error_in_a_file_names_the_file_and_the_place(void **state)
{
    struct cdm_device_set set = {.folder = folder};
    struct cdm_error err = {0};
    const struct cdm_device *device;
    char wanted[300];

    (void)state;
    write_file("bad.yaml", "name: mine\nkind: cpu\ncores: many\n");
    snprintf(wanted, sizeof wanted, "%s/bad.yaml:3:8: \"cores\" must be a number, not \"many\"",
             folder);
    assert_int_equal(cdm_device_find(&set, "v100", &device, &err), CDM_BAD_INPUT);
    assert_string_equal(err.message, wanted);
    assert_int_equal(err.line, 0);
    cdm_device_set_release(&set);
}

static void two_files_with_one_name_are_refused(void **state)
{
    struct cdm_device_set set = {.folder = folder};
    struct cdm_error err = {0};
    const struct cdm_device *device;
    char wanted[300];

    (void)state;
    write_file("a.yaml", "name: my-box\nkind: cpu\n");
    write_file("b.yml", "name: mybox\nkind: cpu\n");
    snprintf(wanted, sizeof wanted, "%s/b.yml: the name \"mybox\" is also that of %s/a.yaml",
             folder, folder);
    assert_int_equal(cdm_device_find(&set, "v100", &device, &err), CDM_BAD_INPUT);
    assert_string_equal(err.message, wanted);
    cdm_device_set_release(&set);
}

static void a_folder_that_is_not_there_is_an_io_error(void **state)
{
    struct cdm_device_set set = {.folder = "/no/such/folder"};
    struct cdm_error err = {0};
    const struct cdm_device *device;

    (void)state;
    assert_int_equal(cdm_device_find(&set, "v100", &device, &err), CDM_IO);
    assert_string_equal(
        err.message,
        "/no/such/folder: cannot read the folder of devices: No such file or directory");
    set.folder = "";
    assert_int_equal(cdm_device_find(&set, "v100", &device, &err), CDM_OK);
    cdm_device_set_release(&set);
}

#define WITH_FOLDER(test) cmocka_unit_test_setup_teardown(test, make_folder, remove_folder)

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(name_and_kind_are_enough),
        cmocka_unit_test(numbers_stand_under_their_names),
        cmocka_unit_test(each_mistake_is_told),
        cmocka_unit_test(the_peak_follows_from_units_rate_and_clock),
        cmocka_unit_test(caches_are_divided_by_who_shares_them),
        cmocka_unit_test(the_vector_of_a_gpu_is_as_computed_by_hand),
        cmocka_unit_test(the_vector_of_a_cpu_is_as_computed_by_hand),
        cmocka_unit_test(an_empty_description_gives_zeros_and_its_kind),
        cmocka_unit_test(a_strange_description_stays_within_four),
        cmocka_unit_test(every_number_of_every_shipped_device_has_its_source),
        cmocka_unit_test(every_shipped_device_has_a_full_vector),
        cmocka_unit_test(every_name_and_alias_leads_to_one_device),
        cmocka_unit_test(shipped_files_are_named_after_their_device),
        cmocka_unit_test(the_devices_of_the_data_are_shipped),
        cmocka_unit_test(case_spaces_and_dashes_do_not_count),
        cmocka_unit_test(an_unknown_name_is_a_usage_error_with_a_suggestion),
        WITH_FOLDER(a_folder_adds_devices_and_hides_shipped_ones),
        WITH_FOLDER(a_path_is_read_as_a_file),
        WITH_FOLDER(an_error_in_a_file_names_the_file_and_the_place),
        WITH_FOLDER(two_files_with_one_name_are_refused),
        cmocka_unit_test(a_folder_that_is_not_there_is_an_io_error),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
