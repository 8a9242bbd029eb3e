#include "features/script.h"
#include "features/simplify.h"

#include <string.h>

static struct cdm_expr *parse_binary(struct script_parser *parser, int level);
static struct cdm_expr *parse_unary(struct script_parser *parser);

/* What to return after a failure: any valid expression. */
struct cdm_expr *script_placeholder(struct script_parser *parser)
{
    return cdm_expr_int(&parser->builder, 0, cdm_type_int32());
}

/* A node was put on top of the expression whose height is parser->height and one of height `other`.
 * `a + b + c + ...` makes a tree as deep as it is long without any nesting in the text. */
static void grow(struct script_parser *parser, int other)
{
    if (parser->height < other)
        parser->height = other;
    if (++parser->height > CDM_MAX_DEPTH)
        script_fail(parser, script_token(parser), "expressions are nested deeper than %d",
                    CDM_MAX_DEPTH);
}

struct cdm_view script_string(struct script_parser *parser, const struct cdm_token *token)
{
    if (!token->escaped)
        return token->text;
    char *text = cdm_arena_alloc(parser->arena, token->text.length + 1);
    size_t length = cdm_token_unescape(token, text);
    return (struct cdm_view){text, length};
}

/* Lists */

void script_list_add(struct script_parser *parser, struct script_list *list, struct cdm_expr *expr)
{
    list->items = cdm_arena_grow(parser->arena, list->items, (size_t)list->n, &list->capacity,
                                 sizeof *list->items);
    list->items[list->n++] = expr;
}

struct cdm_expr *script_keyword(const struct script_list *list, const char *name)
{
    for (int32_t i = 0; i < list->n; i++)
        if (list->items[i]->kind == EXPR_KEYWORD && !strcmp(list->items[i]->text, name))
            return list->items[i]->args[0];
    return NULL;
}

struct cdm_expr *script_take_predicate(struct script_list *indices)
{
    if (!indices->n || indices->items[indices->n - 1]->kind != EXPR_KEYWORD)
        return NULL;
    return indices->items[--indices->n]->args[0];
}

struct cdm_expr *script_positional(const struct script_list *list, int32_t i)
{
    for (int32_t j = 0; j < list->n; j++)
        if (list->items[j]->kind != EXPR_KEYWORD && i-- == 0)
            return list->items[j];
    return NULL;
}

struct cdm_expr *script_from_list(struct script_parser *parser, enum cdm_expr_kind kind,
                                  struct cdm_type type, const struct script_list *list)
{
    struct cdm_expr *expr = cdm_expr_new(&parser->builder, kind, type, list->n);
    if (list->n)
        memcpy(expr->args, list->items, (size_t)list->n * sizeof *expr->args);
    return expr;
}

/* Names */

/* A name without a meaning: TVM prints some programs in which a variable is used before its loop.
 * It becomes a variable of its own, known until the function ends. A T.env_thread that was not
 * launched yet keeps its meaning for the launch beside it. */
static struct cdm_var *free_variable(struct script_parser *parser, struct script_symbol *symbol)
{
    struct script_binding *binding = &symbol->binding;

    if (!binding->var)
        binding->var = cdm_build_var(&parser->builder, symbol->name, cdm_type_int32());
    if (binding->kind == BINDING_NONE)
        binding->kind = BINDING_VAR;
    return binding->var;
}

struct cdm_buffer *script_buffer_of_path(struct script_parser *parser, struct cdm_view path,
                                         struct cdm_view *member)
{
    size_t length = path.length;
    while (length > 0 && path.data[length - 1] != '.')
        length--;
    *member = (struct cdm_view){path.data + length, path.length - length};
    if (length < 2)
        return NULL;
    struct cdm_view name = {path.data, length - 1};
    struct script_symbol *symbol = script_symbol(parser, name, cdm_name_hash(name));
    return symbol->binding.kind == BINDING_BUFFER ? symbol->binding.buffer : NULL;
}

static struct cdm_expr *parse_load(struct script_parser *parser, struct cdm_buffer *buffer)
{
    struct script_list indices = {0};

    script_subscript(parser, &indices);
    struct cdm_expr *predicate = script_take_predicate(&indices);
    return cdm_expr_load(&parser->builder, buffer, indices.items, indices.n, predicate);
}

