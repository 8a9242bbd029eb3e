/* Expressions in the canonical text. Parentheses stand only where the reader needs them to build
 * the same tree. */
#include "features/print_expr.h"

#include "cdmpp/core/number.h"
#include "features/build.h"

#include <math.h>
#include <string.h>

/* Binding strength, weakest first. */
enum {
    LEVEL_LAMBDA,
    LEVEL_OR,
    LEVEL_AND,
    LEVEL_NOT,
    LEVEL_COMPARE,
    LEVEL_SUM,
    LEVEL_PRODUCT,
    LEVEL_PRIMARY
};

static const struct {
    const char *sign; /* NULL: printed as the call `name` */
    const char *name;
    int level;
} binary[] = {
    [EXPR_ADD] = {" + ", NULL, LEVEL_SUM},          [EXPR_SUB] = {" - ", NULL, LEVEL_SUM},
    [EXPR_MUL] = {" * ", NULL, LEVEL_PRODUCT},      [EXPR_DIV] = {" / ", NULL, LEVEL_PRODUCT},
    [EXPR_MOD] = {NULL, "truncmod", LEVEL_PRIMARY}, [EXPR_FLOORDIV] = {" // ", NULL, LEVEL_PRODUCT},
    [EXPR_FLOORMOD] = {" % ", NULL, LEVEL_PRODUCT}, [EXPR_MIN] = {NULL, "min", LEVEL_PRIMARY},
    [EXPR_MAX] = {NULL, "max", LEVEL_PRIMARY},      [EXPR_EQ] = {" == ", NULL, LEVEL_COMPARE},
    [EXPR_NE] = {" != ", NULL, LEVEL_COMPARE},      [EXPR_LT] = {" < ", NULL, LEVEL_COMPARE},
    [EXPR_LE] = {" <= ", NULL, LEVEL_COMPARE},      [EXPR_GT] = {" > ", NULL, LEVEL_COMPARE},
    [EXPR_GE] = {" >= ", NULL, LEVEL_COMPARE},      [EXPR_AND] = {" and ", NULL, LEVEL_AND},
    [EXPR_OR] = {" or ", NULL, LEVEL_OR},
};

static bool is_binary(const struct cdm_expr *expr)
{
    return expr->kind >= EXPR_ADD && expr->kind <= EXPR_OR;
}

static int level_of(const struct cdm_expr *expr)
{
    if (is_binary(expr))
        return binary[expr->kind].level;
    if (expr->kind == EXPR_NOT)
        return LEVEL_NOT;
    return expr->kind == EXPR_LAMBDA ? LEVEL_LAMBDA : LEVEL_PRIMARY;
}

static void print_type(struct cdm_type type, struct cdm_str *out)
{
    char text[64];
    cdm_str_printf(out, "\"%s\"", cdm_type_text(type, text, sizeof text));
}

void cdm_print_string(const char *text, struct cdm_str *out)
{
    cdm_str_putc(out, '"');
    for (const char *c = text; *c; c++) {
        if (*c == '"' || *c == '\\')
            cdm_str_printf(out, "\\%c", *c);
        else if (*c == '\n')
            cdm_str_puts(out, "\\n");
        else if ((unsigned char)*c < 0x20 || *c == 0x7f)
            cdm_str_printf(out, "\\x%02x", (unsigned char)*c);
        else
            cdm_str_putc(out, *c);
    }
    cdm_str_putc(out, '"');
}

static void print_list(const struct cdm_namer *namer, struct cdm_expr *const *items, int32_t n,
                       struct cdm_str *out)
{
    for (int32_t i = 0; i < n; i++) {
        if (i)
            cdm_str_puts(out, ", ");
        cdm_print_expr(namer, items[i], out);
    }
}

static void print_at(const struct cdm_namer *namer, const struct cdm_expr *expr, int level,
                     struct cdm_str *out)
{
    bool parentheses = level_of(expr) < level;

    if (parentheses)
        cdm_str_putc(out, '(');
    cdm_print_expr(namer, expr, out);
    if (parentheses)
        cdm_str_putc(out, ')');
}

void cdm_print_sum(const struct cdm_namer *namer, const struct cdm_expr *a,
                   const struct cdm_expr *b, struct cdm_str *out)
{
    print_at(namer, a, LEVEL_SUM, out);
    cdm_str_puts(out, " + ");
    print_at(namer, b, LEVEL_PRODUCT, out);
}

void cdm_print_range(const struct cdm_namer *namer, const struct cdm_expr *min,
                     const struct cdm_expr *extent, const char *between, struct cdm_str *out)
{
    bool plain = min->kind == EXPR_INT && extent->kind == EXPR_INT &&
                 cdm_type_equal(min->type, cdm_type_int32()) &&
                 cdm_type_equal(extent->type, cdm_type_int32());

    cdm_print_expr(namer, min, out);
    cdm_str_puts(out, between);
    if (min->kind == EXPR_INT && min->integer == 0)
        cdm_print_expr(namer, extent, out);
    else if (plain)
        cdm_str_printf(out, "%lld",
                       (long long)((uint64_t)min->integer + (uint64_t)extent->integer));
    else
        cdm_print_sum(namer, min, extent, out);
}

