#include "cdmpp/core/alloc.h"
#include "cdmpp/core/text.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

enum { CHUNK = 256 * 1024 };

struct cdm_reader {
    int fd;
    bool own_fd;
    bool is_gzip;
    bool at_end;     /* the text has no more bytes than those in `buffer` */
    bool in_member;  /* gzip: inside a member */
    bool has_member; /* gzip: one member has ended well */
    bool skip_line;  /* the rest of a line that was too long is still to be skipped */
    int64_t line;

    char *buffer; /* text */
    size_t capacity;
    size_t begin; /* first byte that was not given out */
    size_t end;
    size_t searched; /* bytes from begin that are known to hold no "\n" */

    unsigned char *packed; /* [CHUNK] gzip only */
    uint64_t n_packed;     /* gzip: bytes read so far */
    uint64_t n_text;       /* gzip: bytes that came out so far */
    z_stream stream;
};

static enum cdm_status read_some(int fd, void *data, size_t size, size_t *got,
                                 struct cdm_error *err)
{
    for (;;) {
        ssize_t n = read(fd, data, size);
        if (n >= 0) {
            *got = (size_t)n;
            return CDM_OK;
        }
        if (errno == EISDIR)
            return cdm_fail(err, CDM_BAD_INPUT, "is a folder");
        if (errno != EINTR)
            return cdm_fail(err, CDM_IO, "cannot read: %s", strerror(errno));
    }
}

/* Room for at least `size` bytes after `end`. */
static void make_room(struct cdm_reader *reader, size_t size)
{
    if (reader->begin > 0 && reader->capacity - reader->end < size) {
        memmove(reader->buffer, reader->buffer + reader->begin, reader->end - reader->begin);
        reader->end -= reader->begin;
        reader->begin = 0;
    }
    reader->buffer = cdm_grow(reader->buffer, &reader->capacity, reader->end + size, 1);
}

static enum cdm_status check_expansion(const struct cdm_reader *reader, struct cdm_error *err)
{
    if (reader->n_text > CDM_FREE_EXPANSION &&
        reader->n_text / CDM_MAX_EXPANSION > reader->n_packed)
        return cdm_fail(err, CDM_BAD_INPUT,
                        "gzip data expands to more than %d times its size: refused",
                        CDM_MAX_EXPANSION);
    return CDM_OK;
}

/* More gzip data to the decoder. At the end of the file the members must be complete. */
static enum cdm_status refill(struct cdm_reader *reader, struct cdm_error *err)
{
    size_t got = 0;
    enum cdm_status status = read_some(reader->fd, reader->packed, CHUNK, &got, err);

    if (status != CDM_OK)
        return status;
    reader->n_packed += got;
    reader->stream.next_in = reader->packed;
    reader->stream.avail_in = (uInt)got;
    if (got > 0)
        return CDM_OK;
    if (reader->in_member)
        return cdm_fail(err, CDM_BAD_INPUT, "gzip data ends too early");
    reader->at_end = true;
    return CDM_OK;
}

static enum cdm_status inflate_some(struct cdm_reader *reader, struct cdm_error *err)
{
    z_stream *stream = &reader->stream;

    if (!reader->in_member) {
        inflateReset(stream);
        reader->in_member = true;
    }
    stream->next_out = (unsigned char *)reader->buffer + reader->end;
    stream->avail_out = CHUNK;
    int result = inflate(stream, Z_NO_FLUSH);
    size_t got = CHUNK - stream->avail_out;
    reader->end += got;
    reader->n_text += got;
    if (result == Z_STREAM_END) {
        reader->in_member = false;
        reader->has_member = true;
        return CDM_OK;
    }
    if (result == Z_OK || result == Z_BUF_ERROR)
        return CDM_OK;
    if (result == Z_MEM_ERROR)
        cdm_out_of_memory(CHUNK);
    return cdm_fail(err, CDM_BAD_INPUT, "%s: %s",
                    reader->has_member ? "what follows the gzip data is not gzip" : "bad gzip data",
                    stream->msg ? stream->msg : "wrong form");
}

