#include "features/print_decl.h"

#include "cdmpp/core/alloc.h"
#include "features/build.h"
#include "features/print_expr.h"

#include <stdlib.h>
#include <string.h>

/* A place in the program: its statements are numbered in their order, the top is -1. */
enum { TOP = -1 };

struct home {
    const struct cdm_stmt *stmt;
    int32_t number;
};

/* A buffer to declare. */
struct item {
    const struct cdm_buffer *buffer;
    const char *name;
    struct home home;
    int32_t level; /* buffers of a lower level come first */
    bool is_view;
};

struct cdm_declarations {
    const struct cdm_program *program;
    const struct cdm_namer *namer;
    int32_t n_stmts;         /* numbered so far */
    struct home *binders;    /* [n_vars] the loop or let of the variable; none: TOP */
    struct home *allocators; /* [n_buffers] the T.allocate; none: TOP */
    bool *bound;             /* [n_vars] by a loop, a let or a parameter */
    bool *used;              /* [n_buffers] */
    struct home *homes;      /* [n_buffers] where it becomes known */
    int32_t *levels;         /* [n_buffers] */
    struct cdm_str *handles; /* [n_params] name of the handle; empty: the buffer is in the header */
    struct item *items;      /* [n_items] sorted by place */
    size_t n_items, next_item; /* next_item: the first that was not printed */
};

/* Looking at the program */

static struct home later(struct home a, struct home b)
{
    return b.number > a.number ? b : a;
}

static void mark_expr(struct cdm_declarations *d, const struct cdm_expr *expr)
{
    if (!expr)
        return;
    if (expr->kind == EXPR_LOAD || expr->kind == EXPR_BUFFER)
        d->used[expr->buffer->id] = true;
    if (expr->kind == EXPR_LET && expr->var->id >= 0)
        d->bound[expr->var->id] = true;
    for (int32_t i = 0; i < expr->n_args; i++)
        mark_expr(d, expr->args[i]);
}

static void mark_stmt(struct cdm_declarations *d, const struct cdm_stmt *stmt)
{
    struct home here = {stmt, d->n_stmts++};

    if ((stmt->kind == STMT_LOOP || stmt->kind == STMT_LET) && stmt->var->id >= 0 &&
        !d->bound[stmt->var->id]) {
        d->bound[stmt->var->id] = true;
        d->binders[stmt->var->id] = here;
    }
    if (stmt->buffer) {
        d->used[stmt->buffer->id] = true;
        if (stmt->kind == STMT_ALLOCATE && d->allocators[stmt->buffer->id].number == TOP)
            d->allocators[stmt->buffer->id] = here;
    }
    for (int32_t i = 0; i < stmt->n_indices; i++)
        mark_expr(d, stmt->indices[i]);
    for (int32_t i = 0; i < stmt->n_annotations; i++)
        mark_expr(d, stmt->annotations[i].value);
    mark_expr(d, stmt->extent);
    mark_expr(d, stmt->min);
    mark_expr(d, stmt->node);
    mark_expr(d, stmt->value);
    mark_expr(d, stmt->condition);
    for (int32_t i = 0; i < stmt->n_children; i++)
        mark_stmt(d, stmt->children[i]);
    if (stmt->body)
        mark_stmt(d, stmt->body);
    if (stmt->other)
        mark_stmt(d, stmt->other);
}

/* A declaration mentions only buffers with a smaller number: they were there before it. */
static void mark_mentioned(struct cdm_declarations *d)
{
    for (int32_t i = d->program->n_buffers; i-- > 0;) {
        const struct cdm_buffer *buffer = d->program->buffers[i];
        if (!d->used[i])
            continue;
        d->used[buffer->base->id] = true;
        for (int32_t k = 0; k < buffer->n_dims; k++) {
            mark_expr(d, buffer->shape[k]);
            mark_expr(d, buffer->strides ? buffer->strides[k] : NULL);
        }
        mark_expr(d, buffer->elem_offset);
    }
}

/* Where a declaration can stand. */
struct need {
    struct home home;
    int32_t level;
    bool plain; /* it mentions neither variables nor buffers */
};

static void need_expr(const struct cdm_declarations *d, const struct cdm_expr *expr,
                      struct need *need)
{
    if (!expr)
        return;
    if (expr->kind == EXPR_VAR || expr->kind == EXPR_LOAD || expr->kind == EXPR_BUFFER)
        need->plain = false;
    if (expr->kind == EXPR_VAR && expr->var->id >= 0)
        need->home = later(need->home, d->binders[expr->var->id]);
    if (expr->kind == EXPR_LOAD || expr->kind == EXPR_BUFFER) {
        int32_t id = expr->buffer->id;
        need->home = later(need->home, d->homes[id]);
        need->level = d->levels[id] >= need->level ? d->levels[id] + 1 : need->level;
    }
    for (int32_t i = 0; i < expr->n_args; i++)
        need_expr(d, expr->args[i], need);
}

