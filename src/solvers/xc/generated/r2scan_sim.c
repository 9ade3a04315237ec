/* Written by tools/xcgen/xcgen from functionals/mgga_x_r2scan.py, functionals/mgga_c_r2scan.py: do not edit. */
#include "device/sim.h"
#include "solvers/xc/xc.h"

#define XC_UNIT_CONSTANTS 32
#include "solvers/xc/xc_block.h"

#include "solvers/xc/generated/r2scan_first.inc"

const tsl_xc_gpu_unit tsl_xc_r2scan_sim =
    {{{xc_r2scan_u0_launch, xc_r2scan_u1_launch},
      {xc_r2scan_p0_launch, xc_r2scan_p1_launch}}};
