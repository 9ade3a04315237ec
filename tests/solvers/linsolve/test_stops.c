/* Systems that have no answer, or none that a method can find: what is said, and what is left. */
#include "solvers/linsolve/systems.h"

#include <math.h>
#include <string.h>

enum { MOST = 400 };

/* ---- what a plan refuses ------------------------------------------------------------------- */

/* A matrix of 4 rows, numbered from 1: the identity with one more pair of entries. */
typedef struct refusal {
    tsl_linsolve_method method;
    tsl_linsolve_preconditioner preconditioner;
    int64_t row, column;  /* that are set */
    double value, mirror; /* at (row, column) and (column, row) */
    const char *said;
} refusal;

static const refusal refusals[] = {
    {TSL_LINSOLVE_CG, TSL_LINSOLVE_NONE, 3, 2, 0.5, 0.25,
     "the matrix is not symmetric: a(2, 3) is 0.25, a(3, 2) is 0.5; cg needs a symmetric one: use "
     "gmres or bicgstab with jacobi or ilu0"},
    {TSL_LINSOLVE_CG_PIPELINED, TSL_LINSOLVE_NONE, 4, 1, 0.5, 0,
     "the matrix is not symmetric: a(1, 4) is 0, a(4, 1) is 0.5; cg-pipelined needs a symmetric "
     "one: use gmres or bicgstab with jacobi or ilu0"},
    {TSL_LINSOLVE_CG, TSL_LINSOLVE_NONE, 1, 2, -1, -1.0000001,
     "the matrix is not symmetric: a(1, 2) is -1, a(2, 1) is -1.0000001; cg needs a symmetric one: "
     "use gmres or bicgstab with jacobi or ilu0"},
    {TSL_LINSOLVE_GMRES, TSL_LINSOLVE_MULTIGRID, 1, 2, 3, 0.5,
     "the matrix is not symmetric: a(1, 2) is 3, a(2, 1) is 0.5; multigrid needs a symmetric one: "
     "use gmres or bicgstab with jacobi or ilu0"},
    {TSL_LINSOLVE_CG_SINGLE_REDUCTION, TSL_LINSOLVE_NONE, 2, 2, 0, 0,
     "row 2 has a zero on the diagonal: the matrix is not positive definite, as cg-single needs "
     "it: use gmres or bicgstab"},
    {TSL_LINSOLVE_CG, TSL_LINSOLVE_JACOBI, 3, 3, -1, -1,
     "row 3 has a negative number on the diagonal: the matrix is not positive definite, as cg "
     "needs it: use gmres or bicgstab"},
    {TSL_LINSOLVE_BICGSTAB, TSL_LINSOLVE_IC0, 3, 3, -1, -1,
     "row 3 has a negative number on the diagonal: the matrix is not positive definite, as ic0 "
     "needs it: use gmres or bicgstab"},
    {TSL_LINSOLVE_GMRES, TSL_LINSOLVE_JACOBI, 4, 4, 0, 0,
     "row 4 has a zero on the diagonal, which jacobi divides by: use none, or direct as the "
     "method"},
    {TSL_LINSOLVE_CG, TSL_LINSOLVE_JACOBI, 2, 2, 1e-310, 0,
     "row 2 has 1e-310, too near 0, on the diagonal, which jacobi divides by: use none, or "
     "direct as the method"},
    {TSL_LINSOLVE_CG, TSL_LINSOLVE_CHEBYSHEV, 2, 2, 1e-310, 0,
     "row 2 has 1e-310, too near 0, on the diagonal, which chebyshev divides by: use none, or "
     "direct as the method"},
    {TSL_LINSOLVE_CG, TSL_LINSOLVE_MULTIGRID, 2, 2, 1e-310, 0,
     "multigrid: row 1 of a level has 1e-310 on the diagonal: the matrix is too near to singular: "
     "use gmres with ilu0"},
    {TSL_LINSOLVE_GMRES, TSL_LINSOLVE_ILU0, 4, 4, 0, 0,
     "row 4 has a zero on the diagonal, which ilu0 divides by: use none, or direct as the "
     "method"},
    {TSL_LINSOLVE_GMRES, TSL_LINSOLVE_BLOCK_JACOBI, 3, 3, 0, 0,
     "the block of 2 rows from row 3 is singular: use none, or another size of blocks"},
    {TSL_LINSOLVE_CG, TSL_LINSOLVE_IC0, 1, 2, 1, 1,
     "ic0 breaks down in row 2 with a pivot of 0: use jacobi, chebyshev or multigrid"},
    {TSL_LINSOLVE_CG, TSL_LINSOLVE_NONE, 1, 2, 2, 2,
     "a(1, 2) is 2, its square more than 1 times 1, a(1, 1) and a(2, 2): the matrix is indefinite, "
     "cg needs a positive definite one: use gmres or bicgstab"},
    {TSL_LINSOLVE_GMRES, TSL_LINSOLVE_MULTIGRID, 4, 3, -1.001, -1.001,
     "a(3, 4) is -1.001, its square more than 1 times 1, a(3, 3) and a(4, 4): the matrix is "
     "indefinite, multigrid needs a positive definite one: use gmres or bicgstab"},
    {TSL_LINSOLVE_BICGSTAB, TSL_LINSOLVE_IC0, 2, 4, 3, 3,
     "a(2, 4) is 3, its square more than 1 times 1, a(2, 2) and a(4, 4): the matrix is indefinite, "
     "ic0 needs a positive definite one: use gmres or bicgstab"},
    {TSL_LINSOLVE_GMRES, TSL_LINSOLVE_ILU0, 1, 2, 1, 1,
     "ilu0 breaks down in row 2 with a pivot of 0: use jacobi or block-jacobi"},
};

