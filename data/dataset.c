#include "data/dataset.h"

#include "cdmpp/core/alloc.h"
#include "cdmpp/core/hash.h"
#include "cdmpp/core/number.h"
#include "cdmpp/core/text.h"
#include "data/name_table.h"
#include "features/device_vector.h"
#include "features/leaf.h"
#include "features/source.h"

#include <dirent.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_LINE = 1 << 16, PROGRESS_STEP = 256 };

struct reading {
    struct cdm_dataset *dataset;
    struct cdm_device_set *set;
    const struct cdm_dataset_watch *watch;
    struct cdm_extractor *extractor;
    struct cdm_name_table programs, tasks;
    size_t max_ids, max_tasks, max_offsets, max_leaves, max_positions, max_task_names;
    size_t max_devices, max_vectors, max_programs, max_measured, max_seconds;
    struct cdm_hash hash;
    const char *file;
};

/* Programs */

static void problem(struct reading *r, const struct cdm_error *error)
{
    if (r->watch->problem)
        r->watch->problem(r->watch->context, r->file, error);
}

/* A 64-bit mix of the words: for the dataset's hash, where the matrices would be slow in SHA-256.
 */
static uint64_t mix(const void *data, size_t n_words)
{
    const unsigned char *bytes = data;
    uint64_t state = 0xcbf29ce484222325u;

    for (size_t i = 0; i < n_words; i++) {
        uint32_t word;
        memcpy(&word, bytes + i * sizeof word, sizeof word);
        state = (state ^ word) * 0x100000001b3u;
        state ^= state >> 29;
    }
    return state;
}

static void add_program(struct reading *r, const struct cdm_source_item *item,
                        const struct cdm_leaf_matrix *matrix)
{
    struct cdm_dataset *d = r->dataset;
    size_t n = d->n_programs, rows = (size_t)matrix->n_rows;
    size_t first = (size_t)(n ? d->offsets[n] : 0);
    struct cdm_view task = item->task.length ? item->task : item->id;

    CDM_RESERVE(d->ids, r->max_ids, n + 1);
    CDM_RESERVE(d->tasks, r->max_tasks, n + 1);
    CDM_RESERVE(d->offsets, r->max_offsets, n + 2);
    CDM_RESERVE(d->leaves, r->max_leaves, (first + rows) * CDM_N_FEATURES);
    CDM_RESERVE(d->positions, r->max_positions, first + rows);
    d->ids[n] = cdm_name_table_name(&r->programs, n);
    bool is_new;
    size_t index = cdm_name_table_add(&r->tasks, &d->arena, task, &is_new);
    if (is_new) {
        CDM_RESERVE(d->task_names, r->max_task_names, d->n_tasks + 1);
        d->task_names[d->n_tasks++] = cdm_name_table_name(&r->tasks, index);
    }
    d->tasks[n] = (int32_t)index;
    d->offsets[n] = (int64_t)first;
    d->offsets[n + 1] = (int64_t)(first + rows);
    memcpy(d->leaves + first * CDM_N_FEATURES, matrix->values,
           rows * CDM_N_FEATURES * sizeof *d->leaves);
    memcpy(d->positions + first, matrix->positions, rows * sizeof *d->positions);
    d->n_programs++;

    uint64_t sum = mix(matrix->values, rows * CDM_N_FEATURES);
    cdm_sha256_add(&r->hash, item->id.data, item->id.length);
    cdm_sha256_add(&r->hash, task.data, task.length);
    cdm_sha256_add(&r->hash, &sum, sizeof sum);
}

static enum cdm_status take_program(struct reading *r, const struct cdm_source_item *item)
{
    struct cdm_dataset *d = r->dataset;
    struct cdm_leaf_matrix matrix;
    struct cdm_error error = {0};
    bool is_new;

