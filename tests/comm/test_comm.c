/* Ranks alone and as threads. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include "comm/cases.h"
#include "comm/threads/threads.h"
#include "support/devices.h"
#include "tesela/tesela.h"

static const int rank_counts[] = {1, 2, 3, 4, 7};
enum { COUNTS = sizeof rank_counts / sizeof *rank_counts, PATIENCE = 120 /* seconds */ };

static void assert_runs(int ranks, tsl_rank_function function, void *user)
{
    alarm(PATIENCE);
    if (tsl_comm_run(ranks, function, user) != TSL_OK) {
        fail_msg("%d ranks: %s", ranks, tsl_last_error(NULL));
    }
    alarm(0);
}

/* ---- operations --------------------------------------------------------------------------- */

static tsl_status run_cases(tsl_comm *comm, void *user)
{
    CHECK(comm, strcmp(tsl_comm_path(comm), comm->size == 1 ? "self" : "threads") == 0);
    return comm_run_cases(comm, *(const uint64_t *)user);
}

static void operations_match_plain_code(void **state)
{
    (void)state;
    const int64_t live = tsl_test_live_allocations();
    for (int i = 0; i < COUNTS; i++) {
        for (uint64_t seed = 1; seed <= 3; seed++) {
            assert_runs(rank_counts[i], run_cases, &seed);
        }
    }
    assert_int_equal(tsl_test_live_allocations(), live);
}

static void a_process_is_a_rank(void **state)
{
    (void)state;
    tsl_comm *comm = NULL;
    assert_int_equal(tsl_comm_create_self(&comm), TSL_OK);
    assert_int_equal(tsl_comm_rank(comm), 0);
    assert_int_equal(tsl_comm_size(comm), 1);
    assert_string_equal(tsl_comm_path(comm), "self");
    assert_int_equal(comm_run_cases(comm, 9), TSL_OK);
    tsl_comm_destroy(comm);
}

static void a_launch_without_the_plug_in_is_an_error(void **state)
{
    (void)state;
    static const char *const variables[] = {"OMPI_COMM_WORLD_SIZE",
                                            "PMIX_RANK",
                                            "PMI_RANK",
                                            "PMI_SIZE",
                                            "MV2_COMM_WORLD_SIZE",
                                            "SLURM_NTASKS",
                                            "SLURM_STEP_NUM_TASKS"};
    for (int i = 0; i < 7; i++) {
        unsetenv(variables[i]);
    }
    tsl_comm *comm = NULL;
    setenv("SLURM_NTASKS", "4", 1); /* an allocation is no launch */
    assert_int_equal(tsl_comm_create(&comm), TSL_OK);
    assert_string_equal(tsl_comm_path(comm), "self");
    tsl_comm_destroy(comm);
    setenv("SLURM_STEP_NUM_TASKS", "1", 1);
    assert_int_equal(tsl_comm_create(&comm), TSL_OK);
    tsl_comm_destroy(comm);
    setenv("SLURM_STEP_NUM_TASKS", "4", 1); /* a step of processes that MPI knows nothing of */
    assert_int_equal(tsl_comm_create(&comm), TSL_E_COMM);
    assert_non_null(strstr(tsl_last_error(NULL), "SLURM_STEP_NUM_TASKS is 4"));
    unsetenv("SLURM_STEP_NUM_TASKS");
    char *folders =
        strdup(getenv("TESELA_PLUGIN_PATH") != NULL ? getenv("TESELA_PLUGIN_PATH") : "");
    setenv("TESELA_PLUGIN_PATH", "/nowhere", 1);
    setenv("PMIX_RANK", "0", 1);
    assert_int_equal(tsl_comm_create(&comm), TSL_E_COMM);
    assert_non_null(strstr(tsl_last_error(NULL), "PMIX_RANK is set"));
    assert_non_null(strstr(tsl_last_error(NULL), "there is no plug-in libtesela_mpi.so"));
    unsetenv("PMIX_RANK");
    setenv("TESELA_PLUGIN_PATH", folders, 1);
    free(folders);
}

static tsl_status use_context(tsl_comm *comm, void *user)
{
    (void)user;
    tsl_context_options options = TSL_CONTEXT_OPTIONS_INIT;
    tsl_context *context = NULL;
    options.device = "cpu";
    options.comm = comm;
    CHECK(comm, tsl_context_create(&context, &options) == TSL_OK);
    CHECK(comm, context->comm == comm);
    int64_t sum = 1; /* memory of a CPU is the host's */
    CHECK(comm,
          tsl_comm_all_reduce(comm, context, &sum, 1, TSL_COMM_INT64, TSL_COMM_SUM) == TSL_OK);
    CHECK(comm, sum == comm->size);
    CHECK(comm, tsl_comm_barrier(comm) == TSL_OK);
    CHECK(comm, comm->rank != 1 || tsl_comm_fail(comm, TSL_E_IO, "a reason") == TSL_E_IO);
    while (tsl_comm_barrier(comm) == TSL_OK) {
    }
    const bool told = strcmp(tsl_last_error(context), "rank 1: a reason") == 0;
    tsl_context_destroy(context);
    return told ? TSL_E_COMM : TSL_OK;
}

