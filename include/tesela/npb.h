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

/** Square annuli in which EP counts deviates. */
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
    double error_absolute; /**< largest relative error of sx_abs, sy_abs and gaussians against NPB
                                3.4 */
    int verified;          /**< 1 if both errors are at most 1e-8, else 0 */
    double seconds;        /**< seconds for all pairs and for the totals on the host */
    double mops;           /**< millions of operations a second: 2^(log2_pairs + 1) / seconds /
                                10^6 */
} tsl_npb_ep;

/** EP, "embarrassingly parallel": Gaussian deviates from pairs of random numbers.
 *
 *  Draw pairs (x, y) uniformly in the square [-1, 1]^2 with the generator x <- 5^13 x mod 2^46 and
 *  the seed 271828183. Where t = x^2 + y^2 <= 1, compute the Gaussian deviates
 *
 *      X = x sqrt(-2 ln t / t),   Y = y sqrt(-2 ln t / t).
 *
 *  Sum them, and count them in square annuli.
 *
 *  @param[out] out         filled completely, also where verification fails
 *  @param[in]  size_class  'S' (2^24 pairs), 'W' (2^25), 'A' (2^28), 'B' (2^30), 'C' (2^32), 'D'
 *                          (2^36), 'E' (2^40) or 'F' (2^44)
 *  @return TSL_OK, also where verification fails; TSL_E_ARG for any other class; TSL_E_NOMEM;
 *          TSL_E_DEVICE; TSL_E_COMM.
 *
 *  Accuracy: each deviate is computed within 4 units in the last place, then rounded to a multiple
 *  of 2^-43. The sums of these are exact. Sums and counts therefore have the same bits on any
 *  device and for any number of threads and ranks. Synchronous. Collective over the context's
 *  communicator: its ranks share the batches, and all receive the result. */
TSL_API tsl_status tsl_npb_ep_run(tsl_npb_ep *out, tsl_context *context, char size_class);

/** What CG found. */
typedef struct tsl_npb_cg {
    char size_class;           /**< 'S', 'W', 'A' … 'E' */
    int iterations;            /**< timed iterations of the power method, each with 25 iterations of
                                    conjugate gradients */
    int64_t rows;              /**< rows of the matrix */
    int64_t nonzeros;          /**< entries of the matrix that was generated */
    int64_t nonzeros_expected; /**< entries that NPB gives for the class */
    double zeta;               /**< shift + 1 / x.z of the last iteration */
    double rnorm;              /**< ||x - A z|| of the last iteration */
    double error;              /**< relative error of zeta against NPB's */
    int verified;   /**< 1 if `error` is at most 1e-10 and nonzeros is as expected, else 0 */
    double setup;   /**< seconds to make the matrix, copy it to the device and run one iteration */
    double bring;   /**< seconds, part of setup: allocating device memory and copying the matrix */
    double seconds; /**< seconds for the timed iterations */
    double mops;    /**< millions of operations a second, by NPB's nominal count */
} tsl_npb_cg;

/** CG: the smallest eigenvalue of a sparse symmetric matrix with a random pattern, by the inverse
 *  power method. Each iteration solves A z = x with 25 steps of conjugate gradients. Then it sets
 *  zeta = shift + 1 / x.z and x <- z / ||z||.
 *
 *  @param[out] out         filled completely, also where verification fails
 *  @param[in]  size_class  'S' (1400 rows), 'W' (7000), 'A' (14000), 'B' (75000), 'C' (150000), 'D'
 *                          (1 500 000) or 'E' (9 000 000)
 *  @return TSL_OK, also where verification fails; TSL_E_ARG for any other class; TSL_E_NOMEM;
 *          TSL_E_DEVICE; TSL_E_UNSUPPORTED for several ranks on devices of different kinds;
 *          TSL_E_COMM.
 *
 *  Accuracy: zeta to about 1e-13. On one device zeta has the same bits in every run and for any
 *  number of threads; on the CPU also for any number of ranks. Devices differ in the order of their
 *  sums. Synchronous. Collective over the context's communicator of at most 128 ranks: each rank
 *  has some of the rows, and all receive the result. */
TSL_API tsl_status tsl_npb_cg_run(tsl_npb_cg *out, tsl_context *context, char size_class);

#ifdef __cplusplus
}
#endif

#endif
