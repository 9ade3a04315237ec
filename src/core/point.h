/* Functions of the mathematics, one source for CPU and GPU: the common subset of C11 and C++17. */
#ifndef TSL_POINT_H
#define TSL_POINT_H

#ifdef __CUDACC__
#define TSL_FN static __forceinline__ __host__ __device__
#else
#define TSL_FN static inline
#endif

/* Before a loop whose arrays must end up in a GPU's registers. */
#ifdef __CUDA_ARCH__
#define TSL_UNROLL _Pragma("unroll")
#else
#define TSL_UNROLL
#endif

/* What is read once should not push other things out of a GPU's caches. */
#ifdef __CUDA_ARCH__
#define TSL_READ_ONCE(address) __ldcs(address)
#else
#define TSL_READ_ONCE(address) (*(address))
#endif

#endif
