/** @file dock.h
 *  Rigid-body protein docking by FFT correlation, with one of two scores.
 *
 *  TSL_SCORE_FTDOCK is the method of FTDock 2.0.
 *
 *  Both molecules are laid on a cubic grid of N^3 cells. A cell of the receptor is 1 in its surface
 *  layer, `core` (-15) inside, 0 outside; a cell of the ligand is 1 within 1.8 angstrom of an atom.
 *  For each rotation of the ligand the shape score of every translation s is
 *
 *      score(s) = sum_r receptor(r + s) * ligand(r)            (an integer)
 *
 *  by FFT, and the best `keep` of those whose electrostatic energy is negative are kept:
 *
 *      energy(s) = sum_r phi(r + s) * charge(r),   phi = sum_i q_i / (eps(r_i) r_i)
 *
 *  with eps = 4 up to 6 angstrom, 38 r - 224 up to 8, 80 beyond, and phi = 0 in the core.
 *
 *  The answer is the same, bit for bit, on every device, for any number of threads and ranks and
 *  any batch:
 *  the cells that atoms fill are decided by FTDock 2.0's roundings to single precision, each of
 * them explicit; charges and potential are fixed-point numbers, scores are integers (the transform
 * is rounded only where its error is proven by measurement to be below 1/4), and ties are broken by
 * a total order.
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

/** A rotation Rz(phi) Ry(theta) Rz(twist), acting on column vectors; angles in 1e-6 degree, so that
 *  a printed rotation is the rotation. */
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
    double energy; /**< electrostatic energy in e^2/angstrom, 0 without electrostatics; in FTDock's
                      form it has no physical scale, only ratios mean something */
} tsl_pose;

/** Which electrostatic energy decides whether a pose qualifies. */
typedef enum tsl_electrostatics {
    TSL_ELECTROSTATICS_OFF = 0, /**< every pose qualifies */
    TSL_ELECTROSTATICS_FTDOCK =
        1, /**< FTDock 2.0's, whose published lists rest on a slip: the weights
with which a charge is spread over 8 cells are (1/2 -+ (f - N)) along each axis, f in
[-1/2, 1/2] being its offset from the corner the cells share. They add up to 1, yet follow
the third difference of the potential rather than the potential */
    TSL_ELECTROSTATICS_TRILINEAR = 2 /**< what was meant: weights (1/2 -+ f) */
} tsl_electrostatics;

/** What a pose is scored by. */
typedef enum tsl_dock_score {
    TSL_SCORE_FTDOCK = 0, /**< FTDock 2.0's shape score. It finds poses, but ranks them poorly */
    TSL_SCORE_COMPLEMENTARITY = 1 /**< see tsl_complementarity */
} tsl_dock_score;

/** Types of atoms of a table of contact potentials: those of Zhang et al. (1997), in their order.
 */
enum { TSL_CONTACT_TYPE_COUNT = 18 };

/** May a pose stand? Called by tsl_dock_search() for poses good enough to be kept, from the thread
 *  that called it, on the rank that found them; it answers alike on all ranks.
 *  @param motion  shape [3][4], as of tsl_pose_motion() */
typedef int (*tsl_dock_filter)(void *user, const double motion[3][4]);

