/* Written by tools/xcgen/xcgen from functionals/mgga_c_m06.py: do not edit. */
#include "device/cuda.h"

extern "C" {
#include "solvers/xc/xc.h"
}

#define XC_UNIT_CONSTANTS 36
#include "solvers/xc/xc_block.h"

#include "solvers/xc/generated/mgga_c_m06_first.inc"

extern const tsl_xc_gpu_unit tsl_xc_mgga_c_m06_cuda =
    {{{xc_mgga_c_m06_u0_launch, xc_mgga_c_m06_u1_launch},
      {xc_mgga_c_m06_p0_launch, xc_mgga_c_m06_p1_launch}}};
