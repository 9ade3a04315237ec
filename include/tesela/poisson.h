/** @file poisson.h
 *  Poisson's equation, screened or not, on a box with periodic or free boundaries.
 *
 *  Given a source on a regular grid of an orthorhombic box, find phi with
 *
 *      electrostatic:  (laplacian - kappa^2) phi = -4 pi rho      (Gaussian or atomic units)
 *      plain:          (laplacian - kappa^2) phi = f
 *
 *  Boundaries are chosen axis by axis:
 *
 *  - none free (periodic): a net charge is an error unless `background` is set;
 *  - one (slab): a wave k of the periodic face, of area A, per unit charge at z = 0, has the
 *    potential 2 pi exp(-k |z|) / (k A), and the mean (k = 0) -2 pi |z| / A: that of a charged
 *    sheet, which falls on both sides alike;
 *  - two (wire): a wave k along the periodic length L has 2 K0(k r) / L, and the mean -2 ln(r) / L,
 *    r in the unit of `lengths`;
 *  - three (free): 1 / r, which is 0 at infinity.
 *
 *  So with a free axis any net charge is allowed. With kappa > 0 it is everywhere, k^2 + kappa^2
 *  takes the place of k^2, and exp(-kappa r) / r that of 1 / r. Without, the mean of a periodic
 *  box's potential (k = 0) is 0, and `background` adds a uniform charge that makes the box
 *  neutral.
 *
 *  Arrays have the shape [count][n0][n1][n2], the last axis fastest, dense. Sample (i, j, k) stands
 *  for the cell of edges h = lengths / n around it. Only differences of positions enter, so it does
 *  not matter whether samples are taken at the cells' corners or at their centres, as long as
 *  potential and source are read alike.
 *
 *  Methods and accuracy:
 *  - Periodic axes: discrete Fourier transforms, wavenumbers 2 pi m / L, -n/2 < m <= n/2. The
 *    spectral symbol takes k^2 as it is, that of m = n/2 (the Nyquist wave of an even n) included;
 *    the second-order one (2 sin(k h / 2) / h)^2, that of the 3-, 5- or 7-point stencil, whose
 *    solution it gives. Errors are those of rounding: of a source whose waves are 10 samples long
 *    and longer, 2e-15 of the potential in the 2-norm in double, 3e-7 in single precision. Where
 *    all waves are short, down to the Nyquist's, their potential is small beside what rounding
 *    leaves in long ones, and errors are up to some 30 times as large, as with any transform.
 *  - Free axes, truncated kernel: the Green's function is cut off at the box's diagonal (of its
 *    free axes), where no two samples lie, so nothing is lost; its transform is known in closed
 *    form and is sampled on a grid of (L + diagonal) / L times the box along each free axis,
 *    once. Error: what of the source lies outside the box or beyond the grid's wavenumbers; it
 *    falls faster than any power of h for smooth sources within the box. docs/accuracy/poisson.md
 * has measured values. Planning samples the product of n (L + diagonal) / 2 L of free axes and n /
 * 2 of periodic ones: some 100 ns each on a thread, shared by threads and ranks. So a box whose
 * edges differ much takes long, which is noted from 10 s on, and refused where there are more than
 * 2^35 for each thread and 32 for each cell.
 *  - All axes free, integrated kernel: a cell's charge is spread evenly over the cell. Error
 *    O(h^2), for sources that don't decay or aren't smooth.
 *  - All axes free, point kernel: sum over cells of charge / distance, a cell's own by the
 *    integrated kernel. Exact for that sum to 1e-13.
 *
 *  Ranks (a context with a communicator): each has a box of the source and gets a box of the
 *  potential; the boxes of all ranks cover the grid once. Work is shared as pencils: rank a q + b
 *  transforms rows of the a-th of p parts of the first axis, then columns of the b-th of q parts
 *  of the last axis' wavenumbers, then lines of the a-th of p parts of the second's. 1 x q
 *  exchanges once each way among all ranks, x against z, before free axes are padded; p x 1 once,
 *  x against y, with planes transformed whole; others twice, among p and among q. All ranks give
 *  the same options but for boxes and memory.
 *
 *  Sources: Vico, Greengard & Ferrando, J. Comput. Phys. 323 (2016) 191, eq. 13 (free), with its
 *  one- and two-dimensional forms (slab, wire); Hockney & Eastwood, Computer Simulation Using
 *  Particles (1981), ch. 6; Qiang et al., Phys. Rev. ST Accel. Beams 9 (2006) 044204, eq. 5
 *  (integrated kernel).
 */
#ifndef TESELA_POISSON_H
#define TESELA_POISSON_H

#include <stddef.h>
#include <stdint.h>

