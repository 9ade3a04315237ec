/* Sparse products on sim. */
#include <string.h>

#include "blocks/csr/tiles.h"
#include "device/sim.h"

#include "blocks/csr/sparse_block.inc"

const tsl_sparse_ops tsl_sparse_sim = {.create = gpu_create,
                                       .copies = true,
                                       .create_tiles = gpu_create_tiles,
                                       .tiles = gpu_tiles,
                                       .sum_blocks = gpu_sum_blocks,
                                       .destroy = gpu_destroy,
                                       .multiply = gpu_multiply};
