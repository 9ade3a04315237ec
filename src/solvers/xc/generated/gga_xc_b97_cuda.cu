/* Written by tools/xcgen/xcgen from functionals/gga_xc_b97.py: do not edit. */
#include "device/cuda.h"

extern "C" {
#include "solvers/xc/xc.h"
}

#define XC_UNIT_CONSTANTS 24
#include "solvers/xc/xc_block.h"

#include "solvers/xc/generated/gga_xc_b97_first.inc"

extern const tsl_xc_gpu_unit tsl_xc_gga_xc_b97_cuda =
    {{{xc_gga_xc_b97_u0_launch, xc_gga_xc_b97_u1_launch},
      {xc_gga_xc_b97_p0_launch, xc_gga_xc_b97_p1_launch}}};
