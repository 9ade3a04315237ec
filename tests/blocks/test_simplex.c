/* Maps of triangles: every one a bijection. */
#include "support/devices.h"

#include <stdlib.h>
#include <string.h>

#include "blocks/simplex/simplex.h"
#include "core/context.h"

/* ---- element numbers ------------------------------------------------------------------------ */

static void numbers_and_pairs_are_each_other_s_inverse(void **state)
{
    (void)state;
    for (int64_t n = 1; n <= 70; n++) {
        int64_t lower = 0, strict = 0, upper = 0, condensed = 0;
        for (int64_t i = 0; i < n; i++) {
            for (int64_t j = 0; j <= i; j++, lower++) {
                assert_int_equal(tsl_lower_row(lower), i);
                assert_int_equal(lower - tsl_triangle_count(i), j);
            }
            for (int64_t j = 0; j < i; j++, strict++) {
                assert_int_equal(tsl_strict_lower_row(strict), i);
                assert_int_equal(strict - tsl_triangle_count(i - 1), j);
            }
            for (int64_t j = i; j < n; j++, upper++) {
                assert_int_equal(tsl_upper_row(n, upper), i);
                assert_int_equal(upper - tsl_upper_base(n, i), j);
            }
            for (int64_t j = i + 1; j < n; j++, condensed++) {
                assert_int_equal(tsl_condensed_row(n, condensed), i);
                assert_int_equal(condensed - tsl_condensed_base(n, i), j);
            }
        }
        assert_int_equal(lower, tsl_triangle_count(n));
    }
}

/* Both ends of rows up to the largest that an int64_t numbers. */
static void rows_are_exact_up_to_63_bits(void **state)
{
    (void)state;
    const int64_t most = INT64_C(4294967294);
    int64_t rows = 0;
    for (int64_t i = 1; i < most; i += 1 + i / 5000, rows++) {
        const int64_t at[3] = {i, i - 1 + (i == 1), most - i};
        for (int q = 0; q < 3; q++) {
            const int64_t first = tsl_triangle_count(at[q]);
            assert_int_equal(tsl_lower_row(first), at[q]);
            assert_int_equal(tsl_lower_row(first - 1), at[q] - 1);
            assert_int_equal(tsl_lower_row(first + at[q]), at[q]);
        }
    }
    assert_true(rows > 50000);
    for (int shift = 1; shift < 32; shift++) {
        for (int64_t i = (INT64_C(1) << shift) - 2; i <= (INT64_C(1) << shift) + 2; i++) {
            assert_int_equal(tsl_lower_row(tsl_triangle_count(i)), i);
            assert_int_equal(tsl_lower_row(tsl_triangle_count(i + 1) - 1), i);
        }
    }
}

static void roots_fail_where_they_are_said_to(void **state)
{
    (void)state;
    assert_int_equal(tsl_root_first_wrong(TSL_ROOT_SINGLE, 10000), 4607);
    assert_int_equal(tsl_root_first_wrong(TSL_ROOT_RECIPROCAL, 10000), 30);
    assert_int_equal(tsl_root_first_wrong(TSL_ROOT_OFFSET, 10000), 2073);
    assert_int_equal(tsl_root_first_wrong(TSL_ROOT_CORRECTED, 100000), -1);
    const int64_t row = (INT64_C(1) << 27) - 1; /* and none before, says ./run-tests --full */
    assert_int_not_equal(tsl_root_row(TSL_ROOT_DOUBLE, tsl_triangle_count(row + 1) - 1), row);
    for (int64_t i = row - 300000; i < row; i++) {
        assert_int_equal(tsl_root_row(TSL_ROOT_DOUBLE, tsl_triangle_count(i)), i);
        assert_int_equal(tsl_root_row(TSL_ROOT_DOUBLE, tsl_triangle_count(i + 1) - 1), i);
    }
    if (test_is_full()) {
        assert_int_equal(tsl_root_first_wrong(TSL_ROOT_DOUBLE, INT64_C(1) << 28), row);
        assert_int_equal(tsl_root_first_wrong(TSL_ROOT_CORRECTED, INT64_C(1) << 31), -1);
    }
}

