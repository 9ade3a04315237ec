/* Integrals over Gaussian functions against closed forms, invariances and tables of libcint. */
#include "support/devices.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "oracle.h"
#include "solvers/scf/basis/set.h"
#include "solvers/scf/integrals/integrals.h"

typedef struct molecule {
    tsl_context *context;
    int element[3];
    double charge[3], position[9];
    tsl_scf_atoms atoms;
    tsl_scf_set orbital_set, auxiliary_set;
    tsl_scf_basis basis, auxiliary;
    tsl_scf_tables *tables;
    tsl_scf_partners *partners;
} molecule;

/* The basis sets of the tables of libcint. */
static const char orbital_text[] =
    "H 0\nS 3 1.0\n213.1 0.05\n28.345 0.4\n0.34526 0.7\nP 2 1.0\n4.8846 0.3\n0.61437 0.8\nG 1 "
    "1.0\n0.53324 1\n"
    "****\nHe 0\nD 1 1.0\n0.68294 1\nS 1 1.0\n0.024815 1\n****\nLi 0\nF 1 1.0\n0.75899 1\nP 2 1.0\n"
    "159.76 0.1\n0.071928 0.9\n****\n";
static const char auxiliary_text[] = "H 0\nS 1 1.0\n281.41 1\nD 1 1.0\n0.89579 1\n****\nHe 0\nP 1 "
                                     "1.0\n0.42781 1\nG 1 1.0\n2.8982 1\n****\n"
                                     "Li 0\nS 1 1.0\n0.47008 1\nF 1 1.0\n1.723 1\n****\n";

static const double centers[9] = {0.007093, 0.270278,  -0.213504, 1.16919, -0.512901,
                                  1.253996, -0.903378, 1.545519,  0.229756};

static void build(molecule *m, int threads, bool cartesian, const double *positions)
{
    const tsl_scf_set *orbital[TSL_ELEMENTS + 1] = {0}, *auxiliary[TSL_ELEMENTS + 1] = {0};
    memset(m, 0, sizeof *m);
    m->context = test_context("cpu", threads);
    for (int a = 0; a < 3; a++) {
        m->element[a] = a + 1;
        m->charge[a] = a + 1;
    }
    memcpy(m->position, positions, sizeof m->position);
    m->atoms = (tsl_scf_atoms){3, m->element, m->charge, m->position};
    assert_int_equal(tsl_scf_set_parse(&m->orbital_set, m->context, "orbital", orbital_text,
                                       strlen(orbital_text)),
                     TSL_OK);
    assert_int_equal(tsl_scf_set_parse(&m->auxiliary_set, m->context, "auxiliary", auxiliary_text,
                                       strlen(auxiliary_text)),
                     TSL_OK);
    for (int a = 1; a <= 3; a++) {
        orbital[a] = &m->orbital_set;
        auxiliary[a] = &m->auxiliary_set;
    }
    assert_int_equal(tsl_scf_basis_create(&m->basis, m->context, &m->atoms, orbital, cartesian, 4),
                     TSL_OK);
    assert_int_equal(
        tsl_scf_basis_create(&m->auxiliary, m->context, &m->atoms, auxiliary, cartesian, 6),
        TSL_OK);
    assert_int_equal(tsl_scf_tables_create(&m->tables, m->context), TSL_OK);
    assert_int_equal(tsl_scf_partners_create(&m->partners, m->context, &m->auxiliary), TSL_OK);
}

static void release(molecule *m)
{
    tsl_scf_partners_destroy(m->partners);
    tsl_release(m->tables);
    tsl_scf_basis_release(&m->basis);
    tsl_scf_basis_release(&m->auxiliary);
    tsl_scf_set_release(&m->orbital_set);
    tsl_scf_set_release(&m->auxiliary_set);
    tsl_context_destroy(m->context);
}

static double *numbers(size_t count)
{
    double *memory = calloc(count + 1, sizeof *memory);
    assert_non_null(memory);
    return memory;
}

/* ---- the Boys function ---------------------------------------------------------------------- */

/* By its series, in long double. */
static long double boys(int m, long double x)
{
    long double term = 1 / (2 * (long double)m + 1), sum = term;
    for (int i = 1; term > sum * 1e-20L; i++) {
        term *= 2 * x / (2 * (m + i) + 1);
        sum += term;
    }
    return expl(-x) * sum;
}

