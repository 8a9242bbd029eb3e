/* cdmpp device list, show: the device descriptions. */
#include "cdmpp/cli/command.h"
#include "cdmpp/cli/devices.h"
#include "cdmpp/cli/option.h"
#include "cdmpp/cli/table.h"
#include "cdmpp/core/json_write.h"
#include "cdmpp/core/log.h"
#include "cdmpp/core/number.h"
#include "cdmpp/core/text.h"
#include "features/device_vector.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Texts of a line, in characters. */
enum { LINE_WIDTH = 79 };

/* ---- JSON ---- */

static void put_member(struct cdm_str *json, const char *name, const char *text)
{
    if (!text)
        return;
    cdm_json_name(json, name);
    cdm_json_put_text(json, text);
}

static void put_texts(struct cdm_str *json, const char *name, const struct cdm_texts *texts)
{
    cdm_json_name(json, name);
    cdm_json_begin(json, '[');
    for (size_t i = 0; i < texts->n; i++)
        cdm_json_put_text(json, texts->items[i]);
    cdm_json_end(json, ']');
}

static void put_number(struct cdm_str *json, const char *name, const struct cdm_quantity *number)
{
    if (!number->known)
        return;
    cdm_json_name(json, name);
    cdm_json_put_double(json, number->value);
}

static void put_device(struct cdm_str *json, const struct cdm_device *device)
{
    put_member(json, "name", device->name);
    put_texts(json, "aliases", &device->aliases);
    put_member(json, "kind", cdm_device_kind_name(device->kind));
    put_member(json, "title", device->title);
    put_member(json, "vendor", device->vendor);
    put_member(json, "architecture", device->architecture);
    put_member(json, "chip", device->chip);
    put_member(json, "isa", device->isa);
    put_number(json, "year", &device->year);
    put_member(json, "file", device->file);
    if (device->l1_holds_shared) {
        cdm_json_name(json, "l1_holds_shared");
        cdm_json_put_bool(json, true);
    }
    for (size_t i = 0; i < DEVICE_N_NUMBERS; i++)
        put_number(json, cdm_device_numbers[i].key, &device->numbers[i]);
}

static void put_more(struct cdm_str *json, const struct cdm_device *device)
{
    const struct cdm_device_source *sources = device->sources.items;
    float vector[CDM_DEVICE_VECTOR_SIZE];

    put_texts(json, "assumptions", &device->assumptions);
    cdm_json_name(json, "sources");
    cdm_json_begin(json, '[');
    for (size_t i = 0; i < device->sources.n; i++) {
        cdm_json_begin(json, '{');
        put_member(json, "title", sources[i].title);
        put_texts(json, "gives", &sources[i].gives);
        cdm_json_end(json, '}');
    }
    cdm_json_end(json, ']');
    cdm_json_name(json, "vector_version");
    cdm_json_put_int(json, CDM_DEVICE_VECTOR_VERSION);
    cdm_json_name(json, "vector");
    cdm_json_begin(json, '{');
    cdm_device_vector(device, vector);
    for (size_t i = 0; i < CDM_DEVICE_VECTOR_SIZE; i++) {
        cdm_json_name(json, cdm_device_vector_name(i));
        cdm_json_put_float(json, vector[i]);
    }
    cdm_json_end(json, '}');
}

static void print_json(FILE *out, const struct cdm_device *device, bool with_more)
{
    struct cdm_str json = {0};

    cdm_json_begin(&json, '{');
    put_device(&json, device);
    if (with_more)
        put_more(&json, device);
    cdm_json_end(&json, '}');
    fprintf(out, "%s\n", json.data);
    cdm_str_release(&json);
}

/* ---- Common to both commands ---- */

static int choose_format(int format, const char *output)
{
    bool to_terminal = (!output || !strcmp(output, "-")) && isatty(STDOUT_FILENO);

    if (format != CDM_FORMAT_AUTO)
        return format;
    return to_terminal ? CDM_FORMAT_TABLE : CDM_FORMAT_TSV;
}

/* A number for people ("1.38 GHz") or for programs; NULL when it is unknown. */
static const char *number_text(const struct cdm_quantity *number, const char *unit, bool for_people,
                               char *text, size_t size)
{
    if (!number->known)
        return NULL;
    if (for_people)
        return cdm_quantity_text(number->value, unit, text, size);
    if (size < CDM_NUMBER_SIZE)
        return NULL;
    cdm_format_double(text, number->value);
    return text;
}

