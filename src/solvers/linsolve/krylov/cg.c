/* Conjugate gradients in three forms. */
#include "solvers/linsolve/linsolve.h"

/* p.p or the like, for the report of a run that stops. */
static tsl_status square_of(tsl_run *run, const double *v, double *square)
{
    const tsl_expression expression = tsl_dot(v, v);
    return tsl_run_expressions(run, &expression, 1, square);
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
    const bool single = run->plan->m.apply_single != NULL;
    double *const z = single ? NULL : tsl_run_preconditioned(run, run->r, tsl_run_vector(run, 3));
    double rr;
    double rho;
    double beta = 0;
    bool definite;
    tsl_status status = tsl_run_update(run, NULL, 0, z, &rr, &rho);
    tsl_run_measure(run, rho);
    while (status == TSL_OK) {
        status = tsl_run_check_definite(run, rho, run->r, &definite);
        if (status != TSL_OK || !definite) {
            return status;
        }
        const tsl_expression direction[] = {tsl_widen(NULL, run->factor, run->single),
                                            tsl_combine(p, 1, z, beta, p)};
        const tsl_expression product[] = {tsl_run_product(run, q, p), tsl_dot(p, q)};
        double pq = 0;
        status = single ? tsl_run_expressions(run, direction, 2, NULL)
                        : tsl_run_expressions(run, &direction[1], 1, NULL);
        if (status == TSL_OK) {
            status = tsl_run_expressions(run, product, 2, &pq);
        }
        if (status == TSL_OK) {
            status = tsl_run_check_definite(run, pq, p, &definite);
        }
        if (status != TSL_OK || !definite) {
            return status;
        }
        const double alpha = rho / pq;
        const tsl_expression expression[] = {tsl_combine(run->x, 1, run->x, alpha, p),
                                             tsl_combine(run->r, 1, run->r, -alpha, q)};
        const double before = rho;
        status = tsl_run_update(run, expression, 2, z, &rr, &rho);
        tsl_run_measure(run, rho);
        if (status != TSL_OK || !tsl_run_goes_on(run, tsl_run_weighed(run, rr, rho))) {
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

/* The run was stopped at a sum that stands for one of the curvature; `value` and `size` are the
 * curvature itself, of v and v.v. If that is above 0 the sum was nothing but rounding. */
static void tell_overtaken(tsl_run *run, double value, double size)
{
    if (!tsl_run_is_definite(run, value, size)) {
        return;
    }
    run->stop = TSL_LINSOLVE_STAGNATED;
    run->overtaken = true;
}

/* gamma, of an updated u, was not above 0: is r.M r? */
static tsl_status check_gamma(tsl_run *run, double *space)
{
    double *const u = tsl_run_preconditioned(run, run->r, space);
    double sums[2] = {0};
    tsl_status status = tsl_run_precondition(run, u, run->r, 0);
    const tsl_expression dots[] = {tsl_dot(run->r, u), tsl_dot(run->r, run->r)};
    status = status == TSL_OK ? tsl_run_expressions(run, dots, 2, sums) : status;
    if (status == TSL_OK) {
        tell_overtaken(run, sums[0], sums[1]);
    }
    return status;
}

/* What p.A p was made of was not above 0: is it, of p = u + beta p? */
static tsl_status check_curvature(tsl_run *run, double beta, double *p, const double *u,
                                  double *space)
{
    double sums[2] = {0};
    const tsl_expression direction = tsl_combine(p, 1, u, beta, p);
    const tsl_expression product[] = {tsl_run_product(run, space, p), tsl_dot(p, space),
                                      tsl_dot(p, p)};
    tsl_status status = tsl_run_expressions(run, &direction, 1, NULL);
    status = status == TSL_OK ? tsl_run_expressions(run, product, 3, sums) : status;
    if (status == TSL_OK) {
        tell_overtaken(run, sums[0], sums[1]);
    }
    return status;
}

/* From gamma = r.u and delta = u.A u; p.A p is delta - beta gamma / alpha. Where one of them ends
 * the run p and `space` are overwritten. */
static tsl_status next_scalars(tsl_run *run, scalars *s, double gamma, double delta, double *p,
                               const double *u, double *space, bool *definite)
{
    const bool first = !(s->gamma > 0);
    tsl_status status = tsl_run_check_definite(run, gamma, run->r, definite);
    if (status != TSL_OK || !*definite) {
        const bool doubtful = status == TSL_OK && run->stop == TSL_LINSOLVE_INDEFINITE && !first;
        return doubtful ? check_gamma(run, space) : status;
    }
    s->beta = first ? 0 : gamma / s->gamma;
    const double curvature = delta - (first ? 0 : s->beta * gamma / s->alpha);
    s->gamma = gamma;
    s->alpha = gamma / curvature;
    status = tsl_run_check_definite(run, curvature, u, definite);
    const bool doubtful =
        status == TSL_OK && !*definite && !first && run->stop == TSL_LINSOLVE_INDEFINITE;
    return doubtful ? check_curvature(run, s->beta, p, u, space) : status;
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
        const tsl_expression product[] = {tsl_run_product(run, w, u), tsl_dot(run->r, u),
                                          tsl_dot(w, u), tsl_dot(run->r, run->r)};
        if (status == TSL_OK) {
            status = tsl_run_expressions(run, product, 4, sums);
            tsl_run_measure(run, sums[0]);
        }
        if (status != TSL_OK || (!first && !tsl_run_goes_on(run, sums[2]))) {
            return status;
        }
        status = next_scalars(run, &c, sums[0], sums[1], p, u, s, &definite);
        if (status != TSL_OK || !definite) {
            return status;
        }
        const tsl_expression expression[] = {tsl_combine(p, 1, u, c.beta, p),
                                             tsl_combine(s, 1, w, c.beta, s),
                                             tsl_combine(run->x, 1, run->x, c.alpha, p),
                                             tsl_combine(run->r, 1, run->r, -c.alpha, s)};
        status = tsl_run_expressions(run, expression, 4, NULL);
        if (status != TSL_OK) {
            return status;
        }
    }
}

enum { REPLACED = 100 /* iterations after which what was updated is made afresh */ };

/* The pipelined method's vectors: u = M r, w = A u, s = A p, q = M s, z = A q. */
typedef struct pipeline {
    double *p, *s, *q, *z, *w, *u;
} pipeline;

/* What the updates have lost to rounding is made good: all from x and p. Leaves the three sums. */
static tsl_status replace(tsl_run *run, const pipeline *v)
{
    const tsl_expression residual[] = {tsl_run_product(run, run->r, run->x),
                                       tsl_combine(run->r, 1, run->b, -1, run->r)};
    const tsl_expression s = tsl_run_product(run, v->s, v->p);
    const tsl_expression z = tsl_run_product(run, v->z, v->q);
    const tsl_expression w[] = {tsl_run_product(run, v->w, v->u), tsl_dot(run->r, v->u),
                                tsl_dot(v->w, v->u), tsl_dot(run->r, run->r)};
    tsl_status status = tsl_run_expressions(run, residual, 2, NULL);
    status = status == TSL_OK ? tsl_run_precondition(run, v->u, run->r, 0) : status;
    status = status == TSL_OK ? tsl_run_expressions(run, &s, 1, NULL) : status;
    status = status == TSL_OK ? tsl_run_precondition(run, v->q, v->s, 0) : status;
    status = status == TSL_OK ? tsl_run_expressions(run, &z, 1, NULL) : status;
    return status == TSL_OK ? tsl_run_part(run, w, 4, 3, 0) : status;
}

/* An iteration's vectors from its scalars, M w = m and A m = n, and the next sums' parts. */
static tsl_status go_on(tsl_run *run, const pipeline *v, double *n, double *m, const scalars *c)
{
    double *const p = v->p;
    double *const s = v->s;
    double *const q = v->q;
    double *const z = v->z;
    double *const w = v->w;
    double *const u = v->u;
    /* without a preconditioner q is s, u is r */
    const double a = c->alpha;
    const double b = c->beta;
    const tsl_expression expression[] = {tsl_combine(z, 1, n, b, z),
                                         tsl_combine(s, 1, w, b, s),
                                         tsl_combine(p, 1, u, b, p),
                                         tsl_combine(run->x, 1, run->x, a, p),
                                         tsl_combine(run->r, 1, run->r, -a, s),
                                         tsl_combine(w, 1, w, -a, z),
                                         tsl_dot(run->r, u),
                                         tsl_dot(w, u),
                                         tsl_dot(run->r, run->r)};
    const tsl_expression preconditioned[] = {tsl_combine(z, 1, n, b, z),
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
    return u == run->r ? tsl_run_part(run, expression, 9, 3, 0)
                       : tsl_run_part(run, preconditioned, 11, 3, 0);
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
    const pipeline vectors = {p, s, plain ? s : q, z, w, u};
    scalars c = {0};
    bool first = true;
    tsl_status status = tsl_run_precondition(run, u, run->r, 0);
    const tsl_expression begin[] = {tsl_run_product(run, w, u), tsl_dot(run->r, u), tsl_dot(w, u),
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
            tsl_run_measure(run, sums[0]);
        }
        if (status != TSL_OK || (!first && !tsl_run_goes_on(run, sums[2]))) {
            return status;
        }
        first = false;
        status = next_scalars(run, &c, sums[0], sums[1], p, u, s, &definite);
        if (status != TSL_OK || !definite) {
            return status;
        }
        status = go_on(run, &vectors, n, m, &c);
        if (status == TSL_OK && (run->iterations + 1) % REPLACED == 0) {
            status = replace(run, &vectors);
        }
    }
    return status;
}
