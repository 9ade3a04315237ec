/* A solve of planes (p x 1 ranks, the second axis periodic) by transforms of the device's own.
 *
 * Planes are transformed whole, a segment of them at a time, and the second axis leaves its waves
 * where they go: those of this rank's lines among the lines, others in the order in which their
 * ranks get them. What is exchanged are pieces, of a segment and a chunk of columns:
 *
 *     spread  [chunk][a'][x][lines of a'][columns of the chunk]
 *     lines   [chunk][n0][lines][columns of the chunk]
 *
 * The first axis of a chunk begins when all its pieces have come, while the next chunk's still
 * come; and on the way back those of the first chunk go while the next is under way. So the first
 * chunk's pieces are some segments ahead of the others. */
#include "poisson/staged.h"

enum { CHUNKS = 2 };

/* ---- pieces ------------------------------------------------------------------------------- */

int tsl_staged_chunk(const tsl_context *context, const tsl_poisson_grid *grid,
                     const tsl_poisson_share *share)
{
    const int64_t least = context->ops->poisson->kernels->piece_bytes;
    const int64_t number = tsl_poisson_complex(grid);
    const int64_t all = (int64_t)grid->n[0] * grid->m[1] * grid->row * number;
    const int64_t piece = all / share->p / share->p / share->segments / CHUNKS;
    const int chunks = share->overlap && piece >= least ? CHUNKS : 1;
    return ((grid->row + chunks - 1) / chunks + grid->width - 1) / grid->width * grid->width;
}

static int chunks_of(const tsl_poisson_solver *solver)
{
    return (solver->rank.grid.row + solver->chunk - 1) / solver->chunk;
}

/* Columns of a chunk. */
static tsl_poisson_range columns_of(const tsl_poisson_solver *solver, int chunk)
{
    const int begin = chunk * solver->chunk;
    const int left = solver->rank.grid.row - begin;
    return (tsl_poisson_range){begin, left < solver->chunk ? left : solver->chunk};
}

/* Bytes before plane x of what is spread to rank a, and among the lines. */
static int64_t before_spread(const tsl_poisson_solver *solver, int chunk, int a, int x)
{
    const tsl_poisson_rank *rank = &solver->rank;
    const tsl_poisson_range columns = columns_of(solver, chunk);
    int64_t lines = 0; /* of ranks before a */
    for (int i = 0; i < a; i++) {
        lines += tsl_poisson_lines_of(&rank->share, &rank->grid, i).count;
    }
    const int64_t strips = lines * rank->x.count +
                           (int64_t)x * tsl_poisson_lines_of(&rank->share, &rank->grid, a).count;
    return ((int64_t)rank->x.count * rank->grid.m[1] * columns.begin + strips * columns.count) *
           tsl_poisson_complex(&rank->grid);
}

static int64_t before_lines(const tsl_poisson_solver *solver, int chunk, int x)
{
    const tsl_poisson_rank *rank = &solver->rank;
    const tsl_poisson_range columns = columns_of(solver, chunk);
    return ((int64_t)rank->grid.n[0] * columns.begin + (int64_t)x * columns.count) *
           rank->lines.count * tsl_poisson_complex(&rank->grid);
}

/* Planes of a segment of rank a, counted from its first. */
static tsl_poisson_range planes_in(const tsl_poisson_solver *solver, int a, int segment)
{
    const tsl_poisson_rank *rank = &solver->rank;
    return tsl_poisson_cut(tsl_poisson_planes_of(&rank->share, &rank->grid, a).count,
                           rank->share.segments, segment);
}

/* ---- plans -------------------------------------------------------------------------------- */

/* On the host, [m1] each: ky at each place, the place of each, this rank's lines; [chunks][m1]:
 * strips. */
typedef struct tables {
    int *order, *place, *lines;
    tsl_poisson_strip *strips;
} tables;

