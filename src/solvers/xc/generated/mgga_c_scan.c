/* Written by tools/xcgen/xcgen from functionals/mgga_c_scan.py: do not edit. */
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
#include "solvers/xc/generated/mgga_c_scan_prepare.inc"

static void prepare(const double *p, double *c)
{
    long double in[6];
    long double out[6];
    for (int i = 0; i < 6; i++) {
        in[i] = p[i];
    }
    xc_mgga_c_scan_prepare(in, out);
    for (int i = 0; i < 6; i++) {
        c[i] = (double)out[i];
    }
}

static const tsl_xc_parameter parameters[] = {
    {TSL_XC_DENSITY, 0, 0}, /* mgga_c_scan */
    {TSL_XC_COEFFICIENT, 0, 0}, /* mgga_c_scan */
    {TSL_XC_FLOOR, 0, 0},
    {TSL_XC_SIGMA, 0, 0}, /* mgga_c_scan */
    {TSL_XC_TAU, 0, 0},
    {TSL_XC_ZETA, 0, 0},
};

const tsl_xc_unit tsl_xc_mgga_c_scan = {.name = "mgga_c_scan",
    .family = TSL_XC_MGGA,
    .components = 1,
    .formula = {42},
    .parameters = 6,
    .parameter = parameters,
    .constants = 6,
    .prepare = prepare,
    .instructions = {{299, 413, 730}, {495, 717, 1702}}};
