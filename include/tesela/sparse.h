/** @file sparse.h
 *  Sparse matrices, and systems of linear equations A x = b solved by Krylov methods.
 *
 *  A matrix is made from the caller's arrays. It is checked and described: whether it is symmetric,
 *  and otherwise which entry is not; rows without a diagonal; lengths of rows. A plan combines a
 *  matrix, or a function that applies one, with a method and a preconditioner. Executing it solves
 *  for one right-hand side. The residual that is reported is b - A x, recomputed at the end, not
 *  the method's own.
 *
 *  **Deterministic.** The order of every sum depends only on the matrix and on whether a CPU or a
 *  GPU computes it. The same system gives the same bits of x and the same number of iterations in
 *  every run, for any number of threads and ranks, and on GPUs of one model. There is one
 *  exception. If a GPU lacks memory for making multigrid's levels, the host makes them on all
 *  ranks. These levels differ, and x then differs within the tolerance. With the option
 *  `deterministic`, planning fails on all ranks instead. This option costs nothing.
 *
 *  **Ranks.** If the context belongs to one of several ranks, these must be on devices of one kind.
 *  All ranks give the same matrix, options and right-hand side, and all receive the whole x. Each
 *  computes a share of the rows that holds about the same number of entries. It receives the parts
 *  of the others' vectors that it needs while it computes what does not need them. On the host
 *  every rank holds the whole matrix; on its device it holds its own rows, and vectors of full
 *  length. If one rank refuses a call or lacks memory, all ranks return its status and error line.
 *
 *  **Devices.** `cpu`, and GPUs: `cuda:0`. Matrices, incomplete factors and blocks are set up on
 *  the host and also stay there. A GPU makes the levels of multigrid itself, unless rows or
 *  aggregates are very long or memory is not enough. For this it needs some 60 bytes an entry,
 *  which it releases afterwards. With several GPUs, each makes all levels from the whole matrix and
 *  keeps them; meanwhile it needs 12 bytes an entry more. The device computes products, vectors and
 *  the multigrid cycle. It sends two or three scalars an iteration to the host.
 *
 *  Rows and columns are numbered from `index_base` in arrays, descriptions and error lines.
 *
 *  Sources: Saad, Iterative Methods for Sparse Linear Systems, 2nd ed. (2003); Hestenes & Stiefel,
 *  J. Res. Natl. Bur. Stand. 49 (1952) 409; Chronopoulos & Gear, J. Comput. Appl. Math. 25 (1989)
 *  153 (single reduction); Ghysels & Vanroose, Parallel Comput. 40 (2014) 224 (pipelined); van der
 *  Vorst, SIAM J. Sci. Stat. Comput. 13 (1992) 631 (BiCGStab); Saad & Schultz, SIAM J. Sci. Stat.
 *  Comput. 7 (1986) 856 (GMRES); Vanek, Mandel & Brezina, Computing 56 (1996) 179 (smoothed
 *  aggregation).
 */
#ifndef TESELA_SPARSE_H
#define TESELA_SPARSE_H

#include <stddef.h>
#include <stdint.h>

#include "tesela/context.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- matrices ----------------------------------------------------------------------------- */

/** A sparse matrix of double-precision entries, stored by rows, on a context's device. */
typedef struct tsl_sparse_matrix tsl_sparse_matrix;

/** What the caller's entries represent. */
typedef enum tsl_sparse_storage {
    TSL_SPARSE_GENERAL = 0,   /**< all entries of the matrix */
    TSL_SPARSE_SYMMETRIC = 1, /**< one triangle, diagonal included: a(j, i) = a(i, j) */
    TSL_SPARSE_SKEW = 2       /**< one triangle, without a diagonal: a(j, i) = -a(i, j) */
} tsl_sparse_storage;

/** How several entries at one place are treated. */
typedef enum tsl_sparse_duplicates {
    TSL_SPARSE_REFUSE = 0, /**< refused with TSL_E_ARG; the error line names the first place */
    TSL_SPARSE_SUM = 1     /**< summed, in the order given */
} tsl_sparse_duplicates;

/** Whether the methods treat a matrix as symmetric. */
typedef enum tsl_sparse_symmetry {
    TSL_SPARSE_JUDGE = 0,          /**< its entries decide */
    TSL_SPARSE_TAKE_SYMMETRIC = 1, /**< symmetric, even if its entries are not */
    TSL_SPARSE_TAKE_GENERAL = 2    /**< not symmetric */
} tsl_sparse_symmetry;

