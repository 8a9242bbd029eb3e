/* Single rules of the feature vectors, and their limits. */
#include "tests/unit/leaves.h"
#include "tests/unit/programs.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
/* cmocka.h needs the headers above. */
#include <cmocka.h>

static void a_store_outside_loops_touches_one_element(void **state)
{
    float row[CDM_N_FEATURES];
    struct cdm_leaf_matrix matrix = leaves_extract(*state,
                                                   "@T.prim_func\n"
                                                   "def f(A: T.Buffer[(4,), \"float16\"]):\n"
                                                   "    A[1] = A[2] * T.float16(3)\n",
                                                   CDM_VIEW_LEAF, true);

    assert_int_equal(matrix.n_rows, 1);
    leaves_plain(row);
    leaves_set(row, "float_mul", 1);
    leaves_set_slot(row, 0, (struct leaf_slot){READ_WRITE, 2, 2, 1, 1, NO_REUSE, 0, 0, 0, 0});
    leaves_set_tail(row, 0, 0, 0, 1, 0, 0); /* A is not realized: no allocation */
    leaves_assert_row(&matrix, 0, row);
    assert_int_equal(matrix.positions[0], 1);
}

static void each_kind_of_operation_is_counted_once(void **state)
{
    struct cdm_leaf_matrix matrix = leaves_extract(
        *state,
        "@T.prim_func\n"
        "def f(A: T.Buffer[(9,), \"float32\"], I: T.Buffer[(9,), \"int32\"], n: T.int32):\n"
        "    for i in T.serial(9):\n"
        "        A[i] = T.Select(not (A[i] < T.float32(2)) or I[i] // 3 % 2 == n, A[i] / "
        "A[i] - A[i], "
        "T.exp(A[i]) * T.call_extern(\"g\", A[i], dtype=\"float32\"))\n"
        "        I[i] = T.min(I[i], T.popcount(I[i])) + T.cast(A[i], \"int32\") * "
        "T.foo(I[i], dtype=\"int32\")\n",
        CDM_VIEW_LEAF, true);
    const float *a = matrix.values, *b = matrix.values + CDM_N_FEATURES;

    assert_true(leaves_get(a, "float_cmp") == 9);       /* < */
    assert_true(leaves_get(a, "bool_op") == 2 * 9);     /* not, or */
    assert_true(leaves_get(a, "int_divmod") == 2 * 9);  /* //, % */
    assert_true(leaves_get(a, "int_cmp") == 9);         /* == */
    assert_true(leaves_get(a, "select_op") == 9);       /* Select */
    assert_true(leaves_get(a, "float_divmod") == 9);    /* / */
    assert_true(leaves_get(a, "float_addsub") == 9);    /* - */
    assert_true(leaves_get(a, "float_mul") == 9);       /* * */
    assert_true(leaves_get(a, "float_mathfunc") == 9);  /* exp */
    assert_true(leaves_get(a, "float_otherfunc") == 9); /* call_extern */
    assert_true(leaves_get(a, "float_mad") == 0);
    assert_true(leaves_get(b, "int_cmp") == 9);      /* min */
    assert_true(leaves_get(b, "int_mathfunc") == 9); /* popcount */
    assert_true(leaves_get(b, "int_addsub") == 9);   /* + */
    assert_true(leaves_get(b, "int_mul") == 9);      /* * */
    assert_true(leaves_get(b, "int_otherfunc") == 9);
    assert_true(leaves_get(b, "float_mul") == 0); /* a cast is no operation */
}

static void only_five_buffers_have_slots_and_the_ones_with_most_lines(void **state)
{
    /* Lines: A (stored) and B..E stride 1: 64 * 4/64 = 4; F, a column of 64 x 64: stride 64: 64. */
    struct cdm_leaf_matrix matrix = leaves_extract(
        *state,
        "@T.prim_func\n"
        "def f(A: T.Buffer[(64,), \"float32\"], B: T.Buffer[(64,), \"float32\"],\n"
        "      C: T.Buffer[(64,), \"float32\"], D: T.Buffer[(64,), \"float32\"],\n"
        "      E: T.Buffer[(64,), \"float32\"], F: T.Buffer[(64, 64), \"float32\"]):\n"
        "    for i in T.serial(64):\n"
        "        A[i] = B[i] + C[i] + D[i] + E[i] + F[i, 0]\n",
        CDM_VIEW_LEAF, true);

    assert_true(leaves_get(matrix.values, "B0.lines") == 64);
    assert_true(leaves_get(matrix.values, "B0.stride") == 64);
    for (int k = 1; k < CDM_N_SLOTS; k++) {
        assert_true(matrix.values[CDM_FIRST_SLOT + k * CDM_SLOT_ENTRIES + 5] == 4);
        /* The stored buffer is the first accessed, so of the equal ones it is the one left out. */
        assert_true(matrix.values[CDM_FIRST_SLOT + k * CDM_SLOT_ENTRIES + 1] == 0);
    }
}

