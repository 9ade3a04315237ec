/* Half precision, as CUDA's cuda_fp16.h has it: __half and __half2, conversions, arithmetic,
 * comparisons, functions, atomicAdd(). Each operation of arithmetic is rounded once, to nearest
 * with ties to even; of functions such as hexp() libm's result for a float is rounded to half. */
#ifndef TESELA_LAB_CUDA_FP16_H
#define TESELA_LAB_CUDA_FP16_H

#include <limits>

#include "cuda_runtime.h"
#include "half_bits.h"

/* ---- types ---------------------------------------------------------------------------------- */

namespace tsl_lab
{
/* x without its fraction. What T cannot hold becomes its least or largest number, not-a-number 0.
 */
template <class T> TSL_LAB_INLINE T whole_number(double x)
{
    typedef std::numeric_limits<T> limits;
    return x != x                       ? T(0)
           : x <= (double)limits::min() ? limits::min()
           : x >= (double)limits::max() ? limits::max()
                                        : (T)x;
}
} // namespace tsl_lab

struct __align__(2) __half_raw
{
    unsigned short x;
};
struct __align__(4) __half2_raw
{
    unsigned short x, y;
};

#define TSL_LAB_HALF_FROM(T)                                                                       \
    TSL_LAB_INLINE __half(T value) : bits(tsl_lab_half_of((double)value))                          \
    {                                                                                              \
    }                                                                                              \
    TSL_LAB_INLINE __half &operator=(T value)                                                      \
    {                                                                                              \
        bits = tsl_lab_half_of((double)value);                                                     \
        return *this;                                                                              \
    }
#define TSL_LAB_HALF_WHOLE(T)                                                                      \
    TSL_LAB_HALF_FROM(T)                                                                           \
    TSL_LAB_INLINE operator T() const                                                              \
    {                                                                                              \
        return tsl_lab::whole_number<T>(tsl_lab_half_value(bits));                                 \
    }
struct __align__(2) __half
{
    unsigned short bits;
    __half() = default;
    TSL_LAB_INLINE __half(__half_raw raw) : bits(raw.x)
    {
    }
    TSL_LAB_INLINE operator __half_raw() const
    {
        return __half_raw{bits};
    }
    TSL_LAB_INLINE operator float() const
    {
        return tsl_lab_half_value(bits);
    }
    TSL_LAB_INLINE operator bool() const
    {
        return (bits & 0x7fff) != 0;
    }
    TSL_LAB_HALF_FROM(float)
    TSL_LAB_HALF_FROM(double)
    TSL_LAB_HALF_WHOLE(short)
    TSL_LAB_HALF_WHOLE(unsigned short)
    TSL_LAB_HALF_WHOLE(int)
    TSL_LAB_HALF_WHOLE(unsigned)
    TSL_LAB_HALF_WHOLE(long long)
    TSL_LAB_HALF_WHOLE(unsigned long long)
};
struct __align__(4) __half2
{
    __half x, y;
    TSL_LAB_INLINE __half2(const __half &low, const __half &high) : x(low), y(high)
    {
    }
    TSL_LAB_INLINE __half2(__half2_raw raw) : x(__half_raw{raw.x}), y(__half_raw{raw.y})
    {
    }
    TSL_LAB_WHOLE(__half2)
};
typedef __half half;
typedef __half2 half2;
typedef __half __nv_half;
typedef __half2 __nv_half2;

/* ---- conversions ---------------------------------------------------------------------------- */

TSL_LAB_INLINE __half __ushort_as_half(unsigned short bits)
{
    return __half(__half_raw{bits});
}
TSL_LAB_INLINE __half __short_as_half(short bits)
{
    return __ushort_as_half((unsigned short)bits);
}
TSL_LAB_INLINE unsigned short __half_as_ushort(__half h)
{
    return h.bits;
}
TSL_LAB_INLINE short __half_as_short(__half h)
{
    return (short)h.bits;
}
TSL_LAB_INLINE float __half2float(__half h)
{
    return tsl_lab_half_value(h.bits);
}
TSL_LAB_INLINE __half __float2half(float x)
{
    return __half(x);
}
TSL_LAB_INLINE __half __float2half_rn(float x)
{
    return __half(x);
}
TSL_LAB_INLINE __half __double2half(double x)
{
    return __half(x);
}

