/* Blocks: their fibers, the order of threads, and shared memory that one at a time has. */
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "lab/run/run.h"
#include "lab/run/stamp.h"

static tsl_block *unused; /* blocks that have ended, to be taken again */

static void fiber_main(void)
{
    const tsl_lab_launch *launch = tsl_now.launch;
    launch->call(launch->arguments);
    tsl_stop();
}

static uint32_t next_serial(void)
{
    if (tsl_now.next_serial > TSL_MOST_SERIAL) { /* begin anew: what was known is forgotten */
        tsl_space *const spaces[] = {&tsl_now.global, &tsl_now.shared, &tsl_now.variables};
        for (size_t i = 0; i < sizeof spaces / sizeof *spaces; i++) {
            const size_t bytes = (spaces[i]->bytes / 4 + 8) * sizeof(tsl_cell);
            madvise(spaces[i]->cells, bytes / 4096 * 4096, MADV_REMOVE);
            madvise(spaces[i]->cells, bytes / 4096 * 4096, MADV_DONTNEED);
        }
        tsl_now.next_serial = 1;
        tsl_now.launch_serial = 1;
    }
    return tsl_now.next_serial++;
}

/* ---- life ----------------------------------------------------------------------------------- */

static tsl_block *create(uint32_t threads)
{
    tsl_block *block = calloc(1, sizeof *block);
    const uint32_t warps = (threads + TSL_LANES - 1) / TSL_LANES;
    if (block != NULL) {
        block->fibers = calloc((size_t)warps * TSL_LANES, sizeof *block->fibers);
        block->warp = calloc(warps, sizeof *block->warp);
        block->stacks_bytes = ((size_t)threads * TSL_STACK + (2u << 20)) & ~(size_t)4095;
        void *stacks = mmap(NULL, block->stacks_bytes, PROT_READ | PROT_WRITE,
                            MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_STACK, -1, 0);
        block->stacks = (uintptr_t)stacks;
        if (stacks == MAP_FAILED || block->fibers == NULL || block->warp == NULL) {
            tsl_fatal("out of memory for the stacks of %u threads", threads);
        }
        madvise(stacks, block->stacks_bytes, MADV_HUGEPAGE);
    } else {
        tsl_fatal("out of memory for a block");
    }
    block->threads = threads;
    block->warps = warps;
    for (uint32_t t = 0; t < threads; t++) {
        block->fibers[t].stack = block->stacks + (uintptr_t)t * TSL_STACK;
    }
    return block;
}

static void begin_fiber(tsl_block *block, uint32_t t, const unsigned index[3])
{
    tsl_fiber *f = &block->fibers[t];
    f->stack_pointer = tsl_prepare_stack(f->stack + TSL_STACK - 64, fiber_main);
    f->lane = (uint16_t)(t % TSL_LANES);
    f->thread = (uint16_t)t;
    f->warp = &block->warp[t / TSL_LANES];
    f->depth = 0;
    f->warp_since = 0;
    f->fence_block = f->fence_device = 0;
    f->known = NULL;
    f->pending = 0;
    f->strong_run = 0;
    f->strong_pc = 0;
    f->announced_bytes = 0;
    f->touched = false;
    f->stamp = tsl_stamp_make(block->serial, t, 0);
    f->index[0] = index[0];
    f->index[1] = index[1];
    f->index[2] = index[2];
}

tsl_block *tsl_block_take(uint64_t number)
{
    const unsigned *const size = tsl_now.block_size;
    const unsigned *const grid = tsl_now.grid_size;
    const uint32_t threads = size[0] * size[1] * size[2];
    while (unused != NULL && unused->threads != threads) {
        tsl_blocks_release();
    }
    tsl_block *block = unused;
    if (block != NULL) {
        unused = block->next;
    } else {
        block = create(threads);
    }
    block->number = number;
    block->index[0] = (unsigned)(number % grid[0]);
    block->index[1] = (unsigned)(number / grid[0] % grid[1]);
    block->index[2] = (unsigned)(number / grid[0] / grid[1]);
    block->serial = next_serial();
    block->old_count = 0;
    block->tick = block->since = 0;
    block->live = threads;
    block->ended = 0;
    block->unchecked = block->at_grid = block->any_known = false;
    block->passes = 0;
    block->known = NULL;
    unsigned index[3] = {0, 0, 0};
    for (uint32_t t = 0; t < threads; t++) {
        begin_fiber(block, t, index);
        if (++index[0] == size[0]) {
            index[0] = 0;
            if (++index[1] == size[1]) {
                index[1] = 0;
                index[2]++;
            }
        }
    }
    for (uint32_t w = 0; w < block->warps; w++) {
        tsl_warp *warp = &block->warp[w];
        const uint32_t count = threads - w * TSL_LANES;
        warp->lanes = block->fibers + (size_t)w * TSL_LANES;
        warp->block = block;
        warp->count = count < TSL_LANES ? count : TSL_LANES;
        warp->live = warp->count == TSL_LANES ? UINT32_MAX : (1u << warp->count) - 1;
        warp->ready = warp->live;
        warp->access = warp->waiting = warp->barrier = 0;
    }
    return block;
}

void tsl_block_give(tsl_block *block)
{
    free(block->saved);
    block->saved = NULL;
    block->next = unused;
    unused = block;
}

void tsl_blocks_release(void)
{
    while (unused != NULL) {
        tsl_block *block = unused;
        unused = block->next;
        munmap((void *)block->stacks, block->stacks_bytes);
        free(block->saved);
        free(block->fibers);
        free(block->warp);
        free(block);
    }
}

/* ---- shared memory -------------------------------------------------------------------------- */

/* What is known of shared memory is made of its bytes, its written bits and its cells. */
static void exchange(tsl_block *block, bool in)
{
    const tsl_space *s = &tsl_now.shared;
    const size_t bytes = tsl_now.shared_used;
    const size_t bits = bytes / 8 + 8;
    const size_t cells = bytes / 4 * sizeof(tsl_cell);
    char *at = block->saved;
    void *const parts[] = {(void *)s->begin, s->written, s->cells};
    const size_t sizes[] = {bytes, bits, tsl_now.way == TSL_WAY_CHECKS ? cells : 0};
    for (int i = 0; i < 3; i++) {
        memcpy(in ? parts[i] : at, in ? at : parts[i], sizes[i]);
        at += sizes[i];
    }
}

void tsl_block_leave(tsl_block *block)
{
    if (block->saved == NULL) {
        const size_t bytes = tsl_now.shared_used;
        block->saved = malloc(bytes + bytes / 8 + 8 + bytes / 4 * sizeof(tsl_cell));
        if (block->saved == NULL) {
            tsl_fatal("out of memory for the shared memory of a block that waits");
        }
    }
    exchange(block, false);
}

void tsl_block_enter(tsl_block *block)
{
    exchange(block, true);
}

/* After a barrier a block may go on with a new serial and its ticks from 0. */
void tsl_block_renew(tsl_block *block)
{
    if (block->old_count < TSL_OLD_SERIALS) {
        block->old[block->old_count++] = block->serial;
    }
    block->serial = next_serial();
    block->tick = 1;
}
