/* How long a device's transforms take, how much memory, and whether they are right. */
#ifndef TSL_FFT_MEASURE_H
#define TSL_FFT_MEASURE_H

#include "blocks/fft/fft.h"

/* A batch of transforms of n^dimension cells, out of place. With stride 1 they follow each other
 * without a gap. With stride s, of one dimension only, they lie as along a slower axis of an array:
 * groups of s lines, element x of line l of a group at x s + l; the batch is a number of whole
 * groups, or some lines of one. A group begins at a multiple of 16 elements. */
typedef struct tsl_fft_case {
    tsl_fft_kind kind; /* TSL_FFT_BACKWARD is not measured: it costs what FORWARD does */
    tsl_precision precision;
    int dimension; /* 1 … 3 */
    int n;         /* along each axis, >= 2 */
    int stride;    /* >= 1 */
    int batch;     /* transforms, >= 1 */
} tsl_fft_case;

/* How one side of a case, before or after the transforms, lies in memory. */
typedef struct tsl_fft_side {
    bool is_real;
    int element;      /* bytes */
    int64_t row;      /* elements along the last axis: n, or n / 2 + 1 of a half-complex side */
    int64_t cells;    /* elements of a transform */
    int64_t stride;   /* from element to element of a transform */
    int64_t distance; /* from transform to transform of a group */
    int64_t pitch;    /* from group to group */
    int64_t lines;    /* transforms of a group that are done */
    int64_t groups;
    int64_t bytes; /* of the whole array */
} tsl_fft_side;

typedef struct tsl_fft_measurement {
    tsl_fft_case what;
    int64_t data;      /* bytes of what is transformed, in real space: N S B */
    int64_t moved;     /* bytes of what is read and written, if each element is once */
    double flops;      /* 5 N log2(N) B, half of that if one side is real */
    int64_t workspace; /* bytes; -1: not known */
    double seconds;    /* of the batch */
    /* Seconds of the same result of a batch with a stride by way of contiguous lines; 0 with stride
     * 1. */
    double transposed; /* transposed, transformed, transposed back */
    double one_way;    /* transposed and transformed; the result stays contiguous */
    double error;      /* largest found; not a number if the result has such */
    double bound;      /* the transforms are right if error <= bound */
} tsl_fft_measurement;

/* "c2c", "r2c" or "c2r". */
const char *tsl_fft_kind_name(tsl_fft_kind kind);
/* "3-D 64 r2c double batch 4 stride 1" into `text` (at least 80 characters); returns `text`. */
const char *tsl_fft_case_name(char *text, const tsl_fft_case *what);

tsl_fft_side tsl_fft_side_of(const tsl_fft_case *what, bool output);
/* Does the case make sense, and does neither array pass `most` bytes, nor a plan 2^31 elements? */
bool tsl_fft_case_fits(const tsl_fft_case *what, int64_t most);

/* TSL_E_NOMEM, in a line with the figures, if less is free than measuring the case takes. */
tsl_status tsl_fft_check_memory(tsl_context *context, const tsl_fft_case *what);

/* Measure a case, and with a stride the way by transpositions too. Each transform of the batch is
 * verified, either way. Takes two arrays on the device, four with a stride, and one on the host.
 * c2r destroys its input, so it is timed on zeros. On the CPU all is done by one thread if the
 * context has one: transforms always are. Synchronous.
 * TSL_E_NOMEM, TSL_E_DEVICE; wrong results are no error. */
tsl_status tsl_fft_measure(tsl_fft_measurement *out, tsl_context *context,
                           const tsl_fft_case *what);

/* ---- verification (check.c) --------------------------------------------------------------- */

/* Write a case's input: elements in [-1, 1), each its own; of c2r such that they are the transform
 * of reals. `host` holds the side's bytes; what no transform reads is zero. */
void tsl_fft_write_input(void *host, const tsl_fft_case *what);

/* Error of an output, relative to what its elements are in the root mean square. Of each transform
 * X = sum_j x_j exp(-+2 pi i j k / n) is summed for one k, and for four of the first and the last
 * transform, and sum |X|^2 compared with N sum |x|^2 (Parseval). */
tsl_status tsl_fft_find_error(double *error, tsl_context *context, const void *output,
                              const tsl_fft_case *what);

/* 20 epsilon (1 + log2 N): several times what a good transform makes of rounding, and far less than
 * one wrong element. */
double tsl_fft_error_bound(const tsl_fft_case *what);

#endif
