/* What instrumented code calls before it accesses memory: the interface of -fsanitize=thread, whose
 * own library is not linked. The names are those of gcc and clang. */
#include <string.h>

#include "lab/run/relation.h"

#define SITE ((uintptr_t)__builtin_return_address(0))

/* ---- checks, thread by thread --------------------------------------------------------------- */

static inline bool holds(const tsl_space *space, uintptr_t address, unsigned size)
{
    if (space->valid != NULL) {
        const size_t at = address - space->begin;
        const unsigned bits = (unsigned)space->valid[at >> 3] |
                              (unsigned)space->valid[(at >> 3) + 1] << 8 |
                              (unsigned)space->valid[(at >> 3) + 2] << 16;
        const unsigned all = (1u << size) - 1;
        return (bits >> (at & 7) & all) == all;
    }
    return address + size - tsl_now.piece <= tsl_now.piece_bytes && address >= tsl_now.piece;
}

/* A site as it stands in stamps, kept for the places asked for last: checks never change their
 * table of sites. */
static inline uint64_t site_bits(uintptr_t pc)
{
    enum { KEPT = 512 };
    static struct {
        uintptr_t pc;
        uint64_t bits;
    } kept[KEPT];
    const size_t at = (pc ^ pc >> 9) & (KEPT - 1);
    if (TSL_UNLIKELY(kept[at].pc != pc)) {
        const uint64_t site = tsl_site(pc);
        kept[at].pc = pc;
        kept[at].bits = (site <= TSL_MOST_SITE ? site : 0) << TSL_STAMP_SITE;
    }
    return kept[at].bits;
}

/* Aligned accesses of what this thread has at hand are settled here; all else goes to check.c. */
static inline void check(tsl_fiber *fiber, uintptr_t address, unsigned size, unsigned kind,
                         uintptr_t pc)
{
    const tsl_space *space = &tsl_now.global;
    if (address - space->begin >= space->bytes) {
        space = &tsl_now.shared;
    }
    if (TSL_UNLIKELY(address - space->begin >= space->bytes || (address & (size - 1)) != 0 ||
                     size < 4 || (kind & TSL_STRONG) != 0 || fiber->pending != 0 ||
                     !holds(space, address, size))) {
        tsl_check(fiber, address, size, kind, pc);
        return;
    }
    fiber->touched = true;
    tsl_now.accesses++;
    const bool shared = space == &tsl_now.shared;
    const size_t at = address - space->begin;
    const unsigned all = (1u << size) - 1;
    tsl_cell *cell = space->cells + (at >> 2);
    uint32_t written;
    memcpy(&written, space->written + (at >> 3), 4);
    bool settled = (written >> (at & 7) & all) == all || (kind & TSL_READ) == 0;
    unsigned levels = 0; /* of the readers, 8 bits a word */
    for (unsigned i = 0; i < size / 4; i++) {
        const uint64_t read = cell[i].read;
        const unsigned reader = tsl_relation(fiber, read, shared);
        settled = settled && tsl_relation(fiber, cell[i].write, shared) == TSL_LEVEL_ALONE;
        if (reader != TSL_LEVEL_ALONE || tsl_readers_open(fiber, read)) {
            const unsigned before = tsl_stamp_level(read);
            settled = settled && (kind & TSL_READ) != 0 && !tsl_now.any_release;
            levels |= (reader > before ? reader : before) << (8 * i);
        }
    }
    if (TSL_UNLIKELY(!settled)) {
        tsl_now.accesses--; /* it is counted there */
        tsl_check(fiber, address, size, kind, pc);
        return;
    }
    const uint64_t stamp = fiber->stamp | site_bits(pc) | 15;
    for (unsigned i = 0; i < size / 4; i++) {
        if ((kind & TSL_WRITE) != 0) {
            cell[i].write = stamp;
        } else {
            cell[i].read = stamp | (uint64_t)(levels >> (8 * i) & 255) << TSL_STAMP_LEVEL;
        }
    }
    if ((kind & TSL_WRITE) != 0) {
        written |= all << (at & 7);
        memcpy(space->written + (at >> 3), &written, 4);
    }
}

