/* What fences and atomics order. A thread that has fenced and then writes a word by an atomic (or
 * volatile) access releases what came before the fence; who then reads that word so, knows of it.
 * Each word has a log of such releases; to know of some is to know a beginning of the log. */
#include <stdlib.h>

#include "lab/run/run.h"
#include "lab/run/stamp.h"

enum { ALL_THREADS = 1024, LOGS = 1 << 12, MOST_KNOWN = 16, DEPTH = 8 };

typedef struct log_entry {
    uint32_t serial;
    uint16_t thread; /* ALL_THREADS, or ALL_THREADS + 1 + warp */
    uint16_t device; /* reaches other blocks */
    uint32_t tick;   /* accesses before this tick */
    uint32_t before; /* entry of the same block before this one, + 1; 0: none */
} log_entry;

/* A beginning of another log that whoever released had known of. */
typedef struct log_link {
    uint32_t position;
    uint32_t log;
    uint32_t length;
} log_link;

typedef struct release_log {
    uintptr_t address;
    uint32_t count;
    uint32_t room;
    log_entry *entries;
    uint32_t *heads; /* last entry + 1 by serial */
    uint32_t heads_room;
    log_link *links;
    uint32_t link_count;
    uint32_t link_room;
} release_log;

/* Beginnings of logs that a thread, or all of a block, knows. */
typedef struct tsl_known {
    uint32_t count;
    uint32_t log[MOST_KNOWN];
    uint32_t length[MOST_KNOWN];
    struct tsl_known *next; /* of all, to be freed */
} tsl_known;

static release_log *logs[LOGS];
static tsl_known *all_known;

static void *grow(void *memory, uint32_t *room, size_t each)
{
    *room = *room == 0 ? 64 : 2 * *room;
    void *grown = realloc(memory, *room * each);
    if (grown == NULL) {
        tsl_fatal("out of memory for the order of atomic accesses");
    }
    return grown;
}

/* ---- logs ----------------------------------------------------------------------------------- */

static uint32_t find_log(uintptr_t address, bool make)
{
    uint32_t at = (uint32_t)(address >> 2 ^ address >> 14) & (LOGS - 1);
    for (uint32_t tries = 0; tries < LOGS; tries++, at = (at + 1) & (LOGS - 1)) {
        if (logs[at] == NULL) {
            if (!make) {
                return LOGS;
            }
            logs[at] = calloc(1, sizeof **logs);
            if (logs[at] == NULL) {
                tsl_fatal("out of memory for the order of atomic accesses");
            }
            logs[at]->address = address;
            return at;
        }
        if (logs[at]->address == address) {
            return at;
        }
    }
    return LOGS; /* too many: accesses by this one are not ordered, a false report may come of it */
}

static void build_heads(release_log *log)
{
    free(log->heads);
    log->heads_room = log->room * 2;
    log->heads = calloc(log->heads_room, sizeof *log->heads);
    if (log->heads == NULL) {
        tsl_fatal("out of memory for the order of atomic accesses");
    }
}

static uint32_t *head_of(const release_log *log, uint32_t serial)
{
    uint32_t at = serial & (log->heads_room - 1);
    while (log->heads[at] != 0 && log->entries[log->heads[at] - 1].serial != serial) {
        at = (at + 1) & (log->heads_room - 1);
    }
    return &log->heads[at];
}

static void append(release_log *log, log_entry entry)
{
    if (log->count == log->room) {
        log->entries = grow(log->entries, &log->room, sizeof *log->entries);
        build_heads(log);
        for (uint32_t i = 0; i < log->count; i++) {
            *head_of(log, log->entries[i].serial) = i + 1;
        }
    }
    uint32_t *const head = head_of(log, entry.serial);
    entry.before = *head;
    log->entries[log->count++] = entry;
    *head = log->count;
}

