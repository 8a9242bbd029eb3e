#include "features/ast.h"
#include "tests/unit/programs.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
/* cmocka.h needs the headers above. */
#include <cmocka.h>

/* The serialised traversal itself: the number of a node on the way in, -1 on the way out. */
struct traversal {
    int32_t *items;
    int32_t n, max;
    int32_t n_nodes;
    int32_t leaves[256]; /* places of the stores */
    int32_t n_leaves;
};

static void put(struct traversal *t, int32_t item)
{
    if (t->n == t->max) {
        t->max = t->max ? 2 * t->max : 64;
        t->items = realloc(t->items, (size_t)t->max * sizeof *t->items);
    }
    t->items[t->n++] = item;
}

static void traverse(struct traversal *t, const struct cdm_stmt *stmt)
{
    bool tracked = stmt->kind == STMT_LOOP || stmt->kind == STMT_ATTR ||
                   stmt->kind == STMT_REALIZE || stmt->kind == STMT_STORE;

    if (stmt->kind == STMT_STORE)
        t->leaves[t->n_leaves++] = t->n;
    if (tracked)
        put(t, t->n_nodes++);
    for (int32_t i = 0; i < stmt->n_children; i++)
        traverse(t, stmt->children[i]);
    if (stmt->body)
        traverse(t, stmt->body);
    if (stmt->other)
        traverse(t, stmt->other);
    if (tracked)
        put(t, -1);
}

static void check_positions(const char *text, int32_t n_leaves)
{
    struct cdm_arena arena = {0};
    struct traversal t = {0};
    const struct cdm_program *program = test_program(text, &arena);
    const struct cdm_ast *ast = cdm_ast_build(program, &arena);

    put(&t, t.n_nodes++);
    traverse(&t, program->body);
    put(&t, -1);
    assert_int_equal(t.n, 2 * t.n_nodes);
    assert_int_equal(ast->n_nodes, t.n_nodes);
    assert_int_equal(ast->n_leaves, n_leaves);
    assert_int_equal(t.n_leaves, n_leaves);
    for (int32_t i = 0; i < n_leaves; i++) {
        assert_int_equal(cdm_ast_position(ast, i), t.leaves[i]);
        assert_int_equal(ast->leaves[i], t.items[t.leaves[i]]);
    }
    free(t.items);
    cdm_arena_release(&arena);
}

static void positions_are_places_in_the_serialised_traversal(void **state)
{
    (void)state;
    check_positions("@T.prim_func\n"
                    "def f(A: T.Buffer((4,), \"float32\"), n: T.int32):\n"
                    "    T.realize(A[0:4], \"global\")\n"
                    "    A[0] = T.float32(0)\n"
                    "    for i, j, k in T.grid(2, 2, 2):\n"
                    "        with T.attr(A, \"key\", 1):\n"
                    "            A[i] = T.float32(0)\n"
                    "            for l in T.unroll(4):\n"
                    "                A[l] = T.float32(0)\n"
                    "                A[j] = T.float32(0)\n"
                    "            A[k] = T.float32(0)\n"
                    "        if i < n:\n"
                    "            A[i] = T.float32(0)\n"
                    "        elif i < j:\n"
                    "            for l in T.serial(2):\n"
                    "                A[i] = T.float32(0)\n"
                    "        else:\n"
                    "            pass\n"
                    "        T.evaluate(T.f(A[0]))\n"
                    "    x: T.int32 = n + 1\n"
                    "    b = T.allocate([4], \"float32\", \"local\")\n"
                    "    while b[0] < b[1]:\n"
                    "        b[0] = b[0] + T.float32(x)\n"
                    "    tx = T.launch_thread(\"threadIdx.x\", 4)\n"
                    "    for l in T.serial(2):\n"
                    "        pass\n"
                    "    A[tx] = b[0]\n",
                    9);
}

/* The example of the format's description: root, loop, store, loop, store is 0 1 2 -1 3 4 -1 -1 -1
 * -1. */
