/* Periodic boxes: plane waves, the second-order stencil, screening, and what a box must refuse. */
#include "solvers/poisson/box.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct row {
    int n[3];
    int precision;
    double lengths[3];
    double screening;
    double bound; /* of the relative error in the 2-norm */
    int highest;  /* wave along an axis; 0: all that the grid resolves */
} row;

/* Cubic and not, odd, prime, of one sample along an axis, with and without Nyquist waves. */
static const row rows[] = {
    {{64, 64, 64}, 8, {1, 1, 1}, 0, 1e-13, 0},    {{64, 64, 64}, 4, {1, 1, 1}, 0, 1e-6, 0},
    {{61, 64, 67}, 8, {3, 1, 2}, 0, 1e-13, 0},    {{61, 64, 67}, 4, {3, 1, 2}, 0, 1e-6, 0},
    {{48, 30, 70}, 8, {7.5, 2, 11}, 0, 1e-13, 0}, {{13, 17, 11}, 8, {1, 1, 1}, 0, 1e-13, 0},
    {{8, 9, 10}, 8, {1, 2, 3}, 2.5, 1e-13, 0},    {{1, 16, 12}, 8, {1, 1, 1}, 0, 1e-13, 0},
    {{16, 1, 1}, 8, {1, 1, 1}, 0, 1e-13, 0},      {{12, 10, 1}, 4, {1, 2, 1}, 0, 1e-6, 0},
    {{128, 128, 128}, 4, {1, 1, 1}, 0, 1e-6, 12},
};

enum { WAVES = 6 };

typedef struct wave {
    double k[3], amplitude, phase;
} wave;

typedef struct waves {
    wave of[WAVES];
    double screening;
    bool potential;
} waves;

/* Waves the grid resolves, never the constant one. */
static waves make_waves(const row *r, uint64_t *seed)
{
    waves w = {.screening = r->screening};
    for (int i = 0; i < WAVES; i++) {
        double k2 = 0;
        while (k2 == 0) {
            for (int axis = 0; axis < 3; axis++) {
                const int limit = (r->n[axis] - 1) / 2;
                const int most = r->highest > 0 && r->highest < limit ? r->highest : limit;
                const int m = (int)(test_random(seed) % (uint64_t)(2 * most + 1)) - most;
                w.of[i].k[axis] = 2 * M_PI * m / r->lengths[axis];
                k2 += w.of[i].k[axis] * w.of[i].k[axis];
            }
        }
        w.of[i].amplitude = 1 + test_uniform(seed);
        w.of[i].phase = M_PI * test_uniform(seed);
    }
    return w;
}

static double wave_sum(const double at[3], const void *user)
{
    const waves *w = user;
    double sum = 0;
    for (int i = 0; i < WAVES; i++) {
        const wave *one = &w->of[i];
        double angle = one->phase;
        double k2 = w->screening * w->screening;
        for (int axis = 0; axis < 3; axis++) {
            angle += one->k[axis] * at[axis];
            k2 += one->k[axis] * one->k[axis];
        }
        sum += one->amplitude * cos(angle) * (w->potential ? -1 / k2 : 1);
    }
    return sum;
}

static void check_waves(tsl_context *context, const row *r, double offset)
{
    uint64_t seed = 7;
    waves w = make_waves(r, &seed);
    tsl_poisson_options options = box_options(r->n, r->lengths, "ppp");
    options.equation = TSL_POISSON_PLAIN;
    options.precision = r->precision;
    options.screening = r->screening;
    double *source = box_sample(&options, offset, wave_sum, &w);
    w.potential = true;
    double *wanted = box_sample(&options, offset, wave_sum, &w);
    double *found = box_solve(context, &options, source);
    char what[64];
    snprintf(what, sizeof what, "waves %d x %d x %d, %d bytes", r->n[0], r->n[1], r->n[2],
             r->precision);
    box_check(context, what, box_l2(found, wanted, box_cells(&options)), r->bound);
    free(source);
    free(wanted);
    free(found);
}

static void plane_waves_come_out(void **state)
{
    (void)state;
    const int devices = test_device_count();
    for (int d = 0; d < devices; d++) {
        tsl_context *context = test_context(test_devices[d], 2);
        for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
            check_waves(context, &rows[i], i % 2 == 0 ? 0 : 0.5);
        }
        tsl_context_destroy(context);
    }
}

