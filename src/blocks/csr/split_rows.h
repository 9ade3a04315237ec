/* Rows that are much longer than others, split from them and cut into pieces. How a row is cut
 * and summed depends on nothing but the row. */
#ifndef TSL_SPLIT_ROWS_H
#define TSL_SPLIT_ROWS_H

#include "blocks/vector/fused_kernels.h"
#include "blocks/vector/layout.h"

typedef struct tsl_split_rows {
    int64_t long_rows, pieces;
    int64_t entries;      /* of all pieces, and the gaps between */
    int32_t *long_row;    /* [long_rows] */
    int64_t *long_start;  /* [long_rows + 1]: where the sums of its pieces are */
    uint32_t *mask;       /* [rows / 32 + 1]: a bit for each long row */
    tsl_row_piece *piece; /* [pieces] */
    int32_t *column;      /* [entries] */
    double *value;        /* [entries] */
} tsl_split_rows;

/* Rows of more than `longest` entries. */
int64_t tsl_split_rows_count(const tsl_csr *matrix, int64_t longest);

/* Set those of the layout's rows split; `rest` is the layout's rows with empty ones in their place.
 * Release with tsl_split_rows_free() and tsl_csr_free(). */
tsl_status tsl_split_rows_make(tsl_split_rows *out, tsl_csr *rest, tsl_context *context,
                               const tsl_csr *matrix, const tsl_layout *layout, int64_t longest);
void tsl_split_rows_free(tsl_split_rows *split);

#endif
