/* Ranks whose kernels write to each other's memory, one of which fails: its memory stays until the
 * others' kernels are done. On sim, with a kernel that writes its letters and waits for none. */
#include <stdatomic.h>
#include <string.h>
#include <unistd.h>

#include "comm/bench.h"
#include "comm/cases.h"
#include "comm/gpu/peer.h"
#include "device/sim.h"
#include "support/devices.h"

enum { PATIENCE = 60, RANKS = 3 };

typedef struct party {
    tsl_peer_ops peer; /* one table for all ranks */
    tsl_device_ops ops;
    tsl_sim_mark marks[RANKS];
    bool idle;            /* nothing is reduced */
    bool late;            /* others clear up only when rank 0 has */
    atomic_int run;       /* kernels of ranks but 0 that have run */
    atomic_bool cleared;  /* rank 0 has cleared up */
    int run_when_cleared; /* ranks that had run when it did */
    double seconds;       /* that took it */
} party;

static party now;

/* Others' letters are of no interest here: the failure has called off the waiting for them. */
static void run_signal(const void *arguments)
{
    const tsl_peer_signal *a = arguments;
    const uint32_t number = ++a->mailbox[a->rank]->calls;
    for (int q = 0; q < a->ranks; q++) {
        if (q != a->rank) {
            tsl_sim_open_other(now.marks[q], true);
        }
        tsl_peer_word *letter =
            a->mailbox[q]->words + ((int64_t)(number % 2) * a->ranks + a->rank) * a->room;
        for (int w = 0; w < a->room; w++) {
            letter[w] = (tsl_peer_word){.part = 1, .call = number};
        }
        if (q != a->rank) {
            tsl_sim_open_other(now.marks[q], false);
        }
    }
    if (a->rank != 0) {
        atomic_fetch_add(&now.run, 1);
    }
}

static tsl_status queue_signal(tsl_context *context, const tsl_peer_signal *signal)
{
    return tsl_sim_defer(context, run_signal, signal, sizeof *signal);
}

/* Rank 0 fails when all have queued a kernel, the others one more: their host has not looked yet.
 */
static tsl_status take_part(tsl_context *context, tsl_reducer *reducer, double *values)
{
    tsl_comm *comm = context->comm;
    CHECK(comm, tsl_reducer_is_direct(reducer));
    for (int i = 0; i < (comm->rank == 0 ? 1 : 2); i++) {
        CHECK(comm, tsl_reducer_execute(reducer, values, 2) == TSL_OK);
    }
    CHECK(comm, tsl_comm_barrier(comm) == TSL_OK);
    if (comm->rank == 0) {
        return tsl_comm_fail(comm, TSL_E_IO, COMM_REASON);
    }
    if (now.late) {
        tsl_context_synchronize(context);
    }
    for (int i = 0; now.late ? !atomic_load(&now.cleared) : i < 50; i++) {
        usleep(1000);
    }
    CHECK(comm, tsl_reducer_execute(reducer, values, 2) == TSL_E_COMM);
    return TSL_E_COMM;
}

static tsl_status run_rank(tsl_comm *comm, void *user)
{
    static const char *const sims[RANKS] = {"sim", "sim:reversed", "sim:strided"};
    (void)user;
    tsl_context *context = NULL;
    tsl_reducer *reducer = NULL;
    void *values = NULL;
    tsl_status status = test_rank_context(&context, comm, sims[comm->rank]);
    if (status != TSL_OK) {
        return status;
    }
    const tsl_device_ops *own = context->ops;
    context->ops = &now.ops;
    now.marks[comm->rank] = tsl_sim_mark_now(context);
    status = tsl_device_allocate(&values, context, 2 * sizeof(double), "a test");
    if (status == TSL_OK) {
        status = tsl_reducer_create(&reducer, comm, context, 2, TSL_COMM_DOUBLE, TSL_COMM_SUM);
    }
    if (status == TSL_OK && !now.idle) {
        status = take_part(context, reducer, values);
    }
    const double begun = tsl_seconds();
    tsl_reducer_destroy(reducer);
    if (comm->rank == 0) {
        now.seconds = tsl_seconds() - begun;
        now.run_when_cleared = atomic_load(&now.run);
        atomic_store(&now.cleared, true);
    }
    context->ops = own;
    tsl_device_release(context, values);
    tsl_context_destroy(context);
    return status;
}

static void prepare(bool idle, bool late)
{
    now = (party){.peer = *tsl_device_sim.peer, .ops = tsl_device_sim, .idle = idle, .late = late};
    now.peer.side_by_side = comm_side_by_side;
    now.peer.signal = queue_signal;
    now.ops.peer = &now.peer;
}

static void fail_one(bool late)
{
    const int64_t live = tsl_test_live_allocations();
    prepare(false, late);
    alarm(PATIENCE);
    assert_int_equal(tsl_comm_run(RANKS, run_rank, NULL), TSL_E_IO);
    alarm(0);
    assert_non_null(strstr(tsl_last_error(NULL), COMM_REASON));
    assert_int_equal(tsl_test_live_allocations(), live);
}

static void memory_stays_while_others_write_to_it(void **state)
{
    (void)state;
    fail_one(false);
    assert_int_equal(now.run_when_cleared, 2 * (RANKS - 1));
    assert_true(now.seconds < 4);
}

static void who_does_not_clear_up_is_not_waited_for_long(void **state)
{
    (void)state;
    fail_one(true);
    assert_true(now.seconds > 4 && now.seconds < 9);
}

static void every_failing_allocation_is_survived(void **state)
{
    (void)state;
    const int64_t live = tsl_test_live_allocations();
    int64_t failures = 0;
    for (int64_t k = 1;; k++) {
        prepare(true, false);
        alarm(PATIENCE);
        tsl_test_fail_allocation(k);
        const tsl_status status = tsl_comm_run(RANKS, run_rank, NULL);
        const int64_t made = tsl_test_fail_allocation(0);
        assert_int_equal(tsl_test_live_allocations(), live);
        assert_true(now.seconds < 4);
        if (made < k) {
            assert_int_equal(status, TSL_OK);
            break;
        }
        failures += status == TSL_E_NOMEM;
    }
    alarm(0);
    assert_true(failures > 20);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(memory_stays_while_others_write_to_it),
        cmocka_unit_test(who_does_not_clear_up_is_not_waited_for_long),
        cmocka_unit_test(every_failing_allocation_is_survived)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
