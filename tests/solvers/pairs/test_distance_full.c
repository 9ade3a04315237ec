/* Add up the squared distances of all pairs of 250 000 points, 125 GB of numbers, and compare the
 * sum with its closed form: n times the sum of squares less the square of the sum. Coordinates are
 * whole numbers, so each square is exact in single precision, and the sum in 64 bits. */
#include "support/devices.h"

#include <stdlib.h>
#include <string.h>

#include "core/context.h"
#include "tesela/pairs.h"
#include "tesela/simplex.h"

enum { POINTS = 250000, SIDE = 1024, STEP = 1000003 };

typedef struct checksum {
    const float *points;
    int64_t next, sum, wrong;
} checksum;

static int64_t square_of(const float *points, int64_t i, int64_t j)
{
    int64_t sum = 0;
    for (int c = 0; c < 3; c++) {
        const int64_t from = (int64_t)(points[3 * i + c] - points[3 * j + c]);
        sum += from * from;
    }
    return sum;
}

/* Add up all elements. Every STEP-th is also compared by itself, for a sum does not depend on the
 * order. */
static tsl_status take(void *user, int64_t first, int64_t count, const void *values)
{
    checksum *total = user;
    const float *const squares = values;
    int64_t sum = 0;
#pragma omp parallel for reduction(+ : sum)
    for (int64_t e = 0; e < count; e++) {
        sum += (int64_t)squares[e];
    }
    total->wrong += first != total->next;
    for (int64_t k = (first + STEP - 1) / STEP * STEP; k < first + count; k += STEP) {
        const int64_t i = tsl_condensed_row(POINTS, k);
        const int64_t j = k - tsl_condensed_base(POINTS, i);
        total->wrong += (int64_t)squares[k - first] != square_of(total->points, i, j);
    }
    total->sum += sum;
    total->next = first + count;
    return TSL_OK;
}

static void a_stream_of_all_pairs_has_the_sum_of_the_closed_form(void **state)
{
    (void)state;
    uint64_t seed = 1;
    int64_t squares = 0, sums[3] = {0, 0, 0};
    float *const points = malloc(3 * POINTS * sizeof *points);
    assert_non_null(points);
    for (int64_t e = 0; e < 3 * (int64_t)POINTS; e++) {
        const int64_t x = (int64_t)(test_random(&seed) % SIDE);
        points[e] = (float)x;
        squares += x * x;
        sums[e % 3] += x;
    }
    int64_t expected = POINTS * squares;
    for (int c = 0; c < 3; c++) {
        expected -= sums[c] * sums[c];
    }
    for (int dev = 0; dev < test_device_count(); dev++) {
        if (strncmp(test_devices[dev], "sim", 3) == 0) {
            continue; /* sim would take an hour */
        }
        tsl_context *context = test_context(test_devices[dev], 0);
        tsl_distance_options options = TSL_DISTANCE_OPTIONS_INIT;
        options.metric = TSL_METRIC_SQEUCLIDEAN;
        tsl_distance_plan *plan = NULL;
        const tsl_points a = {points, POINTS, 3, 4, NULL};
        checksum total = {.points = points};
        assert_int_equal(tsl_distance_plan_create(&plan, context, &options, &a, NULL), TSL_OK);
        assert_int_equal(tsl_distance_stream(plan, 0, take, &total), TSL_OK);
        assert_int_equal(total.next, (int64_t)POINTS * (POINTS - 1) / 2);
        assert_int_equal(total.sum, expected);
        assert_int_equal(total.wrong, 0);
        tsl_distance_plan_destroy(plan);
        tsl_context_destroy(context);
    }
    free(points);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_stream_of_all_pairs_has_the_sum_of_the_closed_form),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