    enum cdm_status status =
        cdm_extract(r->extractor, item->program, CDM_VIEW_LEAF, false, &matrix, &error);
    if (!status && matrix.n_rows == 0)
        status = cdm_fail(&error, CDM_BAD_INPUT, "the program stores nothing");
    if (!status && matrix.n_rows > CDM_DATASET_MAX_LEAVES)
        status = cdm_fail(&error, CDM_BAD_INPUT, "the program has %d stores; a model takes %d",
                          matrix.n_rows, CDM_DATASET_MAX_LEAVES);
    if (!status && d->n_programs >= INT32_MAX - 1)
        status = cdm_fail(&error, CDM_BAD_INPUT, "more than %d programs", INT32_MAX - 1);
    if (!status) {
        cdm_name_table_add(&r->programs, &d->arena, item->id, &is_new);
        if (!is_new)
            status = cdm_fail(&error, CDM_BAD_INPUT, "the program %.*s was there before",
                              (int)(item->id.length > 64 ? 64 : item->id.length), item->id.data);
    }
    if (status) {
        error.line = item->line;
        problem(r, &error);
        return CDM_OK;
    }
    add_program(r, item, &matrix);
    if (r->watch->progress && d->n_programs % PROGRESS_STEP == 0)
        r->watch->progress(r->watch->context, (int64_t)d->n_programs);
    return CDM_OK;
}

static enum cdm_status read_programs(struct reading *r, struct cdm_error *err)
{
    struct cdm_source *source;
    struct cdm_source_item item;
    struct cdm_error error;

    enum cdm_status status = cdm_source_open(&source, r->file, err);
    while (!status) {
        error = (struct cdm_error){0};
        status = cdm_source_next(source, &item, &error);
        if (status == CDM_BAD_INPUT) {
            problem(r, &error);
            status = CDM_OK;
            continue;
        }
        if (status)
            *err = error;
        if (status || !item.program)
            break;
        status = take_program(r, &item);
    }
    cdm_source_close(source);
    return status;
}

/* Measurements */

enum { COLUMN_PROGRAM, COLUMN_DEVICE, COLUMN_SECONDS, N_COLUMNS };

/* Field number `wanted`, from 0, of a line with tabs between fields; false when there are fewer. */
static bool field_of(struct cdm_view line, int wanted, struct cdm_view *field)
{
    const char *at = line.data, *end = line.data + line.length;

    for (int i = 0;; i++) {
        const char *tab = memchr(at, '\t', (size_t)(end - at));
        const char *stop = tab ? tab : end;
        if (i == wanted) {
            *field = (struct cdm_view){at, (size_t)(stop - at)};
            return true;
        }
        if (!tab)
            return false;
        at = tab + 1;
    }
}

static enum cdm_status read_header(struct cdm_view line, int columns[N_COLUMNS],
                                   struct cdm_error *err)
{
    static const char *const names[N_COLUMNS] = {"program", "device", "seconds"};
    struct cdm_view field;

    for (int column = 0; column < N_COLUMNS; column++) {
        columns[column] = -1;
        for (int i = 0; field_of(line, i, &field); i++)
            if (cdm_view_is(field, names[column]))
                columns[column] = i;
        if (columns[column] < 0)
            return cdm_fail_at(err, CDM_BAD_INPUT, 1, 0, "the header has no column \"%s\"",
                               names[column]);
    }
    return CDM_OK;
}

static enum cdm_status device_index(struct reading *r, struct cdm_view name, int32_t *index,
                                    struct cdm_error *err)
{
    struct cdm_dataset *d = r->dataset;
    char text[256];
    const struct cdm_device *device;

