#include "cdmpp/cli/table.h"

#include "cdmpp/core/alloc.h"

#include <stdlib.h>
#include <string.h>

void cdm_table_add(struct cdm_table *table, const char *text)
{
    table->cells =
        cdm_grow(table->cells, &table->capacity, table->n_cells + 1, sizeof *table->cells);
    table->cells[table->n_cells++] = text ? cdm_strdup(text) : NULL;
}

static size_t count_columns(const struct cdm_table *table)
{
    size_t n = 0;

    while (table->columns[n].name)
        n++;
    return n;
}

/* Characters, not bytes: each byte of UTF-8 that is not a continuation starts one. */
static size_t width_of(const char *text)
{
    size_t width = 0;

    for (; *text; text++)
        width += ((unsigned char)*text & 0xc0) != 0x80;
    return width;
}

static const char *cell_text(const struct cdm_table *table, size_t cell)
{
    return table->cells[cell] ? table->cells[cell] : "-";
}

static void print_cell(FILE *out, const char *text, size_t width, bool is_right, bool is_last)
{
    int space = (int)(width - width_of(text));

    if (is_right)
        fprintf(out, "%*s%s%s", space, "", text, is_last ? "\n" : "  ");
    else if (is_last)
        fprintf(out, "%s\n", text);
    else
        fprintf(out, "%s%*s  ", text, space, "");
}

void cdm_table_print(const struct cdm_table *table, FILE *out)
{
    size_t n = count_columns(table);
    size_t *widths = cdm_alloc(n, sizeof *widths);

    for (size_t i = 0; i < n; i++)
        widths[i] = width_of(table->columns[i].name);
    for (size_t i = 0; i < table->n_cells; i++) {
        size_t width = width_of(cell_text(table, i));
        if (width > widths[i % n])
            widths[i % n] = width;
    }
    for (size_t i = 0; i < n; i++)
        print_cell(out, table->columns[i].name, widths[i], table->columns[i].is_right, i + 1 == n);
    for (size_t i = 0; i < table->n_cells; i++)
        print_cell(out, cell_text(table, i), widths[i % n], table->columns[i % n].is_right,
                   i % n + 1 == n);
    free(widths);
}

static void print_tsv_cell(FILE *out, const char *text, bool is_last)
{
    for (; text && *text; text++)
        putc(*text == '\t' || *text == '\n' || *text == '\r' ? ' ' : *text, out);
    putc(is_last ? '\n' : '\t', out);
}

void cdm_table_print_tsv(const struct cdm_table *table, FILE *out)
{
    size_t n = count_columns(table);

    for (size_t i = 0; i < n; i++)
        print_tsv_cell(out, table->columns[i].name, i + 1 == n);
    for (size_t i = 0; i < table->n_cells; i++)
        print_tsv_cell(out, table->cells[i], i % n + 1 == n);
}

void cdm_cell_add(struct cdm_str *line, struct cdm_view text)
{
    for (size_t i = 0; i < text.length; i++) {
        unsigned char c = (unsigned char)text.data[i];
        cdm_str_putc(line, c < 0x20 || c == 0x7f ? ' ' : (char)c);
    }
}

void cdm_table_release(struct cdm_table *table)
{
    for (size_t i = 0; i < table->n_cells; i++)
        free(table->cells[i]);
    free(table->cells);
    *table = (struct cdm_table){.columns = table->columns};
}
