/* Ranks that are threads, on the memory of their devices.
 *
 * Each rank's stream copies what the rank sends straight into the memory of its receivers. The copy
 * begins after the work that a receiver had queued when it entered the operation, and the
 * receiver's stream goes on after the copy. Events order the streams so, or kernels that copy and
 * wait for each other, which takes less time. The host threads meet only to tell each other where
 * arrays are: except for the first operation with a context, no host thread waits for a device.
 */
#include "comm/threads/threads.h"

#include "device/device.h"

static tsl_threads_device *device_of(const tsl_comm *comm)
{
    return &tsl_threads_group_of(comm)->devices[comm->rank];
}

/* Publish what the context says. */
static tsl_status fail(tsl_comm *comm, tsl_context *context, tsl_status status)
{
    comm->ops->publish(comm, status, context->error);
    return tsl_comm_report(comm, status, "%s", context->error);
}

static tsl_status make_device(tsl_comm *comm, tsl_context *context)
{
    tsl_threads_device *d = device_of(comm);
    const tsl_peer_ops *ops = context->ops->peer;
    const size_t size = (size_t)comm->size;
    tsl_threads_device *before = NULL;
    if (d->ops != NULL) {
        before = tsl_allocate(sizeof *before);
        if (before == NULL) {
            return tsl_fail_memory(context, sizeof *before, "communication");
        }
        *before = *d;
    }
    *d = (tsl_threads_device){.before = before,
                              .ops = ops,
                              .context = context,
                              .generation = d->generation + 1,
                              .opened = tsl_allocate_zeroed(size, sizeof *d->opened),
                              .waits = tsl_allocate_zeroed(size, sizeof *d->waits)};
    tsl_status status = TSL_OK;
    if (d->opened == NULL || d->waits == NULL) {
        status = tsl_fail_memory(context, comm->size, "communication");
    }
    if (status == TSL_OK) {
        status = ops->create(&d->ready, context);
    }
    if (status == TSL_OK) {
        status = ops->create(&d->done, context);
    }
    return status == TSL_OK ? tsl_threads_create_meeting(&d->meeting, comm, context) : status;
}

static void release_before(tsl_threads_device *d)
{
    if (d->before != NULL) {
        tsl_threads_release_device(d->before);
        tsl_release(d->before);
        d->before = NULL;
    }
}

void tsl_threads_settle_device(const tsl_threads_device *d)
{
    for (; d != NULL; d = d->before) {
        tsl_threads_settle_meeting(d->meeting);
    }
}

void tsl_threads_release_device(tsl_threads_device *d)
{
    release_before(d);
    if (d->ops != NULL) {
        tsl_threads_destroy_meeting(d->meeting);
        d->ops->destroy(d->ready);
        d->ops->destroy(d->done);
        tsl_release(d->opened);
        tsl_release((void *)d->waits);
    }
}

void tsl_threads_forget(tsl_comm *comm, const tsl_context *context)
{
    tsl_threads_comm *const root = (tsl_threads_comm *)(void *)comm;
    tsl_threads_comm *at = root;
    do {
        tsl_threads_device *d = device_of(&at->comm);
        if (d->context == context) {
            d->context = NULL;
        }
        at = at->next;
    } while (at != root);
}

tsl_status tsl_threads_show_device(tsl_comm *comm, tsl_context *context)
{
    const tsl_status status =
        device_of(comm)->context != context ? make_device(comm, context) : TSL_OK;
    return status == TSL_OK ? TSL_OK : fail(comm, context, status);
}

tsl_status tsl_threads_mark_ready(tsl_comm *comm)
{
    const tsl_threads_device *d = device_of(comm);
    const tsl_status status = d->ops->record(d->context, d->ready);
    return status == TSL_OK ? TSL_OK : fail(comm, d->context, status);
}

/* Make sure that work queued from here on may use rank q's memory as it was when q entered the
 * operation. */
static tsl_status reach(tsl_comm *comm, int q)
{
    tsl_threads_device *d = device_of(comm);
    const tsl_threads_device *other = &tsl_threads_group_of(comm)->devices[q];
    tsl_status status = TSL_OK;
    if (q == comm->rank) {
        return TSL_OK;
    }
    if (d->opened[q] != other->generation) {
        status = d->ops->open(d->context, other->context);
        d->opened[q] = status == TSL_OK ? other->generation : 0;
    }
    return status == TSL_OK ? d->ops->wait(d->context, other->ready) : status;
}

/* Copies of one call of the device. */
typedef struct batch {
    tsl_peer_copy copies[TSL_PEER_COPIES];
    int count;
} batch;

static tsl_status queue(const tsl_threads_device *d, batch *b)
{
    const int count = b->count;
    b->count = 0;
    return count > 0 ? d->ops->copy(d->context, b->copies, count) : TSL_OK;
}

/* Add the copies of what this rank sends to rank `to`. If `waits`, the stream first waits for the
 * event of that rank. */
