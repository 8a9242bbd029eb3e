/* Declarations and scope statements of TVMScript: buffers, allocations, realizes, threads,
 * attributes, let.
 *
 * Statements whose scope is "the rest of the block" are printed without indentation when nothing
 * follows them, and with `with` when something does. Both build the same nesting. */
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

struct cdm_stmt *script_stmt(struct script_parser *parser, enum cdm_stmt_kind kind,
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

struct cdm_type script_type_name(struct script_parser *parser, const struct cdm_token *name)
{
    struct cdm_view type = {"", 0};
    char what[64];

    if (name->kind == TOKEN_NAME)
        type = script_callee(name->text);
    if (!type.length)
        script_fail(parser, name, "a type such as T.int32 is expected, not %s",
                    cdm_token_describe(name, what, sizeof what));
    return cdm_type_parse(&parser->builder, type);
}

const char *script_text_of(const struct cdm_expr *expr)
{
    return expr && expr->kind == EXPR_STRING ? expr->text : NULL;
}

/* The variable that data=VARIABLE names, such as a parameter; NULL for anything else. All buffers
 * of one variable share its storage. */
static struct script_symbol *storage_variable(struct script_parser *parser,
                                              const struct cdm_expr *data)
{
    if (!data || data->kind != EXPR_VAR)
        return NULL;
    struct cdm_view name = cdm_view_of(data->var->name);
    struct script_symbol *symbol = script_symbol(parser, name, cdm_name_hash(name));
    bool found = symbol->binding.kind == BINDING_VAR && symbol->binding.var == data->var;
    return found ? symbol : NULL;
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

    struct script_symbol *storage = storage_variable(parser, data);
    struct cdm_buffer *base = storage                             ? storage->binding.buffer
                              : data && data->kind == EXPR_BUFFER ? data->buffer
                                                                  : NULL;
    if (base && cdm_type_equal(type, base->type) && shape->n_args == base->n_dims && !strides) {
        /* A declaration that says again what the allocation said is the allocation. */
        bool same = true;
        for (int32_t i = 0; i < base->n_dims; i++)
            same &= cdm_expr_equal(shape->args[i], base->shape[i]);
        if (same)
            return base;
    }
    struct cdm_buffer *buffer = cdm_build_buffer(&parser->builder, name->text, type, shape->args,
                                                 shape->n_args, script_text_of(scope));
    if (base) {
        cdm_buffer_alias(buffer, base);
    } else if (storage) {
        storage->binding.buffer = buffer;
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

struct cdm_annotation *script_annotations(struct script_parser *parser, const struct cdm_expr *dict,
                                          int32_t *n)
{
    *n = 0;
    if (!dict || dict->kind != EXPR_DICT)
        return NULL;
    struct cdm_annotation *annotations =
        cdm_arena_array(parser->arena, (size_t)dict->n_args / 2 + 1, sizeof *annotations);
    for (int32_t i = 0; i + 1 < dict->n_args; i += 2) {
        const char *key = script_text_of(dict->args[i]);
        if (key)
            annotations[(*n)++] = (struct cdm_annotation){key, dict->args[i + 1]};
    }
    return annotations;
}

/* An open loop over one GPU axis. `name` is the variable (or the new name), NULL for none. */
static struct cdm_stmt *thread_loop(struct script_parser *parser, const struct cdm_token *where,
                                    const char *tag, struct cdm_var *var, struct cdm_expr *extent)
{
    struct cdm_stmt *loop = script_stmt(parser, STMT_LOOP, where);

    loop->loop_kind = cdm_tag_is_vthread(tag) ? LOOP_VTHREAD : LOOP_THREAD;
    loop->is_attr = true;
    loop->thread_tag = tag;
    loop->var = var;
    loop->min = cdm_expr_int(&parser->builder, 0, cdm_type_int32());
    loop->extent = extent;
    return loop;
}

/* The variable of `name = T.launch_thread("tag", ...)`. Inside the loop of an axis of that name and
 * tag it is that one again: the way the canonical text says it. */
static struct cdm_var *named_axis(struct script_parser *parser, const struct cdm_token *name,
                                  struct cdm_view text, const char *tag)
{
    if (!name)
        return cdm_build_var(&parser->builder, text, cdm_type_int32());
    struct script_symbol *symbol = script_symbol(parser, name->text, name->hash);
    struct script_binding binding = symbol->binding;
    if (binding.kind == BINDING_VAR && binding.thread_tag && !strcmp(binding.thread_tag, tag))
        return binding.var;
    binding = (struct script_binding){
        .kind = BINDING_VAR,
        .var = cdm_build_var(&parser->builder, name->text, cdm_type_int32()),
        .thread_tag = tag};
    script_bind(parser, symbol, binding);
    return binding.var;
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
        struct cdm_view text = script_string(parser, &axis);
        const char *tag = cdm_arena_text(parser->arena, text.data, text.length);
        return thread_loop(parser, where, tag, named_axis(parser, name, text, tag), extent);
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
    const char *key = script_text_of(script_positional(args, 1));
    struct cdm_expr *value = script_positional(args, 2);

    if (!node || !key || !value) {
        script_fail(parser, where, "T.attr needs a node, a key in quotes and a value");
        return script_stmt(parser, STMT_ATTR, where);
    }
    struct cdm_stmt *stmt = script_stmt(parser, STMT_ATTR, where);
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
    struct cdm_stmt *stmt = script_stmt(parser, STMT_REALIZE, where);

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
        range->args[1] = cdm_expr_int(&parser->builder, 1, bounds.items[i]->type);
        bounds.items[i] = range;
    }
    stmt->indices = bounds.items;
    stmt->n_indices = bounds.n;
    const char *scope = script_text_of(script_positional(&rest, 0));
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
    struct cdm_stmt *stmt = script_stmt(parser, STMT_ALLOCATE, where);
    struct cdm_expr *shape = script_positional(args, 0);

    if (!name || !shape || shape->kind != EXPR_LIST || shape->n_args > CDM_MAX_DIMS) {
        script_fail(parser, where, "T.allocate needs a name and a list of at most %d extents",
                    CDM_MAX_DIMS);
        return stmt;
    }
    stmt->buffer = cdm_build_buffer(&parser->builder, name->text,
                                    type_argument(parser, script_positional(args, 1)), shape->args,
                                    shape->n_args, script_text_of(script_positional(args, 2)));
    stmt->condition = script_positional(args, 3);
    if (!stmt->condition)
        stmt->condition = script_keyword(args, "condition");
    stmt->annotations =
        script_annotations(parser, script_keyword(args, "annotations"), &stmt->n_annotations);
    script_bind_buffer(parser, name, stmt->buffer);
    return stmt;
}

struct cdm_stmt *script_let(struct script_parser *parser, const struct cdm_token *where,
                            const struct cdm_token *name, struct cdm_type type,
                            struct cdm_expr *value)
{
    struct cdm_stmt *stmt = script_stmt(parser, STMT_LET, where);

    stmt->var = cdm_build_var(&parser->builder, name->text, type);
    stmt->value = value;
    script_bind_var(parser, name, stmt->var);
    return stmt;
}

struct cdm_stmt *script_assertion(struct script_parser *parser, const struct cdm_token *where,
                                  struct cdm_expr *condition, struct cdm_expr *message)
{
    struct cdm_stmt *stmt = script_stmt(parser, STMT_ASSERT, where);

    stmt->condition = condition ? condition : script_placeholder(parser);
    stmt->value = message;
    return stmt;
}

struct script_outcome script_evaluate(struct script_parser *parser, const struct cdm_token *where,
                                      struct cdm_expr *value)
{
    struct cdm_stmt *stmt = script_stmt(parser, STMT_EVALUATE, where);
    stmt->value = value;
    return (struct script_outcome){stmt, false};
}

static void declare_buffer(struct script_parser *parser, const struct cdm_token *name,
                           const struct script_list *args, bool matches_param)
{
    struct cdm_buffer *buffer = script_buffer(parser, name, args, matches_param ? 1 : 0);
    struct cdm_expr *handle = matches_param ? script_positional(args, 0) : NULL;
    struct cdm_program *program = parser->builder.program;

    if (handle && handle->kind == EXPR_LOAD)
        script_match(parser, buffer, handle);
    struct cdm_buffer *before = handle && handle->kind == EXPR_BUFFER ? handle->buffer : NULL;
    const struct script_symbol *symbol = storage_variable(parser, handle);
    if (symbol && symbol->binding.is_param) {
        struct cdm_param *param = &program->params[symbol->binding.param];
        before = param->buffer;
        if (!before) {
            param->buffer = buffer;
            buffer->param = symbol->binding.param;
        }
    }
    if (before) /* another view of what was matched before */
        cdm_buffer_alias(buffer, before);
    script_bind_buffer(parser, name, buffer);
}

/* n = T.int32(), the later form of n = T.var("int32"). */
static bool declares_variable(struct script_parser *parser, struct cdm_view call,
                              const struct cdm_expr *value)
{
    struct cdm_type type = cdm_type_parse(&parser->builder, call);

    if (value->kind != EXPR_CALL || (value->n_args && value->args[0]->kind != EXPR_KEYWORD))
        return false;
    return type.code != TYPE_HANDLE || !type.name;
}

/* Calls that stand alone, after `name =`, or in a `with`, when their arguments are read. */

struct call {
    const struct cdm_token *callee;
    const struct cdm_token *name; /* NULL: none */
    struct script_list args;
};

static struct script_outcome open_scope(struct cdm_stmt *stmt)
{
    return (struct script_outcome){stmt, stmt != NULL};
}

static struct script_outcome declaration(void)
{
    return (struct script_outcome){NULL, false};
}

static struct script_outcome call_attr(struct script_parser *parser, const struct call *call)
{
    return open_scope(attr(parser, call->callee, &call->args));
}

static struct script_outcome call_allocate(struct script_parser *parser, const struct call *call)
{
    return open_scope(allocate(parser, call->callee, call->name, &call->args));
}

/* with T.let(v, e): the variable was met as a free one. */
static struct script_outcome call_let(struct script_parser *parser, const struct call *call)
{
    struct cdm_expr *var = script_positional(&call->args, 0);
    struct cdm_expr *value = script_positional(&call->args, 1);

    if (!var || var->kind != EXPR_VAR || !value) {
        script_fail(parser, call->callee, "T.let needs a variable and a value");
        return declaration();
    }
    struct cdm_stmt *stmt = script_stmt(parser, STMT_LET, call->callee);
    stmt->var = var->var;
    stmt->value = value;
    return open_scope(stmt);
}

static struct script_outcome call_let_stmt(struct script_parser *parser, const struct call *call)
{
    struct cdm_expr *value = script_positional(&call->args, 0);
    struct cdm_expr *type = script_positional(&call->args, 1);

    if (!call->name || !value) {
        script_fail(parser, call->callee, "T.LetStmt needs a value and `as` a name");
        return declaration();
    }
    return open_scope(script_let(parser, call->callee, call->name,
                                 script_text_of(type) ? type_argument(parser, type) : value->type,
                                 value));
}

static struct script_outcome call_assert(struct script_parser *parser, const struct call *call)
{
    return open_scope(script_assertion(parser, call->callee, script_positional(&call->args, 0),
                                       script_positional(&call->args, 1)));
}

/* x = T.alloc_buffer(shape, "type", scope=...): of the block, or for the rest of the scope. */
static struct script_outcome call_alloc_buffer(struct script_parser *parser,
                                               const struct call *call)
{
    if (!call->name) {
        script_fail(parser, call->callee, "an allocated buffer needs a name");
        return declaration();
    }
    struct cdm_buffer *buffer = script_buffer(parser, call->name, &call->args, 0);
    struct cdm_view path = script_callee(call->callee->text);
    if (cdm_view_is(path, "alloc_local"))
        buffer->scope = "local";
    else if (cdm_view_is(path, "alloc_shared"))
        buffer->scope = "shared";
    script_bind_buffer(parser, call->name, buffer);
    if (parser->block) {
        struct cdm_block *block = &parser->block->block;
        block->allocs = cdm_arena_grow(parser->arena, block->allocs, (size_t)block->n_allocs,
                                       &parser->block->max_allocs, sizeof(struct cdm_buffer *));
        block->allocs[block->n_allocs++] = buffer;
        return declaration();
    }
    struct cdm_stmt *stmt = script_stmt(parser, STMT_ALLOCATE, call->callee);
    stmt->buffer = buffer;
    return open_scope(stmt);
}

static struct script_outcome call_env_thread(struct script_parser *parser, const struct call *call)
{
    const char *tag = script_text_of(script_positional(&call->args, 0));

    if (call->name && tag)
        script_bind(parser, script_symbol(parser, call->name->text, call->name->hash),
                    (struct script_binding){.kind = BINDING_THREAD, .thread_tag = tag});
    return declaration();
}

static struct script_outcome call_var(struct script_parser *parser, const struct call *call)
{
    struct cdm_type type = type_argument(parser, script_positional(&call->args, 0));

    if (call->name)
        script_bind_var(parser, call->name,
                        cdm_build_var(&parser->builder, call->name->text, type));
    return declaration();
}

static struct script_outcome call_buffer(struct script_parser *parser, const struct call *call)
{
    if (call->name)
        declare_buffer(parser, call->name, &call->args, false);
    return declaration();
}

static struct script_outcome call_match_buffer(struct script_parser *parser,
                                               const struct call *call)
{
    if (call->name)
        declare_buffer(parser, call->name, &call->args, true);
    return declaration();
}

/* The shape that a parameter had before it was made flat: the program does not need it. */
static struct script_outcome call_preflattened(struct script_parser *parser,
                                               const struct call *call)
{
    (void)parser;
    (void)call;
    return declaration();
}

static struct script_outcome call_func_attr(struct script_parser *parser, const struct call *call)
{
    struct cdm_program *program = parser->builder.program;

    program->attrs =
        script_annotations(parser, script_positional(&call->args, 0), &program->n_attrs);
    return declaration();
}

static struct script_outcome call_evaluate(struct script_parser *parser, const struct call *call)
{
    struct cdm_expr *value = script_positional(&call->args, 0);

    return value ? script_evaluate(parser, call->callee, value) : declaration();
}

static struct script_outcome call_where(struct script_parser *parser, const struct call *call)
{
    parser->block->block.predicate = script_positional(&call->args, 0);
    return declaration();
}

/* What a block reads and writes follows from its body. */
static struct script_outcome call_reads_writes(struct script_parser *parser,
                                               const struct call *call)
{
    (void)parser;
    (void)call;
    return declaration();
}

static struct script_outcome call_block_attr(struct script_parser *parser, const struct call *call)
{
    struct cdm_block *block = &parser->block->block;

    block->annotations =
        script_annotations(parser, script_positional(&call->args, 0), &block->n_annotations);
    return declaration();
}

enum {
    CALL_REGION = 1, /* subscripts in its arguments are regions */
    CALL_BLOCK = 2,  /* stands alone in a block; elsewhere the name has no meaning */
};

static const struct {
    const char *name;
    struct script_outcome (*take)(struct script_parser *parser, const struct call *call);
    int flags;
} calls[] = {
    {"attr", call_attr, 0},
    {"allocate", call_allocate, 0},
    {"alloc_buffer", call_alloc_buffer, 0},
    {"sblock_alloc_buffer", call_alloc_buffer, 0},
    {"alloc_local", call_alloc_buffer, 0},
    {"alloc_shared", call_alloc_buffer, 0},
    {"let", call_let, 0},
    {"LetStmt", call_let_stmt, 0},
    {"Assert", call_assert, 0},
    {"env_thread", call_env_thread, 0},
    {"var", call_var, 0},
    {"buffer_decl", call_buffer, 0},
    {"decl_buffer", call_buffer, 0},
    {"Buffer", call_buffer, 0},
    {"match_buffer", call_match_buffer, CALL_REGION},
    {"preflattened_buffer", call_preflattened, 0},
    {"func_attr", call_func_attr, 0},
    {"evaluate", call_evaluate, 0},
    {"where", call_where, CALL_BLOCK},
    {"reads", call_reads_writes, CALL_BLOCK | CALL_REGION},
    {"writes", call_reads_writes, CALL_BLOCK | CALL_REGION},
    {"block_attr", call_block_attr, CALL_BLOCK},
    {"sblock_attr", call_block_attr, CALL_BLOCK},
};

/* Any other call: its value is evaluated, or bound to the name. */
static struct script_outcome other_call(struct script_parser *parser,
                                        const struct cdm_token *callee,
                                        const struct cdm_token *name)
{
    struct cdm_view call = script_callee(callee->text);
    struct cdm_expr *value = script_call(parser, callee);

    if (!name)
        return script_evaluate(parser, callee, value);
    if (declares_variable(parser, call, value)) {
        struct cdm_type type = cdm_type_parse(&parser->builder, call);
        script_bind_var(parser, name, cdm_build_var(&parser->builder, name->text, type));
        return declaration();
    }
    return open_scope(script_let(parser, callee, name, value->type, value));
}

struct script_outcome script_call_statement(struct script_parser *parser,
                                            const struct cdm_token *callee,
                                            const struct cdm_token *name)
{
    struct cdm_view path = script_callee(callee->text);
    struct call call = {.callee = callee, .name = name};

    /* These two read their first argument themselves: it is no value. */
    if (cdm_view_is(path, "launch_thread")) {
        script_expect(parser, '(');
        return open_scope(launch_thread(parser, callee, name));
    }
    if (cdm_view_is(path, "realize")) {
        script_expect(parser, '(');
        return open_scope(realize(parser, callee));
    }
    for (size_t i = 0; i < sizeof calls / sizeof *calls; i++) {
        if (!cdm_view_is(path, calls[i].name))
            continue;
        if ((calls[i].flags & CALL_BLOCK) && (!parser->block || name))
            break;
        script_expect(parser, '(');
        parser->in_region = calls[i].flags & CALL_REGION;
        script_args(parser, ')', &call.args);
        parser->in_region = false;
        return parser->status ? declaration() : calls[i].take(parser, &call);
    }
    return other_call(parser, callee, name);
}

bool script_view(struct script_parser *parser, const struct cdm_token *callee,
                 const struct cdm_token *name)
{
    struct script_list args = {0}, shape = {0};
    struct cdm_view method;
    struct cdm_buffer *source = script_buffer_of_path(parser, callee->text, &method);

    if (!source || !(cdm_view_is(method, "view") || cdm_view_is(method, "local")))
        return false;
    script_expect(parser, '(');
    script_args(parser, ')', &args);
    for (int32_t i = 0; i < args.n; i++)
        if (args.items[i]->kind != EXPR_KEYWORD && args.items[i]->kind != EXPR_STRING)
            script_list_add(parser, &shape, args.items[i]);
    const char *type = script_text_of(script_positional(&args, 0));
    bool same_shape = !shape.n;
    if (shape.n > CDM_MAX_DIMS)
        script_fail(parser, callee, "a buffer has more than %d dimensions", CDM_MAX_DIMS);
    if (parser->status)
        return true;
    struct cdm_buffer *buffer = cdm_build_buffer(
        &parser->builder, name->text,
        type ? cdm_type_parse(&parser->builder, cdm_view_of(type)) : source->type,
        same_shape ? source->shape : shape.items, same_shape ? source->n_dims : shape.n, NULL);
    cdm_buffer_alias(buffer, source);
    script_bind_buffer(parser, name, buffer);
    return true;
}
