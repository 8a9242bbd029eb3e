/* Expressions, variables and buffers of TVM's JSON graphs. */
#include "cdmpp/core/number.h"
#include "features/graph.h"
#include "features/simplify.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

_Static_assert(GRAPH_OR - GRAPH_ADD == EXPR_OR - EXPR_ADD, "binary kinds are in the same order");

/* Variables */

bool graph_var_facts(struct graph *graph, uint32_t number, struct cdm_view *name,
                     struct cdm_type *type, struct cdm_view *scope)
{
    enum graph_kind kind = graph_kind(graph, number);
    struct graph_fields fields;
    uint32_t annotation;

    if (kind != GRAPH_VAR && kind != GRAPH_SIZE_VAR)
        graph_fail(graph, number, "a variable is expected here");
    if (graph->status || !graph_read_fields(graph, number, &fields) ||
        !graph_field_string(graph, &fields, FIELD_name, name) ||
        !graph_literal_type(graph, &fields, type))
        return false;
    if (!scope)
        return true;
    *scope = (struct cdm_view){"", 0};
    if (!graph_optional_child(graph, &fields, FIELD_type_annotation, &annotation))
        return false;
    if (graph_kind(graph, annotation) != GRAPH_POINTER_TYPE)
        return !graph->status;
    return graph_read_fields(graph, annotation, &fields) &&
           graph_field_string(graph, &fields, FIELD_storage_scope, scope);
}

struct cdm_var *graph_new_var(struct graph *graph, uint32_t number)
{
    struct cdm_view name;
    struct cdm_type type;

    if (!graph_var_facts(graph, number, &name, &type, NULL))
        return NULL;
    return cdm_build_var(&graph->builder, name, type);
}

struct cdm_var *graph_bind(struct graph *graph, uint32_t number, struct cdm_var *var)
{
    struct graph_node *node = graph_node(graph, number);
    struct cdm_var *before = node->var;

    if (node->bound || node->expr)
        graph->epoch++;
    node->bound = true;
    node->var = var;
    node->expr = NULL;
    return before;
}

void graph_unbind(struct graph *graph, uint32_t number, struct cdm_var *before)
{
    struct graph_node *node = graph_node(graph, number);

    node->var = before;
    node->expr = NULL;
    if (before)
        graph->epoch++;
}

/* Buffers */

/* The shape of `buffer` says no more than that of the allocation `base`. */
static bool same_layout(const struct cdm_buffer *base, struct cdm_type type,
                        struct cdm_expr *const *shape, int32_t n_dims, int32_t n_strides)
{
    if (!cdm_type_equal(type, base->type) || n_dims != base->n_dims || n_strides)
        return false;
    for (int32_t i = 0; i < n_dims; i++)
        if (!cdm_expr_equal(shape[i], base->shape[i]))
            return false;
    return true;
}

/* A literal that fits in int32; `usual` becomes 0, "not said". */
static bool small_literal(struct graph *graph, const struct graph_fields *fields,
                          enum graph_field field, int64_t usual, int32_t *value)
{
    int64_t number;

    if (!graph_literal_int(graph, fields, field, &number))
        return false;
    if (number < INT32_MIN || number > INT32_MAX) {
        graph_fail(graph, fields->node, "%lld is out of range", (long long)number);
        return false;
    }
    *value = number == usual ? 0 : (int32_t)number;
    return true;
}

/* A buffer whose data nobody else has, or which looks at the data of `base` in another way. */
static struct cdm_buffer *make_buffer(struct graph *graph, const struct graph_fields *fields,
                                      struct cdm_buffer *base, struct cdm_view scope)
{
    enum { USUAL_ALIGN = 64, USUAL_FACTOR = 1 }; /* what TVM 0.10 does not print either */
    struct cdm_view name;
    struct cdm_type type;
    struct cdm_expr **shape, **strides;
    int32_t n_dims, n_strides, align, factor;
    int64_t offset;

