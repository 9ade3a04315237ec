/* Plans of a solve over ranks on devices. */
#include <string.h>

#include "solvers/poisson/staged.h"

enum {
    COLUMN_BYTES = 128, /* begin of a row; segments are whole numbers of that */
    LEAST_PADDED = 8, /* ranks of which a padded second axis needs that many to be faster than one:
                       * on two H200 256^3 takes twice as long, and each of p sends (p - 1) / p^2 */
    MOST_SEGMENTS = 8,
    MOST_OF_PLANES = 16 /* on two H200 1024^3 took 18.9 ms in 8, 18.2 in 16 */
};

/* The least bytes of an exchange between two ranks: less goes slower over a link. Planes are
 * exchanged by the copy engines alone while the multiprocessors are busy, and need more. */
static const int64_t MESSAGE_BYTES = INT64_C(16) << 20;
static const int64_t PLANES_BYTES = INT64_C(32) << 20;

/* ---- shapes ------------------------------------------------------------------------------- */

void tsl_staged_layout(const tsl_context *context, tsl_poisson_grid *grid,
                       const tsl_poisson_share *share)
{
    if (share->p * share->q == 1) {
        context->ops->poisson->layout(context, grid, share);
        return;
    }
    const int step = COLUMN_BYTES / (int)tsl_poisson_complex(grid);
    grid->row = (grid->half + step - 1) / step * step;
    grid->width = step;
    grid->blocks = (grid->z_count + step - 1) / step;
    grid->lines = grid->lines && tsl_poisson_has_planes(grid, share) &&
                  context->ops->poisson->kernels->planes_bytes(grid) > 0;
}

int tsl_staged_ranks(const tsl_context *context, const tsl_poisson_grid *grid, int size)
{
    const tsl_poisson_kernels *kernels = context->ops->poisson->kernels;
    const int64_t waves = (int64_t)grid->n[0] * grid->m[1] * grid->half * tsl_poisson_complex(grid);
    /* several have no planes then, and so no lines */
    const bool padded = grid->m[1] > grid->n[1] && grid->lines && kernels->planes_bytes(grid) > 0;
    const int64_t least =
        padded && size < LEAST_PADDED ? kernels->alone_padded_bytes : kernels->alone_bytes;
    return waves < least ? 1 : size;
}

int tsl_staged_segments(const tsl_poisson_grid *grid, const tsl_poisson_share *share)
{
    const int64_t numbers = (int64_t)grid->n[0] * grid->m[1] * grid->half;
    const int group = share->p > share->q ? share->p : share->q;
    const int64_t least = grid->lines ? PLANES_BYTES : MESSAGE_BYTES;
    const int most = grid->lines ? MOST_OF_PLANES : MOST_SEGMENTS;
    const int64_t messages =
        numbers * tsl_poisson_complex(grid) / (share->p * share->q) / group / least;
    return messages < 1 ? 1 : messages > most ? most : (int)messages;
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
    int64_t rows, buffer, second, of_y, of_ky, ky, strips;
    int buffers;
    int64_t host; /* pinned: of one side of an exchange by way of it */
} sizes;

/* By planes: all columns of all planes as they are spread, and as lines; rows of each lane's batch.
 */
static sizes sizes_of_planes(const tsl_context *context, const tsl_poisson_grid *grid,
                             const tsl_poisson_share *share)
{
    const int64_t row = grid->row * tsl_poisson_complex(grid);
    const int planes = tsl_poisson_planes_of(share, grid, share->rank).count;
    const int chunk = tsl_staged_chunk(context, grid, share);
    const int chunks = (grid->row + chunk - 1) / chunk;
    const int64_t spread = (int64_t)planes * grid->m[1];
    const int most = (planes + share->segments - 1) / share->segments;
    const int of_mine = tsl_poisson_lines_of(share, grid, share->rank).count;
    const int64_t lines = (int64_t)grid->n[0] * of_mine;
    int64_t from_all = 0; /* planes of a segment */
    for (int a = 0; a < share->p; a++) {
        const int theirs = tsl_poisson_planes_of(share, grid, a).count;
        from_all += (theirs + share->segments - 1) / share->segments;
    }
    const int64_t near = (int64_t)most * grid->m[1];
    const int64_t far = from_all * of_mine;
    return (sizes){.host = (near > far ? near : far) * chunk * tsl_poisson_complex(grid),
                   .rows = TSL_STAGED_LANES * tsl_staged_batch(grid, share) * grid->m[1] * row,
                   .buffer = (spread > lines ? spread : lines) * row,
                   .buffers = 2,
                   .strips = chunks * grid->m[1] * (int64_t)sizeof(tsl_poisson_strip),
                   .ky = grid->m[1] * (int64_t)sizeof(int)};
}

