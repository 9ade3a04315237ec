/* Neighbours against a search of all pairs and all images in double precision. */
#include "support/devices.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/context.h"
#include "tesela/pairs.h"

typedef struct neighbor_row { /* NOLINT(clang-analyzer-optin.performance.Padding): the order reads
                               */
    int64_t count;
    int dimensions;
    double cutoff;
    double box[6]; /* box[0] = 0: open */
    int radii;
    int least_cells; /* that the search has to use; 1: any */
    int inside;      /* are all points within the periodic cell? */
} neighbor_row;

static const neighbor_row rows[] = {{1, 3, 1, {0}, false, 1, false},
                                    {2, 3, 3, {0}, false, 1, false},
                                    {200, 1, 0.3, {0}, false, 1, false},
                                    {200, 2, 0.3, {0}, false, 9, false},
                                    {300, 3, 0.4, {0}, false, 27, false},
                                    {300, 3, 30, {0}, false, 1, false},
                                    {300, 3, 0, {0}, true, 1, false},
                                    {150, 3, 1, {2, 2.5, 3, 0, 0, 0}, false, 1, false},
                                    {400, 3, 0.6, {2, 2.5, 3, 0, 0, 0}, false, 27, false},
                                    {400, 3, 0.45, {2, 5, 1, 0, 0, 0}, false, 1, false},
                                    {400, 3, 0.6, {3, 2.5, 3, 0.7, -0.4, 0.9}, false, 27, false},
                                    {200, 3, 0.9, {2.5, 2.5, 3, 0.7, -0.4, 0.5}, false, 1, false},
                                    {400, 3, 0, {3, 3, 3, 0, 0, 0}, true, 27, false},
                                    {400, 3, 0.6, {2, 2.5, 3, 0, 0, 0}, false, 27, true},
                                    {400, 3, 0, {2, 2, 2, 0, 0, 0}, true, 27, true},
                                    {300, 3, 0.9, {2, 2, 2, 0, 0, 0}, false, 1, true},
                                    {400, 3, 0.6, {3, 2.5, 3, 0.7, -0.4, 0.9}, false, 27, true}};

static double get(const void *values, int precision, int64_t e)
{
    return precision == 4 ? (double)((const float *)values)[e] : ((const double *)values)[e];
}

static void *random_values(int64_t count, int precision, double low, double high, uint64_t seed)
{
    void *values = malloc((size_t)(count * precision + 1));
    assert_non_null(values);
    for (int64_t e = 0; e < count; e++) {
        const double x = low + (high - low) * (test_uniform(&seed) + 1) / 2;
        if (precision == 4) {
            ((float *)values)[e] = (float)x;
        } else {
            ((double *)values)[e] = x;
        }
    }
    return values;
}

/* Points of a row; the first ones of those inside a periodic cell lie at its ends. */
static void *random_points(const neighbor_row *row, int precision)
{
    const double edge = row->box[0];
    void *values = random_values(row->count * row->dimensions, precision,
                                 row->inside ? 0
                                 : edge > 0  ? -0.2 * edge
                                             : -1,
                                 row->inside ? edge
                                 : edge > 0  ? 1.3 * edge
                                             : 1,
                                 11);
    for (int e = 0; e < 24 && row->inside; e++) {
        const double last =
            precision == 4 ? (double)nextafterf((float)edge, 0) : nextafter(edge, 0);
        const double x = e % 2 == 0 ? 0 : last;
        if (e % 5 != 0 && precision == 4) {
            ((float *)values)[e] = (float)x;
        } else if (e % 5 != 0) {
            ((double *)values)[e] = x;
        }
    }
    return values;
}

