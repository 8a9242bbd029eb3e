#include "cdmpp/core/yaml.h"

#include "cdmpp/core/alloc.h"
#include "cdmpp/core/str.h"
#include "cdmpp/core/suggest.h"
#include "cdmpp/core/text.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <yaml.h>

enum { LONGEST_SCALAR = 4096 };

/* Whole numbers up to here are exact in a double. */
static const double largest_whole = 9007199254740992.0;

enum token_kind { TOKEN_SCALAR, TOKEN_MAP, TOKEN_MAP_END, TOKEN_LIST, TOKEN_LIST_END, TOKEN_OTHER };

/* What a libyaml event says that matters here. The value lives in the arena, so that the event can
 * go at once. */
struct token {
    enum token_kind kind;
    yaml_event_type_t type;
    const char *value; /* TOKEN_SCALAR */
    bool is_quoted;
    int64_t line;
    int64_t column;
};

struct reader {
    yaml_parser_t parser;
    const char *text;
    size_t length;
    struct cdm_arena *arena;
    int depth;
    /* How far place_at() has walked: characters, bytes, lines. */
    size_t walked_index;
    size_t walked_offset;
    size_t line_start;
    int64_t line;
    struct cdm_error *err;
};

/* ---- Places ---- */

/* The line and byte column of character number `index`. libyaml counts characters, and more kinds
 * of line ends than an editor does. Events come in order, so the walk goes on where it stopped. */
static void place_at(struct reader *reader, size_t index, int64_t *line, int64_t *column)
{
    if (index < reader->walked_index || !reader->line) {
        reader->walked_index = 0;
        reader->walked_offset = 0;
        reader->line_start = 0;
        reader->line = 1;
    }
    while (reader->walked_index < index && reader->walked_offset < reader->length) {
        if (reader->text[reader->walked_offset] == '\n') {
            reader->line++;
            reader->line_start = reader->walked_offset + 1;
        }
        reader->walked_offset++;
        while (reader->walked_offset < reader->length &&
               ((unsigned char)reader->text[reader->walked_offset] & 0xc0) == 0x80)
            reader->walked_offset++;
        reader->walked_index++;
    }
    *line = reader->line;
    *column = (int64_t)(reader->walked_offset - reader->line_start) + 1;
}

static enum cdm_status fail_parser(struct reader *reader)
{
    const yaml_parser_t *parser = &reader->parser;
    int64_t line = 1;
    int64_t column = 1;

    if (parser->error == YAML_MEMORY_ERROR)
        return cdm_fail(reader->err, CDM_NO_MEMORY, "not enough memory to read the YAML");
    if (parser->error == YAML_READER_ERROR) {
        /* This one counts bytes. */
        size_t end =
            parser->problem_offset < reader->length ? parser->problem_offset : reader->length;
        size_t start = 0;
        for (size_t i = 0; i < end; i++)
            if (reader->text[i] == '\n') {
                line++;
                start = i + 1;
            }
        return cdm_fail_at(reader->err, CDM_BAD_INPUT, line, (int64_t)(end - start) + 1,
                           "not valid text: %s", parser->problem);
    }
    place_at(reader, parser->problem_mark.index, &line, &column);
    return cdm_fail_at(reader->err, CDM_BAD_INPUT, line, column, "not valid YAML: %s",
                       parser->problem ? parser->problem : "unknown problem");
}

static enum cdm_status fail_token(struct reader *reader, const struct token *token,
                                  const char *message)
{
    return cdm_fail_at(reader->err, CDM_BAD_INPUT, token->line, token->column, "%s", message);
}

/* ---- Events ---- */

static enum token_kind kind_of(yaml_event_type_t type)
{
    if (type == YAML_SCALAR_EVENT)
        return TOKEN_SCALAR;
    if (type == YAML_MAPPING_START_EVENT)
        return TOKEN_MAP;
    if (type == YAML_MAPPING_END_EVENT)
        return TOKEN_MAP_END;
    if (type == YAML_SEQUENCE_START_EVENT)
        return TOKEN_LIST;
    if (type == YAML_SEQUENCE_END_EVENT)
        return TOKEN_LIST_END;
    return TOKEN_OTHER;
}

