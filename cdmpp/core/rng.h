/* Random numbers that are the same on every machine for the same seed (xoshiro256**, seeded by
 * splitmix64). */
#ifndef CDMPP_CORE_RNG_H
#define CDMPP_CORE_RNG_H

#include <stddef.h>
#include <stdint.h>

struct cdm_rng {
    uint64_t state[4];
};

/* Generators of the same seed and different streams are independent: one for each use, so that a
 * change of one does not move the others. */
void cdm_rng_seed(struct cdm_rng *rng, uint64_t seed, uint64_t stream);

/* 64 random bits. */
uint64_t cdm_rng_next(struct cdm_rng *rng);

/* 0 .. n - 1, each as likely; n > 0. */
uint64_t cdm_rng_below(struct cdm_rng *rng, uint64_t n);

/* In [0, 1), a multiple of 2^-53. */
double cdm_rng_uniform(struct cdm_rng *rng);

/* Normal distribution with mean 0 and deviation 1. */
double cdm_rng_normal(struct cdm_rng *rng);

/* Brings the n items into a random order. */
void cdm_rng_shuffle(struct cdm_rng *rng, uint32_t *items, size_t n);

#endif
