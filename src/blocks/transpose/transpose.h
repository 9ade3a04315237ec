/* Transposition: a plan is a list of steps, each one operation of the device's table. */
#ifndef TSL_TRANSPOSE_H
#define TSL_TRANSPOSE_H

#include "blocks/transpose/transpose_point.h"
#include "core/core.h"
#include "tesela/transpose.h"

/* How tiles are cut; 0 in a member leaves it to the device. */
typedef struct tsl_transpose_tiling {
    int tile;       /* side, elements */
    int per_thread; /* elements a thread moves */
} tsl_transpose_tiling;

/* Cells that follow the cycles of a transposition. */
typedef struct tsl_transpose_cycles {
    int64_t rows, columns;                 /* of the matrix of cells before */
    int64_t pitch;                         /* bytes from cell to cell */
    int64_t cell;                          /* bytes that move: all of a cell, or a part of each */
    const tsl_transpose_segment *segments; /* device memory */
    int count;                             /* of segments */
} tsl_transpose_cycles;

/* All pointers are to device memory, at multiples of the element's size (follow: of 4). All is
 * asynchronous on the context's stream. */
typedef struct tsl_transpose_ops {
    /* The tilings that may be asked for. */
    const tsl_transpose_tiling *tilings;
    int tiling_count;

    /* Out of place, as the form says. */
    tsl_status (*move)(tsl_context *context, void *out, const void *in,
                       const tsl_transpose_form *form, tsl_transpose_tiling tiling);
    /* In place, an involution: EXCHANGE with n[0] = n[1], in[1] = out[0], in[2] = out[2]; or ROWS
     * with n[1] = n[2], in[1] = out[2], in[2] = out[1]. */
    tsl_status (*swap)(tsl_context *context, void *data, const tsl_transpose_form *form);
    /* In place, yzx (`forward`) or zxy of a cube of n^3 elements. */
    tsl_status (*rotate)(tsl_context *context, void *data, int64_t n, int element, bool forward);
    /* In place, the segments of a batch; `first` has room for a cell of each. */
    tsl_status (*follow)(tsl_context *context, void *data, void *first,
                         const tsl_transpose_cycles *cycles);
} tsl_transpose_ops;

extern const tsl_transpose_ops tsl_transpose_cpu;

/* A piece of a larger work, in cache on the host, by the calling thread; pitches in elements of 4,
 * 8 or 16 bytes:
 *
 *     out[column * out_pitch + row] = in[row * in_pitch + column] */
void tsl_transpose_piece(void *out, int64_t out_pitch, const void *in, int64_t in_pitch, int rows,
                         int columns, int element);

/* ---- forms (transpose_form.c) ------------------------------------------------------------- */

/* Bytes of an array; false if they pass 2^63. */
bool tsl_transpose_bytes(int64_t *out, const int64_t shape[3], int element);

/* The most bytes of auxiliary memory that an array of `bytes` may take in place. */
int64_t tsl_transpose_auxiliary(const tsl_transpose_options *options, int64_t bytes);

/* Bytes that the plan reads and writes at least: twice the array's, or 0 where nothing moves. */
int64_t tsl_transpose_plan_moved(const tsl_transpose_plan *plan);

/* The form of a permutation. */
void tsl_transpose_reduce(tsl_transpose_form *form, const int64_t shape[3],
                          tsl_permutation permutation, int element);

/* The form of a move with strides of its own, axes in the order of their strides in the source.
 * One axis, the first of a length > 1, must be contiguous in the source, and one in the target.
 * `align`: both addresses are multiples of it; rows move in units of up to so many bytes. */
void tsl_transpose_form_of(tsl_transpose_form *form, const int64_t n[3], const int64_t in[3],
                           const int64_t out[3], int element, int align);

/* ---- steps -------------------------------------------------------------------------------- */

typedef enum tsl_transpose_action {
    TSL_TRANSPOSE_MOVE,
    TSL_TRANSPOSE_SWAP,
    TSL_TRANSPOSE_ROTATE,
    TSL_TRANSPOSE_FOLLOW
} tsl_transpose_action;

/* A place in one of the memories a step may touch. */
typedef enum tsl_transpose_memory {
    TSL_TRANSPOSE_IN,
    TSL_TRANSPOSE_OUT, /* in place: the same as IN */
    TSL_TRANSPOSE_AUXILIARY
} tsl_transpose_memory;

typedef struct tsl_transpose_place {
    tsl_transpose_memory memory;
    int64_t offset; /* bytes */
} tsl_transpose_place;

typedef struct tsl_transpose_step {
    tsl_transpose_action action;
    tsl_transpose_place out, in; /* SWAP, ROTATE: `out`; FOLLOW: the cells, and room for `first` */
    tsl_transpose_form form;     /* ROTATE: n[0] is the edge, kind not 0: yzx */
    tsl_transpose_cycles cycles; /* FOLLOW; its segments begin at number `segment` */
    int64_t segment;
} tsl_transpose_step;

/* Steps and segments of a plan in the making; grows. */
typedef struct tsl_transpose_steps {
    tsl_context *context;
    tsl_transpose_step *steps;
    int64_t count, capacity;
    tsl_transpose_segment *segments;
    int64_t segment_count, segment_capacity;
    int64_t auxiliary; /* bytes that may be used */
    int64_t used;      /* bytes that the steps use */
} tsl_transpose_steps;

tsl_status tsl_transpose_add(tsl_transpose_steps *steps, const tsl_transpose_step *step);

/* Add the steps of a transposition in place (transpose_in_place.c). */
tsl_status tsl_transpose_in_place(tsl_transpose_steps *steps, const int64_t shape[3],
                                  tsl_permutation permutation, int element);

/* Add the segments of the cycles of a matrix of cells (rows, columns, pitch: what stands at `data`)
 * and the steps that follow them, through `room` bytes at `first` (transpose_cycles.c). */
tsl_status tsl_transpose_add_cycles(tsl_transpose_steps *steps, tsl_transpose_place data,
                                    const tsl_transpose_cycles *matrix, tsl_transpose_place first,
                                    int64_t room);

#endif
