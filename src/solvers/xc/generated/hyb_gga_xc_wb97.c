/* Written by tools/xcgen/xcgen from functionals/hyb_gga_xc_wb97.py: do not edit. */
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
#include "solvers/xc/generated/hyb_gga_xc_wb97_prepare.inc"

static void prepare(const double *p, double *c)
{
    long double in[21];
    long double out[28];
    for (int i = 0; i < 21; i++) {
        in[i] = p[i];
    }
    xc_hyb_gga_xc_wb97_prepare(in, out);
    for (int i = 0; i < 28; i++) {
        c[i] = (double)out[i];
    }
}

static const tsl_xc_parameter parameters[] = {
    {TSL_XC_DENSITY, 0, 0}, /* hyb_gga_xc_wb97 */
    {TSL_XC_COEFFICIENT, 0, 0}, /* hyb_gga_xc_wb97 */
    {TSL_XC_FLOOR, 0, 0},
    {TSL_XC_VALUE, 0, 15}, /* hyb_gga_xc_wb97: omega */
    {TSL_XC_SIGMA, 0, 0}, /* hyb_gga_xc_wb97 */
    {TSL_XC_VALUE, 0, 4}, /* hyb_gga_xc_wb97: cx4 */
    {TSL_XC_VALUE, 0, 3}, /* hyb_gga_xc_wb97: cx3 */
    {TSL_XC_VALUE, 0, 2}, /* hyb_gga_xc_wb97: cx2 */
    {TSL_XC_VALUE, 0, 1}, /* hyb_gga_xc_wb97: cx1 */
    {TSL_XC_VALUE, 0, 0}, /* hyb_gga_xc_wb97: cx0 */
    {TSL_XC_VALUE, 0, 9}, /* hyb_gga_xc_wb97: css4 */
    {TSL_XC_VALUE, 0, 8}, /* hyb_gga_xc_wb97: css3 */
    {TSL_XC_VALUE, 0, 7}, /* hyb_gga_xc_wb97: css2 */
    {TSL_XC_VALUE, 0, 6}, /* hyb_gga_xc_wb97: css1 */
    {TSL_XC_VALUE, 0, 5}, /* hyb_gga_xc_wb97: css0 */
    {TSL_XC_VALUE, 0, 14}, /* hyb_gga_xc_wb97: cos4 */
    {TSL_XC_VALUE, 0, 13}, /* hyb_gga_xc_wb97: cos3 */
    {TSL_XC_VALUE, 0, 12}, /* hyb_gga_xc_wb97: cos2 */
    {TSL_XC_VALUE, 0, 11}, /* hyb_gga_xc_wb97: cos1 */
    {TSL_XC_VALUE, 0, 10}, /* hyb_gga_xc_wb97: cos0 */
    {TSL_XC_ZETA, 0, 0},
};

const tsl_xc_unit tsl_xc_hyb_gga_xc_wb97 = {.name = "hyb_gga_xc_wb97",
    .family = TSL_XC_GGA,
    .components = 1,
    .formula = {26},
    .parameters = 21,
    .parameter = parameters,
    .constants = 28,
    .prepare = prepare,
    .instructions = {{262, 420, 918}, {650, 1072, 2422}}};
