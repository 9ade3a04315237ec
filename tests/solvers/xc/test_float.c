/* Inputs of float: the bits of doubles that are the same numbers; and calls that can be recorded,
 * of either type. */
#include <math.h>
#include <string.h>

#include "solvers/xc/grids.h"
#include "support/devices.h"

static const grid_kind kinds[] = {
    {"pbe", TSL_XC_GGA, 0, 1, TSL_XC_BY_COMPONENT, true, false},
    {"pbe", TSL_XC_GGA, 1, 2, TSL_XC_BY_POINT, true, false},
    {"lda_x", TSL_XC_LDA, 1, 0, TSL_XC_BY_COMPONENT, true, false},
    {"lda_x + 0.5*gga_c_pbe", TSL_XC_GGA, 1, 1, TSL_XC_BY_COMPONENT, true, false},
    {"scan", TSL_XC_MGGA, 1, 1, TSL_XC_BY_COMPONENT, true, false},
    {"scan", TSL_XC_MGGA, 0, 1, TSL_XC_BY_POINT, true, false},
};
enum { KINDS = sizeof kinds / sizeof *kinds };

/* All results of a kind's grid. */
static double *evaluate(tsl_context *context, const grid_kind *kind, int64_t points,
                        int64_t *results)
{
    grid g;
    grid_open(&g, context, kind, points);
    grid_clear(&g);
    if (tsl_xc_evaluate(g.plan, points, &g.arrays) != TSL_OK) {
        fail_msg("%s", tsl_last_error(context));
    }
    double *const out = grid_read(&g);
    *results = g.results;
    grid_close(&g);
    return out;
}

static void check_bits(tsl_context *context, const grid_kind *kind, int64_t points)
{
    grid_kind of_doubles = *kind;
    int64_t results, others;
    of_doubles.is_float = false;
    double *const wanted = evaluate(context, &of_doubles, points, &others);
    double *const got = evaluate(context, kind, points, &results);
    assert_int_equal(results, others);
    assert_memory_equal(got, wanted, sizeof *got * (size_t)results);
    tsl_release(wanted);
    tsl_release(got);
}

static void results_are_those_of_doubles(void **state)
{
    (void)state;
    static const int64_t counts[] = {0, 301, 9001, 1, 7, 128};
    for (int d = 0; d < test_device_count(); d++) {
        tsl_context *context = test_context(test_devices[d], 2);
        const int used = d == 0 ? 6 : test_is_another_order(test_devices[d]) ? 2 : 3;
        for (int k = 0; k < KINDS; k++) {
            for (int n = 0; n < used; n++) {
                check_bits(context, &kinds[k], counts[n]);
            }
        }
        tsl_context_destroy(context);
    }
}

/* Inputs that no density has: NaN, negative and infinite. */
static void odd_inputs_are_those_of_doubles(void **state)
{
    (void)state;
    for (int d = 0; d < test_device_count(); d++) {
        tsl_context *context = test_context(test_devices[d], 1);
        for (int k = 0; k < KINDS; k++) {
            grid_kind kind = kinds[k];
            kind.is_odd = true;
            check_bits(context, &kind, 301);
        }
        tsl_context_destroy(context);
    }
}

/* Third derivatives, which the CPU alone has. */
static void third_derivatives_are_those_of_doubles(void **state)
{
    (void)state;
    static const grid_kind kind = {"pbe", TSL_XC_GGA, 1, 3, TSL_XC_BY_COMPONENT, true, false};
    tsl_context *context = test_context("cpu", 1);
    check_bits(context, &kind, 301);
    tsl_context_destroy(context);
}

/* More points than a device widens at a time. */
static void many_points_are_those_of_doubles(void **state)
{
    (void)state;
    for (int d = 1; d < test_device_count(); d++) {
        if (test_is_another_order(test_devices[d])) {
            continue;
        }
        tsl_context *context = test_context(test_devices[d], 1);
        check_bits(context, &kinds[2], TSL_XC_WIDENED + 333);
        tsl_context_destroy(context);
    }
}

