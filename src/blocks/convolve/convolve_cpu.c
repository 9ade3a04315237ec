/* Correlation on the CPU.
 *
 * A box fills b0 x b1 lines along the last axis. Forward: those lines; then the second axis of b0
 * planes; then the first axis, one block of lines at a time: forward, product, backward without
 * leaving the cache. Backward: second and last axis plane by plane. The grid passes through memory
 * twice instead of six times, and forward costs (b0 b1 / n0 n1 + b0 / n0 + 1) / 3 of a whole
 * transform.
 */
#include <omp.h>
#include <string.h>

#include "blocks/reduce/reduce.h"
#include "core/clones.h"
#include "core/context.h"

enum { BLOCK_BYTES = 256 * 1024 }; /* of lines along the first axis; half of a common L2 */

struct tsl_convolve {
    tsl_context *context;
    tsl_convolve_description what;
    tsl_grid_layout layout;
    int half;       /* n2 / 2 + 1 columns of a half spectrum */
    int row;        /* complex numbers from one row to the next */
    int block;      /* columns of a block, a multiple of 8; the last block may be narrower */
    void *spectrum; /* [n1][blocks][n0][block], scaled by 1 / cells */
    void *lines;    /* [threads][n0][block] */
    tsl_fft *box_rows, *plane_forward, *plane_backward, *rows_backward;
    tsl_fft *forward[2], *backward[2]; /* first axis: whole blocks and the last one */
    tsl_fft *whole_forward, *whole_backward;
    tsl_reduce *reduce;
};

#define TSL_TEMPLATE "blocks/convolve/convolve_cpu.inc"
#include "core/both_precisions.inc"

static tsl_grid_layout cpu_layout(const tsl_convolve_description *what)
{
    return tsl_grid_layout_aligned(what, 64);
}

/* The spectrum, and a block of lines for each thread. */
static int64_t cpu_bytes(const tsl_context *context, const tsl_convolve_description *what)
{
    const tsl_grid_layout layout = cpu_layout(what);
    return layout.member_bytes +
           (int64_t)context->threads * what->n[0] * layout.row * (int64_t)what->precision;
}

static int64_t complex_bytes(const tsl_convolve *plan)
{
    return 2 * (int64_t)plan->what.precision;
}

/* A batch of one-dimensional transforms: lines `distance` apart, elements `stride` apart. */
static tsl_fft_description lines_of(const tsl_convolve *plan, tsl_fft_kind kind, int n, int count)
{
    return (tsl_fft_description){.kind = kind,
                                 .precision = plan->what.precision,
                                 .rank = 1,
                                 .n = {n},
                                 .count = count,
                                 .in_place = true};
}

static tsl_status plan_lines(tsl_convolve *plan)
{
    const int *n = plan->what.n;
    const tsl_fft_layout reals = {{n[2]}, 1, plan->layout.row};
    const tsl_fft_layout halves = {{plan->half}, 1, plan->row};
    const tsl_fft_layout columns = {{n[1]}, plan->row, 1};
    tsl_fft_description what;
    tsl_status status = TSL_OK;

    what = lines_of(plan, TSL_FFT_REAL_FORWARD, n[2], plan->what.box[1]);
    what.in = reals;
    what.out = halves;
    status = tsl_fft_cpu.create(&plan->box_rows, plan->context, &what);
    if (status == TSL_OK) {
        what = lines_of(plan, TSL_FFT_REAL_BACKWARD, n[2], n[1]);
        what.in = halves;
        what.out = reals;
        status = tsl_fft_cpu.create(&plan->rows_backward, plan->context, &what);
    }
    what = lines_of(plan, TSL_FFT_FORWARD, n[1], plan->half);
    what.in = what.out = columns;
    if (status == TSL_OK) {
        status = tsl_fft_cpu.create(&plan->plane_forward, plan->context, &what);
    }
    what.kind = TSL_FFT_BACKWARD;
    if (status == TSL_OK) {
        status = tsl_fft_cpu.create(&plan->plane_backward, plan->context, &what);
    }
    const int widths[2] = {plan->block, (plan->half - 1) % plan->block + 1};
    for (int last = 0; last < 2 && status == TSL_OK; last++) {
        const tsl_fft_layout block = {{n[0]}, widths[last], 1};
        what = lines_of(plan, TSL_FFT_FORWARD, n[0], widths[last]);
        what.in = what.out = block;
        status = tsl_fft_cpu.create(&plan->forward[last], plan->context, &what);
        what = lines_of(plan, TSL_FFT_BACKWARD, n[0], widths[last]);
        what.in = what.out = block;
        if (status == TSL_OK) {
            status = tsl_fft_cpu.create(&plan->backward[last], plan->context, &what);
        }
    }
    return status;
}

