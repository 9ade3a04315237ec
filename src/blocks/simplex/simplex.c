/* Maps of blocks: what they launch, counted and by closed forms. */
#include "blocks/simplex/simplex.h"

#include "core/core.h"
#include "device/device.h"

const char *tsl_map_name(tsl_map map)
{
    static const char *const names[TSL_MAPS] = {
        [TSL_MAP_BOX] = "box",     [TSL_MAP_RECTANGLE] = "rectangle",
        [TSL_MAP_ROOT] = "root",   [TSL_MAP_RECURSIVE] = "recursive",
        [TSL_MAP_UPPER] = "upper", [TSL_MAP_FLAT] = "flat",
        [TSL_MAP_FOLD] = "fold",   [TSL_MAP_SUPER] = "super",
        [TSL_MAP_BASIC] = "basic"};
    return (int)map >= 0 && (int)map < TSL_MAPS ? names[map] : NULL;
}

const char *tsl_root_name(tsl_root root)
{
    static const char *const names[TSL_ROOTS] = {[TSL_ROOT_SINGLE] = "single",
                                                 [TSL_ROOT_RECIPROCAL] = "reciprocal",
                                                 [TSL_ROOT_OFFSET] = "reciprocal and 1e-4",
                                                 [TSL_ROOT_DOUBLE] = "double",
                                                 [TSL_ROOT_CORRECTED] = "corrected"};
    return (int)root >= 0 && (int)root < TSL_ROOTS ? names[root] : NULL;
}

const char *tsl_nested_way_name(tsl_nested_way way)
{
    static const char *const names[TSL_NESTED_WAYS] = {
        [TSL_NESTED_FORGET] = "forget", [TSL_NESTED_STREAM] = "stream", [TSL_NESTED_HOST] = "host",
        [TSL_NESTED_PLAIN] = "plain",   [TSL_NESTED_ROWS] = "rows",     [TSL_NESTED_WIDE] = "wide"};
    return (int)way >= 0 && (int)way < TSL_NESTED_WAYS ? names[way] : NULL;
}

int64_t tsl_root_first_wrong(tsl_root root, int64_t rows)
{
    for (int64_t i = 0; i < rows; i++) {
        const int64_t first = tsl_triangle_count(i);
        if (tsl_root_row(root, first) != i || tsl_root_row(root, first + i) != i) {
            return i;
        }
    }
    return -1;
}

/* Threads of the flat map's first row of blocks that do a cell in each of two tiles: as many as its
 * second tiles have for them. */
static int64_t count_twice(int64_t n, int side, int rows)
{
    const int64_t tiles = (n - 1) / side + 1;
    const int64_t half = tsl_power_from(tiles) / 2;
    int64_t threads = 0;
    for (int64_t tile = half > 0 ? half : 1; tile < tiles; tile++) {
        const int64_t rest = n - tile * side;
        for (int thread = 0; thread < side * rows; thread++) {
            /* of its cells in the tile, thread / side + turn * rows, the last has the best chance
             */
            const int last = (int)((rest < side ? rest : side) - 1);
            const int row = thread / side;
            threads += row <= last && row + (last - row) / rows * rows >= thread % side;
        }
    }
    return threads;
}

/* Columns of a tile, from its first on, in which a block's row `row` of threads does cells. */
static int count_columns(int64_t n, int side, int rows, tsl_tile tile, int row)
{
    const int64_t rest = n - tile.i * side;
    const int last = (int)((rest < side ? rest : side) - 1);
    if (row > last) {
        return 0;
    }
    return tile.i == tile.j ? row + (last - row) / rows * rows + 1 : side;
}

/* Threads of one tile that do a cell in it. */
static int64_t count_busy(int64_t n, int side, int rows, tsl_tile tile)
{
    int64_t threads = 0;
    for (int row = 0; row < rows; row++) {
        threads += count_columns(n, side, rows, tile, row);
    }
    return threads;
}

/* Threads that do a cell, each tile by a block of its own; n >= 1. */
static int64_t count_all_busy(int64_t n, int side, int rows)
{
    const int64_t last = (n - 1) / side;
    /* whole tiles below the diagonal and on it, then those of the last row, which may be cut */
    return tsl_triangle_count(last - 1 > 0 ? last - 1 : 0) * side * rows +
           last * count_busy(n, side, rows, (tsl_tile){0, 0}) +
           last * count_busy(n, side, rows, (tsl_tile){last, 0}) +
           count_busy(n, side, rows, (tsl_tile){last, last});
}

