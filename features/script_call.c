/* Calls in TVMScript: typed literals, operators that are spelt as calls, and calls that stay calls.
 */
#include "features/script.h"
#include "features/simplify.h"

#include <math.h>
#include <string.h>

struct cdm_view script_callee(struct cdm_view path)
{
    static const char *const spaces[] = {"T.", "tir.", "tirx.", "Tx.", "tvm.tir."};

    for (size_t i = 0; i < sizeof spaces / sizeof *spaces; i++) {
        size_t length = strlen(spaces[i]);
        if (path.length > length && !memcmp(path.data, spaces[i], length))
            return (struct cdm_view){path.data + length, path.length - length};
    }
    return (struct cdm_view){"", 0};
}

/* A name in an attribute's T.iter_var(NAME, ...) mentions a loop that may not be open (yet): only
 * the name counts there, so it gets a variable outside the program's numbering. */
static struct cdm_expr *parse_iter_var(struct script_parser *parser)
{
    struct cdm_builder *builder = &parser->builder;
    struct cdm_token name = *script_token(parser);
    struct script_list rest = {0};

    if (name.kind != TOKEN_NAME) {
        script_fail(parser, &name, "T.iter_var needs a variable name first");
        return script_placeholder(parser);
    }
    script_next(parser);
    if (script_take(parser, ','))
        script_args(parser, ')', &rest);
    else
        script_expect(parser, ')');

    struct cdm_expr *domain = script_positional(&rest, 0);
    struct cdm_expr *type = script_positional(&rest, 1);
    struct cdm_expr *tag = script_positional(&rest, 2);
    bool has_domain = domain && domain->kind == EXPR_RANGE;
    struct cdm_expr *expr =
        cdm_expr_new(builder, EXPR_ITER_VAR, cdm_type_int32(), has_domain ? 2 : 0);
    for (int32_t i = 0; i < expr->n_args; i++)
        expr->args[i] = domain->args[i];
    expr->var = cdm_build_loose_var(builder, name.text, cdm_type_int32());
    expr->text = tag && tag->kind == EXPR_STRING ? tag->text : "";
    if (type && type->kind == EXPR_STRING && *type->text) {
        /* The iteration type is worth keeping: as the name of the expression's type. */
        expr->type = cdm_type_handle();
        expr->type.name = type->text;
    }
    return expr;
}

static bool literal_number(const struct cdm_expr *expr, double *number)
{
    if (expr->kind == EXPR_INT)
        *number = (double)expr->integer;
    else if (expr->kind == EXPR_FLOAT)
        *number = expr->number;
    else
        return false;
    return true;
}

/* T.float32(0.5), T.int64(3), T.bool(True), T.float32("inf"); of anything else a cast. */
static struct cdm_expr *typed_value(struct script_parser *parser, struct cdm_type type,
                                    struct cdm_expr *value)
{
    struct cdm_builder *builder = &parser->builder;
    double number = 0;

    if (value->kind == EXPR_STRING) {
        const char *text = value->text;
        bool negative = *text == '-';
        if (!strcmp(text + negative, "inf"))
            return cdm_expr_float(builder, negative ? -INFINITY : INFINITY, type);
        if (!strcmp(text + negative, "nan"))
            return cdm_expr_float(builder, NAN, type);
    }
    if (literal_number(value, &number)) {
        if (cdm_type_is_float(type))
            return cdm_expr_float(builder, number, type);
        if (value->kind == EXPR_INT && type.code != TYPE_HANDLE)
            return cdm_expr_int(builder, value->integer, type);
    }
    struct cdm_expr *cast = cdm_expr_new(builder, EXPR_CAST, type, 1);
    cast->args[0] = value;
    return cast;
}

static struct cdm_type type_of_text(struct script_parser *parser, const struct cdm_expr *expr)
{
    if (!expr || expr->kind != EXPR_STRING)
        return cdm_type_handle();
    return cdm_type_parse(&parser->builder, cdm_view_of(expr->text));
}

static const struct {
    const char *name;
    enum cdm_expr_kind kind;
} binary_calls[] = {
    {"max", EXPR_MAX},
    {"min", EXPR_MIN},
    {"Max", EXPR_MAX},
    {"Min", EXPR_MIN},
    {"floordiv", EXPR_FLOORDIV},
    {"floormod", EXPR_FLOORMOD},
    {"truncdiv", EXPR_DIV},
    {"truncmod", EXPR_MOD},
    {"Add", EXPR_ADD},
    {"Sub", EXPR_SUB},
    {"Mul", EXPR_MUL},
    {"Div", EXPR_DIV},
    {"Mod", EXPR_MOD},
    {"FloorDiv", EXPR_FLOORDIV},
    {"FloorMod", EXPR_FLOORMOD},
    {"EQ", EXPR_EQ},
    {"NE", EXPR_NE},
    {"LT", EXPR_LT},
    {"LE", EXPR_LE},
    {"GT", EXPR_GT},
    {"GE", EXPR_GE},
    {"And", EXPR_AND},
    {"Or", EXPR_OR},
};

