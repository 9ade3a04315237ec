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
#include "poisson/poisson_point.h"
#include "poisson/share.h"
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

/* A device's transforms and work space. */
typedef struct tsl_poisson_solver tsl_poisson_solver;

typedef struct tsl_poisson_ops {
    bool memory_is_host; /* the device's memory can be read and written here */
    /* Settle row, width and blocks of a grid whose n, m, precision and part of the octant are
     * known, and whether it goes by lines, if that is asked for. */
    void (*layout)(tsl_poisson_grid *grid, const tsl_poisson_share *share);
    /* Device memory that create() takes. */
    int64_t (*bytes)(tsl_context *context, const tsl_poisson_grid *grid,
                     const tsl_poisson_share *share);
    /* `spectrum`, device memory, is borrowed: it must be filled before the first solve(). */
    tsl_status (*create)(tsl_poisson_solver **out, tsl_context *context,
                         const tsl_poisson_grid *grid, const tsl_poisson_share *share,
                         const void *spectrum);
    /* Divide the context's communicator among several ranks: once, when all have created theirs;
     * collective. */
    tsl_status (*divide)(tsl_poisson_solver *solver);
    void (*destroy)(tsl_poisson_solver *solver); /* NULL is fine */
    /* One right-hand side, of which this rank has its rows (tsl_poisson_rows_of()): its potential
     * or, for axis 0 to 2 rather than TSL_POISSON_POTENTIAL, minus that one's derivative along the
     * axis; asynchronous on the context's stream. */
    tsl_status (*solve)(tsl_poisson_solver *solver, void *out, const void *source, int axis);
    /* Sums over cells of a, of |a| and of a * b, to the host; waits. */
    tsl_status (*sums)(tsl_poisson_solver *solver, double sums[3], const void *a, const void *b,
                       int64_t cells);
} tsl_poisson_ops;

extern const tsl_poisson_ops tsl_poisson_cpu;

/* ---- problems (problem.c) ----------------------------------------------------------------- */

/* Check options and settle the problem; errors go to the context. Not collective. */
tsl_status tsl_poisson_settle(tsl_poisson_problem *out, tsl_context *context,
                              const tsl_poisson_options *options);

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

/* Ranks on a host share its memory. Fails on this rank alone if they need more than is free, or
 * this one more than it is allowed; `peak`: bytes that this rank will have taken at most. And on
 * all if they do not solve the same problem, or their boxes do not cover the grid once. `boxes`
 * [size][2]: sources and potentials of all. Collective. */
tsl_status tsl_poisson_meet(tsl_box *boxes, tsl_context *context,
                            const tsl_poisson_problem *problem, const tsl_poisson_options *options,
                            int64_t peak);

/* ---- the fastest way (planner.c) ----------------------------------------------------------- */

/* Device memory that a plan holds: spectrum, solver and reshape. */
int64_t tsl_poisson_held_bytes(tsl_context *context, const tsl_poisson_problem *problem);

/* The most that measuring takes at one time; 0: nothing is measured. */
int64_t tsl_poisson_measure_bytes(tsl_context *context, const tsl_poisson_problem *problem,
                                  const tsl_poisson_options *options);
/* Try the ways that options leave open, and settle `problem` for the fastest, its boxes as they
 * are. Collective. */
tsl_status tsl_poisson_measure(tsl_poisson_problem *problem, tsl_context *context,
                               const tsl_poisson_options *options);

/* ---- boxes in and out (reshape.c) --------------------------------------------------------- */

/* Moves cells between ranks' boxes and their rows, on the host. */
typedef struct tsl_poisson_reshape tsl_poisson_reshape;

/* Host memory that create() takes for cells; 0 for a rank whose boxes are its rows. */
int64_t tsl_poisson_reshape_bytes(const tsl_poisson_problem *problem);
/* Not collective. */
tsl_status tsl_poisson_reshape_create(tsl_poisson_reshape **out, tsl_context *context,
                                      const tsl_poisson_problem *problem, const tsl_box *boxes);
void tsl_poisson_reshape_destroy(tsl_poisson_reshape *reshape); /* NULL is fine */
/* `source` in this rank's box to its rows: *rows is `source` itself, or memory of the reshape's
 * that may be written. Collective. */
tsl_status tsl_poisson_reshape_in(tsl_poisson_reshape *reshape, const void **rows,
                                  const void *source);
/* Where the rows of the potential go, to be handed out to its box by _out(). */
void *tsl_poisson_reshape_target(tsl_poisson_reshape *reshape, void *potential);
tsl_status tsl_poisson_reshape_out(tsl_poisson_reshape *reshape, void *potential);

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
