/* Written by tools/xcgen/xcgen from functionals/lda_c_chachiyo.py: do not edit. */
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
#include "solvers/xc/generated/lda_c_chachiyo_prepare.inc"

static void prepare(const double *p, double *c)
{
    long double in[8];
    long double out[13];
    for (int i = 0; i < 8; i++) {
        in[i] = p[i];
    }
    xc_lda_c_chachiyo_prepare(in, out);
    for (int i = 0; i < 13; i++) {
        c[i] = (double)out[i];
    }
}

static const tsl_xc_parameter parameters[] = {
    {TSL_XC_DENSITY, 0, 0}, /* lda_c_chachiyo */
    {TSL_XC_COEFFICIENT, 0, 0}, /* lda_c_chachiyo */
    {TSL_XC_FLOOR, 0, 0},
    {TSL_XC_VALUE, 0, 1}, /* lda_c_chachiyo: b1 */
    {TSL_XC_VALUE, 0, 0}, /* lda_c_chachiyo: a1 */
    {TSL_XC_ZETA, 0, 0},
    {TSL_XC_VALUE, 0, 3}, /* lda_c_chachiyo: b2 */
    {TSL_XC_VALUE, 0, 2}, /* lda_c_chachiyo: a2 */
};

const tsl_xc_unit tsl_xc_lda_c_chachiyo = {.name = "lda_c_chachiyo",
    .family = TSL_XC_LDA,
    .components = 1,
    .formula = {29},
    .parameters = 8,
    .parameter = parameters,
    .constants = 13,
    .prepare = prepare,
    .instructions = {{51, 65, 85}, {131, 177, 297}}};
