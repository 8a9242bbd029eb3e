#include "cdmpp/core/hash.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static void assert_sha256(const void *data, size_t length, const char *expected)
{
    unsigned char digest[CDM_SHA256_SIZE];
    char text[CDM_SHA256_HEX];

    cdm_sha256(data, length, digest);
    cdm_hex(digest, sizeof digest, text);
    assert_string_equal(text, expected);
}

static void assert_sha1(const char *data, const char *expected)
{
    unsigned char digest[CDM_SHA1_SIZE];
    char text[2 * CDM_SHA1_SIZE + 1];

    cdm_sha1(data, strlen(data), digest);
    cdm_hex(digest, sizeof digest, text);
    assert_string_equal(text, expected);
}

/* The messages of FIPS 180. */
static const char two_blocks[] = "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq";

static void sha256_agrees_with_the_standard(void **state)
{
    (void)state;
    assert_sha256("", 0, "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
    assert_sha256("abc", 3, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    assert_sha256(two_blocks, strlen(two_blocks),
                  "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
}

static void sha256_of_a_million_letters(void **state)
{
    (void)state;
    char *text = malloc(1000000);

    assert_non_null(text);
    memset(text, 'a', 1000000);
    assert_sha256(text, 1000000,
                  "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
    free(text);
}

static void sha1_agrees_with_the_standard(void **state)
{
    (void)state;
    assert_sha1("", "da39a3ee5e6b4b0d3255bfef95601890afd80709");
    assert_sha1("abc", "a9993e364706816aba3e25717850c26c9cd0d89d");
    assert_sha1(two_blocks, "84983e441c3bd26ebaae4aa1f95129e5e54670f1");
}

/* The rule that splits datasets by task (baselines.md): it must never change. */
static void sha1_of_a_split_key(void **state)
{
    (void)state;
    assert_sha1("split:a", "d3e8979f9e746014b4d18a9d708d620427a3a91b");
}

static void pieces_of_any_length_give_the_same_hash(void **state)
{
    (void)state;
    char text[300];
    unsigned char whole[CDM_SHA256_SIZE];
    unsigned char pieces[CDM_SHA256_SIZE];

    for (size_t i = 0; i < sizeof text; i++)
        text[i] = (char)(i * 7);
    for (size_t length = 0; length < sizeof text; length++) {
        cdm_sha256(text, length, whole);
        for (size_t step = 1; step < 130; step += 9) {
            struct cdm_hash hash;
            cdm_sha256_start(&hash);
            for (size_t at = 0; at < length; at += step)
                cdm_sha256_add(&hash, text + at, length - at < step ? length - at : step);
            cdm_sha256_end(&hash, pieces);
            assert_memory_equal(whole, pieces, sizeof whole);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sha256_agrees_with_the_standard),
        cmocka_unit_test(sha256_of_a_million_letters),
        cmocka_unit_test(sha1_agrees_with_the_standard),
        cmocka_unit_test(sha1_of_a_split_key),
        cmocka_unit_test(pieces_of_any_length_give_the_same_hash),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
