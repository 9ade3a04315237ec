/* Ranks that are threads, on device memory: what arrives. What ranks send is written by queued work
 * just before, and overwritten by queued work just after; nothing waits for a device before the
 * end.
 */
#include <stdio.h>
#include <string.h>

#include "comm/bench.h"
#include "comm/cases.h"

static tsl_status broadcast_and_gather(comm_bench *b)
{
    for (int root = 0; root < b->comm->size; root++) {
        CHECK(b->comm, comm_bench_fill(b, b->send, (unsigned char)(b->comm->rank + 1),
                                       COMM_BYTES) == TSL_OK);
        CHECK(b->comm, comm_bench_fill(b, b->receive, COMM_UNTOUCHED, COMM_BYTES) == TSL_OK);
        CHECK(b->comm, tsl_comm_broadcast(b->comm, b->context, b->send + 3, 5000, root) == TSL_OK);
        int64_t bytes[COMM_MOST_RANKS], offsets[COMM_MOST_RANKS];
        for (int q = 0; q < b->comm->size; q++) {
            bytes[q] = 100 + q;
            offsets[q] = 1000 * q;
        }
        const tsl_comm_parts parts = {.data = b->receive, .bytes = bytes, .offsets = offsets};
        const int to = root == 0 ? TSL_COMM_ALL : root;
        CHECK(b->comm, tsl_comm_gather(b->comm, b->context, b->send, 100 + b->comm->rank, &parts,
                                       to) == TSL_OK);
        CHECK(b->comm, comm_bench_fill(b, b->send, 0xDD, COMM_BYTES) == TSL_OK);
        b->own_ops->download(b->context, b->host, b->receive, COMM_BYTES);
        for (int q = 0; q < b->comm->size && (root == 0 || root == b->comm->rank); q++) {
            for (int i = 0; i < 1000; i++) {
                const int part = i < 3 ? q + 1 : root + 1;
                CHECK(b->comm, b->host[1000 * q + i] == (i < 100 + q ? part : COMM_UNTOUCHED));
            }
        }
    }
    return TSL_OK;
}

/* Around a ring, 25 times without a wait: what arrives goes on. */
static tsl_status exchange(comm_bench *b)
{
    const int size = b->comm->size, rank = b->comm->rank;
    CHECK(b->comm, comm_bench_fill(b, b->send, (unsigned char)(rank + 1), 999) == TSL_OK);
    for (int i = 0; i < 25; i++) {
        const tsl_comm_pair ring[2] = {
            {.peer = (rank + 1) % size, .send = b->send, .send_bytes = 999},
            {.peer = (rank + size - 1) % size, .receive = b->receive, .receive_bytes = 999}};
        const tsl_comm_pair both[1] = {{.peer = (rank + 1) % size,
                                        .send = b->send,
                                        .send_bytes = 999,
                                        .receive = b->receive,
                                        .receive_bytes = 999}};
        CHECK(b->comm, tsl_comm_exchange(b->comm, b->context, size <= 2 ? 1 : 2,
                                         size <= 2 ? both : ring) == TSL_OK);
        unsigned char *next = b->receive;
        b->receive = b->send;
        b->send = next;
    }
    b->own_ops->download(b->context, b->host, b->send, 999);
    for (int i = 0; i < 999; i++) {
        CHECK(b->comm, b->host[i] == (rank + 25 * size - 25) % size + 1);
    }
    return TSL_OK;
}

/* Pairs of ranks. Once more messages than a meeting holds: ranks that have fewer see it too. */
static tsl_status many_pairs(comm_bench *b)
{
    enum { MOST_PAIRS = TSL_PEER_COPIES + 6 };
    tsl_comm_pair pairs[MOST_PAIRS];
    const int size = b->comm->size, rank = b->comm->rank;
    for (int round = 0; round < 4; round++) {
        const int count = round == 2 ? MOST_PAIRS : MOST_PAIRS / 2;
        for (int k = 0; k < count; k++) {
            pairs[k] = (tsl_comm_pair){.peer = rank ^ 1,
                                       .send = b->send + 16 * k,
                                       .send_bytes = 16,
                                       .receive = b->receive + 16 * (count - 1 - k),
                                       .receive_bytes = 16};
            CHECK(b->comm, comm_bench_fill(b, b->send + 16 * k, comm_byte_of(rank, k + round),
                                           16) == TSL_OK);
        }
        CHECK(b->comm, comm_bench_fill(b, b->receive, COMM_UNTOUCHED, COMM_BYTES) == TSL_OK);
        const bool paired = (rank ^ 1) < size;
        CHECK(b->comm, tsl_comm_exchange(b->comm, b->context, paired ? count : 0, pairs) == TSL_OK);
        b->own_ops->download(b->context, b->host, b->receive, COMM_BYTES);
        for (int k = 0; k < count && paired; k++) {
            CHECK(b->comm, b->host[16 * (count - 1 - k)] == comm_byte_of(rank ^ 1, k + round));
        }
    }
    return comm_bench_all_to_all(b); /* those who had no pair count alike */
}

