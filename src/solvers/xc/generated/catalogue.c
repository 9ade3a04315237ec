/* Written by tools/xcgen/xcgen from functionals and composites.py: do not edit. */
#include "solvers/xc/xc_cpu.h"

extern const tsl_xc_unit tsl_xc_gga_c_pbe;
extern const tsl_xc_cpu_unit tsl_xc_gga_c_pbe_cpu;
extern const tsl_xc_unit tsl_xc_gga_x_pbe;
extern const tsl_xc_cpu_unit tsl_xc_gga_x_pbe_cpu;
extern const tsl_xc_unit tsl_xc_lda_c_pw;
extern const tsl_xc_cpu_unit tsl_xc_lda_c_pw_cpu;
extern const tsl_xc_unit tsl_xc_pbe;
extern const tsl_xc_cpu_unit tsl_xc_pbe_cpu;

const tsl_xc_unit *const tsl_xc_units[] = {
    &tsl_xc_gga_c_pbe,
    &tsl_xc_gga_x_pbe,
    &tsl_xc_lda_c_pw,
    &tsl_xc_pbe,
};
const int tsl_xc_unit_count = 4;

const tsl_xc_cpu_unit *const tsl_xc_cpu_units[] = {
    &tsl_xc_gga_c_pbe_cpu,
    &tsl_xc_gga_x_pbe_cpu,
    &tsl_xc_lda_c_pw_cpu,
    &tsl_xc_pbe_cpu,
};

static const double values_gga_c_apbe[] = {0.079030523241023461723, 0.031090690869654895034, 1};
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
static const double values_gga_x_bcgp[] = {0.8040, 0.249};
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

const tsl_xc_set tsl_xc_sets[] = {
    {"gga_c_apbe", 186, 0, 0, 1e-12, values_gga_c_apbe},
    {"gga_c_pbe", 130, 0, 0, 1e-12, values_gga_c_pbe},
    {"gga_c_pbe_jrgx", 138, 0, 0, 1e-12, values_gga_c_pbe_jrgx},
    {"gga_c_pbe_mol", 272, 0, 0, 1e-12, values_gga_c_pbe_mol},
    {"gga_c_pbe_sol", 133, 0, 0, 1e-12, values_gga_c_pbe_sol},
    {"gga_c_pbefe", 258, 0, 0, 1e-12, values_gga_c_pbefe},
    {"gga_c_pbeint", 62, 0, 0, 1e-12, values_gga_c_pbeint},
    {"gga_c_rge2", 143, 0, 0, 1e-12, values_gga_c_rge2},
    {"gga_c_spbe", 89, 0, 0, 1e-12, values_gga_c_spbe},
    {"gga_c_tm_pbe", 560, 0, 0, 1e-12, values_gga_c_tm_pbe},
    {"gga_c_xpbe", 136, 0, 0, 1e-12, values_gga_c_xpbe},
    {"gga_x_apbe", 184, 1, 1, 1e-15, values_gga_x_apbe},
    {"gga_x_bcgp", 38, 1, 1, 1e-15, values_gga_x_bcgp},
    {"gga_x_pbe", 101, 1, 1, 1e-15, values_gga_x_pbe},
    {"gga_x_pbe_jsjr", 126, 1, 1, 1e-15, values_gga_x_pbe_jsjr},
    {"gga_x_pbe_mol", 49, 1, 1, 1e-15, values_gga_x_pbe_mol},
    {"gga_x_pbe_r", 102, 1, 1, 1e-15, values_gga_x_pbe_r},
    {"gga_x_pbe_sol", 116, 1, 1, 1e-15, values_gga_x_pbe_sol},
    {"gga_x_pbe_tca", 59, 1, 1, 1e-15, values_gga_x_pbe_tca},
    {"gga_x_pbefe", 265, 1, 1, 1e-15, values_gga_x_pbefe},
    {"gga_x_pbek1_vdw", 140, 1, 1, 1e-15, values_gga_x_pbek1_vdw},
    {"gga_x_xpbe", 123, 1, 1, 1e-15, values_gga_x_xpbe},
    {"lda_c_pw", 12, 2, 2, 1e-15, values_lda_c_pw},
    {"lda_c_pw_mod", 13, 2, 2, 1e-15, values_lda_c_pw_mod},
};
const int tsl_xc_set_count = 24;

const tsl_xc_composite tsl_xc_composites[] = {
    {"pbe", 0, 2, {{1, "gga_x_pbe"}, {1, "gga_c_pbe"}}, 0, 0, 0},
    {"pbe0", 406, 2, {{0.75, "gga_x_pbe"}, {1, "gga_c_pbe"}}, 0.25, 0, 0},
    {"pbesol", 0, 2, {{1, "gga_x_pbe_sol"}, {1, "gga_c_pbe_sol"}}, 0, 0, 0},
    {"revpbe", 0, 2, {{1, "gga_x_pbe_r"}, {1, "gga_c_pbe"}}, 0, 0, 0},
};
const int tsl_xc_composite_count = 4;
