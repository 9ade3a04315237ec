/* Written by tools/xcgen/xcgen from functionals and composites.py: do not edit. */
#include "solvers/xc/xc_cpu.h"

extern const tsl_xc_unit tsl_xc_gga_c_lyp;
extern const tsl_xc_cpu_unit tsl_xc_gga_c_lyp_cpu;
extern const tsl_xc_unit tsl_xc_gga_c_p86;
extern const tsl_xc_cpu_unit tsl_xc_gga_c_p86_cpu;
extern const tsl_xc_unit tsl_xc_gga_c_pbe;
extern const tsl_xc_cpu_unit tsl_xc_gga_c_pbe_cpu;
extern const tsl_xc_unit tsl_xc_gga_x_b88;
extern const tsl_xc_cpu_unit tsl_xc_gga_x_b88_cpu;
extern const tsl_xc_unit tsl_xc_gga_x_optx;
extern const tsl_xc_cpu_unit tsl_xc_gga_x_optx_cpu;
extern const tsl_xc_unit tsl_xc_gga_x_pbe;
extern const tsl_xc_cpu_unit tsl_xc_gga_x_pbe_cpu;
extern const tsl_xc_unit tsl_xc_gga_x_rge2;
extern const tsl_xc_cpu_unit tsl_xc_gga_x_rge2_cpu;
extern const tsl_xc_unit tsl_xc_gga_x_rpbe;
extern const tsl_xc_cpu_unit tsl_xc_gga_x_rpbe_cpu;
extern const tsl_xc_unit tsl_xc_gga_x_wc;
extern const tsl_xc_cpu_unit tsl_xc_gga_x_wc_cpu;
extern const tsl_xc_unit tsl_xc_lda_c_pw;
extern const tsl_xc_cpu_unit tsl_xc_lda_c_pw_cpu;
extern const tsl_xc_unit tsl_xc_lda_c_pz;
extern const tsl_xc_cpu_unit tsl_xc_lda_c_pz_cpu;
extern const tsl_xc_unit tsl_xc_lda_c_vwn;
extern const tsl_xc_cpu_unit tsl_xc_lda_c_vwn_cpu;
extern const tsl_xc_unit tsl_xc_lda_c_vwn_rpa;
extern const tsl_xc_cpu_unit tsl_xc_lda_c_vwn_rpa_cpu;
extern const tsl_xc_unit tsl_xc_lda_c_wigner;
extern const tsl_xc_cpu_unit tsl_xc_lda_c_wigner_cpu;
extern const tsl_xc_unit tsl_xc_lda_x;
extern const tsl_xc_cpu_unit tsl_xc_lda_x_cpu;
extern const tsl_xc_unit tsl_xc_mgga_c_r2scan;
extern const tsl_xc_cpu_unit tsl_xc_mgga_c_r2scan_cpu;
extern const tsl_xc_unit tsl_xc_mgga_c_scan;
extern const tsl_xc_cpu_unit tsl_xc_mgga_c_scan_cpu;
extern const tsl_xc_unit tsl_xc_mgga_c_tpss;
extern const tsl_xc_cpu_unit tsl_xc_mgga_c_tpss_cpu;
extern const tsl_xc_unit tsl_xc_mgga_x_r2scan;
extern const tsl_xc_cpu_unit tsl_xc_mgga_x_r2scan_cpu;
extern const tsl_xc_unit tsl_xc_mgga_x_scan;
extern const tsl_xc_cpu_unit tsl_xc_mgga_x_scan_cpu;
extern const tsl_xc_unit tsl_xc_mgga_x_tpss;
extern const tsl_xc_cpu_unit tsl_xc_mgga_x_tpss_cpu;
extern const tsl_xc_unit tsl_xc_pbe;
extern const tsl_xc_cpu_unit tsl_xc_pbe_cpu;
extern const tsl_xc_unit tsl_xc_svwn;
extern const tsl_xc_cpu_unit tsl_xc_svwn_cpu;
extern const tsl_xc_unit tsl_xc_blyp;
extern const tsl_xc_cpu_unit tsl_xc_blyp_cpu;
extern const tsl_xc_unit tsl_xc_b3lyp;
extern const tsl_xc_cpu_unit tsl_xc_b3lyp_cpu;
extern const tsl_xc_unit tsl_xc_tpss;
extern const tsl_xc_cpu_unit tsl_xc_tpss_cpu;
extern const tsl_xc_unit tsl_xc_scan;
extern const tsl_xc_cpu_unit tsl_xc_scan_cpu;
extern const tsl_xc_unit tsl_xc_r2scan;
extern const tsl_xc_cpu_unit tsl_xc_r2scan_cpu;
extern const tsl_xc_unit tsl_xc_b3lyp5;
extern const tsl_xc_cpu_unit tsl_xc_b3lyp5_cpu;

