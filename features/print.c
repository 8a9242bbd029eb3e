#include "features/print.h"

#include "cdmpp/core/alloc.h"
#include "features/build.h"
#include "features/print_expr.h"

#include <stdlib.h>
#include <string.h>

enum { INDENT = 4 };

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

/* What follows shape and type in T.Buffer(...) or T.buffer_decl(...). */
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
}

static void print_annotations(const struct cdm_namer *namer, const struct cdm_annotation *items,
                              int32_t n, struct cdm_str *out)
{
    cdm_str_putc(out, '{');
    for (int32_t i = 0; i < n; i++) {
        cdm_str_puts(out, i ? ", " : "");
        cdm_print_string(items[i].key, out);
        cdm_str_puts(out, ": ");
        cdm_print_expr(namer, items[i].value, out);
    }
    cdm_str_putc(out, '}');
}

static void print_loop(const struct cdm_namer *namer, const struct cdm_stmt *stmt,
                       struct cdm_str *out)
{
    static const char *const kinds[] = {"serial", "parallel",       "vectorized",
                                        "unroll", "thread_binding", "thread_binding"};
    const char *var = cdm_namer_var(namer, stmt->var);
    int64_t min;

    if (stmt->is_attr) {
        cdm_str_printf(out, "%s = T.launch_thread(", var);
        cdm_print_string(stmt->thread_tag, out);
        cdm_str_puts(out, ", ");
        cdm_print_expr(namer, stmt->extent, out);
        cdm_str_putc(out, ')');
        return;
    }
    cdm_str_printf(out, "for %s in T.%s(", var, kinds[stmt->loop_kind]);
    if (cdm_expr_is_int(stmt->min, &min) && min == 0)
        cdm_print_expr(namer, stmt->extent, out);
    else
        cdm_print_range(namer, stmt->min, stmt->extent, ", ", out);
    if (stmt->thread_tag) {
        cdm_str_puts(out, ", thread=");
        cdm_print_string(stmt->thread_tag, out);
    }
    if (stmt->n_annotations) {
        cdm_str_puts(out, ", annotations=");
        print_annotations(namer, stmt->annotations, stmt->n_annotations, out);
    }
    cdm_str_putc(out, ')');
}

static void print_realize(const struct cdm_namer *namer, const struct cdm_stmt *stmt,
                          struct cdm_str *out)
{
    cdm_str_printf(out, "T.realize(%s[", cdm_namer_buffer(namer, stmt->buffer));
    for (int32_t i = 0; i < stmt->n_indices; i++) {
        cdm_str_puts(out, i ? ", " : "");
        cdm_print_range(namer, stmt->indices[i]->args[0], stmt->indices[i]->args[1], ":", out);
    }
    cdm_str_puts(out, stmt->n_indices ? "], " : "()], ");
    cdm_print_string(stmt->buffer->scope, out);
    if (stmt->condition) {
        cdm_str_puts(out, ", ");
        cdm_print_expr(namer, stmt->condition, out);
    }
    cdm_str_putc(out, ')');
}

static void print_allocate(const struct cdm_namer *namer, const struct cdm_stmt *stmt,
                           struct cdm_str *out)
{
    char text[64];

    cdm_str_printf(out, "%s = T.allocate([", cdm_namer_buffer(namer, stmt->buffer));
    for (int32_t i = 0; i < stmt->buffer->n_dims; i++) {
        cdm_str_puts(out, i ? ", " : "");
        cdm_print_expr(namer, stmt->buffer->shape[i], out);
    }
    cdm_str_printf(out, "], \"%s\", ", cdm_type_text(stmt->buffer->type, text, sizeof text));
    cdm_print_string(stmt->buffer->scope, out);
    if (stmt->condition) {
        cdm_str_puts(out, ", ");
        cdm_print_expr(namer, stmt->condition, out);
    }
    if (stmt->n_annotations) {
        cdm_str_puts(out, ", annotations=");
        print_annotations(namer, stmt->annotations, stmt->n_annotations, out);
    }
    cdm_str_putc(out, ')');
}

