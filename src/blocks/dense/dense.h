/* Dense matrices of doubles, row-major without gaps unless a leading dimension (elements from one
 * row to the next) is given: products, symmetric eigenproblems, Cholesky factors.
 *
 * On a CPU they go to OpenBLAS or LAPACK where the build has one, else to loops of this folder,
 * which are for some hundred rows; on a GPU to cuBLAS and cuSOLVER, which are opened with their
 * first use. A product's bits don't depend on the number of threads. */
#ifndef TSL_DENSE_H
#define TSL_DENSE_H

#include "core/core.h"

/* A product C = alpha op(A) op(B) + beta C, op(A) being m x k and op(B) k x n. With beta = 0 what C
 * holds is not read. */
typedef struct tsl_product {
    bool transpose_a, transpose_b; /* op is the transpose; A is then k x m, B n x k, in memory */
    int64_t m, n, k;
    double alpha;
    const double *a;
    int64_t lda;
    const double *b;
    int64_t ldb;
    double beta;
    double *c;
    int64_t ldc;
} tsl_product;

/* What a device does; memory is the device's. multiply() and solve() are queued on the context's
 * stream; eigen() and cholesky() wait for it. A GPU's libraries take memory when they are first
 * used and when a matrix is larger than those before; TSL_E_UNSUPPORTED where they are not
 * installed. */
typedef struct tsl_dense_ops {
    tsl_status (*multiply)(tsl_context *context, const tsl_product *product);

    /* A symmetric matrix a [n][n]: eigenvalues, ascending, and in row j of `a` the unit eigenvector
     * of values[j]. The lower triangle is read. TSL_E_NOCONV; TSL_E_NOMEM. */
    tsl_status (*eigen)(tsl_context *context, int64_t n, double *a, double *values);

    /* A symmetric positive definite matrix a [n][n]: the lower triangle becomes L with A = L L^T;
     * what is above the diagonal is not changed. *positive: whether it is so; if not, `a` is
     * undefined. */
    tsl_status (*cholesky)(tsl_context *context, int64_t n, double *a, bool *positive);

    /* x [n] := A^-1 x by a factor of cholesky(). */
    tsl_status (*solve)(tsl_context *context, int64_t n, const double *factor, double *x);
} tsl_dense_ops;

extern const tsl_dense_ops tsl_dense_cpu;

/* A product by the calling thread alone, on the host: for parts of a product that threads share
 * out. */
void tsl_dense_multiply(const tsl_product *product);

/* The library that the build uses: "OpenBLAS", "LAPACK", or NULL where loops of its own compute. */
const char *tsl_dense_library(void);

#endif
