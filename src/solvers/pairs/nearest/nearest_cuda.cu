/* Nearest points on NVIDIA GPUs. */
#include <stdalign.h>
#include <string.h>

#include "device/cuda.h"

extern "C" {
#include "core/core.h"
#include "solvers/pairs/energy/energy_point.h"
#include "solvers/pairs/nearest/nearest.h"
#include "solvers/pairs/pairs.h"
}

#include "core/warp.h"

#include "solvers/pairs/nearest/nearest_block.inc"

extern const tsl_nearest_ops tsl_nearest_cuda = {.find = gpu_find};