/* Calls that are operators or constructors in our tree. NULL when `name` is none of them or its
 * arguments do not fit, in which case it stays a call. */
static struct cdm_expr *operator_call(struct script_parser *parser, struct cdm_view name,
                                      const struct script_list *args)
{
    struct cdm_builder *builder = &parser->builder;
    struct cdm_expr *a = script_positional(args, 0);
    struct cdm_expr *b = script_positional(args, 1);
    struct cdm_expr *c = script_positional(args, 2);
    struct cdm_expr *expr = NULL;
    int64_t lanes = 0;

    if (a && b && !c)
        for (size_t i = 0; i < sizeof binary_calls / sizeof *binary_calls; i++)
            if (cdm_view_is(name, binary_calls[i].name))
                return cdm_expr_binary(builder, binary_calls[i].kind, a, b);
    if (cdm_view_is(name, "Select") && a && b && c) {
        expr = cdm_expr_new(builder, EXPR_SELECT, b->type, 3);
        expr->args[0] = a, expr->args[1] = b, expr->args[2] = c;
    } else if (cdm_view_is(name, "Not") && a && !b) {
        expr = cdm_expr_new(builder, EXPR_NOT, a->type, 1);
        expr->args[0] = a;
    } else if (cdm_view_is(name, "cast") && a && b) {
        expr = cdm_expr_new(builder, EXPR_CAST, type_of_text(parser, b), 1);
        expr->args[0] = a;
    } else if (cdm_view_is(name, "Cast") && a && b) {
        expr = cdm_expr_new(builder, EXPR_CAST, type_of_text(parser, a), 1);
        expr->args[0] = b;
    } else if ((cdm_view_is(name, "ramp") || cdm_view_is(name, "Ramp")) && a && b && c) {
        bool fixed = cdm_expr_is_int(c, &lanes) && lanes > 0 && lanes <= UINT16_MAX;
        expr = cdm_expr_new(builder, EXPR_RAMP, a->type, fixed ? 2 : 3);
        expr->args[0] = a, expr->args[1] = b;
        if (!fixed)
            expr->args[2] = c;
    } else if ((cdm_view_is(name, "broadcast") || cdm_view_is(name, "Broadcast")) && a && b) {
        bool fixed = cdm_expr_is_int(b, &lanes) && lanes > 0 && lanes <= UINT16_MAX;
        expr = cdm_expr_new(builder, EXPR_BROADCAST, a->type, fixed ? 1 : 2);
        expr->args[0] = a;
        if (!fixed)
            expr->args[1] = b;
    } else if (cdm_view_is(name, "Range") && a && b && !c) {
        expr = cdm_expr_new(builder, EXPR_RANGE, a->type, 2);
        expr->args[0] = a;
        expr->args[1] = cdm_expr_difference(builder, b, a);
    } else if ((cdm_view_is(name, "shuffle") || cdm_view_is(name, "Shuffle")) && a && b && !c &&
               a->kind == EXPR_LIST && b->kind == EXPR_LIST && a->n_args > 0) {
        expr = cdm_expr_new(builder, EXPR_SHUFFLE, a->args[0]->type, a->n_args + b->n_args);
        for (int32_t i = 0; i < expr->n_args; i++)
            expr->args[i] = i < a->n_args ? a->args[i] : b->args[i - a->n_args];
        expr->integer = a->n_args;
        expr->type.lanes = (uint16_t)(b->n_args > UINT16_MAX || b->n_args < 1 ? 1 : b->n_args);
    }
    if (expr && (expr->kind == EXPR_RAMP || expr->kind == EXPR_BROADCAST)) {
        expr->integer = lanes;
        if (lanes > 0)
            expr->type.lanes = (uint16_t)lanes;
        else
            expr->type.scalable = 1;
    }
    return expr;
}

/* Calls whose first argument is the result type from TVM 0.12 on. */
static bool type_comes_first(struct cdm_view name)
{
    static const char *const names[] = {"reinterpret", "call_extern", "call_pure_extern",
                                        "call_llvm_intrin", "call_llvm_pure_intrin"};

    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (cdm_view_is(name, names[i]))
            return true;
    return false;
}

/* A call that stays a call: math functions, intrinsics and everything we do not know. The type
 * comes from dtype=, from a leading type name, or from the arguments. */
static struct cdm_expr *plain_call(struct script_parser *parser, struct cdm_view name,
                                   const struct script_list *args)
{
    struct cdm_expr *dtype = script_keyword(args, "dtype");
    struct cdm_expr *first = script_positional(args, 0);
    struct script_list kept = {0};
    char *text = cdm_arena_text(parser->arena, name.data, name.length);
    struct cdm_type type;
    bool leading = false;

    if (dtype) {
        type = type_of_text(parser, dtype);
    } else if (type_comes_first(name) && first && first->kind == EXPR_STRING && args->n > 1) {
        type = type_of_text(parser, first);
        leading = true;
    } else {
        type = cdm_call_type(text, args->items, args->n);
    }
    for (int32_t i = leading ? 1 : 0; i < args->n; i++)
        if (args->items[i]->kind != EXPR_KEYWORD || args->items[i]->args[0] != dtype)
            script_list_add(parser, &kept, args->items[i]);
    struct cdm_expr *call = script_from_list(parser, EXPR_CALL, type, &kept);
    call->text = text;
    return call;
}

