/* Written by tools/xcgen/xcgen from functionals/mgga_x_ms.py: do not edit. */
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
#include "solvers/xc/generated/mgga_x_ms_prepare.inc"

static void prepare(const double *p, double *c)
{
    long double in[8];
    long double out[13];
    for (int i = 0; i < 8; i++) {
        in[i] = p[i];
    }
    xc_mgga_x_ms_prepare(in, out);
    for (int i = 0; i < 13; i++) {
        c[i] = (double)out[i];
    }
}

static const tsl_xc_parameter parameters[] = {
    {TSL_XC_DENSITY, 0, 0}, /* mgga_x_ms */
    {TSL_XC_COEFFICIENT, 0, 0}, /* mgga_x_ms */
    {TSL_XC_FLOOR, 0, 0},
    {TSL_XC_SIGMA, 0, 0}, /* mgga_x_ms */
    {TSL_XC_TAU, 0, 0},
    {TSL_XC_VALUE, 0, 0}, /* mgga_x_ms: kappa */
    {TSL_XC_VALUE, 0, 2}, /* mgga_x_ms: b */
    {TSL_XC_VALUE, 0, 1}, /* mgga_x_ms: c */
};

const tsl_xc_unit tsl_xc_mgga_x_ms = {.name = "mgga_x_ms",
    .family = TSL_XC_MGGA,
    .components = 1,
    .formula = {45},
    .parameters = 8,
    .parameter = parameters,
    .constants = 13,
    .prepare = prepare,
    .instructions = {{84, 152, 503}, {194, 336, 1048}}};
