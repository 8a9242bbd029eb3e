#include "tests/unit/programs.h"

#include "cdmpp/core/text.h"
#include "features/dump.h"
#include "features/print.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
/* cmocka.h needs the headers above. */
#include <cmocka.h>

const struct cdm_program *test_program(const char *text, struct cdm_arena *arena)
{
    struct cdm_programs programs = {0};
    struct cdm_error err = {0};

    if (cdm_dump_read(cdm_view_of(text), 1, arena, &programs, &err))
        fail_msg("%d:%d: %s", (int)err.line, (int)err.column, err.message);
    assert_int_equal(programs.n, 1);
    return programs.items[0];
}

struct cdm_str test_canonical(const struct cdm_program *program)
{
    struct cdm_str text = {0};

    cdm_print_program(program, &text);
    return text;
}

struct cdm_str test_file(const char *path)
{
    struct cdm_str text = {0};
    struct cdm_error err = {0};

    if (cdm_read_file(path, 64 << 20, &text, &err))
        fail_msg("%s: %s (tests run in the root of the checkout)", path, err.message);
    return text;
}
