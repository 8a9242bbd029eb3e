#include "features/build.h"

#include "cdmpp/core/alloc.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void cdm_build_start(struct cdm_builder *builder, struct cdm_arena *arena, const char *format)
{
    *builder = (struct cdm_builder){.arena = arena};
    builder->program = cdm_arena_alloc(arena, sizeof *builder->program);
    builder->program->arena = arena;
    builder->program->format = format;
    builder->program->name = "";
}

enum cdm_status cdm_build_check(const struct cdm_builder *builder, struct cdm_error *err)
{
    if (builder->too_large)
        return cdm_fail(err, CDM_BAD_INPUT, "the program has more than %d nodes", CDM_MAX_NODES);
    return CDM_OK;
}

static void count_node(struct cdm_builder *builder)
{
    if (++builder->n_nodes > CDM_MAX_NODES)
        builder->too_large = true;
}

/* Types */

static const struct {
    const char *prefix;
    uint8_t code;
} type_prefixes[] = {
    {"float", TYPE_FLOAT}, {"int", TYPE_INT}, {"uint", TYPE_UINT}, {"bfloat", TYPE_BFLOAT}};

/* Reads digits at *at; 0 when there are none or the number does not fit 16 bits. */
static uint16_t digits(struct cdm_view text, size_t *at)
{
    unsigned value = 0;

    while (*at < text.length && text.data[*at] >= '0' && text.data[*at] <= '9') {
        value = value * 10 + (unsigned)(text.data[(*at)++] - '0');
        if (value > UINT16_MAX)
            return 0;
    }
    return (uint16_t)value;
}

/* "x4", "xvscalex4" or nothing. */
static bool parse_lanes(struct cdm_view text, size_t at, struct cdm_type *type)
{
    static const char scalable[] = "xvscalex";

    type->lanes = 1;
    if (at == text.length)
        return true;
    if (text.length - at >= strlen(scalable) &&
        !memcmp(text.data + at, scalable, strlen(scalable))) {
        type->scalable = 1;
        at += strlen(scalable);
    } else if (text.data[at] == 'x') {
        at++;
    } else {
        return false;
    }
    type->lanes = digits(text, &at);
    return at == text.length && type->lanes > 0;
}

struct cdm_type cdm_type_parse(struct cdm_builder *builder, struct cdm_view text)
{
    for (size_t i = 0; i < sizeof type_prefixes / sizeof *type_prefixes; i++) {
        if (!cdm_view_starts(text, type_prefixes[i].prefix))
            continue;
        struct cdm_type type = {.code = type_prefixes[i].code};
        size_t at = strlen(type_prefixes[i].prefix);
        type.bits = digits(text, &at);
        if (type.bits > 0 && type.bits <= 128 && parse_lanes(text, at, &type))
            return type;
    }
    if (cdm_view_starts(text, "bool")) {
        struct cdm_type type = {.code = TYPE_UINT, .bits = 1};
        if (parse_lanes(text, strlen("bool"), &type))
            return type;
    }
    struct cdm_type unknown = cdm_type_handle();
    /* A name that would not survive being quoted is no type of anything. */
    for (size_t i = 0; i < text.length; i++)
        if ((unsigned char)text.data[i] < 0x20 || strchr("\"'\\\x7f", text.data[i]))
            return unknown;
    if (!cdm_view_is(text, "handle"))
        unknown.name = cdm_arena_text(builder->arena, text.data, text.length);
    return unknown;
}

const char *cdm_type_text(struct cdm_type type, char *text, size_t size)
{
    static const char *const names[] = {"int", "uint", "float", "bfloat", "handle"};
    char lanes[32] = "";

    if (type.scalable)
        snprintf(lanes, sizeof lanes, "xvscalex%u", type.lanes);
    else if (type.lanes != 1)
        snprintf(lanes, sizeof lanes, "x%u", type.lanes);
    if (type.code == TYPE_HANDLE)
        snprintf(text, size, "%s", type.name ? type.name : "handle");
    else if (type.code == TYPE_UINT && type.bits == 1)
        snprintf(text, size, "bool%s", lanes);
    else
        snprintf(text, size, "%s%u%s", names[type.code], type.bits, lanes);
    return text;
}

