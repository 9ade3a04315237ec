/* Coulomb matrix, energy and electrostatic potential of given densities, against PySCF's. */
#include "support/devices.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "oracle.h"
#include "solvers/scf/scf.h"

enum { MOST_ATOMS = 3, MOST_FUNCTIONS = 24, POINTS = 5 };

typedef struct molecule {
    tsl_context *context;
    int element[MOST_ATOMS];
    double charge[MOST_ATOMS], position[3 * MOST_ATOMS];
    tsl_scf_atoms atoms;
    tsl_scf_set set;
    tsl_scf_basis basis;
    tsl_scf_tables *tables;
    int spins;
    size_t n, square, triangle;
    double density[2 * MOST_FUNCTIONS * MOST_FUNCTIONS];
} molecule;

/* Lower triangles, one after the other. */
static void read_matrices(double *out, const molecule *m, const oracle *o, const char *key)
{
    double packed[MOST_FUNCTIONS * (MOST_FUNCTIONS + 1)];
    assert_int_equal(oracle_numbers(o, NULL, key, packed, sizeof packed / sizeof *packed),
                     (size_t)m->spins * m->triangle);
    const double *at = packed;
    for (int spin = 0; spin < m->spins; spin++) {
        double *matrix = out + (size_t)spin * m->square;
        for (size_t i = 0; i < m->n; i++) {
            for (size_t j = 0; j <= i; j++) {
                matrix[i * m->n + j] = matrix[j * m->n + i] = *at++;
            }
        }
    }
}

static void open_basis(tsl_scf_basis *out, tsl_scf_set *set, const molecule *m, const char *name)
{
    const tsl_scf_set *sets[TSL_ELEMENTS + 1] = {0};
    assert_int_equal(tsl_scf_set_load(set, m->context, name), TSL_OK);
    for (int a = 0; a < m->atoms.count; a++) {
        sets[m->element[a]] = set;
    }
    assert_int_equal(tsl_scf_basis_create(out, m->context, &m->atoms, sets, false, TSL_SCF_MAX_L),
                     TSL_OK);
}

static void open_molecule(molecule *m, const oracle *o, const int *elements, int count, int spins)
{
    memset(m, 0, sizeof *m);
    m->context = test_context("cpu", 2);
    m->spins = spins;
    for (int a = 0; a < count; a++) {
        m->charge[a] = m->element[a] = elements[a];
    }
    assert_int_equal(oracle_numbers(o, NULL, "xyz_bohr", m->position, 3 * MOST_ATOMS), 3 * count);
    m->atoms = (tsl_scf_atoms){count, m->element, m->charge, m->position};
    open_basis(&m->basis, &m->set, m, "def2-svp");
    assert_int_equal(tsl_scf_tables_create(&m->tables, m->context), TSL_OK);
    m->n = (size_t)m->basis.functions;
    m->square = m->n * m->n;
    m->triangle = m->n * (m->n + 1) / 2;
    read_matrices(m->density, m, o, spins == 1 ? "density_matrix" : "density_matrix_alpha_beta");
}

static void close_molecule(molecule *m)
{
    tsl_release(m->tables);
    tsl_scf_basis_release(&m->basis);
    tsl_scf_set_release(&m->set);
    tsl_context_destroy(m->context);
}

static void sum_spins(double *out, const molecule *m)
{
    for (size_t i = 0; i < m->square; i++) {
        out[i] = m->density[i] + (m->spins == 2 ? m->density[m->square + i] : 0);
    }
}

