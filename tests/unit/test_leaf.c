/* Feature vectors worked out by hand from the rules in features/leaf.def and features/leaf.h, with
 * the derivation beside them. Notation: P = product of the extents of all loops; a row of touched
 * elements goes from the innermost loop outwards. */
#include "tests/unit/leaves.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
/* cmocka.h needs the headers above. */
#include <cmocka.h>

/* One annotated loop of extent `len`; `kind` is "vec", "unroll" or "parallel". */
static void one_loop(float *row, const char *kind, double len)
{
    int num = leaves_index(!strcmp(kind, "vec")      ? "vec_num"
                           : !strcmp(kind, "unroll") ? "unroll_num"
                                                     : "parallel_num");
    row[num] = 1;
    row[num + 1] = row[num + 2] = (float)len;
    row[num + 3] = 0;  /* None */
    row[num + 10] = 1; /* Mixed */
}

/* The curve through (operations, operations per byte), the loops from inside out, at the tenths of
 * all operations; constant up to the first point. */
static void set_curve(float *row, const double (*points)[2], int n)
{
    for (int i = 0; i < 10; i++) {
        double ops = points[n - 1][0] * (i + 1) / 10;
        int at = 0;
        while (points[at][0] < ops - 1e-4)
            at++;
        double share = at ? (ops - points[at - 1][0]) / (points[at][0] - points[at - 1][0]) : 1;
        double from = at ? points[at - 1][1] : 0;
        row[CDM_FIRST_CURVE + i] = (float)(from + share * (points[at][1] - from));
    }
}

/* A matrix product with a rectifier, on a CPU */

static const char gemm[] =
    "@T.prim_func\n"
    "def gemm(A: T.Buffer[(32, 64), \"float32\"], B: T.Buffer[(64, 16), \"float32\"],\n"
    "         C: T.Buffer[(32, 16), \"float32\"]) -> None:\n"
    "    T.realize(C[0:32, 0:16], \"global\")\n"
    "    for i in T.parallel(32):\n"
    "        for jo in T.serial(4):\n"
    "            for ji in T.vectorized(4):\n"
    "                C[i, jo * 4 + ji] = T.float32(0)\n"
    "            for k in T.serial(64):\n"
    "                for ji in T.vectorized(4):\n"
    "                    C[i, jo * 4 + ji] = C[i, jo * 4 + ji] + A[i, k] * B[k, jo * 4 + ji]\n"
    "            for ji in T.vectorized(4):\n"
    "                C[i, jo * 4 + ji] = T.max(C[i, jo * 4 + ji], T.float32(0))\n";

static void gemm_row(float *row, double vector)
{
    leaves_plain(row);
    one_loop(row, "vec", vector);
    one_loop(row, "parallel", 32);
}

/* C = 0. Loops i 32, jo 4, ji 4: P = 512. C touched: ji 4, jo 16, i 512 elements.
 *   bytes = 512 * 4; unique_bytes = 512 * 4
 *   lines: ji has stride 1 (jo * 4 + ji: the sum is met first, so its coefficient is 1) in the last
 *          dimension: 512 * 1 * 4/64 = 32
 *   unique_lines: the region 32 x 16 fills the last dimension: runs of 16 * 4 = 64 bytes, 2048/64
 *   no loop leaves C's element alone and nothing touched C before: no reuse
 * The realize around it: 32 * 16 * 4 bytes, 512 elements, outside all loops. */
static void expect_gemm_init(float *row)
{
    gemm_row(row, 4);
    leaves_set_slot(row, 0, (struct leaf_slot){WRITE, 2048, 2048, 32, 32, NO_REUSE, 0, 0, 0, 1});
    leaves_set_tail(row, 2048, 512, 1, 512, 3, 0);
}

