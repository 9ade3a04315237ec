/* Cooperative kernels, one source for a GPU and for `sim`, the GPU without a GPU.
 *
 * A kernel is a function of one argument struct, run by blocks of threads. Its body is a sequence
 * of phases:
 *
 *     TSL_KERNEL(sum, sum_arguments)
 *     {
 *         TSL_SHARED int64_t sums[64];
 *         TSL_PHASE { sums[thread] = a.values[thread]; }
 *         for (int half = 32; half > 0; half /= 2) {
 *             TSL_PHASE { if (thread < half) { sums[thread] += sums[thread + half]; } }
 *         }
 *         TSL_PHASE { if (thread == 0) { a.result[TSL_BLOCK] = sums[0]; } }
 *     }
 *
 * Each phase runs for every `thread` and ends in a barrier, which therefore cannot be forgotten: on
 * a GPU it is code followed by __syncthreads(), on sim a loop over the threads in an order that a
 * test chooses. Inside a phase no thread may read what another writes. Outside of phases stands
 * only what is the same for all threads: loops and conditions on arguments and on shared memory
 * that no thread is about to change. `continue` ends a thread's phase; break, return and goto must
 * not leave one.
 *
 * TSL_BLOCK, TSL_BLOCK_Y and TSL_BLOCK_Z say where a block is in its grid of TSL_BLOCKS x
 * TSL_BLOCKS_Y x TSL_BLOCKS_Z.
 *
 * TSL_KERNEL_OF(name, type, threads, resident) is for blocks of at most `threads` threads, of which
 * `resident` at a time are enough to keep a multiprocessor busy: the compiler may then give a
 * thread more registers, and so have more of its loads under way.
 *
 * Shared memory whose size only the launch knows: TSL_SHARED_DYNAMIC(float, values), one such array
 * a kernel.
 *
 * A part of a kernel that has phases of its own is a TSL_BLOCK_FN; its first parameter is
 * TSL_WITHIN, its first argument TSL_HERE, neither with a comma.
 *
 * Sums of 256 numbers: TSL_ADD_UP, and of more: tsl_add_up_all(), in one order on all devices.
 *
 * A kernel whose blocks wait for each other is a sequence of grid phases, each of which holds
 * phases, and is queued by TSL_LAUNCH_GRID:
 *
 *     TSL_GRID_KERNEL(iterate, iterate_arguments, 512)
 *     {
 *         TSL_SHARED_DYNAMIC(double, kept);
 *         for (int i = 0; i < a.iterations; i++) {
 *             TSL_GRID_PHASE { TSL_PHASE { … } TSL_PHASE { … } }
 *             TSL_GRID_PHASE { TSL_PHASE { … } }
 *         }
 *     }
 *
 * A grid phase ends in a barrier of all blocks: what they wrote before is there for all after. On
 * sim each is run for all blocks before the next. Outside of grid phases stands only what is the
 * same for all blocks and stays so: loops over arguments, and addresses. Only the array of
 * TSL_SHARED_DYNAMIC lives from one to the next.
 *
 * Where one kernel ends, a GPU idles for as long as its last blocks take. A kernel queued by
 * TSL_LAUNCH_EARLY may begin in that gap, if the one before it has said TSL_LET_NEXT_BEGIN in each
 * block; a thread says TSL_WAIT_FOR_EARLIER before it reads or writes what anything queued earlier
 * does. Each of its blocks has a thread that says so: the kernel does not end before those. */
#ifndef TSL_BLOCK_H
#define TSL_BLOCK_H

#include <stdint.h>

#include "core/context.h"
#include "core/point.h"

/* Threads of a block at most, and blocks of a grid's second and third axis. */
enum { TSL_BLOCK_THREADS = 1024, TSL_MOST_BLOCKS_Y = 65535 };

/* TSL_ADD_UP adds up so many numbers, in warps of so many lanes. */
enum { TSL_SUM_OF = 256, TSL_SUM_LANES = 32 };

