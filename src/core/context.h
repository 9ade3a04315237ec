/* What a context holds. */
#ifndef TSL_CORE_CONTEXT_H
#define TSL_CORE_CONTEXT_H

#include "core/core.h"
#include "core/profile.h"

struct tsl_device;
struct tsl_device_ops;
struct tsl_device_piece;
struct tsl_event;

enum { TSL_ERROR_TEXT = 1024, TSL_DEVICE_NAME = 64 };

/* What a context holds of its device's memory: tsl_device_allocate() keeps it. */
typedef struct tsl_device_memory {
    struct tsl_device_piece *pieces;
    int64_t live;      /* pieces */
    int64_t bytes;     /* sum of the pieces */
    int64_t asked;     /* allocations since the last tsl_test_fail_device_allocation() */
    int64_t fail_from; /* number of the first allocation that fails, as all after it do; 0: none
                          fails */
} tsl_device_memory;

struct tsl_context {
    const struct tsl_device_ops *ops; /* what the device can do */
    struct tsl_device *device;
    void *stream; /* the caller's stream, borrowed; NULL: the device makes one */
    tsl_device_memory memory;
    struct tsl_comm *comm; /* communication of this rank */
    bool owns_comm;
    int threads;
    int64_t alone; /* one thread goes through so many elements sooner than several do:
                      tsl_threads_for() */
    char name[TSL_DEVICE_NAME];
    char error[TSL_ERROR_TEXT];
    tsl_message_function message;
    void *user;
    tsl_profile profile;
};

/* Most CPU threads that may be asked for. */
enum { TSL_THREADS = 4096 };

/* Elements are entries of a matrix, cells or numbers of a vector, of which a thread does about one
 * a nanosecond. A thread that sleeps is awake 20 to 200 us after it is called on a virtual machine
 * whose cores other programs use, so one thread alone does 100 us of work soonest
 * (docs/performance/README.md, "On a busy host"). Tests set a context's `alone` to 0. */
enum { TSL_ELEMENTS_ALONE = 131072 };

/* Threads for a parallel region that goes through so many elements. No result depends on their
 * number. */
static inline int tsl_threads_for(const tsl_context *context, int64_t elements)
{
    return elements > context->alone && context->threads > 1 ? context->threads : 1;
}

/* A context for a second stream of the device (tsl_device_ops.branch), of the same rank.
 * tsl_context_end_branch() waits for what is queued there, and is to be called before the context
 * is destroyed; NULL is fine. */
tsl_status tsl_context_branch(tsl_context **out, tsl_context *context);
void tsl_context_end_branch(tsl_context *branch);

/* What `after` queues from now on follows what `before`, a context of the same device, has queued
 * so far. The event (tsl_peer_ops.create) may be used again at once. On failure one of the two
 * contexts has the error's line. */
tsl_status tsl_context_follow(tsl_context *after, tsl_context *before, struct tsl_event *event);

/* Returns `status`, the outcome of work that was queued on a branch or ordered with it. The line of
 * an error moves from the branch to the context. `branch` may be the context itself. */
tsl_status tsl_context_report(tsl_context *context, tsl_context *branch, tsl_status status);

#endif
