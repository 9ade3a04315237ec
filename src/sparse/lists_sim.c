/* Lists of steps on sim. */
#include <math.h>

#include "device/sim.h"
#include "sparse/lists.h"

#include "sparse/lists_block.inc"

const tsl_list_ops tsl_lists_sim = {
    .run = gpu_run, .add_up = gpu_add_up, .sweep = gpu_sweep, .look = gpu_look};