    if (!graph_field_string(graph, fields, FIELD_name, &name) ||
        !graph_literal_type(graph, fields, &type) ||
        !small_literal(graph, fields, FIELD_data_alignment, USUAL_ALIGN, &align) ||
        !small_literal(graph, fields, FIELD_offset_factor, USUAL_FACTOR, &factor))
        return NULL;
    shape = graph_field_exprs(graph, fields, FIELD_shape, CDM_MAX_DIMS, &n_dims);
    if (!shape)
        return NULL;
    strides = graph_field_exprs(graph, fields, FIELD_strides, CDM_MAX_DIMS, &n_strides);
    struct cdm_expr *elem_offset =
        strides ? graph_field_expr(graph, fields, FIELD_elem_offset) : NULL;
    if (!elem_offset)
        return NULL;
    if (n_strides && n_strides != n_dims) {
        graph_fail(graph, fields->node, "a buffer of %d dimensions has %d strides", n_dims,
                   n_strides);
        return NULL;
    }
    if (base && same_layout(base, type, shape, n_dims, n_strides))
        return base;
    const char *scope_text =
        scope.length ? cdm_arena_text(graph->arena, scope.data, scope.length) : NULL;
    struct cdm_buffer *buffer =
        cdm_build_buffer(&graph->builder, name, type, shape, n_dims, scope_text);
    if (base) {
        buffer->base = base->base;
        buffer->scope = base->scope;
    }
    if (n_strides)
        buffer->strides = strides;
    if (!cdm_expr_is_int(elem_offset, &offset) || offset != 0)
        buffer->elem_offset = elem_offset;
    buffer->align = align;
    buffer->offset_factor = factor;
    return buffer;
}

struct cdm_buffer *graph_buffer(struct graph *graph, uint32_t number)
{
    struct graph_node *node = graph_node(graph, number);
    struct graph_fields fields;
    struct cdm_view name, scope;
    struct cdm_type type;

    if (graph_kind(graph, number) != GRAPH_BUFFER)
        graph_fail(graph, number, "a Buffer is expected here");
    if (graph->status)
        return NULL;
    if (node->buffer) {
        /* What has been read holds while the data belongs to the same buffer. */
        struct cdm_buffer *owner = graph_node(graph, node->link)->buffer;
        if (owner && owner->base == node->buffer->base)
            return node->buffer;
    }
    if (!graph_enter(graph, number))
        return NULL;
    struct cdm_buffer *buffer = NULL;
    if (graph_read_fields(graph, number, &fields) &&
        graph_child(graph, &fields, FIELD_data, &node->link) &&
        graph_var_facts(graph, node->link, &name, &type, &scope)) {
        struct graph_node *data = graph_node(graph, node->link);
        buffer = make_buffer(graph, &fields, data->buffer, scope);
        node->buffer = buffer;
        if (!data->buffer)
            data->buffer = buffer;
    }
    graph_leave(graph, number);
    return buffer;
}

struct cdm_buffer *graph_field_buffer(struct graph *graph, const struct graph_fields *fields)
{
    uint32_t number;

    if (!graph_child_of_kind(graph, fields, FIELD_buffer, GRAPH_BUFFER, &number))
        return NULL;
    return graph_buffer(graph, number);
}

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

/* What a call calls: an operator, another function of the module, or a text. */
static bool callee_name(struct graph *graph, uint32_t number, struct cdm_view *name)
{
    static const char space[] = "tir.";
    struct graph_fields fields;
    struct cdm_json value;

    switch ((int)graph_kind(graph, number)) {
    case GRAPH_OP:
        if (!cdm_json_find(graph->nodes[number].json, "repr_str", &value) ||
            !cdm_json_is_string(value, name)) {
            graph_fail(graph, number, "an operator needs a \"repr_str\"");
            return false;
        }
        break;
    case GRAPH_GLOBAL_VAR:
        if (!graph_read_fields(graph, number, &fields) ||
            !graph_field_string(graph, &fields, FIELD_name_hint, name))
            return false;
        break;
    default:
        if (!graph_string(graph, number, name))
            return false;
        break;
    }
    if (cdm_view_starts(*name, space)) {
        name->data += strlen(space);
        name->length -= strlen(space);
    }
    return true;
}

