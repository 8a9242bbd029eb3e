/* The only file that knows simdjson. Built without exceptions; nothing here throws.
 *
 * A value is simdjson's own handle (a document pointer and an index on its tape) copied byte for
 * byte into struct cdm_json, so that C can pass it around without an allocation. */
#define _Noreturn [[noreturn]] /* alloc.h is for C, but for this word it is C++ as well */
extern "C" {
#include "cdmpp/core/alloc.h"
#include "cdmpp/core/str.h"
}
#undef _Noreturn
#include "cdmpp/core/json.h"
#include "cdmpp/core/json_scan.h"

#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <new>
#include <type_traits>

#define SIMDJSON_EXCEPTIONS 0
#define SIMDJSON_DEVELOPMENT_CHECKS 0
#include <simdjson.h>

namespace dom = simdjson::dom;

struct cdm_json_parser {
    dom::parser simd;
    size_t max_bytes;
    char *text; /* our copy, followed by simdjson's padding, all 0 */
    size_t text_size;
    size_t begin; /* 3 behind a byte order mark, else 0 */
    size_t length;
    int64_t first_line;
};

/* What the kinds are called in messages. */
static const char *const kind_names[] = {"null",     "true or false", "an integer", "an integer",
                                         "a number", "a string",      "an array",   "an object"};

static_assert(std::is_trivially_copyable<dom::element>::value, "values are copied as bytes");
static_assert(std::is_trivially_copyable<dom::array::iterator>::value, "and iterators too");
static_assert(std::is_trivially_copyable<dom::object::iterator>::value, "and iterators too");
static_assert(sizeof(dom::element) == sizeof(struct cdm_json), "a value has two words");
static_assert(2 * sizeof(dom::array::iterator) == sizeof(struct cdm_json_iter), "two iterators");
static_assert(2 * sizeof(dom::object::iterator) == sizeof(struct cdm_json_iter), "two iterators");

static dom::element unpack(struct cdm_json value)
{
    dom::element element;
    memcpy(static_cast<void *>(&element), &value, sizeof element);
    return element;
}

static struct cdm_json pack(dom::element element)
{
    struct cdm_json value;
    memcpy(&value, static_cast<const void *>(&element), sizeof value);
    return value;
}

/* Parser */

extern "C" struct cdm_json_parser *cdm_json_parser_new(size_t max_bytes)
{
    struct cdm_json_parser *parser = new (std::nothrow) cdm_json_parser();

    if (!parser)
        cdm_out_of_memory(sizeof *parser);
    parser->max_bytes = max_bytes < UINT32_MAX ? max_bytes : UINT32_MAX;
    return parser;
}

extern "C" void cdm_json_parser_free(struct cdm_json_parser *parser)
{
    if (!parser)
        return;
    free(parser->text);
    delete parser;
}

/* Makes room for `length` bytes of text. Grows by half at least, so that lines that get longer and
 * longer do not allocate each time. */
static bool make_room(struct cdm_json_parser *parser, size_t length)
{
    if (parser->text && parser->text_size >= length)
        return true;
    size_t size = parser->text_size + parser->text_size / 2;
    if (size < length)
        size = length;
    if (size < 4096)
        size = 4096;
    if (size > parser->max_bytes && length <= parser->max_bytes)
        size = parser->max_bytes;
    char *text = static_cast<char *>(realloc(parser->text, size + simdjson::SIMDJSON_PADDING));
    if (!text)
        return false;
    parser->text = text;
    parser->text_size = 0;
    /* simdjson refuses to work with less. */
    size_t capacity = size < simdjson::dom::MINIMAL_DOCUMENT_CAPACITY
                          ? simdjson::dom::MINIMAL_DOCUMENT_CAPACITY
                          : size;
    if (parser->simd.doc.allocate(capacity) || parser->simd.allocate(capacity, CDM_JSON_MAX_DEPTH))
        return false;
    parser->text_size = size;
    return true;
}

static void place_of_offset(const struct cdm_json_parser *parser, size_t offset, int64_t *line,
                            int64_t *column)
{
    const char *at = parser->text + parser->begin + offset;
    const char *start = parser->text;

    *line = parser->first_line;
    for (const char *end = start;
         (end = static_cast<const char *>(memchr(start, '\n', static_cast<size_t>(at - start)))) !=
         nullptr;) {
        ++*line;
        start = end + 1;
    }
    *column = at - start + 1;
}

