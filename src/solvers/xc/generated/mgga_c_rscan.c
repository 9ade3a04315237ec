/* Written by tools/xcgen/xcgen from functionals/mgga_c_rscan.py: do not edit. */
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
#include "solvers/xc/generated/mgga_c_rscan_prepare.inc"

static void prepare(const double *p, double *c)
{
    long double in[8];
    long double out[8];
    for (int i = 0; i < 8; i++) {
        in[i] = p[i];
    }
    xc_mgga_c_rscan_prepare(in, out);
    for (int i = 0; i < 8; i++) {
        c[i] = (double)out[i];
    }
}

static const tsl_xc_parameter parameters[] = {
    {TSL_XC_DENSITY, 0, 0}, /* mgga_c_rscan */
    {TSL_XC_COEFFICIENT, 0, 0}, /* mgga_c_rscan */
    {TSL_XC_FLOOR, 0, 0},
    {TSL_XC_SIGMA, 0, 0}, /* mgga_c_rscan */
    {TSL_XC_TAU, 0, 0},
    {TSL_XC_VALUE, 0, 0}, /* mgga_c_rscan: tau_r */
    {TSL_XC_VALUE, 0, 1}, /* mgga_c_rscan: alpha_r */
    {TSL_XC_ZETA, 0, 0},
};

const tsl_xc_unit tsl_xc_mgga_c_rscan = {.name = "mgga_c_rscan",
    .family = TSL_XC_MGGA,
    .components = 1,
    .formula = {41},
    .parameters = 8,
    .parameter = parameters,
    .constants = 8,
    .prepare = prepare,
    .instructions = {{324, 459, 869}, {517, 759, 1884}}};