/* C = C + A * B. Loops i 32, jo 4, k 64, ji 4: P = 32768. Per element one float addition and one
 * multiplication; in the load's indices jo * 4 + ji stands twice: 2 integer additions and 2
 * multiplications. The store's own indices do not count.
 *   touched   ji    k      jo      i
 *   C         4     4      16      512
 *   A         1     64     64      2048
 *   B         4     256    1024    1024
 *   bytes     36    1296   4416    14336     of all three together
 * B: bytes = 32768 * 4 = 131072, unique 1024 * 4; ji has stride 1: lines 32768/16 = 2048; the
 * stored region 32 x 16 fills B's last dimension (16): 4096/64 = 64 unique lines. ji, k and jo move
 * it; i does not: reuse by the loop i, 32 times, after 4 * 64 * 4 = 1024 iterations, in which jo's
 * body touched 4416 bytes and, before, the initialisation 16 * 4: 4480. C: unique = the first
 * record at i, of the initialisation: 512 * 4; lines as B; unique lines 2048/64. ji moves it, k
 * does not: 64 uses, after 4 iterations and 36 bytes. A: ji does not move it: divide by 4; k has
 * stride 1, but is not the innermost loop: stride 0, lines 32768/4 * 4/64 = 512. The stored region
 * 32 x 16 against A's 32 x 64: not 16 of 64, but 32 of 32: 32 * 4 = 128 bytes, more than a line:
 * 8192/64 = 128 unique lines. ji reuses it 4 times, the very next iteration, after one element of
 * each buffer: 12 bytes. Order: C and B have equal lines and bytes; the one accessed later stands
 * first. Curve: 2 operations * 4, 64, 4, 32 = 8, 512, 2048, 65536 over the bytes above. */
static void expect_gemm_update(float *row)
{
    static const double curve[][2] = {
        {8, 8 / 36.}, {512, 512 / 1296.}, {2048, 2048 / 4416.}, {65536, 65536 / 14336.}};

    gemm_row(row, 4);
    leaves_set(row, "float_addsub", 32768);
    leaves_set(row, "float_mul", 32768);
    leaves_set(row, "int_addsub", 2 * 32768);
    leaves_set(row, "int_mul", 2 * 32768);
    leaves_set_slot(row, 0,
                    (struct leaf_slot){READ, 131072, 4096, 2048, 64, LOOP, 1024, 4480, 32, 1});
    leaves_set_slot(row, 1,
                    (struct leaf_slot){READ_WRITE, 131072, 2048, 2048, 32, LOOP, 4, 36, 64, 1});
    leaves_set_slot(row, 2, (struct leaf_slot){READ, 131072, 8192, 512, 128, LOOP, 1, 12, 4, 0});
    set_curve(row, curve, 4);
    leaves_set_tail(row, 2048, 512, 1, 32768, 4, 0);
}

/* C = max(C, 0). Loops i 32, jo 4, ji 4: P = 512; one float comparison, one integer addition and
 * multiplication in the load. ji's loop is new; at jo three statements touched C, 16 elements each:
 * serial reuse, 2 earlier uses, after 16 / 4 iterations; jo's body touched 64 + 4416 + 64 = 4544
 * bytes, a quarter of it is 1136. Curve: 4, 16, 512 operations over 16, 64, 2048 bytes: flat. */
static void expect_gemm_rectifier(float *row)
{
    static const double curve[][2] = {{4, 0.25}, {16, 0.25}, {512, 0.25}};

    gemm_row(row, 4);
    leaves_set(row, "float_cmp", 512);
    leaves_set(row, "int_addsub", 512);
    leaves_set(row, "int_mul", 512);
    leaves_set_slot(row, 0,
                    (struct leaf_slot){READ_WRITE, 2048, 2048, 32, 32, SERIAL, 4, 1136, 2, 1});
    set_curve(row, curve, 3);
    leaves_set_tail(row, 2048, 512, 1, 512, 3, 0);
}

