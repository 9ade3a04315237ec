/* An all-to-all between two devices beside what it could be: direct copies of the same messages.
 *
 *     peer_copies DEVICE DEVICE REPEATS LARGEST
 *     peer_copies cuda:0 cuda:1 11 256
 *
 * Two ranks, threads of this process, a device each; messages of 1, 4, 16, … MiB, LARGEST at most.
 * Each figure is the median of the repeats, after one to warm up, of the slower rank's time from a
 * barrier of the hosts until its device is done, in GB/s each way:
 *
 *     one way      rank 0 copies a message to rank 1's memory
 *     both ways    both do so at the same time
 *     all-to-all   tsl_comm_all_to_all() of a message a pair: the part a rank keeps is copied too
 *
 * and the ratio of the last two. Between GPUs a copy is cudaMemcpyPeerAsync(), by the copy engines;
 * elsewhere it is the device's own. Every byte received is looked at: status 1 if one is wrong.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench.h"
#include "comm/comm.h"
#include "comm/gpu/peer.h"
#include "core/context.h"
#include "device/device.h"
#ifdef TSL_HAVE_CUDART
#include "peer_copies.h"
#endif

enum { RANKS = 2, MIB = 1 << 20 };

typedef enum way { ONE_WAY, BOTH_WAYS, ALL_TO_ALL, WAYS } way;

typedef struct bench {
    char **devices; /* [RANKS] */
    int repeats, largest;
    bool wrong[RANKS];
    const tsl_context *contexts[RANKS]; /* each set by its rank, as the next */
    char *receive[RANKS];               /* [2][largest] on the device: a part from each rank */
} bench;

/* What a rank works with. */
typedef struct desk {
    bench *s;
    tsl_comm *comm;
    tsl_context *context;
    char *send; /* [2][largest] on the device, all bytes 1 + rank */
    char *seen; /* [MIB] on the host */
    void *stream;
} desk;

/* ---- what is timed ------------------------------------------------------------------------ */

static tsl_status copy_direct(desk *d, int64_t bytes)
{
    const int rank = d->comm->rank;
    const tsl_peer_copy copy = {.to = d->s->contexts[1 - rank],
                                .source = d->send,
                                .target = d->s->receive[1 - rank] + rank * bytes,
                                .bytes = bytes};
#ifdef TSL_HAVE_CUDART
    if (strncmp(d->context->name, "cuda", 4) == 0) {
        return peer_copies_cuda(d->context, &d->stream, &copy);
    }
#endif
    return d->context->ops->peer->copy(d->context, &copy, 1);
}

static tsl_status do_once(desk *d, way which, int64_t bytes)
{
    const int rank = d->comm->rank;
    tsl_status status = TSL_OK;
    if (which == ALL_TO_ALL) {
        const int64_t sizes[RANKS] = {bytes, bytes}, offsets[RANKS] = {0, bytes};
        const tsl_comm_parts send = {.data = d->send, .bytes = sizes, .offsets = offsets};
        const tsl_comm_parts receive = {
            .data = d->s->receive[rank], .bytes = sizes, .offsets = offsets};
        status = tsl_comm_all_to_all(d->comm, d->context, &send, &receive);
    } else if (which == BOTH_WAYS || rank == 0) {
        status = copy_direct(d, bytes);
    }
    return status == TSL_OK ? tsl_context_synchronize(d->context) : status;
}

/* Has this rank what it should have of each rank, and nothing else? */
static tsl_status look(desk *d, way which, int64_t bytes)
{
    const int rank = d->comm->rank;
    tsl_status status = TSL_OK;
    for (int q = 0; q < RANKS; q++) {
        const bool comes = which == ALL_TO_ALL || (q != rank && (which == BOTH_WAYS || q == 0));
        const char wanted = (char)(comes ? 1 + q : 0);
        for (int64_t at = 0; at < bytes && status == TSL_OK; at += MIB) {
            status = d->context->ops->download(d->context, d->seen,
                                               d->s->receive[rank] + q * bytes + at, MIB);
            for (int i = 0; i < MIB && status == TSL_OK; i++) {
                d->s->wrong[rank] |= d->seen[i] != wanted;
            }
        }
    }
    return status;
}

/* GB/s each way. */
static tsl_status measure(double *out, desk *d, way which, int64_t bytes)
{
    bench_times times = {.name = ""};
    tsl_status status =
        d->context->ops->fill(d->context, d->s->receive[d->comm->rank], 0, RANKS * bytes);
    if (status == TSL_OK) {
        status = tsl_context_synchronize(d->context);
    }
    for (int i = -1; i < d->s->repeats && status == TSL_OK; i++) {
        status = tsl_comm_barrier(d->comm);
        const double begun = tsl_seconds();
        if (status == TSL_OK) {
            status = do_once(d, which, bytes);
        }
        double seconds = tsl_seconds() - begun;
        if (status == TSL_OK) {
            status = tsl_comm_all_reduce(d->comm, NULL, &seconds, 1, TSL_COMM_DOUBLE, TSL_COMM_MAX);
        }
        times.ms[i > 0 ? i : 0] = 1e3 * seconds;
    }
    *out = 1e-6 * (double)bytes / bench_median(&times, d->s->repeats);
    return status == TSL_OK ? look(d, which, bytes) : status;
}