/* Blocks that wait for each other faster than others do, where the device has such. */
enum { TSL_CLOSE_BLOCKS = 16 };

#ifdef __CUDACC__

#include <cooperative_groups.h>

#define TSL_KERNEL(name, type) static __global__ void name(const __grid_constant__ type a)
#define TSL_KERNEL_OF(name, type, threads, resident)                                               \
    static __global__ void __launch_bounds__(threads, resident) name(const __grid_constant__ type a)
#define TSL_GRID_KERNEL(name, type, threads) TSL_KERNEL_OF(name, type, threads, 1)
#define TSL_BLOCK_FN static __device__ __forceinline__
/* A function of one thread, which may use atomic operations. */
#define TSL_THREAD_FN static __device__ __forceinline__
#define TSL_WITHIN
#define TSL_HERE
#define TSL_SHARED __shared__
#define TSL_SHARED_DYNAMIC(type, name)                                                             \
    extern __shared__ __align__(16) char tsl_dynamic[];                                            \
    type *const name = (type *)(void *)tsl_dynamic
#define TSL_BLOCK ((int)blockIdx.x)
#define TSL_BLOCKS ((int)gridDim.x)
#define TSL_BLOCK_Y ((int)blockIdx.y)
#define TSL_BLOCKS_Y ((int)gridDim.y)
#define TSL_BLOCK_Z ((int)blockIdx.z)
#define TSL_BLOCKS_Z ((int)gridDim.z)
#define TSL_THREADS ((int)blockDim.x)
#define TSL_PHASE                                                                                  \
    for (int thread = (int)threadIdx.x, tsl_once = 1; tsl_once; tsl_once = 0, __syncthreads())
#define TSL_GRID_PHASE for (int tsl_pass = 1; tsl_pass; tsl_pass = 0, tsl_grid_barrier())
/* GPUs before compute capability 9.0 run one kernel after the other. */
#if __CUDA_ARCH__ >= 900
#define TSL_LET_NEXT_BEGIN cudaTriggerProgrammaticLaunchCompletion()
#define TSL_WAIT_FOR_EARLIER cudaGridDependencySynchronize()
#else
#define TSL_LET_NEXT_BEGIN (void)0
#define TSL_WAIT_FOR_EARLIER (void)0
#endif
/* A value of each thread's own that lives from phase to phase: name[TSL_OWN]. */
#define TSL_PRIVATE(type, name) type name[1]
#define TSL_OWN 0

/* Blocks of one cluster have a barrier of their own. */
static __device__ __forceinline__ void tsl_grid_barrier()
{
#if __CUDA_ARCH__ >= 900
    if (gridDim.x > 1 && cooperative_groups::this_cluster().num_blocks() == gridDim.x) {
        cooperative_groups::this_cluster().sync();
        return;
    }
#endif
    cooperative_groups::this_grid().sync();
}

/* The sum of a warp's values, in the first lane. */
static __device__ __forceinline__ double tsl_add_warp(double value)
{
#pragma unroll
    for (int half = TSL_SUM_LANES / 2; half > 0; half /= 2) {
        value += __shfl_down_sync(~0U, value, (unsigned)half);
    }
    return value;
}

static __device__ __forceinline__ void tsl_add_up(double *values, int count)
{
    const int lane = (int)threadIdx.x % TSL_SUM_LANES;
    const int which = (int)threadIdx.x / TSL_SUM_LANES;
    if (which < count) {
        double *const v = values + which * TSL_SUM_OF + lane;
        const double sum =
            ((v[0] + v[128]) + (v[64] + v[192])) + ((v[32] + v[160]) + (v[96] + v[224]));
        const double all = tsl_add_warp(sum);
        if (lane == 0) {
            *v = all;
        }
    }
    __syncthreads();
}

#define TSL_ADD_UP(values, count) tsl_add_up(&(values)[0][0], count);

