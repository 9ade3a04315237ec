/* Searches and rescorings on every device, beside the CPU's. */
/* ctest: cost 60, full with sanitizers */
#include "solvers/dock/pair.h"
#include "support/devices.h"

/* Every device gives the CPU's bits. */
static void devices_do_not_matter(void **state)
{
    (void)state;
    tsl_pose first[PAIR_ROTATIONS * PAIR_KEEP], other[PAIR_ROTATIONS * PAIR_KEEP];
    tsl_dock_options options = test_small_options();
    for (int kind = 0; kind < 3; kind++) {
        options.electrostatics = (tsl_electrostatics)kind;
        pair p = test_pair("cpu", 2);
        test_search(&p, &options, first);
        test_free_pair(&p);
        const int devices = test_device_count();
        for (int d = 1; d < devices; d++) {
            for (int batch = 1; batch <= 4; batch += 3) {
                options.batch = batch;
                p = test_pair(test_devices[d], 1);
                test_search(&p, &options, other);
                assert_memory_equal(first, other, sizeof first);
                tsl_dock_plan *plan = NULL;
                assert_int_equal(
                    tsl_dock_plan_create(&plan, p.context, p.receptor, p.ligand, &options), TSL_OK);
                assert_int_equal(tsl_dock_rescore(plan, other, PAIR_ROTATIONS * PAIR_KEEP), TSL_OK);
                assert_memory_equal(first, other, sizeof first);
                tsl_dock_plan_destroy(plan);
                test_free_pair(&p);
            }
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(devices_do_not_matter)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
