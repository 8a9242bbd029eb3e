#include "cdmpp/core/rng.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static void the_generator_is_xoshiro256_starstar(void **state)
{
    (void)state;
    /* By hand: the first is rotl(2 * 5, 7) * 9 = 10 * 128 * 9; then s1 is 2 ^ (3 ^ 1)
     * = 0. The next two were computed apart from this code. */
    struct cdm_rng rng = {{1, 2, 3, 4}};

    assert_int_equal(cdm_rng_next(&rng), 11520);
    assert_int_equal(cdm_rng_next(&rng), 0);
    assert_int_equal(cdm_rng_next(&rng), 1509978240);
    assert_int_equal(cdm_rng_next(&rng), 1215971899390074240);
}

static void the_same_seed_gives_the_same_numbers(void **state)
{
    (void)state;
    struct cdm_rng a;
    struct cdm_rng b;

    cdm_rng_seed(&a, 42, 3);
    cdm_rng_seed(&b, 42, 3);
    for (int i = 0; i < 100; i++)
        assert_int_equal(cdm_rng_next(&a), cdm_rng_next(&b));
}

/* Fixed for all times: a change here changes every trained model. */
static void the_numbers_of_seed_0_never_change(void **state)
{
    (void)state;
    struct cdm_rng rng;

    cdm_rng_seed(&rng, 0, 0);
    assert_true(cdm_rng_next(&rng) == UINT64_C(18110106563157542208));
    assert_true(cdm_rng_uniform(&rng) == 0x1.e0326389b3a96p-2);
    assert_true(cdm_rng_normal(&rng) == -0x1.960e06d83b9p-1);
    assert_true(cdm_rng_below(&rng, 1000) == 281);
}

static void streams_and_seeds_differ(void **state)
{
    (void)state;
    struct cdm_rng a;
    struct cdm_rng b;
    struct cdm_rng c;

    cdm_rng_seed(&a, 1, 0);
    cdm_rng_seed(&b, 1, 1);
    cdm_rng_seed(&c, 2, 0);
    uint64_t first = cdm_rng_next(&a);
    uint64_t second = cdm_rng_next(&b);
    uint64_t third = cdm_rng_next(&c);
    assert_true(first != second && second != third && first != third);
}

static void below_reaches_every_value_evenly(void **state)
{
    (void)state;
    struct cdm_rng rng;
    int counts[7] = {0};

    cdm_rng_seed(&rng, 5, 0);
    for (int i = 0; i < 70000; i++)
        counts[cdm_rng_below(&rng, 7)]++;
    /* The deviation of each count is 93: five of them. */
    for (int i = 0; i < 7; i++)
        assert_in_range(counts[i], 10000 - 465, 10000 + 465);
    assert_int_equal(cdm_rng_below(&rng, 1), 0);
}

static void uniform_lies_in_0_to_1(void **state)
{
    (void)state;
    struct cdm_rng rng;
    double sum = 0;

    cdm_rng_seed(&rng, 6, 0);
    for (int i = 0; i < 100000; i++) {
        double value = cdm_rng_uniform(&rng);
        assert_true(value >= 0 && value < 1);
        sum += value;
    }
    /* The deviation of the mean is 0.0009: five of them. */
    assert_true(fabs(sum / 100000 - 0.5) < 0.0046);
}

static void normal_has_mean_0_and_deviation_1(void **state)
{
    (void)state;
    struct cdm_rng rng;
    double sum = 0;
    double squares = 0;
    int beyond_2 = 0;

    cdm_rng_seed(&rng, 7, 0);
    for (int i = 0; i < 100000; i++) {
        double value = cdm_rng_normal(&rng);
        sum += value;
        squares += value * value;
        beyond_2 += fabs(value) > 2;
    }
    assert_true(fabs(sum / 100000) < 0.016);           /* five deviations of 0.0032 */
    assert_true(fabs(squares / 100000 - 1) < 0.023);   /* of 0.0045 */
    assert_in_range(beyond_2, 4550 - 330, 4550 + 330); /* 4.55 %, of 66 */
}

static void shuffle_keeps_the_items_and_moves_them(void **state)
{
    (void)state;
    struct cdm_rng rng;
    uint32_t items[100];
    int seen[100] = {0};
    int in_place = 0;

    for (uint32_t i = 0; i < 100; i++)
        items[i] = i;
    cdm_rng_seed(&rng, 8, 0);
    cdm_rng_shuffle(&rng, items, 100);
    for (uint32_t i = 0; i < 100; i++) {
        seen[items[i]]++;
        in_place += items[i] == i;
    }
    for (int i = 0; i < 100; i++)
        assert_int_equal(seen[i], 1);
    assert_true(in_place < 10);
    cdm_rng_shuffle(&rng, items, 0);
}

static void shuffle_gives_each_order_as_often(void **state)
{
    (void)state;
    struct cdm_rng rng;
    int counts[3][3] = {{0}};

    cdm_rng_seed(&rng, 9, 0);
    for (int i = 0; i < 60000; i++) {
        uint32_t items[3] = {0, 1, 2};
        cdm_rng_shuffle(&rng, items, 3);
        counts[items[0]][items[1]]++;
    }
    for (int a = 0; a < 3; a++)
        for (int b = 0; b < 3; b++)
            if (a != b)
                assert_in_range(counts[a][b], 10000 - 457, 10000 + 457);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_generator_is_xoshiro256_starstar),
        cmocka_unit_test(the_same_seed_gives_the_same_numbers),
        cmocka_unit_test(the_numbers_of_seed_0_never_change),
        cmocka_unit_test(streams_and_seeds_differ),
        cmocka_unit_test(below_reaches_every_value_evenly),
        cmocka_unit_test(uniform_lies_in_0_to_1),
        cmocka_unit_test(normal_has_mean_0_and_deviation_1),
        cmocka_unit_test(shuffle_keeps_the_items_and_moves_them),
        cmocka_unit_test(shuffle_gives_each_order_as_often),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