#include "tesela/context.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum tsl_boundary { TSL_BOUNDARY_PERIODIC = 0, TSL_BOUNDARY_FREE = 1 } tsl_boundary;

typedef enum tsl_poisson_equation {
    TSL_POISSON_ELECTROSTATIC = 0, /**< right-hand side -4 pi source */
    TSL_POISSON_PLAIN = 1          /**< right-hand side source */
} tsl_poisson_equation;

/** The Laplacian of a wave, for boxes without a free axis. */
typedef enum tsl_poisson_symbol {
    TSL_POISSON_SPECTRAL = 0,    /**< k^2 */
    TSL_POISSON_SECOND_ORDER = 1 /**< (2 sin(k h / 2) / h)^2 */
} tsl_poisson_symbol;

/** The Green's function, for boxes with a free axis. */
typedef enum tsl_poisson_kernel {
    TSL_POISSON_TRUNCATED = 0,  /**< spectral accuracy */
    TSL_POISSON_INTEGRATED = 1, /**< second order; all axes free, no screening */
    TSL_POISSON_POINT = 2       /**< point charges at the samples; likewise */
} tsl_poisson_kernel;

/** How exchanges between ranks go. */
typedef enum tsl_poisson_path {
    TSL_POISSON_DIRECT = 0,   /**< from memory to memory, as the ranks can */
    TSL_POISSON_STAGED = 1,   /**< of GPUs: copied to the host, exchanged there, and copied back */
    TSL_POISSON_DATATYPES = 2 /**< of CPUs under MPI: rows are left where they are, and MPI finds
                                   their pieces by derived datatypes; 1 x q, or p x 1 with a
                                   periodic second axis */
} tsl_poisson_path;

/** A box of cells of a grid: those with begin[axis] <= index < end[axis] along all axes; none if an
 *  end is not beyond its begin. */
typedef struct tsl_box {
    int64_t begin[3], end[3];
} tsl_box;

/** What to solve. Initialise with TSL_POISSON_OPTIONS_INIT, then set n and lengths. */
typedef struct tsl_poisson_options {
    size_t size;       /**< sizeof(tsl_poisson_options) */
    int64_t n[3];      /**< samples along each axis, 1 <= n <= 16384 */
    double lengths[3]; /**< edges of the box, > 0: up to 1e100, and cells of 1e-100 at least; in
                            single precision 1e12 and 1e-12 */
    tsl_boundary boundary[3]; /**< of each axis */
    tsl_poisson_equation equation;
    tsl_poisson_symbol symbol; /**< other than spectral: all axes must be periodic */
    tsl_poisson_kernel kernel; /**< other than truncated: all axes must be free */
    double screening;          /**< kappa, 1 / length: 0, or 1e-100 to 1e100; likewise */
    int background;            /**< 1: neutralise a periodic box; 0: a net charge is an error */
    int precision;             /**< bytes of a number of source and potential: 8 or 4 */
    int64_t count;             /**< right-hand sides a call, 1 <= count <= 65536 */
    int64_t memory;            /**< bound on the bytes taken, 0 = none but what is free */
    tsl_box source_box;        /**< cells of the source that this rank has; all 0: tsl_poisson_box()
                                    says which. None: begin = end = n */
    tsl_box potential_box;     /**< cells of the potential that this rank gets; likewise */
    int ranks[2];              /**< p and q of the pencils, p q ranks at most; those beyond take no
                                    part; 0, 0: chosen, on GPUs one rank where that is faster by
                                    what GPUs of a host gain that write to each other's memory;
                                    on several hosts, and under MPI without NCCL, as with
                                    `measure`, if there is room for that */
    int segments;              /**< pieces in which an exchange goes, up to 16384, or as many as
                                    there are columns for; 0: chosen */
    int overlap;               /**< 1: a segment is exchanged while another is transformed; -1: one
                                    after the other; 0: chosen */
    int measure;               /**< 1: of several ranks, what is left open of `ranks`, `overlap`
                                    and `plain` is tried while planning, by all ranks, all but one,
                                    half of them and so on down to one, and the fastest taken; 0:
                                    chosen by rule. Each way costs a plan without its spectrum and
                                    four solves, each time. The boxes stay those of the rule, and
                                    moving cells between them and who solves is measured too;
                                    tsl_poisson_tune() has them follow */
    int plain;                 /**< 1: a GPU takes its library's transforms; -1: its own, fused
                                    with the spectrum, where the last axis is even and the lengths of
                                    transforms, of the last half of it, are products of 2, 3, 5 and 7
                                    up to 2048, and several ranks have whole planes (p x 1 and a
                                    periodic second axis; else, if `ranks` is open, one rank
                                    solves); 0: the faster.
                                    What cannot be is refused, either on a CPU.
                                    2, to compare with: the library's transforms of planes, then
                                    of lines along the first axis where they stand, by its layout
                                    for strides, of periodic boxes; elsewhere a CPU copies these
                                    lines into cache, and a GPU's library takes all three axes */
    tsl_poisson_path path;     /**< other than direct: to compare with; staged takes pinned host
                                    memory of two segments besides */
    int estimate;              /**< 1: for a plan that solves few times. The CPU's library plans its
                                    transforms by estimate, those of the spectrum too, and nothing
                                    is measured where `ranks` is open: planning takes a tenth of
                                    the time, a solve up to twice as long, and the same options
                                    give the same bits each time (docs/performance/poisson.md).
                                    TESELA_FFTW in the environment overrides it. 0: the library
                                    measures */
} tsl_poisson_options;