bool cdm_type_is_float(struct cdm_type type)
{
    return type.code == TYPE_FLOAT || type.code == TYPE_BFLOAT;
}

bool cdm_type_equal(struct cdm_type a, struct cdm_type b)
{
    if (a.code != b.code || a.bits != b.bits || a.lanes != b.lanes || a.scalable != b.scalable)
        return false;
    if (!a.name || !b.name)
        return a.name == b.name;
    return !strcmp(a.name, b.name);
}

struct cdm_type cdm_type_int32(void)
{
    return (struct cdm_type){.code = TYPE_INT, .bits = 32, .lanes = 1};
}

struct cdm_type cdm_type_float32(void)
{
    return (struct cdm_type){.code = TYPE_FLOAT, .bits = 32, .lanes = 1};
}

struct cdm_type cdm_type_bool(void)
{
    return (struct cdm_type){.code = TYPE_UINT, .bits = 1, .lanes = 1};
}

struct cdm_type cdm_type_handle(void)
{
    return (struct cdm_type){.code = TYPE_HANDLE, .lanes = 1};
}

/* Variables and buffers */

struct cdm_var *cdm_build_loose_var(struct cdm_builder *builder, struct cdm_view name,
                                    struct cdm_type type)
{
    struct cdm_var *var = cdm_arena_alloc(builder->arena, sizeof *var);

    var->name = cdm_arena_text(builder->arena, name.data, name.length);
    var->type = type;
    var->id = -1;
    count_node(builder);
    return var;
}

struct cdm_var *cdm_build_var(struct cdm_builder *builder, struct cdm_view name,
                              struct cdm_type type)
{
    struct cdm_program *program = builder->program;
    struct cdm_var *var = cdm_build_loose_var(builder, name, type);

    var->id = program->n_vars;
    program->vars = cdm_arena_grow(builder->arena, program->vars, (size_t)program->n_vars,
                                   &builder->max_vars, sizeof *program->vars);
    program->vars[program->n_vars++] = var;
    return var;
}

struct cdm_buffer *cdm_build_buffer(struct cdm_builder *builder, struct cdm_view name,
                                    struct cdm_type type, struct cdm_expr **shape, int32_t n_dims,
                                    const char *scope)
{
    struct cdm_program *program = builder->program;
    struct cdm_buffer *buffer = cdm_arena_alloc(builder->arena, sizeof *buffer);

    buffer->name = cdm_arena_text(builder->arena, name.data, name.length);
    buffer->type = type;
    buffer->shape = shape;
    buffer->n_dims = n_dims;
    buffer->scope = scope ? scope : "global";
    buffer->base = buffer;
    buffer->param = -1;
    buffer->id = program->n_buffers;
    program->buffers = cdm_arena_grow(builder->arena, program->buffers, (size_t)program->n_buffers,
                                      &builder->max_buffers, sizeof *program->buffers);
    program->buffers[program->n_buffers++] = buffer;
    count_node(builder);
    return buffer;
}

void cdm_buffer_alias(struct cdm_buffer *buffer, const struct cdm_buffer *other)
{
    buffer->base = other->base;
    buffer->scope = other->scope;
}

/* Expressions */

struct cdm_expr *cdm_expr_new(struct cdm_builder *builder, enum cdm_expr_kind kind,
                              struct cdm_type type, int32_t n_args)
{
    size_t n = (size_t)n_args;
    struct cdm_expr *expr =
        cdm_arena_alloc(builder->arena, sizeof *expr + n * sizeof(struct cdm_expr *));

    expr->kind = (uint8_t)kind;
    expr->type = type;
    expr->n_args = n_args;
    expr->args = (struct cdm_expr **)(expr + 1);
    count_node(builder);
    return expr;
}

struct cdm_expr *cdm_expr_int(struct cdm_builder *builder, int64_t value, struct cdm_type type)
{
    struct cdm_expr *expr = cdm_expr_new(builder, EXPR_INT, type, 0);
    expr->integer = value;
    return expr;
}

struct cdm_expr *cdm_expr_float(struct cdm_builder *builder, double value, struct cdm_type type)
{
    struct cdm_expr *expr = cdm_expr_new(builder, EXPR_FLOAT, type, 0);
    expr->number = value;
    return expr;
}

