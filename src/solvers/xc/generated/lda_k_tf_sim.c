/* Written by tools/xcgen/xcgen from functionals/lda_k_tf.py: do not edit. */
#include "device/sim.h"
#include "solvers/xc/xc.h"

#define XC_UNIT_CONSTANTS 4
#include "solvers/xc/xc_block.h"

#include "solvers/xc/generated/lda_k_tf_first.inc"

const tsl_xc_gpu_unit tsl_xc_lda_k_tf_sim =
    {{{xc_lda_k_tf_u0_launch, xc_lda_k_tf_u1_launch},
      {xc_lda_k_tf_p0_launch, xc_lda_k_tf_p1_launch}}};