/* J of each spin's density, and the energy of all electrons'; `name` NULL: without a fit. */
static void check_matrix(molecule *m, const oracle *o, const char *name, const char *key,
                         const char *energy_key)
{
    double wanted[2 * MOST_FUNCTIONS * MOST_FUNCTIONS], total[MOST_FUNCTIONS * MOST_FUNCTIONS];
    double j[MOST_FUNCTIONS * MOST_FUNCTIONS], energy, wanted_energy, worst = 0;
    tsl_scf_set set = {0};
    tsl_scf_basis auxiliary = {0};
    tsl_scf_coulomb coulomb;
    if (name != NULL) {
        open_basis(&auxiliary, &set, m, name);
    }
    assert_int_equal(tsl_scf_coulomb_create(&coulomb, m->context, m->tables, &m->basis,
                                            name != NULL ? &auxiliary : NULL, 0, 1 << 20),
                     TSL_OK);
    read_matrices(wanted, m, o, key);
    for (int spin = 0; spin < m->spins; spin++) {
        const size_t at = (size_t)spin * m->square;
        assert_int_equal(tsl_scf_coulomb_apply(&coulomb, m->context, m->density + at, j, &energy),
                         TSL_OK);
        for (size_t i = 0; i < m->square; i++) {
            worst = fmax(worst, fabs(j[i] - wanted[at + i]));
        }
    }
    sum_spins(total, m);
    assert_int_equal(tsl_scf_coulomb_apply(&coulomb, m->context, total, j, &energy), TSL_OK);
    assert_int_equal(oracle_numbers(o, NULL, energy_key, &wanted_energy, 1), 1);
    print_message("%s: largest difference %.1e, of the energy %.1e hartree\n", key, worst,
                  fabs(energy - wanted_energy));
    assert_true(worst < 1e-11);
    assert_true(fabs(energy - wanted_energy) < 1e-10);
    tsl_scf_coulomb_release(&coulomb);
    tsl_scf_basis_release(&auxiliary);
    tsl_scf_set_release(&set);
}

/* The electrons' potential at a point is minus the attraction of D's electrons by a charge of 1. */
static void check_potential(molecule *m, const oracle *o)
{
    double at[3 * POINTS], electrons[POINTS], all[POINTS], worst = 0;
    double total[MOST_FUNCTIONS * MOST_FUNCTIONS], v[MOST_FUNCTIONS * MOST_FUNCTIONS];
    sum_spins(total, m);
    assert_int_equal(oracle_numbers(o, "esp", "points_bohr", at, 3 * POINTS), 3 * POINTS);
    assert_int_equal(oracle_numbers(o, "esp", "electrons", electrons, POINTS), POINTS);
    assert_int_equal(oracle_numbers(o, "esp", "total", all, POINTS), POINTS);
    for (int k = 0; k < POINTS; k++) {
        const double one = 1, *r = at + 3 * (size_t)k;
        double nuclei = 0;
        assert_int_equal(tsl_scf_attraction(v, m->context, m->tables, &m->basis, 1, &one, r, 0),
                         TSL_OK);
        const double found = tsl_scf_trace(total, v, (int64_t)m->square);
        for (int a = 0; a < m->atoms.count; a++) {
            const double *s = m->position + 3 * (size_t)a;
            nuclei += m->charge[a] / hypot(hypot(r[0] - s[0], r[1] - s[1]), r[2] - s[2]);
        }
        worst = fmax(worst, fabs(found - electrons[k]));
        worst = fmax(worst, fabs(found + nuclei - all[k]));
    }
    print_message("potential: largest difference %.1e\n", worst);
    assert_true(worst < 1e-11);
}

static void check(const char *name, const int *elements, int count, int spins)
{
    oracle o;
    molecule m;
    if (!oracle_open(&o, name)) {
        skip();
    }
    open_molecule(&m, &o, elements, count, spins);
    check_matrix(&m, &o, NULL, "J_exact", "e_coulomb_exact");
    check_matrix(&m, &o, "def2-universal-jfit", "J_df_jfit", "e_coulomb_df_jfit");
    check_matrix(&m, &o, "def2-universal-jkfit", "J_df_jkfit", "e_coulomb_df_jkfit");
    check_potential(&m, &o);
    close_molecule(&m);
    oracle_close(&o);
}

static void water_is_pyscfs(void **state)
{
    (void)state;
    check("fixed_density_h2o.json", (const int[]){8, 1, 1}, 3, 1);
}

static void hydroxyl_is_pyscfs(void **state)
{
    (void)state;
    check("fixed_density_oh.json", (const int[]){8, 1}, 2, 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(water_is_pyscfs),
                                       cmocka_unit_test(hydroxyl_is_pyscfs)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
