/* Systems of known solution: each method with each preconditioner, and what is said where there is
 * no answer. */
#include "solvers/linsolve/systems.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/core.h"

enum { MOST = 6000 };

/* x = numbers of [-1, 1), b = A x. */
static void make_right_side(const test_system *s, double *x, double *b)
{
    uint64_t seed = 29;
    for (int64_t i = 0; i < s->n; i++) {
        x[i] = test_uniform(&seed);
    }
    test_multiply(s, b, x);
}

/* Plan, solve from `x`, destroy. */
static tsl_status solve(tsl_context *context, const test_system *s,
                        const tsl_linsolve_options *options, double *x, const double *b,
                        tsl_linsolve_report *report)
{
    tsl_sparse_matrix *matrix = NULL;
    tsl_linsolve_plan *plan = NULL;
    tsl_status status = tsl_sparse_matrix_create(&matrix, context, s->n, s->n, s->row_start,
                                                 s->column, 4, s->value, NULL);
    if (status == TSL_OK) {
        status = tsl_linsolve_plan_create(&plan, matrix, options);
    }
    if (status == TSL_OK) {
        const int64_t taken = tsl_test_fail_allocation(0);
        (void)taken;
        status = tsl_linsolve_execute(plan, x, b, report);
        const int64_t by_solving = tsl_test_fail_allocation(0);
        assert_int_equal(by_solving, 0); /* executing allocates nothing */
    }
    tsl_linsolve_plan_destroy(plan);
    tsl_sparse_matrix_destroy(matrix);
    return status;
}

static double largest_error(const double *x, const double *expected, int64_t n)
{
    double off = 0;
    double size = 0;
    for (int64_t i = 0; i < n; i++) {
        off = fmax(off, fabs(x[i] - expected[i]));
        size = fmax(size, fabs(expected[i]));
    }
    return off / size;
}

/* Solve from 0 and compare with elimination; the residual is checked by the oracle too. */
static void check_solution(tsl_context *context, const test_system *s,
                           const tsl_linsolve_options *options, double condition)
{
    static double known[MOST], b[MOST], x[MOST], direct[MOST];
    tsl_linsolve_report r;
    make_right_side(s, known, b);
    memset(x, 0, sizeof x);
    const tsl_status status = solve(context, s, options, x, b, &r);
    if (status != TSL_OK) {
        fail_msg("%s with %s, condition %g: %s", tsl_linsolve_method_name(options->method),
                 tsl_linsolve_preconditioner_name(options->preconditioner), condition,
                 tsl_last_error(context));
    }
    assert_int_equal(r.stop, TSL_LINSOLVE_CONVERGED);
    assert_true(r.true_residual <= options->tolerance);
    const double residual = test_residual(s, b, x);
    assert_true(residual <= 1.001 * options->tolerance);
    assert_true(fabs(residual - r.true_residual) <= 1e-3 * options->tolerance);
    assert_true(r.iterations > 0 && r.products >= r.iterations && r.seconds > 0);
    if (s->n <= 300) {
        test_solve_dense(s, direct, b);
        const double bound = 3 * condition * options->tolerance * sqrt((double)s->n);
        assert_true(largest_error(x, direct, s->n) <= bound);
        assert_true(largest_error(x, known, s->n) <= bound);
    }
}

/* ---- all methods, all preconditioners
 * ------------------------------------------------------------ */

/* Each method once, and each preconditioner once: several threads take their time. */
static bool takes_turns(int method, int preconditioner)
{
    return method == TSL_LINSOLVE_CG || preconditioner == TSL_LINSOLVE_MULTIGRID;
}