/* Row by row: 1 on the diagonal, and the pair. */
static tsl_sparse_matrix *make_small(tsl_context *context, int64_t row, int64_t column,
                                     double value, double mirror)
{
    const tsl_sparse_matrix_options options = {sizeof options, TSL_SPARSE_GENERAL,
                                               TSL_SPARSE_REFUSE, 1, TSL_SPARSE_JUDGE};
    int64_t rows[6];
    int64_t columns[6];
    double values[6];
    int count = 0;
    for (int64_t i = 1; i <= 4; i++) {
        if (row != column || i != row) {
            rows[count] = columns[count] = i;
            values[count++] = 1;
        }
    }
    rows[count] = row;
    columns[count] = column;
    values[count++] = value;
    if (row != column) {
        rows[count] = column;
        columns[count] = row;
        values[count++] = mirror;
    }
    tsl_sparse_matrix *matrix = NULL;
    assert_int_equal(tsl_sparse_matrix_from_coordinates(&matrix, context, 4, 4, count, rows,
                                                        columns, values, &options),
                     TSL_OK);
    return matrix;
}

/* Solve from `x` with what `options` say. */
static tsl_status solve(tsl_context *context, tsl_sparse_matrix *matrix,
                        const tsl_linsolve_options *options, double *x, const double *b,
                        tsl_linsolve_report *report)
{
    tsl_linsolve_plan *plan = NULL;
    assert_int_equal(tsl_linsolve_plan_create(&plan, matrix, options), TSL_OK);
    const tsl_status status = tsl_linsolve_execute(plan, x, b, report);
    assert_null(strchr(tsl_last_error(context), '\n'));
    tsl_linsolve_plan_destroy(plan);
    return status;
}

