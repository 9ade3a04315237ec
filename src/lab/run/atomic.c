/* Atomic operations: those of CUDA, and the compiler's, which it sends through __tsan_atomic…().
 * They are atomic among processes too, for several may share a launch's blocks. */
#include <string.h>

#include "lab/run/run.h"
#include "tesela-lab/half_bits.h"

/* hooks.c */
void tsl_hook_atomic(const void *address, unsigned bytes, uintptr_t pc);

static uint64_t add_float(uint64_t old, uint64_t value, int bytes)
{
    uint64_t out = 0;
    if (bytes == 4) {
        float a, b;
        memcpy(&a, &old, 4);
        memcpy(&b, &value, 4);
        a += b;
        memcpy(&out, &a, 4);
    } else {
        double a, b;
        memcpy(&a, &old, 8);
        memcpy(&b, &value, 8);
        a += b;
        memcpy(&out, &a, 8);
    }
    return out;
}

static uint64_t add_half(uint64_t old, uint64_t value, int bytes)
{
    uint64_t out = 0;
    for (int shift = 0; shift < 8 * bytes; shift += 16) {
        const double sum = (double)tsl_lab_half_value((uint16_t)(old >> shift)) +
                           (double)tsl_lab_half_value((uint16_t)(value >> shift));
        out |= (uint64_t)tsl_lab_half_of(sum) << shift;
    }
    return out;
}

static bool less_signed(uint64_t a, uint64_t b, int bytes)
{
    return bytes == 4 ? (int32_t)a < (int32_t)b : (int64_t)a < (int64_t)b;
}

static uint64_t result_of(int operation, uint64_t old, uint64_t value, uint64_t other, int bytes)
{
    switch (operation) {
    case TSL_LAB_ADD:
        return old + value;
    case TSL_LAB_EXCHANGE:
        return value;
    case TSL_LAB_COMPARE:
        return old == other ? value : old;
    case TSL_LAB_AND:
        return old & value;
    case TSL_LAB_OR:
        return old | value;
    case TSL_LAB_XOR:
        return old ^ value;
    case TSL_LAB_MIN:
        return old < value ? old : value;
    case TSL_LAB_MAX:
        return old > value ? old : value;
    case TSL_LAB_MIN_SIGNED:
        return less_signed(old, value, bytes) ? old : value;
    case TSL_LAB_MAX_SIGNED:
        return less_signed(old, value, bytes) ? value : old;
    case TSL_LAB_INCREMENT:
        return old >= value ? 0 : old + 1;
    case TSL_LAB_DECREMENT:
        return old == 0 || old > value ? value : old - 1;
    case TSL_LAB_ADD_HALF:
        return add_half(old, value, bytes);
    default:
        return add_float(old, value, bytes);
    }
}

