/* Poisson's equation over ranks whose memory is their device's: the stages of segments.h as kernels
 * and library transforms, queued on the context's stream, while exchanges go on a second one.
 * Events order the two, a pair for each lane, so the host waits for nothing.
 *
 * Work space of a segment of c columns: [m1][x][c], so that all its lines along the second axis are
 * one transform. Lines along the first are transformed where an exchange left them. */
#include <string.h>

#include "comm/peer.h"
#include "core/context.h"
#include "device/device.h"
#include "poisson/segments.h"

enum {
    LANES = 2,
    SIZES = 2,          /* of segments: whole, and the last */
    COLUMN_BYTES = 128, /* begin of a row; segments are whole numbers of that */
    MOST_SEGMENTS = 8
};

/* Of an exchange between two ranks, at least: less goes slower over a link. */
static const int64_t MESSAGE_BYTES = INT64_C(16) << 20;

/* There and back. */
typedef struct pair {
    tsl_fft *forward, *backward;
} pair;

struct tsl_poisson_solver {
    tsl_poisson_rank rank;
    tsl_context *context, *beside; /* beside: for exchanges */
    const tsl_poisson_kernels *kernels;
    const void *spectrum;
    int axis;          /* of the solve under way: tsl_poisson_ops */
    char *rows;        /* [x][y][row] complex, of mine */
    char *second;      /* [m1][x][columns] complex; NULL where planes are transformed */
    int *of_y, *of_ky; /* tables of the columns, NULL but along y, and of what is spread */
    double *partial;   /* of sums */
    pair of_rows, of_second[SIZES], of_first[SIZES];
    tsl_event *computed[LANES], *exchanged[LANES];
};

/* ---- shapes ------------------------------------------------------------------------------- */

static void staged_layout(tsl_poisson_grid *grid, const tsl_poisson_share *share)
{
    (void)share;
    const int step = COLUMN_BYTES / (int)tsl_poisson_complex(grid);
    grid->row = (grid->half + step - 1) / step * step;
    grid->width = step;
    grid->blocks = (grid->z_count + step - 1) / step;
}

static int staged_segments(const tsl_poisson_grid *grid, const tsl_poisson_share *share)
{
    const int64_t numbers = (int64_t)grid->n[0] * grid->m[1] * grid->half;
    const int group = share->p > share->q ? share->p : share->q;
    const int64_t messages =
        numbers * tsl_poisson_complex(grid) / share->size / group / MESSAGE_BYTES;
    return messages < 1 ? 1 : messages > MOST_SEGMENTS ? MOST_SEGMENTS : (int)messages;
}

/* Columns of a segment of either size; 0: there is none. */
static int size_of(const tsl_poisson_grid *grid, const tsl_poisson_share *share, int size)
{
    const int columns = tsl_poisson_columns_of(share, grid, share->rank % share->q).count;
    return size == 1 ? columns % share->span : columns >= share->span ? share->span : 0;
}

static int widest(const tsl_poisson_grid *grid, const tsl_poisson_share *share)
{
    const int whole = size_of(grid, share, 0);
    return whole > 0 ? whole : size_of(grid, share, 1);
}

static int64_t rows_of(const tsl_poisson_grid *grid, const tsl_poisson_share *share)
{
    const tsl_poisson_rows mine = tsl_poisson_rows_of(share, grid, share->rank);
    return (int64_t)mine.x.count * mine.y.count;
}

/* Device memory, in bytes: rows, a buffer, the second axis' work space, tables. */
typedef struct sizes {
    int64_t rows, buffer, second, of_y, of_ky;
    int buffers;
} sizes;

static sizes sizes_of(const tsl_poisson_grid *grid, const tsl_poisson_share *share)
{
    const int a = share->rank / share->q;
    const int64_t columns = widest(grid, share) * tsl_poisson_complex(grid);
    const int64_t padded =
        (int64_t)grid->m[0] * tsl_poisson_lines_of(share, grid, a).count * columns;
    sizes s = {.rows = rows_of(grid, share) * grid->row * tsl_poisson_complex(grid),
               .buffer = tsl_poisson_buffer_bytes(grid, share),
               .buffers = tsl_poisson_buffer_count(grid, share),
               .of_ky = grid->m[1] * 2 * (int64_t)sizeof(int)};
    s.buffer = ((s.buffer > padded ? s.buffer : padded) + 63) / 64 * 64;
    if (!tsl_poisson_has_planes(grid, share)) {
        s.second = grid->m[1] * tsl_poisson_planes_of(share, grid, a).count * columns;
    }
    s.of_y = share->along_y ? grid->n[1] * 2 * (int64_t)sizeof(int) : 0;
    return s;
}

