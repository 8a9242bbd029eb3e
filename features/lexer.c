#include "features/lexer.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { HASH_START = 0x811c9dc5u, HASH_STEP = 16777619u };

/* What a character may be part of. */
enum { C_NAME = 1, C_DIGIT = 2 };

static int class_of(char c)
{
    if ((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || (unsigned char)c >= 0x80)
        return C_NAME;
    return c >= '0' && c <= '9' ? C_DIGIT : 0;
}

static inline uint32_t hash_step(uint32_t hash, char c)
{
    return (hash ^ (unsigned char)c) * HASH_STEP;
}

uint32_t cdm_name_hash(struct cdm_view name)
{
    uint32_t hash = HASH_START;
    for (size_t i = 0; i < name.length; i++)
        hash = hash_step(hash, name.data[i]);
    return hash;
}

static enum cdm_status fail_here(struct cdm_lexer *lexer, struct cdm_error *err,
                                 const char *message)
{
    return cdm_fail_at(err, CDM_BAD_INPUT, lexer->line, lexer->at - lexer->line_start + 1, "%s",
                       message);
}

static void new_line(struct cdm_lexer *lexer)
{
    lexer->line++;
    lexer->line_start = lexer->at;
}

/* Skips what separates tokens inside a line. Returns true at the end of a logical line. */
static bool skip_blanks(struct cdm_lexer *lexer)
{
    for (;;) {
        if (lexer->at == lexer->end)
            return true;
        char c = *lexer->at;
        if (c == ' ' || c == '\t' || c == '\r' || c == '\f') {
            lexer->at++;
        } else if (c == '#') {
            const char *newline = memchr(lexer->at, '\n', (size_t)(lexer->end - lexer->at));
            lexer->at = newline ? newline : lexer->end;
        } else if (c == '\\' && lexer->at + 1 < lexer->end && lexer->at[1] == '\n') {
            lexer->at += 2;
            new_line(lexer);
        } else if (c == '\n') {
            if (lexer->depth == 0)
                return true;
            lexer->at++;
            new_line(lexer);
        } else {
            return false;
        }
    }
}

/* At the start of a line: skips blank and comment lines, gives the indentation of the next one.
 * Returns false at the end of the text. */
static bool find_line(struct cdm_lexer *lexer, int *indent)
{
    for (;;) {
        const char *at = lexer->at;
        int width = 0;
        while (at < lexer->end && (*at == ' ' || *at == '\t' || *at == '\r' || *at == '\f')) {
            width += *at == '\t' ? 8 - width % 8 : 1;
            at++;
        }
        if (at < lexer->end && *at == '#') {
            const char *newline = memchr(at, '\n', (size_t)(lexer->end - at));
            at = newline ? newline : lexer->end;
        }
        lexer->at = at;
        if (at == lexer->end)
            return false;
        if (*at != '\n') {
            *indent = width;
            return true;
        }
        lexer->at++;
        new_line(lexer);
    }
}

static void lex_name(struct cdm_lexer *lexer)
{
    struct cdm_token *token = &lexer->token;
    const char *at = lexer->at;
    uint32_t hash = HASH_START;

    while (at < lexer->end &&
           (class_of(*at) || (*at == '.' && at + 1 < lexer->end && class_of(at[1]) == C_NAME)))
        hash = hash_step(hash, *at++);
    token->kind = TOKEN_NAME;
    token->text = (struct cdm_view){lexer->at, (size_t)(at - lexer->at)};
    token->hash = hash;
    lexer->at = at;
}

/* Integers in decimal or hexadecimal, and floating point as Python writes it. */
static enum cdm_status lex_number(struct cdm_lexer *lexer, struct cdm_error *err)
{
    struct cdm_token *token = &lexer->token;
    const char *at = lexer->at;
    const char *end = lexer->end;
    bool is_float = false;
    uint64_t value = 0;
    bool big = false;
    char copy[64];

    token->too_big = false;
    if (*at == '0' && at + 1 < end && (at[1] == 'x' || at[1] == 'X'))
        return fail_here(lexer, err, "hexadecimal numbers are not part of TVMScript");
    for (; at < end && class_of(*at) == C_DIGIT; at++) {
        unsigned digit = (unsigned)(*at - '0');
        big |= value > (UINT64_MAX - digit) / 10;
        value = value * 10 + digit;
    }
    if (at < end && *at == '.') {
        is_float = true;
        for (at++; at < end && class_of(*at) == C_DIGIT; at++)
            continue;
    }
    if (at < end && (*at == 'e' || *at == 'E')) {
        const char *digits = at + 1;
        if (digits < end && (*digits == '+' || *digits == '-'))
            digits++;
        if (digits < end && class_of(*digits) == C_DIGIT) {
            is_float = true;
            for (at = digits; at < end && class_of(*at) == C_DIGIT; at++)
                continue;
        }
    }
    if (at < end && class_of(*at))
        return fail_here(lexer, err, "a number runs into a name");
    token->text = (struct cdm_view){lexer->at, (size_t)(at - lexer->at)};
    token->kind = is_float ? TOKEN_FLOAT : TOKEN_INT;
    token->integer = (int64_t)value;
    token->number = (double)value;
    if (is_float || big || value > INT64_MAX) {
        if (token->text.length >= sizeof copy)
            return fail_here(lexer, err, "a number is longer than 63 characters");
        memcpy(copy, token->text.data, token->text.length);
        copy[token->text.length] = '\0';
        token->number = strtod(copy, NULL);
        token->too_big = !is_float;
    }
    lexer->at = at;
    return CDM_OK;
}

/* Strings in single, double or triple quotes. */
static enum cdm_status lex_string(struct cdm_lexer *lexer, struct cdm_error *err)
{
    struct cdm_token *token = &lexer->token;
    const char *at = lexer->at;
    const char *end = lexer->end;
    char quote = *at;
    size_t width = end - at >= 3 && at[1] == quote && at[2] == quote ? 3 : 1;

    token->kind = TOKEN_STRING;
    token->escaped = false;
    at += width;
    const char *start = at;
    for (; at < end; at++) {
        if (*at == '\\') {
            token->escaped = true;
            if (++at == end)
                break;
        } else if (*at == quote &&
                   (width == 1 || (end - at >= 3 && at[1] == quote && at[2] == quote))) {
            token->text = (struct cdm_view){start, (size_t)(at - start)};
            lexer->at = at + width;
            return CDM_OK;
        } else if (*at == '\n' && width == 1) {
            break;
        } else if (*at == '\0') {
            lexer->at = at;
            return fail_here(lexer, err, "a zero byte in a string");
        }
        if (*at == '\n') {
            lexer->line++;
            lexer->line_start = at + 1;
        }
    }
    return cdm_fail_at(err, CDM_BAD_INPUT, token->line, token->column, "a string has no end");
}

static int pair(char a, char b)
{
    static const struct {
        char a, b;
        int punct;
    } pairs[] = {
        {'/', '/', PUNCT_FLOORDIV}, {'=', '=', PUNCT_EQ},         {'!', '=', PUNCT_NE},
        {'<', '=', PUNCT_LE},       {'>', '=', PUNCT_GE},         {'-', '>', PUNCT_ARROW},
        {'*', '*', PUNCT_POWER},    {'<', '<', PUNCT_SHIFT_LEFT}, {'>', '>', PUNCT_SHIFT_RIGHT}};

    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++)
        if (pairs[i].a == a && pairs[i].b == b)
            return pairs[i].punct;
    return 0;
}