/* The stencil applied to the answer gives the source back. */
static double stencil_error(const tsl_poisson_options *o, const double *phi, const double *source)
{
    const int n[3] = {(int)o->n[0], (int)o->n[1], (int)o->n[2]};
    double worst = 0;
    double scale = 0;
    for (int i = 0; i < n[0] * n[1] * n[2]; i++) {
        const int at[3] = {i / (n[1] * n[2]), i / n[2] % n[1], i % n[2]};
        double sum = -o->screening * o->screening * phi[i];
        for (int axis = 0; axis < 3; axis++) {
            const double h = o->lengths[axis] / n[axis];
            for (int side = -1; side <= 1; side += 2) {
                int next[3] = {at[0], at[1], at[2]};
                next[axis] = (at[axis] + side + n[axis]) % n[axis];
                sum += (phi[(next[0] * n[1] + next[1]) * n[2] + next[2]] - phi[i]) / (h * h);
            }
        }
        worst = fmax(worst, fabs(sum + 4 * M_PI * source[i]));
        scale = fmax(scale, fabs(4 * M_PI * source[i]));
    }
    return worst / scale;
}

static void the_second_order_symbol_is_the_stencil_s(void **state)
{
    (void)state;
    const int n[3] = {12, 7, 10};
    const double lengths[3] = {2, 1, 3};
    uint64_t seed = 3;
    const int devices = test_device_count();
    for (int d = 0; d < devices; d++) {
        tsl_context *context = test_context(test_devices[d], 1);
        for (int screened = 0; screened < 2; screened++) {
            tsl_poisson_options options = box_options(n, lengths, "ppp");
            options.symbol = TSL_POISSON_SECOND_ORDER;
            options.screening = 1.5 * screened;
            double source[12 * 7 * 10];
            double mean = 0;
            for (int i = 0; i < 840; i++) {
                source[i] = test_uniform(&seed);
                mean += source[i] / 840;
            }
            for (int i = 0; i < 840 && !screened; i++) {
                source[i] -= mean;
            }
            double *phi = box_solve(context, &options, source);
            box_check(context, "second-order stencil", stencil_error(&options, phi, source), 1e-12);
            free(phi);
        }
        tsl_context_destroy(context);
    }
}

/* Several right-hand sides, in place, with a background: each as if alone, mean zero. */
static void several_sources_share_a_plan(void **state)
{
    (void)state;
    enum { CELLS = 5 * 6 * 7, COUNT = 4 };
    const int n[3] = {5, 6, 7};
    const double lengths[3] = {1, 1, 1};
    double sources[COUNT * CELLS];
    uint64_t seed = 11;
    for (int i = 0; i < COUNT * CELLS; i++) {
        sources[i] = 1 + test_uniform(&seed);
    }
    const int devices = test_device_count();
    for (int d = 0; d < devices; d++) {
        tsl_context *context = test_context(test_devices[d], 3);
        tsl_poisson_options options = box_options(n, lengths, "ppp");
        options.background = 1;
        double *alone[COUNT];
        for (int i = 0; i < COUNT; i++) {
            alone[i] = box_solve(context, &options, sources + i * CELLS);
        }
        double together[COUNT * CELLS];
        tsl_poisson_plan *plan = NULL;
        options.count = COUNT;
        assert_int_equal(tsl_poisson_plan_create(&plan, context, &options), TSL_OK);
        void *device = NULL;
        /* only the first of the four is aligned */
        device = test_upload(context, sources, sizeof sources);
        assert_int_equal(tsl_poisson_execute(plan, device, device), TSL_OK);
        test_download(context, together, device, sizeof together);
        for (int i = 0; i < COUNT; i++) {
            double mean = 0;
            for (int j = 0; j < CELLS; j++) {
                mean += together[i * CELLS + j] / CELLS;
            }
            assert_true(fabs(mean) < 1e-15);
            box_check(context, "one of four sources",
                      box_linf(together + i * CELLS, alone[i], CELLS), 1e-13);
            free(alone[i]);
        }
        test_release(context, device);
        tsl_poisson_plan_destroy(plan);
        tsl_context_destroy(context);
    }
}

/* ---- bad input ------------------------------------------------------------------------------ */

static void assert_refused(tsl_context *context, const tsl_poisson_options *options,
                           tsl_status status, const char *words)
{
    tsl_poisson_plan *plan = NULL;
    const int64_t live = tsl_test_live_allocations();
    assert_int_equal(tsl_poisson_plan_create(&plan, context, options), status);
    assert_null(plan);
    assert_int_equal(tsl_test_live_allocations(), live);
    if (strstr(tsl_last_error(context), words) == NULL) {
        fail_msg("'%s' does not say '%s'", tsl_last_error(context), words);
    }
}

