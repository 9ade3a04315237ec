/* The search of one pair, with a checkpoint after each batch. */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "cli/dock_command.h"

typedef struct searching {
    tsl_checkpoint *checkpoint;
    cli_progress progress;
    int64_t offset; /* of the range being searched */
    int64_t done;   /* rotations, by this process */
    tsl_context *context;
    tsl_status status; /* of the checkpoint, with its message: the search overwrites that */
    char error[1024];
} searching;

static int on_batch(void *user, int64_t first, int64_t count, const tsl_pose *poses)
{
    searching *search = user;
    search->status = tsl_checkpoint_add(search->checkpoint, search->offset + first, count, poses);
    if (search->status != TSL_OK) {
        snprintf(search->error, sizeof search->error, "%s", tsl_last_error(search->context));
        return 1;
    }
    search->done += count;
    cli_progress_add(&search->progress, count);
    return cli_signal() != 0;
}

static tsl_status open_checkpoint(dock_work *work, const dock_pair *pair, searching *search,
                                  tsl_pose *poses, unsigned char *done)
{
    char path[DOCK_PATH];
    const int64_t count = work->rotations.count;
    const int keep = work->options->dock.keep;
    dock_path(path, pair->folder, "checkpoint.tsl");
    const bool exists = access(path, F_OK) == 0;
    if (!work->options->resume) {
        if (exists) {
            cli_note("%s: replaces the checkpoint of an unfinished run; --resume would have gone "
                     "on with it",
                     path);
        }
        return tsl_checkpoint_create(&search->checkpoint, work->context, path, pair->search_digest,
                                     count, keep);
    }
    const tsl_status status = tsl_checkpoint_resume(&search->checkpoint, work->context, path,
                                                    pair->search_digest, count, keep, poses, done);
    int64_t finished = 0;
    for (int64_t i = 0; i < count && status == TSL_OK; i++) {
        finished += done[i];
    }
    if (status == TSL_OK && exists) {
        cli_note("%s: %lld of %lld rotations are done", path, (long long)finished,
                 (long long)count);
    } else if (status == TSL_OK && work->options->list == NULL) {
        cli_note("%s: nothing to resume: starting with the first rotation", pair->folder);
    }
    search->progress.done = finished;
    return status;
}

/* Search the rotations that are not done, a run of neighbours at a time. */
static tsl_status search_ranges(dock_work *work, searching *search, tsl_pose *poses,
                                const unsigned char *done)
{
    const int64_t count = work->rotations.count;
    const int64_t keep = work->options->dock.keep;
    tsl_status status = TSL_OK;
    for (int64_t first = 0, end; first < count && status == TSL_OK; first = end) {
        end = first + 1;
        while (end < count && done[end] == done[first]) {
            end++;
        }
        if (!done[first]) {
            search->offset = first;
            status = tsl_dock_search(work->plan, poses + first * keep, work->rotations.at + first,
                                     end - first, on_batch, search);
        }
    }
    return status;
}

/* Close up empty slots, sort, and cut to the list's length. */
static void make_list(const dock_work *work, dock_pair *pair, tsl_pose *poses)
{
    const int64_t slots = work->rotations.count * work->options->dock.keep;
    int64_t count = 0;
    pair->lowest_energy = 0;
    for (int64_t i = 0; i < slots; i++) {
        if (poses[i].score > 0) {
            if (poses[i].energy < pair->lowest_energy) {
                pair->lowest_energy = poses[i].energy;
            }
            poses[count++] = poses[i];
        }
    }
    tsl_poses_sort(poses, count);
    pair->list.poses = poses;
    pair->list.count = count < work->options->top ? count : work->options->top;
}

static tsl_status run_search(dock_work *work, dock_pair *pair, searching *search, tsl_pose *poses,
                             unsigned char *done)
{
    const int64_t count = work->rotations.count;
    tsl_status status = open_checkpoint(work, pair, search, poses, done);
    if (status != TSL_OK) {
        return status;
    }
    cli_progress_begin(&search->progress, "rotations", count, search->progress.done);
    status = search_ranges(work, search, poses, done);
    cli_progress_end(&search->progress);
    if (status == TSL_E_CANCELLED && search->status != TSL_OK) {
        status = tsl_fail(work->context, search->status, "%s", search->error);
    } else if (status == TSL_E_CANCELLED) {
        tsl_fail(work->context, status,
                 "interrupted after %lld of %lld rotations: the same command with --resume goes on "
                 "from there",
                 (long long)search->progress.done, (long long)count);
    }
    pair->rotations_done = search->done;
    return status;
}

tsl_status dock_search(dock_work *work, dock_pair *pair, tsl_checkpoint **checkpoint)
{
    const int64_t count = work->rotations.count;
    const int64_t slots = count * work->options->dock.keep;
    searching search = {.context = work->context};
    unsigned char *done = tsl_allocate_zeroed((size_t)count, 1);
    tsl_pose *poses = tsl_allocate_zeroed((size_t)slots, sizeof *poses);
    if (done == NULL || poses == NULL) {
        tsl_release(done);
        tsl_release(poses);
        return tsl_fail_memory(work->context, count + slots * (int64_t)sizeof *poses,
                               "the poses of all rotations");
    }
    const tsl_status status = run_search(work, pair, &search, poses, done);
    if (status == TSL_OK) {
        make_list(work, pair, poses);
        *checkpoint = search.checkpoint;
    } else {
        tsl_checkpoint_close(search.checkpoint, false);
        tsl_release(poses);
    }
    tsl_release(done);
    return status;
}

void dock_search_tidy(dock_work *work, const dock_pair *pair)
{
    char path[DOCK_PATH];
    dock_path(path, pair->folder, "checkpoint.tsl");
    if (access(path, F_OK) != 0) {
        return;
    }
    const int64_t count = work->rotations.count;
    const int64_t slots = count * work->options->dock.keep;
    unsigned char *done = tsl_allocate_zeroed((size_t)count, 1);
    tsl_pose *poses = tsl_allocate_zeroed((size_t)slots, sizeof *poses);
    tsl_checkpoint *checkpoint = NULL;
    if (done != NULL && poses != NULL) { /* another run's checkpoint is left alone */
        tsl_checkpoint_resume(&checkpoint, work->context, path, pair->search_digest, count,
                              work->options->dock.keep, poses, done);
        tsl_checkpoint_close(checkpoint, true);
    }
    tsl_release(poses);
    tsl_release(done);
}