static void gemm_has_one_row_for_each_store(void **state)
{
    float row[CDM_N_FEATURES];
    struct cdm_leaf_matrix matrix = leaves_extract(*state, gemm, CDM_VIEW_LEAF, true);

    assert_int_equal(matrix.n_rows, 3);
    expect_gemm_init(row);
    leaves_assert_row(&matrix, 0, row);
    expect_gemm_update(row);
    leaves_assert_row(&matrix, 1, row);
    expect_gemm_rectifier(row);
    leaves_assert_row(&matrix, 2, row);
    /* Ids: root 0, realize 1, i 2, jo 3, ji 4, store 5 (depth 5), k 6, ji 7, store 8 (depth 6), ji
     * 9, store 10 (depth 5); position = 2 * id - depth. */
    assert_int_equal(matrix.positions[0], 5);
    assert_int_equal(matrix.positions[1], 10);
    assert_int_equal(matrix.positions[2], 15);
}

/* Operations add up over the three stores; all else is the last one's. */
static void gemm_has_one_row_for_its_buffer_in_the_view_of_tvm(void **state)
{
    float row[CDM_N_FEATURES];
    struct cdm_leaf_matrix matrix = leaves_extract(*state, gemm, CDM_VIEW_TVM, true);

    assert_int_equal(matrix.n_rows, 1);
    expect_gemm_rectifier(row);
    leaves_set(row, "float_addsub", 32768);
    leaves_set(row, "float_mul", 32768);
    leaves_set(row, "int_addsub", 2 * 32768 + 512);
    leaves_set(row, "int_mul", 2 * 32768 + 512);
    leaves_assert_row(&matrix, 0, row);
    assert_int_equal(matrix.positions[0], 0);
}

/* A convolution on a GPU: 4 channels of 8 x 8, 8 filters of 3 x 1, one row of zeros above and
 * below. Two blocks of 4 filters, two virtual threads of 2 filters, a thread for each column; the
 * padded channel is copied to shared memory by all threads. */

static const char conv[] =
    "@T.prim_func\n"
    "def conv(data: T.Buffer[(1, 4, 8, 8), \"float32\"], kernel: T.Buffer[(8, 4, 3, 1), "
    "\"float32\"],\n"
    "         out: T.Buffer[(1, 8, 8, 8), \"float32\"]) -> None:\n"
    "    bx = T.env_thread(\"blockIdx.x\")\n"
    "    vt = T.env_thread(\"vthread\")\n"
    "    tx = T.env_thread(\"threadIdx.x\")\n"
    "    tx_1 = T.env_thread(\"threadIdx.x\")\n"
    "    acc = T.buffer_decl([1, 8, 8, 8], dtype=\"float32\", scope=\"local\")\n"
    "    pad = T.buffer_decl([1, 4, 10, 8], dtype=\"float32\", scope=\"shared\")\n"
    "    T.realize(out[0:1, 0:8, 0:8, 0:8], \"global\")\n"
    "    T.launch_thread(bx, 2)\n"
    "    T.launch_thread(vt, 2)\n"
    "    T.launch_thread(tx, 8)\n"
    "    T.realize(acc[0:1, bx * 4 + vt * 2:bx * 4 + vt * 2 + 2, 0:8, tx:tx + 1], \"local\")\n"
    "    T.attr(T.iter_var(bx, None, \"ThreadIndex\", \"blockIdx.x\"), "
    "\"pragma_auto_unroll_max_step\", 16)\n"
    "    for f, y in T.grid(2, 8):\n"
    "        acc[0, bx * 4 + vt * 2 + f, y, tx] = T.float32(0)\n"
    "    for rc in T.serial(4):\n"
    "        T.realize(pad[0:1, rc:rc + 1, 0:10, 0:8], \"shared\")\n"
    "        for ax in T.serial(10):\n"
    "            T.launch_thread(tx_1, 8)\n"
    "            pad[0, rc, ax, tx_1] = T.if_then_else(1 <= ax and ax < 9, data[0, rc, ax - 1, "
    "tx_1], T.float32(0), dtype=\"float32\")\n"
    "        for ry in T.unroll(3):\n"
    "            for f, y in T.grid(2, 8):\n"
    "                acc[0, bx * 4 + vt * 2 + f, y, tx] = acc[0, bx * 4 + vt * 2 + f, y, tx] + "
    "pad[0, rc, y + ry, tx] * kernel[bx * 4 + vt * 2 + f, rc, ry, 0]\n"
    "    for f, y in T.grid(2, 8):\n"
    "        out[0, bx * 4 + vt * 2 + f, y, tx] = acc[0, bx * 4 + vt * 2 + f, y, tx]\n";

