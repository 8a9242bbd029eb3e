#include "features/leaf.h"

#include "cdmpp/core/alloc.h"
#include "features/access.h"
#include "features/bound.h"
#include "features/build.h"
#include "features/leaf_row.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { CACHE_LINE = 64, MAX_ROWS = 1 << 20, MASK_LOOPS = 64, MAX_FREED = 7 };

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

    struct cdm_leaf_row *rows; /* [n_rows] */
    size_t n_rows, max_rows;
    float *values;
    size_t max_values;
    int32_t *positions;
    size_t max_positions;
};

#define RESERVE(array, capacity, n) ((array) = cdm_grow((array), &(capacity), (n), sizeof *(array)))

/* Loops */

/* TVM's extractor makes a loop node for each thread axis, frees it at the end of the axis and keeps
 * what it touched under the node's address. The next axis gets that address from the allocator, and
 * with it the old touches. The model's features do not copy this accident, but the TVM view does,
 * so that it can be compared: `freed` is the allocator's per-thread cache (last in, first out,
 * seven places), `overflow` its fast bin behind it, which refills the cache. */
static struct loop *take_freed(struct cdm_extractor *x)
{
    if (x->n_freed)
        return x->freed[--x->n_freed];
    if (!x->n_overflow)
        return NULL;
    struct loop *loop = x->overflow[--x->n_overflow];
    while (x->n_overflow && x->n_freed < MAX_FREED)
        x->freed[x->n_freed++] = x->overflow[--x->n_overflow];
    return loop;
}

static void put_freed(struct cdm_extractor *x, struct loop *loop)
{
    if (x->n_freed < MAX_FREED) {
        x->freed[x->n_freed++] = loop;
        return;
    }
    RESERVE(x->overflow, x->max_overflow, x->n_overflow + 1);
    x->overflow[x->n_overflow++] = loop;
}

static void put_idle(struct cdm_extractor *x, struct loop *loop)
{
    RESERVE(x->idle, x->max_idle, x->n_idle + 1);
    x->idle[x->n_idle++] = loop;
}

static struct loop *open_loop(struct cdm_extractor *x, const struct cdm_stmt *stmt, int64_t extent)
{
    struct loop *loop = stmt->is_attr ? take_freed(x) : NULL;

    if (!loop) {
        loop = x->n_idle ? x->idle[--x->n_idle] : cdm_alloc(1, sizeof *loop);
        loop->n_touches = 0;
        loop->sum_bytes = loop->sum_elements = 0;
    }
    loop->stmt = stmt;
    loop->extent = extent;
    RESERVE(x->loops, x->max_loops, x->n_loops + 1);
    x->loops[x->n_loops++] = loop;
    return loop;
}

static void close_loop(struct cdm_extractor *x)
{
    struct loop *loop = x->loops[--x->n_loops];

    if (loop->stmt->is_attr && x->view == CDM_VIEW_TVM)
        put_freed(x, loop);
    else
        put_idle(x, loop);
}

static void forget_freed(struct cdm_extractor *x)
{
    while (x->n_freed)
        put_idle(x, x->freed[--x->n_freed]);
    while (x->n_overflow)
        put_idle(x, x->overflow[--x->n_overflow]);
}

static struct touch *touch_of(struct loop *loop, int32_t buffer)
{
    for (size_t i = 0; i < loop->n_touches; i++)
        if (loop->touches[i].buffer == buffer)
            return &loop->touches[i];
    RESERVE(loop->touches, loop->max_touches, loop->n_touches + 1);
    struct touch *touch = &loop->touches[loop->n_touches++];
    *touch = (struct touch){.buffer = buffer};
    return touch;
}

static void add_touch(struct loop *loop, int32_t buffer, int64_t elements, int64_t element_bytes)
{
    struct touch *touch = touch_of(loop, buffer);

    if (!touch->n)
        touch->first = touch->min = elements;
    else if (elements < touch->min)
        touch->min = elements;
    touch->n++;
    loop->sum_bytes += (double)elements * (double)element_bytes;
    loop->sum_elements += (double)element_bytes;
}

static int64_t element_bytes(const struct cdm_buffer *buffer)
{
    return buffer->type.code == TYPE_HANDLE ? 8 : (buffer->type.bits + 7) / 8;
}

/* The product, kept inside the numbers of a float. */
static float times(float a, float b)
{
    float product = a * b;
    return product > FLT_MAX ? FLT_MAX : product;
}