namespace tsl_lab
{
/* The half next to `h`, larger or smaller in size. */
TSL_LAB_INLINE __half beside(__half h, int by)
{
    return __ushort_as_half((unsigned short)(h.bits + by));
}
/* The nearest half that is not larger in size, not larger, not smaller than x. */
TSL_LAB_INLINE __half half_towards_zero(double x)
{
    const __half h(x);
    return __builtin_fabs((double)(float)h) > __builtin_fabs(x) ? beside(h, -1) : h;
}
TSL_LAB_INLINE __half half_down(double x)
{
    const __half h(x);
    return !((double)(float)h > x) ? h : beside(h, x < 0 ? 1 : -1);
}
TSL_LAB_INLINE __half half_up(double x)
{
    const __half h = half_down(-x);
    return x != x ? h : __ushort_as_half(h.bits ^ 0x8000);
}
} // namespace tsl_lab

#define TSL_LAB_TO_HALF(T, name)                                                                   \
    TSL_LAB_INLINE __half name##_rz(T x)                                                           \
    {                                                                                              \
        return tsl_lab::half_towards_zero((double)x);                                              \
    }                                                                                              \
    TSL_LAB_INLINE __half name##_rd(T x)                                                           \
    {                                                                                              \
        return tsl_lab::half_down((double)x);                                                      \
    }                                                                                              \
    TSL_LAB_INLINE __half name##_ru(T x)                                                           \
    {                                                                                              \
        return tsl_lab::half_up((double)x);                                                        \
    }
