/* Plans and calls: what they refuse, layouts, outputs that are not wanted, sums, memory. */
#include <math.h>
#include <string.h>

#include "solvers/xc/points.h"
#include "support/devices.h"
#include "tesela/buffer.h"

enum { COUNT = 301 };

static const points_range range = {{1e-6, 10}, {1e-2, 3}, 1e-3, {1e-2, 10}};

static tsl_xc_plan *make_plan(tsl_context *context, const char *name, int polarised, int order,
                              tsl_xc_layout layout)
{
    tsl_xc_options options = TSL_XC_OPTIONS_INIT;
    tsl_xc_plan *plan = NULL;
    options.polarised = polarised;
    options.order = order;
    options.layout = layout;
    if (tsl_xc_plan_create(&plan, context, name, &options) != TSL_OK) {
        fail_msg("%s", tsl_last_error(context));
    }
    return plan;
}

static void assert_refused(tsl_context *context, tsl_status got, tsl_status wanted,
                           const char *word)
{
    assert_int_equal(got, wanted);
    if (strstr(tsl_last_error(context), word) == NULL) {
        fail_msg("'%s' does not say '%s'", tsl_last_error(context), word);
    }
    assert_null(strchr(tsl_last_error(context), '\n'));
}

/* ---- what is refused ------------------------------------------------------------------------ */

typedef struct bad_name {
    const char *text, *word;
} bad_name;

static void names_that_are_none_are_refused(void **state)
{
    (void)state;
    static const bad_name names[] = {
        {"pbee", "nearest are pbe and"},
        {"gga_x_pbex", "gga_x_pbe"},
        {"", "a name"},
        {"pbe +", "a name"},
        {"x*pbe", "'x' is no number"},
        {"2*", "a name"},
        {"pbe pbe", "a name"},
        {"99999", "'99999'"},
        {"hf", "exact exchange alone"},
        {"gga_x_b88(beta)", "give a number"},
        {"gga_x_b88(delta=1)", "there are beta, gamma"},
        {"lda_k_tf(a=1)", "it has none"},
        {"pbe(kappa=1)", "is a sum"},
        {"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa", "a name"},
    };
    tsl_context *context = test_context("cpu", 1);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        tsl_xc_plan *plan = NULL;
        assert_refused(context, tsl_xc_plan_create(&plan, context, names[i].text, NULL), TSL_E_ARG,
                       names[i].word);
        assert_null(plan);
    }
    tsl_context_destroy(context);
}

static void options_out_of_range_are_refused(void **state)
{
    (void)state;
    tsl_context *context = test_context("cpu", 1);
    tsl_xc_plan *plan = NULL;
    tsl_xc_options o = TSL_XC_OPTIONS_INIT;
    o.size = 8;
    assert_refused(context, tsl_xc_plan_create(&plan, context, "pbe", &o), TSL_E_ARG, "8 bytes");
    o = (tsl_xc_options)TSL_XC_OPTIONS_INIT;
    o.order = 4;
    assert_refused(context, tsl_xc_plan_create(&plan, context, "pbe", &o), TSL_E_UNSUPPORTED,
                   "order 4");
    o = (tsl_xc_options)TSL_XC_OPTIONS_INIT;
    o.layout = (tsl_xc_layout)2;
    assert_refused(context, tsl_xc_plan_create(&plan, context, "pbe", &o), TSL_E_ARG, "layout");
    o = (tsl_xc_options)TSL_XC_OPTIONS_INIT;
    o.density_threshold = 2;
    assert_refused(context, tsl_xc_plan_create(&plan, context, "pbe", &o), TSL_E_ARG, "density");
    o = (tsl_xc_options)TSL_XC_OPTIONS_INIT;
    o.zeta_threshold = 1;
    assert_refused(context, tsl_xc_plan_create(&plan, context, "pbe", &o), TSL_E_ARG, "zeta");
    o = (tsl_xc_options)TSL_XC_OPTIONS_INIT;
    o.tau_threshold = NAN;
    assert_refused(context, tsl_xc_plan_create(&plan, context, "pbe", &o), TSL_E_ARG, "tau");
    assert_null(plan);
    tsl_context_destroy(context);
}

