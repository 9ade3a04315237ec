/* Written by tools/xcgen/xcgen from functionals/gga_k_lkt.py: do not edit. */
#include "device/sim.h"
#include "solvers/xc/xc.h"

#define XC_UNIT_CONSTANTS 14
#include "solvers/xc/xc_block.h"

#include "solvers/xc/generated/gga_k_lkt_first.inc"

const tsl_xc_gpu_unit tsl_xc_gga_k_lkt_sim =
    {{{xc_gga_k_lkt_u0_launch, xc_gga_k_lkt_u1_launch},
      {xc_gga_k_lkt_p0_launch, xc_gga_k_lkt_p1_launch}}};