static void the_flag_of_the_gpu_stays_once_it_was_set(void **state)
{
    struct cdm_leaf_matrix matrix =
        leaves_extract(*state,
                       "@T.prim_func\n"
                       "def f(A: T.Buffer[(8,), \"float32\"]):\n"
                       "    for i in T.serial(8):\n"
                       "        A[i] = T.float32(0)\n"
                       "    for i in T.thread_binding(8, thread=\"threadIdx.y\"):\n"
                       "        A[i] = T.float32(1)\n"
                       "    for i in T.serial(8):\n"
                       "        A[i] = T.float32(2)\n",
                       CDM_VIEW_LEAF, true);
    static const double gpu[] = {0, 1, 1}, threads[] = {1, 8, 1};

    assert_int_equal(matrix.n_rows, 3);
    for (int i = 0; i < 3; i++) {
        assert_true(leaves_get(matrix.values + i * CDM_N_FEATURES, "is_gpu") == gpu[i]);
        assert_true(leaves_get(matrix.values + i * CDM_N_FEATURES, "threadIdx_y_len") ==
                    threads[i]);
    }
}

static void a_pragma_counts_in_its_scope_alone(void **state)
{
    struct cdm_leaf_matrix matrix =
        leaves_extract(*state,
                       "@T.prim_func\n"
                       "def f(A: T.Buffer[(8,), \"float32\"]):\n"
                       "    A[0] = T.float32(0)\n"
                       "    with T.attr(A, \"pragma_auto_unroll_max_step\", 512):\n"
                       "        A[1] = T.float32(0)\n"
                       "        with T.attr(A, \"pragma_auto_unroll_max_step\", 65536 + 64):\n"
                       "            A[2] = T.float32(0)\n"
                       "    with T.attr(A, \"pragma_auto_unroll_max_step\", 65600):\n"
                       "        A[3] = T.float32(0)\n",
                       CDM_VIEW_LEAF, true);
    /* A value that is no number is left alone; TVM keeps 16 bits of one. */
    static const double expected[] = {0, 512, 512, 64};

    for (int i = 0; i < 4; i++)
        assert_true(leaves_get(matrix.values + i * CDM_N_FEATURES, "auto_unroll_max_step") ==
                    expected[i]);
}

static void where_no_byte_is_touched_the_curve_is_finite(void **state)
{
    /* Nothing is known of n: its 2^32 values wrap around to 0 touched elements, as in TVM, whose
     * curve is infinite here. Ours counts one byte: 4 operations / 1. */
    struct cdm_leaf_matrix matrix = leaves_extract(*state,
                                                   "@T.prim_func\n"
                                                   "def f(A: T.Buffer[(8,), \"float32\"]):\n"
                                                   "    for i in T.serial(4):\n"
                                                   "        A[n] = A[n] + T.float32(1)\n",
                                                   CDM_VIEW_LEAF, true);

    for (int i = 0; i < 10; i++)
        assert_true(matrix.values[CDM_FIRST_CURVE + i] == 4);
    assert_true(leaves_get(matrix.values, "B0.unique_bytes") == 0);
}

