/* Variables, buffers and annotations of TVM's JSON graphs. */
#include "features/graph.h"
#include "features/simplify.h"

#include <stdlib.h>
#include <string.h>

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
        cdm_buffer_alias(buffer, base);
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
