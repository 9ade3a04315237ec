/* Written by tools/xcgen/xcgen from functionals/mgga_c_r2scan.py: do not edit. */
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
#include "solvers/xc/generated/mgga_c_r2scan_prepare.inc"

static void prepare(const double *p, double *c)
{
    long double in[7];
    long double out[12];
    for (int i = 0; i < 7; i++) {
        in[i] = p[i];
    }
    xc_mgga_c_r2scan_prepare(in, out);
    for (int i = 0; i < 12; i++) {
        c[i] = (double)out[i];
    }
}

static const tsl_xc_parameter parameters[] = {
    {TSL_XC_DENSITY, 0, 0}, /* mgga_c_r2scan */
    {TSL_XC_COEFFICIENT, 0, 0}, /* mgga_c_r2scan */
    {TSL_XC_FLOOR, 0, 0},
    {TSL_XC_SIGMA, 0, 0}, /* mgga_c_r2scan */
    {TSL_XC_TAU, 0, 0},
    {TSL_XC_VALUE, 0, 0}, /* mgga_c_r2scan: eta */
    {TSL_XC_ZETA, 0, 0},
};

const tsl_xc_unit tsl_xc_mgga_c_r2scan = {.name = "mgga_c_r2scan",
    .family = TSL_XC_MGGA,
    .components = 1,
    .formula = {39},
    .parameters = 7,
    .parameter = parameters,
    .constants = 12,
    .prepare = prepare,
    .instructions = {{373, 551, 1065}, {608, 969, 2659}}};
