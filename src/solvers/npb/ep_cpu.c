/* EP on the CPU: each thread takes batches. Sixteen stretches of a batch advance side by side, so
 * that a round of pairs is vector arithmetic; accepted pairs are moved together before the
 * logarithm, so that no lane of a vector is spent on rejected ones. */
#include <string.h>

#include "core/clones.h"
#include "core/context.h"
#include "solvers/npb/ep.h"

enum {
    STRETCHES = 16, /* of a batch */
    LENGTH = TSL_EP_BATCH / STRETCHES,
    ROUNDS = 16,                /* at a time */
    CHUNK = STRETCHES * ROUNDS, /* pairs at a time */
    LANES = 8,                  /* of sums */
    WAITING = CHUNK + LANES
};
_Static_assert(LENGTH % ROUNDS == 0, "chunks end with the batch");
_Static_assert(WAITING / LANES <= TSL_EP_FIELD_MOST, "fields of counts must not overflow");

/* Pairs (x, y) and t = x^2 + y^2. */
typedef struct pairs {
    double x[WAITING], y[WAITING], t[WAITING];
} pairs;

/* A batch's sums, without tsl_ep_split(), and counts. */
typedef struct tally {
    uint64_t sums[TSL_EP_SUMS];
    int64_t annuli[TSL_EP_ANNULI];
} tally;

/* The next CHUNK pairs. */
TSL_CLONES static void generate(uint64_t *restrict states, double *restrict x, double *restrict y,
                                double *restrict t)
{
    for (int round = 0; round < ROUNDS; round++) {
        for (int s = 0; s < STRETCHES; s++) {
            const int i = round * STRETCHES + s;
            const uint64_t first = tsl_random_next(states[s]);
            states[s] = tsl_random_next(first);
            x[i] = tsl_random_symmetric(first);
            y[i] = tsl_random_symmetric(states[s]);
            t[i] = x[i] * x[i] + y[i] * y[i];
        }
    }
}

/* Append those within the unit circle to `count` others; returns their number then. */
static int append_accepted(pairs *accepted, int count, const pairs *all)
{
    for (int i = 0; i < CHUNK; i++) {
        accepted->x[count] = all->x[i];
        accepted->y[count] = all->y[i];
        accepted->t[count] = all->t[i];
        count += all->t[i] <= 1;
    }
    return count;
}

/* x, y <- X, Y */
TSL_FUSED_CLONES static void transform(double *restrict x, double *restrict y,
                                       const double *restrict t, int count)
{
    const tsl_ep_constants constants = TSL_EP_CONSTANTS;
    for (int i = 0; i < count; i++) {
        const double factor = tsl_ep_factor(t[i], &constants);
        x[i] *= factor;
        y[i] *= factor;
    }
}

TSL_CLONES static void add_sums(uint64_t sums[TSL_EP_SUMS], const double *restrict x,
                                const double *restrict y, int count)
{
    uint64_t sum_x = 0;
    uint64_t sum_y = 0;
    uint64_t sum_x_abs = 0;
    uint64_t sum_y_abs = 0;
    for (int i = 0; i < count; i++) {
        sum_x += tsl_ep_fixed(x[i]);
        sum_y += tsl_ep_fixed(y[i]);
        sum_x_abs += tsl_ep_fixed(fabs(x[i]));
        sum_y_abs += tsl_ep_fixed(fabs(y[i]));
    }
    sums[TSL_EP_SUM_X] += sum_x;
    sums[TSL_EP_SUM_Y] += sum_y;
    sums[TSL_EP_SUM_X_ABS] += sum_x_abs;
    sums[TSL_EP_SUM_Y_ABS] += sum_y_abs;
}

