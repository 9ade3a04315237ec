/* The energy that is summed while a functional is evaluated: its error, its order, and what it
 * needs. */
#include <math.h>
#include <string.h>

#include "solvers/xc/grids.h"
#include "support/devices.h"

static const grid_kind kinds[] = {
    {"pbe", TSL_XC_GGA, 0, 1, TSL_XC_BY_COMPONENT, false, false},
    {"pbe", TSL_XC_GGA, 1, 1, TSL_XC_BY_POINT, false, false},
    {"lda_x", TSL_XC_LDA, 1, 0, TSL_XC_BY_COMPONENT, false, false},
    {"0.5*lda_x + gga_c_pbe", TSL_XC_GGA, 1, 1, TSL_XC_BY_COMPONENT, false, false},
};
enum { KINDS = sizeof kinds / sizeof *kinds };

/* ---- as the header states it ---------------------------------------------------------------- */

/* Numbers `first` to first + count - 1 of an array of `size`, whose rest is zeros, by halves: the
 * number at `place` of what is left after halving down to `width`. */
static double halved(const double *values, int64_t size, int place, int width, int count)
{
    if (width == count) {
        return place < size ? values[place] : 0;
    }
    return halved(values, size, place, 2 * width, count) +
           halved(values, size, place + width, 2 * width, count);
}

static double group_stated(const double *term, int64_t points, int64_t group)
{
    const int64_t first = group * TSL_XC_GROUP;
    return halved(term + first, points - first, 0, 1, TSL_XC_GROUP);
}

static double sum_stated(const double *group_energy, int64_t groups)
{
    double sums[1024];
    for (int k = 0; k < 1024; k++) {
        sums[k] = 0;
        for (int64_t g = k; g < groups; g += 1024) {
            sums[k] += group_energy[g];
        }
    }
    return halved(sums, 1024, 0, 1, 1024);
}

/* Evaluated at once: every group and the sum are those of the stated order, and within the bound of
 * a sum in long double. */
static void check_sum(const grid *g)
{
    const int64_t points = g->points;
    const int64_t groups = tsl_xc_groups(points);
    double *term = tsl_allocate(sizeof *term * (size_t)points);
    long double sum = 0, size = 0;
    assert_non_null(term);
    grid_clear(g);
    assert_int_equal(tsl_xc_evaluate(g->plan, points, &g->arrays), TSL_OK);
    double *const got = grid_read(g);
    const double *exc = got + (g->arrays.exc - g->output);
    const double *group_energy = got + (g->arrays.group_energy - g->output);
    const double energy = got[g->arrays.energy - g->output];
    for (int64_t i = 0; i < points; i++) {
        const long double exact = (long double)g->weight[i] * g->density[i] * exc[i];
        term[i] = g->weight[i] * g->density[i] * exc[i];
        sum += exact;
        size += fabsl(exact);
    }
    for (int64_t k = 0; k < groups; k++) {
        assert_true(group_energy[k] == group_stated(term, points, k));
    }
    assert_true(energy == sum_stated(group_energy, groups));
    assert_true(fabsl(energy - sum) <= (20 + groups / 1024) * ldexpl(size, -53));
    assert_true(points < 10 || size > 0);
    tsl_release(term);
    tsl_release(got);
}

static void sums_are_those_stated(void **state)
{
    (void)state;
    static const int64_t counts[] = {1, 2, 127, 128, 129, 1000, 4096, 9001};
    for (int d = 0; d < test_device_count(); d++) {
        tsl_context *context = test_context(test_devices[d], 2);
        for (int k = 0; k < KINDS; k++) {
            for (size_t n = 0; n < sizeof counts / sizeof *counts; n++) {
                grid g;
                grid_open(&g, context, &kinds[k], counts[n]);
                check_sum(&g);
                grid_close(&g);
            }
        }
        tsl_context_destroy(context);
    }
}

/* More groups than there are sums that they are added to. */
static void many_groups_are_summed(void **state)
{
    (void)state;
    for (int d = 0; d < test_device_count(); d++) {
        if (test_is_another_order(test_devices[d])) {
            continue;
        }
        tsl_context *context = test_context(test_devices[d], 2);
        grid g;
        grid_open(&g, context, &kinds[2], 3 * 1024 * TSL_XC_GROUP - 77);
        check_sum(&g);
        grid_close(&g);
        tsl_context_destroy(context);
    }
}

/* ---- what changes nothing ------------------------------------------------------------------- */

