/* Written by tools/xcgen/xcgen from functionals/lda_c_2d_prm.py: do not edit. */
#include "device/sim.h"
#include "solvers/xc/xc.h"

#define XC_UNIT_CONSTANTS 17
#include "solvers/xc/xc_block.h"

#include "solvers/xc/generated/lda_c_2d_prm_first.inc"

const tsl_xc_gpu_unit tsl_xc_lda_c_2d_prm_sim =
    {{{xc_lda_c_2d_prm_u0_launch, xc_lda_c_2d_prm_u1_launch},
      {xc_lda_c_2d_prm_p0_launch, xc_lda_c_2d_prm_p1_launch}}};
