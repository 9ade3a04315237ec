/* Products of points for instruction sets that have fused multiplications and additions. */
#include "solvers/pairs/pairs.h"

#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__)
#include <immintrin.h>

/* Rows of a part: the compiler is to have each in registers of its own. */
#define EACH_ROW _Pragma("GCC unroll 8") for (int g = 0; g < TALL; g++)

/* What a vector is, and its two operations. */
#define LANES(suffix, type, vector, spread_by, fused_by)                                           \
    typedef vector lanes_##suffix;                                                                 \
    static inline vector spread_##suffix(type x)                                                   \
    {                                                                                              \
        return spread_by(x);                                                                       \
    }                                                                                              \
    static inline vector fused_##suffix(vector a, vector b, vector c)                              \
    {                                                                                              \
        return fused_by(a, b, c);                                                                  \
    }

#pragma GCC push_options
#pragma GCC target("avx2,fma")
LANES(avx2_single, float, __m256, _mm256_set1_ps, _mm256_fmadd_ps)
LANES(avx2_double, double, __m256d, _mm256_set1_pd, _mm256_fmadd_pd)
#define TALL 4
#define LEVEL(name) TSL_TEMPLATE_NAME(name##_avx2)
#define TSL_TEMPLATE "solvers/pairs/products/products_cpu.inc"
#include "core/both_precisions.inc"
#undef LEVEL
#undef TALL
#pragma GCC pop_options

#pragma GCC push_options
#pragma GCC target("avx512f")
LANES(avx512_single, float, __m512, _mm512_set1_ps, _mm512_fmadd_ps)
LANES(avx512_double, double, __m512d, _mm512_set1_pd, _mm512_fmadd_pd)
#define TALL 8
#define LEVEL(name) TSL_TEMPLATE_NAME(name##_avx512)
#define TSL_TEMPLATE "solvers/pairs/products/products_cpu.inc"
#include "core/both_precisions.inc"
#undef LEVEL
#undef TALL
#pragma GCC pop_options

const tsl_product_functions *tsl_product_functions_now(void)
{
    static const tsl_product_functions avx2 = {add_avx2_single, add_avx2_double},
                                       avx512 = {add_avx512_single, add_avx512_double};
    if (__builtin_cpu_supports("avx512f")) {
        return &avx512;
    }
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") ? &avx2 : NULL;
}
#else
const tsl_product_functions *tsl_product_functions_now(void)
{
    return NULL;
}
#endif
