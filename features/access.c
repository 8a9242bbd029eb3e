#include "features/access.h"

#include "cdmpp/core/alloc.h"
#include "features/build.h"

#include <stdlib.h>

/* The first buffers of a statement are looked at one by one. */
enum { FEW = 8 };

static struct cdm_access_place *place_of(struct cdm_accesses *accesses, size_t id)
{
    if (id >= accesses->max_places) {
        size_t n = accesses->max_places;
        accesses->places =
            cdm_grow(accesses->places, &accesses->max_places, id + 1, sizeof *accesses->places);
        for (; n < accesses->max_places; n++)
            accesses->places[n] = (struct cdm_access_place){0, 0};
    }
    return &accesses->places[id];
}

static struct cdm_access *access_of(struct cdm_accesses *accesses, struct cdm_buffer *buffer,
                                    int32_t n_dims)
{
    for (int32_t i = 0; i < accesses->n && i < FEW; i++)
        if (accesses->items[i].buffer->base == buffer->base)
            return &accesses->items[i];
    if (accesses->n >= FEW) {
        struct cdm_access_place *place = place_of(accesses, (size_t)buffer->base->id);
        if (place->statement == accesses->statement)
            return &accesses->items[place->item];
        *place = (struct cdm_access_place){accesses->statement, accesses->n};
    }
    if (accesses->n == accesses->max) {
        size_t capacity = (size_t)accesses->max;
        accesses->items =
            cdm_grow(accesses->items, &capacity, capacity + 1, sizeof *accesses->items);
        for (size_t i = (size_t)accesses->max; i < capacity; i++)
            accesses->items[i] = (struct cdm_access){0};
        accesses->max = (int32_t)capacity;
    }
    struct cdm_access *access = &accesses->items[accesses->n++];
    access->buffer = buffer;
    access->n_dims = n_dims;
    access->n = 0;
    access->type = ACCESS_READ;
    return access;
}

/* Accesses to one buffer with another number of indices (an alias of another shape) cannot be put
 * into one region: only those like the first count. */
static void add_indices(struct cdm_access *access, struct cdm_expr **indices, int32_t n_dims)
{
    if (n_dims != access->n_dims)
        return;
    if (access->n == access->max) {
        size_t capacity = (size_t)access->max;
        access->indices =
            cdm_grow(access->indices, &capacity, capacity + 1, sizeof *access->indices);
        access->max = (int32_t)capacity;
    }
    access->indices[access->n++] = indices;
}

static void count_binary(struct cdm_op_counts *ops, const struct cdm_expr *expr)
{
    bool is_float = cdm_type_is_float(expr->args[0]->type);
    int64_t lanes = expr->args[0]->type.lanes;

    if (expr->kind <= EXPR_SUB)
        *(is_float ? &ops->float_addsub : &ops->int_addsub) += lanes;
    else if (expr->kind == EXPR_MUL)
        *(is_float ? &ops->float_mul : &ops->int_mul) += lanes;
    else if (expr->kind <= EXPR_FLOORMOD)
        *(is_float ? &ops->float_divmod : &ops->int_divmod) += lanes;
    else if (expr->kind <= EXPR_GE)
        *(is_float ? &ops->float_cmp : &ops->int_cmp) += lanes;
    else
        ops->bool_op++;
}

static void count_call(struct cdm_op_counts *ops, const struct cdm_expr *expr)
{
    bool is_float = cdm_type_is_float(expr->type);

    if (cdm_call_effect(expr->text) == CALL_PURE)
        *(is_float ? &ops->float_math : &ops->int_math) += 1;
    else
        *(is_float ? &ops->float_other : &ops->int_other) += 1;
}

static void visit(struct cdm_accesses *accesses, const struct cdm_expr *expr)
{
    struct cdm_op_counts *ops = &accesses->ops;

    if (expr->kind == EXPR_LOAD) {
        struct cdm_access *access = access_of(accesses, expr->buffer, expr->n_index);
        if (access->type == ACCESS_WRITE)
            access->type = ACCESS_READ_WRITE;
        /* A buffer that is stored and loaded is updated in place: the store's indices stand for
         * both. */
        if (access->type != ACCESS_READ_WRITE)
            add_indices(access, expr->args, expr->n_index);
    } else if (expr->kind >= EXPR_ADD && expr->kind <= EXPR_OR) {
        count_binary(ops, expr);
    } else if (expr->kind == EXPR_NOT) {
        ops->bool_op++;
    } else if (expr->kind == EXPR_SELECT) {
        ops->select_op++;
    } else if (expr->kind == EXPR_CALL) {
        count_call(ops, expr);
    }
    for (int32_t i = 0; i < expr->n_args; i++)
        visit(accesses, expr->args[i]);
}

void cdm_accesses_collect(struct cdm_accesses *accesses, const struct cdm_stmt *store)
{
    if (accesses->statement == INT32_MAX) { /* begin anew: no place may be of an old statement */
        free(accesses->places);
        accesses->places = NULL;
        accesses->max_places = 0;
        accesses->statement = 0;
    }
    accesses->statement++;
    accesses->n = 0;
    accesses->ops = (struct cdm_op_counts){0};
    struct cdm_access *stored = access_of(accesses, store->buffer, store->n_indices);
    stored->type = ACCESS_WRITE;
    add_indices(stored, store->indices, store->n_indices);
    visit(accesses, store->value);
}

void cdm_accesses_release(struct cdm_accesses *accesses)
{
    for (int32_t i = 0; i < accesses->max; i++)
        free(accesses->items[i].indices);
    free(accesses->items);
    free(accesses->places);
    *accesses = (struct cdm_accesses){0};
}

/* The state of TVM's walk: what was met so far, anywhere in the expression, decides how the next
 * node is taken, which makes it approximate. */
struct coefficient {
    const struct cdm_var *var;
    bool met_var, met_mul, met_add;
    int64_t value;
};

static void walk(struct coefficient *state, const struct cdm_expr *expr)
{
    if (expr->kind == EXPR_VAR) {
        if (expr->var == state->var) {
            state->met_var = true;
            state->value = 2; /* TVM's guess for what the rules below do not cover */
        }
        return;
    }
    for (int32_t i = 0; i < expr->n_args; i++)
        walk(state, expr->args[i]);
    if (!state->met_var)
        return;
    if (expr->kind == EXPR_MUL && !state->met_add) {
        const struct cdm_expr *a = expr->args[0], *b = expr->args[1];
        if (a->kind == EXPR_INT || b->kind == EXPR_INT) {
            state->met_mul = true;
            state->value = (int32_t)(a->kind == EXPR_INT ? a->integer : b->integer);
        }
    } else if (expr->kind == EXPR_ADD && !state->met_mul) {
        state->met_add = true;
        state->value = 1;
    }
}

int64_t cdm_coefficient(const struct cdm_expr *index, const struct cdm_var *var)
{
    struct coefficient state = {.var = var};

    walk(&state, index);
    if (!state.met_var)
        return 0;
    return state.met_mul || state.met_add ? state.value : 1;
}

bool cdm_expr_has_var(const struct cdm_expr *expr, const struct cdm_var *var)
{
    if (expr->kind == EXPR_VAR)
        return expr->var == var;
    for (int32_t i = 0; i < expr->n_args; i++)
        if (cdm_expr_has_var(expr->args[i], var))
            return true;
    return false;
}
