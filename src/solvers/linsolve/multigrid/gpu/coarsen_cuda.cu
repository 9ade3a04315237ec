/* Levels of multigrid on NVIDIA GPUs. */
#include "device/cuda.h"

extern "C" {
#include "solvers/linsolve/multigrid/gpu/coarsen.h"
}

#include "solvers/linsolve/multigrid/gpu/coarsen_block.inc"

extern const tsl_coarsen_ops tsl_coarsen_cuda = {COARSEN_MEMBERS};
