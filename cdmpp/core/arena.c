#include "cdmpp/core/arena.h"

#include "cdmpp/core/alloc.h"

#include <stdalign.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#if defined(__SANITIZE_ADDRESS__)
#define ARENA_ASAN 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define ARENA_ASAN 1
#endif
#endif
#ifdef ARENA_ASAN
#include <sanitizer/asan_interface.h>
#define POISON(p, n) ASAN_POISON_MEMORY_REGION(p, n)
#define UNPOISON(p, n) ASAN_UNPOISON_MEMORY_REGION(p, n)
/* A gap between neighbours, so that an overrun of one element hits poison. */
enum { RED_ZONE = 16 };
#else
#define POISON(p, n) ((void)(p), (void)(n))
#define UNPOISON(p, n) ((void)(p), (void)(n))
enum { RED_ZONE = 0 };
#endif

struct cdm_arena_block {
    struct cdm_arena_block *next;
    size_t size; /* of data */
    alignas(max_align_t) char data[];
};

enum { FIRST_BLOCK = 64 * 1024, LARGEST_BLOCK = 4 * 1024 * 1024 };

static void use_block(struct cdm_arena *arena, struct cdm_arena_block *block)
{
    arena->now = block;
    arena->next = block->data;
    arena->end = block->data + block->size;
}

static void add_block(struct cdm_arena *arena, size_t needed)
{
    struct cdm_arena_block *now = arena->now;

    /* After a reset the blocks of last time are still there. One that is too small is skipped. */
    while (now && now->next) {
        now = now->next;
        if (now->size >= needed) {
            use_block(arena, now);
            return;
        }
    }
    size_t size = now ? now->size * 2 : FIRST_BLOCK;
    if (size > LARGEST_BLOCK)
        size = LARGEST_BLOCK;
    if (size < needed)
        size = needed;
    struct cdm_arena_block *block = malloc(sizeof *block + size);
    if (!block)
        cdm_out_of_memory(size);
    block->next = NULL;
    block->size = size;
    POISON(block->data, size);
    if (now)
        now->next = block;
    else
        arena->first = block;
    use_block(arena, block);
}

void *cdm_arena_alloc(struct cdm_arena *arena, size_t size)
{
    const size_t align = alignof(max_align_t);

    if (size > SIZE_MAX / 2)
        cdm_out_of_memory(size);
    size_t step = (size + RED_ZONE + align - 1) & ~(align - 1);
    if (!arena->next || step > (size_t)(arena->end - arena->next))
        add_block(arena, step);
    char *result = arena->next;
    arena->next += step;
    arena->used += step;
    UNPOISON(result, size);
    return memset(result, 0, size);
}

void *cdm_arena_array(struct cdm_arena *arena, size_t n, size_t size)
{
    if (size && n > SIZE_MAX / 2 / size)
        cdm_out_of_memory(SIZE_MAX);
    return cdm_arena_alloc(arena, n * size);
}

void *cdm_arena_grow(struct cdm_arena *arena, void *array, size_t n, size_t *capacity, size_t size)
{
    enum { FIRST = 8 };

    if (n < *capacity)
        return array;
    size_t wanted = *capacity ? *capacity * 2 : FIRST;
    void *larger = cdm_arena_array(arena, wanted, size);
    if (n)
        memcpy(larger, array, n * size);
    *capacity = wanted;
    return larger;
}

char *cdm_arena_text(struct cdm_arena *arena, const char *text, size_t length)
{
    char *copy = cdm_arena_alloc(arena, length + 1);
    memcpy(copy, text, length);
    return copy;
}

void cdm_arena_reset(struct cdm_arena *arena)
{
    for (struct cdm_arena_block *block = arena->first; block; block = block->next)
        POISON(block->data, block->size);
    arena->used = 0;
    if (arena->first)
        use_block(arena, arena->first);
}

void cdm_arena_release(struct cdm_arena *arena)
{
    struct cdm_arena_block *block = arena->first;

    while (block) {
        struct cdm_arena_block *next = block->next;
        UNPOISON(block->data, block->size);
        free(block);
        block = next;
    }
    memset(arena, 0, sizeof *arena);
}
