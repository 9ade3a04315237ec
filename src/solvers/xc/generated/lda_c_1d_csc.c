/* Written by tools/xcgen/xcgen from functionals/lda_c_1d_csc.py: do not edit. */
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
#include "solvers/xc/generated/lda_c_1d_csc_prepare.inc"

static void prepare(const double *p, double *c)
{
    long double in[19];
    long double out[32];
    for (int i = 0; i < 19; i++) {
        in[i] = p[i];
    }
    xc_lda_c_1d_csc_prepare(in, out);
    for (int i = 0; i < 32; i++) {
        c[i] = (double)out[i];
    }
}

static const tsl_xc_parameter parameters[] = {
    {TSL_XC_DENSITY, 0, 0}, /* lda_c_1d_csc */
    {TSL_XC_COEFFICIENT, 0, 0}, /* lda_c_1d_csc */
    {TSL_XC_FLOOR, 0, 0},
    {TSL_XC_VALUE, 0, 4}, /* lda_c_1d_csc: e1 */
    {TSL_XC_VALUE, 0, 3}, /* lda_c_1d_csc: d1 */
    {TSL_XC_VALUE, 0, 2}, /* lda_c_1d_csc: c1 */
    {TSL_XC_VALUE, 0, 1}, /* lda_c_1d_csc: b1 */
    {TSL_XC_VALUE, 0, 0}, /* lda_c_1d_csc: a1 */
    {TSL_XC_VALUE, 0, 7}, /* lda_c_1d_csc: m1 */
    {TSL_XC_VALUE, 0, 5}, /* lda_c_1d_csc: alpha1 */
    {TSL_XC_VALUE, 0, 6}, /* lda_c_1d_csc: beta1 */
    {TSL_XC_VALUE, 0, 12}, /* lda_c_1d_csc: e2 */
    {TSL_XC_VALUE, 0, 11}, /* lda_c_1d_csc: d2 */
    {TSL_XC_VALUE, 0, 10}, /* lda_c_1d_csc: c2 */
    {TSL_XC_VALUE, 0, 9}, /* lda_c_1d_csc: b2 */
    {TSL_XC_VALUE, 0, 8}, /* lda_c_1d_csc: a2 */
    {TSL_XC_VALUE, 0, 15}, /* lda_c_1d_csc: m2 */
    {TSL_XC_VALUE, 0, 13}, /* lda_c_1d_csc: alpha2 */
    {TSL_XC_VALUE, 0, 14}, /* lda_c_1d_csc: beta2 */
};

const tsl_xc_unit tsl_xc_lda_c_1d_csc = {.name = "lda_c_1d_csc",
    .family = TSL_XC_LDA,
    .components = 1,
    .formula = {27},
    .parameters = 19,
    .parameter = parameters,
    .constants = 32,
    .prepare = prepare,
    .instructions = {{86, 114, 168}, {157, 226, 406}}};
