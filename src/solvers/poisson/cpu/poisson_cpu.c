/* Poisson's equation on the CPU: plans, rows and sums.
 *
 * Where the second axis is periodic and its planes are this rank's own, planes are transformed
 * whole and the array passes through memory three times: planes, lines, planes. Else it is rows,
 * columns a block at a time, rows; a block's work space is padded along the second axis only. Lines
 * along the first axis are padded, multiplied and cut in cache. */
#include <omp.h>
#include <string.h>

#include "core/clones.h"
#include "core/context.h"
#include "device/device.h"
#include "solvers/poisson/cpu/poisson_cpu.h"

#define TSL_TEMPLATE "solvers/poisson/cpu/poisson_cpu.inc"
#include "core/both_precisions.inc"

/* ---- memory ------------------------------------------------------------------------------- */

enum { LINE = 64, PAGE = 4096 };

/* Rows and blocks begin on multiples of 64 bytes. Of the widths of two to four times that, the one
 * that leaves the least of the last block empty. */
static void cpu_layout(const tsl_context *context, tsl_poisson_grid *grid,
                       const tsl_poisson_share *share)
{
    (void)context;
    grid->lines = false;
    const int step = LINE / (int)tsl_poisson_complex(grid);
    const int columns = (grid->half + share->q - 1) / share->q; /* of a rank at most */
    int64_t best = INT64_MAX;
    grid->row = (grid->half + step - 1) / step * step;
    for (int width = 4 * step; width >= 2 * step; width -= step) {
        const int blocks = (columns + width - 1) / width;
        if ((int64_t)blocks * width < best) {
            best = (int64_t)blocks * width;
            grid->width = width;
        }
    }
    grid->blocks = (grid->z_count + grid->width - 1) / grid->width;
}

/* Segments of an exchange: one for each block of columns, of the rank that has most. */
static int cpu_segments(const tsl_poisson_grid *grid, const tsl_poisson_share *share)
{
    const int most = (grid->half + share->q - 1) / share->q;
    return (most + grid->width - 1) / grid->width;
}

/* From one plane of rows to the next: lines along the first axis, a page or more apart, would share
 * few sets of a cache if that were a multiple of pages. */
static int64_t plane_bytes(const tsl_poisson_grid *grid, const tsl_poisson_share *share)
{
    const tsl_poisson_rows mine = tsl_poisson_rows_of(share, grid, share->rank);
    const int64_t bytes = (int64_t)mine.y.count * grid->row * tsl_poisson_complex(grid);
    return bytes % PAGE == 0 ? bytes + LINE : bytes;
}

static int64_t rows_bytes(const tsl_poisson_grid *grid, const tsl_poisson_share *share)
{
    const int64_t bytes =
        tsl_poisson_rows_of(share, grid, share->rank).x.count * plane_bytes(grid, share);
    return bytes > LINE ? bytes : LINE;
}

/* Bytes of a buffer, and how many there are. */
static int64_t buffer_bytes(const tsl_poisson_grid *grid, const tsl_poisson_share *share,
                            int64_t *count)
{
    const int64_t bytes = tsl_poisson_buffer_bytes(grid, share);
    *count = tsl_poisson_buffer_count(grid, share);
    return bytes > LINE ? bytes : LINE;
}

static int64_t scratch_bytes(const tsl_poisson_grid *grid)
{
    const int64_t longest = grid->m[0] > grid->m[1] ? grid->m[0] : grid->m[1];
    return longest * grid->width * tsl_poisson_complex(grid);
}

static int64_t cpu_bytes(tsl_context *context, const tsl_poisson_grid *grid,
                         const tsl_poisson_share *share)
{
    int64_t count;
    const int64_t buffer = buffer_bytes(grid, share, &count);
    return rows_bytes(grid, share) + count * buffer + context->threads * scratch_bytes(grid);
}

/* A strided transform is planned on an array of its own, all that its lines span. */
static int64_t cpu_planning_bytes(const tsl_poisson_grid *grid, const tsl_poisson_share *share)
{
    int64_t count;
    const int64_t rows = rows_bytes(grid, share);
    const int64_t buffer = buffer_bytes(grid, share, &count);
    return !grid->strided ? 0 : count > 0 && buffer > rows ? buffer : rows;
}

static tsl_status take(char **out, tsl_context *context, int64_t bytes)
{
    void *memory = NULL;
    const tsl_status status = bytes == 0 ? TSL_OK
                                         : tsl_device_allocate(&memory, context, bytes,
                                                               "the work space of a Poisson plan");
    *out = memory;
    return status;
}

