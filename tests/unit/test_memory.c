/* alloc, arena and str: who owns memory and what is in it. */
#include "cdmpp/core/alloc.h"
#include "cdmpp/core/arena.h"
#include "cdmpp/core/str.h"

#include <setjmp.h>
#include <stdalign.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

static void memory_comes_zeroed(void **state)
{
    (void)state;
    int *items = cdm_alloc(1000, sizeof *items);

    for (int i = 0; i < 1000; i++)
        assert_int_equal(items[i], 0);
    free(items);
    free(cdm_alloc(0, 8)); /* no elements are fine */
}

static void growing_keeps_the_elements(void **state)
{
    (void)state;
    int *items = NULL;
    size_t capacity = 0;

    for (int i = 0; i < 10000; i++) {
        items = cdm_grow(items, &capacity, (size_t)i + 1, sizeof *items);
        items[i] = i;
    }
    for (int i = 0; i < 10000; i++)
        assert_int_equal(items[i], i);
    assert_true(capacity >= 10000);
    free(items);
}

static void growing_by_nothing_changes_nothing(void **state)
{
    (void)state;
    size_t capacity = 0;
    char *items = cdm_grow(NULL, &capacity, 10, 1);
    size_t before = capacity;

    assert_ptr_equal(cdm_grow(items, &capacity, 10, 1), items);
    assert_int_equal(capacity, before);
    free(items);
}

static void a_size_that_overflows_ends_the_program_with_70(void **state)
{
    (void)state;
    int status;
    pid_t child = fork();

    if (child == 0) {
        size_t capacity = 0;
        close(STDERR_FILENO);
        free(cdm_grow(NULL, &capacity, SIZE_MAX / 2, 16));
        _exit(0);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), 70);
}

static void arena_memory_is_zeroed_aligned_and_apart(void **state)
{
    (void)state;
    struct cdm_arena arena = {0};
    unsigned char *blocks[200];

    for (size_t i = 0; i < 200; i++) {
        blocks[i] = cdm_arena_alloc(&arena, i * 37);
        assert_int_equal((uintptr_t)blocks[i] % alignof(max_align_t), 0);
        for (size_t j = 0; j < i * 37; j++)
            assert_int_equal(blocks[i][j], 0);
        memset(blocks[i], (int)i, i * 37);
    }
    for (size_t i = 0; i < 200; i++)
        for (size_t j = 0; j < i * 37; j++)
            assert_int_equal(blocks[i][j], i);
    cdm_arena_release(&arena);
}

static void a_reset_arena_gives_zeroed_memory_again(void **state)
{
    (void)state;
    struct cdm_arena arena = {0};

    memset(cdm_arena_alloc(&arena, 5000), 0xff, 5000);
    cdm_arena_reset(&arena);
    assert_int_equal(arena.used, 0);
    const unsigned char *again = cdm_arena_alloc(&arena, 5000);
    for (int i = 0; i < 5000; i++)
        assert_int_equal(again[i], 0);
    cdm_arena_release(&arena);
}

static void a_reset_arena_uses_its_blocks_again(void **state)
{
    (void)state;
    struct cdm_arena arena = {0};
    void *first = cdm_arena_alloc(&arena, 1000);

    for (int round = 0; round < 5; round++) {
        for (int i = 0; i < 300; i++)
            cdm_arena_alloc(&arena, 1000);
        cdm_arena_reset(&arena);
        assert_ptr_equal(cdm_arena_alloc(&arena, 1000), first);
    }
    cdm_arena_release(&arena);
}

static void an_arena_takes_things_larger_than_a_block(void **state)
{
    (void)state;
    struct cdm_arena arena = {0};
    size_t size = (size_t)20 << 20;

    cdm_arena_alloc(&arena, 10);
    char *large = cdm_arena_alloc(&arena, size);
    large[0] = large[size - 1] = 'x';
    cdm_arena_reset(&arena);
    large = cdm_arena_alloc(&arena, size); /* the block for it comes after a smaller one */
    assert_int_equal(large[size - 1], 0);
    cdm_arena_release(&arena);
}

