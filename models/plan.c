#include "models/plan.h"

#include "cdmpp/core/alloc.h"
#include "cdmpp/core/rng.h"

#include <stdlib.h>
#include <string.h>

static int64_t leaves_of(const struct cdm_plan *plan, uint32_t program)
{
    return plan->inputs->offsets[program + 1] - plan->inputs->offsets[program];
}

/* Counting sort of the training pairs by program; keeps their order within one. */
static void group_pairs(struct cdm_plan *plan, const struct cdm_train_set *set)
{
    size_t n_programs = (size_t)set->inputs.n_programs;
    plan->first_pair = cdm_alloc(n_programs + 2, sizeof *plan->first_pair);
    /* One place too far at first, so that filling moves each start to where it belongs. */
    int64_t *next = plan->first_pair + 1;
    for (size_t i = 0; i < set->n_pairs; i++)
        if (set->split[i] == CDM_SPLIT_TRAIN) {
            next[set->pairs[i].program + 1]++;
            plan->n_pairs++;
        }
    for (size_t i = 1; i <= n_programs; i++)
        next[i] += next[i - 1];
    plan->pairs = cdm_alloc((size_t)plan->n_pairs + 1, sizeof *plan->pairs);
    for (size_t i = 0; i < set->n_pairs; i++)
        if (set->split[i] == CDM_SPLIT_TRAIN)
            plan->pairs[next[set->pairs[i].program]++] = (uint32_t)i;
}

void cdm_plan_init(struct cdm_plan *plan, const struct cdm_train_set *set, int32_t batch,
                   int32_t window)
{
    *plan = (struct cdm_plan){.inputs = &set->inputs, .batch = batch, .window = window};
    group_pairs(plan, set);
    plan->programs = cdm_alloc((size_t)set->inputs.n_programs + 1, sizeof *plan->programs);
    int64_t most = 0;
    for (int32_t i = 0; i < set->inputs.n_programs; i++) {
        int64_t n = plan->first_pair[i + 1] - plan->first_pair[i];
        most = n > most ? n : most;
        if (n)
            plan->programs[plan->n++] = (uint32_t)i;
    }
    int64_t bound = most * batch;
    plan->most_pairs = (int32_t)(bound < plan->n_pairs ? bound : plan->n_pairs);
    plan->n_batches = (plan->n + batch - 1) / batch;
    plan->order = cdm_alloc((size_t)plan->n + 1, sizeof *plan->order);
    plan->batch_order = cdm_alloc((size_t)plan->n_batches + 1, sizeof *plan->batch_order);
}

void cdm_plan_release(struct cdm_plan *plan)
{
    free(plan->programs);
    free(plan->first_pair);
    free(plan->pairs);
    free(plan->order);
    free(plan->batch_order);
    *plan = (struct cdm_plan){0};
}

struct placed {
    int64_t n_leaves;
    size_t place;
    uint32_t program;
};

static int compare_placed(const void *left, const void *right)
{
    const struct placed *a = left;
    const struct placed *b = right;
    if (a->n_leaves != b->n_leaves)
        return a->n_leaves < b->n_leaves ? -1 : 1;
    return (a->place > b->place) - (a->place < b->place);
}

void cdm_plan_epoch(struct cdm_plan *plan, uint64_t seed, int32_t epoch)
{
    struct cdm_rng rng;
    cdm_rng_seed(&rng, seed, (uint64_t)epoch);
    size_t n = (size_t)plan->n;
    memcpy(plan->order, plan->programs, n * sizeof *plan->order);
    cdm_rng_shuffle(&rng, plan->order, n);
    size_t window = (size_t)plan->batch * (size_t)plan->window;
    struct placed *placed = cdm_alloc(n + 1, sizeof *placed);
    for (size_t i = 0; i < n; i++)
        placed[i] = (struct placed){leaves_of(plan, plan->order[i]), i, plan->order[i]};
    for (size_t first = 0; plan->window > 1 && first < n; first += window)
        qsort(placed + first, n - first < window ? n - first : window, sizeof *placed,
              compare_placed);
    for (size_t i = 0; i < n; i++)
        plan->order[i] = placed[i].program;
    free(placed);
    for (int32_t i = 0; i < plan->n_batches; i++)
        plan->batch_order[i] = (uint32_t)i;
    cdm_rng_shuffle(&rng, plan->batch_order, (size_t)plan->n_batches);
}

void cdm_plan_batch(const struct cdm_plan *plan, int32_t i, int32_t *programs, int32_t *n_programs,
                    uint32_t *pairs, int32_t *n_pairs)
{
    size_t first = (size_t)plan->batch_order[i] * (size_t)plan->batch;
    *n_programs = 0;
    *n_pairs = 0;
    for (size_t p = first; p < first + (size_t)plan->batch && p < (size_t)plan->n; p++) {
        uint32_t program = plan->order[p];
        programs[(*n_programs)++] = (int32_t)program;
        for (int64_t pair = plan->first_pair[program]; pair < plan->first_pair[program + 1]; pair++)
            pairs[(*n_pairs)++] = plan->pairs[pair];
    }
}