/* Is a right-hand side what the rows' transforms read? Then each begins on 64 bytes. */
static bool is_direct(const tsl_poisson_grid *grid, const tsl_poisson_share *share)
{
    return grid->m[2] == grid->n[2] &&
           rows_of(grid, share) * grid->n[2] * (int64_t)grid->precision % 64 == 0;
}

/* ---- transforms --------------------------------------------------------------------------- */

enum { ROWS, SECOND, FIRST = SECOND + SIZES, ALL = FIRST + SIZES };

static tsl_fft_description describe_rows(const tsl_poisson_grid *grid,
                                         const tsl_poisson_share *share)
{
    const tsl_poisson_rows mine = tsl_poisson_rows_of(share, grid, share->rank);
    const int ny = mine.y.count;
    const bool direct = is_direct(grid, share);
    const int reals = direct ? grid->n[2] : 2 * grid->row;
    tsl_fft_description what = {.kind = TSL_FFT_REAL_FORWARD,
                                .precision = grid->precision,
                                .rank = 1,
                                .n = {grid->m[2], 1, 1},
                                .count = mine.x.count * ny,
                                .in = {{grid->m[2], 1, 1}, 1, reals},
                                .out = {{grid->half, 1, 1}, 1, grid->row},
                                .in_place = !direct};
    if (tsl_poisson_has_planes(grid, share)) {
        what.rank = 2;
        what.n[0] = ny;
        what.n[1] = grid->m[2];
        what.count = mine.x.count;
        what.in = (tsl_fft_layout){{ny, reals, 1}, 1, ny * reals};
        what.out = (tsl_fft_layout){{ny, grid->row, 1}, 1, ny * grid->row};
    }
    return what;
}

/* Lines of an axis of which neighbours are `lines` numbers apart. */
static tsl_fft_description describe_lines(const tsl_poisson_grid *grid, int axis, int lines)
{
    const tsl_fft_layout layout = {{grid->m[axis], 1, 1}, lines, 1};
    return (tsl_fft_description){.kind = TSL_FFT_FORWARD,
                                 .precision = grid->precision,
                                 .rank = 1,
                                 .n = {grid->m[axis], 1, 1},
                                 .count = lines,
                                 .in = layout,
                                 .out = layout,
                                 .in_place = true};
}

/* Transform number i forward; count 0: there is none. */
static tsl_fft_description describe(const tsl_poisson_grid *grid, const tsl_poisson_share *share,
                                    int i)
{
    const int a = share->rank / share->q;
    if (i == ROWS) {
        return describe_rows(grid, share);
    }
    if (i < FIRST) {
        const bool none = tsl_poisson_has_planes(grid, share);
        const int planes = none ? 0 : tsl_poisson_planes_of(share, grid, a).count;
        return describe_lines(grid, 1, planes * size_of(grid, share, i - SECOND));
    }
    return describe_lines(
        grid, 0, tsl_poisson_lines_of(share, grid, a).count * size_of(grid, share, i - FIRST));
}

static tsl_fft_description backward_of(tsl_fft_description what)
{
    const tsl_fft_layout in = what.in;
    what.kind = what.kind == TSL_FFT_REAL_FORWARD ? TSL_FFT_REAL_BACKWARD : TSL_FFT_BACKWARD;
    what.in = what.out;
    what.out = in;
    return what;
}

static pair *pair_of(tsl_poisson_solver *solver, int i)
{
    return i == ROWS   ? &solver->of_rows
           : i < FIRST ? &solver->of_second[i - SECOND]
                       : &solver->of_first[i - FIRST];
}

static tsl_status plan_transforms(tsl_poisson_solver *solver)
{
    tsl_context *context = solver->context;
    tsl_status status = TSL_OK;
    for (int i = 0; i < ALL && status == TSL_OK; i++) {
        const tsl_fft_description there = describe(&solver->rank.grid, &solver->rank.share, i);
        const tsl_fft_description back = backward_of(there);
        pair *p = pair_of(solver, i);
        if (there.count > 0) {
            status = context->ops->fft->create(&p->forward, context, &there);
        }
        if (there.count > 0 && status == TSL_OK) {
            status = context->ops->fft->create(&p->backward, context, &back);
        }
    }
    return status;
}