static enum cdm_status syntax_error(const struct cdm_json_parser *parser, simdjson::error_code code,
                                    struct cdm_error *err)
{
    size_t offset;
    int64_t line;
    int64_t column;
    const char *fault = cdm_json_scan_fault(parser->text + parser->begin, parser->length, &offset);

    if (!fault) {
        offset = 0;
        fault = simdjson::error_message(code);
    }
    place_of_offset(parser, offset, &line, &column);
    return cdm_fail_at(err, CDM_BAD_INPUT, line, column, "JSON: %s", fault);
}

extern "C" enum cdm_status cdm_json_parse(struct cdm_json_parser *parser, struct cdm_view text,
                                          int64_t first_line, struct cdm_json *root,
                                          struct cdm_error *err)
{
    static const char mark[] = "\xef\xbb\xbf";

    parser->length = 0;
    parser->first_line = first_line;
    if (text.length > parser->max_bytes)
        return cdm_fail_at(err, CDM_NO_MEMORY, first_line, 0,
                           "JSON: %zu bytes of text are more than the %zu that are read",
                           text.length, parser->max_bytes);
    if (!make_room(parser, text.length))
        return cdm_fail_at(err, CDM_NO_MEMORY, first_line, 0,
                           "JSON: no memory for %zu bytes of text", text.length);
    if (text.length)
        memcpy(parser->text, text.data, text.length);
    memset(parser->text + text.length, 0, simdjson::SIMDJSON_PADDING);
    parser->begin = text.length >= 3 && !memcmp(text.data, mark, 3) ? 3 : 0;
    parser->length = text.length - parser->begin;

    dom::element element;
    simdjson::error_code code =
        parser->simd.parse(parser->text + parser->begin, parser->length, false).get(element);
    if (code == simdjson::MEMALLOC || code == simdjson::CAPACITY)
        return cdm_fail_at(err, CDM_NO_MEMORY, first_line, 0, "JSON: %s",
                           simdjson::error_message(code));
    if (code)
        return syntax_error(parser, code, err);
    *root = pack(element);
    return CDM_OK;
}

/* Places */

/* Counts values from `element` on in the order in which they begin; true when `wanted` was met.
 * Recursion is bounded by the depth that the parser allows. */
static bool count_to(dom::element element, const struct cdm_json &wanted, size_t &n)
{
    struct cdm_json value = pack(element);
    dom::array array;
    dom::object object;

    if (!memcmp(&value, &wanted, sizeof value))
        return true;
    n++;
    if (!element.get(array)) {
        for (dom::element child : array)
            if (count_to(child, wanted, n))
                return true;
    } else if (!element.get(object)) {
        for (dom::key_value_pair member : object)
            if (count_to(member.value, wanted, n))
                return true;
    }
    return false;
}

static bool find_text(const struct cdm_json_parser *parser, struct cdm_json value, size_t *begin,
                      size_t *end)
{
    size_t n = 0;

    return parser->length && count_to(parser->simd.doc.root(), value, n) &&
           cdm_json_scan_value(parser->text + parser->begin, parser->length, n, begin, end);
}

extern "C" void cdm_json_place(const struct cdm_json_parser *parser, struct cdm_json value,
                               int64_t *line, int64_t *column)
{
    size_t begin;

    *line = 0;
    *column = 0;
    if (find_text(parser, value, &begin, nullptr))
        place_of_offset(parser, begin, line, column);
}

extern "C" struct cdm_view cdm_json_text(const struct cdm_json_parser *parser,
                                         struct cdm_json value)
{
    size_t begin;
    size_t end;

    if (!find_text(parser, value, &begin, &end))
        return {"", 0};
    return {parser->text + parser->begin + begin, end - begin};
}

extern "C" enum cdm_status cdm_json_fail(const struct cdm_json_parser *parser,
                                         struct cdm_json value, struct cdm_error *err,
                                         const char *format, ...)
{
    char message[sizeof err->message];
    int64_t line;
    int64_t column;
    va_list args;

    va_start(args, format);
    vsnprintf(message, sizeof message, format, args);
    va_end(args);
    cdm_json_place(parser, value, &line, &column);
    return cdm_fail_at(err, CDM_BAD_INPUT, line, column, "%s", message);
}

/* Values */