/* Touched regions */

static uint64_t mask_of(const struct cdm_extractor *x, const struct cdm_expr *expr)
{
    if (expr->kind == EXPR_VAR)
        return expr->var->id >= 0 ? x->loop_mask[expr->var->id] : 0;
    uint64_t mask = 0;
    for (int32_t i = 0; i < expr->n_args; i++)
        mask |= mask_of(x, expr->args[i]);
    return mask;
}

/* Gives the loops below `level` their first value and the others their range, as TVM does for the
 * region of one pass of loop `level`. */
static void bind_level(struct cdm_extractor *x, size_t level)
{
    size_t let = 0;

    for (size_t i = 0; i <= x->n_loops; i++) {
        for (; let < x->n_lets && x->lets[let].level <= (int32_t)i; let++) {
            const struct cdm_stmt *stmt = x->lets[let].stmt;
            bool known = i == 0 || i > level;
            x->vars[stmt->var->id] =
                known ? cdm_bound_of(stmt->value, x->vars) : cdm_bound_of_type(stmt->var->type);
        }
        if (i == x->n_loops)
            break;
        const struct cdm_stmt *stmt = x->loops[i]->stmt;
        x->vars[stmt->var->id] = i < level ? cdm_bound_of(stmt->min, x->vars)
                                           : cdm_bound_of_loop(stmt->min, stmt->extent, x->vars);
    }
}

/* Touched elements along dimension d: the hull over all accesses to the buffer. TVM keeps it in 32
 * bits. */
static int32_t region_of(const struct cdm_access *access, const struct cdm_bound *bounds, int32_t d)
{
    int64_t min = bounds[d].min, max = bounds[d].max;

    for (int32_t j = 1; j < access->n; j++) {
        const struct cdm_bound *bound = &bounds[j * access->n_dims + d];
        min = bound->min < min ? bound->min : min;
        max = bound->max > max ? bound->max : max;
    }
    return (int32_t)(uint32_t)((uint64_t)max - (uint64_t)min + 1);
}

static int64_t touched_elements(const struct cdm_access *access, const struct cdm_bound *bounds)
{
    uint64_t product = 1;

    for (int32_t d = 0; d < access->n_dims; d++)
        product *= (uint64_t)(int64_t)region_of(access, bounds, d);
    return (int64_t)product;
}

/* Brings the bounds of all indices that move with the loops of `moved` up to date. */
static void update_regions(struct cdm_extractor *x, uint64_t moved)
{
    size_t at = 0;

    for (int32_t a = 0; a < x->accesses.n; a++) {
        const struct cdm_access *access = &x->accesses.items[a];
        size_t start = at;
        bool changed = false;
        for (int32_t j = 0; j < access->n; j++) {
            for (int32_t d = 0; d < access->n_dims; d++, at++) {
                if (!(x->masks[at] & moved))
                    continue;
                x->bounds[at] = cdm_bound_of(access->indices[j][d], x->vars);
                changed = true;
            }
        }
        if (changed || access->n_dims == 0)
            x->touched[a] = touched_elements(access, x->bounds + start);
    }
}

static size_t index_count(const struct cdm_extractor *x)
{
    size_t n = 0;
    for (int32_t a = 0; a < x->accesses.n; a++)
        n += (size_t)x->accesses.items[a].n * (size_t)x->accesses.items[a].n_dims;
    return n;
}

static void fill_masks(struct cdm_extractor *x)
{
    size_t at = 0;

    for (int32_t a = 0; a < x->accesses.n; a++) {
        const struct cdm_access *access = &x->accesses.items[a];
        for (int32_t j = 0; j < access->n; j++)
            for (int32_t d = 0; d < access->n_dims; d++)
                x->masks[at++] = x->nonconstant ? UINT64_MAX : mask_of(x, access->indices[j][d]);
    }
}

