/* Exchange and correlation on a grid: against PySCF's on one density and one set of points, against
 * closed forms and differences, and devices and threads against each other. */
/* ctest: cost 30, full with sanitizers */
#include "support/devices.h"

#include <math.h>
#include <stdio.h>
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
    const tsl_scf_set *sets[TSL_ELEMENTS + 1] = {0};
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

/* ---- without PySCF -------------------------------------------------------------------------- */

/* Shells of each l from s to g, some contracted; a tight and a diffuse s; 71 functions, which are
 * more than a GPU's tile has. */
static const char all_kinds[] =
    "H 0\nS 3 1.0\n213.1 0.05\n28.345 0.4\n0.34526 0.7\nP 2 1.0\n4.8846 0.3\n0.61437 0.8\n"
    "G 1 1.0\n0.93324 1\nD 1 1.0\n1.1 1\nF 1 1.0\n0.8 1\n****\n"
    "He 0\nD 2 1.0\n2.68294 0.4\n0.78 0.6\nS 1 1.0\n0.084815 1\nG 1 1.0\n1.2 1\nF 1 1.0\n1.0 1\n"
    "****\n"
    "Li 0\nF 2 1.0\n0.75899 1\n1.5 0.5\nP 1 1.0\n0.971928 1\nD 1 1.0\n0.6 1\nG 1 1.0\n0.9 1\n"
    "****\n";
static const int three[3] = {1, 2, 3};
static const double bent[9] = {0.007093, 0.270278,  -0.213504, 1.16919, -0.512901,
                               1.253996, -0.903378, 1.545519,  0.229756};

/* A density matrix that is positive, symmetric, and not diagonal; each spin its own. */
static void make_density(double *out, int n, int spins)
{
    uint64_t seed = 5;
    double *orbital = zeros(n);
    memset(out, 0, sizeof *out * (size_t)(spins * n * n));
    for (int s = 0; s < spins; s++) {
        for (int o = 0; o < 9 - s; o++) {
            for (int i = 0; i < n; i++) {
                orbital[i] = 0.2 * test_uniform(&seed);
            }
            for (int i = 0; i < n; i++) {
                for (int j = 0; j < n; j++) {
                    out[(s * n + i) * n + j] += 2.0 / spins * orbital[i] * orbital[j];
                }
            }
        }
    }
    free(orbital);
}

/* Functions are normalised and harmonics orthogonal to each other: electrons on a fine grid are
 * occupations, function by function. */
static void functions_have_norm_one(void **state)
{
    (void)state;
    const double origin[3] = {0.3, -0.2, 0.1};
    static const char *const names[] = {"S", "P", "D", "F", "G"};
    tsl_context *context = test_context("cpu", 2);
    for (int l = 0; l <= 4; l++) {
        for (int cartesian = 0; cartesian < 2; cartesian++) {
            char text[100];
            molecule m;
            tsl_xc_step_sums sums;
            snprintf(text, sizeof text, "H 0\n%s 2 1.0\n1.3 0.4\n0.6 0.7\n****\n", names[l]);
            open_molecule(&m, context, 1, three, origin, text, cartesian != 0);
            make_grid(&m, "50x86");
            tsl_xc_step *step = open_step(&m, "lda_x", 1, 1e-13, 0);
            double *density = zeros(m.square), *potential = zeros(m.square);
            const int n = m.basis.functions;
            for (int i = 0; i < n; i++) {
                for (int j = 0; j <= i; j++) {
                    if (cartesian && i != j) {
                        continue;
                    }
                    memset(density, 0, sizeof *density * (size_t)m.square);
                    density[i * n + j] = density[j * n + i] = 1;
                    run(&m, step, 1, density, potential, &sums);
                    assert_true(fabs(sums.electrons[0] - (i == j ? 1 : 0)) < 1e-10);
                }
            }
            tsl_xc_step_destroy(step);
            close_molecule(&m);
            free(density);
            free(potential);
        }
    }
    tsl_context_destroy(context);
}

/* Slater's exchange of a Gaussian density in closed form: rho = 2 (2 a / pi)^(3/2) exp(-2 a r^2),
 * E = -3/4 (3 / pi)^(1/3) integral rho^(4/3). */
