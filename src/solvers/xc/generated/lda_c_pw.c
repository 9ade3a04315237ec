/* Written by tools/xcgen/xcgen from functionals/lda_c_pw.py: do not edit. */
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
#include "solvers/xc/generated/lda_c_pw_prepare.inc"

static void prepare(const double *p, double *c)
{
    long double in[23];
    long double out[58];
    for (int i = 0; i < 23; i++) {
        in[i] = p[i];
    }
    xc_lda_c_pw_prepare(in, out);
    for (int i = 0; i < 58; i++) {
        c[i] = (double)out[i];
    }
}

static const tsl_xc_parameter parameters[] = {
    {TSL_XC_DENSITY, 0, 0}, /* lda_c_pw */
    {TSL_XC_COEFFICIENT, 0, 0}, /* lda_c_pw */
    {TSL_XC_FLOOR, 0, 0},
    {TSL_XC_VALUE, 0, 10}, /* lda_c_pw: beta41 */
    {TSL_XC_VALUE, 0, 9}, /* lda_c_pw: beta31 */
    {TSL_XC_VALUE, 0, 8}, /* lda_c_pw: beta21 */
    {TSL_XC_VALUE, 0, 7}, /* lda_c_pw: beta11 */
    {TSL_XC_VALUE, 0, 1}, /* lda_c_pw: a1 */
    {TSL_XC_VALUE, 0, 4}, /* lda_c_pw: alpha1 */
    {TSL_XC_ZETA, 0, 0},
    {TSL_XC_VALUE, 0, 18}, /* lda_c_pw: beta43 */
    {TSL_XC_VALUE, 0, 17}, /* lda_c_pw: beta33 */
    {TSL_XC_VALUE, 0, 16}, /* lda_c_pw: beta23 */
    {TSL_XC_VALUE, 0, 15}, /* lda_c_pw: beta13 */
    {TSL_XC_VALUE, 0, 3}, /* lda_c_pw: a3 */
    {TSL_XC_VALUE, 0, 6}, /* lda_c_pw: alpha3 */
    {TSL_XC_VALUE, 0, 0}, /* lda_c_pw: fz20 */
    {TSL_XC_VALUE, 0, 14}, /* lda_c_pw: beta42 */
    {TSL_XC_VALUE, 0, 13}, /* lda_c_pw: beta32 */
    {TSL_XC_VALUE, 0, 12}, /* lda_c_pw: beta22 */
    {TSL_XC_VALUE, 0, 11}, /* lda_c_pw: beta12 */
    {TSL_XC_VALUE, 0, 2}, /* lda_c_pw: a2 */
    {TSL_XC_VALUE, 0, 5}, /* lda_c_pw: alpha2 */
};

const tsl_xc_unit tsl_xc_lda_c_pw = {.name = "lda_c_pw",
    .family = TSL_XC_LDA,
    .components = 1,
    .formula = {30},
    .parameters = 23,
    .parameter = parameters,
    .constants = 58,
    .prepare = prepare,
    .instructions = {{70, 91, 137}, {211, 293, 580}}};