/* An order of derivatives that GPUs do not have is refused. */
static void orders_a_device_lacks_are_refused(void **state)
{
    (void)state;
    tsl_context *context = test_context("sim", 1);
    tsl_xc_options o = TSL_XC_OPTIONS_INIT;
    tsl_xc_plan *plan = NULL;
    o.order = 2;
    assert_refused(context, tsl_xc_plan_create(&plan, context, "gga_x_pbe", &o), TSL_E_UNSUPPORTED,
                   "sim");
    tsl_context_destroy(context);
}

static void calls_that_lack_something_write_nothing(void **state)
{
    (void)state;
    for (int d = 0; d < test_device_count(); d++) {
        tsl_context *context = test_context(test_devices[d], 1);
        const bool is_cpu = strcmp(test_devices[d], "cpu") == 0;
        tsl_xc_plan *plan = make_plan(context, "pbe", 0, 1, TSL_XC_BY_COMPONENT);
        double host[4 * COUNT];
        for (int i = 0; i < 4 * COUNT; i++) {
            host[i] = 0.5;
        }
        double *const memory = test_upload(context, host, sizeof host);
        tsl_xc_arrays a = TSL_XC_ARRAYS_INIT;
        a.rho = memory;
        a.exc = memory + 2 * COUNT;
        assert_refused(context, tsl_xc_evaluate(plan, COUNT, &a), TSL_E_ARG, "needs sigma");
        a.sigma = memory + COUNT;
        a.v2rho2 = memory + 3 * COUNT;
        assert_refused(context, tsl_xc_evaluate(plan, COUNT, &a), TSL_E_ARG, "v2rho2");
        a.v2rho2 = NULL;
        assert_refused(context, tsl_xc_evaluate(plan, -1, &a), TSL_E_ARG, "-1 points");
        a.pitch = COUNT - 1;
        assert_refused(context, tsl_xc_evaluate(plan, COUNT, &a), TSL_E_ARG, "pitch");
        a.pitch = 0;
        a.exc = NULL;
        assert_refused(context, tsl_xc_evaluate(plan, COUNT, &a), TSL_E_ARG, "no output");
        a.exc = memory + 2 * COUNT;
        a.size = 1;
        assert_refused(context, tsl_xc_evaluate(plan, COUNT, &a), TSL_E_ARG, "1 bytes");
        a.size = sizeof a;
        if (!is_cpu) {
            a.rho = host;
            assert_refused(context, tsl_xc_evaluate(plan, COUNT, &a), TSL_E_ARG, "rho is not in");
            a.rho = memory;
            a.exc = host;
            assert_refused(context, tsl_xc_evaluate(plan, COUNT, &a), TSL_E_ARG, "exc is not in");
            a.exc = memory + 2 * COUNT;
        }
        double after[4 * COUNT];
        test_download(context, after, memory, sizeof after);
        assert_memory_equal(after, host, sizeof host);
        assert_int_equal(tsl_xc_evaluate(plan, 0, &a), TSL_OK); /* nothing to do is no fault */
        assert_int_equal(tsl_xc_evaluate(plan, COUNT, &a), TSL_OK);
        test_download(context, after, memory, sizeof after);
        assert_true(after[2 * COUNT] < 0);
        test_release(context, memory);
        tsl_xc_plan_destroy(plan);
        tsl_context_destroy(context);
    }
}

/* ---- what is the same ----------------------------------------------------------------------- */