/** How to read the caller's arrays. Initialise with TSL_SPARSE_MATRIX_OPTIONS_INIT. */
typedef struct tsl_sparse_matrix_options {
    size_t size;                /**< sizeof(tsl_sparse_matrix_options) */
    tsl_sparse_storage storage; /**< other than general: the matrix must be square */
    tsl_sparse_duplicates duplicates;
    int index_base; /**< number of the first row and column: 0 or 1 */
    tsl_sparse_symmetry symmetry;
} tsl_sparse_matrix_options;

#define TSL_SPARSE_MATRIX_OPTIONS_INIT                                                             \
    {                                                                                              \
        sizeof(tsl_sparse_matrix_options), TSL_SPARSE_GENERAL, TSL_SPARSE_REFUSE, 0,               \
            TSL_SPARSE_JUDGE                                                                       \
    }

/** Make a matrix from compressed rows (CSR). Row i has the entries k with row_start[i] <= k <
 *  row_start[i + 1]: value[k] in column[k]. Columns may be in any order within a row.
 *
 *  @param[out] out           the matrix, owned by the caller: tsl_sparse_matrix_destroy()
 *  @param[in]  rows          1 to 2^31 - 1
 *  @param[in]  columns       1 to 2^31 - 1
 *  @param[in]  row_start     host memory, [rows + 1], ascending from 0 for either index base
 *  @param[in]  column        host memory, [row_start[rows]] of int32_t or int64_t
 *  @param[in]  column_bytes  4 or 8
 *  @param[in]  value         host memory, [row_start[rows]], finite
 *  @param[in]  options       NULL takes the defaults
 *  @return TSL_OK; TSL_E_ARG for a size out of range, descending offsets, a column out of range, an
 *          entry that is not finite, two entries at one place, or entries of a symmetric or skew
 *          matrix in both triangles or of a skew matrix on the diagonal: the error line names the
 *          row; TSL_E_ARG also if the ranks give different matrices; TSL_E_NOMEM; TSL_E_UNSUPPORTED
 *          on a device that has no solver, or for ranks on devices of different kinds; TSL_E_COMM.
 *
 *  The arrays are copied. Zeros in the arrays are kept as entries. Synchronous. Collective over the
 *  context's ranks, as are all functions below except those that describe and release. */
TSL_API tsl_status tsl_sparse_matrix_create(tsl_sparse_matrix **out, tsl_context *context,
                                            int64_t rows, int64_t columns, const int64_t *row_start,
                                            const void *column, int column_bytes,
                                            const double *value,
                                            const tsl_sparse_matrix_options *options);

/** Make a matrix from coordinates, in any order: entry k is value[k] at (row[k], column[k]).
 *
 *  @param[out] out     the matrix, owned by the caller: tsl_sparse_matrix_destroy()
 *  @param[in]  count   number of entries, >= 0
 *  @param[in]  row     host memory, [count]
 *  @param[in]  column  host memory, [count]
 *  @param[in]  value   host memory, [count], finite
 *
 *  Everything else, and the status, is as for tsl_sparse_matrix_create(). For a row out of range
 *  the error line names the number of the entry, counted from 1. */
TSL_API tsl_status tsl_sparse_matrix_from_coordinates(tsl_sparse_matrix **out, tsl_context *context,
                                                      int64_t rows, int64_t columns, int64_t count,
                                                      const int64_t *row, const int64_t *column,
                                                      const double *value,
                                                      const tsl_sparse_matrix_options *options);

/** Replace A by -A. For a negative definite matrix, CG can then solve -A x = -b. No plan of the
 *  matrix may exist. The description is computed again.
 *
 *  @return TSL_OK; TSL_E_NOMEM: the matrix can then only be destroyed; TSL_E_COMM. Collective. */
TSL_API tsl_status tsl_sparse_matrix_negate(tsl_sparse_matrix *matrix);

/** Release a matrix. NULL is allowed. Plans made with it must be destroyed before. */
TSL_API void tsl_sparse_matrix_destroy(tsl_sparse_matrix *matrix);

