/* Pairwise work on sim. */
#include "device/sim.h"
#include "solvers/pairs/pairs.h"

#include "solvers/pairs/pairs_block.inc"

const tsl_pairs_ops tsl_pairs_sim = {.distances = gpu_distances};
