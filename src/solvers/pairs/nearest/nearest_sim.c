/* Nearest points on sim. */
#include <math.h>
#include <stdalign.h>
#include <string.h>

#include "core/core.h"
#include "core/warp.h"
#include "device/sim.h"
#include "solvers/pairs/energy/energy_point.h"
#include "solvers/pairs/nearest/nearest.h"
#include "solvers/pairs/pairs.h"

#include "solvers/pairs/nearest/nearest_block.inc"

const tsl_nearest_ops tsl_nearest_sim = {.find = gpu_find};
