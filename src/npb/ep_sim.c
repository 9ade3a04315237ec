/* EP on sim. */
#include <math.h>

#include "device/sim.h"
#include "npb/ep.h"

#include "npb/ep_block.inc"

const tsl_ep_ops tsl_ep_sim = {.tally = gpu_tally};
