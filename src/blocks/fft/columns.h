/* Transforms along a slower axis of an array on the CPU: columns of a matrix, in place.
 *
 *     X[k, i] = sum_x v[x, i] exp(-+ 2 pi i x k / n),   v[x, i] at x pitch + i
 *
 * They can be had two ways: strided, or transposed into contiguous lines, transformed, transposed
 * back. Which is faster goes by length, precision, pitch and processor, so a plan measures both on
 * a matrix of its shape and keeps the faster. The numbers are the same but for rounding.
 *
 * A user takes columns, transforms what take() returned, and puts it back. */
#ifndef TSL_COLUMNS_H
#define TSL_COLUMNS_H

#include "blocks/fft/fft.h"

typedef enum tsl_columns_way {
    TSL_COLUMNS_FASTER, /* what is measured to be */
    TSL_COLUMNS_STRIDED,
    TSL_COLUMNS_TRANSPOSED
} tsl_columns_way;

typedef struct tsl_columns_description {
    tsl_precision precision;
    int n;     /* rows of the matrix, the length of the transforms */
    int count; /* columns */
    int pitch; /* complex numbers from row to row, >= count */
    /* Columns that are done strided are copied side by side first, and both directions happen
     * before they are put back. Else they are transformed where they lie, a direction at a time. */
    bool aside;
    tsl_columns_way way;
    const tsl_fft_patience *patience; /* of tsl_columns_create(); NULL: the plan is wanted */
} tsl_columns_description;

typedef struct tsl_columns {
    tsl_columns_description what; /* the way that was settled on */
    /* Number x of column i of what take() returns is at x * stride + i * distance. */
    int stride, distance;
    tsl_fft *forward, *backward;
    /* Seconds in which a matrix is taken, transformed and put back, in both directions if `aside`;
     * 0: not measured. */
    double strided_seconds, transposed_seconds;
} tsl_columns;

/* Takes the memory of two matrices while it plans. TSL_E_NOMEM, TSL_E_CANCELLED. The caller
 * destroys what is left after a failure, too. */
tsl_status tsl_columns_create(tsl_columns *out, tsl_context *context,
                              const tsl_columns_description *what);
void tsl_columns_destroy(tsl_columns *columns); /* of zeros is fine */

/* Complex numbers of the scratch that each thread brings: n * count. */
int64_t tsl_columns_scratch(const tsl_columns *columns);

/* The first `filled` rows of a matrix as the transforms want them, the rest zero; in `scratch`, or
 * where they lie. Several threads may use one plan. */
void *tsl_columns_take(const tsl_columns *columns, void *matrix, int filled, void *scratch);
/* Unnormalised, in place, `kind` TSL_FFT_FORWARD or TSL_FFT_BACKWARD. */
void tsl_columns_transform(const tsl_columns *columns, tsl_fft_kind kind, void *taken);
/* Back to the matrix, all rows. */
void tsl_columns_put(const tsl_columns *columns, void *matrix, const void *taken);

#endif
