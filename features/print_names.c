/* Canonical names: see features/print.h. */
#include "cdmpp/core/alloc.h"
#include "features/build.h"
#include "features/lexer.h"
#include "features/print_expr.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A stem that is in use, and the number that its next bearer gets. */
struct stem {
    const char *text;
    uint32_t hash;
    int next;
};

struct cdm_namer {
    struct cdm_arena arena;
    const char **vars;    /* [n_vars] NULL until it is met */
    const char **buffers; /* [n_buffers] */
    const char **handles; /* [n_params] for a parameter's handle; NULL for one without a buffer */
    const struct cdm_buffer **met; /* [n_met] buffers in the order in which they were met */
    size_t n_met, max_met;
    size_t n_opened;    /* of them, those whose declarations were looked into */
    struct stem *table; /* [n_slots], open addressing */
    size_t n_slots, n_stems;
};

static const char *const reserved[] = {
    "False",  "None",    "T",        "True",     "and",    "as",   "assert", "async",
    "await",  "break",   "class",    "continue", "def",    "del",  "elif",   "else",
    "except", "finally", "for",      "from",     "global", "if",   "import", "in",
    "is",     "lambda",  "nonlocal", "not",      "or",     "pass", "raise",  "return",
    "tir",    "try",     "while",    "with",     "yield"};

static bool is_name_char(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
           (unsigned char)c >= 0x80;
}

static size_t without_suffix(const char *text, size_t length)
{
    for (;;) {
        size_t end = length;
        while (end > 0 && text[end - 1] >= '0' && text[end - 1] <= '9')
            end--;
        if (end == length || end < 2 || text[end - 1] != '_')
            return length;
        length = end - 1;
    }
}

/* A regular name; `stem_only`: without a numeric suffix. */
static char *regular(struct cdm_arena *arena, const char *name, bool stem_only)
{
    size_t length = strlen(name);
    char *stem = cdm_arena_alloc(arena, length + 3);
    char *out = stem;

    if (length == 0 || (name[0] >= '0' && name[0] <= '9'))
        *out++ = 'v';
    for (size_t i = 0; i < length; i++)
        *out++ = is_name_char(name[i]) ? name[i] : '_';
    *out = '\0';
    if (stem_only)
        stem[without_suffix(stem, (size_t)(out - stem))] = '\0';
    for (size_t i = 0; i < sizeof reserved / sizeof *reserved; i++)
        if (!strcmp(stem, reserved[i]))
            strcat(stem, "v"); /* there is room: see the allocation */
    return stem;
}

const char *cdm_type_word(struct cdm_type type, char *text, size_t size)
{
    for (const char *c = cdm_type_text(type, text, size); *c; c++)
        if (!is_name_char(*c))
            return "handle";
    return *text ? text : "handle";
}

void cdm_print_name(const char *name, bool stem, struct cdm_str *out)
{
    struct cdm_arena arena = {0};
    cdm_str_puts(out, regular(&arena, name, stem));
    cdm_arena_release(&arena);
}

static struct stem *find_stem(struct cdm_namer *namer, const char *text, uint32_t hash)
{
    size_t slot = hash & (namer->n_slots - 1);

    while (namer->table[slot].text &&
           (namer->table[slot].hash != hash || strcmp(namer->table[slot].text, text)))
        slot = (slot + 1) & (namer->n_slots - 1);
    return &namer->table[slot];
}

static void grow(struct cdm_namer *namer)
{
    struct stem *old = namer->table;
    size_t n_old = namer->n_slots;

    namer->n_slots = n_old ? n_old * 2 : 128;
    namer->table = cdm_alloc(namer->n_slots, sizeof *namer->table);
    for (size_t i = 0; i < n_old; i++)
        if (old[i].text)
            *find_stem(namer, old[i].text, old[i].hash) = old[i];
    free(old);
}

static const char *unique(struct cdm_namer *namer, const char *name)
{
    char *stem = regular(&namer->arena, name, true);
    uint32_t hash = cdm_name_hash(cdm_view_of(stem));

    if (namer->n_stems * 2 >= namer->n_slots)
        grow(namer);
    struct stem *found = find_stem(namer, stem, hash);
    if (!found->text) {
        *found = (struct stem){stem, hash, 1};
        namer->n_stems++;
        return stem;
    }
    size_t size = strlen(stem) + 16;
    char *numbered = cdm_arena_alloc(&namer->arena, size);
    snprintf(numbered, size, "%s_%d", stem, found->next++);
    return numbered;
}

static void meet_var(struct cdm_namer *namer, const struct cdm_var *var)
{
    if (var && var->id >= 0 && !namer->vars[var->id])
        namer->vars[var->id] = unique(namer, var->name);
}