/* The logarithm and the division give the tiles of the integers' formula as far as is said. */
static void the_basic_flat_map_is_right_up_to_its_bound(void **state)
{
    (void)state;
    const int64_t n = 4194304; /* tiles a side: no tile of these blocks is outside */
    for (int64_t y = 1; y < 2097151; y += 1 + y / 5000) {
        for (int near = -1; near <= 1; near++) { /* around powers of two, too */
            const int64_t power = tsl_power_to(y);
            const int64_t row = near < 0 ? y : 2 * power - 1 + near;
            const int64_t at[] = {0, 1, row / 3, power - 1, power, 3 * power, n / 2 - 1};
            for (size_t q = 0; q < sizeof at / sizeof *at && row < 2097151; q++) {
                tsl_tile tile[TSL_MAP_TILES];
                const tsl_tile basic = tsl_flat_basic_tile(at[q], row);
                if (tsl_map_tiles(tile, TSL_MAP_FLAT, n, 0, at[q], row) == 1) {
                    assert_int_equal(basic.i, tile->i);
                    assert_int_equal(basic.j, tile->j);
                } else {
                    assert_true(basic.i >= n || basic.j > basic.i);
                }
            }
        }
    }
#ifdef __GLIBC__
    tsl_tile tile[TSL_MAP_TILES];
    assert_int_equal(tsl_map_tiles(tile, TSL_MAP_FLAT, n, 0, 1500000, 2097151), 1);
    assert_int_not_equal(tsl_flat_basic_tile(1500000, 2097151).i, tile->i);
#endif
}

static void triples_are_numbered_without_gaps(void **state)
{
    (void)state;
    int64_t k = 0;
    for (int64_t i = 0; i < 64; i++) {
        assert_int_equal(tsl_tetrahedron_count(i), k);
        for (int64_t j = 0; j <= i; j++) {
            for (int64_t l = 0; l <= j; l++, k++) {
                const tsl_cell cell = tsl_tetrahedron_cell(k);
                assert_int_equal(cell.i, i);
                assert_int_equal(cell.j, j);
                assert_int_equal(cell.l, l);
            }
        }
    }
    for (int64_t i = 1; i <= 2600000; i += 1 + i / 3000) {
        const tsl_cell first = tsl_tetrahedron_cell(tsl_tetrahedron_count(i));
        const tsl_cell last = tsl_tetrahedron_cell(tsl_tetrahedron_count(i) - 1);
        assert_true(first.i == i && first.j == 0 && first.l == 0);
        assert_true(last.i == i - 1 && last.j == i - 1 && last.l == i - 1);
    }
}

/* ---- maps of tiles -------------------------------------------------------------------------- */

/* How often each of n x n tiles is hit, with the tiles that are none. */
static int64_t hit(unsigned char *tiles, tsl_map map, int64_t n)
{
    int64_t blocks = 0, idle = 0;
    memset(tiles, 0, (size_t)(n * n));
    for (int launch = 0; launch < tsl_map_launches(map, n); launch++) {
        const tsl_map_grid grid = tsl_map_grid_of(map, n, launch);
        for (int64_t b = 0; b < grid.x * grid.y; b++, blocks++) {
            tsl_tile tile[TSL_MAP_TILES];
            const int count = tsl_map_tiles(tile, map, n, launch, b % grid.x, b / grid.x);
            idle += count == 0;
            for (int q = 0; q < count; q++) {
                assert_in_range(tile[q].i, 0, n - 1);
                assert_in_range(tile[q].j, 0, tile[q].i);
                tiles[tile[q].i * n + tile[q].j]++;
            }
        }
    }
    assert_int_equal(blocks, tsl_map_blocks(map, n));
    return idle;
}

static void every_map_is_a_bijection(void **state)
{
    (void)state;
    const int64_t most = test_is_full() ? 2048 : 384;
    unsigned char *tiles = malloc((size_t)(most * most));
    assert_non_null(tiles);
    for (int map = 0; map < TSL_MAPS; map++) {
        for (int64_t n = 1; n <= most; n++) {
            const int64_t idle = hit(tiles, (tsl_map)map, n);
            for (int64_t t = 0; t < n * n; t++) {
                if (tiles[t] != (t % n <= t / n)) {
                    fail_msg("%s, %lld a side: (%lld, %lld) is hit %d times",
                             tsl_map_name((tsl_map)map), (long long)n, (long long)(t / n),
                             (long long)(t % n), tiles[t]);
                }
            }
            if (map == TSL_MAP_FOLD || map == TSL_MAP_ROOT || map == TSL_MAP_UPPER ||
                map == TSL_MAP_SUPER || (map == TSL_MAP_RECTANGLE && n % 2 == 0)) {
                assert_int_equal(idle, 0);
            }
        }
    }
    free(tiles);
}

