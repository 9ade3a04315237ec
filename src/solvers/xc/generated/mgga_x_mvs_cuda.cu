/* Written by tools/xcgen/xcgen from functionals/mgga_x_mvs.py: do not edit. */
#include "device/cuda.h"

extern "C" {
#include "solvers/xc/xc.h"
}

#define XC_UNIT_CONSTANTS 28
#include "solvers/xc/xc_block.h"

#include "solvers/xc/generated/mgga_x_mvs_first.inc"

extern const tsl_xc_gpu_unit tsl_xc_mgga_x_mvs_cuda =
    {{{xc_mgga_x_mvs_u0_launch, xc_mgga_x_mvs_u1_launch},
      {xc_mgga_x_mvs_p0_launch, xc_mgga_x_mvs_p1_launch}}};
