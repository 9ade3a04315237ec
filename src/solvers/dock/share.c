/* What each rank has done goes to all as a stream: a range of items, their outcome, and so on. */
#include "solvers/dock/share.h"

#include <math.h>
#include <string.h>

typedef struct range {
    int64_t first, count;
} range;

typedef struct ranges {
    range *at;
    int64_t count, room, items;
} ranges;

/* What a rank tells before its stream. */
typedef struct head {
    int64_t bytes; /* of the stream */
    int64_t cancelled;
    int64_t double_precision;
    double transform_error, transform_bound;
} head;

/* ---- a rank's part ------------------------------------------------------------------------ */

static tsl_status make_room(ranges *list, tsl_context *context)
{
    if (list->count < list->room) {
        return TSL_OK;
    }
    const int64_t room = 2 * list->room + 64;
    range *at =
        tsl_reallocate(list->at, (size_t)list->count * sizeof *at, (size_t)room * sizeof *at);
    if (at == NULL) {
        return tsl_fail_memory(context, room * (int64_t)sizeof *at, "a rank's part of the work");
    }
    list->at = at;
    list->room = room;
    return TSL_OK;
}

/* A failure shows in what follows. */
static bool has_more(void *queue)
{
    bool more = false;
    return tsl_queue_has_more(queue, &more) == TSL_OK && more;
}

static tsl_status take_chunks(tsl_dock_share *share, ranges *list)
{
    const tsl_fft_patience patience = {.is_wanted = has_more, .user = share->queue};
    tsl_status status =
        share->get_ready != NULL ? share->get_ready(share->plan, &patience) : TSL_OK;
    if (status != TSL_OK) { /* nothing is left, or another rank says why */
        return status == TSL_E_CANCELLED ? tsl_dock_share_goes_on(share) : status;
    }
    share->plan->begun = tsl_seconds();
    for (;;) {
        range chunk;
        status = make_room(list, share->plan->context);
        if (status == TSL_OK) {
            status = tsl_queue_next(share->queue, &chunk.first, &chunk.count);
        }
        if (status != TSL_OK || chunk.count == 0) {
            return status;
        }
        int64_t done = 0;
        status = share->run(share, chunk.first, chunk.count, &done);
        if (done > 0) {
            list->at[list->count++] = (range){chunk.first, done};
            list->items += done;
        }
        if (status != TSL_OK) {
            return status;
        }
    }
}

tsl_status tsl_dock_share_goes_on(tsl_dock_share *share)
{
    bool stopped = false;
    const tsl_status status =
        share->queue != NULL ? tsl_queue_is_stopped(share->queue, &stopped) : TSL_OK;
    return status == TSL_OK && stopped
               ? tsl_fail(share->plan->context, TSL_E_CANCELLED, "another rank stopped the search")
               : status;
}

/* ---- all ranks' parts --------------------------------------------------------------------- */

static void pack(char *to, const tsl_dock_share *share, const ranges *list)
{
    for (int64_t i = 0; i < list->count; i++) {
        const range *r = &list->at[i];
        const int64_t bytes = r->count * share->bytes;
        memcpy(to, r, sizeof *r);
        memcpy(to + sizeof *r, share->outcome + r->first * share->bytes, (size_t)bytes);
        to += (int64_t)sizeof *r + bytes;
    }
}

static void unpack(const tsl_dock_share *share, const char *from, int64_t bytes)
{
    for (const char *end = from + bytes; from < end;) {
        range r;
        memcpy(&r, from, sizeof r);
        from += sizeof r;
        memcpy(share->outcome + r.first * share->bytes, from, (size_t)(r.count * share->bytes));
        from += r.count * share->bytes;
    }
}

/* Send this rank's stream, and take in those of all others where they are wanted: `heads` says how
 * long they are. What rank 0 alone wants it does not send to itself. */
static tsl_status gather_streams(tsl_dock_share *share, const ranges *list, const head *heads,
                                 int64_t *bytes, int64_t *offsets)
{
    tsl_context *context = share->plan->context;
    tsl_comm *comm = context->comm;
    const bool receives = !share->is_for_first || comm->rank == 0;
    int64_t all = 0;
    for (int q = 0; q < comm->size; q++) {
        bytes[q] = share->is_for_first && q == 0 ? 0 : heads[q].bytes;
        offsets[q] = all;
        all += receives ? bytes[q] : 0;
    }
    char *mine = tsl_allocate((size_t)bytes[comm->rank]);
    char *streams = tsl_allocate((size_t)all);
    tsl_status status = TSL_OK;
    if (mine == NULL || streams == NULL) {
        status = tsl_fail_memory(context, all + bytes[comm->rank], "the poses of all ranks");
    } else {
        const tsl_comm_parts receive = {.data = streams, .bytes = bytes, .offsets = offsets};
        if (bytes[comm->rank] > 0) {
            pack(mine, share, list);
        }
        status = tsl_comm_gather(comm, NULL, mine, bytes[comm->rank], receives ? &receive : NULL,
                                 share->is_for_first ? 0 : TSL_COMM_ALL);
    }
    for (int q = 0; q < comm->size && receives && status == TSL_OK; q++) {
        if (q != comm->rank) {
            unpack(share, streams + offsets[q], bytes[q]);
        }
    }
    tsl_release(mine);
    tsl_release(streams);
    return status;
}

