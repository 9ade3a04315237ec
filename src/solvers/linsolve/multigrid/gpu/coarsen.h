/* Multigrid's levels as a GPU makes them, from the matrix that it has there already.
 *
 * Aggregates are those of Bell, Dalton & Olson: roots are a maximal set of rows of which none is
 * within `reach` strong entries of another, picked by priorities; the others join the root they
 * are nearest to. A priority is the share of a row's neighbours that are decided already, then a
 * hash of the row's number, and the roots of the first round are farther apart: so the others
 * find room close beside them, and lie more densely than by hashes alone. Where rows are a grid's
 * cells priorities begin as phases of a lattice (lattice.h).
 *
 * P^T A P, and of matrices by rows P and A P, are summed as integers, in units of a power of two of
 * each row's own, so that threads may add in any order: the same bits in every run and on every
 * device. The unit is 2^-61 of a bound on the sum of a row's terms.
 */
#ifndef TSL_SPARSE_COARSEN_H
#define TSL_SPARSE_COARSEN_H

#include <float.h>
#include <math.h>

#include "blocks/vector/fused_kernels.h"
#include "core/core.h"
#include "core/point.h"
#include "solvers/linsolve/multigrid/gpu/coarsen_point.h"
#include "solvers/linsolve/multigrid/gpu/lattice.h"

enum {
    TSL_COARSEN_THREADS = 256, /* of a block */
    TSL_RUNNING_TILE = 2048,   /* counts that a block adds up */
    TSL_TABLE_SMALL = 256,     /* places for the columns of a row of P^T A P */
    TSL_TABLE_LARGE = 4096,    /* places for the few rows that have more columns; three
                                  quarters are used */
    TSL_LANCZOS_PARTS = 128,   /* of the rows at most, each of which leaves a sum */
    TSL_LANCZOS_THREADS = 1024,
    TSL_INVERSION_THREADS = 512
};

/* A square matrix of double precision in device memory: by rows, or in slices of 32
 * (fused_kernels.h), zeros among them. */
typedef struct tsl_device_rows {
    int64_t rows;
    const int64_t *row_start; /* [rows + 1]; NULL: in slices */
    const int32_t *column;
    const int64_t *value_start, *index_start;
    const int32_t *index;
    const double *value;
} tsl_device_rows;

static inline tsl_device_rows tsl_rows_of(const tsl_gpu_matrix *m)
{
    tsl_device_rows out;
    out.rows = m->rows;
    out.row_start = m->row_start;
    out.column = m->column;
    out.value_start = m->value_start;
    out.index_start = m->index_start;
    out.index = m->index;
    out.value = (const double *)(m->value_start != NULL ? m->value : m->entry);
    return out;
}

/* Largest of what a set-up has come across, as doubles >= 0. */
typedef enum tsl_fact {
    TSL_FACT_INVERSE,  /* 1 / a(i, i) */
    TSL_FACT_DIAGONAL, /* a(i, i) */
    TSL_FACT_ROW_SUM,  /* of |D^-1 A| */
    TSL_FACT_WRONG,    /* rows - i of a row whose diagonal is not a finite number above 0 */
    TSL_FACT_LONGEST,  /* entries of a row */
    TSL_FACT_MEMBERS,  /* rows of an aggregate */
    TSL_FACTS
} tsl_fact;

/* Keys that are no priorities: of a row that cannot become a root any more, and of a root. */
enum { TSL_KEY_OUT = 0 };
#define TSL_KEY_ROOT UINT32_MAX

/* Rows on their way into aggregates. All arrays are in device memory, [rows] where nothing else is
 * said. */
typedef struct tsl_grouping {
    tsl_device_rows a;
    double *facts;   /* [TSL_FACTS] */
    double *inverse; /* 1 / a(i, i) */
    double strength; /* as in tsl_graph */
    int reach;       /* 2 or 3 */
    int32_t *
        strong; /* [entries]: columns of each row's strong entries, with A's steps between them.
                   NULL where no row has more than 32 entries: strong_of then has a bit for each. */
    uint32_t *strong_of; /* number of strong entries, or their bits; 0: none */
    /* TSL_KEY_OUT, TSL_KEY_ROOT, or of a row not yet decided its priority << row_bits | its mixed
     * number. */
    uint32_t *key;
    int row_bits;
    uint32_t highest_priority;
    tsl_lattice lattice;  /* gives the first round's priorities, if it has phases */
    const uint32_t *from; /* keys of which spread() takes the largest within one entry */
    uint32_t *to;         /* what spread() writes */
    int32_t *left;        /* [1]: number of rows in `next_list` */
    int32_t
        *next_list; /* new roots, or rows not yet decided, in any order; NULL: none are listed */
    /* Rows not yet decided, when they are few; NULL: all rows are looked at. */
    int32_t listed;
    const int32_t *list;
    uint32_t *decision; /* [listed]: their next key */
    /* Each row's root, TSL_NO_AGGREGATE or TSL_UNSEEN, before and after a step. */
    const int32_t *root;
    int32_t *joined;
    int32_t *is_root;      /* 1 for roots, 0 for others */
    const int64_t *number; /* a root's number among the roots, which is its aggregate's number */
    int32_t *aggregate;    /* of each row */
    int32_t *count;        /* [aggregates]: number of rows */
} tsl_grouping;

