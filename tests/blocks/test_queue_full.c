/* Devices of different speed finish together, in real time: ranks that sleep for as long as their
 * items would take. A machine that has more to do wakes them late, which no device would be: what
 * they lose by that is known, and is not the queue's. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include "blocks/queue/queue.h"

enum { RANKS = 4, ITEMS = 54000 };
static const double IDEAL = 4; /* seconds */

/* Speeds before and after half of the ideal makespan, in any unit, and what came of it. */
typedef struct setting {
    double before[RANKS], after[RANKS];
    double taken[RANKS]; /* seconds */
    double late[RANKS];  /* of these, after sleeps that should have ended */
} setting;

static double sum(const double *speeds)
{
    double all = 0;
    for (int i = 0; i < RANKS; i++) {
        all += speeds[i];
    }
    return all;
}

/* Returns by how much it was longer. */
static double sleep_for(double seconds)
{
    const double begun = tsl_seconds();
    const double whole = floor(seconds);
    nanosleep(
        &(struct timespec){.tv_sec = (time_t)whole, .tv_nsec = (long)(1e9 * (seconds - whole))},
        NULL);
    return fmax(tsl_seconds() - begun - seconds, 0);
}

static tsl_status work(tsl_comm *comm, void *user)
{
    setting *s = user;
    /* items a second of speed 1, so that all speeds together take the ideal time */
    const double unit = ITEMS / (IDEAL / 2 * (sum(s->before) + sum(s->after)));
    tsl_queue *queue = NULL;
    tsl_status status = tsl_queue_create(&queue, comm, ITEMS, 1);
    const double begun = tsl_seconds();
    for (int64_t first, count = 1; status == TSL_OK && count > 0;) {
        status = tsl_queue_next(queue, &first, &count);
        const double now = tsl_seconds() - begun;
        const double fast =
            fmin((double)count / (unit * s->before[comm->rank]), fmax(IDEAL / 2 - now, 0));
        const double left = (double)count - fast * unit * s->before[comm->rank];
        s->late[comm->rank] += sleep_for(fast + fmax(left, 0) / (unit * s->after[comm->rank]));
    }
    s->taken[comm->rank] = tsl_seconds() - begun;
    tsl_queue_destroy(queue);
    return status;
}

/* Makespan over ideal, of ranks that were never late: what they would have taken for what they
 * did, beside what all would have if the late ones' work was dealt out again. */
static double makespan_of(const setting *s)
{
    double longest = 0, lost = 0;
    for (int i = 0; i < RANKS; i++) {
        longest = fmax(longest, s->taken[i] - s->late[i]);
        lost += s->before[i] / sum(s->before) * s->late[i];
    }
    return longest / (IDEAL + lost);
}

static void devices_finish_together(void **state)
{
    (void)state;
    setting settings[] = {{.before = {1, 2, 7, 50}, .after = {1, 2, 7, 50}},
                          {.before = {1, 2, 7, 50}, .after = {1, 2, 7, 25}},
                          {.before = {10, 20, 30, 40}, .after = {10, 20, 3, 40}}};
    for (int i = 0; i < 3; i++) {
        alarm(120);
        assert_int_equal(tsl_comm_run(RANKS, work, &settings[i]), TSL_OK);
        alarm(0);
        const double makespan = makespan_of(&settings[i]);
        print_message("setting %d: %.4f of the ideal\n", i, makespan);
        assert_true(makespan <= 1.05);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(devices_finish_together)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
