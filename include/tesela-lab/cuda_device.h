/* What kernels may call: places, barriers, warps' operations, atomics, arithmetic. */
#ifndef TESELA_LAB_CUDA_DEVICE_H
#define TESELA_LAB_CUDA_DEVICE_H

#include <cmath>
#include <cstring>

#include "cuda_types.h"

/* ---- places --------------------------------------------------------------------------------- */

#ifdef __CUDA__
extern const __device__ uint3 threadIdx, blockIdx;
extern const __device__ dim3 blockDim, gridDim;
extern const __device__ int warpSize;
#else
#define TSL_LAB_PLACE3(T, what) (T{tsl_lab_##what(0), tsl_lab_##what(1), tsl_lab_##what(2)})
#define threadIdx TSL_LAB_PLACE3(uint3, thread_index)
#define blockIdx TSL_LAB_PLACE3(uint3, block_index)
#define blockDim TSL_LAB_PLACE3(dim3, block_size)
#define gridDim TSL_LAB_PLACE3(dim3, grid_size)
constexpr int warpSize = 32;
#endif

/* ---- barriers and fences -------------------------------------------------------------------- */

/* Plain calls of the runtime, so that each has the learner's line. */
extern "C" {
TSL_LAB_DEVICE void __syncthreads(void) TSL_LAB_APART;
TSL_LAB_DEVICE int __syncthreads_count(int predicate) TSL_LAB_APART;
TSL_LAB_DEVICE int __syncthreads_and(int predicate) TSL_LAB_APART;
TSL_LAB_DEVICE int __syncthreads_or(int predicate) TSL_LAB_APART;
TSL_LAB_DEVICE void __threadfence_block(void) TSL_LAB_APART;
TSL_LAB_DEVICE void __threadfence(void) TSL_LAB_APART;
TSL_LAB_DEVICE void __threadfence_system(void) TSL_LAB_APART;
TSL_LAB_DEVICE void __syncwarp(unsigned mask = 0xffffffffu) TSL_LAB_APART;
TSL_LAB_DEVICE unsigned __activemask(void) TSL_LAB_APART;
TSL_LAB_DEVICE unsigned __ballot_sync(unsigned mask, int predicate) TSL_LAB_APART;
TSL_LAB_DEVICE int __any_sync(unsigned mask, int predicate) TSL_LAB_APART;
TSL_LAB_DEVICE int __all_sync(unsigned mask, int predicate) TSL_LAB_APART;
}
TSL_LAB_MEETING void __nanosleep(unsigned)
{
    tsl_lab_sleep();
}
TSL_LAB_MEETING void __trap()
{
    tsl_lab_trap("__trap()");
}
TSL_LAB_MEETING long long clock64()
{
    return (long long)tsl_lab_clock();
}

/* ---- warps ---------------------------------------------------------------------------------- */