const tsl_xc_unit *const tsl_xc_units[] = {
    &tsl_xc_gga_c_lyp,
    &tsl_xc_gga_c_p86,
    &tsl_xc_gga_c_pbe,
    &tsl_xc_gga_x_b88,
    &tsl_xc_gga_x_optx,
    &tsl_xc_gga_x_pbe,
    &tsl_xc_gga_x_rge2,
    &tsl_xc_gga_x_rpbe,
    &tsl_xc_gga_x_wc,
    &tsl_xc_lda_c_pw,
    &tsl_xc_lda_c_pz,
    &tsl_xc_lda_c_vwn,
    &tsl_xc_lda_c_vwn_rpa,
    &tsl_xc_lda_c_wigner,
    &tsl_xc_lda_x,
    &tsl_xc_mgga_c_r2scan,
    &tsl_xc_mgga_c_scan,
    &tsl_xc_mgga_c_tpss,
    &tsl_xc_mgga_x_r2scan,
    &tsl_xc_mgga_x_scan,
    &tsl_xc_mgga_x_tpss,
    &tsl_xc_pbe,
    &tsl_xc_svwn,
    &tsl_xc_blyp,
    &tsl_xc_b3lyp,
    &tsl_xc_tpss,
    &tsl_xc_scan,
    &tsl_xc_r2scan,
    &tsl_xc_b3lyp5,
};
const int tsl_xc_unit_count = 29;

const tsl_xc_cpu_unit *const tsl_xc_cpu_units[] = {
    &tsl_xc_gga_c_lyp_cpu,
    &tsl_xc_gga_c_p86_cpu,
    &tsl_xc_gga_c_pbe_cpu,
    &tsl_xc_gga_x_b88_cpu,
    &tsl_xc_gga_x_optx_cpu,
    &tsl_xc_gga_x_pbe_cpu,
    &tsl_xc_gga_x_rge2_cpu,
    &tsl_xc_gga_x_rpbe_cpu,
    &tsl_xc_gga_x_wc_cpu,
    &tsl_xc_lda_c_pw_cpu,
    &tsl_xc_lda_c_pz_cpu,
    &tsl_xc_lda_c_vwn_cpu,
    &tsl_xc_lda_c_vwn_rpa_cpu,
    &tsl_xc_lda_c_wigner_cpu,
    &tsl_xc_lda_x_cpu,
    &tsl_xc_mgga_c_r2scan_cpu,
    &tsl_xc_mgga_c_scan_cpu,
    &tsl_xc_mgga_c_tpss_cpu,
    &tsl_xc_mgga_x_r2scan_cpu,
    &tsl_xc_mgga_x_scan_cpu,
    &tsl_xc_mgga_x_tpss_cpu,
    &tsl_xc_pbe_cpu,
    &tsl_xc_svwn_cpu,
    &tsl_xc_blyp_cpu,
    &tsl_xc_b3lyp_cpu,
    &tsl_xc_tpss_cpu,
    &tsl_xc_scan_cpu,
    &tsl_xc_r2scan_cpu,
    &tsl_xc_b3lyp5_cpu,
};