/* ---- both ways ------------------------------------------------------------------------------ */

static inline void lockstep(tsl_fiber *fiber, uintptr_t address, unsigned size, unsigned kind,
                            uintptr_t pc)
{
    fiber->address = address;
    fiber->pc = pc;
    fiber->size = (uint16_t)size;
    fiber->kind = (uint16_t)kind;
    tsl_lockstep_stop(fiber);
}

static inline void hook(const volatile void *p, unsigned size, unsigned kind, uintptr_t pc)
{
    tsl_fiber *const fiber = tsl_now.current;
    const uintptr_t address = (uintptr_t)p;
    if (fiber == NULL || address - fiber->stack < TSL_STACK) {
        return;
    }
    if (tsl_now.way == TSL_WAY_COUNTS) {
        lockstep(fiber, address, size, kind, pc);
    } else {
        check(fiber, address, size, kind, pc);
    }
}

/* A copy goes in pieces as nvcc makes them: as wide as the type's alignment, at most 16 bytes. */
static unsigned piece_of(uintptr_t address, size_t bytes)
{
    size_t piece = tsl_type_alignment(bytes);
    if (piece == 0) {
        piece = 8;
        while (((address | bytes) & (piece - 1)) != 0) {
            piece /= 2;
        }
    }
    return piece > 16 ? 16 : (unsigned)piece;
}

static void range(const volatile void *p, size_t bytes, unsigned kind, uintptr_t pc)
{
    const uintptr_t address = (uintptr_t)p;
    if (tsl_now.current == NULL || bytes == 0) {
        return;
    }
    const unsigned piece = piece_of(address, bytes);
    for (size_t done = 0; done < bytes; done += piece) {
        hook((const volatile char *)p + done, piece, kind, pc);
    }
}

/* An access that is wider than what it is aligned to is a copy of a struct, which clang has joined.
 */
static void less(const volatile void *p, unsigned bytes, unsigned kind, uintptr_t pc)
{
    const size_t alignment = tsl_type_alignment(bytes);
    const unsigned piece = alignment == 0 || alignment >= bytes ? (bytes > 4 ? 4 : (bytes + 1) / 2)
                                                                : (unsigned)alignment;
    for (unsigned done = 0; done < bytes && tsl_now.current != NULL; done += piece) {
        hook((const volatile char *)p + done, piece, kind, pc);
    }
}

