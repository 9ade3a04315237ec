/* Point charges against direct sums, Ewald's sum with other parameters, Madelung's constants and
 * quadrature over cells. */
#include "solvers/poisson/box.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "solvers/poisson/point_charges.h"

static const tsl_point_charge charges[] = {
    {2, {0.31, 0.52, 0.17}}, {-1.5, {0.9, 0.13, 1.11}}, {0.75, {1.2, 0.4, 0.66}}};
enum { CHARGES = sizeof charges / sizeof *charges };

static const int shape[3] = {18, 12, 20};
static const double lengths[3] = {1.5, 0.8, 1.3};

static tsl_points points_of(bool periodic)
{
    tsl_points points = {
        .periodic = {periodic, periodic, periodic}, .count = CHARGES, .charge = charges};
    for (int axis = 0; axis < 3; axis++) {
        points.n[axis] = shape[axis];
        points.step[axis] = lengths[axis] / shape[axis];
    }
    return points;
}

static double *quantity_of(const tsl_points *points, tsl_points_quantity quantity, int threads)
{
    double *values = calloc((size_t)(points->n[0] * points->n[1] * points->n[2]), sizeof *values);
    assert_non_null(values);
    tsl_points_add(values, 8, points, quantity, threads);
    return values;
}

static double distance(const double a[3], const double b[3])
{
    return sqrt((a[0] - b[0]) * (a[0] - b[0]) + (a[1] - b[1]) * (a[1] - b[1]) +
                (a[2] - b[2]) * (a[2] - b[2]));
}

static void position(double at[3], const tsl_points *points, int64_t i)
{
    at[0] = (double)(i / points->n[2] / points->n[1]) * points->step[0];
    at[1] = (double)(i / points->n[2] % points->n[1]) * points->step[1];
    at[2] = (double)(i % points->n[2]) * points->step[2];
}

/* ---- a cell's means ------------------------------------------------------------------------- */

/* Mean of f over the cell around `at`, by the midpoint rule on `parts`^3 parts, the charge between
 * them. */
static double mean_of(const tsl_points *points, const double at[3], int charge, int axis, int parts)
{
    const double *centre = charges[charge].at;
    double total = 0;
    for (int i = 0; i < parts * parts * parts; i++) {
        const int part[3] = {i / parts / parts, i / parts % parts, i % parts};
        double d[3], r2 = 0;
        for (int j = 0; j < 3; j++) {
            d[j] = at[j] + ((part[j] + 0.5) / parts - 0.5) * points->step[j] - centre[j];
            r2 += d[j] * d[j];
        }
        total += axis < 0 ? 1 / sqrt(r2) : d[axis] / (r2 * sqrt(r2));
    }
    return charges[charge].charge * total / (parts * parts * parts);
}

static bool is_own(const tsl_points *points, const double at[3], int charge)
{
    for (int j = 0; j < 3; j++) {
        if (fabs(at[j] - charges[charge].at[j]) > 0.5 * points->step[j]) {
            return false;
        }
    }
    return true;
}

static void free_boxes_have_plain_sums(void **state)
{
    (void)state;
    const tsl_points points = points_of(false);
    for (int axis = -1; axis < 3; axis++) {
        double *found = quantity_of(&points, (tsl_points_quantity)(axis + 1), 2);
        int own = 0;
        for (int64_t i = 0; i < points.n[0] * points.n[1] * points.n[2]; i++) {
            double at[3], wanted = 0, tolerance = 1e-12;
            position(at, &points, i);
            for (int j = 0; j < CHARGES; j++) {
                const double r = distance(at, charges[j].at);
                const double plain =
                    axis < 0 ? 1 / r : (at[axis] - charges[j].at[axis]) / (r * r * r);
                const bool inside = is_own(&points, at, j);
                own += inside;
                tolerance = inside ? 0.05 : tolerance;
                wanted += inside ? mean_of(&points, at, j, axis, 60) : charges[j].charge * plain;
            }
            assert_true(fabs(found[i] - wanted) <= tolerance * (1 + fabs(wanted)));
        }
        assert_int_equal(own, CHARGES);
        free(found);
    }
}

/* In the own cell the field is minus the mean potential's slope, and both grow together to the
 * plain values outside. */
