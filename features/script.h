/* The TVMScript parser: what features/dump_tvmscript.c (functions, statements) and
 * features/script_expr.c (expressions) share. Private to the two.
 *
 * Errors are sticky: after the first failure the parser sees the end of the text, every function
 * returns some valid value, and the callers need to look at parser->status only where they finish
 * something. */
#ifndef CDMPP_FEATURES_SCRIPT_H
#define CDMPP_FEATURES_SCRIPT_H

#include "features/block.h"
#include "features/build.h"
#include "features/dump.h"
#include "features/lexer.h"

enum script_binding_kind {
    BINDING_NONE,
    BINDING_VAR,
    BINDING_BUFFER,
    BINDING_THREAD,
    BINDING_EXPR, /* an axis of a block: the name is that expression */
};

/* What a name means now. */
struct script_binding {
    enum script_binding_kind kind;
    struct cdm_var *var;
    struct cdm_buffer *buffer; /* BINDING_VAR: the first buffer that was declared with data=VAR */
    struct cdm_expr *expr;     /* BINDING_EXPR */
    bool is_param;             /* BINDING_VAR: of a parameter, number `param` */
    int32_t param;
    const char *thread_tag; /* of T.env_thread, also while the thread's loop is open */
};

struct script_symbol {
    struct cdm_view name;
    uint32_t hash;
    struct script_binding binding;
};

struct script_undo {
    struct script_symbol *symbol;
    struct script_binding before;
};

/* A block that is being read. */
struct script_block {
    struct cdm_block block;
    size_t max_axes, max_allocs;
};

struct script_parser {
    struct cdm_lexer lexer;
    struct cdm_builder builder;
    struct cdm_arena *arena;
    enum cdm_status status;
    struct cdm_error *err;

    struct script_symbol **table; /* open addressing, [n_slots] */
    size_t n_slots, n_symbols;
    struct script_undo *undo; /* [n_undo] */
    size_t n_undo, max_undo;

    struct cdm_stmt **stmts; /* of all open blocks, [n_stmts] */
    size_t n_stmts, max_stmts;
    size_t open[CDM_MAX_DEPTH + 1]; /* where in stmts the body of each open statement starts */
    int n_open;

    int depth;      /* of statements and expressions that are open */
    int height;     /* of the expression that was read last */
    int n_lets;     /* T.Let that are open */
    bool in_region; /* subscripts a:b are regions, not vectors */
    bool has_realize, has_block;
    struct script_block *block;      /* whose lines are read now; NULL inside its loops */
    struct script_block *next_block; /* for the body that comes next */
};

/* Records the first error and stops the parser. */
void script_fail(struct script_parser *parser, const struct cdm_token *where, const char *format,
                 ...) CDM_PRINTF(3, 4);

/* The current token and moving on. */
static inline const struct cdm_token *script_token(const struct script_parser *parser)
{
    return &parser->lexer.token;
}
/* The current token; at the end of a line with the place where that line ends, for what is missing
 * there. */
struct cdm_token script_here(const struct script_parser *parser);
void script_next(struct script_parser *parser);
/* Goes back to where the lexer was, unless something failed since: an error ends the text for good.
 */
void script_rewind(struct script_parser *parser, const struct cdm_lexer *before);
bool script_is(const struct script_parser *parser, int punct);
bool script_is_name(const struct script_parser *parser, const char *name);
/* Takes the punctuation if it is there. */
bool script_take(struct script_parser *parser, int punct);
/* Demands the punctuation. */
void script_expect(struct script_parser *parser, int punct);

/* Deeper by one level; fails past CDM_MAX_DEPTH. Every enter has its leave. */
void script_enter(struct script_parser *parser);
void script_leave(struct script_parser *parser);

struct script_symbol *script_symbol(struct script_parser *parser, struct cdm_view name,
                                    uint32_t hash);
/* Gives the symbol a meaning until the scope that began at script_scope() ends. */
void script_bind(struct script_parser *parser, struct script_symbol *symbol,
                 struct script_binding binding);
size_t script_scope(const struct script_parser *parser);
void script_end_scope(struct script_parser *parser, size_t scope);

/* Expressions. */
struct cdm_expr *script_expr(struct script_parser *parser);
/* A growing list in the arena. */
struct script_list {
    struct cdm_expr **items;
    int32_t n;
    size_t capacity;
};
void script_list_add(struct script_parser *parser, struct script_list *list, struct cdm_expr *expr);
/* An expression of all items. */
struct cdm_expr *script_from_list(struct script_parser *parser, enum cdm_expr_kind kind,
                                  struct cdm_type type, const struct script_list *list);
