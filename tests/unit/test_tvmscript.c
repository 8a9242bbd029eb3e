/* The TVMScript reader and the canonical printer by cases in tests/cases/tvmscript/FILE.txt:
 *
 *   %case NAME         starts a case; the text follows
 *   %crlf              lines of the text end in CR LF
 *   %no-newline        the text has no line end at its end
 *   %show              the canonical text follows
 *   %same              the canonical text is the text itself
 *   %ast               the compact AST follows
 *   %fail L:C: TEXT    it is refused with this place and message (after the programs of %show, if
 *                      there are some)
 *
 * Empty lines before a mark and lines of the file before the first case mean nothing. For each
 * accepted text it is also tested that the canonical text reads back to the same canonical text,
 * AST and features. `test_tvmscript --update` writes what comes out into the files: read the
 * difference before it is committed. */
#include "features/ast.h"
#include "features/dump.h"
#include "features/leaf.h"
#include "features/print.h"
#include "tests/unit/programs.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
/* cmocka.h needs the headers above. */
#include <cmocka.h>

struct script_case {
    struct cdm_view name;
    struct cdm_str text;      /* what is read */
    struct cdm_view written;  /* the same as the file has it */
    struct cdm_str show, ast; /* expected; data NULL: not said */
    struct cdm_str fail;      /* "L:C: message"; data NULL: it is accepted */
    bool crlf, no_newline, same;
};

/* What came out. */
struct outcome {
    struct cdm_str show, ast, fail;
};

static void outcome_release(struct outcome *outcome)
{
    cdm_str_release(&outcome->show);
    cdm_str_release(&outcome->ast);
    cdm_str_release(&outcome->fail);
}

/* Reading the file */

static struct cdm_view take_line(const char **at, const char *end)
{
    const char *start = *at;
    const char *newline = memchr(start, '\n', (size_t)(end - start));
    const char *stop = newline ? newline : end;

    *at = newline ? newline + 1 : end;
    return (struct cdm_view){start, (size_t)(stop - start)};
}

static void drop_empty_lines(struct cdm_str *text)
{
    while (text->length > 1 && !memcmp(text->data + text->length - 2, "\n\n", 2))
        text->data[--text->length] = '\0';
}

static void add_line(struct cdm_str *text, struct cdm_view line)
{
    cdm_str_add(text, line.data, line.length);
    cdm_str_putc(text, '\n');
}

static void finish_text(struct script_case *c, struct cdm_str *text)
{
    c->written = (struct cdm_view){text->data, text->length};
    for (size_t i = 0; i < text->length; i++) {
        if (c->no_newline && i + 1 == text->length)
            break;
        if (c->crlf && text->data[i] == '\n')
            cdm_str_putc(&c->text, '\r');
        cdm_str_putc(&c->text, text->data[i]);
    }
}

/* The case that starts at *at, behind "%case "; moves *at to the next mark of that kind. `written`
 * keeps the text of the case. */
static void read_case(const char **at, const char *end, struct script_case *c,
                      struct cdm_str *written)
{
    struct cdm_str *target = written;

    *c = (struct script_case){.name = take_line(at, end)};
    cdm_str_reset(written);
    while (*at < end) {
        const char *start = *at;
        struct cdm_view line = take_line(at, end);
        if (cdm_view_starts(line, "%case ")) {
            *at = start;
            break;
        }
        if (cdm_view_is(line, "%crlf")) {
            c->crlf = true;
        } else if (cdm_view_is(line, "%no-newline")) {
            c->no_newline = true;
        } else if (cdm_view_is(line, "%same")) {
            c->same = true;
        } else if (cdm_view_is(line, "%show")) {
            target = &c->show;
            cdm_str_puts(target, "");
        } else if (cdm_view_is(line, "%ast")) {
            target = &c->ast;
            cdm_str_puts(target, "");
        } else if (cdm_view_starts(line, "%fail ")) {
            cdm_str_add(&c->fail, line.data + strlen("%fail "), line.length - strlen("%fail "));
        } else if (cdm_view_starts(line, "%")) {
            fail_msg("unknown mark: %.*s", (int)line.length, line.data);
        } else {
            add_line(target, line);
        }
    }
    drop_empty_lines(written);
    drop_empty_lines(&c->show);
    drop_empty_lines(&c->ast);
    finish_text(c, written);
}

