#include "features/simplify.h"

#include <string.h>

bool cdm_expr_equal(const struct cdm_expr *a, const struct cdm_expr *b)
{
    if (a == b)
        return true;
    if (a->kind != b->kind || a->n_args != b->n_args)
        return false;
    switch ((enum cdm_expr_kind)a->kind) {
    case EXPR_INT:
        return a->integer == b->integer;
    case EXPR_FLOAT:
        return a->number == b->number;
    case EXPR_STRING:
    case EXPR_CALL:
    case EXPR_KEYWORD:
    case EXPR_REDUCE:
    case EXPR_ITER_VAR:
        if (strcmp(a->text, b->text))
            return false;
        break;
    case EXPR_VAR:
        return a->var == b->var;
    case EXPR_BUFFER:
        return a->buffer == b->buffer;
    case EXPR_LOAD:
        if (a->buffer != b->buffer)
            return false;
        break;
    case EXPR_RAMP:
    case EXPR_BROADCAST:
    case EXPR_SHUFFLE:
        if (a->integer != b->integer)
            return false;
        break;
    case EXPR_LET:
        if (a->var != b->var)
            return false;
        break;
    case EXPR_CAST:
        if (!cdm_type_equal(a->type, b->type))
            return false;
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
    case EXPR_NOT:
    case EXPR_SELECT:
    case EXPR_RANGE:
    case EXPR_LIST:
    case EXPR_DICT:
    case EXPR_LAMBDA:
    case EXPR_N_KINDS:
        break;
    }
    for (int32_t i = 0; i < a->n_args; i++)
        if (!cdm_expr_equal(a->args[i], b->args[i]))
            return false;
    return true;
}

/* A sum taken apart: constant + terms with signs. */
enum { MAX_TERMS = 32 };

struct sum {
    int64_t constant;
    struct cdm_expr *terms[MAX_TERMS];
    int signs[MAX_TERMS];
    int n;
    bool too_long;
};

static void add_terms(struct sum *sum, struct cdm_expr *expr, int sign)
{
    while (expr->kind == EXPR_ADD || expr->kind == EXPR_SUB) {
        add_terms(sum, expr->args[1], expr->kind == EXPR_SUB ? -sign : sign);
        expr = expr->args[0];
    }
    if (expr->kind == EXPR_INT) {
        int64_t value;
        /* Negating the smallest integer or adding past the range makes it unknown. */
        if (__builtin_mul_overflow(expr->integer, (int64_t)sign, &value) ||
            __builtin_add_overflow(sum->constant, value, &sum->constant))
            sum->too_long = true;
        return;
    }
    for (int i = 0; i < sum->n; i++) {
        if (sum->signs[i] == -sign && cdm_expr_equal(sum->terms[i], expr)) {
            sum->n--;
            sum->terms[i] = sum->terms[sum->n];
            sum->signs[i] = sum->signs[sum->n];
            return;
        }
    }
    if (sum->n == MAX_TERMS) {
        sum->too_long = true;
        return;
    }
    sum->terms[sum->n] = expr;
    sum->signs[sum->n++] = sign;
}

struct cdm_expr *cdm_expr_difference(struct cdm_builder *builder, struct cdm_expr *end,
                                     struct cdm_expr *min)
{
    struct sum sum = {0};

    if (min->kind == EXPR_INT && min->integer == 0)
        return end;
    if (end->kind == EXPR_ADD && cdm_expr_equal(end->args[0], min))
        return end->args[1];
    add_terms(&sum, end, 1);
    add_terms(&sum, min, -1);
    if (!sum.too_long && sum.n == 0)
        return cdm_expr_int(builder, sum.constant, end->type);
    if (!sum.too_long && sum.n == 1 && sum.signs[0] > 0 && sum.constant == 0)
        return sum.terms[0];
    return cdm_expr_binary(builder, EXPR_SUB, end, min);
}
