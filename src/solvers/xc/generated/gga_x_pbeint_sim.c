/* Written by tools/xcgen/xcgen from functionals/gga_x_pbeint.py: do not edit. */
#include "device/sim.h"
#include "solvers/xc/xc.h"

#define XC_UNIT_CONSTANTS 17
#include "solvers/xc/xc_block.h"

#include "solvers/xc/generated/gga_x_pbeint_first.inc"

const tsl_xc_gpu_unit tsl_xc_gga_x_pbeint_sim =
    {{{xc_gga_x_pbeint_u0_launch, xc_gga_x_pbeint_u1_launch},
      {xc_gga_x_pbeint_p0_launch, xc_gga_x_pbeint_p1_launch}}};
