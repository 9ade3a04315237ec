/* The arrays of a call, one row each, and which of them a family has. */
#include <string.h>

#include "solvers/xc/plan.h"

#define ROW(name, a, b, order, ...)                                                                \
    {                                                                                              \
#name, offsetof(tsl_xc_arrays, name), {a, b }, order, __VA_ARGS__                          \
    }
const tsl_xc_row tsl_xc_rows[TSL_XC_ROWS] = {
    ROW(rho, 1, 2, -1, TSL_XC_OF_RHO, TSL_XC_OF_RHO, TSL_XC_OF_RHO),
    ROW(sigma, 1, 3, -1, TSL_XC_OF_SIGMA, TSL_XC_OF_RHO, TSL_XC_OF_RHO),
    ROW(lapl, 1, 2, -1, TSL_XC_OF_LAPL, TSL_XC_OF_RHO, TSL_XC_OF_RHO),
    ROW(tau, 1, 2, -1, TSL_XC_OF_TAU, TSL_XC_OF_RHO, TSL_XC_OF_RHO),
    ROW(exc, 1, 1, 0, TSL_XC_OF_RHO, TSL_XC_OF_RHO, TSL_XC_OF_RHO),
    ROW(vrho, 1, 2, 1, TSL_XC_OF_RHO, TSL_XC_OF_RHO, TSL_XC_OF_RHO),
    ROW(vsigma, 1, 3, 1, TSL_XC_OF_SIGMA, TSL_XC_OF_SIGMA, TSL_XC_OF_RHO),
    ROW(vlapl, 1, 2, 1, TSL_XC_OF_LAPL, TSL_XC_OF_LAPL, TSL_XC_OF_RHO),
    ROW(vtau, 1, 2, 1, TSL_XC_OF_TAU, TSL_XC_OF_TAU, TSL_XC_OF_RHO),
    ROW(v2rho2, 1, 3, 2, TSL_XC_OF_RHO, TSL_XC_OF_RHO, TSL_XC_OF_RHO),
    ROW(v2rhosigma, 1, 6, 2, TSL_XC_OF_RHO, TSL_XC_OF_SIGMA, TSL_XC_OF_RHO),
    ROW(v2rholapl, 1, 4, 2, TSL_XC_OF_RHO, TSL_XC_OF_LAPL, TSL_XC_OF_RHO),
    ROW(v2rhotau, 1, 4, 2, TSL_XC_OF_RHO, TSL_XC_OF_TAU, TSL_XC_OF_RHO),
    ROW(v2sigma2, 1, 6, 2, TSL_XC_OF_SIGMA, TSL_XC_OF_SIGMA, TSL_XC_OF_RHO),
    ROW(v2sigmalapl, 1, 6, 2, TSL_XC_OF_SIGMA, TSL_XC_OF_LAPL, TSL_XC_OF_RHO),
    ROW(v2sigmatau, 1, 6, 2, TSL_XC_OF_SIGMA, TSL_XC_OF_TAU, TSL_XC_OF_RHO),
    ROW(v2lapl2, 1, 3, 2, TSL_XC_OF_LAPL, TSL_XC_OF_LAPL, TSL_XC_OF_RHO),
    ROW(v2lapltau, 1, 4, 2, TSL_XC_OF_LAPL, TSL_XC_OF_TAU, TSL_XC_OF_RHO),
    ROW(v2tau2, 1, 3, 2, TSL_XC_OF_TAU, TSL_XC_OF_TAU, TSL_XC_OF_RHO),
    ROW(v3rho3, 1, 4, 3, TSL_XC_OF_RHO, TSL_XC_OF_RHO, TSL_XC_OF_RHO),
    ROW(v3rho2sigma, 1, 9, 3, TSL_XC_OF_RHO, TSL_XC_OF_RHO, TSL_XC_OF_SIGMA),
    ROW(v3rho2lapl, 1, 6, 3, TSL_XC_OF_RHO, TSL_XC_OF_RHO, TSL_XC_OF_LAPL),
    ROW(v3rho2tau, 1, 6, 3, TSL_XC_OF_RHO, TSL_XC_OF_RHO, TSL_XC_OF_TAU),
    ROW(v3rhosigma2, 1, 12, 3, TSL_XC_OF_RHO, TSL_XC_OF_SIGMA, TSL_XC_OF_SIGMA),
    ROW(v3rhosigmalapl, 1, 12, 3, TSL_XC_OF_RHO, TSL_XC_OF_SIGMA, TSL_XC_OF_LAPL),
    ROW(v3rhosigmatau, 1, 12, 3, TSL_XC_OF_RHO, TSL_XC_OF_SIGMA, TSL_XC_OF_TAU),
    ROW(v3rholapl2, 1, 6, 3, TSL_XC_OF_RHO, TSL_XC_OF_LAPL, TSL_XC_OF_LAPL),
    ROW(v3rholapltau, 1, 8, 3, TSL_XC_OF_RHO, TSL_XC_OF_LAPL, TSL_XC_OF_TAU),
    ROW(v3rhotau2, 1, 6, 3, TSL_XC_OF_RHO, TSL_XC_OF_TAU, TSL_XC_OF_TAU),
    ROW(v3sigma3, 1, 10, 3, TSL_XC_OF_SIGMA, TSL_XC_OF_SIGMA, TSL_XC_OF_SIGMA),
    ROW(v3sigma2lapl, 1, 12, 3, TSL_XC_OF_SIGMA, TSL_XC_OF_SIGMA, TSL_XC_OF_LAPL),
    ROW(v3sigma2tau, 1, 12, 3, TSL_XC_OF_SIGMA, TSL_XC_OF_SIGMA, TSL_XC_OF_TAU),
    ROW(v3sigmalapl2, 1, 9, 3, TSL_XC_OF_SIGMA, TSL_XC_OF_LAPL, TSL_XC_OF_LAPL),
    ROW(v3sigmalapltau, 1, 12, 3, TSL_XC_OF_SIGMA, TSL_XC_OF_LAPL, TSL_XC_OF_TAU),
    ROW(v3sigmatau2, 1, 9, 3, TSL_XC_OF_SIGMA, TSL_XC_OF_TAU, TSL_XC_OF_TAU),
    ROW(v3lapl3, 1, 4, 3, TSL_XC_OF_LAPL, TSL_XC_OF_LAPL, TSL_XC_OF_LAPL),
    ROW(v3lapl2tau, 1, 6, 3, TSL_XC_OF_LAPL, TSL_XC_OF_LAPL, TSL_XC_OF_TAU),
    ROW(v3lapltau2, 1, 6, 3, TSL_XC_OF_LAPL, TSL_XC_OF_TAU, TSL_XC_OF_TAU),
    ROW(v3tau3, 1, 4, 3, TSL_XC_OF_TAU, TSL_XC_OF_TAU, TSL_XC_OF_TAU),
};

/* Does a family depend on a variable? */
static bool depends(tsl_xc_family family, int variable)
{
    static const bool table[][TSL_XC_VARIABLES] = {{true, false, false, false},
                                                   {true, true, false, false},
                                                   {true, true, false, true},
                                                   {true, true, true, true}};
    return table[family][variable];
}

bool tsl_xc_depends(tsl_xc_family family, const tsl_xc_row *row)
{
    return depends(family, row->first) && depends(family, row->second) &&
           depends(family, row->third);
}

double *tsl_xc_address(const tsl_xc_arrays *arrays, const tsl_xc_row *row)
{
    double *address;
    memcpy(&address, (const char *)arrays + row->offset, sizeof address);
    return address;
}

const float *tsl_xc_float_address(const tsl_xc_arrays *arrays, const tsl_xc_row *row)
{
    const float *const of[TSL_XC_VARIABLES] = {arrays->rho_float, arrays->sigma_float,
                                               arrays->lapl_float, arrays->tau_float};
    return row->order < 0 ? of[row->first] : NULL;
}
