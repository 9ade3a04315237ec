/* Chebyshev's polynomial as preconditioner. */
#include "core/context.h"
#include "solvers/linsolve/linsolve.h"
#include "solvers/linsolve/precondition/smooth.h"
#include "solvers/linsolve/ranges.h"

typedef struct chebyshev {
    tsl_context *context;
    tsl_smoother smoother;
    double *iterate;
    double *product; /* of an operator; NULL: of a matrix */
    void *memory;
} chebyshev;

static void destroy(void *self)
{
    chebyshev *c = self;
    tsl_vectors_release(c->context, c->memory);
    tsl_release(c);
}

/* Iterates take turns, so that the last one is z. */
static tsl_status apply(void *self, double *z, const double *r, double norm)
{
    (void)norm;
    const chebyshev *c = self;
    const bool ends_first = c->smoother.degree % 2 == 1;
    void *const x[2] = {ends_first ? z : c->iterate, ends_first ? c->iterate : z};
    const tsl_expression first = tsl_smooth_first(&c->smoother, x[0], r);
    void *where = NULL;
    tsl_wavefront wavefront = tsl_smooth_wavefront(&c->smoother, c->context);
    tsl_status status = tsl_wavefront_add(&wavefront, &first, 1);
    if (status == TSL_OK) {
        status = tsl_smooth(&c->smoother, &wavefront, &where, x, c->product, r, true);
    }
    return status == TSL_OK ? tsl_wavefront_run(&wavefront) : status;
}

tsl_status tsl_make_chebyshev(tsl_linsolve_plan *plan)
{
    chebyshev *c = tsl_allocate_zeroed(1, sizeof *c);
    if (c == NULL) {
        return tsl_fail_memory(plan->context, (int64_t)sizeof *c, "Chebyshev's polynomial");
    }
    plan->m = (tsl_preconditioner){.apply = apply, .destroy = destroy, .self = c};
    c->context = plan->context;
    const int64_t length = (plan->rows + 7) / 8 * 8;
    tsl_status status = tsl_vectors_take(&c->memory, plan->context, plan->apply != NULL ? 2 : 1,
                                         length, sizeof *c->iterate, "Chebyshev's polynomial");
    c->iterate = c->memory;
    c->product = plan->apply != NULL ? c->iterate + length : NULL;
    status = status == TSL_OK ? tsl_make_inverse_diagonal(plan) : status;
    status = status == TSL_OK ? tsl_check_inverse_diagonal(plan, "chebyshev") : status;
    status = status == TSL_OK ? tsl_put_inverse_diagonal(plan) : status;
    if (status != TSL_OK) {
        return status;
    }
    const double ratio = plan->options.eigenvalue_ratio;
    c->smoother =
        (tsl_smoother){.layout = plan->layout,
                       .bytes = 8,
                       .product = tsl_plan_product(plan, NULL, NULL),
                       .inverse_diagonal = plan->diagonal,
                       .degree = plan->options.degree,
                       .ratio = ratio > 0 ? ratio : TSL_CHEBYSHEV_RATIO,
                       .reach = plan->matrix != NULL ? plan->matrix->description.bandwidth : 0};
    const tsl_operand a = {.rows = plan->rows,
                           .matrix = plan->matrix != NULL ? &plan->matrix->csr : NULL,
                           .apply = plan->apply,
                           .user = plan->user,
                           .inverse_diagonal =
                               plan->matrix != NULL ? plan->inverse_diagonal : plan->diagonal};
    return tsl_largest_eigenvalue(&c->smoother.largest, plan->context, &a);
}
