#include "io/zipped.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "io/file/inflating.h"

enum { ROOM = 1 << 16 };

/* Append a little-endian number. */
static void number(char *archive, size_t *at, uint64_t value, int bytes)
{
    for (int i = 0; i < bytes; i++) {
        archive[(*at)++] = (char)(value >> 8 * i);
    }
}

static void append(char *archive, size_t *at, const void *data, size_t bytes)
{
    memcpy(archive + *at, data, bytes);
    *at += bytes;
}

/* CRC-32, a bit at a time. */
static uint32_t checksum(const char *data, size_t bytes)
{
    uint32_t sum = UINT32_MAX;
    for (size_t i = 0; i < bytes; i++) {
        sum ^= (unsigned char)data[i];
        for (int bit = 0; bit < 8; bit++) {
            sum = sum >> 1 ^ ((sum & 1) != 0 ? UINT32_C(0xedb88320) : 0);
        }
    }
    return ~sum;
}

static size_t make_array(char *out, const zipped_array *array)
{
    size_t at = 0;
    char header[256];
    const int length =
        snprintf(header, sizeof header, "{'descr': '%s', 'fortran_order': False, 'shape': %s, }\n",
                 array->type, array->shape);
    append(out, &at, "\x93NUMPY\1\0", 8);
    number(out, &at, (uint64_t)length, 2);
    append(out, &at, header, (size_t)length);
    append(out, &at, array->data, array->count * array->item);
    return at;
}

static size_t pack(char *out, const char *data, size_t bytes, bool deflated)
{
#ifdef TSL_HAVE_ZLIB
    if (deflated) {
        z_stream stream = {.next_in = (const Bytef *)data,
                           .avail_in = (uInt)bytes,
                           .next_out = (Bytef *)out,
                           .avail_out = ROOM};
        deflateInit2(&stream, 9, Z_DEFLATED, -MAX_WBITS, 8, Z_DEFAULT_STRATEGY);
        deflate(&stream, Z_FINISH);
        deflateEnd(&stream);
        return (size_t)stream.total_out;
    }
#endif
    (void)deflated;
    memcpy(out, data, bytes);
    return bytes;
}

/* What local header and directory share, from the version on. */
static void describe(char *archive, size_t *at, const char *name, int method, uint32_t sum,
                     size_t packed, size_t size, bool large)
{
    number(archive, at, large ? 45 : 20, 2);
    number(archive, at, 0, 2);
    number(archive, at, (uint64_t)method, 2);
    number(archive, at, 0, 4);
    number(archive, at, sum, 4);
    number(archive, at, large ? UINT32_MAX : packed, 4);
    number(archive, at, large ? UINT32_MAX : size, 4);
    number(archive, at, strlen(name), 2);
    number(archive, at, large ? 20 : 0, 2);
}

static void extra(char *archive, size_t *at, size_t packed, size_t size, bool large)
{
    if (large) {
        number(archive, at, 1, 2);
        number(archive, at, 16, 2);
        number(archive, at, size, 8);
        number(archive, at, packed, 8);
    }
}

/* Where the directory is. */
static void finish(char *archive, size_t *at, int count, size_t directory, bool large)
{
    const size_t size = *at - directory;
    if (large) {
        const size_t record = *at;
        append(archive, at, "PK\6\6", 4);
        number(archive, at, 44, 8);
        number(archive, at, 45 | 45 << 16, 4);
        number(archive, at, 0, 8);
        number(archive, at, (uint64_t)count, 8);
        number(archive, at, (uint64_t)count, 8);
        number(archive, at, size, 8);
        number(archive, at, directory, 8);
        append(archive, at, "PK\6\7", 4);
        number(archive, at, 0, 4);
        number(archive, at, record, 8);
        number(archive, at, 1, 4);
    }
    append(archive, at, "PK\5\6\0\0\0\0", 8);
    number(archive, at, (uint64_t)count, 2);
    number(archive, at, (uint64_t)count, 2);
    number(archive, at, large ? UINT32_MAX : size, 4);
    number(archive, at, large ? UINT32_MAX : directory, 4);
    number(archive, at, 0, 2);
}

char *zipped(size_t *bytes, const zipped_array *arrays, bool deflated, bool large)
{
    char *archive = malloc(4 * ROOM), *array = malloc(ROOM), *packed = malloc(ROOM);
    char directory[2048];
    size_t at = 0, entries = 0;
    int count = 0;
    for (; arrays[count].name != NULL; count++) {
        const size_t local = at;
        const size_t size = make_array(array, &arrays[count]);
        const size_t short_size = pack(packed, array, size, deflated);
        const int method = deflated ? 8 : 0;
        const uint32_t sum = checksum(array, size);
        append(archive, &at, "PK\3\4", 4);
        describe(archive, &at, arrays[count].name, method, sum, short_size, size, large);
        append(archive, &at, arrays[count].name, strlen(arrays[count].name));
        extra(archive, &at, short_size, size, large);
        append(archive, &at, packed, short_size);
        append(directory, &entries, "PK\1\2", 4);
        number(directory, &entries, 20, 2);
        describe(directory, &entries, arrays[count].name, method, sum, short_size, size, large);
        number(directory, &entries, 0, 8); /* comment, disk, attributes */
        number(directory, &entries, 0, 2);
        number(directory, &entries, local, 4);
        append(directory, &entries, arrays[count].name, strlen(arrays[count].name));
        extra(directory, &entries, short_size, size, large);
    }
    const size_t start = at;
    append(archive, &at, directory, entries);
    finish(archive, &at, count, start, large);
    free(array);
    free(packed);
    *bytes = at;
    return archive;
}