/* ---- list ---- */

static const struct cdm_column list_columns[] = {
    {"name", false}, {"kind", false},     {"architecture", false}, {"year", true}, {"units", true},
    {"clock", true}, {"peak_fp32", true}, {"bandwidth", true},     {NULL, false},
};

static const struct cdm_column list_tsv_columns[] = {
    {"name", false},           {"kind", false},
    {"architecture", false},   {"year", true},
    {"units", true},           {"clock_hz", true},
    {"peak_fp32_flops", true}, {"memory_bandwidth_bytes_per_s", true},
    {"memory_bytes", true},    {"vendor", false},
    {"title", false},          {"aliases", false},
    {"file", false},           {NULL, false},
};

static void add_aliases(struct cdm_table *table, const struct cdm_texts *aliases)
{
    struct cdm_str list = {0};

    for (size_t i = 0; i < aliases->n; i++)
        cdm_str_printf(&list, "%s%s", i ? "," : "", aliases->items[i]);
    cdm_table_add(table, list.data);
    cdm_str_release(&list);
}

static void add_row(struct cdm_table *table, const struct cdm_device *device, bool for_people)
{
    const struct {
        struct cdm_quantity number;
        const char *unit;
    } numbers[] = {
        {device->year, NULL},
        {cdm_device_units(device), NULL},
        {cdm_device_clock(device), "Hz"},
        {cdm_device_peak_fp32(device), "FLOP/s"},
        {device->memory_bandwidth_bytes_per_s, "B/s"},
    };
    char text[64];

    cdm_table_add(table, device->name);
    cdm_table_add(table, cdm_device_kind_name(device->kind));
    cdm_table_add(table, device->architecture);
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        cdm_table_add(
            table, number_text(&numbers[i].number, numbers[i].unit, for_people, text, sizeof text));
    if (for_people)
        return;
    cdm_table_add(table, number_text(&device->memory_bytes, NULL, false, text, sizeof text));
    cdm_table_add(table, device->vendor);
    cdm_table_add(table, device->title);
    add_aliases(table, &device->aliases);
    cdm_table_add(table, device->file);
}

static void print_list(FILE *out, const struct cdm_device *const *devices, size_t n, int format)
{
    bool for_people = format == CDM_FORMAT_TABLE;
    struct cdm_table table = {.columns = for_people ? list_columns : list_tsv_columns};

    for (size_t i = 0; i < n; i++) {
        if (format == CDM_FORMAT_JSON)
            print_json(out, devices[i], false);
        else
            add_row(&table, devices[i], for_people);
    }
    if (for_people)
        cdm_table_print(&table, out);
    else if (format == CDM_FORMAT_TSV)
        cdm_table_print_tsv(&table, out);
    cdm_table_release(&table);
}

static enum cdm_status list(int argc, char **argv, struct cdm_error *err)
{
    int format = CDM_FORMAT_AUTO;
    const char *output = NULL;
    const struct cdm_option options[] = {OPTION_OUTPUT(&output), OPTION_FORMAT(&format),
                                         OPTION_END};
    const struct cdm_usage usage = {"device list", "", "Lists the devices that -d knows.",
                                    options,       0,  0};
    struct cdm_device_set set = cdm_devices_known();
    const struct cdm_device **devices = NULL;
    struct cdm_operands operands;
    struct cdm_writer writer;
    size_t n = 0;

    enum cdm_status status = cdm_options_parse(&usage, argc, argv, &operands, err);
    if (status != CDM_OK || operands.done)
        return status;
    status = cdm_device_list(&set, &devices, &n, err);
    if (status == CDM_OK)
        status = cdm_writer_open(&writer, output, err);
    if (status == CDM_OK) {
        print_list(writer.file, devices, n, choose_format(format, output));
        status = cdm_writer_close(&writer, err);
    }
    free(devices);
    cdm_device_set_release(&set);
    return status;
}

/* ---- show ---- */

/* The text with line breaks before LINE_WIDTH; lines after the first are indented by `indent`. */
static void print_wrapped(FILE *out, const char *text, size_t at, size_t indent)
{
    while (*text) {
        text += strspn(text, " \n");
        size_t length = strcspn(text, " \n");
        if (!length)
            break;
        if (at > indent && at + 1 + length > LINE_WIDTH) {
            fprintf(out, "\n%*s", (int)indent, "");
            at = indent;
        } else if (at > indent) {
            putc(' ', out);
            at++;
        }
        fwrite(text, 1, length, out);
        at += length;
        text += length;
    }
    putc('\n', out);
}

