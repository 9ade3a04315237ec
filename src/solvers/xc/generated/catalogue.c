/* Written by tools/xcgen/xcgen from functionals and composites.py: do not edit. */
#include "solvers/xc/xc.h"
#include "solvers/xc/xc_cpu.h"

extern const tsl_xc_unit tsl_xc_gga_c_am05;
extern const tsl_xc_cpu_unit tsl_xc_gga_c_am05_cpu;
extern const tsl_xc_unit tsl_xc_gga_c_lyp;
extern const tsl_xc_cpu_unit tsl_xc_gga_c_lyp_cpu;
extern const tsl_xc_unit tsl_xc_gga_c_p86;
extern const tsl_xc_cpu_unit tsl_xc_gga_c_p86_cpu;
extern const tsl_xc_unit tsl_xc_gga_c_pbe;
extern const tsl_xc_cpu_unit tsl_xc_gga_c_pbe_cpu;
extern const tsl_xc_unit tsl_xc_gga_c_pw91;
extern const tsl_xc_cpu_unit tsl_xc_gga_c_pw91_cpu;
extern const tsl_xc_unit tsl_xc_gga_k_apbe;
extern const tsl_xc_cpu_unit tsl_xc_gga_k_apbe_cpu;
extern const tsl_xc_unit tsl_xc_gga_k_apbeint;
extern const tsl_xc_cpu_unit tsl_xc_gga_k_apbeint_cpu;
extern const tsl_xc_unit tsl_xc_gga_k_lkt;
extern const tsl_xc_cpu_unit tsl_xc_gga_k_lkt_cpu;
extern const tsl_xc_unit tsl_xc_gga_k_tfvw;
extern const tsl_xc_cpu_unit tsl_xc_gga_k_tfvw_cpu;
extern const tsl_xc_unit tsl_xc_gga_x_am05;
extern const tsl_xc_cpu_unit tsl_xc_gga_x_am05_cpu;
extern const tsl_xc_unit tsl_xc_gga_x_b86;
extern const tsl_xc_cpu_unit tsl_xc_gga_x_b86_cpu;
extern const tsl_xc_unit tsl_xc_gga_x_b88;
extern const tsl_xc_cpu_unit tsl_xc_gga_x_b88_cpu;
extern const tsl_xc_unit tsl_xc_gga_x_c09x;
extern const tsl_xc_cpu_unit tsl_xc_gga_x_c09x_cpu;
extern const tsl_xc_unit tsl_xc_gga_x_ev93;
extern const tsl_xc_cpu_unit tsl_xc_gga_x_ev93_cpu;
extern const tsl_xc_unit tsl_xc_gga_x_g96;
extern const tsl_xc_cpu_unit tsl_xc_gga_x_g96_cpu;
extern const tsl_xc_unit tsl_xc_gga_x_ityh;
extern const tsl_xc_cpu_unit tsl_xc_gga_x_ityh_cpu;
extern const tsl_xc_unit tsl_xc_gga_x_optx;
extern const tsl_xc_cpu_unit tsl_xc_gga_x_optx_cpu;
extern const tsl_xc_unit tsl_xc_gga_x_pbe;
extern const tsl_xc_cpu_unit tsl_xc_gga_x_pbe_cpu;
extern const tsl_xc_unit tsl_xc_gga_x_pbeint;
extern const tsl_xc_cpu_unit tsl_xc_gga_x_pbeint_cpu;
extern const tsl_xc_unit tsl_xc_gga_x_pw86;
extern const tsl_xc_cpu_unit tsl_xc_gga_x_pw86_cpu;
extern const tsl_xc_unit tsl_xc_gga_x_pw91;
extern const tsl_xc_cpu_unit tsl_xc_gga_x_pw91_cpu;
extern const tsl_xc_unit tsl_xc_gga_x_rge2;
extern const tsl_xc_cpu_unit tsl_xc_gga_x_rge2_cpu;
extern const tsl_xc_unit tsl_xc_gga_x_rpbe;
extern const tsl_xc_cpu_unit tsl_xc_gga_x_rpbe_cpu;
extern const tsl_xc_unit tsl_xc_gga_x_wc;
extern const tsl_xc_cpu_unit tsl_xc_gga_x_wc_cpu;
extern const tsl_xc_unit tsl_xc_gga_x_wpbeh;
extern const tsl_xc_cpu_unit tsl_xc_gga_x_wpbeh_cpu;
extern const tsl_xc_unit tsl_xc_gga_xc_b97;
extern const tsl_xc_cpu_unit tsl_xc_gga_xc_b97_cpu;
extern const tsl_xc_unit tsl_xc_hyb_gga_xc_wb97;
extern const tsl_xc_cpu_unit tsl_xc_hyb_gga_xc_wb97_cpu;
extern const tsl_xc_unit tsl_xc_lda_c_1d_csc;
extern const tsl_xc_cpu_unit tsl_xc_lda_c_1d_csc_cpu;
extern const tsl_xc_unit tsl_xc_lda_c_2d_prm;
extern const tsl_xc_cpu_unit tsl_xc_lda_c_2d_prm_cpu;
extern const tsl_xc_unit tsl_xc_lda_c_chachiyo;
extern const tsl_xc_cpu_unit tsl_xc_lda_c_chachiyo_cpu;
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
extern const tsl_xc_unit tsl_xc_lda_k_tf;
extern const tsl_xc_cpu_unit tsl_xc_lda_k_tf_cpu;
extern const tsl_xc_unit tsl_xc_lda_x;
extern const tsl_xc_cpu_unit tsl_xc_lda_x_cpu;
extern const tsl_xc_unit tsl_xc_mgga_c_bc95;
extern const tsl_xc_cpu_unit tsl_xc_mgga_c_bc95_cpu;
extern const tsl_xc_unit tsl_xc_mgga_c_m06;
extern const tsl_xc_cpu_unit tsl_xc_mgga_c_m06_cpu;
extern const tsl_xc_unit tsl_xc_mgga_c_r2scan;
extern const tsl_xc_cpu_unit tsl_xc_mgga_c_r2scan_cpu;
extern const tsl_xc_unit tsl_xc_mgga_c_revtpss;
extern const tsl_xc_cpu_unit tsl_xc_mgga_c_revtpss_cpu;
extern const tsl_xc_unit tsl_xc_mgga_c_rscan;
extern const tsl_xc_cpu_unit tsl_xc_mgga_c_rscan_cpu;
extern const tsl_xc_unit tsl_xc_mgga_c_scan;
extern const tsl_xc_cpu_unit tsl_xc_mgga_c_scan_cpu;
extern const tsl_xc_unit tsl_xc_mgga_c_tpss;
extern const tsl_xc_cpu_unit tsl_xc_mgga_c_tpss_cpu;
extern const tsl_xc_unit tsl_xc_mgga_x_m06;
extern const tsl_xc_cpu_unit tsl_xc_mgga_x_m06_cpu;
extern const tsl_xc_unit tsl_xc_mgga_x_ms;
extern const tsl_xc_cpu_unit tsl_xc_mgga_x_ms_cpu;
extern const tsl_xc_unit tsl_xc_mgga_x_mvs;
extern const tsl_xc_cpu_unit tsl_xc_mgga_x_mvs_cpu;
extern const tsl_xc_unit tsl_xc_mgga_x_r2scan;
extern const tsl_xc_cpu_unit tsl_xc_mgga_x_r2scan_cpu;
extern const tsl_xc_unit tsl_xc_mgga_x_rscan;
extern const tsl_xc_cpu_unit tsl_xc_mgga_x_rscan_cpu;
extern const tsl_xc_unit tsl_xc_mgga_x_scan;
extern const tsl_xc_cpu_unit tsl_xc_mgga_x_scan_cpu;
extern const tsl_xc_unit tsl_xc_mgga_x_tpss;
extern const tsl_xc_cpu_unit tsl_xc_mgga_x_tpss_cpu;
extern const tsl_xc_unit tsl_xc_mgga_xc_b97m_v;
extern const tsl_xc_cpu_unit tsl_xc_mgga_xc_b97m_v_cpu;
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
    &tsl_xc_gga_c_am05,
    &tsl_xc_gga_c_lyp,
    &tsl_xc_gga_c_p86,
    &tsl_xc_gga_c_pbe,
    &tsl_xc_gga_c_pw91,
    &tsl_xc_gga_k_apbe,
    &tsl_xc_gga_k_apbeint,
    &tsl_xc_gga_k_lkt,
    &tsl_xc_gga_k_tfvw,
    &tsl_xc_gga_x_am05,
    &tsl_xc_gga_x_b86,
    &tsl_xc_gga_x_b88,
    &tsl_xc_gga_x_c09x,
    &tsl_xc_gga_x_ev93,
    &tsl_xc_gga_x_g96,
    &tsl_xc_gga_x_ityh,
    &tsl_xc_gga_x_optx,
    &tsl_xc_gga_x_pbe,
    &tsl_xc_gga_x_pbeint,
    &tsl_xc_gga_x_pw86,
    &tsl_xc_gga_x_pw91,
    &tsl_xc_gga_x_rge2,
    &tsl_xc_gga_x_rpbe,
    &tsl_xc_gga_x_wc,
    &tsl_xc_gga_x_wpbeh,
    &tsl_xc_gga_xc_b97,
    &tsl_xc_hyb_gga_xc_wb97,
    &tsl_xc_lda_c_1d_csc,
    &tsl_xc_lda_c_2d_prm,
    &tsl_xc_lda_c_chachiyo,
    &tsl_xc_lda_c_pw,
    &tsl_xc_lda_c_pz,
    &tsl_xc_lda_c_vwn,
    &tsl_xc_lda_c_vwn_rpa,
    &tsl_xc_lda_c_wigner,
    &tsl_xc_lda_k_tf,
    &tsl_xc_lda_x,
    &tsl_xc_mgga_c_bc95,
    &tsl_xc_mgga_c_m06,
    &tsl_xc_mgga_c_r2scan,
    &tsl_xc_mgga_c_revtpss,
    &tsl_xc_mgga_c_rscan,
    &tsl_xc_mgga_c_scan,
    &tsl_xc_mgga_c_tpss,
    &tsl_xc_mgga_x_m06,
    &tsl_xc_mgga_x_ms,
    &tsl_xc_mgga_x_mvs,
    &tsl_xc_mgga_x_r2scan,
    &tsl_xc_mgga_x_rscan,
    &tsl_xc_mgga_x_scan,
    &tsl_xc_mgga_x_tpss,
    &tsl_xc_mgga_xc_b97m_v,
    &tsl_xc_pbe,
    &tsl_xc_svwn,
    &tsl_xc_blyp,
    &tsl_xc_b3lyp,
    &tsl_xc_tpss,
    &tsl_xc_scan,
    &tsl_xc_r2scan,
    &tsl_xc_b3lyp5,
};
const int tsl_xc_unit_count = 60;

