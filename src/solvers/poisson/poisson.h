/* Poisson's equation: what a device does for it.
 *
 * One right-hand side is solved in three steps. Rows along the last axis are transformed, giving
 * `half` columns of complex numbers in an array [n0][n1][row]. Columns are taken a block of `width`
 * at a time: the other two axes forward, times the spectrum, and backward, in a work space in which
 * alone the padding of free axes exists. Then rows are transformed back. So of the padded grid of
 * transforms only a sheet is ever stored, and lines of zeros are not transformed. */
#ifndef TSL_POISSON_H
#define TSL_POISSON_H

#include "blocks/fft/fft.h"
#include "core/core.h"
#include "solvers/poisson/poisson_point.h"
#include "solvers/poisson/ranks/share.h"
#include "solvers/poisson/ranks/times.h"
#include "tesela/poisson.h"

/* Along one axis. */
typedef struct tsl_poisson_axis {
    bool free;
    double length;
    int padded; /* length on which a truncated kernel is sampled; 0: none is */
} tsl_poisson_axis;

/* A plan's problem, checked. */
typedef struct tsl_poisson_problem {
    tsl_poisson_grid grid;
    tsl_poisson_share share;
    tsl_box source, potential; /* this rank's cells */
    tsl_poisson_axis axis[3];
    tsl_poisson_kernel kernel;
    tsl_poisson_symbol symbol;
    double screening;
    double radius; /* of the truncated kernel */
    double factor; /* of the Green's function of a unit point charge: the equation's */
    int64_t count;
    bool checks_charge; /* a net charge is an error */
} tsl_poisson_problem;

enum { TSL_POISSON_POTENTIAL = -1 };

/* ---- kernels ------------------------------------------------------------------------------ */

/* An array of strips of reals. */
typedef struct tsl_poisson_strips {
    void *at;
    const int *table; /* device memory, [ny][2]: strips before (x = 0, y), and from one x to the
                         next; NULL: see below */
    void *own;        /* where strips i lie whose number in the table is -1 - i */
    int first;        /* x of the first, in a table */
    int64_t x, y;     /* without a table: strips from one x, and one y, to the next */
    int64_t strip;    /* reals from one strip to the next */
    int ny, nz;       /* what there is of it, as a source: the rest is zero */
} tsl_poisson_strips;

/* Strips n[2] long of (x, y) below n[0] and n[1] to strips elsewhere. */
typedef struct tsl_poisson_move {
    tsl_poisson_strips to, from;
    int n[3];
    tsl_precision precision;
} tsl_poisson_move;

/* Transformed lines along the first axis, in place, times their spectrum and, for axis 0 to 2,
 * -i k of that axis. */
typedef struct tsl_poisson_product {
    tsl_poisson_grid grid;
    const void *spectrum;
    void *lines;          /* [m0][ky.count][count] complex */
    tsl_poisson_lines ky; /* of each */
    int first, count;     /* kz */
    int pitch;            /* of planes_multiply(): numbers from one line to the next */
    int axis;
} tsl_poisson_product;

/* Where the waves of a place of the second axis are: those of plane x begin at number x * plane. */
typedef struct tsl_poisson_strip {
    void *at;
    int64_t plane;
} tsl_poisson_strip;

/* Some of a rank's planes on their way between cells and strips. */
typedef struct tsl_poisson_plane_lines {
    void *cells;                     /* [count][n1][n2] */
    void *rows;                      /* [count][n1][row] complex: work space */
    const tsl_poisson_strip *strips; /* [][m1], device memory, of each chunk of columns */
    int chunk;                       /* columns of one */
    int first, count;                /* planes */
} tsl_poisson_plane_lines;

/* A device's own transforms of a rank's planes. */
typedef struct tsl_poisson_planes tsl_poisson_planes;

enum { TSL_POISSON_SUMS_BYTES = 3 * 256 * 8 };

/* What a device whose memory is not the host's does for ranks (staged.c); all queued on the
 * context's stream, but sums(), which waits. */
