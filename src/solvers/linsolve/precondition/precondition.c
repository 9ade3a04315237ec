/* Jacobi and block Jacobi. */
#include <math.h>
#include <stdio.h>

#include "core/context.h"
#include "solvers/linsolve/linsolve.h"

tsl_status tsl_make_inverse_diagonal(tsl_linsolve_plan *plan)
{
    if (plan->matrix == NULL) {
        return TSL_OK; /* came with the operator */
    }
    const tsl_csr *m = &plan->matrix->csr;
    plan->inverse_diagonal = tsl_allocate((size_t)plan->rows * sizeof *plan->inverse_diagonal);
    if (plan->inverse_diagonal == NULL) {
        return tsl_fail_memory(plan->context, 8 * plan->rows, "a diagonal");
    }
#pragma omp parallel for num_threads(tsl_threads_for(plan->context, m->rows)) schedule(static)
    for (int64_t i = 0; i < m->rows; i++) {
        const double *d = tsl_csr_at(m, i, i);
        plan->inverse_diagonal[i] = d != NULL ? 1 / *d : INFINITY;
    }
    return TSL_OK;
}

tsl_status tsl_put_inverse_diagonal(tsl_linsolve_plan *plan)
{
    void *vector = NULL;
    const tsl_status status = tsl_vectors_take(&vector, plan->context, 1, plan->rows,
                                               sizeof *plan->diagonal, "a diagonal");
    plan->diagonal = vector;
    return status == TSL_OK ? tsl_vector_put(plan->context, vector, 1, plan->inverse_diagonal,
                                             plan->rows, sizeof *plan->diagonal)
                            : status;
}

/* Row i has a diagonal entry that nothing can be divided by. */
static tsl_status fail_inverse(const tsl_linsolve_plan *plan, int64_t i, const char *who)
{
    const double *d = plan->matrix != NULL ? tsl_csr_at(&plan->matrix->csr, i, i) : NULL;
    const int base = plan->matrix != NULL ? plan->matrix->index_base : 0;
    char what[64] = "a zero";
    if (d != NULL && *d != 0) {
        snprintf(what, sizeof what, "%g, too near 0,", *d);
    } else if (plan->matrix == NULL) { /* its inverse alone is known */
        snprintf(what, sizeof what, "a zero, or a number too near it,");
    }
    return tsl_fail(plan->context, TSL_E_ARG,
                    "row %lld has %s on the diagonal, which %s divides by: use none%s",
                    (long long)(i + base), what, who,
                    plan->matrix != NULL ? ", or direct as the method" : "");
}

tsl_status tsl_check_inverse_diagonal(const tsl_linsolve_plan *plan, const char *who)
{
    for (int64_t i = 0; i < plan->rows; i++) {
        if (!isfinite(plan->inverse_diagonal[i])) {
            return fail_inverse(plan, i, who);
        }
    }
    return TSL_OK;
}

tsl_status tsl_make_jacobi(tsl_linsolve_plan *plan)
{
    tsl_status status = TSL_OK;
    TSL_TRY(tsl_make_inverse_diagonal(plan));
    TSL_TRY(tsl_check_inverse_diagonal(plan, "jacobi"));
    TSL_TRY(tsl_put_inverse_diagonal(plan));
done:
    plan->m.diagonal = plan->diagonal;
    return status;
}

/* ---- blocks --------------------------------------------------------------------------------- */

enum { LARGEST = 64 };

/* The inverses of the diagonal blocks are the rows of a matrix, so that products and halos are
 * those of any matrix. */
typedef struct blocks {
    tsl_context *context;
    const tsl_layout *layout;
    tsl_csr inverse;
    tsl_form form;
    tsl_halo halo;
} blocks;

static void destroy_blocks(void *self)
{
    blocks *b = self;
    tsl_halo_free(&b->halo);
    tsl_form_free(&b->form);
    tsl_csr_free(&b->inverse);
    tsl_release(b);
}

static tsl_status apply_blocks(void *self, double *z, const double *r, double norm)
{
    (void)norm;
    const blocks *b = self;
    const tsl_expression step = tsl_product(z, &b->form, &b->halo, r);
    return tsl_expressions_run(
        b->context,
        &(tsl_expressions){.layout = b->layout, .bytes = 8, .count = 1, .expressions = &step});
}

/* The block of n rows from `first`, dense. */
static void read_block(double a[LARGEST][LARGEST], const tsl_csr *m, int64_t first, int n)
{
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < n; j++) {
            const double *at = tsl_csr_at(m, first + i, first + j);
            a[i][j] = at != NULL ? *at : 0;
        }
    }
}