/* ---- blocks that stay ------------------------------------------------------------------------ */

/* The tiles of one block, each counted; those of blocks before it have smaller numbers. */
static int64_t go_through(unsigned char *tiles, int64_t n, int64_t block, int64_t blocks)
{
    int64_t k = block;
    for (tsl_persistent own = tsl_persistent_begin(n, block, blocks); own.left > 0;
         tsl_persistent_next(&own), k += blocks) {
        assert_in_range(own.tile.i, 0, n - 1);
        assert_in_range(own.tile.j, 0, own.tile.i);
        assert_int_equal(tsl_triangle_count(own.tile.i) + own.tile.j, k);
        tiles[own.tile.i * n + own.tile.j]++;
    }
    return k;
}

static void persistent_blocks_do_every_tile_once(void **state)
{
    (void)state;
    const int64_t most = test_is_full() ? 2048 : 384;
    unsigned char *tiles = malloc((size_t)(most * most));
    assert_non_null(tiles);
    for (int64_t n = 1; n <= most; n++) {
        const int64_t count = tsl_triangle_count(n);
        const int64_t grids[] = {1, 7, n, 1056, count, count + 5};
        for (size_t g = 0; g < sizeof grids / sizeof *grids; g += n < 70 ? 1 : 3) {
            memset(tiles, 0, (size_t)(n * n));
            for (int64_t block = 0; block < grids[g]; block++) {
                assert_true(go_through(tiles, n, block, grids[g]) >= count);
            }
            for (int64_t t = 0; t < n * n; t++) {
                assert_int_equal(tiles[t], t % n <= t / n);
            }
            assert_int_equal(tsl_persistent_blocks(n, grids[g]),
                             grids[g] < count ? grids[g] : count);
        }
    }
    free(tiles);
}

/* Steps of blocks over many rows, and over few of the longest. */
static void persistent_blocks_count_in_64_bits(void **state)
{
    (void)state;
    const int64_t n = INT64_C(4000000000), grids[] = {INT32_MAX, INT64_C(10000000000000)};
    for (int g = 0; g < 2; g++) {
        int64_t k = 5;
        tsl_persistent own = tsl_persistent_begin(n, k, grids[g]);
        assert_int_equal(own.left, (tsl_triangle_count(n) - 1 - k) / grids[g] + 1);
        for (int turn = 0; turn < 1000; turn++, k += grids[g]) {
            assert_int_equal(own.tile.i, tsl_lower_row(k));
            assert_int_equal(own.tile.j, k - tsl_triangle_count(own.tile.i));
            tsl_persistent_next(&own);
        }
    }
}

/* ---- on devices ----------------------------------------------------------------------------- */

/* By a map, or, with as many as `blocks`, not 0, persistent ones. */
static void check_cover(tsl_context *context, tsl_map map, int64_t blocks, int64_t n, int side,
                        int rows)
{
    tsl_cover cover;
    const tsl_status status = blocks > 0
                                  ? tsl_persistent_cover(&cover, context, n, side, rows, blocks)
                                  : tsl_cover_count(&cover, context, map, n, side, rows);
    if (status != TSL_OK) {
        fail_msg("%s: %s", context->name, tsl_last_error(context));
    }
    if (cover.missed + cover.repeated + cover.outside > 0 ||
        memcmp(&cover.found, &cover.expected, sizeof cover.found) != 0) {
        fail_msg("%s: %s, %lld cells, tiles of %d by %d: %lld missed, %lld repeated, %lld outside; "
                 "%lld blocks (%lld), %lld idle (%lld), %lld threads idle (%lld)",
                 context->name, blocks > 0 ? "persistent" : tsl_map_name(map), (long long)n, side,
                 rows, (long long)cover.missed, (long long)cover.repeated, (long long)cover.outside,
                 (long long)cover.found.blocks, (long long)cover.expected.blocks,
                 (long long)cover.found.idle_blocks, (long long)cover.expected.idle_blocks,
                 (long long)cover.found.idle_threads, (long long)cover.expected.idle_threads);
    }
}

