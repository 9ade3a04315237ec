#include "blocks/sparse/tiles.h"

#include <omp.h>
#include <string.h>

#include "core/context.h"
#include "device/device.h"

/* Of two rows in a block of columns: with fewer, slices would mostly be their ends. */
enum { LEAST_ENTRIES = 3 };

void tsl_tiles_free(tsl_tiles *tiles)
{
    tsl_release(tiles->start);
    tsl_release(tiles->place);
    tsl_release(tiles->lane);
    tsl_release(tiles->offset);
    tsl_release(tiles->value);
    *tiles = (tsl_tiles){0};
}

/* Shared memory that kernels have beside x; columns of a block, which leave the first-level cache
 * some of the memory both have; and entries of a row and block under which fewer blocks are better.
 */
enum { RESERVED_BYTES = 9216, USUAL_COLUMNS = 20000, SHORT = 16, LINE_NUMBERS = 32 };

/* Have rows few entries in a block of columns? */
static bool is_short(const tsl_csr *matrix, int64_t blocks)
{
    return blocks > 1 && tsl_csr_nonzeros(matrix) < SHORT * matrix->rows * blocks;
}

/* 0: there is room for none. */
static int most_columns(int64_t shared)
{
    const int64_t least = RESERVED_BYTES + LINE_NUMBERS * (int64_t)sizeof(double);
    return shared < least ? 0
                          : (int)((shared - RESERVED_BYTES) / (int64_t)sizeof(double) /
                                  LINE_NUMBERS * LINE_NUMBERS);
}

static int whole_lines(int64_t columns)
{
    return (int)((columns + LINE_NUMBERS - 1) / LINE_NUMBERS * LINE_NUMBERS);
}

int tsl_tiles_columns(const tsl_csr *matrix, int64_t shared)
{
    const int most = most_columns(shared);
    if (most == 0) {
        return 0;
    }
    const int usual = most < USUAL_COLUMNS ? most : USUAL_COLUMNS;
    const int64_t blocks = (matrix->columns + usual - 1) / usual;
    return is_short(matrix, blocks) ? most : usual;
}

int tsl_tiles_blocks(int64_t columns, int most)
{
    return most > 0 ? (int)((columns + most - 1) / most) : 0;
}

int tsl_tiles_even_columns(int64_t columns, const struct tsl_device_properties *device)
{
    int blocks = tsl_tiles_blocks(columns, most_columns(device->shared));
    while (blocks > 0 && device->threads % blocks != 0 && blocks % device->threads != 0) {
        blocks++;
    }
    return blocks > 0 ? whole_lines((columns + blocks - 1) / blocks) : 0;
}

bool tsl_tiles_suit(const tsl_csr *matrix, int most)
{
    const int blocks = tsl_tiles_blocks(matrix->columns, most);
    return blocks > 0 && 2 * tsl_csr_nonzeros(matrix) >= LEAST_ENTRIES * matrix->rows * blocks;
}

bool tsl_tiles_suit_row(int64_t entries, int blocks)
{
    return 2 * entries >= LEAST_ENTRIES * (int64_t)blocks;
}

/* A thread's work space: a number for each row of a window in each block of columns. First a row's
 * entries there, then its lane among the window's. */
typedef uint16_t bench; /* [blocks][window] */

/* The rows of a window. */
typedef struct window {
    int64_t first;
    int rows;
} window;

static window window_of(const tsl_tiles *tiles, int64_t number)
{
    const int64_t first = number * tiles->window;
    const int64_t left = tiles->rows - first;
    return (window){first, (int)(left < tiles->window ? left : tiles->window)};
}

/* Lengths of a window's rows. */
static void count_entries(const tsl_tiles *tiles, const tsl_csr *matrix, window w, bench *b)
{
    memset(b, 0, (size_t)tiles->blocks * (size_t)tiles->window * sizeof *b);
    for (int row = 0; row < w.rows; row++) {
        const int64_t end = matrix->row_start[w.first + row + 1];
        for (int64_t k = matrix->row_start[w.first + row]; k < end; k++) {
            b[matrix->column[k] / tiles->width * tiles->window + row]++;
        }
    }
}

