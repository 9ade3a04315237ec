/* The stages of a solve over ranks on devices. */
#include "solvers/poisson/staged.h"

/* ---- arrays ------------------------------------------------------------------------------- */

/* Columns `first` and on of the rows. */
static tsl_poisson_strips strips_of_rows(const tsl_poisson_solver *solver, int first)
{
    const tsl_poisson_rank *rank = &solver->rank;
    return (tsl_poisson_strips){.at = solver->rows + first * tsl_poisson_complex(&rank->grid),
                                .x = rank->mine.y.count,
                                .y = 1,
                                .strip = 2 * (int64_t)rank->grid.row,
                                .ny = rank->mine.y.count,
                                .nz = 2 * rank->grid.row};
}

/* `columns` of all y of this rank's planes. */
static tsl_poisson_strips strips_of_columns(const tsl_poisson_solver *solver,
                                            tsl_poisson_range columns, int lane)
{
    const tsl_poisson_rank *rank = &solver->rank;
    if (rank->share.q == 1) {
        return strips_of_rows(solver, columns.begin);
    }
    return (tsl_poisson_strips){.at = tsl_poisson_buffer(rank, lane, 1),
                                .table = solver->of_y,
                                .x = rank->grid.n[1],
                                .y = 1,
                                .strip = 2 * (int64_t)columns.count,
                                .ny = rank->grid.n[1],
                                .nz = 2 * columns.count};
}

static tsl_poisson_strips strips_of_second(const tsl_poisson_solver *solver, int count)
{
    return (tsl_poisson_strips){.at = solver->second,
                                .x = 1,
                                .y = solver->rank.x.count,
                                .strip = 2 * (int64_t)count,
                                .ny = solver->rank.grid.m[1],
                                .nz = 2 * count};
}

/* What is spread, of `count` columns. */
static tsl_poisson_strips spread_strips(const tsl_poisson_solver *solver, int count, int lane)
{
    return (tsl_poisson_strips){.at = tsl_poisson_buffer(&solver->rank, lane, 0),
                                .table = solver->of_ky,
                                .own = tsl_poisson_buffer(&solver->rank, lane, 1),
                                .strip = 2 * (int64_t)count,
                                .ny = solver->rank.grid.m[1],
                                .nz = 2 * count};
}

/* Strips of (x, y) below nx and ny, nz reals long. */
static tsl_status move_strips(const tsl_poisson_solver *solver, tsl_poisson_strips to,
                              tsl_poisson_strips from, int nx, int ny, int nz)
{
    const tsl_poisson_move what = {
        .to = to, .from = from, .n = {nx, ny, nz}, .precision = solver->rank.grid.precision};
    if (nx == 0 || ny == 0 || nz == 0) {
        return TSL_OK;
    }
    const tsl_status status = solver->kernels->move(solver->context, &what);
    tsl_poisson_end_stage(solver->rank.times, solver->context, TSL_TIMED_PACKING,
                          2 * (int64_t)nx * ny * nz * (int64_t)what.precision);
    return status;
}

/* ---- stages ------------------------------------------------------------------------------- */

/* `bytes`: of the array that the transforms read and write. */
static tsl_status execute(const tsl_poisson_solver *solver, const tsl_fft *fft, void *in, void *out,
                          tsl_poisson_timed stage, int64_t bytes)
{
    if (fft == NULL) {
        return TSL_OK;
    }
    const tsl_status status = solver->context->ops->fft->execute(fft, in, out);
    tsl_poisson_end_stage(solver->rank.times, solver->context, stage, 2 * bytes);
    return status;
}

static tsl_status exchange_rows(const tsl_poisson_solver *solver, int segment, int lane, bool there)
{
    const tsl_poisson_rank *rank = &solver->rank;
    const int nx = rank->mine.x.count;
    const int ny = rank->mine.y.count;
    char *part = tsl_poisson_buffer(rank, lane, 0);
    tsl_status status = TSL_OK;
    for (int b = 0; b < rank->share.q && status == TSL_OK; b++) {
        const tsl_poisson_range columns =
            tsl_poisson_segment_of(&rank->share, &rank->grid, b, segment);
        const tsl_poisson_strips rows = strips_of_rows(solver, columns.begin);
        const tsl_poisson_strips gathered = {.at = part,
                                             .x = ny,
                                             .y = 1,
                                             .strip = 2 * (int64_t)columns.count,
                                             .ny = ny,
                                             .nz = 2 * columns.count};
        status = move_strips(solver, there ? gathered : rows, there ? rows : gathered, nx, ny,
                             2 * columns.count);
        part += (int64_t)nx * ny * columns.count * tsl_poisson_complex(&rank->grid);
    }
    return status;
}

