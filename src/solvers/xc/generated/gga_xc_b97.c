/* Written by tools/xcgen/xcgen from functionals/gga_xc_b97.py: do not edit. */
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
#include "solvers/xc/generated/gga_xc_b97_prepare.inc"

static void prepare(const double *p, double *c)
{
    long double in[20];
    long double out[24];
    for (int i = 0; i < 20; i++) {
        in[i] = p[i];
    }
    xc_gga_xc_b97_prepare(in, out);
    for (int i = 0; i < 24; i++) {
        c[i] = (double)out[i];
    }
}

static const tsl_xc_parameter parameters[] = {
    {TSL_XC_DENSITY, 0, 0}, /* gga_xc_b97 */
    {TSL_XC_COEFFICIENT, 0, 0}, /* gga_xc_b97 */
    {TSL_XC_FLOOR, 0, 0},
    {TSL_XC_SIGMA, 0, 0}, /* gga_xc_b97 */
    {TSL_XC_VALUE, 0, 4}, /* gga_xc_b97: cx4 */
    {TSL_XC_VALUE, 0, 3}, /* gga_xc_b97: cx3 */
    {TSL_XC_VALUE, 0, 2}, /* gga_xc_b97: cx2 */
    {TSL_XC_VALUE, 0, 1}, /* gga_xc_b97: cx1 */
    {TSL_XC_VALUE, 0, 0}, /* gga_xc_b97: cx0 */
    {TSL_XC_VALUE, 0, 9}, /* gga_xc_b97: css4 */
    {TSL_XC_VALUE, 0, 8}, /* gga_xc_b97: css3 */
    {TSL_XC_VALUE, 0, 7}, /* gga_xc_b97: css2 */
    {TSL_XC_VALUE, 0, 6}, /* gga_xc_b97: css1 */
    {TSL_XC_VALUE, 0, 5}, /* gga_xc_b97: css0 */
    {TSL_XC_VALUE, 0, 14}, /* gga_xc_b97: cos4 */
    {TSL_XC_VALUE, 0, 13}, /* gga_xc_b97: cos3 */
    {TSL_XC_VALUE, 0, 12}, /* gga_xc_b97: cos2 */
    {TSL_XC_VALUE, 0, 11}, /* gga_xc_b97: cos1 */
    {TSL_XC_VALUE, 0, 10}, /* gga_xc_b97: cos0 */
    {TSL_XC_ZETA, 0, 0},
};

const tsl_xc_unit tsl_xc_gga_xc_b97 = {.name = "gga_xc_b97",
    .family = TSL_XC_GGA,
    .components = 1,
    .formula = {25},
    .parameters = 20,
    .parameter = parameters,
    .constants = 24,
    .prepare = prepare,
    .instructions = {{159, 247, 555}, {444, 726, 1696}}};