/* Goes from the innermost loop outwards and notes, at each loop, what one pass touches. */
static void trace_levels(struct cdm_extractor *x)
{
    size_t n = index_count(x);
    const struct cdm_op_counts *ops = &x->accesses.ops;
    double compute_ops = (double)(ops->float_addsub + ops->float_mul + ops->float_divmod +
                                  ops->float_cmp + ops->float_math + ops->float_other);

    RESERVE(x->masks, x->max_masks, n + 1);
    RESERVE(x->bounds, x->max_bounds, n + 1);
    RESERVE(x->touched, x->max_touched, (size_t)x->accesses.n);
    RESERVE(x->level_ops, x->max_level_ops, x->n_loops + 1);
    RESERVE(x->level_bytes, x->max_level_bytes, x->n_loops + 1);
    fill_masks(x);
    bind_level(x, x->n_loops);
    /* With a mask of its own for indices that no loop moves, all are computed once. */
    for (size_t i = 0; i < n; i++)
        x->masks[i] = x->masks[i] ? x->masks[i] : (uint64_t)1 << (MASK_LOOPS - 1);
    update_regions(x, UINT64_MAX);
    for (size_t level = x->n_loops; level-- > 0;) {
        struct loop *loop = x->loops[level];
        if (x->nonconstant) {
            bind_level(x, level);
            update_regions(x, UINT64_MAX);
        } else {
            x->vars[loop->stmt->var->id] =
                cdm_bound_of_loop(loop->stmt->min, loop->stmt->extent, x->vars);
            update_regions(x, (uint64_t)1 << level);
        }
        double bytes = 0;
        for (int32_t a = 0; a < x->accesses.n; a++) {
            const struct cdm_buffer *buffer = x->accesses.items[a].buffer;
            add_touch(loop, buffer->base->id, x->touched[a], element_bytes(buffer));
            bytes += (double)x->touched[a] * (double)element_bytes(buffer);
        }
        compute_ops *= (double)loop->extent;
        x->level_ops[x->n_loops - 1 - level] = (float)compute_ops;
        x->level_bytes[x->n_loops - 1 - level] = (float)bytes;
    }
    const struct cdm_access *stored = &x->accesses.items[0];
    RESERVE(x->region, x->max_region, (size_t)stored->n_dims + 1);
    for (int32_t d = 0; d < stored->n_dims; d++)
        x->region[d] = region_of(stored, x->bounds, d);
}

/* Buffer slots */

/* Whether loop `level` moves the access, given the masks of its indices. */
static bool moves(const struct cdm_extractor *x, const struct cdm_access *access,
                  const uint64_t *masks, size_t level)
{
    size_t n = (size_t)access->n * (size_t)access->n_dims;

    for (size_t i = 0; i < n; i++) {
        if (!x->nonconstant) {
            if (masks[i] >> level & 1)
                return true;
        } else if (cdm_expr_has_var(
                       access->indices[i / (size_t)access->n_dims][i % (size_t)access->n_dims],
                       x->loops[level]->stmt->var)) {
            return true;
        }
    }
    return false;
}

static int64_t dim_size(const struct cdm_extractor *x, const struct cdm_buffer *buffer, int32_t d)
{
    if (d >= buffer->n_dims)
        return 1;
    return cdm_loop_extent(buffer->shape[d], x->vars);
}

/* The smallest stride over all accesses along loop `level`, in elements; 0 when it does not move.
 */
static int64_t stride_of(const struct cdm_extractor *x, const struct cdm_access *access,
                         size_t level)
{
    const struct cdm_var *var = x->loops[level]->stmt->var;
    int64_t smallest = INT64_MAX;

    for (int32_t j = 0; j < access->n; j++) {
        int64_t size = 1;
        for (int32_t d = access->n_dims - 1; d >= 0; d--) {
            const struct cdm_expr *index = access->indices[j][d];
            if (cdm_expr_has_var(index, var)) {
                int64_t coefficient = cdm_coefficient(index, var), stride;
                if (__builtin_mul_overflow(coefficient < 0 ? -coefficient : coefficient, size,
                                           &stride))
                    stride = INT64_MAX - 1;
                smallest = stride < smallest ? stride : smallest;
                break;
            }
            if (__builtin_mul_overflow(size, dim_size(x, access->buffer, d), &size))
                size = INT64_MAX;
        }
    }
    return smallest == INT64_MAX ? 0 : smallest;
}

