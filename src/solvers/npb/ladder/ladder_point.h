/* EP's arithmetic as the benchmark's own program has it: random numbers in double precision by
 * halves of 23 bits, the library's logarithm and root. */
#ifndef TSL_LADDER_POINT_H
#define TSL_LADDER_POINT_H

#include <math.h>
#include <stdint.h>

#include "core/point.h"
#include "solvers/npb/ep_point.h"

/* x <- a x mod 2^46; returns x 2^-46. Both are whole numbers below 2^46. */
TSL_FN double tsl_ladder_random(double *x, double a)
{
    const double a1 = (double)(int32_t)(a * 0x1p-23);
    const double a2 = a - a1 * 0x1p23;
    const double x1 = (double)(int32_t)(*x * 0x1p-23);
    const double x2 = *x - x1 * 0x1p23;
    const double middle = a1 * x2 + a2 * x1;
    const double z = middle - (double)(int32_t)(middle * 0x1p-23) * 0x1p23;
    const double sum = z * 0x1p23 + a2 * x2;
    *x = sum - (double)(int32_t)(sum * 0x1p-46) * 0x1p46;
    return *x * 0x1p-46;
}

/* The seed of part `part`: the benchmark's, times an^part by repeated squaring. `an`: the
 * multiplier that takes a state one part on. */
TSL_FN double tsl_ladder_seed(int64_t part, double an)
{
    double seed = 271828183;
    double power = an;
    for (; part > 0; part /= 2) {
        if (part % 2 != 0) {
            tsl_ladder_random(&seed, power);
        }
        const double square = power;
        tsl_ladder_random(&power, square);
    }
    return seed;
}

/* The multiplier `an` of the seeds' generator for parts of `pairs` pairs. */
TSL_FN double tsl_ladder_an(int pairs)
{
    const uint64_t power = tsl_random_power(TSL_RANDOM_MULTIPLIER, 2 * (uint64_t)pairs);
    return (double)(power & ((UINT64_C(1) << TSL_RANDOM_BITS) - 1));
}

/* `count` numbers in a row. */
TSL_FN void tsl_ladder_fill(double *numbers, int count, double seed)
{
    for (int i = 0; i < count; i++) {
        numbers[i] = tsl_ladder_random(&seed, 1220703125);
    }
}

/* The pair of two numbers: if it is within the unit circle, adds its deviates to x and y and
 * returns the annulus it counts in; else -1. */
TSL_FN int tsl_ladder_pair(const double *numbers, double *x, double *y)
{
    const double x1 = 2 * numbers[0] - 1;
    const double x2 = 2 * numbers[1] - 1;
    const double t = x1 * x1 + x2 * x2;
    if (t > 1) {
        return -1;
    }
    const double factor = sqrt(-2 * log(t) / t);
    const double gx = x1 * factor;
    const double gy = x2 * factor;
    *x += gx;
    *y += gy;
    return (int)fmax(fabs(gx), fabs(gy));
}

#endif
