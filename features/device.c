#include "features/device.h"

#include <ctype.h>
#include <stddef.h>
#include <string.h>

#define FOR_ANY DEVICE_FOR_ANY
#define FOR_CPU DEVICE_FOR_CPU
#define FOR_GPU DEVICE_FOR_GPU

const struct cdm_device_number_info cdm_device_numbers[DEVICE_N_NUMBERS] = {
#define DEVICE_NUMBER(key, unit, kinds, flags, min, max, meaning)                                  \
    {#key, unit, FOR_##kinds, meaning},
#include "features/device.def"
#undef DEVICE_NUMBER
};

/* ---- The YAML table ---- */

static const char *const kinds_of_device[] = {"cpu", "gpu", NULL};

static const struct cdm_field source_fields[] = {
    {.key = "title",
     .type = FIELD_TEXT,
     .flags = FIELD_REQUIRED,
     .offset = offsetof(struct cdm_device_source, title)},
    {.key = "gives",
     .type = FIELD_TEXTS,
     .flags = FIELD_REQUIRED,
     .offset = offsetof(struct cdm_device_source, gives)},
    {.key = NULL},
};

#define TEXT(member)                                                                               \
    {                                                                                              \
        .key = #member, .type = FIELD_TEXT, .offset = offsetof(struct cdm_device, member)          \
    }
#define TEXTS(member)                                                                              \
    {                                                                                              \
        .key = #member, .type = FIELD_TEXTS, .offset = offsetof(struct cdm_device, member)         \
    }

static const struct cdm_field device_fields[] = {
    {.key = "name",
     .type = FIELD_TEXT,
     .flags = FIELD_REQUIRED,
     .offset = offsetof(struct cdm_device, name)},
    {.key = "kind",
     .type = FIELD_CHOICE,
     .flags = FIELD_REQUIRED,
     .offset = offsetof(struct cdm_device, kind),
     .choices = kinds_of_device},
    TEXT(title),
    TEXT(vendor),
    TEXT(architecture),
    TEXT(chip),
    TEXT(isa),
    TEXTS(aliases),
    TEXTS(assumptions),
    {.key = "year",
     .type = FIELD_QUANTITY,
     .flags = FIELD_INTEGRAL,
     .offset = offsetof(struct cdm_device, year),
     .min = 1980,
     .max = 2100},
    {.key = "l1_holds_shared",
     .type = FIELD_BOOL,
     .offset = offsetof(struct cdm_device, l1_holds_shared)},
    {.key = "sources",
     .type = FIELD_MAPS,
     .offset = offsetof(struct cdm_device, sources),
     .fields = source_fields,
     .size = sizeof(struct cdm_device_source)},
#define DEVICE_NUMBER(member, its_unit, kinds, its_flags, smallest, largest, meaning)              \
    {.key = #member,                                                                               \
     .type = FIELD_QUANTITY,                                                                       \
     .flags = (its_flags),                                                                         \
     .offset = offsetof(struct cdm_device, member),                                                \
     .unit = (its_unit),                                                                           \
     .min = (smallest),                                                                            \
     .max = (largest)},
#include "features/device.def"
#undef DEVICE_NUMBER
    {.key = NULL},
};

/* ---- Checks ---- */

static enum cdm_status fail_number(struct cdm_error *err, const struct cdm_quantity *at,
                                   const char *message)
{
    return cdm_fail_at(err, CDM_BAD_INPUT, at->line, at->column, "%s", message);
}

static enum cdm_status check_name(const char *name, struct cdm_error *err)
{
    size_t length = strlen(name);
    bool is_good = length > 0 && length < 64 && isalnum((unsigned char)name[0]);

    for (size_t i = 0; i < length; i++)
        is_good = is_good && strchr("abcdefghijklmnopqrstuvwxyz0123456789-._", name[i]);
    if (is_good)
        return CDM_OK;
    return cdm_fail(
        err, CDM_BAD_INPUT,
        "the name \"%s\" must be lower case letters, digits, '-', '.' and '_', at most 63", name);
}

/* These are printed in tables and matched by name; a line break in one would tear the table. */
static enum cdm_status check_line(const char *key, const char *text, struct cdm_error *err)
{
    if (text && strchr(text, '\n'))
        return cdm_fail(err, CDM_BAD_INPUT, "\"%s\" must be one line", key);
    return CDM_OK;
}

static enum cdm_status check_texts(const struct cdm_device *device, struct cdm_error *err)
{
    const struct {
        const char *key;
        const char *text;
    } lines[] = {{"title", device->title},
                 {"vendor", device->vendor},
                 {"architecture", device->architecture},
                 {"chip", device->chip},
                 {"isa", device->isa}};
    enum cdm_status status = check_name(device->name, err);

    for (size_t i = 0; i < sizeof lines / sizeof *lines && status == CDM_OK; i++)
        status = check_line(lines[i].key, lines[i].text, err);
    for (size_t i = 0; i < device->aliases.n && status == CDM_OK; i++)
        status = check_line("aliases", device->aliases.items[i], err);
    return status;
}

static enum cdm_status check_kinds(const struct cdm_device *device, struct cdm_error *err)
{
    unsigned kind = device->kind == DEVICE_CPU ? DEVICE_FOR_CPU : DEVICE_FOR_GPU;

    for (size_t i = 0; i < DEVICE_N_NUMBERS; i++) {
        const struct cdm_quantity *number = &device->numbers[i];
        if (number->known && !(cdm_device_numbers[i].kinds & kind))
            return cdm_fail_at(err, CDM_BAD_INPUT, number->line, number->column,
                               "\"%s\" is for a %s, and this is a %s", cdm_device_numbers[i].key,
                               device->kind == DEVICE_CPU ? "gpu" : "cpu",
                               cdm_device_kind_name(device->kind));
    }
    return CDM_OK;
}

/* Pairs of which the first must not be above the second. */
static enum cdm_status check_order(const struct cdm_device *device, struct cdm_error *err)
{
    static const struct {
        enum cdm_device_number small;
        enum cdm_device_number large;
    } pairs[] = {
        {DEVICE_clock_base_hz, DEVICE_clock_boost_hz},
        {DEVICE_cores, DEVICE_threads},
        {DEVICE_shared_bytes_per_block, DEVICE_shared_bytes_per_sm},
        {DEVICE_max_threads_per_block, DEVICE_max_threads_per_sm},
        {DEVICE_max_registers_per_thread, DEVICE_registers_per_sm},
        {DEVICE_warp_size, DEVICE_max_threads_per_block},
    };

    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
        const struct cdm_quantity *small = &device->numbers[pairs[i].small];
        const struct cdm_quantity *large = &device->numbers[pairs[i].large];
        if (small->known && large->known && small->value > large->value)
            return cdm_fail_at(err, CDM_BAD_INPUT, small->line, small->column,
                               "\"%s\" is %.15g, more than \"%s\", which is %.15g",
                               cdm_device_numbers[pairs[i].small].key, small->value,
                               cdm_device_numbers[pairs[i].large].key, large->value);
    }
    return CDM_OK;
}

