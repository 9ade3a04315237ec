/* Functionals that are not here, by the user's Libxc, which is opened at run time: nothing of it is
 * needed to build.
 */
#ifndef TSL_XC_LIBXC_H
#define TSL_XC_LIBXC_H

#include "solvers/xc/xc.h"

/* Complete the functional of which out->text is the name or, unless it is 0, out->number Libxc's
 * number.
 *
 * TSL_E_ARG: Libxc has none such; TSL_E_UNSUPPORTED: there is no Libxc, or the functional needs
 * screening by Yukawa's potential, or has no energy. Its family may be TSL_XC_LAPLACIAN. */
tsl_status tsl_libxc_find(tsl_xc_foreign *out, tsl_context *context);

/* The functionals of a sum that Libxc evaluates, made ready. */
typedef struct tsl_libxc tsl_libxc;

/* TSL_E_UNSUPPORTED: one of them has no derivatives of that order. */
tsl_status tsl_libxc_create(tsl_libxc **out, tsl_context *context, const tsl_xc_sum *sum,
                            int polarised, int order);
void tsl_libxc_destroy(tsl_libxc *libxc);

/* "5.2.3"; the library's own memory. */
const char *tsl_libxc_version(const tsl_libxc *libxc);

/* Add their values to `out` on the CPU, by the context's threads. `in` [inputs][points] and `out`
 * [outputs][points] have the components of a functional of `family`, in Libxc's order; it may be a
 * higher one than that of Libxc's. Points below Libxc's threshold of density
 * add nothing, and floors and clips are Libxc's own. */
void tsl_libxc_add(double *out, const tsl_libxc *libxc, const double *in, int64_t points,
                   tsl_xc_family family);

#endif
