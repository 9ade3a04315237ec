/* Distances against SciPy's and plain loops in double precision. */
#include "support/devices.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/context.h"
#include "solvers/pairs/pairs.h"
#include "tesela/pairs.h"

enum { OF_A = 9, OF_B = 4, A_PAIRS = OF_A * (OF_A - 1) / 2 };

typedef struct scipy_row {
    tsl_metric metric;
    int dimensions;
    double condensed[A_PAIRS], rectangle[OF_A * OF_B];
} scipy_row;

static const scipy_row scipy[] = {
#include "solvers/pairs/scipy_distances.def"
};
enum { SCIPY_ROWS = sizeof scipy / sizeof *scipy };

/* ---- points --------------------------------------------------------------------------------- */

static void put(void *values, int precision, int64_t e, double x)
{
    if (precision == 4) {
        ((float *)values)[e] = (float)x;
    } else {
        ((double *)values)[e] = x;
    }
}

static double get(const void *values, int precision, int64_t e)
{
    return precision == 4 ? (double)((const float *)values)[e] : ((const double *)values)[e];
}

/* Those of scipy_distances.py: exact in both precisions. */
static tsl_points made_points(int64_t first, int64_t count, int d, int precision, bool steps)
{
    void *values = malloc((size_t)(count * d * precision + 1));
    assert_non_null(values);
    for (int64_t e = 0; e < count * d; e++) {
        const int64_t i = first + e / d, k = e % d;
        const int64_t whole = (i * 7919 + k * 104729 + i * i * k * 31) % 1009 - 504;
        put(values, precision, e, steps ? (double)((whole % 3 + 3) % 3 - 1) : (double)whole / 64);
    }
    return (tsl_points){values, count, d, precision, NULL};
}

static tsl_points random_points(int64_t count, int d, int precision, uint64_t seed)
{
    void *values = malloc((size_t)(count * d * precision + 1));
    assert_non_null(values);
    for (int64_t e = 0; e < count * d; e++) {
        put(values, precision, e, test_uniform(&seed));
    }
    return (tsl_points){values, count, d, precision, NULL};
}

static void free_points(tsl_points points)
{
    free((void *)(uintptr_t)points.values);
}

/* ---- the library's results ------------------------------------------------------------------ */

/* All of a result, made in pieces of `piece` elements. */
static void *distances(tsl_context *context, const tsl_distance_options *options,
                       const tsl_points *a, const tsl_points *b, int64_t piece, int64_t *count)
{
    tsl_distance_plan *plan = NULL;
    if (tsl_distance_plan_create(&plan, context, options, a, b) != TSL_OK) {
        fail_msg("%s: %s", context->name, tsl_last_error(context));
    }
    *count = tsl_distance_plan_count(plan);
    char *found = malloc((size_t)(*count * a->precision + 1));
    assert_non_null(found);
    for (int64_t first = 0; first < *count; first += piece) {
        const int64_t some = piece < *count - first ? piece : *count - first;
        tsl_buffer *buffer = NULL;
        assert_int_equal(tsl_buffer_create(&buffer, context, some * a->precision), TSL_OK);
        assert_int_equal(tsl_distance_execute(plan, buffer, first, some), TSL_OK);
        assert_int_equal(
            tsl_buffer_read(buffer, 0, found + first * a->precision, some * a->precision), TSL_OK);
        tsl_buffer_destroy(buffer);
    }
    tsl_distance_plan_destroy(plan);
    return found;
}

/* Is the error within what tesela/pairs.h promises? */
static bool is_near(tsl_metric metric, int precision, int d, double value, double expected)
{
    const double tolerance = precision == 8 ? 1e-13 : d >= 128 ? 3e-6 : 1e-6;
    const double size = fabs(expected);
    const bool absolute = metric == TSL_METRIC_COSINE || metric == TSL_METRIC_CORRELATION;
    if (metric == TSL_METRIC_HAMMING || metric == TSL_METRIC_JACCARD) {
        return precision == 8 ? value == expected : (float)value == (float)expected;
    }
    return fabs(value - expected) <= tolerance * (absolute && size < 1 ? 1 : size);
}

