/** @file occupancy.h
 *  Occupancy: how many blocks of a CUDA kernel a multiprocessor runs at a time, and which of its
 *  resources allows no more. No GPU is needed.
 *
 *  Of a block of t threads, w = ceil(t / 32) warps, a multiprocessor runs at a time
 *
 *      blocks = min(B, W / w, register limit, shared memory limit, barrier limit)
 *
 *  where all quotients are rounded down, and none at all if the block exceeds what one block may
 *  have. With up(x, u) for x rounded up to a multiple of u, and the names of tsl_multiprocessor,
 *
 *      registers, 1.x     r = up(up(w, 2) 32 registers, register_unit) a block;  R / r blocks
 *      registers, later   r = up(32 registers, register_unit) a warp;
 *                         (R / P / r) P / w blocks: a warp's registers lie in one of the P
 *                         partitions; launched only if r up(w, launch_warps) <= block_registers
 *      shared memory      s = up(static + dynamic + reserved_shared, shared_unit) a block;
 *                         carve-out / s blocks
 *      barriers           barriers of the multiprocessor / barriers of a block
 *
 *  Occupancy is the share of the multiprocessor's warps: blocks w / W.
 *
 *  From compute capability 3.5 the result is what NVIDIA's cuda_occupancy.h (CUDA 13.0) gives for
 *  the same limits, but for static shared memory of more than block_shared, which compilers refuse
 *  and that header does not. For 1.x and 2.x, which that header has dropped, it is the CUDA
 * Occupancy Calculator's spreadsheet's. cudaOccupancyMaxActiveBlocksPerMultiprocessor() is what a
 * driver says.
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
    TSL_CARVEOUTS = 10 /**< sizes of a carve-out at most */
};

/** What the multiprocessors of a compute capability have, and what a block of theirs may have. */
typedef struct tsl_multiprocessor {
    size_t size; /**< sizeof(tsl_multiprocessor) */
    int major;   /**< of the compute capability: 9 of 9.0 */
    int minor;
    int warps;               /**< W, resident at a time */
    int blocks;              /**< B, resident at a time */
    int registers;           /**< R, of 32 bits */
    int block_threads;       /**< a block's at most */
    int block_registers;     /**< a block's at most */
    int thread_registers;    /**< a thread's at most */
    int register_unit;       /**< registers are given out in multiples of it */
    uint64_t wide_registers; /**< bit r: a warp whose threads have r registers is given multiples of
                                  twice that unit */
    int partitions;          /**< P, parts of the registers; 0: registers are given out by block */
    int launch_warps;        /**< a launch counts the registers of warps in multiples of it */
    int64_t shared;          /**< bytes of shared memory at most */
    int64_t block_shared;    /**< bytes of a block without opt-in */
    int64_t block_shared_opt_in; /**< bytes of a block with cudaFuncSetAttribute() of
                                      cudaFuncAttributeMaxDynamicSharedMemorySize */
    int shared_unit;             /**< bytes; shared memory is given out in multiples of it */
    int reserved_shared;         /**< bytes of each block that the system keeps for itself */
    int barriers;                /**< of a multiprocessor; 0: no limit beyond that of blocks */
    int carveouts;               /**< number of sizes that its shared memory can have beside the L1
                                      cache; 0: it is a memory of its own */
    int carveout[TSL_CARVEOUTS]; /**< these sizes in KiB, ascending */
    const char *sources;         /**< where the numbers are from, and where sources differ */
} tsl_multiprocessor;

/** Number of compute capabilities that are known. */
TSL_API int tsl_multiprocessor_count(void);

/** One of them, in ascending order, 0 <= i < tsl_multiprocessor_count(); NULL for any other number.
 *  The struct is static; a copy may be changed, to what a card says of itself. Thread-safe. */
TSL_API const tsl_multiprocessor *tsl_multiprocessor_at(int i);

/** The one of compute capability major.minor; NULL: it is not known. Thread-safe. */
TSL_API const tsl_multiprocessor *tsl_multiprocessor_find(int major, int minor);

/** Preferences for tsl_occupancy_kernel.carveout, beside any percentage. */
enum {
    TSL_CARVEOUT_DEFAULT = -1,    /**< none: the largest shared memory is assumed */
    TSL_CARVEOUT_MAX_L1 = 0,      /**< the largest cache */
    TSL_CARVEOUT_EQUAL = 50,      /**< half of the largest shared memory */
    TSL_CARVEOUT_MAX_SHARED = 100 /**< the largest shared memory */
};

