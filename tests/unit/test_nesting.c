/* Programs nested as deep as they may be, and deeper: they are read or refused, and whatever was
 * read can be walked by everything that walks programs. */
#include "features/ast.h"
#include "features/dump.h"
#include "features/leaf.h"
#include "features/print.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
/* cmocka.h needs the headers above. */
#include <cmocka.h>

static void head(struct cdm_str *text)
{
    cdm_str_puts(text, "@T.prim_func\ndef f(A: T.Buffer((64,), \"float32\"), n: T.int32):\n");
}

static void repeat(struct cdm_str *text, const char *part, int n)
{
    for (int i = 0; i < n; i++)
        cdm_str_puts(text, part);
}

/* Everything that walks a program. */
static void walk(const struct cdm_program *program)
{
    struct cdm_extractor *x = cdm_extractor_new();
    struct cdm_arena arena = {0};
    struct cdm_leaf_matrix matrix;
    struct cdm_programs programs = {0};
    struct cdm_str text = {0}, again = {0};
    struct cdm_error err = {0};

    assert_int_equal(cdm_extract(x, program, CDM_VIEW_LEAF, false, &matrix, &err), CDM_OK);
    assert_int_equal(cdm_extract(x, program, CDM_VIEW_TVM, false, &matrix, &err), CDM_OK);
    cdm_ast_print(cdm_ast_build(program, &arena), program, &text);
    cdm_str_reset(&text);
    cdm_print_program(program, &text);
    /* The canonical text may be nested a little deeper than the text; what it cannot be is wrong.
     */
    if (cdm_dump_read((struct cdm_view){text.data, text.length}, 1, &arena, &programs, &err)) {
        assert_non_null(strstr(err.message, "nested deeper"));
    } else {
        cdm_print_program(programs.items[0], &again);
        assert_string_equal(again.data, text.data);
    }
    cdm_str_release(&text);
    cdm_str_release(&again);
    cdm_arena_release(&arena);
    cdm_extractor_free(x);
}

/* Reads the text, releases it, and walks what was read. Returns whether it was accepted. */
static bool try_text(struct cdm_str *text)
{
    struct cdm_arena arena = {0};
    struct cdm_programs programs = {0};
    struct cdm_error err = {0};
    enum cdm_status status =
        cdm_dump_read((struct cdm_view){text->data, text->length}, 1, &arena, &programs, &err);

    if (status) {
        if (!strstr(err.message, "nested deeper"))
            fail_msg("%d:%d: %s", (int)err.line, (int)err.column, err.message);
        assert_int_equal(status, CDM_BAD_INPUT);
    } else {
        walk(programs.items[0]);
    }
    cdm_arena_release(&arena);
    cdm_str_release(text);
    return !status;
}

/* A maker of a text with `n` levels. Shallow ones must be read, deep ones refused, and nothing in
 * between may end badly. */
static void all_depths(void (*make)(struct cdm_str *text, int n), int shallow)
{
    static const int more[] = {64,  128, 200, 250, 255, 256, 257, 260,  300, 500,
                               505, 508, 510, 511, 512, 513, 600, 1000, 5000};
    struct cdm_str text = {0};

    make(&text, shallow);
    assert_true(try_text(&text));
    for (size_t i = 0; i < sizeof more / sizeof *more; i++) {
        text = (struct cdm_str){0};
        make(&text, more[i]);
        bool accepted = try_text(&text);
        assert_true(!accepted || more[i] <= CDM_MAX_DEPTH);
    }
}

static void make_loops(struct cdm_str *text, int n)
{
    head(text);
    for (int i = 1; i <= n; i++)
        cdm_str_printf(text, "%*sfor i in T.serial(2):\n", i, "");
    cdm_str_printf(text, "%*sA[i] = A[i] + T.float32(1)\n", n + 1, "");
}

static void loops_inside_each_other(void **state)
{
    (void)state;
    all_depths(make_loops, 100);
}

static void make_scopes(struct cdm_str *text, int n)
{
    head(text);
    repeat(text, "    T.launch_thread(\"threadIdx.x\", 2)\n", n);
    cdm_str_puts(text, "    A[0] = T.float32(1)\n");
}

