/* How products go through the rows of a matrix. On the CPU long rows are summed one by one, eight
 * sums side by side. Short ones in slices of eight rows, side by side: the entries of a slice stand
 * row after row for each place in the rows, shorter rows filled up with zeros. Where the rows of a
 * slice have their entries on common diagonals, as those of a stencil have, only the diagonals'
 * columns are kept, and x is read as it stands in memory. In single precision slices that repeat
 * are kept once, and between levels of multigrid there are forms without a matrix. GPUs have forms
 * of their own (format_gpu.h), of which one is the same slices, of 32 rows. */
#ifndef TSL_SPARSE_FORM_H
#define TSL_SPARSE_FORM_H

#include "blocks/csr/sparse.h"
#include "blocks/vector/layout.h"

enum { TSL_SLICE_ROWS = 8, TSL_MOST_LANES = 32 };

typedef struct tsl_form {
    double scale;
    int bytes;            /* of a value: 8 or 4 */
    const tsl_csr *rows;  /* borrowed */
    float *narrow;        /* [nonzeros]: the values of `rows` in single precision; else NULL */
    bool sliced;          /* by slices; else by rows */
    bool borrows;         /* starts and indices, of another form of the same rows */
    int lanes;            /* rows of a slice: TSL_SLICE_ROWS on the CPU */
    int64_t first;        /* row of the first slice */
    int64_t slices;       /* those of this rank */
    int64_t *value_start; /* [slices + 1], in groups of `lanes` values */
    int64_t *index_start; /* [slices + 1] */
    int32_t *index; /* of a slice: a column a group, of its first row; or `lanes` columns a group */
    void *value;
    uint16_t *kind;      /* [slices]: of slices that repeat, where all that is of kinds, and columns
                            count from a slice's first row; NULL: it is of slices */
    const int32_t *only; /* an entry a row, in this column (< 0: none); else NULL */
    bool lists;          /* the entries of `rows` one after the other */
    const void *weight;  /* of those two, borrowed: the entry of T in each row of it; NULL: 1 */
    struct tsl_format_gpu *gpu; /* on a GPU, instead of all that; NULL: on the CPU */
    int64_t entries;            /* of this rank's rows; where it goes by rows */
    int64_t product_bytes;      /* that a product with this rank's rows reads of the matrix */
} tsl_form;

/* Make the form that suits `rows` as a whole, of the rows `layout` gives this rank, in numbers of
 * so many bytes. In single precision each value is multiplied by `scale` first. */
tsl_status tsl_form_make(tsl_form *out, tsl_context *context, const tsl_csr *rows,
                         const tsl_layout *layout, int bytes, double scale);
/* The form in single precision of what `wide` holds in double precision, which must outlive it. */
tsl_status tsl_form_narrow(tsl_form *out, tsl_context *context, const tsl_form *wide, double scale);
/* The form in single precision of slices that repeat (deduplicate.c): each kind of slice is held
 * once, and nothing is borrowed. False in *made, and nothing in *out, where there are too many
 * kinds. */
tsl_status tsl_form_deduplicate(tsl_form *out, bool *made, tsl_context *context,
                                const tsl_form *wide, double scale);
/* T, which has an entry in row i, in column aggregate[i] if that is not negative: weight[i], or 1
 * where `weight` is NULL. On the CPU; nothing is copied. */
tsl_form tsl_form_of_aggregates(const int32_t *aggregate, const void *weight, int bytes);
/* T^T, by the rows of each aggregate; the values of `members` are not looked at. On the CPU;
 * nothing is copied. */
tsl_form tsl_form_of_members(const tsl_csr *members, const void *weight, int bytes);
void tsl_form_free(tsl_form *form);
const char *tsl_form_name(const tsl_form *form);

/* Slices of form->lanes rows in host memory: first where they begin, from which the bytes of values
 * and indices can be told, then the rest. */
tsl_status tsl_slices_measure(tsl_form *form, tsl_context *context, const tsl_layout *layout);
int64_t tsl_slices_bytes(const tsl_form *form);
tsl_status tsl_slices_fill(tsl_form *form, tsl_context *context);

/* y[i] <- row i of the matrix times x, from <= i < to; `from` a multiple of TSL_SLICE_ROWS. x is
 * finite. One thread of the CPU. */
void tsl_form_multiply(const tsl_form *form, void *y, const void *x, int64_t from, int64_t to);

#endif
