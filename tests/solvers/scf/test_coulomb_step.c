/* The Coulomb matrix without stored integrals against that of stored ones, which other code makes;
 * attraction by charges likewise. */
/* ctest: cost 10, full with sanitizers */
#include "support/devices.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "solvers/scf/coulomb_step/coulomb_step.h"
#include "solvers/scf/scf.h"

/* Shells up to g, and contracted ones; auxiliary ones up to h, of which three share an exponent and
 * the others are solid harmonics of each l, once two shells of one l and exponent. */
static const char *const orbital =
    "H 0\nS 3 1.0\n13.0 0.02\n2.0 0.14\n0.4 0.48\nP 1 1.0\n0.8 1.0\nD 2 1.0\n1.2 0.5\n0.7 0.6\n"
    "F 1 1.0\n0.9 1.0\n****\n"
    "Li 0\nS 2 1.0\n6.0 0.3\n1.0 0.8\nP 2 1.0\n1.5 0.6\n0.4 0.5\nG 1 1.0\n1.1 1.0\n****\n";
static const char *const fitting =
    "H 0\nS 2 1.0\n9.0 0.4\n2.0 0.7\nS 1 1.0\n0.9 1.0\nP 1 1.0\n0.9 1.0\nD 1 1.0\n0.9 1.0\n"
    "F 1 1.0\n1.3 1.0\n****\n"
    "Li 0\nS 1 1.0\n3.0 1.0\nP 1 1.0\n0.7 1.0\nD 2 1.0\n1.0 0.7\n0.5 0.6\nD 1 1.0\n0.5 1.0\nG 1 "
    "1.0\n1.1 1.0\nH 1 1.0\n1.4 1.0\n****\n";
static const int elements[3] = {3, 1, 1};
static const double places[9] = {0, 0, 0.1, 0.3, 1.4, -0.9, 0, -9.5, 2.5};

typedef struct system {
    tsl_context *host;
    int element[3];
    double charge[3], position[9];
    tsl_scf_atoms atoms;
    tsl_scf_set set[2];
    tsl_scf_basis basis, auxiliary;
    tsl_scf_tables *tables;
    tsl_scf_coulomb coulomb;
    double *density, *wanted, *got;
    int64_t n;
} system_of;

static void make_basis(system_of *s, tsl_scf_basis *out, tsl_scf_set *set, const char *text,
                       bool cartesian)
{
    const tsl_scf_set *of[TSL_ELEMENTS + 1] = {0};
    assert_int_equal(tsl_scf_set_parse(set, s->host, "test", text, strlen(text)), TSL_OK);
    of[1] = of[3] = set;
    assert_int_equal(tsl_scf_basis_create(out, s->host, &s->atoms, of, cartesian, TSL_SCF_MAX_L),
                     TSL_OK);
}

static void open_system(system_of *s, int atoms, bool cartesian)
{
    uint64_t seed = 1;
    memset(s, 0, sizeof *s);
    s->host = test_context("cpu", 2);
    for (int i = 0; i < atoms; i++) {
        s->element[i] = elements[i];
        s->charge[i] = elements[i];
    }
    memcpy(s->position, places, sizeof places);
    s->atoms = (tsl_scf_atoms){atoms, s->element, s->charge, s->position};
    make_basis(s, &s->basis, &s->set[0], orbital, cartesian);
    make_basis(s, &s->auxiliary, &s->set[1], fitting, cartesian);
    s->n = s->basis.functions;
    assert_int_equal(tsl_scf_tables_create(&s->tables, s->host), TSL_OK);
    assert_int_equal(tsl_scf_coulomb_create(&s->coulomb, s->host, s->tables, &s->basis,
                                            &s->auxiliary, 1e-16, INT64_MAX / 2),
                     TSL_OK);
    s->density = calloc((size_t)(s->n * s->n), sizeof(double));
    s->wanted = calloc((size_t)(s->n * s->n), sizeof(double));
    s->got = calloc((size_t)(s->n * s->n), sizeof(double));
    for (int64_t i = 0; i < s->n; i++) {
        for (int64_t j = 0; j <= i; j++) {
            s->density[i * s->n + j] = s->density[j * s->n + i] = test_uniform(&seed);
        }
    }
}

static void close_system(system_of *s)
{
    free(s->density);
    free(s->wanted);
    free(s->got);
    tsl_scf_coulomb_release(&s->coulomb);
    tsl_release(s->tables);
    tsl_scf_basis_release(&s->basis);
    tsl_scf_basis_release(&s->auxiliary);
    tsl_scf_set_release(&s->set[0]);
    tsl_scf_set_release(&s->set[1]);
    tsl_context_destroy(s->host);
}

static tsl_coulomb_step_source source_of(const system_of *s)
{
    return (tsl_coulomb_step_source){.host = s->host,
                                     .tables = s->tables,
                                     .basis = &s->basis,
                                     .auxiliary = &s->auxiliary,
                                     .partners = s->coulomb.partners,
                                     .metric = s->coulomb.metric,
                                     .inverse = s->coulomb.inverse,
                                     .screen = 1e-16};
}

/* `got` is `wanted` to 1e-12 of its largest element, and symmetric in its bits. */
static void compare(const system_of *s)
{
    double most = 0;
    for (int64_t i = 0; i < s->n * s->n; i++) {
        most = fmax(most, fabs(s->wanted[i]));
    }
    for (int64_t i = 0; i < s->n * s->n; i++) {
        assert_true(fabs(s->got[i] - s->wanted[i]) <= 1e-12 * most);
        assert_true(s->got[i] == s->got[i % s->n * s->n + i / s->n]);
    }
}