#define TSL_POISSON_OPTIONS_INIT                                                                   \
    {                                                                                              \
        sizeof(tsl_poisson_options), {0, 0, 0}, {0, 0, 0},                                         \
            {TSL_BOUNDARY_PERIODIC, TSL_BOUNDARY_PERIODIC, TSL_BOUNDARY_PERIODIC},                 \
            TSL_POISSON_ELECTROSTATIC, TSL_POISSON_SPECTRAL, TSL_POISSON_TRUNCATED, 0.0, 0, 8, 1,  \
            0, {{0, 0, 0}, {0, 0, 0}}, {{0, 0, 0}, {0, 0, 0}}, {0, 0}, 0, 0, 0, 0,                 \
            TSL_POISSON_DIRECT, 0                                                                  \
    }

/** What a plan takes and does. */
typedef struct tsl_poisson_summary {
    int64_t bytes;          /**< device memory the plan holds, the transform library's work space
                                 with it */
    int64_t planning_bytes; /**< host memory taken while planning and given back */
    int64_t peak_bytes;     /**< the most device memory taken at one time, bytes: on the CPU that is
                                 while planning, if more is given back then than stays */
    int64_t transform[3];   /**< lengths of the transforms: n, or at least 2 n - 1 of a free axis */
    int64_t padded[3];      /**< lengths on which the truncated kernel was sampled, >= n (L +
                                 diagonal) / L; 0 where there was none */
    double radius;          /**< where the truncated kernel is cut off; 0: it isn't */
    int ranks[2];           /**< p and q; p q ranks take part */
    int segments;           /**< pieces of each exchange */
    int overlap;            /**< 1: exchanged under transforms */
    int lines;              /**< 1: a GPU's own transforms, fused with the spectrum */
    int strided;            /**< 1: the library's of lines along the first axis where they stand */
    tsl_poisson_path path;  /**< of exchanges */
} tsl_poisson_summary;

/** Choose `ranks`, `overlap` and `plain`, where options leave them open, as the fastest way that
 *  was measured, each rank with its share of it: with `measure`, and without where a rule does
 *  not know enough (see `ranks`). Then tsl_poisson_box() says the shares, and no cell goes from
 *  one rank to another but in the solve. A plan whose options were not settled so is measured
 *  with the rule's boxes.
 *
 *  Ways that a rank has no room for, with `count` sources and potentials, are left out. Each of the
 *  others costs a plan without its spectrum and four solves, whose memory is given back.
 *
 *  @param[in,out] options  `ranks` is set, `overlap` and `plain` where the fastest way needs them
 *                          said, and `measure` is 0 then; where nothing is measured they stay as
 *                          they are. Boxes are not looked at
 *  @return TSL_OK; TSL_E_ARG for options out of range; TSL_E_NOMEM; TSL_E_DEVICE;
 *  TSL_E_UNSUPPORTED as tsl_poisson_plan_create(); TSL_E_COMM.
 *
 *  Synchronous; collective over the context's ranks, which all get the same. */
TSL_API tsl_status tsl_poisson_tune(tsl_poisson_options *options, tsl_context *context);

/** Transforms, a Green's function's spectrum and work space for one shape. */
typedef struct tsl_poisson_plan tsl_poisson_plan;

/** This rank's share of the grid where options leave it open: planes of the first axis, as many
 *  on each rank that takes part as on any other or one more, in the order of the ranks; with more
 *  ranks than planes some have none, or, with pencils, rows of planes.
 *
 *  @param[out] out  the box; `source_box` and `potential_box` are not looked at
 *  @return TSL_OK; TSL_E_ARG for options out of range. */
TSL_API tsl_status tsl_poisson_box(tsl_box *out, tsl_context *context,
                                   const tsl_poisson_options *options);

/** What a plan would take on this rank, without `measure`; nothing is allocated.
 *  @param[out] out  filled whole
 *  @return TSL_OK; TSL_E_ARG for options out of range. */