static void huge_and_negative_extents_give_finite_numbers(void **state)
{
    static const char *const extents[] = {"9223372036854775807",           "0", "-5",
                                          "T.int64(-9223372036854775807)", "n", "n * n * n"};

    for (size_t i = 0; i < sizeof extents / sizeof *extents; i++) {
        struct cdm_str text = {0};
        cdm_str_puts(&text, "@T.prim_func\ndef f(A: T.Buffer[(8, 8), \"float32\"], n: T.int64):\n");
        for (int depth = 1; depth <= 40; depth++)
            cdm_str_printf(&text, "%*sfor i%d in T.serial(%s):\n", depth, "", depth, extents[i]);
        cdm_str_printf(&text,
                       "%*sA[i1 * i2, i40 * 9223372036854775807] = A[i3, 7] * A[i1 - i4, i5]\n", 41,
                       "");
        for (int view = CDM_VIEW_LEAF; view <= CDM_VIEW_TVM; view++) {
            struct cdm_leaf_matrix matrix =
                leaves_extract(*state, text.data, (enum cdm_leaf_view)view, true);
            assert_int_equal(matrix.n_rows, 1);
            for (int k = 0; k < CDM_N_FEATURES; k++)
                if (!isfinite(matrix.values[k]))
                    fail_msg("extent %s: %s is not finite", extents[i], cdm_feature_name(k));
        }
        cdm_str_release(&text);
    }
}

static void loops_deeper_than_the_masks_are_seen(void **state)
{
    struct cdm_str text = {0};

    /* 70 loops of one iteration around two that count; the result is that of the two. */
    cdm_str_puts(&text, "@T.prim_func\ndef f(A: T.Buffer[(8, 16), \"float32\"]):\n");
    for (int depth = 1; depth <= 70; depth++)
        cdm_str_printf(&text, "%*sfor x%d in T.serial(1):\n", depth, "", depth);
    cdm_str_printf(&text, "%*sfor i in T.serial(8):\n%*sfor j in T.serial(16):\n", 71, "", 72, "");
    cdm_str_printf(&text, "%*sA[i, j] = A[i, j] + T.float32(1)\n", 73, "");
    struct cdm_leaf_matrix matrix = leaves_extract(*state, text.data, CDM_VIEW_LEAF, true);
    cdm_str_release(&text);

    assert_true(leaves_get(matrix.values, "num_loops") == 72);
    assert_true(leaves_get(matrix.values, "outer_prod") == 128);
    assert_true(leaves_get(matrix.values, "B0.unique_bytes") == 512);
    assert_true(leaves_get(matrix.values, "B0.lines") == 8);
    assert_true(leaves_get(matrix.values, "B0.unique_lines") == 8);
    assert_true(leaves_get(matrix.values, "B0.stride") == 1);
    /* The innermost of the 70 is the first that does not move the access. */
    assert_true(leaves_get(matrix.values, "B0.reuse_type.kLoopMultipleRead") == 1);
    assert_true(leaves_get(matrix.values, "B0.reuse_dis_iter") == 128);
    assert_true(leaves_get(matrix.values, "B0.reuse_dis_bytes") == 512);
    assert_true(leaves_get(matrix.values, "B0.reuse_ct") == 1);
}

/* Loops and statements with many buffers look them up in another way than those with few. */
static void each_of_many_buffers_is_told_apart(void **state)
{
    enum { N = 100 };
    struct cdm_str text = {0};

    cdm_str_puts(&text, "@T.prim_func\ndef f(A: T.Buffer((8,), \"float32\")):\n");
    for (int k = 0; k < N; k++)
        cdm_str_printf(&text, "    B%dx = T.buffer_decl((%d,), \"float32\")\n", k, k + 1);
    cdm_str_puts(&text, "    for i in T.serial(8):\n");
    for (int k = 0; k < 2 * N; k++)
        cdm_str_printf(&text, "        B%dx[i] = T.float32(0)\n", k % N);
    cdm_str_puts(&text, "        A[i] = T.f(B0x[i]");
    for (int k = 1; k < 2 * N; k++)
        cdm_str_printf(&text, ", B%dx[i * %d]", k % N, k % N + 1);
    cdm_str_puts(&text, ")\n");
    struct cdm_leaf_matrix matrix = leaves_extract(*state, text.data, CDM_VIEW_LEAF, true);
    assert_int_equal(matrix.n_rows, 2 * N + 1);
    for (int k = 0; k < 2 * N; k++) {
        const float *row = matrix.values + k * CDM_N_FEATURES;
        assert_true(leaves_get(row, "B0.reuse_type.kSerialMultipleReadWrite") == (k >= N));
        assert_true(leaves_get(row, "B0.reuse_ct") == (k >= N));
    }
    /* The five with most lines are the last in the list with the largest strides: 16 elements and
     * more touch a line of their own each time. */
    const float *row = matrix.values + 2 * N * CDM_N_FEATURES;
    for (int k = 0; k < CDM_N_SLOTS; k++) {
        const float *slot = row + CDM_FIRST_SLOT + k * CDM_SLOT_ENTRIES;
        assert_true(slot[5] == 8);               /* lines */
        assert_true(slot[17] == (float)(N - k)); /* stride */
    }
    matrix = leaves_extract(*state, text.data, CDM_VIEW_TVM, true);
    assert_int_equal(matrix.n_rows, N + 1);
    cdm_str_release(&text);
}