static int64_t staged_bytes(tsl_context *context, const tsl_poisson_grid *grid,
                            const tsl_poisson_share *share)
{
    const sizes s = sizes_of(grid, share);
    int64_t bytes =
        s.rows + s.buffers * s.buffer + s.second + s.of_y + s.of_ky + TSL_POISSON_SUMS_BYTES;
    for (int i = 0; i < ALL; i++) {
        const tsl_fft_description there = describe(grid, share, i);
        const tsl_fft_description back = backward_of(there);
        if (there.count > 0) {
            bytes += context->ops->fft->needs(context, &there) +
                     context->ops->fft->needs(context, &back);
        }
    }
    return bytes;
}

/* ---- plans -------------------------------------------------------------------------------- */

static void staged_destroy(tsl_poisson_solver *solver)
{
    if (solver == NULL) {
        return;
    }
    tsl_context *context = solver->context;
    void *const memory[] = {solver->rows,  solver->rank.buffers, solver->second,
                            solver->of_ky, solver->of_y,         solver->partial};
    tsl_context_end_branch(solver->beside); /* others have read what they get by then */
    for (int i = 0; i < ALL; i++) {
        context->ops->fft->destroy(pair_of(solver, i)->forward);
        context->ops->fft->destroy(pair_of(solver, i)->backward);
    }
    for (int lane = 0; lane < LANES; lane++) {
        context->ops->peer->destroy(solver->computed[lane]);
        context->ops->peer->destroy(solver->exchanged[lane]);
    }
    for (size_t i = 0; i < sizeof memory / sizeof *memory; i++) {
        tsl_device_release(context, memory[i]);
    }
    tsl_poisson_rank_release(&solver->rank);
    tsl_release(solver);
}

static tsl_status take(void *out, tsl_context *context, int64_t bytes)
{
    void *memory = NULL;
    const tsl_status status = bytes == 0 ? TSL_OK
                                         : tsl_device_allocate(&memory, context, bytes,
                                                               "the work space of a Poisson plan");
    memcpy(out, &memory, sizeof memory);
    return status;
}

static tsl_status take_memory(tsl_poisson_solver *solver)
{
    const sizes s = sizes_of(&solver->rank.grid, &solver->rank.share);
    const struct {
        void *out;
        int64_t bytes;
    } all[] = {{&solver->rows, s.rows},     {&solver->rank.buffers, s.buffers * s.buffer},
               {&solver->second, s.second}, {&solver->of_ky, s.of_ky},
               {&solver->of_y, s.of_y},     {&solver->partial, TSL_POISSON_SUMS_BYTES}};
    tsl_status status = TSL_OK;
    solver->rank.buffer = s.buffer;
    for (size_t i = 0; i < sizeof all / sizeof *all && status == TSL_OK; i++) {
        status = take(all[i].out, solver->context, all[i].bytes);
    }
    if (status == TSL_OK && s.rows > 0) { /* transforms read the rows' padding */
        status = solver->context->ops->fill(solver->context, solver->rows, 0, s.rows);
    }
    return status;
}

/* Where strips of y lie among the parts that the ranks of a group have along it. */
static void fill_of_y(int *table, const tsl_poisson_rank *rank)
{
    for (int b = 0; b < rank->share.q; b++) {
        const tsl_poisson_range y = tsl_poisson_cut(rank->grid.n[1], rank->share.q, b);
        for (int i = 0; i < y.count; i++) {
            table[2 * (y.begin + i)] = rank->x.count * y.begin + i;
            table[2 * (y.begin + i) + 1] = y.count;
        }
    }
}

/* Where strips of ky lie among what is spread. */
static void fill_of_ky(int *table, const tsl_poisson_rank *rank)
{
    int before = 0;
    for (int a = 0; a < rank->share.p; a++) {
        const tsl_poisson_lines lines = tsl_poisson_lines_of(&rank->share, &rank->grid, a);
        for (int i = 0; i < lines.count; i++) {
            int *at = table + 2 * (int64_t)tsl_poisson_line(&lines, i);
            at[0] = rank->x.count * before + i;
            at[1] = lines.count;
        }
        before += lines.count;
    }
}

