/* Top cells on sim. */
#include <math.h>

#include "blocks/reduce/reduce.h"
#include "device/sim.h"

#include "blocks/reduce/reduce_block.inc"

const tsl_reduce_ops tsl_reduce_sim = {
    .create = gpu_create, .destroy = gpu_destroy, .top = gpu_top};