namespace tsl_lab
{
template <class T>
TSL_LAB_MEETING T shuffle(int operation, unsigned mask, T value, unsigned argument, int width)
{
    static_assert(sizeof(T) <= 8, "shuffles take values of up to 8 bytes");
    uint64_t bits = 0;
    __builtin_memcpy(&bits, &value, sizeof value);
    bits = tsl_lab_warp(operation, mask, bits, argument, (unsigned)width);
    T out;
    __builtin_memcpy((void *)&out, &bits, sizeof out);
    return out;
}
} // namespace tsl_lab
template <class T> TSL_LAB_MEETING T __shfl_sync(unsigned mask, T value, int lane, int width = 32)
{
    return tsl_lab::shuffle(TSL_LAB_SHUFFLE, mask, value, (unsigned)lane, width);
}
template <class T>
TSL_LAB_MEETING T __shfl_up_sync(unsigned mask, T value, unsigned by, int width = 32)
{
    return tsl_lab::shuffle(TSL_LAB_SHUFFLE_UP, mask, value, by, width);
}
template <class T>
TSL_LAB_MEETING T __shfl_down_sync(unsigned mask, T value, unsigned by, int width = 32)
{
    return tsl_lab::shuffle(TSL_LAB_SHUFFLE_DOWN, mask, value, by, width);
}
template <class T> TSL_LAB_MEETING T __shfl_xor_sync(unsigned mask, T value, int by, int width = 32)
{
    return tsl_lab::shuffle(TSL_LAB_SHUFFLE_XOR, mask, value, (unsigned)by, width);
}
template <class T> TSL_LAB_MEETING unsigned __match_any_sync(unsigned mask, T value)
{
    uint64_t bits = 0;
    __builtin_memcpy(&bits, &value, sizeof value);
    return (unsigned)tsl_lab_warp(TSL_LAB_MATCH, mask, bits, 0, 32);
}
template <class T> TSL_LAB_MEETING unsigned __match_all_sync(unsigned mask, T value, int *all)
{
    *all = __match_any_sync(mask, value) == mask;
    return *all ? mask : 0;
}
template <class T> TSL_LAB_MEETING T __reduce_add_sync(unsigned mask, T value)
{
    T sum = 0;
    for (int lane = 0; lane < 32; lane++) {
        const T other =
            __shfl_sync(mask, value, (mask >> lane & 1) != 0 ? lane : __builtin_ctz(mask));
        sum += (mask >> lane & 1) != 0 ? other : T(0);
    }
    return sum;
}
template <class T> TSL_LAB_MEETING T __reduce_max_sync(unsigned mask, T value)
{
    T most = value;
    for (int lane = 0; lane < 32; lane++) {
        const T other =
            __shfl_sync(mask, value, (mask >> lane & 1) != 0 ? lane : __builtin_ctz(mask));
        most = other > most ? other : most;
    }
    return most;
}
template <class T> TSL_LAB_MEETING T __reduce_min_sync(unsigned mask, T value)
{
    T least = value;
    for (int lane = 0; lane < 32; lane++) {
        const T other =
            __shfl_sync(mask, value, (mask >> lane & 1) != 0 ? lane : __builtin_ctz(mask));
        least = other < least ? other : least;
    }
    return least;
}

/* ---- atomics -------------------------------------------------------------------------------- */

namespace tsl_lab
{
template <class T> TSL_LAB_KERNEL_INLINE uint64_t bits_of(T value)
{
    uint64_t bits = 0;
    __builtin_memcpy(&bits, &value, sizeof value);
    return bits;
}
template <class T> TSL_LAB_KERNEL_INLINE T atomic(T *address, int operation, T value, T other = T())
{
    const uint64_t old =
        tsl_lab_atomic((void *)address, sizeof(T), operation, bits_of(value), bits_of(other));
    T out;
    __builtin_memcpy((void *)&out, &old, sizeof out);
    return out;
}
} // namespace tsl_lab

#define TSL_LAB_ATOMIC(T, name, operation)                                                         \
    TSL_LAB_KERNEL_INLINE T name(T *address, T value)                                              \
    {                                                                                              \
        return tsl_lab::atomic(address, operation, value);                                         \
    }                                                                                              \
    TSL_LAB_KERNEL_INLINE T name##_block(T *address, T value)                                      \
    {                                                                                              \
        return tsl_lab::atomic(address, operation, value);                                         \
    }                                                                                              \
    TSL_LAB_KERNEL_INLINE T name##_system(T *address, T value)                                     \
    {                                                                                              \
        return tsl_lab::atomic(address, operation, value);                                         \
    }
