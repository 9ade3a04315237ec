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
    tsl_poisson_axis axis[3];
    tsl_poisson_kernel kernel;
    tsl_poisson_symbol symbol;
    double screening;
    double radius; /* of the truncated kernel */
    double factor; /* of the Green's function of a unit point charge: the equation's */
    int64_t count;
    bool checks_charge; /* a net charge is an error */
} tsl_poisson_problem;

/* A device's transforms and work space. */
typedef struct tsl_poisson_solver tsl_poisson_solver;

typedef struct tsl_poisson_ops {
    bool memory_is_host; /* the device's memory can be read and written here */
    /* Settle row, width and blocks of a grid whose n, m and precision are known. */
    void (*layout)(tsl_poisson_grid *grid);
    /* Device memory that create() takes. */
    int64_t (*bytes)(const tsl_context *context, const tsl_poisson_grid *grid);
    /* `spectrum`, device memory, is borrowed: it must be filled before the first solve(). */
    tsl_status (*create)(tsl_poisson_solver **out, tsl_context *context,
                         const tsl_poisson_grid *grid, const void *spectrum);
    void (*destroy)(tsl_poisson_solver *solver); /* NULL is fine */
    /* One right-hand side; asynchronous on the context's stream. */
    tsl_status (*solve)(tsl_poisson_solver *solver, void *potential, const void *source);
    /* Sums over the cells of a, of |a| and of a * b, to the host; waits. */
    tsl_status (*sums)(tsl_poisson_solver *solver, double sums[3], const void *a, const void *b);
} tsl_poisson_ops;

extern const tsl_poisson_ops tsl_poisson_cpu;

/* Check options and settle the problem; errors go to the context. */
tsl_status tsl_poisson_settle(tsl_poisson_problem *out, tsl_context *context,
                              const tsl_poisson_options *options);

/* Bytes of the spectrum as it is kept, and of what building it takes besides, on the host. */
int64_t tsl_poisson_spectrum_bytes(const tsl_poisson_problem *problem);
int64_t tsl_poisson_build_bytes(const tsl_context *context, const tsl_poisson_problem *problem);

/* Build the spectrum, on the host, in double precision, the same for all devices: for boxes without
 * a free axis the symbols of the three axes, else one octant of the Green's function's transform.
 * `spectrum` is host memory. */
tsl_status tsl_poisson_build(void *spectrum, tsl_context *context,
                             const tsl_poisson_problem *problem);

#endif
