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
#include "solvers/poisson/staged.h"

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

int tsl_staged_batch(const tsl_poisson_grid *grid, const tsl_poisson_share *share)
{
    const int planes = (grid->n[0] + share->p - 1) / share->p;
    return (planes + share->segments - 1) / share->segments;
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

/* ---- streams ------------------------------------------------------------------------------ */

/* A stream goes on after what the other has queued so far. */
static tsl_status follow(const tsl_poisson_solver *solver, tsl_context *after, tsl_context *before,
                         tsl_event *event)
{
    const tsl_peer_ops *peer = solver->context->ops->peer;
    const tsl_status status = tsl_staged_refuse(solver, before, peer->record(before, event));
    return status == TSL_OK ? tsl_staged_refuse(solver, after, peer->wait(after, event)) : status;
}

/* ... after both lanes. */
static tsl_status follow_lanes(const tsl_poisson_solver *solver, tsl_context *after)
{
    tsl_status status = TSL_OK;
    for (int lane = 0; lane < TSL_STAGED_LANES && status == TSL_OK; lane++) {
        status = follow(solver, after, solver->lanes[lane], solver->computed[lane]);
    }
    return status;
}

/* Both lanes go on after a stream. */
static tsl_status lanes_follow(const tsl_poisson_solver *solver, tsl_context *before,
                               tsl_event *event)
{
    const tsl_peer_ops *peer = solver->context->ops->peer;
    tsl_status status = tsl_staged_refuse(solver, before, peer->record(before, event));
    for (int lane = 0; lane < TSL_STAGED_LANES && status == TSL_OK; lane++) {
        tsl_context *after = solver->lanes[lane];
        status = tsl_staged_refuse(solver, after, peer->wait(after, event));
    }
    return status;
}

/* ---- stages ------------------------------------------------------------------------------- */

/* Exchange a piece. */
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
    return tsl_poisson_transfer(rank, solver->beside, 1, &sides[!there], &sides[there]);
}

/* A segment's planes, from cells to what is spread or back, batches on either lane in turn. */
static tsl_status transform(const tsl_poisson_solver *solver, char *cells, int segment, bool there)
{
    const tsl_poisson_rank *rank = &solver->rank;
    const tsl_poisson_grid *grid = &rank->grid;
    const tsl_poisson_range planes = planes_in(solver, rank->share.rank, segment);
    const int64_t plane = (int64_t)grid->n[1] * grid->n[2] * (int64_t)grid->precision;
    const int64_t rows =
        (int64_t)solver->batch * grid->m[1] * grid->row * tsl_poisson_complex(grid);
    tsl_status status = TSL_OK;
    for (int done = 0; done < planes.count && status == TSL_OK; done += solver->batch) {
        const int lane = (segment + done / solver->batch) % TSL_STAGED_LANES;
        const int first = planes.begin + done;
        const int left = planes.count - done;
        const tsl_poisson_plane_lines what = {.cells = cells + first * plane,
                                              .rows = solver->rows + lane * rows,
                                              .strips = solver->strips,
                                              .chunk = solver->chunk,
                                              .first = first,
                                              .count = left < solver->batch ? left : solver->batch};
        tsl_context *context = solver->lanes[lane];
        status = there ? solver->kernels->planes_forward(context, solver->planes, &what)
                       : solver->kernels->planes_backward(context, solver->planes, &what);
        status = tsl_staged_refuse(solver, context, status);
    }
    for (int lane = 0; lane < TSL_STAGED_LANES; lane++) {
        const int64_t waves = grid->m[1] * grid->row * tsl_poisson_complex(grid);
        tsl_poisson_end_stage(rank->times, solver->lanes[lane], TSL_TIMED_PLANES,
                              lane == 0 ? planes.count * (plane + 3 * waves) : 0);
    }
    return status;
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
    const tsl_status status =
        solver->kernels->planes_multiply(solver->planes, &product, solver->ky);
    tsl_poisson_end_stage(rank->times, solver->context, TSL_TIMED_FIRST_FUSED,
                          2 * (int64_t)rank->grid.n[0] * rank->lines.count * columns.count *
                              tsl_poisson_complex(&rank->grid));
    return tsl_staged_refuse(solver, solver->context, status);
}

/* ---- a solve ------------------------------------------------------------------------------ */

