/* Lists of expressions on sim. */
#include <math.h>

#include "blocks/vector/fused_kernels.h"
#include "device/sim.h"

#include "blocks/vector/fused_kernels_block.inc"

const tsl_fused_ops tsl_fused_sim = {.run = gpu_run,
                                     .add_up = gpu_add_up,
                                     .add_up_pieces = gpu_add_up_pieces,
                                     .collect = gpu_collect,
                                     .spread = gpu_spread,
                                     .sweep = gpu_sweep,
                                     .look = gpu_look,
                                     .narrow = gpu_narrow};
