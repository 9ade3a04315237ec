/* Pairwise work on sim. */
#include <stdalign.h>
#include <string.h>

#include "core/warp.h"
#include "device/sim.h"
#include "solvers/linsolve/multigrid/gpu/coarsen.h"
#include "solvers/pairs/neighbors_point.h"
#include "solvers/pairs/pairs.h"

#include "solvers/pairs/pairs_block.inc"

#include "solvers/pairs/neighbors_block.inc"

const tsl_pairs_ops tsl_pairs_sim = {.distances = gpu_distances,
                                     .survey = gpu_survey,
                                     .sort = gpu_sort,
                                     .count_neighbors = gpu_count_neighbors,
                                     .place_rows = gpu_place_rows,
                                     .fill_neighbors = gpu_fill_neighbors,
                                     .histogram = gpu_histogram,
                                     .energy = &tsl_energy_sim,
                                     .nearest = &tsl_nearest_sim,
                                     .triplets = tsl_triplets_sim};
