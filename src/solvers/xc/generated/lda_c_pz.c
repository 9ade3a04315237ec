/* Written by tools/xcgen/xcgen from functionals/lda_c_pz.py: do not edit. */
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
#include "solvers/xc/generated/lda_c_pz_prepare.inc"

static void prepare(const double *p, double *c)
{
    long double in[18];
    long double out[26];
    for (int i = 0; i < 18; i++) {
        in[i] = p[i];
    }
    xc_lda_c_pz_prepare(in, out);
    for (int i = 0; i < 26; i++) {
        c[i] = (double)out[i];
    }
}

static const tsl_xc_parameter parameters[] = {
    {TSL_XC_DENSITY, 0, 0}, /* lda_c_pz */
    {TSL_XC_COEFFICIENT, 0, 0}, /* lda_c_pz */
    {TSL_XC_FLOOR, 0, 0},
    {TSL_XC_VALUE, 0, 10}, /* lda_c_pz: c_1 */
    {TSL_XC_VALUE, 0, 6}, /* lda_c_pz: a_1 */
    {TSL_XC_VALUE, 0, 8}, /* lda_c_pz: b_1 */
    {TSL_XC_VALUE, 0, 12}, /* lda_c_pz: d_1 */
    {TSL_XC_VALUE, 0, 2}, /* lda_c_pz: beta1_1 */
    {TSL_XC_VALUE, 0, 4}, /* lda_c_pz: beta2_1 */
    {TSL_XC_VALUE, 0, 0}, /* lda_c_pz: gamma_1 */
    {TSL_XC_ZETA, 0, 0},
    {TSL_XC_VALUE, 0, 11}, /* lda_c_pz: c_2 */
    {TSL_XC_VALUE, 0, 7}, /* lda_c_pz: a_2 */
    {TSL_XC_VALUE, 0, 9}, /* lda_c_pz: b_2 */
    {TSL_XC_VALUE, 0, 13}, /* lda_c_pz: d_2 */
    {TSL_XC_VALUE, 0, 3}, /* lda_c_pz: beta1_2 */
    {TSL_XC_VALUE, 0, 5}, /* lda_c_pz: beta2_2 */
    {TSL_XC_VALUE, 0, 1}, /* lda_c_pz: gamma_2 */
};

const tsl_xc_unit tsl_xc_lda_c_pz = {.name = "lda_c_pz",
    .family = TSL_XC_LDA,
    .components = 1,
    .formula = {31},
    .parameters = 18,
    .parameter = parameters,
    .constants = 26,
    .prepare = prepare,
    .instructions = {{59, 80, 108}, {126, 181, 347}}};
