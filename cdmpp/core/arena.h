/* A bump allocator for things that die together, such as one tensor program. No element is freed by
 * itself. Under AddressSanitizer the unused part is poisoned, so that an overrun is seen. */
#ifndef CDMPP_CORE_ARENA_H
#define CDMPP_CORE_ARENA_H

#include <stddef.h>

struct cdm_arena_block;

/* Zero-initialise (`struct cdm_arena arena = {0};`) to start with an empty arena. */
struct cdm_arena {
    struct cdm_arena_block *first; /* oldest block; kept by reset */
    struct cdm_arena_block *now;   /* block that is being filled */
    char *next;                    /* first free byte of it */
    char *end;                     /* its end */
    size_t used;                   /* bytes handed out since the last reset */
};

/* `size` zeroed bytes, aligned for any type. Never NULL. Valid until reset or release. */
void *cdm_arena_alloc(struct cdm_arena *arena, size_t size);

/* n zeroed elements; ends the program when n * size overflows. */
void *cdm_arena_array(struct cdm_arena *arena, size_t n, size_t size);

/* Makes room for one more in `array`, which holds n elements of `size` bytes and has room for
 * *capacity (NULL with 0). Returns the array at its place, which is new when it had to grow, by
 * doubling; the outgrown one stays behind in the arena. New elements are zeroed. */
void *cdm_arena_grow(struct cdm_arena *arena, void *array, size_t n, size_t *capacity, size_t size);

/* A NUL-terminated copy of `length` bytes of text. */
char *cdm_arena_text(struct cdm_arena *arena, const char *text, size_t length);

/* Makes everything allocated so far invalid and keeps the memory for the next use. */
void cdm_arena_reset(struct cdm_arena *arena);

/* Gives the memory back. The arena is empty again and may be used again. */
void cdm_arena_release(struct cdm_arena *arena);

#endif
