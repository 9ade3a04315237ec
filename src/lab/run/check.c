/* Checks of an access that hooks.c could not settle at once: bounds, alignment, what nobody wrote,
 * races. */
#include <string.h>

#include "lab/run/relation.h"

/* ---- order ---------------------------------------------------------------------------------- */

static bool is_own_serial(uint32_t serial)
{
    return serial == tsl_now.block->serial;
}

/* Did an access by `stamp` happen before what this thread does now? */
static bool is_before(const tsl_space *space, const tsl_fiber *fiber, uint64_t stamp)
{
    const tsl_block *const block = tsl_now.block;
    if (tsl_relation(fiber, stamp, space->kind == TSL_SPACE_SHARED) == TSL_LEVEL_ALONE) {
        return true;
    }
    if (is_own_serial(tsl_stamp_serial(stamp)) && block->unchecked) {
        return true;
    }
    for (uint32_t i = 0; i < block->old_count; i++) {
        if (block->old[i] == tsl_stamp_serial(stamp)) {
            return true;
        }
    }
    return tsl_known_before(fiber, stamp);
}

static const char *where(uint64_t stamp, char text[64])
{
    const uint32_t serial = tsl_stamp_serial(stamp);
    if (is_own_serial(serial) && tsl_stamp_thread(stamp) == tsl_now.current->thread) {
        __builtin_snprintf(text, 64, "another thread");
    } else if (is_own_serial(serial)) {
        __builtin_snprintf(text, 64, "thread %u", tsl_stamp_thread(stamp));
    } else {
        __builtin_snprintf(text, 64, "thread %u of another block", tsl_stamp_thread(stamp));
    }
    return text;
}

static const char *space_name(const tsl_space *space)
{
    return space->kind == TSL_SPACE_SHARED ? "shared" : "global";
}

/* ---- races ---------------------------------------------------------------------------------- */

/* Is a write in conflict with a word's readers? */
static bool clashes_with_readers(const tsl_space *space, const tsl_fiber *fiber, uint64_t read,
                                 unsigned kind)
{
    const bool both_strong = (kind & TSL_STRONG) != 0 && (read & TSL_STAMP_STRONG) != 0;
    if (tsl_stamp_serial(read) < tsl_now.launch_serial || both_strong) {
        return false;
    }
    if (!is_before(space, fiber, read)) {
        return true;
    }
    return !tsl_now.block->unchecked && tsl_readers_open(fiber, read);
}

/* In a block, volatile accesses of other warps may be flags; those of the same warp are no
 * synchronisation. */
static bool are_both_strong(const tsl_space *space, const tsl_fiber *fiber, unsigned kind,
                            uint64_t stamp)
{
    const bool both = (kind & TSL_STRONG) != 0 && (stamp & TSL_STAMP_STRONG) != 0;
    if (both && space->kind == TSL_SPACE_SHARED && (kind & TSL_ATOMIC) == 0) {
        return tsl_relation(fiber, stamp, space->kind == TSL_SPACE_SHARED) != TSL_LEVEL_WARP;
    }
    return both;
}

/* `what` this thread does to what another has done, and `done`: that, or nothing. */
static void report_race(const tsl_space *space, const char *what, const char *done,
                        uintptr_t address, uintptr_t pc, uint64_t stamp)
{
    char other[64];
    char name[320];
    tsl_memory_describe(name, sizeof name, address, 4);
    tsl_report("race", pc, tsl_site_pc(tsl_stamp_site(stamp)), "%s memory: thread %u %s %s%s: %s",
               space_name(space), tsl_now.current->thread, what, where(stamp, other), done, name);
}

void tsl_settle_pending(tsl_fiber *fiber)
{
    if (fiber->pending != 0 && tsl_now.way == TSL_WAY_CHECKS) {
        const uintptr_t address = fiber->pending;
        fiber->pending = 0;
        if (*(const uint32_t *)address != fiber->pending_value) {
            const bool in_shared = address - tsl_now.shared.begin < tsl_now.shared.bytes;
            report_race(in_shared ? &tsl_now.shared : &tsl_now.global, "writes another value than",
                        "", address, fiber->pending_pc, fiber->pending_stamp);
        }
    }
}