static void fill_strips(const tables *t, const tsl_poisson_solver *solver, int chunk, int a)
{
    const tsl_poisson_rank *rank = &solver->rank;
    const tsl_poisson_lines lines = tsl_poisson_lines_of(&rank->share, &rank->grid, a);
    const bool own = a == rank->share.rank;
    const int64_t columns = columns_of(solver, chunk).count;
    char *at = own ? tsl_poisson_buffer(rank, 0, 1) + before_lines(solver, chunk, rank->x.begin)
                   : tsl_poisson_buffer(rank, 0, 0) + before_spread(solver, chunk, a, 0);
    for (int i = 0; i < lines.count; i++) {
        const int ky = tsl_poisson_line(&lines, i);
        t->strips[chunk * rank->grid.m[1] + t->place[ky]] = (tsl_poisson_strip){
            at + i * columns * tsl_poisson_complex(&rank->grid), lines.count * columns};
        if (own) {
            t->lines[i] = ky;
        }
    }
}

static tsl_status send_tables(const tables *t, const tsl_poisson_solver *solver)
{
    const tsl_poisson_rank *rank = &solver->rank;
    const tsl_device_ops *ops = solver->context->ops;
    const int64_t strips = (int64_t)chunks_of(solver) * rank->grid.m[1];
    for (int place = 0; place < rank->grid.m[1]; place++) {
        t->place[t->order[place]] = place;
    }
    for (int i = 0; i < chunks_of(solver) * rank->share.p; i++) {
        fill_strips(t, solver, i / rank->share.p, i % rank->share.p);
    }
    const tsl_status status = ops->upload(solver->context, solver->strips, t->strips,
                                          strips * (int64_t)sizeof *t->strips);
    return status == TSL_OK && rank->lines.count > 0
               ? ops->upload(solver->context, solver->ky, t->lines,
                             rank->lines.count * (int64_t)sizeof *t->lines)
               : status;
}

tsl_status tsl_staged_plan_planes(tsl_poisson_solver *solver)
{
    const tsl_poisson_rank *rank = &solver->rank;
    const size_t m = (size_t)rank->grid.m[1];
    const size_t strips = (size_t)chunks_of(solver) * m;
    const size_t bytes = strips * sizeof(tsl_poisson_strip) + 3 * m * sizeof(int);
    tables t = {.strips = tsl_allocate(bytes)};
    if (t.strips == NULL) {
        return tsl_fail_memory(solver->context, (int64_t)bytes, "a Poisson plan");
    }
    t.order = (int *)(void *)(t.strips + strips);
    t.place = t.order + m;
    t.lines = t.place + m;
    tsl_status status = solver->kernels->planes_create(&solver->planes, solver->context,
                                                       &rank->grid, solver->spectrum, t.order);
    if (status == TSL_OK) {
        status = send_tables(&t, solver);
    }
    tsl_release(t.strips);
    return status;
}

/* ---- stages ------------------------------------------------------------------------------- */

/* Exchange a piece, on the second stream. */
static tsl_status exchange(const tsl_poisson_solver *solver, int segment, int chunk, bool there)
{
    const tsl_poisson_rank *rank = &solver->rank;
    const tsl_poisson_parts *parts = &rank->parts;
    const int64_t strip = columns_of(solver, chunk).count * tsl_poisson_complex(&rank->grid);
    const tsl_poisson_range mine = planes_in(solver, rank->share.rank, segment);
    tsl_comm_parts sides[2];
    for (int a = 0; a < rank->share.p; a++) {
        const tsl_poisson_range theirs = planes_in(solver, a, segment);
        const int lines = tsl_poisson_lines_of(&rank->share, &rank->grid, a).count;
        const int first = tsl_poisson_planes_of(&rank->share, &rank->grid, a).begin;
        const bool moves = a != rank->share.rank;
        parts->bytes[0][a] = moves ? (int64_t)mine.count * lines * strip : 0;
        parts->offsets[0][a] = before_spread(solver, chunk, a, mine.begin);
        parts->bytes[1][a] = moves ? (int64_t)theirs.count * rank->lines.count * strip : 0;
        parts->offsets[1][a] = before_lines(solver, chunk, first + theirs.begin);
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
                                          .chunk = solver->chunk,
                                          .first = planes.begin,
                                          .count = planes.count};
    tsl_status status = TSL_OK;
    if (planes.count > 0) {
        status = there ? solver->kernels->planes_forward(solver->planes, &what)
                       : solver->kernels->planes_backward(solver->planes, &what);
    }
    return tsl_staged_refuse(solver, solver->context, status);
}