static void conv_row(float *row)
{
    leaves_plain(row);
    leaves_set(row, "is_gpu", 1);
    leaves_set(row, "blockIdx_x_len", 2);
    leaves_set(row, "threadIdx_x_len", 8);
    leaves_set(row, "vthread_len", 2);
}

/* acc = 0. Loops bx 2, vt 2, tx 8, f 2, y 8: P = 512. Touched: y 8, f 16, tx 128, vt 256, bx 512.
 *   y is the third of four dimensions, the last has 8: stride 8; lines 512 * 8 * 4/64 = 256
 *   the region 1 x 8 x 8 x 8 fills the last dimension: 32 bytes in a row: 2048/32 = 64 unique lines
 * The realize, inside bx, vt and tx: 2 * 8 elements = 64 bytes, P there = 32. */
static void expect_conv_init(float *row)
{
    conv_row(row);
    leaves_set_slot(row, 0, (struct leaf_slot){WRITE, 2048, 2048, 256, 64, NO_REUSE, 0, 0, 0, 8});
    leaves_set_tail(row, 64, 512, 32, 512, 5, 16);
}

/* pad = if_then_else(...). Loops bx 2, vt 2, tx 8, rc 4, ax 10, tx_1 8: P = 10240. Per element: one
 * pure call with a float result, two integer comparisons, one "and", one integer subtraction in the
 * load. threadIdx.x is 8 by tx_1, too.
 *   touched   tx_1  ax   rc    tx, vt, bx
 *   pad       8     80   320   320
 *   data      8     80   320   320        (rows -1 .. 8: the bounds do not see the condition)
 *   bytes     64    640  2560  2560
 * Both: bytes 40960, unique 1280; stride 1: 640 lines; the stored region 1 x 4 x 10 x 8 fills the
 * last dimension of both: 1280/32 = 40 unique lines. tx_1, ax, rc move them, tx does not: 8 uses,
 * after 8 * 10 * 4 iterations and the 2560 bytes of rc. Equal: data, accessed later, stands first.
 * Curve: 8, 80, 320, 2560, 5120, 10240 calls over these bytes: 1/8 three times, then 1, 2, 4.
 * The realize, inside bx, vt, tx and rc: 80 elements = 320 bytes, P there = 128. */
static void expect_conv_copy(float *row)
{
    static const double curve[][2] = {{8, 0.125}, {80, 0.125}, {320, 0.125},
                                      {2560, 1},  {5120, 2},   {10240, 4}};
    const struct leaf_slot both = {READ, 40960, 1280, 640, 40, LOOP, 320, 2560, 8, 1};

    conv_row(row);
    leaves_set(row, "float_mathfunc", 10240);
    leaves_set(row, "int_cmp", 2 * 10240);
    leaves_set(row, "int_addsub", 10240);
    leaves_set(row, "bool_op", 10240);
    leaves_set_slot(row, 0, both);
    leaves_set_slot(row, 1, both);
    leaves_set(row, "B1.acc_type.kRead", 0);
    leaves_set(row, "B1.acc_type.kWrite", 1);
    set_curve(row, curve, 6);
    leaves_set_tail(row, 320, 10240, 128, 10240, 6, 16);
}

