/* Written by tools/xcgen/xcgen from functionals/mgga_c_bc95.py: do not edit. */
#include "device/sim.h"
#include "solvers/xc/xc.h"

#define XC_UNIT_CONSTANTS 16
#include "solvers/xc/xc_block.h"

#include "solvers/xc/generated/mgga_c_bc95_first.inc"

const tsl_xc_gpu_unit tsl_xc_mgga_c_bc95_sim =
    {{{xc_mgga_c_bc95_u0_launch, xc_mgga_c_bc95_u1_launch},
      {xc_mgga_c_bc95_p0_launch, xc_mgga_c_bc95_p1_launch}}};
