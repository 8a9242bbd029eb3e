#include "features/block.h"

#include "features/simplify.h"

/* AXIS == MIN and ..., or NULL when that always holds. */
static struct cdm_expr *first_time(struct cdm_builder *builder, const struct cdm_block *block)
{
    struct cdm_expr *all = NULL;

    for (int32_t i = 0; i < block->n_axes; i++) {
        const struct cdm_block_axis *axis = &block->axes[i];
        if (!axis->is_reduce || cdm_expr_equal(axis->binding, axis->min))
            continue;
        struct cdm_expr *at_start = cdm_expr_binary(
            builder, EXPR_EQ, cdm_expr_reuse(builder, axis->binding, NULL), axis->min);
        all = all ? cdm_expr_binary(builder, EXPR_AND, all, at_start) : at_start;
    }
    return all;
}

static struct cdm_stmt *with_body(struct cdm_stmt *outer, struct cdm_stmt *body)
{
    outer->body = body;
    return outer;
}

static bool always(const struct cdm_expr *condition)
{
    int64_t value;
    return !condition || (cdm_expr_is_int(condition, &value) && value != 0);
}

struct cdm_stmt *cdm_block_stmt(struct cdm_builder *builder, const struct cdm_block *block,
                                int64_t line, int64_t column)
{
    struct cdm_stmt *body = block->body ? block->body : cdm_stmt_seq(builder, NULL, 0);

    if (block->init) {
        struct cdm_stmt *both[2] = {block->init, body};
        struct cdm_expr *condition = first_time(builder, block);
        if (condition) {
            both[0] = with_body(cdm_stmt_new(builder, STMT_IF, line, column), block->init);
            both[0]->condition = condition;
        }
        body = cdm_stmt_seq(builder, both, 2);
    }
    for (int32_t i = block->n_allocs; i-- > 0;) {
        body = with_body(cdm_stmt_new(builder, STMT_ALLOCATE, line, column), body);
        body->buffer = block->allocs[i];
    }
    for (int32_t i = block->n_annotations; i-- > 0;) {
        body = with_body(cdm_stmt_new(builder, STMT_ATTR, line, column), body);
        body->node = cdm_expr_text(builder, cdm_view_of(block->name));
        body->key = block->annotations[i].key;
        body->value = block->annotations[i].value;
    }
    if (!always(block->predicate)) {
        body = with_body(cdm_stmt_new(builder, STMT_IF, line, column), body);
        body->condition = block->predicate;
    }
    return body;
}
