/* Texts with keys, as a model file carries them: typed to write, typed and checked to read. */
#ifndef CDMPP_MODELS_META_H
#define CDMPP_MODELS_META_H

#include "cdmpp/core/arena.h"
#include "cdmpp/core/error.h"
#include "cdmpp/core/str.h"

#include <stddef.h>
#include <stdint.h>

struct cdm_meta_item {
    const char *key;
    const char *value;
};

/* Zero-initialise. Items stay in the order they were set in. */
struct cdm_meta {
    struct cdm_meta_item *items; /* [n] */
    size_t n;
    size_t capacity;
    struct cdm_arena arena; /* holds the texts */
};

void cdm_meta_release(struct cdm_meta *meta);

/* Sets a key, which takes the place of an older value. Texts are copied. Doubles are written in the
 * shortest form that reads back as the same number. */
void cdm_meta_set(struct cdm_meta *meta, const char *key, const char *value);
void cdm_meta_set_view(struct cdm_meta *meta, struct cdm_view key, struct cdm_view value);
void cdm_meta_set_int(struct cdm_meta *meta, const char *key, int64_t value);
void cdm_meta_set_double(struct cdm_meta *meta, const char *key, double value);

/* NULL when there is none. */
const char *cdm_meta_find(const struct cdm_meta *meta, const char *key);

/* Values that must be there; CDM_BAD_INPUT names the key. Integers must lie in least .. most,
 * doubles be finite. */
enum cdm_status cdm_meta_text(const struct cdm_meta *meta, const char *key, const char **value,
                              struct cdm_error *err) CDM_MUST_CHECK;
enum cdm_status cdm_meta_int(const struct cdm_meta *meta, const char *key, int64_t least,
                             int64_t most, int64_t *value, struct cdm_error *err) CDM_MUST_CHECK;
enum cdm_status cdm_meta_double(const struct cdm_meta *meta, const char *key, double *value,
                                struct cdm_error *err) CDM_MUST_CHECK;

#endif
