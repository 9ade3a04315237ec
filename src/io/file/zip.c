#include "io/file/zip.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "comm/comm.h"
#include "io/file/inflating.h"

/* Signatures of the records, and their bytes before what varies in length. */
enum {
    END_BYTES = 22,
    END64_BYTES = 56,
    LOCATOR_BYTES = 20,
    ENTRY_BYTES = 46,
    LOCAL_BYTES = 30,
    LONGEST_COMMENT = 65535,
    LARGEST_DIRECTORY = 1 << 20,
    EXTRA64 = 1, /* number of the extra field with sizes beyond 32 bits */
    STORED = 0,
    DEFLATED = 8,
    MOST_INFLATION = 1032, /* bytes that one deflated byte can stand for */
    STEP = 1 << 20
};
static const char end_mark[] = "PK\5\6";
static const char end64_mark[] = "PK\6\6";
static const char locator_mark[] = "PK\6\7";
static const char entry_mark[] = "PK\1\2";
static const char local_mark[] = "PK\3\4";

/* An entry of the directory. */
typedef struct member {
    int flags, method;
    uint32_t crc;
    int64_t packed, size; /* bytes */
    int64_t local;        /* where its local header is */
} member;

/* A little-endian number; negative if it is 2^63 or more. */
static int64_t number(const char *data, int bytes)
{
    uint64_t value = 0;
    for (int i = bytes - 1; i >= 0; i--) {
        value = value << 8 | (unsigned char)data[i];
    }
    return (int64_t)value;
}

static tsl_status damaged(tsl_context *context, const tsl_source *source, const char *what)
{
    return tsl_fail(context, TSL_E_FORMAT, "%s: damaged zip archive: %s", source->name, what);
}

/* Get exactly `bytes` bytes at `at`, in memory or in `buffer`, unless another rank has failed. */
static tsl_status take(const char **out, tsl_context *context, const tsl_source *source, int64_t at,
                       int64_t bytes, char *buffer)
{
    const tsl_status heard = tsl_comm_check(context->comm);
    if (heard != TSL_OK) {
        return heard;
    }
    if (at < 0 || at > source->size || bytes > source->size - at) {
        return damaged(context, source, "it is cut short");
    }
    *out = tsl_source_bytes(source, at, &bytes, buffer);
    return *out != NULL
               ? TSL_OK
               : tsl_fail(context, TSL_E_IO, "%s: cannot read: %s", source->name, strerror(errno));
}

/* ---- the directory ------------------------------------------------------------------------ */

/* Find the directory by the record at the archive's end. The record is in `tail`, the archive's
 * last bytes. */
static tsl_status find_directory(tsl_context *context, const tsl_source *source, const char *tail,
                                 int64_t bytes, int64_t *at, int64_t *size)
{
    int64_t end = bytes - END_BYTES;
    while (end >= 0 && memcmp(tail + end, end_mark, 4) != 0) {
        end--;
    }
    if (end < 0) {
        return damaged(context, source, "it has no directory at its end");
    }
    *size = number(tail + end + 12, 4);
    *at = number(tail + end + 16, 4);
    const char *locator = tail + end - LOCATOR_BYTES;
    if (end < LOCATOR_BYTES || memcmp(locator, locator_mark, 4) != 0) {
        return TSL_OK;
    }
    char buffer[END64_BYTES];
    const char *record = NULL;
    const tsl_status status =
        take(&record, context, source, number(locator + 8, 8), END64_BYTES, buffer);
    if (status != TSL_OK) {
        return status;
    }
    if (memcmp(record, end64_mark, 4) != 0) {
        return damaged(context, source, "it has no directory at its end");
    }
    *size = number(record + 40, 8);
    *at = number(record + 48, 8);
    return TSL_OK;
}

static tsl_status read_directory(tsl_zip *out, tsl_context *context, int64_t at, int64_t size)
{
    const tsl_source *source = out->source;
    if (size < 0 || size > LARGEST_DIRECTORY) {
        return damaged(context, source, "its directory is larger than that of any matrix");
    }
    out->directory = tsl_allocate((size_t)size);
    if (out->directory == NULL) {
        return tsl_fail_memory(context, size, "a zip archive's directory");
    }
    const char *data = NULL;
    const tsl_status status = take(&data, context, source, at, size, out->directory);
    if (status == TSL_OK) {
        memmove(out->directory, data, (size_t)size);
        out->bytes = size;
    }
    return status;
}

