/** @file pairs.h
 *  Pairs of points: distances of all pairs, in SciPy's metrics and order; neighbours; energies.
 *
 *  Points are the rows of an array [count][dimensions] in host memory, in single or double
 *  precision. Results have the precision of the points. For n points, each of the n (n - 1) / 2
 *  pairs is computed once where the layout holds it once.
 *
 *  | layout    | holds             | element of (i, j)               | elements        |
 *  | --------- | ----------------- | ------------------------------- | --------------- |
 *  | condensed | i < j, rows of i  | i n - i (i + 1) / 2 + j - i - 1 | n (n - 1) / 2   |
 *  | square    | all               | i n + j                         | n n             |
 *  | packed    | j <= i, rows of i | i (i + 1) / 2 + j               | n (n + 1) / 2   |
 *  | rectangle | a_i and b_j       | i n_b + j                       | n_a n_b         |
 *
 *  Any range of elements can be computed alone, so that memory for all of them is not needed.
 *  tesela/simplex.h converts the number of an element to (i, j).
 *
 *  Ranks: if the context belongs to one of several ranks, these functions are collective:
 *  tsl_distance_stream(), tsl_neighbors_find(), tsl_histogram_count(), tsl_energy_plan_create(),
 *  tsl_energy_execute(), tsl_nearest_find() and tsl_triplets_energy(). All ranks give the same
 *  points and options, on devices of one kind (otherwise TSL_E_ARG), and each computes a part.
 *  Results have the same bits for any number of ranks. All other functions work for their own rank
 *  alone.
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
    TSL_METRIC_CORRELATION = 7, /**< cosine distance, after the mean of a point's own coordinates is
                                     subtracted from each point */
    TSL_METRIC_MAHALANOBIS = 8, /**< sqrt((u - v) VI (u - v)), VI an inverse covariance */
    TSL_METRIC_CANBERRA = 9,    /**< sum |u - v| / (|u| + |v|), 0/0 counting as 0 */
    TSL_METRIC_BRAYCURTIS = 10, /**< sum |u - v| / sum |u + v|; not-a-number for 0/0 */
    TSL_METRIC_HAMMING = 11,    /**< share of the coordinates that differ */
    TSL_METRIC_JACCARD = 12     /**< among the coordinates that are not zero in both points, the
                                     share that are zero in one; 0/0 is 0 */
} tsl_metric;

enum { TSL_METRICS = 13 }; /**< their number */

/** Convert SciPy's name of a metric to the metric.
 *  @param[out] out   untouched unless the text is one of the names
 *  @param[in]  text  SciPy's name of a metric, such as "euclidean"
 *  @return TSL_OK; TSL_E_ARG for an unknown name. Thread-safe. */
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
    const void *values; /**< [count][dimensions], float or double; NULL only if count is 0 */
    int64_t count;      /**< >= 0 */
    int dimensions;     /**< >= 1 */
    int precision;      /**< bytes of a number: 4 or 8 */
    const char *name;   /**< name of the set in error lines, such as a file's name; NULL: "a" or
                             "b" */
} tsl_points;

/** What to compute. Initialise with TSL_DISTANCE_OPTIONS_INIT. */
typedef struct tsl_distance_options {
    size_t size; /**< sizeof(tsl_distance_options) */
    tsl_metric metric;
    tsl_pair_layout layout;  /**< for one set of points; two sets make a rectangle */
    double p;                /**< for minkowski: the exponent, > 0; infinity is chebyshev */
    const double *variances; /**< for seuclidean: [dimensions], each > 0; NULL: the variances of all
                                  points given, with the divisor count - 1 */
    const double *inverse_covariance; /**< for mahalanobis: [dimensions][dimensions]; NULL: computed
                                           from all points given, with the divisor count - 1 */
    int differences; /**< 1: compute euclidean and sqeuclidean distances from differences of
                          coordinates only; 0: from products of points where that is faster */
} tsl_distance_options;

#define TSL_DISTANCE_OPTIONS_INIT                                                                  \
    {                                                                                              \
        sizeof(tsl_distance_options), TSL_METRIC_EUCLIDEAN, TSL_LAYOUT_CONDENSED, 2, NULL, NULL, 0 \
    }

