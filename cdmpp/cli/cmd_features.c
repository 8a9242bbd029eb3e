/* cdmpp features: leaf matrices and positions of programs. */
#include "cdmpp/cli/command.h"
#include "cdmpp/cli/option.h"
#include "cdmpp/cli/programs.h"
#include "cdmpp/cli/table.h"
#include "cdmpp/core/json_write.h"
#include "cdmpp/core/log.h"
#include "cdmpp/core/number.h"
#include "cdmpp/core/text.h"
#include "features/leaf.h"

#include <string.h>

static void put_text(struct cdm_str *out, const char *name, struct cdm_view text)
{
    cdm_json_name(out, name);
    cdm_json_put_string(out, text);
}

static void put_names(struct cdm_str *out)
{
    cdm_json_name(out, "names");
    cdm_json_begin(out, '[');
    for (int i = 0; i < CDM_N_FEATURES; i++)
        cdm_json_put_text(out, cdm_feature_name(i));
    cdm_json_end(out, ']');
}

/* One object on a line. */
static void put_json(struct cdm_str *out, const struct cdm_program_step *step,
                     const struct cdm_leaf_matrix *matrix, bool with_names)
{
    cdm_json_begin(out, '{');
    put_text(out, "file", cdm_view_of(step->file));
    cdm_json_name(out, "line");
    cdm_json_put_int(out, step->item.line);
    put_text(out, "program", step->item.id);
    put_text(out, "format", cdm_view_of(step->item.program->format));
    cdm_json_name(out, "feature_set");
    cdm_json_put_int(out, CDM_FEATURE_SET);
    if (with_names)
        put_names(out);
    cdm_json_name(out, "positions");
    cdm_json_begin(out, '[');
    for (int32_t i = 0; i < matrix->n_rows; i++)
        cdm_json_put_int(out, matrix->positions[i]);
    cdm_json_end(out, ']');
    cdm_json_name(out, "leaves");
    cdm_json_begin(out, '[');
    for (int32_t i = 0; i < matrix->n_rows; i++) {
        cdm_json_begin(out, '[');
        for (int k = 0; k < CDM_N_FEATURES; k++)
            cdm_json_put_float(out, matrix->values[i * CDM_N_FEATURES + k]);
        cdm_json_end(out, ']');
    }
    cdm_json_end(out, ']');
    cdm_json_end(out, '}');
    cdm_str_putc(out, '\n');
}

static void put_tsv_head(struct cdm_str *out)
{
    cdm_str_puts(out, "file\tline\tprogram\tleaf\tposition");
    for (int i = 0; i < CDM_N_FEATURES; i++)
        cdm_str_printf(out, "\t%s", cdm_feature_name(i));
    cdm_str_putc(out, '\n');
}

/* A line for each leaf. */
static void put_tsv(struct cdm_str *out, const struct cdm_program_step *step,
                    const struct cdm_leaf_matrix *matrix)
{
    for (int32_t i = 0; i < matrix->n_rows; i++) {
        cdm_cell_add(out, cdm_view_of(step->file));
        cdm_str_printf(out, "\t%lld\t", (long long)step->item.line);
        cdm_cell_add(out, step->item.id);
        cdm_str_printf(out, "\t%d\t%d", i, matrix->positions[i]);
        for (int k = 0; k < CDM_N_FEATURES; k++) {
            cdm_str_putc(out, '\t');
            cdm_str_add_float(out, matrix->values[i * CDM_N_FEATURES + k]);
        }
        cdm_str_putc(out, '\n');
    }
}

struct features {
    struct cdm_extractor *extractor;
    enum cdm_leaf_view view;
    bool raw, json, started;
    struct cdm_str text;
};

/* One step of the loop: the text of its program or of its error. */
static enum cdm_status one_step(struct features *features, struct cdm_program_step *step)
{
    struct cdm_leaf_matrix matrix;

    cdm_str_reset(&features->text);
    if (!step->status)
        step->status = cdm_extract(features->extractor, step->item.program, features->view,
                                   features->raw, &matrix, &step->error);
    if (step->status) {
        cdm_log_error(&step->error, step->file);
        if (features->json)
            cdm_put_error_line(&features->text, step->file, step->error.line, step->error.column,
                               NULL, NULL, step->error.message);
        return step->status;
    }
    if (features->json) {
        put_json(&features->text, step, &matrix, !features->started);
    } else {
        if (!features->started)
            put_tsv_head(&features->text);
        put_tsv(&features->text, step, &matrix);
    }
    features->started = true;
    return CDM_OK;
}

enum cdm_status cmd_features(int argc, char **argv, struct cdm_error *err)
{
    const char *output = NULL, *files_from = NULL;
    struct features features = {0};
    bool tvm_view = false;
    int format = 1;
    const struct cdm_option options[] = {
        {0, "format", "json|tsv", OPT_CHOICE, &format, "form of the output; default: tsv", 0, 0},
        {0, "tvm-view", NULL, OPT_FLAG, &tvm_view,
         "one row for each buffer, as TVM's auto_scheduler keeps it", 0, 0},
        {0, "raw", NULL, OPT_FLAG, &features.raw, "leave out sign(x) * log2(|x| + 1)", 0, 0},
        OPTION_FILES_FROM(&files_from),
        OPTION_OUTPUT(&output),
        OPTION_END};
    const struct cdm_usage usage = {
        "features",
        "[FILE...]",
        "Prints the leaf matrix of each program: 164 numbers for each store (feature set 1),\n"
        "and the position of each leaf in the compact AST.",
        options,
        0,
        CDM_MANY};
    struct cdm_operands operands;
    struct cdm_program_files files = {0};
    struct cdm_program_step step;
    struct cdm_writer writer = {0};
    enum cdm_status worst = CDM_OK;

    enum cdm_status status = cdm_options_parse(&usage, argc, argv, &operands, err);
    if (status || operands.done)
        return status;
    features.view = tvm_view ? CDM_VIEW_TVM : CDM_VIEW_LEAF;
    features.json = format == 0;
    features.extractor = cdm_extractor_new();
    status = cdm_program_files_open(&files, &operands, files_from, err);
    if (!status)
        status = cdm_writer_open(&writer, output, err);
    while (!status && cdm_program_files_next(&files, &step)) {
        worst = cdm_worse_status(worst, one_step(&features, &step));
        status = cdm_writer_put(&writer, &features.text, err);
    }
    if (!status)
        status = cdm_writer_close(&writer, err);
    cdm_writer_abandon(&writer);
    cdm_str_release(&features.text);
    cdm_extractor_free(features.extractor);
    cdm_program_files_close(&files);
    return status ? status : worst;
}
