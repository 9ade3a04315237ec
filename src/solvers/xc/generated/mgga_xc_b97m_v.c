/* Written by tools/xcgen/xcgen from functionals/mgga_xc_b97m_v.py: do not edit. */
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
#include "solvers/xc/generated/mgga_xc_b97m_v_prepare.inc"

static void prepare(const double *p, double *c)
{
    long double in[21];
    long double out[34];
    for (int i = 0; i < 21; i++) {
        in[i] = p[i];
    }
    xc_mgga_xc_b97m_v_prepare(in, out);
    for (int i = 0; i < 34; i++) {
        c[i] = (double)out[i];
    }
}

static const tsl_xc_parameter parameters[] = {
    {TSL_XC_DENSITY, 0, 0}, /* mgga_xc_b97m_v */
    {TSL_XC_COEFFICIENT, 0, 0}, /* mgga_xc_b97m_v */
    {TSL_XC_FLOOR, 0, 0},
    {TSL_XC_SIGMA, 0, 0}, /* mgga_xc_b97m_v */
    {TSL_XC_TAU, 0, 0},
    {TSL_XC_VALUE, 0, 1}, /* mgga_xc_b97m_v: cx01 */
    {TSL_XC_VALUE, 0, 0}, /* mgga_xc_b97m_v: cx00 */
    {TSL_XC_VALUE, 0, 2}, /* mgga_xc_b97m_v: cx02 */
    {TSL_XC_VALUE, 0, 3}, /* mgga_xc_b97m_v: cx10 */
    {TSL_XC_VALUE, 0, 4}, /* mgga_xc_b97m_v: cx11 */
    {TSL_XC_VALUE, 0, 6}, /* mgga_xc_b97m_v: css02 */
    {TSL_XC_VALUE, 0, 5}, /* mgga_xc_b97m_v: css00 */
    {TSL_XC_VALUE, 0, 7}, /* mgga_xc_b97m_v: css10 */
    {TSL_XC_VALUE, 0, 8}, /* mgga_xc_b97m_v: css32 */
    {TSL_XC_VALUE, 0, 9}, /* mgga_xc_b97m_v: css42 */
    {TSL_XC_VALUE, 0, 11}, /* mgga_xc_b97m_v: cos01 */
    {TSL_XC_VALUE, 0, 10}, /* mgga_xc_b97m_v: cos00 */
    {TSL_XC_VALUE, 0, 12}, /* mgga_xc_b97m_v: cos03 */
    {TSL_XC_VALUE, 0, 13}, /* mgga_xc_b97m_v: cos10 */
    {TSL_XC_VALUE, 0, 14}, /* mgga_xc_b97m_v: cos32 */
    {TSL_XC_ZETA, 0, 0},
};

const tsl_xc_unit tsl_xc_mgga_xc_b97m_v = {.name = "mgga_xc_b97m_v",
    .family = TSL_XC_MGGA,
    .components = 1,
    .formula = {51},
    .parameters = 21,
    .parameter = parameters,
    .constants = 34,
    .prepare = prepare,
    .instructions = {{184, 295, 642}, {521, 872, 2142}}};
