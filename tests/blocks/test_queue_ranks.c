/* Work is handed out once by ranks that are threads; failures and a stop end all. */
#include "support/devices.h"

#include <math.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <unistd.h>

#include "blocks/queue/queue.h"

typedef struct hand_out {
    int64_t items;
    int *taken; /* [items], each written by who has the item */
} hand_out;

static tsl_status take_all(tsl_comm *comm, void *user)
{
    const hand_out *h = user;
    tsl_queue *queue = NULL;
    tsl_status status = tsl_queue_create(&queue, comm, h->items, 1 + comm->rank);
    int64_t first = 0, count = 1, sum = 0;
    volatile double work = 1;
    while (status == TSL_OK && count > 0) {
        status = tsl_queue_next(queue, &first, &count);
        for (int64_t i = first; i < first + count && status == TSL_OK; i++) {
            h->taken[i]++;
            for (int j = 0; j < 50 * (1 + comm->rank); j++) {
                work = work * 1.0000001;
            }
        }
        sum += count;
    }
    tsl_queue_share share = {0};
    if (status == TSL_OK) {
        tsl_queue_share_of(queue, &share);
        if (share.items != sum || (sum > 0) != (share.chunks > 0)) {
            status = tsl_comm_fail(comm, TSL_E_INTERNAL, "the share is not what was taken");
        }
    }
    tsl_queue_destroy(queue);
    return status;
}

static void each_item_is_handed_out_once(void **state)
{
    (void)state;
    static const int64_t totals[] = {0, 1, 6, 1000, 100003};
    const int64_t live = tsl_test_live_allocations();
    for (int ranks = 1; ranks <= 7; ranks++) {
        for (int i = 0; i < 5; i++) {
            hand_out h = {.items = totals[i], .taken = calloc((size_t)totals[i] + 1, sizeof(int))};
            alarm(120);
            assert_int_equal(tsl_comm_run(ranks, take_all, &h), TSL_OK);
            alarm(0);
            for (int64_t j = 0; j < h.items; j++) {
                assert_int_equal(h.taken[j], 1);
            }
            free(h.taken);
        }
    }
    assert_int_equal(tsl_test_live_allocations(), live);
}

/* Parts in proportion to weights: one each, in the order of ranks, nothing left over. */
static tsl_status take_part(tsl_comm *comm, void *user)
{
    const hand_out *h = user;
    static const double weights[] = {1, 3, 0.5, 2};
    tsl_queue *queue = NULL;
    tsl_status status = tsl_queue_create(&queue, comm, h->items, 5);
    int64_t first = 0, count = 0, more = 0;
    if (status == TSL_OK) {
        tsl_queue_split(queue, weights);
        status = tsl_queue_next(queue, &first, &count);
    }
    for (int64_t i = first; i < first + count; i++) {
        h->taken[i] += 1 + comm->rank;
    }
    if (status == TSL_OK) {
        status = tsl_queue_next(queue, &first, &more);
    }
    double sum = 0;
    for (int q = 0; q < comm->size; q++) {
        sum += weights[q];
    }
    const double ideal = (double)h->items * weights[comm->rank] / sum;
    if (status == TSL_OK && (more != 0 || fabs((double)count - ideal) > 1)) {
        status = tsl_comm_fail(comm, TSL_E_INTERNAL, "a part is not in proportion");
    }
    tsl_queue_destroy(queue);
    return status;
}

static void a_split_queue_hands_out_parts(void **state)
{
    (void)state;
    static const int64_t totals[] = {0, 1, 3, 7, 1000};
    for (int ranks = 1; ranks <= 4; ranks++) {
        for (int i = 0; i < 5; i++) {
            hand_out h = {.items = totals[i], .taken = calloc((size_t)totals[i] + 1, sizeof(int))};
            alarm(120);
            assert_int_equal(tsl_comm_run(ranks, take_part, &h), TSL_OK);
            alarm(0);
            for (int64_t j = 0; j < h.items; j++) { /* each once, those of a rank side by side */
                assert_in_range(h.taken[j], j > 0 ? h.taken[j - 1] : 1, ranks);
            }
            free(h.taken);
        }
    }
}

/* A rank that fails stops the others at their next chunk. */
static tsl_status fail_one(tsl_comm *comm, void *user)
{
    (void)user;
    tsl_queue *queue = NULL;
    tsl_status status = tsl_queue_create(&queue, comm, INT64_C(1) << 40, 1);
    int64_t first, count;
    while (status == TSL_OK) {
        status = tsl_queue_next(queue, &first, &count);
        if (comm->rank == 1) {
            status = tsl_comm_fail(comm, TSL_E_IO, "no more");
        }
    }
    tsl_queue_destroy(queue);
    return status;
}

static tsl_status bad_batch(tsl_comm *comm, void *user)
{
    (void)user;
    tsl_queue *queue = NULL;
    return tsl_queue_create(&queue, comm, 10, comm->rank);
}

static void failures_stop_all(void **state)
{
    (void)state;
    const int64_t live = tsl_test_live_allocations();
    alarm(120);
    assert_int_equal(tsl_comm_run(3, fail_one, NULL), TSL_E_IO);
    assert_string_equal(tsl_last_error(NULL), "rank 1: no more");
    assert_int_equal(tsl_comm_run(2, bad_batch, NULL), TSL_E_INTERNAL);
    for (int64_t k = 1;; k++) {
        hand_out h = {.items = 100, .taken = calloc(100, sizeof(int))};
        tsl_test_fail_allocation(k);
        const tsl_status status = tsl_comm_run(2, take_all, &h);
        const int64_t made = tsl_test_fail_allocation(0);
        free(h.taken);
        assert_int_equal(tsl_test_live_allocations(), live);
        assert_int_equal(status, made < k ? TSL_OK : TSL_E_NOMEM);
        if (made < k) {
            break;
        }
    }
    alarm(0);
}

/* Rank 1 stops the queue. The others get no chunk after that, and hear of it at work. */
static tsl_status stop_one(tsl_comm *comm, void *user)
{
    atomic_int *stopped_ranks = user;
    tsl_queue *queue = NULL;
    tsl_status status = tsl_queue_create(&queue, comm, INT64_C(1) << 40, 1);
    int64_t first = 0, count = 0;
    bool stopped = false;
    if (status == TSL_OK) {
        status = tsl_queue_next(queue, &first, &count);
    }
    if (status == TSL_OK && comm->rank == 1) {
        status = tsl_queue_stop(queue);
    }
    while (status == TSL_OK && !stopped) {
        status = tsl_queue_is_stopped(queue, &stopped);
    }
    if (status == TSL_OK) {
        status = tsl_queue_next(queue, &first, &count);
    }
    atomic_fetch_add(stopped_ranks, status == TSL_OK && stopped && count == 0);
    tsl_queue_destroy(queue);
    return status;
}

static void a_stopped_queue_hands_out_nothing(void **state)
{
    (void)state;
    for (int ranks = 2; ranks <= 4; ranks++) {
        atomic_int stopped = 0;
        alarm(60);
        assert_int_equal(tsl_comm_run(ranks, stop_one, &stopped), TSL_OK);
        alarm(0);
        assert_int_equal(stopped, ranks);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(each_item_is_handed_out_once),
                                       cmocka_unit_test(a_split_queue_hands_out_parts),
                                       cmocka_unit_test(failures_stop_all),
                                       cmocka_unit_test(a_stopped_queue_hands_out_nothing)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