static tsl_status add_copies(tsl_comm *comm, batch *b, int to, bool waits)
{
    const tsl_threads_device *d = device_of(comm);
    tsl_status status = TSL_OK;
    for (int k = 0; k < tsl_threads_pieces(comm, to) && status == TSL_OK; k++) {
        const tsl_threads_piece piece = tsl_threads_piece_at(comm, to, k);
        const void *source;
        if (piece.from != comm->rank) {
            continue;
        }
        status = tsl_threads_source(&source, comm, to, k);
        if (status != TSL_OK) {
            return status; /* published */
        }
        if (piece.bytes == 0 || piece.target == source) {
            continue;
        }
        status = waits ? reach(comm, to) : TSL_OK;
        if (status == TSL_OK && b->count == TSL_PEER_COPIES) {
            status = queue(d, b);
        }
        b->copies[b->count++] =
            (tsl_peer_copy){.to = tsl_threads_group_of(comm)->devices[to].context,
                            .source = source,
                            .target = piece.target,
                            .bytes = piece.bytes,
                            .rank = to};
        status = status == TSL_OK ? TSL_OK : fail(comm, d->context, status);
    }
    return status;
}

/* Each rank writes to the others' memory: over a link, writing is faster than reading, which has to
 * ask first. Ranks begin with different receivers, so that not all write to one at a time. */
static tsl_status copy_device(tsl_comm *comm, bool meets)
{
    const tsl_threads_device *d = device_of(comm);
    batch b;
    b.count = 0;
    tsl_status status = TSL_OK;
    for (int i = 1; i <= comm->size && status == TSL_OK; i++) {
        status = add_copies(comm, &b, (comm->rank + i) % comm->size, !meets);
    }
    if (meets) {
        /* The others wait for this rank's kernel, if only to hear that nothing comes. */
        const tsl_status met = tsl_threads_meet(comm, b.copies, status == TSL_OK ? b.count : 0);
        return met == TSL_OK ? status : fail(comm, d->context, met);
    }
    if (status != TSL_OK) {
        return status;
    }
    status = queue(d, &b);
    return status == TSL_OK ? TSL_OK : fail(comm, d->context, status);
}

/* Does rank q use this rank's memory in the operation in progress? */
static bool uses(const tsl_comm *comm, int q)
{
    const tsl_threads_slot *mine = &tsl_threads_group_of(comm)->slots[comm->rank];
    if (mine->kind == TSL_THREADS_ALL_REDUCE) {
        return tsl_comm_slice(mine->count, q, comm->size) <
               tsl_comm_slice(mine->count, q + 1, comm->size);
    }
    return tsl_threads_sends(comm, q, comm->rank);
}

/* Leave an operation that events order. Once a rank has left, its slot and device may change, so
 * what the others' say is noted before. All ranks have entered this operation, so none waits for an
 * earlier one any more. */
static tsl_status leave(tsl_comm *comm, tsl_status status)
{
    tsl_threads_device *d = device_of(comm);
    if (status == TSL_OK && atomic_load(&tsl_threads_group_of(comm)->job->failed) == 0) {
        tsl_threads_settle_device(d->before); /* its kernels have heard all that others told them */
        release_before(d);
        tsl_threads_look_around(comm);
    }
    for (int q = 0; q < comm->size; q++) {
        const bool wait = q != comm->rank && uses(comm, q);
        d->waits[q] = wait ? tsl_threads_group_of(comm)->devices[q].done : NULL;
    }
    const tsl_status recorded = d->ops->record(d->context, d->done);
    if (recorded != TSL_OK && status == TSL_OK) {
        status = fail(comm, d->context, recorded);
    }
    status = tsl_threads_leave(comm, status);
    /* After a failure too: memory that others are still to use must not be released. */
    for (int q = 0; q < comm->size; q++) {
        const tsl_status waited =
            d->waits[q] != NULL ? d->ops->wait(d->context, d->waits[q]) : TSL_OK;
        if (waited != TSL_OK && status == TSL_OK) {
            status = fail(comm, d->context, waited);
        }
    }
    return status;
}

tsl_status tsl_threads_move_device(tsl_comm *comm)
{
    if (tsl_threads_meets(comm)) {
        return tsl_threads_leave(comm, copy_device(comm, true));
    }
    const tsl_status status = tsl_threads_mark_ready(comm);
    tsl_threads_line_up(comm); /* all have done so */
    return leave(comm, status == TSL_OK ? copy_device(comm, false) : status);
}

/* Each rank combines a slice of the values and writes it to everyone's memory. */
static tsl_status reduce_device(tsl_comm *comm)
{
    const tsl_threads_device *d = device_of(comm);
    const tsl_threads_group *group = tsl_threads_group_of(comm);
    const tsl_threads_slot *mine = &group->slots[comm->rank];
    tsl_context *contexts[TSL_PEER_RANKS];
    tsl_peer_reduction what = {.first = tsl_comm_slice(mine->count, comm->rank, comm->size),
                               .last = tsl_comm_slice(mine->count, comm->rank + 1, comm->size),
                               .ranks = comm->size,
                               .type = mine->type,
                               .operation = mine->operation};
    if (comm->size > TSL_PEER_RANKS) {
        return fail(comm, d->context,
                    tsl_fail(d->context, TSL_E_UNSUPPORTED,
                             "%d ranks: a reduction on devices takes at most %d", comm->size,
                             (int)TSL_PEER_RANKS));
    }
    if (what.first == what.last) {
        return TSL_OK;
    }
    tsl_status status = TSL_OK;
    for (int q = 0; q < comm->size && status == TSL_OK; q++) {
        contexts[q] = group->devices[q].context;
        what.values[q] = group->slots[q].data;
        status = reach(comm, q);
    }
    if (status == TSL_OK) {
        status = d->ops->reduce(d->context, contexts, &what);
    }
    return status == TSL_OK ? TSL_OK : fail(comm, d->context, status);
}

tsl_status tsl_threads_reduce_device(tsl_comm *comm)
{
    return leave(comm, reduce_device(comm));
}