/* The shortest distance of any image of i from j, all nearest images tried. */
static double nearest(const tsl_points *points, const neighbor_row *row, int64_t i, int64_t j)
{
    double d[3] = {0, 0, 0};
    for (int k = 0; k < points->dimensions; k++) {
        d[k] = get(points->values, points->precision, i * points->dimensions + k) -
               get(points->values, points->precision, j * points->dimensions + k);
    }
    double least = INFINITY;
    const double *const box = row->box;
    const int images = box[0] <= 0 ? 0 : row->inside ? 2 : 4;
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

/* One row's neighbours, sorted, equal the oracle's but for those within rounding of the cut-off. */
static void check_against_images(const tsl_neighbors *found, const neighbor_row *row,
                                 const tsl_points *points, const void *radii, bool half)
{
    const double rounding = points->precision == 4 ? 1e-5 : 1e-12;
    for (int64_t i = 0; i < points->count; i++) {
        int64_t k = found->indptr[i];
        for (int64_t j = half ? i + 1 : 0; j < points->count; j++) {
            if (j == i) {
                continue;
            }
            const double reach =
                radii == NULL ? row->cutoff
                              : get(radii, points->precision, i) + get(radii, points->precision, j);
            const double distance = nearest(points, row, i, j);
            const bool there = k < found->indptr[i + 1] && found->indices[k] == j;
            if (there != (distance < reach) && fabs(distance - reach) > rounding) {
                fail_msg("%lld points, cut-off %g: (%lld, %lld) at %.9g: %s",
                         (long long)points->count, row->cutoff, (long long)i, (long long)j,
                         distance, there ? "is there" : "is not there");
            }
            if (there) {
                assert_true(fabs(get(found->distances, points->precision, k) - distance) <=
                            rounding);
            }
            k += there;
        }
        assert_int_equal(k, found->indptr[i + 1]);
    }
}

static tsl_neighbors find(tsl_context *context, const neighbor_row *row, const tsl_points *points,
                          const void *radii, int half, int sorted, int kind)
{
    tsl_neighbors found;
    tsl_neighbor_options options = TSL_NEIGHBOR_OPTIONS_INIT;
    options.cutoff = row->cutoff;
    options.box = row->box[0] > 0 ? row->box : NULL;
    options.radii = radii;
    options.half = half;
    options.sorted = sorted;
    options.direct = kind == 2;
    options.indices_only = kind == 3;
    if (tsl_neighbors_find(&found, context, &options, points) != TSL_OK) {
        fail_msg("%s: %s", context->name, tsl_last_error(context));
    }
    return found;
}

static void assert_same(const tsl_neighbors *a, const tsl_neighbors *b, int precision)
{
    const int64_t count = a->indptr[a->count];
    assert_int_equal(a->count, b->count);
    assert_memory_equal(a->indptr, b->indptr, (size_t)(8 * (a->count + 1)));
    assert_memory_equal(a->indices, b->indices, (size_t)(4 * count));
    if (a->distances != NULL) {
        assert_memory_equal(a->distances, b->distances, (size_t)(precision * count));
    }
}

/* Compare with the oracle on the CPU; everything else with that, bit for bit. */
static void check_row(const neighbor_row *row, int precision, int half)
{
    void *values = random_points(row, precision);
    void *radii = row->radii ? random_values(row->count, precision, 0, 0.2, 12) : NULL;
    const tsl_points points = {values, row->count, row->dimensions, precision, NULL};
    tsl_context *cpu = test_context("cpu", 1);
    tsl_neighbors first = find(cpu, row, &points, radii, half, 1, 0);
    check_against_images(&first, row, &points, radii, half);
    assert_true(first.cells[0] * first.cells[1] * first.cells[2] >= row->least_cells);
    for (int d = 0; d < test_device_count(); d++) {
        tsl_context *context = test_context(test_devices[d], 3);
        tsl_neighbors plain = find(cpu, row, &points, radii, half, 0, 0);
        for (int kind = 0; kind < 4;
             kind++) { /* cells as they come, sorted, no cells, no distances */
            tsl_neighbors other = find(context, row, &points, radii, half, kind > 0, kind);
            assert_same(&other, kind == 0 ? &plain : &first, precision);
            assert_true((kind == 3) == (other.distances == NULL) || other.indptr[row->count] == 0);
            assert_true(kind != 2 || other.cells[0] * other.cells[1] * other.cells[2] == 1);
            tsl_neighbors_release(&other);
        }
        tsl_neighbors_release(&plain);
        tsl_context_destroy(context);
    }
    tsl_neighbors_release(&first);
    tsl_context_destroy(cpu);
    free(values);
    free(radii);
}

static void sets_are_those_of_all_pairs_and_images(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        for (int half = 0; half < 2; half++) {
            check_row(&rows[i], 4, half);
            check_row(&rows[i], 8, half);
        }
    }
}

/* Points on the cut-off itself: < and not <=, everywhere. */
static void the_cutoff_itself_is_outside(void **state)
{
    (void)state;
    const float line[4] = {0, 1, 2, 3};
    const tsl_points points = {line, 4, 1, 4, NULL};
    const neighbor_row at = {4, 1, 1, {0}, false, 1, false},
                       beyond = {4, 1, 1.0000001192092896, {0}, false, 1, false};
    for (int d = 0; d < test_device_count(); d++) {
        tsl_context *context = test_context(test_devices[d], 1);
        tsl_neighbors found = find(context, &at, &points, NULL, 0, 0, 0);
        assert_int_equal(found.indptr[4], 0);
        tsl_neighbors_release(&found);
        found = find(context, &beyond, &points, NULL, 0, 1, 0);
        assert_int_equal(found.indptr[4], 6);
        tsl_neighbors_release(&found);
        tsl_context_destroy(context);
    }
}

