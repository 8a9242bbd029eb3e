/* Allocation for long-lived arrays. Running out of memory for a small thing ends the program here,
 * with a message: the only place that does. A size that comes from input must be bounded by the
 * caller first. */
#ifndef CDMPP_CORE_ALLOC_H
#define CDMPP_CORE_ALLOC_H

#include <stddef.h>

/* n zeroed elements of `size` bytes; never NULL; the caller frees with free(). */
void *cdm_alloc(size_t n, size_t size);

/* Makes room for `needed` elements in *array, which holds *capacity elements (and may be NULL with
 * 0). Grows by half at least, so that appending is linear. New elements are not initialised.
 * Returns the array at its new place: `items = cdm_grow(items, &capacity, n + 1, sizeof *items)`.
 */
void *cdm_grow(void *array, size_t *capacity, size_t needed, size_t size);

/* Grows the array variable `array` with its capacity variable to room for n elements. */
#define CDM_RESERVE(array, capacity, n)                                                            \
    ((array) = cdm_grow((array), &(capacity), (n), sizeof *(array)))

/* A copy of the string that the caller frees with free(). */
char *cdm_strdup(const char *text);

/* Ends the program with "out of memory". For the other allocators of cdmpp/core. */
_Noreturn void cdm_out_of_memory(size_t bytes);

#endif