/* acc = acc + pad * kernel. Loops bx 2, vt 2, tx 8, rc 4, ry 3 (unrolled), f 2, y 8: P = 6144. One
 * float addition and multiplication. Integer operations in the loads' indices: bx * 4 + vt * 2 + f
 * twice (2 additions, 2 multiplications each) and y + ry.
 *   touched   y    f    ry   rc   tx    vt    bx
 *   acc       8    16   16   16   128   256   512
 *   pad       8    8    10   40   320   320   320
 *   kernel    1    2    6    24   24    48    96
 *   bytes     68   104  128  320  1888  2496  3712
 * pad: unique = the first record at bx, of the copy: 320 * 4; y has stride 8: lines 6144 * 32/64 =
 *      3072; the stored region's 8 columns fill its last dimension: 1280/32 = 40. y moves it, f
 * does not: 2 uses after 8 iterations and 68 bytes. acc: unique = the first record at bx, of the
 * initialisation: 512 * 4; lines as pad; 2048/32 = 64. y and f move it, ry does not: 3 uses after
 * 16 iterations and 104 bytes. kernel: y does not move it: divide by 8; f does, by 4 * 3 * 1 = 12
 * elements (coefficient 1): lines 6144/8 * 12 * 4/64 = 576; not the innermost loop: stride 0. The
 * stored region 1 x 8 x 8 x 8 fills none of its 8 x 4 x 3 x 1: 384/4 = 96 unique lines. y uses it 8
 * times: at once, 12 bytes. */
static void expect_conv_update(float *row)
{
    static const double curve[][2] = {
        {16, 16 / 68.},       {32, 32 / 104.},      {96, 96 / 128.},       {384, 384 / 320.},
        {3072, 3072 / 1888.}, {6144, 6144 / 2496.}, {12288, 12288 / 3712.}};

    conv_row(row);
    one_loop(row, "unroll", 3);
    leaves_set(row, "float_addsub", 6144);
    leaves_set(row, "float_mul", 6144);
    leaves_set(row, "int_addsub", 5 * 6144);
    leaves_set(row, "int_mul", 4 * 6144);
    leaves_set_slot(row, 0, (struct leaf_slot){READ, 24576, 1280, 3072, 40, LOOP, 8, 68, 2, 8});
    leaves_set_slot(row, 1,
                    (struct leaf_slot){READ_WRITE, 24576, 2048, 3072, 64, LOOP, 16, 104, 3, 8});
    leaves_set_slot(row, 2, (struct leaf_slot){READ, 24576, 384, 576, 96, LOOP, 1, 12, 8, 0});
    set_curve(row, curve, 7);
    leaves_set_tail(row, 64, 512, 32, 6144, 7, 16);
}

/* out = acc. Loops bx 2, vt 2, tx 8, f 2, y 8: P = 512; 2 integer additions and multiplications in
 * the load. Both buffers: bytes 2048, unique 2048, stride 8: 256 lines, 2048/32 = 64 unique lines.
 * acc: the loops y and f are new; at tx the initialisation, the update and this touched 128 each:
 *      serial reuse, 2 earlier uses, after 128/8 iterations; tx's body touched 512 (init) + 2560
 *      (copy) + 1888 (update) + 1024 (this) = 5984 bytes, an eighth is 748.
 * The realize of out is outside all loops: 512 elements. */
static void expect_conv_output(float *row)
{
    conv_row(row);
    leaves_set(row, "int_addsub", 2 * 512);
    leaves_set(row, "int_mul", 2 * 512);
    leaves_set_slot(row, 0, (struct leaf_slot){READ, 2048, 2048, 256, 64, SERIAL, 16, 748, 2, 8});
    leaves_set_slot(row, 1, (struct leaf_slot){WRITE, 2048, 2048, 256, 64, NO_REUSE, 0, 0, 0, 8});
    leaves_set_tail(row, 2048, 512, 1, 512, 5, 16);
}

static void conv_has_one_row_for_each_store(void **state)
{
    float row[CDM_N_FEATURES];
    struct cdm_leaf_matrix matrix = leaves_extract(*state, conv, CDM_VIEW_LEAF, true);

    assert_int_equal(matrix.n_rows, 4);
    expect_conv_init(row);
    leaves_assert_row(&matrix, 0, row);
    expect_conv_copy(row);
    leaves_assert_row(&matrix, 1, row);
    expect_conv_update(row);
    leaves_assert_row(&matrix, 2, row);
    expect_conv_output(row);
    leaves_assert_row(&matrix, 3, row);
    /* Ids: root 0, realize out 1, bx 2, vt 3, tx 4, realize acc 5, pragma 6, f 7, y 8, store 9
     * (depth 9), rc 10, realize pad 11, ax 12, tx_1 13, store 14 (depth 11), ry 15, f 16, y 17,
     * store 18 (depth 12), f 19, y 20, store 21 (depth 9). */
    assert_int_equal(matrix.positions[0], 2 * 9 - 9);
    assert_int_equal(matrix.positions[1], 2 * 14 - 11);
    assert_int_equal(matrix.positions[2], 2 * 18 - 12);
    assert_int_equal(matrix.positions[3], 2 * 21 - 9);
}