static void fill_lines(struct cdm_extractor *x, const struct cdm_access *access,
                       const uint64_t *masks, struct cdm_slot *slot)
{
    float bytes = (float)element_bytes(access->buffer);
    size_t level = x->n_loops;
    float ratio = 1;
    int64_t stride = 0;

    while (level-- > 0) {
        stride = moves(x, access, masks, level) ? stride_of(x, access, level) : 0;
        if (stride != 0)
            break;
        /* TVM's quirk: the extent of the innermost loop, not of the one that is skipped. */
        ratio = times(ratio, (float)x->loops[x->n_loops - 1]->extent);
    }
    float share = (float)stride * bytes / CACHE_LINE;
    slot->lines = fmaxf(x->outer_prod / ratio * fminf(1, share), 1);
    slot->stride = level == x->n_loops - 1 ? (float)stride : 0;

    float contiguous = bytes;
    int32_t d = x->accesses.items[0].n_dims < access->buffer->n_dims ? x->accesses.items[0].n_dims
                                                                     : access->buffer->n_dims;
    while (--d >= 0) {
        if (x->region[d] == dim_size(x, access->buffer, d)) {
            contiguous *= (float)x->region[d];
            break;
        }
    }
    slot->unique_lines = fmaxf(slot->unique_bytes / fminf(contiguous, CACHE_LINE), 1);
}

static void fill_reuse(const struct cdm_extractor *x, const struct cdm_access *access,
                       const uint64_t *masks, struct cdm_slot *slot)
{
    float distance = 1;
    double bytes = -1;

    slot->reuse = REUSE_NONE;
    slot->reuse_dis_iter = slot->reuse_dis_bytes = slot->reuse_ct = 0;
    for (size_t level = x->n_loops; level-- > 0;) {
        struct loop *loop = x->loops[level];
        if (!moves(x, access, masks, level)) {
            slot->reuse = REUSE_LOOP;
            slot->reuse_dis_iter = distance;
            slot->reuse_dis_bytes = (float)(bytes < 0 ? loop->sum_elements : bytes);
            slot->reuse_ct = (float)loop->extent;
            return;
        }
        distance = times(distance, (float)loop->extent);
        bytes = loop->sum_bytes;
        const struct touch *touch = touch_of(loop, access->buffer->base->id);
        if (touch->n > 1) {
            slot->reuse = REUSE_SERIAL;
            slot->reuse_dis_iter = (float)touch->min / (float)loop->extent;
            slot->reuse_dis_bytes = (float)bytes / (float)loop->extent;
            slot->reuse_ct = (float)(touch->n - 1);
            return;
        }
    }
}

static void fill_slot(struct cdm_extractor *x, const struct cdm_access *access,
                      const uint64_t *masks, struct cdm_slot *slot)
{
    float bytes = (float)element_bytes(access->buffer);

    slot->type = access->type;
    slot->bytes = times(x->outer_prod, bytes);
    if (x->n_loops == 0) {
        slot->unique_bytes = bytes;
        slot->lines = slot->unique_lines = 1;
        slot->stride = 0;
    } else {
        slot->unique_bytes = (float)touch_of(x->loops[0], access->buffer->base->id)->first * bytes;
        fill_lines(x, access, masks, slot);
    }
    fill_reuse(x, access, masks, slot);
}

/* Fills the row's slots: the CDM_N_SLOTS buffers with the most lines, then bytes. */
static void fill_slots(struct cdm_extractor *x, struct cdm_leaf_row *row)
{
    size_t at = 0;
    int32_t n = x->accesses.n;

    RESERVE(x->slots, x->max_slots, (size_t)n);
    for (int32_t a = 0; a < n; a++) {
        const struct cdm_access *access = &x->accesses.items[a];
        fill_slot(x, access, x->masks + at, &x->slots[a]);
        at += (size_t)access->n * (size_t)access->n_dims;
    }
    /* Insertion from the last accessed buffer on: equal ones stay in reverse order of first access.
     */
    row->n_slots = 0;
    for (int32_t a = n - 1; a >= 0; a--) {
        const struct cdm_slot *slot = &x->slots[a];
        int32_t place = row->n_slots;
        while (place > 0 && (row->slots[place - 1].lines < slot->lines ||
                             (row->slots[place - 1].lines == slot->lines &&
                              row->slots[place - 1].bytes < slot->bytes)))
            place--;
        if (place == CDM_N_SLOTS)
            continue;
        int32_t last = row->n_slots < CDM_N_SLOTS ? row->n_slots++ : CDM_N_SLOTS - 1;
        for (int32_t i = last; i > place; i--)
            row->slots[i] = row->slots[i - 1];
        row->slots[place] = *slot;
    }
}

/* Float operations per touched byte against the share of the operations, sampled at ten points and
 * interpolated between loops. Where nothing is touched by TVM's count (a data-dependent index wraps
 * its 32 bits around), one byte keeps the ratio finite. */