static void print_store(const struct cdm_namer *namer, const struct cdm_stmt *stmt,
                        struct cdm_str *out)
{
    cdm_str_printf(out, "%s[", cdm_namer_buffer(namer, stmt->buffer));
    for (int32_t i = 0; i < stmt->n_indices; i++) {
        cdm_str_puts(out, i ? ", " : "");
        cdm_print_expr(namer, stmt->indices[i], out);
    }
    cdm_str_puts(out, stmt->n_indices ? "" : "()");
    if (stmt->condition) {
        cdm_str_puts(out, ", predicate=");
        cdm_print_expr(namer, stmt->condition, out);
    }
    cdm_str_puts(out, "] = ");
    cdm_print_expr(namer, stmt->value, out);
}

void cdm_print_head(const struct cdm_namer *namer, const struct cdm_stmt *stmt, struct cdm_str *out)
{
    char text[64];

    switch ((enum cdm_stmt_kind)stmt->kind) {
    case STMT_LOOP:
        print_loop(namer, stmt, out);
        break;
    case STMT_ATTR:
        cdm_str_puts(out, "T.attr(");
        if (stmt->node)
            cdm_print_expr(namer, stmt->node, out);
        else
            cdm_str_puts(out, "None");
        cdm_str_puts(out, ", ");
        cdm_print_string(stmt->key, out);
        cdm_str_puts(out, ", ");
        cdm_print_expr(namer, stmt->value, out);
        cdm_str_putc(out, ')');
        break;
    case STMT_REALIZE:
        print_realize(namer, stmt, out);
        break;
    case STMT_ALLOCATE:
        print_allocate(namer, stmt, out);
        break;
    case STMT_STORE:
        print_store(namer, stmt, out);
        break;
    case STMT_IF:
        cdm_str_puts(out, "if ");
        cdm_print_expr(namer, stmt->condition, out);
        break;
    case STMT_WHILE:
        cdm_str_puts(out, "while ");
        cdm_print_expr(namer, stmt->condition, out);
        break;
    case STMT_LET:
        cdm_str_printf(out, "%s: T.%s = ", cdm_namer_var(namer, stmt->var),
                       cdm_type_text(stmt->var->type, text, sizeof text));
        cdm_print_expr(namer, stmt->value, out);
        break;
    case STMT_ASSERT:
        cdm_str_puts(out, "T.Assert(");
        cdm_print_expr(namer, stmt->condition, out);
        if (stmt->value) {
            cdm_str_puts(out, ", ");
            cdm_print_expr(namer, stmt->value, out);
        }
        cdm_str_putc(out, ')');
        break;
    case STMT_EVALUATE:
        cdm_str_puts(out, "T.evaluate(");
        cdm_print_expr(namer, stmt->value, out);
        cdm_str_putc(out, ')');
        break;
    case STMT_SEQ:
    case STMT_N_KINDS:
        break;
    }
}

struct printer {
    const struct cdm_namer *namer;
    const struct cdm_program *program;
    struct cdm_str *out;
    bool *used;      /* [n_buffers] by some statement */
    bool *allocated; /* [n_buffers] by a T.allocate */
};

static void indent(struct printer *printer, int depth)
{
    cdm_str_printf(printer->out, "%*s", depth * INDENT, "");
}

static void print_stmt(struct printer *printer, const struct cdm_stmt *stmt, int depth, bool last);

/* The body of an indented construct. */
static void print_body(struct printer *printer, const struct cdm_stmt *body, int depth)
{
    if (body->kind == STMT_SEQ && body->n_children == 0) {
        indent(printer, depth);
        cdm_str_puts(printer->out, "pass\n");
        return;
    }
    print_stmt(printer, body, depth, true);
}

static void print_declaration(struct printer *printer, const struct cdm_buffer *buffer, int depth)
{
    indent(printer, depth);
    cdm_str_printf(printer->out, "%s = T.buffer_decl(", cdm_namer_buffer(printer->namer, buffer));
    print_shape(printer->namer, buffer, printer->out);
    print_details(printer->namer, buffer, printer->out);
    cdm_str_puts(printer->out, ")\n");
}