static tsl_status take_memory(tsl_poisson_solver *solver)
{
    const tsl_poisson_share *share = &solver->rank.share;
    int64_t count;
    solver->plane = plane_bytes(&solver->rank.grid, share);
    solver->rank.buffer = buffer_bytes(&solver->rank.grid, share, &count);
    solver->a_scratch = scratch_bytes(&solver->rank.grid);
    tsl_status status = take(&solver->rows, solver->context, rows_bytes(&solver->rank.grid, share));
    if (status == TSL_OK) {
        status = take(&solver->rank.buffers, solver->context, count * solver->rank.buffer);
    }
    if (status == TSL_OK) {
        status =
            take(&solver->scratch, solver->context, solver->context->threads * solver->a_scratch);
    }
    return status;
}

/* ---- plans -------------------------------------------------------------------------------- */

static void cpu_destroy(tsl_poisson_solver *solver)
{
    if (solver == NULL) {
        return;
    }
    tsl_fft *const all[] = {solver->rows_forward,    solver->rows_backward, solver->second_forward,
                            solver->second_backward, solver->first_forward, solver->first_backward};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        tsl_fft_cpu.destroy(all[i]);
    }
    for (int i = 0; i < TSL_STANDING_SIZES * TSL_STANDING_PARTS * 2; i++) {
        tsl_fft_cpu.destroy((&solver->standing[0][0][0])[i]);
    }
    tsl_poisson_rank_release(&solver->rank);
    tsl_device_release(solver->context, solver->rows);
    tsl_device_release(solver->context, solver->rank.buffers);
    tsl_device_release(solver->context, solver->scratch);
    tsl_release(solver);
}

/* A pair of transforms in place. */
static tsl_status plan_pair(tsl_poisson_solver *solver, tsl_fft **forward, tsl_fft **backward,
                            tsl_fft_description what, const tsl_fft_layout *space,
                            const tsl_fft_layout *waves)
{
    const bool real = what.kind == TSL_FFT_REAL_FORWARD;
    what.precision = solver->rank.grid.precision;
    what.in_place = true;
    what.estimate = solver->rank.grid.estimate;
    what.in = *space;
    what.out = *waves;
    const tsl_status status = tsl_fft_cpu.create(forward, solver->context, &what);
    what.kind = real ? TSL_FFT_REAL_BACKWARD : TSL_FFT_BACKWARD;
    what.in = *waves;
    what.out = *space;
    return status != TSL_OK ? status : tsl_fft_cpu.create(backward, solver->context, &what);
}

/* Plan the transforms of the rows of a plane, along the last axis alone or along the last two. */
static tsl_status plan_rows(tsl_poisson_solver *solver)
{
    const tsl_poisson_grid *grid = &solver->rank.grid;
    const int ny = solver->rank.mine.y.count;
    tsl_fft_layout reals = {{grid->m[2]}, 1, 2 * grid->row};
    tsl_fft_layout halves = {{grid->half}, 1, grid->row};
    tsl_fft_description row = {
        .kind = TSL_FFT_REAL_FORWARD, .rank = 1, .n = {grid->m[2]}, .count = ny};
    if (solver->rank.planes) {
        reals = (tsl_fft_layout){{ny, 2 * grid->row}, 1, 0};
        halves = (tsl_fft_layout){{ny, grid->row}, 1, 0};
        row = (tsl_fft_description){
            .kind = TSL_FFT_REAL_FORWARD, .rank = 2, .n = {ny, grid->m[2]}, .count = 1};
    }
    return ny == 0 ? TSL_OK
                   : plan_pair(solver, &solver->rows_forward, &solver->rows_backward, row, &reals,
                               &halves);
}

static tsl_status plan_columns(tsl_poisson_solver *solver, int axis, tsl_fft **forward,
                               tsl_fft **backward)
{
    const tsl_poisson_grid *grid = &solver->rank.grid;
    const tsl_fft_layout layout = {{grid->m[axis]}, grid->width, 1};
    const tsl_fft_description column = {
        .kind = TSL_FFT_FORWARD, .rank = 1, .n = {grid->m[axis]}, .count = grid->width};
    return plan_pair(solver, forward, backward, column, &layout, &layout);
}

/* Lines along the first axis where they stand, of a segment's size and a part of a piece. */
static tsl_status plan_standing(tsl_poisson_solver *solver, int size, int part)
{
    const tsl_poisson_rank *rank = &solver->rank;
    const tsl_poisson_grid *grid = &rank->grid;
    const int all =
        tsl_poisson_columns_of(&rank->share, grid, rank->share.rank % rank->share.q).count;
    const int columns = size == 1 ? all % rank->share.span : rank->share.span;
    const tsl_poisson_standing s = tsl_poisson_standing_of(rank, solver->plane, columns);
    const int count = part == 1 ? s.run % grid->width : grid->width;
    const tsl_fft_layout layout = {{grid->m[0]}, (int)s.pitch, 1};
    const tsl_fft_description lines = {
        .kind = TSL_FFT_FORWARD, .rank = 1, .n = {grid->m[0]}, .count = count};
    tsl_fft **pair = solver->standing[size][part];
    return rank->lines.count == 0 || columns > all || count == 0 || s.run < count
               ? TSL_OK
               : plan_pair(solver, &pair[0], &pair[1], lines, &layout, &layout);
}

