#include "tests/unit/samples.h"

#include "cdmpp/core/alloc.h"
#include "cdmpp/core/rng.h"

#include <math.h>
#include <stdlib.h>

static double speed(int32_t device)
{
    return -1.5 * device;
}

void samples_make(struct samples *s, int32_t n, uint64_t seed)
{
    struct cdm_rng rng;
    cdm_rng_seed(&rng, seed, 0);
    size_t programs = (size_t)n;
    s->leaves = cdm_alloc(programs * 7 * SAMPLE_FEATURES, sizeof *s->leaves);
    s->offsets = cdm_alloc(programs + 1, sizeof *s->offsets);
    s->positions = cdm_alloc(programs * 7, sizeof *s->positions);
    s->devices = cdm_alloc(SAMPLE_DEVICES * SAMPLE_DEVICE_ENTRIES, sizeof *s->devices);
    s->pairs = cdm_alloc(programs * SAMPLE_DEVICES, sizeof *s->pairs);
    s->seconds = cdm_alloc(programs * SAMPLE_DEVICES, sizeof *s->seconds);
    s->split = cdm_alloc(programs * SAMPLE_DEVICES, sizeof *s->split);
    for (int32_t d = 0; d < SAMPLE_DEVICES; d++) {
        s->devices[d * SAMPLE_DEVICE_ENTRIES] = (float)d;
        s->devices[d * SAMPLE_DEVICE_ENTRIES + 1] = (float)(d == 1);
        s->devices[d * SAMPLE_DEVICE_ENTRIES + 2] = 4;
    }
    size_t n_pairs = 0;
    for (int32_t p = 0; p < n; p++) {
        int64_t n_leaves = 1 + (int64_t)cdm_rng_below(&rng, 7);
        float *rows = s->leaves + s->offsets[p] * SAMPLE_FEATURES;
        double sum = 0;
        for (int64_t i = 0; i < n_leaves * SAMPLE_FEATURES; i++) {
            int64_t entry = i % SAMPLE_FEATURES;
            double value = entry == SAMPLE_FEATURES - 1 ? 3 : 10 * cdm_rng_uniform(&rng);
            rows[i] = (float)value;
            sum += 0.2 * (double)(entry - 2) * value / (double)n_leaves;
        }
        for (int64_t i = 0; i < n_leaves; i++)
            s->positions[s->offsets[p] + i] = (int32_t)(3 + 2 * i);
        s->offsets[p + 1] = s->offsets[p] + n_leaves;
        for (int32_t d = (int32_t)cdm_rng_below(&rng, SAMPLE_DEVICES); d < SAMPLE_DEVICES; d++) {
            s->pairs[n_pairs] = (struct cdm_pair){p, d};
            s->seconds[n_pairs] = exp(sum + speed(d) - 8);
            s->split[n_pairs] = p % 5 < 3    ? CDM_SPLIT_TRAIN
                                : p % 5 == 3 ? CDM_SPLIT_VALIDATION
                                             : CDM_SPLIT_TEST;
            n_pairs++;
        }
    }
    s->set = (struct cdm_train_set){
        .inputs = {.n_programs = n,
                   .n_features = SAMPLE_FEATURES,
                   .leaves = s->leaves,
                   .offsets = s->offsets,
                   .positions = s->positions,
                   .n_devices = SAMPLE_DEVICES,
                   .n_device_entries = SAMPLE_DEVICE_ENTRIES,
                   .devices = s->devices},
        .n_pairs = n_pairs,
        .pairs = s->pairs,
        .seconds = s->seconds,
        .split = s->split,
        .hash = "made up",
    };
}

void samples_release(struct samples *s)
{
    free(s->leaves);
    free(s->offsets);
    free(s->positions);
    free(s->devices);
    free(s->pairs);
    free(s->seconds);
    free(s->split);
}
