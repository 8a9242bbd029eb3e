/* Text from files and streams, plain or gzip, and files that appear only when they are complete.
 *
 * "-" stands for standard input or output. Whether a stream is gzip is seen from its first bytes,
 * never from its name. Errors of the system are CDM_IO, bad gzip data is CDM_BAD_INPUT; messages do
 * not name the file: the caller knows it (cdm_error_text). */
#ifndef CDMPP_CORE_TEXT_H
#define CDMPP_CORE_TEXT_H

#include "cdmpp/core/error.h"
#include "cdmpp/core/str.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* Once a gzip stream has given CDM_FREE_EXPANSION bytes, it may have at most CDM_MAX_EXPANSION
 * bytes for each byte that was read: real dumps reach 100, and a stream made to fill the memory
 * reaches 1032. */
enum { CDM_FREE_EXPANSION = 64 << 20, CDM_MAX_EXPANSION = 500 };

struct cdm_reader;

/* Opens `path`. A folder is refused with CDM_BAD_INPUT, a missing or unreadable file with CDM_IO.
 * On success *reader is to be closed with cdm_reader_close(); on failure it is NULL. */
enum cdm_status cdm_reader_open(struct cdm_reader **reader, const char *path,
                                struct cdm_error *err) CDM_MUST_CHECK;

/* The same from an open file descriptor, which the reader does not close. */
enum cdm_status cdm_reader_open_fd(struct cdm_reader **reader, int fd,
                                   struct cdm_error *err) CDM_MUST_CHECK;

/* Closes and frees. NULL is fine. */
void cdm_reader_close(struct cdm_reader *reader);

/* The next line without its end ("\n" or "\r\n"); the last one may lack it. At the end of the text
 * line->data is NULL. The view may hold any bytes, zeros too, and is valid until the next call with
 * this reader. A line of more than `max_length` bytes is CDM_BAD_INPUT with its number, and the
 * next call goes on after it; no more than about max_length bytes are kept at any time. After any
 * other failure the text has ended: the next call finds no line. */
enum cdm_status cdm_reader_line(struct cdm_reader *reader, size_t max_length, struct cdm_view *line,
                                struct cdm_error *err) CDM_MUST_CHECK;

/* The number, from 1, of the line that cdm_reader_line() gave last; 0 before the first. */
int64_t cdm_reader_line_number(const struct cdm_reader *reader);

/* Up to `wanted` bytes that come next, without taking them: fewer only where the text ends.
 * Valid until the next call with this reader. */
enum cdm_status cdm_reader_peek(struct cdm_reader *reader, size_t wanted, struct cdm_view *next,
                                struct cdm_error *err) CDM_MUST_CHECK;

/* Adds all that is left to `text`; more than `max_size` bytes is CDM_BAD_INPUT. */
enum cdm_status cdm_reader_rest(struct cdm_reader *reader, size_t max_size, struct cdm_str *text,
                                struct cdm_error *err) CDM_MUST_CHECK;

/* Adds the whole of `path` to `text`; more than `max_size` bytes is CDM_BAD_INPUT. */
enum cdm_status cdm_read_file(const char *path, size_t max_size, struct cdm_str *text,
                              struct cdm_error *err) CDM_MUST_CHECK;

/* A file being written. Write to `file` with stdio; errors are found at the close at the latest. */
struct cdm_writer {
    FILE *file;
    char *path;      /* where it will be; NULL = standard output */
    char *temporary; /* where it is now; NULL = written in place (standard output, a pipe, a device)
                      */
};

/* `path` NULL or "-" is standard output. A regular file is written beside its place, in the same
 * folder, and takes it in cdm_writer_close(): readers see the old or the new content, never a part.
 * A symbolic link stays one: the file that it leads to is replaced. */
enum cdm_status cdm_writer_open(struct cdm_writer *writer, const char *path,
                                struct cdm_error *err) CDM_MUST_CHECK;

/* Writes the text (nothing when it is empty). CDM_IO when it cannot be written. */
enum cdm_status cdm_writer_put(struct cdm_writer *writer, const struct cdm_str *text,
                               struct cdm_error *err) CDM_MUST_CHECK;

/* Makes sure that everything is written (fsync for a file) and puts the file in its place. After a
 * failure the old file is still there. The writer is empty afterwards in both cases. */
enum cdm_status cdm_writer_close(struct cdm_writer *writer, struct cdm_error *err) CDM_MUST_CHECK;

/* Ends without a result: the old file stays. Does nothing on an empty (zero-initialised or closed)
 * writer. */
void cdm_writer_abandon(struct cdm_writer *writer);

#endif
