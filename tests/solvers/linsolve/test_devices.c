/* Solvers on every device: each method with each preconditioner, what is refused, and memory that
 * runs out. */
#include "solvers/linsolve/systems.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/core.h"

enum { FIRST_GPU = 1 /* of test_devices: what comes before is the CPU */ };

/* Asked once: the answer is a message too. */
static int device_count(void)
{
    static int count;
    count = count > 0 ? count : test_device_count();
    return count;
}

/* ---- systems ----------------------------------------------------------------------------------
 */

/* Solve from `x`, all vectors in device memory. */
static tsl_status solve(tsl_context *context, const test_system *s,
                        const tsl_linsolve_options *options, double *x, const double *b,
                        tsl_linsolve_report *report)
{
    tsl_linsolve_plan *plan = NULL;
    tsl_sparse_matrix *matrix = test_matrix(context, s);
    assert_non_null(matrix);
    tsl_status status = tsl_linsolve_plan_create(&plan, matrix, options);
    if (status == TSL_OK) {
        double *on_device = test_upload(context, x, s->n * 8);
        double *rhs = test_upload(context, b, s->n * 8);
        const int64_t live = context->memory.live;
        status = tsl_linsolve_execute(plan, on_device, rhs, report);
        assert_int_equal(context->memory.live, live);
        test_download(context, x, on_device, s->n * 8);
        test_release(context, on_device);
        test_release(context, rhs);
    }
    tsl_linsolve_plan_destroy(plan);
    tsl_sparse_matrix_destroy(matrix);
    assert_int_equal(context->memory.live, 0);
    return status;
}

/* A system, and what may be asked of it. */
typedef struct given {
    test_system s;
    double *known, *b;
} given;

static given make_given(test_system s)
{
    given g = {s, malloc((size_t)s.n * 8), malloc((size_t)s.n * 8)};
    uint64_t seed = 29;
    for (int64_t i = 0; i < s.n; i++) {
        g.known[i] = test_uniform(&seed);
    }
    test_multiply(&s, g.b, g.known);
    return g;
}

static void free_given(given *g)
{
    test_system_free(&g->s);
    free(g->known);
    free(g->b);
}

static double largest_difference(const double *x, const double *expected, int64_t n)
{
    double off = 0;
    for (int64_t i = 0; i < n; i++) {
        off = fmax(off, fabs(x[i] - expected[i]));
    }
    return off;
}

/* Solve on `device`, check the residual with the oracle; iterations near the CPU's. */
static void check_solution(const char *device, const given *g, const tsl_linsolve_options *options,
                           double condition, double *x, int64_t *iterations)
{
    tsl_context *context = test_context(device, 2);
    tsl_linsolve_report r;
    memset(x, 0, (size_t)g->s.n * 8);
    const tsl_status status = solve(context, &g->s, options, x, g->b, &r);
    if (status != TSL_OK) {
        fail_msg("%s with %s on %s: %s", tsl_linsolve_method_name(options->method),
                 tsl_linsolve_preconditioner_name(options->preconditioner), device,
                 tsl_last_error(context));
    }
    assert_int_equal(r.stop, TSL_LINSOLVE_CONVERGED);
    const double residual = test_residual(&g->s, g->b, x);
    assert_true(residual <= 1.001 * options->tolerance);
    assert_true(fabs(residual - r.true_residual) <= 1e-3 * options->tolerance);
    assert_true(largest_difference(x, g->known, g->s.n) <=
                3 * condition * options->tolerance * sqrt((double)g->s.n));
    assert_true(r.products >= r.iterations && r.iterations > 0);
    *iterations = r.iterations;
    tsl_context_destroy(context);
}

/* Each preconditioner with CG, and two of them with each method. */
static bool takes_turns(int method, int preconditioner)
{
    return method == TSL_LINSOLVE_CG || preconditioner == TSL_LINSOLVE_NONE ||
           preconditioner == TSL_LINSOLVE_MULTIGRID;
}

/* Solve on all devices; GPUs of all kinds give the same bits, if sums have one `order` on them.
 * Threads in another order only with the methods that have the most kernels. */
