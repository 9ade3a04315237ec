/* Written by tools/xcgen/xcgen from functionals/gga_x_g96.py: do not edit. */
#include "device/cuda.h"

extern "C" {
#include "solvers/xc/xc.h"
}

#define XC_UNIT_CONSTANTS 10
#include "solvers/xc/xc_block.h"

#include "solvers/xc/generated/gga_x_g96_first.inc"

extern const tsl_xc_gpu_unit tsl_xc_gga_x_g96_cuda =
    {{{xc_gga_x_g96_u0_launch, xc_gga_x_g96_u1_launch},
      {xc_gga_x_g96_p0_launch, xc_gga_x_g96_p1_launch}}};
