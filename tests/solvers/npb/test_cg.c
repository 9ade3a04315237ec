/* CG: its matrix against a plain generator, its classes against NPB. */
/* ctest: full with sanitizer address */
#include "support/devices.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "blocks/random/random_point.h"
#include "core/core.h"
#include "solvers/npb/cg.h"
#include "tesela/npb.h"

/* ---- the matrix --------------------------------------------------------------------------- */

/* The benchmark's matrix, dense: sums of outer products in the order of their vectors. */
static double *plain_matrix(const tsl_cg_class *what)
{
    const int64_t n = what->rows;
    double *dense = calloc((size_t)(n * n), sizeof *dense);
    int64_t span = 1;
    while (span < n) {
        span *= 2;
    }
    uint64_t state = tsl_random_next(tsl_random_state(314159265));
    double weight = 1;
    for (int64_t i = 0; i < n; i++) {
        int64_t places[32];
        double values[32];
        int count = 0;
        while (count < what->row_draws) {
            const uint64_t drawn = tsl_random_next(state);
            state = tsl_random_next(drawn);
            const int64_t place = (int64_t)((double)span * tsl_random_uniform(state));
            bool fresh = place < n;
            for (int k = 0; k < count; k++) {
                fresh = fresh && places[k] != place;
            }
            if (fresh) {
                places[count] = place;
                values[count++] = tsl_random_uniform(drawn);
            }
        }
        int own = 0;
        while (own < count && places[own] != i) {
            own++;
        }
        count += own == count;
        places[own] = i;
        values[own] = 0.5;
        for (int a = 0; a < count; a++) {
            for (int b = 0; b < count; b++) {
                double term = values[b] * (weight * values[a]);
                if (places[a] == i && places[b] == i) {
                    term += 0.1 - what->shift;
                }
                dense[places[a] * n + places[b]] += term;
            }
        }
        weight *= pow(0.1, 1 / (double)n);
    }
    return dense;
}

static void the_matrix_matches_a_plain_generator(void **state)
{
    (void)state;
    tsl_context *context = test_context("cpu", 3);
    const tsl_cg_class *what = tsl_cg_find_class('S');
    double *dense = plain_matrix(what);
    tsl_csr m;
    assert_int_equal(tsl_cg_matrix(&m, context, what, 0, what->rows), TSL_OK);
    assert_int_equal(m.rows, what->rows);
    assert_int_equal(m.columns, what->rows);
    int64_t nonzeros = 0;
    for (int64_t i = 0; i < m.rows; i++) {
        int64_t k = m.row_start[i];
        for (int64_t j = 0; j < m.columns; j++) {
            const double expected = dense[i * m.columns + j];
            if (expected != 0) {
                assert_true(k < m.row_start[i + 1] && m.column[k] == j);
                assert_true(m.value[k] == expected); /* to the last bit */
                k++;
                nonzeros++;
            }
        }
        assert_int_equal(k, m.row_start[i + 1]);
    }
    assert_int_equal(nonzeros, 78148);
    tsl_csr_free(&m);
    free(dense);
    tsl_context_destroy(context);
}

static void threads_and_shares_do_not_matter_to_the_matrix(void **state)
{
    (void)state;
    const tsl_cg_class *what = tsl_cg_find_class('W');
    tsl_context *one = test_context("cpu", 1);
    tsl_csr whole;
    assert_int_equal(tsl_cg_matrix(&whole, one, what, 0, what->rows), TSL_OK);
    assert_int_equal(tsl_csr_nonzeros(&whole), 508402);
    for (int threads = 2; threads <= 5; threads++) {
        tsl_context *context = test_context("cpu", threads);
        const int64_t first = threads == 2 ? 0 : 1000 * threads; /* some rows of it */
        const int64_t count = threads == 2 ? what->rows : 1234;
        tsl_csr part;
        assert_int_equal(tsl_cg_matrix(&part, context, what, first, count), TSL_OK);
        const int64_t begin = whole.row_start[first];
        for (int64_t i = 0; i <= count; i++) {
            assert_int_equal(part.row_start[i], whole.row_start[first + i] - begin);
        }
        const size_t nonzeros = (size_t)tsl_csr_nonzeros(&part);
        assert_memory_equal(part.column, whole.column + begin, nonzeros * sizeof *part.column);
        assert_memory_equal(part.value, whole.value + begin, nonzeros * sizeof *part.value);
        tsl_csr_free(&part);
        tsl_context_destroy(context);
    }
    tsl_csr_free(&whole);
    tsl_context_destroy(one);
}

/* ---- classes ------------------------------------------------------------------------------ */

static tsl_npb_cg run_class(const char *device, int threads, char size_class)
{
    tsl_context *context = test_context(device, threads);
    tsl_npb_cg cg;
    assert_int_equal(tsl_npb_cg_run(&cg, context, size_class), TSL_OK);
    assert_int_equal(cg.verified, 1);
    assert_true(cg.error < 1e-12 && cg.rnorm < 1e-13);
    assert_true(cg.seconds > 0 && cg.setup > 0 && cg.mops > 0);
    tsl_context_destroy(context);
    return cg;
}

