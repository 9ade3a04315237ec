/* Sparse matrices: a product with a vector, on every device. */
#ifndef TSL_SPARSE_H
#define TSL_SPARSE_H

#include "core/core.h"

/* A matrix by rows, in host memory. Row i has the entries row_start[i] … row_start[i + 1] - 1,
 * their columns ascending. Or some rows of one: then entry k of row i is still column[k]. */
typedef struct tsl_csr {
    int64_t rows;
    int64_t columns;
    int64_t *row_start; /* [rows + 1], from 0 */
    int32_t *column;    /* [nonzeros] */
    double *value;      /* [nonzeros] */
} tsl_csr;

/* Release the arrays; the struct stays. */
void tsl_csr_free(tsl_csr *matrix);

static inline int64_t tsl_csr_nonzeros(const tsl_csr *matrix)
{
    return matrix->row_start[matrix->rows];
}

/* A matrix made ready for products on a device. */
typedef struct tsl_sparse tsl_sparse;

typedef struct tsl_sparse_ops {
    /* `matrix` is borrowed: it must outlive the plan on a device whose memory is the host's
     * (`copies` is false), and may be freed once this returns on others. */
    tsl_status (*create)(tsl_sparse **out, tsl_context *context, const tsl_csr *matrix);
    void (*destroy)(tsl_sparse *plan); /* NULL is fine */

    /* y [rows] <- A x [columns], in device memory; asynchronous on the context's stream. Each row
     * is summed in one order, so that the same device always gives the same bits, with any number
     * of threads. */
    tsl_status (*multiply)(tsl_sparse *plan, double *y, const double *x);
    bool copies;
} tsl_sparse_ops;

extern const tsl_sparse_ops tsl_sparse_cpu;

#endif
