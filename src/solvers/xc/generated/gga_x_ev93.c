/* Written by tools/xcgen/xcgen from functionals/gga_x_ev93.py: do not edit. */
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
#include "solvers/xc/generated/gga_x_ev93_prepare.inc"

static void prepare(const double *p, double *c)
{
    long double in[10];
    long double out[19];
    for (int i = 0; i < 10; i++) {
        in[i] = p[i];
    }
    xc_gga_x_ev93_prepare(in, out);
    for (int i = 0; i < 19; i++) {
        c[i] = (double)out[i];
    }
}

static const tsl_xc_parameter parameters[] = {
    {TSL_XC_DENSITY, 0, 0}, /* gga_x_ev93 */
    {TSL_XC_COEFFICIENT, 0, 0}, /* gga_x_ev93 */
    {TSL_XC_FLOOR, 0, 0},
    {TSL_XC_SIGMA, 0, 0}, /* gga_x_ev93 */
    {TSL_XC_VALUE, 0, 2}, /* gga_x_ev93: a3 */
    {TSL_XC_VALUE, 0, 1}, /* gga_x_ev93: a2 */
    {TSL_XC_VALUE, 0, 0}, /* gga_x_ev93: a1 */
    {TSL_XC_VALUE, 0, 5}, /* gga_x_ev93: b3 */
    {TSL_XC_VALUE, 0, 4}, /* gga_x_ev93: b2 */
    {TSL_XC_VALUE, 0, 3}, /* gga_x_ev93: b1 */
};

const tsl_xc_unit tsl_xc_gga_x_ev93 = {.name = "gga_x_ev93",
    .family = TSL_XC_GGA,
    .components = 1,
    .formula = {13},
    .parameters = 10,
    .parameter = parameters,
    .constants = 19,
    .prepare = prepare,
    .instructions = {{40, 66, 165}, {102, 160, 362}}};