/* The message why an event is refused; NULL = it is not. */
static const char *why_refused(const yaml_event_t *event)
{
    const yaml_char_t *anchor = NULL;
    const yaml_char_t *tag = NULL;

    if (event->type == YAML_ALIAS_EVENT)
        return "an alias (*) is not allowed: write the value out";
    if (event->type == YAML_SCALAR_EVENT) {
        anchor = event->data.scalar.anchor;
        tag = event->data.scalar.tag;
        if (event->data.scalar.length > LONGEST_SCALAR)
            return "this text is longer than 4096 bytes";
    } else if (event->type == YAML_MAPPING_START_EVENT) {
        anchor = event->data.mapping_start.anchor;
        tag = event->data.mapping_start.tag;
    } else if (event->type == YAML_SEQUENCE_START_EVENT) {
        anchor = event->data.sequence_start.anchor;
        tag = event->data.sequence_start.tag;
    } else if (event->type == YAML_DOCUMENT_START_EVENT) {
        if (event->data.document_start.tag_directives.start !=
            event->data.document_start.tag_directives.end)
            return "%TAG is not allowed";
    }
    if (anchor)
        return "an anchor (&) is not allowed";
    if (tag)
        return "a tag (!) is not allowed";
    return NULL;
}

/* Texts end up on terminals, so what could steer one is refused; line breaks may stand in a block.
 */
static bool has_control(const char *text)
{
    for (const unsigned char *c = (const unsigned char *)text; *c; c++) {
        bool is_c1 = c[0] == 0xc2 && c[1] >= 0x80 && c[1] < 0xa0;
        if ((*c < 0x20 && *c != '\n') || *c == 0x7f || is_c1)
            return true;
    }
    return false;
}

static enum cdm_status next_token(struct reader *reader, struct token *token)
{
    yaml_event_t event;

    *token = (struct token){.kind = TOKEN_OTHER};
    if (!yaml_parser_parse(&reader->parser, &event))
        return fail_parser(reader);
    token->kind = kind_of(event.type);
    token->type = event.type;
    place_at(reader, event.start_mark.index, &token->line, &token->column);
    const char *refused = why_refused(&event);
    if (!refused && event.type == YAML_SCALAR_EVENT) {
        token->value = cdm_arena_text(reader->arena, (const char *)event.data.scalar.value,
                                      event.data.scalar.length);
        token->is_quoted = event.data.scalar.style != YAML_PLAIN_SCALAR_STYLE;
        if (strlen(token->value) != event.data.scalar.length)
            refused = "a text must not contain the NUL character";
        else if (has_control(token->value))
            refused = "a text must not contain control characters";
    }
    yaml_event_delete(&event);
    return refused ? fail_token(reader, token, refused) : CDM_OK;
}

/* ---- Numbers ---- */

/* "KEY", or "each item of KEY" in a list: how an error message names a value. */
struct label {
    const char *item; /* "" or "each item of " */
    const char *key;
};

static enum cdm_status fail_number(struct reader *reader, const struct label *label,
                                   const struct cdm_field *field, const struct token *token)
{
    bool has_unit = field->unit != NULL;

    return cdm_fail_at(reader->err, CDM_BAD_INPUT, token->line, token->column,
                       "%s\"%s\" must be a number%s%s, not %s\"%s\"", label->item, label->key,
                       has_unit ? " in " : "", has_unit ? field->unit : "",
                       token->is_quoted ? "the quoted " : "", token->value);
}

static enum cdm_status parse_number(struct reader *reader, const struct label *label,
                                    const struct cdm_field *field, const struct token *token,
                                    bool is_whole, double *value)
{
    const char *text = token->value;
    double number;
    const char *unit = field->unit ? field->unit : "";
    const char *space = field->unit ? " " : "";

    if (token->is_quoted || !cdm_quantity_parse(text, field->unit, &number))
        return fail_number(reader, label, field, token);
    if (!isfinite(number))
        return cdm_fail_at(reader->err, CDM_BAD_INPUT, token->line, token->column,
                           "%s\"%s\" is too large: %s", label->item, label->key, text);
    if ((field->min != 0 || field->max != 0) && !(number >= field->min && number <= field->max))
        return cdm_fail_at(reader->err, CDM_BAD_INPUT, token->line, token->column,
                           "%s\"%s\" must be between %.15g and %.15g%s%s, not %s", label->item,
                           label->key, field->min, field->max, space, unit, text);
    if (is_whole && (floor(number) != number || fabs(number) > largest_whole))
        return cdm_fail_at(reader->err, CDM_BAD_INPUT, token->line, token->column,
                           "%s\"%s\" must be a whole number%s%s, not %s", label->item, label->key,
                           *unit ? " of " : "", unit, text);
    *value = number;
    return CDM_OK;
}

/* ---- Values ---- */

