/* The fastest way to share a solve, measured: first how many ranks and which pencils, with overlap
 * where that is open, then whether those go faster without it, and in the other form. */
#include "solvers/poisson/poisson.h"

#include <math.h>

#include "comm/comm.h"
#include "core/context.h"
#include "device/device.h"

enum { SOLVES = 3, MOST_PAIRS = 128 };

/* What is tried once the fastest pair of factors is known. */
enum { WITHOUT_OVERLAP, OTHER_FORM, LAST };

/* The arrays in a rank's memory while a way to share a solve is tried. */
enum { SPECTRUM, CELLS, MEMORY };

/* Is there work for p x q ranks? */
static bool has_work(const tsl_poisson_grid *grid, int p, int q)
{
    return p <= grid->n[0] && p <= grid->m[1] / 2 + 1 && q <= grid->half &&
           q <= (int64_t)grid->n[0] * grid->n[1];
}

/* List the pairs of factors that options leave open, and return their number: the pair that is
 * asked for, or those of all ranks, of all but one, of half as many, of a quarter and so on to a
 * single rank. Pairs that leave a rank without work are left out. */
static int list_pairs(int pairs[MOST_PAIRS][2], const tsl_poisson_problem *problem,
                      const tsl_poisson_options *options)
{
    const int *asked = options->ranks;
    const int size = problem->share.size;
    int count = 0;
    int halved = size;
    if (asked[0] > 0) {
        pairs[0][0] = asked[0];
        pairs[0][1] = asked[1];
        return 1;
    }
    for (int ranks = size; ranks > 0; ranks--) {
        if (ranks != size - 1 && ranks != halved) {
            continue;
        }
        for (int p = 1; p <= ranks && count < MOST_PAIRS; p++) {
            if (ranks % p == 0 && (ranks == size || has_work(&problem->grid, p, ranks / p))) {
                pairs[count][0] = p;
                pairs[count++][1] = ranks / p;
            }
        }
        halved = ranks == halved ? ranks / 2 : halved;
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

static int64_t larger(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

/* Bytes of the cells that this rank has in a solve: its boxes of the source and of the potential
 * share memory with its rows. */
static int64_t cells_bytes(const tsl_poisson_problem *problem)
{
    const tsl_box rows = tsl_poisson_box_of(problem, problem->share.rank);
    const int64_t boxes =
        larger(tsl_box_cells(&problem->source), tsl_box_cells(&problem->potential));
    return larger(larger(boxes, tsl_box_cells(&rows)) * (int64_t)problem->grid.precision, 1);
}

/* Device memory that it takes to try a way. */
static int64_t way_bytes(tsl_context *context, const tsl_poisson_problem *way)
{
    return tsl_poisson_held_bytes(context, way) + cells_bytes(way);
}

int64_t tsl_poisson_measure_bytes(tsl_context *context, const tsl_poisson_problem *problem,
                                  const tsl_poisson_options *options)
{
    static const int forms[] = {-1, 0, 1};
    int pairs[MOST_PAIRS][2];
    const int size = problem->share.size;
    const int count = options->measure && size > 1 ? list_pairs(pairs, problem, options) : 0;
    int64_t most = 0;
    for (int i = 0; i < 3 * count; i++) {
        tsl_poisson_problem way;
        const int *pair = pairs[i % count];
        const int form = options->plain == 0 ? forms[i / count] : options->plain;
        if (pair[0] * pair[1] == size &&
            settle_way(&way, context, problem, options, pair, options->overlap, form) == TSL_OK) {
            most = larger(most, way_bytes(context, &way));
        }
    }
    return most;
}

/* Does each rank have room for its own number of bytes of device and host memory? */
static tsl_status have_room(bool *room, tsl_context *context, int64_t device, int64_t host,
                            const tsl_poisson_options *options)
{
    const tsl_device_need need = {.what = "measuring a Poisson plan needs",
                                  .remedy = "take fewer cells",
                                  .device = device,
                                  .host = host,
                                  .bound = options->memory};
    const tsl_status status = tsl_comm_foresee(context, &need);
    *room = status == TSL_OK;
    return status == TSL_E_NOMEM ? TSL_OK : status;
}

/* Would the rule have several GPUs share a solve? The rule does not know whether these are far from
 * each other. */
static tsl_status is_beyond_rule(bool *beyond, tsl_context *context,
                                 const tsl_poisson_problem *problem,
                                 const tsl_poisson_options *options)
{
    const tsl_poisson_kernels *kernels = context->ops->poisson->kernels;
    const tsl_poisson_share *share = &problem->share;
    const bool by_rule = options->ranks[0] == 0 && !options->measure && !options->estimate;
    *beyond = false;
    return !by_rule || share->p * share->q == 1 || share->path != TSL_POISSON_DIRECT ||
                   kernels == NULL || kernels->alone_bytes == 0
               ? TSL_OK
               : tsl_comm_is_far(beyond, context);
}

tsl_status tsl_poisson_must_measure(bool *must, tsl_context *context,
                                    const tsl_poisson_problem *problem,
                                    const tsl_poisson_options *options)
{
    tsl_poisson_options measured = *options;
    const tsl_status status = is_beyond_rule(must, context, problem, options);
    measured.measure = 1;
    return status == TSL_OK && *must
               ? have_room(must, context, tsl_poisson_measure_bytes(context, problem, &measured), 0,
                           options)
               : status;
}

/* Seconds of the fastest of a few solves of an array of zeros; each takes as long as its slowest
 * rank. */
static tsl_status time_solves(double *seconds, tsl_context *context, tsl_poisson_solver *solver,
                              tsl_poisson_reshape *reshape, void *cells)
{
    tsl_status status = tsl_poisson_ops_of(context)->divide(solver);
    for (int i = -1; i < SOLVES && status == TSL_OK; i++) { /* one to warm up */
        status = tsl_comm_barrier(context->comm);
        const double begun = tsl_seconds();
        if (status == TSL_OK) {
            status = tsl_poisson_solve_boxes(context, solver, reshape, cells, cells,
                                             TSL_POISSON_POTENTIAL);
        }
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

/* Measure a way. *seconds is INFINITY if another process has taken the memory meanwhile. */
static tsl_status time_way(double *seconds, tsl_context *context, const tsl_poisson_problem *way,
                           const tsl_box *boxes)
{
    static const char what[] = "measuring a Poisson plan";
    const tsl_poisson_ops *ops = tsl_poisson_ops_of(context);
    const int64_t bytes[MEMORY] = {tsl_poisson_spectrum_bytes(way), cells_bytes(way)};
    void *memory[MEMORY] = {NULL, NULL}; /* of zeros */
    tsl_poisson_solver *solver = NULL;
    tsl_poisson_reshape *reshape = NULL;
    tsl_status status = TSL_OK;
    for (int i = 0; i < MEMORY && status == TSL_OK; i++) {
        status = tsl_device_allocate(&memory[i], context, bytes[i], what);
        if (status == TSL_OK) {
            status = context->ops->fill(context, memory[i], 0, bytes[i]);
        }
    }
    if (status == TSL_OK) {
        status = ops->create(&solver, context, &way->grid, &way->share, memory[SPECTRUM]);
    }
    if (status == TSL_OK) {
        status = tsl_poisson_reshape_create(&reshape, context, way, boxes);
    }
    status = tsl_comm_agree(context, status);
    if (status == TSL_OK) {
        status = time_solves(seconds, context, solver, reshape, memory[CELLS]);
    } else if (status == TSL_E_NOMEM) {
        *seconds = INFINITY;
        status = TSL_OK;
    }
    ops->destroy(solver);
    tsl_poisson_reshape_destroy(reshape);
    tsl_device_release(context, memory[SPECTRUM]);
    tsl_device_release(context, memory[CELLS]);
    return status;
}

/* Ways that are to be measured, and the fastest so far. */
typedef struct trial {
    const tsl_poisson_options *options;
    const tsl_box *boxes; /* of all ranks, as of tsl_poisson_meet() */
    tsl_box *following;   /* the same, filled with each way's rows; NULL: they stay */
    tsl_poisson_problem asked, fastest;
    int overlap, plain; /* options of the fastest */
    double seconds;     /* INFINITY: none was measured yet */
} trial;

static void set_boxes(const trial *t, tsl_poisson_problem *way)
{
    for (int q = 0; q < way->share.size; q++) {
        t->following[2 * q] = t->following[2 * q + 1] = tsl_poisson_box_of(way, q);
    }
    way->source = way->potential = tsl_poisson_box_of(way, way->share.rank);
}

/* Can a way be tried, because all ranks have room for it and for its plan? A way that fewer ranks
 * share takes more memory of each device. Boxes that follow the way are taken with the plan. */
static tsl_status has_room(bool *room, tsl_context *context, const tsl_poisson_problem *way,
                           const trial *t)
{
    tsl_poisson_summary plan;
    *room = true;
    if (t->following == NULL && way->share.p * way->share.q == way->share.size) {
        return TSL_OK; /* tsl_poisson_foresee() has seen to it */
    }
    tsl_poisson_summarise(&plan, context, way);
    const int64_t boxes = t->following != NULL ? 2 * way->count * cells_bytes(way) : 0;
    const int64_t solving = larger(way_bytes(context, way), plan.bytes + boxes);
    return have_room(room, context, larger(solving, plan.peak_bytes),
                     context->ops->peer == NULL ? 0 : plan.planning_bytes, t->options);
}

static tsl_status try_way(trial *t, tsl_context *context, const int pair[2], int overlap, int plain)
{
    tsl_poisson_problem way;
    double seconds = INFINITY;
    bool room = false;
    if (settle_way(&way, context, &t->asked, t->options, pair, overlap, plain) != TSL_OK) {
        return TSL_OK; /* the options refuse it, on all ranks alike */
    }
    if (t->following != NULL) {
        set_boxes(t, &way);
    }
    tsl_status status = has_room(&room, context, &way, t);
    if (status != TSL_OK || !room) {
        return status;
    }
    status = time_way(&seconds, context, &way, t->boxes);
    if (status == TSL_OK && seconds < t->seconds) {
        t->seconds = seconds;
        t->fastest = way;
        t->overlap = overlap;
        t->plain = plain;
    }
    return status;
}

static tsl_status try_ways(trial *t, tsl_context *context)
{
    const tsl_poisson_options *options = t->options;
    int pairs[MOST_PAIRS][2];
    const int count = list_pairs(pairs, &t->asked, options);
    tsl_status status = TSL_OK;
    for (int i = 0; i < count && status == TSL_OK; i++) {
        status = try_way(t, context, pairs[i], options->overlap, options->plain);
    }
    for (int i = 0; i < LAST && status == TSL_OK; i++) {
        const tsl_poisson_problem *f = &t->fastest;
        const int pair[2] = {f->share.p, f->share.q};
        if (i == WITHOUT_OVERLAP && options->overlap == 0 && f->share.overlap) {
            status = try_way(t, context, pair, -1, options->plain);
        } else if (i == OTHER_FORM && options->plain == 0) {
            const int overlap = options->overlap == 0 && !f->share.overlap ? -1 : options->overlap;
            status = try_way(t, context, pair, overlap, f->grid.lines ? 1 : -1);
        }
    }
    return status;
}

tsl_status tsl_poisson_measure(tsl_poisson_problem *problem, tsl_context *context,
                               const tsl_poisson_options *options, const tsl_box *boxes)
{
    trial t = {.options = options,
               .boxes = boxes,
               .asked = *problem,
               .fastest = *problem,
               .seconds = INFINITY};
    const tsl_status status = try_ways(&t, context);
    *problem = t.fastest;
    return status;
}

/* Measure ways and set the options to the fastest, on ranks that have met and agreed to measure. */
static tsl_status tune(tsl_poisson_options *options, tsl_context *context,
                       const tsl_poisson_problem *problem, tsl_box *boxes)
{
    trial t = {.options = options,
               .boxes = boxes,
               .following = boxes,
               .asked = *problem,
               .fastest = *problem,
               .seconds = INFINITY};
    const tsl_status status = try_ways(&t, context);
    if (status == TSL_OK && t.seconds < INFINITY) {
        options->ranks[0] = t.fastest.share.p;
        options->ranks[1] = t.fastest.share.q;
        options->overlap = t.overlap;
        options->plain = t.plain;
        options->measure = 0;
    }
    return status;
}

tsl_status tsl_poisson_tune(tsl_poisson_options *options, tsl_context *context)
{
    static const tsl_box open = {{0}, {0}};
    const double begun = tsl_seconds();
    const int size = context->comm->size;
    tsl_poisson_problem problem;
    tsl_poisson_options o = *options;
    tsl_box *boxes = tsl_allocate(2 * (size_t)size * sizeof *boxes);
    bool measures = false;
    o.source_box = o.potential_box = open;
    tsl_status status = boxes != NULL ? tsl_poisson_settle(&problem, context, &o)
                                      : tsl_fail_memory(context, 2 * size * (int64_t)sizeof *boxes,
                                                        "measuring a Poisson plan");
    TSL_TRY(tsl_comm_agree(context, status));
    TSL_TRY(tsl_poisson_meet(boxes, context, &problem, &o));
    TSL_TRY(is_beyond_rule(&measures, context, &problem, &o));
done:
    if (status == TSL_OK && size > 1 && (measures || o.measure)) {
        status = tune(options, context, &problem, boxes);
        tsl_profile_add(context, "measure", begun, 0, 0);
    }
    tsl_release(boxes);
    return status;
}
