#include "data/name_table.h"

#include "cdmpp/core/alloc.h"

#include <stdlib.h>
#include <string.h>

static size_t hash_of(struct cdm_view name)
{
    uint64_t hash = 0xcbf29ce484222325u;

    for (size_t i = 0; i < name.length; i++)
        hash = (hash ^ (unsigned char)name.data[i]) * 0x100000001b3u;
    return (size_t)(hash ^ hash >> 32);
}

/* The slot that holds the name, or the free one where it belongs. */
static size_t slot_of(const struct cdm_name_table *table, struct cdm_view name)
{
    size_t slot = hash_of(name) & (table->n_slots - 1);

    while (table->slots[slot]) {
        struct cdm_view other = table->names[table->slots[slot] - 1];
        if (other.length == name.length && !memcmp(other.data, name.data, name.length))
            break;
        slot = (slot + 1) & (table->n_slots - 1);
    }
    return slot;
}

static void grow(struct cdm_name_table *table)
{
    free(table->slots);
    table->n_slots = table->n_slots ? table->n_slots * 2 : 64;
    table->slots = cdm_alloc(table->n_slots, sizeof *table->slots);
    for (size_t i = 0; i < table->n; i++)
        table->slots[slot_of(table, table->names[i])] = (uint32_t)i + 1;
}

size_t cdm_name_table_add(struct cdm_name_table *table, struct cdm_arena *arena,
                          struct cdm_view name, bool *is_new)
{
    if (table->n * 2 >= table->n_slots)
        grow(table);
    size_t slot = slot_of(table, name);
    *is_new = !table->slots[slot];
    if (*is_new) {
        table->names =
            cdm_grow(table->names, &table->max_names, table->n + 1, sizeof *table->names);
        table->names[table->n++] =
            (struct cdm_view){cdm_arena_text(arena, name.data, name.length), name.length};
        table->slots[slot] = (uint32_t)table->n;
    }
    return table->slots[slot] - 1;
}

bool cdm_name_table_find(const struct cdm_name_table *table, struct cdm_view name, size_t *number)
{
    if (!table->n)
        return false;
    size_t slot = slot_of(table, name);
    if (!table->slots[slot])
        return false;
    *number = table->slots[slot] - 1;
    return true;
}

struct cdm_view cdm_name_table_name(const struct cdm_name_table *table, size_t number)
{
    return table->names[number];
}

void cdm_name_table_release(struct cdm_name_table *table)
{
    free(table->names);
    free(table->slots);
    *table = (struct cdm_name_table){0};
}