/* A name that is no call. */
static struct cdm_expr *parse_name(struct script_parser *parser, const struct cdm_token *name)
{
    struct cdm_builder *builder = &parser->builder;
    struct cdm_view text = name->text;

    if (cdm_view_is(text, "True") || cdm_view_is(text, "False"))
        return cdm_expr_int(builder, text.data[0] == 'T', cdm_type_bool());
    if (cdm_view_is(text, "None")) {
        struct cdm_expr *none = cdm_expr_new(builder, EXPR_CALL, cdm_type_handle(), 0);
        none->text = "None";
        return none;
    }
    struct script_symbol *symbol = script_symbol(parser, text, name->hash);
    if (symbol->binding.kind == BINDING_BUFFER) {
        if (script_is(parser, '['))
            return parse_load(parser, symbol->binding.buffer);
        return cdm_expr_buffer(builder, symbol->binding.buffer);
    }
    if (script_is(parser, '[')) {
        script_fail(parser, name, "'%.*s' is indexed but no buffer of that name is declared",
                    (int)text.length, text.data);
        return script_placeholder(parser);
    }
    if (symbol->binding.kind == BINDING_EXPR)
        return cdm_expr_reuse(builder, symbol->binding.expr, &parser->height);
    if (symbol->binding.kind == BINDING_VAR)
        return cdm_expr_var(builder, symbol->binding.var);
    if (memchr(text.data, '.', text.length)) {
        struct cdm_view member;
        struct cdm_buffer *buffer = script_buffer_of_path(parser, text, &member);
        if (buffer && cdm_view_is(member, "data"))
            return cdm_expr_buffer(builder, buffer);
        struct cdm_expr *path = cdm_expr_new(builder, EXPR_CALL, cdm_type_handle(), 0);
        path->text = cdm_arena_text(parser->arena, text.data, text.length);
        return path;
    }
    return cdm_expr_var(builder, free_variable(parser, symbol));
}

/* Whether a name stands here with "=" behind it. */
static bool is_keyword(const struct script_parser *parser)
{
    const char *at = parser->lexer.at, *end = parser->lexer.end;

    if (script_token(parser)->kind != TOKEN_NAME)
        return false;
    while (at < end && *at == ' ')
        at++;
    return at < end && *at == '=' && (at + 1 == end || at[1] != '=');
}

static struct cdm_expr *parse_keyword(struct script_parser *parser)
{
    struct cdm_view name = script_token(parser)->text;

    script_next(parser);
    script_expect(parser, '=');
    struct cdm_expr *value = script_expr(parser);
    struct cdm_expr *keyword = cdm_expr_new(&parser->builder, EXPR_KEYWORD, value->type, 1);
    keyword->text = cdm_arena_text(parser->arena, name.data, name.length);
    keyword->args[0] = value;
    return keyword;
}

void script_args(struct script_parser *parser, int close, struct script_list *list)
{
    int height = 0;

    while (!script_take(parser, close)) {
        struct cdm_expr *value = is_keyword(parser) ? parse_keyword(parser) : script_expr(parser);
        script_list_add(parser, list, value);
        height = parser->height > height ? parser->height : height;
        if (parser->status)
            return;
        if (!script_take(parser, ',') && !script_is(parser, close)) {
            script_expect(parser, close);
            return;
        }
    }
    parser->height = height;
    grow(parser, 0);
}

/* Subscripts */

/* min:end[:stride] as a region, or as the vector base, base + stride, ... */
static struct cdm_expr *slice(struct script_parser *parser, struct cdm_expr *min)
{
    struct cdm_builder *builder = &parser->builder;
    const struct cdm_token where = *script_token(parser);
    struct cdm_expr *stride = NULL;
    int64_t extent, step = 1;
    int height = parser->height;

