/* Neighbours against a search of all pairs and all images in double precision. */
#include "support/devices.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/context.h"
#include "tesela/pairs.h"

typedef struct neighbor_row {
    int64_t count;
    int dimensions;
    double cutoff;
    double box[6]; /* box[0] = 0: open */
    bool radii;
    int least_cells; /* that the search has to use; 1: any */
} neighbor_row;

static const neighbor_row rows[] = {{1, 3, 1, {0}, false, 1},
                                    {2, 3, 3, {0}, false, 1},
                                    {200, 1, 0.3, {0}, false, 1},
                                    {200, 2, 0.3, {0}, false, 9},
                                    {300, 3, 0.4, {0}, false, 27},
                                    {300, 3, 30, {0}, false, 1},
                                    {300, 3, 0, {0}, true, 1},
                                    {150, 3, 1, {2, 2.5, 3, 0, 0, 0}, false, 1},
                                    {400, 3, 0.6, {2, 2.5, 3, 0, 0, 0}, false, 27},
                                    {400, 3, 0.45, {2, 5, 1, 0, 0, 0}, false, 1},
                                    {400, 3, 0.6, {3, 2.5, 3, 0.7, -0.4, 0.9}, false, 27},
                                    {200, 3, 0.9, {2.5, 2.5, 3, 0.7, -0.4, 0.5}, false, 1},
                                    {400, 3, 0, {3, 3, 3, 0, 0, 0}, true, 27}};

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

/* The shortest distance of any image of i from j, all 5^3 nearest images tried. */
static double nearest(const tsl_points *points, const double *box, int64_t i, int64_t j)
{
    double d[3] = {0, 0, 0};
    for (int k = 0; k < points->dimensions; k++) {
        d[k] = get(points->values, points->precision, i * points->dimensions + k) -
               get(points->values, points->precision, j * points->dimensions + k);
    }
    double least = INFINITY;
    const int images = box[0] > 0 ? 4 : 0;
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
            const double distance = nearest(points, row->box, i, j);
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
    const double high = row->box[0] > 0 ? 1.3 * row->box[0] : 1;
    void *values = random_values(row->count * row->dimensions, precision,
                                 row->box[0] > 0 ? -0.2 * row->box[0] : -1, high, 11);
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
    const neighbor_row at = {4, 1, 1, {0}, false, 1},
                       beyond = {4, 1, 1.0000001192092896, {0}, false, 1};
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
                                       cmocka_unit_test(the_cutoff_itself_is_outside),
                                       cmocka_unit_test(faults_are_named),
                                       cmocka_unit_test(failing_allocations_are_survived)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
