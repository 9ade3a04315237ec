/* The scheduler: blocks one after another, their threads in the order asked for, up to where all
 * wait for each other. */
#include <stdlib.h>

#include "lab/run/run.h"
#include "lab/run/stamp.h"

enum { STRONG_RUN = 64, SPINNING_PASSES = 64 };

static uint16_t order[TSL_MOST_THREADS];
static uint32_t order_threads;
static bool spun; /* a thread of this pass has only spun */

/* ---- orders --------------------------------------------------------------------------------- */

static uint64_t random_number(uint64_t *state)
{
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return *state >> 33;
}

static uint64_t common_divisor(uint64_t a, uint64_t b)
{
    while (b != 0) {
        const uint64_t rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

/* A stride that leads through all of `count`, near `wish`. */
static uint64_t stride_of(uint64_t count, uint64_t wish)
{
    uint64_t stride = wish % 65521 % count;
    stride = stride == 0 ? 1 : stride;
    while (common_divisor(stride, count) != 1) {
        stride++;
    }
    return stride;
}

/* Place `k` of `count` in the order asked for. */
static uint64_t place(uint64_t k, uint64_t count, uint64_t stride, uint64_t offset)
{
    switch (tsl_now.order) {
    case TSL_ORDER_REVERSED:
        return count - 1 - k;
    case TSL_ORDER_STRIDED:
    case TSL_ORDER_RANDOM:
        return (k * stride + offset % count) % count; /* strides have 16 bits, a grid 47 */
    case TSL_ORDER_FORWARD:
        break;
    }
    return k;
}

static void set_order(uint32_t threads)
{
    uint64_t state = tsl_now.seed;
    for (uint32_t i = 0; i < threads; i++) {
        const uint64_t stride = stride_of(threads, 37);
        order[i] = (uint16_t)(tsl_now.order == TSL_ORDER_RANDOM ? i : place(i, threads, stride, 0));
    }
    for (uint32_t i = threads - 1; i > 0 && tsl_now.order == TSL_ORDER_RANDOM; i--) {
        const uint32_t j = (uint32_t)(random_number(&state) % (i + 1));
        const uint16_t other = order[j];
        order[j] = order[i];
        order[i] = other;
    }
    order_threads = threads;
}

/* ---- fibers --------------------------------------------------------------------------------- */

void tsl_wait_for_scheduler(void)
{
    tsl_fiber *const fiber = tsl_now.current;
    if (tsl_now.way == TSL_WAY_COUNTS) {
        tsl_lockstep_next(fiber->warp, fiber);
    } else {
        tsl_switch(&fiber->stack_pointer, tsl_now.scheduler);
    }
}

void tsl_stop(void)
{
    tsl_fiber *const fiber = tsl_now.current;
    tsl_warp *const warp = fiber->warp;
    void *gone;
    tsl_settle_pending(fiber);
    warp->live &= ~(1u << fiber->lane);
    warp->block->live--;
    warp->block->ended += fiber->touched;
    if (tsl_now.way == TSL_WAY_COUNTS) {
        tsl_lockstep_next(warp, NULL);
    } else {
        tsl_switch(&gone, tsl_now.scheduler);
    }
    abort();
}

void tsl_lab_leave(void)
{
    tsl_stop();
}

bool tsl_repeats(tsl_fiber *fiber, uintptr_t address, uintptr_t pc)
{
    const uint32_t value = *(const volatile uint32_t *)(address & ~(uintptr_t)3);
    const bool same =
        fiber->strong_pc == pc && fiber->strong_address == address && fiber->strong_value == value;
    fiber->strong_pc = pc;
    fiber->strong_address = address;
    fiber->strong_value = value;
    fiber->strong_run = same ? fiber->strong_run + 1 : 0;
    return same;
}

void tsl_spin_if_repeated(tsl_fiber *fiber, uintptr_t address, uintptr_t pc)
{
    if (tsl_repeats(fiber, address, pc) && fiber->strong_run > STRONG_RUN) {
        tsl_spin(fiber);
    }
}

void tsl_spin(tsl_fiber *fiber)
{
    fiber->strong_run = 0;
    fiber->warp->ready |= 1u << fiber->lane;
    spun = true;
    tsl_wait_for_scheduler();
}

static void resume(tsl_fiber *fiber)
{
    fiber->warp->ready &= ~(1u << fiber->lane);
    fiber->strong_run = 0;
    tsl_now.current = fiber;
    tsl_switch(&tsl_now.scheduler, fiber->stack_pointer);
    tsl_now.current = NULL;
}

/* Run all threads that can; true if one went on that did not only spin. */
static bool pass_threads(tsl_block *block)
{
    bool went = false;
    for (uint32_t k = 0; k < block->threads && !tsl_now.failed; k++) {
        tsl_fiber *const fiber = &block->fibers[order[k]];
        if ((fiber->warp->ready >> fiber->lane & 1) != 0) {
            spun = false;
            resume(fiber);
            went = went || !spun;
            block->passes += spun;
        }
    }
    return went;
}

static bool pass_warps(tsl_block *block)
{
    bool went = false;
    for (uint32_t w = 0; w < block->warps && !tsl_now.failed; w++) {
        tsl_warp *const warp = &block->warp[w];
        if ((warp->ready | warp->access | warp->waiting) != 0) {
            went = tsl_lockstep_enter(warp) || went;
            block->passes += warp->access != 0;
        }
    }
    return went;
}

/* ---- barriers ------------------------------------------------------------------------------- */

static uint32_t count_at_barrier(const tsl_block *block)
{
    uint32_t count = 0;
    for (uint32_t w = 0; w < block->warps; w++) {
        count += (uint32_t)__builtin_popcount(block->warp[w].barrier);
    }
    return count;
}

enum { GRID_BARRIER = 4 };

/* Do all wait at the same barrier? */
static void check_barrier(const tsl_block *block)
{
    const tsl_fiber *first = NULL;
    for (uint32_t t = 0; t < block->threads; t++) {
        const tsl_fiber *fiber = &block->fibers[t];
        if ((fiber->warp->barrier >> fiber->lane & 1) == 0) {
            continue;
        }
        first = first == NULL ? fiber : first;
        if (fiber->wait_pc != first->wait_pc) {
            tsl_report("barrier", fiber->wait_pc, first->wait_pc,
                       "threads %u and %u of block %llu wait at different barriers", fiber->thread,
                       first->thread, (unsigned long long)block->number);
            break;
        }
    }
    if (block->ended > 0 && first != NULL) {
        tsl_report("barrier", first->wait_pc, 0,
                   "%u of %u threads of block %llu end without this barrier", block->ended,
                   block->threads, (unsigned long long)block->number);
    }
}

static int combine(const tsl_block *block, int kind)
{
    int count = 0;
    int all = 0;
    for (uint32_t t = 0; t < block->threads; t++) {
        const tsl_fiber *fiber = &block->fibers[t];
        if ((fiber->warp->barrier >> fiber->lane & 1) != 0) {
            count += fiber->predicate != 0;
            all++;
        }
    }
    return kind == 2 ? count == all : kind == 3 ? count > 0 : count;
}

static void release_barrier(tsl_block *block, int result)
{
    const bool checks = tsl_now.way == TSL_WAY_CHECKS;
    if (checks) {
        tsl_order_join_block(block);
        if (block->tick > TSL_MOST_TICK / 2) {
            tsl_block_renew(block);
        } else {
            block->tick++;
        }
        block->since = block->tick;
        block->unchecked = false;
    }
    block->ended = 0;
    block->passes = 0;
    for (uint32_t w = 0; w < block->warps; w++) {
        tsl_warp *warp = &block->warp[w];
        for (uint32_t left = warp->barrier; left != 0; left &= left - 1) {
            tsl_fiber *fiber = &warp->lanes[__builtin_ctz(left)];
            fiber->predicate = result;
            fiber->warp_since = block->since;
            fiber->touched = false;
            fiber->stamp = tsl_stamp_make(block->serial, fiber->thread, block->tick);
        }
        warp->ready |= warp->barrier;
        warp->barrier = 0;
    }
}

int tsl_meet_block(int kind, int predicate, uintptr_t pc)
{
    tsl_fiber *const fiber = tsl_now.current;
    if (fiber == NULL) {
        tsl_fatal("the host calls __syncthreads(): only kernels can");
    }
    fiber->barrier_kind = kind;
    fiber->predicate = predicate;
    fiber->wait_pc = pc;
    tsl_settle_pending(fiber);
    fiber->warp->barrier |= 1u << fiber->lane;
    tsl_wait_for_scheduler();
    return fiber->predicate;
}

void tsl_lab_grid_barrier(void)
{
    tsl_fiber *const fiber = tsl_now.current;
    if (fiber == NULL || !tsl_now.launch->cooperative) {
        tsl_fatal("grid.sync() in a kernel that was not started by cudaLaunchCooperativeKernel()");
    }
    fiber->barrier_kind = GRID_BARRIER;
    fiber->wait_pc = (uintptr_t)__builtin_return_address(0);
    tsl_settle_pending(fiber);
    fiber->warp->barrier |= 1u << fiber->lane;
    tsl_wait_for_scheduler();
}

/* ---- blocks --------------------------------------------------------------------------------- */

static void report_stuck(const tsl_block *block)
{
    for (uint32_t t = 0; t < block->threads; t++) {
        const tsl_fiber *fiber = &block->fibers[t];
        const tsl_warp *warp = fiber->warp;
        const bool barrier = (warp->barrier >> fiber->lane & 1) != 0;
        if (!barrier && (warp->waiting >> fiber->lane & 1) != 0) {
            tsl_report("deadlock", fiber->wait_pc, 0,
                       "thread %u of block %llu waits for lanes of mask %#x that never arrive", t,
                       (unsigned long long)block->number, fiber->mask);
        } else if (barrier) {
            tsl_report("deadlock", fiber->wait_pc, 0,
                       "thread %u of block %llu waits at a barrier that others never reach", t,
                       (unsigned long long)block->number);
        }
    }
}

static enum tsl_outcome run_block(tsl_block *block)
{
    block->passes = 0;
    while (block->live > 0 && !tsl_now.failed) {
        const bool went = tsl_now.way == TSL_WAY_COUNTS ? pass_warps(block) : pass_threads(block);
        bool completed = went;
        for (uint32_t w = 0; w < block->warps; w++) {
            completed = tsl_warp_complete(&block->warp[w]) || completed;
        }
        if (went || block->live == 0) {
            block->passes = went ? 0 : block->passes;
            continue;
        }
        const uint32_t waiting = count_at_barrier(block);
        if (waiting == block->live) {
            const tsl_fiber *first = NULL;
            for (uint32_t t = 0; t < block->threads && first == NULL; t++) {
                const tsl_fiber *f = &block->fibers[t];
                first = (f->warp->barrier >> f->lane & 1) != 0 ? f : NULL;
            }
            check_barrier(block);
            if (first->barrier_kind == GRID_BARRIER) {
                block->at_grid = true;
                return TSL_BLOCK_AT_GRID;
            }
            release_barrier(block, combine(block, first->barrier_kind));
        } else if (block->passes >= SPINNING_PASSES) {
            return TSL_BLOCK_SPINS;
        } else if (!completed && block->passes == 0) {
            report_stuck(block);
            return TSL_BLOCK_STUCK;
        }
    }
    return TSL_BLOCK_DONE;
}

/* Blocks that wait, first come first served. */
typedef struct queue {
    tsl_block *first;
    tsl_block *last;
    uint64_t count;
    uint64_t at_grid;
} queue;

static void put(queue *waiting, tsl_block *block)
{
    block->next = NULL;
    if (waiting->last != NULL) {
        waiting->last->next = block;
    } else {
        waiting->first = block;
    }
    waiting->last = block;
    waiting->count++;
    waiting->at_grid += block->at_grid;
}

static tsl_block *get(queue *waiting)
{
    tsl_block *block = waiting->first;
    if (block != NULL) {
        waiting->first = block->next;
        waiting->last = waiting->first == NULL ? NULL : waiting->last;
        waiting->count--;
        waiting->at_grid -= block->at_grid;
    }
    return block;
}

/* All blocks have come to the grid's barrier: what they did before is ordered before what they do
 * next, as between two launches. */
static void release_grid(queue *waiting)
{
    tsl_order_forget();
    tsl_now.launch_serial = tsl_now.next_serial;
    for (tsl_block *block = waiting->first; block != NULL; block = block->next) {
        block->at_grid = false;
        tsl_block_renew(block);
        block->known = NULL;
        release_barrier(block, 0);
    }
    waiting->at_grid = 0;
}

static void begin_shared(void)
{
    const tsl_space *s = &tsl_now.shared;
    __builtin_memset(s->written, 0, tsl_now.shared_used / 8 + 8);
}

void tsl_run_blocks(uint64_t first, uint64_t end, uint64_t step)
{
    const uint64_t count = end > first ? (end - first + step - 1) / step : 0;
    queue waiting = {.first = NULL};
    uint64_t begun = 0;
    uint64_t state = tsl_now.seed;
    const bool random = tsl_now.order == TSL_ORDER_RANDOM;
    const uint64_t stride = stride_of(count > 0 ? count : 1, random ? random_number(&state) : 7919);
    const uint64_t offset = random ? random_number(&state) : 0;
    set_order(tsl_now.block_size[0] * tsl_now.block_size[1] * tsl_now.block_size[2]);
    while ((begun < count || waiting.count > 0) && !tsl_now.failed) {
        tsl_block *block;
        if (begun < count) {
            block = tsl_block_take(first + step * place(begun++, count, stride, offset));
            begin_shared();
        } else {
            if (waiting.at_grid == waiting.count) {
                release_grid(&waiting);
            }
            block = get(&waiting);
            if (block->at_grid) {
                put(&waiting, block);
                continue;
            }
            tsl_block_enter(block);
        }
        tsl_now.block = block;
        const enum tsl_outcome outcome = run_block(block);
        if (outcome == TSL_BLOCK_SPINS || outcome == TSL_BLOCK_AT_GRID) {
            tsl_block_leave(block);
            put(&waiting, block);
        } else {
            tsl_now.failed = tsl_now.failed || outcome == TSL_BLOCK_STUCK;
            tsl_block_give(block);
        }
    }
    for (tsl_block *block = get(&waiting); block != NULL; block = get(&waiting)) {
        tsl_block_give(block);
    }
    tsl_now.block = NULL;
}

/* ---- places --------------------------------------------------------------------------------- */

unsigned tsl_lab_thread_index(int axis)
{
    return tsl_now.current->index[axis];
}

unsigned tsl_lab_block_index(int axis)
{
    return tsl_now.block->index[axis];
}

unsigned tsl_lab_block_size(int axis)
{
    return tsl_now.block_size[axis];
}

unsigned tsl_lab_grid_size(int axis)
{
    return tsl_now.grid_size[axis];
}

int tsl_lab_in_kernel(void)
{
    return tsl_now.current != NULL;
}

uint64_t tsl_lab_clock(void)
{
    return ++tsl_now.accesses;
}

void tsl_lab_sleep(void)
{
    if (tsl_now.current != NULL && tsl_now.way == TSL_WAY_CHECKS) {
        tsl_spin(tsl_now.current);
    }
}
