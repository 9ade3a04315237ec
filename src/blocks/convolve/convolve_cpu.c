/* Correlation on the CPU.
 *
 * A box fills b0 x b1 lines along the last axis. Forward: those lines; then the second axis of b0
 * planes; then the first axis, one block of lines at a time: forward, product, backward without
 * leaving the cache. Backward: second and last axis plane by plane. The grid passes through memory
 * twice instead of six times, and forward costs (b0 b1 / n0 n1 + b0 / n0 + 1) / 3 of a whole
 * transform. Each of the slower axes goes strided or transposed, whichever was measured to be
 * faster: columns.h.
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
    int half;  /* n2 / 2 + 1 columns of a half spectrum */
    int row;   /* complex numbers from one row to the next */
    int block; /* columns of a block, a multiple of 8; the last block may be narrower */
    /* [terms][n1][blocks][n0 * block], a block in its lines' order; scaled by 1 / cells */
    void *spectrum;
    int64_t a_spectrum; /* complex numbers of a term's */
    int64_t a_scratch;
    char *scratch; /* [threads][a_scratch]: columns */
    int64_t a_work;
    char *work; /* [threads][a_work], with terms: their planes, a sum of columns; or a grid */
    tsl_fft *box_rows, *rows_backward;
    tsl_columns planes;   /* second axis */
    tsl_columns lines[2]; /* first axis: whole blocks and the last one */
    tsl_fft *whole_forward, *whole_backward;
    tsl_reduce *reduce;
};

/* Where the spectrum has line x and column i of a block: at x * stride + i * distance. */
static int block_stride(const tsl_convolve *plan, int width)
{
    return plan->what.form == TSL_CONVOLVE_PLAIN ? width : plan->lines[width < plan->block].stride;
}

static int block_distance(const tsl_convolve *plan)
{
    return plan->what.form == TSL_CONVOLVE_PLAIN ? 1 : plan->lines[0].distance;
}

#define TSL_TEMPLATE "blocks/convolve/convolve_cpu.inc"
#include "core/both_precisions.inc"

static tsl_grid_layout cpu_layout(const tsl_convolve_description *what)
{
    return tsl_grid_layout_aligned(what, 64);
}

/* What a thread needs besides to add terms up: planes of each, and a sum of columns; or, of the
 * plain form, a grid. */
static int64_t work_bytes(const tsl_convolve_description *what)
{
    const tsl_grid_layout layout = cpu_layout(what);
    const int64_t plane = layout.member_bytes / what->n[0];
    const int64_t sum = (int64_t)what->n[0] * layout.row * (int64_t)what->precision;
    return what->terms == 0                   ? 0
           : what->form == TSL_CONVOLVE_PLAIN ? layout.member_bytes
                                              : what->terms * what->box[0] * plane + sum;
}

static int spectra(const tsl_convolve_description *what)
{
    return what->terms > 0 ? what->terms : 1;
}

/* Spectra, and columns of a plane or a block for each thread. */
static int64_t cpu_bytes(const tsl_context *context, const tsl_convolve_description *what)
{
    const tsl_grid_layout layout = cpu_layout(what);
    const int longest = what->n[0] > what->n[1] ? what->n[0] : what->n[1];
    return spectra(what) * layout.member_bytes +
           context->threads *
               (work_bytes(what) + (int64_t)longest * layout.row * (int64_t)what->precision);
}

static int64_t complex_bytes(const tsl_convolve *plan)
{
    return 2 * (int64_t)plan->what.precision;
}

/* Rows of a plane. */
static tsl_status plan_rows(tsl_convolve *plan)
{
    const int *n = plan->what.n;
    const tsl_fft_layout reals = {{n[2]}, 1, plan->layout.row};
    const tsl_fft_layout halves = {{plan->half}, 1, plan->row};
    tsl_fft_description what = {.kind = TSL_FFT_REAL_FORWARD,
                                .precision = plan->what.precision,
                                .rank = 1,
                                .n = {n[2]},
                                .count = plan->what.box[1],
                                .in = reals,
                                .out = halves,
                                .in_place = true,
                                .patience = plan->what.patience};
    const tsl_status status = tsl_fft_cpu.create(&plan->box_rows, plan->context, &what);
    what.kind = TSL_FFT_REAL_BACKWARD;
    what.count = n[1];
    what.in = halves;
    what.out = reals;
    return status == TSL_OK ? tsl_fft_cpu.create(&plan->rows_backward, plan->context, &what)
                            : status;
}

