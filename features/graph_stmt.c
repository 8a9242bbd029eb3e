/* Statements of TVM's JSON graphs. */
#include "cdmpp/core/alloc.h"
#include "features/graph.h"

#include <string.h>

/* TVM's ForKind. */
enum { FOR_SERIAL, FOR_PARALLEL, FOR_VECTORIZED, FOR_UNROLLED, FOR_THREAD, FOR_N_KINDS };

static const uint8_t loop_kinds[FOR_N_KINDS] = {LOOP_SERIAL, LOOP_PARALLEL, LOOP_VECTORIZED,
                                                LOOP_UNROLLED, LOOP_THREAD};

static struct cdm_stmt *new_stmt(struct graph *graph, enum cdm_stmt_kind kind)
{
    return cdm_stmt_new(&graph->builder, kind, 0, 0);
}

/* Reads the field `field` as the body of `stmt`. Returns `stmt`. */
static struct cdm_stmt *with_body(struct graph *graph, const struct graph_fields *fields,
                                  enum graph_field field, struct cdm_stmt *stmt)
{
    uint32_t number;

    if (!graph_child(graph, fields, field, &number))
        return NULL;
    stmt->body = graph_stmt(graph, number);
    return stmt->body ? stmt : NULL;
}

/* Sequences. One inside another is the same as its statements in its place. */

static bool push_stmts(struct graph *graph, uint32_t number)
{
    struct graph_fields fields;
    struct graph_list list;
    uint32_t seq, child;

    if (graph_kind(graph, number) != GRAPH_SEQ) {
        struct cdm_stmt *stmt = graph_stmt(graph, number);
        if (!stmt)
            return false;
        graph->stmts =
            cdm_grow(graph->stmts, &graph->max_stmts, graph->n_stmts + 1, sizeof *graph->stmts);
        graph->stmts[graph->n_stmts++] = stmt;
        return true;
    }
    if (!graph_enter(graph, number))
        return false;
    bool good = graph_read_fields(graph, number, &fields) &&
                graph_child(graph, &fields, FIELD_seq, &seq) && graph_list_start(graph, seq, &list);
    while (good && graph_list_next(graph, &list, &child))
        good = push_stmts(graph, child);
    graph_leave(graph, number);
    return good && !graph->status;
}

static struct cdm_stmt *read_seq(struct graph *graph, uint32_t number)
{
    size_t first = graph->n_stmts;
    struct cdm_stmt *seq = NULL;

    if (push_stmts(graph, number))
        seq =
            cdm_stmt_seq(&graph->builder, graph->stmts + first, (int32_t)(graph->n_stmts - first));
    graph->n_stmts = first;
    return seq;
}

/* Loops */

/* The tag of an IterVar node, and its variable. */
static bool thread_axis(struct graph *graph, uint32_t number, const char **tag, uint32_t *var)
{
    struct graph_fields fields;
    struct cdm_view text;

    if (!graph_read_fields(graph, number, &fields) ||
        !graph_field_string(graph, &fields, FIELD_thread_tag, &text) ||
        !graph_child(graph, &fields, FIELD_var, var))
        return false;
    *tag = cdm_arena_text(graph->arena, text.data, text.length);
    return true;
}

/* Gives the loop a new variable for node `var` and reads its body. */
static struct cdm_stmt *loop_body(struct graph *graph, const struct graph_fields *fields,
                                  struct cdm_stmt *loop, uint32_t var)
{
    loop->var = graph_new_var(graph, var);
    if (!loop->var)
        return NULL;
    struct cdm_var *before = graph_bind(graph, var, loop->var);
    loop = with_body(graph, fields, FIELD_body, loop);
    graph_unbind(graph, var, before);
    return loop;
}

static struct cdm_stmt *read_for(struct graph *graph, const struct graph_fields *fields)
{
    struct cdm_stmt *loop = new_stmt(graph, STMT_LOOP);
    uint32_t binding, axis_var, var;
    int64_t kind;

