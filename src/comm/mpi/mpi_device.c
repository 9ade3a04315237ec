/* Operations among MPI processes on device memory, by whatever way was agreed on (mpi_path.c). */
#include <stdio.h>
#include <string.h>

#include "comm/gpu/peer.h"
#include "comm/mpi/mpi.h"
#include "device/device.h"

tsl_status tsl_mpi_device_failed(tsl_mpi_comm *c, tsl_context *context, tsl_status status)
{
    tsl_mpi_publish(&c->comm, status, context->error);
    return tsl_comm_report(&c->comm, status, "%s", context->error);
}

static bool any_fresh(const tsl_mpi_comm *c)
{
    for (int q = 0; q < c->comm.size; q++) {
        if (tsl_mpi_record_of(c, q)->fresh) {
            return true;
        }
    }
    return false;
}

/* The way of an operation of so many bytes, which all ranks know. */
static const tsl_mpi_way *way_for(const tsl_mpi_comm *c, int64_t bytes)
{
    const tsl_mpi_device *d = &c->device;
    return d->little != NULL && bytes <= TSL_MPI_LITTLE ? d->little : d->way;
}

/* Meet for an operation on memory of `context`; if that is new to any rank, all agree on a way and
 * meet again. `reduced`: bytes of a reduction. */
static tsl_status begin(tsl_mpi_comm *c, tsl_context *context, tsl_mpi_record *mine,
                        int64_t reduced)
{
    mine->device = 1;
    for (;;) {
        tsl_status status = TSL_OK;
        mine->fresh = c->device.context != context;
        if (!mine->fresh && reduced > 0) {
            status = way_for(c, reduced)->prepare(c, reduced);
        }
        if (status == TSL_OK) {
            status = tsl_mpi_meet(c, mine);
        }
        if (status != TSL_OK || !any_fresh(c)) {
            return status;
        }
        status = tsl_mpi_open_device(c, context);
        if (status != TSL_OK) {
            return status;
        }
    }
}

tsl_status tsl_mpi_device_settle(tsl_mpi_comm *c, tsl_context *context)
{
    tsl_mpi_record mine = {.kind = TSL_MPI_BARRIER};
    return begin(c, context, &mine, 0);
}

/* ---- messages ----------------------------------------------------------------------------- */

static tsl_status make_agreed(tsl_mpi_comm *c, int count)
{
    tsl_mpi_device *d = &c->device;
    if (count <= d->room) {
        return TSL_OK;
    }
    tsl_release(d->sizes);
    tsl_release(d->agreed);
    d->sizes = tsl_allocate((size_t)count * sizeof *d->sizes);
    d->agreed = tsl_allocate((size_t)count * sizeof *d->agreed);
    d->room = d->sizes != NULL && d->agreed != NULL ? count : 0;
    return d->room > 0 ? TSL_OK : tsl_mpi_no_memory(c, count * (int64_t)sizeof *d->agreed);
}

/* Tell each peer what is sent and what is expected, and hear the same. */
static tsl_status tell_sizes(tsl_mpi_comm *c, const tsl_comm_pair *pairs, int count)
{
    int64_t(*sizes)[4] = c->device.sizes;
    for (int i = 0; i < count; i++) {
        sizes[i][0] = pairs[i].send_bytes;
        sizes[i][1] = pairs[i].receive_bytes;
        sizes[i][2] = pairs[i].receive_bytes; /* what this rank's own message says */
        sizes[i][3] = pairs[i].send_bytes;
        if (pairs[i].peer == c->comm.rank) {
            sizes[i][2] = pairs[i].send_bytes;
            sizes[i][3] = pairs[i].receive_bytes;
        } else {
            tsl_mpi_receive(c, sizes[i] + 2, 2 * (int64_t)sizeof *sizes[i], pairs[i].peer);
            tsl_mpi_send(c, sizes[i], 2 * (int64_t)sizeof *sizes[i], pairs[i].peer);
        }
    }
    return tsl_mpi_complete(c);
}

/* A copy of the pairs, without those whose sizes differ: both ends find that out. */
static tsl_status agree_on_sizes(tsl_mpi_comm *c, const tsl_comm_pair *pairs, int count)
{
    tsl_mpi_device *d = &c->device;
    tsl_status status = tell_sizes(c, pairs, count);
    for (int i = 0; i < count; i++) {
        const int64_t *s = d->sizes[i];
        const int rank = c->comm.rank, peer = pairs[i].peer;
        d->agreed[i] = pairs[i];
        if (s[0] == s[3] && s[1] == s[2]) {
            continue;
        }
        const bool out = s[0] != s[3];
        char reason[TSL_MPI_REASON];
        snprintf(reason, sizeof reason,
                 "a message is not of the size that was expected: rank %d sends %lld bytes where "
                 "rank %d expects %lld",
                 out ? rank : peer, (long long)(out ? s[0] : s[2]), out ? peer : rank,
                 (long long)(out ? s[3] : s[1]));
        tsl_mpi_publish(&c->comm, TSL_E_COMM, reason);
        d->agreed[i].send_bytes = 0;
        d->agreed[i].receive_bytes = 0;
        status = TSL_E_COMM;
    }
    return status;
}