static enum cdm_status fill_buffer(struct cdm_reader *reader, struct cdm_error *err)
{
    make_room(reader, CHUNK);
    if (!reader->is_gzip) {
        size_t got = 0;
        enum cdm_status status =
            read_some(reader->fd, reader->buffer + reader->end, CHUNK, &got, err);
        if (status == CDM_OK) {
            reader->end += got;
            reader->at_end = got == 0;
        }
        return status;
    }
    size_t before = reader->end;
    while (reader->end == before && !reader->at_end) {
        enum cdm_status status = CDM_OK;
        if (reader->stream.avail_in == 0)
            status = refill(reader, err);
        if (status == CDM_OK && !reader->at_end)
            status = inflate_some(reader, err);
        if (status == CDM_OK)
            status = check_expansion(reader, err);
        if (status != CDM_OK)
            return status;
    }
    return CDM_OK;
}

/* At least one more byte of text, or at_end. A failure is the end of the text: what was read of the
 * last line is not to be taken for a whole one, and a caller that goes on must not meet the same
 * failure for ever. */
static enum cdm_status fill(struct cdm_reader *reader, struct cdm_error *err)
{
    enum cdm_status status = fill_buffer(reader, err);

    if (status != CDM_OK) {
        reader->at_end = true;
        reader->begin = reader->end = reader->searched = 0;
    }
    return status;
}

/* Turns to gzip when the first two bytes say so. */
static enum cdm_status detect(struct cdm_reader *reader, struct cdm_error *err)
{
    struct cdm_view start;
    enum cdm_status status = cdm_reader_peek(reader, 2, &start, err);

    if (status != CDM_OK || start.length < 2 || memcmp(start.data, "\x1f\x8b", 2) != 0)
        return status;
    if (inflateInit2(&reader->stream, 16 + MAX_WBITS) != Z_OK)
        cdm_out_of_memory(CHUNK);
    size_t got = reader->end - reader->begin;
    /* A pipe may have given one byte first, and a whole chunk then. */
    reader->packed = cdm_alloc(got > CHUNK ? got : CHUNK, 1);
    memcpy(reader->packed, reader->buffer + reader->begin, got);
    reader->stream.next_in = reader->packed;
    reader->stream.avail_in = (uInt)got;
    reader->n_packed = got;
    reader->is_gzip = true;
    reader->in_member = true;
    reader->begin = reader->end = 0;
    return CDM_OK;
}

static enum cdm_status open_reader(struct cdm_reader **reader, int fd, bool own_fd,
                                   struct cdm_error *err)
{
    struct cdm_reader *new_reader = cdm_alloc(1, sizeof *new_reader);

    new_reader->fd = fd;
    new_reader->own_fd = own_fd;
    enum cdm_status status = detect(new_reader, err);
    if (status != CDM_OK) {
        cdm_reader_close(new_reader);
        new_reader = NULL;
    }
    *reader = new_reader;
    return status;
}

enum cdm_status cdm_reader_open_fd(struct cdm_reader **reader, int fd, struct cdm_error *err)
{
    return open_reader(reader, fd, false, err);
}

enum cdm_status cdm_reader_open(struct cdm_reader **reader, const char *path, struct cdm_error *err)
{
    *reader = NULL;
    if (!strcmp(path, "-"))
        return open_reader(reader, STDIN_FILENO, false, err);
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return cdm_fail(err, CDM_IO, "cannot open: %s", strerror(errno));
    return open_reader(reader, fd, true, err);
}

void cdm_reader_close(struct cdm_reader *reader)
{
    if (!reader)
        return;
    if (reader->packed)
        inflateEnd(&reader->stream);
    if (reader->own_fd)
        close(reader->fd);
    free(reader->packed);
    free(reader->buffer);
    free(reader);
}

/* The end of the line that starts at `begin`, NULL when it is not in the buffer. */
static const char *find_end(struct cdm_reader *reader)
{
    const char *from = reader->buffer + reader->begin + reader->searched;
    size_t length = reader->end - reader->begin - reader->searched;
    const char *end = length ? memchr(from, '\n', length) : NULL;

    reader->searched = end ? 0 : reader->end - reader->begin;
    return end;
}