static tsl_status plan_transforms(tsl_poisson_solver *solver)
{
    tsl_status status = plan_rows(solver);
    if (status == TSL_OK && !solver->rank.planes) {
        status = plan_columns(solver, 1, &solver->second_forward, &solver->second_backward);
    }
    if (!solver->rank.grid.strided) {
        return status == TSL_OK
                   ? plan_columns(solver, 0, &solver->first_forward, &solver->first_backward)
                   : status;
    }
    for (int i = 0; i < TSL_STANDING_SIZES * TSL_STANDING_PARTS && status == TSL_OK; i++) {
        status = plan_standing(solver, i / TSL_STANDING_PARTS, i % TSL_STANDING_PARTS);
    }
    return status;
}

static tsl_status cpu_divide(tsl_poisson_solver *solver)
{
    return tsl_poisson_rank_divide(&solver->rank);
}

static tsl_status cpu_create(tsl_poisson_solver **out, tsl_context *context,
                             const tsl_poisson_grid *grid, const tsl_poisson_share *share,
                             const void *spectrum)
{
    tsl_poisson_solver *solver = tsl_allocate_zeroed(1, sizeof *solver);
    if (solver == NULL) {
        return tsl_fail_memory(context, sizeof *solver, "a Poisson plan");
    }
    solver->context = context;
    solver->spectrum = spectrum;
    tsl_status status = tsl_poisson_rank_create(&solver->rank, context, grid, share);
    if (status == TSL_OK) {
        status = take_memory(solver);
    }
    if (status == TSL_OK) {
        solver->rank.rows = solver->rows;
        solver->rank.plane = solver->plane;
        status = plan_transforms(solver);
    }
    if (status != TSL_OK) {
        cpu_destroy(solver);
        return status;
    }
    *out = solver;
    return TSL_OK;
}

/* ---- solving ------------------------------------------------------------------------------ */

/* Plane x of this rank: cells to rows, padded with zeros, along the last axis or both; or back. */
static void transform_rows(const tsl_poisson_solver *solver, char *cells, int x, bool there)
{
    const tsl_poisson_grid *grid = &solver->rank.grid;
    const int ny = solver->rank.mine.y.count;
    const size_t row = (size_t)grid->n[2] * grid->precision;
    const size_t padding = (size_t)(grid->m[2] - grid->n[2]) * grid->precision;
    const int64_t pitch = grid->row * tsl_poisson_complex(grid);
    char *plane = solver->rows + x * solver->plane;
    cells += (int64_t)x * ny * (int64_t)row;
    if (!there) {
        tsl_fft_cpu.execute(solver->rows_backward, plane, plane);
    }
    for (int y = 0; y < ny; y++) {
        if (there) {
            memcpy(plane + y * pitch, cells + y * (int64_t)row, row);
            memset(plane + y * pitch + row, 0, padding);
        } else {
            memcpy(cells + y * (int64_t)row, plane + y * pitch, row);
        }
    }
    if (there) {
        tsl_fft_cpu.execute(solver->rows_forward, plane, plane);
    }
}

/* Threads for transforms that read and write so many bytes. */
static int threads_for(const tsl_poisson_solver *solver, int64_t bytes)
{
    return tsl_threads_for(solver->context, bytes / solver->rank.grid.precision);
}

static void transform_all_rows(const tsl_poisson_solver *solver, char *cells, bool there)
{
    const int planes = solver->rank.mine.y.count > 0 ? solver->rank.mine.x.count : 0;
    const tsl_poisson_grid *grid = &solver->rank.grid;
    const int64_t bytes =
        (int64_t)planes * solver->rank.mine.y.count *
        (grid->n[2] * (int64_t)grid->precision + grid->row * tsl_poisson_complex(grid));
#pragma omp parallel for num_threads(threads_for(solver, bytes)) schedule(dynamic)
    for (int x = 0; x < planes; x++) {
        transform_rows(solver, cells, x, there);
    }
    tsl_poisson_end_stage(solver->rank.times, solver->context,
                          solver->rank.planes ? TSL_TIMED_PLANES : TSL_TIMED_ROWS, bytes);
}

static tsl_poisson_timed timed_as(const tsl_poisson_rank *rank, tsl_poisson_stage stage)
{
    switch (stage) {
    case TSL_POISSON_FIRST:
        return TSL_TIMED_FIRST_FUSED;
    case TSL_POISSON_SECOND:
    case TSL_POISSON_SECOND_BACK:
        return rank->planes ? TSL_TIMED_PACKING : TSL_TIMED_SECOND;
    default:
        return TSL_TIMED_PACKING;
    }
}

