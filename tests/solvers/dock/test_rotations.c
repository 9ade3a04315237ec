/* Sets of rotations: their numbers, order, evenness, and what a rotation does. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "solvers/dock/dock.h"
#include "support/devices.h"

static void steps_give_the_published_counts(void **state)
{
    (void)state;
    static const int64_t counts[][2] = {{9, 21440}, {10, 15840}, {12, 9240}, {15, 4656},
                                        {18, 2680}, {20, 1980},  {30, 600}};
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
        assert_int_equal(tsl_rotations_step(NULL, (int)counts[i][0]), counts[i][1]);
    }
    static const int bad[] = {-12, 0, 1, 6, 7, 8, 11, 13, 181, 360};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        assert_int_equal(tsl_rotations_step(NULL, bad[i]), TSL_E_ARG);
    }
    assert_int_equal(tsl_rotations_step(NULL, 180), 4); /* two poles, two twists */
}

static void steps_come_in_the_original_order(void **state)
{
    (void)state;
    const int64_t count = tsl_rotations_step(NULL, 12);
    tsl_rotation *r = malloc((size_t)count * sizeof *r);
    assert_int_equal(tsl_rotations_step(r, 12), count);
    for (int i = 0; i < 30; i++) {
        assert_int_equal(r[i].twist, 12000000 * i);
        assert_int_equal(r[i].theta, 0);
        assert_int_equal(r[i].phi, 0);
    }
    assert_int_equal(r[30].theta, 12000000);
    for (int64_t i = 1; i < count; i++) {
        const int64_t before = ((int64_t)r[i - 1].theta << 32) + r[i - 1].phi;
        const int64_t now = ((int64_t)r[i].theta << 32) + r[i].phi;
        assert_true(now > before || (now == before && r[i].twist > r[i - 1].twist));
    }
    free(r);
}

/* The matrix of a unit quaternion, from the textbook. */
static void quaternion_matrix(const double q[4], double m[3][3])
{
    const double w = q[0], v[3] = {q[1], q[2], q[3]};
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) {
            m[i][j] = 2 * v[i] * v[j] + (i == j ? 2 * w * w - 1 : 0);
        }
    }
    m[0][1] -= 2 * w * v[2];
    m[0][2] += 2 * w * v[1];
    m[1][0] += 2 * w * v[2];
    m[1][2] -= 2 * w * v[0];
    m[2][0] -= 2 * w * v[1];
    m[2][1] += 2 * w * v[0];
}

static void quaternions_become_angles(void **state)
{
    (void)state;
    uint64_t seed = 5;
    for (int i = 0; i < 2000; i++) {
        double q[4], norm = 0, wanted[3][3], got[3][3];
        for (int j = 0; j < 4; j++) {
            q[j] = test_uniform(&seed);
        }
        if (i < 8) { /* the poles and half turns */
            memset(q, 0, sizeof q);
            q[i % 4] = i < 4 ? 1 : -2;
        }
        for (int j = 0; j < 4; j++) {
            norm += q[j] * q[j];
        }
        tsl_rotation r;
        assert_int_equal(tsl_rotation_of_quaternion(&r, q), TSL_OK);
        assert_in_range(r.twist, 0, 359999999);
        assert_in_range(r.theta, 0, 180000000);
        assert_in_range(r.phi, 0, 359999999);
        for (int j = 0; j < 4; j++) {
            q[j] /= sqrt(norm);
        }
        quaternion_matrix(q, wanted);
        tsl_dock_matrix(&r, got);
        for (int j = 0; j < 9; j++) {
            assert_true(fabs(got[j / 3][j % 3] - wanted[j / 3][j % 3]) < 4e-7);
        }
    }
    tsl_rotation r;
    assert_int_equal(tsl_rotation_of_quaternion(&r, (double[4]){0, 0, 0, 0}), TSL_E_ARG);
    assert_int_equal(tsl_rotation_of_quaternion(&r, (double[4]){NAN, 0, 0, 1}), TSL_E_ARG);
}

/* Kernels turn a point as the matrix does, within single precision. */
static void kernels_turn_like_the_matrix(void **state)
{
    (void)state;
    uint64_t seed = 6;
    for (int i = 0; i < 1000; i++) {
        const tsl_rotation r = {(int32_t)(test_random(&seed) % 360000000),
                                (int32_t)(test_random(&seed) % 180000001),
                                (int32_t)(test_random(&seed) % 360000000)};
        const tsl_dock_turns turns = tsl_dock_turns_of(&r);
        float p[3], got[3];
        double m[3][3];
        for (int j = 0; j < 3; j++) {
            p[j] = (float)(40 * test_uniform(&seed));
        }
        tsl_dock_rotate(&turns, p, got);
        tsl_dock_matrix(&r, m);
        for (int j = 0; j < 3; j++) {
            const double wanted =
                m[j][0] * (double)p[0] + m[j][1] * (double)p[1] + m[j][2] * (double)p[2];
            assert_true(fabs((double)got[j] - wanted) < 1e-5);
        }
    }
}

/* Mean of the rotation matrices of an even set is near zero, and neighbours keep their distance. */
static void spirals_are_even(void **state)
{
    (void)state;
    enum { COUNT = 1000 };
    tsl_rotation r[COUNT];
    assert_int_equal(tsl_rotations_spiral(r, COUNT), TSL_OK);
    assert_int_equal(tsl_rotations_spiral(r, 0), TSL_E_ARG);
    double(*m)[3][3] = malloc(COUNT * sizeof *m);
    double mean[9] = {0};
    for (int i = 0; i < COUNT; i++) {
        tsl_dock_matrix(&r[i], m[i]);
        for (int j = 0; j < 9; j++) {
            mean[j] += m[i][j / 3][j % 3] / COUNT;
        }
    }
    for (int j = 0; j < 9; j++) {
        assert_true(fabs(mean[j]) < 0.02);
    }
    double closest = 180, widest = 0;
    for (int i = 0; i < COUNT; i++) {
        double nearest = 180;
        for (int k = 0; k < COUNT; k++) {
            double trace = 0;
            for (int j = 0; j < 9; j++) {
                trace += m[i][j / 3][j % 3] * m[k][j / 3][j % 3];
            }
            const double angle = acos(fmin((trace - 1) / 2, 1.0)) * 180 / M_PI;
            nearest = k != i ? fmin(nearest, angle) : nearest;
        }
        closest = fmin(closest, nearest);
        widest = fmax(widest, nearest);
    }
    print_message("nearest neighbours %.1f to %.1f degrees\n", closest, widest);
    assert_true(closest > 10 && widest < 25); /* a cube of 1000 cells of SO(3): about 20 */
    free(m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(steps_give_the_published_counts),
                                       cmocka_unit_test(steps_come_in_the_original_order),
                                       cmocka_unit_test(quaternions_become_angles),
                                       cmocka_unit_test(kernels_turn_like_the_matrix),
                                       cmocka_unit_test(spirals_are_even)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