static void boys_is_its_series(void **state)
{
    static double table[TSL_BOYS_ROWS * TSL_BOYS_COLUMNS];
    (void)state;
    tsl_boys_fill(table);
    double worst = 0;
    for (int i = 0; i < 3000; i++) { /* across every point of the table, and its end */
        const double x = i < 2900 ? 0.0171 * i : 0.5 * (i - 2820) - 3e-9;
        double f[TSL_BOYS_MAX + 1];
        for (int m = 0; m <= TSL_BOYS_MAX; m += 8) {
            tsl_boys(f, m, x, table);
            for (int k = m > 7 ? m - 7 : 0; k <= m; k++) {
                worst = fmax(worst, fabs((double)(f[k] / boys(k, x) - 1)));
            }
        }
    }
    print_message("Boys function: largest relative error %.1e\n", worst);
    assert_true(worst < 1e-14);
}

static void boys_is_as_tabulated(void **state)
{
    enum { ORDERS = 25 };
    static double table[TSL_BOYS_ROWS * TSL_BOYS_COLUMNS], x[64], f[ORDERS * 64];
    oracle o;
    (void)state;
    if (!oracle_open(&o, "boys.json")) {
        skip();
    }
    tsl_boys_fill(table);
    const size_t count = oracle_numbers(&o, NULL, "T", x, 64);
    assert_int_equal(oracle_numbers(&o, NULL, "F", f, ORDERS * 64), ORDERS * count);
    for (size_t i = 0; i < count; i++) {
        double got[ORDERS];
        tsl_boys(got, ORDERS - 1, x[i], table);
        for (int m = 0; m < ORDERS; m++) {
            const double wanted = f[(size_t)m * count + i];
            assert_true(fabs(got[m] - wanted) <= (m <= 16 ? 1e-14 : 1e-13) * wanted);
        }
    }
    oracle_close(&o);
}

/* ---- closed forms --------------------------------------------------------------------------- */

/* s functions of exponents a and b at a distance: overlap, kinetic energy, attraction by a charge
 * in the middle, repulsion of an auxiliary s function (A. Szabo, N. S. Ostlund, Modern Quantum
 * Chemistry, app. A). */
static void s_functions_have_closed_forms(void **state)
{
    static const char set[] = "H 0\nS 1 1.0\n1.3 1\n****\nHe 0\nS 1 1.0\n0.4 1\n****\n";
    const double a = 1.3, b = 0.4, r = 1.7, p = a + b, mu = a * b / p;
    const double norm = pow(2 * a / M_PI, 0.75) * pow(2 * b / M_PI, 0.75);
    int element[2] = {1, 2};
    double charge[2] = {0, 0}, position[6] = {0, 0, 0, 0, 0, r};
    const tsl_scf_atoms atoms = {2, element, charge, position};
    const tsl_scf_set *set_of[TSL_ELEMENTS + 1] = {0};
    tsl_scf_set parsed;
    tsl_scf_basis basis;
    tsl_scf_tables *tables;
    tsl_scf_partners *partners;
    double s[4], t[4], v[4], metric[4];
    (void)state;
    tsl_context *context = test_context("cpu", 1);
    assert_int_equal(tsl_scf_set_parse(&parsed, context, "set", set, strlen(set)), TSL_OK);
    set_of[1] = set_of[2] = &parsed;
    assert_int_equal(tsl_scf_basis_create(&basis, context, &atoms, set_of, false, 4), TSL_OK);
    assert_int_equal(tsl_scf_tables_create(&tables, context), TSL_OK);
    const tsl_scf_one_electron one = {s, t, {NULL, NULL, NULL}};
    assert_int_equal(tsl_scf_one_electron_fill(&one, context, &basis, 0), TSL_OK);
    const double overlap = norm * pow(M_PI / p, 1.5) * exp(-mu * r * r);
    assert_true(fabs(s[1] - overlap) < 1e-15 && fabs(s[0] - 1) < 1e-15 && s[1] == s[2]);
    assert_true(fabs(t[1] - overlap * mu * (3 - 2 * mu * r * r)) < 1e-15);
    const double q = 0.7, at[3] = {0.2, -0.5, 0.9};
    assert_int_equal(tsl_scf_attraction(v, context, tables, &basis, 1, &q, at, 0), TSL_OK);
    const double z = b * r / p - at[2], x = p * (at[0] * at[0] + at[1] * at[1] + z * z);
    const double wanted =
        -q * norm * 2 * M_PI / p * exp(-mu * r * r) * 0.5 * sqrt(M_PI / x) * erf(sqrt(x));
    assert_true(fabs(v[1] - wanted) < 1e-15);
    assert_int_equal(tsl_scf_partners_create(&partners, context, &basis), TSL_OK);
    assert_int_equal(tsl_scf_coulomb2(metric, context, tables, &basis, partners, 0), TSL_OK);
    const double f0 = 0.5 * sqrt(M_PI / (mu * r * r)) * erf(sqrt(mu) * r);
    assert_true(fabs(metric[1] - norm * 2 * pow(M_PI, 2.5) / (a * b * sqrt(p)) * f0) < 1e-13);
    tsl_scf_partners_destroy(partners);
    tsl_release(tables);
    tsl_scf_basis_release(&basis);
    tsl_scf_set_release(&parsed);
    tsl_context_destroy(context);
}

