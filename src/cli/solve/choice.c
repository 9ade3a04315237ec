/* The methods of `tesela solve`: the one that was named, or several, one after the other by what
 * the matrix is, until one converges. docs/performance/linsolve.md says by which measurements the
 * order was chosen. Nothing here depends on the number of ranks or on the device. */
#include <math.h>
#include <string.h>

#include "cli/solve/command.h"
#include "core/context.h"
#include "solvers/linsolve/direct/lu.h"
#include "solvers/linsolve/matrix/matrix.h"

enum {
    BASIS_BYTES = 64 << 20,
    PATIENCE = 1000 /* iterations of a method, if another one may follow */
};

static bool is_given(const solve_work *work, const void *field)
{
    return cli_given(&work->options->common, field);
}

/* Basis vectors of GMRES: as many as memory has room for, since each restart forgets. */
static int restart_for(int64_t rows)
{
    const int64_t room = BASIS_BYTES / (8 * rows);
    const int64_t restart = room > SOLVE_MOST_RESTART    ? SOLVE_MOST_RESTART
                            : room < SOLVE_LEAST_RESTART ? SOLVE_LEAST_RESTART
                                                         : room;
    return (int)(restart < rows ? restart : rows);
}

static void add(solve_work *work, tsl_linsolve_method method,
                tsl_linsolve_preconditioner preconditioner, bool after_indefinite)
{
    work->attempts[work->planned++] = (solve_attempt){
        .method = method, .preconditioner = preconditioner, .after_indefinite = after_indefinite};
}

/* Plan the attempts where neither method nor preconditioner was named. */
static void plan_attempts(solve_work *work, const tsl_sparse_description *about, bool positive)
{
    const bool divides = about->zero_diagonals == 0;
    if (about->symmetric && positive) {
        add(work, TSL_LINSOLVE_CG, TSL_LINSOLVE_JACOBI, false);
        add(work, TSL_LINSOLVE_GMRES, TSL_LINSOLVE_JACOBI, true);
    } else {
        if (divides) {
            add(work, TSL_LINSOLVE_BICGSTAB, TSL_LINSOLVE_ILU0, false);
        }
        add(work, TSL_LINSOLVE_GMRES, divides ? TSL_LINSOLVE_JACOBI : TSL_LINSOLVE_NONE, false);
    }
    if (tsl_lu_library() != NULL) {
        add(work, TSL_LINSOLVE_DIRECT, TSL_LINSOLVE_NONE, false);
    }
}

/* Plan the attempts with the method and preconditioner that were named. With a preconditioner alone
 * the method is chosen, and GMRES may follow CG. */
static void plan_named(solve_work *work, const tsl_sparse_description *about, bool positive)
{
    const tsl_linsolve_options *given = &work->options->linsolve;
    const bool by_name = is_given(work, &given->method);
    const tsl_linsolve_method method = by_name                        ? given->method
                                       : about->symmetric && positive ? TSL_LINSOLVE_CG
                                                                      : TSL_LINSOLVE_GMRES;
    const tsl_linsolve_preconditioner preconditioner =
        method == TSL_LINSOLVE_DIRECT            ? TSL_LINSOLVE_NONE
        : is_given(work, &given->preconditioner) ? given->preconditioner
        : about->zero_diagonals == 0             ? TSL_LINSOLVE_JACOBI
                                                 : TSL_LINSOLVE_NONE;
    add(work, method, preconditioner, false);
    if (!by_name && method == TSL_LINSOLVE_CG) {
        add(work, TSL_LINSOLVE_GMRES, preconditioner, true);
    }
}

/* Order GMRES and LU factors: the factors come first where they take no longer than GMRES may
 * before it is given up. */
