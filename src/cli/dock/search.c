/* The search of one pair by all ranks. Each rank adds to its own checkpoint after each batch. */
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/dock/command.h"
#include "comm/comm.h"
#include "solvers/dock/share.h"

/* Seconds between two times that a rank tells the others how far it is. */
static const double telling = 0.1;

typedef struct searching {
    dock_work *work;
    tsl_pose *poses;     /* [count][keep]: those of earlier runs, then those of `waiting` */
    unsigned char *done; /* [count]: rotations done by earlier runs */
    int64_t finished;    /* number of rotations done by earlier runs */
    int64_t *waiting;    /* numbers of the rotations that are left */
    tsl_rotation *rotations;
    tsl_checkpoint *checkpoint;
    cli_progress progress;
    tsl_counters *counters;    /* rotations done by all ranks */
    int64_t searched;          /* rotations, by this rank */
    int64_t untold;            /* rotations of this rank that the others do not know of yet */
    double asked, ended, told; /* times: search begun, last batch ended, others told */
    tsl_status status; /* of the checkpoint, with its message, which the search would overwrite */
    char error[TSL_ERROR_TEXT];
} searching;

/* ---- checkpoints -------------------------------------------------------------------------- */

/* Rank 0 has "checkpoint.tsl", rank 1 "checkpoint.1.tsl", and so on. */
static const char *checkpoint_path(char path[DOCK_PATH], const char *folder, int rank)
{
    char name[32] = "checkpoint.tsl";
    if (rank > 0) {
        snprintf(name, sizeof name, "checkpoint.%d.tsl", rank);
    }
    return dock_path(path, folder, name);
}

static bool is_of_higher_rank(const char *name)
{
    int rank = 0, used = 0;
    return sscanf(name, "checkpoint.%d.tsl%n", &rank, &used) == 1 && used > 0 &&
           name[used] == '\0' && rank > 0;
}

/* Add checkpoints of other ranks to rank 0's, if there is one, and remove them. */
static tsl_status clear_up(const searching *search, const dock_pair *pair, tsl_checkpoint *into,
                           int *found)
{
    char path[DOCK_PATH];
    tsl_status status = TSL_OK;
    DIR *entries = opendir(pair->folder);
    if (entries == NULL) {
        return TSL_OK;
    }
    for (const struct dirent *entry; status == TSL_OK && (entry = readdir(entries)) != NULL;) {
        if (is_of_higher_rank(entry->d_name)) {
            ++*found;
            dock_path(path, pair->folder, entry->d_name);
            if (into != NULL) {
                status = tsl_checkpoint_absorb(into, path, pair->search_digest, search->poses,
                                               search->done);
            } else {
                unlink(path);
            }
        }
    }
    closedir(entries);
    return status;
}

static tsl_status begin_checkpoint(searching *search, const dock_pair *pair, int rank)
{
    char path[DOCK_PATH];
    const dock_work *work = search->work;
    return tsl_checkpoint_create(&search->checkpoint, work->context,
                                 checkpoint_path(path, pair->folder, rank), pair->search_digest,
                                 work->rotations.count, work->options->dock.keep);
}

/* Take up what all ranks of an earlier run did, which is now in one file. */
static tsl_status take_up(searching *search, const dock_pair *pair, int *found)
{
    char path[DOCK_PATH];
    const dock_work *work = search->work;
    checkpoint_path(path, pair->folder, 0);
    *found = access(path, F_OK) == 0;
    const tsl_status status = tsl_checkpoint_resume(
        &search->checkpoint, work->context, path, pair->search_digest, work->rotations.count,
        work->options->dock.keep, search->poses, search->done);
    return status == TSL_OK ? clear_up(search, pair, search->checkpoint, found) : status;
}

/* Refuse a folder that holds results of another search. The only checkpoint there is the new
 * one. */
static tsl_status refuse_other_results(searching *search, const dock_pair *pair)
{
    char path[DOCK_PATH];
    if (!dock_files_of_other_search(search->work, pair)) {
        return TSL_OK;
    }
    tsl_checkpoint_close(search->checkpoint, true);
    search->checkpoint = NULL;
    return tsl_fail(search->work->context, TSL_E_ARG,
                    "%s: results of a search with other inputs, options or version of tesela; "
                    "choose another folder for -o or drop --resume",
                    dock_path(path, pair->folder, "run.json"));
}

