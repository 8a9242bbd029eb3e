/* JSON to values: parser and scanner agree, every value has its place and text, and what is written
 * from the values is read back as the same document. */
#include "cdmpp/core/json.h"
#include "cdmpp/core/json_scan.h"
#include "cdmpp/core/json_write.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check(bool holds, const char *what)
{
    if (holds)
        return;
    fprintf(stderr, "does not hold: %s\n", what);
    abort();
}

/* Looking for the place of each value of a large document would take the square of its size. */
enum { MAX_VALUES_WITH_PLACE = 200 };

struct walk {
    const struct cdm_json_parser *parser;
    struct cdm_str out;
    size_t n_values;
};

static void check_text(const struct walk *walk, struct cdm_json value)
{
    struct cdm_json_parser *parser = cdm_json_parser_new(1 << 20);
    struct cdm_view text = cdm_json_text(walk->parser, value);
    struct cdm_json again;
    int64_t line, column;

    check(cdm_json_parse(parser, text, 1, &again, NULL) == CDM_OK, "the text of a value is JSON");
    check(cdm_json_kind(again) == cdm_json_kind(value), "of the same kind");
    check(cdm_json_count(again) == cdm_json_count(value), "and size");
    cdm_json_place(walk->parser, value, &line, &column);
    check(line >= 1 && column >= 1, "a value has a place");
    cdm_json_parser_free(parser);
}

static void copy_scalar(struct walk *walk, struct cdm_json value)
{
    struct cdm_view string;
    int64_t integer;
    double number;
    bool truth;

    if (cdm_json_is_string(value, &string)) {
        cdm_json_put_string(&walk->out, string);
    } else if (cdm_json_is_int(value, &integer)) {
        cdm_json_put_int(&walk->out, integer);
    } else if (cdm_json_is_bool(value, &truth)) {
        cdm_json_put_bool(&walk->out, truth);
    } else if (cdm_json_kind(value) == CDM_JSON_NULL) {
        cdm_json_put_null(&walk->out);
    } else {
        check(cdm_json_is_double(value, &number), "the rest are numbers");
        cdm_json_put_double(&walk->out, number);
    }
}

static void copy_value(struct walk *walk, struct cdm_json value)
{
    struct cdm_json_iter iter;
    struct cdm_json child;
    struct cdm_view name;
    size_t n = 0;

    if (walk->n_values++ < MAX_VALUES_WITH_PLACE)
        check_text(walk, value);
    if (cdm_json_kind(value) == CDM_JSON_ARRAY) {
        cdm_json_begin(&walk->out, '[');
        iter = cdm_json_elements(value);
        for (; cdm_json_next(&iter, &child); n++)
            copy_value(walk, child);
        cdm_json_end(&walk->out, ']');
        check(n == cdm_json_count(value), "the count is right");
    } else if (cdm_json_kind(value) == CDM_JSON_OBJECT) {
        cdm_json_begin(&walk->out, '{');
        iter = cdm_json_members(value);
        for (; cdm_json_next_member(&iter, &name, &child); n++) {
            /* cdm_json_name takes text without NUL; a value that is a name takes any. */
            cdm_json_put_string(&walk->out, name);
            cdm_str_putc(&walk->out, ':');
            copy_value(walk, child);
        }
        cdm_json_end(&walk->out, '}');
        check(n == cdm_json_count(value), "the count is right");
    } else {
        copy_scalar(walk, value);
    }
}

static void check_error(enum cdm_status status, const struct cdm_error *err, const char *text,
                        size_t size)
{
    int64_t n_lines = 1;

    for (size_t i = 0; i < size; i++)
        n_lines += text[i] == '\n';
    check(status == CDM_BAD_INPUT && err->status == status, "status is bad input");
    check(err->line >= 1 && err->line <= n_lines, "the line is in the text");
    check(err->column >= 1 && err->column <= (int64_t)size + 1, "the column is in the text");
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const char *text = size ? (const char *)data : "";
    struct cdm_json_parser *parser = cdm_json_parser_new(1 << 20);
    struct cdm_error err = {0};
    struct cdm_json root;
    size_t offset;
    size_t mark = size >= 3 && !memcmp(text, "\xef\xbb\xbf", 3) ? 3 : 0;

    if (size >= 1 << 20)
        return 0;
    char *copy = calloc(size + 1, 1);
    check(copy != NULL, "there is memory");
    memcpy(copy, text, size);
    const char *fault = cdm_json_scan_fault(copy + mark, size - mark, &offset);
    free(copy);
    enum cdm_status status = cdm_json_parse(parser, (struct cdm_view){text, size}, 1, &root, &err);
    check((status == CDM_OK) == (fault == NULL), "parser and scanner agree");
    if (status) {
        check_error(status, &err, text, size);
    } else {
        struct walk walk = {.parser = parser};
        struct walk again = {0};
        struct cdm_json_parser *other = cdm_json_parser_new(64 << 20);
        copy_value(&walk, root);
        struct cdm_view out = {walk.out.data, walk.out.length};
        check(cdm_json_parse(other, out, 1, &root, NULL) == CDM_OK, "what is written is JSON");
        again.parser = other;
        again.n_values = MAX_VALUES_WITH_PLACE;
        copy_value(&again, root);
        check(again.out.length == out.length && !memcmp(again.out.data, out.data, out.length),
              "and is written the same again");
        cdm_json_parser_free(other);
        cdm_str_release(&walk.out);
        cdm_str_release(&again.out);
    }
    cdm_json_parser_free(parser);
    return 0;
}