static void a_released_arena_is_empty_and_usable(void **state)
{
    (void)state;
    struct cdm_arena arena = {0};

    cdm_arena_alloc(&arena, 10);
    cdm_arena_release(&arena);
    assert_null(arena.first);
    assert_string_equal(cdm_arena_text(&arena, "text and more", 4), "text");
    cdm_arena_release(&arena);
}

static void views_compare_by_content(void **state)
{
    (void)state;
    struct cdm_view view = {"parallel", 3};

    assert_true(cdm_view_is(view, "par"));
    assert_false(cdm_view_is(view, "para"));
    assert_false(cdm_view_is(view, "pa"));
    assert_true(cdm_view_starts(view, "pa"));
    assert_true(cdm_view_starts(view, ""));
    assert_false(cdm_view_starts(view, "para"));
    assert_true(cdm_view_is((struct cdm_view){NULL, 0}, ""));
}

static void a_string_grows_and_ends_with_a_zero(void **state)
{
    (void)state;
    struct cdm_str str = {0};

    assert_null(str.data);
    cdm_str_putc(&str, 'a');
    cdm_str_puts(&str, "bc");
    cdm_str_add(&str, "d\0e", 3);
    cdm_str_printf(&str, "%d-%s", 42, "x");
    assert_int_equal(str.length, 10);
    assert_memory_equal(str.data, "abcd\0e42-x", 11);
    cdm_str_reset(&str);
    assert_string_equal(str.data, "");
    cdm_str_release(&str);
    assert_null(str.data);
}

static void printf_to_a_string_has_no_limit(void **state)
{
    (void)state;
    struct cdm_str str = {0};

    cdm_str_puts(&str, "<");
    cdm_str_printf(&str, "%*s>", 100000, "x");
    assert_int_equal(str.length, 100002);
    assert_string_equal(str.data + 100000, "x>");
    cdm_str_release(&str);
}

static void an_array_in_an_arena_keeps_its_elements_when_it_grows(void **state)
{
    (void)state;
    struct cdm_arena arena = {0};
    size_t capacity = 0;
    int *numbers = NULL;

    for (size_t n = 0; n < 1000; n++) {
        numbers = cdm_arena_grow(&arena, numbers, n, &capacity, sizeof *numbers);
        assert_true(capacity > n);
        assert_int_equal(numbers[n], 0);
        numbers[n] = (int)n;
    }
    for (int n = 0; n < 1000; n++)
        assert_int_equal(numbers[n], n);
    assert_ptr_equal(cdm_arena_grow(&arena, numbers, capacity - 1, &capacity, sizeof *numbers),
                     numbers);
    cdm_arena_release(&arena);
}

static void the_end_of_a_text_is_found(void **state)
{
    (void)state;
    assert_true(cdm_text_ends("a.yaml", ".yaml"));
    assert_true(cdm_text_ends(".yaml", ".yaml"));
    assert_true(cdm_text_ends("x", ""));
    assert_false(cdm_text_ends("yaml", ".yaml"));
    assert_false(cdm_text_ends("a.yaml.gz", ".yaml"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(memory_comes_zeroed),
        cmocka_unit_test(growing_keeps_the_elements),
        cmocka_unit_test(growing_by_nothing_changes_nothing),
        cmocka_unit_test(a_size_that_overflows_ends_the_program_with_70),
        cmocka_unit_test(arena_memory_is_zeroed_aligned_and_apart),
        cmocka_unit_test(a_reset_arena_gives_zeroed_memory_again),
        cmocka_unit_test(a_reset_arena_uses_its_blocks_again),
        cmocka_unit_test(an_arena_takes_things_larger_than_a_block),
        cmocka_unit_test(a_released_arena_is_empty_and_usable),
        cmocka_unit_test(an_array_in_an_arena_keeps_its_elements_when_it_grows),
        cmocka_unit_test(views_compare_by_content),
        cmocka_unit_test(the_end_of_a_text_is_found),
        cmocka_unit_test(a_string_grows_and_ends_with_a_zero),
        cmocka_unit_test(printf_to_a_string_has_no_limit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
