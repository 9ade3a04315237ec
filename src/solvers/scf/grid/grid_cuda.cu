/* Grids on NVIDIA GPUs. */
#include "device/cuda.h"

extern "C" {
#include "solvers/scf/grid/grid.h"
}
#include "solvers/scf/grid/partition_point.h"

#include "solvers/scf/grid/partition_block.inc"

extern const tsl_scf_grid_ops tsl_scf_grid_cuda = {gpu_partition};
