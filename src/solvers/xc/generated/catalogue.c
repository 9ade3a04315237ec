/* Written by tools/xcgen/xcgen from functionals and composites.py: do not edit. */
#include "solvers/xc/xc_cpu.h"

extern const tsl_xc_unit tsl_xc_gga_c_lyp;
extern const tsl_xc_cpu_unit tsl_xc_gga_c_lyp_cpu;
extern const tsl_xc_unit tsl_xc_gga_c_pbe;
extern const tsl_xc_cpu_unit tsl_xc_gga_c_pbe_cpu;
extern const tsl_xc_unit tsl_xc_gga_x_b88;
extern const tsl_xc_cpu_unit tsl_xc_gga_x_b88_cpu;
extern const tsl_xc_unit tsl_xc_gga_x_pbe;
extern const tsl_xc_cpu_unit tsl_xc_gga_x_pbe_cpu;
extern const tsl_xc_unit tsl_xc_lda_c_pw;
extern const tsl_xc_cpu_unit tsl_xc_lda_c_pw_cpu;
extern const tsl_xc_unit tsl_xc_lda_c_vwn;
extern const tsl_xc_cpu_unit tsl_xc_lda_c_vwn_cpu;
extern const tsl_xc_unit tsl_xc_lda_c_vwn_rpa;
extern const tsl_xc_cpu_unit tsl_xc_lda_c_vwn_rpa_cpu;
extern const tsl_xc_unit tsl_xc_lda_x;
extern const tsl_xc_cpu_unit tsl_xc_lda_x_cpu;
extern const tsl_xc_unit tsl_xc_pbe;
extern const tsl_xc_cpu_unit tsl_xc_pbe_cpu;
extern const tsl_xc_unit tsl_xc_svwn;
extern const tsl_xc_cpu_unit tsl_xc_svwn_cpu;
extern const tsl_xc_unit tsl_xc_blyp;
extern const tsl_xc_cpu_unit tsl_xc_blyp_cpu;
extern const tsl_xc_unit tsl_xc_b3lyp;
extern const tsl_xc_cpu_unit tsl_xc_b3lyp_cpu;
extern const tsl_xc_unit tsl_xc_b3lyp5;
extern const tsl_xc_cpu_unit tsl_xc_b3lyp5_cpu;

const tsl_xc_unit *const tsl_xc_units[] = {
    &tsl_xc_gga_c_lyp,
    &tsl_xc_gga_c_pbe,
    &tsl_xc_gga_x_b88,
    &tsl_xc_gga_x_pbe,
    &tsl_xc_lda_c_pw,
    &tsl_xc_lda_c_vwn,
    &tsl_xc_lda_c_vwn_rpa,
    &tsl_xc_lda_x,
    &tsl_xc_pbe,
    &tsl_xc_svwn,
    &tsl_xc_blyp,
    &tsl_xc_b3lyp,
    &tsl_xc_b3lyp5,
};
const int tsl_xc_unit_count = 13;

const tsl_xc_cpu_unit *const tsl_xc_cpu_units[] = {
    &tsl_xc_gga_c_lyp_cpu,
    &tsl_xc_gga_c_pbe_cpu,
    &tsl_xc_gga_x_b88_cpu,
    &tsl_xc_gga_x_pbe_cpu,
    &tsl_xc_lda_c_pw_cpu,
    &tsl_xc_lda_c_vwn_cpu,
    &tsl_xc_lda_c_vwn_rpa_cpu,
    &tsl_xc_lda_x_cpu,
    &tsl_xc_pbe_cpu,
    &tsl_xc_svwn_cpu,
    &tsl_xc_blyp_cpu,
    &tsl_xc_b3lyp_cpu,
    &tsl_xc_b3lyp5_cpu,
};

