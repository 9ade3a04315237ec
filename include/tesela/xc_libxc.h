/** @file xc_libxc.h
 *  The calls of Libxc, implemented with tesela/xc.h, for programs written for Libxc.
 *
 *  Each call is Libxc's with `tsl_lib` before its name: xc_func_init() becomes
 *  tsl_libxc_func_init(). If TSL_LIBXC_NAMES is defined before this header is included, macros give
 *  the calls Libxc's own names. The file must then not include <xc.h>. Nothing is exported: all
 *  functions are static inline, so that a program may link both libraries.
 *
 *  Arrays are in host memory and have Libxc's layout: all components of a point together.
 *  Evaluation is on the CPU. Where Libxc ends the program, these calls return: tsl_libxc_status()
 *  and tsl_libxc_error() then describe the failure. Units are Hartree atomic units, as in
 *  tesela/xc.h.
 */
#ifndef TESELA_XC_LIBXC_H
#define TESELA_XC_LIBXC_H

#include <stdlib.h>
#include <string.h>

#include "tesela/xc.h"

#ifdef __cplusplus
extern "C" {
#endif

/** A functional. Fields are private. */
typedef struct tsl_libxc_func_type {
    tsl_context *context;
    tsl_xc_plan *plan;
    tsl_xc_options options;
    int number;
    tsl_status status;
} tsl_libxc_func_type;

/** XC_UNPOLARIZED and XC_POLARIZED. */
enum { TSL_LIBXC_UNPOLARIZED = 1, TSL_LIBXC_POLARIZED = 2 };

/** TSL_OK, or the status with which the last call for this functional failed. */
static inline tsl_status tsl_libxc_status(const tsl_libxc_func_type *p)
{
    return p->status;
}

/** One line about the last failure, as tsl_last_error(). */
static inline const char *tsl_libxc_error(const tsl_libxc_func_type *p)
{
    return tsl_last_error(p->context);
}

/** Number of a functional, by its name with or without "XC_", in upper or lower case; -1 for an
 *  unknown name. */
static inline int tsl_libxc_functional_get_number(const char *name)
{
    const char *known;
    int number;
    int i;
    if ((name[0] == 'x' || name[0] == 'X') && (name[1] == 'c' || name[1] == 'C') &&
        name[2] == '_') {
        name += 3;
    }
    for (i = 0; (known = tsl_xc_libxc_name(i, &number)) != NULL; i++) {
        int k = 0;
        while (known[k] != '\0' &&
               known[k] == (name[k] >= 'A' && name[k] <= 'Z' ? name[k] - 'A' + 'a' : name[k])) {
            k++;
        }
        if (known[k] == '\0' && name[k] == '\0') {
            return number;
        }
    }
    return -1;
}

/** Name of a functional, by its number. The caller frees it. NULL for an unknown number, or if
 *  memory is exhausted. */
static inline char *tsl_libxc_functional_get_name(int number)
{
    const char *known;
    int of;
    int i;
    for (i = 0; (known = tsl_xc_libxc_name(i, &of)) != NULL; i++) {
        if (of == number) {
            char *copy = (char *)malloc(strlen(known) + 1);
            return copy != NULL ? strcpy(copy, known) : NULL;
        }
    }
    return NULL;
}

/** Allocate memory for a functional; NULL if memory is exhausted. Release it with
 *  tsl_libxc_func_free(). */
static inline tsl_libxc_func_type *tsl_libxc_func_alloc(void)
{
    return (tsl_libxc_func_type *)calloc(1, sizeof(tsl_libxc_func_type));
}

/* Make the plan anew, as thresholds now are. */
static inline int tsl_libxc_func_plan(tsl_libxc_func_type *p)
{
    char text[16];
    int n = p->number;
    int digits = 0;
    int k;
    char reversed[16];
    do {
        reversed[digits++] = (char)('0' + n % 10);
        n /= 10;
    } while (n > 0);
    for (k = 0; k < digits; k++) {
        text[k] = reversed[digits - 1 - k];
    }
    text[digits] = '\0';
    tsl_xc_plan_destroy(p->plan);
    p->plan = NULL;
    p->status = tsl_xc_plan_create(&p->plan, p->context, text, &p->options);
    return p->status == TSL_OK ? 0 : -1;
}

/** Initialise a functional. tsl_libxc_func_end() must be called even after a failure.
 *  @param[in] functional  Libxc's number
 *  @param[in] nspin       TSL_LIBXC_UNPOLARIZED or TSL_LIBXC_POLARIZED
 *  @return 0; -1 if the functional is unknown or memory is exhausted. */
static inline int tsl_libxc_func_init(tsl_libxc_func_type *p, int functional, int nspin)
{
    const tsl_xc_options options = TSL_XC_OPTIONS_INIT;
    tsl_context_options context = TSL_CONTEXT_OPTIONS_INIT;
    memset(p, 0, sizeof *p);
    context.device = "cpu";
    context.threads = 1;
    p->options = options;
    p->options.polarised = nspin == TSL_LIBXC_POLARIZED;
    p->options.order = 3;
    p->options.layout = TSL_XC_BY_POINT;
    p->number = functional;
    p->status = tsl_context_create(&p->context, &context);
    return p->status == TSL_OK && functional > 0 ? tsl_libxc_func_plan(p) : -1;
}

/** Release what tsl_libxc_func_init() took. */
static inline void tsl_libxc_func_end(tsl_libxc_func_type *p)
{
    tsl_xc_plan_destroy(p->plan);
    tsl_context_destroy(p->context);
    p->plan = NULL;
    p->context = NULL;
}

/** Release what tsl_libxc_func_alloc() took. */
static inline void tsl_libxc_func_free(tsl_libxc_func_type *p)
{
    free(p);
}

/** Set a threshold: see tsl_xc_options for its meaning, unit and range. Each call makes the plan
 *  again; tsl_libxc_status() tells whether it failed. */
static inline void tsl_libxc_func_set_dens_threshold(tsl_libxc_func_type *p, double value)
{
    p->options.density_threshold = value;
    tsl_libxc_func_plan(p);
}

static inline void tsl_libxc_func_set_sigma_threshold(tsl_libxc_func_type *p, double value)
{
    p->options.sigma_threshold = value;
    tsl_libxc_func_plan(p);
}

static inline void tsl_libxc_func_set_zeta_threshold(tsl_libxc_func_type *p, double value)
{
    p->options.zeta_threshold = value;
    tsl_libxc_func_plan(p);
}

static inline void tsl_libxc_func_set_tau_threshold(tsl_libxc_func_type *p, double value)
{
    p->options.tau_threshold = value;
    tsl_libxc_func_plan(p);
}

static inline tsl_xc_description tsl_libxc_describe(const tsl_libxc_func_type *p)
{
    tsl_xc_description about;
    memset(&about, 0, sizeof about);
    about.size = sizeof about;
    if (p->plan != NULL) {
        tsl_xc_plan_describe(p->plan, &about);
    }
    return about;
}

/** Share of exact exchange of a global hybrid functional. */
static inline double tsl_libxc_hyb_exx_coef(const tsl_libxc_func_type *p)
{
    return tsl_libxc_describe(p).exact_exchange;
}

/** Parameters of a range-separated hybrid in Libxc's convention: omega, 1/bohr; alpha, the share of
 *  exact exchange at all ranges; beta, the share added at short range. */
static inline void tsl_libxc_hyb_cam_coef(const tsl_libxc_func_type *p, double *omega,
                                          double *alpha, double *beta)
{
    const tsl_xc_description about = tsl_libxc_describe(p);
    *omega = about.cam_omega;
    *alpha = about.cam_alpha + about.cam_beta;
    *beta = about.cam_beta != 0 ? -about.cam_beta : 0;
}

/** Parameters b and C of the nonlocal correlation (VV10); 0: none. */
static inline void tsl_libxc_nlc_coef(const tsl_libxc_func_type *p, double *nlc_b, double *nlc_c)
{
    const tsl_xc_description about = tsl_libxc_describe(p);
    *nlc_b = about.vv10_b;
    *nlc_c = about.vv10_c;
}

static inline void tsl_libxc_evaluate(tsl_libxc_func_type *p, size_t np, const tsl_xc_arrays *a)
{
    if (p->plan != NULL) {
        p->status = tsl_xc_evaluate(p->plan, (int64_t)np, a);
    }
}

/** Energy per electron and derivatives at np points. The arrays have Libxc's shapes, and an output
 *  that is NULL is not computed. tsl_libxc_status() gives the status. The calls below do the same
 *  for the arrays that their names say. Synchronous. */
static inline void tsl_libxc_lda(tsl_libxc_func_type *p, size_t np, const double *rho, double *zk,
                                 double *vrho, double *v2rho2, double *v3rho3)
{
    tsl_xc_arrays a = TSL_XC_ARRAYS_INIT;
    a.rho = rho;
    a.exc = zk;
    a.vrho = vrho;
    a.v2rho2 = v2rho2;
    a.v3rho3 = v3rho3;
    tsl_libxc_evaluate(p, np, &a);
}

static inline void tsl_libxc_lda_exc(tsl_libxc_func_type *p, size_t np, const double *rho,
                                     double *zk)
{
    tsl_libxc_lda(p, np, rho, zk, NULL, NULL, NULL);
}

static inline void tsl_libxc_lda_exc_vxc(tsl_libxc_func_type *p, size_t np, const double *rho,
                                         double *zk, double *vrho)
{
    tsl_libxc_lda(p, np, rho, zk, vrho, NULL, NULL);
}

static inline void tsl_libxc_lda_exc_vxc_fxc(tsl_libxc_func_type *p, size_t np, const double *rho,
                                             double *zk, double *vrho, double *v2rho2)
{
    tsl_libxc_lda(p, np, rho, zk, vrho, v2rho2, NULL);
}

static inline void tsl_libxc_lda_vxc(tsl_libxc_func_type *p, size_t np, const double *rho,
                                     double *vrho)
{
    tsl_libxc_lda(p, np, rho, NULL, vrho, NULL, NULL);
}

static inline void tsl_libxc_lda_fxc(tsl_libxc_func_type *p, size_t np, const double *rho,
                                     double *v2rho2)
{
    tsl_libxc_lda(p, np, rho, NULL, NULL, v2rho2, NULL);
}

static inline void tsl_libxc_lda_kxc(tsl_libxc_func_type *p, size_t np, const double *rho,
                                     double *v3rho3)
{
    tsl_libxc_lda(p, np, rho, NULL, NULL, NULL, v3rho3);
}

static inline void tsl_libxc_gga_exc_vxc_fxc(tsl_libxc_func_type *p, size_t np, const double *rho,
                                             const double *sigma, double *zk, double *vrho,
                                             double *vsigma, double *v2rho2, double *v2rhosigma,
                                             double *v2sigma2)
{
    tsl_xc_arrays a = TSL_XC_ARRAYS_INIT;
    a.rho = rho;
    a.sigma = sigma;
    a.exc = zk;
    a.vrho = vrho;
    a.vsigma = vsigma;
    a.v2rho2 = v2rho2;
    a.v2rhosigma = v2rhosigma;
    a.v2sigma2 = v2sigma2;
    tsl_libxc_evaluate(p, np, &a);
}

static inline void tsl_libxc_gga_exc(tsl_libxc_func_type *p, size_t np, const double *rho,
                                     const double *sigma, double *zk)
{
    tsl_libxc_gga_exc_vxc_fxc(p, np, rho, sigma, zk, NULL, NULL, NULL, NULL, NULL);
}

static inline void tsl_libxc_gga_exc_vxc(tsl_libxc_func_type *p, size_t np, const double *rho,
                                         const double *sigma, double *zk, double *vrho,
                                         double *vsigma)
{
    tsl_libxc_gga_exc_vxc_fxc(p, np, rho, sigma, zk, vrho, vsigma, NULL, NULL, NULL);
}

static inline void tsl_libxc_gga_vxc(tsl_libxc_func_type *p, size_t np, const double *rho,
                                     const double *sigma, double *vrho, double *vsigma)
{
    tsl_libxc_gga_exc_vxc_fxc(p, np, rho, sigma, NULL, vrho, vsigma, NULL, NULL, NULL);
}

static inline void tsl_libxc_gga_fxc(tsl_libxc_func_type *p, size_t np, const double *rho,
                                     const double *sigma, double *v2rho2, double *v2rhosigma,
                                     double *v2sigma2)
{
    tsl_libxc_gga_exc_vxc_fxc(p, np, rho, sigma, NULL, NULL, NULL, v2rho2, v2rhosigma, v2sigma2);
}

static inline void tsl_libxc_gga_kxc(tsl_libxc_func_type *p, size_t np, const double *rho,
                                     const double *sigma, double *v3rho3, double *v3rho2sigma,
                                     double *v3rhosigma2, double *v3sigma3)
{
    tsl_xc_arrays a = TSL_XC_ARRAYS_INIT;
    a.rho = rho;
    a.sigma = sigma;
    a.v3rho3 = v3rho3;
    a.v3rho2sigma = v3rho2sigma;
    a.v3rhosigma2 = v3rhosigma2;
    a.v3sigma3 = v3sigma3;
    tsl_libxc_evaluate(p, np, &a);
}

static inline void tsl_libxc_mgga_exc_vxc(tsl_libxc_func_type *p, size_t np, const double *rho,
                                          const double *sigma, const double *lapl,
                                          const double *tau, double *zk, double *vrho,
                                          double *vsigma, double *vlapl, double *vtau)
{
    tsl_xc_arrays a = TSL_XC_ARRAYS_INIT;
    a.rho = rho;
    a.sigma = sigma;
    a.lapl = lapl;
    a.tau = tau;
    a.exc = zk;
    a.vrho = vrho;
    a.vsigma = vsigma;
    a.vlapl = vlapl;
    a.vtau = vtau;
    tsl_libxc_evaluate(p, np, &a);
}

static inline void tsl_libxc_mgga_exc(tsl_libxc_func_type *p, size_t np, const double *rho,
                                      const double *sigma, const double *lapl, const double *tau,
                                      double *zk)
{
    tsl_libxc_mgga_exc_vxc(p, np, rho, sigma, lapl, tau, zk, NULL, NULL, NULL, NULL);
}

static inline void tsl_libxc_mgga_vxc(tsl_libxc_func_type *p, size_t np, const double *rho,
                                      const double *sigma, const double *lapl, const double *tau,
                                      double *vrho, double *vsigma, double *vlapl, double *vtau)
{
    tsl_libxc_mgga_exc_vxc(p, np, rho, sigma, lapl, tau, NULL, vrho, vsigma, vlapl, vtau);
}

static inline void tsl_libxc_mgga_fxc(tsl_libxc_func_type *p, size_t np, const double *rho,
                                      const double *sigma, const double *lapl, const double *tau,
                                      double *v2rho2, double *v2rhosigma, double *v2rholapl,
                                      double *v2rhotau, double *v2sigma2, double *v2sigmalapl,
                                      double *v2sigmatau, double *v2lapl2, double *v2lapltau,
                                      double *v2tau2)
{
    tsl_xc_arrays a = TSL_XC_ARRAYS_INIT;
    a.rho = rho;
    a.sigma = sigma;
    a.lapl = lapl;
    a.tau = tau;
    a.v2rho2 = v2rho2;
    a.v2rhosigma = v2rhosigma;
    a.v2rholapl = v2rholapl;
    a.v2rhotau = v2rhotau;
    a.v2sigma2 = v2sigma2;
    a.v2sigmalapl = v2sigmalapl;
    a.v2sigmatau = v2sigmatau;
    a.v2lapl2 = v2lapl2;
    a.v2lapltau = v2lapltau;
    a.v2tau2 = v2tau2;
    tsl_libxc_evaluate(p, np, &a);
}

#ifdef TSL_LIBXC_NAMES
#define xc_func_type tsl_libxc_func_type
#define XC_UNPOLARIZED TSL_LIBXC_UNPOLARIZED
#define XC_POLARIZED TSL_LIBXC_POLARIZED
#define xc_functional_get_number tsl_libxc_functional_get_number
#define xc_functional_get_name tsl_libxc_functional_get_name
#define xc_func_alloc tsl_libxc_func_alloc
#define xc_func_init tsl_libxc_func_init
#define xc_func_end tsl_libxc_func_end
#define xc_func_free tsl_libxc_func_free
#define xc_func_set_dens_threshold tsl_libxc_func_set_dens_threshold
#define xc_func_set_sigma_threshold tsl_libxc_func_set_sigma_threshold
#define xc_func_set_zeta_threshold tsl_libxc_func_set_zeta_threshold
#define xc_func_set_tau_threshold tsl_libxc_func_set_tau_threshold
#define xc_hyb_exx_coef tsl_libxc_hyb_exx_coef
#define xc_hyb_cam_coef tsl_libxc_hyb_cam_coef
#define xc_nlc_coef tsl_libxc_nlc_coef
#define xc_lda tsl_libxc_lda
#define xc_lda_exc tsl_libxc_lda_exc
#define xc_lda_exc_vxc tsl_libxc_lda_exc_vxc
#define xc_lda_exc_vxc_fxc tsl_libxc_lda_exc_vxc_fxc
#define xc_lda_vxc tsl_libxc_lda_vxc
#define xc_lda_fxc tsl_libxc_lda_fxc
#define xc_lda_kxc tsl_libxc_lda_kxc
#define xc_gga_exc tsl_libxc_gga_exc
#define xc_gga_exc_vxc tsl_libxc_gga_exc_vxc
#define xc_gga_exc_vxc_fxc tsl_libxc_gga_exc_vxc_fxc
#define xc_gga_vxc tsl_libxc_gga_vxc
#define xc_gga_fxc tsl_libxc_gga_fxc
#define xc_gga_kxc tsl_libxc_gga_kxc
#define xc_mgga_exc tsl_libxc_mgga_exc
#define xc_mgga_exc_vxc tsl_libxc_mgga_exc_vxc
#define xc_mgga_vxc tsl_libxc_mgga_vxc
#define xc_mgga_fxc tsl_libxc_mgga_fxc
#endif

#ifdef __cplusplus
}
#endif

#endif
