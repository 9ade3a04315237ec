/** @file sparse.h
 *  Sparse matrices, and systems of linear equations A x = b solved by Krylov methods.
 *
 *  A matrix is made from the caller's arrays, checked and described: symmetric or not, and which
 *  entry breaks it; rows without a diagonal; lengths of rows. A plan joins a matrix, or a function
 *  that applies one, with a method and a preconditioner; executing it solves for one right-hand
 *  side and reports the residual b - A x that was recomputed at the end, not the method's own.
 *
 *  **Deterministic.** Every sum has one order, which depends on the matrix alone, and on whether it
 *  is a CPU that adds it up or a GPU. The same system gives the same bits of x and the same number
 *  of iterations in every run, for any number of threads and ranks, and on GPUs of one model.
 *  One thing can stand in the way: a GPU that lacks memory for making multigrid's levels leaves
 *  them to the host, on all ranks, and the host makes others; x then differs within the tolerance.
 *  With the option `deterministic` planning fails instead, on all ranks. It costs nothing.
 *
 *  **Ranks.** Where the context belongs to one of several ranks, on devices of one kind, all of
 *  them give the same matrix, options and right-hand side, and all receive the whole x. Each
 *  computes a share of the rows that holds about the same number of entries, and receives what it
 *  needs of the others' vectors while it computes what needs nothing of them. On the host every
 *  rank holds the whole matrix; on its device, its own rows, and vectors of full length. What one
 *  of them is refused, or has no memory for, is the outcome of all: they return its status, with
 *  its line.
 *
 *  **Devices.** `cpu`, and GPUs: `cuda:0`. Matrices, incomplete factors and blocks are set up on
 *  the host, and stay there too; levels of multigrid a GPU makes itself unless rows or aggregates
 *  are very long or memory runs out. For that it takes some 60 bytes of its memory an entry, which
 *  it gives back. Of several each makes all levels, from the whole matrix, which it takes 12 bytes
 *  an entry more for meanwhile, and keeps all of them. Products, vectors and the cycle are the
 *  device's, which hands two or three scalars an iteration to the host.
 *
 *  Rows and columns are numbered from `index_base` in arrays, descriptions and error lines alike.
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

/** A sparse matrix of double-precision entries, by rows, on a context's device. */
typedef struct tsl_sparse_matrix tsl_sparse_matrix;

/** What the caller's entries stand for. */
typedef enum tsl_sparse_storage {
    TSL_SPARSE_GENERAL = 0,   /**< themselves */
    TSL_SPARSE_SYMMETRIC = 1, /**< one triangle: a(i, j) is a(j, i) too */
    TSL_SPARSE_SKEW = 2       /**< one triangle: -a(i, j) is a(j, i); no diagonal */
} tsl_sparse_storage;

/** What becomes of several entries at one place. */
typedef enum tsl_sparse_duplicates {
    TSL_SPARSE_REFUSE = 0, /**< TSL_E_ARG, the line names the first place */
    TSL_SPARSE_SUM = 1     /**< their sum, added in the order given */
} tsl_sparse_duplicates;

/** What the methods are to take a matrix for. */
typedef enum tsl_sparse_symmetry {
    TSL_SPARSE_JUDGE = 0,          /**< what its entries say */
    TSL_SPARSE_TAKE_SYMMETRIC = 1, /**< symmetric, however its entries differ */
    TSL_SPARSE_TAKE_GENERAL = 2    /**< not symmetric */
} tsl_sparse_symmetry;

/** How to read the arrays. Initialise with TSL_SPARSE_MATRIX_OPTIONS_INIT. */
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

/** Make a matrix from compressed rows: row i has the entries from row_start[i] on, up to
 *  but not including row_start[i + 1].
 *  Columns may come in any order within a row.
 *
 *  @param[out] out           the matrix, owned by the caller: tsl_sparse_matrix_destroy()
 *  @param[in]  rows          1 … 2^31 - 1
 *  @param[in]  columns       1 … 2^31 - 1
 *  @param[in]  row_start     host memory, [rows + 1], ascending from 0 (whatever the index base)
 *  @param[in]  column        host memory, [row_start[rows]] of int32_t or int64_t
 *  @param[in]  column_bytes  4 or 8
 *  @param[in]  value         host memory, [row_start[rows]], finite
 *  @param[in]  options       NULL takes the defaults
 *  @return TSL_OK; TSL_E_ARG for a size out of range, offsets that descend, a column out of range,
 *          an entry that is not finite, two entries at one place, entries in both triangles of a
 *          symmetric or skew matrix or on the diagonal of a skew one: the line names the row; or
 *          for matrices that are not the same on all ranks; TSL_E_NOMEM; TSL_E_UNSUPPORTED on a
 *          device that has no solver, or for ranks on devices of several kinds; TSL_E_COMM.
 *
 *  The arrays are copied. Zeros that are given stay entries. Synchronous; collective over the
 *  context's ranks, as all that follows but the functions that describe and release. */
