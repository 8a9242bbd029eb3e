/* The dump formats that cdmpp reads, and the table of their readers.
 *
 * A reader gets the text of one piece of a stream (one module, one JSON document; see
 * features/source.h, which cuts streams into pieces) and gives all programs in it. A format is
 * detected by content. */
#ifndef CDMPP_FEATURES_DUMP_H
#define CDMPP_FEATURES_DUMP_H

#include "cdmpp/core/error.h"
#include "cdmpp/core/str.h"
#include "features/program.h"

/* The programs of one piece of text. `items` grows in the arena. Zero-initialise. */
struct cdm_programs {
    struct cdm_program **items; /* [n] */
    int32_t n;
    size_t capacity;
};

void cdm_programs_add(struct cdm_programs *programs, struct cdm_arena *arena,
                      struct cdm_program *program);

struct cdm_dump_format {
    const char *name;        /* as `show --stats` and the "format" field say it */
    const char *description; /* for people */
    /* A cheap look at the start of the text. */
    bool (*looks_like)(struct cdm_view text);
    /* Reads all programs of `text`, whose first line has the number `first_line`, into `arena`.
     * Programs that were complete before an error stay in `programs`. */
    enum cdm_status (*read)(struct cdm_view text, int64_t first_line, struct cdm_arena *arena,
                            struct cdm_programs *programs, struct cdm_error *err);
};

/* The format of `text`, or NULL when no reader knows it. */
const struct cdm_dump_format *cdm_dump_detect(struct cdm_view text);

/* Detects the format and reads. CDM_BAD_INPUT when no format fits or the text holds no program. */
enum cdm_status cdm_dump_read(struct cdm_view text, int64_t first_line, struct cdm_arena *arena,
                              struct cdm_programs *programs, struct cdm_error *err) CDM_MUST_CHECK;

/* The readers, for the table. */
bool cdm_tvmscript_looks_like(struct cdm_view text);
enum cdm_status cdm_tvmscript_read(struct cdm_view text, int64_t first_line,
                                   struct cdm_arena *arena, struct cdm_programs *programs,
                                   struct cdm_error *err) CDM_MUST_CHECK;

#endif
