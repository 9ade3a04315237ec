/* Written by tools/xcgen/xcgen from functionals/mgga_c_m06.py: do not edit. */
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
#include "solvers/xc/generated/mgga_c_m06_prepare.inc"

static void prepare(const double *p, double *c)
{
    long double in[28];
    long double out[36];
    for (int i = 0; i < 28; i++) {
        in[i] = p[i];
    }
    xc_mgga_c_m06_prepare(in, out);
    for (int i = 0; i < 36; i++) {
        c[i] = (double)out[i];
    }
}

static const tsl_xc_parameter parameters[] = {
    {TSL_XC_DENSITY, 0, 0}, /* mgga_c_m06 */
    {TSL_XC_COEFFICIENT, 0, 0}, /* mgga_c_m06 */
    {TSL_XC_FLOOR, 0, 0},
    {TSL_XC_TAU, 0, 0},
    {TSL_XC_SIGMA, 0, 0}, /* mgga_c_m06 */
    {TSL_XC_VALUE, 0, 4}, /* mgga_c_m06: css4 */
    {TSL_XC_VALUE, 0, 3}, /* mgga_c_m06: css3 */
    {TSL_XC_VALUE, 0, 2}, /* mgga_c_m06: css2 */
    {TSL_XC_VALUE, 0, 1}, /* mgga_c_m06: css1 */
    {TSL_XC_VALUE, 0, 0}, /* mgga_c_m06: css0 */
    {TSL_XC_VALUE, 0, 11}, /* mgga_c_m06: dss1 */
    {TSL_XC_VALUE, 0, 10}, /* mgga_c_m06: dss0 */
    {TSL_XC_VALUE, 0, 12}, /* mgga_c_m06: dss2 */
    {TSL_XC_VALUE, 0, 13}, /* mgga_c_m06: dss3 */
    {TSL_XC_VALUE, 0, 14}, /* mgga_c_m06: dss4 */
    {TSL_XC_VALUE, 0, 15}, /* mgga_c_m06: dss5 */
    {TSL_XC_VALUE, 0, 9}, /* mgga_c_m06: cab4 */
    {TSL_XC_VALUE, 0, 8}, /* mgga_c_m06: cab3 */
    {TSL_XC_VALUE, 0, 7}, /* mgga_c_m06: cab2 */
    {TSL_XC_VALUE, 0, 6}, /* mgga_c_m06: cab1 */
    {TSL_XC_VALUE, 0, 5}, /* mgga_c_m06: cab0 */
    {TSL_XC_VALUE, 0, 17}, /* mgga_c_m06: dab1 */
    {TSL_XC_VALUE, 0, 16}, /* mgga_c_m06: dab0 */
    {TSL_XC_VALUE, 0, 18}, /* mgga_c_m06: dab2 */
    {TSL_XC_VALUE, 0, 19}, /* mgga_c_m06: dab3 */
    {TSL_XC_VALUE, 0, 20}, /* mgga_c_m06: dab4 */
    {TSL_XC_VALUE, 0, 21}, /* mgga_c_m06: dab5 */
    {TSL_XC_ZETA, 0, 0},
};

const tsl_xc_unit tsl_xc_mgga_c_m06 = {.name = "mgga_c_m06",
    .family = TSL_XC_MGGA,
    .components = 1,
    .formula = {38},
    .parameters = 28,
    .parameter = parameters,
    .constants = 36,
    .prepare = prepare,
    .instructions = {{199, 329, 920}, {506, 862, 2425}}};
