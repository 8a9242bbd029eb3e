#include "cdmpp/core/progress.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

/* A bar that started at second 100. */
static struct cdm_progress bar(int64_t total, int64_t done)
{
    return (struct cdm_progress){
        .what = "reading", .unit = "programs", .total = total, .done = done, .started = 100};
}

static void a_bar_shows_share_rate_and_time_left(void **state)
{
    (void)state;
    char text[256];
    struct cdm_progress progress = bar(4000, 1000);

    cdm_progress_text(&progress, 110, 200, text, sizeof text);
    assert_string_equal(text, "reading [######..................]  25% 100 programs/s, 00:30 left");
}

static void long_times_have_hours_and_large_rates_letters(void **state)
{
    (void)state;
    char text[256];
    struct cdm_progress progress = bar(1000000000, 100000);

    cdm_progress_text(&progress, 101, 200, text, sizeof text);
    assert_string_equal(text,
                        "reading [........................]   0% 100k programs/s, 2:46:39 left");
}

static void before_the_first_unit_the_time_left_is_unknown(void **state)
{
    (void)state;
    char text[256];
    struct cdm_progress progress = bar(10, 0);

    cdm_progress_text(&progress, 100, 200, text, sizeof text);
    assert_string_equal(text, "reading [........................]   0% 0 programs/s, --:-- left");
}

static void without_a_total_there_is_a_count(void **state)
{
    (void)state;
    char text[256];
    struct cdm_progress progress = bar(0, 25);

    cdm_progress_note(&progress, "loss 0.5");
    cdm_progress_text(&progress, 110, 200, text, sizeof text);
    assert_string_equal(text, "reading: 25 programs, 2.5/s, loss 0.5");
}

static void more_than_the_total_stays_at_100(void **state)
{
    (void)state;
    char text[256];
    struct cdm_progress progress = bar(10, 20);

    cdm_progress_text(&progress, 110, 200, text, sizeof text);
    assert_string_equal(text, "reading [########################] 100% 2.0 programs/s, 00:00 left");
}

static void a_bar_is_never_as_wide_as_the_terminal(void **state)
{
    (void)state;
    char text[256];
    struct cdm_progress progress = bar(10, 5);

    cdm_progress_text(&progress, 110, 20, text, sizeof text);
    assert_int_equal(strlen(text), 19);
}

static void without_a_terminal_nothing_is_drawn(void **state)
{
    (void)state;
    struct cdm_progress progress;

    /* The test's standard error is a file or a pipe. */
    cdm_progress_start(&progress, "reading", "programs", 10);
    cdm_progress_update(&progress, 10);
    assert_int_equal(progress.done, 10);
    cdm_progress_finish(&progress);
    assert_false(progress.shown);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_bar_shows_share_rate_and_time_left),
        cmocka_unit_test(long_times_have_hours_and_large_rates_letters),
        cmocka_unit_test(before_the_first_unit_the_time_left_is_unknown),
        cmocka_unit_test(without_a_total_there_is_a_count),
        cmocka_unit_test(more_than_the_total_stays_at_100),
        cmocka_unit_test(a_bar_is_never_as_wide_as_the_terminal),
        cmocka_unit_test(without_a_terminal_nothing_is_drawn),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
