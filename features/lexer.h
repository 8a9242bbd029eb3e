/* Tokens of the Python-like text that TVM prints (TVMScript), on demand, with line and column.
 *
 * Lines are logical: a newline inside brackets or after a backslash continues the line. At the
 * start of a logical line the token TOKEN_LINE carries the indentation (spaces; a tab counts 8).
 * Blank lines, comments and carriage returns give no token. A name takes its dots along:
 * "T.float32" is one TOKEN_NAME. */
#ifndef CDMPP_FEATURES_LEXER_H
#define CDMPP_FEATURES_LEXER_H

#include "cdmpp/core/error.h"
#include "cdmpp/core/str.h"

#include <stdint.h>

enum cdm_token_kind {
    TOKEN_END,    /* of the text */
    TOKEN_LINE,   /* a logical line starts; `indent` */
    TOKEN_NAME,   /* text */
    TOKEN_INT,    /* integer, text */
    TOKEN_FLOAT,  /* number, text */
    TOKEN_STRING, /* text without its quotes; `escaped` when it holds backslashes */
    TOKEN_PUNCT,  /* punct: the character, or a two-character code below */
};

/* Two-character punctuation. */
enum {
    PUNCT_FLOORDIV = 256, /* // */
    PUNCT_EQ,             /* == */
    PUNCT_NE,             /* != */
    PUNCT_LE,             /* <= */
    PUNCT_GE,             /* >= */
    PUNCT_ARROW,          /* -> */
    PUNCT_POWER,          /* ** */
    PUNCT_SHIFT_LEFT,     /* << */
    PUNCT_SHIFT_RIGHT,    /* >> */
};

struct cdm_token {
    enum cdm_token_kind kind;
    struct cdm_view text;
    int64_t line;   /* from 1 */
    int64_t column; /* from 1, in bytes */
    int punct;
    int indent;
    bool escaped;
    bool too_big;  /* TOKEN_INT that does not fit 64 bits: `number` has its value */
    uint32_t hash; /* TOKEN_NAME */
    int64_t integer;
    double number;
};

struct cdm_lexer {
    const char *at;
    const char *end;
    const char *line_start;
    int64_t line;
    int depth;              /* of open brackets */
    bool at_start;          /* at the start of a logical line */
    struct cdm_token token; /* the current token */
    int64_t end_line; /* where the token before it ended: the place of what is missing there */
    int64_t end_column;
};

/* Starts on `text` (borrowed), whose first line has the number `first_line`, and reads the first
 * token. */
enum cdm_status cdm_lexer_start(struct cdm_lexer *lexer, struct cdm_view text, int64_t first_line,
                                struct cdm_error *err) CDM_MUST_CHECK;

/* Moves to the next token. CDM_BAD_INPUT for a character or literal that no token starts with or an
 * unfinished string. */
enum cdm_status cdm_lexer_next(struct cdm_lexer *lexer, struct cdm_error *err) CDM_MUST_CHECK;

/* The hash that TOKEN_NAME carries. */
uint32_t cdm_name_hash(struct cdm_view name);

/* Replaces Python's escapes in a string token; `out` has room for text.length bytes. Returns the
 * length. A zero byte, which the texts of a program cannot hold, stays "\0". */
size_t cdm_token_unescape(const struct cdm_token *token, char *out);

/* What the token is, for messages: "end of text", "end of line", "'for'", "\"text\"". */
const char *cdm_token_describe(const struct cdm_token *token, char *text, size_t size);

#endif
