/* Energies, forces and virials against a plain double loop over pairs and images. */
#include "support/devices.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/context.h"
#include "tesela/pairs.h"

typedef struct energy_row { /* NOLINT(clang-analyzer-optin.performance.Padding): the order reads */
    int64_t count;
    tsl_potential potential;
    double sigma, cutoff;
    tsl_shift shift;
    double skin;
    double box[6]; /* box[0] = 0: open */
    int charged, excluded;
} energy_row;

static const energy_row rows[] = {
    {1, TSL_POTENTIAL_LENNARD_JONES, 1, 0, TSL_SHIFT_NONE, 0, {0}, false, false},
    {2, TSL_POTENTIAL_GRAVITY, 1, 0, TSL_SHIFT_NONE, 0, {0}, true, false},
    {300, TSL_POTENTIAL_LENNARD_JONES, 1, 0, TSL_SHIFT_NONE, 0, {0}, false, false},
    {600, TSL_POTENTIAL_LENNARD_JONES, 0.5, 0, TSL_SHIFT_NONE, 0, {0}, false, true},
    {513, TSL_POTENTIAL_COULOMB, 1, 0, TSL_SHIFT_NONE, 0, {0}, true, false},
    {256, TSL_POTENTIAL_GRAVITY, 1, 0, TSL_SHIFT_NONE, 0, {0}, true, true},
    {300, TSL_POTENTIAL_LENNARD_JONES, 1, 2.5, TSL_SHIFT_NONE, 0, {0}, false, false},
    {216, TSL_POTENTIAL_LENNARD_JONES, 0.9, 2.5, TSL_SHIFT_ENERGY, 0, {6, 6, 6}, false, true},
    {343,
     TSL_POTENTIAL_LENNARD_JONES,
     1,
     2,
     TSL_SHIFT_FORCE,
     0.3,
     {7, 7, 7, 1, -0.5, 2},
     false,
     false},
    {343, TSL_POTENTIAL_COULOMB, 1, 2.5, TSL_SHIFT_FORCE, 0.2, {7, 7, 7}, true, true}};

/* What a pair at a distance adds: V, and -V'. */
static double pair_energy(const energy_row *row, double r, double charges, double *force)
{
    if (row->potential == TSL_POTENTIAL_LENNARD_JONES) {
        const double s = pow(row->sigma / r, 6);
        *force = 1.5 * 24 * (2 * s * s - s) / r;
        return 1.5 * 4 * (s * s - s);
    }
    const double sign = row->potential == TSL_POTENTIAL_GRAVITY ? -1 : 1;
    *force = sign * 0.7 * charges / (r * r);
    return sign * 0.7 * charges / r;
}

static double shifted_energy(const energy_row *row, double r, double charges, double *force)
{
    double end = 0;
    double v = pair_energy(row, r, charges, force);
    const double v_end = row->cutoff > 0 ? pair_energy(row, row->cutoff, charges, &end) : 0;
    if (row->shift != TSL_SHIFT_NONE) {
        v -= v_end;
    }
    if (row->shift == TSL_SHIFT_FORCE) {
        v += (r - row->cutoff) * end;
        *force -= end;
    }
    return v;
}

/* The shortest image of a vector. */
static void shorten(const double *box, double d[3])
{
    double best[3] = {d[0], d[1], d[2]}, least = INFINITY;
    const int images = box[0] > 0 ? 2 : 0;
    for (int a = -images; a <= images; a++) {
        for (int b = -images; b <= images; b++) {
            for (int c = -images; c <= images; c++) {
                const double e[3] = {d[0] + a * box[0] + b * box[3] + c * box[4],
                                     d[1] + b * box[1] + c * box[5], d[2] + c * box[2]};
                const double square = e[0] * e[0] + e[1] * e[1] + e[2] * e[2];
                if (square < least) {
                    least = square;
                    memcpy(best, e, sizeof best);
                }
            }
        }
    }
    memcpy(d, best, sizeof best);
}

/* Neighbours on the lattice along one axis are excluded. */
static bool is_excluded(const energy_row *row, int64_t i, int64_t j)
{
    return row->excluded && j == i + 1 && i % 3 != 2;
}

typedef struct oracle {
    double energy, virial, absolute, largest;
    double *forces;
} oracle;

