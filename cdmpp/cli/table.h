/* A small table that is complete before it is printed: aligned for people, or tsv. */
#ifndef CDMPP_CLI_TABLE_H
#define CDMPP_CLI_TABLE_H

#include "cdmpp/core/str.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

struct cdm_column {
    const char *name; /* NULL ends the list */
    bool is_right;    /* aligned to the right: numbers */
};

/* Set `columns`, zero the rest; give back with cdm_table_release(). */
struct cdm_table {
    const struct cdm_column *columns;
    char **cells; /* [n_cells], row after row */
    size_t n_cells;
    size_t capacity;
};

/* Adds the next cell, from left to right. The text is copied; NULL is a cell without a value. */
void cdm_table_add(struct cdm_table *table, const char *text);

/* Header and rows, columns two spaces apart. A cell without a value is "-". Width is counted in
 * characters of UTF-8. */
void cdm_table_print(const struct cdm_table *table, FILE *out);

/* Header and rows with a tab between cells; tabs and line ends in a cell become spaces. A cell
 * without a value is empty. */
void cdm_table_print_tsv(const struct cdm_table *table, FILE *out);

/* Appends a cell's text to a line that is made elsewhere: control characters, tabs and line ends
 * among them, become spaces. */
void cdm_cell_add(struct cdm_str *line, struct cdm_view text);

void cdm_table_release(struct cdm_table *table);

#endif
