/* The mathematics of distances: where an element of a result stands, and what one coordinate adds.
 */
#ifndef TSL_PAIRS_POINT_H
#define TSL_PAIRS_POINT_H

#include <math.h>
#include <stdint.h>

#include "core/point.h"
#include "tesela/pairs.h"
#include "tesela/simplex.h"

/* What is summed up over the coordinates of two points. Several metrics share one. */
typedef enum tsl_pair_sum {
    TSL_PAIR_SQUARES,    /* (a - b)^2 */
    TSL_PAIR_WEIGHTED,   /* w (a - b)^2 */
    TSL_PAIR_ABSOLUTE,   /* |a - b| */
    TSL_PAIR_LARGEST,    /* max |a - b| */
    TSL_PAIR_POWERS,     /* |a - b|^p */
    TSL_PAIR_PRODUCTS,   /* a b, of points of length 1 */
    TSL_PAIR_CANBERRA,   /* |a - b| / (|a| + |b|) */
    TSL_PAIR_BRAYCURTIS, /* |a - b| and |a + b| */
    TSL_PAIR_DIFFERENT,  /* a != b */
    TSL_PAIR_JACCARD,    /* of a and b one is zero, and not both are */
    TSL_PAIR_FORM,       /* (a - b) w (a - b), w a matrix */
    TSL_PAIR_SUMS
} tsl_pair_sum;

/* Layouts of a result: those of tsl_pair_layout, and a rectangle. */
enum { TSL_LAYOUT_RECTANGLE = TSL_LAYOUT_PACKED + 1 };

/* Columns lo <= j < hi of row i have the elements base + j. */
typedef struct tsl_pair_row {
    int64_t base, lo, hi;
} tsl_pair_row;

TSL_FN tsl_pair_row tsl_pair_row_of(int layout, int64_t columns, int64_t i)
{
    tsl_pair_row row = {i * columns, 0, columns};
    if (layout == TSL_LAYOUT_CONDENSED) {
        row.base = tsl_condensed_base(columns, i);
        row.lo = i + 1;
    } else if (layout == TSL_LAYOUT_PACKED) {
        row.base = tsl_triangle_count(i);
        row.hi = i + 1;
    }
    return row;
}

/* The row that element k stands in. */
TSL_FN int64_t tsl_pair_row_at(int layout, int64_t columns, int64_t k)
{
    return layout == TSL_LAYOUT_CONDENSED ? tsl_condensed_row(columns, k)
           : layout == TSL_LAYOUT_PACKED  ? tsl_lower_row(k)
                                          : k / columns;
}

/* The part of a row that lies in elements first to first + count - 1; its base then counts from
 * `first`. */
TSL_FN tsl_pair_row tsl_pair_row_within(tsl_pair_row row, int64_t first, int64_t count)
{
    row.base -= first;
    row.lo = row.base + row.lo < 0 ? -row.base : row.lo;
    row.hi = row.base + row.hi > count ? count - row.base : row.hi;
    return row;
}

/* Is (i, j) on a diagonal that the sum would leave a rounding error or 0/0 on? */
TSL_FN int tsl_pair_is_zero(int sum, int layout, int64_t i, int64_t j)
{
    return (sum == TSL_PAIR_PRODUCTS || sum == TSL_PAIR_BRAYCURTIS) &&
           (layout == TSL_LAYOUT_SQUARE || layout == TSL_LAYOUT_PACKED) && i == j;
}

#define TSL_TEMPLATE "solvers/pairs/distance_point.inc"
#include "core/both_precisions.inc"

#endif