const tsl_xc_cpu_unit *const tsl_xc_cpu_units[] = {
    &tsl_xc_gga_c_am05_cpu,
    &tsl_xc_gga_c_lyp_cpu,
    &tsl_xc_gga_c_p86_cpu,
    &tsl_xc_gga_c_pbe_cpu,
    &tsl_xc_gga_c_pw91_cpu,
    &tsl_xc_gga_k_apbe_cpu,
    &tsl_xc_gga_k_apbeint_cpu,
    &tsl_xc_gga_k_lkt_cpu,
    &tsl_xc_gga_k_tfvw_cpu,
    &tsl_xc_gga_x_am05_cpu,
    &tsl_xc_gga_x_b86_cpu,
    &tsl_xc_gga_x_b88_cpu,
    &tsl_xc_gga_x_c09x_cpu,
    &tsl_xc_gga_x_ev93_cpu,
    &tsl_xc_gga_x_g96_cpu,
    &tsl_xc_gga_x_ityh_cpu,
    &tsl_xc_gga_x_optx_cpu,
    &tsl_xc_gga_x_pbe_cpu,
    &tsl_xc_gga_x_pbeint_cpu,
    &tsl_xc_gga_x_pw86_cpu,
    &tsl_xc_gga_x_pw91_cpu,
    &tsl_xc_gga_x_rge2_cpu,
    &tsl_xc_gga_x_rpbe_cpu,
    &tsl_xc_gga_x_wc_cpu,
    &tsl_xc_gga_x_wpbeh_cpu,
    &tsl_xc_gga_xc_b97_cpu,
    &tsl_xc_hyb_gga_xc_wb97_cpu,
    &tsl_xc_lda_c_1d_csc_cpu,
    &tsl_xc_lda_c_2d_prm_cpu,
    &tsl_xc_lda_c_chachiyo_cpu,
    &tsl_xc_lda_c_pw_cpu,
    &tsl_xc_lda_c_pz_cpu,
    &tsl_xc_lda_c_vwn_cpu,
    &tsl_xc_lda_c_vwn_rpa_cpu,
    &tsl_xc_lda_c_wigner_cpu,
    &tsl_xc_lda_k_tf_cpu,
    &tsl_xc_lda_x_cpu,
    &tsl_xc_mgga_c_bc95_cpu,
    &tsl_xc_mgga_c_m06_cpu,
    &tsl_xc_mgga_c_r2scan_cpu,
    &tsl_xc_mgga_c_revtpss_cpu,
    &tsl_xc_mgga_c_rscan_cpu,
    &tsl_xc_mgga_c_scan_cpu,
    &tsl_xc_mgga_c_tpss_cpu,
    &tsl_xc_mgga_x_m06_cpu,
    &tsl_xc_mgga_x_ms_cpu,
    &tsl_xc_mgga_x_mvs_cpu,
    &tsl_xc_mgga_x_r2scan_cpu,
    &tsl_xc_mgga_x_rscan_cpu,
    &tsl_xc_mgga_x_scan_cpu,
    &tsl_xc_mgga_x_tpss_cpu,
    &tsl_xc_mgga_xc_b97m_v_cpu,
    &tsl_xc_pbe_cpu,
    &tsl_xc_svwn_cpu,
    &tsl_xc_blyp_cpu,
    &tsl_xc_b3lyp_cpu,
    &tsl_xc_tpss_cpu,
    &tsl_xc_scan_cpu,
    &tsl_xc_r2scan_cpu,
    &tsl_xc_b3lyp5_cpu,
};

