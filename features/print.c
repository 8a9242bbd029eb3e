#include "features/print.h"

#include "cdmpp/core/alloc.h"
#include "features/build.h"
#include "features/print_decl.h"
#include "features/print_expr.h"

#include <stdlib.h>
#include <string.h>

enum { INDENT = 4 };

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
        cdm_print_access(namer, stmt->buffer, stmt->indices, stmt->n_indices, stmt->condition, out);
        cdm_str_puts(out, " = ");
        cdm_print_expr(namer, stmt->value, out);
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
                       cdm_type_word(stmt->var->type, text, sizeof text));
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
    struct cdm_declarations *declarations;
    struct cdm_str *out;
};

static void indent(struct printer *printer, int depth)
{
    cdm_str_printf(printer->out, "%*s", depth * INDENT, "");
}

static void print_inside(struct printer *printer, const struct cdm_stmt *stmt, int depth)
{
    cdm_print_inside(printer->declarations, stmt, depth * INDENT, printer->out);
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

/* A statement whose scope may be the rest of the block: its head, then the body at the same depth
 * when nothing follows, else in a `with`. */
static void print_scope(struct printer *printer, const struct cdm_stmt *stmt, int depth, bool last)
{
    struct cdm_str *out = printer->out;
    char text[64];
    bool empty = stmt->body->kind == STMT_SEQ && stmt->body->n_children == 0;

    indent(printer, depth);
    if (last) {
        cdm_print_head(printer->namer, stmt, out);
        cdm_str_putc(out, '\n');
        print_inside(printer, stmt, depth);
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
        if (!cdm_type_equal(stmt->var->type, stmt->value->type))
            cdm_str_printf(out, ", \"%s\"", cdm_type_text(stmt->var->type, text, sizeof text));
        cdm_str_printf(out, ") as %s:\n", name);
    } else if (name) {
        cdm_str_printf(out, "with %s as %s:\n", head.data + strlen(name) + strlen(" = "), name);
    } else {
        cdm_str_printf(out, "with %s:\n", head.data);
    }
    cdm_str_release(&head);
    print_inside(printer, stmt, depth + 1);
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

/* A branch that is nothing but another `if` becomes an `elif`: a long chain is not indented ever
 * deeper. */
static void print_if(struct printer *printer, const struct cdm_stmt *stmt, int depth)
{
    for (;;) {
        cdm_print_head(printer->namer, stmt, printer->out);
        cdm_str_puts(printer->out, ":\n");
        print_body(printer, stmt->body, depth + 1);
        if (!stmt->other || stmt->other->kind != STMT_IF)
            break;
        stmt = stmt->other;
        indent(printer, depth);
        cdm_str_puts(printer->out, "el");
    }
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
        for (const struct cdm_stmt *loop = stmt; loop != body; loop = loop->body)
            print_inside(printer, loop, depth + 1);
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
    struct printer printer = {.namer = namer,
                              .program = program,
                              .declarations = cdm_declarations_new(program, namer),
                              .out = out};

    cdm_str_puts(out, "@T.prim_func\ndef ");
    cdm_print_name(program->name, false, out);
    cdm_str_putc(out, '(');
    cdm_print_params(printer.declarations, out);
    cdm_str_puts(out, "):\n");
    print_attrs(&printer);
    cdm_print_top(printer.declarations, INDENT, out);
    print_body(&printer, program->body, 1);
    cdm_declarations_free(printer.declarations);
    cdm_namer_free(namer);
}