static void check_on_devices(const given *g, const tsl_linsolve_options *options, double condition,
                             bool order)
{
    const bool all_orders =
        options->preconditioner == TSL_LINSOLVE_MULTIGRID &&
        (options->method == TSL_LINSOLVE_CG_PIPELINED || options->method == TSL_LINSOLVE_GMRES);
    const int devices = device_count();
    double *x = malloc((size_t)g->s.n * 8);
    double *first = malloc((size_t)g->s.n * 8);
    int64_t on_cpu = 0;
    for (int d = 0; d < devices; d++) {
        int64_t iterations = 0;
        if (test_is_another_order(test_devices[d]) && !all_orders) {
            continue;
        }
        check_solution(test_devices[d], g, options, condition, x, &iterations);
        on_cpu = d == 0 ? iterations : on_cpu;
        assert_true(llabs(iterations - on_cpu) <= 2 + on_cpu / 10);
        if (d == FIRST_GPU) {
            memcpy(first, x, (size_t)g->s.n * 8);
        } else if (d > FIRST_GPU && order) {
            assert_memory_equal(x, first, (size_t)g->s.n * 8);
        }
    }
    free(x);
    free(first);
}

static void check_form(const given *g, const char *form)
{
    tsl_context *context = test_context("sim", 1);
    tsl_sparse_matrix *matrix = test_matrix(context, &g->s);
    tsl_sparse_description d;
    tsl_sparse_matrix_describe(matrix, &d);
    assert_string_equal(d.format, form);
    tsl_sparse_matrix_destroy(matrix);
    tsl_context_destroy(context);
}

static void definite_systems_are_solved(void **state)
{
    (void)state;
    given g = make_given(test_laplacian(23, 3)); /* 1587 rows: several blocks */
    for (int method = 0; test_has_method(method); method++) {
        for (int m = 0; tsl_linsolve_preconditioner_name((tsl_linsolve_preconditioner)m) != NULL;
             m++) {
            tsl_linsolve_options options =
                test_options((tsl_linsolve_method)method, (tsl_linsolve_preconditioner)m);
            options.coarse_rows = 40;
            if (takes_turns(method, m)) {
                check_on_devices(&g, &options, 300, true);
            }
        }
    }
    tsl_linsolve_options options = test_options(TSL_LINSOLVE_CG, TSL_LINSOLVE_MULTIGRID);
    options.smoother = TSL_LINSOLVE_SMOOTH_JACOBI;
    options.coarse_rows = 1; /* smoothing is all there is on the last level, or a row */
    check_on_devices(&g, &options, 300, true);
    free_given(&g);
}

static void unsymmetric_systems_are_solved(void **state)
{
    (void)state;
    given g = make_given(test_flow(24, 0.7));
    const tsl_linsolve_preconditioner preconditioners[] = {
        TSL_LINSOLVE_NONE, TSL_LINSOLVE_JACOBI, TSL_LINSOLVE_BLOCK_JACOBI, TSL_LINSOLVE_ILU0};
    for (int i = 0; i < 8; i++) {
        tsl_linsolve_options options = test_options(
            i < 4 ? TSL_LINSOLVE_BICGSTAB : TSL_LINSOLVE_GMRES, preconditioners[i % 4]);
        options.tolerance = 1e-10;
        options.restart = 60; /* more steps than a kernel takes */
        check_on_devices(&g, &options, 300, true);
    }
    free_given(&g);
}

/* A chain of rows, so long that the rounding of single precision, times what M makes of sums, is
 * more than the right-hand side. */
