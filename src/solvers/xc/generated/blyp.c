/* Written by tools/xcgen/xcgen from functionals/gga_x_b88.py, functionals/gga_c_lyp.py: do not edit. */
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
#include "solvers/xc/generated/blyp_prepare.inc"

static void prepare(const double *p, double *c)
{
    long double in[14];
    long double out[31];
    for (int i = 0; i < 14; i++) {
        in[i] = p[i];
    }
    xc_blyp_prepare(in, out);
    for (int i = 0; i < 31; i++) {
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
    {TSL_XC_DENSITY, 1, 0}, /* gga_c_lyp */
    {TSL_XC_COEFFICIENT, 1, 0}, /* gga_c_lyp */
    {TSL_XC_VALUE, 1, 3}, /* gga_c_lyp: d */
    {TSL_XC_VALUE, 1, 2}, /* gga_c_lyp: c */
    {TSL_XC_VALUE, 1, 1}, /* gga_c_lyp: b */
    {TSL_XC_SIGMA, 1, 0}, /* gga_c_lyp */
    {TSL_XC_VALUE, 1, 0}, /* gga_c_lyp: a */
    {TSL_XC_ZETA, 0, 0},
};

const tsl_xc_unit tsl_xc_blyp = {.name = "blyp",
    .family = TSL_XC_GGA,
    .components = 2,
    .formula = {11, 1},
    .parameters = 14,
    .parameter = parameters,
    .constants = 31,
    .prepare = prepare,
    .instructions = {{129, 186, 331}, {336, 489, 955}}};
