/* Written by tools/xcgen/xcgen from functionals/lda_c_vwn.py: do not edit. */
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
#include "solvers/xc/generated/lda_c_vwn_prepare.inc"

static void prepare(const double *p, double *c)
{
    long double in[16];
    long double out[50];
    for (int i = 0; i < 16; i++) {
        in[i] = p[i];
    }
    xc_lda_c_vwn_prepare(in, out);
    for (int i = 0; i < 50; i++) {
        c[i] = (double)out[i];
    }
}

static const tsl_xc_parameter parameters[] = {
    {TSL_XC_DENSITY, 0, 0}, /* lda_c_vwn */
    {TSL_XC_COEFFICIENT, 0, 0}, /* lda_c_vwn */
    {TSL_XC_FLOOR, 0, 0},
    {TSL_XC_VALUE, 0, 1}, /* lda_c_vwn: b1 */
    {TSL_XC_VALUE, 0, 2}, /* lda_c_vwn: c1 */
    {TSL_XC_VALUE, 0, 3}, /* lda_c_vwn: x01 */
    {TSL_XC_VALUE, 0, 0}, /* lda_c_vwn: a1 */
    {TSL_XC_ZETA, 0, 0},
    {TSL_XC_VALUE, 0, 9}, /* lda_c_vwn: b3 */
    {TSL_XC_VALUE, 0, 10}, /* lda_c_vwn: c3 */
    {TSL_XC_VALUE, 0, 11}, /* lda_c_vwn: x03 */
    {TSL_XC_VALUE, 0, 8}, /* lda_c_vwn: a3 */
    {TSL_XC_VALUE, 0, 5}, /* lda_c_vwn: b2 */
    {TSL_XC_VALUE, 0, 6}, /* lda_c_vwn: c2 */
    {TSL_XC_VALUE, 0, 7}, /* lda_c_vwn: x02 */
    {TSL_XC_VALUE, 0, 4}, /* lda_c_vwn: a2 */
};

const tsl_xc_unit tsl_xc_lda_c_vwn = {.name = "lda_c_vwn",
    .family = TSL_XC_LDA,
    .components = 1,
    .formula = {32},
    .parameters = 16,
    .parameter = parameters,
    .constants = 50,
    .prepare = prepare,
    .instructions = {{129, 159, 198}, {385, 495, 776}}};
