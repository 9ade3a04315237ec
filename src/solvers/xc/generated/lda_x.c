/* Written by tools/xcgen/xcgen from functionals/lda_x.py: do not edit. */
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
#include "solvers/xc/generated/lda_x_prepare.inc"

static void prepare(const double *p, double *c)
{
    long double in[4];
    long double out[8];
    for (int i = 0; i < 4; i++) {
        in[i] = p[i];
    }
    xc_lda_x_prepare(in, out);
    for (int i = 0; i < 8; i++) {
        c[i] = (double)out[i];
    }
}

static const tsl_xc_parameter parameters[] = {
    {TSL_XC_DENSITY, 0, 0}, /* lda_x */
    {TSL_XC_COEFFICIENT, 0, 0}, /* lda_x */
    {TSL_XC_FLOOR, 0, 0},
    {TSL_XC_VALUE, 0, 0}, /* lda_x: alpha */
};

const tsl_xc_unit tsl_xc_lda_x = {.name = "lda_x",
    .family = TSL_XC_LDA,
    .components = 1,
    .formula = {36},
    .parameters = 4,
    .parameter = parameters,
    .constants = 8,
    .prepare = prepare,
    .instructions = {{23, 26, 31}, {62, 70, 82}}};
