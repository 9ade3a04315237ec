/* Correlation of many boxes with one fixed grid: forward transform, product with a spectrum,
 * inverse transform.
 *
 *     out(s) = sum_r fixed(r + s) box(r),   s and r + s cyclic
 *
 * A box is an array of bytes that fills one corner of an otherwise empty grid, so most of its lines
 * are zero and are not transformed.
 *
 * With several terms there are as many fixed grids, and boxes of integers for each:
 *
 *     out(s) = sum_t sum_r fixed_t(r + s) box_t(r)
 *
 * The products are added up in Fourier space, before the one inverse transform. */
#ifndef TSL_CONVOLVE_H
#define TSL_CONVOLVE_H

#include "blocks/fft/columns.h"
#include "core/point.h"

typedef enum tsl_convolve_form {
    TSL_CONVOLVE_LINES, /* axis by axis, only the lines that matter; the product while lines of the
                           slowest axis are on chip. GPUs take it in single precision, for sides
                           of up to 600 that line.h can transform, and else the plain form */
    TSL_CONVOLVE_PLAIN, /* library calls on whole grids: the oracle */
    /* By lines, the CPU's slower axes all in one way (columns.h); elsewhere TSL_E_UNSUPPORTED */
    TSL_CONVOLVE_STRIDED,
    TSL_CONVOLVE_TRANSPOSED
} tsl_convolve_form;

typedef struct tsl_convolve_description {
    int n[3];   /* cells of a grid, slowest axis first */
    int box[3]; /* cells of a box, <= n */
    tsl_precision precision;
    int batch;      /* boxes a call at most */
    int top;        /* cells of each grid that top() may be asked for, 0: it is not used */
    int top_of_one; /* cells of a single grid */
    tsl_convolve_form form;
    int terms;  /* 0: one fixed grid, boxes of bytes; 1 and more: boxes of integers */
    int points; /* not 0: the boxes of all terms but the last hold points, see takes_points() */
    const tsl_fft_patience *patience; /* of create() on the CPU; NULL: the plan is wanted */
    const int *transposed; /* of create() on the CPU, for TSL_CONVOLVE_LINES: the ways that an alike
                              plan settled on, see transposed() below; NULL: to be measured */
} tsl_convolve_description;

/* Result grids: real, shape [batch / lanes][n0][n1][row][lanes], the first n2 of each row meant.
 * Rows may be padded, so that spectra fit in place. With two lanes, two grids are the real and the
 * imaginary part of one. */
typedef struct tsl_grid_layout {
    int n[3];
    int row;              /* cells from one row to the next */
    int lanes;            /* 1 or 2 */
    int64_t member_bytes; /* bytes of a grid; a lane of two has every other number */
    tsl_precision precision;
} tsl_grid_layout;

/* Bytes of `count` grids; an odd one with two lanes has an empty neighbour. */
TSL_FN int64_t tsl_grid_bytes(const tsl_grid_layout *layout, int count)
{
    return (count + layout->lanes - 1) / layout->lanes * layout->lanes * layout->member_bytes;
}

/* Where a row of a grid begins, in reals; its cells are `lanes` apart. */
TSL_FN int64_t tsl_grid_row(const tsl_grid_layout *layout, int member, int64_t line)
{
    return (int64_t)(member / layout->lanes) * layout->lanes *
               (layout->member_bytes / (int)layout->precision) +
           line * layout->row * layout->lanes + member % layout->lanes;
}

/* The points of boxes that hold few, linked along the last axis: those of a row are
 * heads[box][row], next[box] of that, and so on to -1. A point has the same values in all boxes;
 * points of one cell add up. */
typedef struct tsl_convolve_points {
    int64_t count;        /* of a box */
    const int32_t *heads; /* [boxes][box0][box1] */
    const int32_t *next;  /* [boxes][count] */
    const int32_t *cells; /* [boxes][count]: the lowest ten bits are the cell along the last axis */
    const int16_t *values; /* [count][terms]; the last is not read */
} tsl_convolve_points;

typedef struct tsl_convolve tsl_convolve;

