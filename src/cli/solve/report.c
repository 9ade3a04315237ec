/* Summary, report and figure of `tesela solve`. */
#include <math.h>
#include <stdio.h>

#include "cli/solve/command.h"
#include "io/report/plot.h"

enum { MOST_LINES = 30 }; /* lines of the table of iterations, about */

static const char *method_of(const solve_work *work)
{
    return tsl_linsolve_method_name(work->linsolve.method);
}

static const char *preconditioner_of(const solve_work *work)
{
    return tsl_linsolve_preconditioner_name(work->linsolve.preconditioner);
}

static double file_rate(const solve_work *work)
{
    return work->parse_matrix > 0 ? 1e-9 * (double)work->file.bytes / work->parse_matrix : 0;
}

/* ---- text: the matrix ----------------------------------------------------------------------- */

static void print_symmetry(FILE *stream, const solve_work *work)
{
    const tsl_sparse_description *about = &work->about;
    const long long row = about->unsymmetric_row, column = about->unsymmetric_column;
    const char *pattern = about->symmetric_pattern ? "symmetric" : "unsymmetric";
    const tsl_sparse_symmetry asked = work->options->symmetry;
    fprintf(stream, "symmetry        ");
    if (asked != TSL_SPARSE_JUDGE) {
        fprintf(stream, "%s by --symmetric, entries differ by up to %.1e; pattern %s\n",
                about->symmetric ? "taken for symmetric" : "none", about->asymmetry, pattern);
    } else if (!about->symmetric) {
        fprintf(stream,
                "none: a(%lld, %lld) is the first that differs from a(%lld, %lld); pattern %s\n",
                row, column, column, row, pattern);
    } else if (about->asymmetry > 0) {
        fprintf(stream, "symmetric but for rounding, %.1e\n", about->asymmetry);
    } else {
        fprintf(stream, "symmetric\n");
    }
}

static void print_diagonal(FILE *stream, const tsl_sparse_description *about)
{
    fprintf(stream, "diagonal        ");
    if (about->zero_diagonals > 0) {
        fprintf(stream, "0 or missing in %lld rows, row %lld is the first",
                (long long)about->zero_diagonals, (long long)about->first_zero_diagonal);
    }
    if (about->negative_diagonals > 0) {
        fprintf(stream, "%sbelow 0 in %lld rows, row %lld is the first",
                about->zero_diagonals > 0 ? "; " : "", (long long)about->negative_diagonals,
                (long long)about->first_negative_diagonal);
    }
    if (about->zero_diagonals == 0 && about->negative_diagonals == 0) {
        fprintf(stream, "above 0 in all rows");
    }
    fprintf(stream, "; dominates in %lld of %lld rows\n", (long long)about->dominant_rows,
            (long long)about->rows);
}

static void print_definiteness(FILE *stream, const solve_work *work)
{
    static const char *const texts[] = {
        [SOLVE_UNSYMMETRIC] = NULL,
        [SOLVE_DOMINANT] = "positive definite or semidefinite, since the diagonal dominates",
        [SOLVE_NOT_POSITIVE] = "not positive definite, since the diagonal is not",
        [SOLVE_NEGATED] = "the diagonal is negative: -A x = -b is solved",
        [SOLVE_INDEFINITE] = "indefinite, since an entry is too large for the diagonal",
        [SOLVE_CURVED] = "indefinite: a step met negative curvature",
        [SOLVE_UNDECIDED] = "not decided: conjugate gradients will tell"};
    const solve_definiteness found = solve_definiteness_of(work);
    if (texts[found] != NULL) {
        fprintf(stream, "definiteness    %s", texts[found]);
        if (found == SOLVE_INDEFINITE) {
            fprintf(stream, ": a(%lld, %lld)", (long long)work->about.indefinite_row,
                    (long long)work->about.indefinite_column);
        }
        fputc('\n', stream);
    }
}

