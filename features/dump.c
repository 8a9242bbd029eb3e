#include "features/dump.h"

#include "features/dump_json.h"

static const struct cdm_dump_format formats[] = {
    {"tvm-json", "TVM JSON graph (tvm.ir.save_json)", cdm_dump_json_looks_like, cdm_dump_json_read},
    {"tvmscript", "TVMScript", cdm_tvmscript_looks_like, cdm_tvmscript_read},
    {NULL, NULL, NULL, NULL},
};

const struct cdm_dump_format *cdm_dump_detect(struct cdm_view text)
{
    for (const struct cdm_dump_format *format = formats; format->name; format++)
        if (format->looks_like(text))
            return format;
    return NULL;
}

enum cdm_status cdm_dump_read(struct cdm_view text, int64_t first_line, struct cdm_arena *arena,
                              struct cdm_programs *programs, struct cdm_error *err)
{
    const struct cdm_dump_format *format = cdm_dump_detect(text);

    if (text.length > CDM_MAX_TEXT)
        return cdm_fail_at(err, CDM_BAD_INPUT, first_line, 0,
                           "the text of one dump is longer than %d MiB", CDM_MAX_TEXT >> 20);
    if (!format)
        return cdm_fail_at(
            err, CDM_BAD_INPUT, first_line, 0,
            "this is no dump in a format that cdmpp reads (TVMScript or TVM's JSON)");
    return format->read(text, first_line, arena, programs, err);
}

void cdm_programs_add(struct cdm_programs *programs, struct cdm_arena *arena,
                      struct cdm_program *program)
{
    programs->items = cdm_arena_grow(arena, programs->items, (size_t)programs->n,
                                     &programs->capacity, sizeof *programs->items);
    programs->items[programs->n++] = program;
}