    if (!graph_literal_int(graph, fields, FIELD_kind, &kind) ||
        !graph_child_of_kind(graph, fields, FIELD_thread_binding, GRAPH_ITER_VAR, &binding) ||
        !graph_child(graph, fields, FIELD_loop_var, &var) ||
        !graph_annotations(graph, fields, FIELD_annotations, &loop->annotations,
                           &loop->n_annotations))
        return NULL;
    if (kind < 0 || kind >= FOR_N_KINDS) {
        graph_fail(graph, fields->node, "there is no kind of loop %lld", (long long)kind);
        return NULL;
    }
    if ((kind == FOR_THREAD) != (binding != 0)) {
        graph_fail(graph, fields->node,
                   "a loop of kind %d, and no other, needs a \"thread_binding\"", FOR_THREAD);
        return NULL;
    }
    loop->loop_kind = loop_kinds[kind];
    if (binding) {
        if (!thread_axis(graph, binding, &loop->thread_tag, &axis_var))
            return NULL;
        if (cdm_tag_is_vthread(loop->thread_tag))
            loop->loop_kind = LOOP_VTHREAD;
    }
    loop->min = graph_field_expr(graph, fields, FIELD_min);
    loop->extent = loop->min ? graph_field_expr(graph, fields, FIELD_extent) : NULL;
    return loop->extent ? loop_body(graph, fields, loop, var) : NULL;
}

/* The attribute thread_extent or virtual_thread of an IterVar: a loop over a GPU axis. */
static struct cdm_stmt *read_thread(struct graph *graph, const struct graph_fields *fields,
                                    uint32_t axis, bool is_virtual)
{
    struct cdm_stmt *loop = new_stmt(graph, STMT_LOOP);
    uint32_t var;

    loop->is_attr = true;
    loop->min = cdm_expr_int(&graph->builder, 0, cdm_type_int32());
    loop->extent = graph_field_expr(graph, fields, FIELD_value);
    if (!loop->extent || !thread_axis(graph, axis, &loop->thread_tag, &var))
        return NULL;
    if (is_virtual && !cdm_tag_is_vthread(loop->thread_tag))
        loop->thread_tag = "vthread";
    loop->loop_kind = cdm_tag_is_vthread(loop->thread_tag) ? LOOP_VTHREAD : LOOP_THREAD;
    if (graph_node(graph, var)->var) {
        /* The axis is launched again inside its own loop: one variable. */
        loop->var = graph_node(graph, var)->var;
        return with_body(graph, fields, FIELD_body, loop);
    }
    return loop_body(graph, fields, loop, var);
}

/* Attributes */

static struct cdm_stmt *read_attr(struct graph *graph, const struct graph_fields *fields)
{
    struct cdm_view key, scope;
    uint32_t node, body;

    if (!graph_field_string(graph, fields, FIELD_attr_key, &key) ||
        !graph_child(graph, fields, FIELD_node, &node) ||
        !graph_child(graph, fields, FIELD_body, &body))
        return NULL;
    bool is_virtual = cdm_view_is(key, "virtual_thread");
    if ((is_virtual || cdm_view_is(key, "thread_extent")) &&
        graph_kind(graph, node) == GRAPH_ITER_VAR)
        return read_thread(graph, fields, node, is_virtual);
    if (cdm_view_is(key, "realize_scope") && graph_kind(graph, body) == GRAPH_REALIZE) {
        /* Some tools put the scope of the buffer around its realization. */
        struct cdm_stmt *realize = graph_stmt(graph, body);
        if (!realize || !graph_field_string(graph, fields, FIELD_value, &scope))
            return NULL;
        if (scope.length)
            realize->buffer->scope = cdm_arena_text(graph->arena, scope.data, scope.length);
        return realize;
    }
    struct cdm_stmt *stmt = new_stmt(graph, STMT_ATTR);
    stmt->key = cdm_arena_text(graph->arena, key.data, key.length);
    if (node) {
        stmt->node = graph_expr(graph, node);
        if (!stmt->node)
            return NULL;
    }
    stmt->value = graph_field_expr(graph, fields, FIELD_value);
    return stmt->value ? with_body(graph, fields, FIELD_body, stmt) : NULL;
}

/* Buffers */

static struct cdm_stmt *read_realize(struct graph *graph, const struct graph_fields *fields)
{
    struct cdm_stmt *stmt = new_stmt(graph, STMT_REALIZE);

