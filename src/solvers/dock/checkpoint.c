#include "solvers/dock/checkpoint.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

/* The file, all numbers little-endian:
 *
 *   head    magic, run [64], count (8 bytes), keep (4), check sum of these (8)
 *   record  first (8), count (8), poses [count][keep] (36 each), check sum of these (8) */
static const char magic[] = "tesela checkpoint 1\n"; /* the form's version before the end */

enum {
    MAGIC_BYTES = sizeof magic - 1,
    RUN_BYTES = 64,
    SUM_BYTES = 8,
    HEAD_BYTES = MAGIC_BYTES + RUN_BYTES + 8 + 4 + SUM_BYTES,
    RECORD_HEAD_BYTES = 16,
    POSE_BYTES = 36
};

struct tsl_checkpoint {
    tsl_context *context;
    char *path;
    int file;
    int64_t count;
    int keep;
    off_t end;             /* of the last whole record */
    unsigned char *record; /* one record, as in the file */
    size_t capacity;       /* bytes of it */
};

/* ---- encoding ----------------------------------------------------------------------------- */

static void put(unsigned char **to, uint64_t value, int bytes)
{
    for (int i = 0; i < bytes; i++) {
        *(*to)++ = (unsigned char)(value >> (8 * i));
    }
}

static uint64_t get(const unsigned char **from, int bytes)
{
    uint64_t value = 0;
    for (int i = 0; i < bytes; i++) {
        value |= (uint64_t) * (*from)++ << (8 * i);
    }
    return value;
}