static void a_context_belongs_to_a_rank(void **state)
{
    (void)state;
    tsl_context *context = NULL;
    assert_int_equal(tsl_context_create(&context, NULL), TSL_OK);
    assert_int_equal(tsl_comm_size(context->comm), 1);
    assert_int_equal(tsl_comm_barrier(context->comm), TSL_OK);
    tsl_context_destroy(context);
    assert_int_equal(tsl_comm_run(3, use_context, NULL), TSL_E_IO);
    assert_string_equal(tsl_last_error(NULL), "rank 1: a reason");
}

/* A context may come to lie where another was, of another device. */
static tsl_status change_devices(tsl_comm *comm, void *user)
{
    static const char *const devices[] = {"sim", "sim:reversed", "sim", "sim:strided"};
    const tsl_threads_device *d = &tsl_threads_group_of(comm)->devices[comm->rank];
    (void)user;
    for (int i = 0; i < 4; i++) {
        tsl_context_options options = TSL_CONTEXT_OPTIONS_INIT;
        tsl_context *context = NULL;
        void *memory = NULL;
        options.device = devices[i];
        options.comm = comm;
        CHECK(comm, tsl_context_create(&context, &options) == TSL_OK);
        CHECK(comm, tsl_device_allocate(&memory, context, 100, "a test") == TSL_OK);
        CHECK(comm, tsl_comm_broadcast(comm, context, memory, 100, 0) == TSL_OK);
        CHECK(comm, d->generation == i + 1);
        CHECK(comm, tsl_context_synchronize(context) == TSL_OK);
        tsl_device_release(context, memory);
        tsl_context_destroy(context);
    }
    return TSL_OK;
}

static void another_device_is_noticed(void **state)
{
    (void)state;
    assert_int_equal(tsl_comm_run(2, change_devices, NULL), TSL_OK);
}

/* ---- failures ----------------------------------------------------------------------------- */

typedef struct failure {
    int rank, at;
} failure;

static tsl_status fail_at(tsl_comm *comm, void *user)
{
    const failure *f = user;
    return comm_fail_at(comm, NULL, f->rank, f->at);
}

static void a_failure_at_each_operation_stops_all(void **state)
{
    (void)state;
    const int64_t live = tsl_test_live_allocations();
    for (int i = 0; i < COUNTS; i++) {
        for (int at = 0; at < 2 * COMM_CYCLE; at++) {
            failure f = {.rank = at % rank_counts[i], .at = at};
            alarm(PATIENCE);
            assert_int_equal(tsl_comm_run(rank_counts[i], fail_at, &f), TSL_E_IO);
            alarm(0);
            assert_non_null(strstr(tsl_last_error(NULL), COMM_REASON));
        }
    }
    assert_int_equal(tsl_test_live_allocations(), live);
}

static tsl_status return_early(tsl_comm *comm, void *user)
{
    const tsl_status *status = user;
    if (comm->rank == 0) { /* the others sleep by then, and have to be woken */
        nanosleep(&(struct timespec){.tv_nsec = 20000000}, NULL);
        return *status;
    }
    return tsl_comm_barrier(comm);
}

static void nobody_waits_for_a_rank_that_has_ended(void **state)
{
    (void)state;
    alarm(PATIENCE);
    tsl_status status = TSL_E_FORMAT;
    assert_int_equal(tsl_comm_run(3, return_early, &status), TSL_E_FORMAT);
    assert_string_equal(tsl_last_error(NULL), "rank 0: TSL_E_FORMAT");
    status = TSL_OK;
    assert_int_equal(tsl_comm_run(3, return_early, &status), TSL_E_COMM);
    assert_non_null(strstr(tsl_last_error(NULL), "another rank has ended"));
    alarm(0);
}

