/* cdmpp predict: dumps -> latency per program and device.
 *
 * Programs go through in portions, so that memory stays flat however long the stream is; results
 * come in the order of the input, with what could not be read in its place. */
#include "cdmpp/cli/command.h"
#include "cdmpp/cli/devices.h"
#include "cdmpp/cli/engine.h"
#include "cdmpp/cli/option.h"
#include "cdmpp/cli/programs.h"
#include "cdmpp/cli/table.h"
#include "cdmpp/core/alloc.h"
#include "cdmpp/core/json_write.h"
#include "cdmpp/core/log.h"
#include "cdmpp/core/number.h"
#include "cdmpp/core/text.h"
#include "features/device_vector.h"
#include "features/leaf.h"
#include "models/predictor.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* A portion ends with so many programs or leaves. */
enum { PORTION_PROGRAMS = 256, PORTION_LEAVES = 8192 };

/* A program of the portion, or what stands in its place. */
struct entry {
    char *file, *id;
    const char *format;
    int64_t line, column;
    char *error;     /* NULL: it was read */
    int32_t program; /* its number among those that were read */
    bool is_gpu;
};

struct predict {
    struct cdm_names device_names;
    const char *model, *output, *run_on, *files_from;
    int64_t threads;
    int format, engine;

    struct cdm_device_set set;
    const struct cdm_device **devices; /* [n_devices] */
    size_t n_devices;
    float *vectors; /* [n_devices][CDM_DEVICE_VECTOR_SIZE] */
    bool chosen;    /* -d named the devices: a program of the wrong kind is an error */

    struct cdm_predictor *predictor;
    struct cdm_extractor *extractor;
    struct cdm_str model_name;

    struct entry entries[PORTION_PROGRAMS];
    int n_entries;
    float *leaves; /* [offsets[n_programs]][CDM_N_FEATURES] */
    int32_t *positions;
    int64_t offsets[PORTION_PROGRAMS + 1];
    int32_t n_programs;
    size_t max_leaves, max_positions;
    struct cdm_pair *pairs; /* [n_pairs] */
    double *seconds;        /* [n_pairs] */
    size_t max_pairs, max_seconds;

    struct cdm_writer writer;
    struct cdm_str text;
    bool started;
    enum cdm_status worst;
};

/* Set-up */

/* Without -d: the devices that the model was trained on. */
static enum cdm_status devices_of_model(struct predict *p, struct cdm_error *err)
{
    const char *list;
    enum cdm_status status =
        cdm_meta_text(&cdm_predictor_model(p->predictor)->about, "devices", &list, err);
    if (status)
        return cdm_fail(err, CDM_USAGE, "the model names no devices: choose some with -d");
    for (const char *at = list; *at;) {
        size_t length = strcspn(at, ",");
        struct cdm_names *names = &p->device_names;
        CDM_RESERVE(names->items, names->capacity, names->n + 1);
        char *name = cdm_alloc(length + 1, 1);
        names->items[names->n++] = memcpy(name, at, length);
        if (cdm_device_is_path(name))
            return cdm_fail(err, CDM_BAD_INPUT, "the model names a file as a device: %s", name);
        at += length + (at[length] == ',');
    }
    return CDM_OK;
}

static enum cdm_status set_up(struct predict *p, struct cdm_error *err)
{
    char *path = NULL;

    p->set = cdm_devices_known();
    p->chosen = p->device_names.n > 0;
    /* Names are checked before anything slow is done. */
    enum cdm_status status =
        p->chosen ? cdm_devices_named(&p->set, &p->device_names, &p->devices, &p->n_devices, err)
                  : CDM_OK;
    if (!status)
        status = cdm_engine_predictor(p->model, p->threads, p->run_on, &p->predictor, &path, err);
    if (!status && !p->chosen) {
        status = devices_of_model(p, err);
        if (!status)
            status = cdm_devices_named(&p->set, &p->device_names, &p->devices, &p->n_devices, err);
    }
    if (!status) {
        const char *slash = strrchr(path, '/'), *base = slash ? slash + 1 : path;
        const char *dot = strrchr(base, '.');
        cdm_str_add(&p->model_name, base, dot ? (size_t)(dot - base) : strlen(base));
        p->vectors = cdm_alloc(p->n_devices * CDM_DEVICE_VECTOR_SIZE, sizeof *p->vectors);
        for (size_t i = 0; i < p->n_devices; i++)
            cdm_device_vector(p->devices[i], p->vectors + i * CDM_DEVICE_VECTOR_SIZE);
        p->extractor = cdm_extractor_new();
    }
    free(path);
    return status;
}

