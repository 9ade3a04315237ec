/* The coarsest level of multigrid, solved directly. */
#include <math.h>

#include "core/context.h"
#include "sparse/multigrid.h"

/* Pivots that are less, of the diagonal before, may be nothing but rounding of all levels. To leave
 * such a row out costs some iterations; to divide by it costs the solution. */
static const double rounding = 1e-11;

/* Only row i of L is written; rows before it are done. */
static void factor_row(double *l, int64_t n, int64_t i, double tiny)
{
    double *row = l + i * n;
    double diagonal = row[i];
    for (int64_t j = 0; j < i; j++) {
        const double *other = l + j * n;
        double sum = row[j];
        for (int64_t k = 0; k < j; k++) {
            sum -= row[k] * other[k];
        }
        row[j] = sum * other[j]; /* the diagonal holds 1 / pivot */
        diagonal -= row[j] * row[j];
    }
    row[i] = diagonal > tiny ? 1 / sqrt(diagonal) : 0;
}

tsl_status tsl_dense_factor(double **out, tsl_context *context, const tsl_csr *a)
{
    const int64_t n = a->rows;
    double *l = tsl_allocate_zeroed((size_t)(n * n), sizeof *l);
    if (l == NULL) {
        return tsl_fail_memory(context, 8 * n * n, "the coarsest level");
    }
    for (int64_t i = 0; i < n; i++) {
        for (int64_t k = a->row_start[i]; k < a->row_start[i + 1]; k++) {
            l[i * n + a->column[k]] = a->value[k];
        }
    }
    for (int64_t i = 0; i < n; i++) {
        factor_row(l, n, i, rounding * l[i * n + i]);
    }
    *out = l;
    return TSL_OK;
}

void tsl_dense_solve(const double *l, int64_t n, double *x)
{
    for (int64_t i = 0; i < n; i++) {
        for (int64_t k = 0; k < i; k++) {
            x[i] -= l[i * n + k] * x[k];
        }
        x[i] *= l[i * n + i];
    }
    for (int64_t i = n - 1; i >= 0; i--) {
        x[i] *= l[i * n + i];
        for (int64_t k = 0; k < i; k++) {
            x[k] -= l[i * n + k] * x[i];
        }
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
#pragma omp parallel for num_threads(context->threads) schedule(dynamic)
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