static tsl_status order_attempts(solve_work *work, int next)
{
    static const double a_row =
        1e6; /* products of numbers: PATIENCE steps, SOLVE_MOST_RESTART vectors */
    tsl_lu_facts facts;
    if (next + 2 != work->planned || work->attempts[next + 1].method != TSL_LINSOLVE_DIRECT) {
        return TSL_OK;
    }
    const tsl_status status =
        cli_agree(work->context, tsl_lu_foresee(&facts, work->context, &work->matrix->csr));
    if (status == TSL_OK && facts.work <= a_row * (double)work->about.rows) {
        const solve_attempt gmres = work->attempts[next];
        work->attempts[next] = work->attempts[next + 1];
        work->attempts[next + 1] = gmres;
    }
    return status == TSL_E_NOMEM ? TSL_OK : status;
}

/* Is b solved for as it was given, although no x can make up for its part in the null space? */
static bool keeps_null_space(const solve_work *work)
{
    return work->part != NULL && work->options->null_space == SOLVE_NULL_SPACE_AUTO;
}

/* The largest part of a residual beside another part at a right angle to it, where `bound` is the
 * bound of both together; 0: the other part is too large. */
static double room_beside(double other, double bound)
{
    const double part = other < bound ? other / bound : 1;
    return bound * sqrt((1 - part) * (1 + part));
}

/* Lower the tolerances: b's part in the null space stays in the residual, so the rest has to be
 * smaller. Columns whose part is too large are left out. */
static void leave_room(solve_work *work)
{
    const tsl_linsolve_options *given = &work->options->linsolve;
    for (int64_t j = 0; keeps_null_space(work) && j < work->b.columns; j++) {
        const solve_column *c = &work->columns[j];
        const double relative = room_beside(c->outside, given->tolerance);
        const double absolute = room_beside(c->outside * c->norm, given->absolute);
        if (relative > 0 || absolute > 0) {
            work->linsolve.tolerance = fmin(work->linsolve.tolerance, relative);
            work->linsolve.absolute = fmin(work->linsolve.absolute, absolute);
        }
    }
}

static void take(solve_work *work, const solve_attempt *attempt, bool last)
{
    const tsl_linsolve_options *given = &work->options->linsolve;
    work->linsolve.method = attempt->method;
    work->linsolve.preconditioner = attempt->preconditioner;
    work->linsolve.max_iterations =
        !last && !is_given(work, &work->options->linsolve.max_iterations) &&
                attempt->method != TSL_LINSOLVE_CG && given->max_iterations > PATIENCE
            ? PATIENCE
            : given->max_iterations;
}

tsl_status solve_choose(solve_work *work)
{
    tsl_status status = TSL_OK;
    const solve_options *options = work->options;
    tsl_sparse_description about;
    tsl_sparse_matrix_describe(work->matrix, &about); /* of -A, if that is solved with */
    const bool positive =
        about.zero_diagonals == 0 && about.negative_diagonals == 0 && about.indefinite_row < 0;
    work->linsolve = options->linsolve;
    work->linsolve.progress = solve_on_iteration;
    work->linsolve.user = work;
    if (!is_given(work, &options->linsolve.restart)) {
        work->linsolve.restart = restart_for(about.rows);
    }
    if (!is_given(work, &options->linsolve.method) &&
        !is_given(work, &options->linsolve.preconditioner)) {
        plan_attempts(work, &about, positive);
        status = order_attempts(work, 0);
    } else {
        plan_named(work, &about, positive);
    }
    take(work, &work->attempts[0], work->planned == 1);
    solve_options_note_unused(options, &work->linsolve);
    return status;
}

tsl_status solve_negate_if_negative(solve_work *work)
{
    const tsl_linsolve_method method = work->options->linsolve.method;
    const bool by_cg = !is_given(work, &work->options->linsolve.method) ||
                       method == TSL_LINSOLVE_CG || method == TSL_LINSOLVE_CG_SINGLE_REDUCTION ||
                       method == TSL_LINSOLVE_CG_PIPELINED;
    work->negated = by_cg && work->about.symmetric && work->about.rows > 0 &&
                    work->about.negative_diagonals == work->about.rows;
    return work->negated ? tsl_sparse_matrix_negate(work->matrix) : TSL_OK;
}