/* Columns of a block: whole lines of them fit the cache. The plain form needs no blocks. */
static int block_of(const tsl_convolve_description *what)
{
    const int half = what->n[2] / 2 + 1;
    const int64_t column_bytes = what->n[0] * 2 * (int64_t)what->precision;
    const int blocks = (int)((half * column_bytes + BLOCK_BYTES - 1) / BLOCK_BYTES);
    const int block = ((half + blocks - 1) / blocks + 7) / 8 * 8;
    return block > half || what->form == TSL_CONVOLVE_PLAIN ? half : block;
}

tsl_columns_description tsl_convolve_columns(const tsl_convolve_description *what, int axis)
{
    static const tsl_columns_way ways[] = {[TSL_CONVOLVE_LINES] = TSL_COLUMNS_FASTER,
                                           [TSL_CONVOLVE_STRIDED] = TSL_COLUMNS_STRIDED,
                                           [TSL_CONVOLVE_TRANSPOSED] = TSL_COLUMNS_TRANSPOSED};
    const int row = cpu_layout(what).row / 2;
    tsl_columns_way way = ways[what->form];
    if (way == TSL_COLUMNS_FASTER && what->transposed != NULL) {
        way = *what->transposed >> axis & 1 ? TSL_COLUMNS_TRANSPOSED : TSL_COLUMNS_STRIDED;
    }
    return (tsl_columns_description){.precision = what->precision,
                                     .n = what->n[axis],
                                     .count = axis == 0 ? block_of(what) : what->n[2] / 2 + 1,
                                     .pitch = axis == 0 ? what->n[1] * row : row,
                                     .aside = axis == 0,
                                     .way = way,
                                     .patience = what->patience};
}

static tsl_status plan_columns(tsl_convolve *plan)
{
    const tsl_columns_description planes = tsl_convolve_columns(&plan->what, 1);
    tsl_columns_description lines = tsl_convolve_columns(&plan->what, 0);
    tsl_status status = tsl_columns_create(&plan->planes, plan->context, &planes);
    if (status == TSL_OK) {
        status = tsl_columns_create(&plan->lines[0], plan->context, &lines);
    }
    lines.way = plan->lines[0].what.way;
    lines.count = plan->half % plan->block;
    return status == TSL_OK && lines.count > 0
               ? tsl_columns_create(&plan->lines[1], plan->context, &lines)
               : status;
}

/* Whole grids, in place: for the fixed grid, and for the plain form. */
static tsl_status plan_whole(tsl_convolve *plan)
{
    const int *n = plan->what.n;
    const bool plain = plan->what.form == TSL_CONVOLVE_PLAIN;
    const tsl_fft_layout reals = {{n[0], n[1], plan->layout.row}, 1, 0};
    const tsl_fft_layout halves = {{n[0], n[1], plan->row}, 1, 0};
    tsl_fft_description what = {.kind = TSL_FFT_REAL_FORWARD,
                                .precision = plan->what.precision,
                                .rank = 3,
                                .n = {n[0], n[1], n[2]},
                                .count = 1,
                                .in = reals,
                                .out = halves,
                                .in_place = true,
                                .seldom = !plain,
                                .patience = plan->what.patience};
    tsl_status status = tsl_fft_cpu.create(&plan->whole_forward, plan->context, &what);
    if (status == TSL_OK && plain) {
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
    tsl_fft *const all[] = {plan->box_rows, plan->rows_backward, plan->whole_forward,
                            plan->whole_backward};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        tsl_fft_cpu.destroy(all[i]);
    }
    tsl_columns_destroy(&plan->planes);
    tsl_columns_destroy(&plan->lines[0]);
    tsl_columns_destroy(&plan->lines[1]);
    tsl_reduce_cpu.destroy(plan->reduce);
    tsl_release(plan->spectrum);
    tsl_release(plan->scratch);
    tsl_release(plan->work);
    tsl_release(plan);
}

