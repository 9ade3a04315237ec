/* The field and the energy, against closed forms. */
#include "solvers/poisson/box.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A field's component along `axis` at a position. */
typedef struct component {
    int axis;
    const void *user;
} component;

/* ---- fields of known sources ---------------------------------------------------------------- */

static const double wave_lengths[3] = {1, 2, 1.5};
static const int wave_numbers[3] = {3, -2, 5};

static double wave_angle(const double at[3])
{
    double angle = 0.3;
    for (int axis = 0; axis < 3; axis++) {
        angle += 2 * M_PI * wave_numbers[axis] / wave_lengths[axis] * at[axis];
    }
    return angle;
}

static double wave_density(const double at[3], const void *user)
{
    (void)user;
    return cos(wave_angle(at));
}

static double wave_field(const double at[3], const void *user)
{
    const component *c = user;
    double k2 = 0;
    for (int axis = 0; axis < 3; axis++) {
        const double k = 2 * M_PI * wave_numbers[axis] / wave_lengths[axis];
        k2 += k * k;
    }
    const double k = 2 * M_PI * wave_numbers[c->axis] / wave_lengths[c->axis];
    return 4 * M_PI * k / k2 * sin(wave_angle(at));
}

/* A charge spread as a Gaussian over the free axes of the box: a point, a line or a sheet. */
typedef struct spread {
    const char *boundary;
    double sigma, at[3];
} spread;

static double spread_r2(const double at[3], const spread *s, int *free_axes)
{
    double r2 = 0;
    *free_axes = 0;
    for (int axis = 0; axis < 3; axis++) {
        if (s->boundary[axis] == 'f') {
            r2 += (at[axis] - s->at[axis]) * (at[axis] - s->at[axis]);
            ++*free_axes;
        }
    }
    return r2;
}

static double spread_density(const double at[3], const void *user)
{
    const spread *s = user;
    int free_axes;
    const double r2 = spread_r2(at, s, &free_axes);
    return exp(-r2 / (2 * s->sigma * s->sigma)) /
           pow(2 * M_PI * s->sigma * s->sigma, 0.5 * free_axes);
}

/* By Gauss's law: what is within r, over the area of the sphere, the cylinder or the sheet. */
static double spread_field(const double at[3], const void *user)
{
    const component *c = user;
    const spread *s = c->user;
    int free_axes;
    const double r = sqrt(spread_r2(at, s, &free_axes));
    const double b = r / (sqrt(2) * s->sigma);
    if (s->boundary[c->axis] != 'f' || r == 0) {
        return 0;
    }
    const double within[3] = {erf(b), 1 - exp(-b * b), erf(b) - 2 * b / sqrt(M_PI) * exp(-b * b)};
    const double over[3] = {1 / (2 * M_PI), r / 2, r * r};
    const double radial = free_axes == 2 ? 2 * within[1] / (2 * over[1])
                                         : within[free_axes - 1] / over[free_axes - 1];
    return radial * (at[c->axis] - s->at[c->axis]) / r;
}

/* ---- the tests ------------------------------------------------------------------------------ */

typedef struct row {
    const char *what, *boundary;
    double lengths[3];
    int n[3];
    int precision;
    double bound; /* of the largest error, relative to the field's largest value */
} row;

static const row rows[] = {
    {"waves", "ppp", {1, 2, 1.5}, {16, 12, 20}, 8, 1e-13},
    {"waves, odd lengths", "ppp", {1, 2, 1.5}, {9, 15, 11}, 8, 1e-13},
    {"waves, single", "ppp", {1, 2, 1.5}, {16, 12, 20}, 4, 1e-6},
    {"free Gaussian", "fff", {1, 1, 1}, {42, 42, 42}, 8, 1e-12},
    {"free Gaussian, single", "fff", {1, 1, 1}, {32, 32, 32}, 4, 2e-6},
    {"slab", "ppf", {0.4, 0.3, 1}, {8, 5, 48}, 8, 1e-12},
    {"slab, free first", "fpp", {1, 0.3, 0.4}, {48, 4, 6}, 8, 1e-12},
    {"wire", "fpf", {1, 0.3, 1}, {48, 6, 48}, 8, 1e-12},
};

