#include "features/extractor.h"

#include <math.h>
#include <string.h>

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
    float bytes = (float)cdm_element_bytes(access->buffer);
    size_t level = x->n_loops;
    float ratio = 1;
    int64_t stride = 0;

    while (level-- > 0) {
        stride = moves(x, access, masks, level) ? stride_of(x, access, level) : 0;
        if (stride != 0)
            break;
        /* TVM's quirk: the extent of the innermost loop, not of the one that is skipped. */
        ratio = cdm_times(ratio, (float)x->loops[x->n_loops - 1]->extent);
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

static void fill_reuse(struct cdm_extractor *x, const struct cdm_access *access,
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
        distance = cdm_times(distance, (float)loop->extent);
        bytes = loop->sum_bytes;
        const struct touch *touch = cdm_touch_of(x, loop, access->buffer->base->id);
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
    float bytes = (float)cdm_element_bytes(access->buffer);

    slot->type = access->type;
    slot->bytes = cdm_times(x->outer_prod, bytes);
    if (x->n_loops == 0) {
        slot->unique_bytes = bytes;
        slot->lines = slot->unique_lines = 1;
        slot->stride = 0;
    } else {
        slot->unique_bytes =
            (float)cdm_touch_of(x, x->loops[0], access->buffer->base->id)->first * bytes;
        fill_lines(x, access, masks, slot);
    }
    fill_reuse(x, access, masks, slot);
}

/* Fills the row's slots: the CDM_N_SLOTS buffers with the most lines, then bytes. */
void cdm_fill_slots(struct cdm_extractor *x, struct cdm_leaf_row *row)
{
    size_t at = 0;
    int32_t n = x->accesses.n;

    CDM_RESERVE(x->slots, x->max_slots, (size_t)n);
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
void cdm_fill_curve(const struct cdm_extractor *x, struct cdm_leaf_row *row)
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
