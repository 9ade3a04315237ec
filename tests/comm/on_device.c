/* Ranks of an MPI launch on device memory: messages of many segments, ranks that fail. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "comm/cases.h"
#include "comm/gpu/nccl.h"
#include "comm/gpu/peer.h"
#include "device/plugin.h"
#include "device/sim.h"
#include "support/devices.h"

enum { MOST = 4, ROOM = 24 << 20, MANY = 5 << 20, LITTLE = 16 };

/* A rank, its device, and memory on both. */
typedef struct desk {
    tsl_comm *comm;
    tsl_context *context;
    int part; /* messages are 1 / part of the size */
    int64_t room;
    unsigned char *send, *receive; /* [room], on the device */
    unsigned char *host;           /* [room] */
} desk;

static tsl_status make_desk(desk *d, tsl_comm *comm, const char *kind, int part)
{
    static const char *const sims[] = {"sim", "sim:reversed", "sim:strided"};
    char name[32], reason[512];
    int cards = 1;
    void *memory = NULL;
    memset(d, 0, sizeof *d);
    d->comm = comm;
    d->part = part;
    d->room = ROOM / part;
    snprintf(name, sizeof name, "%s", sims[comm->rank % 3]);
    if (strcmp(kind, "cuda") == 0) {
        tsl_plugin_cuda(&cards, reason, sizeof reason);
        snprintf(name, sizeof name, "cuda:%d", comm->rank % cards);
    }
    const tsl_status status = test_rank_context(&d->context, comm, name);
    if (status != TSL_OK) {
        return status;
    }
    d->host = malloc((size_t)d->room);
    CHECK(comm, d->host != NULL && comm->size <= MOST);
    CHECK(comm, tsl_device_allocate(&memory, d->context, d->room, "a test") == TSL_OK);
    d->send = memory;
    CHECK(comm, tsl_device_allocate(&memory, d->context, d->room, "a test") == TSL_OK);
    d->receive = memory;
    return TSL_OK;
}

static void free_desk(desk *d)
{
    free(d->host);
    tsl_context_destroy(d->context);
}

/* ---- large messages ----------------------------------------------------------------------- */

/* Byte i of what goes from a rank to another. */
static unsigned char byte_of(int from, int to, int64_t i)
{
    return (unsigned char)(i * 7 + i / 4096 * 13 + i / 1048576 * 5 + 31 * from + 3 * to + 1);
}

/* None, a few, whole segments, and a little more or less. */
static int64_t bytes_of(const desk *d, int from, int to)
{
    static const int64_t bytes[] = {3 << 20, 0, 5, (1 << 20) + 1, (5 << 19) - 3, 1 << 20, 70001};
    return bytes[(2 * from + 3 * to) % 7] / d->part;
}

static tsl_status put(const desk *d, unsigned char *target, int from, int to, int64_t bytes)
{
    for (int64_t i = 0; i < bytes; i++) {
        d->host[i] = byte_of(from, to, i);
    }
    return bytes == 0 ? TSL_OK : d->context->ops->upload(d->context, target, d->host, bytes);
}

static bool holds(const desk *d, const unsigned char *source, int from, int to, int64_t bytes)
{
    if (bytes > 0 && d->context->ops->download(d->context, d->host, source, bytes) != TSL_OK) {
        return false;
    }
    for (int64_t i = 0; i < bytes; i++) {
        if (d->host[i] != byte_of(from, to, i)) {
            return false;
        }
    }
    return true;
}

typedef struct layout {
    int64_t bytes[MOST], offsets[MOST];
    tsl_comm_parts parts;
} layout;

static void lay_out(layout *l, const desk *d, bool receive, bool gather)
{
    const int rank = d->comm->rank;
    int64_t at = 0;
    for (int q = 0; q < d->comm->size; q++) {
        l->bytes[q] = gather    ? bytes_of(d, q, 0)
                      : receive ? bytes_of(d, q, rank)
                                : bytes_of(d, rank, q);
        l->offsets[q] = at;
        at += l->bytes[q] + q; /* odd places too */
    }
    l->parts = (tsl_comm_parts){
        .data = receive ? d->receive : d->send, .bytes = l->bytes, .offsets = l->offsets};
}

