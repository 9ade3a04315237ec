/** @file poisson.h
 *  Poisson's equation, screened or not, on a box with periodic or free boundaries.
 *
 *  Given a source on a regular grid of an orthorhombic box, find phi with
 *
 *      electrostatic:  (laplacian - kappa^2) phi = -4 pi rho      (Gaussian or atomic units)
 *      plain:          (laplacian - kappa^2) phi = f
 *
 *  Each axis is periodic or free:
 *
 *  - no free axis (periodic): a net charge is an error unless `background` is set;
 *  - one free axis (slab): per unit charge at z = 0, a wave k of the periodic face, of area A, has
 *    the potential 2 pi exp(-k |z|) / (k A). The mean (k = 0) has -2 pi |z| / A, the potential of a
 *    charged sheet, which falls equally on both sides;
 *  - two free axes (wire): a wave k along the periodic length L has 2 K0(k r) / L, and the mean -2
 *    ln(r) / L, with r in the unit of `lengths`;
 *  - three free axes (free): 1 / r, which is 0 at infinity.
 *
 *  With a free axis any net charge is allowed. With kappa > 0 any net charge is allowed on all
 *  boundaries; k^2 + kappa^2 replaces k^2, and exp(-kappa r) / r replaces 1 / r. With kappa = 0,
 *  the mean of the potential of a periodic box is 0, and `background` adds a uniform charge that
 *  makes the box neutral.
 *
 *  Arrays are dense, of shape [count][n0][n1][n2], with the last axis fastest. Sample (i, j, k)
 *  represents a cell with edges h = lengths / n. Samples may be at the cells' corners or at their
 *  centres, because only differences of positions matter. Source and potential must be interpreted
 *  in the same way.
 *
 *  Methods and accuracy:
 *  - Periodic axes: discrete Fourier transforms with wavenumbers 2 pi m / L, -n/2 < m <= n/2. The
 *    spectral symbol is k^2 for all m, including m = n/2 (the Nyquist wave of an even n). The
 *    second-order symbol is (2 sin(k h / 2) / h)^2, that of the 3-, 5- or 7-point stencil: its
 *    result is the solution of the stencil's equations. Errors are those of rounding. For a source
 *    with waves of at least 10 samples, the error in the 2-norm is 2e-15 of the potential in double
 *    and 3e-7 in single precision. If all waves are short, down to the Nyquist wave, errors are up
 *    to 30 times as large, as with any transform. The potential is then small compared with the
 *    rounding errors of long waves.
 *  - Free axes, truncated kernel: the Green's function is cut off at the diagonal of the box's free
 *    axes. No two samples are farther apart, so nothing is lost. Its transform is known in closed
 *    form. It is sampled once, on a grid that is (L + diagonal) / L times as long as the box along
 *    each free axis. The error is the part of the source outside of the box or beyond the grid's
 *    wavenumbers. For a smooth source within the box it falls faster than any power of h;
 *    docs/accuracy/poisson.md has measured values. Planning computes a number of values that is the
 *    product of n (L + diagonal) / 2 L over free axes and n / 2 over periodic axes. Each takes
 *    about 100 ns on one thread; threads and ranks share them. Planning is therefore slow for a box
 *    whose edges differ much: a note says so from 10 s on. More than 2^35 values for each thread,
 *    if these are also more than 32 for each cell, are refused.
 *  - All axes free, integrated kernel: the charge of a cell is spread evenly over the cell. The
 *    error is O(h^2). For sources that do not decay or are not smooth.
 *  - All axes free, point kernel: the sum over cells of charge / distance. The term of a cell with
 *    itself is that of the integrated kernel. Computes this sum to 1e-13.
 *
 *  Ranks (a context with a communicator): each rank has a box of the source and gets a box of the
 *  potential. The boxes of all ranks cover the grid once. Work is divided as pencils: rank a q + b
 *  transforms rows of the a-th of p parts of the first axis, then columns of the b-th of q parts of
 *  the last axis' wavenumbers, then lines of the a-th of p parts of the second axis' wavenumbers.
 *  With 1 x q ranks, all of them exchange x for z, once each way, before free axes are padded. With
 *  p x 1 ranks, all of them exchange x for y, once each way, and planes are transformed as a whole.
 *  Other arrangements exchange twice each way, among p and among q ranks. All ranks give the same
 *  options; only boxes and memory may differ.
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

/** Boundary of an axis. */
typedef enum tsl_boundary { TSL_BOUNDARY_PERIODIC = 0, TSL_BOUNDARY_FREE = 1 } tsl_boundary;

/** Right-hand side of the equation: see the top of this file. */
typedef enum tsl_poisson_equation {
    TSL_POISSON_ELECTROSTATIC = 0, /**< right-hand side -4 pi source */
    TSL_POISSON_PLAIN = 1          /**< right-hand side source */
} tsl_poisson_equation;

