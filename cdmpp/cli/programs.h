/* All programs of the files that a command line names: the loop that most commands share. */
#ifndef CDMPP_CLI_PROGRAMS_H
#define CDMPP_CLI_PROGRAMS_H

#include "cdmpp/cli/inputs.h"
#include "features/source.h"

/* Zero-initialise. */
struct cdm_program_files {
    struct cdm_input_files inputs;
    struct cdm_source *source; /* the open file */
    const char *path;
    bool open;
};

/* One step of the loop. */
struct cdm_program_step {
    struct cdm_source_item item; /* item.program NULL: see `status` */
    const char *file;            /* name for messages and results; NULL at the end of everything */
    enum cdm_status status; /* not CDM_OK: this program or file cannot be read, `error` says why */
    struct cdm_error error;
};

enum cdm_status cdm_program_files_open(struct cdm_program_files *files,
                                       const struct cdm_operands *operands, const char *files_from,
                                       struct cdm_error *err) CDM_MUST_CHECK;

/* The next program or the next thing that cannot be read; false at the end. A failure never ends
 * the loop: the next step goes on with what follows. */
bool cdm_program_files_next(struct cdm_program_files *files, struct cdm_program_step *step);

void cdm_program_files_close(struct cdm_program_files *files);

/* Appends the JSON line that stands in the place of a result:
 * {"file","line","column","program","device","error"}, without what is unknown (line and column not
 * positive, program and device NULL). */
void cdm_put_error_line(struct cdm_str *out, const char *file, int64_t line, int64_t column,
                        const char *program, const char *device, const char *message);

/* The status that a batch ends with after `status` was met: I/O failures and missing things weigh
 * more than bad input. */
enum cdm_status cdm_worse_status(enum cdm_status worst, enum cdm_status status);

#endif