/* By calls of `most` points, the sum with the last. */
static double *evaluate_batches(const grid *g, int64_t most)
{
    grid_clear(g);
    for (int64_t first = 0; first < g->points; first += most) {
        tsl_xc_arrays a = grid_from(g, first);
        const int64_t left = g->points - first;
        a.energy = left <= most ? g->arrays.energy : NULL;
        assert_int_equal(tsl_xc_evaluate(g->plan, left < most ? left : most, &a), TSL_OK);
    }
    return grid_read(g);
}

static void threads_and_batches_change_nothing(void **state)
{
    (void)state;
    static const int64_t most[] = {20000, 128, 384, 4096, 8192, 20000};
    for (int d = 0; d < test_device_count(); d++) {
        for (int k = 0; k < KINDS; k++) {
            double *first = NULL;
            for (int threads = 1; threads <= (d == 0 ? 3 : 1); threads++) {
                tsl_context *context = test_context(test_devices[d], threads);
                grid g;
                grid_open(&g, context, &kinds[k], 9001);
                for (size_t b = 0; b < sizeof most / sizeof *most; b++) {
                    double *const got = evaluate_batches(&g, most[b]);
                    if (first == NULL) {
                        first = got;
                        continue;
                    }
                    assert_memory_equal(got, first, sizeof *got * (size_t)g.results);
                    tsl_release(got);
                }
                grid_close(&g);
                tsl_context_destroy(context);
            }
            tsl_release(first);
        }
    }
}

/* A call of no points adds up what is there. */
static void no_points_add_up_what_is_there(void **state)
{
    (void)state;
    for (int d = 0; d < test_device_count(); d++) {
        tsl_context *context = test_context(test_devices[d], 1);
        const double there[4] = {1, 2, 4, -7};
        double after[4];
        grid g;
        grid_open(&g, context, &kinds[0], 1);
        double *const memory = test_upload(context, there, sizeof there);
        g.arrays.group_energy = memory;
        g.arrays.energy = memory + 3;
        g.arrays.first_group = 3;
        assert_int_equal(tsl_xc_evaluate(g.plan, 0, &g.arrays), TSL_OK);
        test_download(context, after, memory, sizeof after);
        assert_true(after[0] == 1 && after[1] == 2 && after[2] == 4 && after[3] == 7);
        g.arrays.first_group = 0;
        assert_int_equal(tsl_xc_evaluate(g.plan, 0, &g.arrays), TSL_OK);
        test_download(context, after, memory, sizeof after);
        assert_true(after[0] == 1 && after[3] == 0);
        test_release(context, memory);
        grid_close(&g);
        tsl_context_destroy(context);
    }
}

/* ---- what is refused ------------------------------------------------------------------------ */

static void assert_refused(const grid *g, const tsl_xc_arrays *a, const char *word)
{
    double *const before = grid_read(g);
    assert_int_equal(tsl_xc_evaluate(g->plan, g->points, a), TSL_E_ARG);
    if (strstr(tsl_last_error(g->context), word) == NULL) {
        fail_msg("'%s' does not say '%s'", tsl_last_error(g->context), word);
    }
    double *const after = grid_read(g);
    assert_memory_equal(after, before, sizeof *after * (size_t)g->results);
    tsl_release(before);
    tsl_release(after);
}

static void energies_that_lack_something_are_refused(void **state)
{
    (void)state;
    for (int d = 0; d < test_device_count(); d++) {
        tsl_context *context = test_context(test_devices[d], 1);
        double host[300] = {0};
        grid g;
        grid_open(&g, context, &kinds[0], 300);
        grid_clear(&g);
        tsl_xc_arrays a = g.arrays;
        a.group_energy = NULL;
        assert_refused(&g, &a, "energy needs group_energy");
        a = g.arrays;
        a.weight = NULL;
        assert_refused(&g, &a, "group_energy needs weight");
        a = g.arrays;
        a.exc = NULL;
        assert_refused(&g, &a, "group_energy needs exc");
        a = g.arrays;
        a.first_group = -1;
        assert_refused(&g, &a, "first_group is -1");
        if (d > 0) {
            a = g.arrays;
            a.weight = host;
            assert_refused(&g, &a, "weight is not in");
            a = g.arrays;
            a.group_energy = host;
            assert_refused(&g, &a, "group_energy is not in");
            a = g.arrays;
            a.energy = host;
            assert_refused(&g, &a, "energy is not in");
        }
        grid_close(&g);
        tsl_context_destroy(context);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sums_are_those_stated),
        cmocka_unit_test(many_groups_are_summed),
        cmocka_unit_test(threads_and_batches_change_nothing),
        cmocka_unit_test(no_points_add_up_what_is_there),
        cmocka_unit_test(energies_that_lack_something_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