/* ---- SciPy ---------------------------------------------------------------------------------- */

/* Element (i, j) of SciPy's, i != j. */
static double condensed_at(const scipy_row *row, int i, int j)
{
    const int low = i < j ? i : j, high = i < j ? j : i;
    return row->condensed[low * OF_A - low * (low + 1) / 2 + high - low - 1];
}

static void check_row(tsl_context *context, const scipy_row *row, int precision)
{
    const bool steps = row->metric == TSL_METRIC_HAMMING || row->metric == TSL_METRIC_JACCARD;
    const tsl_points a = made_points(0, OF_A, row->dimensions, precision, steps);
    const tsl_points b = made_points(OF_A, OF_B, row->dimensions, precision, steps);
    tsl_distance_options options = TSL_DISTANCE_OPTIONS_INIT;
    options.metric = row->metric;
    options.p = 3.5;
    for (int layout = 0; layout <= TSL_LAYOUT_PACKED + 1; layout++) {
        const bool rectangle = layout > TSL_LAYOUT_PACKED;
        int64_t count = 0, e = 0;
        options.layout = rectangle ? TSL_LAYOUT_CONDENSED : (tsl_pair_layout)layout;
        void *found = distances(context, &options, &a, rectangle ? &b : NULL, 7, &count);
        for (int i = 0; i < OF_A; i++) {
            const int lo = layout == TSL_LAYOUT_CONDENSED ? i + 1 : 0;
            const int hi = layout == TSL_LAYOUT_PACKED ? i + 1 : rectangle ? OF_B : OF_A;
            for (int j = lo; j < hi; j++, e++) {
                const double value = get(found, precision, e);
                const double expected = rectangle ? row->rectangle[i * OF_B + j]
                                        : i == j  ? 0
                                                  : condensed_at(row, i, j);
                if (i == j && !rectangle
                        ? value != 0
                        : !is_near(row->metric, precision, row->dimensions, value, expected)) {
                    fail_msg(
                        "%s: %s, %d dimensions, %d bytes, layout %d, (%d, %d): %.17g, not %.17g",
                        context->name, tsl_metric_name(row->metric), row->dimensions, precision,
                        layout, i, j, value, expected);
                }
            }
        }
        assert_int_equal(e, count);
        free(found);
    }
    free_points(a);
    free_points(b);
}

static void metrics_are_scipy_s(void **state)
{
    (void)state;
    assert_int_equal(SCIPY_ROWS, 2 * TSL_METRICS - 1);
    for (int dev = 0; dev < test_device_count(); dev++) {
        tsl_context *context = test_context(test_devices[dev], 2);
        for (int i = 0; i < SCIPY_ROWS; i++) {
            check_row(context, &scipy[i], 4);
            check_row(context, &scipy[i], 8);
        }
        tsl_context_destroy(context);
    }
}

/* ---- plain loops ---------------------------------------------------------------------------- */

static double plain(const tsl_points *a, int64_t i, const tsl_points *b, int64_t j)
{
    const int d = a->dimensions;
    double sum = 0;
    for (int k = 0; k < d; k++) {
        const double from =
            get(a->values, a->precision, i * d + k) - get(b->values, b->precision, j * d + k);
        sum += from * from;
    }
    return sqrt(sum);
}

typedef struct size_row {
    int64_t rows, columns; /* columns 0: pairs of the rows */
    int64_t piece;
    int dimensions, differences;
} size_row;

