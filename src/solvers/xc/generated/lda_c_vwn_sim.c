/* Written by tools/xcgen/xcgen from functionals/lda_c_vwn.py: do not edit. */
#include "device/sim.h"
#include "solvers/xc/xc.h"

#define XC_UNIT_CONSTANTS 50
#include "solvers/xc/xc_block.h"

#include "solvers/xc/generated/lda_c_vwn_first.inc"

const tsl_xc_gpu_unit tsl_xc_lda_c_vwn_sim =
    {{{xc_lda_c_vwn_u0_launch, xc_lda_c_vwn_u1_launch},
      {xc_lda_c_vwn_p0_launch, xc_lda_c_vwn_p1_launch}}};
