/* Written by tools/xcgen/xcgen from functionals/lda_x.py, functionals/gga_x_b88.py, functionals/lda_c_vwn.py, functionals/gga_c_lyp.py: do not edit. */
#define XC_UNIT_FIRST "solvers/xc/generated/b3lyp5_first.inc"
#define XC_UNIT_SECOND "solvers/xc/generated/b3lyp5_second.inc"
#define XC_UNIT_WIDE 0
#include "solvers/xc/xc_cpu_unit.inc"

const tsl_xc_cpu_unit tsl_xc_b3lyp5_cpu = {
    .body = {
#ifdef XC_BY_POINT
             {{{xc_b3lyp5_u0_run, 1},
              {xc_b3lyp5_u1_run, 1},
              {xc_b3lyp5_u2_run, 1},
              {xc_b3lyp5_u2_third, 1}},
             {{xc_b3lyp5_p0_run, 1},
              {xc_b3lyp5_p1_run, 1},
              {xc_b3lyp5_p2_run, 1},
              {xc_b3lyp5_p2_third, 1}}},
#else
             {{{xc_b3lyp5_u0_run_narrow_base, 2},
              {xc_b3lyp5_u1_run_narrow_base, 2},
              {xc_b3lyp5_u2_run_narrow_base, 2},
              {xc_b3lyp5_u2_third, 1}},
             {{xc_b3lyp5_p0_run_narrow_base, 2},
              {xc_b3lyp5_p1_run_narrow_base, 2},
              {xc_b3lyp5_p2_run_narrow_base, 2},
              {xc_b3lyp5_p2_third, 1}}},
#endif
#ifdef XC_HAS_LEVELS
             {{{xc_b3lyp5_u0_run_narrow_v3, 4},
              {xc_b3lyp5_u1_run_narrow_v3, 4},
              {xc_b3lyp5_u2_run_narrow_v3, 4},
              {xc_b3lyp5_u2_third, 1}},
             {{xc_b3lyp5_p0_run_narrow_v3, 4},
              {xc_b3lyp5_p1_run_narrow_v3, 4},
              {xc_b3lyp5_p2_run_narrow_v3, 4},
              {xc_b3lyp5_p2_third, 1}}},
             {{{xc_b3lyp5_u0_run_narrow_v3, 4},
              {xc_b3lyp5_u1_run_narrow_v3, 4},
              {xc_b3lyp5_u2_run_narrow_v3, 4},
              {xc_b3lyp5_u2_third, 1}},
             {{xc_b3lyp5_p0_run_narrow_v3, 4},
              {xc_b3lyp5_p1_run_narrow_v3, 4},
              {xc_b3lyp5_p2_run_narrow_v3, 4},
              {xc_b3lyp5_p2_third, 1}}},
#endif
    }};
