/* CUDA as the kernels' files see it. */
#ifndef TSL_CUDA_H
#define TSL_CUDA_H

/* The library's headers are included as C. The system's headers come first, so that they are
 * not. */
#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cuda_runtime.h>

extern "C" {
#include "device/device.h"
}
#include "core/block.h"

/* The table of the CUDA devices, for plugin_cuda.cu. */
const tsl_device_ops *tsl_cuda_ops(void);

/* Makes a context's device current. Returns its stream. */
cudaStream_t tsl_cuda_stream(tsl_context *context);

/* tsl_cuda_mark() notes what is queued on the stream now. tsl_cuda_part() gives a second stream,
 * `side`: its work follows what was noted, and runs beside what is queued on the stream later.
 * tsl_cuda_join() makes the stream wait for the second one. One pair of them at a time. */
tsl_status tsl_cuda_mark(tsl_context *context);
tsl_status tsl_cuda_part(tsl_context *context, cudaStream_t *side);
tsl_status tsl_cuda_join(tsl_context *context);

/* Queue a copy from host memory to the device's (load) or back (store). With pageable memory they
 * return when it may be used again. */
tsl_status tsl_cuda_load(tsl_context *context, void *target, const void *host, int64_t bytes);
tsl_status tsl_cuda_store(tsl_context *context, void *host, const void *source, int64_t bytes);

/* A pointer that the context's device keeps for a library, for which it holds handles
 * (dense_cuda.cu); NULL in the beginning. Before the device is closed, `end` is called with it. */
void **tsl_cuda_held(tsl_context *context, void (*end)(void *held));

/* The number CUDA knows a context's device by. */
int tsl_cuda_index(const tsl_context *context);

/* TSL_OK, or a failure that names the device, what was done and the reason. */
tsl_status tsl_cuda_check(tsl_context *context, cudaError_t error, const char *what);

/* Makes the device current and lets the kernel have `shared` bytes of shared memory beside its own
 * arrays. Returns the stream to queue it on. A refusal shows at the launch. */
cudaStream_t tsl_cuda_grant_shared(tsl_context *context, const void *kernel, int64_t shared);

/* Queue a kernel of grid phases. Few blocks run as a cluster where the device has clusters, whose
 * barrier is faster; otherwise all blocks are launched together, as a barrier of all blocks
 * demands. */
tsl_status tsl_cuda_launch_grid(tsl_context *context, const void *kernel, const char *name,
                                void *arguments, int blocks, int threads, int64_t shared);

/* Queue a kernel that may begin before the one queued before it ends, where the device can. */
tsl_status tsl_cuda_launch_early(tsl_context *context, const void *kernel, const char *name,
                                 void *arguments, int blocks, int threads);

#define TSL_LAUNCH_EARLY(context, kernel, arguments, blocks, threads)                              \
    tsl_cuda_launch_early(context, (const void *)(kernel), #kernel, (void *)&(arguments), blocks,  \
                          threads)

/* Blocks of a kernel that the context's device runs at a time, at least 1. */
int64_t tsl_cuda_resident(tsl_context *context, const void *kernel, int threads);

#define TSL_RESIDENT(context, kernel, threads)                                                     \
    tsl_cuda_resident(context, (const void *)(kernel), threads)

#define TSL_LAUNCH_GRID(context, kernel, arguments, blocks, threads, shared)                       \
    tsl_cuda_launch_grid(context, (const void *)(kernel), #kernel, (void *)&(arguments), blocks,   \
                         threads, shared)

#define TSL_LAUNCH_BOX(context, kernel, arguments, x, y, z, threads, shared)                       \
    (kernel<<<dim3((unsigned)(x), (unsigned)(y), (unsigned)(z)), (unsigned)(threads),              \
              (size_t)(shared), tsl_cuda_grant_shared(context, (const void *)(kernel), shared)>>>( \
         arguments),                                                                               \
     tsl_cuda_check(context, cudaGetLastError(), #kernel))

#endif
