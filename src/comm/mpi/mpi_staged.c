/* Device memory by way of pinned host memory, a segment at a time: while one is sent, the next is
 * copied.
 *
 * A message is cut into segments, each of which passes through a slot. Slots of a direction are
 * taken in turn. Segments go round by round: in round r to the rank r above and from the rank r
 * below. So all ranks handle what they send and what they receive in one order, and of all segments
 * that are not through yet the first always has a slot at both ends: nobody waits in a circle. */
#include <sched.h>

#include "comm/gpu/peer.h"
#include "comm/mpi/mpi.h"
#include "device/device.h"

enum {
    SLOTS = 4,         /* of a direction */
    PATIENCE = 200,    /* looks before another process may have the processor */
    SEGMENT = 1 << 20, /* bytes: long enough that messages, not their beginnings, take the time */
};

typedef struct segment {
    int peer;
    char *device;
    int bytes;
} segment;

typedef struct slot {
    char *host;        /* [SEGMENT], pinned */
    tsl_event *copied; /* the last copy to or from it */
    bool busy;         /* that copy may be under way */
    MPI_Request request;
    segment segment;
} slot;

struct tsl_mpi_staging {
    char *host;
    slot out[SLOTS], in[SLOTS];
};

/* ---- life --------------------------------------------------------------------------------- */

static void staged_close(tsl_mpi_comm *c)
{
    tsl_mpi_staging *s = c->device.staging;
    const tsl_peer_ops *peer = c->device.context->ops->peer;
    if (s == NULL) {
        return;
    }
    c->device.context->ops->synchronize(c->device.context); /* copies from the slots */
    for (int i = 0; i < SLOTS; i++) {
        peer->destroy(s->out[i].copied);
        peer->destroy(s->in[i].copied);
    }
    if (s->host != NULL) {
        peer->destroy_host(s->host);
    }
    tsl_release(s);
    c->device.staging = NULL;
}

static tsl_status staged_open(tsl_mpi_comm *c, tsl_context *context)
{
    const tsl_peer_ops *peer = context->ops->peer;
    const int64_t bytes = 2 * SLOTS * (int64_t)SEGMENT;
    tsl_mpi_staging *s = tsl_allocate_zeroed(1, sizeof *s);
    c->device.staging = s;
    if (s == NULL) {
        return tsl_mpi_no_memory(c, (int64_t)sizeof *s);
    }
    s->host = peer->create_host(context, bytes);
    if (s->host == NULL) {
        return tsl_mpi_no_memory(c, bytes);
    }
    tsl_status status = TSL_OK;
    for (int i = 0; i < SLOTS && status == TSL_OK; i++) {
        s->out[i].host = s->host + i * (int64_t)SEGMENT;
        s->in[i].host = s->host + (SLOTS + i) * (int64_t)SEGMENT;
        status = peer->create(&s->out[i].copied, context);
        status = status == TSL_OK ? peer->create(&s->in[i].copied, context) : status;
    }
    return status == TSL_OK ? TSL_OK : tsl_mpi_device_failed(c, context, status);
}

/* ---- copies ------------------------------------------------------------------------------- */

/* What goes wrong with the device is kept for the end: the messages go on, whatever they hold. */
static void note(tsl_status *status, tsl_status found)
{
    *status = *status == TSL_OK ? found : *status;
}

/* Has the slot's copy been made? */
static bool is_free(tsl_context *context, slot *s, tsl_status *status)
{
    if (s->busy) {
        bool past = true;
        note(status, context->ops->peer->look(context, s->copied, &past));
        s->busy = !past;
    }
    return !s->busy;
}

static void wait_for(tsl_context *context, slot *s, tsl_status *status)
{
    for (int look = 0; !is_free(context, s, status); look++) {
        if (look > PATIENCE) {
            sched_yield();
        }
    }
}

/* Queue a copy from the device into the slot, or back. */
static void copy(tsl_context *context, slot *s, bool to_device, tsl_status *status)
{
    const tsl_peer_ops *peer = context->ops->peer;
    const segment *g = &s->segment;
    tsl_status copied = to_device ? peer->load(context, g->device, s->host, g->bytes)
                                  : peer->store(context, s->host, g->device, g->bytes);
    if (copied == TSL_OK) {
        copied = peer->record(context, s->copied);
        s->busy = copied == TSL_OK;
    }
    note(status, copied);
}

