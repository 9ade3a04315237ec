/* What all methods do: lists of expressions with sums over all ranks, the preconditioner, and the
 * end of an iteration. */
#include <math.h>

#include "core/context.h"
#include "core/profile.h"
#include "device/device.h"
#include "solvers/linsolve/linsolve.h"

double *tsl_run_vector(const tsl_run *run, int number)
{
    return run->plan->memory + (int64_t)number * ((run->plan->rows + 7) / 8 * 8);
}

tsl_expression tsl_run_product(const tsl_run *run, double *y, const double *x)
{
    return tsl_plan_product(run->plan, y, x);
}

tsl_expression tsl_plan_product(const tsl_linsolve_plan *plan, double *y, const double *x)
{
    tsl_expression expression =
        tsl_product(y, plan->matrix != NULL ? &plan->matrix->form : NULL, &plan->halo, x);
    expression.apply = plan->apply;
    expression.user = plan->user;
    return expression;
}

static void count_product(tsl_run *run, double begun)
{
    const tsl_sparse_matrix *matrix = run->plan->matrix;
    const tsl_layout *own = run->plan->layout;
    const int64_t *start = matrix != NULL ? matrix->csr.row_start : NULL;
    run->products++;
    if (run->plan->context->ops->fused == NULL) { /* else it is only queued */
        run->product_seconds += tsl_seconds() - begun;
    }
    tsl_profile_add(run->plan->context, "product", begun,
                    matrix != NULL ? matrix->form.product_bytes + 16 * (own->to - own->from) : 0,
                    matrix != NULL ? 2 * (start[own->to] - start[own->from]) : 0);
}

/* `pending`: the sums are those of an earlier list, to be gathered meanwhile. */
static tsl_status run_list(tsl_run *run, const tsl_expression *expressions, int count, int width,
                           int column, bool pending)
{
    const tsl_linsolve_plan *plan = run->plan;
    const tsl_expressions list = {.layout = plan->layout,
                                  .bytes = 8,
                                  .count = count,
                                  .expressions = expressions,
                                  .sums = plan->sums,
                                  .width = width,
                                  .column = column,
                                  .pending = pending};
    const double begun = tsl_seconds();
    const bool product = expressions[0].kind == TSL_EXPRESSION_PRODUCT;
    const tsl_status status = tsl_expressions_run(plan->context, &list);
    if (product) {
        count_product(run, begun);
    } else {
        tsl_profile_add(plan->context, "vectors", begun, 24 * plan->rows * count,
                        2 * plan->rows * count);
    }
    return status;
}

tsl_status tsl_run_part(tsl_run *run, const tsl_expression *expressions, int count, int width,
                        int column)
{
    return run_list(run, expressions, count, width, column, false);
}

tsl_status tsl_run_add_up(tsl_run *run, int width, double *dots)
{
    const tsl_linsolve_plan *plan = run->plan;
    const tsl_status status = tsl_sums_gather(plan->context, plan->sums, plan->layout, width);
    return status == TSL_OK ? tsl_sums_add_up(plan->context, dots, plan->sums, plan->layout, width)
                            : status;
}

tsl_status tsl_run_product_and_sums(tsl_run *run, double *y, const double *x, int width,
                                    double *dots)
{
    const tsl_linsolve_plan *plan = run->plan;
    const tsl_expression expression = tsl_run_product(run, y, x);
    const tsl_status status = run_list(run, &expression, 1, width, 0, true);
    return status == TSL_OK ? tsl_sums_add_up(plan->context, dots, plan->sums, plan->layout, width)
                            : status;
}

tsl_status tsl_run_expressions(tsl_run *run, const tsl_expression *expressions, int count,
                               double *dots)
{
    int own = 0;
    for (int i = 0; i < count; i++) {
        own += expressions[i].kind == TSL_EXPRESSION_DOT;
    }
    tsl_status status = tsl_run_part(run, expressions, count, own, 0);
    return status == TSL_OK && own > 0 ? tsl_run_add_up(run, own, dots) : status;
}

double *tsl_run_preconditioned(const tsl_run *run, double *r, double *space)
{
    const tsl_preconditioner *m = &run->plan->m;
    return m->apply == NULL && m->diagonal == NULL ? r : space;
}

tsl_status tsl_run_precondition(tsl_run *run, double *z, const double *r, double norm)
{
    const tsl_linsolve_plan *plan = run->plan;
    if (plan->m.apply == NULL) {
        const tsl_expression expression = plan->m.diagonal != NULL
                                              ? tsl_scale(z, 1, r, plan->m.diagonal, 0, NULL)
                                              : tsl_combine(z, 1, r, 0, NULL);
        return z != r ? tsl_run_expressions(run, &expression, 1, NULL) : TSL_OK;
    }
    const double begun = tsl_seconds();
    const tsl_status status = plan->m.apply(plan->m.self, z, r, norm);
    tsl_profile_add(plan->context, "preconditioner", begun, 0, 0);
    return status;
}

