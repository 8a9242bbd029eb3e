#include "models/meta.h"

#include "cdmpp/core/alloc.h"
#include "cdmpp/core/number.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

void cdm_meta_release(struct cdm_meta *meta)
{
    free(meta->items);
    cdm_arena_release(&meta->arena);
    *meta = (struct cdm_meta){0};
}

static struct cdm_meta_item *find(const struct cdm_meta *meta, const char *key)
{
    for (size_t i = 0; i < meta->n; i++)
        if (!strcmp(meta->items[i].key, key))
            return &meta->items[i];
    return NULL;
}

void cdm_meta_set_view(struct cdm_meta *meta, struct cdm_view key, struct cdm_view value)
{
    const char *name = cdm_arena_text(&meta->arena, key.data, key.length);
    struct cdm_meta_item *item = find(meta, name);
    if (!item) {
        meta->items = cdm_grow(meta->items, &meta->capacity, meta->n + 1, sizeof *meta->items);
        item = &meta->items[meta->n++];
        item->key = name;
    }
    item->value = cdm_arena_text(&meta->arena, value.data, value.length);
}

void cdm_meta_set(struct cdm_meta *meta, const char *key, const char *value)
{
    cdm_meta_set_view(meta, cdm_view_of(key), cdm_view_of(value));
}

void cdm_meta_set_int(struct cdm_meta *meta, const char *key, int64_t value)
{
    char text[CDM_NUMBER_SIZE];
    cdm_format_int64(text, value);
    cdm_meta_set(meta, key, text);
}

void cdm_meta_set_double(struct cdm_meta *meta, const char *key, double value)
{
    char text[CDM_NUMBER_SIZE];
    cdm_format_double(text, value);
    cdm_meta_set(meta, key, text);
}

const char *cdm_meta_find(const struct cdm_meta *meta, const char *key)
{
    const struct cdm_meta_item *item = find(meta, key);
    return item ? item->value : NULL;
}

enum cdm_status cdm_meta_text(const struct cdm_meta *meta, const char *key, const char **value,
                              struct cdm_error *err)
{
    *value = cdm_meta_find(meta, key);
    if (!*value)
        return cdm_fail(err, CDM_BAD_INPUT, "metadata lacks \"%s\"", key);
    return CDM_OK;
}

enum cdm_status cdm_meta_int(const struct cdm_meta *meta, const char *key, int64_t least,
                             int64_t most, int64_t *value, struct cdm_error *err)
{
    const char *text;
    enum cdm_status status = cdm_meta_text(meta, key, &text, err);
    if (status != CDM_OK)
        return status;
    int64_t read;
    if (!cdm_parse_int64(cdm_view_of(text), &read))
        return cdm_fail(err, CDM_BAD_INPUT, "metadata \"%s\" is not an integer: \"%.40s\"", key,
                        text);
    if (read < least || read > most)
        return cdm_fail(err, CDM_BAD_INPUT,
                        "metadata \"%s\" must be from %" PRId64 " to %" PRId64 ", not %" PRId64,
                        key, least, most, read);
    *value = read;
    return CDM_OK;
}

enum cdm_status cdm_meta_double(const struct cdm_meta *meta, const char *key, double *value,
                                struct cdm_error *err)
{
    const char *text;
    enum cdm_status status = cdm_meta_text(meta, key, &text, err);
    if (status != CDM_OK)
        return status;
    double read;
    if (!cdm_parse_double(cdm_view_of(text), &read) || !isfinite(read))
        return cdm_fail(err, CDM_BAD_INPUT, "metadata \"%s\" is not a finite number: \"%.40s\"",
                        key, text);
    *value = read;
    return CDM_OK;
}
