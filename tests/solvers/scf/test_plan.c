/* Plans and solutions: errors, memory that runs out, properties by other ways. */
/* ctest: cost 20, full with sanitizers */
#include "support/devices.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tesela/scf.h"

static const int water[3] = {8, 1, 1};
static const double places[9] = {0, 0, 0.2254, 0, 1.4423, -0.9015, 0, -1.4423, -0.9015};

static tsl_scf_molecule *make_water(tsl_context *context)
{
    tsl_scf_molecule *molecule;
    assert_int_equal(tsl_scf_molecule_create(&molecule, context, 3, water, places), TSL_OK);
    return molecule;
}

static tsl_scf_options small(void)
{
    tsl_scf_options options = TSL_SCF_OPTIONS_INIT;
    options.basis = "sto-3g";
    options.grid = "coarse";
    return options;
}

static tsl_status run(tsl_context *context, void *user)
{
    const tsl_scf_options *options = user;
    const double charge = 0.1, position[3] = {0, 0, 8};
    tsl_scf_molecule *molecule = NULL;
    tsl_scf_charges *charges = NULL;
    tsl_scf_plan *plan = NULL;
    tsl_scf_result result = {.size = sizeof result};
    double populations[6];
    tsl_status status = tsl_scf_molecule_create(&molecule, context, 3, water, places);
    if (status == TSL_OK) {
        status = tsl_scf_charges_create(&charges, context, 1, &charge, position);
    }
    if (status == TSL_OK) {
        status = tsl_scf_plan_create(&plan, context, molecule, charges, options);
    }
    if (status == TSL_OK) {
        status = tsl_scf_solve(plan, &result);
    }
    if (status == TSL_OK) {
        status = tsl_scf_populations(plan, populations, populations + 3);
    }
    tsl_scf_plan_destroy(plan);
    tsl_scf_charges_destroy(charges);
    tsl_scf_molecule_destroy(molecule);
    return status;
}

static void failing_allocations_are_survived(void **state)
{
    tsl_scf_options options = small();
    (void)state;
    tsl_context *context = test_context("cpu", 1);
    options.basis = "sto-3g,H=6-31g*";
    options.error_tolerance = 1e-6; /* so tight that orbitals are kept */
    test_survives_no_memory(context, run, &options);
    tsl_context_destroy(context);
}

/* A plan that was solved goes on from there. */
static void a_second_solution_begins_at_the_first(void **state)
{
    const tsl_scf_options options = small();
    tsl_scf_result first = {.size = sizeof first}, second = {.size = sizeof second};
    tsl_scf_plan *plan;
    (void)state;
    tsl_context *context = test_context("cpu", 1);
    tsl_scf_molecule *molecule = make_water(context);
    assert_int_equal(tsl_scf_plan_create(&plan, context, molecule, NULL, &options), TSL_OK);
    assert_null(tsl_scf_density(plan, 0));
    assert_null(tsl_scf_orbital_energies(plan, 0));
    double unknown[3];
    assert_int_equal(tsl_scf_populations(plan, unknown, NULL), TSL_E_ARG);
    assert_int_equal(tsl_scf_solve(plan, &first), TSL_OK);
    assert_int_equal(tsl_scf_solve(plan, &second), TSL_OK);
    assert_true(second.iterations <= 2);
    assert_true(fabs(first.total - second.total) < 1e-8);
    tsl_scf_plan_destroy(plan);
    tsl_scf_molecule_destroy(molecule);
    tsl_context_destroy(context);
}

/* The charges of the atoms sum to the molecule's, and symmetric atoms have equal ones. */
static void populations_sum_to_the_charge(void **state)
{
    tsl_scf_options options = small();
    (void)state;
    tsl_context *context = test_context("cpu", 2);
    for (int charge = 0; charge < 2; charge++) {
        tsl_scf_result result = {.size = sizeof result};
        tsl_scf_plan *plan;
        double mulliken[3], lowdin[3];
        tsl_scf_molecule *molecule = make_water(context);
        options.charge = charge;
        assert_int_equal(tsl_scf_plan_create(&plan, context, molecule, NULL, &options), TSL_OK);
        assert_int_equal(tsl_scf_solve(plan, &result), TSL_OK);
        assert_int_equal(tsl_scf_populations(plan, mulliken, lowdin), TSL_OK);
        assert_true(fabs(mulliken[0] + mulliken[1] + mulliken[2] - charge) < 1e-10);
        assert_true(fabs(lowdin[0] + lowdin[1] + lowdin[2] - charge) < 1e-10);
        assert_true(fabs(mulliken[1] - mulliken[2]) < 1e-6 && fabs(lowdin[1] - lowdin[2]) < 1e-6);
        assert_true(fabs(result.electrons_on_grid[0] - 5) < 1e-3);
        tsl_scf_plan_destroy(plan);
        tsl_scf_molecule_destroy(molecule);
    }
    tsl_context_destroy(context);
}

