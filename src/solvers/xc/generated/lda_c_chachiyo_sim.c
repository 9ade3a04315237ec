/* Written by tools/xcgen/xcgen from functionals/lda_c_chachiyo.py: do not edit. */
#include "device/sim.h"
#include "solvers/xc/xc.h"

#define XC_UNIT_CONSTANTS 13
#include "solvers/xc/xc_block.h"

#include "solvers/xc/generated/lda_c_chachiyo_first.inc"

const tsl_xc_gpu_unit tsl_xc_lda_c_chachiyo_sim =
    {{{xc_lda_c_chachiyo_u0_launch, xc_lda_c_chachiyo_u1_launch},
      {xc_lda_c_chachiyo_p0_launch, xc_lda_c_chachiyo_p1_launch}}};
