/* Grids on sim. */
#include <math.h>

#include "device/sim.h"
#include "solvers/scf/grid/grid.h"
#include "solvers/scf/grid/partition_point.h"

#include "solvers/scf/grid/partition_block.inc"

const tsl_scf_grid_ops tsl_scf_grid_sim = {.partition = gpu_partition};