    script_expect(parser, ':');
    struct cdm_expr *end = script_expr(parser);
    height = parser->height > height ? parser->height : height;
    if (script_take(parser, ':'))
        stride = script_expr(parser);
    parser->height = height; /* of the minimum, or of the difference, which is the end's plus one */
    grow(parser, 0);
    struct cdm_expr *length = cdm_expr_difference(builder, end, min);
    if (parser->in_region) {
        struct cdm_expr *range = cdm_expr_new(builder, EXPR_RANGE, min->type, 2);
        range->args[0] = min;
        range->args[1] = length;
        return range;
    }
    if (!cdm_expr_is_int(length, &extent) || (stride && !cdm_expr_is_int(stride, &step)) ||
        step == 0 || extent / step <= 0 || extent / step > UINT16_MAX) {
        script_fail(parser, &where,
                    "the vector access needs a constant number of elements, 1 to %d", UINT16_MAX);
        return min;
    }
    struct cdm_expr *ramp = cdm_expr_new(builder, EXPR_RAMP, min->type, 2);
    ramp->args[0] = min;
    ramp->args[1] = cdm_expr_int(builder, step, min->type);
    ramp->integer = extent / step;
    ramp->type.lanes = (uint16_t)ramp->integer;
    return ramp;
}

void script_subscript(struct script_parser *parser, struct script_list *list)
{
    const struct cdm_token where = *script_token(parser);
    bool last = false;
    int height = 0;

    script_expect(parser, '[');
    if (script_is(parser, '(')) {
        /* X[()] is how a buffer without dimensions is indexed. */
        struct cdm_lexer before = parser->lexer;
        script_next(parser);
        if (script_take(parser, ')')) {
            script_expect(parser, ']');
            return;
        }
        script_rewind(parser, &before);
    }
    while (!script_take(parser, ']')) {
        /* predicate=p ends the indices; no other keyword belongs here, and none in a region. */
        last = is_keyword(parser) && !parser->in_region && script_is_name(parser, "predicate");
        struct cdm_expr *index = last ? parse_keyword(parser) : script_expr(parser);
        if (!last && script_is(parser, ':'))
            index = slice(parser, index);
        script_list_add(parser, list, index);
        height = parser->height > height ? parser->height : height;
        if (list->n > CDM_MAX_DIMS)
            script_fail(parser, &where, "more than %d indices", CDM_MAX_DIMS);
        if (parser->status)
            return;
        if (!script_is(parser, ']') && (last || !script_take(parser, ','))) {
            script_expect(parser, ']');
            return;
        }
    }
    parser->height = height;
    grow(parser, 0);
}

/* Operators */

/* TVM 0.10 puts parentheses by C's levels, where == binds weaker than <, so `a < b == c < d`
 * compares two truth values there; Python would chain. */
enum {
    LEVEL_OR,
    LEVEL_AND,
    LEVEL_EQUAL,
    LEVEL_COMPARE,
    LEVEL_BIT_OR,
    LEVEL_BIT_XOR,
    LEVEL_BIT_AND,
    LEVEL_SHIFT,
    LEVEL_SUM,
    LEVEL_PRODUCT,
    LEVEL_UNARY
};

static const struct {
    int punct;
    int level;
    enum cdm_expr_kind kind; /* or EXPR_CALL with `call` */
    const char *call;
} operators[] = {
    {'+', LEVEL_SUM, EXPR_ADD, NULL},
    {'*', LEVEL_PRODUCT, EXPR_MUL, NULL},
    {PUNCT_FLOORDIV, LEVEL_PRODUCT, EXPR_FLOORDIV, NULL},
    {'%', LEVEL_PRODUCT, EXPR_FLOORMOD, NULL},
    {'-', LEVEL_SUM, EXPR_SUB, NULL},
    {'<', LEVEL_COMPARE, EXPR_LT, NULL},
    {PUNCT_LE, LEVEL_COMPARE, EXPR_LE, NULL},
    {PUNCT_EQ, LEVEL_EQUAL, EXPR_EQ, NULL},
    {'>', LEVEL_COMPARE, EXPR_GT, NULL},
    {PUNCT_GE, LEVEL_COMPARE, EXPR_GE, NULL},
    {PUNCT_NE, LEVEL_EQUAL, EXPR_NE, NULL},
    {'/', LEVEL_PRODUCT, EXPR_DIV, NULL},
    {'|', LEVEL_BIT_OR, EXPR_CALL, "bitwise_or"},
    {'^', LEVEL_BIT_XOR, EXPR_CALL, "bitwise_xor"},
    {'&', LEVEL_BIT_AND, EXPR_CALL, "bitwise_and"},
    {PUNCT_SHIFT_LEFT, LEVEL_SHIFT, EXPR_CALL, "shift_left"},
    {PUNCT_SHIFT_RIGHT, LEVEL_SHIFT, EXPR_CALL, "shift_right"},
};

