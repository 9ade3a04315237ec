/* The fastest way to share a solve, measured: first which pencils, with overlap where that is open,
 * then whether those go faster without it, and by the library's transforms. */
#include "comm/comm.h"
#include "core/context.h"
#include "device/device.h"
#include "poisson/poisson.h"

enum { SOLVES = 3, MOST_PAIRS = 32 };

/* What is tried of the fastest pair. */
enum { WITHOUT_OVERLAP, PLAIN, LAST };

/* The pairs of factors that options leave open; their number. */
static int list_pairs(int pairs[MOST_PAIRS][2], int size, const tsl_poisson_options *options)
{
    int count = 0;
    for (int p = 1; p <= size && count < MOST_PAIRS; p++) {
        const bool open = options->ranks[0] == 0 || options->ranks[0] == p;
        if (size % p == 0 && open) {
            pairs[count][0] = p;
            pairs[count++][1] = size / p;
        }
    }
    return count;
}

static tsl_status settle_way(tsl_poisson_problem *out, tsl_context *context,
                             const tsl_poisson_problem *problem, const tsl_poisson_options *options,
                             const int pair[2], int overlap, int plain)
{
    tsl_poisson_options way = *options;
    way.ranks[0] = pair[0];
    way.ranks[1] = pair[1];
    way.overlap = overlap;
    way.plain = plain;
    way.source_box = problem->source;
    way.potential_box = problem->potential;
    const tsl_status status = tsl_poisson_settle(out, context, &way);
    out->source = problem->source; /* one without cells would stand for a share */
    out->potential = problem->potential;
    return status;
}

/* This rank's rows. */
static int64_t rows_bytes(const tsl_poisson_problem *problem)
{
    const tsl_box rows = tsl_poisson_box_of(problem, problem->share.rank);
    const int64_t bytes = tsl_box_cells(&rows) * (int64_t)problem->grid.precision;
    return bytes > 0 ? bytes : 1;
}

int64_t tsl_poisson_measure_bytes(tsl_context *context, const tsl_poisson_problem *problem,
                                  const tsl_poisson_options *options)
{
    int pairs[MOST_PAIRS][2];
    const int count = options->measure && problem->share.size > 1
                          ? list_pairs(pairs, problem->share.size, options)
                          : 0;
    int64_t most = 0;
    for (int i = 0; i < 2 * count; i++) {
        tsl_poisson_problem way;
        const int plain = i < count ? options->plain : 1;
        if (settle_way(&way, context, problem, options, pairs[i % count], options->overlap,
                       plain) == TSL_OK) {
            const int64_t bytes = tsl_poisson_held_bytes(context, &way) + rows_bytes(&way);
            most = bytes > most ? bytes : most;
        }
    }
    return most;
}

/* The fastest of a few solves of nothing, each as fast as its slowest rank. */
static tsl_status time_solves(double *seconds, tsl_context *context, tsl_poisson_solver *solver,
                              void *rows)
{
    tsl_status status = tsl_poisson_ops_of(context)->divide(solver);
    for (int i = -1; i < SOLVES && status == TSL_OK; i++) { /* one to warm up */
        const double begun = tsl_seconds();
        status = tsl_poisson_ops_of(context)->solve(solver, rows, rows, TSL_POISSON_POTENTIAL);
        if (status == TSL_OK) {
            status = tsl_comm_refuse(context, context->ops->synchronize(context));
        }
        double taken = tsl_seconds() - begun;
        if (status == TSL_OK) {
            status =
                tsl_comm_all_reduce(context->comm, NULL, &taken, 1, TSL_COMM_DOUBLE, TSL_COMM_MAX);
        }
        *seconds = i <= 0 || taken < *seconds ? taken : *seconds;
    }
    return status;
}

static tsl_status time_way(double *seconds, tsl_context *context, const tsl_poisson_problem *way)
{
    static const char what[] = "measuring a Poisson plan";
    const tsl_poisson_ops *ops = tsl_poisson_ops_of(context);
    const int64_t bytes[2] = {tsl_poisson_spectrum_bytes(way), rows_bytes(way)};
    void *memory[2] = {NULL, NULL}; /* spectrum, rows: of zeros */
    tsl_poisson_solver *solver = NULL;
    tsl_status status = TSL_OK;
    for (int i = 0; i < 2 && status == TSL_OK; i++) {
        status = tsl_device_allocate(&memory[i], context, bytes[i], what);
        if (status == TSL_OK) {
            status = context->ops->fill(context, memory[i], 0, bytes[i]);
        }
    }
    if (status == TSL_OK) {
        status = ops->create(&solver, context, &way->grid, &way->share, memory[0]);
    }
    status = tsl_comm_agree(context, status);
    if (status == TSL_OK) {
        status = time_solves(seconds, context, solver, memory[1]);
    }
    ops->destroy(solver);
    tsl_device_release(context, memory[0]);
    tsl_device_release(context, memory[1]);
    return status;
}

tsl_status tsl_poisson_measure(tsl_poisson_problem *problem, tsl_context *context,
                               const tsl_poisson_options *options)
{
    int pairs[MOST_PAIRS][2];
    const tsl_poisson_problem asked = *problem;
    const int count = list_pairs(pairs, asked.share.size, options);
    double best = 0;
    tsl_status status = TSL_OK;
    for (int i = 0; i < count + LAST && status == TSL_OK; i++) {
        const int fastest[2] = {problem->share.p, problem->share.q};
        const bool without = i == count + WITHOUT_OVERLAP;
        const bool plain = i == count + PLAIN;
        const bool overlaps = i < count || problem->share.overlap;
        tsl_poisson_problem way;
        double seconds = 0;
        if ((without && (options->overlap != 0 || !problem->share.overlap)) ||
            (plain && (options->plain != 0 || !problem->grid.lines))) {
            continue;
        }
        status =
            settle_way(&way, context, &asked, options, i < count ? pairs[i] : fastest,
                       without || !overlaps ? -1 : options->overlap, plain ? 1 : options->plain);
        if (status == TSL_OK) {
            status = time_way(&seconds, context, &way);
        }
        if (status == TSL_OK && (i == 0 || seconds < best)) {
            best = seconds;
            *problem = way;
        }
    }
    return status;
}
