/* Written by tools/xcgen/xcgen from functionals/lda_x.py, functionals/lda_c_vwn.py: do not edit. */
#include "device/cuda.h"

extern "C" {
#include "solvers/xc/xc.h"
}

#define XC_UNIT_CONSTANTS 56
#include "solvers/xc/xc_block.h"

#include "solvers/xc/generated/svwn_first.inc"

extern const tsl_xc_gpu_unit tsl_xc_svwn_cuda =
    {{{xc_svwn_u0_launch, xc_svwn_u1_launch},
      {xc_svwn_p0_launch, xc_svwn_p1_launch}}};