static void two_stores_and_two_loops_by_hand(void **state)
{
    struct cdm_arena arena = {0};
    const struct cdm_program *program = test_program("@T.prim_func\n"
                                                     "def f(A: T.Buffer((4,), \"float32\")):\n"
                                                     "    for i in T.serial(4):\n"
                                                     "        A[i] = T.float32(0)\n"
                                                     "        for j in T.serial(4):\n"
                                                     "            A[i] = A[i] + A[j]\n",
                                                     &arena);
    const struct cdm_ast *ast = cdm_ast_build(program, &arena);
    static const int kinds[] = {AST_ROOT, AST_LOOP, AST_STORE, AST_LOOP, AST_STORE};
    static const int32_t parents[] = {-1, 0, 1, 1, 3}, depths[] = {0, 1, 2, 2, 3};

    (void)state;
    assert_int_equal(ast->n_nodes, 5);
    for (int i = 0; i < 5; i++) {
        assert_int_equal(ast->nodes[i].kind, kinds[i]);
        assert_int_equal(ast->nodes[i].parent, parents[i]);
        assert_int_equal(ast->nodes[i].depth, depths[i]);
    }
    assert_null(ast->nodes[0].stmt);
    assert_int_equal(ast->n_leaves, 2);
    assert_int_equal(ast->leaves[0], 2);
    assert_int_equal(ast->leaves[1], 4);
    assert_int_equal(cdm_ast_position(ast, 0), 2);
    assert_int_equal(cdm_ast_position(ast, 1), 5);
    cdm_arena_release(&arena);
}

static void a_thread_axis_is_an_attribute_and_a_bound_loop_is_a_loop(void **state)
{
    struct cdm_arena arena = {0};
    const struct cdm_program *program =
        test_program("@T.prim_func\n"
                     "def f(A: T.Buffer((4,), \"float32\")):\n"
                     "    tx = T.launch_thread(\"threadIdx.x\", 4)\n"
                     "    for i in T.thread_binding(4, thread=\"threadIdx.y\"):\n"
                     "        T.realize(A[0:4], \"global\")\n"
                     "        T.attr(A, \"k\", 1)\n"
                     "        A[i] = T.float32(0)\n",
                     &arena);
    const struct cdm_ast *ast = cdm_ast_build(program, &arena);
    static const int kinds[] = {AST_ROOT, AST_ATTR, AST_LOOP, AST_REALIZE, AST_ATTR, AST_STORE};

    (void)state;
    assert_int_equal(ast->n_nodes, 6);
    for (int i = 0; i < 6; i++)
        assert_int_equal(ast->nodes[i].kind, kinds[i]);
    cdm_arena_release(&arena);
}

static void a_program_without_stores_has_a_root_and_no_leaf(void **state)
{
    struct cdm_arena arena = {0};
    const struct cdm_program *program =
        test_program("@T.prim_func\ndef f():\n    T.evaluate(0)\n", &arena);
    const struct cdm_ast *ast = cdm_ast_build(program, &arena);

    (void)state;
    assert_int_equal(ast->n_nodes, 1);
    assert_int_equal(ast->n_leaves, 0);
    cdm_arena_release(&arena);
}

static void the_drawing_has_a_line_for_each_node(void **state)
{
    struct cdm_arena arena = {0};
    struct cdm_str out = {0};
    const struct cdm_program *program =
        test_program("@T.prim_func\n"
                     "def draw(A: T.Buffer((4, 4), \"float32\")):\n"
                     "    bx = T.launch_thread(\"blockIdx.x\", 4)\n"
                     "    T.realize(A[bx:bx + 1, 0:4], \"global\")\n"
                     "    T.attr(A, \"pragma\", 3)\n"
                     "    for j in T.vectorized(4):\n"
                     "        if j < bx:\n"
                     "            A[bx, j] = T.float32(0)\n"
                     "    A[bx, 0] = T.float32(1)\n",
                     &arena);

    (void)state;
    cdm_ast_print(cdm_ast_build(program, &arena), program, &out);
    assert_string_equal(out.data, "   0 root draw\n"
                                  "   1   bx = T.launch_thread(\"blockIdx.x\", 4)\n"
                                  "   2     T.realize(A[bx:bx + 1, 0:4], \"global\")\n"
                                  "   3       T.attr(A.data, \"pragma\", 3)\n"
                                  "   4         for j in T.vectorized(4)\n"
                                  "   5           A[bx, j] = T.float32(0)  # position 5\n"
                                  "   6         A[bx, 0] = T.float32(1)  # position 8\n");
    cdm_str_release(&out);
    cdm_arena_release(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(positions_are_places_in_the_serialised_traversal),
        cmocka_unit_test(two_stores_and_two_loops_by_hand),
        cmocka_unit_test(a_thread_axis_is_an_attribute_and_a_bound_loop_is_a_loop),
        cmocka_unit_test(a_program_without_stores_has_a_root_and_no_leaf),
        cmocka_unit_test(the_drawing_has_a_line_for_each_node),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
