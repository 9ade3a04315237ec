/* CUDA's qualifiers and vector types, for kernels that run on the CPU. C++17. */
#ifndef TESELA_LAB_CUDA_TYPES_H
#define TESELA_LAB_CUDA_TYPES_H

#include "tesela_lab.h"

#ifdef __CUDA__ /* clang's CUDA front end, which only diagnoses */
#define __global__ __attribute__((global))
#define __device__ __attribute__((device))
#define __host__ __attribute__((host))
#define __shared__ __attribute__((shared))
#define __constant__ __attribute__((constant))
#define __managed__ __attribute__((device))
#define __launch_bounds__(...) __attribute__((launch_bounds(__VA_ARGS__)))
#else /* variables of the device are marked by the rewriter, TSL_LAB_SHARED(1) and so on */
#define __global__ __attribute__((flatten, noinline))
#define __device__
#define __host__
#define __launch_bounds__(...)
#define __cluster_dims__(...)
#define TSL_LAB_TEXT(x) #x
#define TSL_LAB_PLACE(kind, number) __attribute__((section(kind TSL_LAB_TEXT(number)), used))
/* `type` is a typedef of the variable's type. */
#define TSL_LAB_BLOCK_VARIABLE(number, type, name)                                                 \
    type &name =                                                                                   \
        *(type *)tsl_lab_shared(number, __PRETTY_FUNCTION__, #name, sizeof(type), alignof(type))
#define TSL_LAB_DYNAMIC_VARIABLE(type, name)                                                       \
    type &name = reinterpret_cast<type &>(tsl_dynamic_shared)
#define TSL_LAB_SHARED(number) static TSL_LAB_PLACE("tsl_shared.", number)
#define TSL_LAB_VARIABLE(number) TSL_LAB_PLACE("tsl_device.", number)
#define TSL_LAB_CONSTANT(number) TSL_LAB_PLACE("tsl_constant.", number)
#define TSL_LAB_MANAGED(number) TSL_LAB_PLACE("tsl_managed.", number)
#endif
#define __grid_constant__
#define __forceinline__ inline __attribute__((always_inline))
#define __noinline__ __attribute__((noinline))
#define __inline_hint__
#define __align__(n) __attribute__((aligned(n)))
#define __builtin_align__(n) __attribute__((aligned(n)))
#ifndef __restrict__
#define __restrict__ __restrict
#endif
#define CUDART_CB
#define CUDART_VERSION 12000
#define CUDA_VERSION 12000
#define CUDARTAPI

#define TSL_LAB_INLINE TSL_LAB_BOTH __attribute__((always_inline)) inline
#define TSL_LAB_KERNEL_INLINE TSL_LAB_DEVICE __attribute__((always_inline)) inline
/* Of what threads do together. */
#define TSL_LAB_MEETING TSL_LAB_APART TSL_LAB_KERNEL_INLINE

/* A function whose accesses are those of the line that calls it, though it stands in the learner's
 * file. clang writes no debug information of it; with gcc the tag is in its name, and
 * src/lab/places.c passes over it. */
#ifdef __clang__
#define TSL_LAB_MADE TSL_LAB_INLINE __attribute__((nodebug))
#else
#define TSL_LAB_MADE TSL_LAB_INLINE __attribute__((abi_tag("tsl_lab")))
#endif

/* A vector is read and written whole, as one instruction of the card does; plain members would be
 * copied one by one, or not at all in sight. Of 16 bytes the access is volatile, by which the
 * runtime tells it from copies of other structs. */
namespace tsl_lab
{
typedef unsigned short __attribute__((may_alias)) whole_2;
typedef unsigned __attribute__((may_alias)) whole_4;
typedef unsigned long long __attribute__((may_alias)) whole_8;
typedef float whole_16 __attribute__((vector_size(16), may_alias));
/* Few parts are copied without a loop, so that a copy of which one part is used reads that part. */
template <int parts, class W> TSL_LAB_MADE void copy_parts(W *to, const W *from)
{
    if constexpr (parts > 16) {
        for (int i = 0; i < parts; i++) {
            to[i] = from[i];
        }
    } else if constexpr (parts > 0) {
        copy_parts<parts - 1>(to, from);
        to[parts - 1] = from[parts - 1];
    }
}
template <class W, class T> TSL_LAB_MADE void copy_as(T *to, const T *from)
{
    copy_parts<sizeof(T) / sizeof(W)>(reinterpret_cast<W *>(to), reinterpret_cast<const W *>(from));
}
template <class T> TSL_LAB_MADE void copy_whole(T *to, const T *from)
{
    constexpr int each = alignof(T) < 16 ? alignof(T) : 16;
    if constexpr (each == 16) {
        copy_as<volatile whole_16>(to, const_cast<T *>(from));
    } else if constexpr (each == 8) {
        copy_as<whole_8>(to, from);
    } else if constexpr (each == 4) {
        copy_as<whole_4>(to, from);
    } else if constexpr (each == 2) {
        copy_as<whole_2>(to, from);
    } else {
        copy_as<unsigned char>(to, from);
    }
}

/* The number that a struct's members begin with: in braces it begins the struct, but alone it is
 * none. So where inner braces are left out, numbers are not each taken for a struct. */
template <class T> struct leading_number {
    T value;
    TSL_LAB_MADE constexpr leading_number(T from) : value(from)
    {
    }
    TSL_LAB_MADE constexpr operator T() const
    {
        return value;
    }
};
template <class T, bool compound = __is_class(T) || __is_union(T)> struct leading {
    typedef leading_number<T> type;
};
template <class T> struct leading<T, true> {
    typedef T type;
};
} // namespace tsl_lab

/* For structs: see src/lab/structs.h. */
#define TSL_LAB_WHOLE(T)                                                                           \
    T() = default;                                                                                 \
    TSL_LAB_MADE T(const T &other)                                                                 \
    {                                                                                              \
        ::tsl_lab::copy_whole(this, &other);                                                       \
    }                                                                                              \
    TSL_LAB_MADE T &operator=(const T &other)                                                      \
    {                                                                                              \
        ::tsl_lab::copy_whole(this, &other);                                                       \
        return *this;                                                                              \
    }

/* Structs of the learner's that have no arrays get these constructors unless the file does not
 * compile with them. */
#ifdef TSL_LAB_PLAIN
#define TSL_LAB_MOSTLY(if_asked, ...) if_asked(__VA_ARGS__)
#define TSL_LAB_NUMBER(number) number
#else
#define TSL_LAB_MOSTLY(if_asked, ...) __VA_ARGS__
#define TSL_LAB_NUMBER(number) (-1)
#endif

#define TSL_LAB_VECTORS(E, name, align2, align4)                                                   \
    struct name##1                                                                                 \
    {                                                                                              \
        E x;                                                                                       \
    };                                                                                             \
    struct __align__(align2) name##2                                                               \
    {                                                                                              \
        E x, y;                                                                                    \
        TSL_LAB_INLINE constexpr name##2(::tsl_lab::leading_number<E> a, E b = 0) : x(a), y(b)     \
        {                                                                                          \
        }                                                                                          \
        TSL_LAB_WHOLE(name##2)                                                                     \
    };                                                                                             \
    struct name##3                                                                                 \
    {                                                                                              \
        E x, y, z;                                                                                 \
        TSL_LAB_INLINE constexpr name##3(::tsl_lab::leading_number<E> a, E b = 0, E c = 0)         \
            : x(a), y(b), z(c)                                                                     \
        {                                                                                          \
        }                                                                                          \
        TSL_LAB_WHOLE(name##3)                                                                     \
    };                                                                                             \
    struct __align__(align4) name##4                                                               \
    {                                                                                              \
        E x, y, z, w;                                                                              \
        TSL_LAB_INLINE constexpr name##4(::tsl_lab::leading_number<E> a, E b = 0, E c = 0,         \
                                         E d = 0)                                                  \
            : x(a), y(b), z(c), w(d)                                                               \
        {                                                                                          \
        }                                                                                          \
        TSL_LAB_WHOLE(name##4)                                                                     \
    };                                                                                             \
    TSL_LAB_INLINE name##1 make_##name##1(E x)                                                     \
    {                                                                                              \
        return name##1 {x};                                                                        \
    }                                                                                              \
    TSL_LAB_INLINE name##2 make_##name##2(E x, E y)                                                \
    {                                                                                              \
        return name##2(x, y);                                                                      \
    }                                                                                              \
    TSL_LAB_INLINE name##3 make_##name##3(E x, E y, E z)                                           \
    {                                                                                              \
        return name##3 {x, y, z};                                                                  \
    }                                                                                              \
    TSL_LAB_INLINE name##4 make_##name##4(E x, E y, E z, E w)                                      \
    {                                                                                              \
        return name##4(x, y, z, w);                                                                \
    }

TSL_LAB_VECTORS(signed char, char, 2, 4)
TSL_LAB_VECTORS(unsigned char, uchar, 2, 4)
TSL_LAB_VECTORS(short, short, 4, 8)
TSL_LAB_VECTORS(unsigned short, ushort, 4, 8)
TSL_LAB_VECTORS(int, int, 8, 16)
TSL_LAB_VECTORS(unsigned, uint, 8, 16)
TSL_LAB_VECTORS(long, long, 16, 16)
TSL_LAB_VECTORS(unsigned long, ulong, 16, 16)
TSL_LAB_VECTORS(long long, longlong, 16, 16)
TSL_LAB_VECTORS(unsigned long long, ulonglong, 16, 16)
TSL_LAB_VECTORS(float, float, 8, 16)
TSL_LAB_VECTORS(double, double, 16, 16)

struct dim3 {
    unsigned x, y, z;
    TSL_LAB_INLINE constexpr dim3(unsigned a = 1, unsigned b = 1, unsigned c = 1) : x(a), y(b), z(c)
    {
    }
    TSL_LAB_INLINE constexpr dim3(uint3 v) : x(v.x), y(v.y), z(v.z)
    {
    }
    TSL_LAB_INLINE constexpr operator uint3() const
    {
        return uint3{x, y, z};
    }
};

#endif
