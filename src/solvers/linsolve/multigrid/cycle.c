/* A V-cycle. The same polynomial q smooths before and after, so that M is symmetric: it leaves
 * q (1 - T B T^T A) q of an error, T the aggregates' vectors and B near the inverse of P^T A P, the
 * level below. q has a factor that is nearly 1 - omega D^-1 A, with which T is P: so the cycle is
 * that of smoothed aggregation, but P, which has more entries than a short-rowed matrix, is neither
 * stored nor read. A positive semidefinite B leaves M positive definite. */
#include <math.h>

#include "core/context.h"
#include "solvers/linsolve/multigrid/multigrid.h"

static tsl_status run(const tsl_multigrid *mg, const tsl_layout *layout,
                      const tsl_expression *steps, int count)
{
    return tsl_expressions_run(mg->context, &(tsl_expressions){.layout = layout,
                                                               .bytes = mg->bytes,
                                                               .count = count,
                                                               .expressions = steps});
}

/* Level l's right-hand side is there and, if it is smoothed, the first step from 0; *out becomes
 * its solution. */
static tsl_status descend(tsl_multigrid *mg, int l, void **out);

static tsl_status solve_coarsest(tsl_multigrid *mg, const tsl_level *v, void **out)
{
    *out = v->x[0];
    tsl_status status = tsl_layout_gather(v->layout, mg->context, v->b, mg->bytes);
    if (status != TSL_OK) {
        return status;
    }
    if (mg->inverse.gpu != NULL) {
        const tsl_expression product = tsl_product(v->x[0], &mg->inverse, NULL, v->b);
        return run(mg, v->layout, &product, 1);
    }
    const int64_t n = v->rows;
    for (int64_t i = 0; i < n; i++) {
        mg->dense[i] = mg->bytes == 8 ? ((double *)v->b)[i] : (double)((float *)v->b)[i];
    }
    tsl_dense_solve(mg->factor, n, mg->dense);
    const tsl_expression load = tsl_load(v->x[0], 1 / mg->scale, mg->dense);
    return run(mg, v->layout, &load, 1);
}

/* Is level l smoothed, not solved? */
static bool is_smoothed(const tsl_multigrid *mg, int l)
{
    return l < mg->levels - 1 || !mg->solved;
}

/* Run the wavefront with the residual behind it, solve for that below, and begin the wavefront anew
 * with what that adds to x. */
static tsl_status correct_from_below(tsl_multigrid *mg, int l, tsl_wavefront *wavefront, void *x,
                                     void *other)
{
    const tsl_level *v = &mg->level[l];
    const tsl_level *below = &mg->level[l + 1];
    tsl_expression product = v->smoother.product;
    product.x = x;
    const tsl_expression residual[] = {product, tsl_combine(other, 1, v->b, -1, NULL)};
    tsl_status status = tsl_wavefront_add(wavefront, residual, 2);
    const tsl_expression down[] = {tsl_product(below->b, &v->form_r, &v->halo_r, other),
                                   tsl_smooth_first(&below->smoother, below->x[0], below->b)};
    void *coarse = NULL;
    if (status == TSL_OK) {
        status = tsl_wavefront_run(wavefront);
    }
    if (status == TSL_OK) {
        status = run(mg, below->layout, down, is_smoothed(mg, l + 1) ? 2 : 1);
    }
    if (status == TSL_OK) {
        status = descend(mg, l + 1, &coarse);
    }
    const tsl_expression up[] = {tsl_product(NULL, &v->form_p, &v->halo_p, coarse),
                                 tsl_combine(x, 1, x, 1, NULL)};
    return status == TSL_OK ? tsl_wavefront_add(wavefront, up, 2) : status;
}

static tsl_status descend(tsl_multigrid *mg, int l, void **out)
{
    const tsl_level *v = &mg->level[l];
    if (!is_smoothed(mg, l)) {
        return solve_coarsest(mg, v, out);
    }
    void *x = NULL;
    tsl_wavefront wavefront = tsl_smooth_wavefront(&v->smoother, mg->context);
    tsl_status status = tsl_smooth(&v->smoother, &wavefront, &x, v->x, NULL, v->b, true);
    void *const from[2] = {x, x == v->x[0] ? v->x[1] : v->x[0]};
    if (status == TSL_OK && l < mg->levels - 1) {
        status = correct_from_below(mg, l, &wavefront, x, from[1]);
    }
    if (status == TSL_OK) {
        status = tsl_smooth(&v->smoother, &wavefront, out, from, NULL, v->b, false);
    }
    return status == TSL_OK ? tsl_wavefront_run(&wavefront) : status;
}

static tsl_status measure(tsl_multigrid *mg, const double *r, double *norm)
{
    const tsl_layout *layout = mg->level[0].layout;
    const tsl_expression dot = tsl_dot(r, r);
    tsl_status status = tsl_expressions_run(mg->context, &(tsl_expressions){.layout = layout,
                                                                            .bytes = 8,
                                                                            .count = 1,
                                                                            .expressions = &dot,
                                                                            .sums = mg->sums,
                                                                            .width = 1});
    if (status == TSL_OK) {
        status = tsl_sums_gather(mg->context, mg->sums, layout, 1);
    }
    double square = 0;
    if (status == TSL_OK) {
        status = tsl_sums_add_up(mg->context, &square, mg->sums, layout, 1);
    }
    *norm = sqrt(square);
    return status;
}

tsl_status tsl_multigrid_cycle(void *self)
{
    tsl_multigrid *mg = self;
    return descend(mg, 0, &mg->result);
}

/* A cycle on r: M r is *out times mg->result. */
static tsl_status apply(tsl_multigrid *mg, double *out, const double *r, double norm)
{
    const tsl_level *finest = &mg->level[0];
    tsl_status status = norm > 0 ? TSL_OK : measure(mg, r, &norm);
    /* a power of two near 1 / ||r||, so that single precision holds r */
    const double factor = norm > 0 && isfinite(norm) ? ldexp(1, -ilogb(norm)) : 0;
    const tsl_expression load[] = {tsl_load(finest->b, factor, r),
                                   tsl_smooth_first(&finest->smoother, finest->x[0], finest->b)};
    if (status == TSL_OK) {
        status = run(mg, finest->layout, load, is_smoothed(mg, 0) ? 2 : 1);
    }
    if (status == TSL_OK) {
        status = mg->cycle != NULL ? mg->context->ops->replay(mg->cycle) : tsl_multigrid_cycle(mg);
    }
    *out = factor > 0 ? mg->scale / factor : 0;
    return status;
}

tsl_status tsl_multigrid_apply(void *self, double *z, const double *r, double norm)
{
    tsl_multigrid *mg = self;
    double factor = 0;
    const tsl_status status = apply(mg, &factor, r, norm);
    const tsl_expression store = tsl_store(z, factor, mg->result);
    return status == TSL_OK ? run(mg, mg->level[0].layout, &store, 1) : status;
}

tsl_status tsl_multigrid_apply_single(void *self, const float **z, double *factor, const double *r,
                                      double norm)
{
    tsl_multigrid *mg = self;
    const tsl_status status = apply(mg, factor, r, norm);
    *z = mg->result;
    return status;
}
