#include "solvers/dock/checkpoint.h"

#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include <cmocka.h>

#include "scratch.h"

enum { COUNT = 10, KEEP = 2, POSES = COUNT * KEEP, BATCHES = 4 };

static const char run[65] = "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef";
static const char other_run[65] =
    "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdee";

/* Batches as a search makes them, the last one short, not in order. */
static const struct {
    int64_t first, count;
} batches[BATCHES] = {{0, 3}, {6, 3}, {3, 3}, {9, 1}};

static tsl_context context;
static tsl_pose truth[POSES];

/* The last line that the library said; "": none. */
static char said[512];

static void on_message(void *user, tsl_message_kind kind, const char *line)
{
    (void)user;
    assert_int_equal(kind, TSL_MESSAGE_WARNING);
    assert_string_equal(said, ""); /* one line at most */
    snprintf(said, sizeof said, "%s", line);
}

/* Bytes are dropped with a line that says how many, and none without. */
static void assert_told(size_t kept, size_t bytes)
{
    char wanted[64];
    snprintf(wanted, sizeof wanted, "byte %zu is torn or damaged", kept);
    if (kept == bytes) {
        assert_string_equal(said, "");
    } else {
        assert_non_null(strstr(said, wanted));
        snprintf(wanted, sizeof wanted, ", %zu bytes, are dropped", bytes - kept);
        assert_non_null(strstr(said, wanted));
    }
    said[0] = '\0';
}

static void make_truth(void)
{
    for (int i = 0; i < POSES; i++) {
        truth[i] = (tsl_pose){.score = 1000 - i,
                              .shift = {i, -i, 40 - i},
                              .rotation = {i * 17000001, i * 9000000, 359999999 - i},
                              .energy = -0.1 * i};
    }
}

static tsl_checkpoint *create(void)
{
    tsl_checkpoint *checkpoint = NULL;
    if (tsl_checkpoint_create(&checkpoint, &context, scratch_path("file"), run, COUNT, KEEP) !=
        TSL_OK) {
        fail_msg("%s", context.error);
    }
    return checkpoint;
}

static void add(tsl_checkpoint *checkpoint, int batch)
{
    assert_int_equal(tsl_checkpoint_add(checkpoint, batches[batch].first, batches[batch].count,
                                        truth + batches[batch].first * KEEP),
                     TSL_OK);
}

/* One of another rank, with the last batches; cut short after `bytes` bytes if that is less. */
static void write_other(int from, off_t bytes)
{
    tsl_checkpoint *checkpoint = NULL;
    assert_int_equal(
        tsl_checkpoint_create(&checkpoint, &context, scratch_path("other"), run, COUNT, KEEP),
        TSL_OK);
    for (int i = from; i < BATCHES; i++) {
        add(checkpoint, i);
    }
    tsl_checkpoint_close(checkpoint, false);
    struct stat file;
    assert_int_equal(stat(scratch_path("other"), &file), 0);
    if (file.st_size > bytes) {
        assert_int_equal(truncate(scratch_path("other"), bytes), 0);
    }
}

/* Write a checkpoint with the first batches. */
static void write_batches(int count)
{
    make_truth();
    tsl_checkpoint *checkpoint = create();
    for (int i = 0; i < count; i++) {
        add(checkpoint, i);
    }
    tsl_checkpoint_close(checkpoint, false);
}

static tsl_pose poses[POSES];
static unsigned char done[COUNT];

static tsl_checkpoint *resume(void)
{
    tsl_checkpoint *checkpoint = NULL;
    memset(poses, 0x55, sizeof poses);
    memset(done, 0x55, sizeof done);
    if (tsl_checkpoint_resume(&checkpoint, &context, scratch_path("file"), run, COUNT, KEEP, poses,
                              done) != TSL_OK) {
        fail_msg("%s", context.error);
    }
    return checkpoint;
}

/* All of both but the padding. */
static void assert_same_pose(const tsl_pose *a, const tsl_pose *b)
{
    assert_int_equal(a->score, b->score);
    assert_memory_equal(a->shift, b->shift, sizeof a->shift);
    assert_memory_equal(&a->rotation, &b->rotation, sizeof a->rotation);
    assert_memory_equal(&a->energy, &b->energy, sizeof a->energy);
}

/* What is marked as done is true, and what is not was not touched. Returns rotations done. */
static int check_poses(void)
{
    int found = 0;
    tsl_pose untouched;
    memset(&untouched, 0x55, sizeof untouched);
    for (int i = 0; i < COUNT; i++) {
        assert_true(done[i] <= 1);
        found += done[i];
        for (int k = i * KEEP; k < (i + 1) * KEEP; k++) {
            assert_same_pose(&poses[k], done[i] ? &truth[k] : &untouched);
        }
    }
    return found;
}

