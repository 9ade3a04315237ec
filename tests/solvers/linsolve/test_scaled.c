/* Badly scaled systems that are well conditioned once they are scaled: D L D, D from 10^-5 to 10^5
 * and farther. Each component of x is to have its digits, by CG on every device. */
#include "solvers/linsolve/systems.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 400 };

/* x of A x = b; in host memory. */
static tsl_status solve(tsl_context *context, const test_system *s,
                        const tsl_linsolve_options *options, double *x, const double *b,
                        tsl_linsolve_report *report)
{
    const int64_t bytes = s->n * (int64_t)sizeof *x;
    tsl_sparse_matrix *matrix = test_matrix(context, s);
    tsl_linsolve_plan *plan = NULL;
    tsl_status status = tsl_linsolve_plan_create(&plan, matrix, options);
    if (status == TSL_OK) {
        double *device_b = test_upload(context, b, bytes);
        double *device_x = test_upload(context, x, bytes);
        status = tsl_linsolve_execute(plan, device_x, device_b, report);
        test_download(context, x, device_x, bytes);
        test_release(context, device_x);
        test_release(context, device_b);
    }
    tsl_linsolve_plan_destroy(plan);
    tsl_sparse_matrix_destroy(matrix);
    return status;
}

/* The system for (D A D) (D^-1 y) = D b; y of A y = b is left in `known`. */
static void scale(test_system *s, double *b, double *d, double *known, double decades)
{
    uint64_t seed = 11;
    for (int64_t i = 0; i < s->n; i++) {
        d[i] = pow(10, decades * test_uniform(&seed));
        b[i] = 0.5 + test_uniform(&seed) * 0.5;
    }
    test_solve_dense(s, known, b);
    for (int64_t i = 0; i < s->n; i++) {
        for (int64_t k = s->row_start[i]; k < s->row_start[i + 1]; k++) {
            s->value[k] *= d[i] * d[s->column[k]];
        }
        b[i] *= d[i];
    }
}

static void components_have_their_digits(void **state)
{
    (void)state;
    static double b[MOST], d[MOST], x[MOST], known[MOST];
    static const double decades[] = {3.5, 5, 20};
    for (int device = 0; device < test_device_count(); device++) {
        for (size_t i = 0; i < 3; i++) {
            tsl_context *context = test_context(test_devices[device], 2);
            test_system s = test_laplacian(20, 1);
            const tsl_linsolve_options options = test_options(TSL_LINSOLVE_CG, TSL_LINSOLVE_JACOBI);
            tsl_linsolve_report r;
            for (int64_t k = 0; k < s.row_start[s.n]; k++) {
                s.value[k] += s.value[k] > 0 ? 1 : 0;
            }
            scale(&s, b, d, known, decades[i]);
            memset(x, 0, sizeof x);
            const tsl_status status = solve(context, &s, &options, x, b, &r);
            if (status != TSL_OK) {
                fail_msg("%s", tsl_last_error(context));
            }
            for (int64_t k = 0; k < s.n; k++) {
                assert_true(fabs(x[k] * d[k] - known[k]) <= 1e-8 * fabs(known[k]));
            }
            assert_true(r.true_residual <= 1e-8);
            test_system_free(&s);
            tsl_context_destroy(context);
        }
    }
}

/* [[2e-9, -1], [-1, 2e9]]: the residual grows by eleven decades in the first step. */
static void two_rows_are_solved(void **state)
{
    (void)state;
    for (int m = TSL_LINSOLVE_CG; m <= TSL_LINSOLVE_CG_PIPELINED; m++) {
        for (int device = 0; device < test_device_count(); device++) {
            tsl_context *context = test_context(test_devices[device], 1);
            test_system s = test_laplacian(2, 1);
            s.n = 2;
            s.row_start[1] = 2;
            s.row_start[2] = 4;
            static const double value[] = {2e-9, -1, -1, 2e9}, b[] = {1, 1};
            for (int k = 0; k < 4; k++) {
                s.column[k] = k % 2;
                s.value[k] = value[k];
            }
            double x[2] = {0, 0};
            const tsl_linsolve_options options =
                test_options((tsl_linsolve_method)m, TSL_LINSOLVE_JACOBI);
            if (solve(context, &s, &options, x, b, NULL) != TSL_OK) {
                fail_msg("%s", tsl_last_error(context));
            }
            /* of determinant 3: ((2e9 + 1) / 3, (1 + 2e-9) / 3) */
            assert_true(fabs(x[0] / ((2e9 + 1) / 3) - 1) <= 1e-8);
            assert_true(fabs(x[1] / ((1 + 2e-9) / 3) - 1) <= 1e-8);
            test_system_free(&s);
            tsl_context_destroy(context);
        }
    }
}

/* b = 1: x is so large that the rows of large D lose b - A x to rounding. Still its components have
 * their digits, which D^-1/2 (b - A x) tells. */
static void rounding_of_large_rows_is_told_apart(void **state)
{
    (void)state;
    static double b[MOST], d[MOST], x[MOST], known[MOST], scaled[MOST];
    for (int device = 0; device < test_device_count(); device++) {
        tsl_context *context = test_context(test_devices[device], 2);
        test_system s = test_laplacian(20, 1), plain = test_laplacian(20, 1);
        const tsl_linsolve_options options = test_options(TSL_LINSOLVE_CG, TSL_LINSOLVE_JACOBI);
        tsl_linsolve_report r;
        for (int64_t k = 0; k < s.row_start[s.n]; k++) {
            s.value[k] += s.value[k] > 0 ? 1 : 0;
            plain.value[k] = s.value[k];
        }
        scale(&s, b, d, known, 5);
        for (int64_t i = 0; i < s.n; i++) {
            b[i] = 1;
            scaled[i] = 1 / d[i];
            x[i] = 0;
        }
        test_solve_dense(&plain, known, scaled);
        if (solve(context, &s, &options, x, b, &r) != TSL_OK) {
            fail_msg("%s", tsl_last_error(context));
        }
        for (int64_t i = 0; i < s.n; i++) {
            assert_true(fabs(x[i] * d[i] - known[i]) <= 1e-8 * fabs(known[i]));
        }
        assert_true(r.true_residual <= 1e-8 && r.unscaled_residual > 1e-8);
        test_system_free(&plain);
        test_system_free(&s);
        tsl_context_destroy(context);
    }
}

/* What is not so badly scaled is solved as ever, in as many iterations. */
static void other_systems_are_left_alone(void **state)
{
    (void)state;
    static double b[MOST], d[MOST], x[MOST], known[MOST];
    tsl_context *context = test_context("cpu", 1);
    test_system s = test_laplacian(20, 1);
    tsl_linsolve_options options = test_options(TSL_LINSOLVE_CG, TSL_LINSOLVE_JACOBI);
    tsl_linsolve_report loose, tight;
    scale(&s, b, d, known, 2.9);
    assert_int_equal(solve(context, &s, &options, x, b, &loose), TSL_OK);
    memset(x, 0, sizeof x);
    options.tolerance = 1e-12;
    assert_int_equal(solve(context, &s, &options, x, b, &tight), TSL_OK);
    assert_true(loose.iterations < tight.iterations);
    assert_true(loose.residual > 1e-11);
    test_system_free(&s);
    tsl_context_destroy(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(components_have_their_digits),
                                       cmocka_unit_test(two_rows_are_solved),
                                       cmocka_unit_test(rounding_of_large_rows_is_told_apart),
                                       cmocka_unit_test(other_systems_are_left_alone)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
