/* Written by tools/xcgen/xcgen from functionals/lda_c_1d_csc.py: do not edit. */
#include "device/cuda.h"

extern "C" {
#include "solvers/xc/xc.h"
}

#define XC_UNIT_CONSTANTS 32
#include "solvers/xc/xc_block.h"

#include "solvers/xc/generated/lda_c_1d_csc_first.inc"

extern const tsl_xc_gpu_unit tsl_xc_lda_c_1d_csc_cuda =
    {{{xc_lda_c_1d_csc_u0_launch, xc_lda_c_1d_csc_u1_launch},
      {xc_lda_c_1d_csc_p0_launch, xc_lda_c_1d_csc_p1_launch}}};
