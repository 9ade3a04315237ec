/* Written by tools/xcgen/xcgen from functionals/gga_x_c09x.py: do not edit. */
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
#include "solvers/xc/generated/gga_x_c09x_prepare.inc"

static void prepare(const double *p, double *c)
{
    long double in[7];
    long double out[22];
    for (int i = 0; i < 7; i++) {
        in[i] = p[i];
    }
    xc_gga_x_c09x_prepare(in, out);
    for (int i = 0; i < 22; i++) {
        c[i] = (double)out[i];
    }
}

static const tsl_xc_parameter parameters[] = {
    {TSL_XC_DENSITY, 0, 0}, /* gga_x_c09x */
    {TSL_XC_COEFFICIENT, 0, 0}, /* gga_x_c09x */
    {TSL_XC_FLOOR, 0, 0},
    {TSL_XC_SIGMA, 0, 0}, /* gga_x_c09x */
    {TSL_XC_VALUE, 0, 2}, /* gga_x_c09x: alpha */
    {TSL_XC_VALUE, 0, 1}, /* gga_x_c09x: mu */
    {TSL_XC_VALUE, 0, 0}, /* gga_x_c09x: kappa */
};

const tsl_xc_unit tsl_xc_gga_x_c09x = {.name = "gga_x_c09x",
    .family = TSL_XC_GGA,
    .components = 1,
    .formula = {12},
    .parameters = 7,
    .parameter = parameters,
    .constants = 22,
    .prepare = prepare,
    .instructions = {{78, 100, 158}, {178, 226, 346}}};
