/* CG: its matrix, and what a device has to do beside the product. */
#ifndef TSL_NPB_CG_H
#define TSL_NPB_CG_H

#include "blocks/csr/sparse.h"
#include "core/point.h"

/* A class of CG. */
typedef struct tsl_cg_class {
    char name;
    int64_t rows;
    int row_draws;  /* random entries of each vector the matrix is made of */
    int iterations; /* of the power method */
    double shift;
    double zeta;      /* what NPB expects */
    int64_t nonzeros; /* entries of the matrix */
} tsl_cg_class;

/* NULL: there is no such class. */
const tsl_cg_class *tsl_cg_find_class(char name);

enum { TSL_CG_INNER = 25 }; /* iterations of conjugate gradients in each of the power method */

/* NPB's matrix (its routine makea), `count` rows of it from row `first` on:
 *     A = sum over i of w^i v_i v_i^T + (0.1 - shift) I,  w = 0.1^(1 / rows),
 * where v_i has `row_draws` random entries and 0.5 at place i. Made by all threads of the context;
 * the same bits for any number of them. Release with tsl_csr_free(). */
tsl_status tsl_cg_matrix(tsl_csr *out, tsl_context *context, const tsl_cg_class *what,
                         int64_t first, int64_t count);

/* What is taken at least while `count` rows of it with so many entries are made, bytes: they, and
 * the vectors of all rows, or then so many bytes beside them. */
int64_t tsl_cg_making_bytes(const tsl_cg_class *what, int64_t count, int64_t nonzeros,
                            int64_t beside);

enum { TSL_CG_PARTIALS = TSL_SPARSE_SUMS, TSL_CG_SUMS = 3, TSL_CG_NORMS = 2 };

/* Rows of a rank: whole pieces of those in which the CPU sums (blocks/vector/pieces.h), so that no
 * number of ranks changes its sums. Each of up to TSL_CG_RANKS ranks has some, in every class. */
enum { TSL_CG_RANKS = TSL_CG_PARTIALS / 2 };
typedef struct tsl_cg_rows {
    int64_t all, first, count;
} tsl_cg_rows;

tsl_cg_rows tsl_cg_rows_of(int64_t all, int rank, int size);
/* parts[2][ranks] of the context's communicator: the bytes of each rank's rows of a vector, and
 * where they are in a whole one. Owned by the caller: tsl_release(). */
tsl_status tsl_cg_rows_in_bytes(int64_t **parts, tsl_context *context, int64_t all);

/* A rank's rows of the vectors, in device memory. */
typedef struct tsl_cg_vectors {
    int64_t n; /* rows.count */
    tsl_cg_rows rows;
    double *x, *z, *p, *q, *r; /* [n] */
    double *partial;           /* [TSL_CG_SUMS][TSL_CG_PARTIALS]: sums not yet added up */
    double *norms;             /* [TSL_CG_NORMS], of the last iteration */
} tsl_cg_vectors;

/* What ranks that can read each other's memory share, each a GPU of its own: their rows of r and z,
 * and this rank's own copy of a whole vector, of which v->p is a part. */
enum { TSL_CG_PEERS = 16 };
typedef struct tsl_cg_peers {
    int ranks;     /* 0: there are none */
    double *whole; /* [rows.all] */
    const double *r[TSL_CG_PEERS], *z[TSL_CG_PEERS];
    int64_t first[TSL_CG_PEERS + 1]; /* row of each, and behind the last */
} tsl_cg_peers;

/* Where the partial sums of rho are at the beginning of an inner iteration; two places in turn. */
TSL_FN double *tsl_cg_rho(const tsl_cg_vectors *v, int inner)
{
    return v->partial + inner % 2 * TSL_CG_PARTIALS;
}

/* Where those of p.q are. */
TSL_FN double *tsl_cg_product(const tsl_cg_vectors *v)
{
    return v->partial + 2 * TSL_CG_PARTIALS;
}

/* All are asynchronous on the context's stream, and no scalar leaves the device. Sums are made in
 * one order: the same device always gives the same bits. A rank leaves partial sums of its own
 * rows; between an operation that leaves some and the next that uses them, ranks add theirs up,
 * place by place. `inner`: number of the inner iteration, from 0. */
typedef struct tsl_cg_ops {
    /* x <- 1 */
    tsl_status (*ones)(tsl_context *context, const tsl_cg_vectors *v);
    /* z <- 0, r <- p <- x; leaves rho = x.x. */
    tsl_status (*begin)(tsl_context *context, const tsl_cg_vectors *v);
    /* Leaves p.q, for a rank whose product cannot: its rows are not all. NULL: CG does not run on
     * several ranks there. */
    tsl_status (*product)(tsl_context *context, const tsl_cg_vectors *v);
    /* z += alpha p and r -= alpha q, where q = A p and alpha = rho / p.q; leaves rho' = r.r. */
    tsl_status (*advance)(tsl_context *context, const tsl_cg_vectors *v, int inner);
    /* p <- r + (rho' / rho) p */
    tsl_status (*turn)(tsl_context *context, const tsl_cg_vectors *v, int inner);
    /* The next two need all ranks' r, or z, as they are after ranks have last added up sums, and
     * leave them as they are until ranks do so again. NULL like `product`. */
    /* whole <- r, or `from` z */
    tsl_status (*collect)(tsl_context *context, const tsl_cg_peers *peers,
                          const double *const *from);
    /* whole <- r + (rho' / rho) whole */
    tsl_status (*turn_whole)(tsl_context *context, const tsl_cg_vectors *v,
                             const tsl_cg_peers *peers, int inner);
    /* Leaves ||x - r||^2, x.z and z.z, where r = A z, in all of `partial`. */
    tsl_status (*sum_norms)(tsl_context *context, const tsl_cg_vectors *v);
    /* norms <- ||x - r||, x.z; x <- z / ||z||. */
    tsl_status (*normalise)(tsl_context *context, const tsl_cg_vectors *v);
    /* All of that at once, an iteration of the power method, for a matrix that suits: the same
     * bits. NULL: each by itself is as good there. */
    tsl_status (*iterate)(tsl_context *context, const tsl_cg_vectors *v,
                          const struct tsl_device_tiles *matrix);
    bool (*suits)(const struct tsl_device_tiles *matrix); /* NULL does not */
} tsl_cg_ops;

extern const tsl_cg_ops tsl_cg_cpu;

#endif