typedef struct tsl_poisson_kernels {
    tsl_status (*move)(tsl_context *context, const tsl_poisson_move *what);
    tsl_status (*multiply)(tsl_context *context, const tsl_poisson_product *what);
    /* What sums() of tsl_poisson_ops does, for arrays of any number of cells. `partial` is device
     * memory, TSL_POISSON_SUMS_BYTES of it. */
    tsl_status (*sums)(tsl_context *context, double sums[3], double *partial, const void *a,
                       const void *b, int64_t cells, tsl_precision precision);

    /* Transforms of the device's own, for ranks that have planes. Device memory that they take; 0:
     * not for this grid. */
    int64_t (*planes_bytes)(const tsl_poisson_grid *grid);
    /* order[m1]: ky at each place of the second axis. */
    tsl_status (*planes_create)(tsl_poisson_planes **out, tsl_context *context,
                                const tsl_poisson_grid *grid, const void *spectrum, int *order);
    void (*planes_destroy)(tsl_poisson_planes *planes); /* NULL is fine */
    /* Cells to strips, or back, on the stream of `context`, the plan's or a branch of it. */
    tsl_status (*planes_forward)(tsl_context *context, const tsl_poisson_planes *planes,
                                 const tsl_poisson_plane_lines *what);
    tsl_status (*planes_backward)(tsl_context *context, const tsl_poisson_planes *planes,
                                  const tsl_poisson_plane_lines *what);
    /* Lines of samples [n0][ky.count][pitch], in place: forward, multiply(), backward. `ky`, in
     * device memory: of each line. */
    tsl_status (*planes_multiply)(tsl_poisson_planes *planes, const tsl_poisson_product *what,
                                  const int *ky);

    int64_t piece_bytes;        /* of a piece that columns of planes are exchanged in, at least */
    int64_t alone_bytes;        /* one device alone is faster for fewer bytes of waves */
    int64_t alone_padded_bytes; /* and faster than up to seven, where the second axis is padded */
} tsl_poisson_kernels;

/* ---- devices ------------------------------------------------------------------------------ */

/* A device's transforms and work space. */
typedef struct tsl_poisson_solver tsl_poisson_solver;

typedef struct tsl_poisson_ops {
    bool memory_is_host; /* the device's memory can be read and written here */
    /* Settle row, width and blocks of a grid whose n, m, precision and part of the octant are
     * known, and whether it goes by lines, if that is asked for. */
    void (*layout)(const tsl_context *context, tsl_poisson_grid *grid,
                   const tsl_poisson_share *share);
    /* Ranks of `size` that solve fastest together; NULL: all. */
    int (*ranks)(const tsl_context *context, const tsl_poisson_grid *grid, int size);
    /* Segments of an exchange where none are asked for; the same on all ranks. */
    int (*segments)(const tsl_poisson_grid *grid, const tsl_poisson_share *share);
    /* Device memory that create() takes. */
    int64_t (*bytes)(tsl_context *context, const tsl_poisson_grid *grid,
                     const tsl_poisson_share *share);
    /* Host memory that create() takes besides and gives back; NULL: little. */
    int64_t (*planning_bytes)(const tsl_poisson_grid *grid, const tsl_poisson_share *share);
    /* `spectrum`, device memory, is borrowed: it must be filled before the first solve(). */
    tsl_status (*create)(tsl_poisson_solver **out, tsl_context *context,
                         const tsl_poisson_grid *grid, const tsl_poisson_share *share,
                         const void *spectrum);
    /* Divide the context's communicator among several ranks: once, when all have created theirs;
     * collective. */
    tsl_status (*divide)(tsl_poisson_solver *solver);
    /* See tsl_poisson_plan_time(). NULL: a solve is one stage. */
    void (*time)(tsl_poisson_solver *solver, tsl_poisson_times *times);
    void (*destroy)(tsl_poisson_solver *solver); /* NULL is fine */
    /* One right-hand side, of which this rank has its rows (tsl_poisson_rows_of()): its potential
     * or, for axis 0 to 2 rather than TSL_POISSON_POTENTIAL, minus that one's derivative along the
     * axis; asynchronous on the context's stream. */
    tsl_status (*solve)(tsl_poisson_solver *solver, void *out, const void *source, int axis);
    /* Sums over cells of a, of |a| and of a * b, to the host; waits. */
    tsl_status (*sums)(tsl_poisson_solver *solver, double sums[3], const void *a, const void *b,
                       int64_t cells);
    const tsl_poisson_kernels *kernels; /* NULL: memory is the host's, or ranks are not served */
} tsl_poisson_ops;

extern const tsl_poisson_ops tsl_poisson_cpu;

/* The table that a context solves with: its device's, or of several ranks with device memory the
 * stages that staged.c makes of the device's kernels. */
const tsl_poisson_ops *tsl_poisson_ops_of(const tsl_context *context);

/* From now on the times of the stages of this rank's solves are added to *times; NULL: no more. Of
 * a plan without overlap; solves wait for the device then. */
void tsl_poisson_plan_time(tsl_poisson_plan *plan, tsl_poisson_times *times);

/* ---- problems (problem.c) ----------------------------------------------------------------- */

/* Check options and settle the problem; errors go to the context. Not collective. */
tsl_status tsl_poisson_settle(tsl_poisson_problem *out, tsl_context *context,
                              const tsl_poisson_options *options);

