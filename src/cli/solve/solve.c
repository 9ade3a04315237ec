/* `tesela solve`: a matrix of a file, diagnosed and solved. Every rank reads the files and makes
 * the matrix; rank 0 prints and writes. */
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "blocks/transpose/measure.h"
#include "cli/solve/command.h"
#include "core/context.h"
#include "solvers/linsolve/matrix/matrix.h"

/* ---- the history ---------------------------------------------------------------------------- */

static void note(solve_history *history, int64_t iteration, double residual)
{
    if (iteration / history->stride >= SOLVE_HISTORY) {
        for (int i = 0; 2 * i < SOLVE_HISTORY; i++) {
            history->residual[i] = history->residual[2 * i];
        }
        history->count = SOLVE_HISTORY / 2;
        history->stride *= 2;
    }
    if (iteration % history->stride == 0 && iteration / history->stride <= history->count) {
        history->count = (int)(iteration / history->stride) + 1;
        history->residual[history->count - 1] = residual;
    }
    history->last = iteration;
    history->last_residual = residual;
}

int solve_history_entries(const solve_history *history)
{
    return history->count +
           (history->count > 0 && (history->count - 1) * history->stride != history->last);
}

void solve_history_entry(const solve_history *history, int entry, int64_t *iteration,
                         double *residual)
{
    const bool kept = entry < history->count;
    *iteration = kept ? entry * history->stride : history->last;
    *residual = kept ? history->residual[entry] : history->last_residual;
}

void solve_history_begin(solve_history *history)
{
    *history = (solve_history){.stride = 1};
}

int solve_on_iteration(void *user, int64_t iteration, double residual)
{
    solve_work *work = user;
    note(&work->history, iteration, residual);
    if (iteration > 0) {
        cli_progress_add(&work->progress, 1);
    }
    return cli_signal() != 0;
}

/* ---- the matrix ----------------------------------------------------------------------------- */

static tsl_status check_shape(const solve_work *work)
{
    const tsl_csr *m = &work->file.matrix;
    if (m->rows != m->columns) {
        return tsl_fail(work->context, TSL_E_FORMAT,
                        "%s: has %lld rows and %lld columns: only square systems are solved",
                        work->options->matrix, (long long)m->rows, (long long)m->columns);
    }
    return m->rows > 0
               ? TSL_OK
               : tsl_fail(work->context, TSL_E_FORMAT, "%s: has no rows: there is nothing to solve",
                          work->options->matrix);
}

/* Make the matrix; releases the file's arrays. */
static tsl_status make_matrix(solve_work *work)
{
    tsl_csr *m = &work->file.matrix;
    tsl_sparse_matrix_options options = TSL_SPARSE_MATRIX_OPTIONS_INIT;
    options.storage = work->file.storage;
    options.index_base = work->base;
    options.symmetry = work->options->symmetry;
    const int64_t entries = tsl_csr_nonzeros(m);
    for (int64_t k = 0; k < entries; k++) {
        m->column[k] += work->base;
    }
    const tsl_status status =
        tsl_sparse_matrix_create(&work->matrix, work->context, m->rows, m->columns, m->row_start,
                                 m->column, sizeof *m->column, m->value, &options);
    tsl_csr_free(m);
    if (status == TSL_E_ARG) {
        tsl_error_prefix(work->context, work->options->matrix);
    }
    return status;
}

/* Refuse pipes, which only one rank can read. Processes may have a pipe each, but not as standard
 * input. */
static tsl_status refuse_pipes(const solve_work *work)
{
    const solve_options *options = work->options;
    const char *const paths[] = {options->matrix, options->rhs, options->guess};
    for (int i = 0; i < 3 && work->group->ranks > 1; i++) {
        struct stat about;
        const bool standard = paths[i] != NULL && strcmp(paths[i], "-") == 0;
        if (paths[i] != NULL && (standard || !cli_is_launched()) &&
            stat(standard ? "/dev/stdin" : paths[i], &about) == 0 && !S_ISREG(about.st_mode) &&
            !S_ISDIR(about.st_mode)) {
            return tsl_fail(work->context, TSL_E_UNSUPPORTED,
                            "%s: is no regular file, which each of %d ranks would read: save it as "
                            "one",
                            paths[i], work->group->ranks);
        }
    }
    return TSL_OK;
}

static tsl_status read_matrix(solve_work *work)
{
    const double begun = tsl_seconds();
    const tsl_status pipes = refuse_pipes(work);
    if (pipes != TSL_OK) {
        return pipes;
    }
    tsl_status status = tsl_matrix_read(&work->file, work->context, work->options->matrix);
    work->parse = work->parse_matrix = tsl_seconds() - begun;
    if (status == TSL_OK) {
        work->base = work->file.base;
        status = check_shape(work);
    }
    return status;
}