tsl_cover_tally tsl_cover_expected(tsl_map map, int64_t n, int side, int rows)
{
    tsl_cover_tally tally = {0, 0, 0};
    if (n == 0) {
        return tally;
    }
    const int64_t tiles = (n - 1) / side + 1;
    int64_t busy = count_all_busy(n, side, rows);
    tally.blocks = tsl_map_blocks(map, tiles);
    int64_t live = tsl_triangle_count(tiles);
    if (map == TSL_MAP_FLAT || map == TSL_MAP_BASIC) {
        const int64_t half = tsl_power_from(tiles) / 2;
        live -= half > 0 ? tiles - half : 0; /* the second tiles of its first row of blocks */
        busy -= count_twice(n, side, rows);
    }
    tally.idle_blocks = tally.blocks - live;
    tally.idle_threads = tally.blocks * side * rows - busy;
    return tally;
}

/* Threads of a persistent block that do a cell in any of its tiles: in each row the most columns.
 */
static int64_t count_persistent(int64_t n, int side, int rows, int64_t block, int64_t blocks)
{
    const int64_t tiles = tsl_triangle_count((n - 1) / side + 1);
    int64_t threads = 0;
    for (int row = 0; row < rows; row++) {
        int most = 0;
        for (int64_t k = block; k < tiles && most < side; k += blocks) {
            const int64_t i = tsl_lower_row(k);
            const tsl_tile tile = {i, k - tsl_triangle_count(i)};
            const int columns = count_columns(n, side, rows, tile, row);
            most = columns > most ? columns : most;
        }
        threads += most;
    }
    return threads;
}

tsl_cover_tally tsl_persistent_expected(int64_t n, int side, int rows, int64_t blocks)
{
    tsl_cover_tally tally = {0, 0, 0};
    if (n == 0) {
        return tally;
    }
    tally.blocks = tsl_persistent_blocks((n - 1) / side + 1, blocks);
    tally.idle_threads = tally.blocks * side * rows;
    for (int64_t block = 0; block < tally.blocks; block++) {
        tally.idle_threads -= count_persistent(n, side, rows, block, tally.blocks);
    }
    return tally;
}

/* ---- nested grids --------------------------------------------------------------------------- */

tsl_nested_size tsl_nested_size_of(int64_t tiles, int64_t leaf)
{
    if (tiles <= leaf) {
        return (tsl_nested_size){1, tiles * tiles};
    }
    const int64_t upper = tiles / 2;
    const tsl_nested_size one = tsl_nested_size_of(upper, leaf);
    const tsl_nested_size other = tiles % 2 == 0 ? one : tsl_nested_size_of(tiles - upper, leaf);
    return (tsl_nested_size){1 + one.grids + other.grids,
                             upper * (tiles - upper) + one.blocks + other.blocks};
}

int64_t tsl_nested_leaf(int cells, int side)
{
    return cells > side ? cells / side : 1;
}

tsl_status tsl_nested_check_task(tsl_context *context, const tsl_nested_task *task)
{
    const int64_t tiles = (task->n - 1) / task->side + 1;
    if (context->ops->simplex->nested == NULL) {
        return tsl_fail(context, TSL_E_UNSUPPORTED,
                        "%s: its blocks cannot launch grids: take an NVIDIA GPU", context->name);
    }
    if (tiles > TSL_NESTED_TILES ||
        tsl_nested_size_of(tiles, task->leaf).grids > TSL_NESTED_PENDING) {
        return tsl_fail(context, TSL_E_UNSUPPORTED,
                        "nested grids of %lld tiles a side, leaves of %lld: %d tiles and %d grids "
                        "are possible: take larger tiles or leaves",
                        (long long)tiles, (long long)task->leaf, TSL_NESTED_TILES,
                        TSL_NESTED_PENDING);
    }
    return TSL_OK;
}

tsl_status tsl_nested_run(tsl_context *context, const tsl_nested_task *task)
{
    const tsl_status status = tsl_nested_check_task(context, task);
    return status == TSL_OK ? context->ops->simplex->nested(context, task) : status;
}

tsl_status tsl_nested_check(tsl_context *context, const tsl_nested_task *task, int64_t times)
{
    const int64_t expected =
        times * tsl_nested_size_of((task->n - 1) / task->side + 1, task->leaf).grids;
    int64_t grids[2];
    tsl_status status = TSL_OK;
    TSL_TRY(context->ops->download(context, grids, task->grids, (int64_t)sizeof grids));
    TSL_TRY(context->ops->fill(context, task->grids, 0, (int64_t)sizeof grids));
    if (grids[0] != expected || grids[1] != 0) {
        return tsl_fail(
            context, TSL_E_DEVICE,
            "of %lld nested grids %lld ran, and %lld launches failed: take a larger leaf",
            (long long)expected, (long long)grids[0], (long long)grids[1]);
    }
done:
    return status;
}

