/* The state of the TVMScript parser: tokens, errors, names and scopes. */
#include "features/script.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

void script_fail(struct script_parser *parser, const struct cdm_token *where, const char *format,
                 ...)
{
    char message[256];
    va_list args;

    if (parser->status)
        return;
    va_start(args, format);
    vsnprintf(message, sizeof message, format, args);
    va_end(args);
    parser->status =
        cdm_fail_at(parser->err, CDM_BAD_INPUT, where->line, where->column, "%s", message);
    parser->lexer.token.kind = TOKEN_END;
}

void script_next(struct script_parser *parser)
{
    if (parser->status)
        return;
    enum cdm_status status = cdm_lexer_next(&parser->lexer, parser->err);
    if (status) {
        parser->status = status;
        parser->lexer.token.kind = TOKEN_END;
    }
}

void script_rewind(struct script_parser *parser, const struct cdm_lexer *before)
{
    if (!parser->status)
        parser->lexer = *before;
}

bool script_is(const struct script_parser *parser, int punct)
{
    const struct cdm_token *token = script_token(parser);
    return token->kind == TOKEN_PUNCT && token->punct == punct;
}

bool script_is_name(const struct script_parser *parser, const char *name)
{
    const struct cdm_token *token = script_token(parser);
    return token->kind == TOKEN_NAME && cdm_view_is(token->text, name);
}

bool script_take(struct script_parser *parser, int punct)
{
    if (!script_is(parser, punct))
        return false;
    script_next(parser);
    return true;
}

struct cdm_token script_here(const struct script_parser *parser)
{
    struct cdm_token token = *script_token(parser);

    if (token.kind == TOKEN_LINE || token.kind == TOKEN_END) {
        token.line = parser->lexer.end_line;
        token.column = parser->lexer.end_column;
    }
    return token;
}

void script_expect(struct script_parser *parser, int punct)
{
    char what[64];

    if (script_take(parser, punct))
        return;
    struct cdm_token here = script_here(parser);
    script_fail(parser, &here, "'%c' is expected, not %s", punct < 256 ? punct : '?',
                cdm_token_describe(&here, what, sizeof what));
}

void script_enter(struct script_parser *parser)
{
    if (++parser->depth > CDM_MAX_DEPTH)
        script_fail(parser, script_token(parser), "the program is nested deeper than %d",
                    CDM_MAX_DEPTH);
    /* Seen at every expression, since one statement alone can be the whole text. */
    if (parser->builder.too_large)
        script_fail(parser, script_token(parser), "the program has more than %d nodes",
                    CDM_MAX_NODES);
}

void script_leave(struct script_parser *parser)
{
    parser->depth--;
}

/* Names */

enum { FIRST_SLOTS = 256 };

static void grow_table(struct script_parser *parser)
{
    size_t n_slots = parser->n_slots ? parser->n_slots * 2 : FIRST_SLOTS;
    struct script_symbol **table = cdm_arena_array(parser->arena, n_slots, sizeof *table);

    for (size_t i = 0; i < parser->n_slots; i++) {
        struct script_symbol *symbol = parser->table[i];
        if (!symbol)
            continue;
        size_t slot = symbol->hash & (n_slots - 1);
        while (table[slot])
            slot = (slot + 1) & (n_slots - 1);
        table[slot] = symbol;
    }
    parser->table = table;
    parser->n_slots = n_slots;
}

struct script_symbol *script_symbol(struct script_parser *parser, struct cdm_view name,
                                    uint32_t hash)
{
    if (parser->n_symbols * 2 >= parser->n_slots)
        grow_table(parser);
    size_t slot = hash & (parser->n_slots - 1);
    for (struct script_symbol *symbol; (symbol = parser->table[slot]);
         slot = (slot + 1) & (parser->n_slots - 1))
        if (symbol->hash == hash && symbol->name.length == name.length &&
            !memcmp(symbol->name.data, name.data, name.length))
            return symbol;
    struct script_symbol *symbol = cdm_arena_alloc(parser->arena, sizeof *symbol);
    symbol->name = name;
    symbol->hash = hash;
    parser->table[slot] = symbol;
    parser->n_symbols++;
    return symbol;
}

size_t script_scope(const struct script_parser *parser)
{
    return parser->n_undo;
}

void script_bind(struct script_parser *parser, struct script_symbol *symbol,
                 struct script_binding binding)
{
    parser->undo = cdm_arena_grow(parser->arena, parser->undo, parser->n_undo, &parser->max_undo,
                                  sizeof *parser->undo);
    parser->undo[parser->n_undo++] = (struct script_undo){symbol, symbol->binding};
    symbol->binding = binding;
}

void script_end_scope(struct script_parser *parser, size_t scope)
{
    while (parser->n_undo > scope) {
        struct script_undo *undo = &parser->undo[--parser->n_undo];
        undo->symbol->binding = undo->before;
    }
}