static void check_write(const tsl_space *space, tsl_fiber *fiber, tsl_cell *cell, uintptr_t word,
                        unsigned kind, unsigned mask, uintptr_t pc)
{
    const uint64_t write = cell->write;
    const bool overlaps = (write & mask) != 0;
    if (overlaps && !is_before(space, fiber, write) &&
        !are_both_strong(space, fiber, kind, write)) {
        if ((kind & TSL_ATOMIC) != 0 || (write & TSL_STAMP_STRONG) != 0) {
            report_race(space, "makes an atomic or volatile access, unordered with the write by",
                        "", word, pc, write);
        } else if (fiber->pending == 0) { /* the same value is no harm: told after the write */
            fiber->pending = word;
            fiber->pending_value = *(const uint32_t *)word;
            fiber->pending_pc = pc;
            fiber->pending_stamp = write;
        }
    }
    if ((cell->read & mask) != 0 && clashes_with_readers(space, fiber, cell->read, kind)) {
        report_race(space, "writes what", " has read", word, pc, cell->read);
    }
}

static void check_read(const tsl_space *space, const tsl_fiber *fiber, const tsl_cell *cell,
                       uintptr_t word, unsigned kind, unsigned mask, uintptr_t pc)
{
    if ((cell->write & mask) != 0 && !is_before(space, fiber, cell->write) &&
        !are_both_strong(space, fiber, kind, cell->write)) {
        report_race(space, "reads what", " has written", word, pc, cell->write);
    }
}

/* Keep a read in its word's cell; who else has read in the same interval is kept as a level. */
static void keep_read(const tsl_space *space, const tsl_fiber *fiber, tsl_cell *cell,
                      uint64_t stamp, unsigned mask)
{
    const uint64_t read = cell->read;
    unsigned level = TSL_LEVEL_ALONE;
    if ((read & mask) != 0) {
        const unsigned between = is_before(space, fiber, read)
                                     ? TSL_LEVEL_ALONE
                                     : tsl_relation(fiber, read, space->kind == TSL_SPACE_SHARED);
        if (between != TSL_LEVEL_ALONE || tsl_readers_open(fiber, read)) {
            level = tsl_stamp_level(read);
            level = between > level ? between : level;
        }
    }
    cell->read = stamp | (uint64_t)level << TSL_STAMP_LEVEL;
}

static void check_word(const tsl_space *space, tsl_fiber *fiber, uintptr_t address, unsigned bytes,
                       unsigned kind, uintptr_t pc)
{
    const size_t at = address - space->begin;
    const uintptr_t word = address & ~(uintptr_t)3;
    tsl_cell *const cell = space->cells + (at >> 2);
    const unsigned mask = ((1u << bytes) - 1) << (address & 3);
    const uint64_t site = tsl_site(pc);
    const uint64_t stamp = fiber->stamp | (site <= TSL_MOST_SITE ? site : 0) << TSL_STAMP_SITE |
                           ((kind & TSL_STRONG) != 0 ? TSL_STAMP_STRONG : 0) | mask;
    if ((kind & TSL_WRITE) != 0) {
        check_write(space, fiber, cell, word, kind, mask, pc);
        cell->write = stamp;
    } else {
        check_read(space, fiber, cell, word, kind, mask, pc);
        keep_read(space, fiber, cell, stamp, mask);
    }
}

/* ---- places --------------------------------------------------------------------------------- */

static bool all_bits(const uint8_t *bits, size_t at, unsigned count)
{
    for (size_t i = at; i < at + count; i++) {
        if ((bits[i >> 3] >> (i & 7) & 1) == 0) {
            return false;
        }
    }
    return true;
}

static void set_bits(uint8_t *bits, size_t at, size_t count)
{
    for (size_t i = at; i < at + count; i++) {
        bits[i >> 3] = (uint8_t)(bits[i >> 3] | 1u << (i & 7));
    }
}

static const tsl_space *space_of(uintptr_t address)
{
    const tsl_space *const spaces[] = {&tsl_now.global, &tsl_now.shared, &tsl_now.variables};
    for (int i = 0; i < 3; i++) {
        if (address - spaces[i]->begin < spaces[i]->bytes) {
            return spaces[i];
        }
    }
    return NULL;
}

static const char *verb(unsigned kind)
{
    return (kind & TSL_ATOMIC) != 0  ? "atomic operation on"
           : (kind & TSL_WRITE) != 0 ? "write of"
                                     : "read of";
}

static bool is_of_stacks(uintptr_t address)
{
    const tsl_block *const block = tsl_now.block;
    return address - block->stacks < block->stacks_bytes;
}

/* A card ends the launch here, too. */
static void end_launch(int error)
{
    tsl_now.failed = true;
    tsl_now.sticky = error;
    tsl_stop();
}