static void assert_batches_done(int count)
{
    int rotations = 0;
    for (int i = 0; i < count; i++) {
        rotations += (int)batches[i].count;
        for (int64_t r = batches[i].first; r < batches[i].first + batches[i].count; r++) {
            assert_int_equal(done[r], 1);
        }
    }
    assert_int_equal(check_poses(), rotations);
}

static void test_resume(void **state)
{
    (void)state;
    for (int count = 0; count <= BATCHES; count++) {
        write_batches(count);
        tsl_checkpoint *checkpoint = resume();
        assert_batches_done(count);
        for (int i = count; i < BATCHES; i++) {
            add(checkpoint, i);
        }
        tsl_checkpoint_close(checkpoint, false);
        tsl_checkpoint_close(resume(), true);
        assert_batches_done(BATCHES);
        assert_int_equal(access(scratch_path("file"), F_OK), -1);
    }
    tsl_checkpoint_close(NULL, true);
}

static void test_no_file(void **state)
{
    (void)state;
    make_truth();
    tsl_checkpoint *checkpoint = resume();
    assert_batches_done(0);
    add(checkpoint, 0);
    tsl_checkpoint_close(checkpoint, false);
    tsl_checkpoint_close(resume(), false);
    assert_batches_done(1);
    /* Creating starts anew in its place, even that of another file. */
    tsl_checkpoint_close(create(), false);
    tsl_checkpoint_close(resume(), false);
    assert_batches_done(0);
    scratch_write_text(scratch_path("file"), "a note");
    tsl_checkpoint_close(create(), false);
    tsl_checkpoint_close(resume(), true);
    assert_batches_done(0);
}

/* Ends of the head and of each record, in bytes. */
static size_t end_of(int batch)
{
    size_t end = 104;
    for (int i = 0; i < batch; i++) {
        end += 24 + 36 * KEEP * (size_t)batches[i].count;
    }
    return end;
}

/* Killed anywhere, it goes on from the last whole batch, and ends as if nothing had happened. */
static void test_cut_anywhere(void **state)
{
    (void)state;
    context.message = on_message;
    size_t bytes;
    size_t rest;
    write_batches(BATCHES);
    char *whole = scratch_read(scratch_path("file"), &bytes);
    assert_int_equal(bytes, end_of(BATCHES));
    for (size_t cut = 0; cut <= bytes; cut++) {
        scratch_write(scratch_path("file"), whole, cut);
        tsl_checkpoint *checkpoint = resume();
        int kept = 0;
        while (kept < BATCHES && end_of(kept + 1) <= cut) {
            kept++;
        }
        assert_batches_done(kept);
        assert_told(cut < end_of(0) ? cut : end_of(kept), cut);
        for (int i = kept; i < BATCHES; i++) {
            add(checkpoint, i);
        }
        tsl_checkpoint_close(checkpoint, false);
        char *again = scratch_read(scratch_path("file"), &rest);
        assert_int_equal(rest, bytes);
        assert_memory_equal(again, whole, bytes);
        free(again);
    }
    context.message = NULL;
    free(whole);
}

/* A changed byte drops its record and what follows; in the head it is an error. */
static void test_flipped_bytes(void **state)
{
    (void)state;
    context.message = on_message;
    size_t bytes;
    write_batches(BATCHES);
    char *whole = scratch_read(scratch_path("file"), &bytes);
    for (size_t at = 0; at < bytes; at++) {
        for (int mask = 1; mask < 256; mask += 254) {
            tsl_checkpoint *checkpoint = NULL;
            whole[at] = (char)(whole[at] ^ mask);
            scratch_write(scratch_path("file"), whole, bytes);
            whole[at] = (char)(whole[at] ^ mask);
            if (at < end_of(0)) {
                assert_int_equal(tsl_checkpoint_resume(&checkpoint, &context, scratch_path("file"),
                                                       run, COUNT, KEEP, poses, done),
                                 TSL_E_FORMAT);
                assert_null(checkpoint);
                assert_error_names(&context, "remove the file or drop --resume");
                continue;
            }
            checkpoint = resume();
            int kept = 0;
            while (end_of(kept + 1) <= at) {
                kept++;
            }
            assert_batches_done(kept);
            assert_told(end_of(kept), bytes);
            tsl_checkpoint_close(checkpoint, false);
            struct stat file;
            assert_int_equal(stat(scratch_path("file"), &file), 0);
            assert_int_equal(file.st_size, end_of(kept));
        }
    }
    context.message = NULL;
    free(whole);
}