/* The hydrogen atom without a functional's self-repulsion cannot be had; one electron in the field
 * of a bare nucleus of charge 1 at a point charge's place has the same matrix. */
static void a_point_charge_is_a_nucleus(void **state)
{
    const int elements[2] = {1, -1}; /* a ghost where the charge is */
    const int nuclei[2] = {1, 1};
    const double positions[6] = {0, 0, 0, 0, 0, 1.4}, one = 1;
    tsl_scf_options options = small();
    double total[2];
    (void)state;
    tsl_context *context = test_context("cpu", 1);
    options.fit = TSL_SCF_FIT_NONE;
    options.grid = "30x50";
    for (int ghost = 0; ghost < 2; ghost++) {
        tsl_scf_molecule *molecule;
        tsl_scf_charges *charges = NULL;
        tsl_scf_plan *plan;
        tsl_scf_result result = {.size = sizeof result};
        options.charge = ghost ? -1 : 0;
        assert_int_equal(
            tsl_scf_molecule_create(&molecule, context, 2, ghost ? elements : nuclei, positions),
            TSL_OK);
        if (ghost) {
            assert_int_equal(tsl_scf_charges_create(&charges, context, 1, &one, positions + 3),
                             TSL_OK);
        }
        assert_int_equal(tsl_scf_plan_create(&plan, context, molecule, charges, &options), TSL_OK);
        assert_int_equal(tsl_scf_solve(plan, &result), TSL_OK);
        total[ghost] = result.total;
        tsl_scf_plan_destroy(plan);
        tsl_scf_charges_destroy(charges);
        tsl_scf_molecule_destroy(molecule);
    }
    assert_true(fabs(total[0] - total[1]) < 1e-8);
    tsl_context_destroy(context);
}

static void refuse(tsl_context *context, const tsl_scf_options *options, tsl_status status)
{
    tsl_scf_plan *plan;
    tsl_scf_molecule *molecule = make_water(context);
    assert_int_equal(tsl_scf_plan_create(&plan, context, molecule, NULL, options), status);
    assert_null(plan);
    assert_true(strlen(tsl_last_error(context)) > 0);
    tsl_scf_molecule_destroy(molecule);
}

static void faults_are_named(void **state)
{
    tsl_scf_options o = small();
    (void)state;
    tsl_context *context = test_context("cpu", 1);
    o.size = 3;
    refuse(context, &o, TSL_E_ARG);
    o = small();
    o.energy_tolerance = 0;
    refuse(context, &o, TSL_E_ARG);
    o = small();
    o.damping = 1;
    refuse(context, &o, TSL_E_ARG);
    o = small();
    o.max_iterations = 0;
    refuse(context, &o, TSL_E_ARG);
    o = small();
    o.functional = "pbe0";
    refuse(context, &o, TSL_E_UNSUPPORTED);
    o = small();
    o.basis = NULL;
    refuse(context, &o, TSL_E_ARG);
    o = small();
    o.multiplicity = 2;
    refuse(context, &o, TSL_E_ARG);
    o = small();
    o.charge = -20; /* 30 electrons in 7 orbitals */
    refuse(context, &o, TSL_E_ARG);
    tsl_scf_molecule *molecule;
    const int wrong = 119;
    assert_int_equal(tsl_scf_molecule_create(&molecule, context, 1, &wrong, places), TSL_E_ARG);
    assert_int_equal(tsl_scf_molecule_create(&molecule, context, 0, water, places), TSL_E_ARG);
    const double infinite[3] = {INFINITY, 0, 0};
    assert_int_equal(tsl_scf_molecule_create(&molecule, context, 1, water, infinite), TSL_E_ARG);
    tsl_context_destroy(context);
    tsl_context *sim = test_context("sim", 1);
    o = small();
    o.fit = TSL_SCF_FIT_NONE;
    refuse(sim, &o, TSL_E_UNSUPPORTED);
    tsl_context_destroy(sim);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(failing_allocations_are_survived),
                                       cmocka_unit_test(a_second_solution_begins_at_the_first),
                                       cmocka_unit_test(populations_sum_to_the_charge),
                                       cmocka_unit_test(a_point_charge_is_a_nucleus),
                                       cmocka_unit_test(faults_are_named)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
