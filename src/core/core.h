/* What every source file of the library may use: memory that tests can make fail, errors in one
 * line, messages, and the clock. */
#ifndef TSL_CORE_H
#define TSL_CORE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tesela/context.h"

#ifndef M_PI
#define M_PI 3.14159265358979323846
#endif

/* ---- memory ------------------------------------------------------------------------------- */

/* All host memory of the library comes from here. Aligned to 64 bytes; NULL when exhausted or when
 * a test asked for that. tsl_release(NULL) is fine. */
void *tsl_allocate(size_t bytes);
void *tsl_allocate_zeroed(size_t count, size_t bytes_each);
/* Grow or shrink, keeping the contents; on failure NULL, and `memory` stands. */
void *tsl_reallocate(void *memory, size_t old_bytes, size_t new_bytes);
char *tsl_duplicate_string(const char *text);
void tsl_release(void *memory);

/* For tests: the k-th allocation from now (1 is the next) and all after it fail; 0 ends that.
 * Returns the number of allocations since the last call. */
int64_t tsl_test_fail_allocation(int64_t k);
/* For tests: make the calling thread's own allocations fail from the k-th on, which are those of
 * one rank of several; 0 ends that. Returns their number since the last call. */
int64_t tsl_test_fail_own_allocation(int64_t k);
/* For tests: allocations not yet released. */
int64_t tsl_test_live_allocations(void);
/* For tests: how many bytes more than at the last call the calling thread has had at a time, of
 * those that it took and released itself. */
int64_t tsl_test_own_peak(void);

/* ---- errors ------------------------------------------------------------------------------- */

/* Set the context's one-line error, or with NULL the calling thread's, and return `status`, so that
 * a failure is `return tsl_fail(context, TSL_E_ARG, "…", …)`. */
tsl_status tsl_fail(tsl_context *context, tsl_status status, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* "out of memory: cannot take 1.2 GiB for WHAT" */
tsl_status tsl_fail_memory(tsl_context *context, int64_t bytes, const char *what);
/* Replace the context's error text by "prefix: text". */
void tsl_error_prefix(tsl_context *context, const char *prefix);

/* In a function with a `status` and, where it clears up, a label `done`: the call's status becomes
 * that, and a failure goes there. */
#define TSL_TRY(call)                                                                              \
    do {                                                                                           \
        status = (call);                                                                           \
        if (status != TSL_OK) {                                                                    \
            goto done;                                                                             \
        }                                                                                          \
    } while (0)

/* Pass a note or warning to the context's message function. */
void tsl_message(tsl_context *context, tsl_message_kind kind, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* ---- text and time ------------------------------------------------------------------------ */

/* Bytes as "512 B", "1.5 KiB", "3.2 GiB" into `text` (at least 16 characters); returns `text`. */
const char *tsl_format_bytes(char *text, int64_t bytes);
/* Seconds of a monotonic clock. */
double tsl_seconds(void);

#endif