static void print_text(FILE *out, const char *key, const char *text)
{
    if (text)
        fprintf(out, "  %-30s%s\n", key, text);
}

static void print_aliases(FILE *out, const struct cdm_texts *aliases)
{
    struct cdm_str list = {0};

    if (!aliases->n)
        return;
    for (size_t i = 0; i < aliases->n; i++)
        cdm_str_printf(&list, "%s%s", i ? ", " : "", aliases->items[i]);
    fprintf(out, "  %-30s", "aliases");
    print_wrapped(out, list.data, 32, 32);
    cdm_str_release(&list);
}

static void print_numbers(FILE *out, const struct cdm_device *device, bool with_meaning)
{
    char text[64];

    for (size_t i = 0; i < DEVICE_N_NUMBERS; i++) {
        const struct cdm_device_number_info *info = &cdm_device_numbers[i];
        int source = cdm_device_source_of(device, (enum cdm_device_number)i);
        if (!device->numbers[i].known)
            continue;
        cdm_quantity_text(device->numbers[i].value, info->unit, text, sizeof text);
        if (source >= 0)
            fprintf(out, "  %-30s%-14s  [%d]", info->key, text, source + 1);
        else
            fprintf(out, "  %-30s%s", info->key, text);
        putc('\n', out);
        if (with_meaning) {
            fprintf(out, "      ");
            print_wrapped(out, info->meaning, 6, 6);
        }
    }
}

static void print_notes(FILE *out, const struct cdm_device *device)
{
    const struct cdm_device_source *sources = device->sources.items;

    if (device->sources.n)
        fprintf(out, "\nsources\n");
    for (size_t i = 0; i < device->sources.n; i++) {
        fprintf(out, "  [%zu] ", i + 1);
        print_wrapped(out, sources[i].title, 6, 6);
    }
    if (device->assumptions.n)
        fprintf(out, "\nassumed\n");
    for (size_t i = 0; i < device->assumptions.n; i++) {
        fprintf(out, "  - ");
        print_wrapped(out, device->assumptions.items[i], 4, 4);
    }
}

static void print_vector(FILE *out, const struct cdm_device *device)
{
    float vector[CDM_DEVICE_VECTOR_SIZE];

    cdm_device_vector(device, vector);
    fprintf(out, "\ndevice vector, layout %d\n", CDM_DEVICE_VECTOR_VERSION);
    for (size_t i = 0; i < CDM_DEVICE_VECTOR_SIZE; i++)
        fprintf(out, "  %-30s%9.6f\n", cdm_device_vector_name(i), (double)vector[i]);
}

static void print_device(FILE *out, const struct cdm_device *device, bool is_verbose)
{
    char text[64];

    fprintf(out, "%s%s%s\n", device->name, device->title ? ": " : "",
            device->title ? device->title : "");
    print_aliases(out, &device->aliases);
    print_text(out, "kind", cdm_device_kind_name(device->kind));
    print_text(out, "vendor", device->vendor);
    print_text(out, "architecture", device->architecture);
    print_text(out, "chip", device->chip);
    print_text(out, "isa", device->isa);
    print_text(out, "year", number_text(&device->year, NULL, true, text, sizeof text));
    print_text(out, "file", device->file);
    print_text(out, "l1_holds_shared", device->l1_holds_shared ? "true" : NULL);
    print_numbers(out, device, is_verbose);
    print_notes(out, device);
    if (is_verbose)
        print_vector(out, device);
}

static const struct cdm_column show_tsv_columns[] = {
    {"name", false}, {"key", false},    {"value", true},
    {"unit", false}, {"source", false}, {NULL, false},
};

static void add_line(struct cdm_table *table, const char *name, const char *key, const char *value,
                     const char *unit, const char *source)
{
    if (!value)
        return;
    cdm_table_add(table, name);
    cdm_table_add(table, key);
    cdm_table_add(table, value);
    cdm_table_add(table, unit);
    cdm_table_add(table, source);
}

/* One line for each thing known: long but greppable, and any number of devices go into one table.
 */
