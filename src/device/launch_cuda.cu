/* How kernels are queued on NVIDIA GPUs. */
#include "device/cuda.h"

/* A kernel needs permission for more than 48 KiB of shared memory. The permission belongs to kernel
 * and device, not to the launch, so it is given for all there is: another thread's launch with less
 * must not take it back. */
cudaStream_t tsl_cuda_grant_shared(tsl_context *context, const void *kernel, int64_t shared)
{
    const int64_t free_to_have = 48 << 10;
    const cudaStream_t stream = tsl_cuda_stream(context);
    cudaFuncAttributes now;
    int most = 0;
    if (shared > 0 && cudaFuncGetAttributes(&now, kernel) == cudaSuccess &&
        (int64_t)now.sharedSizeBytes + shared > free_to_have &&
        now.maxDynamicSharedSizeBytes <= free_to_have &&
        cudaDeviceGetAttribute(&most, cudaDevAttrMaxSharedMemoryPerBlockOptin,
                               tsl_cuda_index(context)) == cudaSuccess) {
        cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                             most - (int)now.sharedSizeBytes);
    }
    return stream;
}

int64_t tsl_cuda_resident(tsl_context *context, const void *kernel, int threads)
{
    int of_each = 0, processors = 0;
    tsl_cuda_stream(context); /* makes the device current */
    if (cudaOccupancyMaxActiveBlocksPerMultiprocessor(&of_each, kernel, threads, 0) !=
            cudaSuccess ||
        cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount,
                               tsl_cuda_index(context)) != cudaSuccess) {
        cudaGetLastError(); /* a kernel that cannot run fails when it is queued */
    }
    return of_each > 0 && processors > 0 ? (int64_t)of_each * processors : 1;
}

/* May `blocks` be one cluster of this kernel? */
static bool can_cluster(const void *kernel, cudaLaunchConfig_t *launch, int blocks)
{
    int clusters = 0;
    const bool can = blocks > 1 && blocks <= TSL_CLOSE_BLOCKS &&
                     cudaFuncSetAttribute(kernel, cudaFuncAttributeNonPortableClusterSizeAllowed,
                                          1) == cudaSuccess &&
                     cudaOccupancyMaxActiveClusters(&clusters, kernel, launch) == cudaSuccess &&
                     clusters > 0;
    cudaGetLastError(); /* of a device without clusters */
    return can;
}

tsl_status tsl_cuda_launch_grid(tsl_context *context, const void *kernel, const char *name,
                                void *arguments, int blocks, int threads, int64_t shared)
{
    cudaLaunchAttribute attribute = {};
    cudaLaunchConfig_t launch = {};
    launch.stream = tsl_cuda_grant_shared(context, kernel, shared);
    launch.gridDim = dim3((unsigned)blocks);
    launch.blockDim = dim3((unsigned)threads);
    launch.dynamicSmemBytes = (size_t)shared;
    launch.attrs = &attribute;
    launch.numAttrs = 1;
    attribute.id = cudaLaunchAttributeClusterDimension;
    attribute.val.clusterDim.x = (unsigned)blocks;
    attribute.val.clusterDim.y = 1;
    attribute.val.clusterDim.z = 1;
    if (!can_cluster(kernel, &launch, blocks)) {
        attribute.id = cudaLaunchAttributeCooperative;
        attribute.val.cooperative = 1;
    }
    return tsl_cuda_check(context, cudaLaunchKernelExC(&launch, kernel, &arguments), name);
}

tsl_status tsl_cuda_launch_early(tsl_context *context, const void *kernel, const char *name,
                                 void *arguments, int blocks, int threads)
{
    cudaLaunchAttribute attribute = {};
    cudaLaunchConfig_t launch = {};
    cudaFuncAttributes attributes;
    launch.stream = tsl_cuda_stream(context);
    launch.gridDim = dim3((unsigned)blocks);
    launch.blockDim = dim3((unsigned)threads);
    launch.attrs = &attribute;
    if (cudaFuncGetAttributes(&attributes, kernel) == cudaSuccess &&
        attributes.ptxVersion >= 90) { /* older code does not wait for what was queued earlier */
        launch.numAttrs = 1;
    }
    attribute.id = cudaLaunchAttributeProgrammaticStreamSerialization;
    attribute.val.programmaticStreamSerializationAllowed = 1;
    return tsl_cuda_check(context, cudaLaunchKernelExC(&launch, kernel, &arguments), name);
}