#define TSL_LAB_ATOMICS(T, least, most)                                                            \
    TSL_LAB_ATOMIC(T, atomicAdd, TSL_LAB_ADD)                                                      \
    TSL_LAB_ATOMIC(T, atomicExch, TSL_LAB_EXCHANGE)                                                \
    TSL_LAB_ATOMIC(T, atomicAnd, TSL_LAB_AND)                                                      \
    TSL_LAB_ATOMIC(T, atomicOr, TSL_LAB_OR)                                                        \
    TSL_LAB_ATOMIC(T, atomicXor, TSL_LAB_XOR)                                                      \
    TSL_LAB_ATOMIC(T, atomicMin, least)                                                            \
    TSL_LAB_ATOMIC(T, atomicMax, most)                                                             \
    TSL_LAB_KERNEL_INLINE T atomicSub(T *address, T value)                                         \
    {                                                                                              \
        return tsl_lab::atomic(address, TSL_LAB_ADD, (T)(0 - value));                              \
    }                                                                                              \
    TSL_LAB_KERNEL_INLINE T atomicCAS(T *address, T compare, T value)                              \
    {                                                                                              \
        return tsl_lab::atomic(address, TSL_LAB_COMPARE, value, compare);                          \
    }                                                                                              \
    TSL_LAB_KERNEL_INLINE T atomicCAS_block(T *address, T compare, T value)                        \
    {                                                                                              \
        return tsl_lab::atomic(address, TSL_LAB_COMPARE, value, compare);                          \
    }
TSL_LAB_ATOMICS(int, TSL_LAB_MIN_SIGNED, TSL_LAB_MAX_SIGNED)
TSL_LAB_ATOMICS(unsigned, TSL_LAB_MIN, TSL_LAB_MAX)
TSL_LAB_ATOMICS(long long, TSL_LAB_MIN_SIGNED, TSL_LAB_MAX_SIGNED)
TSL_LAB_ATOMICS(unsigned long long, TSL_LAB_MIN, TSL_LAB_MAX)
TSL_LAB_ATOMIC(unsigned, atomicInc, TSL_LAB_INCREMENT)
TSL_LAB_ATOMIC(unsigned, atomicDec, TSL_LAB_DECREMENT)
TSL_LAB_ATOMIC(float, atomicAdd, TSL_LAB_ADD_FLOAT)
TSL_LAB_ATOMIC(float, atomicExch, TSL_LAB_EXCHANGE)
TSL_LAB_ATOMIC(double, atomicAdd, TSL_LAB_ADD_FLOAT)

/* ---- integers ------------------------------------------------------------------------------- */

TSL_LAB_INLINE int __popc(unsigned x)
{
    return __builtin_popcount(x);
}
TSL_LAB_INLINE int __popcll(unsigned long long x)
{
    return __builtin_popcountll(x);
}
TSL_LAB_INLINE int __clz(int x)
{
    return x == 0 ? 32 : __builtin_clz((unsigned)x);
}
TSL_LAB_INLINE int __clzll(long long x)
{
    return x == 0 ? 64 : __builtin_clzll((unsigned long long)x);
}
TSL_LAB_INLINE int __ffs(int x)
{
    return __builtin_ffs(x);
}
TSL_LAB_INLINE int __ffsll(long long x)
{
    return __builtin_ffsll(x);
}
TSL_LAB_INLINE unsigned __brev(unsigned x)
{
    unsigned out = 0;
    for (int i = 0; i < 32; i++) {
        out |= (x >> i & 1u) << (31 - i);
    }
    return out;
}
TSL_LAB_INLINE int __mul24(int a, int b)
{
    return (int)((unsigned)(a << 8 >> 8) * (unsigned)(b << 8 >> 8));
}
TSL_LAB_INLINE unsigned __umul24(unsigned a, unsigned b)
{
    return (a & 0xffffff) * (b & 0xffffff);
}
TSL_LAB_INLINE int __mulhi(int a, int b)
{
    return (int)((long long)a * b >> 32);
}
TSL_LAB_INLINE unsigned __umulhi(unsigned a, unsigned b)
{
    return (unsigned)((unsigned long long)a * b >> 32);
}
TSL_LAB_INLINE unsigned __sad(int a, int b, unsigned c)
{
    return c + (unsigned)(a > b ? a - b : b - a);
}
TSL_LAB_INLINE unsigned __funnelshift_l(unsigned low, unsigned high, unsigned by)
{
    return (unsigned)((((unsigned long long)high << 32 | low) << (by & 31)) >> 32);
}
TSL_LAB_INLINE unsigned __funnelshift_r(unsigned low, unsigned high, unsigned by)
{
    return (unsigned)(((unsigned long long)high << 32 | low) >> (by & 31));
}
template <class T> TSL_LAB_KERNEL_INLINE T __ldg(const T *address)
{
    return *address;
}
template <class T> TSL_LAB_KERNEL_INLINE T __ldcg(const T *address)
{
    return *address;
}
template <class T> TSL_LAB_KERNEL_INLINE T __ldcs(const T *address)
{
    return *address;
}
template <class T> TSL_LAB_KERNEL_INLINE void __stcs(T *address, T value)
{
    *address = value;
}
template <class T> TSL_LAB_KERNEL_INLINE void __stcg(T *address, T value)
{
    *address = value;
}

