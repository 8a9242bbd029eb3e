#include "features/bound.h"

#include <string.h>

#define INF CDM_BOUND_INF

static int64_t smaller(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

static int64_t larger(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

/* An end that is infinite on the wrong side is pulled in by one. The smallest integer, whose
 * negative does not exist, does not occur. */
static struct cdm_bound make(int64_t min, int64_t max)
{
    return (struct cdm_bound){min == INF         ? INF - 1
                              : min == INT64_MIN ? -INF
                                                 : min,
                              max <= -INF ? -INF + 1 : max};
}

static int64_t add(int64_t x, int64_t y)
{
    int64_t sum;

    if (x == INF || x == -INF)
        return x;
    if (y == INF || y == -INF)
        return y;
    if (__builtin_add_overflow(x, y, &sum) || sum == INT64_MIN)
        return x > 0 ? INF : -INF;
    return sum;
}

static int64_t negative(int64_t x)
{
    return x == INT64_MIN ? INF : -x;
}

static int64_t multiply(int64_t x, int64_t y)
{
    int64_t product;

    if (__builtin_mul_overflow(x, y, &product) || product == INT64_MIN)
        return (x > 0) == (y > 0) ? INF : -INF;
    return product;
}

static int64_t divide(int64_t x, int64_t y)
{
    if (x == INF || x == -INF)
        return y > 0 ? x : -x;
    return x / y;
}

static int64_t floor_divide(int64_t x, int64_t y)
{
    if (x == INF || x == -INF)
        return y > 0 ? x : -x;
    int64_t quotient = x / y;
    return quotient - (x % y != 0 && (x < 0) != (y < 0));
}

static int64_t shift_right(int64_t x, int64_t y)
{
    if (x == INF || x == -INF)
        return x;
    return x >> (y < 0 ? 0 : y > 63 ? 63 : y);
}

static int64_t shift_left(int64_t x, int64_t y)
{
    if (x == INF || x == -INF)
        return x;
    if (y < 0 || y > 62)
        return x ? INF : 0;
    return x > (INF >> y) ? INF : (int64_t)((uint64_t)x << y);
}

/* The bound of an operation that is monotonic in each operand: from the four corners. */
static struct cdm_bound corners(struct cdm_bound a, struct cdm_bound b,
                                int64_t (*op)(int64_t, int64_t))
{
    int64_t v1 = op(a.min, b.min), v2 = op(a.max, b.max);
    int64_t v3 = op(a.min, b.max), v4 = op(a.max, b.min);

    return (struct cdm_bound){smaller(smaller(v1, v2), smaller(v3, v4)),
                              larger(larger(v1, v2), larger(v3, v4))};
}

static struct cdm_bound either(struct cdm_bound a, struct cdm_bound b)
{
    return (struct cdm_bound){smaller(a.min, b.min), larger(a.max, b.max)};
}

struct cdm_bound cdm_bound_of_type(struct cdm_type type)
{
    bool is_signed = type.code == TYPE_INT;

    if (!is_signed && type.code != TYPE_UINT)
        return make(-INF, INF);
    int bits = type.bits - is_signed;
    if (bits >= 63)
        return (struct cdm_bound){is_signed ? -INF : 0, INF};
    int64_t limit = (int64_t)1 << bits;
    return (struct cdm_bound){is_signed ? -limit : 0, limit - 1};
}

/* A divisor whose range holds 0 is taken apart at 0. */
static struct cdm_bound division(struct cdm_bound a, struct cdm_bound b, struct cdm_type type,
                                 int64_t (*op)(int64_t, int64_t))
{
    if (b.min == 0 && b.max == 0)
        return cdm_bound_of_type(type);
    if (b.min <= 0 && b.max >= 0) {
        struct cdm_bound result;
        bool has = false;
        if (b.min < 0) {
            result = corners(a, make(b.min, -1), op);
            has = true;
        }
        if (b.max > 0) {
            struct cdm_bound above = corners(a, make(1, b.max), op);
            result = has ? either(result, above) : above;
        }
        return result;
    }
    return corners(a, b, op);
}

static struct cdm_bound modulo(struct cdm_bound a, struct cdm_bound b, struct cdm_type type,
                               bool truncating)
{
    if (b.min > 0) {
        int64_t cap = add(b.max, -1);
        if (a.min >= 0)
            return a.max < b.min ? a : make(0, smaller(a.max, cap));
        if (truncating)
            return make(larger(a.min, negative(cap)), smaller(larger(a.max, 0), cap));
        return make(0, cap);
    }
    struct cdm_bound all = cdm_bound_of_type(type);
    if (truncating || (b.min == 0 && b.max == 0))
        return all;
    return (struct cdm_bound){larger(smaller(0, add(b.min, 1)), all.min),
                              smaller(larger(0, add(b.max, -1)), all.max)};
}

static struct cdm_bound call(const struct cdm_expr *expr, const struct cdm_bound *vars)
{
    struct cdm_bound all = cdm_bound_of_type(expr->type);

    if (expr->n_args != 2)
        return all;
    if (!strcmp(expr->text, "shift_right"))
        return corners(cdm_bound_of(expr->args[0], vars), cdm_bound_of(expr->args[1], vars),
                       shift_right);
    if (!strcmp(expr->text, "shift_left")) {
        struct cdm_bound a = cdm_bound_of(expr->args[0], vars);
        struct cdm_bound b = cdm_bound_of(expr->args[1], vars);
        return a.min < 0 || b.min < 0 ? all : corners(a, b, shift_left);
    }
    if (!strcmp(expr->text, "bitwise_and")) {
        struct cdm_bound a = cdm_bound_of(expr->args[0], vars);
        struct cdm_bound b = cdm_bound_of(expr->args[1], vars);
        if (a.min >= 0 && b.min >= 0)
            return make(0, smaller(a.max, b.max));
        if (b.min >= 0)
            return make(0, b.max);
        return a.min >= 0 ? make(0, a.max) : all;
    }
    return all;
}

static struct cdm_bound binary(const struct cdm_expr *expr, const struct cdm_bound *vars)
{
    struct cdm_bound a = cdm_bound_of(expr->args[0], vars);
    struct cdm_bound b = cdm_bound_of(expr->args[1], vars);

    /* Only the arithmetic kinds come here: see cdm_bound_of(). */
    if (expr->kind == EXPR_ADD)
        return (struct cdm_bound){add(a.min, b.min), add(a.max, b.max)};
    if (expr->kind == EXPR_SUB)
        return (struct cdm_bound){add(a.min, negative(b.max)), add(a.max, negative(b.min))};
    if (expr->kind == EXPR_MUL)
        return corners(a, b, multiply);
    if (expr->kind == EXPR_DIV)
        return division(a, b, expr->type, divide);
    if (expr->kind == EXPR_FLOORDIV)
        return division(a, b, expr->type, floor_divide);
    if (expr->kind == EXPR_MIN)
        return (struct cdm_bound){smaller(a.min, b.min), smaller(a.max, b.max)};
    if (expr->kind == EXPR_MAX)
        return (struct cdm_bound){larger(a.min, b.min), larger(a.max, b.max)};
    return modulo(a, b, expr->type, expr->kind == EXPR_MOD);
}

struct cdm_bound cdm_bound_of(const struct cdm_expr *expr, const struct cdm_bound *vars)
{
    switch ((enum cdm_expr_kind)expr->kind) {
    case EXPR_INT:
        return make(expr->integer, expr->integer);
    case EXPR_VAR:
        return expr->var->id >= 0 ? vars[expr->var->id] : cdm_bound_of_type(expr->type);
    case EXPR_ADD:
    case EXPR_SUB:
    case EXPR_MUL:
    case EXPR_DIV:
    case EXPR_MOD:
    case EXPR_FLOORDIV:
    case EXPR_FLOORMOD:
    case EXPR_MIN:
    case EXPR_MAX:
        return binary(expr, vars);
    case EXPR_CAST: {
        struct cdm_bound a = cdm_bound_of(expr->args[0], vars);
        struct cdm_bound b = cdm_bound_of_type(expr->type);
        return (struct cdm_bound){larger(a.min, b.min), smaller(a.max, b.max)};
    }
    case EXPR_SELECT:
        return either(cdm_bound_of(expr->args[1], vars), cdm_bound_of(expr->args[2], vars));
    case EXPR_RAMP: {
        struct cdm_bound base = cdm_bound_of(expr->args[0], vars);
        struct cdm_bound stride = cdm_bound_of(expr->args[1], vars);
        struct cdm_bound way =
            corners(make(0, expr->integer > 0 ? expr->integer - 1 : 0), stride, multiply);
        return (struct cdm_bound){add(base.min, smaller(way.min, 0)),
                                  add(base.max, larger(way.max, 0))};
    }
    case EXPR_CALL:
        return call(expr, vars);
    case EXPR_LET:
        return cdm_bound_of(expr->args[1], vars);
    case EXPR_FLOAT:
    case EXPR_STRING:
    case EXPR_BUFFER:
    case EXPR_EQ:
    case EXPR_NE:
    case EXPR_LT:
    case EXPR_LE:
    case EXPR_GT:
    case EXPR_GE:
    case EXPR_AND:
    case EXPR_OR:
    case EXPR_NOT:
    case EXPR_LOAD:
    case EXPR_BROADCAST:
    case EXPR_SHUFFLE:
    case EXPR_REDUCE:
    case EXPR_ITER_VAR:
    case EXPR_RANGE:
    case EXPR_LIST:
    case EXPR_DICT:
    case EXPR_KEYWORD:
    case EXPR_LAMBDA:
    case EXPR_N_KINDS:
        break;
    }
    return cdm_bound_of_type(expr->type);
}

struct cdm_bound cdm_bound_of_loop(const struct cdm_expr *min, const struct cdm_expr *extent,
                                   const struct cdm_bound *vars)
{
    struct cdm_bound a = cdm_bound_of(min, vars);
    struct cdm_bound b = cdm_bound_of(extent, vars);

    return (struct cdm_bound){a.min, add(a.max, add(b.max, -1))};
}

int64_t cdm_loop_extent(const struct cdm_expr *extent, const struct cdm_bound *vars)
{
    int64_t max = cdm_bound_of(extent, vars).max;
    return max == INF ? 1 : max;
}