/* An entry of P^T, p(i, row), and where row i of A P is. */
typedef struct tsl_transposed_entry {
    double value;
    uint64_t rest; /* tsl_transposed_rest() */
} tsl_transposed_entry;

enum { TSL_EXPONENT_BITS = 13, TSL_COUNT_BITS = 7, TSL_LEAST_EXPONENT = -4000 };

/* In few bytes: the row's first entry `at` (where the row was not made, i), its entries `count`
 * (-1: it was not made), and `part`, a bound on what its products with the entry sum up to whatever
 * their signs, as the exponent of a power of two that is more. */
TSL_FN uint64_t tsl_transposed_rest(int64_t at, int count, double part)
{
    const int most = -TSL_LEAST_EXPONENT;
    const int exponent = part == 0         ? (int)TSL_LEAST_EXPONENT
                         : part <= DBL_MAX ? ilogb(part) + 1
                                           : most; /* infinite, or no number */
    return ((uint64_t)at << TSL_COUNT_BITS | (uint64_t)(count + 1)) << TSL_EXPONENT_BITS |
           (uint64_t)((exponent < most ? exponent : most) - TSL_LEAST_EXPONENT);
}

TSL_FN int64_t tsl_transposed_at(uint64_t rest)
{
    return (int64_t)(rest >> (TSL_COUNT_BITS + TSL_EXPONENT_BITS));
}

TSL_FN int tsl_transposed_count(uint64_t rest)
{
    return (int)(rest >> TSL_EXPONENT_BITS & ((1U << TSL_COUNT_BITS) - 1)) - 1;
}

TSL_FN int tsl_transposed_exponent(uint64_t rest)
{
    return (int)(rest & ((1U << TSL_EXPONENT_BITS) - 1)) + TSL_LEAST_EXPONENT;
}

/* From aggregates to the next level's matrix. */
typedef struct tsl_projection {
    tsl_device_rows a;
    double *facts;
    const double *inverse;
    double strength, omega;
    const int32_t *aggregate; /* [rows] */
    const double *near_null;  /* [rows]; NULL: ones */
    int64_t aggregates;
    double *norm; /* [aggregates]: of near_null, on each; NULL: of ones, which go on as ones */
    /* T^T: rows of each aggregate, first in any order, then ascending */
    const int64_t *member_start; /* [aggregates + 1] */
    int32_t *cursor;             /* [aggregates]: places taken, from zeros */
    int32_t *unordered, *member; /* [rows in aggregates] */
    double *member_value;        /* [rows in aggregates]: near_null by norm; NULL: ones */
    /* P, with room for as many entries as A has in the row and one more, as far apart as A's; P^T,
     * rows in any order */
    int32_t *p_count, *p_column;
    double *p_value;
    int32_t *transposed_count; /* [aggregates] */
    const int64_t *transposed_start;
    tsl_transposed_entry *transposed;
    /* A P, rows where there was room */
    int64_t *ap_used; /* [1]: entries that were wanted */
    int64_t ap_room;
    int64_t *ap_at;
    int32_t *ap_count; /* -1: the row is long, and not here */
    double *ap_bound;  /* of what a row's entries' terms sum up to, whatever their signs */
    int32_t *ap_column;
    double *ap_value;
    /* Rows of P^T A P as they get done. */
    int table; /* places of a row's table: TSL_TABLE_SMALL, a warp a row, a block where rows are
                  few; or …_LARGE, a block */
    const int32_t *wide_rows; /* [wide]: what TSL_TABLE_LARGE is for; NULL: all rows, small */
    int64_t wide;
    int32_t *too_wide; /* [aggregates]: rows whose table was full */
    int32_t *too_wide_count;
    int64_t *used; /* [1]: entries that were wanted */
    int64_t room;
    int64_t *row_at;    /* [aggregates] */
    int32_t *row_count; /* [aggregates] */
    int32_t *piled_column;
    double *piled_value;
    /* Rows of P^T A P in their order. */
    const int64_t *row_start; /* [aggregates + 1] */
    int32_t *column;
    double *value;
} tsl_projection;

/* out[i] = counts before i, i <= n. */
typedef struct tsl_running {
    int64_t *out; /* [n + 1] */
    const int32_t *count;
    int64_t n;
    int64_t *tile; /* [n / TSL_RUNNING_TILE + 1] */
} tsl_running;

