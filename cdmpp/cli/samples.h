/* A dataset read for training or evaluation, with everything that is derived from its names. */
#ifndef CDMPP_CLI_SAMPLES_H
#define CDMPP_CLI_SAMPLES_H

#include "cdmpp/core/error.h"
#include "data/dataset.h"
#include "models/inputs.h"

#include <stdbool.h>

struct cdm_samples {
    struct cdm_device_set devices;
    struct cdm_dataset dataset;
    struct cdm_inputs inputs; /* views of the dataset */
    struct cdm_pair *pairs;   /* [n_measurements] */
    int32_t *tasks;           /* [n_measurements] */
    uint8_t *split;           /* [n_measurements] enum cdm_split */
    bool *unseen;             /* [n_measurements] the whole task is outside the training set */
    bool *good;               /* [n_measurements] within four times the task's best on the device */
    const char **device_names; /* [n_devices] */
    int64_t n_problems;        /* programs that could not be read; they have been reported */
};

/* Reads the folder, with a progress bar; problems go to the log. The caller releases, also after a
 * failure. */
enum cdm_status cdm_samples_read(struct cdm_samples *samples, const char *folder,
                                 struct cdm_error *err) CDM_MUST_CHECK;

void cdm_samples_release(struct cdm_samples *samples);

#endif
