/* TVM's JSON graph while it is read. Private to the files that share it:
 *   features/dump_json.c   documents, modules, functions
 *   features/graph.c       nodes, fields, lists
 *   features/graph_data.c  variables, buffers, annotations
 *   features/graph_expr.c, features/graph_call.c    expressions
 *   features/graph_stmt.c  statements
 *
 * Errors are kept in the graph: a function that fails sets graph->status and returns NULL (or
 * false), and its callers return at once. */
#ifndef CDMPP_FEATURES_GRAPH_H
#define CDMPP_FEATURES_GRAPH_H

#include "cdmpp/core/json.h"
#include "features/build.h"

/* GRAPH_ADD and so on; see graph.def. */
enum graph_kind {
    GRAPH_UNREAD, /* nobody has looked at this node yet */
    GRAPH_NULL,
    GRAPH_UNKNOWN, /* a type key that graph.def has not */
#define NODE(kind, key, fields) GRAPH_##kind,
#include "features/graph.def"
#undef NODE
    GRAPH_N_KINDS,
};

/* Steps through one document: see n_steps. Real programs need about one for 20 bytes of text. */
enum { GRAPH_MAX_STEPS = 4 * CDM_MAX_NODES };

enum graph_field {
#define FIELD(name) FIELD_##name,
#include "features/graph.def"
#undef FIELD
    GRAPH_N_FIELDS,
};

/* What is known about a node in the function that is being read. */
struct graph_node {
    struct cdm_json json; /* the node's object */
    uint8_t kind;         /* enum graph_kind */
    bool open;            /* being read: to meet it again is a cycle */
    bool bound;           /* GRAPH_VAR: it has been bound or allocated */
    uint16_t height;      /* of the tree of `expr` */
    uint32_t size;        /* nodes in it, shared ones each time they are used */
    uint32_t epoch;       /* `expr` holds in this epoch only */
    uint32_t function;    /* what follows holds in this function only */
    uint32_t link; /* GRAPH_BUFFER: its data variable; GRAPH_VAR: the buffer that a parameter has */
    struct cdm_expr *expr;
    struct cdm_var *var;       /* GRAPH_VAR: what it is bound to now */
    struct cdm_buffer *buffer; /* GRAPH_BUFFER; GRAPH_VAR: the buffer whose data it points to now */
};

struct graph {
    const struct cdm_json_parser *parser;
    struct cdm_arena *arena;
    struct cdm_builder builder;
    enum cdm_status status;
    struct cdm_error *err;

    struct graph_node *nodes; /* [n_nodes] */
    uint32_t n_nodes;
    uint8_t kind_table[256]; /* by a hash of the type key: enum graph_kind, 0 = free */

    /* Expressions that have been read are kept in their nodes. A variable that is bound a second
     * time begins a new epoch, in which they are read again: they refer to what it was bound to
     * before. */
    uint32_t epoch;
    uint32_t function;
    int depth;       /* of nodes that are open */
    int64_t n_steps; /* nodes entered, list elements met: bounds the work on a hostile graph */
    bool has_realize;

    /* Of the expressions below the open one. */
    int expr_depth;
    uint32_t height;
    uint32_t size;
    uint32_t
        tree_size; /* of all expressions of the document, shared nodes each time they are used */

    struct cdm_stmt **stmts; /* statements of all open sequences, on one stack */
    size_t n_stmts, max_stmts;
};

/* Values of a node's fields, as text: an attribute of the old form is always a string. */
struct graph_fields {
    uint32_t node;                         /* whose fields these are */
    struct cdm_view value[GRAPH_N_FIELDS]; /* data NULL: the field is not there */
};

/* graph.c: nodes and fields */

/* Indexes the nodes of the document. graph_release() gives the memory back. */
bool graph_index(struct graph *graph, struct cdm_json document);
void graph_release(struct graph *graph);

/* Node `number`, below n_nodes, with nothing left over from another function. */
struct graph_node *graph_node(struct graph *graph, uint32_t number);

/* "node 7 (tir.For): MESSAGE", with the node's place. Keeps the first error. */
void graph_fail(struct graph *graph, uint32_t number, const char *format, ...) CDM_PRINTF(3, 4);

/* The member `name` of a node's object. False when it has none, and after a failure. */
bool graph_member(struct graph *graph, uint32_t number, const char *name, struct cdm_json *value);

/* The kind of node `number`, which must be below n_nodes. GRAPH_UNREAD after a failure. */
enum graph_kind graph_kind(struct graph *graph, uint32_t number);

/* All fields of a node of a known kind. */
bool graph_read_fields(struct graph *graph, uint32_t number, struct graph_fields *fields);

/* The node that a field names; 0 is null. A field that is not there is an error unless `optional`.
 */
bool graph_child(struct graph *graph, const struct graph_fields *fields, enum graph_field field,
                 uint32_t *number);
