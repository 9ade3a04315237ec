#include "io/file/sha256.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "io/file/text.h"

/* FIPS 180-4, section 4.2.2: the first 32 bits of the fractional parts of the cube roots of the
 * first 64 primes. */
static const uint32_t constants[64] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};

static uint32_t rotate(uint32_t x, int bits)
{
    return x >> bits | x << (32 - bits);
}

/* FIPS 180-4, section 6.2.2: the message schedule, then 64 rounds. */
static void compress(tsl_sha256 *hash)
{
    uint32_t w[64];
    for (int t = 0; t < 16; t++) {
        const unsigned char *b = hash->block + 4 * t;
        w[t] = (uint32_t)b[0] << 24 | (uint32_t)b[1] << 16 | (uint32_t)b[2] << 8 | b[3];
    }
    for (int t = 16; t < 64; t++) {
        const uint32_t s0 = rotate(w[t - 15], 7) ^ rotate(w[t - 15], 18) ^ w[t - 15] >> 3;
        const uint32_t s1 = rotate(w[t - 2], 17) ^ rotate(w[t - 2], 19) ^ w[t - 2] >> 10;
        w[t] = s1 + w[t - 7] + s0 + w[t - 16];
    }
    uint32_t s[8]; /* working variables a to h */
    memcpy(s, hash->state, sizeof s);
    for (int t = 0; t < 64; t++) {
        const uint32_t choice = (s[4] & s[5]) ^ (~s[4] & s[6]);
        const uint32_t majority = (s[0] & s[1]) ^ (s[0] & s[2]) ^ (s[1] & s[2]);
        const uint32_t t1 = s[7] + (rotate(s[4], 6) ^ rotate(s[4], 11) ^ rotate(s[4], 25)) +
                            choice + constants[t] + w[t];
        const uint32_t t2 = (rotate(s[0], 2) ^ rotate(s[0], 13) ^ rotate(s[0], 22)) + majority;
        memmove(s + 1, s, 7 * sizeof *s);
        s[4] += t1;
        s[0] = t1 + t2;
    }
    for (int i = 0; i < 8; i++) {
        hash->state[i] += s[i];
    }
}

void tsl_sha256_begin(tsl_sha256 *hash)
{
    *hash = (tsl_sha256){.state = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f,
                                   0x9b05688c, 0x1f83d9ab, 0x5be0cd19}};
}

void tsl_sha256_add(tsl_sha256 *hash, const void *data, size_t bytes)
{
    const unsigned char *from = data;
    while (bytes > 0) {
        const size_t filled = (size_t)(hash->bytes % 64);
        const size_t part = bytes < 64 - filled ? bytes : 64 - filled;
        memcpy(hash->block + filled, from, part);
        hash->bytes += part;
        from += part;
        bytes -= part;
        if (filled + part == 64) {
            compress(hash);
        }
    }
}

void tsl_sha256_end(tsl_sha256 *hash, char digest[65])
{
    static const unsigned char padding[64] = {0x80};
    unsigned char length[8];
    for (int i = 0; i < 8; i++) {
        length[i] = (unsigned char)(hash->bytes * 8 >> (56 - 8 * i));
    }
    const size_t filled = (size_t)(hash->bytes % 64);
    tsl_sha256_add(hash, padding, filled < 56 ? 56 - filled : 120 - filled);
    tsl_sha256_add(hash, length, sizeof length);
    for (int i = 0; i < 64; i++) {
        const uint32_t word = hash->state[i / 8];
        digest[i] = "0123456789abcdef"[word >> (28 - 4 * (i % 8)) & 15];
    }
    digest[64] = 0;
}

tsl_status tsl_sha256_file(tsl_context *context, const char *path, char digest[65])
{
    FILE *file = fopen(path, "rb");
    if (file == NULL) {
        return tsl_fail_to_open(context, path, errno);
    }
    unsigned char data[4096];
    tsl_sha256 hash;
    tsl_sha256_begin(&hash);
    size_t got;
    errno = 0;
    while ((got = fread(data, 1, sizeof data, file)) > 0) {
        tsl_sha256_add(&hash, data, got);
    }
    const int error = ferror(file) ? (errno != 0 ? errno : EIO) : 0;
    fclose(file);
    if (error != 0) {
        return tsl_fail(context, TSL_E_IO, "%s: cannot read: %s", path, strerror(error));
    }
    tsl_sha256_end(&hash, digest);
    return TSL_OK;
}
