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

/* The rewriter makes k<<<c>>>(a, b) start("k", config(c), [&](auto... x) { k(x...); }, a, b). */
template <class K, class... A>
inline cudaError_t start(const char *name, config c, int cooperative, K kernel, A... arguments)
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
template <class... P, size_t... I>
inline cudaError_t start_packed(const char *name, config c, int cooperative, void (*kernel)(P...),
                                void **arguments, std::index_sequence<I...>)
{
    return start(name, c, cooperative, kernel, *(std::remove_reference_t<P> *)arguments[I]...);
}
} // namespace tsl_lab

template <class... P>
inline cudaError_t cudaLaunchKernel(void (*kernel)(P...), dim3 grid, dim3 block, void **arguments,
                                    size_t shared = 0, cudaStream_t stream = 0)
{
    return tsl_lab::start_packed("kernel", tsl_lab::config(grid, block, shared, stream), 0, kernel,
                                 arguments, std::index_sequence_for<P...>());
}
template <class... P>
inline cudaError_t cudaLaunchCooperativeKernel(void (*kernel)(P...), dim3 grid, dim3 block,
                                               void **arguments, size_t shared = 0,
                                               cudaStream_t stream = 0)
{
    return tsl_lab::start_packed("kernel", tsl_lab::config(grid, block, shared, stream), 1, kernel,
                                 arguments, std::index_sequence_for<P...>());
}
#endif

#endif
