/* Boxes with free axes: Gaussians against their closed forms, direct sums, direct lattice sums. */
#include "solvers/poisson/box.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct row {
    int n[3];
    int precision;
    double lengths[3];
    double bound; /* of the largest error, relative to the largest potential */
} row;

/* sigma = 0.06; long boxes have two charges, one near each end. */
static const row rows[] = {
    {{16, 16, 16}, 8, {1, 1, 1}, 3e-4},     {{32, 32, 32}, 8, {1, 1, 1}, 2e-11},
    {{64, 64, 64}, 8, {1, 1, 1}, 1e-14},    {{32, 32, 32}, 4, {1, 1, 1}, 1e-6},
    {{32, 32, 128}, 8, {1, 1, 4}, 2e-11},   {{256, 32, 32}, 8, {8, 1, 1}, 2e-11},
    {{37, 31, 41}, 8, {1, 1, 1.25}, 1e-10}, {{30, 64, 30}, 8, {1, 2, 1}, 2e-10},
};

typedef struct charges {
    int count;
    box_gaussian of[9];
} charges;

static double density(const double at[3], const void *user)
{
    const charges *c = user;
    double sum = 0;
    for (int i = 0; i < c->count; i++) {
        sum += box_density(at, &c->of[i]);
    }
    return sum;
}

static double potential(const double at[3], const void *user)
{
    const charges *c = user;
    double sum = 0;
    for (int i = 0; i < c->count; i++) {
        sum += box_potential(at, &c->of[i]);
    }
    return sum;
}

static charges charges_of(const row *r)
{
    charges c = {1, {{1, 0.06, {r->lengths[0] / 2, r->lengths[1] / 2, r->lengths[2] / 2}}}};
    for (int axis = 0; axis < 3; axis++) {
        if (r->lengths[axis] > 1.5) {
            c.count = 2;
            c.of[1] = c.of[0];
            c.of[0].at[axis] = 0.5;
            c.of[1].at[axis] = r->lengths[axis] - 0.5;
            c.of[1].charge = -0.75;
        }
    }
    return c;
}

static double error_of(tsl_context *context, const tsl_poisson_options *options, double offset,
                       box_function source_of, box_function potential_of, const void *user)
{
    double *source = box_sample(options, offset, source_of, user);
    double *wanted = box_sample(options, offset, potential_of, user);
    double *found = box_solve(context, options, source);
    const double error = box_linf(found, wanted, box_cells(options));
    free(source);
    free(wanted);
    free(found);
    return error;
}

static void gaussians_in_free_space(void **state)
{
    (void)state;
    const int devices = test_device_count();
    for (int d = 0; d < devices; d++) {
        tsl_context *context = test_context(test_devices[d], 2);
        for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
            const row *r = &rows[i];
            const charges c = charges_of(r);
            tsl_poisson_options options = box_options(r->n, r->lengths, "fff");
            options.precision = r->precision;
            char what[64];
            snprintf(what, sizeof what, "Gaussian %d x %d x %d, %d bytes", r->n[0], r->n[1],
                     r->n[2], r->precision);
            box_check(context, what, error_of(context, &options, 0, density, potential, &c),
                      r->bound);
        }
        tsl_context_destroy(context);
    }
}

/* Cell centres are as good as corners. */
static void samples_at_centres_are_as_good(void **state)
{
    (void)state;
    tsl_context *context = test_context("cpu", 2);
    const charges c = charges_of(&rows[1]);
    const tsl_poisson_options options = box_options(rows[1].n, rows[1].lengths, "fff");
    box_check(context, "Gaussian 32 x 32 x 32, centres",
              error_of(context, &options, 0.5, density, potential, &c), 2e-11);
    tsl_context_destroy(context);
}

