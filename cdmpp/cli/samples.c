#include "cdmpp/cli/samples.h"

#include "cdmpp/cli/devices.h"
#include "cdmpp/core/alloc.h"
#include "cdmpp/core/log.h"
#include "cdmpp/core/progress.h"
#include "data/split.h"
#include "features/device_vector.h"
#include "features/leaf.h"
#include "models/evaluate.h"

#include <stdlib.h>

_Static_assert((int)CDM_DATASET_MAX_LEAVES <= (int)CDM_MAX_LEAVES,
               "a model takes what a dataset holds");

/* Problems that are shown; the rest are only counted. */
enum { MAX_SHOWN = 20 };

struct watching {
    struct cdm_progress progress;
    int64_t n_problems;
};

static void show_progress(void *context, int64_t n_programs)
{
    cdm_progress_update(&((struct watching *)context)->progress, n_programs);
}

static void show_problem(void *context, const char *file, const struct cdm_error *error)
{
    struct watching *watching = context;

    if (watching->n_problems++ < MAX_SHOWN)
        cdm_log_error(error, file);
}

static void derive(struct cdm_samples *s)
{
    const struct cdm_dataset *d = &s->dataset;
    uint8_t *split = cdm_alloc(d->n_programs, sizeof *split);
    bool *unseen = cdm_alloc(d->n_programs, sizeof *unseen);

    s->inputs = (struct cdm_inputs){.n_programs = (int32_t)d->n_programs,
                                    .n_features = CDM_N_FEATURES,
                                    .leaves = d->leaves,
                                    .offsets = d->offsets,
                                    .positions = d->positions,
                                    .n_devices = (int32_t)d->n_devices,
                                    .n_device_entries = CDM_DEVICE_VECTOR_SIZE,
                                    .devices = d->device_vectors};
    s->pairs = cdm_alloc(d->n_measurements, sizeof *s->pairs);
    s->tasks = cdm_alloc(d->n_measurements, sizeof *s->tasks);
    s->split = cdm_alloc(d->n_measurements, sizeof *s->split);
    s->unseen = cdm_alloc(d->n_measurements, sizeof *s->unseen);
    s->good = cdm_alloc(d->n_measurements, sizeof *s->good);
    s->device_names = cdm_alloc(d->n_devices, sizeof *s->device_names);
    for (size_t i = 0; i < d->n_programs; i++)
        split[i] = (uint8_t)cdm_split_of(d->task_names[d->tasks[i]], d->ids[i], &unseen[i]);
    for (size_t i = 0; i < d->n_measurements; i++) {
        int32_t program = d->programs[i];
        s->pairs[i] = (struct cdm_pair){program, d->measured_on[i]};
        s->tasks[i] = d->tasks[program];
        s->split[i] = split[program];
        s->unseen[i] = unseen[program];
    }
    for (size_t i = 0; i < d->n_devices; i++)
        s->device_names[i] = d->devices[i]->name;
    cdm_mark_good(d->measured_on, s->tasks, d->seconds, d->n_measurements, (int32_t)d->n_devices,
                  s->good);
    free(split);
    free(unseen);
}

enum cdm_status cdm_samples_read(struct cdm_samples *samples, const char *folder,
                                 struct cdm_error *err)
{
    struct watching watching = {0};
    struct cdm_dataset_watch watch = {show_progress, show_problem, &watching};

    *samples = (struct cdm_samples){.devices = cdm_devices_known()};
    cdm_progress_start(&watching.progress, "reading", "programs", 0);
    enum cdm_status status =
        cdm_dataset_read(&samples->dataset, folder, &samples->devices, &watch, err);
    cdm_progress_finish(&watching.progress);
    samples->n_problems = watching.n_problems;
    if (watching.n_problems > MAX_SHOWN)
        cdm_log(CDM_LOG_WARNING, "%lld more programs cannot be read",
                (long long)(watching.n_problems - MAX_SHOWN));
    if (status)
        return status;
    if (samples->dataset.n_unknown)
        cdm_log(CDM_LOG_WARNING, "%lld measurements are of programs that are not in the dataset",
                (long long)samples->dataset.n_unknown);
    derive(samples);
    return CDM_OK;
}

void cdm_samples_release(struct cdm_samples *samples)
{
    cdm_dataset_release(&samples->dataset);
    cdm_device_set_release(&samples->devices);
    free(samples->pairs);
    free(samples->tasks);
    free(samples->split);
    free(samples->unseen);
    free(samples->good);
    free(samples->device_names);
    *samples = (struct cdm_samples){0};
}
