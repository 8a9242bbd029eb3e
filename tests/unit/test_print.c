/* The canonical printer where TVMScript texts do not reach: names that other formats have, numbers,
 * types. What texts reach is in tests/cases/tvmscript. */
#include "cdmpp/core/rng.h"
#include "features/build.h"
#include "features/dump.h"
#include "features/print.h"
#include "tests/unit/programs.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
/* cmocka.h needs the headers above. */
#include <cmocka.h>

/* A program that is built by hand: def f(A: T.Buffer((8,), "float32")). */
struct made {
    struct cdm_arena arena;
    struct cdm_builder builder;
    struct cdm_buffer *a;
};

static struct cdm_expr *integer(struct made *made, int64_t value)
{
    return cdm_expr_int(&made->builder, value, cdm_type_int32());
}

static void start(struct made *made)
{
    *made = (struct made){0};
    cdm_build_start(&made->builder, &made->arena, "test");
    struct cdm_program *program = made->builder.program;
    struct cdm_expr **shape = cdm_arena_array(&made->arena, 1, sizeof(struct cdm_expr *));
    shape[0] = integer(made, 8);
    program->name = "f";
    program->line = 1;
    program->params = cdm_arena_alloc(&made->arena, sizeof *program->params);
    program->n_params = 1;
    made->a =
        cdm_build_buffer(&made->builder, cdm_view_of("A"), cdm_type_float32(), shape, 1, NULL);
    made->a->param = 0;
    program->params[0].var =
        cdm_build_loose_var(&made->builder, cdm_view_of("A"), cdm_type_handle());
    program->params[0].buffer = made->a;
}

/* A[index] = value */
static struct cdm_stmt *store(struct made *made, struct cdm_expr *index, struct cdm_expr *value)
{
    struct cdm_stmt *stmt = cdm_stmt_new(&made->builder, STMT_STORE, 0, 0);
    stmt->buffer = made->a;
    stmt->indices = cdm_arena_array(&made->arena, 1, sizeof(struct cdm_expr *));
    stmt->indices[0] = index;
    stmt->n_indices = 1;
    stmt->value = value;
    return stmt;
}

static struct cdm_stmt *loop(struct made *made, struct cdm_var *var, struct cdm_stmt *body)
{
    struct cdm_stmt *stmt = cdm_stmt_new(&made->builder, STMT_LOOP, 0, 0);
    stmt->var = var;
    stmt->min = integer(made, 0);
    stmt->extent = integer(made, 8);
    stmt->body = body;
    return stmt;
}