/* ---- messages ----------------------------------------------------------------------------- */

/* Where a rank is in what it sends, or receives. */
typedef struct cursor {
    const tsl_mpi_comm *c;
    const tsl_comm_pair *pairs;
    int count;
    bool sends;
    int round, index; /* the pair */
    int64_t at;       /* bytes of its message so far */
} cursor;

static bool next_segment(segment *out, cursor *k)
{
    const int size = k->c->comm.size, rank = k->c->comm.rank;
    for (; k->round < size; k->round++, k->index = 0) {
        const int peer = (rank + (k->sends ? k->round : size - k->round)) % size;
        for (; k->index < k->count; k->index++, k->at = 0) {
            const tsl_comm_pair *p = &k->pairs[k->index];
            const int64_t left = (k->sends ? p->send_bytes : p->receive_bytes) - k->at;
            if (p->peer == peer && left > 0) {
                char *data = k->sends ? (char *)(uintptr_t)p->send : p->receive;
                *out = (segment){.peer = peer,
                                 .device = data + k->at,
                                 .bytes = left < SEGMENT ? (int)left : SEGMENT};
                k->at += out->bytes;
                return true;
            }
        }
    }
    return false;
}

/* One direction: of the segments so far, how many have a slot, are (or have come) with MPI, and are
 * done with both. */
typedef struct lane {
    tsl_mpi_comm *c;
    tsl_context *context;
    slot *slots;
    cursor cursor;
    bool more;
    int64_t begun, moving, done;
    int error; /* of MPI */
    tsl_status *status;
} lane;

/* Begin the slot's message. One that could not be begun is over, and makes the lane fail. */
static void begin_message(lane *l, slot *s, bool out)
{
    const segment *what = &s->segment;
    const int error = out ? MPI_Isend(s->host, what->bytes, MPI_BYTE, what->peer, TSL_MPI_DATA,
                                      l->c->mpi, &s->request)
                          : MPI_Irecv(s->host, what->bytes, MPI_BYTE, what->peer, TSL_MPI_DATA,
                                      l->c->mpi, &s->request);
    if (error != MPI_SUCCESS) {
        l->error = error;
        s->request = MPI_REQUEST_NULL;
    }
}

/* Is the slot's message over, for good or ill? */
static bool is_over(lane *l, slot *s)
{
    int over = 0;
    const int error = MPI_Test(&s->request, &over, MPI_STATUS_IGNORE);
    if (error != MPI_SUCCESS) {
        l->error = error;
    }
    return over || error != MPI_SUCCESS;
}

/* Move what can be moved; false: nothing can. */
static bool advance_out(lane *l)
{
    bool moved = false;
    slot *s = &l->slots[l->begun % SLOTS];
    if (l->more && l->begun - l->done < SLOTS) {
        l->more = next_segment(&s->segment, &l->cursor);
        if (l->more) {
            wait_for(l->context, s, l->status);
            copy(l->context, s, false, l->status);
            l->begun++;
            moved = true;
        }
    }
    s = &l->slots[l->moving % SLOTS];
    if (l->moving < l->begun && is_free(l->context, s, l->status)) {
        begin_message(l, s, true);
        l->moving++;
        moved = true;
    }
    s = &l->slots[l->done % SLOTS];
    const bool sent = l->done < l->moving && is_over(l, s);
    l->done += sent;
    return moved || sent;
}

/* Move messages that come in; false: nothing can move. The last copies are left under way. */
static bool advance_in(lane *l)
{
    bool moved = false;
    slot *s = &l->slots[l->begun % SLOTS];
    if (l->more && l->begun - l->done < SLOTS && is_free(l->context, s, l->status)) {
        l->more = next_segment(&s->segment, &l->cursor);
        if (l->more) {
            begin_message(l, s, false);
            l->begun++;
            moved = true;
        }
    }
    s = &l->slots[l->done % SLOTS];
    const bool arrived = l->done < l->begun && is_over(l, s);
    if (arrived) {
        copy(l->context, s, true, l->status);
        l->done++;
    }
    return moved || arrived;
}