static const char *const names_of_0[] = {"alpha", "gamma"};
static const char *const names_of_1[] = {"a", "b", "c", "d"};
static const char *const names_of_2[] = {"alpha", "beta", "gamma", "delta", "aa", "bb", "ftilde"};
static const char *const names_of_3[] = {"beta", "gamma", "b"};
static const char *const names_of_4[] = {"cubic"};
static const char *const names_of_5[] = {"kappa", "mu"};
static const char *const names_of_6[] = {"kappa", "alpha", "mu_pbe", "mu_ge"};
static const char *const names_of_7[] = {"a"};
static const char *const names_of_8[] = {"lambda", "gamma"};
static const char *const names_of_9[] = {"alpha", "c"};
static const char *const names_of_10[] = {"beta", "gamma", "omega"};
static const char *const names_of_11[] = {"beta", "gamma"};
static const char *const names_of_12[] = {"kappa", "mu", "alpha"};
static const char *const names_of_13[] = {"a1", "a2", "a3", "b1", "b2", "b3"};
static const char *const names_of_14[] = {"c"};
static const char *const names_of_15[] = {"omega", "beta", "gamma"};
static const char *const names_of_16[] = {"a", "b", "gamma"};
static const char *const names_of_17[] = {"kappa", "mu"};
static const char *const names_of_18[] = {"kappa", "alpha", "mu_pbe", "mu_ge"};
static const char *const names_of_19[] = {"a", "b", "c"};
static const char *const names_of_20[] = {"a", "b", "c", "d", "f", "alpha"};
static const char *const names_of_21[] = {"kappa", "mu"};
static const char *const names_of_22[] = {"kappa", "mu"};
static const char *const names_of_23[] = {"kappa", "mu"};
static const char *const names_of_24[] = {"omega"};
static const char *const names_of_25[] = {"cx0", "cx1", "cx2", "cx3", "cx4", "css0", "css1", "css2", "css3", "css4", "cos0", "cos1", "cos2", "cos3", "cos4"};
static const char *const names_of_26[] = {"cx0", "cx1", "cx2", "cx3", "cx4", "css0", "css1", "css2", "css3", "css4", "cos0", "cos1", "cos2", "cos3", "cos4", "omega"};
static const char *const names_of_27[] = {"a1", "b1", "c1", "d1", "e1", "alpha1", "beta1", "m1", "a2", "b2", "c2", "d2", "e2", "alpha2", "beta2", "m2"};
static const char *const names_of_28[] = {"electrons"};
static const char *const names_of_29[] = {"a1", "b1", "a2", "b2"};
static const char *const names_of_30[] = {"fz20", "a1", "a2", "a3", "alpha1", "alpha2", "alpha3", "beta11", "beta21", "beta31", "beta41", "beta12", "beta22", "beta32", "beta42", "beta13", "beta23", "beta33", "beta43"};
static const char *const names_of_31[] = {"gamma_1", "gamma_2", "beta1_1", "beta1_2", "beta2_1", "beta2_2", "a_1", "a_2", "b_1", "b_2", "c_1", "c_2", "d_1", "d_2"};
static const char *const names_of_32[] = {"a1", "b1", "c1", "x01", "a2", "b2", "c2", "x02", "a3", "b3", "c3", "x03"};
static const char *const names_of_33[] = {"a1", "b1", "c1", "x01", "a2", "b2", "c2", "x02"};
static const char *const names_of_34[] = {"a", "b"};
static const char *const names_of_35[] = {NULL};
static const char *const names_of_36[] = {"alpha"};
static const char *const names_of_37[] = {"css", "copp"};
static const char *const names_of_38[] = {"css0", "css1", "css2", "css3", "css4", "cab0", "cab1", "cab2", "cab3", "cab4", "dss0", "dss1", "dss2", "dss3", "dss4", "dss5", "dab0", "dab1", "dab2", "dab3", "dab4", "dab5"};
static const char *const names_of_39[] = {"eta"};
static const char *const names_of_40[] = {"d", "c0", "c1", "c2", "c3"};
static const char *const names_of_41[] = {"tau_r", "alpha_r"};
static const char *const names_of_42[] = {NULL};
static const char *const names_of_43[] = {"beta", "d", "c0", "c1", "c2", "c3"};
static const char *const names_of_44[] = {"a0", "a1", "a2", "a3", "a4", "a5", "a6", "a7", "a8", "a9", "a10", "a11", "d0", "d1", "d2", "d3", "d4", "d5"};
static const char *const names_of_45[] = {"kappa", "c", "b"};
static const char *const names_of_46[] = {"e1", "c1", "k0", "b"};
static const char *const names_of_47[] = {"c1", "c2", "d", "k1", "eta", "dp2"};
static const char *const names_of_48[] = {"c2", "d", "k1", "tau_r", "alpha_r"};
static const char *const names_of_49[] = {"c1", "c2", "d", "k1"};
static const char *const names_of_50[] = {"b", "c2", "c3", "e", "kappa", "mu"};
static const char *const names_of_51[] = {"cx00", "cx01", "cx02", "cx10", "cx11", "css00", "css02", "css10", "css32", "css42", "cos00", "cos01", "cos03", "cos10", "cos32"};
static const double values_gga_c_am05[] = {2.804, 0.8098};
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
static const double values_gga_c_pw91[] = {0.07389};
static const double values_gga_c_rge2[] = {0.053, 0.031090690869654895034, 1};
static const double values_gga_c_spbe[] = {0.06672455060314922, 0.031090690869654895034, 0};
static const double values_gga_c_tm_pbe[] = {-0.052728, -0.0156, 1};
static const double values_gga_c_xpbe[] = {0.089809, 0.02043355766025040154, 1};
static const double values_gga_k_apbe[] = {0.8040, 0.23889};
static const double values_gga_k_apbeint[] = {0.8040, 1.6666666666666667, 0.23899, 0.18518518518518517};
static const double values_gga_k_lkt[] = {1.3};
static const double values_gga_k_revapbe[] = {1.245, 0.23889};
static const double values_gga_k_revapbeint[] = {1.245, 1.6666666666666667, 0.23899, 0.18518518518518517};
static const double values_gga_k_tfvw[] = {1, 1};
static const double values_gga_k_tw1[] = {0.8209, 0.2335};
static const double values_gga_k_tw2[] = {0.6774, 0.2371};
static const double values_gga_k_tw3[] = {0.8438, 0.2319};
static const double values_gga_k_tw4[] = {0.8589, 0.2309};
static const double values_gga_k_vw[] = {1, 0};
static const double values_gga_x_am05[] = {2.804, 0.7168};
static const double values_gga_x_apbe[] = {0.8040, 0.260};
static const double values_gga_x_b86[] = {0.0038687806896395269, 0.004, 1};
static const double values_gga_x_b86_mgc[] = {0.0040299798850411735346, 0.007, 0.8};
static const double values_gga_x_b86_r[] = {0.0020315194871630319964, 0.0028556641652558783714, 0.8};
static const double values_gga_x_b88[] = {0.0042, 6.0};
static const double values_gga_x_b88_6311g[] = {0.0051, 6.0};
static const double values_gga_x_b88m[] = {0.0045, 6.0};
static const double values_gga_x_bcgp[] = {0.8040, 0.249};
static const double values_gga_x_c09x[] = {1.245, 0.0617, 0.0483};
static const double values_gga_x_eb88[] = {0.0039685026299204986870, 6.0};
static const double values_gga_x_ecmv92[] = {27.8428, 11.7683, 0, 27.5026, 5.7728, 0};
static const double values_gga_x_ev93[] = {1.647127, 0.980118, 0.017399, 1.523671, 0.367229, 0.011282};
static const double values_gga_x_g96[] = {0.0072992700729927005};
static const double values_gga_x_ityh[] = {0.2, 0.0042, 6.0};
static const double values_gga_x_lambda_ch_n[] = {0.75804666505478091829, 0.2195149727645171};
static const double values_gga_x_lambda_lo_n[] = {0.80408129556185870306, 0.2195149727645171};
static const double values_gga_x_lambda_oc2_n[] = {0.58740105196819947475, 0.2195149727645171};
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
static const double values_gga_x_pbeint[] = {0.804, 0.197, 0.2195149727645171, 0.12345679012345678};
static const double values_gga_x_pbek1_vdw[] = {1.0, 0.2195149727645171};
static const double values_gga_x_pw86[] = {1.296, 14, 0.2};
static const double values_gga_x_pw91[] = {0.19645, 7.7956, 0.2743, -0.1508, 0.004, 100};
static const double values_gga_x_rge2[] = {0.8040, 0.12345679012345678};
static const double values_gga_x_rpbe[] = {0.8040, 0.2195149727645171};
static const double values_gga_x_rpw86[] = {1.851, 17.33, 0.163};
static const double values_gga_x_wc[] = {0.8040, 0.2195149727645171};
static const double values_gga_x_wpbeh[] = {0};
static const double values_gga_x_xpbe[] = {0.91954, 0.23214};
static const double values_gga_xc_b97_d[] = {1.08662, -0.52127, 3.25429, 0, 0, 0.22340, -1.56208, 1.94293, 0, 0, 0.69041, 6.30270, -14.9712, 0, 0};
static const double values_gga_xc_hcth_120[] = {1.09163, -0.747215, 5.07833, -4.10746, 1.17173, 0.489508, -0.260699, 0.432917, -1.99247, 2.48531, 0.514730, 6.92982, -24.7073, 23.1098, -11.3234};
static const double values_gga_xc_hcth_147[] = {1.09025, -0.799194, 5.57212, -5.86760, 3.04544, 0.562576, 0.0171436, -1.30636, 1.05747, 0.885429, 0.542352, 7.01464, -28.3822, 35.0329, -20.4284};
static const double values_gga_xc_hcth_407[] = {1.08184, -0.518339, 3.42562, -2.62901, 2.28855, 1.18777, -2.40292, 5.61741, -9.17923, 6.24798, 0.589076, 4.42374, -19.2218, 42.5721, -42.0052};
static const double values_gga_xc_hcth_93[] = {1.09320, -0.744056, 5.59920, -6.78549, 4.49357, 0.222601, -0.0338622, -0.0125170, -0.802496, 1.55396, 0.729974, 3.35287, -11.5430, 8.08564, -4.47857};
static const double values_hyb_gga_xc_b97[] = {0.8094, 0.5073, 0.7481, 0, 0, 0.1737, 2.3487, -2.4868, 0, 0, 0.9454, 0.7471, -4.5961, 0, 0};
static const double values_hyb_gga_xc_b97_1[] = {0.789518, 0.573805, 0.660975, 0, 0, 0.0820011, 2.71681, -2.87103, 0, 0, 0.955689, 0.788552, -5.47869, 0, 0};
static const double values_hyb_gga_xc_b97_2[] = {0.827642, 0.047840, 1.76125, 0, 0, 0.585808, -0.691682, 0.394796, 0, 0, 0.999849, 1.40626, -7.44060, 0, 0};
static const double values_hyb_gga_xc_b97_3[] = {0.7334648, 0.2925270, 3.338789, -10.51158, 10.60907, 0.5623649, -1.322980, 6.359191, -7.464002, 1.827082, 1.133830, -2.811967, 7.431302, -1.969342, -11.74423};
static const double values_hyb_gga_xc_wb97[] = {1, 1.13116, -2.74915, 12.0900, -5.71642, 1, -2.55352, 11.8926, -26.9452, 17.0927, 1, 3.99051, -17.0066, 1.07292, 8.88211, 0.4};
static const double values_hyb_gga_xc_wb97x[] = {0.842294, 0.726479, 1.04760, -5.70635, 13.2794, 1, -4.33879, 18.2308, -31.7430, 17.2901, 1, 2.37031, -11.3995, 6.58405, -3.78132, 0.3};
static const double values_hyb_gga_xc_wb97x_d[] = {0.777964, 0.661160, 0.574541, -5.25671, 11.6386, 1, -6.90539, 31.3343, -51.0533, 26.4423, 1, 1.79413, -12.0477, 14.0847, -8.50809, 0.2};
static const double values_hyb_gga_xc_wb97x_v[] = {0.833, 0.603, 1.194, 0, 0, 0.556, -0.257, 0, 0, 0, 1.219, -1.850, 0, 0, 0, 0.3};
static const double values_hyb_mgga_x_m06_2x[] = {0.46, -0.2206052, -0.09431788, 2.164494, -2.556466, -14.22133, 15.55044, 35.98078, -27.22754, -39.24093, 15.22808, 15.22227, 0, 0, 0, 0, 0, 0};
static const double values_lda_c_1d_csc[] = {18.40, 0, 7.501, 0.10185, 0.012827, 1.511, 0.258, 4.424, 5.24, 0, 1.568, 0.12856, 0.003201, 0.0538, 0.0000156, 2.958};
static const double values_lda_c_2d_prm[] = {2};
static const double values_lda_c_chachiyo[] = {-0.01554535, 20.4562557, -0.007772675, 27.4203609};
static const double values_lda_c_pw[] = {1.709921, 0.031091, 0.015545, 0.016887, 0.21370, 0.20548, 0.11125, 7.5957, 3.5876, 1.6382, 0.49294, 14.1189, 6.1977, 3.3662, 0.62517, 10.357, 3.6231, 0.88026, 0.49671};
static const double values_lda_c_pw_mod[] = {1.709920934161365617563962776245, 0.0310907, 0.01554535, 0.0168869, 0.21370, 0.20548, 0.11125, 7.5957, 3.5876, 1.6382, 0.49294, 14.1189, 6.1977, 3.3662, 0.62517, 10.357, 3.6231, 0.88026, 0.49671};
static const double values_lda_c_pz[] = {-0.1423, -0.0843, 1.0529, 1.3981, 0.3334, 0.2611, 0.0311, 0.01555, -0.048, -0.0269, 0.0020, 0.0007, -0.0116, -0.0048};
static const double values_lda_c_pz_mod[] = {-0.1423, -0.0843, 1.0529, 1.3981, 0.3334, 0.2611, 0.0311, 0.01555, -0.048, -0.0269, 0.0020191519406228, 0.00069255121311694, -0.0116320663789130, -0.00480126353790614};
static const double values_lda_c_vwn[] = {0.0310907, 3.72744, 12.9352, -0.10498, 0.01554535, 7.06042, 18.0578, -0.32500, -0.016886863940389628602, 1.13107, 13.0045, -0.0047584};
static const double values_lda_c_vwn_1[] = {0.0310907, 3.72744, 12.9352, -0.10498, 0.01554535, 7.06042, 18.0578, -0.32500};
static const double values_lda_c_vwn_rpa[] = {0.0310907, 13.0720, 42.7198, -0.409286, 0.01554535, 20.1231, 101.578, -0.743294};
static const double values_lda_c_wigner[] = {-0.44, 7.8};
static const double values_lda_k_tf[] = {0};
static const double values_lda_x[] = {1};
static const double values_mgga_c_bc95[] = {0.038, 0.0031};
static const double values_mgga_c_m06_2x[] = {0.3097855, -5.528642, 13.47420, -32.13623, 28.46742, 0.8833596, 33.57972, -70.43548, 49.78271, -18.52891, 0.6902145, 0.09847204, 0.2214797, -0.001968264, -0.006775479, 0, 0.1166404, -0.09120847, -0.06726189, 0.0000672058, 0.0008448011, 0};
static const double values_mgga_c_m06_l[] = {0.5349466, 0.5396620, -31.61217, 51.49592, -29.19613, 0.6042374, 177.6783, -251.3252, 76.35173, -12.55699, 0.4650534, 0.1617589, 0.1833657, 0.00046921, -0.004990573, 0, 0.3957626, -0.5614546, 0.01403963, 0.0009831442, -0.003577176, 0};
static const double values_mgga_c_r2scan[] = {0.001};
static const double values_mgga_c_r2scan01[] = {0.01};
static const double values_mgga_c_revtpss[] = {2.8, 0.59, 0.9269, 0.6225, 2.1540};
static const double values_mgga_c_rscan[] = {0.0001, 0.001};
static const double values_mgga_c_scan[] = {0};
static const double values_mgga_c_tpss[] = {0.06672455060314922, 2.8, 0.53, 0.87, 0.50, 2.26};
static const double values_mgga_x_m06_l[] = {0.3987756, 0.2548219, 0.3923994, -2.103655, -6.302147, 10.97615, 30.97273, -23.18489, -56.73480, 21.60364, 34.21814, -9.049762, 0.6012244, 0.004748822, -0.008635108, -0.000009308062, 0.00004482811, 0};
static const double values_mgga_x_modtpss[] = {0.40, 1.38496, 0, 1.37, 0.804, 0.252};
static const double values_mgga_x_ms0[] = {0.29, 0.28771, 1.0};
static const double values_mgga_x_ms1[] = {0.404, 0.18150, 1.0};
static const double values_mgga_x_ms2[] = {0.504, 0.14601, 4.0};
static const double values_mgga_x_mvs[] = {-1.6665, 0.7438, 0.174, 0.0233};
static const double values_mgga_x_r2scan[] = {0.667, 0.8, 1.24, 0.065, 0.001, 0.361};
static const double values_mgga_x_r2scan01[] = {0.667, 0.8, 1.24, 0.065, 0.01, 0.361};
static const double values_mgga_x_revtpss[] = {0.40, 0, 2.35203946, 2.16769874, 0.804, 0.14};
static const double values_mgga_x_rscan[] = {0.8, 1.24, 0.065, 0.0001, 0.001};
static const double values_mgga_x_scan[] = {0.667, 0.8, 1.24, 0.065};
static const double values_mgga_x_tpss[] = {0.40, 1.59096, 0, 1.537, 0.8040, 0.21951};
static const double values_mgga_xc_b97m_v[] = {1, 1.308, 1.901, 0.416, 3.070, 1, -1.855, -5.668, -20.497, -20.364, 1, 1.573, -6.298, 2.535, -6.427};