static void release(struct predict *p)
{
    cdm_predictor_free(p->predictor);
    cdm_extractor_free(p->extractor);
    cdm_device_set_release(&p->set);
    cdm_names_release(&p->device_names);
    cdm_str_release(&p->model_name);
    cdm_str_release(&p->text);
    cdm_writer_abandon(&p->writer);
    free(p->devices);
    free(p->vectors);
    free(p->leaves);
    free(p->positions);
    free(p->pairs);
    free(p->seconds);
}

/* Output */

/* "12.3 µs": three digits and a unit that fits. */
static void put_latency(struct cdm_str *out, double seconds)
{
    static const struct {
        double unit;
        const char *name;
    } units[] = {{1, "s"}, {1e-3, "ms"}, {1e-6, "µs"}, {1e-9, "ns"}};
    size_t i = 0, last = sizeof units / sizeof *units - 1;

    while (i < last && seconds < units[i].unit)
        i++;
    double value = seconds / units[i].unit;
    cdm_str_printf(out, "%6.*f %-2s", value < 10 ? 2 : value < 100 ? 1 : 0, value, units[i].name);
}

static void put_padded(struct cdm_str *out, const char *text, int width)
{
    cdm_cell_add(out, cdm_view_of(text));
    for (; *text; text++)
        width -= ((unsigned char)*text & 0xc0) != 0x80;
    cdm_str_printf(out, "%*s", width > 0 ? width : 0, "");
}

static void put_member(struct cdm_str *out, const char *name, const char *text)
{
    cdm_json_name(out, name);
    cdm_json_put_text(out, text);
}

static void put_error(struct predict *p, const struct entry *entry, const char *device,
                      const char *message)
{
    if (p->format == CDM_FORMAT_JSON)
        cdm_put_error_line(&p->text, entry->file, entry->line, entry->column, entry->id, device,
                           message);
}

static void put_json(struct predict *p, const struct entry *entry, const char *device,
                     double seconds)
{
    struct cdm_str *out = &p->text;

    cdm_json_begin(out, '{');
    put_member(out, "file", entry->file);
    cdm_json_name(out, "line");
    cdm_json_put_int(out, entry->line);
    put_member(out, "program", entry->id);
    put_member(out, "format", entry->format);
    put_member(out, "device", device);
    cdm_json_name(out, "seconds");
    cdm_json_put_double(out, seconds);
    put_member(out, "model", p->model_name.data);
    cdm_json_end(out, '}');
    cdm_str_putc(out, '\n');
}

static void put_result(struct predict *p, const struct entry *entry, const char *device,
                       double seconds)
{
    if (p->format == CDM_FORMAT_JSON) {
        put_json(p, entry, device, seconds);
    } else if (p->format == CDM_FORMAT_TSV) {
        if (!p->started)
            cdm_str_puts(&p->text, "file\tline\tprogram\tformat\tdevice\tseconds\n");
        cdm_cell_add(&p->text, cdm_view_of(entry->file));
        cdm_str_printf(&p->text, "\t%lld\t", (long long)entry->line);
        cdm_cell_add(&p->text, cdm_view_of(entry->id));
        cdm_str_printf(&p->text, "\t%s\t%s\t", entry->format, device);
        cdm_str_add_double(&p->text, seconds);
        cdm_str_putc(&p->text, '\n');
    } else {
        if (!p->started)
            cdm_str_puts(&p->text, "  latency  device          program           file\n");
        put_latency(&p->text, seconds);
        cdm_str_printf(&p->text, "  %-14s  ", device);
        put_padded(&p->text, entry->id, 16);
        cdm_str_puts(&p->text, "  ");
        cdm_cell_add(&p->text, cdm_view_of(entry->file));
        cdm_str_printf(&p->text, ":%lld\n", (long long)entry->line);
    }
    p->started = true;
}

/* A program with GPU thread axes runs on GPUs alone, one without them on CPUs alone. */
static bool fits(const struct entry *entry, const struct cdm_device *device)
{
    return entry->is_gpu == (device->kind == DEVICE_GPU);
}

