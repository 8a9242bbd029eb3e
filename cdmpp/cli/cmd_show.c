/* cdmpp show: the canonical text of programs, or their compact AST. */
#include "cdmpp/cli/command.h"
#include "cdmpp/cli/option.h"
#include "cdmpp/cli/programs.h"
#include "cdmpp/core/log.h"
#include "cdmpp/core/text.h"
#include "features/ast.h"
#include "features/print.h"

#include <string.h>

static void print_ast(const struct cdm_program *program, struct cdm_str *text)
{
    struct cdm_arena arena = {0};

    cdm_ast_print(cdm_ast_build(program, &arena), program, text);
    cdm_arena_release(&arena);
}

enum cdm_status cmd_show(int argc, char **argv, struct cdm_error *err)
{
    const char *output = NULL, *files_from = NULL;
    bool ast = false;
    const struct cdm_option options[] = {
        {0, "ast", NULL, OPT_FLAG, &ast, "print the compact AST with ids and positions", 0, 0},
        OPTION_FILES_FROM(&files_from),
        OPTION_OUTPUT(&output),
        OPTION_END};
    const struct cdm_usage usage = {
        "show",
        "[FILE...]",
        "Prints programs in one canonical form of TVMScript: the same program dumped in two\n"
        "formats prints the same text. Without FILE reads standard input.",
        options,
        0,
        CDM_MANY};
    struct cdm_operands operands;
    struct cdm_program_files files = {0};
    struct cdm_program_step step;
    struct cdm_writer writer = {0};
    struct cdm_str text = {0};
    enum cdm_status worst = CDM_OK;
    bool first = true;

    enum cdm_status status = cdm_options_parse(&usage, argc, argv, &operands, err);
    if (status || operands.done)
        return status;
    status = cdm_program_files_open(&files, &operands, files_from, err);
    if (!status)
        status = cdm_writer_open(&writer, output, err);
    while (!status && cdm_program_files_next(&files, &step)) {
        if (step.status) {
            cdm_log_error(&step.error, step.file);
            worst = cdm_worse_status(worst, step.status);
            continue;
        }
        cdm_str_reset(&text);
        if (!first)
            cdm_str_putc(&text, '\n');
        first = false;
        if (ast)
            print_ast(step.item.program, &text);
        else
            cdm_print_program(step.item.program, &text);
        status = cdm_writer_put(&writer, &text, err);
    }
    if (!status)
        status = cdm_writer_close(&writer, err);
    cdm_writer_abandon(&writer);
    cdm_str_release(&text);
    cdm_program_files_close(&files);
    return status ? status : worst;
}
