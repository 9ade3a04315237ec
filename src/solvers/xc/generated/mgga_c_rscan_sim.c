/* Written by tools/xcgen/xcgen from functionals/mgga_c_rscan.py: do not edit. */
#include "device/sim.h"
#include "solvers/xc/xc.h"

#define XC_UNIT_CONSTANTS 8
#include "solvers/xc/xc_block.h"

#include "solvers/xc/generated/mgga_c_rscan_first.inc"

const tsl_xc_gpu_unit tsl_xc_mgga_c_rscan_sim =
    {{{xc_mgga_c_rscan_u0_launch, xc_mgga_c_rscan_u1_launch},
      {xc_mgga_c_rscan_p0_launch, xc_mgga_c_rscan_p1_launch}}};
