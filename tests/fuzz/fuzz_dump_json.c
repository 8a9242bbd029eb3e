/* TVM's JSON graphs to programs. What is accepted keeps the promises of features/program.h and can
 * be printed and turned into features. */
#include "features/dump_json.h"
#include "features/leaf.h"
#include "features/print.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check(bool holds, const char *what)
{
    if (holds)
        return;
    fprintf(stderr, "does not hold: %s\n", what);
    abort();
}

/* Nodes met so far; a shared one counts each time. */
struct walk {
    const struct cdm_program *program;
    int64_t n_nodes;
};

static void check_expr(struct walk *walk, const struct cdm_expr *expr, int depth);

static void check_exprs(struct walk *walk, struct cdm_expr *const *exprs, int32_t n, int depth)
{
    check(n >= 0, "a number of arguments");
    for (int32_t i = 0; i < n; i++)
        check_expr(walk, exprs[i], depth);
}

static void check_buffer(const struct walk *walk, const struct cdm_buffer *buffer)
{
    check(buffer && buffer->name && buffer->scope && buffer->base, "a whole buffer");
    check(buffer->base->base == buffer->base, "the base has its own storage");
    check(buffer->n_dims >= 0 && buffer->n_dims <= CDM_MAX_DIMS, "dimensions within the limit");
    check(buffer->id >= 0 && buffer->id < walk->program->n_buffers, "the number of a buffer");
    check(walk->program->buffers[buffer->id] == buffer, "and its place in the table");
}

static void check_var(const struct walk *walk, const struct cdm_var *var)
{
    check(var && var->name, "a whole variable");
    if (var->id >= 0)
        check(var->id < walk->program->n_vars && walk->program->vars[var->id] == var,
              "the number of a variable");
}

static void check_expr(struct walk *walk, const struct cdm_expr *expr, int depth)
{
    check(expr && expr->kind < EXPR_N_KINDS, "an expression of a known kind");
    check(depth < CDM_MAX_DEPTH + 8, "depth within the limit");
    check(++walk->n_nodes < 4 * (int64_t)CDM_MAX_NODES, "nodes within the limit");
    if (expr->kind == EXPR_VAR || expr->kind == EXPR_LET || expr->kind == EXPR_ITER_VAR)
        check_var(walk, expr->var);
    if (expr->kind == EXPR_LOAD || expr->kind == EXPR_BUFFER)
        check_buffer(walk, expr->buffer);
    if (expr->kind == EXPR_LOAD)
        check(expr->n_index <= expr->n_args && expr->n_args <= expr->n_index + 1, "indices");
    if (expr->kind >= EXPR_ADD && expr->kind <= EXPR_OR)
        check(expr->n_args == 2, "two operands");
    if (expr->kind == EXPR_STRING || expr->kind == EXPR_CALL || expr->kind == EXPR_KEYWORD)
        check(expr->text != NULL, "a text");
    check_exprs(walk, expr->args, expr->n_args, depth + 1);
}