static void assert_refused(const char *digest, int64_t count, int keep, tsl_status expected,
                           const char *part)
{
    tsl_checkpoint *checkpoint = NULL;
    static tsl_pose many[4 * POSES];
    static unsigned char marks[4 * COUNT];
    size_t before;
    size_t after;
    char *old = scratch_read(scratch_path("file"), &before);
    assert_int_equal(tsl_checkpoint_resume(&checkpoint, &context, scratch_path("file"), digest,
                                           count, keep, many, marks),
                     expected);
    assert_null(checkpoint);
    assert_error_names(&context, part);
    char *now = scratch_read(scratch_path("file"), &after); /* it may be of use to its owner */
    assert_int_equal(before, after);
    assert_memory_equal(old, now, before);
    free(old);
    free(now);
}

static void test_other_files(void **state)
{
    (void)state;
    const char *advice = "remove the file or drop --resume";
    write_batches(2);
    assert_refused(other_run, COUNT, KEEP, TSL_E_ARG, advice);
    assert_refused(run, COUNT + 1, KEEP, TSL_E_ARG, advice);
    assert_refused(run, COUNT, KEEP + 1, TSL_E_ARG, advice);
    assert_refused(run, 0, KEEP, TSL_E_ARG, "at least 1");
    assert_refused(run, COUNT, 0, TSL_E_ARG, "at least 1");
    assert_refused(run, INT64_MAX, KEEP, TSL_E_ARG, "rotations");
    scratch_write_text(scratch_path("file"), "FTDOCK data file\n");
    assert_refused(run, COUNT, KEEP, TSL_E_FORMAT, "file: not a checkpoint; remove");
    scratch_write_text(scratch_path("file"), "tesela checkpoint 2\n and so on");
    assert_refused(run, COUNT, KEEP, TSL_E_FORMAT, "in the form of another version");
    scratch_write_text(scratch_path("file"), "tesela checkpoint 1 and so on");
    assert_refused(run, COUNT, KEEP, TSL_E_FORMAT, "not a checkpoint");
}

/* What another rank has kept is in this one's file from then on, whole records of it, even if both
 * hold the same. */
static void test_absorb(void **state)
{
    (void)state;
    for (int own = 0; own <= BATCHES; own++) {
        for (off_t bytes = 0; bytes < 800; bytes += 11) {
            write_batches(own);
            write_other(1, bytes);
            tsl_checkpoint *checkpoint = resume();
            assert_int_equal(
                tsl_checkpoint_absorb(checkpoint, scratch_path("other"), run, poses, done), TSL_OK);
            const int rotations = check_poses();
            assert_int_not_equal(access(scratch_path("other"), F_OK), 0);
            tsl_checkpoint_close(checkpoint, false);
            checkpoint = resume(); /* from the file alone */
            assert_int_equal(check_poses(), rotations);
            add(checkpoint, 0);
            tsl_checkpoint_close(checkpoint, false);
        }
        write_batches(own);
        write_other(own, INT32_MAX);
        tsl_checkpoint *checkpoint = resume();
        assert_int_equal(tsl_checkpoint_absorb(checkpoint, scratch_path("other"), run, poses, done),
                         TSL_OK);
        assert_batches_done(BATCHES);
        tsl_checkpoint_close(checkpoint, false);
    }
}

/* Another run's stays where it is. */
static void test_absorb_refused(void **state)
{
    (void)state;
    write_batches(1);
    write_other(1, INT32_MAX);
    tsl_checkpoint *checkpoint = resume();
    assert_int_equal(
        tsl_checkpoint_absorb(checkpoint, scratch_path("other"), other_run, poses, done),
        TSL_E_ARG);
    assert_non_null(strstr(context.error, "with other inputs, options or version"));
    assert_int_equal(access(scratch_path("other"), F_OK), 0);
    assert_batches_done(1);
    tsl_checkpoint_close(checkpoint, false);
}

static void assert_cannot_open(const char *path, const char *part)
{
    tsl_checkpoint *checkpoint = NULL;
    assert_int_equal(tsl_checkpoint_create(&checkpoint, &context, path, run, COUNT, KEEP),
                     TSL_E_IO);
    assert_error_names(&context, part);
    assert_int_equal(
        tsl_checkpoint_resume(&checkpoint, &context, path, run, COUNT, KEEP, poses, done),
        TSL_E_IO);
    assert_error_names(&context, part);
    assert_null(checkpoint);
}

static void test_impossible_places(void **state)
{
    (void)state;
    assert_cannot_open(scratch_path("missing/file"), "No such file or directory; choose a folder");
    assert_cannot_open(scratch_folder, "Is a directory");
    assert_cannot_open("/dev/full", "/dev/full: not a regular file");
    tsl_checkpoint *checkpoint = create();
    assert_cannot_open(scratch_path("file"), "another run is writing this checkpoint");
    tsl_checkpoint_close(checkpoint, true);
}

