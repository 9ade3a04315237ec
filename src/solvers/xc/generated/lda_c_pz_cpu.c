/* Written by tools/xcgen/xcgen from functionals/lda_c_pz.py: do not edit. */
#define XC_UNIT_FIRST "solvers/xc/generated/lda_c_pz_first.inc"
#define XC_UNIT_SECOND "solvers/xc/generated/lda_c_pz_second.inc"
#include "solvers/xc/xc_cpu_unit.inc"

const tsl_xc_cpu_unit tsl_xc_lda_c_pz_cpu = {
    .body = {{{{xc_lda_c_pz_u0_run_wide_base, 8}, {xc_lda_c_pz_u1_run_wide_base, 8}, {xc_lda_c_pz_u2_run_narrow_base, 2}},
             {{xc_lda_c_pz_p0_run_wide_base, 8}, {xc_lda_c_pz_p1_run_wide_base, 8}, {xc_lda_c_pz_p2_run_narrow_base, 2}}},
#ifdef XC_HAS_LEVELS
             {{{xc_lda_c_pz_u0_run_wide_v3, 16}, {xc_lda_c_pz_u1_run_wide_v3, 16}, {xc_lda_c_pz_u2_run_narrow_v3, 4}},
             {{xc_lda_c_pz_p0_run_wide_v3, 16}, {xc_lda_c_pz_p1_run_wide_v3, 16}, {xc_lda_c_pz_p2_run_narrow_v3, 4}}},
             {{{xc_lda_c_pz_u0_run_wide_v4, 32}, {xc_lda_c_pz_u1_run_wide_v4, 32}, {xc_lda_c_pz_u2_run_narrow_v4, 8}},
             {{xc_lda_c_pz_p0_run_wide_v4, 32}, {xc_lda_c_pz_p1_run_wide_v4, 32}, {xc_lda_c_pz_p2_run_narrow_v4, 8}}},
#endif
    }};
