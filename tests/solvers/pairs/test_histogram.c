/* Histograms of distances against a loop over all pairs. */
#include "support/devices.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/context.h"
#include "tesela/pairs.h"

typedef struct histogram_row {
    int64_t count;
    double to;
    double box[6]; /* box[0] = 0: open */
    int bins, finite;
} histogram_row;

static const histogram_row rows[] = {
    {0, 1, {0}, 5, 0},
    {1, 1, {3, 3, 3, 0, 0, 0}, 5, 1},
    {300, 0.9, {0}, 40, 0},
    {300, 9, {0}, 7, 0},
    {400, 1, {3, 2.5, 4, 0, 0, 0}, 50, 0},
    {400, 0.8, {3, 2.5, 4, 0, 0, 0}, 9000, 1}, /* more bins than a block shares */
    {400, 1.1, {3, 2.8, 4, 0.5, -0.6, 0.2}, 33, 0}};

static double get(const void *values, int precision, int64_t e)
{
    return precision == 4 ? (double)((const float *)values)[e] : ((const double *)values)[e];
}

/* The nearest image, in double precision, of all that can be near. */
static double nearest(const void *values, int precision, const double *box, int64_t i, int64_t j)
{
    double d[3], least = INFINITY;
    for (int k = 0; k < 3; k++) {
        d[k] = get(values, precision, 3 * i + k) - get(values, precision, 3 * j + k);
    }
    const int images = box[0] > 0 ? 2 : 0;
    for (int a = -images; a <= images; a++) {
        for (int b = -images; b <= images; b++) {
            for (int c = -images; c <= images; c++) {
                const double x = d[0] + a * box[0] + b * box[3] + c * box[4];
                const double y = d[1] + b * box[1] + c * box[5];
                const double z = d[2] + c * box[2];
                least = fmin(least, sqrt(x * x + y * y + z * z));
            }
        }
    }
    return least;
}

/* Pairs may change to the bin beside if they are within rounding of its edge: the sums of all bins
 * up to an edge then differ by no more than such pairs. */
static void check_counts(const tsl_histogram *found, const histogram_row *row, const void *values,
                         int precision)
{
    const double rounding = precision == 4 ? 2e-6 * (1 + row->to) : 1e-13;
    for (int b = 0; b < row->bins; b += 1 + row->bins / 50) {
        const double edge = row->to * (b + 1) / row->bins;
        int64_t below = 0, near = 0, sum = 0;
        for (int64_t i = 0; i < row->count; i++) {
            for (int64_t j = 0; j < row->count; j++) {
                if (i != j) {
                    const double distance = nearest(values, precision, row->box, i, j);
                    below += distance < edge;
                    near += fabs(distance - edge) < rounding;
                }
            }
        }
        for (int c = 0; c <= b; c++) {
            sum += found->counts[c];
        }
        if (llabs((long long)(sum - below)) > near) {
            fail_msg("%lld points, up to %g: %lld pairs, not %lld", (long long)row->count, edge,
                     (long long)sum, (long long)below);
        }
    }
}

static void check_row(const histogram_row *row, int precision)
{
    uint64_t seed = 21;
    double doubles[1200];
    float singles[1200];
    for (int64_t e = 0; e < 3 * row->count; e++) {
        doubles[e] = (test_uniform(&seed) + 1) * 2;
        singles[e] = (float)doubles[e];
    }
    const void *values = precision == 4 ? (const void *)singles : doubles;
    const tsl_points points = {values, row->count, 3, precision, NULL};
    tsl_histogram first = {.bins = 0};
    for (int d = 0; d < test_device_count(); d++) {
        for (int direct = 0; direct < 2; direct++) {
            tsl_histogram found;
            tsl_histogram_options options = TSL_HISTOGRAM_OPTIONS_INIT;
            tsl_context *context = test_context(test_devices[d], 1 + 2 * direct);
            options.bins = row->bins;
            options.to = row->to;
            options.box = row->box[0] > 0 ? row->box : NULL;
            options.finite = row->finite;
            options.direct = direct;
            if (tsl_histogram_count(&found, context, &options, &points) != TSL_OK) {
                fail_msg("%s: %s", context->name, tsl_last_error(context));
            }
            if (first.counts == NULL) {
                check_counts(&found, row, values, precision);
                assert_int_equal(found.g == NULL, row->box[0] == 0);
                first = found;
            } else {
                assert_memory_equal(found.counts, first.counts, (size_t)row->bins * 8);
                tsl_histogram_release(&found);
            }
            tsl_context_destroy(context);
        }
    }
    tsl_histogram_release(&first);
}

