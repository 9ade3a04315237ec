/* Exchange and correlation on a grid: against PySCF's on one density and one set of points, against
 * closed forms and differences, and devices and threads against each other. */
#include "support/devices.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "oracle.h"
#include "solvers/scf/basis/set.h"
#include "solvers/scf/xc_step/xc_step.h"

/* ---- molecules ----------------------------------------------------------------------------- */

enum { MOST_ATOMS = 3 };

typedef struct molecule {
    tsl_context *context;
    int element[MOST_ATOMS];
    double charge[MOST_ATOMS], position[3 * MOST_ATOMS];
    tsl_scf_atoms atoms;
    tsl_scf_set set;
    tsl_scf_basis basis;
    tsl_scf_grid grid;
    int64_t square; /* of functions */
} molecule;

static void open_molecule(molecule *m, tsl_context *context, int count, const int *element,
                          const double *position, const char *set, bool cartesian)
{
    const tsl_scf_set *sets[TSL_SCF_ELEMENTS + 1] = {0};
    memset(m, 0, sizeof *m);
    m->context = context;
    for (int i = 0; i < count; i++) {
        m->element[i] = element[i];
        m->charge[i] = element[i];
        sets[element[i]] = &m->set;
    }
    memcpy(m->position, position, 3 * (size_t)count * sizeof *position);
    m->atoms = (tsl_scf_atoms){count, m->element, m->charge, m->position};
    const tsl_status status = strchr(set, '\n') != NULL
                                  ? tsl_scf_set_parse(&m->set, context, "test", set, strlen(set))
                                  : tsl_scf_set_load(&m->set, context, set);
    assert_int_equal(status, TSL_OK);
    assert_int_equal(tsl_scf_basis_create(&m->basis, context, &m->atoms, sets, cartesian, 4),
                     TSL_OK);
    m->square = (int64_t)m->basis.functions * m->basis.functions;
}

static void make_grid(molecule *m, const char *text)
{
    tsl_scf_grid_options options;
    assert_int_equal(tsl_scf_grid_parse(&options, m->context, text), TSL_OK);
    assert_int_equal(tsl_scf_grid_create(&m->grid, m->context, &m->atoms, &options), TSL_OK);
}

static void close_molecule(molecule *m)
{
    tsl_scf_grid_release(&m->grid);
    tsl_scf_basis_release(&m->basis);
    tsl_scf_set_release(&m->set);
}

/* Run once with host arrays. */
static void run(molecule *m, tsl_xc_step *step, int spins, const double *density, double *potential,
                tsl_xc_step_sums *sums)
{
    const int64_t bytes = 8 * spins * m->square;
    double *d = test_upload(m->context, density, bytes);
    double *v = test_upload(m->context, potential, bytes);
    assert_int_equal(tsl_xc_step_run(step, d, v, sums), TSL_OK);
    test_download(m->context, potential, v, bytes);
    test_release(m->context, d);
    test_release(m->context, v);
}

static tsl_xc_step *open_step(molecule *m, const char *functional, int spins, double cutoff,
                              int64_t memory)
{
    tsl_xc_step *step = NULL;
    tsl_xc_step_options options = TSL_XC_STEP_OPTIONS_INIT;
    options.functional = functional;
    options.spins = spins;
    options.cutoff = cutoff;
    options.memory = memory;
    assert_int_equal(tsl_xc_step_create(&step, m->context, &m->basis, &m->grid, &options), TSL_OK);
    return step;
}

static double *zeros(int64_t count)
{
    double *made = calloc((size_t)count, sizeof *made);
    assert_non_null(made);
    return made;
}

/* ---- PySCF's numbers ------------------------------------------------------------------------ */

/* Symmetric matrices from their lower triangles. */
static void unpack(double *out, const double *packed, int matrices, int n)
{
    for (int64_t m = 0, at = 0; m < matrices; m++) {
        for (int64_t i = 0; i < n; i++) {
            for (int64_t j = 0; j <= i; j++, at++) {
                out[m * n * n + i * n + j] = out[m * n * n + j * n + i] = packed[at];
            }
        }
    }
}

