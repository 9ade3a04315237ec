/* Functionals on sim. */
#include "device/sim.h"
#include "solvers/xc/xc.h"
#include "solvers/xc/xc_block.h"

#define XC_UNITS(name) extern const tsl_xc_gpu_unit tsl_xc_##name##_sim;
#include "solvers/xc/generated/units.def"
#undef XC_UNITS

static const tsl_xc_gpu_unit *const gpu_units[] = {
#define XC_UNITS(name) &tsl_xc_##name##_sim,
#include "solvers/xc/generated/units.def"
#undef XC_UNITS
};

#include "solvers/xc/xc_block.inc"

const tsl_xc_ops tsl_xc_sim = {.order = gpu_order,
                               .evaluate = gpu_evaluate,
                               .move = gpu_move,
                               .widen = gpu_widen,
                               .add_groups = gpu_add_groups,
                               .is_reachable = tsl_sim_owns};