static tsl_cover_tally nested_expected(const tsl_nested_task *task)
{
    const int64_t tiles = (task->n - 1) / task->side + 1;
    const int64_t wider = task->way == TSL_NESTED_WIDE ? 4 : 1;
    const tsl_nested_size size = tsl_nested_size_of(tiles, task->leaf);
    return (tsl_cover_tally){.blocks = wider * size.blocks,
                             .idle_blocks = wider * size.blocks - tsl_triangle_count(tiles),
                             .idle_threads = wider * size.blocks * task->side * task->rows -
                                             count_all_busy(task->n, task->side, task->rows)};
}

/* ---- counting ------------------------------------------------------------------------------- */

/* Cells behind the last that are watched, and points whose triples are counted at most. */
enum { GUARD = 4096, MOST_TRIPLES = 4096 };

/* Device memory of a count, all zeros: cells, and sums. */
typedef struct counting {
    tsl_context *context;
    tsl_judge_task judge;
    void *cells;
    struct count_sums {
        tsl_cover_tally found;
        int64_t faults[3], grids[2];
    } * sums;
} counting;

static tsl_status open_count(counting *c)
{
    tsl_context *const context = c->context;
    const int64_t bytes = (c->judge.rows * c->judge.columns + GUARD) * (int64_t)sizeof(int32_t);
    void *sums = NULL;
    tsl_status status = TSL_OK;
    TSL_TRY(tsl_device_allocate(&c->cells, context, bytes, "counts of cells"));
    TSL_TRY(tsl_device_allocate(&sums, context, (int64_t)sizeof *c->sums, "a tally"));
    c->sums = sums;
    TSL_TRY(context->ops->fill(context, c->cells, 0, bytes));
    TSL_TRY(context->ops->fill(context, sums, 0, (int64_t)sizeof *c->sums));
    c->judge.cells = c->cells;
    c->judge.guard = GUARD;
    c->judge.faults = c->sums->faults;
done:
    return status;
}

/* What was counted, judged. */
static tsl_status close_count(tsl_cover *out, const counting *c)
{
    struct count_sums sums;
    tsl_status status = TSL_OK;
    TSL_TRY(c->context->ops->simplex->judge(c->context, &c->judge));
    TSL_TRY(c->context->ops->download(c->context, &sums, c->sums, (int64_t)sizeof sums));
    out->found = sums.found;
    out->missed = sums.faults[0];
    out->repeated = sums.faults[1];
    out->outside = sums.faults[2];
done:
    return status;
}

static bool is_shape(int64_t n, int side, int rows)
{
    return n >= 0 && n <= INT32_MAX && side >= 1 && rows >= 1 && side % rows == 0 &&
           side <= 1024 / rows;
}

static tsl_status fail_shape(tsl_context *context, const char *what, int64_t n, int side, int rows)
{
    return tsl_fail(context, TSL_E_ARG,
                    "%s of %lld cells, tiles of %d, %d rows of threads: give 0 to %d cells, rows "
                    "that divide the side, and at most 1024 of side times rows",
                    what, (long long)n, side, rows, INT32_MAX);
}

/* All launches of a task; what it comes to by closed forms, and launches, are in *out. */
static tsl_status cover_all(tsl_cover *out, tsl_context *context, tsl_cover_task task)
{
    counting c = {.context = context, .judge = {.rows = task.n, .columns = task.n}};
    tsl_status status = TSL_OK;
    TSL_TRY(open_count(&c));
    task.guard = GUARD;
    task.cells = c.cells;
    task.tally = &c.sums->found;
    for (; task.launch < out->launches; task.launch++) {
        TSL_TRY(context->ops->simplex->cover(context, &task));
    }
    TSL_TRY(close_count(out, &c));
done:
    tsl_device_release(context, c.cells);
    tsl_device_release(context, c.sums);
    return status;
}

tsl_status tsl_cover_count(tsl_cover *out, tsl_context *context, tsl_map map, int64_t n, int side,
                           int rows)
{
    if (tsl_map_name(map) == NULL) {
        return tsl_fail(context, TSL_E_ARG, "map %d: give 0 to %d", (int)map, TSL_MAPS - 1);
    }
    if (!is_shape(n, side, rows)) {
        return fail_shape(context, tsl_map_name(map), n, side, rows);
    }
    *out = (tsl_cover){.expected = tsl_cover_expected(map, n, side, rows)};
    if (n == 0) {
        return TSL_OK;
    }
    out->launches = tsl_map_launches(map, (n - 1) / side + 1);
    return cover_all(out, context,
                     (tsl_cover_task){.map = map, .n = n, .side = side, .rows = rows});
}

