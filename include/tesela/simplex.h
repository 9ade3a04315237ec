/** @file simplex.h
 *  Index maps of triangles: the pair (i, j) of the k-th element of a packed triangle, and the
 *  reverse.
 *
 *  This header holds only pure functions for C and CUDA. There is nothing to link and no state.
 *  They may be called from any thread, on host and device. They are exact for every count that an
 *  int64_t holds, except TSL_MAP_BASIC and tsl_root_row(), whose ranges are given there.
 *
 *  Four triangles of an n x n array, each numbered row by row without gaps:
 *
 *      name          holds      k of (i, j)                    elements
 *      lower         j <= i     i (i + 1) / 2 + j              n (n + 1) / 2
 *      strict lower  j <  i     i (i - 1) / 2 + j              n (n - 1) / 2
 *      upper         j >= i     i n - i (i - 1) / 2 + j - i    n (n + 1) / 2
 *      condensed     j >  i     i n - i (i + 1) / 2 + j - i - 1
 *                                                              n (n - 1) / 2
 *
 *  The condensed order is that of SciPy's pdist().
 *
 *  tsl_map_tiles() maps the blocks of a GPU's grid to tiles of a triangle, in nine ways.
 *  tsl_persistent_begin() is for a grid of few blocks, each of which computes many tiles. `tesela
 *  pairs maps` counts the tiles of all these maps on a device. Triples are numbered in
 *  tesela/tetrahedron.h.
 *
 *  Converting k to i takes a square root. A floating-point root gives a first guess, and integer
 *  arithmetic corrects it, by at most one step in the range above.
 */
#ifndef TESELA_SIMPLEX_H
#define TESELA_SIMPLEX_H

#include <math.h>
#include <stdint.h>

/** How the functions of this header are declared. */
#ifdef __CUDACC__
#define TSL_SIMPLEX_FN static __forceinline__ __host__ __device__
#else
#define TSL_SIMPLEX_FN static inline
#endif