static void exchange_of_a_gaussian_is_exact(void **state)
{
    (void)state;
    const double a = 0.7, origin[3] = {0.3, -0.2, 0.1}, density = 2;
    double potential = 0;
    molecule m;
    tsl_xc_step_sums sums;
    tsl_context *context = test_context("cpu", 1);
    open_molecule(&m, context, 1, three, origin, "H 0\nS 1 1.0\n0.7 1.0\n****\n", false);
    make_grid(&m, "75x110");
    tsl_xc_step *step = open_step(&m, "lda_x", 1, 1e-13, 0);
    run(&m, step, 1, &density, &potential, &sums);
    const double height = 2 * pow(2 * a / M_PI, 1.5);
    const double exact =
        -0.75 * cbrt(3 / M_PI) * pow(height, 4.0 / 3) * pow(M_PI / (8 * a / 3), 1.5);
    assert_true(fabs(sums.energy - exact) < 1e-10);
    /* E goes as the 4/3rd power of the density, so that D V = 4/3 E. */
    assert_true(fabs(density * potential - 4 * exact / 3) < 1e-10);
    tsl_xc_step_destroy(step);
    close_molecule(&m);
    tsl_context_destroy(context);
}

/* V is the derivative of E by each element of D, on the same points. */
static void potential_is_the_derivative(void **state)
{
    (void)state;
    static const char *const names[] = {"lda_x + lda_c_vwn", "pbe", "r2scan"};
    tsl_context *context = test_context("cpu", 2);
    for (int spins = 1; spins <= 2; spins++) {
        for (int cartesian = 0; cartesian < 2; cartesian++) {
            molecule m;
            open_molecule(&m, context, 3, three, bent, all_kinds, cartesian != 0);
            make_grid(&m, "10x26");
            const int n = m.basis.functions;
            double *density = zeros(spins * m.square), *potential = zeros(spins * m.square);
            double *other = zeros(spins * m.square);
            make_density(density, n, spins);
            for (int f = 0; f < 3; f++) {
                tsl_xc_step_sums sums, up, down;
                uint64_t seed = 3;
                tsl_xc_step *step = open_step(&m, names[f], spins, 1e-14, 0);
                run(&m, step, spins, density, potential, &sums);
                for (int k = 0; k < 4; k++) {
                    const int s = k % spins;
                    const int i = (int)(test_random(&seed) % (uint64_t)n);
                    const int j = (int)(test_random(&seed) % (uint64_t)n);
                    const double h = 1e-5, before = density[(s * n + i) * n + j];
                    assert_true(potential[(s * n + i) * n + j] == potential[(s * n + j) * n + i]);
                    density[(s * n + i) * n + j] = density[(s * n + j) * n + i] = before + h;
                    run(&m, step, spins, density, other, &up);
                    density[(s * n + i) * n + j] = density[(s * n + j) * n + i] = before - h;
                    run(&m, step, spins, density, other, &down);
                    density[(s * n + i) * n + j] = density[(s * n + j) * n + i] = before;
                    const double slope = (up.energy - down.energy) / (2 * h);
                    const double own = potential[(s * n + i) * n + j] * (i == j ? 1 : 2);
                    if (fabs(slope - own) > 2e-8 * fmax(1, fabs(own))) {
                        print_error("%s, spin %d, %d %d: %.12g, not %.12g\n", names[f], s, i, j,
                                    own, slope);
                    }
                    assert_true(fabs(slope - own) < 2e-8 * fmax(1, fabs(own)));
                }
                tsl_xc_step_destroy(step);
            }
            free(density);
            free(potential);
            free(other);
            close_molecule(&m);
        }
    }
    tsl_context_destroy(context);
}

/* Devices agree; on the CPU neither threads nor the size of batches change a bit, nor does a second
 * run with one plan. */
static void devices_and_threads_agree(void **state)
{
    (void)state;
    static const struct {
        const char *functional;
        int spins, cartesian;
    } cases[] = {{"lda_x + lda_c_vwn", 1, 0}, {"pbe", 1, 1}, {"pbe", 2, 0}, {"r2scan", 2, 1}};
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        double *first = NULL, *density = NULL, *potential = NULL;
        tsl_xc_step_sums first_sums = {.energy = 0}, sums;
        for (int d = 0; d < test_device_count(); d++) {
            for (int threads = 1; threads <= 3; threads += 2) {
                molecule m;
                const int spins = cases[c].spins;
                tsl_context *context = test_context(test_devices[d], threads);
                open_molecule(&m, context, 3, three, bent, all_kinds, cases[c].cartesian != 0);
                make_grid(&m, "9x26");
                if (first == NULL) {
                    first = zeros(spins * m.square);
                    density = zeros(spins * m.square);
                    potential = zeros(spins * m.square);
                    make_density(density, m.basis.functions, spins);
                }
                tsl_xc_step *step =
                    open_step(&m, cases[c].functional, spins, 1e-12, threads > 1 ? 1 : 0);
                for (int again = 0; again < 2; again++) {
                    run(&m, step, spins, density, potential, &sums);
                    if (d == 0 && threads == 1 && again == 0) {
                        memcpy(first, potential, sizeof *first * (size_t)(spins * m.square));
                        first_sums = sums;
                    }
                    const double error = largest(first, potential, spins * m.square);
                    const double bound = d == 0 ? 0 : 1e-11;
                    if (error > bound) {
                        print_error("%s on %s: %g\n", cases[c].functional, test_devices[d], error);
                    }
                    assert_true(error <= bound);
                    assert_true(fabs(sums.energy - first_sums.energy) <= bound);
                    assert_true(fabs(sums.electrons[spins - 1] - first_sums.electrons[spins - 1]) <=
                                bound);
                }
                tsl_xc_step_destroy(step);
                close_molecule(&m);
                tsl_context_destroy(context);
            }
        }
        free(first);
        free(density);
        free(potential);
    }
}