static const size_row sizes[] = {{0, 0, 1, 3, 0},
                                 {1, 0, 64, 3, 0},
                                 {2, 0, 1, 1, 0},
                                 {31, 0, 100, 2, 0},
                                 {33, 0, 1000, 3, 0},
                                 {65, 0, 77, 3, 0},
                                 {130, 0, 640, 4, 0},
                                 {129, 0, 4096, 9, 0},
                                 {1100, 0, 99968, 3, 0},
                                 {1059, 0, 250000, 8, 0},
                                 {0, 5, 1, 3, 0},
                                 {5, 0, 3, 300, 0},
                                 {1, 1, 1, 1, 0},
                                 {3, 1090, 500, 3, 0},
                                 {200, 65, 1 << 20, 40, 0},
                                 {64, 64, 4096, 16, 0},
                                 {150, 0, 4096, 128, 0},
                                 {140, 0, 3000, 33, 0},
                                 {150, 0, 4096, 128, 1},
                                 {200, 65, 5000, 40, 1},
                                 /* written past the caches of a CPU */
                                 {1501, 0, 1 << 21, 3, 0}};

static void check_size(tsl_context *context, const size_row *row, int precision, int layout)
{
    const tsl_points a = random_points(row->rows, row->dimensions, precision, 5);
    const tsl_points b = random_points(row->columns, row->dimensions, precision, 6);
    const bool rectangle = row->columns > 0;
    const tsl_points *right = rectangle ? &b : &a;
    tsl_distance_options options = TSL_DISTANCE_OPTIONS_INIT;
    options.layout = (tsl_pair_layout)layout;
    options.differences = row->differences;
    int64_t count = 0, e = 0;
    void *found = distances(context, &options, &a, rectangle ? &b : NULL, row->piece, &count);
    for (int64_t i = 0; i < a.count; i++) {
        const int64_t lo = !rectangle && layout == TSL_LAYOUT_CONDENSED ? i + 1 : 0;
        const int64_t hi = !rectangle && layout == TSL_LAYOUT_PACKED ? i + 1 : right->count;
        for (int64_t j = lo; j < hi; j++, e++) {
            const double expected = plain(&a, i, right, j);
            if (e >= count || !is_near(TSL_METRIC_EUCLIDEAN, precision, row->dimensions,
                                       get(found, precision, e), expected)) {
                fail_msg("%s: %lld x %lld, %d dimensions, %d bytes, layout %d, (%lld, %lld)",
                         context->name, (long long)row->rows, (long long)row->columns,
                         row->dimensions, precision, layout, (long long)i, (long long)j);
            }
        }
    }
    assert_int_equal(e, count);
    free(found);
    free_points(a);
    free_points(b);
}

/* Points of many coordinates in two groups far from each other, close together in each: products
 * alone would lose all of a short distance. */
static void close_points_of_many_coordinates_lose_nothing(void **state)
{
    (void)state;
    enum { N = 70, D = 70 };
    for (int dev = 0; dev < test_device_count(); dev++) {
        tsl_context *context = test_context(test_devices[dev], 2);
        for (int precision = 4; precision <= 8; precision += 4) {
            tsl_distance_options options = TSL_DISTANCE_OPTIONS_INIT;
            int64_t count = 0;
            tsl_points a = random_points(N, D, precision, 8);
            for (int64_t e = 0; e < N * D; e++) {
                const double x =
                    512695 + 1e6 * (double)(e / D % 2) + (double)(e % 7) + (double)(e / D) / 8;
                put((void *)(uintptr_t)a.values, precision, e, x);
            }
            options.layout = TSL_LAYOUT_SQUARE;
            void *found = distances(context, &options, &a, NULL, N * N, &count);
            for (int64_t e = 0; e < count; e++) {
                assert_true(is_near(TSL_METRIC_EUCLIDEAN, precision, D, get(found, precision, e),
                                    plain(&a, e / N, &a, e % N)));
            }
            assert_int_equal(count, N * N);
            free(found);
            free_points(a);
        }
        tsl_context_destroy(context);
    }
}

