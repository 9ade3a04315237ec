/* Conjugate gradients on a GPU: the scalars stay on the device, and the host queues some iterations
 * before it looks at them, or one where a preconditioner is more than a diagonal. What would have
 * ended the method closes the gate of all lists behind it, so that x, r and p stay as they were
 * there. */
#include "core/context.h"
#include "core/profile.h"
#include "device/device.h"
#include "solvers/linsolve/linsolve.h"

/* Scalars of the iterations under way and of the two before. */
enum { RING = TSL_CG_AHEAD + 2 };

/* What an iteration leaves. */
enum { PQ, RR, RZ, SCALARS };

typedef struct ahead {
    tsl_run *run;
    double *p, *q, *z;
    const float *single; /* M r by `factor`, where it is there in single precision; else NULL: z */
    double factor;
    double limit; /* of r.r: no less is needed */
} ahead;

int64_t tsl_cg_ahead_scalars(void)
{
    return (int64_t)RING * SCALARS;
}

static double *scalars_of(const ahead *a, int64_t iteration)
{
    return a->run->plan->scalars + (iteration + RING) % RING * SCALARS;
}

static tsl_status run_list(const ahead *a, const tsl_expression *expressions, int count,
                           const tsl_gate *gate)
{
    const tsl_linsolve_plan *plan = a->run->plan;
    int dots = 0;
    for (int i = 0; i < count; i++) {
        dots += expressions[i].kind == TSL_EXPRESSION_DOT;
    }
    return tsl_expressions_run(plan->context, &(tsl_expressions){.layout = plan->layout,
                                                                 .bytes = 8,
                                                                 .count = count,
                                                                 .expressions = expressions,
                                                                 .sums = plan->sums,
                                                                 .width = dots,
                                                                 .gate = gate});
}

/* M r, if it is not made with r; and r.M r. */
static tsl_status precondition(ahead *a, double *scalars)
{
    tsl_run *run = a->run;
    const tsl_linsolve_plan *plan = run->plan;
    if (plan->m.apply == NULL) {
        return TSL_OK;
    }
    const double begun = tsl_seconds();
    tsl_status status = TSL_OK;
    if (plan->m.apply_single != NULL) {
        status = plan->m.apply_single(plan->m.self, &a->single, &a->factor, run->r, run->norm);
        tsl_profile_add(plan->context, "preconditioner", begun, 0, 0);
    } else {
        status = tsl_run_precondition(run, a->z, run->r, run->norm);
    }
    const tsl_expression expressions[] = {tsl_widen(NULL, a->factor, a->single),
                                          tsl_dot(run->r, a->single != NULL ? NULL : a->z)};
    const int first = a->single != NULL ? 0 : 1;
    status = status == TSL_OK ? run_list(a, expressions + first, 2 - first, NULL) : status;
    return status == TSL_OK
               ? tsl_sums_leave(plan->context, scalars + RZ, plan->sums, plan->layout, 1, NULL)
               : status;
}

/* p = M r, and beta p from the second iteration on. */
static tsl_status turn(const ahead *a, int64_t iteration, const tsl_gate *gate)
{
    const double *z = a->single != NULL ? NULL : a->z;
    const tsl_expression expressions[] = {tsl_widen(NULL, a->factor, a->single),
                                          iteration == 0
                                              ? tsl_combine(a->p, 1, z, 0, NULL)
                                              : tsl_times(tsl_combine(a->p, 1, a->p, 1, z),
                                                          scalars_of(a, iteration - 1) + RZ,
                                                          scalars_of(a, iteration - 2) + RZ)};
    const int first = a->single != NULL ? 0 : 1;
    return run_list(a, expressions + first, 2 - first, gate);
}

/* Run `expressions`, which leave a new r, and then r.r and, if M r is made with it, r.M r. */
static tsl_status update(const ahead *a, const tsl_expression *expressions, int count,
                         double *scalars, const tsl_gate *gate)
{
    const tsl_linsolve_plan *plan = a->run->plan;
    const bool later = plan->m.apply != NULL;
    tsl_expression list[8];
    int n = 0;
    for (; n < count; n++) {
        list[n] = expressions[n];
    }
    list[n++] = tsl_dot(a->run->r, a->run->r);
    if (plan->m.diagonal != NULL) {
        list[n++] = tsl_scale(a->z, 1, a->run->r, plan->m.diagonal, 0, NULL);
    }
    if (!later) {
        list[n++] = tsl_dot(a->run->r, a->z);
    }
    const tsl_status status = run_list(a, list, n, gate);
    return status == TSL_OK ? tsl_sums_leave(plan->context, scalars + RR, plan->sums, plan->layout,
                                             later ? 1 : 2, gate)
                            : status;
}

