/* How an earlier access stands to what a thread does now: inline, for it is asked at each access.
 */
#ifndef TSL_LAB_RELATION_H
#define TSL_LAB_RELATION_H

#include "lab/run/run.h"
#include "lab/run/stamp.h"

/* TSL_LEVEL_ALONE if the access by `stamp` came before, or is the thread's own; else how far apart
 * the threads are. `shared`: in a block's memory. What fences order is not looked at: that is
 * tsl_known_before(). */
static inline unsigned tsl_relation(const tsl_fiber *fiber, uint64_t stamp, bool shared)
{
    const uint32_t serial = tsl_stamp_serial(stamp);
    if (serial < tsl_now.launch_serial) {
        return TSL_LEVEL_ALONE;
    }
    const tsl_block *const block = tsl_now.block;
    if (serial != block->serial) { /* shared memory: what is left of another block */
        return shared ? TSL_LEVEL_ALONE : TSL_LEVEL_GRID;
    }
    const uint32_t tick = tsl_stamp_tick(stamp);
    const uint32_t thread = tsl_stamp_thread(stamp);
    if (tick < block->since || thread == fiber->thread) {
        return TSL_LEVEL_ALONE;
    }
    if (thread / TSL_LANES != fiber->thread / TSL_LANES) {
        return TSL_LEVEL_BLOCK;
    }
    return tick < fiber->warp_since ? TSL_LEVEL_ALONE : TSL_LEVEL_WARP;
}

/* Among the readers that a word's stamp stands for, is one not before this thread? The stamp is of
 * the last reader; its level says how far away others of the same interval were. */
static inline bool tsl_readers_open(const tsl_fiber *fiber, uint64_t read)
{
    if (tsl_stamp_level(read) == TSL_LEVEL_ALONE ||
        tsl_stamp_serial(read) != tsl_now.block->serial) {
        return false;
    }
    const uint32_t tick = tsl_stamp_tick(read);
    return tsl_stamp_level(read) == TSL_LEVEL_WARP    ? fiber->warp_since <= tick
           : tsl_stamp_level(read) == TSL_LEVEL_BLOCK ? tsl_now.block->since <= tick
                                                      : false;
}

#endif