/* Columns of a plane, or of a block. */
static tsl_status take_memory(tsl_convolve *plan)
{
    const int64_t planes = tsl_columns_scratch(&plan->planes);
    const int64_t lines = tsl_columns_scratch(&plan->lines[0]);
    plan->a_spectrum = (int64_t)plan->what.n[0] * plan->what.n[1] * plan->half;
    const int64_t spectrum_bytes = spectra(&plan->what) * plan->a_spectrum * complex_bytes(plan);
    plan->a_scratch = ((planes > lines ? planes : lines) * complex_bytes(plan) / 64 + 1) * 64;
    const int64_t scratch_bytes = plan->context->threads * plan->a_scratch;
    plan->a_work = (work_bytes(&plan->what) + 63) / 64 * 64;
    const int64_t all_work = plan->context->threads * plan->a_work;
    plan->spectrum = tsl_allocate((size_t)spectrum_bytes);
    plan->scratch = tsl_allocate((size_t)scratch_bytes);
    plan->work = all_work > 0 ? tsl_allocate((size_t)all_work) : NULL;
    return plan->spectrum == NULL || plan->scratch == NULL || (all_work > 0 && plan->work == NULL)
               ? tsl_fail_memory(plan->context, spectrum_bytes + scratch_bytes + all_work,
                                 "the receptor's spectrum")
               : TSL_OK;
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
    plan->block = block_of(what);
    tsl_status status = TSL_OK;
    if (what->form != TSL_CONVOLVE_PLAIN) {
        status = plan_rows(plan);
        if (status == TSL_OK) {
            status = plan_columns(plan);
        }
    }
    if (status == TSL_OK) {
        status = plan_whole(plan);
    }
    if (status == TSL_OK) {
        status = take_memory(plan);
    }
    if (status == TSL_OK) {
        status = tsl_convolve_create_top(&plan->reduce, context, &plan->layout, what);
    }
    if (status != TSL_OK) {
        cpu_destroy(plan);
        return status;
    }
    plan->what.patience = NULL; /* the caller's, for planning */
    plan->what.transposed = NULL;
    *out = plan;
    return TSL_OK;
}

static int64_t cells(const tsl_convolve *plan)
{
    return (int64_t)plan->what.n[0] * plan->what.n[1] * plan->what.n[2];
}

/* Begin of a term's spectrum of columns [column, column + width) at row y. */
static void *spectrum_at(const tsl_convolve *plan, int term, int y, int column)
{
    const int64_t offset =
        term * plan->a_spectrum + ((int64_t)y * plan->half + column) * plan->what.n[0];
    return (char *)plan->spectrum + offset * complex_bytes(plan);
}

static tsl_status cpu_set_term(tsl_convolve *plan, int term, void *grid)
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
                keep_spectrum_single(plan, spectrum_at(plan, term, y, column), (const float *)at,
                                     width, 1.0F / (float)cells(plan));
            } else {
                keep_spectrum_double(plan, spectrum_at(plan, term, y, column), (const double *)at,
                                     width, 1.0 / (double)cells(plan));
            }
        }
    }
    return TSL_OK;
}

static tsl_status cpu_set_fixed(tsl_convolve *plan, void *grid)
{
    return cpu_set_term(plan, 0, grid);
}

/* The calling thread's. */
static void *scratch_of(const tsl_convolve *plan)
{
    return plan->scratch + omp_get_thread_num() * plan->a_scratch;
}

/* The rows of a box's plane, bytes or integers, to reals. */
static void load_plane(const tsl_convolve *plan, const void *box, char *plane)
{
    const int *n = plan->what.n;
    const int *b = plan->what.box;
    const int row = plan->layout.row;
    if (plan->what.terms > 0 && plan->what.precision == TSL_SINGLE) {
        load_integers_single((float *)(void *)plane, row, box, b[1], b[2], n[2]);
    } else if (plan->what.terms > 0) {
        load_integers_double((double *)(void *)plane, row, box, b[1], b[2], n[2]);
    } else if (plan->what.precision == TSL_SINGLE) {
        load_rows_single((float *)(void *)plane, row, box, b[1], b[2], n[2]);
    } else {
        load_rows_double((double *)(void *)plane, row, box, b[1], b[2], n[2]);
    }
}

