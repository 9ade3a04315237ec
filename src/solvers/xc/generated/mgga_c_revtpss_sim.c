/* Written by tools/xcgen/xcgen from functionals/mgga_c_revtpss.py: do not edit. */
#include "device/sim.h"
#include "solvers/xc/xc.h"

#define XC_UNIT_CONSTANTS 17
#include "solvers/xc/xc_block.h"

#include "solvers/xc/generated/mgga_c_revtpss_first.inc"

const tsl_xc_gpu_unit tsl_xc_mgga_c_revtpss_sim =
    {{{xc_mgga_c_revtpss_u0_launch, xc_mgga_c_revtpss_u1_launch},
      {xc_mgga_c_revtpss_p0_launch, xc_mgga_c_revtpss_p1_launch}}};