static tsl_status outcome(tsl_mpi_comm *c, tsl_status status, int error)
{
    if (error != MPI_SUCCESS) {
        tsl_mpi_publish(&c->comm, TSL_E_COMM, "a message between devices was lost");
        return tsl_comm_report_failure(&c->comm);
    }
    return status == TSL_OK ? TSL_OK : tsl_mpi_device_failed(c, c->device.context, status);
}

static tsl_status staged_move(tsl_mpi_comm *c, const tsl_comm_pair *pairs, int count)
{
    tsl_status status = TSL_OK;
    lane out = {.c = c,
                .context = c->device.context,
                .slots = c->device.staging->out,
                .cursor = {.c = c, .pairs = pairs, .count = count, .sends = true, .round = 1},
                .more = true,
                .status = &status};
    lane in = out;
    in.slots = c->device.staging->in;
    in.cursor.sends = false;
    for (int look = 0; out.more || in.more || out.done < out.begun || in.done < in.begun; look++) {
        const bool moved_in = advance_in(&in);
        if (advance_out(&out) || moved_in) {
            look = 0;
        } else if (look > PATIENCE) {
            sched_yield();
        }
    }
    return outcome(c, status, out.error != MPI_SUCCESS ? out.error : in.error);
}

/* ---- one array, segment by segment ---------------------------------------------------------- */

typedef tsl_status (*segment_work)(tsl_mpi_comm *c, void *host, int bytes, const void *argument);

/* Each segment of the array from the device, if `gets`, through `work` on the host, and back, if
 * `puts`. The stream gets half of the slots ahead of the work, after what it puts from them. */
static tsl_status stream(tsl_mpi_comm *c, char *data, int64_t bytes, bool gets, bool puts,
                         segment_work work, const void *argument)
{
    tsl_context *context = c->device.context;
    const int64_t segments = (bytes + SEGMENT - 1) / SEGMENT;
    tsl_status status = TSL_OK, worked = TSL_OK;
    int64_t begun = 0;
    for (int64_t i = 0; i < segments && worked == TSL_OK; i++) {
        for (; begun < segments && begun < i + SLOTS / 2; begun++) {
            slot *s = &c->device.staging->out[begun % SLOTS];
            const int64_t at = begun * SEGMENT;
            s->segment = (segment){.device = data + at,
                                   .bytes = bytes - at < SEGMENT ? (int)(bytes - at) : SEGMENT};
            if (gets) {
                copy(context, s, false, &status);
            }
        }
        slot *s = &c->device.staging->out[i % SLOTS];
        wait_for(context, s, &status);
        worked = work(c, s->host, s->segment.bytes, argument);
        if (puts) {
            copy(context, s, true, &status);
        }
    }
    return worked != TSL_OK ? worked : outcome(c, status, MPI_SUCCESS);
}

static tsl_status pass_on(tsl_mpi_comm *c, void *host, int bytes, const void *root)
{
    return tsl_mpi_pass_on(c, host, bytes, *(const int *)root);
}

static tsl_status staged_broadcast(tsl_mpi_comm *c, void *data, int64_t bytes, int root)
{
    const bool mine = c->comm.rank == root;
    return stream(c, data, bytes, mine, !mine, pass_on, &root);
}

typedef struct reduction {
    tsl_comm_type type;
    tsl_comm_operation operation;
} reduction;

static tsl_status reduce_segment(tsl_mpi_comm *c, void *host, int bytes, const void *argument)
{
    const reduction *r = argument;
    return tsl_mpi_reduce_slices(c, host, bytes / tsl_comm_width(r->type), r->type, r->operation);
}

static tsl_status staged_prepare(tsl_mpi_comm *c, int64_t bytes)
{
    return tsl_mpi_prepare_slices(c, bytes < SEGMENT ? bytes : SEGMENT);
}

static tsl_status staged_reduce(tsl_mpi_comm *c, void *values, int64_t count, tsl_comm_type type,
                                tsl_comm_operation operation)
{
    const reduction r = {.type = type, .operation = operation};
    return stream(c, values, count * tsl_comm_width(type), true, true, reduce_segment, &r);
}

const tsl_mpi_way tsl_mpi_by_staging = {.open = staged_open,
                                        .close = staged_close,
                                        .prepare = staged_prepare,
                                        .move = staged_move,
                                        .broadcast = staged_broadcast,
                                        .reduce = staged_reduce};