static void own_cells_are_smooth(void **state)
{
    (void)state;
    for (int step = -20; step <= 20; step++) {
        for (int axis = 0; axis < 3; axis++) {
            double of[3];
            tsl_points points = {.n = {1, 1, 1}, .step = {0.2, 0.3, 0.25}, .count = 1};
            for (int side = -1; side <= 1; side++) {
                tsl_point_charge charge = {1, {0.012, 0.03, -0.017}};
                charge.at[axis] += 0.0043 * step + 1e-4 * side;
                points.charge = &charge;
                double value = 0;
                tsl_points_add(&value, 8, &points, TSL_POINTS_POTENTIAL, 1);
                of[side + 1] = value;
                value = 0;
                tsl_points_add(&value, 8, &points, (tsl_points_quantity)(TSL_POINTS_FIELD_X + axis),
                               1);
                if (side == 0) {
                    of[1] = value;
                }
            }
            assert_true(fabs(of[1] - (of[2] - of[0]) / 2e-4) <= 1e-5 * (1 + fabs(of[1])));
        }
    }
}

/* ---- periodic boxes ------------------------------------------------------------------------- */

/* Ewald's sum with a parameter of the test's own: the potential, or minus its slope. */
static double ewald(const double at[3], int axis)
{
    const double alpha = 3.1;
    const double volume = lengths[0] * lengths[1] * lengths[2];
    double sum = 0;
    for (int c = 0; c < CHARGES; c++) {
        double one = axis < 0 ? -M_PI / (volume * alpha * alpha) : 0;
        for (int i = 0; i < 7 * 9 * 7; i++) {
            const double image[3] = {(i / 63 - 3) * lengths[0], (i / 7 % 9 - 4) * lengths[1],
                                     (i % 7 - 3) * lengths[2]};
            double d[3], r2 = 0;
            for (int j = 0; j < 3; j++) {
                d[j] = at[j] - charges[c].at[j] + image[j];
                r2 += d[j] * d[j];
            }
            const double r = sqrt(r2);
            const double b = alpha * r;
            one += axis < 0 ? erfc(b) / r
                            : d[axis] * (erfc(b) + 2 * b / sqrt(M_PI) * exp(-b * b)) / (r2 * r);
        }
        for (int i = 0; i < 25 * 17 * 25; i++) {
            double k[3] = {i / 425 - 12, i / 25 % 17 - 8, i % 25 - 12};
            double k2 = 0, angle = 0;
            for (int j = 0; j < 3; j++) {
                k[j] *= 2 * M_PI / lengths[j];
                k2 += k[j] * k[j];
                angle += k[j] * (at[j] - charges[c].at[j]);
            }
            if (k2 > 0) {
                const double wave = 4 * M_PI / volume * exp(-k2 / (4 * alpha * alpha)) / k2;
                one += wave * (axis < 0 ? cos(angle) : k[axis] * sin(angle));
            }
        }
        sum += charges[c].charge * one;
    }
    return sum;
}

static void periodic_boxes_have_ewalds_sum(void **state)
{
    (void)state;
    const tsl_points points = points_of(true);
    tsl_context *context = test_context("cpu", 2);
    tsl_poisson_options options = box_options(shape, lengths, "ppp");
    options.background = 1;
    double *gaussians = quantity_of(&points, TSL_POINTS_GAUSSIANS, 2);
    double *found = box_solve(context, &options, gaussians);
    double total = 0, worst = 0, largest = 0;
    for (int64_t i = 0; i < box_cells(&options); i++) {
        total += gaussians[i] * points.step[0] * points.step[1] * points.step[2];
    }
    assert_true(fabs(total - 1.25) < 1e-13);
    tsl_points_add(found, 8, &points, TSL_POINTS_POTENTIAL, 2);
    for (int64_t i = 0; i < box_cells(&options); i += 7) {
        double at[3];
        bool own = false;
        position(at, &points, i);
        for (int j = 0; j < CHARGES; j++) {
            own = own || is_own(&points, at, j);
        }
        if (!own) {
            const double wanted = ewald(at, -1);
            worst = fmax(worst, fabs(found[i] - wanted));
            largest = fmax(largest, fabs(wanted));
        }
    }
    box_check(context, "Ewald's potential, largest", worst / largest, 1e-13);
    free(gaussians);
    free(found);
    tsl_context_destroy(context);
}

/* The two parts of the own cell's value: the plain mean, and what images and waves add, which is
 * smooth. Seen by moving a charge off the cell's face. */
static void own_cells_have_images_too(void **state)
{
    (void)state;
    const int n[3] = {24, 24, 24};
    const double edges[3] = {1.2, 1.2, 1.2};
    tsl_context *context = test_context("cpu", 2);
    tsl_poisson_options options = box_options(n, edges, "ppp");
    options.background = 1;
    const double own = (6 * asinh(sqrt(0.5)) - 0.5 * M_PI) / 0.05; /* the mean of 1 / r */
    const tsl_point_charge charge = {1, {0.6, 0.6, 0.6}};
    const tsl_points points = {
        .n = {24, 24, 24}, .step = {0.05, 0.05, 0.05}, .periodic = {true, true, true}, 1, &charge};
    double *gaussians = quantity_of(&points, TSL_POINTS_GAUSSIANS, 2);
    double *found = box_solve(context, &options, gaussians);
    tsl_points_add(found, 8, &points, TSL_POINTS_POTENTIAL, 2);
    /* a simple cubic lattice in its background: Wigner's constant */
    assert_true(fabs(found[(12 * 24 + 12) * 24 + 12] - (own - 2.8372974794806 / 1.2)) < 1e-11);
    free(gaussians);
    free(found);
    tsl_context_destroy(context);
}

