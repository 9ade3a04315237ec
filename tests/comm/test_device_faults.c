/* Ranks that are threads, on device memory: what a missing wait, ranks that disagree and failures
 * do. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "comm/bench.h"
#include "comm/cases.h"
#include "device/plugin.h"
#include "device/sim.h"

/* ---- what a missing wait does ------------------------------------------------------------- */

static tsl_status no_wait(tsl_context *context, const tsl_event *event)
{
    (void)context;
    (void)event;
    return TSL_OK;
}

/* The first wait of an all-to-all of two ranks is for the sender's data, the second one for the
 * reader's copy. */
static _Thread_local int waits;

static tsl_status first_wait_only(tsl_context *context, const tsl_event *event)
{
    return waits++ == 0 ? tsl_device_sim.peer->wait(context, event) : TSL_OK;
}

/* What the ranks see that read first, summed over them: 0 if all is right. */
typedef struct fault {
    tsl_peer_ops peer; /* one table for all ranks: they must have the same */
    tsl_device_ops ops;
    int64_t wrong;
} fault;

static tsl_status run_fault(tsl_comm *comm, void *user)
{
    fault *f = user;
    comm_bench *b = malloc(sizeof *b);
    if (b == NULL || comm_bench_make(b, comm, "sim") != TSL_OK) {
        free(b);
        return TSL_E_NOMEM;
    }
    b->context->ops = &f->ops;
    waits = 0;
    int64_t bytes[2][COMM_MOST_RANKS], offsets[2][COMM_MOST_RANKS], wrong = 0;
    const tsl_comm_parts send = comm_bench_lay_out(b, false, bytes[0], offsets[0]);
    const tsl_comm_parts receive = comm_bench_lay_out(b, true, bytes[1], offsets[1]);
    tsl_status status = comm_bench_fill_parts(b, &send);
    status = status == TSL_OK ? tsl_comm_all_to_all(comm, b->context, &send, &receive) : status;
    status = status == TSL_OK ? comm_bench_fill(b, b->send, 0xDD, COMM_BYTES) : status;
    for (int q = 0; q < comm->size && status == TSL_OK; q++) { /* one after the other */
        wrong = q == comm->rank ? comm_bench_wrong_parts(b, &receive) : wrong;
        status = tsl_comm_barrier(comm);
    }
    if (status == TSL_OK) {
        status = tsl_comm_all_reduce(comm, NULL, &wrong, 1, TSL_COMM_INT64, TSL_COMM_SUM);
    }
    if (comm->rank == 0) {
        f->wrong = wrong;
    }
    comm_bench_free(b);
    free(b);
    return status;
}

static int64_t wrong_with(tsl_status (*wait)(tsl_context *context, const tsl_event *event))
{
    fault f = {.peer = *tsl_device_sim.peer, .ops = tsl_device_sim};
    f.peer.wait = wait != NULL ? wait : f.peer.wait;
    f.ops.peer = &f.peer;
    alarm(COMM_PATIENCE);
    assert_int_equal(tsl_comm_run(2, run_fault, &f), TSL_OK);
    alarm(0);
    return f.wrong;
}

static void a_missing_wait_shows(void **state)
{
    (void)state;
    for (int i = 0; i < 20; i++) {
        assert_int_equal(wrong_with(NULL), 0);
        assert_true(wrong_with(no_wait) > 0);
        assert_true(wrong_with(first_wait_only) > 0);
    }
}

/* ---- errors ------------------------------------------------------------------------------- */

/* Three times what is right, and then a rank sends more than another expects. */
static tsl_status disagree(comm_bench *b)
{
    const tsl_status status = comm_bench_all_to_all(b);
    int64_t bytes[2][COMM_MOST_RANKS], offsets[2][COMM_MOST_RANKS];
    const tsl_comm_parts send = comm_bench_lay_out(b, false, bytes[0], offsets[0]);
    const tsl_comm_parts receive = comm_bench_lay_out(b, true, bytes[1], offsets[1]);
    bytes[0][b->comm->size - 1] += b->comm->rank == 0;
    return status == TSL_OK ? tsl_comm_all_to_all(b->comm, b->context, &send, &receive) : status;
}

static void ranks_that_disagree_do_not_hang(void **state)
{
    (void)state;
    const int before = comm_meetings();
    comm_run_to_end(disagree, COMM_MOST_RANKS, TSL_E_COMM);
    assert_int_equal(comm_meetings() - before, 3 * (2 + 3 + 4 + 5 + 6 + 7)); /* all came */
}

/* Tables of which all ranks have the same: the last rank's second meeting cannot be queued. */
static tsl_peer_ops lame_peer;
static tsl_device_ops lame_ops;
static const tsl_peer_ops *sound_peer;

