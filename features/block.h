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

#endif