static oracle sum_pairs(const energy_row *row, const double *at, const double *charges)
{
    oracle sum = {.energy = 0};
    sum.forces = calloc((size_t)(3 * row->count), sizeof *sum.forces);
    for (int64_t i = 0; i < row->count; i++) {
        for (int64_t j = i + 1; j < row->count; j++) {
            double d[3], force;
            for (int c = 0; c < 3; c++) {
                d[c] = at[3 * i + c] - at[3 * j + c];
            }
            shorten(row->box, d);
            const double r = sqrt(d[0] * d[0] + d[1] * d[1] + d[2] * d[2]);
            if (is_excluded(row, i, j) || (row->cutoff > 0 && r >= row->cutoff)) {
                continue;
            }
            const double v = shifted_energy(row, r, charges[i] * charges[j], &force);
            sum.energy += v;
            sum.virial += r * force;
            sum.absolute += fabs(v) + fabs(r * force);
            for (int c = 0; c < 3; c++) {
                sum.forces[3 * i + c] += force * d[c] / r;
                sum.forces[3 * j + c] -= force * d[c] / r;
            }
        }
    }
    for (int64_t e = 0; e < 3 * row->count; e++) {
        sum.largest = fmax(sum.largest, fabs(sum.forces[e]));
    }
    return sum;
}

/* A lattice of spacing 1, shaken; numbers are those of single precision, so that both precisions
 * have the same points. */
static void make_points(const energy_row *row, double *at, double *charges, uint64_t seed)
{
    const int side = (int)ceil(cbrt((double)row->count) - 1e-9);
    for (int64_t i = 0; i < row->count; i++) {
        const int64_t place[3] = {i / side / side, i / side % side, i % side};
        for (int c = 0; c < 3; c++) {
            at[3 * i + c] = (double)(float)((double)place[c] + 0.1 * test_uniform(&seed));
        }
        charges[i] = !row->charged ? 1
                     : row->potential == TSL_POTENTIAL_GRAVITY
                         ? 1.5 + test_uniform(&seed)
                         : (i % 2 ? 1 : -1) * (1.25 + 0.5 * test_uniform(&seed));
    }
}

static void write_points(tsl_buffer *buffer, const double *at, int64_t numbers, int precision)
{
    float *single = malloc((size_t)(4 * numbers + 4));
    for (int64_t e = 0; e < numbers; e++) {
        single[e] = (float)at[e];
    }
    assert_int_equal(tsl_buffer_write(buffer, 0, precision == 4 ? (const void *)single : at,
                                      numbers * precision),
                     TSL_OK);
    free(single);
}

static void read_forces(tsl_buffer *buffer, double *forces, int64_t numbers, int precision)
{
    float *single = malloc((size_t)(4 * numbers + 4));
    assert_int_equal(
        tsl_buffer_read(buffer, 0, precision == 4 ? (void *)single : forces, numbers * precision),
        TSL_OK);
    for (int64_t e = 0; e < numbers && precision == 4; e++) {
        forces[e] = (double)single[e];
    }
    free(single);
}

static void assert_near(double value, double expected, double bound, const char *what)
{
    if (!(fabs(value - expected) <= bound)) {
        fail_msg("%s: %.17g is not within %g of %.17g", what, value, bound, expected);
    }
}

static void compare(const energy_row *row, int precision, const tsl_energy *found,
                    const double *forces, const oracle *expected)
{
    const double tolerance = precision == 4 ? 1e-5 : 1e-12;
    const double units = 4 * sqrt((double)(row->count + 1)) * (double)row->count;
    assert_near(found->energy, expected->energy,
                tolerance * expected->absolute + units * found->energy_unit, "energy");
    assert_near(found->virial, expected->virial,
                tolerance * expected->absolute + units * found->energy_unit, "virial");
    for (int64_t e = 0; e < 3 * row->count; e++) {
        assert_near(forces[e], expected->forces[e],
                    tolerance * (expected->largest + 1) + 300 * found->force_unit, "force");
    }
}

static tsl_energy_plan *plan_of(const energy_row *row, tsl_context *context, const double *charges,
                                int precision)
{
    int32_t *pairs = malloc((size_t)(8 * row->count));
    tsl_energy_plan *plan;
    tsl_energy_options options = TSL_ENERGY_OPTIONS_INIT;
    options.potential = row->potential;
    options.epsilon = 1.5;
    options.sigma = row->sigma;
    options.coupling = 0.7;
    options.cutoff = row->cutoff;
    options.shift = row->shift;
    options.skin = row->skin;
    options.charges = row->charged ? charges : NULL;
    options.box = row->box[0] > 0 ? row->box : NULL;
    options.exclusions = pairs;
    for (int64_t i = row->count - 2; i >= 0; i--) {
        if (is_excluded(row, i, i + 1)) {
            pairs[2 * options.exclusion_count] = (int32_t)(i + i % 2);
            pairs[2 * options.exclusion_count++ + 1] = (int32_t)(i + 1 - i % 2);
        }
    }
    if (tsl_energy_plan_create(&plan, context, &options, row->count, precision) != TSL_OK) {
        fail_msg("%s", tsl_last_error(context));
    }
    free(pairs);
    return plan;
}

