#include "cdmpp/core/alloc.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

_Noreturn void cdm_out_of_memory(size_t bytes)
{
    fprintf(stderr, "cdmpp: out of memory: cannot allocate %zu bytes\n", bytes);
    exit(70);
}

void *cdm_alloc(size_t n, size_t size)
{
    void *array = calloc(n ? n : 1, size ? size : 1);
    if (!array)
        cdm_out_of_memory(n * size);
    return array;
}

void *cdm_grow(void *array, size_t *capacity, size_t needed, size_t size)
{
    if (needed <= *capacity)
        return array;
    size_t wanted = *capacity + *capacity / 2 + 8;
    if (wanted < needed)
        wanted = needed;
    if (wanted > SIZE_MAX / 2 / size)
        cdm_out_of_memory(SIZE_MAX);
    array = realloc(array, wanted * size);
    if (!array)
        cdm_out_of_memory(wanted * size);
    *capacity = wanted;
    return array;
}

char *cdm_strdup(const char *text)
{
    size_t size = strlen(text) + 1;
    return memcpy(cdm_alloc(size, 1), text, size);
}
