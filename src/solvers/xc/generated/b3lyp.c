/* Written by tools/xcgen/xcgen from functionals/lda_x.py, functionals/gga_x_b88.py, functionals/lda_c_vwn_rpa.py, functionals/gga_c_lyp.py: do not edit. */
#include <math.h>

#include "solvers/xc/xc.h"

#define XC_REAL long double
#define XC_K(value) value##L
#define XC_NAME(name) name
#define s_pow powl
#define s_sqrt sqrtl
#define s_rcbrt(a) (1 / cbrtl(a))
#define s_exp expl
#define s_log logl
#define s_atan atanl
#define s_max fmaxl
#define s_min fminl
#include "solvers/xc/generated/b3lyp_prepare.inc"

static void prepare(const double *p, double *c)
{
    long double in[25];
    long double out[70];
    for (int i = 0; i < 25; i++) {
        in[i] = p[i];
    }
    xc_b3lyp_prepare(in, out);
    for (int i = 0; i < 70; i++) {
        c[i] = (double)out[i];
    }
}

static const tsl_xc_parameter parameters[] = {
    {TSL_XC_DENSITY, 0, 0}, /* lda_x */
    {TSL_XC_COEFFICIENT, 0, 0}, /* lda_x */
    {TSL_XC_FLOOR, 0, 0},
    {TSL_XC_VALUE, 0, 0}, /* lda_x: alpha */
    {TSL_XC_COEFFICIENT, 1, 0}, /* gga_x_b88 */
    {TSL_XC_SIGMA, 0, 0}, /* lda_x */
    {TSL_XC_VALUE, 1, 0}, /* gga_x_b88: beta */
    {TSL_XC_VALUE, 1, 1}, /* gga_x_b88: gamma */
    {TSL_XC_COEFFICIENT, 2, 0}, /* lda_c_vwn_rpa */
    {TSL_XC_VALUE, 2, 1}, /* lda_c_vwn_rpa: b1 */
    {TSL_XC_VALUE, 2, 2}, /* lda_c_vwn_rpa: c1 */
    {TSL_XC_VALUE, 2, 3}, /* lda_c_vwn_rpa: x01 */
    {TSL_XC_VALUE, 2, 0}, /* lda_c_vwn_rpa: a1 */
    {TSL_XC_DENSITY, 3, 0}, /* gga_c_lyp */
    {TSL_XC_COEFFICIENT, 3, 0}, /* gga_c_lyp */
    {TSL_XC_VALUE, 3, 3}, /* gga_c_lyp: d */
    {TSL_XC_VALUE, 3, 2}, /* gga_c_lyp: c */
    {TSL_XC_VALUE, 3, 1}, /* gga_c_lyp: b */
    {TSL_XC_SIGMA, 3, 0}, /* gga_c_lyp */
    {TSL_XC_VALUE, 3, 0}, /* gga_c_lyp: a */
    {TSL_XC_ZETA, 0, 0},
    {TSL_XC_VALUE, 2, 5}, /* lda_c_vwn_rpa: b2 */
    {TSL_XC_VALUE, 2, 6}, /* lda_c_vwn_rpa: c2 */
    {TSL_XC_VALUE, 2, 7}, /* lda_c_vwn_rpa: x02 */
    {TSL_XC_VALUE, 2, 4}, /* lda_c_vwn_rpa: a2 */
};

const tsl_xc_unit tsl_xc_b3lyp = {.name = "b3lyp",
    .family = TSL_XC_GGA,
    .components = 4,
    .formula = {36, 11, 33, 1},
    .parameters = 25,
    .parameter = parameters,
    .constants = 70,
    .prepare = prepare,
    .instructions = {{241, 329, 511}, {609, 841, 1499}}};
