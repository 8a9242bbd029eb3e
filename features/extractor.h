/* The state of feature extraction. Private to features/leaf.c (the walk), features/leaf_region.c
 * (what loops touch) and features/leaf_slot.c (buffer slots and the intensity curve). */
#ifndef CDMPP_FEATURES_EXTRACTOR_H
#define CDMPP_FEATURES_EXTRACTOR_H

#include "cdmpp/core/alloc.h"
#include "features/access.h"
#include "features/bound.h"
#include "features/leaf.h"
#include "features/leaf_row.h"

enum { CACHE_LINE = 64, MAX_ROWS = 1 << 20, MASK_LOOPS = 64, MAX_FREED = 7 };

/* Limits on the work for one program, seconds at most: real programs stay thousands of times below.
 */
enum {
    MAX_TOUCHES = 1 << 22,  /* buffers that the loops touch, counted for each loop */
    MAX_BINDINGS = 1 << 27, /* computed bounds of loop variables */
};

/* What the statements so far touched of one buffer in one pass of a loop. */
struct touch {
    int32_t buffer;     /* base id */
    int32_t n;          /* statements */
    int64_t first, min; /* elements */
};

/* A loop around the current statement. */
struct loop {
    const struct cdm_stmt *stmt;
    int64_t extent;
    struct touch *touches; /* [n_touches] */
    size_t n_touches, max_touches;
    uint32_t *index; /* [n_slots] number of a touch + 1, by buffer; unused while there are few */
    size_t n_slots;
    double sum_bytes;    /* of all touches: elements * bytes */
    double sum_elements; /* of all touches: bytes of one element */
};

struct let {
    const struct cdm_stmt *stmt;
    int32_t level; /* loops open around it */
};

struct allocation {
    float size, prod, outer_prod; /* size 0: none */
};

struct cdm_extractor {
    struct cdm_arena arena; /* of the AST */
    const struct cdm_program *program;
    enum cdm_leaf_view view;

    struct loop **loops; /* [n_loops] open ones, outermost first */
    size_t n_loops, max_loops;
    struct loop **idle; /* [n_idle] closed ones, to use again */
    size_t n_idle, max_idle;
    struct loop *freed[MAX_FREED], **overflow; /* see take_freed(); empty in the leaf view */
    size_t n_freed, n_overflow, max_overflow;

    struct let *lets;
    size_t n_lets, max_lets;

    struct cdm_bound *vars; /* [n_vars] */
    size_t max_vars;
    uint64_t *loop_mask; /* [n_vars] which open loops run over the variable (the first 64) */
    size_t max_mask;
    struct allocation *allocations; /* [n_buffers] by base id */
    size_t max_allocations;

    struct cdm_accesses accesses;
    uint64_t *masks; /* of each index of each access: loops whose variable occurs */
    size_t max_masks;
    struct cdm_bound *bounds; /* of each index of each access */
    size_t max_bounds;
    int64_t *touched; /* [n accesses] elements at the present level */
    size_t max_touched;
    int32_t *region; /* [dims] of the stored buffer at the outermost level */
    size_t max_region;
    float *level_ops, *level_bytes; /* [n_loops] from the innermost outwards */
    size_t max_level_ops, max_level_bytes;
    struct cdm_slot *slots;
    size_t max_slots;

    float outer_prod;
    float axes[CDM_N_AXES];
    float vthread;
    bool is_gpu;
    int32_t auto_unroll;
    bool nonconstant; /* a loop around here has bounds that are no numbers, or there is a let */
    int n_nonconstant;

    size_t n_touches;   /* of all loops so far */
    size_t n_bindings;  /* so far */
    struct touch spare; /* what a loop gets that may have no more */

    struct cdm_leaf_row *rows; /* [n_rows] */
    int32_t *row_of;           /* [n_buffers] TVM view: the buffer's row, -1 = none yet */
    size_t max_row_of;
    size_t n_rows, max_rows;
    float *values;
    size_t max_values;
    int32_t *positions;
    size_t max_positions;
};

/* Loops. An open one stays valid until it is closed. */
struct loop *cdm_open_loop(struct cdm_extractor *x, const struct cdm_stmt *stmt, int64_t extent);
void cdm_close_loop(struct cdm_extractor *x);
/* Forgets the touches that closed thread loops left behind: see leaf_region.c. */
void cdm_forget_freed(struct cdm_extractor *x);
struct touch *cdm_touch_of(struct cdm_extractor *x, struct loop *loop, int32_t buffer);

/* Bytes of one element, one lane. */
int64_t cdm_element_bytes(const struct cdm_buffer *buffer);
/* The product, kept inside the numbers of a float. */
float cdm_times(float a, float b);

/* Goes from the innermost loop outwards and notes, at each loop, what one pass of the statement in
 * x->accesses touches. */
void cdm_trace_levels(struct cdm_extractor *x);

/* Fills the row's slots, then its curve, from what cdm_trace_levels() noted. */
void cdm_fill_slots(struct cdm_extractor *x, struct cdm_leaf_row *row);
void cdm_fill_curve(const struct cdm_extractor *x, struct cdm_leaf_row *row);

#endif
