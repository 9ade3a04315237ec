/* Work is handed out once, and devices of different speed finish together: in virtual time, to the
 * rules. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "blocks/queue/queue.h"
#include "support/devices.h"

/* ---- virtual time ------------------------------------------------------------------------- */

/* Counters and a clock without threads. */
static int64_t shared[TSL_COUNTERS];
static double virtual_now;

static double virtual_clock(void)
{
    return virtual_now;
}

static tsl_status fake_create(tsl_counters **out, tsl_comm *comm)
{
    static tsl_counters counters;
    counters.comm = comm;
    *out = &counters;
    return TSL_OK;
}

static void fake_destroy(tsl_counters *counters)
{
    (void)counters;
}

static void (*before_leaving)(void); /* what happens between a rank's looking and its giving up */

static tsl_status fake_add(tsl_counters *counters, const int64_t *add, int64_t *before)
{
    (void)counters;
    if (add[TSL_QUEUE_RATE] < 0 && before_leaving != NULL) {
        before_leaving();
    }
    for (int i = 0; i < TSL_COUNTERS; i++) {
        before[i] = shared[i];
        shared[i] += add[i];
    }
    return TSL_OK;
}

static const tsl_comm_ops fake_ops = {
    .counters_create = fake_create, .counters_destroy = fake_destroy, .counters_add = fake_add};

enum { MOST_DEVICES = 7 };

/* Devices whose speed, items a second, may change when `changes` of the ideal makespan has passed.
 */
typedef struct setting {
    int devices;
    unsigned ahead; /* bit i: device i asks for the next chunk during a chunk's last batch */
    double before[MOST_DEVICES];
    double after[MOST_DEVICES];
    double changes; /* 0: it does not */
    int64_t items;
    int64_t batches[MOST_DEVICES]; /* 0: 1 */
    double overhead;               /* of a chunk, of the ideal makespan */
} setting;

/* Chunks that are held up. */
typedef struct stalling {
    double chance;
    double least; /* for how long, of the ideal makespan */
    uint64_t seed;
} stalling;

static const stalling never = {0};

/* What became of it. */
typedef struct outcome {
    double makespan; /* over the ideal */
    double idle;     /* of all ranks' time while there was work to hand out, what they waited */
} outcome;

/* When all would be done if nothing were lost. */
static double ideal_of(const setting *s)
{
    double before = 0, after = 0;
    for (int i = 0; i < s->devices; i++) {
        before += s->before[i];
        after += s->after[i];
    }
    /* items = before c T + after (1 - c) T */
    return s->changes > 0 ? (double)s->items / (before * s->changes + after * (1 - s->changes))
                          : (double)s->items / before;
}

/* When a device that begins at `begun` has done `count` items. */
static double done_at(const setting *s, int device, double begun, int64_t count, double ideal)
{
    const double change = s->changes > 0 ? s->changes * ideal : INFINITY;
    const double start = begun + s->overhead * ideal;
    double left = (double)count;
    if (start < change) {
        const double until = fmin(left, (change - start) * s->before[device]);
        left -= until;
        if (left <= 0) {
            return start + (double)count / s->before[device];
        }
        return change + left / s->after[device];
    }
    return start + left / s->after[device];
}

/* In [0, 1): SplitMix64. */
static double next_uniform(uint64_t *state)
{
    uint64_t z = *state += UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return (double)((z ^ (z >> 31)) >> 11) * 0x1p-53;
}

/* For how long a chunk is held up: now and then, at times for long (Pareto, exponent 1.5). */
static double stall_of(const stalling *s, uint64_t *state)
{
    const double chance = next_uniform(state), length = next_uniform(state);
    return chance < s->chance ? s->least * pow(1 - length, -1 / 1.5) : 0;
}

/* A device of a simulation. */
typedef struct device {
    tsl_queue *queue;
    double at;      /* when it asks next */
    double done;    /* when it has done what it has, */
    int64_t undone; /* and how much of that it has to do when it asks */
    double left;    /* when it got nothing */
    bool waits;     /* others don't count on it */
} device;

