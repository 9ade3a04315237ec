/* Discrete Fourier transforms of 1 to 16 points held in registers,
 *
 *     v[k] <- sum_j v[j] exp(-2 pi i j k / n)
 *
 * for the lengths n of TSL_RADICES below. Composite lengths go by two factors (Cooley and Tukey
 * 1965), odd primes by sums and differences of mirrored points. All indices are constants once the
 * loops are unrolled, so that compilers fold the roots of unity and keep the points in registers.
 */
#ifndef TSL_DFT_POINT_H
#define TSL_DFT_POINT_H

#include <math.h>

#include "core/point.h"

/* cos and sin of 2 pi k / n, 0 <= k < n, to 1e-16: arithmetic alone, which compilers do themselves
 * where k and n are constants. */
TSL_FN void tsl_unit_root(int k, int n, double *cosine, double *sine)
{
    const int octant = 8 * k / n;
    const int rest = 8 * k - octant * n;
    const double x = 0.78539816339744830962 / n * (octant % 2 ? n - rest : rest);
    const double y = x * x;
    const double c =
        1 -
        y / 2 *
            (1 -
             y / 12 *
                 (1 -
                  y / 30 *
                      (1 - y / 56 * (1 - y / 90 * (1 - y / 132 * (1 - y / 182 * (1 - y / 240)))))));
    const double s =
        x *
        (1 -
         y / 6 *
             (1 - y / 20 *
                      (1 - y / 42 * (1 - y / 72 * (1 - y / 110 * (1 - y / 156 * (1 - y / 210)))))));
    const int swapped = octant == 1 || octant == 2 || octant == 5 || octant == 6;
    *cosine = (swapped ? s : c) * (octant >= 2 && octant < 6 ? -1 : 1);
    *sine = (swapped ? c : s) * (octant >= 4 ? -1 : 1);
}

/* Single precision: tsl_complex, tsl_dft_8, …; double: tsl_complex_double, tsl_dft_8_double, … */
#define TSL_TEMPLATE "blocks/fft/dft.inc"
#include "blocks/fft/both_lines.inc"

/* X(R) for each length there is a transform of; for those that lines of 2^k points take. */
#define TSL_RADICES(X) X(1) X(2) X(3) X(4) X(5) X(6) X(7) X(8) X(9) X(10) X(12) X(14) X(15) X(16)
#define TSL_RADICES_OF_TWO(X) X(2) X(4) X(8) X(16)

enum { TSL_RADIX_LARGEST = 16 };

#endif
