#include "features/build.h"
#include "features/extractor.h"

#include <float.h>
#include <stdlib.h>
#include <string.h>

/* Loops */

/* Loops that touch more than FEW_TOUCHES buffers look them up in an index, which is kept for the
 * next loop when it has at most MOST_SLOTS. */
enum { FEW_TOUCHES = 16, MOST_SLOTS = 1024 };

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
    CDM_RESERVE(x->overflow, x->max_overflow, x->n_overflow + 1);
    x->overflow[x->n_overflow++] = loop;
}

static void put_idle(struct cdm_extractor *x, struct loop *loop)
{
    CDM_RESERVE(x->idle, x->max_idle, x->n_idle + 1);
    x->idle[x->n_idle++] = loop;
}

struct loop *cdm_open_loop(struct cdm_extractor *x, const struct cdm_stmt *stmt, int64_t extent)
{
    struct loop *loop = stmt->is_attr ? take_freed(x) : NULL;

    if (!loop) {
        loop = x->n_idle ? x->idle[--x->n_idle] : cdm_alloc(1, sizeof *loop);
        loop->n_touches = 0;
        if (loop->n_slots > MOST_SLOTS) { /* clearing it would cost more than making one */
            free(loop->index);
            loop->index = NULL;
            loop->n_slots = 0;
        }
        loop->sum_bytes = loop->sum_elements = 0;
    }
    loop->stmt = stmt;
    loop->extent = extent;
    CDM_RESERVE(x->loops, x->max_loops, x->n_loops + 1);
    x->loops[x->n_loops++] = loop;
    return loop;
}

void cdm_close_loop(struct cdm_extractor *x)
{
    struct loop *loop = x->loops[--x->n_loops];

    if (loop->stmt->is_attr && x->view == CDM_VIEW_TVM)
        put_freed(x, loop);
    else
        put_idle(x, loop);
}

void cdm_forget_freed(struct cdm_extractor *x)
{
    while (x->n_freed)
        put_idle(x, x->freed[--x->n_freed]);
    while (x->n_overflow)
        put_idle(x, x->overflow[--x->n_overflow]);
}

/* The slot of the buffer, or the free one where it belongs. */
static uint32_t *slot_of(const struct loop *loop, int32_t buffer)
{
    size_t slot = ((uint32_t)buffer * 2654435769u) & (loop->n_slots - 1);

    while (loop->index[slot] && loop->touches[loop->index[slot] - 1].buffer != buffer)
        slot = (slot + 1) & (loop->n_slots - 1);
    return &loop->index[slot];
}

static void index_touches(struct loop *loop)
{
    if (loop->n_touches * 2 > loop->n_slots) {
        free(loop->index);
        loop->n_slots = loop->n_slots ? loop->n_slots * 2 : (size_t)FEW_TOUCHES * 8;
        loop->index = cdm_alloc(loop->n_slots, sizeof *loop->index);
    } else {
        memset(loop->index, 0, loop->n_slots * sizeof *loop->index);
    }
    for (size_t i = 0; i < loop->n_touches; i++)
        *slot_of(loop, loop->touches[i].buffer) = (uint32_t)i + 1;
}

static struct touch *find_touch(const struct loop *loop, int32_t buffer)
{
    if (loop->n_touches > FEW_TOUCHES) {
        uint32_t number = *slot_of(loop, buffer);
        return number ? &loop->touches[number - 1] : NULL;
    }
    for (size_t i = 0; i < loop->n_touches; i++)
        if (loop->touches[i].buffer == buffer)
            return &loop->touches[i];
    return NULL;
}

struct touch *cdm_touch_of(struct cdm_extractor *x, struct loop *loop, int32_t buffer)
{
    struct touch *touch = find_touch(loop, buffer);

    if (touch)
        return touch;
    if (x->n_touches >= MAX_TOUCHES) { /* cdm_extract() fails in the end */
        x->spare = (struct touch){.buffer = buffer};
        return &x->spare;
    }
    x->n_touches++;
    CDM_RESERVE(loop->touches, loop->max_touches, loop->n_touches + 1);
    touch = &loop->touches[loop->n_touches++];
    *touch = (struct touch){.buffer = buffer};
    if (loop->n_touches <= FEW_TOUCHES)
        return touch;
    if (loop->n_touches == FEW_TOUCHES + 1 || loop->n_touches * 2 > loop->n_slots)
        index_touches(loop);
    else
        *slot_of(loop, buffer) = (uint32_t)loop->n_touches;
    return touch;
}

static void add_touch(struct cdm_extractor *x, struct loop *loop, int32_t buffer, int64_t elements,
                      int64_t element_bytes)
{
    struct touch *touch = cdm_touch_of(x, loop, buffer);

    if (!touch->n)
        touch->first = touch->min = elements;
    else if (elements < touch->min)
        touch->min = elements;
    touch->n++;
    loop->sum_bytes += (double)elements * (double)element_bytes;
    loop->sum_elements += (double)element_bytes;
}

int64_t cdm_element_bytes(const struct cdm_buffer *buffer)
{
    return buffer->type.code == TYPE_HANDLE ? 8 : (buffer->type.bits + 7) / 8;
}

/* The product, kept inside the numbers of a float. */
float cdm_times(float a, float b)
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

    x->n_bindings += x->n_loops;
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
void cdm_trace_levels(struct cdm_extractor *x)
{
    size_t n = index_count(x);
    const struct cdm_op_counts *ops = &x->accesses.ops;
    double compute_ops = (double)(ops->float_addsub + ops->float_mul + ops->float_divmod +
                                  ops->float_cmp + ops->float_math + ops->float_other);

    CDM_RESERVE(x->masks, x->max_masks, n + 1);
    CDM_RESERVE(x->bounds, x->max_bounds, n + 1);
    CDM_RESERVE(x->touched, x->max_touched, (size_t)x->accesses.n);
    CDM_RESERVE(x->level_ops, x->max_level_ops, x->n_loops + 1);
    CDM_RESERVE(x->level_bytes, x->max_level_bytes, x->n_loops + 1);
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
            add_touch(x, loop, buffer->base->id, x->touched[a], cdm_element_bytes(buffer));
            bytes += (double)x->touched[a] * (double)cdm_element_bytes(buffer);
        }
        compute_ops *= (double)loop->extent;
        x->level_ops[x->n_loops - 1 - level] = (float)compute_ops;
        x->level_bytes[x->n_loops - 1 - level] = (float)bytes;
    }
    const struct cdm_access *stored = &x->accesses.items[0];
    CDM_RESERVE(x->region, x->max_region, (size_t)stored->n_dims + 1);
    for (int32_t d = 0; d < stored->n_dims; d++)
        x->region[d] = region_of(stored, x->bounds, d);
}
