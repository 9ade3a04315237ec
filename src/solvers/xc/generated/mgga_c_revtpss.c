/* Written by tools/xcgen/xcgen from functionals/mgga_c_revtpss.py: do not edit. */
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
#include "solvers/xc/generated/mgga_c_revtpss_prepare.inc"

static void prepare(const double *p, double *c)
{
    long double in[11];
    long double out[17];
    for (int i = 0; i < 11; i++) {
        in[i] = p[i];
    }
    xc_mgga_c_revtpss_prepare(in, out);
    for (int i = 0; i < 17; i++) {
        c[i] = (double)out[i];
    }
}

static const tsl_xc_parameter parameters[] = {
    {TSL_XC_DENSITY, 0, 0}, /* mgga_c_revtpss */
    {TSL_XC_COEFFICIENT, 0, 0}, /* mgga_c_revtpss */
    {TSL_XC_FLOOR, 0, 0},
    {TSL_XC_SIGMA, 0, 0}, /* mgga_c_revtpss */
    {TSL_XC_TAU, 0, 0},
    {TSL_XC_VALUE, 0, 1}, /* mgga_c_revtpss: c0 */
    {TSL_XC_VALUE, 0, 0}, /* mgga_c_revtpss: d */
    {TSL_XC_ZETA, 0, 0},
    {TSL_XC_VALUE, 0, 4}, /* mgga_c_revtpss: c3 */
    {TSL_XC_VALUE, 0, 3}, /* mgga_c_revtpss: c2 */
    {TSL_XC_VALUE, 0, 2}, /* mgga_c_revtpss: c1 */
};

const tsl_xc_unit tsl_xc_mgga_c_revtpss = {.name = "mgga_c_revtpss",
    .family = TSL_XC_MGGA,
    .components = 1,
    .formula = {40},
    .parameters = 11,
    .parameter = parameters,
    .constants = 17,
    .prepare = prepare,
    .instructions = {{288, 409, 839}, {689, 1013, 2712}}};
