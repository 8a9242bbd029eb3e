#include "features/bound.h"
#include "features/build.h"
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

#define INF CDM_BOUND_INF

/* The expression `text` of the variables a, b, c (0, 1, 2). */
static const struct cdm_expr *expression(const char *text, struct cdm_arena *arena)
{
    struct cdm_str program = {0};

    cdm_str_printf(&program,
                   "@T.prim_func\n"
                   "def f(a: T.int32, b: T.int32, c: T.int64, A: T.Buffer((9,), \"int32\")):\n"
                   "    A[%s] = 0\n",
                   text);
    const struct cdm_program *read = test_program(program.data, arena);
    cdm_str_release(&program);
    assert_int_equal(read->body->kind, STMT_STORE);
    return read->body->indices[0];
}

static struct cdm_bound bound_of(const char *text, struct cdm_bound a, struct cdm_bound b)
{
    struct cdm_arena arena = {0};
    /* Room for the variables of a let. */
    struct cdm_bound vars[8] = {a, b, {-INF, INF}, {0, 5}, {0, 5}, {0, 5}, {0, 5}, {0, 5}};
    struct cdm_bound bound = cdm_bound_of(expression(text, &arena), vars);

    cdm_arena_release(&arena);
    return bound;
}

static void rules_by_table(void **state)
{
    static const struct {
        const char *text;
        struct cdm_bound a, b, expected;
    } cases[] = {
        {"7", {0, 0}, {0, 0}, {7, 7}},
        {"a", {-3, 4}, {0, 0}, {-3, 4}},
        {"a + b", {-3, 4}, {10, 20}, {7, 24}},
        {"a - b", {-3, 4}, {10, 20}, {-23, -6}},
        {"a * b", {-3, 4}, {-10, 20}, {-60, 80}},
        {"a * 8 + b", {0, 3}, {0, 7}, {0, 31}},
        {"a / b", {-7, 7}, {2, 3}, {-3, 3}},
        {"a // b", {-7, 7}, {2, 3}, {-4, 3}},
        {"a // b", {8, 9}, {-2, 2}, {-9, 9}},
        {"a // b", {-7, 7}, {0, 0}, {-2147483648, 2147483647}},
        {"a % b", {0, 5}, {8, 8}, {0, 5}},
        {"a % b", {0, 9}, {8, 8}, {0, 7}},
        {"a % b", {-1, 9}, {8, 8}, {0, 7}},
        {"a % b", {0, 100}, {-3, 5}, {-2, 4}},
        {"T.truncmod(a, b)", {-9, 3}, {4, 6}, {-5, 3}},
        {"T.truncmod(a, b)", {-1, 3}, {4, 6}, {-1, 3}},
        {"T.min(a, b)", {-3, 4}, {0, 2}, {-3, 2}},
        {"T.max(a, b)", {-3, 4}, {0, 2}, {0, 4}},
        {"T.Select(c < T.int64(3), a, b)", {-3, 4}, {8, 9}, {-3, 9}},
        {"T.cast(a, \"int8\")", {-300, 4}, {0, 0}, {-128, 4}},
        {"T.cast(a, \"uint8\")", {3, 300}, {0, 0}, {3, 255}},
        {"T.cast(a, \"int64\")", {3, 300}, {0, 0}, {3, 300}},
        {"T.ramp(a, 2, 4)", {0, 10}, {0, 0}, {0, 16}},
        {"T.ramp(a, -1, 4)", {5, 10}, {0, 0}, {2, 10}},
        {"T.ramp(a, b, 3)", {0, 0}, {-2, 5}, {-4, 10}},
        {"T.bitwise_and(a, b)", {0, 100}, {0, 15}, {0, 15}},
        {"T.bitwise_and(a, b)", {-5, 100}, {0, 15}, {0, 15}},
        {"T.bitwise_and(a, b)", {-5, 100}, {-1, 15}, {-2147483648, 2147483647}},
        {"T.shift_right(a, b)", {-9, 64}, {1, 3}, {-5, 32}},
        {"T.shift_left(a, b)", {1, 5}, {0, 3}, {1, 40}},
        {"T.shift_left(a, b)", {-1, 5}, {0, 3}, {-2147483648, 2147483647}},
        {"T.let(x, a, x + b)", {9, 9}, {1, 2}, {1, 7}}, /* x is {0, 5} in vars */
        /* Not analysed: all values of the type. */
        {"A[a]", {1, 2}, {0, 0}, {-2147483648, 2147483647}},
        {"a < b", {1, 2}, {3, 4}, {0, 1}},
        {"T.bitwise_or(a, b)", {1, 2}, {3, 4}, {-2147483648, 2147483647}},
        {"T.unknown(a)", {1, 2}, {3, 4}, {-2147483648, 2147483647}},
        {"c", {0, 0}, {0, 0}, {-INF, INF}},
        {"c + T.int64(1)", {0, 0}, {0, 0}, {-INF, INF}},
        {"c // T.int64(4)", {0, 0}, {0, 0}, {-INF, INF}},
        {"c % T.int64(4)", {0, 0}, {0, 0}, {0, 3}},
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct cdm_bound bound = bound_of(cases[i].text, cases[i].a, cases[i].b);
        if (bound.min != cases[i].expected.min || bound.max != cases[i].expected.max)
            fail_msg("%s: [%lld, %lld], expected [%lld, %lld]", cases[i].text, (long long)bound.min,
                     (long long)bound.max, (long long)cases[i].expected.min,
                     (long long)cases[i].expected.max);
    }
}

