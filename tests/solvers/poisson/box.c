#include "solvers/poisson/box.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

tsl_poisson_options box_options(const int n[3], const double lengths[3], const char *boundary)
{
    tsl_poisson_options options = TSL_POISSON_OPTIONS_INIT;
    for (int axis = 0; axis < 3; axis++) {
        options.n[axis] = n[axis];
        options.lengths[axis] = lengths[axis];
        options.boundary[axis] = boundary[axis] == 'f' ? TSL_BOUNDARY_FREE : TSL_BOUNDARY_PERIODIC;
    }
    return options;
}

int64_t box_cells(const tsl_poisson_options *options)
{
    return options->n[0] * options->n[1] * options->n[2];
}

double *box_sample(const tsl_poisson_options *options, double offset, box_function function,
                   const void *user)
{
    double *values = malloc((size_t)box_cells(options) * sizeof *values);
    assert_non_null(values);
    int64_t i = 0;
    double h[3];
    for (int axis = 0; axis < 3; axis++) {
        h[axis] = options->lengths[axis] / (double)options->n[axis];
    }
    for (int x = 0; x < options->n[0]; x++) {
        for (int y = 0; y < options->n[1]; y++) {
            for (int z = 0; z < options->n[2]; z++) {
                const double at[3] = {(x + offset) * h[0], (y + offset) * h[1],
                                      (z + offset) * h[2]};
                values[i++] = function(at, user);
            }
        }
    }
    return values;
}

/* Doubles to a device in the precision of a plan, and back. */
static void *send(tsl_context *context, const double *values, int64_t count, int precision)
{
    if (precision == 8) {
        return test_upload(context, values, 8 * count);
    }
    float *narrow = malloc((size_t)count * sizeof *narrow);
    assert_non_null(narrow);
    for (int64_t i = 0; i < count; i++) {
        narrow[i] = (float)values[i];
    }
    void *device = test_upload(context, narrow, 4 * count);
    free(narrow);
    return device;
}

static void fetch(tsl_context *context, double *values, const void *device, int64_t count,
                  int precision)
{
    test_download(context, values, device, precision * count);
    for (int64_t i = count - 1; i >= 0 && precision == 4; i--) {
        float narrow;
        memcpy(&narrow, (const char *)values + 4 * i, 4);
        values[i] = (double)narrow;
    }
}

/* The plan's potential, or its field along axes 0 to 2. */
static double *solve(tsl_context *context, const tsl_poisson_options *options, const double *source,
                     bool field)
{
    const int64_t count = options->count * box_cells(options);
    const int parts = field ? 3 : 1;
    tsl_poisson_plan *plan = NULL;
    if (tsl_poisson_plan_create(&plan, context, options) != TSL_OK) {
        fail_msg("%s", tsl_last_error(context));
    }
    double *found = malloc((size_t)(count * parts) * sizeof *found);
    assert_non_null(found);
    void *from = send(context, source, count, options->precision);
    void *to = NULL;
    assert_int_equal(tsl_device_allocate(&to, context, count * options->precision, "a test"),
                     TSL_OK);
    for (int part = 0; part < parts; part++) {
        if ((field ? tsl_poisson_field(plan, part, to, from)
                   : tsl_poisson_execute(plan, to, from)) != TSL_OK) {
            fail_msg("%s", tsl_last_error(context));
        }
        fetch(context, found + part * count, to, count, options->precision);
    }
    test_release(context, to);
    test_release(context, from);
    tsl_poisson_plan_destroy(plan);
    return found;
}

double *box_solve(tsl_context *context, const tsl_poisson_options *options, const double *source)
{
    return solve(context, options, source, false);
}

double *box_field(tsl_context *context, const tsl_poisson_options *options, const double *source)
{
    return solve(context, options, source, true);
}

double box_linf(const double *a, const double *b, int64_t count)
{
    double largest = 0;
    double scale = 0;
    for (int64_t i = 0; i < count; i++) {
        const double error = fabs(a[i] - b[i]);
        if (!(error <= largest)) {
            largest = isnan(error) ? HUGE_VAL : error;
        }
        scale = fmax(scale, fabs(b[i]));
    }
    return largest / scale;
}

double box_l2(const double *a, const double *b, int64_t count)
{
    double error = 0;
    double scale = 0;
    for (int64_t i = 0; i < count; i++) {
        error += (a[i] - b[i]) * (a[i] - b[i]);
        scale += b[i] * b[i];
    }
    return isnan(error) ? HUGE_VAL : sqrt(error / scale);
}

void box_check(const tsl_context *context, const char *what, double value, double bound)
{
    print_message("%-12s %-44s %.2e (bound %.0e)\n", tsl_context_device(context), what, value,
                  bound);
    if (!(value <= bound)) {
        fail_msg("%s: %s: %.3e > %.1e", tsl_context_device(context), what, value, bound);
    }
}

static double distance(const double at[3], const box_gaussian *g)
{
    return sqrt(pow(at[0] - g->at[0], 2) + pow(at[1] - g->at[1], 2) + pow(at[2] - g->at[2], 2));
}

double box_density(const double at[3], const void *gaussian)
{
    const box_gaussian *g = gaussian;
    const double r = distance(at, g) / g->sigma;
    return g->charge * exp(-0.5 * r * r) / pow(2 * M_PI * g->sigma * g->sigma, 1.5);
}

double box_potential(const double at[3], const void *gaussian)
{
    const box_gaussian *g = gaussian;
    const double r = distance(at, g);
    return r < 1e-8 * g->sigma ? g->charge * sqrt(2 / M_PI) / g->sigma
                               : g->charge * erf(r / (sqrt(2) * g->sigma)) / r;
}

tsl_poisson_options small_box_options(const char *boundary)
{
    static const double lengths[3] = {2, 2, 2};
    static const int n[3] = {8, 8, 8};
    return box_options(n, lengths, boundary);
}
