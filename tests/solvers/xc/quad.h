/* The generated functions in binary128, 34 digits: what double precision is measured by. */
#ifndef TSL_TESTS_XC_QUAD_H
#define TSL_TESTS_XC_QUAD_H

#include "solvers/xc/xc.h"

/* Is there binary128 in this build? */
bool quad_is_there(void);

/* Outputs up to `order` of one unit at one point, rounded to double once. `in` and `out` in the
 * unit's order; `values` of its parameters. */
void quad_evaluate(double *out, int unit, int polarised, int order, const double *values,
                   const double *in);

#endif
