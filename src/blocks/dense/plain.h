/* Dense operations by plain loops, for builds without LAPACK: dense.h describes them. */
#ifndef TSL_DENSE_PLAIN_H
#define TSL_DENSE_PLAIN_H

#include "blocks/dense/dense.h"

void tsl_plain_multiply(const tsl_product *product);
/* Cyclic Jacobi rotations; `work` holds n * n numbers. False: no convergence within 60 sweeps. */
bool tsl_plain_eigen(int64_t n, double *a, double *values, double *work);
bool tsl_plain_cholesky(int64_t n, double *a);
void tsl_plain_solve(int64_t n, const double *factor, double *x);

#endif