/* Twice without a wait, the second time what has arrived goes back. */
static tsl_status large_all_to_all(desk *d)
{
    layout out, in;
    tsl_comm *comm = d->comm;
    lay_out(&out, d, false, false);
    lay_out(&in, d, true, false);
    for (int q = 0; q < comm->size; q++) {
        CHECK(comm, put(d, d->send + out.offsets[q], comm->rank, q, out.bytes[q]) == TSL_OK);
    }
    CHECK(comm, tsl_comm_all_to_all(comm, d->context, &out.parts, &in.parts) == TSL_OK);
    CHECK(comm, d->context->ops->fill(d->context, d->send, 0xDD, d->room) == TSL_OK);
    CHECK(comm, tsl_comm_all_to_all(comm, d->context, &in.parts, &out.parts) == TSL_OK);
    for (int q = 0; q < comm->size; q++) {
        CHECK(comm, holds(d, d->receive + in.offsets[q], q, comm->rank, in.bytes[q]));
        CHECK(comm, holds(d, d->send + out.offsets[q], comm->rank, q, out.bytes[q]));
    }
    return TSL_OK;
}

static tsl_status large_broadcast_and_gather(desk *d)
{
    tsl_comm *comm = d->comm;
    const int root = comm->size - 1;
    const int64_t bytes = (9 << 20) / d->part + 17;
    CHECK(comm, put(d, d->send, comm->rank, 0, bytes) == TSL_OK);
    CHECK(comm, tsl_comm_broadcast(comm, d->context, d->send, bytes, root) == TSL_OK);
    CHECK(comm, holds(d, d->send, root, 0, bytes));
    for (int to = TSL_COMM_ALL; to < comm->size; to += comm->size) { /* all, and the last */
        layout in;
        lay_out(&in, d, true, true);
        CHECK(comm, put(d, d->send, comm->rank, 0, in.bytes[comm->rank]) == TSL_OK);
        CHECK(comm, tsl_comm_gather(comm, d->context, d->send, in.bytes[comm->rank], &in.parts,
                                    to) == TSL_OK);
        for (int q = 0; q < comm->size && (to == TSL_COMM_ALL || to == comm->rank); q++) {
            CHECK(comm, holds(d, d->receive + in.offsets[q], q, 0, in.bytes[q]));
        }
    }
    return TSL_OK;
}

/* Every rank names its neighbours in an order of its own, itself among them; each sends each more
 * than passes at a time. */
static tsl_status large_exchange(desk *d)
{
    tsl_comm *comm = d->comm;
    tsl_comm_pair pairs[MOST];
    int64_t sent = 0, received = 0;
    for (int i = 0; i < comm->size; i++) {
        const int peer = (comm->rank % 2 == 0 ? comm->size - 1 - i : i);
        pairs[i] = (tsl_comm_pair){.peer = peer,
                                   .send = d->send + sent,
                                   .send_bytes = MANY / d->part + 2 * comm->rank + peer,
                                   .receive = d->receive + received,
                                   .receive_bytes = MANY / d->part + 2 * peer + comm->rank};
        CHECK(comm, put(d, d->send + sent, comm->rank, peer, pairs[i].send_bytes) == TSL_OK);
        sent += pairs[i].send_bytes;
        received += pairs[i].receive_bytes;
    }
    CHECK(comm, tsl_comm_exchange(comm, d->context, comm->size, pairs) == TSL_OK);
    for (int i = 0; i < comm->size; i++) {
        CHECK(comm, holds(d, pairs[i].receive, pairs[i].peer, comm->rank, pairs[i].receive_bytes));
    }
    return TSL_OK;
}