TSL_API tsl_status tsl_sparse_matrix_create(tsl_sparse_matrix **out, tsl_context *context,
                                            int64_t rows, int64_t columns, const int64_t *row_start,
                                            const void *column, int column_bytes,
                                            const double *value,
                                            const tsl_sparse_matrix_options *options);

/** Make a matrix from coordinates, in any order: entry k is value[k] at (row[k], column[k]).
 *
 *  @param[in] count   entries, >= 0
 *  @param[in] row     host memory, [count]; `column` and `value` likewise
 *
 *  All else, and what is returned, as of tsl_sparse_matrix_create(). A row out of range is named by
 *  the number of its entry, from 1. */
TSL_API tsl_status tsl_sparse_matrix_from_coordinates(tsl_sparse_matrix **out, tsl_context *context,
                                                      int64_t rows, int64_t columns, int64_t count,
                                                      const int64_t *row, const int64_t *column,
                                                      const double *value,
                                                      const tsl_sparse_matrix_options *options);

/** A becomes -A: CG solves -A x = -b of a negative definite matrix. No plan of the matrix may be
 *  there. Its description is made anew.
 *
 *  @return TSL_OK; TSL_E_NOMEM, and the matrix is of no more use; TSL_E_COMM. */
TSL_API tsl_status tsl_sparse_matrix_negate(tsl_sparse_matrix *matrix);

/** Release a matrix; NULL is fine. Plans made with it must be destroyed before. */
TSL_API void tsl_sparse_matrix_destroy(tsl_sparse_matrix *matrix);

/** What a matrix is. A place that isn't there is (-1, -1). */
typedef struct tsl_sparse_description {
    int64_t rows, columns;
    int64_t nonzeros;     /**< entries, both triangles */
    int64_t shortest_row; /**< entries of the shortest row */
    int64_t longest_row;
    double mean_row;             /**< nonzeros / rows */
    double row_deviation;        /**< standard deviation of the rows' lengths */
    int64_t empty_rows;          /**< rows without an entry, and the first of them */
    int64_t first_empty_row;     /**< -1: none */
    int64_t bandwidth;           /**< largest |i - j| of an entry */
    int64_t zero_diagonals;      /**< rows i <= columns whose a(i, i) is 0 or not there */
    int64_t first_zero_diagonal; /**< -1: none */
    int64_t negative_diagonals;
    int64_t first_negative_diagonal; /**< -1: none */
    int symmetric_pattern;           /**< 1: square, and each a(i, j) has an a(j, i) */
    int symmetric;                   /**< 1: so do the values, to 1e-12 of the largest of |a(i, j)|,
                                          |a(j, i)| and sqrt|a(i, i) a(j, j)|, entries that are not there
                                          being 0; or the option `symmetry` says so */
    int64_t unsymmetric_row;         /**< first entry, by rows, that breaks the symmetry: */
    int64_t unsymmetric_column;      /**< -1: none does, or the matrix is not square */
    double asymmetry;                /**< largest |a(i, j) - a(j, i)|, of that; 0: none */
    int64_t dominant_rows;           /**< rows with |a(i, i)| >= sum of the other |a(i, j)| */
    int64_t indefinite_row;    /**< first entry, by rows, of a symmetric matrix with a(i, i) and */
    int64_t indefinite_column; /**< a(j, j) > 0, |a(i, j)| > a(i, i), and |a(i, j)| more than 1e-10
                                    above sqrt(a(i, i) a(j, j)): the matrix is indefinite;
                                    -1: none is, which does not make the matrix definite */
    double largest;            /**< largest |a(i, j)| */
    const char *format; /**< how products go through the rows, chosen by their lengths: "csr" or
                             "sliced-ell"; on a GPU also "csr-split" and "sliced-ell-split",
                             where some rows are so long that they are cut, "column-blocks", of
                             random columns, and "csr-blocks", of random columns in long rows;
                             static */
    int64_t bytes;      /**< what a product reads of the matrix, for this rank's rows */
} tsl_sparse_description;

