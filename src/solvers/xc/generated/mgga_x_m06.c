/* Written by tools/xcgen/xcgen from functionals/mgga_x_m06.py: do not edit. */
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
#include "solvers/xc/generated/mgga_x_m06_prepare.inc"

static void prepare(const double *p, double *c)
{
    long double in[23];
    long double out[28];
    for (int i = 0; i < 23; i++) {
        in[i] = p[i];
    }
    xc_mgga_x_m06_prepare(in, out);
    for (int i = 0; i < 28; i++) {
        c[i] = (double)out[i];
    }
}

static const tsl_xc_parameter parameters[] = {
    {TSL_XC_DENSITY, 0, 0}, /* mgga_x_m06 */
    {TSL_XC_COEFFICIENT, 0, 0}, /* mgga_x_m06 */
    {TSL_XC_FLOOR, 0, 0},
    {TSL_XC_SIGMA, 0, 0}, /* mgga_x_m06 */
    {TSL_XC_TAU, 0, 0},
    {TSL_XC_VALUE, 0, 13}, /* mgga_x_m06: d1 */
    {TSL_XC_VALUE, 0, 12}, /* mgga_x_m06: d0 */
    {TSL_XC_VALUE, 0, 14}, /* mgga_x_m06: d2 */
    {TSL_XC_VALUE, 0, 15}, /* mgga_x_m06: d3 */
    {TSL_XC_VALUE, 0, 16}, /* mgga_x_m06: d4 */
    {TSL_XC_VALUE, 0, 17}, /* mgga_x_m06: d5 */
    {TSL_XC_VALUE, 0, 11}, /* mgga_x_m06: a11 */
    {TSL_XC_VALUE, 0, 10}, /* mgga_x_m06: a10 */
    {TSL_XC_VALUE, 0, 9}, /* mgga_x_m06: a9 */
    {TSL_XC_VALUE, 0, 8}, /* mgga_x_m06: a8 */
    {TSL_XC_VALUE, 0, 7}, /* mgga_x_m06: a7 */
    {TSL_XC_VALUE, 0, 6}, /* mgga_x_m06: a6 */
    {TSL_XC_VALUE, 0, 5}, /* mgga_x_m06: a5 */
    {TSL_XC_VALUE, 0, 4}, /* mgga_x_m06: a4 */
    {TSL_XC_VALUE, 0, 3}, /* mgga_x_m06: a3 */
    {TSL_XC_VALUE, 0, 2}, /* mgga_x_m06: a2 */
    {TSL_XC_VALUE, 0, 1}, /* mgga_x_m06: a1 */
    {TSL_XC_VALUE, 0, 0}, /* mgga_x_m06: a0 */
};

const tsl_xc_unit tsl_xc_mgga_x_m06 = {.name = "mgga_x_m06",
    .family = TSL_XC_MGGA,
    .components = 1,
    .formula = {44},
    .parameters = 23,
    .parameter = parameters,
    .constants = 28,
    .prepare = prepare,
    .instructions = {{79, 150, 523}, {184, 334, 1090}}};
