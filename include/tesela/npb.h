/** @file npb.h
 *  Two of the NAS Parallel Benchmarks: EP and CG.
 *
 *  D. H. Bailey et al., "The NAS Parallel Benchmarks", NASA technical report RNR-94-007 (1994);
 *  classes and verification values are those of NPB 3.4 and, for EP's signed sums, NPB 3.3.
 */
#ifndef TESELA_NPB_H
#define TESELA_NPB_H

#include <stdint.h>

#include "tesela/context.h"

#ifdef __cplusplus
extern "C" {
#endif

/** Annuli that EP counts. */
enum { TSL_NPB_EP_ANNULI = 10 };

/** What EP found. */
typedef struct tsl_npb_ep {
    char size_class;                   /**< 'S', 'W', 'A' … 'F' */
    int log2_pairs;                    /**< 2^log2_pairs pairs were drawn */
    double sx;                         /**< sum of the deviates X */
    double sy;                         /**< sum of the deviates Y */
    double sx_abs;                     /**< sum of |X| */
    double sy_abs;                     /**< sum of |Y| */
    int64_t gaussians;                 /**< accepted pairs */
    int64_t counts[TSL_NPB_EP_ANNULI]; /**< deviates with l <= max(|X|, |Y|) < l + 1 */
    double error_signed;               /**< largest relative error of sx, sy against NPB 3.3;
                                            -1 where it has no values (class F) */
    double error_absolute; /**< the same of sx_abs, sy_abs and gaussians against NPB 3.4 */
    int verified;          /**< 1 if both errors are at most 1e-8, else 0 */
    double seconds;        /**< time of all pairs, totals on the host included */
    double mops;           /**< 2^(log2_pairs + 1) / seconds / 10^6 */
} tsl_npb_ep;

/** EP, "embarrassingly parallel": draw pairs (x, y) uniform in the square [-1, 1]^2 with
 *  x <- 5^13 x mod 2^46 from the seed 271828183; where t = x^2 + y^2 <= 1 make Gaussian deviates
 *  X = x sqrt(-2 ln t / t), Y = y sqrt(-2 ln t / t); sum them and count them in square annuli.
 *
 *  @param[out] out         filled whole, also where verification fails
 *  @param[in]  size_class  'S' (2^24 pairs), 'W' (2^25), 'A' (2^28), 'B' (2^30), 'C' (2^32),
 *                          'D' (2^36), 'E' (2^40) or 'F' (2^44)
 *  @return TSL_OK; TSL_E_ARG for any other class; TSL_E_NOMEM; TSL_E_DEVICE; TSL_E_COMM.
 *
 *  Accuracy: each deviate within 4 units in the last place, then rounded to 2^-43; their sums are
 *  exact, so that sums and counts are the same bits on any device and for any number of threads
 *  and ranks. Synchronous; collective over the context's communicator, whose ranks share the
 *  batches and all get the outcome. */
TSL_API tsl_status tsl_npb_ep_run(tsl_npb_ep *out, tsl_context *context, char size_class);

/** What CG found. */
typedef struct tsl_npb_cg {
    char size_class;           /**< 'S', 'W', 'A' … 'E' */
    int iterations;            /**< timed iterations of the power method, 25 inner ones each */
    int64_t rows;              /**< of the matrix */
    int64_t nonzeros;          /**< entries the generator made */
    int64_t nonzeros_expected; /**< of the class */
    double zeta;               /**< shift + 1 / x.z of the last iteration */
    double rnorm;              /**< ||x - A z|| of the last iteration */
    double error;              /**< relative error of zeta against NPB's */
    int verified;   /**< 1 if it is at most 1e-10 and the nonzeros are as expected, else 0 */
    double setup;   /**< seconds: making the matrix, bringing it to the device, one iteration */
    double bring;   /**< of these: taking device memory and bringing the matrix there */
    double seconds; /**< time of the iterations */
    double mops;    /**< 10^6 operations a second, in NPB's nominal count */
} tsl_npb_cg;

/** CG: the smallest eigenvalue of a sparse symmetric matrix with random pattern, by the inverse
 *  power method: in each iteration solve A z = x with 25 steps of conjugate gradients, then
 *  zeta = shift + 1 / x.z and x <- z / ||z||.
 *
 *  @param[out] out         filled whole, also where verification fails
 *  @param[in]  size_class  'S' (1400 rows), 'W' (7000), 'A' (14000), 'B' (75000), 'C' (150000),
 *                          'D' (1 500 000) or 'E' (9 000 000)
 *  @return TSL_OK; TSL_E_ARG for any other class; TSL_E_NOMEM; TSL_E_DEVICE; TSL_E_COMM.
 *
 *  Accuracy: zeta to some 1e-13; the same bits on one device in every run, with any number of
 *  threads, and of ranks on the CPU; devices differ in the order of their sums. Synchronous;
 *  collective over the context's communicator, of at most 128 ranks, each of which has some of the
 *  rows, and all get the outcome. TSL_E_UNSUPPORTED: several ranks on devices of different
 *  kinds. */
TSL_API tsl_status tsl_npb_cg_run(tsl_npb_cg *out, tsl_context *context, char size_class);

#ifdef __cplusplus
}
#endif

#endif
