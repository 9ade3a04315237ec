/* CG's vectors on sim. */
#include <math.h>

#include "device/sim.h"
#include "npb/cg.h"

#include "npb/cg_block.inc"

const tsl_cg_ops tsl_cg_sim = {
    .ones = gpu_ones, .begin = gpu_begin, .step = gpu_step, .finish = gpu_finish};