/* Points as they are, moved a little, and moved far. */
static void check_row(const energy_row *row, int precision, const char *device, int threads,
                      double *reference)
{
    const int64_t numbers = 3 * row->count;
    tsl_context *context = test_context(device, threads);
    double *at = malloc((size_t)(8 * numbers)), *forces = malloc((size_t)(8 * numbers));
    double *charges = malloc((size_t)(8 * row->count));
    tsl_buffer *points, *out;
    assert_int_equal(tsl_buffer_create(&points, context, numbers * precision), TSL_OK);
    assert_int_equal(tsl_buffer_create(&out, context, numbers * precision), TSL_OK);
    make_points(row, at, charges, 7);
    tsl_energy_plan *plan = plan_of(row, context, charges, precision);
    for (int step = 0; step < 3; step++) {
        tsl_energy found;
        write_points(points, at, numbers, precision);
        if (tsl_energy_execute(&found, plan, out, points) != TSL_OK) {
            fail_msg("%s: %s", device, tsl_last_error(context));
        }
        read_forces(out, forces, numbers, precision);
        oracle expected = sum_pairs(row, at, charges);
        compare(row, precision, &found, forces, &expected);
        free(expected.forces);
        assert_int_equal(found.rebuilt, row->cutoff > 0 && (step != 1 || row->skin == 0));
        if (step == 2 && reference[0] != 0) { /* the same bits */
            assert_memory_equal(forces, reference + 1, (size_t)(8 * numbers));
            assert_true(found.energy == reference[0]);
        } else if (step == 2) {
            reference[0] = found.energy;
            memcpy(reference + 1, forces, (size_t)(8 * numbers));
        }
        at[0] = (double)(float)(at[0] + (step == 0 ? 0.05 : 0.2));
    }
    tsl_buffer_destroy(points);
    tsl_buffer_destroy(out);
    tsl_energy_plan_destroy(plan);
    tsl_context_destroy(context);
    free(at);
    free(forces);
    free(charges);
}

static void sums_are_those_of_a_plain_loop(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        for (int precision = 4; precision <= 8; precision += 4) {
            double *reference = calloc((size_t)(3 * rows[i].count + 1), sizeof *reference);
            check_row(&rows[i], precision, "cpu", 1, reference);
            check_row(&rows[i], precision, "cpu", 3, reference);
            free(reference);
            reference = calloc((size_t)(3 * rows[i].count + 1), sizeof *reference);
            for (int d = 1; d < test_device_count(); d++) {
                const bool is_card = strncmp(test_devices[d], "cuda", 4) == 0;
                if (is_card) { /* its roots and fused operations round otherwise than sim's */
                    reference[0] = 0;
                }
                if (!test_is_another_order(test_devices[d]) || rows[i].count < 301) {
                    check_row(&rows[i], precision, test_devices[d], 1, reference);
                }
                if (is_card) {
                    check_row(&rows[i], precision, test_devices[d], 1, reference);
                }
            }
            free(reference);
        }
    }
}

static void sums_that_could_overflow_are_told(void **state)
{
    (void)state;
    const double close[2][6] = {{0, 0, 0, 1e-3, 0, 0}, {0, 0, 0, 0, 0, 0}};
    for (int d = 0; d < test_device_count(); d++) {
        tsl_context *context = test_context(test_devices[d], 1);
        for (int k = 0; k < 4; k++) {
            tsl_energy_plan *plan;
            tsl_buffer *points;
            tsl_energy found;
            tsl_energy_options options = TSL_ENERGY_OPTIONS_INIT;
            options.cutoff = k < 2 ? 0 : 2;
            assert_int_equal(tsl_energy_plan_create(&plan, context, &options, 2, 8), TSL_OK);
            assert_int_equal(tsl_buffer_create(&points, context, 48), TSL_OK);
            assert_int_equal(tsl_buffer_write(points, 0, close[k % 2], 48), TSL_OK);
            assert_int_equal(tsl_energy_execute(&found, plan, NULL, points), TSL_E_ARG);
            assert_non_null(strstr(tsl_last_error(context), "so close"));
            tsl_energy_plan_destroy(plan);
            tsl_buffer_destroy(points);
        }
        tsl_context_destroy(context);
    }
}

static void refuse(tsl_context *context, const tsl_energy_options *options, const char *word)
{
    tsl_energy_plan *plan;
    assert_int_equal(tsl_energy_plan_create(&plan, context, options, 3, 8), TSL_E_ARG);
    if (strstr(tsl_last_error(context), word) == NULL) {
        fail_msg("'%s' lacks '%s'", tsl_last_error(context), word);
    }
}