/* The operator at the current token, or -1. `and`, `or` are names: see parse_binary. */
static int operator_here(const struct script_parser *parser)
{
    const struct cdm_token *token = script_token(parser);

    if (token->kind != TOKEN_PUNCT)
        return -1;
    for (size_t i = 0; i < sizeof operators / sizeof *operators; i++)
        if (operators[i].punct == token->punct)
            return (int)i;
    return -1;
}

static struct cdm_expr *parse_primary(struct script_parser *parser)
{
    struct cdm_builder *builder = &parser->builder;
    struct cdm_token token = script_here(parser);
    struct script_list list = {0};

    switch (token.kind) {
    case TOKEN_INT:
        script_next(parser);
        if (token.too_big)
            return cdm_expr_float(builder, token.number, cdm_type_float32());
        return cdm_expr_int(builder, token.integer,
                            token.integer > INT32_MAX
                                ? (struct cdm_type){.code = TYPE_INT, .bits = 64, .lanes = 1}
                                : cdm_type_int32());
    case TOKEN_FLOAT:
        script_next(parser);
        return cdm_expr_float(builder, token.number, cdm_type_float32());
    case TOKEN_STRING:
        script_next(parser);
        return cdm_expr_text(builder, script_string(parser, &token));
    case TOKEN_NAME:
        script_next(parser);
        if (script_is(parser, '('))
            return script_call(parser, &token);
        return parse_name(parser, &token);
    case TOKEN_PUNCT:
    case TOKEN_LINE:
    case TOKEN_END:
        break;
    }
    if (script_take(parser, '(')) {
        struct cdm_expr *inner = script_is(parser, ')') ? NULL : script_expr(parser);
        if (inner && script_take(parser, ')'))
            return inner;
        if (inner)
            script_list_add(parser, &list, inner);
        if (inner && !script_is(parser, ')'))
            script_expect(parser, ',');
        int height = inner ? parser->height + 1 : 0;
        script_args(parser, ')', &list);
        parser->height = height > parser->height ? height : parser->height;
        return script_from_list(parser, EXPR_LIST, cdm_type_handle(), &list);
    }
    if (script_take(parser, '[')) {
        script_args(parser, ']', &list);
        return script_from_list(parser, EXPR_LIST, cdm_type_handle(), &list);
    }
    if (script_take(parser, '{')) {
        int height = 0;
        while (!parser->status && !script_take(parser, '}')) {
            script_list_add(parser, &list, script_expr(parser));
            height = parser->height > height ? parser->height : height;
            script_expect(parser, ':');
            script_list_add(parser, &list, script_expr(parser));
            height = parser->height > height ? parser->height : height;
            if (!script_take(parser, ',') && !script_is(parser, '}'))
                script_expect(parser, '}');
        }
        if (list.n % 2)
            list.n--;
        parser->height = height;
        return script_from_list(parser, EXPR_DICT, cdm_type_handle(), &list);
    }
    char what[64];
    script_fail(parser, &token, "an expression is expected, not %s",
                cdm_token_describe(&token, what, sizeof what));
    return script_placeholder(parser);
}

/* lambda x, y: x + y */
static struct cdm_expr *parse_lambda(struct script_parser *parser)
{
    struct script_list list = {0};
    size_t scope = script_scope(parser);

    script_next(parser);
    while (script_token(parser)->kind == TOKEN_NAME) {
        struct cdm_token name = *script_token(parser);
        struct cdm_var *var = cdm_build_loose_var(&parser->builder, name.text, cdm_type_float32());
        script_bind(parser, script_symbol(parser, name.text, name.hash),
                    (struct script_binding){.kind = BINDING_VAR, .var = var});
        script_list_add(parser, &list, cdm_expr_var(&parser->builder, var));
        script_next(parser);
        if (!script_take(parser, ','))
            break;
    }
    script_expect(parser, ':');
    struct cdm_expr *body = script_expr(parser);
    script_list_add(parser, &list, body);
    script_end_scope(parser, scope);
    return script_from_list(parser, EXPR_LAMBDA, body->type, &list);
}