/* [[0, 1], [-1, 0]]: what is said to take, takes it. */
static void remedies_for_skew_matrices_work(void **state)
{
    (void)state;
    tsl_context *context = test_context("cpu", 1);
    const int64_t row = 1, column = 0;
    const double value = -1;
    const double b[2] = {1, 2};
    const tsl_sparse_matrix_options skew = {sizeof skew, TSL_SPARSE_SKEW, TSL_SPARSE_REFUSE, 0,
                                            TSL_SPARSE_JUDGE};
    tsl_sparse_matrix *matrix = NULL;
    tsl_linsolve_plan *plan = NULL;
    assert_int_equal(
        tsl_sparse_matrix_from_coordinates(&matrix, context, 2, 2, 1, &row, &column, &value, &skew),
        TSL_OK);
    tsl_linsolve_options options = test_options(TSL_LINSOLVE_CG, TSL_LINSOLVE_NONE);
    assert_int_equal(tsl_linsolve_plan_create(&plan, matrix, &options), TSL_E_ARG);
    assert_string_equal(tsl_last_error(context),
                        "the matrix is not symmetric: a(0, 1) is 1, a(1, 0) is -1; cg needs a "
                        "symmetric one: use gmres or bicgstab with none or block-jacobi");
    for (int m = TSL_LINSOLVE_NONE; m <= TSL_LINSOLVE_BLOCK_JACOBI; m += 2) {
        double x[2] = {0};
        options = test_options(TSL_LINSOLVE_GMRES, (tsl_linsolve_preconditioner)m);
        options.block = 2;
        assert_int_equal(solve(context, matrix, &options, x, b, NULL), TSL_OK);
        assert_true(fabs(x[0] + 2) < 1e-7 && fabs(x[1] - 1) < 1e-7);
    }
    tsl_sparse_matrix_destroy(matrix);
    tsl_context_destroy(context);
}

static void unsuitable_matrices_are_refused(void **state)
{
    (void)state;
    tsl_context *context = test_context("cpu", 2);
    for (size_t i = 0; i < sizeof refusals / sizeof *refusals; i++) {
        const refusal *r = &refusals[i];
        tsl_sparse_matrix *matrix = make_small(context, r->row, r->column, r->value, r->mirror);
        tsl_linsolve_options options = test_options(r->method, r->preconditioner);
        options.block = 2;
        tsl_linsolve_plan *plan = NULL;
        assert_int_equal(tsl_linsolve_plan_create(&plan, matrix, &options), TSL_E_ARG);
        assert_null(plan);
        assert_string_equal(tsl_last_error(context), r->said);
        tsl_sparse_matrix_destroy(matrix);
    }
    tsl_sparse_matrix *matrix = NULL;
    tsl_linsolve_plan *plan = NULL;
    assert_int_equal(
        tsl_sparse_matrix_from_coordinates(&matrix, context, 4, 3, 0, NULL, NULL, NULL, NULL),
        TSL_OK);
    assert_int_equal(tsl_linsolve_plan_create(&plan, matrix, NULL), TSL_E_ARG);
    assert_string_equal(tsl_last_error(context),
                        "the matrix has 4 rows and 3 columns: only square systems are solved");
    tsl_sparse_matrix_destroy(matrix);
    tsl_context_destroy(context);
}

static void options_are_checked(void **state)
{
    (void)state;
    tsl_context *context = test_context("cpu", 1);
    tsl_sparse_matrix *matrix = make_small(context, 1, 1, 1, 1);
    tsl_linsolve_options wrong[12];
    for (int i = 0; i < 12; i++) {
        wrong[i] = test_options(TSL_LINSOLVE_CG, TSL_LINSOLVE_NONE);
    }
    wrong[0].method = (tsl_linsolve_method)6;
    wrong[1].preconditioner = (tsl_linsolve_preconditioner)-1;
    wrong[2].tolerance = 1;
    wrong[3].absolute = NAN;
    wrong[4].max_iterations = -1;
    wrong[5].restart = 0;
    wrong[6].block = 65;
    wrong[7].degree = 0;
    wrong[8].smoother = (tsl_linsolve_smoother)2;
    wrong[9].strength = 1.5;
    wrong[10].coarse_rows = 0;
    wrong[11].eigenvalue_ratio = 1;
    const char *const said[12] = {"method is 6: give 0 to 5",
                                  "preconditioner is -1: give 0 to 6",
                                  "tolerance is 1: give 0 to 0.999999",
                                  "absolute is nan: give 0 to 1e+300",
                                  "max_iterations is -1: give 0 to 9e+18",
                                  "restart is 0: give 1 to 1000",
                                  "block is 65: give 1 to 64",
                                  "degree is 0: give 1 to 64",
                                  "smoother is 2: give 0 to 1",
                                  "strength is 1.5: give 0 to 1",
                                  "coarse_rows is 0: give 1 to 4000",
                                  "eigenvalue_ratio is 1: give more than 1, up to 1e+06, or 0"};
    tsl_linsolve_plan *plan = NULL;
    for (int i = 0; i < 12; i++) {
        assert_int_equal(tsl_linsolve_plan_create(&plan, matrix, &wrong[i]), TSL_E_ARG);
        assert_string_equal(tsl_last_error(context), said[i]);
    }
    wrong[0].size = 3;
    assert_int_equal(tsl_linsolve_plan_create(&plan, matrix, &wrong[0]), TSL_E_ARG);
    assert_non_null(strstr(tsl_last_error(context), "TSL_LINSOLVE_OPTIONS_INIT"));
    tsl_sparse_matrix_destroy(matrix);
    tsl_context_destroy(context);
}