/* EXPR_CALL of a name with arguments that are there already. */
static struct cdm_expr *make_call(struct graph *graph, struct cdm_view name, struct cdm_type type,
                                  struct cdm_expr *const *args, int32_t n)
{
    struct cdm_expr *call = cdm_expr_new(&graph->builder, EXPR_CALL, type, n);

    call->text = cdm_arena_text(graph->arena, name.data, name.length);
    for (int32_t i = 0; i < n; i++)
        call->args[i] = args[i];
    return call;
}

static struct cdm_expr *read_call(struct graph *graph, const struct graph_fields *fields)
{
    struct cdm_view name;
    struct cdm_type type;
    uint32_t op;
    int32_t n;

    if (!graph_literal_type(graph, fields, &type) || !graph_child(graph, fields, FIELD_op, &op) ||
        !callee_name(graph, op, &name))
        return NULL;
    struct cdm_expr **args = graph_field_exprs(graph, fields, FIELD_args, CDM_MAX_NODES, &n);
    return args ? make_call(graph, name, type, args, n) : NULL;
}

/* A function or an operator that is named as a value. */
static struct cdm_expr *read_name(struct graph *graph, const struct graph_fields *fields)
{
    struct cdm_view name;

    if (!callee_name(graph, fields->node, &name))
        return NULL;
    return make_call(graph, name, cdm_type_handle(), NULL, 0);
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

/* How TVM names the iteration types. */
static const char *const iter_types[] = {"DataPar",    "ThreadIndex",  "CommReduce",
                                         "Ordered",    "Opaque",       "Unrolled",
                                         "Vectorized", "Parallelized", "Tensorized"};

/* An iteration variable as a value is only mentioned: its variable is none of the program's. */
static struct cdm_expr *read_iter_var(struct graph *graph, const struct graph_fields *fields)
{
    struct cdm_view name, tag;
    struct cdm_type type;
    uint32_t var, domain;
    int64_t iter_type;

    if (!graph_child(graph, fields, FIELD_var, &var) ||
        !graph_var_facts(graph, var, &name, &type, NULL) ||
        !graph_field_string(graph, fields, FIELD_thread_tag, &tag) ||
        !graph_literal_int(graph, fields, FIELD_iter_type, &iter_type) ||
        !graph_child_of_kind(graph, fields, FIELD_dom, GRAPH_RANGE, &domain))
        return NULL;
    if (iter_type < 0 || iter_type >= (int64_t)(sizeof iter_types / sizeof *iter_types)) {
        graph_fail(graph, fields->node, "there is no iteration type %lld", (long long)iter_type);
        return NULL;
    }
    struct cdm_expr *range = domain ? graph_expr(graph, domain) : NULL;
    if (domain && !range)
        return NULL;
    struct cdm_expr *expr =
        cdm_expr_new(&graph->builder, EXPR_ITER_VAR, cdm_type_handle(), range ? 2 : 0);
    for (int32_t i = 0; i < expr->n_args; i++)
        expr->args[i] = range->args[i];
    expr->type.name = iter_types[iter_type];
    expr->text = cdm_arena_text(graph->arena, tag.data, tag.length);
    expr->var = cdm_build_loose_var(&graph->builder, name, type);
    return expr;
}

/* Binds the parameters of a reducer to variables of their own, or gives the bindings back. */
static bool bind_params(struct graph *graph, uint32_t array, struct cdm_expr **params,
                        struct cdm_var **before)
{
    struct graph_list list;
    uint32_t number;
    struct cdm_view name;
    struct cdm_type type;

    if (!graph_list_start(graph, array, &list))
        return false;
    for (int32_t i = 0; graph_list_next(graph, &list, &number); i++) {
        if (!graph_var_facts(graph, number, &name, &type, NULL))
            return false;
        struct cdm_var *var = cdm_build_loose_var(&graph->builder, name, type);
        params[i] = cdm_expr_var(&graph->builder, var);
        before[i] = graph_bind(graph, number, var);
    }
    return !graph->status;
}

static void unbind_params(struct graph *graph, uint32_t array, struct cdm_var *const *before)
{
    struct graph_list list;
    uint32_t number;

    if (!graph_list_start(graph, array, &list))
        return;
    for (int32_t i = 0; graph_list_next(graph, &list, &number); i++)
        graph_unbind(graph, number, before[i]);
}

/* comm_reducer(lambda x, y: x + y, [identity]) as TVMScript has it. */
static struct cdm_expr *read_comm_reducer(struct graph *graph, const struct graph_fields *fields)
{
    struct graph_list lhs, rhs;
    uint32_t lhs_node, rhs_node;
    int32_t n;

