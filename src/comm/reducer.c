#include <string.h>

#include "comm/threads/threads.h"
#include "device/device.h"

struct tsl_reducer {
    tsl_comm *comm;
    tsl_context *context;
    bool direct;
    int64_t count;
    tsl_comm_type type;
    tsl_comm_operation operation;
    tsl_peer_signal signal; /* the rest only if direct */
    int32_t *flag;
    tsl_threads_watch watch;
    tsl_threads_parting *parting; /* NULL: the others have not heard of this rank's */
};

/* What a rank tells the others of itself. */
typedef struct offer {
    tsl_peer_mailbox *mailbox;    /* NULL: it has none to offer */
    tsl_threads_parting *parting; /* of rank 0; it is for all */
    const tsl_context *context;
    char device[TSL_DEVICE_NAME];
} offer;

static const tsl_peer_ops *peer_of(const tsl_reducer *r)
{
    return r->context != NULL ? r->context->ops->peer : NULL;
}

/* What this rank can bring; out of memory is a failure, not a reason to do without. */
static tsl_status make_offer(offer *out, tsl_reducer *r)
{
    const tsl_peer_ops *peer = peer_of(r);
    memset(out, 0, sizeof *out);
    if (!r->comm->ops->one_process || r->comm->size == 1 || r->comm->size > TSL_PEER_RANKS ||
        !tsl_peer_side_by_side(peer) || peer->signal == NULL || r->count < 1 ||
        r->count * tsl_comm_width(r->type) > TSL_PEER_LITTLE) {
        return TSL_OK;
    }
    if (r->comm->rank == 0) {
        out->parting = tsl_allocate_zeroed(1, sizeof *out->parting);
        if (out->parting == NULL) {
            return tsl_fail_memory(r->context, (int64_t)sizeof *out->parting, "a reduction");
        }
    }
    r->signal.room = (int32_t)(r->count * tsl_comm_width(r->type) / 4);
    const int64_t words = 2 * (int64_t)r->comm->size * r->signal.room;
    const int64_t bytes =
        (int64_t)(sizeof(tsl_peer_mailbox) + sizeof(tsl_peer_word) * (size_t)words);
    void *mailbox = NULL;
    tsl_status status = TSL_OK;
    TSL_TRY(tsl_device_allocate(&mailbox, r->context, bytes, "a reduction"));
    r->signal.mailbox[r->comm->rank] = mailbox;
    TSL_TRY(r->context->ops->fill(r->context, mailbox, 0, bytes));
    TSL_TRY(tsl_context_synchronize(r->context));
    r->flag = peer->create_host(r->context, (int64_t)sizeof *r->flag);
    TSL_TRY(r->flag == NULL ? tsl_fail_memory(r->context, 4, "a reduction") : TSL_OK);
done:
    if (r->flag != NULL) {
        *r->flag = 0;
    }
    out->mailbox = mailbox;
    out->context = r->context;
    memcpy(out->device, r->context->name, sizeof out->device);
    return status;
}

/* Can all do it: each has a device of its own? All ranks see the same offers. */
static bool agrees(const offer *offers, int size)
{
    for (int q = 0; q < size; q++) {
        if (offers[q].mailbox == NULL) {
            return false;
        }
        for (int other = 0; other < q; other++) {
            if (strcmp(offers[q].device, offers[other].device) == 0) {
                return false;
            }
        }
    }
    return true;
}

/* Collect the offers; then whether every rank can use every other's memory. */
static tsl_status agree(tsl_reducer *r, const offer *mine, offer *offers, int64_t *bytes)
{
    tsl_comm *comm = r->comm;
    int64_t *offsets = bytes + comm->size;
    for (int q = 0; q < comm->size; q++) {
        bytes[q] = sizeof *mine;
        offsets[q] = q * (int64_t)sizeof *mine;
    }
    const tsl_comm_parts all = {.data = offers, .bytes = bytes, .offsets = offsets};
    tsl_status status = tsl_comm_gather(comm, NULL, mine, sizeof *mine, &all, TSL_COMM_ALL);
    r->parting = status == TSL_OK ? offers[0].parting : NULL;
    int32_t direct = status == TSL_OK && agrees(offers, comm->size);
    for (int q = 0; q < comm->size && direct; q++) {
        r->signal.mailbox[q] = offers[q].mailbox;
        direct = q == comm->rank || peer_of(r)->open(r->context, offers[q].context) == TSL_OK;
    }
    if (status == TSL_OK) {
        status = tsl_comm_all_reduce(comm, NULL, &direct, 1, TSL_COMM_INT32, TSL_COMM_MIN);
    }
    r->direct = status == TSL_OK && direct != 0;
    return status;
}

