/* Written by tools/xcgen/xcgen from functionals/mgga_xc_b97m_v.py: do not edit. */
#include "device/sim.h"
#include "solvers/xc/xc.h"

#define XC_UNIT_CONSTANTS 34
#include "solvers/xc/xc_block.h"

#include "solvers/xc/generated/mgga_xc_b97m_v_first.inc"

const tsl_xc_gpu_unit tsl_xc_mgga_xc_b97m_v_sim =
    {{{xc_mgga_xc_b97m_v_u0_launch, xc_mgga_xc_b97m_v_u1_launch},
      {xc_mgga_xc_b97m_v_p0_launch, xc_mgga_xc_b97m_v_p1_launch}}};