/* ---- running -------------------------------------------------------------------------------- */

/* Give residuals relative to b as it was given, or to b without what was asked to be taken out. */
static void account_for_null_space(const solve_work *work, solve_column *column)
{
    if (keeps_null_space(work)) {
        tsl_linsolve_report *report = &column->report;
        report->rhs_norm = column->norm;
        report->residual *= column->inside;
        report->true_residual = hypot(report->true_residual * column->inside, column->outside);
    }
}

/* Has it converged, but for b's part outside the range of the matrix, for which no x makes up? */
static bool is_inconsistent(const solve_work *work, const solve_column *column)
{
    static const double rounding = 1e-12;
    const tsl_linsolve_options *given = &work->options->linsolve;
    const double bound = fmax(given->tolerance * column->norm, given->absolute);
    return keeps_null_space(work) && column->report.stop == TSL_LINSOLVE_CONVERGED &&
           column->report.true_residual * column->norm > bound * (1 + rounding);
}

static tsl_status fail_inconsistent(const solve_work *work, const solve_column *column)
{
    return tsl_fail(work->context, TSL_E_NOCONV,
                    "%s of b's norm is not in the matrix's range: constants%s are its null space, "
                    "and b's mean is not 0; --null-space constant takes it out, or give a b whose "
                    "mean is 0",
                    column->share, work->parts > 1 ? " on each of its parts" : "");
}

/* Solve one right-hand side. x is the initial guess. The solution is kept if it is better than that
 * of other attempts. */
static tsl_status solve_column_with(solve_work *work, tsl_linsolve_plan *plan,
                                    solve_attempt *attempt, int64_t j)
{
    const int64_t bytes = work->about.rows * (int64_t)sizeof(double);
    solve_column *column = &work->columns[j];
    tsl_linsolve_report report;
    tsl_status status =
        tsl_buffer_write(work->device_b, 0, work->b.value + j * work->b.rows, bytes);
    if (status == TSL_OK) {
        status = tsl_buffer_write(work->device_x, 0, work->x.value + j * work->x.rows, bytes);
    }
    if (status != TSL_OK) {
        return status;
    }
    solve_history_begin(&work->history);
    status = tsl_linsolve_execute(plan, tsl_buffer_data(work->device_x),
                                  tsl_buffer_data(work->device_b), &report);
    const bool over = status == TSL_OK || status == TSL_E_NOCONV;
    const bool better = !column->tried || report.stop == TSL_LINSOLVE_CONVERGED ||
                        report.true_residual < column->report.true_residual;
    if (over && better) {
        column->report = report;
        column->method = work->linsolve.method;
        column->preconditioner = work->linsolve.preconditioner;
        const tsl_status read =
            tsl_buffer_read(work->device_x, 0, work->solution.value + j * work->x.rows, bytes);
        status = read == TSL_OK ? status : read;
    }
    if (status == TSL_E_NOCONV && attempt->said[0] == '\0') {
        snprintf(attempt->said, sizeof attempt->said, "%s", tsl_last_error(work->context));
        attempt->stop = report.stop;
        attempt->residual = report.true_residual;
        work->failed_column = j;
    }
    column->tried = column->tried || over;
    column->solved = status == TSL_OK;
    return status;
}