/** A plan to compute distances any number of times, in ranges. */
typedef struct tsl_distance_plan tsl_distance_plan;

/** Copy points to the device and prepare what the metric needs.
 *
 *  @param[out] out      the new plan, owned by the caller: tsl_distance_plan_destroy()
 *  @param[in]  options  NULL takes the defaults
 *  @param[in]  a        copied to the device
 *  @param[in]  b        a second set: distances of each point of a to each of b; NULL: pairs of a
 *  @return TSL_OK; TSL_E_ARG if an option is out of range, a and b differ in dimensions or
 *          precision, a coordinate is not finite (the line names its row and column) or so large
 *          that squares could overflow (in single precision 1e18, or 9e18 over the square root of
 *          the number of coordinates where that is less; in double precision 1e150), a variance is
 *          not positive, or the covariance cannot be inverted; TSL_E_NOMEM; TSL_E_DEVICE.
 *
 *  Synchronous. */
TSL_API tsl_status tsl_distance_plan_create(tsl_distance_plan **out, tsl_context *context,
                                            const tsl_distance_options *options,
                                            const tsl_points *a, const tsl_points *b);

/** Wait for the plan's work, then release the plan. NULL is allowed. */
TSL_API void tsl_distance_plan_destroy(tsl_distance_plan *plan);

/** Number of elements of the whole result, >= 0. */
TSL_API int64_t tsl_distance_plan_count(const tsl_distance_plan *plan);

/** The range of elements that row i holds.
 *  @param[out] first  number of its first element
 *  @param[out] count  number of its elements
 *  @return TSL_OK; TSL_E_ARG if there is no such row. */
TSL_API tsl_status tsl_distance_plan_row(const tsl_distance_plan *plan, int64_t i, int64_t *first,
                                         int64_t *count);

/** Compute elements first to first + count - 1 of the result.
 *
 *  @param[out] out    `count` numbers of the points' precision, from the start of the buffer. Its
 *                     address must be a multiple of the size of a number
 *  @param[in]  first  >= 0; a multiple of 64 is fastest on a GPU
 *  @param[in]  count  >= 0; nothing happens for 0
 *  @return TSL_OK; TSL_E_ARG if the range leaves the result, or the buffer is too small or not
 *          aligned; TSL_E_DEVICE.
 *
 *  Accuracy, against exact arithmetic on the given coordinates: relative errors are below 1e-13 in
 *  double precision and 1e-6 in single precision (3e-6 from 128 dimensions on). For cosine and
 *  correlation distances below 1 these are absolute errors. hamming and jaccard are correctly
 *  rounded. Squares of small differences underflow: euclidean distances below 1e-15 in single and
 *  1e-150 in double precision are less accurate. Equal points have distance exactly 0. Each element
 *  has the same bits for any range, number of threads and layout.
 *
 *  Close points lose no accuracy, because coordinates are subtracted first. The exception is
 *  euclidean distances of at least 32 coordinates on GPUs, and of at least 64 on processors with
 *  AVX2 and FMA. They are computed from products of points, after the mean of the points is
 *  subtracted. Where this would leave too few digits, or the option `differences` is set,
 *  coordinates are subtracted there too.
 *
 *  Asynchronous on the context's stream. */
TSL_API tsl_status tsl_distance_execute(tsl_distance_plan *plan, tsl_buffer *out, int64_t first,
                                        int64_t count);

/** Receives elements first to first + count - 1, in host memory that is valid during the call.
 *  @return TSL_OK to go on; anything else ends the computation with that status */
typedef tsl_status tsl_distance_take(void *user, int64_t first, int64_t count, const void *values);

/** Compute the whole result in order, in pieces, and hand each piece to `take`. With several ranks
 *  only rank 0 calls `take`.
 *
 *  @param[in] bytes  largest size of a piece, bytes; 0: 64 MiB. A GPU needs memory for two pieces,
 *                    the host for one
 *  @param[in] take   receives the pieces
 *  @param[in] user   passed to `take`
 *  @return TSL_OK; what `take` returned; TSL_E_ARG if bytes < 0; TSL_E_NOMEM; TSL_E_DEVICE; with
 *          several ranks TSL_E_COMM.
 *
 *  Synchronous. */
