/* Axilrod-Teller energies against a plain triple loop with angles from arc cosines' cosines. */
#include "support/devices.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/context.h"
#include "tesela/pairs.h"

/* The cosine of the angle at p, and the distance from it to q. */
static double cosine_at(const double *p, const double *q, const double *r, double *distance)
{
    double dot = 0, a = 0, b = 0;
    for (int c = 0; c < 3; c++) {
        dot += (q[c] - p[c]) * (r[c] - p[c]);
        a += (q[c] - p[c]) * (q[c] - p[c]);
        b += (r[c] - p[c]) * (r[c] - p[c]);
    }
    *distance = sqrt(a);
    return dot / sqrt(a * b);
}

static double plain_sum(const double *at, int64_t n, double nu, double *sizes)
{
    double sum = 0;
    *sizes = 0;
    for (int64_t i = 0; i < n; i++) {
        for (int64_t j = i + 1; j < n; j++) {
            for (int64_t k = j + 1; k < n; k++) {
                double ij, jk, ki;
                const double *const p = at + 3 * i, *const q = at + 3 * j, *const r = at + 3 * k;
                const double cosines =
                    cosine_at(p, q, r, &ij) * cosine_at(q, r, p, &jk) * cosine_at(r, p, q, &ki);
                const double term = nu * (1 + 3 * cosines) / pow(ij * jk * ki, 3);
                sum += term;
                *sizes += fabs(term);
            }
        }
    }
    return sum;
}

static double *make_points(int64_t n)
{
    uint64_t seed = 4;
    double *at = malloc((size_t)(24 * n + 8));
    for (int64_t e = 0; e < 3 * n; e++) {
        const int64_t place[3] = {e / 3 / 49, e / 3 / 7 % 7, e / 3 % 7};
        at[e] = (double)(float)((double)place[e % 3] + 0.2 * test_uniform(&seed));
    }
    return at;
}

static void check(const char *device, const double *at, int64_t n, double expected, double sizes)
{
    float *single = malloc((size_t)(12 * n + 4));
    double first = 0;
    for (int64_t e = 0; e < 3 * n; e++) {
        single[e] = (float)at[e];
    }
    for (int kind = 0; kind < 4; kind++) { /* map and precision; other numbers of threads */
        tsl_context *context = test_context(device, 1 + kind);
        double energy;
        const bool narrow = kind / 2 == 1;
        const tsl_points points = {narrow ? (const void *)single : at, n, 3, narrow ? 4 : 8, NULL};
        assert_int_equal(
            tsl_triplets_energy(&energy, context, 1.25, (tsl_triplet_map)(kind % 2), &points),
            TSL_OK);
        assert_true(fabs(energy - expected) <= 1e-12 * sizes);
        if (kind == 0) {
            first = energy;
        }
        assert_true(kind % 2 == 1 || energy == first);
        tsl_context_destroy(context);
    }
    free(single);
}

static void sums_are_those_of_a_triple_loop(void **state)
{
    (void)state;
    static const int64_t counts[] = {0, 1, 2, 3, 8, 25, 100, 300};
    for (size_t c = 0; c < sizeof counts / sizeof *counts; c++) {
        double *at = make_points(counts[c]);
        double sizes;
        const double expected = plain_sum(at, counts[c], 1.25, &sizes);
        for (int d = 0; d < test_device_count(); d++) {
            if (d == 0 || counts[c] < (test_is_another_order(test_devices[d]) ? 50 : 101)) {
                check(test_devices[d], at, counts[c], expected, sizes);
            }
        }
        free(at);
    }
}

/* An equilateral triangle of side 1: 1 + 3 / 8. A straight line of three: 1 - 3, over 8. */
static void known_triangles(void **state)
{
    (void)state;
    const double corner[9] = {0, 0, 0, 1, 0, 0, 0.5, sqrt(0.75), 0},
                 line[9] = {0, 0, 0, 1, 0, 0, 2};
    tsl_context *context = test_context("cpu", 1);
    double energy;
    tsl_points points = {corner, 3, 3, 8, NULL};
    assert_int_equal(tsl_triplets_energy(&energy, context, 1, TSL_TRIPLETS_CUBE, &points), TSL_OK);
    assert_true(fabs(energy - 1.375) < 1e-14);
    points.values = line;
    assert_int_equal(tsl_triplets_energy(&energy, context, 1, TSL_TRIPLETS_CUBE, &points), TSL_OK);
    assert_true(fabs(energy + 0.25) < 1e-14);
    tsl_context_destroy(context);
}

static void faults_are_named(void **state)
{
    (void)state;
    tsl_context *context = test_context("cpu", 1);
    double values[6] = {0, 1, 2, 3, INFINITY, 5}, energy;
    const tsl_points points = {values, 2, 3, 8, NULL}, plane = {values, 3, 2, 8, NULL};
    assert_int_equal(tsl_triplets_energy(&energy, context, NAN, TSL_TRIPLETS_CUBE, &points),
                     TSL_E_ARG);
    assert_non_null(strstr(tsl_last_error(context), "nu is nan"));
    assert_int_equal(tsl_triplets_energy(&energy, context, 1, TSL_TRIPLETS_CUBE, &points),
                     TSL_E_ARG);
    assert_non_null(strstr(tsl_last_error(context), "row 2, column 2"));
    assert_int_equal(tsl_triplets_energy(&energy, context, 1, TSL_TRIPLETS_CUBE, &plane),
                     TSL_E_ARG);
    assert_non_null(strstr(tsl_last_error(context), "65536 points of three"));
    tsl_context_destroy(context);
}

static tsl_status add_some(tsl_context *context, void *user)
{
    double energy;
    return tsl_triplets_energy(&energy, context, 1, TSL_TRIPLETS_TETRAHEDRON, user);
}

static void failing_allocations_are_survived(void **state)
{
    (void)state;
    double *at = make_points(20);
    tsl_points points = {at, 20, 3, 8, NULL};
    for (int d = 0; d < test_device_count(); d++) {
        tsl_context *context = test_context(test_devices[d], 2);
        assert_true(test_survives_no_memory(context, add_some, &points) >= 2);
        tsl_context_destroy(context);
    }
    free(at);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sums_are_those_of_a_triple_loop), cmocka_unit_test(known_triangles),
        cmocka_unit_test(faults_are_named), cmocka_unit_test(failing_allocations_are_survived)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