/* Solve all right-hand sides that are not solved by one method, with one set-up. */
static tsl_status try_attempt(solve_work *work, solve_attempt *attempt)
{
    tsl_linsolve_plan *plan = NULL;
    const double begun = tsl_seconds();
    tsl_status status =
        cli_agree(work->context, tsl_linsolve_plan_create(&plan, work->matrix, &work->linsolve));
    attempt->setup = tsl_seconds() - begun;
    work->setup += attempt->setup;
    attempt->status = status;
    if (status != TSL_OK) {
        snprintf(attempt->said, sizeof attempt->said, "%s", tsl_last_error(work->context));
        return status;
    }
    cli_defer_signals(true);
    cli_progress_begin(&work->progress, "iterations", work->linsolve.max_iterations, 0);
    for (int64_t j = 0; j < work->b.columns; j++) {
        if (work->columns[j].solved) {
            continue;
        }
        const tsl_status found = solve_column_with(work, plan, attempt, j);
        attempt->iterations += work->history.last;
        status = found != TSL_OK ? found : status;
        if (found != TSL_OK && found != TSL_E_NOCONV) {
            snprintf(attempt->said, sizeof attempt->said, "%s", tsl_last_error(work->context));
            break;
        }
    }
    cli_progress_end(&work->progress);
    cli_defer_signals(false);
    tsl_linsolve_plan_destroy(plan);
    attempt->seconds = tsl_seconds() - begun - attempt->setup;
    attempt->status = status;
    return status;
}

/* May another method do better, and is it to be tried? A user who limits iterations wants no more
 * of them. */
static bool goes_on(const solve_work *work, const solve_attempt *attempt)
{
    const bool limited = attempt->status == TSL_E_NOCONV &&
                         is_given(work, &work->options->linsolve.max_iterations) &&
                         attempt->stop == TSL_LINSOLVE_ITERATIONS;
    return work->planned > 1 && !limited &&
           (attempt->status == TSL_E_NOCONV || attempt->status == TSL_E_ARG ||
            attempt->status == TSL_E_NOMEM);
}

/* The next attempt: GMRES follows CG where the matrix is indefinite, and LU factors that found a
 * singular matrix, since b may be in its range. Where the factors were too near to singular,
 * nothing does better. */
static int next_attempt(const solve_work *work, int number)
{
    const solve_attempt *made = &work->attempts[number];
    const bool indefinite = work->attempts[0].stop == TSL_LINSOLVE_INDEFINITE;
    if (made->method == TSL_LINSOLVE_DIRECT && made->status == TSL_E_NOCONV &&
        made->stop != TSL_LINSOLVE_BREAKDOWN) {
        return work->planned;
    }
    for (number++; number < work->planned; number++) {
        if (!work->attempts[number].after_indefinite || indefinite) {
            break;
        }
    }
    return number;
}

static void tell_next(const solve_work *work, const solve_attempt *failed, int next)
{
    const solve_attempt *then = &work->attempts[next];
    const bool direct = then->method == TSL_LINSOLVE_DIRECT;
    char with[64] = "";
    if (!direct) {
        snprintf(with, sizeof with, " with %s",
                 tsl_linsolve_preconditioner_name(then->preconditioner));
    }
    if (failed->status == TSL_E_NOCONV) {
        cli_note("%s with %s stopped after %lld iterations: going on with %s%s",
                 tsl_linsolve_method_name(failed->method),
                 tsl_linsolve_preconditioner_name(failed->preconditioner),
                 (long long)failed->iterations, tsl_linsolve_method_name(then->method), with);
    } else {
        cli_note("%s with %s: %s: going on with %s%s", tsl_linsolve_method_name(failed->method),
                 tsl_linsolve_preconditioner_name(failed->preconditioner), failed->said,
                 tsl_linsolve_method_name(then->method), with);
    }
}

/* Make the report of all right-hand sides: that of the worst one, with sums of iterations and
 * times. */
static void sum_up(solve_work *work)
{
    const solve_column *worst = &work->columns[0];
    int64_t iterations = 0;
    int64_t products = 0;
    double seconds = 0;
    double product_seconds = 0;
    for (int64_t j = 0; j < work->b.columns; j++) {
        const solve_column *c = &work->columns[j];
        const bool failed = c->report.stop != TSL_LINSOLVE_CONVERGED;
        const bool worst_failed = worst->report.stop != TSL_LINSOLVE_CONVERGED;
        if (failed != worst_failed ? failed
                                   : c->report.true_residual > worst->report.true_residual) {
            worst = c;
        }
        iterations += c->report.iterations;
        products += c->report.products;
        seconds += c->report.seconds;
        product_seconds += c->report.product_seconds;
    }
    work->report = worst->report;
    work->linsolve.method = worst->method;
    work->linsolve.preconditioner = worst->preconditioner;
    work->report.iterations = iterations;
    work->report.products = products;
    work->report.seconds = seconds;
    work->report.product_seconds = product_seconds;
}