void solve_print_matrix(FILE *stream, const solve_work *work)
{
    char bytes[16];
    const tsl_matrix_file *file = &work->file;
    const tsl_sparse_description *about = &work->about;
    fprintf(stream, "matrix          %s: %s, %s, %s, %lld entries", work->options->matrix,
            file->format, file->field, file->symmetry, (long long)file->entries);
    if (file->duplicates > 0) {
        fprintf(stream, ", %lld of them added to another of their place",
                (long long)file->duplicates);
    }
    fprintf(stream,
            "\nsize            %lld rows, %lld entries; in a row %lld to %lld, mean %.2f, "
            "deviation %.2f; bandwidth %lld\n",
            (long long)about->rows, (long long)about->nonzeros, (long long)about->shortest_row,
            (long long)about->longest_row, about->mean_row, about->row_deviation,
            (long long)about->bandwidth);
    if (about->empty_rows > 0) {
        fprintf(stream, "empty rows      %lld, row %lld is the first: the matrix is singular\n",
                (long long)about->empty_rows, (long long)about->first_empty_row);
    }
    print_symmetry(stream, work);
    print_diagonal(stream, about);
    print_definiteness(stream, work);
    fprintf(stream, "device          %s\n", work->group->devices);
    fprintf(stream, "format          %s, %s a product\n", about->format,
            tsl_format_bytes(bytes, about->bytes));
    fprintf(stream, "method          %s, preconditioner %s, tolerance %g\n", method_of(work),
            preconditioner_of(work), work->linsolve.tolerance);
}

/* ---- text: the solution --------------------------------------------------------------------- */

/* The step from line to line, 1, 2 or 5 times a power of ten, by which a table of so many entries
 * stays short. */
static int table_step(int entries)
{
    static const int digits[] = {1, 2, 5};
    for (int power = 1;; power *= 10) {
        for (int i = 0; i < 3; i++) {
            if (entries <= digits[i] * power * MOST_LINES) {
                return digits[i] * power;
            }
        }
    }
}

static void print_table(FILE *stream, const solve_history *history)
{
    static const char rule[] = "-------------------------------------";
    const int entries = solve_history_entries(history);
    const int step = table_step(entries);
    int64_t before = 0;
    double residual_before = NAN;
    fprintf(stream, "\n%10s %14s %10s\n%s\n", "iteration", "residual", "rate", rule);
    for (int entry = 0; entry < entries; entry++) {
        int64_t iteration;
        double residual;
        if (entry % step != 0 && entry != entries - 1) {
            continue;
        }
        solve_history_entry(history, entry, &iteration, &residual);
        fprintf(stream, "%10lld %14.6e", (long long)iteration, residual);
        if (iteration > before && residual_before > 0) {
            fprintf(stream, " %10.4f",
                    pow(residual / residual_before, 1 / (double)(iteration - before)));
        }
        fputc('\n', stream);
        before = iteration;
        residual_before = residual;
    }
    fprintf(stream, "%s\n", rule);
}

static void print_levels(FILE *stream, const tsl_linsolve_report *report)
{
    if (report->levels > 0) {
        fprintf(stream, "\n%10s %14s %14s\n", "level", "rows", "entries");
        for (int level = 0; level < report->levels; level++) {
            fprintf(stream, "%10d %14lld %14lld\n", level, (long long)report->level_rows[level],
                    (long long)report->level_nonzeros[level]);
        }
        fprintf(stream, "complexity      of grids %.3f, of operators %.3f\n",
                report->grid_complexity, report->operator_complexity);
    }
}

/* Print the part of right-hand sides that no solution makes up for. */
static void print_null_space(FILE *stream, const solve_work *work)
{
    if (work->part == NULL) {
        return;
    }
    double outside = 0;
    for (int64_t j = 0; j < work->b.columns; j++) {
        outside = fmax(outside, work->columns[j].outside);
    }
    fprintf(stream, "null space      constants%s", work->parts > 1 ? " on each of " : "");
    if (work->parts > 1) {
        fprintf(stream, "%lld parts", (long long)work->parts);
    }
    fprintf(stream, ": %.2g of b's norm taken out, x of mean 0\n", outside);
}

static void print_columns(FILE *stream, const solve_work *work)
{
    if (work->b.columns == 1) {
        return;
    }
    fprintf(stream, "\n%10s %-12s %10s %14s\n", "column", "outcome", "iterations", "residual");
    for (int64_t j = 0; j < work->b.columns; j++) {
        const tsl_linsolve_report *report = &work->columns[j].report;
        fprintf(stream, "%10lld %-12s %10lld %14.6e\n", (long long)j + 1,
                tsl_linsolve_stop_name(report->stop), (long long)report->iterations,
                report->true_residual);
    }
    fputc('\n', stream);
}