static __device__ __forceinline__ int tsl_atomic_add(int *at, int value)
{
    return atomicAdd(at, value);
}

static __device__ __forceinline__ int64_t tsl_atomic_add_long(int64_t *at, int64_t value)
{
    return (int64_t)atomicAdd((unsigned long long *)at, (unsigned long long)value);
}

/* Put `value` at *at if `expected` is there. Returns what was there. */
static __device__ __forceinline__ int32_t tsl_atomic_replace(int32_t *at, int32_t expected,
                                                             int32_t value)
{
    return atomicCAS(at, expected, value);
}

/* Add to an integer of 64 bits in shared memory, by two additions of 32 bits, the lower half first:
 * shared memory adds 32 bits by itself, but not 64. The old value of the lower half tells whether
 * it overflowed. */
static __device__ __forceinline__ void tsl_atomic_add_halves(uint32_t halves[2], int64_t value)
{
    const uint32_t low = (uint32_t)value;
    const uint32_t before = atomicAdd(halves, low);
    atomicAdd(halves + 1, (uint32_t)((uint64_t)value >> 32) + (before + low < low));
}

static __device__ __forceinline__ void tsl_atomic_max_int(int *at, int value)
{
    atomicMax(at, value);
}

/* The larger of the two goes to *at. Values are >= 0, so they are in the order of their bits. */
static __device__ __forceinline__ void tsl_atomic_max(float *at, float value)
{
    atomicMax((int *)at, __float_as_int(value));
}

static __device__ __forceinline__ void tsl_atomic_max_double(double *at, double value)
{
    atomicMax((long long *)at, __double_as_longlong(value));
}

#else

/* The compiler cannot see that a phase runs for every thread, the first included. */
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#endif

/* Where a kernel is in its grid of blocks, on sim. */
typedef struct tsl_sim_block {
    int block, blocks, member, members, layer, layers, threads;
    int first, step; /* order of the threads: first, first + step, … modulo their number */
    int stage;       /* the grid phase to run */
    int *passed;     /* grid phases that the block has come to */
    void *shared;    /* of TSL_SHARED_DYNAMIC */
} tsl_sim_block;

typedef void (*tsl_sim_kernel)(const void *arguments, const tsl_sim_block *block);

#define TSL_KERNEL(name, type)                                                                     \
    static void name##_body(const type a, const tsl_sim_block *tsl_at);                            \
    static void name(const void *arguments, const tsl_sim_block *at)                               \
    {                                                                                              \
        name##_body(*(const type *)arguments, at);                                                 \
    }                                                                                              \
    static void name##_body(const type a, const tsl_sim_block *tsl_at)
#define TSL_KERNEL_OF(name, type, threads, resident) TSL_KERNEL(name, type)
#define TSL_GRID_KERNEL(name, type, threads) TSL_KERNEL(name, type)
#define TSL_BLOCK_FN static inline
#define TSL_THREAD_FN static inline
#define TSL_WITHIN const tsl_sim_block *tsl_at,
#define TSL_HERE tsl_at,
#define TSL_SHARED
#define TSL_SHARED_DYNAMIC(type, name) type *const name = (type *)tsl_at->shared
#define TSL_BLOCK (tsl_at->block)
#define TSL_BLOCKS (tsl_at->blocks)
#define TSL_BLOCK_Y (tsl_at->member)
#define TSL_BLOCKS_Y (tsl_at->members)
#define TSL_BLOCK_Z (tsl_at->layer)
#define TSL_BLOCKS_Z (tsl_at->layers)
#define TSL_THREADS (tsl_at->threads)
#define TSL_PHASE                                                                                  \
    for (int thread = tsl_at->first, tsl_turn = 0; tsl_turn < tsl_at->threads;                     \
         tsl_turn++, thread = (thread + tsl_at->step) % tsl_at->threads)
