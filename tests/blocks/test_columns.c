/* Transforms of columns against sums in double precision, both ways, and what is left alone. */
#include "support/devices.h"

#include <complex.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "blocks/fft/columns.h"
#include "core/core.h"

typedef struct row {
    int n, count, pitch, filled;
    tsl_precision precision;
    bool aside;
} row;

static const row rows[] = {
    {8, 8, 8, 8, TSL_SINGLE, false},    {8, 3, 16, 5, TSL_DOUBLE, true},
    {1, 5, 8, 1, TSL_SINGLE, true},     {17, 9, 16, 4, TSL_DOUBLE, false},
    {24, 13, 40, 24, TSL_SINGLE, true}, {30, 33, 80, 11, TSL_SINGLE, false},
    {19, 1, 4, 1, TSL_DOUBLE, true},    {64, 24, 24, 40, TSL_DOUBLE, false},
};

static double complex get(const void *data, tsl_precision precision, int64_t i)
{
    return precision == TSL_SINGLE
               ? ((const float *)data)[2 * i] + I * ((const float *)data)[2 * i + 1]
               : ((const double *)data)[2 * i] + I * ((const double *)data)[2 * i + 1];
}

static void put(void *data, tsl_precision precision, int64_t i, double complex value)
{
    if (precision == TSL_SINGLE) {
        ((float *)data)[2 * i] = (float)creal(value);
        ((float *)data)[2 * i + 1] = (float)cimag(value);
    } else {
        ((double *)data)[2 * i] = creal(value);
        ((double *)data)[2 * i + 1] = cimag(value);
    }
}

/* Wave k of column i, of the rows that are filled. */
static double complex wave_of(const row *r, const double complex *matrix, int i, int k)
{
    double complex sum = 0;
    for (int x = 0; x < r->filled; x++) {
        const double turn = (double)((int64_t)x * k % r->n) / r->n;
        sum += matrix[x * r->pitch + i] * cexp(-2 * acos(-1) * I * turn);
    }
    return sum;
}

static void check_row(tsl_context *context, const row *r, tsl_columns_way way)
{
    const int64_t numbers = (int64_t)r->n * r->pitch;
    const tsl_columns_description what = {.precision = r->precision,
                                          .n = r->n,
                                          .count = r->count,
                                          .pitch = r->pitch,
                                          .aside = r->aside,
                                          .way = way};
    const double bound = 16 * (r->precision == TSL_SINGLE ? 6e-8 : 1.2e-16) * r->n;
    double complex *copy = malloc((size_t)numbers * sizeof *copy);
    tsl_columns columns;
    assert_int_equal(tsl_columns_create(&columns, context, &what), TSL_OK);
    assert_true(way == TSL_COLUMNS_FASTER
                    ? columns.strided_seconds > 0 && columns.transposed_seconds > 0
                    : columns.what.way == way);
    void *matrix = tsl_allocate((size_t)numbers * 2 * r->precision);
    void *scratch = tsl_allocate((size_t)tsl_columns_scratch(&columns) * 2 * r->precision);
    memset(scratch, 0xff, (size_t)tsl_columns_scratch(&columns) * 2 * r->precision);
    uint64_t seed = 5;
    for (int64_t i = 0; i < numbers; i++) {
        put(matrix, r->precision, i, test_uniform(&seed) + I * test_uniform(&seed));
        copy[i] = get(matrix, r->precision, i);
    }
    void *taken = tsl_columns_take(&columns, matrix, r->filled, scratch);
    tsl_columns_transform(&columns, TSL_FFT_FORWARD, taken);
    for (int i = 0; i < r->count; i++) {
        for (int k = 0; k < r->n; k++) {
            const int64_t at = (int64_t)k * columns.stride + (int64_t)i * columns.distance;
            assert_true(cabs(get(taken, r->precision, at) - wave_of(r, copy, i, k)) <= bound);
        }
    }
    tsl_columns_transform(&columns, TSL_FFT_BACKWARD, taken);
    tsl_columns_put(&columns, matrix, taken);
    for (int64_t i = 0; i < numbers; i++) {
        const double complex found = get(matrix, r->precision, i);
        if (i % r->pitch >= r->count) {
            assert_true(found == copy[i]); /* no column */
        } else {
            assert_true(cabs(found / r->n - (i / r->pitch < r->filled ? copy[i] : 0)) <= bound);
        }
    }
    tsl_columns_destroy(&columns);
    tsl_release(scratch);
    tsl_release(matrix);
    free(copy);
}

static void both_ways_match_sums(void **state)
{
    (void)state;
    tsl_context *context = test_context("cpu", 1);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        check_row(context, &rows[i], TSL_COLUMNS_STRIDED);
        check_row(context, &rows[i], TSL_COLUMNS_TRANSPOSED);
        check_row(context, &rows[i], TSL_COLUMNS_FASTER);
    }
    tsl_context_destroy(context);
}

static tsl_status make(tsl_context *context, void *user)
{
    tsl_columns columns;
    const tsl_status status = tsl_columns_create(&columns, context, user);
    tsl_columns_destroy(&columns);
    return status;
}

static void failing_allocations_are_survived(void **state)
{
    (void)state;
    tsl_context *context = test_context("cpu", 1);
    tsl_columns_description what = {
        .precision = TSL_DOUBLE, .n = 8, .count = 4, .pitch = 4, .aside = true};
    test_survives_no_memory(context, make, &what);
    tsl_context_destroy(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(both_ways_match_sums),
                                       cmocka_unit_test(failing_allocations_are_survived)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