static void swap_rows(double a[LARGEST][LARGEST], int n, int p, int q)
{
    for (int j = 0; j < n && p != q; j++) {
        const double kept = a[p][j];
        a[p][j] = a[q][j];
        a[q][j] = kept;
    }
}

/* Invert in place by Gauss and Jordan, rows pivoted. False if it is singular. */
static bool invert(double a[LARGEST][LARGEST], int n)
{
    int from[LARGEST];
    double largest = 0;
    for (int i = 0; i < n * n; i++) {
        largest = fmax(largest, fabs(a[i / n][i % n]));
    }
    for (int k = 0; k < n; k++) {
        from[k] = k;
        for (int i = k + 1; i < n; i++) {
            from[k] = fabs(a[i][k]) > fabs(a[from[k]][k]) ? i : from[k];
        }
        swap_rows(a, n, k, from[k]);
        const double pivot = a[k][k];
        if (!(fabs(pivot) > 1e-14 * largest)) {
            return false;
        }
        a[k][k] = 1;
        for (int j = 0; j < n; j++) {
            a[k][j] /= pivot;
        }
        for (int i = 0; i < n; i++) {
            const double factor = a[i][k];
            if (i != k) {
                a[i][k] = 0;
                for (int j = 0; j < n; j++) {
                    a[i][j] -= factor * a[k][j];
                }
            }
        }
    }
    for (int k = n - 1; k >= 0; k--) { /* rows that were swapped are columns of the inverse */
        for (int i = 0; i < n && from[k] != k; i++) {
            const double kept = a[i][k];
            a[i][k] = a[i][from[k]];
            a[i][from[k]] = kept;
        }
    }
    return true;
}

/* Rounding must not make the inverse of a symmetric block unsymmetric. */
static void make_symmetric(double a[LARGEST][LARGEST], int n)
{
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < i; j++) {
            a[i][j] = a[j][i] = 0.5 * (a[i][j] + a[j][i]);
        }
    }
}

/* Returns the first row of the first singular block, -1 if there is none. */
static int64_t fill_blocks(tsl_csr *inverse, tsl_context *context, const tsl_csr *m, int size,
                           bool symmetric)
{
    const int64_t count = (m->rows + size - 1) / size;
    int64_t singular = count;
#pragma omp parallel for num_threads(tsl_threads_for(context, m->rows *size)) schedule(static)     \
    reduction(min                                                                                  \
              : singular)
    for (int64_t block = 0; block < count; block++) {
        double a[LARGEST][LARGEST];
        const int64_t first = block * size;
        const int n = m->rows - first < size ? (int)(m->rows - first) : size;
        read_block(a, m, first, n);
        if (!invert(a, n)) {
            singular = block < singular ? block : singular;
            continue;
        }
        if (symmetric) {
            make_symmetric(a, n);
        }
        for (int i = 0; i < n; i++) {
            const int64_t start = first * size + (int64_t)i * n;
            inverse->row_start[first + i + 1] = start + n;
            for (int j = 0; j < n; j++) {
                inverse->column[start + j] = (int32_t)(first + j);
                inverse->value[start + j] = a[i][j];
            }
        }
    }
    return singular < count ? singular * size : -1;
}

tsl_status tsl_make_block_jacobi(tsl_linsolve_plan *plan)
{
    const tsl_sparse_matrix *matrix = plan->matrix;
    const int size = plan->options.block;
    blocks *b = tsl_allocate_zeroed(1, sizeof *b);
    if (b == NULL) {
        return tsl_fail_memory(plan->context, (int64_t)sizeof *b, "block Jacobi");
    }
    plan->m = (tsl_preconditioner){.apply = apply_blocks, .destroy = destroy_blocks, .self = b};
    b->context = plan->context;
    b->layout = plan->layout;
    const int64_t rest = plan->rows % size;
    const int64_t nonzeros = plan->rows / size * size * size + rest * rest;
    tsl_status status =
        tsl_csr_allocate(&b->inverse, plan->context, plan->rows, plan->rows, nonzeros);
    if (status != TSL_OK) {
        return status;
    }
    const int64_t singular =
        fill_blocks(&b->inverse, plan->context, &matrix->csr, size, matrix->description.symmetric);
    if (singular >= 0) {
        return tsl_fail(plan->context, TSL_E_ARG,
                        "the block of %d rows from row %lld is singular: use none, or another "
                        "size of blocks",
                        size, (long long)(singular + matrix->index_base));
    }
    status = tsl_form_make(&b->form, plan->context, &b->inverse, plan->layout, 8, 1);
    return status == TSL_OK
               ? tsl_halo_make(&b->halo, plan->context, &b->inverse, plan->layout, plan->layout)
               : status;
}