static void classes_verify(void **state)
{
    (void)state;
    const int devices = test_device_count();
    for (int d = 0; d < devices; d++) {
        if (d >= 1 && d <= 3) { /* sim: threads_and_orders_do_not_matter */
            continue;
        }
        const tsl_npb_cg cg = run_class(test_devices[d], 2, 'S');
        assert_int_equal(cg.nonzeros, 78148);
        assert_int_equal(cg.rows, 1400);
        assert_int_equal(cg.iterations, 15);
        assert_true(fabs(cg.zeta - 8.5971775078648) < 1e-12);
        if (d == 0 || d == 4) {
            assert_int_equal(run_class(test_devices[d], 2, 'W').nonzeros, 508402);
            assert_int_equal(run_class(test_devices[d], 2, 'A').nonzeros, 1853104);
        }
    }
}

static void threads_and_orders_do_not_matter(void **state)
{
    (void)state;
    const tsl_npb_cg one = run_class("cpu", 1, 'S');
    for (int threads = 2; threads <= 5; threads += 3) {
        const tsl_npb_cg more = run_class("cpu", threads, 'S');
        assert_true(more.zeta == one.zeta && more.rnorm == one.rnorm);
    }
    for (int i = 0; i < 2; i++) {
        const char size_class = "SW"[i];
        const tsl_npb_cg forward = run_class("sim", 1, size_class);
        const tsl_npb_cg reversed = run_class("sim:reversed", 1, size_class);
        const tsl_npb_cg strided = run_class("sim:strided", 1, size_class);
        assert_true(forward.zeta == strided.zeta && forward.rnorm == strided.rnorm);
        assert_true(forward.zeta == reversed.zeta && forward.rnorm == reversed.rnorm);
    }
}

/* An iteration at once is what its stages are one by one, as they are done to be timed. */
static void stages_and_the_whole_have_the_same_bits(void **state)
{
    (void)state;
    const int devices = test_device_count();
    for (int d = 1; d < devices; d += 3) { /* sim and cuda:0 */
        const tsl_npb_cg whole = run_class(test_devices[d], 1, 'S');
        tsl_context *context = test_context(test_devices[d], 1);
        tsl_profile_enable(context);
        tsl_npb_cg stages;
        assert_int_equal(tsl_npb_cg_run(&stages, context, 'S'), TSL_OK);
        assert_true(stages.zeta == whole.zeta && stages.rnorm == whole.rnorm);
        tsl_context_destroy(context);
    }
}

/* What is free where a context's device says so. */
static int64_t free_bytes;

static tsl_status so_much_is_free(tsl_device *device, tsl_device_properties *out)
{
    (void)device;
    *out = (tsl_device_properties){.memory_free = free_bytes};
    return TSL_OK;
}

/* Memory that cannot do is told before the matrix is made; what a run takes at most does. */
static void memory_is_foreseen(void **state)
{
    (void)state;
    static const char *const devices[] = {"cpu", "sim"};
    for (size_t d = 0; d < sizeof devices / sizeof *devices; d++) {
        tsl_context *context = test_context(devices[d], 1);
        const tsl_device_ops *own = context->ops;
        tsl_device_ops ops = *own;
        ops.properties = so_much_is_free;
        tsl_npb_cg cg;
        tsl_test_own_peak();
        assert_int_equal(tsl_npb_cg_run(&cg, context, 'S'), TSL_OK);
        const int64_t peak = tsl_test_own_peak();
        context->ops = &ops;
        free_bytes = peak;
        assert_int_equal(tsl_npb_cg_run(&cg, context, 'S'), TSL_OK);
        tsl_test_own_peak();
        free_bytes = INT64_C(8) * 78148 - 1; /* its entries */
        assert_int_equal(tsl_npb_cg_run(&cg, context, 'S'), TSL_E_NOMEM);
        assert_non_null(strstr(tsl_last_error(context), "out of memory: CG's class S needs "));
        free_bytes = INT64_C(40) << 30;
        assert_int_equal(tsl_npb_cg_run(&cg, context, 'E'), TSL_E_NOMEM);
        assert_non_null(strstr(tsl_last_error(context), "out of memory: CG's class E needs "));
        assert_true(tsl_test_own_peak() < 10000);
        context->ops = own;
        tsl_context_destroy(context);
    }
}

static void errors_are_told(void **state)
{
    (void)state;
    tsl_npb_cg cg;
    tsl_context *context = test_context("cpu", 2);
    assert_int_equal(tsl_npb_cg_run(&cg, context, 'F'), TSL_E_ARG);
    assert_non_null(strstr(tsl_last_error(context), "class 'F'"));
    assert_int_equal(tsl_npb_cg_run(&cg, context, 0), TSL_E_ARG);
    assert_non_null(strstr(tsl_last_error(context), "class '?' of CG: give S"));
    const int64_t live = tsl_test_live_allocations();
    int failures = 0;
    for (tsl_status status = TSL_E_NOMEM; status != TSL_OK; failures++) {
        tsl_test_fail_allocation(failures + 1);
        status = tsl_npb_cg_run(&cg, context, 'S');
        tsl_test_fail_allocation(0);
        assert_true(status == TSL_OK || status == TSL_E_NOMEM);
        assert_int_equal(tsl_test_live_allocations(), live);
    }
    assert_true(failures > 20);
    tsl_context_destroy(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_matrix_matches_a_plain_generator),
        cmocka_unit_test(threads_and_shares_do_not_matter_to_the_matrix),
        cmocka_unit_test(classes_verify),
        cmocka_unit_test(threads_and_orders_do_not_matter),
        cmocka_unit_test(stages_and_the_whole_have_the_same_bits),
        cmocka_unit_test(memory_is_foreseen),
        cmocka_unit_test(errors_are_told)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
