#include "solvers/scf/integrals/integrals.h"

#include <math.h>

/* F_m(x) by its series of positive terms, exp(-x) sum_i (2x)^i / ((2m+1)(2m+3) ... (2m+2i+1)). */
static long double boys_series(int m, long double x)
{
    long double term = 1 / (2 * (long double)m + 1), sum = term;
    for (int i = 1; term > sum * 1e-21L; i++) {
        term *= 2 * x / (2 * (m + i) + 1);
        sum += term;
    }
    return expl(-x) * sum;
}

void tsl_boys_fill(double *table)
{
    enum { HIGHEST = TSL_BOYS_COLUMNS - 2 };
    for (int i = 0; i < TSL_BOYS_ROWS; i++) {
        double *row = table + (size_t)i * TSL_BOYS_COLUMNS;
        const long double x = (long double)i / TSL_BOYS_STEPS;
        long double f = boys_series(HIGHEST, x);
        row[HIGHEST + 1] = (double)expl(-x);
        for (int m = HIGHEST; m >= 0; m--) {
            row[m] = (double)f;
            f = m > 0 ? (2 * x * f + expl(-x)) / (2 * m - 1) : f;
        }
    }
}