/* Points so close to their mean that squares of single precision underflow, each of them twice. */
static void equal_points_are_at_no_distance(void **state)
{
    (void)state;
    enum { N = 20, D = 70 };
    static const double scales[] = {1, 1e-18, 3e-23, 1e-30};
    for (int dev = 0; dev < test_device_count(); dev++) {
        tsl_context *context = test_context(test_devices[dev], 2);
        for (int k = 0; k < 8; k++) {
            tsl_distance_options options = TSL_DISTANCE_OPTIONS_INIT;
            const int precision = k % 2 == 0 ? 4 : 8;
            int64_t count = 0;
            tsl_points a = random_points(N, D, precision, 9);
            for (int64_t e = 0; e < N / 2 * D; e++) {
                const double x = get(a.values, precision, e) * scales[k / 2];
                put((void *)(uintptr_t)a.values, precision, e, x);
                put((void *)(uintptr_t)a.values, precision, e + N / 2 * D, x);
            }
            options.layout = TSL_LAYOUT_SQUARE;
            void *found = distances(context, &options, &a, NULL, N * N, &count);
            for (int64_t i = 0; i < N; i++) {
                assert_true(get(found, precision, i * N + i) == 0);
                assert_true(get(found, precision, i * N + (i + N / 2) % N) == 0);
            }
            free(found);
            free_points(a);
        }
        tsl_context_destroy(context);
    }
}

/* Results by products and by differences are both right, and differ in their last digits. */
static void products_are_left_out_where_differences_are_asked_for(void **state)
{
    (void)state;
    enum { N = 64, D = 70 };
    for (int dev = 0; dev < test_device_count(); dev++) {
        tsl_context *context = test_context(test_devices[dev], 2);
        void *found[2];
        int64_t count = 0;
        const tsl_points a = random_points(N, D, 8, 10);
        for (int differences = 0; differences < 2; differences++) {
            tsl_distance_options options = TSL_DISTANCE_OPTIONS_INIT;
            options.differences = differences;
            found[differences] = distances(context, &options, &a, NULL, N * N, &count);
        }
        const bool products = dev > 0 || tsl_product_functions_now() != NULL;
        assert_int_equal(memcmp(found[0], found[1], (size_t)(8 * count)) != 0, products);
        free(found[0]);
        free(found[1]);
        free_points(a);
        tsl_context_destroy(context);
    }
}

static void ranges_of_all_sizes_match_a_plain_loop(void **state)
{
    (void)state;
    for (int dev = 0; dev < test_device_count(); dev++) {
        tsl_context *context = test_context(test_devices[dev], 3);
        for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
            const bool large = sizes[i].rows > 1000 && test_is_another_order(test_devices[dev]);
            for (int layout = 0; layout <= (sizes[i].columns > 0 ? 0 : TSL_LAYOUT_PACKED) && !large;
                 layout++) {
                check_size(context, &sizes[i], 4, layout);
                check_size(context, &sizes[i], 8, layout);
            }
        }
        tsl_context_destroy(context);
    }
}

/* `found` has the bits of *first, or becomes it where there is none yet. The array is taken over.
 */
static void compare_with_first(void **first, void *found, int64_t bytes)
{
    if (*first == NULL) {
        *first = found;
        return;
    }
    assert_memory_equal(found, *first, (size_t)bytes);
    free(found);
}

/* The same bits whatever the range and the threads. */
static void bits_do_not_depend_on_ranges_or_threads(void **state)
{
    (void)state;
    for (int dev = 0; dev < test_device_count(); dev++) {
        for (int metric = 0; metric < TSL_METRICS; metric++) {
            /* Euclidean distances of so many coordinates are by products */
            const tsl_points a = random_points(150, metric == 0 ? 70 : 20, 4, 7);
            tsl_distance_options options = TSL_DISTANCE_OPTIONS_INIT;
            options.metric = (tsl_metric)metric;
            options.p = 1.5;
            void *first = NULL;
            int64_t count = 0;
            for (int threads = 1; threads <= 8; threads += 7) {
                tsl_context *context = test_context(test_devices[dev], threads);
                void *found =
                    distances(context, &options, &a, NULL, threads == 1 ? 1 << 20 : 1001, &count);
                compare_with_first(&first, found, 4 * count);
                tsl_context_destroy(context);
            }
            free(first);
            free_points(a);
        }
    }
}

