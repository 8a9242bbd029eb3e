#include "features/source.h"

#include "cdmpp/core/alloc.h"
#include "cdmpp/core/json.h"
#include "cdmpp/core/text.h"
#include "features/dump.h"
#include "features/dump_json.h"

#include <stdlib.h>
#include <string.h>

struct cdm_source {
    struct cdm_reader *reader;
    struct cdm_json_parser *json; /* NULL until the first JSON piece */
    struct cdm_arena arena;       /* of the programs of one piece */
    struct cdm_str piece;         /* text of a piece of several lines */

    struct cdm_str held; /* a line that was read too far */
    int64_t held_line;   /* its number, 0 = none */

    struct cdm_programs programs; /* of the present piece */
    int32_t next;                 /* the one to give next */
    int64_t piece_line;           /* where the piece starts */
    bool is_record;               /* a program line: id and task are set */
    struct cdm_view id, task;
    enum cdm_status pending; /* the piece's error, given after its programs */
    struct cdm_error error;
    bool any; /* something was found in the stream, a program or an error */
    bool at_end;
};

enum cdm_status cdm_source_open(struct cdm_source **source, const char *path, struct cdm_error *err)
{
    struct cdm_reader *reader;

    *source = NULL;
    enum cdm_status status = cdm_reader_open(&reader, path, err);
    if (status)
        return status;
    *source = cdm_alloc(1, sizeof **source);
    (*source)->reader = reader;
    return CDM_OK;
}

void cdm_source_close(struct cdm_source *source)
{
    if (!source)
        return;
    cdm_reader_close(source->reader);
    cdm_json_parser_free(source->json);
    cdm_arena_release(&source->arena);
    cdm_str_release(&source->piece);
    cdm_str_release(&source->held);
    free(source);
}

/* Lines */

static enum cdm_status next_line(struct cdm_source *source, struct cdm_view *line, int64_t *number,
                                 struct cdm_error *err)
{
    if (source->held_line) {
        *line = (struct cdm_view){source->held.data, source->held.length};
        *number = source->held_line;
        source->held_line = 0;
        return CDM_OK;
    }
    *err = (struct cdm_error){0};
    enum cdm_status status = cdm_reader_line(source->reader, CDM_MAX_TEXT, line, err);
    *number = cdm_reader_line_number(source->reader);
    /* A line that is too long has a number, and the reader goes on behind it. After anything else,
     * such as damaged gzip data, there is nothing more to read. */
    if (status && err->line == 0)
        source->at_end = true;
    return status;
}

static void hold_line(struct cdm_source *source, struct cdm_view line, int64_t number)
{
    /* The line may be the held text itself, given back. */
    if (line.data != source->held.data) {
        cdm_str_reset(&source->held);
        cdm_str_add(&source->held, line.data, line.length);
    }
    source->held_line = number;
}

static struct cdm_view without_indent(struct cdm_view line)
{
    while (line.length && (*line.data == ' ' || *line.data == '\t')) {
        line.data++;
        line.length--;
    }
    return line;
}

/* A byte order mark may stand before the first line. */
static struct cdm_view without_mark(struct cdm_view line, int64_t number)
{
    if (number == 1 && cdm_view_starts(line, "\xef\xbb\xbf"))
        return (struct cdm_view){line.data + 3, line.length - 3};
    return line;
}

/* Pieces */

/* Brackets that are open after `text`, given those that were open before; strings are skipped. */
struct balance {
    int64_t open;
    bool in_string, escaped;
};

static void balance_add(struct balance *balance, struct cdm_view text)
{
    for (size_t i = 0; i < text.length; i++) {
        char c = text.data[i];
        if (balance->in_string) {
            if (balance->escaped)
                balance->escaped = false;
            else if (c == '\\')
                balance->escaped = true;
            else if (c == '"')
                balance->in_string = false;
        } else if (c == '"') {
            balance->in_string = true;
        } else if (c == '{' || c == '[') {
            balance->open++;
        } else if (c == '}' || c == ']') {
            balance->open--;
        }
    }
}

static enum cdm_status add_line(struct cdm_source *source, struct cdm_view line,
                                struct cdm_error *err)
{
    if (source->piece.length + line.length >= CDM_MAX_TEXT)
        return cdm_fail_at(err, CDM_BAD_INPUT, source->piece_line, 0,
                           "the text of one dump is longer than %d MiB", CDM_MAX_TEXT >> 20);
    cdm_str_add(&source->piece, line.data, line.length);
    cdm_str_putc(&source->piece, '\n');
    return CDM_OK;
}

