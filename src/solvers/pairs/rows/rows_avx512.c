/* Rows of Euclidean distances in few coordinates for processors with AVX-512. */
#include "solvers/pairs/pairs.h"

#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__)
#pragma GCC push_options
#pragma GCC target("avx512f")

#include "solvers/pairs/rows/roots_avx512.h"

enum { VECTORS = 4 }; /* that are made together, every other one by the processor's square root */

/* Whole numbers that rise by one from lane to lane, from `by` in the first. */
static inline __m512i places_of_floats(int by)
{
    return _mm512_add_epi32(_mm512_set1_epi32(by), _mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9,
                                                                     10, 11, 12, 13, 14, 15));
}

static inline __m512i places_of_doubles(int by)
{
    return _mm512_add_epi64(_mm512_set1_epi64(by), _mm512_setr_epi64(0, 1, 2, 3, 4, 5, 6, 7));
}

#define LANES(suffix, type, vector, mask, ops, places)                                             \
    typedef vector lanes_##suffix;                                                                 \
    static inline vector spread_##suffix(type x)                                                   \
    {                                                                                              \
        return _mm512_set1_##ops(x);                                                               \
    }                                                                                              \
    static inline vector load_##suffix(const type *from)                                           \
    {                                                                                              \
        return _mm512_loadu_##ops(from);                                                           \
    }                                                                                              \
    static inline vector roots_##suffix(vector x)                                                  \
    {                                                                                              \
        return _mm512_sqrt_##ops(x);                                                               \
    }                                                                                              \
    static inline void store_##suffix(type *to, vector x, bool past_caches)                        \
    {                                                                                              \
        if (past_caches) {                                                                         \
            _mm512_stream_##ops(to, x);                                                            \
        } else {                                                                                   \
            _mm512_store_##ops(to, x);                                                             \
        }                                                                                          \
    }                                                                                              \
    static inline void store_some_##suffix(type *to, unsigned those, vector x)                     \
    {                                                                                              \
        _mm512_mask_storeu_##ops(to, (mask)those, x);                                              \
    }                                                                                              \
    /* Numbers `by`, by + 1, ... of two vectors one after the other. */                            \
    static inline vector shift_##suffix(vector one, vector two, int by)                            \
    {                                                                                              \
        return _mm512_permutex2var_##ops(one, places(by), two);                                    \
    }
LANES(single, float, __m512, __mmask16, ps, places_of_floats)
LANES(double, double, __m512d, __mmask8, pd, places_of_doubles)

#define TSL_TEMPLATE "solvers/pairs/rows/rows_avx512.inc"
#include "core/both_precisions.inc"
#pragma GCC pop_options

const tsl_row_functions *tsl_row_functions_now(void)
{
    static const tsl_row_functions avx512 = {row_avx512_single, row_avx512_double};
    return __builtin_cpu_supports("avx512f") ? &avx512 : NULL;
}
#else
const tsl_row_functions *tsl_row_functions_now(void)
{
    return NULL;
}
#endif