/* A slip of a power of ten in a data sheet value is the commonest mistake. */
static enum cdm_status check_peak(const struct cdm_device *device, struct cdm_error *err)
{
    struct cdm_device without_peak = *device;

    without_peak.peak_fp32_flops = (struct cdm_quantity){0};
    struct cdm_quantity computed = cdm_device_peak_fp32(&without_peak);
    const struct cdm_quantity *given = &device->peak_fp32_flops;
    if (!given->known || !computed.known)
        return CDM_OK;
    if (given->value < computed.value / 2 || given->value > computed.value * 2)
        return cdm_fail_at(err, CDM_BAD_INPUT, given->line, given->column,
                           "\"peak_fp32_flops\" is %.4g, but units x operations x clock is %.4g",
                           given->value, computed.value);
    return CDM_OK;
}

static int find_number(const char *key)
{
    for (int i = 0; i < DEVICE_N_NUMBERS; i++)
        if (!strcmp(cdm_device_numbers[i].key, key))
            return i;
    return -1;
}

static enum cdm_status check_sources(const struct cdm_device *device, struct cdm_error *err)
{
    const struct cdm_device_source *sources = device->sources.items;

    for (size_t i = 0; i < device->sources.n; i++) {
        for (size_t j = 0; j < sources[i].gives.n; j++) {
            const char *key = sources[i].gives.items[j];
            int number = find_number(key);
            if (number < 0 || !device->numbers[number].known)
                return cdm_fail(err, CDM_BAD_INPUT,
                                "source \"%s\" gives \"%s\", which is not a number of this file",
                                sources[i].title, key);
        }
        if (check_line("title", sources[i].title, err) != CDM_OK)
            return err ? err->status : CDM_BAD_INPUT;
    }
    return CDM_OK;
}

static enum cdm_status check_device(const struct cdm_device *device, struct cdm_error *err)
{
    enum cdm_status status = check_texts(device, err);

    if (status == CDM_OK)
        status = check_kinds(device, err);
    if (status == CDM_OK)
        status = check_order(device, err);
    if (status == CDM_OK && device->l1_holds_shared && device->l1_bytes.known &&
        device->shared_bytes_per_sm.known &&
        device->shared_bytes_per_sm.value > device->l1_bytes.value)
        status = fail_number(err, &device->shared_bytes_per_sm,
                             "\"shared_bytes_per_sm\" is more than \"l1_bytes\", which holds it");
    if (status == CDM_OK)
        status = check_peak(device, err);
    if (status == CDM_OK)
        status = check_sources(device, err);
    return status;
}

/* ---- Reading ---- */