/* Buffers that view an allocation are declared behind it. */
static void print_views(struct printer *printer, const struct cdm_stmt *stmt, int depth)
{
    if (stmt->kind != STMT_ALLOCATE)
        return;
    for (int32_t i = 0; i < printer->program->n_buffers; i++) {
        const struct cdm_buffer *buffer = printer->program->buffers[i];
        if (printer->used[i] && buffer != stmt->buffer && buffer->base == stmt->buffer)
            print_declaration(printer, buffer, depth);
    }
}

/* A statement whose scope may be the rest of the block: its head, then the body at the same depth
 * when nothing follows, else in a `with`. */
static void print_scope(struct printer *printer, const struct cdm_stmt *stmt, int depth, bool last)
{
    struct cdm_str *out = printer->out;
    bool empty = stmt->body->kind == STMT_SEQ && stmt->body->n_children == 0;

    indent(printer, depth);
    if (last) {
        cdm_print_head(printer->namer, stmt, out);
        cdm_str_putc(out, '\n');
        print_views(printer, stmt, depth);
        if (!empty)
            print_stmt(printer, stmt->body, depth, true);
        return;
    }
    /* "x = T.call(..)" becomes "with T.call(..) as x", "x: T.int32 = e" "with T.LetStmt(e) as x".
     */
    struct cdm_str head = {0};
    cdm_print_head(printer->namer, stmt, &head);
    const char *name = stmt->kind == STMT_ALLOCATE ? cdm_namer_buffer(printer->namer, stmt->buffer)
                       : stmt->var                 ? cdm_namer_var(printer->namer, stmt->var)
                                                   : NULL;
    if (stmt->kind == STMT_LET) {
        cdm_str_puts(out, "with T.LetStmt(");
        cdm_print_expr(printer->namer, stmt->value, out);
        cdm_str_printf(out, ") as %s:\n", name);
    } else if (name) {
        cdm_str_printf(out, "with %s as %s:\n", head.data + strlen(name) + strlen(" = "), name);
    } else {
        cdm_str_printf(out, "with %s:\n", head.data);
    }
    cdm_str_release(&head);
    print_views(printer, stmt, depth + 1);
    print_body(printer, stmt->body, depth + 1);
}

/* Plain serial loops from 0 that hold nothing but the next such loop share a line. */
static bool joins_grid(const struct cdm_stmt *stmt)
{
    int64_t min;
    return stmt->kind == STMT_LOOP && !stmt->is_attr && stmt->loop_kind == LOOP_SERIAL &&
           !stmt->n_annotations && cdm_expr_is_int(stmt->min, &min) && min == 0 &&
           stmt->min->kind == EXPR_INT;
}

static const struct cdm_stmt *print_loops(struct printer *printer, const struct cdm_stmt *stmt)
{
    enum { LONGEST = 32 };
    const struct cdm_stmt *loops[LONGEST];
    struct cdm_str *out = printer->out;
    int n = 0;

    for (const struct cdm_stmt *loop = stmt; n < LONGEST && joins_grid(loop); loop = loop->body)
        loops[n++] = loop;
    if (n < 2) {
        cdm_print_head(printer->namer, stmt, out);
        return stmt->body;
    }
    for (int i = 0; i < n; i++)
        cdm_str_printf(out, "%s%s", i ? ", " : "for ",
                       cdm_namer_var(printer->namer, loops[i]->var));
    for (int i = 0; i < n; i++) {
        cdm_str_puts(out, i ? ", " : " in T.grid(");
        cdm_print_expr(printer->namer, loops[i]->extent, out);
    }
    cdm_str_putc(out, ')');
    return loops[n - 1]->body;
}

static void print_if(struct printer *printer, const struct cdm_stmt *stmt, int depth)
{
    cdm_print_head(printer->namer, stmt, printer->out);
    cdm_str_puts(printer->out, ":\n");
    print_body(printer, stmt->body, depth + 1);
    if (!stmt->other)
        return;
    indent(printer, depth);
    cdm_str_puts(printer->out, "else:\n");
    print_body(printer, stmt->other, depth + 1);
}