static void fill_curve(const struct cdm_extractor *x, struct cdm_leaf_row *row)
{
    size_t n = x->n_loops, point = 0;

    memset(row->curve, 0, sizeof row->curve);
    if (n == 0 || !(x->level_ops[n - 1] > 0))
        return;
    for (int i = 0; i < CDM_N_CURVE; i++) {
        float ops = x->level_ops[n - 1] * (float)(i + 1) / CDM_N_CURVE;
        while (point + 1 < n && x->level_ops[point] < ops - 1e-4)
            point++;
        float here = x->level_ops[point] / fmaxf(x->level_bytes[point], 1);
        if (point > 0) {
            float before = x->level_ops[point - 1] / fmaxf(x->level_bytes[point - 1], 1);
            float step = x->level_ops[point] - x->level_ops[point - 1];
            float slope = step > 0 ? (here - before) / step : 0;
            here = before + slope * (ops - x->level_ops[point - 1]);
        }
        row->curve[i] = here;
    }
}

/* Rows */

static struct cdm_annotated annotated(const struct cdm_extractor *x, enum cdm_loop_kind kind)
{
    struct cdm_annotated loops = {0};

    for (size_t i = 0; i < x->n_loops; i++) {
        if (x->loops[i]->stmt->loop_kind != kind)
            continue;
        loops.len = (float)x->loops[i]->extent;
        loops.prod = times(loops.num > 0 ? loops.prod : 1, loops.len);
        loops.num++;
    }
    return loops;
}

static struct cdm_leaf_row *new_row(struct cdm_extractor *x, int32_t buffer)
{
    if (x->n_rows >= MAX_ROWS)
        return NULL;
    RESERVE(x->rows, x->max_rows, x->n_rows + 1);
    struct cdm_leaf_row *row = &x->rows[x->n_rows++];
    *row = (struct cdm_leaf_row){.buffer = buffer};
    return row;
}

/* The row for a store to (or an allocation of) the buffer in the present view. */
static struct cdm_leaf_row *row_for(struct cdm_extractor *x, int32_t buffer)
{
    if (x->view == CDM_VIEW_TVM)
        for (size_t i = 0; i < x->n_rows; i++)
            if (x->rows[i].buffer == buffer)
                return &x->rows[i];
    return new_row(x, buffer);
}

static void visit_store(struct cdm_extractor *x, const struct cdm_stmt *stmt)
{
    cdm_accesses_collect(&x->accesses, stmt);
    struct cdm_leaf_row *row = row_for(x, stmt->buffer->base->id);
    if (!row)
        return;
    const struct cdm_op_counts *o = &x->accesses.ops;
    const int64_t counts[CDM_N_OPS] = {0,
                                       o->float_addsub,
                                       o->float_mul,
                                       o->float_divmod,
                                       o->float_cmp,
                                       o->float_math,
                                       o->float_other,
                                       0,
                                       o->int_addsub,
                                       o->int_mul,
                                       o->int_divmod,
                                       o->int_cmp,
                                       o->int_math,
                                       o->int_other,
                                       o->bool_op,
                                       o->select_op};
    for (int i = 0; i < CDM_N_OPS; i++)
        row->ops[i] += times(x->outer_prod, (float)counts[i]);
    row->vec = annotated(x, LOOP_VECTORIZED);
    row->unroll = annotated(x, LOOP_UNROLLED);
    row->parallel = annotated(x, LOOP_PARALLEL);
    row->is_gpu = x->is_gpu;
    memcpy(row->axes, x->axes, sizeof row->axes);
    row->vthread = x->vthread;
    trace_levels(x);
    fill_slots(x, row);
    fill_curve(x, row);
    row->outer_prod = x->outer_prod;
    row->num_loops = (float)x->n_loops;
    row->auto_unroll_max_step = (float)x->auto_unroll;
    if (x->view == CDM_VIEW_LEAF) {
        const struct allocation *allocation = &x->allocations[stmt->buffer->base->id];
        row->alloc_size = allocation->size;
        row->alloc_prod = allocation->prod;
        row->alloc_outer_prod = allocation->outer_prod;
        row->alloc_inner_prod =
            allocation->outer_prod > 0 ? x->outer_prod / allocation->outer_prod : 0;
    }
}

/* The walk */

static void visit(struct cdm_extractor *x, const struct cdm_stmt *stmt);

