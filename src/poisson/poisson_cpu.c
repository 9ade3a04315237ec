/* Poisson's equation on the CPU.
 *
 * The array of rows passes through memory three times; between, a block of columns stays in cache:
 * its work space [n0][m1][width] is padded along the second axis only, and along the first axis
 * lines are padded, multiplied and cut one at a time. */
#include <omp.h>
#include <string.h>

#include "core/clones.h"
#include "core/context.h"
#include "device/device.h"
#include "poisson/poisson.h"

struct tsl_poisson_solver {
    tsl_context *context;
    tsl_poisson_grid grid;
    const void *spectrum;
    char *rows;                                /* [n0][n1][row] complex */
    char *block;                               /* [n0][m1][width] complex */
    char *lines;                               /* a thread's [m0][width] complex */
    tsl_fft *rows_forward, *rows_backward;     /* a plane's */
    tsl_fft *second_forward, *second_backward; /* a plane's of a block */
    tsl_fft *first_forward, *first_backward;   /* of lines */
};

#define REAL float
#define TSL_TEMPLATE_NAME(name) name##_single
#include "poisson/poisson_cpu.inc"
#undef REAL
#undef TSL_TEMPLATE_NAME

#define REAL double
#define TSL_TEMPLATE_NAME(name) name##_double
#include "poisson/poisson_cpu.inc"
#undef REAL
#undef TSL_TEMPLATE_NAME

static int64_t complex_bytes(const tsl_poisson_grid *grid)
{
    return 2 * (int64_t)grid->precision;
}

/* Rows and blocks begin on multiples of 64 bytes. Of the widths of two to four times that, the one
 * that leaves the least of the last block empty. */
static void cpu_layout(tsl_poisson_grid *grid)
{
    const int step = 64 / (int)complex_bytes(grid);
    int64_t best = INT64_MAX;
    grid->row = (grid->half + step - 1) / step * step;
    for (int width = 4 * step; width >= 2 * step; width -= step) {
        const int blocks = (grid->half + width - 1) / width;
        if ((int64_t)blocks * width < best) {
            best = (int64_t)blocks * width;
            grid->width = width;
            grid->blocks = blocks;
        }
    }
}

static int64_t rows_bytes(const tsl_poisson_grid *grid)
{
    return (int64_t)grid->n[0] * grid->n[1] * grid->row * complex_bytes(grid);
}

static int64_t block_bytes(const tsl_poisson_grid *grid)
{
    return (int64_t)grid->n[0] * grid->m[1] * grid->width * complex_bytes(grid);
}

static int64_t line_bytes(const tsl_poisson_grid *grid)
{
    return (int64_t)grid->m[0] * grid->width * complex_bytes(grid);
}

static int64_t cpu_bytes(const tsl_context *context, const tsl_poisson_grid *grid)
{
    return rows_bytes(grid) + block_bytes(grid) + context->threads * line_bytes(grid);
}

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
    tsl_device_release(solver->context, solver->rows);
    tsl_device_release(solver->context, solver->block);
    tsl_device_release(solver->context, solver->lines);
    tsl_release(solver);
}

/* A pair of transforms along one axis, in place. */
static tsl_status plan_pair(tsl_poisson_solver *solver, tsl_fft **forward, tsl_fft **backward,
                            tsl_fft_description what, const tsl_fft_layout *space,
                            const tsl_fft_layout *waves)
{
    const bool real = what.kind == TSL_FFT_REAL_FORWARD;
    what.precision = solver->grid.precision;
    what.rank = 1;
    what.in_place = true;
    what.in = *space;
    what.out = *waves;
    const tsl_status status = tsl_fft_cpu.create(forward, solver->context, &what);
    what.kind = real ? TSL_FFT_REAL_BACKWARD : TSL_FFT_BACKWARD;
    what.in = *waves;
    what.out = *space;
    return status != TSL_OK ? status : tsl_fft_cpu.create(backward, solver->context, &what);
}

