/* Grids: Lebedev's rules against harmonics, radii against integrals, numbers of points and sums
 * over molecules, and shares on every device. */
#include "support/devices.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/context.h"
#include "oracle.h"
#include "solvers/scf/basis/set.h"
#include "solvers/scf/grid/grid.h"
#include "solvers/scf/grid/lebedev.h"

/* The mean of P_l(point . u) over the sphere is 0 for l >= 1, for every direction u: that is so if
 * and only if all harmonics of degree l are integrated exactly. */
static void check_rule(const tsl_lebedev_rule *rule, double *points, double *weights)
{
    enum { DIRECTIONS = 3, MOST_DEGREE = 131 };
    uint64_t seed = (uint64_t)rule->points;
    tsl_lebedev_expand(rule, points, weights);
    for (int d = 0; d < DIRECTIONS; d++) {
        double u[3], sums[MOST_DEGREE + 1] = {0}, lost[MOST_DEGREE + 1] = {0};
        double length = 0;
        for (int axis = 0; axis < 3; axis++) {
            u[axis] = test_uniform(&seed);
            length += u[axis] * u[axis];
        }
        for (int i = 0; i < rule->points; i++) {
            const double *p = points + 3 * (int64_t)i;
            const double x = (p[0] * u[0] + p[1] * u[1] + p[2] * u[2]) / sqrt(length);
            double before = 1, now = x;
            for (int l = 0; l <= rule->degree; l++) {
                const double value = l == 0 ? 1 : now;
                /* Kahan's sum: the rule is measured, not the adding. */
                const double term = weights[i] * value - lost[l];
                const double sum = sums[l] + term;
                lost[l] = (sum - sums[l]) - term;
                sums[l] = sum;
                if (l > 0) {
                    const double next = ((2 * l + 1) * x * now - l * before) / (l + 1);
                    before = now;
                    now = next;
                }
            }
        }
        assert_true(fabs(sums[0] - 1) < 1e-15);
        for (int l = 1; l <= rule->degree; l++) {
            if (fabs(sums[l]) > 1e-15) {
                print_error("%d points, degree %d: %g\n", rule->points, l, sums[l]);
            }
            assert_true(fabs(sums[l]) < 1e-15);
        }
    }
}

static void rules_integrate_harmonics(void **state)
{
    (void)state;
    double *points = malloc(sizeof(double) * 4 * TSL_LEBEDEV_MOST_POINTS);
    assert_non_null(points);
    for (int i = 0; i < TSL_LEBEDEV_RULES; i++) {
        const tsl_lebedev_rule *rule = &tsl_lebedev_rules[i];
        int count = 0;
        check_rule(rule, points, points + 3 * (int64_t)TSL_LEBEDEV_MOST_POINTS);
        for (int k = 0; k < rule->points; k++) {
            const double *p = points + 3 * (int64_t)k;
            count += fabs(p[0] * p[0] + p[1] * p[1] + p[2] * p[2] - 1) < 4e-16;
        }
        assert_int_equal(count, rule->points);
        assert_ptr_equal(tsl_lebedev_find(rule->points), rule);
    }
    assert_null(tsl_lebedev_find(300));
    free(points);
}

/* A rule is not exact beyond its degree: what the test above measures is there to be measured. */
static void rules_end_at_their_degree(void **state)
{
    (void)state;
    double points[3 * 6], weights[6], sum = 0;
    tsl_lebedev_expand(&tsl_lebedev_rules[0], points, weights);
    for (int i = 0; i < 6; i++) {
        const double z = points[3 * i + 2];
        sum += weights[i] * (35 * z * z * z * z - 30 * z * z + 3) / 8;
    }
    assert_true(fabs(sum) > 0.1);
}

/* Integrals of r^2 exp(-a r^2) over radii, and the outermost and innermost radius in closed form.
 */
static void radii_integrate_gaussians(void **state)
{
    (void)state;
    static const int elements[] = {1, 6, 8, 26, 86};
    for (int e = 0; e < 5; e++) {
        enum { N = 75 };
        double r[N], dr[N];
        tsl_scf_radii(elements[e], N, r, dr);
        for (int i = 1; i < N; i++) {
            assert_true(r[i] > r[i - 1]);
        }
        for (double a = 0.3; a < 100; a *= 3) {
            double sum = 0;
            for (int i = 0; i < N; i++) {
                sum += dr[i] * r[i] * r[i] * exp(-a * r[i] * r[i]);
            }
            const double exact = sqrt(M_PI / a) / (4 * a);
            assert_true(fabs(sum / exact - 1) < 1e-9);
        }
    }
}

