/* EP: what a device has to do for it. */
#ifndef TSL_NPB_EP_H
#define TSL_NPB_EP_H

#include "core/core.h"
#include "solvers/npb/ep_point.h"

/* Totals of any number of batches, as integers: sums of X, Y, |X|, |Y| in units of 2^-43, each as
 * high * 2^32 + low with partial sums in both places, then the counts of the annuli. Adding totals
 * is adding their integers, in any order. */
enum {
    TSL_EP_SUM_X,
    TSL_EP_SUM_Y,
    TSL_EP_SUM_X_ABS,
    TSL_EP_SUM_Y_ABS,
    TSL_EP_SUMS,
    TSL_EP_TOTALS = 2 * TSL_EP_SUMS + TSL_EP_ANNULI
};

/* A class of EP, and what NPB expects of it. */
typedef struct tsl_ep_class {
    char name;
    int log2_pairs;
    double sx, sy;         /* NPB 3.3; 0: it has no such class */
    double sx_abs, sy_abs; /* NPB 3.4 */
    double gaussians;
} tsl_ep_class;

/* NULL: there is no such class. */
const tsl_ep_class *tsl_ep_find_class(char name);

/* Largest relative error of signed sums against NPB 3.3; -1 where it has none. */
double tsl_ep_error_signed(const tsl_ep_class *expected, double sx, double sy);

typedef struct tsl_ep_ops {
    /* Batches that keep the device busy, all of it for about as long. */
    int64_t (*at_a_time)(tsl_context *context);
    /* Add `count` batches from number `first` on to `totals` [TSL_EP_TOTALS], in device memory;
     * asynchronous on the context's stream. */
    tsl_status (*tally)(tsl_context *context, int64_t first, int64_t count, int64_t *totals);
} tsl_ep_ops;

extern const tsl_ep_ops tsl_ep_cpu;

/* Split a sum of `terms` fixed-point numbers into the two integers of a total. */
TSL_FN void tsl_ep_split(uint64_t sum, int64_t terms, int64_t out[2])
{
    const int64_t value = (int64_t)(sum - (uint64_t)terms * TSL_EP_FIXED_ZERO);
    const int64_t low = value & INT64_C(0xffffffff);
    out[0] = (value - low) / (INT64_C(1) << 32);
    out[1] = low;
}

#endif
