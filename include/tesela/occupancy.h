/** @file occupancy.h
 *  Occupancy: how many blocks of a CUDA kernel a multiprocessor runs at a time, and which of its
 *  resources sets this limit. No GPU is needed.
 *
 *  A block of t threads has w = ceil(t / 32) warps. A multiprocessor runs
 *
 *      blocks = min(B, W / w, register limit, shared memory limit, barrier limit)
 *
 *  such blocks at a time. All quotients are rounded down. If a block exceeds what one block may
 *  have, the kernel cannot be launched and blocks = 0. With up(x, u) for x rounded up to a multiple
 *  of u, and the symbols given at tsl_multiprocessor,
 *
 *      registers, 1.x     r = up(up(w, 2) 32 registers, register_unit) a block;  R / r blocks
 *      registers, later   r = up(32 registers, register_unit) a warp;
 *                         (R / P / r) P / w blocks: a warp's registers lie in one of the P
 *                         partitions; launched only if r up(w, launch_warps) <= block_registers
 *      shared memory      s = up(static + dynamic + reserved_shared, shared_unit) a block;
 *                         carve-out / s blocks
 *      barriers           barriers of the multiprocessor / barriers of a block
 *
 *  Occupancy is the share of the multiprocessor's warps that are resident: blocks w / W.
 *
 *  From compute capability 3.5 on, the result is that of NVIDIA's cuda_occupancy.h (CUDA 13.0) for
 *  the same limits. There is one exception: that header accepts static shared memory of more than
 *  block_shared, which compilers refuse. It no longer supports 1.x and 2.x; for these the result is
 *  that of the CUDA Occupancy Calculator (spreadsheet). The driver's own answer is that of
 *  cudaOccupancyMaxActiveBlocksPerMultiprocessor().
 *
 *  Sources: NVIDIA, CUDA C++ Programming Guide, table of compute capabilities; CUDA Occupancy
 *  Calculator (spreadsheet); cuda_occupancy.h of CUDA 7.0 and 13.0. tsl_multiprocessor.sources says
 *  where they differ.
 */
#ifndef TESELA_OCCUPANCY_H
#define TESELA_OCCUPANCY_H

#include <stddef.h>
#include <stdint.h>

#include "tesela/status.h"