tsl_status tsl_persistent_cover(tsl_cover *out, tsl_context *context, int64_t n, int side, int rows,
                                int64_t blocks)
{
    if (blocks < 1 || blocks > INT32_MAX) {
        return tsl_fail(context, TSL_E_ARG, "%lld persistent blocks: give 1 to %d",
                        (long long)blocks, INT32_MAX);
    }
    if (!is_shape(n, side, rows)) {
        return fail_shape(context, "persistent blocks", n, side, rows);
    }
    *out = (tsl_cover){.expected = tsl_persistent_expected(n, side, rows, blocks)};
    if (n == 0) {
        return TSL_OK;
    }
    out->launches = 1;
    return cover_all(
        out, context,
        (tsl_cover_task){.n = n, .side = side, .rows = rows, .blocks = out->expected.blocks});
}

tsl_status tsl_nested_cover(tsl_cover *out, tsl_context *context, tsl_nested_way way, int64_t n,
                            int side, int rows, int leaf)
{
    counting c = {.context = context, .judge = {.rows = n, .columns = n}};
    tsl_nested_task task = {.way = (int)way, .n = n, .side = side, .rows = rows};
    tsl_status status = TSL_OK;
    if (tsl_nested_way_name(way) == NULL || leaf < 1 || (way == TSL_NESTED_ROWS && side != rows)) {
        return tsl_fail(context, TSL_E_ARG,
                        "nested grids, way %d, leaves of %d cells, tiles of %d, %d rows of "
                        "threads: give way 0 to %d, leaves of at least 1 cell, and for way %d as "
                        "many rows as the side",
                        (int)way, leaf, side, rows, TSL_NESTED_WAYS - 1, TSL_NESTED_ROWS);
    }
    if (!is_shape(n, side, rows)) {
        return fail_shape(context, "nested grids", n, side, rows);
    }
    *out = (tsl_cover){.launches = 0};
    if (n == 0) {
        return TSL_OK;
    }
    task.leaf = tsl_nested_leaf(leaf, side);
    out->expected = nested_expected(&task);
    out->launches = (int)tsl_nested_size_of((n - 1) / side + 1, task.leaf).grids;
    TSL_TRY(open_count(&c));
    task.counts = c.cells;
    task.tally = &c.sums->found;
    task.grids = c.sums->grids;
    TSL_TRY(tsl_nested_run(context, &task));
    TSL_TRY(tsl_nested_check(context, &task, 1));
    TSL_TRY(close_count(out, &c));
done:
    tsl_device_release(context, c.cells);
    tsl_device_release(context, c.sums);
    return status;
}

tsl_status tsl_triples_cover(tsl_cover *out, tsl_context *context, tsl_tetrahedron_map map,
                             int64_t n)
{
    const int64_t triples = n >= 0 && n <= MOST_TRIPLES ? tsl_tetrahedron_count(n) : 0;
    counting c = {.context = context, .judge = {.rows = 1, .columns = triples, .all = 1}};
    tsl_triples_task task = {.map = map, .n = n};
    tsl_status status = TSL_OK;
    if ((int)map < 0 || (int)map >= TSL_TETRAHEDRON_MAPS || n < 0 || n > MOST_TRIPLES) {
        return tsl_fail(context, TSL_E_ARG,
                        "map %d of triples of %lld points: give map 0 to %d, and 0 to %d points",
                        (int)map, (long long)n, TSL_TETRAHEDRON_MAPS - 1, MOST_TRIPLES);
    }
    *out = (tsl_cover){.launches = 0};
    if (n == 0) {
        return TSL_OK;
    }
    out->launches = tsl_tetrahedron_launches(map, n);
    TSL_TRY(open_count(&c));
    task.cells = c.cells;
    task.idle = &c.sums->found.idle_blocks;
    for (; task.launch < out->launches; task.launch++) {
        const tsl_cell grid = tsl_tetrahedron_grid_of(map, n, task.launch);
        task.count = grid.i * grid.j * grid.l;
        out->expected.blocks += task.count;
        TSL_TRY(context->ops->simplex->triples(context, &task));
    }
    TSL_TRY(close_count(out, &c));
    out->found.blocks = out->expected.blocks; /* a thread takes each, so none is left out */
    out->found.idle_threads = out->found.idle_blocks;
    out->expected.idle_blocks = out->expected.blocks - triples;
    out->expected.idle_threads = out->expected.idle_blocks;
done:
    tsl_device_release(context, c.cells);
    tsl_device_release(context, c.sums);
    return status;
}
