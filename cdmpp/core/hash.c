#include "cdmpp/core/hash.h"

#include <string.h>

static uint32_t rotate_left(uint32_t x, int by)
{
    return (x << by) | (x >> (32 - by));
}

static uint32_t rotate_right(uint32_t x, int by)
{
    return (x >> by) | (x << (32 - by));
}

static uint32_t read_word(const unsigned char *bytes)
{
    return (uint32_t)bytes[0] << 24 | (uint32_t)bytes[1] << 16 | (uint32_t)bytes[2] << 8 | bytes[3];
}

static void sha256_block(uint32_t state[8], const unsigned char block[64])
{
    static const uint32_t k[64] = {
        0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4,
        0xab1c5ed5, 0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe,
        0x9bdc06a7, 0xc19bf174, 0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f,
        0x4a7484aa, 0x5cb0a9dc, 0x76f988da, 0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7,
        0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967, 0x27b70a85, 0x2e1b2138, 0x4d2c6dfc,
        0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85, 0xa2bfe8a1, 0xa81a664b,
        0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070, 0x19a4c116,
        0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
        0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7,
        0xc67178f2};
    uint32_t w[64];
    uint32_t s[8];

    for (int i = 0; i < 16; i++)
        w[i] = read_word(block + 4 * i);
    for (int i = 16; i < 64; i++) {
        uint32_t a = w[i - 15];
        uint32_t b = w[i - 2];
        w[i] = w[i - 16] + (rotate_right(a, 7) ^ rotate_right(a, 18) ^ (a >> 3)) + w[i - 7] +
               (rotate_right(b, 17) ^ rotate_right(b, 19) ^ (b >> 10));
    }
    memcpy(s, state, sizeof s);
    /* The standard moves all eight words by one place in every round. Here the places move instead:
     * A is the word that is `a` in this round. After 64 rounds they are back. */
#define WORD(place) s[((place)-i) & 7]
#pragma GCC unroll 8
    for (int i = 0; i < 64; i++) {
        uint32_t a = WORD(0);
        uint32_t e = WORD(4);
        uint32_t t1 = WORD(7) + (rotate_right(e, 6) ^ rotate_right(e, 11) ^ rotate_right(e, 25)) +
                      ((e & WORD(5)) ^ (~e & WORD(6))) + k[i] + w[i];
        uint32_t t2 = (rotate_right(a, 2) ^ rotate_right(a, 13) ^ rotate_right(a, 22)) +
                      ((a & WORD(1)) ^ (a & WORD(2)) ^ (WORD(1) & WORD(2)));
        WORD(3) += t1;
        WORD(7) = t1 + t2;
    }
#undef WORD
    for (int i = 0; i < 8; i++)
        state[i] += s[i];
}

static void sha1_block(uint32_t state[8], const unsigned char block[64])
{
    static const uint32_t k[4] = {0x5a827999, 0x6ed9eba1, 0x8f1bbcdc, 0xca62c1d6};
    uint32_t w[80];
    uint32_t s[5];

    for (int i = 0; i < 16; i++)
        w[i] = read_word(block + 4 * i);
    for (int i = 16; i < 80; i++)
        w[i] = rotate_left(w[i - 3] ^ w[i - 8] ^ w[i - 14] ^ w[i - 16], 1);
    memcpy(s, state, sizeof s);
    for (int i = 0; i < 80; i++) {
        uint32_t f = s[1] ^ s[2] ^ s[3];
        if (i < 20)
            f = (s[1] & s[2]) | (~s[1] & s[3]);
        else if (i >= 40 && i < 60)
            f = (s[1] & s[2]) | (s[1] & s[3]) | (s[2] & s[3]);
        uint32_t first = rotate_left(s[0], 5) + f + s[4] + k[i / 20] + w[i];
        memmove(s + 1, s, 4 * sizeof *s);
        s[2] = rotate_left(s[2], 30);
        s[0] = first;
    }
    for (int i = 0; i < 5; i++)
        state[i] += s[i];
}

typedef void block_function(uint32_t state[8], const unsigned char block[64]);

static void add(struct cdm_hash *hash, const unsigned char *data, size_t length,
                block_function *take)
{
    size_t held = hash->length % 64;

    hash->length += length;
    if (held > 0) {
        size_t room = 64 - held < length ? 64 - held : length;
        memcpy(hash->block + held, data, room);
        if (held + room < 64)
            return;
        take(hash->state, hash->block);
        data += room;
        length -= room;
    }
    for (; length >= 64; data += 64, length -= 64)
        take(hash->state, data);
    if (length > 0)
        memcpy(hash->block, data, length);
}

static void end(struct cdm_hash *hash, unsigned char *digest, int n_words, block_function *take)
{
    static const unsigned char padding[64] = {0x80};
    unsigned char bits[8];
    uint64_t n_bits = hash->length * 8;

    for (int i = 0; i < 8; i++)
        bits[i] = (unsigned char)(n_bits >> (56 - 8 * i));
    size_t held = hash->length % 64;
    add(hash, padding, held < 56 ? 56 - held : 120 - held, take);
    add(hash, bits, sizeof bits, take);
    for (int i = 0; i < 4 * n_words; i++)
        digest[i] = (unsigned char)(hash->state[i / 4] >> (24 - 8 * (i % 4)));
}

void cdm_sha256_start(struct cdm_hash *hash)
{
    *hash = (struct cdm_hash){.state = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f,
                                        0x9b05688c, 0x1f83d9ab, 0x5be0cd19}};
}

void cdm_sha256_add(struct cdm_hash *hash, const void *data, size_t length)
{
    add(hash, data, length, sha256_block);
}

void cdm_sha256_end(struct cdm_hash *hash, unsigned char digest[CDM_SHA256_SIZE])
{
    end(hash, digest, 8, sha256_block);
}

void cdm_sha256(const void *data, size_t length, unsigned char digest[CDM_SHA256_SIZE])
{
    struct cdm_hash hash;

    cdm_sha256_start(&hash);
    cdm_sha256_add(&hash, data, length);
    cdm_sha256_end(&hash, digest);
}

void cdm_sha1(const void *data, size_t length, unsigned char digest[CDM_SHA1_SIZE])
{
    struct cdm_hash hash = {.state = {0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476, 0xc3d2e1f0}};

    add(&hash, data, length, sha1_block);
    end(&hash, digest, 5, sha1_block);
}

void cdm_hex(const unsigned char *digest, size_t n, char *text)
{
    for (size_t i = 0; i < n; i++) {
        text[2 * i] = "0123456789abcdef"[digest[i] >> 4];
        text[2 * i + 1] = "0123456789abcdef"[digest[i] & 15];
    }
    text[2 * n] = '\0';
}