static void counts_are_those_of_all_pairs(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        check_row(&rows[i], 4);
        check_row(&rows[i], 8);
    }
}

/* Two points: one pair in each order, 2 / (2 * 2/V * shell), and with `finite` twice that. */
static void the_distribution_is_freud_s(void **state)
{
    (void)state;
    const double values[6] = {0, 0, 0, 0, 0, 1.5};
    const double box[6] = {5, 5, 8, 0, 0, 0};
    const tsl_points points = {values, 2, 3, 8, NULL};
    tsl_context *context = test_context("cpu", 1);
    for (int finite = 0; finite < 2; finite++) {
        tsl_histogram found;
        tsl_histogram_options options = TSL_HISTOGRAM_OPTIONS_INIT;
        options.bins = 2;
        options.to = 2;
        options.box = box;
        options.finite = finite;
        assert_int_equal(tsl_histogram_count(&found, context, &options, &points), TSL_OK);
        const double shell = 4 * M_PI / 3 * 7;
        const double expected = 2 / (2 * (2.0 - finite) / 200 * shell);
        assert_true(found.counts[0] == 0 && found.counts[1] == 2 && found.g[0] == 0);
        assert_true(fabs(found.g[1] - expected) < 1e-14 * expected);
        assert_true(found.edges[0] == 0 && found.edges[1] == 1 && found.edges[2] == 2);
        assert_true(found.volume == 200);
        tsl_histogram_release(&found);
    }
    tsl_histogram found;
    tsl_histogram_options options = TSL_HISTOGRAM_OPTIONS_INIT;
    assert_int_equal(tsl_histogram_count(&found, context, &options, &points), TSL_E_ARG);
    options.to = 2;
    options.bins = 0;
    assert_int_equal(tsl_histogram_count(&found, context, &options, &points), TSL_E_ARG);
    options.bins = 10;
    options.to = 2.6;
    options.box = box;
    assert_int_equal(tsl_histogram_count(&found, context, &options, &points), TSL_E_ARG);
    tsl_histogram_release(NULL);
    tsl_context_destroy(context);
}

static tsl_status count_some(tsl_context *context, void *user)
{
    tsl_histogram found;
    const double box[6] = {5, 5, 8, 0, 0, 0};
    tsl_histogram_options options = TSL_HISTOGRAM_OPTIONS_INIT;
    options.to = 1;
    options.box = box;
    const tsl_status status = tsl_histogram_count(&found, context, &options, user);
    if (status == TSL_OK) {
        tsl_histogram_release(&found);
    }
    return status;
}

static void failing_allocations_are_survived(void **state)
{
    (void)state;
    const double values[9] = {0, 0, 0, 0, 0, 1.5, 1, 2, 3};
    tsl_points points = {values, 3, 3, 8, NULL};
    for (int d = 0; d < test_device_count(); d++) {
        tsl_context *context = test_context(test_devices[d], 2);
        assert_true(test_survives_no_memory(context, count_some, &points) >= 6);
        tsl_context_destroy(context);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(counts_are_those_of_all_pairs),
                                       cmocka_unit_test(the_distribution_is_freud_s),
                                       cmocka_unit_test(failing_allocations_are_survived)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
