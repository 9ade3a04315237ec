/* Written by tools/xcgen/xcgen from functionals/gga_x_pbeint.py: do not edit. */
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
#include "solvers/xc/generated/gga_x_pbeint_prepare.inc"

static void prepare(const double *p, double *c)
{
    long double in[8];
    long double out[17];
    for (int i = 0; i < 8; i++) {
        in[i] = p[i];
    }
    xc_gga_x_pbeint_prepare(in, out);
    for (int i = 0; i < 17; i++) {
        c[i] = (double)out[i];
    }
}

static const tsl_xc_parameter parameters[] = {
    {TSL_XC_DENSITY, 0, 0}, /* gga_x_pbeint */
    {TSL_XC_COEFFICIENT, 0, 0}, /* gga_x_pbeint */
    {TSL_XC_FLOOR, 0, 0},
    {TSL_XC_SIGMA, 0, 0}, /* gga_x_pbeint */
    {TSL_XC_VALUE, 0, 1}, /* gga_x_pbeint: alpha */
    {TSL_XC_VALUE, 0, 2}, /* gga_x_pbeint: mu_pbe */
    {TSL_XC_VALUE, 0, 3}, /* gga_x_pbeint: mu_ge */
    {TSL_XC_VALUE, 0, 0}, /* gga_x_pbeint: kappa */
};

const tsl_xc_unit tsl_xc_gga_x_pbeint = {.name = "gga_x_pbeint",
    .family = TSL_XC_GGA,
    .components = 1,
    .formula = {18},
    .parameters = 8,
    .parameter = parameters,
    .constants = 17,
    .prepare = prepare,
    .instructions = {{45, 71, 160}, {112, 168, 350}}};