/* Open rank 0's checkpoint, which stands for the whole folder: the run that has it open keeps other
 * runs out. */
static tsl_status open_first_checkpoint(searching *search, const dock_pair *pair)
{
    char path[DOCK_PATH];
    const dock_work *work = search->work;
    const int64_t count = work->rotations.count;
    int found = 0;
    checkpoint_path(path, pair->folder, 0);
    if (!work->options->resume) {
        const bool replaces = access(path, F_OK) == 0;
        const tsl_status status = begin_checkpoint(search, pair, 0);
        if (status == TSL_OK && replaces) { /* no other run had it open */
            cli_note("%s: replaces the checkpoint of an unfinished run; --resume would have gone "
                     "on with it",
                     path);
        }
        return status == TSL_OK ? clear_up(search, pair, NULL, &found) : status;
    }
    tsl_status status = take_up(search, pair, &found);
    if (status == TSL_OK && found == 0) {
        status = refuse_other_results(search, pair);
    }
    for (int64_t i = 0; i < count && status == TSL_OK; i++) {
        search->finished += search->done[i];
    }
    if (status == TSL_OK && found > 0) {
        cli_note("%s: %lld of %lld rotations are done", path, (long long)search->finished,
                 (long long)count);
    } else if (status == TSL_OK && work->options->list == NULL) {
        cli_note("%s: nothing to resume: starting with the first rotation", pair->folder);
    }
    return status;
}

/* Open rank 0's checkpoint first, which keeps other runs out of the folder, then those of the other
 * ranks, and tell all ranks which rotations are done. */
static tsl_status open_checkpoints(searching *search, const dock_pair *pair)
{
    const dock_work *work = search->work;
    tsl_comm *comm = work->comm;
    tsl_status status = comm->rank == 0 ? open_first_checkpoint(search, pair) : TSL_OK;
    TSL_TRY(cli_agree(work->context, status));
    TSL_TRY(tsl_comm_broadcast(comm, NULL, search->done, work->rotations.count, 0));
    TSL_TRY(tsl_comm_broadcast(comm, NULL, &search->finished, sizeof search->finished, 0));
    if (comm->rank > 0) {
        TSL_TRY(begin_checkpoint(search, pair, comm->rank));
    }
done:
    return cli_agree(work->context, status);
}

/* ---- searching ---------------------------------------------------------------------------- */

/* Add finished rotations to the checkpoint, a run of consecutive ones at a time. */
static tsl_status keep_batch(searching *search, int64_t first, int64_t count, const tsl_pose *poses)
{
    const int64_t *waiting = search->waiting + first;
    const int64_t keep = search->work->options->dock.keep;
    const double begun = tsl_seconds();
    tsl_status status = TSL_OK;
    for (int64_t begin = 0, end; begin < count && status == TSL_OK; begin = end) {
        end = begin + 1;
        while (end < count && waiting[end] == waiting[end - 1] + 1) {
            end++;
        }
        status = tsl_checkpoint_add(search->checkpoint, waiting[begin], end - begin,
                                    poses + begin * keep);
    }
    tsl_profile_add(search->work->context, "keep poses", begun,
                    count * keep * (int64_t)sizeof *poses, 0);
    return status;
}

/* Tell the other ranks how many rotations this one has done, and show the number of all ranks. If
 * that fails, the search reports the failure. */
static void tell(searching *search)
{
    cli_progress *progress = &search->progress;
    const int64_t add[TSL_COUNTERS] = {search->untold};
    int64_t before[TSL_COUNTERS];
    if (tsl_counters_add(search->counters, add, before) == TSL_OK) {
        cli_progress_add(progress,
                         before[0] + search->untold - (progress->done - progress->done_before));
        search->untold = 0;
    }
}