static tsl_status make_tables(tsl_poisson_solver *solver)
{
    const sizes s = sizes_of(&solver->rank.grid, &solver->rank.share);
    tsl_context *context = solver->context;
    const int64_t bytes = s.of_y > s.of_ky ? s.of_y : s.of_ky;
    int *table = tsl_allocate((size_t)bytes);
    if (table == NULL) {
        return tsl_fail_memory(context, bytes, "a Poisson plan");
    }
    fill_of_ky(table, &solver->rank);
    tsl_status status = context->ops->upload(context, solver->of_ky, table, s.of_ky);
    if (status == TSL_OK && s.of_y > 0) {
        fill_of_y(table, &solver->rank);
        status = context->ops->upload(context, solver->of_y, table, s.of_y);
    }
    tsl_release(table);
    return status;
}

static tsl_status make_events(tsl_poisson_solver *solver)
{
    const tsl_peer_ops *peer = solver->context->ops->peer;
    tsl_status status = tsl_context_branch(&solver->beside, solver->context);
    for (int lane = 0; lane < LANES && status == TSL_OK; lane++) {
        status = peer->create(&solver->computed[lane], solver->context);
        if (status == TSL_OK) {
            status = peer->create(&solver->exchanged[lane], solver->context);
        }
    }
    return status;
}

static tsl_status staged_create(tsl_poisson_solver **out, tsl_context *context,
                                const tsl_poisson_grid *grid, const tsl_poisson_share *share,
                                const void *spectrum)
{
    tsl_poisson_solver *solver = tsl_allocate_zeroed(1, sizeof *solver);
    if (solver == NULL) {
        return tsl_fail_memory(context, sizeof *solver, "a Poisson plan");
    }
    solver->context = context;
    solver->kernels = context->ops->poisson->kernels;
    solver->spectrum = spectrum;
    tsl_status status = tsl_poisson_rank_create(&solver->rank, context, grid, share);
    if (status == TSL_OK) {
        status = take_memory(solver);
    }
    if (status == TSL_OK) {
        status = make_tables(solver);
    }
    if (status == TSL_OK) {
        status = plan_transforms(solver);
    }
    if (status == TSL_OK) {
        status = make_events(solver);
    }
    if (status != TSL_OK) {
        staged_destroy(solver);
        return status;
    }
    *out = solver;
    return TSL_OK;
}

static tsl_status staged_divide(tsl_poisson_solver *solver)
{
    return tsl_poisson_rank_divide(&solver->rank);
}

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

static tsl_poisson_strips strips_of_spread(const tsl_poisson_solver *solver, int count, int lane)
{
    return (tsl_poisson_strips){.at = tsl_poisson_buffer(&solver->rank, lane, 0),
                                .table = solver->of_ky,
                                .strip = 2 * (int64_t)count,
                                .ny = solver->rank.grid.m[1],
                                .nz = 2 * count};
}

/* Strips of (x, y) below nx and ny, nz reals long. */
static tsl_status move(const tsl_poisson_solver *solver, tsl_poisson_strips to,
                       tsl_poisson_strips from, int nx, int ny, int nz)
{
    const tsl_poisson_move what = {
        .to = to, .from = from, .n = {nx, ny, nz}, .precision = solver->rank.grid.precision};
    return nx == 0 || ny == 0 || nz == 0 ? TSL_OK : solver->kernels->move(solver->context, &what);
}

/* ---- stages ------------------------------------------------------------------------------- */

static tsl_status execute(const tsl_poisson_solver *solver, const tsl_fft *fft, void *in, void *out)
{
    return fft == NULL ? TSL_OK : solver->context->ops->fft->execute(fft, in, out);
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
        status = move(solver, there ? gathered : rows, there ? rows : gathered, nx, ny,
                      2 * columns.count);
        part += (int64_t)nx * ny * columns.count * tsl_poisson_complex(&rank->grid);
    }
    return status;
}

/* The transforms of a segment of so many columns. */
static const pair *of_size(const tsl_poisson_solver *solver, const pair pairs[SIZES], int count)
{
    return &pairs[count < solver->rank.share.span];
}