/* ---- matrices ------------------------------------------------------------------------------- */

typedef struct matrices {
    size_t n, m; /* functions, auxiliary functions */
    double *overlap, *kinetic, *nuclear, *dipole[3], *metric, *attenuated, *three;
} matrices;

static void fill_three(const molecule *m, double *out)
{
    const size_t n = (size_t)m->basis.functions, a = (size_t)m->auxiliary.functions;
    double *block = numbers(256 * a);
    tsl_scf_coulomb3_work work;
    assert_int_equal(tsl_scf_coulomb3_work_create(&work, m->context, &m->basis, m->partners),
                     TSL_OK);
    for (int i = 0; i < m->basis.shells; i++) {
        for (int j = 0; j <= i; j++) {
            const tsl_scf_shell *s = &m->basis.shell[i], *t = &m->basis.shell[j];
            if (!tsl_scf_coulomb3(block, &work, m->tables, &m->basis, i, j, m->partners, 1e-20,
                                  0)) {
                continue;
            }
            for (int f = 0; f < s->functions; f++) {
                for (int g = 0; g < t->functions; g++) {
                    memcpy(out + ((size_t)(s->function + f) * n + (size_t)(t->function + g)) * a,
                           block + (size_t)(f * t->functions + g) * a, a * sizeof *out);
                }
            }
        }
    }
    tsl_scf_coulomb3_work_release(&work);
    free(block);
}

static void fill(matrices *out, const molecule *m)
{
    const size_t n = (size_t)m->basis.functions, a = (size_t)m->auxiliary.functions;
    double **const square[] = {&out->overlap,   &out->kinetic,   &out->nuclear,
                               &out->dipole[0], &out->dipole[1], &out->dipole[2]};
    for (size_t i = 0; i < sizeof square / sizeof *square; i++) {
        *square[i] = numbers(n * n);
    }
    out->n = n;
    out->m = a;
    out->metric = numbers(a * a);
    out->attenuated = numbers(a * a);
    out->three = numbers(n * n * a);
    const tsl_scf_one_electron one = {
        out->overlap, out->kinetic, {out->dipole[0], out->dipole[1], out->dipole[2]}};
    assert_int_equal(tsl_scf_one_electron_fill(&one, m->context, &m->basis, 0), TSL_OK);
    assert_int_equal(tsl_scf_attraction(out->nuclear, m->context, m->tables, &m->basis, 3,
                                        m->charge, m->position, 0),
                     TSL_OK);
    assert_int_equal(
        tsl_scf_coulomb2(out->metric, m->context, m->tables, &m->auxiliary, m->partners, 0),
        TSL_OK);
    assert_int_equal(
        tsl_scf_coulomb2(out->attenuated, m->context, m->tables, &m->auxiliary, m->partners, 0.33),
        TSL_OK);
    fill_three(m, out->three);
}

static void release_matrices(matrices *m)
{
    double *const all[] = {m->overlap,   m->kinetic, m->nuclear,    m->dipole[0], m->dipole[1],
                           m->dipole[2], m->metric,  m->attenuated, m->three};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        free(all[i]);
    }
}

/* The norm that PySCF gives each Cartesian function; 1 of spherical ones. */
static void scales_of(double *out, const tsl_scf_basis *basis)
{
    for (int s = 0; s < basis->shells; s++) {
        const int l = basis->shell[s].l, monomials = (l + 1) * (l + 2) / 2;
        double table[TSL_SCF_MAX_CARTESIAN * TSL_SCF_MAX_CARTESIAN];
        tsl_scf_polynomials(table, l, basis->cartesian);
        for (int f = 0; f < basis->shell[s].functions; f++) {
            out[basis->shell[s].function + f] =
                basis->cartesian && l > 1 ? 1 / table[f * monomials + f] : 1;
        }
    }
}

