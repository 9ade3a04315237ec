/* Ranks that are threads, on device memory: sim, and cuda where there is one. What ranks send is
 * written by queued work just before, and overwritten by queued work just after; nothing waits for
 * a device before the end. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "comm/cases.h"
#include "comm/peer.h"
#include "device/plugin.h"
#include "device/sim.h"
#include "support/devices.h"

enum { PATIENCE = 120, MOST_RANKS = 7, BYTES = 1 << 16, UNTOUCHED = 0xEE };

/* A rank, its device, and memory on it. */
typedef struct bench {
    tsl_comm *comm;
    tsl_context *context;
    unsigned char *send, *receive; /* [BYTES], on the device */
    unsigned char host[BYTES];
    const tsl_device_ops *own_ops; /* the context's, where a test has changed them */
} bench;

static tsl_status fill(const bench *b, unsigned char *target, unsigned char value, int64_t bytes)
{
    return b->context->ops->fill(b->context, target, value, bytes);
}

static tsl_status make_bench(bench *b, tsl_comm *comm, const char *kind)
{
    static const char *const sims[] = {"sim", "sim:reversed", "sim:strided"};
    char name[32];
    char reason[512];
    int cards = 1;
    void *memory = NULL;
    tsl_context_options options = TSL_CONTEXT_OPTIONS_INIT;
    memset(b, 0, sizeof *b);
    snprintf(name, sizeof name, "%s", strcmp(kind, "sim") == 0 ? sims[comm->rank % 3] : kind);
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
        CHECK(comm, tsl_device_allocate(&memory, b->context, BYTES, "a test") == TSL_OK);
        *(i == 0 ? &b->send : &b->receive) = memory;
        CHECK(comm, fill(b, memory, UNTOUCHED, BYTES) == TSL_OK);
    }
    b->own_ops = b->context->ops;
    return TSL_OK;
}

static void free_bench(bench *b)
{
    if (b->context != NULL) {
        b->context->ops = b->own_ops != NULL ? b->own_ops : b->context->ops;
        tsl_device_release(b->context, b->send);
        tsl_device_release(b->context, b->receive);
        tsl_context_destroy(b->context);
    }
}

/* ---- what moves --------------------------------------------------------------------------- */

/* The byte rank `from` sends to `to`, and how often. */
static unsigned char byte_of(int from, int to)
{
    return (unsigned char)(17 * from + 3 * to + 1);
}

static int64_t bytes_of(int from, int to)
{
    static const int64_t bytes[] = {1000, 0, 1, 4096, 37, 8192, 16};
    return bytes[(2 * from + 3 * to) % 7];
}

/* Parts to, or from, each rank, at odd places and even ones. */
static tsl_comm_parts lay_out(const bench *b, bool receive, int64_t *bytes, int64_t *offsets)
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

static tsl_status fill_parts(const bench *b, const tsl_comm_parts *parts)
{
    for (int q = 0; q < b->comm->size; q++) {
        if (parts->bytes[q] > 0) {
            CHECK(b->comm, fill(b, (unsigned char *)parts->data + parts->offsets[q],
                                byte_of(b->comm->rank, q), parts->bytes[q]) == TSL_OK);
        }
    }
    return TSL_OK;
}

/* Wait, and count the bytes that are not what was sent. */
static int64_t wrong_parts(bench *b, const tsl_comm_parts *parts)
{
    int64_t wrong = 0;
    b->own_ops->download(b->context, b->host, b->receive, BYTES);
    for (int q = 0; q < b->comm->size; q++) {
        for (int64_t i = 0; i < parts->bytes[q]; i++) {
            wrong += b->host[parts->offsets[q] + i] != byte_of(q, b->comm->rank);
        }
    }
    return wrong;
}

static tsl_status all_to_all(bench *b)
{
    int64_t bytes[2][MOST_RANKS], offsets[2][MOST_RANKS];
    const tsl_comm_parts send = lay_out(b, false, bytes[0], offsets[0]);
    const tsl_comm_parts receive = lay_out(b, true, bytes[1], offsets[1]);
    CHECK(b->comm, fill(b, b->receive, 0x11, BYTES) == TSL_OK);
    CHECK(b->comm, fill_parts(b, &send) == TSL_OK);
    CHECK(b->comm, tsl_comm_all_to_all(b->comm, b->context, &send, &receive) == TSL_OK);
    CHECK(b->comm, fill(b, b->send, 0xDD, BYTES) == TSL_OK);
    CHECK(b->comm, wrong_parts(b, &receive) == 0);
    return TSL_OK;
}

