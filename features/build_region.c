/* Buffers that stand for a region of another one: see features/build.h. */
#include "features/build.h"
#include "features/simplify.h"

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
    cdm_buffer_alias(buffer, source);
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