struct cdm_expr *cdm_expr_text(struct cdm_builder *builder, struct cdm_view text)
{
    struct cdm_expr *expr = cdm_expr_new(builder, EXPR_STRING, cdm_type_handle(), 0);
    expr->text = cdm_arena_text(builder->arena, text.data, text.length);
    return expr;
}

struct cdm_expr *cdm_expr_var(struct cdm_builder *builder, struct cdm_var *var)
{
    struct cdm_expr *expr = cdm_expr_new(builder, EXPR_VAR, var->type, 0);
    expr->var = var;
    return expr;
}

struct cdm_expr *cdm_expr_buffer(struct cdm_builder *builder, struct cdm_buffer *buffer)
{
    struct cdm_expr *expr = cdm_expr_new(builder, EXPR_BUFFER, cdm_type_handle(), 0);
    expr->buffer = buffer;
    return expr;
}

static bool is_literal(const struct cdm_expr *expr)
{
    return expr->kind == EXPR_INT || expr->kind == EXPR_FLOAT;
}

struct cdm_expr *cdm_expr_binary(struct cdm_builder *builder, enum cdm_expr_kind kind,
                                 struct cdm_expr *a, struct cdm_expr *b)
{
    struct cdm_type type = is_literal(a) && !is_literal(b) ? b->type : a->type;

    /* `x + 1` with a float x: TVM turns the literal into one of x's type, and so do we. */
    if (kind != EXPR_AND && kind != EXPR_OR && type.code != TYPE_HANDLE) {
        struct cdm_expr *literal = is_literal(a) ? a : b;
        if (literal->kind == EXPR_INT && cdm_type_is_float(type)) {
            literal->kind = EXPR_FLOAT;
            literal->number = (double)literal->integer;
        }
        if (is_literal(literal) && type.lanes == literal->type.lanes &&
            (literal->kind == EXPR_INT || cdm_type_is_float(type)))
            literal->type = type;
    }
    if (kind >= EXPR_EQ && kind <= EXPR_OR) {
        struct cdm_type truth = cdm_type_bool();
        truth.lanes = type.lanes;
        truth.scalable = type.scalable;
        type = truth;
    }
    struct cdm_expr *expr = cdm_expr_new(builder, kind, type, 2);
    expr->args[0] = a;
    expr->args[1] = b;
    return expr;
}

struct cdm_expr *cdm_expr_load(struct cdm_builder *builder, struct cdm_buffer *buffer,
                               struct cdm_expr **indices, int32_t n_index,
                               struct cdm_expr *predicate)
{
    cdm_build_access(builder, &buffer, &indices, &n_index);
    struct cdm_expr *expr =
        cdm_expr_new(builder, EXPR_LOAD, buffer->type, n_index + (predicate ? 1 : 0));

    for (int32_t i = 0; i < n_index; i++)
        expr->args[i] = indices[i];
    if (predicate)
        expr->args[n_index] = predicate;
    expr->n_index = n_index;
    expr->buffer = buffer;
    if (n_index > 0) {
        struct cdm_type last = indices[n_index - 1]->type;
        int lanes = buffer->type.lanes * last.lanes;
        expr->type.lanes = (uint16_t)(lanes > UINT16_MAX ? UINT16_MAX : lanes);
        expr->type.scalable |= last.scalable;
    }
    return expr;
}

bool cdm_expr_is_int(const struct cdm_expr *expr, int64_t *value)
{
    while (expr && expr->kind == EXPR_CAST)
        expr = expr->args[0];
    if (!expr || expr->kind != EXPR_INT)
        return false;
    *value = expr->integer;
    return true;
}

static int count_again(struct cdm_builder *builder, const struct cdm_expr *expr, int depth)
{
    int height = 0;

    if (depth > CDM_MAX_DEPTH || ++builder->n_nodes > CDM_MAX_NODES)
        builder->too_large = true;
    if (builder->too_large)
        return 0;
    for (int32_t i = 0; i < expr->n_args; i++) {
        int below = count_again(builder, expr->args[i], depth + 1);
        height = below > height ? below : height;
    }
    return height + 1;
}

