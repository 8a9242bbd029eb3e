#include "cdmpp/core/json_scan.h"

#include "cdmpp/core/json.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* What the grammar allows next. */
enum expected {
    WANT_VALUE,        /* at the start, after ':' and after ',' in an array */
    WANT_FIRST_VALUE,  /* after '[': a value or ']' */
    WANT_FIRST_NAME,   /* after '{': a name or '}' */
    WANT_NAME,         /* after ',' in an object */
    WANT_COLON,        /* after a name */
    WANT_COMMA_OR_END, /* after an element or a member */
    WANT_NOTHING,      /* after the document */
};

struct scan {
    const char *text;
    size_t length;
    size_t at;
    enum expected want;
    int depth;
    bool in_object[CDM_JSON_MAX_DEPTH];

    size_t n_values; /* that have begun */
    size_t wanted;   /* number of the value to find */
    int depth_of_wanted;
    bool stop_at_begin;
    bool found; /* it has begun */
    bool done;  /* it has ended, or its beginning is enough */
    size_t begin;
    size_t end;
};

static const char expected_value[] = "expected a value";

static int byte_at(const struct scan *s, size_t at)
{
    return at < s->length ? (unsigned char)s->text[at] : -1;
}

static bool is_digit(int c)
{
    return c >= '0' && c <= '9';
}

size_t cdm_json_utf8_length(const char *text, size_t length, size_t at)
{
    const unsigned char *c = (const unsigned char *)text + at;
    size_t n = 0;

    if (at >= length)
        return 0;
    if (*c < 0x80)
        n = 1;
    else if (*c >= 0xc2 && *c < 0xf5)
        n = *c < 0xe0 ? 2 : *c < 0xf0 ? 3 : 4;
    if (n > length - at)
        return 0;
    for (size_t i = 1; i < n; i++)
        if ((c[i] & 0xc0) != 0x80)
            return 0;
    /* Too long for what they say, surrogates, and beyond U+10FFFF. */
    if ((*c == 0xe0 && c[1] < 0xa0) || (*c == 0xed && c[1] > 0x9f) || (*c == 0xf0 && c[1] < 0x90) ||
        (*c == 0xf4 && c[1] > 0x8f))
        return 0;
    return n;
}

/* The four hexadecimal digits at `at`, or -1. */
static int32_t hex4(const struct scan *s, size_t at)
{
    int32_t value = 0;

    for (size_t i = 0; i < 4; i++) {
        int c = byte_at(s, at + i);
        int lower = c | 0x20;
        if (is_digit(c))
            value = value * 16 + (c - '0');
        else if (lower >= 'a' && lower <= 'f')
            value = value * 16 + (lower - 'a' + 10);
        else
            return -1;
    }
    return value;
}

/* At a backslash. Moves behind the escape. */
static const char *scan_escape(struct scan *s)
{
    int c = byte_at(s, s->at + 1);

    if (c != 'u') {
        if (c <= 0 || !strchr("\"\\/bfnrt", c))
            return "unknown escape in a string";
        s->at += 2;
        return NULL;
    }
    int32_t code = hex4(s, s->at + 2);
    if (code < 0)
        return "\\u needs four hexadecimal digits";
    if (code >= 0xdc00 && code < 0xe000)
        return "second half of a surrogate pair without the first";
    if (code >= 0xd800 && code < 0xdc00) {
        int32_t low =
            byte_at(s, s->at + 6) == '\\' && byte_at(s, s->at + 7) == 'u' ? hex4(s, s->at + 8) : -1;
        if (low < 0xdc00 || low > 0xdfff)
            return "first half of a surrogate pair without the second";
        s->at += 6;
    }
    s->at += 6;
    return NULL;
}

/* At the opening quote. Moves behind the closing one. */
static const char *scan_string(struct scan *s)
{
    size_t begin = s->at;

    s->at++;
    for (;;) {
        int c = byte_at(s, s->at);
        if (c < 0) {
            s->at = begin;
            return "the string has no end";
        }
        if (c == '"')
            break;
        if (c < 0x20)
            return "control character in a string";
        if (c == '\\') {
            const char *fault = scan_escape(s);
            if (fault)
                return fault;
            continue;
        }
        size_t n = cdm_json_utf8_length(s->text, s->length, s->at);
        if (!n)
            return "not valid UTF-8";
        s->at += n;
    }
    s->at++;
    return NULL;
}

/* Whether the digits of [begin, end) fit in uint64, or in int64 with the sign. */
static bool integer_fits(const char *begin, const char *end)
{
    bool negative = *begin == '-';
    uint64_t limit = negative ? (uint64_t)INT64_MAX + 1 : UINT64_MAX;
    uint64_t value = 0;

    for (const char *c = begin + negative; c < end; c++) {
        uint64_t digit = (uint64_t)(*c - '0');
        if (value > limit / 10 || value * 10 > limit - digit)
            return false;
        value = value * 10 + digit;
    }
    return true;
}

