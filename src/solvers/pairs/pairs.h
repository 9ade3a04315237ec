/* What a device does for pairwise work. */
#ifndef TSL_PAIRS_H
#define TSL_PAIRS_H

#include "core/context.h"
#include "tesela/pairs.h"

#include "solvers/pairs/energy/energy.h"
#include "solvers/pairs/nearest/nearest.h"
#include "solvers/pairs/pairs_point.h"

/* Points lie in blocks of TSL_POINT_BYTES a coordinate: [blocks][dimensions][points of a block], so
 * that neighbouring threads, or parts of a vector, take neighbouring points. Beyond the last point
 * there are zeros. */
enum { TSL_POINT_BYTES = 128 };

/* Points of a block, for a number of `precision` bytes. */
TSL_FN int tsl_point_block(int precision)
{
    return TSL_POINT_BYTES / precision;
}

/* A range of elements of a result. All arrays are device memory, of numbers of `precision` bytes.
 */
typedef struct tsl_distance_task {
    int precision;
    int sum; /* tsl_pair_sum */
    int root;
    int layout;
    int dimensions;
    double p;
    int64_t rows, columns;
    int64_t first, count;        /* elements, count >= 1 */
    int64_t row_first, row_last; /* rows they stand in */
    const void *row;             /* [rows][dimensions] */
    const void *column;          /* in blocks */
    const void
        *weights; /* [dimensions], or of TSL_PAIR_FORM double [dimensions][dimensions]; NULL */
    /* For squares by products: points less their mean in blocks, and squares of their lengths, with
     * zeros for what fills up the last block; NULL: by differences. */
    const void *centred_row, *centred_column, *row_norms, *column_norms;
    void *out; /* [count], aligned to a number; aligned to 64 bytes it is fastest */
} tsl_distance_task;

/* What is known of points at a glance. */
typedef struct tsl_survey {
    double low[3], high[3]; /* of their coordinates; 0 of those that they have not */
    int64_t beyond;         /* the first number that is not finite or beyond the limit; INT64_MAX */
} tsl_survey;

/* Points in the order of their cells, and where their neighbours go. All arrays are device memory.
 */
typedef struct tsl_neighbor_task {
    int precision;
    int dimensions;
    int space; /* tsl_space */
    int half;
    int in_cells; /* rows and indices count in the order of cells, else in that of points */
    int radii;    /* are there any? Else the cut-off says who is a neighbour */
    int64_t n;
    int64_t begin, end;      /* places of the order whose points are done: on the CPU those of the
                                cells that begin among them */
    int cells[3];            /* x slowest; 1 along an axis that is not divided */
    int reach;               /* cells along z that are a cut-off; along x and y one is */
    double low[3], width[3]; /* of open space */
    double box[6];           /* lengths, tilts */
    double cutoff;
    const void *points;       /* [n][dimensions], as they came */
    const void *points_radii; /* [n] */
    void *sorted;             /* x, y, z and radius: [4][n] on the CPU, [n][4] on GPUs */
    int32_t *order;           /* [n]: a point's own index */
    int32_t *cell;            /* [n]: its cell */
    int64_t *start;           /* [cells + 1]: a cell's first point */
    int32_t *own, *loose;     /* [n] for sorting: cells by own index, and indices by cell */
    int32_t *cell_counts;     /* [cells] for sorting */
    int64_t *tiles;           /* for running sums, of as many numbers as tsl_running asks for */
    int32_t *counts;          /* [n], by row: written by count_neighbors() */
    int64_t *first;           /* [n + 1]: where fill_neighbors() begins a row */
    int32_t *indices;
    void *distances; /* NULL: not wanted */
} tsl_neighbor_task;

enum {
    TSL_TRIPLET_PARTS = 4096,
    TSL_TRIPLETS_IDLE = 2 /* beside the values of tsl_triplet_map: the cube's tiles, and all of them
                             end at once, so that what such tiles cost can be measured */
};

/* A rank's parts of the sum over triples: every step-th one, from `first` on. Arrays are device
 * memory. */
typedef struct tsl_triplet_task {
    int64_t n;            /* >= 1 */
    const double *points; /* [n][3] */
    int map;              /* tsl_triplet_map or TSL_TRIPLETS_IDLE, which add the same or nothing */
    int first, step;
    double *partial; /* [TSL_TRIPLET_PARTS] */
} tsl_triplet_task;

typedef struct tsl_pairs_ops {
    /* Asynchronous on the context's stream. */
    tsl_status (*distances)(tsl_context *context, const tsl_distance_task *task);
    /* Look at points [n][dimensions] of device memory, of which there is at least one; waits. */
    tsl_status (*survey)(tsl_survey *out, tsl_context *context, const tsl_neighbor_task *task,
                         double limit);
    /* Points into the order of their cells, those of a cell in their own: sorted, order, cell and
     * start. Asynchronous, as all that follow. */
    tsl_status (*sort)(tsl_context *context, const tsl_neighbor_task *task);
    tsl_status (*count_neighbors)(tsl_context *context, const tsl_neighbor_task *task);
    /* first [n + 1] from counts [n]. */
    tsl_status (*place_rows)(tsl_context *context, const tsl_neighbor_task *task);
    tsl_status (*fill_neighbors)(tsl_context *context, const tsl_neighbor_task *task);
    /* Add each pair once to counts [bins] of its distance; device memory. */
    tsl_status (*histogram)(tsl_context *context, const tsl_neighbor_task *task, int bins,
                            double scale, int64_t *counts);
    /* What has a folder of its own. */
    const struct tsl_energy_ops *energy;
    const struct tsl_nearest_ops *nearest;
    /* Add up the energies of triples, nu = 1: the parts of a task, each the same on one device. */
    tsl_status (*triplets)(tsl_context *context, const tsl_triplet_task *task);
} tsl_pairs_ops;

