/* Sparse products on NVIDIA GPUs. */
#include "device/cuda.h"

#include <string.h>

extern "C" {
#include "blocks/csr/tiles.h"
}

#include "blocks/csr/sparse_block.inc"

extern const tsl_sparse_ops tsl_sparse_cuda = {.create = gpu_create,
                                               .copies = true,
                                               .create_tiles = gpu_create_tiles,
                                               .tiles = gpu_tiles,
                                               .sum_blocks = gpu_sum_blocks,
                                               .destroy = gpu_destroy,
                                               .multiply = gpu_multiply};