/** What a kernel takes. Initialise with TSL_OCCUPANCY_KERNEL_INIT. */
typedef struct tsl_occupancy_kernel {
    size_t size;            /**< sizeof(tsl_occupancy_kernel) */
    int threads;            /**< of a block, >= 1 */
    int registers;          /**< of a thread, >= 0, as ptxas -v tells */
    int64_t static_shared;  /**< bytes of a block, >= 0, as ptxas -v tells */
    int64_t dynamic_shared; /**< bytes of a block, >= 0, of the launch */
    int64_t arguments; /**< bytes, >= 0; they count on 1.x, which keeps them in shared memory */
    int barriers;      /**< of a block, 0 to 16, as ptxas -v tells */
    int carveout;  /**< share of shared memory that is preferred, 0 to 100 percent, rounded up to a
                        size there is, or TSL_CARVEOUT_DEFAULT. A kernel that needs more gets
                      more. 2.x  and 3.x know 0, 50 and 100 alone; others, and any on multiprocessors
                      without  carve-out, change nothing: tsl_carveout_counts() */
    int no_opt_in; /**< not 0: tsl_multiprocessor.block_shared is a block's limit */
} tsl_occupancy_kernel;

#define TSL_OCCUPANCY_KERNEL_INIT                                                                  \
    {                                                                                              \
        sizeof(tsl_occupancy_kernel), 0, 0, 0, 0, 0, 1, TSL_CARVEOUT_DEFAULT, 0                    \
    }

/** What can limit blocks. The first five are resources of a multiprocessor, the others what a block
 *  or thread may have at most. */
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
    TSL_OCCUPANCY_RESOURCES = 5, /**< limits that are a multiprocessor's resources */
    TSL_OCCUPANCY_LIMITS = 10    /**< all limits */
};

/** "warps", "registers", "shared memory", "barriers", "blocks", "threads of a block", …; NULL for
 * any other number. The string is static. Thread-safe. */
TSL_API const char *tsl_occupancy_limit_name(tsl_occupancy_limit limit);

/** How many blocks there are, and why no more. */
typedef struct tsl_occupancy_result {
    int blocks;                /**< resident on a multiprocessor; 0: it cannot be launched */
    int warps;                 /**< resident on a multiprocessor */
    double occupancy;          /**< warps over those that it can have, 0 to 1 */
    tsl_occupancy_limit limit; /**< the first that allows no more blocks; of a kernel that cannot be
                                    launched why that is so */
    int allowed[TSL_OCCUPANCY_RESOURCES]; /**< blocks that each resource allows; INT_MAX: any number
                                           */
    unsigned refused;     /**< bit 1 << limit of each limit of a block or thread that is exceeded */
    int block_warps;      /**< w */
    int block_registers;  /**< that a block is given */
    int64_t block_shared; /**< bytes that a block is given */
    int64_t shared;       /**< bytes of the carve-out */
    int needs_opt_in;     /**< 1: more than tsl_multiprocessor.block_shared */
} tsl_occupancy_result;

/** Compute the occupancy of a kernel.
 *
 *  @param[out] out             the result
 *  @param[in]  multiprocessor  one of the table, or a changed copy of one
 *  @param[in]  kernel          what it takes
 *  @return TSL_OK, also for a kernel that cannot be launched; TSL_E_ARG if a number is outside its
 *          range, with the reason in tsl_last_error(NULL). Exact. Thread-safe.
 */
TSL_API tsl_status tsl_occupancy(tsl_occupancy_result *out,
                                 const tsl_multiprocessor *multiprocessor,
                                 const tsl_occupancy_kernel *kernel);

/** Does that preference change anything on such a multiprocessor? 1 or 0. Thread-safe. */
TSL_API int tsl_carveout_counts(const tsl_multiprocessor *multiprocessor, int carveout);

/** The nearest changes of a kernel that gain a block. */
typedef struct tsl_occupancy_gain {
    int found; /**< 1: there is one that leaves the threads of a block as they are */
    tsl_occupancy_kernel kernel; /**< with fewer registers, less shared memory, fewer barriers, or
                                      several of these: of each the most with which there is at
                                    least one more block. Of shared memory the dynamic goes first */
    tsl_occupancy_result result; /**< what that gains */
    int found_threads;           /**< 1: there is another number of threads with more warps */
    int threads; /**< the nearest multiple of 32 to the kernel's own that has more, the
                      smaller of two; registers and memory stay as they are */
    tsl_occupancy_result threads_result; /**< what that gains */
} tsl_occupancy_gain;

/** Find the nearest changes that gain a block.
 *
 *  @param[out] out  what was found
 *  @return as tsl_occupancy(). Thread-safe.
 */
TSL_API tsl_status tsl_occupancy_find_gain(tsl_occupancy_gain *out,
                                           const tsl_multiprocessor *multiprocessor,
                                           const tsl_occupancy_kernel *kernel);

#ifdef __cplusplus
}
#endif

#endif
