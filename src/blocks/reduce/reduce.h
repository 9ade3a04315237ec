/* The largest cells of each grid of a batch, in a total order, so that the answer does not depend
 * on who looks where. */
#ifndef TSL_REDUCE_H
#define TSL_REDUCE_H

#include "blocks/convolve/convolve.h"
#include "blocks/reduce/reduce_point.h"

typedef struct tsl_reduce_ops {
    /* For each of `count` grids of integers with rounding noise: round every cell, and list the `k`
     * largest keys (tsl_top_key; cell = (x * n1 + y) * n2 + z) below after[member] with scores > 0,
     * largest first. keys    [count][k], int64_t      found  [count], int error   the largest
     * distance of a cell from its rounded value, over all grids All arrays but the grids are host
     * memory, complete on return. */
    tsl_status (*top)(tsl_context *context, const tsl_grid_layout *layout, const void *grids,
                      int count, int k, const int64_t *after, int64_t *keys, int *found,
                      double *error);
} tsl_reduce_ops;

extern const tsl_reduce_ops tsl_reduce_cpu;

#endif
