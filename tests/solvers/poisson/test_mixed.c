/* Slabs and wires: direct sums over a lattice's images, and charged sheets and lines. */
#include "solvers/poisson/box.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* ---- lattices ------------------------------------------------------------------------------- */

/* A pattern of Gaussian charges in one cell, whose far field falls fast enough to be summed. */
typedef struct lattice {
    int count;
    box_gaussian of[9];
    double lengths[3];
    bool free[3];
} lattice;

/* (1, -2, 1) along two axes: the lowest moment that is left is of fourth order. */
static lattice make_lattice(const double lengths[3], const char *boundary)
{
    lattice l = {.count = 9};
    int along[2] = {0, 1}; /* a periodic axis and a free one, or the two that there are */
    for (int axis = 0; axis < 3; axis++) {
        l.lengths[axis] = lengths[axis];
        l.free[axis] = boundary[axis] == 'f';
        along[l.free[axis]] = axis;
    }
    for (int i = 0; i < 9; i++) {
        const int step[2] = {i / 3 - 1, i % 3 - 1};
        box_gaussian *g = &l.of[i];
        g->sigma = 0.05;
        g->charge = (step[0] == 0 ? -2 : 1) * (step[1] == 0 ? -2 : 1);
        for (int axis = 0; axis < 3; axis++) {
            g->at[axis] = 0.47 * lengths[axis];
        }
        g->at[along[0]] += 0.11 * step[0];
        g->at[along[1]] += 0.08 * step[1];
    }
    return l;
}

/* The cell's own and its periodic images' density. */
static double lattice_density(const double at[3], const void *user)
{
    const lattice *l = user;
    double sum = 0;
    for (int i = 0; i < 27; i++) {
        const int image[3] = {i / 9 - 1, i / 3 % 3 - 1, i % 3 - 1};
        double x[3];
        bool there = true;
        for (int axis = 0; axis < 3; axis++) {
            x[axis] = at[axis] - image[axis] * l->lengths[axis];
            there = there && (image[axis] == 0 || !l->free[axis]);
        }
        for (int j = 0; j < l->count && there; j++) {
            sum += box_density(x, &l->of[j]);
        }
    }
    return sum;
}

/* Potential of all images up to `most` cells away along each periodic axis. */
static double image_sum(const double at[3], const lattice *l, int most)
{
    int reach[3];
    for (int axis = 0; axis < 3; axis++) {
        reach[axis] = l->free[axis] ? 0 : most;
    }
    double sum = 0;
    for (int i = -reach[0]; i <= reach[0]; i++) {
        for (int j = -reach[1]; j <= reach[1]; j++) {
            for (int k = -reach[2]; k <= reach[2]; k++) {
                const double x[3] = {at[0] - i * l->lengths[0], at[1] - j * l->lengths[1],
                                     at[2] - k * l->lengths[2]};
                double image = 0;
                for (int charge = 0; charge < l->count; charge++) {
                    image += box_potential(x, &l->of[charge]);
                }
                sum += image;
            }
        }
    }
    return sum;
}

typedef struct row {
    const char *boundary;
    int n[3];
    double lengths[3];
    int most;  /* images */
    int power; /* with which the rest of the sum falls */
} row;

static const row rows[] = {
    {"ppf", {32, 40, 48}, {0.8, 1, 1.2}, 30, 3},  {"pfp", {40, 40, 36}, {1, 1, 0.9}, 30, 3},
    {"fpp", {40, 32, 40}, {1, 0.8, 1}, 30, 3},    {"ffp", {40, 36, 33}, {1, 0.9, 0.8}, 200, 4},
    {"fpf", {40, 32, 60}, {1, 0.8, 1.5}, 200, 4}, {"pff", {31, 40, 40}, {0.8, 1, 1}, 200, 4},
};

enum { POINTS = 12 };

/* Where a row is looked at, and what stands there. */
typedef struct lattice_sample {
    int64_t cell[POINTS];
    double wanted[POINTS];
} lattice_sample;

static lattice_sample sum_lattice(const row *r, const lattice *l)
{
    lattice_sample sample;
    uint64_t seed = 17;
    for (int point = 0; point < POINTS; point++) {
        int at[3];
        double x[3];
        for (int axis = 0; axis < 3; axis++) {
            at[axis] = (int)(test_random(&seed) % (uint64_t)r->n[axis]);
            x[axis] = at[axis] * r->lengths[axis] / r->n[axis];
        }
        /* Two cut-offs tell what lies beyond both. */
        const double near = image_sum(x, l, r->most);
        const double far = image_sum(x, l, 2 * r->most);
        const double ratio = pow((2 * r->most + 0.5) / (r->most + 0.5), r->power);
        sample.wanted[point] = far + (far - near) / (ratio - 1);
        sample.cell[point] = ((int64_t)at[0] * r->n[1] + at[1]) * r->n[2] + at[2];
    }
    return sample;
}

static void check_lattice(tsl_context *context, const row *r, const double *source,
                          const lattice_sample *sample)
{
    const tsl_poisson_options options = box_options(r->n, r->lengths, r->boundary);
    double *found = box_solve(context, &options, source);
    double largest = 0;
    double worst = 0;
    for (int64_t i = 0; i < box_cells(&options); i++) {
        largest = fmax(largest, fabs(found[i]));
    }
    for (int point = 0; point < POINTS; point++) {
        worst = fmax(worst, fabs(found[sample->cell[point]] - sample->wanted[point]));
    }
    char what[64];
    snprintf(what, sizeof what, "lattice %s", r->boundary);
    box_check(context, what, worst / largest, 1e-10);
    free(found);
}