static tsl_status meet_once(tsl_context *context, const tsl_peer_meeting *meeting,
                            const tsl_peer_copy *copies, int count)
{
    if (meeting->rank == meeting->ranks - 1 && meeting->number == 2) {
        return tsl_fail(context, TSL_E_DEVICE, "%s", COMM_REASON);
    }
    return sound_peer->meet(context, meeting, copies, count);
}

static tsl_status miss_a_meeting(comm_bench *b)
{
    if (b->comm->rank == 0) {
        sound_peer = b->context->ops->peer;
        lame_peer = *sound_peer;
        lame_peer.meet = meet_once;
        lame_ops = *b->context->ops;
        lame_ops.peer = &lame_peer;
    }
    const tsl_status status = tsl_comm_barrier(b->comm);
    b->context->ops = &lame_ops;
    return status == TSL_OK ? comm_bench_all_to_all(b) : status;
}

/* The others wait for it, but not for long. */
static void a_rank_that_misses_a_meeting_does_not_hang(void **state)
{
    (void)state;
    char reason[512];
    int cards = 0;
    tsl_plugin_cuda(&cards, reason, sizeof reason);
    for (int ranks = 2; ranks <= 4; ranks++) {
        static const char *const kind[] = {"meeting", "cuda"};
        for (int i = 0; i < (ranks <= cards ? 2 : 1); i++) {
            comm_row r = {.kind = kind[i], .run = miss_a_meeting};
            const double begun = tsl_seconds();
            alarm(COMM_PATIENCE);
            assert_int_equal(tsl_comm_run(ranks, comm_bench_run, &r), TSL_E_DEVICE);
            alarm(0);
            assert_non_null(strstr(tsl_last_error(NULL), COMM_REASON));
            assert_true(tsl_seconds() - begun < 10);
        }
    }
}

static tsl_status mix(tsl_comm *comm, void *user)
{
    (void)user;
    comm_bench *b = malloc(sizeof *b);
    tsl_status status =
        b != NULL ? comm_bench_make(b, comm, comm->rank == 0 ? "sim" : "cpu") : TSL_E_NOMEM;
    if (status == TSL_OK) {
        status = tsl_comm_broadcast(comm, b->context, b->send, 10, 0);
    }
    if (b != NULL) {
        comm_bench_free(b);
    }
    free(b);
    return status;
}

static void kinds_do_not_mix(void **state)
{
    (void)state;
    assert_int_equal(tsl_comm_run(2, mix, NULL), TSL_E_COMM);
    assert_non_null(strstr(tsl_last_error(NULL), "sim memory) on rank 0"));
    assert_non_null(strstr(tsl_last_error(NULL), "host memory) on rank 1"));
}

/* Two contexts, one after the other. */
static tsl_status again(comm_bench *b)
{
    tsl_comm *comm = b->comm;
    tsl_status status = comm_bench_all_to_all(b);
    if (status == TSL_OK) {
        const char *kind = b->kind;
        comm_bench_free(b);
        status = comm_bench_make(b, comm, kind);
    }
    return status == TSL_OK ? comm_bench_all_to_all(b) : status;
}

static void a_rank_may_have_a_context_after_another(void **state)
{
    (void)state;
    comm_run_everywhere(again);
}

static tsl_status all_operations(comm_bench *b)
{
    const tsl_status status = comm_bench_all_to_all(b);
    return status == TSL_OK ? tsl_comm_all_reduce(b->comm, b->context, b->send, 10, TSL_COMM_DOUBLE,
                                                  TSL_COMM_SUM)
                            : status;
}

static void every_failing_allocation_is_survived(void **state)
{
    (void)state;
    static const char *const kind[] = {"sim", "meeting"};
    const int64_t live = tsl_test_live_allocations();
    for (int i = 0; i < 2; i++) {
        comm_row r = {.kind = kind[i], .run = all_operations};
        int failures = 0;
        bool more = true;
        for (int64_t k = 1; more; k++) {
            alarm(COMM_PATIENCE);
            tsl_test_fail_allocation(k);
            const tsl_status status = tsl_comm_run(2, comm_bench_run, &r);
            more = tsl_test_fail_allocation(0) >= k;
            assert_int_equal(tsl_test_live_allocations(), live);
            assert_true(more || status == TSL_OK);
            failures += status != TSL_OK; /* a wait that cannot be queued is done at once */
        }
        assert_true(failures > 20);
    }
    alarm(0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(a_missing_wait_shows),
                                       cmocka_unit_test(ranks_that_disagree_do_not_hang),
                                       cmocka_unit_test(a_rank_that_misses_a_meeting_does_not_hang),
                                       cmocka_unit_test(kinds_do_not_mix),
                                       cmocka_unit_test(a_rank_may_have_a_context_after_another),
                                       cmocka_unit_test(every_failing_allocation_is_survived)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
