/* Written by tools/xcgen/xcgen from functionals/gga_x_b88.py: do not edit. */
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
#include "solvers/xc/generated/gga_x_b88_prepare.inc"

static void prepare(const double *p, double *c)
{
    long double in[6];
    long double out[15];
    for (int i = 0; i < 6; i++) {
        in[i] = p[i];
    }
    xc_gga_x_b88_prepare(in, out);
    for (int i = 0; i < 15; i++) {
        c[i] = (double)out[i];
    }
}

static const tsl_xc_parameter parameters[] = {
    {TSL_XC_DENSITY, 0, 0}, /* gga_x_b88 */
    {TSL_XC_COEFFICIENT, 0, 0}, /* gga_x_b88 */
    {TSL_XC_FLOOR, 0, 0},
    {TSL_XC_SIGMA, 0, 0}, /* gga_x_b88 */
    {TSL_XC_VALUE, 0, 0}, /* gga_x_b88: beta */
    {TSL_XC_VALUE, 0, 1}, /* gga_x_b88: gamma */
};

const tsl_xc_unit tsl_xc_gga_x_b88 = {.name = "gga_x_b88",
    .family = TSL_XC_GGA,
    .components = 1,
    .formula = {11},
    .parameters = 6,
    .parameter = parameters,
    .constants = 15,
    .prepare = prepare,
    .instructions = {{89, 122, 216}, {196, 264, 442}}};