static void lattices_are_summed(void **state)
{
    (void)state;
    const int devices = test_device_count();
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const row *r = &rows[i];
        const lattice l = make_lattice(r->lengths, r->boundary);
        const lattice_sample sample = sum_lattice(r, &l);
        const tsl_poisson_options options = box_options(r->n, r->lengths, r->boundary);
        double *source = box_sample(&options, 0, lattice_density, &l);
        for (int d = 0; d < devices; d++) {
            tsl_context *context = test_context(test_devices[d], 2);
            check_lattice(context, r, source, &sample);
            tsl_context_destroy(context);
        }
        free(source);
    }
}

/* ---- a net charge: the conventions ---------------------------------------------------------- */

typedef struct uniform {
    int axis; /* of a sheet: its normal; of a line: its direction */
    double sigma, kappa;
} uniform;

static double sheet_density(const double at[3], const void *user)
{
    const uniform *u = user;
    const double z = (at[u->axis] - 0.5) / u->sigma;
    return exp(-0.5 * z * z) / (sqrt(2 * M_PI) * u->sigma);
}

/* -2 pi |z| of a charge 1 an area, spread as a Gaussian; screened: 2 pi exp(-kappa |z|) / kappa. */
static double sheet_potential(const double at[3], const void *user)
{
    const uniform *u = user;
    const double z = at[u->axis] - 0.5;
    const double w = sqrt(2) * u->sigma;
    const double k = u->kappa;
    if (k == 0) {
        return -2 * M_PI * (z * erf(z / w) + u->sigma * sqrt(2 / M_PI) * exp(-z * z / (w * w)));
    }
    const double shift = k * u->sigma * u->sigma;
    return M_PI / k * exp(0.5 * k * shift) *
           (exp(k * z) * erfc((shift + z) / w) + exp(-k * z) * erfc((shift - z) / w));
}

static double distance_from_line(const double at[3], int direction)
{
    double square = 0;
    for (int axis = 0; axis < 3; axis++) {
        square += axis == direction ? 0 : (at[axis] - 0.5) * (at[axis] - 0.5);
    }
    return sqrt(square);
}

static double line_density(const double at[3], const void *user)
{
    const uniform *u = user;
    const double r = distance_from_line(at, u->axis) / u->sigma;
    return exp(-0.5 * r * r) / (2 * M_PI * u->sigma * u->sigma);
}

/* The integral of exp(-r^2 / (4 t + 2 sigma^2) - kappa^2 t) / (t + sigma^2 / 2) over t > 0, which
 * is 2 K0 spread as a Gaussian. Without screening it diverges by a constant: then the integral of
 * what a line has less than at distance 1, where -2 ln r is 0 but for the Gaussian's tail. */
static double line_potential(const double at[3], const void *user)
{
    const uniform *u = user;
    const double r = distance_from_line(at, u->axis);
    const double half = 0.5 * u->sigma * u->sigma;
    const double step = 1.0 / 16;
    double sum = 0;
    for (int i = -800; i <= 640; i++) {
        const double t = exp(step * i);
        const double near = exp(-r * r / (4 * (t + half)));
        const double far = u->kappa == 0 ? exp(-1 / (4 * (t + half))) : 0;
        sum += (near - far) * exp(-u->kappa * u->kappa * t) * t / (t + half);
    }
    return step * sum;
}

enum { MOST_DEVICES = 8 };

/* On all devices, beside what is summed once. */
static void check_uniform(tsl_context *const *contexts, int devices, const char *boundary,
                          const uniform *u, bool line)
{
    const int n[3] = {boundary[0] == 'f' ? 48 : 2, boundary[1] == 'f' ? 48 : 3,
                      boundary[2] == 'f' ? 48 : 4};
    double lengths[3];
    for (int axis = 0; axis < 3; axis++) {
        lengths[axis] = boundary[axis] == 'f' ? 1 : 0.4 + axis;
    }
    tsl_poisson_options options = box_options(n, lengths, boundary);
    options.screening = u->kappa;
    double *source = box_sample(&options, 0, line ? line_density : sheet_density, u);
    double *wanted = box_sample(&options, 0, line ? line_potential : sheet_potential, u);
    for (int d = 0; d < devices; d++) {
        char what[64];
        double *found = box_solve(contexts[d], &options, source);
        snprintf(what, sizeof what, "charged %s %s, kappa = %g", line ? "line" : "sheet", boundary,
                 u->kappa);
        box_check(contexts[d], what, box_linf(found, wanted, box_cells(&options)), 1e-12);
        free(found);
    }
    free(source);
    free(wanted);
}

static void charged_sheets_and_lines(void **state)
{
    (void)state;
    static const char *const slabs[] = {"fpp", "pfp", "ppf"};
    static const char *const wires[] = {"pff", "fpf", "ffp"};
    static const double kappas[] = {0, 0.02, 4};
    tsl_context *contexts[MOST_DEVICES];
    const int devices = test_device_count();
    assert_in_range(devices, 1, MOST_DEVICES);
    for (int d = 0; d < devices; d++) {
        contexts[d] = test_context(test_devices[d], 2);
    }
    for (int axis = 0; axis < 3; axis++) {
        for (int i = 0; i < 3; i++) {
            const uniform u = {axis, 0.06, kappas[i]};
            check_uniform(contexts, devices, slabs[axis], &u, false);
            check_uniform(contexts, devices, wires[axis], &u, true);
        }
    }
    for (int d = 0; d < devices; d++) {
        tsl_context_destroy(contexts[d]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(lattices_are_summed),
                                       cmocka_unit_test(charged_sheets_and_lines)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