static bool is_null(const struct token *token)
{
    static const char *const nulls[] = {"", "~", "null", "Null", "NULL"};

    if (token->is_quoted)
        return false;
    for (size_t i = 0; i < sizeof nulls / sizeof *nulls; i++)
        if (!strcmp(token->value, nulls[i]))
            return true;
    return false;
}

static enum cdm_status fail_choice(struct reader *reader, const struct label *label,
                                   const struct cdm_field *field, const struct token *token)
{
    struct cdm_str list = {0};

    for (size_t i = 0; field->choices[i]; i++)
        cdm_str_printf(&list, "%s%s",
                       !i                      ? ""
                       : field->choices[i + 1] ? ", "
                                               : " or ",
                       field->choices[i]);
    enum cdm_status status =
        cdm_fail_at(reader->err, CDM_BAD_INPUT, token->line, token->column,
                    "\"%s\" must be %s, not \"%s\"", label->key, list.data, token->value);
    cdm_str_release(&list);
    return status;
}

static enum cdm_status read_choice(struct reader *reader, const struct label *label,
                                   const struct cdm_field *field, const struct token *token,
                                   int *target)
{
    for (int i = 0; field->choices[i]; i++)
        if (!strcmp(token->value, field->choices[i])) {
            *target = i;
            return CDM_OK;
        }
    return fail_choice(reader, label, field, token);
}

static enum cdm_status read_bool(struct reader *reader, const struct label *label,
                                 const struct token *token, bool *target)
{
    if (!token->is_quoted && !strcmp(token->value, "true"))
        *target = true;
    else if (!token->is_quoted && !strcmp(token->value, "false"))
        *target = false;
    else
        return cdm_fail_at(reader->err, CDM_BAD_INPUT, token->line, token->column,
                           "\"%s\" must be true or false, not %s\"%s\"", label->key,
                           token->is_quoted ? "the quoted " : "", token->value);
    return CDM_OK;
}

/* A token that must be a scalar with a value. */
static enum cdm_status check_scalar(struct reader *reader, const struct label *label,
                                    const struct token *token)
{
    if (token->kind == TOKEN_MAP || token->kind == TOKEN_LIST)
        return cdm_fail_at(reader->err, CDM_BAD_INPUT, token->line, token->column,
                           "%s\"%s\" must be a single value, not a %s", label->item, label->key,
                           token->kind == TOKEN_MAP ? "mapping" : "list");
    if (token->kind != TOKEN_SCALAR)
        return cdm_fail(reader->err, CDM_BUG, "unexpected YAML event %d", (int)token->type);
    if (is_null(token))
        return cdm_fail_at(reader->err, CDM_BAD_INPUT, token->line, token->column,
                           "%s\"%s\" has no value: leave it out when it is not known", label->item,
                           label->key);
    return CDM_OK;
}

static enum cdm_status read_scalar(struct reader *reader, const struct cdm_field *field,
                                   const struct token *token, void *target)
{
    const struct label label = {"", field->key};
    double number = 0;
    enum cdm_status status = check_scalar(reader, &label, token);

    if (status != CDM_OK)
        return status;
    switch (field->type) {
    case FIELD_TEXT:
        *(const char **)target = token->value;
        return CDM_OK;
    case FIELD_WHOLE:
        status = parse_number(reader, &label, field, token, true, &number);
        if (status == CDM_OK)
            *(int64_t *)target = (int64_t)number;
        return status;
    case FIELD_NUMBER:
        return parse_number(reader, &label, field, token, false, (double *)target);
    case FIELD_QUANTITY:
        status = parse_number(reader, &label, field, token, field->flags & FIELD_INTEGRAL, &number);
        if (status == CDM_OK)
            *(struct cdm_quantity *)target =
                (struct cdm_quantity){number, true, (int32_t)token->line, (int32_t)token->column};
        return status;
    case FIELD_BOOL:
        return read_bool(reader, &label, token, target);
    case FIELD_CHOICE:
        return read_choice(reader, &label, field, token, target);
    case FIELD_TEXTS:
    case FIELD_NUMBERS:
    case FIELD_MAP:
    case FIELD_MAPS:
        break;
    }
    return cdm_fail(reader->err, CDM_BUG, "field \"%s\" has an unknown type", field->key);
}

/* ---- Mappings and lists ---- */

static enum cdm_status read_map(struct reader *reader, const struct cdm_field *fields, void *target,
                                const struct token *start);

static enum cdm_status enter(struct reader *reader, const struct token *token)
{
    if (++reader->depth > CDM_YAML_MAX_DEPTH)
        return cdm_fail_at(reader->err, CDM_BAD_INPUT, token->line, token->column,
                           "more than %d levels of mappings and lists", CDM_YAML_MAX_DEPTH);
    return CDM_OK;
}