/* Sums that depend on their order. */
static tsl_status large_all_reduce(desk *d)
{
    tsl_comm *comm = d->comm;
    double *values = (double *)(void *)d->host;
    const int64_t count = 300007 / d->part;
    for (int64_t i = 0; i < count; i++) {
        values[i] = (double)(i % 1009) * (comm->rank % 2 == 0 ? 1e10 : 1e-7) / (comm->rank + 3);
    }
    CHECK(comm, d->context->ops->upload(d->context, d->send, values, 8 * count) == TSL_OK);
    CHECK(comm, tsl_comm_all_reduce(comm, d->context, d->send, count, TSL_COMM_DOUBLE,
                                    TSL_COMM_SUM) == TSL_OK);
    CHECK(comm, d->context->ops->download(d->context, values, d->send, 8 * count) == TSL_OK);
    for (int64_t i = 0; i < count; i++) {
        double sum = (double)(i % 1009) * 1e10 / 3;
        for (int q = 1; q < comm->size; q++) {
            sum += (double)(i % 1009) * (q % 2 == 0 ? 1e10 : 1e-7) / (q + 3);
        }
        CHECK(comm, memcmp(&values[i], &sum, sizeof sum) == 0);
    }
    return TSL_OK;
}

/* In the whole communicator and a part of it, by the way that is expected. */
static tsl_status run_large(desk *d, char **argv)
{
    static tsl_status (*const runs[])(desk * d) = {large_all_to_all, large_broadcast_and_gather,
                                                   large_exchange, large_all_reduce};
    tsl_comm *whole = d->comm, *reversed = NULL;
    bool far = false;
    const tsl_status settled = tsl_comm_is_far(&far, d->context);
    if (settled != TSL_OK) {
        return settled;
    }
    CHECK(whole, far == (strncmp(argv[0], "NCCL", 4) != 0));
    CHECK(whole, tsl_comm_memory_path(whole, d->context) != NULL);
    CHECK(whole, tsl_comm_split(&reversed, whole, 0, -whole->rank) == TSL_OK);
    for (size_t i = 0; i < 2 * sizeof runs / sizeof *runs; i++) {
        d->comm = i % 2 == 0 ? whole : reversed;
        const tsl_status status = runs[i / 2](d);
        if (status != TSL_OK) {
            return status;
        }
        const char *path = tsl_comm_memory_path(d->comm, d->context);
        CHECK(whole, path != NULL && strncmp(path, argv[0], strlen(argv[0])) == 0);
    }
    d->comm = whole;
    tsl_comm_destroy(reversed);
    return TSL_OK;
}

/* ---- what goes wrong ---------------------------------------------------------------------- */

/* Rank 0 expects less than rank 1 sends, by whole segments. */
static tsl_status run_sizes(desk *d, char **argv)
{
    (void)argv;
    const int64_t bytes = d->comm->rank == 0 ? 1000 : 4 << 20;
    const tsl_comm_pair pair = {.peer = d->comm->rank ^ 1,
                                .send = d->send,
                                .send_bytes = bytes,
                                .receive = d->receive,
                                .receive_bytes = bytes};
    tsl_status status = tsl_comm_exchange(d->comm, d->context, d->comm->rank < 2, &pair);
    CHECK(d->comm, d->comm->rank > 1 || status == TSL_E_COMM); /* both ends know */
    status = status == TSL_OK ? tsl_comm_barrier(d->comm) : status;
    return status == TSL_E_COMM && strstr(tsl_last_error(d->context), "size") != NULL
               ? TSL_OK
               : TSL_E_INTERNAL;
}

static tsl_status run_fail(desk *d, char **argv)
{
    return comm_fail_at(d->comm, d->context, atoi(argv[0]), atoi(argv[1]));
}

/* Copies between the device and pinned memory, of which rank 0's number `left` fails. */
static int left;

static bool breaks(const tsl_context *context)
{
    return context->comm->rank == 0 && left-- == 0;
}

static tsl_status break_load(tsl_context *context, void *target, const void *host, int64_t bytes)
{
    return breaks(context) ? tsl_fail(context, TSL_E_DEVICE, COMM_REASON)
                           : tsl_device_sim.peer->load(context, target, host, bytes);
}

static tsl_status break_store(tsl_context *context, void *host, const void *source, int64_t bytes)
{
    return breaks(context) ? tsl_fail(context, TSL_E_DEVICE, COMM_REASON)
                           : tsl_device_sim.peer->store(context, host, source, bytes);
}