#define UPDATE(n)                                                                                  \
    static uint64_t update##n(uint##n##_t *at, int operation, uint64_t value, uint64_t other)      \
    {                                                                                              \
        const int bytes = (int)sizeof *at;                                                         \
        uint##n##_t old = __atomic_load_n(at, __ATOMIC_RELAXED), new;                              \
        do {                                                                                       \
            new = (uint##n##_t)result_of(operation, old, value, other, bytes);                     \
        } while (!__atomic_compare_exchange_n(at, &old, new, false, __ATOMIC_SEQ_CST,              \
                                              __ATOMIC_RELAXED));                                  \
        return old;                                                                                \
    }
UPDATE(16)
UPDATE(32)
UPDATE(64)

uint64_t tsl_lab_atomic(void *address, int bytes, int operation, uint64_t value, uint64_t other)
{
    tsl_hook_atomic(address, (unsigned)bytes, (uintptr_t)__builtin_return_address(0));
    return bytes == 2   ? update16(address, operation, value, other)
           : bytes == 4 ? update32(address, operation, value, other)
                        : update64(address, operation, value, other);
}

/* ---- the compiler's ------------------------------------------------------------------------- */

#define SITE ((uintptr_t)__builtin_return_address(0))
#define COMPILERS(n)                                                                               \
    uint##n##_t __tsan_atomic##n##_load(const volatile uint##n##_t *at, int order);                \
    void __tsan_atomic##n##_store(volatile uint##n##_t *at, uint##n##_t value, int order);         \
    int __tsan_atomic##n##_compare_exchange_strong(volatile uint##n##_t *at, uint##n##_t *old,     \
                                                   uint##n##_t value, int order, int failed);      \
    int __tsan_atomic##n##_compare_exchange_weak(volatile uint##n##_t *at, uint##n##_t *old,       \
                                                 uint##n##_t value, int order, int failed);        \
    uint##n##_t __tsan_atomic##n##_compare_exchange_val(volatile uint##n##_t *at, uint##n##_t old, \
                                                        uint##n##_t value, int order, int failed); \
    uint##n##_t __tsan_atomic##n##_load(const volatile uint##n##_t *at, int order)                 \
    {                                                                                              \
        (void)order;                                                                               \
        tsl_hook_atomic((const void *)(uintptr_t)at, sizeof *at, SITE);                            \
        return __atomic_load_n(at, __ATOMIC_SEQ_CST);                                              \
    }                                                                                              \
    void __tsan_atomic##n##_store(volatile uint##n##_t *at, uint##n##_t value, int order)          \
    {                                                                                              \
        (void)order;                                                                               \
        tsl_hook_atomic((const void *)(uintptr_t)at, sizeof *at, SITE);                            \
        __atomic_store_n(at, value, __ATOMIC_SEQ_CST);                                             \
    }                                                                                              \
    int __tsan_atomic##n##_compare_exchange_strong(volatile uint##n##_t *at, uint##n##_t *old,     \
                                                   uint##n##_t value, int order, int failed)       \
    {                                                                                              \
        (void)order;                                                                               \
        (void)failed;                                                                              \
        tsl_hook_atomic((const void *)(uintptr_t)at, sizeof *at, SITE);                            \
        return __atomic_compare_exchange_n(at, old, value, false, __ATOMIC_SEQ_CST,                \
                                           __ATOMIC_SEQ_CST);                                      \
    }                                                                                              \
    int __tsan_atomic##n##_compare_exchange_weak(volatile uint##n##_t *at, uint##n##_t *old,       \
                                                 uint##n##_t value, int order, int failed)         \
    {                                                                                              \
        return __tsan_atomic##n##_compare_exchange_strong(at, old, value, order, failed);          \
    }                                                                                              \
    uint##n##_t __tsan_atomic##n##_compare_exchange_val(volatile uint##n##_t *at, uint##n##_t old, \
                                                        uint##n##_t value, int order, int failed)  \
    {                                                                                              \
        __tsan_atomic##n##_compare_exchange_strong(at, &old, value, order, failed);                \
        return old;                                                                                \
    }
#define COMPILERS_UPDATE(n, name, builtin)                                                         \
    uint##n##_t __tsan_atomic##n##_##name(volatile uint##n##_t *at, uint##n##_t value, int order); \
    uint##n##_t __tsan_atomic##n##_##name(volatile uint##n##_t *at, uint##n##_t value, int order)  \
    {                                                                                              \
        (void)order;                                                                               \
        tsl_hook_atomic((const void *)(uintptr_t)at, sizeof *at, SITE);                            \
        return builtin(at, value, __ATOMIC_SEQ_CST);                                               \
    }
#define COMPILERS_ALL(n)                                                                           \
    COMPILERS(n)                                                                                   \
    COMPILERS_UPDATE(n, exchange, __atomic_exchange_n)                                             \
    COMPILERS_UPDATE(n, fetch_add, __atomic_fetch_add)                                             \
    COMPILERS_UPDATE(n, fetch_sub, __atomic_fetch_sub)                                             \
    COMPILERS_UPDATE(n, fetch_and, __atomic_fetch_and)                                             \
    COMPILERS_UPDATE(n, fetch_or, __atomic_fetch_or)                                               \
    COMPILERS_UPDATE(n, fetch_xor, __atomic_fetch_xor)                                             \
    COMPILERS_UPDATE(n, fetch_nand, __atomic_fetch_nand)

COMPILERS_ALL(8)
COMPILERS_ALL(16)
COMPILERS_ALL(32)
COMPILERS_ALL(64)

void __tsan_atomic_thread_fence(int order);
void __tsan_atomic_signal_fence(int order);

void __tsan_atomic_thread_fence(int order)
{
    (void)order;
    tsl_fence(2);
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
}

void __tsan_atomic_signal_fence(int order)
{
    (void)order;
}