tsl_status tsl_triplets_cpu(tsl_context *context, const tsl_triplet_task *task);
tsl_status tsl_triplets_sim(tsl_context *context, const tsl_triplet_task *task);
tsl_status tsl_triplets_cuda(tsl_context *context, const tsl_triplet_task *task);

tsl_status tsl_survey_cpu(tsl_survey *out, tsl_context *context, const tsl_neighbor_task *task,
                          double limit);
tsl_status tsl_sort_cpu(tsl_context *context, const tsl_neighbor_task *task);
tsl_status tsl_neighbors_count_cpu(tsl_context *context, const tsl_neighbor_task *task);
tsl_status tsl_place_rows_cpu(tsl_context *context, const tsl_neighbor_task *task);
tsl_status tsl_neighbors_fill_cpu(tsl_context *context, const tsl_neighbor_task *task);
tsl_status tsl_histogram_cpu(tsl_context *context, const tsl_neighbor_task *task, int bins,
                             double scale, int64_t *counts);

extern const tsl_pairs_ops tsl_pairs_cpu;

/* ---- products of points on the CPU (products_cpu.c) ----------------------------------------- */

/* Rows whose products are made together: a part of a block of points. */
enum { TSL_PRODUCT_ROWS = 8 };

/* By precision, single and double: sums [TSL_PRODUCT_ROWS][points of a block] become u v of rows
 * and columns, d coordinates, added up in their order. Both are points in blocks: `rows` is the
 * first coordinate of the first row, `columns` that of a block. Each product is
 * added with one rounding (FMA), so that the bits are the same with every instruction set. */
typedef struct tsl_product_functions {
    void (*add_single)(float *sums, const float *rows, const float *columns, int d);
    void (*add_double)(double *sums, const double *rows, const double *columns, int d);
} tsl_product_functions;

/* Those for this processor; NULL: it, or the compiler, has none, and distances are by differences.
 */
const tsl_product_functions *tsl_product_functions_now(void);

/* ---- rows of distances on the CPU (rows/) --------------------------------------------------- */

/* Coordinates of points, at most, whose distances are made so. */
enum { TSL_SHORT = 4 };

/* By precision, single and double: out[j - first] becomes the Euclidean distance of a row's point,
 * of d <= TSL_SHORT coordinates, and column j, first <= j < end, of points in blocks. Bits are
 * those of sqrt() and of differences squared and added in their order. With `past_caches` whole
 * lines of memory are not kept in caches, and another thread is to wait for a fence before it reads
 * them. */
typedef struct tsl_row_functions {
    void (*write_single)(float *out, const float *row, const float *columns, int d, int64_t first,
                         int64_t end, bool past_caches);
    void (*write_double)(double *out, const double *row, const double *columns, int d,
                         int64_t first, int64_t end, bool past_caches);
} tsl_row_functions;

/* Those for this processor; NULL: it, or the compiler, has none that gain anything. */
const tsl_row_functions *tsl_row_functions_now(void);

/* Are the ranks of the context's communicator on devices of one kind, without which bits depend on
 * their number? If not, TSL_E_ARG on all. Collective. (ranks.c) */
tsl_status tsl_pairs_compare_ranks(tsl_context *context);

/* ---- host work on points (distance_points.c) ------------------------------------------------ */

/* Of both sets of points together: variances [d], or the inverse of the covariance [d][d]. b may be
 * NULL. */
tsl_status tsl_pairs_variances(double *out, tsl_context *context, const tsl_points *a,
                               const tsl_points *b);
tsl_status tsl_pairs_inverse_covariance(double *out, tsl_context *context, const tsl_points *a,
                                        const tsl_points *b);

/* "SET: row 2, column 1 is nan: leave such points out", for number e of points of d coordinates.
 * TSL_E_ARG. */
tsl_status tsl_pairs_fail_coordinate(tsl_context *context, const char *set, int64_t e, int d,
                                     int precision, double x);

/* Refuse what is not finite, or larger than squares allow. `set` names the points: "a". */
tsl_status tsl_pairs_check_points(tsl_context *context, const tsl_points *points, const char *set);

/* Refuse options whose `size` is not that of this library; `init` names what initialises them. */
tsl_status tsl_pairs_check_size(tsl_context *context, size_t size, size_t expected,
                                const char *init);

/* Copy points as rows, and into blocks. With `unit` each is first brought to length 1, and with
 * `centred` less the mean of its coordinates before that; points of length 0 become
 * not-a-numbers. */
void tsl_pairs_copy_rows(void *out, const tsl_points *points, bool unit, bool centred);
void tsl_pairs_copy_blocks(void *out, const void *rows, int64_t count, int dimensions,
                           int precision);
/* Points less `mean` [dimensions], in blocks, and the squares of their lengths, one for each point
 * that the blocks have room for. */
void tsl_pairs_copy_centred(void *blocks, void *norms, const tsl_points *points,
                            const double *mean);
/* The mean of both sets; b may be NULL. */
void tsl_pairs_mean(double *mean, const tsl_points *a, const tsl_points *b);
int64_t tsl_pairs_block_bytes(int64_t count, int dimensions, int precision);

#endif