/* ---- reductions --------------------------------------------------------------------------- */

static double value_of(int rank, int64_t i)
{
    return (double)((rank * 7919 + i * 104729) % 2001 - 1000) / (i % 3 == 0 ? 1 : 7);
}

/* The oracle: in the order of the ranks, in the type's own precision. */
static void expect(void *out, int type, int operation, int size, int64_t i)
{
    double real = 0;
    float single = 0;
    int64_t whole = 0;
    for (int q = 0; q < size; q++) {
        const double value = value_of(q, i);
        const float value_single = (float)value;
        const int64_t value_whole = (int64_t)value;
        if (q == 0) {
            real = value;
            single = value_single;
            whole = value_whole;
        } else if (operation == TSL_COMM_SUM) {
            real += value;
            single += value_single;
            whole += value_whole;
        } else {
            const bool least = operation == TSL_COMM_MIN;
            real = (value < real) == least ? value : real;
            single = (value_single < single) == least ? value_single : single;
            whole = (value_whole < whole) == least ? value_whole : whole;
        }
    }
    const int32_t half = (int32_t)whole;
    const void *const from[] = {&half, &whole, &single, &real};
    memcpy(out, from[type], (size_t)tsl_comm_width((tsl_comm_type)type));
}

static tsl_status reduce_type(comm_bench *b, int type, int operation, int64_t count)
{
    const int width = tsl_comm_width((tsl_comm_type)type);
    for (int64_t i = 0; i < count; i++) {
        const double real = value_of(b->comm->rank, i);
        const float single = (float)real;
        const int64_t whole = (int64_t)real;
        const int32_t half = (int32_t)whole;
        const void *const from[] = {&half, &whole, &single, &real};
        memcpy(b->host + i * width, from[type], (size_t)width);
    }
    CHECK(b->comm, b->own_ops->upload(b->context, b->send, b->host, count * width) == TSL_OK);
    CHECK(b->comm, tsl_comm_all_reduce(b->comm, b->context, b->send, count, (tsl_comm_type)type,
                                       (tsl_comm_operation)operation) == TSL_OK);
    b->own_ops->download(b->context, b->host, b->send, count * width);
    for (int64_t i = 0; i < count; i++) {
        char expected[8];
        expect(expected, type, operation, b->comm->size, i);
        CHECK(b->comm, memcmp(b->host + i * width, expected, (size_t)width) == 0);
    }
    return TSL_OK;
}

static tsl_status all_reduce(comm_bench *b)
{
    static const int64_t counts[] = {0, 1, 2, 700, 5000};
    for (int i = 0; i < 5 * TSL_COMM_TYPES * TSL_COMM_OPERATIONS; i++) {
        const tsl_status status = reduce_type(
            b, i % TSL_COMM_TYPES, i / TSL_COMM_TYPES % TSL_COMM_OPERATIONS, counts[i % 5]);
        if (status != TSL_OK) {
            return status;
        }
    }
    /* one after the other, without a wait: each multiplies by the number of ranks */
    uint32_t expected = 0x01010101;
    CHECK(b->comm, comm_bench_fill(b, b->send, 1, 4000) == TSL_OK);
    for (int i = 0; i < 6; i++) {
        expected *= (uint32_t)b->comm->size;
        CHECK(b->comm, tsl_comm_all_reduce(b->comm, b->context, b->send, 1000, TSL_COMM_INT32,
                                           TSL_COMM_SUM) == TSL_OK);
    }
    b->own_ops->download(b->context, b->host, b->send, 4000);
    for (int i = 0; i < 1000; i++) {
        CHECK(b->comm, memcmp(b->host + 4 * i, &expected, 4) == 0);
    }
    return TSL_OK;
}