tsl_status tsl_zip_open(tsl_zip *out, tsl_context *context, const tsl_source *source)
{
    int64_t bytes = LOCATOR_BYTES + END_BYTES + LONGEST_COMMENT;
    *out = (tsl_zip){.source = source};
    bytes = bytes < source->size ? bytes : source->size;
    char *buffer = tsl_allocate((size_t)bytes);
    if (buffer == NULL) {
        return tsl_fail_memory(context, bytes, "a zip archive's directory");
    }
    int64_t at = 0;
    int64_t size = 0;
    const char *tail = NULL;
    tsl_status status = TSL_OK;
    TSL_TRY(take(&tail, context, source, source->size - bytes, bytes, buffer));
    TSL_TRY(find_directory(context, source, tail, bytes, &at, &size));
    TSL_TRY(read_directory(out, context, at, size));
done:
    tsl_release(buffer);
    if (status != TSL_OK) {
        tsl_zip_close(out);
    }
    return status;
}

void tsl_zip_close(tsl_zip *zip)
{
    tsl_release(zip->directory);
    *zip = (tsl_zip){.source = NULL};
}

/* Sizes that do not fit into 32 bits stand in an extra field, in this order. */
static bool read_extra(member *m, const char *extra, int64_t bytes)
{
    int64_t *const large[] = {&m->size, &m->packed, &m->local};
    while (bytes >= 4) {
        const int64_t length = number(extra + 2, 2);
        if (length > bytes - 4) {
            return false;
        }
        const char *at = extra + 4;
        const char *end = at + length;
        for (int i = 0; i < 3 && number(extra, 2) == EXTRA64; i++) {
            if (*large[i] == UINT32_MAX && end - at >= 8) {
                *large[i] = number(at, 8);
                at += 8;
            }
        }
        extra = end;
        bytes -= 4 + length;
    }
    return true;
}

/* Bytes of the entry at `at`, its name and extra fields included; 0 where there is no whole
 * entry. */
static int64_t entry_bytes(const tsl_zip *zip, const char *at, int64_t *name, int64_t *extra)
{
    const int64_t left = zip->directory + zip->bytes - at;
    if (left < ENTRY_BYTES || memcmp(at, entry_mark, 4) != 0) {
        return 0;
    }
    *name = number(at + 28, 2);
    *extra = number(at + 30, 2);
    const int64_t entry = ENTRY_BYTES + *name + *extra + number(at + 32, 2);
    return entry <= left ? entry : 0;
}

bool tsl_zip_next(const tsl_zip *zip, int64_t *at, char name[TSL_ZIP_NAME])
{
    int64_t bytes = 0, extra = 0;
    const char *entry = zip->directory + *at;
    const int64_t whole = entry_bytes(zip, entry, &bytes, &extra);
    if (whole == 0) {
        return false;
    }
    const size_t kept = bytes < TSL_ZIP_NAME ? (size_t)bytes : TSL_ZIP_NAME - 1;
    memcpy(name, entry + ENTRY_BYTES, kept);
    name[kept] = '\0';
    *at += whole;
    return true;
}

static bool find_member(member *out, const tsl_zip *zip, const char *name)
{
    const char *at = zip->directory;
    int64_t name_bytes = 0, extra_bytes = 0;
    int64_t entry;
    while ((entry = entry_bytes(zip, at, &name_bytes, &extra_bytes)) > 0) {
        if (strlen(name) == (size_t)name_bytes &&
            memcmp(at + ENTRY_BYTES, name, (size_t)name_bytes) == 0) {
            *out = (member){.flags = (int)number(at + 8, 2),
                            .method = (int)number(at + 10, 2),
                            .crc = (uint32_t)number(at + 16, 4),
                            .packed = number(at + 20, 4),
                            .size = number(at + 24, 4),
                            .local = number(at + 42, 4)};
            return read_extra(out, at + ENTRY_BYTES + name_bytes, extra_bytes);
        }
        at += entry;
    }
    return false;
}

/* ---- members ------------------------------------------------------------------------------ */

#ifdef TSL_HAVE_ZLIB

static uInt at_most_a_step(int64_t bytes)
{
    return (uInt)(bytes < STEP ? bytes : STEP);
}

/* Inflate the bytes at `at` into `out`, whose size they must fill exactly. */
static tsl_status inflate_data(tsl_text *out, tsl_context *context, const tsl_source *source,
                               const member *m, int64_t at, char *buffer)
{
    z_stream stream = tsl_inflating();
    if (inflateInit2(&stream, -MAX_WBITS) != Z_OK) {
        return tsl_fail_memory(context, 1 << 16, "inflating a zip archive");
    }
    tsl_status status = TSL_OK;
    int64_t packed = m->packed;
    int64_t done = 0;
    int result = Z_OK;
    while (result == Z_OK && status == TSL_OK) {
        if (stream.avail_in == 0 && packed > 0) {
            stream.avail_in = at_most_a_step(packed);
            const char *data = NULL;
            status = take(&data, context, source, at, stream.avail_in, buffer);
            stream.next_in = (const Bytef *)data;
            at += stream.avail_in;
            packed -= stream.avail_in;
        }
        if (status == TSL_OK) {
            const uInt room = at_most_a_step(m->size - done);
            stream.next_out = (Bytef *)out->data + done;
            stream.avail_out = room;
            result = inflate(&stream, Z_NO_FLUSH);
            done += room - stream.avail_out;
        }
    }
    inflateEnd(&stream);
    if (status == TSL_OK && result == Z_MEM_ERROR) {
        return tsl_fail_memory(context, 1 << 16, "inflating a zip archive");
    }
    if (status == TSL_OK && (result != Z_STREAM_END || done != m->size)) {
        return damaged(context, source, "a member cannot be inflated");
    }
    return status;
}

