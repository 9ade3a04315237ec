/* Ranks that fail. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "comm/cases.h"
#include "device/device.h"

enum { BYTES = 30000, MOST = 16 };

/* A rank's buffers and sub-communicator for one walk through the cycle. */
typedef struct walk {
    tsl_comm *comm;
    tsl_context *context; /* whose memory; NULL: the host's */
    tsl_comm *half;       /* NULL at first, and where there is none */
    tsl_counters *counters;
    char *one, *other;
    int64_t bytes[MOST], offsets[MOST];
} walk;

static tsl_status reduce(const walk *w, tsl_comm *comm, int64_t count)
{
    return tsl_comm_all_reduce(comm, w->context, w->one, count, TSL_COMM_DOUBLE, TSL_COMM_SUM);
}

static tsl_status exchange_with(tsl_comm *comm, walk *w, int64_t bytes)
{
    const int next = (comm->rank + 1) % comm->size;
    const int previous = (comm->rank + comm->size - 1) % comm->size;
    const tsl_comm_pair ring[2] = {{.peer = next, .send = w->one, .send_bytes = bytes},
                                   {.peer = previous, .receive = w->other, .receive_bytes = bytes}};
    const tsl_comm_pair both[1] = {{.peer = next,
                                    .send = w->one,
                                    .send_bytes = bytes,
                                    .receive = w->other,
                                    .receive_bytes = bytes}};
    return comm->size <= 2 ? tsl_comm_exchange(comm, w->context, 1, both)
                           : tsl_comm_exchange(comm, w->context, 2, ring);
}

/* Operation number `at` of the cycle. */
static tsl_status step(walk *w, int at)
{
    tsl_comm *half = w->half != NULL ? w->half : w->comm;
    const int64_t each = BYTES / MOST;
    for (int q = 0; q < w->comm->size; q++) {
        w->bytes[q] = each;
        w->offsets[q] = q * each;
    }
    const tsl_comm_parts send = {.data = w->one, .bytes = w->bytes, .offsets = w->offsets};
    const tsl_comm_parts receive = {.data = w->other, .bytes = w->bytes, .offsets = w->offsets};
    const int64_t add[TSL_COUNTERS] = {1};
    int64_t before[TSL_COUNTERS];
    switch (at % COMM_CYCLE) {
    case 0:
        return tsl_comm_barrier(w->comm);
    case 1:
        return tsl_comm_broadcast(w->comm, w->context, w->one, BYTES, at % w->comm->size);
    case 2:
        tsl_comm_destroy(w->half);
        w->half = NULL;
        return tsl_comm_split(&w->half, w->comm, w->comm->rank % 2, 0);
    case 3:
        return reduce(w, w->comm, 2);
    case 4:
        return tsl_comm_all_to_all(w->comm, w->context, &send, &receive);
    case 5:
        return tsl_comm_gather(w->comm, w->context, w->one, each, &receive, at % w->comm->size);
    case 6:
        return exchange_with(half, w, BYTES);
    case 7:
        return reduce(w, half, BYTES / 8);
    case 8:
        tsl_counters_destroy(w->counters);
        w->counters = NULL;
        return tsl_counters_create(&w->counters, w->comm);
    case 9:
        return tsl_counters_add(w->counters, add, before);
    case 10:
        return tsl_comm_barrier(half);
    default:
        return tsl_comm_all_to_all(half, w->context, &send, &receive);
    }
}

static walk begin(tsl_comm *comm, tsl_context *context)
{
    walk w = {.comm = comm, .context = context};
    if (context == NULL) {
        w.one = calloc(1, BYTES);
        w.other = calloc(1, BYTES);
    } else {
        void *memory = NULL;
        tsl_device_allocate(&memory, context, 2 * BYTES, "a test");
        w.one = memory;
        w.other = w.one + BYTES;
    }
    return w;
}

static void end(walk *w)
{
    tsl_comm_destroy(w->half);
    tsl_counters_destroy(w->counters);
    if (w->context == NULL) {
        free(w->one);
        free(w->other);
    } else {
        tsl_device_release(w->context, w->one);
    }
}

tsl_status comm_cycle(tsl_comm *comm, int count)
{
    walk w = begin(comm, NULL);
    tsl_status status = TSL_OK;
    for (int at = 0; at < count && status == TSL_OK; at++) {
        status = step(&w, at);
    }
    end(&w);
    return status;
}

/* The last operation before `at` that all ranks meet in; those after it halves do by themselves, or
 * each rank alone. */
static int last_meeting(int at)
{
    int before = at - 1;
    while (before % COMM_CYCLE >= 6 && before % COMM_CYCLE != 8) {
        before--;
    }
    return before;
}

tsl_status comm_fail_at(tsl_comm *comm, tsl_context *context, int failing, int at)
{
    walk w = begin(comm, context);
    tsl_status status = TSL_OK;
    int i = 0;
    for (; i < at + 10 * COMM_CYCLE && status == TSL_OK; i++) {
        if (comm->rank == failing && i == at) {
            status = tsl_comm_fail(comm, TSL_E_IO, COMM_REASON);
            /* what is done with the memory now must not matter to those still copying from it */
            break;
        }
        status = step(&w, i);
    }
    int rank = -1;
    tsl_status reason = TSL_OK;
    char line[128];
    snprintf(line, sizeof line, "rank %d: %s", failing, COMM_REASON);
    bool as_expected = status == (comm->rank == failing ? TSL_E_IO : TSL_E_COMM) &&
                       i > last_meeting(at) && tsl_comm_failure(comm, &rank, &reason) != NULL &&
                       rank == failing && reason == TSL_E_IO;
    if (comm->rank != failing) {
        as_expected = as_expected && strcmp(tsl_last_error(comm->root->context), line) == 0;
    }
    /* and ever after, the failed rank included */
    as_expected = as_expected && tsl_comm_barrier(comm) == TSL_E_COMM &&
                  strcmp(tsl_last_error(comm->root->context), line) == 0;
    end(&w);
    return as_expected ? TSL_OK : TSL_E_INTERNAL;
}