static tsl_status broadcast_and_gather(bench *b)
{
    for (int root = 0; root < b->comm->size; root++) {
        CHECK(b->comm, fill(b, b->send, (unsigned char)(b->comm->rank + 1), BYTES) == TSL_OK);
        CHECK(b->comm, fill(b, b->receive, UNTOUCHED, BYTES) == TSL_OK);
        CHECK(b->comm, tsl_comm_broadcast(b->comm, b->context, b->send + 3, 5000, root) == TSL_OK);
        int64_t bytes[MOST_RANKS], offsets[MOST_RANKS];
        for (int q = 0; q < b->comm->size; q++) {
            bytes[q] = 100 + q;
            offsets[q] = 1000 * q;
        }
        const tsl_comm_parts parts = {.data = b->receive, .bytes = bytes, .offsets = offsets};
        const int to = root == 0 ? TSL_COMM_ALL : root;
        CHECK(b->comm, tsl_comm_gather(b->comm, b->context, b->send, 100 + b->comm->rank, &parts,
                                       to) == TSL_OK);
        CHECK(b->comm, fill(b, b->send, 0xDD, BYTES) == TSL_OK);
        b->own_ops->download(b->context, b->host, b->receive, BYTES);
        for (int q = 0; q < b->comm->size && (root == 0 || root == b->comm->rank); q++) {
            for (int i = 0; i < 1000; i++) {
                const int part = i < 3 ? q + 1 : root + 1;
                CHECK(b->comm, b->host[1000 * q + i] == (i < 100 + q ? part : UNTOUCHED));
            }
        }
    }
    return TSL_OK;
}

/* Around a ring, five times without a wait: what arrives goes on. */
static tsl_status exchange(bench *b)
{
    const int size = b->comm->size, rank = b->comm->rank;
    CHECK(b->comm, fill(b, b->send, (unsigned char)(rank + 1), 999) == TSL_OK);
    for (int i = 0; i < 5; i++) {
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
        CHECK(b->comm, b->host[i] == (rank + 5 * size - 5) % size + 1);
    }
    return TSL_OK;
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

static tsl_status reduce_type(bench *b, int type, int operation, int64_t count)
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

static tsl_status all_reduce(bench *b)
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
    CHECK(b->comm, fill(b, b->send, 1, 4000) == TSL_OK);
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

/* The same planned, of few values and of all, without a wait; then with one that does not come. */
static tsl_status planned_reduction(bench *b)
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

static tsl_status reduction_that_fails(bench *b)
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

/* ---- the table ---------------------------------------------------------------------------- */

typedef struct row {
    const char *kind;
    tsl_status (*run)(bench *b);
} row;

static tsl_status run_row(tsl_comm *comm, void *user)
{
    const row *r = user;
    bench *b = malloc(sizeof *b);
    tsl_status status = b != NULL ? make_bench(b, comm, r->kind) : TSL_E_NOMEM;
    if (status == TSL_OK) {
        status = r->run(b);
    }
    if (b != NULL) {
        free_bench(b);
    }
    free(b);
    return status;
}

/* cpu, sim and, where there is one, cuda. */
static int kinds(const char *out[3])
{
    const int devices = test_device_count();
    out[0] = "cpu";
    out[1] = "sim";
    out[2] = "cuda";
    return strcmp(test_devices[devices - 1], "cuda:0") == 0 ? 3 : 2;
}

static void run_everywhere(tsl_status (*run)(bench *b))
{
    const char *kind[3];
    const int count = kinds(kind);
    for (int i = 0; i < count; i++) {
        for (int ranks = 1; ranks <= MOST_RANKS; ranks++) {
            row r = {.kind = kind[i], .run = run};
            alarm(PATIENCE);
            if (tsl_comm_run(ranks, run_row, &r) != TSL_OK) {
                fail_msg("%s, %d ranks: %s", kind[i], ranks, tsl_last_error(NULL));
            }
            alarm(0);
        }
    }
}

static void all_to_all_transposes(void **state)
{
    (void)state;
    run_everywhere(all_to_all);
}

static void broadcast_and_gather_copy(void **state)
{
    (void)state;
    run_everywhere(broadcast_and_gather);
}

static void neighbours_exchange(void **state)
{
    (void)state;
    run_everywhere(exchange);
}

static void all_reduce_combines_in_rank_order(void **state)
{
    (void)state;
    run_everywhere(all_reduce);
}

static void a_planned_reduction_is_the_same(void **state)
{
    (void)state;
    run_everywhere(planned_reduction);
}

static void a_planned_reduction_does_not_hang(void **state)
{
    (void)state;
    const char *kind[3];
    const int count = kinds(kind);
    for (int i = 0; i < count; i++) {
        for (int ranks = 1; ranks <= 4; ranks++) {
            row r = {.kind = kind[i], .run = reduction_that_fails};
            alarm(PATIENCE);
            assert_int_equal(tsl_comm_run(ranks, run_row, &r), TSL_E_IO);
            alarm(0);
        }
    }
}

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
    bench *b = malloc(sizeof *b);
    if (b == NULL || make_bench(b, comm, "sim") != TSL_OK) {
        free(b);
        return TSL_E_NOMEM;
    }
    b->context->ops = &f->ops;
    waits = 0;
    int64_t bytes[2][MOST_RANKS], offsets[2][MOST_RANKS], wrong = 0;
    const tsl_comm_parts send = lay_out(b, false, bytes[0], offsets[0]);
    const tsl_comm_parts receive = lay_out(b, true, bytes[1], offsets[1]);
    tsl_status status = fill_parts(b, &send);
    status = status == TSL_OK ? tsl_comm_all_to_all(comm, b->context, &send, &receive) : status;
    status = status == TSL_OK ? fill(b, b->send, 0xDD, BYTES) : status;
    for (int q = 0; q < comm->size && status == TSL_OK; q++) { /* one after the other */
        wrong = q == comm->rank ? wrong_parts(b, &receive) : wrong;
        status = tsl_comm_barrier(comm);
    }
    if (status == TSL_OK) {
        status = tsl_comm_all_reduce(comm, NULL, &wrong, 1, TSL_COMM_INT64, TSL_COMM_SUM);
    }
    if (comm->rank == 0) {
        f->wrong = wrong;
    }
    free_bench(b);
    free(b);
    return status;
}