static void print_stmt(struct printer *printer, const struct cdm_stmt *stmt, int depth, bool last)
{
    struct cdm_str *out = printer->out;

    switch ((enum cdm_stmt_kind)stmt->kind) {
    case STMT_SEQ:
        for (int32_t i = 0; i < stmt->n_children; i++)
            print_stmt(printer, stmt->children[i], depth, last && i + 1 == stmt->n_children);
        break;
    case STMT_LOOP:
        if (stmt->is_attr) {
            print_scope(printer, stmt, depth, last);
            break;
        }
        indent(printer, depth);
        const struct cdm_stmt *body = print_loops(printer, stmt);
        cdm_str_puts(out, ":\n");
        print_body(printer, body, depth + 1);
        break;
    case STMT_ATTR:
    case STMT_REALIZE:
    case STMT_ALLOCATE:
    case STMT_LET:
    case STMT_ASSERT:
        print_scope(printer, stmt, depth, last);
        break;
    case STMT_IF:
        indent(printer, depth);
        print_if(printer, stmt, depth);
        break;
    case STMT_WHILE:
        indent(printer, depth);
        cdm_print_head(printer->namer, stmt, out);
        cdm_str_puts(out, ":\n");
        print_body(printer, stmt->body, depth + 1);
        break;
    case STMT_STORE:
    case STMT_EVALUATE:
        indent(printer, depth);
        cdm_print_head(printer->namer, stmt, out);
        cdm_str_putc(out, '\n');
        break;
    case STMT_N_KINDS:
        break;
    }
}

static void mark_expr(const struct cdm_expr *expr, bool *used)
{
    if (!expr)
        return;
    if (expr->kind == EXPR_LOAD || expr->kind == EXPR_BUFFER)
        used[expr->buffer->id] = true;
    for (int32_t i = 0; i < expr->n_args; i++)
        mark_expr(expr->args[i], used);
}

/* Marks the buffers that the statements use, and those that a T.allocate makes. */
static void mark_buffers(const struct cdm_stmt *stmt, bool *used, bool *allocated)
{
    if (stmt->buffer) {
        used[stmt->buffer->id] = true;
        if (stmt->kind == STMT_ALLOCATE)
            allocated[stmt->buffer->id] = true;
    }
    for (int32_t i = 0; i < stmt->n_indices; i++)
        mark_expr(stmt->indices[i], used);
    mark_expr(stmt->extent, used);
    mark_expr(stmt->min, used);
    mark_expr(stmt->node, used);
    mark_expr(stmt->value, used);
    mark_expr(stmt->condition, used);
    for (int32_t i = 0; i < stmt->n_children; i++)
        mark_buffers(stmt->children[i], used, allocated);
    if (stmt->body)
        mark_buffers(stmt->body, used, allocated);
    if (stmt->other)
        mark_buffers(stmt->other, used, allocated);
}

struct declared {
    const char *name;
    int32_t id;
};

static int by_name(const void *a, const void *b)
{
    const struct declared *x = a, *y = b;
    return strcmp(x->name, y->name);
}

/* The buffers that are neither parameters nor allocated, by name since a format may list them in
 * any order; those that view another one last. */
static void print_declarations(struct printer *printer)
{
    const struct cdm_program *program = printer->program;
    struct declared *list = cdm_alloc((size_t)program->n_buffers, sizeof *list);
    size_t n = 0;

    for (int32_t i = 0; i < program->n_buffers; i++)
        if (printer->used[i] && !printer->allocated[i] && program->buffers[i]->param < 0)
            list[n++] = (struct declared){cdm_namer_buffer(printer->namer, program->buffers[i]), i};
    qsort(list, n, sizeof *list, by_name);
    for (int views = 0; views < 2; views++) {
        for (size_t i = 0; i < n; i++) {
            const struct cdm_buffer *buffer = program->buffers[list[i].id];
            if ((buffer->base != buffer) == views && !printer->allocated[buffer->base->id])
                print_declaration(printer, buffer, 1);
        }
    }
    free(list);
}