/* The transforms of a segment of so many columns. */
static const tsl_staged_pair *of_size(const tsl_poisson_solver *solver,
                                      const tsl_staged_pair pairs[TSL_STAGED_SIZES], int count)
{
    return &pairs[count < solver->rank.share.span];
}

static tsl_status second_axis(const tsl_poisson_solver *solver, tsl_poisson_range columns, int lane,
                              bool there)
{
    const tsl_poisson_rank *rank = &solver->rank;
    const tsl_poisson_strips near = strips_of_columns(solver, columns, lane);
    const tsl_poisson_strips between = strips_of_second(solver, columns.count);
    const tsl_poisson_strips far = spread_strips(solver, columns.count, lane);
    const tsl_staged_pair *fft = of_size(solver, solver->of_second, columns.count);
    const int nx = rank->x.count;
    const int m = rank->grid.m[1];
    const int nz = 2 * columns.count;
    if (rank->planes) {
        return move_strips(solver, there ? far : near, there ? near : far, nx, m, nz);
    }
    tsl_status status = move_strips(solver, between, there ? near : far, nx, m, nz);
    if (status == TSL_OK) {
        status =
            execute(solver, there ? fft->forward : fft->backward, solver->second, solver->second,
                    TSL_TIMED_SECOND, (int64_t)m * nx * nz * (int64_t)rank->grid.precision);
    }
    return status == TSL_OK ? move_strips(solver, there ? far : near, between, nx,
                                          there ? m : rank->grid.n[1], nz)
                            : status;
}

static tsl_status first_axis(const tsl_poisson_solver *solver, tsl_poisson_range columns, int lane)
{
    const tsl_poisson_rank *rank = &solver->rank;
    const tsl_poisson_grid *grid = &rank->grid;
    const tsl_device_ops *ops = solver->context->ops;
    const tsl_staged_pair *fft = of_size(solver, solver->of_first, columns.count);
    const int64_t plane = (int64_t)rank->lines.count * columns.count * tsl_poisson_complex(grid);
    char *lines = tsl_poisson_buffer(rank, lane, rank->share.p > 1);
    const tsl_poisson_product product = {.grid = *grid,
                                         .spectrum = solver->spectrum,
                                         .lines = lines,
                                         .ky = rank->lines,
                                         .first = columns.begin,
                                         .count = columns.count,
                                         .axis = solver->axis};
    tsl_status status = TSL_OK;
    if (plane == 0) {
        return TSL_OK;
    }
    if (grid->m[0] > grid->n[0]) {
        status = ops->fill(solver->context, lines + grid->n[0] * plane, 0,
                           (grid->m[0] - grid->n[0]) * plane);
    }
    if (status == TSL_OK) {
        status = execute(solver, fft->forward, lines, lines, TSL_TIMED_FIRST, grid->m[0] * plane);
    }
    if (status == TSL_OK) {
        status = solver->kernels->multiply(solver->context, &product);
        tsl_poisson_end_stage(rank->times, solver->context, TSL_TIMED_SPECTRUM,
                              2 * grid->m[0] * plane);
    }
    return status == TSL_OK
               ? execute(solver, fft->backward, lines, lines, TSL_TIMED_FIRST, grid->m[0] * plane)
               : status;
}

static tsl_status do_stage(const tsl_poisson_solver *solver, tsl_poisson_stage stage, int segment,
                           int lane)
{
    const tsl_poisson_range columns = tsl_poisson_columns_in(&solver->rank, segment);
    switch (stage) {
    case TSL_POISSON_GATHER:
    case TSL_POISSON_SCATTER:
        return exchange_rows(solver, segment, lane, stage == TSL_POISSON_GATHER);
    case TSL_POISSON_SECOND:
    case TSL_POISSON_SECOND_BACK:
        return second_axis(solver, columns, lane, stage == TSL_POISSON_SECOND);
    case TSL_POISSON_FIRST:
        return first_axis(solver, columns, lane);
    }
    return TSL_OK;
}

/* ---- solving ------------------------------------------------------------------------------ */

tsl_status tsl_staged_refuse(const tsl_poisson_solver *solver, const tsl_context *where,
                             tsl_status status)
{
    return tsl_poisson_refuse(&solver->rank, where, status);
}

static tsl_status run_stages(const tsl_poisson_solver *solver, const tsl_poisson_tick *now)
{
    const tsl_peer_ops *peer = solver->context->ops->peer;
    tsl_status status = peer->wait(solver->context, solver->exchanged[now->lane]);
    for (int i = 0; i < now->count && status == TSL_OK; i++) {
        status = do_stage(solver, now->stages[i], now->segments[i], now->lane);
    }
    return status == TSL_OK ? peer->record(solver->context, solver->computed[now->lane]) : status;
}

