/* Solving: from the initial guess to a residual that was recomputed. */
#include <math.h>
#include <stdio.h>

#include "core/context.h"
#include "core/profile.h"
#include "device/device.h"
#include "solvers/linsolve/linsolve.h"

static const char *const stop_names[] = {
    [TSL_LINSOLVE_CONVERGED] = "converged",   [TSL_LINSOLVE_ITERATIONS] = "iterations",
    [TSL_LINSOLVE_INDEFINITE] = "indefinite", [TSL_LINSOLVE_BREAKDOWN] = "breakdown",
    [TSL_LINSOLVE_STAGNATED] = "stagnated",   [TSL_LINSOLVE_NOT_FINITE] = "not-finite",
    [TSL_LINSOLVE_CANCELLED] = "cancelled",   [TSL_LINSOLVE_FAILED] = "failed"};

const char *tsl_linsolve_stop_name(tsl_linsolve_stop stop)
{
    return (unsigned)stop < sizeof stop_names / sizeof *stop_names ? stop_names[stop] : NULL;
}

/* *zero: all numbers of `v` are 0; NULL: not asked. */
static tsl_status check_vector(const tsl_linsolve_plan *plan, const double *v, const char *name,
                               bool *zero)
{
    tsl_context *context = plan->context;
    const int base = plan->matrix != NULL ? plan->matrix->index_base : 0;
    tsl_vector_look look = {.not_finite = -1};
    tsl_status status = tsl_vector_look_at(&look, context, v, plan->rows, plan->sums);
    if (status != TSL_OK || look.not_finite < 0) {
        if (zero != NULL) {
            *zero = look.zero;
        }
        return status;
    }
    double value = 0;
    status = context->ops->download(context, &value, v + look.not_finite, sizeof value);
    return status != TSL_OK ? status
                            : tsl_fail(context, TSL_E_ARG,
                                       "%s has %s in row %lld: all its numbers must be finite",
                                       name, isnan(value) ? "not a number" : "an infinite number",
                                       (long long)(look.not_finite + base));
}

/* Check this rank's parts of x and b. */
static tsl_status check_own(const tsl_linsolve_plan *plan, const double *x, const double *b,
                            bool *zero)
{
    if (x == NULL || b == NULL) {
        return tsl_fail(plan->context, TSL_E_ARG, "nothing to solve: x or b is NULL");
    }
    const tsl_status status = check_vector(plan, b, "b", zero);
    return status == TSL_OK ? check_vector(plan, x, "the initial guess x", NULL) : status;
}

/* *zero: all numbers of b are 0, on all ranks. */
static tsl_status check_vectors(const tsl_linsolve_plan *plan, const double *x, const double *b,
                                bool *zero)
{
    tsl_context *context = plan->context;
    bool same = false;
    tsl_status status = tsl_comm_agree(context, check_own(plan, x, b, zero));
    if (status == TSL_OK) {
        status = tsl_comm_compare(&same, context->comm, *zero);
    }
    return status != TSL_OK || same ? status
                                    : tsl_fail(context, TSL_E_ARG,
                                               "b is 0 on some ranks and not on others: give all "
                                               "the same");
}

/* ||b||, and the norm to reach. */
static tsl_status measure_rhs(tsl_run *run, tsl_linsolve_report *report)
{
    const tsl_linsolve_options *o = &run->plan->options;
    const tsl_expression step = tsl_dot(run->b, run->b);
    double square = 0;
    const tsl_status status = tsl_run_expressions(run, &step, 1, &square);
    if (status != TSL_OK) {
        return status;
    }
    if (!(isfinite(square) && square > 1e-290)) {
        return tsl_fail(run->plan->context, TSL_E_ARG,
                        "the square of b's norm is %g, beyond double precision: multiply b by a "
                        "power of ten that brings it near 1",
                        square);
    }
    if (run->plan->badly_scaled) {
        double *const z = tsl_run_vector(run, TSL_CG_VECTORS);
        double scaled = 0;
        const tsl_expression steps[] = {tsl_scale(z, 1, run->b, run->plan->m.diagonal, 0, NULL),
                                        tsl_dot(run->b, z)};
        const tsl_status weighed = tsl_run_expressions(run, steps, 2, &scaled);
        if (weighed != TSL_OK) {
            return weighed;
        }
        run->weight =
            scaled > 0 && isfinite(scaled) ? square / scaled / (TSL_LOOSE * TSL_LOOSE) : 0;
    }
    report->rhs_norm = sqrt(square);
    run->scale = 1 / report->rhs_norm;
    run->target = fmax(o->tolerance * report->rhs_norm, o->absolute);
    return TSL_OK;
}