    for (size_t i = 0; i < d->n_devices; i++) {
        if (cdm_view_is(name, d->devices[i]->name)) {
            *index = (int32_t)i;
            return CDM_OK;
        }
    }
    if (name.length >= sizeof text || memchr(name.data, '\0', name.length))
        return cdm_fail(err, CDM_BAD_INPUT, "the name of a device is too long");
    memcpy(text, name.data, name.length);
    text[name.length] = '\0';
    /* A dataset may come from a stranger: it must not open files. */
    if (cdm_device_is_path(text))
        return cdm_fail(err, CDM_BAD_INPUT, "a path stands where the name of a device should: %s",
                        text);
    enum cdm_status status = cdm_device_find(r->set, text, &device, err);
    if (status == CDM_USAGE) /* an unknown name, here in the data */
        err->status = status = CDM_BAD_INPUT;
    if (status)
        return status;
    for (size_t i = 0; i < d->n_devices; i++) {
        if (d->devices[i] == device) { /* by an alias */
            *index = (int32_t)i;
            return CDM_OK;
        }
    }
    CDM_RESERVE(d->devices, r->max_devices, d->n_devices + 1);
    CDM_RESERVE(d->device_vectors, r->max_vectors, (d->n_devices + 1) * CDM_DEVICE_VECTOR_SIZE);
    d->devices[d->n_devices] = device;
    cdm_device_vector(device, d->device_vectors + d->n_devices * CDM_DEVICE_VECTOR_SIZE);
    *index = (int32_t)d->n_devices++;
    return CDM_OK;
}

static enum cdm_status take_measurement(struct reading *r, struct cdm_view line,
                                        const int columns[N_COLUMNS], struct cdm_error *err)
{
    struct cdm_dataset *d = r->dataset;
    struct cdm_view fields[N_COLUMNS];
    size_t program, n = d->n_measurements;
    int32_t device = 0;
    double seconds;

    for (int i = 0; i < N_COLUMNS; i++)
        if (!field_of(line, columns[i], &fields[i]))
            return cdm_fail(err, CDM_BAD_INPUT, "the line has too few fields");
    if (!cdm_parse_double(fields[COLUMN_SECONDS], &seconds) || !(seconds > 0))
        return cdm_fail(
            err, CDM_BAD_INPUT, "the seconds are no positive number: \"%.*s\"",
            (int)(fields[COLUMN_SECONDS].length > 40 ? 40 : fields[COLUMN_SECONDS].length),
            fields[COLUMN_SECONDS].data);
    if (!cdm_name_table_find(&r->programs, fields[COLUMN_PROGRAM], &program) ||
        program >= d->n_programs) {
        d->n_unknown++;
        return CDM_OK;
    }
    enum cdm_status status = device_index(r, fields[COLUMN_DEVICE], &device, err);
    if (status)
        return status;
    CDM_RESERVE(d->programs, r->max_programs, n + 1);
    CDM_RESERVE(d->measured_on, r->max_measured, n + 1);
    CDM_RESERVE(d->seconds, r->max_seconds, n + 1);
    d->programs[n] = (int32_t)program;
    d->measured_on[n] = device;
    d->seconds[n] = seconds;
    d->n_measurements++;
    cdm_sha256_add(&r->hash, line.data, line.length);
    return CDM_OK;
}

static enum cdm_status read_measurements(struct reading *r, struct cdm_error *err)
{
    struct cdm_reader *reader;
    struct cdm_view line;
    int columns[N_COLUMNS];
    bool has_header = false;

    enum cdm_status status = cdm_reader_open(&reader, r->file, err);
    while (!status) {
        status = cdm_reader_line(reader, MAX_LINE, &line, err);
        if (status || !line.data)
            break;
        if (!line.length)
            continue;
        status =
            has_header ? take_measurement(r, line, columns, err) : read_header(line, columns, err);
        has_header = true;
        if (status && err->line == 0)
            err->line = cdm_reader_line_number(reader);
    }
    cdm_reader_close(reader);
    return status;
}

/* The folder */