static void check_stmt(struct walk *walk, const struct cdm_stmt *stmt, int depth)
{
    static const uint8_t has_body[STMT_N_KINDS] = {
        [STMT_LOOP] = 1, [STMT_ATTR] = 1, [STMT_REALIZE] = 1, [STMT_ALLOCATE] = 1,
        [STMT_IF] = 1,   [STMT_LET] = 1,  [STMT_ASSERT] = 1,  [STMT_WHILE] = 1,
    };
    struct cdm_expr *const values[] = {stmt->min, stmt->extent, stmt->node, stmt->value,
                                       stmt->condition};

    check(stmt->kind < STMT_N_KINDS, "a statement of a known kind");
    check(depth < CDM_MAX_DEPTH + 8, "depth within the limit");
    check(++walk->n_nodes < 4 * (int64_t)CDM_MAX_NODES, "nodes within the limit");
    check(!has_body[stmt->kind] == !stmt->body, "a body where there should be one");
    if (stmt->kind == STMT_LOOP) {
        check_var(walk, stmt->var);
        check(stmt->min && stmt->extent, "a loop has its range");
        check((stmt->loop_kind == LOOP_THREAD || stmt->loop_kind == LOOP_VTHREAD) ==
                  (stmt->thread_tag != NULL),
              "loops over threads, and no others, have a tag");
    }
    if (stmt->kind == STMT_STORE || stmt->kind == STMT_REALIZE || stmt->kind == STMT_ALLOCATE)
        check_buffer(walk, stmt->buffer);
    if (stmt->kind == STMT_ATTR)
        check(stmt->key && stmt->value, "an attribute has key and value");
    for (size_t i = 0; i < sizeof values / sizeof *values; i++)
        if (values[i])
            check_expr(walk, values[i], depth);
    check_exprs(walk, stmt->indices, stmt->n_indices, depth);
    for (int32_t i = 0; i < stmt->n_annotations; i++)
        check_expr(walk, stmt->annotations[i].value, depth);
    for (int32_t i = 0; i < stmt->n_children; i++)
        check_stmt(walk, stmt->children[i], depth + 1);
    if (stmt->body)
        check_stmt(walk, stmt->body, depth + 1);
    if (stmt->other)
        check_stmt(walk, stmt->other, depth + 1);
}

/* What later stages do with a program. Large ones would only make the fuzzer slow. */
enum { MAX_NODES_TO_USE = 20000 };

static void use_program(const struct cdm_program *program)
{
    struct cdm_extractor *extractor = cdm_extractor_new();
    struct cdm_str out = {0};

    cdm_print_program(program, &out);
    check(out.length > 0, "there is a text");
    for (int raw = 0; raw < 2; raw++) {
        struct cdm_leaf_matrix matrix;
        struct cdm_error err = {0};
        if (cdm_extract(extractor, program, raw ? CDM_VIEW_TVM : CDM_VIEW_LEAF, raw, &matrix,
                        &err)) {
            check(*err.message, "features are refused with a reason");
            continue;
        }
        for (int32_t i = 0; i < matrix.n_rows * CDM_N_FEATURES; i++)
            check(isfinite(matrix.values[i]), "features are finite");
    }
    cdm_extractor_free(extractor);
    cdm_str_release(&out);
}

static void check_program(const struct cdm_program *program)
{
    struct walk walk = {.program = program};

    check(program->name && program->body && program->line >= 1, "a whole program");
    for (int32_t i = 0; i < program->n_params; i++) {
        check_var(&walk, program->params[i].var);
        if (program->params[i].buffer)
            check_buffer(&walk, program->params[i].buffer);
    }
    for (int32_t i = 0; i < program->n_buffers; i++) {
        check_exprs(&walk, program->buffers[i]->shape, program->buffers[i]->n_dims, 0);
        if (program->buffers[i]->strides)
            check_exprs(&walk, program->buffers[i]->strides, program->buffers[i]->n_dims, 0);
    }
    check_stmt(&walk, program->body, 0);
    if (walk.n_nodes <= MAX_NODES_TO_USE)
        use_program(program);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct cdm_view text = {size ? (const char *)data : "", size};
    struct cdm_arena arena = {0};
    struct cdm_programs programs = {0};
    struct cdm_error err = {0};
    enum cdm_status status = cdm_dump_json_read(text, 1, &arena, &programs, &err);

    cdm_dump_json_looks_like(text);
    if (status) {
        check(status == CDM_BAD_INPUT && err.status == status, "status is bad input");
        check(*err.message, "there is a message");
        check(err.line >= 1 && err.column >= 1, "and a place");
    } else {
        check(programs.n > 0, "there is a program");
    }
    for (int32_t i = 0; i < programs.n; i++)
        check_program(programs.items[i]);
    cdm_arena_release(&arena);
    return 0;
}