static void definite_systems_are_solved(void **state)
{
    (void)state;
    tsl_context *context = test_context("cpu", 2);
    test_system small = test_laplacian(11, 1);
    test_system large = test_laplacian(17, 17); /* 4913 rows: several threads */
    test_system turned = test_spectrum(96, 1e3, 7);
    for (int method = 0; test_has_method(method); method++) {
        for (int m = 0; tsl_linsolve_preconditioner_name((tsl_linsolve_preconditioner)m) != NULL;
             m++) {
            tsl_linsolve_options options =
                test_options((tsl_linsolve_method)method, (tsl_linsolve_preconditioner)m);
            options.coarse_rows = 20;
            options.restart = 50;
            check_solution(context, &small, &options, 70);
            if (takes_turns(method, m)) {
                check_solution(context, &large, &options, 200);
            }
            /* its factors on a pattern this full break down */
            if (m != TSL_LINSOLVE_IC0 && m != TSL_LINSOLVE_ILU0) {
                check_solution(context, &turned, &options, 1e3);
            }
        }
    }
    test_system_free(&small);
    test_system_free(&large);
    test_system_free(&turned);
    tsl_context_destroy(context);
}

static void unsymmetric_systems_are_solved(void **state)
{
    (void)state;
    tsl_context *context = test_context("cpu", 2);
    test_system s = test_flow(15, 0.7);
    const tsl_linsolve_method methods[] = {TSL_LINSOLVE_BICGSTAB, TSL_LINSOLVE_GMRES};
    const tsl_linsolve_preconditioner preconditioners[] = {
        TSL_LINSOLVE_NONE, TSL_LINSOLVE_JACOBI, TSL_LINSOLVE_BLOCK_JACOBI, TSL_LINSOLVE_ILU0};
    for (int i = 0; i < 8; i++) {
        tsl_linsolve_options options = test_options(methods[i / 4], preconditioners[i % 4]);
        options.tolerance = 1e-10;
        check_solution(context, &s, &options, 200);
        options.block = 64;
        options.restart = 7;
        check_solution(context, &s, &options, 200);
    }
    test_system_free(&s);
    tsl_context_destroy(context);
}

/* From a condition of 1 to 1e12. */
static void conditions_are_mastered(void **state)
{
    (void)state;
    tsl_context *context = test_context("cpu", 1);
    for (int power = 0; power <= 12; power += 2) {
        const double condition = pow(10, power);
        test_system s = test_spectrum(64, condition, 41);
        const tsl_linsolve_method methods[] = {TSL_LINSOLVE_CG, TSL_LINSOLVE_GMRES};
        for (int i = 0; i < 2; i++) {
            tsl_linsolve_options options = test_options(methods[i], TSL_LINSOLVE_NONE);
            options.restart = 64;
            options.tolerance = 1e-9;
            check_solution(context, &s, &options, condition);
        }
        test_system_free(&s);
    }
    tsl_context_destroy(context);
}

/* Fewer iterations than Jacobi's, each by as much as it must. */
static void preconditioners_help(void **state)
{
    (void)state;
    static double x[MOST], b[MOST], known[MOST];
    const struct {
        tsl_linsolve_preconditioner preconditioner;
        double most; /* of Jacobi's iterations */
    } rows[] = {{TSL_LINSOLVE_BLOCK_JACOBI, 0.95},
                {TSL_LINSOLVE_IC0, 0.5},
                {TSL_LINSOLVE_ILU0, 0.5},
                {TSL_LINSOLVE_CHEBYSHEV, 0.7},
                {TSL_LINSOLVE_MULTIGRID, 0.3}};
    tsl_context *context = test_context("cpu", 1);
    test_system s = test_laplacian(50, 1);
    make_right_side(&s, known, b);
    tsl_linsolve_report r;
    tsl_linsolve_options options = test_options(TSL_LINSOLVE_CG, TSL_LINSOLVE_JACOBI);
    memset(x, 0, sizeof x);
    assert_int_equal(solve(context, &s, &options, x, b, &r), TSL_OK);
    const double plain = (double)r.iterations;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        options = test_options(TSL_LINSOLVE_CG, rows[i].preconditioner);
        memset(x, 0, sizeof x);
        assert_int_equal(solve(context, &s, &options, x, b, &r), TSL_OK);
        assert_true((double)r.iterations <= rows[i].most * plain);
    }
    test_system_free(&s);
    tsl_context_destroy(context);
}