/* ---- what a solution stops at -------------------------------------------------------------- */

/* 1 on the diagonal and -0.9 elsewhere: eigenvalues -0.8, 1.9 and 1.9, and no two rows show it. */
static tsl_sparse_matrix *make_hidden(tsl_context *context)
{
    static const int64_t row_start[] = {0, 3, 6, 9};
    static const int64_t column[] = {0, 1, 2, 0, 1, 2, 0, 1, 2};
    static const double value[] = {1, -0.9, -0.9, -0.9, 1, -0.9, -0.9, -0.9, 1};
    tsl_sparse_matrix *matrix = NULL;
    assert_int_equal(tsl_sparse_matrix_create(&matrix, context, 3, 3, row_start, column,
                                              sizeof *column, value, NULL),
                     TSL_OK);
    return matrix;
}

static void indefinite_matrices_stop_cg(void **state)
{
    (void)state;
    tsl_context *context = test_context("cpu", 1);
    tsl_sparse_matrix *matrix = make_hidden(context);
    const double b[3] = {1, 1, 1}; /* of -0.8 alone */
    for (int method = TSL_LINSOLVE_CG; method <= TSL_LINSOLVE_CG_PIPELINED; method++) {
        tsl_linsolve_report r;
        double x[4] = {0};
        const tsl_linsolve_options options =
            test_options((tsl_linsolve_method)method, TSL_LINSOLVE_NONE);
        assert_int_equal(solve(context, matrix, &options, x, b, &r), TSL_E_NOCONV);
        assert_int_equal(r.stop, TSL_LINSOLVE_INDEFINITE);
        assert_int_equal(r.iterations, 0);
        assert_true(fabs(r.curvature + 0.8) < 1e-14);
        assert_true(fabs(r.true_residual - 1) < 1e-14);
        assert_non_null(strstr(tsl_last_error(context),
                               " did not converge: step 1 met a curvature of -0.8: matrix or "
                               "preconditioner is not positive definite, at a residual of 1 for "
                               "1e-08: use gmres or bicgstab"));
    }
    for (int method = TSL_LINSOLVE_BICGSTAB; method <= TSL_LINSOLVE_GMRES; method++) {
        double x[4] = {0};
        const tsl_linsolve_options options =
            test_options((tsl_linsolve_method)method, TSL_LINSOLVE_NONE);
        assert_int_equal(solve(context, matrix, &options, x, b, NULL), TSL_OK);
        for (int i = 0; i < 3; i++) {
            assert_true(fabs(x[i] + 1.25) < 1e-7);
        }
    }
    tsl_sparse_matrix_destroy(matrix);
    tsl_context_destroy(context);
}

/* Nor are directions found in which none of the recurrence goes: b is of the eigenvalue 1.9 alone.
 * x is right. Any other b leads to -0.8. */
static void what_no_direction_meets_is_solved(void **state)
{
    (void)state;
    tsl_context *context = test_context("cpu", 1);
    tsl_sparse_matrix *matrix = make_hidden(context);
    for (int method = TSL_LINSOLVE_CG; method <= TSL_LINSOLVE_CG_PIPELINED; method++) {
        const tsl_linsolve_options options =
            test_options((tsl_linsolve_method)method, TSL_LINSOLVE_JACOBI);
        const double b[2][3] = {{1.9, -1.9, 0}, {1.9, -1.9, 1}};
        for (int met = 0; met < 2; met++) {
            tsl_linsolve_report r;
            double x[4] = {0};
            const tsl_status status = solve(context, matrix, &options, x, b[met], &r);
            assert_int_equal(status, met ? TSL_E_NOCONV : TSL_OK);
            assert_int_equal(r.stop, met ? TSL_LINSOLVE_INDEFINITE : TSL_LINSOLVE_CONVERGED);
            assert_int_equal(r.iterations, 1);
            assert_true(met ? r.curvature < 0 : fabs(x[0] - 1) < 1e-14 && fabs(x[1] + 1) < 1e-14);
        }
    }
    tsl_sparse_matrix_destroy(matrix);
    tsl_context_destroy(context);
}