/* What a rank sends to itself. */
static tsl_status copy_own(tsl_mpi_comm *c, tsl_context *context, int count)
{
    tsl_status status = TSL_OK;
    for (int i = 0; i < count && status == TSL_OK; i++) {
        const tsl_comm_pair *p = &c->device.agreed[i];
        if (p->peer == c->comm.rank && p->send_bytes > 0 && p->send != p->receive) {
            const tsl_peer_copy copy = {
                .to = context, .source = p->send, .target = p->receive, .bytes = p->send_bytes};
            status = context->ops->peer->copy(context, &copy, 1);
        }
    }
    return status == TSL_OK ? TSL_OK : tsl_mpi_device_failed(c, context, status);
}

/* Bytes of this rank's messages to others, or from them, whichever are more. */
static int64_t most_of(const tsl_mpi_comm *c, const tsl_comm_pair *pairs, int count)
{
    int64_t sent = 0, received = 0;
    for (int i = 0; i < count; i++) {
        if (pairs[i].peer != c->comm.rank) {
            sent += pairs[i].send_bytes;
            received += pairs[i].receive_bytes;
        }
    }
    return sent > received ? sent : received;
}

/* Bytes of any rank's messages to others, or from them, whichever are most. */
static int64_t most_of_all(const tsl_mpi_comm *c)
{
    int64_t most = 0;
    for (int q = 0; q < c->comm.size; q++) {
        const int64_t theirs = tsl_mpi_record_of(c, q)->most;
        most = theirs > most ? theirs : most;
    }
    return most;
}

tsl_status tsl_mpi_device_move(tsl_mpi_comm *c, tsl_context *context, tsl_mpi_record *mine,
                               const tsl_comm_pair *pairs, int count)
{
    tsl_status status = make_agreed(c, count);
    mine->most = most_of(c, pairs, count);
    if (status == TSL_OK) {
        status = begin(c, context, mine, 0);
    }
    if (status != TSL_OK) {
        return status;
    }
    const tsl_mpi_way *way = way_for(c, most_of_all(c)); /* before the next meeting */
    /* Nobody may stop here: the others count on this rank's messages. */
    const tsl_status agreed = agree_on_sizes(c, pairs, count);
    const tsl_status copied = copy_own(c, context, count);
    status = way->move(c, c->device.agreed, count);
    if (agreed != TSL_OK) {
        return tsl_comm_report_failure(&c->comm);
    }
    return copied != TSL_OK ? copied : status;
}

/* ---- broadcast ---------------------------------------------------------------------------- */

tsl_status tsl_mpi_device_broadcast(tsl_mpi_comm *c, tsl_context *context, tsl_mpi_record *mine,
                                    void *data)
{
    const int64_t bytes = mine->count;
    const bool root = c->comm.rank == mine->root;
    char little[TSL_MPI_PAYLOAD];
    tsl_status status;
    if (bytes > TSL_MPI_PAYLOAD) {
        status = begin(c, context, mine, 0);
        return status == TSL_OK ? way_for(c, bytes)->broadcast(c, data, bytes, mine->root) : status;
    }
    mine->device = 1;
    if (root && bytes > 0) {
        status = context->ops->download(context, little, data, bytes);
        if (status != TSL_OK) {
            return tsl_mpi_device_failed(c, context, status);
        }
    }
    status = tsl_mpi_broadcast_host(c, mine, little);
    if (status == TSL_OK && !root && bytes > 0) {
        status = context->ops->upload(context, data, little, bytes);
        return status == TSL_OK ? TSL_OK : tsl_mpi_device_failed(c, context, status);
    }
    return status;
}

/* ---- all-reduce --------------------------------------------------------------------------- */

/* Reduce few values together with the meeting, through the host: no other way is faster. */
static tsl_status reduce_little(tsl_mpi_comm *c, tsl_context *context, tsl_mpi_record *mine,
                                void *values, int64_t bytes)
{
    _Alignas(8) char little[TSL_MPI_PAYLOAD];
    mine->device = 1;
    tsl_status status = bytes > 0 ? context->ops->download(context, little, values, bytes) : TSL_OK;
    if (status != TSL_OK) {
        return tsl_mpi_device_failed(c, context, status);
    }
    status = tsl_mpi_reduce_host(c, mine, little);
    if (status != TSL_OK || bytes == 0) {
        return status;
    }
    status = context->ops->upload(context, values, little, bytes);
    return status == TSL_OK ? TSL_OK : tsl_mpi_device_failed(c, context, status);
}

