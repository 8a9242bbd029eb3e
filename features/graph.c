#include "features/graph.h"

#include "cdmpp/core/alloc.h"
#include "cdmpp/core/number.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NO_FIELD = 255 };

/* The fields of each kind, ended by NO_FIELD. */
#define F(name) FIELD_##name,
#define NODE(kind, key, fields) static const uint8_t fields_of_##kind[] = {fields NO_FIELD};
#include "features/graph.def"
#undef NODE
#undef F

static const struct {
    const char *key;
    const uint8_t *fields;
} kinds[GRAPH_N_KINDS] = {
    [GRAPH_UNREAD] = {"", NULL},
    [GRAPH_NULL] = {"null", NULL},
    [GRAPH_UNKNOWN] = {"", NULL},
#define NODE(kind, key, fields) [GRAPH_##kind] = {key, fields_of_##kind},
#include "features/graph.def"
#undef NODE
};

static const char *const field_names[GRAPH_N_FIELDS] = {
#define FIELD(name) #name,
#include "features/graph.def"
#undef FIELD
};

_Static_assert((int)GRAPH_N_FIELDS < (int)NO_FIELD, "field numbers fit in a byte");
_Static_assert(GRAPH_N_KINDS < 128, "the table of kinds stays half empty");

/* Errors */

/* The type key as it is written, with its name space. */
static struct cdm_view type_key(const struct graph *graph, uint32_t number)
{
    struct cdm_json value;
    struct cdm_view key = {"", 0};

    if (cdm_json_find(graph->nodes[number].json, "type_key", &value))
        cdm_json_is_string(value, &key);
    return key;
}

void graph_fail(struct graph *graph, uint32_t number, const char *format, ...)
{
    char message[256];
    va_list args;

    if (graph->status)
        return;
    va_start(args, format);
    vsnprintf(message, sizeof message, format, args);
    va_end(args);
    struct cdm_view key = type_key(graph, number);
    graph->status = cdm_json_fail(graph->parser, graph->nodes[number].json, graph->err,
                                  "node %u%s%.*s%s: %s", (unsigned)number, key.length ? " (" : "",
                                  (int)(key.length < 64 ? key.length : 64), key.data,
                                  key.length ? ")" : "", message);
}

/* Steps */

/* Whether `n` more steps may be taken. */
static bool take_steps(struct graph *graph, uint32_t number, size_t n)
{
    graph->n_steps += (int64_t)n;
    if (graph->builder.too_large)
        graph_fail(graph, number, "the program has more than %d nodes", CDM_MAX_NODES);
    else if (graph->n_steps > GRAPH_MAX_STEPS)
        graph_fail(graph, number, "the graph takes more than %d steps to read", GRAPH_MAX_STEPS);
    return !graph->status;
}

/* To find a member takes time in an object with many. Those that TVM writes have less than `USUAL`.
 */
static bool may_search(struct graph *graph, uint32_t number, struct cdm_json object)
{
    enum { USUAL = 16 };
    size_t n = cdm_json_count(object);

    return n <= USUAL || take_steps(graph, number, n);
}

bool graph_member(struct graph *graph, uint32_t number, const char *name, struct cdm_json *value)
{
    struct cdm_json object = graph->nodes[number].json;

    return may_search(graph, number, object) && cdm_json_find(object, name, value);
}

/* Nodes */

/* Over the whole key would be slower and no better: these bytes tell all kinds of graph.def apart
 * well enough for short probes. */
static uint8_t hash_key(const char *key, size_t length)
{
    if (!length)
        return 0;
    return (uint8_t)(length * 31U + (unsigned char)key[0] * 7U +
                     (unsigned char)key[length / 2] * 13U + (unsigned char)key[length - 1] * 3U);
}

static void fill_kind_table(struct graph *graph)
{
    for (unsigned kind = GRAPH_UNKNOWN + 1; kind < GRAPH_N_KINDS; kind++) {
        uint8_t slot = hash_key(kinds[kind].key, strlen(kinds[kind].key));
        while (graph->kind_table[slot])
            slot++;
        graph->kind_table[slot] = (uint8_t)kind;
    }
}

/* "tir.For" and "tirx.For" are "For", "runtime.String" and "ffi.String" are "String": the releases
 * differ. Other name spaces ("relay.") stay and make the key unknown. */
static struct cdm_view without_space(struct cdm_view key)
{
    static const char *const spaces[] = {"tir.", "runtime.", "ffi.", "ir."};

