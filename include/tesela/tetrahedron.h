/** @file tetrahedron.h
 *  Index maps of tetrahedra: the triple (i, j, l) of the k-th cell of a packed tetrahedron, and
 *  maps from the blocks of a GPU's grid to its tiles.
 *
 *  As tesela/simplex.h, this header holds only pure functions. There is nothing to link and no
 *  state. They may be called from any thread, on host and device.
 */
#ifndef TESELA_TETRAHEDRON_H
#define TESELA_TETRAHEDRON_H

#include "tesela/simplex.h"

#ifdef __cplusplus
extern "C" {
#endif

/** n (n + 1) (n + 2) / 6, for 0 <= n <= 2600000. */
TSL_SIMPLEX_FN int64_t tsl_tetrahedron_count(int64_t n)
{
    return n % 3 == 1 ? tsl_triangle_count(n) * ((n + 2) / 3) : tsl_triangle_count(n) / 3 * (n + 2);
}

/** A cell of a tetrahedron: l <= j <= i. */
typedef struct tsl_cell {
    int64_t i, j, l;
} tsl_cell;

/** Cell k of a tetrahedron. Cells are numbered layer i by layer i, and each layer is a lower
 *  triangle: k = i (i + 1) (i + 2) / 6 + j (j + 1) / 2 + l; 0 <= k < 2.9e18. */
TSL_SIMPLEX_FN tsl_cell tsl_tetrahedron_cell(int64_t k)
{
    tsl_cell cell;
    cell.i = (int64_t)(cbrt(6.0 * (double)k) - 1.0);
    cell.i = cell.i < 0 ? 0 : cell.i;
    while (tsl_tetrahedron_count(cell.i) > k) {
        cell.i--;
    }
    while (tsl_tetrahedron_count(cell.i + 1) <= k) {
        cell.i++;
    }
    const int64_t within = k - tsl_tetrahedron_count(cell.i);
    cell.j = tsl_lower_row(within);
    cell.l = within - tsl_triangle_count(cell.j);
    return cell;
}

/** Maps from the blocks of a grid to the tiles (i, j, l), l <= j <= i < n, of a tetrahedron. Every
 *  map covers each tile exactly once, for any n. */
typedef enum tsl_tetrahedron_map {
    TSL_TETRAHEDRON_CUBE = 0,     /**< one block for each tile of the cube; five sixths are idle */
    TSL_TETRAHEDRON_ROOT = 1,     /**< a row of blocks, by tsl_tetrahedron_cell() */
    TSL_TETRAHEDRON_RECURSIVE = 2 /**< prisms of doubling size, one launch for each size;
                                       TSL_MAP_FOLD maps the triangle of a prism. Small cubes come
                                       last */
} tsl_tetrahedron_map;

enum { TSL_TETRAHEDRON_MAPS = 3 }; /**< their number */

/** Number of launches of a map for n >= 1 tiles a side. */
TSL_SIMPLEX_FN int tsl_tetrahedron_launches(tsl_tetrahedron_map map, int64_t n)
{
    return map == TSL_TETRAHEDRON_RECURSIVE ? tsl_map_levels(n) + 1 : 1;
}

/** The grid of launch number `launch` of a map, from 0. i is the number of blocks along x, j along
 *  y, l along z. */
TSL_SIMPLEX_FN tsl_cell tsl_tetrahedron_grid_of(tsl_tetrahedron_map map, int64_t n, int launch)
{
    tsl_cell grid = {n, n, n};
    if (map == TSL_TETRAHEDRON_ROOT) {
        grid.i = tsl_tetrahedron_count(n);
        grid.j = 1;
        grid.l = 1;
    } else if (map == TSL_TETRAHEDRON_RECURSIVE) {
        const int levels = tsl_map_levels(n);
        const int64_t leaf = ((n - 1) >> levels) + 1;
        const tsl_map_grid fold = tsl_map_grid_of(TSL_MAP_FOLD, leaf << launch, 0);
        grid.i = launch < levels ? fold.x : leaf;
        grid.j = launch < levels ? fold.y : leaf;
        grid.l = leaf << levels;
    }
    return grid;
}

/** The tile that block (x, y, z) of a launch computes.
 *  @return 1; 0 for an idle block: *tile then holds no tile of the tetrahedron. */
TSL_SIMPLEX_FN int tsl_tetrahedron_tile(tsl_cell *tile, tsl_tetrahedron_map map, int64_t n,
                                        int launch, int64_t x, int64_t y, int64_t z)
{
    tsl_cell cell = {z, y, x};
    if (map == TSL_TETRAHEDRON_ROOT) {
        cell = tsl_tetrahedron_cell(x);
    } else if (map == TSL_TETRAHEDRON_RECURSIVE) {
        const int levels = tsl_map_levels(n);
        const int64_t leaf = ((n - 1) >> levels) + 1;
        const int64_t side = launch < levels ? leaf << launch : leaf;
        if (launch < levels) {
            const int64_t first = z / (2 * side) * 2 * side, layer = z % (2 * side);
            tsl_tile flat[TSL_MAP_TILES] = {{0, 0}};
            (void)tsl_map_tiles(flat, TSL_MAP_FOLD, side, 0, x, y); /* none of its blocks is idle */
            cell.i = first + side + (layer < side ? layer : flat[0].i);
            cell.j = first + (layer < side ? flat[0].i : side + flat[0].j);
            cell.l = first + (layer < side ? flat[0].j : layer - side);
        } else {
            cell.j += z / side * side;
            cell.l += z / side * side;
        }
    }
    *tile = cell;
    return cell.l <= cell.j && cell.j <= cell.i && cell.i < n;
}

#ifdef __cplusplus
}
#endif

#endif