/* Component by component with a pitch, some outputs unwanted, against point by point with all. */
static void layouts_and_unwanted_outputs_change_nothing(void **state)
{
    (void)state;
    enum { PITCH = COUNT + 7, INPUTS = 5, OUTPUTS = 6 };
    for (int d = 0; d < test_device_count(); d++) {
        tsl_context *context = test_context(test_devices[d], 2);
        double in[COUNT * INPUTS];
        double wanted[COUNT * OUTPUTS];
        double memory[(INPUTS + OUTPUTS) * PITCH];
        points_make(in, COUNT, TSL_XC_GGA, 1, &range, 9);
        tsl_xc_plan *by_point = make_plan(context, "pbe", 1, 1, TSL_XC_BY_POINT);
        assert_int_equal(points_evaluate(wanted, by_point, context, in, COUNT, TSL_XC_GGA, 1, 1),
                         TSL_OK);
        for (int i = 0; i < (INPUTS + OUTPUTS) * PITCH; i++) {
            memory[i] = -7;
        }
        for (int i = 0; i < COUNT; i++) {
            for (int k = 0; k < INPUTS; k++) {
                memory[k * PITCH + i] = in[i * INPUTS + k];
            }
        }
        double *const device = test_upload(context, memory, sizeof memory);
        tsl_xc_plan *plan = make_plan(context, "pbe", 1, 1, TSL_XC_BY_COMPONENT);
        tsl_xc_arrays a = TSL_XC_ARRAYS_INIT;
        a.pitch = PITCH;
        a.rho = device;
        a.sigma = device + 2 * PITCH;
        a.vsigma = device + (INPUTS + 3) * PITCH; /* neither exc nor vrho */
        assert_int_equal(tsl_xc_evaluate(plan, COUNT, &a), TSL_OK);
        test_download(context, memory, device, sizeof memory);
        for (int k = 0; k < OUTPUTS; k++) {
            for (int i = 0; i < PITCH; i++) {
                const double got = memory[(INPUTS + k) * PITCH + i];
                if (k < 3 || i >= COUNT) {
                    assert_true(got == -7);
                } else {
                    assert_true(got == wanted[i * OUTPUTS + k]);
                }
            }
        }
        test_release(context, device);
        tsl_xc_plan_destroy(plan);
        tsl_xc_plan_destroy(by_point);
        tsl_context_destroy(context);
    }
}

/* Every number of points from 1 on that leaves another rest of a block. */
static void every_number_of_points_is_whole(void **state)
{
    (void)state;
    for (int d = 0; d < test_device_count(); d++) {
        tsl_context *context = test_context(test_devices[d], 1);
        tsl_xc_plan *plan = make_plan(context, "pbe", 0, 1, TSL_XC_BY_COMPONENT);
        double host[5 * COUNT];
        double all[5 * COUNT];
        double in[2 * COUNT];
        points_make(in, COUNT, TSL_XC_GGA, 0, &range, 4);
        for (int i = 0; i < COUNT; i++) {
            host[i] = in[2 * i];
            host[COUNT + i] = in[2 * i + 1];
        }
        double *const device = test_upload(context, host, sizeof host);
        tsl_xc_arrays a = TSL_XC_ARRAYS_INIT;
        a.pitch = COUNT;
        a.rho = device;
        a.sigma = device + COUNT;
        a.exc = device + 2 * COUNT;
        a.vrho = device + 3 * COUNT;
        a.vsigma = device + 4 * COUNT;
        assert_int_equal(tsl_xc_evaluate(plan, COUNT, &a), TSL_OK);
        test_download(context, all, device, sizeof all);
        for (int points = 1; points < 70; points++) {
            double got[3 * COUNT];
            const double nothing[3 * COUNT] = {0};
            assert_int_equal(
                context->ops->upload(context, device + 2 * COUNT, nothing, sizeof nothing), TSL_OK);
            assert_int_equal(tsl_xc_evaluate(plan, points, &a), TSL_OK);
            test_download(context, got, device + 2 * COUNT, sizeof got);
            for (int k = 0; k < 3; k++) {
                for (int i = 0; i < COUNT; i++) {
                    assert_true(got[k * COUNT + i] == (i < points ? all[(2 + k) * COUNT + i] : 0));
                }
            }
        }
        test_release(context, device);
        tsl_xc_plan_destroy(plan);
        tsl_context_destroy(context);
    }
}

