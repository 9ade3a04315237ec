/* Every functional, spin and order on every device and every instruction set of the CPU, against
 * the same functions in binary128; those are held to the published formulas by test_formulas.py.
 * TESELA_XC_ONLY names the one functional to test. TESELA_XC_POINTS sets the number of points of
 * each range. It is 400, and 100000 in full runs, which take about two hours of CPU time on all
 * cores. */
/* ctest: cost 60, timeout 10800, full with sanitizers */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "solvers/xc/points.h"
#include "solvers/xc/quad.h"
#include "solvers/xc/xc_cpu.h"
#include "support/devices.h"

enum { FEW = 400, MANY = 100000, PART = 8, MOST_PLACES = 16 };

/* By order: what the header promises. */
static const double bounds[TSL_XC_ORDERS] = {1e-13, 1e-12, 1e-10, 1e-7};

static const points_range ranges[] = {
    {{1e-10, 1e3}, {1e-3, 3}, 1e-6, {1e-3, 10}},
    {{1e-6, 10}, {1e-2, 30}, 1e-2, {1e-2, 100}},
};

/* One functional and spin at the points of a range. A row of `truth` and `scale` has the outputs of
 * third order; third derivatives, which cost the most, are there at every PART-th point only. */
typedef struct sample {
    const char *name;
    tsl_xc_family family;
    int unit, polarised, inputs;
    int64_t count;
    double *in, *truth, *scale;
} sample;

/* A device, or the CPU with one instruction set. */
typedef struct place {
    const char *name;
    tsl_context *context;
    double worst[TSL_XC_ORDERS]; /* the largest error by order */
    tsl_xc_level level;          /* TSL_XC_LEVELS: none is set, for devices other than the CPU */
    int wrong;                   /* plans with an error above the bound */
} place;

static int order_of(int output, int inputs)
{
    int order = 0;
    while (output >= tsl_xc_outputs(inputs, order)) {
        order++;
    }
    return order;
}

static tsl_xc_plan *plan_create(tsl_context *context, const char *name, int polarised, int order)
{
    tsl_xc_options options = TSL_XC_OPTIONS_INIT;
    tsl_xc_plan *plan = NULL;
    options.polarised = polarised;
    options.order = order;
    options.layout = TSL_XC_BY_POINT;
    const tsl_status status = tsl_xc_plan_create(&plan, context, name, &options);
    if (status == TSL_E_UNSUPPORTED && strcmp(context->name, "cpu") != 0) {
        assert_true(order >= 2); /* GPUs have the second order of some only, and no third */
    } else if (status != TSL_OK) {
        fail_msg("%s", tsl_last_error(context));
    }
    return plan;
}

/* Make the points and evaluate the functional in binary128 there, on all cores. */
static void sample_create(sample *s, const double *values, const points_range *range, uint64_t seed)
{
    const int row = tsl_xc_outputs(s->inputs, 3);
    s->in = tsl_allocate(sizeof *s->in * (size_t)(s->count * s->inputs));
    s->truth = tsl_allocate(sizeof *s->truth * (size_t)(s->count * row));
    s->scale = tsl_allocate(sizeof *s->scale * (size_t)(s->count * row));
    points_make(s->in, s->count, s->family, s->polarised, range, seed);
#pragma omp parallel for schedule(dynamic)
    for (int64_t i = 0; i < s->count; i++) {
        const double *in = s->in + i * s->inputs;
        const int order = i % PART == 0 ? 3 : 2;
        points_scales(s->scale + i * row, in, s->family, s->polarised, 3);
        quad_evaluate(s->truth + i * row, s->unit, s->polarised, order, values, in);
    }
}

static void sample_destroy(sample *s)
{
    tsl_release(s->in);
    tsl_release(s->truth);
    tsl_release(s->scale);
}

static void print_wrong(const place *p, const sample *s, int order, int output, double error,
                        const double *in)
{
    print_error("%s, spin %d, order %d on %s: output %d is off by %.2e at", s->name, s->polarised,
                order, p->name, output, error);
    for (int i = 0; i < s->inputs; i++) {
        print_error(" %.17g", in[i]);
    }
    print_error("\n");
}

