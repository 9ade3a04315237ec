/* Written by tools/xcgen/xcgen from functionals/mgga_x_scan.py, functionals/mgga_c_scan.py: do not edit. */
#include "device/cuda.h"

extern "C" {
#include "solvers/xc/xc.h"
}

#define XC_UNIT_CONSTANTS 25
#include "solvers/xc/xc_block.h"

#include "solvers/xc/generated/scan_first.inc"

extern const tsl_xc_gpu_unit tsl_xc_scan_cuda =
    {{{xc_scan_u0_launch, xc_scan_u1_launch},
      {xc_scan_p0_launch, xc_scan_p1_launch}}};