/* Halving the cells divides the error of the integrated kernel by four. */
static void the_integrated_kernel_is_of_second_order(void **state)
{
    (void)state;
    tsl_context *context = test_context("cpu", 2);
    const charges c = {1, {{1, 0.1, {0.5, 0.5, 0.5}}}};
    double errors[3];
    for (int i = 0; i < 3; i++) {
        const int n = 16 << i;
        tsl_poisson_options options = box_options((int[]){n, n, n}, (double[]){1, 1, 1}, "fff");
        options.kernel = TSL_POISSON_INTEGRATED;
        errors[i] = error_of(context, &options, 0, density, potential, &c);
    }
    print_message("integrated kernel: %.2e %.2e %.2e\n", errors[0], errors[1], errors[2]);
    for (int i = 0; i < 2; i++) {
        const double order = log2(errors[i] / errors[i + 1]);
        assert_true(order > 1.8 && order < 2.2);
    }
    tsl_context_destroy(context);
}

/* ---- sums over cells ------------------------------------------------------------------------ */

/* Integral of 1 / r over the cell of edges h around d by subdivision, each part by the midpoint:
 * shares nothing with the solver's closed form. The part at the origin is left to recursion. */
static double cell_integral(const double d[3], const double h[3], int depth)
{
    enum { PARTS = 9 };
    double sum = 0;
    const double part[3] = {h[0] / PARTS, h[1] / PARTS, h[2] / PARTS};
    for (int i = 0; i < PARTS * PARTS * PARTS; i++) {
        const int at[3] = {i / (PARTS * PARTS), i / PARTS % PARTS, i % PARTS};
        double x[3];
        double r2 = 0;
        for (int axis = 0; axis < 3; axis++) {
            x[axis] = d[axis] + (at[axis] - (PARTS - 1) / 2) * part[axis];
            r2 += x[axis] * x[axis];
        }
        const double nearest = 3 * fmax(part[0], fmax(part[1], part[2]));
        if (r2 < nearest * nearest && depth > 0) {
            sum += cell_integral(x, part, depth - 1);
        } else if (r2 > 0) {
            sum += part[0] * part[1] * part[2] / sqrt(r2);
        }
    }
    return sum;
}

static void the_point_kernel_is_a_direct_sum(void **state)
{
    (void)state;
    enum { CELLS = 9 * 8 * 11 };
    const int n[3] = {9, 8, 11};
    const double lengths[3] = {2.7, 2, 2.2};
    const double h[3] = {0.3, 0.25, 0.2};
    double source[CELLS], wanted[CELLS];
    uint64_t seed = 5;
    for (int i = 0; i < CELLS; i++) {
        source[i] = test_uniform(&seed);
    }
    /* 2.3800774 / h for cubes: the self-term to the digits known from elsewhere */
    const double cube[3] = {1, 1, 1};
    assert_true(fabs(cell_integral((double[]){0, 0, 0}, cube, 3) - 2.3800774) < 2e-4);
    const double volume = h[0] * h[1] * h[2];
    /* the cell's own, in closed form */
    double own = 0;
    for (int axis = 0; axis < 3; axis++) {
        const double a = h[axis], b = h[(axis + 1) % 3], c = h[(axis + 2) % 3];
        const double d = sqrt(a * a + b * b + c * c);
        own += 2 * b * c * asinh(a / sqrt(b * b + c * c));
        own -= a * a * atan(b * c / (a * d));
    }
    for (int i = 0; i < CELLS; i++) {
        wanted[i] = own * source[i];
        for (int j = 0; j < CELLS; j++) {
            const double x = h[0] * (i / 88 - j / 88);
            const double y = h[1] * (i / 11 % 8 - j / 11 % 8);
            const double z = h[2] * (i % 11 - j % 11);
            wanted[i] += j == i ? 0 : volume * source[j] / sqrt(x * x + y * y + z * z);
        }
    }
    assert_true(fabs(own - cell_integral((double[]){0, 0, 0}, h, 3)) < 1e-3 * own);
    const int devices = test_device_count();
    for (int d = 0; d < devices; d++) {
        tsl_context *context = test_context(test_devices[d], 2);
        tsl_poisson_options options = box_options(n, lengths, "fff");
        options.kernel = TSL_POISSON_POINT;
        double *found = box_solve(context, &options, source);
        box_check(context, "point kernel against a direct sum", box_linf(found, wanted, CELLS),
                  1e-13);
        free(found);
        tsl_context_destroy(context);
    }
}