/* The largest difference of a lower triangle, of `width` numbers an element, to a table, as part of
 * the table's largest. */
static double compare(const double *got, size_t n, size_t width, const double *wanted,
                      const double *rows, const double *last)
{
    double worst = 0, largest = 0;
    size_t k = 0;
    for (size_t i = 0; i < n; i++) {
        for (size_t j = 0; j <= i; j++) {
            for (size_t w = 0; w < width; w++, k++) {
                const double scale = rows[i] * rows[j] * (last != NULL ? last[w] : 1);
                largest = fmax(largest, fabs(wanted[k]));
                worst = fmax(worst, fabs(scale * got[(i * n + j) * width + w] - wanted[k]));
            }
        }
    }
    return worst / largest;
}

static void check_table(const oracle *o, const char *section, const char *key, const double *got,
                        size_t n, size_t width, const double *rows, const double *last)
{
    const size_t count = n * (n + 1) / 2 * width;
    double *wanted = numbers(count + 1);
    assert_int_equal(oracle_numbers(o, section, key, wanted, count + 1), count);
    const double error = compare(got, n, width, wanted, rows, last);
    print_message("%s %s: %.1e of the largest\n", section, key, error);
    assert_true(error < 1e-13);
    free(wanted);
}

static void integrals_are_as_tabulated(void **state)
{
    oracle o;
    (void)state;
    if (!oracle_open(&o, "integrals_synthetic_1.json")) {
        skip();
    }
    for (int cartesian = 0; cartesian < 2; cartesian++) {
        const char *section = cartesian ? "cartesian" : "spherical";
        double rows[64], last[64];
        molecule m;
        matrices x;
        build(&m, 2, cartesian != 0, centers);
        fill(&x, &m);
        scales_of(rows, &m.basis);
        scales_of(last, &m.auxiliary);
        check_table(&o, section, "overlap", x.overlap, x.n, 1, rows, NULL);
        check_table(&o, section, "kinetic", x.kinetic, x.n, 1, rows, NULL);
        check_table(&o, section, "nuclear_Z_1_2_3", x.nuclear, x.n, 1, rows, NULL);
        check_table(&o, section, "coulomb_2c", x.metric, x.m, 1, last, NULL);
        if (!cartesian) {
            check_table(&o, section, "coulomb_2c_erf_omega_0.33", x.attenuated, x.m, 1, last, NULL);
            check_table(&o, section, "coulomb_3c", x.three, x.n, x.m, rows, last);
        }
        release_matrices(&x);
        release(&m);
    }
    oracle_close(&o);
}

/* Integrals are the same wherever the molecule is; the dipole moves with it. */
static void translation_changes_nothing(void **state)
{
    double moved[9];
    molecule m[2];
    matrices x[2];
    (void)state;
    for (int k = 0; k < 9; k++) {
        moved[k] = centers[k] + (k % 3 == 0 ? 3.25 : k % 3 == 1 ? -1.5 : 0.75);
    }
    build(&m[0], 1, false, centers);
    build(&m[1], 3, false, moved);
    fill(&x[0], &m[0]);
    fill(&x[1], &m[1]);
    const size_t n = x[0].n;
    for (size_t i = 0; i < n * n; i++) {
        assert_true(fabs(x[0].overlap[i] - x[1].overlap[i]) < 1e-14);
        assert_true(fabs(x[0].kinetic[i] - x[1].kinetic[i]) < 1e-12);
        assert_true(fabs(x[0].nuclear[i] - x[1].nuclear[i]) < 1e-12);
        assert_true(fabs(x[0].dipole[0][i] + 3.25 * x[0].overlap[i] - x[1].dipole[0][i]) < 1e-12);
    }
    for (size_t i = 0; i < n * n * x[0].m; i++) {
        assert_true(fabs(x[0].three[i] - x[1].three[i]) < 1e-12);
    }
    for (int k = 0; k < 2; k++) {
        release_matrices(&x[k]);
        release(&m[k]);
    }
}