static void make_devices(device *devices, const setting *s, tsl_comm *comm, int turn)
{
    memset(shared, 0, sizeof shared);
    virtual_now = 0;
    for (int i = 0; i < s->devices; i++) {
        const int64_t batch = s->batches[i] > 0 ? s->batches[i] : 1;
        devices[i] = (device){.at = 1e-12 * ((i + turn) % s->devices)};
        assert_int_equal(tsl_queue_create(&devices[i].queue, comm, s->items, batch), TSL_OK);
        tsl_queue_set_clock(devices[i].queue, virtual_clock);
    }
}

/* The one that asks next. */
static int first_of(const device *devices, int count)
{
    int first = -1;
    for (int i = 0; i < count; i++) {
        first =
            isfinite(devices[i].at) && (first < 0 || devices[i].at < devices[first].at) ? i : first;
    }
    return first;
}

/* A device gets a chunk, which is held up for `stall` at its beginning. */
static void do_chunk(device *devices, const setting *s, int which, int64_t count, double stall)
{
    device *d = &devices[which];
    const int64_t batch = s->batches[which] > 0 ? s->batches[which] : 1;
    const double ideal = ideal_of(s), begun = fmax(d->at, d->done);
    d->done = done_at(s, which, begun, count, ideal) + stall;
    d->undone = (s->ahead >> which & 1) == 0 ? 0 : count < batch ? count : batch;
    d->at = count > d->undone ? done_at(s, which, begun, count - d->undone, ideal) + stall : begun;
}

/* A device's part of the rates that ranks share. */
static int64_t rate_of(const device *d)
{
    tsl_queue_share share;
    tsl_queue_share_of(d->queue, &share);
    return (int64_t)(share.rate * TSL_QUEUE_RATE_ONE);
}

/* Check that the shared rates are those of all ranks that don't wait. */
static void check_rates(const device *devices, int count)
{
    for (int i = 0; i < count; i++) {
        shared[TSL_QUEUE_RATE] -= devices[i].waits ? 0 : rate_of(&devices[i]);
    }
    assert_int_equal(shared[TSL_QUEUE_RATE], 0);
}

/* `turn` makes devices ask in another order at first. */
static outcome simulate(const setting *s, int turn, const stalling *stalls)
{
    tsl_comm comm = {.ops = &fake_ops, .size = s->devices};
    comm.root = &comm;
    device devices[MOST_DEVICES];
    double makespan = 0, idle = 0, last = 0;
    uint64_t random = stalls->seed;
    unsigned char *taken = calloc((size_t)s->items, 1);
    assert_non_null(taken);
    make_devices(devices, s, &comm, turn);
    const double ideal = ideal_of(s);
    for (int going = s->devices; going > 0;) {
        const int next = first_of(devices, s->devices);
        device *d = &devices[next];
        int64_t first, count;
        double wait;
        virtual_now = d->at;
        assert_int_equal(tsl_queue_ask(d->queue, d->undone, &first, &count, &wait), TSL_OK);
        for (int64_t i = first; i < first + count; i++) {
            assert_int_equal(taken[i]++, 0);
        }
        idle += wait;
        d->waits = wait > 0 ? rate_of(d) > 0 : d->waits && count == 0;
        if (count > 0) {
            last = d->at;
            do_chunk(devices, s, next, count, stall_of(stalls, &random) * ideal);
            makespan = fmax(makespan, d->done);
        } else if (d->undone > 0) {
            d->undone = 0;
            d->at = d->done;
        } else {
            d->left = d->at;
            d->at = wait > 0 ? d->at + wait : INFINITY;
            going -= wait <= 0;
        }
    }
    for (int64_t i = 0; i < s->items; i++) {
        assert_int_equal(taken[i], 1);
    }
    check_rates(devices, s->devices);
    for (int i = 0; i < s->devices; i++) {
        tsl_queue_destroy(devices[i].queue);
        idle += fmax(last - devices[i].left, 0);
    }
    free(taken);
    return (outcome){makespan / ideal, idle / (last * s->devices)};
}