static int32_t get_int32(const unsigned char **from)
{
    const uint32_t bits = (uint32_t)get(from, 4);
    int32_t value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

/* FNV-1a, 64 bits: finds every change of a single byte, and others but for 1 in 2^64. */
static uint64_t check_sum(const unsigned char *data, size_t bytes)
{
    uint64_t sum = 0xcbf29ce484222325U;
    for (size_t i = 0; i < bytes; i++) {
        sum = (sum ^ data[i]) * 0x100000001b3U;
    }
    return sum;
}

static void put_pose(unsigned char **to, const tsl_pose *pose)
{
    uint64_t energy;
    memcpy(&energy, &pose->energy, sizeof energy);
    put(to, (uint32_t)pose->score, 4);
    for (int i = 0; i < 3; i++) {
        put(to, (uint32_t)pose->shift[i], 4);
    }
    put(to, (uint32_t)pose->rotation.twist, 4);
    put(to, (uint32_t)pose->rotation.theta, 4);
    put(to, (uint32_t)pose->rotation.phi, 4);
    put(to, energy, 8);
}

static void get_pose(const unsigned char **from, tsl_pose *pose)
{
    memset(pose, 0, sizeof *pose);
    pose->score = get_int32(from);
    for (int i = 0; i < 3; i++) {
        pose->shift[i] = get_int32(from);
    }
    pose->rotation.twist = get_int32(from);
    pose->rotation.theta = get_int32(from);
    pose->rotation.phi = get_int32(from);
    const uint64_t energy = get(from, 8);
    memcpy(&pose->energy, &energy, sizeof energy);
}

static void make_head(unsigned char head[HEAD_BYTES], const char run[65], int64_t count, int keep)
{
    unsigned char *to = head + MAGIC_BYTES + RUN_BYTES;
    memcpy(head, magic, MAGIC_BYTES);
    memcpy(head + MAGIC_BYTES, run, RUN_BYTES);
    put(&to, (uint64_t)count, 8);
    put(&to, (uint32_t)keep, 4);
    put(&to, check_sum(head, HEAD_BYTES - SUM_BYTES), SUM_BYTES);
}

/* ---- reading and writing ------------------------------------------------------------------ */

/* Read `bytes` from where the file stands. False at the file's end, and with errno set on an error.
 */
static bool read_whole(int file, unsigned char *data, size_t bytes)
{
    errno = 0;
    while (bytes > 0) {
        const ssize_t got = read(file, data, bytes);
        if (got > 0) {
            data += got;
            bytes -= (size_t)got;
        } else if (got == 0 || errno != EINTR) {
            return false;
        }
    }
    return true;
}

/* Add to the end of the file: all of it, or nothing and TSL_E_IO. */
static tsl_status append(tsl_checkpoint *checkpoint, const unsigned char *data, size_t bytes)
{
    size_t written = 0;
    int error = 0;
    while (written < bytes && error == 0) {
        const ssize_t part = pwrite(checkpoint->file, data + written, bytes - written,
                                    checkpoint->end + (off_t)written);
        if (part > 0) {
            written += (size_t)part;
        } else {
            error = part == 0 ? ENOSPC : errno == EINTR ? 0 : errno;
        }
    }
    if (error == 0) {
        checkpoint->end += (off_t)bytes;
        return TSL_OK;
    }
    /* What cannot be cut off is told by its check sum when the file is read. */
    const bool cut = ftruncate(checkpoint->file, checkpoint->end) == 0;
    return tsl_fail(checkpoint->context, TSL_E_IO, "%s: cannot write the checkpoint: %s; %s",
                    checkpoint->path, strerror(error),
                    cut ? "what was finished before is kept: free some space and resume"
                        : "its last record is torn: free some space and resume");
}

static tsl_status reserve(tsl_checkpoint *checkpoint, size_t bytes)
{
    if (bytes <= checkpoint->capacity) {
        return TSL_OK;
    }
    unsigned char *record = tsl_reallocate(checkpoint->record, 0, bytes);
    if (record == NULL) {
        return tsl_fail_memory(checkpoint->context, (int64_t)bytes, "a record of the checkpoint");
    }
    checkpoint->record = record;
    checkpoint->capacity = bytes;
    return TSL_OK;
}

/* Bytes of a record's poses and check sum. */
static size_t body_bytes(const tsl_checkpoint *checkpoint, int64_t count)
{
    return (size_t)count * (size_t)checkpoint->keep * POSE_BYTES + SUM_BYTES;
}

static bool in_search(const tsl_checkpoint *checkpoint, int64_t first, int64_t count)
{
    return first >= 0 && count >= 1 && first <= checkpoint->count &&
           count <= checkpoint->count - first;
}

/* ---- opening ------------------------------------------------------------------------------ */

static tsl_status lock(tsl_checkpoint *checkpoint)
{
    struct stat status;
    if (fstat(checkpoint->file, &status) == 0 && !S_ISREG(status.st_mode)) {
        return tsl_fail(checkpoint->context, TSL_E_IO,
                        "%s: not a regular file; choose another path", checkpoint->path);
    }
    /* Some network file systems cannot lock; a checkpoint is of use there all the same. */
    if (flock(checkpoint->file, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK) {
        return tsl_fail(checkpoint->context, TSL_E_IO,
                        "%s: another run is writing this checkpoint; wait for it or choose another "
                        "folder",
                        checkpoint->path);
    }
    return TSL_OK;
}

/* Is the open file still the one of that name? */
static bool is_at_path(const tsl_checkpoint *checkpoint)
{
    struct stat opened, named;
    return fstat(checkpoint->file, &opened) == 0 && stat(checkpoint->path, &named) == 0 &&
           opened.st_dev == named.st_dev && opened.st_ino == named.st_ino;
}

/* A run that ends may remove its file after it was opened here and before it was locked: what is
 * locked then has no name any more, and would be lost. */
static tsl_status open_locked(tsl_checkpoint *checkpoint)
{
    enum { TRIES = 1000 };
    for (int i = 0; i < TRIES; i++) {
        checkpoint->file = open(checkpoint->path, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
        if (checkpoint->file < 0) {
            return tsl_fail(checkpoint->context, TSL_E_IO,
                            "%s: cannot open the checkpoint: %s; choose a folder you may write to",
                            checkpoint->path, strerror(errno));
        }
        const tsl_status status = lock(checkpoint);
        if (status != TSL_OK || is_at_path(checkpoint)) {
            return status;
        }
        close(checkpoint->file);
        checkpoint->file = -1;
    }
    return tsl_fail(checkpoint->context, TSL_E_IO,
                    "%s: other runs keep removing this checkpoint; choose another folder",
                    checkpoint->path);
}

static tsl_status open_file(tsl_checkpoint **out, tsl_context *context, const char *path,
                            int64_t count, int keep)
{
    if (count < 1 || keep < 1 || count > INT64_MAX / POSE_BYTES / keep - 1) {
        return tsl_fail(context, TSL_E_ARG,
                        "a checkpoint of %" PRId64 " rotations with %d poses each: both must be at "
                        "least 1",
                        count, keep);
    }
    tsl_checkpoint *checkpoint = tsl_allocate_zeroed(1, sizeof *checkpoint);
    if (checkpoint == NULL) {
        return tsl_fail_memory(context, (int64_t)sizeof *checkpoint, "a checkpoint");
    }
    checkpoint->context = context;
    checkpoint->count = count;
    checkpoint->keep = keep;
    checkpoint->file = -1;
    checkpoint->path = tsl_duplicate_string(path);
    tsl_status status = TSL_OK;
    if (checkpoint->path == NULL) {
        status = tsl_fail_memory(context, (int64_t)strlen(path) + 1, "the path of a checkpoint");
        goto fail;
    }
    status = open_locked(checkpoint);
    if (status == TSL_OK) {
        *out = checkpoint;
        return TSL_OK;
    }
fail:
    tsl_checkpoint_close(checkpoint, false);
    return status;
}

/* Leave nothing in the file but a head. */
static tsl_status start(tsl_checkpoint *checkpoint, const unsigned char head[HEAD_BYTES])
{
    if (ftruncate(checkpoint->file, 0) != 0) {
        return tsl_fail(checkpoint->context, TSL_E_IO,
                        "%s: cannot empty the old checkpoint: %s; "
                        "remove it",
                        checkpoint->path, strerror(errno));
    }
    checkpoint->end = 0;
    return append(checkpoint, head, HEAD_BYTES);
}

tsl_status tsl_checkpoint_create(tsl_checkpoint **out, tsl_context *context, const char *path,
                                 const char run[65], int64_t count, int keep)
{
    unsigned char head[HEAD_BYTES];
    tsl_checkpoint *checkpoint = NULL;
    tsl_status status = open_file(&checkpoint, context, path, count, keep);
    if (status != TSL_OK) {
        return status;
    }
    make_head(head, run, count, keep);
    status = start(checkpoint, head);
    if (status != TSL_OK) {
        tsl_checkpoint_close(checkpoint, true); /* nothing in it to go on from */
        return status;
    }
    *out = checkpoint;
    return TSL_OK;
}

/* ---- taking up ---------------------------------------------------------------------------- */

static tsl_status fail_read(tsl_checkpoint *checkpoint)
{
    return tsl_fail(checkpoint->context, TSL_E_IO,
                    "%s: cannot read the checkpoint: %s; remove the file or drop --resume",
                    checkpoint->path, strerror(errno));
}

/* Compare the file's head with the one it should have; `*whole` is false if it was cut short. */
static tsl_status check_head(tsl_checkpoint *checkpoint, const unsigned char expected[HEAD_BYTES],
                             off_t size, bool *whole)
{
    unsigned char head[HEAD_BYTES];
    const size_t bytes = size < HEAD_BYTES ? (size_t)size : HEAD_BYTES;
    if (!read_whole(checkpoint->file, head, bytes)) {
        errno = errno != 0 ? errno : EIO;
        return fail_read(checkpoint);
    }
    if (bytes >= MAGIC_BYTES && memcmp(head, magic, MAGIC_BYTES - 2) == 0 &&
        head[MAGIC_BYTES - 2] >= '0' && head[MAGIC_BYTES - 2] <= '9' &&
        memcmp(head, magic, MAGIC_BYTES) != 0 && head[MAGIC_BYTES - 1] == '\n') {
        return tsl_fail(checkpoint->context, TSL_E_FORMAT,
                        "%s: a checkpoint in the form of another version of tesela; remove the "
                        "file or drop --resume",
                        checkpoint->path);
    }
    if (memcmp(head, magic, bytes < MAGIC_BYTES ? bytes : MAGIC_BYTES) != 0) {
        return tsl_fail(checkpoint->context, TSL_E_FORMAT,
                        "%s: not a checkpoint; remove the file or drop --resume", checkpoint->path);
    }
    *whole = bytes == HEAD_BYTES;
    if (!*whole || memcmp(head, expected, HEAD_BYTES) == 0) {
        return TSL_OK;
    }
    const unsigned char *sum = head + HEAD_BYTES - SUM_BYTES;
    if (get(&sum, SUM_BYTES) != check_sum(head, HEAD_BYTES - SUM_BYTES)) {
        return tsl_fail(checkpoint->context, TSL_E_FORMAT,
                        "%s: the checkpoint's head is damaged; remove the file or drop --resume",
                        checkpoint->path);
    }
    return tsl_fail(
        checkpoint->context, TSL_E_ARG,
        "%s: the checkpoint of a run with other inputs, options or version; remove the file or "
        "drop --resume",
        checkpoint->path);
}

/* Take up the record the file stands at. `*torn` if there is no whole one. */
static tsl_status read_record(tsl_checkpoint *checkpoint, off_t size, tsl_pose *poses,
                              unsigned char *done, bool *torn)
{
    *torn = true;
    const off_t left = size - checkpoint->end;
    if (left < RECORD_HEAD_BYTES + SUM_BYTES) {
        return TSL_OK;
    }
    unsigned char numbers[RECORD_HEAD_BYTES];
    if (!read_whole(checkpoint->file, numbers, sizeof numbers)) {
        return errno != 0 ? fail_read(checkpoint) : TSL_OK;
    }
    const unsigned char *from = numbers;
    const int64_t first = (int64_t)get(&from, 8);
    const int64_t count = (int64_t)get(&from, 8);
    if (!in_search(checkpoint, first, count) ||
        body_bytes(checkpoint, count) > (size_t)left - RECORD_HEAD_BYTES) {
        return TSL_OK;
    }
    const size_t body = body_bytes(checkpoint, count);
    const tsl_status status = reserve(checkpoint, RECORD_HEAD_BYTES + body);
    if (status != TSL_OK) {
        return status;
    }
    unsigned char *record = checkpoint->record;
    memcpy(record, numbers, sizeof numbers);
    if (!read_whole(checkpoint->file, record + RECORD_HEAD_BYTES, body)) {
        return errno != 0 ? fail_read(checkpoint) : TSL_OK;
    }
    const size_t summed = RECORD_HEAD_BYTES + body - SUM_BYTES;
    from = record + summed;
    if (get(&from, SUM_BYTES) != check_sum(record, summed)) {
        return TSL_OK;
    }
    from = record + RECORD_HEAD_BYTES;
    for (int64_t i = 0; i < count * checkpoint->keep; i++) {
        get_pose(&from, &poses[first * checkpoint->keep + i]);
    }
    memset(done + first, 1, (size_t)count);
    checkpoint->end += (off_t)(RECORD_HEAD_BYTES + body);
    *torn = false;
    return TSL_OK;
}

/* Read all records; `into`, if there is one, gets a copy of each. */
static tsl_status take_up(tsl_checkpoint *from, const unsigned char head[HEAD_BYTES],
                          tsl_pose *poses, unsigned char *done, tsl_checkpoint *into)
{
    struct stat file;
    if (fstat(from->file, &file) != 0) {
        return fail_read(from);
    }
    bool whole = false;
    tsl_status status = check_head(from, head, file.st_size, &whole);
    if (status != TSL_OK) {
        return status;
    }
    if (!whole) {
        return start(from, head);
    }
    from->end = HEAD_BYTES;
    bool torn = false;
    while (status == TSL_OK && !torn) {
        const off_t begin = from->end;
        status = read_record(from, file.st_size, poses, done, &torn);
        if (status == TSL_OK && !torn && into != NULL) {
            status = append(into, from->record, (size_t)(from->end - begin));
        }
    }
    if (status == TSL_OK && from->end < file.st_size) {
        tsl_message(from->context, TSL_MESSAGE_WARNING,
                    "%s: the record at byte %lld is torn or damaged: it and what follows, %lld "
                    "bytes, are dropped, and their rotations are done again",
                    from->path, (long long)from->end, (long long)(file.st_size - from->end));
    }
    if (status == TSL_OK && ftruncate(from->file, from->end) != 0) {
        status = tsl_fail(from->context, TSL_E_IO,
                          "%s: cannot cut off the checkpoint's torn end: %s; drop --resume",
                          from->path, strerror(errno));
    }
    return status;
}

tsl_status tsl_checkpoint_resume(tsl_checkpoint **out, tsl_context *context, const char *path,
                                 const char run[65], int64_t count, int keep, tsl_pose *poses,
                                 unsigned char *done)
{
    unsigned char head[HEAD_BYTES];
    tsl_checkpoint *checkpoint = NULL;
    tsl_status status = open_file(&checkpoint, context, path, count, keep);
    if (status != TSL_OK) {
        return status;
    }
    memset(done, 0, (size_t)count);
    make_head(head, run, count, keep);
    status = take_up(checkpoint, head, poses, done, NULL);
    if (status != TSL_OK) {
        tsl_checkpoint_close(checkpoint, false);
        return status;
    }
    *out = checkpoint;
    return TSL_OK;
}

tsl_status tsl_checkpoint_absorb(tsl_checkpoint *checkpoint, const char *path, const char run[65],
                                 tsl_pose *poses, unsigned char *done)
{
    unsigned char head[HEAD_BYTES];
    tsl_checkpoint *other = NULL;
    tsl_status status =
        open_file(&other, checkpoint->context, path, checkpoint->count, checkpoint->keep);
    if (status == TSL_OK) {
        make_head(head, run, checkpoint->count, checkpoint->keep);
        status = take_up(other, head, poses, done, checkpoint);
    }
    tsl_checkpoint_close(other, status == TSL_OK);
    return status;
}

/* ---- adding ------------------------------------------------------------------------------- */

tsl_status tsl_checkpoint_add(tsl_checkpoint *checkpoint, int64_t first, int64_t count,
                              const tsl_pose *poses)
{
    if (!in_search(checkpoint, first, count)) {
        return tsl_fail(checkpoint->context, TSL_E_ARG,
                        "%s: %" PRId64 " rotations from %" PRId64
                        " on are not in a search of %" PRId64,
                        checkpoint->path, count, first, checkpoint->count);
    }
    const size_t bytes = RECORD_HEAD_BYTES + body_bytes(checkpoint, count);
    const tsl_status status = reserve(checkpoint, bytes);
    if (status != TSL_OK) {
        return status;
    }
    unsigned char *to = checkpoint->record;
    put(&to, (uint64_t)first, 8);
    put(&to, (uint64_t)count, 8);
    for (int64_t i = 0; i < count * checkpoint->keep; i++) {
        put_pose(&to, &poses[i]);
    }
    put(&to, check_sum(checkpoint->record, bytes - SUM_BYTES), SUM_BYTES);
    return append(checkpoint, checkpoint->record, bytes);
}

void tsl_checkpoint_close(tsl_checkpoint *checkpoint, bool remove)
{
    if (checkpoint == NULL) {
        return;
    }
    if (remove) {
        unlink(checkpoint->path); /* while the lock is held: nobody else has begun to use it */
    }
    if (checkpoint->file >= 0) {
        close(checkpoint->file);
    }
    tsl_release(checkpoint->path);
    tsl_release(checkpoint->record);
    tsl_release(checkpoint);
}
