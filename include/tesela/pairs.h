/** @file pairs.h
 *  Pairwise work on points: distances of all pairs, in SciPy's metrics and order; neighbours.
 *
 *  Points are rows of an array [count][dimensions] in host memory, single or double precision.
 *  Results have the precision of the points. Of n points each of the n (n - 1) / 2 pairs is
 *  computed once, and only once where the layout holds it once.
 *
 *  | layout    | holds             | element of (i, j)               | elements        |
 *  | --------- | ----------------- | ------------------------------- | --------------- |
 *  | condensed | i < j, rows of i  | i n - i (i + 1) / 2 + j - i - 1 | n (n - 1) / 2   |
 *  | square    | all               | i n + j                         | n n             |
 *  | packed    | j <= i, rows of i | i (i + 1) / 2 + j               | n (n + 1) / 2   |
 *  | rectangle | a_i and b_j       | i n_b + j                       | n_a n_b         |
 *
 *  Where a context belongs to a rank of several, tsl_distance_stream(), tsl_neighbors_find(),
 *  tsl_histogram_count(), tsl_energy_plan_create(), tsl_energy_execute(), tsl_nearest_find() and
 *  tsl_triplets_energy() are collective: all ranks give the same points and options, on devices of
 *  one kind (else TSL_E_ARG), and each computes a part. Results have the same bits whatever the
 *  number of ranks. All other functions work for their rank alone.
 *
 *  Any range of elements can be computed alone, so that nobody needs memory for all of them.
 *  tesela/simplex.h turns an element's number into (i, j).
 *
 *  Sources: the definitions of scipy.spatial.distance (SciPy 1.17.1), `pdist` and `cdist`.
 */
#ifndef TESELA_PAIRS_H
#define TESELA_PAIRS_H

#include <stddef.h>
#include <stdint.h>

#include "tesela/buffer.h"

