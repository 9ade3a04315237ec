/* Points with weights on a device, and all arrays of calls at them. */
#ifndef TSL_TESTS_XC_GRIDS_H
#define TSL_TESTS_XC_GRIDS_H

#include "solvers/xc/points.h"

/* How a grid lies in memory, and what is wanted. */
typedef struct grid_kind {
    const char *functional;
    tsl_xc_family family;
    int polarised, order;
    tsl_xc_layout layout;
    bool is_float; /* the inputs */
} grid_kind;

typedef struct grid {
    grid_kind kind;
    tsl_context *context;
    tsl_xc_plan *plan;
    int64_t points;
    tsl_xc_arrays arrays; /* of all points: inputs, weights, and outputs from `exc` on */
    int64_t results;      /* numbers from exc on: all outputs, energies of groups, the energy */
    double *density;      /* host, [points]: the total; */
    double *weight;       /* and weights of both signs */
    void *input;          /* device memory */
    double *output;
} grid;

/* Inputs are numbers that a float can be; the first are the smallest and the largest of them. */
void grid_open(grid *g, tsl_context *context, const grid_kind *kind, int64_t points);
void grid_close(grid *g);

/* The call at points `first` on, a multiple of a group. No sum of all groups is wanted. */
tsl_xc_arrays grid_from(const grid *g, int64_t first);

/* All results, [results], on the host; the caller releases them. */
double *grid_read(const grid *g);
/* Set all bytes of the results. */
void grid_clear(const grid *g);

#endif