/* A sum that has no unit of its own, of several families, against its parts. */
static void sums_are_their_parts(void **state)
{
    (void)state;
    static const char *const parts[] = {"lda_c_pw", "gga_x_pbe", "gga_c_pbe"};
    static const double coefficients[] = {0.5, -0.25, 2};
    static const char sum[] = "0.5*lda_c_pw - 0.25*gga_x_pbe + 2 * gga_c_pbe + 0.125*hf";
    enum { INPUTS = 5, OUTPUTS = 6 };
    for (int d = 0; d < test_device_count(); d++) {
        tsl_context *context = test_context(test_devices[d], 1);
        double in[COUNT * INPUTS];
        double got[COUNT * OUTPUTS];
        double one[COUNT * OUTPUTS];
        double wanted[COUNT * OUTPUTS] = {0};
        points_make(in, COUNT, TSL_XC_GGA, 1, &range, 2);
        for (int p = 0; p < 3; p++) {
            tsl_xc_plan *plan = make_plan(context, parts[p], 1, 1, TSL_XC_BY_POINT);
            const tsl_xc_family family = p == 0 ? TSL_XC_LDA : TSL_XC_GGA;
            const int inputs = tsl_xc_inputs(family, 1);
            double some[COUNT * INPUTS];
            for (int i = 0; i < COUNT; i++) {
                memcpy(some + i * inputs, in + i * INPUTS, sizeof *in * (size_t)inputs);
            }
            assert_int_equal(points_evaluate(one, plan, context, some, COUNT, family, 1, 1),
                             TSL_OK);
            for (int i = 0; i < COUNT; i++) {
                for (int k = 0; k <= inputs; k++) {
                    wanted[i * OUTPUTS + k] += coefficients[p] * one[i * (1 + inputs) + k];
                }
            }
            tsl_xc_plan_destroy(plan);
        }
        tsl_xc_plan *plan = make_plan(context, sum, 1, 1, TSL_XC_BY_POINT);
        tsl_xc_description about = {.size = sizeof about};
        assert_int_equal(tsl_xc_plan_describe(plan, &about), TSL_OK);
        assert_int_equal(about.family, TSL_XC_GGA);
        assert_int_equal(about.parts, 3);
        assert_int_equal(about.kernels, 3);
        assert_true(about.exact_exchange == 0.125 && about.cam_alpha == 0.125);
        about.size = 1;
        assert_refused(context, tsl_xc_plan_describe(plan, &about), TSL_E_ARG, "1 bytes");
        assert_int_equal(points_evaluate(got, plan, context, in, COUNT, TSL_XC_GGA, 1, 1), TSL_OK);
        for (int i = 0; i < COUNT * OUTPUTS; i++) {
            assert_true(fabs(got[i] - wanted[i]) <= 1e-14 * fabs(wanted[i]) + 1e-17);
        }
        tsl_xc_plan_destroy(plan);
        tsl_context_destroy(context);
    }
}

/* The fused kernel of a name, and of the same sum spelled out, is one. */
static void composites_are_one_kernel(void **state)
{
    (void)state;
    static const char *const same[] = {"pbe", "gga_c_pbe+gga_x_pbe", "130 + XC_GGA_X_PBE",
                                       "0.5*pbe + 0.5*PBE"};
    tsl_context *context = test_context("cpu", 1);
    for (size_t i = 0; i < sizeof same / sizeof *same; i++) {
        tsl_xc_plan *plan = make_plan(context, same[i], 0, 2, TSL_XC_BY_COMPONENT);
        tsl_xc_description about = {.size = sizeof about};
        assert_int_equal(tsl_xc_plan_describe(plan, &about), TSL_OK);
        assert_int_equal(about.kernels, 1);
        assert_int_equal(about.parts, 2);
        tsl_xc_plan_destroy(plan);
    }
    tsl_context_destroy(context);
}