static void add_lines(struct cdm_table *table, const struct cdm_device *device, bool with_vector)
{
    const struct cdm_device_source *sources = device->sources.items;
    const char *name = device->name;
    float vector[CDM_DEVICE_VECTOR_SIZE];
    char text[64];

    add_line(table, name, "kind", cdm_device_kind_name(device->kind), NULL, NULL);
    add_line(table, name, "title", device->title, NULL, NULL);
    for (size_t i = 0; i < device->aliases.n; i++)
        add_line(table, name, "alias", device->aliases.items[i], NULL, NULL);
    add_line(table, name, "vendor", device->vendor, NULL, NULL);
    add_line(table, name, "architecture", device->architecture, NULL, NULL);
    add_line(table, name, "chip", device->chip, NULL, NULL);
    add_line(table, name, "isa", device->isa, NULL, NULL);
    add_line(table, name, "year", number_text(&device->year, NULL, false, text, sizeof text), NULL,
             NULL);
    add_line(table, name, "file", device->file, NULL, NULL);
    add_line(table, name, "l1_holds_shared", device->l1_holds_shared ? "true" : NULL, NULL, NULL);
    for (size_t i = 0; i < DEVICE_N_NUMBERS; i++) {
        int source = cdm_device_source_of(device, (enum cdm_device_number)i);
        add_line(table, name, cdm_device_numbers[i].key,
                 number_text(&device->numbers[i], NULL, false, text, sizeof text),
                 cdm_device_numbers[i].unit, source >= 0 ? sources[source].title : NULL);
    }
    for (size_t i = 0; i < device->assumptions.n; i++)
        add_line(table, name, "assumption", device->assumptions.items[i], NULL, NULL);
    cdm_device_vector(device, vector);
    for (size_t i = 0; with_vector && i < CDM_DEVICE_VECTOR_SIZE; i++) {
        struct cdm_str key = {0};
        cdm_str_printf(&key, "vector.%s", cdm_device_vector_name(i));
        cdm_format_float(text, vector[i]);
        add_line(table, name, key.data, text, NULL, NULL);
        cdm_str_release(&key);
    }
}

static void print_shown(FILE *out, const struct cdm_device *const *devices, size_t n, int format)
{
    struct cdm_table table = {.columns = show_tsv_columns};
    bool is_verbose = cdm_log_shows(CDM_LOG_INFO);

    for (size_t i = 0; i < n; i++) {
        if (format == CDM_FORMAT_JSON)
            print_json(out, devices[i], true);
        else if (format == CDM_FORMAT_TSV)
            add_lines(&table, devices[i], is_verbose);
        else
            fputs(i ? "\n" : "", out);
        if (format == CDM_FORMAT_TABLE)
            print_device(out, devices[i], is_verbose);
    }
    if (format == CDM_FORMAT_TSV)
        cdm_table_print_tsv(&table, out);
    cdm_table_release(&table);
}

static enum cdm_status show(int argc, char **argv, struct cdm_error *err)
{
    int format = CDM_FORMAT_AUTO;
    const char *output = NULL;
    const struct cdm_option options[] = {OPTION_OUTPUT(&output), OPTION_FORMAT(&format),
                                         OPTION_END};
    const struct cdm_usage usage = {
        "device show",
        "NAME...",
        "Shows all that is known about a device, with its sources. NAME is as for -d: a name, an\n"
        "alias, or a path to a YAML description. With -v also what each number means and the\n"
        "vector that a model sees.",
        options,
        1,
        CDM_MANY};
    struct cdm_device_set set = cdm_devices_known();
    const struct cdm_device **devices = NULL;
    struct cdm_operands operands;
    struct cdm_writer writer;
    size_t n = 0;

    enum cdm_status status = cdm_options_parse(&usage, argc, argv, &operands, err);
    if (status != CDM_OK || operands.done)
        return status;
    const struct cdm_names names = {.items = operands.items, .n = (size_t)operands.n};
    status = cdm_devices_named(&set, &names, &devices, &n, err);
    if (status == CDM_OK)
        status = cdm_writer_open(&writer, output, err);
    if (status == CDM_OK) {
        print_shown(writer.file, devices, n, choose_format(format, output));
        status = cdm_writer_close(&writer, err);
    }
    free(devices);
    cdm_device_set_release(&set);
    return status;
}

enum cdm_status cmd_device(int argc, char **argv, struct cdm_error *err)
{
    static const struct cdm_command commands[] = {
        {"list", list, "name the devices that are known"},
        {"show", show, "all that is known about a device, with its sources"},
        {NULL, NULL, NULL},
    };

    return cdm_run_subcommand("device", commands, argc, argv, err);
}
