#include "comm/bench.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "comm/cases.h"
#include "device/plugin.h"
#include "device/sim.h"

enum { MOST_KINDS = 4 };

/* ---- sim, whose ranks meet: what their kernels do elsewhere their threads do here ---------- */

bool comm_side_by_side(void)
{
    return true;
}

static tsl_status create_flags(tsl_peer_flags **out, tsl_context *context, int ranks)
{
    *out = tsl_allocate_zeroed((size_t)ranks, sizeof **out);
    return *out != NULL ? TSL_OK : tsl_fail_memory(context, ranks, "flags");
}

static void await_flags(const tsl_peer_flags *flags)
{
    (void)flags; /* nothing is under way after meet() */
}

static void destroy_flags(tsl_peer_flags *flags)
{
    tsl_release(flags);
}

static void tell_all(const tsl_peer_meeting *m, uint64_t ranks, bool done)
{
    for (int q = 0; q < m->ranks; q++) {
        tsl_peer_flags *at = &m->flags[q][m->rank];
        if ((ranks >> q & 1) != 0) {
            __atomic_store_n(done ? at->done : &at->ready, m->number, __ATOMIC_RELEASE);
        }
    }
}

/* When it is off, for a second. */
static void wait_for_all(const tsl_peer_meeting *m, uint64_t ranks, bool done)
{
    double off = 0;
    for (int q = 0; q < m->ranks; q++) {
        const tsl_peer_flags *at = &m->flags[m->rank][q];
        while ((ranks >> q & 1) != 0 && (off == 0 || tsl_seconds() - off < 1) &&
               __atomic_load_n(done ? at->done : &at->ready, __ATOMIC_ACQUIRE) != m->number) {
            off = off == 0 && __atomic_load_n(m->off, __ATOMIC_RELAXED) != 0 ? tsl_seconds() : off;
            sched_yield();
        }
    }
}

static atomic_int meetings;

static tsl_status meet(tsl_context *context, const tsl_peer_meeting *m, const tsl_peer_copy *copies,
                       int count)
{
    atomic_fetch_add(&meetings, 1);
    tsl_context_synchronize(context);
    tell_all(m, m->receives, false);
    wait_for_all(m, m->sends, false);
    const tsl_status status =
        count > 0 ? tsl_device_sim.peer->copy(context, copies, count) : TSL_OK;
    tsl_context_synchronize(context);
    tell_all(m, m->sends, true);
    wait_for_all(m, m->receives, true);
    return status;
}

int comm_meetings(void)
{
    return atomic_load(&meetings);
}

static pthread_once_t made = PTHREAD_ONCE_INIT;
static tsl_peer_ops meeting_peer;
static tsl_device_ops meeting_sim;

static void make_meeting(void)
{
    meeting_peer = *tsl_device_sim.peer;
    meeting_peer.side_by_side = comm_side_by_side;
    meeting_peer.meet = meet;
    meeting_peer.create_flags = create_flags;
    meeting_peer.await_flags = await_flags;
    meeting_peer.destroy_flags = destroy_flags;
    meeting_sim = tsl_device_sim;
    meeting_sim.peer = &meeting_peer;
}

/* ---- a rank ------------------------------------------------------------------------------- */

tsl_status comm_bench_fill(const comm_bench *b, unsigned char *target, unsigned char value,
                           int64_t bytes)
{
    return b->context->ops->fill(b->context, target, value, bytes);
}

tsl_status comm_bench_make(comm_bench *b, tsl_comm *comm, const char *kind)
{
    static const char *const sims[] = {"sim", "sim:reversed", "sim:strided"};
    char name[32];
    char reason[512];
    int cards = 1;
    void *memory = NULL;
    tsl_context_options options = TSL_CONTEXT_OPTIONS_INIT;
    const bool meets = strcmp(kind, "meeting") == 0;
    const bool on_sim = meets || strcmp(kind, "sim") == 0;
    memset(b, 0, sizeof *b);
    b->kind = kind;
    snprintf(name, sizeof name, "%s", on_sim ? sims[comm->rank % 3] : kind);
    if (strcmp(kind, "cuda") == 0) {
        tsl_plugin_cuda(&cards, reason, sizeof reason);
        snprintf(name, sizeof name, "cuda:%d", comm->rank % cards);
    }
    options.device = name;
    options.threads = 1;
    options.comm = comm;
    b->comm = comm;
    CHECK(comm, tsl_context_create(&b->context, &options) == TSL_OK);
    for (int i = 0; i < 2; i++) {
        CHECK(comm, tsl_device_allocate(&memory, b->context, COMM_BYTES, "a test") == TSL_OK);
        *(i == 0 ? &b->send : &b->receive) = memory;
        CHECK(comm, comm_bench_fill(b, memory, COMM_UNTOUCHED, COMM_BYTES) == TSL_OK);
    }
    b->own_ops = b->context->ops;
    if (meets) {
        pthread_once(&made, make_meeting);
        b->context->ops = &meeting_sim;
        /* of no two ranks the same, as of cards */
        snprintf(b->context->name, sizeof b->context->name, "sim:%d", comm->rank);
    }
    return TSL_OK;
}