static void sums_are_preconditioned_in_full(void **state)
{
    (void)state;
    enum { ROWS = 20000 };
    test_system s = {.n = ROWS,
                     .row_start = calloc(ROWS + 1, sizeof(int64_t)),
                     .column = calloc(3 * ROWS, sizeof(int32_t)),
                     .value = calloc(3 * ROWS, sizeof(double))};
    for (int32_t i = 0; i < ROWS; i++) {
        int64_t k = s.row_start[i];
        for (int32_t j = i > 0 ? i - 1 : 0; j <= i + 1 && j < ROWS; j++) {
            s.column[k] = j;
            s.value[k++] = i == j ? 2 : -1;
        }
        s.row_start[i + 1] = k;
    }
    double *const x = calloc(2 * ROWS, sizeof *x);
    double *const b = x + ROWS;
    for (int i = 0; i < ROWS; i++) {
        b[i] = 1;
    }
    tsl_linsolve_options options = test_options(TSL_LINSOLVE_GMRES, TSL_LINSOLVE_MULTIGRID);
    options.tolerance = 1e-6;
    for (int d = 0; d < device_count(); d++) {
        tsl_context *context = test_context(test_devices[d], 2);
        tsl_linsolve_report r;
        memset(x, 0, ROWS * sizeof *x);
        assert_int_equal(solve(context, &s, &options, x, b, &r), TSL_OK);
        assert_true(test_residual(&s, b, x) <= 1.001 * options.tolerance);
        tsl_context_destroy(context);
    }
    free(x);
    test_system_free(&s);
}

/* Rows of all kinds: the solvers' lists with each form of a matrix. */
static void every_form_is_solved(void **state)
{
    (void)state;
    const struct {
        const char *form; /* on GPUs */
        int64_t n, hub;
        int64_t heads; /* test_heads() of so many; 0: test_graph() */
        int most;
        int solvers; /* the first of those below */
    } forms[] = {{"csr", 500, -1, 0, 40, 5},
                 {"csr-split", 2100, 900, 0, 10, 4},
                 {"sliced-ell-split", 2100, 1100, 0, 0, 4},
                 {"column-blocks", 28000, -1, 0, 4, 2},
                 {"csr-blocks", 35000, -1, 1030, 148, 1}};
    const struct {
        tsl_linsolve_method method;
        tsl_linsolve_preconditioner preconditioner;
    } solvers[] = {{TSL_LINSOLVE_CG, TSL_LINSOLVE_NONE},
                   {TSL_LINSOLVE_CG, TSL_LINSOLVE_CHEBYSHEV},
                   {TSL_LINSOLVE_CG_PIPELINED, TSL_LINSOLVE_JACOBI},
                   {TSL_LINSOLVE_CG, TSL_LINSOLVE_JACOBI},
                   {TSL_LINSOLVE_CG, TSL_LINSOLVE_MULTIGRID}};
    for (int i = 0; i < (int)(sizeof forms / sizeof *forms); i++) {
        given g =
            make_given(forms[i].heads > 0 ? test_heads(forms[i].n, forms[i].heads, forms[i].most, 3)
                                          : test_graph(forms[i].n, forms[i].most, forms[i].hub, 3));
        check_form(&g, forms[i].form);
        for (int k = 0; k < forms[i].solvers; k++) {
            const tsl_linsolve_options options =
                test_options(solvers[k].method, solvers[k].preconditioner);
            check_on_devices(&g, &options, 3000, strstr(forms[i].form, "-blocks") == NULL);
        }
        free_given(&g);
    }
}

/* ---- operators --------------------------------------------------------------------------------
 */

typedef struct product {
    tsl_sparse_matrix *matrix;
    int calls, fails_at;
} product;

static tsl_status apply(void *user, double *y, const double *x)
{
    product *p = user;
    return ++p->calls == p->fails_at ? TSL_E_IO : tsl_sparse_matrix_multiply(p->matrix, y, x);
}