static tsl_status run_attempts(solve_work *work)
{
    tsl_status status = TSL_OK;
    leave_room(work);
    for (int number = 0; number < work->planned;) {
        solve_attempt *attempt = &work->attempts[number];
        take(work, attempt, number == work->planned - 1);
        status = try_attempt(work, attempt);
        attempt->made = true;
        if (status == TSL_OK || !goes_on(work, attempt)) {
            break;
        }
        const tsl_status ordered = order_attempts(work, number + 1);
        const int next = next_attempt(work, number);
        if (ordered != TSL_OK || next >= work->planned) {
            status = ordered != TSL_OK ? ordered : status;
            break;
        }
        tell_next(work, attempt, next);
        number = next;
    }
    return status;
}

/* The attempt whose message tells most: LU factors know whether the matrix is singular; otherwise
 * the last one that came to a solution. NULL: there is none. */
static const solve_attempt *most_telling(const solve_work *work)
{
    const solve_attempt *found = NULL;
    for (int i = 0; i < work->planned; i++) {
        const solve_attempt *a = &work->attempts[i];
        if (a->made && a->status == TSL_E_NOCONV &&
            (found == NULL || found->method != TSL_LINSOLVE_DIRECT)) {
            found = a;
        }
    }
    return found;
}

static tsl_status tell_failure(solve_work *work, tsl_status status)
{
    char which[48] = "";
    char rest[TSL_ERROR_TEXT] = "";
    const solve_attempt *telling = most_telling(work);
    if (telling == NULL ||
        (status != TSL_E_NOCONV && status != TSL_E_ARG && status != TSL_E_NOMEM)) {
        return status;
    }
    const solve_column *column = &work->columns[work->failed_column];
    if (work->b.columns > 1) {
        snprintf(which, sizeof which, "right-hand side %lld: ", (long long)work->failed_column + 1);
    }
    for (int i = 0; i < work->planned; i++) {
        const solve_attempt *a = &work->attempts[i];
        if (a->made && a->status != TSL_E_NOCONV && a->method == TSL_LINSOLVE_DIRECT) {
            snprintf(rest, sizeof rest, "; %s", a->said); /* why there are no factors */
        }
    }
    if (column->method != telling->method) {
        snprintf(rest, sizeof rest, "; %s came to a residual of %.3g",
                 tsl_linsolve_method_name(column->method), column->report.true_residual);
    }
    return tsl_fail(work->context, TSL_E_NOCONV, "%s%s%s", which, telling->said, rest);
}

tsl_status solve_run(solve_work *work)
{
    tsl_status status = run_attempts(work);
    if (status != TSL_OK) {
        status = tell_failure(work, status);
    }
    work->solved = (status == TSL_OK || status == TSL_E_NOCONV) && work->columns[0].tried;
    if (!work->solved) {
        return status;
    }
    for (int64_t j = 0; j < work->b.columns; j++) {
        solve_column *column = &work->columns[j];
        account_for_null_space(work, column);
        if (is_inconsistent(work, column)) {
            column->report.stop = TSL_LINSOLVE_STAGNATED;
            snprintf(column->share, sizeof column->share, "%.2g", column->outside);
            status = status == TSL_OK ? fail_inconsistent(work, column) : status;
        }
    }
    sum_up(work);
    const tsl_status projected = solve_project(work, &work->solution, false);
    return projected == TSL_OK ? status : projected;
}
