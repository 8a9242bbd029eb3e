/* Programs for tests, from TVMScript texts. */
#ifndef CDMPP_TESTS_UNIT_PROGRAMS_H
#define CDMPP_TESTS_UNIT_PROGRAMS_H

#include "cdmpp/core/str.h"
#include "features/program.h"

/* The one program of a TVMScript text that must be good; it lives in `arena`. Fails the test
 * otherwise. */
const struct cdm_program *test_program(const char *text, struct cdm_arena *arena);

/* The canonical text of a program; the caller releases it. */
struct cdm_str test_canonical(const struct cdm_program *program);

/* The whole of a file of the checkout, such as "tests/cases/x.txt"; the caller releases it. Fails
 * the test when it cannot be read. */
struct cdm_str test_file(const char *path);

#endif
