/* Archives of arrays: PKWARE's APPNOTE 6.3, members stored, sizes in ZIP64's extra fields. */
#include "io/grid/npz.h"

#include <string.h>

#include "io/file/output.h"
#include "io/grid/npy.h"

enum {
    MOST_MEMBERS = 16,
    HEADER = 512, /* bytes of a member's header at most */
    NAME = 64,
    VERSION = 45, /* of the format, the first that knows ZIP64 */
    DATE = 33     /* 1 January 1980, so that the same arrays make the same file */
};

/* A member, as the directory describes it. */
typedef struct entry {
    char name[NAME];
    char header[HEADER];
    int64_t header_bytes, bytes, at;
    uint32_t crc;
} entry;

/* ---- CRC-32 --------------------------------------------------------------------------------- */

static void make_table(uint32_t table[256])
{
    for (uint32_t i = 0; i < 256; i++) {
        uint32_t value = i;
        for (int bit = 0; bit < 8; bit++) {
            value = value & 1 ? value >> 1 ^ 0xEDB88320U : value >> 1;
        }
        table[i] = value;
    }
}

static uint32_t add_to_crc(uint32_t crc, const uint32_t table[256], const void *data, int64_t bytes)
{
    const unsigned char *at = data;
    crc = ~crc;
    for (int64_t k = 0; k < bytes; k++) {
        crc = crc >> 8 ^ table[(crc ^ at[k]) & 255];
    }
    return ~crc;
}

/* ---- records -------------------------------------------------------------------------------- */

static void put(FILE *stream, uint64_t value, int bytes)
{
    for (int k = 0; k < bytes; k++) {
        fputc((int)(value >> (8 * k) & 255), stream);
    }
}

/* Write what a member's header and its entry in the directory share, from the flags on. */
static void put_common(FILE *stream, const entry *e, int extra)
{
    put(stream, 0, 2); /* no flags */
    put(stream, 0, 2); /* no compression */
    put(stream, 0, 2);
    put(stream, DATE, 2);
    put(stream, e->crc, 4);
    put(stream, 0xFFFFFFFF, 4); /* both sizes stand in the extra field */
    put(stream, 0xFFFFFFFF, 4);
    put(stream, strlen(e->name), 2);
    put(stream, (uint64_t)extra, 2);
}

static void put_sizes(FILE *stream, const entry *e, int bytes)
{
    put(stream, 1, 2);
    put(stream, (uint64_t)bytes, 2);
    put(stream, (uint64_t)e->bytes, 8);
    put(stream, (uint64_t)e->bytes, 8);
}

enum { LOCAL_BYTES = 30, LOCAL_EXTRA = 20, ENTRY_BYTES = 46, ENTRY_EXTRA = 28, END64_BYTES = 56 };

static void put_member(FILE *stream, const entry *e, const tsl_npz_member *member)
{
    fwrite("PK\3\4", 1, 4, stream);
    put(stream, VERSION, 2);
    put_common(stream, e, LOCAL_EXTRA);
    fputs(e->name, stream);
    put_sizes(stream, e, LOCAL_EXTRA - 4);
    fwrite(e->header, 1, (size_t)e->header_bytes, stream);
    if (member->count > 0) { /* else there may be no data at all */
        fwrite(member->data, (size_t)member->item, (size_t)member->count, stream);
    }
}

static void put_entry(FILE *stream, const entry *e)
{
    fwrite("PK\1\2", 1, 4, stream);
    put(stream, VERSION, 2);
    put(stream, VERSION, 2);
    put_common(stream, e, ENTRY_EXTRA);
    put(stream, 0, 2); /* no comment */
    put(stream, 0, 2); /* first disk */
    put(stream, 0, 2);
    put(stream, 0, 4);
    put(stream, 0xFFFFFFFF, 4);
    fputs(e->name, stream);
    put_sizes(stream, e, ENTRY_EXTRA - 4);
    put(stream, (uint64_t)e->at, 8);
}

static void put_end(FILE *stream, int count, int64_t directory, int64_t bytes)
{
    fwrite("PK\6\6", 1, 4, stream);
    put(stream, END64_BYTES - 12, 8);
    put(stream, VERSION, 2);
    put(stream, VERSION, 2);
    put(stream, 0, 4);
    put(stream, 0, 4);
    put(stream, (uint64_t)count, 8);
    put(stream, (uint64_t)count, 8);
    put(stream, (uint64_t)bytes, 8);
    put(stream, (uint64_t)directory, 8);
    fwrite("PK\6\7", 1, 4, stream);
    put(stream, 0, 4);
    put(stream, (uint64_t)(directory + bytes), 8);
    put(stream, 1, 4);
    fwrite("PK\5\6", 1, 4, stream);
    put(stream, 0, 4);
    put(stream, (uint64_t)count, 2);
    put(stream, (uint64_t)count, 2);
    put(stream, 0xFFFFFFFF, 4);
    put(stream, 0xFFFFFFFF, 4);
    put(stream, 0, 2);
}

/* --------------------------------------------------------------------------------------------- */

static tsl_status prepare(entry *e, tsl_context *context, const tsl_npz_member *member,
                          const uint32_t table[256])
{
    tsl_npy header = {.item = member->item, .axes = 1, .shape = {member->count}};
    snprintf(header.type, sizeof header.type, "%s", member->type);
    snprintf(e->name, sizeof e->name, "%s.npy", member->name);
    FILE *text = fmemopen(e->header, sizeof e->header, "wb");
    if (text == NULL) {
        return tsl_fail_memory(context, HEADER, "a header");
    }
    tsl_npy_write_header(text, &header);
    e->header_bytes = ftell(text);
    fclose(text);
    e->bytes = e->header_bytes + member->count * member->item;
    e->crc = add_to_crc(0, table, e->header, e->header_bytes);
    e->crc = add_to_crc(e->crc, table, member->data, member->count * member->item);
    return TSL_OK;
}

tsl_status tsl_npz_write(tsl_context *context, const char *path, const tsl_npz_member *members,
                         int count)
{
    uint32_t table[256];
    tsl_output *output = NULL;
    int64_t at = 0, bytes = 0;
    entry *entries = tsl_allocate_zeroed(MOST_MEMBERS, sizeof *entries);
    tsl_status status = entries != NULL ? TSL_OK : tsl_fail_memory(context, HEADER, "a directory");
    if (count > MOST_MEMBERS) {
        status = tsl_fail(context, TSL_E_ARG, "%s: more than %d arrays", path, MOST_MEMBERS);
    }
    make_table(table);
    for (int i = 0; i < count && status == TSL_OK; i++) {
        status = prepare(&entries[i], context, &members[i], table);
    }
    if (status == TSL_OK) {
        status = tsl_output_open(&output, context, path);
    }
    if (status == TSL_OK) {
        FILE *stream = tsl_output_stream(output);
        for (int i = 0; i < count; i++) {
            entry *e = &entries[i];
            e->at = at;
            put_member(stream, e, &members[i]);
            at += LOCAL_BYTES + (int64_t)strlen(e->name) + LOCAL_EXTRA + e->bytes;
            bytes += ENTRY_BYTES + (int64_t)strlen(e->name) + ENTRY_EXTRA;
        }
        for (int i = 0; i < count; i++) {
            put_entry(stream, &entries[i]);
        }
        put_end(stream, count, at, bytes);
        status = tsl_output_commit(output);
    }
    tsl_release(entries);
    return status;
}