#ifdef __cplusplus
extern "C" {
#endif

/** Distance of two points u and v. */
typedef enum tsl_metric {
    TSL_METRIC_EUCLIDEAN = 0,   /**< sqrt(sum (u - v)^2) */
    TSL_METRIC_SQEUCLIDEAN = 1, /**< sum (u - v)^2 */
    TSL_METRIC_SEUCLIDEAN = 2,  /**< sqrt(sum (u - v)^2 / V), V the variances of the coordinates */
    TSL_METRIC_CITYBLOCK = 3,   /**< sum |u - v| */
    TSL_METRIC_CHEBYSHEV = 4,   /**< max |u - v| */
    TSL_METRIC_MINKOWSKI = 5,   /**< (sum |u - v|^p)^(1/p) */
    TSL_METRIC_COSINE = 6,      /**< 1 - u v / (|u| |v|); not-a-number if one of them is zero */
    TSL_METRIC_CORRELATION = 7, /**< cosine, each point less the mean of its own coordinates */
    TSL_METRIC_MAHALANOBIS = 8, /**< sqrt((u - v) VI (u - v)), VI an inverse covariance */
    TSL_METRIC_CANBERRA = 9,    /**< sum |u - v| / (|u| + |v|), 0/0 counting as 0 */
    TSL_METRIC_BRAYCURTIS = 10, /**< sum |u - v| / sum |u + v|; not-a-number for 0/0 */
    TSL_METRIC_HAMMING = 11,    /**< share of the coordinates that differ */
    TSL_METRIC_JACCARD = 12     /**< of the coordinates not zero in both, the share that are zero in
                                     one; 0/0 is 0 */
} tsl_metric;

enum { TSL_METRICS = 13 }; /**< their number */

/** SciPy's name of a metric to the metric.
 *  @param[out] out  untouched unless the text is one of the names
 *  @return TSL_OK; TSL_E_ARG. Thread-safe. */
TSL_API tsl_status tsl_metric_parse(tsl_metric *out, const char *text);

/** Name of a metric, "euclidean"; NULL for any other number. The string is static. */
TSL_API const char *tsl_metric_name(tsl_metric metric);

/** Order of the results for pairs of one set of points. */
typedef enum tsl_pair_layout {
    TSL_LAYOUT_CONDENSED = 0, /**< each pair once, without the diagonal: SciPy's pdist() */
    TSL_LAYOUT_SQUARE = 1,    /**< a full symmetric matrix; its diagonal is exactly 0 */
    TSL_LAYOUT_PACKED = 2     /**< the lower triangle by rows; its diagonal is exactly 0 */
} tsl_pair_layout;

/** A set of points in host memory. */
typedef struct tsl_points {
    const void *values; /**< [count][dimensions], float or double; NULL only if there are none */
    int64_t count;      /**< >= 0 */
    int dimensions;     /**< >= 1 */
    int precision;      /**< bytes of a number: 4 or 8 */
    const char *name;   /**< what errors call the set, a file's name; NULL: "a" or "b" */
} tsl_points;

/** What to compute. Initialise with TSL_DISTANCE_OPTIONS_INIT. */
typedef struct tsl_distance_options {
    size_t size; /**< sizeof(tsl_distance_options) */
    tsl_metric metric;
    tsl_pair_layout layout;  /**< of one set of points; two make a rectangle */
    double p;                /**< of minkowski: > 0; infinity is chebyshev */
    const double *variances; /**< of seuclidean: [dimensions], each > 0; NULL: those of all points
                                  given, with count - 1 as divisor */
    const double *inverse_covariance; /**< of mahalanobis: [dimensions][dimensions]; NULL: that of
                                           all points given, with count - 1 as divisor */
    int differences; /**< 1: euclidean and sqeuclidean never take products of points; 0: they do
                          where that is faster */
} tsl_distance_options;

#define TSL_DISTANCE_OPTIONS_INIT                                                                  \
    {                                                                                              \
        sizeof(tsl_distance_options), TSL_METRIC_EUCLIDEAN, TSL_LAYOUT_CONDENSED, 2, NULL, NULL, 0 \
    }

/** Distances that can be computed any number of times, in ranges. */
typedef struct tsl_distance_plan tsl_distance_plan;

/** Take over points and make ready what the metric needs.
 *
 *  @param[out] out      the new plan, owned by the caller: tsl_distance_plan_destroy()
 *  @param[in]  options  NULL takes the defaults
 *  @param[in]  a        copied to the device
 *  @param[in]  b        a second set: distances of each point of a to each of b; NULL: pairs of a
 *  @return TSL_OK; TSL_E_ARG if an option is out of range, a and b differ in dimensions or
 *          precision, a coordinate is not finite (the line names its row and column) or so large
 *          that squares could overflow (1e18 in single precision, or 9e18 over the root
 *          of the number of coordinates where that is less, 1e150 in double), a variance is
 *          not positive, or the covariance cannot be inverted; TSL_E_NOMEM; TSL_E_DEVICE.
 *
 *  Synchronous. */
TSL_API tsl_status tsl_distance_plan_create(tsl_distance_plan **out, tsl_context *context,
                                            const tsl_distance_options *options,
                                            const tsl_points *a, const tsl_points *b);

/** Release a plan after its work; NULL is fine. */
TSL_API void tsl_distance_plan_destroy(tsl_distance_plan *plan);

/** Number of elements of the whole result, >= 0. */
TSL_API int64_t tsl_distance_plan_count(const tsl_distance_plan *plan);

/** The elements of row i: those from *first on, *count of them.
 *  @return TSL_OK; TSL_E_ARG if there is no such row. */
TSL_API tsl_status tsl_distance_plan_row(const tsl_distance_plan *plan, int64_t i, int64_t *first,
                                         int64_t *count);

/** Compute elements first to first + count - 1 of the result.
 *
 *  @param[out] out    `count` numbers of the points' precision, from the buffer's start, whose
 *                     address is a multiple of the size of a number
 *  @param[in]  first  >= 0; a multiple of 64 is fastest on a GPU
 *  @param[in]  count  >= 0; nothing happens for 0
 *  @return TSL_OK; TSL_E_ARG if the range leaves the result, or the buffer is too small or not
 *          aligned; TSL_E_DEVICE.
 *
 *  Accuracy, against exact arithmetic on the coordinates given: relative error below 1e-13 in
 *  double and 1e-6 in single precision (3e-6 from 128 dimensions on), absolute where the value is
 *  below 1 for cosine and correlation; hamming and jaccard are correctly rounded. Squares of small
 *  differences underflow: euclidean distances below 1e-15 in single and 1e-150 in double precision
 *  are less accurate. Of equal points they are exactly 0. Each element has the same bits whatever
 * the range, the number of threads, and the layout. Close points lose nothing, because coordinates
 * are subtracted before anything else. Euclidean distances of 32 coordinates or more on GPUs, and
 * of 64 or more on processors with AVX2 and FMA, are by products of points less their mean instead,
 * except where these leave too few digits. The option `differences` forbids products.
 *
 *  Asynchronous on the context's stream. */
TSL_API tsl_status tsl_distance_execute(tsl_distance_plan *plan, tsl_buffer *out, int64_t first,
                                        int64_t count);

/** Receives elements first to first + count - 1, in host memory that is valid during the call.
 *  Anything but TSL_OK ends the work with that status. */
typedef tsl_status tsl_distance_take(void *user, int64_t first, int64_t count, const void *values);

/** Compute the whole result in order, piece by piece, each handed to `take`, of ranks on rank 0
 *  alone.
 *
 *  @param[in] bytes  of a piece at most; 0: 64 MiB. Twice that is taken of a GPU's memory and once
 *                    of the host's
 *  @return TSL_OK; what `take` returned; TSL_E_ARG if bytes < 0; TSL_E_NOMEM; TSL_E_DEVICE.
 *
 *  Synchronous. */
TSL_API tsl_status tsl_distance_stream(tsl_distance_plan *plan, int64_t bytes,
                                       tsl_distance_take *take, void *user);

/* ---- neighbours ------------------------------------------------------------------------------ */

/** Which pairs of points are neighbours. Initialise with TSL_NEIGHBOR_OPTIONS_INIT. */
typedef struct tsl_neighbor_options {
    size_t size;   /**< sizeof(tsl_neighbor_options) */
    double cutoff; /**< > 0: neighbours are closer than this; not looked at with radii */
    const double
        *box; /**< periodic cell [6]: lengths lx, ly, lz > 0 and tilts xy, xz, yz, so that its
                   edges are (lx, 0, 0), (xy, ly, 0) and (xz, yz, lz); NULL: open space */
    const void *radii; /**< [count] in the points' precision, >= 0: neighbours i and j are closer
                          than radii[i] + radii[j]; NULL: the cut-off says it */
    int half;          /**< not 0: each pair once, in the row of the lesser index */
    int sorted;        /**< not 0: indices ascend in each row */
    int direct;        /**< not 0: look at all pairs, without cells */
    int indices_only;  /**< not 0: no distances */
    int in_cells;      /**< not 0: rows and indices count in the order of cells, which `order` tells
                            of; `half` and `sorted` then mean places in that order */
} tsl_neighbor_options;

#define TSL_NEIGHBOR_OPTIONS_INIT                                                                  \
    {                                                                                              \
        sizeof(tsl_neighbor_options), 0, NULL, NULL, 0, 0, 0, 0, 0                                 \
    }

/** Neighbours of each point, in host memory: those of point i are indices[k], at distances[k], for
 *  indptr[i] <= k < indptr[i + 1]. */
typedef struct tsl_neighbors {
    int64_t count;     /**< points */
    int64_t *indptr;   /**< [count + 1] */
    int32_t *indices;  /**< [indptr[count]] */
    void *distances;   /**< [indptr[count]] in the points' precision; NULL with `indices_only` */
    int cells[3];      /**< that space was divided into; 1, 1, 1: all pairs were looked at */
    int32_t *order;    /**< [count] with `in_cells`: the point that a place is of; else NULL */
    double seconds[3]; /**< of sorting into cells, counting, filling */
} tsl_neighbors;

/** Find neighbours: count, then fill, so that nothing overflows.
 *
 *  Points i != j are neighbours if (dx dx + dy dy) + dz dz < cutoff cutoff, each operation rounded
 * in the points' precision, where (dx, dy, dz) is p_i - p_j and in a periodic cell the nearest
 * image of it, z reduced first, then y, then x: d - rint(d / l) l, the quotient by way of 1 / l. So
 * the set is the same on every device, with cells and without.
 *
 *  @param[out] out     owned by the caller: tsl_neighbors_release(); of several ranks rank 0 has
 * all rows, and the others a count of 0
 *  @param[in]  points  1 to 3 coordinates, 3 in a periodic cell; at most 2147483647 points
 *  @return TSL_OK; TSL_E_ARG if an option is out of range, the cut-off is more than half of a width
 * of the cell, or a coordinate is not finite or more than 1e6 cut-offs from the origin (in single
 *          precision 1e4 of them); TSL_E_NOMEM; TSL_E_DEVICE.
 *
 *  Synchronous. Rows are in the order of points; without `sorted` the order within a row is that of
 *  cells, the same on every device. */
TSL_API tsl_status tsl_neighbors_find(tsl_neighbors *out, tsl_context *context,
                                      const tsl_neighbor_options *options,
                                      const tsl_points *points);

/** Release what tsl_neighbors_find() made; NULL is fine. */
TSL_API void tsl_neighbors_release(tsl_neighbors *neighbors);

/** Neighbours that stay in device memory, searched for again and again as points move. */
typedef struct tsl_neighbor_plan tsl_neighbor_plan;

/** What a search left in device memory, owned by the plan and valid until it searches again. */
typedef struct tsl_neighbor_arrays {
    int64_t entries;        /**< neighbours in all */
    const int32_t *order;   /**< [count]: the point that stands in a place of the order of cells */
    const int64_t *indptr;  /**< [count + 1] */
    const int32_t *indices; /**< [entries] */
    const void *distances;  /**< [entries] in the points' precision; NULL with `indices_only` */
    int cells[3];           /**< that space was divided into */
} tsl_neighbor_arrays;

/** Make ready to search among `count` points of `dimensions` numbers of `precision` bytes.
 *
 *  @param[out] out      owned by the caller: tsl_neighbor_plan_destroy()
 *  @param[in]  options  as of tsl_neighbors_find(), but not `sorted`; radii are copied
 *  @return TSL_OK; TSL_E_ARG for what tsl_neighbors_find() refuses of options and sizes;
 *          TSL_E_NOMEM; TSL_E_DEVICE.
 *
 *  Synchronous. */
TSL_API tsl_status tsl_neighbor_plan_create(tsl_neighbor_plan **out, tsl_context *context,
                                            const tsl_neighbor_options *options, int64_t count,
                                            int dimensions, int precision);

/** Release a plan and its arrays; NULL is fine. */
TSL_API void tsl_neighbor_plan_destroy(tsl_neighbor_plan *plan);

/** Search: sort into cells, count, fill. The result is that of tsl_neighbors_find().
 *
 *  @param[out] out     device addresses
 *  @param[in]  points  [count][dimensions]
 *  @return TSL_OK; TSL_E_ARG if the buffer is too small or for coordinates that
 *          tsl_neighbors_find() refuses; TSL_E_NOMEM; TSL_E_DEVICE. After a failure the plan may
 *          search again.
 *
 *  Memory is taken only where more neighbours are found than ever before. Waits twice, for the
 *  extent of the points and for the number of neighbours; the lists are being filled on the
 *  context's stream when it returns. */
TSL_API tsl_status tsl_neighbor_plan_execute(tsl_neighbor_arrays *out, tsl_neighbor_plan *plan,
                                             const tsl_buffer *points);

/* ---- pair distribution ----------------------------------------------------------------------- */

/** Which histogram. Initialise with TSL_HISTOGRAM_OPTIONS_INIT. */
typedef struct tsl_histogram_options {
    size_t size;       /**< sizeof(tsl_histogram_options) */
    int bins;          /**< 1 to 1000000, of equal width */
    double to;         /**< where the last ends, > 0; the first begins at 0 */
    const double *box; /**< as of tsl_neighbor_options */
    int finite;        /**< not 0: the density is that of the other points, (count - 1) / volume */
    int direct;        /**< not 0: look at all pairs, without cells */
} tsl_histogram_options;

#define TSL_HISTOGRAM_OPTIONS_INIT                                                                 \
    {                                                                                              \
        sizeof(tsl_histogram_options), 100, 0, NULL, 0, 0                                          \
    }

/** Distances of points from each other, in host memory. */
typedef struct tsl_histogram {
    int bins;
    double *edges;   /**< [bins + 1] */
    int64_t *counts; /**< [bins]: pairs i, j and j, i both */
    double *g;       /**< [bins], pair distribution; NULL in open space, which has no density */
    double volume;   /**< of the cell; 0 in open space */
} tsl_histogram;

/** Count the distances of pairs, and in a periodic cell their distribution
 *
 *      g_b = counts_b / (count density 4/3 pi (edges_b+1^3 - edges_b^3)),
 *
 *  density = count / volume, or (count - 1) / volume with `finite`: freud's RDF in its modes
 * "exact" and "finite_size". Points are no pairs with themselves.
 *
 *  The bin of a pair is floor(r (bins / to)), both operations and r = sqrt(r^2) rounded in the
 * points' precision, r^2 as tsl_neighbors_find() has it: counts are the same on every device.
 *
 *  @param[out] out  owned by the caller: tsl_histogram_release(); the same on all ranks
 *  @return TSL_OK; TSL_E_ARG, also for what tsl_neighbors_find() refuses of a cut-off `to`;
 * TSL_E_NOMEM; TSL_E_DEVICE.
 *
 *  Synchronous. Takes memory for the points and the bins alone. */
TSL_API tsl_status tsl_histogram_count(tsl_histogram *out, tsl_context *context,
                                       const tsl_histogram_options *options,
                                       const tsl_points *points);

/** Release what tsl_histogram_count() made; NULL is fine. */
TSL_API void tsl_histogram_release(tsl_histogram *histogram);

/* ---- energies and forces --------------------------------------------------------------------- */

/** Energy V of two points at a distance r. */
typedef enum tsl_potential {
    TSL_POTENTIAL_LENNARD_JONES = 0, /**< 4 epsilon ((sigma / r)^12 - (sigma / r)^6) */
    TSL_POTENTIAL_COULOMB = 1,       /**< coupling q_i q_j / r */
    TSL_POTENTIAL_GRAVITY = 2        /**< - coupling m_i m_j / r */
} tsl_potential;

/** What becomes of V at the cut-off rc. */
typedef enum tsl_shift {
    TSL_SHIFT_NONE = 0,   /**< V(r), which ends in a step */
    TSL_SHIFT_ENERGY = 1, /**< V(r) - V(rc) */
    TSL_SHIFT_FORCE = 2   /**< V(r) - V(rc) - (r - rc) V'(rc), whose force ends at 0 too */
} tsl_shift;

/** Which energy. Initialise with TSL_ENERGY_OPTIONS_INIT. */
typedef struct tsl_energy_options {
    size_t size; /**< sizeof(tsl_energy_options) */
    tsl_potential potential;
    double epsilon, sigma; /**< of Lennard-Jones: > 0 */
    double coupling;       /**< of the others: > 0 */
    const double *charges; /**< [count], charges or masses; NULL: 1 each. Copied */
    double cutoff;         /**< > 0; 0: none, in open space alone */
    tsl_shift shift;       /**< needs a cut-off */
    double skin;           /**< >= 0: neighbours are kept until a point has moved by half of it */
    const double *box;     /**< periodic cell, as of tsl_neighbor_options; copied */
    const int32_t *exclusions; /**< [exclusion_count][2]: pairs that are left out; copied */
    int64_t exclusion_count;
    double largest; /**< > 0: of a force that a few points have on one, in epsilon / sigma, or in
                         coupling times the square of the largest charge */
} tsl_energy_options;

#define TSL_ENERGY_OPTIONS_INIT                                                                    \
    {                                                                                              \
        sizeof(tsl_energy_options), TSL_POTENTIAL_LENNARD_JONES, 1, 1, 1, NULL, 0, TSL_SHIFT_NONE, \
            0, NULL, NULL, 0, 1048576                                                              \
    }

/** Sums over pairs. */
typedef struct tsl_energy {
    double energy;      /**< sum of V */
    double virial;      /**< sum of r F, F = -V' */
    double energy_unit; /**< of the fixed-point numbers that energy and virial were summed in */
    double force_unit;  /**< and forces */
    int64_t pairs;      /**< that were looked at: all, or those on the list of neighbours */
    int rebuilt;        /**< not 0: the list of neighbours was made anew */
} tsl_energy;

/** Energies of points that move. */
typedef struct tsl_energy_plan tsl_energy_plan;

/** Make ready for `count` points of three numbers of `precision` bytes.
 *
 *  @param[out] out      owned by the caller: tsl_energy_plan_destroy()
 *  @param[in]  options  NULL takes the defaults
 *  @return TSL_OK; TSL_E_ARG if an option is out of range, does not go with another, or names a
 *          point that there is not; TSL_E_NOMEM; TSL_E_DEVICE.
 *
 *  Synchronous. */
TSL_API tsl_status tsl_energy_plan_create(tsl_energy_plan **out, tsl_context *context,
                                          const tsl_energy_options *options, int64_t count,
                                          int precision);

/** Release a plan; NULL is fine. */
TSL_API void tsl_energy_plan_destroy(tsl_energy_plan *plan);

/** Compute energy, virial and forces, each pair once.
 *
 *  @param[out] out     the sums
 *  @param[out] forces  [count][3], in the points' precision: - dV / dr_i; NULL: not wanted
 *  @param[in]  points  [count][3]
 *  @return TSL_OK; TSL_E_ARG if a buffer is too small, if coordinates are what
 *          tsl_neighbors_find() refuses of a cut-off (with one), or if the forces of a few points
 *          on one are beyond `largest` and a sum could overflow; TSL_E_NOMEM; TSL_E_DEVICE.
 *
 *  Pairs are computed in the points' precision and summed in it over a few hundred pairs at most of
 *  a point; those sums are rounded to whole multiples of the units above and added as 64-bit
 *  integers. So a device gives the same bits in each run and with any number of threads and ranks;
 * GPUs differ from CPUs by rounding. Total forces of points that few pairs were summed of vanish to
 * force_unit. In double precision relative errors are below 1e-12 of the largest force and of the
 * sum of |V|, plus the units; in single precision below 1e-5.
 *
 *  Synchronous. */
TSL_API tsl_status tsl_energy_execute(tsl_energy *out, tsl_energy_plan *plan, tsl_buffer *forces,
                                      const tsl_buffer *points);

/* ---- nearest points -------------------------------------------------------------------------- */

/** Find the k nearest other points of each point, in Euclidean distance and open space.
 *
 *  @param[out] indices    [count][k]: ascending in distance, the lesser index first of equal ones;
 *                         -1 where there are fewer other points
 *  @param[out] distances  [count][k] in the points' precision; infinity there; NULL: not wanted.
 *                         Of several ranks rank 0 has both; others need arrays as large, whose
 *                         contents are undefined afterwards
 *  @param[in]  k          1 to 96
 *  @param[in]  points     at most 2147483647, of any number of coordinates
 *  @return TSL_OK; TSL_E_ARG for another k, or if a coordinate is not finite or so large that
 *          squares could overflow; TSL_E_NOMEM; TSL_E_DEVICE.
 *
 *  The order is that of sum (u - v)^2 in double precision of the coordinates given, exact but for
 *  the rounding of that sum: the same on every device but for points that are equally far to 1e-15.
 *  Takes memory for the points and k + 16 candidates of each, not for all distances.
 *
 *  Synchronous. */
TSL_API tsl_status tsl_nearest_find(int32_t *indices, void *distances, tsl_context *context, int k,
                                    const tsl_points *points);

/* ---- triplets -------------------------------------------------------------------------------- */

/** How blocks of a GPU are laid over triples of points. */
typedef enum tsl_triplet_map {
    TSL_TRIPLETS_TETRAHEDRON = 0, /**< blocks that have triples i >= j >= k, and no others */
    TSL_TRIPLETS_CUBE = 1         /**< all blocks; those without such triples end at once */
} tsl_triplet_map;

/** Axilrod-Teller energy of all triples of points,
 *
 *      sum over i < j < k of nu (1 + 3 cos a cos b cos c) / (r_ij r_jk r_ki)^3,
 *
 *  a, b and c the angles of the triangle (Axilrod and Teller, J. Chem. Phys. 11, 299 (1943)).
 *
 *  @param[out] energy  the sum
 *  @param[in]  nu      finite
 *  @param[in]  map     nothing to the result, nor to a CPU
 *  @param[in]  points  of three coordinates, at most 65536
 *  @return TSL_OK; TSL_E_ARG if nu or a coordinate is not finite or there are more points;
 *          TSL_E_NOMEM; TSL_E_DEVICE.
 *
 *  Computed and summed in double precision: relative error below 1e-12 of the sum of the terms'
 *  sizes; infinite or not a number where points coincide. The same bits whatever the number of
 *  threads and ranks. Synchronous. */
TSL_API tsl_status tsl_triplets_energy(double *energy, tsl_context *context, double nu,
                                       tsl_triplet_map map, const tsl_points *points);

#ifdef __cplusplus
}
#endif

#endif