static tsl_status take_in_matrix(solve_work *work)
{
    tsl_status status = cli_agree_apart(work->context, read_matrix(work));
    const double begun = tsl_seconds();
    if (status == TSL_OK) {
        status = cli_agree(work->context, make_matrix(work));
    }
    if (status == TSL_OK) {
        tsl_sparse_matrix_describe(work->matrix, &work->about);
        work->setup = tsl_seconds() - begun;
    }
    return status;
}

solve_definiteness solve_definiteness_of(const solve_work *work)
{
    const tsl_sparse_description *about = &work->about;
    if (!about->symmetric) {
        return SOLVE_UNSYMMETRIC;
    }
    if (work->negated) {
        return SOLVE_NEGATED;
    }
    if (about->zero_diagonals > 0 || about->negative_diagonals > 0) {
        return SOLVE_NOT_POSITIVE;
    }
    if (about->indefinite_row >= 0) {
        return SOLVE_INDEFINITE;
    }
    if (work->solved && work->report.stop == TSL_LINSOLVE_INDEFINITE) {
        return SOLVE_CURVED;
    }
    return about->dominant_rows == about->rows ? SOLVE_DOMINANT : SOLVE_UNDECIDED;
}

/* ---- the solution --------------------------------------------------------------------------- */

/* Make this rank's rows of the vectors, in host memory. */
static tsl_status make_host_vectors(solve_work *work)
{
    tsl_status status = TSL_OK;
    TSL_TRY(solve_make_vectors(work));
    TSL_TRY(solve_find_null_space(work));
    TSL_TRY(solve_project(work, &work->b, true));
done:
    if (status == TSL_OK) {
        const int64_t count = work->b.rows * work->b.columns;
        work->solution = (tsl_dense){.rows = work->b.rows, .columns = work->b.columns};
        work->solution.value = tsl_allocate((size_t)count * sizeof(double));
        status = work->solution.value != NULL
                     ? TSL_OK
                     : tsl_fail_memory(work->context, 8 * count, "a solution");
    }
    if (status == TSL_OK) {
        memcpy(work->solution.value, work->x.value,
               (size_t)(work->b.rows * work->b.columns) * sizeof(double));
    }
    return status;
}

static tsl_status make_vectors(solve_work *work)
{
    const int64_t bytes = work->about.rows * (int64_t)sizeof(double);
    tsl_status status = make_host_vectors(work);
    if (status == TSL_OK) {
        status = tsl_buffer_create(&work->device_b, work->context, bytes);
    }
    return status == TSL_OK ? tsl_buffer_create(&work->device_x, work->context, bytes) : status;
}

static tsl_status run(solve_work *work)
{
    const tsl_status status = solve_run(work);
    if (status == TSL_E_ARG || status == TSL_E_NOCONV) {
        tsl_error_prefix(work->context, work->options->matrix);
    }
    return status;
}

/* Measure a copy that reads and writes so many bytes, in 10^9 bytes a second. More bytes than
 * caches hold are copied at the same rate. */
static tsl_status measure_copy(double *rate, tsl_context *context, int64_t bytes)
{
    enum { MOST = 256 << 20 };
    const int64_t shape[3] = {((bytes < MOST ? bytes : MOST) + 15) / 16, 1, 1};
    tsl_transpose_options options = TSL_TRANSPOSE_OPTIONS_INIT;
    tsl_transpose_bench *bench = NULL;
    tsl_transpose_result result;
    memcpy(options.shape, shape, sizeof shape);
    options.element = 8;
    options.permutation = TSL_PERMUTATION_XYZ;
    tsl_status status = tsl_transpose_bench_create(&bench, context, shape, options.element);
    if (status == TSL_OK) {
        status = tsl_transpose_bench_run(bench, &result, &options, 0);
    }
    tsl_transpose_bench_destroy(bench);
    *rate = status == TSL_OK ? 1e-9 * (double)result.bytes / result.seconds : 0;
    return status;
}

/* Measure how fast rank 0's rows are multiplied with x, and a copy. b is overwritten. There are no
 * rates of products so small that they only tell how long a start takes, or where memory is lacking
 * for the copy. */
static tsl_status measure_rates(solve_work *work)
{
    enum { LEAST = 1 << 20 };
    if (work->about.bytes < LEAST) {
        return TSL_OK;
    }
    double seconds = 0;
    int64_t bytes = 0;
    tsl_status status =
        tsl_sparse_matrix_time(&seconds, &bytes, work->matrix, tsl_buffer_data(work->device_b),
                               tsl_buffer_data(work->device_x));
    if (status == TSL_OK) {
        status = measure_copy(&work->rates.copy, work->context, bytes);
        work->rates.product = status == TSL_OK ? 1e-9 * (double)bytes / seconds : 0;
    }
    return status == TSL_E_NOMEM ? TSL_OK : status;
}

