#include "features/leaf_row.h"

#include <float.h>
#include <math.h>

/* TVM's scale: keeps zero and the sign, and makes counts and bytes comparable. */
static float scaled(float x, bool raw)
{
    if (!(x >= -FLT_MAX && x <= FLT_MAX)) /* infinite or not a number: hostile extents only */
        x = x > 0 ? FLT_MAX : 0;
    if (raw || x == 0)
        return x;
    return x < 0 ? -log2f(-x + 1) : log2f(x + 1);
}

static float *write_annotated(const struct cdm_annotated *loops, bool raw, float *out)
{
    enum { N_POSITIONS = 8, NONE = 0, MIXED = 7 };

    *out++ = scaled(loops->num, raw);
    *out++ = scaled(loops->prod, raw);
    *out++ = scaled(loops->len, raw);
    for (int i = 0; i < N_POSITIONS; i++)
        *out++ = i == (loops->num > 0 ? MIXED : NONE);
    return out;
}

static float *write_slot(const struct cdm_slot *slot, bool raw, float *out)
{
    /* Without reuse TVM doubles instead of dividing. */
    float by = slot->reuse_ct > 0.5f ? 1 / slot->reuse_ct : 2;

    for (int i = ACCESS_READ; i <= ACCESS_READ_WRITE; i++)
        *out++ = i == (int)slot->type;
    *out++ = scaled(slot->bytes, raw);
    *out++ = scaled(slot->unique_bytes, raw);
    *out++ = scaled(slot->lines, raw);
    *out++ = scaled(slot->unique_lines, raw);
    for (int i = REUSE_LOOP; i <= REUSE_NONE; i++)
        *out++ = i == (int)slot->reuse;
    *out++ = scaled(slot->reuse_dis_iter, raw);
    *out++ = scaled(slot->reuse_dis_bytes, raw);
    *out++ = scaled(slot->reuse_ct, raw);
    *out++ = scaled(slot->bytes * by, raw);
    *out++ = scaled(slot->unique_bytes * by, raw);
    *out++ = scaled(slot->lines * by, raw);
    *out++ = scaled(slot->unique_lines * by, raw);
    *out++ = scaled(slot->stride, raw);
    return out;
}

void cdm_leaf_write(const struct cdm_leaf_row *row, bool raw, float *out)
{
    for (int i = 0; i < CDM_N_OPS; i++)
        *out++ = scaled(row->ops[i], raw);
    out = write_annotated(&row->vec, raw, out);
    out = write_annotated(&row->unroll, raw, out);
    out = write_annotated(&row->parallel, raw, out);
    *out++ = row->is_gpu;
    for (int i = 0; i < CDM_N_AXES; i++)
        *out++ = scaled(row->axes[i], raw);
    *out++ = scaled(row->vthread, raw);
    for (int i = 0; i < row->n_slots; i++)
        out = write_slot(&row->slots[i], raw, out);
    for (int i = row->n_slots * CDM_SLOT_ENTRIES; i < CDM_N_SLOTS * CDM_SLOT_ENTRIES; i++)
        *out++ = 0;
    for (int i = 0; i < CDM_N_CURVE; i++)
        *out++ = scaled(row->curve[i], raw);
    *out++ = scaled(row->alloc_size, raw);
    *out++ = scaled(row->alloc_prod, raw);
    *out++ = scaled(row->alloc_outer_prod, raw);
    *out++ = scaled(row->alloc_inner_prod, raw);
    *out++ = scaled(row->outer_prod, raw);
    *out++ = scaled(row->num_loops, raw);
    *out++ = scaled(row->auto_unroll_max_step, raw);
}

#define LEAF_ENTRY(name, unit, meaning) #name,
#define SLOTS_(k)                                                                                  \
    "B" #k ".acc_type.kRead", "B" #k ".acc_type.kWrite", "B" #k ".acc_type.kReadWrite",            \
        "B" #k ".bytes", "B" #k ".unique_bytes", "B" #k ".lines", "B" #k ".unique_lines",          \
        "B" #k ".reuse_type.kLoopMultipleRead", "B" #k ".reuse_type.kSerialMultipleReadWrite",     \
        "B" #k ".reuse_type.kNoReuse", "B" #k ".reuse_dis_iter", "B" #k ".reuse_dis_bytes",        \
        "B" #k ".reuse_ct", "B" #k ".bytes_d_reuse_ct", "B" #k ".unique_bytes_d_reuse_ct",         \
        "B" #k ".lines_d_reuse_ct", "B" #k ".unique_lines_d_reuse_ct", "B" #k ".stride",
#define LEAF_SLOTS SLOTS_(0) SLOTS_(1) SLOTS_(2) SLOTS_(3) SLOTS_(4)

static const char *const names[] = {
#include "features/leaf.def"
};

_Static_assert(sizeof names / sizeof *names == CDM_N_FEATURES,
               "leaf.def and CDM_N_FEATURES differ");

const char *cdm_feature_name(int i)
{
    return i >= 0 && i < CDM_N_FEATURES ? names[i] : "";
}
