/* The reader of TVM's JSON graphs: documents, modules and functions. See graph.h for the rest. */
#include "features/dump_json.h"

#include "cdmpp/core/alloc.h"
#include "features/graph.h"

#include <stdlib.h>
#include <string.h>

static const char format_name[] = "tvm-json";

/* Detection */

bool cdm_dump_json_looks_like(struct cdm_view text)
{
    /* Names that stand at the top of such a document, in either form, whatever the order. */
    static const char *const names[] = {"root",       "nodes", "b64ndarrays",
                                        "root_index", "attrs", "metadata"};
    static const char mark[] = "\xef\xbb\xbf";
    const char *end = text.data + text.length;
    const char *at = text.data + (cdm_view_starts(text, mark) ? strlen(mark) : 0);

    while (at < end && memchr(" \t\r\n", *at, 4))
        at++;
    if (at == end || *at++ != '{')
        return false;
    while (at < end && memchr(" \t\r\n", *at, 4))
        at++;
    if (at == end || *at++ != '"')
        return false;
    const char *quote = memchr(at, '"', (size_t)(end - at));
    struct cdm_view name = {at, quote ? (size_t)(quote - at) : 0};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (cdm_view_is(name, names[i]))
            return true;
    return false;
}

/* Functions */

/* Notes in each parameter's node which buffer it has. */
static bool link_params(struct graph *graph, const struct graph_fields *fields)
{
    struct graph_map map;
    struct cdm_view name;
    uint32_t number, key, value;

    if (!graph_child(graph, fields, FIELD_buffer_map, &number) ||
        !graph_map_start(graph, number, &map))
        return false;
    while (graph_map_next(graph, &map, &key, &name, &value)) {
        if (graph_kind(graph, key) != GRAPH_VAR || graph_kind(graph, value) != GRAPH_BUFFER) {
            graph_fail(graph, number, "\"buffer_map\" must map variables to Buffers");
            return false;
        }
        graph_node(graph, key)->link = value;
    }
    return !graph->status;
}

/* A parameter that is no buffer. */
static bool read_scalar(struct graph *graph, uint32_t number, struct cdm_param *param)
{
    param->var = graph_new_var(graph, number);
    if (param->var)
        graph_bind(graph, number, param->var);
    return param->var != NULL;
}

static bool read_handle(struct graph *graph, uint32_t number, struct cdm_param *param,
                        int32_t index)
{
    struct cdm_view name;
    struct cdm_type type;

    if (!graph_var_facts(graph, number, &name, &type, NULL))
        return false;
    param->var = cdm_build_loose_var(&graph->builder, name, type);
    param->buffer = graph_buffer(graph, graph_node(graph, number)->link);
    if (!param->buffer)
        return false;
    if (param->buffer->param >= 0) {
        graph_fail(graph, number, "two parameters have the same buffer");
        return false;
    }
    param->buffer->param = index;
    return true;
}

static bool read_params(struct graph *graph, const struct graph_fields *fields)
{
    struct cdm_program *program = graph->builder.program;
    struct graph_list list;
    uint32_t number, param;
    int32_t i = 0;

    if (!link_params(graph, fields) || !graph_child(graph, fields, FIELD_params, &number) ||
        !graph_list_start(graph, number, &list))
        return false;
    program->params = cdm_arena_array(graph->arena, (size_t)list.n + 1, sizeof *program->params);
    program->n_params = list.n;
    /* Scalars first: the shapes of buffers may be made of them. */
    for (; graph_list_next(graph, &list, &param); i++)
        if (!graph_node(graph, param)->link && !read_scalar(graph, param, &program->params[i]))
            return false;
    if (graph->status || !graph_list_start(graph, number, &list))
        return false;
    for (i = 0; graph_list_next(graph, &list, &param); i++)
        if (graph_node(graph, param)->link && !read_handle(graph, param, &program->params[i], i))
            return false;
    return !graph->status;
}

/* DictAttrs: one field, a Map. */
static bool read_attrs(struct graph *graph, const struct graph_fields *fields)
{
    struct cdm_program *program = graph->builder.program;
    struct graph_fields dict;
    uint32_t number;

    if (!graph_child_of_kind(graph, fields, FIELD_attrs, GRAPH_DICT_ATTRS, &number))
        return false;
    return !number ||
           (graph_read_fields(graph, number, &dict) &&
            graph_annotations(graph, &dict, FIELD___dict__, &program->attrs, &program->n_attrs));
}

/* The name that the attributes give the function, or "main". */
static const char *symbol_of(const struct cdm_program *program)
{
    for (int32_t i = 0; i < program->n_attrs; i++)
        if (!strcmp(program->attrs[i].key, "global_symbol") &&
            program->attrs[i].value->kind == EXPR_STRING)
            return program->attrs[i].value->text;
    return "main";
}

/* The program of PrimFunc node `number`; `name` NULL = as its attributes say. */
static bool read_function(struct graph *graph, uint32_t number, const char *name, int64_t line,
                          struct cdm_programs *programs)
{
    int64_t n_nodes = graph->builder.n_nodes;
    struct graph_fields fields;
    uint32_t body;

    /* Nodes of earlier functions count: a small text must not become many large programs. */
    cdm_build_start(&graph->builder, graph->arena, format_name);
    graph->builder.n_nodes = n_nodes;
    graph->function++;
    graph->has_realize = false;
    struct cdm_program *program = graph->builder.program;

