#include "blocks/csr/tiles.h"

#include <omp.h>
#include <string.h>

#include "comm/comm.h"
#include "core/context.h"
#include "device/device.h"

/* The least number of entries that two rows have in a block of columns: with fewer, slices would
 * mostly consist of their ends. */
enum { LEAST_ENTRIES = 3 };

void tsl_tiles_free(tsl_tiles *tiles)
{
    tsl_release(tiles->start);
    tsl_release(tiles->place);
    tsl_release(tiles->lane);
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

/* Bytes of an entry, the least bytes of a part, and the largest number of parts. Parts are few
 * because each is brought to a device block by block. */
enum { ENTRY_BYTES = 10, LEAST_PART = 64 << 20, MOST_PARTS = 64 };

/* Columns of a block and rows of a window in tiles for the CPU: the block's part of x stays in the
 * first-level cache beside the entries that pass by, and a window has rows enough to find eight of
 * one length. */
enum { HOST_COLUMNS = 2048, HOST_WINDOW = 256 };

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
    const int64_t first = block * tiles->slices + w.first / tiles->lanes;
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
        tiles->place[first * tiles->lanes + at] = (uint16_t)row;
        if (at % tiles->lanes == 0) { /* the longest of its slice */
            tiles->start[first + at / tiles->lanes + 1] = (int64_t)length[row] * tiles->lanes;
        }
    }
    for (int at = w.rows; at % tiles->lanes != 0; at++) {
        tiles->place[first * tiles->lanes + at] = TSL_TILE_WINDOW; /* a lane without a row */
    }
}

/* Where each row of a window is; `lane` [blocks][rows] may be NULL. */
static void find_lanes(const tsl_tiles *tiles, window w, bench *b, uint16_t *lane)
{
    for (int block = 0; block < tiles->blocks; block++) {
        const int64_t first = block * tiles->slices + w.first / tiles->lanes;
        for (int at = 0; at < w.rows; at++) {
            const int row = tiles->place[first * tiles->lanes + at];
            b[(int64_t)block * tiles->window + row] = (uint16_t)at;
            if (lane != NULL) {
                lane[block * tiles->rows + w.first + row] = (uint16_t)at;
            }
        }
    }
}

static int64_t windows_of(const tsl_tiles *tiles)
{
    return (tiles->rows + tiles->window - 1) / tiles->window;
}

static int64_t bench_length(const tsl_tiles *tiles)
{
    return (int64_t)tiles->blocks * tiles->window;
}

/* Sort all windows, by all threads. `benches` and `places` have a work space for each thread. */
static void sort_windows(tsl_tiles *tiles, const tsl_context *context, bench *benches, int *places)
{
    const int64_t windows = windows_of(tiles);
#pragma omp parallel for num_threads(context->threads) schedule(dynamic)
    for (int64_t i = 0; i < windows; i++) {
        const window w = window_of(tiles, i);
        bench *b = benches + omp_get_thread_num() * bench_length(tiles);
        count_entries(tiles, tiles->matrix, w, b);
        for (int block = 0; block < tiles->blocks; block++) {
            sort_rows(tiles, w, block, b + (int64_t)block * tiles->window,
                      places + (int64_t)omp_get_thread_num() * (tiles->width + 2));
        }
        if (tiles->lane != NULL) {
            find_lanes(tiles, w, b, tiles->lane);
        }
    }
    tiles->start[0] = 0;
    for (int64_t slice = 0; slice < tiles->blocks * tiles->slices; slice++) {
        tiles->start[slice + 1] += tiles->start[slice];
    }
    const int64_t all = ENTRY_BYTES * tsl_tiles_entries(tiles);
    tiles->part_bytes = all / MOST_PARTS > LEAST_PART ? all / MOST_PARTS : LEAST_PART;
}

