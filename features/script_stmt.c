/* Statements of TVMScript.
 *
 * Statements whose scope is "the rest of the block" (T.launch_thread, T.realize, T.attr,
 * T.allocate, let) are printed without indentation when nothing follows them, and with `with` when
 * something does. Both build the same nesting. */
#include "features/script.h"
#include "features/simplify.h"

#include <string.h>

void script_bind_var(struct script_parser *parser, const struct cdm_token *name,
                     struct cdm_var *var)
{
    script_bind(parser, script_symbol(parser, name->text, name->hash),
                (struct script_binding){.kind = BINDING_VAR, .var = var});
}

void script_bind_buffer(struct script_parser *parser, const struct cdm_token *name,
                        struct cdm_buffer *buffer)
{
    script_bind(parser, script_symbol(parser, name->text, name->hash),
                (struct script_binding){.kind = BINDING_BUFFER, .buffer = buffer});
}

/* Statements */

static struct cdm_stmt *new_stmt(struct script_parser *parser, enum cdm_stmt_kind kind,
                                 const struct cdm_token *where)
{
    return cdm_stmt_new(&parser->builder, kind, where->line, where->column);
}

static struct cdm_type type_argument(struct script_parser *parser, const struct cdm_expr *expr)
{
    if (!expr)
        return cdm_type_float32();
    return expr->kind == EXPR_STRING ? cdm_type_parse(&parser->builder, cdm_view_of(expr->text))
                                     : cdm_type_handle();
}

static const char *text_argument(const struct cdm_expr *expr)
{
    return expr && expr->kind == EXPR_STRING ? expr->text : NULL;
}

/* T.Buffer((n, m), "float32", ...), T.buffer_decl, T.match_buffer and T.decl_buffer share their
 * tail. */
struct cdm_buffer *script_buffer(struct script_parser *parser, const struct cdm_token *name,
                                 const struct script_list *args, int32_t first)
{
    struct cdm_expr *shape = script_positional(args, first);
    struct cdm_expr *dtype = script_keyword(args, "dtype");
    struct cdm_expr *scope = script_keyword(args, "scope");
    struct cdm_expr *strides = script_keyword(args, "strides");
    struct cdm_expr *offset = script_keyword(args, "elem_offset");
    struct cdm_expr *data = script_keyword(args, "data");
    int64_t number;

    if (!shape)
        shape = script_keyword(args, "shape");
    if (!shape) {
        script_fail(parser, name, "the buffer '%.*s' has no shape", (int)name->text.length,
                    name->text.data);
        shape = script_placeholder(parser);
    }
    if (shape->kind != EXPR_LIST) {
        struct script_list one = {0};
        script_list_add(parser, &one, shape);
        shape = script_from_list(parser, EXPR_LIST, cdm_type_handle(), &one);
    }
    if (shape->n_args > CDM_MAX_DIMS)
        script_fail(parser, name, "a buffer has more than %d dimensions", CDM_MAX_DIMS);
    if (!dtype)
        dtype = script_positional(args, first + 1);
    struct cdm_type type = type_argument(parser, dtype);

    struct cdm_buffer *base = data && data->kind == EXPR_BUFFER ? data->buffer : NULL;
    if (base && cdm_type_equal(type, base->type) && shape->n_args == base->n_dims && !strides) {
        /* A declaration that says again what the allocation said is the allocation. */
        bool same = true;
        for (int32_t i = 0; i < base->n_dims; i++)
            same &= cdm_expr_equal(shape->args[i], base->shape[i]);
        if (same)
            return base;
    }
    struct cdm_buffer *buffer = cdm_build_buffer(&parser->builder, name->text, type, shape->args,
                                                 shape->n_args, text_argument(scope));
    if (base) {
        buffer->base = base->base;
        buffer->scope = base->scope;
    }
    if (strides && strides->kind == EXPR_LIST && strides->n_args == buffer->n_dims)
        buffer->strides = strides->args;
    buffer->elem_offset = offset;
    if (cdm_expr_is_int(script_keyword(args, "align"), &number) && number == (int32_t)number)
        buffer->align = (int32_t)number;
    if (cdm_expr_is_int(script_keyword(args, "offset_factor"), &number) &&
        number == (int32_t)number)
        buffer->offset_factor = (int32_t)number;
    return buffer;
}