/* Others may have found wrong data before they heard: at the end rank 0's failure stands. */
static tsl_status heard_of_rank_0(desk *d, tsl_status why, const char *text)
{
    tsl_comm_end(d->comm);
    int rank = -1;
    tsl_status status = TSL_OK;
    const char *reason = tsl_comm_failure(d->comm, &rank, &status);
    return reason != NULL && strstr(reason, text) != NULL && rank == 0 && status == why
               ? TSL_OK
               : TSL_E_INTERNAL;
}

/* A device that fails in the midst of a message: nobody hangs, and all hear of it. */
static tsl_status run_broken(desk *d, char **argv)
{
    const tsl_device_ops *own = d->context->ops;
    tsl_peer_ops peer = *own->peer;
    tsl_device_ops ops = *own;
    peer.load = break_load;
    peer.store = break_store;
    ops.peer = &peer;
    d->context->ops = &ops;
    left = atoi(argv[0]);
    static char any[] = "";
    char *path[] = {any};
    run_large(d, path);
    tsl_comm_forget(d->context);
    d->context->ops = own;
    return heard_of_rank_0(d, TSL_E_DEVICE, COMM_REASON);
}

/* Rank 0 has no memory left after some allocations. */
static tsl_status run_memory(desk *d, char **argv)
{
    static char any[] = "";
    char *path[] = {any};
    tsl_test_fail_allocation(d->comm->rank == 0 ? atoi(argv[0]) : 0);
    run_large(d, path);
    tsl_test_fail_allocation(0);
    return heard_of_rank_0(d, TSL_E_NOMEM, "out of memory");
}

/* An exchange in which each rank sends each other one `bytes` bytes, and rank 0 the last `more`. */
static tsl_status exchange_all(desk *d, int64_t bytes, int64_t more)
{
    tsl_comm *comm = d->comm;
    const int rank = comm->rank, last = comm->size - 1;
    tsl_comm_pair pairs[MOST];
    int64_t sent = 0, received = 0;
    int count = 0;
    for (int q = 0; q < comm->size; q++) {
        if (q != rank) {
            pairs[count] =
                (tsl_comm_pair){.peer = q,
                                .send = d->send + sent,
                                .send_bytes = bytes + (rank == 0 && q == last ? more : 0),
                                .receive = d->receive + received,
                                .receive_bytes = bytes + (q == 0 && rank == last ? more : 0)};
            CHECK(comm, put(d, d->send + sent, rank, q, pairs[count].send_bytes) == TSL_OK);
            sent += pairs[count].send_bytes;
            received += pairs[count++].receive_bytes;
        }
    }
    CHECK(comm, tsl_comm_exchange(comm, d->context, count, pairs) == TSL_OK);
    for (int i = 0; i < count; i++) {
        CHECK(comm, holds(d, pairs[i].receive, pairs[i].peer, rank, pairs[i].receive_bytes));
    }
    return TSL_OK;
}

/* Messages of up to 32 KiB from or to each rank do without NCCL; one byte more on one rank, and all
 * take it. */
static tsl_status little_without_nccl(desk *d)
{
    tsl_comm *comm = d->comm;
    const int64_t bytes = (32 << 10) / (comm->size - 1);
    const int before = comm_fake_nccl_messages();
    CHECK(comm, (32 << 10) % (comm->size - 1) == 0);
    CHECK(comm, exchange_all(d, bytes, 0) == TSL_OK);
    CHECK(comm, tsl_comm_broadcast(comm, d->context, d->send, 32 << 10, 0) == TSL_OK);
    CHECK(comm, tsl_comm_all_reduce(comm, d->context, d->send, 4 << 10, TSL_COMM_INT64,
                                    TSL_COMM_MAX) == TSL_OK);
    CHECK(comm, comm_fake_nccl_messages() == before);
    CHECK(comm, exchange_all(d, bytes, 1) == TSL_OK);
    CHECK(comm, comm_fake_nccl_messages() == before + 1);
    CHECK(comm, tsl_comm_broadcast(comm, d->context, d->send, (32 << 10) + 1, 0) == TSL_OK);
    CHECK(comm, comm_fake_nccl_messages() == before + 2);
    return TSL_OK;
}