/** Symbol of the Laplacian for a wave k, for boxes without a free axis. */
typedef enum tsl_poisson_symbol {
    TSL_POISSON_SPECTRAL = 0,    /**< k^2 */
    TSL_POISSON_SECOND_ORDER = 1 /**< (2 sin(k h / 2) / h)^2 */
} tsl_poisson_symbol;

/** The Green's function, for boxes with a free axis. */
typedef enum tsl_poisson_kernel {
    TSL_POISSON_TRUNCATED = 0,  /**< spectral accuracy */
    TSL_POISSON_INTEGRATED = 1, /**< second order; needs all axes free and no screening */
    TSL_POISSON_POINT = 2       /**< point charges at the samples; needs all axes free and no
                                     screening */
} tsl_poisson_kernel;

/** How ranks exchange data. */
typedef enum tsl_poisson_path {
    TSL_POISSON_DIRECT = 0,   /**< directly from memory to memory */
    TSL_POISSON_STAGED = 1,   /**< for GPUs: copied to the host, exchanged there, and copied back */
    TSL_POISSON_DATATYPES = 2 /**< for CPUs under MPI: rows stay where they are, and MPI reads them
                                   through derived datatypes; only for 1 x q ranks, or p x 1 with a
                                   periodic second axis */
} tsl_poisson_path;

/** A box of cells of a grid: those with begin[axis] <= index < end[axis] along all axes. It is
 *  empty if end[axis] <= begin[axis] for any axis. */
typedef struct tsl_box {
    int64_t begin[3], end[3];
} tsl_box;

/** What to solve. Initialise with TSL_POISSON_OPTIONS_INIT, then set n and lengths. */
typedef struct tsl_poisson_options {
    size_t size;       /**< sizeof(tsl_poisson_options) */
    int64_t n[3];      /**< samples along each axis, 1 <= n <= 16384 */
    double lengths[3]; /**< edges of the box, > 0: at most 1e100, with cells of at least 1e-100; in
                            single precision 1e12 and 1e-12 */
    tsl_boundary boundary[3]; /**< of each axis */
    tsl_poisson_equation equation;
    tsl_poisson_symbol symbol; /**< other than spectral: all axes must be periodic */
    tsl_poisson_kernel kernel; /**< other than truncated: all axes must be free */
    double screening;          /**< kappa, 1 / length: 0, or 1e-100 to 1e100; in single precision
                                    1e-12 to 1e12 */
    int background;            /**< 1: neutralise a periodic box; 0: a net charge is an error */
    int precision;             /**< bytes of a number of source and potential: 8 or 4 */
    int64_t count;             /**< right-hand sides of a call, 1 <= count <= 65536 */
    int64_t memory;            /**< largest number of bytes to allocate; 0: what is free */
    tsl_box source_box;        /**< cells of the source that this rank has; all 0: the box from
                                    tsl_poisson_box(); begin = end = n: no cells */
    tsl_box potential_box;     /**< cells of the potential that this rank gets; otherwise as
                                    source_box */
    int ranks[2];              /**< p and q of the pencils; p q is at most the number of ranks, and
                                    further ranks take no part; 0, 0: chosen. On GPUs of one host
                                    that write to each other's memory, a rule chooses, and takes one
                                    rank where that is faster. On several hosts, and under MPI
                                    without NCCL, the choice is measured as with `measure`, if there
                                    is memory for that */
    int segments;              /**< number of pieces in which an exchange is done, at most 16384 and
                                    at most the number of columns; 0: chosen */
    int overlap;               /**< 1: a segment is exchanged while another is transformed; -1: one
                                    after the other; 0: chosen */
    int measure;               /**< 1: planning measures, on several ranks, what `ranks`, `overlap`
                                    and `plain` leave open, and takes the fastest. It tries all
                                    ranks, all but one, half of them and so on down to one. Each try
                                    makes a plan without its spectrum and solves four times. 0:
                                    chosen by rule. The boxes stay those of the rule, so the
                                    measured time includes moving cells between them and the ranks
                                    that solve; tsl_poisson_tune() adapts the boxes instead */
    int plain;                 /**< how a GPU transforms; a CPU refuses 1 and -1. 0: the faster of 1
                                    and -1. 1: by its FFT library. -1: by tesela's own transforms,
                                    fused with the spectrum. These need an even last axis, and
                                    transform lengths (half the length for the last axis) that are
                                    products of 2, 3, 5 and 7 up to 2048. Several ranks need whole
                                    planes for them (p x 1 and a periodic second axis; else, if
                                    `ranks` is open, one rank solves). A way that is not possible is
                                    refused. 2, for comparison, on periodic boxes: by the library,
                                    planes first, then lines along the first axis in place, through
                                    its layout for strides. Otherwise a CPU copies these lines into
                                    cache, and a GPU's library transforms all three axes at once */
    tsl_poisson_path path;     /**< other than direct: for comparison; staged needs pinned host
                                    memory for two segments too */
    int estimate;              /**< 1: for a plan that solves only a few times. The CPU's library
                                    plans its transforms by estimate, also those of the spectrum,
                                    and nothing is measured where `ranks` is open. Planning takes a
                                    tenth of the time, a solve up to twice as long, and the same
                                    options always give the same bits (docs/performance/poisson.md).
                                    The environment variable TESELA_FFTW overrides this. 0: the
                                    library measures */
} tsl_poisson_options;