static const char *scan_number(struct scan *s)
{
    static const char needs_digit[] = "a number needs a digit here";
    size_t begin = s->at;
    bool is_integer = true;

    if (byte_at(s, s->at) == '-')
        s->at++;
    if (!is_digit(byte_at(s, s->at)))
        return needs_digit;
    bool zero = byte_at(s, s->at) == '0';
    while (is_digit(byte_at(s, s->at)))
        s->at++;
    if (zero && s->at - begin > 1 + (size_t)(s->text[begin] == '-')) {
        s->at = begin;
        return "a number may not begin with 0";
    }
    if (byte_at(s, s->at) == '.') {
        is_integer = false;
        s->at++;
        if (!is_digit(byte_at(s, s->at)))
            return needs_digit;
        while (is_digit(byte_at(s, s->at)))
            s->at++;
    }
    if (byte_at(s, s->at) == 'e' || byte_at(s, s->at) == 'E') {
        is_integer = false;
        s->at++;
        if (byte_at(s, s->at) == '+' || byte_at(s, s->at) == '-')
            s->at++;
        if (!is_digit(byte_at(s, s->at)))
            return needs_digit;
        while (is_digit(byte_at(s, s->at)))
            s->at++;
    }
    const char *fault = NULL;
    if (is_integer && !integer_fits(s->text + begin, s->text + s->at))
        fault = "the integer does not fit in 64 bits";
    else if (!is_integer && isinf(strtod(s->text + begin, NULL)))
        fault = "the number is too large";
    if (fault)
        s->at = begin;
    return fault;
}

static const char *scan_word(struct scan *s)
{
    static const char *const words[] = {"true", "false", "null"};

    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        size_t n = strlen(words[i]);
        if (s->length - s->at >= n && !memcmp(s->text + s->at, words[i], n)) {
            s->at += n;
            return NULL;
        }
    }
    return expected_value;
}

static void end_value(struct scan *s)
{
    if (s->found && !s->done && s->depth == s->depth_of_wanted) {
        s->end = s->at;
        s->done = true;
    }
    s->want = s->depth ? WANT_COMMA_OR_END : WANT_NOTHING;
}

static const char *scan_value(struct scan *s)
{
    int c = byte_at(s, s->at);
    const char *fault;

    if (s->n_values++ == s->wanted) {
        s->found = true;
        s->begin = s->at;
        s->depth_of_wanted = s->depth;
        if (s->stop_at_begin) {
            s->done = true;
            return NULL;
        }
    }
    if (c == '{' || c == '[') {
        if (s->depth == CDM_JSON_MAX_DEPTH)
            return "arrays and objects are nested too deeply";
        s->in_object[s->depth++] = c == '{';
        s->at++;
        s->want = c == '{' ? WANT_FIRST_NAME : WANT_FIRST_VALUE;
        return NULL;
    }
    if (c == '"')
        fault = scan_string(s);
    else if (c == '-' || is_digit(c))
        fault = scan_number(s);
    else
        fault = scan_word(s);
    if (!fault)
        end_value(s);
    return fault;
}

static const char *scan_comma_or_end(struct scan *s)
{
    bool in_object = s->in_object[s->depth - 1];
    int c = byte_at(s, s->at);

    if (c == ',') {
        s->want = in_object ? WANT_NAME : WANT_VALUE;
    } else if (c == (in_object ? '}' : ']')) {
        s->depth--;
    } else {
        return in_object ? "expected ',' or '}'" : "expected ',' or ']'";
    }
    s->at++;
    if (c != ',')
        end_value(s);
    return NULL;
}

/* Reads one token. */
static const char *scan_step(struct scan *s)
{
    int c = byte_at(s, s->at);

    switch (s->want) {
    case WANT_FIRST_VALUE:
        if (c == ']')
            return scan_comma_or_end(s);
        return scan_value(s);
    case WANT_VALUE:
        return scan_value(s);
    case WANT_FIRST_NAME:
    case WANT_NAME:
        if (c == '}' && s->want == WANT_FIRST_NAME)
            return scan_comma_or_end(s);
        if (c != '"')
            return "expected a name in double quotes";
        s->want = WANT_COLON;
        return scan_string(s);
    case WANT_COLON:
        if (c != ':')
            return "expected ':'";
        s->at++;
        s->want = WANT_VALUE;
        return NULL;
    case WANT_COMMA_OR_END:
        return scan_comma_or_end(s);
    case WANT_NOTHING:
        return "there is more after the end of the document";
    }
    return expected_value;
}

/* Scans until the wanted value has ended or the text has, or to a fault. */
static const char *scan(struct scan *s)
{
    while (!s->done) {
        while (s->at < s->length && strchr(" \t\r\n", s->text[s->at]) && s->text[s->at])
            s->at++;
        if (s->at == s->length) {
            if (s->want == WANT_NOTHING)
                return NULL;
            return s->n_values ? "the text ends in the middle of the document" : expected_value;
        }
        const char *fault = scan_step(s);
        if (fault)
            return fault;
    }
    return NULL;
}

const char *cdm_json_scan_fault(const char *text, size_t length, size_t *offset)
{
    struct scan s = {.text = text, .length = length, .wanted = SIZE_MAX};
    const char *fault = scan(&s);

    *offset = s.at;
    return fault;
}

bool cdm_json_scan_value(const char *text, size_t length, size_t n, size_t *begin, size_t *end)
{
    struct scan s = {.text = text, .length = length, .wanted = n, .stop_at_begin = !end};

    if (scan(&s) || !s.done)
        return false;
    *begin = s.begin;
    if (end)
        *end = s.end;
    return true;
}
