#include <malloc.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "core/core.h"

/* Memory of LARGE bytes and more begins on a huge page and asks for huge pages: touching it for the
 * first time then takes one page fault for 2 MiB, not 512. */
enum { ALIGNMENT = 64, HUGE_PAGE = 2 << 20, LARGE = 2 * HUGE_PAGE };

static void *take(size_t bytes)
{
    void *memory = NULL;
    if (posix_memalign(&memory, bytes < LARGE ? ALIGNMENT : HUGE_PAGE, bytes) != 0) {
        return NULL;
    }
#ifdef MADV_HUGEPAGE
    if (bytes >= LARGE) {
        (void)madvise(memory, bytes, MADV_HUGEPAGE); /* where it is refused, small pages do */
    }
#endif
    return memory;
}

static atomic_llong allocations; /* since the last tsl_test_fail_allocation() */
static atomic_llong fail_from;   /* the first that fails, as all after it do; 0: none fails */
static atomic_llong live;
/* Counts of this thread's own allocations. */
static _Thread_local long long own_allocations, own_fail_from;
static _Thread_local int64_t own_bytes, own_peak; /* since the last tsl_test_own_peak() */

/* Count an allocation; false: it is to fail. */
static bool is_allowed(void)
{
    const long long number = atomic_fetch_add(&allocations, 1) + 1;
    const long long limit = atomic_load(&fail_from);
    own_allocations++;
    return !(limit > 0 && number >= limit) &&
           !(own_fail_from > 0 && own_allocations >= own_fail_from);
}

void *tsl_allocate(size_t bytes)
{
    if (!is_allowed() || bytes > SIZE_MAX - ALIGNMENT) {
        return NULL;
    }
    const size_t rounded = (bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    void *memory = take(rounded > 0 ? rounded : ALIGNMENT);
    if (memory != NULL) {
        atomic_fetch_add(&live, 1);
        own_bytes += (int64_t)malloc_usable_size(memory);
        own_peak = own_bytes > own_peak ? own_bytes : own_peak;
    }
    return memory;
}

void *tsl_allocate_zeroed(size_t count, size_t bytes_each)
{
    if (bytes_each > 0 && count > SIZE_MAX / bytes_each) {
        return NULL;
    }
    void *memory = tsl_allocate(count * bytes_each);
    if (memory != NULL) {
        memset(memory, 0, count * bytes_each);
    }
    return memory;
}

void *tsl_reallocate(void *memory, size_t old_bytes, size_t new_bytes)
{
    void *moved = tsl_allocate(new_bytes);
    if (moved == NULL) {
        return NULL;
    }
    if (memory != NULL) {
        memcpy(moved, memory, old_bytes < new_bytes ? old_bytes : new_bytes);
        tsl_release(memory);
    }
    return moved;
}

char *tsl_duplicate_string(const char *text)
{
    const size_t bytes = strlen(text) + 1;
    char *copy = tsl_allocate(bytes);
    if (copy != NULL) {
        memcpy(copy, text, bytes);
    }
    return copy;
}

void tsl_release(void *memory)
{
    if (memory != NULL) {
        atomic_fetch_sub(&live, 1);
        own_bytes -= (int64_t)malloc_usable_size(memory);
        free(memory);
    }
}

int64_t tsl_test_fail_allocation(int64_t k)
{
    atomic_store(&fail_from, k);
    return atomic_exchange(&allocations, 0);
}

int64_t tsl_test_fail_own_allocation(int64_t k)
{
    const int64_t before = own_allocations;
    own_allocations = 0;
    own_fail_from = k;
    return before;
}

int64_t tsl_test_live_allocations(void)
{
    return atomic_load(&live);
}

int64_t tsl_test_own_peak(void)
{
    const int64_t peak = own_peak;
    own_bytes = own_peak = 0;
    return peak;
}
