/* Written by tools/xcgen/xcgen from functionals/lda_x.py, functionals/gga_x_b88.py, functionals/lda_c_vwn.py, functionals/gga_c_lyp.py: do not edit. */
#include "device/cuda.h"

extern "C" {
#include "solvers/xc/xc.h"
}

#define XC_UNIT_CONSTANTS 85
#include "solvers/xc/xc_block.h"

#include "solvers/xc/generated/b3lyp5_first.inc"

extern const tsl_xc_gpu_unit tsl_xc_b3lyp5_cuda =
    {{{xc_b3lyp5_u0_launch, xc_b3lyp5_u1_launch},
      {xc_b3lyp5_p0_launch, xc_b3lyp5_p1_launch}}};
