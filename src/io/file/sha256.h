/* SHA-256 (FIPS 180-4), to name input files in reports as `sha256sum` does. */
#ifndef TSL_IO_SHA256_H
#define TSL_IO_SHA256_H

#include "core/core.h"

typedef struct tsl_sha256 {
    uint32_t state[8];
    uint64_t bytes;
    unsigned char block[64];
} tsl_sha256;

void tsl_sha256_begin(tsl_sha256 *hash);
void tsl_sha256_add(tsl_sha256 *hash, const void *data, size_t bytes);
/* 64 lower-case hexadecimal digits and a 0. */
void tsl_sha256_end(tsl_sha256 *hash, char digest[65]);

/* Digest of a file's bytes as they are on disk. */
tsl_status tsl_sha256_file(tsl_context *context, const char *path, char digest[65]);

#endif