static struct cdm_annotation *annotations_of(struct script_parser *parser,
                                             const struct cdm_expr *dict, int32_t *n)
{
    *n = 0;
    if (!dict || dict->kind != EXPR_DICT)
        return NULL;
    struct cdm_annotation *annotations =
        cdm_arena_array(parser->arena, (size_t)dict->n_args / 2 + 1, sizeof *annotations);
    for (int32_t i = 0; i + 1 < dict->n_args; i += 2) {
        const char *key = text_argument(dict->args[i]);
        if (key)
            annotations[(*n)++] = (struct cdm_annotation){key, dict->args[i + 1]};
    }
    return annotations;
}

/* An open loop over one GPU axis. `name` is the variable (or the new name), NULL for none. */
static struct cdm_stmt *thread_loop(struct script_parser *parser, const struct cdm_token *where,
                                    const char *tag, struct cdm_var *var, struct cdm_expr *extent)
{
    struct cdm_stmt *loop = new_stmt(parser, STMT_LOOP, where);

    loop->loop_kind = cdm_tag_is_vthread(tag) ? LOOP_VTHREAD : LOOP_THREAD;
    loop->is_attr = true;
    loop->thread_tag = tag;
    loop->var = var;
    loop->min = cdm_expr_int(&parser->builder, 0, cdm_type_int32());
    loop->extent = extent;
    return loop;
}

/* T.launch_thread(VAR or "tag", extent) */
static struct cdm_stmt *launch_thread(struct script_parser *parser, const struct cdm_token *where,
                                      const struct cdm_token *name)
{
    struct cdm_token axis = *script_token(parser);
    struct script_list args = {0};

    script_next(parser);
    script_expect(parser, ',');
    script_args(parser, ')', &args);
    struct cdm_expr *extent = script_positional(&args, 0);
    if (!extent) {
        script_fail(parser, where, "T.launch_thread needs an extent");
        extent = script_placeholder(parser);
    }
    if (axis.kind == TOKEN_STRING) {
        const char *tag = cdm_arena_text(parser->arena, axis.text.data, axis.text.length);
        struct cdm_view text = name ? name->text : axis.text;
        struct cdm_var *var = cdm_build_var(&parser->builder, text, cdm_type_int32());
        if (name)
            script_bind_var(parser, name, var);
        return thread_loop(parser, where, tag, var, extent);
    }
    struct script_symbol *symbol =
        axis.kind == TOKEN_NAME ? script_symbol(parser, axis.text, axis.hash) : NULL;
    if (!symbol || !symbol->binding.thread_tag) {
        script_fail(parser, &axis, "T.launch_thread needs a variable made by T.env_thread");
        return thread_loop(parser, where, "",
                           cdm_build_var(&parser->builder, cdm_view_of(""), cdm_type_int32()),
                           extent);
    }
    struct script_binding binding = symbol->binding;
    /* The same variable launched again inside its own loop is one variable. */
    if (binding.kind != BINDING_VAR) {
        binding.kind = BINDING_VAR;
        binding.var = cdm_build_var(&parser->builder, axis.text, cdm_type_int32());
        script_bind(parser, symbol, binding);
    }
    return thread_loop(parser, where, binding.thread_tag, binding.var, extent);
}

/* T.attr(node, "key", value). A thread extent in this form is a loop too. */
static struct cdm_stmt *attr(struct script_parser *parser, const struct cdm_token *where,
                             const struct script_list *args)
{
    struct cdm_expr *node = script_positional(args, 0);
    const char *key = text_argument(script_positional(args, 1));
    struct cdm_expr *value = script_positional(args, 2);

    if (!node || !key || !value) {
        script_fail(parser, where, "T.attr needs a node, a key in quotes and a value");
        return new_stmt(parser, STMT_ATTR, where);
    }
    struct cdm_stmt *stmt = new_stmt(parser, STMT_ATTR, where);
    stmt->node = node;
    stmt->key = key;
    stmt->value = value;
    return stmt;
}