#define TSL_POISSON_OPTIONS_INIT                                                                   \
    {                                                                                              \
        sizeof(tsl_poisson_options), {0, 0, 0}, {0, 0, 0},                                         \
            {TSL_BOUNDARY_PERIODIC, TSL_BOUNDARY_PERIODIC, TSL_BOUNDARY_PERIODIC},                 \
            TSL_POISSON_ELECTROSTATIC, TSL_POISSON_SPECTRAL, TSL_POISSON_TRUNCATED, 0.0, 0, 8, 1,  \
            0, {{0, 0, 0}, {0, 0, 0}}, {{0, 0, 0}, {0, 0, 0}}, {0, 0}, 0, 0, 0, 0,                 \
            TSL_POISSON_DIRECT, 0                                                                  \
    }

/** Memory that a plan takes, and the ways it uses. */
typedef struct tsl_poisson_summary {
    int64_t bytes;          /**< device memory that the plan holds, bytes, with the work space of
                                 the transform library */
    int64_t planning_bytes; /**< host memory allocated and released again while planning, bytes */
    int64_t peak_bytes;     /**< largest device memory allocated at one time, bytes. On the CPU this
                                 is during planning, if planning releases more than remains */
    int64_t transform[3];   /**< lengths of the transforms: n; at least 2 n - 1 for a free axis */
    int64_t padded[3];      /**< lengths of the grid on which the truncated kernel was sampled, >= n
                                 (L + diagonal) / L; 0: no such kernel */
    double radius;          /**< distance at which the truncated kernel is cut off, in the unit of
                                 `lengths`; 0: it isn't */
    int ranks[2];           /**< p and q; p q ranks take part */
    int segments;           /**< pieces of each exchange */
    int overlap;            /**< 1: exchanges overlap with transforms */
    int lines;              /**< 1: tesela's own transforms on a GPU, fused with the spectrum */
    int strided;            /**< 1: the library transforms lines along the first axis in place */
    tsl_poisson_path path;  /**< how ranks exchange data */
} tsl_poisson_summary;

/** Choose the fastest `ranks`, `overlap` and `plain` by measuring, where options leave them open.
 *  This is done with `measure`, and also without it where no rule is known (see `ranks`). Each way
 *  is measured with its own shares of the grid. Afterwards tsl_poisson_box() gives the shares of
 *  the chosen way, and cells move between ranks only during a solve. Without this call, planning
 *  measures with the boxes of the rule.
 *
 *  Ways for which a rank lacks memory, including `count` sources and potentials, are left out. Each
 *  of the others makes a plan without its spectrum and solves four times; this memory is released.
 *
 *  @param[in,out] options  on return `ranks` is set, `overlap` and `plain` are set where the
 *                          fastest way needs them, and `measure` is 0; where nothing is measured
 *                          they stay unchanged. Boxes are ignored
 *  @return TSL_OK; TSL_E_ARG for options out of range; TSL_E_NOMEM; TSL_E_DEVICE; TSL_E_UNSUPPORTED
 *          as for tsl_poisson_plan_create(); TSL_E_COMM.
 *
 *  Synchronous; collective over the context's ranks. All ranks get the same options. */
TSL_API tsl_status tsl_poisson_tune(tsl_poisson_options *options, tsl_context *context);

/** A plan for one shape: transforms, the spectrum of the Green's function and work space. */
typedef struct tsl_poisson_plan tsl_poisson_plan;

/** This rank's share of the grid, for options that do not give boxes. Shares are planes of the
 *  first axis, in the order of the ranks. The numbers of planes of two ranks that take part differ
 *  by at most one. If there are more ranks than planes, some ranks have no cells or, with pencils,
 *  ranks have rows of planes.
 *
 *  @param[out] out  the box; `source_box` and `potential_box` are ignored
 *  @return TSL_OK; TSL_E_ARG for options out of range. */
