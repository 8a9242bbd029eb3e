#include "models/inputs.h"

#include "cdmpp/core/alloc.h"

#include <inttypes.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

static bool all_finite(const float *values, size_t n)
{
    /* 0 * x is 0 for a finite x and NaN for the others: a sum that the compiler can vectorise. */
    float sum = 0;
    for (size_t i = 0; i < n; i++)
        sum += 0 * values[i];
    return sum == 0;
}

enum cdm_status cdm_inputs_check(const struct cdm_inputs *inputs, struct cdm_error *err)
{
    size_t n_features = (size_t)inputs->n_features;
    for (int32_t i = 0; i < inputs->n_programs; i++) {
        int64_t start = inputs->offsets[i];
        int64_t n_leaves = inputs->offsets[i + 1] - start;
        if (start < 0 || n_leaves < 1)
            return cdm_fail(err, CDM_BAD_INPUT, "program %" PRId32 " has no leaf", i);
        if (n_leaves > CDM_MAX_LEAVES)
            return cdm_fail(err, CDM_BAD_INPUT,
                            "program %" PRId32 " has %" PRId64 " leaves; at most %d are possible",
                            i, n_leaves, CDM_MAX_LEAVES);
        if (!all_finite(inputs->leaves + (size_t)start * n_features, (size_t)n_leaves * n_features))
            return cdm_fail(err, CDM_BAD_INPUT,
                            "program %" PRId32 " has a feature that is not finite", i);
        for (int64_t leaf = start; leaf < start + n_leaves; leaf++)
            if (inputs->positions[leaf] < 0)
                return cdm_fail(err, CDM_BAD_INPUT,
                                "program %" PRId32 " has a leaf with a negative position", i);
    }
    size_t n_entries = (size_t)inputs->n_device_entries;
    for (int32_t i = 0; i < inputs->n_devices; i++)
        if (!all_finite(inputs->devices + (size_t)i * n_entries, n_entries))
            return cdm_fail(err, CDM_BAD_INPUT,
                            "the vector of device %" PRId32 " has an entry that is not finite", i);
    return CDM_OK;
}

int32_t cdm_summary_size(int32_t n_features)
{
    return 2 * n_features + 1;
}

void cdm_summarise(const float *leaves, int64_t n_leaves, int32_t n_features, float *summary)
{
    size_t n = (size_t)n_features;
    float *sum = summary;
    float *most = summary + n;
    memcpy(sum, leaves, n * sizeof *sum);
    memcpy(most, leaves, n * sizeof *most);
    for (int64_t leaf = 1; leaf < n_leaves; leaf++) {
        const float *row = leaves + (size_t)leaf * n;
        for (size_t i = 0; i < n; i++) {
            sum[i] += row[i];
            most[i] = row[i] > most[i] ? row[i] : most[i];
        }
    }
    summary[2 * n] = logf((float)n_leaves);
}

static const float *leaves_of(const struct cdm_inputs *inputs, int32_t program, int64_t *n_leaves)
{
    int64_t start = inputs->offsets[program];
    *n_leaves = inputs->offsets[program + 1] - start;
    return inputs->leaves + (size_t)start * (size_t)inputs->n_features;
}

void cdm_scaling_fit(struct cdm_scaling *scaling, const struct cdm_inputs *inputs,
                     const uint8_t *uses_program, const uint8_t *uses_device, int summary,
                     float clip)
{
    int32_t n_summary = summary ? cdm_summary_size(inputs->n_features) : 0;
    float *row = cdm_alloc((size_t)n_summary + 1, sizeof *row);
    struct cdm_normaliser_fit leaf;
    struct cdm_normaliser_fit whole;
    struct cdm_normaliser_fit device;
    cdm_normaliser_fit_begin(&leaf, inputs->n_features);
    cdm_normaliser_fit_begin(&whole, n_summary);
    cdm_normaliser_fit_begin(&device, inputs->n_device_entries);
    for (int32_t i = 0; i < inputs->n_programs; i++) {
        if (!uses_program[i])
            continue;
        int64_t n_leaves;
        const float *rows = leaves_of(inputs, i, &n_leaves);
        cdm_normaliser_fit_add(&leaf, rows, (size_t)n_leaves);
        if (n_summary)
            cdm_summarise(rows, n_leaves, inputs->n_features, row);
        cdm_normaliser_fit_add(&whole, row, 1);
    }
    for (int32_t i = 0; i < inputs->n_devices; i++)
        if (uses_device[i])
            cdm_normaliser_fit_add(
                &device, inputs->devices + (size_t)i * (size_t)inputs->n_device_entries, 1);
    cdm_normaliser_fit_end(&leaf, clip, &scaling->leaf);
    cdm_normaliser_fit_end(&whole, clip, &scaling->summary);
    cdm_normaliser_fit_end(&device, clip, &scaling->device);
    free(row);
}

