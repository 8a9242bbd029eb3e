#include "features/device_set.h"

/* The Makefile makes devices.inc from data/devices/ with scripts/embed.sh: {"name", "text"}, ... */
static const struct {
    const char *name;
    const char *text;
} shipped[] = {
#include "devices.inc"
};

const char *cdm_device_shipped(size_t i, const char **name)
{
    if (i >= sizeof shipped / sizeof *shipped)
        return NULL;
    *name = shipped[i].name;
    return shipped[i].text;
}