    for (size_t i = 0; i < sizeof spaces / sizeof *spaces; i++) {
        size_t length = strlen(spaces[i]);
        if (key.length > length && !memcmp(key.data, spaces[i], length))
            return (struct cdm_view){key.data + length, key.length - length};
    }
    return key;
}

static enum graph_kind kind_of_key(const struct graph *graph, struct cdm_view key)
{
    if (!key.length)
        return GRAPH_NULL;
    key = without_space(key);
    for (uint8_t slot = hash_key(key.data, key.length); graph->kind_table[slot]; slot++) {
        enum graph_kind kind = (enum graph_kind)graph->kind_table[slot];
        if (cdm_view_is(key, kinds[kind].key))
            return kind;
    }
    return GRAPH_UNKNOWN;
}

bool graph_index(struct graph *graph, struct cdm_json document)
{
    struct cdm_json nodes;
    uint32_t n = 0;

    graph->status = cdm_json_field_array(graph->parser, document, "nodes", &nodes, graph->err);
    if (graph->status)
        return false;
    size_t count = cdm_json_count(nodes);
    if (count > CDM_MAX_NODES) {
        graph->status = cdm_json_fail(graph->parser, document, graph->err,
                                      "the graph has more than %d nodes", CDM_MAX_NODES);
        return false;
    }
    graph->nodes = cdm_alloc(count, sizeof *graph->nodes);
    struct cdm_json_iter iter = cdm_json_elements(nodes);
    while (n < count && cdm_json_next(&iter, &graph->nodes[n].json))
        n++;
    graph->n_nodes = n;
    graph->stmts = cdm_grow(graph->stmts, &graph->max_stmts, 64, sizeof *graph->stmts);
    fill_kind_table(graph);
    return true;
}

void graph_release(struct graph *graph)
{
    free(graph->nodes);
    free(graph->stmts);
    graph->nodes = NULL;
    graph->stmts = NULL;
}

struct graph_node *graph_node(struct graph *graph, uint32_t number)
{
    struct graph_node *node = &graph->nodes[number];

    if (node->function != graph->function) {
        node->function = graph->function;
        node->bound = false;
        node->link = 0;
        node->expr = NULL;
        node->var = NULL;
        node->buffer = NULL;
    }
    return node;
}

enum graph_kind graph_kind(struct graph *graph, uint32_t number)
{
    struct graph_node *node = &graph->nodes[number];
    struct cdm_json value;
    struct cdm_view key;

    if (node->kind != GRAPH_UNREAD)
        return (enum graph_kind)node->kind;
    if (!graph_member(graph, number, "type_key", &value) || !cdm_json_is_string(value, &key)) {
        graph_fail(graph, number, "there is no \"type_key\" with a text");
        return GRAPH_UNREAD;
    }
    node->kind = (uint8_t)kind_of_key(graph, key);
    return (enum graph_kind)node->kind;
}

bool graph_enter(struct graph *graph, uint32_t number)
{
    struct graph_node *node = &graph->nodes[number];

    if (graph->status || !take_steps(graph, number, 1))
        return false;
    if (node->open) {
        graph_fail(graph, number, "the node is part of itself");
        return false;
    }
    if (graph->depth >= CDM_MAX_DEPTH) {
        graph_fail(graph, number, "the program is nested deeper than %d", CDM_MAX_DEPTH);
        return false;
    }
    node->open = true;
    graph->depth++;
    return true;
}

void graph_leave(struct graph *graph, uint32_t number)
{
    graph->nodes[number].open = false;
    graph->depth--;
}

/* Fields */

/* The field of `kind` called `name`. TVM writes the fields in the order of our table, so that
 * *next, the place after the last one found, is nearly always right. */
static int find_field(enum graph_kind kind, struct cdm_view name, int *next)
{
    const uint8_t *fields = kinds[kind].fields;

    if (fields[*next] != NO_FIELD && cdm_view_is(name, field_names[fields[*next]]))
        return fields[(*next)++];
    for (int i = 0; fields[i] != NO_FIELD; i++) {
        if (cdm_view_is(name, field_names[fields[i]])) {
            *next = i + 1;
            return fields[i];
        }
    }
    return -1;
}