/* Rotation mixes the functions of a shell: the eigenvalues' sum and the matrix's norm stay. */
static void rotation_keeps_norms(void **state)
{
    static const double rotation[9] = {0.36, 0.48, -0.8, -0.8, 0.6, 0, 0.48, 0.64, 0.6};
    double turned[9] = {0};
    molecule m[2];
    matrices x[2];
    double norm[2][4] = {{0}};
    (void)state;
    for (int a = 0; a < 3; a++) {
        for (int k = 0; k < 9; k++) {
            turned[3 * a + k / 3] += rotation[k] * centers[3 * a + k % 3];
        }
    }
    build(&m[0], 1, false, centers);
    build(&m[1], 1, false, turned);
    for (int k = 0; k < 2; k++) {
        fill(&x[k], &m[k]);
        for (size_t i = 0; i < x[k].n * x[k].n; i++) {
            norm[k][0] += x[k].overlap[i] * x[k].overlap[i];
            norm[k][1] += x[k].kinetic[i] * x[k].kinetic[i];
            norm[k][2] += x[k].nuclear[i] * x[k].nuclear[i];
        }
        for (size_t i = 0; i < x[k].m * x[k].m; i++) {
            norm[k][3] += x[k].metric[i] * x[k].metric[i];
        }
        release_matrices(&x[k]);
        release(&m[k]);
    }
    for (int i = 0; i < 4; i++) {
        assert_true(fabs(norm[0][i] - norm[1][i]) < 1e-12 * norm[0][i]);
    }
}

/* (mu nu|lambda sigma) is symmetric under exchange of its pairs, and its diagonal not negative; of
 * an s function as auxiliary and as product it is the integral of three centers. */
static void four_centers_agree_with_the_table(void **state)
{
    double checks[512];
    oracle o;
    molecule m;
    (void)state;
    if (!oracle_open(&o, "integrals_synthetic_1.json")) {
        skip();
    }
    build(&m, 2, false, centers);
    const size_t n = (size_t)m.basis.functions, pairs = n * (n + 1) / 2;
    double *four = numbers(pairs * pairs), square = 0;
    assert_int_equal(tsl_scf_coulomb4(four, m.context, m.tables, &m.basis, 0), TSL_OK);
    assert_int_equal(oracle_numbers(&o, "eri_4c_checks", "diagonal_ijij", checks, 512), pairs);
    for (size_t i = 0; i < n; i++) {
        for (size_t j = 0; j < n; j++) {
            const size_t row = i >= j ? i * (i + 1) / 2 + j : j * (j + 1) / 2 + i;
            for (size_t k = 0; k < n; k++) {
                for (size_t l = 0; l < n; l++) {
                    const size_t column = k >= l ? k * (k + 1) / 2 + l : l * (l + 1) / 2 + k;
                    square += four[row * pairs + column] * four[row * pairs + column];
                }
            }
        }
    }
    for (size_t i = 0; i < pairs; i++) {
        assert_true(fabs(four[i * pairs + i] - checks[i]) < 1e-13 * 2);
    }
    assert_int_equal(oracle_numbers(&o, "eri_4c_checks", "frobenius", checks, 1), 1);
    assert_true(fabs(sqrt(square) - checks[0]) < 1e-12 * checks[0]);
    free(four);
    release(&m);
    oracle_close(&o);
}

static void threads_give_the_same_bits(void **state)
{
    molecule m[2];
    matrices x[2];
    (void)state;
    for (int k = 0; k < 2; k++) {
        build(&m[k], 1 + 2 * k, true, centers);
        fill(&x[k], &m[k]);
    }
    const size_t bytes = x[0].n * x[0].n * sizeof(double);
    assert_memory_equal(x[0].overlap, x[1].overlap, bytes);
    assert_memory_equal(x[0].kinetic, x[1].kinetic, bytes);
    assert_memory_equal(x[0].nuclear, x[1].nuclear, bytes);
    assert_memory_equal(x[0].metric, x[1].metric, x[0].m * x[0].m * sizeof(double));
    for (int k = 0; k < 2; k++) {
        release_matrices(&x[k]);
        release(&m[k]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(boys_is_its_series),
                                       cmocka_unit_test(boys_is_as_tabulated),
                                       cmocka_unit_test(s_functions_have_closed_forms),
                                       cmocka_unit_test(integrals_are_as_tabulated),
                                       cmocka_unit_test(translation_changes_nothing),
                                       cmocka_unit_test(rotation_keeps_norms),
                                       cmocka_unit_test(four_centers_agree_with_the_table),
                                       cmocka_unit_test(threads_give_the_same_bits)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
