/* What pairs refuse, and what they say of it. */
#include "support/devices.h"

#include <math.h>
#include <string.h>

#include "core/context.h"
#include "tesela/pairs.h"

static void assert_refused(tsl_context *context, tsl_status status, const char *init)
{
    assert_int_equal(status, TSL_E_ARG);
    assert_non_null(strstr(tsl_last_error(context), "initialise them with"));
    assert_non_null(strstr(tsl_last_error(context), init));
}

/* As those of a program that was compiled with headers of another version. */
static void options_of_another_size_are_refused(void **state)
{
    (void)state;
    tsl_context *context = test_context("cpu", 1);
    const double values[] = {0, 0, 0, 1, 1, 1};
    const tsl_points points = {values, 2, 3, 8, NULL};

    tsl_distance_options distance = TSL_DISTANCE_OPTIONS_INIT;
    tsl_distance_plan *distances = NULL;
    distance.size--;
    assert_refused(context, tsl_distance_plan_create(&distances, context, &distance, &points, NULL),
                   "TSL_DISTANCE_OPTIONS_INIT");
    assert_null(distances);

    tsl_neighbor_options neighbor = TSL_NEIGHBOR_OPTIONS_INIT;
    tsl_neighbors neighbors;
    tsl_neighbor_plan *search = NULL;
    neighbor.cutoff = 1;
    neighbor.size = 0;
    assert_refused(context, tsl_neighbors_find(&neighbors, context, &neighbor, &points),
                   "TSL_NEIGHBOR_OPTIONS_INIT");
    assert_refused(context, tsl_neighbor_plan_create(&search, context, &neighbor, 2, 3, 8),
                   "TSL_NEIGHBOR_OPTIONS_INIT");
    assert_null(search);

    tsl_histogram_options bins = TSL_HISTOGRAM_OPTIONS_INIT;
    tsl_histogram histogram;
    bins.to = 1;
    bins.size++;
    assert_refused(context, tsl_histogram_count(&histogram, context, &bins, &points),
                   "TSL_HISTOGRAM_OPTIONS_INIT");

    tsl_energy_options energy = TSL_ENERGY_OPTIONS_INIT;
    tsl_energy_plan *energies = NULL;
    energy.size = 8;
    assert_refused(context, tsl_energy_plan_create(&energies, context, &energy, 2, 8),
                   "TSL_ENERGY_OPTIONS_INIT");
    assert_null(energies);
    tsl_context_destroy(context);
}

static void refuse_distances(tsl_context *context, const tsl_distance_options *options,
                             const tsl_points *a, const tsl_points *b, const char *word)
{
    tsl_distance_plan *plan = NULL;
    assert_int_equal(tsl_distance_plan_create(&plan, context, options, a, b), TSL_E_ARG);
    assert_null(plan);
    if (strstr(tsl_last_error(context), word) == NULL) {
        fail_msg("'%s' lacks '%s'", tsl_last_error(context), word);
    }
}

static void faults_of_distances_are_named(void **state)
{
    (void)state;
    tsl_context *context = test_context("cpu", 1);
    double values[12] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11};
    const float single[4] = {0, 1, 2e18F, 3};
    const double variances[2] = {1, 0};
    const tsl_points a = {values, 6, 2, 8, NULL}, narrow = {single, 2, 2, 4, "n"},
                     flat = {values, 3, 4, 8, NULL};
    tsl_distance_options options = TSL_DISTANCE_OPTIONS_INIT;
    options.metric = TSL_METRIC_MAHALANOBIS;
    refuse_distances(context, &options, &a, NULL, "cannot be inverted");
    options.metric = TSL_METRIC_MINKOWSKI;
    options.p = 0;
    refuse_distances(context, &options, &a, NULL, "more than 0");
    options.metric = TSL_METRIC_SEUCLIDEAN;
    options.variances = variances;
    refuse_distances(context, &options, &a, NULL, "variance 2");
    options.metric = (tsl_metric)TSL_METRICS;
    refuse_distances(context, &options, &a, NULL, "no such");
    refuse_distances(context, NULL, &a, &flat, "alike");
    refuse_distances(context, NULL, &narrow, NULL, "n: row 2, column 1");
    values[5] = NAN;
    refuse_distances(context, NULL, &a, NULL, "row 3, column 2 is nan");
    values[5] = -INFINITY;
    refuse_distances(context, NULL, &a, NULL, "row 3, column 2 is -inf");
    values[5] = 5;
    tsl_distance_plan *plan = NULL;
    tsl_buffer *buffer = NULL;
    assert_int_equal(tsl_buffer_create(&buffer, context, 8 * 14), TSL_OK);
    assert_int_equal(tsl_distance_plan_create(&plan, context, NULL, &a, NULL), TSL_OK);
    assert_int_equal(tsl_distance_execute(plan, buffer, 0, 15), TSL_E_ARG);
    assert_int_equal(tsl_distance_execute(plan, buffer, 2, 14), TSL_E_ARG);
    assert_int_equal(tsl_distance_execute(plan, buffer, -1, 1), TSL_E_ARG);
    assert_int_equal(tsl_distance_execute(plan, buffer, 1, 14), TSL_OK);
    assert_int_equal(tsl_distance_execute(plan, buffer, 15, 0), TSL_OK);
    tsl_buffer *shifted = NULL;
    assert_int_equal(
        tsl_buffer_wrap(&shifted, context, (char *)tsl_buffer_data(buffer) + 4, 8 * 13), TSL_OK);
    assert_int_equal(tsl_distance_execute(plan, shifted, 0, 13), TSL_E_ARG);
    assert_non_null(strstr(tsl_last_error(context), "not a multiple of 8 bytes"));
    tsl_buffer_destroy(shifted);
    tsl_distance_plan_destroy(plan);
    tsl_buffer_destroy(buffer);
    tsl_context_destroy(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(options_of_another_size_are_refused),
        cmocka_unit_test(faults_of_distances_are_named),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