static struct cdm_expr *let_expr(struct script_parser *parser, struct cdm_var *var,
                                 struct cdm_expr *value, struct cdm_expr *body)
{
    struct cdm_expr *expr = cdm_expr_new(&parser->builder, EXPR_LET, body->type, 2);
    expr->var = var;
    expr->args[0] = value;
    expr->args[1] = body;
    return expr;
}

/* The token that closes what the current token is in, or the comma before it. */
static void skip_argument(struct script_parser *parser)
{
    int depth = 0;

    while (!parser->status && script_token(parser)->kind != TOKEN_END) {
        if (script_is(parser, '(') || script_is(parser, '[') || script_is(parser, '{'))
            depth++;
        else if (script_is(parser, ')') || script_is(parser, ']') || script_is(parser, '}'))
            depth--;
        if (depth < 0 || (depth == 0 && script_is(parser, ',')))
            return;
        script_next(parser);
    }
}

/* T.Let(body, where={v: value}); the current token starts the body. The type of v is that of the
 * value, so that is read first. NULL, and nothing read, when it is not of this form. */
static struct cdm_expr *parse_let_where(struct script_parser *parser)
{
    struct cdm_lexer before = parser->lexer;
    struct script_parser *p = parser;
    size_t scope = script_scope(parser);
    struct cdm_token name = {0};

    skip_argument(p);
    bool fits = script_take(p, ',') && script_is_name(p, "where");
    if (fits) {
        script_next(p);
        fits = script_take(p, '=') && script_take(p, '{') && script_token(p)->kind == TOKEN_NAME;
    }
    if (fits) {
        name = *script_token(p);
        script_next(p);
        fits = script_take(p, ':');
    }
    if (!fits) {
        if (!p->status)
            p->lexer = before;
        return NULL;
    }
    struct cdm_expr *value = script_expr(p);
    int height = p->height;
    script_take(p, ',');
    script_expect(p, '}');
    script_take(p, ',');
    script_expect(p, ')');
    struct cdm_lexer after = p->lexer;
    if (p->status)
        return script_placeholder(p);
    p->lexer = before;
    struct cdm_var *var = cdm_build_var(&p->builder, name.text, value->type);
    script_bind_var(p, &name, var);
    struct cdm_expr *body = script_expr(p);
    script_end_scope(p, scope);
    script_expect(p, ',');
    if (p->status)
        return script_placeholder(p);
    p->lexer = after;
    p->height = height > p->height ? height : p->height;
    return let_expr(p, var, value, body);
}

/* T.let(v, value, body); the current token is v. */
static struct cdm_expr *parse_let(struct script_parser *parser)
{
    struct cdm_token name = *script_token(parser);
    size_t scope = script_scope(parser);

    if (name.kind != TOKEN_NAME) {
        script_fail(parser, &name, "T.let needs a variable name first");
        return script_placeholder(parser);
    }
    script_next(parser);
    script_expect(parser, ',');
    struct cdm_expr *value = script_expr(parser);
    int height = parser->height;
    script_expect(parser, ',');
    struct cdm_var *var = cdm_build_var(&parser->builder, name.text, value->type);
    script_bind_var(parser, &name, var);
    struct cdm_expr *body = script_expr(parser);
    parser->height = height > parser->height ? height : parser->height;
    script_end_scope(parser, scope);
    script_expect(parser, ')');
    return let_expr(parser, var, value, body);
}

static bool is_type_name(struct cdm_type type)
{
    return type.code != TYPE_HANDLE;
}

/* T.Let inside T.Let: each looks ahead over its body, so the depth is bounded. */
enum { MAX_LETS = 8 };

struct cdm_expr *script_call(struct script_parser *parser, const struct cdm_token *callee)
{
    struct cdm_view name = script_callee(callee->text);
    struct script_list args = {0};
    struct cdm_expr *expr = NULL;

    if (!name.length)
        name = callee->text;
    script_expect(parser, '(');
    if (cdm_view_is(name, "iter_var"))
        return parse_iter_var(parser);
    if (cdm_view_is(name, "let"))
        return parse_let(parser);
    if (cdm_view_is(name, "Let") && parser->n_lets < MAX_LETS) {
        parser->n_lets++;
        expr = parse_let_where(parser);
        parser->n_lets--;
        if (expr || parser->status)
            return expr ? expr : script_placeholder(parser);
    }
    script_args(parser, ')', &args);
    if (parser->status)
        return script_placeholder(parser);
    if (args.n == 1 && args.items[0]->kind != EXPR_KEYWORD) {
        struct cdm_type type = cdm_type_parse(&parser->builder, name);
        if (is_type_name(type))
            return typed_value(parser, type, args.items[0]);
    }
    if (args.n)
        expr = operator_call(parser, name, &args);
    return expr ? expr : plain_call(parser, name, &args);
}
