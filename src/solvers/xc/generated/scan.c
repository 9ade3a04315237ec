/* Written by tools/xcgen/xcgen from functionals/mgga_x_scan.py, functionals/mgga_c_scan.py: do not edit. */
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
#include "solvers/xc/generated/scan_prepare.inc"

static void prepare(const double *p, double *c)
{
    long double in[11];
    long double out[25];
    for (int i = 0; i < 11; i++) {
        in[i] = p[i];
    }
    xc_scan_prepare(in, out);
    for (int i = 0; i < 25; i++) {
        c[i] = (double)out[i];
    }
}

static const tsl_xc_parameter parameters[] = {
    {TSL_XC_DENSITY, 0, 0}, /* mgga_x_scan */
    {TSL_XC_COEFFICIENT, 0, 0}, /* mgga_x_scan */
    {TSL_XC_FLOOR, 0, 0},
    {TSL_XC_SIGMA, 0, 0}, /* mgga_x_scan */
    {TSL_XC_TAU, 0, 0},
    {TSL_XC_VALUE, 0, 3}, /* mgga_x_scan: k1 */
    {TSL_XC_VALUE, 0, 1}, /* mgga_x_scan: c2 */
    {TSL_XC_VALUE, 0, 2}, /* mgga_x_scan: d */
    {TSL_XC_VALUE, 0, 0}, /* mgga_x_scan: c1 */
    {TSL_XC_COEFFICIENT, 1, 0}, /* mgga_c_scan */
    {TSL_XC_ZETA, 0, 0},
};

const tsl_xc_unit tsl_xc_scan = {.name = "scan",
    .family = TSL_XC_MGGA,
    .components = 2,
    .formula = {49, 42},
    .parameters = 11,
    .parameter = parameters,
    .constants = 25,
    .prepare = prepare,
    .instructions = {{448, 629, 1208}, {848, 1207, 2782}}};
