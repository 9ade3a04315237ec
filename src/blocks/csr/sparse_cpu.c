/* Products on the CPU: each thread takes rows with its share of the entries. By rows, a row is
 * summed in eight sums side by side, which hide each other's latency; in tiles, eight rows are, and
 * a row's sums in blocks of columns are added up in their order. That order is part of the answer
 * and the same on all processors. */
#include <string.h>

#include "blocks/csr/tiles.h"
#include "blocks/vector/pieces.h"
#include "core/context.h"

struct tsl_sparse {
    tsl_context *context;
    const tsl_csr *matrix;
    int64_t *first;  /* [threads + 1] rows */
    tsl_tiles tiles; /* of no blocks: products go by rows */
    uint16_t *offset;
    double *value;
};

static void cpu_destroy(tsl_sparse *plan)
{
    if (plan != NULL) {
        tsl_tiles_free(&plan->tiles);
        tsl_release(plan->offset);
        tsl_release(plan->value);
        tsl_release(plan->first);
        tsl_release(plan);
    }
}

/* First row that begins at entry `entry` or after. */
static int64_t row_at(const tsl_csr *matrix, int64_t entry)
{
    int64_t low = 0;
    int64_t high = matrix->rows;
    while (low < high) {
        const int64_t middle = (low + high) / 2;
        if (matrix->row_start[middle] < entry) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

/* Tiles, where they suit the matrix and are not mostly filled up. Rows of all ranks are to come to
 * the same end, for the order of sums depends on it: a few rows are filled up more than many. */
static tsl_status try_tiles(tsl_sparse *plan, const tsl_csr *matrix)
{
    const int64_t nonzeros = tsl_csr_nonzeros(matrix);
    if (tsl_tiles_host_bytes(matrix->rows, matrix->columns, nonzeros) == 0) {
        return TSL_OK;
    }
    tsl_status status = tsl_tiles_make_for_host(&plan->tiles, plan->context, matrix);
    if (status == TSL_OK && tsl_tiles_entries(&plan->tiles) > 2 * nonzeros) {
        tsl_tiles_free(&plan->tiles);
    } else if (status == TSL_OK) {
        status = tsl_tiles_fill(&plan->offset, &plan->value, plan->context, &plan->tiles);
    }
    return status;
}

static tsl_status cpu_create(tsl_sparse **out, tsl_context *context, const tsl_csr *matrix)
{
    const int threads = context->threads;
    tsl_sparse *plan = tsl_allocate_zeroed(1, sizeof *plan);
    if (plan != NULL) {
        plan->first = tsl_allocate((size_t)(threads + 1) * sizeof *plan->first);
    }
    if (plan == NULL || plan->first == NULL) {
        cpu_destroy(plan);
        return tsl_fail_memory(context, (int64_t)sizeof *plan, "a sparse product");
    }
    plan->context = context;
    plan->matrix = matrix;
    for (int t = 0; t <= threads; t++) {
        plan->first[t] = row_at(matrix, tsl_csr_nonzeros(matrix) / threads * t);
    }
    plan->first[threads] = matrix->rows;
    const tsl_status status = try_tiles(plan, matrix);
    if (status != TSL_OK) {
        cpu_destroy(plan);
        return status;
    }
    for (int t = 1; t < threads && plan->tiles.blocks > 0; t++) { /* whole windows */
        plan->first[t] -= plan->first[t] % plan->tiles.window;
    }
    *out = plan;
    return TSL_OK;
}

/* Entries are asked for so long before their turn: hardware that looks ahead stops at the end of
 * each page. Into the second-level cache, for the first has places for few lines under way. */
enum { SUMS = 8, AHEAD = 768, SECOND_LEVEL = 2 };

static double row_product(const double *value, const int32_t *column, int64_t count,
                          const double *x)
{
    double sums[SUMS] = {0};
    int64_t k = 0;
    for (; k + SUMS <= count; k += SUMS) {
        __builtin_prefetch(value + k + AHEAD, 0, SECOND_LEVEL);
        __builtin_prefetch(column + k + AHEAD, 0, SECOND_LEVEL);
        for (int s = 0; s < SUMS; s++) {
            sums[s] += value[k + s] * x[column[k + s]];
        }
    }
    for (int s = 0; k + s < count; s++) {
        sums[s] += value[k + s] * x[column[k + s]];
    }
    return ((sums[0] + sums[4]) + (sums[1] + sums[5])) +
           ((sums[2] + sums[6]) + (sums[3] + sums[7]));
}

static void multiply_rows(const tsl_sparse *plan, int thread, double *y, const double *x)
{
    const tsl_csr *matrix = plan->matrix;
    for (int64_t row = plan->first[thread]; row < plan->first[thread + 1]; row++) {
        const int64_t from = matrix->row_start[row];
        y[row] = row_product(matrix->value + from, matrix->column + from,
                             matrix->row_start[row + 1] - from, x);
    }
}

/* Two rows' numbers: what a register of any processor holds. Wider ones are kept in memory where
 * registers are narrower, by compilers that split them. */
typedef double pair __attribute__((vector_size(2 * sizeof(double))));

enum { PAIRS = TSL_HOST_LANES / 2 };

/* The sums of a slice's rows in a block of columns, whose part of x is given. */
static void add_slice(double *y, const uint16_t *place, int rows, const double *value,
                      const uint16_t *offset, int64_t count, const double *x)
{
    pair sums[PAIRS] = {{0}};
    for (int64_t k = 0; k < count; k += TSL_HOST_LANES) {
        __builtin_prefetch(value + k + AHEAD, 0, SECOND_LEVEL);
        __builtin_prefetch(offset + k + AHEAD, 0, SECOND_LEVEL);
        for (int p = 0; p < PAIRS; p++) {
            const uint16_t *o = offset + k + 2 * p;
            pair values;
            memcpy(&values, value + k + 2 * p, sizeof values);
            sums[p] += values * (pair){x[o[0]], x[o[1]]};
        }
    }
    if (rows == TSL_HOST_LANES) {
        for (int p = 0; p < PAIRS; p++) { /* unrolled: sums stay in registers */
            y[place[2 * p]] += sums[p][0];
            y[place[2 * p + 1]] += sums[p][1];
        }
    } else {
        for (int s = 0; s < rows; s++) {
            y[place[s]] += sums[s / 2][s % 2];
        }
    }
}

static void multiply_tiles(const tsl_sparse *plan, int thread, double *y, const double *x)
{
    const tsl_tiles *tiles = &plan->tiles;
    const int64_t from = plan->first[thread];
    const int64_t to = plan->first[thread + 1];
    memset(y + from, 0, (size_t)(to - from) * sizeof *y);
    for (int block = 0; block < tiles->blocks; block++) {
        for (int64_t row = from; row < to; row += TSL_HOST_LANES) {
            const int64_t slice = block * tiles->slices + row / TSL_HOST_LANES;
            const int64_t entry = tiles->start[slice];
            add_slice(y + row / tiles->window * tiles->window,
                      tiles->place + slice * TSL_HOST_LANES,
                      to - row < TSL_HOST_LANES ? (int)(to - row) : TSL_HOST_LANES,
                      plan->value + entry, plan->offset + entry, tiles->start[slice + 1] - entry,
                      x + (int64_t)block * tiles->width);
        }
    }
}

static tsl_status cpu_multiply(tsl_sparse *plan, double *y, const double *x, double *sums)
{
    const int threads = plan->context->threads;
#pragma omp parallel num_threads(tsl_threads_for(plan->context, tsl_csr_nonzeros(plan->matrix)))
    {
#pragma omp for schedule(static)
        for (int t = 0; t < threads; t++) {
            (plan->tiles.blocks > 0 ? multiply_tiles : multiply_rows)(plan, t, y, x);
        }
#pragma omp for schedule(static)
        for (int number = 0; number < (sums != NULL ? (int)TSL_SPARSE_SUMS : 0); number++) {
            sums[number] = tsl_piece_dot(tsl_piece_of(plan->matrix->rows, number), x, y);
        }
    }
    return TSL_OK;
}

const tsl_sparse_ops tsl_sparse_cpu = {
    .create = cpu_create, .destroy = cpu_destroy, .multiply = cpu_multiply, .copies = false};