static sizes sizes_of(const tsl_context *context, const tsl_poisson_grid *grid,
                      const tsl_poisson_share *share)
{
    const int a = share->rank / share->q;
    const int64_t columns = widest(grid, share) * tsl_poisson_complex(grid);
    const int64_t padded =
        (int64_t)grid->m[0] * tsl_poisson_lines_of(share, grid, a).count * columns;
    if (grid->lines) {
        return sizes_of_planes(context, grid, share);
    }
    sizes s = {.rows = rows_of(grid, share) * grid->row * tsl_poisson_complex(grid),
               .buffer = tsl_poisson_buffer_bytes(grid, share),
               .buffers = tsl_poisson_buffer_count(grid, share),
               .of_ky = grid->m[1] * 2 * (int64_t)sizeof(int)};
    s.host = s.buffer;
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

enum { ROWS, SECOND, FIRST = SECOND + TSL_STAGED_SIZES, ALL = FIRST + TSL_STAGED_SIZES };

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

static tsl_staged_pair *pair_of(tsl_poisson_solver *solver, int i)
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
        tsl_staged_pair *p = pair_of(solver, i);
        if (there.count > 0) {
            status = context->ops->fft->create(&p->forward, context, &there);
        }
        if (there.count > 0 && status == TSL_OK) {
            status = context->ops->fft->create(&p->backward, context, &back);
        }
    }
    return status;
}

