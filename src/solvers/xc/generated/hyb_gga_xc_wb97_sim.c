/* Written by tools/xcgen/xcgen from functionals/hyb_gga_xc_wb97.py: do not edit. */
#include "device/sim.h"
#include "solvers/xc/xc.h"

#define XC_UNIT_CONSTANTS 28
#include "solvers/xc/xc_block.h"

#include "solvers/xc/generated/hyb_gga_xc_wb97_first.inc"

const tsl_xc_gpu_unit tsl_xc_hyb_gga_xc_wb97_sim =
    {{{xc_hyb_gga_xc_wb97_u0_launch, xc_hyb_gga_xc_wb97_u1_launch},
      {xc_hyb_gga_xc_wb97_p0_launch, xc_hyb_gga_xc_wb97_p1_launch}}};