/* What to return after a failure: any valid expression. */
struct cdm_expr *script_placeholder(struct script_parser *parser);
/* What a string token says, without escapes. */
struct cdm_view script_string(struct script_parser *parser, const struct cdm_token *token);
/* The call of `callee`, a name; the current token is '('. */
struct cdm_expr *script_call(struct script_parser *parser, const struct cdm_token *callee);
/* Comma-separated arguments up to and with `close`; keyword arguments become EXPR_KEYWORD. */
void script_args(struct script_parser *parser, int close, struct script_list *list);
/* The indices of BUFFER[...]; the current token is '['. */
void script_subscript(struct script_parser *parser, struct script_list *list);
/* The value of keyword `name` among the arguments, or NULL. */
struct cdm_expr *script_keyword(const struct script_list *list, const char *name);
/* Takes the predicate of BUFFER[indices, predicate=p] off the list; NULL without one. */
struct cdm_expr *script_take_predicate(struct script_list *indices);
/* Positional argument i (keywords not counted), or NULL. */
struct cdm_expr *script_positional(const struct script_list *list, int32_t i);
/* Binds a name to a variable or buffer in the current scope. */
void script_bind_var(struct script_parser *parser, const struct cdm_token *name,
                     struct cdm_var *var);
void script_bind_buffer(struct script_parser *parser, const struct cdm_token *name,
                        struct cdm_buffer *buffer);
/* The buffer that T.Buffer, T.buffer_decl, T.match_buffer or T.decl_buffer declares with these
 * arguments, the shape being positional argument `first`. */
struct cdm_buffer *script_buffer(struct script_parser *parser, const struct cdm_token *name,
                                 const struct script_list *args, int32_t first);
/* The indented lines after a colon, deeper than `outer`. Ends before the first line that is not. */
struct cdm_stmt *script_body(struct script_parser *parser, int outer);

/* Statements. */

/* What a statement did. */
struct script_outcome {
    struct cdm_stmt *stmt; /* NULL: a declaration */
    bool open;             /* its body is the rest of the block (or of the `with`) */
};
struct cdm_stmt *script_stmt(struct script_parser *parser, enum cdm_stmt_kind kind,
                             const struct cdm_token *where);
/* The text of a string, NULL for another expression or none. */
const char *script_text_of(const struct cdm_expr *expr);
/* The entries of a dictionary whose keys are strings. */
struct cdm_annotation *script_annotations(struct script_parser *parser, const struct cdm_expr *dict,
                                          int32_t *n);
struct cdm_stmt *script_let(struct script_parser *parser, const struct cdm_token *where,
                            const struct cdm_token *name, struct cdm_type type,
                            struct cdm_expr *value);
struct cdm_stmt *script_assertion(struct script_parser *parser, const struct cdm_token *where,
                                  struct cdm_expr *condition, struct cdm_expr *message);
struct script_outcome script_evaluate(struct script_parser *parser, const struct cdm_token *where,
                                      struct cdm_expr *value);
/* Calls that stand alone, after `name =`, or in a `with` (name NULL: none). The current token is
 * '('. */
struct script_outcome script_call_statement(struct script_parser *parser,
                                            const struct cdm_token *callee,
                                            const struct cdm_token *name);
/* Blocks. */

/* with T.block("name"): the current token is '('. */
struct cdm_stmt *script_block(struct script_parser *parser, const struct cdm_token *callee,
                              int indent);
/* with T.init(): the current token is '('. */
void script_init(struct script_parser *parser, const struct cdm_token *callee, int indent);
/* names = T.axis.KIND(...): the current token is '('. False when it is no such call. */
bool script_axis(struct script_parser *parser, const struct cdm_token *callee,
                 const struct cdm_token *names, int n_names);
/* NAME = T.match_buffer(SOURCE[region], ...): `region` is the first argument. */
void script_match(struct script_parser *parser, struct cdm_buffer *buffer,
                  const struct cdm_expr *region);

/* NAME = BUFFER.view(shape): the current token is '('. False when it is no such call. */
bool script_view(struct script_parser *parser, const struct cdm_token *callee,
                 const struct cdm_token *name);
/* BUFFER.data and the like: the buffer before the last dot, and in *member what stands behind it;
 * NULL when that names no buffer. */
struct cdm_buffer *script_buffer_of_path(struct script_parser *parser, struct cdm_view path,
                                         struct cdm_view *member);

/* The type that a token like T.float32 names. */
struct cdm_type script_type_name(struct script_parser *parser, const struct cdm_token *name);
/* The callee of a "T.name" path without its name space, or an empty view. */
struct cdm_view script_callee(struct cdm_view path);

#endif