struct cdm_expr *cdm_expr_reuse(struct cdm_builder *builder, struct cdm_expr *expr, int *height)
{
    int found = count_again(builder, expr, 0);

    if (height)
        *height = found;
    return expr;
}

/* Statements */

struct cdm_stmt *cdm_stmt_new(struct cdm_builder *builder, enum cdm_stmt_kind kind, int64_t line,
                              int64_t column)
{
    struct cdm_stmt *stmt = cdm_arena_alloc(builder->arena, sizeof *stmt);

    stmt->kind = (uint8_t)kind;
    stmt->line = (int32_t)(line > INT32_MAX ? INT32_MAX : line);
    stmt->column = (int32_t)(column > INT32_MAX ? INT32_MAX : column);
    count_node(builder);
    return stmt;
}

struct cdm_stmt *cdm_stmt_seq(struct cdm_builder *builder, struct cdm_stmt *const *children,
                              int32_t n)
{
    if (n == 1)
        return children[0];
    struct cdm_stmt *seq =
        cdm_stmt_new(builder, STMT_SEQ, n ? children[0]->line : 0, n ? children[0]->column : 0);
    seq->n_children = n;
    seq->children = cdm_arena_array(builder->arena, (size_t)n, sizeof(struct cdm_stmt *));
    for (int32_t i = 0; i < n; i++)
        seq->children[i] = children[i];
    return seq;
}

bool cdm_tag_is_vthread(const char *tag)
{
    return !strncmp(tag, "vthread", strlen("vthread")) || !strcmp(tag, "cthread");
}

/* TVM 0.10's operators registered with TCallEffectKind kPure or kExprAnnotation, sorted. */
static const char *const pure_calls[] = {"abs",
                                         "acos",
                                         "acosh",
                                         "address_of",
                                         "asin",
                                         "asinh",
                                         "atan",
                                         "atan2",
                                         "atanh",
                                         "bitwise_and",
                                         "bitwise_not",
                                         "bitwise_or",
                                         "bitwise_xor",
                                         "call_llvm_pure_intrin",
                                         "call_pure_extern",
                                         "call_spirv_pure_glsl450",
                                         "ceil",
                                         "clz",
                                         "copysign",
                                         "cos",
                                         "cosh",
                                         "erf",
                                         "exp",
                                         "exp10",
                                         "exp2",
                                         "fabs",
                                         "floor",
                                         "fma",
                                         "fmod",
                                         "hypot",
                                         "if_then_else",
                                         "isfinite",
                                         "isinf",
                                         "isnan",
                                         "isnullptr",
                                         "large_uint_imm",
                                         "ldexp",
                                         "likely",
                                         "log",
                                         "log10",
                                         "log1p",
                                         "log2",
                                         "nearbyint",
                                         "nextafter",
                                         "popcount",
                                         "pow",
                                         "q_multiply_shift",
                                         "reinterpret",
                                         "round",
                                         "rsqrt",
                                         "shift_left",
                                         "shift_right",
                                         "sigmoid",
                                         "sin",
                                         "sinh",
                                         "sqrt",
                                         "tan",
                                         "tanh",
                                         "trunc",
                                         "tvm_check_return",
                                         "type_annotation",
                                         "vectorcombine",
                                         "vectorhigh",
                                         "vectorlow"};

static int compare_name(const void *key, const void *element)
{
    return strcmp(key, *(const char *const *)element);
}

enum cdm_call_effect cdm_call_effect(const char *name)
{
    const char *const *found = bsearch(name, pure_calls, sizeof pure_calls / sizeof *pure_calls,
                                       sizeof *pure_calls, compare_name);
    return found ? CALL_PURE : CALL_OTHER;
}

struct cdm_type cdm_call_type(const char *name, struct cdm_expr *const *args, int32_t n_args)
{
    if (!strcmp(name, "if_then_else") && n_args > 1)
        return args[1]->type;
    if (!strcmp(name, "likely") || !strcmp(name, "isnan"))
        return cdm_type_bool();
    if (!strcmp(name, "vscale"))
        return cdm_type_int32();
    return n_args > 0 ? args[0]->type : cdm_type_handle();
}
