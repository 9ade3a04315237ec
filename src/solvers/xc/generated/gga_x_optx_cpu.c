/* Written by tools/xcgen/xcgen from functionals/gga_x_optx.py: do not edit. */
#define XC_UNIT_FIRST "solvers/xc/generated/gga_x_optx_first.inc"
#define XC_UNIT_SECOND "solvers/xc/generated/gga_x_optx_second.inc"
#include "solvers/xc/xc_cpu_unit.inc"

const tsl_xc_cpu_unit tsl_xc_gga_x_optx_cpu = {
    .body = {{{{xc_gga_x_optx_u0_run_wide_base, 8}, {xc_gga_x_optx_u1_run_wide_base, 8}, {xc_gga_x_optx_u2_run_narrow_base, 2}},
             {{xc_gga_x_optx_p0_run_wide_base, 8}, {xc_gga_x_optx_p1_run_wide_base, 8}, {xc_gga_x_optx_p2_run_narrow_base, 2}}},
#ifdef XC_HAS_LEVELS
             {{{xc_gga_x_optx_u0_run_wide_v3, 16}, {xc_gga_x_optx_u1_run_wide_v3, 16}, {xc_gga_x_optx_u2_run_narrow_v3, 4}},
             {{xc_gga_x_optx_p0_run_wide_v3, 16}, {xc_gga_x_optx_p1_run_wide_v3, 16}, {xc_gga_x_optx_p2_run_narrow_v3, 4}}},
             {{{xc_gga_x_optx_u0_run_wide_v4, 32}, {xc_gga_x_optx_u1_run_wide_v4, 32}, {xc_gga_x_optx_u2_run_narrow_v4, 8}},
             {{xc_gga_x_optx_p0_run_wide_v4, 32}, {xc_gga_x_optx_p1_run_wide_v4, 32}, {xc_gga_x_optx_p2_run_narrow_v4, 8}}},
#endif
    }};