/* Whole grids, in place: for the fixed grid, and for the plain form. */
static tsl_status plan_whole(tsl_convolve *plan)
{
    const int *n = plan->what.n;
    const tsl_fft_layout reals = {{n[0], n[1], plan->layout.row}, 1, 0};
    const tsl_fft_layout halves = {{n[0], n[1], plan->row}, 1, 0};
    tsl_fft_description what = {.kind = TSL_FFT_REAL_FORWARD,
                                .precision = plan->what.precision,
                                .rank = 3,
                                .n = {n[0], n[1], n[2]},
                                .count = 1,
                                .in = reals,
                                .out = halves,
                                .in_place = true};
    tsl_status status = tsl_fft_cpu.create(&plan->whole_forward, plan->context, &what);
    if (status == TSL_OK && plan->what.form == TSL_CONVOLVE_PLAIN) {
        what.kind = TSL_FFT_REAL_BACKWARD;
        what.in = halves;
        what.out = reals;
        status = tsl_fft_cpu.create(&plan->whole_backward, plan->context, &what);
    }
    return status;
}

static void cpu_destroy(tsl_convolve *plan)
{
    if (plan == NULL) {
        return;
    }
    tsl_fft *const all[] = {plan->box_rows,      plan->plane_forward, plan->plane_backward,
                            plan->rows_backward, plan->forward[0],    plan->forward[1],
                            plan->backward[0],   plan->backward[1],   plan->whole_forward,
                            plan->whole_backward};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        tsl_fft_cpu.destroy(all[i]);
    }
    tsl_reduce_cpu.destroy(plan->reduce);
    tsl_release(plan->spectrum);
    tsl_release(plan->lines);
    tsl_release(plan);
}

static tsl_status cpu_create(tsl_convolve **out, tsl_context *context,
                             const tsl_convolve_description *what)
{
    tsl_convolve *plan = tsl_allocate_zeroed(1, sizeof *plan);
    if (plan == NULL) {
        return tsl_fail_memory(context, sizeof *plan, "a correlation plan");
    }
    plan->context = context;
    plan->what = *what;
    plan->layout = cpu_layout(what);
    plan->half = what->n[2] / 2 + 1;
    plan->row = plan->layout.row / 2;
    const int64_t column_bytes = what->n[0] * complex_bytes(plan);
    const int blocks = (int)((plan->half * column_bytes + BLOCK_BYTES - 1) / BLOCK_BYTES);
    plan->block = ((plan->half + blocks - 1) / blocks + 7) / 8 * 8;
    const int64_t spectrum_bytes = (int64_t)what->n[1] * plan->half * column_bytes;
    const int64_t lines_bytes = context->threads * plan->block * column_bytes;
    plan->spectrum = tsl_allocate((size_t)spectrum_bytes);
    plan->lines = tsl_allocate((size_t)lines_bytes);
    tsl_status status = TSL_OK;
    if (plan->spectrum == NULL || plan->lines == NULL) {
        status = tsl_fail_memory(context, spectrum_bytes + lines_bytes, "the receptor's spectrum");
    } else {
        status = plan_lines(plan);
    }
    if (status == TSL_OK) {
        status = plan_whole(plan);
    }
    if (status == TSL_OK) {
        status = tsl_convolve_create_top(&plan->reduce, context, &plan->layout, what);
    }
    if (status != TSL_OK) {
        cpu_destroy(plan);
        return status;
    }
    *out = plan;
    return TSL_OK;
}

static int64_t cells(const tsl_convolve *plan)
{
    return (int64_t)plan->what.n[0] * plan->what.n[1] * plan->what.n[2];
}

/* Begin of the spectrum of columns [column, column + width) at row y. */
static void *spectrum_at(const tsl_convolve *plan, int y, int column)
{
    const int64_t offset = ((int64_t)y * plan->half + column) * plan->what.n[0];
    return (char *)plan->spectrum + offset * complex_bytes(plan);
}

