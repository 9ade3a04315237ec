/* Written by tools/xcgen/xcgen from functionals/lda_k_tf.py: do not edit. */
#include "device/cuda.h"

extern "C" {
#include "solvers/xc/xc.h"
}

#define XC_UNIT_CONSTANTS 4
#include "solvers/xc/xc_block.h"

#include "solvers/xc/generated/lda_k_tf_first.inc"

extern const tsl_xc_gpu_unit tsl_xc_lda_k_tf_cuda =
    {{{xc_lda_k_tf_u0_launch, xc_lda_k_tf_u1_launch},
      {xc_lda_k_tf_p0_launch, xc_lda_k_tf_p1_launch}}};