/** The score of complementarity. Over the ligand's atoms j and the receptor's atoms i
 *
 *      S = P - clash C - electrostatics E - contacts D
 *
 *      P = number of pairs (i, j) with |x_j - x_i| <= r_i + 3.6 angstrom, j outside of the
 *          receptor's clash                            (pairwise shape complementarity)
 *      C = 9 sum over cells of receptor's clash * ligand's clash, each 3 within sqrt(3/2) r of a
 *          buried atom, 1 within sqrt(4/5) r of one at the surface; cells of another edge h than
          1.2 angstrom count (h / 1.2)^3
 *      E = 332 sum_ij q_i q_j / (eps(r_ij) r_ij) kcal/mol, with the eps of FTDock, to 15 angstrom,
 *          j outside of the receptor's clash
 *      D = sum over pairs within 6 angstrom of table[type of i][type of j]
 *
 *  Each atom j counts at the centre of the cell that holds it; radii r are 1.88 (C), 1.65 (N), 1.5
 *  (O) and 1.9 (S) angstrom; an atom is at the surface if more than 1 angstrom^2 of it are reached
 *  by the middle of a probe of 1.4; charges are +0.3 and -0.3 e for the backbone's N (not of
 *  proline) and O, +1 for NZ of lysine, +-0.5 for NH1, NH2 of arginine, OD1, OD2 of aspartate and
 *  OE1, OE2 of glutamate. Of the table the five products that come nearest to it are used. A pose's
 *  score is 32 S, rounded, and at least 4096; its energy is E / 332 kcal/mol.
 *
 *  All is summed in integers. The transform only proposes: every cell whose value is within a bound
 *  on the transform's error of the last pose kept is summed again, so that poses have the same bits
 *  on every device, for any number of threads and ranks and any batch. Weights and cells so large
 *  that a field of the receptor leaves 16 bits are TSL_E_ARG: of the clash, weight (h / 1.2)^3 is
 at
 *  most 4.7.
 *
 *  Sources: Chen & Weng, Proteins 51 (2003) 397; Zhang, Vasmatzis, Cornette & DeLisi, J. Mol. Biol.
 *  267 (1997) 707; Kozakov, Brenke, Comeau & Vajda, Proteins 65 (2006) 392. */
typedef struct tsl_complementarity {
    double clash;          /**< weight of C, 0 to 100 */
    double electrostatics; /**< weight of E, 0 to 100 per kcal/mol */
    double contacts;       /**< weight of D, 0 to 100 */
    const double *table;   /**< shape [18][18], symmetric; borrowed: must outlive the plan; NULL is
                                the library's own */
    const uint8_t *blocked[2]; /**< of receptor and ligand, shape [atoms], or NULL: atoms that are 1
                                    have clash alone, and each of their pairs counts -1.
                                    Borrowed: must outlive the plan. Atoms of both molecules
                                    blocked: TSL_E_ARG */
    tsl_dock_filter filter;    /**< poses that it refuses are passed over, so that others take their
                                    places; NULL: none. A rotation takes long where it refuses many
                                    poses that score well: each is found and scored first */
    void *filter_user;
    const uint8_t *restrained[2]; /**< a restraint: of receptor and ligand, shape [atoms], or both
                                       NULL. Atoms that are not 0 are named; a pose is kept only if
                                       a named atom of the receptor is within `within` of a named
                                       one of the ligand. Borrowed: must outlive the plan. One
                                       alone, or none named: TSL_E_ARG */
    double within;                /**< angstrom, above 0 and at most 100 */
} tsl_complementarity;