static void multigrid_needs_few_iterations(void **state)
{
    (void)state;
    static double x[30 * 30 * 30], b[30 * 30 * 30];
    tsl_context *context = test_context("cpu", 2);
    test_system s = test_laplacian(30, 30);
    for (int64_t i = 0; i < s.n; i++) {
        b[i] = 1;
    }
    for (int smoother = 0; smoother < 2; smoother++) {
        tsl_linsolve_report r;
        tsl_linsolve_options options = test_options(TSL_LINSOLVE_CG, TSL_LINSOLVE_MULTIGRID);
        options.smoother = (tsl_linsolve_smoother)smoother;
        memset(x, 0, sizeof x);
        assert_int_equal(solve(context, &s, &options, x, b, &r), TSL_OK);
        assert_in_range(r.iterations, 1, smoother == TSL_LINSOLVE_SMOOTH_JACOBI ? 18 : 14);
        assert_in_range(r.levels, 2, 5);
        assert_int_equal(r.level_rows[0], s.n);
        assert_true(r.level_rows[r.levels - 1] <= options.coarse_rows);
        assert_true(r.operator_complexity > 1 && r.operator_complexity < 2);
        assert_true(r.grid_complexity > 1 && r.grid_complexity < 1.3);
    }
    test_system_free(&s);
    tsl_context_destroy(context);
}

/* A vector that is small in the matrix's norm: A = D L D with L a Laplacian and D far from 1. */
static void the_near_null_space_is_used(void **state)
{
    (void)state;
    static double x[MOST], b[MOST], known[MOST], near_null[MOST];
    tsl_context *context = test_context("cpu", 1);
    test_system s = test_laplacian(40, 1);
    uint64_t seed = 3;
    for (int64_t i = 0; i < s.n; i++) {
        near_null[i] = exp(2 * test_uniform(&seed));
    }
    for (int64_t i = 0; i < s.n; i++) {
        for (int64_t k = s.row_start[i]; k < s.row_start[i + 1]; k++) {
            s.value[k] /= near_null[i] * near_null[s.column[k]];
        }
    }
    make_right_side(&s, known, b);
    tsl_linsolve_report with;
    tsl_linsolve_report without;
    tsl_linsolve_options options = test_options(TSL_LINSOLVE_CG, TSL_LINSOLVE_MULTIGRID);
    memset(x, 0, sizeof x);
    assert_int_equal(solve(context, &s, &options, x, b, &without), TSL_OK);
    options.near_null = near_null;
    memset(x, 0, sizeof x);
    assert_int_equal(solve(context, &s, &options, x, b, &with), TSL_OK);
    assert_true(with.iterations <= 16 && 2 * with.iterations < without.iterations);
    for (int power = -565; power <= 565; power += 2 * 565) { /* squares beyond all numbers */
        static double scaled[MOST], again[MOST];
        for (int64_t i = 0; i < s.n; i++) {
            scaled[i] = ldexp(near_null[i], power);
        }
        options.near_null = scaled;
        memset(again, 0, sizeof again);
        assert_int_equal(solve(context, &s, &options, again, b, NULL), TSL_OK);
        assert_memory_equal(again, x, sizeof x);
    }
    options.near_null = near_null;
    near_null[17] = 1e-200;
    assert_int_equal(solve(context, &s, &options, x, b, NULL), TSL_E_ARG);
    assert_string_equal(tsl_last_error(context),
                        "near_null has numbers from 2^-665 to 2^2: give such as are at most 2^480 "
                        "apart");
    near_null[17] = 0;
    assert_int_equal(solve(context, &s, &options, x, b, NULL), TSL_E_ARG);
    assert_string_equal(tsl_last_error(context),
                        "near_null has 0 in row 17: give finite numbers other than 0");
    test_system_free(&s);
    tsl_context_destroy(context);
}

/* ---- the same bits
 * -------------------------------------------------------------------------------- */

typedef struct history {
    int64_t count;
    double residual[2000];
} history;

static int note(void *user, int64_t iteration, double residual)
{
    history *h = user;
    assert_int_equal(iteration, h->count);
    h->residual[h->count++] = residual;
    return 0;
}