static void devices_cover_every_cell_once(void **state)
{
    (void)state;
    static const struct {
        int side, rows;
    } blocks[] = {{8, 8}, {16, 16}, {32, 32}, {32, 8}};
    for (int d = 0; d < test_device_count(); d++) {
        tsl_context *context = test_context(test_devices[d], 2);
        const bool card = strncmp(test_devices[d], "cuda", 4) == 0;
        for (size_t b = 0; b < sizeof blocks / sizeof *blocks; b++) {
            const int side = blocks[b].side;
            const int64_t sizes[] = {0,    1,     side - 1, side,  side + 1, 257,  1000,
                                     4095, 12345, 32768,    46341, 46342,    65537};
            /* Billions of cells by one shape of blocks. */
            const bool other = test_is_another_order(test_devices[d]);
            const int count = card ? (side == 32 && blocks[b].rows == 32 ? 13 : 9)
                              : test_is_full() || (b == 3 && !other) ? 8
                              : other                                ? 6
                                                                     : 7;
            for (int map = 0; map < TSL_MAPS; map++) {
                for (int s = 0; s < count; s++) {
                    check_cover(context, (tsl_map)map, 0, sizes[s], side, blocks[b].rows);
                }
            }
            const int64_t held = context->ops->simplex->held(context, side * blocks[b].rows);
            const int64_t grids[] = {held, 1, 2, 7, 64, 500, 5000};
            assert_true(held >= 1);
            for (int s = 0; s < count; s++) { /* more and fewer than tiles, where these are few */
                for (int g = 0; g < (sizes[s] < 300 ? 7 : sizes[s] < 2000 ? 2 : 1); g++) {
                    check_cover(context, TSL_MAP_BOX, grids[g], sizes[s], side, blocks[b].rows);
                }
            }
        }
        tsl_context_destroy(context);
    }
}

/* ---- grids that launch grids ---------------------------------------------------------------- */

/* What a grid and those that it launches do; their number. */
static int64_t walk(unsigned char *tiles, int64_t n, tsl_nested triangle, int64_t leaf,
                    int64_t *blocks)
{
    const tsl_map_grid grid = tsl_nested_grid(triangle, leaf);
    int64_t grids = 1;
    *blocks += grid.x * grid.y;
    for (int64_t b = 0; b < 2 * grid.x * 2 * grid.y; b++) { /* those beyond the grid have none */
        tsl_tile tile;
        const int64_t x = b % (2 * grid.x), y = b / (2 * grid.x);
        if (tsl_nested_tile(&tile, triangle, leaf, x, y)) {
            assert_true(x < grid.x && y < grid.y);
            assert_in_range(tile.i, 0, n - 1);
            assert_in_range(tile.j, 0, tile.i);
            tiles[tile.i * n + tile.j]++;
        }
    }
    for (int which = 0; which < 2 && triangle.tiles > leaf; which++) {
        grids += walk(tiles, n, tsl_nested_half(triangle, which), leaf, blocks);
    }
    return grids;
}

static void nested_grids_do_every_tile_once(void **state)
{
    (void)state;
    static unsigned char tiles[200 * 200];
    for (int64_t n = 1; n <= 200; n += n < 70 ? 1 : 13) {
        for (int64_t leaf = 1; leaf <= 64; leaf *= 4) {
            int64_t blocks = 0;
            memset(tiles, 0, sizeof tiles);
            const int64_t grids = walk(tiles, n, (tsl_nested){0, n}, leaf, &blocks);
            const tsl_nested_size size = tsl_nested_size_of(n, leaf);
            assert_int_equal(size.grids, grids);
            assert_int_equal(size.blocks, blocks);
            for (int64_t t = 0; t < n * n; t++) {
                assert_int_equal(tiles[t], t % n <= t / n);
            }
        }
    }
}

/* 2 n / s - 1 grids of n^2 / 2 + n s / 2 threads. */
static void nested_grids_follow_the_published_forms(void **state)
{
    (void)state;
    for (int64_t n = 1024; n <= 131072; n *= 2) {
        for (int64_t s = 256; s <= 8192 && s <= n; s *= 2) {
            const tsl_nested_size size = tsl_nested_size_of(n / 16, tsl_nested_leaf((int)s, 16));
            assert_int_equal(size.grids, 2 * n / s - 1);
            assert_int_equal(size.blocks * 256, n * n / 2 + n * s / 2);
        }
    }
}

