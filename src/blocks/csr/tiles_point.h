/* What a thread of a GPU does with a matrix in tiles, beside x in shared memory. */
#ifndef TSL_SPARSE_TILES_POINT_H
#define TSL_SPARSE_TILES_POINT_H

#include "blocks/csr/tiles.h"
#include "core/block.h"

enum {
    TSL_TILE_AHEAD = 8,    /* entries of a thread under way */
    TSL_LOAD_AHEAD = 8,    /* of x */
    TSL_FEW_THREADS = 512, /* of a block, where several warps take a slice */
};

/* Sum of a lane of a slice with entries from … end - 1, or of part number `part` of 2^part_bits.
 * The slice's length is the same for all its lanes. All loads of a round come first, without a
 * condition: beyond the end the round's first entry is loaded again. `once`: they are in device
 * memory, and nothing else will read them soon. */
TSL_FN double tsl_slice_sum(const double *value, const uint16_t *offset, int64_t from, int64_t end,
                            int part, int part_bits, int lane, const double *x, bool once)
{
    const int round = TSL_TILE_AHEAD * TSL_TILE_LANES;
    double sum = 0;
    for (int64_t k = from + part * round; k < end; k += round << part_bits) {
        const double *values = value + k + lane;
        const uint16_t *offsets = offset + k + lane;
        const int left = (int)(end - k < round ? end - k : round);
        double loaded[TSL_TILE_AHEAD];
        int column[TSL_TILE_AHEAD];
        TSL_UNROLL
        for (int i = 0; i < TSL_TILE_AHEAD; i++) {
            const int at = i * TSL_TILE_LANES < left ? i * TSL_TILE_LANES : 0;
            loaded[i] = once ? TSL_READ_ONCE(values + at) : values[at];
            column[i] = once ? TSL_READ_ONCE(offsets + at) : offsets[at];
        }
        TSL_UNROLL
        for (int i = 0; i < TSL_TILE_AHEAD; i++) {
            const double term = loaded[i] * x[column[i]];
            sum += i * TSL_TILE_LANES < left ? term : 0;
        }
    }
    return sum;
}

/* The slice, counted from the first of those in turn, and the part of it that a thread's warp has.
 */
TSL_FN int tsl_warp_slice(int thread, int part_bits)
{
    return thread / TSL_TILE_LANES >> part_bits;
}

TSL_FN int tsl_warp_part(int thread, int part_bits)
{
    return (thread / TSL_TILE_LANES) & ((1 << part_bits) - 1);
}

/* The sum of all parts of a lane: sums [threads], `thread` has part 0. */
TSL_FN double tsl_add_parts(const double *sums, int thread, int part_bits)
{
    double sum = 0;
    for (int part = 0; part < 1 << part_bits; part++) {
        sum += sums[thread + part * TSL_TILE_LANES];
    }
    return sum;
}

/* Copy x [width] into shared memory, `threads` of them side by side; in pairs, which are all under
 * way at once, where both are aligned to 16. */
TSL_FN void tsl_load_part(double *part, const double *x, int width, int thread, int threads)
{
    const bool aligned = (((uintptr_t)part | (uintptr_t)x) & 15) == 0;
    const int paired = aligned ? width / 2 * 2 : 0;
    for (int i = 2 * thread; i < paired; i += 2 * threads) {
        tsl_copy_pair(part + i, x + i);
    }
    for (int i = paired + thread; i < width; i += TSL_LOAD_AHEAD * threads) {
        double value[TSL_LOAD_AHEAD];
        TSL_UNROLL
        for (int k = 0; k < TSL_LOAD_AHEAD; k++) {
            const int at = i + k * threads;
            value[k] = x[at < width ? at : i];
        }
        TSL_UNROLL
        for (int k = 0; k < TSL_LOAD_AHEAD; k++) {
            const int at = i + k * threads;
            part[at < width ? at : i] = value[k];
        }
    }
    tsl_copies_done();
}

/* Can all blocks of threads that have a share wait for each other at little cost? */
TSL_FN bool tsl_tiles_are_close(const tsl_device_tiles *t)
{
    return t->blocks == 1 && t->shares <= TSL_CLOSE_BLOCKS;
}

/* Row of a lane whose place is `place`, of slice `slice` of a block of columns; -1: it has none. */
TSL_FN int64_t tsl_tile_row(int64_t slice, int place)
{
    return place == TSL_TILE_WINDOW
               ? -1
               : slice * TSL_TILE_LANES / TSL_TILE_WINDOW * TSL_TILE_WINDOW + place;
}

#endif