static size_t item_size(const struct cdm_field *field)
{
    if (field->type == FIELD_TEXTS)
        return sizeof(const char *);
    if (field->type == FIELD_NUMBERS)
        return sizeof(double);
    return field->size;
}

static enum cdm_status read_item(struct reader *reader, const struct cdm_field *field,
                                 const struct token *token, void *item)
{
    const struct label label = {"each item of ", field->key};

    if (field->type == FIELD_MAPS) {
        if (token->kind != TOKEN_MAP)
            return cdm_fail_at(reader->err, CDM_BAD_INPUT, token->line, token->column,
                               "each item of \"%s\" must be a mapping", field->key);
        return read_map(reader, field->fields, item, token);
    }
    enum cdm_status status = check_scalar(reader, &label, token);
    if (status != CDM_OK)
        return status;
    if (field->type == FIELD_NUMBERS)
        return parse_number(reader, &label, field, token, field->flags & FIELD_INTEGRAL, item);
    *(const char **)item = token->value;
    return CDM_OK;
}

/* The three list targets have the same two members; memcpy keeps to their own types. */
static void set_list(const struct cdm_field *field, void *target, void *items, size_t n)
{
    if (field->type == FIELD_TEXTS)
        *(struct cdm_texts *)target = (struct cdm_texts){items, n};
    else if (field->type == FIELD_NUMBERS)
        *(struct cdm_numbers *)target = (struct cdm_numbers){items, n};
    else
        *(struct cdm_maps *)target = (struct cdm_maps){items, n};
}

static enum cdm_status read_list(struct reader *reader, const struct cdm_field *field,
                                 const struct token *start, void *target)
{
    size_t size = item_size(field);
    char *items = NULL; /* [n][size] */
    size_t capacity = 0;
    size_t n = 0;
    struct token token;
    enum cdm_status status;

    if (start->kind != TOKEN_LIST)
        return cdm_fail_at(reader->err, CDM_BAD_INPUT, start->line, start->column,
                           "\"%s\" must be a list", field->key);
    status = enter(reader, start);
    while (status == CDM_OK) {
        status = next_token(reader, &token);
        if (status != CDM_OK || token.kind == TOKEN_LIST_END)
            break;
        if (n == CDM_YAML_MAX_ITEMS) {
            status = cdm_fail_at(reader->err, CDM_BAD_INPUT, token.line, token.column,
                                 "\"%s\" has more than %d items", field->key, CDM_YAML_MAX_ITEMS);
            break;
        }
        items = cdm_grow(items, &capacity, n + 1, size);
        memset(items + n * size, 0, size);
        status = read_item(reader, field, &token, items + n * size);
        n++;
    }
    if (status == CDM_OK && !n && field->flags & FIELD_REQUIRED)
        status = cdm_fail_at(reader->err, CDM_BAD_INPUT, start->line, start->column,
                             "\"%s\" must not be empty", field->key);
    if (status == CDM_OK) {
        void *kept = cdm_arena_array(reader->arena, n ? n : 1, size);
        if (n)
            memcpy(kept, items, n * size);
        set_list(field, target, kept, n);
        reader->depth--;
    }
    free(items);
    return status;
}

static enum cdm_status read_value(struct reader *reader, const struct cdm_field *field,
                                  void *target)
{
    struct token token;
    enum cdm_status status = next_token(reader, &token);

    if (status != CDM_OK)
        return status;
    if (field->type == FIELD_MAP) {
        if (token.kind != TOKEN_MAP)
            return cdm_fail_at(reader->err, CDM_BAD_INPUT, token.line, token.column,
                               "\"%s\" must be a mapping", field->key);
        return read_map(reader, field->fields, target, &token);
    }
    if (field->type == FIELD_TEXTS || field->type == FIELD_NUMBERS || field->type == FIELD_MAPS)
        return read_list(reader, field, &token, target);
    return read_scalar(reader, field, &token, target);
}

static enum cdm_status fail_unknown_key(struct reader *reader, const struct cdm_field *fields,
                                        const struct token *key)
{
    struct cdm_suggestion suggestion = {.word = key->value};

    for (const struct cdm_field *field = fields; field->key; field++)
        cdm_suggest(&suggestion, field->key);
    if (suggestion.best)
        return cdm_fail_at(reader->err, CDM_BAD_INPUT, key->line, key->column,
                           "unknown key \"%s\"; did you mean \"%s\"?", key->value, suggestion.best);
    return cdm_fail_at(reader->err, CDM_BAD_INPUT, key->line, key->column, "unknown key \"%s\"",
                       key->value);
}

