/* Blocks of TVMScript: axes, initial values, matched regions. */
#include "features/script.h"

#include <string.h>

struct cdm_stmt *script_block(struct script_parser *parser, const struct cdm_token *callee,
                              int indent)
{
    struct script_block *open = cdm_arena_alloc(parser->arena, sizeof *open);
    struct script_list args = {0};

    parser->has_block = true;
    script_expect(parser, '(');
    script_args(parser, ')', &args);
    script_expect(parser, ':');
    const char *name = script_text_of(script_positional(&args, 0));
    open->block.name = name ? name : "";
    parser->next_block = open;
    open->block.body = script_body(parser, indent);
    if (parser->status)
        return open->block.body;
    return cdm_block_stmt(&parser->builder, &open->block, callee->line, callee->column);
}

void script_init(struct script_parser *parser, const struct cdm_token *callee, int indent)
{
    struct script_list args = {0};
    struct script_block *open = parser->block;

    script_expect(parser, '(');
    script_args(parser, ')', &args);
    script_expect(parser, ':');
    struct cdm_stmt *body = script_body(parser, indent);
    if (!open || open->block.init)
        script_fail(parser, callee,
                    open ? "this block has a T.init already" : "T.init stands outside a block");
    else
        open->block.init = body;
}

static void add_axis(struct script_parser *parser, const struct cdm_token *name,
                     struct cdm_expr *dom, struct cdm_expr *binding, bool is_reduce)
{
    struct script_block *open = parser->block;
    struct cdm_block *block = &open->block;

    /* T.block(no_realize=True): nothing gives the axis a value. */
    if (!binding)
        binding = cdm_expr_var(&parser->builder, cdm_build_var(&parser->builder, name->text,
                                                               dom ? dom->type : cdm_type_int32()));
    struct cdm_expr *min = dom && dom->kind == EXPR_LIST && dom->n_args
                               ? dom->args[0]
                               : cdm_expr_int(&parser->builder, 0, binding->type);
    block->axes = cdm_arena_grow(parser->arena, block->axes, (size_t)block->n_axes, &open->max_axes,
                                 sizeof *block->axes);
    block->axes[block->n_axes++] = (struct cdm_block_axis){binding, min, is_reduce};
    script_bind(parser, script_symbol(parser, name->text, name->hash),
                (struct script_binding){.kind = BINDING_EXPR, .expr = binding});
}

/* vi, vj = T.axis.remap("SR", [i, j]) */
static void remap(struct script_parser *parser, const struct cdm_token *callee,
                  const struct cdm_token *names, int n_names, const struct script_list *args)
{
    const char *kinds = script_text_of(script_positional(args, 0));
    const struct cdm_expr *loops = script_positional(args, 1);

    if (!kinds || strlen(kinds) != (size_t)n_names || !loops || loops->kind != EXPR_LIST ||
        loops->n_args != n_names) {
        script_fail(parser, callee, "T.axis.remap needs a letter and a loop for each name");
        return;
    }
    for (int i = 0; i < n_names; i++)
        add_axis(parser, &names[i], NULL, loops->args[i], kinds[i] == 'R');
}

bool script_axis(struct script_parser *parser, const struct cdm_token *callee,
                 const struct cdm_token *names, int n_names)
{
    static const char *const kinds[] = {"spatial", "S", "reduce", "R", "scan", "opaque", "O"};
    struct cdm_view path = script_callee(callee->text);
    struct script_list args = {0};

    if (!cdm_view_starts(path, "axis."))
        return false;
    struct cdm_view kind = {path.data + strlen("axis."), path.length - strlen("axis.")};
    script_expect(parser, '(');
    script_args(parser, ')', &args);
    if (parser->status)
        return true;
    if (!parser->block) {
        script_fail(parser, callee, "an axis stands outside a block");
        return true;
    }
    if (cdm_view_is(kind, "remap")) {
        remap(parser, callee, names, n_names, &args);
        return true;
    }
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        if (!cdm_view_is(kind, kinds[i]) || n_names != 1)
            continue;
        add_axis(parser, &names[0], script_positional(&args, 0), script_positional(&args, 1),
                 cdm_view_is(kind, "reduce") || cdm_view_is(kind, "R"));
        return true;
    }
    script_fail(parser, callee, "'%.*s' is no kind of axis that is known", (int)path.length,
                path.data);
    return true;
}

void script_match(struct script_parser *parser, struct cdm_buffer *buffer,
                  const struct cdm_expr *region)
{
    int32_t n = region->n_index;
    struct cdm_expr **mins = cdm_arena_array(parser->arena, (size_t)n + 1, sizeof *mins);
    struct cdm_expr **extents = cdm_arena_array(parser->arena, (size_t)n + 1, sizeof *extents);

    if (n != region->buffer->n_dims)
        return;
    for (int32_t i = 0; i < n; i++) {
        struct cdm_expr *index = region->args[i];
        bool range = index->kind == EXPR_RANGE;
        mins[i] = range ? index->args[0] : index;
        extents[i] = range ? index->args[1] : cdm_expr_int(&parser->builder, 1, cdm_type_int32());
    }
    cdm_buffer_match(buffer, region->buffer, mins, extents);
}