/* Rows and indices in the order of cells, put back into that of points, are the others. */
static void check_order(const tsl_neighbors *cells, const tsl_neighbors *points, int precision)
{
    const int64_t n = points->count;
    char *seen = calloc((size_t)n, 1);
    assert_int_equal(cells->indptr[n], points->indptr[n]);
    for (int64_t p = 0; p < n; p++) {
        const int32_t i = cells->order[p];
        const int64_t length = points->indptr[i + 1] - points->indptr[i];
        assert_true(i >= 0 && i < n && !seen[i]);
        seen[i] = 1;
        assert_int_equal(cells->indptr[p + 1] - cells->indptr[p], length);
        for (int64_t k = cells->indptr[p]; k < cells->indptr[p + 1]; k++) {
            int64_t at = points->indptr[i];
            while (at < points->indptr[i + 1] &&
                   points->indices[at] != cells->order[cells->indices[k]]) {
                at++;
            }
            assert_true(at < points->indptr[i + 1]);
            assert_true(get(points->distances, precision, at) ==
                        get(cells->distances, precision, k));
        }
    }
    free(seen);
}

static tsl_neighbors find_in_cells(tsl_context *context, const neighbor_row *row,
                                   const tsl_points *points, int half)
{
    tsl_neighbors found;
    tsl_neighbor_options options = TSL_NEIGHBOR_OPTIONS_INIT;
    options.cutoff = row->cutoff;
    options.box = row->box[0] > 0 ? row->box : NULL;
    options.half = half;
    options.in_cells = 1;
    assert_int_equal(tsl_neighbors_find(&found, context, &options, points), TSL_OK);
    return found;
}

/* What stays on the device is what would have come to the host. */
static void check_plan(tsl_neighbor_plan *plan, tsl_context *context, tsl_buffer *buffer,
                       const tsl_points *points, const tsl_neighbors *expected)
{
    const int64_t n = points->count;
    tsl_neighbor_arrays arrays;
    tsl_neighbors found = {.count = n};
    assert_int_equal(
        tsl_buffer_write(buffer, 0, points->values, n * points->dimensions * points->precision),
        TSL_OK);
    assert_int_equal(tsl_neighbor_plan_execute(&arrays, plan, buffer), TSL_OK);
    assert_int_equal(arrays.entries, expected->indptr[n]);
    found.indptr = malloc((size_t)(8 * (n + 1)));
    found.indices = malloc((size_t)(4 * arrays.entries + 1));
    found.distances = malloc((size_t)(points->precision * arrays.entries + 1));
    found.order = malloc((size_t)(4 * n));
    test_download(context, found.indptr, arrays.indptr, 8 * (n + 1));
    test_download(context, found.indices, arrays.indices, 4 * arrays.entries);
    test_download(context, found.distances, arrays.distances, points->precision * arrays.entries);
    test_download(context, found.order, arrays.order, 4 * n);
    assert_same(&found, expected, points->precision);
    assert_memory_equal(found.order, expected->order, (size_t)(4 * n));
    free(found.indptr);
    free(found.indices);
    free(found.distances);
    free(found.order);
}

/* The first of two sets of points has fewer neighbours. */
static void check_plans(tsl_context *context, const neighbor_row *row, const tsl_points points[2],
                        const tsl_neighbors expected[2])
{
    tsl_neighbor_plan *plan;
    tsl_buffer *buffer;
    tsl_neighbor_options options = TSL_NEIGHBOR_OPTIONS_INIT;
    options.cutoff = row->cutoff;
    options.box = row->box[0] > 0 ? row->box : NULL;
    options.in_cells = 1;
    assert_int_equal(tsl_neighbor_plan_create(&plan, context, &options, row->count, row->dimensions,
                                              points[0].precision),
                     TSL_OK);
    assert_int_equal(tsl_buffer_create(&buffer, context, row->count * 24), TSL_OK);
    for (int k = 0; k < 4; k++) {
        check_plan(plan, context, buffer, &points[k % 2], &expected[k % 2]);
    }
    tsl_buffer_destroy(buffer);
    assert_int_equal(tsl_buffer_create(&buffer, context, 8), TSL_OK);
    tsl_neighbor_arrays arrays;
    assert_int_equal(tsl_neighbor_plan_execute(&arrays, plan, buffer), TSL_E_ARG);
    tsl_buffer_destroy(buffer);
    tsl_neighbor_plan_destroy(plan);
}