extern "C" enum cdm_json_kind cdm_json_kind(struct cdm_json value)
{
    switch (unpack(value).type()) {
    case dom::element_type::ARRAY:
        return CDM_JSON_ARRAY;
    case dom::element_type::OBJECT:
        return CDM_JSON_OBJECT;
    case dom::element_type::INT64:
        return CDM_JSON_INT;
    case dom::element_type::UINT64:
        return CDM_JSON_UINT;
    case dom::element_type::DOUBLE:
        return CDM_JSON_DOUBLE;
    case dom::element_type::STRING:
        return CDM_JSON_STRING;
    case dom::element_type::BOOL:
        return CDM_JSON_BOOL;
    case dom::element_type::NULL_VALUE:
        break;
    }
    return CDM_JSON_NULL;
}

extern "C" bool cdm_json_is_string(struct cdm_json value, struct cdm_view *string)
{
    std::string_view view;

    if (unpack(value).get(view))
        return false;
    *string = {view.data(), view.size()};
    return true;
}

extern "C" bool cdm_json_is_int(struct cdm_json value, int64_t *integer)
{
    int64_t result;

    if (unpack(value).get(result))
        return false;
    *integer = result;
    return true;
}

extern "C" bool cdm_json_is_double(struct cdm_json value, double *number)
{
    double result;

    if (unpack(value).get(result))
        return false;
    *number = result;
    return true;
}

extern "C" bool cdm_json_is_bool(struct cdm_json value, bool *truth)
{
    bool result;

    if (unpack(value).get(result))
        return false;
    *truth = result;
    return true;
}

static enum cdm_status wrong_kind(const struct cdm_json_parser *parser, struct cdm_json value,
                                  const char *wanted, struct cdm_error *err)
{
    enum cdm_json_kind kind = cdm_json_kind(value);

    if (kind == CDM_JSON_UINT)
        return cdm_json_fail(parser, value, err,
                             "expected %s, found one that does not fit in int64", wanted);
    return cdm_json_fail(parser, value, err, "expected %s, found %s", wanted, kind_names[kind]);
}

extern "C" enum cdm_status cdm_json_string(const struct cdm_json_parser *parser,
                                           struct cdm_json value, struct cdm_view *string,
                                           struct cdm_error *err)
{
    return cdm_json_is_string(value, string) ? CDM_OK : wrong_kind(parser, value, "a string", err);
}

extern "C" enum cdm_status cdm_json_int(const struct cdm_json_parser *parser, struct cdm_json value,
                                        int64_t *integer, struct cdm_error *err)
{
    return cdm_json_is_int(value, integer) ? CDM_OK : wrong_kind(parser, value, "an integer", err);
}

extern "C" enum cdm_status cdm_json_double(const struct cdm_json_parser *parser,
                                           struct cdm_json value, double *number,
                                           struct cdm_error *err)
{
    return cdm_json_is_double(value, number) ? CDM_OK : wrong_kind(parser, value, "a number", err);
}

extern "C" enum cdm_status cdm_json_bool(const struct cdm_json_parser *parser,
                                         struct cdm_json value, bool *truth, struct cdm_error *err)
{
    return cdm_json_is_bool(value, truth) ? CDM_OK
                                          : wrong_kind(parser, value, "true or false", err);
}

/* Members */

extern "C" bool cdm_json_find(struct cdm_json object, const char *name, struct cdm_json *value)
{
    dom::object members;
    dom::element found;

    if (unpack(object).get(members) || members.at_key(name).get(found))
        return false;
    *value = pack(found);
    return true;
}

extern "C" enum cdm_status cdm_json_field(const struct cdm_json_parser *parser,
                                          struct cdm_json object, const char *name,
                                          struct cdm_json *value, struct cdm_error *err)
{
    if (cdm_json_find(object, name, value))
        return CDM_OK;
    if (cdm_json_kind(object) != CDM_JSON_OBJECT)
        return wrong_kind(parser, object, "an object", err);
    return cdm_json_fail(parser, object, err, "there is no \"%s\"", name);
}

/* A member of kind `kind`. */
static enum cdm_status field_of_kind(const struct cdm_json_parser *parser, struct cdm_json object,
                                     const char *name, enum cdm_json_kind kind,
                                     struct cdm_json *value, struct cdm_error *err)
{
    struct cdm_json found;
    enum cdm_status status = cdm_json_field(parser, object, name, &found, err);

    if (status)
        return status;
    if (cdm_json_kind(found) != kind) {
        wrong_kind(parser, found, kind_names[kind], err);
        return cdm_fail_in(err, "\"%s\"", name);
    }
    *value = found;
    return CDM_OK;
}

