/* Made-up samples that a model can learn from. */
#ifndef CDMPP_TESTS_UNIT_SAMPLES_H
#define CDMPP_TESTS_UNIT_SAMPLES_H

#include "models/train.h"

enum { SAMPLE_FEATURES = 6, SAMPLE_DEVICE_ENTRIES = 3, SAMPLE_DEVICES = 3 };

struct samples {
    struct cdm_train_set set; /* points into the arrays below */
    float *leaves;
    int64_t *offsets;
    int32_t *positions;
    float *devices;
    struct cdm_pair *pairs;
    double *seconds;
    uint8_t *split;
};

/* n programs of 1 to 7 leaves, each measured on one to three devices; of five programs three are
 * for training, one for validation, one for the test. ln(seconds) is a linear function of the mean
 * of the leaves and of the device. The last feature is constant. The same seed gives the same
 * samples. */
void samples_make(struct samples *samples, int32_t n, uint64_t seed);
void samples_release(struct samples *samples);

#endif