static void threads_and_runs_do_not_matter(void **state)
{
    (void)state;
    static double known[MOST], b[MOST], first[MOST], x[MOST];
    static history expected, h;
    test_system s = test_laplacian(17, 17);
    make_right_side(&s, known, b);
    for (int method = 0; test_has_method(method); method++) {
        for (int m = 0; tsl_linsolve_preconditioner_name((tsl_linsolve_preconditioner)m) != NULL;
             m++) {
            if (!takes_turns(method, m)) {
                continue;
            }
            const int runs = method == TSL_LINSOLVE_CG && m == TSL_LINSOLVE_MULTIGRID ? 20 : 3;
            for (int run = 0; run < runs; run++) {
                tsl_context *context = test_context("cpu", 1 + run % 3);
                tsl_linsolve_options options =
                    test_options((tsl_linsolve_method)method, (tsl_linsolve_preconditioner)m);
                options.progress = note;
                options.user = &h;
                h.count = 0;
                memset(x, 0, sizeof x);
                assert_int_equal(solve(context, &s, &options, x, b, NULL), TSL_OK);
                tsl_context_destroy(context);
                if (run == 0) {
                    memcpy(first, x, sizeof x);
                    expected = h;
                }
                assert_memory_equal(x, first, sizeof x);
                assert_int_equal(h.count, expected.count);
                assert_memory_equal(h.residual, expected.residual, (size_t)h.count * 8);
            }
        }
    }
    test_system_free(&s);
}

/* ---- operators
 * -------------------------------------------------------------------------------------- */

typedef struct counted {
    const test_system *s;
    int calls, fails_at;
} counted;

static tsl_status apply_counted(void *user, double *y, const double *x)
{
    counted *c = user;
    if (++c->calls == c->fails_at) {
        return TSL_E_IO;
    }
    test_multiply(c->s, y, x);
    return TSL_OK;
}

static void operators_are_solved(void **state)
{
    (void)state;
    static double known[MOST], b[MOST], x[MOST], diagonal[MOST];
    tsl_context *context = test_context("cpu", 2);
    test_system s = test_laplacian(12, 12);
    make_right_side(&s, known, b);
    for (int64_t i = 0; i < s.n; i++) {
        diagonal[i] = 6;
    }
    const tsl_linsolve_preconditioner with[] = {TSL_LINSOLVE_NONE, TSL_LINSOLVE_JACOBI,
                                                TSL_LINSOLVE_CHEBYSHEV};
    counted c = {&s, 0, 0};
    tsl_linsolve_plan *plan = NULL;
    tsl_linsolve_report r;
    for (int i = 0; i < 15; i++) {
        const tsl_linsolve_options options =
            test_options((tsl_linsolve_method)(i / 3), with[i % 3]);
        assert_int_equal(tsl_linsolve_plan_create_operator(&plan, context, s.n, apply_counted, &c,
                                                           diagonal, &options),
                         TSL_OK);
        memset(x, 0, sizeof x);
        c.calls = 0;
        assert_int_equal(tsl_linsolve_execute(plan, x, b, &r), TSL_OK);
        assert_true(c.calls >= r.products && r.products >= r.iterations);
        assert_true(r.product_gbs == 0);
        assert_true(test_residual(&s, b, x) <= 1.001e-8);
        c.calls = 0;
        c.fails_at = 3;
        memset(x, 0, sizeof x);
        assert_int_equal(tsl_linsolve_execute(plan, x, b, &r), TSL_E_IO);
        assert_string_equal(tsl_last_error(context), "the operator failed: TSL_E_IO");
        assert_int_equal(r.stop, TSL_LINSOLVE_FAILED);
        c.fails_at = 0;
        tsl_linsolve_plan_destroy(plan);
    }
    const struct {
        tsl_linsolve_preconditioner preconditioner;
        int64_t rows;
        double first; /* of the diagonal; 0: NULL */
        const char *said;
    } wrong[] = {
        {TSL_LINSOLVE_ILU0, 5, 1,
         "ilu0 needs a matrix: an operator takes none or, with its diagonal, jacobi or chebyshev"},
        {TSL_LINSOLVE_JACOBI, 5, 0,
         "jacobi needs a matrix or the operator's diagonal: an operator takes none or, with its "
         "diagonal, jacobi or chebyshev"},
        {TSL_LINSOLVE_JACOBI, 5, -2,
         "row 0 of the operator has -2 on the diagonal: give numbers above 0"},
        {TSL_LINSOLVE_NONE, 0, 1,
         "an operator of 0 rows: give 1 to 2147483647 rows and a function"}};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        const tsl_linsolve_options options = test_options(TSL_LINSOLVE_CG, wrong[i].preconditioner);
        diagonal[0] = wrong[i].first;
        assert_int_equal(
            tsl_linsolve_plan_create_operator(&plan, context, wrong[i].rows, apply_counted, &c,
                                              wrong[i].first != 0 ? diagonal : NULL, &options),
            TSL_E_ARG);
        assert_string_equal(tsl_last_error(context), wrong[i].said);
    }
    test_system_free(&s);
    tsl_context_destroy(context);
}