const tsl_xc_set tsl_xc_sets[] = {
    {"gga_c_am05", 135, 0, 0, 1e-14, 2, names_of_0, values_gga_c_am05, 0, 0, 0, 0, 0},
    {"gga_c_apbe", 186, 3, 3, 1e-12, 3, names_of_3, values_gga_c_apbe, 0, 0, 0, 0, 0},
    {"gga_c_lyp", 131, 1, 1, 1e-14, 4, names_of_1, values_gga_c_lyp, 0, 0, 0, 0, 0},
    {"gga_c_p86", 132, 2, 2, 1e-15, 7, names_of_2, values_gga_c_p86, 0, 0, 0, 0, 0},
    {"gga_c_p86_ft", 217, 2, 2, 1e-15, 7, names_of_2, values_gga_c_p86_ft, 0, 0, 0, 0, 0},
    {"gga_c_pbe", 130, 3, 3, 1e-12, 3, names_of_3, values_gga_c_pbe, 0, 0, 0, 0, 0},
    {"gga_c_pbe_jrgx", 138, 3, 3, 1e-12, 3, names_of_3, values_gga_c_pbe_jrgx, 0, 0, 0, 0, 0},
    {"gga_c_pbe_mol", 272, 3, 3, 1e-12, 3, names_of_3, values_gga_c_pbe_mol, 0, 0, 0, 0, 0},
    {"gga_c_pbe_sol", 133, 3, 3, 1e-12, 3, names_of_3, values_gga_c_pbe_sol, 0, 0, 0, 0, 0},
    {"gga_c_pbefe", 258, 3, 3, 1e-12, 3, names_of_3, values_gga_c_pbefe, 0, 0, 0, 0, 0},
    {"gga_c_pbeint", 62, 3, 3, 1e-12, 3, names_of_3, values_gga_c_pbeint, 0, 0, 0, 0, 0},
    {"gga_c_pw91", 134, 4, 4, 1e-12, 1, names_of_4, values_gga_c_pw91, 0, 0, 0, 0, 0},
    {"gga_c_rge2", 143, 3, 3, 1e-12, 3, names_of_3, values_gga_c_rge2, 0, 0, 0, 0, 0},
    {"gga_c_spbe", 89, 3, 3, 1e-12, 3, names_of_3, values_gga_c_spbe, 0, 0, 0, 0, 0},
    {"gga_c_tm_pbe", 560, 3, 3, 1e-12, 3, names_of_3, values_gga_c_tm_pbe, 0, 0, 0, 0, 0},
    {"gga_c_xpbe", 136, 3, 3, 1e-12, 3, names_of_3, values_gga_c_xpbe, 0, 0, 0, 0, 0},
    {"gga_k_apbe", 185, 5, 5, 1e-15, 2, names_of_5, values_gga_k_apbe, 0, 0, 0, 0, 0},
    {"gga_k_apbeint", 54, 6, 6, 1e-15, 4, names_of_6, values_gga_k_apbeint, 0, 0, 0, 0, 0},
    {"gga_k_lkt", 613, 7, 7, 1e-15, 1, names_of_7, values_gga_k_lkt, 0, 0, 0, 0, 0},
    {"gga_k_revapbe", 55, 5, 5, 1e-15, 2, names_of_5, values_gga_k_revapbe, 0, 0, 0, 0, 0},
    {"gga_k_revapbeint", 53, 6, 6, 1e-15, 4, names_of_6, values_gga_k_revapbeint, 0, 0, 0, 0, 0},
    {"gga_k_tfvw", 52, 8, 8, 1e-15, 2, names_of_8, values_gga_k_tfvw, 0, 0, 0, 0, 0},
    {"gga_k_tw1", 187, 5, 5, 1e-15, 2, names_of_5, values_gga_k_tw1, 0, 0, 0, 0, 0},
    {"gga_k_tw2", 188, 5, 5, 1e-15, 2, names_of_5, values_gga_k_tw2, 0, 0, 0, 0, 0},
    {"gga_k_tw3", 189, 5, 5, 1e-15, 2, names_of_5, values_gga_k_tw3, 0, 0, 0, 0, 0},
    {"gga_k_tw4", 190, 5, 5, 1e-15, 2, names_of_5, values_gga_k_tw4, 0, 0, 0, 0, 0},
    {"gga_k_vw", 500, 8, 8, 1e-15, 2, names_of_8, values_gga_k_vw, 0, 0, 0, 0, 0},
    {"gga_x_am05", 120, 9, 9, 1e-15, 2, names_of_9, values_gga_x_am05, 0, 0, 0, 0, 0},
    {"gga_x_apbe", 184, 17, 17, 1e-15, 2, names_of_17, values_gga_x_apbe, 0, 0, 0, 0, 0},
    {"gga_x_b86", 103, 10, 10, 1e-15, 3, names_of_10, values_gga_x_b86, 0, 0, 0, 0, 0},
    {"gga_x_b86_mgc", 105, 10, 10, 1e-15, 3, names_of_10, values_gga_x_b86_mgc, 0, 0, 0, 0, 0},
    {"gga_x_b86_r", 41, 10, 10, 1e-15, 3, names_of_10, values_gga_x_b86_r, 0, 0, 0, 0, 0},
    {"gga_x_b88", 106, 11, 11, 1e-15, 2, names_of_11, values_gga_x_b88, 0, 0, 0, 0, 0},
    {"gga_x_b88_6311g", 179, 11, 11, 1e-15, 2, names_of_11, values_gga_x_b88_6311g, 0, 0, 0, 0, 0},
    {"gga_x_b88m", 570, 11, 11, 1e-15, 2, names_of_11, values_gga_x_b88m, 0, 0, 0, 0, 0},
    {"gga_x_bcgp", 38, 17, 17, 1e-15, 2, names_of_17, values_gga_x_bcgp, 0, 0, 0, 0, 0},
    {"gga_x_c09x", 158, 12, 12, 1e-15, 3, names_of_12, values_gga_x_c09x, 0, 0, 0, 0, 0},
    {"gga_x_eb88", 271, 11, 11, 1e-15, 2, names_of_11, values_gga_x_eb88, 0, 0, 0, 0, 0},
    {"gga_x_ecmv92", 215, 13, 13, 1e-15, 6, names_of_13, values_gga_x_ecmv92, 0, 0, 0, 0, 0},
    {"gga_x_ev93", 35, 13, 13, 1e-15, 6, names_of_13, values_gga_x_ev93, 0, 0, 0, 0, 0},
    {"gga_x_g96", 107, 14, 14, 1e-15, 1, names_of_14, values_gga_x_g96, 0, 0, 0, 0, 0},
    {"gga_x_ityh", 529, 15, 15, 1e-14, 3, names_of_15, values_gga_x_ityh, 0, 0, 0, 0, 0},
    {"gga_x_lambda_ch_n", 44, 17, 17, 1e-15, 2, names_of_17, values_gga_x_lambda_ch_n, 0, 0, 0, 0, 0},
    {"gga_x_lambda_lo_n", 45, 17, 17, 1e-15, 2, names_of_17, values_gga_x_lambda_lo_n, 0, 0, 0, 0, 0},
    {"gga_x_lambda_oc2_n", 40, 17, 17, 1e-15, 2, names_of_17, values_gga_x_lambda_oc2_n, 0, 0, 0, 0, 0},
    {"gga_x_mb88", 149, 11, 11, 1e-15, 2, names_of_11, values_gga_x_mb88, 0, 0, 0, 0, 0},
    {"gga_x_optb88_vdw", 139, 11, 11, 1e-15, 2, names_of_11, values_gga_x_optb88_vdw, 0, 0, 0, 0, 0},
    {"gga_x_optx", 110, 16, 16, 1e-15, 3, names_of_16, values_gga_x_optx, 0, 0, 0, 0, 0},
    {"gga_x_pbe", 101, 17, 17, 1e-15, 2, names_of_17, values_gga_x_pbe, 0, 0, 0, 0, 0},
    {"gga_x_pbe_jsjr", 126, 17, 17, 1e-15, 2, names_of_17, values_gga_x_pbe_jsjr, 0, 0, 0, 0, 0},
    {"gga_x_pbe_mol", 49, 17, 17, 1e-15, 2, names_of_17, values_gga_x_pbe_mol, 0, 0, 0, 0, 0},
    {"gga_x_pbe_r", 102, 17, 17, 1e-15, 2, names_of_17, values_gga_x_pbe_r, 0, 0, 0, 0, 0},
    {"gga_x_pbe_sol", 116, 17, 17, 1e-15, 2, names_of_17, values_gga_x_pbe_sol, 0, 0, 0, 0, 0},
    {"gga_x_pbe_tca", 59, 17, 17, 1e-15, 2, names_of_17, values_gga_x_pbe_tca, 0, 0, 0, 0, 0},
    {"gga_x_pbefe", 265, 17, 17, 1e-15, 2, names_of_17, values_gga_x_pbefe, 0, 0, 0, 0, 0},
    {"gga_x_pbeint", 60, 18, 18, 1e-12, 4, names_of_18, values_gga_x_pbeint, 0, 0, 0, 0, 0},
    {"gga_x_pbek1_vdw", 140, 17, 17, 1e-15, 2, names_of_17, values_gga_x_pbek1_vdw, 0, 0, 0, 0, 0},
    {"gga_x_pw86", 108, 19, 19, 1e-15, 3, names_of_19, values_gga_x_pw86, 0, 0, 0, 0, 0},
    {"gga_x_pw91", 109, 20, 20, 1e-15, 6, names_of_20, values_gga_x_pw91, 0, 0, 0, 0, 0},
    {"gga_x_rge2", 142, 21, 21, 1e-15, 2, names_of_21, values_gga_x_rge2, 0, 0, 0, 0, 0},
    {"gga_x_rpbe", 117, 22, 22, 1e-15, 2, names_of_22, values_gga_x_rpbe, 0, 0, 0, 0, 0},
    {"gga_x_rpw86", 144, 19, 19, 1e-15, 3, names_of_19, values_gga_x_rpw86, 0, 0, 0, 0, 0},
    {"gga_x_wc", 118, 23, 23, 1e-15, 2, names_of_23, values_gga_x_wc, 0, 0, 0, 0, 0},
    {"gga_x_wpbeh", 524, 24, 24, 1e-14, 1, names_of_24, values_gga_x_wpbeh, 0, 0, 0, 0, 0},
    {"gga_x_xpbe", 123, 17, 17, 1e-15, 2, names_of_17, values_gga_x_xpbe, 0, 0, 0, 0, 0},
    {"gga_xc_b97_d", 170, 25, 25, 1e-14, 15, names_of_25, values_gga_xc_b97_d, 0, 0, 0, 0, 0},
    {"gga_xc_hcth_120", 162, 25, 25, 1e-14, 15, names_of_25, values_gga_xc_hcth_120, 0, 0, 0, 0, 0},
    {"gga_xc_hcth_147", 163, 25, 25, 1e-14, 15, names_of_25, values_gga_xc_hcth_147, 0, 0, 0, 0, 0},
    {"gga_xc_hcth_407", 164, 25, 25, 1e-14, 15, names_of_25, values_gga_xc_hcth_407, 0, 0, 0, 0, 0},
    {"gga_xc_hcth_93", 161, 25, 25, 1e-14, 15, names_of_25, values_gga_xc_hcth_93, 0, 0, 0, 0, 0},
    {"hyb_gga_xc_b97", 407, 25, 25, 1e-14, 15, names_of_25, values_hyb_gga_xc_b97, 0.1943, 0, 0, 0, 0},
    {"hyb_gga_xc_b97_1", 408, 25, 25, 1e-14, 15, names_of_25, values_hyb_gga_xc_b97_1, 0.21, 0, 0, 0, 0},
    {"hyb_gga_xc_b97_2", 410, 25, 25, 1e-14, 15, names_of_25, values_hyb_gga_xc_b97_2, 0.21, 0, 0, 0, 0},
    {"hyb_gga_xc_b97_3", 414, 25, 25, 1e-14, 15, names_of_25, values_hyb_gga_xc_b97_3, 0.269288, 0, 0, 0, 0},
    {"hyb_gga_xc_wb97", 463, 26, 26, 1e-14, 16, names_of_26, values_hyb_gga_xc_wb97, 0, 1, 0.4, 0, 0},
    {"hyb_gga_xc_wb97x", 464, 26, 26, 1e-14, 16, names_of_26, values_hyb_gga_xc_wb97x, 0.157706, 0.842294, 0.3, 0, 0},
    {"hyb_gga_xc_wb97x_d", 471, 26, 26, 1e-14, 16, names_of_26, values_hyb_gga_xc_wb97x_d, 0.222036, 0.777964, 0.2, 0, 0},
    {"hyb_gga_xc_wb97x_v", 466, 26, 26, 1e-14, 16, names_of_26, values_hyb_gga_xc_wb97x_v, 0.167, 0.833, 0.3, 6, 0.01},
    {"hyb_mgga_x_m06_2x", 450, 44, 44, 1e-15, 18, names_of_44, values_hyb_mgga_x_m06_2x, 0.54, 0, 0, 0, 0},
    {"lda_c_1d_csc", 18, 27, 27, 1e-25, 16, names_of_27, values_lda_c_1d_csc, 0, 0, 0, 0, 0},
    {"lda_c_2d_prm", 16, 28, 28, 1e-32, 1, names_of_28, values_lda_c_2d_prm, 0, 0, 0, 0, 0},
    {"lda_c_chachiyo", 287, 29, 29, 1e-15, 4, names_of_29, values_lda_c_chachiyo, 0, 0, 0, 0, 0},
    {"lda_c_pw", 12, 30, 30, 1e-15, 19, names_of_30, values_lda_c_pw, 0, 0, 0, 0, 0},
    {"lda_c_pw_mod", 13, 30, 30, 1e-15, 19, names_of_30, values_lda_c_pw_mod, 0, 0, 0, 0, 0},
    {"lda_c_pz", 9, 31, 31, 1e-15, 14, names_of_31, values_lda_c_pz, 0, 0, 0, 0, 0},
    {"lda_c_pz_mod", 10, 31, 31, 1e-15, 14, names_of_31, values_lda_c_pz_mod, 0, 0, 0, 0, 0},
    {"lda_c_vwn", 7, 32, 32, 1e-15, 12, names_of_32, values_lda_c_vwn, 0, 0, 0, 0, 0},
    {"lda_c_vwn_1", 28, 33, 33, 1e-15, 8, names_of_33, values_lda_c_vwn_1, 0, 0, 0, 0, 0},
    {"lda_c_vwn_rpa", 8, 33, 33, 1e-15, 8, names_of_33, values_lda_c_vwn_rpa, 0, 0, 0, 0, 0},
    {"lda_c_wigner", 2, 34, 34, 1e-24, 2, names_of_34, values_lda_c_wigner, 0, 0, 0, 0, 0},
    {"lda_k_tf", 50, 35, 35, 1e-15, 0, names_of_35, values_lda_k_tf, 0, 0, 0, 0, 0},
    {"lda_x", 1, 36, 36, 1e-15, 1, names_of_36, values_lda_x, 0, 0, 0, 0, 0},
    {"mgga_c_bc95", 240, 37, 37, 1e-14, 2, names_of_37, values_mgga_c_bc95, 0, 0, 0, 0, 0},
    {"mgga_c_m06_2x", 236, 38, 38, 1e-12, 22, names_of_38, values_mgga_c_m06_2x, 0, 0, 0, 0, 0},
    {"mgga_c_m06_l", 233, 38, 38, 1e-12, 22, names_of_38, values_mgga_c_m06_l, 0, 0, 0, 0, 0},
    {"mgga_c_r2scan", 498, 39, 39, 1e-15, 1, names_of_39, values_mgga_c_r2scan, 0, 0, 0, 0, 0},
    {"mgga_c_r2scan01", 642, 39, 39, 1e-15, 1, names_of_39, values_mgga_c_r2scan01, 0, 0, 0, 0, 0},
    {"mgga_c_revtpss", 241, 40, 40, 1e-13, 5, names_of_40, values_mgga_c_revtpss, 0, 0, 0, 0, 0},
    {"mgga_c_rscan", 494, 41, 41, 1e-15, 2, names_of_41, values_mgga_c_rscan, 0, 0, 0, 0, 0},
    {"mgga_c_scan", 267, 42, 42, 1e-15, 0, names_of_42, values_mgga_c_scan, 0, 0, 0, 0, 0},
    {"mgga_c_tpss", 231, 43, 43, 1e-15, 6, names_of_43, values_mgga_c_tpss, 0, 0, 0, 0, 0},
    {"mgga_x_m06_l", 203, 44, 44, 1e-15, 18, names_of_44, values_mgga_x_m06_l, 0, 0, 0, 0, 0},
    {"mgga_x_modtpss", 245, 50, 50, 1e-15, 6, names_of_50, values_mgga_x_modtpss, 0, 0, 0, 0, 0},
    {"mgga_x_ms0", 221, 45, 45, 1e-15, 3, names_of_45, values_mgga_x_ms0, 0, 0, 0, 0, 0},
    {"mgga_x_ms1", 222, 45, 45, 1e-15, 3, names_of_45, values_mgga_x_ms1, 0, 0, 0, 0, 0},
    {"mgga_x_ms2", 223, 45, 45, 1e-15, 3, names_of_45, values_mgga_x_ms2, 0, 0, 0, 0, 0},
    {"mgga_x_mvs", 257, 46, 46, 1e-15, 4, names_of_46, values_mgga_x_mvs, 0, 0, 0, 0, 0},
    {"mgga_x_r2scan", 497, 47, 47, 1e-11, 6, names_of_47, values_mgga_x_r2scan, 0, 0, 0, 0, 0},
    {"mgga_x_r2scan01", 645, 47, 47, 1e-11, 6, names_of_47, values_mgga_x_r2scan01, 0, 0, 0, 0, 0},
    {"mgga_x_revtpss", 212, 50, 50, 1e-15, 6, names_of_50, values_mgga_x_revtpss, 0, 0, 0, 0, 0},
    {"mgga_x_rscan", 493, 48, 48, 1e-11, 5, names_of_48, values_mgga_x_rscan, 0, 0, 0, 0, 0},
    {"mgga_x_scan", 263, 49, 49, 1e-15, 4, names_of_49, values_mgga_x_scan, 0, 0, 0, 0, 0},
    {"mgga_x_tpss", 202, 50, 50, 1e-15, 6, names_of_50, values_mgga_x_tpss, 0, 0, 0, 0, 0},
    {"mgga_xc_b97m_v", 254, 51, 51, 1e-15, 15, names_of_51, values_mgga_xc_b97m_v, 0, 0, 0, 6, 0.01},
};
const int tsl_xc_set_count = 114;

