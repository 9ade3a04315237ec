/* Written by tools/xcgen/xcgen from functionals/gga_x_pbe.py, functionals/gga_c_pbe.py: do not edit. */
#include "device/sim.h"
#include "solvers/xc/xc.h"

#define XC_UNIT_CONSTANTS 26
#include "solvers/xc/xc_block.h"

#include "solvers/xc/generated/pbe_first.inc"
#include "solvers/xc/generated/pbe_second.inc"

const tsl_xc_gpu_unit tsl_xc_pbe_sim =
    {{{xc_pbe_u0_launch, xc_pbe_u1_launch, xc_pbe_u2_launch},
      {xc_pbe_p0_launch, xc_pbe_p1_launch, xc_pbe_p2_launch}}};