/* A charge in one cell, seen from near and far: the cell's integral, subdivided. */
static void the_integrated_kernel_is_the_cell_s_integral(void **state)
{
    (void)state;
    const int n[3] = {32, 5, 4};
    const double lengths[3] = {6.4, 1.5, 1};
    const double h[3] = {0.2, 0.3, 0.25};
    double source[640] = {1};
    tsl_context *context = test_context("cpu", 1);
    tsl_poisson_options options = box_options(n, lengths, "fff");
    options.kernel = TSL_POISSON_INTEGRATED;
    double *found = box_solve(context, &options, source);
    double worst = 0;
    for (int x = 5; x < 32; x++) {
        const double d[3] = {x * h[0], 2 * h[1], 3 * h[2]};
        /* the midpoint rule's error falls with the square of the parts: extrapolated */
        const double coarse = cell_integral(d, h, 0);
        const double whole = h[0] * h[1] * h[2] / sqrt(d[0] * d[0] + d[1] * d[1] + d[2] * d[2]);
        const double wanted = coarse + (coarse - whole) / 80;
        worst = fmax(worst, fabs(found[(x * 5 + 2) * 4 + 3] / wanted - 1));
    }
    box_check(context, "integrated kernel against subdivision", worst, 1e-6);
    free(found);
    tsl_context_destroy(context);
}

/* ---- screening ------------------------------------------------------------------------------ */

typedef struct screened {
    double kappa, sigma, at[3];
} screened;

static double screened_density(const double at[3], const void *user)
{
    const screened *s = user;
    const box_gaussian g = {1, s->sigma, {s->at[0], s->at[1], s->at[2]}};
    return box_density(at, &g);
}

/* A Gaussian charge's screened potential. */
static double yukawa(const double at[3], const void *user)
{
    const screened *s = user;
    const double k = s->kappa;
    const double w = sqrt(2) * s->sigma;
    const double r = fmax(
        1e-6, sqrt(pow(at[0] - s->at[0], 2) + pow(at[1] - s->at[1], 2) + pow(at[2] - s->at[2], 2)));
    const double shift = k * s->sigma * s->sigma;
    return exp(0.5 * k * shift) / (2 * r) *
           (exp(-k * r) * erfc((shift - r) / w) - exp(k * r) * erfc((shift + r) / w));
}

static void screened_gaussians_in_free_space(void **state)
{
    (void)state;
    tsl_context *context = test_context("cpu", 2);
    static const double kappas[] = {5, 0.5, 1e-3};
    for (int i = 0; i < 3; i++) {
        const screened s = {kappas[i], 0.06, {0.51, 0.5, 0.47}};
        tsl_poisson_options options = box_options((int[]){40, 40, 40}, (double[]){1, 1, 1}, "fff");
        options.screening = s.kappa;
        char what[64];
        snprintf(what, sizeof what, "screened, kappa = %g", s.kappa);
        box_check(context, what, error_of(context, &options, 0, screened_density, yukawa, &s),
                  1e-11);
    }
    tsl_context_destroy(context);
}

/* ---- energy and memory ---------------------------------------------------------------------- */

static void the_energy_of_a_gaussian(void **state)
{
    (void)state;
    const int devices = test_device_count();
    for (int d = 0; d < devices; d++) {
        tsl_context *context = test_context(test_devices[d], 2);
        const charges c = charges_of(&rows[1]);
        const tsl_poisson_options options = box_options(rows[1].n, rows[1].lengths, "fff");
        double *source = box_sample(&options, 0, density, &c);
        double *phi = box_solve(context, &options, source);
        const int64_t bytes = 8 * box_cells(&options);
        tsl_poisson_plan *plan = NULL;
        double energy = 0;
        assert_int_equal(tsl_poisson_plan_create(&plan, context, &options), TSL_OK);
        void *device[2] = {test_upload(context, source, bytes), test_upload(context, phi, bytes)};
        assert_int_equal(tsl_poisson_energy(plan, &energy, device[1], device[0]), TSL_OK);
        const double wanted = 1 / (2 * sqrt(M_PI) * 0.06);
        box_check(context, "energy of a Gaussian", fabs(energy / wanted - 1), 1e-11);
        test_release(context, device[0]);
        test_release(context, device[1]);
        tsl_poisson_plan_destroy(plan);
        free(source);
        free(phi);
        tsl_context_destroy(context);
    }
}