static void meet_buffer(struct cdm_namer *namer, const struct cdm_buffer *buffer)
{
    if (buffer->base != buffer)
        meet_buffer(namer, buffer->base);
    if (namer->buffers[buffer->id])
        return;
    namer->buffers[buffer->id] = unique(namer, buffer->name);
    namer->met = cdm_grow(namer->met, &namer->max_met, namer->n_met + 1, sizeof *namer->met);
    namer->met[namer->n_met++] = buffer;
}

static void meet_expr(struct cdm_namer *namer, const struct cdm_expr *expr)
{
    if (!expr)
        return;
    if (expr->kind == EXPR_VAR || expr->kind == EXPR_LET)
        meet_var(namer, expr->var);
    else if (expr->kind == EXPR_LOAD || expr->kind == EXPR_BUFFER)
        meet_buffer(namer, expr->buffer);
    for (int32_t i = 0; i < expr->n_args; i++)
        meet_expr(namer, expr->args[i]);
}

/* What the declarations of the buffers met so far mention. One after the other, not one inside the
 * other: a chain of declarations may be long. */
static void meet_declarations(struct cdm_namer *namer)
{
    while (namer->n_opened < namer->n_met) {
        const struct cdm_buffer *buffer = namer->met[namer->n_opened++];
        for (int32_t i = 0; i < buffer->n_dims; i++) {
            meet_expr(namer, buffer->shape[i]);
            if (buffer->strides)
                meet_expr(namer, buffer->strides[i]);
        }
        meet_expr(namer, buffer->elem_offset);
    }
}

static void meet_stmt(struct cdm_namer *namer, const struct cdm_stmt *stmt)
{
    if (stmt->kind == STMT_LOOP || stmt->kind == STMT_LET)
        meet_var(namer, stmt->var);
    if (stmt->buffer)
        meet_buffer(namer, stmt->buffer);
    meet_expr(namer, stmt->min);
    meet_expr(namer, stmt->extent);
    for (int32_t i = 0; i < stmt->n_indices; i++)
        meet_expr(namer, stmt->indices[i]);
    meet_expr(namer, stmt->node);
    meet_expr(namer, stmt->value);
    meet_expr(namer, stmt->condition);
    for (int32_t i = 0; i < stmt->n_annotations; i++)
        meet_expr(namer, stmt->annotations[i].value);
    meet_declarations(namer);
    for (int32_t i = 0; i < stmt->n_children; i++)
        meet_stmt(namer, stmt->children[i]);
    if (stmt->body)
        meet_stmt(namer, stmt->body);
    if (stmt->other)
        meet_stmt(namer, stmt->other);
}

/* The last names to be given, so that those that are not printed change no other. */
static void name_handles(struct cdm_namer *namer, const struct cdm_program *program)
{
    for (int32_t i = 0; i < program->n_params; i++) {
        const struct cdm_buffer *buffer = program->params[i].buffer;
        if (!buffer)
            continue;
        struct cdm_str name = {0};
        cdm_str_printf(&name, "var_%s", namer->buffers[buffer->id]);
        namer->handles[i] = unique(namer, name.data);
        cdm_str_release(&name);
    }
}

struct cdm_namer *cdm_namer_new(const struct cdm_program *program)
{
    struct cdm_namer *namer = cdm_alloc(1, sizeof *namer);

    namer->vars = cdm_alloc((size_t)program->n_vars, sizeof *namer->vars);
    namer->buffers = cdm_alloc((size_t)program->n_buffers, sizeof *namer->buffers);
    namer->handles = cdm_alloc((size_t)program->n_params, sizeof *namer->handles);
    for (int32_t i = 0; i < program->n_params; i++) {
        if (program->params[i].buffer)
            meet_buffer(namer, program->params[i].buffer);
        else
            meet_var(namer, program->params[i].var);
    }
    meet_declarations(namer);
    meet_stmt(namer, program->body);
    name_handles(namer, program);
    return namer;
}

void cdm_namer_free(struct cdm_namer *namer)
{
    if (!namer)
        return;
    cdm_arena_release(&namer->arena);
    free(namer->vars);
    free(namer->buffers);
    free(namer->handles);
    free(namer->met);
    free(namer->table);
    free(namer);
}

const char *cdm_namer_var(const struct cdm_namer *namer, const struct cdm_var *var)
{
    if (var->id < 0 || !namer->vars[var->id])
        return var->name;
    return namer->vars[var->id];
}

const char *cdm_namer_buffer(const struct cdm_namer *namer, const struct cdm_buffer *buffer)
{
    return namer->buffers[buffer->id] ? namer->buffers[buffer->id] : buffer->name;
}

const char *cdm_namer_handle(const struct cdm_namer *namer, int32_t param)
{
    return namer->handles[param];
}

bool cdm_namer_has(const struct cdm_namer *namer, const struct cdm_var *var)
{
    return var->id >= 0 && namer->vars[var->id];
}