const tsl_xc_composite tsl_xc_composites[] = {
    {"am05", "", 0, 2, {{1, "gga_x_am05"}, {1, "gga_c_am05"}},
     0, 0, 0},
    {"b3lyp", "hyb_gga_xc_b3lyp", 402, 4, {{0.08, "lda_x"}, {0.72, "gga_x_b88"}, {0.19, "lda_c_vwn_rpa"}, {0.81, "gga_c_lyp"}},
     0.2, 0, 0},
    {"b3lyp5", "hyb_gga_xc_b3lyp5", 475, 4, {{0.08, "lda_x"}, {0.72, "gga_x_b88"}, {0.19, "lda_c_vwn"}, {0.81, "gga_c_lyp"}},
     0.2, 0, 0},
    {"bhandhlyp", "hyb_gga_xc_bhandhlyp", 436, 2, {{0.5, "gga_x_b88"}, {1, "gga_c_lyp"}},
     0.5, 0, 0},
    {"blyp", "", 0, 2, {{1, "gga_x_b88"}, {1, "gga_c_lyp"}},
     0, 0, 0},
    {"bp86", "", 0, 2, {{1, "gga_x_b88"}, {1, "gga_c_p86"}},
     0, 0, 0},
    {"cam_b3lyp", "hyb_gga_xc_cam_b3lyp", 433, 4, {{0.35, "gga_x_b88"}, {0.46, "gga_x_ityh(omega=0.33)"}, {0.19, "lda_c_vwn"}, {0.81, "gga_c_lyp"}},
     0.19, 0.46, 0.33},
    {"hse03", "hyb_gga_xc_hse03", 427, 3, {{1, "gga_x_wpbeh"}, {-0.25, "gga_x_wpbeh(omega=0.1889881574842309786)"}, {1, "gga_c_pbe"}},
     0.25, -0.25, 0.10606601717798212758},
    {"hse06", "hyb_gga_xc_hse06", 428, 3, {{1, "gga_x_wpbeh"}, {-0.25, "gga_x_wpbeh(omega=0.11)"}, {1, "gga_c_pbe"}},
     0.25, -0.25, 0.11},
    {"m06_2x", "", 0, 2, {{1, "hyb_mgga_x_m06_2x"}, {1, "mgga_c_m06_2x"}},
     0, 0, 0},
    {"m06_l", "", 0, 2, {{1, "mgga_x_m06_l"}, {1, "mgga_c_m06_l"}},
     0, 0, 0},
    {"pbe", "", 0, 2, {{1, "gga_x_pbe"}, {1, "gga_c_pbe"}},
     0, 0, 0},
    {"pbe0", "hyb_gga_xc_pbeh", 406, 2, {{0.75, "gga_x_pbe"}, {1, "gga_c_pbe"}},
     0.25, 0, 0},
    {"pbesol", "", 0, 2, {{1, "gga_x_pbe_sol"}, {1, "gga_c_pbe_sol"}},
     0, 0, 0},
    {"pw91", "", 0, 2, {{1, "gga_x_pw91"}, {1, "gga_c_pw91"}},
     0, 0, 0},
    {"r2scan", "", 0, 2, {{1, "mgga_x_r2scan"}, {1, "mgga_c_r2scan"}},
     0, 0, 0},
    {"revpbe", "", 0, 2, {{1, "gga_x_pbe_r"}, {1, "gga_c_pbe"}},
     0, 0, 0},
    {"revtpss", "", 0, 2, {{1, "mgga_x_revtpss"}, {1, "mgga_c_revtpss"}},
     0, 0, 0},
    {"rpbe", "", 0, 2, {{1, "gga_x_rpbe"}, {1, "gga_c_pbe"}},
     0, 0, 0},
    {"rscan", "", 0, 2, {{1, "mgga_x_rscan"}, {1, "mgga_c_rscan"}},
     0, 0, 0},
    {"scan", "", 0, 2, {{1, "mgga_x_scan"}, {1, "mgga_c_scan"}},
     0, 0, 0},
    {"svwn", "", 0, 2, {{1, "lda_x"}, {1, "lda_c_vwn"}},
     0, 0, 0},
    {"tpss", "", 0, 2, {{1, "mgga_x_tpss"}, {1, "mgga_c_tpss"}},
     0, 0, 0},
    {"tpssh", "hyb_mgga_xc_tpssh", 457, 2, {{0.9, "mgga_x_tpss"}, {1, "mgga_c_tpss"}},
     0.1, 0, 0},
};
const int tsl_xc_composite_count = 24;
