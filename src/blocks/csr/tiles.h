/* A sparse matrix as processors like it when its columns are random: cut into blocks of columns, so
 * narrow that a block's part of x fits in a GPU's shared memory, or a CPU's first-level cache,
 * where gathering costs nothing, and a column is 16 bits.
 *
 * In each block of columns the rows of a window are sorted by their number of entries there, and
 * make slices of 32 or 8. A slice is stored entry by entry: the first entries of its rows, the
 * second ones, … up to the longest row's, shorter ones filled up with zeros.
 *
 * A row's sums in all blocks of columns are added up in the end. Lanes leave them at their rows'
 * places, which are all over the window; or, with `lane`, side by side, and they are looked up, or
 * kept for others to add up. */
#ifndef TSL_SPARSE_TILES_H
#define TSL_SPARSE_TILES_H

#include "blocks/csr/sparse.h"

enum {
    TSL_TILE_LANES = 32,    /* rows of a slice on a GPU */
    TSL_HOST_LANES = 8,     /* rows of a slice on the CPU */
    TSL_TILE_WINDOW = 8192, /* rows that are sorted together */
    TSL_NEAR_WINDOW =
        2048,    /* rows that are sorted together where a block looks up sums side by side */
    TSL_LINE = 4 /* numbers of x that come together, in 32 bytes */
};

typedef struct tsl_tiles {
    int64_t rows, columns;
    int blocks;      /* of columns */
    int width;       /* columns of a block; the last may be narrower */
    int lanes;       /* rows of a slice */
    int64_t slices;  /* of a block: rows / lanes, rounded up */
    int64_t whole;   /* those of all ranks' rows, on which the order of sums depends */
    int64_t *start;  /* [blocks * slices + 1]: first entry of a slice */
    int window;      /* rows sorted together */
    bool kept;       /* sums are, for others to add up; then there are lanes */
    uint16_t *place; /* [blocks * slices][lanes]: row of its window in a lane; 8192: none */
    uint16_t *lane;  /* [blocks][rows]: lane of a row among its window's, where rows have so few
                        entries in a block that it matters where their sums are written; else
                        NULL */
    const tsl_csr *matrix;
    int64_t part_bytes; /* of entries are brought at a time at least, if there are more */
} tsl_tiles;

/* Columns of a block at most, on a device whose blocks of threads share `shared` bytes of memory;
 * 0: that is too little for any. */
int tsl_tiles_columns(const tsl_csr *matrix, int64_t shared);

/* Columns of a block where entries are few beside x: as many as let the device's processors share
 * the blocks evenly, so that each loads its part of x once; 0: the device shares too little memory
 * for any. */
int tsl_tiles_even_columns(int64_t columns, const struct tsl_device_properties *device);

/* Do rows have entries enough in each block of at most `most` columns? A band has not: its columns
 * are few at a time, and caches hold them as well. */
bool tsl_tiles_suit(const tsl_csr *matrix, int most);
/* Has a row of so many entries? */
bool tsl_tiles_suit_row(int64_t entries, int blocks);
/* Number of blocks of at most `most` columns; 0 where `most` is 0. */
int tsl_tiles_blocks(int64_t columns, int most);

/* Cut a matrix, of more than one block where sums are kept; it stays until
 * tsl_tiles_create() has returned. Made by all threads of the context. Release with
 * tsl_tiles_free(). */
tsl_status tsl_tiles_make(tsl_tiles *out, tsl_context *context, const tsl_csr *matrix, int most,
                          bool kept);
void tsl_tiles_free(tsl_tiles *tiles);
/* Make them ready for products on a device with these properties, which has create_tiles(). The
 * entries are brought a part at a time: all of them, beside the matrix that they come from, would
 * take as much memory again. */
tsl_status tsl_tiles_create(tsl_sparse **out, tsl_context *context, const tsl_tiles *tiles,
                            const struct tsl_device_properties *properties);

/* Such tiles for the CPU, whose first-level cache is its shared memory, and all of their entries,
 * as in tsl_device_tiles; to be released with tsl_release(). */
tsl_status tsl_tiles_make_for_host(tsl_tiles *out, tsl_context *context, const tsl_csr *matrix);
tsl_status tsl_tiles_fill(uint16_t **offset, double **value, tsl_context *context,
                          const tsl_tiles *tiles);
/* Bytes that they take at least; 0: they don't suit such a matrix. */
int64_t tsl_tiles_host_bytes(int64_t rows, int64_t columns, int64_t entries);

/* Where a row's sum in a block is in `partial`, with lanes. */
static inline int64_t tsl_tiles_slot(const tsl_tiles *tiles, int64_t row, int block)
{
    return block * tiles->slices * TSL_TILE_LANES + row / tiles->window * tiles->window +
           tiles->lane[block * tiles->rows + row];
}

static inline int64_t tsl_tiles_entries(const tsl_tiles *tiles)
{
    return tiles->start[tiles->blocks * tiles->slices];
}

/* What a GPU holds of them. A block of threads takes a share of the slices of one block of columns.
 */
typedef struct tsl_device_tiles {
    int64_t rows, columns;
    int blocks, width; /* of columns */
    int shares;
    int part_bits;    /* 2^part_bits warps take a part of a slice each */
    int most;         /* slices of a share at most */
    int64_t slices;   /* of a block of columns */
    int64_t shared;   /* bytes that a block of threads may share */
    int64_t *share;   /* [blocks][shares + 1]: slices; this and what follows, in device memory */
    int64_t *start;   /* as in tsl_tiles, like the next two */
    uint16_t *place;  /* NULL where there are lanes */
    uint16_t *lane;   /* NULL where there are places, or sums are kept */
    uint16_t *offset; /* [entries]: column within the block */
    double *value;    /* [entries] */
    double *partial; /* sums in blocks of columns [blocks][rows], with lanes [blocks][slices][32] */
} tsl_device_tiles;

#endif