/* ---- real numbers --------------------------------------------------------------------------- */

#define TSL_LAB_PICK(T)                                                                            \
    TSL_LAB_INLINE T min(T a, T b)                                                                 \
    {                                                                                              \
        return b < a ? b : a;                                                                      \
    }                                                                                              \
    TSL_LAB_INLINE T max(T a, T b)                                                                 \
    {                                                                                              \
        return a < b ? b : a;                                                                      \
    }
TSL_LAB_PICK(int)
TSL_LAB_PICK(unsigned)
TSL_LAB_PICK(long)
TSL_LAB_PICK(unsigned long)
TSL_LAB_PICK(long long)
TSL_LAB_PICK(unsigned long long)
TSL_LAB_PICK(float)
TSL_LAB_PICK(double)
#define TSL_LAB_PICK_MIXED(R, A, B)                                                                \
    TSL_LAB_INLINE R min(A a, B b)                                                                 \
    {                                                                                              \
        return min((R)a, (R)b);                                                                    \
    }                                                                                              \
    TSL_LAB_INLINE R max(A a, B b)                                                                 \
    {                                                                                              \
        return max((R)a, (R)b);                                                                    \
    }
TSL_LAB_PICK_MIXED(unsigned, int, unsigned)
TSL_LAB_PICK_MIXED(unsigned, unsigned, int)
TSL_LAB_PICK_MIXED(double, float, double)
TSL_LAB_PICK_MIXED(double, double, float)

/* Of the card's reduced precision only the result's type is kept: these are as exact as libm. */
#define TSL_LAB_FAST(name, function)                                                               \
    TSL_LAB_KERNEL_INLINE float name(float x)                                                      \
    {                                                                                              \
        return function(x);                                                                        \
    }