/** Describe a matrix. `out` is filled whole. */
TSL_API void tsl_sparse_matrix_describe(const tsl_sparse_matrix *matrix,
                                        tsl_sparse_description *out);

/** y = A x.
 *
 *  @param[out] y  device memory, [rows]; must not overlap x
 *  @param[in]  x  device memory, [columns], finite
 *  @return TSL_OK; TSL_E_ARG for NULL; TSL_E_COMM.
 *
 *  Accuracy: each row within (entries + 2) 2^-53 of the sum of its absolute terms.
 *  Synchronous. Over several ranks each computes its share and all receive y. */
TSL_API tsl_status tsl_sparse_matrix_multiply(tsl_sparse_matrix *matrix, double *y,
                                              const double *x);

/* ---- solving ------------------------------------------------------------------------------ */

/** Methods. The first three ask for a symmetric positive definite (or semidefinite, with b in its
 *  range) matrix and preconditioner. One with a diagonal entry <= 0, or with an a(i, j) too large
 *  for the diagonal (tsl_sparse_description.indefinite_row), is refused while planning, as by the
 *  preconditioners that ask for the same. That another isn't, they only find where a direction of
 *  theirs has a curvature p.A p <= 0: of A with 1 on the diagonal and -0.9 elsewhere, of 3 rows,
 *  and b = (1, -1, 0) the first one leads to the solution, which is as right as any. */
typedef enum tsl_linsolve_method {
    TSL_LINSOLVE_CG = 0,                  /**< conjugate gradients */
    TSL_LINSOLVE_CG_SINGLE_REDUCTION = 1, /**< one reduction an iteration in place of two */
    TSL_LINSOLVE_CG_PIPELINED = 2, /**< that one under the product; its residual drifts soonest */
    TSL_LINSOLVE_BICGSTAB = 3,     /**< any square matrix; two products an iteration */
    TSL_LINSOLVE_GMRES = 4, /**< any square matrix; restarted, preconditioned from the right */
    TSL_LINSOLVE_DIRECT = 5 /**< any square matrix: sparse LU factors by SuperLU on rank 0's host,
                                 rows and columns scaled, then refinement; no preconditioner */
} tsl_linsolve_method;

typedef enum tsl_linsolve_preconditioner {
    TSL_LINSOLVE_NONE = 0,
    TSL_LINSOLVE_JACOBI = 1,       /**< the diagonal */
    TSL_LINSOLVE_BLOCK_JACOBI = 2, /**< blocks of `block` rows on the diagonal, inverted */
    TSL_LINSOLVE_IC0 = 3,          /**< incomplete Cholesky factors on the matrix's own pattern */
    TSL_LINSOLVE_ILU0 = 4,         /**< incomplete LU factors on the matrix's own pattern */
    TSL_LINSOLVE_CHEBYSHEV = 5,    /**< a polynomial of `degree` in the scaled matrix */
    TSL_LINSOLVE_MULTIGRID = 6     /**< a V-cycle of smoothed aggregation */
} tsl_linsolve_preconditioner;

/** What smooths on each level of multigrid, before and after the coarser ones. */
typedef enum tsl_linsolve_smoother {
    TSL_LINSOLVE_SMOOTH_JACOBI = 0,   /**< damped steps, two of them */
    TSL_LINSOLVE_SMOOTH_CHEBYSHEV = 1 /**< a polynomial of `degree` */
} tsl_linsolve_smoother;

/** Called after each iteration with the method's own residual norm, relative to the norm of b;
 *  iteration 0 is the initial guess. Of several ranks only rank 0 calls, and its answer is
 *  everyone's; give it on all of them or on none. Return 0 to go on, else the solution stops
 *  there (TSL_E_CANCELLED). CG on a GPU, plain or with Jacobi, tells of 16 iterations at a time,
 *  and stops after those. */
typedef int (*tsl_linsolve_progress)(void *user, int64_t iteration, double residual);