static size_t count_fitting(const struct predict *p, const struct entry *entry)
{
    size_t n = 0;

    for (size_t i = 0; i < p->n_devices; i++)
        n += fits(entry, p->devices[i]);
    return n;
}

/* `device` NULL: on no device at all. */
static void report(struct predict *p, const struct entry *entry, const char *device,
                   const char *message)
{
    struct cdm_error error = {.status = CDM_BAD_INPUT, .line = entry->line};

    cdm_fail_at(&error, CDM_BAD_INPUT, entry->line, 0, "%s%s%s: %s", entry->id,
                device ? " on " : "", device ? device : "", message);
    cdm_log_error(&error, entry->file);
    put_error(p, entry, device, error.message);
    p->worst = cdm_worse_status(p->worst, CDM_BAD_INPUT);
}

static void put_entry(struct predict *p, const struct entry *entry, const double *seconds)
{
    size_t k = 0;

    if (entry->error) {
        put_error(p, entry, NULL, entry->error);
        return;
    }
    if (!p->chosen && count_fitting(p, entry) == 0) {
        report(p, entry, NULL,
               entry->is_gpu ? "a program with GPU threads, and the model knows no GPU; choose "
                               "devices with -d"
                             : "a program without GPU threads, and the model knows no CPU; choose "
                               "devices with -d");
        return;
    }
    for (size_t i = 0; i < p->n_devices; i++) {
        const struct cdm_device *device = p->devices[i];
        if (!fits(entry, device)) {
            if (p->chosen)
                report(p, entry, device->name,
                       entry->is_gpu ? "a program with GPU threads does not run on a CPU"
                                     : "a program without GPU threads does not run on a GPU");
            continue;
        }
        double value = seconds[k++];
        if (isnan(value))
            report(p, entry, device->name, "the model gives no latency");
        else
            put_result(p, entry, device->name, value);
    }
}

/* Portions */

static size_t pair_up(struct predict *p)
{
    size_t n = 0;

    for (int e = 0; e < p->n_entries; e++) {
        for (size_t i = 0; i < p->n_devices && !p->entries[e].error; i++) {
            if (!fits(&p->entries[e], p->devices[i]))
                continue;
            CDM_RESERVE(p->pairs, p->max_pairs, n + 1);
            p->pairs[n++] = (struct cdm_pair){p->entries[e].program, (int32_t)i};
        }
    }
    return n;
}

static enum cdm_status finish_portion(struct predict *p, struct cdm_error *err)
{
    struct cdm_inputs inputs = {.n_programs = p->n_programs,
                                .n_features = CDM_N_FEATURES,
                                .leaves = p->leaves,
                                .offsets = p->offsets,
                                .positions = p->positions,
                                .n_devices = (int32_t)p->n_devices,
                                .n_device_entries = CDM_DEVICE_VECTOR_SIZE,
                                .devices = p->vectors};
    size_t n = pair_up(p), at = 0;
    enum cdm_status status = CDM_OK;

    CDM_RESERVE(p->seconds, p->max_seconds, n + 1);
    if (n)
        status = cdm_predictor_run(p->predictor, &inputs, p->pairs, n, p->seconds, err);
    cdm_str_reset(&p->text);
    for (int e = 0; e < p->n_entries; e++) {
        struct entry *entry = &p->entries[e];
        if (!status)
            put_entry(p, entry, p->seconds + at);
        if (!entry->error)
            at += count_fitting(p, entry);
        free(entry->file);
        free(entry->id);
        free(entry->error);
    }
    p->n_entries = 0;
    p->n_programs = 0;
    if (!status)
        status = cdm_writer_put(&p->writer, &p->text, err);
    /* A reader of the stream gets each portion when it is done. */
    if (!status && p->text.length && fflush(p->writer.file))
        status = cdm_fail(err, CDM_IO, "cannot write the output");
    return status;
}

static bool is_gpu(const struct cdm_leaf_matrix *matrix)
{
    enum { ENTRY_IS_GPU = 49 };
    return matrix->values[(matrix->n_rows - 1) * CDM_N_FEATURES + ENTRY_IS_GPU] > 0;
}

