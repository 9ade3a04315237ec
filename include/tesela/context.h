/** @file context.h
 *  A context: the device on which solvers run, its stream, and the last error.
 */
#ifndef TESELA_CONTEXT_H
#define TESELA_CONTEXT_H

#include <stddef.h>
#include <stdint.h>

#include "tesela/comm.h"
#include "tesela/status.h"

#ifdef __cplusplus
extern "C" {
#endif

/** A device with its stream and its last error. One thread uses a context at a time; distinct
 *  contexts are independent. */
typedef struct tsl_context tsl_context;

/** Kind of a line passed to a tsl_message_function. */
typedef enum tsl_message_kind {
    TSL_MESSAGE_NOTE = 0,   /**< a choice the library made that the caller may want to know */
    TSL_MESSAGE_WARNING = 1 /**< input was accepted, but part of it was left out or changed */
} tsl_message_kind;

/** Receives one line (no newline) from the library. `line` is valid during the call only. */
typedef void (*tsl_message_function)(void *user, tsl_message_kind kind, const char *line);

/** How to make a context. Initialise with TSL_CONTEXT_OPTIONS_INIT. */
typedef struct tsl_context_options {
    size_t size;                  /**< sizeof(tsl_context_options) */
    const char *device;           /**< resource string: "auto", "cpu"; NULL means "auto" */
    int threads;                  /**< CPU threads, >= 1, at most 4096; 0: OMP_NUM_THREADS, or all
                                       cores. Small problems use one thread. The environment sets
                                       how long waiting threads spin: see tsl_context_create() */
    tsl_message_function message; /**< receives notes and warnings; NULL drops them */
    void *user;                   /**< passed to `message` */
    tsl_comm *comm; /**< the rank that this context belongs to, borrowed: it must outlive the
                         context, and a rank has only one context; NULL: this context works alone */
    /** A cudaStream_t of the caller's, on the device; NULL: the context makes its own stream. GPUs
     *  only. The stream is borrowed: it must outlive the context, which queues its work on it. It
     *  must be made with cudaStreamNonBlocking, because plans record work on it. While a call makes
     *  a plan, nothing else may be queued on the stream.
     */
    void *stream;
} tsl_context_options;

#define TSL_CONTEXT_OPTIONS_INIT                                                                   \
    {                                                                                              \
        sizeof(tsl_context_options), "auto", 0, NULL, NULL, NULL, NULL                             \
    }

/** Open a device.
 *
 *  "auto" takes the CPU where no GPU can be used, and says so through `message`. A device that is
 *  named but cannot be used is an error: no other device is taken instead.
 *
 *  Synchronisation: a call that says "queued on the context's stream" returns before its work is
 *  done. Work on the stream runs in the order in which it was queued. With `stream`, the caller's
 *  kernels and copies on that stream are therefore ordered with the library's, and no waiting is
 *  needed between them. Where the library uses further streams of its own, events order them with
 *  this one. Calls that make plans or allocate memory may wait for the stream.
 *
 *  CPU threads are OpenMP's. With GCC's OpenMP, waiting threads spin for milliseconds. On a host
 *  that runs other programs this keeps the thread that is awaited from its core: calls then often
 *  take 10 times as long. GCC's OpenMP reads how long to spin when it is loaded, so this can only
 *  be set in the environment in which the program starts. GOMP_SPINCOUNT=1000 (some 15 us) costs
 *  little on an idle host. OMP_WAIT_POLICY=passive is for more threads than cores. The command
 *  `tesela` sets GOMP_SPINCOUNT=1000 if neither variable is set.
 *
 *  @param[out] out      the new context, owned by the caller: tsl_context_destroy()
 *  @param[in]  options  NULL takes the defaults
 *  @return TSL_OK; TSL_E_ARG for an unknown resource string, a thread count out of range, or a
 *          `stream` the device can't use; TSL_E_DEVICE if the device cannot be used; TSL_E_NOMEM.
 *          The reason is in tsl_last_error(NULL).
 */
TSL_API tsl_status tsl_context_create(tsl_context **out, const tsl_context_options *options);

/** Wait for the context's work, then release the context. NULL is allowed. Plans, molecules and
 *  buffers made with the context must be destroyed before it. */
TSL_API void tsl_context_destroy(tsl_context *context);

/** One line about the last failure in `context`, or "" if there was none. The string belongs to the
 *  context and stays valid until its next failure. With NULL: the last failure, in this thread, of
 *  a function that takes no context: tsl_context_create(), tsl_comm_create(), tsl_comm_run(). */
TSL_API const char *tsl_last_error(const tsl_context *context);

/** Resource string of the device in use, e.g. "cpu". Owned by the context. */
TSL_API const char *tsl_context_device(const tsl_context *context);

/** Number of CPU threads the context uses, >= 1. */
TSL_API int tsl_context_threads(const tsl_context *context);

/** Block until all work queued on the context's stream is done.
 *  @return TSL_OK; TSL_E_DEVICE if any of that work failed. */
TSL_API tsl_status tsl_context_synchronize(tsl_context *context);

#ifdef __cplusplus
}
#endif

#endif