static tsl_status plan_transforms(tsl_poisson_solver *solver)
{
    const tsl_poisson_grid *grid = &solver->grid;
    const tsl_fft_layout reals = {{grid->m[2]}, 1, 2 * grid->row};
    const tsl_fft_layout halves = {{grid->half}, 1, grid->row};
    const tsl_fft_layout second = {{grid->m[1]}, grid->width, 1};
    const tsl_fft_layout first = {{grid->m[0]}, grid->width, 1};
    const tsl_fft_description row = {
        .kind = TSL_FFT_REAL_FORWARD, .n = {grid->m[2]}, .count = grid->n[1]};
    tsl_fft_description column = {.kind = TSL_FFT_FORWARD, .n = {grid->m[1]}, .count = grid->width};
    tsl_status status =
        plan_pair(solver, &solver->rows_forward, &solver->rows_backward, row, &reals, &halves);
    if (status == TSL_OK) {
        status = plan_pair(solver, &solver->second_forward, &solver->second_backward, column,
                           &second, &second);
    }
    column.n[0] = grid->m[0];
    return status != TSL_OK ? status
                            : plan_pair(solver, &solver->first_forward, &solver->first_backward,
                                        column, &first, &first);
}

static tsl_status take(char **out, tsl_context *context, int64_t bytes)
{
    void *memory;
    const tsl_status status =
        tsl_device_allocate(&memory, context, bytes, "the work space of a Poisson plan");
    *out = memory;
    return status;
}

static tsl_status cpu_create(tsl_poisson_solver **out, tsl_context *context,
                             const tsl_poisson_grid *grid, const void *spectrum)
{
    tsl_poisson_solver *solver = tsl_allocate_zeroed(1, sizeof *solver);
    if (solver == NULL) {
        return tsl_fail_memory(context, sizeof *solver, "a Poisson plan");
    }
    solver->context = context;
    solver->grid = *grid;
    solver->spectrum = spectrum;
    tsl_status status = take(&solver->rows, context, rows_bytes(grid));
    if (status == TSL_OK) {
        status = take(&solver->block, context, block_bytes(grid));
    }
    if (status == TSL_OK) {
        status = take(&solver->lines, context, context->threads * line_bytes(grid));
    }
    if (status == TSL_OK) {
        status = plan_transforms(solver);
    }
    if (status != TSL_OK) {
        cpu_destroy(solver);
        return status;
    }
    *out = solver;
    return TSL_OK;
}

/* Plane x of the source along the last axis. */
static void forward_rows(const tsl_poisson_solver *solver, const char *source, int x)
{
    const tsl_poisson_grid *grid = &solver->grid;
    const int64_t cells = (int64_t)x * grid->n[1] * grid->n[2];
    char *plane = solver->rows + (int64_t)x * grid->n[1] * grid->row * complex_bytes(grid);
    if (grid->precision == TSL_SINGLE) {
        load_rows_single(grid, (float *)(void *)plane, (const float *)(const void *)source + cells);
    } else {
        load_rows_double(grid, (double *)(void *)plane,
                         (const double *)(const void *)source + cells);
    }
    tsl_fft_cpu.execute(solver->rows_forward, plane, plane);
}

static void backward_rows(const tsl_poisson_solver *solver, char *potential, int x)
{
    const tsl_poisson_grid *grid = &solver->grid;
    const int64_t cells = (int64_t)x * grid->n[1] * grid->n[2];
    char *plane = solver->rows + (int64_t)x * grid->n[1] * grid->row * complex_bytes(grid);
    tsl_fft_cpu.execute(solver->rows_backward, plane, plane);
    if (grid->precision == TSL_SINGLE) {
        store_rows_single(grid, (float *)(void *)potential + cells, (float *)(void *)plane);
    } else {
        store_rows_double(grid, (double *)(void *)potential + cells, (double *)(void *)plane);
    }
}

/* Plane x of a block of columns: from the rows, the second axis forward; or back. */
static void second_axis(const tsl_poisson_solver *solver, int block, int x, bool forward)
{
    const tsl_poisson_grid *grid = &solver->grid;
    const int column = block * grid->width;
    const int left = grid->half - column;
    const size_t bytes =
        (size_t)(left < grid->width ? left : grid->width) * (size_t)complex_bytes(grid);
    const int64_t width_bytes = grid->width * complex_bytes(grid);
    const int64_t row_bytes = grid->row * complex_bytes(grid);
    char *plane = solver->block + (int64_t)x * grid->m[1] * width_bytes;
    char *rows = solver->rows + (int64_t)x * grid->n[1] * row_bytes + column * complex_bytes(grid);
    if (!forward) {
        tsl_fft_cpu.execute(solver->second_backward, plane, plane);
    }
    for (int y = 0; y < grid->n[1]; y++) {
        if (forward) {
            memcpy(plane + y * width_bytes, rows + y * row_bytes, bytes);
            memset(plane + y * width_bytes + bytes, 0, (size_t)width_bytes - bytes);
        } else {
            memcpy(rows + y * row_bytes, plane + y * width_bytes, bytes);
        }
    }
    if (forward) {
        memset(plane + grid->n[1] * width_bytes, 0,
               (size_t)(grid->m[1] - grid->n[1]) * (size_t)width_bytes);
        tsl_fft_cpu.execute(solver->second_forward, plane, plane);
    }
}