static bool matches(const char *name, const char *prefix, const char *ending)
{
    size_t length = strlen(name), gz = strlen(".gz");

    if (length > gz && !strcmp(name + length - gz, ".gz"))
        length -= gz;
    return !strncmp(name, prefix, strlen(prefix)) && length >= strlen(prefix) + strlen(ending) &&
           !strncmp(name + length - strlen(ending), ending, strlen(ending));
}

static int by_text(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

struct names {
    char **items;
    size_t n, max;
};

static enum cdm_status list_files(const char *folder, const char *prefix, const char *ending,
                                  struct names *names, struct cdm_error *err)
{
    DIR *dir = opendir(folder);

    if (!dir)
        return cdm_fail(err, errno == ENOTDIR ? CDM_BAD_INPUT : CDM_IO, "%s: %s", folder,
                        errno == ENOTDIR ? "a dataset is a folder" : strerror(errno));
    for (struct dirent *entry; (entry = readdir(dir));) {
        if (!matches(entry->d_name, prefix, ending))
            continue;
        struct cdm_str path = {0};
        cdm_str_printf(&path, "%s/%s", folder, entry->d_name);
        CDM_RESERVE(names->items, names->max, names->n + 1);
        names->items[names->n++] = path.data;
    }
    closedir(dir);
    if (!names->n)
        return cdm_fail(err, CDM_BAD_INPUT, "%s: there is no file %s*%s or %s*%s.gz", folder,
                        prefix, ending, prefix, ending);
    qsort(names->items, names->n, sizeof *names->items, by_text);
    return CDM_OK;
}

static enum cdm_status read_files(struct reading *r, const char *folder, const char *prefix,
                                  const char *ending,
                                  enum cdm_status (*read)(struct reading *, struct cdm_error *),
                                  struct cdm_error *err)
{
    struct names names = {0};
    enum cdm_status status = list_files(folder, prefix, ending, &names, err);

    for (size_t i = 0; i < names.n && !status; i++) {
        r->file = names.items[i];
        status = read(r, err);
        if (status) {
            char text[sizeof err->message];
            cdm_error_text(err, r->file, text, sizeof text);
            cdm_fail(err, status, "%s", text);
        }
    }
    for (size_t i = 0; i < names.n; i++)
        free(names.items[i]);
    free(names.items);
    return status;
}

enum cdm_status cdm_dataset_read(struct cdm_dataset *dataset, const char *folder,
                                 struct cdm_device_set *set, const struct cdm_dataset_watch *watch,
                                 struct cdm_error *err)
{
    struct reading r = {.dataset = dataset, .set = set, .watch = watch};
    unsigned char digest[CDM_SHA256_SIZE];

    *dataset = (struct cdm_dataset){0};
    r.extractor = cdm_extractor_new();
    cdm_sha256_start(&r.hash);
    enum cdm_status status = read_files(&r, folder, "programs", ".ndjson", read_programs, err);
    if (!status)
        status = read_files(&r, folder, "measurements", ".tsv", read_measurements, err);
    if (!status && !dataset->n_programs)
        status = cdm_fail(err, CDM_BAD_INPUT, "%s: the dataset has no program", folder);
    if (!status && !dataset->n_measurements)
        status = cdm_fail(err, CDM_BAD_INPUT, "%s: the dataset has no measurement of its programs",
                          folder);
    cdm_sha256_end(&r.hash, digest);
    cdm_hex(digest, CDM_SHA256_SIZE, dataset->hash);
    cdm_name_table_release(&r.programs);
    cdm_name_table_release(&r.tasks);
    cdm_extractor_free(r.extractor);
    return status;
}

void cdm_dataset_release(struct cdm_dataset *d)
{
    cdm_arena_release(&d->arena);
    free(d->ids);
    free(d->tasks);
    free(d->offsets);
    free(d->leaves);
    free(d->positions);
    free(d->task_names);
    free(d->devices);
    free(d->device_vectors);
    free(d->programs);
    free(d->measured_on);
    free(d->seconds);
    *d = (struct cdm_dataset){0};
}