/* Sort the rows of a window by length, the longest first, in one block of columns: fills `place`,
 * and the lengths of the slices into start[slice + 1]. Rows of one length keep their order.
 * `places` is work space for all lengths there can be. */
static void sort_rows(tsl_tiles *tiles, window w, int block, const uint16_t *length, int *places)
{
    const int64_t first = block * tiles->slices + w.first / TSL_TILE_LANES;
    int longest = 0;
    for (int row = 0; row < w.rows; row++) {
        longest = length[row] > longest ? length[row] : longest;
    }
    memset(places, 0, ((size_t)longest + 2) * sizeof *places);
    for (int row = 0; row < w.rows; row++) {
        places[longest - length[row] + 1]++;
    }
    for (int i = 0; i <= longest; i++) {
        places[i + 1] += places[i];
    }
    for (int row = 0; row < w.rows; row++) {
        const int at = places[longest - length[row]]++;
        tiles->place[first * TSL_TILE_LANES + at] = (uint16_t)row;
        if (at % TSL_TILE_LANES == 0) { /* the longest of its slice */
            tiles->start[first + at / TSL_TILE_LANES + 1] = (int64_t)length[row] * TSL_TILE_LANES;
        }
    }
    for (int at = w.rows; at % TSL_TILE_LANES != 0; at++) {
        tiles->place[first * TSL_TILE_LANES + at] = TSL_TILE_WINDOW; /* a lane without a row */
    }
}

/* Where each row of a window is. */
static void find_lanes(const tsl_tiles *tiles, window w, bench *b)
{
    for (int block = 0; block < tiles->blocks; block++) {
        const int64_t first = block * tiles->slices + w.first / TSL_TILE_LANES;
        for (int at = 0; at < w.rows; at++) {
            const int row = tiles->place[first * TSL_TILE_LANES + at];
            b[(int64_t)block * tiles->window + row] = (uint16_t)at;
            if (tiles->lane != NULL) {
                tiles->lane[block * tiles->rows + w.first + row] = (uint16_t)at;
            }
        }
    }
}

/* Fill the slices of a window. */
static void fill_window(const tsl_tiles *tiles, const tsl_csr *matrix, window w, bench *b)
{
    find_lanes(tiles, w, b);
    const int64_t slices = (w.rows + TSL_TILE_LANES - 1) / TSL_TILE_LANES;
    for (int block = 0; block < tiles->blocks; block++) {
        const int64_t first = block * tiles->slices + w.first / TSL_TILE_LANES;
        const int64_t from = tiles->start[first];
        const size_t count = (size_t)(tiles->start[first + slices] - from);
        memset(tiles->value + from, 0, count * sizeof *tiles->value);
        memset(tiles->offset + from, 0, count * sizeof *tiles->offset);
    }
    for (int row = 0; row < w.rows; row++) {
        int before = -1; /* block of the entry before */
        int64_t at = 0;
        const int64_t end = matrix->row_start[w.first + row + 1];
        for (int64_t k = matrix->row_start[w.first + row]; k < end; k++) {
            const int block = matrix->column[k] / tiles->width;
            if (block != before) {
                const int lane = b[(int64_t)block * tiles->window + row];
                const int64_t slice =
                    block * tiles->slices + w.first / TSL_TILE_LANES + lane / TSL_TILE_LANES;
                at = tiles->start[slice] + lane % TSL_TILE_LANES;
                before = block;
            }
            tiles->value[at] = matrix->value[k];
            tiles->offset[at] = (uint16_t)(matrix->column[k] - block * tiles->width);
            at += TSL_TILE_LANES;
        }
    }
}

