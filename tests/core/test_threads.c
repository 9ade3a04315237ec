/* Small problems are solved by the calling thread alone: no other is ever started for them. */
#include <dirent.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "core/context.h"
#include "tesela/tesela.h"

enum { THREADS = 3 };

/* Threads that this process has now. OpenMP keeps what it has started. */
static int threads_there(void)
{
    DIR *folder = opendir("/proc/self/task");
    int count = 0;
    if (folder == NULL) {
        return -1;
    }
    for (const struct dirent *entry = readdir(folder); entry != NULL; entry = readdir(folder)) {
        count += entry->d_name[0] != '.';
    }
    closedir(folder);
    return count;
}

static tsl_context *open_context(void)
{
    tsl_context_options options = TSL_CONTEXT_OPTIONS_INIT;
    options.device = "cpu";
    options.threads = THREADS;
    tsl_context *context = NULL;
    assert_int_equal(tsl_context_create(&context, &options), TSL_OK);
    return context;
}

/* A plane wave of n^3 cells: lambda phi = -4 pi rho. */
static void solve_poisson(tsl_context *context, int n)
{
    const double pi = acos(-1);
    tsl_poisson_options options = TSL_POISSON_OPTIONS_INIT;
    for (int axis = 0; axis < 3; axis++) {
        options.n[axis] = n;
        options.lengths[axis] = 1;
    }
    tsl_poisson_plan *plan = NULL;
    assert_int_equal(tsl_poisson_plan_create(&plan, context, &options), TSL_OK);
    const int64_t cells = (int64_t)n * n * n;
    double *field = aligned_alloc(64, (size_t)cells * sizeof *field); /* n is a multiple of 8 */
    assert_non_null(field);
    for (int64_t i = 0; i < cells; i++) {
        field[i] = cos(2 * pi * (double)(i % n) / n);
    }
    assert_int_equal(tsl_poisson_execute(plan, field, field), TSL_OK);
    for (int64_t i = 0; i < cells; i++) {
        assert_true(fabs(field[i] - cos(2 * pi * (double)(i % n) / n) / pi) < 1e-13);
    }
    free(field);
    tsl_poisson_plan_destroy(plan);
}

/* -x[i-1] + 3 x[i] - x[i+1] = b, of which the answer is ones. */
static void solve_system(tsl_context *context, int32_t rows, tsl_linsolve_method method,
                         tsl_linsolve_preconditioner preconditioner)
{
    int64_t *row_start = malloc(((size_t)rows + 1) * sizeof *row_start);
    int32_t *column = malloc(3 * (size_t)rows * sizeof *column);
    double *value = malloc(3 * (size_t)rows * sizeof *value);
    double *x = calloc((size_t)rows, sizeof *x);
    double *b = malloc((size_t)rows * sizeof *b);
    assert_true(row_start && column && value && x && b);
    int64_t entries = 0;
    for (int32_t i = 0; i < rows; i++) {
        row_start[i] = entries;
        b[i] = 0;
        for (int32_t j = i > 0 ? i - 1 : 0; j <= i + 1 && j < rows; j++) {
            column[entries] = j;
            value[entries] = j == i ? 3 : -1;
            b[i] += value[entries++];
        }
    }
    row_start[rows] = entries;
    tsl_sparse_matrix *matrix = NULL;
    assert_int_equal(
        tsl_sparse_matrix_create(&matrix, context, rows, rows, row_start, column, 4, value, NULL),
        TSL_OK);
    tsl_linsolve_options options = TSL_LINSOLVE_OPTIONS_INIT;
    options.method = method;
    options.preconditioner = preconditioner;
    tsl_linsolve_plan *plan = NULL;
    assert_int_equal(tsl_linsolve_plan_create(&plan, matrix, &options), TSL_OK);
    assert_int_equal(tsl_linsolve_execute(plan, x, b, NULL), TSL_OK);
    for (int32_t i = 0; i < rows; i++) {
        assert_true(fabs(x[i] - 1) < 1e-6);
    }
    assert_int_equal(tsl_sparse_matrix_multiply(matrix, b, x), TSL_OK);
    tsl_linsolve_plan_destroy(plan);
    tsl_sparse_matrix_destroy(matrix);
    free(row_start);
    free(column);
    free(value);
    free(x);
    free(b);
}

static void test_threshold(void **state)
{
    (void)state;
    tsl_context *context = open_context();
    assert_int_equal(context->alone, TSL_ELEMENTS_ALONE);
    assert_int_equal(tsl_threads_for(context, TSL_ELEMENTS_ALONE), 1);
    assert_int_equal(tsl_threads_for(context, TSL_ELEMENTS_ALONE + 1), THREADS);
    context->alone = 0;
    assert_int_equal(tsl_threads_for(context, 0), 1);
    assert_int_equal(tsl_threads_for(context, 1), THREADS);
    tsl_context_destroy(context);
}

static void test_small_problems(void **state)
{
    (void)state;
    const int before = threads_there();
    if (before < 0) {
        print_message("skipped: there is no /proc\n");
        skip();
    }
    tsl_context *context = open_context();
    solve_poisson(context, 8);
    assert_int_equal(threads_there(), before);
    solve_poisson(context, 24);
    assert_int_equal(threads_there(), before);
    static const tsl_linsolve_preconditioner kinds[] = {
        TSL_LINSOLVE_NONE, TSL_LINSOLVE_JACOBI,    TSL_LINSOLVE_BLOCK_JACOBI,
        TSL_LINSOLVE_IC0,  TSL_LINSOLVE_CHEBYSHEV, TSL_LINSOLVE_MULTIGRID};
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        /* multigrid inverts its coarsest level: cubes of rows */
        const int32_t rows = kinds[i] == TSL_LINSOLVE_MULTIGRID ? 50 : 2000;
        solve_system(context, rows, TSL_LINSOLVE_CG, kinds[i]);
        assert_int_equal(threads_there(), before);
        solve_system(context, rows, TSL_LINSOLVE_BICGSTAB, kinds[i]);
        assert_int_equal(threads_there(), before);
    }
    tsl_context_destroy(context);
}

/* After the small ones, which would not start any thread then: so that counting them means
 * something. */
static void test_large_problem(void **state)
{
    (void)state;
    const int before = threads_there();
    tsl_context *context = open_context();
    solve_poisson(context, 64);
    if (before > 0) {
        assert_int_equal(threads_there(), before + THREADS - 1);
    }
    tsl_context_destroy(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_threshold),
        cmocka_unit_test(test_small_problems),
        cmocka_unit_test(test_large_problem),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