TSL_API tsl_status tsl_poisson_predict(tsl_poisson_summary *out, tsl_context *context,
                                       const tsl_poisson_options *options);

/** Prepare a shape: plan transforms, take the memory, build the spectrum. The only call of this
 *  header that allocates what stays. Right-hand sides share the spectrum and one work space.
 *
 *  @param[out] out      the plan, owned by the caller: tsl_poisson_plan_destroy()
 *  @param[in]  options  copied
 *  @return TSL_OK; TSL_E_ARG for options out of range or at odds with each other, a way of
 *  solving that is asked for and cannot be had, or planning beyond its bound; TSL_E_NOMEM if
 *  the device has less free than tsl_poisson_predict() says or the bound is lower, before
 *  anything was allocated; TSL_E_DEVICE; TSL_E_UNSUPPORTED for a device that does not
 *  solve, and for ranks on devices of different kinds or with different builds of the library;
 *  TSL_E_COMM.
 *
 *  Collective over the context's ranks. What one of them is refused, all are, with its line. */
TSL_API tsl_status tsl_poisson_plan_create(tsl_poisson_plan **out, tsl_context *context,
                                           const tsl_poisson_options *options);

/** Release a plan; NULL is fine. Collective over an MPI launch. */
TSL_API void tsl_poisson_plan_destroy(tsl_poisson_plan *plan);

/** What the plan took. `out` is filled whole. */
TSL_API void tsl_poisson_plan_summary(const tsl_poisson_plan *plan, tsl_poisson_summary *out);

/** Solve `count` right-hand sides.
 *
 *  @param[out] potential  device memory, shape [count][b0][b1][b2] of this rank's box of the
 *  potential (alone: of the grid), float or double as the plan's precision says, aligned to 64
 *  bytes; may be `source` where the boxes are the same; NULL is fine for a box without cells
 *  @param[in]  source     likewise: density or right-hand side, in this rank's box of the source
 *  @return TSL_OK; TSL_E_ARG if an address is NULL or not aligned, or if a right-hand side of a
 *          periodic box without screening and background has a net charge, that is a sum beyond
 *          1e-9 (single precision: 1e-5) of the sum of absolute values, or is not finite; nothing
 *          is written then. TSL_E_DEVICE; TSL_E_COMM.
 *
 *  Collective over the context's ranks. An address at fault on one of them is its failure
 *  (tsl_comm_fail()); a net charge is an error on all, and the plan stays of use.
 *
 *  Accuracy: with any number of ranks and any way of sharing, that of one rank within 1e-13
 *  (single: 1e-6) of the largest value.
 *
 *  Synchronisation: queued on the context's stream; on `cpu` done on return. Where a net charge
 *  is an error it waits for the source's sum first; with `background`, screening or a free axis
 *  it does not. Allocates nothing; on `cpu`, FFTW and OpenMP may take buffers. */
TSL_API tsl_status tsl_poisson_execute(tsl_poisson_plan *plan, void *potential, const void *source);

/** The field of `count` right-hand sides along one axis: minus the derivative of the potential.
 *
 *  @param     axis    0 to 2
 *  @param[out] field  device memory as of tsl_poisson_execute(); may be `source`
 *  @param[in]  source likewise
 *  @return as tsl_poisson_execute(), and TSL_E_ARG for another axis.
 *
 *  The spectrum is multiplied by -i k, that of the Nyquist wave of an even axis by 0. Accuracy:
 *  that of the potential times the largest k. Along a free axis it takes a source that is smooth
 *  and 0 at the box's faces, as the truncated kernel does; with the other kernels the field is
 *  that of the trigonometric interpolation of their potential. Synchronisation as
 *  tsl_poisson_execute(); so collective. */
TSL_API tsl_status tsl_poisson_field(tsl_poisson_plan *plan, int axis, void *field,
                                     const void *source);

/** Interaction energies 1/2 sum_cells potential * source * volume of a cell, which for the
 *  electrostatic equation is the electrostatic energy, self-energy included. Over the cells of all
 *  ranks, whose boxes of source and potential must be the same.
 *
 *  @param[out] energies   host memory, shape [count]
 *  @param[in]  potential  as tsl_poisson_execute() left it
 *  @param[in]  source     the source it belongs to
 *  @return TSL_OK; TSL_E_ARG; TSL_E_DEVICE; TSL_E_COMM.
 *
 *  Accuracy: sums in double precision. Synchronous; collective. */
TSL_API tsl_status tsl_poisson_energy(tsl_poisson_plan *plan, double *energies,
                                      const void *potential, const void *source);

#ifdef __cplusplus
}
#endif

#endif
