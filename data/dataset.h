/* A profiled dataset in memory: programs as leaf matrices, devices as vectors, measured latencies.
 *
 * On disk it is a folder (cli.md) with
 *   programs*.ndjson[.gz]       a program a line: {"id", "task", "tir", ...}
 *   measurements*.tsv[.gz]      a header line, then "program device seconds ..." with tabs between
 * Columns and members that are not named here are left alone. Files are read in the order of their
 * names. */
#ifndef CDMPP_DATA_DATASET_H
#define CDMPP_DATA_DATASET_H

#include "cdmpp/core/arena.h"
#include "cdmpp/core/error.h"
#include "cdmpp/core/str.h"
#include "features/device_set.h"

#include <stddef.h>
#include <stdint.h>

enum {
    CDM_DATASET_HASH = 65,
    CDM_DATASET_MAX_LEAVES = 2048, /* of a program; one with more is left out */
};

struct cdm_dataset {
    struct cdm_arena arena; /* names */

    size_t n_programs;
    struct cdm_view *ids; /* [n_programs] */
    int32_t *tasks;       /* [n_programs] index in task_names */
    int64_t *offsets;     /* [n_programs + 1] in leaves */
    float *leaves;        /* [offsets[n_programs]][CDM_N_FEATURES] */
    int32_t *positions;   /* [offsets[n_programs]] */
    size_t n_tasks;
    struct cdm_view *task_names; /* [n_tasks] */

    size_t n_devices;
    const struct cdm_device *
        *devices;          /* [n_devices] in order of first appearance; of the device set */
    float *device_vectors; /* [n_devices][CDM_DEVICE_VECTOR_SIZE] */

    size_t n_measurements;
    int32_t *programs;    /* [n_measurements] index of the program */
    int32_t *measured_on; /* [n_measurements] index of the device */
    double *seconds;      /* [n_measurements] positive and finite */

    int64_t n_unknown; /* measurements of programs that are not in the dataset, left out */
    char hash[CDM_DATASET_HASH]; /* of names, matrices and latencies, in hexadecimal */
};

struct cdm_dataset_watch {
    /* Called now and then with what was read so far. */
    void (*progress)(void *context, int64_t n_programs);
    /* A program that cannot be read and is left out, or a warning. `file` is the path. */
    void (*problem)(void *context, const char *file, const struct cdm_error *error);
    void *context;
};

/* Reads the folder. `set` gives the devices and must outlive the dataset. Programs that cannot be
 * read, that have no leaf or repeat an id go to watch->problem and are left out. Other faults end
 * the reading; the message then names file and line. The caller releases the dataset, also after a
 * failure. */
enum cdm_status cdm_dataset_read(struct cdm_dataset *dataset, const char *folder,
                                 struct cdm_device_set *set, const struct cdm_dataset_watch *watch,
                                 struct cdm_error *err) CDM_MUST_CHECK;

void cdm_dataset_release(struct cdm_dataset *dataset);

#endif
