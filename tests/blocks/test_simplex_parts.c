/* Parts of triangles, maps to tetrahedra, and two uses of maps: an automaton and an inverse. */
#include "support/devices.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "blocks/simplex/simplex.h"
#include "core/context.h"

/* ---- parts of triangles, and many of them --------------------------------------------------- */

static void trapezoids_and_bands_are_numbered_without_gaps(void **state)
{
    (void)state;
    for (int64_t d = 0; d < 30; d++) {
        int64_t trapezoid = 0, band = 0;
        for (int64_t i = 0; i < 70; i++) {
            assert_int_equal(tsl_trapezoid_count(i, d), trapezoid);
            assert_int_equal(tsl_band_first(d, i), band);
            for (int64_t j = 0; j <= i + d; j++, trapezoid++) {
                assert_int_equal(tsl_trapezoid_row(d, trapezoid), i);
                assert_int_equal(trapezoid - tsl_trapezoid_count(i, d), j);
            }
            for (int64_t j = i > d ? i - d : 0; j <= i; j++, band++) {
                assert_int_equal(tsl_band_row(d, band), i);
                assert_int_equal(band - tsl_band_first(d, i) + (i > d ? i - d : 0), j);
            }
        }
    }
    const int64_t row = INT64_C(3000000000), wide = 1000000; /* beyond 32 bits */
    assert_int_equal(tsl_trapezoid_row(wide, tsl_trapezoid_count(row, wide)), row);
    assert_int_equal(tsl_trapezoid_row(wide, tsl_trapezoid_count(row, wide) - 1), row - 1);
    assert_int_equal(tsl_band_row(wide, tsl_band_first(wide, row)), row);
    assert_int_equal(tsl_band_row(wide, tsl_band_first(wide, row) - 1), row - 1);
}

static void batches_are_ragged(void **state)
{
    (void)state;
    static const int64_t sides[] = {3, 0, 0, 1, 7, 0, 2, 0};
    enum { COUNT = sizeof sides / sizeof *sides };
    int64_t first[COUNT + 1] = {0}, k = 0;
    for (int b = 0; b < COUNT; b++) {
        first[b + 1] = first[b] + tsl_triangle_count(sides[b]);
    }
    for (int b = 0; b < COUNT; b++) {
        for (int64_t e = 0; e < tsl_triangle_count(sides[b]); e++, k++) {
            assert_int_equal(tsl_batch_row(first, COUNT, k), b);
        }
    }
    assert_int_equal(k, first[COUNT]);
}

/* ---- tetrahedra ----------------------------------------------------------------------------- */

static void check_triples(tsl_context *context, tsl_tetrahedron_map map, int64_t n)
{
    tsl_cover cover;
    const tsl_status status = tsl_triples_cover(&cover, context, map, n);
    if (status != TSL_OK) {
        fail_msg("%s: %s", context->name, tsl_last_error(context));
    }
    if (cover.missed + cover.repeated + cover.outside > 0 ||
        memcmp(&cover.found, &cover.expected, sizeof cover.found) != 0) {
        fail_msg("%s: map %d of triples, %lld a side: %lld missed, %lld repeated, %lld outside, "
                 "%lld of %lld blocks idle (%lld)",
                 context->name, (int)map, (long long)n, (long long)cover.missed,
                 (long long)cover.repeated, (long long)cover.outside,
                 (long long)cover.found.idle_blocks, (long long)cover.found.blocks,
                 (long long)cover.expected.idle_blocks);
    }
}