static void append_link(release_log *log, uint32_t to, uint32_t length)
{
    for (uint32_t i = log->link_count; i > 0 && i + 8 > log->link_count; i--) {
        if (log->links[i - 1].log == to && log->links[i - 1].length >= length) {
            return;
        }
    }
    if (log->link_count == log->link_room) {
        log->links = grow(log->links, &log->link_room, sizeof *log->links);
    }
    log->links[log->link_count++] = (log_link){log->count, to, length};
}

/* ---- what is known -------------------------------------------------------------------------- */

static tsl_known *make_known(void)
{
    tsl_known *known = calloc(1, sizeof *known);
    if (known == NULL) {
        tsl_fatal("out of memory for the order of atomic accesses");
    }
    known->next = all_known;
    all_known = known;
    return known;
}

static void learn(tsl_known **known, uint32_t log, uint32_t length)
{
    if (*known == NULL) {
        *known = make_known();
    }
    tsl_known *k = *known;
    for (uint32_t i = 0; i < k->count; i++) {
        if (k->log[i] == log) {
            k->length[i] = length > k->length[i] ? length : k->length[i];
            return;
        }
    }
    const uint32_t at = k->count < MOST_KNOWN ? k->count++ : k->count - 1;
    k->log[at] = log;
    k->length[at] = length;
}

static void learn_all(tsl_known **known, const tsl_known *other)
{
    for (uint32_t i = 0; other != NULL && other != *known && i < other->count; i++) {
        learn(known, other->log[i], other->length[i]);
    }
}

static bool log_holds(uint32_t number, uint32_t length, uint64_t stamp, bool same_block, int depth)
{
    const release_log *const log = logs[number];
    const uint32_t serial = tsl_stamp_serial(stamp);
    const uint32_t thread = tsl_stamp_thread(stamp);
    uint32_t next = log->count > 0 ? *head_of(log, serial) : 0;
    for (; next != 0; next = log->entries[next - 1].before) {
        const log_entry *entry = &log->entries[next - 1];
        const bool names = entry->thread == thread || entry->thread == ALL_THREADS ||
                           entry->thread == ALL_THREADS + 1 + thread / TSL_LANES;
        if (next <= length && names && tsl_stamp_tick(stamp) < entry->tick &&
            (entry->device || same_block)) {
            return true;
        }
    }
    for (uint32_t i = log->link_count; i > 0 && depth > 0; i--) {
        const log_link *link = &log->links[i - 1];
        if (link->position < length && link->log != number &&
            log_holds(link->log, link->length, stamp, same_block, depth - 1)) {
            return true;
        }
    }
    return false;
}

static bool known_holds(const tsl_known *known, uint64_t stamp, bool same_block)
{
    for (uint32_t i = 0; known != NULL && i < known->count; i++) {
        if (log_holds(known->log[i], known->length[i], stamp, same_block, DEPTH)) {
            return true;
        }
    }
    return false;
}

bool tsl_known_before(const tsl_fiber *fiber, uint64_t stamp)
{
    const tsl_block *const block = fiber->warp->block;
    const bool same = tsl_stamp_serial(stamp) == block->serial;
    return known_holds(fiber->known, stamp, same) || known_holds(block->known, stamp, same);
}

/* ---- fences, atomics, barriers -------------------------------------------------------------- */

static void fence(tsl_fiber *fiber, int scope)
{
    tsl_block *const block = fiber->warp->block;
    if (block->tick < TSL_MOST_TICK) {
        block->tick++;
    } else {
        block->unchecked = true;
    }
    fiber->fence_block = block->tick;
    fiber->fence_device = scope > 0 ? block->tick : fiber->fence_device;
    /* what comes after the fence is told from what came before by its tick */
    fiber->stamp = tsl_stamp_make(block->serial, fiber->thread, block->tick);
}

void tsl_fence(int scope)
{
    if (tsl_now.current != NULL && tsl_now.way == TSL_WAY_CHECKS) {
        tsl_settle_pending(tsl_now.current);
        fence(tsl_now.current, scope);
    }
}

static uint32_t earlier(uint32_t a, uint32_t b)
{
    return a < b ? a : b;
}