static void names_become_names_of_python(void **state)
{
    static const char *const names[][2] = {
        {"i.outer.inner", "i_outer_inner"},
        {"ax0.ax1.fused", "ax0_ax1_fused"},
        {"", "v"},
        {"3d", "v3d"},
        {"a b\nc", "a_b_c"},
        {"for", "forv"},
        {"T", "Tv"},
        {"x_1_2", "x"},
        {"_", "_"},
        {"_7", "_7"},
        {"name\xc3\xa9", "name\xc3\xa9"},
        {"A", "A_1"}, /* the buffer has it */
        {"i.outer_4", "i_outer"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        struct made made;
        char expected[256];
        start(&made);
        struct cdm_var *var =
            cdm_build_var(&made.builder, cdm_view_of(names[i][0]), cdm_type_int32());
        made.builder.program->body =
            loop(&made, var,
                 store(&made, cdm_expr_var(&made.builder, var),
                       cdm_expr_float(&made.builder, 1, cdm_type_float32())));
        struct cdm_str text = test_canonical(made.builder.program);
        snprintf(expected, sizeof expected,
                 "@T.prim_func\ndef f(A: T.Buffer((8,), \"float32\")):\n"
                 "    for %s in T.serial(8):\n        A[%s] = T.float32(1)\n",
                 names[i][1], names[i][1]);
        assert_string_equal(text.data, expected);
        struct cdm_str again = test_canonical(test_program(text.data, &made.arena));
        assert_string_equal(again.data, text.data);
        cdm_str_release(&text);
        cdm_str_release(&again);
        cdm_arena_release(&made.arena);
    }
}

static void many_variables_of_one_name_are_told_apart(void **state)
{
    struct made made;
    struct cdm_stmt *body;

    (void)state;
    start(&made);
    struct cdm_var *vars[40];
    for (int i = 0; i < 40; i++)
        vars[i] = cdm_build_var(&made.builder, cdm_view_of("i"), cdm_type_int32());
    body =
        store(&made, cdm_expr_var(&made.builder, vars[39]),
              cdm_expr_load(&made.builder, made.a,
                            (struct cdm_expr *[]){cdm_expr_var(&made.builder, vars[0])}, 1, NULL));
    for (int i = 39; i >= 0; i--)
        body = loop(&made, vars[i], body);
    made.builder.program->body = body;
    struct cdm_str text = test_canonical(made.builder.program);
    assert_non_null(strstr(text.data, "for i, i_1, i_2,"));
    assert_non_null(strstr(text.data, "A[i_39] = A[i]\n"));
    /* 32 loops on one line is the most. */
    assert_non_null(strstr(text.data, "i_31 in T.grid("));
    cdm_str_release(&text);
    cdm_arena_release(&made.arena);
}

/* The value of `A[0] = EXPR` after it was printed and read again. */
static const struct cdm_expr *print_and_read(struct made *made, struct cdm_expr *value)
{
    made->builder.program->body = store(made, integer(made, 0), value);
    struct cdm_str text = test_canonical(made->builder.program);
    const struct cdm_program *program = test_program(text.data, &made->arena);
    cdm_str_release(&text);
    return program->body->value;
}

static void every_number_comes_back(void **state)
{
    static const double special[] = {0,
                                     -0.0,
                                     1,
                                     0.1,
                                     1e22,
                                     1e-7,
                                     5e-324,
                                     1.7976931348623157e308,
                                     INFINITY,
                                     -INFINITY,
                                     123456789012345678.0};
    struct made made;
    struct cdm_rng rng;
    enum { N = 2000, N_SPECIAL = sizeof special / sizeof *special };

    (void)state;
    start(&made);
    cdm_rng_seed(&rng, 1, 0);
    for (int i = 0; i < N; i++) {
        double number = i < N_SPECIAL ? special[i] : 0;
        if (i >= N_SPECIAL) {
            uint64_t bits = cdm_rng_next(&rng);
            memcpy(&number, &bits, sizeof number);
        }
        if (isnan(number))
            continue;
        const struct cdm_expr *value =
            print_and_read(&made, cdm_expr_float(&made.builder, number, cdm_type_float32()));
        assert_int_equal(value->kind, EXPR_FLOAT);
        /* -0.0 == 0.0, but they are two numbers. */
        if (value->number != number || signbit(value->number) != signbit(number))
            fail_msg("%.17g comes back as %.17g", number, value->number);
    }
    const struct cdm_expr *value =
        print_and_read(&made, cdm_expr_float(&made.builder, NAN, cdm_type_float32()));
    assert_true(value->kind == EXPR_FLOAT && isnan(value->number));
    cdm_arena_release(&made.arena);
}

static void every_integer_comes_back_with_its_type(void **state)
{
    static const char *const types[] = {"int8", "int32", "int64", "uint8", "uint64", "int8x4"};
    static const int64_t numbers[] = {0, 1, -1, 255, INT32_MAX, INT32_MIN, INT64_MAX, INT64_MIN};
    struct made made;

    (void)state;
    start(&made);
    for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
        struct cdm_type type = cdm_type_parse(&made.builder, cdm_view_of(types[i]));
        for (size_t k = 0; k < sizeof numbers / sizeof *numbers; k++) {
            const struct cdm_expr *value =
                print_and_read(&made, cdm_expr_int(&made.builder, numbers[k], type));
            assert_int_equal(value->kind, EXPR_INT);
            assert_true(value->integer == numbers[k]);
            assert_true(cdm_type_equal(value->type, type));
        }
    }
    cdm_arena_release(&made.arena);
}