static tsl_status cpu_set_fixed(tsl_convolve *plan, void *grid)
{
    const int *n = plan->what.n;
    tsl_fft_cpu.execute(plan->whole_forward, grid, grid);
#pragma omp parallel for num_threads(plan->context->threads)
    for (int y = 0; y < n[1]; y++) {
        for (int column = 0; column < plan->half; column += plan->block) {
            const int left = plan->half - column;
            const int width = left < plan->block ? left : plan->block;
            char *at = (char *)grid + ((int64_t)y * plan->row + column) * complex_bytes(plan);
            if (plan->what.precision == TSL_SINGLE) {
                keep_spectrum_single(plan, spectrum_at(plan, y, column), (const float *)at, width,
                                     1.0F / (float)cells(plan));
            } else {
                keep_spectrum_double(plan, spectrum_at(plan, y, column), (const double *)at, width,
                                     1.0 / (double)cells(plan));
            }
        }
    }
    return TSL_OK;
}

/* Bytes of plane x of a box to reals, last and second axis forward. */
static void forward_plane(const tsl_convolve *plan, const uint8_t *box, char *plane)
{
    const int *n = plan->what.n;
    const int *b = plan->what.box;
    const int64_t row_bytes = plan->row * complex_bytes(plan);
    if (plan->what.precision == TSL_SINGLE) {
        load_rows_single((float *)(void *)plane, plan->layout.row, box, b[1], b[2], n[2]);
    } else {
        load_rows_double((double *)(void *)plane, plan->layout.row, box, b[1], b[2], n[2]);
    }
    tsl_fft_cpu.execute(plan->box_rows, plane, plane);
    memset(plane + b[1] * row_bytes, 0, (size_t)((n[1] - b[1]) * row_bytes));
    tsl_fft_cpu.execute(plan->plane_forward, plane, plane);
}

/* First axis of one block of columns of row y: forward, product, backward. */
static void correlate_block(const tsl_convolve *plan, char *grid, int y, int column, void *lines)
{
    const int n0 = plan->what.n[0];
    const int left = plan->half - column;
    const int width = left < plan->block ? left : plan->block;
    const int last = left <= plan->block;
    const int64_t width_bytes = width * complex_bytes(plan);
    const int64_t plane_bytes = plan->what.n[1] * plan->row * complex_bytes(plan);
    char *at = grid + ((int64_t)y * plan->row + column) * complex_bytes(plan);
    char *line = lines;
    for (int x = 0; x < plan->what.box[0]; x++) {
        memcpy(line + x * width_bytes, at + x * plane_bytes, (size_t)width_bytes);
    }
    memset(line + plan->what.box[0] * width_bytes, 0,
           (size_t)((n0 - plan->what.box[0]) * width_bytes));
    tsl_fft_cpu.execute(plan->forward[last], lines, lines);
    if (plan->what.precision == TSL_SINGLE) {
        multiply_single(lines, spectrum_at(plan, y, column), (int64_t)n0 * width);
    } else {
        multiply_double(lines, spectrum_at(plan, y, column), (int64_t)n0 * width);
    }
    tsl_fft_cpu.execute(plan->backward[last], lines, lines);
    for (int x = 0; x < n0; x++) {
        memcpy(at + x * plane_bytes, line + x * width_bytes, (size_t)width_bytes);
    }
}

/* Planes [from, to) of one box forward along their own two axes. */
static void forward_planes(const tsl_convolve *plan, const uint8_t *box, char *grid, int from,
                           int to)
{
    const int *b = plan->what.box;
    const int64_t plane_bytes = plan->what.n[1] * plan->row * complex_bytes(plan);
    for (int x = from; x < to; x++) {
        forward_plane(plan, box + (int64_t)x * b[1] * b[2], grid + x * plane_bytes);
    }
}

/* Rows [from, to) along the first axis. */
static void correlate_rows(const tsl_convolve *plan, char *grid, int from, int to, void *lines)
{
    for (int y = from; y < to; y++) {
        for (int column = 0; column < plan->half; column += plan->block) {
            correlate_block(plan, grid, y, column, lines);
        }
    }
}

/* Planes [from, to) backward. */
static void backward_planes(const tsl_convolve *plan, char *grid, int from, int to)
{
    const int64_t plane_bytes = plan->what.n[1] * plan->row * complex_bytes(plan);
    for (int x = from; x < to; x++) {
        tsl_fft_cpu.execute(plan->plane_backward, grid + x * plane_bytes, grid + x * plane_bytes);
        tsl_fft_cpu.execute(plan->rows_backward, grid + x * plane_bytes, grid + x * plane_bytes);
    }
}

static void *lines_of_thread(const tsl_convolve *plan)
{
    const int64_t bytes = (int64_t)plan->what.n[0] * plan->block * complex_bytes(plan);
    return (char *)plan->lines + omp_get_thread_num() * bytes;
}