static tsl_status make_plan(tsl_context *context, void *user)
{
    tsl_poisson_plan *plan = NULL;
    const tsl_status status = tsl_poisson_plan_create(&plan, context, user);
    if (status == TSL_OK) {
        tsl_poisson_plan_destroy(plan);
    }
    return status;
}

static void memory_is_as_predicted_and_may_run_out(void **state)
{
    (void)state;
    static const char *const boundaries[] = {"ppp", "ppf", "fpf", "fff"};
    const int devices = test_device_count();
    for (int d = 0; d < devices; d++) {
        tsl_context *context = test_context(test_devices[d], 2);
        for (int i = 0; i < 4; i++) {
            tsl_poisson_options options =
                box_options((int[]){10, 12, 14}, (double[]){1, 1, 1}, boundaries[i]);
            tsl_poisson_summary predicted, taken;
            tsl_poisson_plan *plan = NULL;
            assert_int_equal(tsl_poisson_predict(&predicted, context, &options), TSL_OK);
            const int64_t before = context->memory.bytes;
            assert_int_equal(tsl_poisson_plan_create(&plan, context, &options), TSL_OK);
            tsl_poisson_plan_summary(plan, &taken);
            assert_memory_equal(&predicted, &taken, sizeof taken);
            assert_int_equal(context->memory.bytes - before, predicted.bytes);
            tsl_poisson_plan_destroy(plan);
            assert_int_equal(context->memory.bytes, before);
            assert_true(test_survives_no_memory(context, make_plan, &options) >= 3);
            /* a bound that is too small: refused before anything is taken */
            options.memory = 1000;
            tsl_test_fail_device_allocation(context, 0);
            assert_int_equal(make_plan(context, &options), TSL_E_NOMEM);
            assert_int_equal(tsl_test_fail_device_allocation(context, 0), 0);
            assert_int_equal(
                memcmp(tsl_last_error(context), "a Poisson plan of 10 x 12 x 14 needs ", 37), 0);
        }
        tsl_context_destroy(context);
    }
}

/* Free space never takes more than six times the field, source and potential apart. */
static void long_boxes_take_no_more_memory(void **state)
{
    (void)state;
    tsl_context *context = test_context("cpu", 2);
    static const double lengths[][3] = {{1, 1, 1}, {1, 1, 8}, {8, 1, 1}, {1, 8, 8}};
    for (int i = 0; i < 4; i++) {
        const int n[3] = {(int)(96 * lengths[i][0]), (int)(96 * lengths[i][1]),
                          (int)(96 * lengths[i][2])};
        const tsl_poisson_options options = box_options(n, lengths[i], "fff");
        tsl_poisson_summary summary;
        assert_int_equal(tsl_poisson_predict(&summary, context, &options), TSL_OK);
        const double field = 8.0 * (double)box_cells(&options);
        print_message("%d x %d x %d: %.2f fields, %.2f while planning\n", n[0], n[1], n[2],
                      (double)summary.bytes / field, (double)summary.planning_bytes / field);
        assert_true((double)summary.bytes < 4 * field);
        assert_true((double)summary.planning_bytes < 2.5 * field);
    }
    tsl_context_destroy(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(gaussians_in_free_space),
        cmocka_unit_test(samples_at_centres_are_as_good),
        cmocka_unit_test(the_integrated_kernel_is_of_second_order),
        cmocka_unit_test(the_point_kernel_is_a_direct_sum),
        cmocka_unit_test(the_integrated_kernel_is_the_cell_s_integral),
        cmocka_unit_test(screened_gaussians_in_free_space),
        cmocka_unit_test(the_energy_of_a_gaussian),
        cmocka_unit_test(memory_is_as_predicted_and_may_run_out),
        cmocka_unit_test(long_boxes_take_no_more_memory)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
