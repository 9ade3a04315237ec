/* Correlation of many boxes with one fixed grid: forward transform, product with a spectrum,
 * inverse transform.
 *
 *     out(s) = sum_r fixed(r + s) box(r),   s and r + s cyclic
 *
 * A box is an array of bytes that fills one corner of an otherwise empty grid, so most of its lines
 * are zero and are not transformed. */
#ifndef TSL_CONVOLVE_H
#define TSL_CONVOLVE_H

#include "blocks/fft/fft.h"

typedef enum tsl_convolve_form {
    TSL_CONVOLVE_LINES, /* axis by axis, only the lines that matter; the product while a block of
                           lines of the slowest axis is in cache */
    TSL_CONVOLVE_PLAIN  /* three library calls on whole grids: the oracle */
} tsl_convolve_form;

typedef struct tsl_convolve_description {
    int n[3];   /* cells of a grid, slowest axis first */
    int box[3]; /* cells of a box, <= n */
    tsl_precision precision;
    int batch; /* boxes a call at most */
    tsl_convolve_form form;
} tsl_convolve_description;

/* Result grids: real, shape [batch][n0][n1][row], the first n2 of each row meant. Rows are padded
 * so that spectra fit in place and every row begins on 64 bytes. */
typedef struct tsl_grid_layout {
    int n[3];
    int row;              /* reals from one row to the next */
    int64_t member_bytes; /* bytes from one grid of the batch to the next */
    tsl_precision precision;
} tsl_grid_layout;

typedef struct tsl_convolve tsl_convolve;

typedef struct tsl_convolve_ops {
    /* How result grids lie in memory. */
    tsl_grid_layout (*layout)(const tsl_convolve_description *what);
    /* Bytes a plan takes, without boxes and grids. */
    int64_t (*bytes)(const tsl_context *context, const tsl_convolve_description *what);
    tsl_status (*create)(tsl_convolve **out, tsl_context *context,
                         const tsl_convolve_description *what);
    void (*destroy)(tsl_convolve *plan); /* NULL is fine */
    /* Take the fixed grid from `grid` (result layout, device memory), which is overwritten. */
    tsl_status (*set_fixed)(tsl_convolve *plan, void *grid);
    /* boxes: bytes, shape [count][box0][box1][box2]; grids: as tsl_grid_layout. Device memory.
     * Asynchronous on the context's stream. */
    tsl_status (*execute)(tsl_convolve *plan, int count, const uint8_t *boxes, void *grids);
} tsl_convolve_ops;

extern const tsl_convolve_ops tsl_convolve_cpu;

/* The layout whose rows begin on multiples of `alignment` bytes. */
tsl_grid_layout tsl_grid_layout_aligned(const tsl_convolve_description *what, int alignment);

/* Operations of one box in the customary count, 5 n log2 n per complex transform of n points, half
 * of it per real one, for the whole grid, zero lines included. */
int64_t tsl_convolve_flops(const tsl_convolve_description *what);

#endif