/* T.realize(buffer[a:b, ...], "scope"[, condition]) */
static struct cdm_stmt *realize(struct script_parser *parser, const struct cdm_token *where)
{
    struct script_list rest = {0}, bounds = {0};
    struct cdm_token name = *script_token(parser);
    struct cdm_stmt *stmt = new_stmt(parser, STMT_REALIZE, where);

    if (name.kind != TOKEN_NAME) {
        script_fail(parser, &name, "T.realize needs a buffer region");
        return stmt;
    }
    struct script_symbol *symbol = script_symbol(parser, name.text, name.hash);
    script_next(parser);
    if (symbol->binding.kind != BINDING_BUFFER) {
        script_fail(parser, &name, "'%.*s' is realized but no buffer of that name is declared",
                    (int)name.text.length, name.text.data);
        return stmt;
    }
    parser->in_region = true;
    script_subscript(parser, &bounds);
    parser->in_region = false;
    if (script_take(parser, ','))
        script_args(parser, ')', &rest);
    else
        script_expect(parser, ')');
    stmt->buffer = symbol->binding.buffer;
    for (int32_t i = 0; i < bounds.n; i++) {
        if (bounds.items[i]->kind == EXPR_RANGE)
            continue;
        struct cdm_expr *range =
            cdm_expr_new(&parser->builder, EXPR_RANGE, bounds.items[i]->type, 2);
        range->args[0] = bounds.items[i];
        range->args[1] = cdm_expr_int(&parser->builder, 1, cdm_type_int32());
        bounds.items[i] = range;
    }
    stmt->indices = bounds.items;
    stmt->n_indices = bounds.n;
    const char *scope = text_argument(script_positional(&rest, 0));
    if (scope && *scope)
        stmt->buffer->scope = scope;
    stmt->condition = script_positional(&rest, 1);
    parser->has_realize = true;
    return stmt;
}

/* x = T.allocate([extents], "type", "scope"[, condition][, annotations=]) */
static struct cdm_stmt *allocate(struct script_parser *parser, const struct cdm_token *where,
                                 const struct cdm_token *name, const struct script_list *args)
{
    struct cdm_stmt *stmt = new_stmt(parser, STMT_ALLOCATE, where);
    struct cdm_expr *shape = script_positional(args, 0);

    if (!name || !shape || shape->kind != EXPR_LIST || shape->n_args > CDM_MAX_DIMS) {
        script_fail(parser, where, "T.allocate needs a name and a list of at most %d extents",
                    CDM_MAX_DIMS);
        return stmt;
    }
    stmt->buffer = cdm_build_buffer(&parser->builder, name->text,
                                    type_argument(parser, script_positional(args, 1)), shape->args,
                                    shape->n_args, text_argument(script_positional(args, 2)));
    stmt->condition = script_positional(args, 3);
    if (!stmt->condition)
        stmt->condition = script_keyword(args, "condition");
    stmt->annotations =
        annotations_of(parser, script_keyword(args, "annotations"), &stmt->n_annotations);
    script_bind_buffer(parser, name, stmt->buffer);
    return stmt;
}

static struct cdm_stmt *let(struct script_parser *parser, const struct cdm_token *where,
                            const struct cdm_token *name, struct cdm_type type,
                            struct cdm_expr *value)
{
    struct cdm_stmt *stmt = new_stmt(parser, STMT_LET, where);

    stmt->var = cdm_build_var(&parser->builder, name->text, type);
    stmt->value = value;
    script_bind_var(parser, name, stmt->var);
    return stmt;
}

static struct cdm_stmt *assertion(struct script_parser *parser, const struct cdm_token *where,
                                  struct cdm_expr *condition, struct cdm_expr *message)
{
    struct cdm_stmt *stmt = new_stmt(parser, STMT_ASSERT, where);

    stmt->condition = condition ? condition : script_placeholder(parser);
    stmt->value = message;
    return stmt;
}

/* What a statement did. */
struct outcome {
    struct cdm_stmt *stmt; /* NULL: a declaration */
    bool open;             /* its body is the rest of the block (or of the `with`) */
};