/* One rank is at fault in each. */
static tsl_status disagree(tsl_comm *comm, void *user)
{
    char data[64] = {0};
    const int64_t bytes[2] = {comm->rank == 1 ? 8 : 4, 4}, offsets[2] = {0, 8};
    const tsl_comm_parts parts = {.data = data, .bytes = bytes, .offsets = offsets};
    const int64_t negative[2] = {-1, 0};
    const tsl_comm_parts bad = {.data = data, .bytes = negative, .offsets = offsets};
    tsl_comm_pair pair = {.peer = 1 - comm->rank, .send = data, .send_bytes = 1 + comm->rank};
    tsl_status status;
    switch (*(const int *)user) {
    case 0:
        status =
            comm->rank == 0 ? tsl_comm_barrier(comm) : tsl_comm_broadcast(comm, NULL, data, 4, 0);
        break;
    case 1:
        status = tsl_comm_broadcast(comm, NULL, data, 4 + comm->rank, 0);
        break;
    case 2:
        status = tsl_comm_all_to_all(comm, NULL, &parts, &parts);
        break;
    case 3:
        status = tsl_comm_exchange(comm, NULL, 1 - comm->rank, &pair);
        break;
    case 4:
        status = tsl_comm_exchange(comm, NULL, 1, &pair);
        break;
    case 5:
        status = tsl_comm_gather(comm, NULL, data, 3, &parts, TSL_COMM_ALL);
        break;
    case 6:
        status = tsl_comm_broadcast(comm, NULL, data, 4, comm->rank == 0 ? 0 : 2);
        break;
    case 7:
        status = tsl_comm_all_to_all(comm, NULL, comm->rank == 0 ? &bad : &parts, &parts);
        break;
    default:
        pair.peer = comm->rank == 0 ? 1 : -1;
        status = tsl_comm_exchange(comm, NULL, 1, &pair);
    }
    return status != TSL_OK ? status : tsl_comm_barrier(comm);
}

static void disagreement_is_a_failure(void **state)
{
    (void)state;
    static const struct {
        tsl_status status;
        const char *part;
    } cases[] = {{TSL_E_COMM,
                  "ranks are at odds: a barrier (count 0, root 0, type 0, operation 0, host "
                  "memory) on rank 0, a broadcast (count 4"},
                 {TSL_E_COMM, "a broadcast (count 5"},
                 {TSL_E_COMM, "bytes where rank"},
                 {TSL_E_COMM, "rank 1 has no pair that meets pair 0 of rank 0"},
                 {TSL_E_COMM, "sends"},
                 {TSL_E_COMM, "sends 3 bytes where"},
                 {TSL_E_ARG, "rank 1: communication: there is no such rank"},
                 {TSL_E_ARG, "rank 0: communication: a number of bytes is negative"},
                 {TSL_E_ARG, "rank 1: communication: there is no such rank"}};
    for (int i = 0; i < (int)(sizeof cases / sizeof *cases); i++) {
        alarm(PATIENCE);
        assert_int_equal(tsl_comm_run(2, disagree, &i), cases[i].status);
        alarm(0);
        if (strstr(tsl_last_error(NULL), cases[i].part) == NULL) {
            fail_msg("case %d: %s", i, tsl_last_error(NULL));
        }
    }
}

static tsl_status make_things(tsl_comm *comm, void *user)
{
    (void)user;
    return comm_cycle(comm, COMM_CYCLE);
}

static void every_failing_allocation_is_survived(void **state)
{
    (void)state;
    const int64_t live = tsl_test_live_allocations();
    for (int64_t k = 1;; k++) {
        alarm(PATIENCE);
        tsl_test_fail_allocation(k);
        const tsl_status status = tsl_comm_run(3, make_things, NULL);
        const int64_t made = tsl_test_fail_allocation(0);
        assert_int_equal(tsl_test_live_allocations(), live);
        if (made < k) {
            assert_int_equal(status, TSL_OK);
            assert_true(k > 10);
            break;
        }
        assert_int_equal(status, TSL_E_NOMEM);
        assert_non_null(strstr(tsl_last_error(NULL), "out of memory"));
    }
    alarm(0);
    assert_int_equal(tsl_comm_run(0, make_things, NULL), TSL_E_ARG);
    assert_int_equal(tsl_comm_run(5000, make_things, NULL), TSL_E_ARG);
}

int main(int argc, char **argv)
{
    if (argc > 1) { /* tests/mpi/test_mpi.sh */
        return comm_launched(argc - 1, argv + 1);
    }
    const struct CMUnitTest tests[] = {cmocka_unit_test(operations_match_plain_code),
                                       cmocka_unit_test(a_process_is_a_rank),
                                       cmocka_unit_test(a_launch_without_the_plug_in_is_an_error),
                                       cmocka_unit_test(a_context_belongs_to_a_rank),
                                       cmocka_unit_test(another_device_is_noticed),
                                       cmocka_unit_test(a_failure_at_each_operation_stops_all),
                                       cmocka_unit_test(nobody_waits_for_a_rank_that_has_ended),
                                       cmocka_unit_test(disagreement_is_a_failure),
                                       cmocka_unit_test(every_failing_allocation_is_survived)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
