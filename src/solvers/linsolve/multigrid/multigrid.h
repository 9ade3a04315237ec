/* Smoothed aggregation: how levels are made, and what each holds. */
#ifndef TSL_SPARSE_MULTIGRID_H
#define TSL_SPARSE_MULTIGRID_H

#include "blocks/csr/rows.h"
#include "device/device.h"
#include "solvers/linsolve/linsolve.h"
#include "solvers/linsolve/multigrid/gpu/coarsen_gpu.h"
#include "solvers/linsolve/precondition/smooth.h"

/* ---- making a level (aggregate.c, prolong.c, galerkin.c)
 * -------------------------------------------------
 */

/* A matrix with what is used of it again and again. */
typedef struct tsl_graph {
    const tsl_csr *matrix;
    const double *inverse; /* [rows]: 1 / a(i, i), > 0 */
    double strength;       /* a(i, j) is strong if its square exceeds strength^2 a(i, i) a(j, j) */
    int64_t bandwidth;     /* how far the farthest entry is from the diagonal */
} tsl_graph;

static inline bool tsl_is_strong(const tsl_graph *g, int64_t i, int64_t k)
{
    const int64_t j = g->matrix->column[k];
    return j != i &&
           tsl_is_strong_value(g->matrix->value[k], g->inverse[i], g->inverse[j], g->strength);
}

/* What one look at all rows tells. */
typedef struct tsl_matrix_facts {
    int64_t bandwidth;
    int64_t wrong;      /* first row without a finite positive 1 / a(i, i); `rows`: none */
    double least, most; /* 1 / a(i, i) */
    double row_sum;     /* the largest of |D^-1 A| */
} tsl_matrix_facts;

/* inverse [rows] becomes 1 / a(i, i). */
tsl_matrix_facts tsl_matrix_look_at(double *inverse, const tsl_csr *m, int threads);

/* Join rows that are strongly connected: aggregate[rows] becomes the number of each row's, or
 * TSL_NO_AGGREGATE for one without strong entries; *count, how many there are. */
tsl_status tsl_aggregate(int32_t *aggregate, int64_t *count, tsl_context *context,
                         const tsl_graph *g);

/* A vector that the matrix makes small, on the next level: out[count] becomes the norm of
 * near_null on each aggregate. */
void tsl_aggregate_norms(double *out, const double *near_null, const int32_t *aggregate,
                         int64_t rows, int64_t count);

/* What a prolongator is made of. */
typedef struct tsl_prolongation {
    const tsl_graph *g;
    const int32_t *aggregate; /* [rows] */
    int64_t count;            /* of aggregates */
    const double *near_null;  /* [rows]; NULL: ones */
    const double *norm;       /* [count]: its norm on each aggregate; of ones: NULL */
    double omega;
} tsl_prolongation;

/* The rows of each of so many aggregates, ascending: T^T without values. */
tsl_status tsl_members_make(tsl_csr *out, tsl_context *context, const int32_t *aggregate,
                            int64_t rows, int64_t count);

/* T has near_null[i] / norm[a] at (i, a = aggregate[i]), or 1, and ones go on to the next level. */
tsl_status tsl_tentative(tsl_csr *out, tsl_context *context, const tsl_prolongation *from);

/* The values of T [rows], of so many bytes each; NULL in *out: ones. */
tsl_status tsl_tentative_weight(void **out, tsl_context *context, const tsl_prolongation *from,
                                int bytes);

/* A row of P = (1 - omega D^-1 F) T, in any order: F is the matrix without its weak entries, which
 * are added to the diagonal. */
void tsl_prolongator_row(tsl_row *out, const tsl_prolongation *p, int64_t i);

typedef struct tsl_coarsening {
    const tsl_prolongation *from;
    const tsl_csr *members; /* the rows of each aggregate: T^T, whose values are not looked at */
} tsl_coarsening;

/* The next level's matrix P^T A P, columns ascending. P, P^T and A P, which would be the largest of
 * all, are only there window by window. */
tsl_status tsl_galerkin(tsl_csr *out, tsl_context *context, const tsl_coarsening *c);

/* ---- the coarsest level (dense.c) ---------------------------------------------------------------
 */

/* A's Cholesky factor L, dense: below the diagonal by rows, above it L^T, on it 1 / pivot; of A
 * only the lower triangle is read. Where a pivot is no more than rounding, as in a singular matrix,
 * that row of the solution is 0. */
tsl_status tsl_dense_factor(double **out, tsl_context *context, const tsl_csr *a);
/* Solve in place. */
void tsl_dense_solve(const double *l, int64_t n, double *x);
/* All solutions of unit vectors, as a matrix by rows; symmetric to the last bit. */
tsl_status tsl_dense_inverse(tsl_csr *out, tsl_context *context, const double *l, int64_t n);