/* Lines y of a block along the first axis: forward, product, backward. */
static void first_axis(const tsl_poisson_solver *solver, int block, int y)
{
    const tsl_poisson_grid *grid = &solver->grid;
    const int64_t width_bytes = grid->width * complex_bytes(grid);
    char *lines = solver->lines + omp_get_thread_num() * line_bytes(grid);
    char *from = solver->block + y * width_bytes;
    for (int x = 0; x < grid->n[0]; x++) {
        memcpy(lines + x * width_bytes, from + (int64_t)x * grid->m[1] * width_bytes,
               (size_t)width_bytes);
    }
    memset(lines + grid->n[0] * width_bytes, 0,
           (size_t)(grid->m[0] - grid->n[0]) * (size_t)width_bytes);
    tsl_fft_cpu.execute(solver->first_forward, lines, lines);
    if (grid->precision == TSL_SINGLE) {
        multiply_lines_single(grid, (float *)(void *)lines, solver->spectrum, block, y);
    } else {
        multiply_lines_double(grid, (double *)(void *)lines, solver->spectrum, block, y);
    }
    tsl_fft_cpu.execute(solver->first_backward, lines, lines);
    for (int x = 0; x < grid->n[0]; x++) {
        memcpy(from + (int64_t)x * grid->m[1] * width_bytes, lines + x * width_bytes,
               (size_t)width_bytes);
    }
}

static tsl_status cpu_solve(tsl_poisson_solver *solver, void *potential, const void *source)
{
    const tsl_poisson_grid *grid = &solver->grid;
#pragma omp parallel num_threads(solver->context->threads)
    {
#pragma omp for
        for (int x = 0; x < grid->n[0]; x++) {
            forward_rows(solver, source, x);
        }
        for (int block = 0; block < grid->blocks; block++) {
#pragma omp for
            for (int x = 0; x < grid->n[0]; x++) {
                second_axis(solver, block, x, true);
            }
#pragma omp for
            for (int y = 0; y < grid->m[1]; y++) {
                first_axis(solver, block, y);
            }
#pragma omp for
            for (int x = 0; x < grid->n[0]; x++) {
                second_axis(solver, block, x, false);
            }
        }
#pragma omp for
        for (int x = 0; x < grid->n[0]; x++) {
            backward_rows(solver, potential, x);
        }
    }
    return TSL_OK;
}

static tsl_status cpu_sums(tsl_poisson_solver *solver, double sums[3], const void *a, const void *b)
{
    const tsl_poisson_grid *grid = &solver->grid;
    const int64_t plane = (int64_t)grid->n[1] * grid->n[2];
    double plain = 0, absolute = 0, products = 0;
#pragma omp parallel for num_threads(solver->context->threads)                                     \
    reduction(+ : plain, absolute, products)
    for (int x = 0; x < grid->n[0]; x++) {
        double of_plane[3] = {0};
        if (grid->precision == TSL_SINGLE) {
            sum_cells_single(of_plane, (const float *)a + x * plane, (const float *)b + x * plane,
                             plane);
        } else {
            sum_cells_double(of_plane, (const double *)a + x * plane, (const double *)b + x * plane,
                             plane);
        }
        plain += of_plane[0];
        absolute += of_plane[1];
        products += of_plane[2];
    }
    sums[0] = plain;
    sums[1] = absolute;
    sums[2] = products;
    return TSL_OK;
}

const tsl_poisson_ops tsl_poisson_cpu = {.memory_is_host = true,
                                         .layout = cpu_layout,
                                         .bytes = cpu_bytes,
                                         .create = cpu_create,
                                         .destroy = cpu_destroy,
                                         .solve = cpu_solve,
                                         .sums = cpu_sums};
