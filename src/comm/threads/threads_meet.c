/* Ranks that are threads, where their devices' kernels can wait for each other: each on a device of
 * its own, and every one in reach of all. Whether they can is found out in the first operation on a
 * set of devices, for those after it; all ranks come to the same end, as all see the same.
 *
 * Only all ranks of a job meet: one that is elsewhere may release memory, which waits for all
 * devices, and keep from its launch the kernel that another waits for. */
#include <string.h>

#include "comm/threads/threads.h"
#include "device/device.h"

/* What a rank's device brings to meetings. */
struct tsl_threads_meeting {
    const tsl_peer_ops *ops;
    tsl_peer_flags *flags; /* [size] */
    int32_t *off;          /* in memory of the host that kernels see: set when a rank fails */
    tsl_threads_job *job;
    tsl_threads_watch watch;
};

tsl_status tsl_threads_create_meeting(tsl_threads_meeting **out, tsl_comm *comm,
                                      tsl_context *context)
{
    const tsl_peer_ops *ops = context->ops->peer;
    *out = NULL;
    if (!tsl_peer_side_by_side(ops) || ops->meet == NULL || comm->size == 1 ||
        comm->size > TSL_PEER_MEETERS || comm->size < comm->root->size) {
        return TSL_OK;
    }
    tsl_threads_meeting *made = tsl_allocate_zeroed(1, sizeof *made);
    if (made == NULL) {
        return tsl_fail_memory(context, sizeof *made, "communication");
    }
    made->ops = ops;
    made->job = tsl_threads_group_of(comm)->job;
    tsl_status status = ops->create_flags(&made->flags, context, comm->size);
    if (status == TSL_OK) {
        made->off = ops->create_host(context, sizeof *made->off);
        status = made->off != NULL ? TSL_OK
                                   : tsl_fail_memory(context, sizeof *made->off, "communication");
    }
    if (status != TSL_OK) {
        ops->destroy_flags(made->flags);
        tsl_release(made);
        return status;
    }
    *made->off = 0;
    tsl_threads_begin_watch(&made->watch, made->job, NULL, made->off);
    *out = made;
    return TSL_OK;
}

void tsl_threads_settle_meeting(const tsl_threads_meeting *meeting)
{
    if (meeting != NULL) {
        meeting->ops->await_flags(meeting->flags);
    }
}

void tsl_threads_destroy_meeting(tsl_threads_meeting *meeting)
{
    if (meeting != NULL) {
        meeting->ops->destroy_flags(meeting->flags);
        tsl_threads_end_watch(&meeting->watch, meeting->job);
        meeting->ops->destroy_host(meeting->off);
        tsl_release(meeting);
    }
}

/* The number of the set of devices: it grows when a rank changes its own. */
static int set_of(const tsl_threads_group *group)
{
    int set = 0;
    for (int q = 0; q < group->size; q++) {
        set += group->devices[q].generation;
    }
    return set;
}

void tsl_threads_look_around(tsl_comm *comm)
{
    tsl_threads_group *group = tsl_threads_group_of(comm);
    tsl_threads_device *mine = &group->devices[comm->rank];
    const int set = set_of(group);
    bool can = mine->meeting != NULL;
    if (mine->looked == set || mine->looked == -set) {
        return;
    }
    for (int q = 0; q < comm->size && can; q++) {
        const tsl_context *other = group->devices[q].context;
        if (q != comm->rank) {
            can = strcmp(other->name, mine->context->name) != 0 &&
                  mine->ops->open(mine->context, other) == TSL_OK;
        }
    }
    if (!can) {
        mine->context->error[0] = '\0'; /* open()'s, which is no failure */
    }
    mine->looked = can ? set : -set;
}

/* What crosses from rank to rank in the operation in progress fits a meeting. */
static bool fits(tsl_comm *comm)
{
    int copies[TSL_PEER_MEETERS] = {0};
    for (int to = 0; to < comm->size; to++) {
        for (int k = 0; k < tsl_threads_pieces(comm, to); k++) {
            const tsl_threads_piece piece = tsl_threads_piece_at(comm, to, k);
            if (piece.bytes >= TSL_PEER_MEETING ||
                (piece.bytes > 0 && ++copies[piece.from] > TSL_PEER_COPIES)) {
                return false;
            }
        }
    }
    return true;
}

bool tsl_threads_meets(tsl_comm *comm)
{
    tsl_threads_group *group = tsl_threads_group_of(comm);
    const int set = set_of(group);
    for (int q = 0; q < comm->size; q++) {
        if (group->devices[q].looked != set) {
            return false;
        }
    }
    return fits(comm);
}

tsl_status tsl_threads_meet(tsl_comm *comm, const tsl_peer_copy *copies, int count)
{
    tsl_threads_group *group = tsl_threads_group_of(comm);
    const tsl_threads_device *mine = &group->devices[comm->rank];
    tsl_peer_meeting meeting = {.off = mine->meeting->off,
                                .number = ++((tsl_threads_comm *)(void *)comm)->meetings,
                                .rank = comm->rank,
                                .ranks = comm->size};
    for (int q = 0; q < comm->size; q++) {
        meeting.flags[q] = group->devices[q].meeting->flags;
        if (q != comm->rank) {
            meeting.sends |= (uint64_t)tsl_threads_sends(comm, comm->rank, q) << q;
            meeting.receives |= (uint64_t)tsl_threads_sends(comm, q, comm->rank) << q;
        }
    }
    const bool idle = count == 0 && (meeting.sends | meeting.receives) == 0;
    return idle ? TSL_OK : mine->ops->meet(mine->context, &meeting, copies, count);
}
