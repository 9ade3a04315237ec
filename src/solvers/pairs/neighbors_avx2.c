/* Points of cells with AVX2. */
#include "solvers/pairs/neighbors_cpu.h"

#ifdef TSL_HAS_CELL_FUNCTIONS
#pragma GCC push_options
#pragma GCC target("avx2,bmi2,popcnt")

#include <immintrin.h>
#include <math.h>
#include <string.h>

#include "solvers/pairs/neighbors_point.h"

#define TSL_CLOSE_UP
enum { close_up_width_single = 8, close_up_width_double = 4 };

/* The places of the bits that are set, in eight 32-bit numbers, lowest first. */
static inline __attribute__((always_inline)) __m256i places(unsigned stay)
{
    const uint64_t bytes = _pdep_u64(stay, 0x0101010101010101U) * 0xFF;
    const uint64_t packed = _pext_u64(0x0706050403020100U, bytes);
    return _mm256_cvtepu8_epi32(_mm_cvtsi64_si128((int64_t)packed));
}

/* Those of a vector whose squares are below their limits and whose numbers are above `least`; how
 * many. Whole vectors are written. */
static inline __attribute__((always_inline)) int
close_up_single(float *kept, int32_t *indices, const float *square, const float *limit,
                const int32_t *order, int32_t least)
{
    const __m256 squares = _mm256_loadu_ps(square);
    const __m256i numbers = _mm256_loadu_si256((const __m256i *)(const void *)order);
    const __m256 near = _mm256_cmp_ps(squares, _mm256_loadu_ps(limit), _CMP_LT_OQ);
    const __m256i after = _mm256_cmpgt_epi32(numbers, _mm256_set1_epi32(least));
    const unsigned stay =
        (unsigned)_mm256_movemask_ps(_mm256_and_ps(near, _mm256_castsi256_ps(after)));
    const __m256i from = places(stay);
    _mm256_storeu_ps(kept, _mm256_permutevar8x32_ps(squares, from));
    _mm256_storeu_si256((__m256i *)(void *)indices, _mm256_permutevar8x32_epi32(numbers, from));
    return __builtin_popcount(stay);
}

static inline __attribute__((always_inline)) int
close_up_double(double *kept, int32_t *indices, const double *square, const double *limit,
                const int32_t *order, int32_t least)
{
    const __m256d squares = _mm256_loadu_pd(square);
    const __m128i numbers = _mm_loadu_si128((const __m128i *)(const void *)order);
    const __m256d near = _mm256_cmp_pd(squares, _mm256_loadu_pd(limit), _CMP_LT_OQ);
    const __m256i after = _mm256_cvtepi32_epi64(_mm_cmpgt_epi32(numbers, _mm_set1_epi32(least)));
    const unsigned stay =
        (unsigned)_mm256_movemask_pd(_mm256_and_pd(near, _mm256_castsi256_pd(after)));
    const __m256i halves = places(_pdep_u32(stay, 0x55) * 3); /* a number is two of them */
    const __m256i from = places(stay);
    _mm256_storeu_pd(kept,
                     _mm256_castps_pd(_mm256_permutevar8x32_ps(_mm256_castpd_ps(squares), halves)));
    _mm_storeu_si128((__m128i *)(void *)indices, _mm256_castsi256_si128(_mm256_permutevar8x32_epi32(
                                                     _mm256_castsi128_si256(numbers), from)));
    return __builtin_popcount(stay);
}

#define TSL_TEMPLATE "solvers/pairs/neighbors_cpu.inc"
#include "core/both_precisions.inc"

const tsl_cell_functions tsl_cell_functions_avx2 = TSL_CELL_FUNCTIONS;
#pragma GCC pop_options
#else
typedef int tsl_no_cell_functions_avx2; /* a file is not to be empty */
#endif