static void devices_finish_together(void **state)
{
    (void)state;
    static const setting settings[] = {
        /* overhead: at most this */
        {1, 0, {3}, {3}, 0, 1000, {0}, 1},
        {4, 0, {1, 2, 7, 50}, {1, 2, 7, 50}, 0, 0, {0}, 1},
        {4, 0, {1, 2, 7, 50}, {1, 2, 7, 50}, 0, 0, {1, 1, 4, 64}, 1},
        {2, 0, {1, 1}, {1, 1}, 0, 0, {0}, 1},
        {7, 0, {1, 1, 1, 1, 1, 1, 300}, {1, 1, 1, 1, 1, 1, 300}, 0, 0, {0}, 1},
        /* one slows down half-way, or gets faster; what chunks cost before the fastest becomes a
         * tenth of itself has to be made up for by a quarter of the speed */
        {4, 0, {1, 2, 7, 50}, {1, 2, 7, 25}, 0.5, 0, {0}, 1},
        {4, 0, {1, 2, 7, 50}, {1, 2, 7, 5}, 0.5, 0, {0}, 0.0001},
        {4, 0, {10, 20, 30, 40}, {10, 20, 3, 40}, 0.5, 0, {0}, 1},
        {4, 0, {1, 2, 7, 50}, {1, 2, 70, 50}, 0.5, 0, {0}, 1},
        {3, 0, {5, 5, 5}, {5, 5, 1}, 0.5, 0, {0}, 1}};
    static const int64_t totals[] = {10000, 54000, 1000000};
    static const double overheads[] = {0, 0.0001, 0.0005, 0.001};
    static const unsigned masks[] = {0, 0x7f, 0x2a}; /* no device asks early, all, every other */
    double worst = 0;
    for (size_t i = 0; i < sizeof settings / sizeof *settings; i++) {
        for (int j = 0; j < 36; j++) {
            setting s = settings[i];
            s.items = totals[j % 3];
            s.overhead = fmin(overheads[j / 3 % 4], settings[i].overhead);
            s.ahead = masks[j / 12];
            for (int turn = 0; turn < s.devices; turn++) {
                const double ratio = simulate(&s, turn, &never).makespan;
                worst = fmax(worst, ratio);
                if (!(ratio <= 1.05)) {
                    fail_msg("setting %zu, %lld items, overhead %g, turn %d, ahead %x: %.4f of the "
                             "ideal",
                             i, (long long)s.items, s.overhead, turn, s.ahead, ratio);
                }
            }
        }
    }
    print_message("worst makespan: %.4f of the ideal\n", worst);
}

/* What queue.h says of coarse batches where a device slows down half-way: of T / 100, and of half
 * that. */
static void slowed_devices_take_batches(void **state)
{
    (void)state;
    static const setting settings[] = {
        {4, 0, {1, 2, 7, 50}, {1, 2, 7, 25}, 0.5, 2020000, {425, 850, 2976, 1}, 0.001},
        {4, 0, {1, 2, 7, 50}, {1, 2, 7, 25}, 0.5, 2020000, {212, 425, 1488, 1}, 0.001}};
    static const double bounds[] = {1.06, 1.05};
    for (int i = 0; i < 4; i++) {
        setting s = settings[i / 2];
        s.ahead = i % 2 == 0 ? 0 : 0xf;
        for (int turn = 0; turn < s.devices; turn++) {
            assert_true(simulate(&s, turn, &never).makespan <= bounds[i / 2]);
        }
    }
}

/* Devices whose chunks are held up now and then go on taking part while there is work: a long one
 * is no reason to leave the rest to the others. */
static void a_stall_costs_no_rank_its_place(void **state)
{
    (void)state;
    static const setting settings[] = {{4, 0, {1, 1, 1, 1}, {1, 1, 1, 1}, 0, 3000, {0}, 0.0001},
                                       {4, 0, {1, 2, 7, 50}, {1, 2, 7, 50}, 0, 10000, {0}, 0.0001}};
    static const stalling kinds[] = {
        {0.02, 0.3, 0}, {0.1, 0.3, 0}, {0.05, 0.05, 0}, {0.3, 0.01, 0}, {0.3, 0.1, 0}};
    enum { SEEDS = 400 };
    double worst = 0, most = 0;
    for (int i = 0; i < 2; i++) {
        for (int j = 0; j < 5; j++) {
            double sum = 0;
            for (uint64_t seed = 0; seed < SEEDS; seed++) {
                const stalling stalls = {kinds[j].chance, kinds[j].least, seed};
                const double idle = simulate(&settings[i], 0, &stalls).idle;
                worst = fmax(worst, idle);
                sum += idle;
            }
            most = fmax(most, sum / SEEDS);
        }
    }
    print_message("with stalls, ranks were idle for %.4f of the time at worst, and %.5f on average "
                  "of the worst kind\n",
                  worst, most);
    assert_true(worst <= 0.17);
    assert_true(most <= 0.0045);
}