/* Volatile memory of a block stays unordered among the lanes of a warp: see docs/lab.md. */
#define HOOKS(n)                                                                                   \
    void __tsan_read##n(void *p);                                                                  \
    void __tsan_write##n(void *p);                                                                 \
    void __tsan_unaligned_read##n(void *p);                                                        \
    void __tsan_unaligned_write##n(void *p);                                                       \
    void __tsan_volatile_read##n(void *p);                                                         \
    void __tsan_volatile_write##n(void *p);                                                        \
    void __tsan_unaligned_volatile_read##n(void *p);                                               \
    void __tsan_unaligned_volatile_write##n(void *p);                                              \
    void __tsan_read_write##n(void *p);                                                            \
    void __tsan_unaligned_read_write##n(void *p);                                                  \
    void __tsan_read##n(void *p)                                                                   \
    {                                                                                              \
        hook(p, n, TSL_READ, SITE);                                                                \
    }                                                                                              \
    void __tsan_write##n(void *p)                                                                  \
    {                                                                                              \
        hook(p, n, TSL_WRITE, SITE);                                                               \
    }                                                                                              \
    void __tsan_unaligned_read##n(void *p)                                                         \
    {                                                                                              \
        less(p, n, TSL_READ, SITE);                                                                \
    }                                                                                              \
    void __tsan_unaligned_write##n(void *p)                                                        \
    {                                                                                              \
        less(p, n, TSL_WRITE, SITE);                                                               \
    }                                                                                              \
    void __tsan_volatile_read##n(void *p)                                                          \
    {                                                                                              \
        hook(p, n, TSL_READ | TSL_STRONG, SITE);                                                   \
    }                                                                                              \
    void __tsan_volatile_write##n(void *p)                                                         \
    {                                                                                              \
        hook(p, n, TSL_WRITE | TSL_STRONG, SITE);                                                  \
    }                                                                                              \
    void __tsan_unaligned_volatile_read##n(void *p)                                                \
    {                                                                                              \
        hook(p, n, TSL_READ | TSL_STRONG, SITE);                                                   \
    }                                                                                              \
    void __tsan_unaligned_volatile_write##n(void *p)                                               \
    {                                                                                              \
        hook(p, n, TSL_WRITE | TSL_STRONG, SITE);                                                  \
    }                                                                                              \
    void __tsan_read_write##n(void *p)                                                             \
    {                                                                                              \
        hook(p, n, TSL_READ, SITE);                                                                \
        hook(p, n, TSL_WRITE, SITE);                                                               \
    }                                                                                              \
    void __tsan_unaligned_read_write##n(void *p)                                                   \
    {                                                                                              \
        hook(p, n, TSL_READ, SITE);                                                                \
        hook(p, n, TSL_WRITE, SITE);                                                               \
    }

HOOKS(1)
HOOKS(2)
HOOKS(4)
HOOKS(8)

/* 16 bytes: gcc asks so for any struct of that size that is aligned to 8 or more. The headers'
 * vector types are read whole by volatile accesses, which nothing else of 16 bytes is. */
void __tsan_read16(void *p);
void __tsan_write16(void *p);
void __tsan_unaligned_read16(void *p);
void __tsan_unaligned_write16(void *p);
void __tsan_volatile_read16(void *p);
void __tsan_volatile_write16(void *p);
void __tsan_unaligned_volatile_read16(void *p);
void __tsan_unaligned_volatile_write16(void *p);

void __tsan_read16(void *p)
{
    range(p, 16, TSL_READ, SITE);
}

void __tsan_write16(void *p)
{
    range(p, 16, TSL_WRITE, SITE);
}

void __tsan_unaligned_read16(void *p)
{
    range(p, 16, TSL_READ, SITE);
}

void __tsan_unaligned_write16(void *p)
{
    range(p, 16, TSL_WRITE, SITE);
}

void __tsan_volatile_read16(void *p)
{
    hook(p, 16, TSL_READ, SITE);
}

void __tsan_volatile_write16(void *p)
{
    hook(p, 16, TSL_WRITE, SITE);
}

void __tsan_unaligned_volatile_read16(void *p)
{
    hook(p, 16, TSL_READ, SITE);
}

void __tsan_unaligned_volatile_write16(void *p)
{
    hook(p, 16, TSL_WRITE, SITE);
}

/* ---- copies --------------------------------------------------------------------------------- */

void __tsan_read_range(void *p, unsigned long bytes);
void __tsan_write_range(void *p, unsigned long bytes);
void *__wrap_memcpy(void *to, const void *from, size_t bytes);
void *__wrap_memmove(void *to, const void *from, size_t bytes);
void *__wrap_memset(void *to, int value, size_t bytes);
void *__tsan_memcpy(void *to, const void *from, size_t bytes);
void *__tsan_memmove(void *to, const void *from, size_t bytes);
void *__tsan_memset(void *to, int value, size_t bytes);
void *__real_memcpy(void *to, const void *from, size_t bytes);
void *__real_memmove(void *to, const void *from, size_t bytes);
void *__real_memset(void *to, int value, size_t bytes);

