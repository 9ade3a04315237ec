#include "io/file/source.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "device/device.h"

/* Bytes that are read in any case. */
static const int64_t least_room = 64 << 20;

static void stamp_of(int64_t stamp[2], const struct stat *about)
{
    stamp[0] = about->st_mtim.tv_sec;
    stamp[1] = about->st_mtim.tv_nsec;
}

/* Read the whole file, inflated if it is gzipped. At most half of the free memory is taken, since
 * the size of a stream or a gzipped file is known only at its end. */
static tsl_status read_whole(tsl_source *out, tsl_context *context, const char *path,
                             tsl_source_look begins_well)
{
    const int64_t most = tsl_host_memory_free() / 2;
    const tsl_status status = tsl_text_read_if(
        &out->text, context, path, (size_t)(most > least_room ? most : least_room), begins_well);
    out->data = out->text.data;
    out->size = (int64_t)out->text.size;
    return status;
}

tsl_status tsl_source_open(tsl_source *out, tsl_context *context, const char *path,
                           tsl_source_look begins_well)
{
    struct stat about;
    unsigned char magic[2];
    const bool standard = strcmp(path, "-") == 0;
    *out = (tsl_source){.name = standard ? "standard input" : path, .file = -1};
    path = standard ? "/dev/stdin" : path;
    const bool there = stat(path, &about) == 0;
    if (there && S_ISDIR(about.st_mode)) {
        return tsl_fail(context, TSL_E_IO, "%s: is a folder: give a file", path);
    }
    if (there && !S_ISREG(about.st_mode)) { /* a pipe is opened only once */
        return read_whole(out, context, path, begins_well);
    }
    out->file = open(path, O_RDONLY | O_CLOEXEC);
    if (out->file < 0 || fstat(out->file, &about) != 0) {
        const int reason = errno;
        tsl_source_close(out);
        return tsl_fail_to_open(context, path, reason);
    }
    if (pread(out->file, magic, 2, 0) == 2 && magic[0] == 0x1f && magic[1] == 0x8b) {
        const char *name = out->name;
        tsl_source_close(out);
        out->name = name;
        return read_whole(out, context, path, begins_well);
    }
    out->size = about.st_size;
    stamp_of(out->stamp, &about);
    return TSL_OK;
}

tsl_source tsl_source_of(const char *name, const char *data, size_t size)
{
    return (tsl_source){
        .name = name, .data = data != NULL ? data : "", .size = (int64_t)size, .file = -1};
}

void tsl_source_close(tsl_source *source)
{
    if (source->file >= 0) {
        close(source->file);
    }
    tsl_text_release(&source->text);
    *source = (tsl_source){.file = -1};
}

const char *tsl_source_bytes(const tsl_source *source, int64_t at, int64_t *bytes, char *buffer)
{
    if (*bytes > source->size - at) {
        *bytes = source->size - at;
    }
    if (source->data != NULL) {
        return source->data + at;
    }
    int64_t got = 0;
    while (got < *bytes) {
        const ssize_t part = pread(source->file, buffer + got, (size_t)(*bytes - got), at + got);
        if (part == 0 || (part < 0 && errno != EINTR)) {
            errno = part == 0 ? EIO : errno; /* part 0: the file was cut while it was read */
            return NULL;
        }
        got += part > 0 ? part : 0;
    }
    return buffer;
}

tsl_status tsl_source_check(const tsl_source *source, tsl_context *context)
{
    struct stat about;
    int64_t stamp[2];
    if (source->file < 0) {
        return TSL_OK;
    }
    if (fstat(source->file, &about) == 0) {
        stamp_of(stamp, &about);
        if (about.st_size == source->size && memcmp(stamp, source->stamp, sizeof stamp) == 0) {
            return TSL_OK;
        }
    }
    return tsl_fail(context, TSL_E_IO, "%s: was written to while it was read: read it again",
                    source->name);
}

int64_t tsl_source_line(const tsl_source *source, int64_t at)
{
    char buffer[1 << 14];
    int64_t line = 1;
    for (int64_t from = 0; from < at;) {
        int64_t bytes = at - from < (int64_t)sizeof buffer ? at - from : (int64_t)sizeof buffer;
        const char *data = tsl_source_bytes(source, from, &bytes, buffer);
        if (data == NULL || bytes == 0) {
            return 0;
        }
        for (const char *end = data + bytes; (data = memchr(data, '\n', (size_t)(end - data)));) {
            line++;
            data++;
        }
        from += bytes;
    }
    return line;
}
