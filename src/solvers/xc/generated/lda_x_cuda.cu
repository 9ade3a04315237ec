/* Written by tools/xcgen/xcgen from functionals/lda_x.py: do not edit. */
#include "device/cuda.h"

extern "C" {
#include "solvers/xc/xc.h"
}

#define XC_UNIT_CONSTANTS 8
#include "solvers/xc/xc_block.h"

#include "solvers/xc/generated/lda_x_first.inc"

extern const tsl_xc_gpu_unit tsl_xc_lda_x_cuda =
    {{{xc_lda_x_u0_launch, xc_lda_x_u1_launch},
      {xc_lda_x_p0_launch, xc_lda_x_p1_launch}}};