/* A minus before a number is part of the number. */
static struct cdm_expr *negate(struct script_parser *parser, struct cdm_expr *value)
{
    struct cdm_builder *builder = &parser->builder;
    struct cdm_type type = value->type.code == TYPE_HANDLE ? cdm_type_int32() : value->type;

    if (value->kind == EXPR_INT && value->integer != INT64_MIN)
        value->integer = -value->integer;
    else if (value->kind == EXPR_FLOAT)
        value->number = -value->number;
    else
        return cdm_expr_binary(builder, EXPR_SUB,
                               cdm_type_is_float(type) ? cdm_expr_float(builder, 0, type)
                                                       : cdm_expr_int(builder, 0, type),
                               value);
    return value;
}

/* -2^63: its digits alone do not fit. */
static bool is_smallest(const struct cdm_token *token)
{
    return token->kind == TOKEN_INT && token->too_big && token->integer == INT64_MIN &&
           token->number == 0x1p63;
}

static struct cdm_expr *smallest(struct script_parser *parser)
{
    script_next(parser);
    return cdm_expr_int(&parser->builder, INT64_MIN,
                        (struct cdm_type){.code = TYPE_INT, .bits = 64, .lanes = 1});
}

static struct cdm_expr *parse_unary(struct script_parser *parser)
{
    struct cdm_builder *builder = &parser->builder;
    struct cdm_expr *expr;

    script_enter(parser);
    parser->height = 0;
    if (script_take(parser, '-')) {
        expr = is_smallest(script_token(parser)) ? smallest(parser)
                                                 : negate(parser, parse_unary(parser));
    } else if (script_take(parser, '+')) {
        expr = parse_unary(parser);
    } else if (script_take(parser, '~')) {
        struct cdm_expr *value = parse_unary(parser);
        expr = cdm_expr_new(builder, EXPR_CALL, value->type, 1);
        expr->text = "bitwise_not";
        expr->args[0] = value;
    } else if (script_is_name(parser, "not")) {
        script_next(parser);
        struct cdm_expr *value = parse_binary(parser, LEVEL_EQUAL);
        expr = cdm_expr_new(builder, EXPR_NOT, value->type, 1);
        expr->args[0] = value;
    } else if (script_is_name(parser, "lambda")) {
        expr = parse_lambda(parser);
    } else {
        expr = parse_primary(parser);
    }
    grow(parser, 0);
    script_leave(parser);
    return expr;
}

static struct cdm_expr *parse_logic(struct script_parser *parser, int level)
{
    const char *word = level == LEVEL_OR ? "or" : "and";
    struct cdm_expr *left = parse_binary(parser, level + 1);

    while (script_is_name(parser, word)) {
        int height = parser->height;
        script_next(parser);
        struct cdm_expr *right = parse_binary(parser, level + 1);
        grow(parser, height);
        left =
            cdm_expr_binary(&parser->builder, level == LEVEL_OR ? EXPR_OR : EXPR_AND, left, right);
    }
    return left;
}

/* Precedence climbing; operators of one level are grouped from the left. */
static struct cdm_expr *parse_binary(struct script_parser *parser, int level)
{
    if (level <= LEVEL_AND)
        return parse_logic(parser, level);

    struct cdm_expr *left = parse_unary(parser);
    int height = parser->height;
    for (;;) {
        int i = operator_here(parser);
        if (i < 0 || operators[i].level < level) {
            parser->height = height;
            return left;
        }
        script_next(parser);
        struct cdm_expr *right = parse_binary(parser, operators[i].level + 1);
        if (operators[i].kind != EXPR_CALL) {
            left = cdm_expr_binary(&parser->builder, operators[i].kind, left, right);
        } else {
            struct cdm_expr *call = cdm_expr_new(&parser->builder, EXPR_CALL, left->type, 2);
            call->text = operators[i].call;
            call->args[0] = left;
            call->args[1] = right;
            left = call;
        }
        grow(parser, height);
        height = parser->height;
    }
}

struct cdm_expr *script_expr(struct script_parser *parser)
{
    int depth = parser->depth;

    script_enter(parser);
    struct cdm_expr *expr = parse_binary(parser, LEVEL_OR);
    parser->depth = depth;
    return expr;
}
