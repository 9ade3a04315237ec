/* Sparse matrices: a product with a vector, on every device. */
#ifndef TSL_SPARSE_H
#define TSL_SPARSE_H

#include "core/csr.h"

/* A scalar product is left as so many partial sums, for its user to add up in their order. */
enum { TSL_SPARSE_SUMS = 256 };

/* A matrix made ready for products on a device. */
typedef struct tsl_sparse tsl_sparse;

struct tsl_tiles;
struct tsl_device_tiles;
struct tsl_device_properties;

typedef struct tsl_sparse_ops {
    /* From a matrix by rows. `copies`: the matrix may be freed once this returns; else it is
     * borrowed and must outlive the plan. */
    tsl_status (*create)(tsl_sparse **out, tsl_context *context, const tsl_csr *matrix);
    bool copies;
    /* Make a plan from a matrix in tiles (tiles.h), which may be freed once this returns, for a
     * device with these properties. The plan has no entries yet: tsl_tiles_create() brings them.
     * NULL where the device has no use for tiles. */
    tsl_status (*create_tiles)(tsl_sparse **out, tsl_context *context,
                               const struct tsl_tiles *tiles,
                               const struct tsl_device_properties *properties);
    /* The tiles of a plan, for kernels with a product of their own; NULL: it has none. */
    const struct tsl_device_tiles *(*tiles)(const tsl_sparse *plan);
    /* For plans whose tiles keep their sums: tiles(plan)->partial <- the sums of all rows of A x,
     * asynchronous. It is an error to call this for other plans, and to call multiply() for these.
     * NULL where create_tiles is NULL. */
    tsl_status (*sum_blocks)(tsl_sparse *plan, const double *x);
    void (*destroy)(tsl_sparse *plan); /* NULL is fine */

    /* y [rows] <- A x [columns]; with `sums` [TSL_SPARSE_SUMS] (NULL: without), for a square
     * matrix, also partial sums of x.y. All in device memory, x finite; asynchronous on the
     * context's stream. All sums have one order, so that the same device always gives the same
     * bits, with any number of threads. */
    tsl_status (*multiply)(tsl_sparse *plan, double *y, const double *x, double *sums);
} tsl_sparse_ops;

extern const tsl_sparse_ops tsl_sparse_cpu;

/* Make a matrix ready in the form that suits it and the device. Where the device `copies`, it may
 * be freed once this returns. */
tsl_status tsl_sparse_create(tsl_sparse **out, tsl_context *context, const tsl_csr *matrix);

#endif
