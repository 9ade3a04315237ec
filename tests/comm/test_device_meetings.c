/* Ranks that are threads, on device memory: whether their kernels meet, which all have to find
 * alike. Where they don't, what they send arrives all the same. */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "comm/bench.h"
#include "comm/cases.h"

/* Count the meetings of so many ranks of kind "meeting", which all meet `each` times. */
static void count_meetings(tsl_status (*run)(comm_bench *b), int ranks, int each)
{
    comm_row r = {.kind = "meeting", .run = run};
    const int before = comm_meetings();
    alarm(COMM_PATIENCE);
    if (tsl_comm_run(ranks, comm_bench_run, &r) != TSL_OK) {
        fail_msg("%d ranks: %s", ranks, tsl_last_error(NULL));
    }
    alarm(0);
    assert_int_equal(comm_meetings() - before, each * ranks);
}

static void the_first_operation_finds_out(void **state)
{
    (void)state;
    count_meetings(comm_bench_all_to_all, 1, 0);
    count_meetings(comm_bench_all_to_all, 2, 2);
    count_meetings(comm_bench_all_to_all, 5, 2);
}

static tsl_status share_a_device(comm_bench *b)
{
    if (b->comm->rank == b->comm->size - 1) {
        snprintf(b->context->name, sizeof b->context->name, "sim:0");
    }
    return comm_bench_all_to_all(b);
}

static void ranks_of_one_device_do_not(void **state)
{
    (void)state;
    count_meetings(share_a_device, 2, 0);
    count_meetings(share_a_device, 4, 0);
}

/* A table of all ranks, whose last rank reaches nobody. */
static tsl_peer_ops cut_off_peer;
static tsl_device_ops cut_off_ops;

static tsl_status open_but_last(tsl_context *context, const tsl_context *other)
{
    (void)other;
    const bool last = context->comm->rank == context->comm->size - 1;
    return last ? tsl_fail(context, TSL_E_UNSUPPORTED, "cut off") : TSL_OK;
}

/* The first two send to each other, which the last one has no part in. */
static tsl_status cut_off(comm_bench *b)
{
    tsl_comm *comm = b->comm;
    if (comm->rank == 0) {
        cut_off_peer = *b->context->ops->peer;
        cut_off_peer.open = open_but_last;
        cut_off_ops = *b->context->ops;
        cut_off_ops.peer = &cut_off_peer;
    }
    CHECK(comm, tsl_comm_barrier(comm) == TSL_OK);
    b->context->ops = &cut_off_ops;
    for (int i = 0; i < 3; i++) {
        const tsl_comm_pair pair = {.peer = 1 - comm->rank,
                                    .send = b->send,
                                    .send_bytes = 500,
                                    .receive = b->receive,
                                    .receive_bytes = 500};
        CHECK(comm, comm_bench_fill(b, b->receive, COMM_UNTOUCHED, COMM_BYTES) == TSL_OK);
        CHECK(comm, comm_bench_fill(b, b->send, (unsigned char)(comm->rank + i), 500) == TSL_OK);
        CHECK(comm, tsl_comm_exchange(comm, b->context, comm->rank < 2, &pair) == TSL_OK);
        b->own_ops->download(b->context, b->host, b->receive, COMM_BYTES);
        CHECK(comm, comm->rank == 2 || b->host[499] == 1 - comm->rank + i);
        CHECK(comm, b->host[500] == COMM_UNTOUCHED);
        CHECK(comm, b->context->error[0] == '\0'); /* not to meet is no failure */
    }
    return TSL_OK;
}

static void ranks_that_do_not_reach_all_do_not(void **state)
{
    (void)state;
    count_meetings(cut_off, 3, 0);
}

/* One rank after the other has a new context; none meets in the operation after that. */
static tsl_status renew(comm_bench *b)
{
    tsl_comm *comm = b->comm;
    tsl_status status = comm_bench_all_to_all(b);
    for (int q = 0; q < comm->size && status == TSL_OK; q++) {
        if (q == comm->rank) {
            comm_bench_free(b);
            status = comm_bench_make(b, comm, "meeting");
        }
        status = status == TSL_OK ? comm_bench_all_to_all(b) : status;
    }
    return status;
}

static void a_new_context_is_found_out_about(void **state)
{
    (void)state;
    count_meetings(renew, 2, 2 * 3);
    count_meetings(renew, 4, 2 * 5);
}

static tsl_status in_groups(comm_bench *b, int groups)
{
    tsl_comm *whole = b->comm, *group = NULL;
    tsl_status status = tsl_comm_split(&group, whole, whole->rank % groups, whole->rank);
    if (status == TSL_OK) {
        b->comm = group;
        status = comm_bench_all_to_all(b);
        b->comm = whole;
    }
    tsl_comm_destroy(group);
    return status;
}

static tsl_status halves(comm_bench *b)
{
    return in_groups(b, 2);
}

static tsl_status all_again(comm_bench *b)
{
    return in_groups(b, 1);
}

static void only_all_ranks_do(void **state)
{
    (void)state;
    count_meetings(halves, 4, 0);
    count_meetings(all_again, 4, 2);
}

/* One byte less than kernels copy, and that many. */
static tsl_status large(comm_bench *b)
{
    enum { SIDES = 2 };
    void *memory[SIDES];
    for (int i = 0; i < SIDES; i++) {
        CHECK(b->comm,
              tsl_device_allocate(&memory[i], b->context, TSL_PEER_MEETING, "a test") == TSL_OK);
    }
    for (int i = 0; i < 4; i++) {
        const int64_t bytes = TSL_PEER_MEETING - (i < 2);
        const tsl_comm_pair pair = {.peer = 1 - b->comm->rank,
                                    .send = memory[0],
                                    .send_bytes = bytes,
                                    .receive = memory[1],
                                    .receive_bytes = bytes};
        const int value = 2 * i + b->comm->rank;
        unsigned char last = 0;
        CHECK(b->comm, comm_bench_fill(b, memory[0], (unsigned char)value, bytes) == TSL_OK);
        CHECK(b->comm, tsl_comm_exchange(b->comm, b->context, 1, &pair) == TSL_OK);
        b->own_ops->download(b->context, &last, (char *)memory[1] + bytes - 1, 1);
        CHECK(b->comm, last == (value ^ 1));
    }
    for (int i = 0; i < SIDES; i++) {
        tsl_device_release(b->context, memory[i]);
    }
    return TSL_OK;
}

static void large_messages_do_not(void **state)
{
    (void)state;
    count_meetings(large, 2, 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(the_first_operation_finds_out),
                                       cmocka_unit_test(ranks_of_one_device_do_not),
                                       cmocka_unit_test(ranks_that_do_not_reach_all_do_not),
                                       cmocka_unit_test(a_new_context_is_found_out_about),
                                       cmocka_unit_test(only_all_ranks_do),
                                       cmocka_unit_test(large_messages_do_not)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