/* Returns whether the declaration may stand in the header. */
static bool place_buffer(struct cdm_declarations *d, const struct cdm_buffer *buffer)
{
    struct need need = {{NULL, TOP}, 1, true};

    for (int32_t i = 0; i < buffer->n_dims; i++) {
        need_expr(d, buffer->shape[i], &need);
        need_expr(d, buffer->strides ? buffer->strides[i] : NULL, &need);
    }
    need_expr(d, buffer->elem_offset, &need);
    if (buffer->base != buffer) {
        int32_t base = buffer->base->id;
        need.home = later(need.home, d->homes[base]);
        need.level = d->levels[base] > need.level ? d->levels[base] : need.level;
    }
    if (d->allocators[buffer->id].number != TOP)
        need.home = d->allocators[buffer->id];
    d->homes[buffer->id] = need.home;
    d->levels[buffer->id] = need.level;
    return need.plain;
}

static void add_item(struct cdm_declarations *d, const struct cdm_buffer *buffer)
{
    d->items[d->n_items++] =
        (struct item){buffer, cdm_namer_buffer(d->namer, buffer), d->homes[buffer->id],
                      d->levels[buffer->id], buffer->base != buffer};
}

static int by_place(const void *a, const void *b)
{
    const struct item *x = a, *y = b;

    if (x->home.number != y->home.number)
        return x->home.number < y->home.number ? -1 : 1;
    if (x->level != y->level)
        return x->level < y->level ? -1 : 1;
    if (x->is_view != y->is_view)
        return x->is_view ? 1 : -1;
    return strcmp(x->name, y->name);
}

/* A parameter whose buffer cannot be declared in the header: its shape mentions variables that are
 * not known there, or the body mentions the handle. */
static void name_handle(struct cdm_declarations *d, int32_t i)
{
    const struct cdm_param *param = &d->program->params[i];

    if (cdm_namer_has(d->namer, param->var))
        cdm_str_puts(&d->handles[i], cdm_namer_var(d->namer, param->var));
    else
        cdm_str_puts(&d->handles[i], cdm_namer_handle(d->namer, i));
}

static void collect(struct cdm_declarations *d)
{
    const struct cdm_program *program = d->program;

    mark_stmt(d, program->body);
    for (int32_t i = 0; i < program->n_params; i++) {
        if (program->params[i].buffer)
            d->used[program->params[i].buffer->id] = true;
        if (program->params[i].var->id >= 0)
            d->bound[program->params[i].var->id] = true;
    }
    mark_mentioned(d);
    for (int32_t i = 0; i < program->n_buffers; i++) {
        const struct cdm_buffer *buffer = program->buffers[i];
        if (!d->used[i])
            continue;
        bool plain = place_buffer(d, buffer);
        if (buffer->param >= 0) {
            if (plain && !cdm_namer_has(d->namer, program->params[buffer->param].var))
                continue;
            name_handle(d, buffer->param);
        }
        if (d->allocators[i].number == TOP)
            add_item(d, buffer);
    }
    qsort(d->items, d->n_items, sizeof *d->items, by_place);
}

struct cdm_declarations *cdm_declarations_new(const struct cdm_program *program,
                                              const struct cdm_namer *namer)
{
    struct cdm_declarations *d = cdm_alloc(1, sizeof *d);
    size_t n_vars = (size_t)program->n_vars, n_buffers = (size_t)program->n_buffers;

    d->program = program;
    d->namer = namer;
    d->binders = cdm_alloc(n_vars, sizeof *d->binders);
    d->bound = cdm_alloc(n_vars, sizeof *d->bound);
    d->allocators = cdm_alloc(n_buffers, sizeof *d->allocators);
    d->used = cdm_alloc(n_buffers, sizeof *d->used);
    d->homes = cdm_alloc(n_buffers, sizeof *d->homes);
    d->levels = cdm_alloc(n_buffers, sizeof *d->levels);
    d->items = cdm_alloc(n_buffers, sizeof *d->items);
    d->handles = cdm_alloc((size_t)program->n_params, sizeof *d->handles);
    for (size_t i = 0; i < n_vars; i++)
        d->binders[i].number = TOP;
    for (size_t i = 0; i < n_buffers; i++)
        d->allocators[i].number = TOP;
    collect(d);
    return d;
}

void cdm_declarations_free(struct cdm_declarations *d)
{
    if (!d)
        return;
    for (int32_t i = 0; i < d->program->n_params; i++)
        cdm_str_release(&d->handles[i]);
    free(d->handles);
    free(d->binders);
    free(d->bound);
    free(d->allocators);
    free(d->used);
    free(d->homes);
    free(d->levels);
    free(d->items);
    free(d);
}

