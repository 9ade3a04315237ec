/* Nearest points against a plain search of all pairs in double precision. */
#include "support/devices.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/context.h"
#include "tesela/pairs.h"

typedef enum cloud { EVEN, CLUSTERS, TIGHT, GRID, FAR_AWAY, FLAT, SAME } cloud;

typedef struct nearest_row {
    int64_t count;
    int dimensions, k;
    cloud cloud;
} nearest_row;

static const nearest_row rows[] = {
    {1, 3, 2, EVEN},        {5, 3, 8, EVEN},       {70, 1, 3, EVEN},    {400, 2, 5, CLUSTERS},
    {500, 3, 16, EVEN},     {300, 3, 7, CLUSTERS}, {343, 3, 6, GRID},   {200, 3, 4, FAR_AWAY},
    {300, 3, 5, FLAT},      {90, 3, 5, SAME},      {150, 20, 16, EVEN}, {140, 37, 96, EVEN},
    {129, 16, 9, FAR_AWAY}, {100, 5, 1, SAME},     {150, 18, 9, TIGHT}, {700, 24, 16, EVEN},
    {1200, 3, 16, EVEN}};

static double get(const void *values, int precision, int64_t e)
{
    return precision == 4 ? (double)((const float *)values)[e] : ((const double *)values)[e];
}

static double coordinate(const nearest_row *row, int64_t i, int c, uint64_t *seed)
{
    const double u = test_uniform(seed);
    switch (row->cloud) {
    case CLUSTERS:
        return (double)(i % 4) * 50 + u * (double)(1 + i % 7);
    case TIGHT: /* what products in single precision cannot tell apart */
        return (double)(i % 4) * 50 + u / 20;
    case GRID:
        return (double)(c == 0 ? i / 49 : c == 1 ? i / 7 % 7 : i % 7);
    case FAR_AWAY:
        return 1e4 + u;
    case FLAT:
        return c == 1 ? 3 : u;
    case SAME:
        return 0.5;
    default:
        return u;
    }
}

static void *make_points(const nearest_row *row, int precision)
{
    uint64_t seed = 3;
    void *values = malloc((size_t)(row->count * row->dimensions * precision));
    for (int64_t i = 0; i < row->count; i++) {
        for (int c = 0; c < row->dimensions; c++) {
            const double x = coordinate(row, i, c, &seed);
            const int64_t e = i * row->dimensions + c;
            if (precision == 4) {
                ((float *)values)[e] = (float)x;
            } else {
                ((double *)values)[e] = x;
            }
        }
    }
    return values;
}

typedef struct other_point {
    double square;
    int32_t index;
} other_point;

static int compare(const void *a, const void *b)
{
    const other_point *const p = a, *const q = b;
    return p->square != q->square ? (p->square > q->square) - (p->square < q->square)
                                  : (p->index > q->index) - (p->index < q->index);
}

static void check_point(const nearest_row *row, const void *values, int precision, int64_t i,
                        const int32_t *indices, const void *distances)
{
    const int d = row->dimensions;
    other_point *others = malloc((size_t)row->count * sizeof *others);
    int64_t count = 0;
    for (int64_t j = 0; j < row->count; j++) {
        double sum = 0;
        for (int c = 0; c < d; c++) {
            const double x = get(values, precision, i * d + c) - get(values, precision, j * d + c);
            sum += x * x;
        }
        if (j != i) {
            others[count++] = (other_point){sum, (int32_t)j};
        }
    }
    qsort(others, (size_t)count, sizeof *others, compare);
    for (int t = 0; t < row->k; t++) {
        const double distance = get(distances, precision, i * row->k + t);
        if (t >= count) {
            assert_int_equal(indices[i * row->k + t], -1);
            assert_true(distance == INFINITY);
        } else {
            assert_int_equal(indices[i * row->k + t], others[t].index);
            assert_true(fabs(distance - sqrt(others[t].square)) <=
                        (precision == 4 ? 1e-7 : 1e-15) * distance);
        }
    }
    free(others);
}

