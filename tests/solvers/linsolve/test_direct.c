/* The direct method: factors against elimination, systems that Krylov methods fail on, scalings
 * from end to end of double precision, singular matrices, and what takes too much. */
#include "solvers/linsolve/systems.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/core.h"
#include "solvers/linsolve/direct/lu.h"

enum { ROWS = 300 };

/* A matrix whose row i has entries in columns that `seed` says, and no diagonal where `saddle`. */
static test_system make_random(int64_t n, int each, bool saddle, uint64_t seed)
{
    test_system s = {.n = n,
                     .row_start = malloc((size_t)(n + 1) * sizeof(int64_t)),
                     .column = malloc((size_t)n * (size_t)(each + 1) * sizeof(int32_t)),
                     .value = malloc((size_t)n * (size_t)(each + 1) * sizeof(double))};
    int64_t k = 0;
    bool *taken = malloc((size_t)n);
    for (int64_t i = 0; i < n; i++) {
        s.row_start[i] = k;
        memset(taken, 0, (size_t)n);
        taken[i] = saddle && i % 2 == 1;
        const int64_t own = saddle ? (i + 1) % n : i; /* a permutation: not singular by structure */
        for (int e = 0; e <= each; e++) {
            const int64_t j = e == 0 ? own : (int64_t)(test_random(&seed) % (uint64_t)n);
            if (!taken[j]) {
                taken[j] = true;
                s.column[k] = (int32_t)j;
                s.value[k++] = test_uniform(&seed);
            }
        }
    }
    s.row_start[n] = k;
    free(taken);
    return s;
}

static tsl_csr rows_of(const test_system *s)
{
    return (tsl_csr){.rows = s->n,
                     .columns = s->n,
                     .row_start = s->row_start,
                     .column = s->column,
                     .value = s->value};
}

static void factors_solve(void **state)
{
    (void)state;
    tsl_context *context = test_context("cpu", 1);
    for (uint64_t seed = 1; seed <= 40; seed++) {
        static double b[ROWS], x[ROWS], known[ROWS];
        test_system s = make_random(5 + 7 * (int64_t)seed, 1 + (int)seed % 6, seed % 3 == 0, seed);
        const tsl_csr a = rows_of(&s);
        tsl_lu *lu = NULL;
        tsl_lu_facts facts;
        assert_int_equal(tsl_lu_factor(&lu, &facts, context, &a, 0), TSL_OK);
        if (facts.singular < 0 && facts.condition < 1e9) {
            for (int64_t i = 0; i < s.n; i++) {
                b[i] = x[i] = test_uniform(&seed);
            }
            tsl_lu_solve(lu, x);
            test_solve_dense(&s, known, b);
            double off = 0;
            double size = 0;
            for (int64_t i = 0; i < s.n; i++) {
                off = fmax(off, fabs(x[i] - known[i]));
                size = fmax(size, fabs(known[i]));
            }
            assert_true(off <= 1e-13 * facts.condition * size);
            assert_true(facts.entries > 0 && facts.condition >= 1);
        }
        tsl_lu_free(lu);
        test_system_free(&s);
    }
    tsl_context_destroy(context);
}

/* The bound of entries of each factor: n (n + 1) / 2 of a full matrix, n of a diagonal one, and n
 * (n + 1) / 2 again of an arrow, whose rows share a column. */
static void fill_is_bounded(void **state)
{
    (void)state;
    enum { N = 40 };
    tsl_context *context = test_context("cpu", 1);
    for (int kind = 0; kind < 3; kind++) {
        test_system s = make_random(N, 0, false, 3);
        int64_t k = 0;
        s.column = realloc(s.column, N * N * sizeof *s.column);
        s.value = realloc(s.value, N * N * sizeof *s.value);
        for (int64_t i = 0; i < N; i++) {
            for (int32_t j = 0; j < N; j++) {
                if (kind == 0 || i == j || (kind == 2 && (i == 0 || j == 0))) {
                    s.column[k] = j;
                    s.value[k++] = i == j ? N : 1;
                }
            }
            s.row_start[i + 1] = k;
        }
        const tsl_csr a = rows_of(&s);
        tsl_lu *lu = NULL;
        tsl_lu_facts facts;
        assert_int_equal(tsl_lu_factor(&lu, &facts, context, &a, 0), TSL_OK);
        assert_int_equal(facts.bound, kind == 1 ? N : N * (N + 1) / 2);
        tsl_lu_free(lu);
        if (kind == 0) {
            assert_int_equal(tsl_lu_factor(&lu, &facts, context, &a, 36 * facts.bound - 1),
                             TSL_E_NOMEM);
            assert_non_null(strstr(tsl_last_error(context), "more than the 28.8 KiB"));
        }
        test_system_free(&s);
    }
    tsl_context_destroy(context);
}