static int on_batch(void *user, int64_t first, int64_t count, const tsl_pose *poses)
{
    searching *search = user;
    if (!search->work->manner.keeps_at_end) {
        search->status = keep_batch(search, first, count, poses);
    }
    if (search->status != TSL_OK) {
        snprintf(search->error, sizeof search->error, "%s", tsl_last_error(search->work->context));
        return 1;
    }
    search->searched += count;
    search->untold += count;
    search->ended = tsl_seconds();
    if (search->ended - search->told >= telling) {
        search->told = search->ended;
        tell(search);
    }
    return !dock_is_wanted(search->work);
}

/* Collect the rotations that are left. The poses of finished ones move to the front. */
static void collect(searching *search)
{
    const dock_work *work = search->work;
    const size_t keep = (size_t)work->options->dock.keep;
    int64_t left = 0, finished = 0;
    for (int64_t i = 0; i < work->rotations.count; i++) {
        if (!search->done[i]) {
            search->waiting[left] = i;
            search->rotations[left++] = work->rotations.at[i];
        } else if (finished++ < i) {
            memcpy(search->poses + (size_t)(finished - 1) * keep, search->poses + (size_t)i * keep,
                   keep * sizeof *search->poses);
        }
    }
}

/* Gather how many rotations each rank did, and in what time. */
static tsl_status gather_shares(const searching *search, dock_pair *pair)
{
    tsl_context *context = search->work->context;
    tsl_comm *comm = context->comm;
    const double begun = tsl_dock_share_begun(search->work->plan);
    const bool did = search->searched > 0;
    const dock_share mine = {.rotations = search->searched,
                             .begun = did ? begun - search->asked : 0,
                             .seconds = did ? search->ended - begun : 0};
    tsl_release(pair->shares);
    pair->shares = tsl_allocate_zeroed((size_t)comm->size, sizeof mine);
    tsl_status status = pair->shares != NULL
                            ? TSL_OK
                            : tsl_fail_memory(context, comm->size * (int64_t)sizeof mine,
                                              "the shares of the ranks");
    status = cli_agree(context, status);
    if (status == TSL_OK) {
        status = cli_gather(comm, pair->shares, &mine, sizeof mine);
    }
    pair->rotations_done = 0;
    for (int q = 0; q < comm->size && status == TSL_OK; q++) {
        pair->rotations_done += pair->shares[q].rotations;
    }
    return status;
}

static tsl_status search_all(searching *search, dock_pair *pair)
{
    const dock_work *work = search->work;
    const int64_t count = work->rotations.count;
    tsl_status status = tsl_counters_create(&search->counters, work->comm);
    if (status != TSL_OK) {
        return status;
    }
    collect(search);
    tsl_pose *found = search->poses + search->finished * work->options->dock.keep;
    cli_progress_begin(&search->progress, "rotations", count, search->finished);
    tsl_dock_share_for_first(work->plan); /* rank 0 makes the list */
    search->asked = tsl_seconds();
    status = tsl_dock_search(work->plan, found, search->rotations, count - search->finished,
                             on_batch, search);
    if (status == TSL_OK && work->manner.keeps_at_end && work->rank == 0) {
        status = keep_batch(search, 0, count - search->finished, found);
    }
    cli_progress_end(&search->progress);
    tsl_counters_destroy(search->counters);
    if (status == TSL_E_CANCELLED && search->status != TSL_OK) {
        status = tsl_fail(work->context, search->status, "%s", search->error);
    }
    status = cli_agree(work->context, status);
    const tsl_status gathered =
        status == TSL_OK || status == TSL_E_CANCELLED ? gather_shares(search, pair) : TSL_OK;
    if (gathered == TSL_OK && status == TSL_E_CANCELLED) {
        tsl_fail(work->context, status,
                 "interrupted after %lld of %lld rotations: the same command with --resume goes on "
                 "from there",
                 (long long)(search->finished + pair->rotations_done), (long long)count);
    }
    return gathered != TSL_OK ? gathered : status;
}

/* ---- one pair ----------------------------------------------------------------------------- */

/* A score that at least `wanted` of the poses reach, and few more. Scores lie close together, so
 * that searching for such a score is far quicker than sorting all poses. */
