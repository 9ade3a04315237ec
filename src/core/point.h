/* Functions of the mathematics, one source for CPU and GPU: the common subset of C11 and C++17. */
#ifndef TSL_POINT_H
#define TSL_POINT_H

#ifdef __CUDACC__
#define TSL_FN static __forceinline__ __host__ __device__
#else
#define TSL_FN static inline
#endif

/* Before a loop whose arrays must end up in a GPU's registers; and before a long one, four rounds
 * of which share what it costs to go round. */
#ifdef __CUDA_ARCH__
#define TSL_UNROLL _Pragma("unroll")
#define TSL_UNROLL_BY_FOUR _Pragma("unroll 4")
#else
#define TSL_UNROLL
#define TSL_UNROLL_BY_FOUR
#endif

/* What is read once should not push other things out of a GPU's caches. */
#ifdef __CUDA_ARCH__
#define TSL_READ_ONCE(address) __ldcs(address)
#else
#define TSL_READ_ONCE(address) (*(address))
#endif

/* Bring `bytes`, a multiple of 16, from an address aligned to 16 into a GPU's second cache, where a
 * later load finds them; nothing waits. */
TSL_FN void tsl_prefetch(const void *at, int bytes)
{
#if defined __CUDA_ARCH__ && __CUDA_ARCH__ >= 900
    asm volatile("cp.async.bulk.prefetch.L2.global [%0], %1;" ::"l"(__cvta_generic_to_global(at)),
                 "r"(bytes)
                 : "memory");
#else
    (void)at;
    (void)bytes;
#endif
}

/* Copy two doubles into a GPU's shared memory, both addresses aligned to 16: no register waits for
 * them, but the thread does in tsl_copies_done(). On the host they are copied at once. */
TSL_FN void tsl_copy_pair(double *to, const double *from)
{
#if defined __CUDA_ARCH__ && __CUDA_ARCH__ >= 800
    asm volatile(
        "cp.async.cg.shared.global [%0], [%1], 16;" ::"r"((unsigned)__cvta_generic_to_shared(to)),
        "l"(__cvta_generic_to_global(from))
        : "memory");
#else
    to[0] = from[0];
    to[1] = from[1];
#endif
}

TSL_FN void tsl_copies_done(void)
{
#if defined __CUDA_ARCH__ && __CUDA_ARCH__ >= 800
    asm volatile("cp.async.wait_all;" ::: "memory");
#endif
}

/* Between loads and what is done with them: the compiler may not put off any of the loads to save
 * registers. All threads of a warp come here. */
#ifdef __CUDA_ARCH__
#define TSL_LOADS_FIRST __syncwarp()
#else
#define TSL_LOADS_FIRST
#endif

#endif
