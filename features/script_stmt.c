/* Control flow of TVMScript: blocks, loops, branches, stores. Scope statements are in
 * script_decl.c. */
#include "features/script.h"
#include "features/simplify.h"

#include <string.h>

/* The kind of loop that T.KIND(...) makes; false when it is no loop. */
static bool loop_kind(struct cdm_view call, enum cdm_loop_kind *kind)
{
    static const struct {
        const char *name;
        enum cdm_loop_kind kind;
    } kinds[] = {{"serial", LOOP_SERIAL},        {"grid", LOOP_SERIAL},
                 {"parallel", LOOP_PARALLEL},    {"vectorized", LOOP_VECTORIZED},
                 {"unroll", LOOP_UNROLLED},      {"range", LOOP_SERIAL},
                 {"thread_binding", LOOP_THREAD}};

    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        if (cdm_view_is(call, kinds[i].name)) {
            *kind = kinds[i].kind;
            return true;
        }
    }
    return false;
}

/* The loops of one `for` line, the innermost returned through *inner. */
static struct cdm_stmt *make_loops(struct script_parser *parser, const struct cdm_token *where,
                                   const struct cdm_token *names, int n_names,
                                   const struct cdm_token *callee, const struct script_list *args,
                                   struct cdm_stmt **inner)
{
    struct cdm_view call = script_callee(callee->text);
    struct cdm_stmt *outer = NULL;
    enum cdm_loop_kind kind = LOOP_SERIAL;

    if (!call.length)
        call = callee->text;
    if (!loop_kind(call, &kind)) {
        script_fail(parser, callee, "'%.*s' is no kind of loop that is known",
                    (int)callee->text.length, callee->text.data);
        return NULL;
    }
    bool grid = cdm_view_is(call, "grid");
    struct cdm_expr *min = script_positional(args, 0);
    struct cdm_expr *end = script_positional(args, 1);
    const char *tag = script_text_of(script_keyword(args, "thread"));
    if (!min || (grid && (args->n != n_names || !script_positional(args, n_names - 1))) ||
        (!grid && n_names != 1) || (kind == LOOP_THREAD && !tag)) {
        script_fail(parser, callee, "the loop's variables do not fit its extents");
        return NULL;
    }
    for (int i = 0; i < n_names; i++) {
        struct cdm_stmt *loop = script_stmt(parser, STMT_LOOP, where);
        struct cdm_expr *extent = grid ? script_positional(args, i) : min;
        loop->min = cdm_expr_int(&parser->builder, 0, extent->type);
        if (!grid && end) {
            loop->min = min;
            extent = cdm_expr_difference(&parser->builder, end, min);
        }
        loop->extent = extent;
        loop->loop_kind = (uint8_t)kind;
        if (kind == LOOP_THREAD) {
            loop->thread_tag = tag;
            if (cdm_tag_is_vthread(tag))
                loop->loop_kind = LOOP_VTHREAD;
        }
        loop->annotations =
            script_annotations(parser, script_keyword(args, "annotations"), &loop->n_annotations);
        loop->var = cdm_build_var(&parser->builder, names[i].text, extent->type);
        script_bind_var(parser, &names[i], loop->var);
        if (outer)
            (*inner)->body = loop;
        else
            outer = loop;
        *inner = loop;
    }
    return outer;
}

static struct cdm_stmt *for_statement(struct script_parser *parser, int indent)
{
    struct cdm_token where = *script_token(parser);
    struct cdm_token names[CDM_MAX_DIMS * 2];
    struct script_list args = {0};
    struct cdm_stmt *inner = NULL;
    size_t scope = script_scope(parser);
    int n = 0, max = CDM_MAX_DIMS * 2;

    script_next(parser);
    do {
        if (script_token(parser)->kind != TOKEN_NAME || n == max) {
            script_fail(parser, script_token(parser), "a loop needs 1 to %d variables", max);
            break;
        }
        names[n++] = *script_token(parser);
        script_next(parser);
    } while (script_take(parser, ','));
    struct cdm_token in = script_here(parser);
    if (!script_is_name(parser, "in"))
        script_fail(parser, &in, "'in' is expected");
    script_next(parser);
    struct cdm_token callee = *script_token(parser);
    if (callee.kind != TOKEN_NAME)
        script_fail(parser, &callee, "a kind of loop is expected");
    script_next(parser);
    script_expect(parser, '(');
    script_args(parser, ')', &args);
    script_expect(parser, ':');
    if (parser->status)
        return NULL;
    struct cdm_stmt *outer = make_loops(parser, &where, names, n, &callee, &args, &inner);
    parser->depth += n;
    if (outer)
        inner->body = script_body(parser, indent);
    parser->depth -= n;
    script_end_scope(parser, scope);
    return outer;
}

