/* Written by tools/xcgen/xcgen from functionals/gga_k_apbeint.py: do not edit. */
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
#include "solvers/xc/generated/gga_k_apbeint_prepare.inc"

static void prepare(const double *p, double *c)
{
    long double in[8];
    long double out[17];
    for (int i = 0; i < 8; i++) {
        in[i] = p[i];
    }
    xc_gga_k_apbeint_prepare(in, out);
    for (int i = 0; i < 17; i++) {
        c[i] = (double)out[i];
    }
}

static const tsl_xc_parameter parameters[] = {
    {TSL_XC_DENSITY, 0, 0}, /* gga_k_apbeint */
    {TSL_XC_COEFFICIENT, 0, 0}, /* gga_k_apbeint */
    {TSL_XC_FLOOR, 0, 0},
    {TSL_XC_SIGMA, 0, 0}, /* gga_k_apbeint */
    {TSL_XC_VALUE, 0, 1}, /* gga_k_apbeint: alpha */
    {TSL_XC_VALUE, 0, 2}, /* gga_k_apbeint: mu_pbe */
    {TSL_XC_VALUE, 0, 3}, /* gga_k_apbeint: mu_ge */
    {TSL_XC_VALUE, 0, 0}, /* gga_k_apbeint: kappa */
};

const tsl_xc_unit tsl_xc_gga_k_apbeint = {.name = "gga_k_apbeint",
    .family = TSL_XC_GGA,
    .components = 1,
    .formula = {6},
    .parameters = 8,
    .parameter = parameters,
    .constants = 17,
    .prepare = prepare,
    .instructions = {{48, 74, 160}, {118, 174, 350}}};