void __tsan_read_range(void *p, unsigned long bytes)
{
    range(p, bytes, TSL_READ, SITE);
    if (tsl_now.current != NULL) {
        tsl_now.current->announced_from = (uintptr_t)p;
        tsl_now.current->announced_bytes = bytes;
    }
}

void __tsan_write_range(void *p, unsigned long bytes)
{
    range(p, bytes, TSL_WRITE, SITE);
    if (tsl_now.current != NULL) {
        tsl_now.current->announced_to = (uintptr_t)p;
        tsl_now.current->announced_bytes = bytes;
    }
}

/* The linker sends the learner's calls here (--wrap); gcc has announced the bytes of a large
 * struct's copy before it calls memcpy() for it. */
static void *copy(void *to, const void *from, size_t bytes, uintptr_t pc)
{
    tsl_fiber *const fiber = tsl_now.current;
    if (fiber != NULL) {
        const bool announced = fiber->announced_from == (uintptr_t)from &&
                               fiber->announced_to == (uintptr_t)to &&
                               fiber->announced_bytes == bytes;
        if (!announced) {
            range(from, bytes, TSL_READ, pc - 1); /* a place of its own, of the same call */
            range(to, bytes, TSL_WRITE, pc);
        }
        fiber->announced_bytes = 0;
    }
    return __real_memmove(to, from, bytes);
}

void *__wrap_memcpy(void *to, const void *from, size_t bytes)
{
    return copy(to, from, bytes, SITE);
}

void *__wrap_memmove(void *to, const void *from, size_t bytes)
{
    return copy(to, from, bytes, SITE);
}

void *__wrap_memset(void *to, int value, size_t bytes)
{
    if (tsl_now.current != NULL) {
        range(to, bytes, TSL_WRITE, SITE);
    }
    return __real_memset(to, value, bytes);
}

void *__tsan_memcpy(void *to, const void *from, size_t bytes)
{
    return copy(to, from, bytes, SITE);
}

void *__tsan_memmove(void *to, const void *from, size_t bytes)
{
    return copy(to, from, bytes, SITE);
}

void *__tsan_memset(void *to, int value, size_t bytes)
{
    return __wrap_memset(to, value, bytes);
}

/* ---- the rest of the interface -------------------------------------------------------------- */

void __tsan_init(void);
void __tsan_func_entry(void *site);
void __tsan_func_exit(void);
void __tsan_vptr_update(void **pointer, void *value);
void __tsan_vptr_read(void **pointer);

void __tsan_init(void)
{
}

void __tsan_func_entry(void *site)
{
    (void)site;
    if (tsl_now.current != NULL) {
        tsl_now.current->depth++;
    }
}

void __tsan_func_exit(void)
{
    if (tsl_now.current != NULL) {
        tsl_now.current->depth--;
    }
}

void __tsan_vptr_update(void **pointer, void *value)
{
    (void)value;
    hook(pointer, sizeof *pointer, TSL_WRITE, SITE);
}

void __tsan_vptr_read(void **pointer)
{
    hook(pointer, sizeof *pointer, TSL_READ, SITE);
}

/* For atomic.c. */
void tsl_hook_atomic(const void *address, unsigned bytes, uintptr_t pc);

void tsl_hook_atomic(const void *address, unsigned bytes, uintptr_t pc)
{
    hook(address, bytes, TSL_READ | TSL_WRITE | TSL_STRONG | TSL_ATOMIC, pc);
}

/* assert() of a kernel ends the launch, not the program. */
void __real___assert_fail(const char *condition, const char *file, unsigned line,
                          const char *function) __attribute__((noreturn));
void __wrap___assert_fail(const char *condition, const char *file, unsigned line,
                          const char *function) __attribute__((noreturn));

void __wrap___assert_fail(const char *condition, const char *file, unsigned line,
                          const char *function)
{
    if (tsl_now.current != NULL) {
        tsl_trap_at(SITE, condition);
    }
    __real___assert_fail(condition, file, line, function);
}
