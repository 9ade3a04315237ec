/* Basis sets: polynomials, normalisation, shipped sets, order of functions. */
#include "support/devices.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "solvers/scf/basis/set.h"
#include "solvers/scf/integrals/integrals.h"

/* Values of a shell's polynomials at a point. */
static void evaluate(double *out, int l, bool cartesian, const double r[3])
{
    double table[TSL_SCF_MAX_CARTESIAN * TSL_SCF_MAX_CARTESIAN];
    const int monomials = (l + 1) * (l + 2) / 2;
    tsl_scf_polynomials(table, l, cartesian);
    for (int f = 0; f < tsl_scf_shell_size(l, cartesian); f++) {
        int c = 0;
        out[f] = 0;
        for (int a = l; a >= 0; a--) {
            for (int b = l - a; b >= 0; b--, c++) {
                out[f] +=
                    table[f * monomials + c] * pow(r[0], a) * pow(r[1], b) * pow(r[2], l - a - b);
            }
        }
    }
}

/* The sum of squares of a degree's solid harmonics is (2l + 1) / 4 pi r^(2l) (A. Unsold, 1927). */
static void harmonics_sum_to_a_sphere(void **state)
{
    const double r[3] = {0.3, -0.7, 1.1}, square = 0.09 + 0.49 + 1.21;
    (void)state;
    for (int l = 0; l <= TSL_SCF_MAX_L; l++) {
        double values[TSL_SCF_MAX_CARTESIAN], sum = 0;
        evaluate(values, l, false, r);
        for (int f = 0; f < 2 * l + 1; f++) {
            sum += values[f] * values[f];
        }
        assert_true(fabs(sum / ((2 * l + 1) / (4 * M_PI) * pow(square, l)) - 1) < 1e-14);
    }
}

static void the_order_is_pyscf_s(void **state)
{
    const double r[3] = {0.3, -0.7, 1.1}, x = r[0], y = r[1], z = r[2], square = 1.79;
    double values[TSL_SCF_MAX_CARTESIAN];
    (void)state;
    evaluate(values, 1, false, r);
    for (int k = 0; k < 3; k++) {
        assert_true(fabs(values[k] - sqrt(0.75 / M_PI) * r[k]) < 1e-15);
    }
    const double d = sqrt(15 / (4 * M_PI));
    const double wanted[5] = {d * x * y, d * y * z, d / sqrt(12) * (3 * z * z - square), d * x * z,
                              d / 2 * (x * x - y * y)};
    evaluate(values, 2, false, r);
    for (int k = 0; k < 5; k++) {
        assert_true(fabs(values[k] - wanted[k]) < 1e-14);
    }
    evaluate(values, 2, true, r); /* xx and xy: integrals of x^4 and x^2 y^2 over a sphere */
    assert_true(fabs(values[0] - sqrt(5 / (4 * M_PI)) * x * x) < 1e-14);
    assert_true(fabs(values[1] - sqrt(15 / (4 * M_PI)) * x * y) < 1e-14);
    assert_true(fabs(values[4] - sqrt(15 / (4 * M_PI)) * y * z) < 1e-14);
}

static const char *const names[] = {"sto-3g",
                                    "6-31g*",
                                    "cc-pvdz",
                                    "def2-svp",
                                    "def2-tzvp",
                                    "dgauss-dzvp",
                                    "DEF2-UNIVERSAL-JFIT",
                                    "def2-universal-jkfit",
                                    "dgauss-a1-dftjfit"};

/* Functions of water, spherical, as published. */
static const int of_water[] = {7, 18, 24, 24, 43, 18, 71, 113, 39};

static void build(tsl_scf_basis *out, tsl_context *context, const tsl_scf_set *set, int count,
                  int *elements, bool cartesian)
{
    double charge[3] = {0}, position[9] = {0, 0, 0, 0, 0, 2, 0, 2, 0};
    const tsl_scf_atoms atoms = {count, elements, charge, position};
    const tsl_scf_set *set_of[TSL_ELEMENTS + 1];
    for (int z = 0; z <= TSL_ELEMENTS; z++) {
        set_of[z] = set;
    }
    assert_int_equal(tsl_scf_basis_create(out, context, &atoms, set_of, cartesian, TSL_SCF_MAX_L),
                     TSL_OK);
}