static float *axis_of(struct cdm_extractor *x, const char *tag)
{
    static const char *const tags[CDM_N_AXES] = {"blockIdx.x",  "blockIdx.y",  "blockIdx.z",
                                                 "threadIdx.x", "threadIdx.y", "threadIdx.z"};

    for (int i = 0; i < CDM_N_AXES; i++)
        if (!strcmp(tag, tags[i]))
            return &x->axes[i];
    return NULL;
}

static void visit_loop(struct cdm_extractor *x, const struct cdm_stmt *stmt)
{
    int64_t extent = cdm_loop_extent(stmt->extent, x->vars), number;
    bool thread = stmt->loop_kind == LOOP_THREAD || stmt->loop_kind == LOOP_VTHREAD;
    bool constant = cdm_expr_is_int(stmt->min, &number) && cdm_expr_is_int(stmt->extent, &number);
    float *length = NULL, length_before = 0, prod_before = x->outer_prod;
    struct cdm_bound *bound = &x->vars[stmt->var->id], bound_before = *bound;
    uint64_t *mask = &x->loop_mask[stmt->var->id], mask_before = *mask;

    if (thread) {
        x->is_gpu = true;
        length = stmt->loop_kind == LOOP_VTHREAD ? &x->vthread : axis_of(x, stmt->thread_tag);
        if (length) {
            length_before = *length;
            *length = (float)extent * (stmt->loop_kind == LOOP_VTHREAD ? *length : 1);
        }
    }
    *bound = cdm_bound_of_loop(stmt->min, stmt->extent, x->vars);
    if (x->n_loops < MASK_LOOPS - 1)
        *mask |= (uint64_t)1 << x->n_loops;
    else
        constant = false; /* too deep for the masks */
    x->n_nonconstant += !constant;
    x->nonconstant = x->n_nonconstant > 0;
    x->outer_prod = times(x->outer_prod, (float)extent);
    open_loop(x, stmt, extent);
    visit(x, stmt->body);
    close_loop(x);
    x->outer_prod = prod_before;
    x->n_nonconstant -= !constant;
    x->nonconstant = x->n_nonconstant > 0;
    *mask = mask_before;
    *bound = bound_before;
    if (length)
        *length = length_before;
}

static void visit_let(struct cdm_extractor *x, const struct cdm_stmt *stmt)
{
    struct cdm_bound *bound = &x->vars[stmt->var->id], before = *bound;

    RESERVE(x->lets, x->max_lets, x->n_lets + 1);
    x->lets[x->n_lets++] = (struct let){stmt, (int32_t)x->n_loops};
    *bound = cdm_bound_of(stmt->value, x->vars);
    x->nonconstant = ++x->n_nonconstant > 0;
    visit(x, stmt->body);
    x->nonconstant = --x->n_nonconstant > 0;
    x->n_lets--;
    *bound = before;
}

static void visit_allocation(struct cdm_extractor *x, const struct cdm_stmt *stmt)
{
    int32_t id = stmt->buffer->base->id;
    bool realize = stmt->kind == STMT_REALIZE;
    int32_t n = realize ? stmt->n_indices : stmt->buffer->n_dims;
    float elements = 1;

    for (int32_t i = 0; i < n; i++)
        elements = times(elements, (float)cdm_loop_extent(realize ? stmt->indices[i]->args[1]
                                                                  : stmt->buffer->shape[i],
                                                          x->vars));
    struct allocation before = x->allocations[id];
    struct allocation now = {.size = times(elements, (float)element_bytes(stmt->buffer)),
                             .prod = times(elements, x->outer_prod),
                             .outer_prod = x->outer_prod};
    x->allocations[id] = now;
    visit(x, stmt->body);
    x->allocations[id] = before;
    struct cdm_leaf_row *row = x->view == CDM_VIEW_TVM ? row_for(x, id) : NULL;
    if (row) {
        row->alloc_size = now.size;
        row->alloc_prod = now.prod;
        row->alloc_outer_prod = now.outer_prod;
        row->alloc_inner_prod = now.outer_prod > 0 ? row->outer_prod / now.outer_prod : 0;
    }
}

static void visit_attr(struct cdm_extractor *x, const struct cdm_stmt *stmt)
{
    int32_t before = x->auto_unroll;
    int64_t value;

    if (!strcmp(stmt->key, "pragma_auto_unroll_max_step") && cdm_expr_is_int(stmt->value, &value))
        x->auto_unroll = (int16_t)(uint16_t)(uint64_t)value; /* TVM keeps it in 16 bits */
    visit(x, stmt->body);
    x->auto_unroll = before;
}

