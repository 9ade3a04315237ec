/* Written by tools/xcgen/xcgen from functionals/lda_x.py, functionals/lda_c_vwn.py: do not edit. */
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
#include "solvers/xc/generated/svwn_prepare.inc"

static void prepare(const double *p, double *c)
{
    long double in[18];
    long double out[56];
    for (int i = 0; i < 18; i++) {
        in[i] = p[i];
    }
    xc_svwn_prepare(in, out);
    for (int i = 0; i < 56; i++) {
        c[i] = (double)out[i];
    }
}

static const tsl_xc_parameter parameters[] = {
    {TSL_XC_DENSITY, 0, 0}, /* lda_x */
    {TSL_XC_COEFFICIENT, 0, 0}, /* lda_x */
    {TSL_XC_FLOOR, 0, 0},
    {TSL_XC_VALUE, 0, 0}, /* lda_x: alpha */
    {TSL_XC_COEFFICIENT, 1, 0}, /* lda_c_vwn */
    {TSL_XC_VALUE, 1, 1}, /* lda_c_vwn: b1 */
    {TSL_XC_VALUE, 1, 2}, /* lda_c_vwn: c1 */
    {TSL_XC_VALUE, 1, 3}, /* lda_c_vwn: x01 */
    {TSL_XC_VALUE, 1, 0}, /* lda_c_vwn: a1 */
    {TSL_XC_ZETA, 0, 0},
    {TSL_XC_VALUE, 1, 9}, /* lda_c_vwn: b3 */
    {TSL_XC_VALUE, 1, 10}, /* lda_c_vwn: c3 */
    {TSL_XC_VALUE, 1, 11}, /* lda_c_vwn: x03 */
    {TSL_XC_VALUE, 1, 8}, /* lda_c_vwn: a3 */
    {TSL_XC_VALUE, 1, 5}, /* lda_c_vwn: b2 */
    {TSL_XC_VALUE, 1, 6}, /* lda_c_vwn: c2 */
    {TSL_XC_VALUE, 1, 7}, /* lda_c_vwn: x02 */
    {TSL_XC_VALUE, 1, 4}, /* lda_c_vwn: a2 */
};

const tsl_xc_unit tsl_xc_svwn = {.name = "svwn",
    .family = TSL_XC_LDA,
    .components = 2,
    .formula = {36, 32},
    .parameters = 18,
    .parameter = parameters,
    .constants = 56,
    .prepare = prepare,
    .instructions = {{132, 166, 208}, {434, 553, 844}}};