static bool has_text(struct cdm_view line, const char *text)
{
    return memmem(line.data, line.length, text, strlen(text)) != NULL;
}

/* Whether `line` is a whole document that we know, not a part of the one that `before` ends so far:
 * then that one was cut off. */
static bool is_next_document(struct cdm_view line, const struct cdm_str *before)
{
    struct balance balance = {0};
    size_t end = line.length, last = before->length;

    if (!cdm_view_starts(line, "{\""))
        return false;
    while (last > 0 && strchr(" \t\r\n", before->data[last - 1]))
        last--;
    bool is_value = last > 0 && before->data[last - 1] == ':';
    if (!has_text(line, "\"tir\"") && (is_value || !has_text(line, "\"nodes\"")))
        return false;
    while (end > 0 && (line.data[end - 1] == ' ' || line.data[end - 1] == '\t'))
        end--;
    balance_add(&balance, line);
    return line.data[end - 1] == '}' && balance.open == 0 && !balance.in_string;
}

/* A JSON document that starts on `line`: to the line where its brackets are closed. A document on
 * one line, which is what program lines are, is not copied. One that was cut off ends before the
 * next that is whole, or in the line with a string that does not end. */
static enum cdm_status json_piece(struct cdm_source *source, struct cdm_view line,
                                  struct cdm_view *piece, struct cdm_error *err)
{
    struct balance balance = {0};
    int64_t number;

    balance_add(&balance, line);
    if (balance.open <= 0) {
        *piece = line;
        return CDM_OK;
    }
    cdm_str_reset(&source->piece);
    enum cdm_status status = add_line(source, line, err);
    while (!status && balance.open > 0 && !balance.in_string) {
        status = next_line(source, &line, &number, err);
        if (status || !line.data)
            break;
        if (is_next_document(line, &source->piece)) {
            hold_line(source, line, number);
            break;
        }
        balance_add(&balance, line);
        status = add_line(source, line, err);
    }
    /* Without its last line end, so that what is missing is missed in its last line. */
    *piece =
        (struct cdm_view){source->piece.data, source->piece.length - (source->piece.length > 0)};
    return status;
}

static bool starts_module(struct cdm_view line)
{
    static const char *const starts[] = {"# from tvm.script", "@tvm.script.ir_module",
                                         "@I.ir_module",      "@ir_module",
                                         "@T.prim_func",      "@tvm.script.tir"};

    for (size_t i = 0; i < sizeof starts / sizeof *starts; i++)
        if (cdm_view_starts(line, starts[i]))
            return true;
    return false;
}

/* Whether a JSON document starts on `line`, in a text: an object whose first name stands there or
 * on the next line. A lone "{" may also be code. The line is valid afterwards, too. */
static enum cdm_status starts_document(struct cdm_source *source, struct cdm_view *line,
                                       bool *starts, struct cdm_error *err)
{
    enum { AHEAD = 256 };
    struct cdm_view next;

    *starts = cdm_view_starts(*line, "{\"");
    if (!cdm_view_is(*line, "{"))
        return CDM_OK;
    *line = cdm_view_of("{");
    enum cdm_status status = cdm_reader_peek(source->reader, AHEAD, &next, err);
    if (status)
        return status;
    while (next.length && strchr(" \t\r\n", *next.data)) {
        next.data++;
        next.length--;
    }
    *starts = next.length && *next.data == '"';
    return CDM_OK;
}

/* Text that starts on `line`: to the line before the next module or JSON document. */
static enum cdm_status text_piece(struct cdm_source *source, struct cdm_view line,
                                  struct cdm_view *piece, struct cdm_error *err)
{
    bool has_function = false;
    int64_t number;

    cdm_str_reset(&source->piece);
    enum cdm_status status = add_line(source, line, err);
    while (!status) {
        has_function |= cdm_view_starts(without_indent(line), "def ");
        status = next_line(source, &line, &number, err);
        if (status || !line.data)
            break;
        bool starts = false;
        status = starts_document(source, &line, &starts, err);
        if (status)
            break;
        if (starts || (has_function && starts_module(line))) {
            hold_line(source, line, number);
            break;
        }
        status = add_line(source, line, err);
    }
    *piece = (struct cdm_view){source->piece.data, source->piece.length};
    return status;
}

/* Reading a piece */

/* An error in the text of "tir" has its place in that text: put the line of the record before it.
 */