static const struct {
    const char *name, *functional;
} functionals[] = {
    {"SVWN5", "lda_x + lda_c_vwn"},
    {"PBE", "pbe"},
    {"BLYP", "blyp"},
    {"B3LYP", "b3lyp"},
    {"PBE0", "pbe0"},
    {"TPSS", "tpss"},
    {"SCAN", "scan"},
    {"r2SCAN", "r2scan"},
    {"B3LYP5", "b3lyp5"},
};

static double largest(const double *a, const double *b, int64_t count)
{
    double most = 0;
    for (int64_t i = 0; i < count; i++) {
        most = fmax(most, fabs(a[i] - b[i]));
    }
    return most;
}

/* rho, its gradient and tau of the first points. */
static void check_points(molecule *m, const oracle *o, int spins, const double *density)
{
    enum { FIRST = 60 };
    const int64_t points = m->grid.points;
    double *rho = zeros(spins * points), *gradient = zeros(3 * spins * points);
    double *tau = zeros(spins * points),
           *d = test_upload(m->context, density, 8 * spins * m->square);
    double expected[2 * FIRST * 5], error = 0;
    tsl_xc_step *step = open_step(m, "tpss", spins, 1e-14, 0);
    assert_int_equal(tsl_xc_step_density(step, d, rho, gradient, tau), TSL_OK);
    const size_t found = oracle_numbers(o, NULL, "rho_gx_gy_gz_tau_first_points", expected,
                                        (size_t)spins * FIRST * 5);
    assert_int_equal(found, spins * FIRST * 5);
    for (int s = 0; s < spins; s++) {
        for (int p = 0; p < FIRST; p++) {
            const double *e = expected + 5 * (s * FIRST + p);
            error = fmax(error, fabs(e[0] - rho[s * points + p]));
            for (int axis = 0; axis < 3; axis++) {
                error = fmax(error, fabs(e[1 + axis] - gradient[(3 * s + axis) * points + p]) /
                                        fmax(1, fabs(e[1 + axis])));
            }
            error = fmax(error, fabs(e[4] - tau[s * points + p]) / fmax(1, fabs(e[4])));
        }
    }
    if (error > 1e-11) {
        print_error("points: %g\n", error);
    }
    assert_true(error < 1e-11);
    tsl_xc_step_destroy(step);
    test_release(m->context, d);
    free(rho);
    free(gradient);
    free(tau);
}

static void check_functional(molecule *m, const oracle *o, int spins, const double *density,
                             size_t which)
{
    const char *name = functionals[which].name;
    const int n = m->basis.functions;
    const size_t packed_size = (size_t)spins * (size_t)(n * (n + 1) / 2);
    double *potential = zeros(spins * m->square), *expected = zeros(spins * m->square);
    double *packed = zeros((int64_t)packed_size);
    double energy, trace[2], electrons[2];
    tsl_xc_step_sums sums;
    tsl_xc_step *step = open_step(m, functionals[which].functional, spins, 1e-14, 0);
    run(m, step, spins, density, potential, &sums);
    assert_int_equal(oracle_numbers(o, "e_xc_semilocal_part", name, &energy, 1), 1);
    assert_int_equal(oracle_numbers(o, NULL, "n_electrons_grid", electrons, 2), spins);
    if (fabs(sums.energy - energy) > 1e-10) {
        print_error("%s: energy differs by %g\n", name, sums.energy - energy);
    }
    assert_true(fabs(sums.energy - energy) < 1e-10);
    for (int s = 0; s < spins; s++) {
        assert_true(fabs(sums.electrons[s] - electrons[s]) < 1e-11);
    }
    const bool is_traced = strchr("SPBr", name[0]) == NULL || strcmp(name, "PBE0") == 0 ||
                           strcmp(name, "BLYP") == 0 || strcmp(name, "SCAN") == 0 ||
                           strcmp(name, "B3LYP5") == 0;
    if (is_traced) {
        assert_int_equal(oracle_numbers(o, "trace_with_density", name, trace, 2), spins);
        for (int s = 0; s < spins; s++) {
            double sum = 0;
            for (int64_t i = 0; i < m->square; i++) {
                sum += potential[s * m->square + i] * density[s * m->square + i];
            }
            if (fabs(sum - trace[s]) > 1e-10) {
                print_error("%s: trace differs by %g\n", name, sum - trace[s]);
            }
            assert_true(fabs(sum - trace[s]) < 1e-10);
        }
    } else {
        assert_int_equal(oracle_numbers(o, "v_xc_matrix", name, packed, packed_size), packed_size);
        unpack(expected, packed, spins, n);
        const double error = largest(potential, expected, spins * m->square);
        if (error > 1e-11) {
            print_error("%s: matrix differs by %g\n", name, error);
        }
        assert_true(error < 1e-11);
    }
    tsl_xc_step_destroy(step);
    free(potential);
    free(expected);
    free(packed);
}

