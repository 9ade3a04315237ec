/* Lists of steps (steps.h) as a GPU runs them: a list is one kernel, product included. Each thread
 * takes rows of its own through all steps; what it has loaded or made of a vector stays in a slot,
 * so that a vector is read once and written once a list. Scalar products are left as one partial
 * sum a block of threads and added up in one order: the same bits in every run. */
#ifndef TSL_SPARSE_LISTS_H
#define TSL_SPARSE_LISTS_H

#include "core/core.h"

enum {
    TSL_LIST_THREADS = 256,   /* of a block */
    TSL_LIST_BLOCKS = 1056,   /* at most: eight for each of 132 multiprocessors */
    TSL_LIST_STEPS = 16,      /* of one kernel */
    TSL_LIST_SLOTS = 24,      /* vectors of one kernel */
    TSL_PACK_LANES = 32,      /* rows of a slice */
    TSL_CHUNK_ENTRIES = 2048, /* of a chunk at most */
};

typedef enum tsl_step_kind {
    TSL_STEP_PRODUCT, /* y = A x; a list has one at most, as its first step. x must not be written
                         by the list's other steps */
    TSL_STEP_COMBINE, /* y = a x + b z; z is not read where b = 0 */
    TSL_STEP_SCALE,   /* y[i] = a x[i] w[i] + b z[i]; likewise */
    TSL_STEP_DOT,     /* next sum = x.z; in lists of double precision */
    TSL_STEP_LOAD,    /* y = a x, x of double precision and not written by the list */
    TSL_STEP_STORE    /* y = a x, y of double precision and not read by the list */
} tsl_step_kind;

/* What it opens runs only if each scalar, in device memory, exceeds its limit. */
typedef struct tsl_gate {
    const double *scalar[2]; /* NULL: no such condition */
    double limit[2];
} tsl_gate;

/* Rows that a block takes at a time. */
typedef struct tsl_chunk {
    int64_t entry;   /* the first */
    int64_t row;     /* the first */
    int16_t rows;    /* TSL_LIST_THREADS at most */
    int16_t entries; /* TSL_CHUNK_ENTRIES at most */
    int16_t longest; /* entries of the longest row */
} tsl_chunk;

/* A matrix in device memory. Values are of the list's precision. Long rows are apart: each is cut
 * into pieces, which are rows behind the matrix' own, in the order of their columns, so that pieces
 * that stand together read the same part of x. A second kernel adds a row's pieces up and takes the
 * steps. */
typedef struct tsl_packed_matrix {
    /* In slices, as of tsl_form, where rows apart are empty; value_start NULL: in chunks. */
    const int64_t *value_start;
    const int64_t *index_start;
    const int32_t *index;
    const void *value;
    /* In chunks: all rows, or where there are slices the pieces. */
    int64_t chunks;
    const tsl_chunk *chunk;
    const int64_t *row_start;
    const int32_t *column;
    const void *entry;
    /* Rows apart */
    const uint32_t *apart; /* [rows / 32]: a bit for each of them; NULL: there is none */
    int64_t long_rows;
    const int32_t *long_row;   /* [long_rows] */
    const int64_t *long_start; /* [long_rows + 1]: where the sums of its pieces are … */
    const int32_t *place;      /* [pieces]: … each of them */
    void *piece_sum;           /* [pieces] */
} tsl_packed_matrix;

/* A step; vectors by their slots. */
typedef struct tsl_list_step {
    double a_double, b_double;
    float a_single, b_single;
    const double *over, *under; /* a is multiplied by their ratio; NULL: it is not */
    double *wide;               /* [rows]: of a step between precisions, what is always double */
    int16_t kind;               /* tsl_step_kind, but no product */
    int16_t y, x, z, w;
} tsl_list_step;

typedef struct tsl_list {
    int64_t rows;
    int bytes;  /* of a number: 8 or 4; scalar products need 8 */
    int blocks; /* tsl_list_blocks(rows) */
    /* First y = A x into a slot, y of it; < 0: no product. */
    int product;
    tsl_packed_matrix matrix;
    const void *x;
    int slots, inputs, outputs, steps, dots;
    void *slot[TSL_LIST_SLOTS];     /* [rows]; NULL: nowhere but here */
    int16_t input[TSL_LIST_SLOTS];  /* slots loaded before the steps … */
    int16_t output[TSL_LIST_SLOTS]; /* … and stored after them */
    tsl_list_step step[TSL_LIST_STEPS];
    double *sums; /* [blocks][width]: scalar product d of a block in column `column` + d */
    int width, column;
    tsl_gate gate;
} tsl_list;

/* A triangle with its rows in an order in which none needs a later one, level by level; rows of a
 * level need none of each other. */
typedef struct tsl_sweep {
    const int64_t *level; /* [levels + 1]: place of its first row */
    const int32_t *row;   /* [rows] */
    const int64_t *start; /* [rows + 1]: entries of the row at a place, without the diagonal's */
    const int32_t *column;
    const double *value;
    const double *scale; /* [rows], by places: 1 / diagonal; NULL: ones */
} tsl_sweep;

/* What a vector is, block by block; combined on the host. */
typedef struct tsl_list_look {
    int64_t not_finite; /* first row whose number is not finite; `rows`: none */
    int64_t nonzero;    /* 1: a number is not 0 */
} tsl_list_look;

/* The kernels. All in device memory but the structs themselves; asynchronous on the context's
 * stream. */
typedef struct tsl_list_ops {
    tsl_status (*run)(tsl_context *context, const tsl_list *list);
    /* out[width] = sums over the blocks of sums [blocks][width], in one order; not-a-numbers where
     * the gate is closed */
    tsl_status (*add_up)(tsl_context *context, double *out, const double *sums, int blocks,
                         int width, const tsl_gate *gate);
    /* x[i] = scale (b[i] - sum of entries x) for the rows of the levels from … to - 1: one, of
     * `rows` rows, or several of TSL_LIST_THREADS rows at most. b may be x. */
    tsl_status (*sweep)(tsl_context *context, const tsl_sweep *sweep, double *x, const double *b,
                        int64_t from, int64_t to, int64_t rows);
    /* out[tsl_list_blocks(rows)] */
    tsl_status (*look)(tsl_context *context, tsl_list_look *out, const double *vector,
                       int64_t rows);
} tsl_list_ops;

/* Blocks of any list on vectors of so many rows, so that sums of several lists can be added up
 * together. */
static inline int tsl_list_blocks(int64_t rows)
{
    const int64_t blocks = (rows + TSL_LIST_THREADS - 1) / TSL_LIST_THREADS;
    return blocks < TSL_LIST_BLOCKS ? (int)blocks : TSL_LIST_BLOCKS;
}

#endif