static tsl_status prepare(tsl_reducer *r)
{
    const size_t size = (size_t)r->comm->size;
    offer mine = {0};
    offer *offers = tsl_allocate(size * sizeof *offers);
    int64_t *bytes = tsl_allocate(2 * size * sizeof *bytes);
    tsl_status status =
        offers == NULL || bytes == NULL
            ? tsl_fail_memory(r->context, (int64_t)(size * sizeof *offers), "a reduction")
            : make_offer(&mine, r);
    if (status != TSL_OK) {
        tsl_comm_fail(r->comm, status, tsl_last_error(r->context));
    } else {
        status = agree(r, &mine, offers, bytes);
    }
    if (r->parting == NULL) {
        tsl_release(mine.parting);
    }
    tsl_release(offers);
    tsl_release(bytes);
    return status;
}

tsl_status tsl_reducer_create(tsl_reducer **out, tsl_comm *comm, tsl_context *context,
                              int64_t count, tsl_comm_type type, tsl_comm_operation operation)
{
    tsl_reducer *r = tsl_allocate_zeroed(1, sizeof *r);
    if (r == NULL) {
        tsl_fail_memory(context, (int64_t)sizeof *r, "a reduction");
        return tsl_comm_fail(comm, TSL_E_NOMEM, tsl_last_error(context));
    }
    r->comm = comm;
    r->context = context;
    r->count = count;
    r->type = type;
    r->operation = operation;
    const tsl_status status = prepare(r);
    if (status != TSL_OK) {
        tsl_reducer_destroy(r);
        return status;
    }
    if (r->direct) {
        r->signal.off = r->flag;
        r->signal.rank = comm->rank;
        r->signal.ranks = comm->size;
        r->signal.type = type;
        r->signal.operation = operation;
        const tsl_threads_group *group = tsl_threads_group_of(comm);
        tsl_threads_begin_watch(&r->watch, group->job, group, r->flag);
    }
    *out = r;
    return TSL_OK;
}

/* When this rank's kernels are done all others have written what they had to. After a failure they
 * may have been called off while others' are still to write: tsl_threads_part() waits for those. */
void tsl_reducer_destroy(tsl_reducer *r)
{
    if (r == NULL) {
        return;
    }
    if (r->context != NULL) {
        tsl_context_synchronize(r->context);
    }
    if (r->parting != NULL) {
        tsl_threads_part(r->comm, r->parting);
    }
    if (r->context != NULL) {
        tsl_device_release(r->context, r->signal.mailbox[r->comm->rank]);
    }
    if (r->direct) {
        tsl_threads_end_watch(&r->watch, tsl_threads_group_of(r->comm)->job);
    }
    if (r->flag != NULL) {
        peer_of(r)->destroy_host(r->flag);
    }
    tsl_release(r);
}

tsl_status tsl_reducer_execute(tsl_reducer *r, void *values, int64_t count)
{
    if (!r->direct || count > r->count) {
        return tsl_comm_all_reduce(r->comm, r->context, values, count, r->type, r->operation);
    }
    if (r->comm->ops->failure(r->comm, &(int){0}, &(tsl_status){TSL_OK}) != NULL) {
        tsl_comm_report_failure(r->comm);
        return tsl_fail(r->context, TSL_E_COMM, "%s", r->comm->root->error);
    }
    tsl_peer_signal signal = r->signal;
    signal.values = values;
    signal.count = (int32_t)count;
    const tsl_status status = peer_of(r)->signal(r->context, &signal);
    return status == TSL_OK ? TSL_OK : tsl_comm_fail(r->comm, status, tsl_last_error(r->context));
}

bool tsl_reducer_is_direct(const tsl_reducer *r)
{
    return r->direct;
}