static void operators_are_solved(void **state)
{
    (void)state;
    const int devices = device_count();
    given g = make_given(test_laplacian(12, 4));
    double *diagonal = malloc((size_t)g.s.n * 8);
    double *x = malloc((size_t)g.s.n * 8);
    for (int64_t i = 0; i < g.s.n; i++) {
        diagonal[i] = 6;
    }
    const tsl_linsolve_preconditioner with[] = {TSL_LINSOLVE_NONE, TSL_LINSOLVE_JACOBI,
                                                TSL_LINSOLVE_CHEBYSHEV};
    for (int i = 0; i < 3 * devices; i++) {
        tsl_context *context = test_context(test_devices[i / 3], 2);
        product p = {test_matrix(context, &g.s), 0, 0};
        tsl_linsolve_plan *plan = NULL;
        const tsl_linsolve_options options = test_options(TSL_LINSOLVE_CG, with[i % 3]);
        assert_int_equal(
            tsl_linsolve_plan_create_operator(&plan, context, g.s.n, apply, &p, diagonal, &options),
            TSL_OK);
        memset(x, 0, (size_t)g.s.n * 8);
        double *on_device = test_upload(context, x, g.s.n * 8);
        double *rhs = test_upload(context, g.b, g.s.n * 8);
        assert_int_equal(tsl_linsolve_execute(plan, on_device, rhs, NULL), TSL_OK);
        test_download(context, x, on_device, g.s.n * 8);
        assert_true(test_residual(&g.s, g.b, x) <= 1.001e-8);
        p.fails_at = p.calls + 3;
        memset(x, 0, (size_t)g.s.n * 8);
        context->ops->upload(context, on_device, x, g.s.n * 8);
        assert_int_equal(tsl_linsolve_execute(plan, on_device, rhs, NULL), TSL_E_IO);
        assert_string_equal(tsl_last_error(context), "the operator failed: TSL_E_IO");
        test_release(context, on_device);
        test_release(context, rhs);
        tsl_linsolve_plan_destroy(plan);
        tsl_sparse_matrix_destroy(p.matrix);
        tsl_context_destroy(context);
    }
    free(diagonal);
    free(x);
    free_given(&g);
}

/* ---- what is refused --------------------------------------------------------------------------
 */

static void wrong_vectors_are_refused(void **state)
{
    (void)state;
    const int devices = device_count();
    given g = make_given(test_laplacian(20, 1));
    double *x = malloc((size_t)g.s.n * 8);
    double *b = malloc((size_t)g.s.n * 8);
    const tsl_linsolve_options options = test_options(TSL_LINSOLVE_CG, TSL_LINSOLVE_JACOBI);
    for (int d = 0; d < devices; d++) {
        tsl_context *context = test_context(test_devices[d], 1);
        tsl_linsolve_report r;
        memset(x, 0, (size_t)g.s.n * 8);
        memcpy(b, g.b, (size_t)g.s.n * 8);
        b[300] = NAN;
        b[399] = INFINITY;
        assert_int_equal(solve(context, &g.s, &options, x, b, NULL), TSL_E_ARG);
        assert_string_equal(tsl_last_error(context),
                            "b has not a number in row 300: all its numbers must be finite");
        b[300] = 1;
        assert_int_equal(solve(context, &g.s, &options, x, b, NULL), TSL_E_ARG);
        assert_string_equal(tsl_last_error(context),
                            "b has an infinite number in row 399: all its numbers must be finite");
        x[7] = NAN;
        assert_int_equal(solve(context, &g.s, &options, x, g.b, NULL), TSL_E_ARG);
        memset(b, 0, (size_t)g.s.n * 8);
        x[7] = 3;
        assert_int_equal(solve(context, &g.s, &options, x, b, &r), TSL_OK);
        assert_memory_equal(x, b, (size_t)g.s.n * 8); /* b = 0: so is x */
        assert_int_equal(r.stop, TSL_LINSOLVE_CONVERGED);
        tsl_context_destroy(context);
    }
    free(x);
    free(b);
    free_given(&g);
}

/* Iterations are queued before they are looked at: where the method ends shows in nothing. */
static void limits_and_callers_end_it(void **state)
{
    (void)state;
    const int devices = device_count();
    given g = make_given(test_laplacian(20, 1));
    double *x = malloc((size_t)g.s.n * 8);
    for (int i = 0; i < 12 * devices; i++) {
        tsl_context *context = test_context(test_devices[i / 12], 1);
        const int64_t most = 3 + 9 * (i % 3); /* less than are queued at a time, and more */
        test_watcher w = {0, -1, 0};
        tsl_linsolve_report r;
        tsl_linsolve_options options =
            test_options(TSL_LINSOLVE_CG, i / 3 % 2 == 0 ? TSL_LINSOLVE_NONE : TSL_LINSOLVE_JACOBI);
        options.progress = test_watch;
        options.user = &w;
        memset(x, 0, (size_t)g.s.n * 8);
        if (i / 6 % 2 == 0) {
            options.max_iterations = most;
            assert_int_equal(solve(context, &g.s, &options, x, g.b, &r), TSL_E_NOCONV);
            assert_int_equal(r.stop, TSL_LINSOLVE_ITERATIONS);
            assert_int_equal(r.iterations, most);
        } else {
            w.ends_at = most;
            assert_int_equal(solve(context, &g.s, &options, x, g.b, &r), TSL_E_CANCELLED);
            assert_int_equal(r.stop, TSL_LINSOLVE_CANCELLED);
            assert_in_range(r.iterations, most, most + (i < 12 ? 0 : 15));
        }
        assert_int_equal(w.calls, most + 1);
        assert_true(fabs(r.true_residual - r.residual) <= 1e-12);
        assert_true(fabs(r.true_residual - test_residual(&g.s, g.b, x)) <= 1e-12);
        tsl_context_destroy(context);
    }
    free(x);
    free_given(&g);
}