void solve_print_outcome(FILE *stream, const solve_work *work)
{
    const tsl_linsolve_report *report = &work->report;
    const double iterations = report->iterations > 0 ? (double)report->iterations : 1;
    print_levels(stream, report);
    print_table(stream, &work->history);
    print_columns(stream, work);
    print_null_space(stream, work);
    if (work->attempts[0].made && work->attempts[0].status != TSL_OK && work->planned > 1) {
        fprintf(stream, "solved by       %s, preconditioner %s\n", method_of(work),
                preconditioner_of(work));
    }
    fprintf(stream, "outcome         %s%s: %lld iterations",
            report->stop == TSL_LINSOLVE_CONVERGED ? "" : "not converged, ",
            tsl_linsolve_stop_name(report->stop), (long long)report->iterations);
    fprintf(stream, report->restarts > 0 ? ", begun again %d times\n" : "\n", report->restarts);
    fprintf(stream,
            "residual        %.6e recomputed, %.6e the method's own; relative to |b| = %g\n",
            report->true_residual, report->residual, report->rhs_norm);
    if (report->unscaled_residual > 0) {
        fprintf(stream,
                "scaled          the residual is D^-1/2 (b - A x), D the diagonal, over that of b: "
                "b - A x is %.6e of b, by rounding\n",
                report->unscaled_residual);
    }
    if (report->iterations > 0 && report->true_residual > 0 && work->history.residual[0] > 0) {
        fprintf(stream, "average rate    %.4f an iteration\n",
                pow(report->true_residual / work->history.residual[0], 1 / iterations));
    }
    if (report->factor_entries > 0) {
        fprintf(stream, "factors         %lld entries, condition number about %.1e\n",
                (long long)report->factor_entries, report->condition);
    }
    fprintf(stream, "parse           %.6f s, the matrix at %.3f GB/s\n", work->parse,
            file_rate(work));
    fprintf(stream, "set-up          %.6f s\n", work->setup);
    fprintf(stream, "solve           %.6f s, %.6f s an iteration\n", report->seconds,
            report->seconds / iterations);
    fprintf(stream, "products        %lld", (long long)report->products);
    fprintf(stream, report->product_gbs > 0 ? ", %.2f GB/s\n" : "\n", report->product_gbs);
    if (work->rates.product > 0) {
        fprintf(stream,
                "product rate    %.2f GB/s%s by themselves, %.1f %% of a copy's %.2f GB/s\n",
                work->rates.product, work->group->ranks > 1 ? ", rank 0's rows" : "",
                100 * work->rates.product / work->rates.copy, work->rates.copy);
    }
    cli_flush(stream);
}

/* ---- JSON ----------------------------------------------------------------------------------- */

static void write_parameters(tsl_json *json, const solve_work *work)
{
    solve_options settled = *work->options;
    settled.linsolve = work->linsolve;
    tsl_json_open_object(json, "parameters");
    tsl_json_string(json, "matrix", settled.matrix);
    cli_echo_options(json, &cli_solve, &settled);
    tsl_json_string(json, "method", method_of(work));
    tsl_json_string(json, "preconditioner", preconditioner_of(work));
    tsl_json_integer(json, "threads", tsl_context_threads(work->context));
    tsl_json_close_object(json);
}

static void write_file(tsl_json *json, const solve_work *work)
{
    const tsl_matrix_file *file = &work->file;
    tsl_json_open_object(json, "file");
    tsl_json_string(json, "format", file->format);
    tsl_json_string(json, "field", file->field);
    tsl_json_string(json, "symmetry", file->symmetry);
    tsl_json_integer(json, "entries", file->entries);
    tsl_json_integer(json, "duplicates", file->duplicates);
    tsl_json_integer(json, "underflows", file->underflows);
    tsl_json_integer(json, "bytes", file->bytes);
    tsl_json_close_object(json);
}

/* Write a row's number, or null. */
static void write_row(tsl_json *json, const char *name, int64_t row)
{
    tsl_json_known_integer(json, name, row, row >= 0);
}