/* ---- molecules ----------------------------------------------------------------------------- */

enum { MOST_ATOMS = 6 };
typedef struct molecule {
    const char *name;
    int count, element[MOST_ATOMS];
    double position[3 * MOST_ATOMS];
    int64_t level1, level3, fine; /* points of PySCF's grids */
} molecule;

static const molecule molecules[] = {
    {"hydrogen", 1, {1}, {0.1, -0.2, 0.3}, 2472, 9808, 58410},
    {"water", 3, {8, 1, 1}, {0, 0, 0.22, 0, 1.43, -0.89, 0, -1.43, -0.89}, 10124, 33698, 175230},
};

static tsl_scf_atoms atoms_of(const molecule *m, double *charge)
{
    tsl_scf_atoms atoms = {.count = m->count,
                           .element = (int *)m->element,
                           .charge = charge,
                           .position = (double *)m->position};
    for (int i = 0; i < m->count; i++) {
        charge[i] = m->element[i];
    }
    return atoms;
}

/* The sum over atoms of the integral of exp(-a |r - A|^2). */
static double gaussians(const tsl_scf_grid *grid, const tsl_scf_atoms *atoms, double a)
{
    double sum = 0;
    for (int64_t p = 0; p < grid->points; p++) {
        double value = 0;
        for (int i = 0; i < atoms->count; i++) {
            double square = 0;
            for (int axis = 0; axis < 3; axis++) {
                const double d = grid->position[axis][p] - atoms->position[3 * i + axis];
                square += d * d;
            }
            value += exp(-a * square);
        }
        sum += grid->weight[p] * value;
    }
    return sum;
}

static void make(tsl_scf_grid *grid, tsl_context *context, const tsl_scf_atoms *atoms,
                 const char *text, tsl_scf_partition partition)
{
    tsl_scf_grid_options options;
    assert_int_equal(tsl_scf_grid_parse(&options, context, text), TSL_OK);
    options.partition = partition;
    assert_int_equal(tsl_scf_grid_create(grid, context, atoms, &options), TSL_OK);
}

static void molecules_have_their_points(void **state)
{
    (void)state;
    tsl_context *context = test_context("cpu", 2);
    for (size_t i = 0; i < sizeof molecules / sizeof *molecules; i++) {
        double charge[MOST_ATOMS];
        const molecule *m = &molecules[i];
        const tsl_scf_atoms atoms = atoms_of(m, charge);
        const struct {
            const char *text;
            int64_t points;
            double error;
        } grids[] = {{"coarse", m->level1, 2e-4},
                     {"medium", m->level3, 3e-6},
                     {"level3", m->level3, 3e-6},
                     {"fine", m->fine, 2e-8},
                     {"99x590", m->fine, 2e-8}};
        for (int g = 0; g < 5; g++) {
            for (int partition = 0; partition < 2; partition++) {
                tsl_scf_grid grid;
                make(&grid, context, &atoms, grids[g].text, (tsl_scf_partition)partition);
                assert_int_equal(grid.points, grids[g].points);
                const double exact = m->count * pow(M_PI / 1.3, 1.5);
                const double error = fabs(gaussians(&grid, &atoms, 1.3) - exact) / m->count;
                if (error > grids[g].error) {
                    print_error("%s %s %d: %g\n", m->name, grids[g].text, partition, error);
                }
                assert_true(error < grids[g].error);
                tsl_scf_grid_release(&grid);
            }
        }
    }
    tsl_context_destroy(context);
}

/* Becke's shares by the formula, all pairs, no short cuts. */
static double plain_share(const tsl_scf_atoms *atoms, const double at[3], int owner)
{
    double r[MOST_ATOMS], sum = 0, own = 0;
    for (int i = 0; i < atoms->count; i++) {
        const double *c = atoms->position + 3 * (int64_t)i;
        r[i] = sqrt(pow(at[0] - c[0], 2) + pow(at[1] - c[1], 2) + pow(at[2] - c[2], 2));
    }
    for (int i = 0; i < atoms->count; i++) {
        double product = 1;
        for (int j = 0; j < atoms->count; j++) {
            if (j != i) {
                const double *a = atoms->position + 3 * (int64_t)i;
                const double *b = atoms->position + 3 * (int64_t)j;
                const double distance =
                    sqrt(pow(a[0] - b[0], 2) + pow(a[1] - b[1], 2) + pow(a[2] - b[2], 2));
                const double chi =
                    sqrt(tsl_scf_bragg(atoms->element[i]) / tsl_scf_bragg(atoms->element[j]));
                const double mu = (r[i] - r[j]) / distance;
                double x = mu + fmax(-0.5, fmin(0.5, (1 / chi - chi) / 4)) * (1 - mu * mu);
                for (int k = 0; k < 3; k++) {
                    x = 1.5 * x - 0.5 * x * x * x;
                }
                product *= (1 - x) / 2;
            }
        }
        sum += product;
        own = i == owner ? product : own;
    }
    return own / sum;
}