    if (!graph_child(graph, fields, FIELD_lhs, &lhs_node) ||
        !graph_child(graph, fields, FIELD_rhs, &rhs_node) ||
        !graph_list_start(graph, lhs_node, &lhs) || !graph_list_start(graph, rhs_node, &rhs))
        return NULL;
    if (lhs.n > CDM_MAX_DIMS || rhs.n > CDM_MAX_DIMS) {
        graph_fail(graph, fields->node, "the reducer has more than %d parameters", CDM_MAX_DIMS);
        return NULL;
    }
    int32_t n_params = lhs.n + rhs.n;
    struct cdm_expr *lambda =
        cdm_expr_new(&graph->builder, EXPR_LAMBDA, cdm_type_handle(), n_params + 1);
    struct cdm_var **before =
        cdm_arena_array(graph->arena, (size_t)n_params + 1, sizeof(struct cdm_var *));
    if (!bind_params(graph, lhs_node, lambda->args, before) ||
        !bind_params(graph, rhs_node, lambda->args + lhs.n, before + lhs.n))
        return NULL;
    struct cdm_expr **results = graph_field_exprs(graph, fields, FIELD_result, CDM_MAX_NODES, &n);
    unbind_params(graph, rhs_node, before + lhs.n);
    unbind_params(graph, lhs_node, before);
    if (!results)
        return NULL;
    struct cdm_expr *body = n == 1 ? results[0] : NULL;
    if (!body) {
        body = cdm_expr_new(&graph->builder, EXPR_LIST, cdm_type_handle(), n);
        memcpy(body->args, results, (size_t)n * sizeof *results);
    }
    lambda->args[n_params] = body;
    lambda->type = body->type;

    struct cdm_expr **identities =
        graph_field_exprs(graph, fields, FIELD_identity_element, CDM_MAX_NODES, &n);
    if (!identities)
        return NULL;
    struct cdm_expr *list = cdm_expr_new(&graph->builder, EXPR_LIST, cdm_type_handle(), n);
    memcpy(list->args, identities, (size_t)n * sizeof *identities);
    struct cdm_expr *args[] = {lambda, list};
    return make_call(graph, cdm_view_of("comm_reducer"), lambda->type, args, 2);
}

/* A reduction that is not lowered: combiner, sources, axes, condition, initial values, index. */
static struct cdm_expr *read_reduce(struct graph *graph, const struct graph_fields *fields)
{
    static const enum graph_field args[] = {FIELD_combiner, FIELD_source, FIELD_axis,
                                            FIELD_condition, FIELD_init};
    enum { N = sizeof args / sizeof *args };
    struct cdm_type type;
    int64_t index;

    if (!graph_literal_type(graph, fields, &type) ||
        !graph_literal_int(graph, fields, FIELD_value_index, &index))
        return NULL;
    struct cdm_expr *expr = cdm_expr_new(&graph->builder, EXPR_REDUCE, type, N + 1);
    expr->text = "reduce";
    for (int32_t i = 0; i < N; i++) {
        expr->args[i] = graph_field_expr(graph, fields, args[i]);
        if (!expr->args[i])
            return NULL;
    }
    expr->args[N] = cdm_expr_int(&graph->builder, index, cdm_type_int32());
    return expr;
}

/* A node that we do not know: a call of its type key with its fields as they are written. */
static struct cdm_expr *read_unknown(struct graph *graph, uint32_t number)
{
    struct cdm_json value, attrs;
    struct cdm_view key = {"", 0}, name, text;
    int32_t n = 0;