#ifdef __cplusplus
extern "C" {
#endif

enum {
    TSL_WARP = 32,     /**< threads of a warp, on every compute capability */
    TSL_CARVEOUTS = 10 /**< largest number of carve-out sizes */
};

/** Resources of the multiprocessors of a compute capability, and limits of a block on them. */
typedef struct tsl_multiprocessor {
    size_t size; /**< sizeof(tsl_multiprocessor) */
    int major;   /**< major number of the compute capability: 9 for 9.0 */
    int minor;
    int warps;               /**< W, warps resident at a time */
    int blocks;              /**< B, blocks resident at a time */
    int registers;           /**< R, number of 32-bit registers */
    int block_threads;       /**< a block's at most */
    int block_registers;     /**< a block's at most */
    int thread_registers;    /**< a thread's at most */
    int register_unit;       /**< registers are allocated in multiples of this */
    uint64_t wide_registers; /**< bit r is set: a warp whose threads have r registers gets a
                                  multiple of twice register_unit */
    int partitions;          /**< P, partitions of the registers; 0: registers are allocated by
                                  block */
    int launch_warps;        /**< a launch counts the registers of a multiple of this many warps */
    int64_t shared;          /**< largest shared memory of a multiprocessor, bytes */
    int64_t block_shared;    /**< largest shared memory of a block without opt-in, bytes */
    int64_t block_shared_opt_in; /**< largest shared memory of a block, bytes, after
                                      cudaFuncSetAttribute() with
                                      cudaFuncAttributeMaxDynamicSharedMemorySize */
    int shared_unit;             /**< shared memory is allocated in multiples of this, bytes */
    int reserved_shared;         /**< shared memory of each block that the system reserves, bytes */
    int barriers;                /**< barriers of a multiprocessor; 0: only the number of blocks
                                      limits them */
    int carveouts;               /**< number of sizes that shared memory can have beside the L1
                                      cache; 0: shared memory is separate from the cache */
    int carveout[TSL_CARVEOUTS]; /**< these sizes in KiB, ascending */
    const char *sources;         /**< where the numbers come from, and where sources differ */
} tsl_multiprocessor;

/** Number of compute capabilities in the table. Thread-safe. */
TSL_API int tsl_multiprocessor_count(void);

/** Entry i of the table of compute capabilities, in ascending order, 0 <= i <
 *  tsl_multiprocessor_count(); NULL for any other number. The struct is static. A caller may change
 *  a copy, for example to the limits that a card reports. Thread-safe. */
TSL_API const tsl_multiprocessor *tsl_multiprocessor_at(int i);

/** The entry for compute capability major.minor; NULL if it is not in the table. Thread-safe. */
TSL_API const tsl_multiprocessor *tsl_multiprocessor_find(int major, int minor);

/** Named values of tsl_occupancy_kernel.carveout. Any percentage is allowed too. */
enum {
    TSL_CARVEOUT_DEFAULT = -1,    /**< no preference: the largest shared memory is assumed */
    TSL_CARVEOUT_MAX_L1 = 0,      /**< the largest L1 cache */
    TSL_CARVEOUT_EQUAL = 50,      /**< half of the largest shared memory */
    TSL_CARVEOUT_MAX_SHARED = 100 /**< the largest shared memory */
};

/** Resources that a kernel uses. Initialise with TSL_OCCUPANCY_KERNEL_INIT. */
typedef struct tsl_occupancy_kernel {
    size_t size;            /**< sizeof(tsl_occupancy_kernel) */
    int threads;            /**< threads of a block, >= 1 */
    int registers;          /**< registers of a thread, >= 0, as ptxas -v reports */
    int64_t static_shared;  /**< static shared memory of a block, bytes, >= 0, as ptxas -v
                                 reports */
    int64_t dynamic_shared; /**< dynamic shared memory of a block, bytes, >= 0, as given at
                                 launch */
    int64_t arguments; /**< size of the arguments, bytes, >= 0; counts only on 1.x, where arguments
                            are in shared memory */
    int barriers;      /**< barriers of a block, 0 to 16, as ptxas -v reports */
    int carveout;      /**< preferred share of shared memory, 0 to 100 percent, rounded up to an
                            available size, or TSL_CARVEOUT_DEFAULT. A kernel that needs more gets
                            more. On 2.x and 3.x only 0, 50 and 100 have an effect; on
                            multiprocessors without carve-out no value has: tsl_carveout_counts() */
    int no_opt_in;     /**< not 0: a block may have at most tsl_multiprocessor.block_shared */
} tsl_occupancy_kernel;

#define TSL_OCCUPANCY_KERNEL_INIT                                                                  \
    {                                                                                              \
        sizeof(tsl_occupancy_kernel), 0, 0, 0, 0, 0, 1, TSL_CARVEOUT_DEFAULT, 0                    \
    }

/** What can limit the number of blocks. The first five are resources of a multiprocessor. The
 *  others are limits of a block or a thread: a kernel that exceeds one cannot be launched. */
typedef enum tsl_occupancy_limit {
    TSL_LIMIT_WARPS = 0,
    TSL_LIMIT_REGISTERS,
    TSL_LIMIT_SHARED,
    TSL_LIMIT_BARRIERS,
    TSL_LIMIT_BLOCKS,
    TSL_LIMIT_BLOCK_THREADS,    /**< more threads than a block may have */
    TSL_LIMIT_THREAD_REGISTERS, /**< more registers than a thread may have */
    TSL_LIMIT_BLOCK_REGISTERS,  /**< more registers than a block may have */
    TSL_LIMIT_STATIC_SHARED,    /**< more static shared memory than a block may have */
    TSL_LIMIT_BLOCK_SHARED      /**< more shared memory than a block may have */
} tsl_occupancy_limit;

enum {
    TSL_OCCUPANCY_RESOURCES = 5, /**< number of limits that are resources of a multiprocessor */
    TSL_OCCUPANCY_LIMITS = 10    /**< number of all limits */
};

/** Name of a limit, such as "registers", "shared memory" or "threads of a block"; NULL for any
 *  other number. The string is static. Thread-safe. */
TSL_API const char *tsl_occupancy_limit_name(tsl_occupancy_limit limit);

/** How many blocks a multiprocessor runs, and what limits their number. */
typedef struct tsl_occupancy_result {
    int blocks;                /**< blocks resident on a multiprocessor; 0: the kernel cannot be
                                    launched */
    int warps;                 /**< warps resident on a multiprocessor */
    double occupancy;          /**< resident warps / W, 0 to 1 */
    tsl_occupancy_limit limit; /**< the first limit that allows no more blocks; for a kernel that
                                    cannot be launched, the reason */
    int allowed[TSL_OCCUPANCY_RESOURCES]; /**< blocks that each resource allows; INT_MAX: no
                                               limit */
    unsigned refused;     /**< bit 1 << limit is set for each limit of a block or thread that is
                               exceeded */
    int block_warps;      /**< w, warps of a block */
    int block_registers;  /**< registers allocated to a block */
    int64_t block_shared; /**< shared memory allocated to a block, bytes */
    int64_t shared;       /**< carve-out, bytes */
    int needs_opt_in;     /**< 1: a block has more shared memory than
                               tsl_multiprocessor.block_shared */
} tsl_occupancy_result;

/** Compute the occupancy of a kernel.
 *
 *  @param[out] out             the result
 *  @param[in]  multiprocessor  an entry of the table, or a changed copy of one
 *  @param[in]  kernel          resources that the kernel uses
 *  @return TSL_OK, also for a kernel that cannot be launched; TSL_E_ARG if a number is out of
 *          range, with the reason in tsl_last_error(NULL). Exact. Thread-safe.
 */
TSL_API tsl_status tsl_occupancy(tsl_occupancy_result *out,
                                 const tsl_multiprocessor *multiprocessor,
                                 const tsl_occupancy_kernel *kernel);

/** Whether a carve-out preference has an effect on a multiprocessor: 1 or 0. Thread-safe. */
TSL_API int tsl_carveout_counts(const tsl_multiprocessor *multiprocessor, int carveout);

/** The smallest changes of a kernel that gain a block. */
typedef struct tsl_occupancy_gain {
    int found;                   /**< 1: there is such a change that keeps the threads of a block */
    tsl_occupancy_kernel kernel; /**< the changed kernel: fewer registers, less shared memory, fewer
                                      barriers, or several of these. Each is reduced as little as at
                                      least one more block needs. Dynamic shared memory is reduced
                                      before static */
    tsl_occupancy_result result; /**< what that gains */
    int found_threads;           /**< 1: another number of threads gives more warps */
    int threads; /**< the multiple of 32 nearest to the kernel's own number of threads that gives
                      more warps; of two equally near, the smaller. Registers and memory stay
                      unchanged */
    tsl_occupancy_result threads_result; /**< what that gains */
} tsl_occupancy_gain;

/** Find the smallest changes of a kernel that gain a block.
 *
 *  @param[out] out  what was found
 *  @return TSL_OK; TSL_E_ARG as for tsl_occupancy(). Thread-safe.
 */
TSL_API tsl_status tsl_occupancy_find_gain(tsl_occupancy_gain *out,
                                           const tsl_multiprocessor *multiprocessor,
                                           const tsl_occupancy_kernel *kernel);

#ifdef __cplusplus
}
#endif

#endif