static void shares_are_beckes_on_every_device(void **state)
{
    (void)state;
    /* Far-apart and close atoms, heavy and light, so that every short cut is taken. */
    static const molecule apart = {"apart",
                                   6,
                                   {8, 1, 26, 1, 6, 55},
                                   {0, 0, 0, 1.4, 0, 1, 40, 0, 0, 41, 2, 0, 5, 5, 5, 5, 7, 4},
                                   0,
                                   0,
                                   0};
    double charge[MOST_ATOMS];
    const tsl_scf_atoms atoms = atoms_of(&apart, charge);
    for (int d = 0; d < test_device_count(); d++) {
        for (int threads = 1; threads <= 3; threads += 2) {
            tsl_context *context = test_context(test_devices[d], threads);
            tsl_scf_grid grid;
            make(&grid, context, &atoms, "12x26", TSL_SCF_BECKE);
            int64_t p = 0;
            for (int i = 0; i < atoms.count; i++) {
                tsl_scf_sphere spheres[TSL_SCF_GRID_MOST_RADII];
                double points[3 * 26], weights[26];
                const tsl_scf_grid_options options = {-1, 12, 26, false, TSL_SCF_BECKE};
                const int n = tsl_scf_spheres(spheres, atoms.element[i], &options);
                tsl_lebedev_expand(tsl_lebedev_find(26), points, weights);
                for (int s = 0; s < n; s++) {
                    for (int k = 0; k < 26; k++, p++) {
                        const double at[3] = {grid.position[0][p], grid.position[1][p],
                                              grid.position[2][p]};
                        const double exact = plain_share(&atoms, at, i);
                        const double share = grid.weight[p] / (spheres[s].weight * weights[k]);
                        assert_true(fabs(share - exact) < 1e-13);
                        assert_int_equal(grid.atom[p], i);
                    }
                }
            }
            assert_int_equal(p, grid.points);
            tsl_scf_grid_release(&grid);
            tsl_context_destroy(context);
        }
    }
}

static void bad_grids_are_refused(void **state)
{
    (void)state;
    static const char *const texts[] = {"",       "finer", "level10", "level",   "99x",
                                        "99x300", "1x590", "501x590", "99x590x", "level3x"};
    tsl_context *context = test_context("cpu", 1);
    tsl_scf_grid_options options = {3, 0, 0, true, TSL_SCF_BECKE};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        tsl_scf_grid_options other;
        assert_int_equal(tsl_scf_grid_parse(&other, context, texts[i]), TSL_E_ARG);
        assert_true(strlen(tsl_last_error(context)) > 10);
    }
    molecule bad = molecules[1];
    double charge[MOST_ATOMS];
    tsl_scf_grid grid;
    memcpy(bad.position + 3, bad.position, 3 * sizeof *bad.position);
    tsl_scf_atoms atoms = atoms_of(&bad, charge);
    assert_int_equal(tsl_scf_grid_create(&grid, context, &atoms, &options), TSL_E_ARG);
    assert_non_null(strstr(tsl_last_error(context), "atoms 1 and 2"));
    bad.position[4] += 1.5;
    bad.element[2] = 87;
    assert_int_equal(tsl_scf_grid_create(&grid, context, &atoms, &options), TSL_E_ARG);
    assert_non_null(strstr(tsl_last_error(context), "element 87"));
    tsl_context_destroy(context);
}

static tsl_status make_small(tsl_context *context, void *user)
{
    tsl_scf_grid grid;
    double charge[MOST_ATOMS];
    const tsl_scf_atoms atoms = atoms_of(user, charge);
    const tsl_scf_grid_options options = {-1, 3, 14, false, TSL_SCF_BECKE};
    const tsl_status status = tsl_scf_grid_create(&grid, context, &atoms, &options);
    if (status == TSL_OK) {
        tsl_scf_grid_release(&grid);
    }
    return status;
}