/* Forms for the cycle. */
typedef struct tsl_cut {
    int64_t rows;
    const int64_t *row_start;
    int64_t window;        /* entries: rows of a chunk begin in the same one */
    int32_t *is_first;     /* [rows]: 1 for the first of a chunk */
    const int64_t *number; /* [rows + 1]: chunks before a row's */
    tsl_chunk *chunk;
} tsl_cut;

/* A matrix by rows on its way into slices, whose rows are filled up with zeros. */
typedef struct tsl_slicing {
    tsl_device_rows a;
    double scale; /* of the values */
    int bytes;
    int32_t *groups;      /* [slices]: entries of a slice's longest row */
    int64_t *value_start; /* [slices + 1]: groups before a slice's */
    int64_t *index_start; /* [slices + 1]: columns before a slice's */
    int32_t *index;       /* [groups][32] */
    void *value;
} tsl_slicing;

/* T as slices of a row an entry: [rows rounded up to 32]. */
typedef struct tsl_tentative_form {
    int64_t rows;
    const int32_t *aggregate;
    const double *near_null, *norm; /* NULL: ones */
    int bytes;
    int64_t *value_start, *index_start; /* [slices + 1] */
    int32_t *index;
    void *value; /* NULL: ones, which are not stored */
} tsl_tentative_form;

/* The inverse of the coarsest level's matrix, of n rows, as a form of n entries a row. */
typedef struct tsl_inversion {
    tsl_device_rows a;
    int n;
    double *dense;    /* [n][n] */
    double *diagonal; /* [n]: of the matrix */
    double *line;     /* [2][n]: rows on their turn */
    int32_t *taken;   /* [n]: 0 for rows left out, whose pivot is nothing but rounding */
    double scale;
    int bytes;
    int64_t *row_start; /* [n + 1] */
    int32_t *column;    /* [n][n] */
    void *entry;        /* [n][n]: scale times the inverse, symmetric to the last bit */
} tsl_inversion;

/* Lanczos' method for D^-1/2 A D^-1/2. */
typedef struct tsl_lanczos {
    tsl_device_rows a;
    const double *inverse;
    double *now, *before, *scaled; /* [rows] */
    double *sums;                  /* [TSL_LANCZOS_PRODUCTS + 2][TSL_LANCZOS_PARTS] */
    /* [TSL_LANCZOS_PRODUCTS]: the tridiagonal matrix; what follows where `beside` is nothing but
     * rounding means nothing */
    double *diagonal, *beside;
} tsl_lanczos;

/* The kernels; asynchronous on the context's stream. What counts up has been zeroed. */
typedef tsl_status (*tsl_group)(tsl_context *context, const tsl_grouping *arguments);
typedef tsl_status (*tsl_project)(tsl_context *context, const tsl_projection *arguments);
typedef struct tsl_coarsen_ops {
    tsl_group measure;     /* inverse, facts of the matrix */
    tsl_group find_strong; /* strong, key */
    tsl_group spread;      /* to = largest of `from` one entry around */
    tsl_group select;      /* key, from what `from` is one entry around; lists new roots */
    tsl_group exclude;     /* keys of all within reach of those */
    tsl_group prioritise;  /* key, of rows of `list` or all that are not decided; lists those */
    tsl_group decide;      /* decision of those listed, from all keys within reach */
    tsl_group apply;       /* key of those listed; lists new roots */
    tsl_group found;       /* joined, of roots and their neighbours */
    tsl_group join;        /* joined, of rows beside joined ones */
    tsl_group single;      /* is_root; rows that nothing reached found their own */
    tsl_group name;        /* aggregate, count */
    tsl_project list_members, order_members;
    tsl_project measure_members; /* norm, member_value */
    tsl_project smooth;          /* P, transposed_count */
    tsl_project premultiply;     /* A P */
    tsl_project transpose;       /* P^T, of what that left */
    tsl_project multiply;        /* rows of P^T A P */
    tsl_project arrange;
    tsl_status (*run)(tsl_context *context, const tsl_running *arguments);
    tsl_status (*mark_chunks)(tsl_context *context, const tsl_cut *arguments);
    tsl_status (*cut_chunks)(tsl_context *context, const tsl_cut *arguments);
    tsl_status (*make_tentative)(tsl_context *context, const tsl_tentative_form *arguments);
    /* On so many processors. */
    tsl_status (*find_eigenvalue)(tsl_context *context, const tsl_lanczos *arguments,
                                  int processors);
    /* On so many processors. `dense` has been zeroed. */
    tsl_status (*invert)(tsl_context *context, const tsl_inversion *arguments, int processors);
    /* y = a x, of numbers of so many bytes; x NULL: ones */
    tsl_status (*convert)(tsl_context *context, void *y, double a, const double *x, int64_t count,
                          int bytes);
    tsl_status (*measure_slices)(tsl_context *context, const tsl_slicing *arguments); /* groups */
    /* Fill index_start, index and value, given value_start. */
    tsl_status (*fill_slices)(tsl_context *context, const tsl_slicing *arguments);
} tsl_coarsen_ops;

#endif
