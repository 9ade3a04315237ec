/* Points with weights on a device, and all arrays of calls at them. */
#ifndef TSL_TESTS_XC_GRIDS_H
#define TSL_TESTS_XC_GRIDS_H

#include "solvers/xc/points.h"

/* A functional, the highest order of derivatives that is wanted, and how the arrays lie in memory.
 */
typedef struct grid_kind {
    const char *functional;
    tsl_xc_family family;
    int polarised, order;
    tsl_xc_layout layout;
    bool is_float; /* inputs are floats */
    bool is_odd;   /* the first points are NaN, negative and infinite */
} grid_kind;

typedef struct grid {
    grid_kind kind;
    tsl_context *context;
    tsl_xc_plan *plan;
    int64_t points;
    tsl_xc_arrays arrays; /* of all points: inputs, weights, and outputs from `exc` on */
    int64_t results;      /* numbers from exc on: all outputs, energies of groups, the energy */
    double *density;      /* host, [points]: of both spins */
    double *weight;       /* host, [points]: from -1 to 1 */
    void *input;          /* device memory */
    double *output;
} grid;

/* Make the plan, the inputs, which are values that a float has, and memory for all results. The
 * first four points are at the ends of what inputs may be, or beyond. */
void grid_open(grid *g, tsl_context *context, const grid_kind *kind, int64_t points);
void grid_close(grid *g);

/* The call for points from `first`, a multiple of TSL_XC_GROUP, on; its `energy` is NULL. */
tsl_xc_arrays grid_from(const grid *g, int64_t first);

/* All results, [results], on the host; the caller releases them. */
double *grid_read(const grid *g);
/* Fill the results with numbers that no evaluation gives. */
void grid_clear(const grid *g);

#endif
