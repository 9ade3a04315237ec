/** @file dock.h
 *  Rigid-body protein docking by FFT correlation, with one of two scores.
 *
 *  TSL_SCORE_FTDOCK is the method of FTDock 2.0, described here. TSL_SCORE_COMPLEMENTARITY is
 *  described at tsl_complementarity.
 *
 *  Both molecules are placed on a cubic grid of N^3 cells. A cell of the receptor is 1 in its
 *  surface layer, `core` (-15) inside and 0 outside. A cell of the ligand is 1 within 1.8 angstrom
 *  of an atom. For each rotation of the ligand, an FFT computes the shape score of every
 *  translation s:
 *
 *      score(s) = sum_r receptor(r + s) * ligand(r)            (an integer)
 *
 *  Of the translations whose electrostatic energy is negative, the `keep` with the best scores are
 *  kept:
 *
 *      energy(s) = sum_r phi(r + s) * charge(r),   phi = sum_i q_i / (eps(r_i) r_i)
 *
 *  Here r_i is the distance from atom i of the receptor, and eps is 4 up to 6 angstrom, 38 r - 224
 *  up to 8 angstrom and 80 beyond. In the core phi = 0.
 *
 *  The results have the same bits on every device and for any number of threads, ranks and batches.
 *  The cells that atoms fill follow from explicit roundings to single precision, as in FTDock 2.0.
 *  Charges and potential are fixed-point numbers, and scores are integers. The transform is rounded
 *  to integers only where its measured error is below 1/4. A total order decides between equal
 *  scores.
 *
 *  Sources: Katchalski-Katzir et al., PNAS 89 (1992) 2195; Gabb, Jackson & Sternberg, J. Mol. Biol.
 *  272 (1997) 106; FTDock 2.0 (3D-Dock suite, 2001).
 */
#ifndef TESELA_DOCK_H
#define TESELA_DOCK_H

#include <stddef.h>
#include <stdint.h>

#include "tesela/context.h"
#include "tesela/molecule.h"