/* Memory that is none of the kernel's: constants may be read, all else is told. */
static void check_elsewhere(tsl_fiber *fiber, uintptr_t address, unsigned size, unsigned kind,
                            uintptr_t pc)
{
    char text[320];
    const size_t constants = tsl_now.constant_end - tsl_now.constant_begin;
    if (address - tsl_now.arguments < tsl_now.arguments_bytes || is_of_stacks(address)) {
        return;
    }
    if (address - tsl_now.constant_begin < constants) {
        if ((kind & TSL_WRITE) != 0) {
            tsl_report("constant", pc, 0, "thread %u writes to constant memory", fiber->thread);
            end_launch(700);
        }
        return;
    }
    if ((kind & TSL_WRITE) == 0 && tsl_is_read_only(address)) {
        return;
    }
    tsl_memory_describe(text, sizeof text, address, size);
    tsl_report("bounds", pc, 0, "%s %u bytes out of bounds by thread %u of block %llu: %s",
               verb(kind), size, fiber->thread, (unsigned long long)tsl_now.block->number, text);
    end_launch(700);
}

static bool check_bounds(const tsl_space *space, const tsl_fiber *fiber, uintptr_t address,
                         unsigned size, unsigned kind, uintptr_t pc)
{
    const size_t at = address - space->begin;
    const bool inside =
        space->valid != NULL ? all_bits(space->valid, at, size) : tsl_memory_holds(address, size);
    if (!inside) {
        char text[320];
        tsl_memory_describe(text, sizeof text, address, size);
        tsl_report("bounds", pc, 0, "%s %u bytes out of bounds by thread %u of block %llu: %s",
                   verb(kind), size, fiber->thread, (unsigned long long)tsl_now.block->number,
                   text);
    }
    return inside;
}

static void check_space(const tsl_space *space, tsl_fiber *fiber, uintptr_t address, unsigned size,
                        unsigned kind, uintptr_t pc)
{
    const size_t at = address - space->begin;
    char text[320];
    if (!check_bounds(space, fiber, address, size, kind, pc)) {
        return;
    }
    if ((address & (size - 1)) != 0) {
        tsl_memory_describe(text, sizeof text, address, size);
        tsl_report("misaligned", pc, 0,
                   "%s %u bytes at an address that is not a multiple of %u: %s", verb(kind), size,
                   size, text);
        end_launch(716);
    }
    if ((kind & TSL_READ) != 0 && !all_bits(space->written, at, size)) {
        tsl_memory_describe(text, sizeof text, address, size);
        tsl_report("unwritten", pc, 0, "thread %u reads %s memory that nobody wrote: %s",
                   fiber->thread, space_name(space), text);
    }
    for (uintptr_t next = address, end = address + size; next < end;) {
        const uintptr_t word_end = (next & ~(uintptr_t)3) + 4;
        const uintptr_t to = word_end < end ? word_end : end;
        check_word(space, fiber, next, (unsigned)(to - next), kind, pc);
        next = to;
    }
    if ((kind & TSL_WRITE) != 0 || !all_bits(space->written, at, size)) {
        set_bits(space->written, at, size); /* what is told once is not told again */
    }
}

void tsl_check(tsl_fiber *fiber, uintptr_t address, unsigned size, unsigned kind, uintptr_t pc)
{
    tsl_settle_pending(fiber);
    tsl_now.current = NULL; /* copies that the runtime makes are not the learner's */
    const tsl_space *const space = space_of(address);
    tsl_now.current = fiber;
    if (space == NULL) {
        check_elsewhere(fiber, address, size, kind, pc);
        return;
    }
    fiber->touched = true;
    tsl_now.accesses++;
    if ((kind & TSL_STRONG) != 0) {
        tsl_spin_if_repeated(fiber, address, pc);
        tsl_release_acquire(fiber, address & ~(uintptr_t)3, (kind & TSL_WRITE) != 0);
    }
    check_space(space, fiber, address, size, kind, pc);
}

void tsl_mark_written(uintptr_t address, size_t bytes, bool written)
{
    const tsl_space *const space = space_of(address);
    if (space == NULL || bytes == 0) {
        return;
    }
    size_t at = address - space->begin;
    const size_t end = at + bytes < space->bytes ? at + bytes : space->bytes;
    while (at < end) {
        if ((at & 7) == 0 && end - at >= 8) {
            const size_t whole = (end - at) / 8;
            memset(space->written + at / 8, written ? 255 : 0, whole);
            at += 8 * whole;
        } else {
            const uint8_t bit = (uint8_t)(1u << (at & 7));
            uint8_t *byte = &space->written[at >> 3];
            *byte = (uint8_t)(written ? *byte | bit : *byte & ~bit);
            at++;
        }
    }
}