/* Calls whose `as NAME` the body uses. */
static bool names_its_result(struct cdm_view call)
{
    return cdm_view_is(call, "allocate") || cdm_view_is(call, "launch_thread") ||
           cdm_view_is(call, "LetStmt") || cdm_view_is(call, "decl_buffer");
}

/* `as NAME` comes after the call but names what the call makes: looks ahead without reading. */
static struct cdm_token name_after_call(struct script_parser *parser)
{
    struct cdm_lexer before = parser->lexer;
    struct cdm_token name = {0};
    int depth = 0;

    do {
        if (script_is(parser, '(') || script_is(parser, '[') || script_is(parser, '{'))
            depth++;
        else if (script_is(parser, ')') || script_is(parser, ']') || script_is(parser, '}'))
            depth--;
        script_next(parser);
    } while (depth > 0 && script_token(parser)->kind != TOKEN_END);
    if (script_is_name(parser, "as")) {
        script_next(parser);
        name = *script_token(parser);
        if (name.kind != TOKEN_NAME)
            script_fail(parser, &name, "a name is expected after 'as'");
    }
    script_rewind(parser, &before);
    return name;
}

static struct cdm_stmt *with_statement(struct script_parser *parser, int indent)
{
    struct cdm_token name = {0};
    size_t scope = script_scope(parser);

    script_next(parser);
    struct cdm_token callee = *script_token(parser);
    if (callee.kind != TOKEN_NAME) {
        script_fail(parser, &callee, "a call is expected after 'with'");
        return NULL;
    }
    script_next(parser);
    struct cdm_view call = script_callee(callee.text);
    if (cdm_view_is(call, "block") || cdm_view_is(call, "sblock"))
        return script_block(parser, &callee, indent);
    if (cdm_view_is(call, "init")) {
        script_init(parser, &callee, indent);
        return NULL;
    }
    if (names_its_result(call))
        name = name_after_call(parser);
    if (parser->status)
        return NULL;
    struct script_outcome outcome =
        script_call_statement(parser, &callee, name.text.length ? &name : NULL);
    if (script_is_name(parser, "as")) {
        script_next(parser);
        script_next(parser);
    }
    script_expect(parser, ':');
    struct cdm_stmt *body = script_body(parser, indent);
    script_end_scope(parser, scope);
    /* T.decl_buffer makes no statement: its block stands for itself. */
    if (!outcome.stmt && name.text.length && !parser->status)
        return body->kind == STMT_SEQ && !body->n_children ? NULL : body;
    if (!outcome.stmt || !outcome.open) {
        script_fail(parser, &callee, "'%.*s' opens no scope that is known", (int)callee.text.length,
                    callee.text.data);
        return body;
    }
    outcome.stmt->body = body;
    return outcome.stmt;
}

static struct cdm_stmt *if_statement(struct script_parser *parser, int indent)
{
    struct cdm_stmt *stmt = script_stmt(parser, STMT_IF, script_token(parser));

    script_next(parser);
    stmt->condition = script_expr(parser);
    script_expect(parser, ':');
    stmt->body = script_body(parser, indent);
    if (script_token(parser)->kind != TOKEN_LINE || script_token(parser)->indent != indent)
        return stmt;
    struct cdm_lexer before = parser->lexer;
    script_next(parser);
    if (script_is_name(parser, "elif")) {
        script_enter(parser);
        stmt->other = if_statement(parser, indent);
        script_leave(parser);
    } else if (script_is_name(parser, "else")) {
        script_next(parser);
        script_expect(parser, ':');
        stmt->other = script_body(parser, indent);
    } else {
        script_rewind(parser, &before);
    }
    return stmt;
}

static struct cdm_stmt *while_statement(struct script_parser *parser, int indent)
{
    struct cdm_stmt *stmt = script_stmt(parser, STMT_WHILE, script_token(parser));

    script_next(parser);
    stmt->condition = script_expr(parser);
    script_expect(parser, ':');
    stmt->body = script_body(parser, indent);
    return stmt;
}

