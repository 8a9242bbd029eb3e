/* In which order an epoch goes through the training programs.
 *
 * Programs are shuffled; `window` batches' worth of neighbours are sorted by leaf count and cut
 * into batches, so that little is padded; then the batches are shuffled. Everything follows from
 * the seed and the number of the epoch, so a resumed run finds its place again. */
#ifndef CDMPP_MODELS_PLAN_H
#define CDMPP_MODELS_PLAN_H

#include "models/train.h"

struct cdm_plan {
    /* Fixed. */
    const struct cdm_inputs *inputs;
    uint32_t *programs; /* [n] programs with training pairs */
    int32_t n;
    int64_t *first_pair; /* [n_programs + 1] */
    uint32_t *pairs; /* indices in the set of all training pairs, by program: those of program p are
                        pairs[first_pair[p]] .. pairs[first_pair[p + 1] - 1] */
    int64_t n_pairs;
    int32_t batch;
    int32_t window;
    int32_t n_batches;  /* of an epoch */
    int32_t most_pairs; /* at least the pairs of any batch */
    /* Of the epoch. */
    uint32_t *order;       /* [n] programs */
    uint32_t *batch_order; /* [n_batches] */
};

void cdm_plan_init(struct cdm_plan *plan, const struct cdm_train_set *set, int32_t batch,
                   int32_t window);
void cdm_plan_release(struct cdm_plan *plan);

void cdm_plan_epoch(struct cdm_plan *plan, uint64_t seed, int32_t epoch);

/* Batch i of the epoch: its programs in programs[*n_programs] (room for plan->batch), and the
 * indices of its pairs in the set, program after program, in pairs[*n_pairs] (room for
 * plan->most_pairs). */
void cdm_plan_batch(const struct cdm_plan *plan, int32_t i, int32_t *programs, int32_t *n_programs,
                    uint32_t *pairs, int32_t *n_pairs);

#endif
