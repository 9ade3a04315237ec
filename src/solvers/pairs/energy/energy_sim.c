/* Energies on sim. */
#include <stdalign.h>

#include "core/warp.h"
#include "device/sim.h"
#include "solvers/pairs/energy/energy_point.h"
#include "tesela/simplex.h"

#include "solvers/pairs/energy/energy_block.inc"

const tsl_energy_ops tsl_energy_sim = {.spread = gpu_spread,
                                       .all_pairs = gpu_all_pairs,
                                       .listed_pairs = gpu_listed_pairs,
                                       .deliver = gpu_deliver,
                                       .moved = gpu_moved,
                                       .degree = gpu_degree};
