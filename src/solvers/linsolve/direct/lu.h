/* Sparse LU factors of a whole matrix, in host memory, by SuperLU where the build has it. */
#ifndef TSL_SPARSE_LU_H
#define TSL_SPARSE_LU_H

#include "blocks/csr/sparse.h"
#include "core/core.h"

typedef struct tsl_lu tsl_lu;

/* "5.3.0", the library's version; NULL: the build has none, and nothing is factored. */
const char *tsl_lu_library(void);

/* What is known of factors. */
typedef struct tsl_lu_facts {
    int64_t singular; /* step, from 0, at which elimination finds no pivot; -1: none: the matrix can
                         be solved with */
    int64_t entries;  /* of both factors */
    double condition; /* of the scaled matrix in the 1-norm, an estimate from below; 0: singular */
    int64_t bound;    /* of the entries of each factor, counted before it was made */
    double work;      /* bound of the products of numbers that making them takes */
} tsl_lu_facts;

/* P R A C Q = L U: rows and columns scaled by powers of two, columns in an order of little fill,
 * rows by partial pivoting. TSL_E_NOMEM where the factors may take more than `most` bytes, 0: half
 * of the free memory, or 2^31 - 1 entries; that is counted before, and often two or three times
 * what they come to. TSL_E_UNSUPPORTED without the library. Of a singular matrix *out is NULL or of
 * no use, which is no error. Deterministic. */
tsl_status tsl_lu_factor(tsl_lu **out, tsl_lu_facts *facts, tsl_context *context, const tsl_csr *a,
                         int64_t most);
/* No more than its first steps: `singular`, `bound` and `work`. Deterministic. */
tsl_status tsl_lu_foresee(tsl_lu_facts *facts, tsl_context *context, const tsl_csr *a);
/* x = A^-1 x, [rows], in host memory. */
void tsl_lu_solve(const tsl_lu *lu, double *x);
void tsl_lu_free(tsl_lu *lu); /* NULL is fine */

/* ---- before they are made (lu_structure.c) ------------------------------------------------- */

/* How many rows of a square matrix can each have a column of its own, where it has an entry other
 * than 0: if that is not all of them, the matrix is singular whatever its numbers. */
tsl_status tsl_structural_rank(int64_t *rank, tsl_context *context, const tsl_csr *a);

/* A square matrix by columns in some order: column j has the rows row[begin[j]] … row[end[j] - 1].
 */
typedef struct tsl_permuted {
    int n;
    const int *begin, *end; /* [n] */
    const int *row;
} tsl_permuted;

/* How many entries a factor has at most, whatever rows become pivots: those of the Cholesky factor
 * of M^T M (George & Ng, SIAM J. Sci. Stat. Comput. 8 (1987) 877). The columns are in a postorder
 * of their elimination tree, parent[j], n: none; *work is the sum of the columns' counts squared.
 * Counted by the leaves of each row's subtree (Gilbert, Ng & Peyton, SIAM J. Matrix Anal. Appl. 15
 * (1994) 1075). Zeros that a library fills up with come on top. */
tsl_status tsl_bound_factor(int64_t *bound, double *work, tsl_context *context,
                            const tsl_permuted *m, const int *parent, int64_t entries);

#endif