/* A method that may recover begins again so many times without having halved the residual. */
enum { MOST_UNHELPED = 20 };

/* Is there anything to be had from the recomputed residual? `helped`: the last time has halved it;
 * `steps`: it has made so many. */
static bool begins_again(const tsl_run *run, bool helped, int64_t steps, int *unhelped)
{
    const bool broke = run->stop == TSL_LINSOLVE_BREAKDOWN || run->overtaken;
    if (!broke && !run->diverged && run->stop != TSL_LINSOLVE_CONVERGED) {
        return false;
    }
    return helped || (broke && tsl_linsolve_method_of(run->plan)->may_recover && steps > 0 &&
                      isfinite(run->norm) && ++*unhelped <= MOST_UNHELPED);
}

/* A residual that is more of b's is no rounding: A x is so much larger than b that A is as good as
 * singular, as x, which only grew, shows. */
static const double most_rounding = 1e-2;

/* Decide whether a badly scaled matrix is solved: D^-1/2 r has to meet the tolerance, and so has r,
 * as far as the rounding of rows much larger than others allows. */
static void settle_scaled(tsl_run *run, tsl_linsolve_report *report)
{
    const bool hidden = run->plain > run->target && run->plain <= run->bound;
    if (run->scaled <= run->target && (hidden || run->plain <= run->target)) {
        run->stop = TSL_LINSOLVE_CONVERGED;
        run->norm = hidden ? run->scaled : fmax(run->plain, run->scaled);
        report->unscaled_residual = hidden ? run->plain * run->scale : 0;
    } else {
        run->norm = fmax(run->plain, run->scaled);
    }
}

/* Run the method, again from the recomputed residual as long as that helps. */
static tsl_status iterate(tsl_run *run, tsl_linsolve_report *report)
{
    const tsl_linsolve_method_entry *method = tsl_linsolve_method_of(run->plan);
    tsl_status status = tsl_run_residual(run);
    double before = run->norm;
    int unhelped = 0;
    bool goes_on = status == TSL_OK && tsl_run_begins(run, run->norm);
    status = status == TSL_OK ? run->status : status;
    report->residual = run->norm * run->scale;
    while (goes_on && status == TSL_OK) {
        const int64_t begun = run->iterations;
        run->overtaken = false;
        run->diverged = false;
        run->peak = run->norm;
        run->measure = 0;
        status = method->run(run);
        report->residual = run->norm * run->scale;
        status = status == TSL_OK ? run->status : status;
        status = status == TSL_OK ? tsl_run_residual(run) : status;
        status = status == TSL_OK && run->diverged ? tsl_run_go_back(run) : status;
        const bool done = run->norm <= run->target;
        const bool helped = run->norm <= 0.5 * before;
        goes_on = !done && run->iterations < run->plan->options.max_iterations &&
                  begins_again(run, helped, run->iterations - begun, &unhelped);
        if (done) {
            run->stop = TSL_LINSOLVE_CONVERGED;
        } else if (run->stop == TSL_LINSOLVE_CONVERGED) {
            run->stop = helped ? TSL_LINSOLVE_ITERATIONS : TSL_LINSOLVE_STAGNATED;
        }
        before = run->norm;
        if (goes_on && status == TSL_OK) {
            report->restarts++;
            status = tsl_run_keep(run);
            status = status == TSL_OK ? tsl_run_judge(run) : status;
        }
    }
    const bool stopped =
        run->stop == TSL_LINSOLVE_ITERATIONS || run->stop == TSL_LINSOLVE_CANCELLED;
    if (status == TSL_OK && run->stop != TSL_LINSOLVE_CONVERGED &&
        (!stopped || report->restarts > 0)) {
        status = tsl_run_go_back(run);
    }
    if (run->weight > 0) {
        settle_scaled(run, report);
    }
    report->true_residual = run->norm * run->scale;
    run->at_rounding = run->norm <= run->rounding && run->norm * run->scale <= most_rounding;
    return status;
}

/* Is a curvature that is not above 0 as good as 0? */
static bool is_rounding(const tsl_linsolve_plan *plan, double curvature)
{
    return plan->matrix != NULL && fabs(curvature) <= 1e-13 * plan->matrix->description.largest;
}

/* Does GMRES begin again before it has all directions there are? */
static bool is_cut_short(const tsl_linsolve_plan *plan)
{
    return plan->options.method == TSL_LINSOLVE_GMRES && plan->options.restart < plan->layout->rows;
}

