#include "io/file/input.h"

#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "comm/comm.h"
#include "io/file/inflating.h"

enum { RAW_BYTES = 1 << 14, PIECE = 1 << 20, LEAST_KEPT = 1 << 12 };

struct tsl_input {
    tsl_context *context;
    const char *path, *name; /* path NULL: the input is in memory */
    int file;
    const char *memory;
    size_t memory_at, memory_end;
    char *unpacked;   /* memory that the input owns */
    int64_t size;     /* of a regular file; -1: the input is no regular file */
    int64_t expected; /* bytes of its text; 0: not known */
    int64_t taken;    /* bytes of the text that left the file, peeked ones included */
    char *kept;       /* peeked bytes that are still to be read */
    size_t kept_at, kept_end, kept_capacity;
    size_t raw_at, raw_end; /* where bytes as the file has them begin and end in the buffer */
    bool gzipped;
    bool between; /* between members of a gzip file: none has begun, or the last has ended */
#ifdef TSL_HAVE_ZLIB
    z_stream stream;
    bool inflating; /* the stream was set up */
#endif
    char raw[RAW_BYTES];
};

/* ---- bytes as the file has them ------------------------------------------------------------ */

static tsl_status fail_reading(const tsl_input *input)
{
    return tsl_fail(input->context, TSL_E_IO, "%s: cannot read: %s", input->name, strerror(errno));
}

/* Read some bytes, at least one unless the file is at its end. */
static tsl_status read_some(tsl_input *input, char *data, size_t bytes, size_t *got)
{
    ssize_t part;
    if (input->memory != NULL) {
        const size_t left = input->memory_end - input->memory_at;
        *got = left < bytes ? left : bytes;
        memcpy(data, input->memory + input->memory_at, *got);
        input->memory_at += *got;
        return TSL_OK;
    }
    do {
        part = read(input->file, data, bytes < PIECE ? bytes : PIECE);
    } while (part < 0 && errno == EINTR);
    *got = part > 0 ? (size_t)part : 0;
    return part < 0 ? fail_reading(input) : TSL_OK;
}

/* Have at least `wanted` raw bytes in the buffer, fewer only at the file's end. */
static tsl_status fill_raw(tsl_input *input, size_t wanted)
{
    memmove(input->raw, input->raw + input->raw_at, input->raw_end - input->raw_at);
    input->raw_end -= input->raw_at;
    input->raw_at = 0;
    while (input->raw_end < wanted) {
        size_t got;
        const tsl_status status =
            read_some(input, input->raw + input->raw_end, sizeof input->raw - input->raw_end, &got);
        if (status != TSL_OK || got == 0) {
            return status;
        }
        input->raw_end += got;
    }
    return TSL_OK;
}

/* Take a piece of a file that is not gzipped; *got is 0 at the file's end. */
static tsl_status take_plain(tsl_input *input, char *data, size_t bytes, size_t *got)
{
    const size_t buffered = input->raw_end - input->raw_at;
    if (buffered == 0) {
        return read_some(input, data, bytes, got);
    }
    *got = bytes < buffered ? bytes : buffered;
    memcpy(data, input->raw + input->raw_at, *got);
    input->raw_at += *got;
    return TSL_OK;
}

/* ---- gzipped ones -------------------------------------------------------------------------- */

static bool is_gzipped(const char *data, size_t bytes)
{
    return bytes >= 2 && (unsigned char)data[0] == 0x1f && (unsigned char)data[1] == 0x8b;
}

#ifdef TSL_HAVE_ZLIB

static tsl_status damaged(const tsl_input *input, const char *reason)
{
    return tsl_fail(input->context, TSL_E_FORMAT, "%s: damaged gzip data: %s", input->name, reason);
}

static tsl_status begin_inflating(tsl_input *input)
{
    input->stream = tsl_inflating();
    if (inflateInit2(&input->stream, 16 + MAX_WBITS) != Z_OK) {
        return tsl_fail_memory(input->context, 1 << 16, "inflating a gzip file");
    }
    input->inflating = true;
    return TSL_OK;
}

static void end_inflating(tsl_input *input)
{
    if (input->inflating) {
        inflateEnd(&input->stream);
    }
}

/* Begin the next member of a gzip file. Members that follow one another are one text; anything else
 * after the last member is ignored, as gzip does. */
static tsl_status begin_member(tsl_input *input, bool *there)
{
    const tsl_status status = fill_raw(input, 2);
    *there = is_gzipped(input->raw + input->raw_at, input->raw_end - input->raw_at);
    if (status == TSL_OK && *there) {
        inflateReset(&input->stream);
        input->between = false;
    }
    return status;
}