/** Properties of a matrix. A row and column of -1 mean that there is no such place. */
typedef struct tsl_sparse_description {
    int64_t rows, columns;
    int64_t nonzeros;     /**< number of entries, in both triangles */
    int64_t shortest_row; /**< entries of the shortest row */
    int64_t longest_row;
    double mean_row;             /**< nonzeros / rows */
    double row_deviation;        /**< standard deviation of the rows' lengths */
    int64_t empty_rows;          /**< number of rows without an entry, and the first such row */
    int64_t first_empty_row;     /**< -1: none */
    int64_t bandwidth;           /**< largest |i - j| of an entry */
    int64_t zero_diagonals;      /**< number of rows i <= columns where a(i, i) is 0 or not there */
    int64_t first_zero_diagonal; /**< -1: none */
    int64_t negative_diagonals;
    int64_t first_negative_diagonal; /**< -1: none */
    int symmetric_pattern;           /**< 1: square, and each a(i, j) has an a(j, i) */
    int symmetric;                   /**< 1: the values are symmetric too, to 1e-12 of the largest
                                          of |a(i, j)|, |a(j, i)| and sqrt|a(i, i) a(j, j)|, where
                                          absent entries count as 0; or the option `symmetry` says
                                          so */
    int64_t unsymmetric_row;         /**< first entry, by rows, that is not symmetric; */
    int64_t unsymmetric_column;      /**< -1: no such entry, or the matrix is not square */
    double asymmetry;                /**< largest |a(i, j) - a(j, i)|, relative to the same largest
                                          value; 0: none */
    int64_t dominant_rows;           /**< rows with |a(i, i)| >= sum of the other |a(i, j)| */
    int64_t indefinite_row;    /**< first entry, by rows, of a symmetric matrix with a(i, i) and */
    int64_t indefinite_column; /**< a(j, j) > 0, |a(i, j)| > a(i, i), and |a(i, j)| more than 1e-10
                                    above sqrt(a(i, i) a(j, j)). It shows that the matrix is
                                    indefinite. -1: no such entry; the matrix may still be
                                    indefinite */
    double largest;            /**< largest |a(i, j)| */
    const char *format; /**< how rows are stored for products, chosen by their lengths: "csr" or
                             "sliced-ell". GPUs also have "csr-split" and "sliced-ell-split", which
                             cut very long rows, "column-blocks", for random columns, and
                             "csr-blocks", for random columns in long rows. Static string */
    int64_t bytes;      /**< bytes of the matrix that a product reads, for this rank's rows */
} tsl_sparse_description;

/** Describe a matrix. `out` is filled completely. */
TSL_API void tsl_sparse_matrix_describe(const tsl_sparse_matrix *matrix,
                                        tsl_sparse_description *out);

/** Compute y = A x.
 *
 *  @param[out] y  device memory, [rows]; must not overlap x
 *  @param[in]  x  device memory, [columns], finite
 *  @return TSL_OK; TSL_E_ARG for NULL; TSL_E_COMM.
 *
 *  Accuracy: the error of each row is at most (entries + 2) 2^-53 times the sum of its absolute
 *  terms. Synchronous. With several ranks each computes its share, and all receive y. Collective.
 */
TSL_API tsl_status tsl_sparse_matrix_multiply(tsl_sparse_matrix *matrix, double *y,
                                              const double *x);

/* ---- solving ------------------------------------------------------------------------------ */

/** Methods. The first three need a matrix and a preconditioner that are symmetric positive
 *  definite, or semidefinite with b in the range of the matrix. These methods, and the
 *  preconditioners with the same requirement, refuse a matrix while planning if a diagonal entry is
 *  <= 0, or if an a(i, j) is too large for the diagonal (tsl_sparse_description.indefinite_row).
 *  Other indefinite matrices are found only if a search direction has the curvature p.A p <= 0. For
 *  example, take A with 3 rows, 1 on the diagonal and -0.9 elsewhere, and b = (1, -1, 0): the first
 *  direction leads to the solution, which is correct. */
typedef enum tsl_linsolve_method {
    TSL_LINSOLVE_CG = 0,                  /**< conjugate gradients */
    TSL_LINSOLVE_CG_SINGLE_REDUCTION = 1, /**< one reduction in each iteration, not two */
    TSL_LINSOLVE_CG_PIPELINED = 2, /**< that reduction overlaps with the product; its residual is
                                        the first to drift */
    TSL_LINSOLVE_BICGSTAB = 3,     /**< any square matrix; two products in each iteration */
    TSL_LINSOLVE_GMRES = 4, /**< any square matrix; restarted, preconditioned from the right */
    TSL_LINSOLVE_DIRECT = 5 /**< any square matrix: sparse LU factors by SuperLU on the host of rank
                                 0, with rows and columns scaled, then iterative refinement; no
                                 preconditioner */
} tsl_linsolve_method;