/* A flow so strong that the shadow residual loses what it is to be multiplied with: from another
 * shadow it goes on. Where all shadows do, as of a skew matrix, it ends. */
static void bicgstab_recovers(void **state)
{
    (void)state;
    static double b[MOST], x[MOST];
    tsl_context *context = test_context("cpu", 1);
    test_system s = test_flow(20, 10);
    for (int64_t i = 0; i < s.n; i++) {
        b[i] = 1;
    }
    for (int skew = 0; skew < 2; skew++) {
        for (int64_t i = 0; i < s.n && skew; i++) {
            for (int64_t k = s.row_start[i]; k < s.row_start[i + 1]; k++) {
                s.value[k] = s.column[k] == i ? 0 : s.column[k] < i ? -2 : 2;
            }
        }
        tsl_sparse_matrix *matrix = test_matrix(context, &s);
        tsl_linsolve_report r;
        const tsl_linsolve_options options = test_options(TSL_LINSOLVE_BICGSTAB, TSL_LINSOLVE_NONE);
        memset(x, 0, sizeof x);
        const tsl_status status = solve(context, matrix, &options, x, b, &r);
        assert_int_equal(status, skew ? TSL_E_NOCONV : TSL_OK);
        assert_int_equal(r.stop, skew ? TSL_LINSOLVE_BREAKDOWN : TSL_LINSOLVE_CONVERGED);
        assert_true(skew || r.restarts >= 1);
        assert_true(r.iterations < 1000);
        assert_true(skew || test_residual(&s, b, x) <= 1.001e-8);
        tsl_sparse_matrix_destroy(matrix);
    }
    test_system_free(&s);
    tsl_context_destroy(context);
}

/* Rounding makes the sums that stand for p.A p negative, long before it does so to p.A p. */
static void rounding_is_no_indefinite_matrix(void **state)
{
    (void)state;
    static double known[MOST], b[MOST], x[MOST];
    tsl_context *context = test_context("cpu", 1);
    test_system s = test_spectrum(80, 1e8, 3);
    tsl_sparse_matrix *matrix = test_matrix(context, &s);
    uint64_t seed = 5;
    for (int64_t i = 0; i < s.n; i++) {
        known[i] = test_uniform(&seed);
    }
    test_multiply(&s, b, known);
    for (int m = 0; m < 2; m++) {
        tsl_linsolve_report r;
        const tsl_linsolve_options options = test_options(
            TSL_LINSOLVE_CG_PIPELINED, m == 0 ? TSL_LINSOLVE_NONE : TSL_LINSOLVE_JACOBI);
        memset(x, 0, sizeof x);
        assert_int_equal(solve(context, matrix, &options, x, b, &r), TSL_OK);
        assert_true(test_residual(&s, b, x) <= 1.001e-8);
    }
    tsl_sparse_matrix_destroy(matrix);
    test_system_free(&s);
    tsl_context_destroy(context);
}