TSL_API tsl_status tsl_distance_stream(tsl_distance_plan *plan, int64_t bytes,
                                       tsl_distance_take *take, void *user);

/* ---- neighbours ------------------------------------------------------------------------------ */

/** Which pairs of points are neighbours. Initialise with TSL_NEIGHBOR_OPTIONS_INIT. */
typedef struct tsl_neighbor_options {
    size_t size;   /**< sizeof(tsl_neighbor_options) */
    double cutoff; /**< > 0: neighbours are closer than this; ignored if `radii` is given */
    const double
        *box; /**< periodic cell [6]: lengths lx, ly, lz > 0 and tilts xy, xz, yz, so that its
                   edges are (lx, 0, 0), (xy, ly, 0) and (xz, yz, lz); NULL: open space */
    const void *radii; /**< [count] in the points' precision, >= 0: points i and j are neighbours if
                            they are closer than radii[i] + radii[j]; NULL: `cutoff` decides */
    int half;          /**< not 0: each pair once, in the row of the lesser index */
    int sorted;        /**< not 0: indices ascend in each row */
    int direct;        /**< not 0: look at all pairs, without cells */
    int indices_only;  /**< not 0: no distances */
    int in_cells;      /**< not 0: rows and indices are numbers in the order of cells, which `order`
                            gives; `half` and `sorted` then refer to that order */
} tsl_neighbor_options;

#define TSL_NEIGHBOR_OPTIONS_INIT                                                                  \
    {                                                                                              \
        sizeof(tsl_neighbor_options), 0, NULL, NULL, 0, 0, 0, 0, 0                                 \
    }

/** Neighbours of each point, in host memory. The neighbours of point i are indices[k], at
 *  distances[k], for indptr[i] <= k < indptr[i + 1]. */
typedef struct tsl_neighbors {
    int64_t count;     /**< points */
    int64_t *indptr;   /**< [count + 1] */
    int32_t *indices;  /**< [indptr[count]] */
    void *distances;   /**< [indptr[count]] in the points' precision; NULL with `indices_only` */
    int cells[3];      /**< that space was divided into; 1, 1, 1: all pairs were looked at */
    int32_t *order;    /**< [count] with `in_cells`: the point at each place of the order of cells;
                            else NULL */
    double seconds[3]; /**< seconds for sorting into cells, counting, filling */
} tsl_neighbors;

/** Find neighbours. Neighbours are counted first and stored then, so that the arrays cannot
 *  overflow.
 *
 *  Points i != j are neighbours if (dx dx + dy dy) + dz dz < cutoff cutoff, with each operation
 *  rounded in the points' precision. (dx, dy, dz) is p_i - p_j; in a periodic cell it is the
 *  nearest image of that. Images are reduced first along z, then y, then x, as d - rint(d / l) l,
 *  where the quotient is computed with 1 / l. The set of neighbours is therefore the same on every
 *  device, with cells and without.
 *
 *  @param[out] out     owned by the caller: tsl_neighbors_release(); with several ranks, rank 0 has
 *                      all rows, and the others have a count of 0
 *  @param[in]  points  1 to 3 coordinates, 3 in a periodic cell; at most 2147483647 points
 *  @return TSL_OK; TSL_E_ARG if an option is out of range, the cut-off is more than half of a width
 *          of the cell, or a coordinate is not finite or more than 1e6 cut-offs from the origin
 *          (1e4 in single precision); TSL_E_NOMEM; TSL_E_DEVICE; with several ranks TSL_E_COMM.
 *
 *  Synchronous. Rows are in the order of points. Without `sorted`, the order within a row is that
 *  of cells, which is the same on every device. */
TSL_API tsl_status tsl_neighbors_find(tsl_neighbors *out, tsl_context *context,
                                      const tsl_neighbor_options *options,
                                      const tsl_points *points);

/** Release what tsl_neighbors_find() made; NULL is fine. */
TSL_API void tsl_neighbors_release(tsl_neighbors *neighbors);