static void conv_has_one_row_for_each_buffer_in_the_view_of_tvm(void **state)
{
    float row[CDM_N_FEATURES];
    struct cdm_leaf_matrix matrix = leaves_extract(*state, conv, CDM_VIEW_TVM, true);

    /* acc, pad, out in the order of their first stores; the initialisation of acc has no
     * operations. */
    assert_int_equal(matrix.n_rows, 3);
    expect_conv_update(row);
    leaves_assert_row(&matrix, 0, row);
    expect_conv_copy(row);
    leaves_assert_row(&matrix, 1, row);
    expect_conv_output(row);
    leaves_assert_row(&matrix, 2, row);
}

/* With a loop whose bounds are no numbers, or a let, the regions are computed anew at each loop
 * instead of being brought up to date: both ways must agree where both may be used. */
static void both_ways_to_compute_regions_agree(void **state)
{
    static const char *const texts[] = {gemm, conv};

    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        struct cdm_leaf_matrix matrix = leaves_extract(*state, texts[i], CDM_VIEW_LEAF, true);
        size_t n = (size_t)matrix.n_rows * CDM_N_FEATURES;
        float *first = malloc(n * sizeof *first);
        memcpy(first, matrix.values, n * sizeof *first);

        const char *body = strstr(texts[i], "    T.realize(");
        struct cdm_str text = {0};
        cdm_str_add(&text, texts[i], (size_t)(body - texts[i]));
        cdm_str_puts(&text, "    unused: T.int32 = 7\n");
        cdm_str_puts(&text, body);
        matrix = leaves_extract(*state, text.data, CDM_VIEW_LEAF, true);
        assert_memory_equal(matrix.values, first, n * sizeof *first);
        cdm_str_release(&text);
        free(first);
    }
}

static void counts_pass_the_logarithm_and_flags_do_not(void **state)
{
    struct cdm_leaf_matrix raw = leaves_extract(*state, conv, CDM_VIEW_LEAF, true);
    float before[CDM_N_FEATURES];

    memcpy(before, raw.values + 2 * CDM_N_FEATURES, sizeof before);
    struct cdm_leaf_matrix scaled = leaves_extract(*state, conv, CDM_VIEW_LEAF, false);
    const float *row = scaled.values + 2 * CDM_N_FEATURES;
    for (int i = 0; i < CDM_N_FEATURES; i++) {
        const char *name = cdm_feature_name(i);
        bool flag = strstr(name, "_type") || !strcmp(name, "is_gpu");
        float expected = flag ? before[i] : log2f(before[i] + 1);
        if (fabsf(row[i] - expected) > 1e-6F * fabsf(expected))
            fail_msg("%s: %g, expected %g", name, (double)row[i], (double)expected);
    }
    assert_true(row[leaves_index("float_mul")] > 12);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(gemm_has_one_row_for_each_store, leaves_set_up,
                                        leaves_tear_down),
        cmocka_unit_test_setup_teardown(gemm_has_one_row_for_its_buffer_in_the_view_of_tvm,
                                        leaves_set_up, leaves_tear_down),
        cmocka_unit_test_setup_teardown(conv_has_one_row_for_each_store, leaves_set_up,
                                        leaves_tear_down),
        cmocka_unit_test_setup_teardown(conv_has_one_row_for_each_buffer_in_the_view_of_tvm,
                                        leaves_set_up, leaves_tear_down),
        cmocka_unit_test_setup_teardown(both_ways_to_compute_regions_agree, leaves_set_up,
                                        leaves_tear_down),
        cmocka_unit_test_setup_teardown(counts_pass_the_logarithm_and_flags_do_not, leaves_set_up,
                                        leaves_tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