/* ---- what is refused, and told --------------------------------------------------------------- */

static void assert_refused(const grid *g, const tsl_xc_arrays *a, const char *word)
{
    assert_int_equal(tsl_xc_evaluate(g->plan, g->points, a), TSL_E_ARG);
    if (strstr(tsl_last_error(g->context), word) == NULL) {
        fail_msg("'%s' does not say '%s'", tsl_last_error(g->context), word);
    }
}

static void the_other_type_is_refused(void **state)
{
    (void)state;
    for (int d = 0; d < test_device_count(); d++) {
        tsl_context *context = test_context(test_devices[d], 1);
        static const float floats[300] = {0};
        static const double doubles[300] = {0};
        grid_kind kind = kinds[0];
        grid g;
        grid_open(&g, context, &kind, 300);
        grid_clear(&g);
        double *const before = grid_read(&g);
        tsl_xc_arrays a = g.arrays;
        a.rho = doubles;
        assert_refused(&g, &a, "rho is given, and the plan was made with float_input: give rho_fl");
        a = g.arrays;
        a.sigma_float = NULL;
        assert_refused(&g, &a, "needs sigma_float, which is NULL");
        if (d > 0) {
            a.sigma_float = floats;
            assert_refused(&g, &a, "sigma_float is not in");
        }
        double *const after = grid_read(&g);
        assert_memory_equal(after, before, sizeof *after * (size_t)g.results);
        tsl_release(before);
        tsl_release(after);
        grid_close(&g);
        kind.is_float = false;
        grid_open(&g, context, &kind, 300);
        a = g.arrays;
        a.rho_float = floats;
        assert_refused(&g, &a, "rho_float is given, and the plan was made without float_input");
        grid_close(&g);
        tsl_context_destroy(context);
    }
}

/* Inputs of points without finite outputs are told as the doubles that they are. */
static void points_without_numbers_are_told(void **state)
{
    (void)state;
    for (int d = 0; d < test_device_count(); d++) {
        tsl_context *context = test_context(test_devices[d], 1);
        const grid_kind pair[2] = {kinds[1],
                                   {"pbe", TSL_XC_GGA, 1, 2, TSL_XC_BY_POINT, false, false}};
        tsl_xc_suspect found[2][3];
        for (int k = 0; k < 2; k++) {
            grid g;
            int64_t count = 0;
            grid_open(&g, context, &pair[k], 20);
            assert_int_equal(context->ops->fill(context, g.output, 0xff, 8 * g.results), TSL_OK);
            assert_int_equal(tsl_xc_diagnose(g.plan, 20, &g.arrays, 3, found[k], &count), TSL_OK);
            assert_int_equal(count, 20);
            grid_close(&g);
        }
        assert_memory_equal(found[0], found[1], sizeof found[0]);
        assert_true(found[0][2].input[0] > 0 && found[0][2].input[4] > 0);
        tsl_context_destroy(context);
    }
}

/* ---- memory, and recorded work --------------------------------------------------------------- */

static tsl_status plan_and_go(tsl_context *context, void *user)
{
    tsl_xc_options options = TSL_XC_OPTIONS_INIT;
    tsl_xc_plan *plan = NULL;
    (void)user;
    options.float_input = 1;
    const tsl_status status = tsl_xc_plan_create(&plan, context, "pbe", &options);
    tsl_xc_plan_destroy(plan);
    return status;
}

static void every_failing_allocation_is_survived(void **state)
{
    (void)state;
    tsl_context *context = test_context("sim", 1);
    assert_int_equal(test_survives_no_memory(context, plan_and_go, NULL), 1);
    tsl_context_destroy(context);
}

