/* Pairwise work on NVIDIA GPUs. */
#include "device/cuda.h"

extern "C" {
#include "solvers/pairs/neighbors_point.h"
#include "solvers/pairs/pairs.h"
}

#include "solvers/pairs/pairs_block.inc"

#include "solvers/pairs/neighbors_block.inc"

extern const tsl_pairs_ops tsl_pairs_cuda = {.distances = gpu_distances,
                                             .count_neighbors = gpu_count_neighbors,
                                             .fill_neighbors = gpu_fill_neighbors,
                                             .histogram = gpu_histogram};
