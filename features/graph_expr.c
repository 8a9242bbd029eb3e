/* Expressions, variables and buffers of TVM's JSON graphs. */
#include "cdmpp/core/number.h"
#include "features/graph.h"

#include <math.h>
#include <string.h>

_Static_assert(GRAPH_OR - GRAPH_ADD == EXPR_OR - EXPR_ADD, "binary kinds are in the same order");

/* Expressions: one function per kind, see the table `readers` below. `fields` are those of the
 * node. */

static struct cdm_expr *read_int(struct graph *graph, const struct graph_fields *fields)
{
    struct cdm_type type;
    int64_t value;

    if (!graph_literal_type(graph, fields, &type) ||
        !graph_literal_int(graph, fields, FIELD_value, &value))
        return NULL;
    return cdm_expr_int(&graph->builder, value, type);
}

static struct cdm_expr *read_float(struct graph *graph, const struct graph_fields *fields)
{
    static const struct {
        const char *text;
        double value;
    } specials[] = {{"inf", INFINITY}, {"-inf", -INFINITY}, {"nan", NAN}, {"-nan", NAN}};
    struct cdm_view text = fields->value[FIELD_value];
    struct cdm_type type;
    double value;

    if (!graph_literal_type(graph, fields, &type))
        return NULL;
    if (text.data && cdm_parse_double(text, &value))
        return cdm_expr_float(&graph->builder, value, type);
    for (size_t i = 0; text.data && i < sizeof specials / sizeof *specials; i++)
        if (cdm_view_is(text, specials[i].text))
            return cdm_expr_float(&graph->builder, specials[i].value, type);
    graph_fail(graph, fields->node, "\"value\" is no number");
    return NULL;
}

static struct cdm_expr *read_text(struct graph *graph, const struct graph_fields *fields)
{
    struct cdm_view text;

    if (!graph_string(graph, fields->node, &text))
        return NULL;
    return cdm_expr_text(&graph->builder, text);
}

/* A variable, or the buffer whose data it points to. */
static struct cdm_expr *read_var(struct graph *graph, const struct graph_fields *fields)
{
    struct graph_node *node = graph_node(graph, fields->node);

    if (node->buffer)
        return cdm_expr_buffer(&graph->builder, node->buffer);
    if (!node->var)
        node->var = graph_new_var(graph, fields->node); /* bound nowhere: a free variable */
    return node->var ? cdm_expr_var(&graph->builder, node->var) : NULL;
}

static struct cdm_expr *read_buffer(struct graph *graph, const struct graph_fields *fields)
{
    struct cdm_buffer *buffer = graph_buffer(graph, fields->node);

    return buffer ? cdm_expr_buffer(&graph->builder, buffer) : NULL;
}

/* A node of `type` whose arguments are the expressions in two or three fields. */
static struct cdm_expr *read_args(struct graph *graph, const struct graph_fields *fields,
                                  enum cdm_expr_kind kind, struct cdm_type type,
                                  const enum graph_field *args, int32_t n)
{
    struct cdm_expr *expr = cdm_expr_new(&graph->builder, kind, type, n);

    for (int32_t i = 0; i < n; i++) {
        expr->args[i] = graph_field_expr(graph, fields, args[i]);
        if (!expr->args[i])
            return NULL;
    }
    return expr;
}

static struct cdm_expr *read_binary(struct graph *graph, const struct graph_fields *fields)
{
    static const enum graph_field args[] = {FIELD_a, FIELD_b};
    int kind = EXPR_ADD + (int)graph_kind(graph, fields->node) - GRAPH_ADD;
    struct cdm_type type;

    if (!graph_literal_type(graph, fields, &type))
        return NULL;
    return read_args(graph, fields, (enum cdm_expr_kind)kind, type, args, 2);
}

static struct cdm_expr *read_not(struct graph *graph, const struct graph_fields *fields)
{
    static const enum graph_field args[] = {FIELD_a};
    struct cdm_type type;

    if (!graph_literal_type(graph, fields, &type))
        return NULL;
    return read_args(graph, fields, EXPR_NOT, type, args, 1);
}

static struct cdm_expr *read_cast(struct graph *graph, const struct graph_fields *fields)
{
    static const enum graph_field args[] = {FIELD_value};
    struct cdm_type type;

