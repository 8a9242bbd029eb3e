/* TVM's blocks as plain statements: what all readers of scheduled programs share.
 *
 * A program of ours has no blocks. A reader that meets one binds each axis name to the expression
 * that the loops give it (cdm_expr_reuse() wherever the name stands), reads the rest, and asks
 * cdm_block_stmt() for the statement. A buffer that matches a region of another one is no buffer
 * of its own either: loads and stores are moved to the source when they are built. */
#ifndef CDMPP_FEATURES_BLOCK_H
#define CDMPP_FEATURES_BLOCK_H

#include "features/build.h"

struct cdm_block_axis {
    struct cdm_expr *binding; /* the value of the axis */
    struct cdm_expr *min;     /* where its domain starts */
    bool is_reduce;
};

/* One block that is read. Everything is borrowed arena memory. */
struct cdm_block {
    const char *name; /* "" = none */
    struct cdm_block_axis *axes;
    int32_t n_axes;
    struct cdm_expr *predicate; /* T.where; NULL = always */
    struct cdm_annotation *annotations;
    int32_t n_annotations;
    struct cdm_buffer **allocs; /* T.alloc_buffer inside the block */
    int32_t n_allocs;
    struct cdm_stmt *init; /* NULL = none */
    struct cdm_stmt *body; /* NULL = empty */
};

/* The statement that does what the block does: under the predicate, with the annotations as
 * attributes on the block's name and the buffers allocated,
 *     if AXIS == MIN and ... (reduce axes only): init
 *     body
 * which is what TVM's LowerInitBlock makes of it (src/tir/transforms/lower_init_block.cc). Parts
 * that are not there, or conditions that are always true, leave no statement. */
struct cdm_stmt *cdm_block_stmt(struct cdm_builder *builder, const struct cdm_block *block,
                                int64_t line, int64_t column);

/* `expr` stands in one more place. Its nodes are counted as if they were copied, since a walk meets
 * them again: too_large is set when that is too much, and when it is nested deeper than
 * CDM_MAX_DEPTH. *height (which may be NULL) is the height of the tree. Returns `expr`. */
struct cdm_expr *cdm_expr_reuse(struct cdm_builder *builder, struct cdm_expr *expr, int *height);

/* `buffer` stands for the region of `source` that begins at mins[i] and has extents[i], one of each
 * for every dimension of `source`: it shares the storage, and when the region's last dimensions are
 * the buffer's, which is what T.match_buffer demands, accesses are moved to the source. */
void cdm_buffer_match(struct cdm_buffer *buffer, struct cdm_buffer *source, struct cdm_expr **mins,
                      struct cdm_expr *const *extents);

/* Moves an access of a matched buffer to its source: *buffer, *indices and *n become those of the
 * source. Leaves other buffers alone. cdm_expr_load() does this by itself; stores ask for it. */
void cdm_build_access(struct cdm_builder *builder, struct cdm_buffer **buffer,
                      struct cdm_expr ***indices, int32_t *n);

#endif
