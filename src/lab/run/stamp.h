/* Stamps: which thread made an access, and when, in 64 bits:
 * serial of the block 22 | thread 10 | tick 15 | site 10 | level 2 | strong 1 | bytes of the
 * word 4. A tick is counted in a block at each barrier, __syncwarp() and fence. Serials number
 * blocks in the order in which they begin, so that those of earlier launches are smaller. */
#ifndef TSL_LAB_STAMP_H
#define TSL_LAB_STAMP_H

#include <stdbool.h>
#include <stdint.h>

enum {
    TSL_STAMP_STRONG = 1 << 4,
    TSL_STAMP_LEVEL = 5,
    TSL_STAMP_SITE = 7,
    TSL_STAMP_TICK = 17,
    TSL_STAMP_THREAD = 32,
    TSL_STAMP_SERIAL = 42,
    TSL_MOST_TICK = (1 << 15) - 1,
    TSL_MOST_SERIAL = (1 << 22) - 2,
    TSL_MOST_SITE = (1 << 10) - 1
};

/* Who else has read the word in the same interval as the reader of the stamp. */
enum { TSL_LEVEL_ALONE, TSL_LEVEL_WARP, TSL_LEVEL_BLOCK, TSL_LEVEL_GRID };

static inline uint32_t tsl_stamp_serial(uint64_t stamp)
{
    return (uint32_t)(stamp >> TSL_STAMP_SERIAL);
}

static inline uint32_t tsl_stamp_thread(uint64_t stamp)
{
    return (uint32_t)(stamp >> TSL_STAMP_THREAD) & 1023;
}

static inline uint32_t tsl_stamp_tick(uint64_t stamp)
{
    return (uint32_t)(stamp >> TSL_STAMP_TICK) & TSL_MOST_TICK;
}

static inline uint32_t tsl_stamp_site(uint64_t stamp)
{
    return (uint32_t)(stamp >> TSL_STAMP_SITE) & TSL_MOST_SITE;
}

static inline unsigned tsl_stamp_level(uint64_t stamp)
{
    return (unsigned)(stamp >> TSL_STAMP_LEVEL) & 3;
}

/* Were two made by one thread in one tick? */
static inline bool tsl_stamp_same(uint64_t a, uint64_t b)
{
    return ((a ^ b) >> TSL_STAMP_TICK) == 0;
}

static inline uint64_t tsl_stamp_make(uint32_t serial, uint32_t thread, uint32_t tick)
{
    return (uint64_t)serial << TSL_STAMP_SERIAL | (uint64_t)thread << TSL_STAMP_THREAD |
           (uint64_t)tick << TSL_STAMP_TICK;
}

#endif
