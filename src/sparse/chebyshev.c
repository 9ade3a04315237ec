/* Chebyshev's polynomial as preconditioner. */
#include "core/context.h"
#include "sparse/linsolve.h"
#include "sparse/smooth.h"

typedef struct chebyshev {
    tsl_context *context;
    tsl_smoother smoother;
    int64_t rows;
    double *memory; /* [3][rows] */
} chebyshev;

static void destroy(void *self)
{
    chebyshev *c = self;
    tsl_vectors_release(c->context, c->memory);
    tsl_release(c);
}

static tsl_status run(const chebyshev *c, const tsl_step *step)
{
    return tsl_steps_run(
        c->context,
        &(tsl_steps){.layout = c->smoother.layout, .bytes = 8, .count = 1, .steps = step});
}

static tsl_status apply(void *self, double *z, const double *r, double norm)
{
    (void)norm;
    const chebyshev *c = self;
    void *const x[2] = {c->memory, c->memory + c->rows};
    const tsl_step first = tsl_smooth_first(&c->smoother, x[0], r);
    void *where = NULL;
    tsl_status status = run(c, &first);
    if (status == TSL_OK) {
        tsl_chain chain = tsl_smooth_chain(&c->smoother, c->context);
        status = tsl_smooth(&c->smoother, &chain, &where, x, c->memory + 2 * c->rows, r, true);
        status = status == TSL_OK ? tsl_chain_run(&chain) : status;
    }
    const tsl_step copy = tsl_combine(z, 1, where, 0, NULL);
    return status == TSL_OK ? run(c, &copy) : status;
}

tsl_status tsl_make_chebyshev(tsl_linsolve_plan *plan)
{
    chebyshev *c = tsl_allocate_zeroed(1, sizeof *c);
    if (c == NULL) {
        return tsl_fail_memory(plan->context, (int64_t)sizeof *c, "Chebyshev's polynomial");
    }
    plan->m = (tsl_preconditioner){.apply = apply, .destroy = destroy, .self = c};
    c->context = plan->context;
    c->rows = (plan->rows + 7) / 8 * 8;
    void *memory = NULL;
    tsl_status status = tsl_vectors_take(&memory, plan->context, 3, c->rows, sizeof *c->memory,
                                         "Chebyshev's polynomial");
    c->memory = memory;
    status = status == TSL_OK ? tsl_make_inverse_diagonal(plan) : status;
    status = status == TSL_OK ? tsl_put_inverse_diagonal(plan) : status;
    if (status != TSL_OK) {
        return status;
    }
    const double ratio = plan->options.eigenvalue_ratio;
    c->smoother = (tsl_smoother){.layout = plan->layout,
                                 .bytes = 8,
                                 .product = tsl_plan_product(plan, NULL, NULL),
                                 .inverse_diagonal = plan->diagonal,
                                 .degree = plan->options.degree,
                                 .ratio = ratio > 0 ? ratio : 30};
    const tsl_operand a = {.rows = plan->rows,
                           .matrix = plan->matrix != NULL ? &plan->matrix->csr : NULL,
                           .apply = plan->apply,
                           .user = plan->user,
                           .inverse_diagonal =
                               plan->matrix != NULL ? plan->inverse_diagonal : plan->diagonal};
    return tsl_largest_eigenvalue(&c->smoother.largest, plan->context, &a);
}
