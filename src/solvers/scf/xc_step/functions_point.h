/* Contracted Gaussian functions and their gradients on a point. */
#ifndef TSL_XC_STEP_FUNCTIONS_POINT_H
#define TSL_XC_STEP_FUNCTIONS_POINT_H

#include <math.h>
#include <stdint.h>
#include <string.h>

#include "core/point.h"

/* A primitive whose exponential is below e^-80 = 2e-35 on all points of a group is left out there.
 */
#define TSL_XC_STEP_NOTHING 80.0

/* e^a for -708 <= a <= 0, within 1 ulp, without a branch: a vector on a CPU. The same bits on all
 * devices. */
TSL_FN double tsl_xc_step_exp(double a)
{
    const double magic = 6755399441055744.0; /* 1.5 2^52: rounds to the nearest integer */
    const double held = a < -708.0 ? -708.0 : a;
    const double shifted = fma(held, 1.4426950408889634074, magic);
    const double n = shifted - magic;
    const double r = fma(-n, 1.90821492927058770002e-10, fma(-n, 6.93147180369123816490e-1, held));
    double p = 1.6059043836821614599e-10;
    p = fma(p, r, 2.0876756987868098979e-9);
    p = fma(p, r, 2.5052108385441718775e-8);
    p = fma(p, r, 2.7557319223985890653e-7);
    p = fma(p, r, 2.7557319223985890653e-6);
    p = fma(p, r, 2.4801587301587301587e-5);
    p = fma(p, r, 1.9841269841269841270e-4);
    p = fma(p, r, 1.3888888888888888889e-3);
    p = fma(p, r, 8.3333333333333333333e-3);
    p = fma(p, r, 4.1666666666666666667e-2);
    p = fma(p, r, 1.6666666666666666667e-1);
    p = fma(p, r, 0.5);
    p = fma(p, r, 1.0);
    uint64_t bits;
    double scale;
    memcpy(&bits, &shifted, sizeof bits);
    bits = (bits + 1023) << 52;
    memcpy(&scale, &bits, sizeof scale);
    return scale * fma(p, r, 1.0);
}

#endif
