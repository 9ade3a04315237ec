/* Conjugate gradients in three forms. */
#include "sparse/linsolve.h"

/* p.p or the like, for the report of a run that stops. */
static tsl_status square_of(tsl_run *run, const double *v, double *square)
{
    const tsl_step step = tsl_dot(v, v);
    return tsl_run_steps(run, &step, 1, square);
}

tsl_status tsl_run_check_definite(tsl_run *run, double curvature, const double *v, bool *definite)
{
    double size = 1;
    *definite = curvature > 0;
    const tsl_status status = *definite ? TSL_OK : square_of(run, v, &size);
    *definite = tsl_run_is_definite(run, curvature, size);
    return status;
}

tsl_status tsl_run_cg(tsl_run *run)
{
    if (run->plan->scalars != NULL) {
        return tsl_run_cg_ahead(run);
    }
    double *const p = tsl_run_vector(run, 1);
    double *const q = tsl_run_vector(run, 2);
    double *const z = tsl_run_preconditioned(run, run->r, tsl_run_vector(run, 3));
    double rr;
    double rho;
    double beta = 0;
    bool definite;
    tsl_status status = tsl_run_update(run, NULL, 0, z, &rr, &rho);
    while (status == TSL_OK) {
        status = tsl_run_check_definite(run, rho, run->r, &definite);
        if (status != TSL_OK || !definite) {
            return status;
        }
        const tsl_step direction = tsl_combine(p, 1, z, beta, p);
        const tsl_step product[] = {tsl_run_product(run, q, p), tsl_dot(p, q)};
        double pq = 0;
        status = tsl_run_steps(run, &direction, 1, NULL);
        if (status == TSL_OK) {
            status = tsl_run_steps(run, product, 2, &pq);
        }
        if (status == TSL_OK) {
            status = tsl_run_check_definite(run, pq, p, &definite);
        }
        if (status != TSL_OK || !definite) {
            return status;
        }
        const double alpha = rho / pq;
        const tsl_step step[] = {tsl_combine(run->x, 1, run->x, alpha, p),
                                 tsl_combine(run->r, 1, run->r, -alpha, q)};
        const double before = rho;
        status = tsl_run_update(run, step, 2, z, &rr, &rho);
        if (status != TSL_OK || !tsl_run_goes_on(run, rr)) {
            return status;
        }
        beta = rho / before;
    }
    return status;
}

/* The recurrences that one reduction's sums lead to. */
typedef struct scalars {
    double alpha, beta, gamma;
} scalars;

/* From gamma = r.u and delta = u.A u; p.A p is delta - beta gamma / alpha. */
static tsl_status next_scalars(tsl_run *run, scalars *s, double gamma, double delta,
                               const double *u, bool *definite)
{
    tsl_status status = tsl_run_check_definite(run, gamma, run->r, definite);
    if (status != TSL_OK || !*definite) {
        return status;
    }
    s->beta = s->gamma > 0 ? gamma / s->gamma : 0;
    const double curvature = delta - (s->gamma > 0 ? s->beta * gamma / s->alpha : 0);
    s->gamma = gamma;
    s->alpha = gamma / curvature;
    return tsl_run_check_definite(run, curvature, u, definite);
}

tsl_status tsl_run_cg_single(tsl_run *run)
{
    double *const p = tsl_run_vector(run, 1);
    double *const s = tsl_run_vector(run, 2);
    double *const w = tsl_run_vector(run, 3);
    double *const u = tsl_run_preconditioned(run, run->r, tsl_run_vector(run, 4));
    scalars c = {0};
    bool first = true;
    for (tsl_status status = TSL_OK;; first = false) {
        double sums[3];
        bool definite = true;
        status = tsl_run_precondition(run, u, run->r, 0);
        const tsl_step product[] = {tsl_run_product(run, w, u), tsl_dot(run->r, u), tsl_dot(w, u),
                                    tsl_dot(run->r, run->r)};
        if (status == TSL_OK) {
            status = tsl_run_steps(run, product, 4, sums);
        }
        if (status != TSL_OK || (!first && !tsl_run_goes_on(run, sums[2]))) {
            return status;
        }
        status = next_scalars(run, &c, sums[0], sums[1], u, &definite);
        if (status != TSL_OK || !definite) {
            return status;
        }
        const tsl_step step[] = {tsl_combine(p, 1, u, c.beta, p), tsl_combine(s, 1, w, c.beta, s),
                                 tsl_combine(run->x, 1, run->x, c.alpha, p),
                                 tsl_combine(run->r, 1, run->r, -c.alpha, s)};
        status = tsl_run_steps(run, step, 4, NULL);
        if (status != TSL_OK) {
            return status;
        }
    }
}

tsl_status tsl_run_cg_pipelined(tsl_run *run)
{
    double *const p = tsl_run_vector(run, 1);
    double *const s = tsl_run_vector(run, 2);
    double *const q = tsl_run_vector(run, 3);
    double *const z = tsl_run_vector(run, 4);
    double *const w = tsl_run_vector(run, 5);
    double *const n = tsl_run_vector(run, 6);
    double *const u = tsl_run_preconditioned(run, run->r, tsl_run_vector(run, 7));
    double *const m = tsl_run_preconditioned(run, w, tsl_run_vector(run, 8));
    const bool plain = u == run->r;
    scalars c = {0};
    bool first = true;
    tsl_status status = tsl_run_precondition(run, u, run->r, 0);
    const tsl_step begin[] = {tsl_run_product(run, w, u), tsl_dot(run->r, u), tsl_dot(w, u),
                              tsl_dot(run->r, run->r)};
    if (status == TSL_OK) {
        status = tsl_run_part(run, begin, 4, 3, 0);
    }
    while (status == TSL_OK) {
        double sums[3];
        bool definite = true;
        status = tsl_run_precondition(run, m, w, 0);
        if (status == TSL_OK) {
            status = tsl_run_product_and_sums(run, n, m, 3, sums);
        }
        if (status != TSL_OK || (!first && !tsl_run_goes_on(run, sums[2]))) {
            return status;
        }
        first = false;
        status = next_scalars(run, &c, sums[0], sums[1], u, &definite);
        if (status != TSL_OK || !definite) {
            return status;
        }
        /* without a preconditioner q is s, u is r */
        const double a = c.alpha;
        const double b = c.beta;
        const tsl_step step[] = {tsl_combine(z, 1, n, b, z),
                                 tsl_combine(s, 1, w, b, s),
                                 tsl_combine(p, 1, u, b, p),
                                 tsl_combine(run->x, 1, run->x, a, p),
                                 tsl_combine(run->r, 1, run->r, -a, s),
                                 tsl_combine(w, 1, w, -a, z),
                                 tsl_dot(run->r, u),
                                 tsl_dot(w, u),
                                 tsl_dot(run->r, run->r)};
        const tsl_step preconditioned[] = {tsl_combine(z, 1, n, b, z),
                                           tsl_combine(q, 1, m, b, q),
                                           tsl_combine(s, 1, w, b, s),
                                           tsl_combine(p, 1, u, b, p),
                                           tsl_combine(run->x, 1, run->x, a, p),
                                           tsl_combine(run->r, 1, run->r, -a, s),
                                           tsl_combine(u, 1, u, -a, q),
                                           tsl_combine(w, 1, w, -a, z),
                                           tsl_dot(run->r, u),
                                           tsl_dot(w, u),
                                           tsl_dot(run->r, run->r)};
        status =
            plain ? tsl_run_part(run, step, 9, 3, 0) : tsl_run_part(run, preconditioned, 11, 3, 0);
    }
    return status;
}