/* Printing */

static void print_shape(const struct cdm_namer *namer, const struct cdm_buffer *buffer,
                        struct cdm_str *out)
{
    char text[64];

    cdm_str_putc(out, '(');
    for (int32_t i = 0; i < buffer->n_dims; i++) {
        cdm_print_expr(namer, buffer->shape[i], out);
        if (i + 1 < buffer->n_dims)
            cdm_str_puts(out, ", ");
        else if (i == 0)
            cdm_str_putc(out, ',');
    }
    cdm_str_printf(out, "), \"%s\"", cdm_type_text(buffer->type, text, sizeof text));
}

/* What follows shape and type. */
static void print_details(const struct cdm_namer *namer, const struct cdm_buffer *buffer,
                          struct cdm_str *out)
{
    if (buffer->base != buffer)
        cdm_str_printf(out, ", data=%s.data", cdm_namer_buffer(namer, buffer->base));
    if (buffer->strides) {
        cdm_str_puts(out, ", strides=[");
        for (int32_t i = 0; i < buffer->n_dims; i++) {
            cdm_str_puts(out, i ? ", " : "");
            cdm_print_expr(namer, buffer->strides[i], out);
        }
        cdm_str_putc(out, ']');
    }
    if (buffer->elem_offset) {
        cdm_str_puts(out, ", elem_offset=");
        cdm_print_expr(namer, buffer->elem_offset, out);
    }
    if (strcmp(buffer->scope, "global") && buffer->base == buffer) {
        cdm_str_puts(out, ", scope=");
        cdm_print_string(buffer->scope, out);
    }
    if (buffer->align)
        cdm_str_printf(out, ", align=%d", buffer->align);
    if (buffer->offset_factor)
        cdm_str_printf(out, ", offset_factor=%d", buffer->offset_factor);
    cdm_str_putc(out, ')');
}

void cdm_print_params(const struct cdm_declarations *d, struct cdm_str *out)
{
    char text[64];

    for (int32_t i = 0; i < d->program->n_params; i++) {
        const struct cdm_param *param = &d->program->params[i];
        cdm_str_puts(out, i ? ", " : "");
        if (d->handles[i].length) {
            cdm_str_printf(out, "%s: T.handle", d->handles[i].data);
        } else if (param->buffer) {
            cdm_str_printf(out, "%s: T.Buffer(", cdm_namer_buffer(d->namer, param->buffer));
            print_shape(d->namer, param->buffer, out);
            print_details(d->namer, param->buffer, out);
        } else {
            cdm_str_printf(out, "%s: T.%s", cdm_namer_var(d->namer, param->var),
                           cdm_type_word(param->var->type, text, sizeof text));
        }
    }
}

static void print_items(struct cdm_declarations *d, int32_t number, int indent, struct cdm_str *out)
{
    while (d->next_item < d->n_items && d->items[d->next_item].home.number <= number) {
        const struct item *item = &d->items[d->next_item++];
        int32_t param = item->buffer->param;
        cdm_str_printf(out, "%*s%s = T.", indent, "", item->name);
        if (param >= 0)
            cdm_str_printf(out, "match_buffer(%s, ", d->handles[param].data);
        else
            cdm_str_puts(out, "buffer_decl(");
        print_shape(d->namer, item->buffer, out);
        print_details(d->namer, item->buffer, out);
        cdm_str_putc(out, '\n');
    }
}

/* Variables that nothing binds, such as a symbolic size, unless they are int32 as the reader
 * assumes. */
static void print_free_variables(const struct cdm_declarations *d, int indent, struct cdm_str *out)
{
    char text[64];

    for (int32_t i = 0; i < d->program->n_vars; i++) {
        const struct cdm_var *var = d->program->vars[i];
        if (d->bound[i] || !cdm_namer_has(d->namer, var) ||
            cdm_type_equal(var->type, cdm_type_int32()))
            continue;
        cdm_str_printf(out, "%*s%s = T.var(\"%s\")\n", indent, "", cdm_namer_var(d->namer, var),
                       cdm_type_text(var->type, text, sizeof text));
    }
}

void cdm_print_top(struct cdm_declarations *d, int indent, struct cdm_str *out)
{
    print_free_variables(d, indent, out);
    print_items(d, TOP, indent, out);
}

void cdm_print_inside(struct cdm_declarations *d, const struct cdm_stmt *stmt, int indent,
                      struct cdm_str *out)
{
    if (d->next_item < d->n_items && d->items[d->next_item].home.stmt == stmt)
        print_items(d, d->items[d->next_item].home.number, indent, out);
}
