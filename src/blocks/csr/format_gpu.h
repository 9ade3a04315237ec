/* The forms of a matrix on a GPU, chosen by what its rows are:
 *   sliced-ell        slices of 32 rows, where little is filled up: stencils, and rows much alike;
 *   sliced-ell-split  slices, beside a few long rows that are cut into pieces (split_rows.h);
 *   column-blocks     blocks of columns (blocks/csr/tiles.h), where columns are random: each
 *                     part of x is read from shared memory;
 *   csr               chunks of whole rows with about as many entries each;
 *   csr-split         chunks, and long rows cut into pieces;
 *   csr-blocks        chunks, and blocks of columns for long rows whose columns are random
 *                     (column_blocks.h). */
#ifndef TSL_FORMAT_GPU_H
#define TSL_FORMAT_GPU_H

#include "blocks/csr/form.h"
#include "blocks/vector/fused_kernels.h"

typedef struct tsl_format_gpu {
    tsl_context *context;
    tsl_gpu_matrix matrix;
    tsl_sparse *tiles; /* blocks of columns: of all of it, or of long rows; else NULL */
    bool all_in_tiles;
    double *scratch; /* [rows]: a product by tiles of all of it that has no place; else NULL */
    bool borrows;    /* all of the matrix's memory is somebody else's */
} tsl_format_gpu;

/* Make the form of form->rows on the context's device: form->gpu and form->product_bytes.
 * Nothing of `rows` is needed afterwards. On failure tsl_form_free() releases what there is. */
tsl_status tsl_format_gpu_make(tsl_form *form, tsl_context *context, const tsl_layout *layout);
void tsl_format_gpu_destroy(tsl_format_gpu *gpu);
const char *tsl_format_gpu_name(const tsl_format_gpu *gpu);

#endif
