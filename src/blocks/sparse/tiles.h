/* A sparse matrix as GPUs like it when its columns are random: cut into blocks of columns, so
 * narrow that a block's part of x fits in shared memory, where gathering costs nothing, and a
 * column is 16 bits.
 *
 * In each block of columns the rows of a window are sorted by their number of entries there, and
 * make slices of 32. A slice is stored entry by entry: the first entries of its 32 rows, the second
 * ones, … up to the longest row's, shorter ones filled up with zeros. */
#ifndef TSL_SPARSE_TILES_H
#define TSL_SPARSE_TILES_H

#include "blocks/sparse/sparse.h"

enum {
    TSL_TILE_LANES = 32,      /* rows of a slice */
    TSL_TILE_WINDOW = 8192,   /* rows sorted together */
    TSL_TILE_COLUMNS = 20000, /* of a block at most: 156 KiB of x */
};

typedef struct tsl_tiles {
    int64_t rows, columns;
    int blocks;       /* of columns */
    int width;        /* columns of a block; the last may be narrower */
    int64_t slices;   /* of a block: rows / 32, rounded up */
    int64_t *start;   /* [blocks * slices + 1]: first entry of a slice */
    uint16_t *place;  /* [blocks * slices][32]: row of its window in a lane; 8192: none */
    uint16_t *offset; /* [entries]: column within the block */
    double *value;    /* [entries] */
} tsl_tiles;

/* Do rows have entries enough in each block of columns? A band has not: its columns are few at a
 * time, and caches hold them as well. */
bool tsl_tiles_suit(const tsl_csr *matrix);

/* Cut a matrix. Made by all threads of the context. Release with tsl_tiles_free(). */
tsl_status tsl_tiles_make(tsl_tiles *out, tsl_context *context, const tsl_csr *matrix);
void tsl_tiles_free(tsl_tiles *tiles);

static inline int64_t tsl_tiles_entries(const tsl_tiles *tiles)
{
    return tiles->start[tiles->blocks * tiles->slices];
}

#endif