bool graph_read_fields(struct graph *graph, uint32_t number, struct graph_fields *fields)
{
    enum graph_kind kind = graph_kind(graph, number);
    struct cdm_json attrs;
    struct cdm_json value;
    struct cdm_view name;
    struct cdm_view text;
    int next = 0;

    if (graph->status)
        return false;
    fields->node = number;
    for (const uint8_t *field = kinds[kind].fields; *field != NO_FIELD; field++)
        fields->value[*field].data = NULL;
    if (!graph_member(graph, number, "attrs", &attrs))
        return !graph->status;
    if (!may_search(graph, number, attrs))
        return false;
    struct cdm_json_iter iter = cdm_json_members(attrs);
    while (cdm_json_next_member(&iter, &name, &value)) {
        int field = find_field(kind, name, &next);
        if (!cdm_json_is_string(value, &text)) {
            graph_fail(graph, number, "\"%.*s\" is no text", (int)name.length, name.data);
            return false;
        }
        if (field >= 0) {
            if (!fields->value[field].data) /* the first of equal names counts */
                fields->value[field] = text;
        } else if (!cdm_view_is(text, "0")) {
            graph_fail(graph, number, "the field \"%.*s\" is not known", (int)name.length,
                       name.data);
            return false;
        }
    }
    return true;
}

/* Reads a decimal number below n_nodes. */
static bool parse_number(const struct graph *graph, struct cdm_view text, uint32_t *number)
{
    uint32_t value = 0;

    if (!text.length || text.length > 9)
        return false;
    for (size_t i = 0; i < text.length; i++) {
        unsigned digit = (unsigned)(unsigned char)text.data[i] - '0';
        if (digit > 9)
            return false;
        value = value * 10 + digit;
    }
    *number = value;
    return value < graph->n_nodes;
}

bool graph_optional_child(struct graph *graph, const struct graph_fields *fields,
                          enum graph_field field, uint32_t *number)
{
    struct cdm_view text = fields->value[field];

    *number = 0;
    if (!text.data)
        return true;
    if (!parse_number(graph, text, number)) {
        graph_fail(graph, fields->node, "\"%s\" is \"%.*s\", which is no node (there are %u)",
                   field_names[field], (int)(text.length < 64 ? text.length : 64), text.data,
                   (unsigned)graph->n_nodes);
        return false;
    }
    if (graph_kind(graph, *number) == GRAPH_NULL)
        *number = 0;
    return !graph->status;
}

/* That a field is there. */
static bool has_field(struct graph *graph, const struct graph_fields *fields,
                      enum graph_field field)
{
    if (fields->value[field].data)
        return true;
    graph_fail(graph, fields->node, "there is no field \"%s\"", field_names[field]);
    return false;
}

bool graph_child(struct graph *graph, const struct graph_fields *fields, enum graph_field field,
                 uint32_t *number)
{
    return has_field(graph, fields, field) && graph_optional_child(graph, fields, field, number);
}

bool graph_child_of_kind(struct graph *graph, const struct graph_fields *fields,
                         enum graph_field field, enum graph_kind kind, uint32_t *number)
{
    if (!graph_child(graph, fields, field, number))
        return false;
    if (!*number || graph_kind(graph, *number) == kind)
        return true;
    struct cdm_view key = type_key(graph, *number);
    graph_fail(graph, fields->node, "\"%s\" is node %u (%.*s), not %s", field_names[field],
               (unsigned)*number, (int)(key.length < 64 ? key.length : 64), key.data,
               kinds[kind].key);
    return false;
}

bool graph_literal_int(struct graph *graph, const struct graph_fields *fields,
                       enum graph_field field, int64_t *value)
{
    struct cdm_view text = fields->value[field];

    if (!has_field(graph, fields, field))
        return false;
    if (cdm_parse_int64(text, value))
        return true;
    graph_fail(graph, fields->node, "\"%s\" is \"%.*s\", which is no integer", field_names[field],
               (int)(text.length < 64 ? text.length : 64), text.data);
    return false;
}

bool graph_literal_type(struct graph *graph, const struct graph_fields *fields,
                        struct cdm_type *type)
{
    if (!has_field(graph, fields, FIELD_dtype))
        return false;
    *type = cdm_type_parse(&graph->builder, fields->value[FIELD_dtype]);
    return true;
}

/* Strings, arrays and maps */

