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
        [TSL_MAP_FOLD] = "fold",   [TSL_MAP_SUPER] = "super"};
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

/* Threads of one tile (i, j) that do a cell in it. */
static int64_t count_busy(int64_t n, int side, int rows, bool diagonal, int64_t i)
{
    const int64_t rest = n - i * side;
    const int last = (int)((rest < side ? rest : side) - 1);
    int64_t threads = 0;
    for (int row = 0; row < rows && row <= last; row++) {
        const int lowest = row + (last - row) / rows * rows;
        threads += diagonal ? (lowest < side ? lowest + 1 : side) : side;
    }
    return threads;
}

tsl_cover_tally tsl_cover_expected(tsl_map map, int64_t n, int side, int rows)
{
    tsl_cover_tally tally = {0, 0, 0};
    if (n == 0) {
        return tally;
    }
    const int64_t tiles = (n - 1) / side + 1;
    const int64_t last = tiles - 1;
    tally.blocks = tsl_map_blocks(map, tiles);
    /* whole tiles below the diagonal and on it, then those of the last row, which may be cut */
    int64_t busy = tsl_triangle_count(last - 1 > 0 ? last - 1 : 0) * side * rows;
    busy += last * count_busy(n, side, rows, true, 0);
    busy += last * count_busy(n, side, rows, false, last);
    busy += count_busy(n, side, rows, true, last);
    int64_t live = tsl_triangle_count(tiles);
    if (map == TSL_MAP_FLAT) {
        const int64_t half = tsl_power_from(tiles) / 2;
        live -= half > 0 ? tiles - half : 0; /* the second tiles of its first row of blocks */
        busy -= count_twice(n, side, rows);
    }
    tally.idle_blocks = tally.blocks - live;
    tally.idle_threads = tally.blocks * side * rows - busy;
    return tally;
}

/* ---- counting ------------------------------------------------------------------------------- */

enum { GUARD = 4096 }; /* cells behind the last */

static void judge(tsl_cover *out, const int32_t *cells, int64_t n)
{
    for (int64_t i = 0; i < n; i++) {
        for (int64_t j = 0; j < n; j++) {
            const int32_t times = cells[i * n + j];
            out->missed += j <= i && times == 0;
            out->repeated += j <= i && times > 1;
            out->outside += j > i && times != 0;
        }
    }
    for (int64_t g = n * n; g < n * n + GUARD; g++) {
        out->outside += cells[g] != 0;
    }
}

tsl_status tsl_cover_count(tsl_cover *out, tsl_context *context, tsl_map map, int64_t n, int side,
                           int rows)
{
    if (tsl_map_name(map) == NULL || n < 0 || n > INT32_MAX || side < 1 || rows < 1 ||
        side % rows != 0 || side > 1024 / rows) {
        return tsl_fail(context, TSL_E_ARG,
                        "map %d of %lld cells, tiles of %d, %d rows of threads: rows divide the "
                        "side, and both together are at most 1024",
                        (int)map, (long long)n, side, rows);
    }
    *out = (tsl_cover){.expected = tsl_cover_expected(map, n, side, rows)};
    if (n == 0) {
        return TSL_OK;
    }
    const int64_t tiles = (n - 1) / side + 1;
    const int64_t bytes = (n * n + GUARD) * (int64_t)sizeof(int32_t);
    tsl_cover_task task = {.map = map, .n = n, .side = side, .rows = rows, .guard = GUARD};
    void *cells = NULL, *tally = NULL;
    int32_t *host = tsl_allocate((size_t)bytes);
    tsl_status status = host != NULL ? TSL_OK : tsl_fail_memory(context, bytes, "counts of cells");
    if (status == TSL_OK) {
        status = tsl_device_allocate(&cells, context, bytes, "counts of cells");
    }
    if (status == TSL_OK) {
        status = tsl_device_allocate(&tally, context, (int64_t)sizeof *task.tally, "a tally");
    }
    if (status == TSL_OK) {
        status = context->ops->fill(context, cells, 0, bytes);
    }
    if (status == TSL_OK) {
        status = context->ops->fill(context, tally, 0, (int64_t)sizeof *task.tally);
    }
    task.cells = cells;
    task.tally = tally;
    out->launches = tsl_map_launches(map, tiles);
    for (; task.launch < out->launches && status == TSL_OK; task.launch++) {
        status = context->ops->simplex->cover(context, &task);
    }
    if (status == TSL_OK) {
        status = context->ops->download(context, host, cells, bytes);
    }
    if (status == TSL_OK) {
        status = context->ops->download(context, &out->found, tally, (int64_t)sizeof out->found);
    }
    if (status == TSL_OK) {
        judge(out, host, n);
    }
    tsl_device_release(context, cells);
    tsl_device_release(context, tally);
    tsl_release(host);
    return status;
}