/* Values of the Green's function that all ranks together sample while planning, some 100 ns each on
 * a thread; 0: there is none. */
double tsl_poisson_build_values(const tsl_poisson_problem *problem);

/* The rows of a rank as a box. */
tsl_box tsl_poisson_box_of(const tsl_poisson_problem *problem, int rank);

static inline int64_t tsl_box_cells(const tsl_box *box)
{
    int64_t cells = 1;
    for (int axis = 0; axis < 3; axis++) {
        const int64_t edge = box->end[axis] - box->begin[axis];
        cells *= edge > 0 ? edge : 0;
    }
    return cells;
}

/* ---- what ranks agree on (ranks.c) -------------------------------------------------------- */

/* Fails on all if they do not solve the same problem, on devices of one kind, or their boxes do not
 * cover the grid once. `boxes` [size][2]: sources and potentials of all. Collective. */
tsl_status tsl_poisson_meet(tsl_box *boxes, tsl_context *context,
                            const tsl_poisson_problem *problem, const tsl_poisson_options *options);

/* Ranks on a host share its memory, those on a GPU the GPU's. Fails on all if any has less than
 * they need, or is allowed less than it needs itself; `peak`: bytes that this rank will have taken
 * at most. Collective. */
tsl_status tsl_poisson_foresee(tsl_context *context, const tsl_poisson_problem *problem,
                               const tsl_poisson_options *options, int64_t peak);

/* ---- the fastest way (planner.c) ----------------------------------------------------------- */

/* Device memory that a plan holds: spectrum, solver and reshape. */
int64_t tsl_poisson_held_bytes(tsl_context *context, const tsl_poisson_problem *problem);

/* The most that a plan takes at one time, of the memory that ranks are bound in: where that is the
 * host's, building the spectrum counts, and planning transforms. */
int64_t tsl_poisson_peak_bytes(tsl_context *context, const tsl_poisson_problem *problem);

/* What a plan would take and do. */
void tsl_poisson_summarise(tsl_poisson_summary *out, tsl_context *context,
                           const tsl_poisson_problem *problem);

/* Is a plan to be measured that options leave to the rule? Where several GPUs would share a solve
 * and are far from each other, which the rule does not know, and all have room for that.
 * Collective, of ranks that have met. */
tsl_status tsl_poisson_must_measure(bool *must, tsl_context *context,
                                    const tsl_poisson_problem *problem,
                                    const tsl_poisson_options *options);

/* The most that measuring takes at one time; 0: nothing is measured. */
int64_t tsl_poisson_measure_bytes(tsl_context *context, const tsl_poisson_problem *problem,
                                  const tsl_poisson_options *options);
/* Try the ways that options leave open, and settle `problem` for the fastest, its boxes as they
 * are; `boxes` as of tsl_poisson_meet(). Collective. */
tsl_status tsl_poisson_measure(tsl_poisson_problem *problem, tsl_context *context,
                               const tsl_poisson_options *options, const tsl_box *boxes);

/* ---- boxes in and out (reshape.c) --------------------------------------------------------- */

/* Moves cells between ranks' boxes and their rows, in device memory. */
typedef struct tsl_poisson_reshape tsl_poisson_reshape;

/* Device memory that create() takes for cells; 0 for a rank whose boxes are its rows. */
int64_t tsl_poisson_reshape_bytes(const tsl_poisson_problem *problem);
/* NULL where all ranks' boxes are their rows. Not collective. */
tsl_status tsl_poisson_reshape_create(tsl_poisson_reshape **out, tsl_context *context,
                                      const tsl_poisson_problem *problem, const tsl_box *boxes);
void tsl_poisson_reshape_destroy(tsl_poisson_reshape *reshape); /* NULL is fine */

/* One right-hand side, from box to box; `axis` as of tsl_poisson_ops. */
tsl_status tsl_poisson_solve_boxes(tsl_context *context, tsl_poisson_solver *solver,
                                   tsl_poisson_reshape *reshape, void *result, const void *source,
                                   int axis);

/* ---- spectra (spectrum.c) ----------------------------------------------------------------- */

/* Bytes of this rank's part of the spectrum as it is kept, and of what building it takes besides,
 * on the host. */
int64_t tsl_poisson_spectrum_bytes(const tsl_poisson_problem *problem);
int64_t tsl_poisson_build_bytes(const tsl_context *context, const tsl_poisson_problem *problem);

/* Build the spectrum, on the host, in double precision, the same for all devices: for boxes without
 * a free axis the symbols of the three axes, else one octant of the Green's function's transform.
 * `spectrum` is host memory. Collective. */
tsl_status tsl_poisson_build(void *spectrum, tsl_context *context,
                             const tsl_poisson_problem *problem);

#endif
