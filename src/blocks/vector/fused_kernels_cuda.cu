/* Lists of expressions on NVIDIA GPUs. */
#include "device/cuda.h"

extern "C" {
#include "blocks/vector/fused_kernels.h"
}

#include "blocks/vector/fused_kernels_block.inc"

extern const tsl_fused_ops tsl_fused_cuda = {.run = gpu_run,
                                             .add_up = gpu_add_up,
                                             .add_up_pieces = gpu_add_up_pieces,
                                             .collect = gpu_collect,
                                             .spread = gpu_spread,
                                             .sweep = gpu_sweep,
                                             .look = gpu_look,
                                             .narrow = gpu_narrow};