static void visit(struct cdm_extractor *x, const struct cdm_stmt *stmt)
{
    switch ((enum cdm_stmt_kind)stmt->kind) {
    case STMT_SEQ:
        for (int32_t i = 0; i < stmt->n_children; i++)
            visit(x, stmt->children[i]);
        break;
    case STMT_LOOP:
        visit_loop(x, stmt);
        break;
    case STMT_ATTR:
        visit_attr(x, stmt);
        break;
    case STMT_REALIZE:
    case STMT_ALLOCATE:
        visit_allocation(x, stmt);
        break;
    case STMT_STORE:
        visit_store(x, stmt);
        break;
    case STMT_LET:
        visit_let(x, stmt);
        break;
    case STMT_IF:
    case STMT_ASSERT:
    case STMT_WHILE:
        visit(x, stmt->body);
        if (stmt->other)
            visit(x, stmt->other);
        break;
    case STMT_EVALUATE:
    case STMT_N_KINDS:
        break;
    }
}

static void prepare(struct cdm_extractor *x, const struct cdm_program *program,
                    enum cdm_leaf_view view)
{
    size_t n_vars = (size_t)program->n_vars, n_buffers = (size_t)program->n_buffers;

    x->program = program;
    x->view = view;
    x->n_loops = x->n_lets = x->n_rows = 0;
    x->outer_prod = x->vthread = 1;
    for (int i = 0; i < CDM_N_AXES; i++)
        x->axes[i] = 1;
    x->is_gpu = x->nonconstant = false;
    x->n_nonconstant = 0;
    x->auto_unroll = 0;
    RESERVE(x->vars, x->max_vars, n_vars + 1);
    RESERVE(x->loop_mask, x->max_mask, n_vars + 1);
    RESERVE(x->allocations, x->max_allocations, n_buffers + 1);
    for (size_t i = 0; i < n_vars; i++)
        x->vars[i] = cdm_bound_of_type(program->vars[i]->type);
    memset(x->loop_mask, 0, (n_vars + 1) * sizeof *x->loop_mask);
    memset(x->allocations, 0, (n_buffers + 1) * sizeof *x->allocations);
}

enum cdm_status cdm_extract(struct cdm_extractor *x, const struct cdm_program *program,
                            enum cdm_leaf_view view, bool raw, struct cdm_leaf_matrix *matrix,
                            struct cdm_error *err)
{
    prepare(x, program, view);
    visit(x, program->body);
    forget_freed(x);
    if (x->n_rows >= MAX_ROWS)
        return cdm_fail(err, CDM_BAD_INPUT, "the program has more than %d stores", MAX_ROWS);
    RESERVE(x->values, x->max_values, x->n_rows * CDM_N_FEATURES + 1);
    RESERVE(x->positions, x->max_positions, x->n_rows + 1);
    for (size_t i = 0; i < x->n_rows; i++)
        cdm_leaf_write(&x->rows[i], raw, x->values + i * CDM_N_FEATURES);
    memset(x->positions, 0, x->n_rows * sizeof *x->positions);
    if (view == CDM_VIEW_LEAF) {
        cdm_arena_reset(&x->arena);
        const struct cdm_ast *ast = cdm_ast_build(program, &x->arena);
        for (int32_t i = 0; i < ast->n_leaves; i++)
            x->positions[i] = cdm_ast_position(ast, i);
    }
    *matrix = (struct cdm_leaf_matrix){x->values, x->positions, (int32_t)x->n_rows};
    return CDM_OK;
}

struct cdm_extractor *cdm_extractor_new(void)
{
    return cdm_alloc(1, sizeof(struct cdm_extractor));
}

void cdm_extractor_free(struct cdm_extractor *x)
{
    if (!x)
        return;
    for (size_t i = 0; i < x->n_idle; i++) {
        free(x->idle[i]->touches);
        free(x->idle[i]);
    }
    free(x->idle);
    free(x->overflow);
    free(x->loops);
    free(x->lets);
    free(x->vars);
    free(x->loop_mask);
    free(x->allocations);
    cdm_accesses_release(&x->accesses);
    free(x->masks);
    free(x->bounds);
    free(x->touched);
    free(x->region);
    free(x->level_ops);
    free(x->level_bytes);
    free(x->slots);
    free(x->rows);
    free(x->values);
    free(x->positions);
    cdm_arena_release(&x->arena);
    free(x);
}
