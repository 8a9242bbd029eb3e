#include "features/print.h"
#include "features/simplify.h"
#include "tests/unit/programs.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
/* cmocka.h needs the headers above. */
#include <cmocka.h>

/* A program that stores two expressions of the same variables and buffers. */
struct two {
    struct cdm_arena arena;
    struct cdm_builder builder;
    const struct cdm_program *program;
    struct cdm_expr *a, *b;
};

static void read_two(struct two *two, const char *a, const char *b)
{
    struct cdm_str text = {0};

    *two = (struct two){0};
    cdm_str_printf(&text,
                   "@T.prim_func\n"
                   "def f(A: T.Buffer((9,), \"int32\"), B: T.Buffer((9,), \"int32\"), i: T.int32, "
                   "j: T.int32, k: T.int64):\n"
                   "    A[0] = %s\n"
                   "    A[0] = %s\n",
                   a, b);
    two->program = test_program(text.data, &two->arena);
    cdm_str_release(&text);
    two->a = two->program->body->children[0]->value;
    two->b = two->program->body->children[1]->value;
    cdm_build_start(&two->builder, &two->arena, "test");
}

static void the_same_text_is_the_same_tree(void **state)
{
    static const char *const texts[] = {
        "1",
        "i",
        "i + j * 2 - 3",
        "T.float32(1.5)",
        "\"text\"",
        "A[i]",
        "A",
        "A[T.ramp(i, 1, 4)]",
        "T.broadcast(i, 4)",
        "T.f(i, k=j)",
        "T.cast(i, \"int8\")",
        "T.Select(i < j, i, j)",
        "not (i < j and j < i or i == j)",
        "T.max(T.min(i, j), i % j // 3)",
        "T.shuffle([i, j], [1, 0])",
        "[i, (j, {1: \"a\"})]",
        "T.Range(i, j)",
        "T.iter_var(x, T.Range(0, 4), \"DataPar\", \"\")",
        "i / j + T.truncmod(i, j)",
        "(i >= j) != (i > j) and i <= j and i != j",
    };

    (void)state;
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        struct two two;
        read_two(&two, texts[i], texts[i]);
        assert_true(two.a != two.b);
        if (!cdm_expr_equal(two.a, two.b))
            fail_msg("%s is not equal to itself", texts[i]);
        assert_true(cdm_expr_equal(two.a, two.a));
        for (size_t k = 0; k < sizeof texts / sizeof *texts; k++) {
            struct two other;
            read_two(&other, texts[i], texts[k]);
            if (k != i && cdm_expr_equal(other.a, other.b))
                fail_msg("%s is equal to %s", texts[i], texts[k]);
            cdm_arena_release(&other.arena);
        }
        cdm_arena_release(&two.arena);
    }
}

static void every_part_counts(void **state)
{
    static const char *const pairs[][2] = {
        {"i", "j"},
        {"A[i]", "B[i]"},
        {"A[i]", "A[j]"},
        {"A", "B"},
        {"1", "2"},
        {"T.float32(1)", "T.float32(2)"},
        {"\"a\"", "\"b\""},
        {"T.f(i)", "T.g(i)"},
        {"T.f(i)", "T.f(i, i)"},
        {"T.f(a=i)", "T.f(b=i)"},
        {"T.cast(i, \"int8\")", "T.cast(i, \"int16\")"},
        {"T.ramp(i, 1, 4)", "T.ramp(i, 1, 8)"},
        {"T.broadcast(i, 4)", "T.broadcast(i, 8)"},
        {"T.shuffle([i, j], [1, 0])", "T.shuffle([i], [j, 1, 0])"},
        {"i + j", "i - j"},
        {"i < j", "i <= j"},
        {"i + j", "j + i"}, /* the tree, not the value */
        {"T.iter_var(x, None, \"\", \"a\")", "T.iter_var(x, None, \"\", \"b\")"},
        {"T.let(x, 1, i)", "T.let(x, 1, i)"}, /* each has a variable of its own */
    };

    (void)state;
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
        struct two two;
        read_two(&two, pairs[i][0], pairs[i][1]);
        if (cdm_expr_equal(two.a, two.b))
            fail_msg("%s is equal to %s", pairs[i][0], pairs[i][1]);
        cdm_arena_release(&two.arena);
    }
}

static struct cdm_str print(const struct cdm_program *program, const struct cdm_expr *expr)
{
    struct cdm_namer *namer = cdm_namer_new(program);
    struct cdm_str text = {0};

    cdm_print_expr(namer, expr, &text);
    cdm_namer_free(namer);
    return text;
}

static void a_difference_leaves_out_what_both_have(void **state)
{
    /* end, min, end - min. */
    static const char *const cases[][3] = {
        {"9", "4", "5"},
        {"i", "0", "i"},
        {"i + 4", "i", "4"},
        {"i + j", "i", "j"},
        {"j + i", "i", "j"},
        {"i * 4 + j * 2 + 7", "j * 2 + i * 4 + 3", "4"},
        {"i * 4 + j", "i * 4 - 0", "j"},
        {"i", "j", "i - j"},
        {"i - j", "i + 1", "i - j - (i + 1)"},
        {"i + (j - i)", "j", "0"},
        {"i + i", "i", "i"},
        {"A[i] + 1", "A[i]", "1"},
        {"A[i] + 1", "A[j]", "A[i] + 1 - A[j]"},
        {"9223372036854775807", "T.int64(-1)", "T.int64(9223372036854775807) - T.int64(-1)"},
        {"T.int64(0)", "-9223372036854775808", "T.int64(0) - T.int64(-9223372036854775808)"},
        {"k", "k - T.int64(2)", "T.int64(2)"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct two two, expected;
        read_two(&two, cases[i][0], cases[i][1]);
        read_two(&expected, cases[i][2], "0");
        struct cdm_str text = print(two.program, cdm_expr_difference(&two.builder, two.a, two.b));
        struct cdm_str wanted = print(expected.program, expected.a);
        if (strcmp(text.data, wanted.data))
            fail_msg("%s - %s is %s, expected %s", cases[i][0], cases[i][1], text.data,
                     wanted.data);
        cdm_str_release(&text);
        cdm_str_release(&wanted);
        cdm_arena_release(&two.arena);
        cdm_arena_release(&expected.arena);
    }
}

static void a_sum_of_too_many_terms_is_left_as_it_is(void **state)
{
    struct cdm_str sum = {0};
    struct two two;

    (void)state;
    cdm_str_puts(&sum, "i");
    for (int k = 0; k < 40; k++)
        cdm_str_printf(&sum, " + A[%d]", k);
    read_two(&two, sum.data, "j");
    const struct cdm_expr *difference = cdm_expr_difference(&two.builder, two.a, two.b);
    assert_int_equal(difference->kind, EXPR_SUB);
    assert_ptr_equal(difference->args[0], two.a);
    assert_ptr_equal(difference->args[1], two.b);
    cdm_str_release(&sum);
    cdm_arena_release(&two.arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_same_text_is_the_same_tree),
        cmocka_unit_test(every_part_counts),
        cmocka_unit_test(a_difference_leaves_out_what_both_have),
        cmocka_unit_test(a_sum_of_too_many_terms_is_left_as_it_is),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