typedef struct runs {
    tsl_context context;
    const char *path;
    int held, lost; /* checkpoints, and those of them that had no name */
} runs;

static void *begin_and_end(void *user)
{
    enum { RUNS = 1000 };
    runs *own = user;
    for (int i = 0; i < RUNS; i++) {
        tsl_checkpoint *checkpoint = NULL;
        if (tsl_checkpoint_create(&checkpoint, &own->context, own->path, run, COUNT, KEEP) ==
            TSL_OK) {
            struct stat file;
            own->held++;
            own->lost += stat(own->path, &file) != 0;
            tsl_checkpoint_close(checkpoint, true);
        }
    }
    return NULL;
}

static void test_runs_that_end(void **state)
{
    (void)state;
    runs own[2] = {{.path = scratch_path("file")}, {.path = scratch_path("file")}};
    pthread_t threads[2];
    for (int i = 0; i < 2; i++) {
        assert_int_equal(pthread_create(&threads[i], NULL, begin_and_end, &own[i]), 0);
    }
    for (int i = 0; i < 2; i++) {
        assert_int_equal(pthread_join(threads[i], NULL), 0);
    }
    assert_true(own[0].held > 0 && own[1].held > 0);
    assert_int_equal(own[0].lost + own[1].lost, 0);
}

static void test_batches_out_of_range(void **state)
{
    (void)state;
    static const int64_t bad[][2] = {{-1, 1},        {0, 0},         {0, -1},
                                     {COUNT, 1},     {COUNT - 1, 2}, {0, COUNT + 1},
                                     {1, INT64_MAX}, {INT64_MAX, 1}, {INT64_MIN, 10}};
    make_truth();
    tsl_checkpoint *checkpoint = create();
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        assert_int_equal(tsl_checkpoint_add(checkpoint, bad[i][0], bad[i][1], truth), TSL_E_ARG);
        assert_error_names(&context, "are not in a search of 10");
    }
    tsl_checkpoint_close(checkpoint, true);
}

/* When the disk fills up in the middle of a record, the record leaves no trace, and once there is
 * room the search goes on. */
static void test_disk_fills_up(void **state)
{
    (void)state;
    struct rlimit limit;
    struct stat file;
    make_truth();
    tsl_checkpoint *checkpoint = create();
    add(checkpoint, 0);
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &limit), 0);
    struct rlimit tight = {.rlim_cur = end_of(1) + 50, .rlim_max = limit.rlim_max};
    void (*handler)(int) = signal(SIGXFSZ, SIG_IGN);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &tight), 0);
    const tsl_status status = tsl_checkpoint_add(checkpoint, 6, 3, truth + 12);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
    signal(SIGXFSZ, handler);
    assert_int_equal(status, TSL_E_IO);
    assert_error_names(&context, "file: cannot write the checkpoint: File too large; what was");
    assert_int_equal(stat(scratch_path("file"), &file), 0);
    assert_int_equal(file.st_size, end_of(1));
    add(checkpoint, 1);
    tsl_checkpoint_close(checkpoint, false);
    tsl_checkpoint_close(resume(), true);
    assert_batches_done(2);
}

static tsl_status create_and_add(tsl_context *own, void *user)
{
    (void)user;
    tsl_checkpoint *checkpoint = NULL;
    tsl_status status =
        tsl_checkpoint_create(&checkpoint, own, scratch_path("memory"), run, COUNT, KEEP);
    if (status == TSL_OK) {
        status = tsl_checkpoint_add(checkpoint, 0, 3, truth);
    }
    tsl_checkpoint_close(checkpoint, false);
    return status;
}

static tsl_status resume_with(tsl_context *own, void *user)
{
    (void)user;
    tsl_checkpoint *checkpoint = NULL;
    const tsl_status status = tsl_checkpoint_resume(&checkpoint, own, scratch_path("file"), run,
                                                    COUNT, KEEP, poses, done);
    tsl_checkpoint_close(checkpoint, false);
    return status;
}

static void test_no_memory(void **state)
{
    (void)state;
    write_batches(BATCHES);
    assert_survives_no_memory(create_and_add, NULL);
    assert_survives_no_memory(resume_with, NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_resume),         cmocka_unit_test(test_no_file),
        cmocka_unit_test(test_cut_anywhere),   cmocka_unit_test(test_flipped_bytes),
        cmocka_unit_test(test_other_files),    cmocka_unit_test(test_absorb),
        cmocka_unit_test(test_absorb_refused), cmocka_unit_test(test_impossible_places),
        cmocka_unit_test(test_runs_that_end),  cmocka_unit_test(test_batches_out_of_range),
        cmocka_unit_test(test_disk_fills_up),  cmocka_unit_test(test_no_memory),
    };
    return cmocka_run_group_tests(tests, scratch_make, scratch_remove);
}