/* How many segments the first chunk's pieces are ahead of the second's. */
static int lead_of(const tsl_poisson_solver *solver)
{
    return chunks_of(solver) > 1 ? solver->rank.share.segments / 2 : 0;
}

/* The piece of a chunk that is due in a step, those of the second chunk later; forward after the
 * planes so far. */
static tsl_status exchange_due(const tsl_poisson_solver *solver, int step, int chunk, bool there)
{
    const int segment = step - chunk * lead_of(solver);
    tsl_status status = TSL_OK;
    if (segment < 0 || segment >= solver->rank.share.segments || chunk >= chunks_of(solver)) {
        return TSL_OK;
    }
    if (there) {
        status = follow_lanes(solver, solver->beside);
    }
    return status == TSL_OK ? exchange(solver, segment, chunk, there) : status;
}

/* The context goes on after the exchanges so far. */
static tsl_status follow_exchanged(const tsl_poisson_solver *solver)
{
    return follow(solver, solver->context, solver->beside, solver->exchanged[0]);
}

/* Planes to lines; those of the first chunk have all come when the context goes on. */
static tsl_status solve_there(const tsl_poisson_solver *solver, char *source)
{
    const tsl_poisson_share *share = &solver->rank.share;
    tsl_status status = lanes_follow(solver, solver->context, solver->joined);
    for (int step = 0; step < share->segments && status == TSL_OK; step++) {
        status = exchange_due(solver, step, 1, true);
        if (status == TSL_OK) {
            status = transform(solver, source, step, true);
        }
        if (status == TSL_OK) {
            status = exchange_due(solver, step, 0, true);
        }
        if (status == TSL_OK && !share->overlap) {
            status = lanes_follow(solver, solver->beside, solver->exchanged[0]);
        }
    }
    if (status == TSL_OK) {
        status = follow_lanes(solver, solver->context);
    }
    return status == TSL_OK ? follow_exchanged(solver) : status;
}

/* Lines, and pieces between planes and them as far as they go meanwhile: what is still to come of
 * the second chunk while the first is transformed, and what goes back of the first while the second
 * is. */
static tsl_status solve_lines(const tsl_poisson_solver *solver)
{
    const int segments = solver->rank.share.segments;
    const int lead = lead_of(solver);
    tsl_status status = TSL_OK;
    for (int i = 0; i < lead && status == TSL_OK; i++) {
        status = exchange_due(solver, segments + i, 1, true);
    }
    for (int chunk = 0; chunk < chunks_of(solver) && status == TSL_OK; chunk++) {
        if (chunk > 0) {
            status = follow_exchanged(solver);
        }
        if (status == TSL_OK) {
            status = multiply(solver, chunk);
        }
        for (int i = 0; i < lead && chunk > 0 && status == TSL_OK; i++) {
            status = exchange_due(solver, i, 0, false);
        }
        if (status == TSL_OK) { /* exchanges back */
            status = follow(solver, solver->beside, solver->context, solver->joined);
        }
    }
    return status;
}

/* Lines to planes. */
static tsl_status solve_back(const tsl_poisson_solver *solver, char *out)
{
    const tsl_poisson_share *share = &solver->rank.share;
    tsl_status status = lanes_follow(solver, solver->context, solver->joined);
    for (int segment = 0; segment < share->segments && status == TSL_OK; segment++) {
        if (!share->overlap) {
            status = follow_lanes(solver, solver->beside);
        }
        for (int chunk = 0; chunk < chunks_of(solver) && status == TSL_OK; chunk++) {
            status = exchange_due(solver, segment + lead_of(solver), chunk, false);
        }
        if (status == TSL_OK) {
            status = lanes_follow(solver, solver->beside, solver->exchanged[0]);
        }
        if (status == TSL_OK) {
            status = transform(solver, out, segment, false);
        }
    }
    return status == TSL_OK ? follow_lanes(solver, solver->context) : status;
}

tsl_status tsl_staged_solve_planes(tsl_poisson_solver *solver, void *out, const void *source)
{
    tsl_status status = solve_there(solver, (char *)(uintptr_t)source); /* only read */
    if (status == TSL_OK) {
        status = solve_lines(solver);
    }
    return status == TSL_OK ? solve_back(solver, out) : status;
}