/* Is the solution finite? One that overflowed would make a file without numbers. */
static bool is_finite(const solve_work *work)
{
    for (int64_t j = 0; j < work->b.columns; j++) {
        if (work->columns[j].report.stop == TSL_LINSOLVE_NOT_FINITE) {
            return false;
        }
    }
    return true;
}

/* ---- the command ---------------------------------------------------------------------------- */

/* Print and write all that there is of a solution. */
static tsl_status tell(solve_work *work)
{
    const solve_options *options = work->options;
    tsl_status status = TSL_OK;
    if (!cli_is_quiet() || options->common.json != NULL) {
        status = measure_rates(work);
    }
    if (status != TSL_OK) {
        return status;
    }
    if (!cli_is_quiet()) {
        solve_print_outcome(cli_summary_stream(&options->common), work);
    }
    if (options->output != NULL && is_finite(work)) {
        status = tsl_dense_write(work->context, options->output, &work->solution);
        if (status == TSL_OK && !cli_is_quiet()) {
            fprintf(cli_summary_stream(&options->common), "written         %s\n", options->output);
        }
    }
    if (status == TSL_OK && options->figure != NULL) {
        status = solve_draw(work);
    }
    if (status == TSL_OK && options->common.json != NULL) {
        status = solve_write_report(work);
    }
    return status;
}

static tsl_status solve(solve_work *work)
{
    tsl_status status = take_in_matrix(work);
    if (status != TSL_OK) {
        return status;
    }
    status = solve_negate_if_negative(work);
    if (status != TSL_OK) {
        return status;
    }
    status = solve_choose(work);
    if (status != TSL_OK) {
        return status;
    }
    if (!cli_is_quiet()) {
        FILE *stream = cli_summary_stream(&work->options->common);
        solve_print_matrix(stream, work);
        cli_flush(stream);
    }
    status = cli_agree_apart(work->context, make_vectors(work));
    return status == TSL_OK ? run(work) : status;
}

static void release(solve_work *work)
{
    tsl_buffer_destroy(work->device_x);
    tsl_buffer_destroy(work->device_b);
    tsl_dense_release(&work->b);
    tsl_dense_release(&work->x);
    tsl_dense_release(&work->solution);
    tsl_release(work->columns);
    tsl_release(work->part);
    tsl_sparse_matrix_destroy(work->matrix);
    tsl_matrix_file_release(&work->file);
}

/* The exit status of the ranks of this process. */
typedef struct outcome {
    const solve_options *options;
    int exit_status;
} outcome;

/* Was a failure published? Then cli_run_ranks() prints it. */
static bool is_published(const solve_work *work)
{
    return tsl_comm_failure(work->group->comm, NULL, NULL) != NULL;
}

static void complain(const solve_work *work, tsl_status status)
{
    if (status == TSL_OK || is_published(work)) {
        return;
    }
    if (status == TSL_E_CANCELLED) {
        cli_error("interrupted after %lld iterations, at a residual of %.3g: nothing was written",
                  (long long)work->history.last, work->history.last_residual);
    } else {
        cli_error("%s", tsl_last_error(work->context));
    }
}

/* Do this rank's part. Returns its exit status. */
static int work_on(solve_work *work, tsl_status *status)
{
    const bool profile = work->options->common.profile;
    if (profile) {
        tsl_profile_enable(work->context);
    }
    *status = solve(work);
    int exit_status = cli_exit_status(work->context, *status, false);
    complain(work, *status);
    if (work->solved && work->group->rank == 0) {
        const tsl_status told = tell(work);
        complain(work, told);
        exit_status = told != TSL_OK ? cli_exit_status(work->context, told, false) : exit_status;
    }
    if (profile && work->group->rank == 0) {
        cli_profile_print(work->context);
    }
    release(work);
    return exit_status;
}

static tsl_status run_rank(tsl_comm *comm, void *user)
{
    outcome *out = user;
    const bool leads = tsl_comm_rank(comm) == 0;
    cli_rank_group group;
    cli_be_silent(!leads);
    tsl_status status = cli_rank_group_open(&group, comm, &out->options->common);
    if (status == TSL_OK) {
        solve_work work = {.options = out->options,
                           .group = &group,
                           .context = group.context,
                           .begun = tsl_seconds(),
                           .history = {.stride = 1}};
        const int exit_status = work_on(&work, &status);
        if (leads || cli_is_launched()) {
            out->exit_status = exit_status;
        }
        status = is_published(&work) ? TSL_E_COMM : TSL_OK;
    }
    cli_rank_group_close(&group);
    cli_be_silent(false);
    return status;
}

int solve_command(const cli_command *self, int argc, char **argv)
{
    solve_options options;
    int exit_status;
    if (!cli_parse_options(self, &options, argc, argv, &exit_status)) {
        return exit_status;
    }
    outcome out = {.options = &options};
    exit_status =
        cli_run_ranks(cli_rank_count(options.common.device), &options.common, run_rank, &out);
    return exit_status != CLI_DONE ? exit_status : out.exit_status;
}
