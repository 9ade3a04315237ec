#include "solvers/poisson/ranks/segments.h"

#include <string.h>

#include "core/context.h"

enum { MOST_PHASES = 5, MOST_STAGES = TSL_POISSON_STAGES / 2 };

/* Stages with no exchange between. */
typedef struct phase {
    int count;
    tsl_poisson_stage stages[MOST_STAGES];
} phase;

typedef struct program {
    int count;
    phase phases[MOST_PHASES];
    int group[MOST_PHASES]; /* of the exchange after a phase: see tsl_poisson_rank */
} program;

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

static program program_of(const tsl_poisson_rank *rank)
{
    const bool columns = rank->share.q > 1;
    const bool lines = rank->share.p > 1;
    const bool packs = rank->share.path != TSL_POISSON_DATATYPES;
    program p = {.count = 1};
    if (columns) {
        if (packs) {
            add(&p, TSL_POISSON_GATHER);
        }
        exchange_after(&p, 0);
    }
    if (!rank->planes || (lines && packs)) {
        add(&p, TSL_POISSON_SECOND);
    }
    if (lines) {
        exchange_after(&p, 1);
    }
    add(&p, TSL_POISSON_FIRST);
    if (lines) {
        exchange_after(&p, 1);
    }
    if (!rank->planes || (lines && packs)) {
        add(&p, TSL_POISSON_SECOND_BACK);
    }
    if (columns) {
        exchange_after(&p, 0);
        if (packs) {
            add(&p, TSL_POISSON_SCATTER);
        }
    }
    return p;
}

/* ---- ranks ----------------------------------------------------------------------------------- */

bool tsl_poisson_has_planes(const tsl_poisson_grid *grid, const tsl_poisson_share *share)
{
    return share->q == 1 && grid->m[1] == grid->n[1];
}

tsl_status tsl_poisson_rank_create(tsl_poisson_rank *rank, tsl_context *context,
                                   const tsl_poisson_grid *grid, const tsl_poisson_share *share)
{
    const int a = share->rank / share->q;
    const size_t most = (size_t)(share->p > share->q ? share->p : share->q);
    *rank = (tsl_poisson_rank){.context = context,
                               .grid = *grid,
                               .share = *share,
                               .mine = tsl_poisson_rows_of(share, grid, share->rank),
                               .x = tsl_poisson_planes_of(share, grid, a),
                               .lines = tsl_poisson_lines_of(share, grid, a),
                               .planes = tsl_poisson_has_planes(grid, share),
                               .numbers = tsl_allocate(6 * most * sizeof *rank->numbers)};
    rank->parts.blocks[0] = tsl_allocate(4 * most * sizeof *rank->parts.blocks[0]);
    if (rank->numbers == NULL || rank->parts.blocks[0] == NULL) {
        return tsl_fail_memory(context, 4 * (int64_t)(most * sizeof *rank->parts.blocks[0]),
                               "a Poisson plan");
    }
    rank->parts.blocks[1] = rank->parts.blocks[0] + 2 * most;
    for (int side = 0; side < 2; side++) {
        rank->parts.bytes[side] = rank->numbers + (size_t)side * most;
        rank->parts.offsets[side] = rank->numbers + (size_t)(2 + side) * most;
        rank->parts.packed[side] = rank->numbers + (size_t)(4 + side) * most;
    }
    return TSL_OK;
}

tsl_status tsl_poisson_rank_divide(tsl_poisson_rank *rank)
{
    const tsl_poisson_share *share = &rank->share;
    tsl_comm *comm = rank->context->comm;
    tsl_status status = TSL_OK;
    if (share->q > 1) {
        status = tsl_comm_split(&rank->groups[0], comm, share->rank / share->q, share->rank);
    }
    if (share->p > 1 && status == TSL_OK) {
        const int kind = tsl_poisson_takes_part(share) ? share->rank % share->q : share->q;
        status = tsl_comm_split(&rank->groups[1], comm, kind, share->rank);
    }
    return status;
}

void tsl_poisson_rank_release(tsl_poisson_rank *rank)
{
    tsl_comm_destroy(rank->groups[0]);
    tsl_comm_destroy(rank->groups[1]);
    tsl_release(rank->numbers);
    tsl_release(rank->parts.blocks[0]);
}

tsl_poisson_range tsl_poisson_columns_in(const tsl_poisson_rank *rank, int segment)
{
    return tsl_poisson_segment_of(&rank->share, &rank->grid, rank->share.rank % rank->share.q,
                                  segment);
}