static void matrices_are_those_of_stored_integrals(void **state)
{
    (void)state;
    for (int d = 1; d < test_device_count(); d++) {
        for (int cartesian = 0; cartesian < 2; cartesian++) {
            system_of s;
            double energy, half = 0;
            tsl_coulomb_step *step;
            tsl_coulomb_step_description about;
            tsl_context *context = test_context(test_devices[d], 2);
            open_system(&s, test_is_another_order(test_devices[d]) ? 2 : 3, cartesian);
            const tsl_coulomb_step_source source = source_of(&s);
            const int64_t bytes = 8 * s.n * s.n, a = s.auxiliary.functions;
            assert_int_equal(tsl_coulomb_step_create(&step, context, &source), TSL_OK);
            assert_int_equal(tsl_coulomb_step_place(step, &source), TSL_OK);
            assert_int_equal(
                tsl_scf_coulomb_apply(&s.coulomb, s.host, s.density, s.wanted, &energy), TSL_OK);
            double *density = test_upload(context, s.density, bytes);
            double *j = test_upload(context, s.got, bytes);
            double *fit = calloc((size_t)(2 * a), sizeof *fit);
            assert_int_equal(tsl_coulomb_step_run(step, density, j), TSL_OK);
            test_download(context, s.got, j, bytes);
            compare(&s);
            test_download(context, fit, tsl_coulomb_step_projection(step), 8 * a);
            test_download(context, fit + a, tsl_coulomb_step_coefficients(step), 8 * a);
            for (int64_t i = 0; i < a; i++) {
                half += 0.5 * fit[i] * fit[a + i];
            }
            assert_true(fabs(half - energy) < 1e-11 * fabs(energy));
            tsl_coulomb_step_describe(step, &about);
            assert_true(about.rows > 0 && about.pairs >= about.rows && about.sites > 0);
            /* again: the same bits, and no memory */
            memcpy(s.wanted, s.got, (size_t)bytes);
            tsl_test_fail_device_allocation(context, 0);
            assert_int_equal(tsl_coulomb_step_run(step, density, j), TSL_OK);
            assert_int_equal(tsl_test_fail_device_allocation(context, 0), 0);
            test_download(context, s.got, j, bytes);
            assert_memory_equal(s.got, s.wanted, (size_t)bytes);
            free(fit);
            test_release(context, density);
            test_release(context, j);
            tsl_coulomb_step_destroy(step);
            close_system(&s);
            tsl_context_destroy(context);
        }
    }
}

static void charges_attract(void **state)
{
    enum { CHARGES = 300 };
    double charge[CHARGES], position[3 * CHARGES];
    uint64_t seed = 3;
    (void)state;
    for (int i = 0; i < CHARGES; i++) {
        charge[i] = i % 7 == 0 ? 0 : test_uniform(&seed);
        for (int axis = 0; axis < 3; axis++) { /* far ones, and ones within functions */
            position[3 * i + axis] = (i % 2 == 0 ? 3 : 40) * test_uniform(&seed);
        }
    }
    for (int d = 1; d < test_device_count(); d++) {
        system_of s;
        tsl_coulomb_step *step;
        tsl_context *context = test_context(test_devices[d], 2);
        open_system(&s, 2, false);
        const tsl_coulomb_step_source source = source_of(&s);
        const int64_t bytes = 8 * s.n * s.n;
        double *v = test_upload(context, s.got, bytes);
        assert_int_equal(tsl_coulomb_step_create(&step, context, &source), TSL_OK);
        assert_int_equal(tsl_coulomb_step_place(step, &source), TSL_OK);
        assert_int_equal(tsl_scf_attraction(s.wanted, s.host, s.tables, &s.basis, CHARGES, charge,
                                            position, 1e-16),
                         TSL_OK);
        assert_int_equal(tsl_coulomb_step_attract(step, CHARGES, charge, position, v), TSL_OK);
        test_download(context, s.got, v, bytes);
        compare(&s);
        memset(s.wanted, 0, (size_t)bytes); /* of nothing but charges of 0 */
        charge[0] = 0;
        assert_int_equal(tsl_coulomb_step_attract(step, 1, charge, position, v), TSL_OK);
        test_download(context, s.got, v, bytes);
        compare(&s);
        charge[0] = 0;
        test_release(context, v);
        tsl_coulomb_step_destroy(step);
        close_system(&s);
        tsl_context_destroy(context);
    }
}

static tsl_status make_step(tsl_context *context, void *user)
{
    system_of *s = user;
    tsl_coulomb_step *step = NULL;
    const tsl_coulomb_step_source source = source_of(s);
    tsl_status status = tsl_coulomb_step_create(&step, context, &source);
    if (status == TSL_OK) {
        status = tsl_coulomb_step_place(step, &source);
    }
    tsl_coulomb_step_destroy(step);
    return status;
}

static void failing_allocations_are_survived(void **state)
{
    system_of s;
    (void)state;
    open_system(&s, 1, false);
    for (int d = 1; d < test_device_count(); d++) {
        if (!test_is_another_order(test_devices[d])) {
            tsl_context *context = test_context(test_devices[d], 1);
            assert_true(test_survives_no_memory(context, make_step, &s) > 0);
            tsl_context_destroy(context);
        }
    }
    close_system(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(matrices_are_those_of_stored_integrals),
                                       cmocka_unit_test(charges_attract),
                                       cmocka_unit_test(failing_allocations_are_survived)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
