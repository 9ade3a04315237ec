/* Lists of expressions (expressions.h) as a GPU runs them: a list is one kernel, product included.
 * Each thread takes rows of its own through all expressions; what it has loaded or made of a vector
 * stays in a slot, so that a vector is read once and written once a list. A block of threads takes
 * a part of the rows, of which there are a few in each of a layout's pieces, whatever ranks there
 * are; scalar products are left as a sum a part and added up in one order: the same bits in every
 * run and for any number of ranks. */
#ifndef TSL_FUSED_KERNELS_H
#define TSL_FUSED_KERNELS_H

#include "core/core.h"
#include "core/point.h"

enum {
    TSL_FUSED_THREADS = 256,    /* of a block */
    TSL_FUSED_BLOCKS = 1056,    /* at most, where they share rows evenly: eight for each of 132
                                  multiprocessors */
    TSL_FUSED_PIECES = 256,     /* of vectors, as of a layout */
    TSL_FUSED_EACH = 16,        /* parts of a piece at most */
    TSL_FUSED_EXPRESSIONS = 16, /* of one kernel */
    TSL_FUSED_SLOTS = 24,       /* vectors of one kernel */
    TSL_SLICE_LANES = 32,       /* rows of a slice */
    TSL_CHUNK_THREADS = 128,    /* of a block that takes chunks */
    TSL_CHUNK_ENTRIES = 1024,   /* of a chunk at most */
    TSL_GROUP = 8,              /* entries of a chunk that are summed together in rows of more than
                                   two groups and fewer than TSL_LARGE_ROW entries */
    TSL_LARGE_GROUP = 64,       /* entries that are summed together in longer rows */
    TSL_LARGE_ROW = 128,        /* entries of the shortest of the longer rows */
    TSL_ROW_SHARES = 4,         /* of a row in slices whose rows are shared among threads */
    TSL_COMMONS = 8             /* groups of a slice that are looked at together */
};

typedef enum tsl_expression_kind {
    TSL_EXPRESSION_PRODUCT, /* y = A x; a list has one at most, as its first expression. x must not
                         be written by the list's other expressions */
    TSL_EXPRESSION_COMBINE, /* y = a x + b z; z is not read where b = 0 */
    TSL_EXPRESSION_SCALE,   /* y[i] = a x[i] w[i] + b z[i]; z is not read where b = 0 */
    TSL_EXPRESSION_DOT,     /* next sum = x.z; in lists of double precision */
    TSL_EXPRESSION_LOAD,    /* y = a x, x of double precision and not written by the list */
    TSL_EXPRESSION_STORE,   /* y = a x, y of double precision and not read by the list */
    TSL_EXPRESSION_WIDEN /* y = a x, x of single precision and not written by the list, which is of
                      double */
} tsl_expression_kind;

/* What it opens runs only if each scalar, in device memory, exceeds its limit. */
typedef struct tsl_gate {
    const double *scalar[2]; /* NULL: no such condition */
    double limit[2];
} tsl_gate;

/* Rows, or pieces, that a block takes at a time. */
typedef struct tsl_chunk {
    int64_t entry;   /* the first */
    int64_t row;     /* the first; pieces count on from the rows */
    int16_t rows;    /* TSL_CHUNK_THREADS at most */
    int16_t entries; /* TSL_CHUNK_ENTRIES at most */
    int16_t longest; /* entries of the longest row */
} tsl_chunk;

/* A piece of a long row (split_rows.h). */
typedef struct tsl_row_piece {
    int64_t entry; /* the first */
    int64_t length;
} tsl_row_piece;

/* A group of a slice whose 32 entries, on one diagonal, are all the same number or 0: what matching
 * lists of single precision read in place of them. */
typedef struct tsl_common {
    int32_t index;  /* column of lane 0 */
    uint32_t lanes; /* a bit for each that has the number */
    float value;    /* of a slice's first group not a number: its groups are not all such */
    float weight;   /* of a slice's first group: all its rows' number of a vector, see
                       tsl_gpu_matrix; not a number: they differ */
} __attribute__((aligned(16))) tsl_common;

/* A matrix in device memory. Values are of the list's precision. Pieces of long rows are summed
 * beside the other rows, and a second kernel adds a row's pieces up and takes the expressions. */
