/* The compact AST of CDMPP: the tracked statements of a program in pre-order.
 *
 * Nodes exist for a root, attributes, loops, realizes and stores; other statements give none and
 * their children hang under the nearest tracked ancestor. A node's id is its pre-order rank (root
 * 0). A leaf is a store, one for each store statement. The position of a leaf is the index of its
 * id in the serialised traversal that writes an id on entry and a marker on exit: position = 2 * id
 * - depth, depth(root) = 0. */
#ifndef CDMPP_FEATURES_AST_H
#define CDMPP_FEATURES_AST_H

#include "cdmpp/core/str.h"
#include "features/program.h"

enum cdm_ast_kind { AST_ROOT, AST_ATTR, AST_LOOP, AST_REALIZE, AST_STORE };

struct cdm_ast_node {
    enum cdm_ast_kind kind;
    int32_t parent; /* id; -1 for the root */
    int32_t depth;
    const struct cdm_stmt *stmt; /* NULL for the root */
};

struct cdm_ast {
    struct cdm_ast_node *nodes; /* [n_nodes], index = id */
    int32_t n_nodes;
    int32_t *leaves; /* [n_leaves] ids of the stores, in program order */
    int32_t n_leaves;
};

/* Builds the AST in `arena`. Cannot fail: a program is valid by construction. */
struct cdm_ast *cdm_ast_build(const struct cdm_program *program, struct cdm_arena *arena);

/* Position of leaf i, 0 <= i < n_leaves. */
int32_t cdm_ast_position(const struct cdm_ast *ast, int32_t i);

/* Appends a drawing of the tree: a line for each node with its id, positions at leaves. */
void cdm_ast_print(const struct cdm_ast *ast, const struct cdm_program *program,
                   struct cdm_str *out);

#endif
