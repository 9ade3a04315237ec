/** @file simplex.h
 *  Index maps of triangles: which pair (i, j) the k-th element of a packed triangle is, and back.
 *
 *  A header of pure functions for anybody's C and CUDA: nothing to link, no state. All are exact
 *  for every count that an int64_t holds, and safe to call from any thread, on host and device.
 *
 *  Four triangles of an n x n array, each numbered row by row without gaps:
 *
 *      name          holds      k of (i, j)                    elements
 *      lower         j <= i     i (i + 1) / 2 + j              n (n + 1) / 2
 *      strict lower  j <  i     i (i - 1) / 2 + j              n (n - 1) / 2
 *      upper         j >= i     i n - i (i - 1) / 2 + j - i    n (n + 1) / 2
 *      condensed     j >  i     i n - i (i + 1) / 2 + j - i - 1
 *                                                              n (n - 1) / 2
 *
 *  The condensed order is that of SciPy's pdist().
 *
 *  Inverting k to i takes a square root. A root in floating point is a guess here that integers
 *  correct, by one step at most in the range above.
 */
#ifndef TESELA_SIMPLEX_H
#define TESELA_SIMPLEX_H

#include <math.h>
#include <stdint.h>

/** How the functions of this header are declared. */
#ifdef __CUDACC__
#define TSL_SIMPLEX_FN static __forceinline__ __host__ __device__
#else
#define TSL_SIMPLEX_FN static inline
#endif

#ifdef __cplusplus
extern "C" {
#endif

/** n (n + 1) / 2, for 0 <= n <= 4294967295. */
TSL_SIMPLEX_FN int64_t tsl_triangle_count(int64_t n)
{
    return n % 2 == 0 ? n / 2 * (n + 1) : (n + 1) / 2 * n;
}

/** The row of element k of a lower triangle: the largest i with i (i + 1) / 2 <= k; k >= 0.
 *  The column is k - tsl_triangle_count(i). */
TSL_SIMPLEX_FN int64_t tsl_lower_row(int64_t k)
{
    int64_t i = (int64_t)(sqrt(2.0 * (double)k + 0.25) - 0.5);
    while (tsl_triangle_count(i) > k) {
        i--;
    }
    while (k - tsl_triangle_count(i) > i) {
        i++;
    }
    return i;
}

/** The row of element k of a strict lower triangle; its column is k - tsl_triangle_count(i - 1). */
TSL_SIMPLEX_FN int64_t tsl_strict_lower_row(int64_t k)
{
    return tsl_lower_row(k) + 1;
}

/** The row of element k of an upper triangle, n rows, 0 <= k < n (n + 1) / 2. Its column is
 *  k - tsl_upper_base(n, i). */
TSL_SIMPLEX_FN int64_t tsl_upper_row(int64_t n, int64_t k)
{
    return n - 1 - tsl_lower_row(tsl_triangle_count(n) - 1 - k);
}

/** k of (i, j) less j, in an upper triangle. */
TSL_SIMPLEX_FN int64_t tsl_upper_base(int64_t n, int64_t i)
{
    return tsl_triangle_count(n) - tsl_triangle_count(n - i) - i;
}

/** The row of element k of a condensed triangle, n rows, 0 <= k < n (n - 1) / 2. Its column is
 *  k - tsl_condensed_base(n, i). */
TSL_SIMPLEX_FN int64_t tsl_condensed_row(int64_t n, int64_t k)
{
    return tsl_upper_row(n - 1, k);
}

/** k of (i, j) less j, in a condensed triangle: -1 for i = 0. */
TSL_SIMPLEX_FN int64_t tsl_condensed_base(int64_t n, int64_t i)
{
    return tsl_upper_base(n - 1, i) - 1;
}

#ifdef __cplusplus
}
#endif

#endif
