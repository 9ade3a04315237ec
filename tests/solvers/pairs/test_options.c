/* Options of another size than this library's, as of a program that was compiled with headers of
 * another version, are refused before anything else of them is read. */
#include "support/devices.h"

#include <string.h>

#include "core/context.h"
#include "tesela/pairs.h"

static void assert_refused(tsl_context *context, tsl_status status, const char *init)
{
    assert_int_equal(status, TSL_E_ARG);
    assert_non_null(strstr(tsl_last_error(context), "initialise them with"));
    assert_non_null(strstr(tsl_last_error(context), init));
}

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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(options_of_another_size_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