static void check_row(const nearest_row *row, int precision, const char *device)
{
    tsl_context *context = test_context(device, 2);
    void *values = make_points(row, precision);
    const tsl_points points = {values, row->count, row->dimensions, precision, NULL};
    int32_t *indices = malloc((size_t)(4 * row->count * row->k));
    int32_t *again = malloc((size_t)(4 * row->count * row->k));
    void *distances = malloc((size_t)(row->count * row->k * precision));
    if (tsl_nearest_find(indices, distances, context, row->k, &points) != TSL_OK) {
        fail_msg("%s: %s", device, tsl_last_error(context));
    }
    for (int64_t i = 0; i < row->count; i++) {
        check_point(row, values, precision, i, indices, distances);
    }
    assert_int_equal(tsl_nearest_find(again, NULL, context, row->k, &points), TSL_OK);
    assert_memory_equal(again, indices, (size_t)(4 * row->count * row->k));
    free(values);
    free(indices);
    free(again);
    free(distances);
    tsl_context_destroy(context);
}

static void points_are_those_of_a_plain_search(void **state)
{
    (void)state;
    for (int d = 0; d < test_device_count(); d++) {
        for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
            if (!test_is_another_order(test_devices[d]) || rows[i].count < 160) {
                check_row(&rows[i], 4, test_devices[d]);
                check_row(&rows[i], 8, test_devices[d]);
            }
        }
    }
}

static void faults_are_named(void **state)
{
    (void)state;
    tsl_context *context = test_context("cpu", 1);
    double values[6] = {0, 1, 2, 3, NAN, 5};
    int32_t indices[12];
    const tsl_points points = {values, 2, 3, 8, "cloud"}, none = {NULL, 0, 3, 8, NULL},
                     flat = {values, 2, 0, 8, NULL}, countless = {values, INT64_MAX, 3, 8, NULL};
    assert_int_equal(tsl_nearest_find(indices, NULL, context, 0, &points), TSL_E_ARG);
    assert_non_null(strstr(tsl_last_error(context), "1 to 96"));
    assert_int_equal(tsl_nearest_find(indices, NULL, context, 97, &points), TSL_E_ARG);
    assert_int_equal(tsl_nearest_find(indices, NULL, context, INT32_MAX, &points), TSL_E_ARG);
    assert_int_equal(tsl_nearest_find(indices, NULL, context, 1, &countless), TSL_E_ARG);
    assert_int_equal(tsl_nearest_find(indices, NULL, context, 1, &points), TSL_E_ARG);
    assert_non_null(strstr(tsl_last_error(context), "cloud: row 2, column 2 is nan"));
    assert_int_equal(tsl_nearest_find(indices, NULL, context, 1, &flat), TSL_E_ARG);
    assert_int_equal(tsl_nearest_find(indices, NULL, context, 1, &none), TSL_OK);
    /* opposite corners: the square of their distance is a float in 84 coordinates, not in 86 */
    float far[2 * 86];
    for (int d = 84; d <= 86; d += 2) {
        const tsl_points corners = {far, 2, d, 4, "corners"};
        for (int e = 0; e < 2 * d; e++) {
            far[e] = e < d ? 9.75e17F : -9.75e17F;
        }
        assert_int_equal(tsl_nearest_find(indices, NULL, context, 1, &corners),
                         d == 84 ? TSL_OK : TSL_E_ARG);
        assert_int_equal(indices[0], 1);
    }
    assert_non_null(strstr(tsl_last_error(context), "corners: row 1, column 1 is 9.75e+17"));
    tsl_context_destroy(context);
}

static tsl_status find_some(tsl_context *context, void *user)
{
    int32_t indices[300];
    return tsl_nearest_find(indices, NULL, context, 3, user);
}

static void failing_allocations_are_survived(void **state)
{
    (void)state;
    const nearest_row row = {100, 3, 3, EVEN};
    void *values = make_points(&row, 8);
    tsl_points points = {values, 100, 3, 8, NULL};
    for (int d = 0; d < test_device_count(); d++) {
        tsl_context *context = test_context(test_devices[d], 2);
        assert_true(test_survives_no_memory(context, find_some, &points) >= 6);
        tsl_context_destroy(context);
    }
    free(values);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(points_are_those_of_a_plain_search),
                                       cmocka_unit_test(faults_are_named),
                                       cmocka_unit_test(failing_allocations_are_survived)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
