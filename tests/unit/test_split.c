#include "data/split.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
/* cmocka.h needs the headers above. */
#include <cmocka.h>

/* The numbers in the comments are int(hashlib.sha1(prefix + name).hexdigest()[:8], 16) % 100 of
 * Python, with the prefix "split:" for tasks and "prog:" for programs. */
static void names_decide_as_python_computes_it(void **state)
{
    static const struct {
        const char *task, *program;
        enum cdm_split split;
        bool unseen;
    } cases[] = {
        {"task13", "prog24", CDM_SPLIT_TRAIN, false},                              /* 0, 0 */
        {"task107", "prog24", CDM_SPLIT_TRAIN, false},                             /* 79, 0 */
        {"task25", "prog24", CDM_SPLIT_VALIDATION, true},                          /* 80 */
        {"task259", "prog228", CDM_SPLIT_VALIDATION, true},                        /* 89 */
        {"task59", "prog24", CDM_SPLIT_TEST, true},                                /* 90 */
        {"task122", "prog24", CDM_SPLIT_TEST, true},                               /* 99 */
        {"task13", "prog139", CDM_SPLIT_TRAIN, false},                             /* 0, 89 */
        {"task13", "prog51", CDM_SPLIT_VALIDATION, false},                         /* 0, 90 */
        {"task13", "prog422", CDM_SPLIT_VALIDATION, false},                        /* 0, 94 */
        {"task13", "prog93", CDM_SPLIT_TEST, false},                               /* 0, 95 */
        {"task107", "prog228", CDM_SPLIT_TEST, false},                             /* 79, 99 */
        {"dense_m128_n768_k3072_nt__dense-pack-x86", "a", CDM_SPLIT_TRAIN, false}, /* 53, 52 */
        {"", "", CDM_SPLIT_TRAIN, false},                                          /* 78, 34 */
        {"\xc3\xa9", "\xc3\xbc", CDM_SPLIT_TRAIN, false},                          /* 22, 41 */
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        bool unseen = !cases[i].unseen;
        enum cdm_split split =
            cdm_split_of(cdm_view_of(cases[i].task), cdm_view_of(cases[i].program), &unseen);
        if (split != cases[i].split || unseen != cases[i].unseen)
            fail_msg("%s, %s: set %d, unseen %d", cases[i].task, cases[i].program, (int)split,
                     unseen);
    }
}

static void a_name_may_hold_any_bytes(void **state)
{
    const struct cdm_view with_zero = {"task25\0", 7};
    bool unseen;

    (void)state;
    cdm_split_of(with_zero, cdm_view_of("p"), &unseen);
    assert_false(unseen); /* 9 in Python; "task25" alone is 80 */
}

/* Four of five tasks are for training, and of their programs nine of ten. With 20,000 names the
 * standard deviation of a share is under 0.003: 0.02 cannot be chance. */
static void shares_are_as_they_should_be(void **state)
{
    enum { N = 20000 };
    int counts[2][3] = {{0}};
    char task[32], program[32];

    (void)state;
    for (int i = 0; i < N; i++) {
        bool unseen;
        int task_length = snprintf(task, sizeof task, "t%d", i / 4);
        int program_length = snprintf(program, sizeof program, "p%d", i);
        enum cdm_split split =
            cdm_split_of((struct cdm_view){task, (size_t)task_length},
                         (struct cdm_view){program, (size_t)program_length}, &unseen);
        counts[unseen][split]++;
    }
    assert_int_equal(counts[1][CDM_SPLIT_TRAIN], 0);
    assert_in_range(counts[1][CDM_SPLIT_VALIDATION], N * 0.08, N * 0.12);
    assert_in_range(counts[1][CDM_SPLIT_TEST], N * 0.08, N * 0.12);
    assert_in_range(counts[0][CDM_SPLIT_TRAIN], N * 0.70, N * 0.74);
    assert_in_range(counts[0][CDM_SPLIT_VALIDATION], N * 0.03, N * 0.05);
    assert_in_range(counts[0][CDM_SPLIT_TEST], N * 0.03, N * 0.05);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_decide_as_python_computes_it),
        cmocka_unit_test(a_name_may_hold_any_bytes),
        cmocka_unit_test(shares_are_as_they_should_be),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