static tsl_status second_axis(const tsl_poisson_solver *solver, tsl_poisson_range columns, int lane,
                              bool there)
{
    const tsl_poisson_rank *rank = &solver->rank;
    const tsl_poisson_strips near = strips_of_columns(solver, columns, lane);
    const tsl_poisson_strips between = strips_of_second(solver, columns.count);
    const tsl_poisson_strips far = strips_of_spread(solver, columns.count, lane);
    const pair *fft = of_size(solver, solver->of_second, columns.count);
    const int nx = rank->x.count;
    const int m = rank->grid.m[1];
    const int nz = 2 * columns.count;
    if (rank->planes) {
        return move(solver, there ? far : near, there ? near : far, nx, m, nz);
    }
    tsl_status status = move(solver, between, there ? near : far, nx, m, nz);
    if (status == TSL_OK) {
        status =
            execute(solver, there ? fft->forward : fft->backward, solver->second, solver->second);
    }
    return status == TSL_OK
               ? move(solver, there ? far : near, between, nx, there ? m : rank->grid.n[1], nz)
               : status;
}

static tsl_status first_axis(const tsl_poisson_solver *solver, tsl_poisson_range columns, int lane)
{
    const tsl_poisson_rank *rank = &solver->rank;
    const tsl_poisson_grid *grid = &rank->grid;
    const tsl_device_ops *ops = solver->context->ops;
    const pair *fft = of_size(solver, solver->of_first, columns.count);
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
        status = execute(solver, fft->forward, lines, lines);
    }
    if (status == TSL_OK) {
        status = solver->kernels->multiply(solver->context, &product);
    }
    return status == TSL_OK ? execute(solver, fft->backward, lines, lines) : status;
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

/* What a stream does goes to the rank's one error line, and to all others. */
static tsl_status refuse(const tsl_poisson_solver *solver, const tsl_context *where,
                         tsl_status status)
{
    if (status == TSL_OK || status == TSL_E_COMM) {
        return status;
    }
    if (where != solver->context) {
        tsl_fail(solver->context, status, "%s", where->error);
    }
    return tsl_comm_refuse(solver->context, status);
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
        status = refuse(solver, solver->context, run_stages(solver, now));
    }
    if (now->group < 0 || status != TSL_OK) {
        return status;
    }
    status = peer->wait(solver->beside, solver->computed[now->exchange_lane]);
    status = refuse(solver, solver->beside, status);
    if (status == TSL_OK) {
        status = tsl_poisson_exchange(&solver->rank, solver->beside, now);
    }
    return status == TSL_OK
               ? refuse(solver, solver->beside,
                        peer->record(solver->beside, solver->exchanged[now->exchange_lane]))
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
    const bool direct = is_direct(grid, &rank->share);
    const tsl_poisson_strips outside = strips_of_cells(solver, cells);
    const tsl_poisson_strips rows = strips_of_rows(solver, 0);
    const int nx = rank->mine.x.count;
    const int ny = rank->mine.y.count;
    tsl_status status = TSL_OK;
    if (there && !direct) {
        status = move(solver, rows, outside, nx, ny, 2 * grid->row);
    }
    if (status == TSL_OK) { /* a real transform forward leaves its input as it is */
        void *near = direct ? cells : solver->rows;
        status = execute(solver, there ? solver->of_rows.forward : solver->of_rows.backward,
                         there ? near : solver->rows, there ? solver->rows : near);
    }
    return status == TSL_OK && !there && !direct ? move(solver, outside, rows, nx, ny, grid->n[2])
                                                 : status;
}

static tsl_status staged_solve(tsl_poisson_solver *solver, void *out, const void *source, int axis)
{
    solver->axis = axis;
    tsl_status status = transform_rows(solver, (void *)(uintptr_t)source, true);
    status = refuse(solver, solver->context, status);
    if (status == TSL_OK) {
        status = tsl_poisson_run_segments(&solver->rank, run, solver);
    }
    return status == TSL_OK ? refuse(solver, solver->context, transform_rows(solver, out, false))
                            : status;
}

static tsl_status staged_sums(tsl_poisson_solver *solver, double sums[3], const void *a,
                              const void *b, int64_t cells)
{
    return solver->kernels->sums(solver->context, sums, solver->partial, a, b, cells,
                                 solver->rank.grid.precision);
}

static const tsl_poisson_ops tsl_poisson_staged = {.layout = staged_layout,
                                                   .segments = staged_segments,
                                                   .bytes = staged_bytes,
                                                   .create = staged_create,
                                                   .divide = staged_divide,
                                                   .destroy = staged_destroy,
                                                   .solve = staged_solve,
                                                   .sums = staged_sums};

const tsl_poisson_ops *tsl_poisson_ops_of(const tsl_context *context)
{
    const tsl_poisson_ops *own = context->ops->poisson;
    return context->comm->size > 1 && own->kernels != NULL ? &tsl_poisson_staged : own;
}