/** A plan that finds neighbours repeatedly as points move. Its results stay in device memory. */
typedef struct tsl_neighbor_plan tsl_neighbor_plan;

/** Results of a search, in device memory. They are owned by the plan and valid until its next
 *  search. */
typedef struct tsl_neighbor_arrays {
    int64_t entries;        /**< total number of neighbours */
    const int32_t *order;   /**< [count]: the point at each place of the order of cells */
    const int64_t *indptr;  /**< [count + 1] */
    const int32_t *indices; /**< [entries] */
    const void *distances;  /**< [entries] in the points' precision; NULL with `indices_only` */
    int cells[3];           /**< that space was divided into */
} tsl_neighbor_arrays;

/** Prepare to search among `count` points of `dimensions` coordinates of `precision` bytes.
 *
 *  @param[out] out      owned by the caller: tsl_neighbor_plan_destroy()
 *  @param[in]  options  as for tsl_neighbors_find(), but without `sorted`; radii are copied
 *  @return TSL_OK; TSL_E_ARG for options and sizes that tsl_neighbors_find() refuses; TSL_E_NOMEM;
 *          TSL_E_DEVICE.
 *
 *  Synchronous. */
TSL_API tsl_status tsl_neighbor_plan_create(tsl_neighbor_plan **out, tsl_context *context,
                                            const tsl_neighbor_options *options, int64_t count,
                                            int dimensions, int precision);

/** Release a plan and its arrays; NULL is fine. */
TSL_API void tsl_neighbor_plan_destroy(tsl_neighbor_plan *plan);

/** Search for neighbours: sort points into cells, count, fill. The result is that of
 *  tsl_neighbors_find().
 *
 *  @param[out] out     device addresses
 *  @param[in]  points  [count][dimensions], device memory
 *  @return TSL_OK; TSL_E_ARG if the buffer is too small, or for coordinates that
 *          tsl_neighbors_find() refuses; TSL_E_NOMEM; TSL_E_DEVICE. After a failure the plan may
 *          search again.
 *
 *  Memory is allocated only if more neighbours are found than in any search before. The call waits
 *  twice: for the extent of the points and for the number of neighbours. It returns while the lists
 *  are still being filled on the context's stream. */
TSL_API tsl_status tsl_neighbor_plan_execute(tsl_neighbor_arrays *out, tsl_neighbor_plan *plan,
                                             const tsl_buffer *points);

/* ---- pair distribution ----------------------------------------------------------------------- */

/** How to count distances. Initialise with TSL_HISTOGRAM_OPTIONS_INIT. */
typedef struct tsl_histogram_options {
    size_t size;       /**< sizeof(tsl_histogram_options) */
    int bins;          /**< number of bins of equal width, 1 to 1000000 */
    double to;         /**< end of the last bin, > 0; the first bin begins at 0 */
    const double *box; /**< as in tsl_neighbor_options */
    int finite;        /**< not 0: use the density of the other points, (count - 1) / volume */
    int direct;        /**< not 0: look at all pairs, without cells */
} tsl_histogram_options;

#define TSL_HISTOGRAM_OPTIONS_INIT                                                                 \
    {                                                                                              \
        sizeof(tsl_histogram_options), 100, 0, NULL, 0, 0                                          \
    }

/** Histogram of the distances between points, in host memory. */
typedef struct tsl_histogram {
    int bins;
    double *edges;   /**< [bins + 1] */
    int64_t *counts; /**< [bins]: number of distances; the pairs i, j and j, i both count */
    double *g;       /**< [bins], pair distribution function; NULL in open space, where there is no
                          density */
    double volume;   /**< volume of the cell; 0 in open space */
} tsl_histogram;