static void numbers_past_the_range_become_unknown(void **state)
{
    static const struct {
        const char *text;
        struct cdm_bound expected;
    } cases[] = {
        {"9223372036854775807 + 1", {INF - 1, INF}},
        {"9223372036854775806 + 1", {INF - 1, INF}},
        {"-9223372036854775807 - 1", {-INF, -INF + 1}},
        {"4611686018427387904 * 2", {INF, INF}},
        {"4611686018427387904 * -2", {-INF, -INF}},
        /* The quotient that the processor refuses. */
        {"-9223372036854775808 // T.int64(-1)", {INF, INF}},
        {"T.truncdiv(-9223372036854775808, T.int64(-1))", {INF, INF}},
        {"-9223372036854775808 % T.int64(-1)", {0, 0}},
        {"T.truncmod(-9223372036854775808, T.int64(-1))", {-INF, INF}},
        {"T.shift_left(4611686018427387904, T.int64(70))", {INF, INF}},
        {"T.shift_right(4611686018427387904, T.int64(70))", {0, 0}},
        {"T.shift_right(4611686018427387904, T.int64(-70))",
         {4611686018427387904, 4611686018427387904}},
        {"T.ramp(T.int64(9223372036854775807), T.int64(9223372036854775807), 4)", {INF - 1, INF}},
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct cdm_bound bound =
            bound_of(cases[i].text, (struct cdm_bound){0, 0}, (struct cdm_bound){0, 0});
        if (bound.min > bound.max || bound.max < cases[i].expected.min ||
            bound.min > cases[i].expected.max)
            fail_msg("%s: [%lld, %lld] does not meet [%lld, %lld]", cases[i].text,
                     (long long)bound.min, (long long)bound.max, (long long)cases[i].expected.min,
                     (long long)cases[i].expected.max);
    }
}

/* Soundness: every value that the expression takes lies in its bound. */

static int64_t floor_div(int64_t x, int64_t y)
{
    return x / y - ((x % y != 0) && ((x < 0) != (y < 0)));
}

/* Evaluates for a and b; false where a division by 0 or a wild shift makes it undefined. */
static bool evaluate(const struct cdm_expr *e, const int64_t *vars, int64_t *value)
{
    int64_t x = 0, y = 0;

    if (e->kind == EXPR_INT) {
        *value = e->integer;
        return true;
    }
    if (e->kind == EXPR_VAR) {
        *value = vars[e->var->id];
        return true;
    }
    if (!evaluate(e->args[0], vars, &x) || (e->n_args > 1 && !evaluate(e->args[1], vars, &y)))
        return false;
    bool divides = e->kind == EXPR_DIV || e->kind == EXPR_MOD || e->kind == EXPR_FLOORDIV ||
                   e->kind == EXPR_FLOORMOD;
    if (divides && y == 0)
        return false;
    if (e->kind == EXPR_CALL && strcmp(e->text, "bitwise_and") && (y < 0 || y > 8 || x < 0))
        return false;
    *value = e->kind == EXPR_ADD        ? x + y
             : e->kind == EXPR_SUB      ? x - y
             : e->kind == EXPR_MUL      ? x * y
             : e->kind == EXPR_DIV      ? x / y
             : e->kind == EXPR_MOD      ? x % y
             : e->kind == EXPR_FLOORDIV ? floor_div(x, y)
             : e->kind == EXPR_FLOORMOD ? x - y * floor_div(x, y)
             : e->kind == EXPR_MIN      ? (x < y ? x : y)
             : e->kind == EXPR_MAX      ? (x > y ? x : y)
             : e->text[0] == 'b'        ? (x & y)
             : e->text[6] == 'r'        ? x >> y
                                        : x << y;
    return true;
}

/* How many of the values at the ends of the bounds are taken, to see that the bounds are no wider
 * than they need be. */
struct tightness {
    int n, n_tight;
};