static const double values_gga_c_apbe[] = {0.079030523241023461723, 0.031090690869654895034, 1};
static const double values_gga_c_lyp[] = {0.04918, 0.132, 0.2533, 0.349};
static const double values_gga_c_pbe[] = {0.06672455060314922, 0.031090690869654895034, 1};
static const double values_gga_c_pbe_jrgx[] = {0.037526364314979061530, 0.031090690869654895034, 1};
static const double values_gga_c_pbe_mol[] = {0.08384, 0.031090690869654895034, 1};
static const double values_gga_c_pbe_sol[] = {0.046, 0.031090690869654895034, 1};
static const double values_gga_c_pbefe[] = {0.043, 0.031090690869654895034, 1};
static const double values_gga_c_pbeint[] = {0.052, 0.031090690869654895034, 1};
static const double values_gga_c_rge2[] = {0.053, 0.031090690869654895034, 1};
static const double values_gga_c_spbe[] = {0.06672455060314922, 0.031090690869654895034, 0};
static const double values_gga_c_tm_pbe[] = {-0.052728, -0.0156, 1};
static const double values_gga_c_xpbe[] = {0.089809, 0.02043355766025040154, 1};
static const double values_gga_x_apbe[] = {0.8040, 0.260};
static const double values_gga_x_b88[] = {0.0042, 6.0};
static const double values_gga_x_b88_6311g[] = {0.0051, 6.0};
static const double values_gga_x_b88m[] = {0.0045, 6.0};
static const double values_gga_x_bcgp[] = {0.8040, 0.249};
static const double values_gga_x_eb88[] = {0.0039685026299204986870, 6.0};
static const double values_gga_x_mb88[] = {0.0011, 6.0};
static const double values_gga_x_optb88_vdw[] = {0.00336865923905927, 6.98131700797731};
static const double values_gga_x_pbe[] = {0.8040, 0.2195149727645171};
static const double values_gga_x_pbe_jsjr[] = {0.8040, 0.15133393415003682};
static const double values_gga_x_pbe_mol[] = {0.8040, 0.27583};
static const double values_gga_x_pbe_r[] = {1.245, 0.2195149727645171};
static const double values_gga_x_pbe_sol[] = {0.804, 0.12345679012345678};
static const double values_gga_x_pbe_tca[] = {1.227, 0.2195149727645171};
static const double values_gga_x_pbefe[] = {0.437, 0.346};
static const double values_gga_x_pbek1_vdw[] = {1.0, 0.2195149727645171};
static const double values_gga_x_xpbe[] = {0.91954, 0.23214};
static const double values_lda_c_pw[] = {1.709921, 0.031091, 0.015545, 0.016887, 0.21370, 0.20548, 0.11125, 7.5957, 3.5876, 1.6382, 0.49294, 14.1189, 6.1977, 3.3662, 0.62517, 10.357, 3.6231, 0.88026, 0.49671};
static const double values_lda_c_pw_mod[] = {1.709920934161365617563962776245, 0.0310907, 0.01554535, 0.0168869, 0.21370, 0.20548, 0.11125, 7.5957, 3.5876, 1.6382, 0.49294, 14.1189, 6.1977, 3.3662, 0.62517, 10.357, 3.6231, 0.88026, 0.49671};
static const double values_lda_c_vwn[] = {0.0310907, 3.72744, 12.9352, -0.10498, 0.01554535, 7.06042, 18.0578, -0.32500, -0.016886863940389628602, 1.13107, 13.0045, -0.0047584};
static const double values_lda_c_vwn_1[] = {0.0310907, 3.72744, 12.9352, -0.10498, 0.01554535, 7.06042, 18.0578, -0.32500};
static const double values_lda_c_vwn_rpa[] = {0.0310907, 13.0720, 42.7198, -0.409286, 0.01554535, 20.1231, 101.578, -0.743294};
static const double values_lda_x[] = {1};