static int32_t cut_score(const tsl_pose *poses, int64_t count, int64_t wanted)
{
    int32_t low = 1, high = 1; /* enough poses reach `low` */
    for (int64_t i = 0; i < count; i++) {
        high = poses[i].score > high ? poses[i].score : high;
    }
    while (low < high) {
        const int32_t middle = low + (high - low + 1) / 2;
        int64_t reach = 0;
        for (int64_t i = 0; i < count; i++) {
            reach += poses[i].score >= middle;
        }
        if (reach >= wanted) {
            low = middle;
        } else {
            high = middle - 1;
        }
    }
    return low;
}

/* Drop empty slots and poses beyond the list's length, and sort. */
static tsl_status make_list(dock_work *work, dock_pair *pair, tsl_pose *poses)
{
    const double begun = tsl_seconds();
    const int64_t slots = work->rotations.count * work->options->dock.keep;
    const dock_options *options = work->options;
    const int32_t cut =
        options->cluster > 0 && options->rerank == 0
            ? 1
            : cut_score(poses, slots, options->rerank > 0 ? options->rerank : options->top);
    int64_t count = 0;
    pair->lowest_energy = 0;
    for (int64_t i = 0; i < slots; i++) {
        if (poses[i].score > 0 && poses[i].energy < pair->lowest_energy) {
            pair->lowest_energy = poses[i].energy;
        }
        if (poses[i].score >= cut) {
            poses[count++] = poses[i];
        }
    }
    tsl_poses_sort(poses, count);
    pair->list.poses = poses;
    pair->list.count = count;
    tsl_profile_add(work->context, "sort poses", begun, 0, 0);
    const tsl_status status = dock_rerank(work, pair);
    return status == TSL_OK ? dock_cluster(work, pair, options->top) : status;
}

static void free_search(searching *search)
{
    tsl_release(search->done);
    tsl_release(search->waiting);
    tsl_release(search->rotations);
    tsl_release(search->poses);
}

static tsl_status allocate(searching *search)
{
    dock_work *work = search->work;
    const size_t count = (size_t)work->rotations.count;
    const size_t slots = count * (size_t)work->options->dock.keep;
    search->done = tsl_allocate_zeroed(count, 1);
    search->waiting = tsl_allocate(count * sizeof *search->waiting);
    search->rotations = tsl_allocate(count * sizeof *search->rotations);
    search->poses = tsl_allocate_zeroed(slots, sizeof *search->poses);
    if (search->done == NULL || search->waiting == NULL || search->rotations == NULL ||
        search->poses == NULL) {
        free_search(search);
        *search = (searching){.work = work};
        return tsl_fail_memory(work->context, (int64_t)(slots * sizeof *search->poses),
                               "the poses of all rotations");
    }
    return TSL_OK;
}

tsl_status dock_search(dock_work *work, dock_pair *pair, tsl_checkpoint **checkpoint)
{
    searching search = {.work = work};
    tsl_status status = TSL_OK;
    TSL_TRY(cli_agree(work->context, allocate(&search)));
    TSL_TRY(open_checkpoints(&search, pair));
    TSL_TRY(search_all(&search, pair));
    if (work->rank == 0) {
        tsl_pose *poses = search.poses;
        search.poses = NULL;
        status = make_list(work, pair, poses);
    }
    TSL_TRY(cli_agree(work->context, status));
done:
    if (status == TSL_OK) {
        *checkpoint = search.checkpoint;
    } else {
        tsl_checkpoint_close(search.checkpoint, false);
    }
    free_search(&search);
    return status;
}

void dock_search_tidy(dock_work *work, const dock_pair *pair)
{
    char path[DOCK_PATH];
    searching search = {.work = work};
    if (access(checkpoint_path(path, pair->folder, 0), F_OK) != 0 || allocate(&search) != TSL_OK) {
        return;
    }
    int found; /* checkpoints that are found; another run's are left alone */
    const tsl_status status = take_up(&search, pair, &found);
    tsl_checkpoint_close(search.checkpoint, status == TSL_OK);
    free_search(&search);
}