bool graph_optional_child(struct graph *graph, const struct graph_fields *fields,
                          enum graph_field field, uint32_t *number);
/* The same, when it must be of one kind (or null: 0). */
bool graph_child_of_kind(struct graph *graph, const struct graph_fields *fields,
                         enum graph_field field, enum graph_kind kind, uint32_t *number);
/* Literal fields. */
bool graph_literal_int(struct graph *graph, const struct graph_fields *fields,
                       enum graph_field field, int64_t *value);
bool graph_literal_type(struct graph *graph, const struct graph_fields *fields,
                        struct cdm_type *type);

/* The text of a String or StringImm node; null is "". */
bool graph_string(struct graph *graph, uint32_t number, struct cdm_view *text);
/* A field that is such a node. */
bool graph_field_string(struct graph *graph, const struct graph_fields *fields,
                        enum graph_field field, struct cdm_view *text);

/* Walks the node numbers in an Array; null is an empty one. */
struct graph_list {
    uint32_t node;
    struct cdm_json_iter iter;
    int32_t n; /* elements in all */
};
bool graph_list_start(struct graph *graph, uint32_t number, struct graph_list *list);
/* False at the end and after a failure. */
bool graph_list_next(struct graph *graph, struct graph_list *list, uint32_t *element);

/* Walks the pairs of a Map; null is an empty one. */
struct graph_map {
    uint32_t node;
    struct cdm_json_iter keys; /* when the keys are strings in place */
    struct cdm_json_iter data;
    bool has_keys;
    int32_t n; /* pairs in all */
};
bool graph_map_start(struct graph *graph, uint32_t number, struct graph_map *map);
/* One pair: *key is the node of the key, or 0 and *name is its text. False at the end and after a
 * failure. */
bool graph_map_next(struct graph *graph, struct graph_map *map, uint32_t *key,
                    struct cdm_view *name, uint32_t *value);

/* A node is read inside others: fails for one that is open already and past CDM_MAX_DEPTH. Every
 * enter that returns true has its leave. */
bool graph_enter(struct graph *graph, uint32_t number);
void graph_leave(struct graph *graph, uint32_t number);

/* graph_expr.c */

/* Any node as a value; null is EXPR_CALL "None". */
struct cdm_expr *graph_expr(struct graph *graph, uint32_t number);
/* A field that is a value. */
struct cdm_expr *graph_field_expr(struct graph *graph, const struct graph_fields *fields,
                                  enum graph_field field);
/* A field that is a condition. *expr is NULL when it is null or always true. */
bool graph_field_condition(struct graph *graph, const struct graph_fields *fields,
                           enum graph_field field, struct cdm_expr **expr);
/* A field that is an Array of values, at most `max`. NULL after a failure only. */
struct cdm_expr **graph_field_exprs(struct graph *graph, const struct graph_fields *fields,
                                    enum graph_field field, int32_t max, int32_t *n);

/* graph_call.c */

/* EXPR_CALL of `name` with arguments that are there already. */
struct cdm_expr *graph_call(struct graph *graph, struct cdm_view name, struct cdm_type type,
                            struct cdm_expr *const *args, int32_t n);
/* Readers of node kinds, for the table in graph_expr.c. */
struct cdm_expr *graph_read_call(struct graph *graph, const struct graph_fields *fields);
struct cdm_expr *graph_read_name(struct graph *graph, const struct graph_fields *fields);
struct cdm_expr *graph_read_iter_var(struct graph *graph, const struct graph_fields *fields);
struct cdm_expr *graph_read_comm_reducer(struct graph *graph, const struct graph_fields *fields);
struct cdm_expr *graph_read_reduce(struct graph *graph, const struct graph_fields *fields);
struct cdm_expr *graph_read_unknown(struct graph *graph, uint32_t number);

/* graph_data.c */

struct cdm_buffer *graph_buffer(struct graph *graph, uint32_t number);
struct cdm_buffer *graph_field_buffer(struct graph *graph, const struct graph_fields *fields);

/* Name, type and, for pointers, scope ("" when it has none) of the variable `number`. */
bool graph_var_facts(struct graph *graph, uint32_t number, struct cdm_view *name,
                     struct cdm_type *type, struct cdm_view *scope);
/* Gives variable `number` a meaning. Returns the meaning before, which graph_unbind() gives back.
 */
struct cdm_var *graph_bind(struct graph *graph, uint32_t number, struct cdm_var *var);
void graph_unbind(struct graph *graph, uint32_t number, struct cdm_var *before);
/* A new variable of the program for node `number`, not bound yet. */
struct cdm_var *graph_new_var(struct graph *graph, uint32_t number);

/* A field that is a Map with text keys, sorted by key. */
bool graph_annotations(struct graph *graph, const struct graph_fields *fields,
                       enum graph_field field, struct cdm_annotation **annotations, int32_t *n);

/* graph_stmt.c */

struct cdm_stmt *graph_stmt(struct graph *graph, uint32_t number);

#endif