static void print_binary(const struct cdm_namer *namer, const struct cdm_expr *expr,
                         struct cdm_str *out)
{
    const char *sign = binary[expr->kind].sign;
    int level = binary[expr->kind].level;
    const struct cdm_expr *a = expr->args[0], *b = expr->args[1];

    if (!sign) {
        cdm_str_printf(out, "T.%s(", binary[expr->kind].name);
        print_list(namer, expr->args, 2, out);
        cdm_str_putc(out, ')');
        return;
    }
    /* Python chains comparisons that stand side by side. */
    print_at(namer, a, level == LEVEL_COMPARE ? level + 1 : level, out);
    cdm_str_puts(out, sign);
    print_at(namer, b, level + 1, out);
}

static void print_int(const struct cdm_expr *expr, struct cdm_str *out)
{
    struct cdm_type type = expr->type;
    char text[64];

    if (type.code == TYPE_UINT && type.bits == 1 && type.lanes == 1)
        cdm_str_puts(out, expr->integer ? "True" : "False");
    else if (cdm_type_equal(type, cdm_type_int32()) && expr->integer >= -INT32_MAX &&
             expr->integer <= INT32_MAX) /* the reader takes larger digits for int64 */
        cdm_str_add_int64(out, expr->integer);
    else
        cdm_str_printf(out, "T.%s(%lld)", cdm_type_text(type, text, sizeof text),
                       (long long)expr->integer);
}

static void print_float(const struct cdm_expr *expr, struct cdm_str *out)
{
    char text[64];

    cdm_str_printf(out, "T.%s(", cdm_type_text(expr->type, text, sizeof text));
    if (isnan(expr->number))
        cdm_str_puts(out, "\"nan\"");
    else if (isinf(expr->number))
        cdm_str_puts(out, expr->number < 0 ? "\"-inf\"" : "\"inf\"");
    else if (expr->number == 0 && signbit(expr->number))
        cdm_str_puts(out, "-0.0"); /* -0 is an integer */
    else
        cdm_str_add_double(out, expr->number);
    cdm_str_putc(out, ')');
}

static void print_call(const struct cdm_namer *namer, const struct cdm_expr *expr,
                       struct cdm_str *out)
{
    if (!strcmp(expr->text, "None") || (expr->n_args == 0 && strchr(expr->text, '.'))) {
        cdm_str_puts(out, expr->text);
        return;
    }
    cdm_str_printf(out, "T.%s(", expr->text);
    print_list(namer, expr->args, expr->n_args, out);
    struct cdm_type guess = cdm_call_type(expr->text, expr->args, expr->n_args);
    if (!cdm_type_equal(expr->type, guess)) {
        cdm_str_puts(out, expr->n_args ? ", dtype=" : "dtype=");
        print_type(expr->type, out);
    }
    cdm_str_putc(out, ')');
}

static void print_iter_var(const struct cdm_namer *namer, const struct cdm_expr *expr,
                           struct cdm_str *out)
{
    cdm_str_puts(out, "T.iter_var(");
    cdm_print_name(expr->var->name, true, out);
    cdm_str_puts(out, expr->n_args == 2 ? ", T.Range(" : ", None");
    if (expr->n_args == 2) {
        cdm_print_range(namer, expr->args[0], expr->args[1], ", ", out);
        cdm_str_putc(out, ')');
    }
    cdm_str_puts(out, ", ");
    cdm_print_string(expr->type.name ? expr->type.name : "", out);
    cdm_str_puts(out, ", ");
    cdm_print_string(expr->text, out);
    cdm_str_putc(out, ')');
}

static void print_vector(const struct cdm_namer *namer, const char *name,
                         const struct cdm_expr *expr, int32_t n_fixed, struct cdm_str *out)
{
    cdm_str_printf(out, "T.%s(", name);
    print_list(namer, expr->args, expr->n_args, out);
    if (expr->n_args == n_fixed)
        cdm_str_printf(out, ", %lld", (long long)expr->integer);
    cdm_str_putc(out, ')');
}

void cdm_print_access(const struct cdm_namer *namer, const struct cdm_buffer *buffer,
                      struct cdm_expr *const *indices, int32_t n, const struct cdm_expr *predicate,
                      struct cdm_str *out)
{
    cdm_str_printf(out, "%s[", cdm_namer_buffer(namer, buffer));
    print_list(namer, indices, n, out);
    if (predicate) {
        cdm_str_puts(out, n ? ", predicate=" : "predicate=");
        cdm_print_expr(namer, predicate, out);
    } else if (n == 0) {
        cdm_str_puts(out, "()");
    }
    cdm_str_putc(out, ']');
}