    stmt->buffer = graph_field_buffer(graph, fields);
    if (!stmt->buffer || !graph_field_condition(graph, fields, FIELD_condition, &stmt->condition))
        return NULL;
    stmt->indices = graph_field_exprs(graph, fields, FIELD_bounds, CDM_MAX_DIMS, &stmt->n_indices);
    if (!stmt->indices)
        return NULL;
    for (int32_t i = 0; i < stmt->n_indices; i++) {
        if (stmt->indices[i]->kind != EXPR_RANGE) {
            graph_fail(graph, fields->node, "element %d of \"bounds\" is no Range", i);
            return NULL;
        }
    }
    graph->has_realize = true;
    return with_body(graph, fields, FIELD_body, stmt);
}

/* The body in which the data variable `var` points to a new buffer. */
static struct cdm_stmt *allocation_body(struct graph *graph, const struct graph_fields *fields,
                                        struct cdm_stmt *stmt, uint32_t var)
{
    struct graph_node *node = graph_node(graph, var);
    struct cdm_buffer *before = node->buffer;

    /* Expressions that were read for an earlier allocation hold its buffers. */
    if (node->bound || node->expr)
        graph->epoch++;
    node->bound = true;
    node->buffer = stmt->buffer;
    stmt = with_body(graph, fields, FIELD_body, stmt);
    node->buffer = before;
    if (before)
        graph->epoch++;
    return stmt;
}

/* Allocate and AllocateConst. */
static struct cdm_stmt *read_allocate(struct graph *graph, const struct graph_fields *fields)
{
    bool is_constant = graph_kind(graph, fields->node) == GRAPH_ALLOCATE_CONST;
    struct cdm_stmt *stmt = new_stmt(graph, STMT_ALLOCATE);
    struct cdm_view name, scope;
    struct cdm_type type, pointer;
    uint32_t var;
    int32_t n_dims;

    if (!graph_child(graph, fields, FIELD_buffer_var, &var) ||
        !graph_var_facts(graph, var, &name, &pointer, &scope) ||
        !graph_literal_type(graph, fields, &type))
        return NULL;
    struct cdm_expr **shape =
        graph_field_exprs(graph, fields, FIELD_extents, CDM_MAX_DIMS, &n_dims);
    if (!shape ||
        (!is_constant &&
         !graph_field_condition(graph, fields, FIELD_condition, &stmt->condition)) ||
        !graph_annotations(graph, fields, FIELD_annotations, &stmt->annotations,
                           &stmt->n_annotations))
        return NULL;
    const char *scope_text =
        scope.length ? cdm_arena_text(graph->arena, scope.data, scope.length) : NULL;
    stmt->buffer = cdm_build_buffer(&graph->builder, name, type, shape, n_dims, scope_text);
    if (is_constant) {
        /* The values are not kept, but that there are some is. */
        struct cdm_annotation *all = cdm_arena_array(graph->arena, (size_t)stmt->n_annotations + 1,
                                                     sizeof *stmt->annotations);
        if (stmt->n_annotations)
            memcpy(all, stmt->annotations, (size_t)stmt->n_annotations * sizeof *all);
        all[stmt->n_annotations++] =
            (struct cdm_annotation){"constant", cdm_expr_int(&graph->builder, 1, cdm_type_bool())};
        stmt->annotations = all;
    }
    return allocation_body(graph, fields, stmt, var);
}

/* A declaration makes the buffer known, which happens wherever it is met first. */
static struct cdm_stmt *read_decl_buffer(struct graph *graph, const struct graph_fields *fields)
{
    uint32_t body;

    if (!graph_field_buffer(graph, fields) || !graph_child(graph, fields, FIELD_body, &body))
        return NULL;
    return graph_stmt(graph, body);
}

static struct cdm_stmt *read_store(struct graph *graph, const struct graph_fields *fields)
{
    struct cdm_stmt *stmt = new_stmt(graph, STMT_STORE);

    stmt->buffer = graph_field_buffer(graph, fields);
    if (!stmt->buffer || !graph_field_condition(graph, fields, FIELD_predicate, &stmt->condition))
        return NULL;
    stmt->indices = graph_field_exprs(graph, fields, FIELD_indices, CDM_MAX_DIMS, &stmt->n_indices);
    stmt->value = stmt->indices ? graph_field_expr(graph, fields, FIELD_value) : NULL;
    return stmt->value ? stmt : NULL;
}