static void write_matrix(tsl_json *json, const solve_work *work)
{
    static const char *const definiteness[] = {[SOLVE_UNSYMMETRIC] = NULL,
                                               [SOLVE_DOMINANT] = "positive-semidefinite",
                                               [SOLVE_NOT_POSITIVE] = "not-positive-definite",
                                               [SOLVE_NEGATED] = "negated",
                                               [SOLVE_INDEFINITE] = "indefinite",
                                               [SOLVE_CURVED] = "indefinite",
                                               [SOLVE_UNDECIDED] = "undecided"};
    const tsl_sparse_description *about = &work->about;
    tsl_json_open_object(json, "matrix");
    tsl_json_integer(json, "rows", about->rows);
    tsl_json_integer(json, "nonzeros", about->nonzeros);
    tsl_json_integer(json, "shortest_row", about->shortest_row);
    tsl_json_integer(json, "longest_row", about->longest_row);
    tsl_json_number(json, "mean_row", about->mean_row);
    tsl_json_number(json, "row_deviation", about->row_deviation);
    tsl_json_integer(json, "bandwidth", about->bandwidth);
    tsl_json_integer(json, "empty_rows", about->empty_rows);
    write_row(json, "first_empty_row", about->first_empty_row);
    tsl_json_bool(json, "symmetric", about->symmetric != 0);
    tsl_json_bool(json, "symmetric_pattern", about->symmetric_pattern != 0);
    write_row(json, "unsymmetric_row", about->unsymmetric_row);
    write_row(json, "unsymmetric_column", about->unsymmetric_column);
    tsl_json_number(json, "asymmetry", about->asymmetry);
    tsl_json_integer(json, "zero_diagonals", about->zero_diagonals);
    write_row(json, "first_zero_diagonal", about->first_zero_diagonal);
    tsl_json_integer(json, "negative_diagonals", about->negative_diagonals);
    write_row(json, "first_negative_diagonal", about->first_negative_diagonal);
    tsl_json_integer(json, "dominant_rows", about->dominant_rows);
    write_row(json, "indefinite_row", about->indefinite_row);
    write_row(json, "indefinite_column", about->indefinite_column);
    tsl_json_string(json, "definiteness", definiteness[solve_definiteness_of(work)]);
    tsl_json_number(json, "largest", about->largest);
    tsl_json_string(json, "format", about->format);
    tsl_json_integer(json, "product_bytes", about->bytes);
    tsl_json_close_object(json);
}

static void write_levels(tsl_json *json, const tsl_linsolve_report *report)
{
    tsl_json_open_array(json, "levels");
    for (int level = 0; level < report->levels; level++) {
        tsl_json_open_object(json, NULL);
        tsl_json_integer(json, "rows", report->level_rows[level]);
        tsl_json_integer(json, "nonzeros", report->level_nonzeros[level]);
        tsl_json_close_object(json);
    }
    tsl_json_close_array(json);
}

static void write_history(tsl_json *json, const solve_history *history)
{
    tsl_json_open_array(json, "history");
    for (int entry = 0; entry < solve_history_entries(history); entry++) {
        int64_t iteration;
        double residual;
        solve_history_entry(history, entry, &iteration, &residual);
        tsl_json_open_object(json, NULL);
        tsl_json_integer(json, "iteration", iteration);
        tsl_json_number(json, "residual", residual);
        tsl_json_close_object(json);
    }
    tsl_json_close_array(json);
}

static void write_attempts(tsl_json *json, const solve_work *work)
{
    tsl_json_open_array(json, "attempts");
    for (int i = 0; i < work->planned; i++) {
        const solve_attempt *a = &work->attempts[i];
        if (a->made) {
            tsl_json_open_object(json, NULL);
            tsl_json_string(json, "method", tsl_linsolve_method_name(a->method));
            tsl_json_string(json, "preconditioner",
                            tsl_linsolve_preconditioner_name(a->preconditioner));
            tsl_json_string(json, "failed", a->status != TSL_OK ? a->said : NULL);
            tsl_json_integer(json, "iterations", a->iterations);
            tsl_json_number(json, "setup_seconds", a->setup);
            tsl_json_number(json, "solve_seconds", a->seconds);
            tsl_json_close_object(json);
        }
    }
    tsl_json_close_array(json);
}

static void write_columns(tsl_json *json, const solve_work *work)
{
    tsl_json_open_array(json, "right_hand_sides");
    for (int64_t j = 0; j < work->b.columns; j++) {
        const solve_column *c = &work->columns[j];
        tsl_json_open_object(json, NULL);
        tsl_json_string(json, "method", tsl_linsolve_method_name(c->method));
        tsl_json_string(json, "stop", tsl_linsolve_stop_name(c->report.stop));
        tsl_json_integer(json, "iterations", c->report.iterations);
        tsl_json_number(json, "true_residual", c->report.true_residual);
        tsl_json_number(json, "rhs_norm", c->report.rhs_norm);
        tsl_json_number(json, "solve_seconds", c->report.seconds);
        tsl_json_known_number(json, "outside_range", c->outside, work->part != NULL);
        tsl_json_close_object(json);
    }
    tsl_json_close_array(json);
}

static void write_null_space(tsl_json *json, const solve_work *work)
{
    tsl_json_string(json, "null_space", work->part != NULL ? "constant" : NULL);
    tsl_json_integer(json, "null_space_parts", work->parts);
    tsl_json_bool(json, "negated", work->negated);
}