    if (!graph_enter(graph, number))
        return false;
    if (graph_read_fields(graph, number, &fields) && read_params(graph, &fields) &&
        read_attrs(graph, &fields) && graph_child(graph, &fields, FIELD_body, &body))
        program->body = graph_stmt(graph, body);
    graph_leave(graph, number);
    if (graph->status)
        return false;
    if (graph->builder.too_large) {
        graph->status = cdm_build_check(&graph->builder, graph->err);
        return false;
    }
    program->name = name ? name : symbol_of(program);
    program->line = line;
    program->stage = graph->has_realize ? STAGE_FEATURE : STAGE_LOWERED;
    cdm_programs_add(programs, graph->arena, program);
    return true;
}

/* Modules */

struct function {
    const char *name;
    uint32_t number;
};

static int compare_functions(const void *a, const void *b)
{
    return strcmp(((const struct function *)a)->name, ((const struct function *)b)->name);
}

/* The name of a function: a GlobalVar node. */
static const char *function_name(struct graph *graph, uint32_t number)
{
    struct graph_fields fields;
    struct cdm_view name;

    if (graph_kind(graph, number) != GRAPH_GLOBAL_VAR) {
        graph_fail(graph, number, "a GlobalVar is expected here");
        return NULL;
    }
    if (!graph_read_fields(graph, number, &fields) ||
        !graph_field_string(graph, &fields, FIELD_name_hint, &name))
        return NULL;
    return cdm_arena_text(graph->arena, name.data, name.length);
}

/* All tensor programs of a module, by name: TVM keeps them in a hash table. Other functions, such
 * as those of Relay, are no concern of ours. */
static bool read_module(struct graph *graph, uint32_t number, int64_t line,
                        struct cdm_programs *programs)
{
    struct graph_fields fields;
    struct graph_map map;
    struct cdm_view name;
    uint32_t functions, key, value;
    size_t n = 0;

    if (!graph_read_fields(graph, number, &fields) ||
        !graph_child(graph, &fields, FIELD_functions, &functions) ||
        !graph_map_start(graph, functions, &map))
        return false;
    struct function *list = cdm_arena_array(graph->arena, (size_t)map.n + 1, sizeof *list);
    while (graph_map_next(graph, &map, &key, &name, &value)) {
        if (graph_kind(graph, value) != GRAPH_FUNCTION)
            continue;
        const char *text =
            key ? function_name(graph, key) : cdm_arena_text(graph->arena, name.data, name.length);
        if (!text)
            return false;
        list[n++] = (struct function){text, value};
    }
    if (graph->status)
        return false;
    if (!n) {
        graph_fail(graph, number, "there is no tensor program (PrimFunc) in this module");
        return false;
    }
    qsort(list, n, sizeof *list, compare_functions);
    for (size_t i = 0; i < n; i++)
        if (!read_function(graph, list[i].number, list[i].name, line, programs))
            return false;
    return true;
}

/* Documents */

static void read_root(struct graph *graph, struct cdm_json document, struct cdm_programs *programs)
{
    int64_t root, line, column;

    graph->status = cdm_json_field_int(graph->parser, document, "root", &root, graph->err);
    if (graph->status)
        return;
    if (root < 0 || root >= graph->n_nodes) {
        graph->status = cdm_json_fail(graph->parser, document, graph->err,
                                      "\"root\" is %lld, which is no node (there are %u)",
                                      (long long)root, (unsigned)graph->n_nodes);
        return;
    }
    cdm_json_place(graph->parser, document, &line, &column);
    uint32_t number = (uint32_t)root;
    enum graph_kind kind = graph_kind(graph, number);
    if (kind == GRAPH_MODULE)
        read_module(graph, number, line, programs);
    else if (kind == GRAPH_FUNCTION)
        read_function(graph, number, NULL, line, programs);
    else
        graph_fail(graph, number, "the root is no IRModule and no PrimFunc");
}

enum cdm_status cdm_dump_json_read_value(const struct cdm_json_parser *parser,
                                         struct cdm_json document, struct cdm_arena *arena,
                                         struct cdm_programs *programs, struct cdm_error *err)
{
    struct cdm_json value;

    if (cdm_json_find(document, "root_index", &value))
        return cdm_json_fail(parser, document, err,
                             "this is a graph of TVM 0.22 or newer, which is not read yet");
    struct graph *graph = cdm_alloc(1, sizeof *graph);
    graph->parser = parser;
    graph->arena = arena;
    graph->err = err;
    if (graph_index(graph, document))
        read_root(graph, document, programs);
    enum cdm_status status = graph->status;
    graph_release(graph);
    free(graph);
    return status;
}

enum cdm_status cdm_dump_json_read(struct cdm_view text, int64_t first_line,
                                   struct cdm_arena *arena, struct cdm_programs *programs,
                                   struct cdm_error *err)
{
    struct cdm_json_parser *parser = cdm_json_parser_new(CDM_MAX_TEXT);
    struct cdm_json document;

    enum cdm_status status = cdm_json_parse(parser, text, first_line, &document, err);
    if (!status)
        status = cdm_dump_json_read_value(parser, document, arena, programs, err);
    cdm_json_parser_free(parser);
    return status;
}
