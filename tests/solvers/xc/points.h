/* Points of test grids: log-spaced densities, reduced gradients, polarisations and kinetic
 * energies; or points around a molecule. */
#ifndef TSL_TESTS_XC_POINTS_H
#define TSL_TESTS_XC_POINTS_H

#include "solvers/xc/xc.h"

/* Where they lie. */
typedef struct points_range {
    double density[2];  /* of the total, log-uniform */
    double gradient[2]; /* s of each spin, log-uniform */
    double emptiest;    /* 1 - |zeta| at least, log-uniform up to 1 */
    double alpha[2];    /* (tau - tau_W) / tau of the uniform gas, log-uniform */
} points_range;

/* Fill inputs [count][inputs of the family] a point a row. `range` NULL: points around water, where
 * the density is 1e-6 at least and s of each spin 3 at most; with two spins an electron is missing.
 */
void points_make(double *in, int64_t count, tsl_xc_family family, int polarised,
                 const points_range *range, uint64_t seed);

/* The scale of each output up to an order: |exc of the uniform gas's exchange|, and rho times that
 * over the variables of a derivative. */
void points_scales(double *scale, const double *in, tsl_xc_family family, int polarised, int order);

/* A call's arrays of memory of the device, by point, on one allocation; released by
 * points_release(). `plan` must be by point. Returns what evaluation returned; on success `out`
 * [count][outputs] has a row a point. */
tsl_status points_evaluate(double *out, tsl_xc_plan *plan, tsl_context *context, const double *in,
                           int64_t count, tsl_xc_family family, int polarised, int order);

#endif
