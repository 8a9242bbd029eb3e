/* YAML to a device and its vector; and the same text by a table with the types of field that a
 * device does not have. */
#include "features/device_vector.h"

#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check(bool holds, const char *what)
{
    if (holds)
        return;
    fprintf(stderr, "does not hold: %s\n", what);
    abort();
}

/* Every refusal says why, and where if the text is to blame. */
static void check_error(enum cdm_status status, const struct cdm_error *err, const char *text,
                        size_t size)
{
    int64_t n_lines = 1;

    for (size_t i = 0; i < size; i++)
        n_lines += text[i] == '\n';
    check(status == CDM_BAD_INPUT && err->status == status, "status is bad input");
    check(*err->message, "there is a message");
    check(err->line >= 0 && err->line <= n_lines, "the line is in the text");
    check(err->column >= 0 && err->column <= (int64_t)size + 1, "the column is in the text");
}

static void read_device(const char *text, size_t size)
{
    struct cdm_arena arena = {0};
    struct cdm_error err = {0};
    struct cdm_device device;
    float vector[CDM_DEVICE_VECTOR_SIZE];
    enum cdm_status status = cdm_device_read(text, size, &device, &arena, &err);

    if (status == CDM_OK) {
        cdm_device_vector(&device, vector);
        for (size_t i = 0; i < CDM_DEVICE_VECTOR_SIZE; i++)
            check(vector[i] >= -4 && vector[i] <= 4, "the vector is within -4..4");
        check(*device.name, "there is a name");
        for (size_t i = 0; i < DEVICE_N_NUMBERS; i++) {
            check(isfinite(device.numbers[i].value), "numbers are finite");
            check(cdm_device_source_of(&device, (enum cdm_device_number)i) < (int)device.sources.n,
                  "sources are in the list");
        }
    } else {
        check_error(status, &err, text, size);
    }
    cdm_arena_release(&arena);
}

struct node {
    int64_t count;
    double rate;
    bool flag;
    struct cdm_numbers numbers;
    struct cdm_maps nodes;
};

static const struct cdm_field node_fields[] = {
    {.key = "c",
     .type = FIELD_WHOLE,
     .offset = offsetof(struct node, count),
     .min = -1e9,
     .max = 1e9},
    {.key = "r", .type = FIELD_NUMBER, .offset = offsetof(struct node, rate), .unit = "B/s"},
    {.key = "f", .type = FIELD_BOOL, .offset = offsetof(struct node, flag)},
    {.key = "n", .type = FIELD_NUMBERS, .offset = offsetof(struct node, numbers)},
    {.key = "m", .type = FIELD_MAP, .fields = node_fields},
    {.key = "l",
     .type = FIELD_MAPS,
     .offset = offsetof(struct node, nodes),
     .fields = node_fields,
     .size = sizeof(struct node)},
    {.key = NULL},
};

static void read_node(const char *text, size_t size)
{
    struct cdm_arena arena = {0};
    struct cdm_error err = {0};
    struct node node = {0};
    enum cdm_status status = cdm_yaml_read(text, size, node_fields, &node, &arena, &err);

    if (status == CDM_OK) {
        check(node.count >= -1000000000 && node.count <= 1000000000, "the range is kept");
        check(isfinite(node.rate), "numbers are finite");
        for (size_t i = 0; i < node.numbers.n; i++)
            check(isfinite(node.numbers.items[i]), "numbers of lists are finite");
    } else {
        check_error(status, &err, text, size);
    }
    cdm_arena_release(&arena);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    /* A NULL pointer with size 0 is the fuzzer's empty input. */
    const char *text = size ? (const char *)data : "";

    read_device(text, size);
    read_node(text, size);
    return 0;
}