static bool check_sum(const tsl_text *text, uint32_t wanted)
{
    uLong sum = crc32(0, NULL, 0);
    for (size_t at = 0; at < text->size;) {
        const uInt part = at_most_a_step((int64_t)(text->size - at));
        sum = crc32(sum, (const Bytef *)text->data + at, part);
        at += part;
    }
    return sum == wanted;
}

#else

static tsl_status inflate_data(tsl_text *out, tsl_context *context, const tsl_source *source,
                               const member *m, int64_t at, char *buffer)
{
    (void)out;
    (void)m;
    (void)at;
    (void)buffer;
    return tsl_fail(context, TSL_E_UNSUPPORTED,
                    "%s: compressed, and this build has no zlib: save it with compressed=False",
                    source->name);
}

static bool check_sum(const tsl_text *text, uint32_t wanted)
{
    (void)text;
    (void)wanted;
    return true;
}

#endif

static tsl_status copy_data(tsl_text *out, tsl_context *context, const tsl_source *source,
                            int64_t at)
{
    for (int64_t done = 0; done < (int64_t)out->size; done += STEP) {
        const int64_t left = (int64_t)out->size - done;
        const int64_t part = left < STEP ? left : STEP;
        const char *data = NULL;
        const tsl_status status = take(&data, context, source, at + done, part, out->data + done);
        if (status != TSL_OK) {
            return status;
        }
        memmove(out->data + done, data, (size_t)part);
    }
    return TSL_OK;
}

static tsl_status check_member(tsl_context *context, const tsl_source *source, const member *m)
{
    if ((m->flags & 1) != 0 || (m->method != STORED && m->method != DEFLATED)) {
        return tsl_fail(context, TSL_E_UNSUPPORTED,
                        "%s: a member is encrypted or packed by "
                        "method %d: only deflated ones are read",
                        source->name, m->method);
    }
    if (m->packed < 0 || m->size < 0 || m->packed > source->size ||
        (m->method == STORED && m->size != m->packed) || m->size / MOST_INFLATION > m->packed) {
        return damaged(context, source, "a member's size cannot be");
    }
    return TSL_OK;
}

/* Where a member's data begin. */
static tsl_status find_data(int64_t *out, tsl_context *context, const tsl_source *source,
                            const member *m)
{
    char buffer[LOCAL_BYTES];
    const char *header = NULL;
    const tsl_status status = take(&header, context, source, m->local, LOCAL_BYTES, buffer);
    if (status != TSL_OK) {
        return status;
    }
    *out = m->local + LOCAL_BYTES + number(header + 26, 2) + number(header + 28, 2);
    return memcmp(header, local_mark, 4) == 0
               ? TSL_OK
               : damaged(context, source, "a member is not where the directory says");
}

tsl_status tsl_zip_read(tsl_text *out, tsl_context *context, const tsl_zip *zip, const char *name)
{
    const tsl_source *source = zip->source;
    member m;
    if (!find_member(&m, zip, name)) {
        return tsl_fail(context, TSL_E_FORMAT, "%s: the archive has no '%s'", source->name, name);
    }
    int64_t at = 0;
    tsl_status status = check_member(context, source, &m);
    if (status == TSL_OK) {
        status = find_data(&at, context, source, &m);
    }
    if (status != TSL_OK) {
        return status;
    }
    char *buffer = tsl_allocate(STEP);
    *out = (tsl_text){.data = tsl_allocate((size_t)m.size), .size = (size_t)m.size};
    if (buffer == NULL || out->data == NULL) {
        status = tsl_fail_memory(context, m.size, "an archive's member");
    } else {
        status = m.method == STORED ? copy_data(out, context, source, at)
                                    : inflate_data(out, context, source, &m, at, buffer);
    }
    if (status == TSL_OK && !check_sum(out, m.crc)) {
        status = damaged(context, source, "a member's checksum is wrong");
    }
    tsl_release(buffer);
    if (status != TSL_OK) {
        tsl_text_release(out);
    }
    return status;
}