#define TSL_GRID_PHASE if ((*tsl_at->passed)++ == tsl_at->stage)
#define TSL_LET_NEXT_BEGIN (void)0
#define TSL_WAIT_FOR_EARLIER (void)0
#define TSL_PRIVATE(type, name) type name[TSL_BLOCK_THREADS]
#define TSL_OWN thread

#define TSL_ADD_UP(values, count)                                                                  \
    for (int half = TSL_SUM_OF / 2; half > 0; half /= 2) {                                         \
        TSL_PHASE                                                                                  \
        {                                                                                          \
            for (int which = 0; which < (count) && thread < half; which++) {                       \
                (values)[which][thread] += (values)[which][thread + half];                         \
            }                                                                                      \
        }                                                                                          \
    }
static inline int tsl_atomic_add(int *at, int value)
{
    const int before = *at;
    *at += value;
    return before;
}

static inline int64_t tsl_atomic_add_long(int64_t *at, int64_t value)
{
    const int64_t before = *at;
    *at += value;
    return before;
}

static inline void tsl_atomic_add_halves(uint32_t halves[2], int64_t value)
{
    const uint32_t low = (uint32_t)value;
    halves[0] += low;
    halves[1] += (uint32_t)((uint64_t)value >> 32) + (halves[0] < low);
}

static inline int32_t tsl_atomic_replace(int32_t *at, int32_t expected, int32_t value)
{
    const int32_t before = *at;
    *at = before == expected ? value : before;
    return before;
}

static inline void tsl_atomic_max_int(int *at, int value)
{
    *at = value > *at ? value : *at;
}

static inline void tsl_atomic_max(float *at, float value)
{
    *at = value > *at ? value : *at;
}

static inline void tsl_atomic_max_double(double *at, double value)
{
    *at = value > *at ? value : *at;
}

#endif

/* The member of a batch that a block works on: each member has a row of the grid's blocks. */
#define TSL_MEMBER TSL_BLOCK_Y

/* Blocks of `threads` that cover `work` items. */
TSL_FN int tsl_blocks_for(int64_t work, int threads)
{
    const int64_t blocks = (work + threads - 1) / threads;
    return blocks < 1 ? 1 : blocks > 1048576 ? 1048576 : (int)blocks;
}

/* To be used outside of phases, by 256 threads at least:
 * TSL_ADD_UP(values, count): `count` rows of 256, each summed into its first by halves: 0 + 128, …
 */

/* Sums values [count], one of each thread, into values[0], outside of phases. `count` is a power of
 * two from 256 on. */
TSL_BLOCK_FN void tsl_add_up_all(TSL_WITHIN double *values, int count)
{
    double(*const rows)[TSL_SUM_OF] = (double(*)[TSL_SUM_OF])values;
    for (int half = count / 2; half >= TSL_SUM_OF; half /= 2) {
        TSL_PHASE
        {
            if (thread < half) {
                values[thread] += values[thread + half];
            }
        }
    }
    TSL_ADD_UP(rows, 1)
}

/* TSL_LAUNCH_GRID(context, kernel, arguments, blocks, threads, shared) queues a kernel of grid
 * phases. There may be no more blocks than the device has processors. */

/* TSL_LAUNCH_BOX(context, kernel, arguments, x, y, z, threads, shared) queues a kernel of x * y * z
 * blocks on the context's stream, with `shared` bytes for its TSL_SHARED_DYNAMIC array; its value
 * is a tsl_status. y and z are at most TSL_MOST_BLOCKS_Y. Defined by device/sim.h and
 * device/cuda.h. */
#define TSL_LAUNCH_SHARED(context, kernel, arguments, blocks, members, threads, shared)            \
    TSL_LAUNCH_BOX(context, kernel, arguments, blocks, members, 1, threads, shared)
#define TSL_LAUNCH(context, kernel, arguments, blocks, members, threads)                           \
    TSL_LAUNCH_SHARED(context, kernel, arguments, blocks, members, threads, 0)

#endif
