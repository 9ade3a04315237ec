/* Exchange and correlation on a grid, on NVIDIA GPUs. */
#include "device/cuda.h"

extern "C" {
#include "solvers/scf/xc_step/step.h"
}
#include "solvers/scf/xc_step/functions_point.h"

#include "solvers/scf/xc_step/xc_step_block.inc"

extern const tsl_xc_step_ops tsl_xc_step_cuda = {
    .scratch = gpu_scratch,
    .has_batch_squares_only = false,
    .density = gpu_density,
    .potential = gpu_potential,
    .finish = gpu_finish,
};