/** How to solve. Initialise with TSL_LINSOLVE_OPTIONS_INIT. */
typedef struct tsl_linsolve_options {
    size_t size; /**< sizeof(tsl_linsolve_options) */
    tsl_linsolve_method method;
    tsl_linsolve_preconditioner preconditioner;
    double tolerance;       /**< stop at ||b - A x|| <= tolerance ||b||; 0 to 0.999999 */
    double absolute;        /**< or at ||b - A x|| <= absolute, >= 0 */
    int64_t max_iterations; /**< >= 0; an inner step of GMRES counts as one */
    int restart;            /**< of GMRES: 1 … 1000 basis vectors */
    int block;              /**< of block Jacobi: 1 … 64 rows */
    int degree; /**< of Chebyshev's polynomials, preconditioner and smoother: 1 … 64 */
    tsl_linsolve_smoother smoother;
    double eigenvalue_ratio; /**< Chebyshev damps eigenvalues of D^-1 A from largest / ratio to
                                  largest; > 1; 0: 30 as preconditioner; as smoother 4, or 3
                                  where the degree is less than 3 */
    double strength;     /**< multigrid: a(i, j) is strong if its square exceeds strength^2 times
                              a(i, i) a(j, j); 0 … 1; halved on each coarser level */
    int64_t coarse_rows; /**< multigrid: a level this small is solved directly: 1 … 4000 */
    const double *near_null; /**< multigrid: host memory, [rows], a vector that A makes small, no
                                  entry 0, nor less than 2^-480 (3e-145) of another; read while
                                  planning; NULL: ones */
    tsl_linsolve_progress progress; /**< NULL: none */
    void *user;                     /**< passed to `progress` */
    int deterministic; /**< 1: where a GPU lacks memory for making multigrid's levels planning fails
                            with TSL_E_NOMEM, and no other levels are made by the host; 0 */
} tsl_linsolve_options;

#define TSL_LINSOLVE_OPTIONS_INIT                                                                  \
    {                                                                                              \
        sizeof(tsl_linsolve_options), TSL_LINSOLVE_CG, TSL_LINSOLVE_JACOBI, 1e-8, 0.0, 10000, 30,  \
            8, 3, TSL_LINSOLVE_SMOOTH_CHEBYSHEV, 0.0, 0.08, 500, NULL, NULL, NULL, 0               \
    }

/** A matrix with a method and a preconditioner, and their work space. */
typedef struct tsl_linsolve_plan tsl_linsolve_plan;

/** Prepare to solve with a matrix: check that the method suits it, make the preconditioner, take
 *  the memory.
 *
 *  @param[out] out      the plan, owned by the caller: tsl_linsolve_plan_destroy()
 *  @param[in]  matrix   square; borrowed: must outlive the plan
 *  @param[in]  options  copied; NULL takes the defaults
 *  @return TSL_OK; TSL_E_ARG for options out of range, a matrix that is not square, one of the CG
 *          methods, IC(0), Chebyshev or multigrid with a matrix that is not symmetric or has a
 *          diagonal entry <= 0, Jacobi or ILU(0) with a zero on the diagonal, a singular block, a
 *          factorisation that breaks down: the line names the entry and the remedy; TSL_E_NOMEM,
 *          of the direct method also where its factors take more than half of the free memory or
 *          2 GiB; TSL_E_UNSUPPORTED for the direct method in a build without SuperLU.
 */
TSL_API tsl_status tsl_linsolve_plan_create(tsl_linsolve_plan **out, tsl_sparse_matrix *matrix,
                                            const tsl_linsolve_options *options);

/** y = A x for vectors of device memory, [rows]. Must give the same y for the same x. A status
 *  other than TSL_OK ends the solution with it. */
typedef tsl_status (*tsl_linsolve_operator)(void *user, double *y, const double *x);

/** Prepare to solve with a function in place of a matrix.
 *
 *  @param[in] rows      1 … 2^31 - 1
 *  @param[in] apply     borrowed with `user`
 *  @param[in] diagonal  host memory, [rows], the operator's diagonal, copied; NULL: not known
 *  @return as tsl_linsolve_plan_create(); TSL_E_ARG for a preconditioner other than none and, with
 *          a diagonal, Jacobi and Chebyshev; TSL_E_UNSUPPORTED for a context of several ranks.
 *
 *  With the CG methods that the operator is symmetric is taken on trust. */
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
    TSL_LINSOLVE_INDEFINITE = 2, /**< a CG method met p.A p <= 0 or r.M r <= 0: see `curvature` */
    TSL_LINSOLVE_BREAKDOWN = 3,  /**< a scalar of the recurrence became 0: no step to take */
    TSL_LINSOLVE_STAGNATED = 4,  /**< the recomputed residual no longer falls, or it is 1e8 times
                                      what it was: b is not in the matrix's range, or rounding
                                      allows no more */
    TSL_LINSOLVE_NOT_FINITE = 5, /**< a number overflowed */
    TSL_LINSOLVE_CANCELLED = 6,  /**< `progress` said so, or an operator returned TSL_E_CANCELLED */
    TSL_LINSOLVE_FAILED = 7      /**< an operator, a rank or a device failed */
} tsl_linsolve_stop;