static void numbers_that_are_none_are_refused(void **state)
{
    (void)state;
    tsl_context *context = test_context("cpu", 1);
    tsl_sparse_matrix *matrix = make_small(context, 1, 2, 0.5, 0.5);
    const tsl_linsolve_options options = test_options(TSL_LINSOLVE_CG, TSL_LINSOLVE_JACOBI);
    const struct {
        double b, x; /* of row 3 */
        double all;  /* of the other rows of b */
        const char *said;
    } rows[] = {
        {NAN, 1, 1, "b has not a number in row 3: all its numbers must be finite"},
        {-INFINITY, 1, 1, "b has an infinite number in row 3: all its numbers must be finite"},
        {1, NAN, 1,
         "the initial guess x has not a number in row 3: all its numbers must be finite"},
        {1, 1, 1e200,
         "the square of b's norm is inf, beyond double precision: multiply b by a "
         "power of ten that brings it near 1"},
        {1e-200, 1, 1e-200,
         "the square of b's norm is 0, beyond double precision: multiply b by a "
         "power of ten that brings it near 1"}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const double b[4] = {rows[i].all, rows[i].all, rows[i].b, rows[i].all};
        double x[4] = {5, 5, rows[i].x, 5};
        const double before[4] = {5, 5, rows[i].x, 5};
        assert_int_equal(solve(context, matrix, &options, x, b, NULL), TSL_E_ARG);
        assert_string_equal(tsl_last_error(context), rows[i].said);
        assert_memory_equal(x, before, sizeof x);
    }
    double x[4] = {0};
    assert_int_equal(solve(context, matrix, &options, x, NULL, NULL), TSL_E_ARG);
    assert_int_equal(solve(context, matrix, &options, NULL, x, NULL), TSL_E_ARG);
    tsl_sparse_matrix_destroy(matrix);
    tsl_context_destroy(context);
}

/* A ring's Laplacian: b in its range has answers, any other b has none. */
static void singular_matrices_are_told_apart(void **state)
{
    (void)state;
    static double known[MOST], b[MOST], x[MOST];
    tsl_context *context = test_context("cpu", 1);
    test_system s = test_ring(200);
    tsl_sparse_matrix *matrix = test_matrix(context, &s);
    uint64_t seed = 5;
    for (int64_t i = 0; i < s.n; i++) {
        known[i] = test_uniform(&seed);
    }
    test_multiply(&s, b, known);
    const struct {
        tsl_linsolve_method method;
        tsl_linsolve_preconditioner preconditioner;
    } rows[] = {{TSL_LINSOLVE_CG, TSL_LINSOLVE_NONE},
                {TSL_LINSOLVE_CG, TSL_LINSOLVE_JACOBI},
                {TSL_LINSOLVE_CG, TSL_LINSOLVE_MULTIGRID},
                {TSL_LINSOLVE_CG_SINGLE_REDUCTION, TSL_LINSOLVE_CHEBYSHEV},
                {TSL_LINSOLVE_GMRES, TSL_LINSOLVE_JACOBI}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        tsl_linsolve_report r;
        tsl_linsolve_options options = test_options(rows[i].method, rows[i].preconditioner);
        options.restart = 150;
        options.max_iterations = 2000;
        options.coarse_rows = 10;
        memset(x, 0, sizeof x);
        assert_int_equal(solve(context, matrix, &options, x, b, &r), TSL_OK);
        assert_true(test_residual(&s, b, x) <= 1.001e-8);
        for (int64_t k = 1; k < s.n; k++) { /* known up to a constant */
            assert_true(fabs((x[k] - known[k]) - (x[0] - known[0])) < 1e-4);
        }
        b[7] += 1; /* its sum is no longer 0 */
        memset(x, 0, sizeof x);
        assert_int_equal(solve(context, matrix, &options, x, b, &r), TSL_E_NOCONV);
        assert_true(r.stop != TSL_LINSOLVE_CONVERGED && r.true_residual > 1e-3);
        assert_true(r.true_residual <= 1 && r.iterations < options.max_iterations);
        assert_true(i > 1 || strstr(tsl_last_error(context), "singular") != NULL);
        assert_true(fabs(test_residual(&s, b, x) - r.true_residual) <=
                    1e-2 * r.true_residual);        /* x may be huge */
        if (rows[i].method == TSL_LINSOLVE_GMRES) { /* least squares: x is not */
            double norm = 0;
            for (int64_t k = 0; k < s.n; k++) {
                norm += b[k] * b[k];
                assert_true(fabs(x[k]) < 1e6);
            }
            const double least = 1 / sqrt((double)s.n * norm);
            assert_true(fabs(r.true_residual - least) <= 1e-3 * least);
        }
        b[7] -= 1;
    }
    tsl_sparse_matrix_destroy(matrix);
    test_system_free(&s);
    tsl_context_destroy(context);
}