/* Multigrid leaves out pivots of its coarsest level that are not above 0: of matrices that are as
 * good as singular, and of those that are not positive definite, which then look alike. */
static bool may_be_indefinite(const tsl_run *run)
{
    return run->plan->options.preconditioner == TSL_LINSOLVE_MULTIGRID &&
           (run->stop == TSL_LINSOLVE_BREAKDOWN || run->stop == TSL_LINSOLVE_STAGNATED ||
            (run->stop == TSL_LINSOLVE_INDEFINITE && is_rounding(run->plan, run->curvature))) &&
           !run->overtaken && !run->at_rounding;
}

static const char *remedy_of_direct(const tsl_run *run)
{
    return run->stop == TSL_LINSOLVE_BREAKDOWN ? "the matrix is singular: gmres or cg solve where "
                                                 "b is in its range"
           : run->stop == TSL_LINSOLVE_ITERATIONS ? "allow more"
           : run->stop == TSL_LINSOLVE_NOT_FINITE
               ? "scale the system"
               : "the matrix is as good as singular, or rounding "
                 "allows no less: raise the tolerance";
}

static const char *remedy_of(const tsl_run *run)
{
    const tsl_linsolve_method_entry *method = tsl_linsolve_method_of(run->plan);
    if (may_be_indefinite(run)) {
        return "the matrix is not positive definite, which multigrid needs, or as good as "
               "singular: gmres with ilu0 tells";
    }
    const bool overtaken = method->symmetric && method->may_recover;
    const bool gmres = run->plan->options.method == TSL_LINSOLVE_GMRES;
    if (run->plan->options.method == TSL_LINSOLVE_DIRECT) {
        return remedy_of_direct(run);
    }
    switch (run->stop) {
    case TSL_LINSOLVE_ITERATIONS:
        return gmres ? "allow more, use a larger restart (--restart) or a stronger preconditioner"
               : overtaken ? "allow more, use a stronger preconditioner, or cg, which rounding "
                             "harms less"
                           : "allow more or use a stronger preconditioner";
    case TSL_LINSOLVE_INDEFINITE:
        return is_rounding(run->plan, run->curvature)
                   ? "no x does better than a residual of b's part outside its range, to which "
                     "gmres with a large restart comes"
                   : "use gmres or bicgstab";
    case TSL_LINSOLVE_BREAKDOWN:
        return gmres ? "the matrix is singular, or too near to it, and b not in its range"
                     : "use gmres with a larger restart, or another preconditioner";
    case TSL_LINSOLVE_STAGNATED:
        return run->overtaken && !run->diverged
                   ? "rounding overtook the recurrence, as where the matrix is "
                     "singular: cg tells"
               : run->at_rounding ? "rounding allows no less: raise the tolerance"
               : is_cut_short(run->plan)
                   ? "a larger restart (--restart) or another preconditioner goes on, unless b is "
                     "not in a singular matrix's range"
                   : "b is not in a singular matrix's range, or the matrix is too near to singular";
    case TSL_LINSOLVE_NOT_FINITE:
        return "scale the system or use another preconditioner";
    default:
        return "";
    }
}

/* What makes all methods fail: a row without entries. NULL: nothing does. */
static const tsl_sparse_description *empty_rows_of(const tsl_linsolve_plan *plan)
{
    return plan->matrix != NULL && plan->matrix->description.empty_rows > 0
               ? &plan->matrix->description
               : NULL;
}

