/* Written by tools/xcgen/xcgen from functionals/mgga_x_rscan.py: do not edit. */
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
#include "solvers/xc/generated/mgga_x_rscan_prepare.inc"

static void prepare(const double *p, double *c)
{
    long double in[10];
    long double out[22];
    for (int i = 0; i < 10; i++) {
        in[i] = p[i];
    }
    xc_mgga_x_rscan_prepare(in, out);
    for (int i = 0; i < 22; i++) {
        c[i] = (double)out[i];
    }
}

static const tsl_xc_parameter parameters[] = {
    {TSL_XC_DENSITY, 0, 0}, /* mgga_x_rscan */
    {TSL_XC_COEFFICIENT, 0, 0}, /* mgga_x_rscan */
    {TSL_XC_FLOOR, 0, 0},
    {TSL_XC_SIGMA, 0, 0}, /* mgga_x_rscan */
    {TSL_XC_TAU, 0, 0},
    {TSL_XC_VALUE, 0, 2}, /* mgga_x_rscan: k1 */
    {TSL_XC_VALUE, 0, 3}, /* mgga_x_rscan: tau_r */
    {TSL_XC_VALUE, 0, 4}, /* mgga_x_rscan: alpha_r */
    {TSL_XC_VALUE, 0, 1}, /* mgga_x_rscan: d */
    {TSL_XC_VALUE, 0, 0}, /* mgga_x_rscan: c2 */
};

const tsl_xc_unit tsl_xc_mgga_x_rscan = {.name = "mgga_x_rscan",
    .family = TSL_XC_MGGA,
    .components = 1,
    .formula = {48},
    .parameters = 10,
    .parameter = parameters,
    .constants = 22,
    .prepare = prepare,
    .instructions = {{205, 289, 664}, {437, 619, 1399}}};