static void print_dict(const struct cdm_namer *namer, const struct cdm_expr *expr,
                       struct cdm_str *out)
{
    cdm_str_putc(out, '{');
    for (int32_t i = 0; i + 1 < expr->n_args; i += 2) {
        if (i)
            cdm_str_puts(out, ", ");
        cdm_print_expr(namer, expr->args[i], out);
        cdm_str_puts(out, ": ");
        cdm_print_expr(namer, expr->args[i + 1], out);
    }
    cdm_str_putc(out, '}');
}

static void print_lambda(const struct cdm_namer *namer, const struct cdm_expr *expr,
                         struct cdm_str *out)
{
    cdm_str_puts(out, expr->n_args > 1 ? "lambda " : "lambda");
    print_list(namer, expr->args, expr->n_args - 1, out);
    cdm_str_puts(out, ": ");
    cdm_print_expr(namer, expr->args[expr->n_args - 1], out);
}

void cdm_print_expr(const struct cdm_namer *namer, const struct cdm_expr *expr, struct cdm_str *out)
{
    if (is_binary(expr)) {
        print_binary(namer, expr, out);
        return;
    }
    switch ((enum cdm_expr_kind)expr->kind) {
    case EXPR_INT:
        print_int(expr, out);
        break;
    case EXPR_FLOAT:
        print_float(expr, out);
        break;
    case EXPR_STRING:
        cdm_print_string(expr->text, out);
        break;
    case EXPR_VAR:
        if (expr->var->id < 0) /* of a lambda: formats number such names as they like */
            cdm_print_name(expr->var->name, true, out);
        else
            cdm_str_puts(out, cdm_namer_var(namer, expr->var));
        break;
    case EXPR_BUFFER:
        cdm_str_printf(out, "%s.data", cdm_namer_buffer(namer, expr->buffer));
        break;
    case EXPR_NOT:
        cdm_str_puts(out, "not ");
        print_at(namer, expr->args[0], LEVEL_COMPARE, out);
        break;
    case EXPR_CAST:
        cdm_str_puts(out, "T.cast(");
        cdm_print_expr(namer, expr->args[0], out);
        cdm_str_puts(out, ", ");
        print_type(expr->type, out);
        cdm_str_putc(out, ')');
        break;
    case EXPR_SELECT:
        cdm_str_puts(out, "T.Select(");
        print_list(namer, expr->args, 3, out);
        cdm_str_putc(out, ')');
        break;
    case EXPR_LOAD:
        cdm_print_access(namer, expr->buffer, expr->args, expr->n_index,
                         expr->n_args > expr->n_index ? expr->args[expr->n_index] : NULL, out);
        break;
    case EXPR_RAMP:
        print_vector(namer, "ramp", expr, 2, out);
        break;
    case EXPR_BROADCAST:
        print_vector(namer, "broadcast", expr, 1, out);
        break;
    case EXPR_SHUFFLE:
        cdm_str_puts(out, "T.shuffle([");
        print_list(namer, expr->args, (int32_t)expr->integer, out);
        cdm_str_puts(out, "], [");
        print_list(namer, expr->args + expr->integer, expr->n_args - (int32_t)expr->integer, out);
        cdm_str_puts(out, "])");
        break;
    case EXPR_CALL:
    case EXPR_REDUCE:
        print_call(namer, expr, out);
        break;
    case EXPR_LET:
        cdm_str_printf(out, "T.let(%s, ", cdm_namer_var(namer, expr->var));
        print_list(namer, expr->args, 2, out);
        cdm_str_putc(out, ')');
        break;
    case EXPR_ITER_VAR:
        print_iter_var(namer, expr, out);
        break;
    case EXPR_RANGE:
        cdm_str_puts(out, "T.Range(");
        cdm_print_range(namer, expr->args[0], expr->args[1], ", ", out);
        cdm_str_putc(out, ')');
        break;
    case EXPR_LIST:
        cdm_str_putc(out, '[');
        print_list(namer, expr->args, expr->n_args, out);
        cdm_str_putc(out, ']');
        break;
    case EXPR_DICT:
        print_dict(namer, expr, out);
        break;
    case EXPR_KEYWORD:
        cdm_str_printf(out, "%s=", expr->text);
        cdm_print_expr(namer, expr->args[0], out);
        break;
    case EXPR_LAMBDA:
        print_lambda(namer, expr, out);
        break;
    case EXPR_ADD:
    case EXPR_SUB:
    case EXPR_MUL:
    case EXPR_DIV:
    case EXPR_MOD:
    case EXPR_FLOORDIV:
    case EXPR_FLOORMOD:
    case EXPR_MIN:
    case EXPR_MAX:
    case EXPR_EQ:
    case EXPR_NE:
    case EXPR_LT:
    case EXPR_LE:
    case EXPR_GT:
    case EXPR_GE:
    case EXPR_AND:
    case EXPR_OR:
    case EXPR_N_KINDS:
        break;
    }
}
