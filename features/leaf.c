#include "features/leaf.h"

#include "features/build.h"
#include "features/extractor.h"

#include <stdlib.h>
#include <string.h>

/* Rows */

static struct cdm_annotated annotated(const struct cdm_extractor *x, enum cdm_loop_kind kind)
{
    struct cdm_annotated loops = {0};

    for (size_t i = 0; i < x->n_loops; i++) {
        if (x->loops[i]->stmt->loop_kind != kind)
            continue;
        loops.len = (float)x->loops[i]->extent;
        loops.prod = cdm_times(loops.num > 0 ? loops.prod : 1, loops.len);
        loops.num++;
    }
    return loops;
}

static struct cdm_leaf_row *new_row(struct cdm_extractor *x, int32_t buffer)
{
    if (x->n_rows >= MAX_ROWS)
        return NULL;
    CDM_RESERVE(x->rows, x->max_rows, x->n_rows + 1);
    struct cdm_leaf_row *row = &x->rows[x->n_rows++];
    *row = (struct cdm_leaf_row){.buffer = buffer};
    return row;
}

/* The row for a store to (or an allocation of) the buffer in the present view. */
static struct cdm_leaf_row *row_for(struct cdm_extractor *x, int32_t buffer)
{
    if (x->view == CDM_VIEW_LEAF)
        return new_row(x, buffer);
    if (x->row_of[buffer] >= 0)
        return &x->rows[x->row_of[buffer]];
    struct cdm_leaf_row *row = new_row(x, buffer);
    if (row)
        x->row_of[buffer] = (int32_t)(row - x->rows);
    return row;
}

static bool is_too_large(const struct cdm_extractor *x)
{
    return x->n_touches >= MAX_TOUCHES || x->n_bindings >= MAX_BINDINGS;
}

static void visit_store(struct cdm_extractor *x, const struct cdm_stmt *stmt)
{
    if (is_too_large(x))
        return;
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
        row->ops[i] += cdm_times(x->outer_prod, (float)counts[i]);
    row->vec = annotated(x, LOOP_VECTORIZED);
    row->unroll = annotated(x, LOOP_UNROLLED);
    row->parallel = annotated(x, LOOP_PARALLEL);
    row->is_gpu = x->is_gpu;
    memcpy(row->axes, x->axes, sizeof row->axes);
    row->vthread = x->vthread;
    cdm_trace_levels(x);
    cdm_fill_slots(x, row);
    cdm_fill_curve(x, row);
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
    x->outer_prod = cdm_times(x->outer_prod, (float)extent);
    cdm_open_loop(x, stmt, extent);
    visit(x, stmt->body);
    cdm_close_loop(x);
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

    CDM_RESERVE(x->lets, x->max_lets, x->n_lets + 1);
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
        elements = cdm_times(elements, (float)cdm_loop_extent(realize ? stmt->indices[i]->args[1]
                                                                      : stmt->buffer->shape[i],
                                                              x->vars));
    struct allocation before = x->allocations[id];
    struct allocation now = {.size = cdm_times(elements, (float)cdm_element_bytes(stmt->buffer)),
                             .prod = cdm_times(elements, x->outer_prod),
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
    x->n_touches = x->n_bindings = 0;
    CDM_RESERVE(x->vars, x->max_vars, n_vars + 1);
    CDM_RESERVE(x->loop_mask, x->max_mask, n_vars + 1);
    CDM_RESERVE(x->allocations, x->max_allocations, n_buffers + 1);
    if (view == CDM_VIEW_TVM) {
        CDM_RESERVE(x->row_of, x->max_row_of, n_buffers + 1);
        for (size_t i = 0; i < n_buffers; i++)
            x->row_of[i] = -1;
    }
    for (size_t i = 0; i < n_vars; i++)
        x->vars[i] = cdm_bound_of_type(program->vars[i]->type);
    memset(x->loop_mask, 0, (n_vars + 1) * sizeof *x->loop_mask);
    memset(x->allocations, 0, (n_buffers + 1) * sizeof *x->allocations);
}

enum cdm_status cdm_extract(struct cdm_extractor *extractor, const struct cdm_program *program,
                            enum cdm_leaf_view view, bool raw, struct cdm_leaf_matrix *matrix,
                            struct cdm_error *err)
{
    struct cdm_extractor *x = extractor;

    prepare(x, program, view);
    visit(x, program->body);
    cdm_forget_freed(x);
    if (x->n_rows >= MAX_ROWS)
        return cdm_fail(err, CDM_BAD_INPUT, "the program has more than %d stores", MAX_ROWS);
    if (is_too_large(x))
        return cdm_fail(err, CDM_BAD_INPUT,
                        "the program has too many loops around too many stores for features");
    CDM_RESERVE(x->values, x->max_values, x->n_rows * CDM_N_FEATURES + 1);
    CDM_RESERVE(x->positions, x->max_positions, x->n_rows + 1);
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

void cdm_extractor_free(struct cdm_extractor *extractor)
{
    struct cdm_extractor *x = extractor;

    if (!x)
        return;
    for (size_t i = 0; i < x->n_idle; i++) {
        free(x->idle[i]->touches);
        free(x->idle[i]->index);
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
    free(x->row_of);
    free(x->values);
    free(x->positions);
    cdm_arena_release(&x->arena);
    free(x);
}
