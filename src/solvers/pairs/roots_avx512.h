/* Square roots by multiplications and additions of AVX-512, with the bits of the processor's own.
 *
 * Processors take square roots one vector at a time, and multiply and add meanwhile: with every
 * other vector's roots made so, twice as many are made. They begin with an estimate y of 1 /
 * sqrt(x) whose relative error is below 2^-14. With g = x y and h = y / 2 a step of
 *
 *     r = 1/2 - g h,   g += g r,   h += h r
 *
 * squares, times 3/2, the relative error of g, which is to be sqrt(x), and of h, which is to be
 * 1 / (2 sqrt(x)). Two steps in double precision, or one in single, leave g less than two units of
 * its last place away. Then d = x - g g is exact, and g + d h, rounded once, is the root rounded
 * (P. Markstein, IBM Journal of Research and Development 34, 111 (1990)), unless the root is next
 * to the middle m of two numbers. In double precision, with that unit as 1, g + d h is less than (4
 * + 2 * 2^4) / (2 g) away from the root before it is rounded, for the relative error of h is below
 * 2^-50 and g below 2^53. So nothing can go wrong where |x - m^2| is 40 or more. Tests take all x
 * with less than 1 000, and in single precision all numbers of two powers of two.
 *
 * For files that are compiled for AVX-512. */
#ifndef TSL_ROOTS_AVX512_H
#define TSL_ROOTS_AVX512_H

#include <immintrin.h>

/* Roots of numbers that are not odd. */
static inline __m512 tsl_step_roots_single(__m512 x)
{
    const __m512 half = _mm512_set1_ps(0.5F), y = _mm512_rsqrt14_ps(x);
    __m512 g = _mm512_mul_ps(x, y), h = _mm512_mul_ps(half, y);
    const __m512 r = _mm512_fnmadd_ps(g, h, half);
    g = _mm512_fmadd_ps(g, r, g);
    h = _mm512_fmadd_ps(h, r, h);
    return _mm512_fmadd_ps(_mm512_fnmadd_ps(g, g, x), h, g);
}

static inline __m512d tsl_step_roots_double(__m512d x)
{
    const __m512d half = _mm512_set1_pd(0.5), y = _mm512_rsqrt14_pd(x);
    __m512d g = _mm512_mul_pd(x, y), h = _mm512_mul_pd(half, y);
    for (int step = 0; step < 2; step++) {
        const __m512d r = _mm512_fnmadd_pd(g, h, half);
        g = _mm512_fmadd_pd(g, r, g);
        h = _mm512_fmadd_pd(h, r, h);
    }
    return _mm512_fmadd_pd(_mm512_fnmadd_pd(g, g, x), h, g);
}

/* Which are 0, below 0, not finite, nearly too large, or so small that x - g g would not be exact?
 */
static inline int tsl_are_odd_single(__m512 x)
{
    return _mm512_cmp_ps_mask(x, _mm512_set1_ps(0x1p-70F), _CMP_NGE_UQ) |
           _mm512_cmp_ps_mask(x, _mm512_set1_ps(0x1p126F), _CMP_GT_OQ);
}

static inline int tsl_are_odd_double(__m512d x)
{
    return _mm512_cmp_pd_mask(x, _mm512_set1_pd(0x1p-900), _CMP_NGE_UQ) |
           _mm512_cmp_pd_mask(x, _mm512_set1_pd(0x1p1020), _CMP_GT_OQ);
}

#endif
