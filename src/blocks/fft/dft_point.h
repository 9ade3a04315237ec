/* Discrete Fourier transforms of 1 to 16 points held in registers, in single precision,
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

typedef struct tsl_complex {
    float re, im;
} __attribute__((aligned(8))) tsl_complex;

TSL_FN tsl_complex tsl_complex_of(float re, float im)
{
    tsl_complex z;
    z.re = re;
    z.im = im;
    return z;
}

/* a b + c, rounded once where that is cheap. */
TSL_FN float tsl_multiply_add(float a, float b, float c)
{
#ifdef __CUDA_ARCH__
    return fmaf(a, b, c);
#else
    return a * b + c;
#endif
}

TSL_FN tsl_complex tsl_plus(tsl_complex a, tsl_complex b)
{
    return tsl_complex_of(a.re + b.re, a.im + b.im);
}

TSL_FN tsl_complex tsl_minus(tsl_complex a, tsl_complex b)
{
    return tsl_complex_of(a.re - b.re, a.im - b.im);
}

TSL_FN tsl_complex tsl_times(tsl_complex a, tsl_complex b)
{
    return tsl_complex_of(tsl_multiply_add(a.re, b.re, -(a.im * b.im)),
                          tsl_multiply_add(a.re, b.im, a.im * b.re));
}

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
             y / 12 * (1 - y / 30 * (1 - y / 56 * (1 - y / 90 * (1 - y / 132 * (1 - y / 182))))));
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

/* exp(-2 pi i k / n) */
TSL_FN tsl_complex tsl_root(int k, int n)
{
    double cosine, sine;
    tsl_unit_root(k, n, &cosine, &sine);
    return tsl_complex_of((float)cosine, (float)-sine);
}

/* v exp(-2 pi i k / n), cheaply for eighths of a turn. */
TSL_FN tsl_complex tsl_turned(tsl_complex v, int k, int n)
{
    const float half = 0.70710678F;
    if (k == 0) {
        return v;
    }
    if (2 * k == n) {
        return tsl_complex_of(-v.re, -v.im);
    }
    if (4 * k == n) {
        return tsl_complex_of(v.im, -v.re);
    }
    if (4 * k == 3 * n) {
        return tsl_complex_of(-v.im, v.re);
    }
    if (8 * k == n) {
        return tsl_complex_of((v.re + v.im) * half, (v.im - v.re) * half);
    }
    if (8 * k == 3 * n) {
        return tsl_complex_of((v.im - v.re) * half, -(v.re + v.im) * half);
    }
    return tsl_times(v, tsl_root(k, n));
}

TSL_FN void tsl_dft_1(tsl_complex *v)
{
    (void)v;
}

TSL_FN void tsl_dft_2(tsl_complex *v)
{
    const tsl_complex sum = tsl_plus(v[0], v[1]);
    v[1] = tsl_minus(v[0], v[1]);
    v[0] = sum;
}

/* An odd prime P: v[m] and v[P - m] from sums and differences of v[k] and v[P - k]. */
#define TSL_DFT_PRIME(P)                                                                           \
    TSL_FN void tsl_dft_##P(tsl_complex *v)                                                        \
    {                                                                                              \
        enum { N = (P), HALF = (P) / 2 };                                                          \
        tsl_complex sum[HALF + 1], difference[HALF + 1];                                           \
        const tsl_complex first = v[0];                                                            \
        TSL_UNROLL                                                                                 \
        for (int k = 1; k <= HALF; k++) {                                                          \
            sum[k] = tsl_plus(v[k], v[N - k]);                                                     \
            difference[k] = tsl_minus(v[k], v[N - k]);                                             \
            v[0] = tsl_plus(v[0], sum[k]);                                                         \
        }                                                                                          \
        TSL_UNROLL                                                                                 \
        for (int m = 1; m <= HALF; m++) {                                                          \
            tsl_complex even = first;                                                              \
            tsl_complex odd = tsl_complex_of(0, 0);                                                \
            TSL_UNROLL                                                                             \
            for (int k = 1; k <= HALF; k++) {                                                      \
                const tsl_complex root = tsl_root(m * k % N, N);                                   \
                even.re = tsl_multiply_add(sum[k].re, root.re, even.re);                           \
                even.im = tsl_multiply_add(sum[k].im, root.re, even.im);                           \
                odd.re = tsl_multiply_add(difference[k].re, root.im, odd.re);                      \
                odd.im = tsl_multiply_add(difference[k].im, root.im, odd.im);                      \
            }                                                                                      \
            v[m] = tsl_complex_of(even.re - odd.im, even.im + odd.re);                             \
            v[N - m] = tsl_complex_of(even.re + odd.im, even.im - odd.re);                         \
        }                                                                                          \
    }

/* N = A B: B transforms of A points, turns, A transforms of B points. */
#define TSL_DFT_COMPOSITE(N, A, B)                                                                 \
    TSL_FN void tsl_dft_##N(tsl_complex *v)                                                        \
    {                                                                                              \
        enum { FIRST = (A), SECOND = (B) };                                                        \
        tsl_complex turned[FIRST * SECOND];                                                        \
        TSL_UNROLL                                                                                 \
        for (int j = 0; j < SECOND; j++) {                                                         \
            tsl_complex part[FIRST];                                                               \
            TSL_UNROLL                                                                             \
            for (int i = 0; i < FIRST; i++) {                                                      \
                part[i] = v[i * SECOND + j];                                                       \
            }                                                                                      \
            tsl_dft_##A(part);                                                                     \
            TSL_UNROLL                                                                             \
            for (int i = 0; i < FIRST; i++) {                                                      \
                turned[i * SECOND + j] = tsl_turned(part[i], i * j, FIRST * SECOND);               \
            }                                                                                      \
        }                                                                                          \
        TSL_UNROLL                                                                                 \
        for (int i = 0; i < FIRST; i++) {                                                          \
            tsl_dft_##B(turned + i * SECOND);                                                      \
            TSL_UNROLL                                                                             \
            for (int k = 0; k < SECOND; k++) {                                                     \
                v[i + FIRST * k] = turned[i * SECOND + k];                                         \
            }                                                                                      \
        }                                                                                          \
    }

TSL_DFT_PRIME(3)
TSL_DFT_PRIME(5)
TSL_DFT_PRIME(7)
TSL_DFT_COMPOSITE(4, 2, 2)
TSL_DFT_COMPOSITE(6, 2, 3)
TSL_DFT_COMPOSITE(8, 2, 4)
TSL_DFT_COMPOSITE(9, 3, 3)
TSL_DFT_COMPOSITE(10, 2, 5)
TSL_DFT_COMPOSITE(12, 4, 3)
TSL_DFT_COMPOSITE(14, 2, 7)
TSL_DFT_COMPOSITE(15, 3, 5)
TSL_DFT_COMPOSITE(16, 4, 4)

/* X(R) for each length there is a transform of. */
#define TSL_RADICES(X) X(1) X(2) X(3) X(4) X(5) X(6) X(7) X(8) X(9) X(10) X(12) X(14) X(15) X(16)

enum { TSL_RADIX_LARGEST = 16 };

#endif
