/* Written by tools/xcgen/xcgen from functionals/gga_k_lkt.py: do not edit. */
#include "device/cuda.h"

extern "C" {
#include "solvers/xc/xc.h"
}

#define XC_UNIT_CONSTANTS 14
#include "solvers/xc/xc_block.h"

#include "solvers/xc/generated/gga_k_lkt_first.inc"

extern const tsl_xc_gpu_unit tsl_xc_gga_k_lkt_cuda =
    {{{xc_gga_k_lkt_u0_launch, xc_gga_k_lkt_u1_launch},
      {xc_gga_k_lkt_p0_launch, xc_gga_k_lkt_p1_launch}}};
