/* The NAS Parallel Benchmarks' random numbers: x <- a x mod 2^46, uniform r = x 2^-46
 * (D. H. Bailey et al., "The NAS Parallel Benchmarks", RNR-94-007, section 2.3).
 *
 * The original multiplies in double precision, in halves of 23 bits; 64-bit integers give the same
 * numbers. A state stands in the lower 52 bits of a word, x 2^6, where a double has its fraction;
 * those above are of no account, for products modulo 2^64 have the right bits below. */
#ifndef TSL_RANDOM_POINT_H
#define TSL_RANDOM_POINT_H

#include <stdint.h>
#include <string.h>

#include "core/point.h"

enum { TSL_RANDOM_BITS = 46, TSL_RANDOM_SHIFT = 52 - TSL_RANDOM_BITS };

/* What of a word is the state's. */
#define TSL_RANDOM_MASK UINT64_C(0x000fffffffffffff)

/* 5^13, the benchmarks' multiplier: it fits half a word. */
#define TSL_RANDOM_MULTIPLIER UINT64_C(1220703125)

/* The state x (below 2^46). */
TSL_FN uint64_t tsl_random_state(uint64_t x)
{
    return x << TSL_RANDOM_SHIFT;
}

/* x, below 2^46. */
TSL_FN uint64_t tsl_random_integer(uint64_t state)
{
    return (state & TSL_RANDOM_MASK) >> TSL_RANDOM_SHIFT;
}

/* One step with a multiplier of any size. */
TSL_FN uint64_t tsl_random_step(uint64_t state, uint64_t multiplier)
{
    return state * multiplier;
}

/* One step with the benchmarks' multiplier. */
TSL_FN uint64_t tsl_random_next(uint64_t state)
{
    return state * TSL_RANDOM_MULTIPLIER;
}

/* a^steps: one step with it is `steps` steps with a. Modulo 2^64, of which the lower 46 bits
 * count. */
TSL_FN uint64_t tsl_random_power(uint64_t multiplier, uint64_t steps)
{
    uint64_t power = 1;
    for (; steps > 0; steps >>= 1) {
        power *= (steps & 1) != 0 ? multiplier : 1;
        multiplier *= multiplier;
    }
    return power;
}

/* r in (0, 1), exact. */
TSL_FN double tsl_random_uniform(uint64_t state)
{
    return (double)tsl_random_integer(state) * 0x1p-46;
}

/* 2 r - 1 in (-1, 1), exact: r as the fraction of a number in [2, 4). */
TSL_FN double tsl_random_symmetric(uint64_t state)
{
    const uint64_t bits = (state & TSL_RANDOM_MASK) | UINT64_C(0x4000000000000000);
    double value;
    memcpy(&value, &bits, sizeof value);
    return value - 3;
}

#endif