enum { TSL_LINSOLVE_LEVELS = 32 }; /**< of multigrid at most */

/** How a solution went. */
typedef struct tsl_linsolve_report {
    tsl_linsolve_stop stop;
    int64_t iterations;   /**< done */
    double rhs_norm;      /**< ||b|| */
    double residual;      /**< ||r|| / ||b|| by the method's own recurrence (||r|| if b = 0) */
    double true_residual; /**< ||b - A x|| / ||b|| of the x that is returned, recomputed (likewise)
                           */
    double
        unscaled_residual; /**< of a badly scaled matrix, where true_residual is that of D^-1/2 r
                                since rounding keeps ||r|| / ||b|| above the tolerance: that; else
                                0 */
    int restarts; /**< times the recurrence was begun again from the recomputed residual, since the
                       two had drifted apart, or it had broken down (BiCGStab) or been overtaken by
                       rounding (the other CG methods); GMRES's own restarts do not count */
    double curvature;       /**< with TSL_LINSOLVE_INDEFINITE: p.A p / p.p (or r.M r / r.r) */
    double setup_seconds;   /**< making the plan */
    double seconds;         /**< solving */
    int64_t products;       /**< with the matrix */
    double product_seconds; /**< in them; 0 on a GPU, where they are queued with all else */
    double product_gbs;     /**< 10^9 bytes a second: matrix once, x once, y once; 0: an operator,
                                 or a GPU */
    double condition;       /**< direct: of the scaled matrix in the 1-norm, an estimate from
                                 below; 0: another method, or singular */
    int64_t factor_entries; /**< direct: of both factors; else 0 */
    int levels;             /**< of multigrid; 0: no multigrid */
    double grid_complexity; /**< rows of all levels / rows */
    double operator_complexity; /**< entries of all levels / entries */
    int64_t level_rows[TSL_LINSOLVE_LEVELS];
    int64_t level_nonzeros[TSL_LINSOLVE_LEVELS];
} tsl_linsolve_report;

/** Solve A x = b.
 *
 *  @param[in,out] x       device memory, [rows]: the initial guess, then the solution
 *  @param[in]     b       device memory, [rows]; must not overlap x
 *  @param[out]    report  filled whole; NULL: not wanted
 *  @return TSL_OK: converged. TSL_E_NOCONV if it stopped for another reason: the line says why, at
 *          which step, and what may help; `report` is filled. x is the last iterate where it was
 *          the limit that ended it, or the caller; else, and where the recurrence was begun again,
 *          about the best so far, no worse than the initial guess.
 *          TSL_E_CANCELLED likewise. TSL_E_ARG if an address is NULL or a number of b or x is not
 *          finite: the line names the row; x is untouched. TSL_E_COMM; what an operator returned.
 *
 *  Accuracy: converged means that the recomputed residual r = b - A x meets the tolerance. Of CG
 * with Jacobi, where the diagonal D spans more than twelve decades, ||D^-1/2 r|| / ||D^-1/2 b|| has
 * to meet it, and goes on to a ten-thousandth of it as far as rounding allows, so that each
 * component of x has its digits; ||r|| / ||b|| too, unless it is no more than the products' own
 * rounding: report->unscaled_residual. Else the error of x is up to the condition number of A times
 * that. Where the method's own residual meets it and the recomputed one doesn't, the method begins
 * again from there. Allocates nothing. Synchronous. */
TSL_API tsl_status tsl_linsolve_execute(tsl_linsolve_plan *plan, double *x, const double *b,
                                        tsl_linsolve_report *report);

/** Names, as the command takes them: "cg", "cg-single", "cg-pipelined", "bicgstab", "gmres",
 *  "direct";
 *  "none", "jacobi", "block-jacobi", "ic0", "ilu0", "chebyshev", "multigrid"; "converged",
 *  "iterations", "indefinite", "breakdown", "stagnated", "not-finite", "cancelled", "failed". NULL
 * for any other number, so that a list ends there. Static. */
TSL_API const char *tsl_linsolve_method_name(tsl_linsolve_method method);
TSL_API const char *tsl_linsolve_preconditioner_name(tsl_linsolve_preconditioner preconditioner);
TSL_API const char *tsl_linsolve_stop_name(tsl_linsolve_stop stop);

#ifdef __cplusplus
}
#endif

#endif