static tsl_status gather_heads(head *heads, const head *mine, tsl_comm *comm, int64_t *bytes,
                               int64_t *offsets)
{
    for (int q = 0; q < comm->size; q++) {
        bytes[q] = sizeof *mine;
        offsets[q] = q * (int64_t)sizeof *mine;
    }
    const tsl_comm_parts receive = {.data = heads, .bytes = bytes, .offsets = offsets};
    return tsl_comm_gather(comm, NULL, mine, sizeof *mine, &receive, TSL_COMM_ALL);
}

/* Bring together what all have done, and whether one of them ended the work. */
static tsl_status bring_together(tsl_dock_share *share, const ranges *list, bool cancelled)
{
    tsl_dock_plan *plan = share->plan;
    tsl_comm *comm = plan->context->comm;
    const size_t size = (size_t)comm->size;
    head *heads = tsl_allocate(size * sizeof *heads);
    int64_t *bytes = tsl_allocate(2 * size * sizeof *bytes);
    const head mine = {.bytes = list->count * (int64_t)sizeof(range) + list->items * share->bytes,
                       .cancelled = cancelled,
                       .double_precision = plan->summary.double_precision,
                       .transform_error = plan->summary.transform_error,
                       .transform_bound = plan->summary.transform_bound};
    tsl_status status = heads == NULL || bytes == NULL
                            ? tsl_fail_memory(plan->context, (int64_t)(size * sizeof mine),
                                              "the parts of all ranks")
                            : gather_heads(heads, &mine, comm, bytes, bytes + size);
    if (status == TSL_OK) {
        status = gather_streams(share, list, heads, bytes, bytes + size);
    }
    for (int q = 0; q < comm->size && status == TSL_OK; q++) {
        cancelled |= heads[q].cancelled != 0;
        plan->summary.double_precision |= heads[q].double_precision != 0;
        plan->summary.transform_error =
            fmax(plan->summary.transform_error, heads[q].transform_error);
        plan->summary.transform_bound =
            fmax(plan->summary.transform_bound, heads[q].transform_bound);
    }
    tsl_release(heads);
    tsl_release(bytes);
    return status == TSL_OK && cancelled
               ? tsl_fail(plan->context, TSL_E_CANCELLED, "the search was stopped")
               : status;
}

void tsl_dock_share_for_first(tsl_dock_plan *plan)
{
    plan->is_for_first = true;
}

void tsl_dock_share_in_parts(tsl_dock_plan *plan, const double *parts)
{
    plan->parts = parts;
}

double tsl_dock_share_begun(const tsl_dock_plan *plan)
{
    return plan->begun;
}

tsl_status tsl_dock_share_out(tsl_dock_share *share, int64_t count)
{
    tsl_context *context = share->plan->context;
    tsl_comm *comm = context->comm;
    if (comm->size == 1) {
        int64_t done;
        share->queue = NULL;
        share->plan->begun = tsl_seconds();
        return share->run(share, 0, count, &done);
    }
    ranges list = {0};
    tsl_status status =
        tsl_queue_create(&share->queue, comm, count, share->plan->correlation.batch);
    if (status == TSL_OK) {
        if (share->plan->parts != NULL) {
            tsl_queue_split(share->queue, share->plan->parts);
        }
        status = take_chunks(share, &list);
        if (status != TSL_OK && status != TSL_E_COMM) { /* the others end their chunks early */
            char reason[TSL_ERROR_TEXT];
            memcpy(reason, context->error, sizeof reason);
            tsl_queue_stop(share->queue);
            tsl_fail(context, status, "%s", reason);
        }
    }
    if (status == TSL_OK || status == TSL_E_CANCELLED) {
        const double begun = tsl_seconds();
        status = bring_together(share, &list, status == TSL_E_CANCELLED);
        tsl_profile_add(context, "gather poses", begun, list.items * share->bytes, 0);
    }
    if (status != TSL_OK && status != TSL_E_CANCELLED) {
        tsl_comm_refuse(context, status);
    }
    tsl_queue_destroy(share->queue);
    share->queue = NULL;
    tsl_release(list.at);
    return status;
}