/* Goes behind the next "\n", or to the end. */
static enum cdm_status skip_line(struct cdm_reader *reader, struct cdm_error *err)
{
    reader->skip_line = false;
    for (;;) {
        const char *end = find_end(reader);
        if (end) {
            reader->begin = (size_t)(end + 1 - reader->buffer);
            return CDM_OK;
        }
        reader->begin = reader->end = reader->searched = 0;
        if (reader->at_end)
            return CDM_OK;
        enum cdm_status status = fill(reader, err);
        if (status != CDM_OK)
            return status;
    }
}

enum cdm_status cdm_reader_line(struct cdm_reader *reader, size_t max_length, struct cdm_view *line,
                                struct cdm_error *err)
{
    const char *end = NULL;

    *line = (struct cdm_view){NULL, 0};
    if (max_length > SIZE_MAX / 4)
        max_length = SIZE_MAX / 4;
    if (reader->skip_line) {
        enum cdm_status status = skip_line(reader, err);
        if (status != CDM_OK)
            return status;
    }
    while (!(end = find_end(reader)) && !reader->at_end &&
           reader->end - reader->begin <= max_length + 1) {
        enum cdm_status status = fill(reader, err);
        if (status != CDM_OK)
            return status;
    }
    size_t length = (end ? (size_t)(end - reader->buffer) : reader->end) - reader->begin;
    if (!end && length == 0 && reader->at_end)
        return CDM_OK;
    reader->line++;
    const char *start = reader->buffer + reader->begin;
    size_t taken = length + (end != NULL);
    if (end && length > 0 && start[length - 1] == '\r')
        length--;
    if (length > max_length) {
        reader->skip_line = true;
        reader->searched = 0;
        return cdm_fail_at(err, CDM_BAD_INPUT, reader->line, 0, "line is longer than %zu bytes",
                           max_length);
    }
    reader->begin += taken;
    reader->searched = 0;
    *line = (struct cdm_view){start, length};
    return CDM_OK;
}

int64_t cdm_reader_line_number(const struct cdm_reader *reader)
{
    return reader->line;
}

enum cdm_status cdm_reader_peek(struct cdm_reader *reader, size_t wanted, struct cdm_view *next,
                                struct cdm_error *err)
{
    *next = (struct cdm_view){"", 0};
    if (reader->skip_line) {
        enum cdm_status status = skip_line(reader, err);
        if (status != CDM_OK)
            return status;
    }
    while (reader->end - reader->begin < wanted && !reader->at_end) {
        enum cdm_status status = fill(reader, err);
        if (status != CDM_OK)
            return status;
    }
    size_t length = reader->end - reader->begin;
    if (length > 0)
        *next =
            (struct cdm_view){reader->buffer + reader->begin, length < wanted ? length : wanted};
    return CDM_OK;
}

enum cdm_status cdm_reader_rest(struct cdm_reader *reader, size_t max_size, struct cdm_str *text,
                                struct cdm_error *err)
{
    size_t taken = 0;

    for (;;) {
        struct cdm_view next;
        enum cdm_status status = cdm_reader_peek(reader, 1, &next, err);
        if (status != CDM_OK)
            return status;
        size_t length = reader->end - reader->begin;
        if (length == 0)
            return CDM_OK;
        if (length > max_size - taken)
            return cdm_fail(err, CDM_BAD_INPUT, "is larger than %zu bytes", max_size);
        cdm_str_add(text, reader->buffer + reader->begin, length);
        taken += length;
        reader->begin = reader->end = reader->searched = 0;
    }
}

enum cdm_status cdm_read_file(const char *path, size_t max_size, struct cdm_str *text,
                              struct cdm_error *err)
{
    struct cdm_reader *reader;
    enum cdm_status status = cdm_reader_open(&reader, path, err);

    if (status == CDM_OK && reader)
        status = cdm_reader_rest(reader, max_size, text, err);
    cdm_reader_close(reader);
    return status;
}
