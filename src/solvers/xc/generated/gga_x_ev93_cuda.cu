/* Written by tools/xcgen/xcgen from functionals/gga_x_ev93.py: do not edit. */
#include "device/cuda.h"

extern "C" {
#include "solvers/xc/xc.h"
}

#define XC_UNIT_CONSTANTS 19
#include "solvers/xc/xc_block.h"

#include "solvers/xc/generated/gga_x_ev93_first.inc"

extern const tsl_xc_gpu_unit tsl_xc_gga_x_ev93_cuda =
    {{{xc_gga_x_ev93_u0_launch, xc_gga_x_ev93_u1_launch},
      {xc_gga_x_ev93_p0_launch, xc_gga_x_ev93_p1_launch}}};