typedef struct tsl_gpu_matrix {
    int64_t rows, first; /* and its first row's place in vectors, a multiple of TSL_SLICE_LANES */
    /* In slices, as of tsl_form, where long rows are empty; value_start NULL: in chunks. */
    const int64_t *value_start;
    const int64_t *index_start;
    const int32_t *index;
    const void *value; /* NULL: ones, in single precision, of rows with an entry each */
    /* [slices][width], where there are fewer groups filled up with zeros; NULL: all values are in
     * `value`, else those of slices that have nothing in common */
    const tsl_common *common;
    int width;           /* a multiple of TSL_COMMONS */
    const float *weight; /* the vector of which `common` has numbers; w of matching lists need
                            not be read there if it is this */
    const int32_t *only; /* [rows]: of rows with an entry each its column; else NULL */
    bool shared;         /* slices name all columns, and in matching lists each TSL_ROW_SHARES-th
                            group is summed for itself, and these sums by twos; a rank's rows are all of the
                            list's */
    /* Chunks: of the rows, where there are no slices, then of the pieces */
    int64_t chunks;
    const tsl_chunk *chunk;
    const int64_t *row_start;
    const int32_t *column; /* in double precision < 0: not of x, but number ~column of `partial` */
    const void *partial;   /* sums that were made before; NULL: there are none */
    const void *entry;     /* NULL: ones */
    /* Long rows */
    int64_t long_rows;
    const int32_t *long_row;   /* [long_rows] */
    const int64_t *long_start; /* [long_rows + 1]: its first piece */
    const uint32_t *split;     /* [rows / 32 + 1]: a bit for each of them; NULL: there is none */
    const tsl_row_piece *piece;
    const int32_t *piece_column;
    const void *piece_entry;
    void *piece_sum; /* [pieces] */
} tsl_gpu_matrix;

/* An expression; vectors by their slots. */
typedef struct tsl_fused_expression {
    double a_double, b_double;
    float a_single, b_single;
    const double *over, *under; /* a is multiplied by their ratio; NULL: it is not */
    void *other; /* [rows]: of an expression between precisions, what is always double, or single */
    int16_t kind; /* tsl_expression_kind, but no product */
    int16_t y, x, z, w;
} tsl_fused_expression;

/* Factors of a matching list. */
enum { TSL_OF_V, TSL_OF_T, TSL_OF_U, TSL_OF_Z, TSL_OF_X, TSL_OF_Y, TSL_FACTORS };

/* The pattern of lists whose kernels interpret no expressions, called matching lists. Of each row,
 * rounded as the expressions are,
 *     t = the product, or load wide[i], or load single[i];
 *     u = OF_V v[i] + OF_T t; without v it is t;
 *     y = OF_U u w[i] + OF_Z z[i], then OF_X x[i] + OF_Y y; without w there is none;
 * or, with `single` and `dot`, the scalar product of t and dot alone. What is NULL is left out. */
typedef struct tsl_fused_pattern {
    const double *wide;
    const float *single;
    double load;
    const double *dot;
    const void *v, *w, *z, *x;
    void *u, *y;                /* y with w */
    const double *over, *under; /* of `single` and v: OF_V is multiplied by their ratio; or NULL */
    double factor_double[TSL_FACTORS];
    float factor_single[TSL_FACTORS];
} tsl_fused_pattern;

typedef struct tsl_fused_kernel {
    int64_t rows;
    int each;  /* tsl_fused_each(rows) */
    int bytes; /* of a number: 8 or 4; scalar products need 8 */
    /* Blocks take parts part[0] … part[blocks - 1], in device memory; or, where that is NULL,
     * `blocks` parts from `first_part` on. With a matrix in chunks: those of all its rows, in no
     * order, and without scalar products. */
    int blocks, first_part;
    const int32_t *part;
    /* First y = A x into a slot, y of it; < 0: no product. */
    int product;
    tsl_gpu_matrix matrix;
    const void *x;
    int slots, inputs, outputs, expressions, dots;
    void *slot[TSL_FUSED_SLOTS];     /* [rows]; NULL: nowhere but here */
    int16_t input[TSL_FUSED_SLOTS];  /* slots that are loaded before the expressions */
    int16_t output[TSL_FUSED_SLOTS]; /* slots that are stored after them */
    tsl_fused_expression expression[TSL_FUSED_EXPRESSIONS];
    double *sums; /* [parts][width]: scalar product d of a part in column `column` + d */
    int width, column;
    tsl_gate gate;
    bool has_pattern; /* then this is there in place of slots and expressions */
    tsl_fused_pattern pattern;
} tsl_fused_kernel;

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
typedef struct tsl_fused_look {
    int64_t not_finite; /* first row whose number is not finite; `rows`: none */
    int64_t nonzero;    /* 1: a number is not 0 */
} tsl_fused_look;