static const double values_gga_c_apbe[] = {0.079030523241023461723, 0.031090690869654895034, 1};
static const double values_gga_c_lyp[] = {0.04918, 0.132, 0.2533, 0.349};
static const double values_gga_c_p86[] = {0.023266, 7.389e-6, 8.723, 0.472, 0.001667, 0.002568, 0.19195};
static const double values_gga_c_p86_ft[] = {0.023266, 7.389e-6, 8.723, 0.472, 0.001667, 0.002568, 0.191995661673763637679};
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
static const double values_gga_x_optx[] = {1.05151, 1.43169, 0.006};
static const double values_gga_x_pbe[] = {0.8040, 0.2195149727645171};
static const double values_gga_x_pbe_jsjr[] = {0.8040, 0.15133393415003682};
static const double values_gga_x_pbe_mol[] = {0.8040, 0.27583};
static const double values_gga_x_pbe_r[] = {1.245, 0.2195149727645171};
static const double values_gga_x_pbe_sol[] = {0.804, 0.12345679012345678};
static const double values_gga_x_pbe_tca[] = {1.227, 0.2195149727645171};
static const double values_gga_x_pbefe[] = {0.437, 0.346};
static const double values_gga_x_pbek1_vdw[] = {1.0, 0.2195149727645171};
static const double values_gga_x_rge2[] = {0.8040, 0.12345679012345678};
static const double values_gga_x_rpbe[] = {0.8040, 0.2195149727645171};
static const double values_gga_x_wc[] = {0.8040, 0.2195149727645171};
static const double values_gga_x_xpbe[] = {0.91954, 0.23214};
static const double values_lda_c_pw[] = {1.709921, 0.031091, 0.015545, 0.016887, 0.21370, 0.20548, 0.11125, 7.5957, 3.5876, 1.6382, 0.49294, 14.1189, 6.1977, 3.3662, 0.62517, 10.357, 3.6231, 0.88026, 0.49671};
static const double values_lda_c_pw_mod[] = {1.709920934161365617563962776245, 0.0310907, 0.01554535, 0.0168869, 0.21370, 0.20548, 0.11125, 7.5957, 3.5876, 1.6382, 0.49294, 14.1189, 6.1977, 3.3662, 0.62517, 10.357, 3.6231, 0.88026, 0.49671};
static const double values_lda_c_pz[] = {-0.1423, -0.0843, 1.0529, 1.3981, 0.3334, 0.2611, 0.0311, 0.01555, -0.048, -0.0269, 0.0020, 0.0007, -0.0116, -0.0048};
static const double values_lda_c_pz_mod[] = {-0.1423, -0.0843, 1.0529, 1.3981, 0.3334, 0.2611, 0.0311, 0.01555, -0.048, -0.0269, 0.0020191519406228, 0.00069255121311694, -0.0116320663789130, -0.00480126353790614};
static const double values_lda_c_vwn[] = {0.0310907, 3.72744, 12.9352, -0.10498, 0.01554535, 7.06042, 18.0578, -0.32500, -0.016886863940389628602, 1.13107, 13.0045, -0.0047584};
static const double values_lda_c_vwn_1[] = {0.0310907, 3.72744, 12.9352, -0.10498, 0.01554535, 7.06042, 18.0578, -0.32500};
static const double values_lda_c_vwn_rpa[] = {0.0310907, 13.0720, 42.7198, -0.409286, 0.01554535, 20.1231, 101.578, -0.743294};
static const double values_lda_c_wigner[] = {-0.44, 7.8};
static const double values_lda_x[] = {1};
static const double values_mgga_c_r2scan[] = {0.001};
static const double values_mgga_c_r2scan01[] = {0.01};
static const double values_mgga_c_scan[] = {0};
static const double values_mgga_c_tpss[] = {0.06672455060314922, 2.8, 0.53, 0.87, 0.50, 2.26};
static const double values_mgga_x_modtpss[] = {0.40, 1.38496, 0, 1.37, 0.804, 0.252};
static const double values_mgga_x_r2scan[] = {0.667, 0.8, 1.24, 0.065, 0.001, 0.361};
static const double values_mgga_x_r2scan01[] = {0.667, 0.8, 1.24, 0.065, 0.01, 0.361};
static const double values_mgga_x_revtpss[] = {0.40, 0, 2.35203946, 2.16769874, 0.804, 0.14};
static const double values_mgga_x_scan[] = {0.667, 0.8, 1.24, 0.065};
static const double values_mgga_x_tpss[] = {0.40, 1.59096, 0, 1.537, 0.8040, 0.21951};