void comm_bench_free(comm_bench *b)
{
    if (b->context != NULL) {
        b->context->ops = b->own_ops != NULL ? b->own_ops : b->context->ops;
        tsl_device_release(b->context, b->send);
        tsl_device_release(b->context, b->receive);
        tsl_context_destroy(b->context);
    }
}

/* ---- what moves --------------------------------------------------------------------------- */

unsigned char comm_byte_of(int from, int to)
{
    return (unsigned char)(17 * from + 3 * to + 1);
}

static int64_t bytes_of(int from, int to)
{
    static const int64_t bytes[] = {1000, 0, 1, 4096, 37, 8192, 16};
    return bytes[(2 * from + 3 * to) % 7];
}

tsl_comm_parts comm_bench_lay_out(const comm_bench *b, bool receive, int64_t *bytes,
                                  int64_t *offsets)
{
    int64_t at = 0;
    for (int q = 0; q < b->comm->size; q++) {
        bytes[q] = receive ? bytes_of(q, b->comm->rank) : bytes_of(b->comm->rank, q);
        offsets[q] = at;
        at += bytes[q] + (q % 2 == 0 ? 16 - bytes[q] % 16 : 1);
    }
    return (tsl_comm_parts){
        .data = receive ? b->receive : b->send, .bytes = bytes, .offsets = offsets};
}

tsl_status comm_bench_fill_parts(const comm_bench *b, const tsl_comm_parts *parts)
{
    for (int q = 0; q < b->comm->size; q++) {
        if (parts->bytes[q] > 0) {
            CHECK(b->comm,
                  comm_bench_fill(b, (unsigned char *)parts->data + parts->offsets[q],
                                  comm_byte_of(b->comm->rank, q), parts->bytes[q]) == TSL_OK);
        }
    }
    return TSL_OK;
}

int64_t comm_bench_wrong_parts(comm_bench *b, const tsl_comm_parts *parts)
{
    int64_t wrong = 0;
    b->own_ops->download(b->context, b->host, b->receive, COMM_BYTES);
    for (int q = 0; q < b->comm->size; q++) {
        for (int64_t i = 0; i < parts->bytes[q]; i++) {
            wrong += b->host[parts->offsets[q] + i] != comm_byte_of(q, b->comm->rank);
        }
    }
    return wrong;
}

tsl_status comm_bench_all_to_all(comm_bench *b)
{
    int64_t bytes[2][COMM_MOST_RANKS], offsets[2][COMM_MOST_RANKS];
    const tsl_comm_parts send = comm_bench_lay_out(b, false, bytes[0], offsets[0]);
    const tsl_comm_parts receive = comm_bench_lay_out(b, true, bytes[1], offsets[1]);
    for (int i = 0; i < 3; i++) {
        CHECK(b->comm, comm_bench_fill(b, b->receive, 0x11, COMM_BYTES) == TSL_OK);
        CHECK(b->comm, comm_bench_fill_parts(b, &send) == TSL_OK);
        CHECK(b->comm, tsl_comm_all_to_all(b->comm, b->context, &send, &receive) == TSL_OK);
        CHECK(b->comm, comm_bench_fill(b, b->send, 0xDD, COMM_BYTES) == TSL_OK);
        CHECK(b->comm, comm_bench_wrong_parts(b, &receive) == 0);
    }
    return TSL_OK;
}

/* ---- the table ---------------------------------------------------------------------------- */

tsl_status comm_bench_run(tsl_comm *comm, void *user)
{
    const comm_row *r = user;
    comm_bench *b = malloc(sizeof *b);
    tsl_status status = b != NULL ? comm_bench_make(b, comm, r->kind) : TSL_E_NOMEM;
    if (status == TSL_OK) {
        status = r->run(b);
    }
    if (b != NULL) {
        comm_bench_free(b);
    }
    free(b);
    return status;
}

/* cpu, sim by events, sim whose ranks meet and, where there is one, cuda. */
static int kinds(const char *out[MOST_KINDS])
{
    const int devices = test_device_count();
    out[0] = "cpu";
    out[1] = "sim";
    out[2] = "meeting";
    out[3] = "cuda";
    return strcmp(test_devices[devices - 1], "cuda:0") == 0 ? MOST_KINDS : MOST_KINDS - 1;
}

void comm_run_to_end(tsl_status (*run)(comm_bench *b), int most_ranks, tsl_status expected)
{
    const char *kind[MOST_KINDS];
    const int count = kinds(kind);
    for (int i = 0; i < count; i++) {
        for (int ranks = 1; ranks <= most_ranks; ranks++) {
            comm_row r = {.kind = kind[i], .run = run};
            alarm(COMM_PATIENCE);
            if (tsl_comm_run(ranks, comm_bench_run, &r) != expected) {
                fail_msg("%s, %d ranks: %s", kind[i], ranks, tsl_last_error(NULL));
            }
            alarm(0);
        }
    }
}

void comm_run_everywhere(tsl_status (*run)(comm_bench *b))
{
    comm_run_to_end(run, COMM_MOST_RANKS, TSL_OK);
}
