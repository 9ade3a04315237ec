/* Levels of multigrid on sim. */
#include <math.h>

#include "device/sim.h"
#include "solvers/linsolve/multigrid/gpu/coarsen.h"

#include "solvers/linsolve/multigrid/gpu/coarsen_block.inc"

const tsl_coarsen_ops tsl_coarsen_sim = {COARSEN_MEMBERS};
