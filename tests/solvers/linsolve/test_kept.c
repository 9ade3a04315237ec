/* Where all that a method finds is worse than what it was begun from, x is the best of that. Checks
 * in a rank are returned, since cmocka's leave only the main thread. */
#include "solvers/linsolve/systems.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "comm/comm.h"

/* Grids of their own, next to each other and none of them held anywhere: constants on each are the
 * null space. */
typedef struct shape {
    int64_t rows, columns; /* 0: no grid */
} shape;

enum { MOST_GRIDS = 2 };

typedef struct trial {
    shape grids[MOST_GRIDS];
    tsl_linsolve_method method;
    tsl_linsolve_preconditioner preconditioner;
    /* made of that */
    test_system s;
    double *b;
    const char *device;
} trial;

static void append(test_system *s, int64_t row, int64_t column, double value)
{
    const int64_t k = s->row_start[row + 1]++;
    s->column[k] = (int32_t)column;
    s->value[k] = value;
}

static void append_grid(test_system *s, const shape *grid)
{
    const int64_t from = s->n;
    const int64_t count = grid->rows * grid->columns;
    for (int64_t i = 0; i < count; i++) {
        const int64_t row = from + i;
        const bool is_inside[4] = {i >= grid->columns, i % grid->columns > 0,
                                   (i + 1) % grid->columns > 0, i + grid->columns < count};
        const int64_t away[4] = {-grid->columns, -1, 1, grid->columns};
        s->row_start[row + 1] = s->row_start[row];
        for (int k = 0; k < 2; k++) {
            if (is_inside[k]) {
                append(s, row, row + away[k], -1);
            }
        }
        append(s, row, row, is_inside[0] + is_inside[1] + is_inside[2] + is_inside[3]);
        for (int k = 2; k < 4; k++) {
            if (is_inside[k]) {
                append(s, row, row + away[k], -1);
            }
        }
    }
    s->n += count;
}

/* b = A known + 1: its sum over a grid is not 0, so that it is not in the range. */
static void begin(trial *t)
{
    int64_t n = 0;
    for (int g = 0; g < MOST_GRIDS; g++) {
        n += t->grids[g].rows * t->grids[g].columns;
    }
    t->s = (test_system){0, calloc((size_t)n + 1, sizeof(int64_t)),
                         malloc((size_t)(5 * n) * sizeof(int32_t)),
                         malloc((size_t)(5 * n) * sizeof(double))};
    for (int g = 0; g < MOST_GRIDS; g++) {
        append_grid(&t->s, &t->grids[g]);
    }
    double *known = calloc((size_t)n, sizeof *known);
    t->b = malloc((size_t)n * sizeof *t->b);
    uint64_t seed = 3;
    for (int64_t i = 0; i < n; i++) {
        known[i] = test_uniform(&seed);
    }
    test_multiply(&t->s, t->b, known);
    for (int64_t i = 0; i < n; i++) {
        t->b[i] += 1;
    }
    free(known);
}

static void end(trial *t)
{
    test_system_free(&t->s);
    free(t->b);
}

/* What is wrong with x, which was 0 at first; NULL: nothing. */
static const char *fault_of(const trial *t, const double *x, const tsl_linsolve_report *r,
                            tsl_status status, const char *line)
{
    const double residual = test_residual(&t->s, t->b, x);
    return status != TSL_E_NOCONV     ? "it has no answer"
           : !(residual <= 1 + 1e-12) ? "worse than the initial guess"
           : !(fabs(r->true_residual - residual) <= 1e-2 * residual) ? "not x's residual"
           : strstr(line, "raise the tolerance") != NULL             ? "no rounding"
                                                                     : NULL;
}

static tsl_status run_rank(tsl_comm *comm, void *user)
{
    const trial *t = user;
    const int64_t bytes = t->s.n * (int64_t)sizeof *t->b;
    tsl_context *context = NULL;
    tsl_sparse_matrix *matrix = NULL;
    tsl_linsolve_plan *plan = NULL;
    tsl_linsolve_report report = {0};
    tsl_linsolve_options options = test_options(t->method, t->preconditioner);
    options.max_iterations = 5000;
    options.restart = 30; /* each vector more is many copies, which sim makes slowly */
    options.coarse_rows = 10;
    tsl_status status = test_rank_context(&context, comm, t->device);
    if (status != TSL_OK) {
        return status;
    }
    double *x = calloc((size_t)t->s.n, sizeof *x);
    void *const on_device = test_upload(context, x, bytes);
    void *const right = test_upload(context, t->b, bytes);
    status = tsl_sparse_matrix_create(&matrix, context, t->s.n, t->s.n, t->s.row_start, t->s.column,
                                      4, t->s.value, NULL);
    if (status == TSL_OK) {
        status = tsl_linsolve_plan_create(&plan, matrix, &options);
    }
    if (status == TSL_OK) {
        status = tsl_linsolve_execute(plan, on_device, right, &report);
    }
    test_download(context, x, on_device, bytes);
    const char *fault = fault_of(t, x, &report, status, tsl_last_error(context));
    test_release(context, on_device);
    test_release(context, right);
    tsl_linsolve_plan_destroy(plan);
    tsl_sparse_matrix_destroy(matrix);
    free(x);
    tsl_context_destroy(context);
    return fault != NULL ? tsl_comm_fail(comm, TSL_E_INTERNAL, fault) : TSL_OK;
}

