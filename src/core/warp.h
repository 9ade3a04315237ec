/* Kernels of core/block.h whose blocks are one warp of 32 threads, and what such threads can do
 * together: look at each other's variables without shared memory and without a barrier.
 *
 *     TSL_KERNEL(turn, turn_arguments)
 *     {
 *         TSL_PRIVATE(float, mine);
 *         TSL_PRIVATE(float, next);
 *         TSL_WARP_PHASE { mine[TSL_OWN] = a.values[thread]; }
 *         TSL_WARP_PHASE { next[TSL_OWN] = TSL_FROM_LANE(mine, (thread + 1) % TSL_WARP); }
 *         TSL_WARP_PHASE { a.values[thread] = next[TSL_OWN]; }
 *     }
 *
 * A warp phase is a phase without a barrier at its end. As in any phase, no thread may read what
 * another writes in it: TSL_FROM_LANE and TSL_BALLOT read variables of TSL_PRIVATE that an earlier
 * phase wrote. All 32 threads come to each of them, inside of a phase or outside. What threads
 * leave for each other in memory needs a TSL_PHASE. */
#ifndef TSL_WARP_H
#define TSL_WARP_H

#include "core/block.h"

enum { TSL_WARP = 32 };

#ifdef __CUDACC__

#define TSL_WARP_PHASE                                                                             \
    for ([[maybe_unused]] int thread = (int)threadIdx.x, tsl_once = 1; tsl_once; tsl_once = 0)
/* The variable of another thread. */
#define TSL_FROM_LANE(name, lane) __shfl_sync(~0U, (name)[0], (lane))
/* Bit k: is the variable of thread k not 0? */
#define TSL_BALLOT(name) __ballot_sync(~0U, (name)[0])
#define TSL_COUNT_BITS(bits) __popc(bits)

#else

#define TSL_WARP_PHASE TSL_PHASE
#define TSL_FROM_LANE(name, lane) ((name)[(lane)])
#define TSL_BALLOT(name) tsl_ballot(name)
#define TSL_COUNT_BITS(bits) __builtin_popcount(bits)

static inline uint32_t tsl_ballot(const int *hits)
{
    uint32_t bits = 0;
    for (int lane = 0; lane < TSL_WARP; lane++) {
        bits |= (uint32_t)(hits[lane] != 0) << lane;
    }
    return bits;
}

#endif
#endif