static void check_in_cells(const neighbor_row *row, int precision)
{
    tsl_context *cpu = test_context("cpu", 2);
    void *values[2] = {random_values(row->count * 3, precision, 0, 2 * row->box[0] + 9, 5),
                       random_points(row, precision)};
    const tsl_points points[2] = {{values[0], row->count, 3, precision, NULL},
                                  {values[1], row->count, 3, precision, NULL}};
    tsl_neighbors plain[2], full[2], half = find_in_cells(cpu, row, &points[1], 1);
    for (int k = 0; k < 2; k++) {
        plain[k] = find(cpu, row, &points[k], NULL, 0, 0, 0);
        full[k] = find_in_cells(cpu, row, &points[k], 0);
        check_order(&full[k], &plain[k], precision);
        tsl_neighbors_release(&plain[k]);
    }
    assert_int_equal(2 * half.indptr[row->count], full[1].indptr[row->count]);
    for (int64_t p = 0; p < row->count; p++) {
        for (int64_t k = half.indptr[p]; k < half.indptr[p + 1]; k++) {
            assert_true(half.indices[k] > p);
        }
    }
    for (int d = 0; d < test_device_count(); d++) {
        tsl_context *context = test_context(test_devices[d], 2);
        tsl_neighbors other = find_in_cells(context, row, &points[1], 1);
        assert_same(&other, &half, precision);
        assert_memory_equal(other.order, half.order, (size_t)(4 * row->count));
        tsl_neighbors_release(&other);
        check_plans(context, row, points, full);
        tsl_context_destroy(context);
    }
    tsl_neighbors_release(&half);
    for (int k = 0; k < 2; k++) {
        tsl_neighbors_release(&full[k]);
        free(values[k]);
    }
    tsl_context_destroy(cpu);
}

static void rows_may_be_in_the_order_of_cells(void **state)
{
    (void)state;
    const neighbor_row open = {300, 3, 0.4, {0}, false, 27, false};
    const neighbor_row wrapped = {400, 3, 0.6, {2, 2.5, 3, 0, 0, 0}, false, 27, true};
    check_in_cells(&open, 4);
    check_in_cells(&wrapped, 4);
    check_in_cells(&wrapped, 8);
}

static void refuse(tsl_context *context, const tsl_neighbor_options *options,
                   const tsl_points *points, const char *word)
{
    tsl_neighbors found;
    assert_int_equal(tsl_neighbors_find(&found, context, options, points), TSL_E_ARG);
    if (strstr(tsl_last_error(context), word) == NULL) {
        fail_msg("'%s' lacks '%s'", tsl_last_error(context), word);
    }
}

static void faults_are_named(void **state)
{
    (void)state;
    tsl_context *context = test_context("cpu", 1);
    double values[6] = {0, 1, 2, 3, 4, 5};
    double radii[2] = {1, -1};
    const double box[6] = {4, 4, 4, 0, 0, 0}, tilted[6] = {4, 4, 4, 3, 0, 0}, flat[6] = {4, 0, 4};
    const tsl_points points = {values, 2, 3, 8, NULL}, plane = {values, 3, 2, 8, NULL},
                     many = {values, 1, 6, 8, NULL};
    tsl_neighbor_options options = TSL_NEIGHBOR_OPTIONS_INIT;
    refuse(context, &options, &points, "more than 0");
    options.cutoff = 2.001;
    refuse(context, &options, &many, "1 to 3 coordinates");
    options.box = box;
    refuse(context, &options, &points, "more than half");
    refuse(context, &options, &plane, "give three");
    options.box = tilted; /* its width along x is 3.2 */
    options.cutoff = 1.7;
    refuse(context, &options, &points, "along x, 3.2");
    options.box = flat;
    refuse(context, &options, &points, "number 2 of the cell");
    options.box = NULL;
    options.radii = radii;
    refuse(context, &options, &points, "radius 2");
    options.radii = NULL;
    options.cutoff = 1e-9;
    refuse(context, &options, &points, "drowns in rounding");
    values[4] = NAN;
    options.cutoff = 1;
    refuse(context, &options, &points, "row 2, column 2 is nan");
    const tsl_points none = {NULL, 0, 3, 8, NULL};
    tsl_neighbors found;
    assert_int_equal(tsl_neighbors_find(&found, context, &options, &none), TSL_OK);
    assert_int_equal(found.indptr[0], 0);
    tsl_neighbors_release(&found);
    tsl_neighbors_release(NULL);
    tsl_context_destroy(context);
}

static tsl_status find_some(tsl_context *context, void *user)
{
    tsl_neighbors found;
    tsl_neighbor_options options = TSL_NEIGHBOR_OPTIONS_INIT;
    options.cutoff = 0.5;
    options.sorted = 1;
    const tsl_status status = tsl_neighbors_find(&found, context, &options, user);
    if (status == TSL_OK) {
        tsl_neighbors_release(&found);
    }
    return status;
}

static void failing_allocations_are_survived(void **state)
{
    (void)state;
    void *values = random_values(300, 8, -1, 1, 3);
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
    const struct CMUnitTest tests[] = {cmocka_unit_test(sets_are_those_of_all_pairs_and_images),
                                       cmocka_unit_test(rows_may_be_in_the_order_of_cells),
                                       cmocka_unit_test(the_cutoff_itself_is_outside),
                                       cmocka_unit_test(faults_are_named),
                                       cmocka_unit_test(failing_allocations_are_survived)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
