/* What a thread of a block does with the cells of a map. */
#ifndef TSL_COVER_POINT_H
#define TSL_COVER_POINT_H

#include "core/point.h"
#include "tesela/tetrahedron.h"

/* The cell that thread `thread` of side * rows does as its `turn`-th, of side / rows, in a tile;
 * false: none, beyond the diagonal or the last row. */
TSL_FN int tsl_cover_cell(int64_t *cell, tsl_tile tile, int64_t n, int side, int rows, int thread,
                          int turn)
{
    const int64_t i = tile.i * side + thread / side + turn * rows;
    const int64_t j = tile.j * side + thread % side;
    *cell = i * n + j;
    return j <= i && i < n;
}

/* The number of a triple. */
TSL_FN int64_t tsl_triple_number(const tsl_cell *cell)
{
    return tsl_tetrahedron_count(cell->i) + tsl_triangle_count(cell->j) + cell->l;
}

/* What the write test puts into element (i, j). */
TSL_FN float tsl_written(int64_t i, int64_t j)
{
    return (float)((int)i & 1023) + (float)((int)j & 1023);
}

#endif