    if (cdm_json_find(graph->nodes[number].json, "type_key", &value))
        cdm_json_is_string(value, &key);
    struct cdm_json_iter iter = {{0}};
    size_t count = 0;
    if (cdm_json_find(graph->nodes[number].json, "attrs", &attrs)) {
        iter = cdm_json_members(attrs);
        count = cdm_json_count(attrs);
    }
    if (count > CDM_MAX_NODES) {
        graph_fail(graph, number, "the node has more than %d fields", CDM_MAX_NODES);
        return NULL;
    }
    struct cdm_expr *call =
        cdm_expr_new(&graph->builder, EXPR_CALL, cdm_type_handle(), (int32_t)count);
    call->text = cdm_arena_text(graph->arena, key.data, key.length);
    while (cdm_json_next_member(&iter, &name, &value)) {
        if (!cdm_json_is_string(value, &text)) {
            graph_fail(graph, number, "\"%.*s\" is no text", (int)name.length, name.data);
            return NULL;
        }
        struct cdm_expr *keyword =
            cdm_expr_new(&graph->builder, EXPR_KEYWORD, cdm_type_handle(), 1);
        keyword->text = cdm_arena_text(graph->arena, name.data, name.length);
        keyword->args[0] = cdm_expr_text(&graph->builder, text);
        call->args[n++] = keyword;
    }
    return call;
}

typedef struct cdm_expr *expr_reader(struct graph *graph, const struct graph_fields *fields);

/* The binary operators, GRAPH_ADD to GRAPH_OR, are all read by read_binary. */
static expr_reader *const readers[GRAPH_N_KINDS] = {
    [GRAPH_GLOBAL_VAR] = read_name, [GRAPH_DICT_ATTRS] = read_dict_attrs,
    [GRAPH_ARRAY] = read_list,      [GRAPH_MAP] = read_dict,
    [GRAPH_STRING] = read_text,     [GRAPH_OP] = read_name,
    [GRAPH_BUFFER] = read_buffer,   [GRAPH_VAR] = read_var,
    [GRAPH_SIZE_VAR] = read_var,    [GRAPH_ITER_VAR] = read_iter_var,
    [GRAPH_RANGE] = read_range,     [GRAPH_INT] = read_int,
    [GRAPH_FLOAT] = read_float,     [GRAPH_STRING_IMM] = read_text,
    [GRAPH_NOT] = read_not,         [GRAPH_CAST] = read_cast,
    [GRAPH_SELECT] = read_select,   [GRAPH_LOAD] = read_load,
    [GRAPH_RAMP] = read_ramp,       [GRAPH_BROADCAST] = read_broadcast,
    [GRAPH_SHUFFLE] = read_shuffle, [GRAPH_CALL] = read_call,
    [GRAPH_LET] = read_let,         [GRAPH_COMM_REDUCER] = read_comm_reducer,
    [GRAPH_REDUCE] = read_reduce,
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
        return read_unknown(graph, number);
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
                   ? make_call(graph, cdm_view_of("None"), cdm_type_handle(), NULL, 0)
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

/* Annotations */

static int compare_annotations(const void *a, const void *b)
{
    return strcmp(((const struct cdm_annotation *)a)->key, ((const struct cdm_annotation *)b)->key);
}

bool graph_annotations(struct graph *graph, const struct graph_fields *fields,
                       enum graph_field field, struct cdm_annotation **annotations, int32_t *n)
{
    struct graph_map map;
    struct cdm_view name;
    uint32_t number, key, value;

    *annotations = NULL;
    *n = 0;
    if (!graph_optional_child(graph, fields, field, &number) ||
        !graph_map_start(graph, number, &map))
        return false;
    if (!map.n)
        return true;
    *annotations = cdm_arena_array(graph->arena, (size_t)map.n, sizeof **annotations);
    while (graph_map_next(graph, &map, &key, &name, &value)) {
        if (key && !graph_string(graph, key, &name))
            return false;
        struct cdm_annotation *annotation = &(*annotations)[*n];
        annotation->key = cdm_arena_text(graph->arena, name.data, name.length);
        annotation->value = graph_expr(graph, value);
        if (!annotation->value)
            return false;
        ++*n;
    }
    /* TVM keeps them in a hash table: the order in the dump means nothing. */
    qsort(*annotations, (size_t)*n, sizeof **annotations, compare_annotations);
    return !graph->status;
}