/* Compare the values of a plan of one order. The first wrong one is printed. */
static void check_order(place *p, const sample *s, int order)
{
    const int outputs = tsl_xc_outputs(s->inputs, order);
    const int row = tsl_xc_outputs(s->inputs, 3);
    tsl_xc_plan *plan = plan_create(p->context, s->name, s->polarised, order);
    if (plan == NULL) {
        return;
    }
    double *out = tsl_allocate(sizeof *out * (size_t)(s->count * outputs));
    assert_int_equal(
        points_evaluate(out, plan, p->context, s->in, s->count, s->family, s->polarised, order),
        TSL_OK);
    bool right = true;
    for (int64_t i = 0; i < s->count; i++) {
        const int known = tsl_xc_outputs(s->inputs, order < 3 || i % PART == 0 ? order : 2);
        for (int k = 0; k < known; k++) {
            const double truth = s->truth[i * row + k];
            const double size = fmax(fabs(truth), s->scale[i * row + k]);
            const double error = fabs(out[i * outputs + k] - truth) / size;
            const int by = order_of(k, s->inputs);
            p->worst[by] = fmax(error, p->worst[by]);
            if (right && !(error <= bounds[by])) {
                right = false;
                p->wrong++;
                print_wrong(p, s, order, k, error, s->in + i * s->inputs);
            }
        }
    }
    tsl_release(out);
    tsl_xc_plan_destroy(plan);
}

/* One functional and spin at each place. False: it is a sum of several kernels, which is left out,
 * for its parts are functionals of their own. */
static bool check_functional(place places[], int count, const char *name, int polarised)
{
    tsl_xc_plan *plan = plan_create(places[0].context, name, polarised, 3);
    tsl_xc_description about = {.size = sizeof about};
    const char *const asked = getenv("TESELA_XC_POINTS");
    const int64_t points = asked != NULL ? atoll(asked) : test_is_full() ? MANY : FEW;
    assert_true(points > 0);
    assert_int_equal(tsl_xc_plan_describe(plan, &about), TSL_OK);
    for (size_t r = 0; r < sizeof ranges / sizeof *ranges && about.kernels == 1; r++) {
        sample s = {.name = name, .polarised = polarised, .count = points};
        const double *const values = tsl_xc_plan_values(plan, 0, &s.unit);
        s.family = tsl_xc_units[s.unit]->family;
        s.inputs = tsl_xc_inputs(s.family, polarised);
        sample_create(&s, values, &ranges[r], 77 + r);
        for (int p = 0; p < count; p++) {
            tsl_test_xc_level(places[p].level);
            for (int order = 0; order < TSL_XC_ORDERS; order++) {
                check_order(&places[p], &s, order);
            }
        }
        tsl_test_xc_level(TSL_XC_LEVELS);
        sample_destroy(&s);
    }
    tsl_xc_plan_destroy(plan);
    return about.kernels == 1;
}

/* The CPU with each of its instruction sets, then the other devices; returns their number. */
static int list_places(place places[])
{
    static const char *const names[TSL_XC_LEVELS] = {"cpu, baseline", "cpu, x86-64-v3",
                                                     "cpu, x86-64-v4"};
    int count = 0;
    for (int level = TSL_XC_BASELINE; level <= (int)tsl_xc_level_now(); level++) {
        places[count++] = (place){
            .name = names[level], .context = test_context("cpu", 0), .level = (tsl_xc_level)level};
    }
    for (int d = 1; d < test_device_count(); d++) {
        if (!test_is_another_order(test_devices[d])) {
            assert_true(count < MOST_PLACES);
            places[count++] = (place){.name = test_devices[d],
                                      .context = test_context(test_devices[d], 0),
                                      .level = TSL_XC_LEVELS};
        }
    }
    return count;
}

static void every_functional_is_within_the_bounds(void **state)
{
    (void)state;
    place places[MOST_PLACES];
    const char *const only = getenv("TESELA_XC_ONLY");
    const char *name;
    int functionals = 0;
    int wrong = 0;
    if (!quad_is_there()) {
        print_message("this compiler has no binary128\n");
        skip();
    }
    const int count = list_places(places);
    for (int i = 0; (name = tsl_xc_name(i, NULL)) != NULL; i++) {
        if (only == NULL || strcmp(name, only) == 0) {
            functionals += check_functional(places, count, name, 0);
            functionals += check_functional(places, count, name, 1);
        }
    }
    for (int p = 0; p < count; p++) {
        const double *const worst = places[p].worst;
        print_message("%s: errors up to %.1e, %.1e, %.1e, %.1e by order\n", places[p].name,
                      worst[0], worst[1], worst[2], worst[3]);
        wrong += places[p].wrong;
        tsl_context_destroy(places[p].context);
    }
    assert_true(functionals > 0);
    assert_int_equal(wrong, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_functional_is_within_the_bounds),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