static void scopes_that_are_the_rest_of_the_block(void **state)
{
    (void)state;
    all_depths(make_scopes, 100);
}

static void make_withs(struct cdm_str *text, int n)
{
    head(text);
    for (int i = 1; i <= n; i++)
        cdm_str_printf(text, "%*swith T.attr(A, \"k\", %d):\n", i, "", i);
    cdm_str_printf(text, "%*sA[0] = T.float32(1)\n", n + 1, "");
    for (int i = n; i >= 1; i--)
        cdm_str_printf(text, "%*sA[%d] = T.float32(1)\n", i, "", i);
}

static void scopes_with_statements_behind_them(void **state)
{
    (void)state;
    all_depths(make_withs, 100);
}

static void make_lets(struct cdm_str *text, int n)
{
    head(text);
    for (int i = 1; i <= n; i++)
        cdm_str_printf(text, "    x%d: T.int32 = %s%d + 1\n", i, i > 1 ? "x" : "", i - 1);
    cdm_str_printf(text, "    A[x%d] = A[x1]\n", n);
}

static void lets_that_use_each_other(void **state)
{
    (void)state;
    all_depths(make_lets, 100);
}

static void make_elifs(struct cdm_str *text, int n)
{
    head(text);
    cdm_str_puts(text, "    if n == 0:\n        A[0] = T.float32(0)\n");
    for (int i = 1; i <= n; i++)
        cdm_str_printf(text, "    elif n == %d:\n        A[%d] = T.float32(0)\n", i, i);
}

static void branches_in_a_chain(void **state)
{
    (void)state;
    all_depths(make_elifs, 100);
}

static void make_parentheses(struct cdm_str *text, int n)
{
    head(text);
    cdm_str_puts(text, "    A[0] = ");
    repeat(text, "(A[0] + ", n);
    cdm_str_puts(text, "A[1]");
    repeat(text, ")", n);
    cdm_str_putc(text, '\n');
}

static void parentheses(void **state)
{
    (void)state;
    all_depths(make_parentheses, 100);
}

static void make_chain(struct cdm_str *text, int n)
{
    head(text);
    cdm_str_puts(text, "    A[0] = A[0]");
    repeat(text, " + A[1] * A[2]", n);
    cdm_str_putc(text, '\n');
}

static void a_sum_without_parentheses_is_as_deep_as_it_is_long(void **state)
{
    (void)state;
    all_depths(make_chain, 100);
}

static void make_signs(struct cdm_str *text, int n)
{
    head(text);
    cdm_str_puts(text, "    A[0] = ");
    repeat(text, n % 2 ? "not " : "- ~", n);
    cdm_str_puts(text, "n\n");
}

static void signs_before_a_value(void **state)
{
    (void)state;
    all_depths(make_signs, 60);
}

static void make_calls(struct cdm_str *text, int n)
{
    head(text);
    cdm_str_puts(text, "    A[0] = ");
    repeat(text, "T.f(k=[{1: A[", n);
    cdm_str_putc(text, '0');
    repeat(text, "]}])", n);
    cdm_str_putc(text, '\n');
}

static void calls_lists_dictionaries_and_loads(void **state)
{
    (void)state;
    all_depths(make_calls, 30);
}

static void make_lambdas(struct cdm_str *text, int n)
{
    head(text);
    cdm_str_puts(text, "    T.evaluate(T.f(");
    repeat(text, "lambda x: x + ", n);
    cdm_str_puts(text, "1))\n");
}

static void lambdas(void **state)
{
    (void)state;
    all_depths(make_lambdas, 60);
}

/* Each level is a chain of 200 in a place that is not the last of its kind: all of it counts. */
static void make_hidden(struct cdm_str *text, int n, const char *open, const char *close)
{
    head(text);
    cdm_str_puts(text, "    A[0] = ");
    repeat(text, open, n);
    cdm_str_puts(text, "1");
    for (int i = 0; i < n; i++) {
        repeat(text, " + 1", 200);
        cdm_str_puts(text, close);
    }
    cdm_str_putc(text, '\n');
}

