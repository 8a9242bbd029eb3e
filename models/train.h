/* Training a predictor on samples in memory.
 *
 * One run: fit the scaling and the label transform to the training pairs; then for each epoch
 * shuffle the programs, form batches of about equal leaf counts, make one step of AdamW for each,
 * and measure the validation pairs. The result is the state of the network (its running average,
 * where that is on) that was best on validation. The same samples, options, seed, number of threads
 * and plug-in give the same weights, also when the run was interrupted and went on from its
 * checkpoint. */
#ifndef CDMPP_MODELS_TRAIN_H
#define CDMPP_MODELS_TRAIN_H

#include "cdmpp/core/error.h"
#include "data/label.h"
#include "data/split.h"
#include "models/inputs.h"
#include "models/model_file.h"
#include "models/torch/torch_shim.h"

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Everything is borrowed. A program may be in one set only. */
struct cdm_train_set {
    struct cdm_inputs inputs;
    size_t n_pairs;
    const struct cdm_pair *pairs; /* [n_pairs], in any order */
    const double *seconds;        /* [n_pairs] */
    const float *weights;         /* [n_pairs] share in the loss; NULL: all 1 */
    const uint8_t *split;         /* [n_pairs] enum cdm_split; only train and validation are used */
    const char *hash;             /* of the dataset, to recognise it again; NULL: unknown */
};

enum cdm_train_event_kind {
    CDM_TRAIN_RESUMED,   /* the run goes on from a checkpoint */
    CDM_TRAIN_STEP,      /* a step was made */
    CDM_TRAIN_EPOCH,     /* an epoch ended and was validated */
    CDM_TRAIN_CHECKPOINT /* a checkpoint was written */
};

struct cdm_train_event {
    enum cdm_train_event_kind kind;
    int32_t epoch; /* from 1 */
    int32_t n_epochs;
    int64_t step; /* steps made so far */
    int64_t n_steps;
    int64_t pairs; /* pairs learned from so far */
    int64_t n_pairs;
    double loss;       /* mean over the epoch's steps so far */
    double rate;       /* of the last step */
    double score;      /* EPOCH: see below */
    double best_score; /* best so far; infinite before the first epoch's end */
    bool is_best;      /* EPOCH: this one is it */
};

struct cdm_train_options {
    /* n_features, n_summary and n_device are set from the samples and `summary`. */
    struct cdm_net_config net;
    bool summary; /* give the network the sums and maxima over the leaves, too */
    enum cdm_label_kind label;
    float clip; /* scaled inputs are cut to this many deviations */
    struct cdm_loss_options loss;
    struct cdm_trainer_options trainer; /* its seed is set from `seed` */
    int32_t epochs;
    int32_t batch; /* programs of a step, with all their training pairs */
    int32_t
        window;  /* batches that are sorted by leaf count together: 1 = any mixture, much padding */
    double rate; /* the highest */
    double warmup;    /* share of the steps during which the rate rises from 0; then it falls by a
                         cosine */
    double floor;     /* share of the highest rate that is left at the end */
    int32_t patience; /* epochs without a better score after which training ends; 0: never */
    uint64_t seed;
    const char *run_on; /* "cpu", "cuda:N" */

    const char *checkpoint;    /* file; NULL: none */
    int64_t checkpoint_steps;  /* write one every so many steps; 0: not by steps */
    double checkpoint_seconds; /* and every so many seconds; 0: not by time */
    bool resume;               /* go on from the checkpoint, which must be there */

    void (*progress)(void *context, const struct cdm_train_event *event); /* may be NULL */
    void *context;
    const volatile sig_atomic_t *stop; /* ends the run after the step when not 0; may be NULL */
};

struct cdm_train_report {
    int32_t epochs; /* made */
    int32_t best_epoch;
    int64_t steps;
    double best_score;
    bool ended_early; /* by `patience` */
};

/* Sensible values for everything; feature and device sizes stay 0. */
void cdm_train_defaults(struct cdm_train_options *options);

/* Trains. On success *model has the weights, the scaling, the label and the sizes; the versions of
 * the inputs and `about` are the caller's to set, and he releases it. On failure it is empty.
 *   CDM_BAD_INPUT  samples that cannot be used, a run that diverged (a NaN is an error at once), a
 *                  checkpoint of another run
 *   CDM_STOPPED    *options->stop was set; a checkpoint was written where one is wanted
 * The score is the mean over the devices of the median of |ln(predicted) - ln(measured)| over their
 * validation pairs: smaller is better, 0.1 is about 10 %. */
enum cdm_status cdm_train(const struct cdm_torch_api *api, const struct cdm_train_set *set,
                          const struct cdm_train_options *options, struct cdm_model *model,
                          struct cdm_train_report *report, struct cdm_error *err) CDM_MUST_CHECK;

/* The rate of step `step`, from 0, of n_steps. */
double cdm_train_rate(const struct cdm_train_options *options, int64_t step, int64_t n_steps);

#endif
