/* What a plan holds, and which arrays a family has. */
#ifndef TSL_XC_PLAN_H
#define TSL_XC_PLAN_H

#include "solvers/xc/xc.h"

/* A unit with its constants. */
typedef struct tsl_xc_part {
    int unit;
    double values[TSL_XC_CONSTANTS]; /* of the unit's parameters */
    double constants[TSL_XC_CONSTANTS];
} tsl_xc_part;

struct tsl_xc_plan {
    tsl_context *context;
    tsl_xc_options options;
    tsl_xc_description description;
    int parts;
    tsl_xc_part *part;
    int widest;            /* the part that has all inputs */
    double *widened;       /* [inputs][TSL_XC_WIDENED], device memory; NULL: not needed */
    tsl_xc_arrays checked; /* addresses that were found to be the device's */
};

/* Has a functional of this family an array, that is, does it depend on all variables of the
 * array's? */
bool tsl_xc_depends(tsl_xc_family family, const tsl_xc_row *row);

#endif