static struct outcome evaluate(struct script_parser *parser, const struct cdm_token *where,
                               struct cdm_expr *value)
{
    struct cdm_stmt *stmt = new_stmt(parser, STMT_EVALUATE, where);
    stmt->value = value;
    return (struct outcome){stmt, false};
}

static void declare_buffer(struct script_parser *parser, const struct cdm_token *name,
                           const struct script_list *args, bool matches_param)
{
    struct cdm_buffer *buffer = script_buffer(parser, name, args, matches_param ? 1 : 0);
    struct cdm_expr *handle = matches_param ? script_positional(args, 0) : NULL;
    struct cdm_program *program = parser->builder.program;

    for (int32_t i = 0; handle && handle->kind == EXPR_VAR && i < program->n_params; i++) {
        if (program->params[i].var == handle->var) {
            program->params[i].buffer = buffer;
            buffer->param = i;
        }
    }
    script_bind_buffer(parser, name, buffer);
}

static const char *const block_calls[] = {"block", "sblock"};

/* Calls that stand alone, after `name =`, or in a `with`. The current token is '('. */
static struct outcome call_statement(struct script_parser *parser, const struct cdm_token *callee,
                                     const struct cdm_token *name)
{
    struct cdm_view call = script_callee(callee->text);
    struct script_list args = {0};
    struct cdm_stmt *stmt = NULL;

    if (cdm_view_is(call, "launch_thread")) {
        script_expect(parser, '(');
        return (struct outcome){launch_thread(parser, callee, name), true};
    }
    if (cdm_view_is(call, "realize")) {
        script_expect(parser, '(');
        return (struct outcome){realize(parser, callee), true};
    }
    for (size_t i = 0; i < sizeof block_calls / sizeof *block_calls; i++)
        if (cdm_view_is(call, block_calls[i])) {
            script_fail(parser, callee,
                        "this program is scheduled but not lowered (it has T.%.*s): print it after "
                        "lowering",
                        (int)call.length, call.data);
            return (struct outcome){NULL, false};
        }
    static const char *const others[] = {
        "attr",      "allocate",    "let",         "LetStmt", "Assert",       "env_thread",
        "var",       "buffer_decl", "decl_buffer", "Buffer",  "match_buffer", "preflattened_buffer",
        "func_attr", "evaluate"};
    size_t which = 0;
    while (which < sizeof others / sizeof *others && !cdm_view_is(call, others[which]))
        which++;
    if (which == sizeof others / sizeof *others) {
        struct cdm_expr *value = script_call(parser, callee);
        if (name)
            return (struct outcome){let(parser, callee, name, value->type, value), true};
        return evaluate(parser, callee, value);
    }
    script_expect(parser, '(');
    script_args(parser, ')', &args);
    if (parser->status)
        return (struct outcome){NULL, false};
    struct cdm_expr *first = script_positional(&args, 0);
    struct cdm_expr *second = script_positional(&args, 1);
    switch (which) {
    case 0:
        stmt = attr(parser, callee, &args);
        break;
    case 1:
        stmt = allocate(parser, callee, name, &args);
        break;
    case 2: /* with T.let(v, e): the variable was met as a free one */
        if (!first || first->kind != EXPR_VAR || !second) {
            script_fail(parser, callee, "T.let needs a variable and a value");
            break;
        }
        stmt = new_stmt(parser, STMT_LET, callee);
        stmt->var = first->var;
        stmt->value = second;
        break;
    case 3:
        if (name && first)
            stmt = let(parser, callee, name, first->type, first);
        else
            script_fail(parser, callee, "T.LetStmt needs a value and `as` a name");
        break;
    case 4:
        stmt = assertion(parser, callee, first, second);
        break;
    case 5:
        if (name && text_argument(first))
            script_bind(parser, script_symbol(parser, name->text, name->hash),
                        (struct script_binding){.kind = BINDING_THREAD, .thread_tag = first->text});
        break;
    case 6:
        if (name)
            script_bind_var(
                parser, name,
                cdm_build_var(&parser->builder, name->text, type_argument(parser, first)));
        break;
    case 7:
    case 8:
    case 9:
        if (name)
            declare_buffer(parser, name, &args, false);
        break;
    case 10:
        if (name)
            declare_buffer(parser, name, &args, true);
        break;
    case 11: /* the shape that a parameter had before it was made flat: not needed */
        break;
    case 12: {
        struct cdm_program *program = parser->builder.program;
        program->attrs = annotations_of(parser, first, &program->n_attrs);
        break;
    }
    default:
        if (first)
            return evaluate(parser, callee, first);
        break;
    }
    return (struct outcome){stmt, stmt != NULL};
}

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
    const char *tag = text_argument(script_keyword(args, "thread"));
    if (!min || (grid && args->n != n_names) || (!grid && n_names != 1) ||
        (kind == LOOP_THREAD && !tag)) {
        script_fail(parser, callee, "the loop's variables do not fit its extents");
        return NULL;
    }
    for (int i = 0; i < n_names; i++) {
        struct cdm_stmt *loop = new_stmt(parser, STMT_LOOP, where);
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
            annotations_of(parser, script_keyword(args, "annotations"), &loop->n_annotations);
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
    if (!script_is_name(parser, "in"))
        script_fail(parser, script_token(parser), "'in' is expected");
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
           cdm_view_is(call, "LetStmt");
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
    if (!parser->status)
        parser->lexer = before;
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
    if (names_its_result(script_callee(callee.text)))
        name = name_after_call(parser);
    if (parser->status)
        return NULL;
    struct outcome outcome = call_statement(parser, &callee, name.text.length ? &name : NULL);
    if (script_is_name(parser, "as")) {
        script_next(parser);
        script_next(parser);
    }
    script_expect(parser, ':');
    struct cdm_stmt *body = script_body(parser, indent);
    script_end_scope(parser, scope);
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
    struct cdm_stmt *stmt = new_stmt(parser, STMT_IF, script_token(parser));

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
        parser->lexer = before;
    }
    return stmt;
}

