/* Warps in lockstep: a lane stops before each access; when all lanes of a warp that could run have
 * stopped, those deepest in calls, then lowest in code, go together. Lanes switch to each other
 * without the scheduler. */
#include "lab/run/run.h"

enum { STRONG_GROUPS = 64 }; /* a warp that only spins lets others run */

/* The lanes that go next among those that have stopped. */
static uint32_t choose(const tsl_warp *warp)
{
    const tsl_fiber *best = &warp->lanes[__builtin_ctz(warp->access)];
    uint32_t group = 0;
    for (uint32_t left = warp->access; left != 0; left &= left - 1) {
        const tsl_fiber *lane = &warp->lanes[__builtin_ctz(left)];
        if (lane->pc == best->pc && lane->depth == best->depth) {
            group |= left & -left;
        } else if (lane->depth > best->depth ||
                   (lane->depth == best->depth && lane->pc < best->pc)) {
            best = lane;
            group = left & -left;
        }
    }
    return group;
}

/* Of one place in the code lanes that access other memory, or another number of bytes at a time,
 * are other requests. */
static uint32_t alike(const tsl_warp *warp, uint32_t group)
{
    const tsl_fiber *first = &warp->lanes[__builtin_ctz(group)];
    const uintptr_t shared = tsl_now.shared.begin;
    const bool in_shared = first->address - shared < tsl_now.shared.bytes;
    uint32_t same = 0;
    for (uint32_t left = group; left != 0; left &= left - 1) {
        const tsl_fiber *lane = &warp->lanes[__builtin_ctz(left)];
        if (lane->size == first->size &&
            (lane->address - shared < tsl_now.shared.bytes) == in_shared) {
            same |= left & -left;
        }
    }
    return same;
}

/* A spinning group must not keep the other lanes of its warp from what it waits for: others go
 * first now and then. */
static uint32_t let_others(const tsl_warp *warp, uint32_t group)
{
    const uint32_t others = warp->access & ~group;
    if (warp->strong % 16 != 15 || others == 0) {
        return group;
    }
    const tsl_fiber *other = &warp->lanes[__builtin_ctz(others)];
    uint32_t chosen = 0;
    for (uint32_t left = others; left != 0; left &= left - 1) {
        const tsl_fiber *lane = &warp->lanes[__builtin_ctz(left)];
        if (lane->pc == other->pc && lane->depth == other->depth) {
            chosen |= left & -left;
        }
    }
    return chosen;
}

/* Does a group of strong accesses only repeat itself? */
static void note_strong(tsl_warp *warp, uint32_t group)
{
    bool repeats = true;
    for (uint32_t left = group; left != 0; left &= left - 1) {
        tsl_fiber *lane = &warp->lanes[__builtin_ctz(left)];
        repeats = tsl_repeats(lane, lane->address, lane->pc) && repeats;
    }
    warp->strong = repeats ? warp->strong + 1 : 0;
}

static void run_group(tsl_warp *warp)
{
    uint32_t group = let_others(warp, choose(warp));
    group = alike(warp, group);
    if ((warp->lanes[__builtin_ctz(group)].kind & TSL_STRONG) != 0) {
        note_strong(warp, group);
    }
    tsl_count_group(warp, group);
    warp->access &= ~group;
    warp->ready = group;
}

/* The lane to go on with; NULL: the warp waits for others. */
static tsl_fiber *pick(tsl_warp *warp)
{
    while (warp->ready == 0) {
        if (tsl_now.failed || (warp->access != 0 && warp->strong >= STRONG_GROUPS)) {
            return NULL;
        }
        tsl_fiber *const current = tsl_now.current;
        bool went = true;
        tsl_now.current = NULL; /* copies that the runtime makes are not the learner's */
        if (warp->access != 0) {
            run_group(warp);
        } else {
            went = tsl_warp_complete(warp);
        }
        tsl_now.current = current;
        if (!went) {
            return NULL;
        }
    }
    tsl_fiber *const next = &warp->lanes[__builtin_ctz(warp->ready)];
    warp->ready &= warp->ready - 1;
    return next;
}

void tsl_lockstep_next(tsl_warp *warp, tsl_fiber *self)
{
    void *gone;
    tsl_fiber *const next = pick(warp);
    if (next != NULL && next == self) {
        return;
    }
    tsl_now.current = next;
    tsl_switch(self != NULL ? &self->stack_pointer : &gone,
               next != NULL ? next->stack_pointer : tsl_now.scheduler);
}

bool tsl_lockstep_enter(tsl_warp *warp)
{
    warp->strong = 0;
    tsl_fiber *const next = pick(warp);
    if (next == NULL) {
        return false;
    }
    tsl_now.current = next;
    tsl_switch(&tsl_now.scheduler, next->stack_pointer);
    tsl_now.current = NULL;
    return warp->strong < STRONG_GROUPS;
}

void tsl_lockstep_stop(tsl_fiber *fiber)
{
    fiber->warp->access |= 1u << fiber->lane;
    tsl_lockstep_next(fiber->warp, fiber);
}
