/* Where tests find what was built, and where they may write. */
#ifndef CDMPP_TESTS_UNIT_PLACE_H
#define CDMPP_TESTS_UNIT_PLACE_H

#include <stddef.h>

/* The path of `name` ("fake/libcdmpp_torch.so") seen from the folder of the running test program.
 * Returns `path`. */
const char *test_built(const char *name, char *path, size_t size);

/* A new folder for temporary files, and its removal with the files in it. */
const char *test_folder_make(char *path, size_t size);
void test_folder_remove(const char *path);

#endif
