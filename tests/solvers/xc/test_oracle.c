/* Every functional, spin and order on every device and every instruction set of the CPU, against
 * the same functions in binary128; those are held to the published formulas by test_formulas.py. */
/* ctest: cost 60, full with sanitizers */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "solvers/xc/points.h"
#include "solvers/xc/quad.h"
#include "solvers/xc/xc_cpu.h"
#include "support/devices.h"

enum { FEW = 400, MANY = 100000 };

/* By order: what the header promises. */
static const double bounds[TSL_XC_ORDERS] = {1e-13, 1e-12, 1e-10, 1e-7};

static const points_range ranges[] = {
    {{1e-10, 1e3}, {1e-3, 3}, 1e-6, {1e-3, 10}},
    {{1e-6, 10}, {1e-2, 30}, 1e-2, {1e-2, 100}},
};

typedef struct asked {
    const char *name;
    tsl_context *context;
    int polarised, order;
    int64_t count;
    double worst[TSL_XC_ORDERS];
} asked;

static int order_of(int output, int inputs)
{
    return output == 0                          ? 0
           : output < tsl_xc_outputs(inputs, 1) ? 1
           : output < tsl_xc_outputs(inputs, 2) ? 2
                                                : 3;
}

/* Errors of one plan at the points of a range; a plan of one kernel. */
static void check_range(asked *a, tsl_xc_plan *plan, const points_range *range, uint64_t seed)
{
    int unit;
    const double *values = tsl_xc_plan_values(plan, 0, &unit);
    const tsl_xc_family family = tsl_xc_units[unit]->family;
    const int inputs = tsl_xc_inputs(family, a->polarised);
    const int outputs = tsl_xc_outputs(inputs, a->order);
    double *in = tsl_allocate(sizeof *in * (size_t)(a->count * inputs));
    double *out = tsl_allocate(sizeof *out * (size_t)(a->count * outputs));
    double scale[TSL_XC_OUTPUTS];
    double errors[TSL_XC_OUTPUTS];
    points_make(in, a->count, family, a->polarised, range, seed);
    assert_int_equal(
        points_evaluate(out, plan, a->context, in, a->count, family, a->polarised, a->order),
        TSL_OK);
    for (int64_t i = 0; i < a->count; i++) {
        const double *x = in + i * inputs;
        points_scales(scale, x, family, a->polarised, a->order);
        quad_errors(errors, out + i * outputs, scale, unit, a->polarised, a->order, values, x);
        for (int k = 0; k < outputs; k++) {
            double *const worst = &a->worst[order_of(k, inputs)];
            *worst = errors[k] <= *worst ? *worst : errors[k];
            if (!(errors[k] <= bounds[order_of(k, inputs)])) {
                fail_msg("%s, spin %d, order %d on %s: output %d is off by %.2e at point %lld: "
                         "%.17g %.17g %.17g %.17g %.17g",
                         a->name, a->polarised, a->order, a->context->name, k, errors[k],
                         (long long)i, x[0], inputs > 1 ? x[1] : 0, inputs > 2 ? x[2] : 0,
                         inputs > 3 ? x[3] : 0, inputs > 4 ? x[4] : 0);
            }
        }
    }
    tsl_release(in);
    tsl_release(out);
}

static void check_one(asked *a)
{
    tsl_xc_options options = TSL_XC_OPTIONS_INIT;
    tsl_xc_plan *plan = NULL;
    options.polarised = a->polarised;
    options.order = a->order;
    options.layout = TSL_XC_BY_POINT;
    const tsl_status status = tsl_xc_plan_create(&plan, a->context, a->name, &options);
    if (status == TSL_E_UNSUPPORTED && strcmp(a->context->name, "cpu") != 0) {
        assert_true(a->order >= 2); /* GPUs have the second order of some only, and no third */
        return;
    }
    if (status != TSL_OK) {
        fail_msg("%s", tsl_last_error(a->context));
    }
    tsl_xc_description about = {.size = sizeof about};
    assert_int_equal(tsl_xc_plan_describe(plan, &about), TSL_OK);
    if (a->order > 2) { /* a point at a time: the same on all instruction sets */
        a->count /= 8;
    }
    for (size_t r = 0; r < sizeof ranges / sizeof *ranges && about.kernels == 1; r++) {
        check_range(a, plan, &ranges[r], 77 + r);
    }
    tsl_xc_plan_destroy(plan);
}

/* All functionals, spins and orders. */
static void check_all(tsl_context *context, int64_t count, const char *what)
{
    double worst[TSL_XC_ORDERS] = {0};
    const char *name;
    for (int i = 0; (name = tsl_xc_name(i, NULL)) != NULL; i++) {
        for (int polarised = 0; polarised < 2; polarised++) {
            for (int order = 0; order < TSL_XC_ORDERS; order++) {
                asked a = {name, context, polarised, order, count, {0}};
                check_one(&a);
                for (int o = 0; o <= order; o++) {
                    worst[o] = fmax(worst[o], a.worst[o]);
                }
            }
        }
    }
    print_message("%s: errors up to %.1e, %.1e, %.1e, %.1e by order\n", what, worst[0], worst[1],
                  worst[2], worst[3]);
}

static void skip_without_quad(void)
{
    if (!quad_is_there()) {
        print_message("this compiler has no binary128\n");
        skip();
    }
}

static void every_instruction_set_is_within_the_bounds(void **state)
{
    (void)state;
    static const char *const names[TSL_XC_LEVELS] = {"baseline", "x86-64-v3", "x86-64-v4"};
    skip_without_quad();
    tsl_context *context = test_context("cpu", 2);
    const tsl_xc_level best = tsl_xc_level_now();
    for (int level = TSL_XC_BASELINE; level <= (int)best; level++) {
        tsl_test_xc_level((tsl_xc_level)level);
        const bool last = level == (int)best;
        check_all(context, last && test_is_full() ? MANY : FEW / (last ? 1 : 4), names[level]);
    }
    tsl_test_xc_level(TSL_XC_LEVELS);
    tsl_context_destroy(context);
}

static void every_device_is_within_the_bounds(void **state)
{
    (void)state;
    skip_without_quad();
    for (int d = 1; d < test_device_count(); d++) {
        if (!test_is_another_order(test_devices[d])) {
            tsl_context *context = test_context(test_devices[d], 1);
            check_all(context, FEW / 4, test_devices[d]);
            tsl_context_destroy(context);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_instruction_set_is_within_the_bounds),
        cmocka_unit_test(every_device_is_within_the_bounds),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
