/* Top cells on NVIDIA GPUs. */
#include "device/cuda.h"

extern "C" {
#include "blocks/reduce/reduce.h"
}

#include "blocks/reduce/reduce_block.inc"

extern const tsl_reduce_ops tsl_reduce_cuda = {
    .create = gpu_create, .destroy = gpu_destroy, .top = gpu_top};
