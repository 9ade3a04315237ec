/* Written by tools/xcgen/xcgen from functionals/mgga_x_tpss.py, functionals/mgga_c_tpss.py: do not edit. */
#include "device/cuda.h"

extern "C" {
#include "solvers/xc/xc.h"
}

#define XC_UNIT_CONSTANTS 50
#include "solvers/xc/xc_block.h"

#include "solvers/xc/generated/tpss_first.inc"

extern const tsl_xc_gpu_unit tsl_xc_tpss_cuda =
    {{{xc_tpss_u0_launch, xc_tpss_u1_launch},
      {xc_tpss_p0_launch, xc_tpss_p1_launch}}};
