/* The Boys function F_m(x), the integral of t^(2m) exp(-x t^2) from 0 to 1. */
#ifndef TSL_BOYS_POINT_H
#define TSL_BOYS_POINT_H

#include <math.h>

#include "core/point.h"

enum {
    TSL_BOYS_MAX = 24,   /* highest m */
    TSL_BOYS_TERMS = 8,  /* of the Taylor series about a point of the table */
    TSL_BOYS_END = 40,   /* the table is of x from 0 to here */
    TSL_BOYS_STEPS = 16, /* of it in 1 */
    TSL_BOYS_ROWS = TSL_BOYS_END * TSL_BOYS_STEPS + 1,
    TSL_BOYS_COLUMNS = TSL_BOYS_MAX + TSL_BOYS_TERMS + 1 /* F_0 ..., and exp(-x) last */
};

/* f[0 ... m] := F_0(x) ... F_m(x), x >= 0, by tsl_boys_table's numbers. Below x = 40 the highest is
 * a Taylor series about the nearest point of the table, whose terms are higher orders; the others
 * follow by downward recursion, of positive terms. From there on F_0 is sqrt(pi / x) / 2 to
 * rounding, and upward recursion loses less than two bits. Relative error below 1e-14. */
TSL_FN void tsl_boys(double *f, int m, double x, const double *table)
{
    if (x < (double)TSL_BOYS_END) {
        const int i = (int)(x * (double)TSL_BOYS_STEPS + 0.5);
        const double d = (double)i / (double)TSL_BOYS_STEPS - x;
        const double *row = table + i * TSL_BOYS_COLUMNS;
        const double *g = row + m;
        const double e =
            1 +
            d * (1 +
                 d / 2 *
                     (1 +
                      d / 3 * (1 + d / 4 * (1 + d / 5 * (1 + d / 6 * (1 + d / 7 * (1 + d / 8)))))));
        const double decay = row[TSL_BOYS_COLUMNS - 1] * e;
        f[m] = g[0] +
               d * (g[1] +
                    d / 2 *
                        (g[2] +
                         d / 3 *
                             (g[3] +
                              d / 4 * (g[4] + d / 5 * (g[5] + d / 6 * (g[6] + d / 7 * g[7]))))));
        for (int k = m; k > 0; k--) {
            f[k - 1] = (2 * x * f[k] + decay) / (2 * k - 1);
        }
        return;
    }
    const double decay = x < 120 ? exp(-x) : 0;
    f[0] = 0.88622692545275801 / sqrt(x);
    for (int k = 0; k < m; k++) {
        f[k + 1] = ((2 * k + 1) * f[k] - decay) / (2 * x);
    }
}

#endif