/* Solves A x = b on a device; b and x in host memory. */
static tsl_status solve(tsl_context *context, const test_system *s, double *x, const double *b,
                        tsl_linsolve_report *report)
{
    const tsl_linsolve_options options = test_options(TSL_LINSOLVE_DIRECT, TSL_LINSOLVE_NONE);
    tsl_sparse_matrix *matrix = test_matrix(context, s);
    tsl_linsolve_plan *plan = NULL;
    tsl_status status = tsl_linsolve_plan_create(&plan, matrix, &options);
    if (status == TSL_OK) {
        const int64_t bytes = s->n * (int64_t)sizeof *x;
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

/* A matrix of small condition between diagonals of 10^-100 to 10^100: each component of x is as
 * good as if it had been scaled by hand. */
static void scalings_do_no_harm(void **state)
{
    (void)state;
    static double b[ROWS], x[ROWS], known[ROWS];
    for (int d = 0; d < test_device_count(); d++) {
        tsl_context *context = test_context(test_devices[d], 2);
        test_system s = test_laplacian(16, 1);
        uint64_t seed = 5;
        double *left = malloc((size_t)s.n * sizeof *left);
        double *right = malloc((size_t)s.n * sizeof *right);
        for (int64_t i = 0; i < s.n; i++) {
            left[i] = pow(10, 100 * test_uniform(&seed));
            right[i] = pow(10, 100 * test_uniform(&seed));
            b[i] = test_uniform(&seed);
        }
        test_solve_dense(&s, known, b);
        for (int64_t i = 0; i < s.n; i++) {
            for (int64_t k = s.row_start[i]; k < s.row_start[i + 1]; k++) {
                s.value[k] *= left[i] * right[s.column[k]];
            }
            b[i] *= left[i];
            x[i] = 0;
        }
        tsl_linsolve_report r;
        assert_int_equal(solve(context, &s, x, b, &r), TSL_OK);
        for (int64_t i = 0; i < s.n; i++) {
            assert_true(fabs(x[i] * right[i] - known[i]) <= 1e-10);
        }
        if (!(r.condition > 1 && r.condition < 1e6 && r.factor_entries > s.n)) {
            fail_msg("condition %g, %lld entries", r.condition, (long long)r.factor_entries);
        }
        free(left);
        free(right);
        test_system_free(&s);
        tsl_context_destroy(context);
    }
}

/* Saddle points, whose matrices have no diagonal and on which Krylov methods stagnate. */
static void saddle_points_are_solved(void **state)
{
    (void)state;
    static double b[ROWS], x[ROWS];
    tsl_context *context = test_context("cpu", 2);
    for (uint64_t seed = 1; seed < 12; seed++) {
        test_system s = make_random(ROWS, 5, true, seed);
        tsl_linsolve_report r;
        for (int64_t i = 0; i < s.n; i++) {
            b[i] = 1;
            x[i] = 0;
        }
        const tsl_status status = solve(context, &s, x, b, &r);
        if (status == TSL_OK) {
            assert_true(test_residual(&s, b, x) <= 1e-10);
        } else {
            assert_int_equal(status, TSL_E_NOCONV);
            assert_true(r.condition == 0 || r.condition > 1e14);
        }
        test_system_free(&s);
    }
    tsl_context_destroy(context);
}

static void singular_matrices_are_named(void **state)
{
    (void)state;
    tsl_context *context = test_context("cpu", 1);
    test_system s = test_laplacian(3, 1);
    static double b[] = {1, 1, 1, 1, 1, 1, 1, 1, 1}, x[9];
    for (int64_t k = s.row_start[4]; k < s.row_start[5]; k++) {
        s.value[k] = 0;
    }
    tsl_linsolve_report r;
    assert_int_equal(solve(context, &s, x, b, &r), TSL_E_NOCONV);
    assert_int_equal(r.stop, TSL_LINSOLVE_BREAKDOWN);
    assert_non_null(strstr(tsl_last_error(context), "direct did not converge: elimination finds no "
                                                    "pivot in step "));
    assert_true(r.true_residual == 1);
    test_system_free(&s);
    tsl_context_destroy(context);
}

static tsl_status factor(tsl_context *context, void *user)
{
    const test_system *s = user;
    const tsl_csr a = rows_of(s);
    tsl_lu *lu = NULL;
    tsl_lu_facts facts;
    const tsl_status status = tsl_lu_factor(&lu, &facts, context, &a, 0);
    if (status == TSL_OK) {
        tsl_lu_free(lu);
    }
    return status;
}

static void every_failing_allocation_is_survived(void **state)
{
    (void)state;
    tsl_context *context = test_context("cpu", 1);
    test_system s = test_laplacian(5, 1);
    test_attempt attempt = {&s, test_options(TSL_LINSOLVE_DIRECT, TSL_LINSOLVE_NONE)};
    test_survives_no_memory(context, factor, &s);
    test_survives_no_memory(context, test_try_to_plan, &attempt);
    test_system_free(&s);
    tsl_context_destroy(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(factors_solve),
                                       cmocka_unit_test(fill_is_bounded),
                                       cmocka_unit_test(scalings_do_no_harm),
                                       cmocka_unit_test(saddle_points_are_solved),
                                       cmocka_unit_test(singular_matrices_are_named),
                                       cmocka_unit_test(every_failing_allocation_is_survived)};
    if (tsl_lu_library() == NULL) {
        print_message("built without SuperLU: skipped\n");
        return 77;
    }
    return cmocka_run_group_tests(tests, NULL, NULL);
}