/* Devices add the products of double precision in the same order and round each once: no pair of
 * these is so close that differences take their place, which CPUs round otherwise. */
static void products_have_the_same_bits_on_all_devices(void **state)
{
    (void)state;
    static const int dimensions[] = {64, 67, 128};
    for (int k = 0; k < 3; k++) {
        const tsl_points a = random_points(150, dimensions[k], 8, 10);
        void *first = NULL;
        for (int dev = 0; dev < test_device_count(); dev++) {
            tsl_context *context = test_context(test_devices[dev], 2);
            int64_t count = 0;
            if (strcmp(test_devices[dev], "cpu") == 0 && tsl_product_functions_now() == NULL) {
                print_message("not compared with the CPU's: it has no fused operations\n");
                tsl_context_destroy(context);
                continue;
            }
            void *found = distances(context, NULL, &a, NULL, 150 * 149 / 2, &count);
            compare_with_first(&first, found, 8 * count);
            tsl_context_destroy(context);
        }
        free(first);
        free_points(a);
    }
}

/* Large coordinates that are close: a product of matrices would lose all of their difference. */
static void close_points_lose_nothing(void **state)
{
    (void)state;
    const float values[4] = {512695, 512804, 512695, 0};
    const tsl_points a = {values, 4, 1, 4, NULL};
    const float expected[6] = {109, 0, 512695, 109, 512804, 512695};
    for (int dev = 0; dev < test_device_count(); dev++) {
        tsl_context *context = test_context(test_devices[dev], 1);
        int64_t count = 0;
        float *found = distances(context, NULL, &a, NULL, 64, &count);
        assert_int_equal(count, 6);
        assert_memory_equal(found, expected, sizeof expected);
        free(found);
        tsl_context_destroy(context);
    }
}

/* ---- streams -------------------------------------------------------------------------------- */

typedef struct taker {
    int64_t next, pieces, stop_at;
    double sum;
} taker;

static tsl_status take(void *user, int64_t first, int64_t count, const void *values)
{
    taker *t = user;
    assert_int_equal(first, t->next);
    for (int64_t e = 0; e < count; e++) {
        t->sum += ((const double *)values)[e];
    }
    t->next += count;
    t->pieces++;
    return t->pieces == t->stop_at ? TSL_E_CANCELLED : TSL_OK;
}

static void streams_come_in_order_and_stop(void **state)
{
    (void)state;
    for (int dev = 0; dev < test_device_count(); dev++) {
        tsl_context *context = test_context(test_devices[dev], 2);
        const tsl_points a = random_points(300, 3, 8, 8);
        double sum = 0;
        for (int64_t i = 0; i < 300; i++) {
            for (int64_t j = i + 1; j < 300; j++) {
                sum += plain(&a, i, &a, j);
            }
        }
        tsl_distance_plan *plan = NULL;
        assert_int_equal(tsl_distance_plan_create(&plan, context, NULL, &a, NULL), TSL_OK);
        taker t = {.stop_at = -1};
        assert_int_equal(tsl_distance_stream(plan, 8 * 1000, take, &t), TSL_OK);
        assert_int_equal(t.next, 300 * 299 / 2);
        assert_int_equal(t.pieces, (300 * 299 / 2 + 959) / 960);
        assert_true(fabs(t.sum - sum) <= 1e-12 * sum);
        t = (taker){.stop_at = 2};
        assert_int_equal(tsl_distance_stream(plan, 8 * 1000, take, &t), TSL_E_CANCELLED);
        assert_int_equal(t.next, 1920);
        assert_int_equal(tsl_distance_stream(plan, -1, take, &t), TSL_E_ARG);
        tsl_distance_plan_destroy(plan);
        free_points(a);
        tsl_context_destroy(context);
    }
}