tsl_status tsl_mpi_device_all_reduce(tsl_mpi_comm *c, tsl_context *context, tsl_mpi_record *mine,
                                     void *values)
{
    const tsl_comm_type type = (tsl_comm_type)mine->type;
    const int64_t bytes = mine->count * tsl_comm_width(type);
    if (bytes <= TSL_MPI_PAYLOAD) {
        return reduce_little(c, context, mine, values, bytes);
    }
    const tsl_status status = begin(c, context, mine, bytes);
    return status == TSL_OK ? way_for(c, bytes)->reduce(c, values, mine->count, type,
                                                        (tsl_comm_operation)mine->operation)
                            : status;
}

/* Values of a slice lie on a bound of this many bytes. */
enum { SLICE_BOUND = 16 };

static int64_t piece_bytes(int64_t values_bytes)
{
    return (values_bytes + SLICE_BOUND - 1) / SLICE_BOUND * SLICE_BOUND;
}

tsl_status tsl_mpi_prepare_on_device(tsl_mpi_comm *c, int64_t bytes)
{
    tsl_mpi_device *d = &c->device;
    const int64_t size = c->comm.size;
    /* a slice is at most 7 bytes more than its share */
    const int64_t needed = size * piece_bytes((bytes + size - 1) / size + 8);
    tsl_status status = tsl_mpi_make_room(c, 2 * size, 2 * bytes);
    if (status != TSL_OK || needed <= d->scratch_bytes) {
        return status;
    }
    tsl_device_release(d->context, d->scratch);
    d->scratch_bytes = 0;
    status = tsl_device_allocate(&d->scratch, d->context, needed, "an all-reduce");
    if (status != TSL_OK) {
        return tsl_mpi_device_failed(c, d->context, status);
    }
    d->scratch_bytes = needed;
    return TSL_OK;
}

/* Combine the ranks' pieces of this rank's slice in their order. Two at a time become one, in both
 * places: this rank's own is left with the result. */
static tsl_status combine_pieces(tsl_mpi_comm *c, char *own, int64_t count, tsl_comm_type type,
                                 tsl_comm_operation operation)
{
    const tsl_mpi_device *d = &c->device;
    const int64_t each = piece_bytes(count * tsl_comm_width(type));
    const int rank = c->comm.rank;
    tsl_context *contexts[2] = {d->context, d->context};
    char *sum = rank == 0 ? own : d->scratch;
    tsl_status status = TSL_OK;
    for (int q = 1; q < c->comm.size && status == TSL_OK; q++) {
        char *next = q == rank ? own : (char *)d->scratch + q * each;
        const tsl_peer_reduction what = {
            .values = {sum, next}, .last = count, .ranks = 2, .type = type, .operation = operation};
        status = d->context->ops->peer->reduce(d->context, contexts, &what);
        sum = q == rank ? own : sum;
    }
    return status;
}

tsl_status tsl_mpi_reduce_on_device(tsl_mpi_comm *c, void *values, int64_t count,
                                    tsl_comm_type type, tsl_comm_operation operation)
{
    const int size = c->comm.size, rank = c->comm.rank, width = tsl_comm_width(type);
    const int64_t first = tsl_comm_slice(count, rank, size);
    const int64_t mine = tsl_comm_slice(count, rank + 1, size) - first;
    const int64_t each = piece_bytes(mine * width);
    char *own = (char *)values + first * width;
    for (int q = 0; q < size; q++) {
        const int64_t at = tsl_comm_slice(count, q, size);
        c->pairs[q] =
            (tsl_comm_pair){.peer = q,
                            .send = (char *)values + at * width,
                            .send_bytes = (tsl_comm_slice(count, q + 1, size) - at) * width,
                            .receive = (char *)c->device.scratch + q * each,
                            .receive_bytes = mine * width};
    }
    const tsl_status moved = c->device.way->move(c, c->pairs, size);
    const tsl_status combined = combine_pieces(c, own, mine, type, operation);
    if (combined != TSL_OK) {
        tsl_mpi_device_failed(c, c->device.context, combined);
    }
    for (int q = 0; q < size; q++) {
        const tsl_comm_pair p = c->pairs[q];
        c->pairs[q] = (tsl_comm_pair){.peer = q,
                                      .send = own,
                                      .send_bytes = mine * width,
                                      .receive = (void *)(uintptr_t)p.send,
                                      .receive_bytes = p.send_bytes};
    }
    const tsl_status returned = c->device.way->move(c, c->pairs, size);
    return moved != TSL_OK ? moved : combined != TSL_OK ? combined : returned;
}