int64_t tsl_poisson_buffer_bytes(const tsl_poisson_grid *grid, const tsl_poisson_share *share)
{
    const int a = share->rank / share->q;
    const tsl_poisson_rows mine = tsl_poisson_rows_of(share, grid, share->rank);
    const tsl_poisson_range first = tsl_poisson_segment_of(share, grid, share->rank % share->q, 0);
    const int64_t x = tsl_poisson_planes_of(share, grid, a).count;
    const int64_t lines = tsl_poisson_lines_of(share, grid, a).count;
    int64_t gathered = 0;
    for (int b = 0; b < share->q; b++) {
        gathered += tsl_poisson_segment_of(share, grid, b, 0).count;
    }
    const int64_t numbers[] = {(int64_t)mine.x.count * mine.y.count * gathered,
                               x * grid->m[1] * first.count, grid->n[0] * lines * first.count};
    int64_t most = share->q > 1 ? numbers[0] : 0;
    for (int i = 1; i < 3; i++) {
        most = numbers[i] > most ? numbers[i] : most;
    }
    return (most * tsl_poisson_complex(grid) + 63) / 64 * 64;
}

int tsl_poisson_buffer_count(const tsl_poisson_grid *grid, const tsl_poisson_share *share)
{
    return share->p * share->q == 1 ? !tsl_poisson_has_planes(grid, share)
                                    : 2 * (1 + share->overlap);
}

/* ---- exchanges ------------------------------------------------------------------------------ */

/* What this rank has for each of the group, and what it gets of each. */
static void settle_parts(const tsl_poisson_rank *rank, int group, int segment)
{
    const tsl_poisson_share *share = &rank->share;
    const tsl_poisson_grid *grid = &rank->grid;
    const tsl_poisson_parts *parts = &rank->parts;
    const int64_t number = tsl_poisson_complex(grid);
    const int a = share->rank / share->q;
    const tsl_poisson_range columns = tsl_poisson_columns_in(rank, segment);
    int64_t offsets[2] = {0, 0};
    for (int i = 0; i < (group == 0 ? share->q : share->p); i++) {
        int64_t near, far;
        if (group == 0) {
            const tsl_poisson_rows theirs = tsl_poisson_rows_of(share, grid, a * share->q + i);
            near = (int64_t)rank->mine.x.count * rank->mine.y.count *
                   tsl_poisson_segment_of(share, grid, i, segment).count;
            far = (int64_t)theirs.x.count * theirs.y.count * columns.count;
        } else {
            near =
                (int64_t)rank->x.count * tsl_poisson_lines_of(share, grid, i).count * columns.count;
            far = (int64_t)tsl_poisson_planes_of(share, grid, i).count * rank->lines.count *
                  columns.count;
        }
        const int64_t bytes[2] = {near * number, far * number};
        for (int side = 0; side < 2; side++) {
            parts->bytes[side][i] = group == 1 && rank->keeps && i == a ? 0 : bytes[side];
            parts->offsets[side][i] = offsets[side];
            offsets[side] += bytes[side];
        }
    }
}

/* The parts that this rank's rows and rank i of the group exchange, [2] blocks each: `near`, of
 * this segment's columns, that rank's or those of its lines, among the rows; `far` in the buffer,
 * where lines are those of this rank. */
static void describe_columns(const tsl_poisson_rank *rank, int segment, int i)
{
    const tsl_poisson_share *share = &rank->share;
    const tsl_poisson_grid *grid = &rank->grid;
    const int64_t number = tsl_poisson_complex(grid);
    const int first = rank->share.rank / share->q * share->q;
    const tsl_poisson_rows theirs = tsl_poisson_rows_of(share, grid, first + i);
    const tsl_poisson_range columns = tsl_poisson_segment_of(share, grid, i, segment);
    const int64_t piece = tsl_poisson_columns_in(rank, segment).count * number;
    rank->parts.blocks[0][2 * i] = (tsl_comm_block){columns.begin * number,
                                                    {rank->mine.x.count, rank->mine.y.count},
                                                    {rank->plane, grid->row * number},
                                                    columns.count * number};
    rank->parts.blocks[1][2 * i] = (tsl_comm_block){rank->parts.offsets[1][i],
                                                    {theirs.x.count, theirs.y.count},
                                                    {theirs.y.count * piece, piece},
                                                    piece};
}