/* b is of the eigenvalue -0.8 alone, of 1 on the diagonal and -0.9 elsewhere. */
static void indefinite_matrices_stop_cg(void **state)
{
    (void)state;
    const int devices = device_count();
    const int64_t row[] = {0, 0, 0, 1, 1, 1, 2, 2, 2};
    const int64_t column[] = {0, 1, 2, 0, 1, 2, 0, 1, 2};
    const double value[] = {1, -0.9, -0.9, -0.9, 1, -0.9, -0.9, -0.9, 1};
    const double b[] = {1, 1, 1};
    for (int d = 0; d < devices; d++) {
        tsl_context *context = test_context(test_devices[d], 1);
        tsl_sparse_matrix *matrix = NULL;
        tsl_linsolve_plan *plan = NULL;
        tsl_linsolve_report r;
        const double zero[3] = {0};
        const tsl_linsolve_options options = test_options(TSL_LINSOLVE_CG, TSL_LINSOLVE_NONE);
        assert_int_equal(
            tsl_sparse_matrix_from_coordinates(&matrix, context, 3, 3, 9, row, column, value, NULL),
            TSL_OK);
        assert_int_equal(tsl_linsolve_plan_create(&plan, matrix, &options), TSL_OK);
        double *x = test_upload(context, zero, sizeof zero);
        double *rhs = test_upload(context, b, sizeof b);
        assert_int_equal(tsl_linsolve_execute(plan, x, rhs, &r), TSL_E_NOCONV);
        assert_int_equal(r.stop, TSL_LINSOLVE_INDEFINITE);
        assert_int_equal(r.iterations, 0);
        assert_true(fabs(r.curvature + 0.8) < 1e-14 && fabs(r.true_residual - 1) < 1e-14);
        test_release(context, x);
        test_release(context, rhs);
        tsl_linsolve_plan_destroy(plan);
        tsl_sparse_matrix_destroy(matrix);
        tsl_context_destroy(context);
    }
}

/* ---- memory -----------------------------------------------------------------------------------
 */

static void failing_allocations_are_survived(void **state)
{
    (void)state;
    tsl_context *context = test_context("sim", 1);
    test_system s = test_laplacian(6, 1);
    for (int m = 0; tsl_linsolve_preconditioner_name((tsl_linsolve_preconditioner)m) != NULL; m++) {
        test_attempt a = {&s, test_options(TSL_LINSOLVE_GMRES, (tsl_linsolve_preconditioner)m)};
        a.options.coarse_rows = 5;
        assert_true(test_survives_no_memory(context, test_try_to_plan, &a) > 0);
    }
    test_system_free(&s);
    tsl_context_destroy(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(definite_systems_are_solved),
                                       cmocka_unit_test(unsymmetric_systems_are_solved),
                                       cmocka_unit_test(sums_are_preconditioned_in_full),
                                       cmocka_unit_test(every_form_is_solved),
                                       cmocka_unit_test(operators_are_solved),
                                       cmocka_unit_test(wrong_vectors_are_refused),
                                       cmocka_unit_test(limits_and_callers_end_it),
                                       cmocka_unit_test(indefinite_matrices_stop_cg),
                                       cmocka_unit_test(failing_allocations_are_survived)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
