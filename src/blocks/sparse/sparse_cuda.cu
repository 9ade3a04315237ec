/* Sparse products on NVIDIA GPUs. */
#include "device/cuda.h"

#include <string.h>

extern "C" {
#include "blocks/sparse/tiles.h"
}

#include "blocks/sparse/sparse_block.inc"

extern const tsl_sparse_ops tsl_sparse_cuda = {
    gpu_create, true, gpu_create_tiles, gpu_tiles, gpu_sum_blocks, gpu_destroy, gpu_multiply};
