/* The reader of TVMScript: finds the functions in a text. features/script_stmt.c reads their
 * bodies. */
#include "features/script.h"

#include <string.h>

/* Functions */

/* NAME: T.Buffer[(..), "type"], NAME: T.Buffer((..), "type", ..), NAME: T.handle, NAME: T.int32 */
static void parse_param(struct script_parser *parser, struct cdm_param *param)
{
    struct cdm_token name = *script_token(parser);
    struct script_list args = {0};
    char what[64];

    if (name.kind != TOKEN_NAME) {
        script_fail(parser, &name, "a parameter name is expected, not %s",
                    cdm_token_describe(&name, what, sizeof what));
        return;
    }
    script_next(parser);
    script_expect(parser, ':');
    struct cdm_token annotation = script_here(parser);
    script_next(parser);
    struct cdm_view call = script_callee(annotation.text);
    if (cdm_view_is(call, "Buffer") && (script_is(parser, '[') || script_is(parser, '('))) {
        int close = script_is(parser, '[') ? ']' : ')';
        script_next(parser);
        script_args(parser, close, &args);
        if (parser->status)
            return;
        param->var = cdm_build_loose_var(&parser->builder, name.text, cdm_type_handle());
        param->buffer = script_buffer(parser, &name, &args, 0);
        script_bind_buffer(parser, &name, param->buffer);
        return;
    }
    struct cdm_type type = script_type_name(parser, &annotation);
    if (script_take(parser, '('))
        script_args(parser, ')', &args);
    param->var = cdm_build_var(&parser->builder, name.text, type);
    script_bind(parser, script_symbol(parser, name.text, name.hash),
                (struct script_binding){.kind = BINDING_VAR,
                                        .var = param->var,
                                        .is_param = true,
                                        .param = parser->builder.program->n_params});
}

static void parse_params(struct script_parser *parser)
{
    struct cdm_program *program = parser->builder.program;
    size_t capacity = 0;

    script_expect(parser, '(');
    while (!parser->status && !script_take(parser, ')')) {
        program->params = cdm_arena_grow(parser->arena, program->params, (size_t)program->n_params,
                                         &capacity, sizeof *program->params);
        struct cdm_param *param = &program->params[program->n_params];
        parse_param(parser, param);
        if (param->buffer)
            param->buffer->param = program->n_params;
        program->n_params++;
        if (!script_take(parser, ',') && !script_is(parser, ')'))
            script_expect(parser, ')');
    }
}

/* def NAME(params) -> type: and its body. The text starts at the line of `def`. */
static struct cdm_program *parse_function(struct script_parser *parser)
{
    struct cdm_program *program = parser->builder.program;
    int indent = script_token(parser)->indent;

    script_next(parser);
    script_next(parser); /* def */
    struct cdm_token name = *script_token(parser);
    if (name.kind != TOKEN_NAME)
        script_fail(parser, &name, "a function name is expected after 'def'");
    program->name = cdm_arena_text(parser->arena, name.text.data, name.text.length);
    program->line = name.line;
    script_next(parser);
    parse_params(parser);
    if (script_take(parser, PUNCT_ARROW))
        script_expr(parser);
    script_expect(parser, ':');
    program->body = script_body(parser, indent);
    program->stage = parser->has_block     ? STAGE_BLOCK
                     : parser->has_realize ? STAGE_FEATURE
                                           : STAGE_LOWERED;
    return program;
}

/* Finding functions in a text that may hold anything else. */

struct text_line {
    struct cdm_view text; /* without indentation and newline */
    int indent;
};

/* The line at *at; moves *at past it. */
static struct text_line take_line(const char **at, const char *end)
{
    const char *newline = memchr(*at, '\n', (size_t)(end - *at));
    const char *stop = newline ? newline : end;
    struct text_line line = {.indent = 0};

    while (*at < stop && (**at == ' ' || **at == '\t'))
        line.indent += *(*at)++ == '\t' ? 8 - line.indent % 8 : 1;
    line.text = (struct cdm_view){*at, (size_t)(stop - *at)};
    *at = newline ? newline + 1 : end;
    return line;
}

static bool contains(struct cdm_view text, const char *word)
{
    return memmem(text.data, text.length, word, strlen(word)) != NULL;
}

/* Whether `def` with this decorator line above it (empty: none) is a tensor program. */
static bool is_prim_func(struct cdm_view decorator, struct cdm_view def)
{
    if (decorator.length)
        return contains(decorator, "prim_func") || contains(decorator, "script.tir");
    return contains(def, "T.") || contains(def, "tir.");
}

enum cdm_status cdm_tvmscript_read(struct cdm_view text, int64_t first_line,
                                   struct cdm_arena *arena, struct cdm_programs *programs,
                                   struct cdm_error *err)
{
    const char *at = text.data, *end = text.data + text.length;
    struct cdm_view decorator = {"", 0};
    int64_t line_number = first_line;
    int32_t n_before = programs->n;

    while (at < end) {
        const char *start = at;
        struct text_line line = take_line(&at, end);
        if (cdm_view_starts(line.text, "@")) {
            decorator = line.text;
        } else if (cdm_view_starts(line.text, "def ") && is_prim_func(decorator, line.text)) {
            struct script_parser *parser = cdm_arena_alloc(arena, sizeof *parser);
            parser->arena = arena;
            parser->err = err;
            cdm_build_start(&parser->builder, arena, "tvmscript");
            parser->status = cdm_lexer_start(
                &parser->lexer, (struct cdm_view){start, (size_t)(end - start)}, line_number, err);
            struct cdm_program *program = parser->status ? NULL : parse_function(parser);
            if (parser->status)
                return parser->status;
            cdm_programs_add(programs, arena, program);
            /* Go on at the line that ended the function. */
            at = parser->lexer.line_start < end ? parser->lexer.line_start : end;
            line_number = parser->lexer.line;
            if (script_token(parser)->kind == TOKEN_END)
                at = end;
            decorator = (struct cdm_view){"", 0};
            continue;
        } else if (line.text.length && line.text.data[0] != '#') {
            decorator = (struct cdm_view){"", 0};
        }
        line_number++;
    }
    if (programs->n == n_before)
        return cdm_fail_at(err, CDM_BAD_INPUT, first_line, 0,
                           "there is no tensor program (T.prim_func) in this TVMScript");
    return CDM_OK;
}

bool cdm_tvmscript_looks_like(struct cdm_view text)
{
    /* Far enough for a header of comments and metadata. */
    enum { WINDOW = 64 * 1024 };
    struct cdm_view start = {text.data, text.length < WINDOW ? text.length : WINDOW};

    return contains(start, "prim_func") || contains(start, "@tvm.script") ||
           (contains(start, "def ") && contains(start, "T."));
}
