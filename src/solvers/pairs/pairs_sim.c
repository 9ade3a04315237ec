/* Pairwise work on sim. */
#include "device/sim.h"
#include "solvers/pairs/neighbors_point.h"
#include "solvers/pairs/pairs.h"

#include "solvers/pairs/pairs_block.inc"

#include "solvers/pairs/neighbors_block.inc"

const tsl_pairs_ops tsl_pairs_sim = {.distances = gpu_distances,
                                     .count_neighbors = gpu_count_neighbors,
                                     .fill_neighbors = gpu_fill_neighbors,
                                     .histogram = gpu_histogram};