typedef struct tsl_convolve_ops {
    /* How result grids lie in memory. */
    tsl_grid_layout (*layout)(const tsl_convolve_description *what);
    /* Bytes a plan takes, without boxes and grids. */
    int64_t (*bytes)(const tsl_context *context, const tsl_convolve_description *what);
    tsl_status (*create)(tsl_convolve **out, tsl_context *context,
                         const tsl_convolve_description *what);
    void (*destroy)(tsl_convolve *plan); /* NULL is fine */
    /* Take the fixed grid from the first of `grid` (result layout, device memory, other lanes
     * zero), which is overwritten. */
    tsl_status (*set_fixed)(tsl_convolve *plan, void *grid);
    /* Take the fixed grid of a term from the first of `grid`, which is overwritten. */
    tsl_status (*set_term)(tsl_convolve *plan, int term, void *grid);

    /* Correlate, up to what store() or top() finish. All memory is the device's, and all is
     * asynchronous on the context's stream.
     *   boxes  bytes, [count][box0][box1][box2];  grids  tsl_grid_bytes(layout, count) */
    tsl_status (*execute)(tsl_convolve *plan, int count, const uint8_t *boxes, void *grids);

    /* Whether a correlation takes all terms but the last as points. Where it does not, or the
     * function is NULL, it takes boxes of all terms. */
    int (*takes_points)(const tsl_convolve_description *what);

    /* Correlate boxes of several terms with their fixed grids, and sum over the terms. What holds
     * of grids and time is as for execute().
     *   boxes   integers below 2^24 in size, [count][terms][box0][box1][box2]; of the last term
     *           alone, [count][box0][box1][box2], where takes_points()
     *   points  of the other terms; read only where takes_points() */
    tsl_status (*execute_terms)(tsl_convolve *plan, int count, const int32_t *boxes,
                                const tsl_convolve_points *points, void *grids);

    /* Make the grids what tsl_grid_layout says: out(s) of each box. */
    tsl_status (*store)(tsl_convolve *plan, int count, void *grids);

    /* What tsl_reduce_ops.top does (reduce.h), for `count` grids from number `first` on, which it
     * leaves as they are. Arrays begin with the member `first`. */
    tsl_status (*top)(tsl_convolve *plan, const void *grids, int first, int count, int k,
                      int64_t *after, int64_t *keys, int *found, float *error);

    /* The slower axes that go by way of transposed lines: 1 the first, 2 the second, 3 both. NULL:
     * the device has one way. */
    int (*transposed)(const tsl_convolve *plan);
} tsl_convolve_ops;

extern const tsl_convolve_ops tsl_convolve_cpu;

/* The layout whose rows begin on multiples of `alignment` bytes. */
tsl_grid_layout tsl_grid_layout_aligned(const tsl_convolve_description *what, int alignment);

/* What the CPU's planner has columns.h measure: the first axis (0) in blocks, whose lines stay in
 * cache, or the second (1), a plane at a time. */
tsl_columns_description tsl_convolve_columns(const tsl_convolve_description *what, int axis);

/* Operations of one box in the customary count, 5 n log2 n per complex transform of n points, half
 * of it per real one, for the whole grid, zero lines included. */
int64_t tsl_convolve_flops(const tsl_convolve_description *what);

/* A bound on the error of a correlation by transforms: no number of `out` is farther from the exact
 * one than this times sum_t |fixed_t| |box_t|, with Euclidean norms. For lengths whose prime
 * factors are at most 7; docs/accuracy/dock-score.md has the proof.
 *
 * With unit roundoff u, a transform of n points errs by at most d = 6 u log2(n) of its result's
 * norm: of each level of radix 2, 1 u by the sum, 2.24 u by the product (Brent, Percival &
 * Zimmermann 2007) and 0.71 u by the root; of radix 3, 5 and 7, whose points are summed directly,
 * (r / 2 + 2) sqrt(r) u besides. Both spectra and the inverse make 3 d, and the product and the sum
 * of T terms (2.24 + T) u. */
double tsl_convolve_error(const tsl_convolve_description *what);

#endif