/* BUFFER[indices] = value; the current token is '['. */
static struct script_outcome store_statement(struct script_parser *parser,
                                             const struct cdm_token *name)
{
    struct script_symbol *symbol = script_symbol(parser, name->text, name->hash);
    struct cdm_stmt *stmt = script_stmt(parser, STMT_STORE, name);
    struct script_list indices = {0};

    if (symbol->binding.kind != BINDING_BUFFER) {
        script_fail(parser, name, "'%.*s' is stored to but no buffer of that name is declared",
                    (int)name->text.length, name->text.data);
        return (struct script_outcome){NULL, false};
    }
    stmt->buffer = symbol->binding.buffer;
    script_subscript(parser, &indices);
    script_expect(parser, '=');
    stmt->condition = script_take_predicate(&indices);
    cdm_build_access(&parser->builder, &stmt->buffer, &indices.items, &indices.n);
    stmt->indices = indices.items;
    stmt->n_indices = indices.n;
    stmt->value = script_expr(parser);
    return (struct script_outcome){stmt, false};
}

/* a, b = T.axis.remap(...), a, b = T.int32(), T.int32(); the current token is the first comma. */
static struct script_outcome names_statement(struct script_parser *parser,
                                             const struct cdm_token *first)
{
    struct cdm_token names[CDM_MAX_DIMS];
    struct script_outcome nothing = {NULL, false};
    int n = 0;

    names[n++] = *first;
    while (script_take(parser, ',') && n < CDM_MAX_DIMS &&
           script_token(parser)->kind == TOKEN_NAME) {
        names[n++] = *script_token(parser);
        script_next(parser);
    }
    script_expect(parser, '=');
    for (int i = 0; i < n && !parser->status; i++) {
        struct cdm_token callee = *script_token(parser);
        script_next(parser);
        if (callee.kind != TOKEN_NAME || !script_is(parser, '(') ||
            !script_callee(callee.text).length) {
            script_fail(parser, &callee, "what is assigned to '%.*s' is not understood",
                        (int)names[i].text.length, names[i].text.data);
            return nothing;
        }
        if (!i && script_axis(parser, &callee, names, n))
            return nothing;
        if (script_call_statement(parser, &callee, &names[i]).stmt)
            script_fail(parser, &callee, "several names cannot have this value");
        if (i + 1 < n)
            script_expect(parser, ',');
    }
    return nothing;
}

/* Statements that start with a name which is no keyword. */
static struct script_outcome name_statement(struct script_parser *parser)
{
    struct cdm_token name = *script_token(parser);

    script_next(parser);
    if (script_is(parser, '['))
        return store_statement(parser, &name);
    if (script_is(parser, '('))
        return script_call_statement(parser, &name, NULL);
    if (script_is(parser, ','))
        return names_statement(parser, &name);
    if (script_take(parser, ':')) {
        /* v: T.int32 = e, v: T.let[T.int32] = e */
        struct cdm_token type = script_here(parser);
        script_next(parser);
        if (script_is(parser, '[')) {
            script_next(parser);
            type = script_here(parser);
            script_next(parser);
            script_expect(parser, ']');
        }
        struct cdm_type declared = script_type_name(parser, &type);
        script_expect(parser, '=');
        struct cdm_expr *value = script_expr(parser);
        return (struct script_outcome){script_let(parser, &name, &name, declared, value), true};
    }
    if (script_take(parser, '=')) {
        struct cdm_token callee = *script_token(parser);
        if (callee.kind == TOKEN_NAME && memchr(callee.text.data, '.', callee.text.length)) {
            script_next(parser);
            if (script_is(parser, '(') && script_view(parser, &callee, &name))
                return (struct script_outcome){NULL, false};
            if (script_is(parser, '(') && script_axis(parser, &callee, &name, 1))
                return (struct script_outcome){NULL, false};
            if (script_is(parser, '(') && script_callee(callee.text).length)
                return script_call_statement(parser, &callee, &name);
        }
        script_fail(parser, &callee, "what is assigned to '%.*s' is not understood",
                    (int)name.text.length, name.text.data);
        return (struct script_outcome){NULL, false};
    }
    char what[64];
    script_fail(parser, &name, "a statement cannot start with %s",
                cdm_token_describe(&name, what, sizeof what));
    return (struct script_outcome){NULL, false};
}

static struct script_outcome parse_statement(struct script_parser *parser, int indent)
{
    struct cdm_token where = *script_token(parser);
    char what[64];