static void check_nested(tsl_context *context, tsl_nested_way way, int64_t n, int side, int rows,
                         int leaf)
{
    tsl_cover cover;
    const tsl_status status = tsl_nested_cover(&cover, context, way, n, side, rows, leaf);
    if (status != TSL_OK) {
        fail_msg("%s: %s", context->name, tsl_last_error(context));
    }
    if (cover.missed + cover.repeated + cover.outside > 0 ||
        memcmp(&cover.found, &cover.expected, sizeof cover.found) != 0) {
        fail_msg("%s: nested, %s, %lld cells, tiles of %d by %d, leaf %d: %lld missed, %lld "
                 "repeated, %lld outside; %lld blocks (%lld), %lld idle (%lld), %lld threads idle "
                 "(%lld)",
                 context->name, tsl_nested_way_name(way), (long long)n, side, rows, leaf,
                 (long long)cover.missed, (long long)cover.repeated, (long long)cover.outside,
                 (long long)cover.found.blocks, (long long)cover.expected.blocks,
                 (long long)cover.found.idle_blocks, (long long)cover.expected.idle_blocks,
                 (long long)cover.found.idle_threads, (long long)cover.expected.idle_threads);
    }
}

/* On NVIDIA GPUs; other devices say that they have no such grids. */
static void blocks_launch_grids(void **state)
{
    (void)state;
    static const int64_t sizes[] = {0, 1, 31, 33, 1000, 4095, 12345};
    for (int d = 0; d < test_device_count(); d++) {
        tsl_context *context = test_context(test_devices[d], 2);
        tsl_cover cover;
        if (strncmp(test_devices[d], "cuda", 4) != 0) {
            assert_int_equal(tsl_nested_cover(&cover, context, TSL_NESTED_FORGET, 100, 8, 8, 32),
                             TSL_E_UNSUPPORTED);
            assert_non_null(strstr(tsl_last_error(context), "cannot launch grids"));
        } else {
            for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
                for (int way = 0; way < TSL_NESTED_WAYS; way++) {
                    check_nested(context, (tsl_nested_way)way, sizes[s], 16, 16, 256);
                }
                check_nested(context, TSL_NESTED_FORGET, sizes[s], 8, 8, 128);
                check_nested(context, TSL_NESTED_FORGET, sizes[s], 32, 8, 1024);
            }
            assert_int_equal(tsl_nested_cover(&cover, context, TSL_NESTED_FORGET, 40000, 8, 8, 8),
                             TSL_E_UNSUPPORTED);
        }
        tsl_context_destroy(context);
    }
}

/* The table of the specification: a thread a cell, sizes that are powers of two. */
static void idle_threads_follow_the_published_forms(void **state)
{
    (void)state;
    for (int64_t n = 64; n <= 4096; n *= 2) {
        for (int64_t b = 8; b <= 32; b *= 2) {
            const int side = (int)b;
            const int64_t tiles = n / b;
            assert_int_equal(tsl_cover_expected(TSL_MAP_BOX, n, side, side).idle_threads,
                             n * (n - 1) / 2);
            assert_int_equal(tsl_cover_expected(TSL_MAP_BOX, n, side, side).idle_blocks,
                             tiles * (tiles - 1) / 2);
            assert_int_equal(tsl_cover_expected(TSL_MAP_ROOT, n, side, side).idle_threads,
                             n * (b - 1) / 2);
            assert_int_equal(tsl_cover_expected(TSL_MAP_FOLD, n, side, side).idle_threads,
                             n * (b - 1) / 2);
            assert_int_equal(tsl_cover_expected(TSL_MAP_FLAT, n, side, side).idle_threads,
                             n * (b - 1) / 4);
            assert_int_equal(tsl_cover_expected(TSL_MAP_FLAT, n, side, side).blocks,
                             tiles * tiles / 2);
            assert_int_equal(tsl_cover_expected(TSL_MAP_BASIC, n, side, side).idle_threads,
                             n * (b - 1) / 4);
            assert_int_equal(tsl_cover_expected(TSL_MAP_BASIC, n, side, side).blocks,
                             tiles * tiles / 2);
            const tsl_cover_tally each =
                tsl_persistent_expected(n, side, side, tsl_triangle_count(tiles));
            assert_int_equal(each.idle_threads, n * (b - 1) / 2);
            assert_int_equal(each.blocks, tsl_triangle_count(tiles));
            assert_int_equal(each.idle_blocks, 0);
            const int64_t leaf = tiles < TSL_MAP_LEAF ? tiles : TSL_MAP_LEAF;
            assert_int_equal(tsl_cover_expected(TSL_MAP_RECURSIVE, n, side, side).idle_threads,
                             b * b * tiles * (leaf - 1) / 2 + n * (b - 1) / 2);
        }
    }
}

