/* Reading small YAML files that people write: text to the fields of a struct, by a table.
 *
 * A kind of file is a table of struct cdm_field. The reader checks the text against it and fills
 * the struct; nothing else ever sees YAML. What is accepted is less than YAML allows, so that a
 * mistake in a file is an error and not a surprise:
 *   - the file is one document, a mapping; at most CDM_YAML_MAX_BYTES, CDM_YAML_MAX_DEPTH levels;
 *   - a key that is not in the table, or that comes twice, is an error;
 *   - anchors, aliases, tags and %TAG are errors;
 *   - a key without a value (empty, ~ or null) is an error: leave out what is not known;
 *   - numbers and booleans are not quoted; booleans are true and false;
 *   - a field that has a unit may be written with it, and with a prefix: 1530 MHz, 6 MiB, 900 GB/s.
 *     k M G T P are powers of 1000, Ki Mi Gi Ti powers of 1024 (bytes only). Without a unit the
 * number is in the field's own unit. */
#ifndef CDMPP_CORE_YAML_H
#define CDMPP_CORE_YAML_H

#include "cdmpp/core/arena.h"
#include "cdmpp/core/error.h"
#include "cdmpp/core/quantity.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    CDM_YAML_MAX_BYTES = 1 << 20, /* of a file */
    CDM_YAML_MAX_DEPTH = 16,      /* mappings and lists inside each other */
    CDM_YAML_MAX_ITEMS = 4096,    /* of a list */
    CDM_YAML_MAX_FIELDS = 128,    /* of a table */
};

enum cdm_field_type {
    FIELD_TEXT,     /* const char *: any scalar, as it is written; at most 4096 bytes */
    FIELD_WHOLE,    /* int64_t: a whole number; 1e6 and 4 MiB are whole too */
    FIELD_NUMBER,   /* double, finite */
    FIELD_QUANTITY, /* struct cdm_quantity: a number that may be absent, and its place */
    FIELD_BOOL,     /* bool */
    FIELD_CHOICE,   /* int: index in `choices` */
    FIELD_TEXTS,    /* struct cdm_texts: a list of scalars */
    FIELD_NUMBERS,  /* struct cdm_numbers: a list of numbers */
    FIELD_MAP,      /* a struct, filled by `fields`; its offsets count from that struct */
    FIELD_MAPS,     /* struct cdm_maps: a list of structs of `size` bytes, filled by `fields` */
};

enum cdm_field_flags {
    FIELD_REQUIRED = 1, /* its absence is an error; for a list, so is an empty one */
    FIELD_INTEGRAL = 2, /* FIELD_QUANTITY and FIELD_NUMBERS: whole numbers only */
};

struct cdm_texts {
    const char **items; /* [n] */
    size_t n;
};

struct cdm_numbers {
    double *items; /* [n] */
    size_t n;
};

struct cdm_maps {
    void *items; /* [n] of the field's `size` bytes each */
    size_t n;
};

/* One key of a table. A table ends with an entry whose key is NULL. */
struct cdm_field {
    const char *key;
    enum cdm_field_type type;
    unsigned flags;                 /* of enum cdm_field_flags */
    size_t offset;                  /* of the target in the struct */
    const char *unit;               /* "B", "Hz", ...; NULL = a plain number */
    double min;                     /* numbers, and each number of a list: min <= x <= max; */
    double max;                     /* both 0 = any */
    const char *const *choices;     /* FIELD_CHOICE: ends with NULL */
    const struct cdm_field *fields; /* FIELD_MAP, FIELD_MAPS */
    size_t size;                    /* FIELD_MAPS: of one element */
};

/* Reads `length` bytes of YAML and fills `target`, a struct that `fields` describes. Fields that
 * the text does not have stay as they are, so a caller sets defaults first. Texts and lists live in
 * `arena`. On failure the target may be filled in part, and the error has line and column. */
enum cdm_status cdm_yaml_read(const char *text, size_t length, const struct cdm_field *fields,
                              void *target, struct cdm_arena *arena,
                              struct cdm_error *err) CDM_MUST_CHECK;

/* The same from a file, plain or gzip. The error message does not name the file. */
enum cdm_status cdm_yaml_read_file(const char *path, const struct cdm_field *fields, void *target,
                                   struct cdm_arena *arena, struct cdm_error *err) CDM_MUST_CHECK;

#endif
