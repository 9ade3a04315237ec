/* CUDA C for kernels that run on the CPU by `tesela lab run`: what a .cu file includes, or has
 * included for it. C++17; the file has gone through tesela's rewriter. */
#ifndef TESELA_LAB_CUDA_RUNTIME_H
#define TESELA_LAB_CUDA_RUNTIME_H
#define __CUDA_RUNTIME_H__ /* by which other headers know that they may use the library's types */
#define __DRIVER_TYPES_H__

#include "cuda_types.h" /* first: clang's own headers use __host__ and __device__ */

#include <cstdlib> /* and malloc() */

#include <algorithm>
#include <cassert>
#include <cfloat>
#include <climits>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <ctime>
#include <type_traits>
#include <utility>

#include "cuda_api.h"
#include "cuda_device.h"
#include "cuda_texture.h"

#ifdef __CUDA__
extern "C" unsigned __cudaPushCallConfiguration(dim3 grid, dim3 block, size_t shared = 0,
                                                cudaStream_t stream = 0);
extern "C" int cudaLaunchKernel(const void *kernel, dim3 grid, dim3 block, void **arguments,
                                size_t shared, cudaStream_t stream);
template <class K>
cudaError_t cudaLaunchKernel(K *kernel, dim3 grid, dim3 block, void **arguments, size_t shared = 0,
                             cudaStream_t stream = 0);
template <class K>
cudaError_t cudaLaunchCooperativeKernel(K *kernel, dim3 grid, dim3 block, void **arguments,
                                        size_t shared = 0, cudaStream_t stream = 0);
extern "C" __device__ int printf(const char *format, ...);
extern "C" __device__ void __assert_fail(const char *condition, const char *file, unsigned line,
                                         const char *function) __THROW;
#else

namespace tsl_lab
{
struct config {
    dim3 grid, block;
    size_t shared;
    cudaStream_t stream;
    config(dim3 g, dim3 b, size_t s = 0, cudaStream_t t = 0)
        : grid(g), block(b), shared(s), stream(t)
    {
    }
};

/* Does it run code of the class to pass a T by value? Then C++ passes the address of a copy, and
 * has a function that returns a T write it to the caller's memory (Itanium C++ ABI,
 * sections 3.1.2.3 and 3.1.3.1). */
template <class T>
constexpr bool runs_code =
    !std::is_trivially_destructible_v<T> ||
    (std::is_copy_constructible_v<T> && !std::is_trivially_copy_constructible_v<T>) ||
    (std::is_move_constructible_v<T> && !std::is_trivially_move_constructible_v<T>);

/* A T as the device has it: its bytes, which are copied as such, and which nothing destroys. */
template <class T> struct image {
    alignas(T) unsigned char bytes[sizeof(T)];
};

/* An argument of a launch as the device has it. */
template <class T> TSL_LAB_INLINE auto stored(const T &argument)
{
    if constexpr (runs_code<T>) {
        image<T> bytes;
        std::memcpy(bytes.bytes, (const void *)__builtin_addressof(argument), sizeof(T));
        return bytes;
    } else {
        return argument;
    }
}

/* An image that is returned as a T is, in the caller's memory, because copies of it run code. */
template <class T> struct returned : image<T> {
    explicit returned(const image<T> &from) : image<T>(from)
    {
    }
    returned(const returned &other) : image<T>(other)
    {
    }
    ~returned()
    {
    }
};
template <class T> returned<T> copy_image(const image<T> &from)
{
    return returned<T>(from);
}

/* The kernel's parameter: of an image a T that no constructor has made. */
template <class T> TSL_LAB_INLINE T &given(T &argument)
{
    return argument;
}
template <class T> TSL_LAB_INLINE T given(image<T> &argument)
{
    T (*copy)(const image<T> &) = (T(*)(const image<T> &))copy_image<T>;
    __asm__("" : "+r"(copy)); /* a compiler shall not see that it is of another type */
    return copy(argument);
}

template <class K, class... S>
TSL_LAB_INLINE cudaError_t start_stored(const char *name, config c, int cooperative, K kernel,
                                        S... arguments)
{
    auto call = [=]() mutable { kernel(arguments...); };
    tsl_lab_launch launch = {{c.grid.x, c.grid.y, c.grid.z},
                             {c.block.x, c.block.y, c.block.z},
                             c.shared,
                             name,
                             [](void *p) { (*(decltype(call) *)p)(); },
                             &call,
                             sizeof call,
                             c.stream,
                             cooperative};
    return (cudaError_t)tsl_lab_start(&launch);
}

/* The rewriter makes k<<<c>>>(a, b) start("k", config(c), 0, [=](auto... x) { k(given(x)...),
 * tsl_lab_leave(); }, a, b). The host makes its copies of a and b here and destroys them here, as
 * nvcc's does; threads of the kernel have their bytes, and end before C++ would destroy parameters.
 * All is inlined, by which reports of the launch name its line. */
template <class K, class... A>
TSL_LAB_INLINE cudaError_t start(const char *name, config c, int cooperative, K kernel,
                                 A... arguments)
{
    return start_stored(name, c, cooperative, kernel, stored(arguments)...);
}
template <class... P, size_t... I>
TSL_LAB_INLINE cudaError_t start_packed(const char *name, config c, int cooperative,
                                        void (*kernel)(P...), void **arguments,
                                        std::index_sequence<I...>)
{
    return start_stored(
        name, c, cooperative, [=](auto... x) { kernel(given(x)...), tsl_lab_leave(); },
        stored(*(std::remove_reference_t<P> *)arguments[I])...);
}
} // namespace tsl_lab

template <class... P>
TSL_LAB_INLINE cudaError_t cudaLaunchKernel(void (*kernel)(P...), dim3 grid, dim3 block,
                                            void **arguments, size_t shared = 0,
                                            cudaStream_t stream = 0)
{
    return tsl_lab::start_packed("kernel", tsl_lab::config(grid, block, shared, stream), 0, kernel,
                                 arguments, std::index_sequence_for<P...>());
}
template <class... P>
TSL_LAB_INLINE cudaError_t cudaLaunchCooperativeKernel(void (*kernel)(P...), dim3 grid, dim3 block,
                                                       void **arguments, size_t shared = 0,
                                                       cudaStream_t stream = 0)
{
    return tsl_lab::start_packed("kernel", tsl_lab::config(grid, block, shared, stream), 1, kernel,
                                 arguments, std::index_sequence_for<P...>());
}
#endif

#endif
