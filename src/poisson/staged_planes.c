/* A solve of planes (p x 1 ranks, the second axis periodic) by transforms of the device's own.
 *
 * Planes are transformed whole, a batch at a time; while it is still in cache it is spread over
 * what the others need. Segments are planes: one is exchanged while the next is transformed, and
 * lines begin when all have come. On the way back one comes while the one before is transformed. */
#include "poisson/staged.h"

/* This rank's planes of a segment, or rank a's; counted from its first. */
static tsl_poisson_range planes_in(const tsl_poisson_solver *solver, int a, int segment)
{
    const tsl_poisson_rank *rank = &solver->rank;
    return tsl_poisson_cut(tsl_poisson_planes_of(&rank->share, &rank->grid, a).count,
                           rank->share.segments, segment);
}

/* Exchange a segment, on the second stream. */
static tsl_status exchange(const tsl_poisson_solver *solver, int segment, bool there)
{
    const tsl_poisson_rank *rank = &solver->rank;
    const tsl_poisson_parts *parts = &rank->parts;
    const int64_t row = rank->grid.row * tsl_poisson_complex(&rank->grid);
    const tsl_poisson_range mine = planes_in(solver, rank->share.rank, segment);
    tsl_comm_parts sides[2];
    int64_t before = 0;
    for (int a = 0; a < rank->share.p; a++) {
        const tsl_poisson_range theirs = planes_in(solver, a, segment);
        const int64_t near = tsl_poisson_lines_of(&rank->share, &rank->grid, a).count * row;
        const int64_t far = rank->lines.count * row;
        const int first = tsl_poisson_planes_of(&rank->share, &rank->grid, a).begin;
        const bool moves = a != rank->share.rank;
        parts->bytes[0][a] = moves ? mine.count * near : 0;
        parts->offsets[0][a] = before + mine.begin * near;
        parts->bytes[1][a] = moves ? theirs.count * far : 0;
        parts->offsets[1][a] = (first + theirs.begin) * far;
        before += rank->x.count * near;
    }
    for (int side = 0; side < 2; side++) {
        sides[side] = (tsl_comm_parts){.data = tsl_poisson_buffer(rank, 0, side),
                                       .bytes = parts->bytes[side],
                                       .offsets = parts->offsets[side]};
    }
    return tsl_comm_all_to_all(rank->groups[1], solver->beside, &sides[!there], &sides[there]);
}

/* A stream goes on after what the other has queued so far. */
static tsl_status follow(const tsl_poisson_solver *solver, tsl_context *after, tsl_context *before,
                         tsl_event *event)
{
    const tsl_peer_ops *peer = solver->context->ops->peer;
    const tsl_status status = tsl_staged_refuse(solver, before, peer->record(before, event));
    return status == TSL_OK ? tsl_staged_refuse(solver, after, peer->wait(after, event)) : status;
}

/* Exchanges go on after the planes and lines so far, or those after the exchanges. */
static tsl_status follow_computed(const tsl_poisson_solver *solver)
{
    return follow(solver, solver->beside, solver->context, solver->computed[0]);
}

static tsl_status follow_exchanged(const tsl_poisson_solver *solver)
{
    return follow(solver, solver->context, solver->beside, solver->exchanged[0]);
}

/* A segment's planes, from cells to what is spread or back. */
static tsl_status transform(const tsl_poisson_solver *solver, char *cells, int segment, bool there)
{
    const tsl_poisson_rank *rank = &solver->rank;
    const tsl_poisson_grid *grid = &rank->grid;
    const tsl_poisson_range planes = planes_in(solver, rank->share.rank, segment);
    const int64_t plane = (int64_t)grid->n[1] * grid->n[2] * (int64_t)grid->precision;
    const tsl_poisson_plane_lines what = {.cells = cells + planes.begin * plane,
                                          .rows = solver->rows,
                                          .strips = solver->strips,
                                          .first = planes.begin,
                                          .count = planes.count};
    tsl_status status = TSL_OK;
    if (planes.count > 0) {
        status = there ? solver->kernels->planes_forward(solver->planes, &what)
                       : solver->kernels->planes_backward(solver->planes, &what);
    }
    return tsl_staged_refuse(solver, solver->context, status);
}

static tsl_status multiply(const tsl_poisson_solver *solver)
{
    const tsl_poisson_rank *rank = &solver->rank;
    const tsl_poisson_product product = {.grid = rank->grid,
                                         .spectrum = solver->spectrum,
                                         .lines = tsl_poisson_buffer(rank, 0, 1),
                                         .ky = rank->lines,
                                         .count = rank->grid.half,
                                         .axis = solver->axis};
    return rank->lines.count == 0 ? TSL_OK
                                  : tsl_staged_refuse(solver, solver->context,
                                                      solver->kernels->planes_multiply(
                                                          solver->planes, &product, solver->ky));
}

static tsl_status solve_there(const tsl_poisson_solver *solver, char *source)
{
    const tsl_poisson_share *share = &solver->rank.share;
    tsl_status status = TSL_OK;
    for (int segment = 0; segment < share->segments && status == TSL_OK; segment++) {
        status = transform(solver, source, segment, true);
        if (status == TSL_OK) {
            status = follow_computed(solver);
        }
        if (status == TSL_OK) {
            status = exchange(solver, segment, true);
        }
        if (status == TSL_OK && (!share->overlap || segment == share->segments - 1)) {
            status = follow_exchanged(solver);
        }
    }
    return status;
}

static tsl_status solve_back(const tsl_poisson_solver *solver, char *out)
{
    const tsl_poisson_share *share = &solver->rank.share;
    tsl_status status = TSL_OK;
    for (int segment = 0; segment < share->segments && status == TSL_OK; segment++) {
        if (!share->overlap || segment == 0) {
            status = follow_computed(solver);
        }
        if (status == TSL_OK) {
            status = exchange(solver, segment, false);
        }
        if (status == TSL_OK) {
            status = follow_exchanged(solver);
        }
        if (status == TSL_OK) {
            status = transform(solver, out, segment, false);
        }
    }
    return status;
}

tsl_status tsl_staged_solve_planes(tsl_poisson_solver *solver, void *out, const void *source)
{
    tsl_status status = solve_there(solver, (char *)(uintptr_t)source); /* only read */
    if (status == TSL_OK) {
        status = multiply(solver);
    }
    return status == TSL_OK ? solve_back(solver, out) : status;
}