const tsl_xc_set tsl_xc_sets[] = {
    {"gga_c_apbe", 186, 1, 1, 1e-12, values_gga_c_apbe},
    {"gga_c_lyp", 131, 0, 0, 1e-14, values_gga_c_lyp},
    {"gga_c_pbe", 130, 1, 1, 1e-12, values_gga_c_pbe},
    {"gga_c_pbe_jrgx", 138, 1, 1, 1e-12, values_gga_c_pbe_jrgx},
    {"gga_c_pbe_mol", 272, 1, 1, 1e-12, values_gga_c_pbe_mol},
    {"gga_c_pbe_sol", 133, 1, 1, 1e-12, values_gga_c_pbe_sol},
    {"gga_c_pbefe", 258, 1, 1, 1e-12, values_gga_c_pbefe},
    {"gga_c_pbeint", 62, 1, 1, 1e-12, values_gga_c_pbeint},
    {"gga_c_rge2", 143, 1, 1, 1e-12, values_gga_c_rge2},
    {"gga_c_spbe", 89, 1, 1, 1e-12, values_gga_c_spbe},
    {"gga_c_tm_pbe", 560, 1, 1, 1e-12, values_gga_c_tm_pbe},
    {"gga_c_xpbe", 136, 1, 1, 1e-12, values_gga_c_xpbe},
    {"gga_x_apbe", 184, 3, 3, 1e-15, values_gga_x_apbe},
    {"gga_x_b88", 106, 2, 2, 1e-15, values_gga_x_b88},
    {"gga_x_b88_6311g", 179, 2, 2, 1e-15, values_gga_x_b88_6311g},
    {"gga_x_b88m", 570, 2, 2, 1e-15, values_gga_x_b88m},
    {"gga_x_bcgp", 38, 3, 3, 1e-15, values_gga_x_bcgp},
    {"gga_x_eb88", 271, 2, 2, 1e-15, values_gga_x_eb88},
    {"gga_x_mb88", 149, 2, 2, 1e-15, values_gga_x_mb88},
    {"gga_x_optb88_vdw", 139, 2, 2, 1e-15, values_gga_x_optb88_vdw},
    {"gga_x_pbe", 101, 3, 3, 1e-15, values_gga_x_pbe},
    {"gga_x_pbe_jsjr", 126, 3, 3, 1e-15, values_gga_x_pbe_jsjr},
    {"gga_x_pbe_mol", 49, 3, 3, 1e-15, values_gga_x_pbe_mol},
    {"gga_x_pbe_r", 102, 3, 3, 1e-15, values_gga_x_pbe_r},
    {"gga_x_pbe_sol", 116, 3, 3, 1e-15, values_gga_x_pbe_sol},
    {"gga_x_pbe_tca", 59, 3, 3, 1e-15, values_gga_x_pbe_tca},
    {"gga_x_pbefe", 265, 3, 3, 1e-15, values_gga_x_pbefe},
    {"gga_x_pbek1_vdw", 140, 3, 3, 1e-15, values_gga_x_pbek1_vdw},
    {"gga_x_xpbe", 123, 3, 3, 1e-15, values_gga_x_xpbe},
    {"lda_c_pw", 12, 4, 4, 1e-15, values_lda_c_pw},
    {"lda_c_pw_mod", 13, 4, 4, 1e-15, values_lda_c_pw_mod},
    {"lda_c_vwn", 7, 5, 5, 1e-15, values_lda_c_vwn},
    {"lda_c_vwn_1", 28, 6, 6, 1e-15, values_lda_c_vwn_1},
    {"lda_c_vwn_rpa", 8, 6, 6, 1e-15, values_lda_c_vwn_rpa},
    {"lda_x", 1, 7, 7, 1e-15, values_lda_x},
};
const int tsl_xc_set_count = 35;

const tsl_xc_composite tsl_xc_composites[] = {
    {"b3lyp", 402, 4, {{0.08, "lda_x"}, {0.72, "gga_x_b88"}, {0.19, "lda_c_vwn_rpa"}, {0.81, "gga_c_lyp"}}, 0.2, 0, 0},
    {"b3lyp5", 475, 4, {{0.08, "lda_x"}, {0.72, "gga_x_b88"}, {0.19, "lda_c_vwn"}, {0.81, "gga_c_lyp"}}, 0.2, 0, 0},
    {"bhandhlyp", 436, 2, {{0.5, "gga_x_b88"}, {1, "gga_c_lyp"}}, 0.5, 0, 0},
    {"blyp", 0, 2, {{1, "gga_x_b88"}, {1, "gga_c_lyp"}}, 0, 0, 0},
    {"pbe", 0, 2, {{1, "gga_x_pbe"}, {1, "gga_c_pbe"}}, 0, 0, 0},
    {"pbe0", 406, 2, {{0.75, "gga_x_pbe"}, {1, "gga_c_pbe"}}, 0.25, 0, 0},
    {"pbesol", 0, 2, {{1, "gga_x_pbe_sol"}, {1, "gga_c_pbe_sol"}}, 0, 0, 0},
    {"revpbe", 0, 2, {{1, "gga_x_pbe_r"}, {1, "gga_c_pbe"}}, 0, 0, 0},
    {"svwn", 0, 2, {{1, "lda_x"}, {1, "lda_c_vwn"}}, 0, 0, 0},
};
const int tsl_xc_composite_count = 9;
