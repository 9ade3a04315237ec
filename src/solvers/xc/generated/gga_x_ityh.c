/* Written by tools/xcgen/xcgen from functionals/gga_x_ityh.py: do not edit. */
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
#include "solvers/xc/generated/gga_x_ityh_prepare.inc"

static void prepare(const double *p, double *c)
{
    long double in[7];
    long double out[17];
    for (int i = 0; i < 7; i++) {
        in[i] = p[i];
    }
    xc_gga_x_ityh_prepare(in, out);
    for (int i = 0; i < 17; i++) {
        c[i] = (double)out[i];
    }
}

static const tsl_xc_parameter parameters[] = {
    {TSL_XC_DENSITY, 0, 0}, /* gga_x_ityh */
    {TSL_XC_COEFFICIENT, 0, 0}, /* gga_x_ityh */
    {TSL_XC_FLOOR, 0, 0},
    {TSL_XC_SIGMA, 0, 0}, /* gga_x_ityh */
    {TSL_XC_VALUE, 0, 1}, /* gga_x_ityh: beta */
    {TSL_XC_VALUE, 0, 2}, /* gga_x_ityh: gamma */
    {TSL_XC_VALUE, 0, 0}, /* gga_x_ityh: omega */
};

const tsl_xc_unit tsl_xc_gga_x_ityh = {.name = "gga_x_ityh",
    .family = TSL_XC_GGA,
    .components = 1,
    .formula = {15},
    .parameters = 7,
    .parameter = parameters,
    .constants = 17,
    .prepare = prepare,
    .instructions = {{206, 315, 822}, {432, 658, 1666}}};