/** Count the distances of pairs. In a periodic cell also compute their pair distribution function
 *
 *      g_b = counts_b / (count density 4/3 pi (edges_b+1^3 - edges_b^3)),
 *
 *  where density is count / volume, or (count - 1) / volume with `finite`. These are the modes
 *  "exact" and "finite_size" of freud's RDF. A point forms no pair with itself.
 *
 *  The bin of a pair is floor(r (bins / to)) with r = sqrt(r^2). All operations are rounded in the
 *  points' precision, and r^2 is computed as in tsl_neighbors_find(). Counts are therefore the same
 *  on every device.
 *
 *  @param[out] out  owned by the caller: tsl_histogram_release(); the same on all ranks
 *  @return TSL_OK; TSL_E_ARG if an option is out of range, and where tsl_neighbors_find() refuses
 *          the points with a cut-off of `to`; TSL_E_NOMEM; TSL_E_DEVICE; with several ranks
 *          TSL_E_COMM.
 *
 *  Synchronous. Allocates memory only for the points and the bins. */
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

/** How V is changed so that it ends at the cut-off rc. */
typedef enum tsl_shift {
    TSL_SHIFT_NONE = 0,   /**< V(r) unchanged; it ends in a step */
    TSL_SHIFT_ENERGY = 1, /**< V(r) - V(rc) */
    TSL_SHIFT_FORCE = 2   /**< V(r) - V(rc) - (r - rc) V'(rc), whose force ends at 0 too */
} tsl_shift;

/** How to compute energies. Initialise with TSL_ENERGY_OPTIONS_INIT. */
typedef struct tsl_energy_options {
    size_t size; /**< sizeof(tsl_energy_options) */
    tsl_potential potential;
    double epsilon, sigma; /**< for Lennard-Jones: depth and diameter, > 0 */
    double coupling;       /**< for Coulomb and gravity: > 0 */
    const double *charges; /**< [count], charges or masses; NULL: 1 each; copied */
    double cutoff;         /**< > 0; 0: no cut-off, only in open space */
    tsl_shift shift;       /**< other than none: needs a cut-off */
    double skin;           /**< >= 0: lists of neighbours are kept until a point has moved by half
                                of this */
    const double *box;     /**< periodic cell, as in tsl_neighbor_options; copied */
    const int32_t *exclusions; /**< [exclusion_count][2]: pairs of points, numbered from 0, that are
                                    left out; copied */
    int64_t exclusion_count;
    double largest; /**< > 0: largest force that a few points exert on one point, in units of
                         epsilon / sigma, or of coupling times the square of the largest charge */
} tsl_energy_options;

#define TSL_ENERGY_OPTIONS_INIT                                                                    \
    {                                                                                              \
        sizeof(tsl_energy_options), TSL_POTENTIAL_LENNARD_JONES, 1, 1, 1, NULL, 0, TSL_SHIFT_NONE, \
            0, NULL, NULL, 0, 1048576                                                              \
    }

/** Sums over pairs. */
typedef struct tsl_energy {
    double energy;      /**< sum of V over pairs */
    double virial;      /**< sum of r F over pairs, F = -V' */
    double energy_unit; /**< unit of the fixed-point numbers in which energy and virial were
                             summed */
    double force_unit;  /**< unit of the fixed-point numbers in which forces were summed */
    int64_t pairs;      /**< pairs that were computed: all, or those on the list of neighbours */
    int rebuilt;        /**< not 0: the list of neighbours was rebuilt */
} tsl_energy;

/** A plan that computes energies repeatedly as points move. */
typedef struct tsl_energy_plan tsl_energy_plan;

/** Prepare to compute energies of `count` points of three coordinates of `precision` bytes.
 *
 *  @param[out] out      owned by the caller: tsl_energy_plan_destroy()
 *  @param[in]  options  NULL takes the defaults
 *  @return TSL_OK; TSL_E_ARG if an option is out of range, does not go with another, or names a
 *          point that does not exist; TSL_E_NOMEM; TSL_E_DEVICE; with several ranks TSL_E_COMM.
 *
 *  Synchronous. */
TSL_API tsl_status tsl_energy_plan_create(tsl_energy_plan **out, tsl_context *context,
                                          const tsl_energy_options *options, int64_t count,
                                          int precision);

/** Release a plan; NULL is fine. */
TSL_API void tsl_energy_plan_destroy(tsl_energy_plan *plan);

