/* What `spmv` compares its products with. */
#ifndef TSL_BENCH_SPMV_H
#define TSL_BENCH_SPMV_H

#include "blocks/csr/sparse.h"
#include "core/context.h"

/* cuSPARSE's product with the same matrix and vectors in device memory. */
typedef struct spmv_reference {
    double seconds;   /* one product: the fastest of its algorithms, preprocessed */
    const char *name; /* of that algorithm; static */
    double copy_gbs;  /* a copy on the device, read and written, in GB/s */
} spmv_reference;

/* y <- A x. Times in the same way as the caller: the median of five batches of `runs`. */
tsl_status spmv_cusparse(spmv_reference *out, tsl_context *context, const tsl_csr *matrix,
                         double *y, const double *x, int runs);

#endif