static enum cdm_status place_in_record(struct cdm_source *source, struct cdm_error *err)
{
    if (err->line > 0 && err->column > 0)
        cdm_fail_in(err, "\"tir\", line %lld, column %lld", (long long)err->line,
                    (long long)err->column);
    else
        cdm_fail_in(err, "\"tir\"");
    err->line = source->piece_line;
    err->column = 0;
    return err->status;
}

static enum cdm_status read_record(struct cdm_source *source, struct cdm_json record,
                                   struct cdm_json tir, struct cdm_error *err)
{
    struct cdm_view text;
    struct cdm_json value;

    source->is_record = true;
    if (cdm_json_find(record, "task", &value) && !cdm_json_is_string(value, &source->task))
        return cdm_json_fail(source->json, value, err, "\"task\" is no string");
    if (cdm_json_find(record, "id", &value) && !cdm_json_is_string(value, &source->id))
        return cdm_json_fail(source->json, value, err, "\"id\" is no string");
    if (cdm_json_kind(tir) == CDM_JSON_OBJECT)
        return cdm_dump_json_read_value(source->json, tir, &source->arena, &source->programs, err);
    if (!cdm_json_is_string(tir, &text))
        return cdm_json_fail(source->json, tir, err, "\"tir\" is neither text nor a JSON graph");
    if (cdm_dump_read(text, 1, &source->arena, &source->programs, err))
        return place_in_record(source, err);
    return CDM_OK;
}

static enum cdm_status read_json(struct cdm_source *source, struct cdm_view piece,
                                 struct cdm_error *err)
{
    struct cdm_json root, tir;

    if (!source->json)
        source->json = cdm_json_parser_new(CDM_MAX_TEXT);
    enum cdm_status status = cdm_json_parse(source->json, piece, source->piece_line, &root, err);
    if (status)
        return status;
    if (cdm_json_find(root, "tir", &tir))
        return read_record(source, root, tir, err);
    if (cdm_json_find(root, "nodes", &tir))
        return cdm_dump_json_read_value(source->json, root, &source->arena, &source->programs, err);
    return cdm_fail_at(
        err, CDM_BAD_INPUT, source->piece_line, 1,
        "this JSON is neither a program line (it has no \"tir\") nor a TVM graph (it has "
        "no \"nodes\")");
}

/* Cuts the next piece and reads its programs; what is wrong with it goes to `pending`, so that the
 * programs before the fault come first. */
static enum cdm_status next_piece(struct cdm_source *source, struct cdm_error *err)
{
    struct cdm_view line, piece = {"", 0};
    enum cdm_status status;
    int64_t number;

    do {
        status = next_line(source, &line, &number, err);
        if (status)
            return status;
        if (!line.data) {
            source->at_end = true;
            return CDM_OK;
        }
        line = without_mark(line, number);
    } while (!without_indent(line).length);

    cdm_arena_reset(&source->arena);
    source->programs = (struct cdm_programs){0};
    source->next = 0;
    source->piece_line = number;
    source->is_record = false;
    source->id = source->task = (struct cdm_view){"", 0};
    struct cdm_error *error = &source->error;
    bool json = without_indent(line).data[0] == '{';
    source->pending =
        json ? json_piece(source, line, &piece, error) : text_piece(source, line, &piece, error);
    /* Prose between dumps is no fault; a stream of nothing else is: see cdm_source_next(). */
    if (!source->pending && !json && !cdm_dump_detect(piece))
        return CDM_OK;
    source->any = true;
    if (!source->pending)
        source->pending = json ? read_json(source, piece, error)
                               : cdm_dump_read(piece, source->piece_line, &source->arena,
                                               &source->programs, error);
    return CDM_OK;
}

enum cdm_status cdm_source_next(struct cdm_source *source, struct cdm_source_item *item,
                                struct cdm_error *err)
{
    *item = (struct cdm_source_item){0};
    for (;;) {
        if (source->next < source->programs.n) {
            item->program = source->programs.items[source->next++];
            item->line = source->is_record ? source->piece_line : item->program->line;
            item->id = source->id.length ? source->id : cdm_view_of(item->program->name);
            item->task = source->task;
            return CDM_OK;
        }
        if (source->pending) {
            enum cdm_status status = source->pending;
            *err = source->error;
            source->pending = CDM_OK;
            return status;
        }
        if (source->at_end) {
            if (source->any)
                return CDM_OK;
            source->any = true; /* so that this is said once */
            return cdm_fail(
                err, CDM_BAD_INPUT,
                "there is no program in a format that cdmpp reads (TVMScript, TVM's JSON, or "
                "program lines with \"tir\")");
        }
        enum cdm_status status = next_piece(source, err);
        if (status) {
            source->any = true;
            return status;
        }
    }
}
