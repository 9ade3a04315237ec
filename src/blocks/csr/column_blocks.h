/* Long rows with columns all over, made short: their entries are summed in blocks of columns
 * (blocks/csr/tiles.h), and those sums are the row's entries instead. A row is dealt out to one
 * or more pieces, entry by entry, so that each has a few entries in each block of columns. How a
 * row is dealt out and summed depends on nothing but the matrix and the device's model. */
#ifndef TSL_COLUMN_BLOCKS_H
#define TSL_COLUMN_BLOCKS_H

#include "blocks/vector/layout.h"

struct tsl_device_properties;
struct tsl_tiles;

typedef struct tsl_column_blocks {
    int width, blocks; /* of columns; columns of a block at most */
    int64_t pieces;    /* those of all ranks; 0: the matrix should stay as it is */
    int64_t *first;    /* [rows + 1]: first piece of each of this rank's rows */
    tsl_csr piece;     /* those of this rank, as rows */
    tsl_csr rest;      /* this rank's rows; a column c < 0 stands for number ~c of the sums that the
                          tiles of `piece` keep, and its value is 1 */
} tsl_column_blocks;

/* Would long rows be read faster so? Fills all but `piece` and `rest`, the same on all ranks. */
tsl_column_blocks tsl_column_blocks_choose(tsl_context *context, const tsl_csr *matrix,
                                           const struct tsl_device_properties *device);
/* Fill `first` and `piece`, where it would; and `rest`, once there are its tiles, in place of
 * `piece`. Release with tsl_column_blocks_free(), also on failure. */
tsl_status tsl_column_blocks_pieces(tsl_column_blocks *blocked, tsl_context *context,
                                    const tsl_csr *matrix, const tsl_layout *layout);
tsl_status tsl_column_blocks_rest(tsl_column_blocks *blocked, tsl_context *context,
                                  const tsl_csr *matrix, const tsl_layout *layout,
                                  const struct tsl_tiles *tiles);
void tsl_column_blocks_free(tsl_column_blocks *blocked);

#endif
