#include "data/split.h"

#include "cdmpp/core/hash.h"

#include <stdint.h>

static unsigned percent_of(const char *prefix, struct cdm_view name)
{
    unsigned char digest[CDM_SHA1_SIZE];
    struct cdm_str text = {0};

    cdm_str_puts(&text, prefix);
    cdm_str_add(&text, name.data, name.length);
    cdm_sha1(text.data, text.length, digest);
    cdm_str_release(&text);
    uint32_t first = (uint32_t)digest[0] << 24 | (uint32_t)digest[1] << 16 |
                     (uint32_t)digest[2] << 8 | (uint32_t)digest[3];
    return first % 100;
}

enum cdm_split cdm_split_of(struct cdm_view task, struct cdm_view program, bool *unseen_task)
{
    unsigned percent = percent_of("split:", task);

    *unseen_task = percent >= 80;
    if (percent >= 80)
        return percent >= 90 ? CDM_SPLIT_TEST : CDM_SPLIT_VALIDATION;
    percent = percent_of("prog:", program);
    if (percent >= 90)
        return percent >= 95 ? CDM_SPLIT_TEST : CDM_SPLIT_VALIDATION;
    return CDM_SPLIT_TRAIN;
}
