/* SHA-1 and SHA-256 (FIPS 180-4). SHA-1 only names things (which task is in which set); checksums
 * are SHA-256. */
#ifndef CDMPP_CORE_HASH_H
#define CDMPP_CORE_HASH_H

#include <stddef.h>
#include <stdint.h>

enum { CDM_SHA1_SIZE = 20, CDM_SHA256_SIZE = 32, CDM_SHA256_HEX = 65 };

/* One hash being computed. */
struct cdm_hash {
    uint32_t state[8];
    uint64_t length; /* bytes added so far */
    unsigned char block[64];
};

void cdm_sha256_start(struct cdm_hash *hash);
void cdm_sha256_add(struct cdm_hash *hash, const void *data, size_t length);
void cdm_sha256_end(struct cdm_hash *hash, unsigned char digest[CDM_SHA256_SIZE]);

/* The hash of `length` bytes in one call. */
void cdm_sha1(const void *data, size_t length, unsigned char digest[CDM_SHA1_SIZE]);
void cdm_sha256(const void *data, size_t length, unsigned char digest[CDM_SHA256_SIZE]);

/* Small hexadecimal digits of n bytes, and a NUL: text has 2 * n + 1 bytes. */
void cdm_hex(const unsigned char *digest, size_t n, char *text);

#endif