static tsl_status run(void *user, const tsl_poisson_tick *now)
{
    const tsl_poisson_solver *solver = user;
    const tsl_peer_ops *peer = solver->context->ops->peer;
    tsl_status status = TSL_OK;
    if (now->count > 0) {
        status = tsl_staged_refuse(solver, solver->context, run_stages(solver, now));
    }
    if (now->group < 0 || status != TSL_OK) {
        return status;
    }
    status = peer->wait(solver->beside, solver->computed[now->exchange_lane]);
    status = tsl_staged_refuse(solver, solver->beside, status);
    if (status == TSL_OK) {
        status = tsl_poisson_exchange(&solver->rank, solver->beside, now);
    }
    return status == TSL_OK ? tsl_staged_refuse(solver, solver->beside,
                                                peer->record(solver->beside,
                                                             solver->exchanged[now->exchange_lane]))
                            : status;
}

/* Cells as strips. */
static tsl_poisson_strips strips_of_cells(const tsl_poisson_solver *solver, void *cells)
{
    const tsl_poisson_rank *rank = &solver->rank;
    return (tsl_poisson_strips){.at = cells,
                                .x = rank->mine.y.count,
                                .y = 1,
                                .strip = rank->grid.n[2],
                                .ny = rank->mine.y.count,
                                .nz = rank->grid.n[2]};
}

/* Cells to rows, with the second axis where planes are transformed; or back. */
static tsl_status transform_rows(const tsl_poisson_solver *solver, void *cells, bool there)
{
    const tsl_poisson_rank *rank = &solver->rank;
    const tsl_poisson_grid *grid = &rank->grid;
    const tsl_poisson_strips outside = strips_of_cells(solver, cells);
    const tsl_poisson_strips rows = strips_of_rows(solver, 0);
    const int nx = rank->mine.x.count;
    const int ny = rank->mine.y.count;
    tsl_status status = TSL_OK;
    if (there && !solver->direct) {
        status = move_strips(solver, rows, outside, nx, ny, 2 * grid->row);
    }
    if (status == TSL_OK) { /* a real transform forward leaves its input as it is */
        void *near = solver->direct ? cells : solver->rows;
        status = execute(solver, there ? solver->of_rows.forward : solver->of_rows.backward,
                         there ? near : solver->rows, there ? solver->rows : near,
                         rank->planes ? TSL_TIMED_PLANES : TSL_TIMED_ROWS,
                         (int64_t)nx * ny * grid->row * tsl_poisson_complex(grid));
    }
    return status == TSL_OK && !there && !solver->direct
               ? move_strips(solver, outside, rows, nx, ny, grid->n[2])
               : status;
}

static tsl_status staged_divide(tsl_poisson_solver *solver)
{
    return tsl_poisson_rank_divide(&solver->rank);
}

static void staged_time(tsl_poisson_solver *solver, tsl_poisson_times *times)
{
    solver->rank.times = times;
}

static tsl_status staged_solve(tsl_poisson_solver *solver, void *out, const void *source, int axis)
{
    solver->axis = axis;
    if (!tsl_poisson_takes_part(&solver->rank.share)) {
        return TSL_OK;
    }
    if (solver->alone != NULL) {
        return tsl_staged_refuse(
            solver, solver->context,
            solver->context->ops->poisson->solve(solver->alone, out, source, axis));
    }
    if (solver->planes != NULL) {
        return tsl_staged_solve_planes(solver, out, source);
    }
    tsl_status status = transform_rows(solver, (void *)(uintptr_t)source, true);
    status = tsl_staged_refuse(solver, solver->context, status);
    if (status == TSL_OK) {
        status = tsl_poisson_run_segments(&solver->rank, run, solver);
    }
    return status == TSL_OK
               ? tsl_staged_refuse(solver, solver->context, transform_rows(solver, out, false))
               : status;
}

static tsl_status staged_sums(tsl_poisson_solver *solver, double sums[3], const void *a,
                              const void *b, int64_t cells)
{
    return solver->kernels->sums(solver->context, sums, solver->partial, a, b, cells,
                                 solver->rank.grid.precision);
}

static const tsl_poisson_ops tsl_poisson_staged = {.layout = tsl_staged_layout,
                                                   .ranks = tsl_staged_ranks,
                                                   .segments = tsl_staged_segments,
                                                   .bytes = tsl_staged_bytes,
                                                   .create = tsl_staged_create,
                                                   .divide = staged_divide,
                                                   .time = staged_time,
                                                   .destroy = tsl_staged_destroy,
                                                   .solve = staged_solve,
                                                   .sums = staged_sums};

const tsl_poisson_ops *tsl_poisson_ops_of(const tsl_context *context)
{
    const tsl_poisson_ops *own = context->ops->poisson;
    return context->comm->size > 1 && own->kernels != NULL && context->ops->branch != NULL
               ? &tsl_poisson_staged
               : own;
}