static void release_case(struct script_case *c)
{
    cdm_str_release(&c->text);
    cdm_str_release(&c->show);
    cdm_str_release(&c->ast);
    cdm_str_release(&c->fail);
}

/* Running a case */

static struct outcome run_text(struct cdm_view text, struct cdm_arena *arena,
                               struct cdm_programs *programs)
{
    struct outcome outcome = {0};
    struct cdm_error err = {0};

    cdm_str_puts(&outcome.show, "");
    cdm_str_puts(&outcome.ast, "");
    *programs = (struct cdm_programs){0};
    if (cdm_tvmscript_read(text, 1, arena, programs, &err))
        cdm_str_printf(&outcome.fail, "%d:%d: %s", (int)err.line, (int)err.column, err.message);
    for (int32_t i = 0; i < programs->n; i++) {
        if (i) {
            cdm_str_putc(&outcome.show, '\n');
            cdm_str_putc(&outcome.ast, '\n');
        }
        cdm_print_program(programs->items[i], &outcome.show);
        cdm_ast_print(cdm_ast_build(programs->items[i], arena), programs->items[i], &outcome.ast);
    }
    return outcome;
}

static bool same_text(struct cdm_view name, const char *what, const char *expected,
                      const char *actual)
{
    if (!strcmp(expected, actual))
        return true;
    print_error("%.*s: %s:\n%s\nexpected:\n%s\n", (int)name.length, name.data, what, actual,
                expected);
    return false;
}

static bool same_features(struct cdm_view name, const struct cdm_program *a,
                          const struct cdm_program *b)
{
    bool same = true;

    for (int view = CDM_VIEW_LEAF; view <= CDM_VIEW_TVM; view++) {
        struct cdm_extractor *x = cdm_extractor_new(), *y = cdm_extractor_new();
        struct cdm_leaf_matrix first, second;
        struct cdm_error err;
        assert_int_equal(cdm_extract(x, a, (enum cdm_leaf_view)view, true, &first, &err), CDM_OK);
        assert_int_equal(cdm_extract(y, b, (enum cdm_leaf_view)view, true, &second, &err), CDM_OK);
        same &= first.n_rows == second.n_rows &&
                !memcmp(first.values, second.values,
                        (size_t)first.n_rows * CDM_N_FEATURES * sizeof *first.values);
        cdm_extractor_free(x);
        cdm_extractor_free(y);
    }
    if (!same)
        print_error("%.*s: the canonical text has other features\n", (int)name.length, name.data);
    return same;
}

/* The canonical text must give itself, the same AST and the same features. */
static bool reads_back(struct cdm_view name, const struct outcome *first,
                       const struct cdm_programs *programs, struct cdm_arena *arena)
{
    struct cdm_programs again;
    struct cdm_view text = {first->show.data, first->show.length};

    if (!programs->n)
        return true;
    struct outcome second = run_text(text, arena, &again);
    bool same = same_text(name, "reading the canonical text", "",
                          second.fail.data ? second.fail.data : "") &&
                same_text(name, "canonical text of the canonical text", first->show.data,
                          second.show.data) &&
                same_text(name, "AST of the canonical text", first->ast.data, second.ast.data) &&
                again.n == programs->n;
    for (int32_t i = 0; same && i < again.n; i++)
        same = same_features(name, programs->items[i], again.items[i]);
    outcome_release(&second);
    return same;
}