void cdm_scaling_release(struct cdm_scaling *scaling)
{
    cdm_normaliser_release(&scaling->leaf);
    cdm_normaliser_release(&scaling->summary);
    cdm_normaliser_release(&scaling->device);
}

static int32_t most_leaves(const struct cdm_inputs *inputs, const int32_t *programs, int32_t n)
{
    int64_t most = 1;
    for (int32_t i = 0; i < n; i++) {
        int64_t n_leaves;
        leaves_of(inputs, programs[i], &n_leaves);
        most = n_leaves > most ? n_leaves : most;
    }
    return (int32_t)most;
}

static void fill_program(const struct cdm_inputs *inputs, const struct cdm_scaling *scaling,
                         int32_t program, size_t max_leaves, float *leaves, float *positions,
                         float *summary)
{
    size_t n_features = (size_t)inputs->n_features;
    int64_t n;
    const float *rows = leaves_of(inputs, program, &n);
    size_t n_leaves = (size_t)n;
    cdm_normalise(&scaling->leaf, rows, n_leaves, leaves);
    memset(leaves + n_leaves * n_features, 0,
           (max_leaves - n_leaves) * n_features * sizeof *leaves);
    const int32_t *position = inputs->positions + inputs->offsets[program];
    for (size_t i = 0; i < max_leaves; i++)
        positions[i] = i < n_leaves ? (float)position[i] : 0;
    if (scaling->summary.n == 0)
        return;
    cdm_summarise(rows, n, inputs->n_features, summary);
    cdm_normalise(&scaling->summary, summary, 1, summary);
}

static void reserve(struct cdm_batch *batch, size_t n, size_t max_leaves, size_t n_features,
                    size_t n_summary, size_t n_pairs, size_t n_entries)
{
    size_t *capacity = batch->capacity;
    size_t n_rows = n * max_leaves;
    batch->leaves = cdm_grow(batch->leaves, &capacity[0], n_rows * n_features, sizeof(float));
    batch->n_leaves = cdm_grow(batch->n_leaves, &capacity[1], n, sizeof(int32_t));
    batch->positions = cdm_grow(batch->positions, &capacity[2], n_rows, sizeof(float));
    batch->summary = cdm_grow(batch->summary, &capacity[3], n * n_summary, sizeof(float));
    batch->pair_program = cdm_grow(batch->pair_program, &capacity[4], n_pairs, sizeof(int32_t));
    batch->devices = cdm_grow(batch->devices, &capacity[5], n_pairs * n_entries, sizeof(float));
}

void cdm_batch_fill(struct cdm_batch *batch, const struct cdm_inputs *inputs,
                    const struct cdm_scaling *scaling, const int32_t *programs, int32_t n_programs,
                    const struct cdm_pair *pairs, int32_t n_pairs)
{
    size_t n = (size_t)n_programs;
    size_t n_wanted = (size_t)n_pairs;
    size_t n_features = (size_t)inputs->n_features;
    size_t n_summary = (size_t)scaling->summary.n;
    size_t n_entries = (size_t)inputs->n_device_entries;
    int32_t most = most_leaves(inputs, programs, n_programs);
    size_t max_leaves = (size_t)most;
    reserve(batch, n, max_leaves, n_features, n_summary, n_wanted, n_entries);
    for (size_t i = 0; i < n; i++) {
        int32_t program = programs[i];
        batch->n_leaves[i] = (int32_t)(inputs->offsets[program + 1] - inputs->offsets[program]);
        fill_program(inputs, scaling, program, max_leaves,
                     batch->leaves + i * max_leaves * n_features, batch->positions + i * max_leaves,
                     batch->summary + i * n_summary);
    }
    for (size_t i = 0; i < n_wanted; i++) {
        batch->pair_program[i] = pairs[i].program;
        cdm_normalise(&scaling->device, inputs->devices + (size_t)pairs[i].device * n_entries, 1,
                      batch->devices + i * n_entries);
    }
    batch->view = (struct cdm_torch_batch){
        .n_programs = n_programs,
        .max_leaves = most,
        .n_features = inputs->n_features,
        .leaves = batch->leaves,
        .n_leaves = batch->n_leaves,
        .positions = batch->positions,
        .n_summary = scaling->summary.n,
        .summary = batch->summary,
        .n_pairs = n_pairs,
        .pair_program = batch->pair_program,
        .n_device = inputs->n_device_entries,
        .devices = batch->devices,
    };
}

void cdm_batch_release(struct cdm_batch *batch)
{
    free(batch->leaves);
    free(batch->n_leaves);
    free(batch->positions);
    free(batch->summary);
    free(batch->pair_program);
    free(batch->devices);
    *batch = (struct cdm_batch){0};
}
