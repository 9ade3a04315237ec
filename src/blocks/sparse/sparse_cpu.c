/* Products on the CPU: each thread takes rows with its share of the entries. A row is summed in
 * eight sums side by side, which hide each other's latency; their order is part of the answer and
 * the same on all processors. */
#include "blocks/sparse/pieces.h"
#include "core/context.h"

struct tsl_sparse {
    tsl_context *context;
    const tsl_csr *matrix;
    int64_t *first; /* [threads + 1] rows */
};

static void cpu_destroy(tsl_sparse *plan)
{
    if (plan != NULL) {
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
    *out = plan;
    return TSL_OK;
}

/* Entries are asked for so long before their turn: hardware that looks ahead stops at the end of
 * each page. */
enum { SUMS = 8, AHEAD = 768 };

static double row_product(const double *value, const int32_t *column, int64_t count,
                          const double *x)
{
    double sums[SUMS] = {0};
    int64_t k = 0;
    for (; k + SUMS <= count; k += SUMS) {
        __builtin_prefetch(value + k + AHEAD, 0, 0);
        __builtin_prefetch(column + k + AHEAD, 0, 0);
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

static tsl_status cpu_multiply(tsl_sparse *plan, double *y, const double *x, double *sums)
{
    const int threads = plan->context->threads;
#pragma omp parallel num_threads(threads)
    {
#pragma omp for schedule(static)
        for (int t = 0; t < threads; t++) {
            multiply_rows(plan, t, y, x);
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