static void every_failing_allocation_is_survived(void **state)
{
    (void)state;
    for (int d = 0; d < test_device_count(); d++) {
        tsl_context *context = test_context(test_devices[d], 1);
        assert_true(test_survives_no_memory(context, make_small, (void *)&molecules[1]) > 0);
        tsl_context_destroy(context);
    }
}

/* ---- PySCF's numbers ------------------------------------------------------------------------ */

static void radii_are_pyscfs(void **state)
{
    (void)state;
    enum { N = 20 };
    static const struct {
        int element;
        const char *name;
    } atoms[] = {{1, "Z1_n20"}, {6, "Z6_n20"}, {8, "Z8_n20"}, {26, "Z26_n20"}};
    oracle o;
    if (!oracle_open(&o, "grid_spec.json")) {
        skip();
    }
    for (int i = 0; i < 4; i++) {
        double r[N], dr[N], expected[N];
        tsl_scf_radii(atoms[i].element, N, r, dr);
        assert_int_equal(oracle_numbers(&o, atoms[i].name, "r", expected, N), N);
        for (int k = 0; k < N; k++) {
            assert_true(fabs(r[k] / expected[k] - 1) < 2e-14);
        }
        assert_int_equal(oracle_numbers(&o, atoms[i].name, "dr", expected, N), N);
        for (int k = 0; k < N; k++) {
            assert_true(fabs(dr[k] / expected[k] - 1) < 2e-14);
        }
    }
    oracle_close(&o);
}

/* Atoms of an .xyz file, bohr; their number. */
static int read_xyz(const char *name, int *element, double *position, int most)
{
    char path[300], line[200], symbol[9];
    int count = 0;
    snprintf(path, sizeof path, ORACLE_FOLDER "geometry/%s.xyz", name);
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    assert_int_equal(fscanf(file, "%d\n", &count), 1);
    assert_true(count <= most && fgets(line, sizeof line, file) != NULL);
    for (int i = 0; i < count; i++) {
        double *at = position + 3 * (int64_t)i;
        assert_int_equal(fscanf(file, "%8s %lf %lf %lf", symbol, at, at + 1, at + 2), 4);
        element[i] = tsl_element_find(symbol, strlen(symbol));
        for (int axis = 0; axis < 3; axis++) {
            at[axis] /= 0.529177210903;
        }
    }
    fclose(file);
    return count;
}

static void molecules_are_pyscfs(void **state)
{
    (void)state;
    enum { MOST = 24 };
    static const char *const names[] = {"h2o", "nh3", "c2h4",    "n2",
                                        "oh",  "o2",  "glycine", "benzene"};
    oracle o;
    if (!oracle_open(&o, "grid_spec.json")) {
        skip();
    }
    tsl_context *context = test_context("cpu", 2);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        int element[MOST];
        double position[3 * MOST], charge[MOST] = {0}, points, sum;
        tsl_scf_grid grid;
        const int count = read_xyz(names[i], element, position, MOST);
        const tsl_scf_atoms atoms = {count, element, charge, position};
        make(&grid, context, &atoms, "level3", TSL_SCF_BECKE);
        assert_int_equal(oracle_numbers(&o, names[i], "points_before_padding", &points, 1), 1);
        assert_int_equal(oracle_numbers(&o, names[i], "sum_w_gauss1.3", &sum, 1), 1);
        assert_int_equal(grid.points, points);
        const double error = fabs(gaussians(&grid, &atoms, 1.3) - sum);
        if (error > 1e-12 * count) {
            print_error("%s: %g\n", names[i], error);
        }
        assert_true(error < 1e-12 * count);
        tsl_scf_grid_release(&grid);
    }
    oracle_close(&o);
    tsl_context_destroy(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rules_integrate_harmonics),
        cmocka_unit_test(rules_end_at_their_degree),
        cmocka_unit_test(radii_integrate_gaussians),
        cmocka_unit_test(molecules_have_their_points),
        cmocka_unit_test(shares_are_beckes_on_every_device),
        cmocka_unit_test(bad_grids_are_refused),
        cmocka_unit_test(every_failing_allocation_is_survived),
        cmocka_unit_test(radii_are_pyscfs),
        cmocka_unit_test(molecules_are_pyscfs),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