enum { UPDATE_EXPRESSIONS = 12 };

tsl_status tsl_run_update(tsl_run *run, const tsl_expression *expressions, int count, double *z,
                          double *rr, double *rz)
{
    const tsl_preconditioner *m = &run->plan->m;
    tsl_expression list[UPDATE_EXPRESSIONS];
    int n = 0;
    for (; n < count; n++) {
        list[n] = expressions[n];
    }
    double sums[2];
    list[n++] = tsl_dot(run->r, run->r);
    if (m->diagonal != NULL) {
        list[n++] = tsl_scale(z, 1, run->r, m->diagonal, 0, NULL);
        list[n++] = tsl_dot(run->r, z);
    }
    tsl_status status = tsl_run_expressions(run, list, n, sums);
    *rr = sums[0];
    *rz = m->diagonal != NULL ? sums[1] : sums[0];
    if (status != TSL_OK || m->apply == NULL || !(sqrt(*rr) > run->target)) {
        return status;
    }
    if (m->apply_single == NULL) {
        status = tsl_run_precondition(run, z, run->r, sqrt(*rr));
        const tsl_expression dot = tsl_dot(run->r, z);
        return status == TSL_OK ? tsl_run_expressions(run, &dot, 1, rz) : status;
    }
    const double begun = tsl_seconds();
    status = m->apply_single(m->self, &run->single, &run->factor, run->r, sqrt(*rr));
    tsl_profile_add(run->plan->context, "preconditioner", begun, 0, 0);
    const tsl_expression dot[] = {tsl_widen(NULL, run->factor, run->single), tsl_dot(run->r, NULL)};
    return status == TSL_OK ? tsl_run_expressions(run, dot, 2, rz) : status;
}

void tsl_run_stop_at(tsl_run *run, double scalar)
{
    run->stop = isfinite(scalar) ? TSL_LINSOLVE_BREAKDOWN : TSL_LINSOLVE_NOT_FINITE;
}

/* Rank 0 tells the caller how far the run is, and keeps its answer. */
static void tell_progress(tsl_run *run)
{
    const tsl_linsolve_plan *plan = run->plan;
    if (plan->options.progress != NULL && !run->wish && tsl_comm_rank(plan->context->comm) == 0) {
        run->wish = plan->options.progress(plan->options.user, run->iterations,
                                           run->norm * run->scale) != 0;
    }
}

/* The answer of rank 0's caller becomes every rank's. */
void tsl_run_hear(tsl_run *run)
{
    const tsl_linsolve_plan *plan = run->plan;
    int32_t ends = run->wish;
    if (run->status == TSL_OK && plan->layout->ranks > 1 && plan->options.progress != NULL) {
        run->status = tsl_comm_broadcast(plan->context->comm, NULL, &ends, sizeof ends, 0);
    }
    run->cancelled = ends != 0;
    if (run->cancelled) {
        run->stop = TSL_LINSOLVE_CANCELLED;
    }
}

static tsl_status copy_x(tsl_run *run, double *to)
{
    const tsl_expression copy = tsl_combine(to, 1, run->x, 0, NULL);
    return tsl_run_expressions(run, &copy, 1, NULL);
}

/* What the rounding of b - A x may be, of x.x. */
static double rounding_of(const tsl_run *run, double square)
{
    const tsl_sparse_matrix *matrix = run->plan->matrix;
    if (matrix == NULL) {
        return 0;
    }
    const tsl_sparse_description *d = &matrix->description;
    return 2.2e-16 * d->largest * (double)d->longest_row * sqrt(square);
}

/* By what a recomputed norm may be off: that bound says little of a badly scaled matrix, and sums
 * in another order differ by a small factor. */
static double doubt_of(const tsl_run *run, double norm, double square)
{
    return fmin(rounding_of(run, square), 10 * norm);
}

tsl_status tsl_run_keep(tsl_run *run)
{
    if (!(run->norm + run->rounding < run->kept_norm)) {
        return TSL_OK;
    }
    run->kept_norm = run->norm + run->rounding;
    return copy_x(run, run->kept);
}

tsl_status tsl_run_judge(tsl_run *run)
{
    const double claimed = run->candidate_norm;
    run->candidate_norm = INFINITY;
    if (!(claimed < run->kept_norm) || run->norm <= claimed) {
        return TSL_OK;
    }
    double *const space = tsl_run_vector(run, 1);
    double squares[2] = {0};
    const tsl_expression expressions[] = {
        tsl_run_product(run, space, run->candidate), tsl_combine(space, 1, run->b, -1, space),
        tsl_dot(space, space), tsl_dot(run->candidate, run->candidate)};
    const tsl_status status = tsl_run_expressions(run, expressions, 4, squares);
    const double found = sqrt(squares[0]);
    const double norm = found + doubt_of(run, found, squares[1]);
    if (status == TSL_OK && norm < run->kept_norm) {
        double *const before = run->kept;
        run->kept = run->candidate;
        run->candidate = before;
        run->kept_norm = norm;
    }
    return status;
}