static void x_is_no_worse_than_the_initial_guess(void **state)
{
    (void)state;
    /* of chains x grows until its residual is all rounding */
    trial trials[] = {
        {{{5, 5}, {6, 4}}, .method = TSL_LINSOLVE_GMRES, .preconditioner = TSL_LINSOLVE_MULTIGRID},
        {{{1, 30}, {1, 40}},
         .method = TSL_LINSOLVE_GMRES,
         .preconditioner = TSL_LINSOLVE_MULTIGRID},
        {{{1, 50}, {0, 0}},
         .method = TSL_LINSOLVE_CG_PIPELINED,
         .preconditioner = TSL_LINSOLVE_BLOCK_JACOBI}};
    const char *const devices[] = {"cpu", "sim"};
    int failures = 0;
    for (size_t i = 0; i < sizeof trials / sizeof *trials; i++) {
        trial *t = &trials[i];
        begin(t);
        for (int d = 0; d < 2; d++) {
            t->device = devices[d];
            for (int ranks = 1; ranks <= 2; ranks++) {
                if (tsl_comm_run(ranks, run_rank, t) != TSL_OK) {
                    print_error("%s with %s on %d ranks of %s: %s\n",
                                tsl_linsolve_method_name(t->method),
                                tsl_linsolve_preconditioner_name(t->preconditioner), ranks,
                                t->device, tsl_last_error(NULL));
                    failures++;
                }
            }
        }
        end(t);
    }
    assert_int_equal(failures, 0);
}

/* Where beginning again only makes it worse, x is the best that it was begun from. */
static void what_was_best_is_kept(void **state)
{
    (void)state;
    enum { ROWS = 400 };
    static double b[ROWS], x[ROWS];
    test_system s = test_flow(20, 34);
    for (int64_t i = 0; i < s.n; i++) {
        b[i] = 1;
        for (int64_t k = s.row_start[i]; k < s.row_start[i + 1]; k++) {
            s.value[k] = s.column[k] == i ? 1e-3 : s.value[k];
        }
    }
    for (int device = 0; device < test_device_count(); device++) {
        tsl_context *context = test_context(test_devices[device], 1);
        tsl_sparse_matrix *matrix = test_matrix(context, &s);
        tsl_linsolve_plan *plan = NULL;
        tsl_linsolve_report r;
        tsl_linsolve_options options = test_options(TSL_LINSOLVE_BICGSTAB, TSL_LINSOLVE_JACOBI);
        options.max_iterations = 2000;
        memset(x, 0, sizeof x);
        double *const on_device = test_upload(context, x, sizeof x);
        double *const right = test_upload(context, b, sizeof b);
        assert_int_equal(tsl_linsolve_plan_create(&plan, matrix, &options), TSL_OK);
        assert_int_equal(tsl_linsolve_execute(plan, on_device, right, &r), TSL_E_NOCONV);
        tsl_linsolve_plan_destroy(plan);
        test_download(context, x, on_device, sizeof x);
        assert_true(r.restarts > 1);
        assert_true(r.residual > 10); /* where it ended */
        assert_true(r.true_residual <= 1);
        assert_true(fabs(test_residual(&s, b, x) - r.true_residual) <= 1e-6);
        test_release(context, on_device);
        test_release(context, right);
        tsl_sparse_matrix_destroy(matrix);
        tsl_context_destroy(context);
    }
    test_system_free(&s);
}

/* A bound on rounding that takes the largest entry for all says nothing of such a matrix. */
static void badly_scaled_matrices_keep_what_was_found(void **state)
{
    (void)state;
    enum { ROWS = 400 };
    static double b[ROWS], x[ROWS], scale[ROWS];
    static int64_t row_start[ROWS + 1];
    static int32_t column[3 * ROWS];
    static double value[3 * ROWS];
    test_system s = {ROWS, row_start, column, value};
    uint64_t seed = 1;
    for (int64_t i = 0; i < ROWS; i++) {
        scale[i] = pow(10, 4 * test_uniform(&seed));
        b[i] = 1;
    }
    for (int64_t i = 0; i < ROWS; i++) {
        row_start[i + 1] = row_start[i];
        for (int64_t j = i - 1; j <= i + 1; j++) {
            if (j >= 0 && j < ROWS) {
                append(&s, i, j, (j == i ? 2.01 : -1) * scale[i] * scale[j]);
            }
        }
    }
    tsl_context *context = test_context("cpu", 1);
    tsl_sparse_matrix *matrix = test_matrix(context, &s);
    tsl_linsolve_plan *plan = NULL;
    tsl_linsolve_report r;
    tsl_linsolve_options options = test_options(TSL_LINSOLVE_CG, TSL_LINSOLVE_JACOBI);
    options.max_iterations = 20000;
    options.tolerance = 1e-14;
    assert_int_equal(tsl_linsolve_plan_create(&plan, matrix, &options), TSL_OK);
    assert_int_equal(tsl_linsolve_execute(plan, x, b, &r), TSL_E_NOCONV);
    assert_true(r.true_residual <= 1e-6);
    assert_true(fabs(test_residual(&s, b, x) - r.true_residual) <= 0.5 * r.true_residual);
    tsl_linsolve_plan_destroy(plan);
    tsl_sparse_matrix_destroy(matrix);
    tsl_context_destroy(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(x_is_no_worse_than_the_initial_guess),
                                       cmocka_unit_test(badly_scaled_matrices_keep_what_was_found),
                                       cmocka_unit_test(what_was_best_is_kept)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