/* NCCL's part in it, by a stand-in; with BROKEN >= 0 that operation fails on rank 0. */
static tsl_status run_nccl(desk *d, char **argv)
{
    const tsl_device_ops *own = d->context->ops;
    tsl_device_ops ops = *own;
    tsl_comm *by = NULL;
    const int broken = atoi(argv[0]);
    CHECK(d->comm, tsl_comm_split(&by, d->comm, 0, 0) == TSL_OK);
    comm_begin_fake_nccl(by, broken);
    ops.nccl = &comm_fake_nccl;
    d->context->ops = &ops;
    static char name[] = "NCCL 0.0.0, up to 32 KiB by pinned host memory and MPI";
    char *path[] = {name};
    tsl_status status = run_large(d, path);
    if (status == TSL_OK && broken < 0) {
        status = little_without_nccl(d);
    }
    if (broken >= 0) {
        status = heard_of_rank_0(d, TSL_E_DEVICE, COMM_REASON);
    }
    tsl_comm_forget(d->context);
    d->context->ops = own;
    return status;
}

static tsl_status one_gpu(tsl_context *context, unsigned char gpu[TSL_NCCL_GPU])
{
    (void)context;
    memset(gpu, 7, TSL_NCCL_GPU);
    return TSL_OK;
}

/* Ranks on one GPU go another way, and that is told. */
static tsl_status run_shared(desk *d, char **argv)
{
    (void)argv;
    const tsl_device_ops *own = d->context->ops;
    tsl_nccl_ops nccl = comm_fake_nccl;
    tsl_device_ops ops = *own;
    nccl.identify = one_gpu;
    ops.nccl = &nccl;
    d->context->ops = &ops;
    const tsl_status status = large_exchange(d);
    const char *path = tsl_comm_memory_path(d->comm, d->context);
    const bool told =
        path != NULL && strcmp(path, "pinned host memory and MPI (not NCCL: ranks 0 "
                                     "and 1 share a GPU, which NCCL does not allow)") == 0;
    tsl_comm_forget(d->context);
    d->context->ops = own;
    return status == TSL_OK && !told ? TSL_E_INTERNAL : status;
}

static tsl_sim_mark opened;

/* The host is let at the device's memory, that taken now included. */
static void *allocate_open(tsl_device *device, int64_t bytes, bool passing)
{
    void *memory = tsl_device_sim.allocate(device, bytes, passing);
    tsl_sim_open_other(opened, false);
    tsl_sim_open_other(opened, true);
    return memory;
}

/* An MPI that takes device memory: sim's, which is let open. */
static tsl_status run_aware(desk *d, char **argv)
{
    (void)argv;
    const tsl_device_ops *own = d->context->ops;
    tsl_device_ops ops = *own;
    ops.allocate = allocate_open;
    d->context->ops = &ops;
    opened = tsl_sim_mark_now(d->context);
    tsl_sim_open_other(opened, true);
    static char name[] = "MPI, CUDA-aware (not NCCL: rank 0: this build has no NCCL)";
    char *path[] = {name};
    const tsl_status status = run_large(d, path);
    tsl_comm_forget(d->context);
    tsl_sim_open_other(opened, false);
    d->context->ops = own;
    return status;
}

tsl_status comm_on_device(tsl_comm *comm, int argc, char **argv)
{
    static const struct {
        const char *name;
        int arguments;
        int part;
        tsl_status (*run)(desk *d, char **argv);
    } modes[] = {{"large", 3, 1, run_large},        {"sizes", 2, 1, run_sizes},
                 {"fail", 4, LITTLE, run_fail},     {"broken", 3, 1, run_broken},
                 {"nccl", 3, LITTLE, run_nccl},     {"memory", 3, LITTLE, run_memory},
                 {"shared", 2, LITTLE, run_shared}, {"aware", 2, LITTLE, run_aware}};
    for (size_t i = 0; i < sizeof modes / sizeof *modes; i++) {
        if (argc == modes[i].arguments && strcmp(modes[i].name, argv[0]) == 0) {
            desk d;
            tsl_status status = make_desk(&d, comm, argv[1], modes[i].part);
            status = status == TSL_OK ? modes[i].run(&d, argv + 2) : status;
            free_desk(&d);
            return status;
        }
    }
    return TSL_E_ARG;
}