/* Two inputs take 16 MiB of a device, and nothing of a CPU's. */
static void plans_take_what_they_say(void **state)
{
    (void)state;
    for (int d = 0; d < test_device_count(); d++) {
        if (test_is_another_order(test_devices[d])) {
            continue;
        }
        tsl_context *context = test_context(test_devices[d], 1);
        const int64_t before = context->memory.bytes;
        tsl_xc_options options = TSL_XC_OPTIONS_INIT;
        tsl_xc_plan *plan = NULL;
        options.float_input = 1;
        assert_int_equal(tsl_xc_plan_create(&plan, context, "pbe", &options), TSL_OK);
        assert_int_equal(context->memory.bytes - before, d == 0 ? 0 : 16 << 20);
        tsl_xc_plan_destroy(plan);
        assert_int_equal(context->memory.bytes, before);
        tsl_context_destroy(context);
    }
}

/* What no evaluation may do. */
static tsl_status no_upload(tsl_context *context, void *target, const void *source, int64_t bytes)
{
    (void)target;
    (void)source;
    return tsl_fail(context, TSL_E_INTERNAL, "%lld bytes are sent", (long long)bytes);
}

static tsl_status no_wait(tsl_context *context)
{
    return tsl_fail(context, TSL_E_INTERNAL, "something waits");
}

static tsl_status evaluate_again(void *arguments)
{
    grid *g = arguments;
    return tsl_xc_evaluate(g->plan, g->points, &g->arrays);
}

/* Queue an evaluation, record one, and replay that: each gives the same bits. */
static void check_recording(tsl_context *context, const grid_kind *kind)
{
    grid g;
    tsl_recording *recording = NULL;
    grid_open(&g, context, kind, 9001);
    grid_clear(&g);
    const tsl_device_ops *const own = context->ops;
    tsl_device_ops strict = *own;
    strict.upload = no_upload;
    strict.download = no_upload;
    strict.synchronize = no_wait;
    context->ops = &strict;
    tsl_test_fail_allocation(0);
    tsl_test_fail_device_allocation(context, 0);
    const tsl_status status = evaluate_again(&g);
    const int64_t taken = tsl_test_fail_allocation(0);
    const int64_t device_taken = tsl_test_fail_device_allocation(context, 0);
    const tsl_status recorded = own->record(&recording, context, evaluate_again, &g);
    context->ops = own;
    if (status != TSL_OK || recorded != TSL_OK) {
        fail_msg("%s", tsl_last_error(context));
    }
    if (strncmp(context->name, "sim", 3) != 0) { /* whose queue is the host's memory */
        assert_int_equal(taken, 0);
    }
    assert_int_equal(device_taken, 0);
    double *const wanted = grid_read(&g);
    for (int again = 0; again < 2; again++) {
        grid_clear(&g);
        assert_int_equal(own->replay(recording), TSL_OK);
        double *const got = grid_read(&g);
        assert_memory_equal(got, wanted, sizeof *got * (size_t)g.results);
        tsl_release(got);
    }
    tsl_release(wanted);
    own->forget(recording);
    grid_close(&g);
}

static void evaluations_take_copy_and_wait_for_nothing(void **state)
{
    (void)state;
    for (int d = 0; d < test_device_count(); d++) {
        if (test_is_another_order(test_devices[d])) {
            continue;
        }
        tsl_context *context = test_context(test_devices[d], 2);
        for (int k = 0; k < KINDS; k++) {
            grid_kind kind = kinds[k];
            check_recording(context, &kind);
            kind.is_float = false;
            check_recording(context, &kind);
        }
        tsl_context_destroy(context);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(results_are_those_of_doubles),
        cmocka_unit_test(odd_inputs_are_those_of_doubles),
        cmocka_unit_test(third_derivatives_are_those_of_doubles),
        cmocka_unit_test(many_points_are_those_of_doubles),
        cmocka_unit_test(the_other_type_is_refused),
        cmocka_unit_test(points_without_numbers_are_told),
        cmocka_unit_test(every_failing_allocation_is_survived),
        cmocka_unit_test(plans_take_what_they_say),
        cmocka_unit_test(evaluations_take_copy_and_wait_for_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
