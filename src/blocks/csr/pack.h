/* The forms of a matrix on a GPU, chosen by what its rows are:
 *   sliced-ell        slices of 32 rows, where little is filled up: stencils, and rows much alike;
 *   sliced-ell-split  slices, beside a few long rows that are cut into pieces (split_rows.h);
 *   column-blocks     blocks of columns (blocks/csr/tiles.h), where columns are random: each
 *                     part of x is read from shared memory;
 *   csr               chunks of whole rows with about as many entries each;
 *   csr-split         chunks, and long rows cut into pieces;
 *   csr-blocks        chunks, and blocks of columns for long rows whose columns are random
 *                     (column_blocks.h). */
#ifndef TSL_SPARSE_PACK_H
#define TSL_SPARSE_PACK_H

#include "blocks/csr/form.h"
#include "blocks/vector/lists.h"

typedef struct tsl_packed {
    tsl_context *context;
    tsl_packed_matrix matrix;
    tsl_sparse *tiles; /* blocks of columns: of all of it, or of long rows; else NULL */
    bool all_in_tiles;
    double *scratch; /* [rows]: a product by tiles of all of it that has no place; else NULL */
    bool borrows;    /* all of the matrix's memory is somebody else's */
} tsl_packed;

/* Make the form of form->rows on the context's device: form->packed and form->product_bytes.
 * Nothing of `rows` is needed afterwards. On failure tsl_form_free() releases what there is. */
tsl_status tsl_pack(tsl_form *form, tsl_context *context, const tsl_layout *layout);
void tsl_packed_destroy(tsl_packed *packed);
const char *tsl_packed_name(const tsl_packed *packed);

#endif
