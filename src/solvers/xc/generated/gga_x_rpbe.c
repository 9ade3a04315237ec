/* Written by tools/xcgen/xcgen from functionals/gga_x_rpbe.py: do not edit. */
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
#include "solvers/xc/generated/gga_x_rpbe_prepare.inc"

static void prepare(const double *p, double *c)
{
    long double in[6];
    long double out[15];
    for (int i = 0; i < 6; i++) {
        in[i] = p[i];
    }
    xc_gga_x_rpbe_prepare(in, out);
    for (int i = 0; i < 15; i++) {
        c[i] = (double)out[i];
    }
}

static const tsl_xc_parameter parameters[] = {
    {TSL_XC_DENSITY, 0, 0}, /* gga_x_rpbe */
    {TSL_XC_COEFFICIENT, 0, 0}, /* gga_x_rpbe */
    {TSL_XC_FLOOR, 0, 0},
    {TSL_XC_SIGMA, 0, 0}, /* gga_x_rpbe */
    {TSL_XC_VALUE, 0, 1}, /* gga_x_rpbe: mu */
    {TSL_XC_VALUE, 0, 0}, /* gga_x_rpbe: kappa */
};

const tsl_xc_unit tsl_xc_gga_x_rpbe = {.name = "gga_x_rpbe",
    .family = TSL_XC_GGA,
    .components = 1,
    .formula = {22},
    .parameters = 6,
    .parameter = parameters,
    .constants = 15,
    .prepare = prepare,
    .instructions = {{52, 67, 99}, {126, 160, 228}}};