static void empty_rows_are_named(void **state)
{
    (void)state;
    tsl_context *context = test_context("cpu", 1);
    const int64_t at[3] = {1, 2, 4};
    const double ones[4] = {1, 1, 1, 1};
    tsl_sparse_matrix *matrix = NULL;
    const tsl_sparse_matrix_options from_one = {sizeof from_one, TSL_SPARSE_GENERAL,
                                                TSL_SPARSE_REFUSE, 1, TSL_SPARSE_JUDGE};
    assert_int_equal(
        tsl_sparse_matrix_from_coordinates(&matrix, context, 4, 4, 3, at, at, ones, &from_one),
        TSL_OK);
    for (int method = TSL_LINSOLVE_BICGSTAB; method <= TSL_LINSOLVE_GMRES; method++) {
        double x[4] = {0};
        const tsl_linsolve_options options =
            test_options((tsl_linsolve_method)method, TSL_LINSOLVE_NONE);
        assert_int_equal(solve(context, matrix, &options, x, ones, NULL), TSL_E_NOCONV);
        assert_non_null(strstr(tsl_last_error(context),
                               " did not converge: row 3 is empty, so that the matrix is "
                               "singular: "));
    }
    tsl_sparse_matrix_destroy(matrix);
    tsl_context_destroy(context);
}

static void limits_and_callers_end_it(void **state)
{
    (void)state;
    static double b[MOST], x[MOST];
    tsl_context *context = test_context("cpu", 1);
    test_system s = test_laplacian(20, 1);
    tsl_sparse_matrix *matrix = test_matrix(context, &s);
    for (int64_t i = 0; i < s.n; i++) {
        b[i] = 1;
    }
    for (int method = 0; method < TSL_LINSOLVE_DIRECT; method++) {
        for (int64_t most = 0; most <= 4; most += 2) {
            tsl_linsolve_report r;
            test_watcher w = {0, -1, 0};
            tsl_linsolve_options options =
                test_options((tsl_linsolve_method)method, TSL_LINSOLVE_NONE);
            options.progress = test_watch;
            options.user = &w;
            options.max_iterations = most;
            memset(x, 0, sizeof x);
            assert_int_equal(solve(context, matrix, &options, x, b, &r), TSL_E_NOCONV);
            assert_int_equal(r.stop, TSL_LINSOLVE_ITERATIONS);
            assert_int_equal(r.iterations, most);
            assert_true((method == TSL_LINSOLVE_GMRES) ==
                        (strstr(tsl_last_error(context), "--restart") != NULL));
            assert_int_equal(w.calls, most + 1);
            assert_true(fabs(r.residual - w.last) <= 1e-12);
            assert_true(fabs(r.true_residual - test_residual(&s, b, x)) <= 1e-12);
            assert_true(fabs(r.true_residual - r.residual) <= 1e-12);
            options.max_iterations = 100;
            w = (test_watcher){0, most, 0};
            memset(x, 0, sizeof x);
            assert_int_equal(solve(context, matrix, &options, x, b, &r), TSL_E_CANCELLED);
            assert_int_equal(r.stop, TSL_LINSOLVE_CANCELLED);
            assert_int_equal(r.iterations, most);
            assert_non_null(strstr(tsl_last_error(context), " was stopped after "));
        }
    }
    tsl_sparse_matrix_destroy(matrix);
    test_system_free(&s);
    tsl_context_destroy(context);
}