#ifdef __cplusplus
extern "C" {
#endif

/** n (n + 1) / 2, for 0 <= n <= 4294967295. */
TSL_SIMPLEX_FN int64_t tsl_triangle_count(int64_t n)
{
    return n % 2 == 0 ? n / 2 * (n + 1) : (n + 1) / 2 * n;
}

/** The row of element k >= 0 of a lower triangle: the largest i with i (i + 1) / 2 <= k. The column
 *  is k - tsl_triangle_count(i). */
TSL_SIMPLEX_FN int64_t tsl_lower_row(int64_t k)
{
    int64_t i = (int64_t)(sqrt(2.0 * (double)k + 0.25) - 0.5);
    while (tsl_triangle_count(i) > k) {
        i--;
    }
    while (k - tsl_triangle_count(i) > i) {
        i++;
    }
    return i;
}

/** The row of element k >= 0 of a strict lower triangle. The column is k - tsl_triangle_count(i -
 *  1). */
TSL_SIMPLEX_FN int64_t tsl_strict_lower_row(int64_t k)
{
    return tsl_lower_row(k) + 1;
}

/** The row i of element k of an upper triangle of n rows, 0 <= k < n (n + 1) / 2. The column is k -
 *  tsl_upper_base(n, i). */
TSL_SIMPLEX_FN int64_t tsl_upper_row(int64_t n, int64_t k)
{
    return n - 1 - tsl_lower_row(tsl_triangle_count(n) - 1 - k);
}

/** The number k of element (i, j) minus j, in an upper triangle of n rows. */
TSL_SIMPLEX_FN int64_t tsl_upper_base(int64_t n, int64_t i)
{
    return tsl_triangle_count(n) - tsl_triangle_count(n - i) - i;
}

/** The row i of element k of a condensed triangle of n rows, 0 <= k < n (n - 1) / 2. The column is
 *  k - tsl_condensed_base(n, i). */
TSL_SIMPLEX_FN int64_t tsl_condensed_row(int64_t n, int64_t k)
{
    return tsl_upper_row(n - 1, k);
}

/** The number k of element (i, j) minus j, in a condensed triangle of n rows: -1 for i = 0. */
TSL_SIMPLEX_FN int64_t tsl_condensed_base(int64_t n, int64_t i)
{
    return tsl_upper_base(n - 1, i) - 1;
}

/* ---- parts of triangles, and batches of domains --------------------------------------------- */

/** Number of elements of a trapezoid of m rows, whose row i holds the columns 0 <= j <= i + d. It
 *  is a lower triangle of m + d rows without its first d rows. m, d >= 0. */
TSL_SIMPLEX_FN int64_t tsl_trapezoid_count(int64_t m, int64_t d)
{
    return tsl_triangle_count(m + d) - tsl_triangle_count(d);
}

/** The row i of element k of a trapezoid. The column is k - tsl_trapezoid_count(i, d). */
TSL_SIMPLEX_FN int64_t tsl_trapezoid_row(int64_t d, int64_t k)
{
    return tsl_lower_row(k + tsl_triangle_count(d)) - d;
}

/** Number of the first element of row i of a band, which holds the elements i - w <= j <= i with j
 *  >= 0. For i = n this is the number of elements of n rows. w >= 0. */
TSL_SIMPLEX_FN int64_t tsl_band_first(int64_t w, int64_t i)
{
    return i <= w ? tsl_triangle_count(i) : tsl_triangle_count(w) + (i - w) * (w + 1);
}

/** The row i of element k of a band. The column is k - tsl_band_first(w, i) for i <= w, and i - w
 *  more for i > w. */
TSL_SIMPLEX_FN int64_t tsl_band_row(int64_t w, int64_t k)
{
    const int64_t corner = tsl_triangle_count(w);
    return k < corner ? tsl_lower_row(k) : w + (k - corner) / (w + 1);
}

/** The domain of a batch that element k belongs to: the largest b with first[b] <= k.
 *  @param[in] first  [count + 1], ascending: the number of the first element of each domain, then
 *                    the number of all elements; domains may be empty
 *  @param[in] count  number of domains
 *  @param[in] k      0 <= k < first[count] */
TSL_SIMPLEX_FN int64_t tsl_batch_row(const int64_t *first, int64_t count, int64_t k)
{
    int64_t low = 0, high = count;
    while (high - low > 1) {
        const int64_t middle = low + (high - low) / 2;
        if (first[middle] <= k) {
            low = middle;
        } else {
            high = middle;
        }
    }
    return low;
}

/* ---- maps of blocks -------------------------------------------------------------------------- */

/** Maps from the blocks of a grid to the tiles (i, j), j <= i < n, of a lower triangle of n x n
 *  tiles. Every map covers each tile exactly once, for any n; TSL_MAP_BASIC for n <= 2097151. */
typedef enum tsl_map {
    TSL_MAP_BOX = 0,       /**< one block for each tile of the square; those above the diagonal are
                                idle */
    TSL_MAP_RECTANGLE = 1, /**< the right half folded onto the left one (Jung & O'Leary 2008) */
    TSL_MAP_RECURSIVE = 2, /**< squares of doubling size, one launch for each size (Ries et al.
                                2009) */
    TSL_MAP_ROOT = 3,      /**< a row of blocks, i by a square root (Navarro & Hitschfeld 2013) */
    TSL_MAP_UPPER = 4,     /**< as TSL_MAP_ROOT, by the root of the upper triangle (Avril et al.
                                2012) */
    TSL_MAP_FLAT = 5,      /**< all squares in one launch (Navarro, Bustos & Hitschfeld 2016) */
    TSL_MAP_FOLD = 6,      /**< rows r and n - 1 - r side by side: no block is idle */
    TSL_MAP_SUPER = 7,     /**< as TSL_MAP_ROOT, in squares of TSL_MAP_SIDE tiles a side, so that
                                cached data is used again */
    TSL_MAP_BASIC = 8      /**< as TSL_MAP_FLAT, by a logarithm and a division in single
                                precision */
} tsl_map;

enum {
    TSL_MAPS = 9,      /**< their number */
    TSL_MAP_SIDE = 16, /**< tiles along a side of a square of TSL_MAP_SUPER */
    TSL_MAP_LEAF = 4,  /**< smallest number of tiles along a side of the last triangles of
                            TSL_MAP_RECURSIVE; they have less than twice as many */
    TSL_MAP_TILES = 2  /**< largest number of tiles of a block */
};

/** A tile of a triangle. */
typedef struct tsl_tile {
    int64_t i, j; /**< row and column */
} tsl_tile;

/** A grid of blocks. */
typedef struct tsl_map_grid {
    int64_t x, y; /**< blocks along the axes; 0: there is nothing to launch */
} tsl_map_grid;

/** The smallest power of two >= n, for n >= 1. */
TSL_SIMPLEX_FN int64_t tsl_power_from(int64_t n)
{
    int64_t power = 1;
    while (power < n) {
        power *= 2;
    }
    return power;
}

/** The largest power of two <= n, for 1 <= n < 2^32. */
TSL_SIMPLEX_FN int64_t tsl_power_to(int64_t n)
{
#ifdef __CUDA_ARCH__
    return (int64_t)1 << (31 - __clz((int)n));
#elif defined(__GNUC__)
    return (int64_t)1 << (31 - __builtin_clz((unsigned)n));
#else
    const int64_t power = tsl_power_from(n);
    return power > n ? power / 2 : power;
#endif
}

/** Levels of TSL_MAP_RECURSIVE for n tiles a side: its launches except that of the diagonal. */
TSL_SIMPLEX_FN int tsl_map_levels(int64_t n)
{
    int levels = 0;
    for (int64_t size = (n - 1) / (TSL_MAP_LEAF - 1); size > 1; size >>= 1) {
        levels++;
    }
    return levels;
}

/** Number of launches of a map for n tiles a side. */
TSL_SIMPLEX_FN int tsl_map_launches(tsl_map map, int64_t n)
{
    return map == TSL_MAP_RECURSIVE ? tsl_map_levels(n) + 1 : 1;
}

/** The grid of launch number `launch` of a map, from 0; n >= 1. */
TSL_SIMPLEX_FN tsl_map_grid tsl_map_grid_of(tsl_map map, int64_t n, int launch)
{
    tsl_map_grid grid = {n, n};
    switch (map) {
    case TSL_MAP_RECTANGLE:
        grid.x = (n + 1) / 2;
        grid.y = n + n % 2 + 1;
        break;
    case TSL_MAP_RECURSIVE: {
        const int levels = tsl_map_levels(n);
        const int64_t leaf = ((n - 1) >> levels) + 1;
        grid.x = launch < levels ? leaf << (levels - 1) : leaf;
        grid.y = launch < levels ? leaf << launch : leaf << levels;
        break;
    }
    case TSL_MAP_ROOT:
    case TSL_MAP_UPPER:
    case TSL_MAP_SUPER:
        grid.x = tsl_triangle_count(n);
        grid.y = 1;
        break;
    case TSL_MAP_FLAT:
    case TSL_MAP_BASIC:
        grid.y = tsl_power_from(n);
        grid.x = grid.y > 1 ? grid.y / 2 : 1;
        break;
    case TSL_MAP_FOLD:
        grid.x = n + (n % 2 == 0);
        grid.y = (n + 1) / 2;
        break;
    default:
        break;
    }
    return grid;
}

/** Tile k of n (n + 1) / 2 in the order of TSL_MAP_SUPER: by rows of squares, and within each
 *  square by rows. The triangle at the end of each row of squares comes last. */
TSL_SIMPLEX_FN tsl_tile tsl_super_tile(int64_t n, int64_t k)
{
    const int64_t first = tsl_lower_row(k) / TSL_MAP_SIDE * TSL_MAP_SIDE;
    const int64_t side = TSL_MAP_SIDE;
    const int64_t height = n - first < side ? n - first : side;
    const int64_t from = k - tsl_triangle_count(first);
    tsl_tile tile;
    if (from < first * height) {
        const int64_t square = from / (TSL_MAP_SIDE * height);
        const int64_t within = from % (TSL_MAP_SIDE * height);
        tile.i = first + within / TSL_MAP_SIDE;
        tile.j = square * TSL_MAP_SIDE + within % TSL_MAP_SIDE;
    } else {
        const int64_t within = from - first * height;
        tile.i = tsl_lower_row(within);
        tile.j = first + within - tsl_triangle_count(tile.i);
        tile.i += first;
    }
    return tile;
}

/** The tiles of block (x, 0) of TSL_MAP_FLAT and TSL_MAP_BASIC. They are on the diagonal.
 *  @param[out] tiles  [TSL_MAP_TILES]
 *  @return the number of tiles. */
TSL_SIMPLEX_FN int tsl_flat_diagonal(tsl_tile *tiles, int64_t n, int64_t x)
{
    const int64_t half = tsl_power_from(n) / 2, step = half > 0 ? half : n;
    int count = 0;
    for (int64_t at = x; at <= x + half && count < TSL_MAP_TILES; at += step) {
        if (at < n) {
            tiles[count].i = at;
            tiles[count++].j = at;
        }
    }
    return count;
}

/** The tile of block (x, y) of TSL_MAP_BASIC, 1 <= y < 2097151, x < 16777216. This is the formula
 *  of TSL_MAP_FLAT as first published ("flat recursive basic"): the power of two is computed with a
 *  logarithm and a division, both in single precision. At y = 2097151 the logarithm of a common C
 *  library rounds up to 21, and the tile is wrong. If a logarithm is exact for powers of two and
 *  otherwise wrong by at most one in its last place, the formula holds for y < 524287. A GPU's grid
 *  has y < 65536. */
TSL_SIMPLEX_FN tsl_tile tsl_flat_basic_tile(int64_t x, int64_t y)
{
    const int64_t power = (int64_t)1 << (int)truncf(log2f((float)y));
    const int64_t square = (int64_t)truncf((float)x / (float)power);
    const tsl_tile tile = {y + 2 * square * power, x + square * power};
    return tile;
}

/** The tiles that block (x, y) of a launch computes.
 *  @param[out] tiles  [TSL_MAP_TILES]
 *  @return the number of tiles: 0 for an idle block. */
TSL_SIMPLEX_FN int tsl_map_tiles(tsl_tile *tiles, tsl_map map, int64_t n, int launch, int64_t x,
                                 int64_t y)
{
    tsl_tile tile = {y, x};
    switch (map) {
    case TSL_MAP_RECTANGLE: {
        const int64_t even = n + n % 2;
        tile.i = x >= y ? even - 1 - y : y - 1;
        tile.j = x >= y ? even - 1 - x : x;
        break;
    }
    case TSL_MAP_RECURSIVE: {
        const int levels = tsl_map_levels(n);
        const int64_t leaf = ((n - 1) >> levels) + 1;
        const int64_t side = launch < levels ? leaf << launch : leaf;
        const int64_t square = launch < levels ? x / side : y / side;
        tile.i = launch < levels ? side + square * side * 2 + y : y;
        tile.j = launch < levels ? square * side * 2 + x % side : square * side + x;
        break;
    }
    case TSL_MAP_ROOT:
        tile.i = tsl_lower_row(x);
        tile.j = x - tsl_triangle_count(tile.i);
        break;
    case TSL_MAP_UPPER:
        tile.j = tsl_upper_row(n, x);
        tile.i = x - tsl_upper_base(n, tile.j);
        break;
    case TSL_MAP_SUPER:
        tile = tsl_super_tile(n, x);
        break;
    case TSL_MAP_FLAT: {
        const int64_t over = y > 0 ? x & -tsl_power_to(y) : 0;
        if (y == 0) {
            return tsl_flat_diagonal(tiles, n, x);
        }
        tile.i = y + 2 * over;
        tile.j = x + over;
        break;
    }
    case TSL_MAP_BASIC:
        if (y == 0) {
            return tsl_flat_diagonal(tiles, n, x);
        }
        tile = tsl_flat_basic_tile(x, y);
        break;
    case TSL_MAP_FOLD: {
        const int64_t row = n - 1 - y;
        tile.i = x <= row ? row : y - n % 2;
        tile.j = x <= row ? x : x - row - 1;
        break;
    }
    default:
        break;
    }
    if (tile.j > tile.i || tile.i >= n) {
        return 0;
    }
    tiles[0] = tile;
    return 1;
}

/** Number of blocks of all launches of a map, for n tiles a side. */
TSL_SIMPLEX_FN int64_t tsl_map_blocks(tsl_map map, int64_t n)
{
    int64_t blocks = 0;
    for (int launch = 0; launch < tsl_map_launches(map, n); launch++) {
        const tsl_map_grid grid = tsl_map_grid_of(map, n, launch);
        blocks += grid.x * grid.y;
    }
    return blocks;
}

/* ---- blocks that stay ------------------------------------------------------------------------ */

/** The tiles of one block where few blocks compute all tiles of a lower triangle of n x n tiles
 *  (persistent blocks, a grid-stride loop). The n (n + 1) / 2 tiles are counted by rows. The
 *  block computes the tile whose number is its own, and from there every blocks-th tile. If there
 *  are as many blocks as a device holds at a time, all start at once. Each tile belongs to exactly
 *  one block, for any n and number of blocks. */
typedef struct tsl_persistent {
    tsl_tile tile;  /**< the current tile */
    int64_t left;   /**< tiles of the block from this one on; 0: there is no current tile */
    int64_t blocks; /**< blocks of the grid */
} tsl_persistent;

/** The number of blocks, at most `most`, that have a tile, for n tiles a side. A grid of this many
 *  blocks has no idle block. */
TSL_SIMPLEX_FN int64_t tsl_persistent_blocks(int64_t n, int64_t most)
{
    const int64_t count = tsl_triangle_count(n);
    return most < count ? most : count;
}

/** The first tile of a block, 0 <= block < blocks. tsl_lower_row() gives its row. */
TSL_SIMPLEX_FN tsl_persistent tsl_persistent_begin(int64_t n, int64_t block, int64_t blocks)
{
    const int64_t count = tsl_triangle_count(n);
    tsl_persistent own = {{0, 0}, 0, blocks};
    if (block < count) {
        own.tile.i = tsl_lower_row(block);
        own.tile.j = block - tsl_triangle_count(own.tile.i);
        own.left = (count - 1 - block) / blocks + 1;
    }
    return own;
}

/** Go to the next tile of the block by additions only. Over all tiles of a block this takes about n
 *  additions. */
TSL_SIMPLEX_FN void tsl_persistent_next(tsl_persistent *own)
{
    own->left--;
    own->tile.j += own->blocks;
    while (own->tile.j > own->tile.i) {
        own->tile.i++;
        own->tile.j -= own->tile.i;
    }
}

/* ---- grids that launch grids ---------------------------------------------------------------- */

/** A triangle of `tiles` tiles a side, any number, whose first tile is (first, first). A grid
 *  computes it and launches two further grids (dynamic parallelism; Escobar Gonzalez & Lastra Mena
 *  2017). With more than `leaf` tiles a side, the grid computes the rectangle of the lower rows and
 *  left columns, and launches grids for the two triangles that remain: tsl_nested_half(). Otherwise
 *  the grid has one block for each tile of the square, and those above the diagonal are idle. The
 *  source has leaf = 1024 cells. */
typedef struct tsl_nested {
    int64_t first, tiles;
} tsl_nested;

/** One of the two triangles that a rectangle leaves: 0: the upper one; 1: the lower one. */
TSL_SIMPLEX_FN tsl_nested tsl_nested_half(tsl_nested triangle, int which)
{
    const int64_t upper = triangle.tiles / 2;
    const tsl_nested lower = {triangle.first + upper, triangle.tiles - upper};
    triangle.tiles = upper;
    return which == 0 ? triangle : lower;
}

/** The grid of a triangle's rectangle, or of its square; leaf >= 1. */
TSL_SIMPLEX_FN tsl_map_grid tsl_nested_grid(tsl_nested triangle, int64_t leaf)
{
    const int64_t left = triangle.tiles / 2;
    tsl_map_grid grid = {triangle.tiles, triangle.tiles};
    if (triangle.tiles > leaf) {
        grid.x = left;
        grid.y = triangle.tiles - left;
    }
    return grid;
}

/** The tile that block (x, y) of the grid of tsl_nested_grid() computes.
 *  @return 1; 0 if there is none: *tile is not written. */
TSL_SIMPLEX_FN int tsl_nested_tile(tsl_tile *tile, tsl_nested triangle, int64_t leaf, int64_t x,
                                   int64_t y)
{
    const int64_t above = triangle.tiles > leaf ? triangle.tiles / 2 : 0;
    if (x >= (above > 0 ? above : y + 1) || above + y >= triangle.tiles) {
        return 0;
    }
    tile->i = triangle.first + above + y;
    tile->j = triangle.first + x;
    return 1;
}

/* ---- roots that are not corrected -------------------------------------------------------------
 */

/** Ways to compute tsl_lower_row() by a root without correction. They show where each way first
 *  fails: at row 4607 for sqrtf(), row 30 for a reciprocal root, row 2073 if 1e-4 is added to that,
 *  row 134217727 in double precision. */
typedef enum tsl_root {
    TSL_ROOT_SINGLE = 0,     /**< sqrtf(1/4 + 2 k) - 1/2 */
    TSL_ROOT_RECIPROCAL = 1, /**< x rsqrtf(x) - 1/2, x = 1/4 + 2 k, each operation rounded once */
    TSL_ROOT_OFFSET = 2,     /**< as TSL_ROOT_RECIPROCAL, plus 1e-4 */
    TSL_ROOT_DOUBLE = 3,     /**< (sqrt(1 + 8 k) - 1) / 2 */
    TSL_ROOT_CORRECTED = 4   /**< tsl_lower_row() */
} tsl_root;

enum { TSL_ROOTS = 5 }; /**< their number */

/** The row of element k >= 0 of a lower triangle, if the root is exact enough. */
TSL_SIMPLEX_FN int64_t tsl_root_row(tsl_root root, int64_t k)
{
    const float x = 0.25F + 2.0F * (float)k;
    const float product = x * (float)(1.0 / sqrt((double)x));
    return root == TSL_ROOT_SINGLE       ? (int64_t)(sqrtf(x) - 0.5F)
           : root == TSL_ROOT_RECIPROCAL ? (int64_t)(product - 0.5F)
           : root == TSL_ROOT_OFFSET     ? (int64_t)(product - 0.5F + 1e-4F)
           : root == TSL_ROOT_DOUBLE     ? (int64_t)((sqrt(1.0 + 8.0 * (double)k) - 1) / 2)
                                         : tsl_lower_row(k);
}

/* ---- tiles for threads ------------------------------------------------------------------------
 */

/** The work on a tile: rows i0 to i1 - 1, columns j0 to j1 - 1. A tile may cross the diagonal.
 */
typedef void tsl_tile_work(void *user, int64_t i0, int64_t i1, int64_t j0, int64_t j1);

/** Divide a lower triangle of n rows into tiles of `side` x `side` elements, and call `work` for
 *  the tiles of one thread of `threads`. Threads have equal shares, to one tile, and each tile
 *  belongs to exactly one thread. For OpenMP, POSIX threads, or ranks. side >= 1, 0 <= thread <
 *  threads. */
TSL_SIMPLEX_FN void tsl_for_each_tile(int64_t n, int64_t side, int thread, int threads,
                                      tsl_tile_work *work, void *user)
{
    const int64_t rows = n < 1 ? 0 : (n - 1) / side + 1;
    const int64_t count = tsl_triangle_count(rows);
    const int64_t each = count / threads;
    const int64_t more = count % threads;
    const int64_t first = each * thread + (thread < more ? thread : more);
    const int64_t end = first + each + (thread < more);
    int64_t i = first < end ? tsl_lower_row(first) : 0;
    int64_t j = first - tsl_triangle_count(i);
    for (int64_t k = first; k < end; k++) {
        work(user, i * side, i < rows - 1 ? (i + 1) * side : n, j * side,
             j < rows - 1 ? (j + 1) * side : n);
        if (j == i) {
            i++;
            j = 0;
        } else {
            j++;
        }
    }
}

#ifdef __cplusplus
}
#endif

#endif