/* The sum of the fields of each lane. */
TSL_CLONES static void add_fields(uint64_t *restrict fields, const double *restrict x,
                                  const double *restrict y, int rows)
{
    uint64_t each[WAITING];
    for (int i = 0; i < rows * LANES; i++) {
        each[i] = tsl_ep_field(x[i], y[i]);
    }
    for (int row = 0; row < rows; row++) {
        for (int lane = 0; lane < LANES; lane++) {
            fields[lane] += each[row * LANES + lane];
        }
    }
}

static void add_counts(int64_t *annuli, const double *x, const double *y, int rows)
{
    uint64_t fields[LANES] = {0};
    add_fields(fields, x, y, rows);
    for (int l = 0; l < TSL_EP_ANNULI; l++) {
        int64_t count = 0;
        for (int lane = 0; lane < LANES; lane++) {
            count += tsl_ep_count_of(fields[lane], l);
        }
        annuli[l] += count;
    }
}

static void add_rows(tally *to, pairs *accepted, int rows)
{
    transform(accepted->x, accepted->y, accepted->t, rows * LANES);
    add_sums(to->sums, accepted->x, accepted->y, rows * LANES);
    add_counts(to->annuli, accepted->x, accepted->y, rows);
}

/* Move the last `count` waiting pairs to the front. */
static void keep_last(pairs *accepted, int from, int count)
{
    memmove(accepted->x, accepted->x + from, (size_t)count * sizeof *accepted->x);
    memmove(accepted->y, accepted->y + from, (size_t)count * sizeof *accepted->y);
    memmove(accepted->t, accepted->t + from, (size_t)count * sizeof *accepted->t);
}

/* Totals of one batch, added to `totals`. */
static void tally_batch(int64_t *totals, int64_t batch)
{
    uint64_t states[STRETCHES];
    pairs all;
    pairs accepted;
    tally sum = {{0}, {0}};
    const uint64_t stretch = tsl_random_power(TSL_RANDOM_MULTIPLIER, 2 * LENGTH);
    states[0] = tsl_ep_state((uint64_t)batch * TSL_EP_BATCH);
    for (int s = 1; s < STRETCHES; s++) {
        states[s] = tsl_random_step(states[s - 1], stretch);
    }
    int count = 0;
    int64_t terms = 0;
    for (int chunk = 0; chunk < TSL_EP_BATCH / CHUNK; chunk++) {
        generate(states, all.x, all.y, all.t);
        count = append_accepted(&accepted, count, &all);
        const int whole = count / LANES * LANES;
        add_rows(&sum, &accepted, whole / LANES);
        keep_last(&accepted, whole, count - whole);
        terms += whole;
        count -= whole;
    }
    const int rest = count;
    for (; count < LANES; count++) { /* t = 1 makes deviates of 0 */
        accepted.x[count] = 0;
        accepted.y[count] = 0;
        accepted.t[count] = 1;
    }
    add_rows(&sum, &accepted, 1);
    sum.annuli[0] -= LANES - rest;
    terms += LANES;
    for (int i = 0; i < TSL_EP_SUMS; i++) {
        int64_t parts[2];
        tsl_ep_split(sum.sums[i], terms, parts);
        totals[2 * i] += parts[0];
        totals[2 * i + 1] += parts[1];
    }
    for (int l = 0; l < TSL_EP_ANNULI; l++) {
        totals[2 * TSL_EP_SUMS + l] += sum.annuli[l];
    }
}

static tsl_status cpu_tally(tsl_context *context, int64_t first, int64_t count, int64_t *totals)
{
    int64_t all[TSL_EP_TOTALS] = {0};
#pragma omp parallel for num_threads(context->threads) schedule(dynamic) reduction(+ : all)
    for (int64_t batch = first; batch < first + count; batch++) {
        tally_batch(all, batch);
    }
    for (int i = 0; i < TSL_EP_TOTALS; i++) {
        totals[i] += all[i];
    }
    return TSL_OK;
}

static int64_t cpu_at_a_time(tsl_context *context)
{
    return context->threads;
}

const tsl_ep_ops tsl_ep_cpu = {.at_a_time = cpu_at_a_time, .tally = cpu_tally};
