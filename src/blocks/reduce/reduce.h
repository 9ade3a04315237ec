/* The largest cells of each grid of a batch, in a total order, so that the answer does not depend
 * on who looks where. */
#ifndef TSL_REDUCE_H
#define TSL_REDUCE_H

#include "blocks/convolve/convolve.h"
#include "blocks/reduce/reduce_point.h"

/* What top() needs besides its arguments. */
typedef struct tsl_reduce tsl_reduce;

typedef struct tsl_reduce_ops {
    /* For up to `batch` grids of a layout and up to `k` keys of each, or up to `k_of_one` of one.
     */
    tsl_status (*create)(tsl_reduce **out, tsl_context *context, const tsl_grid_layout *layout,
                         int batch, int k, int k_of_one);
    void (*destroy)(tsl_reduce *plan); /* NULL is fine */

    /* For each of `count` grids of integers with rounding noise: round every cell, and list the `k`
     * largest keys (tsl_top_key; cell = (x * n1 + y) * n2 + z) below after[member] with scores > 0,
     * largest first; after[member] becomes the last of them.
     *   after   [count], int64_t, in and out      keys  [count][k], int64_t
     *   found   [count], int
     *   error   grows to the largest distance of a cell from its rounded value
     * All in device memory; asynchronous on the context's stream. */
    tsl_status (*top)(tsl_reduce *plan, const void *grids, int count, int k, int64_t *after,
                      int64_t *keys, int *found, float *error);
} tsl_reduce_ops;

extern const tsl_reduce_ops tsl_reduce_cpu;

/* The reduction that a correlation's top() needs; NULL if it needs none. */
tsl_status tsl_convolve_create_top(tsl_reduce **out, tsl_context *context,
                                   const tsl_grid_layout *layout,
                                   const tsl_convolve_description *what);

#endif