static void release(tsl_fiber *fiber, uintptr_t address)
{
    const tsl_block *const block = fiber->warp->block;
    const uint32_t number = find_log(address, true);
    if (number == LOGS) {
        return;
    }
    release_log *const log = logs[number];
    const bool device = fiber->fence_device > 0;
    const uint32_t fence = fiber->fence_block;
    const uint32_t reach = device ? fiber->fence_device : fence;
    append(log,
           (log_entry){
               .serial = block->serial, .thread = fiber->thread, .device = device, .tick = reach});
    if (fence > reach) {
        append(log, (log_entry){.serial = block->serial, .thread = fiber->thread, .tick = fence});
    }
    append(log, (log_entry){.serial = block->serial,
                            .thread = (uint16_t)(ALL_THREADS + 1 + fiber->thread / TSL_LANES),
                            .device = device,
                            .tick = earlier(fiber->warp_since, reach)});
    append(log, (log_entry){.serial = block->serial,
                            .thread = ALL_THREADS,
                            .device = device,
                            .tick = earlier(block->since, reach)});
    const tsl_known *const both[] = {fiber->known, block->known};
    for (int b = 0; b < 2; b++) {
        for (uint32_t i = 0; both[b] != NULL && i < both[b]->count; i++) {
            if (both[b]->log[i] != number) {
                append_link(log, both[b]->log[i], both[b]->length[i]);
            }
        }
    }
    tsl_now.any_release = true;
}

void tsl_release_acquire(tsl_fiber *fiber, uintptr_t address, bool writes)
{
    if (writes && fiber->fence_block > 0) {
        release(fiber, address);
    }
    if (tsl_now.any_release) {
        const uint32_t number = find_log(address, false);
        if (number != LOGS && logs[number]->count > 0) {
            learn(&fiber->known, number, logs[number]->count);
            fiber->warp->block->any_known = true;
        }
    }
}

/* After a barrier all threads know what one knew, and what all had fenced counts as fenced. */
void tsl_order_join_block(tsl_block *block)
{
    bool block_fenced = true;
    bool device_fenced = true;
    for (uint32_t t = 0; t < block->threads; t++) {
        const tsl_fiber *fiber = &block->fibers[t];
        if ((fiber->warp->barrier >> fiber->lane & 1) != 0) {
            block_fenced = block_fenced && fiber->fence_block > block->since;
            device_fenced = device_fenced && fiber->fence_device > block->since;
        }
    }
    if (block->any_known) {
        for (uint32_t t = 0; t < block->threads; t++) {
            tsl_fiber *fiber = &block->fibers[t];
            learn_all(&block->known, fiber->known);
            fiber->known = NULL;
        }
        block->any_known = false;
    }
    for (uint32_t t = 0; t < block->threads && (block_fenced || device_fenced); t++) {
        tsl_fiber *fiber = &block->fibers[t];
        fiber->fence_block = block_fenced ? block->tick + 1 : fiber->fence_block;
        fiber->fence_device = device_fenced ? block->tick + 1 : fiber->fence_device;
    }
}

void tsl_order_join_warp(tsl_warp *warp, uint32_t mask)
{
    tsl_known *joined = NULL;
    for (uint32_t left = mask; left != 0; left &= left - 1) {
        learn_all(&joined, warp->lanes[__builtin_ctz(left)].known);
    }
    for (uint32_t left = mask; joined != NULL && left != 0; left &= left - 1) {
        learn_all(&warp->lanes[__builtin_ctz(left)].known, joined);
    }
}

void tsl_order_forget(void)
{
    for (uint32_t i = 0; i < LOGS && tsl_now.any_release; i++) {
        if (logs[i] != NULL) {
            free(logs[i]->entries);
            free(logs[i]->heads);
            free(logs[i]->links);
            free(logs[i]);
            logs[i] = NULL;
        }
    }
    while (all_known != NULL) {
        tsl_known *next = all_known->next;
        free(all_known);
        all_known = next;
    }
    tsl_now.any_release = false;
}
