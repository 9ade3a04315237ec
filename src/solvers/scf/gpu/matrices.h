/* What the iteration does with matrices on a device, besides products and eigenvectors. */
#ifndef TSL_SCF_GPU_MATRICES_H
#define TSL_SCF_GPU_MATRICES_H

#include "core/context.h"

enum {
    TSL_SCF_TERMS = 8,
    TSL_SCF_SUMS = 24, /* at a time */
    TSL_SCF_PARTS = 64 /* of each */
};

/* y [count] := sum of weight[k] x[k]; y may be one of them. */
typedef struct tsl_scf_combination {
    int64_t count;
    int terms;
    const double *x[TSL_SCF_TERMS];
    double weight[TSL_SCF_TERMS];
    double *y;
} tsl_scf_combination;

/* sums [number] := the products of a[k] and b[k], of count[k] elements; parts holds
 * TSL_SCF_SUMS * TSL_SCF_PARTS numbers. */
typedef struct tsl_scf_products {
    int number;
    const double *a[TSL_SCF_SUMS], *b[TSL_SCF_SUMS];
    int64_t count[TSL_SCF_SUMS];
    double *parts, *sums;
} tsl_scf_products;

/* One square matrix made of another, of n rows. */
typedef struct tsl_scf_square {
    int64_t n;
    const double *from;
    double *to;
    double scale;
    double *largest; /* the largest magnitude of `to` so far is raised to this one's */
} tsl_scf_square;

/* x [n][orthogonal] := eigenvectors over the roots of their values, the first n - orthogonal of
 * them left out. */
typedef struct tsl_scf_roots {
    int64_t n, orthogonal;
    const double *vectors, *values; /* [n][n], a row each; [n] */
    double *x;
} tsl_scf_roots;

/* All are asynchronous on the context's stream. */
typedef struct tsl_scf_matrix_ops {
    tsl_status (*combine)(tsl_context *context, const tsl_scf_combination *task);
    tsl_status (*sum_products)(tsl_context *context, const tsl_scf_products *task);
    /* to := scale (from - from^T). */
    tsl_status (*antisymmetrise)(tsl_context *context, const tsl_scf_square *task);
    /* Both triangles of `to` := scale times the lower triangle of `from`, which may be `to`. */
    tsl_status (*symmetrise)(tsl_context *context, const tsl_scf_square *task);
    /* to += scale on the diagonal. */
    tsl_status (*add_diagonal)(tsl_context *context, const tsl_scf_square *task);
    tsl_status (*divide_by_roots)(tsl_context *context, const tsl_scf_roots *task);
} tsl_scf_matrix_ops;

#endif