    if (where.kind != TOKEN_NAME) {
        script_fail(parser, &where, "a statement cannot start with %s",
                    cdm_token_describe(&where, what, sizeof what));
        return (struct script_outcome){NULL, false};
    }
    if (script_is_name(parser, "else") || script_is_name(parser, "elif")) {
        script_fail(parser, &where, "there is no 'if' before this '%.*s'", (int)where.text.length,
                    where.text.data);
        return (struct script_outcome){NULL, false};
    }
    if (script_is_name(parser, "for"))
        return (struct script_outcome){for_statement(parser, indent), false};
    if (script_is_name(parser, "with"))
        return (struct script_outcome){with_statement(parser, indent), false};
    if (script_is_name(parser, "if"))
        return (struct script_outcome){if_statement(parser, indent), false};
    if (script_is_name(parser, "while"))
        return (struct script_outcome){while_statement(parser, indent), false};
    if (script_is_name(parser, "pass")) {
        script_next(parser);
        return (struct script_outcome){NULL, false};
    }
    if (script_is_name(parser, "return")) {
        script_next(parser);
        bool bare =
            script_token(parser)->kind == TOKEN_LINE || script_token(parser)->kind == TOKEN_END;
        struct cdm_expr *value = bare ? NULL : script_expr(parser);
        struct cdm_expr *call = cdm_expr_new(&parser->builder, EXPR_CALL,
                                             bare ? cdm_type_handle() : value->type, !bare);
        call->text = "ret";
        if (!bare)
            call->args[0] = value;
        return script_evaluate(parser, &where, call);
    }
    if (script_is_name(parser, "assert")) {
        script_next(parser);
        struct cdm_expr *condition = script_expr(parser);
        struct cdm_expr *message = script_take(parser, ',') ? script_expr(parser) : NULL;
        return (struct script_outcome){script_assertion(parser, &where, condition, message), true};
    }
    return name_statement(parser);
}

/* Statements of all open blocks, on one stack: each block owns the part above where it began. */

static void push_stmt(struct script_parser *parser, struct cdm_stmt *stmt)
{
    parser->stmts = cdm_arena_grow(parser->arena, parser->stmts, parser->n_stmts,
                                   &parser->max_stmts, sizeof *parser->stmts);
    parser->stmts[parser->n_stmts++] = stmt;
}

/* Takes the statements from `first` on off the stack and makes one of them. */
static struct cdm_stmt *pop_seq(struct script_parser *parser, size_t first)
{
    size_t n = parser->n_stmts - first;
    struct cdm_stmt *seq =
        cdm_stmt_seq(&parser->builder, n ? parser->stmts + first : NULL, (int32_t)n);
    parser->n_stmts = first;
    return seq;
}

static void open_scope(struct script_parser *parser, struct cdm_stmt *stmt)
{
    script_enter(parser);
    if (parser->status)
        return;
    push_stmt(parser, stmt);
    parser->open[parser->n_open++] = parser->n_stmts;
}

/* Gives the open statements above `n_open` their bodies, innermost first. */
static void close_scopes(struct script_parser *parser, int n_open)
{
    while (parser->n_open > n_open) {
        size_t first = parser->open[--parser->n_open];
        struct cdm_stmt *body = pop_seq(parser, first);
        parser->stmts[first - 1]->body = body;
        script_leave(parser);
    }
}

/* One statement with its line's end. */
static void parse_line(struct script_parser *parser, int indent)
{
    char what[64];

    script_next(parser);
    struct script_outcome outcome = parse_statement(parser, indent);
    const struct cdm_token *token = script_token(parser);
    if (parser->status)
        return;
    if (token->kind != TOKEN_LINE && token->kind != TOKEN_END) {
        script_fail(parser, token, "the line should end before %s",
                    cdm_token_describe(token, what, sizeof what));
        return;
    }
    if (outcome.stmt && outcome.open)
        open_scope(parser, outcome.stmt);
    else if (outcome.stmt)
        push_stmt(parser, outcome.stmt);
}

/* The indented lines after a colon, deeper than `outer`. Ends before the first line that is not. */
struct cdm_stmt *script_body(struct script_parser *parser, int outer)
{
    size_t scope = script_scope(parser);
    size_t first = parser->n_stmts;
    int n_open = parser->n_open;
    int indent = script_token(parser)->indent;
    struct script_block *block = parser->block;

    parser->block = parser->next_block;
    parser->next_block = NULL;
    script_enter(parser);
    if (script_token(parser)->kind != TOKEN_LINE || indent <= outer)
        script_fail(parser, script_token(parser), "an indented block is expected");
    while (!parser->status && script_token(parser)->kind == TOKEN_LINE &&
           script_token(parser)->indent >= indent) {
        if (script_token(parser)->indent > indent) {
            script_fail(parser, script_token(parser),
                        "this line is indented deeper than its block");
            break;
        }
        parse_line(parser, indent);
    }
    close_scopes(parser, n_open);
    struct cdm_stmt *body = pop_seq(parser, first);
    script_leave(parser);
    script_end_scope(parser, scope);
    parser->block = block;
    return body;
}
