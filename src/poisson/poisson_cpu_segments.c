/* All segments of a solve, and what ranks exchange between their stages.
 *
 * A segment's work is phases of computing with an exchange between each two. With overlap there are
 * two lanes, each with buffers of its own, that take turns: while one computes a phase the other is
 * in an exchange, which the calling thread waits for before it helps to compute. All ranks go
 * through the same exchanges in the same order, since the number of segments is the same. */
#include "poisson/poisson_cpu.h"

enum { MOST_PHASES = 5, MOST_STAGES = 3 };

/* Stages with no exchange between. */
typedef struct phase {
    int count;
    tsl_poisson_stage stages[MOST_STAGES];
} phase;

typedef struct program {
    int count;
    phase phases[MOST_PHASES];
    int group[MOST_PHASES]; /* of the exchange after a phase: see tsl_poisson_solver */
} program;

/* What is done at one time: stages of one lane, and an exchange of the other. */
typedef struct tick {
    int count, lane;
    tsl_poisson_stage stages[2 * MOST_STAGES];
    int segments[2 * MOST_STAGES];
    int group; /* of the exchange; -1: none */
    int exchange_lane, exchange_segment;
    bool there;
} tick;

static void add(program *p, tsl_poisson_stage stage)
{
    phase *last = &p->phases[p->count - 1];
    last->stages[last->count++] = stage;
}

static void exchange_after(program *p, int group)
{
    p->group[p->count - 1] = group;
    p->phases[p->count++].count = 0;
}

static program program_of(const tsl_poisson_solver *solver)
{
    const bool columns = solver->share.q > 1;
    const bool lines = solver->share.p > 1;
    program p = {.count = 1};
    if (columns) {
        add(&p, TSL_POISSON_GATHER);
        exchange_after(&p, 0);
    }
    if (!solver->planes || lines) {
        add(&p, TSL_POISSON_SECOND);
    }
    if (lines) {
        exchange_after(&p, 1);
    }
    add(&p, TSL_POISSON_FIRST);
    if (lines) {
        exchange_after(&p, 1);
    }
    if (!solver->planes || lines) {
        add(&p, TSL_POISSON_SECOND_BACK);
    }
    if (columns) {
        exchange_after(&p, 0);
        add(&p, TSL_POISSON_SCATTER);
    }
    return p;
}

/* ---- exchanges ------------------------------------------------------------------------------ */

/* What this rank has for each of the group, and what it gets of each. */
static void settle_parts(const tsl_poisson_solver *solver, int group, int segment)
{
    const tsl_poisson_share *share = &solver->share;
    const tsl_poisson_grid *grid = &solver->grid;
    const tsl_poisson_parts *parts = &solver->parts;
    const int64_t number = tsl_poisson_complex(grid);
    const int a = share->rank / share->q;
    const tsl_poisson_range columns =
        tsl_poisson_segment_of(share, grid, share->rank % share->q, segment);
    int64_t offsets[2] = {0, 0};
    for (int i = 0; i < (group == 0 ? share->q : share->p); i++) {
        int64_t near, far;
        if (group == 0) {
            const tsl_poisson_rows theirs = tsl_poisson_rows_of(share, grid, a * share->q + i);
            near = (int64_t)solver->mine.x.count * solver->mine.y.count *
                   tsl_poisson_segment_of(share, grid, i, segment).count;
            far = (int64_t)theirs.x.count * theirs.y.count * columns.count;
        } else {
            near = (int64_t)solver->x.count * tsl_poisson_lines_of(share, grid, i).count *
                   columns.count;
            far = (int64_t)tsl_poisson_planes_of(share, grid, i).count * solver->lines.count *
                  columns.count;
        }
        const int64_t bytes[2] = {near * number, far * number};
        for (int side = 0; side < 2; side++) {
            parts->bytes[side][i] = bytes[side];
            parts->offsets[side][i] = offsets[side];
            offsets[side] += bytes[side];
        }
    }
}

static tsl_status exchange(const tsl_poisson_solver *solver, const tick *now)
{
    const int from = now->there ? 0 : 1;
    tsl_comm_parts sides[2];
    settle_parts(solver, now->group, now->exchange_segment);
    for (int side = 0; side < 2; side++) {
        sides[side] = (tsl_comm_parts){.data = tsl_poisson_buffer(solver, now->exchange_lane, side),
                                       .bytes = solver->parts.bytes[side],
                                       .offsets = solver->parts.offsets[side]};
    }
    return tsl_comm_all_to_all(solver->groups[now->group], NULL, &sides[from], &sides[1 - from]);
}

/* ---- turns ---------------------------------------------------------------------------------- */

static void add_phase(tick *now, const phase *p, int segment)
{
    for (int i = 0; i < p->count; i++) {
        now->stages[now->count] = p->stages[i];
        now->segments[now->count++] = segment;
    }
}

/* Step number `step` of a lane: even ones compute, odd ones exchange. The last phase of a segment
 * and the first of the lane's next one are one step. False: the lane is done. */
static bool plan_step(tick *now, const program *p, const tsl_poisson_share *share, int lane,
                      int step)
{
    const int lanes = share->overlap ? 2 : 1;
    const int period = 2 * (p->count - 1);
    const int turn = period > 0 ? step / period : step;
    const int at = period > 0 ? step % period : 0;
    const int segment = lane + turn * lanes;
    if (step % 2 == 1 && period > 0) {
        if (segment < share->segments) {
            now->group = p->group[at / 2];
            now->exchange_lane = lane;
            now->exchange_segment = segment;
            now->there = at / 2 < (p->count - 1) / 2;
        }
        return segment < share->segments;
    }
    now->lane = lane;
    if (at == 0 && period > 0 && turn > 0 && segment - lanes < share->segments) {
        add_phase(now, &p->phases[p->count - 1], segment - lanes);
    }
    if (segment < share->segments) {
        add_phase(now, &p->phases[at / 2], segment);
    }
    return now->count > 0;
}

static tsl_status run(tsl_poisson_solver *solver, const tick *now)
{
    tsl_status status = TSL_OK;
#pragma omp parallel num_threads(solver->context->threads)
    {
#pragma omp master
        if (now->group >= 0) {
            status = exchange(solver, now);
        }
        for (int i = 0; i < now->count; i++) {
            const int64_t items = tsl_poisson_items(solver, now->stages[i], now->segments[i]);
#pragma omp for schedule(dynamic)
            for (int64_t item = 0; item < items; item++) {
                tsl_poisson_item(solver, now->stages[i], now->segments[i], now->lane, item);
            }
        }
    }
    return status;
}

tsl_status tsl_poisson_run_segments(tsl_poisson_solver *solver)
{
    const program p = program_of(solver);
    const int lanes = solver->share.overlap ? 2 : 1;
    tsl_status status = TSL_OK;
    bool more = true;
    for (int step = 0; more && status == TSL_OK; step++) {
        tick now = {.group = -1};
        more = plan_step(&now, &p, &solver->share, 0, step);
        if (lanes == 2 && step > 0) {
            more = plan_step(&now, &p, &solver->share, 1, step - 1) || more;
        }
        more = more || (lanes == 2 && step == 0);
        if (more) {
            status = run(solver, &now);
        }
    }
    return status;
}
