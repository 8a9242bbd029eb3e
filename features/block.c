#include "features/block.h"

#include "features/simplify.h"

/* Blocks */

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

/* Expressions that stand in several places */

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

/* Matched regions */

static bool is_region(const struct cdm_buffer *buffer, const struct cdm_buffer *source,
                      struct cdm_expr *const *extents)
{
    int32_t dropped = source->n_dims - buffer->n_dims;
    int64_t one;

    if (dropped < 0 || !cdm_type_equal(buffer->type, source->type))
        return false;
    for (int32_t i = 0; i < dropped; i++)
        if (!cdm_expr_is_int(extents[i], &one) || one != 1)
            return false;
    for (int32_t i = 0; i < buffer->n_dims; i++)
        if (!cdm_expr_equal(buffer->shape[i], extents[dropped + i]))
            return false;
    return true;
}

void cdm_buffer_match(struct cdm_buffer *buffer, struct cdm_buffer *source, struct cdm_expr **mins,
                      struct cdm_expr *const *extents)
{
    buffer->base = source->base;
    buffer->scope = source->scope;
    if (is_region(buffer, source, extents)) {
        buffer->source = source;
        buffer->source_mins = mins;
    }
}

/* min + index; the base of a vector index, the start of a region moves. */
static struct cdm_expr *shifted(struct cdm_builder *builder, struct cdm_expr *min,
                                struct cdm_expr *index)
{
    int64_t number;

    if (index->kind == EXPR_RAMP || index->kind == EXPR_RANGE) {
        struct cdm_expr *moved = cdm_expr_new(builder, index->kind, index->type, index->n_args);
        for (int32_t i = 1; i < index->n_args; i++)
            moved->args[i] = index->args[i];
        moved->args[0] = shifted(builder, min, index->args[0]);
        moved->integer = index->integer;
        return moved;
    }
    if (cdm_expr_is_int(min, &number) && number == 0)
        return index;
    min = cdm_expr_reuse(builder, min, NULL);
    if (cdm_expr_is_int(index, &number) && number == 0)
        return min;
    return cdm_expr_binary(builder, EXPR_ADD, min, index);
}

void cdm_build_access(struct cdm_builder *builder, struct cdm_buffer **buffer,
                      struct cdm_expr ***indices, int32_t *n)
{
    /* A region may be matched inside a region. */
    while ((*buffer)->source && *n == (*buffer)->n_dims) {
        struct cdm_buffer *source = (*buffer)->source;
        int32_t dropped = source->n_dims - *n;
        struct cdm_expr **moved =
            cdm_arena_array(builder->arena, (size_t)source->n_dims + 1, sizeof *moved);
        for (int32_t i = 0; i < source->n_dims; i++) {
            struct cdm_expr *min = (*buffer)->source_mins[i];
            moved[i] = i < dropped ? cdm_expr_reuse(builder, min, NULL)
                                   : shifted(builder, min, (*indices)[i - dropped]);
        }
        *indices = moved;
        *n = source->n_dims;
        *buffer = source;
    }
}