static enum cdm_status read_pair(struct reader *reader, const struct cdm_field *fields,
                                 void *target, const struct token *key, bool *seen)
{
    if (key->kind != TOKEN_SCALAR)
        return fail_token(reader, key, "a key must be a single word");
    size_t i = 0;
    while (fields[i].key && strcmp(fields[i].key, key->value) != 0)
        i++;
    if (!fields[i].key)
        return fail_unknown_key(reader, fields, key);
    if (seen[i])
        return cdm_fail_at(reader->err, CDM_BAD_INPUT, key->line, key->column,
                           "\"%s\" is given twice", key->value);
    seen[i] = true;
    return read_value(reader, &fields[i], (char *)target + fields[i].offset);
}

static enum cdm_status read_map(struct reader *reader, const struct cdm_field *fields, void *target,
                                const struct token *start)
{
    bool seen[CDM_YAML_MAX_FIELDS] = {false};
    struct token key;
    size_t n_fields = 0;
    enum cdm_status status = enter(reader, start);

    while (fields[n_fields].key)
        n_fields++;
    if (n_fields > CDM_YAML_MAX_FIELDS)
        return cdm_fail(reader->err, CDM_BUG, "a YAML table has %zu fields, more than %d", n_fields,
                        CDM_YAML_MAX_FIELDS);
    while (status == CDM_OK) {
        status = next_token(reader, &key);
        if (status != CDM_OK || key.kind == TOKEN_MAP_END)
            break;
        status = read_pair(reader, fields, target, &key, seen);
    }
    if (status != CDM_OK)
        return status;
    for (size_t i = 0; i < n_fields; i++)
        if (fields[i].flags & FIELD_REQUIRED && !seen[i])
            return cdm_fail_at(reader->err, CDM_BAD_INPUT, start->line, start->column,
                               "the key \"%s\" is missing", fields[i].key);
    reader->depth--;
    return CDM_OK;
}

/* ---- The file ---- */

static enum cdm_status read_stream(struct reader *reader, const struct cdm_field *fields,
                                   void *target)
{
    struct token token;
    enum cdm_status status = next_token(reader, &token); /* start of the stream */

    if (status == CDM_OK)
        status = next_token(reader, &token);
    if (status != CDM_OK)
        return status;
    if (token.type == YAML_STREAM_END_EVENT)
        return fail_token(reader, &token, "nothing in it");
    status = next_token(reader, &token);
    if (status != CDM_OK)
        return status;
    if (token.kind != TOKEN_MAP)
        return fail_token(reader, &token, "expected \"key: value\" lines");
    status = read_map(reader, fields, target, &token);
    if (status == CDM_OK)
        status = next_token(reader, &token); /* end of the document */
    if (status == CDM_OK)
        status = next_token(reader, &token);
    if (status == CDM_OK && token.type != YAML_STREAM_END_EVENT)
        return fail_token(reader, &token, "more than one document");
    return status;
}

enum cdm_status cdm_yaml_read(const char *text, size_t length, const struct cdm_field *fields,
                              void *target, struct cdm_arena *arena, struct cdm_error *err)
{
    struct reader reader = {.text = text, .length = length, .arena = arena, .err = err};

    if (length > CDM_YAML_MAX_BYTES)
        return cdm_fail(err, CDM_BAD_INPUT, "larger than %d bytes", CDM_YAML_MAX_BYTES);
    if (!yaml_parser_initialize(&reader.parser))
        return cdm_fail(err, CDM_NO_MEMORY, "not enough memory to read the YAML");
    yaml_parser_set_encoding(&reader.parser, YAML_UTF8_ENCODING);
    yaml_parser_set_input_string(&reader.parser, (const unsigned char *)text, length);
    enum cdm_status status = read_stream(&reader, fields, target);
    yaml_parser_delete(&reader.parser);
    return status;
}

enum cdm_status cdm_yaml_read_file(const char *path, const struct cdm_field *fields, void *target,
                                   struct cdm_arena *arena, struct cdm_error *err)
{
    struct cdm_str text = {0};
    enum cdm_status status = cdm_read_file(path, CDM_YAML_MAX_BYTES, &text, err);

    if (status == CDM_OK)
        status = cdm_yaml_read(text.data ? text.data : "", text.length, fields, target, arena, err);
    cdm_str_release(&text);
    return status;
}
