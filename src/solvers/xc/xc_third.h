/* Third derivatives from bodies of second order on numbers that carry a derivative. */
#ifndef TSL_XC_THIRD_H
#define TSL_XC_THIRD_H

#include <stdint.h>

/* Evaluate outputs `y` up to second order of inputs `x`, both arrays of pairs of value and
 * derivative. */
typedef void tsl_xc_dual_body(const void *c, const void *x, void *y);

/* All outputs up to third order of `points` points, as tsl_xc_body has them: the body runs once for
 * each input. */
void tsl_xc_run_third(tsl_xc_dual_body *body, int inputs, const double *c, const double *const *in,
                      double *const *out, const int64_t *step, int64_t points);

/* Third derivatives of a unit with so many inputs, in Libxc's order: of each the second derivative,
 * counted from 0, that is to be differentiated by `input`. Returns their number. */
typedef struct tsl_xc_triple {
    int pair, input;
} tsl_xc_triple;

enum { TSL_XC_TRIPLES = 84 };

int tsl_xc_list_triples(tsl_xc_triple triples[TSL_XC_TRIPLES], int inputs);

#endif
