#include "cdmpp/core/rng.h"

#include <math.h>

static uint64_t splitmix(uint64_t *state)
{
    uint64_t z = *state += 0x9e3779b97f4a7c15u;

    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

void cdm_rng_seed(struct cdm_rng *rng, uint64_t seed, uint64_t stream)
{
    uint64_t state = seed;
    uint64_t mixed = splitmix(&state) ^ stream;

    for (int i = 0; i < 4; i++)
        rng->state[i] = splitmix(&mixed);
}

static uint64_t rotate(uint64_t x, int by)
{
    return (x << by) | (x >> (64 - by));
}

uint64_t cdm_rng_next(struct cdm_rng *rng)
{
    uint64_t *s = rng->state;
    uint64_t result = rotate(s[1] * 5, 7) * 9;
    uint64_t t = s[1] << 17;

    s[2] ^= s[0];
    s[3] ^= s[1];
    s[1] ^= s[2];
    s[0] ^= s[3];
    s[2] ^= t;
    s[3] = rotate(s[3], 45);
    return result;
}

uint64_t cdm_rng_below(struct cdm_rng *rng, uint64_t n)
{
    /* The lowest 2^64 mod n values are thrown away, so that what is left is a multiple of n. */
    uint64_t unfair = (0 - n) % n;
    uint64_t value;

    do {
        value = cdm_rng_next(rng);
    } while (value < unfair);
    return value % n;
}

double cdm_rng_uniform(struct cdm_rng *rng)
{
    return (double)(cdm_rng_next(rng) >> 11) * 0x1p-53;
}

/* The natural logarithm of x > 0 by nothing but the four operations, which IEEE fixes to the last
 * bit; log() of the C library differs between machines. Good to a few units in the last place. */
static double portable_log(double x)
{
    int exponent;
    double m = frexp(x, &exponent); /* [0.5, 1) */

    if (m < 0.70710678118654752) {
        m *= 2;
        exponent--;
    }
    /* log m = 2 artanh((m-1)/(m+1)), |z| < 0.1716, so that 12 terms are enough. */
    double z = (m - 1) / (m + 1);
    double square = z * z;
    double sum = 0;
    for (int k = 23; k >= 1; k -= 2)
        sum = sum * square + 1.0 / k;
    return 2 * z * sum + exponent * 0.69314718055994530942;
}

double cdm_rng_normal(struct cdm_rng *rng)
{
    /* The polar method; its second value is not kept, so that the state is the four words alone. */
    for (;;) {
        double x = 2 * cdm_rng_uniform(rng) - 1;
        double y = 2 * cdm_rng_uniform(rng) - 1;
        double r = x * x + y * y;
        if (r > 0 && r < 1)
            return x * sqrt(-2 * portable_log(r) / r);
    }
}

void cdm_rng_shuffle(struct cdm_rng *rng, uint32_t *items, size_t n)
{
    for (size_t i = n; i > 1; i--) {
        size_t j = (size_t)cdm_rng_below(rng, i);
        uint32_t item = items[i - 1];
        items[i - 1] = items[j];
        items[j] = item;
    }
}
