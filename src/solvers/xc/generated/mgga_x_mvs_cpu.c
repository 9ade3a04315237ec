/* Written by tools/xcgen/xcgen from functionals/mgga_x_mvs.py: do not edit. */
#define XC_UNIT_FIRST "solvers/xc/generated/mgga_x_mvs_first.inc"
#define XC_UNIT_SECOND "solvers/xc/generated/mgga_x_mvs_second.inc"
#define XC_UNIT_WIDE 0
#include "solvers/xc/xc_cpu_unit.inc"

const tsl_xc_cpu_unit tsl_xc_mgga_x_mvs_cpu = {
    .body = {
#ifdef XC_BY_POINT
             {{{xc_mgga_x_mvs_u0_run, 1},
              {xc_mgga_x_mvs_u1_run, 1},
              {xc_mgga_x_mvs_u2_run, 1},
              {xc_mgga_x_mvs_u2_third, 1}},
             {{xc_mgga_x_mvs_p0_run, 1},
              {xc_mgga_x_mvs_p1_run, 1},
              {xc_mgga_x_mvs_p2_run, 1},
              {xc_mgga_x_mvs_p2_third, 1}}},
#else
             {{{xc_mgga_x_mvs_u0_run_narrow_base, 2},
              {xc_mgga_x_mvs_u1_run_narrow_base, 2},
              {xc_mgga_x_mvs_u2_run_narrow_base, 2},
              {xc_mgga_x_mvs_u2_third, 1}},
             {{xc_mgga_x_mvs_p0_run_narrow_base, 2},
              {xc_mgga_x_mvs_p1_run_narrow_base, 2},
              {xc_mgga_x_mvs_p2_run_narrow_base, 2},
              {xc_mgga_x_mvs_p2_third, 1}}},
#endif
#ifdef XC_HAS_LEVELS
             {{{xc_mgga_x_mvs_u0_run_narrow_v3, 4},
              {xc_mgga_x_mvs_u1_run_narrow_v3, 4},
              {xc_mgga_x_mvs_u2_run_narrow_v3, 4},
              {xc_mgga_x_mvs_u2_third, 1}},
             {{xc_mgga_x_mvs_p0_run_narrow_v3, 4},
              {xc_mgga_x_mvs_p1_run_narrow_v3, 4},
              {xc_mgga_x_mvs_p2_run_narrow_v3, 4},
              {xc_mgga_x_mvs_p2_third, 1}}},
             {{{xc_mgga_x_mvs_u0_run_narrow_v3, 4},
              {xc_mgga_x_mvs_u1_run_narrow_v3, 4},
              {xc_mgga_x_mvs_u2_run_narrow_v3, 4},
              {xc_mgga_x_mvs_u2_third, 1}},
             {{xc_mgga_x_mvs_p0_run_narrow_v3, 4},
              {xc_mgga_x_mvs_p1_run_narrow_v3, 4},
              {xc_mgga_x_mvs_p2_run_narrow_v3, 4},
              {xc_mgga_x_mvs_p2_third, 1}}},
#endif
    }};
