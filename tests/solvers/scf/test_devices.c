/* Energies on sim and on GPUs are the CPU's. */
/* ctest: cost 20, full with sanitizers */
#include "support/devices.h"

#include <math.h>
#include <string.h>

#include "core/context.h"
#include "tesela/scf.h"

static const int water[3] = {8, 1, 1};
static const double places[9] = {0, 0, 0.2254, 0, 1.4423, -0.9015, 0, -1.4423, -0.9015};
static const double charge[2] = {0.4, -0.3}, around[6] = {0, 0, 8, 6, 1, -2};

/* What a calculation gives. */
typedef struct outcome {
    tsl_scf_result result;
    double energies[2][64], charges[6];
    int64_t orbitals;
    int64_t allocations; /* on the device, by tsl_scf_solve() */
    int64_t held;        /* bytes of the device, after it */
    int64_t foreseen;    /* what was said beforehand */
} outcome;

static tsl_scf_options tight(const char *grid)
{
    tsl_scf_options options = TSL_SCF_OPTIONS_INIT;
    options.basis = "sto-3g";
    options.grid = grid;
    options.energy_tolerance = 1e-9;
    options.error_tolerance = 1e-7;
    return options;
}

static void solve(outcome *out, const char *device, const tsl_scf_options *options, int atoms,
                  bool charged, tsl_status wanted)
{
    tsl_context *context = test_context(device, 1);
    tsl_scf_molecule *molecule;
    tsl_scf_charges *charges = NULL;
    tsl_scf_plan *plan;
    tsl_scf_description about = {.size = sizeof about};
    memset(out, 0, sizeof *out);
    out->result.size = sizeof out->result;
    assert_int_equal(tsl_scf_molecule_create(&molecule, context, atoms, water, places), TSL_OK);
    if (charged) {
        assert_int_equal(tsl_scf_charges_create(&charges, context, 2, charge, around), TSL_OK);
    }
    assert_int_equal(tsl_scf_plan_create(&plan, context, molecule, charges, options), TSL_OK);
    assert_int_equal(tsl_scf_plan_describe(plan, &about), TSL_OK);
    out->orbitals = about.orthogonal;
    tsl_test_fail_device_allocation(context, 0);
    assert_int_equal(tsl_scf_solve(plan, &out->result), wanted);
    out->allocations = tsl_test_fail_device_allocation(context, 0);
    out->held = context->memory.bytes;
    out->foreseen = about.memory_bytes;
    for (int spin = 0; spin < 2; spin++) {
        memcpy(out->energies[spin], tsl_scf_orbital_energies(plan, spin),
               sizeof(double) * (size_t)out->orbitals);
    }
    assert_int_equal(tsl_scf_populations(plan, out->charges, out->charges + 3), TSL_OK);
    tsl_scf_plan_destroy(plan);
    tsl_scf_charges_destroy(charges);
    tsl_scf_molecule_destroy(molecule);
    tsl_context_destroy(context);
}

static void compare(const tsl_scf_options *options, int atoms, bool charged)
{
    outcome cpu, other;
    solve(&cpu, "cpu", options, atoms, charged, TSL_OK);
    for (int d = 1; d < test_device_count(); d++) {
        if (test_is_another_order(test_devices[d])) {
            continue;
        }
        const tsl_scf_result *a = &cpu.result, *b = &other.result;
        solve(&other, test_devices[d], options, atoms, charged, TSL_OK);
        assert_true(fabs(a->total - b->total) < 1e-10);
        assert_true(fabs(a->kinetic - b->kinetic) < 1e-7);
        assert_true(fabs(a->nuclear_attraction - b->nuclear_attraction) < 1e-7);
        assert_true(fabs(a->mm_attraction - b->mm_attraction) < 1e-7);
        assert_true(fabs(a->coulomb - b->coulomb) < 1e-7);
        assert_true(fabs(a->xc - b->xc) < 1e-7);
        assert_true(fabs(a->s_squared - b->s_squared) < 1e-7);
        assert_true(b->converged);
        for (int k = 0; k < 3; k++) {
            assert_true(fabs(a->dipole[k] - b->dipole[k]) < 1e-6);
        }
        for (int64_t k = 0; k < cpu.orbitals; k++) {
            assert_true(fabs(cpu.energies[0][k] - other.energies[0][k]) < 1e-7);
            assert_true(fabs(cpu.energies[1][k] - other.energies[1][k]) < 1e-7);
        }
        for (int k = 0; k < 2 * atoms; k++) {
            assert_true(fabs(cpu.charges[k] - other.charges[k]) < 1e-6);
        }
    }
}

static void closed_shells_agree(void **state)
{
    const tsl_scf_options options = tight("coarse");
    (void)state;
    compare(&options, 3, false);
}