/* The first axis of a chunk, with the spectrum. */
static tsl_status multiply(const tsl_poisson_solver *solver, int chunk)
{
    const tsl_poisson_rank *rank = &solver->rank;
    const tsl_poisson_range columns = columns_of(solver, chunk);
    const int left = rank->grid.half - columns.begin; /* the last are padding */
    const tsl_poisson_product product = {.grid = rank->grid,
                                         .spectrum = solver->spectrum,
                                         .lines = tsl_poisson_buffer(rank, 0, 1) +
                                                  before_lines(solver, chunk, 0),
                                         .ky = rank->lines,
                                         .first = columns.begin,
                                         .count = left < columns.count ? left : columns.count,
                                         .pitch = columns.count,
                                         .axis = solver->axis};
    if (rank->lines.count == 0) {
        return TSL_OK;
    }
    return tsl_staged_refuse(
        solver, solver->context,
        solver->kernels->planes_multiply(solver->planes, &product, solver->ky));
}

/* ---- a solve ------------------------------------------------------------------------------ */

/* How many segments the first chunk's pieces are ahead of the second's. */
static int lead_of(const tsl_poisson_solver *solver)
{
    return chunks_of(solver) > 1 ? solver->rank.share.segments / 2 : 0;
}

/* Pieces of a step, those of the second chunk behind. */
static tsl_status exchange_step(const tsl_poisson_solver *solver, int step, bool there)
{
    const int segments = solver->rank.share.segments;
    const int behind = step - lead_of(solver);
    tsl_status status = step < segments ? exchange(solver, step, 0, there) : TSL_OK;
    for (int chunk = 1; chunk < chunks_of(solver) && behind >= 0 && status == TSL_OK; chunk++) {
        status = exchange(solver, behind, chunk, there);
    }
    return status;
}

/* Planes to lines: the first chunk's have all come when the context goes on. */
static tsl_status solve_there(const tsl_poisson_solver *solver, char *source)
{
    const tsl_poisson_share *share = &solver->rank.share;
    tsl_status status = TSL_OK;
    for (int step = 0; step < share->segments && status == TSL_OK; step++) {
        status = transform(solver, source, step, true);
        if (status == TSL_OK) {
            status = follow_computed(solver);
        }
        if (status == TSL_OK) {
            status = exchange_step(solver, step, true);
        }
        if (status == TSL_OK && (!share->overlap || step == share->segments - 1)) {
            status = follow_exchanged(solver);
        }
    }
    return status;
}

/* Lines, and pieces between planes and them as far as they go meanwhile. */
static tsl_status solve_lines(const tsl_poisson_solver *solver)
{
    const int segments = solver->rank.share.segments;
    tsl_status status = multiply(solver, 0);
    if (status == TSL_OK && chunks_of(solver) == 1) {
        return follow_computed(solver);
    }
    for (int i = 0; i < lead_of(solver) && status == TSL_OK; i++) {
        status = exchange_step(solver, segments + i, true);
    }
    if (status == TSL_OK) {
        status = follow_computed(solver);
    }
    if (status == TSL_OK) {
        status = follow_exchanged(solver);
    }
    if (status == TSL_OK) {
        status = multiply(solver, 1);
    }
    for (int i = 0; i < lead_of(solver) && status == TSL_OK; i++) {
        status = exchange_step(solver, i, false);
    }
    return status == TSL_OK ? follow_computed(solver) : status;
}

/* Lines to planes; the second stream has waited for all lines. */
static tsl_status solve_back(const tsl_poisson_solver *solver, char *out)
{
    const tsl_poisson_share *share = &solver->rank.share;
    tsl_status status = TSL_OK;
    for (int segment = 0; segment < share->segments && status == TSL_OK; segment++) {
        if (!share->overlap) {
            status = follow_computed(solver);
        }
        if (status == TSL_OK) {
            status = exchange_step(solver, segment + lead_of(solver), false);
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
        status = solve_lines(solver);
    }
    return status == TSL_OK ? solve_back(solver, out) : status;
}
