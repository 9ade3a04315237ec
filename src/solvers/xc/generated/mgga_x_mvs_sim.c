/* Written by tools/xcgen/xcgen from functionals/mgga_x_mvs.py: do not edit. */
#include "device/sim.h"
#include "solvers/xc/xc.h"

#define XC_UNIT_CONSTANTS 28
#include "solvers/xc/xc_block.h"

#include "solvers/xc/generated/mgga_x_mvs_first.inc"

const tsl_xc_gpu_unit tsl_xc_mgga_x_mvs_sim =
    {{{xc_mgga_x_mvs_u0_launch, xc_mgga_x_mvs_u1_launch},
      {xc_mgga_x_mvs_p0_launch, xc_mgga_x_mvs_p1_launch}}};