/** Preconditioners. */
typedef enum tsl_linsolve_preconditioner {
    TSL_LINSOLVE_NONE = 0,
    TSL_LINSOLVE_JACOBI = 1,       /**< the diagonal */
    TSL_LINSOLVE_BLOCK_JACOBI = 2, /**< blocks of `block` rows on the diagonal, inverted */
    TSL_LINSOLVE_IC0 = 3,          /**< incomplete Cholesky factors on the matrix's own pattern */
    TSL_LINSOLVE_ILU0 = 4,         /**< incomplete LU factors on the matrix's own pattern */
    TSL_LINSOLVE_CHEBYSHEV = 5,    /**< a polynomial of `degree` in the scaled matrix */
    TSL_LINSOLVE_MULTIGRID = 6     /**< a V-cycle of smoothed aggregation */
} tsl_linsolve_preconditioner;

/** The smoother on each level of multigrid, before and after the coarser levels. */
typedef enum tsl_linsolve_smoother {
    TSL_LINSOLVE_SMOOTH_JACOBI = 0,   /**< two damped Jacobi steps */
    TSL_LINSOLVE_SMOOTH_CHEBYSHEV = 1 /**< a Chebyshev polynomial of `degree` */
} tsl_linsolve_smoother;

/** Called after each iteration with the method's own residual norm, relative to the norm of b.
 *  Iteration 0 is the initial guess. With several ranks only rank 0 calls it, and its answer counts
 *  on all ranks; give it on all of them or on none. CG on a GPU, without preconditioner or with
 *  Jacobi, reports 16 iterations at a time, and stops only after these.
 *  @return 0 to go on; anything else stops the solution with TSL_E_CANCELLED */
typedef int (*tsl_linsolve_progress)(void *user, int64_t iteration, double residual);

/** How to solve. Initialise with TSL_LINSOLVE_OPTIONS_INIT. */
typedef struct tsl_linsolve_options {
    size_t size; /**< sizeof(tsl_linsolve_options) */
    tsl_linsolve_method method;
    tsl_linsolve_preconditioner preconditioner;
    double tolerance;       /**< stop at ||b - A x|| <= tolerance ||b||; 0 to 0.999999 */
    double absolute;        /**< or stop at ||b - A x|| <= absolute, >= 0 */
    int64_t max_iterations; /**< >= 0; an inner step of GMRES counts as one */
    int restart;            /**< for GMRES: number of basis vectors, 1 to 1000 */
    int block;              /**< for block Jacobi: rows of a block, 1 to 64 */
    int degree; /**< degree of Chebyshev polynomials, for preconditioner and smoother, 1 to 64 */
    tsl_linsolve_smoother smoother;
    double eigenvalue_ratio; /**< Chebyshev damps the eigenvalues of D^-1 A from largest / ratio to
                                  largest; > 1; 0: 30 as preconditioner; as smoother 4, or 3 where
                                  the degree is less than 3 */
    double strength;     /**< multigrid: a(i, j) is strong if its square exceeds strength^2 a(i, i)
                              a(j, j); 0 to 1; halved on each coarser level */
    int64_t coarse_rows; /**< multigrid: a level of at most this many rows is solved directly, 1 to
                              4000 */
    const double *near_null; /**< multigrid: host memory, [rows], a vector that A makes small. No
                                  entry may be 0, or less than 2^-480 (3e-145) of another. Read
                                  while planning; NULL: ones */
    tsl_linsolve_progress progress; /**< NULL: none */
    void *user;                     /**< passed to `progress` */
    int deterministic; /**< 1: if a GPU lacks memory for making multigrid's levels, planning fails
                            with TSL_E_NOMEM; 0: the host makes other levels */
} tsl_linsolve_options;

#define TSL_LINSOLVE_OPTIONS_INIT                                                                  \
    {                                                                                              \
        sizeof(tsl_linsolve_options), TSL_LINSOLVE_CG, TSL_LINSOLVE_JACOBI, 1e-8, 0.0, 10000, 30,  \
            8, 3, TSL_LINSOLVE_SMOOTH_CHEBYSHEV, 0.0, 0.08, 500, NULL, NULL, NULL, 0               \
    }