/* The line of a solution that did not converge. */
static tsl_status tell_failure(const tsl_run *run, const tsl_linsolve_report *report)
{
    tsl_context *context = run->plan->context;
    const char *name = tsl_linsolve_method_of(run->plan)->name;
    const long long step = run->iterations;
    char what[160];
    switch (run->stop) {
    case TSL_LINSOLVE_INDEFINITE:
        snprintf(what, sizeof what,
                 "step %lld met a curvature of %g: matrix or preconditioner is %s", step + 1,
                 report->curvature,
                 is_rounding(run->plan, report->curvature) && !may_be_indefinite(run)
                     ? "singular, and b not in its range"
                     : "not positive definite");
        break;
    case TSL_LINSOLVE_BREAKDOWN:
        if (tsl_direct_singular(run->plan) >= 0) {
            snprintf(what, sizeof what, "elimination finds no pivot in step %lld of %lld",
                     (long long)tsl_direct_singular(run->plan) + 1, (long long)run->plan->rows);
        } else {
            snprintf(what, sizeof what, "step %lld has nothing to divide by", step + 1);
        }
        break;
    case TSL_LINSOLVE_NOT_FINITE:
        snprintf(what, sizeof what, "step %lld is not finite", step);
        break;
    case TSL_LINSOLVE_CANCELLED:
        return tsl_fail(context, TSL_E_CANCELLED,
                        "%s was stopped after %lld iterations, at a "
                        "residual of %.3g",
                        name, step, report->true_residual);
    default:
        if (report->condition > 0) {
            snprintf(what, sizeof what,
                     "of a condition number of %.1g or more, it stagnated after "
                     "%lld refinements",
                     report->condition, step);
            break;
        }
        snprintf(what, sizeof what, "%s after %lld iterations",
                 run->diverged                         ? "the residual only grew"
                 : run->stop == TSL_LINSOLVE_STAGNATED ? "it stagnated"
                                                       : "it ended",
                 step);
    }
    const tsl_sparse_description *singular = empty_rows_of(run->plan);
    if (singular != NULL) {
        return tsl_fail(context, TSL_E_NOCONV,
                        "%s did not converge: row %lld is empty, so that the matrix is singular: "
                        "%s, at a residual of %.3g for %.3g: leave that row and column out",
                        name, (long long)singular->first_empty_row, what, report->true_residual,
                        run->target * run->scale);
    }
    return tsl_fail(context, TSL_E_NOCONV,
                    "%s did not converge: %s, at a residual of %.3g for %.3g: %s", name, what,
                    report->true_residual, run->target * run->scale, remedy_of(run));
}

static tsl_status solve(tsl_run *run, tsl_linsolve_report *report)
{
    tsl_linsolve_plan *plan = run->plan;
    tsl_status status = TSL_OK;
    TSL_TRY(measure_rhs(run, report));
    TSL_TRY(iterate(run, report));
    TSL_TRY(tsl_layout_gather(plan->layout, plan->context, run->x, 8));
done:
    report->stop = status == TSL_OK            ? run->stop
                   : status == TSL_E_CANCELLED ? TSL_LINSOLVE_CANCELLED
                                               : TSL_LINSOLVE_FAILED;
    report->iterations = run->iterations;
    report->curvature = run->curvature;
    report->products = run->products;
    report->product_seconds = run->product_seconds;
    if (plan->matrix != NULL && run->product_seconds > 0) {
        const double rows = (double)(plan->layout->to - plan->layout->from);
        report->product_gbs = 1e-9 * (double)run->products *
                              ((double)plan->matrix->form.product_bytes + 16 * rows) /
                              run->product_seconds;
    }
    return status == TSL_OK && run->stop != TSL_LINSOLVE_CONVERGED ? tell_failure(run, report)
                                                                   : status;
}

/* What ends the method on all ranks is theirs already, unless one of them has failed and the others
 * have only seen what came of that; the rest is one rank's. */
static tsl_status conclude(tsl_context *context, tsl_status status)
{
    const bool is_of_all = status == TSL_OK || status == TSL_E_ARG || status == TSL_E_NOCONV ||
                           status == TSL_E_CANCELLED;
    if (!is_of_all) {
        return tsl_comm_refuse(context, status);
    }
    const tsl_status heard = tsl_comm_barrier(context->comm);
    return heard == TSL_OK ? status : heard;
}

tsl_status tsl_linsolve_execute(tsl_linsolve_plan *plan, double *x, const double *b,
                                tsl_linsolve_report *report)
{
    const double begun = tsl_seconds();
    bool zero = false;
    tsl_status status = check_vectors(plan, x, b, &zero);
    if (status != TSL_OK) {
        return status;
    }
    tsl_linsolve_report own = plan->report;
    tsl_run run = {.plan = plan,
                   .x = x,
                   .b = b,
                   .kept_norm = INFINITY,
                   .candidate_norm = INFINITY,
                   .least_measure = INFINITY};
    run.r = tsl_run_vector(&run, 0);
    run.kept = tsl_run_vector(&run, plan->vector_count - 1);
    run.candidate = tsl_linsolve_method_of(plan)->leaves_x
                        ? tsl_run_vector(&run, plan->vector_count - 2)
                        : NULL;
    if (zero) {
        status = plan->context->ops->fill(plan->context, x, 0, plan->rows * (int64_t)sizeof *x);
    } else {
        status = solve(&run, &own);
    }
    status = conclude(plan->context, status);
    own.seconds = tsl_seconds() - begun;
    tsl_profile_add(plan->context, "solve", begun, 0, 0);
    if (report != NULL) {
        *report = own;
    }
    return status;
}
