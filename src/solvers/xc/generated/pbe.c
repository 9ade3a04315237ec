/* Written by tools/xcgen/xcgen from functionals/gga_x_pbe.py, functionals/gga_c_pbe.py: do not edit. */
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
#include "solvers/xc/generated/pbe_prepare.inc"

static void prepare(const double *p, double *c)
{
    long double in[13];
    long double out[26];
    for (int i = 0; i < 13; i++) {
        in[i] = p[i];
    }
    xc_pbe_prepare(in, out);
    for (int i = 0; i < 26; i++) {
        c[i] = (double)out[i];
    }
}

static const tsl_xc_parameter parameters[] = {
    {TSL_XC_DENSITY, 0, 0}, /* gga_x_pbe */
    {TSL_XC_COEFFICIENT, 0, 0}, /* gga_x_pbe */
    {TSL_XC_FLOOR, 0, 0},
    {TSL_XC_SIGMA, 0, 0}, /* gga_x_pbe */
    {TSL_XC_VALUE, 0, 0}, /* gga_x_pbe: kappa */
    {TSL_XC_VALUE, 0, 1}, /* gga_x_pbe: mu */
    {TSL_XC_DENSITY, 1, 0}, /* gga_c_pbe */
    {TSL_XC_COEFFICIENT, 1, 0}, /* gga_c_pbe */
    {TSL_XC_VALUE, 1, 1}, /* gga_c_pbe: gamma */
    {TSL_XC_SIGMA, 1, 0}, /* gga_c_pbe */
    {TSL_XC_VALUE, 1, 0}, /* gga_c_pbe: beta */
    {TSL_XC_VALUE, 1, 2}, /* gga_c_pbe: b */
    {TSL_XC_ZETA, 0, 0},
};

const tsl_xc_unit tsl_xc_pbe = {.name = "pbe",
    .family = TSL_XC_GGA,
    .components = 2,
    .formula = {17, 3},
    .parameters = 13,
    .parameter = parameters,
    .constants = 26,
    .prepare = prepare,
    .instructions = {{158, 217, 390}, {393, 560, 1214}}};