/* One step of inflating. */
static tsl_status step(tsl_input *input)
{
    z_stream *stream = &input->stream;
    tsl_status status = TSL_OK;
    if (input->raw_at == input->raw_end && (status = fill_raw(input, 1)) != TSL_OK) {
        return status;
    }
    stream->next_in = (const Bytef *)input->raw + input->raw_at;
    stream->avail_in = (uInt)(input->raw_end - input->raw_at);
    const bool ended = stream->avail_in == 0;
    const int result = inflate(stream, Z_NO_FLUSH);
    input->raw_at = input->raw_end - stream->avail_in;
    if (result == Z_STREAM_END) {
        input->between = true;
        return TSL_OK;
    }
    if (result == Z_MEM_ERROR) {
        return tsl_fail_memory(input->context, 1 << 16, "inflating a gzip file");
    }
    if (ended && result == Z_BUF_ERROR) {
        return damaged(input, "it ends too early");
    }
    if (result != Z_OK && result != Z_BUF_ERROR) {
        return damaged(input, stream->msg != NULL ? stream->msg : "not a deflate stream");
    }
    return TSL_OK;
}

static tsl_status take_inflated(tsl_input *input, char *data, size_t bytes, size_t *got)
{
    z_stream *stream = &input->stream;
    const uInt room = (uInt)(bytes < PIECE ? bytes : PIECE);
    tsl_status status = TSL_OK;
    bool there = true;
    stream->next_out = (Bytef *)data;
    stream->avail_out = room;
    while (status == TSL_OK && there && stream->avail_out == room) {
        status = input->between ? begin_member(input, &there) : step(input);
    }
    *got = room - stream->avail_out;
    return status;
}

#else

static tsl_status begin_inflating(tsl_input *input)
{
    return tsl_fail(input->context, TSL_E_UNSUPPORTED,
                    "%s: gzipped, and this build has no zlib: gunzip it first", input->name);
}

static void end_inflating(tsl_input *input)
{
    (void)input;
}

static tsl_status take_inflated(tsl_input *input, char *data, size_t bytes, size_t *got)
{
    (void)data;
    (void)bytes;
    *got = 0;
    return begin_inflating(input);
}

#endif

/* ---- opening ------------------------------------------------------------------------------- */

/* The bytes that the last member inflates to, as its last four bytes say; deflate makes at most
 * 1032 bytes of one. */
static int64_t inflated_bytes(const tsl_input *input)
{
    const int64_t most = 1032;
    unsigned char end[4];
    if (input->size < 18) {
        return 0;
    }
    if (input->memory != NULL) {
        memcpy(end, input->memory + input->size - 4, 4);
    } else if (pread(input->file, end, 4, input->size - 4) != 4) {
        return 0;
    }
    const int64_t told = end[0] | end[1] << 8 | end[2] << 16 | (int64_t)end[3] << 24;
    return told / most < input->size ? told : 0;
}

tsl_status tsl_fail_to_open(tsl_context *context, const char *path, int reason)
{
    struct stat about;
    char target[256];
    if (reason == ENOENT && lstat(path, &about) == 0 && S_ISLNK(about.st_mode)) {
        const ssize_t length = readlink(path, target, sizeof target - 1);
        target[length > 0 ? length : 0] = '\0';
        return tsl_fail(context, TSL_E_IO, "%s: is a link to '%s', which is not there", path,
                        target);
    }
    return tsl_fail(context, TSL_E_IO, "%s: cannot open: %s", path, strerror(reason));
}

static tsl_status open_file(tsl_input *input)
{
    struct stat about;
    if (input->memory != NULL) {
        return TSL_OK;
    }
    const bool standard = strcmp(input->path, "-") == 0;
    input->name = standard ? "standard input" : input->path;
    input->file = standard ? STDIN_FILENO : open(input->path, O_RDONLY | O_CLOEXEC);
    if (input->file < 0 || fstat(input->file, &about) != 0) {
        return tsl_fail_to_open(input->context, input->name, errno);
    }
    /* standard input may have been read from */
    const off_t at = lseek(input->file, 0, SEEK_CUR);
    input->size = S_ISREG(about.st_mode) && at == 0 ? about.st_size : -1;
    return TSL_OK;
}

/* Open what `begun` names. `inflate`: inflate it if it is gzipped. */
static tsl_status open_input(tsl_input **out, const tsl_input *begun, bool inflate)
{
    tsl_input *input = tsl_allocate(sizeof *input);
    if (input == NULL) {
        return tsl_fail_memory(begun->context, sizeof *input, "reading a file");
    }
    memcpy(input, begun, offsetof(tsl_input, raw));
    input->file = -1;
    input->between = true;
    tsl_status status = open_file(input);
    if (status == TSL_OK) {
        status = fill_raw(input, 2);
    }
    if (status == TSL_OK) {
        input->gzipped = inflate && is_gzipped(input->raw, input->raw_end);
        input->expected = input->gzipped    ? inflated_bytes(input)
                          : input->size > 0 ? input->size
                                            : 0;
        status = input->gzipped ? begin_inflating(input) : TSL_OK;
    }
    if (status != TSL_OK) {
        tsl_input_close(input);
        return status;
    }
    *out = input;
    return TSL_OK;
}

tsl_status tsl_input_open(tsl_input **out, tsl_context *context, const char *path)
{
    const tsl_input begun = {.context = context, .path = path};
    return open_input(out, &begun, true);
}