/* An output by a variable that the functional does not depend on. */
static void derivatives_that_are_nothing_are_zero(void **state)
{
    (void)state;
    for (int d = 0; d < test_device_count(); d++) {
        tsl_context *context = test_context(test_devices[d], 1);
        tsl_xc_plan *plan = make_plan(context, "lda_c_pw", 1, 1, TSL_XC_BY_COMPONENT);
        double host[10];
        for (int i = 0; i < 10; i++) {
            host[i] = 0.25;
        }
        double *const device = test_upload(context, host, sizeof host);
        tsl_xc_arrays a = TSL_XC_ARRAYS_INIT;
        a.rho = device;
        a.exc = device + 2;
        a.vsigma = device + 3;
        a.vtau = device + 6;
        a.vlapl = device + 8;
        assert_int_equal(tsl_xc_evaluate(plan, 1, &a), TSL_OK);
        test_download(context, host, device, sizeof host);
        assert_true(host[2] < 0);
        for (int i = 3; i < 10; i++) {
            assert_true(host[i] == 0);
        }
        test_release(context, device);
        tsl_xc_plan_destroy(plan);
        tsl_context_destroy(context);
    }
}

/* Thresholds that are set hold for all components. */
static void thresholds_can_be_set(void **state)
{
    (void)state;
    tsl_context *context = test_context("cpu", 1);
    tsl_xc_options o = TSL_XC_OPTIONS_INIT;
    tsl_xc_plan *plan;
    double rho[3] = {0.9e-5, 1.1e-5, 2.1e-5};
    double sigma[3] = {1e-12, 1e-12, 1e-12};
    double exc[3];
    tsl_xc_arrays a = TSL_XC_ARRAYS_INIT;
    a.rho = rho;
    a.sigma = sigma;
    a.exc = exc;
    o.density_threshold = 1e-5;
    assert_int_equal(tsl_xc_plan_create(&plan, context, "pbe", &o), TSL_OK);
    assert_int_equal(tsl_xc_evaluate(plan, 3, &a), TSL_OK);
    assert_true(exc[0] == 0);
    assert_true(exc[1] < 0);          /* correlation alone: each spin's density is below */
    assert_true(exc[2] < 3 * exc[1]); /* exchange as well */
    tsl_xc_plan_destroy(plan);
    tsl_context_destroy(context);
}

/* ---- memory --------------------------------------------------------------------------------- */

static tsl_status plan_and_go(tsl_context *context, void *user)
{
    tsl_xc_plan *plan = NULL;
    (void)user;
    const tsl_status status = tsl_xc_plan_create(&plan, context, "pbe0 + lda_c_pw", NULL);
    tsl_xc_plan_destroy(plan);
    return status;
}

static void every_failing_allocation_is_survived(void **state)
{
    (void)state;
    tsl_context *context = test_context("cpu", 1);
    test_survives_no_memory(context, plan_and_go, NULL);
    tsl_context_destroy(context);
}

/* A call takes no memory of the device, and none of the host but to queue it. */
static void calls_allocate_nothing(void **state)
{
    (void)state;
    for (int d = 0; d < test_device_count(); d++) {
        tsl_context *context = test_context(test_devices[d], 2);
        const int order = d == 0 ? 2 : 1; /* GPUs have no second order of this */
        tsl_xc_plan *plan = make_plan(context, "pbe0 + lda_c_pw", 1, order, TSL_XC_BY_POINT);
        double in[COUNT * 5];
        static double out[COUNT * 10];
        points_make(in, COUNT, TSL_XC_GGA, 1, &range, 4);
        double *const device_in = test_upload(context, in, sizeof in);
        double *const device_out = test_upload(context, out, sizeof out);
        tsl_xc_arrays a = TSL_XC_ARRAYS_INIT;
        a.rho = device_in;
        a.sigma = device_in; /* values don't matter here */
        a.exc = device_out;
        a.vsigma = device_out + COUNT;
        a.v2sigma2 = order > 1 ? device_out + 4 * COUNT : NULL;
        tsl_test_fail_allocation(0);
        tsl_test_fail_device_allocation(context, 0);
        assert_int_equal(tsl_xc_evaluate(plan, COUNT, &a), TSL_OK);
        const int64_t taken = tsl_test_fail_allocation(0);
        assert_true(taken == 0 || d > 0);
        assert_int_equal(tsl_test_fail_device_allocation(context, 0), 0);
        test_release(context, device_in);
        test_release(context, device_out);
        tsl_xc_plan_destroy(plan);
        tsl_context_destroy(context);
    }
}

