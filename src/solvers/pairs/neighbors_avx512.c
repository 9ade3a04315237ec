/* Points of cells with AVX-512. */
#include "solvers/pairs/neighbors_cpu.h"

#ifdef TSL_HAS_CELL_FUNCTIONS
#pragma GCC push_options
#pragma GCC target("avx512f,avx512vl,avx512dq,avx512bw")

#include <immintrin.h>
#include <math.h>
#include <string.h>

#include "solvers/pairs/neighbors_point.h"

#define TSL_CLOSE_UP
enum { close_up_width_single = 16, close_up_width_double = 8 };

/* Those of a vector whose squares are below their limits and whose numbers are above `least`; how
 * many. Whole vectors are written. */
static inline __attribute__((always_inline)) int
close_up_single(float *kept, int32_t *indices, const float *square, const float *limit,
                const int32_t *order, int32_t least)
{
    const __m512 squares = _mm512_loadu_ps(square);
    const __m512i numbers = _mm512_loadu_si512(order);
    __mmask16 stay = _mm512_cmp_ps_mask(squares, _mm512_loadu_ps(limit), _CMP_LT_OQ);
    stay = _mm512_mask_cmpgt_epi32_mask(stay, numbers, _mm512_set1_epi32(least));
    _mm512_storeu_ps(kept, _mm512_maskz_compress_ps(stay, squares));
    _mm512_storeu_si512(indices, _mm512_maskz_compress_epi32(stay, numbers));
    return __builtin_popcount(stay);
}

static inline __attribute__((always_inline)) int
close_up_double(double *kept, int32_t *indices, const double *square, const double *limit,
                const int32_t *order, int32_t least)
{
    const __m512d squares = _mm512_loadu_pd(square);
    const __m256i numbers = _mm256_loadu_si256((const __m256i *)(const void *)order);
    __mmask8 stay = _mm512_cmp_pd_mask(squares, _mm512_loadu_pd(limit), _CMP_LT_OQ);
    stay = _mm256_mask_cmpgt_epi32_mask(stay, numbers, _mm256_set1_epi32(least));
    _mm512_storeu_pd(kept, _mm512_maskz_compress_pd(stay, squares));
    _mm256_storeu_si256((__m256i *)(void *)indices, _mm256_maskz_compress_epi32(stay, numbers));
    return __builtin_popcount(stay);
}

#define TSL_TEMPLATE "solvers/pairs/neighbors_cpu.inc"
#include "core/both_precisions.inc"

const tsl_cell_functions tsl_cell_functions_avx512 = TSL_CELL_FUNCTIONS;
#pragma GCC pop_options
#else
typedef int tsl_no_cell_functions_avx512; /* a file is not to be empty */
#endif