/* Open shells with point charges around, and with both remedies from the start. */
static void open_shells_agree(void **state)
{
    tsl_scf_options options = tight("6x26");
    (void)state;
    options.charge = 1;
    options.level_shift = 0.1;
    options.damping = 0.2;
    compare(&options, 3, true);
}

/* A single atom's p orbitals of one energy are occupied in part. */
static void degenerate_orbitals_agree(void **state)
{
    const tsl_scf_options options = tight("12x50");
    (void)state;
    compare(&options, 1, false);
}

/* More iterations take no more memory of the device: the first takes all. */
static void iterations_take_no_memory(void **state)
{
    (void)state;
    for (int d = 1; d < test_device_count(); d++) {
        if (test_is_another_order(test_devices[d])) {
            continue;
        }
        outcome few, more;
        tsl_scf_options options = tight("8x26");
        options.max_iterations = 2;
        solve(&few, test_devices[d], &options, 3, false, TSL_E_NOCONV);
        options.max_iterations = 5;
        solve(&more, test_devices[d], &options, 3, false, TSL_E_NOCONV);
        assert_int_equal(few.allocations, more.allocations);
    }
}

/* A run takes no more of a device's memory than it said, and no more than it was allowed. */
static void memory_is_foreseen(void **state)
{
    (void)state;
    for (int d = 1; d < test_device_count(); d++) {
        if (test_is_another_order(test_devices[d])) {
            continue;
        }
        outcome free, bounded;
        tsl_scf_options options = tight("12x50");
        options.max_iterations = 2;
        solve(&free, test_devices[d], &options, 3, false, TSL_E_NOCONV);
        assert_true(free.held > 0 && free.held <= free.foreseen);
        options.memory = free.foreseen - (600 << 10);
        solve(&bounded, test_devices[d], &options, 3, false, TSL_E_NOCONV);
        assert_true(bounded.held <= bounded.foreseen && bounded.foreseen <= options.memory);
        assert_true(bounded.held < free.held);
        assert_true(fabs(free.result.total - bounded.result.total) < 1e-10);
    }
}

static tsl_status make_plan(tsl_context *context, void *user)
{
    const tsl_scf_options *options = user;
    tsl_scf_molecule *molecule = NULL;
    tsl_scf_charges *charges = NULL;
    tsl_scf_plan *plan = NULL;
    tsl_status status = tsl_scf_molecule_create(&molecule, context, 1, water + 1, places);
    if (status == TSL_OK) {
        status = tsl_scf_charges_create(&charges, context, 2, charge, around);
    }
    if (status == TSL_OK) {
        status = tsl_scf_plan_create(&plan, context, molecule, charges, options);
    }
    tsl_scf_plan_destroy(plan);
    tsl_scf_charges_destroy(charges);
    tsl_scf_molecule_destroy(molecule);
    return status;
}

static void too_little_memory_is_refused(void **state)
{
    tsl_scf_options options = tight("12x50");
    (void)state;
    tsl_context *context = test_context("sim", 1);
    options.memory = 100000;
    assert_int_equal(make_plan(context, &options), TSL_E_NOMEM);
    assert_non_null(strstr(tsl_last_error(context), "give a smaller basis set"));
    assert_int_equal(context->memory.bytes, 0);
    tsl_context_destroy(context);
}

static void failing_allocations_are_survived(void **state)
{
    tsl_scf_options options = tight("3x6");
    (void)state;
    tsl_context *context = test_context("sim", 1);
    assert_true(test_survives_no_memory(context, make_plan, &options) > 0);
    tsl_context_destroy(context);
}

static void all_integrals_are_the_cpus(void **state)
{
    tsl_scf_options options = tight("3x6");
    tsl_scf_plan *plan = NULL;
    tsl_scf_molecule *molecule;
    (void)state;
    tsl_context *context = test_context("sim", 1);
    options.fit = TSL_SCF_FIT_NONE;
    assert_int_equal(tsl_scf_molecule_create(&molecule, context, 3, water, places), TSL_OK);
    assert_int_equal(tsl_scf_plan_create(&plan, context, molecule, NULL, &options),
                     TSL_E_UNSUPPORTED);
    assert_null(plan);
    assert_non_null(strstr(tsl_last_error(context), "fit the density"));
    tsl_scf_molecule_destroy(molecule);
    tsl_context_destroy(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(closed_shells_agree),
                                       cmocka_unit_test(open_shells_agree),
                                       cmocka_unit_test(degenerate_orbitals_agree),
                                       cmocka_unit_test(iterations_take_no_memory),
                                       cmocka_unit_test(memory_is_foreseen),
                                       cmocka_unit_test(too_little_memory_is_refused),
                                       cmocka_unit_test(failing_allocations_are_survived),
                                       cmocka_unit_test(all_integrals_are_the_cpus)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
