/* CUDA as the kernels' files see it. */
#ifndef TSL_CUDA_H
#define TSL_CUDA_H

/* The library's headers are C; what they include is not theirs to declare. */
#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cuda_runtime.h>

extern "C" {
#include "device/device.h"
}
#include "core/block.h"

/* The table, for plugin_cuda.cu. */
const tsl_device_ops *tsl_cuda_ops(void);

/* The stream of a context, its device made current. */
cudaStream_t tsl_cuda_stream(tsl_context *context);

/* Part: what is queued on `side` follows what is queued on the stream now, and goes on beside it.
 * Join: what is queued on the stream follows it. One at a time. */
tsl_status tsl_cuda_part(tsl_context *context, cudaStream_t *side);
tsl_status tsl_cuda_join(tsl_context *context);

/* The number CUDA knows a context's device by. */
int tsl_cuda_index(const tsl_context *context);

/* TSL_OK, or a failure that names the device, what was done and the reason. */
tsl_status tsl_cuda_check(tsl_context *context, cudaError_t error, const char *what);

/* Together with a kernel's own arrays it may be more than the 48 KiB that need no permission. That
 * is given on the device that is current, for all there is: ranks that share the device may need
 * more or less of it at the same time. A refusal shows at the launch. */
static inline cudaStream_t tsl_cuda_grant_shared(tsl_context *context, const void *kernel,
                                                 int64_t shared)
{
    const cudaStream_t stream = tsl_cuda_stream(context);
    cudaFuncAttributes is;
    if (shared > 0 && cudaFuncGetAttributes(&is, kernel) == cudaSuccess &&
        is.maxDynamicSharedSizeBytes < shared) {
        int all = 0;
        cudaDeviceGetAttribute(&all, cudaDevAttrMaxSharedMemoryPerBlockOptin,
                               tsl_cuda_index(context));
        cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                             all - (int)is.sharedSizeBytes);
    }
    return stream;
}

/* Queue a kernel of grid phases: few blocks as a cluster, which have a faster barrier, where the
 * device can; else all blocks together, as the barrier of a grid asks for. */
tsl_status tsl_cuda_launch_grid(tsl_context *context, const void *kernel, const char *name,
                                void *arguments, int blocks, int threads, int64_t shared);

#define TSL_LAUNCH_GRID(context, kernel, arguments, blocks, threads, shared)                       \
    tsl_cuda_launch_grid(context, (const void *)(kernel), #kernel, (void *)&(arguments), blocks,   \
                         threads, shared)

#define TSL_LAUNCH_SHARED(context, kernel, arguments, blocks, members, threads, shared)            \
    (kernel<<<dim3((unsigned)(blocks), (unsigned)(members)), (unsigned)(threads),                  \
              (size_t)(shared), tsl_cuda_grant_shared(context, (const void *)(kernel), shared)>>>( \
         arguments),                                                                               \
     tsl_cuda_check(context, cudaGetLastError(), #kernel))

#endif