/* A program with n_loops around n_stores to buffers of their own, or to one. */
static void check_too_large(struct leaves *leaves, int n_loops, int n_stores, bool one_buffer)
{
    struct cdm_leaf_matrix matrix;
    struct cdm_error err = {0};
    struct cdm_str text = {0};

    cdm_str_puts(&text, "@T.prim_func\ndef f():\n");
    for (int k = 0; k < (one_buffer ? 1 : n_stores); k++)
        cdm_str_printf(&text, "    B%dx = T.buffer_decl((1,), \"float32\")\n", k);
    for (int k = 0; k < n_loops; k++)
        cdm_str_puts(&text, "    T.launch_thread(\"threadIdx.x\", 2)\n");
    for (int k = 0; k < n_stores; k++)
        cdm_str_printf(&text, "    B%dx[0] = T.float32(0)\n", one_buffer ? 0 : k);
    const struct cdm_program *program = test_program(text.data, &leaves->arena);
    cdm_str_release(&text);
    assert_int_equal(cdm_extract(leaves->extractor, program, CDM_VIEW_LEAF, true, &matrix, &err),
                     CDM_BAD_INPUT);
    assert_string_equal(err.message,
                        "the program has too many loops around too many stores for features");
    cdm_arena_reset(&leaves->arena);
}

static void a_program_that_would_take_all_memory_or_time_is_refused(void **state)
{
    check_too_large(*state, 50, 85000, false);
    check_too_large(*state, 500, 2000, true);
    /* The next program is none the worse for it. */
    a_store_outside_loops_touches_one_element(state);
}

static void names_are_those_of_the_feature_set(void **state)
{
    (void)state;
    assert_string_equal(cdm_feature_name(0), "float_mad");
    assert_string_equal(cdm_feature_name(49), "is_gpu");
    assert_string_equal(cdm_feature_name(56), "vthread_len");
    assert_string_equal(cdm_feature_name(57), "B0.acc_type.kRead");
    assert_string_equal(cdm_feature_name(146), "B4.stride");
    assert_string_equal(cdm_feature_name(147), "arith_intensity_curve_0");
    assert_string_equal(cdm_feature_name(163), "auto_unroll_max_step");
    assert_string_equal(cdm_feature_name(164), "");
    assert_string_equal(cdm_feature_name(-1), "");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_store_outside_loops_touches_one_element, leaves_set_up,
                                        leaves_tear_down),
        cmocka_unit_test_setup_teardown(each_kind_of_operation_is_counted_once, leaves_set_up,
                                        leaves_tear_down),
        cmocka_unit_test_setup_teardown(only_five_buffers_have_slots_and_the_ones_with_most_lines,
                                        leaves_set_up, leaves_tear_down),
        cmocka_unit_test_setup_teardown(the_flag_of_the_gpu_stays_once_it_was_set, leaves_set_up,
                                        leaves_tear_down),
        cmocka_unit_test_setup_teardown(a_pragma_counts_in_its_scope_alone, leaves_set_up,
                                        leaves_tear_down),
        cmocka_unit_test_setup_teardown(where_no_byte_is_touched_the_curve_is_finite, leaves_set_up,
                                        leaves_tear_down),
        cmocka_unit_test_setup_teardown(huge_and_negative_extents_give_finite_numbers,
                                        leaves_set_up, leaves_tear_down),
        cmocka_unit_test_setup_teardown(loops_deeper_than_the_masks_are_seen, leaves_set_up,
                                        leaves_tear_down),
        cmocka_unit_test_setup_teardown(each_of_many_buffers_is_told_apart, leaves_set_up,
                                        leaves_tear_down),
        cmocka_unit_test_setup_teardown(a_program_that_would_take_all_memory_or_time_is_refused,
                                        leaves_set_up, leaves_tear_down),
        cmocka_unit_test(names_are_those_of_the_feature_set),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