/* A run takes nothing and copies three numbers. */
static void runs_take_no_memory(void **state)
{
    (void)state;
    for (int d = 0; d < test_device_count(); d++) {
        molecule m;
        tsl_xc_step_sums sums;
        tsl_context *context = test_context(test_devices[d], 2);
        open_molecule(&m, context, 3, three, bent, all_kinds, false);
        make_grid(&m, "6x14");
        double *density = zeros(m.square);
        make_density(density, m.basis.functions, 1);
        tsl_xc_step *step = open_step(&m, "pbe", 1, 1e-10, 0);
        double *at = test_upload(context, density, 8 * m.square);
        double *out = test_upload(context, density, 8 * m.square);
        assert_int_equal(tsl_xc_step_run(step, at, out, &sums), TSL_OK);
        tsl_test_fail_device_allocation(context, 0);
        if (d == 0) {
            tsl_test_fail_allocation(0);
        }
        assert_int_equal(tsl_xc_step_run(step, at, out, &sums), TSL_OK);
        assert_int_equal(tsl_test_fail_device_allocation(context, 0), 0);
        if (d == 0) {
            assert_int_equal(tsl_test_fail_allocation(0), 0);
        }
        test_release(context, at);
        test_release(context, out);
        tsl_xc_step_destroy(step);
        close_molecule(&m);
        free(density);
        tsl_context_destroy(context);
    }
}

static tsl_status make_step(tsl_context *context, void *user)
{
    tsl_xc_step *step = NULL;
    const molecule *m = user;
    const tsl_xc_step_options options = TSL_XC_STEP_OPTIONS_INIT;
    const tsl_status status = tsl_xc_step_create(&step, context, &m->basis, &m->grid, &options);
    tsl_xc_step_destroy(step);
    return status;
}

static void every_failing_allocation_is_survived(void **state)
{
    (void)state;
    for (int d = 0; d < test_device_count(); d++) {
        molecule m;
        tsl_context *context = test_context(test_devices[d], 1);
        open_molecule(&m, context, 3, three, bent, all_kinds, false);
        make_grid(&m, "3x6");
        assert_true(test_survives_no_memory(context, make_step, &m) > 0);
        close_molecule(&m);
        tsl_context_destroy(context);
    }
}

static void bad_steps_are_refused(void **state)
{
    (void)state;
    molecule m;
    tsl_context *context = test_context("cpu", 1);
    open_molecule(&m, context, 3, three, bent, all_kinds, false);
    make_grid(&m, "3x6");
    const tsl_xc_step_options bad[] = {
        {"pbee", 1, 1e-10, 0}, {"pbe", 3, 1e-10, 0}, {"pbe", 1, 0, 0}, {"pbe", 1, 1, 0}};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        tsl_xc_step *step = NULL;
        assert_int_equal(tsl_xc_step_create(&step, context, &m.basis, &m.grid, &bad[i]), TSL_E_ARG);
        assert_null(step);
    }
    close_molecule(&m);
    tsl_context_destroy(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(functions_have_norm_one),
        cmocka_unit_test(exchange_of_a_gaussian_is_exact),
        cmocka_unit_test(potential_is_the_derivative),
        cmocka_unit_test(devices_and_threads_agree),
        cmocka_unit_test(runs_take_no_memory),
        cmocka_unit_test(every_failing_allocation_is_survived),
        cmocka_unit_test(bad_steps_are_refused),
        cmocka_unit_test(closed_shells_are_pyscfs),
        cmocka_unit_test(open_shells_are_pyscfs),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