/* All elements of all sets: every function has norm 1. */
static void check_norms(tsl_context *context, const tsl_scf_set *set, int element, bool cartesian)
{
    tsl_scf_basis basis;
    build(&basis, context, set, 1, &element, cartesian);
    const size_t n = (size_t)basis.functions;
    double *overlap = malloc(n * n * sizeof *overlap);
    const tsl_scf_one_electron one = {overlap, NULL, {NULL, NULL, NULL}};
    assert_non_null(overlap);
    assert_int_equal(tsl_scf_one_electron_fill(&one, context, &basis, 0), TSL_OK);
    for (size_t i = 0; i < n; i++) {
        assert_true(fabs(overlap[i * n + i] - 1) < 1e-13);
    }
    int last = 0;
    for (int s = 0; s < basis.shells; s++) {
        assert_true(basis.shell[s].l >= last);
        last = basis.shell[s].l;
    }
    free(overlap);
    tsl_scf_basis_release(&basis);
}

static void shipped_sets_are_whole(void **state)
{
    static const int elements[] = {1,  2,  3,  4,  5,  6,  7,  8,  9,  10,
                                   11, 12, 13, 14, 15, 16, 17, 18, 26, 30};
    (void)state;
    tsl_context *context = test_context("cpu", 1);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        tsl_scf_set set;
        tsl_scf_basis basis;
        int water[3] = {8, 1, 1};
        assert_int_equal(tsl_scf_set_load(&set, context, names[i]), TSL_OK);
        build(&basis, context, &set, 3, water, false);
        assert_int_equal(basis.functions, of_water[i]);
        tsl_scf_basis_release(&basis);
        for (size_t e = 0; e < sizeof elements / sizeof *elements; e++) {
            check_norms(context, &set, elements[e], e % 2 == 0);
        }
        tsl_scf_set_release(&set);
    }
    tsl_context_destroy(context);
}

/* An SP shell is an s and a p; columns of a general contraction are a shell each, without their
 * zeros. */
static void shells_are_parted(void **state)
{
    static const char text[] =
        "C 0\nSP 2 1.0\n2.0 0.5 0.3\n1.0 0.6 0.7\nS 2 2.0\n3.0 1.0 0.0\n4.0 0.2 1.0\n****\n";
    tsl_scf_set set;
    (void)state;
    tsl_context *context = test_context("cpu", 1);
    assert_int_equal(tsl_scf_set_parse(&set, context, "text", text, strlen(text)), TSL_OK);
    assert_int_equal(set.shells, 4);
    assert_int_equal(set.shell[0].l, 0);
    assert_int_equal(set.shell[1].l, 1);
    assert_true(set.coefficient[set.shell[1].first + 1] == 0.7);
    assert_int_equal(set.shell[2].primitives, 2);
    assert_true(set.exponent[set.shell[2].first] == 12); /* scaled by 2 squared */
    assert_int_equal(set.shell[3].primitives, 1);
    assert_true(set.exponent[set.shell[3].first] == 16);
    tsl_scf_set_release(&set);
    tsl_context_destroy(context);
}

static tsl_status load_and_build(tsl_context *context, void *user)
{
    const tsl_scf_set *set_of[TSL_ELEMENTS + 1] = {0};
    int element = 8;
    double zeros[4] = {0};
    const tsl_scf_atoms atoms = {1, &element, zeros, zeros + 1};
    tsl_scf_set set;
    tsl_scf_basis basis;
    (void)user;
    tsl_status status = tsl_scf_set_load(&set, context, "6-31g*");
    if (status != TSL_OK) {
        return status;
    }
    set_of[8] = &set;
    status = tsl_scf_basis_create(&basis, context, &atoms, set_of, false, 4);
    if (status == TSL_OK) {
        tsl_scf_basis_release(&basis);
    }
    tsl_scf_set_release(&set);
    return status;
}

static void failing_allocations_are_survived(void **state)
{
    (void)state;
    tsl_context *context = test_context("cpu", 1);
    test_survives_no_memory(context, load_and_build, NULL);
    tsl_context_destroy(context);
}

static void symbols_are_known(void **state)
{
    (void)state;
    for (int z = 1; z <= TSL_ELEMENTS; z++) {
        const char *symbol = tsl_element_symbol(z);
        assert_int_equal(tsl_element_find(symbol, strlen(symbol)), z);
    }
    assert_int_equal(tsl_element_find("fe", 2), 26);
    assert_int_equal(tsl_element_find("FE", 2), 26);
    assert_int_equal(tsl_element_find("", 0), 0);
    assert_int_equal(tsl_element_find("Hx", 2), 0);
    assert_int_equal(tsl_element_find("Feo", 3), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(harmonics_sum_to_a_sphere),        cmocka_unit_test(the_order_is_pyscf_s),
        cmocka_unit_test(shipped_sets_are_whole),           cmocka_unit_test(shells_are_parted),
        cmocka_unit_test(failing_allocations_are_survived), cmocka_unit_test(symbols_are_known)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
