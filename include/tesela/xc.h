/** @file xc.h
 *  Exchange-correlation functionals of density-functional theory, at points of a grid.
 */
#ifndef TESELA_XC_H
#define TESELA_XC_H

#include <stddef.h>
#include <stdint.h>

#include "tesela/context.h"

#ifdef __cplusplus
extern "C" {
#endif

/** A functional made ready on a context's device: its kernels are chosen and its constants
 *  worked out. */
typedef struct tsl_xc_plan tsl_xc_plan;

/** How many components the arrays of a point have, and what a functional needs of it. */
typedef enum tsl_xc_family {
    TSL_XC_LDA = 0, /**< the density */
    TSL_XC_GGA = 1, /**< and its gradient: sigma */
    TSL_XC_MGGA = 2 /**< and the kinetic energy density: tau */
} tsl_xc_family;

/** How arrays of several components a point lie in memory. */
typedef enum tsl_xc_layout {
    TSL_XC_BY_COMPONENT = 0, /**< component c of point i at [c * pitch + i] */
    TSL_XC_BY_POINT = 1      /**< at [i * components + c], as Libxc has it */
} tsl_xc_layout;

/** How to make a plan. Initialise with TSL_XC_OPTIONS_INIT.
 *
 *  Thresholds are Libxc's. A negative one leaves each component of the functional its own: of
 *  density that of Libxc 5.2.3 (1e-15 for PBE exchange, 1e-12 for PBE correlation), of sigma
 *  density^(4/3), of zeta 2.220446049250313e-16, of tau 1e-20.
 */
typedef struct tsl_xc_options {
    size_t size;              /**< sizeof(tsl_xc_options) */
    int polarised;            /**< 0: closed shell, one density; 1: two spins */
    int order;                /**< highest order of derivatives that will be asked for, 0 to 3 */
    tsl_xc_layout layout;     /**< of all arrays */
    double density_threshold; /**< electrons / bohr^3, 1e-30 to 1: a component of the functional
                                   gives zeros where the total density is less, and each spin's
                                   density is raised to it */
    double sigma_threshold;   /**< sigma is raised to the square of this; 1e-60 to 1 */
    double zeta_threshold;    /**< 1 + zeta and 1 - zeta are raised to it; 0 to 1e-3 */
    double tau_threshold;     /**< tau is raised to it; 1e-60 to 1 */
    int float_input; /**< 1: the inputs of calls are arrays of float. On devices the plan then
                          takes 8 MiB for each component of an input */
} tsl_xc_options;

#define TSL_XC_OPTIONS_INIT                                                                        \
    {                                                                                              \
        sizeof(tsl_xc_options), 0, 1, TSL_XC_BY_COMPONENT, -1, -1, -1, -1, 0                       \
    }

/** Make a plan of a functional.
 *
 *  `functional` is a name of tsl_xc_name() or Libxc's, "pbe", "gga_x_pbe" or "101", or a sum of
 *  such: "0.25*hf + 0.75*gga_x_pbe + gga_c_pbe", hf being exact exchange, which is not evaluated
 *  but told by tsl_xc_plan_describe(). Upper and lower case are the same, and a name may have
 *  hyphens for its underscores: "CAM-B3LYP" is "cam_b3lyp". Where no name has them, a hyphen is a
 *  minus: "pbe-0.25*gga_x_pbe". Parameters of a formula are set in brackets:
 *  "gga_x_ityh(omega=0.33)"; of a hybrid with range separation omega is also what
 *  tsl_xc_plan_describe() tells. Composites that have a name are one kernel, and so are sums of
 *  their parts; other sums are evaluated part by part.
 *
 *  @param[out] out      the new plan, owned by the caller: tsl_xc_plan_destroy()
 *  @param[in]  options  NULL takes the defaults
 *  @return TSL_OK; TSL_E_ARG for an unknown name (the line offers the nearest) or an option out of
 *          range; TSL_E_UNSUPPORTED for derivatives of an order that the functional or the device
 *          has not; TSL_E_NOMEM; TSL_E_DEVICE.
 */
TSL_API tsl_status tsl_xc_plan_create(tsl_xc_plan **out, tsl_context *context,
                                      const char *functional, const tsl_xc_options *options);

/** NULL is fine. Work that was queued with the plan goes on; with float_input the call may wait for
 *  it. */
TSL_API void tsl_xc_plan_destroy(tsl_xc_plan *plan);

/** What a plan evaluates, and what it leaves to its caller. */
typedef struct tsl_xc_description {
    size_t size; /**< sizeof(tsl_xc_description), set by the caller */
    tsl_xc_family family;
    int kernels;           /**< how many a call runs, one after the other */
    int parts;             /**< how many functionals are summed */
    double exact_exchange; /**< of the sum: full-range exact exchange, to be added by the caller */
    double cam_alpha;      /**< of range separation: share of exact exchange of 1/r */
    double cam_beta;       /**< share of exact exchange of erf(omega r)/r, to be added to that */
    double cam_omega;      /**< omega, 1/bohr; 0: no range separation */
    double vv10_b, vv10_c; /**< nonlocal correlation of Vydrov and Van Voorhis (2010), to be added
                                by the caller; 0: none */
} tsl_xc_description;

/** @return TSL_OK; TSL_E_ARG if out->size is not known. */
TSL_API tsl_status tsl_xc_plan_describe(const tsl_xc_plan *plan, tsl_xc_description *out);

/** Points of a group, whose energy is summed by itself. */
enum { TSL_XC_GROUP = 128 };

/** The arrays of a call, memory of the context's device (of `cpu` the host's). Initialise with
 *  TSL_XC_ARRAYS_INIT. Components of a point, closed shell / polarised:
 *
 *      rho 1 / 2 (a, b)    sigma 1 / 3 (aa, ab, bb)    tau, lapl 1 / 2
 *
 *  sigma_ab = grad rho_a . grad rho_b, tau = 1/2 sum |grad psi|^2. Derivatives are of the energy
 *  per volume, rho exc. Those of second order have Libxc's components: v2rho2 1 / 3 (aa, ab, bb),
 *  v2rhosigma 1 / 6 (a_aa, a_ab, a_bb, b_aa, b_ab, b_bb), v2rhotau 1 / 4, v2sigma2 1 / 6,
 *  v2sigmatau 1 / 6, v2tau2 1 / 3. So have those of third order: v3rho3 1 / 4 (aaa, aab, abb, bbb),
 *  v3rho2sigma 1 / 9 and so on, each the derivative of one of second order. An output that is NULL
 *  is not wanted. An output by a variable that the functional does not depend on is set to zero.
 *  Inputs that the functional does not need are not read.
 *
 *  Of a plan with float_input the inputs are rho_float and so on, and rho, sigma and tau are NULL.
 *  They are widened to double, which is exact: outputs have the bits that a plan of doubles has for
 *  the same values. Outputs are double.
 *
 *  The energy is summed while it is evaluated where `weight` and `group_energy` are given:
 *
 *      energy = sum_i weight_i rho_i exc_i
 *
 *  rho_i being the total density as it comes in. Group g is points TSL_XC_GROUP g and those after
 *  it, and its energy is at group_energy[first_group + g]; points that the last group lacks are
 *  zeros. `energy` is the sum of the first `first_group` groups' energies, which earlier calls have
 *  written, and this call's. A grid that is evaluated by several calls, each but the last of whole
 *  groups, thus has the same sum, bit by bit, as in one call.
 *
 *  Additions have one order: w rho exc is (w rho) exc; the numbers of a group are added by halves,
 *  64 to 64, then 32 to 32; groups k, k + 1024, ... are added one after the other, and these 1024
 *  sums by halves. It does not depend on the number of threads, and devices have the same. The
 *  error is at most (20 + groups / 1024) 2^-53 of the sum of |weight rho exc|, besides that of exc.
 */
typedef struct tsl_xc_arrays {
    size_t size;   /**< sizeof(tsl_xc_arrays) */
    int64_t pitch; /**< of TSL_XC_BY_COMPONENT: elements from one component to the next, at least
                        the number of points; 0: that */
    const double *rho, *sigma, *lapl, *tau;
    double *exc; /**< energy per electron */
    double *vrho, *vsigma, *vlapl, *vtau;
    double *v2rho2, *v2rhosigma, *v2rholapl, *v2rhotau, *v2sigma2, *v2sigmalapl, *v2sigmatau;
    double *v2lapl2, *v2lapltau, *v2tau2;
    double *v3rho3, *v3rho2sigma, *v3rho2lapl, *v3rho2tau, *v3rhosigma2, *v3rhosigmalapl;
    double *v3rhosigmatau, *v3rholapl2, *v3rholapltau, *v3rhotau2, *v3sigma3, *v3sigma2lapl;
    double *v3sigma2tau, *v3sigmalapl2, *v3sigmalapltau, *v3sigmatau2, *v3lapl3, *v3lapl2tau;
    double *v3lapltau2, *v3tau3;
    const float *rho_float, *sigma_float, *lapl_float, *tau_float;
    const double *weight; /**< of each point; bohr^3 where the sum is an integral over space */
    int64_t first_group;  /**< groups of earlier calls */
    double *group_energy; /**< [first_group + groups of this call]; needs exc and weight */
    double *energy;       /**< one number; needs group_energy */
} tsl_xc_arrays;

#define TSL_XC_ARRAYS_INIT                                                                         \
    {                                                                                              \
        sizeof(tsl_xc_arrays), 0, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL,      \
            NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL,    \
            NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL,    \
            NULL, NULL, NULL, NULL, NULL, NULL, 0, NULL, NULL                                      \
    }

/** Evaluate at `points` points. Queued on the context's stream; allocates nothing, copies nothing
 *  between host and device and waits for nothing, so that it can be recorded into a CUDA graph. On
 *  `cpu` it is done when it returns.
 *
 *  Thresholds act as in Libxc 5.2.3, on each component of the functional by itself: where the total
 *  density is below the threshold it gives zeros. Elsewhere each spin's density, sigma_aa, sigma_bb
 *  and tau are raised to their thresholds, sigma_aa is lowered to 8 rho_a tau_a (with tau), and
 *  |sigma_ab| to (sigma_aa + sigma_bb) / 2. Derivatives are taken at these values, by them.
 *  Exchange of a spin whose density is not above the threshold is zero. The threshold of zeta is
 *  not applied to exchange, where it is below rounding.
 *
 *  Outputs are finite for inputs from 0 to 1e5. A point whose total density is negative or NaN
 *  gives zeros. A negative density of one spin counts as its threshold, and so does a sigma_aa,
 *  sigma_bb or tau that is negative or NaN; a sigma_ab that is NaN counts as one of its bounds.
 *  Infinite inputs, and some far beyond 1e5, give NaN or infinity: tsl_xc_diagnose() finds such
 *  points.
 *
 *  Accuracy, against exact arithmetic on the same values: 1e-13 exc, 1e-12 first, 1e-10 second and
 *  1e-7 third order, relative to max(|value|, scale). The scale of exc is |exc| of the uniform
 *  gas's exchange, that of a derivative rho times this over the product of its variables. Devices
 *  differ by 2e-13 (exc) and 2e-12 (first order). Third derivatives are on the CPU alone, a point
 *  at a time: those of the second ones by the inputs as they come, so they are zero by a variable
 *  that a floor holds.
 *
 *  @param[in] arrays  inputs and outputs may not overlap
 *  @return TSL_OK; TSL_E_ARG if points < 0, the pitch is too small, an input that is needed is NULL
 *          or of the plan's other type, an output is of a higher order than the plan, no output is
 *          given, an energy lacks what it needs, or memory is not the device's: nothing is written
 *          then; TSL_E_DEVICE.
 */
TSL_API tsl_status tsl_xc_evaluate(tsl_xc_plan *plan, int64_t points, const tsl_xc_arrays *arrays);

/** A point whose outputs are not all finite, and what went in. */
typedef struct tsl_xc_suspect {
    int64_t point;
    double input[9]; /**< rho_a rho_b sigma_aa sigma_ab sigma_bb lapl_a lapl_b tau_a tau_b. Those
                          of a closed shell stand at a and aa, and the others are 0; so is each
                          whose array is NULL */
} tsl_xc_suspect;

/** The points of a call whose outputs are not all finite numbers. Waits, and copies all arrays to
 *  the host.
 *
 *  @param[in]  arrays    those of tsl_xc_evaluate()
 *  @param[out] out       the first `capacity` such points; NULL is fine if that is 0
 *  @param[out] count     how many there are
 *  @return TSL_OK; TSL_E_ARG as tsl_xc_evaluate(); TSL_E_NOMEM; TSL_E_DEVICE.
 */
TSL_API tsl_status tsl_xc_diagnose(tsl_xc_plan *plan, int64_t points, const tsl_xc_arrays *arrays,
                                   int64_t capacity, tsl_xc_suspect *out, int64_t *count);

/** Names that tsl_xc_plan_create() knows, in alphabetical order from index 0; NULL after the last.
 *  `number` gets Libxc's number, 0 where it has none; NULL is fine. */
TSL_API const char *tsl_xc_name(int index, int *number);

/** Libxc's names and numbers of functionals that are here, from index 0, in no order; NULL after
 *  the last. tsl_xc_plan_create() knows these names too. */
TSL_API const char *tsl_xc_libxc_name(int index, int *number);

#ifdef __cplusplus
}
#endif

#endif