static enum cdm_status lex_punct(struct cdm_lexer *lexer, struct cdm_error *err)
{
    struct cdm_token *token = &lexer->token;
    char c = *lexer->at;
    size_t length = 1;

    token->kind = TOKEN_PUNCT;
    token->punct = (unsigned char)c;
    switch (c) {
    case '(':
    case '[':
    case '{':
        lexer->depth++;
        break;
    case ')':
    case ']':
    case '}':
        if (lexer->depth > 0)
            lexer->depth--;
        break;
    case '/':
    case '=':
    case '!':
    case '<':
    case '>':
    case '-':
    case '*':
        if (lexer->at + 1 < lexer->end) {
            int two = pair(c, lexer->at[1]);
            if (two) {
                token->punct = two;
                length = 2;
            }
        }
        break;
    case '+':
    case '%':
    case ',':
    case ':':
    case '.':
    case '@':
    case '&':
    case '|':
    case '^':
    case '~':
    case ';':
        break;
    default: {
        char message[64];
        snprintf(message, sizeof message, "unexpected character 0x%02x", (unsigned char)c);
        return fail_here(lexer, err, message);
    }
    }
    token->text = (struct cdm_view){lexer->at, length};
    lexer->at += length;
    return CDM_OK;
}

enum cdm_status cdm_lexer_next(struct cdm_lexer *lexer, struct cdm_error *err)
{
    struct cdm_token *token = &lexer->token;