static void check_molecule(const char *file, const char *key, int spins, const int *element,
                           int count)
{
    enum { MOST_POINTS = 2000, MOST_FUNCTIONS = 32 };
    oracle o;
    if (!oracle_open(&o, file)) {
        skip();
    }
    double position[3 * MOST_ATOMS + 3], packed[MOST_FUNCTIONS * MOST_FUNCTIONS * 2];
    double *points = zeros(3 * MOST_POINTS);
    molecule m;
    const size_t coordinates = oracle_numbers(&o, NULL, "xyz_bohr", position, 3 * (size_t)count);
    assert_int_equal(coordinates, 3 * count);
    open_molecule(&m, test_context("cpu", 2), count, element, position, "def2-svp", false);
    const size_t numbers = oracle_numbers(&o, NULL, "grid_coords_bohr", points, 3 * MOST_POINTS);
    m.grid.points = (int64_t)numbers / 3;
    m.grid.position[0] = tsl_allocate(numbers * sizeof(double));
    m.grid.weight = tsl_allocate(numbers * sizeof(double));
    for (int axis = 0; axis < 3; axis++) {
        m.grid.position[axis] = m.grid.position[0] + axis * m.grid.points;
        for (int64_t p = 0; p < m.grid.points; p++) {
            m.grid.position[axis][p] = points[3 * p + axis];
        }
    }
    assert_int_equal(oracle_numbers(&o, NULL, "grid_weights", m.grid.weight, (size_t)m.grid.points),
                     m.grid.points);
    double *density = zeros(spins * m.square);
    const int n = m.basis.functions;
    assert_int_equal(oracle_numbers(&o, NULL, key, packed, (size_t)(spins * n * (n + 1) / 2)),
                     spins * n * (n + 1) / 2);
    unpack(density, packed, spins, n);
    check_points(&m, &o, spins, density);
    for (size_t f = 0; f < sizeof functionals / sizeof *functionals; f++) {
        check_functional(&m, &o, spins, density, f);
    }
    free(density);
    free(points);
    oracle_close(&o);
    tsl_context *context = m.context;
    close_molecule(&m);
    tsl_context_destroy(context);
}

static void closed_shells_are_pyscfs(void **state)
{
    (void)state;
    check_molecule("fixed_density_h2o.json", "density_matrix", 1, (const int[]){8, 1, 1}, 3);
}

static void open_shells_are_pyscfs(void **state)
{
    (void)state;
    check_molecule("fixed_density_oh.json", "density_matrix_alpha_beta", 2, (const int[]){8, 1}, 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(closed_shells_are_pyscfs),
        cmocka_unit_test(open_shells_are_pyscfs),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