static void every_text_comes_back(void **state)
{
    struct made made;
    char text[2] = {0};

    (void)state;
    start(&made);
    for (int c = 1; c < 256; c++) {
        text[0] = (char)c;
        struct cdm_expr *call = cdm_expr_new(&made.builder, EXPR_CALL, cdm_type_float32(), 1);
        call->text = "f";
        call->args[0] = cdm_expr_text(&made.builder, cdm_view_of(text));
        const struct cdm_expr *value = print_and_read(&made, call);
        assert_int_equal(value->kind, EXPR_CALL);
        assert_string_equal(value->args[0]->text, text);
    }
    cdm_arena_release(&made.arena);
}

static void types_are_spelt_as_they_are_read(void **state)
{
    static const char *const names[] = {
        "float32",          "float16",     "bfloat16",    "int8",       "uint16", "bool",
        "boolx4",           "handle",      "int8x4",      "float32x16", "int128", "float64",
        "float32xvscalex4", "e4m3_float8", "custom[x]32", "float32x",   "x",      "int"};
    struct made made;
    char text[64];

    (void)state;
    start(&made);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        struct cdm_type type = cdm_type_parse(&made.builder, cdm_view_of(names[i]));
        assert_string_equal(cdm_type_text(type, text, sizeof text), names[i]);
        assert_true(cdm_type_equal(type, cdm_type_parse(&made.builder, cdm_view_of(text))));
    }
    assert_string_equal(
        cdm_type_text(cdm_type_parse(&made.builder, cdm_view_of("uint1")), text, sizeof text),
        "bool");
    cdm_arena_release(&made.arena);
}

/* An operator of kind `outer` over one of kind `inner` as operand number `side`, of a, b and c. */
static void assert_tree_comes_back(struct made *made, struct cdm_var *const vars[3], int outer,
                                   int inner, int side)
{
    struct cdm_expr *operands[3];

    for (int i = 0; i < 3; i++)
        operands[i] = cdm_expr_var(&made->builder, vars[i]);
    struct cdm_expr *part = cdm_expr_new(&made->builder, (enum cdm_expr_kind)inner,
                                         cdm_type_int32(), inner == EXPR_NOT ? 1 : 2);
    for (int i = 0; i < part->n_args; i++)
        part->args[i] = operands[i];
    struct cdm_expr *whole = cdm_expr_new(&made->builder, (enum cdm_expr_kind)outer,
                                          cdm_type_int32(), outer == EXPR_NOT ? 1 : 2);
    for (int i = 0; i < whole->n_args; i++)
        whole->args[i] = i == side ? part : operands[2];
    const struct cdm_expr *value = print_and_read(made, whole);
    if (value->kind != outer || value->args[side]->kind != inner ||
        strcmp(value->args[side]->args[0]->var->name, "a"))
        fail_msg("operator %d with %d on side %d comes back as another tree", outer, inner, side);
}

/* Every pair of operators, each as the left and the right operand of the other: the tree that is
 * read is the one that was printed. */
static void parentheses_stand_where_the_tree_needs_them(void **state)
{
    static const char *const names[] = {"a", "b", "c"};
    struct made made;
    struct cdm_var *vars[3];

    (void)state;
    start(&made);
    for (int i = 0; i < 3; i++)
        vars[i] = cdm_build_var(&made.builder, cdm_view_of(names[i]), cdm_type_int32());
    for (int outer = EXPR_ADD; outer <= EXPR_NOT; outer++)
        for (int inner = EXPR_ADD; inner <= EXPR_NOT; inner++)
            for (int side = 0; side < (outer == EXPR_NOT ? 1 : 2); side++)
                assert_tree_comes_back(&made, vars, outer, inner, side);
    cdm_arena_release(&made.arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_become_names_of_python),
        cmocka_unit_test(many_variables_of_one_name_are_told_apart),
        cmocka_unit_test(every_number_comes_back),
        cmocka_unit_test(every_integer_comes_back_with_its_type),
        cmocka_unit_test(every_text_comes_back),
        cmocka_unit_test(types_are_spelt_as_they_are_read),
        cmocka_unit_test(parentheses_stand_where_the_tree_needs_them),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