/* Regular, with eigenvalues of both signs, which no two rows show: multigrid, that leaves out what
 * is not above 0, does not take it for singular. */
static void multigrid_tells_what_it_cannot_tell(void **state)
{
    (void)state;
    static double b[400], x[400];
    tsl_context *context = test_context("cpu", 1);
    test_system s = test_laplacian(20, 1);
    for (int64_t i = 0; i < s.n; i++) {
        for (int64_t k = s.row_start[i]; k < s.row_start[i + 1]; k++) {
            s.value[k] -= s.column[k] == i ? 1.5 : 0;
        }
        b[i] = 1;
    }
    for (int m = 0; m < TSL_LINSOLVE_DIRECT; m++) {
        const tsl_linsolve_options options =
            test_options((tsl_linsolve_method)m, TSL_LINSOLVE_MULTIGRID);
        assert_int_equal(solve(context, &s, &options, x, b, NULL), TSL_E_NOCONV);
        /* rounding overtakes the pipelined recurrence before it has grown */
        assert_non_null(strstr(tsl_last_error(context),
                               m == TSL_LINSOLVE_CG_PIPELINED
                                   ? "cg tells"
                                   : "the matrix is not positive definite, which multigrid needs, "
                                     "or as good as singular: gmres with ilu0 tells"));
    }
    tsl_linsolve_options direct = test_options(TSL_LINSOLVE_GMRES, TSL_LINSOLVE_ILU0);
    direct.restart = 400;
    memset(x, 0, sizeof x);
    assert_int_equal(solve(context, &s, &direct, x, b, NULL), TSL_OK);
    test_system_free(&s);
    tsl_context_destroy(context);
}

/* ---- memory
 * -------------------------------------------------------------------------------------------- */

static void failing_allocations_are_survived(void **state)
{
    (void)state;
    tsl_context *context = test_context("cpu", 1);
    test_system s = test_laplacian(6, 1);
    for (int m = 0; tsl_linsolve_preconditioner_name((tsl_linsolve_preconditioner)m) != NULL; m++) {
        test_attempt a = {&s, test_options(TSL_LINSOLVE_GMRES, (tsl_linsolve_preconditioner)m)};
        a.options.coarse_rows = 5;
        test_survives_no_memory(context, test_try_to_plan, &a);
    }
    test_system_free(&s);
    tsl_context_destroy(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(definite_systems_are_solved),
                                       cmocka_unit_test(unsymmetric_systems_are_solved),
                                       cmocka_unit_test(conditions_are_mastered),
                                       cmocka_unit_test(preconditioners_help),
                                       cmocka_unit_test(multigrid_needs_few_iterations),
                                       cmocka_unit_test(the_near_null_space_is_used),
                                       cmocka_unit_test(threads_and_runs_do_not_matter),
                                       cmocka_unit_test(operators_are_solved),
                                       cmocka_unit_test(multigrid_tells_what_it_cannot_tell),
                                       cmocka_unit_test(failing_allocations_are_survived)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