TSL_API tsl_status tsl_poisson_box(tsl_box *out, tsl_context *context,
                                   const tsl_poisson_options *options);

/** Predict what a plan takes on this rank, without `measure`. Nothing is allocated.
 *  @param[out] out  filled completely
 *  @return TSL_OK; TSL_E_ARG for options out of range. */
TSL_API tsl_status tsl_poisson_predict(tsl_poisson_summary *out, tsl_context *context,
                                       const tsl_poisson_options *options);

/** Make a plan: plan the transforms, allocate the memory, compute the spectrum. This is the only
 *  function of this header that allocates memory that stays allocated. All right-hand sides share
 *  the spectrum and one work space.
 *
 *  @param[out] out      the plan, owned by the caller: tsl_poisson_plan_destroy()
 *  @param[in]  options  copied
 *  @return TSL_OK; TSL_E_ARG for options out of range or in conflict with each other, a way of
 *          solving that is not available, or a spectrum of too many values; TSL_E_NOMEM if the
 *          device has less free memory than tsl_poisson_predict() says, or `memory` is lower,
 *          before anything is allocated; TSL_E_DEVICE; TSL_E_UNSUPPORTED for a device without this
 *          solver, and for ranks on devices of different kinds or with different builds of the
 *          library; TSL_E_COMM.
 *
 *  Collective over the context's ranks. If the call is refused on one rank, all ranks return its
 *  status and error line. */
TSL_API tsl_status tsl_poisson_plan_create(tsl_poisson_plan **out, tsl_context *context,
                                           const tsl_poisson_options *options);

/** Release a plan; NULL is fine. Collective over an MPI launch. */
TSL_API void tsl_poisson_plan_destroy(tsl_poisson_plan *plan);

/** Read the memory that the plan took and the ways it uses. `out` is filled completely. */
TSL_API void tsl_poisson_plan_summary(const tsl_poisson_plan *plan, tsl_poisson_summary *out);

/** Solve `count` right-hand sides.
 *
 *  @param[out] potential  device memory, shape [count][b0][b1][b2] of this rank's box of the
 *                         potential (a rank alone: the grid), float or double as the plan's
 *                         precision says, aligned to 64 bytes. May be `source` if the boxes are the
 *                         same. NULL is allowed for a box without cells
 *  @param[in]  source     density or right-hand side, device memory, in this rank's box of the
 *                         source; otherwise as `potential`
 *  @return TSL_OK; TSL_E_ARG if an address is NULL or not aligned, or if the net charge of a
 *          right-hand side is not allowed: in a periodic box without screening and background its
 *          sum must be finite and within 1e-9 (single precision: 1e-5) of the sum of absolute
 *          values. Nothing is written then. TSL_E_DEVICE; TSL_E_COMM.
 *
 *  Collective over the context's ranks. A wrong address on one rank is a failure of this rank
 *  (tsl_comm_fail()). A net charge is an error on all ranks, and the plan stays usable.
 *
 *  Accuracy: for any number of ranks and any way of dividing the work, the potential agrees with
 *  that of one rank to 1e-13 (single precision: 1e-6) of the largest value.
 *
 *  Synchronisation: queued on the context's stream; on `cpu` done on return. Where a net charge is
 *  an error, the call waits for the sum of the source. With `background`, screening or a free axis
 *  it does not wait. Allocates nothing; on `cpu`, FFTW and OpenMP may allocate buffers. */
TSL_API tsl_status tsl_poisson_execute(tsl_poisson_plan *plan, void *potential, const void *source);

/** The field of `count` right-hand sides along one axis: minus the derivative of the potential.
 *
 *  @param[in]  axis    0 to 2
 *  @param[out] field   device memory as for tsl_poisson_execute(); may be `source`
 *  @param[in]  source  as for tsl_poisson_execute()
 *  @return as tsl_poisson_execute(), and TSL_E_ARG for another axis.
 *
 *  The spectrum is multiplied by -i k; for the Nyquist wave of an even axis by 0. Accuracy: that of
 *  the potential times the largest k. Along a free axis the truncated kernel needs a source that is
 *  smooth and 0 at the box's faces. With the other kernels, the field is that of the trigonometric
 *  interpolation of their potential. Synchronisation as tsl_poisson_execute(). Collective. */
TSL_API tsl_status tsl_poisson_field(tsl_poisson_plan *plan, int axis, void *field,
                                     const void *source);

/** Interaction energies 1/2 sum_cells potential * source * volume of a cell. For the electrostatic
 *  equation this is the electrostatic energy, self-energy included. Sums are over the cells of all
 *  ranks. The boxes of source and potential must be the same on each rank.
 *
 *  @param[out] energies   host memory, shape [count]
 *  @param[in]  potential  as computed by tsl_poisson_execute()
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