tsl_status tsl_input_open_as_is(tsl_input **out, tsl_context *context, const char *path)
{
    const tsl_input begun = {.context = context, .path = path};
    return open_input(out, &begun, false);
}

tsl_status tsl_input_open_bytes(tsl_input **out, tsl_context *context, const char *name,
                                const char *data, size_t bytes)
{
    const tsl_input begun = {.context = context,
                             .name = name,
                             .memory = data != NULL ? data : "",
                             .memory_end = bytes,
                             .size = (int64_t)bytes};
    return open_input(out, &begun, true);
}

void tsl_input_close(tsl_input *input)
{
    if (input == NULL) {
        return;
    }
    end_inflating(input);
    if (input->file >= 0 && input->file != STDIN_FILENO) {
        close(input->file);
    }
    tsl_release(input->kept);
    tsl_release(input->unpacked);
    tsl_release(input);
}

void tsl_input_replace(tsl_input *input, char *data, size_t bytes)
{
    tsl_release(input->kept);
    tsl_release(input->unpacked);
    input->kept = NULL;
    input->kept_at = input->kept_end = input->kept_capacity = 0;
    input->raw_at = input->raw_end = 0;
    input->gzipped = false;
    input->taken = 0;
    input->size = input->expected = (int64_t)bytes;
    input->unpacked = data;
    input->memory = data;
    input->memory_at = 0;
    input->memory_end = bytes;
}

const char *tsl_input_name(const tsl_input *input)
{
    return input->name;
}

tsl_context *tsl_input_context(const tsl_input *input)
{
    return input->context;
}

/* ---- reading ------------------------------------------------------------------------------- */

/* Take bytes from the file, behind those that were kept. */
static tsl_status take(tsl_input *input, char *data, size_t bytes, size_t *got)
{
    tsl_status status = TSL_OK;
    size_t part = 1;
    for (*got = 0; *got < bytes && part > 0 && status == TSL_OK; *got += part) {
        status = tsl_comm_check(input->context->comm);
        part = 0;
        if (status == TSL_OK) {
            status = input->gzipped ? take_inflated(input, data + *got, bytes - *got, &part)
                                    : take_plain(input, data + *got, bytes - *got, &part);
        }
    }
    input->taken += (int64_t)*got;
    return status;
}

/* Make room for `wanted` kept bytes, and move those that are there to its beginning. */
static tsl_status keep_room(tsl_input *input, size_t wanted)
{
    const size_t held = input->kept_end - input->kept_at;
    if (input->kept_capacity < wanted) {
        const size_t capacity = wanted > LEAST_KEPT ? wanted : LEAST_KEPT;
        char *kept = tsl_allocate(capacity);
        if (kept == NULL) {
            return tsl_fail_memory(input->context, (int64_t)capacity, "a file's beginning");
        }
        if (held > 0) {
            memcpy(kept, input->kept + input->kept_at, held);
        }
        tsl_release(input->kept);
        input->kept = kept;
        input->kept_capacity = capacity;
    } else if (held > 0) {
        memmove(input->kept, input->kept + input->kept_at, held);
    }
    input->kept_at = 0;
    input->kept_end = held;
    return TSL_OK;
}

tsl_status tsl_input_peek(tsl_input *input, size_t wanted, const char **data, size_t *bytes)
{
    tsl_status status = TSL_OK;
    if (input->kept_end - input->kept_at < wanted) {
        size_t got = 0;
        status = keep_room(input, wanted);
        if (status == TSL_OK) {
            status = take(input, input->kept + input->kept_end, wanted - input->kept_end, &got);
            input->kept_end += got;
        }
    }
    const size_t held = input->kept_end - input->kept_at;
    *data = held > 0 ? input->kept + input->kept_at : "";
    *bytes = held < wanted ? held : wanted;
    return status;
}

tsl_status tsl_input_read(tsl_input *input, void *data, size_t bytes, size_t *got)
{
    const size_t held = input->kept_end - input->kept_at;
    const size_t kept = held < bytes ? held : bytes;
    if (kept > 0) {
        memcpy(data, input->kept + input->kept_at, kept);
        input->kept_at += kept;
    }
    if (kept == held && input->kept != NULL) { /* all that was kept has been read */
        tsl_release(input->kept);
        input->kept = NULL;
        input->kept_at = input->kept_end = input->kept_capacity = 0;
    }
    size_t more = 0;
    const tsl_status status = take(input, (char *)data + kept, bytes - kept, &more);
    *got = kept + more;
    return status;
}

int64_t tsl_input_left(const tsl_input *input)
{
    const int64_t held = (int64_t)(input->kept_end - input->kept_at);
    return input->gzipped || input->size < 0 ? -1 : input->size - input->taken + held;
}

int64_t tsl_input_expected(const tsl_input *input)
{
    const int64_t read = input->taken - (int64_t)(input->kept_end - input->kept_at);
    return input->expected > read ? input->expected - read : 0;
}

bool tsl_input_is_plain_file(const tsl_input *input)
{
    return input->memory == NULL && input->size >= 0 && !input->gzipped &&
           strcmp(input->path, "-") != 0;
}
