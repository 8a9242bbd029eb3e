/* The files that a command shall read: operands, a list of names, folders, standard input. */
#ifndef CDMPP_CLI_INPUTS_H
#define CDMPP_CLI_INPUTS_H

#include "cdmpp/cli/option.h"
#include "cdmpp/core/error.h"
#include "cdmpp/core/str.h"
#include "cdmpp/core/text.h"

#include <stdbool.h>

struct cdm_folder_level;

/* Use through the functions; `files` and `list` are private. */
struct cdm_input_files {
    struct cdm_operands operands;
    int next;
    struct cdm_reader *list;         /* --files-from, while it has names */
    const char *list_name;           /* for messages about it */
    struct cdm_folder_level *folder; /* the innermost folder being walked */
    struct cdm_str path;             /* the name that was given last */
};

/* Operands come first, then the names of `files_from` (a path or "-"; NULL = none), one a line;
 * empty lines are left out. Without both there is one input: "-", standard input. The operands must
 * live as long. */
enum cdm_status cdm_input_files_open(struct cdm_input_files *inputs,
                                     const struct cdm_operands *operands, const char *files_from,
                                     struct cdm_error *err) CDM_MUST_CHECK;

/* The next file, in *path, valid until the next call; NULL at the end. A folder stands for the
 * files in it and below it in the order of their names (bytes), without those whose names start
 * with ".". After a failure, such as a folder that cannot be read, *path names what failed and the
 * next call goes on. */
enum cdm_status cdm_input_files_next(struct cdm_input_files *inputs, const char **path,
                                     struct cdm_error *err) CDM_MUST_CHECK;

void cdm_input_files_close(struct cdm_input_files *inputs);

/* How messages and results call a path: "-" is "<stdin>". */
const char *cdm_input_name(const char *path);

#endif
