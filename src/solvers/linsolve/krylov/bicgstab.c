/* BiCGStab, preconditioned from the right. */
#include <math.h>

#include "solvers/linsolve/linsolve.h"

/* Where the shadow residual is orthogonal to what it is multiplied with to so many digits there is
 * nothing to divide by. A product that is no more than its sum's rounding, 1e-16, is still to be
 * had: what it spoils mends as often as not, and if not the residual tells. */
static bool breaks_down(double product, double a, double b)
{
    return !(fabs(product) > 1e-30 * sqrt(a) * sqrt(b));
}

tsl_status tsl_run_bicgstab(tsl_run *run)
{
    double *const r = run->r;
    double *const shadow = tsl_run_vector(run, 1);
    double *const p = tsl_run_vector(run, 2);
    double *const v = tsl_run_vector(run, 3);
    double *const t = tsl_run_vector(run, 4);
    double *const mp = tsl_run_preconditioned(run, p, tsl_run_vector(run, 5));
    double *const mr = tsl_run_preconditioned(run, r, tsl_run_vector(run, 6));
    const tsl_expression begin[] = {tsl_combine(shadow, 1, r, 0, NULL),
                                    tsl_combine(p, 1, r, 0, NULL), tsl_dot(r, r)};
    double rho;
    tsl_status status = tsl_run_expressions(run, begin, 3, &rho);
    const double shadow_square = rho;
    while (status == TSL_OK) {
        double first[2] = {0};
        double second[3];
        double third[2];
        status = tsl_run_precondition(run, mp, p, 0);
        const tsl_expression product[] = {tsl_run_product(run, v, mp), tsl_dot(shadow, v),
                                          tsl_dot(v, v)};
        status = status == TSL_OK ? tsl_run_expressions(run, product, 3, first) : status;
        if (status != TSL_OK || breaks_down(first[0], shadow_square, first[1])) {
            tsl_run_stop_at(run, first[0]);
            return status;
        }
        const double alpha = rho / first[0];
        const tsl_expression half[] = {tsl_combine(r, 1, r, -alpha, v)};
        status = tsl_run_expressions(run, half, 1, NULL);
        status = status == TSL_OK ? tsl_run_precondition(run, mr, r, 0) : status;
        const tsl_expression again[] = {tsl_run_product(run, t, mr), tsl_dot(t, r), tsl_dot(t, t),
                                        tsl_dot(r, r)};
        status = status == TSL_OK ? tsl_run_expressions(run, again, 4, second) : status;
        if (status != TSL_OK) {
            return status;
        }
        /* r = 0 already: any omega will do */
        const double omega = second[1] > 0 ? second[0] / second[1] : 0;
        const tsl_expression expression[] = {
            tsl_combine(run->x, 1, run->x, alpha, mp), tsl_combine(run->x, 1, run->x, omega, mr),
            tsl_combine(r, 1, r, -omega, t), tsl_dot(r, r), tsl_dot(shadow, r)};
        status = tsl_run_expressions(run, expression, 5, third);
        if (status != TSL_OK || !tsl_run_goes_on(run, third[0])) {
            return status;
        }
        if (omega == 0 || breaks_down(third[1], shadow_square, third[0])) {
            tsl_run_stop_at(run, third[1]);
            return TSL_OK;
        }
        const double beta = third[1] / rho * (alpha / omega);
        rho = third[1];
        const tsl_expression direction[] = {tsl_combine(p, 1, p, -omega, v),
                                            tsl_combine(p, 1, r, beta, p)};
        status = tsl_run_expressions(run, direction, 2, NULL);
    }
    return status;
}
