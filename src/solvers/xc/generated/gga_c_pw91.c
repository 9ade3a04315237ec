/* Written by tools/xcgen/xcgen from functionals/gga_c_pw91.py: do not edit. */
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
#include "solvers/xc/generated/gga_c_pw91_prepare.inc"

static void prepare(const double *p, double *c)
{
    long double in[6];
    long double out[8];
    for (int i = 0; i < 6; i++) {
        in[i] = p[i];
    }
    xc_gga_c_pw91_prepare(in, out);
    for (int i = 0; i < 8; i++) {
        c[i] = (double)out[i];
    }
}

static const tsl_xc_parameter parameters[] = {
    {TSL_XC_DENSITY, 0, 0}, /* gga_c_pw91 */
    {TSL_XC_COEFFICIENT, 0, 0}, /* gga_c_pw91 */
    {TSL_XC_FLOOR, 0, 0},
    {TSL_XC_SIGMA, 0, 0}, /* gga_c_pw91 */
    {TSL_XC_VALUE, 0, 0}, /* gga_c_pw91: cubic */
    {TSL_XC_ZETA, 0, 0},
};

const tsl_xc_unit tsl_xc_gga_c_pw91 = {.name = "gga_c_pw91",
    .family = TSL_XC_GGA,
    .components = 1,
    .formula = {4},
    .parameters = 6,
    .parameter = parameters,
    .constants = 8,
    .prepare = prepare,
    .instructions = {{181, 246, 440}, {350, 502, 1194}}};