/* A planned sum, of few values and of all, without a wait between executions. */
static tsl_status planned_reduction(comm_bench *b)
{
    tsl_reducer *reducer;
    const uint32_t size = (uint32_t)b->comm->size;
    tsl_context *at = b->own_ops->peer != NULL ? b->context : NULL;
    tsl_status status =
        tsl_reducer_create(&reducer, b->comm, at, 700, TSL_COMM_INT32, TSL_COMM_SUM);
    uint32_t values[700], expected[700];
    for (uint32_t j = 0; j < 700; j++) {
        values[j] = 5 * j + (uint32_t)b->comm->rank;
        expected[j] = size * 5 * j + size * (size - 1) / 2; /* 0 + 1 + … */
    }
    b->own_ops->upload(b->context, b->send, values, sizeof values);
    for (int i = 0; i < 300; i++) {
        const int count = i % 3 == 0 ? 700 : 3;
        status = status == TSL_OK ? tsl_reducer_execute(reducer, b->send, count) : status;
        for (int j = 0; j < count && i > 0; j++) {
            expected[j] *= size;
        }
    }
    b->own_ops->download(b->context, b->host, b->send, sizeof values);
    CHECK(b->comm, status == TSL_OK && memcmp(b->host, expected, sizeof expected) == 0);
    tsl_reducer_destroy(reducer);
    return TSL_OK;
}

static tsl_status reduction_that_fails(comm_bench *b)
{
    tsl_reducer *reducer = NULL;
    tsl_context *at = b->own_ops->peer != NULL ? b->context : NULL;
    tsl_status status = tsl_reducer_create(&reducer, b->comm, at, 2, TSL_COMM_DOUBLE, TSL_COMM_MAX);
    for (int i = 0; status == TSL_OK; i++) {
        if (b->comm->rank == b->comm->size - 1 && i == 10) {
            status = tsl_comm_fail(b->comm, TSL_E_IO, COMM_REASON);
        } else {
            status = tsl_reducer_execute(reducer, b->send, 2);
            tsl_context_synchronize(b->context);
        }
    }
    tsl_reducer_destroy(reducer);
    return status;
}

static void all_to_all_transposes(void **state)
{
    (void)state;
    const int before = comm_meetings();
    comm_run_everywhere(comm_bench_all_to_all);
    assert_int_equal(comm_meetings() - before, 2 * (2 + 3 + 4 + 5 + 6 + 7));
}

static void broadcast_and_gather_copy(void **state)
{
    (void)state;
    comm_run_everywhere(broadcast_and_gather);
}

static void neighbours_exchange(void **state)
{
    (void)state;
    comm_run_everywhere(exchange);
}

static void many_pairs_arrive(void **state)
{
    (void)state;
    const int before = comm_meetings();
    comm_run_everywhere(many_pairs);
    const int in_rounds = 2 * (2 + 2 + 4 + 4 + 6 + 6), at_end = 3 * (2 + 3 + 4 + 5 + 6 + 7);
    assert_int_equal(comm_meetings() - before, in_rounds + at_end);
}

static void all_reduce_combines_in_rank_order(void **state)
{
    (void)state;
    comm_run_everywhere(all_reduce);
}

static void a_planned_reduction_is_the_same(void **state)
{
    (void)state;
    comm_run_everywhere(planned_reduction);
}

static void a_planned_reduction_does_not_hang(void **state)
{
    (void)state;
    comm_run_to_end(reduction_that_fails, 4, TSL_E_IO);
}

/* A process of an MPI launch: tests/mpi/test_mpi.sh. */
static int launched(const char *kind)
{
    static tsl_status (*const runs[])(comm_bench * b) = {
        comm_bench_all_to_all, broadcast_and_gather, exchange, all_reduce, planned_reduction};
    tsl_comm *comm = NULL;
    tsl_status status = tsl_comm_create(&comm);
    if (status != TSL_OK || strcmp(tsl_comm_path(comm), "mpi") != 0) {
        fprintf(stderr, "%s\n", tsl_last_error(NULL));
        return 1;
    }
    for (size_t i = 0; i < sizeof runs / sizeof *runs && status == TSL_OK; i++) {
        status = comm_bench_run(comm, &(comm_row){.kind = kind, .run = runs[i]});
    }
    const char *reason = tsl_comm_failure(comm, NULL, NULL);
    if (status != TSL_OK) {
        fprintf(stderr, "%s: %s\n", kind, reason != NULL ? reason : tsl_status_name(status));
        tsl_comm_fail(comm, status, tsl_status_name(status));
    }
    tsl_comm_destroy(comm);
    return status == TSL_OK ? 0 : 1;
}

int main(int argc, char **argv)
{
    if (argc > 1) {
        return launched(argv[1]);
    }
    const struct CMUnitTest tests[] = {cmocka_unit_test(all_to_all_transposes),
                                       cmocka_unit_test(broadcast_and_gather_copy),
                                       cmocka_unit_test(neighbours_exchange),
                                       cmocka_unit_test(many_pairs_arrive),
                                       cmocka_unit_test(all_reduce_combines_in_rank_order),
                                       cmocka_unit_test(a_planned_reduction_is_the_same),
                                       cmocka_unit_test(a_planned_reduction_does_not_hang)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