static void faults_are_named(void **state)
{
    (void)state;
    tsl_cover cover;
    tsl_context *context = test_context("sim", 1);
    assert_int_equal(tsl_cover_count(&cover, context, TSL_MAP_BOX, 10, 8, 3), TSL_E_ARG);
    assert_int_equal(tsl_cover_count(&cover, context, TSL_MAP_BOX, 10, 64, 32), TSL_E_ARG);
    assert_int_equal(tsl_cover_count(&cover, context, (tsl_map)TSL_MAPS, 10, 8, 8), TSL_E_ARG);
    assert_int_equal(tsl_persistent_cover(&cover, context, 10, 8, 3, 4), TSL_E_ARG);
    assert_int_equal(tsl_persistent_cover(&cover, context, 10, 8, 8, 0), TSL_E_ARG);
    assert_non_null(strstr(tsl_last_error(context), "persistent blocks: give 1 to"));
    assert_int_equal(tsl_persistent_cover(&cover, context, 10, 8, 8, INT64_C(1) << 31), TSL_E_ARG);
    const tsl_cover_task wide = {.map = TSL_MAP_BOX, .n = 70000, .side = 1, .rows = 1};
    assert_int_equal(context->ops->simplex->cover(context, &wide), TSL_E_UNSUPPORTED);
    tsl_context_destroy(context);
}

static tsl_status cover_some(tsl_context *context, void *user)
{
    tsl_cover cover;
    (void)user;
    return tsl_cover_count(&cover, context, TSL_MAP_FOLD, 100, 8, 8);
}

static void failing_allocations_are_survived(void **state)
{
    (void)state;
    for (int d = 0; d < test_device_count(); d++) {
        tsl_context *context = test_context(test_devices[d], 2);
        assert_int_equal(test_survives_no_memory(context, cover_some, NULL), 2);
        tsl_context_destroy(context);
    }
}

/* ---- tiles for threads ---------------------------------------------------------------------- */

typedef struct tiled {
    int64_t n;
    int64_t calls;
    unsigned char *cells;
} tiled;

static void count_tile(void *user, int64_t i0, int64_t i1, int64_t j0, int64_t j1)
{
    tiled *t = user;
    t->calls++;
    assert_true(i0 < i1 && j0 < j1 && i1 <= t->n && j0 <= i0);
    for (int64_t i = i0; i < i1; i++) {
        for (int64_t j = j0; j < j1 && j <= i; j++) {
            t->cells[i * t->n + j]++;
        }
    }
}

static void threads_share_the_tiles(void **state)
{
    (void)state;
    for (int64_t n = 0; n <= 70; n++) {
        for (int threads = 1; threads <= 9; threads += 4) {
            tiled t = {.n = n, .cells = calloc((size_t)(n * n + 1), 1)};
            int64_t least = INT64_MAX, most = 0;
            for (int thread = 0; thread < threads; thread++) {
                const int64_t before = t.calls;
                tsl_for_each_tile(n, 8, thread, threads, count_tile, &t);
                const int64_t own = t.calls - before;
                least = own < least ? own : least;
                most = own > most ? own : most;
            }
            assert_true(most - least <= 1);
            for (int64_t c = 0; c < n * n; c++) {
                assert_int_equal(t.cells[c], c % n <= c / n);
            }
            free(t.cells);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(numbers_and_pairs_are_each_other_s_inverse),
        cmocka_unit_test(rows_are_exact_up_to_63_bits),
        cmocka_unit_test(roots_fail_where_they_are_said_to),
        cmocka_unit_test(the_basic_flat_map_is_right_up_to_its_bound),
        cmocka_unit_test(triples_are_numbered_without_gaps),
        cmocka_unit_test(every_map_is_a_bijection),
        cmocka_unit_test(persistent_blocks_do_every_tile_once),
        cmocka_unit_test(persistent_blocks_count_in_64_bits),
        cmocka_unit_test(devices_cover_every_cell_once),
        cmocka_unit_test(nested_grids_do_every_tile_once),
        cmocka_unit_test(nested_grids_follow_the_published_forms),
        cmocka_unit_test(blocks_launch_grids),
        cmocka_unit_test(idle_threads_follow_the_published_forms),
        cmocka_unit_test(faults_are_named),
        cmocka_unit_test(failing_allocations_are_survived),
        cmocka_unit_test(threads_share_the_tiles)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