static void rows_are_ranges(void **state)
{
    (void)state;
    tsl_context *context = test_context("cpu", 1);
    const tsl_points a = random_points(5, 2, 8, 9);
    static const int64_t expected[3][5][2] = {{{0, 4}, {4, 3}, {7, 2}, {9, 1}, {10, 0}},
                                              {{0, 5}, {5, 5}, {10, 5}, {15, 5}, {20, 5}},
                                              {{0, 1}, {1, 2}, {3, 3}, {6, 4}, {10, 5}}};
    for (int layout = 0; layout < 3; layout++) {
        tsl_distance_plan *plan = NULL;
        tsl_distance_options options = TSL_DISTANCE_OPTIONS_INIT;
        options.layout = (tsl_pair_layout)layout;
        assert_int_equal(tsl_distance_plan_create(&plan, context, &options, &a, NULL), TSL_OK);
        for (int i = 0; i < 5; i++) {
            int64_t first = -1, count = -1;
            assert_int_equal(tsl_distance_plan_row(plan, i, &first, &count), TSL_OK);
            assert_int_equal(first, expected[layout][i][0]);
            assert_int_equal(count, expected[layout][i][1]);
        }
        int64_t none = 0;
        assert_int_equal(tsl_distance_plan_row(plan, 5, &none, &none), TSL_E_ARG);
        tsl_distance_plan_destroy(plan);
    }
    free_points(a);
    tsl_context_destroy(context);
}

/* ---- memory ---------------------------------------------------------------------------------- */

static tsl_status make_one(tsl_context *context, void *user)
{
    tsl_distance_plan *plan = NULL;
    taker t = {.stop_at = -1};
    const tsl_status status = tsl_distance_plan_create(
        &plan, context, user,
        &(tsl_points){(const double[]){0, 1, 5, 3, 4, 7, 2, 8}, 4, 2, 8, NULL}, NULL);
    if (status != TSL_OK) {
        return status;
    }
    const tsl_status streamed = tsl_distance_stream(plan, 0, take, &t);
    tsl_distance_plan_destroy(plan);
    return streamed;
}

static void failing_allocations_are_survived(void **state)
{
    (void)state;
    static const tsl_metric some[] = {TSL_METRIC_EUCLIDEAN, TSL_METRIC_SEUCLIDEAN,
                                      TSL_METRIC_MAHALANOBIS};
    for (int dev = 0; dev < test_device_count(); dev++) {
        tsl_context *context = test_context(test_devices[dev], 2);
        for (size_t i = 0; i < sizeof some / sizeof *some; i++) {
            tsl_distance_options options = TSL_DISTANCE_OPTIONS_INIT;
            options.metric = some[i];
            assert_true(test_survives_no_memory(context, make_one, &options) >= 3);
        }
        tsl_context_destroy(context);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(metrics_are_scipy_s),
        cmocka_unit_test(products_are_left_out_where_differences_are_asked_for),
        cmocka_unit_test(ranges_of_all_sizes_match_a_plain_loop),
        cmocka_unit_test(close_points_of_many_coordinates_lose_nothing),
        cmocka_unit_test(equal_points_are_at_no_distance),
        cmocka_unit_test(bits_do_not_depend_on_ranges_or_threads),
        cmocka_unit_test(products_have_the_same_bits_on_all_devices),
        cmocka_unit_test(close_points_lose_nothing),
        cmocka_unit_test(streams_come_in_order_and_stop),
        cmocka_unit_test(rows_are_ranges),
        cmocka_unit_test(failing_allocations_are_survived)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