static struct cdm_stmt *while_statement(struct script_parser *parser, int indent)
{
    struct cdm_stmt *stmt = new_stmt(parser, STMT_WHILE, script_token(parser));

    script_next(parser);
    stmt->condition = script_expr(parser);
    script_expect(parser, ':');
    stmt->body = script_body(parser, indent);
    return stmt;
}

/* BUFFER[indices] = value; the current token is '['. */
static struct outcome store_statement(struct script_parser *parser, const struct cdm_token *name)
{
    struct script_symbol *symbol = script_symbol(parser, name->text, name->hash);
    struct cdm_stmt *stmt = new_stmt(parser, STMT_STORE, name);
    struct script_list indices = {0};

    if (symbol->binding.kind != BINDING_BUFFER) {
        script_fail(parser, name, "'%.*s' is stored to but no buffer of that name is declared",
                    (int)name->text.length, name->text.data);
        return (struct outcome){NULL, false};
    }
    stmt->buffer = symbol->binding.buffer;
    script_subscript(parser, &indices);
    script_expect(parser, '=');
    stmt->condition = script_take_predicate(&indices);
    stmt->indices = indices.items;
    stmt->n_indices = indices.n;
    stmt->value = script_expr(parser);
    return (struct outcome){stmt, false};
}

/* Statements that start with a name which is no keyword. */
static struct outcome name_statement(struct script_parser *parser)
{
    struct cdm_token name = *script_token(parser);

    script_next(parser);
    if (script_is(parser, '['))
        return store_statement(parser, &name);
    if (script_is(parser, '('))
        return call_statement(parser, &name, NULL);
    if (script_take(parser, ':')) {
        /* v: T.int32 = e, v: T.let[T.int32] = e */
        struct cdm_token type = *script_token(parser);
        script_next(parser);
        if (script_is(parser, '[')) {
            script_next(parser);
            type = *script_token(parser);
            script_next(parser);
            script_expect(parser, ']');
        }
        script_expect(parser, '=');
        struct cdm_expr *value = script_expr(parser);
        struct cdm_type declared = cdm_type_parse(&parser->builder, script_callee(type.text));
        return (struct outcome){let(parser, &name, &name, declared, value), true};
    }
    if (script_take(parser, '=')) {
        struct cdm_token callee = *script_token(parser);
        if (callee.kind == TOKEN_NAME && script_callee(callee.text).length) {
            script_next(parser);
            if (script_is(parser, '('))
                return call_statement(parser, &callee, &name);
        }
        script_fail(parser, &callee, "what is assigned to '%.*s' is not understood",
                    (int)name.text.length, name.text.data);
        return (struct outcome){NULL, false};
    }
    char what[64];
    script_fail(parser, &name, "a statement cannot start with %s",
                cdm_token_describe(&name, what, sizeof what));
    return (struct outcome){NULL, false};
}

