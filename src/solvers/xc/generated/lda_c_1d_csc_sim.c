/* Written by tools/xcgen/xcgen from functionals/lda_c_1d_csc.py: do not edit. */
#include "device/sim.h"
#include "solvers/xc/xc.h"

#define XC_UNIT_CONSTANTS 32
#include "solvers/xc/xc_block.h"

#include "solvers/xc/generated/lda_c_1d_csc_first.inc"

const tsl_xc_gpu_unit tsl_xc_lda_c_1d_csc_sim =
    {{{xc_lda_c_1d_csc_u0_launch, xc_lda_c_1d_csc_u1_launch},
      {xc_lda_c_1d_csc_p0_launch, xc_lda_c_1d_csc_p1_launch}}};