static tsl_status queue(ahead *a, int64_t iteration)
{
    const tsl_linsolve_plan *plan = a->run->plan;
    double *x = a->run->x;
    double *r = a->run->r;
    double *now = scalars_of(a, iteration);
    double *before = scalars_of(a, iteration - 1);
    const tsl_gate goes_on = {{before + RR, before + RZ}, {a->limit, 0}};
    const tsl_gate is_definite = {{now + PQ, NULL}, {0, 0}};
    const tsl_expression product[] = {tsl_run_product(a->run, a->q, a->p), tsl_dot(a->p, a->q)};
    tsl_status status = precondition(a, before);
    status = status == TSL_OK ? turn(a, iteration, &goes_on) : status;
    status = status == TSL_OK ? run_list(a, product, 2, &goes_on) : status;
    status = status == TSL_OK
                 ? tsl_sums_leave(plan->context, now + PQ, plan->sums, plan->layout, 1, &goes_on)
                 : status;
    const tsl_expression expression[] = {
        tsl_times(tsl_combine(x, 1, a->p, 1, x), before + RZ, now + PQ),
        tsl_times(tsl_combine(r, -1, a->q, 1, r), before + RZ, now + PQ)};
    return status == TSL_OK ? update(a, expression, 2, now, &is_definite) : status;
}

/* Look at what `count` iterations left, as if each had only just ended. False in *goes_on where one
 * of them is the last. */
static tsl_status account(const ahead *a, int64_t iteration, int count, bool *goes_on)
{
    tsl_run *run = a->run;
    double ring[RING * SCALARS];
    tsl_status status = run->plan->context->ops->download(run->plan->context, ring,
                                                          run->plan->scalars, sizeof ring);
    for (int i = 0; i < count && status == TSL_OK; i++) {
        const double *before = ring + (iteration + i + RING - 1) % RING * SCALARS;
        const double *now = ring + (iteration + i) % RING * SCALARS;
        bool definite = true;
        tsl_run_measure(run, before[RZ]);
        status = tsl_run_check_definite(run, before[RZ], run->r, &definite);
        if (status == TSL_OK && definite) {
            run->products++;
            status = tsl_run_check_definite(run, now[PQ], a->p, &definite);
        }
        tsl_run_measure(run, now[RZ]);
        *goes_on = status == TSL_OK && definite &&
                   tsl_run_goes_on(run, tsl_run_weighed(run, now[RR], now[RZ]));
        if (!*goes_on) {
            return status;
        }
    }
    status = status == TSL_OK ? tsl_run_consider(run) : status;
    if (status == TSL_OK) { /* a wish to end comes too late for those that are done */
        tsl_run_hear(run);
        *goes_on = !run->cancelled && run->status == TSL_OK;
    }
    return status;
}

tsl_status tsl_run_cg_ahead(tsl_run *run)
{
    ahead a = {.run = run,
               .p = tsl_run_vector(run, 1),
               .q = tsl_run_vector(run, 2),
               /* a weight has no limit that a gate could know: x goes on until the host looks */
               .limit = run->weight > 0 ? 0 : run->target * run->target * (1 - 1e-14)};
    a.z = tsl_run_preconditioned(run, run->r, tsl_run_vector(run, 3));
    const int64_t most = run->plan->m.apply == NULL ? TSL_CG_AHEAD : 1;
    bool goes_on = true;
    tsl_status status = update(&a, NULL, 0, scalars_of(&a, -1), NULL);
    for (int64_t iteration = 0; status == TSL_OK && goes_on;) {
        const int64_t left = run->plan->options.max_iterations - run->iterations;
        const int count = (int)(left < most ? left : most);
        const double begun = tsl_seconds();
        for (int i = 0; i < count && status == TSL_OK; i++) {
            status = queue(&a, iteration + i);
        }
        status = status == TSL_OK ? account(&a, iteration, count, &goes_on) : status;
        tsl_profile_add(run->plan->context, "iterations", begun,
                        count * (run->plan->matrix->form.product_bytes + 104 * run->plan->rows),
                        count *
                            (2 * run->plan->matrix->description.nonzeros + 11 * run->plan->rows));
        iteration += count;
    }
    return status;
}
