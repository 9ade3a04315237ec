/* What lanes of a warp do together: __syncwarp(), votes, shuffles, matches, the active mask. */
#include "lab/run/run.h"
#include "lab/run/stamp.h"

static const char *const operation_names[TSL_LAB_WARP_OPERATIONS] = {
    "__syncwarp",       "a vote",          "__shfl_sync",  "__shfl_up_sync",
    "__shfl_down_sync", "__shfl_xor_sync", "__match_sync", "the active mask"};

/* Value of a shuffle's source lane; its own where that is out of the segment. */
static uint64_t shuffled(const tsl_fiber *lane, const uint64_t values[TSL_LANES])
{
    const unsigned width = lane->width;
    const unsigned begin = lane->lane & ~(width - 1);
    unsigned source;
    switch (lane->operation) {
    case TSL_LAB_SHUFFLE:
        source = begin + (lane->argument & (width - 1));
        break;
    case TSL_LAB_SHUFFLE_UP:
        source = lane->lane >= begin + lane->argument ? lane->lane - lane->argument : lane->lane;
        break;
    case TSL_LAB_SHUFFLE_DOWN:
        source =
            lane->lane + lane->argument < begin + width ? lane->lane + lane->argument : lane->lane;
        break;
    default:
        source = lane->lane ^ lane->argument;
        source = source < begin + width ? source : lane->lane;
        break;
    }
    return values[source & (TSL_LANES - 1)];
}

static bool is_shuffle(int operation)
{
    return operation >= TSL_LAB_SHUFFLE && operation <= TSL_LAB_SHUFFLE_XOR;
}

/* Does a shuffle's lane take the value of one that gives none? */
static void check_source(const tsl_fiber *lane, uint32_t group)
{
    unsigned source;
    uint64_t numbers[TSL_LANES];
    for (unsigned i = 0; i < TSL_LANES; i++) {
        numbers[i] = i;
    }
    source = (unsigned)shuffled(lane, numbers);
    if ((group >> source & 1) == 0) {
        tsl_report("mask", lane->wait_pc, 0,
                   "lane %u takes the value of lane %u, which takes no part in this %s", lane->lane,
                   source, operation_names[lane->operation]);
    }
}

static void finish(tsl_warp *warp, uint32_t group, int operation)
{
    uint64_t values[TSL_LANES] = {0};
    for (uint32_t left = group; left != 0; left &= left - 1) {
        const unsigned i = (unsigned)__builtin_ctz(left);
        values[i] = warp->lanes[i].value;
    }
    for (uint32_t left = group; left != 0; left &= left - 1) {
        tsl_fiber *lane = &warp->lanes[__builtin_ctz(left)];
        uint32_t mask = 0;
        if (is_shuffle(operation)) {
            check_source(lane, group);
            lane->value = shuffled(lane, values);
            continue;
        }
        for (uint32_t of = group; of != 0; of &= of - 1) {
            const unsigned i = (unsigned)__builtin_ctz(of);
            const bool counts = operation == TSL_LAB_MATCH    ? values[i] == values[lane->lane]
                                : operation == TSL_LAB_BALLOT ? values[i] != 0
                                                              : true;
            mask |= counts ? of & -of : 0;
        }
        lane->value = mask;
    }
    if (operation == TSL_LAB_SYNC && tsl_now.way == TSL_WAY_CHECKS) {
        tsl_block *const block = warp->block;
        if (block->tick < TSL_MOST_TICK) {
            block->tick++;
        } else {
            block->unchecked = true;
        }
        tsl_order_join_warp(warp, group);
        for (uint32_t left = group; left != 0; left &= left - 1) {
            tsl_fiber *lane = &warp->lanes[__builtin_ctz(left)];
            lane->warp_since = block->tick;
            lane->stamp = tsl_stamp_make(block->serial, lane->thread, block->tick);
        }
    }
    warp->waiting &= ~group;
    warp->ready |= group;
}

/* Lanes that ask which lanes are active here: those that came to the same place. */
static bool complete_active(tsl_warp *warp, uint32_t lanes)
{
    const tsl_fiber *first = &warp->lanes[__builtin_ctz(lanes)];
    uint32_t group = 0;
    for (uint32_t left = lanes; left != 0; left &= left - 1) {
        const tsl_fiber *lane = &warp->lanes[__builtin_ctz(left)];
        group |= lane->wait_pc == first->wait_pc ? left & -left : 0;
    }
    finish(warp, group, TSL_LAB_ACTIVE);
    return true;
}

static uint32_t with_operation(const tsl_warp *warp, int operation, unsigned mask)
{
    uint32_t lanes = 0;
    for (uint32_t left = warp->waiting; left != 0; left &= left - 1) {
        const tsl_fiber *lane = &warp->lanes[__builtin_ctz(left)];
        const bool same =
            lane->operation == operation && (operation == TSL_LAB_ACTIVE || lane->mask == mask);
        lanes |= same ? left & -left : 0;
    }
    return lanes;
}

static void check_mask(const tsl_warp *warp, const tsl_fiber *lane)
{
    const uint32_t there = warp->count == TSL_LANES ? UINT32_MAX : (1u << warp->count) - 1;
    const uint32_t gone = lane->mask & there & ~warp->live;
    if ((lane->mask >> lane->lane & 1) == 0) {
        tsl_report("mask", lane->wait_pc, 0, "lane %u calls %s with mask %#x, which leaves it out",
                   lane->lane, operation_names[lane->operation], lane->mask);
    } else if (gone != 0) {
        tsl_report("mask", lane->wait_pc, 0, "mask %#x of %s names lane %d, which has ended",
                   lane->mask, operation_names[lane->operation], __builtin_ctz(gone));
    }
}

bool tsl_warp_complete(tsl_warp *warp)
{
    if (warp->ready != 0 || warp->access != 0) {
        return false; /* other lanes may still come here */
    }
    for (uint32_t left = warp->waiting; left != 0; left &= left - 1) {
        const tsl_fiber *lane = &warp->lanes[__builtin_ctz(left)];
        const uint32_t here = with_operation(warp, lane->operation, lane->mask);
        if (lane->operation == TSL_LAB_ACTIVE) {
            return complete_active(warp, here);
        }
        const uint32_t wanted = (lane->mask | 1u << lane->lane) & warp->live;
        if ((wanted & ~here) == 0) {
            for (uint32_t of = here; of != 0; of &= of - 1) {
                check_mask(warp, &warp->lanes[__builtin_ctz(of)]);
            }
            finish(warp, here, lane->operation);
            return true;
        }
    }
    return false;
}

uint64_t tsl_meet_lanes(int operation, unsigned mask, uint64_t value, unsigned argument,
                        unsigned width, uintptr_t pc)
{
    tsl_fiber *const fiber = tsl_now.current;
    if (fiber == NULL) {
        tsl_fatal("the host calls %s: only kernels can", operation_names[operation]);
    }
    fiber->operation = operation;
    fiber->mask = mask;
    fiber->value = value;
    fiber->argument = argument;
    fiber->width = width == 0 || width > TSL_LANES ? TSL_LANES : width;
    fiber->wait_pc = pc;
    tsl_settle_pending(fiber);
    fiber->warp->waiting |= 1u << fiber->lane;
    tsl_wait_for_scheduler();
    return fiber->value;
}

uint64_t tsl_lab_warp(int operation, unsigned mask, uint64_t value, unsigned argument,
                      unsigned width)
{
    return tsl_meet_lanes(operation, mask, value, argument, width,
                          (uintptr_t)__builtin_return_address(0));
}
