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

extern const tsl_transpose_ops tsl_transpose_cuda = {gpu_tilings, TILINGS,    gpu_move,
                                                     gpu_swap,    gpu_rotate, gpu_follow};
