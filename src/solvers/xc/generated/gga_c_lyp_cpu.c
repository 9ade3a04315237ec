/* Written by tools/xcgen/xcgen from functionals/gga_c_lyp.py: do not edit. */
#define XC_UNIT_FIRST "solvers/xc/generated/gga_c_lyp_first.inc"
#define XC_UNIT_SECOND "solvers/xc/generated/gga_c_lyp_second.inc"
#define XC_UNIT_WIDE 1
#include "solvers/xc/xc_cpu_unit.inc"

const tsl_xc_cpu_unit tsl_xc_gga_c_lyp_cpu = {
    .body = {
#ifdef XC_BY_POINT
             {{{xc_gga_c_lyp_u0_run, 1},
              {xc_gga_c_lyp_u1_run, 1},
              {xc_gga_c_lyp_u2_run, 1},
              {xc_gga_c_lyp_u2_third, 1}},
             {{xc_gga_c_lyp_p0_run, 1},
              {xc_gga_c_lyp_p1_run, 1},
              {xc_gga_c_lyp_p2_run, 1},
              {xc_gga_c_lyp_p2_third, 1}}},
#else
             {{{xc_gga_c_lyp_u0_run_wide_base, 8},
              {xc_gga_c_lyp_u1_run_wide_base, 8},
              {xc_gga_c_lyp_u2_run_narrow_base, 2},
              {xc_gga_c_lyp_u2_third, 1}},
             {{xc_gga_c_lyp_p0_run_wide_base, 8},
              {xc_gga_c_lyp_p1_run_wide_base, 8},
              {xc_gga_c_lyp_p2_run_narrow_base, 2},
              {xc_gga_c_lyp_p2_third, 1}}},
#endif
#ifdef XC_HAS_LEVELS
             {{{xc_gga_c_lyp_u0_run_wide_v3, 16},
              {xc_gga_c_lyp_u1_run_wide_v3, 16},
              {xc_gga_c_lyp_u2_run_narrow_v3, 4},
              {xc_gga_c_lyp_u2_third, 1}},
             {{xc_gga_c_lyp_p0_run_wide_v3, 16},
              {xc_gga_c_lyp_p1_run_wide_v3, 16},
              {xc_gga_c_lyp_p2_run_narrow_v3, 4},
              {xc_gga_c_lyp_p2_third, 1}}},
             {{{xc_gga_c_lyp_u0_run_wide_v4, 32},
              {xc_gga_c_lyp_u1_run_wide_v4, 32},
              {xc_gga_c_lyp_u2_run_narrow_v4, 8},
              {xc_gga_c_lyp_u2_third, 1}},
             {{xc_gga_c_lyp_p0_run_wide_v4, 32},
              {xc_gga_c_lyp_p1_run_wide_v4, 32},
              {xc_gga_c_lyp_p2_run_narrow_v4, 8},
              {xc_gga_c_lyp_p2_third, 1}}},
#endif
    }};