static void mark_bound(const struct cdm_stmt *stmt, bool *bound)
{
    if ((stmt->kind == STMT_LOOP || stmt->kind == STMT_LET) && stmt->var->id >= 0)
        bound[stmt->var->id] = true;
    for (int32_t i = 0; i < stmt->n_children; i++)
        mark_bound(stmt->children[i], bound);
    if (stmt->body)
        mark_bound(stmt->body, bound);
    if (stmt->other)
        mark_bound(stmt->other, bound);
}

/* Variables that nothing binds, such as a symbolic size, unless they are int32 as the reader
 * assumes. */
static void print_free_variables(struct printer *printer)
{
    const struct cdm_program *program = printer->program;
    bool *bound = cdm_alloc((size_t)program->n_vars, sizeof *bound);
    char text[64];

    mark_bound(program->body, bound);
    for (int32_t i = 0; i < program->n_params; i++)
        if (!program->params[i].buffer && program->params[i].var->id >= 0)
            bound[program->params[i].var->id] = true;
    for (int32_t i = 0; i < program->n_vars; i++) {
        const struct cdm_var *var = program->vars[i];
        if (bound[i] || !cdm_namer_has(printer->namer, var) ||
            cdm_type_equal(var->type, cdm_type_int32()))
            continue;
        cdm_str_printf(printer->out, "    %s = T.var(\"%s\")\n", cdm_namer_var(printer->namer, var),
                       cdm_type_text(var->type, text, sizeof text));
    }
    free(bound);
}

static int by_key(const void *a, const void *b)
{
    const struct cdm_annotation *x = a, *y = b;
    return strcmp(x->key, y->key);
}

/* Function attributes by name, since a format may list them in any order. */
static void print_attrs(struct printer *printer)
{
    const struct cdm_program *program = printer->program;
    size_t n = (size_t)program->n_attrs;

    if (!n)
        return;
    struct cdm_annotation *sorted = cdm_alloc(n, sizeof *sorted);
    memcpy(sorted, program->attrs, n * sizeof *sorted);
    qsort(sorted, n, sizeof *sorted, by_key);
    cdm_str_puts(printer->out, "    T.func_attr(");
    print_annotations(printer->namer, sorted, program->n_attrs, printer->out);
    cdm_str_puts(printer->out, ")\n");
    free(sorted);
}

void cdm_print_program(const struct cdm_program *program, struct cdm_str *out)
{
    struct cdm_namer *namer = cdm_namer_new(program);
    struct printer printer = {.namer = namer, .program = program, .out = out};
    char text[64];

    cdm_str_puts(out, "@T.prim_func\ndef ");
    cdm_print_name(program->name, false, out);
    cdm_str_putc(out, '(');
    for (int32_t i = 0; i < program->n_params; i++) {
        const struct cdm_param *param = &program->params[i];
        cdm_str_puts(out, i ? ", " : "");
        if (param->buffer) {
            cdm_str_printf(out, "%s: T.Buffer(", cdm_namer_buffer(namer, param->buffer));
            print_shape(namer, param->buffer, out);
            print_details(namer, param->buffer, out);
            cdm_str_putc(out, ')');
        } else {
            cdm_str_printf(out, "%s: T.%s", cdm_namer_var(namer, param->var),
                           cdm_type_text(param->var->type, text, sizeof text));
        }
    }
    cdm_str_puts(out, "):\n");
    printer.used = cdm_alloc((size_t)program->n_buffers, sizeof *printer.used);
    printer.allocated = cdm_alloc((size_t)program->n_buffers, sizeof *printer.allocated);
    mark_buffers(program->body, printer.used, printer.allocated);
    for (int32_t i = 0; i < program->n_buffers; i++)
        printer.used[program->buffers[i]->base->id] |= printer.used[i];
    print_attrs(&printer);
    print_free_variables(&printer);
    print_declarations(&printer);
    print_body(&printer, program->body, 1);
    free(printer.used);
    free(printer.allocated);
    cdm_namer_free(namer);
}
