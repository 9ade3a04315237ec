/* The Coulomb matrix of a fitted density, on sim. */
#include <math.h>

#include "device/sim.h"
#include "solvers/scf/coulomb_step/step.h"

#include "solvers/scf/coulomb_step/coulomb_step_block.inc"

const tsl_coulomb_step_ops tsl_coulomb_step_sim = {.spread = gpu_spread,
                                                   .potential = gpu_potential,
                                                   .add = gpu_add,
                                                   .gather = gpu_gather,
                                                   .multiply = gpu_multiply};