/* ---- a rank ------------------------------------------------------------------------------- */

static tsl_status make_desk(desk *d)
{
    bench *s = d->s;
    const int rank = d->comm->rank;
    const int64_t bytes = RANKS * (int64_t)s->largest * MIB;
    void *send = NULL, *receive = NULL;
    tsl_context_options options = TSL_CONTEXT_OPTIONS_INIT;
    options.device = s->devices[rank];
    options.comm = d->comm;
    tsl_status status = tsl_context_create(&d->context, &options);
    if (status != TSL_OK) {
        return tsl_comm_fail(d->comm, status, tsl_last_error(NULL));
    }
    if (d->context->ops->peer == NULL) {
        return tsl_fail(d->context, TSL_E_ARG, "%s copies to no peer: give cuda or sim",
                        d->context->name);
    }
    d->seen = tsl_allocate(MIB);
    status = d->seen != NULL ? tsl_device_allocate(&send, d->context, bytes, "messages")
                             : tsl_fail_memory(d->context, MIB, "a message");
    if (status == TSL_OK) {
        status = tsl_device_allocate(&receive, d->context, bytes, "messages");
    }
    if (status == TSL_OK) {
        status = d->context->ops->fill(d->context, send, (unsigned char)(1 + rank), bytes);
    }
    d->send = send;
    s->receive[rank] = receive;
    s->contexts[rank] = d->context;
    return status;
}

static tsl_status measure_all(desk *d)
{
    tsl_status status = TSL_OK;
    if (d->comm->rank == 0) {
        printf("%8s %10s %10s %10s %8s\n", "MiB", "one way", "both ways", "all-to-all", "ratio");
    }
    for (int64_t mib = 1; mib <= d->s->largest && status == TSL_OK; mib *= 4) {
        double speed[WAYS];
        for (int which = 0; which < WAYS && status == TSL_OK; which++) {
            status = measure(&speed[which], d, (way)which, mib * MIB);
        }
        if (status == TSL_OK && d->comm->rank == 0) {
            printf("%8d %10.1f %10.1f %10.1f %8.3f\n", (int)mib, speed[ONE_WAY], speed[BOTH_WAYS],
                   speed[ALL_TO_ALL], speed[ALL_TO_ALL] / speed[BOTH_WAYS]);
            fflush(stdout);
        }
    }
    return status;
}

static tsl_status run_rank(tsl_comm *comm, void *user)
{
    desk d = {.s = user, .comm = comm};
    tsl_status status = make_desk(&d);
    if (status == TSL_OK) {
        status = tsl_comm_barrier(comm);
    }
    if (status == TSL_OK) {
        status = d.context->ops->peer->open(d.context, d.s->contexts[1 - comm->rank]);
    }
    if (status == TSL_OK) {
        status = measure_all(&d);
    }
    if (status == TSL_OK) {
        status = tsl_comm_barrier(comm); /* nobody writes here any more */
    } else if (d.context != NULL) {
        status = tsl_comm_refuse(d.context, status);
    }
#ifdef TSL_HAVE_CUDART
    peer_copies_cuda_end(d.stream);
#endif
    if (d.context != NULL) {
        tsl_device_release(d.context, d.send);
        tsl_device_release(d.context, d.s->receive[comm->rank]);
    }
    tsl_release(d.seen);
    tsl_context_destroy(d.context);
    return status;
}

int main(int argc, char **argv)
{
    bench s = {.devices = argv + 1};
    if (argc == 5) {
        s.repeats = atoi(argv[3]);
        s.largest = atoi(argv[4]);
    }
    if (s.repeats < 1 || s.repeats > BENCH_REPEATS || s.largest < 1 || s.largest > 4096) {
        fprintf(stderr, "usage: peer_copies DEVICE DEVICE REPEATS LARGEST\n");
        return 2;
    }
    const tsl_status status = tsl_comm_run(RANKS, run_rank, &s);
    if (status != TSL_OK) {
        fprintf(stderr, "peer_copies: %s\n", tsl_last_error(NULL));
        return status == TSL_E_ARG ? 2 : 3;
    }
    if (s.wrong[0] || s.wrong[1]) {
        fprintf(stderr, "peer_copies: a message came out wrong\n");
        return 1;
    }
    return 0;
}