static void fields_are_known(void **state)
{
    (void)state;
    const int devices = test_device_count();
    for (int d = 0; d < devices; d++) {
        tsl_context *context = test_context(test_devices[d], 2);
        for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
            const row *r = &rows[i];
            if (test_is_another_order(test_devices[d]) && i > 1) {
                continue;
            }
            const bool waves = r->boundary[0] == 'p' && r->boundary[2] == 'p';
            const spread s = {r->boundary, 0.06, {0.5, 0.5, 0.5}};
            tsl_poisson_options options = box_options(r->n, r->lengths, r->boundary);
            options.precision = r->precision;
            double *source = box_sample(&options, 0, waves ? wave_density : spread_density, &s);
            double *all = box_field(context, &options, source);
            for (int axis = 0; axis < 3; axis++) {
                const component c = {axis, &s};
                const double *found = all + axis * box_cells(&options);
                double *wanted = box_sample(&options, 0, waves ? wave_field : spread_field, &c);
                if (waves || r->boundary[axis] == 'f') {
                    box_check(context, r->what, box_linf(found, wanted, box_cells(&options)),
                              r->bound);
                } else {
                    for (int64_t j = 0; j < box_cells(&options); j++) {
                        assert_true(fabs(found[j]) < 1e-12);
                    }
                }
                free(wanted);
            }
            free(source);
            free(all);
        }
        tsl_context_destroy(context);
    }
}

/* Signs and units: for the plain equation too, the field is minus the slope; the Nyquist wave has
 * none. */
static void conventions_hold(void **state)
{
    (void)state;
    const int n[3] = {4, 1, 8};
    const double lengths[3] = {1, 1, 2};
    tsl_context *context = test_context("cpu", 1);
    tsl_poisson_options options = box_options(n, lengths, "ppp");
    options.equation = TSL_POISSON_PLAIN;
    double source[32];
    for (int i = 0; i < 32; i++) {
        source[i] = cos(2 * M_PI * (i % 8) / 8) + (i / 8 % 2 ? -1 : 1);
    }
    double *found = box_field(context, &options, source);
    for (int i = 0; i < 32; i++) { /* phi = -cos(pi z) / pi^2 and so on */
        assert_true(fabs(found[64 + i] + sin(2 * M_PI * (i % 8) / 8) / M_PI) < 1e-15);
        assert_true(fabs(found[i]) < 1e-15);
    }
    free(found);
    tsl_poisson_plan *plan = NULL;
    assert_int_equal(tsl_poisson_plan_create(&plan, context, &options), TSL_OK);
    void *device = test_upload(context, source, sizeof source);
    for (int axis = -1; axis <= 3; axis += 4) {
        assert_int_equal(tsl_poisson_field(plan, axis, device, device), TSL_E_ARG);
        assert_non_null(strstr(tsl_last_error(context), "axis"));
    }
    assert_int_equal(tsl_poisson_field(plan, 0, NULL, device), TSL_E_ARG);
    assert_non_null(strstr(tsl_last_error(context), "field's address"));
    test_release(context, device);
    tsl_poisson_plan_destroy(plan);
    tsl_context_destroy(context);
}

/* q^2 / (2 sqrt(pi) sigma) of a Gaussian by itself. */
static void energies_are_known(void **state)
{
    (void)state;
    const int n[3] = {48, 48, 48};
    const double lengths[3] = {1, 1, 1};
    const box_gaussian gaussian = {1.7, 0.06, {0.5, 0.51, 0.49}};
    tsl_context *context = test_context("cpu", 2);
    const tsl_poisson_options options = box_options(n, lengths, "fff");
    double *source = box_sample(&options, 0, box_density, &gaussian);
    tsl_poisson_plan *plan = NULL;
    double energy = 0;
    assert_int_equal(tsl_poisson_plan_create(&plan, context, &options), TSL_OK);
    void *density = test_upload(context, source, box_cells(&options) * 8);
    void *potential = test_upload(context, source, box_cells(&options) * 8);
    assert_int_equal(tsl_poisson_execute(plan, potential, density), TSL_OK);
    assert_int_equal(tsl_poisson_energy(plan, &energy, potential, density), TSL_OK);
    assert_int_equal(tsl_poisson_energy(plan, NULL, potential, density), TSL_E_ARG);
    assert_non_null(strstr(tsl_last_error(context), "no room for energies"));
    const double wanted = 1.7 * 1.7 / (2 * sqrt(M_PI) * 0.06);
    box_check(context, "energy of a Gaussian", fabs(energy / wanted - 1), 1e-13);
    test_release(context, density);
    test_release(context, potential);
    tsl_poisson_plan_destroy(plan);
    free(source);
    tsl_context_destroy(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(fields_are_known),
        cmocka_unit_test(conventions_hold),
        cmocka_unit_test(energies_are_known),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
