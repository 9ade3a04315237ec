/* How half-warps of capability 1.0 to 1.3 reach global memory: the rules of the CUDA C Programming
 * Guide 2.3, section 5.1.2.1. */
#include "lab/run/run.h"

/* 1.0 and 1.1: thread k must ask for word k of one aligned segment; threads may be idle. Otherwise
 * each thread that takes part has a transaction of its own. */
tsl_half tsl_half_strict(const uintptr_t address[16], uint32_t lanes, unsigned size)
{
    const unsigned first = (unsigned)__builtin_ctz(lanes);
    const uintptr_t base = address[first] - (uintptr_t)first * size;
    bool coalesced = (size == 4 || size == 8 || size == 16) && base % (16 * (uintptr_t)size) == 0;
    for (unsigned i = first; i < 16; i++) {
        if ((lanes >> i & 1) != 0 && address[i] != base + (uintptr_t)i * size) {
            coalesced = false;
        }
    }
    const unsigned apart = (unsigned)__builtin_popcount(lanes);
    return (tsl_half){.transactions = !coalesced   ? apart
                                      : size == 16 ? 2
                                                   : 1,
                      .coalesced = coalesced};
}

/* 1.2 and 1.3: the segment of the lowest thread left, all threads that fall into it, shrunk to the
 * half that is used; and again. bytes[]: of each transaction. */
unsigned tsl_half_segments(const uintptr_t address[16], uint32_t lanes, unsigned size,
                           unsigned bytes[16])
{
    const uintptr_t whole = size == 1 ? 32 : size == 2 ? 64 : 128;
    unsigned count = 0;
    while (lanes != 0) {
        const uintptr_t segment = address[__builtin_ctz(lanes)] / whole;
        uintptr_t low = (segment + 1) * whole;
        uintptr_t high = segment * whole;
        for (unsigned i = 0; i < 16; i++) {
            if ((lanes >> i & 1) != 0 && address[i] / whole == segment) {
                low = address[i] < low ? address[i] : low;
                high = address[i] + size > high ? address[i] + size : high;
                lanes &= ~(1u << i);
            }
        }
        uintptr_t length = whole;
        uintptr_t begin = segment * whole;
        while (length > 32) {
            const uintptr_t middle = begin + length / 2;
            if (low < middle && high > middle) {
                break;
            }
            begin = low >= middle ? middle : begin;
            length /= 2;
        }
        bytes[count++] = (unsigned)length;
    }
    return count;
}