enum cdm_status cdm_device_read(const char *text, size_t length, struct cdm_device *device,
                                struct cdm_arena *arena, struct cdm_error *err)
{
    *device = (struct cdm_device){0};
    enum cdm_status status = cdm_yaml_read(text, length, device_fields, device, arena, err);
    return status == CDM_OK ? check_device(device, err) : status;
}

enum cdm_status cdm_device_read_file(const char *path, struct cdm_device *device,
                                     struct cdm_arena *arena, struct cdm_error *err)
{
    *device = (struct cdm_device){0};
    enum cdm_status status = cdm_yaml_read_file(path, device_fields, device, arena, err);
    if (status != CDM_OK)
        return status;
    device->file = cdm_arena_text(arena, path, strlen(path));
    return check_device(device, err);
}

const char *cdm_device_kind_name(int kind)
{
    return kinds_of_device[kind];
}

int cdm_device_source_of(const struct cdm_device *device, enum cdm_device_number number)
{
    const struct cdm_device_source *sources = device->sources.items;

    for (size_t i = 0; i < device->sources.n; i++)
        for (size_t j = 0; j < sources[i].gives.n; j++)
            if (!strcmp(sources[i].gives.items[j], cdm_device_numbers[number].key))
                return (int)i;
    return -1;
}

/* ---- Numbers that follow from others ---- */

static struct cdm_quantity computed(bool known, double value)
{
    return (struct cdm_quantity){.known = known, .value = known ? value : 0};
}

struct cdm_quantity cdm_device_units(const struct cdm_device *device)
{
    return device->kind == DEVICE_CPU ? device->cores : device->sms;
}

struct cdm_quantity cdm_device_clock(const struct cdm_device *device)
{
    return device->clock_boost_hz.known ? device->clock_boost_hz : device->clock_base_hz;
}

struct cdm_quantity cdm_device_unit_rate(const struct cdm_device *device)
{
    struct cdm_quantity units = cdm_device_units(device);
    struct cdm_quantity clock = cdm_device_clock(device);

    if (device->fp32_flops_per_cycle_per_core.known)
        return device->fp32_flops_per_cycle_per_core;
    if (device->fp32_lanes_per_sm.known)
        return computed(true, 2 * device->fp32_lanes_per_sm.value);
    if (device->simd_bits.known && device->fma_units_per_core.known &&
        device->fma_units_per_core.value > 0)
        return computed(true, 2 * device->simd_bits.value / 32 * device->fma_units_per_core.value);
    if (device->peak_fp32_flops.known && units.known && clock.known)
        return computed(true, device->peak_fp32_flops.value / units.value / clock.value);
    return computed(false, 0);
}

struct cdm_quantity cdm_device_peak_fp32(const struct cdm_device *device)
{
    struct cdm_quantity units = cdm_device_units(device);
    struct cdm_quantity clock = cdm_device_clock(device);
    struct cdm_quantity rate = cdm_device_unit_rate(device);

    if (device->peak_fp32_flops.known)
        return device->peak_fp32_flops;
    return computed(units.known && clock.known && rate.known,
                    units.value * clock.value * rate.value);
}

struct cdm_quantity cdm_device_vector_lanes(const struct cdm_device *device)
{
    if (device->kind == DEVICE_GPU)
        return device->warp_size;
    return computed(device->simd_bits.known, device->simd_bits.value / 32);
}

struct cdm_quantity cdm_device_l1_per_unit(const struct cdm_device *device)
{
    double sharers = device->l1_shared_by.known ? device->l1_shared_by.value : 1;

    return computed(device->l1_bytes.known, device->l1_bytes.value / sharers);
}

struct cdm_quantity cdm_device_unit_memory(const struct cdm_device *device)
{
    double sharers = device->l2_shared_by.known ? device->l2_shared_by.value : 1;

    if (device->kind == DEVICE_GPU)
        return device->shared_bytes_per_sm;
    return computed(device->l2_bytes.known, device->l2_bytes.value / sharers);
}

struct cdm_quantity cdm_device_last_cache(const struct cdm_device *device)
{
    struct cdm_quantity units = cdm_device_units(device);
    bool has_l3 = device->l3_bytes.known;
    struct cdm_quantity bytes = has_l3 ? device->l3_bytes : device->l2_bytes;
    struct cdm_quantity sharers = has_l3 ? device->l3_shared_by : device->l2_shared_by;

    if (!has_l3 && device->kind == DEVICE_CPU && !sharers.known)
        sharers = computed(true, 1);
    if (!bytes.known || !sharers.known)
        return computed(bytes.known, bytes.value);
    return computed(units.known, bytes.value * units.value / sharers.value);
}

struct cdm_quantity cdm_device_unit_threads(const struct cdm_device *device)
{
    if (device->kind == DEVICE_GPU)
        return device->max_threads_per_sm;
    return computed(device->threads.known && device->cores.known,
                    device->threads.value / (device->cores.known ? device->cores.value : 1));
}