/* A set's parameters given as they are change nothing, and others do. */
static void parameters_can_be_set(void **state)
{
    (void)state;
    static const char *const names[] = {"gga_x_b88", "gga_x_b88(beta=0.0042, gamma=6)",
                                        "gga_x_b88(beta=0.005)"};
    double out[3];
    const double rho[1] = {0.3};
    const double sigma[1] = {0.1};
    tsl_context *context = test_context("cpu", 1);
    for (int i = 0; i < 3; i++) {
        tsl_xc_plan *plan = make_plan(context, names[i], 0, 0, TSL_XC_BY_POINT);
        tsl_xc_arrays a = TSL_XC_ARRAYS_INIT;
        a.rho = rho;
        a.sigma = sigma;
        a.exc = &out[i];
        assert_int_equal(tsl_xc_evaluate(plan, 1, &a), TSL_OK);
        tsl_xc_plan_destroy(plan);
    }
    assert_true(out[0] == out[1]);
    assert_true(out[2] < out[0]);
    tsl_context_destroy(context);
}

/* The points whose outputs are no numbers, and what went in, of both layouts. */
static void points_without_numbers_are_told(void **state)
{
    (void)state;
    for (int layout = TSL_XC_BY_COMPONENT; layout <= (int)TSL_XC_BY_POINT; layout++) {
        double rho[2 * 3] = {1, 2, 3, 4, 5, 6};
        double exc[3] = {-1, NAN, -1};
        double vrho[2 * 3] = {0, 0, 0, 0, 0, INFINITY};
        tsl_xc_suspect found[2];
        int64_t count = 0;
        tsl_context *context = test_context("cpu", 1);
        tsl_xc_plan *plan = make_plan(context, "lda_x", 1, 1, (tsl_xc_layout)layout);
        tsl_xc_arrays a = TSL_XC_ARRAYS_INIT;
        a.rho = rho;
        a.exc = exc;
        a.vrho = vrho;
        assert_int_equal(tsl_xc_diagnose(plan, 3, &a, 2, found, &count), TSL_OK);
        assert_int_equal(count, 2);
        assert_int_equal(found[0].point, 1);
        assert_int_equal(found[1].point, 2);
        const bool by_point = layout == (int)TSL_XC_BY_POINT;
        assert_true(found[0].input[0] == (by_point ? 3 : 2));
        assert_true(found[0].input[1] == (by_point ? 4 : 5));
        assert_true(found[1].input[1] == 6 && found[1].input[8] == 0);
        assert_int_equal(tsl_xc_evaluate(plan, 3, &a), TSL_OK);
        assert_int_equal(tsl_xc_diagnose(plan, 3, &a, 0, NULL, &count), TSL_OK);
        assert_int_equal(count, 0);
        tsl_xc_plan_destroy(plan);
        tsl_context_destroy(context);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_that_are_none_are_refused),
        cmocka_unit_test(options_out_of_range_are_refused),
        cmocka_unit_test(orders_a_device_lacks_are_refused),
        cmocka_unit_test(calls_that_lack_something_write_nothing),
        cmocka_unit_test(layouts_and_unwanted_outputs_change_nothing),
        cmocka_unit_test(every_number_of_points_is_whole),
        cmocka_unit_test(sums_are_their_parts),
        cmocka_unit_test(composites_are_one_kernel),
        cmocka_unit_test(derivatives_that_are_nothing_are_zero),
        cmocka_unit_test(thresholds_can_be_set),
        cmocka_unit_test(every_failing_allocation_is_survived),
        cmocka_unit_test(calls_allocate_nothing),
        cmocka_unit_test(parameters_can_be_set),
        cmocka_unit_test(points_without_numbers_are_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
