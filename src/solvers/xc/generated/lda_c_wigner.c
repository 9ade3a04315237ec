/* Written by tools/xcgen/xcgen from functionals/lda_c_wigner.py: do not edit. */
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
#include "solvers/xc/generated/lda_c_wigner_prepare.inc"

static void prepare(const double *p, double *c)
{
    long double in[6];
    long double out[7];
    for (int i = 0; i < 6; i++) {
        in[i] = p[i];
    }
    xc_lda_c_wigner_prepare(in, out);
    for (int i = 0; i < 7; i++) {
        c[i] = (double)out[i];
    }
}

static const tsl_xc_parameter parameters[] = {
    {TSL_XC_DENSITY, 0, 0}, /* lda_c_wigner */
    {TSL_XC_COEFFICIENT, 0, 0}, /* lda_c_wigner */
    {TSL_XC_FLOOR, 0, 0},
    {TSL_XC_VALUE, 0, 1}, /* lda_c_wigner: b */
    {TSL_XC_VALUE, 0, 0}, /* lda_c_wigner: a */
    {TSL_XC_ZETA, 0, 0},
};

const tsl_xc_unit tsl_xc_lda_c_wigner = {.name = "lda_c_wigner",
    .family = TSL_XC_LDA,
    .components = 1,
    .formula = {34},
    .parameters = 6,
    .parameter = parameters,
    .constants = 7,
    .prepare = prepare,
    .instructions = {{26, 32, 43}, {42, 62, 118}}};