    if (lexer->at_start) {
        int indent = 0;
        lexer->at_start = false;
        bool found = find_line(lexer, &indent);
        token->kind = found ? TOKEN_LINE : TOKEN_END;
        token->indent = indent;
        token->line = lexer->line;
        token->column = lexer->at - lexer->line_start + 1;
        token->text = (struct cdm_view){lexer->at, 0};
        return CDM_OK;
    }
    lexer->end_line = lexer->line;
    lexer->end_column = lexer->at - lexer->line_start + 1;
    if (skip_blanks(lexer)) {
        if (lexer->at < lexer->end) {
            lexer->at++;
            new_line(lexer);
        }
        lexer->at_start = true;
        return cdm_lexer_next(lexer, err);
    }
    token->line = lexer->line;
    token->column = lexer->at - lexer->line_start + 1;
    char c = *lexer->at;
    int class = class_of(c);
    if (class == C_NAME) {
        lex_name(lexer);
        return CDM_OK;
    }
    if (class == C_DIGIT ||
        (c == '.' && lexer->at + 1 < lexer->end && class_of(lexer->at[1]) == C_DIGIT))
        return lex_number(lexer, err);
    if (c == '"' || c == '\'')
        return lex_string(lexer, err);
    return lex_punct(lexer, err);
}

enum cdm_status cdm_lexer_start(struct cdm_lexer *lexer, struct cdm_view text, int64_t first_line,
                                struct cdm_error *err)
{
    *lexer = (struct cdm_lexer){.at = text.data,
                                .end = text.data + text.length,
                                .line_start = text.data,
                                .line = first_line,
                                .at_start = true};
    return cdm_lexer_next(lexer, err);
}

static int hex_value(char c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    if (c >= 'a' && c <= 'f')
        return c - 'a' + 10;
    return c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

size_t cdm_token_unescape(const struct cdm_token *token, char *out)
{
    static const char from[] = "ntrabfv0", to[] = "\n\t\r\a\b\f\v\0";
    struct cdm_view text = token->text;
    size_t n = 0;

    for (size_t i = 0; i < text.length; i++) {
        if (text.data[i] != '\\' || i + 1 == text.length) {
            out[n++] = text.data[i];
            continue;
        }
        char c = text.data[++i];
        const char *found = strchr(from, c);
        size_t start = n;
        if (c == 'x' && i + 2 < text.length && hex_value(text.data[i + 1]) >= 0 &&
            hex_value(text.data[i + 2]) >= 0) {
            out[n++] = (char)(hex_value(text.data[i + 1]) * 16 + hex_value(text.data[i + 2]));
            i += 2;
        } else if (c == '\n') {
            continue;
        } else {
            out[n++] = found ? to[found - from] : c;
        }
        if (out[start] == '\0') {
            out[start] = '\\';
            out[n++] = '0';
        }
    }
    return n;
}

const char *cdm_token_describe(const struct cdm_token *token, char *text, size_t size)
{
    enum { LONGEST = 40 };
    int length = token->text.length > LONGEST ? LONGEST : (int)token->text.length;
    const char *more = token->text.length > LONGEST ? "..." : "";

    switch (token->kind) {
    case TOKEN_END:
        snprintf(text, size, "the end of the text");
        break;
    case TOKEN_LINE:
        snprintf(text, size, "the end of the line");
        break;
    case TOKEN_STRING:
        snprintf(text, size, "\"%.*s%s\"", length, token->text.data, more);
        break;
    case TOKEN_NAME:
    case TOKEN_INT:
    case TOKEN_FLOAT:
    case TOKEN_PUNCT:
        snprintf(text, size, "'%.*s%s'", length, token->text.data, more);
        break;
    }
    return text;
}