#ifdef __cplusplus
extern "C" {
#endif

/** A rotation Rz(phi) Ry(theta) Rz(twist), applied to column vectors. Angles are integers in units
 *  of 1e-6 degree, so that a rotation that was printed and read again is the same. */
typedef struct tsl_rotation {
    int32_t twist; /**< about z, first; 0 <= twist < 360 000 000 */
    int32_t theta; /**< about y; 0 <= theta <= 180 000 000 */
    int32_t phi;   /**< about z, last; 0 <= phi < 360 000 000 */
} tsl_rotation;

/** A placement of the ligand and what it scores. */
typedef struct tsl_pose {
    int32_t score;    /**< shape score; 0 marks an empty slot */
    int32_t shift[3]; /**< translation of the ligand in cells, each in (-N/2, N/2] */
    tsl_rotation rotation;
    double energy; /**< electrostatic energy, e^2/angstrom; 0 without electrostatics. In FTDock's
                        form it has no physical scale: only ratios mean something */
} tsl_pose;

/** Which electrostatic energy decides whether a pose qualifies. */
typedef enum tsl_electrostatics {
    TSL_ELECTROSTATICS_OFF = 0, /**< every pose qualifies */
    TSL_ELECTROSTATICS_FTDOCK =
        1, /**< FTDock 2.0's form, which contains an error that its published lists depend on. It
                spreads a charge over 8 cells with the weights (1/2 -+ (f - N)) along each axis. f,
                in [-1/2, 1/2], is the offset of the charge from the corner that the cells share.
                The weights add up to 1, but the energy follows the third difference of the
                potential, not the potential */
    TSL_ELECTROSTATICS_TRILINEAR = 2 /**< the intended form: trilinear weights (1/2 -+ f) */
} tsl_electrostatics;

/** The score of a pose. */
typedef enum tsl_dock_score {
    TSL_SCORE_FTDOCK = 0, /**< FTDock 2.0's shape score. It finds poses, but ranks them poorly */
    TSL_SCORE_COMPLEMENTARITY = 1 /**< see tsl_complementarity */
} tsl_dock_score;

/** Number of atom types in a table of contact potentials. The types are those of Zhang et al.
 *  (1997), in their order.
 */
enum { TSL_CONTACT_TYPE_COUNT = 18 };

/** Decides whether a pose may be kept. tsl_dock_search() calls it for each pose whose score is good
 *  enough, from the thread that called tsl_dock_search(), on the rank that found the pose. It must
 *  give the same answer on all ranks.
 *  @param motion  shape [3][4], as from tsl_pose_motion()
 *  @return 0 to refuse the pose; anything else to keep it */
typedef int (*tsl_dock_filter)(void *user, const double motion[3][4]);

/** Parameters of the complementarity score. Over the ligand's atoms j and the receptor's atoms i
 *
 *      S = P - clash C - electrostatics E - contacts D
 *
 *      P = number of pairs (i, j) with |x_j - x_i| <= r_i + 3.6 angstrom, j outside of the
 *          receptor's clash                            (pairwise shape complementarity)
 *      C = 9 sum over cells of receptor's clash * ligand's clash; the clash of a molecule is
 *          3 within sqrt(3/2) r of a buried atom and 1 within sqrt(4/5) r of a surface atom;
 *          for a cell edge h other than 1.2 angstrom C is multiplied by (h / 1.2)^3
 *      E = 332 sum_ij q_i q_j / (eps(r_ij) r_ij) kcal/mol, with FTDock's eps, up to
 *          15 angstrom, j outside of the receptor's clash
 *      D = sum over pairs within 6 angstrom of table[type of i][type of j]
 *
 *  Each atom j is placed at the centre of the cell that holds it. The radii r are 1.88 (C), 1.65
 *  (N), 1.5 (O) and 1.9 (S) angstrom. An atom is at the surface if its solvent-accessible surface
 *  (probe of radius 1.4 angstrom) is larger than 1 angstrom^2. Charges are +0.3 e for the
 *  backbone's N (not of proline) and -0.3 e for its O; +1 e for NZ of lysine; +0.5 e for NH1 and
 *  NH2 of arginine; -0.5 e for OD1 and OD2 of aspartate and OE1 and OE2 of glutamate. The table is
 *  replaced by its best approximation of rank 5. A pose's score is 32 S, rounded; poses that score
 *  less than 4096 are not kept. Its energy is E / 332 kcal/mol.
 *
 *  All sums are sums of integers. The transform only proposes poses: each cell whose value, within
 *  a bound on the transform's error, could reach the last pose kept is summed again. Poses
 *  therefore have the same bits on every device and for any number of threads, ranks and batches. A
 *  weight or cell so large that a field of the receptor exceeds 16 bits is TSL_E_ARG: for the
 *  clash, weight (h / 1.2)^3 may be at most 4.7.
 *
 *  Sources: Chen & Weng, Proteins 51 (2003) 397; Zhang, Vasmatzis, Cornette & DeLisi, J. Mol. Biol.
 *  267 (1997) 707; Kozakov, Brenke, Comeau & Vajda, Proteins 65 (2006) 392. */
typedef struct tsl_complementarity {
    double clash;          /**< weight of C, 0 to 100 */
    double electrostatics; /**< weight of E, 0 to 100 per kcal/mol */
    double contacts;       /**< weight of D, 0 to 100 */
    const double *table;   /**< shape [18][18], symmetric; borrowed: must outlive the plan; NULL:
                                the library's own table */
    const uint8_t *blocked[2]; /**< for receptor and ligand, shape [atoms] each, or NULL. An atom
                                    marked 1 only has clash, and each of its pairs counts -1.
                                    Borrowed: must outlive the plan. TSL_E_ARG if both molecules
                                    have such atoms */
    tsl_dock_filter filter;    /**< poses that it refuses are left out, and other poses take their
                                    places; NULL: none. A rotation takes long if the filter refuses
                                    many high-scoring poses, because each is found and scored
                                    first */
    void *filter_user;
    const uint8_t *restrained[2]; /**< a restraint: for receptor and ligand, shape [atoms] each, or
                                       both NULL. Atoms that are not 0 are named. A pose is kept
                                       only if a named atom of the receptor is within `within` of a
                                       named atom of the ligand. Borrowed: must outlive the plan.
                                       TSL_E_ARG if only one is given or no atom is named */
    double within;                /**< largest distance of the restraint, angstrom, above 0 and at
                                       most 100 */
} tsl_complementarity;

/** How the correlation is computed. The poses are the same in all ways. */
typedef enum tsl_correlation {
    TSL_CORRELATION_LINES = 0,   /**< line by line, without the lines that are zero. The product and
                                      the search for the largest cells are done while lines are in
                                      on-chip memory */
    TSL_CORRELATION_PLAIN = 1,   /**< by complete three-dimensional transforms of FFTW or cuFFT:
                                      several times slower, for checks and comparisons */
    TSL_CORRELATION_STRIDED = 2, /**< on the CPU: line by line, with the strided lines of the slower
                                      axes transformed in place. TSL_CORRELATION_LINES measures
                                      whether this or TSL_CORRELATION_TRANSPOSED is faster */
    TSL_CORRELATION_TRANSPOSED = 3 /**< on the CPU: all lines of the slower axes are transposed to
                                        contiguous ones, transformed and transposed back */
} tsl_correlation;

/** Automatic grid sizes for tsl_dock_options.grid. */
enum {
    TSL_GRID_SMOOTH = 0, /**< FTDock's size, rounded up to an even product of 2, 3, 5 and 7 */
    TSL_GRID_FTDOCK = -1 /**< FTDock's size: span / 0.7 angstrom, truncated, made even */
};

/** How to dock. Initialise with TSL_DOCK_OPTIONS_INIT or, for the method of FTDock 2.0,
 *  TSL_DOCK_OPTIONS_FTDOCK. */
typedef struct tsl_dock_options {
    size_t size; /**< sizeof(tsl_dock_options) */
    int grid;    /**< N, even, 8 <= N <= 1024, or TSL_GRID_SMOOTH, TSL_GRID_FTDOCK */
    tsl_correlation correlation;
    double spacing; /**< edge of a cell, angstrom; 0: span / N. With a spacing and an automatic
                         grid, N is the smallest number of cells that holds the span */
    double surface; /**< thickness of the receptor's surface layer, angstrom, > 0 */
    int core;       /**< value of a core cell, -1000 <= core <= -1 */
    tsl_electrostatics electrostatics;
    int keep;             /**< poses kept per rotation, 1 <= keep <= 64 */
    int batch;            /**< rotations computed at a time, 1 <= batch <= 4096; 0: what suits the
                               device */
    int64_t memory;       /**< largest number of bytes to allocate; 0: no bound. The batch is
                               reduced to fit */
    tsl_dock_score score; /**< with TSL_SCORE_COMPLEMENTARITY the fields `surface`, `core` and
                               `electrostatics` have no effect, and the automatic spacing is 1.2
                               angstrom */
    tsl_complementarity complementarity;
} tsl_dock_options;

#define TSL_DOCK_OPTIONS_OF(score, keep)                                                           \
    {                                                                                              \
        sizeof(tsl_dock_options), TSL_GRID_SMOOTH, TSL_CORRELATION_LINES, 0.0, 1.3, -15,           \
            TSL_ELECTROSTATICS_FTDOCK, keep, 0, 0, score,                                          \
        {                                                                                          \
            0.5, 3.0, 2.0, NULL, {NULL, NULL}, NULL, NULL, {NULL, NULL}, 0.0                       \
        }                                                                                          \
    }

/** Score by complementarity, and keep the best pose of each rotation. */
#define TSL_DOCK_OPTIONS_INIT TSL_DOCK_OPTIONS_OF(TSL_SCORE_COMPLEMENTARITY, 1)

/** Score as FTDock 2.0, and keep the best three poses of each rotation. */
#define TSL_DOCK_OPTIONS_FTDOCK TSL_DOCK_OPTIONS_OF(TSL_SCORE_FTDOCK, 3)

/** The values that a plan uses. With several ranks, each has its own `batch`, `bytes` and
 *  `transposed`; the other values are the same on all ranks after a search. */
typedef struct tsl_dock_summary {
    int grid;                  /**< N */
    double spacing;            /**< edge of a cell, angstrom */
    double span;               /**< edge of the grid, angstrom: 1 + 2 (R_receptor + R_ligand) unless
                                    a spacing was asked for */
    int batch;                 /**< rotations computed at a time */
    int64_t bytes;             /**< largest number of bytes that the plan takes, on host and device
                                    together, also while it is made; records of some kilobytes are
                                    not counted */
    int double_precision;      /**< 1 if the transforms of any rank are in double precision, else
                                    0 */
    int transposed;            /**< axes of the CPU's transforms whose lines are transposed: 0:
                                    none, 1: the first, 2: the second, 3: both; 0 until the
                                    transforms are planned */
    double transform_error;    /**< largest error of the transform so far: the distance of its
                                    values from integers or, for complementarity, from the exact
                                    sums */
    double transform_bound;    /**< bound on transform_error with which poses are exact: 1/4, or the
                                    proved bound */
    int64_t surface_cells;     /**< cells of the receptor's surface layer */
    int64_t core_cells;        /**< cells of its core */
    double receptor_centre[3]; /**< mean of the receptor's positions, angstrom */
    double ligand_centre[3];   /**< mean of the ligand's positions, angstrom */
} tsl_dock_summary;

/** A pair of molecules prepared for docking: grids, spectra and transforms. */
typedef struct tsl_dock_plan tsl_dock_plan;

/** Prepare a pair of molecules for docking.
 *
 *  If the context belongs to a communicator of several ranks, all ranks call this with the same
 *  pair and options; only the batch may differ. They compute the receptor's potential together. If
 *  one rank lacks something, all ranks return its status and error line before any of them computes
 *  for long. A failure during the computation is published (tsl_comm_fail()), and the ranks that
 *  have not failed themselves return TSL_E_COMM. A CPU beside GPUs allocates the memory of its
 *  transforms here, but plans them in tsl_dock_search(), while the GPUs compute. If this planning
 *  fails, the search fails.
 *
 *  @param[out] out       the plan, owned by the caller: tsl_dock_plan_destroy()
 *  @param[in]  receptor  the molecule that stays; borrowed: must outlive the plan
 *  @param[in]  ligand    the molecule that moves; borrowed: must outlive the plan
 *  @param[in]  options   NULL takes the defaults
 *  @return TSL_OK; TSL_E_ARG if an option is out of range, or if the cells are so wide that the
 *          receptor would have no surface layer; TSL_E_NOMEM if memory, or the bound on it, is too
 *          small (the message says what is needed); TSL_E_DEVICE; with several ranks also
 *          TSL_E_COMM. Collective.
 */
TSL_API tsl_status tsl_dock_plan_create(tsl_dock_plan **out, tsl_context *context,
                                        const tsl_molecule *receptor, const tsl_molecule *ligand,
                                        const tsl_dock_options *options);

/** Prepare an existing plan for another pair, with the plan's options. Transforms are reused if N
 *  is the same. The receptor's grids and spectrum are reused if receptor, N and spacing are the
 *  same. After a failure the plan can only be updated again or destroyed. Errors are those of
 *  tsl_dock_plan_create(). Collective. */
TSL_API tsl_status tsl_dock_plan_update(tsl_dock_plan *plan, const tsl_molecule *receptor,
                                        const tsl_molecule *ligand);

/** Release a plan; NULL is fine. */
TSL_API void tsl_dock_plan_destroy(tsl_dock_plan *plan);

/** Read the values that the plan uses. `out` is filled completely. */
TSL_API void tsl_dock_plan_summary(const tsl_dock_plan *plan, tsl_dock_summary *out);

/** The rotations that FTDock uses for an angle step. theta takes the multiples of the step from 0
 *  to 180. At the poles (theta = 0 and 180) there is one phi. Elsewhere the step of phi is
 *  acos((cos step - cos^2 theta) / sin^2 theta), truncated to whole degrees and lowered until it
 *  divides 360. twist takes the multiples of the step from 0 up to, not including, 360. twist
 *  varies fastest, then phi, then theta.
 *
 *  @param[out] rotations  shape [tsl_rotations_step(NULL, step)]; NULL: only count
 *  @param[in]  step       degrees, >= 9, a divisor of 180
 *  @return the number of rotations (9240 at 12 degrees), or TSL_E_ARG
 */
TSL_API int64_t tsl_rotations_step(tsl_rotation *rotations, int step);

/** `count` rotations spread evenly over SO(3): super-Fibonacci spirals (M. Alexa, CVPR 2022),
 *  rounded to 1e-6 degree.
 *  @param[out] rotations  shape [count]
 *  @return TSL_OK; TSL_E_ARG if count < 1 */
TSL_API tsl_status tsl_rotations_spiral(tsl_rotation *rotations, int64_t count);

/** The rotation of a quaternion w + x i + y j + z k, of any length but 0, rounded to 1e-6 degree.
 *  @param[in] quaternion  shape [4]: w, x, y, z
 *  @return TSL_OK; TSL_E_ARG if its length is 0 or not finite */
TSL_API tsl_status tsl_rotation_of_quaternion(tsl_rotation *rotation, const double quaternion[4]);

/** Called after each batch of a search, from the thread that called tsl_dock_search(). With several
 *  ranks, the rank that computed the batch calls it, with that rank's `user`.
 *  @param first  index of the first rotation of the batch
 *  @param count  rotations in the batch
 *  @param poses  shape [count][keep], final
 *  @return 0 to go on; anything else ends the search with TSL_E_CANCELLED, on all ranks */
typedef int (*tsl_dock_progress)(void *user, int64_t first, int64_t count, const tsl_pose *poses);

/** Search all translations of each rotation.
 *
 *  If the plan's context belongs to a communicator of several ranks, all ranks call this with the
 *  same pair, options, rotations and count. They divide the rotations among themselves during the
 *  search, so that devices of different speeds finish together. On return each rank has all poses,
 *  with the same bits as from one rank alone.
 *
 *  @param[out] poses      shape [count][keep]: for each rotation the best poses that qualify, in
 *                         descending order of score. Poses of equal score have the order in which
 *                         FTDock scans x, y, z (x slowest; shifts from 0 to N/2, then the negative
 *                         ones).
 *                         Empty slots have score 0 and shift 0
 *  @param[in]  rotations  shape [count]
 *  @param[in]  progress   may be NULL
 *  @return TSL_OK; TSL_E_ARG; TSL_E_DEVICE; TSL_E_CANCELLED (`poses` then holds the finished
 *          batches of all ranks). With several ranks, a failure of one is published
 *          (tsl_comm_fail()), and those that have not failed themselves return TSL_E_COMM after
 *          their current batch. A search that was cancelled leaves the communicator usable.
 *
 *  Accuracy: scores are exact. Synchronous: results are complete on return. Collective. */
TSL_API tsl_status tsl_dock_search(tsl_dock_plan *plan, tsl_pose *poses,
                                   const tsl_rotation *rotations, int64_t count,
                                   tsl_dock_progress progress, void *user);

/** Score given poses by summing over cells directly, without a transform. Several ranks divide the
 *  poses as in tsl_dock_search(), and each has all scores on return.
 *
 *  @param[in,out] poses  shape [count]; rotation and shift are read, score and energy are written
 *  @return TSL_OK; TSL_E_ARG if a shift is outside (-N/2, N/2] (the message gives its index);
 *          TSL_E_DEVICE; with several ranks also TSL_E_COMM. Synchronous. Collective. */
TSL_API tsl_status tsl_dock_rescore(tsl_dock_plan *plan, tsl_pose *poses, int64_t count);

/** Potentials of pairs of atoms. The energy of a pose is a sum over the receptor's atoms i and the
 *  ligand's atoms j:
 *
 *      V = sum_ij values[b][type of i][type of j],   b the first bin with |x_j - x_i| <= edges[b]
 *
 *  A pair beyond the last edge adds 0, and so does an atom without a type, such as one of a nucleic
 *  acid. The types are those of tsl_complementarity.table. Initialise with
 *  TSL_PAIR_POTENTIALS_INIT, which selects the library's own potentials. These were fitted for use
 *  together with the complementarity score, and V is subtracted from that score
 *  (tsl_dock_rerank()). */
typedef struct tsl_pair_potentials {
    size_t size;          /**< sizeof(tsl_pair_potentials) */
    int bins;             /**< 1 <= bins <= TSL_PAIR_BINS */
    const double *edges;  /**< shape [bins]: outer ends of the bins, angstrom, ascending, 2 to 12 */
    const double *values; /**< shape [bins][18][18], each symmetric, of magnitude up to 100; NULL:
                               the library's own, and `bins` and `edges` have no effect */
} tsl_pair_potentials;

/** Largest number of bins of pair potentials. */
enum { TSL_PAIR_BINS = 16 };

#define TSL_PAIR_POTENTIALS_INIT                                                                   \
    {                                                                                              \
        sizeof(tsl_pair_potentials), 0, NULL, NULL                                                 \
    }

/** Compute the energies of poses from potentials of pairs of atoms. All sums are sums of integers,
 *  so the energies have the same bits on every device and for any order of the atoms.
 *
 *  Positions are those of tsl_pose_motion(), relative to the receptor's centre and rounded to 2^-10
 *  angstrom. The bin of a pair follows from them exactly. Potentials are rounded to 2^-8.
 *
 *  @param[in]  plan        of the pair; atoms marked in `blocked` are left out
 *  @param[in]  poses       shape [count]; rotation and shift are read
 *  @param[in]  potentials  NULL takes the library's own
 *  @param[out] energies    shape [count]: 2^8 V
 *  @return TSL_OK; TSL_E_ARG if a pose or a potential is out of range; TSL_E_NOMEM; TSL_E_DEVICE.
 *          Synchronous. Not collective: each rank that calls it computes all energies. */
TSL_API tsl_status tsl_dock_pair_energies(tsl_dock_plan *plan, const tsl_pose *poses, int64_t count,
                                          const tsl_pair_potentials *potentials, int64_t *energies);

/** Rank poses again with pair potentials. The energy V is subtracted from the score of each pose,
 *  whose unit is 1/32. Then the poses are sorted in the order of tsl_poses_sort().
 *
 *  @param[in,out] poses  shape [count], scored by complementarity; on return each has the score 32
 *                        (S - V), rounded
 *  @param[out]    from   shape [count]: the previous index of each pose
 *  @return TSL_OK; TSL_E_ARG also for a plan with FTDock's score, for which no potentials were
 *          fitted; other errors as for tsl_dock_pair_energies(). Synchronous. Not collective. */
TSL_API tsl_status tsl_dock_rerank(tsl_dock_plan *plan, tsl_pose *poses, int64_t count,
                                   const tsl_pair_potentials *potentials, int64_t *from);

/** Sort poses into FTDock's order: by score, then x, y, z of the shift, then twist, theta, phi, all
 *  descending. */
TSL_API void tsl_poses_sort(tsl_pose *poses, int64_t count);

/** Group poses into clusters, greedily. The first pose and all poses within `radius` of it form a
 *  cluster; then the first of the remaining poses starts the next one. The distance of two poses is
 *  the root mean square distance of the ligand's atoms.
 *
 *  @param[in,out] poses   shape [count], the best first; on return the first pose of each cluster,
 *                         in order
 *  @param[in]     radius  angstrom, > 0
 *  @param[in]     most    largest number of clusters, >= 1; poses of further clusters are left out
 *  @param[out]    from    shape [count]: the previous index of each pose returned
 *  @param[out]    sizes   shape [count]: number of poses in each cluster
 *  @return the number of clusters; TSL_E_ARG or TSL_E_NOMEM (negative) */
TSL_API int64_t tsl_poses_cluster(const tsl_dock_plan *plan, tsl_pose *poses, int64_t count,
                                  double radius, int64_t most, int64_t *from, int64_t *sizes);

/** The rigid motion of a pose: x'_i = sum_k matrix[i][k] x_k + matrix[i][3], k = 0 to 2. It takes
 *  the ligand's positions, as read, to the frame of the receptor's positions, as read.
 *  @param[out] matrix  shape [3][4], the last column in angstrom */
TSL_API void tsl_pose_motion(const tsl_dock_plan *plan, const tsl_pose *pose, double matrix[3][4]);

#ifdef __cplusplus
}
#endif

#endif