static int64_t wrong_with(tsl_status (*wait)(tsl_context *context, const tsl_event *event))
{
    fault f = {.peer = *tsl_device_sim.peer, .ops = tsl_device_sim};
    f.peer.wait = wait != NULL ? wait : f.peer.wait;
    f.ops.peer = &f.peer;
    alarm(PATIENCE);
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

static tsl_status mix(tsl_comm *comm, void *user)
{
    (void)user;
    bench *b = malloc(sizeof *b);
    tsl_status status =
        b != NULL ? make_bench(b, comm, comm->rank == 0 ? "sim" : "cpu") : TSL_E_NOMEM;
    if (status == TSL_OK) {
        status = tsl_comm_broadcast(comm, b->context, b->send, 10, 0);
    }
    if (b != NULL) {
        free_bench(b);
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
static tsl_status again(bench *b)
{
    tsl_comm *comm = b->comm;
    tsl_status status = all_to_all(b);
    if (status == TSL_OK) {
        const char *device = b->context->name;
        char kind[16];
        snprintf(kind, sizeof kind, "%.*s", (int)strcspn(device, ":"), device);
        free_bench(b);
        status = make_bench(b, comm, kind);
    }
    return status == TSL_OK ? all_to_all(b) : status;
}

static void a_rank_may_have_a_context_after_another(void **state)
{
    (void)state;
    run_everywhere(again);
}

static tsl_status all_operations(bench *b)
{
    tsl_status status = all_to_all(b);
    return status == TSL_OK ? reduce_type(b, TSL_COMM_DOUBLE, TSL_COMM_SUM, 10) : status;
}

static void every_failing_allocation_is_survived(void **state)
{
    (void)state;
    const int64_t live = tsl_test_live_allocations();
    row r = {.kind = "sim", .run = all_operations};
    int failures = 0;
    for (int64_t k = 1;; k++) {
        alarm(PATIENCE);
        tsl_test_fail_allocation(k);
        const tsl_status status = tsl_comm_run(2, run_row, &r);
        const int64_t made = tsl_test_fail_allocation(0);
        assert_int_equal(tsl_test_live_allocations(), live);
        if (made < k) {
            assert_int_equal(status, TSL_OK);
            break;
        }
        failures += status != TSL_OK; /* a wait that cannot be queued is done at once */
    }
    alarm(0);
    assert_true(failures > 20);
}

/* A process of an MPI launch: tests/mpi/test_mpi.sh. */
static int launched(const char *kind)
{
    static tsl_status (*const runs[])(bench * b) = {all_to_all, broadcast_and_gather, exchange,
                                                    all_reduce, planned_reduction};
    tsl_comm *comm = NULL;
    tsl_status status = tsl_comm_create(&comm);
    if (status != TSL_OK || strcmp(tsl_comm_path(comm), "mpi") != 0) {
        fprintf(stderr, "%s\n", tsl_last_error(NULL));
        return 1;
    }
    for (size_t i = 0; i < sizeof runs / sizeof *runs && status == TSL_OK; i++) {
        status = run_row(comm, &(row){.kind = kind, .run = runs[i]});
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
                                       cmocka_unit_test(all_reduce_combines_in_rank_order),
                                       cmocka_unit_test(a_planned_reduction_is_the_same),
                                       cmocka_unit_test(a_planned_reduction_does_not_hang),
                                       cmocka_unit_test(a_missing_wait_shows),
                                       cmocka_unit_test(kinds_do_not_mix),
                                       cmocka_unit_test(a_rank_may_have_a_context_after_another),
                                       cmocka_unit_test(every_failing_allocation_is_survived)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
