/* Numbers for names: each new name gets the next one, from 0. */
#ifndef CDMPP_DATA_NAME_TABLE_H
#define CDMPP_DATA_NAME_TABLE_H

#include "cdmpp/core/arena.h"
#include "cdmpp/core/str.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Zero-initialise. The names live in the arena that cdm_name_table_add() is given. */
struct cdm_name_table {
    struct cdm_view *names; /* [n] */
    size_t n, max_names;
    uint32_t *slots; /* [n_slots] number + 1, 0 = free; open addressing */
    size_t n_slots;
};

/* The number of `name`, which is copied when it is new. */
size_t cdm_name_table_add(struct cdm_name_table *table, struct cdm_arena *arena,
                          struct cdm_view name, bool *is_new);

bool cdm_name_table_find(const struct cdm_name_table *table, struct cdm_view name, size_t *number);

struct cdm_view cdm_name_table_name(const struct cdm_name_table *table, size_t number);

void cdm_name_table_release(struct cdm_name_table *table);

#endif