/** A plan: a matrix with a method and a preconditioner, and their work space. */
typedef struct tsl_linsolve_plan tsl_linsolve_plan;

/** Prepare to solve with a matrix: check that the method suits it, make the preconditioner, and
 *  allocate memory.
 *
 *  @param[out] out      the plan, owned by the caller: tsl_linsolve_plan_destroy()
 *  @param[in]  matrix   square; borrowed: must outlive the plan
 *  @param[in]  options  copied; NULL takes the defaults
 *  @return TSL_OK; TSL_E_ARG for options out of range, a matrix that is not square, a matrix that
 *          is not symmetric or has a diagonal entry <= 0 with a CG method, IC(0), Chebyshev or
 *          multigrid, a zero on the diagonal with Jacobi or ILU(0), a singular block, or a
 *          factorisation that breaks down: the error line names the entry and the remedy;
 *          TSL_E_NOMEM, for the direct method also if its factors take more than half of the free
 *          memory or 2 GiB; TSL_E_UNSUPPORTED for the direct method in a build without SuperLU;
 *          TSL_E_COMM. Collective.
 */
TSL_API tsl_status tsl_linsolve_plan_create(tsl_linsolve_plan **out, tsl_sparse_matrix *matrix,
                                            const tsl_linsolve_options *options);

/** Computes y = A x for vectors in device memory, [rows]. It must give the same y for the same x. A
 *  status other than TSL_OK ends the solution with that status. */
typedef tsl_status (*tsl_linsolve_operator)(void *user, double *y, const double *x);

/** Prepare to solve with a function in place of a matrix.
 *
 *  @param[out] out       the plan, owned by the caller: tsl_linsolve_plan_destroy()
 *  @param[in]  rows      1 to 2^31 - 1
 *  @param[in]  apply     applies the operator; it and `user` are borrowed: must outlive the plan
 *  @param[in]  user      passed to `apply`
 *  @param[in]  diagonal  host memory, [rows], the operator's diagonal, copied; NULL: not known
 *  @return as tsl_linsolve_plan_create(); TSL_E_ARG for a preconditioner other than none or, with a
 *          diagonal, Jacobi and Chebyshev; TSL_E_UNSUPPORTED for a context of several ranks.
 *
 *  The CG methods assume that the operator is symmetric. This is not checked. */
TSL_API tsl_status tsl_linsolve_plan_create_operator(tsl_linsolve_plan **out, tsl_context *context,
                                                     int64_t rows, tsl_linsolve_operator apply,
                                                     void *user, const double *diagonal,
                                                     const tsl_linsolve_options *options);

/** Release a plan; NULL is fine. */
TSL_API void tsl_linsolve_plan_destroy(tsl_linsolve_plan *plan);

/** Why a solution stopped. */
typedef enum tsl_linsolve_stop {
    TSL_LINSOLVE_CONVERGED = 0,
    TSL_LINSOLVE_ITERATIONS = 1, /**< max_iterations were not enough */
    TSL_LINSOLVE_INDEFINITE = 2, /**< a CG method found p.A p <= 0 or r.M r <= 0: see `curvature` */
    TSL_LINSOLVE_BREAKDOWN = 3,  /**< a scalar of the recurrence became 0: no further step exists */
    TSL_LINSOLVE_STAGNATED = 4,  /**< the recomputed residual no longer falls, or it grew by 1e8.
                                      Either b is not in the matrix's range, or rounding allows no
                                      more */
    TSL_LINSOLVE_NOT_FINITE = 5, /**< a number overflowed */
    TSL_LINSOLVE_CANCELLED = 6,  /**< `progress` asked to stop, or an operator returned
                                      TSL_E_CANCELLED */
    TSL_LINSOLVE_FAILED = 7      /**< an operator, a rank or a device failed */
} tsl_linsolve_stop;

enum { TSL_LINSOLVE_LEVELS = 32 }; /**< largest number of levels of multigrid */