/* What a stage reads and writes of the arrays of segments.h. */
static int64_t stage_bytes(const tsl_poisson_rank *rank, tsl_poisson_stage stage, int segment)
{
    const tsl_poisson_grid *grid = &rank->grid;
    int64_t columns = tsl_poisson_columns_in(rank, segment).count;
    int64_t lengths = 0;
    switch (stage) {
    case TSL_POISSON_FIRST:
        lengths = (int64_t)grid->n[0] * rank->lines.count * 2;
        break;
    case TSL_POISSON_SECOND:
    case TSL_POISSON_SECOND_BACK:
        lengths = (int64_t)rank->x.count * (grid->n[1] + grid->m[1]);
        break;
    default:
        lengths = (int64_t)rank->mine.x.count * rank->mine.y.count * 2;
        columns = 0;
        for (int b = 0; b < rank->share.q; b++) {
            columns += tsl_poisson_segment_of(&rank->share, grid, b, segment).count;
        }
    }
    return lengths * columns * tsl_poisson_complex(grid);
}

/* Items that a thread takes at once. Threads that write neighbouring rows of the same planes take
 * lines of each other's caches, whose prefetching reaches that far: parts are long, and enough for
 * threads of unlike speed to end together. */
static int64_t taken_at_once(const tsl_poisson_solver *solver, int64_t items)
{
    enum { PARTS = 8 };
    const int64_t taken = items / (PARTS * (int64_t)solver->context->threads);
    return taken > 1 ? taken : 1;
}

/* The calling thread exchanges before it helps to compute. */
static tsl_status run(void *user, const tsl_poisson_tick *now)
{
    const tsl_poisson_solver *solver = user;
    tsl_status status = TSL_OK;
    int64_t bytes = 0;
    for (int i = 0; i < now->count; i++) {
        bytes += stage_bytes(&solver->rank, now->stages[i], now->segments[i]);
    }
#pragma omp parallel num_threads(threads_for(solver, bytes))
    {
#pragma omp master
        if (now->group >= 0) {
            status = tsl_poisson_exchange(&solver->rank, NULL, now);
        }
        for (int i = 0; i < now->count; i++) {
            const int64_t items = tsl_poisson_items(solver, now->stages[i], now->segments[i]);
#pragma omp for schedule(dynamic, taken_at_once(solver, items))
            for (int64_t item = 0; item < items; item++) {
                tsl_poisson_item(solver, now->stages[i], now->segments[i], now->lane, item);
            }
#pragma omp master
            tsl_poisson_end_stage(solver->rank.times, solver->context,
                                  timed_as(&solver->rank, now->stages[i]),
                                  stage_bytes(&solver->rank, now->stages[i], now->segments[i]));
        }
    }
    return status;
}

static void cpu_time(tsl_poisson_solver *solver, tsl_poisson_times *times)
{
    solver->rank.times = times;
}

static tsl_status cpu_solve(tsl_poisson_solver *solver, void *out, const void *source, int axis)
{
    solver->axis = axis;
    transform_all_rows(solver, (char *)(uintptr_t)source, true);
    const tsl_status status = tsl_poisson_run_segments(&solver->rank, run, solver);
    if (status == TSL_OK) {
        transform_all_rows(solver, out, false);
    }
    return status;
}

static tsl_status cpu_sums(tsl_poisson_solver *solver, double sums[3], const void *a, const void *b,
                           int64_t cells)
{
    enum { PIECE = 1 << 16 };
    double plain = 0, absolute = 0, products = 0;
#pragma omp parallel for num_threads(tsl_threads_for(solver->context, cells))                                     \
    reduction(+ : plain, absolute, products)
    for (int64_t at = 0; at < cells; at += PIECE) {
        const int64_t count = cells - at < PIECE ? cells - at : PIECE;
        double of_piece[3] = {0};
        if (solver->rank.grid.precision == TSL_SINGLE) {
            sum_cells_single(of_piece, (const float *)a + at, (const float *)b + at, count);
        } else {
            sum_cells_double(of_piece, (const double *)a + at, (const double *)b + at, count);
        }
        plain += of_piece[0];
        absolute += of_piece[1];
        products += of_piece[2];
    }
    sums[0] = plain;
    sums[1] = absolute;
    sums[2] = products;
    return TSL_OK;
}

const tsl_poisson_ops tsl_poisson_cpu = {.memory_is_host = true,
                                         .layout = cpu_layout,
                                         .segments = cpu_segments,
                                         .bytes = cpu_bytes,
                                         .planning_bytes = cpu_planning_bytes,
                                         .create = cpu_create,
                                         .divide = cpu_divide,
                                         .time = cpu_time,
                                         .destroy = cpu_destroy,
                                         .solve = cpu_solve,
                                         .sums = cpu_sums};
