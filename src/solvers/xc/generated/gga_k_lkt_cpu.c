/* Written by tools/xcgen/xcgen from functionals/gga_k_lkt.py: do not edit. */
#define XC_UNIT_FIRST "solvers/xc/generated/gga_k_lkt_first.inc"
#define XC_UNIT_SECOND "solvers/xc/generated/gga_k_lkt_second.inc"
#define XC_UNIT_WIDE 0
#include "solvers/xc/xc_cpu_unit.inc"

const tsl_xc_cpu_unit tsl_xc_gga_k_lkt_cpu = {
    .body = {
#ifdef XC_BY_POINT
             {{{xc_gga_k_lkt_u0_run, 1},
              {xc_gga_k_lkt_u1_run, 1},
              {xc_gga_k_lkt_u2_run, 1},
              {xc_gga_k_lkt_u2_third, 1}},
             {{xc_gga_k_lkt_p0_run, 1},
              {xc_gga_k_lkt_p1_run, 1},
              {xc_gga_k_lkt_p2_run, 1},
              {xc_gga_k_lkt_p2_third, 1}}},
#else
             {{{xc_gga_k_lkt_u0_run_narrow_base, 2},
              {xc_gga_k_lkt_u1_run_narrow_base, 2},
              {xc_gga_k_lkt_u2_run_narrow_base, 2},
              {xc_gga_k_lkt_u2_third, 1}},
             {{xc_gga_k_lkt_p0_run_narrow_base, 2},
              {xc_gga_k_lkt_p1_run_narrow_base, 2},
              {xc_gga_k_lkt_p2_run_narrow_base, 2},
              {xc_gga_k_lkt_p2_third, 1}}},
#endif
#ifdef XC_HAS_LEVELS
             {{{xc_gga_k_lkt_u0_run_narrow_v3, 4},
              {xc_gga_k_lkt_u1_run_narrow_v3, 4},
              {xc_gga_k_lkt_u2_run_narrow_v3, 4},
              {xc_gga_k_lkt_u2_third, 1}},
             {{xc_gga_k_lkt_p0_run_narrow_v3, 4},
              {xc_gga_k_lkt_p1_run_narrow_v3, 4},
              {xc_gga_k_lkt_p2_run_narrow_v3, 4},
              {xc_gga_k_lkt_p2_third, 1}}},
             {{{xc_gga_k_lkt_u0_run_narrow_v3, 4},
              {xc_gga_k_lkt_u1_run_narrow_v3, 4},
              {xc_gga_k_lkt_u2_run_narrow_v3, 4},
              {xc_gga_k_lkt_u2_third, 1}},
             {{xc_gga_k_lkt_p0_run_narrow_v3, 4},
              {xc_gga_k_lkt_p1_run_narrow_v3, 4},
              {xc_gga_k_lkt_p2_run_narrow_v3, 4},
              {xc_gga_k_lkt_p2_third, 1}}},
#endif
    }};
