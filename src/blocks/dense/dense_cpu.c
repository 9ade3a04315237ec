#include "blocks/dense/dense.h"
#include "blocks/dense/plain.h"
#include "core/config.h"
#include "core/context.h"

#ifdef TSL_HAVE_LAPACK

/* Fortran's interface: columns are contiguous, and the lengths of texts come last. */
void dgemm_(const char *transa, const char *transb, const int *m, const int *n, const int *k,
            const double *alpha, const double *a, const int *lda, const double *b, const int *ldb,
            const double *beta, double *c, const int *ldc, size_t, size_t);
void dsyevd_(const char *jobz, const char *uplo, const int *n, double *a, const int *lda, double *w,
             double *work, const int *lwork, int *iwork, const int *liwork, int *info, size_t,
             size_t);
void dpotrf_(const char *uplo, const int *n, double *a, const int *lda, int *info, size_t);
void dpotrs_(const char *uplo, const int *n, const int *nrhs, const double *a, const int *lda,
             double *b, const int *ldb, int *info, size_t);

#ifdef TSL_HAVE_OPENBLAS

void openblas_set_num_threads(int threads);

/* Row-major C = A B is column-major C^T = B^T A^T. */
static void library_multiply(const tsl_product *p)
{
    const int m = (int)p->m, n = (int)p->n, k = (int)p->k;
    const int lda = (int)p->lda, ldb = (int)p->ldb, ldc = (int)p->ldc;
    dgemm_(p->transpose_b ? "T" : "N", p->transpose_a ? "T" : "N", &n, &m, &k, &p->alpha, p->b,
           &ldb, p->a, &lda, &p->beta, p->c, &ldc, 1, 1);
}

#endif

static tsl_status library_eigen(tsl_context *context, int64_t n, double *a, double *values)
{
    const int size = (int)n;
    const int length = 1 + 6 * size + 2 * size * size, integers = 3 + 5 * size;
    int info = 0;
    double *work = tsl_allocate(sizeof *work * (size_t)length + sizeof(int) * (size_t)integers);
    if (work == NULL) {
        return tsl_fail_memory(context, 8LL * length + 4LL * integers, "eigenvectors");
    }
    dsyevd_("V", "U", &size, a, &size, values, work, &length, (int *)(work + length), &integers,
            &info, 1, 1);
    tsl_release(work);
    return info == 0 ? TSL_OK
                     : tsl_fail(context, TSL_E_NOCONV,
                                "eigenvalues of a matrix of %d rows did not converge", size);
}

#endif

/* OpenBLAS's own threads serve one caller at a time, and sums would depend on their number. */
static void be_single(void)
{
#ifdef TSL_HAVE_OPENBLAS
    openblas_set_num_threads(1);
#endif
}

/* Each thread computes a band of rows of each product, and no other thread takes part in their
 * sums. */
void tsl_dense_multiply(const tsl_product *p)
{
    if (p->m <= 0 || p->n <= 0) {
        return;
    }
#ifdef TSL_HAVE_OPENBLAS
    library_multiply(p);
#else
    tsl_plain_multiply(p);
#endif
}

const char *tsl_dense_library(void)
{
#if defined(TSL_HAVE_OPENBLAS)
    return "OpenBLAS";
#elif defined(TSL_HAVE_LAPACK)
    return "LAPACK";
#else
    return NULL;
#endif
}

static tsl_status cpu_multiply(tsl_context *context, const tsl_product *product)
{
    enum { BAND = 64 };
    const int64_t bands = (product->m + BAND - 1) / BAND;
    be_single();
#pragma omp parallel for num_threads(context->threads) schedule(dynamic)
    for (int64_t band = 0; band < bands; band++) {
        tsl_product part = *product;
        const int64_t first = band * BAND;
        part.m = product->m - first < BAND ? product->m - first : BAND;
        part.a += first * (product->transpose_a ? 1 : product->lda);
        part.c += first * product->ldc;
        tsl_dense_multiply(&part);
    }
    return TSL_OK;
}

#ifndef TSL_HAVE_LAPACK
static tsl_status plain_eigen(tsl_context *context, int64_t n, double *a, double *values)
{
    double *work = tsl_allocate(sizeof *work * (size_t)(n * n));
    if (work == NULL) {
        return tsl_fail_memory(context, 8 * n * n, "eigenvectors");
    }
    const bool done = tsl_plain_eigen(n, a, values, work);
    tsl_release(work);
    return done ? TSL_OK
                : tsl_fail(context, TSL_E_NOCONV,
                           "eigenvalues of a matrix of %lld rows did not converge", (long long)n);
}
#endif

static tsl_status cpu_eigen(tsl_context *context, int64_t n, double *a, double *values)
{
    if (n == 0) {
        return TSL_OK;
    }
    be_single();
#ifdef TSL_HAVE_LAPACK
    return library_eigen(context, n, a, values);
#else
    return plain_eigen(context, n, a, values);
#endif
}

static tsl_status cpu_cholesky(tsl_context *context, int64_t n, double *a, bool *positive)
{
    (void)context;
    be_single();
#ifdef TSL_HAVE_LAPACK
    const int size = (int)n;
    int info = 0;
    if (n > 0) {
        dpotrf_("U", &size, a, &size, &info, 1);
    }
    *positive = info == 0;
#else
    *positive = tsl_plain_cholesky(n, a);
#endif
    return TSL_OK;
}

static tsl_status cpu_solve(tsl_context *context, int64_t n, const double *factor, double *x)
{
    (void)context;
#ifdef TSL_HAVE_LAPACK
    const int size = (int)n, one = 1;
    int info = 0;
    if (n > 0) {
        dpotrs_("U", &size, &one, factor, &size, x, &size, &info, 1);
    }
#else
    tsl_plain_solve(n, factor, x);
#endif
    return TSL_OK;
}

const tsl_dense_ops tsl_dense_cpu = {
    .multiply = cpu_multiply, .eigen = cpu_eigen, .cholesky = cpu_cholesky, .solve = cpu_solve};
