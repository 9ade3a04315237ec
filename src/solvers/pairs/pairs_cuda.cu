/* Pairwise work on NVIDIA GPUs. */
#include <stdalign.h>

#include "device/cuda.h"

extern "C" {
#include "solvers/linsolve/multigrid/gpu/coarsen.h"
#include "solvers/pairs/neighbors_point.h"
#include "solvers/pairs/pairs.h"
}

#include "core/warp.h"

#include "solvers/pairs/pairs_block.inc"

#include "solvers/pairs/neighbors_block.inc"

extern const tsl_pairs_ops tsl_pairs_cuda = {.distances = gpu_distances,
                                             .survey = gpu_survey,
                                             .sort = gpu_sort,
                                             .count_neighbors = gpu_count_neighbors,
                                             .place_rows = gpu_place_rows,
                                             .fill_neighbors = gpu_fill_neighbors,
                                             .histogram = gpu_histogram,
                                             .energy = &tsl_energy_cuda,
                                             .nearest = &tsl_nearest_cuda,
                                             .triplets = tsl_triplets_cuda};