static void faults_are_named(void **state)
{
    (void)state;
    tsl_context *context = test_context("cpu", 1);
    const double box[6] = {4, 4, 4, 0, 0, 0}, masses[3] = {1, -1, 1};
    const int32_t itself[2] = {1, 1}, beyond[4] = {0, 1, 2, 3};
    tsl_energy_options options = TSL_ENERGY_OPTIONS_INIT;
    options.box = box;
    refuse(context, &options, "need a cut-off");
    options.cutoff = 2.5;
    refuse(context, &options, "more than half");
    options.cutoff = -1;
    refuse(context, &options, "0 or more");
    options = (tsl_energy_options)TSL_ENERGY_OPTIONS_INIT;
    options.sigma = 0;
    refuse(context, &options, "sigma 0");
    options.sigma = 1;
    options.exclusions = itself;
    options.exclusion_count = 1;
    refuse(context, &options, "exclusion 1 is (1, 1)");
    options.exclusions = beyond;
    options.exclusion_count = 2;
    refuse(context, &options, "exclusion 2 is (2, 3)");
    options.exclusion_count = 0;
    options.potential = TSL_POTENTIAL_GRAVITY;
    options.charges = masses;
    refuse(context, &options, "mass 2");
    options.charges = NULL;
    options.coupling = 0;
    refuse(context, &options, "coupling");
    const double at[9] = {0, 0, 0, 1, NAN, 0, 2, 0, 0};
    tsl_energy_plan *plan;
    tsl_buffer *points;
    tsl_energy found;
    assert_int_equal(tsl_buffer_create(&points, context, 72), TSL_OK);
    assert_int_equal(tsl_buffer_write(points, 0, at, 72), TSL_OK);
    assert_int_equal(tsl_energy_plan_create(&plan, context, NULL, 3, 8), TSL_OK);
    assert_int_equal(tsl_energy_execute(&found, plan, NULL, points), TSL_E_ARG);
    assert_non_null(strstr(tsl_last_error(context), "row 2, column 2"));
    tsl_energy_plan_destroy(plan);
    assert_int_equal(tsl_energy_plan_create(&plan, context, NULL, 4, 8), TSL_OK);
    assert_int_equal(tsl_energy_execute(&found, plan, NULL, points), TSL_E_ARG);
    assert_non_null(strstr(tsl_last_error(context), "96 bytes"));
    tsl_energy_plan_destroy(plan);
    assert_int_equal(tsl_energy_plan_create(&plan, context, NULL, 0, 8), TSL_OK);
    assert_int_equal(tsl_energy_execute(&found, plan, NULL, points), TSL_OK);
    assert_true(found.energy == 0);
    tsl_energy_plan_destroy(plan);
    tsl_energy_plan_destroy(NULL);
    tsl_buffer_destroy(points);
    tsl_context_destroy(context);
}

static tsl_status compute_some(tsl_context *context, void *user)
{
    const int32_t pair[2] = {0, 5};
    const double *const charges = user;
    tsl_energy_plan *plan = NULL;
    tsl_buffer *points = NULL;
    tsl_energy found;
    tsl_energy_options options = TSL_ENERGY_OPTIONS_INIT;
    options.cutoff = 1.5;
    options.charges = charges;
    options.exclusions = pair;
    options.exclusion_count = 1;
    tsl_status status = tsl_energy_plan_create(&plan, context, &options, 27, 8);
    if (status == TSL_OK) {
        status = tsl_buffer_create(&points, context, 24 * 27);
    }
    if (status == TSL_OK) {
        status = tsl_buffer_write(points, 0, charges + 27, 24 * 27);
    }
    if (status == TSL_OK) {
        status = tsl_energy_execute(&found, plan, NULL, points);
    }
    tsl_buffer_destroy(points);
    tsl_energy_plan_destroy(plan);
    return status;
}

static void failing_allocations_are_survived(void **state)
{
    (void)state;
    double numbers[4 * 27];
    const energy_row row = {.count = 27};
    make_points(&row, numbers + 27, numbers, 1);
    for (int d = 0; d < test_device_count(); d++) {
        tsl_context *context = test_context(test_devices[d], 2);
        assert_true(test_survives_no_memory(context, compute_some, numbers) >= 6);
        tsl_context_destroy(context);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(sums_are_those_of_a_plain_loop),
                                       cmocka_unit_test(sums_that_could_overflow_are_told),
                                       cmocka_unit_test(faults_are_named),
                                       cmocka_unit_test(failing_allocations_are_survived)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
