/* Written by tools/xcgen/xcgen from functionals/lda_c_vwn_rpa.py: do not edit. */
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
#include "solvers/xc/generated/lda_c_vwn_rpa_prepare.inc"

static void prepare(const double *p, double *c)
{
    long double in[12];
    long double out[35];
    for (int i = 0; i < 12; i++) {
        in[i] = p[i];
    }
    xc_lda_c_vwn_rpa_prepare(in, out);
    for (int i = 0; i < 35; i++) {
        c[i] = (double)out[i];
    }
}

static const tsl_xc_parameter parameters[] = {
    {TSL_XC_DENSITY, 0, 0}, /* lda_c_vwn_rpa */
    {TSL_XC_COEFFICIENT, 0, 0}, /* lda_c_vwn_rpa */
    {TSL_XC_FLOOR, 0, 0},
    {TSL_XC_VALUE, 0, 1}, /* lda_c_vwn_rpa: b1 */
    {TSL_XC_VALUE, 0, 2}, /* lda_c_vwn_rpa: c1 */
    {TSL_XC_VALUE, 0, 3}, /* lda_c_vwn_rpa: x01 */
    {TSL_XC_VALUE, 0, 0}, /* lda_c_vwn_rpa: a1 */
    {TSL_XC_ZETA, 0, 0},
    {TSL_XC_VALUE, 0, 5}, /* lda_c_vwn_rpa: b2 */
    {TSL_XC_VALUE, 0, 6}, /* lda_c_vwn_rpa: c2 */
    {TSL_XC_VALUE, 0, 7}, /* lda_c_vwn_rpa: x02 */
    {TSL_XC_VALUE, 0, 4}, /* lda_c_vwn_rpa: a2 */
};

const tsl_xc_unit tsl_xc_lda_c_vwn_rpa = {.name = "lda_c_vwn_rpa",
    .family = TSL_XC_LDA,
    .components = 1,
    .formula = {33},
    .parameters = 12,
    .parameter = parameters,
    .constants = 35,
    .prepare = prepare,
    .instructions = {{129, 159, 198}, {282, 360, 552}}};