tsl_status tsl_run_go_back(tsl_run *run)
{
    const tsl_status status = tsl_run_judge(run);
    if (status != TSL_OK || !isfinite(run->kept_norm) ||
        run->norm + run->rounding <= run->kept_norm) {
        return status;
    }
    const tsl_expression copy = tsl_combine(run->x, 1, run->kept, 0, NULL);
    const tsl_status copied = tsl_run_expressions(run, &copy, 1, NULL);
    return copied == TSL_OK ? tsl_run_residual(run) : copied;
}

/* CG's residual is never more than the root of the matrix's condition above an earlier one. */
static const double most_growth = 1e8;

/* What has been so much more may have left no more than its rounding. */
static const double most_fall = 1e-4;

tsl_status tsl_run_consider(tsl_run *run)
{
    const double least = fmin(run->candidate_norm, run->kept_norm);
    if (run->candidate == NULL || !(run->norm > most_fall * run->peak && run->norm < 0.5 * least)) {
        return TSL_OK;
    }
    run->candidate_norm = run->norm;
    return copy_x(run, run->candidate);
}

/* A norm after `before`. Where it falls fast no x is kept: it will be less soon. */
static void note_norm(tsl_run *run, double before)
{
    const bool measured = run->measure > 0;
    const double measure = measured ? run->measure : run->norm;
    run->least = run->norm < run->least ? run->norm : run->least;
    run->peak = run->norm > run->peak ? run->norm : run->peak;
    run->diverged = measure > most_growth * (measured ? run->least_measure : run->least);
    if (run->plan->scalars == NULL && run->norm > 0.25 * before) {
        run->status = tsl_run_consider(run);
    }
}

/* Has the run met one of its ends? */
static bool has_ended(tsl_run *run)
{
    const struct {
        bool met;
        tsl_linsolve_stop stop;
    } ends[] = {{!isfinite(run->norm), TSL_LINSOLVE_NOT_FINITE},
                {run->norm <= run->target, TSL_LINSOLVE_CONVERGED},
                {run->diverged, TSL_LINSOLVE_STAGNATED},
                {run->cancelled, TSL_LINSOLVE_CANCELLED},
                {run->iterations >= run->plan->options.max_iterations, TSL_LINSOLVE_ITERATIONS}};
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++) {
        if (ends[i].met) {
            run->stop = ends[i].stop;
            return true;
        }
    }
    return run->status != TSL_OK;
}

bool tsl_run_begins(tsl_run *run, double norm)
{
    run->norm = norm;
    run->least = norm;
    run->status = tsl_run_keep(run);
    tell_progress(run);
    tsl_run_hear(run);
    return !has_ended(run);
}

void tsl_run_measure(tsl_run *run, double rz)
{
    run->measure = rz > 0 ? sqrt(rz) : 0;
    run->least_measure = rz > 0 ? fmin(run->least_measure, run->measure) : run->least_measure;
}

double tsl_run_weighed(const tsl_run *run, double rr, double rz)
{
    return run->weight > 0 ? fmax(rr, run->weight * rz) : rr;
}

bool tsl_run_goes_on(tsl_run *run, double rr)
{
    const double before = run->norm;
    run->norm = sqrt(rr);
    run->iterations++;
    note_norm(run, before);
    tell_progress(run);
    if (run->plan->scalars == NULL) {
        tsl_run_hear(run);
    }
    return !has_ended(run);
}

bool tsl_run_is_definite(tsl_run *run, double curvature, double size)
{
    if (curvature > 0 && isfinite(curvature)) {
        return true;
    }
    run->curvature = curvature / size;
    run->stop = isfinite(curvature) ? TSL_LINSOLVE_INDEFINITE : TSL_LINSOLVE_NOT_FINITE;
    return false;
}

tsl_status tsl_run_residual(tsl_run *run)
{
    double squares[3] = {0};
    double *const z = tsl_run_vector(run, TSL_CG_VECTORS); /* CG's own, where there is a weight */
    const tsl_expression expressions[] = {tsl_run_product(run, run->r, run->x),
                                          tsl_combine(run->r, 1, run->b, -1, run->r),
                                          tsl_dot(run->r, run->r),
                                          tsl_dot(run->x, run->x),
                                          tsl_scale(z, 1, run->r, run->plan->m.diagonal, 0, NULL),
                                          tsl_dot(run->r, z)};
    const tsl_status status =
        tsl_run_expressions(run, expressions, run->weight > 0 ? 6 : 4, squares);
    run->norm = sqrt(tsl_run_weighed(run, squares[0], squares[2]));
    run->plain = sqrt(squares[0]);
    run->scaled = TSL_LOOSE * sqrt(run->weight * squares[2]);
    run->bound = rounding_of(run, squares[1]);
    run->rounding = doubt_of(run, sqrt(squares[0]), squares[1]);
    return status;
}
