/* Written by tools/xcgen/xcgen from functionals/gga_x_b88.py, functionals/gga_c_lyp.py: do not edit. */
#include "device/cuda.h"

extern "C" {
#include "solvers/xc/xc.h"
}

#define XC_UNIT_CONSTANTS 31
#include "solvers/xc/xc_block.h"

#include "solvers/xc/generated/blyp_first.inc"

extern const tsl_xc_gpu_unit tsl_xc_blyp_cuda =
    {{{xc_blyp_u0_launch, xc_blyp_u1_launch},
      {xc_blyp_p0_launch, xc_blyp_p1_launch}}};
