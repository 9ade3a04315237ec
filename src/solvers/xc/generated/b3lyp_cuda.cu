/* Written by tools/xcgen/xcgen from functionals/lda_x.py, functionals/gga_x_b88.py, functionals/lda_c_vwn_rpa.py, functionals/gga_c_lyp.py: do not edit. */
#include "device/cuda.h"

extern "C" {
#include "solvers/xc/xc.h"
}

#define XC_UNIT_CONSTANTS 70
#include "solvers/xc/xc_block.h"

#include "solvers/xc/generated/b3lyp_first.inc"

extern const tsl_xc_gpu_unit tsl_xc_b3lyp_cuda =
    {{{xc_b3lyp_u0_launch, xc_b3lyp_u1_launch},
      {xc_b3lyp_p0_launch, xc_b3lyp_p1_launch}}};