static void write_body(tsl_json *json, const void *body)
{
    const solve_work *work = body;
    const tsl_linsolve_report *report = &work->report;
    write_parameters(json, work);
    tsl_json_open_object(json, "results");
    write_file(json, work);
    write_matrix(json, work);
    write_attempts(json, work);
    write_columns(json, work);
    write_null_space(json, work);
    tsl_json_string(json, "stop", tsl_linsolve_stop_name(report->stop));
    tsl_json_integer(json, "iterations", report->iterations);
    tsl_json_integer(json, "restarts", report->restarts);
    tsl_json_number(json, "rhs_norm", report->rhs_norm);
    tsl_json_number(json, "residual", report->residual);
    tsl_json_number(json, "true_residual", report->true_residual);
    tsl_json_known_number(json, "unscaled_residual", report->unscaled_residual,
                          report->unscaled_residual > 0);
    tsl_json_known_number(json, "curvature", report->curvature,
                          report->stop == TSL_LINSOLVE_INDEFINITE);
    tsl_json_number(json, "parse_seconds", work->parse);
    tsl_json_number(json, "parse_gb_per_second", file_rate(work));
    tsl_json_number(json, "setup_seconds", work->setup);
    tsl_json_number(json, "solve_seconds", report->seconds);
    tsl_json_integer(json, "products", report->products);
    tsl_json_number(json, "product_seconds", report->product_seconds);
    tsl_json_number(json, "product_gb_per_second", report->product_gbs);
    const bool measured = work->rates.product > 0;
    tsl_json_known_number(json, "spmv_gb_per_second", work->rates.product, measured);
    tsl_json_known_number(json, "copy_gb_per_second", work->rates.copy, measured);
    tsl_json_known_number(json, "spmv_share_of_copy",
                          measured ? work->rates.product / work->rates.copy : 0, measured);
    tsl_json_known_number(json, "condition", report->condition, report->condition > 0);
    tsl_json_integer(json, "factor_entries", report->factor_entries);
    tsl_json_number(json, "grid_complexity", report->grid_complexity);
    tsl_json_number(json, "operator_complexity", report->operator_complexity);
    write_levels(json, report);
    write_history(json, &work->history);
    tsl_json_open_array(json, "cases");
    cli_report_case(json, "true_residual", report->true_residual, work->options->linsolve.tolerance,
                    report->stop == TSL_LINSOLVE_CONVERGED);
    tsl_json_close_array(json);
    tsl_json_close_object(json);
}

tsl_status solve_write_report(const solve_work *work)
{
    const cli_report report = {.command = "solve",
                               .device = work->group->devices,
                               .ranks = work->group->ranks,
                               .verified = work->report.stop == TSL_LINSOLVE_CONVERGED,
                               .total = tsl_seconds() - work->begun,
                               .setup = work->parse + work->setup,
                               .compute = work->report.seconds};
    return cli_report_write(work->context, work->options->common.json, &report, write_body, work);
}

/* ---- the figure ----------------------------------------------------------------------------- */

tsl_status solve_draw(const solve_work *work)
{
    const int entries = solve_history_entries(&work->history);
    const double tolerance = work->options->linsolve.tolerance;
    double *points = tsl_allocate(((size_t)entries + 1) * 2 * sizeof *points);
    if (points == NULL) {
        return tsl_fail_memory(work->context, entries * (int64_t)(2 * sizeof *points), "a figure");
    }
    for (int entry = 0; entry < entries; entry++) {
        int64_t iteration;
        solve_history_entry(&work->history, entry, &iteration, &points[entries + entry]);
        points[entry] = (double)iteration;
    }
    const double last = (double)work->report.iterations;
    const tsl_plot_curve curves[] = {{"the method's own", entries, points, points + entries},
                                     {"recomputed", 1, &last, &work->report.true_residual}};
    char title[512];
    snprintf(title, sizeof title, "%s: %s, %s", work->options->matrix, method_of(work),
             preconditioner_of(work));
    const tsl_plot plot = {.title = title,
                           .x = {"iteration", TSL_PLOT_LINEAR},
                           .y = {"residual, relative to |b|", TSL_PLOT_POWERS},
                           /* a point between two that cannot be drawn (0) has no line */
                           .marks = entries <= MOST_LINES,
                           .curves = 2,
                           .curve = curves,
                           .level_name = tolerance > 0 ? "tolerance" : NULL,
                           .level = tolerance};
    const tsl_status status = tsl_plot_write(work->context, work->options->figure, &plot);
    tsl_release(points);
    return status;
}
