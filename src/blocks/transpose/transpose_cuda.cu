/* Transposition on NVIDIA GPUs. */
#include "device/cuda.h"

extern "C" {
#include "blocks/transpose/transpose.h"
}

static tsl_status copy_memory(tsl_context *context, void *out, const void *in, int64_t bytes)
{
    return tsl_cuda_check(
        context,
        cudaMemcpyAsync(out, in, (size_t)bytes, cudaMemcpyDeviceToDevice, tsl_cuda_stream(context)),
        "a copy on the device");
}

#include "blocks/transpose/transpose_block.inc"

extern const tsl_transpose_ops tsl_transpose_cuda = {.tilings = gpu_tilings,
                                                     .tiling_count = TILINGS,
                                                     .move = gpu_move,
                                                     .swap = gpu_swap,
                                                     .rotate = gpu_rotate,
                                                     .follow = gpu_follow};
