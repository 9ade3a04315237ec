/* The direct method: LU factors, on rank 0, and refinement of x with them by residuals of the
 * matrix itself. */
#include <math.h>

#include "core/context.h"
#include "core/profile.h"
#include "device/device.h"
#include "solvers/linsolve/direct/lu.h"
#include "solvers/linsolve/linsolve.h"

typedef struct direct {
    tsl_linsolve_plan *plan;
    tsl_lu *lu;       /* of rank 0; NULL on the others, and where there are none */
    double *host;     /* [rows] */
    int64_t singular; /* as of tsl_lu_facts, on all ranks */
} direct;

static void destroy(void *self)
{
    direct *d = self;
    tsl_lu_free(d->lu);
    tsl_release(d->host);
    tsl_release(d);
}

/* z = A^-1 r on all ranks, to the precision of the factors. */
static tsl_status apply(void *self, double *z, const double *r, double norm)
{
    (void)norm;
    const direct *d = self;
    tsl_context *context = d->plan->context;
    const int64_t bytes = d->plan->rows * (int64_t)sizeof *d->host;
    tsl_status status = context->ops->download(context, d->host, r, bytes);
    if (status == TSL_OK && d->lu != NULL) {
        tsl_lu_solve(d->lu, d->host);
    }
    status = tsl_comm_refuse(context, status);
    if (status == TSL_OK) {
        status = tsl_comm_broadcast(context->comm, NULL, d->host, bytes, 0);
    }
    return status == TSL_OK ? context->ops->upload(context, z, d->host, bytes) : status;
}

/* What rank 0 found is known to all. */
static tsl_status agree(tsl_linsolve_plan *plan)
{
    direct *d = plan->m.self;
    double told[] = {(double)d->singular, plan->report.condition,
                     (double)plan->report.factor_entries};
    const tsl_status status = tsl_comm_broadcast(plan->context->comm, NULL, told, sizeof told, 0);
    d->singular = (int64_t)told[0];
    plan->report.condition = told[1];
    plan->report.factor_entries = (int64_t)told[2];
    return status;
}

tsl_status tsl_make_direct(tsl_linsolve_plan *plan)
{
    tsl_context *context = plan->context;
    if (plan->matrix == NULL) {
        return tsl_fail(context, TSL_E_ARG, "direct needs a matrix: use another method");
    }
    if (tsl_lu_library() == NULL) {
        return tsl_fail(context, TSL_E_UNSUPPORTED,
                        "direct: this build has no SuperLU: see tesela info");
    }
    direct *d = tsl_allocate_zeroed(1, sizeof *d);
    if (d == NULL) {
        return tsl_fail_memory(context, (int64_t)sizeof *d, "a direct solver");
    }
    d->plan = plan;
    plan->m = (tsl_preconditioner){.apply = apply, .agree = agree, .destroy = destroy, .self = d};
    d->host = tsl_allocate((size_t)plan->rows * sizeof *d->host);
    if (d->host == NULL) {
        return tsl_fail_memory(context, 8 * plan->rows, "a direct solver");
    }
    if (tsl_comm_rank(context->comm) != 0) {
        return TSL_OK;
    }
    tsl_lu_facts facts;
    const double begun = tsl_seconds();
    const tsl_status status = tsl_lu_factor(&d->lu, &facts, context, &plan->matrix->csr, 0);
    tsl_profile_add(context, "factors", begun, 0, 0);
    d->singular = facts.singular;
    plan->report.condition = facts.condition;
    plan->report.factor_entries = facts.entries;
    return status;
}

int64_t tsl_direct_singular(const tsl_linsolve_plan *plan)
{
    const direct *d = plan->m.self;
    return plan->options.method == TSL_LINSOLVE_DIRECT ? d->singular : -1;
}

/* Each pass adds A^-1 r to x, as long as r becomes less: two passes make x as good, row by row, as
 * if A had been off by its rounding alone, whatever its scaling. */
tsl_status tsl_run_direct(tsl_run *run)
{
    enum { LEAST_PASSES = 2, MOST_PASSES = 30 };
    tsl_linsolve_plan *plan = run->plan;
    double *const z = tsl_run_vector(run, 1);
    const direct *d = plan->m.self;
    if (d->singular >= 0) {
        run->stop = TSL_LINSOLVE_BREAKDOWN;
        return TSL_OK;
    }
    for (int pass = 1;; pass++) {
        const double before = run->norm;
        const tsl_expression add = tsl_combine(run->x, 1, run->x, 1, z);
        tsl_status status = tsl_layout_gather(plan->layout, plan->context, run->r, 8);
        status = status == TSL_OK ? tsl_run_precondition(run, z, run->r, run->norm) : status;
        status = status == TSL_OK ? tsl_run_expressions(run, &add, 1, NULL) : status;
        status = status == TSL_OK ? tsl_run_residual(run) : status;
        if (status != TSL_OK) {
            return status;
        }
        const bool goes_on = tsl_run_goes_on(run, run->norm * run->norm);
        if (!goes_on && run->stop != TSL_LINSOLVE_CONVERGED) {
            return tsl_run_go_back(run);
        }
        const bool gains = run->norm <= 0.5 * before;
        if ((!gains && pass >= LEAST_PASSES) || pass == MOST_PASSES || run->norm <= 0) {
            run->stop = goes_on ? TSL_LINSOLVE_STAGNATED : TSL_LINSOLVE_CONVERGED;
            return run->norm > before ? tsl_run_go_back(run) : TSL_OK;
        }
        status = tsl_run_keep(run);
        if (status != TSL_OK) {
            return status;
        }
    }
}
