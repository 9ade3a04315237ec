/* Energies on NVIDIA GPUs. */
#include <stdalign.h>

#include "device/cuda.h"

extern "C" {
#include "solvers/pairs/energy/energy_point.h"
#include "tesela/simplex.h"
}

#include "core/warp.h"

#include "solvers/pairs/energy/energy_block.inc"

extern const tsl_energy_ops tsl_energy_cuda = {.spread = gpu_spread,
                                               .all_pairs = gpu_all_pairs,
                                               .listed_pairs = gpu_listed_pairs,
                                               .deliver = gpu_deliver,
                                               .moved = gpu_moved,
                                               .degree = gpu_degree};
