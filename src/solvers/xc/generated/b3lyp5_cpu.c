/* Written by tools/xcgen/xcgen from functionals/lda_x.py, functionals/gga_x_b88.py, functionals/lda_c_vwn.py, functionals/gga_c_lyp.py: do not edit. */
#define XC_UNIT_FIRST "solvers/xc/generated/b3lyp5_first.inc"
#define XC_UNIT_SECOND "solvers/xc/generated/b3lyp5_second.inc"
#include "solvers/xc/xc_cpu_unit.inc"

const tsl_xc_cpu_unit tsl_xc_b3lyp5_cpu = {
    .body = {{{{xc_b3lyp5_u0_run_wide_base, 8}, {xc_b3lyp5_u1_run_wide_base, 8}, {xc_b3lyp5_u2_run_narrow_base, 2}},
             {{xc_b3lyp5_p0_run_wide_base, 8}, {xc_b3lyp5_p1_run_wide_base, 8}, {xc_b3lyp5_p2_run_narrow_base, 2}}},
#ifdef XC_HAS_LEVELS
             {{{xc_b3lyp5_u0_run_wide_v3, 16}, {xc_b3lyp5_u1_run_wide_v3, 16}, {xc_b3lyp5_u2_run_narrow_v3, 4}},
             {{xc_b3lyp5_p0_run_wide_v3, 16}, {xc_b3lyp5_p1_run_wide_v3, 16}, {xc_b3lyp5_p2_run_narrow_v3, 4}}},
             {{{xc_b3lyp5_u0_run_wide_v4, 32}, {xc_b3lyp5_u1_run_wide_v4, 32}, {xc_b3lyp5_u2_run_narrow_v4, 8}},
             {{xc_b3lyp5_p0_run_wide_v4, 32}, {xc_b3lyp5_p1_run_wide_v4, 32}, {xc_b3lyp5_p2_run_narrow_v4, 8}}},
#endif
    }};