const tsl_xc_set tsl_xc_sets[] = {
    {"gga_c_apbe", 186, 2, 2, 1e-12, values_gga_c_apbe},
    {"gga_c_lyp", 131, 0, 0, 1e-14, values_gga_c_lyp},
    {"gga_c_p86", 132, 1, 1, 1e-15, values_gga_c_p86},
    {"gga_c_p86_ft", 217, 1, 1, 1e-15, values_gga_c_p86_ft},
    {"gga_c_pbe", 130, 2, 2, 1e-12, values_gga_c_pbe},
    {"gga_c_pbe_jrgx", 138, 2, 2, 1e-12, values_gga_c_pbe_jrgx},
    {"gga_c_pbe_mol", 272, 2, 2, 1e-12, values_gga_c_pbe_mol},
    {"gga_c_pbe_sol", 133, 2, 2, 1e-12, values_gga_c_pbe_sol},
    {"gga_c_pbefe", 258, 2, 2, 1e-12, values_gga_c_pbefe},
    {"gga_c_pbeint", 62, 2, 2, 1e-12, values_gga_c_pbeint},
    {"gga_c_rge2", 143, 2, 2, 1e-12, values_gga_c_rge2},
    {"gga_c_spbe", 89, 2, 2, 1e-12, values_gga_c_spbe},
    {"gga_c_tm_pbe", 560, 2, 2, 1e-12, values_gga_c_tm_pbe},
    {"gga_c_xpbe", 136, 2, 2, 1e-12, values_gga_c_xpbe},
    {"gga_x_apbe", 184, 5, 5, 1e-15, values_gga_x_apbe},
    {"gga_x_b88", 106, 3, 3, 1e-15, values_gga_x_b88},
    {"gga_x_b88_6311g", 179, 3, 3, 1e-15, values_gga_x_b88_6311g},
    {"gga_x_b88m", 570, 3, 3, 1e-15, values_gga_x_b88m},
    {"gga_x_bcgp", 38, 5, 5, 1e-15, values_gga_x_bcgp},
    {"gga_x_eb88", 271, 3, 3, 1e-15, values_gga_x_eb88},
    {"gga_x_mb88", 149, 3, 3, 1e-15, values_gga_x_mb88},
    {"gga_x_optb88_vdw", 139, 3, 3, 1e-15, values_gga_x_optb88_vdw},
    {"gga_x_optx", 110, 4, 4, 1e-15, values_gga_x_optx},
    {"gga_x_pbe", 101, 5, 5, 1e-15, values_gga_x_pbe},
    {"gga_x_pbe_jsjr", 126, 5, 5, 1e-15, values_gga_x_pbe_jsjr},
    {"gga_x_pbe_mol", 49, 5, 5, 1e-15, values_gga_x_pbe_mol},
    {"gga_x_pbe_r", 102, 5, 5, 1e-15, values_gga_x_pbe_r},
    {"gga_x_pbe_sol", 116, 5, 5, 1e-15, values_gga_x_pbe_sol},
    {"gga_x_pbe_tca", 59, 5, 5, 1e-15, values_gga_x_pbe_tca},
    {"gga_x_pbefe", 265, 5, 5, 1e-15, values_gga_x_pbefe},
    {"gga_x_pbek1_vdw", 140, 5, 5, 1e-15, values_gga_x_pbek1_vdw},
    {"gga_x_rge2", 142, 6, 6, 1e-15, values_gga_x_rge2},
    {"gga_x_rpbe", 117, 7, 7, 1e-15, values_gga_x_rpbe},
    {"gga_x_wc", 118, 8, 8, 1e-15, values_gga_x_wc},
    {"gga_x_xpbe", 123, 5, 5, 1e-15, values_gga_x_xpbe},
    {"lda_c_pw", 12, 9, 9, 1e-15, values_lda_c_pw},
    {"lda_c_pw_mod", 13, 9, 9, 1e-15, values_lda_c_pw_mod},
    {"lda_c_pz", 9, 10, 10, 1e-15, values_lda_c_pz},
    {"lda_c_pz_mod", 10, 10, 10, 1e-15, values_lda_c_pz_mod},
    {"lda_c_vwn", 7, 11, 11, 1e-15, values_lda_c_vwn},
    {"lda_c_vwn_1", 28, 12, 12, 1e-15, values_lda_c_vwn_1},
    {"lda_c_vwn_rpa", 8, 12, 12, 1e-15, values_lda_c_vwn_rpa},
    {"lda_c_wigner", 2, 13, 13, 1e-24, values_lda_c_wigner},
    {"lda_x", 1, 14, 14, 1e-15, values_lda_x},
    {"mgga_c_r2scan", 498, 15, 15, 1e-15, values_mgga_c_r2scan},
    {"mgga_c_r2scan01", 642, 15, 15, 1e-15, values_mgga_c_r2scan01},
    {"mgga_c_scan", 267, 16, 16, 1e-15, values_mgga_c_scan},
    {"mgga_c_tpss", 231, 17, 17, 1e-15, values_mgga_c_tpss},
    {"mgga_x_modtpss", 245, 20, 20, 1e-15, values_mgga_x_modtpss},
    {"mgga_x_r2scan", 497, 18, 18, 1e-11, values_mgga_x_r2scan},
    {"mgga_x_r2scan01", 645, 18, 18, 1e-11, values_mgga_x_r2scan01},
    {"mgga_x_revtpss", 212, 20, 20, 1e-15, values_mgga_x_revtpss},
    {"mgga_x_scan", 263, 19, 19, 1e-15, values_mgga_x_scan},
    {"mgga_x_tpss", 202, 20, 20, 1e-15, values_mgga_x_tpss},
};
const int tsl_xc_set_count = 54;