/* The values of slices on their way into single precision. */
typedef struct tsl_narrowing {
    tsl_gpu_matrix matrix; /* of which the groups' starts and columns are there */
    const double *value;
    double scale;        /* values are multiplied by that */
    tsl_common *common;  /* [slices][width] */
    int width;           /* as of tsl_gpu_matrix: slices of more groups have nothing in common */
    float *rest;         /* [groups][32]: values of slices that have nothing in common */
    int *without;        /* [1]: the number of such slices; zero before */
    const float *weight; /* as of tsl_gpu_matrix */
} tsl_narrowing;

/* The kernels. All in device memory but the structs themselves; asynchronous on the context's
 * stream. */
typedef struct tsl_fused_ops {
    tsl_status (*run)(tsl_context *context, const tsl_fused_kernel *list);
    /* out[width] = sums over `pieces` pieces of sums [pieces][each][width], in one order;
     * not-a-numbers where the gate is closed */
    tsl_status (*add_up)(tsl_context *context, double *out, const double *sums, int pieces,
                         int each, int width, const tsl_gate *gate);
    /* out[TSL_FUSED_PIECES][width]: sums over `each` of the pieces `from` to `to` - 1, and zeros */
    tsl_status (*add_up_pieces)(tsl_context *context, double *out, const double *sums, int each,
                                int width, int from, int to);
    /* y[i] = x[row[i]] and y[row[i]] = x[i], i < count, of numbers of so many bytes, 8 or 4 */
    tsl_status (*collect)(tsl_context *context, void *y, const void *x, const int32_t *row,
                          int64_t count, int bytes);
    tsl_status (*spread)(tsl_context *context, void *y, const void *x, const int32_t *row,
                         int64_t count, int bytes);
    /* x[i] = scale (b[i] - sum of entries x) for the rows of the levels `from` to `to` - 1: one, of
     * `rows` rows, or several of TSL_FUSED_THREADS rows at most. b may be x. */
    tsl_status (*sweep)(tsl_context *context, const tsl_sweep *sweep, double *x, const double *b,
                        int64_t from, int64_t to, int64_t rows);
    /* out[tsl_fused_blocks(rows)] */
    tsl_status (*look)(tsl_context *context, tsl_fused_look *out, const double *vector,
                       int64_t rows);
    tsl_status (*narrow)(tsl_context *context, const tsl_narrowing *arguments);
} tsl_fused_ops;

/* Units of TSL_FUSED_THREADS rows, which parts are made of. */
TSL_FN int64_t tsl_fused_units(int64_t rows)
{
    return (rows + TSL_FUSED_THREADS - 1) / TSL_FUSED_THREADS;
}

/* Parts of a piece: of short vectors one, of long ones so many that those of one of several ranks
 * keep all multiprocessors busy. */
TSL_FN int tsl_fused_each(int64_t rows)
{
    const int64_t units = tsl_fused_units(rows);
    const int64_t singly = (units + TSL_FUSED_PIECES - 1) / TSL_FUSED_PIECES;
    const int64_t few = singly < 4 ? singly : 4;
    const int64_t by_fours = units / (4 * TSL_FUSED_PIECES);
    const int64_t many = by_fours < TSL_FUSED_EACH ? by_fours : (int64_t)TSL_FUSED_EACH;
    return (int)(few > many ? few : many);
}

/* Parts of all pieces that have rows. */
TSL_FN int tsl_fused_parts(int64_t rows)
{
    const int64_t units = tsl_fused_units(rows);
    return units < TSL_FUSED_PIECES ? (int)units : TSL_FUSED_PIECES * tsl_fused_each(rows);
}

/* First row of piece `part` where `each` is 1, and of a part where it is tsl_fused_each(): of
 * pieces with less than a unit each the last have none. */
TSL_FN int64_t tsl_fused_row(int64_t rows, int each, int part)
{
    const int64_t units = tsl_fused_units(rows);
    const int64_t whole = part < units ? part : units;
    const int64_t unit =
        units < TSL_FUSED_PIECES ? whole : units * part / ((int64_t)TSL_FUSED_PIECES * each);
    return unit * TSL_FUSED_THREADS < rows ? unit * TSL_FUSED_THREADS : rows;
}

/* Blocks that share so many rows evenly. */
static inline int tsl_fused_blocks(int64_t rows)
{
    const int64_t blocks = (rows + TSL_FUSED_THREADS - 1) / TSL_FUSED_THREADS;
    return blocks < TSL_FUSED_BLOCKS ? (int)blocks : TSL_FUSED_BLOCKS;
}

#endif
