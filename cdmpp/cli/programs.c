#include "cdmpp/cli/programs.h"

#include "cdmpp/core/json_write.h"

enum cdm_status cdm_program_files_open(struct cdm_program_files *files,
                                       const struct cdm_operands *operands, const char *files_from,
                                       struct cdm_error *err)
{
    *files = (struct cdm_program_files){0};
    enum cdm_status status = cdm_input_files_open(&files->inputs, operands, files_from, err);
    files->open = !status;
    return status;
}

static void close_source(struct cdm_program_files *files)
{
    cdm_source_close(files->source);
    files->source = NULL;
}

/* Opens the next file; false at the end of the list. */
static bool next_file(struct cdm_program_files *files, struct cdm_program_step *step)
{
    step->status = cdm_input_files_next(&files->inputs, &files->path, &step->error);
    if (!step->status && !files->path)
        return false;
    step->file = cdm_input_name(files->path);
    if (!step->status)
        step->status = cdm_source_open(&files->source, files->path, &step->error);
    return true;
}

bool cdm_program_files_next(struct cdm_program_files *files, struct cdm_program_step *step)
{
    for (;;) {
        *step = (struct cdm_program_step){0};
        if (!files->source) {
            if (!next_file(files, step))
                return false;
            if (step->status)
                return true;
        }
        step->file = cdm_input_name(files->path);
        step->status = cdm_source_next(files->source, &step->item, &step->error);
        if (step->status && step->status != CDM_BAD_INPUT)
            close_source(files);
        if (step->status || step->item.program)
            return true;
        close_source(files);
    }
}

void cdm_program_files_close(struct cdm_program_files *files)
{
    close_source(files);
    if (files->open)
        cdm_input_files_close(&files->inputs);
    files->open = false;
}

static void put_text(struct cdm_str *out, const char *name, const char *text)
{
    if (!text)
        return;
    cdm_json_name(out, name);
    cdm_json_put_text(out, text);
}

static void put_place(struct cdm_str *out, const char *name, int64_t number)
{
    if (number <= 0)
        return;
    cdm_json_name(out, name);
    cdm_json_put_int(out, number);
}

void cdm_put_error_line(struct cdm_str *out, const char *file, int64_t line, int64_t column,
                        const char *program, const char *device, const char *message)
{
    cdm_json_begin(out, '{');
    put_text(out, "file", file);
    put_place(out, "line", line);
    put_place(out, "column", column);
    put_text(out, "program", program);
    put_text(out, "device", device);
    put_text(out, "error", message);
    cdm_json_end(out, '}');
    cdm_str_putc(out, '\n');
}

enum cdm_status cdm_worse_status(enum cdm_status worst, enum cdm_status status)
{
    static const int weight[] = {
        [CDM_OK] = 0,          [CDM_BAD_INPUT] = 1, [CDM_NO_MEMORY] = 1, [CDM_USAGE] = 2,
        [CDM_UNAVAILABLE] = 3, [CDM_IO] = 4,        [CDM_STOPPED] = 5,   [CDM_BUG] = 6};
    return weight[status] > weight[worst] ? status : worst;
}