static void the_height_of_every_part_counts(void **state)
{
    static const char *const forms[][2] = {
        {"T.let(x, ", ", x)"},
        {"T.Let(x, where={x: ", "})"},
        {"A[", ":3]"},
        {"A[0:", ":1]"},
        {"T.f(", ", 0)"},
        {"T.f(k=", ", l=0)"},
        {"[", ", 0]"},
        {"{", ": 0}"},
        {"{0: ", ", 1: 1}"},
        {"T.max(", ", 0)"},
        {"A[0, predicate=", "]"},
        {"T.iter_var(i, T.Range(0, ", "), \"\", \"\")"},
        {"(", " and 1)"},
        {"(", ", 2)"},
        {"A[", ", 0]"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++) {
        struct cdm_str text = {0};
        make_hidden(&text, 1, forms[i][0], forms[i][1]);
        struct cdm_arena arena = {0};
        struct cdm_programs programs = {0};
        struct cdm_error err = {0};
        /* One level is fine where the form is. */
        if (!cdm_dump_read((struct cdm_view){text.data, text.length}, 1, &arena, &programs, &err))
            walk(programs.items[0]);
        else if (strstr(err.message, "nested deeper"))
            fail_msg("%s%s: one level is refused", forms[i][0], forms[i][1]);
        cdm_arena_release(&arena);
        cdm_str_release(&text);

        text = (struct cdm_str){0};
        programs = (struct cdm_programs){0};
        make_hidden(&text, 80, forms[i][0], forms[i][1]);
        if (!cdm_dump_read((struct cdm_view){text.data, text.length}, 1, &arena, &programs, &err))
            fail_msg("%s%s: an expression 16000 high is accepted", forms[i][0], forms[i][1]);
        cdm_arena_release(&arena);
        cdm_str_release(&text);
    }
}

/* One statement can be the whole text, and statements can be many: both are counted while they are
 * read, not when the memory is full. */
static void a_program_of_too_many_nodes_is_refused(void **state)
{
    struct cdm_arena arena = {0};
    struct cdm_programs programs = {0};
    struct cdm_error err = {0};
    struct cdm_str text = {0};

    (void)state;
    head(&text);
    cdm_str_puts(&text, "    T.evaluate(T.f(");
    repeat(&text, "1,", CDM_MAX_NODES + 1000);
    cdm_str_puts(&text, "))\n");
    assert_int_equal(
        cdm_dump_read((struct cdm_view){text.data, text.length}, 1, &arena, &programs, &err),
        CDM_BAD_INPUT);
    assert_string_equal(err.message, "the program has more than 4194304 nodes");
    assert_int_equal(err.line, 3);
    assert_in_range(err.column, 2 * CDM_MAX_NODES, 2 * CDM_MAX_NODES + 100);

    cdm_arena_reset(&arena);
    cdm_str_reset(&text);
    programs = (struct cdm_programs){0};
    head(&text);
    repeat(&text, "    A[0]=1\n", CDM_MAX_NODES / 3 - 10);
    assert_int_equal(
        cdm_dump_read((struct cdm_view){text.data, text.length}, 1, &arena, &programs, &err),
        CDM_OK);
    repeat(&text, "    A[0]=1\n", 1000);
    cdm_arena_reset(&arena);
    programs = (struct cdm_programs){0};
    assert_int_equal(
        cdm_dump_read((struct cdm_view){text.data, text.length}, 1, &arena, &programs, &err),
        CDM_BAD_INPUT);
    assert_string_equal(err.message, "the program has more than 4194304 nodes");
    assert_in_range(err.line, CDM_MAX_NODES / 3 - 20, CDM_MAX_NODES / 3 + 20);
    cdm_arena_release(&arena);
    cdm_str_release(&text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(loops_inside_each_other),
        cmocka_unit_test(scopes_that_are_the_rest_of_the_block),
        cmocka_unit_test(scopes_with_statements_behind_them),
        cmocka_unit_test(lets_that_use_each_other),
        cmocka_unit_test(branches_in_a_chain),
        cmocka_unit_test(parentheses),
        cmocka_unit_test(a_sum_without_parentheses_is_as_deep_as_it_is_long),
        cmocka_unit_test(signs_before_a_value),
        cmocka_unit_test(calls_lists_dictionaries_and_loads),
        cmocka_unit_test(lambdas),
        cmocka_unit_test(the_height_of_every_part_counts),
        cmocka_unit_test(a_program_of_too_many_nodes_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