static void count_notes(void *user, tsl_message_kind kind, const char *line)
{
    *(int *)user +=
        kind == TSL_MESSAGE_NOTE && strstr(line, "planning samples 1.6e+10 values") != NULL;
}

/* Before it begins, which here it does not. */
static void long_planning_is_noted(void **state)
{
    (void)state;
    int notes = 0;
    tsl_context_options of_context = TSL_CONTEXT_OPTIONS_INIT;
    tsl_context *context = NULL;
    of_context.device = "cpu";
    of_context.threads = 1;
    of_context.message = count_notes;
    of_context.user = &notes;
    assert_int_equal(tsl_context_create(&context, &of_context), TSL_OK);
    for (int i = 0; i < 2; i++) {
        const double edge = i == 0 ? 1 : 1e-4;
        tsl_poisson_plan *plan = NULL;
        const tsl_poisson_options o =
            box_options((int[]){8, 8, 8}, (double[]){edge, edge, 1}, "fff");
        tsl_test_fail_device_allocation(context, 1);
        assert_int_equal(tsl_poisson_plan_create(&plan, context, &o), TSL_E_NOMEM);
        assert_int_equal(notes, i);
    }
    tsl_test_fail_device_allocation(context, 0);
    tsl_context_destroy(context);
}

static void options_out_of_range_are_refused(void **state)
{
    (void)state;
    tsl_context *context = test_context("cpu", 1);
    const tsl_poisson_options good = box_options((int[]){8, 8, 8}, (double[]){1, 1, 1}, "ppp");
    const tsl_poisson_options open = box_options((int[]){8, 8, 8}, (double[]){1, 1, 1}, "ffp");
#define REFUSED(base, change, words)                                                               \
    do {                                                                                           \
        tsl_poisson_options o = base;                                                              \
        o.change;                                                                                  \
        assert_refused(context, &o, TSL_E_ARG, words);                                             \
    } while (0)
    REFUSED(good, size = 3, "TSL_POISSON_OPTIONS_INIT");
    REFUSED(good, n[1] = 0, "axis 1 of the grid has 0 samples");
    REFUSED(good, n[2] = 16385, "axis 2 of the grid has 16385 samples");
    REFUSED(good, lengths[0] = 0, "axis 0 of the box has length 0");
    REFUSED(good, lengths[0] = NAN, "axis 0 of the box has length nan");
    REFUSED(good, lengths[1] = 1e101, "axis 1 of the box has length 1e+101");
    REFUSED(good, lengths[2] = 1e-100, "cells of 1e-100 at least");
    REFUSED(good, screening = 1e-160, "the screening must be 0");
    REFUSED(good, boundary[2] = (tsl_boundary)9, "the boundary of axis 2 is 9");
    REFUSED(good, equation = (tsl_poisson_equation)9, "the equation is unknown");
    REFUSED(good, symbol = (tsl_poisson_symbol)9, "the symbol is unknown");
    REFUSED(good, kernel = (tsl_poisson_kernel)9, "the kernel is unknown");
    REFUSED(open, symbol = TSL_POISSON_SECOND_ORDER, "three periodic axes");
    REFUSED(open, kernel = TSL_POISSON_INTEGRATED, "three free axes");
    REFUSED(good, screening = -1, "the screening must be");
    REFUSED(good, precision = 2, "give 4 or 8");
    REFUSED(good, count = 0, "count of right-hand sides");
    REFUSED(good, memory = -1, "bound on memory is negative");
    REFUSED(open, background = 1, "the background is 0 or 1");
    REFUSED(open, lengths[0] = 1e-7, "too thin");
#undef REFUSED
    tsl_poisson_options o = box_options((int[]){8, 8, 8}, (double[]){1, 1, 1}, "fff");
    o.kernel = TSL_POISSON_POINT;
    o.screening = 1;
    assert_refused(context, &o, TSL_E_ARG, "have no screening");
    o = box_options((int[]){8, 8, 8}, (double[]){5e-5, 5e-5, 1}, "fff");
    assert_refused(context, &o, TSL_E_ARG, "fewer samples, or take the integrated kernel");
    tsl_poisson_plan_destroy(NULL);
    tsl_context_destroy(context);
}

