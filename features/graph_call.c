/* Expressions of TVM's JSON graphs that become calls, reducers and iteration variables. */
#include "features/graph.h"

#include <string.h>

/* "tir.exp" is "exp". */
static struct cdm_view without_space(struct cdm_view name)
{
    static const char space[] = "tir.";
    size_t length = strlen(space);

    if (cdm_view_starts(name, space))
        return (struct cdm_view){name.data + length, name.length - length};
    return name;
}

/* What a call calls: an operator, another function of the module, or a text. */
static bool callee_name(struct graph *graph, uint32_t number, struct cdm_view *name)
{
    struct graph_fields fields;
    struct cdm_json value;

    switch ((int)graph_kind(graph, number)) {
    case GRAPH_OP:
        if (!graph_member(graph, number, "repr_str", &value) || !cdm_json_is_string(value, name)) {
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
    *name = without_space(*name);
    return true;
}

struct cdm_expr *graph_call(struct graph *graph, struct cdm_view name, struct cdm_type type,
                            struct cdm_expr *const *args, int32_t n)
{
    struct cdm_expr *call = cdm_expr_new(&graph->builder, EXPR_CALL, type, n);

    call->text = cdm_arena_text(graph->arena, name.data, name.length);
    for (int32_t i = 0; i < n; i++)
        call->args[i] = args[i];
    return call;
}

struct cdm_expr *graph_read_call(struct graph *graph, const struct graph_fields *fields)
{
    struct cdm_view name;
    struct cdm_type type;
    uint32_t op;
    int32_t n;

    if (!graph_literal_type(graph, fields, &type) || !graph_child(graph, fields, FIELD_op, &op) ||
        !callee_name(graph, op, &name))
        return NULL;
    struct cdm_expr **args = graph_field_exprs(graph, fields, FIELD_args, CDM_MAX_NODES, &n);
    return args ? graph_call(graph, name, type, args, n) : NULL;
}

/* A function or an operator that is named as a value. */
struct cdm_expr *graph_read_name(struct graph *graph, const struct graph_fields *fields)
{
    struct cdm_view name;

    if (!callee_name(graph, fields->node, &name))
        return NULL;
    return graph_call(graph, name, cdm_type_handle(), NULL, 0);
}

/* How TVM names the iteration types. */
static const char *const iter_types[] = {"DataPar",    "ThreadIndex",  "CommReduce",
                                         "Ordered",    "Opaque",       "Unrolled",
                                         "Vectorized", "Parallelized", "Tensorized"};

/* An iteration variable as a value is only mentioned: its variable is none of the program's. */
struct cdm_expr *graph_read_iter_var(struct graph *graph, const struct graph_fields *fields)
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
struct cdm_expr *graph_read_comm_reducer(struct graph *graph, const struct graph_fields *fields)
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
    return graph_call(graph, cdm_view_of("comm_reducer"), lambda->type, args, 2);
}

/* A reduction that is not lowered: combiner, sources, axes, condition, initial values, index. */
struct cdm_expr *graph_read_reduce(struct graph *graph, const struct graph_fields *fields)
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

/* A node that we do not know: a call of its type key, with its data type and its other fields as
 * they are written. */
struct cdm_expr *graph_read_unknown(struct graph *graph, uint32_t number)
{
    struct cdm_json value;
    struct cdm_json attrs;
    struct cdm_view key = {"", 0};
    struct cdm_view name;
    struct cdm_view text;
    struct cdm_json_iter iter = {{0}};
    size_t count = 0;

    if (graph_member(graph, number, "type_key", &value))
        cdm_json_is_string(value, &key);
    if (graph_member(graph, number, "attrs", &attrs)) {
        iter = cdm_json_members(attrs);
        count = cdm_json_count(attrs);
    }
    if (count > CDM_MAX_NODES) {
        graph_fail(graph, number, "the node has more than %d fields", CDM_MAX_NODES);
        return NULL;
    }
    struct cdm_expr **args = cdm_arena_array(graph->arena, count + 1, sizeof(struct cdm_expr *));
    struct cdm_type type = cdm_type_handle();
    int32_t n = 0;
    while (cdm_json_next_member(&iter, &name, &value)) {
        if (!cdm_json_is_string(value, &text)) {
            graph_fail(graph, number, "\"%.*s\" is no text", (int)name.length, name.data);
            return NULL;
        }
        if (cdm_view_is(name, "dtype")) {
            type = cdm_type_parse(&graph->builder, text);
            continue;
        }
        struct cdm_expr *keyword =
            cdm_expr_new(&graph->builder, EXPR_KEYWORD, cdm_type_handle(), 1);
        keyword->text = cdm_arena_text(graph->arena, name.data, name.length);
        keyword->args[0] = cdm_expr_text(&graph->builder, text);
        args[n++] = keyword;
    }
    return graph_call(graph, without_space(key), type, args, n);
}