/** Compute energy, virial and forces. Each pair is computed once.
 *
 *  @param[out] out     the sums
 *  @param[out] forces  [count][3], in the points' precision: - dV / dr_i; NULL: not wanted
 *  @param[in]  points  [count][3]
 *  @return TSL_OK; TSL_E_ARG if a buffer is too small, if there is a cut-off and
 *          tsl_neighbors_find() refuses the coordinates with it, or if the forces of a few points
 *          on one exceed `largest` and a sum could overflow; TSL_E_NOMEM; TSL_E_DEVICE; with
 *          several ranks TSL_E_COMM.
 *
 *  Pairs are computed in the points' precision. For each point, partial sums over at most a few
 *  hundred pairs are formed in that precision. They are rounded to whole multiples of the units
 *  above and added as 64-bit integers. A device therefore gives the same bits in each run and for
 *  any number of threads and ranks. GPUs differ from CPUs by rounding. Where only few pairs
 *  contribute to each point, the sum of all forces vanishes to within force_unit. Errors in double
 *  precision are below 1e-12 of the largest force and of the sum of |V|, plus the units; in single
 *  precision below 1e-5.
 *
 *  Synchronous. */
TSL_API tsl_status tsl_energy_execute(tsl_energy *out, tsl_energy_plan *plan, tsl_buffer *forces,
                                      const tsl_buffer *points);

/* ---- nearest points -------------------------------------------------------------------------- */

/** Find the k nearest other points of each point, in Euclidean distance and open space.
 *
 *  @param[out] indices    [count][k], in ascending order of distance; of equally distant points the
 *                         smaller index comes first; -1 where there are fewer than k other points
 *  @param[out] distances  [count][k] in the points' precision, infinity where the index is -1;
 *                         NULL: not wanted. With several ranks, rank 0 has the results. The other
 *                         ranks need arrays of the same size, whose contents are undefined
 *                         afterwards
 *  @param[in]  k          1 to 96
 *  @param[in]  points     at most 2147483647, of any number of coordinates
 *  @return TSL_OK; TSL_E_ARG for another k, or if a coordinate is not finite or so large that
 *          squares could overflow; TSL_E_NOMEM; TSL_E_DEVICE; with several ranks TSL_E_COMM.
 *
 *  The order is that of sum (u - v)^2, computed in double precision from the given coordinates. It
 *  is exact except for the rounding of that sum, and the same on every device except for points
 *  whose distances agree to 1e-15. Allocates memory for the points and for k + 16 candidates of
 *  each, not for all distances.
 *
 *  Synchronous. */
TSL_API tsl_status tsl_nearest_find(int32_t *indices, void *distances, tsl_context *context, int k,
                                    const tsl_points *points);

/* ---- triplets -------------------------------------------------------------------------------- */

/** How blocks of a GPU are mapped to triples of points. */
typedef enum tsl_triplet_map {
    TSL_TRIPLETS_TETRAHEDRON = 0, /**< only blocks that hold triples i >= j >= k */
    TSL_TRIPLETS_CUBE = 1         /**< all blocks of the cube; those without such triples end at
                                       once */
} tsl_triplet_map;

/** Axilrod-Teller energy of all triples of points,
 *
 *      sum over i < j < k of nu (1 + 3 cos a cos b cos c) / (r_ij r_jk r_ki)^3,
 *
 *  where a, b and c are the angles of the triangle (Axilrod and Teller, J. Chem. Phys. 11, 299
 *  (1943)).
 *
 *  @param[out] energy  the sum
 *  @param[in]  nu      strength, finite, energy times length^9
 *  @param[in]  map     changes the speed on a GPU only, never the result
 *  @param[in]  points  of three coordinates, at most 65536
 *  @return TSL_OK; TSL_E_ARG if nu or a coordinate is not finite or there are more points;
 *          TSL_E_NOMEM; TSL_E_DEVICE; with several ranks TSL_E_COMM.
 *
 *  Computed and summed in double precision: the error is below 1e-12 of the sum of the absolute
 *  terms. The result is infinite or not a number if points coincide. It has the same bits for any
 *  number of threads and ranks. Synchronous. */
TSL_API tsl_status tsl_triplets_energy(double *energy, tsl_context *context, double nu,
                                       tsl_triplet_map map, const tsl_points *points);

#ifdef __cplusplus
}
#endif

#endif