    if (!graph_literal_type(graph, fields, &type))
        return NULL;
    return read_args(graph, fields, EXPR_CAST, type, args, 1);
}

static struct cdm_expr *read_select(struct graph *graph, const struct graph_fields *fields)
{
    static const enum graph_field args[] = {FIELD_condition, FIELD_true_value, FIELD_false_value};
    struct cdm_type type;

    if (!graph_literal_type(graph, fields, &type))
        return NULL;
    return read_args(graph, fields, EXPR_SELECT, type, args, 3);
}

static struct cdm_expr *read_range(struct graph *graph, const struct graph_fields *fields)
{
    static const enum graph_field args[] = {FIELD_min, FIELD_extent};
    struct cdm_expr *expr = read_args(graph, fields, EXPR_RANGE, cdm_type_int32(), args, 2);

    if (expr)
        expr->type = expr->args[0]->type;
    return expr;
}

static struct cdm_expr *read_load(struct graph *graph, const struct graph_fields *fields)
{
    struct cdm_buffer *buffer = graph_field_buffer(graph, fields);
    struct cdm_expr *predicate = NULL;
    int32_t n;

    if (!buffer || !graph_field_condition(graph, fields, FIELD_predicate, &predicate))
        return NULL;
    struct cdm_expr **indices = graph_field_exprs(graph, fields, FIELD_indices, CDM_MAX_DIMS, &n);
    if (!indices)
        return NULL;
    return cdm_expr_load(&graph->builder, buffer, indices, n, predicate);
}

/* The lanes of a ramp or broadcast: a number up to TVM 0.15. */
static bool read_lanes(struct graph *graph, const struct graph_fields *fields,
                       struct cdm_expr *expr)
{
    int64_t lanes;

    if (!graph_literal_int(graph, fields, FIELD_lanes, &lanes))
        return false;
    if (lanes < 1 || lanes > UINT16_MAX) {
        graph_fail(graph, fields->node, "%lld lanes: 1 to %d are possible", (long long)lanes,
                   UINT16_MAX);
        return false;
    }
    expr->integer = lanes;
    expr->type = expr->args[0]->type;
    expr->type.lanes = (uint16_t)lanes;
    return true;
}

static struct cdm_expr *read_ramp(struct graph *graph, const struct graph_fields *fields)
{
    static const enum graph_field args[] = {FIELD_base, FIELD_stride};
    struct cdm_expr *expr = read_args(graph, fields, EXPR_RAMP, cdm_type_int32(), args, 2);

    return expr && read_lanes(graph, fields, expr) ? expr : NULL;
}

static struct cdm_expr *read_broadcast(struct graph *graph, const struct graph_fields *fields)
{
    static const enum graph_field args[] = {FIELD_value};
    struct cdm_expr *expr = read_args(graph, fields, EXPR_BROADCAST, cdm_type_int32(), args, 1);

    return expr && read_lanes(graph, fields, expr) ? expr : NULL;
}

static struct cdm_expr *read_shuffle(struct graph *graph, const struct graph_fields *fields)
{
    struct cdm_type type;
    int32_t n_vectors, n_indices;

    if (!graph_literal_type(graph, fields, &type))
        return NULL;
    struct cdm_expr **vectors =
        graph_field_exprs(graph, fields, FIELD_vectors, CDM_MAX_NODES, &n_vectors);
    struct cdm_expr **indices =
        vectors ? graph_field_exprs(graph, fields, FIELD_indices, CDM_MAX_NODES, &n_indices) : NULL;
    if (!indices)
        return NULL;
    struct cdm_expr *expr =
        cdm_expr_new(&graph->builder, EXPR_SHUFFLE, type, n_vectors + n_indices);
    for (int32_t i = 0; i < expr->n_args; i++)
        expr->args[i] = i < n_vectors ? vectors[i] : indices[i - n_vectors];
    expr->integer = n_vectors;
    return expr;
}

static struct cdm_expr *read_let(struct graph *graph, const struct graph_fields *fields)
{
    struct cdm_type type;
    uint32_t number;

