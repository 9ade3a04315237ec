/* A GPU without a GPU, for tests: the contract of a device, not its speed.
 *
 * Its memory is its own: outside of copies and kernels the pages are closed, so that a stray look
 * from the host ends the test. Fresh memory is filled with 0xFF (not-a-numbers) and stands between
 * guards that are checked whenever something synchronises. Work is deferred until then. Kernels are
 * those of the *_block.inc files, run block by block and thread by thread in the order the resource
 * string asks for ("sim", "sim:reversed", "sim:strided"); "sim:reversed" also runs a context's
 * branches before itself. What libraries do on a GPU (transforms), the CPU's do here. */
#ifndef TSL_SIM_H
#define TSL_SIM_H

#include "core/block.h"
#include "device/device.h"

extern const tsl_device_ops tsl_device_sim;

/* Queue a function with a copy of its arguments; it runs with the device's memory open. */
typedef void (*tsl_sim_task)(const void *arguments);
tsl_status tsl_sim_defer(tsl_context *context, tsl_sim_task task_to_run, const void *arguments,
                         int64_t bytes);

/* Queue a function as tsl_sim_defer() does. It cannot fail: where there is no memory to queue it,
 * it runs at once, after all that is queued. */
void tsl_sim_defer_or_run(tsl_context *context, tsl_sim_task task_to_run, const void *arguments,
                          int64_t bytes);

/* Does this address lie in the device's memory? */
bool tsl_sim_owns(tsl_context *context, const void *address);

/* Queue a kernel. */
tsl_status tsl_sim_launch(tsl_context *context, tsl_sim_kernel kernel, const void *arguments,
                          int64_t bytes, int blocks, int members, int layers, int threads,
                          int64_t shared);

/* Queue a kernel of grid phases. */
tsl_status tsl_sim_launch_grid(tsl_context *context, tsl_sim_kernel kernel, const void *arguments,
                               int64_t bytes, int blocks, int threads, int64_t shared);

/* What was queued on a device up to now. The device may be closed later. */
typedef struct tsl_sim_mark {
    int64_t serial; /* of the device */
    int64_t queued;
} tsl_sim_mark;

tsl_sim_mark tsl_sim_mark_now(const tsl_context *context);

/* What is queued from now on runs after another device's work up to a mark. Cannot fail. */
void tsl_sim_wait(tsl_context *context, tsl_sim_mark mark);

/* Run a device's work up to a mark. */
void tsl_sim_run(tsl_sim_mark mark);

/* For queued functions: open another device's memory, or close it. */
void tsl_sim_open_other(tsl_sim_mark mark, bool open);

/* For tests: what a copy that forgets to wait for the stream would see. */
void tsl_sim_peek(tsl_context *context, void *target, const void *source, int64_t bytes);

#define TSL_LAUNCH_EARLY(context, kernel, arguments, blocks, threads)                              \
    TSL_LAUNCH(context, kernel, arguments, blocks, 1, threads)

/* Blocks that a kernel is said to run at a time. */
enum { TSL_SIM_RESIDENT = 3 };

#define TSL_RESIDENT(context, kernel, threads) ((void)(context), (int64_t)TSL_SIM_RESIDENT)

#define TSL_LAUNCH_BOX(context, kernel, arguments, x, y, z, threads, shared)                       \
    tsl_sim_launch(context, kernel, &(arguments), (int64_t)sizeof(arguments), x, y, z, threads,    \
                   shared)
#define TSL_LAUNCH_GRID(context, kernel, arguments, blocks, threads, shared)                       \
    tsl_sim_launch_grid(context, kernel, &(arguments), (int64_t)sizeof(arguments), blocks,         \
                        threads, shared)

#endif
