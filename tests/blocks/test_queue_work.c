/* Chunks as devices do them: each item once, all of them done at the end, and a device that has
 * events has its next piece before it ends one. */
#include "support/devices.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "blocks/queue/queue.h"
#include "device/sim.h"

enum { ITEMS = 3000, BATCH = 5, MARK = 7, MICROSECONDS = 20 /* of an item */ };

/* What ranks do: a byte of each item on the device. */
typedef struct marking {
    const char *device;
    int fails_at;          /* the piece that does, 0: none */
    int stops_at;          /* the piece beside which the queue is stopped, 0: none */
    unsigned char *marked; /* [ITEMS]: what each rank finds of its own, in the end */
    atomic_int running;    /* pieces that were being done when the next came */
    atomic_int between;    /* of these, the last of a chunk */
    atomic_int large;      /* last pieces of a chunk that were larger than a batch */
    atomic_int most;       /* items of a piece */
    atomic_int late;       /* pieces that were not done when the one after the next came */
    atomic_int fast;       /* first chunks that seemed to be done before they were */
} marking;

typedef struct marker {
    marking *m;
    tsl_context *context;
    tsl_queue *queue;
    unsigned char *marks; /* on the device */
    int pieces;
    int64_t last[2]; /* of the last two pieces, the first item */
    int64_t count;   /* items of the last piece */
    int64_t chunks;  /* up to then */
} marker;

/* A look at the device that waits for nothing. */
static bool is_marked(const marker *r, int64_t item)
{
    unsigned char mark = MARK;
    if (strcmp(r->m->device, "sim") == 0) {
        tsl_sim_peek(r->context, &mark, r->marks + item, 1);
    }
    return mark == MARK;
}

static void take_time(const void *count)
{
    usleep((useconds_t)(MICROSECONDS * *(const int64_t *)count));
}

static tsl_status mark(void *user, int64_t first, int64_t count)
{
    marker *r = user;
    tsl_queue_share share;
    tsl_queue_share_of(r->queue, &share);
    r->pieces++;
    if (r->pieces > 1) {
        const bool runs = !is_marked(r, r->last[0]), is_next = share.chunks > r->chunks;
        atomic_fetch_add(&r->m->running, runs);
        atomic_fetch_add(&r->m->between, runs && is_next);
        atomic_fetch_add(&r->m->large, is_next && r->count > BATCH);
    }
    if (r->pieces > 2) {
        atomic_fetch_add(&r->m->late, !is_marked(r, r->last[1]));
    }
    r->last[1] = r->last[0];
    r->last[0] = first;
    r->count = count;
    r->chunks = share.chunks;
    if (count > atomic_load(&r->m->most)) {
        atomic_store(&r->m->most, (int)count);
    }
    if (r->pieces == r->m->fails_at) {
        return tsl_comm_fail(r->context->comm, TSL_E_IO, "enough");
    }
    if (r->pieces == r->m->stops_at) {
        return tsl_queue_stop(r->queue);
    }
    if (share.chunks == 2) { /* what a chunk costs besides is not known yet */
        atomic_fetch_add(&r->m->fast, share.rate > 1e6 / MICROSECONDS);
    }
    if (strcmp(r->m->device, "sim") != 0) {
        take_time(&count);
    } else if (tsl_sim_defer(r->context, take_time, &count, sizeof count) != TSL_OK) {
        return TSL_E_NOMEM;
    }
    return r->context->ops->fill(r->context, r->marks + first, MARK, count);
}

/* All is done on return, so that a look sees it. */
static tsl_status collect(const marker *r)
{
    static unsigned char marks[8][ITEMS];
    unsigned char *own = marks[tsl_comm_rank(r->context->comm)];
    if (strcmp(r->m->device, "sim") == 0) {
        tsl_sim_peek(r->context, own, r->marks, ITEMS);
    } else {
        memcpy(own, r->marks, ITEMS);
    }
    for (int i = 0; i < ITEMS; i++) {
        if (own[i] == MARK) { /* no other rank has it */
            r->m->marked[i]++;
        }
    }
    return TSL_OK;
}

static tsl_status mark_share(tsl_comm *comm, void *user)
{
    marker r = {.m = user};
    tsl_status status = test_rank_context(&r.context, comm, r.m->device);
    if (status == TSL_OK) {
        status = tsl_comm_refuse(r.context,
                                 tsl_device_allocate((void **)&r.marks, r.context, ITEMS, "marks"));
    }
    if (status == TSL_OK) {
        status = r.context->ops->fill(r.context, r.marks, 0, ITEMS);
    }
    if (status == TSL_OK) {
        status = tsl_queue_create(&r.queue, comm, ITEMS, BATCH);
    }
    if (status == TSL_OK) {
        status = tsl_queue_do(r.queue, r.context, mark, &r);
    }
    if (status == TSL_OK) {
        status = collect(&r);
    }
    tsl_queue_destroy(r.queue);
    tsl_device_release(r.context, r.marks);
    tsl_context_destroy(r.context);
    return status;
}

static tsl_status run(marking *m, int ranks)
{
    const int64_t live = tsl_test_live_allocations();
    m->marked = calloc(ITEMS, 1);
    assert_non_null(m->marked);
    alarm(120);
    const tsl_status status = tsl_comm_run(ranks, mark_share, m);
    alarm(0);
    assert_int_equal(tsl_test_live_allocations(), live);
    return status;
}

static int marked_once(const marking *m)
{
    int once = 0;
    for (int i = 0; i < ITEMS; i++) {
        assert_in_range(m->marked[i], 0, 1);
        once += m->marked[i];
    }
    return once;
}

static void each_item_is_done_once(void **state)
{
    (void)state;
    static const char *const devices[] = {"cpu", "sim"};
    for (int d = 0; d < 2; d++) {
        for (int ranks = 1; ranks <= 4; ranks++) {
            marking m = {.device = devices[d]};
            assert_int_equal(run(&m, ranks), TSL_OK);
            assert_int_equal(marked_once(&m), ITEMS);
            assert_int_equal(m.fast, 0);
            free(m.marked);
        }
    }
}

/* The host is one piece ahead of the device, and no more. */
static void a_device_has_its_next_piece_early(void **state)
{
    (void)state;
    marking m = {.device = "sim"};
    assert_int_equal(run(&m, 2), TSL_OK);
    assert_true(m.running > 10);
    assert_true(m.between > 10);
    assert_int_equal(m.large, 0);
    assert_int_equal(m.late, 0);
    assert_true(m.most > BATCH);
    free(m.marked);
}

static void a_failure_ends_all(void **state)
{
    (void)state;
    for (int piece = 1; piece <= 4; piece++) {
        marking m = {.device = "sim", .fails_at = piece};
        assert_int_equal(run(&m, 3), TSL_E_IO);
        assert_non_null(strstr(tsl_last_error(NULL), "enough"));
        free(m.marked);
    }
}

static void a_stopped_queue_ends_early(void **state)
{
    (void)state;
    static const char *const devices[] = {"cpu", "sim"};
    for (int d = 0; d < 2; d++) {
        marking m = {.device = devices[d], .stops_at = 3};
        assert_int_equal(run(&m, 2), TSL_OK);
        assert_in_range(marked_once(&m), 1, ITEMS - BATCH);
        free(m.marked);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(each_item_is_done_once),
                                       cmocka_unit_test(a_device_has_its_next_piece_early),
                                       cmocka_unit_test(a_failure_ends_all),
                                       cmocka_unit_test(a_stopped_queue_ends_early)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