static void describe_lines(const tsl_poisson_rank *rank, int segment, int i)
{
    const tsl_poisson_grid *grid = &rank->grid;
    const int64_t number = tsl_poisson_complex(grid);
    const tsl_poisson_lines lines = tsl_poisson_lines_of(&rank->share, grid, i);
    const tsl_poisson_range columns = tsl_poisson_columns_in(rank, segment);
    const int theirs = tsl_poisson_planes_of(&rank->share, grid, i).count;
    const int64_t piece = columns.count * number;
    int64_t at = rank->parts.offsets[1][i];
    for (int run = 0; run < 2; run++) {
        rank->parts.blocks[0][2 * i + run] =
            (tsl_comm_block){(lines.run[run].begin * (int64_t)grid->row + columns.begin) * number,
                             {rank->x.count, lines.run[run].count},
                             {rank->plane, grid->row * number},
                             piece};
        rank->parts.blocks[1][2 * i + run] = (tsl_comm_block){
            at, {theirs, rank->lines.run[run].count}, {rank->lines.count * piece, piece}, piece};
        at += rank->lines.run[run].count * piece;
    }
}

/* Are rows left where they are in the exchange of a group? */
static bool is_strided(const tsl_poisson_rank *rank, int group)
{
    return rank->share.path == TSL_POISSON_DATATYPES && (group == 0 || rank->planes);
}

static tsl_status exchange_strided(const tsl_poisson_rank *rank, const tsl_poisson_tick *now)
{
    const int size = now->group == 0 ? rank->share.q : rank->share.p;
    memset(rank->parts.blocks[0], 0, 2 * (size_t)size * sizeof *rank->parts.blocks[0]);
    memset(rank->parts.blocks[1], 0, 2 * (size_t)size * sizeof *rank->parts.blocks[1]);
    for (int i = 0; i < size; i++) {
        (now->group == 0 ? describe_columns : describe_lines)(rank, now->exchange_segment, i);
    }
    const tsl_comm_strided near = {rank->rows, 2, rank->parts.blocks[0]};
    const tsl_comm_strided far = {tsl_poisson_buffer(rank, now->exchange_lane, 1), 2,
                                  rank->parts.blocks[1]};
    return tsl_poisson_transfer_strided(rank, now->group, now->there ? &near : &far,
                                        now->there ? &far : &near);
}

tsl_status tsl_poisson_exchange(const tsl_poisson_rank *rank, tsl_context *context,
                                const tsl_poisson_tick *now)
{
    const int from = now->there ? 0 : 1;
    tsl_comm_parts sides[2];
    settle_parts(rank, now->group, now->exchange_segment);
    if (is_strided(rank, now->group)) {
        return exchange_strided(rank, now);
    }
    for (int side = 0; side < 2; side++) {
        sides[side] = (tsl_comm_parts){.data = tsl_poisson_buffer(rank, now->exchange_lane, side),
                                       .bytes = rank->parts.bytes[side],
                                       .offsets = rank->parts.offsets[side]};
    }
    return tsl_poisson_transfer(rank, context, now->group, &sides[from], &sides[1 - from]);
}

/* ---- turns ---------------------------------------------------------------------------------- */

static void add_phase(tsl_poisson_tick *now, const phase *p, int segment)
{
    for (int i = 0; i < p->count; i++) {
        now->stages[now->count] = p->stages[i];
        now->segments[now->count++] = segment;
    }
}

/* Step number `step` of a lane: even ones compute, odd ones exchange. The last phase of a segment
 * and the first of the lane's next one are one step. False: the lane is done. */
static bool plan_step(tsl_poisson_tick *now, const program *p, const tsl_poisson_share *share,
                      int lane, int step)
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
    const bool ends = at == 0 && period > 0 && turn > 0 && segment - lanes < share->segments;
    now->lane = lane;
    if (ends) {
        add_phase(now, &p->phases[p->count - 1], segment - lanes);
    }
    if (segment < share->segments) {
        add_phase(now, &p->phases[at / 2], segment);
    }
    return ends || segment < share->segments; /* a phase may have no stages */
}

tsl_status tsl_poisson_run_segments(const tsl_poisson_rank *rank,
                                    tsl_status (*run)(void *solver, const tsl_poisson_tick *now),
                                    void *solver)
{
    const program p = program_of(rank);
    const int lanes = rank->share.overlap ? 2 : 1;
    tsl_status status = TSL_OK;
    bool more = tsl_poisson_takes_part(&rank->share);
    for (int step = 0; more && status == TSL_OK; step++) {
        tsl_poisson_tick now = {.group = -1};
        more = plan_step(&now, &p, &rank->share, 0, step);
        if (lanes == 2 && step > 0) {
            more = plan_step(&now, &p, &rank->share, 1, step - 1) || more;
        }
        more = more || (lanes == 2 && step == 0);
        if (more) {
            status = run(solver, &now);
        }
    }
    return status;
}