static void check_ranges(const struct cdm_expr *e, const char *text, struct tightness *tightness)
{
    enum { LOW = -5, HIGH = 6 };

    for (int a0 = LOW; a0 <= HIGH; a0++)
        for (int a1 = a0; a1 <= HIGH; a1++)
            for (int b0 = LOW; b0 <= HIGH; b0++)
                for (int b1 = b0; b1 <= HIGH; b1++) {
                    const struct cdm_bound vars[3] = {{a0, a1}, {b0, b1}, {-INF, INF}};
                    struct cdm_bound bound = cdm_bound_of(e, vars);
                    int64_t min = INF, max = -INF, value;
                    for (int64_t a = a0; a <= a1; a++)
                        for (int64_t b = b0; b <= b1; b++) {
                            const int64_t values[3] = {a, b, 0};
                            if (!evaluate(e, values, &value))
                                continue;
                            min = value < min ? value : min;
                            max = value > max ? value : max;
                        }
                    if (min > max)
                        continue;
                    if (min < bound.min || max > bound.max)
                        fail_msg("%s with a in [%d, %d], b in [%d, %d]: takes [%lld, %lld], but "
                                 "the bound is [%lld, %lld]",
                                 text, a0, a1, b0, b1, (long long)min, (long long)max,
                                 (long long)bound.min, (long long)bound.max);
                    tightness->n += 2;
                    tightness->n_tight += (min == bound.min) + (max == bound.max);
                }
}

static void no_value_lies_outside_its_bound(void **state)
{
    static const struct {
        const char *text;
        double tight; /* at least this share of the ends is taken */
    } cases[] = {
        {"a + b", 1},
        {"a - b", 1},
        {"a * b", 1},
        {"T.min(a, b)", 1},
        {"T.max(a, b)", 1},
        {"a // b", 0.9},
        {"T.truncdiv(a, b)", 0.9},
        {"a % b", 0.4},
        {"T.truncmod(a, b)", 0.1},
        {"T.bitwise_and(a, b)", 0.1},
        {"T.shift_left(a, b)", 0.1},
        {"T.shift_right(a, b)", 0.1},
        {"(a + 3) * 2 - b // 2", 0.9},
        {"a % 4 + T.max(b * 3, a) - 7", 0.2},
        {"(a * 8 + b) // 4 % 5", 0.3},
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct cdm_arena arena = {0};
        struct tightness tightness = {0};
        check_ranges(expression(cases[i].text, &arena), cases[i].text, &tightness);
        if (tightness.n_tight < cases[i].tight * tightness.n)
            fail_msg("%s: of %d ends of bounds only %d are taken", cases[i].text, tightness.n,
                     tightness.n_tight);
        cdm_arena_release(&arena);
    }
}

static void types_have_their_range(void **state)
{
    static const struct {
        const char *type;
        struct cdm_bound expected;
    } cases[] = {
        {"int8", {-128, 127}},
        {"uint8", {0, 255}},
        {"bool", {0, 1}},
        {"int32", {-2147483648, 2147483647}},
        {"uint32", {0, 4294967295}},
        {"int64", {-INF, INF}},
        {"uint64", {0, INF}},
        {"float32", {-INF, INF}},
        {"handle", {-INF, INF}},
        {"int32x4", {-2147483648, 2147483647}},
        {"int1", {-1, 0}},
        {"uint63", {0, INF}},
        {"int128", {-INF, INF}},
    };
    struct cdm_arena arena = {0};
    struct cdm_builder builder;

    (void)state;
    cdm_build_start(&builder, &arena, "test");
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct cdm_bound bound =
            cdm_bound_of_type(cdm_type_parse(&builder, cdm_view_of(cases[i].type)));
        /* Infinite ends are kept apart from finite ones by one. */
        bool same_min = bound.min == cases[i].expected.min;
        bool same_max = bound.max == cases[i].expected.max;
        if (!same_min || !same_max)
            fail_msg("%s: [%lld, %lld]", cases[i].type, (long long)bound.min, (long long)bound.max);
    }
    cdm_arena_release(&arena);
}

static void loops_run_from_their_minimum_for_their_extent(void **state)
{
    struct cdm_arena arena = {0};
    const struct cdm_expr *a = expression("a", &arena), *b = expression("b", &arena);
    const struct cdm_expr *c = expression("c", &arena), *five = expression("5", &arena);
    const struct cdm_bound vars[3] = {{2, 3}, {4, 10}, {-INF, INF}};

    (void)state;
    struct cdm_bound loop = cdm_bound_of_loop(five, five, vars);
    assert_true(loop.min == 5 && loop.max == 9);
    loop = cdm_bound_of_loop(a, b, vars);
    assert_true(loop.min == 2 && loop.max == 3 + 10 - 1);
    loop = cdm_bound_of_loop(a, c, vars);
    assert_true(loop.min == 2 && loop.max == INF);
    assert_int_equal(cdm_loop_extent(five, vars), 5);
    assert_int_equal(cdm_loop_extent(b, vars), 10);
    assert_int_equal(cdm_loop_extent(c, vars), 1); /* nothing is known of it */
    cdm_arena_release(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rules_by_table),
        cmocka_unit_test(numbers_past_the_range_become_unknown),
        cmocka_unit_test(no_value_lies_outside_its_bound),
        cmocka_unit_test(types_have_their_range),
        cmocka_unit_test(loops_run_from_their_minimum_for_their_extent),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