int64_t tsl_staged_bytes(tsl_context *context, const tsl_poisson_grid *grid,
                         const tsl_poisson_share *share)
{
    if (share->p * share->q == 1) {
        return TSL_POISSON_SUMS_BYTES + (tsl_poisson_takes_part(share)
                                             ? context->ops->poisson->bytes(context, grid, share)
                                             : 0);
    }
    const sizes s = sizes_of(context, grid, share);
    int64_t bytes =
        s.rows + s.buffers * s.buffer + s.second + s.of_y + s.of_ky + TSL_POISSON_SUMS_BYTES;
    if (grid->lines) {
        return bytes + s.ky + s.strips + context->ops->poisson->kernels->planes_bytes(grid);
    }
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

void tsl_staged_destroy(tsl_poisson_solver *solver)
{
    if (solver == NULL) {
        return;
    }
    tsl_context *context = solver->context;
    void *const memory[] = {solver->ky,    solver->strips,       solver->rows, solver->second,
                            solver->of_ky, solver->rank.buffers, solver->of_y, solver->partial};
    context->ops->poisson->destroy(solver->alone);
    for (int lane = 0; lane < TSL_STAGED_LANES; lane++) {
        tsl_context_end_branch(solver->lanes[lane]);
    }
    tsl_context_end_branch(solver->beside); /* others have read what they get by then */
    context->ops->peer->destroy(solver->joined);
    for (int i = 0; i < ALL; i++) {
        context->ops->fft->destroy(pair_of(solver, i)->forward);
        context->ops->fft->destroy(pair_of(solver, i)->backward);
    }
    solver->kernels->planes_destroy(solver->planes);
    for (int lane = 0; lane < TSL_STAGED_LANES; lane++) {
        context->ops->peer->destroy(solver->computed[lane]);
        context->ops->peer->destroy(solver->exchanged[lane]);
    }
    for (size_t i = 0; i < sizeof memory / sizeof *memory; i++) {
        tsl_device_release(context, memory[i]);
    }
    if (solver->rank.host != NULL) {
        context->ops->peer->destroy_host(solver->rank.host);
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

/* What exchanges by way of the host go through; a rank with nothing to send takes part, too. */
static tsl_status take_host(tsl_poisson_solver *solver, int64_t bytes)
{
    tsl_poisson_rank *rank = &solver->rank;
    bytes = bytes > 0 ? bytes : 1;
    rank->host_bytes = bytes;
    rank->host = solver->context->ops->peer->create_host(solver->context, 2 * bytes);
    return rank->host != NULL
               ? TSL_OK
               : tsl_fail_memory(solver->context, 2 * bytes, "exchanges by way of the host");
}

static tsl_status take_memory(tsl_poisson_solver *solver)
{
    const sizes s = sizes_of(solver->context, &solver->rank.grid, &solver->rank.share);
    const struct {
        void *out;
        int64_t bytes;
    } all[] = {{&solver->rows, s.rows},     {&solver->rank.buffers, s.buffers * s.buffer},
               {&solver->second, s.second}, {&solver->of_ky, s.of_ky},
               {&solver->of_y, s.of_y},     {&solver->ky, s.ky},
               {&solver->strips, s.strips}};
    tsl_status status = TSL_OK;
    solver->rank.buffer = s.buffer;
    for (size_t i = 0; i < sizeof all / sizeof *all && status == TSL_OK; i++) {
        status = take(all[i].out, solver->context, all[i].bytes);
    }
    if (status == TSL_OK && solver->rank.share.path == TSL_POISSON_STAGED) {
        status = take_host(solver, s.host);
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
            const int ky = tsl_poisson_line(&lines, i);
            table[2 * ky] = rank->keeps && a == rank->share.rank / rank->share.q
                                ? -1 - (rank->x.begin * lines.count + i)
                                : rank->x.count * before + i;
            table[2 * ky + 1] = lines.count;
        }
        before += lines.count;
    }
}

static tsl_status make_tables(tsl_poisson_solver *solver)
{
    const sizes s = sizes_of(solver->context, &solver->rank.grid, &solver->rank.share);
    tsl_context *context = solver->context;
    const int64_t bytes = s.of_ky + s.of_y;
    int *table = tsl_allocate((size_t)bytes);
    if (table == NULL) {
        return tsl_fail_memory(context, bytes, "a Poisson plan");
    }
    int *second = table + s.of_ky / (int64_t)sizeof *table;
    fill_of_ky(table, &solver->rank);
    tsl_status status = context->ops->upload(context, solver->of_ky, table, s.of_ky);
    if (status == TSL_OK && s.of_y > 0) {
        fill_of_y(second, &solver->rank);
        status = context->ops->upload(context, solver->of_y, second, s.of_y);
    }
    tsl_release(table);
    return status;
}

/* ---- plans -------------------------------------------------------------------------------- */

/* Streams and events. */
static tsl_status make_lanes(tsl_poisson_solver *solver)
{
    tsl_context *context = solver->context;
    const tsl_peer_ops *peer = context->ops->peer;
    const bool lines = solver->rank.grid.lines;
    tsl_status status = peer->create(&solver->joined, context);
    if (status == TSL_OK) {
        status = tsl_context_branch(&solver->beside, context);
    }
    for (int lane = 0; lane < TSL_STAGED_LANES && status == TSL_OK; lane++) {
        status = peer->create(&solver->computed[lane], context);
        if (status == TSL_OK) {
            status = peer->create(&solver->exchanged[lane], context);
        }
        if (status == TSL_OK && lines) {
            status = tsl_context_branch(&solver->lanes[lane], context);
        }
    }
    return status;
}

/* What ranks that share a solve need. */
static tsl_status prepare(tsl_poisson_solver *solver)
{
    const bool lines = solver->rank.grid.lines;
    tsl_status status = take_memory(solver);
    if (status == TSL_OK) {
        status = lines ? tsl_staged_plan_planes(solver) : make_tables(solver);
    }
    if (status == TSL_OK && !lines) {
        status = plan_transforms(solver);
    }
    return status == TSL_OK ? make_lanes(solver) : status;
}

tsl_status tsl_staged_create(tsl_poisson_solver **out, tsl_context *context,
                             const tsl_poisson_grid *grid, const tsl_poisson_share *share,
                             const void *spectrum)
{
    const bool alone = share->p * share->q == 1;
    tsl_poisson_solver *solver = tsl_allocate_zeroed(1, sizeof *solver);
    if (solver == NULL) {
        return tsl_fail_memory(context, sizeof *solver, "a Poisson plan");
    }
    solver->context = context;
    solver->kernels = context->ops->poisson->kernels;
    solver->spectrum = spectrum;
    solver->direct = is_direct(grid, share);
    solver->batch = tsl_staged_batch(grid, share);
    solver->chunk = tsl_staged_chunk(context, grid, share);
    tsl_status status = tsl_poisson_rank_create(&solver->rank, context, grid, share);
    solver->rank.keeps = share->p > 1;
    if (status == TSL_OK) {
        status = take(&solver->partial, context, TSL_POISSON_SUMS_BYTES);
    }
    if (status == TSL_OK && !alone) {
        status = prepare(solver);
    } else if (status == TSL_OK && tsl_poisson_takes_part(share)) {
        status = context->ops->poisson->create(&solver->alone, context, grid, share, spectrum);
    }
    if (status != TSL_OK) {
        tsl_staged_destroy(solver);
        return status;
    }
    *out = solver;
    return TSL_OK;
}