const tsl_xc_composite tsl_xc_composites[] = {
    {"b3lyp", 402, 4, {{0.08, "lda_x"}, {0.72, "gga_x_b88"}, {0.19, "lda_c_vwn_rpa"}, {0.81, "gga_c_lyp"}}, 0.2, 0, 0},
    {"b3lyp5", 475, 4, {{0.08, "lda_x"}, {0.72, "gga_x_b88"}, {0.19, "lda_c_vwn"}, {0.81, "gga_c_lyp"}}, 0.2, 0, 0},
    {"bhandhlyp", 436, 2, {{0.5, "gga_x_b88"}, {1, "gga_c_lyp"}}, 0.5, 0, 0},
    {"blyp", 0, 2, {{1, "gga_x_b88"}, {1, "gga_c_lyp"}}, 0, 0, 0},
    {"bp86", 0, 2, {{1, "gga_x_b88"}, {1, "gga_c_p86"}}, 0, 0, 0},
    {"pbe", 0, 2, {{1, "gga_x_pbe"}, {1, "gga_c_pbe"}}, 0, 0, 0},
    {"pbe0", 406, 2, {{0.75, "gga_x_pbe"}, {1, "gga_c_pbe"}}, 0.25, 0, 0},
    {"pbesol", 0, 2, {{1, "gga_x_pbe_sol"}, {1, "gga_c_pbe_sol"}}, 0, 0, 0},
    {"r2scan", 0, 2, {{1, "mgga_x_r2scan"}, {1, "mgga_c_r2scan"}}, 0, 0, 0},
    {"revpbe", 0, 2, {{1, "gga_x_pbe_r"}, {1, "gga_c_pbe"}}, 0, 0, 0},
    {"rpbe", 0, 2, {{1, "gga_x_rpbe"}, {1, "gga_c_pbe"}}, 0, 0, 0},
    {"scan", 0, 2, {{1, "mgga_x_scan"}, {1, "mgga_c_scan"}}, 0, 0, 0},
    {"svwn", 0, 2, {{1, "lda_x"}, {1, "lda_c_vwn"}}, 0, 0, 0},
    {"tpss", 0, 2, {{1, "mgga_x_tpss"}, {1, "mgga_c_tpss"}}, 0, 0, 0},
    {"tpssh", 457, 2, {{0.9, "mgga_x_tpss"}, {1, "mgga_c_tpss"}}, 0.1, 0, 0},
};
const int tsl_xc_composite_count = 15;