/* As many members as threads or more: each is one thread's from its first pass to its last, so that
 * it stays in that core's caches and no thread waits for another. */
static void execute_members(tsl_convolve *plan, int count, const uint8_t *boxes, char *grids)
{
    const int *n = plan->what.n;
    const int *b = plan->what.box;
    const int64_t box_bytes = (int64_t)b[0] * b[1] * b[2];
#pragma omp parallel for num_threads(plan->context->threads) schedule(dynamic)
    for (int member = 0; member < count; member++) {
        char *grid = grids + member * plan->layout.member_bytes;
        forward_planes(plan, boxes + member * box_bytes, grid, 0, b[0]);
        correlate_rows(plan, grid, 0, n[1], lines_of_thread(plan));
        backward_planes(plan, grid, 0, n[0]);
    }
}

/* One member, its planes shared out among the threads. */
static void execute_shared(tsl_convolve *plan, const uint8_t *box, char *grid)
{
    const int *n = plan->what.n;
#pragma omp parallel num_threads(plan->context->threads)
    {
#pragma omp for
        for (int x = 0; x < plan->what.box[0]; x++) {
            forward_planes(plan, box, grid, x, x + 1);
        }
#pragma omp for
        for (int y = 0; y < n[1]; y++) {
            correlate_rows(plan, grid, y, y + 1, lines_of_thread(plan));
        }
#pragma omp for
        for (int x = 0; x < n[0]; x++) {
            backward_planes(plan, grid, x, x + 1);
        }
    }
}

static void execute_plain(tsl_convolve *plan, int count, const uint8_t *boxes, char *grids)
{
    const int *n = plan->what.n;
    const int *b = plan->what.box;
    const int64_t plane_bytes = n[1] * plan->row * complex_bytes(plan);
#pragma omp parallel for num_threads(plan->context->threads) schedule(static)
    for (int member = 0; member < count; member++) {
        char *grid = grids + member * plan->layout.member_bytes;
        memset(grid, 0, (size_t)plan->layout.member_bytes);
        for (int x = 0; x < b[0]; x++) {
            const uint8_t *box = boxes + ((int64_t)member * b[0] + x) * b[1] * b[2];
            char *plane = grid + x * plane_bytes;
            if (plan->what.precision == TSL_SINGLE) {
                load_rows_single((float *)(void *)plane, plan->layout.row, box, b[1], b[2], n[2]);
            } else {
                load_rows_double((double *)(void *)plane, plan->layout.row, box, b[1], b[2], n[2]);
            }
        }
        tsl_fft_cpu.execute(plan->whole_forward, grid, grid);
        if (plan->what.precision == TSL_SINGLE) {
            multiply_grid_single(plan, (float *)(void *)grid);
        } else {
            multiply_grid_double(plan, (double *)(void *)grid);
        }
        tsl_fft_cpu.execute(plan->whole_backward, grid, grid);
    }
}

static tsl_status cpu_execute(tsl_convolve *plan, int count, const uint8_t *boxes, void *grids)
{
    const int *b = plan->what.box;
    const int64_t box_bytes = (int64_t)b[0] * b[1] * b[2];
    if (plan->what.form == TSL_CONVOLVE_PLAIN) {
        execute_plain(plan, count, boxes, grids);
        return TSL_OK;
    }
    const int whole = count - count % plan->context->threads;
    execute_members(plan, whole, boxes, grids);
    for (int member = whole; member < count; member++) {
        execute_shared(plan, boxes + member * box_bytes,
                       (char *)grids + member * plan->layout.member_bytes);
    }
    return TSL_OK;
}

/* The grids are finished as they are. */
static tsl_status cpu_store(tsl_convolve *plan, int count, void *grids)
{
    (void)plan, (void)count, (void)grids;
    return TSL_OK;
}

static tsl_status cpu_top(tsl_convolve *plan, const void *grids, int first, int count, int k,
                          int64_t *after, int64_t *keys, int *found, float *error)
{
    return tsl_reduce_cpu.top(plan->reduce, (const char *)grids + first * plan->layout.member_bytes,
                              count, k, after, keys, found, error);
}

const tsl_convolve_ops tsl_convolve_cpu = {.layout = cpu_layout,
                                           .bytes = cpu_bytes,
                                           .create = cpu_create,
                                           .destroy = cpu_destroy,
                                           .set_fixed = cpu_set_fixed,
                                           .execute = cpu_execute,
                                           .store = cpu_store,
                                           .top = cpu_top};
