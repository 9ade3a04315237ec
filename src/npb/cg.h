/* CG: its matrix, and what a device has to do beside the product. */
#ifndef TSL_NPB_CG_H
#define TSL_NPB_CG_H

#include "blocks/sparse/sparse.h"

/* A class of CG. */
typedef struct tsl_cg_class {
    char name;
    int64_t rows;
    int row_draws;  /* random entries of each vector the matrix is made of */
    int iterations; /* of the power method */
    double shift;
    double zeta;      /* what NPB expects */
    int64_t nonzeros; /* entries of the matrix; 0: not known */
} tsl_cg_class;

/* NULL: there is no such class. */
const tsl_cg_class *tsl_cg_find_class(char name);

enum { TSL_CG_INNER = 25 }; /* iterations of conjugate gradients in each of the power method */

/* NPB's matrix (its routine makea), rows first … first + count - 1 of it:
 *     A = sum over i of w^i v_i v_i^T + (0.1 - shift) I,  w = 0.1^(1 / rows),
 * where v_i has `row_draws` random entries and 0.5 at place i. Made by all threads of the context;
 * the same bits for any number of them. Release with tsl_csr_free(). */
tsl_status tsl_cg_matrix(tsl_csr *out, tsl_context *context, const tsl_cg_class *what,
                         int64_t first, int64_t count);

/* Vectors in device memory. */
typedef struct tsl_cg_vectors {
    int64_t n;
    double *x, *z, *p, *q, *r; /* [n] */
    double *partial;           /* [TSL_CG_SUMS][TSL_CG_PARTIALS]: sums not yet added up */
    double *norms;             /* [TSL_CG_NORMS], of the last iteration */
} tsl_cg_vectors;

enum { TSL_CG_PARTIALS = TSL_SPARSE_SUMS, TSL_CG_SUMS = 3, TSL_CG_NORMS = 2 };

/* Where the product leaves p.q. */
static inline double *tsl_cg_product(const tsl_cg_vectors *v)
{
    return v->partial + 2 * TSL_CG_PARTIALS;
}

/* All are asynchronous on the context's stream, and no scalar leaves the device. Sums are made in
 * one order: the same device always gives the same bits. */
typedef struct tsl_cg_ops {
    /* x <- 1 */
    tsl_status (*ones)(tsl_context *context, const tsl_cg_vectors *v);
    /* z <- 0, r <- p <- x, rho <- x.x */
    tsl_status (*begin)(tsl_context *context, const tsl_cg_vectors *v);
    /* With q = A p and tsl_cg_product(): alpha = rho / p.q, z += alpha p, r -= alpha q, rho' = r.r,
     * p <- r + (rho' / rho) p. `inner`: number of the iteration, from 0. */
    tsl_status (*step)(tsl_context *context, const tsl_cg_vectors *v, int inner);
    /* With r = A z: norms <- ||x - r||, x.z; then x <- z / ||z||. */
    tsl_status (*finish)(tsl_context *context, const tsl_cg_vectors *v);
} tsl_cg_ops;

extern const tsl_cg_ops tsl_cg_cpu;

#endif
