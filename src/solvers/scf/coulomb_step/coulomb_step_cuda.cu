/* The Coulomb matrix of a fitted density, on NVIDIA GPUs. */
#include "device/cuda.h"

extern "C" {
#include "solvers/scf/coulomb_step/step.h"
}

#include "solvers/scf/coulomb_step/coulomb_step_block.inc"

extern const tsl_coulomb_step_ops tsl_coulomb_step_cuda = {.spread = gpu_spread,
                                                           .potential = gpu_potential,
                                                           .add = gpu_add,
                                                           .gather = gpu_gather,
                                                           .multiply = gpu_multiply};