/* All windows, by all threads; `benches` has a work space a thread, `places` likewise. */
static tsl_status cut(tsl_tiles *tiles, tsl_context *context, const tsl_csr *matrix, bench *benches,
                      int *places)
{
    const int64_t windows = (matrix->rows + tiles->window - 1) / tiles->window;
    const int64_t bench_length = (int64_t)tiles->blocks * tiles->window;
#pragma omp parallel for num_threads(context->threads) schedule(dynamic)
    for (int64_t i = 0; i < windows; i++) {
        const window w = window_of(tiles, i);
        bench *b = benches + omp_get_thread_num() * bench_length;
        count_entries(tiles, matrix, w, b);
        for (int block = 0; block < tiles->blocks; block++) {
            sort_rows(tiles, w, block, b + (int64_t)block * tiles->window,
                      places + (int64_t)omp_get_thread_num() * (tiles->width + 2));
        }
    }
    tiles->start[0] = 0;
    for (int64_t slice = 0; slice < tiles->blocks * tiles->slices; slice++) {
        tiles->start[slice + 1] += tiles->start[slice];
    }
    const size_t entries = (size_t)tsl_tiles_entries(tiles);
    tiles->offset = tsl_allocate(entries * sizeof *tiles->offset);
    tiles->value = tsl_allocate(entries * sizeof *tiles->value);
    if (tiles->offset == NULL || tiles->value == NULL) {
        return tsl_fail_memory(context, (int64_t)entries * 10, "the matrix by blocks of columns");
    }
#pragma omp parallel for num_threads(context->threads) schedule(dynamic)
    for (int64_t i = 0; i < windows; i++) {
        fill_window(tiles, matrix, window_of(tiles, i),
                    benches + omp_get_thread_num() * bench_length);
    }
    return TSL_OK;
}

tsl_status tsl_tiles_make(tsl_tiles *out, tsl_context *context, const tsl_csr *matrix, int most,
                          bool kept)
{
    tsl_tiles tiles = {.rows = matrix->rows, .columns = matrix->columns, .kept = kept};
    tiles.blocks = tsl_tiles_blocks(matrix->columns, most);
    /* as even as can be, in whole lines of memory */
    tiles.width = whole_lines((matrix->columns + tiles.blocks - 1) / tiles.blocks);
    tiles.slices = (matrix->rows + TSL_TILE_LANES - 1) / TSL_TILE_LANES;
    tiles.whole = tiles.slices; /* unless the caller knows better */
    const size_t slices = (size_t)(tiles.blocks * tiles.slices);
    const size_t threads = (size_t)context->threads;
    const bool lanes = kept || is_short(matrix, tiles.blocks);
    tiles.window = lanes ? TSL_NEAR_WINDOW : TSL_TILE_WINDOW;
    const size_t bench_bytes = (size_t)tiles.blocks * (size_t)tiles.window * sizeof(bench);
    bench *benches = tsl_allocate(threads * bench_bytes);
    int *places = tsl_allocate(threads * (size_t)(tiles.width + 2) * sizeof *places);
    tiles.start = tsl_allocate((slices + 1) * sizeof *tiles.start);
    tiles.place = tsl_allocate(slices * TSL_TILE_LANES * sizeof *tiles.place);
    tiles.lane = lanes ? tsl_allocate((size_t)(tiles.blocks * tiles.rows) * 2) : NULL;
    tsl_status status = TSL_OK;
    if (benches == NULL || places == NULL || tiles.start == NULL || tiles.place == NULL ||
        (lanes && tiles.lane == NULL)) {
        status = tsl_fail_memory(context, (int64_t)(threads * bench_bytes + slices * 72),
                                 "the matrix by blocks of columns");
    } else {
        status = cut(&tiles, context, matrix, benches, places);
    }
    tsl_release(benches);
    tsl_release(places);
    if (status != TSL_OK) {
        tsl_tiles_free(&tiles);
        return status;
    }
    *out = tiles;
    return TSL_OK;
}