    if (!graph_literal_type(graph, fields, &type) ||
        !graph_child(graph, fields, FIELD_var, &number))
        return NULL;
    struct cdm_expr *value = graph_field_expr(graph, fields, FIELD_value);
    struct cdm_var *var = value ? graph_new_var(graph, number) : NULL;
    if (!var)
        return NULL;
    struct cdm_var *before = graph_bind(graph, number, var);
    struct cdm_expr *body = graph_field_expr(graph, fields, FIELD_body);
    graph_unbind(graph, number, before);
    if (!body)
        return NULL;
    struct cdm_expr *expr = cdm_expr_new(&graph->builder, EXPR_LET, type, 2);
    expr->var = var;
    expr->args[0] = value;
    expr->args[1] = body;
    return expr;
}

/* EXPR_LIST of an Array. */
static struct cdm_expr *read_list(struct graph *graph, const struct graph_fields *fields)
{
    struct graph_list list;
    uint32_t element;
    int32_t n = 0;

    if (!graph_list_start(graph, fields->node, &list))
        return NULL;
    struct cdm_expr *expr = cdm_expr_new(&graph->builder, EXPR_LIST, cdm_type_handle(), list.n);
    while (graph_list_next(graph, &list, &element)) {
        expr->args[n] = graph_expr(graph, element);
        if (!expr->args[n++])
            return NULL;
    }
    return graph->status ? NULL : expr;
}

static struct cdm_expr *read_dict(struct graph *graph, const struct graph_fields *fields)
{
    struct graph_map map;
    struct cdm_view name;
    uint32_t key, value;
    int32_t n = 0;

    if (!graph_map_start(graph, fields->node, &map))
        return NULL;
    struct cdm_expr *expr = cdm_expr_new(&graph->builder, EXPR_DICT, cdm_type_handle(), 2 * map.n);
    while (graph_map_next(graph, &map, &key, &name, &value)) {
        expr->args[n] = key ? graph_expr(graph, key) : cdm_expr_text(&graph->builder, name);
        expr->args[n + 1] = expr->args[n] ? graph_expr(graph, value) : NULL;
        if (!expr->args[n + 1])
            return NULL;
        n += 2;
    }
    return graph->status ? NULL : expr;
}

static struct cdm_expr *read_dict_attrs(struct graph *graph, const struct graph_fields *fields)
{
    return graph_field_expr(graph, fields, FIELD___dict__);
}

typedef struct cdm_expr *expr_reader(struct graph *graph, const struct graph_fields *fields);

/* The binary operators, GRAPH_ADD to GRAPH_OR, are all read by read_binary. */
static expr_reader *const readers[GRAPH_N_KINDS] = {
    [GRAPH_GLOBAL_VAR] = graph_read_name,
    [GRAPH_DICT_ATTRS] = read_dict_attrs,
    [GRAPH_ARRAY] = read_list,
    [GRAPH_MAP] = read_dict,
    [GRAPH_STRING] = read_text,
    [GRAPH_OP] = graph_read_name,
    [GRAPH_BUFFER] = read_buffer,
    [GRAPH_VAR] = read_var,
    [GRAPH_SIZE_VAR] = read_var,
    [GRAPH_ITER_VAR] = graph_read_iter_var,
    [GRAPH_RANGE] = read_range,
    [GRAPH_INT] = read_int,
    [GRAPH_FLOAT] = read_float,
    [GRAPH_STRING_IMM] = read_text,
    [GRAPH_NOT] = read_not,
    [GRAPH_CAST] = read_cast,
    [GRAPH_SELECT] = read_select,
    [GRAPH_LOAD] = read_load,
    [GRAPH_RAMP] = read_ramp,
    [GRAPH_BROADCAST] = read_broadcast,
    [GRAPH_SHUFFLE] = read_shuffle,
    [GRAPH_CALL] = graph_read_call,
    [GRAPH_LET] = read_let,
    [GRAPH_COMM_REDUCER] = graph_read_comm_reducer,
    [GRAPH_REDUCE] = graph_read_reduce,
};

/* Kinds whose reader does not look at `fields`, only at the node itself. */
static bool has_no_fields(enum graph_kind kind)
{
    return kind == GRAPH_ARRAY || kind == GRAPH_MAP || kind == GRAPH_STRING || kind == GRAPH_OP ||
           kind == GRAPH_VAR || kind == GRAPH_SIZE_VAR || kind == GRAPH_BUFFER;
}

static struct cdm_expr *read_node(struct graph *graph, uint32_t number)
{
    enum graph_kind kind = graph_kind(graph, number);
    struct graph_fields fields;

