/* Chebyshev's polynomials in D^-1 A, as preconditioner and as smoother of multigrid; one damped
 * Jacobi step is that of degree 1. */
#ifndef TSL_SPARSE_SMOOTH_H
#define TSL_SPARSE_SMOOTH_H

#include "blocks/vector/wavefront.h"

typedef struct tsl_smoother {
    const tsl_layout *layout;
    int bytes;
    tsl_expression product; /* of A; x and y are filled in */
    const void *inverse_diagonal;
    int degree;
    double largest; /* eigenvalue of D^-1 A, at least */
    double ratio;   /* eigenvalues from largest / ratio to it are damped */
    int64_t reach;  /* of tsl_wavefront, where there is a matrix in host memory; else 0 */
} tsl_smoother;

/* The first step from 0, into x: of a list that has b. */
tsl_expression tsl_smooth_first(const tsl_smoother *s, void *x, const void *b);

/* An empty wavefront of lists for this smoother's vectors. */
tsl_wavefront tsl_smooth_wavefront(const tsl_smoother *s, tsl_context *context);

/* Improve x of A x = b, by lists that are added to a wavefront; *out becomes where it will be then:
 * x[0] or x[1]. It starts from x[0]; `begun`: where tsl_smooth_first() has left it, which is the
 * first of `degree` steps. t is space; NULL will do, but for an operator. */
tsl_status tsl_smooth(const tsl_smoother *s, tsl_wavefront *wavefront, void **out, void *const x[2],
                      void *t, const void *b, bool begun);

/* An operator A by its matrix, or by a function. */
typedef struct tsl_operand {
    int64_t rows;
    const tsl_csr *matrix; /* NULL: a function */
    tsl_linsolve_operator apply;
    void *user;
    double row_sum;                 /* the largest of |D^-1 A|; 0: it is not known */
    const double *inverse_diagonal; /* in host memory; of a function, in device memory */
} tsl_operand;

/* An upper estimate of the largest eigenvalue of D^-1 A, which is symmetric positive definite: the
 * largest row sum of |D^-1 A|, which is a bound, or 1.05 times what 15 steps of Lanczos' method
 * find, with the error they tell, if that is less. Not collective: every rank works it out. */
tsl_status tsl_largest_eigenvalue(double *out, tsl_context *context, const tsl_operand *a);

/* Is the bound by row sums as good as an estimate of a GPU, as it is of the Laplacians of grids? */
bool tsl_row_sum_will_do(double bound, int64_t nonzeros, int64_t rows);
/* The estimate of the largest eigenvalue by at most so many steps of Lanczos' method, given the
 * tridiagonal matrix's diagonal and what stands beside it. */
double tsl_largest_of_lanczos(const double *diagonal, const double *beside, int steps,
                              double bound);

#endif