#define TSL_LAB_HALF_NUMBER(T, word)                                                               \
    TSL_LAB_TO_HALF(T, __##word##2half)                                                            \
    TSL_LAB_INLINE __half __##word##2half_rn(T x)                                                  \
    {                                                                                              \
        return __half(x);                                                                          \
    }                                                                                              \
    TSL_LAB_INLINE T __half2##word##_rn(__half h)                                                  \
    {                                                                                              \
        return tsl_lab::whole_number<T>(__builtin_rint((double)(float)h));                         \
    }                                                                                              \
    TSL_LAB_INLINE T __half2##word##_rz(__half h)                                                  \
    {                                                                                              \
        return tsl_lab::whole_number<T>((float)h);                                                 \
    }                                                                                              \
    TSL_LAB_INLINE T __half2##word##_rd(__half h)                                                  \
    {                                                                                              \
        return tsl_lab::whole_number<T>(__builtin_floor((double)(float)h));                        \
    }                                                                                              \
    TSL_LAB_INLINE T __half2##word##_ru(__half h)                                                  \
    {                                                                                              \
        return tsl_lab::whole_number<T>(__builtin_ceil((double)(float)h));                         \
    }
TSL_LAB_TO_HALF(float, __float2half)
TSL_LAB_HALF_NUMBER(short, short)
TSL_LAB_HALF_NUMBER(unsigned short, ushort)
TSL_LAB_HALF_NUMBER(int, int)
TSL_LAB_HALF_NUMBER(unsigned, uint)
TSL_LAB_HALF_NUMBER(long long, ll)
TSL_LAB_HALF_NUMBER(unsigned long long, ull)

/* ---- pairs ---------------------------------------------------------------------------------- */

#define TSL_LAB_PAIR(name, parameters, low, high)                                                  \
    TSL_LAB_INLINE __half2 name parameters                                                         \
    {                                                                                              \
        return __half2(low, high);                                                                 \
    }
TSL_LAB_PAIR(make_half2, (__half a, __half b), a, b)
TSL_LAB_PAIR(__halves2half2, (__half a, __half b), a, b)
TSL_LAB_PAIR(__half2half2, (__half a), a, a)
TSL_LAB_PAIR(__float2half2_rn, (float a), __half(a), __half(a))
TSL_LAB_PAIR(__floats2half2_rn, (float a, float b), __half(a), __half(b))
TSL_LAB_PAIR(__float22half2_rn, (float2 a), __half(a.x), __half(a.y))
TSL_LAB_PAIR(__low2half2, (__half2 a), a.x, a.x)
TSL_LAB_PAIR(__high2half2, (__half2 a), a.y, a.y)
TSL_LAB_PAIR(__lows2half2, (__half2 a, __half2 b), a.x, b.x)
TSL_LAB_PAIR(__highs2half2, (__half2 a, __half2 b), a.y, b.y)
TSL_LAB_PAIR(__lowhigh2highlow, (__half2 a), a.y, a.x)
TSL_LAB_INLINE __half __low2half(__half2 a)
{
    return a.x;
}
TSL_LAB_INLINE __half __high2half(__half2 a)
{
    return a.y;
}
TSL_LAB_INLINE float __low2float(__half2 a)
{
    return (float)a.x;
}
TSL_LAB_INLINE float __high2float(__half2 a)
{
    return (float)a.y;
}
TSL_LAB_INLINE float2 __half22float2(__half2 a)
{
    return make_float2((float)a.x, (float)a.y);
}

/* ---- arithmetic ----------------------------------------------------------------------------- */

namespace tsl_lab
{
TSL_LAB_INLINE double value(__half h)
{
    return (double)tsl_lab_half_value(h.bits);
}
/* a b + c: the product is exact; a sum that a double cannot hold is made odd in its last bit, by
 * which rounding it once more gives what rounding the exact sum would. */
TSL_LAB_INLINE __half fused(__half a, __half b, __half c)
{
    const double product = value(a) * value(b), addend = value(c), sum = product + addend;
    const double part = sum - product;
    const double error = (product - (sum - part)) + (addend - part);
    uint64_t bits;
    __builtin_memcpy(&bits, &sum, sizeof bits);
    if (error - error == 0 && error != 0 && (bits & 1) == 0) {
        bits += (error > 0) == (sum > 0) ? 1 : -1;
    }
    double odd;
    __builtin_memcpy(&odd, &bits, sizeof odd);
    return __half(odd);
}
TSL_LAB_INLINE __half saturated(__half h)
{
    return !((float)h > 0) ? __half(0) : (float)h > 1 ? __half(1) : h;
}
} // namespace tsl_lab

#define TSL_LAB_HALF_BINARY(name, name2, result)                                                   \
    TSL_LAB_INLINE __half name(__half a, __half b)                                                 \
    {                                                                                              \
        return result;                                                                             \
    }                                                                                              \
    TSL_LAB_INLINE __half2 name2(__half2 a, __half2 b)                                             \
    {                                                                                              \
        return __half2(name(a.x, b.x), name(a.y, b.y));                                            \
    }
#define TSL_LAB_HALF_TERNARY(name, name2, result)                                                  \
    TSL_LAB_INLINE __half name(__half a, __half b, __half c)                                       \
    {                                                                                              \
        return result;                                                                             \
    }                                                                                              \
    TSL_LAB_INLINE __half2 name2(__half2 a, __half2 b, __half2 c)                                  \
    {                                                                                              \
        return __half2(name(a.x, b.x, c.x), name(a.y, b.y, c.y));                                  \
    }
#define TSL_LAB_HALF_UNARY(name, name2, result)                                                    \
    TSL_LAB_INLINE __half name(__half a)                                                           \
    {                                                                                              \
        return result;                                                                             \
    }                                                                                              \
    TSL_LAB_INLINE __half2 name2(__half2 a)                                                        \
    {                                                                                              \
        return __half2(name(a.x), name(a.y));                                                      \
    }
TSL_LAB_HALF_BINARY(__hadd, __hadd2, __half(tsl_lab::value(a) + tsl_lab::value(b)))
TSL_LAB_HALF_BINARY(__hsub, __hsub2, __half(tsl_lab::value(a) - tsl_lab::value(b)))
TSL_LAB_HALF_BINARY(__hmul, __hmul2, __half(tsl_lab::value(a) * tsl_lab::value(b)))
TSL_LAB_HALF_BINARY(__hdiv, __h2div, __half(tsl_lab::value(a) / tsl_lab::value(b)))
TSL_LAB_HALF_BINARY(__hadd_rn, __hadd2_rn, __hadd(a, b))
TSL_LAB_HALF_BINARY(__hsub_rn, __hsub2_rn, __hsub(a, b))
TSL_LAB_HALF_BINARY(__hmul_rn, __hmul2_rn, __hmul(a, b))
TSL_LAB_HALF_BINARY(__hadd_sat, __hadd2_sat, tsl_lab::saturated(__hadd(a, b)))
TSL_LAB_HALF_BINARY(__hsub_sat, __hsub2_sat, tsl_lab::saturated(__hsub(a, b)))
TSL_LAB_HALF_BINARY(__hmul_sat, __hmul2_sat, tsl_lab::saturated(__hmul(a, b)))
TSL_LAB_HALF_TERNARY(__hfma, __hfma2, tsl_lab::fused(a, b, c))
TSL_LAB_HALF_TERNARY(__hfma_sat, __hfma2_sat, tsl_lab::saturated(__hfma(a, b, c)))
TSL_LAB_HALF_UNARY(__hneg, __hneg2,
                   __ushort_as_half((a.bits & 0x7fff) > 0x7c00 ? 0x7fff : a.bits ^ 0x8000))
TSL_LAB_HALF_UNARY(__habs, __habs2, __ushort_as_half(a.bits & 0x7fff))
TSL_LAB_HALF_UNARY(hsqrt, h2sqrt, __half(__builtin_sqrt(tsl_lab::value(a))))
TSL_LAB_HALF_UNARY(hrsqrt, h2rsqrt, __half(1 / __builtin_sqrt(tsl_lab::value(a))))
TSL_LAB_HALF_UNARY(hrcp, h2rcp, __half(1 / tsl_lab::value(a)))
TSL_LAB_HALF_UNARY(htrunc, h2trunc, __half(__builtin_trunc(tsl_lab::value(a))))
TSL_LAB_HALF_UNARY(hfloor, h2floor, __half(__builtin_floor(tsl_lab::value(a))))
TSL_LAB_HALF_UNARY(hceil, h2ceil, __half(__builtin_ceil(tsl_lab::value(a))))
TSL_LAB_HALF_UNARY(hrint, h2rint, __half(__builtin_rint(tsl_lab::value(a))))
TSL_LAB_HALF_UNARY(hexp, h2exp, __half(__builtin_expf((float)a)))
TSL_LAB_HALF_UNARY(hexp2, h2exp2, __half(__builtin_exp2f((float)a)))
TSL_LAB_HALF_UNARY(hexp10, h2exp10, __half(__builtin_powf(10, (float)a)))
TSL_LAB_HALF_UNARY(hlog, h2log, __half(__builtin_logf((float)a)))
TSL_LAB_HALF_UNARY(hlog2, h2log2, __half(__builtin_log2f((float)a)))
TSL_LAB_HALF_UNARY(hlog10, h2log10, __half(__builtin_log10f((float)a)))
TSL_LAB_HALF_UNARY(hsin, h2sin, __half(__builtin_sinf((float)a)))
TSL_LAB_HALF_UNARY(hcos, h2cos, __half(__builtin_cosf((float)a)))
TSL_LAB_HALF_UNARY(htanh, h2tanh, __half(__builtin_tanhf((float)a)))

/* ---- comparisons ---------------------------------------------------------------------------- */

TSL_LAB_INLINE bool __hisnan(__half a)
{
    return (a.bits & 0x7fff) > 0x7c00;
}
TSL_LAB_INLINE int __hisinf(__half a)
{
    return a.bits == 0x7c00 ? 1 : a.bits == 0xfc00 ? -1 : 0;
}
/* Of the first names not-a-number makes the result false, of those that end in u true. */
#define TSL_LAB_HALF_COMPARE(word, operation)                                                      \
    TSL_LAB_INLINE bool __h##word(__half a, __half b)                                              \
    {                                                                                              \
        return !__hisnan(a) && !__hisnan(b) && (float)a operation(float) b;                        \
    }                                                                                              \
    TSL_LAB_INLINE bool __h##word##u(__half a, __half b)                                           \
    {                                                                                              \
        return __hisnan(a) || __hisnan(b) || (float)a operation(float) b;                          \
    }                                                                                              \
    TSL_LAB_INLINE bool __hb##word##2(__half2 a, __half2 b)                                        \
    {                                                                                              \
        return __h##word(a.x, b.x) && __h##word(a.y, b.y);                                         \
    }                                                                                              \
    TSL_LAB_INLINE bool __hb##word##u2(__half2 a, __half2 b)                                       \
    {                                                                                              \
        return __h##word##u(a.x, b.x) && __h##word##u(a.y, b.y);                                   \
    }                                                                                              \
    TSL_LAB_INLINE __half2 __h##word##2(__half2 a, __half2 b)                                      \
    {                                                                                              \
        return __half2(__half((int)__h##word(a.x, b.x)), __half((int)__h##word(a.y, b.y)));        \
    }                                                                                              \
    TSL_LAB_INLINE __half2 __h##word##u2(__half2 a, __half2 b)                                     \
    {                                                                                              \
        return __half2(__half((int)__h##word##u(a.x, b.x)), __half((int)__h##word##u(a.y, b.y)));  \
    }
TSL_LAB_HALF_COMPARE(eq, ==)
TSL_LAB_HALF_COMPARE(ne, !=)
TSL_LAB_HALF_COMPARE(lt, <)
TSL_LAB_HALF_COMPARE(le, <=)
TSL_LAB_HALF_COMPARE(gt, >)
TSL_LAB_HALF_COMPARE(ge, >=)
namespace tsl_lab
{
/* By value, -0 before 0. */
TSL_LAB_INLINE bool before(__half a, __half b)
{
    return (float)a < (float)b || (a.bits == 0x8000 && b.bits == 0);
}
/* `one`, but a number where only the other is one. */
TSL_LAB_INLINE __half number_of(__half one, __half a, __half b)
{
    return __hisnan(a) ? (__hisnan(b) ? __ushort_as_half(0x7fff) : b) : __hisnan(b) ? a : one;
}
} // namespace tsl_lab
TSL_LAB_HALF_BINARY(__hmax, __hmax2, tsl_lab::number_of(tsl_lab::before(a, b) ? b : a, a, b))
TSL_LAB_HALF_BINARY(__hmin, __hmin2, tsl_lab::number_of(tsl_lab::before(b, a) ? b : a, a, b))

/* ---- operators ------------------------------------------------------------------------------ */

#define TSL_LAB_HALF_OPERATOR(T, operation, function)                                              \
    TSL_LAB_INLINE T operator operation(const T &a, const T &b)                                    \
    {                                                                                              \
        return function(a, b);                                                                     \
    }                                                                                              \
    TSL_LAB_INLINE T &operator operation##=(T &a, const T &b)                                      \
    {                                                                                              \
        a = function(a, b);                                                                        \
        return a;                                                                                  \
    }
#define TSL_LAB_HALF_RELATION(T, operation, function)                                              \
    TSL_LAB_INLINE bool operator operation(const T &a, const T &b)                                 \
    {                                                                                              \
        return function(a, b);                                                                     \
    }
#define TSL_LAB_HALF_SIGNS(T, one, negative)                                                       \
    TSL_LAB_INLINE T operator+(const T &a)                                                         \
    {                                                                                              \
        return a;                                                                                  \
    }                                                                                              \
    TSL_LAB_INLINE T operator-(const T &a)                                                         \
    {                                                                                              \
        return negative(a);                                                                        \
    }                                                                                              \
    TSL_LAB_INLINE T &operator++(T &a)                                                             \
    {                                                                                              \
        return a += one;                                                                           \
    }                                                                                              \
    TSL_LAB_INLINE T &operator--(T &a)                                                             \
    {                                                                                              \
        return a -= one;                                                                           \
    }                                                                                              \
    TSL_LAB_INLINE T operator++(T &a, int)                                                         \
    {                                                                                              \
        const T old = a;                                                                           \
        a += one;                                                                                  \
        return old;                                                                                \
    }                                                                                              \
    TSL_LAB_INLINE T operator--(T &a, int)                                                         \
    {                                                                                              \
        const T old = a;                                                                           \
        a -= one;                                                                                  \
        return old;                                                                                \
    }
TSL_LAB_HALF_OPERATOR(__half, +, __hadd)
TSL_LAB_HALF_OPERATOR(__half, -, __hsub)
TSL_LAB_HALF_OPERATOR(__half, *, __hmul)
TSL_LAB_HALF_OPERATOR(__half, /, __hdiv)
TSL_LAB_HALF_OPERATOR(__half2, +, __hadd2)
TSL_LAB_HALF_OPERATOR(__half2, -, __hsub2)
TSL_LAB_HALF_OPERATOR(__half2, *, __hmul2)
TSL_LAB_HALF_OPERATOR(__half2, /, __h2div)
TSL_LAB_HALF_RELATION(__half, ==, __heq)
TSL_LAB_HALF_RELATION(__half, !=, __hneu)
TSL_LAB_HALF_RELATION(__half, <, __hlt)
TSL_LAB_HALF_RELATION(__half, <=, __hle)
TSL_LAB_HALF_RELATION(__half, >, __hgt)
TSL_LAB_HALF_RELATION(__half, >=, __hge)
TSL_LAB_HALF_RELATION(__half2, ==, __hbeq2)
TSL_LAB_HALF_RELATION(__half2, !=, __hbneu2)
TSL_LAB_HALF_RELATION(__half2, <, __hblt2)
TSL_LAB_HALF_RELATION(__half2, <=, __hble2)
TSL_LAB_HALF_RELATION(__half2, >, __hbgt2)
TSL_LAB_HALF_RELATION(__half2, >=, __hbge2)
TSL_LAB_HALF_SIGNS(__half, __half(1), __hneg)
TSL_LAB_HALF_SIGNS(__half2, __half2(__half(1), __half(1)), __hneg2)

/* ---- atomics -------------------------------------------------------------------------------- */

TSL_LAB_KERNEL_INLINE __half atomicAdd(__half *address, __half value)
{
    return tsl_lab::atomic(address, TSL_LAB_ADD_HALF, value);
}
/* Each half is added by itself: a card, too, may let others in between. */
TSL_LAB_KERNEL_INLINE __half2 atomicAdd(__half2 *address, __half2 value)
{
    return tsl_lab::atomic(address, TSL_LAB_ADD_HALF, value);
}

#endif