/* The answer of a box goes with the square of its edges, up to the smallest and largest. */
static void extreme_boxes_are_unit_boxes(void **state)
{
    (void)state;
    static const double edges[2][2] = {{1e12, 6e-12}, {1e100, 6e-100}};
    static const double bounds[2] = {2e-6, 1e-13};
    static const char *const boundaries[] = {"ppp", "fff", "ppf"};
    enum { N = 5, CELLS = N * N * N };
    double source[CELLS];
    uint64_t seed = 5;
    tsl_context *context = test_context("cpu", 1);
    for (int i = 0; i < CELLS; i++) {
        source[i] = (double)(float)test_uniform(&seed);
    }
    for (int i = 0; i < 12; i++) { /* but wires, whose logarithm takes the unit of length */
        const int wide = i / 6;
        const double edge = edges[wide][i / 3 % 2];
        const char *boundary = boundaries[i % 3];
        tsl_poisson_options o = box_options((int[]){N, N, N}, (double[]){1, 1, 1}, boundary);
        o.precision = wide ? 8 : 4;
        o.background = i % 3 == 0;
        double *unit = box_solve(context, &o, source);
        for (int axis = 0; axis < 3; axis++) {
            o.lengths[axis] = edge;
        }
        double *found = box_solve(context, &o, source);
        for (int k = 0; k < CELLS; k++) {
            found[k] /= edge * edge;
        }
        box_check(context, boundary, box_linf(found, unit, CELLS), bounds[wide]);
        free(found);
        free(unit);
    }
    tsl_context_destroy(context);
}

/* A net charge, also such as cells make 0 of, a source that is no number, an address that is none:
 * nothing is written. */
static void sources_at_fault_are_refused(void **state)
{
    (void)state;
    static const struct {
        double value; /* of a cell of 1 / 64 */
        const char *said;
    } faults[] = {{64, "has a net charge of 1,"},
                  {NAN, "not finite"},
                  {5e-324, "has a sum of samples of 4.94066e-324,"}};
    const int n[3] = {8, 8, 8};
    const double lengths[3] = {2, 2, 2};
    const tsl_poisson_options options = box_options(n, lengths, "ppp");
    const int devices = test_device_count();
    for (int d = 0; d < devices; d++) {
        tsl_context *context = test_context(test_devices[d], 1);
        tsl_poisson_plan *plan = NULL;
        double source[512] = {0};
        double back[512];
        assert_int_equal(tsl_poisson_plan_create(&plan, context, &options), TSL_OK);
        for (size_t fault = 0; fault < sizeof faults / sizeof *faults; fault++) {
            source[3] = faults[fault].value;
            void *device = test_upload(context, source, sizeof source);
            assert_int_equal(tsl_poisson_execute(plan, device, device), TSL_E_ARG);
            assert_non_null(strstr(tsl_last_error(context), faults[fault].said));
            test_download(context, back, device, sizeof back);
            assert_memory_equal(back, source, sizeof back);
            assert_int_equal(tsl_poisson_execute(plan, device, (char *)device + 8), TSL_E_ARG);
            assert_non_null(strstr(tsl_last_error(context), "source's address is not aligned"));
            assert_int_equal(tsl_poisson_execute(plan, NULL, device), TSL_E_ARG);
            test_release(context, device);
        }
        tsl_poisson_plan_destroy(plan);
        tsl_context_destroy(context);
    }
}

static void a_device_without_it_says_so(void **state)
{
    (void)state;
    tsl_context *context = test_context("cpu", 1);
    const tsl_device_ops *ops = context->ops;
    tsl_device_ops without = *ops;
    tsl_poisson_options options = TSL_POISSON_OPTIONS_INIT;
    tsl_poisson_plan *plan = NULL;
    for (int axis = 0; axis < 3; axis++) {
        options.n[axis] = 8;
        options.lengths[axis] = 1;
    }
    without.poisson = NULL;
    context->ops = &without;
    assert_int_equal(tsl_poisson_plan_create(&plan, context, &options), TSL_E_UNSUPPORTED);
    assert_non_null(strstr(tsl_last_error(context), "take the CPU"));
    context->ops = ops;
    tsl_context_destroy(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(plane_waves_come_out),
                                       cmocka_unit_test(the_second_order_symbol_is_the_stencil_s),
                                       cmocka_unit_test(several_sources_share_a_plan),
                                       cmocka_unit_test(long_planning_is_noted),
                                       cmocka_unit_test(options_out_of_range_are_refused),
                                       cmocka_unit_test(extreme_boxes_are_unit_boxes),
                                       cmocka_unit_test(sources_at_fault_are_refused),
                                       cmocka_unit_test(a_device_without_it_says_so)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
