/* What host and GPU have in common when they make levels of multigrid. */
#ifndef TSL_SPARSE_COARSEN_POINT_H
#define TSL_SPARSE_COARSEN_POINT_H

#include <stdbool.h>
#include <stdint.h>

#include "core/point.h"

enum {
    TSL_NO_AGGREGATE = -1,     /* of a row without strong entries */
    TSL_UNSEEN = -2,           /* of a row that has not joined one */
    TSL_SHORT_ROW = 8,         /* entries: aggregates of shorter ones reach farther */
    TSL_GRID_ROW = 10,         /* entries of a Laplacian's on a grid, at most */
    TSL_LANCZOS_PRODUCTS = 10, /* for the largest eigenvalue */
};

/* Is a(i, j) = `value` strong, of 1 / a(i, i) and 1 / a(j, j)? */
TSL_FN bool tsl_is_strong_value(double value, double inverse_i, double inverse_j, double strength)
{
    return value * value * (inverse_i * inverse_j) > strength * strength;
}

#endif