static void trivial_systems_end_at_once(void **state)
{
    (void)state;
    tsl_context *context = test_context("cpu", 1);
    tsl_sparse_matrix *matrix = make_small(context, 1, 2, 0.5, 0.5);
    const double zero[4] = {0};
    const double b[4] = {3, 3, 2, 2}; /* x = 2 */
    double x[4] = {1, 2, 3, 4};
    tsl_linsolve_report r;
    tsl_linsolve_options options = test_options(TSL_LINSOLVE_CG, TSL_LINSOLVE_NONE);
    assert_int_equal(solve(context, matrix, &options, x, zero, &r), TSL_OK);
    assert_memory_equal(x, zero, sizeof x);
    assert_true(r.stop == TSL_LINSOLVE_CONVERGED && r.true_residual == 0 && r.rhs_norm == 0);
    for (int i = 0; i < 4; i++) {
        x[i] = 2;
    }
    options.tolerance = 0;
    assert_int_equal(solve(context, matrix, &options, x, b, &r), TSL_OK);
    assert_true(r.iterations == 0 && r.residual == 0 && fabs(r.rhs_norm - sqrt(26)) < 1e-14);
    options.absolute = 1; /* far from b's norm */
    memset(x, 0, sizeof x);
    assert_int_equal(solve(context, matrix, &options, x, b, &r), TSL_OK);
    assert_true(r.true_residual * r.rhs_norm <= 1 && r.true_residual > 1e-6);
    tsl_sparse_matrix_destroy(matrix);
    tsl_context_destroy(context);
}

/* More than double precision has: it stagnates, and what was claimed is recomputed. */
static void rounding_is_told(void **state)
{
    (void)state;
    static double known[MOST], b[MOST], x[MOST];
    tsl_context *context = test_context("cpu", 1);
    test_system s = test_spectrum(80, 1e8, 3);
    tsl_sparse_matrix *matrix = test_matrix(context, &s);
    uint64_t seed = 5;
    for (int64_t i = 0; i < s.n; i++) {
        known[i] = test_uniform(&seed) * 1e3;
    }
    test_multiply(&s, b, known);
    tsl_linsolve_report r;
    tsl_linsolve_options options = test_options(TSL_LINSOLVE_CG, TSL_LINSOLVE_NONE);
    options.tolerance = 1e-17;
    memset(x, 0, sizeof x);
    assert_int_equal(solve(context, matrix, &options, x, b, &r), TSL_E_NOCONV);
    assert_int_equal(r.stop, TSL_LINSOLVE_STAGNATED);
    assert_true(r.residual <= 1e-17 && r.true_residual > 1e-17 && r.true_residual < 1e-12);
    assert_true(r.restarts >= 1);
    assert_non_null(strstr(tsl_last_error(context), "it stagnated"));
    assert_non_null(strstr(tsl_last_error(context), ": rounding allows no less: raise the "));
    tsl_sparse_matrix_destroy(matrix);
    test_system_free(&s);
    tsl_context_destroy(context);
}

static void names_end_with_null(void **state)
{
    (void)state;
    assert_string_equal(tsl_linsolve_method_name(TSL_LINSOLVE_GMRES), "gmres");
    assert_string_equal(tsl_linsolve_method_name(TSL_LINSOLVE_DIRECT), "direct");
    assert_null(tsl_linsolve_method_name((tsl_linsolve_method)6));
    assert_string_equal(tsl_linsolve_preconditioner_name(TSL_LINSOLVE_MULTIGRID), "multigrid");
    assert_null(tsl_linsolve_preconditioner_name((tsl_linsolve_preconditioner)7));
    assert_string_equal(tsl_linsolve_stop_name(TSL_LINSOLVE_CANCELLED), "cancelled");
    assert_string_equal(tsl_linsolve_stop_name(TSL_LINSOLVE_FAILED), "failed");
    assert_null(tsl_linsolve_stop_name((tsl_linsolve_stop)8));
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(unsuitable_matrices_are_refused),
                                       cmocka_unit_test(remedies_for_skew_matrices_work),
                                       cmocka_unit_test(options_are_checked),
                                       cmocka_unit_test(indefinite_matrices_stop_cg),
                                       cmocka_unit_test(what_no_direction_meets_is_solved),
                                       cmocka_unit_test(bicgstab_recovers),
                                       cmocka_unit_test(rounding_is_no_indefinite_matrix),
                                       cmocka_unit_test(numbers_that_are_none_are_refused),
                                       cmocka_unit_test(singular_matrices_are_told_apart),
                                       cmocka_unit_test(empty_rows_are_named),
                                       cmocka_unit_test(limits_and_callers_end_it),
                                       cmocka_unit_test(trivial_systems_end_at_once),
                                       cmocka_unit_test(rounding_is_told),
                                       cmocka_unit_test(names_end_with_null)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