bool graph_string(struct graph *graph, uint32_t number, struct cdm_view *text)
{
    struct cdm_json value;
    struct graph_fields fields;

    *text = (struct cdm_view){"", 0};
    enum graph_kind kind = graph_kind(graph, number);
    if (kind == GRAPH_NULL)
        return true;
    if (kind == GRAPH_STRING_IMM)
        return graph_read_fields(graph, number, &fields) &&
               graph_child_of_kind(graph, &fields, FIELD_value, GRAPH_STRING, &number) &&
               graph_string(graph, number, text);
    if (kind != GRAPH_STRING) {
        graph_fail(graph, number, "a text is expected here");
        return false;
    }
    if (graph_member(graph, number, "repr_str", &value)) {
        if (cdm_json_is_string(value, text))
            return true;
    } else if (!graph_member(graph, number, "repr_b64", &value)) {
        return !graph->status; /* TVM leaves out an empty text */
    }
    graph_fail(graph, number, "a text needs a \"repr_str\"");
    return false;
}

bool graph_field_string(struct graph *graph, const struct graph_fields *fields,
                        enum graph_field field, struct cdm_view *text)
{
    uint32_t number;

    return graph_child(graph, fields, field, &number) && graph_string(graph, number, text);
}

/* The next number in the "data" of an Array or Map. */
static bool next_number(struct graph *graph, uint32_t node, struct cdm_json_iter *iter,
                        uint32_t *element)
{
    struct cdm_json value;
    int64_t number;

    if (graph->status || !cdm_json_next(iter, &value))
        return false;
    if (!cdm_json_is_int(value, &number) || number < 0 || number >= graph->n_nodes) {
        graph_fail(graph, node, "\"data\" holds something that is no node (there are %u)",
                   (unsigned)graph->n_nodes);
        return false;
    }
    *element = graph_kind(graph, (uint32_t)number) == GRAPH_NULL ? 0 : (uint32_t)number;
    return !graph->status;
}

/* The array in member `name` of a node; none is an empty one. */
static bool find_array(struct graph *graph, uint32_t number, const char *name,
                       struct cdm_json_iter *iter, size_t *count)
{
    struct cdm_json data;

    *iter = (struct cdm_json_iter){{0}};
    *count = 0;
    if (!graph_member(graph, number, name, &data))
        return !graph->status;
    if (cdm_json_kind(data) != CDM_JSON_ARRAY) {
        graph_fail(graph, number, "\"%s\" is no array", name);
        return false;
    }
    *iter = cdm_json_elements(data);
    *count = cdm_json_count(data);
    if (*count > CDM_MAX_NODES) {
        graph_fail(graph, number, "\"%s\" has more than %d elements", name, CDM_MAX_NODES);
        return false;
    }
    return take_steps(graph, number, *count);
}

bool graph_list_start(struct graph *graph, uint32_t number, struct graph_list *list)
{
    size_t count = 0;

    *list = (struct graph_list){.node = number};
    if (number && graph_kind(graph, number) != GRAPH_ARRAY)
        graph_fail(graph, number, "an Array is expected here");
    if (graph->status || (number && !find_array(graph, number, "data", &list->iter, &count)))
        return false;
    list->n = (int32_t)count;
    return true;
}

bool graph_list_next(struct graph *graph, struct graph_list *list, uint32_t *element)
{
    return next_number(graph, list->node, &list->iter, element);
}

bool graph_map_start(struct graph *graph, uint32_t number, struct graph_map *map)
{
    size_t n_keys = 0;
    size_t n_data = 0;

    *map = (struct graph_map){.node = number};
    if (number && graph_kind(graph, number) != GRAPH_MAP)
        graph_fail(graph, number, "a Map is expected here");
    if (graph->status || (number && (!find_array(graph, number, "keys", &map->keys, &n_keys) ||
                                     !find_array(graph, number, "data", &map->data, &n_data))))
        return false;
    map->has_keys = n_keys > 0;
    if (map->has_keys ? n_keys != n_data : n_data % 2 != 0) {
        graph_fail(graph, number, "the keys and the values of the Map do not pair up");
        return false;
    }
    map->n = (int32_t)(map->has_keys ? n_keys : n_data / 2);
    return true;
}

bool graph_map_next(struct graph *graph, struct graph_map *map, uint32_t *key,
                    struct cdm_view *name, uint32_t *value)
{
    struct cdm_json text;

    *key = 0;
    *name = (struct cdm_view){"", 0};
    if (!map->has_keys)
        return next_number(graph, map->node, &map->data, key) &&
               next_number(graph, map->node, &map->data, value);
    if (graph->status || !cdm_json_next(&map->keys, &text))
        return false;
    if (!cdm_json_is_string(text, name)) {
        graph_fail(graph, map->node, "\"keys\" holds something that is no text");
        return false;
    }
    return next_number(graph, map->node, &map->data, value);
}