/* Plane x of a box to reals, last and second axis forward. */
static void forward_plane(const tsl_convolve *plan, const void *box, char *plane)
{
    const int *b = plan->what.box;
    load_plane(plan, box, plane);
    tsl_fft_cpu.execute(plan->box_rows, plane, plane);
    void *columns = tsl_columns_take(&plan->planes, plane, b[1], scratch_of(plan));
    tsl_columns_transform(&plan->planes, TSL_FFT_FORWARD, columns);
    tsl_columns_put(&plan->planes, plane, columns);
}

static void backward_plane(const tsl_convolve *plan, char *plane)
{
    void *columns = tsl_columns_take(&plan->planes, plane, plan->what.n[1], scratch_of(plan));
    tsl_columns_transform(&plan->planes, TSL_FFT_BACKWARD, columns);
    tsl_columns_put(&plan->planes, plane, columns);
    tsl_fft_cpu.execute(plan->rows_backward, plane, plane);
}

/* First axis of one block of columns of row y: forward, product, backward. */
static void correlate_block(const tsl_convolve *plan, char *grid, int y, int column)
{
    const int left = plan->half - column;
    const tsl_columns *block = &plan->lines[left < plan->block];
    char *at = grid + ((int64_t)y * plan->row + column) * complex_bytes(plan);
    void *lines = tsl_columns_take(block, at, plan->what.box[0], scratch_of(plan));
    tsl_columns_transform(block, TSL_FFT_FORWARD, lines);
    if (plan->what.precision == TSL_SINGLE) {
        multiply_single(lines, spectrum_at(plan, 0, y, column), tsl_columns_scratch(block));
    } else {
        multiply_double(lines, spectrum_at(plan, 0, y, column), tsl_columns_scratch(block));
    }
    tsl_columns_transform(block, TSL_FFT_BACKWARD, lines);
    tsl_columns_put(block, at, lines);
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
static void correlate_rows(const tsl_convolve *plan, char *grid, int from, int to)
{
    for (int y = from; y < to; y++) {
        for (int column = 0; column < plan->half; column += plan->block) {
            correlate_block(plan, grid, y, column);
        }
    }
}

/* Planes [from, to) backward. */
static void backward_planes(const tsl_convolve *plan, char *grid, int from, int to)
{
    const int64_t plane_bytes = plan->what.n[1] * plan->row * complex_bytes(plan);
    for (int x = from; x < to; x++) {
        backward_plane(plan, grid + x * plane_bytes);
    }
}

/* Execute a batch of at least as many members as threads: one thread does a member from its first
 * pass to its last, so that the member stays in that core's caches and no thread waits for
 * another. */
static void execute_members(tsl_convolve *plan, int count, const uint8_t *boxes, char *grids)
{
    const int *n = plan->what.n;
    const int *b = plan->what.box;
    const int64_t box_bytes = (int64_t)b[0] * b[1] * b[2];
#pragma omp parallel for num_threads(plan->context->threads) schedule(dynamic)
    for (int member = 0; member < count; member++) {
        char *grid = grids + member * plan->layout.member_bytes;
        forward_planes(plan, boxes + member * box_bytes, grid, 0, b[0]);
        correlate_rows(plan, grid, 0, n[1]);
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
            correlate_rows(plan, grid, y, y + 1);
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
            load_plane(plan, boxes + ((int64_t)member * b[0] + x) * b[1] * b[2],
                       grid + x * plane_bytes);
        }
        tsl_fft_cpu.execute(plan->whole_forward, grid, grid);
        if (plan->what.precision == TSL_SINGLE) {
            multiply_grid_single(plan, 0, (float *)(void *)grid, NULL);
        } else {
            multiply_grid_double(plan, 0, (double *)(void *)grid, NULL);
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

/* ---- several terms ------------------------------------------------------------------------- */

/* The calling thread's. */
static char *work_of(const tsl_convolve *plan)
{
    return plan->work + omp_get_thread_num() * plan->a_work;
}

/* First axis of one block of columns of row y: each term's planes forward, the sum of products,
 * backward to the grid. */
static void add_up_block(const tsl_convolve *plan, char *planes, char *grid, int y, int column)
{
    const int *n = plan->what.n;
    const int left = plan->half - column;
    const tsl_columns *block = &plan->lines[left < plan->block];
    const int64_t numbers = tsl_columns_scratch(block);
    const int64_t from = ((int64_t)y * plan->row + column) * complex_bytes(plan);
    const int64_t a_term = (int64_t)plan->what.box[0] * n[1] * plan->row * complex_bytes(plan);
    void *sum = planes + plan->what.terms * a_term;
    memset(sum, 0, (size_t)(numbers * complex_bytes(plan)));
    for (int t = 0; t < plan->what.terms; t++) {
        void *lines = tsl_columns_take(block, planes + t * a_term + from, plan->what.box[0],
                                       scratch_of(plan));
        tsl_columns_transform(block, TSL_FFT_FORWARD, lines);
        if (plan->what.precision == TSL_SINGLE) {
            multiply_add_single(sum, lines, spectrum_at(plan, t, y, column), numbers);
        } else {
            multiply_add_double(sum, lines, spectrum_at(plan, t, y, column), numbers);
        }
    }
    tsl_columns_transform(block, TSL_FFT_BACKWARD, sum);
    tsl_columns_put(block, grid + from, sum);
}

/* Boxes [terms] to a grid. */
static void add_up_lines(const tsl_convolve *plan, const int32_t *boxes, char *grid)
{
    const int *n = plan->what.n;
    const int *b = plan->what.box;
    const int64_t plane_bytes = n[1] * plan->row * complex_bytes(plan);
    char *planes = work_of(plan);
    for (int x = 0; x < plan->what.terms * b[0]; x++) {
        forward_plane(plan, boxes + (int64_t)x * b[1] * b[2], planes + x * plane_bytes);
    }
    for (int y = 0; y < n[1]; y++) {
        for (int column = 0; column < plan->half; column += plan->block) {
            add_up_block(plan, planes, grid, y, column);
        }
    }
    backward_planes(plan, grid, 0, n[0]);
}

static void add_up_plain(const tsl_convolve *plan, const int32_t *boxes, char *grid)
{
    const int *n = plan->what.n;
    const int *b = plan->what.box;
    const int64_t plane_bytes = n[1] * plan->row * complex_bytes(plan);
    char *work = work_of(plan);
    memset(grid, 0, (size_t)plan->layout.member_bytes);
    for (int t = 0; t < plan->what.terms; t++) {
        memset(work, 0, (size_t)plan->layout.member_bytes);
        for (int x = 0; x < b[0]; x++) {
            load_plane(plan, boxes + ((int64_t)t * b[0] + x) * b[1] * b[2], work + x * plane_bytes);
        }
        tsl_fft_cpu.execute(plan->whole_forward, work, work);
        if (plan->what.precision == TSL_SINGLE) {
            multiply_grid_single(plan, t, (float *)(void *)work, (float *)(void *)grid);
        } else {
            multiply_grid_double(plan, t, (double *)(void *)work, (double *)(void *)grid);
        }
    }
    tsl_fft_cpu.execute(plan->whole_backward, grid, grid);
}

static tsl_status cpu_execute_terms(tsl_convolve *plan, int count, const int32_t *boxes,
                                    const tsl_convolve_points *points, void *grids)
{
    (void)points; /* takes_points() is NULL */
    const int *b = plan->what.box;
    const int64_t a_member = (int64_t)plan->what.terms * b[0] * b[1] * b[2];
#pragma omp parallel for num_threads(plan->context->threads) schedule(dynamic)
    for (int member = 0; member < count; member++) {
        char *grid = (char *)grids + member * plan->layout.member_bytes;
        if (plan->what.form == TSL_CONVOLVE_PLAIN) {
            add_up_plain(plan, boxes + member * a_member, grid);
        } else {
            add_up_lines(plan, boxes + member * a_member, grid);
        }
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

static int cpu_transposed(const tsl_convolve *plan)
{
    return (plan->lines[0].what.way == TSL_COLUMNS_TRANSPOSED ? 1 : 0) +
           (plan->planes.what.way == TSL_COLUMNS_TRANSPOSED ? 2 : 0);
}

const tsl_convolve_ops tsl_convolve_cpu = {.layout = cpu_layout,
                                           .bytes = cpu_bytes,
                                           .create = cpu_create,
                                           .destroy = cpu_destroy,
                                           .set_fixed = cpu_set_fixed,
                                           .set_term = cpu_set_term,
                                           .execute_terms = cpu_execute_terms,
                                           .execute = cpu_execute,
                                           .store = cpu_store,
                                           .top = cpu_top,
                                           .transposed = cpu_transposed};