/* `tiles` says how: kept, lanes and window, 0: that depends on the length of rows. */
static tsl_status make(tsl_tiles *out, tsl_context *context, tsl_tiles tiles, const tsl_csr *matrix,
                       int most)
{
    tiles.matrix = matrix;
    tiles.rows = matrix->rows;
    tiles.columns = matrix->columns;
    tiles.blocks = tsl_tiles_blocks(matrix->columns, most);
    /* as even as can be, in whole lines of memory */
    tiles.width = whole_lines((matrix->columns + tiles.blocks - 1) / tiles.blocks);
    tiles.slices = (matrix->rows + tiles.lanes - 1) / tiles.lanes;
    tiles.whole = tiles.slices; /* unless the caller knows better */
    const size_t slices = (size_t)(tiles.blocks * tiles.slices);
    const size_t threads = (size_t)context->threads;
    const bool lanes = tiles.window == 0 && (tiles.kept || is_short(matrix, tiles.blocks));
    tiles.window = tiles.window > 0 ? tiles.window : lanes ? TSL_NEAR_WINDOW : TSL_TILE_WINDOW;
    const size_t bench_bytes = (size_t)bench_length(&tiles) * sizeof(bench);
    const size_t slice_bytes = sizeof *tiles.start + (size_t)tiles.lanes * sizeof *tiles.place;
    bench *benches = tsl_allocate(threads * bench_bytes);
    int *places = tsl_allocate(threads * (size_t)(tiles.width + 2) * sizeof *places);
    tiles.start = tsl_allocate((slices + 1) * sizeof *tiles.start);
    tiles.place = tsl_allocate(slices * (size_t)tiles.lanes * sizeof *tiles.place);
    tiles.lane = lanes ? tsl_allocate((size_t)(tiles.blocks * tiles.rows) * 2) : NULL;
    tsl_status status = TSL_OK;
    if (benches == NULL || places == NULL || tiles.start == NULL || tiles.place == NULL ||
        (lanes && tiles.lane == NULL)) {
        status = tsl_fail_memory(context, (int64_t)(threads * bench_bytes + slices * slice_bytes),
                                 "the matrix by blocks of columns");
    } else {
        sort_windows(&tiles, context, benches, places);
        status = tsl_comm_check(context->comm);
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

tsl_status tsl_tiles_make(tsl_tiles *out, tsl_context *context, const tsl_csr *matrix, int most,
                          bool kept)
{
    return make(out, context, (tsl_tiles){.kept = kept, .lanes = TSL_TILE_LANES}, matrix, most);
}

int64_t tsl_tiles_host_bytes(int64_t rows, int64_t columns, int64_t entries)
{
    const int64_t blocks = tsl_tiles_blocks(columns, HOST_COLUMNS);
    return blocks > 1 && 2 * entries >= LEAST_ENTRIES * rows * blocks ? ENTRY_BYTES * entries : 0;
}

tsl_status tsl_tiles_make_for_host(tsl_tiles *out, tsl_context *context, const tsl_csr *matrix)
{
    return make(out, context, (tsl_tiles){.lanes = TSL_HOST_LANES, .window = HOST_WINDOW}, matrix,
                HOST_COLUMNS);
}

/* ---- entries -------------------------------------------------------------------------------- */

/* After so many windows a rank looks whether the others go on. */
enum { TOGETHER = 1024 };

/* Some windows' entries. */
typedef struct tiles_part {
    int64_t first, last; /* slices of each block of columns: first … last - 1 */
    int64_t *at;         /* [blocks + 1]: where a block's entries begin */
    uint16_t *offset;    /* [at[blocks]]: column within the block */
    double *value;       /* [at[blocks]] */
} tiles_part;

/* Where the entries of a slice of a block of columns begin among the part's. */
static int64_t place_in(const tiles_part *part, const tsl_tiles *tiles, int block, int64_t slice)
{
    const int64_t *start = tiles->start + block * tiles->slices;
    return part->at[block] + start[slice] - start[part->first];
}

/* Fill the slices of a window. */
static void fill_window(const tiles_part *part, const tsl_tiles *tiles, window w, bench *b)
{
    const tsl_csr *matrix = tiles->matrix;
    find_lanes(tiles, w, b, NULL);
    const int64_t first = w.first / tiles->lanes;
    const int64_t slices = (w.rows + tiles->lanes - 1) / tiles->lanes;
    for (int block = 0; block < tiles->blocks; block++) {
        const int64_t from = place_in(part, tiles, block, first);
        const size_t count = (size_t)(place_in(part, tiles, block, first + slices) - from);
        memset(part->value + from, 0, count * sizeof *part->value);
        memset(part->offset + from, 0, count * sizeof *part->offset);
    }
    for (int row = 0; row < w.rows; row++) {
        int before = -1; /* block of the entry before */
        int64_t at = 0;
        const int64_t end = matrix->row_start[w.first + row + 1];
        for (int64_t k = matrix->row_start[w.first + row]; k < end; k++) {
            const int block = matrix->column[k] / tiles->width;
            if (block != before) {
                const int lane = b[(int64_t)block * tiles->window + row];
                at =
                    place_in(part, tiles, block, first + lane / tiles->lanes) + lane % tiles->lanes;
                before = block;
            }
            part->value[at] = matrix->value[k];
            part->offset[at] = (uint16_t)(matrix->column[k] - block * tiles->width);
            at += tiles->lanes;
        }
    }
}

static void free_part(tiles_part *part)
{
    tsl_release(part->at);
    tsl_release(part->offset);
    tsl_release(part->value);
    *part = (tiles_part){0};
}

/* Where the part from slice `first` on ends: with the window that fills it, or the next that leaves
 * no thread without one. */
static int64_t end_of_part(const tsl_tiles *tiles, int threads, int64_t first)
{
    const int64_t step = tiles->window / tiles->lanes;
    int64_t entries = 0;
    int64_t last = first;
    for (int windows = 0; last < tiles->slices &&
                          (windows % threads > 0 || ENTRY_BYTES * entries < tiles->part_bytes);
         windows++) {
        const int64_t from = last;
        last = from + step < tiles->slices ? from + step : tiles->slices;
        for (int block = 0; block < tiles->blocks; block++) {
            const int64_t *start = tiles->start + block * tiles->slices;
            entries += start[last] - start[from];
        }
    }
    return last;
}

static tsl_status make_part(tiles_part *out, tsl_context *context, const tsl_tiles *tiles,
                            int64_t first)
{
    tiles_part part = {.first = first, .last = end_of_part(tiles, context->threads, first)};
    const int64_t begin = first * tiles->lanes / tiles->window;
    const int64_t end = (part.last * tiles->lanes + tiles->window - 1) / tiles->window;
    part.at = tsl_allocate((size_t)(tiles->blocks + 1) * sizeof *part.at);
    bench *benches =
        tsl_allocate((size_t)(context->threads * bench_length(tiles)) * sizeof *benches);
    int64_t entries = 0;
    for (int block = 0; part.at != NULL && block < tiles->blocks; block++) {
        part.at[block] = entries;
        entries = place_in(&part, tiles, block, part.last);
    }
    part.offset = tsl_allocate((size_t)entries * sizeof *part.offset);
    part.value = tsl_allocate((size_t)entries * sizeof *part.value);
    if (part.at == NULL || benches == NULL || part.offset == NULL || part.value == NULL) {
        tsl_release(benches);
        free_part(&part);
        return tsl_fail_memory(context, entries * ENTRY_BYTES, "the matrix by blocks of columns");
    }
    part.at[tiles->blocks] = entries;
    tsl_status status = TSL_OK;
    for (int64_t from = begin; from < end && status == TSL_OK; from += TOGETHER) {
#pragma omp parallel for num_threads(context->threads) schedule(dynamic)
        for (int64_t i = from; i < (end - from < TOGETHER ? end : from + TOGETHER); i++) {
            fill_window(&part, tiles, window_of(tiles, i),
                        benches + omp_get_thread_num() * bench_length(tiles));
        }
        status = tsl_comm_check(context->comm);
    }
    tsl_release(benches);
    if (status != TSL_OK) {
        free_part(&part);
        return status;
    }
    *out = part;
    return TSL_OK;
}

/* Bring the entries of a part to the device. Blocks that lie side by side there are brought in one
 * copy. */
static tsl_status bring_part(const tsl_device_tiles *to, tsl_context *context,
                             const tsl_tiles *tiles, const tiles_part *part)
{
    const int step = part->last - part->first == tiles->slices ? tiles->blocks : 1;
    tsl_status status = TSL_OK;
    for (int block = 0; block < tiles->blocks && status == TSL_OK; block += step) {
        const int64_t first = tiles->start[block * tiles->slices + part->first];
        const int64_t from = part->at[block];
        const int64_t entries = part->at[block + step] - from;
        if (entries > 0) {
            status = context->ops->upload(context, to->offset + first, part->offset + from,
                                          entries * (int64_t)sizeof *to->offset);
        }
        if (entries > 0 && status == TSL_OK) {
            status = context->ops->upload(context, to->value + first, part->value + from,
                                          entries * (int64_t)sizeof *to->value);
        }
    }
    return status;
}

tsl_status tsl_tiles_create(tsl_sparse **out, tsl_context *context, const tsl_tiles *tiles,
                            const struct tsl_device_properties *properties)
{
    const tsl_sparse_ops *ops = context->ops->sparse;
    tsl_sparse *plan = NULL;
    tsl_status status = ops->create_tiles(&plan, context, tiles, properties);
    for (int64_t slice = 0; slice < tiles->slices && status == TSL_OK;) {
        tiles_part part = {.last = slice};
        status = make_part(&part, context, tiles, slice);
        if (status == TSL_OK) {
            status = bring_part(ops->tiles(plan), context, tiles, &part);
        }
        slice = part.last;
        free_part(&part);
    }
    if (status != TSL_OK) {
        ops->destroy(plan);
        return status;
    }
    *out = plan;
    return TSL_OK;
}

tsl_status tsl_tiles_fill(uint16_t **offset, double **value, tsl_context *context,
                          const tsl_tiles *tiles)
{
    tsl_tiles whole = *tiles;
    tiles_part part;
    whole.part_bytes = INT64_MAX;
    const tsl_status status = make_part(&part, context, &whole, 0);
    if (status == TSL_OK) {
        *offset = part.offset;
        *value = part.value;
        tsl_release(part.at);
    }
    return status;
}
