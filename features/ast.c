#include "features/ast.h"

#include "features/print.h"

struct ast_build {
    struct cdm_arena *arena;
    struct cdm_ast *ast;
    size_t max_nodes, max_leaves;
};

static int32_t add_node(struct ast_build *build, enum cdm_ast_kind kind, int32_t parent,
                        const struct cdm_stmt *stmt)
{
    struct cdm_ast *ast = build->ast;
    size_t n = (size_t)ast->n_nodes;

    ast->nodes = cdm_arena_grow(build->arena, ast->nodes, n, &build->max_nodes, sizeof *ast->nodes);
    ast->nodes[n] =
        (struct cdm_ast_node){kind, parent, parent < 0 ? 0 : ast->nodes[parent].depth + 1, stmt};
    if (kind == AST_STORE) {
        size_t n_leaves = (size_t)ast->n_leaves;
        ast->leaves = cdm_arena_grow(build->arena, ast->leaves, n_leaves, &build->max_leaves,
                                     sizeof *ast->leaves);
        ast->leaves[ast->n_leaves++] = ast->n_nodes;
    }
    return ast->n_nodes++;
}

static void add_stmt(struct ast_build *build, const struct cdm_stmt *stmt, int32_t parent)
{
    int32_t id = parent;

    switch ((enum cdm_stmt_kind)stmt->kind) {
    case STMT_SEQ:
        for (int32_t i = 0; i < stmt->n_children; i++)
            add_stmt(build, stmt->children[i], parent);
        return;
    case STMT_LOOP:
        id = add_node(build, stmt->is_attr ? AST_ATTR : AST_LOOP, parent, stmt);
        break;
    case STMT_ATTR:
        id = add_node(build, AST_ATTR, parent, stmt);
        break;
    case STMT_REALIZE:
        id = add_node(build, AST_REALIZE, parent, stmt);
        break;
    case STMT_STORE:
        add_node(build, AST_STORE, parent, stmt);
        return;
    case STMT_EVALUATE:
        return;
    case STMT_IF:
    case STMT_ALLOCATE:
    case STMT_LET:
    case STMT_ASSERT:
    case STMT_WHILE:
    case STMT_N_KINDS:
        break;
    }
    if (stmt->body)
        add_stmt(build, stmt->body, id);
    if (stmt->other)
        add_stmt(build, stmt->other, id);
}

struct cdm_ast *cdm_ast_build(const struct cdm_program *program, struct cdm_arena *arena)
{
    struct ast_build build = {.arena = arena};

    build.ast = cdm_arena_alloc(arena, sizeof *build.ast);
    add_node(&build, AST_ROOT, -1, NULL);
    add_stmt(&build, program->body, 0);
    return build.ast;
}

int32_t cdm_ast_position(const struct cdm_ast *ast, int32_t i)
{
    int32_t id = ast->leaves[i];
    return 2 * id - ast->nodes[id].depth;
}

void cdm_ast_print(const struct cdm_ast *ast, const struct cdm_program *program,
                   struct cdm_str *out)
{
    struct cdm_namer *namer = cdm_namer_new(program);
    int32_t leaf = 0;

    for (int32_t i = 0; i < ast->n_nodes; i++) {
        const struct cdm_ast_node *node = &ast->nodes[i];
        cdm_str_printf(out, "%4d %*s", i, node->depth * 2, "");
        if (node->kind == AST_ROOT)
            cdm_str_printf(out, "root %s", program->name);
        else
            cdm_print_head(namer, node->stmt, out);
        if (node->kind == AST_STORE)
            cdm_str_printf(out, "  # position %d", cdm_ast_position(ast, leaf++));
        cdm_str_putc(out, '\n');
    }
    cdm_namer_free(namer);
}