static void take_step(struct predict *p, struct cdm_program_step *step)
{
    struct entry *entry = &p->entries[p->n_entries++];
    struct cdm_leaf_matrix matrix;

    *entry = (struct entry){.file = cdm_strdup(step->file), .line = step->item.line};
    if (!step->status) {
        step->status = cdm_extract(p->extractor, step->item.program, CDM_VIEW_LEAF, false, &matrix,
                                   &step->error);
        if (!step->status && matrix.n_rows == 0)
            step->status = cdm_fail_at(&step->error, CDM_BAD_INPUT, step->item.line, 0,
                                       "%s stores nothing: there is nothing to predict",
                                       step->item.program->name);
        if (!step->status && matrix.n_rows > CDM_MAX_LEAVES)
            step->status = cdm_fail_at(&step->error, CDM_BAD_INPUT, step->item.line, 0,
                                       "%s has %d stores; the model takes %d",
                                       step->item.program->name, matrix.n_rows, CDM_MAX_LEAVES);
    }
    if (step->status) {
        cdm_log_error(&step->error, step->file);
        p->worst = cdm_worse_status(p->worst, step->status);
        entry->line = step->error.line;
        entry->column = step->error.column;
        entry->error = cdm_strdup(step->error.message);
        return;
    }
    size_t first = p->n_programs ? (size_t)p->offsets[p->n_programs] : 0;
    size_t rows = (size_t)matrix.n_rows;
    entry->id = cdm_alloc(step->item.id.length + 1, 1);
    memcpy(entry->id, step->item.id.data, step->item.id.length);
    entry->format = step->item.program->format;
    entry->is_gpu = is_gpu(&matrix);
    entry->program = p->n_programs;
    CDM_RESERVE(p->leaves, p->max_leaves, (first + rows) * CDM_N_FEATURES);
    CDM_RESERVE(p->positions, p->max_positions, first + rows);
    memcpy(p->leaves + first * CDM_N_FEATURES, matrix.values,
           rows * CDM_N_FEATURES * sizeof *p->leaves);
    memcpy(p->positions + first, matrix.positions, rows * sizeof *p->positions);
    p->offsets[p->n_programs++] = (int64_t)first;
    p->offsets[p->n_programs] = (int64_t)(first + rows);
}

static bool is_full(const struct predict *p)
{
    return p->n_entries == PORTION_PROGRAMS ||
           (p->n_programs && p->offsets[p->n_programs] >= PORTION_LEAVES);
}

static enum cdm_status predict_all(struct predict *p, const struct cdm_operands *operands,
                                   struct cdm_error *err)
{
    struct cdm_program_files files;
    struct cdm_program_step step;

    enum cdm_status status = cdm_program_files_open(&files, operands, p->files_from, err);
    while (!status && cdm_program_files_next(&files, &step)) {
        take_step(p, &step);
        if (is_full(p))
            status = finish_portion(p, err);
    }
    if (!status)
        status = finish_portion(p, err);
    cdm_program_files_close(&files);
    return status;
}

enum cdm_status cmd_predict(int argc, char **argv, struct cdm_error *err)
{
    struct predict *p = cdm_alloc(1, sizeof *p);
    struct cdm_operands operands;

    p->format = CDM_FORMAT_AUTO;
    const struct cdm_option options[] = {
        OPTION_DEVICE(&p->device_names),   OPTION_MODEL(&p->model),
        OPTION_FORMAT(&p->format),         OPTION_OUTPUT(&p->output),
        OPTION_FILES_FROM(&p->files_from), OPTION_RUN_ON(&p->run_on),
        OPTION_THREADS(&p->threads),       OPTION_END};
    const struct cdm_usage usage = {
        "predict",
        "[FILE...]",
        "Predicts the latency of each program on each device. FILE is a dump, many dumps in one\n"
        "stream, program lines, or a folder of such files; none or - is standard input. Without\n"
        "-d: on all devices that the model knows and the program can run on.",
        options,
        0,
        CDM_MANY};

    enum cdm_status status = cdm_options_parse(&usage, argc, argv, &operands, err);
    if (status || operands.done)
        goto done;
    if (p->format == CDM_FORMAT_AUTO)
        p->format = !p->output && isatty(STDOUT_FILENO) ? CDM_FORMAT_TABLE : CDM_FORMAT_TSV;
    status = set_up(p, err);
    if (!status)
        status = cdm_writer_open(&p->writer, p->output, err);
    if (!status)
        status = predict_all(p, &operands, err);
    if (!status)
        status = cdm_writer_close(&p->writer, err);
    if (!status)
        status = p->worst;
done:
    release(p);
    free(p);
    return status;
}