/* ---- slabs and wires ------------------------------------------------------------------------ */

/* Charges that stand 20 steps from the ends of free axes, the first two in one place of the
 * periodic face, and near to each other. */
static const tsl_point_charge apart[] = {
    {2, {0.31, 1.07, 1.17}}, {-1.5, {0.31, 1.07, 1.4}}, {0.75, {0.9, 1.3, 1.06}}};

/* exp(a) erfc(b) of a that may be large. */
static double damped(double a, double b)
{
    return b > 26 ? 0 : exp(a) * erfc(b);
}

/* The potential of a unit charge in a slab, d from it, z free, by Parry's sum; the charge's own
 * term is left out where d is 0. */
static double slab_sum(const double d[3], const double edges[3])
{
    const double alpha = 3.7;
    const double area = edges[0] * edges[1];
    const double z = d[2];
    double total = -2 * M_PI / area *
                   (z * erf(alpha * z) + exp(-alpha * alpha * z * z) / (alpha * sqrt(M_PI)));
    for (int i = -24; i <= 24; i++) {
        for (int j = -24; j <= 24; j++) {
            const double r = sqrt((d[0] + i * edges[0]) * (d[0] + i * edges[0]) +
                                  (d[1] + j * edges[1]) * (d[1] + j * edges[1]) + z * z);
            const double k = 2 * M_PI * hypot(i / edges[0], j / edges[1]);
            total += r > 0 ? erfc(alpha * r) / r : -2 * alpha / sqrt(M_PI);
            if (k > 0) {
                const double half = 0.5 * k / alpha;
                total += M_PI / (area * k) *
                         cos(2 * M_PI * (i * d[0] / edges[0] + j * d[1] / edges[1])) *
                         (damped(k * z, half + alpha * z) + damped(-k * z, half - alpha * z));
            }
        }
    }
    return total;
}

/* The potential of a unit charge in a wire, x periodic: that of the images up to number N less that
 * of a line of their density and length, which is off by a series in 1 / (N + 1/2)^2. */
static double wire_sum(const double d[3], const double edges[3])
{
    double of[3];
    for (int level = 0; level < 3; level++) {
        const int most = 64 << level;
        const double half = (most + 0.5) * edges[0];
        double sum = 0;
        for (int i = -most; i <= most; i++) {
            const double x = d[0] + i * edges[0];
            const double r = sqrt(x * x + d[1] * d[1] + d[2] * d[2]);
            sum += r > 0 ? 1 / r : 0;
        }
        of[level] = sum - 2 / edges[0] * log(2 * half);
    }
    const double q[2] = {pow(128.5 / 64.5, 2), pow(256.5 / 128.5, 2)};
    const double once[2] = {(q[0] * of[1] - of[0]) / (q[0] - 1),
                            (q[1] * of[2] - of[1]) / (q[1] - 1)};
    const double both = pow(256.5 / 64.5, 2); /* leading error that is left goes with 1 / (a b) */
    return (both * once[1] - once[0]) / (both - 1);
}

typedef struct mixed_case {
    const char *boundary;
    int n[3];
    double step[3];
    double (*sum)(const double d[3], const double edges[3]);
} mixed_case;

static const mixed_case mixed_cases[] = {
    {"ppf", {24, 28, 50}, {0.05, 0.047, 0.05}, slab_sum},
    {"pff", {24, 46, 50}, {0.05, 0.052, 0.05}, wire_sum},
};

static tsl_points mixed_points(double edges[3], const mixed_case *row)
{
    tsl_points points = {.count = CHARGES, .charge = apart};
    for (int axis = 0; axis < 3; axis++) {
        points.n[axis] = row->n[axis];
        points.step[axis] = row->step[axis];
        points.periodic[axis] = row->boundary[axis] == 'p';
        edges[axis] = row->n[axis] * row->step[axis];
    }
    return points;
}