static void maps_of_triples_are_bijections(void **state)
{
    (void)state;
    static const int64_t large[] = {255, 256, 257, 1000, 1023, 1024};
    for (int d = 0; d < test_device_count(); d++) {
        tsl_context *context = test_context(test_devices[d], 2);
        const bool card = strncmp(test_devices[d], "cuda", 4) == 0;
        tsl_cover cover;
        for (int map = 0; map < TSL_TETRAHEDRON_MAPS; map++) {
            for (int64_t n = 0; n <= 64; n += n < 20 || map == TSL_TETRAHEDRON_RECURSIVE ? 1 : 11) {
                check_triples(context, (tsl_tetrahedron_map)map, n);
            }
            for (size_t s = 0; s < sizeof large / sizeof *large && card; s++) {
                check_triples(context, (tsl_tetrahedron_map)map, large[s]);
            }
        }
        assert_int_equal(tsl_triples_cover(&cover, context, TSL_TETRAHEDRON_CUBE, -1), TSL_E_ARG);
        assert_int_equal(
            tsl_triples_cover(&cover, context, (tsl_tetrahedron_map)TSL_TETRAHEDRON_MAPS, 3),
            TSL_E_ARG);
        tsl_context_destroy(context);
    }
}

/* With a power of two of tiles the recursive map has idle blocks only in its last cubes. */
static void the_recursive_map_of_triples_wastes_little(void **state)
{
    (void)state;
    for (int64_t n = TSL_MAP_LEAF; n <= 512; n *= 2) {
        int64_t blocks = 0;
        const int64_t leaf = TSL_MAP_LEAF;
        for (int k = 0; k < tsl_tetrahedron_launches(TSL_TETRAHEDRON_RECURSIVE, n); k++) {
            const tsl_cell grid = tsl_tetrahedron_grid_of(TSL_TETRAHEDRON_RECURSIVE, n, k);
            blocks += grid.i * grid.j * grid.l;
        }
        const int64_t idle = n / leaf * (leaf * leaf * leaf - tsl_tetrahedron_count(leaf));
        assert_int_equal(blocks, tsl_tetrahedron_count(n) + idle);
    }
}

/* ---- uses ----------------------------------------------------------------------------------- */

enum { CELLS = 67, TILE = 8, TILES = (CELLS + TILE - 1) / TILE, STEPS = 1000 };
typedef unsigned char automaton[CELLS + 2][CELLS + 2]; /* a margin of dead cells */

/* The game of life on a triangle: a cell's next state. */
static unsigned char next_state(automaton now, int64_t i, int64_t j)
{
    int alive = 0;
    for (int64_t y = i; y <= i + 2; y++) {
        for (int64_t x = j; x <= j + 2; x++) {
            alive += now[y][x];
        }
    }
    alive -= now[i + 1][j + 1];
    return alive == 3 || (alive == 2 && now[i + 1][j + 1]);
}

static void begin_automaton(automaton cells)
{
    uint64_t seed = 12;
    memset(cells, 0, sizeof(automaton));
    for (int64_t i = 0; i < CELLS; i++) {
        for (int64_t j = 0; j <= i; j++) {
            cells[i + 1][j + 1] = test_random(&seed) % 3 == 0;
        }
    }
}

/* One step, tile by tile as a map's blocks take them. */
static void step_by_map(automaton next, automaton now, tsl_map map)
{
    for (int launch = 0; launch < tsl_map_launches(map, TILES); launch++) {
        const tsl_map_grid grid = tsl_map_grid_of(map, TILES, launch);
        for (int64_t b = 0; b < grid.x * grid.y; b++) {
            tsl_tile tile[TSL_MAP_TILES];
            const int count = tsl_map_tiles(tile, map, TILES, launch, b % grid.x, b / grid.x);
            for (int e = 0; e < count * TILE * TILE; e++) {
                const int64_t i = tile[e / (TILE * TILE)].i * TILE + e / TILE % TILE;
                const int64_t j = tile[e / (TILE * TILE)].j * TILE + e % TILE;
                if (j <= i && i < CELLS) {
                    next[i + 1][j + 1] = next_state(now, i, j);
                }
            }
        }
    }
}

