/* Sparse matrices by rows, in host memory: what readers of files make and solvers take. */
#ifndef TSL_CSR_H
#define TSL_CSR_H

#include "core/core.h"

/* Row i has the entries from row_start[i] on, up to but not including row_start[i + 1], by
 * ascending column. A struct may
 * also show some rows of a matrix: row_start then begins at the first of their entries, and entry k
 * is still column[k]. */
typedef struct tsl_csr {
    int64_t rows;
    int64_t columns;
    int64_t *row_start; /* [rows + 1], from 0 in a whole matrix */
    int32_t *column;    /* [nonzeros] */
    double *value;      /* [nonzeros] */
} tsl_csr;

/* Arrays of a matrix with so many entries; row_start is zeroed. On failure nothing is held. */
tsl_status tsl_csr_allocate(tsl_csr *out, tsl_context *context, int64_t rows, int64_t columns,
                            int64_t nonzeros);

/* Release the arrays; the struct stays. */
void tsl_csr_free(tsl_csr *matrix);

/* The entry at (row, column), NULL if there is none. */
const double *tsl_csr_at(const tsl_csr *rows, int64_t row, int64_t column);

static inline int64_t tsl_csr_nonzeros(const tsl_csr *matrix)
{
    return matrix->row_start[matrix->rows];
}

#endif