    if (kind == GRAPH_UNREAD)
        return NULL;
    if (kind == GRAPH_UNKNOWN)
        return graph_read_unknown(graph, number);
    expr_reader *reader = kind >= GRAPH_ADD && kind <= GRAPH_OR ? read_binary : readers[kind];
    if (!reader) {
        graph_fail(graph, number, "a value is expected here");
        return NULL;
    }
    fields.node = number;
    if (!has_no_fields(kind) && !graph_read_fields(graph, number, &fields))
        return NULL;
    return reader(graph, &fields);
}

/* Counts a tree that is used below the open node, or by a statement. */
static bool add_tree(struct graph *graph, uint32_t number, uint32_t height, uint32_t size)
{
    if (height > graph->height)
        graph->height = height;
    graph->size += size; /* both are at most CDM_MAX_NODES + 1 */
    uint32_t total = graph->size;
    if (!graph->expr_depth) {
        graph->tree_size += size;
        total = graph->tree_size;
        graph->size = 0;
    }
    if (total > CDM_MAX_NODES)
        graph_fail(graph, number, "the expressions have more than %d nodes", CDM_MAX_NODES);
    else if (graph->depth + (int)height > CDM_MAX_DEPTH)
        graph_fail(graph, number, "the program is nested deeper than %d", CDM_MAX_DEPTH);
    return !graph->status;
}

/* Reads a node and the tree below it, and keeps what it is. */
static struct cdm_expr *read_tree(struct graph *graph, uint32_t number)
{
    uint32_t height = graph->height;
    uint32_t size = graph->size;

    /* A Buffer enters its node itself, also when a load names it. */
    bool enters = graph_kind(graph, number) != GRAPH_BUFFER;
    if (graph->status || (enters && !graph_enter(graph, number)))
        return NULL;
    graph->height = 0;
    graph->size = 0;
    graph->expr_depth++;
    struct cdm_expr *expr = read_node(graph, number);
    graph->expr_depth--;
    if (enters)
        graph_leave(graph, number);

    struct graph_node *node = graph_node(graph, number);
    node->expr = expr;
    node->epoch = graph->epoch;
    node->height = (uint16_t)(graph->height + 1);
    node->size = graph->size + 1;
    graph->height = height;
    graph->size = size;
    return expr;
}

struct cdm_expr *graph_expr(struct graph *graph, uint32_t number)
{
    if (!number)
        return add_tree(graph, 0, 1, 1)
                   ? graph_call(graph, cdm_view_of("None"), cdm_type_handle(), NULL, 0)
                   : NULL;
    struct graph_node *node = graph_node(graph, number);
    if (!node->expr || node->epoch != graph->epoch) {
        if (!read_tree(graph, number))
            return NULL;
    }
    return add_tree(graph, number, node->height, node->size) ? node->expr : NULL;
}

struct cdm_expr *graph_field_expr(struct graph *graph, const struct graph_fields *fields,
                                  enum graph_field field)
{
    uint32_t number;

    return graph_child(graph, fields, field, &number) ? graph_expr(graph, number) : NULL;
}

bool graph_field_condition(struct graph *graph, const struct graph_fields *fields,
                           enum graph_field field, struct cdm_expr **expr)
{
    uint32_t number;
    int64_t value;

    *expr = NULL;
    if (!graph_optional_child(graph, fields, field, &number))
        return false;
    if (!number)
        return true;
    struct cdm_expr *condition = graph_expr(graph, number);
    if (!condition)
        return false;
    if (!cdm_expr_is_int(condition, &value) || value != 1)
        *expr = condition;
    return true;
}

struct cdm_expr **graph_field_exprs(struct graph *graph, const struct graph_fields *fields,
                                    enum graph_field field, int32_t max, int32_t *n)
{
    struct graph_list list;
    uint32_t number, element;

    *n = 0;
    if (!graph_child(graph, fields, field, &number) || !graph_list_start(graph, number, &list))
        return NULL;
    if (list.n > max) {
        graph_fail(graph, number, "%d elements are too many: at most %d here", list.n, max);
        return NULL;
    }
    struct cdm_expr **items =
        cdm_arena_array(graph->arena, (size_t)list.n + 1, sizeof(struct cdm_expr *));
    while (graph_list_next(graph, &list, &element)) {
        items[*n] = graph_expr(graph, element);
        if (!items[*n])
            return NULL;
        ++*n;
    }
    return graph->status ? NULL : items;
}
