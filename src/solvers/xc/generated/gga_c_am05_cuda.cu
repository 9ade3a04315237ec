/* Written by tools/xcgen/xcgen from functionals/gga_c_am05.py: do not edit. */
#include "device/cuda.h"

extern "C" {
#include "solvers/xc/xc.h"
}

#define XC_UNIT_CONSTANTS 13
#include "solvers/xc/xc_block.h"

#include "solvers/xc/generated/gga_c_am05_first.inc"

extern const tsl_xc_gpu_unit tsl_xc_gga_c_am05_cuda =
    {{{xc_gga_c_am05_u0_launch, xc_gga_c_am05_u1_launch},
      {xc_gga_c_am05_p0_launch, xc_gga_c_am05_p1_launch}}};