/** How the correlation is computed; the poses are the same. */
typedef enum tsl_correlation {
    TSL_CORRELATION_LINES = 0, /**< line by line, only those that matter, the product and the search
                                    for the largest cells while lines are on chip */
    TSL_CORRELATION_PLAIN = 1, /**< by whole transforms of FFTW or cuFFT: several times slower,
                                    there to check and to compare with */
    TSL_CORRELATION_STRIDED = 2,   /**< on the CPU: line by line, columns of the slower axes as they
                                        lie, where TSL_CORRELATION_LINES measures which is faster */
    TSL_CORRELATION_TRANSPOSED = 3 /**< on the CPU: all of them transposed into contiguous lines,
                                        transformed, transposed back */
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
    double spacing; /**< edge of a cell, angstrom; 0 = span / N. With a spacing and an automatic
                         grid, N is the smallest that holds the span */
    double surface; /**< thickness of the receptor's surface layer, angstrom, > 0 */
    int core;       /**< value of a core cell, -1000 <= core <= -1 */
    tsl_electrostatics electrostatics;
    int keep;             /**< poses kept per rotation, 1 <= keep <= 64 */
    int batch;            /**< rotations in flight, 1 <= batch <= 4096; 0 = what suits the device */
    int64_t memory;       /**< bound on the bytes taken, 0 = none; the batch shrinks to fit */
    tsl_dock_score score; /**< with TSL_SCORE_COMPLEMENTARITY `surface`, `core` and `electrostatics`
                               are without effect, and an automatic spacing is 1.2 angstrom */
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

/** Poses ranked by complementarity, the best of each rotation. */
#define TSL_DOCK_OPTIONS_INIT TSL_DOCK_OPTIONS_OF(TSL_SCORE_COMPLEMENTARITY, 1)

/** FTDock 2.0's score, and the three poses of a rotation that it keeps. */
#define TSL_DOCK_OPTIONS_FTDOCK TSL_DOCK_OPTIONS_OF(TSL_SCORE_FTDOCK, 3)

/** What a plan settled on. Of several ranks `batch`, `bytes` and `transposed` are each its own; the
 *  others are the same on all after a search. */
typedef struct tsl_dock_summary {
    int grid;                  /**< N */
    double spacing;            /**< edge of a cell, angstrom */
    double span;               /**< edge of the grid, angstrom: 1 + 2 (R_receptor + R_ligand) unless
                                    a spacing was asked for */
    int batch;                 /**< rotations in flight */
    int64_t bytes;             /**< memory the plan takes at most, host and device together, while
                                    it is made too; records of some kilobytes are not counted */
    int double_precision;      /**< 1 if the transforms are double, of any rank, else 0 */
    int transposed;            /**< axes of the CPU's transforms that go by way of transposed
                                    lines: 0 none, 1 the first, 2 the second, 3 both;
                                    0 until they are planned */
    double transform_error;    /**< largest distance seen so far of a transform's value from an
                                    integer or, of complementarity, from the exact sum */
    double transform_bound;    /**< what that stays below, so that poses are exact: 1/4, or the
                                    proved bound */
    int64_t surface_cells;     /**< cells of the receptor's surface layer */
    int64_t core_cells;        /**< cells of its core */
    double receptor_centre[3]; /**< mean of the receptor's positions, angstrom */
    double ligand_centre[3];   /**< mean of the ligand's positions, angstrom */
} tsl_dock_summary;

/** A prepared pair: grids, spectra and transforms. */
typedef struct tsl_dock_plan tsl_dock_plan;

/** Prepare a pair.
 *
 *  If the context belongs to a communicator of several ranks, all of them call this, with equal
 *  pairs and options but for the batch, and sum the receptor's potential together. What one of them
 *  lacks is the outcome of all, with its line, before any of them computes for long; what fails
 *  while they compute is published (tsl_comm_fail()), and those that have not failed themselves
 *  return TSL_E_COMM. A CPU beside GPUs takes the memory of its transforms here, and plans them in
 *  tsl_dock_search(), while these are at work; what it lacks nevertheless fails the search.
 *
 *  @param[out] out       the plan, owned by the caller: tsl_dock_plan_destroy()
 *  @param[in]  receptor  the molecule that stays; borrowed: must outlive the plan
 *  @param[in]  ligand    the molecule that moves; borrowed: must outlive the plan
 *  @param[in]  options   NULL takes the defaults
 *  @return TSL_OK; TSL_E_ARG if an option is out of range, or if the cells are so wide that the
 *          receptor would have no surface layer; TSL_E_NOMEM if memory, or the bound on it, is too
 *          small (the message says what is needed); TSL_E_DEVICE; of several ranks also TSL_E_COMM.
 *          Collective.
 */
TSL_API tsl_status tsl_dock_plan_create(tsl_dock_plan **out, tsl_context *context,
                                        const tsl_molecule *receptor, const tsl_molecule *ligand,
                                        const tsl_dock_options *options);

/** Aim an existing plan at another pair, with the plan's options. Transforms are reused where N is
 *  the same, the receptor's grids and spectrum where receptor, N and spacing are the same.
 *  After a failure the plan can only be updated again or destroyed. Errors as
 *  tsl_dock_plan_create(). Collective. */
TSL_API tsl_status tsl_dock_plan_update(tsl_dock_plan *plan, const tsl_molecule *receptor,
                                        const tsl_molecule *ligand);

/** Release a plan; NULL is fine. */
TSL_API void tsl_dock_plan_destroy(tsl_dock_plan *plan);

/** What the plan settled on. `out` is filled whole. */
TSL_API void tsl_dock_plan_summary(const tsl_dock_plan *plan, tsl_dock_summary *out);

/** FTDock's rotations at an angle step: theta = 0, step, …, 180; at the poles one phi, elsewhere
 *  phi in steps of acos((cos step - cos^2 theta) / sin^2 theta), truncated to whole degrees and
 *  lowered until it divides 360; twist = 0, step, … below 360. Order: theta, then phi, then twist
 *  fastest.
 *
 *  @param[out] rotations  shape [tsl_rotations_step(NULL, step)]; NULL only counts
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

/** Called after each batch of a search, from the thread that called tsl_dock_search(): of several
 *  ranks, on the one that did the batch, and with a different `user` if that is what they gave.
 *  @param first  index of the first rotation of the batch
 *  @param count  rotations in it
 *  @param poses  shape [count][keep], final
 *  @return 0 to go on; anything else ends the search with TSL_E_CANCELLED, on all ranks */
typedef int (*tsl_dock_progress)(void *user, int64_t first, int64_t count, const tsl_pose *poses);

/** Search all translations of each rotation.
 *
 *  If the plan's context belongs to a communicator of several ranks, all of them call this with
 *  equal pairs, options, rotations and count, and share the rotations out while they compute, so
 *  that devices of any speed finish together. On return each has the poses of all, bit for bit as
 *  one rank alone finds them.
 *
 *  @param[out] poses      shape [count][keep]; for each rotation the best qualifying poses, by
 *  score, then by the order of x, y, z in which the original scans (x slowest; shifts 0 … N/2,
 *  then the negative ones); empty slots have score 0 and shift 0
 *  @param[in]  rotations  shape [count]
 *  @param[in]  progress   may be NULL
 *  @return TSL_OK; TSL_E_ARG; TSL_E_DEVICE; TSL_E_CANCELLED (finished batches, of all ranks, are in
 *          `poses`). What fails on one of several ranks is published there (tsl_comm_fail()), and
 *          those that have not failed themselves return TSL_E_COMM after the batch at hand; a
 *          search that was cancelled leaves the communicator as it was.
 *
 *  Accuracy: scores are exact. Synchronous: results are complete on return. Collective. */
TSL_API tsl_status tsl_dock_search(tsl_dock_plan *plan, tsl_pose *poses,
                                   const tsl_rotation *rotations, int64_t count,
                                   tsl_dock_progress progress, void *user);

/** Score given poses by summing cells directly, without a transform. Several ranks share the poses
 *  out as in tsl_dock_search(), and each has all scores on return.
 *
 *  @param[in,out] poses  shape [count]; rotation and shift are read, score and energy written
 *  @return TSL_OK; TSL_E_ARG if a shift is outside (-N/2, N/2] (the message has its index);
 *          TSL_E_DEVICE; of several ranks also TSL_E_COMM. Synchronous. Collective. */
TSL_API tsl_status tsl_dock_rescore(tsl_dock_plan *plan, tsl_pose *poses, int64_t count);

/** Potentials of pairs of atoms. The energy of a pose is, over the receptor's atoms i and the
 *  ligand's atoms j,
 *
 *      V = sum_ij values[b][type of i][type of j],   b the first bin with |x_j - x_i| <= edges[b],
 *
 *  and 0 of pairs beyond the last edge and of atoms without a type, such as those of nucleic acids;
 *  types are those of tsl_complementarity.table. Initialise with TSL_PAIR_POTENTIALS_INIT, whose
 *  potentials are the library's own. They come to the score of complementarity, which they were
 *  fitted beside. */
typedef struct tsl_pair_potentials {
    size_t size;          /**< sizeof(tsl_pair_potentials) */
    int bins;             /**< 1 <= bins <= TSL_PAIR_BINS */
    const double *edges;  /**< shape [bins]: outer ends, angstrom, ascending, 2 to 12 */
    const double *values; /**< shape [bins][18][18], each symmetric, sizes up to 100; NULL is the
                               library's own, and then `bins` and `edges` are without effect */
} tsl_pair_potentials;

/** Bins of pair potentials at most. */
enum { TSL_PAIR_BINS = 16 };

#define TSL_PAIR_POTENTIALS_INIT                                                                   \
    {                                                                                              \
        sizeof(tsl_pair_potentials), 0, NULL, NULL                                                 \
    }

/** Energies of poses by potentials of pairs of atoms, in integers, so that they have the same bits
 *  on every device and in any order of atoms.
 *
 *  Positions are those of tsl_pose_motion(), from the receptor's middle, rounded to 2^-10 angstrom;
 *  a pair's bin follows from them exactly. Potentials are rounded to 2^-8.
 *
 *  @param[in]  plan        of the pair; atoms that `blocked` marks have no pairs
 *  @param[in]  poses       shape [count]; rotation and shift are read
 *  @param[in]  potentials  NULL takes the library's own
 *  @param[out] energies    shape [count]: 2^8 V
 *  @return TSL_OK; TSL_E_ARG if a pose or a potential is out of range; TSL_E_NOMEM; TSL_E_DEVICE.
 *          Synchronous. Not collective: ranks that call it each do all of it. */
TSL_API tsl_status tsl_dock_pair_energies(tsl_dock_plan *plan, const tsl_pose *poses, int64_t count,
                                          const tsl_pair_potentials *potentials, int64_t *energies);

/** Rank poses anew: of each the energy V comes off the score, whose unit is 1/32, and all are
 *  sorted by tsl_poses_sort()'s order.
 *
 *  @param[in,out] poses  shape [count], scored by complementarity; on return each with the score
 *                        32 (S - V), rounded
 *  @param[out]    from   shape [count]: where each of them was
 *  @return TSL_OK; TSL_E_ARG, of a plan with FTDock's score too, for which no potentials are
 *          fitted; others as of tsl_dock_pair_energies(). Synchronous. Not collective. */
TSL_API tsl_status tsl_dock_rerank(tsl_dock_plan *plan, tsl_pose *poses, int64_t count,
                                   const tsl_pair_potentials *potentials, int64_t *from);

/** Sort poses into FTDock's order: score, then x, y, z of the shift, then twist, theta, phi, all
 *  descending. */
TSL_API void tsl_poses_sort(tsl_pose *poses, int64_t count);

/** Gather poses into clusters, greedily: the first pose, and all within `radius` of it by the root
 *  mean square distance of the ligand's atoms, then the first of those left, and so on.
 *
 *  @param[in,out] poses  shape [count], the best first; on return the first pose of each cluster,
 * in order
 *  @param[in]     radius  angstrom, > 0
 *  @param[in]     most    clusters at most, >= 1; poses of further ones are left out
 *  @param[out]    from    shape [count]: where each of them was
 *  @param[out]    sizes   shape [count]: poses of each cluster
 *  @return the number of clusters; TSL_E_ARG, TSL_E_NOMEM (negative) */
TSL_API int64_t tsl_poses_cluster(const tsl_dock_plan *plan, tsl_pose *poses, int64_t count,
                                  double radius, int64_t most, int64_t *from, int64_t *sizes);

/** The rigid motion of a pose: x' = matrix[i][0..2] . x + matrix[i][3] takes the ligand's
 *  positions, as read, to the frame of the receptor's, as read.
 *  @param[out] matrix  shape [3][4], angstrom in the last column */
TSL_API void tsl_pose_motion(const tsl_dock_plan *plan, const tsl_pose *pose, double matrix[3][4]);

#ifdef __cplusplus
}
#endif

#endif