TSL_LAB_FAST(__sinf, __builtin_sinf)
TSL_LAB_FAST(__cosf, __builtin_cosf)
TSL_LAB_FAST(__tanf, __builtin_tanf)
TSL_LAB_FAST(__expf, __builtin_expf)
TSL_LAB_FAST(__logf, __builtin_logf)
TSL_LAB_FAST(__log2f, __builtin_log2f)
TSL_LAB_FAST(__log10f, __builtin_log10f)
TSL_LAB_FAST(__fsqrt_rn, __builtin_sqrtf)
TSL_LAB_KERNEL_INLINE void __sincosf(float x, float *sine, float *cosine)
{
    *sine = __builtin_sinf(x);
    *cosine = __builtin_cosf(x);
}
TSL_LAB_KERNEL_INLINE float __exp10f(float x)
{
    return __builtin_powf(10, x);
}
TSL_LAB_KERNEL_INLINE float __powf(float x, float y)
{
    return __builtin_powf(x, y);
}
TSL_LAB_INLINE float __fdividef(float x, float y)
{
    return x / y;
}
TSL_LAB_INLINE float __fdiv_rn(float x, float y)
{
    return x / y;
}
TSL_LAB_INLINE float __frcp_rn(float x)
{
    return 1 / x;
}
TSL_LAB_INLINE float __fadd_rn(float x, float y)
{
    return x + y;
}
TSL_LAB_INLINE float __fmul_rn(float x, float y)
{
    return x * y;
}
TSL_LAB_INLINE double __dadd_rn(double x, double y)
{
    return x + y;
}
TSL_LAB_INLINE double __dmul_rn(double x, double y)
{
    return x * y;
}
TSL_LAB_KERNEL_INLINE float __fmaf_rn(float x, float y, float z)
{
    return __builtin_fmaf(x, y, z);
}
TSL_LAB_KERNEL_INLINE double __fma_rn(double x, double y, double z)
{
    return __builtin_fma(x, y, z);
}
TSL_LAB_INLINE float rsqrtf(float x)
{
    return 1 / __builtin_sqrtf(x);
}
TSL_LAB_INLINE double rsqrt(double x)
{
    return 1 / __builtin_sqrt(x);
}
TSL_LAB_INLINE float __frsqrt_rn(float x)
{
    return rsqrtf(x);
}
TSL_LAB_INLINE float __saturatef(float x)
{
    return x > 0 ? (x < 1 ? x : 1) : 0;
}
TSL_LAB_KERNEL_INLINE float sinpif(float x)
{
    return (float)__builtin_sin(3.14159265358979323846 * x);
}
TSL_LAB_KERNEL_INLINE float cospif(float x)
{
    return (float)__builtin_cos(3.14159265358979323846 * x);
}
TSL_LAB_KERNEL_INLINE double sinpi(double x)
{
    return __builtin_sin(3.14159265358979323846 * x);
}
TSL_LAB_KERNEL_INLINE double cospi(double x)
{
    return __builtin_cos(3.14159265358979323846 * x);
}

#define TSL_LAB_CAST(To, name, From)                                                               \
    TSL_LAB_INLINE To name(From x)                                                                 \
    {                                                                                              \
        To out;                                                                                    \
        static_assert(sizeof out == sizeof x, "a cast of bits");                                   \
        __builtin_memcpy(&out, &x, sizeof out);                                                    \
        return out;                                                                                \
    }
TSL_LAB_CAST(int, __float_as_int, float)
TSL_LAB_CAST(unsigned, __float_as_uint, float)
TSL_LAB_CAST(float, __int_as_float, int)
TSL_LAB_CAST(float, __uint_as_float, unsigned)
TSL_LAB_CAST(long long, __double_as_longlong, double)
TSL_LAB_CAST(double, __longlong_as_double, long long)
TSL_LAB_INLINE double __hiloint2double(int high, int low)
{
    return __longlong_as_double(
        (long long)((unsigned long long)(unsigned)high << 32 | (unsigned)low));
}
TSL_LAB_INLINE int __double2hiint(double x)
{
    return (int)(__double_as_longlong(x) >> 32);
}
TSL_LAB_INLINE int __double2loint(double x)
{
    return (int)__double_as_longlong(x);
}
TSL_LAB_INLINE int __float2int_rn(float x)
{
    return (int)__builtin_rintf(x);
}
TSL_LAB_INLINE int __float2int_rz(float x)
{
    return (int)x;
}
TSL_LAB_INLINE int __float2int_rd(float x)
{
    return (int)__builtin_floorf(x);
}
TSL_LAB_INLINE int __float2int_ru(float x)
{
    return (int)__builtin_ceilf(x);
}
TSL_LAB_INLINE unsigned __float2uint_rz(float x)
{
    return (unsigned)x;
}
TSL_LAB_INLINE float __int2float_rn(int x)
{
    return (float)x;
}
TSL_LAB_INLINE float __uint2float_rn(unsigned x)
{
    return (float)x;
}
TSL_LAB_INLINE int __double2int_rn(double x)
{
    return (int)__builtin_rint(x);
}
TSL_LAB_INLINE double __int2double_rn(int x)
{
    return x;
}

#endif