/** Report on a solution. */
typedef struct tsl_linsolve_report {
    tsl_linsolve_stop stop;
    int64_t iterations;   /**< number of iterations */
    double rhs_norm;      /**< ||b|| */
    double residual;      /**< ||r|| / ||b|| by the method's own recurrence (||r|| if b = 0) */
    double true_residual; /**< ||b - A x|| / ||b|| of the x that is returned, recomputed (||b - A
                               x|| if b = 0) */
    double unscaled_residual; /**< for a badly scaled matrix, where rounding keeps ||r|| / ||b||
                                   above the tolerance: ||r|| / ||b||, and true_residual is that of
                                   D^-1/2 r; else 0 */
    int restarts;         /**< number of times that the recurrence was restarted from the recomputed
                               residual, because the two had drifted apart, because it had broken
                               down (BiCGStab), or because rounding had overtaken it (the other CG
                               methods). GMRES's own restarts do not count */
    double curvature;     /**< with TSL_LINSOLVE_INDEFINITE: p.A p / p.p (or r.M r / r.r) */
    double setup_seconds; /**< seconds for making the plan */
    double seconds;       /**< seconds for solving */
    int64_t products;     /**< number of products with the matrix */
    double product_seconds; /**< seconds in products; 0 on a GPU, where products are queued with all
                                 other work */
    double product_gbs;     /**< 10^9 bytes a second in products, counting matrix, x and y once
                                 each; 0 for an operator or a GPU */
    double condition;       /**< direct: condition number of the scaled matrix in the 1-norm,
                                 estimated from below; 0: another method, or singular */
    int64_t factor_entries; /**< direct: entries of both factors; else 0 */
    int levels;             /**< levels of multigrid; 0: no multigrid */
    double grid_complexity; /**< rows of all levels / rows */
    double operator_complexity; /**< entries of all levels / entries */
    int64_t level_rows[TSL_LINSOLVE_LEVELS];
    int64_t level_nonzeros[TSL_LINSOLVE_LEVELS];
} tsl_linsolve_report;

/** Solve A x = b.
 *
 *  @param[in,out] x       device memory, [rows]: the initial guess, then the solution
 *  @param[in]     b       device memory, [rows]; must not overlap x
 *  @param[out]    report  filled completely; NULL: not wanted
 *  @return TSL_OK if converged. TSL_E_NOCONV if it stopped for another reason: the error line says
 *          why, at which step, and what may help; `report` is filled. If the limit on iterations
 *          stopped it, x is the last iterate. Otherwise, and where the recurrence was restarted, x
 *          is about the best iterate so far, no worse than the initial guess. TSL_E_CANCELLED: the
 *          same, and x is the last iterate. TSL_E_ARG if an address is NULL or a number of b or x
 *          is not finite: the error line names the row; x is untouched. TSL_E_COMM; the status that
 *          an operator returned.
 *
 *  Accuracy: converged means that the recomputed residual r = b - A x meets the tolerance. The
 *  error of x is then up to the condition number of A times that. If the method's own residual
 *  meets the tolerance but the recomputed one does not, the method restarts from there.
 *
 *  CG with Jacobi is stricter if the diagonal D spans more than twelve decades, so that each
 *  component of x is accurate. Then ||D^-1/2 r|| / ||D^-1/2 b|| has to meet the tolerance, and the
 *  method goes on to a ten-thousandth of it as far as rounding allows. ||r|| / ||b|| has to meet
 *  the tolerance too, unless it is no more than the rounding errors of the products:
 *  report->unscaled_residual.
 *
 *  Allocates nothing. Synchronous. Collective. */
TSL_API tsl_status tsl_linsolve_execute(tsl_linsolve_plan *plan, double *x, const double *b,
                                        tsl_linsolve_report *report);

/** Names, as the command `tesela solve` takes them: "cg", "cg-single", "cg-pipelined", "bicgstab",
 *  "gmres", "direct"; "none", "jacobi", "block-jacobi", "ic0", "ilu0", "chebyshev", "multigrid";
 *  "converged", "iterations", "indefinite", "breakdown", "stagnated", "not-finite", "cancelled",
 *  "failed". NULL for any other number, so that a loop can end there. The strings are static. */
TSL_API const char *tsl_linsolve_method_name(tsl_linsolve_method method);
TSL_API const char *tsl_linsolve_preconditioner_name(tsl_linsolve_preconditioner preconditioner);
TSL_API const char *tsl_linsolve_stop_name(tsl_linsolve_stop stop);

#ifdef __cplusplus
}
#endif

#endif
