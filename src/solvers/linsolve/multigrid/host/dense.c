/* The coarsest level of multigrid, solved directly. */
#include <math.h>

#include "core/clones.h"
#include "core/context.h"
#include "solvers/linsolve/multigrid/multigrid.h"

/* Pivots that are less, of the diagonal before, may be nothing but rounding of all levels. To leave
 * such a row out costs some iterations; to divide by it costs the solution. */
static const double rounding = 1e-11;

enum {
    PANEL = 32 /* rows of L^T that others are updated with together, while they are in cache */
};

/* row -= scale other, n numbers. */
TSL_CLONES static void subtract(double *row, double scale, const double *other, int64_t n)
{
#pragma omp simd
    for (int64_t j = 0; j < n; j++) {
        row[j] -= scale * other[j];
    }
}

/* Take the rows `from` to `to` - 1 of L^T, which are done, from row i, from its diagonal on. */
static void update_row(double *l, int64_t n, int64_t i, int64_t from, int64_t to)
{
    for (int64_t k = from; k < to; k++) {
        subtract(l + i * n + i, l[k * n + i], l + k * n + i, n - i);
    }
}

/* Rows `from` to `to` - 1, those before taken from them, become L^T's; the diagonal, 1 / pivot. */
static void factor_panel(double *l, int64_t n, int64_t from, int64_t to, const double *tiny)
{
    for (int64_t k = from; k < to; k++) {
        double *row = l + k * n;
        update_row(l, n, k, from, k);
        row[k] = row[k] > tiny[k] ? 1 / sqrt(row[k]) : 0;
        for (int64_t j = k + 1; j < n; j++) {
            row[j] *= row[k];
        }
    }
}

/* The upper triangle of A becomes L^T, and the lower one L: whichever is asked for lies by rows.
 * The threads meet twice a panel, which takes about as many nanoseconds as the matrix has entries.
 */
static void factor(double *l, int64_t n, const double *tiny, int threads)
{
#pragma omp parallel num_threads(threads)
    {
        for (int64_t from = 0; from < n; from += PANEL) {
            const int64_t to = from + PANEL < n ? from + PANEL : n;
#pragma omp single
            factor_panel(l, n, from, to, tiny);
#pragma omp for schedule(dynamic, 8)
            for (int64_t i = to; i < n; i++) {
                update_row(l, n, i, from, to);
            }
        }
#pragma omp for schedule(static)
        for (int64_t i = 0; i < n; i++) {
            for (int64_t k = 0; k < i; k++) {
                l[i * n + k] = l[k * n + i];
            }
        }
    }
}

tsl_status tsl_dense_factor(double **out, tsl_context *context, const tsl_csr *a)
{
    const int64_t n = a->rows;
    double *l = tsl_allocate_zeroed((size_t)(n * n), sizeof *l);
    double *tiny = tsl_allocate((size_t)n * sizeof *tiny);
    if (l == NULL || tiny == NULL) {
        tsl_release(l);
        tsl_release(tiny);
        return tsl_fail_memory(context, 8 * n * n, "the coarsest level");
    }
    for (int64_t i = 0; i < n; i++) {
        for (int64_t k = a->row_start[i]; k < a->row_start[i + 1] && a->column[k] <= i; k++) {
            l[a->column[k] * n + i] = a->value[k];
        }
        tiny[i] = rounding * l[i * n + i];
    }
    factor(l, n, tiny, tsl_threads_for(context, n * n));
    tsl_release(tiny);
    *out = l;
    return TSL_OK;
}

void tsl_dense_solve(const double *l, int64_t n, double *x)
{
    for (int64_t k = 0; k < n; k++) {
        x[k] *= l[k * n + k];
        subtract(x + k + 1, x[k], l + k * n + k + 1, n - k - 1);
    }
    for (int64_t i = n - 1; i >= 0; i--) {
        x[i] *= l[i * n + i];
        subtract(x, x[i], l + i * n, i);
    }
}

tsl_status tsl_dense_inverse(tsl_csr *out, tsl_context *context, const double *l, int64_t n)
{
    double *columns = tsl_allocate_zeroed((size_t)(n * n), sizeof *columns);
    if (columns == NULL) {
        return tsl_fail_memory(context, 8 * n * n, "the coarsest level");
    }
    const tsl_status status = tsl_csr_allocate(out, context, n, n, n * n);
    if (status != TSL_OK) {
        tsl_release(columns);
        return status;
    }
#pragma omp parallel for num_threads(tsl_threads_for(context, n *n *n)) schedule(dynamic)
    for (int64_t j = 0; j < n; j++) {
        columns[j * n + j] = 1;
        tsl_dense_solve(l, n, columns + j * n);
    }
    for (int64_t i = 0; i < n; i++) {
        out->row_start[i + 1] = (i + 1) * n;
        for (int64_t j = 0; j < n; j++) {
            out->column[i * n + j] = (int32_t)j;
            out->value[i * n + j] = columns[i > j ? j * n + i : i * n + j];
        }
    }
    tsl_release(columns);
    return TSL_OK;
}