extern "C" enum cdm_status cdm_json_field_object(const struct cdm_json_parser *parser,
                                                 struct cdm_json object, const char *name,
                                                 struct cdm_json *value, struct cdm_error *err)
{
    return field_of_kind(parser, object, name, CDM_JSON_OBJECT, value, err);
}

extern "C" enum cdm_status cdm_json_field_array(const struct cdm_json_parser *parser,
                                                struct cdm_json object, const char *name,
                                                struct cdm_json *value, struct cdm_error *err)
{
    return field_of_kind(parser, object, name, CDM_JSON_ARRAY, value, err);
}

/* The four below: find the member, read it with `read`, and name it when that fails. */
template <typename T, typename Read>
static enum cdm_status read_field(const struct cdm_json_parser *parser, struct cdm_json object,
                                  const char *name, T *result, Read read, struct cdm_error *err)
{
    struct cdm_json value;
    enum cdm_status status = cdm_json_field(parser, object, name, &value, err);

    if (status)
        return status;
    status = read(parser, value, result, err);
    if (status)
        cdm_fail_in(err, "\"%s\"", name);
    return status;
}

extern "C" enum cdm_status cdm_json_field_string(const struct cdm_json_parser *parser,
                                                 struct cdm_json object, const char *name,
                                                 struct cdm_view *string, struct cdm_error *err)
{
    return read_field(parser, object, name, string, cdm_json_string, err);
}

extern "C" enum cdm_status cdm_json_field_int(const struct cdm_json_parser *parser,
                                              struct cdm_json object, const char *name,
                                              int64_t *integer, struct cdm_error *err)
{
    return read_field(parser, object, name, integer, cdm_json_int, err);
}

extern "C" enum cdm_status cdm_json_field_double(const struct cdm_json_parser *parser,
                                                 struct cdm_json object, const char *name,
                                                 double *number, struct cdm_error *err)
{
    return read_field(parser, object, name, number, cdm_json_double, err);
}

extern "C" enum cdm_status cdm_json_field_bool(const struct cdm_json_parser *parser,
                                               struct cdm_json object, const char *name,
                                               bool *truth, struct cdm_error *err)
{
    return read_field(parser, object, name, truth, cdm_json_bool, err);
}

/* Iteration */

extern "C" size_t cdm_json_count(struct cdm_json value)
{
    const size_t saturated = 0xffffff; /* simdjson counts no further */
    dom::element element = unpack(value);
    dom::array array;
    dom::object object;
    size_t n = 0;

    if (!element.get(array)) {
        n = array.size();
        if (n == saturated)
            for (auto it = (n = 0, array.begin()); it != array.end(); ++it)
                n++;
    } else if (!element.get(object)) {
        n = object.size();
        if (n == saturated)
            for (auto it = (n = 0, object.begin()); it != object.end(); ++it)
                n++;
    }
    return n;
}

/* An iterator that is at its end already is all 0. */
template <typename Container> static struct cdm_json_iter iterate(struct cdm_json value)
{
    struct cdm_json_iter iter = {};
    Container container;

    if (!unpack(value).get(container)) {
        typename Container::iterator range[2] = {container.begin(), container.end()};
        memcpy(&iter, static_cast<const void *>(range), sizeof iter);
    }
    return iter;
}

extern "C" struct cdm_json_iter cdm_json_elements(struct cdm_json array)
{
    return iterate<dom::array>(array);
}

extern "C" struct cdm_json_iter cdm_json_members(struct cdm_json object)
{
    return iterate<dom::object>(object);
}

static bool at_end(const struct cdm_json_iter *iter)
{
    return !memcmp(iter->inside, iter->inside + 2, 2 * sizeof *iter->inside);
}

extern "C" bool cdm_json_next(struct cdm_json_iter *iter, struct cdm_json *value)
{
    dom::array::iterator now;

    if (at_end(iter))
        return false;
    memcpy(static_cast<void *>(&now), iter, sizeof now);
    *value = pack(*now);
    ++now;
    memcpy(iter, static_cast<const void *>(&now), sizeof now);
    return true;
}

extern "C" bool cdm_json_next_member(struct cdm_json_iter *iter, struct cdm_view *name,
                                     struct cdm_json *value)
{
    dom::object::iterator now;

    if (at_end(iter))
        return false;
    memcpy(static_cast<void *>(&now), iter, sizeof now);
    std::string_view key = now.key();
    *name = {key.data(), key.size()};
    *value = pack(now.value());
    ++now;
    memcpy(iter, static_cast<const void *>(&now), sizeof now);
    return true;
}