/* A device that is far too slow for the little there is must not be waited for. */
static void a_hopeless_device_gives_way(void **state)
{
    (void)state;
    /* the slow one asks for the last time when half a second is left, and an item takes it one */
    setting s = {2, 0, {1000, 1}, {1000, 1}, 0, 3500, {0}, 0};
    for (int i = 0; i < 4; i++) {
        s.ahead = i >= 2 ? 3 : 0;
        assert_true(simulate(&s, i % 2, &never).makespan < 1.05);
    }
}

/* Nor one whose batches take long beside all the work there is, though it can't know that of its
 * first. */
static void a_long_batch_is_not_waited_for(void **state)
{
    (void)state;
    for (int64_t batch = 50; batch <= 800; batch += 10) { /* of 1000 that it does in all the time */
        for (unsigned ahead = 0; ahead <= 3; ahead += 3) {
            const setting s = {2, ahead, {1000, 100}, {1000, 100}, 0, 11000, {1, batch}, 0};
            const double makespan = simulate(&s, 0, &never).makespan;
            if (!(makespan <= 1.06)) {
                fail_msg("batches of %lld%s: %.4f of the ideal", (long long)batch,
                         ahead != 0 ? ", ahead" : "", makespan);
            }
        }
    }
}

enum { READY = 3, LATE = 1, BATCH = 10 };
static tsl_queue *all_queues[READY + LATE];
static int leaving;       /* ranks that are about to */
static int64_t left_over; /* items that they take nevertheless */

static int64_t next_count(int rank)
{
    int64_t first, count;
    double wait;
    assert_int_equal(tsl_queue_ask(all_queues[rank], 0, &first, &count, &wait), TSL_OK);
    return count;
}

static void another_leaves(void)
{
    if (++leaving < READY) {
        left_over += next_count(leaving);
    }
}

/* Ranks that leave what little there is to each other, all at the same moment: one of them stays,
 * since one that is not ready yet would be waited for. */
static void a_late_rank_takes_no_ones_place(void **state)
{
    (void)state;
    tsl_comm comm = {.ops = &fake_ops, .size = READY + LATE};
    comm.root = &comm;
    memset(shared, 0, sizeof shared);
    virtual_now = 0;
    for (int i = 0; i < READY + LATE; i++) {
        assert_int_equal(tsl_queue_create(&all_queues[i], &comm, (4 * READY + 1) * BATCH, BATCH),
                         TSL_OK);
        tsl_queue_set_clock(all_queues[i], virtual_clock);
    }
    for (int round = 0; round < 4; round++, virtual_now += BATCH) { /* an item a second */
        for (int i = 0; i < READY; i++) {
            assert_int_equal(next_count(i), BATCH);
        }
    }
    leaving = 0;
    left_over = 0;
    before_leaving = another_leaves;
    left_over += next_count(0);
    before_leaving = NULL;
    assert_int_equal(leaving, READY);
    assert_int_equal(left_over, BATCH);
    assert_int_equal(next_count(READY), 0);
    for (int i = 0; i < READY + LATE; i++) {
        tsl_queue_destroy(all_queues[i]);
    }
}

/* Batches of up to a hundredth of the time cost no more where a device asks early. */
static void long_batches_cost_no_more(void **state)
{
    (void)state;
    for (int64_t batch = 100; batch <= 1000; batch += 10) {
        for (unsigned ahead = 0; ahead < 2; ahead++) {
            const setting s = {1, ahead, {1}, {1}, 0, 100000, {batch}, 0.001};
            const double makespan = simulate(&s, 0, &never).makespan;
            if (!(makespan <= 1.03)) {
                fail_msg("batches of %lld%s: %.4f of the ideal", (long long)batch,
                         ahead != 0 ? ", ahead" : "", makespan);
            }
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(devices_finish_together),
                                       cmocka_unit_test(slowed_devices_take_batches),
                                       cmocka_unit_test(a_stall_costs_no_rank_its_place),
                                       cmocka_unit_test(a_hopeless_device_gives_way),
                                       cmocka_unit_test(a_long_batch_is_not_waited_for),
                                       cmocka_unit_test(a_late_rank_takes_no_ones_place),
                                       cmocka_unit_test(long_batches_cost_no_more)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