static void an_automaton_goes_the_same_way_by_every_map(void **state)
{
    (void)state;
    static automaton plain[2], mapped[TSL_MAPS][2];
    int64_t alive = 0;
    begin_automaton(plain[0]);
    for (int map = 0; map < TSL_MAPS; map++) {
        begin_automaton(mapped[map][0]);
    }
    for (int s = 0; s < STEPS; s++) {
        for (int64_t i = 0; i < CELLS; i++) {
            for (int64_t j = 0; j <= i; j++) {
                plain[(s + 1) % 2][i + 1][j + 1] = next_state(plain[s % 2], i, j);
                alive += s == 0 && plain[1][i + 1][j + 1];
            }
        }
        for (int map = 0; map < TSL_MAPS; map++) {
            step_by_map(mapped[map][(s + 1) % 2], mapped[map][s % 2], (tsl_map)map);
            assert_memory_equal(mapped[map][(s + 1) % 2], plain[(s + 1) % 2], sizeof(automaton));
        }
    }
    assert_true(alive > 100);
}

enum { ORDER = 53 };
typedef double matrix[ORDER][ORDER];

/* Elements of a launch's squares, or of its triangles: X = L^-1 there, where what is above and to
 * the right of them is known. */
static void invert_launch(matrix x, matrix l, int launch)
{
    const int levels = tsl_map_levels(ORDER);
    const int64_t leaf = ((ORDER - 1) >> levels) + 1;
    const int64_t side = launch < levels ? leaf << launch : leaf;
    const tsl_map_grid grid = tsl_map_grid_of(TSL_MAP_RECURSIVE, ORDER, launch);
    for (int64_t b = 0; b < grid.x * grid.y; b++) {
        tsl_tile t[TSL_MAP_TILES];
        double sum = 0;
        if (tsl_map_tiles(t, TSL_MAP_RECURSIVE, ORDER, launch, b % grid.x, b / grid.x) == 0) {
            continue;
        }
        const int64_t i = t->i, j = t->j;
        if (launch == levels) { /* a row after the other: blocks come in that order here */
            for (int64_t k = j; k < i; k++) {
                sum += l[i][k] * x[k][j];
            }
            x[i][j] = ((i == j) - sum) / l[i][i];
            continue;
        }
        const int64_t middle = i / side * side; /* X21 = -X22 L21 X11 */
        for (int64_t k = middle; k <= i; k++) {
            double row = 0;
            for (int64_t m = j; m < middle; m++) {
                row += l[k][m] * x[m][j];
            }
            sum += x[i][k] * row;
        }
        x[i][j] = -sum;
    }
}

/* What the recursive map was made for (Ries et al. 2009): triangles first, then squares of doubling
 * size. */
static void the_recursive_map_inverts_a_triangular_matrix(void **state)
{
    (void)state;
    static matrix l, x;
    uint64_t seed = 3;
    for (int64_t i = 0; i < ORDER; i++) {
        for (int64_t j = 0; j < i; j++) {
            l[i][j] = test_uniform(&seed);
        }
        l[i][i] = 4 + test_uniform(&seed);
    }
    const int levels = tsl_map_levels(ORDER);
    assert_true(levels >= 3);
    for (int launch = -1; launch < levels; launch++) {
        invert_launch(x, l, launch < 0 ? levels : launch);
    }
    for (int64_t i = 0; i < ORDER; i++) {
        for (int64_t j = 0; j < ORDER; j++) {
            double sum = 0;
            for (int64_t k = 0; k < ORDER; k++) {
                sum += l[i][k] * x[k][j];
            }
            assert_true(fabs(sum - (i == j)) < 1e-13);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(trapezoids_and_bands_are_numbered_without_gaps),
        cmocka_unit_test(batches_are_ragged),
        cmocka_unit_test(maps_of_triples_are_bijections),
        cmocka_unit_test(the_recursive_map_of_triples_wastes_little),
        cmocka_unit_test(an_automaton_goes_the_same_way_by_every_map),
        cmocka_unit_test(the_recursive_map_inverts_a_triangular_matrix)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
