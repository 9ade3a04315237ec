/* EP on sim. */
#include <math.h>

#include "device/sim.h"
#include "solvers/npb/ep.h"

#include "solvers/npb/ep_block.inc"

const tsl_ep_ops tsl_ep_sim = {.at_a_time = gpu_at_a_time, .tally = gpu_tally};