/* The rest */

static struct cdm_stmt *read_if(struct graph *graph, const struct graph_fields *fields)
{
    struct cdm_stmt *stmt = new_stmt(graph, STMT_IF);
    uint32_t other;

    stmt->condition = graph_field_expr(graph, fields, FIELD_condition);
    if (!stmt->condition || !with_body(graph, fields, FIELD_then_case, stmt) ||
        !graph_optional_child(graph, fields, FIELD_else_case, &other))
        return NULL;
    if (other) {
        stmt->other = graph_stmt(graph, other);
        if (!stmt->other)
            return NULL;
    }
    return stmt;
}

static struct cdm_stmt *read_let(struct graph *graph, const struct graph_fields *fields)
{
    struct cdm_stmt *stmt = new_stmt(graph, STMT_LET);
    uint32_t var;

    stmt->value = graph_field_expr(graph, fields, FIELD_value);
    if (!stmt->value || !graph_child(graph, fields, FIELD_var, &var))
        return NULL;
    return loop_body(graph, fields, stmt, var);
}

static struct cdm_stmt *read_assert(struct graph *graph, const struct graph_fields *fields)
{
    struct cdm_stmt *stmt = new_stmt(graph, STMT_ASSERT);

    stmt->condition = graph_field_expr(graph, fields, FIELD_condition);
    stmt->value = stmt->condition ? graph_field_expr(graph, fields, FIELD_message) : NULL;
    return stmt->value ? with_body(graph, fields, FIELD_body, stmt) : NULL;
}

static struct cdm_stmt *read_evaluate(struct graph *graph, const struct graph_fields *fields)
{
    struct cdm_stmt *stmt = new_stmt(graph, STMT_EVALUATE);

    stmt->value = graph_field_expr(graph, fields, FIELD_value);
    return stmt->value ? stmt : NULL;
}

static struct cdm_stmt *read_while(struct graph *graph, const struct graph_fields *fields)
{
    struct cdm_stmt *stmt = new_stmt(graph, STMT_WHILE);

    stmt->condition = graph_field_expr(graph, fields, FIELD_condition);
    return stmt->condition ? with_body(graph, fields, FIELD_body, stmt) : NULL;
}

static struct cdm_stmt *read_block(struct graph *graph, const struct graph_fields *fields)
{
    graph_fail(graph, fields->node,
               "this program is scheduled but not lowered (it has blocks): save it after lowering");
    return NULL;
}

typedef struct cdm_stmt *stmt_reader(struct graph *graph, const struct graph_fields *fields);

static stmt_reader *const readers[GRAPH_N_KINDS] = {
    [GRAPH_FOR] = read_for,
    [GRAPH_ATTR] = read_attr,
    [GRAPH_REALIZE] = read_realize,
    [GRAPH_ALLOCATE] = read_allocate,
    [GRAPH_ALLOCATE_CONST] = read_allocate,
    [GRAPH_DECL_BUFFER] = read_decl_buffer,
    [GRAPH_STORE] = read_store,
    [GRAPH_IF] = read_if,
    [GRAPH_LET_STMT] = read_let,
    [GRAPH_ASSERT] = read_assert,
    [GRAPH_EVALUATE] = read_evaluate,
    [GRAPH_WHILE] = read_while,
    [GRAPH_BLOCK_REALIZE] = read_block,
};

struct cdm_stmt *graph_stmt(struct graph *graph, uint32_t number)
{
    enum graph_kind kind = graph_kind(graph, number);
    struct graph_fields fields = {.node = number};
    struct cdm_stmt *stmt = NULL;

    if (kind == GRAPH_SEQ)
        return read_seq(graph, number);
    if (!readers[kind])
        graph_fail(graph, number, "a statement is expected here");
    if (!graph_enter(graph, number))
        return NULL;
    if (kind == GRAPH_BLOCK_REALIZE || graph_read_fields(graph, number, &fields))
        stmt = readers[kind](graph, &fields);
    graph_leave(graph, number);
    return stmt;
}