static void slabs_and_wires_have_lattice_sums(void **state)
{
    (void)state;
    tsl_context *context = test_context("cpu", 2);
    for (size_t i = 0; i < sizeof mixed_cases / sizeof *mixed_cases; i++) {
        const mixed_case *row = &mixed_cases[i];
        double edges[3], worst = 0, largest = 0;
        const tsl_points points = mixed_points(edges, row);
        const tsl_poisson_options options = box_options(row->n, edges, row->boundary);
        assert_true(tsl_points_margin(&points) < 1.0);
        double *gaussians = quantity_of(&points, TSL_POINTS_GAUSSIANS, 2);
        double *found = box_solve(context, &options, gaussians);
        tsl_points_add(found, 8, &points, TSL_POINTS_POTENTIAL, 2);
        for (int64_t cell = 3; cell < box_cells(&options); cell += 521) {
            double at[3], wanted = 0;
            position(at, &points, cell);
            for (int j = 0; j < CHARGES; j++) {
                const double d[3] = {at[0] - apart[j].at[0], at[1] - apart[j].at[1],
                                     at[2] - apart[j].at[2]};
                wanted += apart[j].charge * row->sum(d, edges);
            }
            worst = fmax(worst, fabs(found[cell] - wanted));
            largest = fmax(largest, fabs(wanted));
        }
        box_check(context, row->boundary, worst / largest, 1e-11);
        free(gaussians);
        free(found);
    }
    tsl_context_destroy(context);
}

static void slabs_and_wires_have_energies(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof mixed_cases / sizeof *mixed_cases; i++) {
        double edges[3], wanted = 0;
        const tsl_points points = mixed_points(edges, &mixed_cases[i]);
        for (int j = 0; j < CHARGES; j++) {
            for (int k = 0; k < CHARGES; k++) {
                const double d[3] = {apart[j].at[0] - apart[k].at[0],
                                     apart[j].at[1] - apart[k].at[1],
                                     apart[j].at[2] - apart[k].at[2]};
                wanted += 0.5 * apart[j].charge * apart[k].charge * mixed_cases[i].sum(d, edges);
            }
        }
        assert_true(fabs(tsl_points_energy(&points) - wanted) < 1e-11 * fabs(wanted));
    }
}

static void single_precision_is_rounded(void **state)
{
    (void)state;
    const tsl_points points = points_of(false);
    const int64_t cells = points.n[0] * points.n[1] * points.n[2];
    double *wide = quantity_of(&points, TSL_POINTS_FIELD_Y, 1);
    float *narrow = calloc((size_t)cells, sizeof *narrow);
    assert_non_null(narrow);
    tsl_points_add(narrow, 4, &points, TSL_POINTS_FIELD_Y, 3);
    for (int64_t i = 0; i < cells; i++) {
        assert_true(fabs((double)narrow[i] - wide[i]) <= 1e-6 * (1000 + fabs(wide[i])));
    }
    free(wide);
    free(narrow);
}

/* ---- energies ------------------------------------------------------------------------------- */

static void energies_are_known(void **state)
{
    (void)state;
    tsl_points points = points_of(false);
    double wanted = 0;
    for (int i = 0; i < CHARGES; i++) {
        for (int j = 0; j < i; j++) {
            wanted +=
                charges[i].charge * charges[j].charge / distance(charges[i].at, charges[j].at);
        }
    }
    assert_true(fabs(tsl_points_energy(&points) - wanted) < 1e-14 * fabs(wanted));
    points.count = 0;
    assert_true(tsl_points_energy(&points) == 0);

    tsl_point_charge salt[8]; /* rock salt, nearest ions 1.5 apart */
    for (int i = 0; i < 8; i++) {
        const int at[3] = {i / 4, i / 2 % 2, i % 2};
        salt[i].charge = (at[0] + at[1] + at[2]) % 2 ? -1 : 1;
        for (int axis = 0; axis < 3; axis++) {
            salt[i].at[axis] = 0.4 + 1.5 * at[axis];
        }
    }
    points = (tsl_points){
        .n = {4, 5, 6}, .step = {0.75, 0.6, 0.5}, .periodic = {true, true, true}, 8, salt};
    assert_true(fabs(tsl_points_energy(&points) + 4 * 1.747564594633182 / 1.5) < 1e-12);
    points.count = 1; /* alone in its background */
    assert_true(fabs(tsl_points_energy(&points) + 0.5 * 2.8372974794806 / 3) < 1e-12);
    salt[1].at[2] = salt[0].at[2];
    points.count = 2;
    assert_true(isinf(tsl_points_energy(&points)));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(free_boxes_have_plain_sums),
        cmocka_unit_test(own_cells_are_smooth),
        cmocka_unit_test(periodic_boxes_have_ewalds_sum),
        cmocka_unit_test(own_cells_have_images_too),
        cmocka_unit_test(slabs_and_wires_have_lattice_sums),
        cmocka_unit_test(slabs_and_wires_have_energies),
        cmocka_unit_test(single_precision_is_rounded),
        cmocka_unit_test(energies_are_known),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