static bool check_case(const struct script_case *c)
{
    struct cdm_arena arena = {0};
    struct cdm_programs programs;
    struct outcome outcome =
        run_text((struct cdm_view){c->text.data, c->text.length}, &arena, &programs);
    const char *fail = outcome.fail.data ? outcome.fail.data : "";
    bool good = same_text(c->name, "refused", c->fail.data ? c->fail.data : "", fail);

    if (c->same)
        good &= same_text(c->name, "canonical text", c->text.data, outcome.show.data);
    else if (c->show.data || !c->fail.data)
        good &= same_text(c->name, "canonical text", c->show.data ? c->show.data : "(not said)",
                          outcome.show.data);
    else if (programs.n)
        good &= same_text(c->name, "programs of a text that is refused", "", outcome.show.data);
    if (c->ast.data)
        good &= same_text(c->name, "AST", c->ast.data, outcome.ast.data);
    good &= reads_back(c->name, &outcome, &programs, &arena);
    outcome_release(&outcome);
    cdm_arena_release(&arena);
    return good;
}

/* Writes the case with what comes out of it. */
static void update_case(const struct script_case *c, FILE *out)
{
    struct cdm_arena arena = {0};
    struct cdm_programs programs;
    struct outcome outcome =
        run_text((struct cdm_view){c->text.data, c->text.length}, &arena, &programs);

    fprintf(out, "%%case %.*s\n%s%s%.*s", (int)c->name.length, c->name.data,
            c->crlf ? "%crlf\n" : "", c->no_newline ? "%no-newline\n" : "", (int)c->written.length,
            c->written.data);
    if (programs.n && !strcmp(outcome.show.data, c->text.data))
        fputs("%same\n", out);
    else if (programs.n)
        fprintf(out, "%%show\n%s", outcome.show.data);
    if (c->ast.data)
        fprintf(out, "%%ast\n%s", outcome.ast.data);
    if (outcome.fail.data)
        fprintf(out, "%%fail %s\n", outcome.fail.data);
    fputc('\n', out);
    outcome_release(&outcome);
    cdm_arena_release(&arena);
}

static const char *const files[] = {"statements", "expressions", "names",
                                    "texts",      "blocks",      "errors"};

static void each_case(const char *file, FILE *out)
{
    char path[128];
    struct cdm_str written = {0};
    int n_cases = 0, n_bad = 0;

    snprintf(path, sizeof path, "tests/cases/tvmscript/%s.txt", file);
    struct cdm_str all = test_file(path);
    const char *at = all.data, *end = all.data + all.length;
    if (out)
        out = fopen(path, "w");
    while (at < end) {
        struct cdm_view line = take_line(&at, end);
        if (!cdm_view_starts(line, "%case ")) {
            assert_int_equal(n_cases, 0);
            if (out)
                fprintf(out, "%.*s\n", (int)line.length, line.data);
            continue;
        }
        struct script_case c;
        at = line.data + strlen("%case ");
        read_case(&at, end, &c, &written);
        if (out)
            update_case(&c, out);
        else
            n_bad += !check_case(&c);
        n_cases++;
        release_case(&c);
    }
    if (out)
        fclose(out);
    cdm_str_release(&all);
    cdm_str_release(&written);
    assert_true(n_cases > 0);
    assert_int_equal(n_bad, 0);
}

static void statements(void **state)
{
    (void)state;
    each_case("statements", NULL);
}

static void expressions(void **state)
{
    (void)state;
    each_case("expressions", NULL);
}

static void names(void **state)
{
    (void)state;
    each_case("names", NULL);
}

static void texts(void **state)
{
    (void)state;
    each_case("texts", NULL);
}

static void blocks(void **state)
{
    (void)state;
    each_case("blocks", NULL);
}

static void errors(void **state)
{
    (void)state;
    each_case("errors", NULL);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(statements), cmocka_unit_test(expressions), cmocka_unit_test(names),
        cmocka_unit_test(texts),      cmocka_unit_test(blocks),      cmocka_unit_test(errors),
    };
    if (argc > 1 && !strcmp(argv[1], "--update")) {
        for (size_t i = 0; i < sizeof files / sizeof *files; i++)
            each_case(files[i], stdout);
        return 0;
    }
    return cmocka_run_group_tests(tests, NULL, NULL);
}