/* ---- a level ------------------------------------------------------------------------------------
 */

enum { TSL_DENSE_ROWS = 4000 /* at most, of a level that is solved directly */ };

typedef struct tsl_level {
    int64_t rows, nonzeros;
    int64_t bandwidth;     /* as the host found it */
    const tsl_csr *matrix; /* `own`, or on the finest level the caller's; NULL: only the device has
                              it */
    tsl_csr own;           /* without values while a GPU's levels are distributed */
    int32_t *aggregate;    /* [rows]: the rows' aggregates, as the host made them */
    void *weight;          /* [rows]: T's entries; NULL: ones */
    tsl_csr p, r; /* T and T^T: to this level from the next, and back; on the host. Of T^T the CPU
                     has no values, and T only for other ranks' sake */
    tsl_layout own_layout;
    const tsl_layout *layout;
    tsl_form form, form_p, form_r;
    tsl_halo halo, halo_p, halo_r;
    tsl_smoother smoother;
    void *inverse_diagonal;
    void *b, *x[2]; /* [rows] in the precision of the cycle */
    bool pooled;    /* the four vectors are among what is released with `kept` */
} tsl_level;

typedef struct tsl_multigrid {
    tsl_context *context;
    int bytes;    /* precision of the cycle: 4, or 8 where that is not enough */
    double scale; /* of all matrices, so that they fit single precision */
    int levels;
    tsl_level level[TSL_LINSOLVE_LEVELS];
    bool solved;      /* the coarsest level; else it is only smoothed */
    double *factor;   /* of the coarsest, on the CPU */
    double *dense;    /* [rows of the coarsest], on the CPU */
    tsl_form inverse; /* of the coarsest, on a GPU */
    tsl_space kept;   /* the device memory of levels that the device has made */
    bool by_host;     /* levels that a GPU might have made */
    double
        *near_null; /* the caller's where it had to be scaled, for making levels again; else NULL */
    double *sums;   /* of one column */
    tsl_recording *cycle; /* from level[0].b to `result`; NULL: there are other ranks, for which
                             recorded work cannot wait */
    void *result;         /* the solution of a cycle that was recorded */
} tsl_multigrid;

/* The level's smoother, but its largest eigenvalue. */
void tsl_level_begin_smoother(const tsl_multigrid *mg, tsl_level *v,
                              const tsl_linsolve_options *options);

/* "row … of a level has … on the diagonal" */
tsl_status tsl_fail_diagonal(tsl_context *context, int64_t row, double diagonal);

/* Distribute the rows of a level below the finest, whose layout is there. `row_start` may be NULL
 * where it is whole. */
tsl_status tsl_level_lay_out(const tsl_multigrid *mg, tsl_level *v, const int64_t *row_start);
/* Distribute the rows of a level whose matrix is on the GPU alone; where it is distributed `own`
 * becomes its pattern. */
tsl_status tsl_level_lay_out_on_gpu(const tsl_multigrid *mg, tsl_level *v,
                                    const tsl_device_rows *a);

/* What there is of the finest level on a GPU. */
typedef struct tsl_finest {
    const tsl_form *form; /* of all rows, as a rank alone has them: the plan's, or `made` */
    tsl_form made;        /* where there are other ranks; for the caller to free */
    tsl_fine all, own;    /* in that, and in the plan's, which is of this rank's rows */
} tsl_finest;
tsl_status tsl_finest_find(tsl_finest *out, const tsl_linsolve_plan *plan);

/* Of each level that a GPU has made for all rows, keep the form of this rank's rows, and make
 * halos. */
tsl_status tsl_levels_distribute(tsl_multigrid *mg);

/* All levels but the coarsest's solution, on a GPU that makes such (setup_gpu.c). *left becomes
 * NULL, or a stage's name: why they are left to the host, which has to begin anew. */
tsl_status tsl_setup_on_gpu(const char **left, tsl_multigrid *mg, const tsl_linsolve_plan *plan);

/* Queue a V-cycle on the finest level's right-hand side: the work that is recorded. */
tsl_status tsl_multigrid_cycle(void *self);

/* z = M r: one V-cycle. `norm` as of tsl_preconditioner. */
tsl_status tsl_multigrid_apply(void *self, double *z, const double *r, double norm);
/* A V-cycle in single precision: *factor times *z = M r. */
tsl_status tsl_multigrid_apply_single(void *self, const float **z, double *factor, const double *r,
                                      double norm);

#endif
