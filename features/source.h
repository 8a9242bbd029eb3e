/* Programs from a stream, one after another, in memory that does not grow with the stream.
 *
 * A stream may hold, in any mixture: program lines (NDJSON objects with "tir"), JSON graphs (on one
 * line or many), and TVMScript modules with other text around them. gzip is seen by content. The
 * stream is cut into pieces (a line, a document, a module), and each piece is read by the format
 * table (features/dump.h). */
#ifndef CDMPP_FEATURES_SOURCE_H
#define CDMPP_FEATURES_SOURCE_H

#include "cdmpp/core/error.h"
#include "cdmpp/core/str.h"
#include "features/program.h"

struct cdm_source;

/* One program of the stream. All of it is valid until the next call. */
struct cdm_source_item {
    const struct cdm_program *program; /* NULL at the end of the stream */
    int64_t line;                      /* where it starts in the stream, from 1 */
    struct cdm_view id;                /* of a program line; else the function's name */
    struct cdm_view task;              /* of a program line, "" when it has none */
};

/* Opens a file, "-" for standard input. Errors are those of cdm_reader_open(). */
enum cdm_status cdm_source_open(struct cdm_source **source, const char *path,
                                struct cdm_error *err) CDM_MUST_CHECK;

void cdm_source_close(struct cdm_source *source);

/* The next program. CDM_BAD_INPUT tells of one that cannot be read, with its place; the next call
 * goes on behind it. After any other error the source is only good to be closed. A stream without
 * any program gives CDM_BAD_INPUT once. */
enum cdm_status cdm_source_next(struct cdm_source *source, struct cdm_source_item *item,
                                struct cdm_error *err) CDM_MUST_CHECK;

#endif
