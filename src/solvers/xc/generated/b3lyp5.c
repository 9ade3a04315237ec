/* Written by tools/xcgen/xcgen from functionals/lda_x.py, functionals/gga_x_b88.py, functionals/lda_c_vwn.py, functionals/gga_c_lyp.py: do not edit. */
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
#include "solvers/xc/generated/b3lyp5_prepare.inc"

static void prepare(const double *p, double *c)
{
    long double in[29];
    long double out[85];
    for (int i = 0; i < 29; i++) {
        in[i] = p[i];
    }
    xc_b3lyp5_prepare(in, out);
    for (int i = 0; i < 85; i++) {
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
    {TSL_XC_COEFFICIENT, 2, 0}, /* lda_c_vwn */
    {TSL_XC_VALUE, 2, 1}, /* lda_c_vwn: b1 */
    {TSL_XC_VALUE, 2, 2}, /* lda_c_vwn: c1 */
    {TSL_XC_VALUE, 2, 3}, /* lda_c_vwn: x01 */
    {TSL_XC_VALUE, 2, 0}, /* lda_c_vwn: a1 */
    {TSL_XC_DENSITY, 3, 0}, /* gga_c_lyp */
    {TSL_XC_COEFFICIENT, 3, 0}, /* gga_c_lyp */
    {TSL_XC_VALUE, 3, 3}, /* gga_c_lyp: d */
    {TSL_XC_VALUE, 3, 2}, /* gga_c_lyp: c */
    {TSL_XC_VALUE, 3, 1}, /* gga_c_lyp: b */
    {TSL_XC_SIGMA, 3, 0}, /* gga_c_lyp */
    {TSL_XC_VALUE, 3, 0}, /* gga_c_lyp: a */
    {TSL_XC_ZETA, 0, 0},
    {TSL_XC_VALUE, 2, 9}, /* lda_c_vwn: b3 */
    {TSL_XC_VALUE, 2, 10}, /* lda_c_vwn: c3 */
    {TSL_XC_VALUE, 2, 11}, /* lda_c_vwn: x03 */
    {TSL_XC_VALUE, 2, 8}, /* lda_c_vwn: a3 */
    {TSL_XC_VALUE, 2, 5}, /* lda_c_vwn: b2 */
    {TSL_XC_VALUE, 2, 6}, /* lda_c_vwn: c2 */
    {TSL_XC_VALUE, 2, 7}, /* lda_c_vwn: x02 */
    {TSL_XC_VALUE, 2, 4}, /* lda_c_vwn: a2 */
};

const tsl_xc_unit tsl_xc_b3lyp5 = {.name = "b3lyp5",
    .family = TSL_XC_GGA,
    .components = 4,
    .formula = {36, 11, 32, 1},
    .parameters = 29,
    .parameter = parameters,
    .constants = 85,
    .prepare = prepare,
    .instructions = {{241, 329, 511}, {712, 976, 1723}}};
