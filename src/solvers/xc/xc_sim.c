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
#include "solvers/xc/xc_study.inc"

static tsl_status sim_study_taken(tsl_context *context, int cap, tsl_xc_taken *out)
{
    (void)context;
    (void)cap;
    *out = (tsl_xc_taken){0, 0};
    return TSL_OK;
}

const tsl_xc_ops tsl_xc_sim = {.order = gpu_order,
                               .evaluate = gpu_evaluate,
                               .move = gpu_move,
                               .widen = gpu_widen,
                               .add_groups = gpu_add_groups,
                               .is_reachable = tsl_sim_owns,
                               .study = gpu_study,
                               .study_taken = sim_study_taken};