static struct outcome parse_statement(struct script_parser *parser, int indent)
{
    struct cdm_token where = *script_token(parser);
    char what[64];

    if (where.kind != TOKEN_NAME) {
        script_fail(parser, &where, "a statement cannot start with %s",
                    cdm_token_describe(&where, what, sizeof what));
        return (struct outcome){NULL, false};
    }
    if (script_is_name(parser, "for"))
        return (struct outcome){for_statement(parser, indent), false};
    if (script_is_name(parser, "with"))
        return (struct outcome){with_statement(parser, indent), false};
    if (script_is_name(parser, "if"))
        return (struct outcome){if_statement(parser, indent), false};
    if (script_is_name(parser, "while"))
        return (struct outcome){while_statement(parser, indent), false};
    if (script_is_name(parser, "pass")) {
        script_next(parser);
        return (struct outcome){NULL, false};
    }
    if (script_is_name(parser, "return")) {
        script_next(parser);
        if (script_token(parser)->kind == TOKEN_LINE || script_token(parser)->kind == TOKEN_END)
            return (struct outcome){NULL, false};
        struct cdm_expr *value = script_expr(parser);
        struct cdm_expr *call = cdm_expr_new(&parser->builder, EXPR_CALL, value->type, 1);
        call->text = "ret";
        call->args[0] = value;
        return evaluate(parser, &where, call);
    }
    if (script_is_name(parser, "assert")) {
        script_next(parser);
        struct cdm_expr *condition = script_expr(parser);
        struct cdm_expr *message = script_take(parser, ',') ? script_expr(parser) : NULL;
        return (struct outcome){assertion(parser, &where, condition, message), true};
    }
    return name_statement(parser);
}

/* Statements of all open blocks, on one stack: each block owns the part above where it began. */

static void push_stmt(struct script_parser *parser, struct cdm_stmt *stmt)
{
    if (parser->n_stmts == parser->max_stmts) {
        parser->max_stmts = parser->max_stmts ? parser->max_stmts * 2 : 64;
        struct cdm_stmt **larger =
            cdm_arena_array(parser->arena, parser->max_stmts, sizeof *larger);
        if (parser->n_stmts)
            memcpy(larger, parser->stmts, parser->n_stmts * sizeof *larger);
        parser->stmts = larger;
    }
    parser->stmts[parser->n_stmts++] = stmt;
}

/* Takes the statements from `first` on off the stack and makes one of them. */
static struct cdm_stmt *pop_seq(struct script_parser *parser, size_t first)
{
    struct cdm_stmt *seq =
        cdm_stmt_seq(&parser->builder, parser->stmts + first, (int32_t)(parser->n_stmts - first));
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
    struct outcome outcome = parse_statement(parser, indent);
    const struct cdm_token *token = script_token(parser);
    if (parser->status)
        return;
    if (token->kind != TOKEN_LINE && token->kind != TOKEN_END) {
        script_fail(parser, token, "the line should end before %s",
                    cdm_token_describe(token, what, sizeof what));
        return;
    }
    if (parser->builder.too_large)
        parser->status = cdm_build_check(&parser->builder, parser->err);
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

    script_enter(parser);
    if (script_token(parser)->kind != TOKEN_LINE || indent <= outer)
        script_fail(parser, script_token(parser), "an indented block is expected");
    while (script_token(parser)->kind == TOKEN_LINE && script_token(parser)->indent >= indent) {
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
    return body;
}
